//! Where starts lie inside a free range (contract 6.1, step 7).

use chrono_tz::Tz;

use super::rules::Rules;
use super::schedule::{instant_of, local_date, offset_at};
use super::span::Span;
use super::units::{DAY, MINUTE};

/// A stretch of free time with the starts that begin in it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Stretch {
    /// Earliest instant of the first start.
    pub(super) start: i64,
    /// End of the free time, and of the last meeting.
    pub(super) end: i64,
    /// Begin of the next stretch, or end of the free time.
    pub(super) until: i64,
}

impl Stretch {
    /// The last start of a meeting of `length` milliseconds.
    fn last_start(self, length: i64) -> i64 {
        (self.end - length).min(self.until - 1)
    }
}

/// The stretches of a free range. One that is longer than a day begins again at each midnight of
/// `zone`: where its starts lie would depend on where the range begins, which may be weeks ago,
/// and so on the days that are asked about.
pub(super) fn stretches(range: Span, zone: Tz) -> Vec<Stretch> {
    let mut stretches = Vec::new();
    let mut start = range.start;
    while start < range.end {
        let midnight = local_date(start, zone)
            .and_then(|date| date.succ_opt())
            .map(|next| instant_of(next, 0, zone))
            .filter(|midnight| range.end - range.start > DAY && *midnight > start);
        let until = midnight.map_or(range.end, |midnight| midnight.min(range.end));
        stretches.push(Stretch {
            start,
            end: range.end,
            until,
        });
        start = until;
    }
    stretches
}

/// The clock on which first starts are rounded up to the hour grid.
#[derive(Clone, Copy, Debug)]
pub(super) enum Clock {
    /// That of a zone.
    Of(Tz),
    /// One that is so many milliseconds ahead of UTC.
    Ahead(i64),
}

impl Clock {
    /// Minutes at which the hours of any zone can begin, seen from UTC.
    pub(super) const ANY: [Self; 3] = [
        Self::Ahead(0),
        Self::Ahead(30 * MINUTE),
        Self::Ahead(45 * MINUTE),
    ];

    /// Rounds up to the grid, in minutes.
    fn round_up(self, at: i64, grid: i64) -> i64 {
        let grid = grid * MINUTE;
        let ahead = match self {
            Self::Of(zone) => offset_at(at, zone),
            Self::Ahead(ahead) => ahead,
        };
        at + (grid - (at + ahead).rem_euclid(grid)) % grid
    }
}

/// The starts that `rules` lay out in a stretch, ascending, not before `from` nor after `to`. `earliest` is the first start that the notice allows.
pub(super) fn starts(
    rules: &Rules,
    clock: Clock,
    stretch: Stretch,
    earliest: i64,
    (from, to): (i64, i64),
) -> impl Iterator<Item = i64> + use<> {
    let step = pace(rules);
    let mut start = first_start(rules, clock, stretch, earliest);
    if start < from {
        let behind = from - start;
        start += (behind / step + i64::from(behind % step > 0)) * step;
    }
    let last = to.min(stretch.last_start(rules.length * MINUTE));
    std::iter::successors(Some(start), move |start| Some(start + step))
        .take_while(move |start| *start <= last)
}

/// From one start to the next: the offset is added every time, as the real service does.
fn pace(rules: &Rules) -> i64 {
    rules.step() + rules.offset_start * MINUTE
}

/// The first start in a stretch, whether or not a meeting still fits.
fn first_start(rules: &Rules, clock: Clock, stretch: Stretch, earliest: i64) -> i64 {
    let at = stretch.start.max(earliest);
    let at = at + (MINUTE - at.rem_euclid(MINUTE)) % MINUTE;
    let offset = rules.offset_start * MINUTE;
    if !rules.optimized {
        return clock.round_up(at, rules.grid()) + offset;
    }
    // Rounder times are nicer, but not at the price of a start.
    let last = stretch.last_start(rules.length * MINUTE);
    let room = |at: i64| (last - at - offset).div_euclid(pace(rules));
    [rules.grid(), 15, 5]
        .into_iter()
        .map(|grid| clock.round_up(at, grid))
        .find(|rounded| room(*rounded) == room(at))
        .unwrap_or(at)
        + offset
}
