//! Use cases of webhooks. Webhooks of users, event types, organisations and OAuth clients have the
//! same operations.

use booking_wire::{JsonMap, Webhook};

use crate::app::AppState;
use crate::auth::access::Resource;
use crate::auth::{self, Caller, secret};
use crate::error::{Error, Result};
use crate::input_limits::MAX_WEBHOOKS;
use crate::messages::webhooks::input;
use crate::store;
use crate::store::messages::webhooks::{self, StoredWebhook, WebhookOwner};
use crate::store::people::accounts;
use crate::store::{Db, Subject, event_types};
use crate::validate::{Object, Query};

/// The owner of webhooks in a path, with the credentials of the request.
#[derive(Debug)]
pub enum OwnerPath {
    /// The caller.
    User(Caller),
    /// An event type of the caller or of a team.
    EventType {
        /// The caller.
        caller: Caller,
        /// The event type.
        id: i64,
        /// The team in the path.
        team_id: Option<i64>,
    },
    /// An organisation.
    Organization {
        /// The caller.
        caller: Caller,
        /// The organisation.
        id: i64,
    },
    /// An OAuth client, which authenticates with its secret.
    OauthClient {
        /// The client.
        id: String,
        /// The client's secret, as sent.
        secret: String,
    },
}

impl OwnerPath {
    /// Returns the subject of writes of the owner's webhooks.
    pub(super) fn subject(&self) -> Subject<'_> {
        match self {
            Self::User(caller) => Subject::Person(caller.user_id),
            Self::EventType { id, .. } => Subject::EventType(*id),
            Self::Organization { id, .. } => Subject::Organization(*id),
            Self::OauthClient { id, .. } => Subject::OauthClient(id),
        }
    }

    /// Returns the owner, after checking the caller's permission for the operation.
    pub(super) async fn authorised(&self, db: &mut Db) -> Result<WebhookOwner> {
        match self {
            Self::User(caller) => caller
                .authorise(db, &Resource::of_user(caller.user_id))
                .await
                .map(|()| WebhookOwner::User(caller.user_id)),
            Self::EventType {
                caller,
                id,
                team_id,
            } => authorise_event_type(db, caller, *id, *team_id)
                .await
                .map(|()| WebhookOwner::EventType(*id)),
            Self::Organization { caller, id } => {
                accounts::check_organization(db, *id).await?;
                caller
                    .authorise(db, &Resource::of_organization(*id))
                    .await
                    .map(|()| WebhookOwner::Organization(*id))
            }
            Self::OauthClient { id, secret } => {
                let client = auth::authenticate_client(db, id, secret).await?;
                Ok(WebhookOwner::OauthClient(client.id))
            }
        }
    }
}

/// Rejects callers without permission for the operation on webhooks of the event type, and an event
/// type of another team.
async fn authorise_event_type(
    db: &mut Db,
    caller: &Caller,
    id: i64,
    team_id: Option<i64>,
) -> Result<()> {
    let missing = || Error::not_found("Event type", id);
    if let Some(team_id) = team_id {
        if accounts::team(db, team_id).await?.is_none() {
            return Err(Error::not_found("Team", team_id));
        }
        // Authorise first, so that the response does not reveal event types of the team.
        caller.authorise(db, &Resource::of_team(team_id)).await?;
    }
    let found = event_types::get(db, id).await?.ok_or_else(missing)?.wire;
    if team_id.is_some() {
        return if found.team_id == team_id {
            Ok(())
        } else {
            Err(missing())
        };
    }
    let resource = Resource {
        user_ids: match found.team_id {
            Some(_) => Vec::new(),
            None => found.owner_id.into_iter().collect(),
        },
        team_id: found.team_id,
        organization_id: None,
    };
    match caller.authorise(db, &resource).await {
        // Do not reveal that a hidden event type exists.
        Err(Error::Forbidden(_)) if found.hidden => Err(missing()),
        result => result,
    }
}

/// Lists the webhooks of an owner, oldest first.
pub async fn list(app: &AppState, owner: &OwnerPath, query: &Query) -> Result<Vec<Webhook>> {
    let mut db = app.store.read().await?;
    let owner = owner.authorised(&mut db).await?;
    let (take, skip) = query.page()?;
    let stored = webhooks::list(&mut db, &owner, take, skip).await?;
    Ok(stored
        .into_iter()
        .map(|stored| with_secret(app, stored))
        .collect())
}

/// Returns one webhook.
pub async fn show(app: &AppState, owner: &OwnerPath, id: &str) -> Result<Webhook> {
    let mut db = app.store.read().await?;
    let owner = owner.authorised(&mut db).await?;
    Ok(with_secret(app, owned_webhook(&mut db, &owner, id).await?))
}

/// Creates a webhook.
pub async fn create(app: &AppState, owner: &OwnerPath, body: &JsonMap) -> Result<Webhook> {
    let mut transaction = app.store.begin(&[owner.subject()]).await?;
    let owner = owner.authorised(&mut transaction).await?;
    let webhook = input::new(&Object::new(body, ""), input::TRIGGERS)?;
    let webhook = store_new(app, &mut transaction, owner, webhook).await?;
    transaction.commit().await?;
    Ok(webhook)
}

/// Updates the properties of a webhook that `body` contains.
pub async fn update(
    app: &AppState,
    owner: &OwnerPath,
    id: &str,
    body: &JsonMap,
) -> Result<Webhook> {
    let mut transaction = app.store.begin(&[owner.subject()]).await?;
    let owner = owner.authorised(&mut transaction).await?;
    let before = owned_webhook(&mut transaction, &owner, id).await?;
    let current = with_secret(app, before.clone());
    let mut after = input::changed(&current, &Object::new(body, ""), input::TRIGGERS)?;
    if has_recovered(&current, &after) {
        after.last_problem = None;
    }
    let has_secret = body.contains_key("secret");
    store_changed(app, &mut transaction, &before, &after, has_secret).await?;
    transaction.commit().await?;
    Ok(after)
}

/// Deletes a webhook and returns it.
pub async fn delete(app: &AppState, owner: &OwnerPath, id: &str) -> Result<Webhook> {
    let mut transaction = app.store.begin(&[owner.subject()]).await?;
    let owner = owner.authorised(&mut transaction).await?;
    let webhook = with_secret(app, owned_webhook(&mut transaction, &owner, id).await?);
    webhooks::delete(&mut transaction, &webhook.id).await?;
    transaction.commit().await?;
    Ok(webhook)
}

/// Deletes all webhooks of an owner and returns a message with their count.
pub async fn delete_all(app: &AppState, owner: &OwnerPath) -> Result<String> {
    let mut transaction = app.store.begin(&[owner.subject()]).await?;
    let owner = owner.authorised(&mut transaction).await?;
    let deleted = webhooks::delete_all(&mut transaction, &owner).await?;
    transaction.commit().await?;
    Ok(format!("{deleted} webhooks deleted"))
}

/// Sets the id and the owner of a webhook and inserts it.
pub async fn store_new(
    app: &AppState,
    db: &mut Db,
    owner: WebhookOwner,
    mut webhook: Webhook,
) -> Result<Webhook> {
    if webhooks::count(db, &owner).await? >= MAX_WEBHOOKS {
        return Err(Error::BadRequest(format!(
            "there are {MAX_WEBHOOKS} webhooks here already, which is as many as there can be"
        )));
    }
    webhook.id = secret::random_uuid()?;
    match owner {
        WebhookOwner::User(id) => webhook.user_id = Some(id),
        WebhookOwner::EventType(id) => webhook.event_type_id = Some(id),
        WebhookOwner::Organization(id) => {
            webhook.organization_id = Some(id);
            webhook.team_id = Some(id);
        }
        WebhookOwner::OauthClient(id) => webhook.oauth_client_id = Some(id),
    }
    let stored = seal_secret(app, &webhook)?;
    webhooks::insert(db, &stored, app.clock.now())
        .await
        .map_err(|error| duplicate_error(error, &webhook))?;
    Ok(webhook)
}

/// Stores the changes to a webhook; its secret only if `has_secret`. After deactivation,
/// maintenance drops its waiting messages, which would be out of date later. Activation or another URL resets its failures.
pub async fn store_changed(
    app: &AppState,
    db: &mut Db,
    before: &StoredWebhook,
    after: &Webhook,
    has_secret: bool,
) -> Result<()> {
    let mut stored = seal_secret(app, after)?;
    if !has_secret {
        // Keep the secret, even if it cannot be decrypted.
        stored.sealed.clone_from(&before.sealed);
    }
    webhooks::update(db, &stored)
        .await
        .map_err(|error| duplicate_error(error, after))?;
    if has_recovered(&before.webhook, after) {
        webhooks::reset_failures(db, &after.id).await?;
    }
    Ok(())
}

/// Returns true if earlier failures do not apply to a changed webhook.
fn has_recovered(before: &Webhook, after: &Webhook) -> bool {
    after.active && !before.active || after.subscriber_url != before.subscriber_url
}

/// Returns a stored webhook with its decrypted secret. A secret that was encrypted with another key
/// is left out: a new one has to be set.
pub fn with_secret(app: &AppState, stored: StoredWebhook) -> Webhook {
    let StoredWebhook {
        mut webhook,
        sealed,
    } = stored;
    webhook.secret = sealed.and_then(|sealed| app.sealing_key.unseal(&sealed, &webhook.id).ok());
    webhook
}

fn seal_secret(app: &AppState, webhook: &Webhook) -> Result<StoredWebhook> {
    let sealed = webhook
        .secret
        .as_ref()
        .map(|secret| app.sealing_key.seal(secret, &webhook.id))
        .transpose()?;
    Ok(StoredWebhook {
        webhook: webhook.clone(),
        sealed,
    })
}

pub(super) async fn owned_webhook(
    db: &mut Db,
    owner: &WebhookOwner,
    id: &str,
) -> Result<StoredWebhook> {
    webhooks::get(db, owner, id)
        .await?
        .ok_or_else(|| Error::not_found("Webhook", id))
}

fn duplicate_error(error: sqlx::Error, webhook: &Webhook) -> Error {
    let url = &webhook.subscriber_url;
    let message = format!("there is a webhook for the subscriberUrl {url} already");
    store::duplicate_or(error, Error::Conflict(message))
}
