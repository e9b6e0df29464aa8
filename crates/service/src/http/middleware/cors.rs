//! CORS headers.

use std::time::Duration;

use axum::http::Method;
use axum::http::header::{
    ACCEPT, AUTHORIZATION, CONTENT_TYPE, DATE, HeaderName, ORIGIN, RETRY_AFTER,
};
use tower_http::cors::{Any, CorsLayer};

use super::rate_limit::rate_limit_headers;
use super::responses::REQUEST_ID;
use crate::api::IDEMPOTENCY_REPLAYED;

/// Time for which a browser may cache the response to a preflight request: a day.
const PREFLIGHT_TTL: Duration = Duration::from_secs(24 * 60 * 60);

/// Allows pages of every origin to call the API.
pub fn cors() -> CorsLayer {
    let headers = [
        "idempotency-key",
        "x-svc-client-id",
        "x-svc-secret-key",
        "x-svc-platform-embed",
        "svc-api-version",
        "x-cal-client-id",
        "x-cal-secret-key",
        "x-cal-platform-embed",
        "x-cal-atoms-version",
        "cal-api-version",
    ];
    CorsLayer::new()
        .allow_origin(Any)
        .allow_methods([
            Method::GET,
            Method::HEAD,
            Method::POST,
            Method::PUT,
            Method::PATCH,
            Method::DELETE,
        ])
        .allow_headers(
            headers
                .into_iter()
                .map(HeaderName::from_static)
                .chain([ACCEPT, AUTHORIZATION, CONTENT_TYPE, ORIGIN])
                .collect::<Vec<_>>(),
        )
        .expose_headers(
            [
                // The widget corrects a wrong clock with it.
                DATE,
                REQUEST_ID,
                RETRY_AFTER,
                IDEMPOTENCY_REPLAYED,
            ]
            .into_iter()
            .chain(rate_limit_headers())
            .collect::<Vec<_>>(),
        )
        .max_age(PREFLIGHT_TTL)
}
