//! Rules of an event type about the times it can be booked at.

use super::limits::Limit;
use super::span::Span;
use super::units::MINUTE;
use super::window::Window;

/// Rules of an event type about the times it can be booked at. All lengths are minutes.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Length of the meeting that is asked for.
    pub length: i64,
    /// Distance between starts; the length when absent.
    pub interval: Option<i64>,
    /// Time that must pass between booking and start.
    pub notice: i64,
    /// Free time wanted before a meeting.
    pub before: i64,
    /// Free time wanted after a meeting.
    pub after: i64,
    /// Shift of every start from the grid.
    pub offset_start: i64,
    /// Leave the grid where that makes room for one more start.
    pub optimized: bool,
    /// Booking window.
    pub window: Window,
    /// Limits on number and length of bookings within a day, week, month or year.
    pub limits: Vec<Limit>,
    /// Offer only the first start of each day.
    pub only_first: bool,
    /// Combination of the hosts.
    pub combine: Combine,
    /// True if visitors share a meeting by taking seats.
    pub seated: bool,
}

impl Rules {
    /// Distance between two starts in milliseconds.
    pub fn step(&self) -> i64 {
        self.interval
            .filter(|step| *step > 0)
            .unwrap_or(self.length)
            .max(1)
            * MINUTE
    }

    /// The grid on which the first start of a range is rounded up, in minutes.
    pub fn grid(&self) -> i64 {
        let step = self.step() / MINUTE;
        [60, 30, 20, 15, 10, 5]
            .into_iter()
            .find(|grid| step % grid == 0)
            .unwrap_or(1)
    }

    /// The earliest start allowed at `now`: the notice, at least a minute, seconds dropped.
    pub fn earliest(&self, now: i64) -> i64 {
        let edge = now + self.notice.max(1) * MINUTE;
        edge - edge.rem_euclid(MINUTE)
    }

    /// The meeting that begins then.
    pub fn meeting(&self, start: i64) -> Span {
        Span::new(start, start + self.length * MINUTE)
    }
}

/// Combination of the free times of several hosts into those of one event type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    /// One of the rotating hosts, together with every fixed one, takes the meeting.
    AnyRotating,
    /// Every host takes part.
    Everyone,
}
