//! Reads of event types.

use booking_wire::page_paths::PublicPage;
use booking_wire::{EventType, EventTypeKey, SortOrder};

use crate::app::AppState;
use crate::auth::Caller;
use crate::domain::event_types::access::{can_update, event_type_response, is_owner_or_host};
use crate::domain::event_types::group::find_group;
use crate::error::{Error, Result};
use crate::store::Db;
use crate::store::event_types::{self, EventTypeFilter, Purpose, StoredEventType};
use crate::store::people::accounts;
use crate::validate::{Checks, Query};

/// A user's event types, or those of the caller.
pub async fn list(
    app: &AppState,
    caller: Option<&Caller>,
    query: &Query,
) -> Result<Vec<EventType>> {
    let mut checks = Checks::default();
    let order = query.sort_order("sortCreatedAt", &mut checks);
    let organization_id = query.integer("orgId", &mut checks);
    let slug = query.get("eventSlug");
    if slug.is_some() && query.get("username").is_none() {
        checks.report("eventSlug", &slug.into(), "dependsOn", "needs username");
    }
    let usernames = query.list("usernames");
    if usernames.is_some() && query.get("username").is_some() {
        checks.report(
            "usernames",
            &query.get("usernames").into(),
            "oneIdentification",
            "cannot be used together with username",
        );
    }
    checks.finish()?;
    let mut db = app.store.read().await?;
    let has_organization = organization_id.is_some() || query.get("orgSlug").is_some();
    let organization = if has_organization {
        accounts::organization_slug(&mut db, organization_id, query.get("orgSlug")).await?
    } else {
        None
    };
    if let Some(usernames) = usernames {
        let purpose = Purpose::Booking(organization.as_deref().unwrap_or_default());
        let group = find_group(&mut db, &usernames, purpose).await?;
        return Ok(vec![event_type_response(app, group, false)]);
    }
    let owner = match (query.get("username"), caller) {
        (Some(username), _) => {
            accounts::user_id(&mut db, username, organization.as_deref()).await?
        }
        (None, Some(caller)) => Some(caller.user_id),
        (None, None) => None,
    };
    // An organisation that does not exist has no event types.
    let found = match owner.filter(|_| !has_organization || organization.is_some()) {
        Some(owner) => event_types::find(&mut db, EventTypeFilter::OfUser(owner, slug)).await?,
        None => Vec::new(),
    };
    let hides_unlisted = slug.is_none();
    filter_visible(app, &mut db, caller, found, order, hides_unlisted).await
}

/// A team's event types, by its id or its slug.
pub async fn list_of_team(
    app: &AppState,
    caller: Option<&Caller>,
    team: &str,
    query: &Query,
) -> Result<Vec<EventType>> {
    let mut checks = Checks::default();
    let order = query.sort_order("sortCreatedAt", &mut checks);
    let hosts_limit = query.bounded("hostsLimit", 1..=i64::MAX, &mut checks);
    checks.finish()?;
    let mut db = app.store.read().await?;
    let team_id = find_team(&mut db, team)
        .await?
        .ok_or_else(|| Error::not_found("Team", team))?
        .id;
    let slug = query.get("eventSlug");
    let found = event_types::find(&mut db, EventTypeFilter::OfTeam(team_id, slug)).await?;
    let hides_unlisted = slug.is_none();
    let mut visible = filter_visible(app, &mut db, caller, found, order, hides_unlisted).await?;
    if let Some(limit) = hosts_limit.and_then(|limit| usize::try_from(limit).ok()) {
        for event_type in &mut visible {
            if let Some(hosts) = &mut event_type.hosts {
                hosts.truncate(limit);
            }
        }
    }
    Ok(visible)
}

/// One event type, also for anonymous callers unless it is closed.
pub async fn show(app: &AppState, caller: Option<&Caller>, id: i64) -> Result<EventType> {
    let mut db = app.store.read().await?;
    let found = event_types::get(&mut db, id).await?.into_iter().collect();
    // Do not reveal that a closed event type exists.
    let visible = filter_visible(app, &mut db, caller, found, None, false)
        .await?
        .pop();
    visible.ok_or_else(|| Error::not_found("Event type", id))
}

/// One event type of a team. The value of a location that is not public is returned only to its
/// hosts and callers who may update it.
pub async fn show_of_team(
    app: &AppState,
    caller: Option<&Caller>,
    team_id: i64,
    id: i64,
) -> Result<EventType> {
    let mut db = app.store.read().await?;
    let mut found: Vec<StoredEventType> =
        event_types::get(&mut db, id).await?.into_iter().collect();
    found.retain(|stored| stored.wire.team_id == Some(team_id));
    let visible = filter_visible(app, &mut db, caller, found, None, false)
        .await?
        .pop();
    visible.ok_or_else(|| Error::NotFound(format!("Event type {id} not found in team {team_id}")))
}

/// Event types on a public page, as visitors who are not signed in see them.
pub async fn of_page(app: &AppState, page: &PublicPage) -> Result<Vec<EventType>> {
    let mut db = app.store.read().await?;
    let (filter, hides_unlisted) = match page {
        PublicPage::Home => (None, true),
        PublicPage::User(name) => {
            let id = accounts::user_id(&mut db, name, None).await?;
            (id.map(|id| EventTypeFilter::OfUser(id, None)), true)
        }
        PublicPage::EventType(EventTypeKey::User { username, slug }) => {
            let id = accounts::user_id(&mut db, username, None).await?;
            let filter = id.map(|id| EventTypeFilter::OfUser(id, Some(slug)));
            (filter, false)
        }
        PublicPage::Team(team) => {
            let team = find_team(&mut db, team).await?;
            let filter = team.map(|team| EventTypeFilter::OfTeam(team.id, None));
            (filter, true)
        }
        PublicPage::EventType(EventTypeKey::Team { team, slug }) => {
            let team = find_team(&mut db, team).await?;
            let filter = team.map(|team| EventTypeFilter::OfTeam(team.id, Some(slug)));
            (filter, false)
        }
        PublicPage::EventType(EventTypeKey::Id(id)) => (Some(EventTypeFilter::Id(*id)), false),
    };
    let found = match filter {
        Some(filter) => event_types::find(&mut db, filter).await?,
        None => Vec::new(),
    };
    filter_visible(app, &mut db, None, found, None, hides_unlisted).await
}

/// Finds a team by its id or its slug.
async fn find_team(db: &mut Db, team: &str) -> Result<Option<accounts::Team>> {
    match team.parse() {
        Ok(id) => accounts::team(db, id).await,
        Err(_) => accounts::team_by_slug(db, team, None).await,
    }
}

/// Event types that the caller may see: without host access, no closed ones and, if `hides_unlisted`, no hidden ones.
async fn filter_visible(
    app: &AppState,
    db: &mut Db,
    caller: Option<&Caller>,
    found: Vec<StoredEventType>,
    order: Option<SortOrder>,
    hides_unlisted: bool,
) -> Result<Vec<EventType>> {
    let mut visible = Vec::with_capacity(found.len());
    // All event types of a list belong to the same team, if to any.
    let mut can_update_team = None;
    for stored in found {
        let has_host_access = match caller {
            Some(caller) if is_owner_or_host(caller, &stored) => true,
            Some(caller) => match can_update_team {
                Some(can_update_team) => can_update_team,
                None => *can_update_team.insert(can_update(db, caller, &stored).await?),
            },
            None => false,
        };
        let is_concealed = stored.wire.closed || (hides_unlisted && stored.wire.hidden);
        if has_host_access || !is_concealed {
            visible.push(event_type_response(app, stored, has_host_access));
        }
    }
    if order == Some(SortOrder::Desc) {
        visible.reverse();
    }
    Ok(visible)
}
