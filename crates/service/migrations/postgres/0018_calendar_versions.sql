-- Versions of what slots are computed from, for caches: see ../0018_calendar_versions.sql.

CREATE TABLE calendar_versions (
    kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('catalogue', 'buffers', 'host', 'event_type')),
    id BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (kind, id)
    -- Room for new versions of a row in its page.
) WITH (fillfactor = 50);
INSERT INTO calendar_versions (kind, id, version) VALUES ('catalogue', 0, 0), ('buffers', 0, 0);

CREATE FUNCTION random_version() RETURNS bigint
LANGUAGE sql VOLATILE AS $$ SELECT (random() * 9007199254740991)::bigint $$;

-- Catalogue.

CREATE FUNCTION change_catalogue() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE calendar_versions SET version = random_version() WHERE kind = 'catalogue' AND id = 0;
    RETURN NULL;
END
$$;
CREATE TRIGGER organizations_change_catalogue
AFTER INSERT OR UPDATE OR DELETE ON organizations
FOR EACH STATEMENT EXECUTE FUNCTION change_catalogue();
CREATE TRIGGER users_change_catalogue
AFTER INSERT OR UPDATE OR DELETE ON users
FOR EACH STATEMENT EXECUTE FUNCTION change_catalogue();
CREATE TRIGGER teams_change_catalogue
AFTER INSERT OR UPDATE OR DELETE ON teams
FOR EACH STATEMENT EXECUTE FUNCTION change_catalogue();
CREATE TRIGGER event_types_change_catalogue
AFTER INSERT OR UPDATE OR DELETE ON event_types
FOR EACH STATEMENT EXECUTE FUNCTION change_catalogue();
CREATE TRIGGER event_type_hosts_change_catalogue
AFTER INSERT OR UPDATE OR DELETE ON event_type_hosts
FOR EACH STATEMENT EXECUTE FUNCTION change_catalogue();
CREATE TRIGGER schedules_change_catalogue
AFTER INSERT OR UPDATE OR DELETE ON schedules
FOR EACH STATEMENT EXECUTE FUNCTION change_catalogue();
CREATE TRIGGER schedule_hours_change_catalogue
AFTER INSERT OR UPDATE OR DELETE ON schedule_hours
FOR EACH STATEMENT EXECUTE FUNCTION change_catalogue();

CREATE FUNCTION change_buffers() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE calendar_versions SET version = random_version() WHERE kind = 'buffers' AND id = 0;
    RETURN NULL;
END
$$;
CREATE TRIGGER event_types_change_buffers
AFTER UPDATE OF before_minutes, after_minutes, blocks_unconfirmed ON event_types
FOR EACH STATEMENT EXECUTE FUNCTION change_buffers();

-- Changes the versions of hosts or event types. NULL is ignored.
CREATE FUNCTION change_calendar(of_kind text, of_ids bigint[]) RETURNS void
LANGUAGE sql AS $$
    INSERT INTO calendar_versions (kind, id, version)
    SELECT of_kind, id, random_version() FROM (SELECT DISTINCT id FROM unnest(of_ids) AS ids (id) WHERE id IS NOT NULL ORDER BY id) AS changed
    ON CONFLICT (kind, id) DO UPDATE SET version = excluded.version
$$;

-- Bookings, their hosts and the attendees who are users. What is deleted with a booking or a reservation has triggers
-- of its own.

CREATE FUNCTION bookings_change_calendar() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM change_calendar('event_type', ARRAY[OLD.event_type_id, NEW.event_type_id]);
    IF TG_OP = 'UPDATE' THEN
        PERFORM change_calendar('host', ARRAY(
            SELECT user_id FROM booking_hosts WHERE booking_id = NEW.id
            UNION SELECT user_id FROM attendees WHERE booking_id = NEW.id));
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER bookings_change_calendar
AFTER INSERT OR DELETE OR UPDATE OF uid, event_type_id, status, start_ms, end_ms, seated, seats ON bookings
FOR EACH ROW EXECUTE FUNCTION bookings_change_calendar();

CREATE FUNCTION booking_hosts_change_calendar() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM change_calendar('host', ARRAY[OLD.user_id, NEW.user_id]);
    PERFORM change_calendar('event_type', ARRAY(
        SELECT event_type_id FROM bookings WHERE id IN (OLD.booking_id, NEW.booking_id) AND seated = 1));
    RETURN NULL;
END
$$;
CREATE TRIGGER booking_hosts_change_calendar
AFTER INSERT OR UPDATE OR DELETE ON booking_hosts
FOR EACH ROW EXECUTE FUNCTION booking_hosts_change_calendar();

CREATE FUNCTION attendees_change_calendar() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM change_calendar('host', ARRAY[OLD.user_id, NEW.user_id]);
    PERFORM change_calendar('event_type', ARRAY(
        SELECT event_type_id FROM bookings WHERE id IN (OLD.booking_id, NEW.booking_id)));
    RETURN NULL;
END
$$;
CREATE TRIGGER attendees_change_calendar_on_insert
AFTER INSERT ON attendees
FOR EACH ROW WHEN (NEW.user_id IS NOT NULL OR NEW.seat_uid IS NOT NULL)
EXECUTE FUNCTION attendees_change_calendar();
CREATE TRIGGER attendees_change_calendar_on_update
AFTER UPDATE OF booking_id, user_id, seat_uid ON attendees
FOR EACH ROW EXECUTE FUNCTION attendees_change_calendar();
CREATE TRIGGER attendees_change_calendar_on_delete
AFTER DELETE ON attendees
FOR EACH ROW WHEN (OLD.user_id IS NOT NULL OR OLD.seat_uid IS NOT NULL)
EXECUTE FUNCTION attendees_change_calendar();

-- Reservations and absences.

CREATE FUNCTION reservations_change_calendar() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM change_calendar('event_type', ARRAY[OLD.event_type_id, NEW.event_type_id]);
    IF TG_OP = 'UPDATE' THEN
        PERFORM change_calendar('host', ARRAY(
            SELECT user_id FROM reservation_hosts WHERE reservation_id = NEW.id));
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER reservations_change_calendar
AFTER INSERT OR UPDATE OR DELETE ON reservations
FOR EACH ROW EXECUTE FUNCTION reservations_change_calendar();

CREATE FUNCTION hosts_change_calendar() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM change_calendar('host', ARRAY[OLD.user_id, NEW.user_id]);
    RETURN NULL;
END
$$;
CREATE TRIGGER reservation_hosts_change_calendar
AFTER INSERT OR UPDATE OR DELETE ON reservation_hosts
FOR EACH ROW EXECUTE FUNCTION hosts_change_calendar();
CREATE TRIGGER out_of_office_change_calendar
AFTER INSERT OR UPDATE OR DELETE ON out_of_office
FOR EACH ROW EXECUTE FUNCTION hosts_change_calendar();
