//! Rules for the starts of new and moved bookings, and the choice of their hosts.

use booking_rules::availability::{self, Candidate, Decision, SlotSearch};
use booking_wire::Instant;
use booking_zones::Zone;

use crate::domain::slots::rules::{read_calendar, rules, starts_query};
use crate::domain::slots::series::later_rules;
use crate::domain::slots::unavailable::unavailable_error;
use crate::error::{Error, Result};
use crate::store::Db;
use crate::store::bookings::round_robin::{self, Ranks};
use crate::store::busy::{BusyQuery, KnownHosts, MovedBooking};
use crate::store::event_types::StoredEventType;

/// Requested starts of a booking or series.
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
    /// True if the visitor has a reservation of the first start.
    pub has_reservation: bool,
    /// True if the slots may have been listed in any time zone, not only in that of the attendee.
    pub from_any_zone: bool,
}

/// Decides about every start; the result is valid until the transaction ends.
///
/// Only the first start must be a slot: minimum notice, booking window and slot grid apply to the
/// start of a series. Every later start must be free, and on the slot grid if it deviates from the rule of the series,
/// else the whole series is rejected.
pub async fn decide(db: &mut Db, query: StartsQuery<'_>) -> Result<Vec<Decision>> {
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
        let decision = availability::decide(search, candidate).map_err(|cause| {
            if is_first {
                unavailable_error(cause)
            } else {
                Error::Conflict(format!(
                    "the meeting of the series at {start} is no longer available: nothing has been booked"
                ))
            }
        })?;
        if decision.joined_uid.is_none() {
            // It counts towards the booking limits of the following starts.
            calendar.booked.push(rules.meeting(start.0));
        }
        decisions.push(decision);
    }
    Ok(decisions)
}

/// Chooses the hosts of each start. In a series, the same rotating host is preferred for all
/// starts; hosts in `reserved` come first, then the round-robin order.
pub async fn choose(
    db: &mut Db,
    query: StartsQuery<'_>,
    decisions: &[Decision],
    reserved: &[i64],
) -> Result<Vec<Vec<i64>>> {
    let rotates = decisions
        .iter()
        .any(|decision| !decision.rotating.is_empty());
    if !rotates {
        let fixed = decisions.iter().map(|decision| decision.fixed.clone());
        return Ok(fixed.collect());
    }
    let has_choice = decisions.iter().any(|decision| decision.rotating.len() > 1);
    let around = query.starts.first().map_or(query.now.0, |start| start.0);
    let ranks = if has_choice {
        round_robin::ranks(db, query.stored.wire.id, around).await?
    } else {
        Ranks::default()
    };
    let preferred = preferred(decisions, reserved);
    Ok(decisions
        .iter()
        .map(|decision| decision.hosts(&preferred, |id| ranks.of(id)))
        .collect())
}

/// Returns the rotating hosts who are available for every start that needs one; if some of them are
/// in `reserved`, only those.
fn preferred(decisions: &[Decision], reserved: &[i64]) -> Vec<i64> {
    let mut rotating = decisions
        .iter()
        .filter(|decision| !decision.rotating.is_empty());
    let Some(first) = rotating.next() else {
        return Vec::new();
    };
    let mut common = first.rotating.clone();
    for decision in rotating {
        common.retain(|id| decision.rotating.contains(id));
    }
    let reserved_hosts: Vec<i64> = common
        .iter()
        .copied()
        .filter(|id| reserved.contains(id))
        .collect();
    if reserved_hosts.is_empty() {
        common
    } else {
        reserved_hosts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rotating(ids: &[i64]) -> Decision {
        Decision {
            rotating: ids.to_vec(),
            ..Decision::default()
        }
    }

    #[test]
    fn series_prefers_hosts_available_for_all_starts() {
        let decisions = [rotating(&[1, 2, 3]), rotating(&[2, 3]), rotating(&[])];
        assert_eq!(preferred(&decisions, &[]), [2, 3]);
        assert_eq!(preferred(&decisions, &[3]), [3]);
        assert_eq!(preferred(&decisions, &[1]), [2, 3]);
        assert_eq!(preferred(&[rotating(&[1]), rotating(&[2])], &[]), [0i64; 0]);
    }
}
