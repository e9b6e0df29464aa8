//! Request id, error body, metrics and log line of each response.
//!
//! The request-id and trace layers of `tower_http` accept any id that a client sends, and log the
//! path, which may contain the uid of a booking.

use std::time::Instant;

use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{
    CACHE_CONTROL, CONTENT_TYPE, HeaderName, HeaderValue, X_CONTENT_TYPE_OPTIONS,
};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use tracing::field::Empty;
use tracing::{Instrument, Span};

use crate::api;
use crate::app::AppState;
use crate::auth::secret;
use crate::error::Error;
use crate::error::redaction::redacted;
use crate::http::{assets, v1};
use crate::input_limits::MAX_TARGET_BYTES;
use crate::monitoring::health;
use crate::monitoring::metrics::method_name;
use crate::monitoring::traces::{self, TARGET};
use crate::process::connections::HealthOnly;

/// Most characters of the path in an error body.
const MAX_ECHO_CHARS: usize = 200;

/// Lengths of a request id that is taken over from a proxy, in characters.
const PROXY_ID_CHARS: std::ops::RangeInclusive<usize> = 16..=64;

/// Header of the request id.
pub const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// Adds the request id and the body of an error to a response, counts and logs it.
pub async fn finish(State(app): State<AppState>, request: Request, next: Next) -> Response {
    let start = Instant::now();
    let open = app.metrics.open_request();
    let method = request.method().clone();
    // A path may contain a booking's uid, which gives access to it, so its pattern is logged.
    let matched = request.extensions().get::<MatchedPath>().cloned();
    let path = request.uri().path().to_owned();
    let route = matched
        .as_ref()
        .map_or_else(|| assets::kind(&path), MatchedPath::as_str)
        .to_owned();
    let mut target = request
        .uri()
        .path_and_query()
        .map_or_else(|| request.uri().path().to_owned(), ToString::to_string);
    let request_id = request_id(&request);
    let trace = request_trace(&request, &route, &request_id);

    let mut response = if target.len() > MAX_TARGET_BYTES {
        target = target.chars().take(MAX_ECHO_CHARS).collect();
        Error::UriTooLong.into_response()
    } else if request.extensions().get::<HealthOnly>().is_some() && !health::is_health_path(&path) {
        Error::Overloaded.into_response()
    } else {
        let span = tracing::error_span!("request", %request_id);
        let response = next.run(request).instrument(span);
        response.instrument(trace.clone()).await
    };
    if let Some(error) = response.extensions_mut().remove::<Error>() {
        if matches!(error, Error::Unavailable) {
            app.store.invalidate_writer();
        }
        let headers = std::mem::take(response.headers_mut());
        response = if api::is_v1(&path) {
            let displayed: String = path.chars().take(MAX_ECHO_CHARS).collect();
            let body = axum::Json(v1::failure::body(&error, &method, &displayed));
            (error.status(), headers, body).into_response()
        } else {
            // Clients of version 1 send API keys in the query, also to other paths.
            let displayed = redacted(&target);
            let body = axum::Json(error.body(app.clock.now(), displayed));
            (error.status(), headers, body).into_response()
        };
        for (name, value) in [
            (CONTENT_TYPE, "application/json; charset=utf-8"),
            (CACHE_CONTROL, "no-store"),
            (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        ] {
            let headers = response.headers_mut();
            headers.insert(name, HeaderValue::from_static(value));
        }
    }
    if let Ok(id) = HeaderValue::from_str(&request_id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    if api::is_v1(&path) {
        v1::deprecation_headers::add_headers(
            response.headers_mut(),
            &method,
            matched.as_ref(),
            &path,
        );
    }
    let elapsed = start.elapsed();
    app.metrics
        .record_response(&method, &route, response.status(), elapsed);
    let status = response.status().as_u16();
    trace.record("http.response.status_code", status);
    if response.status().is_server_error() {
        trace.record("otel.status_code", "ERROR");
    }
    let elapsed_ms = u64::try_from(elapsed.as_millis()).unwrap_or(u64::MAX);
    if health::is_health_path(&path) {
        // Each second, and failures have a line of their own.
        tracing::debug!(%request_id, %method, route, status, elapsed_ms, "answered");
    } else {
        tracing::info!(%request_id, %method, route, status, elapsed_ms, "answered");
    }
    drop(open);
    response
}

/// Span of a request in its trace, if traces are exported. Health checks have none.
fn request_trace(request: &Request, route: &str, request_id: &str) -> Span {
    if health::is_health_path(request.uri().path()) {
        return Span::none();
    }
    let method = method_name(request.method());
    let span = tracing::trace_span!(
        target: TARGET,
        "request",
        otel.name = %format_args!("{method} {route}"),
        otel.kind = "server",
        otel.status_code = Empty,
        http.request.method = method,
        http.route = route,
        http.response.status_code = Empty,
        request_id,
    );
    traces::set_parent(&span, request.headers());
    span
}

/// Request id: from the header of a proxy, else a new one. Only ids of hexadecimal digits and
/// dashes are accepted, so that callers cannot put personal data into logs.
fn request_id(request: &Request) -> String {
    let proxy_id = request
        .headers()
        .get(REQUEST_ID)
        .and_then(|value| value.to_str().ok())
        .filter(|id| {
            PROXY_ID_CHARS.contains(&id.len())
                && id
                    .bytes()
                    .all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
        });
    match proxy_id {
        Some(id) => id.to_owned(),
        None => secret::random_uuid().unwrap_or_default(),
    }
}
