//! The endpoints `/healthz` and `/readyz`, and with them `/metrics`.

use axum::Router;
use axum::extract::State;
use axum::http::StatusCode;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE};
use axum::response::{IntoResponse, Response};
use axum::routing::get;

use crate::app::AppState;
use crate::error::Error;
use crate::http::middleware::cors::cors;
use crate::http::unversioned::metrics;
use crate::process::zone_data;

/// Routes of `/healthz`, `/readyz` and `/metrics`.
pub fn routes() -> Router<AppState> {
    Router::new()
        .route("/healthz", get(async || plain(StatusCode::OK, "ok")))
        .route("/readyz", get(ready))
        // Pages of other origins ask what keeps the service from working for them: `doctor()`.
        .layer(cors())
        .merge(metrics::routes())
        .method_not_allowed_fallback(async || Error::MethodNotAllowed)
}

async fn ready(State(app): State<AppState>) -> Response {
    match app.health.failure(&app.store, &app.settings.limits).await {
        None => {
            let readiness = match app.store.read_replica_lag() {
                Some(Err(problem)) => format!("ready without the read replica: {problem}"),
                _ => "ready".to_owned(),
            };
            let zones = zone_data::summary(app.clock.now());
            let mail = match app.settings.mail_is_available {
                true => "e-mail is sent",
                false => "e-mail is not sent: there is no mail server",
            };
            let mut text = format!("{readiness}\ntime zone data {zones}\n{mail}\n");
            // This replica serves, whatever others do.
            for finding in app.store.replica_watch().findings() {
                text.push_str(&format!("{finding}\n"));
            }
            plain(StatusCode::OK, text)
        }
        Some(failure) => plain(StatusCode::SERVICE_UNAVAILABLE, failure.to_string()),
    }
}

fn plain(status: StatusCode, text: impl Into<String>) -> Response {
    let headers = [
        (CONTENT_TYPE, "text/plain; charset=utf-8"),
        (CACHE_CONTROL, "no-store"),
    ];
    (status, headers, text.into()).into_response()
}
