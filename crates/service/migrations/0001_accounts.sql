-- People, the teams they form and the credentials they call with.
-- Times are epoch milliseconds in UTC; ids of secrets are SHA-256 in lower-case hex.

CREATE TABLE organizations (
    id INTEGER PRIMARY KEY,
    name TEXT NOT NULL,
    slug TEXT NOT NULL UNIQUE
);

CREATE TABLE teams (
    id INTEGER PRIMARY KEY,
    organization_id BIGINT REFERENCES organizations (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    slug TEXT NOT NULL,
    UNIQUE (organization_id, slug)
);
CREATE INDEX teams_by_slug ON teams (slug);

CREATE TABLE oauth_clients (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    owner_id BIGINT NOT NULL,
    secret_hash TEXT NOT NULL,
    -- JSON arrays of strings.
    redirect_uris TEXT NOT NULL,
    scopes TEXT NOT NULL,
    created_ms BIGINT NOT NULL
);

CREATE TABLE users (
    id INTEGER PRIMARY KEY,
    organization_id BIGINT REFERENCES organizations (id) ON DELETE SET NULL,
    username TEXT NOT NULL UNIQUE,
    email TEXT NOT NULL UNIQUE,
    name TEXT,
    avatar_url TEXT,
    bio TEXT,
    time_zone TEXT NOT NULL,
    time_format BIGINT NOT NULL DEFAULT 24,
    week_start TEXT NOT NULL DEFAULT 'Monday',
    default_schedule_id BIGINT,
    -- Set for users managed by a platform's OAuth client.
    oauth_client_id TEXT REFERENCES oauth_clients (id) ON DELETE CASCADE
);

CREATE TABLE organization_members (
    organization_id BIGINT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('MEMBER', 'ADMIN', 'OWNER')),
    PRIMARY KEY (organization_id, user_id)
);

CREATE TABLE memberships (
    id INTEGER PRIMARY KEY,
    team_id BIGINT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role TEXT NOT NULL CHECK (role IN ('MEMBER', 'ADMIN', 'OWNER')),
    -- A role of the team that replaces the rights of the membership role.
    role_id TEXT,
    accepted BIGINT NOT NULL DEFAULT 0,
    UNIQUE (team_id, user_id)
);
CREATE INDEX memberships_by_user ON memberships (user_id);

CREATE TABLE api_keys (
    hash TEXT PRIMARY KEY,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    label TEXT NOT NULL,
    created_ms BIGINT NOT NULL,
    -- The key is good until the end of this day (UTC).
    expires_on TEXT
);

CREATE TABLE oauth_tokens (
    hash TEXT PRIMARY KEY,
    kind TEXT NOT NULL CHECK (kind IN ('access_token', 'refresh_token')),
    oauth_client_id TEXT NOT NULL REFERENCES oauth_clients (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    expires_ms BIGINT NOT NULL
);
CREATE INDEX oauth_tokens_by_user ON oauth_tokens (user_id, kind);
CREATE INDEX oauth_tokens_by_expiry ON oauth_tokens (expires_ms);

CREATE TABLE roles (
    id TEXT PRIMARY KEY,
    -- Neither is set for the service's own roles.
    organization_id BIGINT REFERENCES organizations (id) ON DELETE CASCADE,
    team_id BIGINT REFERENCES teams (id) ON DELETE CASCADE,
    name TEXT NOT NULL,
    kind TEXT NOT NULL CHECK (kind IN ('SYSTEM', 'CUSTOM')),
    color TEXT,
    description TEXT,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL
);
CREATE UNIQUE INDEX roles_by_team_and_name ON roles (team_id, name);

CREATE TABLE role_permissions (
    role_id TEXT NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
    permission TEXT NOT NULL,
    position BIGINT NOT NULL,
    PRIMARY KEY (role_id, permission)
);
