//! All paths in one table, and what every answer has in common: request ids, error bodies, CORS.

use std::future::poll_fn;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::task::Poll;
use std::time::{Duration, Instant};

use axum::Router;
use axum::extract::{DefaultBodyLimit, MatchedPath, Request, State};
use axum::http::header::{
    ACCEPT, AUTHORIZATION, CACHE_CONTROL, CONTENT_TYPE, DATE, HeaderName, HeaderValue, ORIGIN,
    RETRY_AFTER, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{Method, Uri};
use axum::middleware::{Next, from_fn, from_fn_with_state};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::cors::{Any, CorsLayer};
use tower_http::set_header::SetResponseHeaderLayer;
use tracing::Instrument;

use crate::app::AppState;
use crate::assets::{self, Assets};
use crate::auth::secret;
use crate::cal_names::write_cal_names;
use crate::connections::HealthOnly;
use crate::error::Error;
use crate::gate;
use crate::health;
use crate::input_limits::{MAX_BODY_BYTES, MAX_TARGET_BYTES};
use crate::limits;
use crate::openapi;
use crate::redaction::redacted;
use crate::routes::demo;
use crate::v1;

/// How much of a longer one is repeated in the answer.
const LONGEST_ECHO: usize = 200;

/// Tells that a response was stored when the request was first made.
pub const IDEMPOTENCY_REPLAYED: HeaderName = HeaderName::from_static("idempotency-replayed");

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The whole service: the interface, and the files in `assets`.
pub fn router(app: AppState, assets: &Assets) -> Router {
    let (interface, document) = openapi::interface().split_for_parts();
    let interface = interface
        .merge(openapi::router(document))
        .merge(v1::router())
        .route("/v2", get(unknown_path).fallback(unknown_path))
        .route("/v2/", get(unknown_path).fallback(unknown_path))
        .route("/v2/{*rest}", get(unknown_path).fallback(unknown_path))
        .route("/v1", get(unknown_path).fallback(unknown_path))
        .route("/v1/", get(unknown_path).fallback(unknown_path))
        .route("/v1/{*rest}", get(unknown_path).fallback(unknown_path))
        .method_not_allowed_fallback(async || Error::MethodNotAllowed)
        .layer(from_fn(check_version))
        .layer(from_fn(write_cal_names))
        .layer(DefaultBodyLimit::max(MAX_BODY_BYTES))
        .layer(from_fn_with_state(app.clone(), gate::admit))
        .layer(from_fn_with_state(app.clone(), limits::throttle))
        // Answers hold tokens, secrets and personal data, and version 1 has its key in the address.
        .layer(SetResponseHeaderLayer::if_not_present(
            CACHE_CONTROL,
            HeaderValue::from_static("no-store"),
        ))
        .layer(SetResponseHeaderLayer::overriding(
            X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        ))
        // The times of a month shrink to a tenth: on a phone that is a tenth of a second.
        .layer(CompressionLayer::new().quality(CompressionLevel::Fastest))
        .with_state(app.clone());
    // For the service's own pages only: no other page that a developer has open may read tokens.
    let demo_account = Router::new()
        .route("/demo.json", get(demo::account))
        .route("/demo/token", post(demo::token))
        .method_not_allowed_fallback(async || Error::MethodNotAllowed)
        .with_state(app.clone());
    interface
        .merge(assets::router(assets))
        // Inside CORS: a page of another origin must be able to read that something went wrong.
        .layer(from_fn(catch_panics))
        .layer(cors())
        .merge(demo_account)
        .merge(health::routes().with_state(app.clone()))
        // Outermost, so that preflights and failures have their request id, too.
        .layer(from_fn_with_state(app, finish))
}

/// Health and metrics alone, for a port of their own.
pub fn health_router(app: AppState) -> Router {
    health::routes()
        .with_state(app.clone())
        .layer(from_fn_with_state(app, finish))
}

async fn unknown_path(method: Method, uri: Uri) -> Error {
    let path = redacted(uri.path());
    Error::NotFound(format!("Cannot {method} {path}"))
}

/// Gives every answer a request id, a failed one its body, and notes both for those who operate
/// the service.
async fn finish(State(app): State<AppState>, request: Request, next: Next) -> Response {
    let started = Instant::now();
    let open = app.metrics.open_request();
    let method = request.method().clone();
    // A path may hold the uid of a booking, which gives access to it: its pattern is noted.
    let matched = request.extensions().get::<MatchedPath>().cloned();
    let route = matched
        .as_ref()
        .map_or("files", MatchedPath::as_str)
        .to_owned();
    let path = request.uri().path().to_owned();
    let mut target = request
        .uri()
        .path_and_query()
        .map_or_else(|| request.uri().path().to_owned(), ToString::to_string);
    let request_id = request_id(&request);

    let mut response = if target.len() > MAX_TARGET_BYTES {
        target = target.chars().take(LONGEST_ECHO).collect();
        Error::UriTooLong.into_response()
    } else if request.extensions().get::<HealthOnly>().is_some() && !health::owns(&path) {
        Error::Overloaded.into_response()
    } else {
        let span = tracing::error_span!("request", %request_id);
        next.run(request).instrument(span).await
    };
    if let Some(error) = response.extensions_mut().remove::<Error>() {
        if matches!(error, Error::Unavailable) {
            app.store.suspect();
        }
        let headers = std::mem::take(response.headers_mut());
        response = if v1::owns(&path) {
            let shown: String = path.chars().take(LONGEST_ECHO).collect();
            let body = axum::Json(v1::failure::body(&error, &method, &shown));
            (error.status(), headers, body).into_response()
        } else {
            // Keys of version 1 come in the query, wherever they are sent.
            let shown = redacted(&target);
            let body = axum::Json(error.body(app.clock.now(), shown));
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
    if v1::owns(&path) {
        v1::successor::point(response.headers_mut(), &method, matched.as_ref(), &path);
    }
    let took = started.elapsed();
    app.metrics
        .answered(&method, &route, response.status(), took);
    tracing::info!(
        %request_id,
        %method,
        route,
        status = response.status().as_u16(),
        elapsed_ms = took.as_millis(),
        "answered"
    );
    drop(open);
    response
}

/// The request's id: the one that a proxy in front has given, else a new one. Only hexadecimal
/// digits and dashes are taken over, so that nothing a caller knows about people gets into logs.
fn request_id(request: &Request) -> String {
    let given = request
        .headers()
        .get(REQUEST_ID)
        .and_then(|value| value.to_str().ok())
        .filter(|id| {
            (16..=64).contains(&id.len())
                && id
                    .bytes()
                    .all(|byte| byte.is_ascii_hexdigit() || byte == b'-')
        });
    match given {
        Some(id) => id.to_owned(),
        None => secret::random_uuid().unwrap_or_default(),
    }
}

/// A panic is a mistake of ours; the caller gets an answer all the same.
async fn catch_panics(request: Request, next: Next) -> Response {
    let mut answer = pin!(next.run(request));
    poll_fn(|context| {
        // After a panic the future is not touched again: what it held is dropped with it.
        catch_unwind(AssertUnwindSafe(|| answer.as_mut().poll(context))).unwrap_or_else(|_| {
            Poll::Ready(Error::internal("the handler panicked").into_response())
        })
    })
    .await
}

/// Refuses a version of an operation that this service does not speak (contract 9).
async fn check_version(request: Request, next: Next) -> Response {
    let resource = request
        .uri()
        .path()
        .strip_prefix("/v2/")
        .and_then(|rest| rest.split('/').next());
    let spoken = match resource {
        Some("slots") => "2024-09-04",
        Some("bookings") => "2024-08-13",
        Some("event-types") => "2024-06-14",
        Some("schedules") => "2024-06-11",
        _ => return next.run(request).await,
    };
    for name in ["svc-api-version", "cal-api-version"] {
        if let Some(asked) = request.headers().get(name)
            && asked.as_bytes() != spoken.as_bytes()
        {
            return Error::BadRequest(format!("{name} must be {spoken} for this operation"))
                .into_response();
        }
    }
    next.run(request).await
}

/// Contract 2.5.
fn cors() -> CorsLayer {
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
                // Tells visitors whose clocks are wrong which day it is.
                DATE,
                REQUEST_ID,
                RETRY_AFTER,
                IDEMPOTENCY_REPLAYED,
            ]
            .into_iter()
            .chain(limits::rate_headers())
            .collect::<Vec<_>>(),
        )
        .max_age(Duration::from_secs(86_400))
}

#[cfg(test)]
mod tests {
    use axum::body::Body;
    use tower::ServiceExt;

    use super::*;

    #[tokio::test]
    async fn a_panic_is_an_internal_error_that_every_page_can_read() {
        let fails = async || std::iter::empty::<&'static str>().next().unwrap();
        let router: Router = Router::new()
            .route("/", get(fails))
            .layer(from_fn(catch_panics))
            .layer(cors());
        let response = router.oneshot(Request::new(Body::empty())).await.unwrap();
        assert_eq!(response.status().as_u16(), 500);
        assert_eq!(response.headers()["access-control-allow-origin"], "*");
        assert!(response.extensions().get::<Error>().is_some());
    }
}
