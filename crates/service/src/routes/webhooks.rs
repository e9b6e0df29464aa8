//! Webhooks of people, event types, organisations and OAuth clients (contract 3.6).
//!
//! All of them have the same operations: [`described`] names their paths, [`input`] reads their
//! bodies, what they do is here.

pub mod described;
pub mod input;

use axum::extract::FromRequestParts;
use axum::http::Uri;
use axum::http::request::Parts;
use booking_wire::{JsonMap, Webhook};
use utoipa_axum::router::OpenApiRouter;

use super::{PathParams, paging};
use crate::app::AppState;
use crate::auth::access::Subject;
use crate::auth::{self, Caller, secret};
use crate::error::{Error, Result};
use crate::input_limits::MAX_WEBHOOKS;
use crate::store::webhooks::{Owner, Stored};
use crate::store::{self, Db, accounts, deliveries, event_types, webhooks};
use crate::validate::{Checks, Object, Query};

/// Operations of this family.
pub fn routes() -> OpenApiRouter<AppState> {
    described::routes()
}

/// Who asks: somebody with credentials of their own, or an OAuth client by its secret.
#[derive(Debug)]
pub enum Asker {
    /// For what they own or help to run.
    Person(Caller),
    /// The client in the path.
    Client {
        /// As it was presented.
        secret: String,
    },
}

impl FromRequestParts<AppState> for Asker {
    type Rejection = Error;

    async fn from_request_parts(parts: &mut Parts, app: &AppState) -> Result<Self> {
        let path = PathParams::from_request_parts(parts, app).await?;
        if path.text("clientId").is_empty() {
            return Caller::from_request_parts(parts, app)
                .await
                .map(Self::Person);
        }
        let secret = auth::prefixed(&parts.headers, "secret-key")
            .ok_or(Error::Unauthorized("the client secret header is missing"))?;
        Ok(Self::Client {
            secret: secret.to_owned(),
        })
    }
}

impl Asker {
    /// Whose webhooks the path names, once the asker may do with them what they ask.
    async fn owner(&self, db: &mut Db, path: &PathParams) -> Result<Owner> {
        let caller = match self {
            Self::Person(caller) => caller,
            Self::Client { secret } => {
                let client = auth::authenticate_client(db, path.text("clientId"), secret).await?;
                return Ok(Owner::OauthClient(client.id));
            }
        };
        if let Some(id) = path.optional_id("orgId")? {
            if !accounts::organization_exists(db, id).await? {
                return Err(Error::not_found("Organization", id));
            }
            caller
                .authorise(db, &Subject::of_organization(id))
                .await
                .map(|()| Owner::Organization(id))
        } else if let Some(id) = path.optional_id("eventTypeId")? {
            let team_id = path.optional_id("teamId")?;
            event_type(db, caller, id, team_id)
                .await
                .map(|()| Owner::EventType(id))
        } else {
            caller
                .authorise(db, &Subject::of_user(caller.user_id))
                .await
                .map(|()| Owner::User(caller.user_id))
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

async fn list(app: &AppState, asker: &Asker, path: &PathParams, uri: &Uri) -> Result<Vec<Webhook>> {
    let mut db = app.store.read().await?;
    let owner = asker.owner(&mut db, path).await?;
    let query = Query::of(uri);
    let mut checks = Checks::default();
    query.ignore_unknown(&["take", "skip"]);
    let (take, skip) = paging(&query, &mut checks);
    checks.finish()?;
    let stored = webhooks::list(&mut db, &owner, take, skip).await?;
    Ok(stored
        .into_iter()
        .map(|stored| with_secret(app, stored))
        .collect())
}

async fn show(app: &AppState, asker: &Asker, path: &PathParams) -> Result<Webhook> {
    let mut db = app.store.read().await?;
    let owner = asker.owner(&mut db, path).await?;
    Ok(with_secret(app, own(&mut db, &owner, path).await?))
}

async fn create(
    app: &AppState,
    asker: &Asker,
    path: &PathParams,
    body: &JsonMap,
) -> Result<Webhook> {
    let mut transaction = app.store.begin().await?;
    let owner = asker.owner(&mut transaction, path).await?;
    let webhook = input::new(Object::new(body, ""), input::TRIGGERS)?;
    let webhook = store_new(app, &mut transaction, owner, webhook).await?;
    transaction.commit().await?;
    Ok(webhook)
}

async fn edit(app: &AppState, asker: &Asker, path: &PathParams, body: &JsonMap) -> Result<Webhook> {
    let mut transaction = app.store.begin().await?;
    let owner = asker.owner(&mut transaction, path).await?;
    let before = own(&mut transaction, &owner, path).await?;
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

async fn remove(app: &AppState, asker: &Asker, path: &PathParams) -> Result<Webhook> {
    let mut transaction = app.store.begin().await?;
    let owner = asker.owner(&mut transaction, path).await?;
    let webhook = with_secret(app, own(&mut transaction, &owner, path).await?);
    webhooks::delete(&mut transaction, &webhook.id).await?;
    transaction.commit().await?;
    Ok(webhook)
}

async fn remove_all(app: &AppState, asker: &Asker, path: &PathParams) -> Result<String> {
    let mut transaction = app.store.begin().await?;
    let owner = asker.owner(&mut transaction, path).await?;
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
pub fn has_recovered(before: &Webhook, after: &Webhook) -> bool {
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

async fn own(db: &mut Db, owner: &Owner, path: &PathParams) -> Result<Stored> {
    let id = path.text("webhookId");
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
