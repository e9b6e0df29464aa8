-- Who somebody is, to those who know an e-mail address only.

-- The address under which a person was let in, while email is one that they have given
-- themselves and that proves nothing; NULL while email is proven.
ALTER TABLE users ADD COLUMN proven_email TEXT;

-- People are known by their address in any spelling.
CREATE INDEX attendees_by_address ON attendees (lower(email), booking_id);
