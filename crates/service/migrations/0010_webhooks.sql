-- Webhook messages: the payload is stored once per event, and failing webhooks are counted.

-- Payloads that deliveries still need. A delivery made by an earlier version has none: its body
-- was finished when the event happened.
CREATE TABLE webhook_events (
    id INTEGER PRIMARY KEY,
    trigger_name TEXT NOT NULL,
    -- The uid of the booking or absence.
    about TEXT NOT NULL,
    -- Deliveries of one webhook that share this key are sent in order.
    order_key TEXT NOT NULL,
    -- JSON object.
    payload TEXT NOT NULL,
    created_ms BIGINT NOT NULL
);
CREATE INDEX webhook_events_by_about ON webhook_events (about, id);

-- NULL once the message was delivered. body and content_type are empty where it is set;
-- about holds the order key.
ALTER TABLE webhook_deliveries ADD COLUMN event_id BIGINT REFERENCES webhook_events (id);
CREATE INDEX webhook_deliveries_by_event ON webhook_deliveries (event_id) WHERE event_id IS NOT NULL;

-- The oldest due delivery of a webhook, and whether an earlier one with its order key waits.
DROP INDEX IF EXISTS webhook_deliveries_by_due;
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (webhook_id, due_ms, id) WHERE status = 'waiting';
DROP INDEX IF EXISTS webhook_deliveries_by_subject;
CREATE INDEX webhook_deliveries_by_subject ON webhook_deliveries (webhook_id, about, status, id);

-- Bodies above the limit are no longer sent.
UPDATE webhook_deliveries
SET status = 'failed', due_ms = NULL, settled_ms = created_ms, body = '',
    last_problem = 'the message is larger than 256 KiB'
WHERE status <> 'delivered' AND length(CAST(body AS BLOB)) > 262144;

-- From here on due_ms is also NULL while an earlier delivery of the webhook with the same order
-- key waits.
UPDATE webhook_deliveries SET due_ms = NULL
WHERE status = 'waiting' AND EXISTS (
    SELECT 1 FROM webhook_deliveries AS earlier
    WHERE earlier.webhook_id = webhook_deliveries.webhook_id AND earlier.about = webhook_deliveries.about
        AND earlier.status = 'waiting' AND earlier.id < webhook_deliveries.id);

-- A payload is personal data: it goes with the last delivery that needs it.
CREATE TRIGGER webhook_payloads_end_with_deleted_deliveries
AFTER DELETE ON webhook_deliveries
WHEN OLD.event_id IS NOT NULL
BEGIN
    DELETE FROM webhook_events WHERE id = OLD.event_id
        AND NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE event_id = OLD.event_id);
END;

CREATE TRIGGER webhook_payloads_end_with_delivered_deliveries
AFTER UPDATE OF event_id ON webhook_deliveries
WHEN OLD.event_id IS NOT NULL AND NEW.event_id IS NULL
BEGIN
    DELETE FROM webhook_events WHERE id = OLD.event_id
        AND NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE event_id = OLD.event_id);
END;

-- Messages in a row that were given up, the first of them, and the cause of the last one.
ALTER TABLE webhooks ADD COLUMN given_up BIGINT NOT NULL DEFAULT 0;
ALTER TABLE webhooks ADD COLUMN failing_since_ms BIGINT;
ALTER TABLE webhooks ADD COLUMN last_problem TEXT;
