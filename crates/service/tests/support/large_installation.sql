-- A large installation, for an empty PostgreSQL database with the current schema and the demo's data.
--
-- Sizes, the time and the address of the webhooks' receiver are placeholders in braces: see large_installation.rs. All ids
-- start above 1,000,000. Host n is in organization n % organizations, and has event types n, hosts + n, 2 * hosts + n, …;
-- each fourth of them is its team's. Bookings begin from 8:05 to 11:00, one of each host on each day before and after the current date;
-- hosts are free in the afternoons of working days. All time zones are UTC at all times.

-- No triggers: rows are complete, and references hold.
SET session_replication_role = replica;
SET synchronous_commit = off;
SET maintenance_work_mem = '256MB';

-- Words for the search without positions: the functions take longer than everything else, and most words are found alike.
CREATE TEMPORARY TABLE original_functions AS
    SELECT pg_get_functiondef(oid) AS definition FROM pg_proc
    WHERE oid IN ('search_words(text)'::regprocedure, 'event_type_title(text)'::regprocedure);
CREATE OR REPLACE FUNCTION search_words(content text) RETURNS tsvector
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT translate(upper($1), '@.-', '   ')::tsvector $$;
CREATE OR REPLACE FUNCTION event_type_title(settings text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE AS $$ SELECT 'Consultation' $$;

-- Indexes are made afterwards, which is faster.
CREATE TEMPORARY TABLE original_indexes AS
    SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index i
    WHERE indrelid IN ('event_types'::regclass, 'event_type_hosts'::regclass, 'bookings'::regclass,
            'booking_hosts'::regclass, 'attendees'::regclass, 'mail_messages'::regclass, 'webhook_deliveries'::regclass)
        AND NOT EXISTS (SELECT 1 FROM pg_constraint c WHERE c.conindid = i.indexrelid);
CREATE TEMPORARY TABLE original_constraints AS
    SELECT conrelid::regclass::text AS table_name, conname AS name, pg_get_constraintdef(oid) AS definition
    FROM pg_constraint WHERE conname = 'booking_hosts_stay_apart';
DO $$
DECLARE
    r record;
BEGIN
    FOR r IN SELECT name FROM original_indexes LOOP
        EXECUTE format('DROP INDEX %s', r.name);
    END LOOP;
    FOR r IN SELECT table_name, name FROM original_constraints LOOP
        EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', r.table_name, r.name);
    END LOOP;
END
$$;

-- Organizations with a team, and people.

INSERT INTO organizations (id, name, slug)
    SELECT 1000000 + o, 'Organization ' || o, 'organization-' || o FROM generate_series(0, {organizations} - 1) AS n (o);
INSERT INTO teams (id, organization_id, name, slug) SELECT id, id, 'Team', 'team' FROM organizations WHERE id >= 1000000;
INSERT INTO users (id, organization_id, username, email, name, time_zone, default_schedule_id)
    SELECT 1000000 + h, 1000000 + h % {organizations}, 'host-' || h, 'host' || h || '@host.example', 'Host ' || h,
        (ARRAY['UTC', 'Africa/Abidjan', 'Africa/Accra', 'Africa/Dakar', 'Atlantic/Reykjavik'])[1 + h % 5], 1000000 + h
    FROM generate_series(0, {hosts} - 1) AS n (h);
INSERT INTO organization_members (organization_id, user_id, role)
    SELECT organization_id, id, CASE WHEN id < 1000000 + {organizations} THEN 'OWNER' ELSE 'MEMBER' END
    FROM users WHERE id >= 1000000;
INSERT INTO memberships (team_id, user_id, role, accepted)
    SELECT organization_id, user_id, role, 1 FROM organization_members WHERE user_id >= 1000000;
INSERT INTO api_keys (hash, user_id, label, created_ms)
    SELECT encode(sha256(convert_to('large-' || (id - 1000000), 'UTF8')), 'hex'), id, 'Large', {now}
    FROM users WHERE id >= 1000000;
INSERT INTO schedules (id, owner_id, name, time_zone) SELECT id, id, 'Hours', time_zone FROM users WHERE id >= 1000000;
INSERT INTO schedule_hours (schedule_id, weekday, from_minute, to_minute)
    SELECT id, day, 540, 1020 FROM schedules, generate_series(1, 5) AS days (day) WHERE id >= 1000000;
INSERT INTO out_of_office (id, uuid, user_id, start_ms, end_ms, reason, created_ms)
    SELECT id, 'absence-' || id, id, {now} - 5184000000, {now} - 4320000000, 'vacation', {now} - 6048000000
    FROM users WHERE id >= 1000000 AND id % 10 = 0;

-- Event types. Those of teams have two hosts.

INSERT INTO event_types (id, owner_id, team_id, slug, scheduling_type, settings, created_ms)
    SELECT 1000000 + e, CASE WHEN NOT is_team THEN 1000000 + host END,
        CASE WHEN is_team THEN 1000000 + host % {organizations} END, 'consultation-' || e,
        CASE WHEN is_team THEN 'roundRobin' END,
        '{"title":"Consultation ' || e || '","lengthInMinutes":30,"minimumBookingNotice":0,"description":"'
            || repeat('We talk about your plans. ', 8) || '"'
            || CASE WHEN e % 1000 = 0 THEN ',"emailReminders":{"disabled":false,"minutesBefore":[30]}' ELSE '' END || '}',
        {now} - 31536000000
    FROM (SELECT e, e % {hosts} AS host, e / {hosts} % 4 = 3 AS is_team
          FROM generate_series(0, {event_types} - 1) AS n (e)) AS planned;
INSERT INTO event_type_hosts (event_type_id, user_id)
    SELECT id, 1000000 + (id - 1000000) % {hosts} FROM event_types WHERE id >= 1000000
    UNION SELECT id, 1000000 + ((id - 1000000) % {hosts} + {organizations}) % {hosts}
    FROM event_types WHERE id >= 1000000 AND team_id IS NOT NULL;

-- Bookings: of each host, one a day, half of them in the past. One of ten is cancelled, one of twenty unconfirmed.

INSERT INTO bookings (id, uid, event_type_id, team_id, organization_id, title, status, start_ms, end_ms, location,
        responses, utc_offsets, created_ms, updated_ms)
    SELECT 1000000 + i, 'large-' || i, 1000000 + event_type,
        CASE WHEN event_type / {hosts} % 4 = 3 THEN 1000000 + host % {organizations} END, 1000000 + host % {organizations},
        'Consultation ' || i,
        CASE WHEN i % 20 < 2 THEN 'cancelled' WHEN i % 20 = 2 THEN 'pending' ELSE 'accepted' END,
        start_ms, start_ms + 1800000, 'https://meet.example/' || host,
        '{"name":"Visitor ' || i % 300000 || '","email":"visitor' || i % 300000 || '@visitor.example"}',
        '{"UTC":0,"Africa/Abidjan":0,"Africa/Accra":0,"Africa/Dakar":0,"Atlantic/Reykjavik":0}',
        start_ms - 2419200000, start_ms - 2419200000
    FROM (SELECT i, i % {hosts} AS host, (i / {hosts} % ({event_types} / {hosts})) * {hosts} + i % {hosts} AS event_type,
              -- Midnight, days, and five minutes.
              {now} - {now} % 86400000 + 86400000 * (i / {hosts} - {bookings} / {hosts} / 2) + 28800000
                  + 300000 * (1 + i % 36) AS start_ms
          FROM (SELECT i::bigint FROM generate_series(0, {bookings} - 1) AS n (i)) AS numbers) AS planned;
INSERT INTO booking_hosts (booking_id, user_id, organization_id, start_ms, end_ms, holds)
    SELECT id, 1000000 + (id - 1000000) % {hosts}, organization_id, start_ms, end_ms,
        CASE WHEN status = 'accepted' THEN 1 ELSE 0 END
    FROM bookings WHERE id >= 1000000;
INSERT INTO attendees (booking_id, organization_id, name, email, time_zone, language, booked_ms)
    SELECT id, organization_id, 'Visitor ' || (id - 1000000) % 300000,
        'visitor' || (id - 1000000) % 300000 || '@visitor.example', 'Africa/Dakar', 'en', created_ms
    FROM bookings WHERE id >= 1000000;
INSERT INTO calendar_versions (kind, id, version)
    SELECT 'host', id, id FROM users WHERE id >= 1000000 UNION ALL
    SELECT 'event_type', id, id FROM event_types WHERE id >= 1000000;

-- Webhooks: of each tenth host, and of each tenth of their organizations; one of fifty is about meetings.

INSERT INTO webhooks (id, user_id, organization_id, subscriber_url, triggers, active, version, created_ms)
    SELECT 'large-' || kind || '-' || n, CASE kind WHEN 'user' THEN 1000000 + n END,
        CASE kind WHEN 'organization' THEN 1000000 + n END, '{receiver}' || kind || '/' || n,
        '["BOOKING_CREATED","BOOKING_RESCHEDULED","BOOKING_CANCELLED"'
            || CASE WHEN n % 500 = 0 THEN ',"MEETING_STARTED","MEETING_ENDED"' ELSE '' END || ']', 1, '2021-10-20', {now}
    FROM (SELECT 'user' AS kind, generate_series(0, {hosts} - 1, 10) AS n
          UNION ALL SELECT 'organization', generate_series(0, {organizations} - 1, 100)) AS owners;

-- Messages: half of them deliveries, the others e-mail, of the last seven days. One of a hundred failed, a few wait for
-- another attempt, and as many are old enough to be deleted.

INSERT INTO webhook_events (id, trigger_name, about, order_key, payload, created_ms)
    SELECT 1000000 + m, 'BOOKING_CREATED', 'large-' || m, 'large-' || m, '{"uid":"large-' || m || '"}',
        {now} - (m::bigint * 604800000 / ({messages} / 2))
    FROM generate_series(0, {messages} / 2 - 1, 100) AS n (m);
INSERT INTO webhook_events (id, trigger_name, about, order_key, payload, created_ms)
    SELECT 9000000 + m, 'BOOKING_CREATED', 'large-' || m, 'large-' || m, '{"uid":"large-' || m || '"}', {now} - 1000 - m
    FROM generate_series(0, {waiting} - 1) AS n (m);
INSERT INTO webhook_deliveries (webhook_id, organization_id, trigger_name, about, body, content_type, created_ms, due_ms,
        attempts, status, last_status, last_problem, settled_ms, event_id)
    SELECT 'large-user-' || host, 1000000 + host % {organizations}, 'BOOKING_CREATED', 'large-' || m, '', '', created_ms,
        CASE WHEN status = 'waiting' THEN {now} + 3600000 END, 1, status,
        CASE WHEN status = 'delivered' THEN 200 ELSE 500 END, CASE WHEN status <> 'delivered' THEN 'answered with 500' END,
        CASE WHEN status <> 'waiting' THEN created_ms + 1000 END, event_id
    FROM (SELECT m, m::bigint * 10 % {hosts} AS host, CASE WHEN m % 100 = 0 THEN 'failed' ELSE 'delivered' END AS status,
              {now} - (m::bigint * 604800000 / ({messages} / 2)) AS created_ms,
              CASE WHEN m % 100 = 0 THEN 1000000 + m END AS event_id
          FROM generate_series(0, {messages} / 2 - 1) AS n (m)
          UNION ALL SELECT m, m::bigint * 10 % {hosts}, 'waiting', {now} - 1000 - m, 9000000 + m
          FROM generate_series(0, {waiting} - 1) AS n (m)
          UNION ALL SELECT m, m::bigint * 10 % {hosts}, 'delivered', {now} - 608400000 - m, NULL
          FROM generate_series(0, {waiting} - 1) AS n (m)) AS planned;
INSERT INTO mail_events (id, kind, booking_uid, organization_id, data, expanded, created_ms)
    SELECT 1000000 + m, 'created', 'large-' || m, 1000000 + m % {hosts} % {organizations}, '{}', 1,
        {now} - (m::bigint * 604800000 / ({messages} / 2))
    FROM generate_series(0, {messages} / 2 - 1, 100) AS n (m);
INSERT INTO mail_events (id, kind, booking_uid, organization_id, data, expanded, created_ms)
    SELECT 9000000 + m, 'created', 'large-' || m, 1000000 + m % {hosts} % {organizations}, '{}', 1, {now} - 1000 - m
    FROM generate_series(0, {waiting} - 1) AS n (m);
INSERT INTO mail_messages (event_id, kind, booking_uid, organization_id, event_type_id, order_key, role, email, mailbox,
        tenant, source, sequence, message_id, status, due_ms, attempts, last_problem, created_ms, settled_ms)
    SELECT m.event_id, 'created', b.uid, b.organization_id, b.event_type_id, b.uid, 'attendee', a.email, a.email,
        'organization:' || b.organization_id, '', 0, m.status || '-' || m.m || '@large.example', m.status,
        CASE WHEN m.status = 'waiting' THEN {now} + 3600000 END, 1,
        CASE WHEN m.status <> 'sent' THEN 'answered with 451' END, m.created_ms,
        CASE WHEN m.status <> 'waiting' THEN m.created_ms + 1000 END
    FROM (SELECT m, CASE WHEN m % 100 = 0 THEN 'failed' ELSE 'sent' END AS status,
              {now} - (m::bigint * 604800000 / ({messages} / 2)) AS created_ms,
              CASE WHEN m % 100 = 0 THEN 1000000 + m END AS event_id
          FROM generate_series(0, {messages} / 2 - 1) AS n (m)
          UNION ALL SELECT m, 'waiting', {now} - 1000 - m, 9000000 + m FROM generate_series(0, {waiting} - 1) AS n (m)
          UNION ALL SELECT m, 'sent', {now} - 608400000 - m, NULL FROM generate_series(0, {waiting} - 1) AS n (m)) AS m
    JOIN bookings b ON b.id = 1000000 + m.m
    JOIN (SELECT booking_id, email FROM attendees WHERE booking_id >= 1000000) AS a ON a.booking_id = b.id;

-- Responses of the last day, and reservations of this moment, on Saturdays.

INSERT INTO idempotency_keys (hash, request_hash, status, body, created_ms)
    SELECT encode(sha256(convert_to('response-' || i, 'UTF8')), 'hex'), 'request', 201, repeat('{}', 300),
        {now} - i::bigint * 86400000 / ({bookings} / 20)
    FROM generate_series(0, {bookings} / 20 - 1) AS n (i);
INSERT INTO reservations (id, uid, event_type_id, start_ms, end_ms, until_ms, created_ms)
    SELECT 1000000 + i, 'large-' || i, 1000000 + i, start_ms, start_ms + 1800000, {now} + 300000, {now}
    FROM (SELECT i, {now} - ({now} - 345600000) % 604800000 + 432000000 AS start_ms
          FROM generate_series(0, {hosts} - 1, 20) AS n (i)) AS planned;
INSERT INTO reservation_hosts (reservation_id, user_id) SELECT id, id FROM reservations WHERE id >= 1000000;

DO $$
DECLARE
    r record;
BEGIN
    FOR r IN SELECT definition FROM original_functions LOOP
        EXECUTE r.definition;
    END LOOP;
    FOR r IN SELECT definition FROM original_indexes LOOP
        EXECUTE r.definition;
    END LOOP;
    FOR r IN SELECT table_name, name, definition FROM original_constraints LOOP
        EXECUTE format('ALTER TABLE %s ADD CONSTRAINT %I %s', r.table_name, r.name, r.definition);
    END LOOP;
    PERFORM align_ids();
END
$$;
DROP TABLE original_functions, original_indexes, original_constraints;
RESET session_replication_role;
RESET maintenance_work_mem;
RESET synchronous_commit;
