//! Limits of messages, attempts and concurrency. `docs/webhooks.md` lists them for users.

use std::time::Duration;

use booking_wire::formats::instant::{DAY_MS, MINUTE_MS};

const HOUR_MS: i64 = 60 * MINUTE_MS;

/// Largest body that is sent, in bytes. A larger filled template is replaced by the plain message;
/// a larger plain message is given up.
pub const MAX_BODY_BYTES: usize = 256 * 1024;

/// Largest payload that is stored, in bytes; the envelope still fits into a body. Texts and lists
/// of a larger payload are shortened.
pub const MAX_PAYLOAD_BYTES: usize = 240 * 1024;

/// Most attendees in a payload: the first and the latest.
pub const MAX_ATTENDEES: usize = 100;

/// Most placeholders in a template.
pub const MAX_PLACEHOLDERS: usize = 100;

/// Timeout of an attempt, including DNS and connection.
pub const TIMEOUT: Duration = Duration::from_secs(10);

/// An attempt that takes longer is slow, even if it succeeds.
pub const SLOW: Duration = Duration::from_secs(3);

/// Delays before the second and later attempts, in milliseconds. The attempts are 5 s, 5 min, 30 min, 2 h, 5 h, 10 h, 16 h and
/// 24 h after the first one: a receiver may be down for a day.
pub const RETRY_DELAYS_MS: [i64; 8] = [
    5_000,
    5 * MINUTE_MS,
    25 * MINUTE_MS,
    90 * MINUTE_MS,
    3 * HOUR_MS,
    5 * HOUR_MS,
    6 * HOUR_MS,
    8 * HOUR_MS,
];

/// Concurrent attempts of a replica: for the webhooks of one owner, to one host, and of one webhook. The total is a setting.
/// Webhooks that are not known to respond quickly share half of it and of the first two.
pub const CONCURRENCY_PER_OWNER: usize = 8;

/// See [`CONCURRENCY_PER_OWNER`].
pub const CONCURRENCY_PER_HOST: usize = 16;

/// See [`CONCURRENCY_PER_OWNER`]. A webhook starts with one, gains one with each quick response, and
/// falls back to one after a slow attempt.
pub const CONCURRENCY_PER_WEBHOOK: usize = 4;

/// Consecutive given-up messages after which a webhook is switched off, if [`MIN_FAILING_MS`] has
/// passed as well. Few, because messages about one booking are given up one after the other, one a
/// day: a webhook with a single busy booking is switched off in its fifth day of retries.
pub const MAX_GIVEN_UP: i64 = 5;

/// Minimum time since the first of these messages was given up, in milliseconds. With the day of its
/// retries, an outage may last four days, longer than a weekend.
pub const MIN_FAILING_MS: i64 = 3 * DAY_MS;

/// Most waiting messages of a webhook; beyond it, the webhook is switched off. Several thousand bookings
/// in the day of retries, so that an outage of the receiver loses nothing.
pub const MAX_WAITING: i64 = 20_000;
