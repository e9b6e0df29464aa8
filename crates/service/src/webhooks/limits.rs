//! Limits of messages, attempts and concurrency. `docs/webhooks.md` lists them for users.

use std::time::Duration;

/// Largest body that is sent, in bytes. A template that exceeds it is replaced by the plain
/// message; a plain message that exceeds it is given up.
pub const MAX_BODY_BYTES: usize = 256 * 1024;
/// Largest payload that is stored, in bytes: what the envelope adds still fits into a body. Texts
/// and lists of a larger payload are shortened.
pub const MAX_PAYLOAD_BYTES: usize = 240 * 1024;
/// Attendees in a payload: the first and the latest.
pub const MAX_ATTENDEES: usize = 100;
/// Placeholders in a template.
pub const MAX_PLACEHOLDERS: usize = 100;

/// Time for a receiver to answer, names and connection included.
pub const TIMEOUT: Duration = Duration::from_secs(10);
/// An attempt that takes longer is slow, whatever comes of it.
pub const SLOW: Duration = Duration::from_secs(3);
/// Delays before the second, third and fourth attempt, in milliseconds.
pub const RETRY_DELAYS_MS: [i64; 3] = [1_000, 10_000, 60_000];

/// Concurrent attempts, in all, for the webhooks of one owner, to one host, and of one webhook.
/// Webhooks that are not known to answer quickly share half of the first three.
pub const CONCURRENCY: usize = 64;
/// See [`CONCURRENCY`].
pub const CONCURRENCY_PER_OWNER: usize = 8;
/// See [`CONCURRENCY`].
pub const CONCURRENCY_PER_HOST: usize = 16;
/// See [`CONCURRENCY`]. A webhook starts with one, gains one with each quick answer, and falls
/// back to one after a slow attempt.
pub const CONCURRENCY_PER_WEBHOOK: usize = 4;

/// A webhook is switched off once so many messages in a row were given up …
pub const MAX_GIVEN_UP: i64 = 20;
/// … and the first of them so long ago, in milliseconds: longer than a weekend.
pub const MIN_FAILING_MS: i64 = 3 * DAY_MS;
/// A webhook is also switched off once more messages wait for it.
pub const MAX_WAITING: i64 = 10_000;

/// Age at which delivered messages are forgotten, in milliseconds. Their payload is not kept.
pub const DELIVERED_KEPT_MS: i64 = 7 * DAY_MS;
/// Age at which given-up messages are forgotten, in milliseconds. Their payload is kept until then.
pub const FAILED_KEPT_MS: i64 = 7 * DAY_MS;

const DAY_MS: i64 = 86_400_000;
