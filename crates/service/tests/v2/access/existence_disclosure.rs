//! Responses do not disclose existence: a request that names a resource hidden from the caller has
//! the same response, byte for byte, as one that names a resource that does not exist.

use axum::http::Method;
use booking_service::auth::secret;
use booking_service::store::Db;
use booking_store_engine::sql;
use serde_json::{Value, json};

use crate::bookings::fixture::BookingFixture;
use crate::common::{HOST, OTHER_HOST, Service, booking};

/// Service with resources that are hidden from the callers.
struct DisclosureTest {
    service: Service,
    /// Event types: personal, of a team, and managed.
    hidden: [i64; 3],
    foreign_booking: String,
    own_booking: String,
    own_booking_id: i64,
    own_reassignable: String,
    own_membership: i64,
    own_organization_membership: i64,
}

/// Unused id, name and e-mail address.
const UNKNOWN_ID: i64 = 987_654;
const UNKNOWN_NAME: &str = "nothing-at-all";
const UNKNOWN_EMAIL: &str = "nobody@foreign.example";

/// User without organization and team.
const STRANGER: i64 = 152;
/// Member of the organization of the hidden resources, without a role.
const COLLEAGUE: i64 = 151;
/// Team and organization of the caller.
const TEAM: i64 = 70;
const ORGANIZATION: i64 = 71;
/// Owner of [`TEAM`] and of [`ORGANIZATION`].
const CALLER: i64 = OTHER_HOST;

async fn set_up() -> DisclosureTest {
    let service = Service::start().await;
    let hidden = service
        .event_type("concealed", json!({"hidden": true, "closed": true}))
        .await;
    let hidden_of_team = service
        .event_type_of(
            "concealed-team",
            Some("roundRobin"),
            &[HOST],
            json!({"hidden": true, "closed": true}),
        )
        .await;
    let hidden_managed = service
        .event_type_of(
            "concealed-managed",
            Some("managed"),
            &[],
            json!({"hidden": true, "closed": true}),
        )
        .await;
    service
        .sql(&format!(
            "INSERT INTO organizations (id, name, slug) VALUES ({ORGANIZATION}, 'Own', 'own');
             INSERT INTO organizations (id, name, slug) VALUES (72, 'Foreign', 'foreign-organization');
             INSERT INTO teams (id, organization_id, name, slug) VALUES ({TEAM}, {ORGANIZATION}, 'Own', 'own-team');
             INSERT INTO teams (id, organization_id, name, slug) VALUES (73, 72, 'Foreign', 'foreign-team');
             UPDATE users SET organization_id = {ORGANIZATION} WHERE id = {CALLER};
             INSERT INTO organization_members (organization_id, user_id, role) VALUES ({ORGANIZATION}, {CALLER}, 'OWNER');
             INSERT INTO memberships (team_id, user_id, role, accepted) VALUES ({TEAM}, {CALLER}, 'OWNER', 1);
             INSERT INTO users (id, username, email, name, time_zone) VALUES
                 (150, 'quiet', 'quiet@foreign.example', 'Quiet', 'UTC'),
                 ({STRANGER}, 'stranger', 'stranger@nowhere.example', 'Stranger', 'UTC');
             INSERT INTO users (id, organization_id, username, email, name, time_zone)
                 VALUES ({COLLEAGUE}, 1, 'colleague', 'colleague@northwind.example', 'Colleague', 'UTC');
             INSERT INTO organization_members (organization_id, user_id, role) VALUES (1, {COLLEAGUE}, 'MEMBER');
             INSERT INTO oauth_clients (id, name, owner_id, secret_hash, redirect_uris, scopes, created_ms)
                 VALUES ('{PLATFORM}', 'Other', {CALLER}, '{}', '[]', '[\"*\"]', 0),
                     ('cliforeign', 'Foreign', 150, 'none', '[]', '[\"*\"]', 0);
             INSERT INTO users (id, username, email, name, time_zone, oauth_client_id) VALUES
                 (160, 'managed', 'managed+cliforeign@foreign.example', 'Managed', 'UTC', 'cliforeign'),
                 (161, 'own', 'own+{PLATFORM}@foreign.example', 'Own', 'UTC', '{PLATFORM}');
             INSERT INTO schedules (id, owner_id, name, time_zone) VALUES (150, 150, 'Hours', 'UTC');
             INSERT INTO roles (id, team_id, name, kind, created_ms, updated_ms)
                 VALUES ('foreign-role', 73, 'Foreign', 'CUSTOM', 0, 0);
             INSERT INTO event_types (id, team_id, slug, scheduling_type, settings, created_ms) VALUES
                 (740, {TEAM}, 'own', 'roundRobin', '{{\"title\": \"Own\", \"lengthInMinutes\": 30}}', 0);
             INSERT INTO event_type_hosts (event_type_id, user_id) VALUES (740, {CALLER});
             INSERT INTO app_credentials (id, user_id, app_slug, sealed_key, created_ms)
                 VALUES (750, {CALLER}, 'google-calendar', zeroblob(1), 0), (751, 150, 'google-calendar', zeroblob(1), 0)",
            secret::hash(PLATFORM_SECRET)
        ))
        .await;
    let foreign_booking = BookingFixture::new(hidden).store(&service).await;
    service
        .sql(&format!(
            "UPDATE attendees SET name = 'Guest', email = 'guest@foreign.example'
             WHERE booking_id = (SELECT id FROM bookings WHERE uid = '{foreign_booking}')"
        ))
        .await;
    let own_reassignable = BookingFixture::new(740)
        .hosts(&[CALLER])
        .at("2027-03-09T15:00:00Z")
        .store(&service)
        .await;
    let own_type = service
        .event_type_of("own-public", Some("roundRobin"), &[CALLER], json!({}))
        .await;
    let own_booking = BookingFixture::new(own_type)
        .hosts(&[CALLER])
        .at("2027-03-08T15:00:00Z")
        .store(&service)
        .await;
    let mut db = service.app.store.read().await.unwrap();
    let own_id = async |db: &mut Db, table: &str| -> i64 {
        sql::query_scalar(format!("SELECT id FROM {table} WHERE user_id = {CALLER}"))
            .fetch_one(db)
            .await
            .unwrap()
    };
    let own_membership = own_id(&mut db, "memberships").await;
    let own_organization_membership = own_id(&mut db, "organization_members").await;
    let own_booking_id = sql::query_scalar("SELECT id FROM bookings WHERE uid = ?")
        .bind(&own_booking)
        .fetch_one(&mut db)
        .await
        .unwrap();
    drop(db);
    DisclosureTest {
        service,
        hidden: [hidden, hidden_of_team, hidden_managed],
        foreign_booking,
        own_booking,
        own_booking_id,
        own_reassignable,
        own_membership,
        own_organization_membership,
    }
}

/// Requests with the placeholder `{}`: existing name, method, target and optional body. `hidden` is
/// replaced by each hidden event type.
const LIST_REQUESTS: &str = r#"
hidden                 GET /v2/bookings?eventTypeId={}
hidden                 GET /v2/bookings?eventTypeIds={}
hidden                 GET /v2/bookings?eventTypeIds=740,{}
hidden                 GET /v2/teams/70/bookings?eventTypeId={}
hidden                 GET /v2/teams/70/bookings?eventTypeIds=740,{}
hidden                 GET /v2/organizations/71/teams/70/bookings?eventTypeId={}
hidden                 GET /v2/organizations/71/teams/70/bookings?eventTypeIds=740,{}
73                     GET /v2/bookings?teamId={}
73                     GET /v2/bookings?teamsIds=70,{}
foreign-booking        GET /v2/bookings?bookingUid={}
guest@foreign.example  GET /v2/bookings?attendeeEmail={}
Guest                  GET /v2/bookings?attendeeName={}
quiet@foreign.example  GET /v2/teams/70/memberships?emails={}
quiet@foreign.example  GET /v2/organizations/71/memberships?emails={}
quiet@foreign.example  GET /v2/organizations/71/ooo?email={}
quiet@foreign.example  GET /v1/users?email={}
150                    GET /v1/schedules?userId={}
73                     GET /v1/memberships?teamId={}
quiet                  GET /v2/event-types?username={}
quiet                  GET /v2/event-types?username={}&eventSlug=concealed
concealed              GET /v2/event-types?username=host100&eventSlug={}
quiet                  GET /v2/event-types?usernames=host100,{}&orgSlug=foreign-organization
quiet                  GET /v2/event-types?usernames=host100,{}
foreign-organization   GET /v2/event-types?username=host100&orgSlug={}
foreign-organization   GET /v2/event-types?usernames=host100,host101&orgSlug={}
72                     GET /v2/event-types?username=host100&orgId={}
72                     GET /v2/event-types?usernames=host100,host101&orgId={}
concealed-team         GET /v2/teams/1/event-types?eventSlug={}
"#;

const SLOT_REQUESTS: &str = r#"
hidden                GET /v2/slots?eventTypeId={}&$day
concealed             GET /v2/slots?eventTypeSlug={}&username=host100&$day
quiet                 GET /v2/slots?eventTypeSlug=concealed&username={}&$day
host100               GET /v2/slots?eventTypeSlug=own&username={}&$day
concealed-team        GET /v2/slots?eventTypeSlug={}&teamSlug=customer-success&$day
concealed-managed     GET /v2/slots?eventTypeSlug={}&teamSlug=customer-success&$day
foreign-team          GET /v2/slots?eventTypeSlug=own&teamSlug={}&$day
foreign-organization  GET /v2/slots?eventTypeSlug=own-public&teamSlug=customer-success&organizationSlug={}&$day
foreign-organization  GET /v2/slots?usernames=host100,host101&organizationSlug={}&$day
quiet                 GET /v2/slots?usernames=host100,{}&organizationSlug=northwind&$day
hidden                GET /v1/slots?eventTypeId={}&$v1day
concealed             GET /v1/slots?eventTypeSlug={}&usernameList=host100&$v1day
quiet                 GET /v1/slots?eventTypeSlug=concealed&usernameList={}&$v1day
foreign-team          GET /v1/slots?eventTypeSlug=own&isTeamEvent=true&usernameList={}&$v1day
foreign-organization  GET /v1/slots?eventTypeSlug=dynamic&usernameList=host100,host101&orgSlug={}&$v1day
hidden                POST /v2/slots/reservations {"eventTypeId": "{}", "slotStart": "2027-03-02T09:00:00Z"}
"#;

/// A start and an attendee are added to the bodies.
const BOOKING_REQUESTS: &str = r#"
hidden                POST /v2/bookings {"eventTypeId": "{}"}
concealed             POST /v2/bookings {"eventTypeSlug": "{}", "username": "host100"}
quiet                 POST /v2/bookings {"eventTypeSlug": "concealed", "username": "{}"}
concealed-team        POST /v2/bookings {"eventTypeSlug": "{}", "teamSlug": "customer-success"}
concealed-managed     POST /v2/bookings {"eventTypeSlug": "{}", "teamSlug": "customer-success"}
foreign-team          POST /v2/bookings {"eventTypeSlug": "own", "teamSlug": "{}"}
foreign-organization  POST /v2/bookings {"eventTypeSlug": "own-public", "teamSlug": "customer-success", "organizationSlug": "{}"}
quiet                 POST /v2/bookings {"eventTypeSlug": "dynamic", "username": "host100+{}", "organizationSlug": "northwind"}
foreign-organization  POST /v2/bookings {"eventTypeSlug": "dynamic", "username": "host100+host101", "organizationSlug": "{}"}
hidden                POST /v1/bookings {"eventTypeId": "{}"}
hidden                POST /v1/bookings {"eventTypeId": "{}", "rescheduleUid": "$booking"}
150                   POST /v1/bookings {"eventTypeId": 740, "userId": "{}"}
"#;

const WRITE_REQUESTS: &str = r#"
150           POST /v2/event-types {"title": "T", "slug": "t", "lengthInMinutes": 30, "scheduleId": "{}"}
concealed     POST /v2/event-types {"title": "T", "slug": "{}", "lengthInMinutes": 30}
hidden        GET /v2/event-types/{}
hidden        PATCH /v2/event-types/{} {"title": "T"}
hidden        DELETE /v2/event-types/{}
hidden        GET /v2/event-types/{}/webhooks
150           POST /v2/teams/70/event-types {"title": "T", "slug": "t", "lengthInMinutes": 30, "schedulingType": "roundRobin", "scheduleId": "{}"}
150           POST /v2/teams/70/event-types {"title": "T", "slug": "t", "lengthInMinutes": 30, "schedulingType": "roundRobin", "hosts": [{"userId": "{}"}]}
150           PATCH /v2/teams/70/event-types/740 {"scheduleId": "{}"}
150           PATCH /v2/teams/70/event-types/740 {"hosts": [{"userId": "{}"}]}
hidden        GET /v2/teams/1/event-types/{}
hidden        GET /v2/teams/70/event-types/{}
hidden        PATCH /v2/teams/70/event-types/{} {"title": "T"}
hidden        DELETE /v2/teams/70/event-types/{}
foreign-team  POST /v2/teams {"name": "N", "slug": "{}"}
foreign-team  PATCH /v2/teams/70 {"slug": "{}"}
150           POST /v2/teams/70/memberships {"userId": "{}"}
foreign-role  POST /v2/teams/70/memberships {"userId": 101, "roleId": "{}"}
foreign-role  PATCH /v2/teams/70/memberships/$membership {"roleId": "{}"}
foreign-role  PATCH /v2/organizations/71/memberships/$colleague {"roleId": "{}"}
foreign-role  GET /v2/organizations/71/roles/{}
foreign-role  GET /v2/organizations/71/teams/70/roles/{}
150           GET /v2/organizations/71/users/{}/ooo
150           POST /v2/organizations/71/users/101/ooo {"start": "2027-04-01T00:00:00Z", "end": "2027-04-02T00:00:00Z", "toUserId": "{}"}
150           POST /v2/bookings/$round-robin/reassign/{} {}
150           PATCH /v2/me {"defaultScheduleId": "{}"}
quiet@foreign.example  PATCH /v2/me {"email": "{}"}
150           GET /v2/schedules/{}
150           PATCH /v2/schedules/{} {"name": "N"}
150           DELETE /v2/schedules/{}
150           POST /v1/memberships {"teamId": 70, "userId": "{}"}
150           POST /v1/schedules {"name": "N", "timeZone": "UTC", "userId": "{}"}
150           PATCH /v1/users/{} {"name": "N"}
quiet@foreign.example  PATCH /v1/users/101 {"email": "{}"}
foreign-team  POST /v1/teams {"name": "N", "slug": "{}"}
150           POST /v1/teams {"name": "N", "slug": "n", "ownerId": "{}"}
72            POST /v1/teams {"name": "N", "slug": "n", "parentId": "{}"}
150           POST /v1/event-types {"title": "T", "slug": "t", "length": 30, "metadata": {}, "scheduleId": "{}"}
150           POST /v1/event-types {"title": "T", "slug": "t", "length": 30, "metadata": {}, "teamId": 70, "schedulingType": "ROUND_ROBIN", "hosts": [{"userId": "{}"}]}
hidden        POST /v1/event-types {"title": "T", "slug": "t", "length": 30, "metadata": {}, "parentId": "{}"}
concealed     POST /v1/event-types {"title": "T", "slug": "{}", "length": 30, "metadata": {}}
hidden        GET /v1/event-types/{}
hidden        PATCH /v1/event-types/{} {"title": "T"}
hidden        DELETE /v1/event-types/{}
hidden        POST /v1/webhooks {"subscriberUrl": "https://example.org/hook", "eventTriggers": ["BOOKING_CREATED"], "active": true, "eventTypeId": "{}"}
hidden        POST /v1/destination-calendars {"integration": "google_calendar", "externalId": "x", "credentialId": 750, "eventTypeId": "{}"}
751           POST /v1/destination-calendars {"integration": "google_calendar", "externalId": "x", "credentialId": "{}"}
751           POST /v1/selected-calendars {"integration": "google_calendar", "externalId": "x", "credentialId": "{}"}
751           POST /v1/booking-references {"type": "zoom", "uid": "x", "bookingId": "$booking-id", "credentialId": "{}"}
"#;

/// Requests of platforms with their secret.
const PLATFORM_REQUESTS: &str = r#"
quiet@foreign.example    POST /v2/oauth-clients/cliother/users {"name": "N", "email": "{}"}
managed@foreign.example  POST /v2/oauth-clients/cliother/users {"name": "N", "email": "{}"}
quiet@foreign.example    PATCH /v2/oauth-clients/cliother/users/161 {"email": "{}"}
managed@foreign.example  PATCH /v2/oauth-clients/cliother/users/161 {"email": "{}"}
managed@foreign.example  GET /v2/oauth-clients/cliother/users?emails={}
150                      GET /v2/oauth-clients/cliother/users/{}
160                      GET /v2/oauth-clients/cliother/users/{}
160                      PATCH /v2/oauth-clients/cliother/users/{} {"name": "N"}
160                      DELETE /v2/oauth-clients/cliother/users/{}
160                      POST /v2/oauth-clients/cliother/users/{}/force-refresh
"#;

/// Request with the placeholder `{}`, and the names to compare.
struct Case {
    method: Method,
    target: String,
    body: Option<Value>,
    existing: Value,
    missing: Value,
}

/// Parses the cases of a table.
fn cases(test: &DisclosureTest, table: &str) -> Vec<Case> {
    let placeholders = [
        ("$day", "start=2027-03-02&end=2027-03-02".to_owned()),
        (
            "$v1day",
            "startTime=2027-03-02T00:00:00Z&endTime=2027-03-03T00:00:00Z".to_owned(),
        ),
        ("\"$booking-id\"", test.own_booking_id.to_string()),
        ("$booking", test.own_booking.clone()),
        ("$round-robin", test.own_reassignable.clone()),
        ("$membership", test.own_membership.to_string()),
        ("$colleague", test.own_organization_membership.to_string()),
    ];
    let mut table = table.trim().to_owned();
    for (name, value) in placeholders {
        table = table.replace(name, &value);
    }
    let mut cases = Vec::new();
    for line in table.lines() {
        let (existing, request) = line.split_once(' ').unwrap();
        let mut parts = request.trim().splitn(3, ' ');
        let mut next = || parts.next();
        let (method, target) = (next().unwrap(), next().unwrap());
        let body: Option<Value> = next().map(|body| serde_json::from_str(body).unwrap());
        let names: Vec<Value> = match existing {
            "hidden" => test.hidden.iter().map(|id| json!(id)).collect(),
            "foreign-booking" => vec![json!(test.foreign_booking)],
            name => vec![name.parse::<i64>().map_or(json!(name), Value::from)],
        };
        for existing in names {
            let missing = match &existing {
                Value::Number(_) => json!(UNKNOWN_ID),
                Value::String(text) if text.contains('@') => json!(UNKNOWN_EMAIL),
                _ => json!(UNKNOWN_NAME),
            };
            cases.push(Case {
                method: Method::from_bytes(method.as_bytes()).unwrap(),
                target: target.to_owned(),
                body: body.clone(),
                existing,
                missing,
            });
        }
    }
    cases
}

/// Replaces `{}` in `template` by `name`. A string that is only `{}` becomes the JSON value.
fn fill_in(template: &Value, name: &Value) -> Value {
    match template {
        Value::String(text) if text == "{}" => name.clone(),
        Value::String(text) => json!(text.replace("{}", &plain_text(name))),
        Value::Array(items) => items.iter().map(|item| fill_in(item, name)).collect(),
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| (key.clone(), fill_in(value, name)))
            .collect(),
        other => other.clone(),
    }
}

fn plain_text(name: &Value) -> String {
    name.as_str().map_or(name.to_string(), str::to_owned)
}

/// Adds the required properties of a booking.
fn booking_body(names: &Value, is_v1: bool) -> Value {
    let mut body = match is_v1 {
        true => json!({
            "start": START, "timeZone": "UTC", "language": "en", "metadata": {},
            "responses": {
                "name": "Zoë", "email": "zoe@example.org", "location": {"optionValue": "", "value": ""},
            },
        }),
        false => booking(0, START),
    };
    let body_map = body.as_object_mut().unwrap();
    body_map.remove("eventTypeId");
    body_map.extend(names.as_object().unwrap().clone());
    body
}

const START: &str = "2027-03-02T09:00:00Z";

/// Removes what differs between any two requests from a response: the name and values derived from
/// it, ids and times.
fn comparable(text: &str, name: &Value) -> String {
    const VARYING: [&str; 10] = [
        "id",
        "timestamp",
        "path",
        "url",
        "uid",
        "username",
        "accessToken",
        "refreshToken",
        "createdAt",
        "slug",
    ];
    fn strip(value: &mut Value) {
        match value {
            Value::Object(map) => {
                for (key, value) in map.iter_mut() {
                    match VARYING.contains(&key.as_str()) {
                        true => *value = Value::Null,
                        false => strip(value),
                    }
                }
            }
            Value::Array(items) => items.iter_mut().for_each(strip),
            _ => {}
        }
    }
    let mut body: Value = serde_json::from_str(text).unwrap_or_default();
    strip(&mut body);
    // Email addresses of managed users contain the name of their platform.
    let name = plain_text(name);
    let local = name.split('@').next().unwrap_or_default();
    body.to_string()
        .replace(&name, "{name}")
        .replace(local, "{name}")
}

/// Caller of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Caller {
    Anonymous,
    User(i64),
    Platform,
}

const PLATFORM: &str = "cliother";
const PLATFORM_SECRET: &str = "secret of the other platform";

impl DisclosureTest {
    /// Sends the request of a case with `name` and returns status and comparable body.
    async fn request(&self, caller: Caller, case: &Case, name: &Value) -> (u16, String) {
        let mut target = case.target.replace("{}", &encode(&plain_text(name)));
        let mut headers = Vec::new();
        match caller {
            Caller::Anonymous => {}
            Caller::User(id) if target.starts_with("/v1") => {
                let separator = if target.contains('?') { '&' } else { '?' };
                target = format!(
                    "{target}{separator}apiKey={}",
                    self.service.key_of(id).await
                );
            }
            Caller::User(id) => headers.push(self.service.bearer_of(id).await),
            Caller::Platform => {
                headers.push(("x-svc-secret-key".to_owned(), PLATFORM_SECRET.to_owned()));
            }
        }
        let body = case.body.as_ref().map(|body| fill_in(body, name));
        let is_booking = ["/v1/bookings", "/v2/bookings"].contains(&case.target.as_str());
        let body = match body {
            Some(body) if is_booking => Some(booking_body(&body, case.target.starts_with("/v1"))),
            body => body,
        };
        let method = case.method.clone();
        let response = self.service.call(method, &target, &headers, body).await;
        assert_ne!(response.status, 500, "{target} {}", response.text);
        (response.status, comparable(&response.text, name))
    }
}

fn encode(text: &str) -> String {
    text.replace('+', "%2B")
}

/// Returns the differences between responses, and the counts of successful and failed pairs. The
/// service is set up again after a successful write.
async fn differences(caller: Caller, table: &str) -> (Vec<String>, [usize; 2]) {
    let mut test = set_up().await;
    let mut found = Vec::new();
    let mut counts = [0, 0];
    for case in cases(&test, table) {
        if caller == Caller::Anonymous && case.target.starts_with("/v1") {
            continue;
        }
        let mut responses = Vec::new();
        for name in [&case.existing, &case.missing] {
            let response = test.request(caller, &case, name).await;
            if case.method != Method::GET && response.0 < 300 {
                test = set_up().await;
            }
            responses.push(response);
        }
        counts[usize::from(responses[0].0 >= 300)] += 1;
        if responses[0] != responses[1] {
            found.push(format!(
                "{} {} {} as {caller:?}:\n  {responses:?}",
                case.method, case.target, case.existing
            ));
        }
    }
    (found, counts)
}

#[tokio::test]
async fn hidden_and_missing_resources_have_same_response() {
    let callers = [
        Caller::Anonymous,
        Caller::User(STRANGER),
        Caller::User(COLLEAGUE),
        Caller::User(CALLER),
    ];
    let mut runs = vec![(Caller::Platform, PLATFORM_REQUESTS)];
    for caller in callers {
        runs.extend(
            [
                LIST_REQUESTS,
                SLOT_REQUESTS,
                BOOKING_REQUESTS,
                WRITE_REQUESTS,
            ]
            .map(|table| (caller, table)),
        );
    }
    let mut all_differences = Vec::new();
    let mut counts = [0, 0];
    for (caller, table) in runs {
        let (found, [succeeded, failed]) = differences(caller, table).await;
        all_differences.extend(found);
        counts = [counts[0] + succeeded, counts[1] + failed];
    }
    println!(
        "{} pairs of requests, {} of them successful",
        counts[0] + counts[1],
        counts[0]
    );
    assert!(
        all_differences.is_empty(),
        "{} differ:\n{}",
        all_differences.len(),
        all_differences.join("\n")
    );
    // A relevant share of the requests must succeed.
    assert!(counts[0] > 60, "{counts:?}");
}

/// Owners, hosts, team admins and attendees can filter bookings by a hidden event type.
#[tokio::test]
async fn hidden_event_type_filter_works_for_related_users() {
    let test = set_up().await;
    let [hidden, hidden_of_team, _] = test.hidden;
    let list = "/v2/bookings?eventTypeId=";
    let list_as = async |id: i64, user_id: i64| {
        let caller = test.service.bearer_of(user_id).await;
        let response = test.service.get_as(&format!("{list}{id}"), caller).await;
        (
            response.status,
            response.body["pagination"]["totalItems"].as_i64(),
        )
    };
    assert_eq!(list_as(hidden, HOST).await, (200, Some(1)));
    assert_eq!(list_as(hidden_of_team, HOST).await, (200, Some(0)));
    // Team admin.
    assert_eq!(list_as(hidden_of_team, 4).await, (200, Some(0)));
    assert_eq!(list_as(hidden, 4).await, (400, None));
    // Attendee of a booking.
    assert_eq!(list_as(hidden, COLLEAGUE).await, (400, None));
    test.service
        .sql(&format!(
            "UPDATE attendees SET email = 'colleague@northwind.example' WHERE booking_id =
                 (SELECT id FROM bookings WHERE uid = '{}')",
            test.foreign_booking
        ))
        .await;
    assert_eq!(list_as(hidden, COLLEAGUE).await, (200, Some(1)));
}
