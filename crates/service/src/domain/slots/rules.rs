//! Availability rules of an event type, from its wire fields.

use booking_rules::BookingWindow;
use booking_rules::availability::{Calendar, DAY, Rules, SchedulingType, TimeRange};
use booking_rules::bookable_dates::MAX_ROLLING_DAYS;
use booking_wire::{EventType, Instant, Read};

use crate::app::AppState;
use crate::cache::calendars::CurrentEventType;
use crate::error::{Error, Result};
use crate::store::Db;
use crate::store::busy::{self, BusyQuery, KnownHosts};
use crate::store::event_types::{self, StoredEventType};
use crate::validate::Checks;

/// Returns the availability rules of an event type for a meeting of `length` minutes.
pub fn rules(stored: &StoredEventType, length: i64) -> Rules {
    let wire = &stored.wire;
    Rules {
        length,
        // Without an interval, the chosen length determines the slot grid.
        interval: wire.slot_interval,
        notice: wire.minimum_booking_notice,
        buffer_before: wire.before_event_buffer,
        buffer_after: wire.after_event_buffer,
        offset_start: wire.offset_start.max(0),
        optimized: stored.optimized,
        window: BookingWindow::read(&wire.booking_window).unwrap_or_default(),
        limits: stored.limits.clone(),
        only_first: wire.only_show_first_available_slot,
        scheduling_type: if stored.is_collective() {
            SchedulingType::Everyone
        } else {
            SchedulingType::AnyRotating
        },
        seated: stored.is_seated(),
    }
}

/// Returns the query for meetings with starts from `first` to `last`.
pub fn starts_query(rules: &Rules, (first, last): (i64, i64), now: i64) -> BusyQuery<'static> {
    // The first slot of a date may start a day before.
    let window = TimeRange::new(first - 2 * DAY, rules.meeting(last).end + DAY);
    BusyQuery {
        window: extend_for_rolling_window(rules, window, now),
        now,
        moved: None,
    }
}

/// Returns the hosts and working hours for meetings with starts from `first` to `last`, to be checked in the
/// transaction ([`read_calendar`]).
pub async fn known_hosts(
    app: &AppState,
    db: &mut Db,
    current: &CurrentEventType,
    length_minutes: i64,
    (first, last): (i64, i64),
    now: Instant,
) -> Result<KnownHosts> {
    let rules = rules(&current.stored, length_minutes);
    let query = starts_query(&rules, (first, last), now.0);
    app.calendar_cache.known_hosts(db, current, query).await
}

/// Reads the hosts, their working hours and busy times. Rejects an event type without hosts.
pub async fn read_calendar(
    db: &mut Db,
    stored: &StoredEventType,
    rules: &Rules,
    query: BusyQuery<'_>,
    known: Option<&KnownHosts>,
) -> Result<Calendar> {
    let calendar = busy::calendar(db, stored, rules, query, known).await?;
    if calendar.hosts.is_empty() {
        return Err(error_without_hosts(db, stored).await?);
    }
    Ok(calendar)
}

/// Returns the error for an event type without hosts. It may have been read before the transaction, and been deleted
/// since.
async fn error_without_hosts(db: &mut Db, stored: &StoredEventType) -> Result<Error> {
    let is_there = stored.is_group() || event_types::get(db, stored.wire.id).await?.is_some();
    Ok(if is_there {
        Error::Unprocessable("the event type has no hosts".into())
    } else {
        Error::NotFound("the event type is no longer there".into())
    })
}

/// Returns the range to read busy times of for a query about `window`. A rolling booking window is
/// counted from today, so that it needs the range from now on.
pub fn extend_for_rolling_window(rules: &Rules, window: TimeRange, now: i64) -> TimeRange {
    if rules.window.is_rolling() {
        TimeRange::new(
            window.start.min(now),
            window.end.max(now + (MAX_ROLLING_DAYS + 2) * DAY),
        )
    } else {
        window
    }
}

/// Returns the requested length in minutes, or the default one. `property` is the name of the
/// parameter for the error.
///
/// # Errors
///
/// A validation error if the event type does not have the length.
pub fn resolve_length(
    event_type: &EventType,
    requested: Option<i64>,
    property: &str,
) -> Result<i64> {
    let lengths = event_type.lengths();
    match requested {
        None => Ok(event_type.length_in_minutes),
        Some(length) if lengths.contains(&length) => Ok(length),
        Some(length) => {
            let offered: Vec<String> = lengths.iter().map(i64::to_string).collect();
            Err(Checks::error(
                property,
                &length.into(),
                "isIn",
                &format!("must be one of: {}", offered.join(", ")),
            ))
        }
    }
}

/// Rejects managed event types, which are templates and have no slots.
pub fn reject_managed(stored: &StoredEventType) -> Result<()> {
    if stored.is_managed() {
        return Err(Error::BadRequest(
            "a managed event type is a template: ask for one of its children".into(),
        ));
    }
    Ok(())
}
