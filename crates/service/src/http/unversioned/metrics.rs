//! The endpoint `/metrics`, and the values that are read when it is called.

use std::time::Duration;

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use booking_store_engine::schema;
use booking_store_engine::statements::slow_statements;
use booking_wire::Instant;
use tokio::time::timeout;

use crate::app::AppState;
use crate::auth::secret;
use crate::error::{Error, Result};
use crate::limits::client_ip;
use crate::monitoring::health;
use crate::monitoring::metrics::Channel;
use crate::monitoring::metrics::gauges::{DatabaseGauges, Gauges, PoolGauges, QueueGauges};
use crate::process::zone_data;
use crate::store::busy::reservations;
use crate::store::messages::queues;
use crate::store::{READ_CONNECTIONS, migrations};

/// Longest time for the values from the database. A scrape without them shows that all connections are in use.
const DATABASE_TIMEOUT: Duration = Duration::from_secs(1);

/// Route of `/metrics`.
pub fn routes() -> Router<AppState> {
    Router::new().route("/metrics", get(metrics))
}

async fn metrics(State(app): State<AppState>, request: Request) -> Result<Response> {
    match &app.settings.limits.metrics_token {
        Some(token) if !has_bearer_token(&request, token) => {
            return Err(Error::Unauthorized(
                "metrics need the token they are configured with",
            ));
        }
        None if !client_ip::is_local(&request) => {
            return Err(Error::Forbidden(
                "metrics are for the service's own machine, or need a token".into(),
            ));
        }
        _ => {}
    }
    let headers = [
        (CONTENT_TYPE, prometheus::TEXT_FORMAT),
        (CACHE_CONTROL, "no-store"),
    ];
    Ok((headers, app.metrics.render(&gauges(&app).await)?).into_response())
}

fn has_bearer_token(request: &Request, token: &str) -> bool {
    request
        .headers()
        .get(AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split_once(' '))
        .is_some_and(|(scheme, presented)| {
            scheme.eq_ignore_ascii_case("bearer")
                && secret::constant_time_eq(token, presented.trim())
        })
}

async fn gauges(app: &AppState) -> Gauges {
    // Read before a connection is taken.
    let pools = pools(app);
    let database = match timeout(DATABASE_TIMEOUT, database_gauges(app)).await {
        Ok(Ok(database)) => Some(database),
        Ok(Err(error)) => {
            tracing::warn!(%error, "metrics are without values from the database");
            None
        }
        Err(_) => {
            tracing::warn!("metrics are without values from the database: it does not respond");
            None
        }
    };
    Gauges {
        pools,
        database,
        disk_free_bytes: health::free_disk(app.store.directory()),
        read_replica: app.store.read_replica_lag().map(Result::ok),
        clock_difference_ms: app.store.measured_clock_difference(),
        known_schema: migrations::ALL.newest(),
        may_use_schema: app.store.may_use_schema(),
        slow_statements: slow_statements(),
        zone_data_age_days: zone_data::age_days(app.clock.now()),
    }
}

fn pools(app: &AppState) -> Vec<PoolGauges> {
    let max_postgres = app.store.max_connections();
    let max = |name: &str| match name {
        "write" => 1,
        _ => max_postgres.unwrap_or(READ_CONNECTIONS),
    };
    let gauges = |(name, open, idle)| PoolGauges {
        name,
        open,
        idle,
        max: max(name),
    };
    app.store.pools().into_iter().map(gauges).collect()
}

/// Reads values whose statements do not depend on the number of stored messages.
async fn database_gauges(app: &AppState) -> Result<DatabaseGauges> {
    let now = app.clock.now();
    let mut db = app.store.read().await?;
    let mail = queues::read(&mut db, queues::MAIL_QUEUE).await?;
    let webhooks = queues::read(&mut db, queues::WEBHOOK_QUEUE).await?;
    let queue = |queue: queues::Queue| QueueGauges {
        waiting: queue.waiting,
        oldest_age_ms: (queue.oldest_due_ms).map_or(0, |due_ms| age_ms(now, due_ms)),
    };
    Ok(DatabaseGauges {
        queues: [
            (Channel::Mail, queue(mail)),
            (Channel::Webhook, queue(webhooks)),
        ],
        reservations_live: reservations::count_active(&mut db, now).await?,
        bytes: schema::database_bytes(&mut db).await?,
        schema: schema::version(&mut db).await?,
    })
}

/// Returns 0 for a message that is not due yet.
fn age_ms(now: Instant, due_ms: i64) -> i64 {
    now.0.saturating_sub(due_ms).max(0)
}
