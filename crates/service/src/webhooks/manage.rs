//! Use cases of webhooks (contract 3.6): those of users, event types, organisations and OAuth
//! clients have the same operations.

use booking_wire::{JsonMap, Webhook};

use crate::app::AppState;
use crate::auth::access::Subject;
use crate::auth::{self, Caller, secret};
use crate::error::{Error, Result};
use crate::input_limits::MAX_WEBHOOKS;
use crate::store::webhooks::{self, Owner, Stored};
use crate::store::{self, Db, accounts, deliveries, event_types};
use crate::validate::{Checks, Object, Query, paging};
use crate::webhooks::input;

/// The owner of webhooks as a path names it, with the credentials of the request.
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
        /// The team that the path names.
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
    /// Returns the owner, once the caller may do with its webhooks what they ask for.
    async fn authorised(&self, db: &mut Db) -> Result<Owner> {
        match self {
            Self::User(caller) => caller
                .authorise(db, &Subject::of_user(caller.user_id))
                .await
                .map(|()| Owner::User(caller.user_id)),
            Self::EventType {
                caller,
                id,
                team_id,
            } => event_type(db, caller, *id, *team_id)
                .await
                .map(|()| Owner::EventType(*id)),
            Self::Organization { caller, id } => {
                if !accounts::organization_exists(db, *id).await? {
                    return Err(Error::not_found("Organization", id));
                }
                caller
                    .authorise(db, &Subject::of_organization(*id))
                    .await
                    .map(|()| Owner::Organization(*id))
            }
            Self::OauthClient { id, secret } => {
                let client = auth::authenticate_client(db, id, secret).await?;
                Ok(Owner::OauthClient(client.id))
            }
        }
    }
}

/// Refuses a caller who may not do this with the webhooks of that event type, and an event type
/// that is not the team's.
async fn event_type(db: &mut Db, caller: &Caller, id: i64, team_id: Option<i64>) -> Result<()> {
    let missing = || Error::not_found("Event type", id);
    if let Some(team_id) = team_id {
        if accounts::team(db, team_id).await?.is_none() {
            return Err(Error::not_found("Team", team_id));
        }
        // First of all: strangers are not told what a team has.
        caller.authorise(db, &Subject::of_team(team_id)).await?;
    }
    let found = event_types::get(db, id).await?.ok_or_else(missing)?.wire;
    if team_id.is_some() {
        return if found.team_id == team_id {
            Ok(())
        } else {
            Err(missing())
        };
    }
    let subject = Subject {
        user_ids: match found.team_id {
            Some(_) => Vec::new(),
            None => found.owner_id.into_iter().collect(),
        },
        team_id: found.team_id,
        organization_id: None,
    };
    match caller.authorise(db, &subject).await {
        // Strangers are not told of what is hidden.
        Err(Error::Forbidden(_)) if found.hidden => Err(missing()),
        other => other,
    }
}

/// Lists the webhooks of an owner, oldest first.
pub async fn list(app: &AppState, owner: &OwnerPath, query: &Query) -> Result<Vec<Webhook>> {
    let mut db = app.store.read().await?;
    let owner = owner.authorised(&mut db).await?;
    let mut checks = Checks::default();
    query.ignore_unknown(&["take", "skip"]);
    let (take, skip) = paging(query, &mut checks);
    checks.finish()?;
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
    Ok(with_secret(app, own(&mut db, &owner, id).await?))
}

/// Creates a webhook.
pub async fn create(app: &AppState, owner: &OwnerPath, body: &JsonMap) -> Result<Webhook> {
    let mut transaction = app.store.begin().await?;
    let owner = owner.authorised(&mut transaction).await?;
    let webhook = input::new(Object::new(body, ""), input::TRIGGERS)?;
    let webhook = store_new(app, &mut transaction, owner, webhook).await?;
    transaction.commit().await?;
    Ok(webhook)
}

/// Changes the keys of a webhook that `body` has.
pub async fn edit(app: &AppState, owner: &OwnerPath, id: &str, body: &JsonMap) -> Result<Webhook> {
    let mut transaction = app.store.begin().await?;
    let owner = owner.authorised(&mut transaction).await?;
    let before = own(&mut transaction, &owner, id).await?;
    let shown = with_secret(app, before.clone());
    let mut after = input::changed(&shown, Object::new(body, ""), input::TRIGGERS)?;
    if has_recovered(&shown, &after) {
        after.last_problem = None;
    }
    let has_secret = body.contains_key("secret");
    store_changed(app, &mut transaction, &before, &after, has_secret).await?;
    transaction.commit().await?;
    Ok(after)
}

/// Deletes a webhook and returns it.
pub async fn remove(app: &AppState, owner: &OwnerPath, id: &str) -> Result<Webhook> {
    let mut transaction = app.store.begin().await?;
    let owner = owner.authorised(&mut transaction).await?;
    let webhook = with_secret(app, own(&mut transaction, &owner, id).await?);
    webhooks::delete(&mut transaction, &webhook.id).await?;
    transaction.commit().await?;
    Ok(webhook)
}

/// Deletes all webhooks of an owner and returns a message with their number.
pub async fn remove_all(app: &AppState, owner: &OwnerPath) -> Result<String> {
    let mut transaction = app.store.begin().await?;
    let owner = owner.authorised(&mut transaction).await?;
    let deleted = webhooks::delete_all(&mut transaction, &owner).await?;
    transaction.commit().await?;
    Ok(format!("{deleted} webhooks deleted"))
}

/// Gives a webhook its id and its owner and stores it.
pub async fn store_new(
    app: &AppState,
    db: &mut Db,
    owner: Owner,
    mut webhook: Webhook,
) -> Result<Webhook> {
    if webhooks::count(db, &owner).await? >= MAX_WEBHOOKS {
        return Err(Error::BadRequest(format!(
            "there are {MAX_WEBHOOKS} webhooks here already, which is as many as there can be"
        )));
    }
    webhook.id = secret::random_uuid()?;
    match owner {
        Owner::User(id) => webhook.user_id = Some(id),
        Owner::EventType(id) => webhook.event_type_id = Some(id),
        Owner::Organization(id) => {
            webhook.organization_id = Some(id);
            webhook.team_id = Some(id);
        }
        Owner::OauthClient(id) => webhook.oauth_client_id = Some(id),
    }
    let stored = sealed(app, &webhook)?;
    webhooks::insert(db, &stored, app.clock.now())
        .await
        .map_err(|error| refusal(error, &webhook))?;
    Ok(webhook)
}

/// Stores the changes to a webhook; its secret only if `has_secret`. When it is switched off, its
/// waiting messages are dropped: nobody expects old ones when it is switched on again. Switched on
/// again, or with another address, it has no failures.
pub async fn store_changed(
    app: &AppState,
    db: &mut Db,
    before: &Stored,
    after: &Webhook,
    has_secret: bool,
) -> Result<()> {
    let mut stored = sealed(app, after)?;
    if !has_secret {
        // As it is, even if it cannot be opened.
        stored.sealed.clone_from(&before.sealed);
    }
    webhooks::update(db, &stored)
        .await
        .map_err(|error| refusal(error, after))?;
    if before.webhook.active && !after.active {
        deliveries::drop_waiting(db, &after.id).await?;
    }
    if has_recovered(&before.webhook, after) {
        webhooks::forget_failures(db, &after.id).await?;
    }
    Ok(())
}

/// Tells if the failures so far say nothing about a changed webhook.
fn has_recovered(before: &Webhook, after: &Webhook) -> bool {
    after.active && !before.active || after.subscriber_url != before.subscriber_url
}

/// A stored webhook as its owner sees it. A secret that cannot be opened is not shown: the key is
/// not the one that it was sealed with, and a new secret has to be set.
pub fn with_secret(app: &AppState, stored: Stored) -> Webhook {
    let Stored {
        mut webhook,
        sealed,
    } = stored;
    webhook.secret = sealed.and_then(|sealed| app.sealing_key.unseal(&sealed, &webhook.id).ok());
    webhook
}

fn sealed(app: &AppState, webhook: &Webhook) -> Result<Stored> {
    let sealed = webhook
        .secret
        .as_ref()
        .map(|secret| app.sealing_key.seal(secret, &webhook.id))
        .transpose()?;
    Ok(Stored {
        webhook: webhook.clone(),
        sealed,
    })
}

async fn own(db: &mut Db, owner: &Owner, id: &str) -> Result<Stored> {
    webhooks::get(db, owner, id)
        .await?
        .ok_or_else(|| Error::not_found("Webhook", id))
}

fn refusal(error: sqlx::Error, webhook: &Webhook) -> Error {
    if store::is_duplicate(&error) {
        Error::Conflict(format!(
            "there is a webhook for the subscriberUrl {} already",
            webhook.subscriber_url
        ))
    } else {
        error.into()
    }
}
