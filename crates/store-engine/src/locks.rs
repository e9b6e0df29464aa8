//! Locks of write transactions.
//!
//! Every rule of the service reads before it writes. With SQLite there is one writer at a time. With PostgreSQL, a
//! transaction holds locks on the resources that its rules read and that it writes: writes of different resources run
//! side by side. All are advisory locks of the transaction, so each statement after them sees what was committed before
//! (READ COMMITTED), over all replicas.
//!
//! Some locks are shared: bookings share the lock of their organization, which edits of the organization hold alone. All
//! transactions share one lock on everything, which only a transfer of the data holds alone.

use sha2::{Digest, Sha256};

/// Key of the lock on everything. Keys of resources have a kind in their upper bits.
const EVERYTHING: i64 = 0x626f_6f6b_696e_6702;

/// Bits of an id or hash within a key.
const ID_BITS: u32 = 56;

/// Resource that a write can lock. Names and hashes are those of the database.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Resource<'a> {
    /// An event type, with its times and seats.
    EventType(i64),
    /// A person, with their times, schedules, event types and credentials.
    Person(i64),
    /// Hash of an idempotency key.
    IdempotencyKey(&'a str),
    /// Hash of a client whose reservations are counted.
    Client(&'a str),
    /// The outbox of e-mail.
    Mail,
    /// An e-mail address whose codes are used.
    EmailAddress(&'a str),
    /// An organization, with its members, teams, roles and webhooks.
    Organization(i64),
    /// A team without an organization.
    Team(i64),
    /// A booking, or a series, by the id of its first row.
    Booking(i64),
    /// An OAuth client, with its users and webhooks.
    OauthClient(&'a str),
    /// A name that has to be unique, such as the slug of a team.
    Name(&'a str),
}

impl Resource<'_> {
    /// Number of the kind, which is the order of the locks. Those from [`FIRST_OF_LAST`] on are added to a transaction
    /// that has locks already.
    fn kind(self) -> i64 {
        match self {
            Self::EventType(_) => 1,
            Self::Person(_) => 2,
            Self::IdempotencyKey(_) => FIRST_OF_LAST,
            Self::Client(_) => 4,
            Self::Mail => 5,
            Self::EmailAddress(_) => 6,
            Self::Organization(_) => 7,
            Self::Team(_) => 8,
            Self::Booking(_) => 9,
            Self::OauthClient(_) => 10,
            Self::Name(_) => 11,
        }
    }

    /// Name of the kind with that number.
    fn name_of_kind(kind: i64) -> Option<&'static str> {
        const NAMES: [&str; 11] = [
            "event_type",
            "person",
            "idempotency_key",
            "client",
            "mail",
            "email_address",
            "organization",
            "team",
            "booking",
            "oauth_client",
            "name",
        ];
        let index = usize::try_from(kind).ok()?.checked_sub(1)?;
        NAMES.get(index).copied()
    }

    /// Returns the key. Two resources with one key only wait for each other.
    fn key(self) -> i64 {
        let id = match self {
            Self::EventType(id)
            | Self::Person(id)
            | Self::Organization(id)
            | Self::Team(id)
            | Self::Booking(id) => id,
            Self::Mail => 0,
            Self::IdempotencyKey(text)
            | Self::Client(text)
            | Self::EmailAddress(text)
            | Self::OauthClient(text)
            | Self::Name(text) => {
                let digest = Sha256::digest(text);
                i64::from_be_bytes(digest.first_chunk().copied().unwrap_or_default())
            }
        };
        self.kind() << ID_BITS | id & ((1 << ID_BITS) - 1)
    }
}

/// First of the kinds that are different in most bookings of a host.
const FIRST_OF_LAST: i64 = 3;

/// A lock of a transaction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Lock {
    pub(crate) key: i64,
    pub(crate) is_shared: bool,
}

/// Locks of a write transaction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Locks {
    /// Sorted by key, so that no two transactions wait for each other. The first is that on everything.
    locks: Vec<Lock>,
}

impl Locks {
    /// Keeps out transfers of the data only: for writes whose statements each decide and change what they touch.
    pub fn none() -> Self {
        Self::on_everything(true)
    }

    /// Keeps out every other writer.
    pub fn everything() -> Self {
        Self::on_everything(false)
    }

    fn on_everything(is_shared: bool) -> Self {
        let lock = Lock {
            key: EVERYTHING,
            is_shared,
        };
        Self { locks: vec![lock] }
    }

    /// Keeps out other writers that hold or share the lock of `resource`.
    #[must_use]
    pub fn and(mut self, resource: Resource<'_>) -> Self {
        self.add(Lock {
            key: resource.key(),
            is_shared: false,
        });
        self
    }

    /// Keeps out other writers that hold the lock of `resource` alone.
    #[must_use]
    pub fn and_share(mut self, resource: Resource<'_>) -> Self {
        self.add(Lock {
            key: resource.key(),
            is_shared: true,
        });
        self
    }

    /// Adds a lock, in order and once.
    fn add(&mut self, lock: Lock) {
        // That on everything has the largest key and is first.
        if lock.key == EVERYTHING {
            if let Some(first) = self.locks.first_mut() {
                first.is_shared &= lock.is_shared;
            }
            return;
        }
        let resources = self.locks.get(1..).unwrap_or_default();
        match resources.binary_search_by_key(&lock.key, |held| held.key) {
            Ok(index) => {
                if let Some(held) = self.locks.get_mut(index + 1) {
                    held.is_shared &= lock.is_shared;
                }
            }
            Err(index) => self.locks.insert(index + 1, lock),
        }
    }

    /// Returns true if these keep out all writers that `others` keep out.
    pub fn cover(&self, others: &Self) -> bool {
        self.is_everything() || others.locks.iter().all(|lock| self.has(*lock))
    }

    fn has(&self, lock: Lock) -> bool {
        let mut held = self.locks.iter();
        held.any(|held| held.key == lock.key && (lock.is_shared || !held.is_shared))
    }

    /// Returns the locks that a transaction with these needs for `others`, too; none if it cannot get them, as
    /// their order would be another one. Keys that are locked last are different in most bookings of a host.
    pub(crate) fn missing(&self, others: &Self) -> Option<Self> {
        if self.is_everything() {
            return Some(Self { locks: Vec::new() });
        }
        if others.is_everything() {
            return None;
        }
        let missing = others.locks.iter().filter(|lock| !self.has(**lock));
        let locks: Vec<Lock> = missing.copied().collect();
        let is_last = |lock: &Lock| lock.key >= FIRST_OF_LAST << ID_BITS;
        locks.iter().all(is_last).then_some(Self { locks })
    }

    /// Adds locks.
    pub(crate) fn extend(&mut self, missing: &Self) {
        for lock in &missing.locks {
            self.add(*lock);
        }
    }

    /// Returns true if there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.locks.is_empty()
    }

    /// Returns true if every other writer is kept out.
    pub(crate) fn is_everything(&self) -> bool {
        self.locks.first().is_some_and(|lock| !lock.is_shared)
    }

    /// Returns the key that decides which queue they wait in: none without a resource that is held alone.
    pub(crate) fn queue_key(&self) -> Option<i64> {
        let mut resources = self.locks.iter().skip(1);
        resources.find(|lock| !lock.is_shared).map(|lock| lock.key)
    }

    /// Name for metrics: the kind of the first resource that is held alone.
    pub(crate) fn name(&self) -> &'static str {
        if self.is_everything() {
            return "everything";
        }
        let kind = self.queue_key().map(|key| key >> ID_BITS);
        kind.and_then(Resource::name_of_kind).unwrap_or("rows")
    }

    /// Returns the keys in the order to lock them in, as a parameter of a statement.
    pub(crate) fn keys_to_text(&self) -> String {
        self.join(|lock| lock.key)
    }

    /// Returns for each key 1 if it is shared, else 0.
    pub(crate) fn shared_to_text(&self) -> String {
        self.join(|lock| i64::from(lock.is_shared))
    }

    fn join(&self, value: impl Fn(&Lock) -> i64) -> String {
        let values: Vec<String> = self
            .locks
            .iter()
            .map(|lock| value(lock).to_string())
            .collect();
        values.join(",")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_locked_in_one_order_and_once() {
        let [person, other] = [7, 9].map(Resource::Person);
        let (event_type, organization) = (Resource::EventType(40), Resource::Organization(1));
        let locks = Locks::none()
            .and(other)
            .and_share(organization)
            .and(person)
            .and(event_type)
            .and(person)
            .and_share(person);
        let [a, b, c, d] = [event_type, person, other, organization].map(Resource::key);
        assert_eq!(
            locks.keys_to_text(),
            format!("{EVERYTHING},{a},{b},{c},{d}")
        );
        assert_eq!(locks.shared_to_text(), "1,0,0,0,1");
        assert_eq!(locks.queue_key(), Some(a));
        assert_eq!(locks.name(), "event_type");
        let alone = locks.and(organization);
        assert_eq!(alone.shared_to_text(), "1,0,0,0,0");
        assert_eq!(Locks::everything().keys_to_text(), EVERYTHING.to_string());
        assert_eq!(Locks::everything().shared_to_text(), "0");
        assert_eq!(Locks::none().queue_key(), None);
        assert_eq!(Locks::none().name(), "rows");
        assert_eq!(Locks::everything().name(), "everything");
        assert_eq!(Locks::none().and(Resource::Name("a")).name(), "name");
    }

    #[test]
    fn resources_of_different_kinds_have_different_keys() {
        let resources = [
            Resource::EventType(5),
            Resource::Person(5),
            Resource::IdempotencyKey("5"),
            Resource::Client("5"),
            Resource::Mail,
            Resource::EmailAddress("5"),
            Resource::Organization(5),
            Resource::Team(5),
            Resource::Booking(5),
            Resource::OauthClient("5"),
            Resource::Name("5"),
        ];
        let mut keys = resources.map(Resource::key).to_vec();
        keys.push(EVERYTHING);
        keys.sort_unstable();
        keys.dedup();
        assert_eq!(keys.len(), resources.len() + 1);
        assert!(keys.iter().all(|key| *key > 0));
    }

    #[test]
    fn transaction_is_shared_with_jobs_whose_locks_it_holds() {
        let [a, b, c] = [1, 2, 3].map(Resource::Person);
        let key = Resource::IdempotencyKey("1");
        let organization = Resource::Organization(1);
        let held = Locks::none().and(a).and(b);
        let missing = |others: Locks| held.missing(&others).map(|missing| missing.locks);
        assert_eq!(missing(Locks::none().and(b)), Some(Vec::new()));
        assert_eq!(missing(Locks::none().and_share(b)), Some(Vec::new()));
        assert_eq!(missing(Locks::none().and(a).and(c)), None);
        let last = Locks::none().and(a).and(key).and_share(organization);
        assert_eq!(missing(last.clone()).map(|missing| missing.len()), Some(2));
        assert_eq!(missing(Locks::everything()), None);
        assert_eq!(
            last.missing(&last).map(|missing| missing.is_empty()),
            Some(true)
        );
        let everything = Locks::everything();
        assert!(
            everything
                .missing(&held)
                .is_some_and(|missing| missing.is_empty())
        );
        assert!(
            everything
                .missing(&everything)
                .is_some_and(|missing| missing.is_empty())
        );
    }

    #[test]
    fn shared_lock_does_not_cover_one_that_is_held_alone() {
        let organization = Resource::Organization(1);
        let (shared, alone) = (
            Locks::none().and_share(organization),
            Locks::none().and(organization),
        );
        assert!(alone.cover(&shared));
        assert!(!shared.cover(&alone));
        assert!(!Locks::none().cover(&shared));
        assert!(Locks::everything().cover(&alone));
    }
}
