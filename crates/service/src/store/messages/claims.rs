//! Claims of messages: with several replicas, each sends what it has claimed.

use booking_store_engine::connection::Db;
use booking_store_engine::lease::{IS_UNCLAIMED, Lease, MAY_SEND};
use booking_store_engine::sql::QueryBuilder;
use booking_wire::Instant;

use crate::error::Result;
use crate::store::rows::push_ids;
use crate::store::{Locks, Store};

/// Table of messages that are sent by one replica each.
#[derive(Clone, Copy, Debug)]
pub enum Queue {
    /// `webhook_deliveries`.
    Webhooks,
    /// `mail_messages`.
    Mail,
}

/// Returns the condition on messages that another replica does not send, with the replica as its parameter. Empty if there
/// is no other process.
pub(super) fn is_unclaimed(lease: &Lease) -> &'static str {
    match lease.replica_id() {
        Some(_) => IS_UNCLAIMED,
        None => "",
    }
}

/// Claims messages that wait and are due, for the replica of `lease`. Returns the ids of those that it may send: others may
/// have been faster, or have sent them.
pub async fn claim(
    store: &Store,
    queue: Queue,
    ids: Vec<i64>,
    now: Instant,
    lease: &Lease,
) -> Result<Vec<i64>> {
    let Some(replica_id) = lease.replica_id().filter(|_| !ids.is_empty()) else {
        // The only process knows which ones it sends.
        return Ok(ids);
    };
    let replica_id = replica_id.to_owned();
    let claimed = store.write(Locks::none(), move |db| {
        Box::pin(async move { claim_for(db, queue, &ids, now, &replica_id).await })
    });
    claimed.await
}

async fn claim_for(
    db: &mut Db,
    queue: Queue,
    ids: &[i64],
    now: Instant,
    replica_id: &str,
) -> Result<Vec<i64>> {
    let table = match queue {
        Queue::Webhooks => "webhook_deliveries",
        Queue::Mail => "mail_messages",
    };
    let mut query = QueryBuilder::new(db.database(), "UPDATE ");
    query.push(table).push(" SET claimed_by = ");
    query.push_bind(replica_id);
    query.push(" WHERE id IN (SELECT id FROM ").push(table);
    query.push(" WHERE id IN (");
    push_ids(&mut query, ids);
    query.push(") AND status = 'waiting' AND due_ms <= ");
    query.push_bind(now.0);
    for condition in [IS_UNCLAIMED, MAY_SEND] {
        let (before, after) = condition.split_once('?').unwrap_or((condition, ""));
        query.push(before).push_bind(replica_id).push(after);
    }
    // What another replica claims at this moment is left to it.
    query.push(" FOR UPDATE SKIP LOCKED) RETURNING id");
    Ok(query.build_query_scalar().fetch_all(db).await?)
}
