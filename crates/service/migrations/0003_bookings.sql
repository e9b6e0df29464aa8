-- Bookings, who hosts them and who attends.

CREATE TABLE bookings (
    id INTEGER PRIMARY KEY,
    uid TEXT NOT NULL UNIQUE,
    -- Shared by the occurrences of a series.
    series_uid TEXT,
    event_type_id BIGINT REFERENCES event_types (id) ON DELETE SET NULL,
    team_id BIGINT REFERENCES teams (id) ON DELETE SET NULL,
    title TEXT NOT NULL,
    description TEXT NOT NULL DEFAULT '',
    status TEXT NOT NULL
        CHECK (status IN ('accepted', 'pending', 'cancelled', 'rejected', 'awaiting_host')),
    start_ms BIGINT NOT NULL,
    end_ms BIGINT NOT NULL,
    location TEXT,
    seated BIGINT NOT NULL DEFAULT 0,
    absent_host BIGINT NOT NULL DEFAULT 0,
    -- JSON: an object, an array of strings, an object.
    responses TEXT NOT NULL DEFAULT '{}',
    guests TEXT NOT NULL DEFAULT '[]',
    metadata TEXT NOT NULL DEFAULT '{}',
    cancellation_reason TEXT,
    cancelled_by_email TEXT,
    rescheduling_reason TEXT,
    rescheduled_by_email TEXT,
    rescheduled_from_uid TEXT,
    rescheduled_to_uid TEXT,
    rating BIGINT,
    ics_uid TEXT,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL,
    CHECK (start_ms < end_ms)
);
CREATE INDEX bookings_by_team_and_start ON bookings (team_id, start_ms);
CREATE INDEX bookings_by_team_and_end ON bookings (team_id, end_ms);
CREATE INDEX bookings_by_team_and_created ON bookings (team_id, created_ms);
CREATE INDEX bookings_by_event_type ON bookings (event_type_id, start_ms);
CREATE INDEX bookings_by_series ON bookings (series_uid) WHERE series_uid IS NOT NULL;

-- The time that a booking takes from each of its hosts. holds says whether that time is taken:
-- an accepted booking holds it, a pending one only if its event type says so.
CREATE TABLE booking_hosts (
    booking_id BIGINT NOT NULL REFERENCES bookings (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    start_ms BIGINT NOT NULL,
    end_ms BIGINT NOT NULL,
    holds BIGINT NOT NULL,
    PRIMARY KEY (booking_id, user_id),
    -- At most a day: what overlaps a span can be found by its start.
    CHECK (start_ms < end_ms AND end_ms - start_ms <= 86400000)
);
CREATE INDEX booking_hosts_by_user ON booking_hosts (user_id, start_ms, end_ms, holds);

CREATE TABLE attendees (
    id INTEGER PRIMARY KEY,
    booking_id BIGINT NOT NULL REFERENCES bookings (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    phone_number TEXT,
    time_zone TEXT NOT NULL,
    language TEXT,
    absent BIGINT NOT NULL DEFAULT 0,
    -- Seated bookings only; the two others are JSON objects.
    seat_uid TEXT UNIQUE,
    responses TEXT,
    metadata TEXT
);
CREATE INDEX attendees_by_booking ON attendees (booking_id);
CREATE INDEX attendees_by_email ON attendees (email, booking_id);
CREATE INDEX attendees_by_name ON attendees (name, booking_id);

-- No host is ever in two places. PostgreSQL would say: EXCLUDE USING gist
-- (user_id WITH =, int8range(start_ms, end_ms) WITH &&) WHERE (holds = 1).
CREATE TRIGGER booking_hosts_stay_apart_on_insert
BEFORE INSERT ON booking_hosts
WHEN NEW.holds = 1 AND EXISTS (
    SELECT 1 FROM booking_hosts AS other
    WHERE other.user_id = NEW.user_id AND other.holds = 1 AND other.booking_id <> NEW.booking_id
      AND other.start_ms > NEW.start_ms - 86400000
      AND other.start_ms < NEW.end_ms AND other.end_ms > NEW.start_ms
)
BEGIN
    SELECT RAISE(ABORT, 'host is taken');
END;

CREATE TRIGGER booking_hosts_stay_apart_on_update
BEFORE UPDATE OF user_id, start_ms, end_ms, holds ON booking_hosts
WHEN NEW.holds = 1 AND EXISTS (
    SELECT 1 FROM booking_hosts AS other
    WHERE other.user_id = NEW.user_id AND other.holds = 1 AND other.booking_id <> NEW.booking_id
      AND other.start_ms > NEW.start_ms - 86400000
      AND other.start_ms < NEW.end_ms AND other.end_ms > NEW.start_ms
)
BEGIN
    SELECT RAISE(ABORT, 'host is taken');
END;
