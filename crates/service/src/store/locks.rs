//! What a write transaction keeps others from reading and writing.
//!
//! Every rule of the service reads before it writes. With SQLite there is one writer at a time. With PostgreSQL, a
//! transaction holds either the lock on everything, or shares it and holds locks on single subjects: bookings of
//! different hosts run side by side, and everything else is as in SQLite. All are advisory locks of the transaction,
//! so each statement after them sees what was committed before (READ COMMITTED), over all replicas.

use sha2::{Digest, Sha256};

use crate::store::event_types::{GROUP_ID, StoredEventType};

/// Key of the lock on everything. Keys of subjects have a kind in their upper bits.
const EVERYTHING: i64 = 0x626f_6f6b_696e_6702;

/// Bits of an id or hash within a key.
const ID_BITS: u32 = 56;

/// Kinds of subjects.
#[derive(Clone, Copy)]
enum Kind {
    EventType = 1,
    Host = 2,
    IdempotencyKey = 3,
    Client = 4,
}

impl Kind {
    /// Returns the key of a subject. Two subjects with one key only wait for each other.
    fn key(self, id: i64) -> i64 {
        (self as i64) << ID_BITS | id & ((1 << ID_BITS) - 1)
    }

    fn key_of_text(self, text: &str) -> i64 {
        let digest = Sha256::digest(text);
        let bytes = digest.first_chunk().copied().unwrap_or_default();
        self.key(i64::from_be_bytes(bytes))
    }
}

/// Locks of a write transaction.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Locks {
    /// Sorted, so that no two transactions wait for each other; empty for everything.
    keys: Vec<i64>,
}

impl Locks {
    /// Keeps out every other writer.
    pub fn everything() -> Self {
        Self::default()
    }

    /// Keeps out writers that book or reserve times of the event type or of its hosts, and those that need everything.
    pub fn of_event_type(stored: &StoredEventType) -> Self {
        let mut locks = Self::default();
        if stored.wire.id != GROUP_ID {
            locks.add(Kind::EventType.key(stored.wire.id));
        }
        for host_id in stored.host_ids() {
            locks.add(Kind::Host.key(host_id));
        }
        locks
    }

    /// Adds a user whose time is taken, too.
    #[must_use]
    pub fn with_user(mut self, user_id: Option<i64>) -> Self {
        if let Some(id) = user_id {
            self.add(Kind::Host.key(id));
        }
        self
    }

    /// Adds the hash of an idempotency key.
    #[must_use]
    pub fn with_idempotency_key(mut self, hash: &str) -> Self {
        self.add(Kind::IdempotencyKey.key_of_text(hash));
        self
    }

    /// Adds the hash of a client whose reservations are counted.
    #[must_use]
    pub fn with_client(mut self, hash: &str) -> Self {
        self.add(Kind::Client.key_of_text(hash));
        self
    }

    /// Adds a key, unless everything is locked.
    fn add(&mut self, key: i64) {
        if let Err(index) = self.keys.binary_search(&key) {
            self.keys.insert(index, key);
        }
    }

    /// Returns true if a transaction that holds these locks may do what needs `others`.
    pub(super) fn include(&self, others: &Self) -> bool {
        self.keys.is_empty()
            || !others.keys.is_empty()
                && others
                    .keys
                    .iter()
                    .all(|key| self.keys.binary_search(key).is_ok())
    }

    /// Returns the key that decides which queue they wait in; none for everything.
    pub(super) fn first(&self) -> Option<i64> {
        self.keys.first().copied()
    }

    /// Returns the keys in the order to lock them in, separated by commas: the first one is shared, unless it is the
    /// only one.
    pub(super) fn to_text(&self) -> String {
        let keys = std::iter::once(EVERYTHING).chain(self.keys.iter().copied());
        let keys: Vec<String> = keys.map(|key| key.to_string()).collect();
        keys.join(",")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn locks(keys: &[i64]) -> Locks {
        let mut locks = Locks::default();
        for key in keys {
            locks.add(*key);
        }
        locks
    }

    #[test]
    fn keys_are_locked_in_one_order_and_once() {
        let user = Kind::Host.key(7);
        let locks = locks(&[Kind::Host.key(9), user, Kind::EventType.key(40)]).with_user(Some(7));
        let expected = [Kind::EventType.key(40), user, Kind::Host.key(9)];
        assert_eq!(locks.keys, expected);
        let [a, b, c] = expected;
        assert_eq!(locks.to_text(), format!("{EVERYTHING},{a},{b},{c}"));
        assert_eq!(Locks::everything().to_text(), EVERYTHING.to_string());
    }

    #[test]
    fn subjects_of_different_kinds_have_different_keys() {
        let id = 5;
        let keys = [Kind::EventType.key(id), Kind::Host.key(id), EVERYTHING];
        let texts = [Kind::IdempotencyKey, Kind::Client].map(|kind| kind.key_of_text("5"));
        let mut all: Vec<i64> = keys.into_iter().chain(texts).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 5);
        assert!(all.iter().all(|key| *key > 0));
    }

    #[test]
    fn transaction_is_shared_with_jobs_whose_locks_it_holds() {
        let held = locks(&[1, 2, 3]);
        assert!(held.include(&locks(&[1, 3])));
        assert!(!held.include(&locks(&[1, 4])));
        assert!(!held.include(&Locks::everything()));
        assert!(Locks::everything().include(&held));
        assert!(Locks::everything().include(&Locks::everything()));
    }
}
