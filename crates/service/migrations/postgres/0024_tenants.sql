-- Tenants: what belongs to an organization says so, and what is cached has a version of its own.
--
-- Earlier versions took one lock over all organizations and read the version of everything: they cannot run beside this
-- one.

-- The organization of each booking and of what belongs to it: that of the event type's team, or of its owner. NULL for
-- people without one. Copied, so that export, deletion, limits and partitions by organization are one condition.

ALTER TABLE bookings ADD COLUMN organization_id BIGINT;
ALTER TABLE booking_hosts ADD COLUMN organization_id BIGINT;
ALTER TABLE attendees ADD COLUMN organization_id BIGINT;
ALTER TABLE webhook_deliveries ADD COLUMN organization_id BIGINT;
ALTER TABLE mail_events ADD COLUMN organization_id BIGINT;
ALTER TABLE mail_messages ADD COLUMN organization_id BIGINT;
UPDATE bookings SET organization_id = coalesce(
    (SELECT t.organization_id FROM teams t WHERE t.id = bookings.team_id),
    (SELECT t.organization_id FROM event_types e JOIN teams t ON t.id = e.team_id WHERE e.id = bookings.event_type_id),
    (SELECT u.organization_id FROM event_types e JOIN users u ON u.id = e.owner_id WHERE e.id = bookings.event_type_id));
UPDATE booking_hosts SET organization_id = (SELECT b.organization_id FROM bookings b WHERE b.id = booking_hosts.booking_id);
UPDATE attendees SET organization_id = (SELECT b.organization_id FROM bookings b WHERE b.id = attendees.booking_id);
UPDATE mail_events SET organization_id = (SELECT b.organization_id FROM bookings b WHERE b.uid = mail_events.booking_uid);
UPDATE mail_messages SET organization_id =
    (SELECT b.organization_id FROM bookings b WHERE b.uid = mail_messages.booking_uid);
UPDATE webhook_deliveries SET organization_id = (SELECT coalesce(w.organization_id, t.organization_id, u.organization_id)
    FROM webhooks w
    LEFT JOIN oauth_clients c ON c.id = w.oauth_client_id
    LEFT JOIN event_types e ON e.id = w.event_type_id
    LEFT JOIN teams t ON t.id = e.team_id
    LEFT JOIN users u ON u.id = coalesce(w.user_id, e.owner_id, c.owner_id)
    WHERE w.id = webhook_deliveries.webhook_id);
CREATE INDEX bookings_by_organization ON bookings (organization_id, start_ms) WHERE organization_id IS NOT NULL;

-- The database has the last word, as for the teams of an organization.
CREATE UNIQUE INDEX teams_without_organization_by_slug ON teams (slug) WHERE organization_id IS NULL;

-- Versions of what event types are read from, with their hosts, names and working hours; as calendar_versions has them of
-- busy times. Small enough that those of all people of an event type can be added up.
CREATE TABLE setup_versions (
    kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('event_type', 'person', 'team')),
    id BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (kind, id)
) WITH (fillfactor = 50);

DROP TRIGGER organizations_change_catalogue ON organizations;
DROP TRIGGER users_change_catalogue ON users;
DROP TRIGGER teams_change_catalogue ON teams;
DROP TRIGGER event_types_change_catalogue ON event_types;
DROP TRIGGER event_type_hosts_change_catalogue ON event_type_hosts;
DROP TRIGGER schedules_change_catalogue ON schedules;
DROP TRIGGER schedule_hours_change_catalogue ON schedule_hours;
DROP FUNCTION change_catalogue;
DROP TRIGGER event_types_change_buffers ON event_types;
DROP FUNCTION change_buffers;
DELETE FROM calendar_versions WHERE kind IN ('catalogue', 'buffers');

-- Changes versions. NULL is ignored.
CREATE FUNCTION change_setup(of_kind text, of_ids bigint[]) RETURNS void
LANGUAGE sql AS $$
    INSERT INTO setup_versions (kind, id, version)
    SELECT of_kind, id, (random() * 1099511627775)::bigint
    FROM (SELECT DISTINCT id FROM unnest(of_ids) AS ids (id) WHERE id IS NOT NULL ORDER BY id) AS changed
    ON CONFLICT (kind, id) DO UPDATE SET version = excluded.version
$$;

CREATE FUNCTION users_change_setup() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM change_setup('person', ARRAY[OLD.id]);
    RETURN NULL;
END
$$;
CREATE TRIGGER users_change_setup
AFTER UPDATE OR DELETE ON users
FOR EACH ROW EXECUTE FUNCTION users_change_setup();

-- Its people and teams are found with its slug.
CREATE FUNCTION organizations_change_setup() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM change_setup('person', ARRAY(SELECT id FROM users WHERE organization_id = NEW.id));
    PERFORM change_setup('team', ARRAY(SELECT id FROM teams WHERE organization_id = NEW.id));
    RETURN NULL;
END
$$;
CREATE TRIGGER organizations_change_setup
AFTER UPDATE ON organizations
FOR EACH ROW EXECUTE FUNCTION organizations_change_setup();

-- Of teams with one slug, the first is found by it.
CREATE FUNCTION teams_change_setup() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM change_setup('team', ARRAY(SELECT id FROM teams WHERE slug IN (OLD.slug, NEW.slug)) || OLD.id);
    RETURN NULL;
END
$$;
CREATE TRIGGER teams_change_setup
AFTER INSERT OR UPDATE OR DELETE ON teams
FOR EACH ROW EXECUTE FUNCTION teams_change_setup();

-- People can be booked as a group while they have a visible event type.
CREATE FUNCTION event_types_change_setup() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM change_setup('event_type', ARRAY[OLD.id]);
    IF TG_OP = 'DELETE' OR OLD.hidden <> NEW.hidden THEN
        PERFORM change_setup('person', ARRAY(
            SELECT user_id FROM event_type_hosts WHERE event_type_id = OLD.id) || OLD.owner_id);
    END IF;
    RETURN NULL;
END
$$;
CREATE TRIGGER event_types_change_setup
AFTER UPDATE OR DELETE ON event_types
FOR EACH ROW EXECUTE FUNCTION event_types_change_setup();

CREATE FUNCTION event_type_hosts_change_setup() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM change_setup('event_type', ARRAY[OLD.event_type_id, NEW.event_type_id]);
    PERFORM change_setup('person', ARRAY[OLD.user_id, NEW.user_id]);
    RETURN NULL;
END
$$;
CREATE TRIGGER event_type_hosts_change_setup
AFTER INSERT OR UPDATE OR DELETE ON event_type_hosts
FOR EACH ROW EXECUTE FUNCTION event_type_hosts_change_setup();

CREATE FUNCTION schedules_change_setup() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM change_setup('person', ARRAY[OLD.owner_id, NEW.owner_id]);
    PERFORM change_setup('event_type', ARRAY(SELECT id FROM event_types WHERE schedule_id IN (OLD.id, NEW.id)));
    RETURN NULL;
END
$$;
CREATE TRIGGER schedules_change_setup
AFTER INSERT OR UPDATE OR DELETE ON schedules
FOR EACH ROW EXECUTE FUNCTION schedules_change_setup();

-- One change for all hours of a statement.
CREATE FUNCTION schedule_hours_change_setup() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM change_setup('person', ARRAY(
        SELECT owner_id FROM schedules WHERE id IN (SELECT schedule_id FROM changed)));
    PERFORM change_setup('event_type', ARRAY(
        SELECT id FROM event_types WHERE schedule_id IN (SELECT schedule_id FROM changed)));
    RETURN NULL;
END
$$;
CREATE TRIGGER schedule_hours_change_setup_on_insert
AFTER INSERT ON schedule_hours REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT EXECUTE FUNCTION schedule_hours_change_setup();
CREATE TRIGGER schedule_hours_change_setup_on_update
AFTER UPDATE ON schedule_hours REFERENCING NEW TABLE AS changed
FOR EACH STATEMENT EXECUTE FUNCTION schedule_hours_change_setup();
CREATE TRIGGER schedule_hours_change_setup_on_delete
AFTER DELETE ON schedule_hours REFERENCING OLD TABLE AS changed
FOR EACH STATEMENT EXECUTE FUNCTION schedule_hours_change_setup();

-- Busy times include the buffers of the event types that people are booked with.
CREATE FUNCTION event_types_change_busy_times() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM change_calendar('host', ARRAY(
        SELECT h.user_id FROM bookings b JOIN booking_hosts h ON h.booking_id = b.id WHERE b.event_type_id = NEW.id
        UNION SELECT a.user_id FROM bookings b JOIN attendees a ON a.booking_id = b.id WHERE b.event_type_id = NEW.id
        UNION SELECT h.user_id FROM reservations r JOIN reservation_hosts h ON h.reservation_id = r.id
        WHERE r.event_type_id = NEW.id));
    RETURN NULL;
END
$$;
CREATE TRIGGER event_types_change_busy_times
AFTER UPDATE ON event_types
FOR EACH ROW WHEN (OLD.before_minutes <> NEW.before_minutes OR OLD.after_minutes <> NEW.after_minutes
    OR OLD.blocks_unconfirmed <> NEW.blocks_unconfirmed)
EXECUTE FUNCTION event_types_change_busy_times();

UPDATE schema_compatibility SET oldest_version = 24;
