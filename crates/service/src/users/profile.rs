//! The caller's own profile (contract 3.6).

use booking_wire::{JsonMap, LOCALES, ManagedUser, Me};

use crate::app::AppState;
use crate::auth::Caller;
use crate::error::{Error, Result};
use crate::store::users::{self, Profile, Vouched};
use crate::store::{self, Db, accounts};
use crate::validate::changes::{Changes, TIME_FORMAT, time_format};
use crate::validate::whole;

/// The caller's own profile.
pub async fn show(app: &AppState, caller: &Caller) -> Result<Me> {
    let mut db = app.store.read().await?;
    let me = accounts::me(&mut db, caller.user_id).await?;
    me.ok_or(GONE)
}

/// Changes the caller's own profile.
pub async fn edit(app: &AppState, caller: &Caller, body: &JsonMap) -> Result<Me> {
    let mut transaction = app.store.begin().await?;
    let profile = users::profile(&mut transaction, caller.user_id)
        .await?
        .ok_or(GONE)?;
    change(&mut transaction, profile, body, Vouched::ByThemselves).await?;
    let me = accounts::me(&mut transaction, caller.user_id).await?;
    transaction.commit().await?;
    me.ok_or(GONE)
}

const KEYS: [&str; 11] = [
    "email",
    "name",
    "timeFormat",
    "defaultScheduleId",
    "weekStart",
    "timeZone",
    "locale",
    "avatarUrl",
    "bio",
    "metadata",
    "allowDynamicBooking",
];

const GONE: Error = Error::Unauthorized("the user is gone");

/// Changes and stores what `body` names.
pub async fn change(
    db: &mut Db,
    profile: Profile,
    body: &JsonMap,
    vouched: Vouched,
) -> Result<ManagedUser> {
    let mut user = profile.user;
    let mut changes = Changes::of(body, &KEYS);
    describe(&mut user, &mut changes);
    let before = user.default_schedule_id;
    changes.set(
        "defaultScheduleId",
        &mut user.default_schedule_id,
        "isNumber",
        "must be a whole number",
        |value| whole(value).map(Some),
    );
    if let Some(id) = user.default_schedule_id
        && user.default_schedule_id != before
        && !users::owns_schedule(db, user.id, id).await?
    {
        let complaint = "must be one of the user's own schedules";
        changes
            .checks
            .complain("defaultScheduleId", &id.into(), "exists", complaint);
    }
    let mut allows_dynamic = false;
    changes.flag("allowDynamicBooking", &mut allows_dynamic);
    changes.finish()?;
    if body.contains_key("allowDynamicBooking") {
        users::set_allow_dynamic_bookings(db, user.id, allows_dynamic).await?;
    }
    if let Some(client_id) = &profile.oauth_client_id
        && body.contains_key("email")
    {
        user.email = users::managed_email(&user.email, client_id);
    }
    // A platform answers for the addresses that it names, not for those it leaves as they are.
    let vouched = match body.contains_key("email") {
        true => vouched,
        false => Vouched::ByThemselves,
    };
    // What people name themselves proves nothing, so it is not told whether somebody has it: that
    // would tell who has an account.
    if vouched == Vouched::ByPlatform && users::email_is_taken(db, &user.email, user.id).await? {
        return Err(email_is_taken());
    }
    users::update(db, &user, vouched).await.map_err(|error| {
        if store::is_duplicate(&error) {
            email_is_taken()
        } else {
            error.into()
        }
    })?;
    if let (Some(id), true) = (user.default_schedule_id, body.contains_key("timeZone")) {
        users::move_schedule(db, id, &user.time_zone).await?;
    }
    Ok(user)
}

/// What a new user says about themselves, as well as a known one.
pub fn describe(user: &mut ManagedUser, changes: &mut Changes<'_>) {
    changes.email("email", &mut user.email);
    changes.text("name", &mut user.name);
    changes.set(
        "timeFormat",
        &mut user.time_format,
        "isIn",
        TIME_FORMAT,
        time_format,
    );
    changes.week_start("weekStart", &mut user.week_start);
    changes.zone("timeZone", &mut user.time_zone);
    changes.word("locale", &mut user.locale, &LOCALES);
    changes.url("avatarUrl", &mut user.avatar_url);
    changes.text("bio", &mut user.bio);
    changes.metadata("metadata", &mut user.metadata);
}

/// Error: another account has the e-mail address.
pub fn email_is_taken() -> Error {
    Error::Conflict("another user has this e-mail address".into())
}
