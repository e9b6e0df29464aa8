//! Leases of replicas: rows with their ends by the clock of the database server, which the replicas renew.
//!
//! One is that of the replica that leads. The others are the rights to send messages, which each replica has: a message
//! that a replica has claimed ([`IS_UNCLAIMED`]) is free again when that has ended. While a replica does something, a
//! deadline by its own clock applies, which is before the end in the database: a process that was frozen notices it before
//! it does anything else.

use std::pin::pin;
use std::sync::{Arc, Mutex, PoisonError};
use std::task::Poll;
use std::time::Duration;

use crate::clock_check::server_now;
use crate::connection::Db;
use crate::schema::oldest_usable_version;
use crate::sql;

/// Duration of a lease. A frozen leader is replaced after this time.
const TERM: Duration = Duration::from_secs(8);

/// [`TERM`] in the database.
pub(crate) const TERM_MS: i64 = 8_000;

/// Time before the end in the database at which the holder stops: for clocks that do not run at the same rate.
const MARGIN: Duration = Duration::from_secs(1);

/// Condition on the row `l`: its holder has ended, or has not renewed it. The server knows at once if the connection has
/// ended.
macro_rules! is_free {
    () => {
        concat!(
            "(l.expires_ms <= ",
            server_now!(),
            " OR l.replica_id = ?1 OR NOT EXISTS (SELECT 1 FROM pg_stat_activity WHERE pid = l.backend_pid))"
        )
    };
}

/// Condition that is added to a statement that selects messages, with the replica as its parameter: no other replica sends
/// them.
pub const IS_UNCLAIMED: &str = concat!(
    " AND (claimed_by IS NULL OR claimed_by = ? OR NOT EXISTS (
         SELECT 1 FROM replicas WHERE id = claimed_by AND sends_until_ms > ",
    server_now!(),
    " AND EXISTS (SELECT 1 FROM pg_stat_activity WHERE pid = backend_pid)))"
);

/// Condition that is added to a statement that claims messages, with the replica as its parameter: it may send.
pub const MAY_SEND: &str = concat!(
    " AND EXISTS (SELECT 1 FROM replicas WHERE id = ? AND sends_until_ms > ",
    server_now!(),
    ")"
);

/// Right to lead, or to send messages. Clones share its end; one that was taken again is another one.
#[derive(Clone, Debug)]
pub struct Lease(Option<Arc<Term>>);

#[derive(Debug)]
struct Term {
    replica_id: String,
    /// Number of the taking; 0 of a right to send.
    fencing: i64,
    deadline: Mutex<Duration>,
}

impl Lease {
    /// Returns the lease of the only process, which does not end.
    pub fn permanent() -> Self {
        Self(None)
    }

    /// Returns the right of a replica to send messages, from before a statement that has stored it.
    pub(crate) fn to_send(replica_id: &str, deadline: Duration) -> Self {
        Self::until(replica_id, 0, deadline)
    }

    fn until(replica_id: &str, fencing: i64, deadline: Duration) -> Self {
        Self(Some(Arc::new(Term {
            replica_id: replica_id.to_owned(),
            fencing,
            deadline: Mutex::new(deadline),
        })))
    }

    /// Returns the replica that claims messages; none if there is no other process.
    pub fn replica_id(&self) -> Option<&str> {
        self.0.as_ref().map(|term| term.replica_id.as_str())
    }

    /// Returns the fencing token: each taking increments it. None if there is no other process.
    pub fn fencing(&self) -> Option<i64> {
        self.0.as_ref().map(|term| term.fencing)
    }

    /// Returns true until the deadline.
    pub fn is_current(&self) -> bool {
        let term = self.0.as_ref();
        term.is_none_or(|term| clock() < *lock(&term.deadline))
    }

    /// Returns true if both are clones of one lease.
    pub fn is(&self, other: &Self) -> bool {
        match (&self.0, &other.0) {
            (Some(term), Some(other)) => Arc::ptr_eq(term, other),
            (None, None) => true,
            _ => false,
        }
    }

    /// Runs `work` while the lease is current: it is not polled any more afterwards, and the result is none.
    pub async fn while_current<T>(&self, work: impl Future<Output = T>) -> Option<T> {
        let mut work = pin!(work);
        std::future::poll_fn(|context| match self.is_current() {
            true => work.as_mut().poll(context).map(Some),
            false => Poll::Ready(None),
        })
        .await
    }

    /// Ends it for all clones.
    pub(crate) fn end(&self) {
        if let Some(term) = &self.0 {
            *lock(&term.deadline) = clock();
        }
    }

    /// Extends it. Returns false if it has ended: attempts may have seen that.
    pub(crate) fn extend(&self, deadline: Duration) -> bool {
        let Some(term) = &self.0 else {
            return true;
        };
        let mut current = lock(&term.deadline);
        let is_current = clock() < *current;
        if is_current {
            *current = deadline;
        }
        is_current
    }
}

fn lock(deadline: &Mutex<Duration>) -> std::sync::MutexGuard<'_, Duration> {
    deadline.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Time of a clock that goes on while the machine is suspended.
#[cfg(target_os = "linux")]
fn clock() -> Duration {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::Boottime);
    Duration::try_from(now).unwrap_or_default()
}

/// Time of a clock that may stop while the machine is suspended.
#[cfg(not(target_os = "linux"))]
fn clock() -> Duration {
    static START: std::sync::LazyLock<std::time::Instant> =
        std::sync::LazyLock::new(std::time::Instant::now);
    START.elapsed()
}

/// Deadline of a lease that a statement takes or renews from now on.
pub(crate) fn deadline() -> Duration {
    clock() + TERM.saturating_sub(MARGIN)
}

/// State of the lease, with the server's clock.
#[derive(Clone, Debug, sqlx::FromRow)]
pub(crate) struct State {
    /// Current instant of the server.
    pub now_ms: i64,
    /// Oldest version that may use the schema.
    pub oldest_version: i64,
    /// Replica of the row; none before the first one.
    pub holder: Option<String>,
    /// Milliseconds since the last renewal.
    pub silent_ms: Option<i64>,
    /// True if this replica may take it.
    pub is_free: bool,
}

impl State {
    /// Returns the replica that leads, or has not given up the lease, and the milliseconds since the last renewal.
    pub(crate) fn leader(&self) -> Option<(String, i64)> {
        // A released lease has no end.
        let silent_ms = self
            .silent_ms
            .filter(|silent_ms| *silent_ms < self.now_ms)?;
        Some((self.holder.clone()?, silent_ms))
    }
}

/// Reads the state for a replica.
pub(crate) async fn read(db: &mut Db, replica_id: &str) -> Result<State, sqlx::Error> {
    sql::query_as(concat!(
        "SELECT ",
        server_now!(),
        " AS now_ms, ",
        oldest_usable_version!(),
        " AS oldest_version, l.replica_id AS holder, ",
        server_now!(),
        " - l.expires_ms + ?2 AS silent_ms, coalesce(",
        is_free!(),
        ", true) AS is_free FROM (SELECT 1) AS one LEFT JOIN leader_lease l ON l.id = 1"
    ))
    .bind(replica_id)
    .bind(TERM_MS)
    .fetch_one(db)
    .await
}

/// Takes the lease. Returns none if another replica has it.
pub(crate) async fn take(db: &mut Db, replica_id: &str) -> Result<Option<Lease>, sqlx::Error> {
    let deadline = deadline();
    let fencing: Option<i64> = sql::query_scalar(concat!(
        "INSERT INTO leader_lease AS l (id, replica_id, fencing, expires_ms, backend_pid)
         VALUES (1, ?1, 1, ",
        server_now!(),
        " + ?2, CAST(pg_backend_pid() AS BIGINT))
         ON CONFLICT (id) DO UPDATE SET replica_id = excluded.replica_id, fencing = l.fencing + 1,
             expires_ms = excluded.expires_ms, backend_pid = excluded.backend_pid
         WHERE ",
        is_free!(),
        " RETURNING fencing"
    ))
    .bind(replica_id)
    .bind(TERM_MS)
    .fetch_optional(db)
    .await?;
    Ok(fencing.map(|fencing| Lease::until(replica_id, fencing, deadline)))
}

/// Renews the lease. Returns false if it has ended, or another replica has taken it.
pub(crate) async fn renew(
    db: &mut Db,
    replica_id: &str,
    lease: &Lease,
) -> Result<bool, sqlx::Error> {
    let deadline = deadline();
    let renewed = sql::query(concat!(
        "UPDATE leader_lease SET expires_ms = ",
        server_now!(),
        " + ?1, backend_pid = CAST(pg_backend_pid() AS BIGINT) WHERE id = 1 AND replica_id = ?2 AND fencing = ?3"
    ))
    .bind(TERM_MS)
    .bind(replica_id)
    .bind(lease.fencing())
    .execute(db)
    .await?;
    Ok(renewed.rows_affected() == 1 && lease.extend(deadline))
}

/// Lets another replica take the lease at once, if this one still has it.
pub(crate) async fn release(
    db: &mut Db,
    replica_id: &str,
    lease: &Lease,
) -> Result<(), sqlx::Error> {
    lease.end();
    sql::query(
        "UPDATE leader_lease SET expires_ms = 0 WHERE id = 1 AND replica_id = ? AND fencing = ?",
    )
    .bind(replica_id)
    .bind(lease.fencing())
    .execute(db)
    .await?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn work_is_not_polled_after_the_deadline() {
        let lease = Lease::until("a", 1, clock() + Duration::from_millis(50));
        assert_eq!(lease.while_current(async { 3 }).await, Some(3));
        let mut is_sent = false;
        let work = async {
            // As a process that is frozen: the timer and the deadline have passed when it goes on.
            tokio::task::yield_now().await;
            std::thread::sleep(Duration::from_millis(60));
            tokio::task::yield_now().await;
            is_sent = true;
        };
        assert_eq!(lease.while_current(work).await, None);
        assert!(!is_sent);
        assert_eq!(lease.while_current(async { 3 }).await, None);
    }

    #[test]
    fn ended_lease_is_not_extended() {
        let later = clock() + Duration::from_secs(60);
        let lease = Lease::until("a", 1, later);
        let clone = lease.clone();
        assert!(lease.extend(later));
        lease.end();
        assert!(!clone.is_current());
        assert!(!clone.extend(later));
        assert!(!lease.is(&Lease::until("a", 1, later)));
        assert!(Lease::permanent().is_current() && Lease::permanent().extend(later));
    }

    #[test]
    fn holder_stops_before_the_end_in_the_database() {
        assert_eq!(i64::try_from(TERM.as_millis()), Ok(TERM_MS));
        assert!(deadline() < clock() + TERM);
    }
}
