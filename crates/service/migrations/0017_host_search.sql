-- Full-text index of users' names, for the search of bookings by host. As those of migration 16.

CREATE VIRTUAL TABLE user_search USING fts5(
    name, prefix = '1 2 3',
    tokenize = "unicode61 remove_diacritics 2 categories 'L* M* N* Co'");

-- Deleted words leave the index at once.
INSERT INTO user_search (user_search, rank) VALUES ('secure-delete', 1);

INSERT INTO user_search (rowid, name) SELECT id, coalesce(name, '') FROM users;

CREATE TRIGGER user_search_insert AFTER INSERT ON users
BEGIN
    INSERT INTO user_search (rowid, name) VALUES (NEW.id, coalesce(NEW.name, ''));
END;
CREATE TRIGGER user_search_delete AFTER DELETE ON users
BEGIN
    DELETE FROM user_search WHERE rowid = OLD.id;
END;
CREATE TRIGGER user_search_update AFTER UPDATE OF id, name ON users
WHEN OLD.id <> NEW.id OR OLD.name IS NOT NEW.name
BEGIN
    DELETE FROM user_search WHERE rowid = OLD.id;
    INSERT INTO user_search (rowid, name) VALUES (NEW.id, coalesce(NEW.name, ''));
END;
