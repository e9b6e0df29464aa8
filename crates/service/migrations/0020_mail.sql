-- E-mail messages about bookings, and verified addresses. An event is stored in the transaction of the change; its
-- messages, one per recipient, are made from it and sent afterwards.
-- Earlier versions send no messages and need not know these tables.

-- Events, with the data of messages that are not sent yet.
CREATE TABLE mail_events (
    id INTEGER PRIMARY KEY,
    kind TEXT NOT NULL,
    -- Uid of the booking; empty for a code.
    booking_uid TEXT NOT NULL,
    -- JSON object: rows of the booking until its messages are made, then the data that they are rendered from.
    data TEXT NOT NULL,
    -- 1 once its messages are made.
    expanded BIGINT NOT NULL DEFAULT 0,
    -- Minutes before the start that a reminder is for: one per booking.
    minutes_before BIGINT,
    created_ms BIGINT NOT NULL
);
CREATE INDEX mail_events_new ON mail_events (id) WHERE expanded = 0;
CREATE UNIQUE INDEX mail_reminders_once ON mail_events (booking_uid, minutes_before) WHERE minutes_before IS NOT NULL;

-- Outbox: one row per recipient.
CREATE TABLE mail_messages (
    id INTEGER PRIMARY KEY,
    -- NULL once the message is sent.
    event_id BIGINT REFERENCES mail_events (id),
    kind TEXT NOT NULL,
    booking_uid TEXT NOT NULL,
    event_type_id BIGINT,
    -- Messages to one address with this key are sent in order: the uid of the calendar entry.
    order_key TEXT NOT NULL,
    role TEXT NOT NULL CHECK (role IN ('attendee', 'guest', 'host', 'former_host')),
    email TEXT NOT NULL,
    -- SEQUENCE of the calendar entry.
    sequence BIGINT NOT NULL,
    -- Message-ID without brackets: the same in all attempts.
    message_id TEXT NOT NULL,
    -- kept: stored without a mail server. suppressed: over a limit.
    status TEXT NOT NULL CHECK (status IN ('waiting', 'kept', 'sent', 'failed', 'suppressed')),
    -- NULL once it is settled.
    due_ms BIGINT,
    attempts BIGINT NOT NULL DEFAULT 0,
    last_problem TEXT,
    created_ms BIGINT NOT NULL,
    settled_ms BIGINT
);
CREATE INDEX mail_messages_waiting ON mail_messages (due_ms, id)
    WHERE status = 'waiting' AND kind <> 'verification_code';
CREATE INDEX mail_codes_waiting ON mail_messages (due_ms, id) WHERE status = 'waiting' AND kind = 'verification_code';
CREATE INDEX mail_messages_in_order ON mail_messages (order_key, email, id) WHERE status = 'waiting';
CREATE INDEX mail_messages_by_entry ON mail_messages (order_key, email);
-- For limits: without messages over a limit, so that they cost nothing.
CREATE INDEX mail_messages_by_address ON mail_messages (lower(email), created_ms)
    WHERE status <> 'suppressed' AND kind <> 'verification_code' AND role IN ('attendee', 'guest');
CREATE INDEX mail_messages_by_event_type ON mail_messages (event_type_id, created_ms)
    WHERE status <> 'suppressed' AND role IN ('attendee', 'guest');
CREATE INDEX mail_messages_by_event ON mail_messages (event_id) WHERE event_id IS NOT NULL;
CREATE INDEX mail_messages_by_settled ON mail_messages (status, settled_ms) WHERE status <> 'waiting';

-- Codes that were sent to addresses.
CREATE TABLE email_verification_codes (
    id INTEGER PRIMARY KEY,
    -- Lower case.
    email TEXT NOT NULL,
    code_hash BLOB NOT NULL,
    -- Wrong codes so far.
    attempts BIGINT NOT NULL DEFAULT 0,
    created_ms BIGINT NOT NULL,
    expires_ms BIGINT NOT NULL
);
CREATE INDEX email_verification_codes_by_email ON email_verification_codes (email, created_ms);
CREATE INDEX email_verification_codes_by_expiry ON email_verification_codes (expires_ms);

-- Addresses that users, or teams by one of their members, have verified.
CREATE TABLE verified_emails (
    id INTEGER PRIMARY KEY,
    -- Lower case.
    email TEXT NOT NULL,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    team_id BIGINT REFERENCES teams (id) ON DELETE CASCADE,
    created_ms BIGINT NOT NULL
);
CREATE UNIQUE INDEX verified_emails_of_users ON verified_emails (user_id, email) WHERE team_id IS NULL;
CREATE UNIQUE INDEX verified_emails_of_teams ON verified_emails (team_id, email) WHERE team_id IS NOT NULL;

-- 1 if the attendee or guest wants no reminders of the booking.
ALTER TABLE attendees ADD COLUMN reminders_stopped BIGINT NOT NULL DEFAULT 0;

-- 1 for the booking of a seat that was moved away from an occurrence of its series, where others stay: it has a calendar
-- entry for itself.
ALTER TABLE bookings ADD COLUMN is_apart BIGINT NOT NULL DEFAULT 0;

-- Data of a message is personal: it is deleted with the last message that needs it.
CREATE TRIGGER mail_data_ends_with_deleted_messages
AFTER DELETE ON mail_messages
WHEN OLD.event_id IS NOT NULL
BEGIN
    DELETE FROM mail_events WHERE id = OLD.event_id
        AND NOT EXISTS (SELECT 1 FROM mail_messages WHERE event_id = OLD.event_id);
END;

CREATE TRIGGER mail_data_ends_with_sent_messages
AFTER UPDATE OF event_id ON mail_messages
WHEN OLD.event_id IS NOT NULL AND NEW.event_id IS NULL
BEGIN
    DELETE FROM mail_events WHERE id = OLD.event_id
        AND NOT EXISTS (SELECT 1 FROM mail_messages WHERE event_id = OLD.event_id);
END;
