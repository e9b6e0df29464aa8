-- Messages: see ../0025_messages.sql.

CREATE INDEX webhooks_of_meetings ON webhooks (id) WHERE active = 1 AND strpos(triggers, '"MEETING_') > 0;

CREATE INDEX event_types_with_reminders ON event_types (id) WHERE strpos(settings, '"emailReminders"') > 0;

-- The replica that sends a message. Its claims end with its right to send: at that instant, or with its session.
ALTER TABLE webhook_deliveries ADD COLUMN claimed_by TEXT COLLATE "C";
ALTER TABLE mail_messages ADD COLUMN claimed_by TEXT COLLATE "C";
ALTER TABLE replicas ADD COLUMN sends_until_ms BIGINT NOT NULL DEFAULT 0;
ALTER TABLE replicas ADD COLUMN backend_pid BIGINT NOT NULL DEFAULT 0;

CREATE INDEX webhook_deliveries_by_status ON webhook_deliveries (webhook_id, status, id);

-- The leader of an earlier version would send what another replica has claimed.
UPDATE schema_compatibility SET oldest_version = 25;

-- What a client has caused in an hour or a day.
CREATE TABLE allowances (
    -- Keyed hash of the limit and of the client, mailbox or booking that it counts.
    key TEXT COLLATE "C" PRIMARY KEY,
    count BIGINT NOT NULL,
    ends_ms BIGINT NOT NULL
);
CREATE INDEX allowances_by_end ON allowances (ends_ms);

-- The old messages, which are deleted.
DROP INDEX mail_messages_by_settled;
CREATE INDEX mail_messages_by_settled ON mail_messages (settled_ms) WHERE status <> 'waiting';

-- The span of the request, as in the header `traceparent`: null without traces.
ALTER TABLE mail_events ADD COLUMN trace_parent TEXT COLLATE "C";
ALTER TABLE webhook_events ADD COLUMN trace_parent TEXT COLLATE "C";

-- The teams of a user's organizations.
CREATE INDEX organization_members_by_user ON organization_members (user_id);

-- Ends of meetings. A meeting can last a day, so the index on the start has many others in its range.
CREATE INDEX bookings_by_end ON bookings (end_ms, id) WHERE status = 'accepted';
