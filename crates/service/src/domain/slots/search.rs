//! Search for slots.

use std::collections::BTreeMap;
use std::sync::Arc;

use booking_rules::availability::{
    self, Calendar, DAY, MINUTE, Rules, SeatedMeeting, SlotSearch, TimeRange,
};
use booking_wire::Instant;
use booking_wire::event_type::MAX_LENGTH_MINUTES;
use booking_zones::{Offsets, UTC, Zone};
use chrono::Datelike;
use serde::Serialize;
use serde_json::Value;

use crate::app::AppState;
use crate::auth::Caller;
use crate::cache::slots::CacheVersion;
use crate::domain::event_types::access::authorise_booker;
use crate::domain::event_types::current::find_current;
use crate::domain::event_types::names::EventTypeNames;
use crate::domain::slots::rules::{
    extend_for_rolling_window, reject_managed, resolve_length, rules, starts_query,
};
use crate::domain::slots::series::{counted_starts, later_days};
use crate::error::Result;
use crate::input_limits::MAX_SLOT_DAYS;
use crate::store::busy::{BusyQuery, MovedBooking};
use crate::store::event_types::StoredEventType;
use crate::store::{Db, bookings};
use crate::validate::{Checks, Query};

/// A slot: its start, and its end with `format=range`.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WrittenSlot)]
pub struct SlotResponse {
    /// ISO 8601 with milliseconds and the offset of the requested time zone.
    #[schema(format = DateTime)]
    start: String,
    /// End, with `format=range` only.
    #[schema(format = DateTime)]
    #[serde(skip_serializing_if = "Option::is_none")]
    end: Option<String>,
    #[serde(flatten)]
    seats: Option<SeatsResponse>,
}

/// Seats of a slot of a seated event type, unless `seats.showAvailabilityCount` is off. Reserved
/// seats count as booked.
#[derive(Debug, Serialize, utoipa::ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = WrittenSeats)]
struct SeatsResponse {
    /// Booked or reserved seats.
    seats_booked: i64,
    /// Remaining seats, at least one.
    seats_remaining: i64,
    /// All seats.
    seats_total: i64,
}

/// Returns the current cache version; none if the write version of the database is unknown. See
/// [`crate::cache::slots`].
pub fn cache_version(app: &AppState) -> Option<CacheVersion> {
    Some(CacheVersion::new(
        app.clock.now(),
        app.store.write_version()?,
    ))
}

type SlotsByDate<T> = BTreeMap<String, Vec<T>>;

/// Returns the slots by date, and true if they are the same for every caller.
pub async fn slots_by_date(
    app: &AppState,
    caller: Option<&Caller>,
    query: &Query,
) -> Result<(SlotsByDate<SlotResponse>, bool)> {
    let mut checks = Checks::default();
    let query = SlotsQuery::read(query, &mut checks);
    checks.finish()?;
    search_slots(app, caller, &query, |slots, start| slots.to_response(start)).await
}

/// Slots of a query that are written to a response.
pub struct FoundSlots<'a> {
    query: &'a SlotsQuery,
    search: SlotSearch<'a>,
    /// Offsets of the query's zone; none without one.
    offsets: Option<Offsets<'a>>,
    /// Seats of a meeting, if the event type shows their number.
    pub seats: Option<i64>,
}

impl FoundSlots<'_> {
    /// Returns the meeting of a start.
    pub fn meeting(&self, start: i64) -> TimeRange {
        self.search.rules.meeting(start)
    }

    /// Returns the meeting with seats that begins at a start.
    pub fn seated_meeting(&self, start: i64) -> Option<&SeatedMeeting> {
        self.search.calendar.seated_meeting_at(start)
    }

    /// Formats epoch milliseconds with milliseconds and the offset of the query's zone, or `Z` without one.
    pub fn format(&self, instant_ms: i64) -> String {
        let offset_s = (self.offsets.as_ref()).map(|offsets| offsets.at(Instant(instant_ms)));
        format_instant(instant_ms, offset_s)
    }

    fn to_response(&self, start: i64) -> SlotResponse {
        let meeting = self.meeting(start);
        let seated = self.seated_meeting(start);
        SlotResponse {
            start: self.format(meeting.start),
            end: (self.query.includes_ends).then(|| self.format(meeting.end)),
            seats: self.seats.map(|seats| SeatsResponse {
                seats_booked: seated.map_or(0, |meeting| meeting.booked + meeting.reserved),
                seats_remaining: seated.map_or(seats, SeatedMeeting::seats_left),
                seats_total: seated.map_or(seats, |meeting| meeting.seats),
            }),
        }
    }
}

/// Returns the slots for `query` by date, and true if they are the same for every caller. `to_slot` converts a start.
pub async fn search_slots<T>(
    app: &AppState,
    caller: Option<&Caller>,
    query: &SlotsQuery,
    to_slot: impl Fn(&FoundSlots<'_>, i64) -> T,
) -> Result<(SlotsByDate<T>, bool)> {
    let now = app.clock.now().0;
    let found = app
        .store
        .read_with_lag(move |mut db| async move {
            find_calendar(app, &mut db, caller, query, now).await
        })
        .await?;
    let FoundCalendar {
        stored,
        rules,
        calendar,
        series,
        is_public,
    } = &found;

    let search = SlotSearch {
        rules,
        calendar,
        zone: query.zone.as_ref().unwrap_or(&UTC),
        now,
    };
    let slots = FoundSlots {
        query,
        search,
        offsets: query.zone.as_ref().map(Zone::offsets),
        // The event type may hide the number of seats.
        seats: (stored.seats())
            .filter(|_| stored.wire.seats_show_availability_count != Some(false)),
    };
    let days = match series {
        Some(starts) => later_days(search, starts),
        None => availability::days(search, query.from_ms, query.to_ms),
    };
    let days = days
        .into_iter()
        .map(|(date, starts)| {
            let slot = |start| to_slot(&slots, start);
            (date.to_string(), starts.into_iter().map(slot).collect())
        })
        .collect();
    Ok((days, *is_public))
}

/// Event type and calendar that slots are computed from.
struct FoundCalendar {
    stored: Arc<StoredEventType>,
    rules: Rules,
    calendar: Calendar,
    /// Starts of the series whose days are queried.
    series: Option<Vec<Instant>>,
    /// True if every caller may see the slots.
    is_public: bool,
}

/// Finds the event type of `query` and reads the calendar of its hosts.
async fn find_calendar(
    app: &AppState,
    db: &mut Db,
    caller: Option<&Caller>,
    query: &SlotsQuery,
    now: i64,
) -> Result<FoundCalendar> {
    let current = find_current(app, db, &query.names, query.group.as_deref()).await?;
    let stored = current.stored.as_ref();
    let is_public = !stored.wire.closed && !stored.wire.booking_requires_authentication;
    if !is_public && !is_reschedule(db, stored, query).await? {
        authorise_booker(db, stored, caller, || query.names.missing()).await?;
    }
    reject_managed(stored)?;
    let length_minutes = resolve_length(&stored.wire, query.length_minutes, "duration")?;
    let rules = rules(stored, length_minutes);
    let series = series_starts(stored, query)?;
    let moved = match &query.rescheduled_uid {
        // Hosts have credentials and move all seats of a meeting; attendees have one of them.
        Some(uid) => MovedBooking::find(db, uid, caller.is_some()).await?,
        None => None,
    };
    let range = TimeRange::new(query.from_ms, query.to_ms);
    let first_and_last = series
        .iter()
        .flat_map(|starts| starts.first().zip(starts.last()));
    let window = match first_and_last.last() {
        Some((first, last)) => starts_query(&rules, (first.0, last.0), now).window,
        None => extend_for_rolling_window(&rules, range, now),
    };
    let busy_query = BusyQuery {
        window,
        now,
        moved: moved.as_ref(),
    };
    let calendar = app
        .calendar_cache
        .calendar(db, &current, &rules, busy_query)
        .await?;
    Ok(FoundCalendar {
        stored: current.stored.clone(),
        rules,
        calendar,
        series,
        is_public,
    })
}

/// Returns the starts of the series whose days are queried; none for a query about a range.
fn series_starts(stored: &StoredEventType, query: &SlotsQuery) -> Result<Option<Vec<Instant>>> {
    let Some(count) = query.recurrence_count else {
        return Ok(None);
    };
    let mut checks = Checks::default();
    let (first, zone) = (Instant(query.from_ms), query.zone.as_ref());
    let starts = stored.wire.recurrence.as_ref().map(|recurrence| {
        counted_starts(
            first,
            zone.unwrap_or(&UTC),
            recurrence,
            Some(count),
            &mut checks,
        )
    });
    if starts.is_none() {
        let message = "is for recurring event types only";
        checks.report("recurrenceCount", &count.into(), "notRecurring", message);
    }
    checks.finish()?;
    Ok(starts)
}

/// Returns true if the query is for rescheduling a booking of this event type: the uid of the
/// booking, or of a seat in it, gives access to the slots.
async fn is_reschedule(db: &mut Db, stored: &StoredEventType, query: &SlotsQuery) -> Result<bool> {
    let Some(uid) = &query.rescheduled_uid else {
        return Ok(false);
    };
    let event_type_id = bookings::event_type_id_of(db, uid).await?;
    Ok(event_type_id == Some(stored.wire.id))
}

/// Query for slots.
#[derive(Clone, Debug, Default)]
pub struct SlotsQuery {
    /// Identification of the event type.
    pub names: EventTypeNames,
    /// User names of a group.
    pub group: Option<Vec<String>>,
    /// Start of the range, in epoch milliseconds.
    pub from_ms: i64,
    /// End of the range, in epoch milliseconds.
    pub to_ms: i64,
    /// Time zone of the dates; UTC if none.
    pub zone: Option<Zone>,
    /// Length of the meeting; none for the default length.
    pub length_minutes: Option<i64>,
    /// True if the response includes the ends.
    pub includes_ends: bool,
    /// Uid of the booking to reschedule, whose time counts as free.
    pub rescheduled_uid: Option<String>,
    /// Number of meetings of the series that begins at the start of the range, for the slots on the days of the others.
    pub recurrence_count: Option<i64>,
}

impl SlotsQuery {
    fn read(query: &Query, checks: &mut Checks) -> Self {
        let text = |name: &str| {
            query
                .get(name)
                .filter(|value| !value.is_empty())
                .map(str::to_owned)
        };
        let names = EventTypeNames {
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
                checks.report(
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
            // A date includes the whole day.
            to.0 += DAY - 1000;
        }
        if checks.is_clean() && to < from {
            checks.report(
                "end",
                &query.get("end").into(),
                "isAfter",
                "must not lie before start",
            );
        }
        if checks.is_clean() && to.0 - from.0 > MAX_SLOT_DAYS * DAY {
            checks.report(
                "end",
                &query.get("end").into(),
                "maxRange",
                &format!("must lie within {MAX_SLOT_DAYS} days of start"),
            );
        }
        let format = query.get("format").map(str::to_ascii_lowercase);
        if !matches!(format.as_deref(), None | Some("time" | "range")) {
            checks.report(
                "format",
                &query.get("format").into(),
                "isEnum",
                "must be one of: range, time",
            );
        }
        let found = Self {
            names,
            group,
            from_ms: from.0,
            to_ms: to.0,
            zone: query.zone("timeZone", checks),
            length_minutes: query.bounded("duration", 1..=MAX_LENGTH_MINUTES, checks),
            includes_ends: format.as_deref() == Some("range"),
            rescheduled_uid: text("bookingUidToReschedule"),
            recurrence_count: query.bounded("recurrenceCount", 1..=i64::MAX, checks),
        };
        query.reject_unread(checks);
        found
    }
}

/// Checks that a group is identified by user names and organisation only.
fn check_group(usernames: &[String], names: &EventTypeNames, checks: &mut Checks) {
    let has_no_other_name = names.id.is_none()
        && names.slug.is_none()
        && names.username.is_none()
        && names.team_slug.is_none();
    if !has_no_other_name || names.organization_slug.is_none() {
        checks.report(
            "usernames",
            &usernames.into(),
            "oneIdentification",
            "together with organizationSlug, and with no other name, must name the group",
        );
    }
}

/// Formats epoch milliseconds as ISO 8601 with milliseconds and an offset in seconds, or `Z` without one.
///
/// A month has hundreds of starts, so the digits are written directly: a general formatter takes
/// longer than the rest of the response.
fn format_instant(instant_ms: i64, offset_s: Option<i64>) -> String {
    let offset = offset_s.map(|seconds| seconds / 60);
    let local_ms = instant_ms + offset.unwrap_or(0) * MINUTE;
    let Some(day) = Instant(local_ms).day() else {
        return String::new();
    };
    let millis = local_ms.rem_euclid(DAY);
    let seconds = millis / 1000;
    let mut text = String::with_capacity("2027-03-29T09:00:00.000+02:00".len());
    let mut put = |before: &str, number: i64, digits: u32| {
        text.push_str(before);
        for power in (0..digits).rev() {
            let digit = number / 10_i64.pow(power) % 10;
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
