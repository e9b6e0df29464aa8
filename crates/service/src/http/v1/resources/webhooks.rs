//! Webhooks of users and of event types.

use booking_wire::v1::{Webhook, WebhookInput};
use serde_json::{Value, json};

use crate::auth::access::Requirement::{self, Caller};
use crate::auth::access::Resource;
use crate::error::{Error, Result};
use crate::http::v1::call::{Call, validation_error};
use crate::http::v1::operation::{Operation, delete, get, handler, patch, post};
use crate::messages::webhooks::input;
use crate::messages::webhooks::manage::{store_changed, store_new, with_secret};
use crate::store::event_types::record;
use crate::store::messages::webhooks::{self, StoredWebhook, WebhookOwner};
use crate::store::{Db, Subject};
use crate::validate::Object;

/// Key of the list of triggers.
const TRIGGERS_KEY: &str = "eventTriggers";

const SETTINGS_KEYS: [&str; 5] = [
    "subscriberUrl",
    TRIGGERS_KEY,
    "active",
    "payloadTemplate",
    "secret",
];

/// Operations of this resource.
pub(crate) const OPERATIONS: &[Operation] = &[
    get("/v1/webhooks", handler!(list))
        .summary("Webhooks of the caller and of their event types.")
        .requires(Caller)
        .query(&[super::users::USER_ID_FILTER])
        .returns_list::<Webhook>("webhooks")
        .replaced_by("/v2/webhooks"),
    post("/v1/webhooks", handler!(create))
        .summary("Creates a webhook of the caller or of an event type.")
        .requires(Requirement::Owner("webhook.create"))
        .input::<WebhookInput>(
            &["subscriberUrl", TRIGGERS_KEY, "active"],
            &["payloadTemplate", "secret", "eventTypeId", "userId"],
        )
        .returns_created::<Webhook>("webhook", "Webhook created successfully")
        .replaced_by("/v2/webhooks"),
    get("/v1/webhooks/{id}", handler!(show))
        .summary("One webhook, without its secret.")
        .requires(Requirement::Owner("webhook.read"))
        .returns::<Webhook>("webhook")
        .replaced_by("/v2/webhooks/{id}"),
    patch("/v1/webhooks/{id}", handler!(edit))
        .summary("Changes a webhook; absent keys stay unchanged.")
        .requires(Requirement::Owner("webhook.update"))
        .input::<WebhookInput>(&[], &SETTINGS_KEYS)
        .returns::<Webhook>("webhook")
        .replaced_by("/v2/webhooks/{id}"),
    delete("/v1/webhooks/{id}", handler!(remove))
        .summary("Deletes a webhook.")
        .requires(Requirement::Owner("webhook.delete"))
        .replaced_by("/v2/webhooks/{id}"),
];

async fn list(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    let user_filter = call.user_filter(&mut db).await?;
    let webhooks = webhooks::of_users(&mut db, &user_filter).await?;
    Ok(webhooks
        .into_iter()
        .map(|stored| json!(response(stored.webhook)))
        .collect())
}

async fn show(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    Ok(json!(response(
        load_authorised(&call, &mut db).await?.webhook
    )))
}

async fn create(call: Call) -> Result<Value> {
    let mut transaction = call.begin(&[new_webhook(&call)]).await?;
    let db = &mut *transaction;
    let user_id = call.target_user_id(db).await?;
    let owner = match call.positive_integer("eventTypeId")? {
        Some(id) => {
            let unknown = || validation_error("eventTypeId", "is no event type");
            let (resource, is_hidden) = event_type(db, id).await?.ok_or_else(unknown)?;
            match call.authorise(db, &resource).await {
                // A hidden event type is treated as unknown.
                Err(Error::Forbidden(_)) if is_hidden => return Err(unknown()),
                verdict => verdict?,
            }
            WebhookOwner::EventType(id)
        }
        None => WebhookOwner::User(user_id),
    };
    let body = call.body_subset(&SETTINGS_KEYS);
    let webhook = input::new(&Object::new(&body, ""), TRIGGERS_KEY)?;
    let created = store_new(&call.app, db, owner, webhook).await?;
    transaction.commit().await?;
    Ok(json!(response(created)))
}

/// Returns the subject of a new webhook: its event type, or its owner.
fn new_webhook(call: &Call) -> Subject<'static> {
    match call.positive_integer("eventTypeId").ok().flatten() {
        Some(id) => Subject::EventType(id),
        None => Subject::Person(call.target_user("userId")),
    }
}

async fn edit(call: Call) -> Result<Value> {
    let mut transaction = call
        .begin(&[Subject::Webhook(call.path.text("id"))])
        .await?;
    let db = &mut *transaction;
    let before = load_authorised(&call, db).await?;
    let current = with_secret(&call.app, before.clone());
    let after = input::changed(&current, &Object::new(&call.body, ""), TRIGGERS_KEY)?;
    let has_secret = call.body.contains_key("secret");
    store_changed(&call.app, db, &before, &after, has_secret).await?;
    transaction.commit().await?;
    Ok(json!(response(after)))
}

async fn remove(call: Call) -> Result<Value> {
    let mut transaction = call
        .begin(&[Subject::Webhook(call.path.text("id"))])
        .await?;
    let id = load_authorised(&call, &mut transaction).await?.webhook.id;
    webhooks::delete(&mut transaction, &id).await?;
    transaction.commit().await?;
    Ok(json!(format!("Webhook {id} deleted")))
}

/// Loads the webhook in the path; rejects callers without access.
async fn load_authorised(call: &Call, db: &mut Db) -> Result<StoredWebhook> {
    let id = call.path.text("id");
    let missing = || Error::not_found("Webhook", id);
    let stored = webhooks::by_id(db, id).await?.ok_or_else(missing)?;
    let resource = match (stored.webhook.user_id, stored.webhook.event_type_id) {
        (Some(user_id), _) => Resource::of_user(user_id),
        (None, Some(id)) => event_type(db, id).await?.ok_or_else(missing)?.0,
        (None, None) => return Err(missing()),
    };
    call.authorise(db, &resource).await?;
    Ok(stored)
}

/// Resource of an event type, and true if it is hidden.
async fn event_type(db: &mut Db, id: i64) -> Result<Option<(Resource, bool)>> {
    let event_type = record::get(db, id).await?;
    Ok(event_type.map(|record| (Resource::of_owner(record.owner), record.is_hidden())))
}

fn response(webhook: booking_wire::Webhook) -> Webhook {
    Webhook {
        id: webhook.id,
        user_id: webhook.user_id,
        event_type_id: webhook.event_type_id,
        subscriber_url: webhook.subscriber_url,
        event_triggers: webhook.triggers,
        active: webhook.active,
        payload_template: webhook.payload_template,
    }
}
