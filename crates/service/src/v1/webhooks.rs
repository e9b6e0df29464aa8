//! Webhooks of people and of event types.

use booking_wire::v1::{Webhook, WebhookInput};
use serde_json::{Value, json};

use super::call::{Call, complaint};
use super::operation::{Operation, delete, get, patch, post, run};
use crate::auth::access::Needs::{self, Caller};
use crate::auth::access::Subject;
use crate::error::{Error, Result};
use crate::store::Db;
use crate::store::event_types::record;
use crate::store::webhooks::{self, Owner, Stored};
use crate::validate::Object;
use crate::webhooks::input;
use crate::webhooks::manage::{store_changed, store_new, with_secret};

/// The key of the list of triggers.
const TRIGGERS: &str = "eventTriggers";

const WORDS: [&str; 5] = [
    "subscriberUrl",
    TRIGGERS,
    "active",
    "payloadTemplate",
    "secret",
];

/// Operations of this resource.
pub(super) const OPERATIONS: &[Operation] = &[
    get("/v1/webhooks", run!(list))
        .about("The webhooks of the caller and of their event types.")
        .needs(Caller)
        .asks(&[super::users::WHOSE])
        .lists::<Webhook>("webhooks")
        .replaced_by("/v2/webhooks"),
    post("/v1/webhooks", run!(create))
        .about("Makes a webhook of the caller, or of an event type.")
        .needs(Needs::Owner("webhook.create"))
        .takes::<WebhookInput>(
            &["subscriberUrl", TRIGGERS, "active"],
            &["payloadTemplate", "secret", "eventTypeId", "userId"],
        )
        .makes::<Webhook>("webhook", "Webhook created successfully")
        .replaced_by("/v2/webhooks"),
    get("/v1/webhooks/{id}", run!(show))
        .about("One webhook, without its secret.")
        .needs(Needs::Owner("webhook.read"))
        .gives::<Webhook>("webhook")
        .replaced_by("/v2/webhooks/{id}"),
    patch("/v1/webhooks/{id}", run!(edit))
        .about("Changes a webhook; what is absent stays as it is.")
        .needs(Needs::Owner("webhook.update"))
        .takes::<WebhookInput>(&[], &WORDS)
        .gives::<Webhook>("webhook")
        .replaced_by("/v2/webhooks/{id}"),
    delete("/v1/webhooks/{id}", run!(remove))
        .about("Deletes a webhook.")
        .needs(Needs::Owner("webhook.delete"))
        .replaced_by("/v2/webhooks/{id}"),
];

async fn list(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    let whose = call.whose(&mut db).await?;
    let found = webhooks::of_people(&mut db, &whose).await?;
    Ok(found
        .into_iter()
        .map(|stored| json!(written(stored.webhook)))
        .collect())
}

async fn show(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    Ok(json!(written(own(&call, &mut db).await?.webhook)))
}

async fn create(call: Call) -> Result<Value> {
    let mut transaction = call.begin().await?;
    let db = &mut *transaction;
    let user_id = call.beneficiary(db).await?;
    let owner = match call.number("eventTypeId")? {
        Some(id) => {
            let unknown = || complaint("eventTypeId", "is no event type");
            let (subject, is_hidden) = event_type(db, id).await?.ok_or_else(unknown)?;
            match call.authorise(db, &subject).await {
                // A hidden event type is not admitted to exist.
                Err(Error::Forbidden(_)) if is_hidden => return Err(unknown()),
                verdict => verdict?,
            }
            Owner::EventType(id)
        }
        None => Owner::User(user_id),
    };
    let body = call.only(&WORDS);
    let webhook = input::new(Object::new(&body, ""), TRIGGERS)?;
    let made = store_new(&call.app, db, owner, webhook).await?;
    transaction.commit().await?;
    Ok(json!(written(made)))
}

async fn edit(call: Call) -> Result<Value> {
    let mut transaction = call.begin().await?;
    let db = &mut *transaction;
    let before = own(&call, db).await?;
    let shown = with_secret(&call.app, before.clone());
    let after = input::changed(&shown, Object::new(&call.body, ""), TRIGGERS)?;
    let has_secret = call.body.contains_key("secret");
    store_changed(&call.app, db, &before, &after, has_secret).await?;
    transaction.commit().await?;
    Ok(json!(written(after)))
}

async fn remove(call: Call) -> Result<Value> {
    let mut transaction = call.begin().await?;
    let id = own(&call, &mut transaction).await?.webhook.id;
    webhooks::delete(&mut transaction, &id).await?;
    transaction.commit().await?;
    Ok(json!(format!("Webhook {id} deleted")))
}

/// The webhook in the path, once the caller may do with it what they ask.
async fn own(call: &Call, db: &mut Db) -> Result<Stored> {
    let id = call.path.text("id");
    let missing = || Error::not_found("Webhook", id);
    let stored = webhooks::by_id(db, id).await?.ok_or_else(missing)?;
    let subject = match (stored.webhook.user_id, stored.webhook.event_type_id) {
        (Some(user_id), _) => Subject::of_user(user_id),
        (None, Some(id)) => event_type(db, id).await?.ok_or_else(missing)?.0,
        (None, None) => return Err(missing()),
    };
    call.authorise(db, &subject).await?;
    Ok(stored)
}

/// Owner of an event type, and whether it is hidden.
async fn event_type(db: &mut Db, id: i64) -> Result<Option<(Subject, bool)>> {
    let known = record::get(db, id).await?;
    Ok(known.map(|known| {
        let subject = match known.owner {
            record::Owner::User(user_id) => Subject::of_user(user_id),
            record::Owner::Team(team_id) => Subject::of_team(team_id),
        };
        (subject, known.is_hidden())
    }))
}

fn written(webhook: booking_wire::Webhook) -> Webhook {
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
