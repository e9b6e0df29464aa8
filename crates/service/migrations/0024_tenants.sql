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
    kind TEXT NOT NULL CHECK (kind IN ('event_type', 'person', 'team')),
    id BIGINT NOT NULL,
    version BIGINT NOT NULL,
    PRIMARY KEY (kind, id)
) WITHOUT ROWID;

DROP TRIGGER organizations_change_catalogue_on_insert;
DROP TRIGGER organizations_change_catalogue_on_update;
DROP TRIGGER organizations_change_catalogue_on_delete;
DROP TRIGGER users_change_catalogue_on_insert;
DROP TRIGGER users_change_catalogue_on_update;
DROP TRIGGER users_change_catalogue_on_delete;
DROP TRIGGER teams_change_catalogue_on_insert;
DROP TRIGGER teams_change_catalogue_on_update;
DROP TRIGGER teams_change_catalogue_on_delete;
DROP TRIGGER event_types_change_catalogue_on_insert;
DROP TRIGGER event_types_change_catalogue_on_update;
DROP TRIGGER event_types_change_catalogue_on_delete;
DROP TRIGGER event_type_hosts_change_catalogue_on_insert;
DROP TRIGGER event_type_hosts_change_catalogue_on_update;
DROP TRIGGER event_type_hosts_change_catalogue_on_delete;
DROP TRIGGER schedules_change_catalogue_on_insert;
DROP TRIGGER schedules_change_catalogue_on_update;
DROP TRIGGER schedules_change_catalogue_on_delete;
DROP TRIGGER schedule_hours_change_catalogue_on_insert;
DROP TRIGGER schedule_hours_change_catalogue_on_update;
DROP TRIGGER schedule_hours_change_catalogue_on_delete;
DROP TRIGGER event_types_change_buffers;
DELETE FROM calendar_versions WHERE kind IN ('catalogue', 'buffers');

CREATE TRIGGER users_change_setup_on_update
AFTER UPDATE ON users
BEGIN
    INSERT INTO setup_versions (kind, id, version) VALUES ('person', NEW.id, abs(random() % 1099511627776))
    ON CONFLICT (kind, id) DO UPDATE SET version = abs(random() % 1099511627776);
END;
CREATE TRIGGER users_change_setup_on_delete
AFTER DELETE ON users
BEGIN
    INSERT INTO setup_versions (kind, id, version) VALUES ('person', OLD.id, abs(random() % 1099511627776))
    ON CONFLICT (kind, id) DO UPDATE SET version = abs(random() % 1099511627776);
END;
-- Its people and teams are found with its slug.
CREATE TRIGGER organizations_change_setup
AFTER UPDATE ON organizations
BEGIN
    INSERT INTO setup_versions (kind, id, version) SELECT 'person', id, abs(random() % 1099511627776) FROM users WHERE organization_id = NEW.id
    ON CONFLICT (kind, id) DO UPDATE SET version = abs(random() % 1099511627776);
    INSERT INTO setup_versions (kind, id, version) SELECT 'team', id, abs(random() % 1099511627776) FROM teams WHERE organization_id = NEW.id
    ON CONFLICT (kind, id) DO UPDATE SET version = abs(random() % 1099511627776);
END;
-- Of teams with one slug, the first is found by it.
CREATE TRIGGER teams_change_setup_on_insert
AFTER INSERT ON teams
BEGIN
    INSERT INTO setup_versions (kind, id, version) SELECT 'team', id, abs(random() % 1099511627776) FROM teams WHERE slug IN (NEW.slug)
    ON CONFLICT (kind, id) DO UPDATE SET version = abs(random() % 1099511627776);
END;
CREATE TRIGGER teams_change_setup_on_update
AFTER UPDATE ON teams
BEGIN
    INSERT INTO setup_versions (kind, id, version) SELECT 'team', id, abs(random() % 1099511627776) FROM teams WHERE slug IN (OLD.slug, NEW.slug)
    ON CONFLICT (kind, id) DO UPDATE SET version = abs(random() % 1099511627776);
END;
CREATE TRIGGER teams_change_setup_on_delete
AFTER DELETE ON teams
BEGIN
    INSERT INTO setup_versions (kind, id, version) SELECT 'team', id, abs(random() % 1099511627776) FROM teams WHERE slug IN (OLD.slug)
    ON CONFLICT (kind, id) DO UPDATE SET version = abs(random() % 1099511627776);
    INSERT INTO setup_versions (kind, id, version) VALUES ('team', OLD.id, abs(random() % 1099511627776))
    ON CONFLICT (kind, id) DO UPDATE SET version = abs(random() % 1099511627776);
END;
-- People can be booked as a group while they have a visible event type.
CREATE TRIGGER event_types_change_setup_on_update
AFTER UPDATE ON event_types
BEGIN
    INSERT INTO setup_versions (kind, id, version) VALUES ('event_type', NEW.id, abs(random() % 1099511627776))
    ON CONFLICT (kind, id) DO UPDATE SET version = abs(random() % 1099511627776);
END;
CREATE TRIGGER event_types_change_setup_of_people_on_update
AFTER UPDATE OF hidden ON event_types
WHEN OLD.hidden <> NEW.hidden
BEGIN
    INSERT INTO setup_versions (kind, id, version) SELECT 'person', user_id, abs(random() % 1099511627776) FROM (SELECT OLD.owner_id AS user_id UNION SELECT user_id FROM event_type_hosts WHERE event_type_id = OLD.id) WHERE user_id IS NOT NULL
    ON CONFLICT (kind, id) DO UPDATE SET version = abs(random() % 1099511627776);
END;
CREATE TRIGGER event_types_change_setup_on_delete
AFTER DELETE ON event_types
BEGIN
    INSERT INTO setup_versions (kind, id, version) VALUES ('event_type', OLD.id, abs(random() % 1099511627776))
    ON CONFLICT (kind, id) DO UPDATE SET version = abs(random() % 1099511627776);
    INSERT INTO setup_versions (kind, id, version) SELECT 'person', user_id, abs(random() % 1099511627776) FROM (SELECT OLD.owner_id AS user_id UNION SELECT user_id FROM event_type_hosts WHERE event_type_id = OLD.id) WHERE user_id IS NOT NULL
    ON CONFLICT (kind, id) DO UPDATE SET version = abs(random() % 1099511627776);
END;
CREATE TRIGGER event_type_hosts_change_setup_on_insert
AFTER INSERT ON event_type_hosts
BEGIN
    INSERT INTO setup_versions (kind, id, version) VALUES ('event_type', NEW.event_type_id, abs(random() % 1099511627776))
    ON CONFLICT (kind, id) DO UPDATE SET version = abs(random() % 1099511627776);
    INSERT INTO setup_versions (kind, id, version) VALUES ('person', NEW.user_id, abs(random() % 1099511627776))
    ON CONFLICT (kind, id) DO UPDATE SET version = abs(random() % 1099511627776);
END;
CREATE TRIGGER event_type_hosts_change_setup_on_update
AFTER UPDATE ON event_type_hosts
BEGIN
    INSERT INTO setup_versions (kind, id, version) VALUES ('event_type', OLD.event_type_id, abs(random() % 1099511627776))
    ON CONFLICT (kind, id) DO UPDATE SET version = abs(random() % 1099511627776);
    INSERT INTO setup_versions (kind, id, version) VALUES ('person', OLD.user_id, abs(random() % 1099511627776))
    ON CONFLICT (kind, id) DO UPDATE SET version = abs(random() % 1099511627776);
    INSERT INTO setup_versions (kind, id, version) VALUES ('event_type', NEW.event_type_id, abs(random() % 1099511627776))
    ON CONFLICT (kind, id) DO UPDATE SET version = abs(random() % 1099511627776);
    INSERT INTO setup_versions (kind, id, version) VALUES ('person', NEW.user_id, abs(random() % 1099511627776))
    ON CONFLICT (kind, id) DO UPDATE SET version = abs(random() % 1099511627776);
END;
CREATE TRIGGER event_type_hosts_change_setup_on_delete
AFTER DELETE ON event_type_hosts
BEGIN
    INSERT INTO setup_versions (kind, id, version) VALUES ('event_type', OLD.event_type_id, abs(random() % 1099511627776))
    ON CONFLICT (kind, id) DO UPDATE SET version = abs(random() % 1099511627776);
    INSERT INTO setup_versions (kind, id, version) VALUES ('person', OLD.user_id, abs(random() % 1099511627776))
    ON CONFLICT (kind, id) DO UPDATE SET version = abs(random() % 1099511627776);
END;
CREATE TRIGGER schedules_change_setup_on_insert
AFTER INSERT ON schedules
BEGIN
    INSERT INTO setup_versions (kind, id, version) VALUES ('person', NEW.owner_id, abs(random() % 1099511627776))
    ON CONFLICT (kind, id) DO UPDATE SET version = abs(random() % 1099511627776);
    INSERT INTO setup_versions (kind, id, version) SELECT 'event_type', id, abs(random() % 1099511627776) FROM event_types WHERE schedule_id = NEW.id
    ON CONFLICT (kind, id) DO UPDATE SET version = abs(random() % 1099511627776);
END;
CREATE TRIGGER schedules_change_setup_on_update
AFTER UPDATE ON schedules
BEGIN
    INSERT INTO setup_versions (kind, id, version) VALUES ('person', NEW.owner_id, abs(random() % 1099511627776))
    ON CONFLICT (kind, id) DO UPDATE SET version = abs(random() % 1099511627776);
    INSERT INTO setup_versions (kind, id, version) SELECT 'event_type', id, abs(random() % 1099511627776) FROM event_types WHERE schedule_id = NEW.id
    ON CONFLICT (kind, id) DO UPDATE SET version = abs(random() % 1099511627776);
END;
CREATE TRIGGER schedules_change_setup_on_delete
AFTER DELETE ON schedules
BEGIN
    INSERT INTO setup_versions (kind, id, version) VALUES ('person', OLD.owner_id, abs(random() % 1099511627776))
    ON CONFLICT (kind, id) DO UPDATE SET version = abs(random() % 1099511627776);
    INSERT INTO setup_versions (kind, id, version) SELECT 'event_type', id, abs(random() % 1099511627776) FROM event_types WHERE schedule_id = OLD.id
    ON CONFLICT (kind, id) DO UPDATE SET version = abs(random() % 1099511627776);
END;
CREATE TRIGGER schedule_hours_change_setup_on_insert
AFTER INSERT ON schedule_hours
BEGIN
    INSERT INTO setup_versions (kind, id, version) SELECT 'person', owner_id, abs(random() % 1099511627776) FROM schedules WHERE id = NEW.schedule_id
    ON CONFLICT (kind, id) DO UPDATE SET version = abs(random() % 1099511627776);
    INSERT INTO setup_versions (kind, id, version) SELECT 'event_type', id, abs(random() % 1099511627776) FROM event_types WHERE schedule_id = NEW.schedule_id
    ON CONFLICT (kind, id) DO UPDATE SET version = abs(random() % 1099511627776);
END;
CREATE TRIGGER schedule_hours_change_setup_on_update
AFTER UPDATE ON schedule_hours
BEGIN
    INSERT INTO setup_versions (kind, id, version) SELECT 'person', owner_id, abs(random() % 1099511627776) FROM schedules WHERE id = NEW.schedule_id
    ON CONFLICT (kind, id) DO UPDATE SET version = abs(random() % 1099511627776);
    INSERT INTO setup_versions (kind, id, version) SELECT 'event_type', id, abs(random() % 1099511627776) FROM event_types WHERE schedule_id = NEW.schedule_id
    ON CONFLICT (kind, id) DO UPDATE SET version = abs(random() % 1099511627776);
END;
CREATE TRIGGER schedule_hours_change_setup_on_delete
AFTER DELETE ON schedule_hours
BEGIN
    INSERT INTO setup_versions (kind, id, version) SELECT 'person', owner_id, abs(random() % 1099511627776) FROM schedules WHERE id = OLD.schedule_id
    ON CONFLICT (kind, id) DO UPDATE SET version = abs(random() % 1099511627776);
    INSERT INTO setup_versions (kind, id, version) SELECT 'event_type', id, abs(random() % 1099511627776) FROM event_types WHERE schedule_id = OLD.schedule_id
    ON CONFLICT (kind, id) DO UPDATE SET version = abs(random() % 1099511627776);
END;

-- Busy times include the buffers of the event types that people are booked with.
CREATE TRIGGER event_types_change_busy_times
AFTER UPDATE OF before_minutes, after_minutes, blocks_unconfirmed ON event_types
WHEN OLD.before_minutes <> NEW.before_minutes OR OLD.after_minutes <> NEW.after_minutes
    OR OLD.blocks_unconfirmed <> NEW.blocks_unconfirmed
BEGIN
    INSERT INTO calendar_versions (kind, id, version)
    SELECT 'host', user_id, random() FROM (
        SELECT h.user_id FROM bookings b JOIN booking_hosts h ON h.booking_id = b.id WHERE b.event_type_id = NEW.id
        UNION SELECT a.user_id FROM bookings b JOIN attendees a ON a.booking_id = b.id WHERE b.event_type_id = NEW.id
        UNION SELECT h.user_id FROM reservations r JOIN reservation_hosts h ON h.reservation_id = r.id
        WHERE r.event_type_id = NEW.id)
    WHERE user_id IS NOT NULL
    ON CONFLICT (kind, id) DO UPDATE SET version = random();
END;

UPDATE schema_compatibility SET oldest_version = 24;
