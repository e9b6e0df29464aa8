-- Versions of what slots are computed from, for caches: a value that was read after a version is valid as long as the
-- version is the same. Triggers increment them, so that every write does, in its own transaction and of any program.
-- A migration that creates one of these tables again must create its triggers again.
--
-- kind: catalogue (id 0) for event types with their hosts, names and working hours, which change rarely; buffers (id 0)
-- for those settings of event types that busy times depend on; host for the busy times of a user; event_type for the
-- bookings and reservations of an event type. Without a row, the version is 0.
-- Ids are never used twice, so the rows of deleted users and event types do not matter.

CREATE TABLE calendar_versions (
    kind TEXT NOT NULL CHECK (kind IN ('catalogue', 'buffers', 'host', 'event_type')),
    id BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (kind, id)
) WITHOUT ROWID;
INSERT INTO calendar_versions (kind, id, version) VALUES ('catalogue', 0, 0), ('buffers', 0, 0);

-- Catalogue.

CREATE TRIGGER organizations_change_catalogue_on_insert
AFTER INSERT ON organizations
BEGIN
    UPDATE calendar_versions SET version = random() WHERE kind = 'catalogue';
END;
CREATE TRIGGER organizations_change_catalogue_on_update
AFTER UPDATE ON organizations
BEGIN
    UPDATE calendar_versions SET version = random() WHERE kind = 'catalogue';
END;
CREATE TRIGGER organizations_change_catalogue_on_delete
AFTER DELETE ON organizations
BEGIN
    UPDATE calendar_versions SET version = random() WHERE kind = 'catalogue';
END;
CREATE TRIGGER users_change_catalogue_on_insert
AFTER INSERT ON users
BEGIN
    UPDATE calendar_versions SET version = random() WHERE kind = 'catalogue';
END;
CREATE TRIGGER users_change_catalogue_on_update
AFTER UPDATE ON users
BEGIN
    UPDATE calendar_versions SET version = random() WHERE kind = 'catalogue';
END;
CREATE TRIGGER users_change_catalogue_on_delete
AFTER DELETE ON users
BEGIN
    UPDATE calendar_versions SET version = random() WHERE kind = 'catalogue';
END;
CREATE TRIGGER teams_change_catalogue_on_insert
AFTER INSERT ON teams
BEGIN
    UPDATE calendar_versions SET version = random() WHERE kind = 'catalogue';
END;
CREATE TRIGGER teams_change_catalogue_on_update
AFTER UPDATE ON teams
BEGIN
    UPDATE calendar_versions SET version = random() WHERE kind = 'catalogue';
END;
CREATE TRIGGER teams_change_catalogue_on_delete
AFTER DELETE ON teams
BEGIN
    UPDATE calendar_versions SET version = random() WHERE kind = 'catalogue';
END;
CREATE TRIGGER event_types_change_catalogue_on_insert
AFTER INSERT ON event_types
BEGIN
    UPDATE calendar_versions SET version = random() WHERE kind = 'catalogue';
END;
CREATE TRIGGER event_types_change_catalogue_on_update
AFTER UPDATE ON event_types
BEGIN
    UPDATE calendar_versions SET version = random() WHERE kind = 'catalogue';
END;
CREATE TRIGGER event_types_change_catalogue_on_delete
AFTER DELETE ON event_types
BEGIN
    UPDATE calendar_versions SET version = random() WHERE kind = 'catalogue';
END;
CREATE TRIGGER event_type_hosts_change_catalogue_on_insert
AFTER INSERT ON event_type_hosts
BEGIN
    UPDATE calendar_versions SET version = random() WHERE kind = 'catalogue';
END;
CREATE TRIGGER event_type_hosts_change_catalogue_on_update
AFTER UPDATE ON event_type_hosts
BEGIN
    UPDATE calendar_versions SET version = random() WHERE kind = 'catalogue';
END;
CREATE TRIGGER event_type_hosts_change_catalogue_on_delete
AFTER DELETE ON event_type_hosts
BEGIN
    UPDATE calendar_versions SET version = random() WHERE kind = 'catalogue';
END;
CREATE TRIGGER schedules_change_catalogue_on_insert
AFTER INSERT ON schedules
BEGIN
    UPDATE calendar_versions SET version = random() WHERE kind = 'catalogue';
END;
CREATE TRIGGER schedules_change_catalogue_on_update
AFTER UPDATE ON schedules
BEGIN
    UPDATE calendar_versions SET version = random() WHERE kind = 'catalogue';
END;
CREATE TRIGGER schedules_change_catalogue_on_delete
AFTER DELETE ON schedules
BEGIN
    UPDATE calendar_versions SET version = random() WHERE kind = 'catalogue';
END;
CREATE TRIGGER schedule_hours_change_catalogue_on_insert
AFTER INSERT ON schedule_hours
BEGIN
    UPDATE calendar_versions SET version = random() WHERE kind = 'catalogue';
END;
CREATE TRIGGER schedule_hours_change_catalogue_on_update
AFTER UPDATE ON schedule_hours
BEGIN
    UPDATE calendar_versions SET version = random() WHERE kind = 'catalogue';
END;
CREATE TRIGGER schedule_hours_change_catalogue_on_delete
AFTER DELETE ON schedule_hours
BEGIN
    UPDATE calendar_versions SET version = random() WHERE kind = 'catalogue';
END;
CREATE TRIGGER event_types_change_buffers
AFTER UPDATE OF before_minutes, after_minutes, blocks_unconfirmed ON event_types
BEGIN
    UPDATE calendar_versions SET version = random() WHERE kind = 'buffers';
END;

-- Bookings, their hosts and the attendees who are users. What is deleted with a booking or a reservation has triggers
-- of its own.

CREATE TRIGGER bookings_change_calendar_on_insert
AFTER INSERT ON bookings
BEGIN
    INSERT INTO calendar_versions (kind, id, version)
    SELECT 'event_type', NEW.event_type_id, random() WHERE NEW.event_type_id IS NOT NULL
    ON CONFLICT (kind, id) DO UPDATE SET version = random();
END;
CREATE TRIGGER bookings_change_calendar_on_update
AFTER UPDATE OF uid, event_type_id, status, start_ms, end_ms, seated, seats ON bookings
BEGIN
    INSERT INTO calendar_versions (kind, id, version)
    SELECT 'event_type', OLD.event_type_id, random() WHERE OLD.event_type_id IS NOT NULL
    ON CONFLICT (kind, id) DO UPDATE SET version = random();
    INSERT INTO calendar_versions (kind, id, version)
    SELECT 'event_type', NEW.event_type_id, random() WHERE NEW.event_type_id IS NOT NULL
    ON CONFLICT (kind, id) DO UPDATE SET version = random();
    INSERT INTO calendar_versions (kind, id, version)
    SELECT 'host', user_id, random() FROM booking_hosts WHERE booking_id = NEW.id
    ON CONFLICT (kind, id) DO UPDATE SET version = random();
    INSERT INTO calendar_versions (kind, id, version)
    SELECT 'host', user_id, random() FROM attendees WHERE booking_id = NEW.id AND user_id IS NOT NULL
    ON CONFLICT (kind, id) DO UPDATE SET version = random();
END;
CREATE TRIGGER bookings_change_calendar_on_delete
AFTER DELETE ON bookings
BEGIN
    INSERT INTO calendar_versions (kind, id, version)
    SELECT 'event_type', OLD.event_type_id, random() WHERE OLD.event_type_id IS NOT NULL
    ON CONFLICT (kind, id) DO UPDATE SET version = random();
END;
CREATE TRIGGER booking_hosts_change_calendar_on_insert
AFTER INSERT ON booking_hosts
BEGIN
    INSERT INTO calendar_versions (kind, id, version) VALUES ('host', NEW.user_id, random())
    ON CONFLICT (kind, id) DO UPDATE SET version = random();
    INSERT INTO calendar_versions (kind, id, version) SELECT 'event_type', event_type_id, random() FROM bookings
    WHERE id = NEW.booking_id AND event_type_id IS NOT NULL AND seated = 1
    ON CONFLICT (kind, id) DO UPDATE SET version = random();
END;
CREATE TRIGGER booking_hosts_change_calendar_on_update
AFTER UPDATE ON booking_hosts
BEGIN
    INSERT INTO calendar_versions (kind, id, version) VALUES ('host', OLD.user_id, random())
    ON CONFLICT (kind, id) DO UPDATE SET version = random();
    INSERT INTO calendar_versions (kind, id, version) VALUES ('host', NEW.user_id, random())
    ON CONFLICT (kind, id) DO UPDATE SET version = random();
    INSERT INTO calendar_versions (kind, id, version) SELECT 'event_type', event_type_id, random() FROM bookings
    WHERE id = OLD.booking_id AND event_type_id IS NOT NULL AND seated = 1
    ON CONFLICT (kind, id) DO UPDATE SET version = random();
    INSERT INTO calendar_versions (kind, id, version) SELECT 'event_type', event_type_id, random() FROM bookings
    WHERE id = NEW.booking_id AND event_type_id IS NOT NULL AND seated = 1
    ON CONFLICT (kind, id) DO UPDATE SET version = random();
END;
CREATE TRIGGER booking_hosts_change_calendar_on_delete
AFTER DELETE ON booking_hosts
BEGIN
    INSERT INTO calendar_versions (kind, id, version) VALUES ('host', OLD.user_id, random())
    ON CONFLICT (kind, id) DO UPDATE SET version = random();
    INSERT INTO calendar_versions (kind, id, version) SELECT 'event_type', event_type_id, random() FROM bookings
    WHERE id = OLD.booking_id AND event_type_id IS NOT NULL AND seated = 1
    ON CONFLICT (kind, id) DO UPDATE SET version = random();
END;
CREATE TRIGGER attendees_change_calendar_on_insert
AFTER INSERT ON attendees
WHEN NEW.user_id IS NOT NULL OR NEW.seat_uid IS NOT NULL
BEGIN
    INSERT INTO calendar_versions (kind, id, version) SELECT 'host', NEW.user_id, random() WHERE NEW.user_id IS NOT NULL
    ON CONFLICT (kind, id) DO UPDATE SET version = random();
    INSERT INTO calendar_versions (kind, id, version) SELECT 'event_type', event_type_id, random() FROM bookings
    WHERE id = NEW.booking_id AND event_type_id IS NOT NULL
    ON CONFLICT (kind, id) DO UPDATE SET version = random();
END;
CREATE TRIGGER attendees_change_calendar_on_update
AFTER UPDATE OF booking_id, user_id, seat_uid ON attendees
WHEN OLD.user_id IS NOT NULL OR OLD.seat_uid IS NOT NULL OR NEW.user_id IS NOT NULL OR NEW.seat_uid IS NOT NULL
BEGIN
    INSERT INTO calendar_versions (kind, id, version) SELECT 'host', OLD.user_id, random() WHERE OLD.user_id IS NOT NULL
    ON CONFLICT (kind, id) DO UPDATE SET version = random();
    INSERT INTO calendar_versions (kind, id, version) SELECT 'host', NEW.user_id, random() WHERE NEW.user_id IS NOT NULL
    ON CONFLICT (kind, id) DO UPDATE SET version = random();
    INSERT INTO calendar_versions (kind, id, version) SELECT 'event_type', event_type_id, random() FROM bookings
    WHERE id = OLD.booking_id AND event_type_id IS NOT NULL
    ON CONFLICT (kind, id) DO UPDATE SET version = random();
    INSERT INTO calendar_versions (kind, id, version) SELECT 'event_type', event_type_id, random() FROM bookings
    WHERE id = NEW.booking_id AND event_type_id IS NOT NULL
    ON CONFLICT (kind, id) DO UPDATE SET version = random();
END;
CREATE TRIGGER attendees_change_calendar_on_delete
AFTER DELETE ON attendees
WHEN OLD.user_id IS NOT NULL OR OLD.seat_uid IS NOT NULL
BEGIN
    INSERT INTO calendar_versions (kind, id, version) SELECT 'host', OLD.user_id, random() WHERE OLD.user_id IS NOT NULL
    ON CONFLICT (kind, id) DO UPDATE SET version = random();
    INSERT INTO calendar_versions (kind, id, version) SELECT 'event_type', event_type_id, random() FROM bookings
    WHERE id = OLD.booking_id AND event_type_id IS NOT NULL
    ON CONFLICT (kind, id) DO UPDATE SET version = random();
END;

-- Reservations and absences.

CREATE TRIGGER reservations_change_calendar_on_insert
AFTER INSERT ON reservations
BEGIN
    INSERT INTO calendar_versions (kind, id, version)
    SELECT 'event_type', NEW.event_type_id, random() WHERE NEW.event_type_id IS NOT NULL
    ON CONFLICT (kind, id) DO UPDATE SET version = random();
END;
CREATE TRIGGER reservations_change_calendar_on_update
AFTER UPDATE ON reservations
BEGIN
    INSERT INTO calendar_versions (kind, id, version)
    SELECT 'event_type', NEW.event_type_id, random() WHERE NEW.event_type_id IS NOT NULL
    ON CONFLICT (kind, id) DO UPDATE SET version = random();
    INSERT INTO calendar_versions (kind, id, version)
    SELECT 'host', user_id, random() FROM reservation_hosts WHERE reservation_id = NEW.id
    ON CONFLICT (kind, id) DO UPDATE SET version = random();
END;
CREATE TRIGGER reservations_change_calendar_on_delete
AFTER DELETE ON reservations
BEGIN
    INSERT INTO calendar_versions (kind, id, version)
    SELECT 'event_type', OLD.event_type_id, random() WHERE OLD.event_type_id IS NOT NULL
    ON CONFLICT (kind, id) DO UPDATE SET version = random();
END;
CREATE TRIGGER reservation_hosts_change_calendar_on_insert
AFTER INSERT ON reservation_hosts
BEGIN
    INSERT INTO calendar_versions (kind, id, version) VALUES ('host', NEW.user_id, random())
    ON CONFLICT (kind, id) DO UPDATE SET version = random();
END;
CREATE TRIGGER reservation_hosts_change_calendar_on_delete
AFTER DELETE ON reservation_hosts
BEGIN
    INSERT INTO calendar_versions (kind, id, version) VALUES ('host', OLD.user_id, random())
    ON CONFLICT (kind, id) DO UPDATE SET version = random();
END;
CREATE TRIGGER out_of_office_change_calendar_on_insert
AFTER INSERT ON out_of_office
BEGIN
    INSERT INTO calendar_versions (kind, id, version) VALUES ('host', NEW.user_id, random())
    ON CONFLICT (kind, id) DO UPDATE SET version = random();
END;
CREATE TRIGGER out_of_office_change_calendar_on_update
AFTER UPDATE ON out_of_office
BEGIN
    INSERT INTO calendar_versions (kind, id, version) VALUES ('host', OLD.user_id, random())
    ON CONFLICT (kind, id) DO UPDATE SET version = random();
    INSERT INTO calendar_versions (kind, id, version) VALUES ('host', NEW.user_id, random())
    ON CONFLICT (kind, id) DO UPDATE SET version = random();
END;
CREATE TRIGGER out_of_office_change_calendar_on_delete
AFTER DELETE ON out_of_office
BEGIN
    INSERT INTO calendar_versions (kind, id, version) VALUES ('host', OLD.user_id, random())
    ON CONFLICT (kind, id) DO UPDATE SET version = random();
END;
