-- Which earlier versions of the service may use this schema: see ../0019_schema_compatibility.sql.

CREATE TABLE schema_compatibility (
    id BIGINT PRIMARY KEY CHECK (id = 1),
    oldest_version BIGINT NOT NULL
);
INSERT INTO schema_compatibility (id, oldest_version) VALUES (1, 19);

-- Write transactions have advisory locks instead: see src/store/locks.rs.
DROP TABLE write_version;
