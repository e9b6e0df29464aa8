//! Open connections: a limited number, and a few more for health checks.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::task::{AbortHandle, Id};
use tokio::time::Instant;

use super::progress::Progress;

/// Connections for health checks beyond the limit.
const HEALTH_CONNECTIONS: usize = 32;

/// Purpose of a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ConnectionKind {
    /// Any request.
    Any,
    /// One health check.
    HealthOnly,
}

struct OpenConnection {
    kind: ConnectionKind,
    progress: Arc<Progress>,
    task: AbortHandle,
}

/// The open connections and their limit.
pub(super) struct OpenConnections {
    limit: usize,
    connections: HashMap<Id, OpenConnection>,
    any: usize,
    health_only: usize,
}

impl OpenConnections {
    /// Allows `limit` connections for any request.
    pub(super) fn new(limit: usize) -> Self {
        Self {
            limit,
            connections: HashMap::new(),
            any: 0,
            health_only: 0,
        }
    }

    /// Returns true at the limit of connections for any request.
    pub(super) fn is_full(&self) -> bool {
        self.any >= self.limit
    }

    /// Admits a new connection, if necessary by evicting an idle one. `None` if not even a health
    /// check can be admitted.
    pub(super) fn admit(&mut self) -> Option<ConnectionKind> {
        if !self.is_full() || self.evict(ConnectionKind::Any) {
            Some(ConnectionKind::Any)
        } else if self.health_only < HEALTH_CONNECTIONS || self.evict(ConnectionKind::HealthOnly) {
            Some(ConnectionKind::HealthOnly)
        } else {
            None
        }
    }

    /// Adds a connection.
    pub(super) fn insert(
        &mut self,
        task: AbortHandle,
        kind: ConnectionKind,
        progress: Arc<Progress>,
    ) {
        *self.count(kind) += 1;
        let id = task.id();
        let connection = OpenConnection {
            kind,
            progress,
            task,
        };
        self.connections.insert(id, connection);
    }

    /// Removes a connection that has ended, unless it was evicted before.
    pub(super) fn remove(&mut self, id: Id) {
        if let Some(connection) = self.connections.remove(&id) {
            let count = self.count(connection.kind);
            *count = count.saturating_sub(1);
        }
    }

    /// Closes the idle connection that is first by [`Idle::rank`](super::progress::Idle::rank).
    /// Returns false if none is idle.
    fn evict(&mut self, kind: ConnectionKind) -> bool {
        let now = Instant::now();
        loop {
            let first = self
                .connections
                .iter()
                .filter(|(_, connection)| connection.kind == kind)
                .filter_map(|(id, connection)| Some((connection.progress.idle()?.rank(now), *id)))
                .min_by_key(|(rank, _)| *rank);
            let Some((_, id)) = first else {
                return false;
            };
            let is_evicted = self.connections.get(&id).is_some_and(|connection| {
                let is_evicted = connection.progress.evict();
                if is_evicted {
                    connection.task.abort();
                }
                is_evicted
            });
            if is_evicted {
                self.remove(id);
                return true;
            }
        }
    }

    fn count(&mut self, kind: ConnectionKind) -> &mut usize {
        match kind {
            ConnectionKind::Any => &mut self.any,
            ConnectionKind::HealthOnly => &mut self.health_only,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use tokio::task::JoinSet;

    use super::*;

    struct Connections {
        open: OpenConnections,
        tasks: JoinSet<()>,
    }

    impl Connections {
        fn new(limit: usize) -> Self {
            Self {
                open: OpenConnections::new(limit),
                tasks: JoinSet::new(),
            }
        }

        /// A new connection, with a request in progress if `is_busy`.
        fn connect(&mut self, is_busy: bool) -> Option<(ConnectionKind, Id, Arc<Progress>)> {
            let kind = self.open.admit()?;
            let progress = Arc::new(Progress::new());
            if is_busy {
                progress.begin();
            }
            let task = self.tasks.spawn(pending());
            let id = task.id();
            self.open.insert(task, kind, progress.clone());
            Some((kind, id, progress))
        }

        async fn next_ended(&mut self) -> Id {
            self.tasks.join_next().await.unwrap().unwrap_err().id()
        }
    }

    #[tokio::test]
    async fn new_connection_evicts_the_longest_idle_one() {
        let mut connections = Connections::new(3);
        let (_, first, _) = connections.connect(false).unwrap();
        let (_, _, busy) = connections.connect(true).unwrap();
        let (_, second, _) = connections.connect(false).unwrap();
        assert!(connections.open.is_full());
        assert_eq!(connections.connect(true).unwrap().0, ConnectionKind::Any);
        assert_eq!(connections.next_ended().await, first);
        assert_eq!(connections.connect(true).unwrap().0, ConnectionKind::Any);
        assert_eq!(connections.next_ended().await, second);
        // All remaining connections have a request in progress.
        assert_eq!(
            connections.connect(false).unwrap().0,
            ConnectionKind::HealthOnly
        );
        assert_eq!(busy.idle(), None);
    }

    #[tokio::test]
    async fn connections_for_health_checks_are_limited_and_freed() {
        let mut connections = Connections::new(1);
        connections.connect(true).unwrap();
        let mut health = Vec::new();
        for _ in 0..HEALTH_CONNECTIONS {
            let (kind, id, _) = connections.connect(true).unwrap();
            assert_eq!(kind, ConnectionKind::HealthOnly);
            health.push(id);
        }
        assert!(connections.connect(true).is_none());
        connections.open.remove(health[0]);
        connections.open.remove(health[0]);
        assert_eq!(
            connections.connect(false).unwrap().0,
            ConnectionKind::HealthOnly
        );
        // The connection without a request is evicted for the next.
        assert_eq!(
            connections.connect(true).unwrap().0,
            ConnectionKind::HealthOnly
        );
        assert!(connections.connect(true).is_none());
    }

    #[tokio::test]
    async fn ended_connection_is_removed() {
        let mut connections = Connections::new(1);
        let (_, id, _) = connections.connect(true).unwrap();
        assert!(connections.open.is_full());
        connections.open.remove(id);
        assert!(!connections.open.is_full());
    }
}
