-- Who is told of what happens, and what is still to be told.

CREATE TABLE webhooks (
    id TEXT PRIMARY KEY,
    -- Exactly one is set: whose events it tells.
    user_id BIGINT REFERENCES users (id) ON DELETE CASCADE,
    event_type_id BIGINT REFERENCES event_types (id) ON DELETE CASCADE,
    organization_id BIGINT REFERENCES organizations (id) ON DELETE CASCADE,
    oauth_client_id TEXT REFERENCES oauth_clients (id) ON DELETE CASCADE,
    subscriber_url TEXT NOT NULL,
    -- JSON array of trigger names.
    triggers TEXT NOT NULL,
    active BIGINT NOT NULL,
    payload_template TEXT,
    -- Signs what is sent, so it has to be known again: encrypted with the service's own key.
    secret BLOB,
    version TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    CHECK ((user_id IS NOT NULL) + (event_type_id IS NOT NULL) + (organization_id IS NOT NULL)
        + (oauth_client_id IS NOT NULL) = 1)
);

-- A receiver hears of everything once, however often it is subscribed by mistake.
CREATE UNIQUE INDEX webhooks_by_user ON webhooks (user_id, subscriber_url);
CREATE UNIQUE INDEX webhooks_by_event_type ON webhooks (event_type_id, subscriber_url);
CREATE UNIQUE INDEX webhooks_by_organization ON webhooks (organization_id, subscriber_url);
CREATE UNIQUE INDEX webhooks_by_oauth_client ON webhooks (oauth_client_id, subscriber_url);

-- The outbox. A row is written in the transaction of what it tells, and sent afterwards.
CREATE TABLE webhook_deliveries (
    id INTEGER PRIMARY KEY,
    webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    trigger_name TEXT NOT NULL,
    -- The uid of what it tells of: what is told of one thing is sent in order.
    about TEXT NOT NULL,
    -- The body as it is sent and signed; emptied once it is delivered.
    body TEXT NOT NULL,
    content_type TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    -- NULL once it is settled.
    due_ms BIGINT,
    attempts BIGINT NOT NULL DEFAULT 0,
    status TEXT NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'delivered', 'failed')),
    last_status BIGINT,
    last_problem TEXT,
    settled_ms BIGINT
);
CREATE INDEX webhook_deliveries_by_due ON webhook_deliveries (due_ms) WHERE status = 'waiting';
CREATE INDEX webhook_deliveries_by_settled ON webhook_deliveries (settled_ms) WHERE status <> 'waiting';
CREATE INDEX webhook_deliveries_by_subject ON webhook_deliveries (webhook_id, about, id);

-- Up to where the starts and ends of meetings have been told: by moment, then by booking.
CREATE TABLE meeting_marks (
    trigger_name TEXT PRIMARY KEY,
    until_ms BIGINT NOT NULL,
    booking_id BIGINT NOT NULL
);
