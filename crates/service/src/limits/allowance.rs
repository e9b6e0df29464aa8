//! Limits on what a client causes beyond its requests: bookings, moves and e-mail messages.

use std::time::Duration;

use booking_smtp::email_address::mailbox_key;

use super::client::Client;
use super::limiter::{HOUR, Limiter, RateLimit};
use crate::error::Result;

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

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
    limiter: Limiter,
    client: String,
    is_anonymous: bool,
    /// Calls per minute that are allowed in total; the other limits are derived from it.
    calls_per_minute: u32,
}

impl Allowance {
    /// The allowance of a client; `None` if nothing is limited.
    pub fn of(limiter: &Limiter, calls_per_minute: Option<u32>, client: &Client) -> Option<Self> {
        Some(Self {
            limiter: limiter.clone(),
            client: client.key()?.to_owned(),
            is_anonymous: client.is_anonymous(),
            calls_per_minute: calls_per_minute?,
        })
    }

    /// Deducts `meetings` meetings of an event type with these hosts from the allowance of an anonymous client.
    ///
    /// # Errors
    ///
    /// [`TooManyRequests`](crate::error::Error::TooManyRequests) once the daily limit is reached, relative to the calls per
    /// minute: half as many requests, a quarter as many of one event type, and half as many
    /// meetings of one host.
    pub fn take_booking(
        &self,
        event_type_id: i64,
        host_ids: &[i64],
        meetings: usize,
    ) -> Result<()> {
        if !self.is_anonymous {
            return Ok(());
        }
        let client = &self.client;
        let half = self.calls_per_minute / 2;
        self.count("bookings a day", client, half, 1, DAY)?;
        let event_type = format!("{client} {event_type_id}");
        let quarter = self.calls_per_minute / 4;
        let name = "bookings of an event type a day";
        self.count(name, &event_type, quarter, 1, DAY)?;
        let meetings = u32::try_from(meetings).unwrap_or(u32::MAX);
        for host_id in host_ids {
            let host = format!("{client} {host_id}");
            self.count("meetings of a host a day", &host, half, meetings, DAY)?;
        }
        Ok(())
    }

    /// Deducts a move of a booking, which `entry` identifies over all of its moves.
    ///
    /// # Errors
    ///
    /// [`TooManyRequests`](crate::error::Error::TooManyRequests) if anonymous clients have moved it too often.
    pub fn take_move(&self, entry: &str) -> Result<()> {
        if !self.is_anonymous {
            return Ok(());
        }
        self.count("moves of a booking an hour", entry, MOVES_PER_HOUR, 1, HOUR)
    }

    /// Deducts messages to attendees and guests with these addresses.
    ///
    /// # Errors
    ///
    /// [`TooManyRequests`](crate::error::Error::TooManyRequests) if the client, or anonymous ones together for one mailbox,
    /// have caused too many.
    pub fn take_messages<'a>(&self, emails: impl IntoIterator<Item = &'a str>) -> Result<()> {
        let mailboxes: Vec<String> = emails.into_iter().map(mailbox_key).collect();
        let messages = u32::try_from(mailboxes.len()).unwrap_or(u32::MAX);
        if !self.is_anonymous {
            let max = self.calls_per_minute.saturating_mul(MESSAGES_PER_CALL);
            return self.count("messages an hour", &self.client, max, messages, HOUR);
        }
        // First: a client that may send none must not use up what others may send to a mailbox.
        let name = "messages a day";
        self.count(name, &self.client, self.calls_per_minute, messages, DAY)?;
        let name = "messages to a mailbox an hour";
        mailboxes.iter().try_for_each(|mailbox| {
            self.count(name, mailbox, ANONYMOUS_MESSAGES_PER_MAILBOX, 1, HOUR)
        })
    }

    fn count(
        &self,
        name: &'static str,
        key: &str,
        count: u32,
        calls: u32,
        per: Duration,
    ) -> Result<()> {
        let limit = RateLimit::new(name, count.max(1), per);
        self.limiter.check_many(&limit, key, calls).map(|_| ())
    }
}
