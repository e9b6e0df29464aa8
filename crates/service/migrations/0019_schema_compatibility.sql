-- Which earlier versions of the service may use this schema, for replicas that run while a newer version migrates the
-- database and for a return to an earlier version. They cannot know what a later migration does, so it says so here.
--
-- oldest_version: the number of a migration. A service whose newest migration has this number or a higher one may read
-- and write. A migration that only adds what earlier versions need not know leaves it; one that takes away what they
-- use raises it (ARCHITECTURE.md, "Two databases"; checked in src/store/migration_rules.rs).

CREATE TABLE schema_compatibility (
    id BIGINT PRIMARY KEY CHECK (id = 1),
    oldest_version BIGINT NOT NULL
);
INSERT INTO schema_compatibility (id, oldest_version) VALUES (1, 19);
