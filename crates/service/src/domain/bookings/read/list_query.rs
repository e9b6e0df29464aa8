//! Query parameters of booking lists.
//!
//! Unknown parameters are rejected for the caller's own list, as everywhere below /v2/bookings, and
//! ignored for lists of teams.

use booking_wire::{BookingsQuery, OwnBookingsQuery, StatusFilter};
use serde_json::json;

use crate::auth::Caller;
use crate::domain::event_types::access::has_host_access;
use crate::error::Result;
use crate::input_limits::{MAX_FILTER_IDS, MAX_SEARCH_CHARS};
use crate::store::bookings::list::{self, Filter};
use crate::store::bookings::scope::BookingScope;
use crate::store::{Db, event_types};
use crate::validate::{Checks, Query};

/// Reads the parameters of a team's list.
pub fn read_team_query(query: &Query) -> Result<OwnBookingsQuery> {
    let mut checks = Checks::default();
    let list_query = read(query, &mut checks);
    checks.finish()?;
    Ok(list_query)
}

/// Reads the parameters of the caller's own list.
pub fn read_own_query(query: &Query) -> Result<OwnBookingsQuery> {
    let mut checks = Checks::default();
    let list_query = read(query, &mut checks);
    query.reject_unread(&mut checks);
    checks.finish()?;
    Ok(list_query)
}

/// Resolves the requested event types, which must exist for the caller; a managed one includes its
/// children.
pub async fn build_filter(
    db: &mut Db,
    caller: &Caller,
    scope: &BookingScope,
    query: OwnBookingsQuery,
) -> Result<Filter> {
    let list = &query.list;
    let mut event_types = Vec::new();
    for (name, ids) in [
        ("eventTypeIds", list.event_type_ids.clone()),
        ("eventTypeId", list.event_type_id.into_iter().collect()),
    ] {
        if ids.is_empty() {
            continue;
        }
        let known = event_types::hidden_by_id(db, &ids).await?;
        for id in &ids {
            let is_visible = match known.iter().find(|(known, _)| known == id) {
                None => false,
                Some((_, hidden)) => !hidden || can_see_hidden(db, caller, scope, *id).await?,
            };
            if !is_visible {
                let message = format!("names the unknown event type {id}");
                return Err(Checks::error(name, &json!(id), "exists", &message));
            }
        }
        event_types.push(event_types::with_children(db, &ids).await?);
    }
    Ok(Filter { query, event_types })
}

/// Returns true if a hidden event type exists for the caller: they own, host or manage it, or the
/// list has bookings of it.
async fn can_see_hidden(
    db: &mut Db,
    caller: &Caller,
    scope: &BookingScope,
    id: i64,
) -> Result<bool> {
    if let Some(stored) = event_types::get(db, id).await?
        && has_host_access(db, caller, &stored).await?
    {
        return Ok(true);
    }
    let ids = event_types::with_children(db, &[id]).await?;
    list::has_any(db, scope, &ids).await
}

fn read(query: &Query, checks: &mut Checks) -> OwnBookingsQuery {
    let list = BookingsQuery {
        status: statuses(query, checks),
        // An unescaped "+" arrives as a space; an email address has no spaces.
        attendee_email: text(query, "attendeeEmail", checks)
            .map(|email| email.split_whitespace().collect::<Vec<_>>().join("+")),
        attendee_name: text(query, "attendeeName", checks),
        booking_uid: text(query, "bookingUid", checks),
        event_type_ids: ids(query, "eventTypeIds", checks),
        event_type_id: query.integer("eventTypeId", checks),
        after_start: query.instant("afterStart", checks),
        before_end: query.instant("beforeEnd", checks),
        sort_start: query.sort_order("sortStart", checks),
        sort_end: query.sort_order("sortEnd", checks),
        sort_created: query.sort_order("sortCreated", checks),
        take: query.page_size("take", checks),
        skip: query.bounded("skip", 0..=i64::MAX, checks),
        search: search(query, checks),
        host_ids: ids(query, "hostIds", checks),
    };
    OwnBookingsQuery {
        list,
        teams_ids: ids(query, "teamsIds", checks),
        team_id: query.integer("teamId", checks),
        after_created_at: query.instant("afterCreatedAt", checks),
        before_created_at: query.instant("beforeCreatedAt", checks),
        after_updated_at: query.instant("afterUpdatedAt", checks),
        before_updated_at: query.instant("beforeUpdatedAt", checks),
        sort_updated_at: query.sort_order("sortUpdatedAt", checks),
    }
}

fn text(query: &Query, name: &str, checks: &mut Checks) -> Option<String> {
    let text = query.get(name)?.trim().to_owned();
    if text.is_empty() {
        return checks.reject(name, &json!(text), "isNotEmpty", "should not be empty");
    }
    Some(text)
}

fn search(query: &Query, checks: &mut Checks) -> Option<String> {
    let search = text(query, "search", checks)?;
    if search.chars().count() > MAX_SEARCH_CHARS {
        let message = format!("must be at most {MAX_SEARCH_CHARS} characters");
        return checks.reject("search", &json!(search), "maxLength", &message);
    }
    Some(search)
}

fn statuses(query: &Query, checks: &mut Checks) -> Vec<StatusFilter> {
    let mut statuses: Vec<StatusFilter> = Vec::new();
    for name in query.list("status").unwrap_or_default() {
        match StatusFilter::parse(&name) {
            Some(status) if statuses.contains(&status) => {}
            Some(status) => statuses.push(status),
            None => {
                let known: Vec<&str> = StatusFilter::ALL
                    .iter()
                    .map(|status| status.as_str())
                    .collect();
                let message = format!("must be one or more of: {}", known.join(", "));
                checks.report("status", &json!(name), "isEnum", &message);
            }
        }
    }
    statuses
}

fn ids(query: &Query, name: &str, checks: &mut Checks) -> Vec<i64> {
    let mut ids = Vec::new();
    for text in query.list(name).unwrap_or_default() {
        match text.parse() {
            Ok(id) => ids.push(id),
            Err(_) => checks.report(name, &json!(text), "isNumber", "must be whole numbers"),
        }
    }
    if ids.len() > MAX_FILTER_IDS {
        let message = format!("must be at most {MAX_FILTER_IDS}");
        checks.report(name, &json!(ids.len()), "arrayMaxSize", &message);
    }
    ids
}
