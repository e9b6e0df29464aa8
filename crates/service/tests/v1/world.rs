//! A service in which one person has one of everything, another has nothing, and a third runs it.

use axum::http::Method;
use booking_service::auth::secret;
use serde_json::{Value, json};

use crate::common::{Answer, HOST, OTHER_HOST, Service, booking};

/// Has one of everything.
pub const OWNER: i64 = HOST;
/// Has nothing, and knows nobody.
pub const STRANGER: i64 = OTHER_HOST;
/// Runs the service.
pub const OPERATOR: i64 = 200;
/// Belongs to the owner's team.
pub const MEMBER: i64 = 102;
/// There is none of anything.
pub const NONE: i64 = 999_999;

pub const START: &str = "2027-03-02T09:00:00.000Z";
pub const FREE: &str = "2027-03-03T10:00:00.000Z";
/// Another one, on the day after.
pub const OTHER: &str = "2027-03-04T10:00:00.000Z";

pub struct World {
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

/// The API key of a person.
pub fn key(user_id: i64) -> String {
    format!("svc_{}", secret::hash(&format!("key of {user_id}")))
}

impl World {
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
        let mut world = Self {
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
        world.fill().await;
        world
    }

    async fn fill(&mut self) {
        let made = self
            .service
            .post("/v2/bookings", booking(self.event_type, START))
            .await;
        self.booking = made.data()["id"].as_i64().unwrap();
        self.booking_uid = made.data()["uid"].as_str().unwrap().to_owned();
        let shown = self
            .get(OWNER, &format!("/v1/bookings/{}", self.booking))
            .await;
        self.attendee = shown.wrapped("booking")["attendees"][0]["id"]
            .as_i64()
            .unwrap();
        self.payment = shown.wrapped("booking")["payment"][0]["id"]
            .as_i64()
            .unwrap();
        self.second_attendee = self
            .make(
                OWNER,
                "attendees",
                "attendee",
                json!({"bookingId": self.booking, "name": "Sam", "email": "sam@example.org", "timeZone": "UTC"}),
            )
            .await;
        self.reference = self
            .make(
                OWNER,
                "booking-references",
                "booking_reference",
                json!({"type": "google_calendar", "uid": "abc", "bookingId": self.booking}),
            )
            .await;
        self.credential = self
            .make(
                OPERATOR,
                &format!("credential-sync?userId={OWNER}"),
                "credential",
                json!({"encryptedKey": "geheim", "appSlug": "google-calendar"}),
            )
            .await;
        self.destination = self
            .make(
                OWNER,
                "destination-calendars",
                "destinationCalendar",
                json!({"integration": "google_calendar", "externalId": "x", "credentialId": self.credential}),
            )
            .await;
        self.ask(
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
            .make(
                OWNER,
                "teams",
                "team",
                json!({"name": "Team", "slug": "team"}),
            )
            .await;
        self.ask(
            OWNER,
            "POST",
            "/v1/memberships",
            json!({"userId": MEMBER, "teamId": self.team}),
        )
        .await
        .wrapped("membership");
        self.ask(
            MEMBER,
            "PATCH",
            &format!("/v1/memberships/{MEMBER}_{}", self.team),
            json!({"accepted": true}),
        )
        .await
        .wrapped("membership");
        self.team_event_type = self
            .make(
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
            .ask(
                OWNER,
                "POST",
                "/v1/webhooks",
                new_webhook("https://example.org/one"),
            )
            .await;
        self.webhook = webhook.wrapped("webhook")["id"]
            .as_str()
            .unwrap()
            .to_owned();
    }

    /// Makes something and gives its id.
    pub async fn make(&self, user_id: i64, resource: &str, wrapper: &str, body: Value) -> i64 {
        let made = self
            .ask(user_id, "POST", &format!("/v1/{resource}"), body)
            .await;
        made.wrapped(wrapper)["id"].as_i64().unwrap()
    }

    pub async fn get(&self, user_id: i64, target: &str) -> Answer {
        self.ask(user_id, "GET", target, Value::Null).await
    }

    /// Asks with somebody's key, with a body unless it is null.
    pub async fn ask(&self, user_id: i64, method: &str, target: &str, body: Value) -> Answer {
        self.ask_with(Some(&key(user_id)), method, target, body)
            .await
    }

    pub async fn ask_with(
        &self,
        key: Option<&str>,
        method: &str,
        target: &str,
        body: Value,
    ) -> Answer {
        let mark = if target.contains('?') { '&' } else { '?' };
        let target = match key {
            Some(key) => format!("{target}{mark}apiKey={key}"),
            None => target.to_owned(),
        };
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let body = (!body.is_null()).then_some(body);
        self.service.call(method, &target, &[], body).await
    }

    /// Everything that is stored, as text.
    pub async fn stored(&self) -> String {
        let mut db = self.service.app.store.read().await.unwrap();
        let tables: Vec<String> = sqlx::query_scalar(
            "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%' ORDER BY name",
        )
        .fetch_all(&mut *db)
        .await
        .unwrap();
        let mut all = String::new();
        for table in tables {
            let columns: Vec<String> =
                sqlx::query_scalar("SELECT 'quote(' || name || ')' FROM pragma_table_info(?)")
                    .bind(&table)
                    .fetch_all(&mut *db)
                    .await
                    .unwrap();
            let sql = format!(
                "SELECT coalesce(group_concat({}, ';'), '') FROM {table}",
                columns.join(" || ',' || ")
            );
            let rows: String = sqlx::query_scalar(&sql).fetch_one(&mut *db).await.unwrap();
            all.push_str(&format!("{table}: {rows}\n"));
        }
        all
    }
}

pub fn new_webhook(address: &str) -> Value {
    json!({"subscriberUrl": address, "eventTriggers": ["BOOKING_CREATED"], "active": true, "secret": "geheim"})
}

/// A body for POST /v1/bookings.
pub fn new_booking(event_type: i64, start: &str) -> Value {
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

impl Answer {
    /// What a success holds under its key.
    #[track_caller]
    pub fn wrapped(&self, key: &str) -> &Value {
        assert_eq!(self.status, 200, "{}", self.text);
        let value = &self.body[key];
        assert!(!value.is_null(), "{key} in {}", self.text);
        value
    }

    /// Asserts a failure of version 1 and gives its message.
    #[track_caller]
    pub fn failed(&self, status: u16) -> &str {
        assert_eq!(self.status, status, "{}", self.text);
        assert!(self.body.get("status").is_none(), "{}", self.text);
        let message = self.body["message"].as_str();
        message.unwrap_or_else(|| panic!("no message in {}", self.text))
    }

    /// The properties that are complained about.
    pub fn complaints(&self) -> Vec<&str> {
        let data = self.body["data"].as_array();
        let data = data.into_iter().flatten();
        data.map(|one| one["property"].as_str().unwrap()).collect()
    }
}
