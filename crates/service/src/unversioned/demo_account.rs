//! The demo account, offered to the app under `--demo` only.

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use axum::http::header::HOST;
use serde::Serialize;

use crate::app::AppState;
use crate::auth::token::{Grant, issue};
use crate::client_ip::{self, url_host};
use crate::demo;
use crate::error::{Error, Result};
use crate::settings::ACCESS_MINUTES;
use crate::store::credentials::TokenKind;

/// What the app needs to act for the demo account. Neither key nor refresh token is in it.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Account {
    base_url: String,
    access_token: String,
    org_id: i64,
    team_id: i64,
    username: &'static str,
    event_types: Vec<demo::NamedEventType>,
}

/// A fresh access token.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FreshToken {
    access_token: String,
}

/// GET /demo.json
pub async fn account(State(app): State<AppState>, headers: HeaderMap) -> Result<Json<Account>> {
    authorise(&app, &headers)?;
    let access_token = access_token(&app, app.settings.access_minutes).await?;
    let mut db = app.store.read().await?;
    Ok(Json(Account {
        base_url: app.settings.base_url.clone(),
        access_token,
        org_id: demo::ORGANIZATION_ID,
        team_id: demo::TEAM_ID,
        username: demo::USERNAME,
        event_types: demo::named_event_types(&mut db).await?,
    }))
}

/// POST /demo/token: stands in for the renewal on a company's own server. Its tokens are good
/// for the usual hour, whatever the service is configured to.
pub async fn token(State(app): State<AppState>, headers: HeaderMap) -> Result<Json<FreshToken>> {
    authorise(&app, &headers)?;
    Ok(Json(FreshToken {
        access_token: access_token(&app, ACCESS_MINUTES).await?,
    }))
}

/// Refuses a service without a demo, and a page of another site whose name has been bound to this
/// service's address (DNS rebinding): its requests carry that name in `Host`. Refuses what a proxy
/// forwards, unless the demo is in public: the proxy may write this machine's name into `Host`.
fn authorise(app: &AppState, headers: &HeaderMap) -> Result<()> {
    if !app.settings.demo {
        return Err(Error::NotFound("there is no demo account here".into()));
    }
    if !app.settings.demo_in_public && client_ip::is_forwarded(headers) {
        return Err(Error::Forbidden(
            "the demo account is for the service's own machine: --demo-in-public offers it through a proxy".into(),
        ));
    }
    let host = headers.get(HOST).and_then(|host| host.to_str().ok());
    let own = client_ip::host_name(url_host(&app.settings.base_url));
    let is_own = |host: &str| {
        client_ip::names_loopback(host) || client_ip::host_name(host).eq_ignore_ascii_case(own)
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
    let mut transaction = app.store.begin().await?;
    let (token, _) = issue(&mut transaction, &app.signing_key, grant, TokenKind::Access).await?;
    transaction.commit().await?;
    Ok(token)
}
