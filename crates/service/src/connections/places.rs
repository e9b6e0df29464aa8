//! Places for connections: a bounded number, and a few more for health checks.

use std::collections::HashMap;
use std::sync::Arc;

use tokio::task::{AbortHandle, Id};
use tokio::time::Instant;

use super::progress::Progress;

/// Places for health checks beyond the others.
const RESERVED: usize = 32;

/// Purpose of a connection's place.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Any request.
    Any,
    /// One health check.
    HealthOnly,
}

struct Occupied {
    kind: Kind,
    progress: Arc<Progress>,
    task: AbortHandle,
}

/// The places and the connections that occupy them.
pub(super) struct Places {
    most: usize,
    occupied: HashMap<Id, Occupied>,
    any: usize,
    health_only: usize,
}

impl Places {
    /// `most` places for any request.
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            occupied: HashMap::new(),
            any: 0,
            health_only: 0,
        }
    }

    /// Returns true if all places for any request are occupied.
    pub(super) fn is_full(&self) -> bool {
        self.any >= self.most
    }

    /// Finds a place for a new connection, if need be that of one without a complete request. None
    /// if there is none even for a health check.
    pub(super) fn take(&mut self) -> Option<Kind> {
        if !self.is_full() || self.evict(Kind::Any) {
            Some(Kind::Any)
        } else if self.health_only < RESERVED || self.evict(Kind::HealthOnly) {
            Some(Kind::HealthOnly)
        } else {
            None
        }
    }

    /// Puts a connection on its place.
    pub(super) fn occupy(&mut self, task: AbortHandle, kind: Kind, progress: Arc<Progress>) {
        *self.count(kind) += 1;
        let id = task.id();
        let place = Occupied {
            kind,
            progress,
            task,
        };
        self.occupied.insert(id, place);
    }

    /// Frees the place of a connection that has ended. One that was evicted has none any more.
    pub(super) fn free(&mut self, id: Id) {
        if let Some(place) = self.occupied.remove(&id) {
            let count = self.count(place.kind);
            *count = count.saturating_sub(1);
        }
    }

    /// Ends the first connection by [`Idle::rank`](super::progress::Idle::rank). False if all of
    /// them are being answered.
    fn evict(&mut self, kind: Kind) -> bool {
        let now = Instant::now();
        loop {
            let first = self
                .occupied
                .iter()
                .filter(|(_, place)| place.kind == kind)
                .filter_map(|(id, place)| Some((place.progress.idle()?.rank(now), *id)))
                .min_by_key(|(rank, _)| *rank);
            let Some((_, id)) = first else {
                return false;
            };
            let is_evicted = self.occupied.get(&id).is_some_and(|place| {
                let is_evicted = place.progress.evict();
                if is_evicted {
                    place.task.abort();
                }
                is_evicted
            });
            if is_evicted {
                self.free(id);
                return true;
            }
        }
    }

    fn count(&mut self, kind: Kind) -> &mut usize {
        match kind {
            Kind::Any => &mut self.any,
            Kind::HealthOnly => &mut self.health_only,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::future::pending;

    use tokio::task::JoinSet;

    use super::*;

    struct Connections {
        places: Places,
        tasks: JoinSet<()>,
    }

    impl Connections {
        fn new(most: usize) -> Self {
            Self {
                places: Places::new(most),
                tasks: JoinSet::new(),
            }
        }

        /// A new connection with a request under way if `busy`.
        fn connect(&mut self, busy: bool) -> Option<(Kind, Id, Arc<Progress>)> {
            let kind = self.places.take()?;
            let progress = Arc::new(Progress::new());
            if busy {
                progress.begin();
            }
            let task = self.tasks.spawn(pending());
            let id = task.id();
            self.places.occupy(task, kind, progress.clone());
            Some((kind, id, progress))
        }

        async fn next_ended(&mut self) -> Id {
            self.tasks.join_next().await.unwrap().unwrap_err().id()
        }
    }

    #[tokio::test]
    async fn new_connection_takes_the_place_of_the_longest_idle_one() {
        let mut connections = Connections::new(3);
        let (_, first, _) = connections.connect(false).unwrap();
        let (_, _, busy) = connections.connect(true).unwrap();
        let (_, second, _) = connections.connect(false).unwrap();
        assert!(connections.places.is_full());
        assert_eq!(connections.connect(true).unwrap().0, Kind::Any);
        assert_eq!(connections.next_ended().await, first);
        assert_eq!(connections.connect(true).unwrap().0, Kind::Any);
        assert_eq!(connections.next_ended().await, second);
        // All that is left is being answered.
        assert_eq!(connections.connect(false).unwrap().0, Kind::HealthOnly);
        assert_eq!(busy.idle(), None);
    }

    #[tokio::test]
    async fn places_for_health_checks_are_bounded_and_freed() {
        let mut connections = Connections::new(1);
        connections.connect(true).unwrap();
        let mut health = Vec::new();
        for _ in 0..RESERVED {
            let (kind, id, _) = connections.connect(true).unwrap();
            assert_eq!(kind, Kind::HealthOnly);
            health.push(id);
        }
        assert!(connections.connect(true).is_none());
        connections.places.free(health[0]);
        connections.places.free(health[0]);
        assert_eq!(connections.connect(false).unwrap().0, Kind::HealthOnly);
        // The one without a request makes room for the next.
        assert_eq!(connections.connect(true).unwrap().0, Kind::HealthOnly);
        assert!(connections.connect(true).is_none());
    }

    #[tokio::test]
    async fn ended_connection_frees_its_place() {
        let mut connections = Connections::new(1);
        let (_, id, _) = connections.connect(true).unwrap();
        assert!(connections.places.is_full());
        connections.places.free(id);
        assert!(!connections.places.is_full());
    }
}
