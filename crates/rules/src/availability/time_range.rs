//! Half-open time ranges and set operations on them.

/// A half-open time range `[start, end)` in epoch milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct TimeRange {
    /// First millisecond inside the range.
    pub start: i64,
    /// First millisecond after the range.
    pub end: i64,
}

impl TimeRange {
    /// A range from `start` up to, not including, `end`.
    pub const fn new(start: i64, end: i64) -> Self {
        Self { start, end }
    }

    /// Returns true if the range contains no time.
    pub const fn is_empty(self) -> bool {
        self.start >= self.end
    }

    /// Returns true if `inner` is entirely inside the range.
    pub const fn contains(self, inner: TimeRange) -> bool {
        self.start <= inner.start && inner.end <= self.end
    }

    /// Returns true if the ranges share at least a millisecond; touching is not overlapping.
    pub const fn overlaps(self, other: TimeRange) -> bool {
        self.start < other.end && other.start < self.end
    }
}

/// Sorts ranges and joins those that overlap or touch.
pub fn merge(mut ranges: Vec<TimeRange>) -> Vec<TimeRange> {
    ranges.retain(|range| !range.is_empty());
    ranges.sort_unstable();
    let mut merged: Vec<TimeRange> = Vec::with_capacity(ranges.len());
    for range in ranges {
        match merged.last_mut() {
            Some(last) if range.start <= last.end => last.end = last.end.max(range.end),
            _ => merged.push(range),
        }
    }
    merged
}

/// The parts of `free` (merged) outside of all ranges of `taken`.
pub fn subtract(free: &[TimeRange], mut taken: Vec<TimeRange>) -> Vec<TimeRange> {
    let (Some(earliest), Some(latest)) = (free.first(), free.last()) else {
        return Vec::new();
    };
    // Of many bookings few are near a single start: only those are sorted.
    let span = TimeRange::new(earliest.start, latest.end);
    taken.retain(|range| range.overlaps(span));
    let taken = merge(taken);
    let mut rest = Vec::with_capacity(free.len() + taken.len());
    let mut first = 0;
    for range in free {
        let mut start = range.start;
        while taken.get(first).is_some_and(|hole| hole.end <= start) {
            first += 1;
        }
        for hole in taken
            .iter()
            .skip(first)
            .take_while(|hole| hole.start < range.end)
        {
            if hole.start > start {
                rest.push(TimeRange::new(start, hole.start));
            }
            start = start.max(hole.end);
        }
        if start < range.end {
            rest.push(TimeRange::new(start, range.end));
        }
    }
    rest
}

/// Intersection of two lists, each merged.
pub fn intersect(left: &[TimeRange], right: &[TimeRange]) -> Vec<TimeRange> {
    let mut both = Vec::new();
    let (mut lefts, mut rights) = (left.iter().peekable(), right.iter().peekable());
    while let (Some(a), Some(b)) = (lefts.peek(), rights.peek()) {
        let common = TimeRange::new(a.start.max(b.start), a.end.min(b.end));
        if !common.is_empty() {
            both.push(common);
        }
        if a.end < b.end {
            lefts.next();
        } else {
            rights.next();
        }
    }
    both
}

/// Returns true if one of `ranges` (merged) contains `inner` entirely.
pub fn any_contains(ranges: &[TimeRange], inner: TimeRange) -> bool {
    let after = ranges.partition_point(|range| range.start <= inner.start);
    after
        .checked_sub(1)
        .and_then(|index| ranges.get(index))
        .is_some_and(|range| range.contains(inner))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ranges(pairs: &[(i64, i64)]) -> Vec<TimeRange> {
        pairs
            .iter()
            .map(|(start, end)| TimeRange::new(*start, *end))
            .collect()
    }

    #[test]
    fn touching_ranges_are_merged() {
        assert_eq!(
            merge(ranges(&[(5, 9), (1, 3), (3, 5), (12, 12)])),
            ranges(&[(1, 9)])
        );
    }

    #[test]
    fn hole_splits_a_range_and_touching_holes_take_nothing() {
        assert_eq!(
            subtract(
                &ranges(&[(0, 10), (20, 30)]),
                ranges(&[(3, 4), (10, 20), (29, 40)])
            ),
            ranges(&[(0, 3), (4, 10), (20, 29)])
        );
    }

    #[test]
    fn hole_may_cover_several_ranges() {
        assert_eq!(
            subtract(&ranges(&[(0, 10), (20, 30), (40, 50)]), ranges(&[(5, 45)])),
            ranges(&[(0, 5), (45, 50)])
        );
    }

    #[test]
    fn intersection_keeps_common_time() {
        assert_eq!(
            intersect(&ranges(&[(0, 10), (20, 30)]), &ranges(&[(5, 25), (28, 40)])),
            ranges(&[(5, 10), (20, 25), (28, 30)])
        );
    }

    #[test]
    fn range_is_contained_only_entirely() {
        let free = ranges(&[(0, 10), (20, 30)]);
        assert!(any_contains(&free, TimeRange::new(20, 30)));
        assert!(!any_contains(&free, TimeRange::new(9, 11)));
        assert!(!any_contains(&free, TimeRange::new(-1, 1)));
    }
}
