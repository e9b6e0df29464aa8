-- Memberships of organisations can be read and changed like those of teams.

ALTER TABLE organization_members ADD COLUMN disable_impersonation BIGINT NOT NULL DEFAULT 0;
