//! Half-open spans of time and the few set operations the slot computation needs.

/// A half-open span `[start, end)` in epoch milliseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Span {
    /// First millisecond inside.
    pub start: i64,
    /// First millisecond after.
    pub end: i64,
}

impl Span {
    /// A span from `start` up to, not including, `end`.
    pub const fn new(start: i64, end: i64) -> Self {
        Self { start, end }
    }

    /// Whether nothing lies inside.
    pub const fn is_empty(self) -> bool {
        self.start >= self.end
    }

    /// Whether `inner` lies wholly inside.
    pub const fn holds(self, inner: Span) -> bool {
        self.start <= inner.start && inner.end <= self.end
    }

    /// Whether the two share at least a millisecond; touching is not overlapping.
    pub const fn overlaps(self, other: Span) -> bool {
        self.start < other.end && other.start < self.end
    }
}

/// Sorts spans and joins those that overlap or touch.
pub fn merge(mut spans: Vec<Span>) -> Vec<Span> {
    spans.retain(|span| !span.is_empty());
    spans.sort_unstable();
    let mut merged: Vec<Span> = Vec::with_capacity(spans.len());
    for span in spans {
        match merged.last_mut() {
            Some(last) if span.start <= last.end => last.end = last.end.max(span.end),
            _ => merged.push(span),
        }
    }
    merged
}

/// What is left of `free` (merged) outside every span of `taken`.
pub fn subtract(free: &[Span], taken: Vec<Span>) -> Vec<Span> {
    let taken = merge(taken);
    let mut rest = Vec::with_capacity(free.len() + taken.len());
    let mut first = 0;
    for span in free {
        let mut start = span.start;
        while taken.get(first).is_some_and(|hole| hole.end <= start) {
            first += 1;
        }
        for hole in taken
            .iter()
            .skip(first)
            .take_while(|hole| hole.start < span.end)
        {
            if hole.start > start {
                rest.push(Span::new(start, hole.start));
            }
            start = start.max(hole.end);
        }
        if start < span.end {
            rest.push(Span::new(start, span.end));
        }
    }
    rest
}

/// The time that lies in both lists; each must be merged.
pub fn intersect(left: &[Span], right: &[Span]) -> Vec<Span> {
    let mut both = Vec::new();
    let (mut lefts, mut rights) = (left.iter().peekable(), right.iter().peekable());
    while let (Some(a), Some(b)) = (lefts.peek(), rights.peek()) {
        let common = Span::new(a.start.max(b.start), a.end.min(b.end));
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

/// Whether one of `spans` (merged) holds `inner` wholly.
pub fn any_holds(spans: &[Span], inner: Span) -> bool {
    let after = spans.partition_point(|span| span.start <= inner.start);
    after
        .checked_sub(1)
        .and_then(|index| spans.get(index))
        .is_some_and(|span| span.holds(inner))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spans(pairs: &[(i64, i64)]) -> Vec<Span> {
        pairs
            .iter()
            .map(|(start, end)| Span::new(*start, *end))
            .collect()
    }

    #[test]
    fn touching_spans_become_one() {
        assert_eq!(
            merge(spans(&[(5, 9), (1, 3), (3, 5), (12, 12)])),
            spans(&[(1, 9)])
        );
    }

    #[test]
    fn a_hole_splits_a_span_and_touching_holes_take_nothing() {
        assert_eq!(
            subtract(
                &spans(&[(0, 10), (20, 30)]),
                spans(&[(3, 4), (10, 20), (29, 40)])
            ),
            spans(&[(0, 3), (4, 10), (20, 29)])
        );
    }

    #[test]
    fn a_hole_may_reach_over_several_spans() {
        assert_eq!(
            subtract(&spans(&[(0, 10), (20, 30), (40, 50)]), spans(&[(5, 45)])),
            spans(&[(0, 5), (45, 50)])
        );
    }

    #[test]
    fn an_intersection_keeps_what_both_have() {
        assert_eq!(
            intersect(&spans(&[(0, 10), (20, 30)]), &spans(&[(5, 25), (28, 40)])),
            spans(&[(5, 10), (20, 25), (28, 30)])
        );
    }

    #[test]
    fn only_a_whole_span_is_held() {
        let free = spans(&[(0, 10), (20, 30)]);
        assert!(any_holds(&free, Span::new(20, 30)));
        assert!(!any_holds(&free, Span::new(9, 11)));
        assert!(!any_holds(&free, Span::new(-1, 1)));
    }
}
