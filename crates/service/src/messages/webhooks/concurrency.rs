//! Fair shares of concurrent attempts.
//!
//! Round robin: owners take turns, and so do the webhooks of one owner. Attempts are limited in
//! total, per owner, per host and per webhook. A webhook is *quick* after an attempt that took
//! less than [`SLOW`]; all others, including new ones, share half of each limit. So receivers that
//! do not respond leave at least half of the attempts to those that do.
//!
//! The limits of `tower` are per service; there is no crate for fair shares between owners.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::hash::Hash;
use std::time::Duration;

use reqwest::Url;

use super::retries_and_limits::{
    CONCURRENCY_PER_HOST, CONCURRENCY_PER_OWNER, CONCURRENCY_PER_WEBHOOK, SLOW,
};
use crate::store::messages::deliveries::{DueWebhook, QueueOwner};

/// A webhook with due deliveries.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// Id of the webhook.
    pub webhook_id: String,
    owner: QueueOwner,
    host: String,
}

impl From<DueWebhook> for Candidate {
    fn from(webhook: DueWebhook) -> Self {
        let host = Url::parse(&webhook.subscriber_url)
            .ok()
            .and_then(|url| url.host_str().map(str::to_owned));
        Self {
            webhook_id: webhook.id,
            owner: webhook.owner,
            host: host.unwrap_or(webhook.subscriber_url),
        }
    }
}

/// Attempts in flight and their limits.
#[derive(Debug, Default)]
pub struct Concurrency {
    /// Most attempts.
    limit: usize,
    in_flight: HashMap<i64, Claim>,
    all: Count,
    owners: HashMap<QueueOwner, Count>,
    hosts: HashMap<String, Count>,
    webhooks: HashMap<String, WebhookState>,
    owner_last_turns: HashMap<QueueOwner, LastTurn>,
    sequence: u64,
}

/// Attempts in flight.
#[derive(Clone, Copy, Debug, Default)]
struct Count {
    all: usize,
    /// Attempts of webhooks that were not quick when the attempt began.
    slow: usize,
}

impl Count {
    fn admits(self, limit: usize, is_slow: bool) -> bool {
        self.all < limit && !(is_slow && self.slow >= limit / 2)
    }

    fn add(&mut self, is_slow: bool) {
        self.all += 1;
        self.slow += usize::from(is_slow);
    }

    fn subtract(&mut self, is_slow: bool) {
        self.all = self.all.saturating_sub(1);
        self.slow = self.slow.saturating_sub(usize::from(is_slow));
    }
}

#[derive(Clone, Debug)]
struct Claim {
    candidate: Candidate,
    is_slow: bool,
}

/// Last turn of a webhook or an owner.
#[derive(Clone, Copy, Debug, Default)]
struct LastTurn {
    sequence: u64,
    /// False after the next cleanup.
    is_recent: bool,
}

/// Limit and attempts in flight of one webhook.
#[derive(Clone, Copy, Debug)]
struct WebhookState {
    limit: usize,
    in_flight: usize,
    last_turn: LastTurn,
}

impl Default for WebhookState {
    fn default() -> Self {
        Self {
            limit: 1,
            in_flight: 0,
            last_turn: LastTurn::default(),
        }
    }
}

impl Concurrency {
    /// Returns the state without attempts, of which there are at most `limit`.
    pub fn new(limit: usize) -> Self {
        Self {
            limit,
            ..Self::default()
        }
    }

    /// Returns the state after all attempts have ended.
    pub fn ended(&self) -> Self {
        Self::new(self.limit)
    }

    /// Number of claimed deliveries.
    pub fn len(&self) -> usize {
        self.in_flight.len()
    }

    /// Returns true while no delivery is claimed.
    pub fn is_empty(&self) -> bool {
        self.in_flight.is_empty()
    }

    /// Returns true while no further attempt may begin.
    pub fn is_full(&self) -> bool {
        self.len() >= self.limit
    }

    /// Ids of a webhook's claimed deliveries.
    pub fn claimed(&self, webhook_id: &str) -> Vec<i64> {
        if self.webhook(webhook_id).in_flight == 0 {
            return Vec::new();
        }
        self.in_flight
            .iter()
            .filter(|(_, claim)| claim.candidate.webhook_id == webhook_id)
            .map(|(id, _)| *id)
            .collect()
    }

    /// Puts the webhooks in the order of their turns.
    pub fn rotation(&self, due: Vec<DueWebhook>) -> Rotation {
        let mut owners: BTreeMap<QueueOwner, Vec<Candidate>> = BTreeMap::new();
        for candidate in due.into_iter().map(Candidate::from) {
            owners
                .entry(candidate.owner.clone())
                .or_default()
                .push(candidate);
        }
        let mut owners: Vec<(QueueOwner, VecDeque<Candidate>)> = owners
            .into_iter()
            .map(|(owner, mut webhooks)| {
                webhooks.sort_by_key(|candidate| {
                    self.webhook(&candidate.webhook_id).last_turn.sequence
                });
                (owner, webhooks.into())
            })
            .collect();
        owners.sort_by_key(|(owner, _)| {
            self.owner_last_turns
                .get(owner)
                .map_or(0, |last_turn| last_turn.sequence)
        });
        Rotation {
            owners: owners.into(),
        }
    }

    /// Counts an attempt until [`Self::release`].
    pub fn claim(&mut self, delivery_id: i64, candidate: &Candidate) {
        let is_slow = self.is_slow(&candidate.webhook_id);
        self.sequence += 1;
        let last_turn = LastTurn {
            sequence: self.sequence,
            is_recent: true,
        };
        let webhook = self
            .webhooks
            .entry(candidate.webhook_id.clone())
            .or_default();
        webhook.in_flight += 1;
        webhook.last_turn = last_turn;
        self.owner_last_turns
            .insert(candidate.owner.clone(), last_turn);
        self.all.add(is_slow);
        let owner = self.owners.entry(candidate.owner.clone()).or_default();
        owner.add(is_slow);
        let host = self.hosts.entry(candidate.host.clone()).or_default();
        host.add(is_slow);
        let claim = Claim {
            candidate: candidate.clone(),
            is_slow,
        };
        self.in_flight.insert(delivery_id, claim);
    }

    /// Ends the claim on a delivery.
    pub fn release(&mut self, delivery_id: i64) {
        let Some(Claim { candidate, is_slow }) = self.in_flight.remove(&delivery_id) else {
            return;
        };
        self.all.subtract(is_slow);
        subtract(&mut self.owners, &candidate.owner, is_slow);
        subtract(&mut self.hosts, &candidate.host, is_slow);
        if let Some(webhook) = self.webhooks.get_mut(&candidate.webhook_id) {
            webhook.in_flight = webhook.in_flight.saturating_sub(1);
        }
    }

    /// Adapts the concurrency of a webhook to the duration of an attempt.
    pub fn adapt(&mut self, webhook_id: &str, duration: Duration) {
        let webhook = self.webhooks.entry(webhook_id.to_owned()).or_default();
        webhook.limit = if duration < SLOW {
            (webhook.limit + 1).min(CONCURRENCY_PER_WEBHOOK)
        } else {
            1
        };
    }

    /// Removes the webhooks and owners that were not used since the previous cleanup.
    pub fn clean_up(&mut self) {
        self.webhooks.retain(|_, webhook| {
            webhook.in_flight > 0 || std::mem::take(&mut webhook.last_turn.is_recent)
        });
        self.owner_last_turns
            .retain(|_, last_turn| std::mem::take(&mut last_turn.is_recent));
    }

    fn webhook(&self, webhook_id: &str) -> WebhookState {
        self.webhooks.get(webhook_id).copied().unwrap_or_default()
    }

    fn is_slow(&self, webhook_id: &str) -> bool {
        self.webhook(webhook_id).limit == 1
    }

    fn admits(&self, candidate: &Candidate) -> bool {
        let webhook = self.webhook(&candidate.webhook_id);
        let is_slow = webhook.limit == 1;
        let owner = self.owners.get(&candidate.owner).copied();
        let host = self.hosts.get(&candidate.host).copied();
        webhook.in_flight < webhook.limit
            && self.all.admits(self.limit, is_slow)
            && owner
                .unwrap_or_default()
                .admits(CONCURRENCY_PER_OWNER, is_slow)
            && host
                .unwrap_or_default()
                .admits(CONCURRENCY_PER_HOST, is_slow)
    }
}

fn subtract<K: Eq + Hash>(counts: &mut HashMap<K, Count>, key: &K, is_slow: bool) {
    if let Some(count) = counts.get_mut(key) {
        count.subtract(is_slow);
        if count.all == 0 {
            counts.remove(key);
        }
    }
}

/// Webhooks with due deliveries, in the order of their turns.
#[derive(Debug)]
pub struct Rotation {
    owners: VecDeque<(QueueOwner, VecDeque<Candidate>)>,
}

impl Rotation {
    /// Takes the next webhook that may begin an attempt. Its owner moves to the end of the queue.
    pub fn next(&mut self, concurrency: &Concurrency) -> Option<Candidate> {
        // Limits only fill up during a rotation: an owner that is refused now stays refused.
        while let Some((owner, mut webhooks)) = self.owners.pop_front() {
            let found = webhooks
                .iter()
                .position(|candidate| concurrency.admits(candidate))
                .and_then(|index| webhooks.remove(index));
            if let Some(candidate) = found {
                self.owners.push_back((owner, webhooks));
                return Some(candidate);
            }
        }
        None
    }

    /// Puts a webhook from [`Self::next`] back: more of its deliveries may be due.
    pub fn requeue(&mut self, candidate: Candidate) {
        let mut owners = self.owners.iter_mut().rev();
        if let Some((_, webhooks)) = owners.find(|(owner, _)| *owner == candidate.owner) {
            webhooks.push_back(candidate);
        }
    }
}

#[cfg(test)]
mod tests {
    /// Most attempts.
    const LIMIT: usize = 64;

    use super::*;

    const QUICK: Duration = Duration::from_millis(50);

    fn webhook(id: &str, owner: i64, host: &str) -> DueWebhook {
        DueWebhook {
            id: id.to_owned(),
            owner: QueueOwner::User(owner),
            subscriber_url: format!("https://{host}/hook"),
        }
    }

    /// Webhooks of one owner, each at a different host, that always have due deliveries.
    fn webhooks(owner: i64, count: usize) -> Vec<DueWebhook> {
        (0..count)
            .map(|index| {
                let id = format!("{owner}-{index}");
                webhook(&id, owner, &format!("{id}.example"))
            })
            .collect()
    }

    fn make_quick(concurrency: &mut Concurrency, webhooks: &[DueWebhook]) {
        for webhook in webhooks {
            for _ in 0..CONCURRENCY_PER_WEBHOOK {
                concurrency.adapt(&webhook.id, QUICK);
            }
        }
    }

    /// Claims deliveries until no webhook may begin another attempt; returns their webhooks.
    fn fill(concurrency: &mut Concurrency, due: Vec<DueWebhook>) -> Vec<String> {
        let mut rotation = concurrency.rotation(due);
        let mut started = Vec::new();
        while let Some(candidate) = rotation.next(concurrency) {
            concurrency.claim(i64::try_from(concurrency.sequence).unwrap(), &candidate);
            started.push(candidate.webhook_id.clone());
            rotation.requeue(candidate);
        }
        started
    }

    #[test]
    fn owners_with_different_numbers_of_webhooks_take_equal_turns() {
        let mut concurrency = Concurrency::new(LIMIT);
        let due = [webhooks(1, 5), webhooks(2, 1), webhooks(3, 2)].concat();
        make_quick(&mut concurrency, &due);
        let started = fill(&mut concurrency, due.clone());
        assert_eq!(started[..6], ["1-0", "2-0", "3-0", "1-1", "2-0", "3-1"]);
        // After a pause, the owner and the webhook that waited longest come first.
        let ids: Vec<i64> = concurrency.in_flight.keys().copied().collect();
        for id in ids {
            concurrency.release(id);
        }
        assert!(concurrency.is_empty());
        let last = started.last().unwrap();
        assert_ne!(fill(&mut concurrency, due).first(), Some(last));
    }

    #[test]
    fn owner_with_many_webhooks_is_limited() {
        for (is_quick, limit) in [(true, CONCURRENCY_PER_OWNER), (false, 4)] {
            let mut concurrency = Concurrency::new(LIMIT);
            let due = webhooks(1, 40);
            if is_quick {
                make_quick(&mut concurrency, &due);
            }
            assert_eq!(fill(&mut concurrency, due).len(), limit);
        }
    }

    #[test]
    fn host_with_many_webhooks_is_limited() {
        for (is_quick, limit) in [(true, CONCURRENCY_PER_HOST), (false, 8)] {
            let mut concurrency = Concurrency::new(LIMIT);
            let due: Vec<DueWebhook> = (0..30)
                .map(|owner| webhook(&owner.to_string(), owner, "one.example"))
                .collect();
            if is_quick {
                make_quick(&mut concurrency, &due);
            }
            assert_eq!(fill(&mut concurrency, due).len(), limit);
        }
    }

    #[test]
    fn quick_webhooks_keep_half_of_the_attempts() {
        let mut concurrency = Concurrency::new(LIMIT);
        let slow: Vec<DueWebhook> = (0..40).flat_map(|owner| webhooks(owner, 40)).collect();
        assert_eq!(fill(&mut concurrency, slow.clone()).len(), LIMIT / 2);
        let quick: Vec<DueWebhook> = (100..120).flat_map(|owner| webhooks(owner, 2)).collect();
        make_quick(&mut concurrency, &quick);
        let started = fill(&mut concurrency, [slow, quick].concat());
        assert_eq!(started.len(), LIMIT / 2);
        assert!(started.iter().all(|id| id.starts_with('1')), "{started:?}");
        assert!(concurrency.is_full());
    }

    #[test]
    fn webhook_limit_grows_with_quick_attempts_and_resets_after_a_slow_one() {
        let mut concurrency = Concurrency::new(LIMIT);
        let due = || webhooks(1, 1);
        let started = |concurrency: &mut Concurrency| {
            let count = fill(concurrency, due()).len();
            let ids = concurrency.claimed("1-0");
            assert_eq!(ids.len(), count);
            for id in ids {
                concurrency.release(id);
            }
            count
        };
        assert_eq!(started(&mut concurrency), 1);
        for expected in [2, 3, 4, 4] {
            concurrency.adapt("1-0", QUICK);
            assert_eq!(started(&mut concurrency), expected);
        }
        concurrency.adapt("1-0", SLOW);
        assert_eq!(started(&mut concurrency), 1);
    }

    #[test]
    fn cleanup_removes_entries_that_were_not_used_since_the_last_one() {
        let mut concurrency = Concurrency::new(LIMIT);
        fill(&mut concurrency, webhooks(1, 2));
        concurrency.release(0);
        for (webhooks, owners) in [(2, 1), (1, 0)] {
            concurrency.clean_up();
            assert_eq!(concurrency.webhooks.len(), webhooks);
            assert_eq!(concurrency.owner_last_turns.len(), owners);
        }
    }
}
