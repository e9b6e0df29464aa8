-- Schema for PostgreSQL 13 and later, as migrations 1 to 17 make it in SQLite.
--
-- The database has the encoding UTF8 and a PostgreSQL with ICU. Times are milliseconds since the epoch, UTC; flags are
-- 0 or 1; hashes are SHA-256 in lower-case hex. Texts have the collation "C", so that their order and lower() are as in
-- SQLite: by bytes, and for ASCII only.
--
-- Ids given explicitly do not advance the sequences, other than in SQLite: who inserts them has to call setval.

-- Index of hosts and time ranges: see booking_hosts. The extension is trusted: the database's owner may create it.
CREATE EXTENSION IF NOT EXISTS btree_gist;

-- The integers of a JSON array, with the columns of SQLite's function. Not STRICT, so that it is inlined.
CREATE FUNCTION json_each(list text) RETURNS TABLE (key bigint, value bigint)
LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $$
    SELECT position - 1, element::bigint
    FROM json_array_elements_text(list::json) WITH ORDINALITY AS elements (element, position)
$$;

-- Words of a text for prefix search, with their positions. Case and diacritics are folded: upper(lower()) is the
-- same for Σ, σ and ς, and for ß, ẞ and SS. Words consist of characters of the categories L*, M*, N* and Co, as in
-- SQLite: marks belong to words, as in Thai and Hindi. The pattern lists the other categories that PostgreSQL has no
-- class for: symbols and format characters (S* and Cf of Unicode 14, in ranges that include other separators).
--
-- A tsvector holds 1 MiB, words of 2,046 bytes and positions up to 16,383. PL/pgSQL keeps the plan for the session.
CREATE FUNCTION search_words(content text) RETURNS tsvector
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN (
        SELECT coalesce(string_agg('''' || left(word, 500) || ''':' || least(position, 16383), ' '), '')::tsvector
        FROM regexp_split_to_table(
            upper(lower(normalize(
                regexp_replace(normalize(left(content, 100000), NFD), '[\u0300-\u036F]', '', 'g'),
                NFC) COLLATE "und-x-icu")),
            U&'([^[:graph:]]|[[:punct:]'
            '\0024-\002B\003C-\003E\005E-\0060\007C-\00A9\00AC-\00B1\00B4\00B8\00D7\00F7\02C2-\02C5\02D2-\02DF'
            '\02E5-\02EB\02ED\02EF-\02FF\0375\0384-\0385\03F6\0482\058D-\058F\0600-\060F\061C\06DD-\06DE\06E9'
            '\06FD-\06FE\070F\07F6\07FE-\07FF\0888\0890-\0891\08E2\09F2-\09F3\09FA-\09FB\0AF1\0B70\0BF3-\0BFA\0C7F'
            '\0D4F\0D79\0E3F\0F01-\0F17\0F1A-\0F1F\0F34\0F36\0F38\0FBE-\0FC5\0FC7-\0FD8\109E-\109F\1390-\1399\166D'
            '\17DB\180E\1940\19DE-\19FF\1B61-\1B6A\1B74-\1B7C\1FBD\1FBF-\1FC1\1FCD-\1FCF\1FDD-\1FDF\1FED-\1FEF'
            '\1FFD-\206F\207A-\207C\208A-\208C\20A0-\20C0\2100-\2101\2103-\2106\2108-\2109\2114\2116-\2118\211E-\2123'
            '\2125\2127\2129\212E\213A-\213B\2140-\2144\214A-\214D\214F\218A-\244A\249C-\24E9\2500-\2767\2794-\2BFF'
            '\2CE5-\2CEA\2E50-\3004\3012-\3020\3036-\3037\303E-\303F\309B-\309C\3190-\3191\3196-\319F\31C0-\31E3'
            '\3200-\321E\322A-\3247\3250\3260-\327F\328A-\32B0\32C0-\33FF\4DC0-\4DFF\A490-\A4C6\A700-\A716\A720-\A721'
            '\A789-\A78A\A828-\A82B\A836-\A839\AA77-\AA79\AB5B\AB6A-\AB6B\FB29\FBB2-\FBC2\FD40-\FD4F\FDCF\FDFC-\FDFF'
            '\FE62-\FE69\FEFF-\FF0B\FF1C-\FF1E\FF3E-\FF40\FF5C-\FF5E\FFE0-\FFFD\+010137-\+01013F\+010179-\+010189'
            '\+01018C-\+0101FC\+010877-\+010878\+010AC8\+0110BD\+0110CD\+01173F\+011FD5-\+011FF1\+013430-\+013438'
            '\+016B3C-\+016B3F\+016B45\+01BC9C\+01BCA0-\+01BCA3\+01CF50-\+01D164\+01D16A-\+01D16C\+01D173-\+01D17A'
            '\+01D183-\+01D184\+01D18C-\+01D1A9\+01D1AE-\+01D241\+01D245\+01D300-\+01D356\+01D6C1\+01D6DB\+01D6FB'
            '\+01D715\+01D735\+01D74F\+01D76F\+01D789\+01D7A9\+01D7C3\+01D800-\+01D9FF\+01DA37-\+01DA3A'
            '\+01DA6D-\+01DA74\+01DA76-\+01DA83\+01DA85-\+01DA86\+01E14F\+01E2FF\+01ECAC\+01ECB0\+01ED2E'
            '\+01EEF0-\+01F0F5\+01F10D-\+01FBCA\+0E0001-\+0E007F'
            '])+'
        ) WITH ORDINALITY AS words (word, position)
        WHERE word <> '');
END
$$;

-- Query for search_words: one word of a search, which may contain punctuation. Its parts are a phrase, and the last
-- part is the beginning of a word. NULL if there are no parts.
CREATE FUNCTION search_query(word text) RETURNS tsquery
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN (
        SELECT (string_agg('''' || lexeme || '''', ' <-> ' ORDER BY position) || ':*')::tsquery
        FROM unnest(search_words(word)) AS words, unnest(words.positions) AS position);
END
$$;

-- Fails now rather than at the first text, if the encoding is not UTF8 or ICU is missing.
DO $$ BEGIN PERFORM search_words('ready'); END $$;

-- Text of a field of an event type's settings, or NULL. NUL characters are removed: PostgreSQL's text cannot hold them.
CREATE FUNCTION event_type_field(settings text, field text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
    RETURN regexp_replace(settings, '(?<!\\)((?:\\\\)*)\\u0000', '\1', 'g')::json ->> field;
END
$$;

-- Title for the search; empty if there is none or the settings are not JSON. With a search_path, because a restore has
-- none. PARALLEL UNSAFE: the exception handler starts a subtransaction.
CREATE FUNCTION event_type_title(settings text) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL UNSAFE SET search_path FROM CURRENT AS $$
BEGIN
    RETURN coalesce(event_type_field(settings, 'title'), '');
EXCEPTION WHEN data_exception THEN
    RETURN '';
END
$$;

-- Users, teams and organisations.

CREATE TABLE organizations (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL,
    slug TEXT COLLATE "C" NOT NULL UNIQUE
);

CREATE TABLE teams (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    organization_id BIGINT REFERENCES organizations (id) ON DELETE CASCADE,
    name TEXT COLLATE "C" NOT NULL,
    slug TEXT COLLATE "C" NOT NULL,
    logo_url TEXT COLLATE "C",
    banner_url TEXT COLLATE "C",
    bio TEXT COLLATE "C",
    time_zone TEXT COLLATE "C" NOT NULL DEFAULT 'Europe/London',
    week_start TEXT COLLATE "C" NOT NULL DEFAULT 'Sunday',
    time_format BIGINT,
    theme TEXT COLLATE "C",
    brand_color TEXT COLLATE "C",
    dark_brand_color TEXT COLLATE "C",
    is_private BIGINT NOT NULL DEFAULT 0,
    hide_branding BIGINT NOT NULL DEFAULT 0,
    hide_book_a_team_member BIGINT NOT NULL DEFAULT 0,
    metadata TEXT COLLATE "C" NOT NULL DEFAULT '{}',
    created_ms BIGINT NOT NULL DEFAULT 0,
    -- JSON object: fields of the API that have no effect here.
    settings TEXT COLLATE "C" NOT NULL DEFAULT '{}',
    UNIQUE (organization_id, slug)
);
CREATE INDEX teams_by_slug ON teams (slug);

CREATE TABLE users (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    organization_id BIGINT REFERENCES organizations (id) ON DELETE SET NULL,
    username TEXT COLLATE "C" NOT NULL UNIQUE,
    -- Shown. Users may enter any address; only the proven one is unique and proves anything.
    email TEXT COLLATE "C" NOT NULL,
    -- Address at sign-up, while email is one that the user has entered; NULL while email is proven.
    proven_email TEXT COLLATE "C",
    name TEXT COLLATE "C",
    avatar_url TEXT COLLATE "C",
    bio TEXT COLLATE "C",
    time_zone TEXT COLLATE "C" NOT NULL,
    time_format BIGINT NOT NULL DEFAULT 24,
    week_start TEXT COLLATE "C" NOT NULL DEFAULT 'Monday',
    locale TEXT COLLATE "C",
    default_schedule_id BIGINT,
    -- Set for users managed by a platform's OAuth client.
    oauth_client_id TEXT COLLATE "C",
    -- JSON object with keys of the platform.
    metadata TEXT COLLATE "C" NOT NULL DEFAULT '{}',
    -- Administrator of the service.
    is_admin BIGINT NOT NULL DEFAULT 0,
    -- Others may book meetings of a group that includes this user.
    allow_dynamic_bookings BIGINT NOT NULL DEFAULT 0,
    theme TEXT COLLATE "C",
    brand_color TEXT COLLATE "C",
    dark_brand_color TEXT COLLATE "C",
    hide_branding BIGINT NOT NULL DEFAULT 0,
    created_ms BIGINT NOT NULL DEFAULT 0,
    -- All credentials of the user are rejected from then on.
    disabled_ms BIGINT,
    name_words tsvector GENERATED ALWAYS AS (search_words(name)) STORED
);
CREATE UNIQUE INDEX users_by_proven_email ON users (lower(coalesce(proven_email, email)));
CREATE INDEX users_by_email ON users (lower(email));
CREATE INDEX users_by_client ON users (oauth_client_id) WHERE oauth_client_id IS NOT NULL;
CREATE INDEX users_by_name_words ON users USING gin (name_words);

CREATE TABLE oauth_clients (
    id TEXT COLLATE "C" PRIMARY KEY,
    name TEXT COLLATE "C" NOT NULL,
    -- A user who owns clients cannot be deleted: the clients' secrets act as that user.
    owner_id BIGINT NOT NULL REFERENCES users (id),
    secret_hash TEXT COLLATE "C" NOT NULL,
    -- JSON arrays of strings.
    redirect_uris TEXT COLLATE "C" NOT NULL,
    scopes TEXT COLLATE "C" NOT NULL,
    created_ms BIGINT NOT NULL
);
CREATE INDEX oauth_clients_by_owner ON oauth_clients (owner_id);

CREATE TABLE schedules (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    owner_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name TEXT COLLATE "C" NOT NULL,
    time_zone TEXT COLLATE "C" NOT NULL
);
CREATE INDEX schedules_by_owner ON schedules (owner_id);

-- Deferred: a user and their first schedule refer to each other.
ALTER TABLE users
    ADD CONSTRAINT users_default_schedule_id_fkey FOREIGN KEY (default_schedule_id)
        REFERENCES schedules (id) ON DELETE SET NULL DEFERRABLE INITIALLY DEFERRED,
    ADD CONSTRAINT users_oauth_client_id_fkey FOREIGN KEY (oauth_client_id)
        REFERENCES oauth_clients (id) ON DELETE CASCADE;

-- Wall-clock minutes since midnight in the schedule's time zone. Exactly one of weekday (0 is Sunday) and on_date
-- (ISO 8601) is set; the rows of a date replace those of its weekday.
CREATE TABLE schedule_hours (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    schedule_id BIGINT NOT NULL REFERENCES schedules (id) ON DELETE CASCADE,
    weekday BIGINT CHECK (weekday BETWEEN 0 AND 6),
    on_date TEXT COLLATE "C",
    from_minute BIGINT NOT NULL,
    to_minute BIGINT NOT NULL,
    -- Hours that were entered together share the id of the first of them, where this is NULL. No reference: that row
    -- may have been deleted.
    line_id BIGINT,
    CHECK ((weekday IS NULL) <> (on_date IS NULL))
);
-- Weekly hours and dates are read from the index alone.
CREATE INDEX schedule_hours_by_schedule
    ON schedule_hours (schedule_id, on_date, weekday, from_minute, to_minute);

CREATE TABLE roles (
    id TEXT COLLATE "C" PRIMARY KEY,
    -- Neither is set for the service's own roles.
    organization_id BIGINT REFERENCES organizations (id) ON DELETE CASCADE,
    team_id BIGINT REFERENCES teams (id) ON DELETE CASCADE,
    name TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('SYSTEM', 'CUSTOM')),
    color TEXT COLLATE "C",
    description TEXT COLLATE "C",
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL
);
CREATE UNIQUE INDEX roles_by_team_and_name ON roles (team_id, name);
CREATE UNIQUE INDEX roles_by_organization_and_name ON roles (organization_id, name)
    WHERE team_id IS NULL;

CREATE TABLE role_permissions (
    role_id TEXT COLLATE "C" NOT NULL REFERENCES roles (id) ON DELETE CASCADE,
    permission TEXT COLLATE "C" NOT NULL,
    position BIGINT NOT NULL,
    PRIMARY KEY (role_id, permission)
);

-- The service's own roles, which nobody can change or delete. Created on 2026-01-01.
INSERT INTO roles (id, name, kind, description, created_ms, updated_ms) VALUES
    ('owner_role', 'Owner', 'SYSTEM', 'Everything, including deleting the team',
        1767225600000, 1767225600000),
    ('admin_role', 'Admin', 'SYSTEM', 'Everything but deleting the team and acting as others',
        1767225600000, 1767225600000),
    ('member_role', 'Member', 'SYSTEM', 'Sees event types, members and bookings',
        1767225600000, 1767225600000);

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
       AND list.permission IN ('eventType.read', 'team.read', 'team.listMembers', 'booking.read'));

CREATE TABLE organization_members (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    organization_id BIGINT NOT NULL REFERENCES organizations (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role TEXT COLLATE "C" NOT NULL CHECK (role IN ('MEMBER', 'ADMIN', 'OWNER')),
    -- Role of the organisation that replaces the permissions of the membership role.
    role_id TEXT COLLATE "C" REFERENCES roles (id) ON DELETE SET NULL,
    disable_impersonation BIGINT NOT NULL DEFAULT 0,
    UNIQUE (organization_id, user_id)
);

CREATE TABLE memberships (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    team_id BIGINT NOT NULL REFERENCES teams (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role TEXT COLLATE "C" NOT NULL CHECK (role IN ('MEMBER', 'ADMIN', 'OWNER')),
    -- Role of the team that replaces the permissions of the membership role.
    role_id TEXT COLLATE "C" REFERENCES roles (id) ON DELETE SET NULL,
    -- The membership has no effect until the user has accepted it.
    accepted BIGINT NOT NULL DEFAULT 0,
    disable_impersonation BIGINT NOT NULL DEFAULT 0,
    created_ms BIGINT NOT NULL DEFAULT 0,
    UNIQUE (team_id, user_id)
);
CREATE INDEX memberships_by_user ON memberships (user_id);

-- Credentials.

CREATE TABLE api_keys (
    hash TEXT COLLATE "C" PRIMARY KEY,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    label TEXT COLLATE "C" NOT NULL,
    created_ms BIGINT NOT NULL,
    -- The key is valid until the end of this date (UTC).
    expires_on TEXT COLLATE "C",
    -- JSON array of scopes; NULL: everything that the owner may do.
    scopes TEXT COLLATE "C",
    -- Written once an hour at most.
    last_used_ms BIGINT
);
CREATE INDEX api_keys_by_user ON api_keys (user_id);

CREATE TABLE oauth_tokens (
    hash TEXT COLLATE "C" PRIMARY KEY,
    kind TEXT COLLATE "C" NOT NULL CHECK (kind IN ('access_token', 'refresh_token')),
    oauth_client_id TEXT COLLATE "C" NOT NULL REFERENCES oauth_clients (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    expires_ms BIGINT NOT NULL,
    -- Tokens that come from one another by refreshing are a family. If a refresh token is presented a second time, it
    -- or its successor was stolen: all tokens of the family are revoked.
    family TEXT COLLATE "C",
    -- Use of a refresh token. The row is kept for a while, to recognise a second use.
    used_ms BIGINT
);
CREATE INDEX oauth_tokens_by_user ON oauth_tokens (user_id, kind);
CREATE INDEX oauth_tokens_by_expiry ON oauth_tokens (expires_ms);
CREATE INDEX oauth_tokens_by_family ON oauth_tokens (family, used_ms) WHERE family IS NOT NULL;
CREATE INDEX oauth_tokens_by_client ON oauth_tokens (oauth_client_id);

-- Responses of requests with an Idempotency-Key, kept for 24 hours. They contain personal data.
CREATE TABLE idempotency_keys (
    -- Of caller, operation and key.
    hash TEXT COLLATE "C" PRIMARY KEY,
    -- Of the request.
    request_hash TEXT COLLATE "C" NOT NULL,
    status BIGINT NOT NULL,
    body TEXT COLLATE "C" NOT NULL,
    created_ms BIGINT NOT NULL
);
CREATE INDEX idempotency_keys_by_age ON idempotency_keys (created_ms);

-- Event types.

CREATE TABLE event_types (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    owner_id BIGINT REFERENCES users (id) ON DELETE CASCADE,
    team_id BIGINT REFERENCES teams (id) ON DELETE CASCADE,
    parent_id BIGINT REFERENCES event_types (id) ON DELETE CASCADE,
    slug TEXT COLLATE "C" NOT NULL,
    hidden BIGINT NOT NULL DEFAULT 0,
    scheduling_type TEXT COLLATE "C" CHECK (scheduling_type IN ('roundRobin', 'collective', 'managed')),
    -- All members of the team are hosts, including those who join later.
    assign_all BIGINT NOT NULL DEFAULT 0,
    schedule_id BIGINT REFERENCES schedules (id) ON DELETE SET NULL,
    -- Minutes. Not part of the settings because they pad bookings of all other event types, too.
    before_minutes BIGINT NOT NULL DEFAULT 0,
    after_minutes BIGINT NOT NULL DEFAULT 0,
    blocks_unconfirmed BIGINT NOT NULL DEFAULT 0,
    -- JSON object: all other fields of the API.
    settings TEXT COLLATE "C" NOT NULL,
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL DEFAULT 0,
    title_words tsvector GENERATED ALWAYS AS (search_words(event_type_title(settings))) STORED,
    CHECK ((owner_id IS NULL) <> (team_id IS NULL)),
    UNIQUE (owner_id, slug),
    UNIQUE (team_id, slug)
);
CREATE INDEX event_types_by_parent ON event_types (parent_id) WHERE parent_id IS NOT NULL;
CREATE INDEX event_types_by_schedule ON event_types (schedule_id) WHERE schedule_id IS NOT NULL;
CREATE INDEX event_types_by_title_words ON event_types USING gin (title_words);

CREATE TABLE event_type_hosts (
    event_type_id BIGINT NOT NULL REFERENCES event_types (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    fixed BIGINT NOT NULL DEFAULT 0,
    priority TEXT COLLATE "C" NOT NULL DEFAULT 'medium'
        CHECK (priority IN ('lowest', 'low', 'medium', 'high', 'highest')),
    PRIMARY KEY (event_type_id, user_id)
);
CREATE INDEX event_type_hosts_by_user ON event_type_hosts (user_id);

-- A new member of a team becomes a host of the event types that all members host, and gets a child of the managed ones.
CREATE FUNCTION members_host_what_all_host() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO event_type_hosts (event_type_id, user_id, fixed)
    SELECT id, NEW.user_id, CASE scheduling_type WHEN 'collective' THEN 1 ELSE 0 END
    FROM event_types WHERE team_id = NEW.team_id AND assign_all = 1
    ON CONFLICT (event_type_id, user_id) DO NOTHING;
    INSERT INTO event_types (owner_id, parent_id, slug, hidden, before_minutes, after_minutes, blocks_unconfirmed,
        settings, created_ms, updated_ms)
    SELECT NEW.user_id, id, slug, hidden, before_minutes, after_minutes, blocks_unconfirmed,
        settings, updated_ms, updated_ms
    FROM event_types WHERE team_id = NEW.team_id AND assign_all = 1 AND scheduling_type = 'managed'
    ON CONFLICT (owner_id, slug) DO NOTHING;
    INSERT INTO event_type_hosts (event_type_id, user_id)
    SELECT id, owner_id FROM event_types WHERE owner_id = NEW.user_id AND parent_id IS NOT NULL
    ON CONFLICT (event_type_id, user_id) DO NOTHING;
    RETURN NULL;
END
$$;
CREATE TRIGGER members_host_what_all_host_on_insert
AFTER INSERT ON memberships
FOR EACH ROW WHEN (NEW.accepted = 1)
EXECUTE FUNCTION members_host_what_all_host();
CREATE TRIGGER members_host_what_all_host_on_accept
AFTER UPDATE OF accepted ON memberships
FOR EACH ROW WHEN (NEW.accepted = 1 AND OLD.accepted = 0)
EXECUTE FUNCTION members_host_what_all_host();

-- A former member is no host of the team's event types.
CREATE FUNCTION former_members_host_nothing() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    DELETE FROM event_type_hosts WHERE user_id = OLD.user_id
        AND event_type_id IN (SELECT id FROM event_types WHERE team_id = OLD.team_id);
    DELETE FROM event_types WHERE owner_id = OLD.user_id
        AND parent_id IN (SELECT id FROM event_types WHERE team_id = OLD.team_id);
    RETURN NULL;
END
$$;
CREATE TRIGGER former_members_host_nothing
AFTER DELETE ON memberships
FOR EACH ROW EXECUTE FUNCTION former_members_host_nothing();

-- Bookings.

CREATE TABLE bookings (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    uid TEXT COLLATE "C" NOT NULL UNIQUE,
    -- Shared by the occurrences of a series.
    series_uid TEXT COLLATE "C",
    event_type_id BIGINT REFERENCES event_types (id) ON DELETE SET NULL,
    team_id BIGINT REFERENCES teams (id) ON DELETE SET NULL,
    title TEXT COLLATE "C" NOT NULL,
    description TEXT COLLATE "C" NOT NULL DEFAULT '',
    status TEXT COLLATE "C" NOT NULL
        CHECK (status IN ('accepted', 'pending', 'cancelled', 'rejected', 'awaiting_host')),
    start_ms BIGINT NOT NULL,
    end_ms BIGINT NOT NULL,
    location TEXT COLLATE "C",
    seated BIGINT NOT NULL DEFAULT 0,
    -- Seats of a shared booking when it was first made; NULL unless it is seated.
    seats BIGINT,
    -- 1 once the price is paid; NULL if there is none.
    paid BIGINT,
    absent_host BIGINT NOT NULL DEFAULT 0,
    -- JSON: an object, an array of strings, an object.
    responses TEXT COLLATE "C" NOT NULL DEFAULT '{}',
    guests TEXT COLLATE "C" NOT NULL DEFAULT '[]',
    metadata TEXT COLLATE "C" NOT NULL DEFAULT '{}',
    cancellation_reason TEXT COLLATE "C",
    cancelled_by_email TEXT COLLATE "C",
    rescheduling_reason TEXT COLLATE "C",
    rescheduled_by_email TEXT COLLATE "C",
    -- Uids of other bookings.
    rescheduled_from_uid TEXT COLLATE "C",
    rescheduled_to_uid TEXT COLLATE "C",
    -- Reason for a change of the host.
    reassignment_reason TEXT COLLATE "C",
    rating BIGINT,
    ics_uid TEXT COLLATE "C",
    created_ms BIGINT NOT NULL,
    updated_ms BIGINT NOT NULL,
    title_words tsvector GENERATED ALWAYS AS (search_words(title)) STORED,
    CHECK (start_ms < end_ms)
);
CREATE INDEX bookings_by_start ON bookings (start_ms);
CREATE INDEX bookings_by_created ON bookings (created_ms);
-- Lists are counted and sorted from the index alone.
CREATE INDEX bookings_by_team_and_start
    ON bookings (team_id, start_ms, id, end_ms, status, event_type_id, series_uid);
CREATE INDEX bookings_by_team_and_end ON bookings (team_id, end_ms);
CREATE INDEX bookings_by_team_and_created ON bookings (team_id, created_ms);
CREATE INDEX bookings_by_event_type
    ON bookings (event_type_id, start_ms, id, end_ms, status, team_id, series_uid);
CREATE INDEX bookings_by_series ON bookings (series_uid) WHERE series_uid IS NOT NULL;
-- Attendees of the same slot share one booking.
CREATE UNIQUE INDEX bookings_shared_by_seats ON bookings (event_type_id, start_ms)
    WHERE seated = 1 AND status IN ('accepted', 'pending');
CREATE INDEX bookings_by_lower_uid ON bookings (lower(uid));
CREATE INDEX bookings_by_title_words ON bookings USING gin (title_words);

-- Time that a booking takes from each of its hosts. holds is 1 if it blocks that time: if the booking is accepted, or
-- pending and of an event type that blocks unconfirmed bookings.
CREATE TABLE booking_hosts (
    booking_id BIGINT NOT NULL REFERENCES bookings (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    start_ms BIGINT NOT NULL,
    end_ms BIGINT NOT NULL,
    holds BIGINT NOT NULL,
    PRIMARY KEY (booking_id, user_id),
    -- At most a day, so that rows that overlap a time range are found by their start.
    CHECK (start_ms < end_ms AND end_ms - start_ms <= 86400000),
    -- "host is taken" in SQLite, where triggers check it.
    CONSTRAINT booking_hosts_stay_apart
        EXCLUDE USING gist (user_id WITH =, int8range(start_ms, end_ms) WITH &&) WHERE (holds = 1)
);
-- The bookings of a host are read from the index alone.
CREATE INDEX booking_hosts_by_user ON booking_hosts (user_id, start_ms, end_ms, holds, booking_id);

CREATE TABLE attendees (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    booking_id BIGINT NOT NULL REFERENCES bookings (id) ON DELETE CASCADE,
    -- User who attends and whose time is taken: one who has booked it or was added by a colleague. An address alone
    -- proves nothing.
    user_id BIGINT REFERENCES users (id) ON DELETE SET NULL,
    name TEXT COLLATE "C" NOT NULL,
    email TEXT COLLATE "C" NOT NULL,
    phone_number TEXT COLLATE "C",
    time_zone TEXT COLLATE "C" NOT NULL,
    language TEXT COLLATE "C",
    absent BIGINT NOT NULL DEFAULT 0,
    -- 1 for guests of the attendees. bookings.guests lists their addresses.
    guest BIGINT NOT NULL DEFAULT 0,
    -- Seated bookings only; the two others are JSON objects.
    seat_uid TEXT COLLATE "C" UNIQUE,
    responses TEXT COLLATE "C",
    metadata TEXT COLLATE "C",
    name_words tsvector GENERATED ALWAYS AS (search_words(name)) STORED
);
CREATE INDEX attendees_by_booking ON attendees (booking_id);
CREATE INDEX attendees_by_email ON attendees (email, booking_id);
CREATE INDEX attendees_by_name ON attendees (name, booking_id);
-- Also for the search by the beginning of an address.
CREATE INDEX attendees_by_address ON attendees (lower(email), booking_id);
CREATE INDEX attendees_by_user ON attendees (user_id, booking_id) WHERE user_id IS NOT NULL;
CREATE INDEX attendees_by_name_words ON attendees USING gin (name_words);

-- Rejects more attendees than seats. The lock makes concurrent transactions count one after the other, if each
-- statement sees what was committed before it (READ COMMITTED).
CREATE FUNCTION attendees_have_seats() RETURNS trigger
LANGUAGE plpgsql AS $$
DECLARE
    max_attendees BIGINT;
BEGIN
    SELECT seats INTO max_attendees FROM bookings WHERE id = NEW.booking_id FOR NO KEY UPDATE;
    IF (SELECT count(*) FROM attendees WHERE booking_id = NEW.booking_id AND seat_uid IS NOT NULL)
        >= coalesce(max_attendees, 1)
    THEN
        RAISE EXCEPTION 'seats are taken' USING ERRCODE = 'check_violation', CONSTRAINT = 'attendees_have_seats';
    END IF;
    RETURN NEW;
END
$$;
CREATE TRIGGER attendees_have_seats
BEFORE INSERT ON attendees
FOR EACH ROW WHEN (NEW.seat_uid IS NOT NULL)
EXECUTE FUNCTION attendees_have_seats();

-- Temporary holds on slots, without effect after until_ms.
CREATE TABLE reservations (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    uid TEXT COLLATE "C" NOT NULL UNIQUE,
    event_type_id BIGINT NOT NULL REFERENCES event_types (id) ON DELETE CASCADE,
    -- Owner: hash of the user, client or network that made it.
    client_hash TEXT COLLATE "C" NOT NULL DEFAULT '',
    start_ms BIGINT NOT NULL,
    end_ms BIGINT NOT NULL,
    until_ms BIGINT NOT NULL,
    -- 1 if it takes one seat of a shared booking and no host's time.
    seated BIGINT NOT NULL DEFAULT 0,
    -- Renewals end some time after that.
    created_ms BIGINT NOT NULL,
    CHECK (start_ms < end_ms)
);
CREATE INDEX reservations_by_event_type ON reservations (event_type_id, start_ms, until_ms);
CREATE INDEX reservations_by_end ON reservations (until_ms);
CREATE INDEX reservations_by_client ON reservations (client_hash, until_ms);

CREATE TABLE reservation_hosts (
    reservation_id BIGINT NOT NULL REFERENCES reservations (id) ON DELETE CASCADE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    PRIMARY KEY (reservation_id, user_id)
);
CREATE INDEX reservation_hosts_by_user ON reservation_hosts (user_id, reservation_id);

CREATE TABLE out_of_office (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    uuid TEXT COLLATE "C" NOT NULL UNIQUE,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    -- Substitute during the absence.
    to_user_id BIGINT REFERENCES users (id) ON DELETE SET NULL,
    start_ms BIGINT NOT NULL,
    end_ms BIGINT NOT NULL,
    notes TEXT COLLATE "C",
    reason TEXT COLLATE "C" NOT NULL,
    created_ms BIGINT NOT NULL,
    CHECK (start_ms < end_ms)
);
CREATE INDEX out_of_office_by_user ON out_of_office (user_id, end_ms);

-- Prices of bookings. A booking that replaces another one takes over its payment.
CREATE TABLE payments (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    booking_id BIGINT NOT NULL UNIQUE REFERENCES bookings (id) ON DELETE CASCADE,
    -- Minor units of the currency.
    amount BIGINT NOT NULL,
    fee BIGINT NOT NULL DEFAULT 0,
    currency TEXT COLLATE "C" NOT NULL,
    success BIGINT NOT NULL DEFAULT 0,
    refunded BIGINT NOT NULL DEFAULT 0,
    payment_option TEXT COLLATE "C" NOT NULL DEFAULT 'ON_BOOKING',
    app_id TEXT COLLATE "C"
);

CREATE FUNCTION bookings_ask_for_payment() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE payments SET booking_id = NEW.id, success = NEW.paid
    WHERE booking_id = (SELECT id FROM bookings WHERE uid = NEW.rescheduled_from_uid);
    INSERT INTO payments (booking_id, amount, currency, success)
    SELECT NEW.id, coalesce(event_type_field(e.settings, 'price')::numeric, 0),
           coalesce(event_type_field(e.settings, 'currency'), 'usd'), NEW.paid
    FROM (SELECT 1) AS one LEFT JOIN event_types e ON e.id = NEW.event_type_id
    WHERE NOT EXISTS (SELECT 1 FROM payments WHERE booking_id = NEW.id);
    RETURN NULL;
END
$$;
CREATE TRIGGER bookings_ask_for_payment
AFTER INSERT ON bookings
FOR EACH ROW WHEN (NEW.paid IS NOT NULL)
EXECUTE FUNCTION bookings_ask_for_payment();

CREATE FUNCTION payments_follow_their_bookings() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    UPDATE payments SET success = NEW.paid WHERE booking_id = NEW.id;
    RETURN NULL;
END
$$;
CREATE TRIGGER payments_follow_their_bookings
AFTER UPDATE OF paid ON bookings
FOR EACH ROW WHEN (NEW.paid IS NOT NULL)
EXECUTE FUNCTION payments_follow_their_bookings();

-- Apps and calendars, for version 1 of the API.

CREATE TABLE app_credentials (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    app_slug TEXT COLLATE "C" NOT NULL,
    -- Encrypted with the service's own key, and never returned.
    sealed_key BYTEA NOT NULL,
    created_ms BIGINT NOT NULL
);
CREATE INDEX app_credentials_by_user ON app_credentials (user_id);

-- Identifiers of bookings in other systems, such as calendars.
CREATE TABLE booking_references (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    booking_id BIGINT REFERENCES bookings (id) ON DELETE CASCADE,
    type TEXT COLLATE "C" NOT NULL,
    uid TEXT COLLATE "C" NOT NULL,
    meeting_id TEXT COLLATE "C",
    meeting_password TEXT COLLATE "C",
    meeting_url TEXT COLLATE "C",
    destination_calendar_id TEXT COLLATE "C",
    credential_id BIGINT REFERENCES app_credentials (id) ON DELETE SET NULL,
    deleted BIGINT NOT NULL DEFAULT 0
);
CREATE INDEX booking_references_by_booking ON booking_references (booking_id);

-- Calendars that bookings are written to.
CREATE TABLE destination_calendars (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    integration TEXT COLLATE "C" NOT NULL,
    external_id TEXT COLLATE "C" NOT NULL,
    event_type_id BIGINT REFERENCES event_types (id) ON DELETE CASCADE,
    booking_id BIGINT REFERENCES bookings (id) ON DELETE CASCADE,
    credential_id BIGINT REFERENCES app_credentials (id) ON DELETE CASCADE
);
CREATE INDEX destination_calendars_by_user ON destination_calendars (user_id);
CREATE INDEX destination_calendars_by_event_type ON destination_calendars (event_type_id)
    WHERE event_type_id IS NOT NULL;
CREATE INDEX destination_calendars_by_booking ON destination_calendars (booking_id)
    WHERE booking_id IS NOT NULL;
CREATE INDEX destination_calendars_by_credential ON destination_calendars (credential_id)
    WHERE credential_id IS NOT NULL;

-- Calendars that are checked for conflicts.
CREATE TABLE selected_calendars (
    user_id BIGINT NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    integration TEXT COLLATE "C" NOT NULL,
    external_id TEXT COLLATE "C" NOT NULL,
    credential_id BIGINT REFERENCES app_credentials (id) ON DELETE CASCADE,
    PRIMARY KEY (user_id, integration, external_id)
);
CREATE INDEX selected_calendars_by_credential ON selected_calendars (credential_id)
    WHERE credential_id IS NOT NULL;

-- Webhooks.

CREATE TABLE webhooks (
    id TEXT COLLATE "C" PRIMARY KEY,
    -- Source of the events: exactly one is set.
    user_id BIGINT REFERENCES users (id) ON DELETE CASCADE,
    event_type_id BIGINT REFERENCES event_types (id) ON DELETE CASCADE,
    organization_id BIGINT REFERENCES organizations (id) ON DELETE CASCADE,
    oauth_client_id TEXT COLLATE "C" REFERENCES oauth_clients (id) ON DELETE CASCADE,
    subscriber_url TEXT COLLATE "C" NOT NULL,
    -- JSON array of trigger names.
    triggers TEXT COLLATE "C" NOT NULL,
    active BIGINT NOT NULL,
    payload_template TEXT COLLATE "C",
    -- Key of the signatures, encrypted with the service's own key.
    secret BYTEA,
    version TEXT COLLATE "C" NOT NULL,
    created_ms BIGINT NOT NULL,
    -- Consecutive failed messages, time of the first and cause of the last one.
    given_up BIGINT NOT NULL DEFAULT 0,
    failing_since_ms BIGINT,
    last_problem TEXT COLLATE "C",
    CHECK (num_nonnulls(user_id, event_type_id, organization_id, oauth_client_id) = 1)
);
-- A receiver gets each event once, even if it is subscribed twice.
CREATE UNIQUE INDEX webhooks_by_user ON webhooks (user_id, subscriber_url);
CREATE UNIQUE INDEX webhooks_by_event_type ON webhooks (event_type_id, subscriber_url);
CREATE UNIQUE INDEX webhooks_by_organization ON webhooks (organization_id, subscriber_url);
CREATE UNIQUE INDEX webhooks_by_oauth_client ON webhooks (oauth_client_id, subscriber_url);

-- Payloads that deliveries still need.
CREATE TABLE webhook_events (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    trigger_name TEXT COLLATE "C" NOT NULL,
    -- Uid of the booking or absence.
    about TEXT COLLATE "C" NOT NULL,
    -- Deliveries of one webhook with the same key are sent in order.
    order_key TEXT COLLATE "C" NOT NULL,
    -- JSON object.
    payload TEXT COLLATE "C" NOT NULL,
    created_ms BIGINT NOT NULL
);
CREATE INDEX webhook_events_by_about ON webhook_events (about, id);

-- Outbox. Rows are written in the transaction of the event and sent afterwards.
CREATE TABLE webhook_deliveries (
    id BIGINT GENERATED BY DEFAULT AS IDENTITY PRIMARY KEY,
    webhook_id TEXT COLLATE "C" NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    trigger_name TEXT COLLATE "C" NOT NULL,
    -- The order key, where event_id is set.
    about TEXT COLLATE "C" NOT NULL,
    -- Both are empty where event_id is set.
    body TEXT COLLATE "C" NOT NULL,
    content_type TEXT COLLATE "C" NOT NULL,
    created_ms BIGINT NOT NULL,
    -- NULL once it is settled, and while an earlier delivery of the webhook with the same order key waits.
    due_ms BIGINT,
    attempts BIGINT NOT NULL DEFAULT 0,
    status TEXT COLLATE "C" NOT NULL DEFAULT 'waiting' CHECK (status IN ('waiting', 'delivered', 'failed')),
    last_status BIGINT,
    last_problem TEXT COLLATE "C",
    settled_ms BIGINT,
    -- NULL once the message is delivered.
    event_id BIGINT REFERENCES webhook_events (id)
);
CREATE INDEX webhook_deliveries_by_event ON webhook_deliveries (event_id) WHERE event_id IS NOT NULL;
CREATE INDEX webhook_deliveries_by_settled ON webhook_deliveries (settled_ms) WHERE status <> 'waiting';
-- Oldest due delivery of a webhook, and earlier ones with its order key.
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (webhook_id, due_ms, id) WHERE status = 'waiting';
CREATE INDEX webhook_deliveries_by_subject ON webhook_deliveries (webhook_id, about, status, id);

-- A payload is personal data: it is deleted with the last delivery that needs it. The lock makes concurrent
-- transactions look for other deliveries one after the other.
CREATE FUNCTION webhook_payloads_end_with_deliveries() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM 1 FROM webhook_events WHERE id = OLD.event_id FOR UPDATE;
    DELETE FROM webhook_events WHERE id = OLD.event_id
        AND NOT EXISTS (SELECT 1 FROM webhook_deliveries WHERE event_id = OLD.event_id);
    RETURN NULL;
END
$$;
CREATE TRIGGER webhook_payloads_end_with_deleted_deliveries
AFTER DELETE ON webhook_deliveries
FOR EACH ROW WHEN (OLD.event_id IS NOT NULL)
EXECUTE FUNCTION webhook_payloads_end_with_deliveries();
CREATE TRIGGER webhook_payloads_end_with_delivered_deliveries
AFTER UPDATE OF event_id ON webhook_deliveries
FOR EACH ROW WHEN (OLD.event_id IS NOT NULL AND NEW.event_id IS NULL)
EXECUTE FUNCTION webhook_payloads_end_with_deliveries();

-- Time, then booking, up to which starts and ends of meetings have been sent as events.
CREATE TABLE meeting_marks (
    trigger_name TEXT COLLATE "C" PRIMARY KEY,
    until_ms BIGINT NOT NULL,
    booking_id BIGINT NOT NULL
);

-- Written first by each write transaction, whose lock of the row excludes the others; counts them.
CREATE TABLE write_version (
    version BIGINT NOT NULL
);
INSERT INTO write_version (version) VALUES (0);

-- Fingerprints of the keys in the data directories of the replicas, which must be the same.
CREATE TABLE key_fingerprints (
    name TEXT COLLATE "C" PRIMARY KEY,
    fingerprint TEXT COLLATE "C" NOT NULL
);

-- Makes ids continue after those that rows were inserted with, as SQLite does by itself.
CREATE FUNCTION align_ids() RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    c record;
BEGIN
    FOR c IN
        SELECT table_name AS name, pg_get_serial_sequence(quote_ident(table_name), 'id') AS ids
        FROM information_schema.columns
        WHERE table_schema = current_schema() AND column_name = 'id' AND is_identity = 'YES'
    LOOP
        EXECUTE format(
            'SELECT setval(%L, greatest((SELECT max(id) FROM %I), last_value)) FROM %s WHERE EXISTS (SELECT 1 FROM %I)',
            c.ids, c.name, c.ids, c.name);
    END LOOP;
END
$$;
