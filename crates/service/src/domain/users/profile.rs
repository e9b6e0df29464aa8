//! Use cases of the caller's profile, and the fields of users that can be set.

use booking_wire::{JsonMap, LOCALES, ManagedUser, Me};

use crate::app::AppState;
use crate::auth::Caller;
use crate::error::{Error, Result};
use crate::store::people::accounts;
use crate::store::people::users::{self, EmailSource, Profile};
use crate::store::{Db, Subject, duplicate_or};
use crate::validate::changes::{Changes, TIME_FORMAT_MESSAGE, time_format};
use crate::validate::integer;

/// The caller's profile.
pub async fn show(app: &AppState, caller: &Caller) -> Result<Me> {
    let mut db = app.store.read().await?;
    let me = accounts::me(&mut db, caller.user_id).await?;
    me.ok_or(USER_MISSING)
}

/// Updates the caller's profile.
pub async fn update(app: &AppState, caller: &Caller, body: &JsonMap) -> Result<Me> {
    let mut transaction = app.store.begin(&[Subject::Person(caller.user_id)]).await?;
    let profile = users::profile(&mut transaction, caller.user_id)
        .await?
        .ok_or(USER_MISSING)?;
    update_profile(&mut transaction, profile, body, EmailSource::User).await?;
    let me = accounts::me(&mut transaction, caller.user_id).await?;
    transaction.commit().await?;
    me.ok_or(USER_MISSING)
}

const USER_MISSING: Error = Error::Unauthorized("the user is gone");

/// Applies `body` to a profile and stores it.
pub async fn update_profile(
    db: &mut Db,
    profile: Profile,
    body: &JsonMap,
    email_source: EmailSource,
) -> Result<ManagedUser> {
    let mut user = profile.user;
    let mut changes = Changes::ignoring_unknown(body);
    apply_changes(&mut user, &mut changes);
    let before = user.default_schedule_id;
    changes.set(
        "defaultScheduleId",
        &mut user.default_schedule_id,
        "isNumber",
        "must be a whole number",
        |value| integer(value).map(Some),
    );
    if let Some(id) = user.default_schedule_id
        && user.default_schedule_id != before
        && !users::owns_schedule(db, user.id, id).await?
    {
        let message = "must be one of the user's own schedules";
        changes
            .checks
            .report("defaultScheduleId", &id.into(), "exists", message);
    }
    let mut allows_dynamic_bookings = false;
    changes.flag("allowDynamicBooking", &mut allows_dynamic_bookings);
    changes.finish()?;
    if body.contains_key("allowDynamicBooking") {
        users::set_allow_dynamic_bookings(db, user.id, allows_dynamic_bookings).await?;
    }
    if let Some(client_id) = &profile.oauth_client_id
        && body.contains_key("email")
    {
        user.email = users::managed_email(&user.email, client_id);
    }
    // A platform verifies the addresses that it sets, not unchanged ones.
    let email_source = match body.contains_key("email") {
        true => email_source,
        false => EmailSource::User,
    };
    // An address set by the user is unverified. Do not report that it is taken: that would reveal
    // accounts.
    if email_source == EmailSource::Platform
        && users::email_is_taken(db, &user.email, user.id).await?
    {
        return Err(email_taken_error());
    }
    users::update(db, &user, email_source)
        .await
        .map_err(|error| duplicate_or(error, email_taken_error()))?;
    if let (Some(id), true) = (user.default_schedule_id, body.contains_key("timeZone")) {
        users::set_schedule_zone(db, id, &user.time_zone).await?;
    }
    Ok(user)
}

/// Applies the changes that new and existing users have in common.
pub fn apply_changes(user: &mut ManagedUser, changes: &mut Changes<'_>) {
    changes.email("email", &mut user.email);
    changes.optional_name("name", &mut user.name);
    changes.set(
        "timeFormat",
        &mut user.time_format,
        "isIn",
        TIME_FORMAT_MESSAGE,
        time_format,
    );
    changes.week_start("weekStart", &mut user.week_start);
    changes.zone("timeZone", &mut user.time_zone);
    changes.one_of("locale", &mut user.locale, &LOCALES);
    changes.url("avatarUrl", &mut user.avatar_url);
    changes.text("bio", &mut user.bio);
    changes.metadata("metadata", &mut user.metadata);
}

/// Error: another account has the e-mail address.
pub fn email_taken_error() -> Error {
    Error::Conflict("another user has this e-mail address".into())
}
