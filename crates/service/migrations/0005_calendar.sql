-- What takes a host's time besides bookings, what belongs to a booking, and what a booking may not do.

ALTER TABLE event_types ADD COLUMN parent_id BIGINT REFERENCES event_types (id) ON DELETE CASCADE;
ALTER TABLE event_types ADD COLUMN updated_ms BIGINT NOT NULL DEFAULT 0;
-- Everybody in the team hosts it, also who joins later.
ALTER TABLE event_types ADD COLUMN assign_all BIGINT NOT NULL DEFAULT 0;
CREATE INDEX event_types_by_parent ON event_types (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX event_types_by_schedule ON event_types (schedule_id) WHERE schedule_id IS NOT NULL;
CREATE INDEX schedules_by_owner ON schedules (owner_id);

ALTER TABLE event_type_hosts ADD COLUMN priority TEXT NOT NULL DEFAULT 'medium'
    CHECK (priority IN ('lowest', 'low', 'medium', 'high', 'highest'));
CREATE INDEX event_type_hosts_by_user ON event_type_hosts (user_id);

-- Who joins a team hosts what all of its members host, and has their own of what is managed.
CREATE TRIGGER members_host_what_all_host_on_insert
AFTER INSERT ON memberships
WHEN NEW.accepted = 1
BEGIN
    INSERT INTO event_type_hosts (event_type_id, user_id, fixed)
    SELECT id, NEW.user_id, CASE scheduling_type WHEN 'collective' THEN 1 ELSE 0 END
    FROM event_types WHERE team_id = NEW.team_id AND assign_all = 1
    ON CONFLICT DO NOTHING;
    INSERT INTO event_types (owner_id, parent_id, slug, hidden, before_minutes, after_minutes, blocks_unconfirmed,
        settings, created_ms, updated_ms)
    SELECT NEW.user_id, id, slug, hidden, before_minutes, after_minutes, blocks_unconfirmed,
        settings, updated_ms, updated_ms
    FROM event_types WHERE team_id = NEW.team_id AND assign_all = 1 AND scheduling_type = 'managed'
    ON CONFLICT DO NOTHING;
    INSERT INTO event_type_hosts (event_type_id, user_id)
    SELECT id, owner_id FROM event_types WHERE owner_id = NEW.user_id AND parent_id IS NOT NULL
    ON CONFLICT DO NOTHING;
END;

CREATE TRIGGER members_host_what_all_host_on_accept
AFTER UPDATE OF accepted ON memberships
WHEN NEW.accepted = 1 AND OLD.accepted = 0
BEGIN
    INSERT INTO event_type_hosts (event_type_id, user_id, fixed)
    SELECT id, NEW.user_id, CASE scheduling_type WHEN 'collective' THEN 1 ELSE 0 END
    FROM event_types WHERE team_id = NEW.team_id AND assign_all = 1
    ON CONFLICT DO NOTHING;
    INSERT INTO event_types (owner_id, parent_id, slug, hidden, before_minutes, after_minutes, blocks_unconfirmed,
        settings, created_ms, updated_ms)
    SELECT NEW.user_id, id, slug, hidden, before_minutes, after_minutes, blocks_unconfirmed,
        settings, updated_ms, updated_ms
    FROM event_types WHERE team_id = NEW.team_id AND assign_all = 1 AND scheduling_type = 'managed'
    ON CONFLICT DO NOTHING;
    INSERT INTO event_type_hosts (event_type_id, user_id)
    SELECT id, owner_id FROM event_types WHERE owner_id = NEW.user_id AND parent_id IS NOT NULL
    ON CONFLICT DO NOTHING;
END;

-- Who leaves a team hosts nothing of it.
CREATE TRIGGER former_members_host_nothing
AFTER DELETE ON memberships
BEGIN
    DELETE FROM event_type_hosts WHERE user_id = OLD.user_id
        AND event_type_id IN (SELECT id FROM event_types WHERE team_id = OLD.team_id);
    DELETE FROM event_types WHERE owner_id = OLD.user_id
        AND parent_id IN (SELECT id FROM event_types WHERE team_id = OLD.team_id);
END;

CREATE TABLE out_of_office (
    id INTEGER PRIMARY KEY,
    uuid TEXT NOT NULL UNIQUE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    -- Stands in meanwhile.
    to_user_id BIGINT REFERENCES users (id) ON DELETE SET NULL,
    start_ms BIGINT NOT NULL,
    end_ms BIGINT NOT NULL,
    notes TEXT,
    reason TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    CHECK (start_ms < end_ms)
);
CREATE INDEX out_of_office_by_user ON out_of_office (user_id, end_ms);

-- Short holds on slots. A hold that has passed its until_ms is nobody's.
CREATE TABLE reservations (
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL UNIQUE,
    event_type_id BIGINT NOT NULL REFERENCES event_types (id) ON DELETE CASCADE,
    start_ms BIGINT NOT NULL,
    end_ms BIGINT NOT NULL,
    until_ms BIGINT NOT NULL,
    -- Takes one seat of a shared booking and nobody's time.
    seated BIGINT NOT NULL DEFAULT 0,
    created_ms BIGINT NOT NULL,
    CHECK (start_ms < end_ms)
);
CREATE INDEX reservations_by_event_type ON reservations (event_type_id, start_ms, until_ms);
CREATE INDEX reservations_by_end ON reservations (until_ms);

-- The hosts whose time a reservation holds.
CREATE TABLE reservation_hosts (
    reservation_id BIGINT NOT NULL REFERENCES reservations (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (reservation_id, user_id)
);
CREATE INDEX reservation_hosts_by_user ON reservation_hosts (user_id, reservation_id);

-- Seats of a shared booking when it was first made; NULL unless it is seated.
ALTER TABLE bookings ADD COLUMN seats BIGINT;
-- Whether the price has been paid; NULL where none was asked.
ALTER TABLE bookings ADD COLUMN paid BIGINT;
UPDATE bookings SET seats = (
    SELECT json_extract(e.settings, '$.seats.seatsPerTimeSlot') FROM event_types e WHERE e.id = bookings.event_type_id
) WHERE seated = 1;

-- Visitors who come to the same time share one booking.
CREATE UNIQUE INDEX bookings_shared_by_seats ON bookings (event_type_id, start_ms)
    WHERE seated = 1 AND status IN ('accepted', 'pending');
-- Lists are counted and put in order without a look at the bookings themselves.
DROP INDEX bookings_by_team_and_start;
CREATE INDEX bookings_by_team_and_start
    ON bookings (team_id, start_ms, id, end_ms, status, event_type_id, series_uid);
DROP INDEX bookings_by_event_type;
CREATE INDEX bookings_by_event_type
    ON bookings (event_type_id, start_ms, id, end_ms, status, team_id, series_uid);
CREATE INDEX bookings_by_created ON bookings (created_ms);
CREATE INDEX bookings_by_start ON bookings (start_ms);

-- No seat is given twice.
CREATE TRIGGER attendees_have_seats
BEFORE INSERT ON attendees
WHEN NEW.seat_uid IS NOT NULL AND (
    SELECT count(*) FROM attendees WHERE booking_id = NEW.booking_id AND seat_uid IS NOT NULL
) >= coalesce((SELECT seats FROM bookings WHERE id = NEW.booking_id), 1)
BEGIN
    SELECT RAISE(ABORT, 'seats are taken');
END;

-- Guests come along with the attendees; bookings.guests lists their addresses.
ALTER TABLE attendees ADD COLUMN guest BIGINT NOT NULL DEFAULT 0;
INSERT INTO attendees (booking_id, name, email, time_zone, guest)
SELECT b.id, '', guest.value,
       coalesce((SELECT a.time_zone FROM attendees a WHERE a.booking_id = b.id ORDER BY a.id LIMIT 1), 'UTC'), 1
FROM bookings b, json_each(b.guests) AS guest;

-- Why another host took it over.
ALTER TABLE bookings ADD COLUMN reassignment_reason TEXT;

-- What a booking is called in other systems, such as calendars.
CREATE TABLE booking_references (
    id INTEGER PRIMARY KEY,
    booking_id BIGINT REFERENCES bookings (id) ON DELETE CASCADE,
    type TEXT NOT NULL,
    uid TEXT NOT NULL,
    meeting_id TEXT,
    meeting_password TEXT,
    meeting_url TEXT,
    destination_calendar_id TEXT,
    credential_id BIGINT,
    deleted BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX booking_references_by_booking ON booking_references (booking_id);
