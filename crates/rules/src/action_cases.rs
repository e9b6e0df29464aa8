//! The rules of actions as a table, for tests of all that decide or show them.

use booking_wire::{BookingStatus, Instant};
use serde_json::Value;

use crate::{Actor, BookingContext, Policy, Transition};

/// Current instant of the table.
pub const NOW: Instant = Instant(1_803_888_000_000);

/// Length of the meetings, in minutes.
pub const LENGTH_MINUTES: i64 = 30;

/// Starts of the meetings, in minutes from now: in ten hours, in an hour less a minute, running, over.
pub const STARTS: [i64; 4] = [600, 59, -10, -600];

/// Statuses in the order of the table's rows.
pub const STATUSES: [BookingStatus; 5] = [
    BookingStatus::Accepted,
    BookingStatus::Pending,
    BookingStatus::AwaitingHost,
    BookingStatus::Cancelled,
    BookingStatus::Rejected,
];

/// Actions with their letters in the table.
pub const ACTIONS: [(char, Transition); 6] = [
    ('c', Transition::Confirm),
    ('d', Transition::Decline),
    (
        'x',
        Transition::Cancel {
            by: Actor::Host,
            has_reason: true,
        },
    ),
    ('r', Transition::Reschedule),
    ('a', Transition::MarkAbsent),
    ('h', Transition::Change),
];

/// Actions that each policy allows: one row for each status, one column for each start.
const POLICIES: [(&str, [[&str; 4]; 5]); 8] = [
    (
        "{}",
        [
            ["xrh", "xrh", "xah", "a"],
            ["cdxrh", "cdxrh", "cdxh", "d"],
            ["cdxh", "cdxh", "cdxh", "d"],
            ["", "", "", ""],
            ["", "", "", ""],
        ],
    ),
    (
        r#"{"disableCancelling": {"disabled": true}}"#,
        [
            ["rh", "rh", "ah", "a"],
            ["cdrh", "cdrh", "cdh", "d"],
            ["cdh", "cdh", "cdh", "d"],
            ["", "", "", ""],
            ["", "", "", ""],
        ],
    ),
    (
        r#"{"disableRescheduling": {"disabled": true, "minutesBefore": 60},
            "allowReschedulingPastBookings": true, "allowReschedulingCancelledBookings": true}"#,
        [
            ["xh", "xh", "xah", "a"],
            ["cdxh", "cdxh", "cdxh", "d"],
            ["cdxh", "cdxh", "cdxh", "d"],
            ["", "", "", ""],
            ["", "", "", ""],
        ],
    ),
    (
        r#"{"disableRescheduling": {"disabled": false, "minutesBefore": 60}}"#,
        [
            ["xrh", "xh", "xah", "a"],
            ["cdxrh", "cdxh", "cdxh", "d"],
            ["cdxh", "cdxh", "cdxh", "d"],
            ["", "", "", ""],
            ["", "", "", ""],
        ],
    ),
    (
        r#"{"allowReschedulingPastBookings": true}"#,
        [
            ["xrh", "xrh", "xrah", "ra"],
            ["cdxrh", "cdxrh", "cdxrh", "dr"],
            ["cdxh", "cdxh", "cdxh", "d"],
            ["", "", "", ""],
            ["", "", "", ""],
        ],
    ),
    // The notice is about bookings that have not begun.
    (
        r#"{"allowReschedulingPastBookings": true, "disableRescheduling": {"minutesBefore": 60}}"#,
        [
            ["xrh", "xh", "xrah", "ra"],
            ["cdxrh", "cdxh", "cdxrh", "dr"],
            ["cdxh", "cdxh", "cdxh", "d"],
            ["", "", "", ""],
            ["", "", "", ""],
        ],
    ),
    (
        r#"{"allowReschedulingCancelledBookings": true}"#,
        [
            ["xrh", "xrh", "xah", "a"],
            ["cdxrh", "cdxrh", "cdxh", "d"],
            ["cdxh", "cdxh", "cdxh", "d"],
            ["r", "r", "", ""],
            ["", "", "", ""],
        ],
    ),
    (
        r#"{"allowReschedulingPastBookings": true, "allowReschedulingCancelledBookings": true,
            "disableRescheduling": {"minutesBefore": 60}}"#,
        [
            ["xrh", "xh", "xrah", "ra"],
            ["cdxrh", "cdxh", "cdxrh", "dr"],
            ["cdxh", "cdxh", "cdxh", "d"],
            ["r", "", "r", "r"],
            ["", "", "", ""],
        ],
    ),
];

/// A booking of the table, and the actions that it allows.
#[derive(Clone, Debug)]
pub struct Case {
    /// Settings of the event type.
    pub settings: Value,
    /// Status.
    pub status: BookingStatus,
    /// Start.
    pub start: Instant,
    /// End.
    pub end: Instant,
    /// Letters of the allowed actions, in the order of [`ACTIONS`].
    pub allowed: &'static str,
}

impl Case {
    /// Returns the policy in the settings.
    pub fn policy(&self) -> Policy {
        Policy::of_settings(&self.settings)
    }

    /// Returns the context of the rules.
    pub fn context<'a>(&'a self, policy: &'a Policy) -> BookingContext<'a> {
        BookingContext {
            status: &self.status,
            start: self.start,
            end: self.end,
            now: NOW,
            is_unpaid: false,
            replaced_by: None,
            policy,
        }
    }

    /// Returns true if the table allows the action of a letter.
    pub fn allows(&self, letter: char) -> bool {
        self.allowed.contains(letter)
    }
}

/// Returns every combination of policy, status and start.
pub fn cases() -> Vec<Case> {
    let mut cases = Vec::new();
    for (settings, rows) in POLICIES {
        let settings: Value = serde_json::from_str(settings).expect("settings");
        for (status, columns) in STATUSES.into_iter().zip(rows) {
            for (minutes, allowed) in STARTS.into_iter().zip(columns) {
                let start = NOW.plus_minutes(minutes);
                cases.push(Case {
                    settings: settings.clone(),
                    status: status.clone(),
                    start,
                    end: start.plus_minutes(LENGTH_MINUTES),
                    allowed,
                });
            }
        }
    }
    cases
}
