//! Order in which the rotating hosts of an event type are chosen.

use std::collections::HashMap;

use booking_rules::availability::DAY;
use booking_store_engine::connection::Db;
use booking_store_engine::sql;

use crate::error::Result;

/// Ranks of the round-robin hosts of an event type.
#[derive(Clone, Debug, Default)]
pub struct Ranks(HashMap<i64, Rank>);

/// Rank of a round-robin host; the lowest is chosen first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Rank {
    /// 0 for the highest priority.
    pub priority: i64,
    /// Bookings of the event type in the two weeks.
    pub booking_count: i64,
}

impl Ranks {
    /// Returns the rank of a host.
    pub fn of(&self, user_id: i64) -> Rank {
        self.0.get(&user_id).copied().unwrap_or_default()
    }
}

/// Reads the ranks of the round-robin hosts: a higher priority comes first, then fewer bookings of
/// the event type in the two weeks around an instant. The cost of counting all upcoming bookings
/// would grow with the bookings of a team.
pub async fn ranks(db: &mut Db, event_type_id: i64, around_ms: i64) -> Result<Ranks> {
    let rows: Vec<(i64, i64, i64)> = sql::query_as(
        "SELECT e.user_id,
                CAST(CASE e.priority WHEN 'highest' THEN 0 WHEN 'high' THEN 1 WHEN 'medium' THEN 2 WHEN 'low' THEN 3 ELSE 4 END
                    AS BIGINT),
                coalesce(booked.number, 0)
         FROM event_type_hosts e LEFT JOIN (
             SELECT h.user_id, count(*) AS number FROM bookings b JOIN booking_hosts h ON h.booking_id = b.id
             WHERE b.event_type_id = ?1 AND b.start_ms BETWEEN ?2 AND ?3 AND b.status IN ('accepted', 'pending')
             GROUP BY h.user_id
         ) AS booked ON booked.user_id = e.user_id
         WHERE e.event_type_id = ?1",
    )
    .bind(event_type_id)
    .bind(around_ms.saturating_sub(7 * DAY))
    .bind(around_ms.saturating_add(7 * DAY))
    .fetch_all(db)
    .await?;
    let entry = |(user_id, priority, booking_count)| {
        (
            user_id,
            Rank {
                priority,
                booking_count,
            },
        )
    };
    Ok(Ranks(rows.into_iter().map(entry).collect()))
}
