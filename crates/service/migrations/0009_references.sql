-- Ids that are never used again, and references that the database itself keeps.
--
-- SQLite gives the id of a deleted row to the next one unless a table is AUTOINCREMENT, and neither that nor a
-- reference can be added to a table that exists: the tables are made again. That takes a connection with
-- foreign_keys off (or dropping a table would empty those that refer to it); the next statement fails with it on.

CREATE TABLE needs_foreign_keys_off (is_on INTEGER CHECK (is_on = 0));
INSERT INTO needs_foreign_keys_off SELECT foreign_keys FROM pragma_foreign_keys;
DROP TABLE needs_foreign_keys_off;

-- They are made again at the end.
DROP TRIGGER attendees_have_seats;
DROP TRIGGER booking_hosts_stay_apart_on_insert;
DROP TRIGGER booking_hosts_stay_apart_on_update;
DROP TRIGGER bookings_ask_for_payment;
DROP TRIGGER former_members_host_nothing;
DROP TRIGGER members_host_what_all_host_on_accept;
DROP TRIGGER members_host_what_all_host_on_insert;
DROP TRIGGER payments_follow_their_bookings;

-- What refers to nothing. The secrets of a deleted person's platforms worked on, and would have been those of the
-- next person with that id. The people whom such a platform managed stay, without credentials.
DELETE FROM oauth_tokens WHERE oauth_client_id IN
    (SELECT id FROM oauth_clients WHERE owner_id NOT IN (SELECT id FROM users));
DELETE FROM webhook_deliveries WHERE webhook_id IN (SELECT w.id FROM webhooks w WHERE w.oauth_client_id IN
    (SELECT id FROM oauth_clients WHERE owner_id NOT IN (SELECT id FROM users)));
DELETE FROM webhooks WHERE oauth_client_id IN
    (SELECT id FROM oauth_clients WHERE owner_id NOT IN (SELECT id FROM users));
UPDATE users SET oauth_client_id = NULL WHERE oauth_client_id IN
    (SELECT id FROM oauth_clients WHERE owner_id NOT IN (SELECT id FROM users));
CREATE TABLE former_owners AS SELECT max(owner_id) AS id FROM oauth_clients;
DELETE FROM oauth_clients WHERE owner_id NOT IN (SELECT id FROM users);
UPDATE users SET default_schedule_id = NULL WHERE default_schedule_id NOT IN (SELECT id FROM schedules);
UPDATE memberships SET role_id = NULL WHERE role_id NOT IN (SELECT id FROM roles);
UPDATE organization_members SET role_id = NULL WHERE role_id NOT IN (SELECT id FROM roles);
UPDATE booking_references SET credential_id = NULL WHERE credential_id NOT IN (SELECT id FROM app_credentials);

CREATE TABLE new_organizations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    name TEXT NOT NULL,
    slug TEXT NOT NULL UNIQUE
);
INSERT INTO new_organizations (id, name, slug)
SELECT id, name, slug
FROM organizations;
DROP TABLE organizations;
ALTER TABLE new_organizations RENAME TO organizations;

CREATE TABLE new_teams (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    organization_id BIGINT REFERENCES organizations (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    slug TEXT NOT NULL,
    logo_url TEXT,
    banner_url TEXT,
    bio TEXT,
    time_zone TEXT NOT NULL DEFAULT 'Europe/London',
    week_start TEXT NOT NULL DEFAULT 'Sunday',
    time_format BIGINT,
    theme TEXT,
    brand_color TEXT,
    dark_brand_color TEXT,
    is_private BIGINT NOT NULL DEFAULT 0,
    hide_branding BIGINT NOT NULL DEFAULT 0,
    hide_book_a_team_member BIGINT NOT NULL DEFAULT 0,
    metadata TEXT NOT NULL DEFAULT '{}',
    created_ms BIGINT NOT NULL DEFAULT 0,
    UNIQUE (organization_id, slug)
);
INSERT INTO new_teams (id, organization_id, name, slug, logo_url, banner_url, bio, time_zone, week_start, time_format,
    theme, brand_color, dark_brand_color, is_private, hide_branding, hide_book_a_team_member,
    metadata, created_ms)
SELECT id, organization_id, name, slug, logo_url, banner_url, bio, time_zone, week_start, time_format,
    theme, brand_color, dark_brand_color, is_private, hide_branding, hide_book_a_team_member,
    metadata, created_ms
FROM teams;
DROP TABLE teams;
ALTER TABLE new_teams RENAME TO teams;

CREATE TABLE new_oauth_clients (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    -- A person who owns clients cannot be deleted: their secrets act as that person.
    owner_id BIGINT NOT NULL REFERENCES users (id),
    secret_hash TEXT NOT NULL,
    -- JSON arrays of strings.
    redirect_uris TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created_ms BIGINT NOT NULL
);
INSERT INTO new_oauth_clients (id, name, owner_id, secret_hash, redirect_uris, scopes, created_ms)
SELECT id, name, owner_id, secret_hash, redirect_uris, scopes, created_ms
FROM oauth_clients;
DROP TABLE oauth_clients;
ALTER TABLE new_oauth_clients RENAME TO oauth_clients;

CREATE TABLE new_users (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    organization_id BIGINT REFERENCES organizations (id) ON DELETE SET NULL,
    username TEXT NOT NULL UNIQUE,
    -- Shown. People may name any address; only the proven one is unique and proves anything.
    email TEXT NOT NULL,
    -- The address under which the person was let in, while email is one that they have given
    -- themselves; NULL while email is proven.
    proven_email TEXT,
    name TEXT,
    avatar_url TEXT,
    bio TEXT,
    time_zone TEXT NOT NULL,
    time_format BIGINT NOT NULL DEFAULT 24,
    week_start TEXT NOT NULL DEFAULT 'Monday',
    locale TEXT,
    -- Deferred: a person and their first schedule refer to each other.
    default_schedule_id BIGINT REFERENCES schedules (id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
    -- Set for users managed by a platform's OAuth client.
    oauth_client_id TEXT REFERENCES oauth_clients (id) ON DELETE CASCADE,
    -- A JSON object of the platform's own keys.
    metadata TEXT NOT NULL DEFAULT '{}',
    -- Runs the whole service.
    is_admin BIGINT NOT NULL DEFAULT 0,
    -- Whether others may book meetings of a group of people that this person is named in.
    allow_dynamic_bookings BIGINT NOT NULL DEFAULT 0,
    theme TEXT,
    brand_color TEXT,
    dark_brand_color TEXT,
    hide_branding BIGINT NOT NULL DEFAULT 0,
    created_ms BIGINT NOT NULL DEFAULT 0
);
INSERT INTO new_users (id, organization_id, username, email, proven_email, name, avatar_url, bio, time_zone, time_format,
    week_start, locale, default_schedule_id, oauth_client_id, metadata, is_admin, theme,
    brand_color, dark_brand_color, hide_branding, created_ms)
SELECT id, organization_id, username, email, proven_email, name, avatar_url, bio, time_zone, time_format,
    week_start, locale, default_schedule_id, oauth_client_id, metadata, is_admin, theme,
    brand_color, dark_brand_color, hide_branding, created_ms
FROM users;
DROP TABLE users;
ALTER TABLE new_users RENAME TO users;

CREATE TABLE new_organization_members (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    organization_id BIGINT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('MEMBER', 'ADMIN', 'OWNER')),
    -- A role of the organisation that replaces the rights of the membership role.
    role_id TEXT REFERENCES roles (id) ON DELETE SET NULL,
    UNIQUE (organization_id, user_id)
);
INSERT INTO new_organization_members (organization_id, user_id, role, role_id)
SELECT organization_id, user_id, role, role_id
FROM organization_members;
DROP TABLE organization_members;
ALTER TABLE new_organization_members RENAME TO organization_members;

CREATE TABLE new_memberships (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    team_id BIGINT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('MEMBER', 'ADMIN', 'OWNER')),
    -- A role of the team that replaces the rights of the membership role.
    role_id TEXT REFERENCES roles (id) ON DELETE SET NULL,
    -- Counts only once the person has agreed.
    accepted BIGINT NOT NULL DEFAULT 0,
    disable_impersonation BIGINT NOT NULL DEFAULT 0,
    created_ms BIGINT NOT NULL DEFAULT 0,
    UNIQUE (team_id, user_id)
);
INSERT INTO new_memberships (id, team_id, user_id, role, role_id, accepted, disable_impersonation, created_ms)
SELECT id, team_id, user_id, role, role_id, accepted, disable_impersonation, created_ms
FROM memberships;
DROP TABLE memberships;
ALTER TABLE new_memberships RENAME TO memberships;

CREATE TABLE new_schedules (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    owner_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    time_zone TEXT NOT NULL
);
INSERT INTO new_schedules (id, owner_id, name, time_zone)
SELECT id, owner_id, name, time_zone
FROM schedules;
DROP TABLE schedules;
ALTER TABLE new_schedules RENAME TO schedules;

CREATE TABLE new_schedule_hours (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    schedule_id BIGINT NOT NULL REFERENCES schedules (id) ON DELETE CASCADE,
    weekday BIGINT CHECK (weekday BETWEEN 0 AND 6),
    on_date TEXT,
    from_minute BIGINT NOT NULL,
    to_minute BIGINT NOT NULL,
    -- Hours that were given together have one id: that of the first of them, which itself has none
    -- here. That one may be gone, so it is no reference.
    line_id BIGINT,
    CHECK ((weekday IS NULL) <> (on_date IS NULL))
);
INSERT INTO new_schedule_hours (id, schedule_id, weekday, on_date, from_minute, to_minute, line_id)
SELECT id, schedule_id, weekday, on_date, from_minute, to_minute, line_id
FROM schedule_hours;
DROP TABLE schedule_hours;
ALTER TABLE new_schedule_hours RENAME TO schedule_hours;

CREATE TABLE new_event_types (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    owner_id BIGINT REFERENCES users (id) ON DELETE CASCADE,
    team_id BIGINT REFERENCES teams (id) ON DELETE CASCADE,
    parent_id BIGINT REFERENCES event_types (id) ON DELETE CASCADE,
    slug TEXT NOT NULL,
    hidden BIGINT NOT NULL DEFAULT 0,
    scheduling_type TEXT CHECK (scheduling_type IN ('roundRobin', 'collective', 'managed')),
    -- Everybody in the team hosts it, also who joins later.
    assign_all BIGINT NOT NULL DEFAULT 0,
    schedule_id BIGINT REFERENCES schedules (id) ON DELETE SET NULL,
    -- Minutes. Kept apart from the settings because they pad bookings of every other type, too.
    before_minutes BIGINT NOT NULL DEFAULT 0,
    after_minutes BIGINT NOT NULL DEFAULT 0,
    blocks_unconfirmed BIGINT NOT NULL DEFAULT 0,
    -- Everything else, as a JSON object of the interface's own fields.
    settings TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL DEFAULT 0,
    CHECK ((owner_id IS NULL) <> (team_id IS NULL)),
    UNIQUE (owner_id, slug),
    UNIQUE (team_id, slug)
);
INSERT INTO new_event_types (id, owner_id, team_id, parent_id, slug, hidden, scheduling_type, assign_all, schedule_id,
    before_minutes, after_minutes, blocks_unconfirmed, settings, created_ms, updated_ms)
SELECT id, owner_id, team_id, parent_id, slug, hidden, scheduling_type, assign_all, schedule_id,
    before_minutes, after_minutes, blocks_unconfirmed, settings, created_ms, updated_ms
FROM event_types;
DROP TABLE event_types;
ALTER TABLE new_event_types RENAME TO event_types;

CREATE TABLE new_bookings (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
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
    -- Seats of a shared booking when it was first made; NULL unless it is seated.
    seats BIGINT,
    -- Whether the price has been paid; NULL where none was asked.
    paid BIGINT,
    absent_host BIGINT NOT NULL DEFAULT 0,
    -- JSON: an object, an array of strings, an object.
    responses TEXT NOT NULL DEFAULT '{}',
    guests TEXT NOT NULL DEFAULT '[]',
    metadata TEXT NOT NULL DEFAULT '{}',
    cancellation_reason TEXT,
    cancelled_by_email TEXT,
    rescheduling_reason TEXT,
    rescheduled_by_email TEXT,
    -- Uids of other bookings.
    rescheduled_from_uid TEXT,
    rescheduled_to_uid TEXT,
    -- Why another host took it over.
    reassignment_reason TEXT,
    rating BIGINT,
    ics_uid TEXT,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL,
    CHECK (start_ms < end_ms)
);
INSERT INTO new_bookings (id, uid, series_uid, event_type_id, team_id, title, description, status, start_ms, end_ms, location,
    seated, seats, paid, absent_host, responses, guests, metadata, cancellation_reason,
    cancelled_by_email, rescheduling_reason, rescheduled_by_email, rescheduled_from_uid,
    rescheduled_to_uid, reassignment_reason, rating, ics_uid, created_ms, updated_ms)
SELECT id, uid, series_uid, event_type_id, team_id, title, description, status, start_ms, end_ms, location,
    seated, seats, paid, absent_host, responses, guests, metadata, cancellation_reason,
    cancelled_by_email, rescheduling_reason, rescheduled_by_email, rescheduled_from_uid,
    rescheduled_to_uid, reassignment_reason, rating, ics_uid, created_ms, updated_ms
FROM bookings;
DROP TABLE bookings;
ALTER TABLE new_bookings RENAME TO bookings;

CREATE TABLE new_attendees (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    booking_id BIGINT NOT NULL REFERENCES bookings (id) ON DELETE CASCADE,
    -- The person of this service who attends, and whose time it takes: only who has booked it
    -- themselves or was added by a colleague. An address alone proves nothing.
    user_id BIGINT REFERENCES users (id) ON DELETE SET NULL,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    phone_number TEXT,
    time_zone TEXT NOT NULL,
    language TEXT,
    absent BIGINT NOT NULL DEFAULT 0,
    -- Guests come along with the attendees; bookings.guests lists their addresses.
    guest BIGINT NOT NULL DEFAULT 0,
    -- Seated bookings only; the two others are JSON objects.
    seat_uid TEXT UNIQUE,
    responses TEXT,
    metadata TEXT
);
INSERT INTO new_attendees (id, booking_id, name, email, phone_number, time_zone, language, absent, guest, seat_uid, responses,
    metadata)
SELECT id, booking_id, name, email, phone_number, time_zone, language, absent, guest, seat_uid, responses,
    metadata
FROM attendees;
DROP TABLE attendees;
ALTER TABLE new_attendees RENAME TO attendees;

CREATE TABLE new_out_of_office (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
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
INSERT INTO new_out_of_office (id, uuid, user_id, to_user_id, start_ms, end_ms, notes, reason, created_ms)
SELECT id, uuid, user_id, to_user_id, start_ms, end_ms, notes, reason, created_ms
FROM out_of_office;
DROP TABLE out_of_office;
ALTER TABLE new_out_of_office RENAME TO out_of_office;

CREATE TABLE new_reservations (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    uid TEXT NOT NULL UNIQUE,
    event_type_id BIGINT NOT NULL REFERENCES event_types (id) ON DELETE CASCADE,
    -- Whose it is: a hash of the person, client or network that made it.
    client_hash TEXT NOT NULL DEFAULT '',
    start_ms BIGINT NOT NULL,
    end_ms BIGINT NOT NULL,
    until_ms BIGINT NOT NULL,
    -- Takes one seat of a shared booking and nobody's time.
    seated BIGINT NOT NULL DEFAULT 0,
    -- When it was first made: renewals end some time after that.
    created_ms BIGINT NOT NULL,
    CHECK (start_ms < end_ms)
);
INSERT INTO new_reservations (id, uid, event_type_id, start_ms, end_ms, until_ms, seated, created_ms)
SELECT id, uid, event_type_id, start_ms, end_ms, until_ms, seated, created_ms
FROM reservations;
DROP TABLE reservations;
ALTER TABLE new_reservations RENAME TO reservations;

CREATE TABLE new_booking_references (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    booking_id BIGINT REFERENCES bookings (id) ON DELETE CASCADE,
    type TEXT NOT NULL,
    uid TEXT NOT NULL,
    meeting_id TEXT,
    meeting_password TEXT,
    meeting_url TEXT,
    destination_calendar_id TEXT,
    credential_id BIGINT REFERENCES app_credentials (id) ON DELETE SET NULL,
    deleted BIGINT NOT NULL DEFAULT 0
);
INSERT INTO new_booking_references (id, booking_id, type, uid, meeting_id, meeting_password, meeting_url, destination_calendar_id,
    credential_id, deleted)
SELECT id, booking_id, type, uid, meeting_id, meeting_password, meeting_url, destination_calendar_id,
    credential_id, deleted
FROM booking_references;
DROP TABLE booking_references;
ALTER TABLE new_booking_references RENAME TO booking_references;

CREATE TABLE new_app_credentials (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    app_slug TEXT NOT NULL,
    -- Encrypted with the service's own key, and never told.
    sealed_key BLOB NOT NULL,
    created_ms BIGINT NOT NULL
);
INSERT INTO new_app_credentials (id, user_id, app_slug, sealed_key, created_ms)
SELECT id, user_id, app_slug, sealed_key, created_ms
FROM app_credentials;
DROP TABLE app_credentials;
ALTER TABLE new_app_credentials RENAME TO app_credentials;

CREATE TABLE new_destination_calendars (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    integration TEXT NOT NULL,
    external_id TEXT NOT NULL,
    event_type_id BIGINT REFERENCES event_types (id) ON DELETE CASCADE,
    booking_id BIGINT REFERENCES bookings (id) ON DELETE CASCADE,
    credential_id BIGINT REFERENCES app_credentials (id) ON DELETE CASCADE
);
INSERT INTO new_destination_calendars (id, user_id, integration, external_id, event_type_id, booking_id, credential_id)
SELECT id, user_id, integration, external_id, event_type_id, booking_id, credential_id
FROM destination_calendars;
DROP TABLE destination_calendars;
ALTER TABLE new_destination_calendars RENAME TO destination_calendars;

CREATE TABLE new_payments (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    booking_id BIGINT NOT NULL UNIQUE REFERENCES bookings (id) ON DELETE CASCADE,
    -- Minor units of the currency.
    amount BIGINT NOT NULL,
    fee BIGINT NOT NULL DEFAULT 0,
    currency TEXT NOT NULL,
    success BIGINT NOT NULL DEFAULT 0,
    refunded BIGINT NOT NULL DEFAULT 0,
    payment_option TEXT NOT NULL DEFAULT 'ON_BOOKING',
    app_id TEXT
);
INSERT INTO new_payments (id, booking_id, amount, fee, currency, success, refunded, payment_option, app_id)
SELECT id, booking_id, amount, fee, currency, success, refunded, payment_option, app_id
FROM payments;
DROP TABLE payments;
ALTER TABLE new_payments RENAME TO payments;

CREATE TABLE new_webhook_deliveries (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    webhook_id TEXT NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    trigger_name TEXT NOT NULL,
    -- The uid of what it tells of: what is told of one thing is sent in order.
    about TEXT NOT NULL,
    -- The body as it is sent and signed; emptied once it is delivered.
    body TEXT NOT NULL,
    content_type TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    -- NULL once it is settled.
    due_ms BIGINT,
    attempts BIGINT NOT NULL DEFAULT 0,
    status TEXT NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'delivered', 'failed')),
    last_status BIGINT,
    last_problem TEXT,
    settled_ms BIGINT
);
INSERT INTO new_webhook_deliveries (id, webhook_id, trigger_name, about, body, content_type, created_ms, due_ms, attempts, status,
    last_status, last_problem, settled_ms)
SELECT id, webhook_id, trigger_name, about, body, content_type, created_ms, due_ms, attempts, status,
    last_status, last_problem, settled_ms
FROM webhook_deliveries;
DROP TABLE webhook_deliveries;
ALTER TABLE new_webhook_deliveries RENAME TO webhook_deliveries;

-- Somebody who is gone may have had a higher id than everybody else.
UPDATE sqlite_sequence SET seq = max(seq, coalesce((SELECT id FROM former_owners), 0)) WHERE name = 'users';
DROP TABLE former_owners;

CREATE INDEX app_credentials_by_user ON app_credentials (user_id);
CREATE INDEX attendees_by_address ON attendees (lower(email), booking_id);
CREATE INDEX attendees_by_booking ON attendees (booking_id);
CREATE INDEX attendees_by_email ON attendees (email, booking_id);
CREATE INDEX attendees_by_name ON attendees (name, booking_id);
CREATE INDEX booking_references_by_booking ON booking_references (booking_id);
CREATE INDEX bookings_by_created ON bookings (created_ms);
CREATE INDEX bookings_by_event_type
    ON bookings (event_type_id, start_ms, id, end_ms, status, team_id, series_uid);
CREATE INDEX bookings_by_series ON bookings (series_uid) WHERE series_uid IS NOT NULL;
CREATE INDEX bookings_by_start ON bookings (start_ms);
CREATE INDEX bookings_by_team_and_created ON bookings (team_id, created_ms);
CREATE INDEX bookings_by_team_and_end ON bookings (team_id, end_ms);
CREATE INDEX bookings_by_team_and_start
    ON bookings (team_id, start_ms, id, end_ms, status, event_type_id, series_uid);
CREATE UNIQUE INDEX bookings_shared_by_seats ON bookings (event_type_id, start_ms)
    WHERE seated = 1 AND status IN ('accepted', 'pending');
CREATE INDEX destination_calendars_by_booking ON destination_calendars (booking_id)
    WHERE booking_id IS NOT NULL;
CREATE INDEX destination_calendars_by_credential ON destination_calendars (credential_id)
    WHERE credential_id IS NOT NULL;
CREATE INDEX destination_calendars_by_event_type ON destination_calendars (event_type_id)
    WHERE event_type_id IS NOT NULL;
CREATE INDEX destination_calendars_by_user ON destination_calendars (user_id);
CREATE INDEX event_types_by_parent ON event_types (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX event_types_by_schedule ON event_types (schedule_id) WHERE schedule_id IS NOT NULL;
CREATE INDEX memberships_by_user ON memberships (user_id);
CREATE INDEX out_of_office_by_user ON out_of_office (user_id, end_ms);
CREATE INDEX reservations_by_end ON reservations (until_ms);
CREATE INDEX reservations_by_event_type ON reservations (event_type_id, start_ms, until_ms);
CREATE INDEX schedule_hours_by_schedule ON schedule_hours (schedule_id);
CREATE INDEX schedules_by_owner ON schedules (owner_id);
CREATE INDEX teams_by_slug ON teams (slug);
CREATE INDEX webhook_deliveries_by_due ON webhook_deliveries (due_ms) WHERE status = 'waiting';
CREATE INDEX webhook_deliveries_by_settled ON webhook_deliveries (settled_ms) WHERE status <> 'waiting';
CREATE INDEX webhook_deliveries_by_subject ON webhook_deliveries (webhook_id, about, id);
CREATE UNIQUE INDEX users_by_proven_email ON users (lower(coalesce(proven_email, email)));
CREATE INDEX users_by_email ON users (lower(email));
CREATE INDEX users_by_client ON users (oauth_client_id) WHERE oauth_client_id IS NOT NULL;
CREATE INDEX oauth_clients_by_owner ON oauth_clients (owner_id);
CREATE INDEX attendees_by_user ON attendees (user_id, booking_id) WHERE user_id IS NOT NULL;
CREATE INDEX reservations_by_client ON reservations (client_hash, until_ms);

CREATE TRIGGER attendees_have_seats
BEFORE INSERT ON attendees
WHEN NEW.seat_uid IS NOT NULL AND (
    SELECT count(*) FROM attendees WHERE booking_id = NEW.booking_id AND seat_uid IS NOT NULL
) >= coalesce((SELECT seats FROM bookings WHERE id = NEW.booking_id), 1)
BEGIN
    SELECT RAISE(ABORT, 'seats are taken');
END;

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

CREATE TRIGGER bookings_ask_for_payment
AFTER INSERT ON bookings
WHEN NEW.paid IS NOT NULL
BEGIN
    UPDATE payments SET booking_id = NEW.id, success = NEW.paid
    WHERE booking_id = (SELECT id FROM bookings WHERE uid = NEW.rescheduled_from_uid);
    INSERT INTO payments (booking_id, amount, currency, success)
    SELECT NEW.id, coalesce(json_extract(e.settings, '$.price'), 0),
           coalesce(json_extract(e.settings, '$.currency'), 'usd'), NEW.paid
    FROM (SELECT 1) LEFT JOIN event_types e ON e.id = NEW.event_type_id
    WHERE NOT EXISTS (SELECT 1 FROM payments WHERE booking_id = NEW.id);
END;

CREATE TRIGGER former_members_host_nothing
AFTER DELETE ON memberships
BEGIN
    DELETE FROM event_type_hosts WHERE user_id = OLD.user_id
        AND event_type_id IN (SELECT id FROM event_types WHERE team_id = OLD.team_id);
    DELETE FROM event_types WHERE owner_id = OLD.user_id
        AND parent_id IN (SELECT id FROM event_types WHERE team_id = OLD.team_id);
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

CREATE TRIGGER payments_follow_their_bookings
AFTER UPDATE OF paid ON bookings
WHEN NEW.paid IS NOT NULL
BEGIN
    UPDATE payments SET success = NEW.paid WHERE booking_id = NEW.id;
END;

-- Responses of requests that carried an Idempotency-Key, for 24 hours. They hold what the caller was answered,
-- personal data included.
CREATE TABLE idempotency_keys (
    -- SHA-256 of caller, operation and key.
    hash TEXT PRIMARY KEY,
    -- SHA-256 of the request.
    request_hash TEXT NOT NULL,
    status BIGINT NOT NULL,
    body TEXT NOT NULL,
    created_ms BIGINT NOT NULL
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_ms);
