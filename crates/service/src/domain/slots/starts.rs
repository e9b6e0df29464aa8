//! Decides if requested starts can be booked or reserved, and with which hosts.

use booking_rules::availability::{self, Candidate, Decision, SlotSearch, UnavailableReason};
use booking_wire::Instant;
use booking_zones::Zone;

use crate::domain::slots::rules::{read_calendar, rules, starts_query};
use crate::domain::slots::series::later_rules;
use crate::domain::slots::unavailable::unavailable_error;
use crate::error::{Error, Result};
use crate::store::Db;
use crate::store::busy::{BusyQuery, KnownHosts, MovedBooking};
use crate::store::event_types::StoredEventType;

/// Requested starts of a booking, a series or a reservation.
#[derive(Clone, Copy, Debug)]
pub struct StartsQuery<'a> {
    /// Event type.
    pub stored: &'a StoredEventType,
    /// Hosts and working hours that were read before the transaction.
    pub known: Option<&'a KnownHosts>,
    /// Length of each meeting.
    pub length_minutes: i64,
    /// Time zone of the attendee.
    pub zone: &'a Zone,
    /// Current instant.
    pub now: Instant,
    /// The booking that is moved to the start.
    pub moved: Option<&'a MovedBooking>,
    /// Starts, ascending; several for a series.
    pub starts: &'a [Instant],
    /// Starts of a series that deviate from its rule: within their day, they must be slots.
    pub off_rule: &'a [Instant],
    /// True if the client has a reservation of the first start.
    pub has_reservation: bool,
    /// True if the slots may have been listed in any time zone, not only in that of the attendee.
    pub from_any_zone: bool,
}

/// A start that is not available.
#[derive(Clone, Copy, Debug)]
pub struct UnavailableStart {
    /// Reason.
    pub reason: UnavailableReason,
    /// Start.
    pub start: Instant,
    /// True unless it is a later start of a series.
    pub is_first: bool,
}

impl From<UnavailableStart> for Error {
    fn from(unavailable: UnavailableStart) -> Self {
        let UnavailableStart {
            reason,
            start,
            is_first,
        } = unavailable;
        match is_first {
            true => unavailable_error(reason),
            false => Self::Conflict(format!(
                "the meeting of the series at {start} is no longer available: nothing has been booked"
            )),
        }
    }
}

/// Decides about every start; the result is valid until the transaction ends.
///
/// Only the first start must be a slot: minimum notice, booking window and slot grid apply to the
/// start of a series. Every later start must be free, and on the slot grid if it deviates from the rule of the series,
/// else the whole series is rejected.
///
/// # Errors
///
/// The outer error is that of the database or of an event type without hosts.
pub async fn decide(
    db: &mut Db,
    query: StartsQuery<'_>,
) -> Result<Result<Vec<Decision>, UnavailableStart>> {
    let (Some(first), Some(last)) = (query.starts.first(), query.starts.last()) else {
        return Err(Error::internal("a booking without a start"));
    };
    let now = query.now.0;
    let rules = rules(query.stored, query.length_minutes);
    let busy_query = BusyQuery {
        moved: query.moved,
        ..starts_query(&rules, (first.0, last.0), now)
    };
    let mut calendar = read_calendar(db, query.stored, &rules, busy_query, query.known).await?;
    let later_rules = later_rules(&rules);
    let mut decisions: Vec<Decision> = Vec::with_capacity(query.starts.len());
    for start in query.starts {
        let is_first = decisions.is_empty();
        let search = SlotSearch {
            rules: if is_first { &rules } else { &later_rules },
            calendar: &calendar,
            zone: query.zone,
            now,
        };
        let has_reservation = match is_first {
            true => query.has_reservation,
            // Not required to be a slot, like a start that was reserved as one.
            false => !query.off_rule.contains(start),
        };
        let candidate = Candidate {
            start: start.0,
            has_reservation,
            from_any_zone: query.from_any_zone,
        };
        let decision = match availability::decide(search, candidate) {
            Ok(decision) => decision,
            Err(reason) => {
                let start = *start;
                return Ok(Err(UnavailableStart {
                    reason,
                    start,
                    is_first,
                }));
            }
        };
        if decision.joined_uid.is_none() {
            // It counts towards the booking limits of the following starts.
            calendar.booked.push(rules.meeting(start.0));
        }
        decisions.push(decision);
    }
    Ok(Ok(decisions))
}

/// Decides about the only start of `query`.
///
/// # Errors
///
/// As [`decide`].
pub async fn decide_one(
    db: &mut Db,
    query: StartsQuery<'_>,
) -> Result<Result<Decision, UnavailableStart>> {
    let mut decisions = match decide(db, query).await? {
        Ok(decisions) => decisions,
        Err(unavailable) => return Ok(Err(unavailable)),
    };
    let decision = decisions.pop();
    decision
        .map(Ok)
        .ok_or_else(|| Error::internal("no decision about a start"))
}
