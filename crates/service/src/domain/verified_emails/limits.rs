//! Limits on codes: of a mailbox, which the database counts, and of a client.
use booking_wire::Instant;
use booking_wire::formats::instant::{DAY_MS, MINUTE_MS};
use booking_wire::people::verified_email::RESEND_SECONDS;

use crate::app::AppState;
use crate::error::{Error, Result};
use crate::limits::{Client, HOUR};

/// Most codes of a mailbox in a period: number, and length in milliseconds.
const OF_MAILBOX: [(usize, i64); 3] = [
    (1, RESEND_SECONDS * 1000),
    (MAX_CODES_PER_HOUR, 60 * MINUTE_MS),
    (MAX_CODES_PER_DAY, DAY_MS),
];

/// Codes of a mailbox in an hour.
const MAX_CODES_PER_HOUR: usize = 5;

/// Codes of a mailbox in a day.
const MAX_CODES_PER_DAY: usize = 20;

/// Fraction of the calls per minute that an anonymous client may request codes in an hour, and enter codes: one in this
/// number. Others act for many visitors: they may do as much in an hour as in total in a minute.
const ANONYMOUS_FRACTION: u32 = 4;

/// Name of the limits in metrics.
pub(super) const METRIC: &str = "verification_codes";

/// Returns the instant since which codes of a mailbox count, and the most that do.
pub(super) fn counted_since(now: Instant) -> (Instant, i64) {
    let limit = i64::try_from(MAX_CODES_PER_DAY).unwrap_or(i64::MAX);
    (Instant(now.0 - DAY_MS), limit)
}

/// Returns the milliseconds until a mailbox may get another code; none if it may. `created` are the times of its
/// codes, latest first.
pub(super) fn wait_ms(created: &[i64], now: Instant) -> Option<i64> {
    OF_MAILBOX
        .into_iter()
        .filter_map(|(max, period_ms)| {
            let earliest = created.get(max - 1)?;
            Some(earliest + period_ms - now.0).filter(|wait_ms| *wait_ms > 0)
        })
        .max()
}

/// Returns the error for a client that has to wait.
pub(super) fn error(wait_ms: i64) -> Error {
    Error::TooManyRequests {
        retry_after_s: wait_ms.unsigned_abs().div_ceil(1000),
    }
}

/// Counts a request for a code.
pub(super) fn count_request(app: &AppState, client: &Client) -> Result<()> {
    count(app, "verification codes an hour", client)
}

/// Counts a code that a client enters.
pub(super) fn count_attempt(app: &AppState, client: &Client) -> Result<()> {
    count(app, "entered verification codes an hour", client)
}

fn count(app: &AppState, name: &'static str, client: &Client) -> Result<()> {
    let (Some(all), Some(key)) = (app.settings.limits.rate, client.key()) else {
        return Ok(());
    };
    let max = if client.is_anonymous() {
        all / ANONYMOUS_FRACTION
    } else {
        all
    };
    app.limiter
        .check(name, key, max.max(1), HOUR)
        .map(|_| ())
        .inspect_err(|_| app.metrics.record_limit_refusal(METRIC))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn mailbox_waits_for_the_longest_of_its_limits() {
        let now = Instant(10 * DAY_MS);
        let check = |ages_s: &[i64], expected_s: Option<i64>| {
            let created: Vec<i64> = ages_s.iter().map(|age| now.0 - age * 1000).collect();
            let expected = expected_s.map(|seconds| seconds * 1000);
            assert_eq!(wait_ms(&created, now), expected, "{ages_s:?}");
        };
        check(&[], None);
        check(&[1], Some(29));
        check(&[29], Some(1));
        check(&[30], None);
        check(&[30, 60, 90, 120], None);
        check(&[31, 60, 90, 120, 150], Some(3450));
        check(&[31, 60, 90, 120, 3600], None);
        let day: Vec<i64> = (1..=20).map(|number| number * 4000).collect();
        check(&day, Some(6400));
        check(&day[..19], None);
    }

    #[test]
    fn wait_is_rounded_up_to_seconds() {
        for (wait_ms, expected) in [(1, 1), (1000, 1), (1001, 2)] {
            assert_eq!(error(wait_ms).retry_after_s(), Some(expected));
        }
    }
}
