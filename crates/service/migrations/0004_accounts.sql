-- The rest of what people, teams and organisations say about themselves, and the service's own roles.

ALTER TABLE users ADD COLUMN locale TEXT;
-- A JSON object of the platform's own keys.
ALTER TABLE users ADD COLUMN metadata TEXT NOT NULL DEFAULT '{}';
-- Runs the whole service.
ALTER TABLE users ADD COLUMN is_admin BIGINT NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN theme TEXT;
ALTER TABLE users ADD COLUMN brand_color TEXT;
ALTER TABLE users ADD COLUMN dark_brand_color TEXT;
ALTER TABLE users ADD COLUMN hide_branding BIGINT NOT NULL DEFAULT 0;
ALTER TABLE users ADD COLUMN created_ms BIGINT NOT NULL DEFAULT 0;

ALTER TABLE teams ADD COLUMN parent_id BIGINT;
ALTER TABLE teams ADD COLUMN logo_url TEXT;
ALTER TABLE teams ADD COLUMN banner_url TEXT;
ALTER TABLE teams ADD COLUMN bio TEXT;
ALTER TABLE teams ADD COLUMN time_zone TEXT NOT NULL DEFAULT 'Europe/London';
ALTER TABLE teams ADD COLUMN week_start TEXT NOT NULL DEFAULT 'Sunday';
ALTER TABLE teams ADD COLUMN time_format BIGINT;
ALTER TABLE teams ADD COLUMN theme TEXT;
ALTER TABLE teams ADD COLUMN brand_color TEXT;
ALTER TABLE teams ADD COLUMN dark_brand_color TEXT;
ALTER TABLE teams ADD COLUMN is_private BIGINT NOT NULL DEFAULT 0;
ALTER TABLE teams ADD COLUMN hide_branding BIGINT NOT NULL DEFAULT 0;
ALTER TABLE teams ADD COLUMN hide_book_a_team_member BIGINT NOT NULL DEFAULT 0;
ALTER TABLE teams ADD COLUMN metadata TEXT NOT NULL DEFAULT '{}';
ALTER TABLE teams ADD COLUMN created_ms BIGINT NOT NULL DEFAULT 0;

ALTER TABLE memberships ADD COLUMN disable_impersonation BIGINT NOT NULL DEFAULT 0;
ALTER TABLE memberships ADD COLUMN created_ms BIGINT NOT NULL DEFAULT 0;

-- A role of the organisation that replaces the rights of the membership role.
ALTER TABLE organization_members ADD COLUMN role_id TEXT;

CREATE UNIQUE INDEX roles_by_organization_and_name ON roles (organization_id, name)
    WHERE team_id IS NULL;

-- Created on 2026-01-01. They belong to the service: nobody can change or delete them.
INSERT INTO roles (id, name, kind, description, created_ms, updated_ms) VALUES
    ('owner_role', 'Owner', 'SYSTEM', 'Everything, including deleting the team', 1767225600000, 1767225600000),
    ('admin_role', 'Admin', 'SYSTEM', 'Everything but deleting the team and acting as others', 1767225600000, 1767225600000),
    ('member_role', 'Member', 'SYSTEM', 'Sees event types, members and bookings', 1767225600000, 1767225600000)
ON CONFLICT (id) DO NOTHING;

INSERT INTO role_permissions (role_id, permission, position)
WITH list (position, permission) AS (VALUES
    (0, 'role.create'), (1, 'role.read'), (2, 'role.update'), (3, 'role.delete'),
    (4, 'eventType.create'), (5, 'eventType.read'), (6, 'eventType.update'), (7, 'eventType.delete'),
    (8, 'team.read'), (9, 'team.update'), (10, 'team.delete'), (11, 'team.invite'), (12, 'team.remove'),
    (13, 'team.listMembers'), (14, 'team.listMembersPrivate'), (15, 'team.changeMemberRole'),
    (16, 'team.impersonate'), (17, 'booking.read'), (18, 'booking.readTeamBookings'),
    (19, 'booking.readRecordings'), (20, 'booking.update'), (21, 'booking.readTeamAuditLogs'),
    (22, 'insights.read'), (23, 'workflow.create'), (24, 'workflow.read'), (25, 'workflow.update'),
    (26, 'workflow.delete'), (27, 'routingForm.create'), (28, 'routingForm.read'),
    (29, 'routingForm.update'), (30, 'routingForm.delete'), (31, 'webhook.create'), (32, 'webhook.read'),
    (33, 'webhook.update'), (34, 'webhook.delete'), (35, 'featureOptIn.read'), (36, 'featureOptIn.update'))
SELECT role.id, list.permission, list.position
FROM list JOIN roles AS role ON role.kind = 'SYSTEM'
WHERE role.id = 'owner_role'
   OR (role.id = 'admin_role' AND list.permission NOT IN ('team.delete', 'team.impersonate'))
   OR (role.id = 'member_role'
       AND list.permission IN ('eventType.read', 'team.read', 'team.listMembers', 'booking.read'))
ON CONFLICT (role_id, permission) DO NOTHING;
