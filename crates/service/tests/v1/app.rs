//! Test service with one user who owns one of each resource, one without any, and an operator.

use axum::http::Method;
use booking_service::auth::secret;
use booking_store_engine::sql::{self, by_database};
use serde_json::{Value, json};

use crate::common::{HOST, OTHER_HOST, Service, TestResponse, booking};

/// User with one of each resource.
pub const OWNER: i64 = HOST;
/// User without resources, memberships or shared bookings.
pub const STRANGER: i64 = OTHER_HOST;
/// Operator of the service (`is_admin`).
pub const OPERATOR: i64 = 200;
/// Member of the owner's team.
pub const MEMBER: i64 = 102;
/// Id of no user and no resource.
pub const UNKNOWN_ID: i64 = 999_999;

/// Start of the booking that [`TestApp::new`] creates.
pub const BOOKED_START: &str = "2027-03-02T09:00:00.000Z";
/// Start of a free slot.
pub const FREE_SLOT: &str = "2027-03-03T10:00:00.000Z";
/// Start of a free slot one day after [`FREE_SLOT`].
pub const OTHER_FREE_SLOT: &str = "2027-03-04T10:00:00.000Z";

pub struct TestApp {
    pub service: Service,
    pub event_type: i64,
    pub booking: i64,
    pub booking_uid: String,
    pub attendee: i64,
    pub second_attendee: i64,
    pub reference: i64,
    pub credential: i64,
    pub destination: i64,
    pub payment: i64,
    pub schedule: i64,
    pub availability: i64,
    pub team: i64,
    pub team_event_type: i64,
    pub webhook: String,
}

/// Returns the API key of a user.
pub fn key(user_id: i64) -> String {
    format!("svc_{}", secret::hash(&format!("key of {user_id}")))
}

impl TestApp {
    pub async fn new() -> Self {
        let service = Service::start().await;
        for (id, is_admin) in [(MEMBER, 0), (OPERATOR, 1)] {
            service
                .sql(&format!(
                    "INSERT INTO users (id, username, email, name, time_zone, is_admin)
                     VALUES ({id}, 'user{id}', 'user{id}@example.org', 'User {id}', 'Europe/Rome', {is_admin})"
                ))
                .await;
        }
        for id in [OWNER, STRANGER, MEMBER, OPERATOR] {
            let hash = secret::hash(key(id).strip_prefix("svc_").unwrap());
            service
                .sql(&format!(
                    "INSERT INTO api_keys (hash, user_id, label, created_ms) VALUES ('{hash}', {id}, 'Test', 0)"
                ))
                .await;
        }
        let event_type = service
            .event_type(
                "talk",
                json!({"price": 500, "currency": "eur", "seats": {"disabled": true}}),
            )
            .await;
        let mut app = Self {
            service,
            event_type,
            booking: 0,
            booking_uid: String::new(),
            attendee: 0,
            second_attendee: 0,
            reference: 0,
            credential: 0,
            destination: 0,
            payment: 0,
            schedule: OWNER,
            availability: 0,
            team: 0,
            team_event_type: 0,
            webhook: String::new(),
        };
        app.create_resources().await;
        app
    }

    async fn create_resources(&mut self) {
        let created = self
            .service
            .post("/v2/bookings", booking(self.event_type, BOOKED_START))
            .await;
        self.booking = created.data()["id"].as_i64().unwrap();
        self.booking_uid = created.data()["uid"].as_str().unwrap().to_owned();
        let fetched = self
            .get(OWNER, &format!("/v1/bookings/{}", self.booking))
            .await;
        self.attendee = fetched.wrapped("booking")["attendees"][0]["id"]
            .as_i64()
            .unwrap();
        self.payment = fetched.wrapped("booking")["payment"][0]["id"]
            .as_i64()
            .unwrap();
        self.second_attendee = self
            .create(
                OWNER,
                "attendees",
                "attendee",
                json!({"bookingId": self.booking, "name": "Sam", "email": "sam@example.org", "timeZone": "UTC"}),
            )
            .await;
        self.reference = self
            .create(
                OWNER,
                "booking-references",
                "booking_reference",
                json!({"type": "google_calendar", "uid": "abc", "bookingId": self.booking}),
            )
            .await;
        self.credential = self
            .create(
                OPERATOR,
                &format!("credential-sync?userId={OWNER}"),
                "credential",
                json!({"encryptedKey": "geheim", "appSlug": "google-calendar"}),
            )
            .await;
        self.destination = self
            .create(
                OWNER,
                "destination-calendars",
                "destinationCalendar",
                json!({"integration": "google_calendar", "externalId": "x", "credentialId": self.credential}),
            )
            .await;
        self.request(
            OWNER,
            "POST",
            "/v1/selected-calendars",
            json!({"integration": "google_calendar", "externalId": "a_b@example.org"}),
        )
        .await
        .wrapped("selected_calendar");
        let schedule = self.get(OWNER, &format!("/v1/schedules/{OWNER}")).await;
        let hours = &schedule.wrapped("schedule")["availability"][0];
        self.availability = hours["id"].as_i64().unwrap();
        self.team = self
            .create(
                OWNER,
                "teams",
                "team",
                json!({"name": "Team", "slug": "team"}),
            )
            .await;
        self.request(
            OWNER,
            "POST",
            "/v1/memberships",
            json!({"userId": MEMBER, "teamId": self.team}),
        )
        .await
        .wrapped("membership");
        self.request(
            MEMBER,
            "PATCH",
            &format!("/v1/memberships/{MEMBER}_{}", self.team),
            json!({"accepted": true}),
        )
        .await
        .wrapped("membership");
        self.team_event_type = self
            .create(
                OWNER,
                "event-types",
                "event_type",
                json!({
                    "title": "Team talk", "slug": "team-talk", "length": 30, "metadata": {},
                    "teamId": self.team, "schedulingType": "ROUND_ROBIN",
                    "hosts": [{"userId": OWNER}],
                }),
            )
            .await;
        let webhook = self
            .request(
                OWNER,
                "POST",
                "/v1/webhooks",
                webhook_body("https://example.org/one"),
            )
            .await;
        self.webhook = webhook.wrapped("webhook")["id"]
            .as_str()
            .unwrap()
            .to_owned();
    }

    /// Creates a resource and returns its id.
    pub async fn create(&self, user_id: i64, resource: &str, wrapper: &str, body: Value) -> i64 {
        let created = self
            .request(user_id, "POST", &format!("/v1/{resource}"), body)
            .await;
        created.wrapped(wrapper)["id"].as_i64().unwrap()
    }

    pub async fn get(&self, user_id: i64, target: &str) -> TestResponse {
        self.request(user_id, "GET", target, Value::Null).await
    }

    /// Sends a request with the API key of a user. A null `body` sends none.
    pub async fn request(
        &self,
        user_id: i64,
        method: &str,
        target: &str,
        body: Value,
    ) -> TestResponse {
        self.request_with_key(Some(&key(user_id)), method, target, body)
            .await
    }

    pub async fn request_with_key(
        &self,
        key: Option<&str>,
        method: &str,
        target: &str,
        body: Value,
    ) -> TestResponse {
        let separator = if target.contains('?') { '&' } else { '?' };
        let target = match key {
            Some(key) => format!("{target}{separator}apiKey={key}"),
            None => target.to_owned(),
        };
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let body = (!body.is_null()).then_some(body);
        self.service.call(method, &target, &[], body).await
    }

    /// Returns the contents of all tables as text.
    pub async fn database_dump(&self) -> String {
        let mut db = self.service.app.store.read().await.unwrap();
        let tables: Vec<String> = sql::query_scalar(by_database(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name",
            "SELECT tablename::text FROM pg_tables WHERE schemaname = 'public' ORDER BY 1",
        ))
        .fetch_all(&mut db)
        .await
        .unwrap();
        let mut dump = String::new();
        for table in tables {
            if self.service.database.is_some() {
                let sql = format!(
                    "SELECT coalesce(string_agg(t::text, ';' ORDER BY t::text), '') FROM {table} AS t"
                );
                let rows: String = sql::query_scalar(sql).fetch_one(&mut db).await.unwrap();
                dump.push_str(&format!("{table}: {rows}\n"));
                continue;
            }
            let columns: Vec<String> =
                sql::query_scalar("SELECT 'quote(' || name || ')' FROM pragma_table_info(?)")
                    .bind(&table)
                    .fetch_all(&mut db)
                    .await
                    .unwrap();
            let sql = format!(
                "SELECT coalesce(group_concat({}, ';'), '') FROM {table}",
                columns.join(" || ',' || ")
            );
            let rows: String = sql::query_scalar(sql).fetch_one(&mut db).await.unwrap();
            dump.push_str(&format!("{table}: {rows}\n"));
        }
        dump
    }
}

pub fn webhook_body(address: &str) -> Value {
    json!({"subscriberUrl": address, "eventTriggers": ["BOOKING_CREATED"], "active": true, "secret": "geheim"})
}

/// Request body for POST /v1/bookings.
pub fn booking_body(event_type: i64, start: &str) -> Value {
    json!({
        "eventTypeId": event_type,
        "start": start,
        "responses": {
            "name": "Zoë Łukasik", "email": "zoe@example.org",
            "location": {"optionValue": "", "value": ""},
        },
        "timeZone": "Europe/Rome",
        "language": "it",
        "metadata": {"campaign": "spring"},
    })
}

impl TestResponse {
    /// Asserts status 200 and returns the value under `key`.
    #[track_caller]
    pub fn wrapped(&self, key: &str) -> &Value {
        assert_eq!(self.status, 200, "{}", self.text);
        let value = &self.body[key];
        assert!(!value.is_null(), "{key} in {}", self.text);
        value
    }

    /// Asserts a version 1 error and returns its message.
    #[track_caller]
    pub fn assert_v1_error(&self, status: u16) -> &str {
        assert_eq!(self.status, status, "{}", self.text);
        assert!(self.body.get("status").is_none(), "{}", self.text);
        let message = self.body["message"].as_str();
        message.unwrap_or_else(|| panic!("no message in {}", self.text))
    }

    /// Returns the properties named in a validation error.
    pub fn invalid_properties(&self) -> Vec<&str> {
        let data = self.body["data"].as_array();
        let data = data.into_iter().flatten();
        data.map(|one| one["property"].as_str().unwrap()).collect()
    }
}
