-- Three hosts with 10,000 bookings, and a team of twenty with 100,000, around the current date.

INSERT INTO teams (id, organization_id, name, slug)
    VALUES (901, 1, 'Three', 'three'), (902, 1, 'Twenty', 'twenty');
WITH RECURSIVE n(i) AS (SELECT 9001 UNION ALL SELECT i + 1 FROM n WHERE i < 9023)
INSERT INTO users (id, organization_id, username, email, name, time_zone, default_schedule_id)
    SELECT i, 1, 'host' || i, 'host' || i || '@northwind.example', 'Host ' || i,
           CASE i % 3 WHEN 0 THEN 'Europe/Berlin' WHEN 1 THEN 'America/New_York' ELSE 'Asia/Kolkata' END,
           i FROM n;
INSERT INTO schedules (id, owner_id, name, time_zone)
    SELECT id, id, 'Hours', time_zone FROM users WHERE id > 9000;
WITH days(day) AS (VALUES (1), (2), (3), (4), (5))
INSERT INTO schedule_hours (schedule_id, weekday, from_minute, to_minute)
    SELECT id, day, 540, 1020 FROM schedules, days WHERE id > 9000;
INSERT INTO memberships (team_id, user_id, role, accepted)
    SELECT CASE WHEN id <= 9003 THEN 901 ELSE 902 END, id, 'MEMBER', 1 FROM users WHERE id > 9000;
WITH kinds(id, team) AS (VALUES (9001, 901), (9002, 902), (9003, 902), (9004, 902), (9005, 902))
INSERT INTO event_types (id, team_id, slug, scheduling_type, settings, created_ms)
    SELECT kinds.id, kinds.team, 'kind-' || kinds.id, 'roundRobin',
           json_set(settings, '$.lengthInMinutes', 15), created_ms
    FROM event_types, kinds WHERE slug = 'intro-call';
INSERT INTO event_type_hosts (event_type_id, user_id)
    SELECT 9001, id FROM users WHERE id BETWEEN 9001 AND 9003;
INSERT INTO event_type_hosts (event_type_id, user_id)
    SELECT kind.id, host.id FROM event_types AS kind, users AS host
    WHERE kind.team_id = 902 AND host.id > 9003;
-- Ten half hours a day for each host, every 45 minutes from 6:00 UTC, half of the days before now.
WITH RECURSIVE n(i) AS (SELECT 0 UNION ALL SELECT i + 1 FROM n WHERE i < 109999),
plan AS (
    SELECT i, i >= 10000 AS long,
           CASE WHEN i < 10000 THEN 9001 + i % 3 ELSE 9004 + i % 20 END AS host,
           CASE WHEN i < 10000 THEN i / 3 ELSE (i - 10000) / 20 END AS place
    FROM n),
timed AS (
    SELECT i, long, host, 1803859200000 + (place / 10 - CASE long WHEN 1 THEN 250 ELSE 166 END) * 86400000
           + 21600000 + (place % 10) * 2700000 AS start FROM plan)
INSERT INTO bookings (id, uid, event_type_id, team_id, title, status, start_ms, end_ms, location,
                      responses, created_ms, updated_ms)
    SELECT 1000000 + i, 'bench' || i, CASE long WHEN 1 THEN 9002 + i % 4 ELSE 9001 END,
           CASE long WHEN 1 THEN 902 ELSE 901 END, 'Call ' || i,
           CASE WHEN long = 0 THEN 'accepted' WHEN i % 20 < 16 THEN 'accepted' WHEN i % 20 < 18 THEN 'cancelled'
                WHEN i % 20 = 18 THEN 'rejected' ELSE 'pending' END,
           start, start + 1800000, 'https://meet.northwind.example/' || host,
           json_object('name', 'Visitor ' || i % 5000, 'email', 'visitor' || i % 5000 || '@example.org'),
           start - 604800000, start - 604800000
    FROM timed;
INSERT INTO booking_hosts (booking_id, user_id, start_ms, end_ms, holds)
    SELECT id, CASE team_id WHEN 901 THEN 9001 + (id - 1000000) % 3 ELSE 9004 + (id - 1000000) % 20 END,
           start_ms, end_ms, status = 'accepted'
    FROM bookings WHERE id >= 1000000;
INSERT INTO attendees (booking_id, name, email, time_zone, language)
    SELECT id, 'Visitor ' || (id - 1000000) % 5000, 'visitor' || (id - 1000000) % 5000 || '@example.org',
           'Europe/Rome', 'en'
    FROM bookings WHERE id >= 1000000;
