//! Limits on what a client causes beyond its requests: bookings, moves and e-mail messages. All replicas share the counts,
//! which are in the database.

use std::collections::BTreeMap;

use booking_smtp::email_address::mailbox_key;
use booking_store_engine::connection::Db;
use booking_wire::Instant;
use booking_wire::formats::instant::{DAY_MS, MINUTE_MS};

use super::client::Client;
use crate::auth::token::SigningKey;
use crate::error::{Error, Result};
use crate::store::upkeep::allowances::{self, Use};

const HOUR_MS: i64 = 60 * MINUTE_MS;

/// Moves of one booking by anonymous clients in an hour.
const MOVES_PER_HOUR: u32 = 10;

/// Messages to one mailbox that anonymous clients cause in an hour: as many as are sent.
const ANONYMOUS_MESSAGES_PER_MAILBOX: u32 = 30;

/// Messages of an authenticated client in an hour, as a multiple of its calls per minute.
const MESSAGES_PER_CALL: u32 = 50;

/// Allowance of a client. E-mail addresses are not verified, so an anonymous client could fill a calendar, or have messages
/// sent to strangers.
#[derive(Clone, Debug)]
pub struct Allowance {
    signing_key: SigningKey,
    client: String,
    is_anonymous: bool,
    /// Calls per minute that are allowed in total; the other limits are derived from it.
    calls_per_minute: u32,
}

impl Allowance {
    /// The allowance of a client; `None` if nothing is limited.
    pub fn of(
        signing_key: &SigningKey,
        calls_per_minute: Option<u32>,
        client: &Client,
    ) -> Option<Self> {
        Some(Self {
            signing_key: signing_key.clone(),
            client: client.key()?.to_owned(),
            is_anonymous: client.is_anonymous(),
            calls_per_minute: calls_per_minute?,
        })
    }

    /// Starts a deduction of what one transaction causes.
    pub fn deduct(&self) -> Deduction<'_> {
        Deduction {
            allowance: self,
            parts: BTreeMap::new(),
        }
    }
}

/// What a transaction causes, and is deducted at once.
#[derive(Debug)]
pub struct Deduction<'a> {
    allowance: &'a Allowance,
    /// By the keyed hash of limit and client, mailbox or booking: nobody reads addresses from the table. In the same order
    /// in each transaction, so that no two wait for each other.
    parts: BTreeMap<String, Part>,
}

#[derive(Debug)]
struct Part {
    max: u32,
    count: u32,
    period_ms: i64,
}

impl Deduction<'_> {
    /// Adds `meetings` meetings of an event type with these hosts, if the client is anonymous. Limits a day are relative
    /// to the calls per minute: half as many requests, a quarter as many of one event type, and half as many meetings of
    /// one host.
    #[must_use]
    pub fn booking(mut self, event_type_id: i64, host_ids: &[i64], meetings: usize) -> Self {
        if !self.allowance.is_anonymous {
            return self;
        }
        let (client, calls) = (&self.allowance.client, self.allowance.calls_per_minute);
        let event_type = format!("{client} {event_type_id}");
        let hosts: Vec<String> = host_ids.iter().map(|id| format!("{client} {id}")).collect();
        let meetings = u32::try_from(meetings).unwrap_or(u32::MAX);
        self.add("bookings a day", client, calls / 2, 1, DAY_MS);
        let name = "bookings of an event type a day";
        self.add(name, &event_type, calls / 4, 1, DAY_MS);
        for host in &hosts {
            self.add(
                "meetings of a host a day",
                host,
                calls / 2,
                meetings,
                DAY_MS,
            );
        }
        self
    }

    /// Adds a move of a booking, which `entry` identifies over all of its moves, if the client is anonymous.
    #[must_use]
    pub fn move_of(mut self, entry: &str) -> Self {
        if self.allowance.is_anonymous {
            let name = "moves of a booking an hour";
            self.add(name, entry, MOVES_PER_HOUR, 1, HOUR_MS);
        }
        self
    }

    /// Adds messages to attendees and guests with these addresses. Anonymous clients share the limit of a mailbox.
    #[must_use]
    pub fn messages<'e>(mut self, emails: impl IntoIterator<Item = &'e str>) -> Self {
        let (client, calls) = (&self.allowance.client, self.allowance.calls_per_minute);
        for mailbox in emails.into_iter().map(mailbox_key) {
            if self.allowance.is_anonymous {
                self.add("messages a day", client, calls, 1, DAY_MS);
                let name = "messages to a mailbox an hour";
                self.add(name, &mailbox, ANONYMOUS_MESSAGES_PER_MAILBOX, 1, HOUR_MS);
            } else {
                let max = calls.saturating_mul(MESSAGES_PER_CALL);
                self.add("messages an hour", client, max, 1, HOUR_MS);
            }
        }
        self
    }

    fn add(&mut self, name: &str, key: &str, max: u32, count: u32, period_ms: i64) {
        let key = self.allowance.signing_key.digest(&format!("{name} {key}"));
        let part = self.parts.entry(key).or_insert(Part {
            max: max.max(1),
            count: 0,
            period_ms,
        });
        part.count = part.count.saturating_add(count);
    }

    /// Deducts all of it, in a transaction that has to fail with the error: nothing is deducted then.
    ///
    /// # Errors
    ///
    /// [`Error::TooManyRequests`] if a limit is exceeded.
    pub async fn take(self, db: &mut Db, now: Instant) -> Result<()> {
        let uses = self.parts.iter().map(|(key, part)| Use {
            key: key.clone(),
            count: part.count.into(),
            ends_ms: now.0 + part.period_ms,
        });
        let counts = allowances::add(db, uses.collect(), now).await?;
        let exceeded = counts.iter().filter(|count| {
            let part = self.parts.get(&count.key);
            part.is_some_and(|part| count.count > part.max.into())
        });
        match exceeded.map(|count| count.ends_ms - now.0).max() {
            None => Ok(()),
            Some(wait_ms) => Err(Error::TooManyRequests {
                retry_after_s: wait_ms.unsigned_abs().div_ceil(1000),
            }),
        }
    }
}
