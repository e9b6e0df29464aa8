//! Limits of messages and attempts. `docs/operating.md` lists them for operators.

use booking_wire::formats::instant::{DAY_MS, MINUTE_MS};

const HOUR_MS: i64 = 60 * MINUTE_MS;

/// Delays before the second and later attempts, in milliseconds. Servers that greylist accept a message after some
/// minutes; a server may be down for hours.
pub const RETRY_DELAYS_MS: [i64; 8] = [
    5_000,
    MINUTE_MS,
    5 * MINUTE_MS,
    15 * MINUTE_MS,
    HOUR_MS,
    4 * HOUR_MS,
    8 * HOUR_MS,
    12 * HOUR_MS,
];

/// Events whose messages are made in one transaction; bounds the time that bookings wait for it.
pub const EVENTS_PER_TRANSACTION: i64 = 50;

/// The same once events are late: a busy database answers each statement late, and those of a batch are about all its events.
pub const LATE_EVENTS_PER_TRANSACTION: i64 = 250;

/// Most messages to one mailbox of attendees and guests, with the period in milliseconds: a stranger's mailbox cannot be
/// flooded. Codes count, too.
pub const MESSAGES_PER_MAILBOX: [(i64, i64); 2] = [(30, HOUR_MS), (100, DAY_MS)];

/// Messages to one mailbox of hosts, with the period in milliseconds; others wait for the next period.
pub const MESSAGES_PER_HOST: (i64, i64) = (300, HOUR_MS);

/// Messages to attendees and guests about bookings of one event type, and the period in milliseconds; others wait for the
/// next period. The first message to a person who books, and cancellations, do not wait.
pub const MESSAGES_PER_EVENT_TYPE: (i64, i64) = (3_000, HOUR_MS);

/// Messages that are sent at the same time less those of one tenant: those of others find a free place.
pub const FREE_FOR_OTHERS: usize = 2;

/// Factor of the limit of a mailbox for cancellations and refusals of bookings that the recipient knows of.
pub const EXEMPT_FACTOR: i64 = 2;

/// Minutes before the start of reminders, unless the event type has others.
pub const DEFAULT_REMINDERS: [i64; 2] = [24 * 60, 60];
