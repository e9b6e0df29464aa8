//! Use cases of the deliveries of a webhook: list and resend.

use booking_wire::{DeliveryStatus, Instant, WebhookDelivery};

use super::manage::{OwnerPath, owned_webhook};
use super::message_id::{delivery_id, message_id};
use super::switch_off::public_problem;
use crate::app::AppState;
use crate::error::{Error, Result};
use crate::store::Db;
use crate::store::messages::delivery_history::{self, ListedDelivery};
use crate::validate::query::paging;
use crate::validate::{Checks, Query};

/// Lists the deliveries of a webhook, newest first.
pub async fn list(
    app: &AppState,
    owner: &OwnerPath,
    webhook_id: &str,
    query: &Query,
) -> Result<Vec<WebhookDelivery>> {
    let mut db = app.store.read().await?;
    let owner = owner.authorised(&mut db).await?;
    let webhook = owned_webhook(&mut db, &owner, webhook_id).await?.webhook;
    let mut checks = Checks::default();
    let (take, skip) = paging(query, &mut checks);
    let statuses = DeliveryStatus::ALL.map(|status| (status.as_str(), status));
    let status = query.one_of("status", &statuses, &mut checks);
    checks.finish()?;
    let listed = delivery_history::of_webhook(&mut db, &webhook.id, status, take, skip).await?;
    Ok(listed.into_iter().map(public_delivery).collect())
}

/// Makes a message that waits or was given up due at once, with all attempts, and returns it.
pub async fn resend(
    app: &AppState,
    owner: &OwnerPath,
    webhook_id: &str,
    id: &str,
) -> Result<WebhookDelivery> {
    // Excludes a deactivation of the webhook, which drops waiting messages.
    let mut transaction = app.store.begin(&[owner.subject()]).await?;
    let owner = owner.authorised(&mut transaction).await?;
    let webhook = owned_webhook(&mut transaction, &owner, webhook_id)
        .await?
        .webhook;
    let listed = find(&mut transaction, &webhook.id, id).await?;
    if !webhook.active {
        let message = "the webhook is not active: activate it before messages are resent";
        return Err(Error::Conflict(message.into()));
    }
    if !delivery_history::retry(&mut transaction, listed.id, app.clock.now()).await? {
        let message =
            "the message was delivered: its payload is deleted then, so it cannot be resent";
        return Err(Error::Conflict(message.into()));
    }
    let resent = find(&mut transaction, &webhook.id, id).await?;
    transaction.commit().await?;
    Ok(public_delivery(resent))
}

async fn find(db: &mut Db, webhook_id: &str, id: &str) -> Result<ListedDelivery> {
    let found = match delivery_id(id) {
        Some(number) => delivery_history::get(db, webhook_id, number).await?,
        None => None,
    };
    found
        .filter(|found| public_id(found) == id)
        .ok_or_else(|| Error::not_found("Delivery", id))
}

fn public_id(listed: &ListedDelivery) -> String {
    message_id(&listed.webhook_id, listed.created_ms, listed.id)
}

fn public_delivery(listed: ListedDelivery) -> WebhookDelivery {
    let status = DeliveryStatus::parse(&listed.status).unwrap_or_default();
    WebhookDelivery {
        id: public_id(&listed),
        trigger_event: listed.trigger_name,
        status,
        attempts: listed.attempts,
        created_at: Instant(listed.created_ms),
        next_attempt_at: listed.due_ms.map(Instant),
        last_status: listed.last_status,
        last_problem: listed
            .last_problem
            .map(|problem| public_problem(&problem).to_owned()),
        delivered_at: listed
            .settled_ms
            .filter(|_| status == DeliveryStatus::Delivered)
            .map(Instant),
    }
}
