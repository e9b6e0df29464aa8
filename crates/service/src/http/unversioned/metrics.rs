//! The endpoint `/metrics`, and the values that are read when it is called.

use axum::Router;
use axum::extract::{Request, State};
use axum::http::header::{AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use booking_store_engine::schema;

use crate::app::AppState;
use crate::auth::secret;
use crate::error::{Error, Result};
use crate::limits::client_ip;
use crate::monitoring::health;
use crate::monitoring::metrics::Gauges;
use crate::process::zone_data;
use crate::store::Db;
use crate::store::busy::reservations;
use crate::store::messages::deliveries;
use crate::store::messages::mail::{self, Status};

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
    Ok((headers, app.metrics.render(&gauges(&app).await?)?).into_response())
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

async fn gauges(app: &AppState) -> Result<Gauges> {
    // Read before this function takes a connection.
    let pools = app.store.pools();
    let mut db = app.store.read().await?;
    Ok(Gauges {
        pools,
        webhooks_waiting: deliveries::count_waiting(&mut db).await?,
        mail_messages: mail_messages(&mut db).await?,
        reservations_live: reservations::count_active(&mut db, app.clock.now()).await?,
        database_bytes: schema::database_bytes(&mut db).await?,
        disk_free_bytes: health::free_disk(app.store.directory()),
        read_replica: app.store.read_replica_lag().map(Result::ok),
        zone_data_age_days: zone_data::age_days(app.clock.now()),
    })
}

/// Counts messages by status; zero for a status without messages.
async fn mail_messages(db: &mut Db) -> Result<Vec<(&'static str, i64)>> {
    let counts = mail::count_by_status(db).await?;
    let count = |status: Status| {
        (
            status.name(),
            counts.get(status.name()).copied().unwrap_or(0),
        )
    };
    Ok(Status::ALL.map(count).to_vec())
}
