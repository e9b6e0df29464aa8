//! Reads working hours and busy times of the hosts of an event type. Which bookings block time is
//! decided in [`booking_rules::transitions`].
//!
//! Each part is read for a range and selected for a query afterwards, so that
//! [`crate::cache::calendars`] can keep parts of larger ranges.

mod busy_times;
mod meetings;
pub mod reservations;
mod scope;
mod versions;
mod working_hours;

pub use busy_times::{HostBusyTimes, busy_times};
pub use meetings::{CountedMeetings, SeatedRows, counted_meetings, seated_rows};
pub use scope::{BusyQuery, MovedBooking, Scope};
pub use versions::{CalendarVersions, setup_version, versions};
pub use working_hours::working_hours;

use booking_rules::availability::{Calendar, Host, Rules, TimeRange};
use booking_store_engine::connection::Db;

use crate::error::{Error, Result};
use crate::store::event_types::StoredEventType;

/// Hosts of an event type and their working hours, which were read before the transaction.
#[derive(Clone, Debug)]
pub struct KnownHosts {
    /// The hosts, without busy times.
    pub hosts: Vec<Host>,
    /// Range of the dates with hours of their own.
    pub range: TimeRange,
    /// Version that they were read with: see [`CalendarVersions::setup`].
    pub setup: i64,
}

/// Reads the hosts of an event type with their working hours and busy times, as far as starts
/// inside the window need them. What is known is not read again.
///
/// # Errors
///
/// [`Error::ConcurrentChange`] if what is known has changed.
pub async fn calendar(
    db: &mut Db,
    stored: &StoredEventType,
    rules: &Rules,
    query: BusyQuery<'_>,
    known: Option<&KnownHosts>,
) -> Result<Calendar> {
    let scope = Scope::of(stored, query);
    let mut hosts = match known {
        Some(known) if known.range.contains(scope.range) => known.hosts.clone(),
        _ => working_hours(db, stored, scope.range).await?,
    };
    if hosts.is_empty() {
        return Ok(Calendar::default());
    }
    let ids: Vec<i64> = hosts.iter().map(|host| host.id).collect();
    let checked = known.map(|_| stored);
    let (mut times, setup) = busy_times(db, &ids, scope.range, scope.now, checked).await?;
    if known.is_some_and(|known| Some(known.setup) != setup) {
        return Err(Error::ConcurrentChange);
    }
    for host in &mut hosts {
        if let Some(times) = times.remove(&host.id) {
            times.add_to(host, scope);
        }
    }
    let seated = match rules.seated {
        true => Some(seated_rows(db, scope.event_type_id, scope.range, scope.now).await?),
        false => None,
    };
    let counted = match scope.counted_range(rules) {
        Some(range) => Some(counted_meetings(db, scope.event_type_id, range, scope.now).await?),
        None => None,
    };
    Ok(assemble(
        query,
        stored,
        hosts,
        seated.as_ref(),
        counted.as_ref(),
    ))
}

/// Returns the calendar of `hosts`, which have their busy times already.
pub fn assemble(
    query: BusyQuery<'_>,
    stored: &StoredEventType,
    hosts: Vec<Host>,
    seated: Option<&SeatedRows>,
    counted: Option<&CountedMeetings>,
) -> Calendar {
    let scope = Scope::of(stored, query);
    let seated_meetings = seated.map(|rows| rows.meetings(stored, scope));
    let seated_meetings = seated_meetings.unwrap_or_default();
    let booked = counted.map(|counted| counted.ranges(scope, &seated_meetings));
    let mut calendar = Calendar {
        hosts,
        booked: booked.unwrap_or_default(),
        seated_meetings,
    };
    if let Some(moved) = query.moved {
        let keeps_host = stored.wire.reschedule_with_same_round_robin_host == Some(true);
        if keeps_host && stored.wire.scheduling_type.as_deref() == Some("roundRobin") {
            calendar.keep_rotating_hosts(&moved.host_ids);
        }
        if moved.has_all_seats {
            calendar.close_seated_meetings();
        }
    }
    calendar
}
