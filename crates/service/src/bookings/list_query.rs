//! Query parameters of booking lists (contract 3.1, 3.5.2).
//!
//! Unknown parameters are refused for the caller's own list, as everywhere below /v2/bookings, and
//! ignored for lists of teams.

use booking_wire::{BookingsQuery, OwnBookingsQuery, SortOrder, StatusFilter};
use serde_json::json;

use crate::auth::Caller;
use crate::error::Result;
use crate::event_types::access::is_insider;
use crate::input_limits::MAX_FILTER_IDS;
use crate::store::booking_list::{self, Filter, Whose};
use crate::store::{Db, event_types};
use crate::validate::{Checks, Query};

/// Parameters of a team's list.
const OF_TEAM: [&str; 13] = [
    "status",
    "attendeeEmail",
    "attendeeName",
    "bookingUid",
    "eventTypeIds",
    "eventTypeId",
    "afterStart",
    "beforeEnd",
    "sortStart",
    "sortEnd",
    "sortCreated",
    "take",
    "skip",
];

/// Further parameters of the caller's own list.
const OF_CALLER: [&str; 7] = [
    "teamsIds",
    "teamId",
    "afterCreatedAt",
    "beforeCreatedAt",
    "afterUpdatedAt",
    "beforeUpdatedAt",
    "sortUpdatedAt",
];

const ORDERS: [(&str, SortOrder); 2] = [("asc", SortOrder::Asc), ("desc", SortOrder::Desc)];

/// Reads the parameters of a team's list.
pub fn of_team(query: &Query) -> Result<OwnBookingsQuery> {
    let mut checks = Checks::default();
    query.ignore_unknown(&OF_TEAM);
    let read = read(query, &mut checks);
    checks.finish()?;
    Ok(read)
}

/// Reads the parameters of the caller's own list.
pub fn of_caller(query: &Query) -> Result<OwnBookingsQuery> {
    let mut checks = Checks::default();
    let known: Vec<&str> = OF_TEAM.into_iter().chain(OF_CALLER).collect();
    query.allow(&known, &mut checks);
    let read = read(query, &mut checks);
    checks.finish()?;
    Ok(read)
}

/// Looks the event types up that are asked for, which have to exist for the caller; a managed one
/// stands for its children, too.
pub async fn filter(
    db: &mut Db,
    caller: &Caller,
    whose: &Whose,
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
        let known = event_types::known(db, &ids).await?;
        let mut unknown = None;
        for id in &ids {
            let is_visible = match known.iter().find(|(known, _)| known == id) {
                None => false,
                Some((_, hidden)) => !hidden || sees_hidden(db, caller, whose, *id).await?,
            };
            if !is_visible {
                unknown = Some(*id);
                break;
            }
        }
        if let Some(unknown) = unknown {
            let mut checks = Checks::default();
            let complaint = format!("names the unknown event type {unknown}");
            checks.complain(name, &json!(unknown), "exists", &complaint);
            checks.finish()?;
        }
        event_types.push(event_types::with_children(db, &ids).await?);
    }
    Ok(Filter { query, event_types })
}

/// Returns true if a hidden event type exists for the caller: they own, host or run it, or the list shows
/// bookings of it.
async fn sees_hidden(db: &mut Db, caller: &Caller, whose: &Whose, id: i64) -> Result<bool> {
    if let Some(stored) = event_types::get(db, id).await?
        && is_insider(db, caller, &stored).await?
    {
        return Ok(true);
    }
    let ids = event_types::with_children(db, &[id]).await?;
    booking_list::has_any(db, whose, &ids).await
}

fn read(query: &Query, checks: &mut Checks) -> OwnBookingsQuery {
    let list = BookingsQuery {
        status: statuses(query, checks),
        // A "+" that was not escaped arrived as a space; an address has no spaces of its own.
        attendee_email: text(query, "attendeeEmail", checks)
            .map(|email| email.split_whitespace().collect::<Vec<_>>().join("+")),
        attendee_name: text(query, "attendeeName", checks),
        booking_uid: text(query, "bookingUid", checks),
        event_type_ids: ids(query, "eventTypeIds", checks),
        event_type_id: query.integer("eventTypeId", checks),
        after_start: query.instant("afterStart", checks),
        before_end: query.instant("beforeEnd", checks),
        sort_start: query.word("sortStart", &ORDERS, checks),
        sort_end: query.word("sortEnd", &ORDERS, checks),
        sort_created: query.word("sortCreated", &ORDERS, checks),
        take: Some(query.bounded("take", 1..=250, checks).unwrap_or(100)),
        skip: Some(query.bounded("skip", 0..=i64::MAX, checks).unwrap_or(0)),
    };
    OwnBookingsQuery {
        list,
        teams_ids: ids(query, "teamsIds", checks),
        team_id: query.integer("teamId", checks),
        after_created_at: query.instant("afterCreatedAt", checks),
        before_created_at: query.instant("beforeCreatedAt", checks),
        after_updated_at: query.instant("afterUpdatedAt", checks),
        before_updated_at: query.instant("beforeUpdatedAt", checks),
        sort_updated_at: query.word("sortUpdatedAt", &ORDERS, checks),
    }
}

fn text(query: &Query, name: &str, checks: &mut Checks) -> Option<String> {
    let text = query.get(name)?.trim().to_owned();
    if text.is_empty() {
        checks.complain(name, &json!(text), "isNotEmpty", "should not be empty");
        return None;
    }
    Some(text)
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
                let complaint = format!("must be one or more of: {}", known.join(", "));
                checks.complain("status", &json!(name), "isEnum", &complaint);
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
            Err(_) => checks.complain(name, &json!(text), "isNumber", "must be whole numbers"),
        }
    }
    if ids.len() > MAX_FILTER_IDS {
        let complaint = format!("must be at most {MAX_FILTER_IDS}");
        checks.complain(name, &json!(ids.len()), "arrayMaxSize", &complaint);
    }
    ids
}
