//! The demo account for the app, and the pictures of the demo's people, with `--demo` only.

use axum::Json;
use axum::Router;
use axum::extract::State;
use axum::http::header::{
    CACHE_CONTROL, CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, HeaderName, X_CONTENT_TYPE_OPTIONS,
};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use serde::Serialize;

use crate::app::AppState;
use crate::auth::token::{Grant, issue};
use crate::domain::demo;
use crate::error::{Error, Result};
use crate::limits::client_ip::{self, url_host};
use crate::settings::DEFAULT_ACCESS_MINUTES;
use crate::store::Subject;
use crate::store::people::credentials::TokenKind;

/// Data that the app needs to act for the demo account. It has no API key and no refresh token.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct AccountResponse {
    base_url: String,
    access_token: String,
    org_id: i64,
    team_id: i64,
    username: &'static str,
    event_types: Vec<demo::EventTypeName>,
}

/// A new access token.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct TokenResponse {
    access_token: String,
}

/// Routes of the account and of the pictures.
pub fn routes() -> Router<AppState> {
    let account = Router::new()
        .route("/demo.json", get(account))
        .route("/demo/token", post(token));
    demo::PICTURES
        .into_iter()
        .fold(account, |routes, (path, image)| {
            routes.route(
                path,
                get(async move |State(app): State<AppState>| picture(&app, image)),
            )
        })
}

/// Responds with a picture, which pages of other origins may show.
fn picture(app: &AppState, image: &'static str) -> Result<Response> {
    if !app.settings.demo {
        return Err(Error::NotFound("there is no demo here".into()));
    }
    let headers = [
        (CONTENT_TYPE, "image/svg+xml"),
        (CACHE_CONTROL, "public, max-age=3600"),
        (CONTENT_SECURITY_POLICY, "default-src 'none'"),
        (X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (
            HeaderName::from_static("cross-origin-resource-policy"),
            "cross-origin",
        ),
    ];
    Ok((headers, image).into_response())
}

/// GET /demo.json. 204 without a demo: each page of the app asks for it, and browsers report a 404 as an error.
async fn account(State(app): State<AppState>, headers: HeaderMap) -> Result<Response> {
    if !app.settings.demo {
        return Ok(StatusCode::NO_CONTENT.into_response());
    }
    authorise(&app, &headers)?;
    let access_token = access_token(&app, app.settings.access_minutes).await?;
    let mut db = app.store.read().await?;
    Ok(Json(AccountResponse {
        base_url: app.settings.base_url.clone(),
        access_token,
        org_id: demo::ORGANIZATION_ID,
        team_id: demo::TEAM_ID,
        username: demo::USERNAME,
        event_types: demo::event_types(&mut db).await?,
    })
    .into_response())
}

/// POST /demo/token: replaces token renewal on a company's server. Its tokens are valid for the
/// default time, independent of the configuration.
async fn token(State(app): State<AppState>, headers: HeaderMap) -> Result<Json<TokenResponse>> {
    authorise(&app, &headers)?;
    Ok(Json(TokenResponse {
        access_token: access_token(&app, DEFAULT_ACCESS_MINUTES).await?,
    }))
}

/// Rejects requests without `--demo`, and requests with another host in `Host`: they come from a
/// page whose host name has been bound to this service's address (DNS rebinding). Rejects
/// forwarded requests, unless the demo is public: a proxy may set `Host` to this machine's name.
pub(super) fn authorise(app: &AppState, headers: &HeaderMap) -> Result<()> {
    if !app.settings.demo {
        return Err(Error::NotFound("there is no demo account here".into()));
    }
    if !app.settings.demo_in_public && client_ip::is_forwarded(headers) {
        return Err(Error::Forbidden(
            "the demo account is for the service's own machine: --demo-in-public offers it through a proxy".into(),
        ));
    }
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let service_host = client_ip::host_name(url_host(&app.settings.base_url));
    let is_own = |host: &str| {
        client_ip::names_loopback(host)
            || client_ip::host_name(host).eq_ignore_ascii_case(service_host)
    };
    if host.is_some_and(is_own) {
        Ok(())
    } else {
        Err(Error::Forbidden(format!(
            "the demo account is for pages of {} only",
            app.settings.base_url
        )))
    }
}

async fn access_token(app: &AppState, access_minutes: i64) -> Result<String> {
    let grant = Grant {
        client_id: demo::CLIENT_ID,
        user_id: demo::MANAGER_ID,
        now: app.clock.now(),
        access_minutes,
        refreshed: false,
    };
    let mut transaction = app
        .store
        .begin(&[Subject::Person(demo::MANAGER_ID)])
        .await?;
    let (token, _) = issue(&mut transaction, &app.signing_key, grant, TokenKind::Access).await?;
    transaction.commit().await?;
    Ok(token)
}
