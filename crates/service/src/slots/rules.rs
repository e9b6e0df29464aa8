//! From an event type's wire fields to the rules that decide about its times.

use booking_wire::{EventType, Instant};
use chrono_tz::Tz;
use serde_json::Value;

use crate::availability::window::LOOK_AHEAD_DAYS;
use crate::availability::{self, Combine, DAY, Decision, Offer, Refusal, Rules, Span, Window};
use crate::error::{Error, Result};
use crate::store::Db;
use crate::store::busy::{self, Asked};
use crate::store::event_types::Stored;
use crate::validate::Checks;

/// The rules of an event type for a meeting of `length` minutes.
pub fn rules(stored: &Stored, length: i64) -> Rules {
    let wire = &stored.wire;
    Rules {
        length,
        // A chosen length lays out its own starts, unless the event type fixes the interval.
        interval: wire.slot_interval,
        notice: wire.minimum_booking_notice,
        before: wire.before_event_buffer,
        after: wire.after_event_buffer,
        offset_start: wire.offset_start.max(0),
        optimized: stored.optimized,
        window: window(&wire.booking_window),
        limits: stored.limits.clone(),
        only_first: wire.only_show_first_available_slot,
        combine: if stored.is_collective() {
            Combine::Everyone
        } else {
            Combine::AnyRotating
        },
        seated: stored.is_seated(),
    }
}

/// A start that somebody wants, to be decided about.
#[derive(Clone, Copy, Debug)]
pub struct Candidate<'a> {
    /// Epoch milliseconds.
    pub start: i64,
    /// Minutes.
    pub length: i64,
    /// The zone of whoever asks.
    pub zone: Tz,
    /// The present moment.
    pub now: Instant,
    /// The uid of the booking that is to be moved there.
    pub moved: Option<&'a str>,
    /// True if whoever asks holds it already.
    pub is_held: bool,
}

/// Decides whether a start can be booked or held, and by whom. What it reads is true until the
/// transaction ends; [`refusal`] words the verdict.
pub async fn decide(
    db: &mut Db,
    stored: &Stored,
    candidate: Candidate<'_>,
) -> Result<Result<Decision, Refusal>> {
    let rules = rules(stored, candidate.length);
    let now = candidate.now.0;
    let meeting = rules.meeting(candidate.start);
    // The first start of a date may lie a day before.
    let window = Span::new(meeting.start - 2 * DAY, meeting.end + DAY);
    let asked = Asked {
        window: with_look_ahead(&rules, window, now),
        now,
        moved: candidate.moved,
    };
    let calendar = busy::calendar(db, stored, &rules, asked).await?;
    if calendar.hosts.is_empty() {
        return Err(Error::Unprocessable("the event type has no hosts".into()));
    }
    let offer = Offer {
        rules: &rules,
        calendar: &calendar,
        zone: candidate.zone,
        now,
    };
    let asked = availability::Candidate {
        start: candidate.start,
        is_held: candidate.is_held,
        from_any_zone: true,
    };
    Ok(availability::decide(offer, asked))
}

/// The range that has to be known to answer about `window`: which days are the first ones with
/// free times is seen from today on.
pub fn with_look_ahead(rules: &Rules, window: Span, now: i64) -> Span {
    if rules.window.is_rolling() {
        Span::new(
            window.start.min(now),
            window.end.max(now + (LOOK_AHEAD_DAYS + 2) * DAY),
        )
    } else {
        window
    }
}

/// Words the refusal of a booking: a conflict if the time was lost to somebody else (contract
/// 3.5.3).
pub fn refusal(refusal: Refusal) -> Error {
    let text = match refusal {
        Refusal::Taken => {
            return Error::Conflict(
                "this time is no longer available: another booking or reservation has taken it"
                    .into(),
            );
        }
        Refusal::Full => {
            return Error::Conflict(
                "this time is no longer available: all its seats are taken".into(),
            );
        }
        Refusal::Past => "start lies in the past",
        Refusal::TooSoon => "start lies too soon: the event type asks for more notice",
        Refusal::OutsideWindow => "start lies outside the event type's booking window",
        Refusal::NotOffered => "start is not available: it is no slot of this event type",
        Refusal::LimitReached => {
            "start is not available: the event type has been booked as often as it may be in that period"
        }
    };
    Error::BadRequest(text.into())
}

/// The length in minutes that is asked for under the name `property`, or the default one.
pub fn length(event_type: &EventType, asked: Option<i64>, property: &str) -> Result<i64> {
    let lengths = event_type.lengths();
    match asked {
        None => Ok(event_type.length_in_minutes),
        Some(length) if lengths.contains(&length) => Ok(length),
        Some(length) => {
            let offered: Vec<String> = lengths.iter().map(i64::to_string).collect();
            let mut checks = Checks::default();
            checks.complain(
                property,
                &length.into(),
                "isIn",
                &format!("must be one of: {}", offered.join(", ")),
            );
            checks.finish()?;
            Err(Error::Internal)
        }
    }
}

/// Refuses event types that cannot be asked for times.
pub fn refuse_managed(stored: &Stored) -> Result<()> {
    if stored.is_managed() {
        return Err(Error::BadRequest(
            "a managed event type is a template: ask for one of its children".into(),
        ));
    }
    Ok(())
}

fn window(value: &Value) -> Window {
    let text = |value: &Value| {
        value
            .as_str()
            .and_then(|text| text.get(..10))
            .and_then(|text| text.parse().ok())
    };
    let days = value
        .get("value")
        .and_then(Value::as_i64)
        .unwrap_or(0)
        .clamp(0, 3660);
    let rolling = value
        .get("rolling")
        .and_then(Value::as_bool)
        .unwrap_or(false);
    match value.get("type").and_then(Value::as_str) {
        Some(kind @ ("businessDays" | "calendarDays")) => {
            let business = kind == "businessDays";
            if rolling {
                Window::Rolling { days, business }
            } else {
                Window::Ahead { days, business }
            }
        }
        Some("range") => {
            let ends = value.get("value").and_then(Value::as_array);
            let end = |index: usize| ends.and_then(|ends| ends.get(index)).and_then(text);
            match (end(0), end(1)) {
                (Some(from), Some(to)) => Window::Between { from, to },
                _ => Window::Open,
            }
        }
        _ => Window::Open,
    }
}
