//! Two replicas behind gates, and one database.

use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use axum::http::Method;
use booking_service::auth::secret;
use booking_service::cli::database::data_directory;
use booking_service::domain::verified_emails::VerificationCode;
use booking_service::settings::Settings;
use serde_json::Value;
use sqlx::postgres::PgConnectOptions;
use sqlx::{AssertSqlSafe, ConnectOptions, PgConnection};
use tempfile::TempDir;
use tokio::sync::mpsc;

use crate::common::Service;
use crate::gate::{Event, Gate, Locks, NO_LOCK};
use crate::schedule::{Game, Player, Run, Schedule, Step};
use crate::seed;

/// A request.
#[derive(Clone, Debug)]
pub struct Call {
    pub method: &'static str,
    pub target: String,
    pub caller: Caller,
    pub idempotency_key: Option<&'static str>,
    pub body: Value,
}

/// Sender of a request.
#[derive(Clone, Copy, Debug)]
pub enum Caller {
    Anonymous,
    User(i64),
    /// The demo OAuth client.
    Client,
}

struct Replica {
    service: Arc<Service>,
    gate: Gate,
    events: mpsc::UnboundedReceiver<Event>,
    _directory: TempDir,
}

pub struct TestContext {
    replicas: [Replica; 2],
    monitor: PgConnection,
    pub db: PgConnection,
    bearers: Vec<(i64, (String, String))>,
    /// A refresh token of the first host.
    refresh_token: String,
    /// Dropped last: it drops the database.
    pub service: Service,
}

impl TestContext {
    pub async fn start(locks: Locks) -> Self {
        let service = Service::start().await;
        let database = service.database.as_ref().expect("PostgreSQL");
        let mut options = PgConnectOptions::from_str(&database.url).unwrap();
        options = options.disable_statement_logging();
        let mut db = options.connect().await.unwrap();
        let name = &database.name;
        let settings = format!("ALTER DATABASE {name} SET deadlock_timeout = '20ms';");
        for sql in [settings, seed::hosts(), NO_LOCK.to_owned()] {
            sqlx::raw_sql(AssertSqlSafe(sql))
                .execute(&mut db)
                .await
                .unwrap();
        }
        let mut bearers = Vec::new();
        for host in seed::HOSTS {
            bearers.push((host, service.bearer_of(host).await));
        }
        let refresh_token = service.tokens_of(seed::HOSTS[0]).await.refresh_token;
        let hash = secret::hash(&refresh_token);
        let table = format!(
            "CREATE TABLE refresh_token AS SELECT * FROM oauth_tokens WHERE hash = '{hash}';"
        );
        let deletion = format!("DELETE FROM oauth_tokens WHERE hash = '{hash}'");
        sqlx::raw_sql(AssertSqlSafe(table + &deletion))
            .execute(&mut db)
            .await
            .unwrap();
        let code = VerificationCode::new(&service.app.signing_key, "ann@example.org", seed::CODE);
        sqlx::query("CREATE TABLE email_code (email TEXT, code_hash BYTEA)")
            .execute(&mut db)
            .await
            .unwrap();
        sqlx::query("INSERT INTO email_code VALUES ($1, $2)")
            .bind(code.email())
            .bind(code.hash())
            .execute(&mut db)
            .await
            .unwrap();
        let monitor = options.connect().await.unwrap();
        let replicas = [
            Replica::start(&service, &database.url, locks).await,
            Replica::start(&service, &database.url, locks).await,
        ];
        Self {
            replicas,
            monitor,
            db,
            bearers,
            refresh_token,
            service,
        }
    }

    /// Returns how many statements have lost their lock.
    pub fn weakened(&self) -> usize {
        self.replicas
            .iter()
            .map(|replica| replica.gate.weakened())
            .sum()
    }

    /// Runs statements around the replicas.
    pub async fn sql(&mut self, statements: &str) {
        sqlx::raw_sql(AssertSqlSafe(statements))
            .execute(&mut self.db)
            .await
            .unwrap();
    }

    /// Runs both requests, each at its replica, by the schedule.
    pub async fn run(
        &mut self,
        calls: &[Call; 2],
        schedule: &Schedule,
    ) -> Result<Run, (String, Vec<Step>)> {
        let headers = calls.each_ref().map(|call| self.headers(call));
        let mut tasks = Vec::new();
        for (replica, (call, headers)) in self.replicas.iter().zip(calls.iter().zip(headers)) {
            replica.gate.hold(true);
            let (service, gate) = (replica.service.clone(), replica.gate.clone());
            let call = self.filled_in(call);
            tasks.push(tokio::spawn(async move {
                let method = Method::from_bytes(call.method.as_bytes()).unwrap();
                let body = (!call.body.is_null()).then_some(call.body);
                let response = service.call(method, &call.target, &headers, body).await;
                gate.respond(response);
            }));
        }
        let [first, second] = &mut self.replicas;
        let players =
            [first, second].map(|replica| Player::new(&replica.gate, &mut replica.events));
        let game = Game {
            players,
            monitor: &mut self.monitor,
            steps: Vec::new(),
        };
        let run = game.play(schedule).await;
        for replica in &mut self.replicas {
            replica.gate.hold(false);
            while replica.events.try_recv().is_ok() {}
        }
        for task in tasks {
            task.abort();
        }
        run
    }

    /// Replaces names of secrets by their values.
    fn filled_in(&self, call: &Call) -> Call {
        let body = call
            .body
            .to_string()
            .replace("{refreshToken}", &self.refresh_token);
        Call {
            target: call
                .target
                .replace("{client}", &self.service.secret("clientId")),
            body: serde_json::from_str(&body).unwrap(),
            ..call.clone()
        }
    }

    fn headers(&self, call: &Call) -> Vec<(String, String)> {
        let mut headers = Vec::new();
        match call.caller {
            Caller::Anonymous => {}
            Caller::User(id) => {
                let bearer = self.bearers.iter().find(|(user, _)| *user == id).unwrap();
                headers.push(bearer.1.clone());
            }
            Caller::Client => headers.push((
                "x-svc-secret-key".into(),
                self.service.secret("clientSecret"),
            )),
        }
        if let Some(key) = call.idempotency_key {
            headers.push(("idempotency-key".into(), key.into()));
        }
        headers
    }
}

impl Replica {
    async fn start(service: &Service, url: &str, locks: Locks) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let (gate, url, events) = Gate::open(directory.path(), url, locks);
        let keys: &Path = service.directory.path();
        let clock = service.app.clock.clone();
        let settings = Settings {
            mail_is_available: true,
            ..Settings::default()
        };
        let app = data_directory::open_postgres(&url, keys, clock, settings)
            .await
            .unwrap();
        Self {
            service: Arc::new(Service::over(app, &service.credentials)),
            gate,
            events,
            _directory: directory,
        }
    }
}
