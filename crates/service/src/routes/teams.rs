//! Teams (contract 3.6).

use axum::Json;
use axum::extract::State;
use axum::http::{StatusCode, Uri};
use booking_wire::{
    Envelope, Instant, JsonMap, Membership, MembershipRole, NewTeam, Team, TeamChange,
};
use serde_json::Value;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::changes::{Changes, TIME_FORMAT, time_format};
use super::{PathParams, paging};
use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::Subject;
use crate::error::violations::fits;
use crate::error::{Error, Result};
use crate::input_limits::MAX_TEAM_LIMITS_BYTES;
use crate::store::{self, Db, accounts, memberships, teams};
use crate::validate::{Checks, JsonObject, Query, slug_of};

/// Keys of the settings of a team.
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

/// Key of a new team: whether its creator is an accepted member at once.
pub const AUTO_ACCEPT: &str = "autoAcceptCreator";

const THEMES: [&str; 3] = ["light", "dark", "system"];

/// Operations of this family.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(list, create))
        .routes(routes!(show, edit, delete))
}

/// The teams in which the caller takes part.
#[utoipa::path(
    get,
    path = "/v2/teams",
    tag = "Teams",
    params(
        ("take" = Option<i64>, Query, description = "How many, 250 unless told", minimum = 1, maximum = 250),
        ("skip" = Option<i64>, Query, description = "How many to leave out", minimum = 0),
    ),
    responses((status = 200, body = Envelope<Vec<Team>>)),
)]
pub async fn list(
    State(app): State<AppState>,
    caller: Caller,
    uri: Uri,
) -> Result<Json<Envelope<Vec<Team>>>> {
    let query = Query::of(&uri);
    let mut checks = Checks::default();
    query.ignore_unknown(&["take", "skip"]);
    let (take, skip) = paging(&query, &mut checks);
    checks.finish()?;
    let mut db = app.store.read().await?;
    let teams = teams::of_user(&mut db, caller.user_id, take, skip).await?;
    Ok(Json(Envelope::success(teams)))
}

/// Makes a team that the caller owns.
///
/// It belongs to the caller's organisation, if they have one; that takes the organisation's
/// permission `team.create`.
#[utoipa::path(
    post,
    path = "/v2/teams",
    tag = "Teams",
    request_body = NewTeam,
    responses((status = 201, body = Envelope<Team>)),
)]
pub async fn create(
    State(app): State<AppState>,
    caller: Caller,
    JsonObject(body): JsonObject,
) -> Result<(StatusCode, Json<Envelope<Team>>)> {
    let mut transaction = app.store.begin().await?;
    let (db, owner_id) = (&mut *transaction, caller.user_id);
    let (team, _) = make(db, &caller, owner_id, &body, app.clock.now()).await?;
    transaction.commit().await?;
    Ok((StatusCode::CREATED, Json(Envelope::success(team))))
}

/// Makes the team that `body`, as above, describes, for whoever is to own it. Gives it with its
/// owner's membership.
pub async fn make(
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
        let subject = Subject::of_organization(organization_id);
        if !caller.holds(db, "team.create", &subject).await? {
            return Err(Error::Forbidden(
                "this needs the permission team.create of your organization".into(),
            ));
        }
    }
    let mut team = Team {
        parent_id: me.organization_id,
        time_zone: "Europe/London".into(),
        week_start: "Sunday".into(),
        ..Team::default()
    };
    let is_accepted = read_new(&mut team, body)?;
    if body.contains_key("slug") {
        refuse_taken_slug(db, &team).await?;
    } else {
        team.slug = free_slug(db, &team).await?;
    }
    team.id = teams::insert(db, &team, now)
        .await
        .map_err(|error| refusal(error, &team))?;
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

/// One team.
#[utoipa::path(
    get,
    path = "/v2/teams/{teamId}",
    tag = "Teams",
    params(("teamId" = i64, Path)),
    responses((status = 200, body = Envelope<Team>)),
)]
pub async fn show(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Result<Json<Envelope<Team>>> {
    let mut db = app.store.read().await?;
    let team = authorised(&mut db, &caller, &path).await?;
    Ok(Json(Envelope::success(team)))
}

/// Changes what a team says about itself.
#[utoipa::path(
    patch,
    path = "/v2/teams/{teamId}",
    tag = "Teams",
    params(("teamId" = i64, Path)),
    request_body = TeamChange,
    responses((status = 200, body = Envelope<Team>)),
)]
pub async fn edit(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Result<Json<Envelope<Team>>> {
    let mut transaction = app.store.begin().await?;
    let mut team = authorised(&mut transaction, &caller, &path).await?;
    alter(&mut transaction, &mut team, &body).await?;
    transaction.commit().await?;
    Ok(Json(Envelope::success(team)))
}

/// Changes in `team` what `body`, as above, names.
pub async fn alter(db: &mut Db, team: &mut Team, body: &JsonMap) -> Result<()> {
    change(team, Changes::of(body, &KEYS)).finish()?;
    refuse_taken_slug(db, team).await?;
    teams::update(db, team.id, team)
        .await
        .map_err(|error| refusal(error, team))
}

/// Deletes a team with its memberships, roles and event types.
///
/// What is booked with it already stays with its hosts.
#[utoipa::path(
    delete,
    path = "/v2/teams/{teamId}",
    tag = "Teams",
    params(("teamId" = i64, Path)),
    responses((status = 200, description = "The team as it was", body = Envelope<Team>)),
)]
pub async fn delete(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Result<Json<Envelope<Team>>> {
    let mut transaction = app.store.begin().await?;
    let team = authorised(&mut transaction, &caller, &path).await?;
    teams::delete(&mut transaction, team.id).await?;
    transaction.commit().await?;
    Ok(Json(Envelope::success(team)))
}

/// The team that a path names, once the caller may do there what they ask.
pub(super) async fn authorised(db: &mut Db, caller: &Caller, path: &PathParams) -> Result<Team> {
    let team_id = path.id("teamId")?;
    let team = teams::get(db, team_id)
        .await?
        .ok_or_else(|| Error::not_found("Team", team_id))?;
    caller.authorise(db, &Subject::of_team(team_id)).await?;
    Ok(team)
}

/// Reads a new team. Returns whether its creator is an accepted member at once.
fn read_new(team: &mut Team, body: &JsonMap) -> Result<bool> {
    let mut is_accepted = true;
    let known: Vec<&str> = KEYS.into_iter().chain([AUTO_ACCEPT]).collect();
    let mut changes = change(team, Changes::of(body, &known));
    changes.require("name", "isString", "must be a string");
    changes.flag(AUTO_ACCEPT, &mut is_accepted);
    changes.finish()?;
    Ok(is_accepted)
}

/// Changes in `team` what a body names.
fn change<'a>(team: &mut Team, mut changes: Changes<'a>) -> Changes<'a> {
    changes.name("name", &mut team.name);
    changes.slug("slug", &mut team.slug);
    changes.url("logoUrl", &mut team.logo_url);
    changes.url("bannerUrl", &mut team.banner_url);
    changes.text("bio", &mut team.bio);
    changes.zone("timeZone", &mut team.time_zone);
    changes.week_start("weekStart", &mut team.week_start);
    changes.set_or_clear(
        "timeFormat",
        &mut team.time_format,
        "isIn",
        TIME_FORMAT,
        time_format,
    );
    changes.flag("isPrivate", &mut team.is_private);
    changes.flag("hideBranding", &mut team.hide_branding);
    changes.flag("hideBookATeamMember", &mut team.hide_book_a_team_member);
    changes.metadata("metadata", &mut team.metadata);
    changes.word("theme", &mut team.theme, &THEMES);
    changes.color("brandColor", &mut team.brand_color);
    changes.color("darkBrandColor", &mut team.dark_brand_color);
    changes.url("calVideoLogo", &mut team.cal_video_logo);
    changes.url("appLogo", &mut team.app_logo);
    changes.url("appIconLogo", &mut team.app_icon_logo);
    let complaint = format!("must be a text or an object of at most {MAX_TEAM_LIMITS_BYTES} bytes");
    changes.set_or_clear(
        "bookingLimits",
        &mut team.booking_limits,
        "isLimits",
        &complaint,
        |value| {
            let sound = value.is_string() || value.is_object();
            (sound && fits(value, MAX_TEAM_LIMITS_BYTES)).then(|| value.clone())
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

/// A slug made of the team's name; with a number if another team has it.
async fn free_slug(db: &mut Db, team: &Team) -> Result<String> {
    let wish = slug_of(&team.name).unwrap_or_else(|| "team".into());
    let mut slug = wish.clone();
    let mut number = 2_i64;
    while teams::slug_is_taken(db, team.parent_id, &slug, 0).await? {
        slug = format!("{wish}-{number}");
        number += 1;
    }
    Ok(slug)
}

async fn refuse_taken_slug(db: &mut Db, team: &Team) -> Result<()> {
    if teams::slug_is_taken(db, team.parent_id, &team.slug, team.id).await? {
        return Err(taken(team));
    }
    Ok(())
}

fn refusal(error: sqlx::Error, team: &Team) -> Error {
    if store::is_duplicate(&error) {
        taken(team)
    } else {
        error.into()
    }
}

fn taken(team: &Team) -> Error {
    Error::Conflict(format!("another team has the slug \"{}\"", team.slug))
}
