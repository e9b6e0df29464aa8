-- Offsets of zones that people were told, organizers of calendar entries.
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
