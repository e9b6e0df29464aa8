-- Full-text indexes for the search of bookings. The tokenizer folds case and accents; marks belong
-- to words, as in Thai and Hindi. They have copies of the texts: with `content =` (SQLite 3.46),
-- `secure-delete` damages an index at the next deletion.

CREATE VIRTUAL TABLE booking_search USING fts5(
    title, uid, prefix = '1 2 3',
    tokenize = "unicode61 remove_diacritics 2 categories 'L* M* N* Co'");
CREATE VIRTUAL TABLE attendee_search USING fts5(
    name, email, prefix = '1 2 3',
    tokenize = "unicode61 remove_diacritics 2 categories 'L* M* N* Co'");
CREATE VIRTUAL TABLE event_type_search USING fts5(
    title, prefix = '1 2 3',
    tokenize = "unicode61 remove_diacritics 2 categories 'L* M* N* Co'");

-- Deleted words leave the index at once.
INSERT INTO booking_search (booking_search, rank) VALUES ('secure-delete', 1);
INSERT INTO attendee_search (attendee_search, rank) VALUES ('secure-delete', 1);
INSERT INTO event_type_search (event_type_search, rank) VALUES ('secure-delete', 1);

INSERT INTO booking_search (rowid, title, uid) SELECT id, title, uid FROM bookings;
INSERT INTO attendee_search (rowid, name, email) SELECT id, name, email FROM attendees;
INSERT INTO event_type_search (rowid, title)
    SELECT id, coalesce(json_extract(settings, '$.title'), '') FROM event_types WHERE json_valid(settings);

CREATE TRIGGER booking_search_insert AFTER INSERT ON bookings
BEGIN
    INSERT INTO booking_search (rowid, title, uid) VALUES (NEW.id, NEW.title, NEW.uid);
END;
CREATE TRIGGER booking_search_delete AFTER DELETE ON bookings
BEGIN
    DELETE FROM booking_search WHERE rowid = OLD.id;
END;
CREATE TRIGGER booking_search_update AFTER UPDATE OF id, title, uid ON bookings
WHEN OLD.id <> NEW.id OR OLD.title <> NEW.title OR OLD.uid <> NEW.uid
BEGIN
    DELETE FROM booking_search WHERE rowid = OLD.id;
    INSERT INTO booking_search (rowid, title, uid) VALUES (NEW.id, NEW.title, NEW.uid);
END;

CREATE TRIGGER attendee_search_insert AFTER INSERT ON attendees
BEGIN
    INSERT INTO attendee_search (rowid, name, email) VALUES (NEW.id, NEW.name, NEW.email);
END;
CREATE TRIGGER attendee_search_delete AFTER DELETE ON attendees
BEGIN
    DELETE FROM attendee_search WHERE rowid = OLD.id;
END;
CREATE TRIGGER attendee_search_update AFTER UPDATE OF id, name, email ON attendees
WHEN OLD.id <> NEW.id OR OLD.name <> NEW.name OR OLD.email <> NEW.email
BEGIN
    DELETE FROM attendee_search WHERE rowid = OLD.id;
    INSERT INTO attendee_search (rowid, name, email) VALUES (NEW.id, NEW.name, NEW.email);
END;

CREATE TRIGGER event_type_search_insert AFTER INSERT ON event_types WHEN json_valid(NEW.settings)
BEGIN
    INSERT INTO event_type_search (rowid, title)
    VALUES (NEW.id, coalesce(json_extract(NEW.settings, '$.title'), ''));
END;
CREATE TRIGGER event_type_search_delete AFTER DELETE ON event_types
BEGIN
    DELETE FROM event_type_search WHERE rowid = OLD.id;
END;
CREATE TRIGGER event_type_search_update AFTER UPDATE OF id, settings ON event_types
WHEN OLD.id <> NEW.id OR OLD.settings <> NEW.settings
BEGIN
    DELETE FROM event_type_search WHERE rowid = OLD.id;
    INSERT INTO event_type_search (rowid, title)
    SELECT NEW.id, coalesce(json_extract(NEW.settings, '$.title'), '')
    WHERE json_valid(NEW.settings);
END;
