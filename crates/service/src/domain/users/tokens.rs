//! Refresh of a managed user's tokens (`POST /v2/oauth/{clientId}/refresh`).

use booking_wire::{Instant, JsonMap, TokenSet};

use crate::app::AppState;
use crate::auth::secret;
use crate::auth::token::{Grant, Pair};
use crate::error::{Error, Result};
use crate::store::Subject;
use crate::store::people::credentials::{self, OauthClient, TokenKind};
use crate::validate::{Checks, Object};

/// Time after the first use of a refresh token in which it has the same answer, in milliseconds.
const REPEAT_MS: i64 = 10_000;

/// Returns new tokens for the refresh token in `body`.
///
/// A request that comes again at once, from another tab or after a lost response, gets the same new tokens. A refresh token
/// that is used later, or after its successor, has been stolen, or its successor has: all tokens of the same family are
/// revoked.
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
    let mut transaction = app.store.begin(&[Subject::Token(&hash)]).await?;
    let stored = credentials::token(&mut transaction, TokenKind::Refresh, &hash)
        .await?
        .filter(|stored| stored.oauth_client_id == client.id)
        .ok_or_else(unknown)?;
    let now = app.clock.now();
    let grant = Grant {
        client_id: &client.id,
        user_id: stored.user_id,
        now: Instant(stored.used_ms.unwrap_or(now.0)),
        access_minutes: app.settings.access_minutes,
        refreshed: true,
    };
    if let Some(used_ms) = stored.used_ms {
        // Another replica may have used another key.
        for key in app.signing_key.each() {
            let pair = Pair::after(token, &key, grant)?;
            let next = secret::hash(pair.refresh_token());
            let next = credentials::token(&mut transaction, TokenKind::Refresh, &next).await?;
            let is_unused = next.is_some_and(|next| next.used_ms.is_none());
            if is_unused && (now.0 - used_ms).abs() <= REPEAT_MS {
                return Ok(pair.into());
            }
        }
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
    let pair = Pair::after(token, &app.signing_key, grant)?;
    credentials::set_token_used(&mut transaction, &hash, Some(&family), now.0).await?;
    pair.store(&mut transaction, grant, &family).await?;
    transaction.commit().await?;
    Ok(pair.into())
}
