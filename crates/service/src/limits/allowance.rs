//! Limits of what one anonymous network books in a day.

use std::time::Duration;

use super::client::Client;
use super::limiter::{Limiter, Rule};
use crate::error::{Error, Result};

const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Allowance of an anonymous client for bookings. Addresses are proven by nobody, so a stranger could
/// fill a calendar; people and platforms answer for what they book.
#[derive(Clone, Debug)]
pub struct BookingAllowance {
    limiter: Limiter,
    client: String,
    /// Calls a minute that are allowed in all, which the limits of a day are derived from.
    rate: u32,
}

impl BookingAllowance {
    /// The allowance of a client; none if bookings are not counted for it.
    pub fn of(limiter: &Limiter, rate: Option<u32>, client: &Client) -> Option<Self> {
        Some(Self {
            limiter: limiter.clone(),
            client: client.anonymous_key()?.to_owned(),
            rate: rate?,
        })
    }

    /// Takes `meetings` meetings of an event type with these hosts off the allowance.
    ///
    /// # Errors
    ///
    /// [`Error::TooManyRequests`] once the client has booked as often as it may in a day: half as
    /// many requests as it may make in a minute, a quarter of one event type, and half as many
    /// meetings of one host.
    pub fn take(&self, event_type_id: i64, host_ids: &[i64], meetings: usize) -> Result<()> {
        let client = &self.client;
        self.count("bookings a day", client, self.rate / 2, 1)?;
        let event_type = format!("{client} {event_type_id}");
        self.count(
            "bookings of an event type a day",
            &event_type,
            self.rate / 4,
            1,
        )?;
        let meetings = u32::try_from(meetings).unwrap_or(u32::MAX);
        for host_id in host_ids {
            let host = format!("{client} {host_id}");
            self.count("meetings of a host a day", &host, self.rate / 2, meetings)?;
        }
        Ok(())
    }

    fn count(&self, name: &'static str, key: &str, most: u32, number: u32) -> Result<()> {
        let rule = Rule {
            name,
            count: most.max(1),
            per: DAY,
            block: Duration::ZERO,
        };
        let usage = self.limiter.count_many(&rule, key, number);
        if usage.exceeded {
            return Err(Error::TooManyRequests {
                retry_after_s: usage.reset_s,
            });
        }
        Ok(())
    }
}
