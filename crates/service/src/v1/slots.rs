//! Free times.

use booking_wire::Instant;
use booking_wire::v1::{Slot, Slots};
use chrono::SecondsFormat;
use chrono_tz::Tz;
use serde_json::{Value, json};

use super::call::Call;
use super::operation::Kind::{Claim, Moment, Positive, Text, Texts};
use super::operation::{Operation, Parameter, get, run};
use crate::auth::access::Needs::Caller;
use crate::availability::{DAY, Session};
use crate::error::{Error, Result};
use crate::event_types::names::Names;
use crate::input_limits::MAX_SLOT_DAYS;
use crate::slots::search::{Question, free};
use crate::validate::Checks;

/// What several people are booked as.
const GROUP: &str = "dynamic";

/// Operations of this resource.
pub(super) const OPERATIONS: &[Operation] = &[get("/v1/slots", run!(list))
    .about("Free times of an event type by date.")
    .needs(Caller)
    .asks(&[
        Parameter::new("startTime", Moment, "From here on").required(),
        Parameter::new("endTime", Moment, "Up to here, at most 100 days later").required(),
        Parameter::new(
            "eventTypeId",
            Positive,
            "Or usernameList with eventTypeSlug",
        ),
        Parameter::new("eventTypeSlug", Text, "With usernameList"),
        Parameter::new(
            "usernameList",
            Texts,
            "Whose event type; several meet as a group",
        ),
        Parameter::new(
            "orgSlug",
            Text,
            "The organisation of those people, or of the team",
        ),
        Parameter::new(
            "isTeamEvent",
            Claim,
            "Whether usernameList names a team by its slug",
        ),
        Parameter::new(
            "timeZone",
            Text,
            "IANA id; decides the dates, and how times are written",
        ),
        Parameter::new(
            "duration",
            Positive,
            "Minutes; one of the event type's lengths",
        ),
        Parameter::new(
            "rescheduleUid",
            Text,
            "The time of this booking counts as free",
        ),
    ])
    .gives_bare::<Slots>()
    .replaced_by("/v2/slots")];

async fn list(call: Call) -> Result<Value> {
    let question = read(&call)?;
    let caller = Some(&call.caller);
    let (slots, _) = free(
        &call.app,
        caller,
        &question,
        |question, offer, seats, start| {
            let session = offer.calendar.session_at(start);
            Slot {
                time: written(offer.rules.meeting(start).start, question.zone),
                attendees: seats.map(|_| {
                    session.map_or(0, |session: &Session| session.booked + session.reserved)
                }),
                // Whoever knows it sees the booking, and joining needs only the start.
                booking_uid: None,
            }
        },
    )
    .await?;
    Ok(json!(Slots { slots }))
}

fn read(call: &Call) -> Result<Question> {
    let mut checks = Checks::default();
    let query = &call.query;
    let from = query.instant("startTime", &mut checks).unwrap_or_default();
    let to = query.instant("endTime", &mut checks).unwrap_or_default();
    let complain = |checks: &mut Checks, complaint: &str| {
        checks.complain(
            "endTime",
            &query.get("endTime").into(),
            "isAfter",
            complaint,
        );
    };
    if checks.is_clean() && to <= from {
        complain(&mut checks, "must lie after startTime");
    } else if checks.is_clean() && to.0 - from.0 > MAX_SLOT_DAYS * DAY {
        let complaint = format!("must lie within {MAX_SLOT_DAYS} days of startTime");
        complain(&mut checks, &complaint);
    }
    let text = |name: &str| query.get(name).filter(|value| !value.is_empty());
    let id = query.bounded("eventTypeId", 1..=i64::MAX, &mut checks);
    let slug = text("eventTypeSlug").map(str::to_owned);
    let people = query.list("usernameList").unwrap_or_default();
    let by_names =
        slug.is_some() && !people.is_empty() && people.iter().all(|name| !name.is_empty());
    let named = id.is_some() || query.get("eventTypeId").is_some();
    if named == by_names || named && (slug.is_some() || !people.is_empty()) {
        let complaint = "alone, or usernameList with eventTypeSlug, must name the event type";
        checks.complain("eventTypeId", &json!(id), "oneIdentification", complaint);
    }
    let zone = query.zone("timeZone", &mut checks);
    let duration = query.bounded("duration", 1..=1440, &mut checks);
    let words = [("true", true), ("false", false)];
    let of_team = query.word("isTeamEvent", &words, &mut checks) == Some(true);
    if of_team && people.len() > 1 {
        let complaint = "must name one team";
        checks.complain("usernameList", &json!(people), "maxLength", complaint);
    }
    checks.finish()?;
    let is_group = !of_team && people.len() > 1;
    if is_group && slug.as_deref() != Some(GROUP) {
        return Err(Error::NotFound(format!(
            "several people have one event type together: {GROUP}"
        )));
    }
    let first = people.first().cloned();
    Ok(Question {
        names: Names {
            id,
            slug,
            username: first.clone().filter(|_| !of_team),
            team_slug: first.filter(|_| of_team),
            organization_slug: text("orgSlug").map(str::to_owned),
        },
        group: is_group.then_some(people),
        from: from.0,
        // What begins at the end belongs to the next question.
        to: to.0 - 1,
        zone,
        duration,
        ends: false,
        rescheduled: text("rescheduleUid").map(str::to_owned),
    })
}

/// `2027-04-13T11:00:00+04:00` where a zone was asked for, else UTC with milliseconds.
fn written(start: i64, zone: Option<Tz>) -> String {
    let Some(utc) = Instant(start).utc() else {
        return String::new();
    };
    match zone {
        Some(zone) => utc
            .with_timezone(&zone)
            .to_rfc3339_opts(SecondsFormat::Secs, false),
        None => Instant(start).to_string(),
    }
}
