//! What can be booked (contract 3.3).

pub mod change;
mod form;
mod input;
mod readers;
mod settings;

pub use form::{FIELD_KEYS, integration_name};

use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use booking_wire::{Envelope, EventType, Location, SortOrder};

use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::PathParams;
use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::{Subject, holds};
use crate::error::{Error, Result};
use crate::extract::Visitor;
use crate::store::Db;
use crate::store::accounts;
use crate::store::event_types::{self, Purpose, Stored, Which};
use crate::validate::{Checks, Query};

const ORDERS: [(&str, SortOrder); 2] = [("asc", SortOrder::Asc), ("desc", SortOrder::Desc)];

/// Operations of this family.
pub fn routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(list, change::create))
        .routes(routes!(show, change::change, change::remove))
        .routes(routes!(list_of_team, change::create_of_team))
        .routes(routes!(
            show_of_team,
            change::change_of_team,
            change::remove_of_team
        ))
}

/// Keys of the settings of an event type, of a team or of a person.
pub fn setting_keys(is_team: bool) -> Vec<&'static str> {
    input::setting_keys(is_team)
}

/// Keys of settings that cannot be switched on in this installation.
pub fn unsupported_keys() -> Vec<&'static str> {
    input::unsupported_keys()
}

/// A person's event types, or those of the caller.
#[utoipa::path(
    get,
    path = "/v2/event-types",
    tag = "Event types",
    params(
        ("username" = Option<String>, Query, description = "Whose; the caller's own if absent"),
        ("eventSlug" = Option<String>, Query, description = "Only this one; needs username"),
        ("usernames" = Option<Vec<String>>, Query, explode = false, description = "A group of people who meet together"),
        ("orgSlug" = Option<String>, Query),
        ("orgId" = Option<i64>, Query),
        ("sortCreatedAt" = Option<String>, Query, description = "asc or desc"),
    ),
    responses((status = 200, body = Envelope<Vec<EventType>>)),
)]
pub async fn list(
    State(app): State<AppState>,
    Visitor(caller): Visitor,
    uri: Uri,
) -> Result<Json<Envelope<Vec<EventType>>>> {
    let query = Query::of(&uri);
    let mut checks = Checks::default();
    query.ignore_unknown(&[
        "username",
        "eventSlug",
        "usernames",
        "orgSlug",
        "orgId",
        "sortCreatedAt",
    ]);
    let order = query.word("sortCreatedAt", &ORDERS, &mut checks);
    let organization_id = query.integer("orgId", &mut checks);
    let slug = query.get("eventSlug");
    if slug.is_some() && query.get("username").is_none() {
        checks.complain("eventSlug", &slug.into(), "dependsOn", "needs username");
    }
    let usernames = query.list("usernames");
    if usernames.is_some() && query.get("username").is_some() {
        checks.complain(
            "usernames",
            &query.get("usernames").into(),
            "oneIdentification",
            "cannot be used together with username",
        );
    }
    checks.finish()?;
    let mut db = app.store.read().await?;
    let named = organization_id.is_some() || query.get("orgSlug").is_some();
    let organization = if named {
        accounts::organization_slug(&mut db, organization_id, query.get("orgSlug")).await?
    } else {
        None
    };
    if let Some(usernames) = usernames {
        let purpose = Purpose::Booking(organization.as_deref().unwrap_or_default());
        let group = event_types::group(&mut db, &usernames, purpose).await?;
        return Ok(Json(Envelope::success(vec![written(&app, group, false)])));
    }
    let owner = match (query.get("username"), &caller) {
        (Some(username), _) => {
            accounts::user_id(&mut db, username, organization.as_deref()).await?
        }
        (None, Some(caller)) => Some(caller.user_id),
        (None, None) => None,
    };
    // In an organisation that does not exist there is nothing to book.
    let found = match owner.filter(|_| !named || organization.is_some()) {
        Some(owner) => event_types::find(&mut db, Which::OfUser(owner, slug)).await?,
        None => Vec::new(),
    };
    Ok(Json(Envelope::success(
        visible(&app, &mut db, caller.as_ref(), found, order).await?,
    )))
}

/// A team's event types.
#[utoipa::path(
    get,
    path = "/v2/teams/{teamId}/event-types",
    tag = "Team event types",
    params(
        ("teamId" = i64, Path),
        ("eventSlug" = Option<String>, Query, description = "Only this one"),
        ("hostsLimit" = Option<i64>, Query, description = "Hosts listed at most", minimum = 1),
        ("sortCreatedAt" = Option<String>, Query, description = "asc or desc"),
    ),
    responses((status = 200, body = Envelope<Vec<EventType>>)),
)]
pub async fn list_of_team(
    State(app): State<AppState>,
    Visitor(caller): Visitor,
    path: PathParams,
    uri: Uri,
) -> Result<Json<Envelope<Vec<EventType>>>> {
    let team_id = path.id("teamId")?;
    let query = Query::of(&uri);
    let mut checks = Checks::default();
    let order = query.word("sortCreatedAt", &ORDERS, &mut checks);
    query.ignore_unknown(&["eventSlug", "hostsLimit", "sortCreatedAt"]);
    let hosts_limit = query.bounded("hostsLimit", 1..=i64::MAX, &mut checks);
    checks.finish()?;
    let mut db = app.store.read().await?;
    accounts::team(&mut db, team_id)
        .await?
        .ok_or_else(|| Error::not_found("Team", team_id))?;
    let found = event_types::find(&mut db, Which::OfTeam(team_id, query.get("eventSlug"))).await?;
    let mut shown = visible(&app, &mut db, caller.as_ref(), found, order).await?;
    if let Some(limit) = hosts_limit.and_then(|limit| usize::try_from(limit).ok()) {
        for event_type in &mut shown {
            if let Some(hosts) = &mut event_type.hosts {
                hosts.truncate(limit);
            }
        }
    }
    Ok(Json(Envelope::success(shown)))
}

/// One event type, also for anonymous callers unless it is hidden.
#[utoipa::path(
    get,
    path = "/v2/event-types/{eventTypeId}",
    tag = "Event types",
    params(("eventTypeId" = i64, Path)),
    responses((status = 200, body = Envelope<EventType>)),
)]
pub async fn show(
    State(app): State<AppState>,
    Visitor(caller): Visitor,
    path: PathParams,
) -> Result<Json<Envelope<EventType>>> {
    let id = path.id("eventTypeId")?;
    let mut db = app.store.read().await?;
    let found = event_types::get(&mut db, id).await?.into_iter().collect();
    // A hidden event type is not admitted to exist.
    let shown = visible(&app, &mut db, caller.as_ref(), found, None)
        .await?
        .pop();
    Ok(Json(Envelope::success(
        shown.ok_or_else(|| Error::not_found("Event type", id))?,
    )))
}

/// One event type of a team. A place that is not public is told to those who host or run it only.
#[utoipa::path(
    get,
    path = "/v2/teams/{teamId}/event-types/{eventTypeId}",
    tag = "Team event types",
    params(("teamId" = i64, Path), ("eventTypeId" = i64, Path)),
    responses((status = 200, body = Envelope<EventType>)),
)]
pub async fn show_of_team(
    State(app): State<AppState>,
    Visitor(caller): Visitor,
    path: PathParams,
) -> Result<Json<Envelope<EventType>>> {
    let (team_id, id) = (path.id("teamId")?, path.id("eventTypeId")?);
    let mut db = app.store.read().await?;
    let mut found: Vec<Stored> = event_types::get(&mut db, id).await?.into_iter().collect();
    found.retain(|stored| stored.wire.team_id == Some(team_id));
    let shown = visible(&app, &mut db, caller.as_ref(), found, None)
        .await?
        .pop();
    Ok(Json(Envelope::success(shown.ok_or_else(|| {
        Error::NotFound(format!("Event type {id} not found in team {team_id}"))
    })?)))
}

async fn visible(
    app: &AppState,
    db: &mut Db,
    caller: Option<&Caller>,
    found: Vec<Stored>,
    order: Option<SortOrder>,
) -> Result<Vec<EventType>> {
    let mut shown = Vec::with_capacity(found.len());
    // All event types of a list belong to the same team, if to any.
    let mut runs = None;
    for stored in found {
        let insider = match caller {
            Some(caller) if is_own(caller, &stored) => true,
            Some(caller) => match runs {
                Some(runs) => runs,
                None => *runs.insert(runs_it(db, caller, &stored).await?),
            },
            None => false,
        };
        if insider || !stored.wire.hidden {
            shown.push(written(app, stored, insider));
        }
    }
    if order == Some(SortOrder::Desc) {
        shown.reverse();
    }
    Ok(shown)
}

/// Refuses whoever may not book an event type: one that is hidden is not admitted to exist, and one
/// that asks for it is for those who own, host or run it. Free times, reservations and bookings ask
/// alike. `missing` is the error for an event type that does not exist, named as the request does.
pub fn refuse_outsider(
    stored: &Stored,
    caller: Option<&Caller>,
    is_insider: bool,
    missing: impl FnOnce() -> Error,
) -> Result<()> {
    if is_insider {
        return Ok(());
    }
    if stored.wire.hidden {
        return Err(missing());
    }
    if stored.wire.booking_requires_authentication {
        return Err(match caller {
            None => Error::Unauthorized("this event type can be booked by signed-in callers only"),
            Some(_) => Error::Forbidden(
                "this event type can be booked by its owner, its hosts and those who run its team only"
                    .into(),
            ),
        });
    }
    Ok(())
}

/// Whether the caller owns, hosts or runs the event type.
pub async fn is_insider(db: &mut Db, caller: &Caller, stored: &Stored) -> Result<bool> {
    Ok(is_own(caller, stored) || runs_it(db, caller, stored).await?)
}

/// Returns true if the caller owns or hosts the event type.
pub fn is_own(caller: &Caller, stored: &Stored) -> bool {
    stored.wire.owner_id == Some(caller.user_id) || stored.host_ids().contains(&caller.user_id)
}

/// Returns true if the caller runs the event type's team.
pub async fn runs_it(db: &mut Db, caller: &Caller, stored: &Stored) -> Result<bool> {
    let Some(team_id) = stored.wire.team_id else {
        return Ok(false);
    };
    holds(
        db,
        caller.user_id,
        "eventType.update",
        &Subject::of_team(team_id),
    )
    .await
}

/// As it is written to those who host or run it, or to anybody else.
pub fn written(app: &AppState, stored: Stored, insider: bool) -> EventType {
    let base = &app.settings.base_url;
    let mut wire = stored.wire;
    // The addresses under which the app offers it.
    wire.booking_url = match wire.team_id {
        Some(team_id) => format!("{base}/team/{team_id}/{}", wire.slug),
        None => format!("{base}/{}/{}", stored.place, wire.slug),
    };
    if !insider {
        wire.destination_calendar = None;
        wire.booking_fields.retain(|field| !field.hidden);
        wire.locations.iter_mut().for_each(withhold);
    }
    wire
}

/// A place that is not public is told once a booking is made.
fn withhold(location: &mut Location) {
    match location {
        Location::Address {
            address: value,
            public: false,
        }
        | Location::Link {
            link: value,
            public: false,
        }
        | Location::Phone {
            phone: value,
            public: false,
        } => value.clear(),
        _ => {}
    }
}
