//! Displayed rows and their changes since. No DOM access.

use std::rc::Rc;

use booking_wire::Booking;

/// Displayed booking.
#[derive(Clone, Debug)]
pub struct Row {
    /// Latest version from the service.
    pub booking: Rc<Booking>,
    /// Change while the row was displayed.
    pub mark: Option<RowChange>,
}

impl Row {
    /// Creates an unmarked row.
    pub fn new(booking: Booking) -> Self {
        let booking = Rc::new(booking);
        Self {
            booking,
            mark: None,
        }
    }
}

/// Rows are equal until a new version is received.
impl PartialEq for Row {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.booking, &other.booking) && self.mark == other.mark
    }
}

/// Change of a booking while it was displayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowChange {
    /// Its data differ from before.
    Changed,
    /// It no longer matches the query.
    Gone,
}

/// Result of comparing the rows with a refresh.
#[derive(Clone, Debug, PartialEq)]
pub struct Compared {
    /// Rows in their order, marked.
    pub rows: Vec<Row>,
    /// Number of bookings in the refresh that have no row.
    pub added: usize,
}

/// Compares the rows with a newer response to the same query. `is_first` if no page comes before.
///
/// A row that is missing may have moved to an adjacent page: it counts as gone only if rows before
/// and after it are still present, or if there is no page beyond that end.
pub fn compared(rows: &[Row], newer: &[Row], is_first: bool, is_last: bool) -> Compared {
    let is_same = |one: &Row, other: &Row| one.booking.uid == other.booking.uid;
    let known = |row: &Row| newer.iter().find(|newer| is_same(newer, row));
    let first = rows.iter().position(|row| known(row).is_some());
    let last = rows.iter().rposition(|row| known(row).is_some());
    let marked = rows
        .iter()
        .enumerate()
        .map(|(place, row)| match known(row) {
            Some(newer) if newer.booking == row.booking => match row.mark {
                // It matches again.
                Some(RowChange::Gone) => Row {
                    booking: Rc::clone(&row.booking),
                    mark: Some(RowChange::Changed),
                },
                _ => row.clone(),
            },
            Some(newer) => Row {
                booking: Rc::clone(&newer.booking),
                mark: Some(RowChange::Changed),
            },
            None => {
                let is_after_first = is_first || first.is_some_and(|first| first < place);
                let is_before_last = is_last || last.is_some_and(|last| place < last);
                let is_gone = is_after_first && is_before_last;
                Row {
                    booking: Rc::clone(&row.booking),
                    mark: if is_gone {
                        Some(RowChange::Gone)
                    } else {
                        row.mark
                    },
                }
            }
        });
    let is_new = |newer: &&Row| !rows.iter().any(|row| is_same(row, newer));
    Compared {
        rows: marked.collect(),
        added: newer.iter().filter(is_new).count(),
    }
}

/// Replaces `changed` bookings in the rows. Not marked, since the user made the change.
pub fn with_changes(rows: &[Row], changed: &[Booking]) -> Vec<Row> {
    let put = |row: &Row| {
        let news = changed
            .iter()
            .find(|booking| booking.uid == row.booking.uid)?;
        Some(Row {
            booking: Rc::new(news.clone()),
            mark: None,
        })
    };
    rows.iter()
        .map(|row| put(row).unwrap_or_else(|| row.clone()))
        .collect()
}

/// Row with its index among all rows.
pub type Placed = (usize, Row);

/// Groups rows of the same series: each first row with those that follow it.
pub fn by_series(rows: Vec<Placed>) -> Vec<(Placed, Vec<Placed>)> {
    let mut groups: Vec<(Placed, Vec<Placed>)> = Vec::new();
    for (place, row) in rows {
        let series = row.booking.recurring_booking_uid.as_deref();
        let lead = series.and_then(|series| {
            groups.iter_mut().find(|((_, lead), _)| {
                lead.booking.recurring_booking_uid.as_deref() == Some(series)
            })
        });
        match lead {
            Some((_, others)) => others.push((place, row)),
            None => groups.push(((place, row), Vec::new())),
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use booking_wire::{BookingStatus, BookingUid};

    use super::*;

    fn booking(uid: &str) -> Booking {
        Booking {
            uid: BookingUid(uid.into()),
            ..Booking::default()
        }
    }

    fn rows(uids: &str) -> Vec<Row> {
        uids.split_whitespace()
            .map(|uid| Row::new(booking(uid)))
            .collect()
    }

    #[test]
    fn what_is_missing_from_a_newer_answer_is_gone_unless_it_may_stand_on_another_page() {
        use RowChange::Gone;
        // shown, newer, first page, last page, gone, added
        for (shown, newer, is_first, is_last, gone, added) in [
            ("a b c", "a b c", true, true, "", 0),
            ("a b c", "a c", true, true, "b", 0),
            // A new first booking moved the last one to the next page.
            ("a b c", "n a b", true, false, "", 1),
            // A booking of the page before is gone: the first row moved there.
            ("a b c", "b c d", false, false, "", 1),
            ("a b c", "b c d", true, false, "a", 1),
            ("a b c", "", true, true, "a b c", 0),
            ("a b c", "x y z", false, false, "", 3),
            ("a b c", "c a b", true, true, "", 0),
        ] {
            let found = compared(&rows(shown), &rows(newer), is_first, is_last);
            let marked: Vec<&str> = found
                .rows
                .iter()
                .filter(|row| row.mark == Some(Gone))
                .map(|row| row.booking.uid.0.as_str())
                .collect();
            assert_eq!(marked.join(" "), gone, "{shown} -> {newer}");
            assert_eq!(found.added, added, "{shown} -> {newer}");
            let places: Vec<&str> = found
                .rows
                .iter()
                .map(|row| row.booking.uid.0.as_str())
                .collect();
            assert_eq!(places.join(" "), shown, "rows stay where they are");
        }
    }

    #[test]
    fn what_is_told_otherwise_is_marked_and_stays_marked() {
        let shown = rows("a b");
        let mut cancelled = booking("b");
        cancelled.status = BookingStatus::Cancelled;
        let newer = [Row::new(booking("a")), Row::new(cancelled)];
        let once = compared(&shown, &newer, true, true).rows;
        assert_eq!(once[0], shown[0]);
        assert_eq!(once[1].mark, Some(RowChange::Changed));
        assert_eq!(once[1].booking.status, BookingStatus::Cancelled);
        let twice = compared(&once, &newer, true, true).rows;
        assert_eq!(twice, once);
    }

    #[test]
    fn what_was_gone_and_is_back_has_changed() {
        let gone = compared(&rows("a b c"), &rows("a c"), true, true).rows;
        let back = compared(&gone, &rows("a b c"), true, true).rows;
        assert_eq!(back[1].mark, Some(RowChange::Changed));
    }

    #[test]
    fn changes_are_put_where_the_booking_is() {
        let mut changed = booking("b");
        changed.status = BookingStatus::Rejected;
        let found = with_changes(&rows("a b c"), &[changed, booking("z")]);
        assert_eq!(found.len(), 3);
        assert_eq!(found[1].booking.status, BookingStatus::Rejected);
        assert_eq!(found[1].mark, None);
        assert_eq!(found[0].mark, None);
    }

    #[test]
    fn meetings_of_a_series_stand_under_its_first() {
        let of = |uid: &str, series: Option<&str>| Booking {
            recurring_booking_uid: series.map(str::to_owned),
            ..booking(uid)
        };
        let all = [
            of("a", Some("s")),
            of("b", None),
            of("c", Some("t")),
            of("d", Some("s")),
            of("e", None),
        ];
        let rows = all.into_iter().map(Row::new).enumerate().collect();
        let groups = by_series(rows);
        let names: Vec<String> = groups
            .iter()
            .map(|((_, lead), others)| {
                let others = others.iter().map(|(_, row)| row.booking.uid.0.as_str());
                std::iter::once(lead.booking.uid.0.as_str())
                    .chain(others)
                    .collect()
            })
            .collect();
        assert_eq!(names, ["ad", "b", "c", "e"]);
    }
}
