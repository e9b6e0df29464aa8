//! Use cases of managed users: an OAuth client creates them with its secret, and they act with
//! tokens of that client only.

use booking_wire::{CreatedManagedUser, DeletedManagedUser, JsonMap, ManagedUser, TokenSet};

use crate::api::{DEFAULT_TIME_ZONE, DEFAULT_WEEK_START};
use crate::app::AppState;
use crate::auth::secret;
use crate::auth::token::{Grant, issue_pair};
use crate::domain::users::delete::delete_users;
use crate::domain::users::profile;
use crate::error::{Error, Result};
use crate::store::people::accounts;
use crate::store::people::credentials::{self, OauthClient};
use crate::store::people::users::{self, EmailSource, NewUser, Profile};
use crate::store::{Db, Subject, duplicate_or};
use crate::validate::changes::Changes;
use crate::validate::{Checks, Query, check_emails, is_username, paging, slug_of};

/// The managed users of the client.
pub async fn list(client: &OauthClient, app: &AppState, query: &Query) -> Result<Vec<ManagedUser>> {
    let mut checks = Checks::default();
    let emails = query.list("emails").unwrap_or_default();
    // An unescaped "+" arrives as a space.
    let emails: Vec<String> = emails.iter().map(|email| email.replace(' ', "+")).collect();
    check_emails(&emails, &mut checks);
    let (take, skip) = paging(query, &mut checks);
    // Aliases of `take` and `skip`.
    let take = query.page_size("limit", &mut checks).unwrap_or(take);
    let skip = query
        .bounded("offset", 0..=i64::MAX, &mut checks)
        .unwrap_or(skip);
    checks.finish()?;
    let emails: Vec<String> = emails
        .iter()
        .map(|email| users::managed_email(email, &client.id))
        .collect();
    let mut db = app.store.read().await?;
    users::managed_by(&mut db, &client.id, &emails, take, skip).await
}

/// Creates a user with working hours from Monday to Friday, 9 to 17. Returns their first tokens.
pub async fn create(
    client: &OauthClient,
    app: &AppState,
    body: &JsonMap,
) -> Result<CreatedManagedUser> {
    let mut user = ManagedUser {
        time_format: DEFAULT_TIME_FORMAT,
        time_zone: DEFAULT_TIME_ZONE.into(),
        week_start: DEFAULT_WEEK_START.into(),
        ..ManagedUser::default()
    };
    let mut name = String::new();
    let mut changes = Changes::ignoring_unknown(body);
    changes.require("email", "isEmail", "must be an email");
    changes.require("name", "isString", "must be a string");
    profile::apply_changes(&mut user, &mut changes);
    if changes.checks.is_clean() {
        changes.name("name", &mut name);
    }
    changes.finish()?;

    let username = base_username(&user.email);
    // Users of other clients can have the same name.
    let subjects = [
        Subject::OauthClient(&client.id),
        Subject::Name(numberless(&username)),
    ];
    let mut transaction = app.store.begin(&subjects).await?;
    let email = users::managed_email(&user.email, &client.id);
    if users::email_is_taken(&mut transaction, &email, 0).await? {
        return Err(profile::email_taken_error());
    }
    let owner = accounts::me(&mut transaction, client.owner_id).await?;
    let stored = NewUser {
        username: free_username(&mut transaction, username).await?,
        email,
        name: Some(name),
        avatar_url: user.avatar_url,
        bio: user.bio,
        time_zone: user.time_zone,
        time_format: user.time_format,
        week_start: user.week_start,
        locale: user.locale,
        metadata: user.metadata,
        organization_id: owner.and_then(|owner| owner.organization_id),
        oauth_client_id: Some(client.id.clone()),
        is_admin: false,
        created: app.clock.now(),
    };
    let id = users::insert(&mut transaction, &stored)
        .await
        .map_err(|error| duplicate_or(error, profile::email_taken_error()))?;
    let user = managed_user(&mut transaction, client, id).await?.user;
    let grant = grant(app, client, id, false);
    let tokens = issue_pair(&mut transaction, &app.signing_key, grant).await?;
    transaction.commit().await?;
    Ok(CreatedManagedUser { user, tokens })
}

/// One of the client's users.
pub async fn show(client: &OauthClient, app: &AppState, user_id: i64) -> Result<ManagedUser> {
    let mut db = app.store.read().await?;
    let found = managed_user(&mut db, client, user_id).await?;
    Ok(found.user)
}

/// Updates one of the client's users.
pub async fn update(
    client: &OauthClient,
    app: &AppState,
    user_id: i64,
    body: &JsonMap,
) -> Result<ManagedUser> {
    let mut transaction = app.store.begin(&[Subject::Person(user_id)]).await?;
    let found = managed_user(&mut transaction, client, user_id).await?;
    let user =
        profile::update_profile(&mut transaction, found, body, EmailSource::Platform).await?;
    transaction.commit().await?;
    Ok(user)
}

/// Deletes one of the client's users with their schedules, event types and tokens.
pub async fn delete(
    client: &OauthClient,
    app: &AppState,
    user_id: i64,
) -> Result<DeletedManagedUser> {
    let mut transaction = app.store.begin(&[Subject::LeavingPerson(user_id)]).await?;
    let user = managed_user(&mut transaction, client, user_id).await?.user;
    let bookings = delete_users(&mut transaction, &[user.id], app.clock.now()).await?;
    transaction.commit().await?;
    Ok(DeletedManagedUser { user, bookings })
}

/// Issues new tokens for one of the client's users and revokes all earlier ones.
pub async fn force_refresh(client: &OauthClient, app: &AppState, user_id: i64) -> Result<TokenSet> {
    let mut transaction = app.store.begin(&[Subject::Person(user_id)]).await?;
    let found = managed_user(&mut transaction, client, user_id).await?;
    credentials::delete_tokens_of(&mut transaction, found.user.id).await?;
    let grant = grant(app, client, found.user.id, true);
    let tokens = issue_pair(&mut transaction, &app.signing_key, grant).await?;
    transaction.commit().await?;
    Ok(tokens)
}

/// Returns a user of this client. Users of other clients count as missing.
async fn managed_user(db: &mut Db, client: &OauthClient, user_id: i64) -> Result<Profile> {
    users::profile(db, user_id)
        .await?
        .filter(|profile| profile.oauth_client_id.as_ref() == Some(&client.id))
        .ok_or_else(|| Error::not_found("User", user_id))
}

fn grant<'a>(app: &AppState, client: &'a OauthClient, user_id: i64, refreshed: bool) -> Grant<'a> {
    Grant {
        client_id: &client.id,
        user_id,
        now: app.clock.now(),
        access_minutes: app.settings.access_minutes,
        refreshed,
    }
}

/// Hours of the clock of a new user.
const DEFAULT_TIME_FORMAT: i64 = 12;

/// Largest number that is appended to a user name; beyond it, the suffix is random.
const MAX_NUMBERED_NAMES: i64 = 20;

/// Returns a user name from an e-mail address, which may be taken.
fn base_username(email: &str) -> String {
    let local = email.split('@').next().unwrap_or_default();
    slug_of(local).unwrap_or_else(|| "user".into())
}

/// Returns a user name without the number that [`free_username`] may have added to it.
fn numberless(username: &str) -> &str {
    username.trim_end_matches(|character: char| character.is_ascii_digit() || character == '-')
}

/// Returns a free user name, with a number if it is taken.
async fn free_username(db: &mut Db, base: String) -> Result<String> {
    let mut username = base.clone();
    let mut number = 2_i64;
    while !is_username(&username) || users::username_is_taken(db, &username, 0).await? {
        // With many equal names, counting takes too long: use a random suffix.
        username = if number <= MAX_NUMBERED_NAMES {
            format!("{base}-{number}")
        } else {
            format!("{base}-{}", secret::hex(&secret::random_bytes::<4>()?))
        };
        number += 1;
    }
    Ok(username)
}
