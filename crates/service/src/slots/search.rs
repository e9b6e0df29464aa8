//! Free times (contract 3.4.1).

use std::collections::BTreeMap;

use booking_wire::Instant;
use chrono::Datelike;
use chrono_tz::Tz;
use serde::Serialize;
use serde_json::Value;

use crate::app::AppState;
use crate::auth::Caller;
use crate::availability::{self, DAY, MINUTE, Offer, Session, Span};
use crate::error::Result;
use crate::event_types::access::{is_insider, refuse_outsider};
use crate::event_types::group::find_group;
use crate::event_types::names::Names;
use crate::input_limits::MAX_SLOT_DAYS;
use crate::recent::Moment;
use crate::slots::rules::{length, refuse_managed, rules, with_look_ahead};
use crate::store::busy::{self, Asked};
use crate::store::event_types::{Purpose, Stored};
use crate::store::{Db, bookings};
use crate::validate::{Checks, Query};

const PARAMETERS: [&str; 12] = [
    "start",
    "end",
    "eventTypeId",
    "eventTypeSlug",
    "username",
    "teamSlug",
    "organizationSlug",
    "usernames",
    "timeZone",
    "duration",
    "format",
    "bookingUidToReschedule",
];

/// A start, with its end under `format=range`.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct WrittenSlot {
    /// ISO 8601 with milliseconds and the offset of the zone asked for.
    #[schema(format = DateTime)]
    start: String,
    /// Under `format=range` only.
    #[schema(format = DateTime)]
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<String>,
    #[serde(flatten)]
    seats: Option<WrittenSeats>,
}

/// How full a start of a seated event type is, unless it keeps that to itself
/// (`seats.showAvailabilityCount`). Seats that somebody holds for a moment count as booked.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
struct WrittenSeats {
    /// Taken.
    seats_booked: i64,
    /// Left, at least one.
    seats_remaining: i64,
    /// All.
    seats_total: i64,
}

/// Version of the database at the current second; none if it is not known. See [`crate::recent`].
pub fn moment(app: &AppState) -> Option<Moment> {
    Some(Moment::new(app.clock.now(), app.store.state()?))
}

type Days<T> = BTreeMap<String, Vec<T>>;

/// Free slots by date, and whether every caller would get the same.
pub async fn days(
    app: &AppState,
    caller: Option<&Caller>,
    query: &Query,
) -> Result<(Days<WrittenSlot>, bool)> {
    let mut checks = Checks::default();
    let question = Question::read(query, &mut checks);
    checks.finish()?;
    free(app, caller, &question, Question::written).await
}

/// The free times that a question is about, by date, in the form that `write` gives them, and
/// whether they are the same for every caller. `write` is given how many seats there are, where
/// that is to be counted.
pub async fn free<T>(
    app: &AppState,
    caller: Option<&Caller>,
    question: &Question,
    write: impl Fn(&Question, &Offer<'_>, Option<i64>, i64) -> T,
) -> Result<(Days<T>, bool)> {
    let mut db = app.store.read().await?;
    let stored = match &question.group {
        Some(usernames) => {
            let organization = question.names.organization_slug.as_deref();
            let purpose = Purpose::Booking(organization.unwrap_or_default());
            find_group(&mut db, usernames, purpose).await?
        }
        None => question.names.find(&mut db).await?,
    };
    let is_public = !stored.wire.hidden && !stored.wire.booking_requires_authentication;
    if !is_public && !moves_booking(&mut db, &stored, question).await? {
        let is_insider = match caller {
            Some(caller) => is_insider(&mut db, caller, &stored).await?,
            None => false,
        };
        refuse_outsider(&stored, caller, is_insider, || question.names.missing())?;
    }
    refuse_managed(&stored)?;
    let length = length(&stored.wire, question.duration, "duration")?;
    let rules = rules(&stored, length);
    let now = app.clock.now().0;
    let window = with_look_ahead(&rules, Span::new(question.from, question.to), now);
    let asked = Asked {
        window,
        now,
        moved: question.rescheduled.as_deref(),
    };
    let calendar = busy::calendar(&mut db, &stored, &rules, asked).await?;
    drop(db);

    let offer = Offer {
        rules: &rules,
        calendar: &calendar,
        zone: question.zone.unwrap_or(Tz::UTC),
        now,
    };
    // How full a shared meeting is may be the hosts' own matter.
    let counted = stored
        .seats()
        .filter(|_| stored.wire.seats_show_availability_count != Some(false));
    let days = availability::days(offer, question.from, question.to)
        .into_iter()
        .map(|(date, starts)| {
            let slot = |start| write(question, &offer, counted, start);
            (date.to_string(), starts.into_iter().map(slot).collect())
        })
        .collect();
    Ok((days, is_public))
}

/// Returns true if the question is about moving a booking of this event type: its uid, or that of a seat
/// in it, gives access to other times of it.
async fn moves_booking(db: &mut Db, stored: &Stored, question: &Question) -> Result<bool> {
    let Some(uid) = &question.rescheduled else {
        return Ok(false);
    };
    let booked = bookings::event_type_of(db, uid).await?;
    Ok(booked == Some(stored.wire.id))
}

/// What is asked.
#[derive(Clone, Debug, Default)]
pub struct Question {
    /// The event type.
    pub names: Names,
    /// User names, if the question is about people who are to meet.
    pub group: Option<Vec<String>>,
    /// Epoch milliseconds.
    pub from: i64,
    /// Epoch milliseconds.
    pub to: i64,
    /// Decides the dates.
    pub zone: Option<Tz>,
    /// Minutes.
    pub duration: Option<i64>,
    /// Whether ends are to be written, too.
    pub ends: bool,
    /// The time of this booking counts as free.
    pub rescheduled: Option<String>,
}

impl Question {
    fn read(query: &Query, checks: &mut Checks) -> Self {
        query.allow(&PARAMETERS, checks);
        let text = |name: &str| {
            query
                .get(name)
                .filter(|value| !value.is_empty())
                .map(str::to_owned)
        };
        let names = Names {
            id: query.integer("eventTypeId", checks),
            slug: text("eventTypeSlug"),
            username: text("username"),
            team_slug: text("teamSlug"),
            organization_slug: text("organizationSlug"),
        };
        let group = query.list("usernames");
        if let Some(usernames) = &group {
            check_group(usernames, &names, checks);
        } else if names.id.is_some() || query.get("eventTypeId").is_none() {
            names.check(checks);
        }
        for required in ["start", "end"] {
            if query.get(required).is_none() {
                checks.complain(
                    required,
                    &Value::Null,
                    "isDateString",
                    "must be a valid ISO 8601 date string",
                );
            }
        }
        let from = query.instant("start", checks).unwrap_or_default();
        let mut to = query.instant("end", checks).unwrap_or_default();
        if to.0.rem_euclid(DAY) == 0 {
            // The last day is meant as a whole.
            to.0 += DAY - 1000;
        }
        if checks.is_clean() && to < from {
            checks.complain(
                "end",
                &query.get("end").into(),
                "isAfter",
                "must not lie before start",
            );
        }
        if checks.is_clean() && to.0 - from.0 > MAX_SLOT_DAYS * DAY {
            checks.complain(
                "end",
                &query.get("end").into(),
                "maxRange",
                &format!("must lie within {MAX_SLOT_DAYS} days of start"),
            );
        }
        let format = query.get("format").map(str::to_ascii_lowercase);
        if !matches!(format.as_deref(), None | Some("time" | "range")) {
            checks.complain(
                "format",
                &query.get("format").into(),
                "isEnum",
                "must be one of: range, time",
            );
        }
        Self {
            names,
            group,
            from: from.0,
            to: to.0,
            zone: query.zone("timeZone", checks),
            duration: query.bounded("duration", 1..=1440, checks),
            ends: format.as_deref() == Some("range"),
            rescheduled: text("bookingUidToReschedule"),
        }
    }

    fn written(&self, offer: &Offer<'_>, seats: Option<i64>, start: i64) -> WrittenSlot {
        let meeting = offer.rules.meeting(start);
        let session = offer.calendar.session_at(start);
        WrittenSlot {
            start: written(meeting.start, self.zone),
            end: self.ends.then(|| written(meeting.end, self.zone)),
            seats: seats.map(|seats| WrittenSeats {
                seats_booked: session.map_or(0, |session| session.booked + session.reserved),
                seats_remaining: session.map_or(seats, Session::seats_left),
                seats_total: session.map_or(seats, |session| session.seats),
            }),
        }
    }
}

/// A group is named by nothing but its people and their organisation.
fn check_group(usernames: &[String], names: &Names, checks: &mut Checks) {
    let alone = names.id.is_none()
        && names.slug.is_none()
        && names.username.is_none()
        && names.team_slug.is_none();
    if !alone || names.organization_slug.is_none() {
        checks.complain(
            "usernames",
            &usernames.into(),
            "oneIdentification",
            "together with organizationSlug, and with no other name, must name the group",
        );
    }
}

/// ISO 8601 with milliseconds and the zone's offset, or `Z` if no zone was asked for.
///
/// A month has hundreds of starts, so the digits are put down one by one: the formatting
/// machinery would take longer than the rest of the answer.
fn written(instant: i64, zone: Option<Tz>) -> String {
    let offset = zone.map(|zone| availability::schedule::offset_at(instant, zone) / MINUTE);
    let local = instant + offset.unwrap_or(0) * MINUTE;
    let Some(day) = Instant(local).day() else {
        return String::new();
    };
    let millis = local.rem_euclid(DAY);
    let seconds = millis / 1000;
    let mut text = String::with_capacity("2027-03-29T09:00:00.000+02:00".len());
    let mut put = |before: &str, number: i64, digits: u32| {
        text.push_str(before);
        for place in (0..digits).rev() {
            let digit = number / 10_i64.pow(place) % 10;
            text.extend(u8::try_from(digit).map(|digit| char::from(b'0' + digit)));
        }
    };
    put("", day.year().into(), 4);
    put("-", day.month().into(), 2);
    put("-", day.day().into(), 2);
    put("T", seconds / 3600, 2);
    put(":", seconds / 60 % 60, 2);
    put(":", seconds % 60, 2);
    put(".", millis % 1000, 3);
    match offset {
        None => text.push('Z'),
        Some(offset) => {
            put(if offset < 0 { "-" } else { "+" }, offset.abs() / 60, 2);
            put(":", offset.abs() % 60, 2);
        }
    }
    text
}
