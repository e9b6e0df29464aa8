//! Renewal of a managed user's tokens (contract 2.3).

use axum::Json;
use axum::extract::State;
use axum::http::HeaderMap;
use booking_wire::{Envelope, RefreshTokens, TokenSet};

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::PathParams;
use crate::app::AppState;
use crate::auth::secret;
use crate::auth::token::{Grant, renew_pair};
use crate::error::{Error, Result};
use crate::extract::calling_client;
use crate::store::credentials::{self, TokenKind};
use crate::validate::{Checks, JsonObject, Object};

/// Operations of this family.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new().routes(routes!(refresh))
}

/// Renews a managed user's tokens.
///
/// The presented refresh token dies at once; the last access token lives until its own expiry.
/// A refresh token that is presented a second time has been stolen, or its successor has: all
/// tokens that come from the same first one end.
#[utoipa::path(
    post,
    path = "/v2/oauth/{clientId}/refresh",
    tag = "Managed users",
    params(("clientId" = String, Path)),
    request_body = RefreshTokens,
    responses((status = 200, body = Envelope<TokenSet>)),
)]
pub async fn refresh(
    State(app): State<AppState>,
    path: PathParams,
    headers: HeaderMap,
    JsonObject(body): JsonObject,
) -> Result<Json<Envelope<TokenSet>>> {
    let client = calling_client(&app, &headers, path.text("clientId")).await?;
    let mut checks = Checks::default();
    let token = Object::new(&body, "")
        .required_text("refreshToken", &mut checks)
        .unwrap_or_default();
    checks.finish()?;

    let unknown = || {
        Error::BadRequest("the refresh token is unknown, used already, or another client's".into())
    };
    app.signing_key
        .read(token)
        .filter(|claims| claims.kind == TokenKind::Refresh)
        .ok_or_else(unknown)?;
    let hash = secret::hash(token);
    let mut transaction = app.store.begin().await?;
    let known = credentials::token(&mut transaction, TokenKind::Refresh, &hash)
        .await?
        .filter(|known| known.oauth_client_id == client.id)
        .ok_or_else(unknown)?;
    let now = app.clock.now();
    if known.used_ms.is_some() {
        if let Some(family) = &known.family {
            credentials::delete_family(&mut transaction, family).await?;
        }
        transaction.commit().await?;
        tracing::warn!(
            user = known.user_id,
            client = client.id,
            "a refresh token was presented twice: the tokens that come from it were revoked"
        );
        return Err(unknown());
    }
    if known.expires_ms <= now.0 {
        return Err(Error::BadRequest("the refresh token has expired".into()));
    }
    let family = match known.family {
        Some(family) => family,
        None => secret::random_uuid()?,
    };
    credentials::use_up(&mut transaction, &hash, Some(&family), now.0).await?;
    let grant = Grant {
        client_id: &client.id,
        user_id: known.user_id,
        now,
        access_minutes: app.settings.access_minutes,
        refreshed: true,
    };
    let tokens = renew_pair(&mut transaction, &app.signing_key, grant, &family).await?;
    transaction.commit().await?;
    Ok(Json(Envelope::success(tokens)))
}
