-- Search of bookings: letters of Latin scripts that have no decomposition are found by plain ones, as in PostgreSQL, and
-- e-mail addresses by each of their words.
-- Earlier versions may go on: they find the same bookings, except by these letters themselves, which they do not fold in
-- what is searched for.

-- Takes the text of a row, and the text of its second column, for the index that is named.
-- The name begins with that of an index, so that the triggers of the views stay while data are copied from another database.
CREATE VIEW booking_search_input (target, id, text, further) AS SELECT '', 0, '', '' WHERE 0;
-- The same with folded text.
CREATE VIEW booking_search_folded (target, id, text, further) AS SELECT '', 0, '', '' WHERE 0;

-- The letters are those of `FOLDED_LETTERS` in src/store/booking_search.rs. In three steps: the parser of SQLite up to 3.45
-- has a stack of 100 entries.
CREATE TRIGGER booking_search_fold INSTEAD OF INSERT ON booking_search_input
BEGIN
    INSERT INTO booking_search_folded (target, id, text, further)
    SELECT NEW.target, NEW.id,
        replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
        replace(replace(replace(replace(replace(replace(text,
        'Ƒ', 'f'), 'ƒ', 'f'), 'Ɠ', 'g'), 'ɠ', 'g'), 'Ɣ', 'g'), 'ɣ', 'g'), 'Ɩ', 'i'), 'ɩ', 'i'),
        'Ƙ', 'k'), 'ƙ', 'k'), 'Ɲ', 'n'), 'ɲ', 'n'), 'Ɔ', 'o'), 'ɔ', 'o'), 'Ʋ', 'v'), 'ʋ', 'v'),
        'Ƴ', 'y'), 'ƴ', 'y'),
        NEW.further
    FROM (SELECT
        replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
        replace(replace(replace(replace(replace(replace(replace(text,
        'ł', 'l'), 'Ø', 'o'), 'ø', 'o'), 'Ŧ', 't'), 'ŧ', 't'), 'Ŋ', 'n'), 'ŋ', 'n'), 'Ə', 'e'),
        'ə', 'e'), 'Ǝ', 'e'), 'ǝ', 'e'), 'Ɓ', 'b'), 'ɓ', 'b'), 'Ɖ', 'd'), 'ɖ', 'd'), 'Ɗ', 'd'),
        'ɗ', 'd'), 'Ɛ', 'e'), 'ɛ', 'e') AS text
        FROM (SELECT
        replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(replace(
        replace(replace(replace(replace(replace(replace(replace(NEW.text,
        'Æ', 'ae'), 'æ', 'ae'), 'Œ', 'oe'), 'œ', 'oe'), 'Þ', 'th'), 'þ', 'th'), 'ẞ', 'ss'),
        'ß', 'ss'), 'Ĳ', 'ij'), 'ĳ', 'ij'), 'ı', 'i'), 'ĸ', 'q'), 'Đ', 'd'), 'đ', 'd'),
        'Ð', 'd'), 'ð', 'd'), 'Ħ', 'h'), 'ħ', 'h'), 'Ł', 'l') AS text));
END;
CREATE TRIGGER booking_search_distribute INSTEAD OF INSERT ON booking_search_folded
BEGIN
    INSERT INTO booking_search (rowid, title, uid) SELECT NEW.id, NEW.text, NEW.further WHERE NEW.target = 'booking';
    INSERT INTO attendee_search (rowid, name, email) SELECT NEW.id, NEW.text, NEW.further WHERE NEW.target = 'attendee';
    INSERT INTO event_type_search (rowid, title) SELECT NEW.id, NEW.text WHERE NEW.target = 'event_type';
    INSERT INTO user_search (rowid, name) SELECT NEW.id, NEW.text WHERE NEW.target = 'user';
END;

DROP TRIGGER booking_search_insert;
DROP TRIGGER booking_search_update;
CREATE TRIGGER booking_search_insert AFTER INSERT ON bookings
BEGIN
    INSERT INTO booking_search_input (target, id, text, further)
    VALUES ('booking', NEW.id, NEW.title, NEW.uid);
END;
CREATE TRIGGER booking_search_update AFTER UPDATE OF id, title, uid ON bookings
WHEN OLD.id <> NEW.id OR OLD.title <> NEW.title OR OLD.uid <> NEW.uid
BEGIN
    DELETE FROM booking_search WHERE rowid = OLD.id;
    INSERT INTO booking_search_input (target, id, text, further)
    VALUES ('booking', NEW.id, NEW.title, NEW.uid);
END;
DROP TRIGGER attendee_search_insert;
DROP TRIGGER attendee_search_update;
CREATE TRIGGER attendee_search_insert AFTER INSERT ON attendees
BEGIN
    INSERT INTO booking_search_input (target, id, text, further)
    VALUES ('attendee', NEW.id, NEW.name, NEW.email);
END;
CREATE TRIGGER attendee_search_update AFTER UPDATE OF id, name, email ON attendees
WHEN OLD.id <> NEW.id OR OLD.name <> NEW.name OR OLD.email <> NEW.email
BEGIN
    DELETE FROM attendee_search WHERE rowid = OLD.id;
    INSERT INTO booking_search_input (target, id, text, further)
    VALUES ('attendee', NEW.id, NEW.name, NEW.email);
END;
DROP TRIGGER event_type_search_insert;
DROP TRIGGER event_type_search_update;
CREATE TRIGGER event_type_search_insert AFTER INSERT ON event_types WHEN json_valid(NEW.settings)
BEGIN
    INSERT INTO booking_search_input (target, id, text, further)
    VALUES ('event_type', NEW.id, coalesce(json_extract(NEW.settings, '$.title'), ''), '');
END;
CREATE TRIGGER event_type_search_update AFTER UPDATE OF id, settings ON event_types
WHEN OLD.id <> NEW.id OR OLD.settings <> NEW.settings
BEGIN
    DELETE FROM event_type_search WHERE rowid = OLD.id;
    INSERT INTO booking_search_input (target, id, text, further)
    SELECT 'event_type', NEW.id, coalesce(json_extract(NEW.settings, '$.title'), ''), '' WHERE json_valid(NEW.settings);
END;
DROP TRIGGER user_search_insert;
DROP TRIGGER user_search_update;
CREATE TRIGGER user_search_insert AFTER INSERT ON users
BEGIN
    INSERT INTO booking_search_input (target, id, text, further)
    VALUES ('user', NEW.id, coalesce(NEW.name, ''), '');
END;
CREATE TRIGGER user_search_update AFTER UPDATE OF id, name ON users
WHEN OLD.id <> NEW.id OR OLD.name IS NOT NEW.name
BEGIN
    DELETE FROM user_search WHERE rowid = OLD.id;
    INSERT INTO booking_search_input (target, id, text, further)
    VALUES ('user', NEW.id, coalesce(NEW.name, ''), '');
END;

-- Rows with such letters are indexed again.
DELETE FROM booking_search WHERE rowid IN (SELECT id FROM bookings WHERE title GLOB
    '*[ÆæŒœÞþẞßĲĳıĸĐđÐðĦħŁłØøŦŧŊŋƏəƎǝƁɓƉɖƊɗƐɛƑƒƓɠƔɣƖɩƘƙƝɲƆɔƲʋƳƴ]*');
INSERT INTO booking_search_input (target, id, text, further)
SELECT 'booking', id, title, uid FROM bookings WHERE title GLOB
    '*[ÆæŒœÞþẞßĲĳıĸĐđÐðĦħŁłØøŦŧŊŋƏəƎǝƁɓƉɖƊɗƐɛƑƒƓɠƔɣƖɩƘƙƝɲƆɔƲʋƳƴ]*';
DELETE FROM attendee_search WHERE rowid IN (SELECT id FROM attendees WHERE name GLOB
    '*[ÆæŒœÞþẞßĲĳıĸĐđÐðĦħŁłØøŦŧŊŋƏəƎǝƁɓƉɖƊɗƐɛƑƒƓɠƔɣƖɩƘƙƝɲƆɔƲʋƳƴ]*');
INSERT INTO booking_search_input (target, id, text, further)
SELECT 'attendee', id, name, email FROM attendees WHERE name GLOB
    '*[ÆæŒœÞþẞßĲĳıĸĐđÐðĦħŁłØøŦŧŊŋƏəƎǝƁɓƉɖƊɗƐɛƑƒƓɠƔɣƖɩƘƙƝɲƆɔƲʋƳƴ]*';
DELETE FROM event_type_search WHERE rowid IN (SELECT id FROM event_types WHERE json_valid(settings)
    AND json_extract(settings, '$.title') GLOB
    '*[ÆæŒœÞþẞßĲĳıĸĐđÐðĦħŁłØøŦŧŊŋƏəƎǝƁɓƉɖƊɗƐɛƑƒƓɠƔɣƖɩƘƙƝɲƆɔƲʋƳƴ]*');
INSERT INTO booking_search_input (target, id, text, further)
SELECT 'event_type', id, json_extract(settings, '$.title'), '' FROM event_types WHERE json_valid(settings)
    AND json_extract(settings, '$.title') GLOB
    '*[ÆæŒœÞþẞßĲĳıĸĐđÐðĦħŁłØøŦŧŊŋƏəƎǝƁɓƉɖƊɗƐɛƑƒƓɠƔɣƖɩƘƙƝɲƆɔƲʋƳƴ]*';
DELETE FROM user_search WHERE rowid IN (SELECT id FROM users WHERE name GLOB
    '*[ÆæŒœÞþẞßĲĳıĸĐđÐðĦħŁłØøŦŧŊŋƏəƎǝƁɓƉɖƊɗƐɛƑƒƓɠƔɣƖɩƘƙƝɲƆɔƲʋƳƴ]*');
INSERT INTO booking_search_input (target, id, text, further)
SELECT 'user', id, name, '' FROM users WHERE name GLOB
    '*[ÆæŒœÞþẞßĲĳıĸĐđÐðĦħŁłØøŦŧŊŋƏəƎǝƁɓƉɖƊɗƐɛƑƒƓɠƔɣƖɩƘƙƝɲƆɔƲʋƳƴ]*';
