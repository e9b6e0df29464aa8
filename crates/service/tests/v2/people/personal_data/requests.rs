//! Requests for every operation and every id that it accepts.

use std::collections::{BTreeMap, BTreeSet};

use booking_service::http::openapi;
use booking_service::http::v1;
use serde_json::{Value, json};

/// Valid bodies of writes.
const BODIES: &str = r#"
POST /v2/event-types {"title": "New", "slug": "new", "lengthInMinutes": 30}
PATCH /v2/event-types/{eventTypeId} {"title": "Renamed"}
POST /v2/teams/{teamId}/event-types {"title": "New", "slug": "new", "lengthInMinutes": 30, "schedulingType": "collective", "hosts": [{"userId": 10}]}
PATCH /v2/teams/{teamId}/event-types/{eventTypeId} {"title": "Renamed"}
POST /v2/slots/reservations {"eventTypeId": 9, "slotStart": "2027-03-04T13:00:00Z"}
PATCH /v2/slots/reservations/{reservationUid} {"eventTypeId": 1, "slotStart": "2027-03-05T13:00:00Z"}
POST /v2/bookings {"eventTypeId": 12, "start": "2027-03-04T11:00:00Z", "attendee": {"name": "Kim", "email": "kim@visitor.example", "timeZone": "UTC"}}
POST /v2/bookings/{bookingUid}/cancel {"cancellationReason": "Ill"}
POST /v2/bookings/{bookingUid}/reschedule {"start": "2027-03-04T11:30:00Z"}
POST /v2/bookings/{bookingUid}/correct-email {"email": "sam@visitor.example", "newEmail": "sam@example.org"}
POST /v2/bookings/{bookingUid}/confirm {}
POST /v2/bookings/{bookingUid}/decline {"reason": "Ill"}
POST /v2/bookings/{bookingUid}/mark-absent {"host": true}
POST /v2/bookings/{bookingUid}/reassign {}
POST /v2/bookings/{bookingUid}/reassign/{userId} {}
POST /v2/bookings/{bookingUid}/guests {"guests": [{"email": "guest@visitor.example"}]}
POST /v2/bookings/{bookingUid}/attendees {"name": "Kim", "email": "kim@visitor.example", "timeZone": "UTC"}
PATCH /v2/bookings/{bookingUid}/location {"location": {"type": "link", "link": "https://example.org/room"}}
POST /v2/organizations/{orgId}/teams/{teamId}/roles {"name": "New", "permissions": []}
PATCH /v2/organizations/{orgId}/teams/{teamId}/roles/{roleId} {"name": "Renamed"}
POST /v2/organizations/{orgId}/teams/{teamId}/roles/{roleId}/permissions {"permissions": ["role.read"]}
PUT /v2/organizations/{orgId}/teams/{teamId}/roles/{roleId}/permissions {"permissions": ["role.read"]}
POST /v2/organizations/{orgId}/roles {"name": "New", "permissions": []}
PATCH /v2/organizations/{orgId}/roles/{roleId} {"name": "Renamed"}
POST /v2/organizations/{orgId}/roles/{roleId}/permissions {"permissions": ["role.read"]}
PUT /v2/organizations/{orgId}/roles/{roleId}/permissions {"permissions": ["role.read"]}
PATCH /v2/organizations/{orgId}/memberships/{membershipId} {"disableImpersonation": true}
POST /v2/teams {"name": "New"}
PATCH /v2/teams/{teamId} {"name": "Renamed"}
POST /v2/teams/{teamId}/memberships {"userId": 15}
PATCH /v2/teams/{teamId}/memberships/{membershipId} {"disableImpersonation": true}
POST /v2/schedules {"name": "New", "timeZone": "UTC", "isDefault": false}
PATCH /v2/schedules/{scheduleId} {"isDefault": true}
POST /v2/organizations/{orgId}/users/{userId}/ooo {"start": "2027-06-01T00:00:00Z", "end": "2027-06-02T00:00:00Z"}
PATCH /v2/organizations/{orgId}/users/{userId}/ooo/{oooId} {"reason": "travel"}
PATCH /v2/me {"timeFormat": 12}
POST /v2/verified-resources/emails/verification-code/request {"email": "new0@visitor.example"}
POST /v2/verified-resources/emails/verification-code/verify {"email": "code0@visitor.example", "code": "123456"}
POST /v2/teams/{teamId}/verified-resources/emails/verification-code/request {"email": "new1@visitor.example"}
POST /v2/teams/{teamId}/verified-resources/emails/verification-code/verify {"email": "code1@visitor.example", "code": "123456"}
POST /v2/organizations/{orgId}/teams/{teamId}/verified-resources/emails/verification-code/request {"email": "new2@visitor.example"}
POST /v2/organizations/{orgId}/teams/{teamId}/verified-resources/emails/verification-code/verify {"email": "code2@visitor.example", "code": "123456"}
POST /v2/webhooks {"subscriberUrl": "https://example.org/new", "triggers": ["BOOKING_CREATED"], "active": true}
PATCH /v2/webhooks/{webhookId} {"active": false}
POST /v2/event-types/{eventTypeId}/webhooks {"subscriberUrl": "https://example.org/new", "triggers": ["BOOKING_CREATED"], "active": true}
PATCH /v2/event-types/{eventTypeId}/webhooks/{webhookId} {"active": false}
POST /v2/teams/{teamId}/event-types/{eventTypeId}/webhooks {"subscriberUrl": "https://example.org/new", "triggers": ["BOOKING_CREATED"], "active": true}
PATCH /v2/teams/{teamId}/event-types/{eventTypeId}/webhooks/{webhookId} {"active": false}
POST /v2/organizations/{orgId}/webhooks {"subscriberUrl": "https://example.org/new", "triggers": ["BOOKING_CREATED"], "active": true}
PATCH /v2/organizations/{orgId}/webhooks/{webhookId} {"active": false}
POST /v2/oauth-clients/{clientId}/webhooks {"subscriberUrl": "https://example.org/new", "triggers": ["BOOKING_CREATED"], "active": true}
PATCH /v2/oauth-clients/{clientId}/webhooks/{webhookId} {"active": false}
POST /v2/oauth/{clientId}/refresh {"refreshToken": "{refreshToken}"}
POST /v2/oauth-clients/{clientId}/users {"name": "New", "email": "new@managed.example"}
PATCH /v2/oauth-clients/{clientId}/users/{userId} {"timeFormat": 12}
POST /v2/oauth-clients/{clientId}/users/{userId}/force-refresh {}
POST /v1/attendees {"bookingId": 1, "name": "Kim", "email": "kim@visitor.example", "timeZone": "UTC"}
PATCH /v1/attendees/{id} {"timeZone": "UTC"}
POST /v1/availabilities {"scheduleId": 10, "days": [6], "startTime": "1970-01-01T10:00:00.000Z", "endTime": "1970-01-01T12:00:00.000Z"}
PATCH /v1/availabilities/{id} {"days": [6]}
POST /v1/booking-references {"type": "zoom", "uid": "new", "bookingId": 1}
PATCH /v1/booking-references/{id} {"deleted": true}
POST /v1/bookings {"eventTypeId": 12, "start": "2027-03-04T11:00:00Z", "responses": {"name": "Kim", "email": "kim@visitor.example", "location": {"optionValue": "", "value": ""}}, "timeZone": "UTC", "language": "en", "metadata": {}}
PATCH /v1/bookings/{id} {"title": "Renamed"}
POST /v1/credential-sync {"encryptedKey": "new", "appSlug": "new"}
PATCH /v1/credential-sync {"encryptedKey": "new"}
POST /v1/destination-calendars {"integration": "google_calendar", "externalId": "new", "credentialId": 10}
PATCH /v1/destination-calendars/{id} {"integration": "apple_calendar"}
POST /v1/event-types {"title": "New", "slug": "new", "length": 30, "metadata": {}}
PATCH /v1/event-types/{id} {"title": "Renamed"}
POST /v1/memberships {"userId": 15, "teamId": 1}
PATCH /v1/memberships/{id} {"disableImpersonation": true}
POST /v1/schedules {"name": "New", "timeZone": "UTC"}
PATCH /v1/schedules/{id} {"timeZone": "UTC"}
POST /v1/selected-calendars {"integration": "google_calendar", "externalId": "new"}
PATCH /v1/selected-calendars/{id} {"integration": "apple_calendar"}
POST /v1/teams {"name": "New", "slug": "new"}
PATCH /v1/teams/{teamId} {"name": "Renamed"}
POST /v1/users {"email": "new@house.example", "username": "new"}
PATCH /v1/users/{userId} {"weekStart": "Monday"}
POST /v1/webhooks {"subscriberUrl": "https://example.org/new", "eventTriggers": ["BOOKING_CREATED"], "active": true}
PATCH /v1/webhooks/{id} {"active": false}
"#;

/// Queries of reads; `@` is the operation without query.
const QUERIES: &str = "
/v2/event-types @ ?username=host ?username=shy ?username=loner ?username=managed ?usernames=host,shy&orgSlug=house
/v2/slots ?eventTypeId=1&{day} ?eventTypeId=2&{day} ?eventTypeId=3&{day} ?eventTypeId=4&{day} ?eventTypeId=5&{day} ?eventTypeId=6&{day} ?eventTypeId=7&{day} ?eventTypeId=9&{day} ?eventTypeSlug=own-talk&username=host&{day}
/v2/bookings @ ?status=cancelled ?status=upcoming&sortUpdatedAt=desc ?eventTypeId=1 ?eventTypeId=2
/v2/teams/{teamId}/bookings @ ?status=cancelled ?eventTypeIds=1,2
/v1/slots ?eventTypeId=1&{v1day} ?eventTypeId=2&{v1day} ?eventTypeId=6&{v1day}
/v1/memberships @ ?include=team
/v1/memberships/{id} @ ?include=team
/v1/users @ ?take=100
/v1/credential-sync ?userId=10 ?userId=10&credentialId=10
/v1/bookings/{id}/cancel ?cancellationReason=Ill
/v1/attendees/{id} @ ?cancellationReason=Ill
";

/// Owners of webhooks in the canaries, in the order of the ids of their deliveries.
pub const WEBHOOKS: [&str; 5] = ["host", "open", "own", "house", "platform"];

/// One request of an operation.
#[derive(Clone, Debug)]
pub struct Request {
    /// Method and path with its parameters in braces.
    pub operation: String,
    pub method: &'static str,
    pub target: String,
    pub body: Option<Value>,
}

/// Non-numeric ids that a caller knows.
#[derive(Clone, Debug, Default)]
pub struct KnownIds {
    pub bookings: BTreeSet<String>,
    /// The subset that writes use.
    pub writable: BTreeSet<String>,
    pub seats: BTreeSet<String>,
    pub reservations: BTreeSet<String>,
    pub webhooks: BTreeSet<String>,
    /// A delivery of each webhook.
    pub deliveries: BTreeMap<String, String>,
    /// External ids of selected calendars.
    pub calendars: BTreeSet<String>,
    pub refresh_token: String,
}

impl KnownIds {
    /// Records the id in a canary of a known kind.
    pub fn learn(&mut self, name: &str, text: &str) {
        let text = text.to_owned();
        let (owner, kind) = name.rsplit_once('.').unwrap();
        match kind {
            "uid" if owner.starts_with("seat") => self.seats.insert(text),
            "uid" => {
                if matches!(
                    owner,
                    "plain" | "shy" | "guarded" | "class" | "pending" | "held"
                ) {
                    self.writable.insert(text.clone());
                }
                self.bookings.insert(text)
            }
            "webhook" => {
                let id = WEBHOOKS.iter().position(|known| *known == owner).unwrap() + 1;
                let delivery = format!("msg_{text}_0_{id}");
                self.deliveries.insert(text.clone(), delivery);
                self.webhooks.insert(text)
            }
            "selected" => self.calendars.insert(text),
            _ => false,
        };
    }
}

/// Every operation of both versions.
pub fn operations() -> impl Iterator<Item = (&'static str, &'static str)> {
    let v1_rules = v1::table::operations().map(|operation| operation.rule);
    openapi::access_rules()
        .iter()
        .copied()
        .chain(v1_rules)
        .map(|rule| (rule.method, rule.path))
}

/// Requests of an operation by a caller with these ids: with a valid body, and for the first target
/// also with an empty body and with a wrong value in every key.
pub fn requests(method: &'static str, path: &str, known_ids: &KnownIds) -> Vec<Request> {
    let operation = format!("{method} {path}");
    let body = valid_body(&operation, known_ids);
    let takes_body = body.is_some();
    let mut bodies = vec![body];
    if takes_body {
        let wrong = bodies[0].as_ref().and_then(Value::as_object).map(|body| {
            let wrong = body
                .keys()
                .map(|key| (key.clone(), json!([{"wrong": true}])));
            wrong.collect::<serde_json::Map<_, _>>().into()
        });
        bodies.extend([Some(json!({})), wrong]);
    }
    let mut all = Vec::new();
    for filled in target_paths(method, path, known_ids) {
        for query in queries(method, path) {
            let count = if all.is_empty() { bodies.len() } else { 1 };
            for body in bodies.iter().take(count) {
                all.push(Request {
                    operation: operation.clone(),
                    method,
                    target: format!("{filled}{query}"),
                    body: body.clone(),
                });
            }
        }
    }
    all
}

fn valid_body(operation: &str, known_ids: &KnownIds) -> Option<Value> {
    let mut lines = BODIES
        .lines()
        .filter_map(|line| line.split_once(" {\"").or_else(|| line.split_once(" {}")));
    let (_, rest) = lines.find(|(name, _)| *name == operation)?;
    let text = match rest {
        "" => "{}".to_owned(),
        rest => format!("{{\"{rest}"),
    };
    let text = text.replace("{refreshToken}", &known_ids.refresh_token);
    Some(serde_json::from_str(&text).unwrap())
}

fn queries(method: &str, path: &str) -> Vec<String> {
    let found = QUERIES.lines().find_map(|line| {
        let rest = line.strip_prefix(path)?;
        rest.starts_with(' ').then_some(rest)
    });
    // Writes have no query, except the ones that need it.
    let found =
        found.filter(|_| method != "POST" && method != "PATCH" || path == "/v1/credential-sync");
    let Some(found) = found else {
        return vec![String::new()];
    };
    let day = "start=2027-03-02&end=2027-03-03";
    let v1_day = "startTime=2027-03-02T00:00:00Z&endTime=2027-03-03T00:00:00Z";
    found
        .split_whitespace()
        .map(|query| {
            query
                .replace('@', "")
                .replace("{day}", day)
                .replace("{v1day}", v1_day)
        })
        .collect()
}

/// `path` with every combination of parameter values.
fn target_paths(method: &str, path: &str, known_ids: &KnownIds) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut previous = "";
    for part in path.split('/').skip(1) {
        if part == "{deliveryId}" {
            for start in &mut all {
                let webhook = start.rsplit('/').nth(1).unwrap_or_default();
                let delivery = known_ids.deliveries.get(webhook);
                *start += &format!("/{}", delivery.map_or("unknown", String::as_str));
            }
            continue;
        }
        let values = match part.strip_prefix('{') {
            Some(name) => values(
                method,
                path,
                previous,
                name.trim_end_matches('}'),
                known_ids,
            ),
            None => vec![part.to_owned()],
        };
        all = all
            .iter()
            .flat_map(|start| values.iter().map(move |value| format!("{start}/{value}")))
            .collect();
        previous = part;
    }
    all
}

fn values(
    method: &str,
    path: &str,
    previous: &str,
    name: &str,
    known_ids: &KnownIds,
) -> Vec<String> {
    let owned = |values: &[&str]| values.iter().map(|value| (*value).to_owned()).collect();
    let with_unknown = |known_ids: &BTreeSet<String>| {
        let mut values: Vec<String> = known_ids.iter().cloned().collect();
        values.push("unknown".to_owned());
        values
    };
    let reads = method == "GET";
    match (previous, name) {
        (_, "orgId") => owned(&["1"]),
        (_, "teamId") => owned(&["1", "2"]),
        (_, "eventTypeId") if path.contains("webhooks") => owned(&["1", "4", "9"]),
        (_, "eventTypeId") | ("event-types", "id") if reads => {
            (1..=12).map(|id| id.to_string()).collect()
        }
        (_, "eventTypeId") | ("event-types", "id") => owned(&["1", "2", "4", "9"]),
        (_, "bookingUid") if reads => with_unknown(&known_ids.bookings),
        (_, "bookingUid") => with_unknown(&known_ids.writable),
        (_, "seatUid") => with_unknown(&known_ids.seats),
        (_, "reservationUid") => with_unknown(&known_ids.reservations),
        (_, "webhookId") | ("webhooks", "id") => with_unknown(&known_ids.webhooks),
        (_, "attendeeId") => owned(&["1", "8"]),
        ("attendees", "id") => owned(&["1", "7", "8", "11"]),
        (_, "roleId") if path.contains("{teamId}") => owned(&["team-role"]),
        (_, "roleId") => owned(&["house-role"]),
        (_, "permission") => owned(&["role.read"]),
        (_, "membershipId") if path.contains("{teamId}") => owned(&["10", "11", "14", "16"]),
        (_, "membershipId") => owned(&["10", "14", "15", "25"]),
        ("memberships", "id") => owned(&["10_1", "14_1", "25_2"]),
        (_, "userId") if path.contains("oauth-clients") => owned(&["10", "23", "24"]),
        (_, "userId") if path.contains("ooo") => owned(&["10", "15", "25"]),
        (_, "userId") if path.contains("reassign") => owned(&["13"]),
        (_, "userId") => owned(&["10", "18", "27"]),
        (_, "oooId") => owned(&["10", "25"]),
        (_, "emailId") => owned(&["1", "2"]),
        (_, "scheduleId") | ("schedules", "id") => owned(&["10", "25", "27"]),
        (_, "clientId") => owned(&["cliplat", "cliother"]),
        ("bookings", "id") if !reads || path.ends_with('s') => owned(&["1", "6", "8", "9"]),
        ("bookings", "id") => (1..=14).map(|id| id.to_string()).collect(),
        ("availabilities", "id") => owned(&["101", "251", "271"]),
        ("booking-references" | "payments", "id") => owned(&["1"]),
        ("destination-calendars", "id") => owned(&["10"]),
        ("selected-calendars", "id") => {
            let ids = with_unknown(&known_ids.calendars);
            ids.iter()
                .map(|id| format!("10_google_calendar_{id}"))
                .collect()
        }
        (_, "recordingId") => owned(&["1"]),
        _ => panic!("{path}: {name} has no values"),
    }
}
