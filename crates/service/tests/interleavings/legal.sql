-- Violations of the service's rules, by what is stored alone. `$1`: 1 if the bookings were made under the
-- rules of their event types as these are now.
WITH b AS (
    SELECT b.*, CASE $1 WHEN 1 THEN e.settings::jsonb END AS rules,
           b.start_ms - $1 * coalesce(e.before_minutes, 0) * 60000 AS from_ms,
           b.end_ms + $1 * coalesce(e.after_minutes, 0) * 60000 AS to_ms,
           b.status = 'accepted' OR (b.status = 'pending' AND coalesce(e.blocks_unconfirmed, 0) = 1) AS blocks,
           b.status IN ('accepted', 'pending') AS is_active
    FROM bookings b LEFT JOIN event_types e ON e.id = b.event_type_id
)
SELECT format('host %s has two bookings at one time: %s and %s', h1.user_id, b1.uid, b2.uid)
FROM b b1
JOIN booking_hosts h1 ON h1.booking_id = b1.id
JOIN booking_hosts h2 ON h2.user_id = h1.user_id
JOIN b b2 ON b2.id = h2.booking_id AND b1.id < b2.id
WHERE b1.blocks AND b2.blocks AND b1.from_ms < b2.to_ms AND b2.from_ms < b1.to_ms
UNION ALL
SELECT format('booking %s and its host %s differ', b.uid, h.user_id)
FROM b JOIN booking_hosts h ON h.booking_id = b.id
WHERE h.holds <> b.blocks::int OR (h.start_ms, h.end_ms) <> (b.start_ms, b.end_ms)
UNION ALL
SELECT format('booking %s has no host', uid) FROM b
WHERE is_active AND NOT EXISTS (SELECT 1 FROM booking_hosts WHERE booking_id = b.id)
UNION ALL
SELECT format('booking %s has %s attendees for %s seats', uid, taken, seats)
FROM (SELECT uid, seats, is_active, (SELECT count(*) FROM attendees a WHERE a.booking_id = b.id) AS taken
      FROM b WHERE seated = 1) AS seated
WHERE taken > seats OR (is_active AND taken = 0)
UNION ALL
SELECT format('event type %s has two bookings with seats at %s', event_type_id, start_ms) FROM b
WHERE seated = 1 AND is_active GROUP BY event_type_id, start_ms HAVING count(*) > 1
UNION ALL
SELECT format('event type %s has %s bookings on day %s', event_type_id, count(*), start_ms / 86400000) FROM b
WHERE is_active AND rules -> 'bookingLimitsCount' ->> 'day' IS NOT NULL
GROUP BY event_type_id, start_ms / 86400000, rules
HAVING count(*) > (rules -> 'bookingLimitsCount' ->> 'day')::int
UNION ALL
SELECT format('event type %s has %s minutes of bookings on day %s', event_type_id, sum(end_ms - start_ms) / 60000,
              start_ms / 86400000) FROM b
WHERE is_active AND rules -> 'bookingLimitsDuration' ->> 'day' IS NOT NULL
GROUP BY event_type_id, start_ms / 86400000, rules
HAVING sum(end_ms - start_ms) / 60000 > (rules -> 'bookingLimitsDuration' ->> 'day')::int
UNION ALL
SELECT format('%s has %s bookings of event type %s', a.email, count(*), b.event_type_id)
FROM b JOIN attendees a ON a.booking_id = b.id
WHERE is_active AND rules -> 'bookerActiveBookingsLimit' ->> 'maximumActiveBookings' IS NOT NULL
GROUP BY a.email, b.event_type_id, rules
HAVING count(*) > (rules -> 'bookerActiveBookingsLimit' ->> 'maximumActiveBookings')::int
UNION ALL
SELECT format('host %s has two reservations at one time: %s and %s', h1.user_id, r1.id, r2.id)
FROM reservations r1
JOIN reservation_hosts h1 ON h1.reservation_id = r1.id
JOIN reservation_hosts h2 ON h2.user_id = h1.user_id
JOIN reservations r2 ON r2.id = h2.reservation_id AND r1.id < r2.id
WHERE r1.start_ms < r2.end_ms AND r2.start_ms < r1.end_ms AND r1.seated = 0 AND r2.seated = 0
UNION ALL
SELECT format('host %s has booking %s and reservation %s at one time', h.user_id, b.uid, r.id)
FROM b JOIN booking_hosts h ON h.booking_id = b.id
JOIN reservation_hosts rh ON rh.user_id = h.user_id
JOIN reservations r ON r.id = rh.reservation_id
WHERE b.blocks AND b.start_ms < r.end_ms AND r.start_ms < b.end_ms AND r.seated = 0
UNION ALL
SELECT format('event type %s has %s seats taken or reserved at %s', b.event_type_id, b.seats, b.start_ms)
FROM b WHERE seated = 1 AND is_active AND seats < (
    (SELECT count(*) FROM attendees a WHERE a.booking_id = b.id)
    + (SELECT count(*) FROM reservations r WHERE r.event_type_id = b.event_type_id AND r.start_ms = b.start_ms))
UNION ALL
SELECT format('booking %s has several successors', rescheduled_from_uid) FROM b
WHERE rescheduled_from_uid IS NOT NULL AND seated = 0 GROUP BY rescheduled_from_uid HAVING count(*) > 1
UNION ALL
SELECT format('booking %s was moved and is %s', old.uid, old.status)
FROM b AS new JOIN b AS old ON old.uid = new.rescheduled_from_uid
WHERE old.status <> 'cancelled' OR old.rescheduled_to_uid IS DISTINCT FROM new.uid
UNION ALL
SELECT format('two refresh tokens of user %s are valid after one', user_id) FROM oauth_tokens
WHERE family = 'interleavings' AND kind = 'refresh_token' AND used_ms IS NULL
GROUP BY user_id HAVING count(*) > 1
UNION ALL
SELECT format('team %s has no owner', id) FROM teams
WHERE id >= 9000 AND NOT EXISTS (SELECT 1 FROM memberships WHERE team_id = teams.id AND role = 'OWNER' AND accepted = 1)
UNION ALL
SELECT format('user %s has two absences at one time', a.user_id)
FROM out_of_office a JOIN out_of_office b ON b.user_id = a.user_id AND a.id < b.id
WHERE a.start_ms < b.end_ms AND b.start_ms < a.end_ms
