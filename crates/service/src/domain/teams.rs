//! Use cases of teams.

use booking_wire::{Instant, JsonMap, Membership, MembershipRole, Team};
use serde_json::Value;

use crate::api::{DEFAULT_TIME_ZONE, DEFAULT_WEEK_START};
use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::Resource;
use crate::error::field_errors::fits;
use crate::error::{Error, Result};
use crate::input_limits::MAX_TEAM_LIMITS_BYTES;
use crate::store::people::{accounts, memberships, teams};
use crate::store::{Db, Subject, duplicate_or};
use crate::validate::changes::{Changes, TIME_FORMAT_MESSAGE, time_format};
use crate::validate::{Object, Query, slug_of};

/// The teams of the caller.
pub async fn list(app: &AppState, caller: &Caller, query: &Query) -> Result<Vec<Team>> {
    let (take, skip) = query.page()?;
    let mut db = app.store.read().await?;
    teams::of_user(&mut db, caller.user_id, take, skip).await
}

/// Creates a team that the caller owns.
pub async fn create(app: &AppState, caller: &Caller, body: &JsonMap) -> Result<Team> {
    let mut transaction = app.store.begin(&[Subject::Person(caller.user_id)]).await?;
    let (db, owner_id) = (&mut *transaction, caller.user_id);
    let (team, _) = create_team(db, caller, owner_id, body, app.clock.now()).await?;
    transaction.commit().await?;
    Ok(team)
}

/// One team.
pub async fn show(app: &AppState, caller: &Caller, team_id: i64) -> Result<Team> {
    let mut db = app.store.read().await?;
    authorised(&mut db, caller, team_id).await
}

/// Updates a team.
pub async fn update(app: &AppState, caller: &Caller, team_id: i64, body: &JsonMap) -> Result<Team> {
    let mut transaction = app.store.begin(&[Subject::Team(team_id)]).await?;
    let mut team = authorised(&mut transaction, caller, team_id).await?;
    update_team(&mut transaction, &mut team, body).await?;
    transaction.commit().await?;
    Ok(team)
}

/// Deletes a team with its memberships, roles and event types.
pub async fn delete(app: &AppState, caller: &Caller, team_id: i64) -> Result<Team> {
    let mut transaction = app.store.begin(&[Subject::Team(team_id)]).await?;
    let team = authorised(&mut transaction, caller, team_id).await?;
    teams::delete(&mut transaction, team.id).await?;
    transaction.commit().await?;
    Ok(team)
}

/// Keys of the settings of a team. A test compares them with `docs/compatibility.md`.
pub const KEYS: [&str; 20] = [
    "name",
    "slug",
    "logoUrl",
    "bannerUrl",
    "bio",
    "timeZone",
    "weekStart",
    "timeFormat",
    "isPrivate",
    "hideBranding",
    "hideBookATeamMember",
    "metadata",
    "theme",
    "brandColor",
    "darkBrandColor",
    "calVideoLogo",
    "appLogo",
    "appIconLogo",
    "bookingLimits",
    "includeManagedEventsInLimits",
];

/// Key of a new team: true if its creator is an accepted member immediately.
pub const AUTO_ACCEPT: &str = "autoAcceptCreator";

const THEMES: [&str; 3] = ["light", "dark", "system"];

/// Creates the team of `body` for an owner. Returns it with the owner's membership.
pub async fn create_team(
    db: &mut Db,
    caller: &Caller,
    owner_id: i64,
    body: &JsonMap,
    now: Instant,
) -> Result<(Team, Membership)> {
    let me = accounts::me(db, owner_id)
        .await?
        .ok_or(Error::Unauthorized("the user is gone"))?;
    if let Some(organization_id) = me.organization_id {
        let resource = Resource::of_organization(organization_id);
        if !caller.has_permission(db, "team.create", &resource).await? {
            return Err(Error::Forbidden(
                "this needs the permission team.create of your organization".into(),
            ));
        }
    }
    let mut team = Team {
        parent_id: me.organization_id,
        time_zone: DEFAULT_TIME_ZONE.into(),
        week_start: DEFAULT_WEEK_START.into(),
        ..Team::default()
    };
    let is_accepted = read_new(&mut team, body)?;
    if body.contains_key("slug") {
        reject_taken_slug(db, &team).await?;
    } else {
        team.slug = free_slug(db, &team).await?;
    }
    team.id = teams::insert(db, &team, now)
        .await
        .map_err(|error| duplicate_or(error, slug_taken_error(&team)))?;
    let ownership = Membership {
        user_id: owner_id,
        team_id: team.id,
        accepted: is_accepted,
        role: MembershipRole::Owner,
        ..Membership::default()
    };
    memberships::insert(db, &ownership, now).await?;
    Ok((team, ownership))
}

/// Updates the properties of `team` that `body` contains.
pub async fn update_team(db: &mut Db, team: &mut Team, body: &JsonMap) -> Result<()> {
    Object::new(body, "").ignore_unknown(&KEYS);
    apply_changes(team, Changes::new(body)).finish()?;
    reject_taken_slug(db, team).await?;
    teams::update(db, team.id, team)
        .await
        .map_err(|error| duplicate_or(error, slug_taken_error(team)))
}

/// Returns a team, after checking the caller's permission for the operation there.
pub async fn authorised(db: &mut Db, caller: &Caller, team_id: i64) -> Result<Team> {
    let team = teams::get(db, team_id)
        .await?
        .ok_or_else(|| Error::not_found("Team", team_id))?;
    caller.authorise(db, &Resource::of_team(team_id)).await?;
    Ok(team)
}

/// Reads a new team. Returns true if its creator is an accepted member immediately.
fn read_new(team: &mut Team, body: &JsonMap) -> Result<bool> {
    let mut is_accepted = true;
    let known: Vec<&str> = KEYS.into_iter().chain([AUTO_ACCEPT]).collect();
    Object::new(body, "").ignore_unknown(&known);
    let mut changes = apply_changes(team, Changes::new(body));
    changes.require("name", "isString", "must be a string");
    changes.flag(AUTO_ACCEPT, &mut is_accepted);
    changes.finish()?;
    Ok(is_accepted)
}

/// Applies changes to `team`.
fn apply_changes<'a>(team: &mut Team, mut changes: Changes<'a>) -> Changes<'a> {
    changes.name("name", &mut team.name);
    changes.handle("slug", &mut team.slug);
    changes.url("logoUrl", &mut team.logo_url);
    changes.url("bannerUrl", &mut team.banner_url);
    changes.text("bio", &mut team.bio);
    changes.zone("timeZone", &mut team.time_zone);
    changes.week_start("weekStart", &mut team.week_start);
    changes.set_or_clear(
        "timeFormat",
        &mut team.time_format,
        "isIn",
        TIME_FORMAT_MESSAGE,
        time_format,
    );
    changes.flag("isPrivate", &mut team.is_private);
    changes.flag("hideBranding", &mut team.hide_branding);
    changes.flag("hideBookATeamMember", &mut team.hide_book_a_team_member);
    changes.metadata("metadata", &mut team.metadata);
    changes.one_of("theme", &mut team.theme, &THEMES);
    changes.color("brandColor", &mut team.brand_color);
    changes.color("darkBrandColor", &mut team.dark_brand_color);
    changes.url("calVideoLogo", &mut team.cal_video_logo);
    changes.url("appLogo", &mut team.app_logo);
    changes.url("appIconLogo", &mut team.app_icon_logo);
    let message = format!("must be a text or an object of at most {MAX_TEAM_LIMITS_BYTES} bytes");
    changes.set_or_clear(
        "bookingLimits",
        &mut team.booking_limits,
        "isLimits",
        &message,
        |value| {
            let is_valid = value.is_string() || value.is_object();
            (is_valid && fits(value, MAX_TEAM_LIMITS_BYTES)).then(|| value.clone())
        },
    );
    changes.set_or_clear(
        "includeManagedEventsInLimits",
        &mut team.include_managed_events_in_limits,
        "isBoolean",
        "must be a boolean value",
        Value::as_bool,
    );
    changes
}

/// Returns a free slug from the team's name, with a number if another team has the slug.
async fn free_slug(db: &mut Db, team: &Team) -> Result<String> {
    let base = slug_of(&team.name).unwrap_or_else(|| "team".into());
    let mut slug = base.clone();
    let mut number = 2_i64;
    while teams::slug_is_taken(db, team.parent_id, &slug, 0).await? {
        slug = format!("{base}-{number}");
        number += 1;
    }
    Ok(slug)
}

async fn reject_taken_slug(db: &mut Db, team: &Team) -> Result<()> {
    if teams::slug_is_taken(db, team.parent_id, &team.slug, team.id).await? {
        return Err(slug_taken_error(team));
    }
    Ok(())
}

fn slug_taken_error(team: &Team) -> Error {
    Error::Conflict(format!("another team has the slug \"{}\"", team.slug))
}
