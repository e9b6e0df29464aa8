-- Messages: what is looked for at each poll is found by an index, whatever else there is.

-- Subscribers to starts and ends of meetings.
CREATE INDEX webhooks_of_meetings ON webhooks (id) WHERE active = 1 AND instr(triggers, '"MEETING_') > 0;

-- Event types with reminders of their own.
CREATE INDEX event_types_with_reminders ON event_types (id) WHERE instr(settings, '"emailReminders"') > 0;

-- The replica that sends a message: see PostgreSQL's. There is one process here, which needs no claims.
ALTER TABLE webhook_deliveries ADD COLUMN claimed_by TEXT;
ALTER TABLE mail_messages ADD COLUMN claimed_by TEXT;

-- The deliveries of a webhook as its owner lists them.
CREATE INDEX webhook_deliveries_by_status ON webhook_deliveries (webhook_id, status, id);

-- The leader of an earlier version would send what another replica has claimed.
UPDATE schema_compatibility SET oldest_version = 25;

-- What a client has caused in an hour or a day.
CREATE TABLE allowances (
    -- Keyed hash of the limit and of the client, mailbox or booking that it counts.
    key TEXT PRIMARY KEY,
    count BIGINT NOT NULL,
    ends_ms BIGINT NOT NULL
);
CREATE INDEX allowances_by_end ON allowances (ends_ms);

-- The old messages, which are deleted.
DROP INDEX mail_messages_by_settled;
CREATE INDEX mail_messages_by_settled ON mail_messages (settled_ms) WHERE status <> 'waiting';

-- The span of the request, as in the header `traceparent`: null without traces.
ALTER TABLE mail_events ADD COLUMN trace_parent TEXT;
ALTER TABLE webhook_events ADD COLUMN trace_parent TEXT;

-- The teams of a user's organizations.
CREATE INDEX organization_members_by_user ON organization_members (user_id);
