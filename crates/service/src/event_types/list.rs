//! What can be booked (contract 3.3).

use booking_wire::{EventType, SortOrder};

use crate::app::AppState;
use crate::auth::Caller;
use crate::error::{Error, Result};
use crate::event_types::access::{is_own, runs_it, written};
use crate::event_types::group::find_group;
use crate::store::event_types::{self, Purpose, Stored, Which};
use crate::store::{Db, accounts};
use crate::validate::{Checks, Query};

/// A person's event types, or those of the caller.
pub async fn list(
    app: &AppState,
    caller: Option<&Caller>,
    query: &Query,
) -> Result<Vec<EventType>> {
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
        let group = find_group(&mut db, &usernames, purpose).await?;
        return Ok(vec![written(app, group, false)]);
    }
    let owner = match (query.get("username"), caller) {
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
    visible(app, &mut db, caller, found, order).await
}

/// A team's event types.
pub async fn list_of_team(
    app: &AppState,
    caller: Option<&Caller>,
    team_id: i64,
    query: &Query,
) -> Result<Vec<EventType>> {
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
    let mut shown = visible(app, &mut db, caller, found, order).await?;
    if let Some(limit) = hosts_limit.and_then(|limit| usize::try_from(limit).ok()) {
        for event_type in &mut shown {
            if let Some(hosts) = &mut event_type.hosts {
                hosts.truncate(limit);
            }
        }
    }
    Ok(shown)
}

/// One event type, also for anonymous callers unless it is hidden.
pub async fn show(app: &AppState, caller: Option<&Caller>, id: i64) -> Result<EventType> {
    let mut db = app.store.read().await?;
    let found = event_types::get(&mut db, id).await?.into_iter().collect();
    // A hidden event type is not admitted to exist.
    let shown = visible(app, &mut db, caller, found, None).await?.pop();
    shown.ok_or_else(|| Error::not_found("Event type", id))
}

/// One event type of a team. A place that is not public is told to those who host or run it only.
pub async fn show_of_team(
    app: &AppState,
    caller: Option<&Caller>,
    team_id: i64,
    event_type_id: i64,
) -> Result<EventType> {
    let (team_id, id) = (team_id, event_type_id);
    let mut db = app.store.read().await?;
    let mut found: Vec<Stored> = event_types::get(&mut db, id).await?.into_iter().collect();
    found.retain(|stored| stored.wire.team_id == Some(team_id));
    let shown = visible(app, &mut db, caller, found, None).await?.pop();
    shown.ok_or_else(|| Error::NotFound(format!("Event type {id} not found in team {team_id}")))
}

const ORDERS: [(&str, SortOrder); 2] = [("asc", SortOrder::Asc), ("desc", SortOrder::Desc)];

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
