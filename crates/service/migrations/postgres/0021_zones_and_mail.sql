-- Offsets of zones that people were told, organizers of calendar entries, shares of mail, replicas.
-- Earlier versions go on: they leave the new columns empty.

-- Offset in seconds of each person's time zone at the start, by the name of the zone, as they were told it: JSON object.
-- NULL for bookings of earlier versions, which had the rules of IANA 2025b.
ALTER TABLE bookings ADD COLUMN utc_offsets TEXT COLLATE "C";

-- Address of the organizer in calendar entries; NULL for that which messages come from. Calendars take an entry with
-- another organizer for another meeting.
ALTER TABLE bookings ADD COLUMN organizer_email TEXT COLLATE "C";

-- Until now, the first host organized a meeting unless their address is hidden.
UPDATE bookings SET organizer_email = (
    SELECT u.email FROM booking_hosts h JOIN users u ON u.id = h.user_id
    WHERE h.booking_id = bookings.id ORDER BY h.user_id LIMIT 1)
WHERE status IN ('accepted', 'pending') AND event_type_id IN (
    SELECT id FROM event_types WHERE settings NOT LIKE '%"hideOrganizerEmail":true%');

-- Time zone data with which upcoming bookings were reviewed last: a service with older data must not review them.
CREATE TABLE zone_reviews (
    id BIGINT PRIMARY KEY CHECK (id = 1),
    -- IANA version.
    version TEXT COLLATE "C" NOT NULL
);

-- 1 if the attendee has shown that the address is theirs, or a caller with credentials has booked: others may read what was
-- typed.
ALTER TABLE attendees ADD COLUMN is_proven BIGINT NOT NULL DEFAULT 0;

-- Key of the mailbox, for limits.
ALTER TABLE mail_messages ADD COLUMN mailbox TEXT COLLATE "C" NOT NULL DEFAULT '';
UPDATE mail_messages SET mailbox = lower(email);
-- Organisation, team or user whose event type the message is about, and hash of the client that caused it: each gets a share
-- of the mail server. Empty if unknown.
ALTER TABLE mail_messages ADD COLUMN tenant TEXT COLLATE "C" NOT NULL DEFAULT '';
ALTER TABLE mail_messages ADD COLUMN source TEXT COLLATE "C" NOT NULL DEFAULT '';
CREATE INDEX mail_messages_by_mailbox ON mail_messages (mailbox, created_ms) WHERE status <> 'suppressed';

-- Processes that use the database, which replicas name to people. Times are those of the server's clock.
CREATE TABLE replicas (
    -- Another one after each start.
    id TEXT COLLATE "C" PRIMARY KEY,
    -- Machine and port.
    name TEXT COLLATE "C" NOT NULL,
    -- Version of the program.
    version TEXT COLLATE "C" NOT NULL,
    -- IANA version of the time zone data.
    zone_data TEXT COLLATE "C" NOT NULL,
    started_ms BIGINT NOT NULL,
    -- Last heartbeat.
    seen_ms BIGINT NOT NULL
);

-- The replica that leads until an instant of the server's clock, or until its session has ended.
CREATE TABLE leader_lease (
    id BIGINT PRIMARY KEY CHECK (id = 1),
    replica_id TEXT COLLATE "C" NOT NULL,
    -- Incremented when a replica takes the lease: statements of an earlier leader name an earlier number.
    fencing BIGINT NOT NULL,
    expires_ms BIGINT NOT NULL,
    backend_pid BIGINT NOT NULL
);
