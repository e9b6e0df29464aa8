//! Limits the bookings of an anonymous network per day.

use std::time::Duration;

use super::client::Client;
use super::limiter::{Limiter, RateLimit};
use crate::error::Result;

/// Window of limits per day.
const DAY: Duration = Duration::from_secs(24 * 60 * 60);

/// Allowance of an anonymous client for bookings. E-mail addresses are not verified, so an
/// anonymous client could fill a calendar; authenticated callers are not limited.
#[derive(Clone, Debug)]
pub struct BookingAllowance {
    limiter: Limiter,
    client: String,
    /// Calls per minute that are allowed in total; the daily limits are derived from it.
    calls_per_minute: u32,
}

impl BookingAllowance {
    /// The allowance of a client; `None` if its bookings are not limited.
    pub fn of(limiter: &Limiter, calls_per_minute: Option<u32>, client: &Client) -> Option<Self> {
        Some(Self {
            limiter: limiter.clone(),
            client: client.anonymous_key()?.to_owned(),
            calls_per_minute: calls_per_minute?,
        })
    }

    /// Deducts `meetings` meetings of an event type with these hosts from the allowance.
    ///
    /// # Errors
    ///
    /// [`TooManyRequests`](crate::error::Error::TooManyRequests) once the daily limit is reached, relative to the calls per
    /// minute: half as many requests, a quarter as many of one event type, and half as many
    /// meetings of one host.
    pub fn take(&self, event_type_id: i64, host_ids: &[i64], meetings: usize) -> Result<()> {
        let client = &self.client;
        self.count("bookings a day", client, self.calls_per_minute / 2, 1)?;
        let event_type = format!("{client} {event_type_id}");
        self.count(
            "bookings of an event type a day",
            &event_type,
            self.calls_per_minute / 4,
            1,
        )?;
        let meetings = u32::try_from(meetings).unwrap_or(u32::MAX);
        for host_id in host_ids {
            let host = format!("{client} {host_id}");
            self.count(
                "meetings of a host a day",
                &host,
                self.calls_per_minute / 2,
                meetings,
            )?;
        }
        Ok(())
    }

    fn count(&self, name: &'static str, key: &str, count: u32, calls: u32) -> Result<()> {
        let limit = RateLimit::new(name, count.max(1), DAY);
        self.limiter.check_many(&limit, key, calls).map(|_| ())
    }
}
