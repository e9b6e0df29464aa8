//! Whether the meetings that somebody wants can take place, and who hosts them.

use booking_wire::Instant;
use chrono_tz::Tz;

use crate::availability::{self, Candidate, DAY, Decision, Offer, Span};
use crate::error::{Error, Result};
use crate::slots::rules::{refusal, rules, with_look_ahead};
use crate::store::Db;
use crate::store::busy::{self, Asked};
use crate::store::event_types::Stored;

/// What is wanted.
#[derive(Clone, Copy, Debug)]
pub struct Times<'a> {
    /// What is booked.
    pub stored: &'a Stored,
    /// Minutes.
    pub length: i64,
    /// The attendee's zone.
    pub zone: Tz,
    /// The present moment.
    pub now: Instant,
    /// The starts, ascending; several of a series.
    pub starts: &'a [Instant],
    /// True if the visitor holds the first of them.
    pub is_held: bool,
    /// True if the times may have been looked at in any zone, not only in the attendee's.
    pub from_any_zone: bool,
}

/// Decides about every start; what it reads is true until the transaction ends.
///
/// Only the first start must be one that is offered: notice, booking window and layout say when one
/// may begin, and a series goes on from there. Every later meeting must be free, or none of them
/// is made.
pub async fn decide(db: &mut Db, times: Times<'_>) -> Result<Vec<Decision>> {
    let (Some(first), Some(last)) = (times.starts.first(), times.starts.last()) else {
        return Err(Error::Internal);
    };
    let now = times.now.0;
    let rules = rules(times.stored, times.length);
    // The first start of a date may lie a day before.
    let window = Span::new(first.0 - 2 * DAY, rules.meeting(last.0).end + DAY);
    let asked = Asked {
        window: with_look_ahead(&rules, window, now),
        now,
        moved: None,
    };
    let mut calendar = busy::calendar(db, times.stored, &rules, asked).await?;
    if calendar.hosts.is_empty() {
        return Err(Error::Unprocessable("the event type has no hosts".into()));
    }
    let mut decisions: Vec<Decision> = Vec::with_capacity(times.starts.len());
    for start in times.starts {
        let is_first = decisions.is_empty();
        let offer = Offer {
            rules: &rules,
            calendar: &calendar,
            zone: times.zone,
            now,
        };
        let is_held = times.is_held || !is_first;
        let candidate = Candidate {
            start: start.0,
            is_held,
            from_any_zone: times.from_any_zone,
        };
        let decision = availability::decide(offer, candidate).map_err(|cause| {
            if is_first {
                refusal(cause)
            } else {
                Error::Conflict(format!(
                    "the meeting of the series at {start} is no longer available: nothing has been booked"
                ))
            }
        })?;
        if decision.joins.is_none() {
            // It counts towards the limits of those that follow.
            calendar.booked.push(rules.meeting(start.0));
        }
        decisions.push(decision);
    }
    Ok(decisions)
}

/// Chooses the hosts of each meeting: of a series the same one where that is possible, `reserved`
/// ones first, else the one whose turn it is; of several always the same.
pub async fn choose(
    db: &mut Db,
    times: Times<'_>,
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
    let around = times.starts.first().map_or(times.now.0, |start| start.0);
    let turns = busy::turns(db, times.stored.wire.id, around).await?;
    let preferred = preferred(decisions, reserved);
    Ok(decisions
        .iter()
        .map(|decision| decision.hosts(&preferred, |id| turns.of(id)))
        .collect())
}

/// The hosts who can take every meeting that is made anew; if a reservation holds the time of
/// some of these, only them.
fn preferred(decisions: &[Decision], reserved: &[i64]) -> Vec<i64> {
    let mut anew = decisions
        .iter()
        .filter(|decision| !decision.rotating.is_empty());
    let Some(first) = anew.next() else {
        return Vec::new();
    };
    let mut common = first.rotating.clone();
    for decision in anew {
        common.retain(|id| decision.rotating.contains(id));
    }
    let held: Vec<i64> = common
        .iter()
        .copied()
        .filter(|id| reserved.contains(id))
        .collect();
    if held.is_empty() { common } else { held }
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
    fn a_series_prefers_hosts_who_can_take_all_of_it() {
        let decisions = [rotating(&[1, 2, 3]), rotating(&[2, 3]), rotating(&[])];
        assert_eq!(preferred(&decisions, &[]), [2, 3]);
        assert_eq!(preferred(&decisions, &[3]), [3]);
        assert_eq!(preferred(&decisions, &[1]), [2, 3]);
        assert_eq!(preferred(&[rotating(&[1]), rotating(&[2])], &[]), [0i64; 0]);
    }
}
