//! Locks of write transactions.
//!
//! Every rule of the service reads before it writes. With SQLite there is one writer at a time. With PostgreSQL, a
//! transaction holds either the lock on everything, or shares it and holds locks on single resources: bookings of
//! different hosts run side by side, and everything else is as in SQLite. All are advisory locks of the transaction,
//! so each statement after them sees what was committed before (READ COMMITTED), over all replicas.

use sha2::{Digest, Sha256};

/// Key of the lock on everything. Keys of resources have a kind in their upper bits.
const EVERYTHING: i64 = 0x626f_6f6b_696e_6702;

/// Bits of an id or hash within a key.
const ID_BITS: u32 = 56;

/// Kinds of resources. Those from [`Kind::IdempotencyKey`] on are locked last.
#[derive(Clone, Copy)]
enum Kind {
    EventType = 1,
    Host = 2,
    IdempotencyKey = 3,
    Client = 4,
    Mail = 5,
    EmailAddress = 6,
}

impl Kind {
    /// Returns the key of a resource. Two resources with one key only wait for each other.
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

    /// Keeps out writers that book or reserve times of the event type or of the hosts, and those that need everything.
    /// An event type of id 0 is none.
    pub fn of_times(event_type_id: i64, host_ids: &[i64]) -> Self {
        Self::default().with_times(event_type_id, host_ids)
    }

    /// Keeps out writers that need everything, and others that make messages or store their outcomes.
    pub fn of_mail() -> Self {
        let mut locks = Self::default();
        locks.add(Kind::Mail.key(0));
        locks
    }

    /// Adds an event type, unless its id is 0, and hosts.
    #[must_use]
    pub fn with_times(mut self, event_type_id: i64, host_ids: &[i64]) -> Self {
        if event_type_id != 0 {
            self.add(Kind::EventType.key(event_type_id));
        }
        for host_id in host_ids {
            self.add(Kind::Host.key(*host_id));
        }
        self
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

    /// Keeps out writers that use codes of an e-mail address, and those that need everything.
    pub fn of_email(email: &str) -> Self {
        Self::default().with_email(Some(email))
    }

    /// Adds an e-mail address whose code is used.
    #[must_use]
    pub fn with_email(mut self, email: Option<&str>) -> Self {
        if let Some(email) = email {
            self.add(Kind::EmailAddress.key_of_text(email));
        }
        self
    }

    /// Adds a key, in order and once.
    fn add(&mut self, key: i64) {
        if let Err(index) = self.keys.binary_search(&key) {
            self.keys.insert(index, key);
        }
    }

    /// Returns the keys that a transaction with these locks needs for `others`, too; none if it cannot get them, as
    /// their order would be another one. Keys that are locked last are different in most bookings of a host.
    pub(crate) fn missing(&self, others: &Self) -> Option<Vec<i64>> {
        if self.is_everything() {
            return Some(Vec::new());
        }
        if others.is_everything() {
            return None;
        }
        let is_held = |key: &&i64| self.keys.binary_search(key).is_ok();
        let missing: Vec<i64> = others
            .keys
            .iter()
            .filter(|key| !is_held(key))
            .copied()
            .collect();
        let is_last = |key: &i64| *key >= (Kind::IdempotencyKey as i64) << ID_BITS;
        missing.iter().all(is_last).then_some(missing)
    }

    /// Adds keys that were missing.
    pub(crate) fn extend(&mut self, missing: Vec<i64>) {
        for key in missing {
            self.add(key);
        }
    }

    /// Returns true if every other writer is kept out.
    pub(crate) fn is_everything(&self) -> bool {
        self.keys.is_empty()
    }

    /// Returns the key that decides which queue they wait in; none for everything.
    pub(crate) fn queue_key(&self) -> Option<i64> {
        self.keys.first().copied()
    }

    /// Returns the keys in the order to lock them in, separated by commas: the first one is shared, unless it is the
    /// only one.
    pub(crate) fn to_text(&self) -> String {
        let keys = std::iter::once(EVERYTHING).chain(self.keys.iter().copied());
        keys_to_text(keys)
    }
}

/// Returns keys as a parameter of a statement, separated by commas.
pub(crate) fn keys_to_text(keys: impl IntoIterator<Item = i64>) -> String {
    let keys: Vec<String> = keys.into_iter().map(|key| key.to_string()).collect();
    keys.join(",")
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
    fn resources_of_different_kinds_have_different_keys() {
        let id = 5;
        let keys = [Kind::EventType.key(id), Kind::Host.key(id), EVERYTHING];
        let texts = [Kind::IdempotencyKey, Kind::Client, Kind::EmailAddress]
            .map(|kind| kind.key_of_text("5"));
        let mut all: Vec<i64> = keys.into_iter().chain(texts).collect();
        all.sort_unstable();
        all.dedup();
        assert_eq!(all.len(), 6);
        assert!(all.iter().all(|key| *key > 0));
    }

    #[test]
    fn transaction_is_shared_with_jobs_whose_locks_it_holds() {
        let [a, b, c] = [1, 2, 3].map(|id| Kind::Host.key(id));
        let key = Kind::IdempotencyKey.key(1);
        let held = locks(&[a, b]);
        let nothing = Some(Vec::new());
        assert_eq!(held.missing(&locks(&[b])), nothing);
        assert_eq!(held.missing(&locks(&[a, c])), None);
        assert_eq!(held.missing(&locks(&[a, key])), Some(vec![key]));
        assert_eq!(locks(&[a, key]).missing(&locks(&[a, key])), nothing);
        assert_eq!(held.missing(&Locks::everything()), None);
        assert_eq!(Locks::everything().missing(&held), nothing);
        assert_eq!(Locks::everything().missing(&Locks::everything()), nothing);
    }
}
