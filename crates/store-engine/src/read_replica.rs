//! Reads from a streaming replica of the PostgreSQL server, which is a little behind.
//!
//! Its lag is measured with positions in the write-ahead log: a position that the primary server had reached at some
//! instant, and that the replica has replayed since, proves that the replica shows everything that was committed before
//! that instant. `pg_last_xact_replay_timestamp` alone cannot tell a replica that is cut off from one without anything to
//! replay, and it depends on the clocks of two machines.

use std::collections::VecDeque;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError, Weak};
use std::time::Duration;

use sqlx::postgres::PgConnectOptions;
use sqlx::{ConnectOptions, FromRow, PgConnection, PgPool};
use tokio::time::{Instant, sleep, timeout};

use crate::connection::Reader;
use crate::open_error::OpenError;
use crate::postgres::Pool;

/// Largest lag. While the replica may be further behind, everything is read from the primary server.
pub const MAX_LAG: Duration = Duration::from_secs(5);

/// Time between two measurements of the lag.
const CHECK_INTERVAL: Duration = Duration::from_millis(500);

/// Timeout of each query of a measurement.
const CHECK_TIMEOUT: Duration = Duration::from_secs(1);

/// Timeout for acquiring a connection. The request then goes to the primary server.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(1);

/// Timeout of the statements of a request. The request then goes to the primary server.
const READ_TIMEOUT: Duration = Duration::from_secs(5);

/// State of a server: the position in its log (of a replica: the replayed one; none if it is not a replica), its
/// identifier, which it shares with its replicas, and the id of the database.
macro_rules! server_state {
    ($position:literal) => {
        concat!(
            "SELECT CAST(",
            $position,
            " - '0/0'::pg_lsn AS BIGINT), system_identifier,
             (SELECT CAST(oid AS BIGINT) FROM pg_database WHERE datname = current_database())
             FROM pg_control_system()"
        )
    };
}
const PRIMARY_STATE: &str = server_state!("pg_current_wal_lsn()");
const REPLICA_STATE: &str =
    server_state!("CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() END");

/// Reason why nothing is read from the read replica.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ReplicaProblem {
    /// It does not respond.
    Unreachable,
    /// It may be further behind than [`MAX_LAG`].
    Behind,
    /// It has become a primary server.
    Promoted,
    /// It has other data than the primary server.
    OtherDatabase,
}

impl fmt::Display for ReplicaProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreachable => f.write_str("unreachable"),
            Self::Behind => write!(f, "more than {} s behind", MAX_LAG.as_secs()),
            Self::Promoted => f.write_str("not a replica"),
            Self::OtherDatabase => f.write_str("not of this database"),
        }
    }
}

/// Connections to the read replica. Clones share them.
#[derive(Clone, Debug)]
pub(crate) struct ReadReplica(Arc<Shared>);

#[derive(Debug)]
struct Shared {
    pool: Pool,
    /// Instant whose commits the replica shows at least.
    current_at: Mutex<Result<Instant, ReplicaProblem>>,
}

impl ReadReplica {
    /// Connects to the replica of `url`, which may be unreachable, and starts to measure its lag.
    ///
    /// # Errors
    ///
    /// If `url` is no address of PostgreSQL, or of another database than that of `primary`.
    pub(crate) async fn open(url: &str, primary: &Pool) -> Result<Self, OpenError> {
        let pool = Pool::of_read_replica(url, primary, ACQUIRE_TIMEOUT)?;
        let mut monitor = Monitor::new(primary.connections(), pool.connections());
        // The second one tells if the replica was ahead.
        let _ = monitor.check().await;
        let first = monitor.check().await;
        if first == Err(ReplicaProblem::OtherDatabase) {
            return Err(OpenError::OtherDatabase);
        }
        log_change(None, first.err());
        let replica = Self(Arc::new(Shared {
            pool,
            current_at: Mutex::new(first),
        }));
        tokio::spawn(monitor.run(Arc::downgrade(&replica.0)));
        Ok(replica)
    }

    /// Returns the reason why nothing is read from it; none if it is in use.
    pub(crate) fn problem(&self) -> Option<ReplicaProblem> {
        self.lag().err()
    }

    /// Returns the time by which it is behind at most.
    pub(crate) fn lag(&self) -> Result<Duration, ReplicaProblem> {
        let lag = self.0.lock()?.elapsed();
        if lag > MAX_LAG {
            return Err(ReplicaProblem::Behind);
        }
        Ok(lag)
    }

    /// Runs `work` with the replica. Returns none if it is not in use or `work` failed.
    pub(crate) async fn read<T, E, F>(&self, work: impl Fn(Reader) -> F) -> Option<T>
    where
        F: Future<Output = Result<T, E>>,
    {
        if self.problem().is_some() {
            return None;
        }
        let attempt = async {
            match self.0.pool.read().await {
                Ok(reader) => work(reader).await.ok(),
                Err(_) => {
                    self.0.set(Err(ReplicaProblem::Unreachable));
                    None
                }
            }
        };
        let result = timeout(READ_TIMEOUT, attempt).await;
        if result.is_err() {
            self.0.set(Err(ReplicaProblem::Unreachable));
        }
        result.unwrap_or_default()
    }

    pub(crate) fn connections(&self) -> &PgPool {
        self.0.pool.connections()
    }
}

impl Shared {
    fn lock(&self) -> Result<Instant, ReplicaProblem> {
        *self
            .current_at
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    /// Replaces the last result of a measurement. The next one does so again.
    fn set(&self, current_at: Result<Instant, ReplicaProblem>) {
        *self
            .current_at
            .lock()
            .unwrap_or_else(PoisonError::into_inner) = current_at;
    }
}

fn log_change(before: Option<ReplicaProblem>, after: Option<ReplicaProblem>) {
    match (before, after) {
        (before, Some(problem)) if before != after => {
            tracing::warn!(%problem, "the read replica is not used");
        }
        (Some(_), None) => tracing::info!("the read replica is used again"),
        _ => {}
    }
}

/// Position, system identifier and id of the database.
type ServerState = (Option<i64>, i64, i64);

/// Measures the lag.
#[derive(Debug)]
struct Monitor {
    primary: Probe,
    replica: Probe,
    positions: Positions,
    /// Identifier of the primary server and id of the database.
    identity: Option<(i64, i64)>,
}

impl Monitor {
    fn new(primary: &PgPool, replica: &PgPool) -> Self {
        Self {
            primary: Probe::new(primary, PRIMARY_STATE),
            replica: Probe::new(replica, REPLICA_STATE),
            positions: Positions::default(),
            identity: None,
        }
    }

    /// Measures until the connections are dropped.
    async fn run(mut self, shared: Weak<Shared>) {
        let mut before = shared.upgrade().and_then(|shared| shared.lock().err());
        loop {
            sleep(CHECK_INTERVAL).await;
            if shared.strong_count() == 0 {
                return;
            }
            let current_at = self.check().await;
            let Some(shared) = shared.upgrade() else {
                return;
            };
            shared.set(current_at);
            let after = current_at.err();
            log_change(before, after);
            before = after;
        }
    }

    /// Returns an instant whose commits the replica shows.
    async fn check(&mut self) -> Result<Instant, ReplicaProblem> {
        let queried_at = Instant::now();
        // While the primary server is unreachable, the lag grows until the replica counts as behind.
        if let Some((Some(position), server, database)) = self.primary.query_state().await {
            self.identity = Some((server, database));
            self.positions.add_primary(queried_at, position);
        }
        let (replayed, server, database) = self
            .replica
            .query_state()
            .await
            .ok_or(ReplicaProblem::Unreachable)?;
        if self
            .identity
            .is_some_and(|identity| identity != (server, database))
        {
            return Err(ReplicaProblem::OtherDatabase);
        }
        let replayed = replayed.ok_or(ReplicaProblem::Promoted)?;
        self.positions.current_at(replayed)
    }
}

/// Positions of the primary server, oldest first, and the last one of the replica.
#[derive(Debug, Default)]
struct Positions {
    primary: VecDeque<(Instant, i64)>,
    replayed: i64,
    /// True if the replica was ahead of the primary server: one of them has another history.
    is_ahead: bool,
}

impl Positions {
    /// Adds a position that the primary server had at an instant or later.
    fn add_primary(&mut self, at: Instant, position: i64) {
        self.is_ahead = self.replayed > position;
        if self
            .primary
            .back()
            .is_some_and(|(_, last)| *last > position)
        {
            // Another server has become the primary one.
            self.primary.clear();
        }
        self.primary.push_back((at, position));
        self.primary
            .retain(|(earlier, _)| at.duration_since(*earlier) <= MAX_LAG);
    }

    /// Returns the last instant whose position is replayed.
    fn current_at(&mut self, replayed: i64) -> Result<Instant, ReplicaProblem> {
        self.replayed = replayed;
        if self.is_ahead {
            return Err(ReplicaProblem::OtherDatabase);
        }
        let is_replayed = |(_, position): &&(Instant, i64)| *position <= replayed;
        let last = self.primary.iter().rev().find(is_replayed);
        last.map(|(at, _)| *at).ok_or(ReplicaProblem::Behind)
    }
}

/// A connection for measurements: those of requests may all be in use.
#[derive(Debug)]
struct Probe {
    options: PgConnectOptions,
    connection: Option<PgConnection>,
    statement: &'static str,
}

impl Probe {
    fn new(pool: &PgPool, statement: &'static str) -> Self {
        Self {
            options: pool.connect_options().as_ref().clone(),
            connection: None,
            statement,
        }
    }

    async fn query_state(&mut self) -> Option<ServerState> {
        let attempt = async {
            // Lost if it is interrupted.
            let mut connection = match self.connection.take() {
                Some(connection) => connection,
                None => self.options.connect().await?,
            };
            // Not prepared: a pooler may use another session for the next step.
            let row = sqlx::raw_sql(self.statement)
                .fetch_one(&mut connection)
                .await?;
            self.connection = Some(connection);
            ServerState::from_row(&row)
        };
        match timeout(CHECK_TIMEOUT, attempt).await {
            Ok(Ok(state)) => Some(state),
            Ok(Err(cause)) => {
                tracing::debug!(%cause, "the lag of the read replica is unknown");
                None
            }
            Err(_) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Duration = Duration::from_secs(1);

    #[test]
    fn replica_is_current_at_the_last_position_that_it_has_replayed() {
        let mut positions = Positions::default();
        assert_eq!(positions.current_at(100), Err(ReplicaProblem::Behind));
        let first = Instant::now();
        positions.add_primary(first, 100);
        assert_eq!(positions.current_at(99), Err(ReplicaProblem::Behind));
        assert_eq!(positions.current_at(100), Ok(first));
        let second = first + SECOND;
        positions.add_primary(second, 200);
        assert_eq!(positions.current_at(199), Ok(first));
        // Nothing was written since.
        let third = second + SECOND;
        positions.add_primary(third, 200);
        assert_eq!(positions.current_at(200), Ok(third));
        // It stops.
        positions.add_primary(third + MAX_LAG, 300);
        assert_eq!(positions.current_at(200), Ok(third));
        positions.add_primary(third + MAX_LAG + SECOND, 300);
        assert_eq!(positions.current_at(200), Err(ReplicaProblem::Behind));
    }

    #[test]
    fn replica_with_another_history_is_not_current() {
        let mut positions = Positions::default();
        let start = Instant::now();
        positions.add_primary(start, 100);
        assert!(positions.current_at(150).is_ok());
        for second in 1..3 {
            // 150 was not the primary server's.
            positions.add_primary(start + SECOND * second, 140);
            let ahead = positions.current_at(150);
            assert_eq!(ahead, Err(ReplicaProblem::OtherDatabase));
        }
        // The replica was made again.
        positions.add_primary(start + SECOND * 3, 150);
        assert!(positions.current_at(150).is_ok());
        // Another primary server: what the former one had is of no use.
        let mut positions = Positions::default();
        positions.add_primary(start, 70);
        positions.add_primary(start, 100);
        assert!(positions.current_at(75).is_ok());
        positions.add_primary(start + SECOND, 90);
        assert_eq!(positions.current_at(75), Err(ReplicaProblem::Behind));
    }
}
