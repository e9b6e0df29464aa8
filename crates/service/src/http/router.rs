//! Routes of the service and their middleware.

use axum::Router;
use axum::extract::DefaultBodyLimit;
use axum::http::header::{CACHE_CONTROL, HeaderValue, X_CONTENT_TYPE_OPTIONS};
use axum::http::{Method, Uri};
use axum::middleware::{from_fn, from_fn_with_state};
use axum::routing::get;
use tower_http::CompressionLevel;
use tower_http::compression::CompressionLayer;
use tower_http::set_header::SetResponseHeaderLayer;

use crate::app::AppState;
use crate::error::Error;
use crate::error::redaction::redacted;
use crate::http::assets::{self, Assets};
use crate::http::middleware::api_version::check_version;
use crate::http::middleware::cal_names::write_cal_names;
use crate::http::middleware::catch_panic::catch_panic;
use crate::http::middleware::concurrency_limit::concurrency_limit;
use crate::http::middleware::cors::cors;
use crate::http::middleware::proxy_warning::warn_of_proxy;
use crate::http::middleware::rate_limit::rate_limit;
use crate::http::middleware::responses::finish;
use crate::http::unversioned::{demo_account, demo_mail, health, mail_pages, pictures};
use crate::http::{openapi, v1};
use crate::input_limits::{MAX_BODY_BYTES, MAX_PUBLIC_BODY_BYTES};

/// Router of the service: the API, and the files in `assets`.
pub fn router(app: AppState, assets: &Assets) -> Router {
    let api = openapi::router()
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
        .layer(from_fn_with_state(app.clone(), concurrency_limit))
        .layer(from_fn_with_state(app.clone(), rate_limit))
        // Responses contain tokens, secrets and personal data; URLs of version 1 contain API keys.
        .layer(SetResponseHeaderLayer::if_not_present(
            CACHE_CONTROL,
            HeaderValue::from_static("no-store"),
        ))
        .layer(SetResponseHeaderLayer::overriding(
            X_CONTENT_TYPE_OPTIONS,
            HeaderValue::from_static("nosniff"),
        ))
        // Reduces the slots of a month to a tenth of their size.
        .layer(CompressionLayer::new().quality(CompressionLevel::Fastest))
        .with_state(app.clone());
    // Without CORS: pages of other origins must not read tokens and messages.
    let demo_mail = demo_mail::routes()
        .layer(from_fn_with_state(app.clone(), concurrency_limit))
        .layer(from_fn_with_state(app.clone(), rate_limit));
    let demo_account = demo_account::routes()
        .merge(demo_mail)
        .method_not_allowed_fallback(async || Error::MethodNotAllowed)
        .with_state(app.clone());
    // Without CORS: pages of other origins must not read what a link gives access to.
    let mail_pages = mail_pages::routes()
        .layer(DefaultBodyLimit::max(MAX_PUBLIC_BODY_BYTES))
        .layer(from_fn_with_state(app.clone(), concurrency_limit))
        .layer(from_fn_with_state(app.clone(), rate_limit))
        .layer(catch_panic())
        .layer(from_fn_with_state(app.clone(), mail_pages::finish_page))
        .with_state(app.clone());
    let pictures = pictures::routes()
        .layer(from_fn_with_state(app.clone(), concurrency_limit))
        .layer(from_fn_with_state(app.clone(), rate_limit))
        .with_state(app.clone());
    api.merge(assets::router(app.clone(), assets))
        .merge(pictures)
        // Inside CORS, so that pages of other origins can read the error.
        .layer(catch_panic())
        .layer(cors())
        .merge(demo_account)
        .merge(mail_pages)
        .merge(health::routes().with_state(app.clone()))
        .layer(from_fn_with_state(app.clone(), warn_of_proxy))
        // Outermost, so that preflights and errors have a request id, too.
        .layer(from_fn_with_state(app, finish))
}

/// Router with health checks and metrics only, for a separate port.
pub fn health_router(app: AppState) -> Router {
    health::routes()
        .with_state(app.clone())
        .layer(from_fn_with_state(app, finish))
}

async fn unknown_path(method: Method, uri: Uri) -> Error {
    let path = redacted(uri.path());
    Error::NotFound(format!("Cannot {method} {path}"))
}
