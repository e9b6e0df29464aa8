//! Counts of what clients cause, for their allowances.

use booking_store_engine::connection::Db;
use booking_store_engine::sql::QueryBuilder;
use booking_wire::Instant;

use crate::error::Result;
use crate::store::old_rows::OldRows;

/// Something that a client causes now.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Use {
    /// Keyed hash of the limit and of whom it counts.
    pub key: String,
    /// Number.
    pub count: i64,
    /// End of the period that begins now, in epoch milliseconds.
    pub ends_ms: i64,
}

/// Count in the current period.
#[derive(Clone, Debug, PartialEq, Eq, sqlx::FromRow)]
pub struct Count {
    /// Keyed hash.
    pub key: String,
    /// Number.
    pub count: i64,
    /// End of the period, in epoch milliseconds.
    pub ends_ms: i64,
}

/// Counts of periods that have ended.
pub fn ended() -> OldRows {
    OldRows {
        table: "allowances",
        key: "key",
        condition: "ends_ms <= ?1".to_owned(),
        order: "ends_ms",
    }
}

/// Adds uses with different keys, and returns their counts. A period begins with its first use. One that ends later than
/// one that begins now is of a clock that was set back, and begins again.
pub async fn add(db: &mut Db, uses: Vec<Use>, now: Instant) -> Result<Vec<Count>> {
    if uses.is_empty() {
        return Ok(Vec::new());
    }
    let mut query = QueryBuilder::new(
        db.database(),
        "INSERT INTO allowances (key, count, ends_ms) VALUES ",
    );
    for (index, one) in uses.into_iter().enumerate() {
        query.push(if index == 0 { "(" } else { ", (" });
        query.push_bind(one.key).push(", ");
        query.push_bind(one.count).push(", ");
        query.push_bind(one.ends_ms).push(")");
    }
    query.push(" ON CONFLICT (key) DO UPDATE SET count = excluded.count + CASE WHEN ");
    push_is_current(&mut query, now);
    query.push(" THEN allowances.count ELSE 0 END, ends_ms = CASE WHEN ");
    push_is_current(&mut query, now);
    query.push(" THEN allowances.ends_ms ELSE excluded.ends_ms END RETURNING key, count, ends_ms");
    Ok(query.build_query_as().fetch_all(db).await?)
}

fn push_is_current(query: &mut QueryBuilder<'_>, now: Instant) {
    query.push("allowances.ends_ms > ").push_bind(now.0);
    query.push(" AND allowances.ends_ms <= excluded.ends_ms");
}
