//! The demo account, offered to the app under `--demo` only.

use axum::Json;
use axum::extract::State;
use serde::Serialize;

use crate::auth::token::{ACCESS_MINUTES, Grant, issue};
use crate::demo;
use crate::error::{Error, Result};
use crate::router::App;
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
pub async fn account(State(app): State<App>) -> Result<Json<Account>> {
    only_in_demo(&app)?;
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
pub async fn token(State(app): State<App>) -> Result<Json<FreshToken>> {
    only_in_demo(&app)?;
    Ok(Json(FreshToken {
        access_token: access_token(&app, ACCESS_MINUTES).await?,
    }))
}

fn only_in_demo(app: &App) -> Result<()> {
    if app.settings.demo {
        Ok(())
    } else {
        Err(Error::NotFound("there is no demo account here".into()))
    }
}

async fn access_token(app: &App, access_minutes: i64) -> Result<String> {
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
