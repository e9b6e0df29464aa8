//! Refresh of a managed user's tokens (contract 2.3).

use booking_wire::{JsonMap, TokenSet};

use crate::app::AppState;
use crate::auth::secret;
use crate::auth::token::{Grant, renew_pair};
use crate::error::{Error, Result};
use crate::store::credentials::{self, OauthClient, TokenKind};
use crate::validate::{Checks, Object};

/// Returns new tokens for the refresh token in `body`.
///
/// Reuse detection: if a refresh token is used twice, it or its successor has been stolen, and all
/// tokens of the same family are revoked.
pub async fn refresh(app: &AppState, client: &OauthClient, body: &JsonMap) -> Result<TokenSet> {
    let mut checks = Checks::default();
    let token = Object::new(body, "")
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
    let stored = credentials::token(&mut transaction, TokenKind::Refresh, &hash)
        .await?
        .filter(|stored| stored.oauth_client_id == client.id)
        .ok_or_else(unknown)?;
    let now = app.clock.now();
    if stored.used_ms.is_some() {
        if let Some(family) = &stored.family {
            credentials::delete_token_family(&mut transaction, family).await?;
        }
        transaction.commit().await?;
        tracing::warn!(
            user = stored.user_id,
            client = client.id,
            "a refresh token was presented twice: the tokens that come from it were revoked"
        );
        return Err(unknown());
    }
    if stored.expires_ms <= now.0 {
        return Err(Error::BadRequest("the refresh token has expired".into()));
    }
    let family = match stored.family {
        Some(family) => family,
        None => secret::random_uuid()?,
    };
    credentials::set_token_used(&mut transaction, &hash, Some(&family), now.0).await?;
    let grant = Grant {
        client_id: &client.id,
        user_id: stored.user_id,
        now,
        access_minutes: app.settings.access_minutes,
        refreshed: true,
    };
    let tokens = renew_pair(&mut transaction, &app.signing_key, grant, &family).await?;
    transaction.commit().await?;
    Ok(tokens)
}
