//! Choice of the hosts of new bookings.

use booking_rules::availability::Decision;

use crate::domain::slots::starts::StartsQuery;
use crate::error::Result;
use crate::store::Db;
use crate::store::bookings::round_robin::{self, Ranks};

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
