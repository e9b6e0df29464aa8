//! Booking rules of an event type: minimum notice, interval, rounding, limits.

use super::booking_limits::Limit;
use super::time_range::TimeRange;
use super::units::MINUTE;
use crate::bookable_dates::BookingWindow;

/// Booking rules of an event type. All durations are in minutes.
#[derive(Clone, Debug)]
pub struct Rules {
    /// Length of the meeting.
    pub length: i64,
    /// Interval between starts; the length if absent.
    pub interval: Option<i64>,
    /// Minimum notice: time between booking and start.
    pub notice: i64,
    /// Buffer before a meeting.
    pub buffer_before: i64,
    /// Buffer after a meeting.
    pub buffer_after: i64,
    /// Offset of every start from the grid.
    pub offset_start: i64,
    /// True if starts may leave the grid to fit one more start.
    pub optimized: bool,
    /// Booking window.
    pub window: BookingWindow,
    /// Limits on number and duration of bookings per day, week, month or year.
    pub limits: Vec<Limit>,
    /// True if only the first start of each day is offered.
    pub only_first: bool,
    /// Combination of the hosts' free times.
    pub scheduling_type: SchedulingType,
    /// True if meetings have seats that attendees share.
    pub seated: bool,
}

impl Rules {
    /// Interval between two starts in milliseconds.
    pub fn step(&self) -> i64 {
        self.interval
            .filter(|step| *step > 0)
            .unwrap_or(self.length)
            .max(1)
            * MINUTE
    }

    /// Grid to which the first start of a range is rounded up, in minutes.
    pub fn grid(&self) -> i64 {
        let step = self.step() / MINUTE;
        [60, 30, 20, 15, 10, 5]
            .into_iter()
            .find(|grid| step % grid == 0)
            .unwrap_or(1)
    }

    /// Earliest allowed start at `now`: after the notice, at least a minute, in whole minutes.
    pub fn earliest(&self, now: i64) -> i64 {
        let edge = now + self.notice.max(1) * MINUTE;
        edge - edge.rem_euclid(MINUTE)
    }

    /// Time range of a meeting that starts at `start`.
    pub fn meeting(&self, start: i64) -> TimeRange {
        TimeRange::new(start, start + self.length * MINUTE)
    }
}

/// Combination of the free times of several hosts into those of one event type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SchedulingType {
    /// One of the rotating hosts, together with every fixed one, takes the meeting.
    AnyRotating,
    /// Every host takes part.
    Everyone,
}
