//! Switches off webhooks that fail for too long or have too many waiting messages.

use super::http_client::NotPublic;
use super::retries_and_limits::{MAX_GIVEN_UP, MAX_WAITING, MIN_FAILING_MS};
use crate::app::AppState;
use crate::error::Result;
use crate::store::messages::deliveries::{self, Attempt, Outcome};
use crate::store::messages::webhooks::{self, Failures};
use crate::store::{Db, Subject};

/// Records the outcome of an attempt at the webhook, and counts given-up messages. If they are too many, switches it off and
/// returns them.
pub async fn count_failure(db: &mut Db, attempt: &Attempt) -> Result<Option<Failures>> {
    let id = &attempt.webhook_id;
    let problem = match &attempt.outcome {
        Outcome::Delivered { note } => {
            webhooks::record_delivery(db, id, note.as_deref()).await?;
            return Ok(None);
        }
        Outcome::Retry { problem, .. } => {
            webhooks::record_problem(db, id, public_problem(problem)).await?;
            return Ok(None);
        }
        Outcome::GivenUp { problem } => problem,
    };
    let failures = webhooks::record_failure(db, id, public_problem(problem), attempt.at).await?;
    let too_many = failures.filter(|failures| {
        failures.given_up >= MAX_GIVEN_UP
            && attempt.at.0 - failures.failing_since_ms >= MIN_FAILING_MS
    });
    if too_many.is_some() {
        webhooks::deactivate(db, id, public_problem(problem)).await?;
    }
    Ok(too_many)
}

/// Switches off the webhooks with too many waiting messages.
pub async fn check_backlogs(app: &AppState) -> Result<()> {
    let mut db = app.store.read().await?;
    let overfull = deliveries::overfull_webhooks(&mut db, MAX_WAITING).await?;
    drop(db);
    for id in overfull {
        let mut transaction = app.store.begin(&[Subject::Rows]).await?;
        let problem = "too many messages were waiting";
        webhooks::deactivate(&mut transaction, &id, problem).await?;
        transaction.commit().await?;
        tracing::warn!(
            webhook = id,
            "a webhook was switched off: too many messages were waiting"
        );
    }
    Ok(())
}

/// Problem text for the owner of the webhook. It does not reveal that a name resolves to a
/// private network.
pub(super) fn public_problem(problem: &str) -> &str {
    if problem == NotPublic.to_string() {
        "could not connect"
    } else {
        problem
    }
}
