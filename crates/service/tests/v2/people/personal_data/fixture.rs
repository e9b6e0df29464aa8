//! Test data in which every personal text is a canary: a text that occurs nowhere else.

use std::collections::BTreeSet;
use std::path::Path;

use booking_service::auth::secret;
use booking_service::auth::token::{Grant, issue_pair};
use booking_service::cli::database::data_directory;
use booking_service::clock::Clock;
use booking_service::http::assets::Assets;
use booking_service::http::router::router;
use booking_service::settings::Settings;
use booking_service::store;
use booking_service::store::Subject;
use booking_wire::Instant;
use serde_json::Value;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{AssertSqlSafe, Connection, SqliteConnection};
use tempfile::TempDir;

use super::requests::WEBHOOKS;
use crate::common::{NOW, Service};

/// Users: their caller names in the table of expectations, and ids.
pub const PEOPLE: [(&str, i64); 19] = [
    ("host", 10),
    ("member", 11),
    ("admin", 12),
    ("owner", 13),
    ("invited", 14),
    ("colleague", 15),
    ("org-admin", 16),
    ("org-owner", 17),
    ("stranger", 18),
    ("attendee", 19),
    ("operator", 20),
    ("platform", 21),
    ("other-platform", 22),
    ("managed", 23),
    ("other-managed", 24),
    ("private", 25),
    ("loner", 27),
    ("leaver", 28),
    ("shy", 29),
];

const DATABASE: &str = store::FILE_NAME;

/// Canaries that need a valid value, like a time zone.
const SPECIAL: [(&str, &str); 9] = [
    ("host.zone", "Antarctica/Troll"),
    ("shy.zone", "Pacific/Chatham"),
    ("plain.attendee.zone", "Asia/Kathmandu"),
    ("seat1.zone", "Australia/Eucla"),
    ("seat2.zone", "America/St_Johns"),
    ("plain.attendee.phone", "+39055510017"),
    ("seat1.phone", "+39055510018"),
    ("seat2.phone", "+39055510019"),
    ("host.hours", "10:03"),
];

/// Names and texts of the canaries.
pub struct Canaries(Vec<(&'static str, String)>);

impl Canaries {
    fn new(names: &[&'static str]) -> Self {
        let text = |index: usize, name: &str| {
            let special = SPECIAL.iter().find(|(special, _)| *special == name);
            special.map_or(format!("cnr{index:03}x"), |(_, text)| (*text).to_owned())
        };
        let names = names.iter().enumerate();
        Self(
            names
                .map(|(index, name)| (*name, text(index, name)))
                .collect(),
        )
    }

    /// Text of a canary.
    pub fn text(&self, name: &str) -> &str {
        let found = self.0.iter().find(|(known, _)| *known == name);
        let missing = || panic!("{name} is missing in the table of expectations");
        &found.unwrap_or_else(missing).1
    }

    fn set(&mut self, name: &str, text: String) {
        let found = self.0.iter_mut().find(|(known, _)| *known == name);
        found.unwrap().1 = text;
    }

    /// Names of the canaries in a text.
    pub fn found_in<'a>(&'a self, text: &str) -> impl Iterator<Item = &'static str> + use<'a> {
        let mut indices = BTreeSet::new();
        for (start, _) in text.match_indices("cnr") {
            let number = text
                .get(start + 3..start + 6)
                .and_then(|digits| digits.parse::<usize>().ok());
            indices.extend(number.filter(|index| *index < self.0.len()));
        }
        for (index, (_, special)) in self.0.iter().enumerate() {
            if !special.starts_with("cnr") && text.contains(special.as_str()) {
                indices.insert(index);
            }
        }
        indices.into_iter().map(|index| self.0[index].0)
    }
}

/// Returns true if a text in brackets is the name of a canary, and no part of a JSON array.
fn is_name(text: &str) -> bool {
    let is_letter = |letter: char| letter.is_ascii_alphanumeric() || "-.".contains(letter);
    text.contains('.') && text.chars().all(is_letter)
}

/// Replaces the names in brackets with canaries and adds the names to `used`.
fn fill_canaries(canaries: &Canaries, text: &str, used: &mut BTreeSet<String>) -> String {
    let mut parts = text.split('[');
    let mut filled = parts.next().unwrap().to_owned();
    for part in parts {
        match part.split_once(']') {
            Some((name, rest)) if is_name(name) => {
                used.insert(name.to_owned());
                filled += canaries.text(name);
                filled += rest;
            }
            _ => {
                filled.push('[');
                filled += part;
            }
        }
    }
    filled
}

const ACCOUNTS: &str = r#"
INSERT INTO organizations (id, name, slug) VALUES (1, 'House', 'house'), (2, 'Elsewhere', 'elsewhere');
INSERT INTO teams (id, organization_id, name, slug, is_private) VALUES
    (1, 1, 'Open', 'open', 0), (2, 1, 'Closed', 'closed', 1), (3, 2, 'Foreign', 'foreign', 0);
INSERT INTO users (id, organization_id, username, email, name, bio, avatar_url, time_zone, metadata, is_admin) VALUES
    (10, 1, 'host', '[host.email]@canary.example', '[host.name]', '[host.bio]', 'https://canary.example/[host.avatar]', '[host.zone]', '{"crm": "[host.metadata]"}', 0),
    (11, 1, 'member', '[member.email]@canary.example', '[member.name]', '[member.bio]', NULL, 'UTC', '{"crm": "[member.metadata]"}', 0),
    (12, 1, 'admin', 'admin@house.example', 'Admin', NULL, NULL, 'UTC', '{}', 0),
    (13, 1, 'owner', 'owner@house.example', 'Owner', NULL, NULL, 'UTC', '{}', 0),
    (14, 1, 'invited', '[invited.email]@canary.example', '[invited.name]', '[invited.bio]', NULL, 'UTC', '{"crm": "[invited.metadata]"}', 0),
    (15, 1, 'colleague', '[colleague.email]@canary.example', '[colleague.name]', '[colleague.bio]', NULL, 'UTC', '{}', 0),
    (16, 1, 'orgadmin', 'orgadmin@house.example', 'Org admin', NULL, NULL, 'UTC', '{}', 0),
    (17, 1, 'orgowner', 'orgowner@house.example', 'Org owner', NULL, NULL, 'UTC', '{}', 0),
    (18, 2, 'stranger', 'stranger@elsewhere.example', 'Stranger', NULL, NULL, 'UTC', '{}', 0),
    (19, NULL, 'attendee', '[plain.attendee.email]@canary.example', 'Attendee', '[attendee.bio]', NULL, 'UTC', '{}', 0),
    (20, NULL, 'operator', 'operator@service.example', 'Operator', NULL, NULL, 'UTC', '{}', 1),
    (21, NULL, 'platform', 'platform@platform.example', 'Platform', NULL, NULL, 'UTC', '{}', 0),
    (22, NULL, 'otherplatform', 'other@platform.example', 'Other platform', NULL, NULL, 'UTC', '{}', 0),
    (25, 1, 'private', '[private.email]@canary.example', '[private.name]', '[private.bio]', NULL, 'UTC', '{"crm": "[private.metadata]"}', 0),
    (27, NULL, 'loner', '[loner.email]@canary.example', '[loner.name]', '[loner.bio]', 'https://canary.example/[loner.avatar]', 'UTC', '{"crm": "[loner.metadata]"}', 0),
    (30, NULL, 'desk', '[desk.email]@canary.example', 'Desk', '[desk.bio]', NULL, 'UTC', '{"crm": "[desk.metadata]"}', 0),
    (28, 1, 'leaver', '[leaver.email]@canary.example', '[leaver.name]', '[leaver.bio]', NULL, 'UTC', '{}', 0),
    (29, 1, 'shy', '[shy.email]@canary.example', '[shy.name]', '[shy.bio]', NULL, '[shy.zone]', '{"crm": "[shy.metadata]"}', 0);
INSERT INTO oauth_clients (id, name, owner_id, secret_hash, redirect_uris, scopes, created_ms) VALUES
    ('cliplat', 'Platform', 21, '{platform-secret}', '["https://platform.example/"]', '["*"]', 0),
    ('cliother', 'Other', 22, '{other-secret}', '["https://other.example/"]', '["*"]', 0);
INSERT INTO users (id, username, email, name, bio, time_zone, oauth_client_id, metadata) VALUES
    (23, 'managed', '[managed.email]+cliplat@canary.example', '[managed.name]', '[managed.bio]', 'UTC', 'cliplat', '{"crm": "[managed.metadata]"}'),
    (24, 'othermanaged', '[other-managed.email]+cliother@canary.example', '[other-managed.name]', '[other-managed.bio]', 'UTC', 'cliother', '{"crm": "[other-managed.metadata]"}');
INSERT INTO organization_members (id, organization_id, user_id, role)
    SELECT id, organization_id, id, CASE id WHEN 16 THEN 'ADMIN' WHEN 17 THEN 'OWNER' WHEN 18 THEN 'OWNER' ELSE 'MEMBER' END
    FROM users WHERE organization_id IS NOT NULL;
INSERT INTO memberships (id, team_id, user_id, role, accepted) VALUES
    (10, 1, 10, 'MEMBER', 1), (11, 1, 11, 'MEMBER', 1), (12, 1, 12, 'ADMIN', 1), (13, 1, 13, 'OWNER', 1),
    (14, 1, 14, 'MEMBER', 0), (15, 3, 18, 'OWNER', 1), (16, 2, 25, 'OWNER', 1), (17, 2, 11, 'MEMBER', 1), (18, 1, 28, 'MEMBER', 1);
INSERT INTO roles (id, team_id, name, kind, created_ms, updated_ms) VALUES ('team-role', 1, 'Team role', 'CUSTOM', 0, 0);
INSERT INTO roles (id, organization_id, name, kind, created_ms, updated_ms) VALUES ('house-role', 1, 'House role', 'CUSTOM', 0, 0);
INSERT INTO schedules (id, owner_id, name, time_zone) VALUES
    (10, 10, '[host.schedule]', 'UTC'), (25, 25, '[private.schedule]', 'UTC'), (27, 27, '[loner.schedule]', 'UTC'),
    (13, 13, 'Hours', 'UTC'), (29, 29, 'Hours', 'UTC'), (23, 23, 'Hours', 'UTC'), (30, 30, 'Hours', 'UTC');
INSERT INTO schedule_hours (id, schedule_id, weekday, from_minute, to_minute)
    SELECT schedules.id * 10 + day.value, schedules.id, day.value, 607, 1020
    FROM schedules CROSS JOIN json_each('[1, 2, 3, 4, 5]') AS day WHERE schedules.id <> 10;
INSERT INTO schedule_hours (id, schedule_id, weekday, from_minute, to_minute)
    SELECT 100 + day.value, 10, day.value, 603, 1020 FROM json_each('[1, 2, 3, 4, 5]') AS day;
UPDATE users SET default_schedule_id = id WHERE id IN (SELECT id FROM schedules);
INSERT INTO out_of_office (id, uuid, user_id, start_ms, end_ms, notes, reason, created_ms) VALUES
    (10, 'absence-10', 10, 1830000000000, 1830086400000, '[host.absence]', 'sick', 0),
    (25, 'absence-25', 25, 1830000000000, 1830086400000, '[private.absence]', 'sick', 0);
"#;

const EVENT_TYPES: &str = r#"
INSERT INTO event_types (id, owner_id, team_id, slug, hidden, scheduling_type, settings, created_ms) VALUES
    (1, NULL, 1, 'open-talk', 0, 'roundRobin', '{"title": "Open talk", "lengthInMinutes": 30, "minimumBookingNotice": 0,
        "locations": [{"type": "link", "link": "https://canary.example/[open.place]", "public": false}],
        "destinationCalendar": {"integration": "google_calendar", "externalId": "[open.calendar]"},
        "bookingFields": [
            {"type": "name", "slug": "name", "isDefault": true, "required": true},
            {"type": "email", "slug": "email", "isDefault": true, "required": true},
            {"type": "text", "slug": "topic", "label": "Topic"},
            {"type": "text", "slug": "inner", "label": "[open.hidden-field]", "hidden": true}]}', 0),
    (2, NULL, 1, 'hidden-talk', 1, 'roundRobin', '{"title": "[hidden.title]", "lengthInMinutes": 30, "closed": true}', 0),
    (3, 29, NULL, 'shy-talk', 0, NULL, '{"title": "Shy talk", "lengthInMinutes": 30, "hideOrganizerEmail": true}', 0),
    (4, 27, NULL, 'loner-talk', 1, NULL, '{"title": "[loner.event-type]", "lengthInMinutes": 30, "closed": true}', 0),
    (5, NULL, 1, 'members-talk', 0, 'roundRobin', '{"title": "Members talk", "lengthInMinutes": 30, "bookingRequiresAuthentication": true}', 0),
    (6, NULL, 1, 'class', 0, 'roundRobin', '{"title": "Class", "lengthInMinutes": 30, "seats": {"seatsPerTimeSlot": 5, "showAttendeeInfo": false},
        "locations": [{"type": "address", "address": "[class.place]", "public": false}]}', 0),
    (7, NULL, 1, 'open-class', 0, 'roundRobin', '{"title": "Open class", "lengthInMinutes": 30, "seats": {"seatsPerTimeSlot": 5, "showAttendeeInfo": true},
        "locations": [{"type": "phone", "phone": "+39055510020", "public": true}]}', 0),
    (8, NULL, 2, 'closed-talk', 0, 'roundRobin', '{"title": "Closed talk", "lengthInMinutes": 30}', 0),
    (9, 10, NULL, 'own-talk', 0, NULL, '{"title": "Own talk", "lengthInMinutes": 30, "minimumBookingNotice": 0}', 0),
    (10, 23, NULL, 'managed-talk', 0, NULL, '{"title": "Managed talk", "lengthInMinutes": 30}', 0),
    (12, 30, NULL, 'desk', 0, NULL, '{"title": "Desk", "lengthInMinutes": 30, "minimumBookingNotice": 0,
        "locations": [{"type": "link", "link": "https://canary.example/[desk.place]", "public": false}]}', 0),
    (11, NULL, 1, 'template', 0, 'managed', '{"title": "Template", "lengthInMinutes": 30}', 0);
INSERT INTO event_type_hosts (event_type_id, user_id) VALUES
    (1, 10), (1, 13), (2, 10), (3, 29), (4, 27), (5, 10), (6, 10), (7, 10), (8, 25), (9, 10), (10, 23), (12, 30);
"#;

const BOOKINGS: &str = r#"
INSERT INTO bookings (id, uid, event_type_id, team_id, title, description, status, start_ms, end_ms, location, seated, seats, paid,
    responses, guests, metadata, cancellation_reason, cancelled_by_email, rescheduling_reason, rescheduled_by_email, created_ms, updated_ms) VALUES
    (1, '[plain.uid]', 1, 1, 'Plain', '[plain.notes]', 'accepted', {day} + 36420000, {day} + 38220000, 'https://canary.example/[plain.place]', 0, NULL, NULL,
        '{"topic": "[plain.answer]"}', '["[plain.guest]@canary.example"]', '{"own": "[plain.metadata]"}', NULL, NULL, NULL, NULL, 0, 0),
    (2, '[ended.uid]', 1, 1, 'Ended', '', 'cancelled', {day} + 40000000, {day} + 41800000, NULL, 0, NULL, NULL,
        '{}', '[]', '{}', '[ended.reason]', '[ended.by]@canary.example', NULL, NULL, 0, 0),
    (3, '[moved.uid]', 1, 1, 'Moved', '', 'cancelled', {day} + 43000000, {day} + 44800000, NULL, 0, NULL, NULL,
        '{}', '[]', '{}', NULL, NULL, '[moved.reason]', '[moved.by]@canary.example', 0, 0),
    (4, '[shy.uid]', 3, NULL, 'Shy', '', 'cancelled', {day} + 46000000, {day} + 47800000, NULL, 0, NULL, NULL,
        '{}', '[]', '{}', 'Ill', '[shy.email]@canary.example', NULL, NULL, 0, 0),
    (5, '[guarded.uid]', 5, 1, 'Guarded', '', 'accepted', {day} + 49000000, {day} + 50800000, NULL, 0, NULL, NULL,
        '{}', '[]', '{}', NULL, NULL, NULL, NULL, 0, 0),
    (6, '[class.uid]', 6, 1, 'Class', '', 'accepted', {day} + 52000000, {day} + 53800000, '[class.place]', 1, 5, NULL,
        '{}', '[]', '{}', '[class.reason]', '[seat1.email]@canary.example', NULL, NULL, 0, 0),
    (7, '[open-class.uid]', 7, 1, 'Open class', '', 'accepted', {day} + 55000000, {day} + 56800000, NULL, 1, 5, NULL,
        '{}', '[]', '{}', NULL, NULL, NULL, NULL, 0, 0),
    (8, '[loner.uid]', 4, NULL, 'Loner', '', 'accepted', {day} + 36420000, {day} + 38220000, NULL, 0, NULL, NULL,
        '{}', '[]', '{}', NULL, NULL, NULL, NULL, 0, 0),
    (9, '[closed.uid]', 8, 2, 'Closed', '', 'accepted', {day} + 36420000, {day} + 38220000, NULL, 0, NULL, NULL,
        '{}', '[]', '{}', NULL, NULL, NULL, NULL, 0, 0),
    (10, '[group.uid]', NULL, NULL, 'Group', '', 'accepted', {day} + 60000000, {day} + 61800000, NULL, 0, NULL, NULL,
        '{}', '[]', '{}', NULL, NULL, NULL, NULL, 0, 0),
    (11, 'left-booking', 1, 1, 'Left', '', 'accepted', {day} - 86400000, {day} - 84600000, NULL, 0, NULL, NULL,
        '{}', '[]', '{}', NULL, NULL, NULL, NULL, 0, 0),
    (12, '[pending.uid]', 1, 1, 'Pending', '', 'pending', {day} + 126420000, {day} + 128220000, NULL, 0, NULL, NULL,
        '{}', '[]', '{}', NULL, NULL, NULL, NULL, 0, 0),
    (13, '[held.uid]', 1, 1, 'Held', '', 'accepted', {now} - 3600000, {now} - 1800000, NULL, 0, NULL, NULL,
        '{}', '[]', '{}', NULL, NULL, NULL, NULL, 0, 0),
    (14, '[managed.uid]', 10, NULL, 'Managed', '', 'accepted', {day} + 36420000, {day} + 38220000, NULL, 0, NULL, NULL,
        '{}', '[]', '{}', NULL, NULL, NULL, NULL, 0, 0);
INSERT INTO booking_hosts (booking_id, user_id, start_ms, end_ms, holds)
    SELECT b.id, h.user_id, b.start_ms, b.end_ms, b.status = 'accepted' FROM bookings b
    JOIN (SELECT 1 AS id, 10 AS user_id UNION SELECT 2, 10 UNION SELECT 3, 10 UNION SELECT 4, 29 UNION SELECT 5, 10
        UNION SELECT 6, 10 UNION SELECT 7, 10 UNION SELECT 8, 27 UNION SELECT 9, 25 UNION SELECT 10, 29 UNION SELECT 10, 15
        UNION SELECT 11, 28 UNION SELECT 12, 10 UNION SELECT 13, 10 UNION SELECT 14, 23) AS h ON h.id = b.id;
INSERT INTO attendees (id, booking_id, name, email, phone_number, time_zone, language, guest, seat_uid, responses, metadata) VALUES
    (1, 1, '[plain.attendee.name]', '[plain.attendee.email]@canary.example', '[plain.attendee.phone]', '[plain.attendee.zone]', 'en', 0, NULL, NULL, NULL),
    (2, 1, '', '[plain.guest]@canary.example', NULL, 'UTC', NULL, 1, NULL, NULL, NULL),
    (3, 2, 'Sam', '[ended.by]@canary.example', NULL, 'UTC', 'en', 0, NULL, NULL, NULL),
    (4, 3, 'Sam', '[moved.by]@canary.example', NULL, 'UTC', 'en', 0, NULL, NULL, NULL),
    (5, 4, 'Sam', 'sam@visitor.example', NULL, 'UTC', 'en', 0, NULL, NULL, NULL),
    (6, 5, '[guarded.name]', '[guarded.email]@canary.example', NULL, 'UTC', 'en', 0, NULL, NULL, NULL),
    (7, 6, '[seat1.name]', '[seat1.email]@canary.example', '[seat1.phone]', '[seat1.zone]', 'en', 0, '[seat1.uid]', '{"topic": "[seat1.answer]"}', '{"own": "[seat1.metadata]"}'),
    (8, 6, '[seat2.name]', '[seat2.email]@canary.example', '[seat2.phone]', '[seat2.zone]', 'en', 0, '[seat2.uid]', '{"topic": "[seat2.answer]"}', '{"own": "[seat2.metadata]"}'),
    (9, 7, '[seat3.name]', '[seat3.email]@canary.example', NULL, 'UTC', 'en', 0, '[seat3.uid]', '{}', '{}'),
    (10, 7, '[seat4.name]', '[seat4.email]@canary.example', NULL, 'UTC', 'en', 0, '[seat4.uid]', '{"topic": "[seat4.answer]"}', '{}'),
    (11, 8, '[loner.visitor]', 'visitor@loner.example', NULL, 'UTC', 'en', 0, NULL, NULL, NULL),
    (12, 9, '[closed.visitor]', 'visitor@closed.example', NULL, 'UTC', 'en', 0, NULL, NULL, NULL),
    (13, 10, '[group.visitor]', 'visitor@group.example', NULL, 'UTC', 'en', 0, NULL, NULL, NULL),
    (14, 11, 'Sam', 'sam@visitor.example', NULL, 'UTC', 'en', 0, NULL, NULL, NULL),
    (15, 12, 'Sam', 'sam@visitor.example', NULL, 'UTC', 'en', 0, NULL, NULL, NULL),
    (16, 13, 'Sam', 'sam@visitor.example', NULL, 'UTC', 'en', 0, NULL, NULL, NULL),
    (17, 14, '[managed.visitor]', 'visitor@managed.example', NULL, 'UTC', 'en', 0, NULL, NULL, NULL);
UPDATE attendees SET booked_ms = {now} WHERE id = 15;
INSERT INTO verified_emails (id, email, user_id, team_id, created_ms) VALUES
    (1, '[host.verified]@canary.example', 10, NULL, {now}),
    (2, '[team.verified]@canary.example', 10, 1, {now});
INSERT INTO email_verification_codes (email, code_hash, created_ms, expires_ms) VALUES
    ('code0@visitor.example', x'{code-0}', {now} - 86400000, {now} + 86400000),
    ('code1@visitor.example', x'{code-1}', {now} - 86400000, {now} + 86400000),
    ('code2@visitor.example', x'{code-2}', {now} - 86400000, {now} + 86400000);
INSERT INTO payments (id, booking_id, amount, currency, app_id) VALUES (1, 1, 100, 'eur', '[plain.payment]');
INSERT INTO reservations (uid, event_type_id, client_hash, start_ms, end_ms, until_ms, created_ms)
    VALUES ('[reservation.uid]', 1, 'x', {day} + 210000000, {day} + 211800000, {now} + 240000, {now});
INSERT INTO app_credentials (id, user_id, app_slug, sealed_key, created_ms) VALUES (10, 10, '[host.app]', x'{app-key}', 0);
INSERT INTO destination_calendars (id, user_id, integration, external_id, credential_id)
    VALUES (10, 10, 'google_calendar', '[host.destination]', 10);
INSERT INTO selected_calendars (user_id, integration, external_id) VALUES (10, 'google_calendar', '[host.selected]');
INSERT INTO booking_references (id, booking_id, type, uid, meeting_id, meeting_password, meeting_url)
    VALUES (1, 1, 'zoom', '[plain.reference]', 'm', '[plain.meeting-password]', 'https://canary.example/[plain.meeting-url]');
INSERT INTO webhooks (id, user_id, event_type_id, organization_id, oauth_client_id, subscriber_url, triggers, active, payload_template, secret, version, created_ms) VALUES
    ('[host.webhook]', 10, NULL, NULL, NULL, 'https://example.org/[host.webhook-url]', '["BOOKING_CREATED"]', 1, '{"t": "[host.webhook-template]"}', x'{host-webhook}', '2021-10-20', 0),
    ('[open.webhook]', NULL, 1, NULL, NULL, 'https://example.org/[open.webhook-url]', '["BOOKING_CREATED"]', 1, NULL, x'{open-webhook}', '2021-10-20', 0),
    ('[own.webhook]', NULL, 9, NULL, NULL, 'https://example.org/[own.webhook-url]', '["BOOKING_CREATED"]', 1, NULL, NULL, '2021-10-20', 0),
    ('[house.webhook]', NULL, NULL, 1, NULL, 'https://example.org/[house.webhook-url]', '["BOOKING_CREATED"]', 1, NULL, x'{house-webhook}', '2021-10-20', 0),
    ('[platform.webhook]', NULL, NULL, NULL, 'cliplat', 'https://example.org/[platform.webhook-url]', '["BOOKING_CREATED"]', 1, NULL, x'{platform-webhook}', '2021-10-20', 0);
"#;

/// The API key of a user, or of `scoped`.
pub fn key(name: &str) -> String {
    format!("svc_{}", secret::hash(&format!("key of {name}")))
}

/// The secret of an OAuth client.
pub fn client_secret(id: &str) -> String {
    secret::hash(&format!("secret of {id}"))
}

pub fn user_id(name: &str) -> i64 {
    let found = PEOPLE.iter().find(|(known, _)| *known == name);
    found.unwrap_or_else(|| panic!("nobody is called {name}")).1
}

/// A data directory that services are started from.
pub struct Fixture {
    template: TempDir,
    pub canaries: Canaries,
}

impl Fixture {
    /// Creates the data with the canaries of these names. All of them must be used.
    pub async fn new(names: &[&'static str]) -> Self {
        let mut canaries = Canaries::new(names);
        let template = tempfile::tempdir().unwrap();
        let service = start(template.path()).await;
        // Minute 603 of the day in `schedule_hours`.
        let mut used = BTreeSet::from(["host.hours".to_owned()]);
        let keys = PEOPLE.iter().map(|(name, id)| (*name, *id, "NULL"));
        let scoped = [("scoped", user_id("host"), r#"'["BOOKING_READ"]'"#)];
        let mut sql = fill_canaries(&canaries, ACCOUNTS, &mut used)
            .replace(
                "{platform-secret}",
                &secret::hash(&client_secret("cliplat")),
            )
            .replace("{other-secret}", &secret::hash(&client_secret("cliother")));
        for (name, id, scopes) in keys.chain(scoped) {
            let hash = secret::hash(key(name).strip_prefix("svc_").unwrap());
            sql += &format!(
                "INSERT INTO api_keys (hash, user_id, label, created_ms, scopes)
                     VALUES ('{hash}', {id}, 'Test', 0, {scopes});"
            );
        }
        sql += &fill_canaries(&canaries, EVENT_TYPES, &mut used);
        let now = Instant::parse(NOW).unwrap().0;
        let day = Instant::parse("2027-03-02T00:00:00Z").unwrap().0;
        let mut bookings = fill_canaries(&canaries, BOOKINGS, &mut used)
            .replace("{now}", &now.to_string())
            .replace("{day}", &day.to_string());
        for (placeholder, secret, owner) in [
            (
                "app-key",
                "host.app-key",
                format!(
                    "credential of 10 for {}",
                    canaries.text("host.app").to_owned()
                ),
            ),
            (
                "host-webhook",
                "host.webhook-secret",
                canaries.text("host.webhook").to_owned(),
            ),
            (
                "open-webhook",
                "open.webhook-secret",
                canaries.text("open.webhook").to_owned(),
            ),
            (
                "house-webhook",
                "house.webhook-secret",
                canaries.text("house.webhook").to_owned(),
            ),
            (
                "platform-webhook",
                "platform.webhook-secret",
                canaries.text("platform.webhook").to_owned(),
            ),
        ] {
            used.insert(secret.to_owned());
            let sealed = service.app.sealing_key.seal(canaries.text(secret), &owner);
            bookings = bookings.replace(
                &format!("{{{placeholder}}}"),
                &secret::hex(&sealed.unwrap()),
            );
        }
        for number in 0..3 {
            let text = format!("email code 123456 code{number}@visitor.example");
            let hash = secret::hex(&service.app.signing_key.mac(&text));
            bookings = bookings.replace(&format!("{{code-{number}}}"), &hash);
        }
        sql += &bookings;
        for (index, owner) in WEBHOOKS.iter().enumerate() {
            let delivery = format!(
                "INSERT INTO webhook_deliveries (id, webhook_id, trigger_name, about, body, content_type, created_ms,
                     status, settled_ms)
                 VALUES ({}, '[{owner}.webhook]', 'BOOKING_CREATED', 'a', '[host.webhook-payload]', 'application/json', 0,
                     'failed', {now});",
                index + 1
            );
            sql += &fill_canaries(&canaries, &delivery, &mut used);
        }
        service.sql(&sql).await;

        let grant = Grant {
            client_id: "cliplat",
            user_id: user_id("managed"),
            now: service.app.clock.now(),
            access_minutes: 60,
            refreshed: false,
        };
        let mut transaction = service.app.store.begin(&[Subject::Rows]).await.unwrap();
        let tokens = issue_pair(&mut transaction, &service.app.signing_key, grant)
            .await
            .unwrap();
        transaction.commit().await.unwrap();
        // Deleted by the operator, so that the remaining data is that of a real deletion.
        let deleted = format!("/v1/users/{}?apiKey={}", user_id("leaver"), key("operator"));
        let deleted = service
            .call(axum::http::Method::DELETE, &deleted, &[], None)
            .await;
        assert_eq!(deleted.status, 200, "{}", deleted.text);
        service.app.store.close().await;
        for (name, text) in [
            ("managed.access-token", tokens.access_token),
            ("managed.refresh-token", tokens.refresh_token),
            ("host.api-key", key("host")),
            ("platform.client-secret", client_secret("cliplat")),
        ] {
            canaries.set(name, text);
            used.insert(name.to_owned());
        }
        for name in names {
            assert!(used.remove(*name), "{name} is not in the world");
        }
        Self { template, canaries }
    }

    /// Starts a service over a copy of the data.
    pub async fn service(&self) -> Service {
        let directory = tempfile::tempdir().unwrap();
        for file in std::fs::read_dir(self.template.path()).unwrap() {
            let file = file.unwrap();
            std::fs::copy(file.path(), directory.path().join(file.file_name())).unwrap();
        }
        let mut service = start(directory.path()).await;
        service.directory = directory;
        service
    }
}

impl Fixture {
    /// Restores the data of a service.
    pub async fn restore(&self, service: &Service) {
        let options = SqliteConnectOptions::new()
            .filename(service.directory.path().join(DATABASE))
            .foreign_keys(false);
        let mut db = SqliteConnection::connect_with(&options).await.unwrap();
        let template = self.template.path().join(DATABASE);
        let run = async |db: &mut SqliteConnection, sql: &str| {
            sqlx::raw_sql(AssertSqlSafe(sql)).execute(db).await.unwrap();
        };
        run(
            &mut db,
            &format!(
                "ATTACH '{}' AS template; BEGIN IMMEDIATE",
                template.display()
            ),
        )
        .await;
        let tables: Vec<String> = sqlx::query_scalar(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE '\\_%' ESCAPE '\\'
             AND name NOT LIKE 'sqlite\\_stat%' ESCAPE '\\'
             -- Maintained by triggers.
             AND name NOT LIKE '%\\_search%' ESCAPE '\\' AND name NOT LIKE '%\\_versions' ESCAPE '\\'",
        )
        .fetch_all(&mut db)
        .await
        .unwrap();
        for table in &tables {
            run(&mut db, &format!("DELETE FROM main.{table}")).await;
        }
        for table in &tables {
            run(
                &mut db,
                &format!("INSERT INTO main.{table} SELECT * FROM template.{table}"),
            )
            .await;
        }
        run(&mut db, "COMMIT").await;
        db.close().await.unwrap();
        // A write clears the service's caches.
        service.sql("SELECT 1").await;
    }
}

/// Starts a service over `directory`, which the caller owns.
async fn start(directory: &Path) -> Service {
    let clock = Clock::stopped_at(Instant::parse(NOW).unwrap());
    let settings = Settings {
        mail_is_available: true,
        ..Settings::default()
    };
    let app = data_directory::open(directory, clock, settings)
        .await
        .unwrap();
    let assets = Assets {
        app: directory.join("app"),
        embed: directory.join("embed"),
    };
    Service {
        router: router(app.clone(), &assets),
        app,
        directory: tempfile::tempdir().unwrap(),
        database: None,
        credentials: Value::Null,
    }
}
