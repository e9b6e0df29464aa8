-- Offsets of zones that people were told, organizers of calendar entries, shares of mail.
-- Earlier versions go on: they leave the new columns empty.

-- Offset in seconds of each person's time zone at the start, by the name of the zone, as they were told it: JSON object.
-- NULL for bookings of earlier versions, which had the rules of IANA 2025b.
ALTER TABLE bookings ADD COLUMN utc_offsets TEXT;

-- Address of the organizer in calendar entries; NULL for that which messages come from. Calendars take an entry with
-- another organizer for another meeting.
ALTER TABLE bookings ADD COLUMN organizer_email TEXT;

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
    version TEXT NOT NULL
);

-- Fingerprints of the keys in the data directory, as PostgreSQL has them: another key is refused.
CREATE TABLE key_fingerprints (
    name TEXT PRIMARY KEY NOT NULL,
    fingerprint TEXT NOT NULL
);

-- 1 if the attendee has shown that the address is theirs, or a caller with credentials has booked: others may read what was
-- typed.
ALTER TABLE attendees ADD COLUMN is_proven BIGINT NOT NULL DEFAULT 0;

-- Key of the mailbox, for limits.
ALTER TABLE mail_messages ADD COLUMN mailbox TEXT NOT NULL DEFAULT '';
UPDATE mail_messages SET mailbox = lower(email);
-- Organisation, team or user whose event type the message is about, and hash of the client that caused it: each gets a share
-- of the mail server. Empty if unknown.
ALTER TABLE mail_messages ADD COLUMN tenant TEXT NOT NULL DEFAULT '';
ALTER TABLE mail_messages ADD COLUMN source TEXT NOT NULL DEFAULT '';
CREATE INDEX mail_messages_by_mailbox ON mail_messages (mailbox, created_ms) WHERE status <> 'suppressed';
