//! Users whom a platform manages (contract 2.2). They are made by an OAuth client with its
//! secret, and act with tokens of that client alone.

use booking_wire::{DeletedManagedUser, JsonMap, MadeManagedUser, ManagedUser, TokenSet};
use serde_json::json;

use crate::app::AppState;
use crate::auth::secret;
use crate::auth::token::{Grant, issue_pair};
use crate::error::{Error, Result};
use crate::input_limits::MAX_FILTER_EMAILS;
use crate::store::credentials::{self, Client};
use crate::store::users::{self, NewUser, Profile, Vouched};
use crate::store::{self, Db, accounts};
use crate::users::deletion::delete_users;
use crate::users::profile;
use crate::validate::changes::Changes;
use crate::validate::{Checks, Query, is_email, paging, slug_of};

/// The users whom the client manages.
pub async fn list(client: &Client, app: &AppState, query: &Query) -> Result<Vec<ManagedUser>> {
    let mut checks = Checks::default();
    query.ignore_unknown(&["emails", "take", "skip", "limit", "offset"]);
    let emails = query.list("emails").unwrap_or_default();
    if emails.len() > MAX_FILTER_EMAILS {
        let complaint = format!("must be at most {MAX_FILTER_EMAILS}");
        checks.complain("emails", &json!(emails.len()), "arrayMaxSize", &complaint);
    }
    // A "+" that was not escaped arrived as a space.
    let emails: Vec<String> = emails.iter().map(|email| email.replace(' ', "+")).collect();
    if let Some(wrong) = emails.iter().find(|email| !is_email(email)) {
        let complaint = "must be e-mail addresses";
        checks.complain("emails", &json!(wrong), "isEmail", complaint);
    }
    let (take, skip) = paging(query, &mut checks);
    // What the two are called as well.
    let take = query.bounded("limit", 1..=250, &mut checks).unwrap_or(take);
    let skip = query
        .bounded("offset", 0..=i64::MAX, &mut checks)
        .unwrap_or(skip);
    checks.finish()?;
    let emails: Vec<String> = emails
        .iter()
        .map(|email| users::managed_email(email, &client.id))
        .collect();
    let mut db = app.store.read().await?;
    let found = users::managed_by(&mut db, &client.id, &emails, take, skip).await?;
    Ok(found)
}

/// Makes a user with working hours from Monday to Friday, 9 to 17, and gives their first tokens.
pub async fn create(client: &Client, app: &AppState, body: &JsonMap) -> Result<MadeManagedUser> {
    let mut user = ManagedUser {
        time_format: 12,
        time_zone: "Europe/London".into(),
        week_start: "Sunday".into(),
        ..ManagedUser::default()
    };
    let mut name = String::new();
    let mut changes = Changes::of(body, &KEYS);
    changes.require("email", "isEmail", "must be an email");
    changes.require("name", "isString", "must be a string");
    profile::describe(&mut user, &mut changes);
    if changes.checks.is_clean() {
        changes.name("name", &mut name);
    }
    changes.finish()?;

    let mut transaction = app.store.begin().await?;
    let email = users::managed_email(&user.email, &client.id);
    if users::email_is_taken(&mut transaction, &email, 0).await? {
        return Err(profile::email_is_taken());
    }
    let owner = accounts::me(&mut transaction, client.owner_id).await?;
    let stored = NewUser {
        username: free_username(&mut transaction, &user.email).await?,
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
        .map_err(|error| {
            if store::is_duplicate(&error) {
                profile::email_is_taken()
            } else {
                error.into()
            }
        })?;
    let user = managed(&mut transaction, client, id).await?.user;
    let tokens = issue_pair(
        &mut transaction,
        &app.signing_key,
        grant(app, client, id, false),
    )
    .await?;
    transaction.commit().await?;
    let made = MadeManagedUser { user, tokens };
    Ok(made)
}

/// One of the client's users.
pub async fn show(client: &Client, app: &AppState, user_id: i64) -> Result<ManagedUser> {
    let mut db = app.store.read().await?;
    let found = managed(&mut db, client, user_id).await?;
    Ok(found.user)
}

/// Changes one of the client's users.
pub async fn edit(
    client: &Client,
    app: &AppState,
    user_id: i64,
    body: &JsonMap,
) -> Result<ManagedUser> {
    let mut transaction = app.store.begin().await?;
    let found = managed(&mut transaction, client, user_id).await?;
    let user = profile::change(&mut transaction, found, body, Vouched::ByPlatform).await?;
    transaction.commit().await?;
    Ok(user)
}

/// Deletes one of the client's users with what is theirs alone.
pub async fn delete(client: &Client, app: &AppState, user_id: i64) -> Result<DeletedManagedUser> {
    let mut transaction = app.store.begin().await?;
    let user = managed(&mut transaction, client, user_id).await?.user;
    let bookings = delete_users(&mut transaction, &[user.id], app.clock.now()).await?;
    transaction.commit().await?;
    Ok(DeletedManagedUser { user, bookings })
}

/// Gives one of the client's users new tokens; all earlier ones are useless at once.
pub async fn force_refresh(client: &Client, app: &AppState, user_id: i64) -> Result<TokenSet> {
    let mut transaction = app.store.begin().await?;
    let found = managed(&mut transaction, client, user_id).await?;
    credentials::delete_tokens_of(&mut transaction, found.user.id).await?;
    let grant = grant(app, client, found.user.id, true);
    let tokens = issue_pair(&mut transaction, &app.signing_key, grant).await?;
    transaction.commit().await?;
    Ok(tokens)
}

const KEYS: [&str; 9] = [
    "email",
    "name",
    "timeFormat",
    "weekStart",
    "timeZone",
    "locale",
    "avatarUrl",
    "bio",
    "metadata",
];

/// A user of this client; another client's users do not exist for it.
async fn managed(db: &mut Db, client: &Client, user_id: i64) -> Result<Profile> {
    users::profile(db, user_id)
        .await?
        .filter(|profile| profile.oauth_client_id.as_ref() == Some(&client.id))
        .ok_or_else(|| Error::not_found("User", user_id))
}

fn grant<'a>(app: &AppState, client: &'a Client, user_id: i64, refreshed: bool) -> Grant<'a> {
    Grant {
        client_id: &client.id,
        user_id,
        now: app.clock.now(),
        access_minutes: app.settings.access_minutes,
        refreshed,
    }
}

/// A user name made of the address; with a number if somebody has it.
async fn free_username(db: &mut Db, email: &str) -> Result<String> {
    let local = email.split('@').next().unwrap_or_default();
    let wish = slug_of(local).unwrap_or_else(|| "user".into());
    let mut username = wish.clone();
    let mut number = 2_i64;
    while users::username_is_taken(db, &username, 0).await? {
        // Where many share a name, counting on would take ever longer.
        username = if number <= 20 {
            format!("{wish}-{number}")
        } else {
            format!("{wish}-{}", secret::hex(&secret::random_bytes::<4>()?))
        };
        number += 1;
    }
    Ok(username)
}
