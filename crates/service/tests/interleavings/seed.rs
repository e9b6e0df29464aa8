//! Rows that pairs of requests start from.

use booking_wire::Instant;
use serde_json::{Value, json};

/// Hosts in UTC with working hours from 9 to 17, Monday to Friday. Their schedules have the same ids.
pub const HOSTS: [i64; 3] = [201, 202, 203];

/// A managed user of the demo's OAuth client, whom a pair adds.
pub const GUEST_HOST: i64 = 204;

/// A team that a pair adds.
pub const TEAM: i64 = 9100;

/// Lets the first two hosts be booked together. They share a team event type.
pub const GROUPS: &str = "UPDATE users SET allow_dynamic_bookings = 1 WHERE id IN (201, 202);
    INSERT INTO event_types (id, team_id, slug, scheduling_type, settings, created_ms)
    VALUES (9003, 1, 'for-both', 'roundRobin', '{\"title\": \"Both\", \"lengthInMinutes\": 30}', 0);
    INSERT INTO event_type_hosts (event_type_id, user_id) VALUES (9003, 201), (9003, 202);";

/// Adds the refresh token of the requests.
pub const REFRESH_TOKEN: &str =
    "INSERT INTO oauth_tokens (hash, kind, oauth_client_id, user_id, expires_ms, family)
    SELECT hash, kind, oauth_client_id, user_id, expires_ms, 'interleavings' FROM refresh_token;";

/// The code of `ann@example.org`.
pub const CODE: &str = "123456";

/// Adds the code.
pub const EMAIL_CODE: &str =
    "INSERT INTO email_verification_codes (email, code_hash, attempts, created_ms, expires_ms)
    SELECT email, code_hash, 0, 0, 9000000000000 FROM email_code;";

/// Adds the managed user, with the first host's hours.
pub fn guest_host() -> String {
    format!(
        "INSERT INTO users (id, organization_id, username, email, name, time_zone, default_schedule_id, oauth_client_id)
         SELECT {GUEST_HOST}, 1, 'guest', 'guest@northwind.example', 'Guest host', 'UTC', 201, id FROM oauth_clients
         LIMIT 1;
         INSERT INTO memberships (id, team_id, user_id, role, accepted) VALUES ({GUEST_HOST}, 1, {GUEST_HOST}, 'MEMBER', 1);"
    )
}

/// Adds a team of which the first two hosts are the owners.
pub fn team_of_two_owners() -> String {
    format!(
        "INSERT INTO teams (id, organization_id, name, slug) VALUES ({TEAM}, 1, 'Two', 'two');
         INSERT INTO memberships (id, team_id, user_id, role, accepted)
         VALUES ({TEAM} + 1, {TEAM}, 201, 'OWNER', 1), ({TEAM} + 2, {TEAM}, 202, 'OWNER', 1);"
    )
}

/// Adds the hosts, once.
pub fn hosts() -> String {
    let rows = HOSTS.map(|id| {
        format!(
            "INSERT INTO users (id, organization_id, username, email, name, time_zone, default_schedule_id)
             VALUES ({id}, 1, 'host{id}', 'host{id}@northwind.example', 'Host {id}', 'UTC', NULL);
             INSERT INTO organization_members (organization_id, user_id, role) VALUES (1, {id}, 'MEMBER');
             INSERT INTO memberships (team_id, user_id, role, accepted) VALUES (1, {id}, 'ADMIN', 1);
             INSERT INTO schedules (id, owner_id, name, time_zone) VALUES ({id}, {id}, 'Hours', 'UTC');
             UPDATE users SET default_schedule_id = {id} WHERE id = {id};"
        )
    });
    rows.concat()
}

/// Restores what the requests have changed.
pub fn reset() -> String {
    let mut sql = "DELETE FROM bookings; DELETE FROM reservations; DELETE FROM idempotency_keys;
        DELETE FROM email_verification_codes;
        DELETE FROM event_types WHERE id >= 9000; DELETE FROM out_of_office; DELETE FROM teams WHERE id >= 9000;
        DELETE FROM users WHERE id = 204;
        DELETE FROM oauth_tokens WHERE family = 'interleavings';
        DELETE FROM schedule_hours WHERE schedule_id BETWEEN 201 AND 203;"
        .to_owned();
    sql.push_str(
        "INSERT INTO schedule_hours (schedule_id, weekday, from_minute, to_minute)
         SELECT schedule, weekday, 540, 1020
         FROM generate_series(201, 203) AS schedule, generate_series(1, 5) AS weekday;",
    );
    sql
}

/// Adds an event type: of the first host, or of the team with these hosts. `settings`: fields as on the wire.
pub fn event_type(id: i64, scheduling: Option<&str>, hosts: &[i64], settings: &Value) -> String {
    let mut document = json!({"title": "Talk", "lengthInMinutes": 30, "minimumBookingNotice": 0});
    let fields = settings.as_object().unwrap().clone();
    document.as_object_mut().unwrap().extend(fields);
    let minutes = |key: &str| document[key].as_i64().unwrap_or(0);
    let owner = match scheduling {
        Some(_) => "NULL, 1".to_owned(),
        None => format!("{}, NULL", hosts[0]),
    };
    let scheduling = scheduling.map_or("NULL".to_owned(), |kind| format!("'{kind}'"));
    let mut sql = format!(
        "INSERT INTO event_types (id, owner_id, team_id, slug, scheduling_type, before_minutes, after_minutes,
             blocks_unconfirmed, settings, created_ms)
         VALUES ({id}, {owner}, 'talk{id}', {scheduling}, {}, {}, {}, '{document}', 0);",
        minutes("beforeEventBuffer"),
        minutes("afterEventBuffer"),
        i64::from(document["blocks"] == true),
    );
    for host in hosts {
        sql.push_str(&format!(
            "INSERT INTO event_type_hosts (event_type_id, user_id) VALUES ({id}, {host});"
        ));
    }
    sql
}

/// A booking of half an hour.
#[derive(Clone, Debug)]
pub struct Seed<'a> {
    pub uid: &'a str,
    pub event_type: i64,
    pub status: &'a str,
    pub start: &'a str,
    pub hosts: &'a [i64],
    /// Seats, and who has taken one.
    pub seats: Option<(i64, &'a [&'a str])>,
}

impl<'a> Seed<'a> {
    pub fn new(uid: &'a str, event_type: i64, start: &'a str) -> Self {
        Self {
            uid,
            event_type,
            status: "accepted",
            start,
            hosts: &HOSTS[..1],
            seats: None,
        }
    }

    pub fn sql(&self) -> String {
        let Self {
            uid,
            event_type,
            status,
            ..
        } = self;
        let start = Instant::parse(self.start).unwrap();
        let end = start.plus_minutes(30);
        let seats = self
            .seats
            .map_or("NULL".to_owned(), |(count, _)| count.to_string());
        let mut sql = format!(
            "INSERT INTO bookings (uid, event_type_id, team_id, organization_id, title, status, start_ms, end_ms, seated, seats,
                 ics_uid, created_ms, updated_ms)
             SELECT '{uid}', id, team_id, 1, 'Talk', '{status}', {}, {}, {}, {seats}, '{uid}@booking', 0, 0
             FROM event_types WHERE id = {event_type};",
            start.0,
            end.0,
            i64::from(self.seats.is_some()),
        );
        for host in self.hosts {
            sql.push_str(&format!(
                "INSERT INTO booking_hosts (booking_id, user_id, start_ms, end_ms, holds)
                 SELECT b.id, {host}, b.start_ms, b.end_ms,
                     CASE WHEN status = 'accepted' OR status = 'pending' AND blocks_unconfirmed = 1 THEN 1 ELSE 0 END
                 FROM bookings b JOIN event_types e ON e.id = b.event_type_id WHERE b.uid = '{uid}';"
            ));
        }
        let names = self.seats.map_or(&[][..], |(_, names)| names);
        for name in names {
            sql.push_str(&format!(
                "INSERT INTO attendees (booking_id, name, email, time_zone, language, seat_uid, responses)
                 SELECT id, '{name}', '{name}@example.org', 'UTC', 'en', 'seat-{name}', '{{}}'
                 FROM bookings WHERE uid = '{uid}';"
            ));
        }
        if self.seats.is_none() {
            sql.push_str(&format!(
                "INSERT INTO attendees (booking_id, name, email, time_zone, language)
                 SELECT id, '{uid}', '{uid}@example.org', 'UTC', 'en' FROM bookings WHERE uid = '{uid}';"
            ));
        }
        sql
    }
}
