//! Renewal of a managed user's tokens (contract 2.3).

use booking_wire::{JsonMap, TokenSet};

use crate::app::AppState;
use crate::auth::secret;
use crate::auth::token::{Grant, renew_pair};
use crate::error::{Error, Result};
use crate::store::credentials::{self, Client, TokenKind};
use crate::validate::{Checks, Object};

/// Renews the tokens that belong to the refresh token in `body`.
///
/// A refresh token that is presented a second time has been stolen, or its successor has: all
/// tokens that come from the same first one are revoked.
pub async fn refresh(app: &AppState, client: &Client, body: &JsonMap) -> Result<TokenSet> {
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
    Ok(tokens)
}
