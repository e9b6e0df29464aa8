-- The bookings of a host are found from the index alone.

DROP INDEX booking_hosts_by_user;
CREATE INDEX booking_hosts_by_user ON booking_hosts (user_id, start_ms, end_ms, holds, booking_id);
