-- Corrections of the e-mail address by the person who booked.
-- Earlier versions go on: they leave the new columns empty, so that what they book cannot be corrected.

-- Time at which the attendee booked; NULL for guests, people whom hosts added, and attendees of a booking that replaces
-- another one.
ALTER TABLE attendees ADD COLUMN booked_ms BIGINT;
ALTER TABLE attendees ADD COLUMN email_corrections BIGINT NOT NULL DEFAULT 0;
-- Keyed hash of the address before the latest correction, by which a repeated request is recognised.
ALTER TABLE attendees ADD COLUMN corrected_from TEXT;
