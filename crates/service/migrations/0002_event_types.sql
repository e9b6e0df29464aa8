-- Working hours and what can be booked.

CREATE TABLE schedules (
    id INTEGER PRIMARY KEY,
    owner_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    time_zone TEXT NOT NULL
);

-- Wall-clock minutes since midnight in the schedule's zone. Exactly one of weekday (0 is Sunday)
-- and on_date (ISO 8601) is set; the rows of a date replace those of its weekday.
CREATE TABLE schedule_hours (
    id INTEGER PRIMARY KEY,
    schedule_id BIGINT NOT NULL REFERENCES schedules (id) ON DELETE CASCADE,
    weekday BIGINT CHECK (weekday BETWEEN 0 AND 6),
    on_date TEXT,
    from_minute BIGINT NOT NULL,
    to_minute BIGINT NOT NULL,
    CHECK ((weekday IS NULL) <> (on_date IS NULL))
);
CREATE INDEX schedule_hours_by_schedule ON schedule_hours (schedule_id);

CREATE TABLE event_types (
    id INTEGER PRIMARY KEY,
    owner_id BIGINT REFERENCES users (id) ON DELETE CASCADE,
    team_id BIGINT REFERENCES teams (id) ON DELETE CASCADE,
    slug TEXT NOT NULL,
    hidden BIGINT NOT NULL DEFAULT 0,
    scheduling_type TEXT CHECK (scheduling_type IN ('roundRobin', 'collective', 'managed')),
    schedule_id BIGINT REFERENCES schedules (id) ON DELETE SET NULL,
    -- Minutes. Kept apart from the settings because they pad bookings of every other type, too.
    before_minutes BIGINT NOT NULL DEFAULT 0,
    after_minutes BIGINT NOT NULL DEFAULT 0,
    blocks_unconfirmed BIGINT NOT NULL DEFAULT 0,
    -- Everything else, as a JSON object of the interface's own fields.
    settings TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    CHECK ((owner_id IS NULL) <> (team_id IS NULL)),
    UNIQUE (owner_id, slug),
    UNIQUE (team_id, slug)
);

CREATE TABLE event_type_hosts (
    event_type_id BIGINT NOT NULL REFERENCES event_types (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    fixed BIGINT NOT NULL DEFAULT 0,
    PRIMARY KEY (event_type_id, user_id)
);
