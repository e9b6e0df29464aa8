//! Available slots.

use booking_rules::availability::{DAY, SeatedMeeting};
use booking_wire::event_type::MAX_LENGTH_MINUTES;
use booking_wire::v1::{Slot, Slots};
use serde_json::{Value, json};

use crate::auth::access::Requirement::Caller;
use crate::domain::event_types::names::EventTypeNames;
use crate::domain::slots::search::{FoundSlots, SlotsQuery, search_slots};
use crate::error::{Error, Result};
use crate::http::v1::call::Call;
use crate::http::v1::operation::ParameterKind::{Boolean, DateTime, Positive, Text, Texts};
use crate::http::v1::operation::{Operation, Parameter, get, handler};
use crate::input_limits::MAX_SLOT_DAYS;
use crate::validate::Checks;

/// Slug of the event type of a group of users.
const GROUP_SLUG: &str = "dynamic";

/// Operations of this resource.
pub(crate) const OPERATIONS: &[Operation] = &[get("/v1/slots", handler!(list))
    .summary("Available slots of an event type by date.")
    .requires(Caller)
    .query(&[
        Parameter::new("startTime", DateTime, "Start of the time range").required(),
        Parameter::new(
            "endTime",
            DateTime,
            "End of the time range, at most 100 days later",
        )
        .required(),
        Parameter::new(
            "eventTypeId",
            Positive,
            "Event type; alternative to usernameList with eventTypeSlug",
        ),
        Parameter::new(
            "eventTypeSlug",
            Text,
            "Slug of the event type, with usernameList",
        ),
        Parameter::new(
            "usernameList",
            Texts,
            "Users who own the event type; several are booked as a group",
        ),
        Parameter::new("orgSlug", Text, "Organisation of the users or of the team"),
        Parameter::new(
            "isTeamEvent",
            Boolean,
            "True if usernameList contains the slug of a team",
        ),
        Parameter::new(
            "timeZone",
            Text,
            "IANA id; determines the dates and the offsets of the times",
        ),
        Parameter::new(
            "duration",
            Positive,
            "Minutes; one of the event type's lengths",
        ),
        Parameter::new(
            "rescheduleUid",
            Text,
            "Booking to be rescheduled: its time counts as available",
        ),
    ])
    .returns_bare::<Slots>()
    .replaced_by("/v2/slots")];

async fn list(call: Call) -> Result<Value> {
    let query = read(&call)?;
    let caller = Some(&call.caller);
    let (slots, _) = search_slots(&call.app, caller, &query, |found, start| {
        let seated_meeting = found.seated_meeting(start);
        Slot {
            time: format_start(found, found.meeting(start).start),
            attendees: found.seats.map(|_| {
                seated_meeting.map_or(0, |seated_meeting: &SeatedMeeting| {
                    seated_meeting.booked + seated_meeting.reserved
                })
            }),
            // Not disclosed: the uid gives access to the booking. Joining needs only the start.
            booking_uid: None,
        }
    })
    .await?;
    Ok(json!(Slots { slots }))
}

fn read(call: &Call) -> Result<SlotsQuery> {
    let mut checks = Checks::default();
    let query = &call.query;
    let from = query.instant("startTime", &mut checks).unwrap_or_default();
    let to = query.instant("endTime", &mut checks).unwrap_or_default();
    let report = |checks: &mut Checks, message: &str| {
        checks.report("endTime", &query.get("endTime").into(), "isAfter", message);
    };
    if checks.is_clean() && to <= from {
        report(&mut checks, "must lie after startTime");
    } else if checks.is_clean() && to.0 - from.0 > MAX_SLOT_DAYS * DAY {
        let message = format!("must lie within {MAX_SLOT_DAYS} days of startTime");
        report(&mut checks, &message);
    }
    let text = |name: &str| query.get(name).filter(|value| !value.is_empty());
    let id = query.bounded("eventTypeId", 1..=i64::MAX, &mut checks);
    let slug = text("eventTypeSlug").map(str::to_owned);
    let usernames = query.list("usernameList").unwrap_or_default();
    let by_names =
        slug.is_some() && !usernames.is_empty() && usernames.iter().all(|name| !name.is_empty());
    let has_id = id.is_some() || query.get("eventTypeId").is_some();
    if has_id == by_names || has_id && (slug.is_some() || !usernames.is_empty()) {
        let message = "alone, or usernameList with eventTypeSlug, must name the event type";
        checks.report("eventTypeId", &json!(id), "oneIdentification", message);
    }
    let zone = query.zone("timeZone", &mut checks);
    let duration = query.bounded("duration", 1..=MAX_LENGTH_MINUTES, &mut checks);
    let booleans = [("true", true), ("false", false)];
    let is_team = query.one_of("isTeamEvent", &booleans, &mut checks) == Some(true);
    if is_team && usernames.len() > 1 {
        let message = "must name one team";
        checks.report("usernameList", &json!(usernames), "maxLength", message);
    }
    checks.finish()?;
    let is_group = !is_team && usernames.len() > 1;
    if is_group && slug.as_deref() != Some(GROUP_SLUG) {
        return Err(Error::NotFound(format!(
            "several people have one event type together: {GROUP_SLUG}"
        )));
    }
    let first = usernames.first().cloned();
    Ok(SlotsQuery {
        names: EventTypeNames {
            id,
            slug,
            username: first.clone().filter(|_| !is_team),
            team_slug: first.filter(|_| is_team),
            organization_slug: text("orgSlug").map(str::to_owned),
        },
        group: is_group.then_some(usernames),
        from_ms: from.0,
        // The end is exclusive.
        to_ms: to.0 - 1,
        zone,
        length_minutes: duration,
        includes_ends: false,
        rescheduled_uid: text("rescheduleUid").map(str::to_owned),
        recurrence_count: None,
    })
}

/// Formats a start: `2027-04-13T11:00:00+04:00` with a zone, else UTC with milliseconds.
fn format_start(found: &FoundSlots<'_>, start: i64) -> String {
    let text = found.format(start);
    if text.ends_with('Z') {
        return text;
    }
    text.replacen(".000", "", 1)
}
