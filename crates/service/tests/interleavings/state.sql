-- What the requests can change, without ids and uids, which differ between runs.
SELECT coalesce(string_agg(line, E'\n' ORDER BY line), '') FROM (
    SELECT format('booking of %s at %s to %s: %s, hosts %s, attendees %s, moved %s %s, seats %s', b.event_type_id,
        to_timestamp(b.start_ms / 1000) AT TIME ZONE 'UTC', (to_timestamp(b.end_ms / 1000) AT TIME ZONE 'UTC')::time,
        b.status,
        (SELECT string_agg(format('%s:%s', user_id, holds), ' ' ORDER BY user_id) FROM booking_hosts h
         WHERE h.booking_id = b.id),
        (SELECT string_agg(email, ' ' ORDER BY email) FROM attendees a WHERE a.booking_id = b.id),
        rescheduled_from_uid IS NOT NULL, rescheduled_to_uid IS NOT NULL, b.seats) AS line
    FROM bookings b
    UNION ALL
    SELECT format('reservation of %s at %s: hosts %s', event_type_id,
        to_timestamp(start_ms / 1000) AT TIME ZONE 'UTC',
        (SELECT string_agg(user_id::text, ' ' ORDER BY user_id) FROM reservation_hosts WHERE reservation_id = r.id))
    FROM reservations r
    UNION ALL
    SELECT format('event type %s: %s %s %s %s %s, hosts %s', id, slug, hidden, before_minutes, after_minutes,
        md5(settings),
        (SELECT string_agg(user_id::text, ' ' ORDER BY user_id) FROM event_type_hosts WHERE event_type_id = e.id))
    FROM event_types e WHERE id >= 9000
    UNION ALL
    SELECT format('hours of %s: %s', schedule_id, string_agg(format('%s %s %s-%s', weekday, on_date, from_minute, to_minute), ', '
        ORDER BY weekday, on_date, from_minute))
    FROM schedule_hours WHERE schedule_id = 201 GROUP BY schedule_id
    UNION ALL
    SELECT format('user %s', id) FROM users WHERE id = 204
    UNION ALL
    SELECT format('members of team %s: %s', team_id, string_agg(user_id::text, ' ' ORDER BY user_id)) FROM memberships
    WHERE team_id >= 9000 OR user_id = 204 GROUP BY team_id
    UNION ALL
    SELECT format('absence of %s', user_id) FROM out_of_office
    UNION ALL
    SELECT format('token %s, used: %s', kind, used_ms IS NOT NULL) FROM oauth_tokens WHERE family = 'interleavings'
    UNION ALL
    SELECT 'response of an idempotency key' FROM idempotency_keys
) AS lines
