//! Test service: a fresh database, and the clock stopped at Monday, 2027-03-01T08:00Z.

use std::path::Path;
use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderMap, Method, Request};
use booking_service::app::AppState;
use booking_service::auth::secret;
use booking_service::auth::token::{Grant, issue_pair};
use booking_service::cli::database::data_directory::{self, Data};
use booking_service::cli::database::url::DatabaseUrl;
use booking_service::clock::Clock;
use booking_service::domain::demo;
use booking_service::http::assets::Assets;
use booking_service::http::router::router;
use booking_service::limits::concurrency::ConcurrencyLimits;
use booking_service::settings::Limits;
use booking_service::settings::Settings;
use booking_service::store::Subject;
use booking_store_engine::{schema, sql};
use booking_wire::{Instant, TokenSet};
use http_body_util::BodyExt;
use serde_json::{Value, json};
use tempfile::TempDir;
use tokio::sync::OnceCell;
use tower::ServiceExt;

#[path = "../support/postgres.rs"]
mod postgres;
pub use postgres::TestDatabase;

pub const NOW: &str = "2027-03-01T08:00:00Z";
/// User without bookings; working hours 9 to 17 in Berlin.
pub const HOST: i64 = 100;
/// Second user without bookings; working hours 9 to 17 in New York.
pub const OTHER_HOST: i64 = 101;

pub struct Service {
    pub app: AppState,
    pub router: Router,
    pub directory: TempDir,
    /// None of SQLite.
    pub database: Option<TestDatabase>,
    pub credentials: Value,
}

pub struct TestResponse {
    pub status: u16,
    pub headers: HeaderMap,
    pub body: Value,
    pub text: String,
}

/// Returns true for a UUID in its usual form: five groups of lower-case hexadecimal digits.
pub fn is_uuid(text: &str) -> bool {
    let groups: Vec<&str> = text.split('-').collect();
    let is_hex = |letter: char| matches!(letter, '0'..='9' | 'a'..='f');
    groups.iter().map(|group| group.len()).eq([8, 4, 4, 4, 12])
        && groups.iter().all(|group| group.chars().all(is_hex))
}

impl TestResponse {
    pub fn data(&self) -> &Value {
        assert!(self.status < 300, "{}: {}", self.status, self.text);
        &self.body["data"]
    }

    /// Asserts the complete error body and returns its message.
    #[track_caller]
    pub fn assert_error(&self, status: u16, code: &str) -> &str {
        assert_eq!(self.status, status, "{}", self.text);
        let error = &self.body["error"];
        assert_eq!(self.body["status"], "error");
        assert_eq!(error["code"], code, "{}", self.text);
        assert_eq!(error["details"]["statusCode"], status);
        assert_eq!(error["details"]["message"], error["message"]);
        assert!(self.body["path"].as_str().unwrap().starts_with('/'));
        assert!(self.body["timestamp"].as_str().unwrap().ends_with('Z'));
        assert!(self.headers.contains_key("x-request-id"));
        error["message"].as_str().unwrap()
    }

    /// Returns pairs of property path and constraint text (error form A2).
    pub fn constraints(&self) -> Vec<(String, String)> {
        fn walk(prefix: &str, errors: &Value, found: &mut Vec<(String, String)>) {
            for error in errors.as_array().into_iter().flatten() {
                let path = format!("{prefix}{}", error["property"].as_str().unwrap());
                for text in error["constraints"]
                    .as_object()
                    .into_iter()
                    .flat_map(|texts| texts.values())
                {
                    found.push((path.clone(), text.as_str().unwrap().to_owned()));
                }
                walk(&format!("{path}."), &error["children"], found);
            }
        }
        let mut found = Vec::new();
        walk("", &self.body["error"]["details"]["errors"], &mut found);
        found
    }
}

async fn open(
    directory: &Path,
    database: Option<&TestDatabase>,
    demo: bool,
    access_minutes: i64,
) -> AppState {
    let settings = Settings {
        access_minutes,
        demo,
        ..Settings::default()
    };
    let clock = Clock::stopped_at(Instant::parse(NOW).unwrap());
    match database {
        Some(database) => {
            data_directory::open_postgres(&database.url, directory, clock, settings).await
        }
        None => data_directory::open(directory, clock, settings).await,
    }
    .unwrap()
}

/// Data directory, and database of PostgreSQL, with the demo data. Created once, because filling it takes longer than most
/// tests.
async fn template() -> &'static (TempDir, Option<TestDatabase>) {
    static TEMPLATE: OnceCell<(TempDir, Option<TestDatabase>)> = OnceCell::const_new();
    let make = async || {
        let directory = tempfile::tempdir().unwrap();
        let database = TestDatabase::create(None).await;
        let app = open(directory.path(), database.as_ref(), true, 60).await;
        demo::prepare(&app, directory.path()).await.unwrap();
        if database.is_some() {
            let mut transaction = app.store.begin(&[Subject::Rows]).await.unwrap();
            let functions = include_str!("../support/sqlite_functions.sql");
            sql::raw_sql(functions)
                .execute(&mut transaction)
                .await
                .unwrap();
            transaction.commit().await.unwrap();
        }
        app.store.close().await;
        (directory, database)
    };
    TEMPLATE.get_or_init(make).await
}

fn copy(from: &Path, to: &Path) {
    for file in std::fs::read_dir(from).unwrap() {
        let file = file.unwrap();
        std::fs::copy(file.path(), to.join(file.file_name())).unwrap();
    }
}

impl Service {
    pub async fn start() -> Self {
        Self::start_with(true, 60).await
    }

    pub async fn start_with(demo: bool, access_minutes: i64) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let database = if access_minutes == 60 {
            let (template, database) = template().await;
            copy(template.path(), directory.path());
            TestDatabase::create(database.as_ref()).await
        } else {
            TestDatabase::create(None).await
        };
        let app = open(directory.path(), database.as_ref(), demo, access_minutes).await;
        let path = directory.path().join(demo::FILE_NAME);
        if !path.exists() {
            demo::prepare(&app, directory.path()).await.unwrap();
        }
        let credentials = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
        let assets = Assets {
            app: directory.path().join("app"),
            embed: directory.path().join("embed"),
        };
        let service = Self {
            router: router(app.clone(), &assets),
            app,
            directory,
            database,
            credentials,
        };
        service.add_hosts().await;
        service
    }

    /// Serves the data of `app`, whose database another service ends, with an empty directory for files.
    pub fn over(app: AppState, credentials: &Value) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let assets = Assets {
            app: directory.path().join("app"),
            embed: directory.path().join("embed"),
        };
        Self {
            router: router(app.clone(), &assets),
            app,
            directory,
            database: None,
            credentials: credentials.clone(),
        }
    }

    /// Opens the same data again.
    pub async fn reopen(&self, clock: Clock) -> AppState {
        let (directory, settings) = (self.directory.path(), Settings::default());
        match &self.database {
            Some(database) => {
                data_directory::open_postgres(&database.url, directory, clock, settings).await
            }
            None => data_directory::open(directory, clock, settings).await,
        }
        .unwrap()
    }

    /// Returns the database for a command.
    pub fn data(&self) -> Data {
        match &self.database {
            Some(database) => Data {
                data: None,
                database: DatabaseUrl::of(&database.url),
            },
            None => Data::of(self.directory.path()),
        }
    }

    /// Returns the option of commands that names the database, and its value.
    pub fn data_option(&self) -> [&str; 2] {
        match &self.database {
            Some(database) => ["--database-url", &database.url],
            None => ["--data", self.directory.path().to_str().unwrap()],
        }
    }

    /// Rebuilds the router over the same data with other limits.
    pub fn restart_with_limits(&mut self, limits: Limits) {
        self.app.concurrency = ConcurrencyLimits::new(limits.in_flight);
        self.restart_with(|settings| settings.limits = limits);
    }

    /// Rebuilds the router over the same data with other settings.
    pub fn restart_with(&mut self, change: impl FnOnce(&mut Settings)) {
        let mut settings = Settings::clone(&self.app.settings);
        change(&mut settings);
        self.app.settings = Arc::new(settings);
        let assets = Assets {
            app: self.directory.path().join("app"),
            embed: self.directory.path().join("embed"),
        };
        self.router = router(self.app.clone(), &assets);
    }

    async fn add_hosts(&self) {
        let mut statements = String::new();
        for (id, zone) in [(HOST, "Europe/Berlin"), (OTHER_HOST, "America/New_York")] {
            statements.push_str(&format!(
                "INSERT INTO users (id, username, email, name, time_zone, default_schedule_id)
                 VALUES ({id}, 'host{id}', 'host{id}@northwind.example', 'Host {id}', '{zone}', {id});
                 INSERT INTO schedules (id, owner_id, name, time_zone) VALUES ({id}, {id}, 'Hours', '{zone}');"
            ));
            for weekday in 1..=5 {
                statements.push_str(&format!(
                    "INSERT INTO schedule_hours (schedule_id, weekday, from_minute, to_minute)
                     VALUES ({id}, {weekday}, 540, 1020);"
                ));
            }
        }
        self.sql(&statements).await;
    }

    /// Enables dynamic group bookings for both test hosts, who also share a team event type.
    pub async fn allow_groups(&self) {
        let hosts = [HOST, OTHER_HOST];
        self.event_type_of("for-both", Some("roundRobin"), &hosts, json!({}))
            .await;
        self.sql("UPDATE users SET allow_dynamic_bookings = 1 WHERE id IN (100, 101)")
            .await;
    }

    pub async fn sql(&self, statements: &str) {
        let mut transaction = self.app.store.begin(&[Subject::Rows]).await.unwrap();
        sql::raw_sql(statements)
            .execute(&mut transaction)
            .await
            .unwrap();
        if statements.contains("(id,") {
            schema::align_ids(&mut transaction).await.unwrap();
        }
        transaction.commit().await.unwrap();
    }

    pub async fn count(&self, table: &str) -> i64 {
        let mut db = self.app.store.read().await.unwrap();
        sql::query_scalar(format!("SELECT count(*) FROM {table}"))
            .fetch_one(&mut db)
            .await
            .unwrap()
    }

    /// Adds a personal event type of `HOST` and returns its id. `settings`: fields as on the wire.
    pub async fn event_type(&self, slug: &str, settings: Value) -> i64 {
        self.event_type_of(slug, None, &[HOST], settings).await
    }

    /// Adds an event type and returns its id. Owner: the team if `scheduling` is set, else `HOST`.
    pub async fn event_type_of(
        &self,
        slug: &str,
        scheduling: Option<&str>,
        hosts: &[i64],
        settings: Value,
    ) -> i64 {
        let mut document =
            json!({"title": "Talk", "lengthInMinutes": 30, "minimumBookingNotice": 0});
        document
            .as_object_mut()
            .unwrap()
            .extend(settings.as_object().unwrap().clone());
        let minutes = |key: &str| document[key].as_i64().unwrap_or(0);
        let mut transaction = self.app.store.begin(&[Subject::Rows]).await.unwrap();
        let id: i64 = sql::query_scalar(
            "INSERT INTO event_types (owner_id, team_id, slug, hidden, scheduling_type, before_minutes, after_minutes,
                 blocks_unconfirmed, assign_all, settings, created_ms)
             VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0) RETURNING id",
        )
        .bind(scheduling.is_none().then_some(HOST))
        .bind(scheduling.is_some().then_some(1))
        .bind(slug)
        .bind(document["hidden"].as_bool().unwrap_or(false))
        .bind(scheduling)
        .bind(minutes("beforeEventBuffer"))
        .bind(minutes("afterEventBuffer"))
        .bind(document["blocks"].as_bool().unwrap_or(false))
        .bind(document["assignAllTeamMembers"].as_bool().unwrap_or(false))
        .bind(document.to_string())
        .fetch_one(&mut transaction)
        .await
        .unwrap();
        for host in hosts {
            sql::query("INSERT INTO event_type_hosts (event_type_id, user_id) VALUES (?, ?)")
                .bind(id)
                .bind(host)
                .execute(&mut transaction)
                .await
                .unwrap();
        }
        transaction.commit().await.unwrap();
        id
    }

    pub fn secret(&self, key: &str) -> String {
        self.credentials[key].as_str().unwrap().to_owned()
    }

    pub fn manager(&self) -> (String, String) {
        (
            "authorization".into(),
            format!("Bearer {}", self.secret("accessToken")),
        )
    }

    pub fn owner(&self) -> (String, String) {
        (
            "authorization".into(),
            format!("Bearer {}", self.secret("apiKey")),
        )
    }

    /// Issues tokens for a user through the demo client.
    pub async fn tokens_of(&self, user_id: i64) -> TokenSet {
        let grant = Grant {
            client_id: demo::CLIENT_ID,
            user_id,
            now: self.app.clock.now(),
            access_minutes: 60,
            refreshed: false,
        };
        let mut transaction = self.app.store.begin(&[Subject::Rows]).await.unwrap();
        let tokens = issue_pair(&mut transaction, &self.app.signing_key, grant)
            .await
            .unwrap();
        transaction.commit().await.unwrap();
        tokens
    }

    pub async fn bearer_of(&self, user_id: i64) -> (String, String) {
        (
            "authorization".into(),
            format!("Bearer {}", self.tokens_of(user_id).await.access_token),
        )
    }

    /// Creates an API key for a user.
    pub async fn key_of(&self, user_id: i64) -> String {
        let key = secret::random_secret().unwrap();
        let hash = secret::hash(&key);
        self.sql(&format!(
            "INSERT INTO api_keys (hash, user_id, label, created_ms) VALUES ('{hash}', {user_id}, 'Test', 0)"
        ))
        .await;
        format!("svc_{key}")
    }

    pub async fn get(&self, target: &str) -> TestResponse {
        self.call(Method::GET, target, &[], None).await
    }

    pub async fn get_as(&self, target: &str, credentials: (String, String)) -> TestResponse {
        self.call(Method::GET, target, &[credentials], None).await
    }

    pub async fn post(&self, target: &str, body: Value) -> TestResponse {
        self.call(Method::POST, target, &[], Some(body)).await
    }

    pub async fn post_as(
        &self,
        target: &str,
        credentials: (String, String),
        body: Value,
    ) -> TestResponse {
        self.call(Method::POST, target, &[credentials], Some(body))
            .await
    }

    /// Sends a request with credentials. A null `body` sends none.
    pub async fn request(
        &self,
        method: &str,
        target: &str,
        credentials: &(String, String),
        body: Value,
    ) -> TestResponse {
        let method = Method::from_bytes(method.as_bytes()).unwrap();
        let body = (!body.is_null()).then_some(body);
        self.call(method, target, std::slice::from_ref(credentials), body)
            .await
    }

    pub async fn call(
        &self,
        method: Method,
        target: &str,
        headers: &[(String, String)],
        body: Option<Value>,
    ) -> TestResponse {
        let mut request = Request::builder().method(method).uri(target);
        for (name, value) in headers {
            request = request.header(name, value);
        }
        let body = body.map(|body| body.to_string());
        if let Some(body) = &body {
            request = request
                .header("content-type", "application/json")
                .header("content-length", body.len());
        }
        let body = body.map_or_else(Body::empty, Body::from);
        self.send(request.body(body).unwrap()).await
    }

    pub async fn send(&self, request: Request<Body>) -> TestResponse {
        let response = self.router.clone().oneshot(request).await.unwrap();
        let (parts, body) = response.into_parts();
        let bytes = body.collect().await.unwrap().to_bytes();
        let text = String::from_utf8_lossy(&bytes).into_owned();
        TestResponse {
            status: parts.status.as_u16(),
            headers: parts.headers,
            body: serde_json::from_slice(&bytes).unwrap_or_default(),
            text,
        }
    }
}

/// Request body for POST /v2/bookings.
pub fn booking(event_type_id: i64, start: &str) -> Value {
    json!({
        "start": start,
        "eventTypeId": event_type_id,
        "attendee": {"name": "Zoë Łukasik", "email": "zoe@example.org", "timeZone": "Europe/Rome"},
    })
}

/// Replaces values that differ between runs by `[key]`.
pub fn redact(value: &Value) -> Value {
    const VARYING: [&str; 6] = [
        "id",
        "uid",
        "icsUid",
        "createdAt",
        "updatedAt",
        "eventTypeId",
    ];
    match value {
        Value::Object(map) => map
            .iter()
            .map(|(key, value)| {
                let redacted = match value {
                    Value::String(_) | Value::Number(_) if VARYING.contains(&key.as_str()) => {
                        json!(format!("[{key}]"))
                    }
                    other => redact(other),
                };
                (key.clone(), redacted)
            })
            .collect(),
        Value::Array(items) => items.iter().map(redact).collect(),
        other => other.clone(),
    }
}
