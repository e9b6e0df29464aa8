//! Where starts lie inside a free range (contract 6.1, step 7).

use chrono_tz::Tz;

use super::schedule::offset_at;
use super::{MINUTE, Rules, Span};

/// The clock on which first starts are rounded up to the hour grid.
#[derive(Clone, Copy, Debug)]
pub(super) enum Dial {
    /// That of a zone.
    Of(Tz),
    /// One that is so many milliseconds ahead of UTC.
    Ahead(i64),
}

impl Dial {
    /// What the hour grid can look like: every zone is whole quarters of an hour away from UTC.
    pub(super) const ALL: [Self; 4] = [
        Self::Ahead(0),
        Self::Ahead(15 * MINUTE),
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

/// The starts that `rules` lay out in `range`, ascending, not before `from` nor after `to`.
/// `earliest` is the first start that the notice allows.
pub(super) fn starts(
    rules: &Rules,
    dial: Dial,
    range: Span,
    earliest: i64,
    (from, to): (i64, i64),
) -> impl Iterator<Item = i64> + use<> {
    let length = rules.length * MINUTE;
    let step = pace(rules);
    let mut start = first_start(rules, dial, range, earliest);
    if start < from {
        let behind = from - start;
        start += (behind / step + i64::from(behind % step > 0)) * step;
    }
    let last = to.min(range.end - length);
    std::iter::successors(Some(start), move |start| Some(start + step))
        .take_while(move |start| *start <= last)
}

/// From one start to the next: the offset is added every time, as the real service does.
fn pace(rules: &Rules) -> i64 {
    rules.step() + rules.offset_start * MINUTE
}

/// The first start in `range`, whether or not a meeting still fits.
fn first_start(rules: &Rules, dial: Dial, range: Span, earliest: i64) -> i64 {
    let at = range.start.max(earliest);
    let at = at + (MINUTE - at.rem_euclid(MINUTE)) % MINUTE;
    let offset = rules.offset_start * MINUTE;
    if !rules.optimized {
        return dial.round_up(at, rules.grid()) + offset;
    }
    // Rounder times are nicer, but not at the price of a start.
    let room = |at: i64| (range.end - at - offset - rules.length * MINUTE).div_euclid(pace(rules));
    [rules.grid(), 15, 5]
        .into_iter()
        .map(|grid| dial.round_up(at, grid))
        .find(|rounded| room(*rounded) == room(at))
        .unwrap_or(at)
        + offset
}

/// Whether a start lies on the grid of some zone. A booking does not tell the zone in which its
/// start was offered, but every zone is whole quarters of an hour away from UTC.
pub(super) fn on_grid(rules: &Rules, start: i64) -> bool {
    let grid = match rules.grid() {
        1 => 1,
        // An optimized offer may have been rounded to five minutes only.
        _ if rules.optimized => 5,
        60 | 30 | 15 => 15,
        _ => 5,
    };
    (start - rules.offset_start * MINUTE).rem_euclid(grid * MINUTE) == 0
}
