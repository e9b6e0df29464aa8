//! Grid of starts inside a free range (`slotInterval`).

use booking_zones::Zone;

use super::rules::Rules;
use super::schedule::{instant_of, local_date, offset_at};
use super::time_range::TimeRange;
use super::units::{DAY, MINUTE};

/// A segment of a free range whose starts share one grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Segment {
    /// Earliest instant of the first start.
    pub(super) start: i64,
    /// End of the free time, and of the last meeting.
    pub(super) end: i64,
    /// Start of the next segment, or end of the free time.
    pub(super) next: i64,
}

impl Segment {
    /// The last start of a meeting of `length` milliseconds.
    fn last_start(self, length: i64) -> i64 {
        (self.end - length).min(self.next - 1)
    }
}

/// Splits a free range into segments. In a range longer than a day the grid restarts at each
/// midnight of `zone`. Otherwise the starts would depend on the start of the range, which may be
/// weeks ago, and on the requested days.
pub(super) fn segments(range: TimeRange, zone: &Zone) -> Vec<Segment> {
    let mut segments = Vec::new();
    let mut start = range.start;
    while start < range.end {
        let midnight = local_date(start, zone)
            .and_then(|date| date.succ_opt())
            .map(|next| instant_of(next, 0, zone))
            .filter(|midnight| range.end - range.start > DAY && *midnight > start);
        let next = midnight.map_or(range.end, |midnight| midnight.min(range.end));
        segments.push(Segment {
            start,
            end: range.end,
            next,
        });
        start = next;
    }
    segments
}

/// Clock that is used to round first starts up to the hour grid.
#[derive(Clone, Copy, Debug)]
pub(super) enum RoundingClock<'a> {
    /// The clock of a zone.
    Zone(&'a Zone),
    /// A clock with this offset from UTC, in milliseconds.
    Offset(i64),
}

impl RoundingClock<'_> {
    /// Clocks for all minutes of a UTC hour at which the hours of a zone can start.
    pub(super) const ANY: [Self; 3] = [
        Self::Offset(0),
        Self::Offset(30 * MINUTE),
        Self::Offset(45 * MINUTE),
    ];

    /// Rounds up to `grid`, in minutes.
    fn round_up(self, at: i64, grid: i64) -> i64 {
        let grid = grid * MINUTE;
        let offset_ms = match self {
            Self::Zone(zone) => offset_at(at, zone),
            Self::Offset(offset_ms) => offset_ms,
        };
        at + (grid - (at + offset_ms).rem_euclid(grid)) % grid
    }
}

/// The starts of `rules` in a segment between `from` and `to`, ascending. `earliest` is the first
/// start that the notice allows.
pub(super) fn starts(
    rules: &Rules,
    clock: RoundingClock<'_>,
    segment: Segment,
    earliest: i64,
    (from, to): (i64, i64),
) -> impl Iterator<Item = i64> + use<> {
    let step = start_interval(rules);
    let mut start = first_start(rules, clock, segment, earliest);
    if start < from {
        let behind = from - start;
        start += (behind / step + i64::from(behind % step > 0)) * step;
    }
    let last = to.min(segment.last_start(rules.length * MINUTE));
    std::iter::successors(Some(start), move |start| Some(start + step))
        .take_while(move |start| *start <= last)
}

/// Distance between two starts. The offset is added each time, as in Cal.com.
fn start_interval(rules: &Rules) -> i64 {
    rules.step() + rules.offset_start * MINUTE
}

/// The first start in a segment, even if no meeting fits.
fn first_start(rules: &Rules, clock: RoundingClock<'_>, segment: Segment, earliest: i64) -> i64 {
    let at = segment.start.max(earliest);
    let at = at + (MINUTE - at.rem_euclid(MINUTE)) % MINUTE;
    let offset = rules.offset_start * MINUTE;
    if !rules.optimized {
        return clock.round_up(at, rules.grid()) + offset;
    }
    // Prefer the coarsest grid that does not reduce the number of starts.
    let last = segment.last_start(rules.length * MINUTE);
    let room = |at: i64| (last - at - offset).div_euclid(start_interval(rules));
    [rules.grid(), 15, 5]
        .into_iter()
        .map(|grid| clock.round_up(at, grid))
        .find(|rounded| room(*rounded) == room(at))
        .unwrap_or(at)
        + offset
}
