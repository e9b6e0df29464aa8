//! Selection of bookings.

use std::rc::Rc;

use booking_wire::{Booking, BookingUid, BookingsQuery};

use super::list_state::List;
use super::row_changes::Row;
use super::scope::Scope;
use crate::components::TriState;
use crate::element::team_events::TeamEvent;
use crate::ui::signal::{RwSignal, StoredValue, follow};

/// Selected bookings. Those on other pages stay selected until the filters change.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Picked {
    /// Individual bookings.
    These(Vec<Rc<Booking>>),
    /// All matches, including those on pages not loaded.
    All,
}

impl Picked {
    fn holds(&self, uid: &str) -> bool {
        match self {
            Self::These(bookings) => bookings.iter().any(|booking| booking.uid.0 == uid),
            Self::All => true,
        }
    }

    /// Adds or removes `rows`. Of all matches, only those of `page` remain.
    fn with(self, rows: &[Row], is_wanted: bool, page: &[Row]) -> Self {
        let mut bookings = match self {
            Self::These(bookings) => bookings,
            Self::All => page.iter().map(|row| Rc::clone(&row.booking)).collect(),
        };
        bookings.retain(|booking| !rows.iter().any(|row| row.booking.uid == booking.uid));
        if is_wanted {
            bookings.extend(rows.iter().map(|row| Rc::clone(&row.booking)));
        }
        Self::These(bookings)
    }
}

/// Row indices between two rows in display order, in either direction.
fn between(order: &[usize], one: usize, other: usize) -> &[usize] {
    let at = |place| order.iter().position(|drawn| *drawn == place);
    let (Some(one), Some(other)) = (at(one), at(other)) else {
        return &[];
    };
    order
        .get(one.min(other)..=one.max(other))
        .unwrap_or_default()
}

/// Selection of bookings.
#[derive(Clone, Copy)]
pub(super) struct Selection {
    picked: RwSignal<Picked>,
    /// Row selected last, where a range begins.
    anchor: StoredValue<Option<usize>>,
}

impl Selection {
    pub(super) fn new() -> Self {
        Self {
            picked: RwSignal::new(Picked::These(Vec::new())),
            anchor: StoredValue::new(None),
        }
    }

    /// Selects or deselects the row at `place`, where the next range begins.
    pub(super) fn set(self, rows: &[Row], place: usize, is_wanted: bool) {
        self.change(rows, &[place], is_wanted);
        self.anchor.set_value(Some(place));
    }

    /// Selects or deselects the rows from the one selected last to the one at `place`, in display
    /// `order`.
    pub(super) fn reach(self, rows: &[Row], order: &[usize], place: usize, is_wanted: bool) {
        match self.anchor.get_value() {
            Some(anchor) => self.change(rows, between(order, anchor, place), is_wanted),
            None => self.set(rows, place, is_wanted),
        }
    }

    /// Extends the range from the row at `from` to its neighbour at `to`, or shrinks it if `to` is
    /// closer to its start.
    pub(super) fn walk(self, rows: &[Row], order: &[usize], from: usize, to: usize) {
        let anchor = self.anchor.get_value().unwrap_or(from);
        self.anchor.set_value(Some(anchor));
        let reach = |place| between(order, anchor, place).len();
        if reach(to) < reach(from) {
            self.change(rows, &[from], false);
        } else {
            self.change(rows, between(order, anchor, to), true);
        }
    }

    fn change(self, rows: &[Row], places: &[usize], is_wanted: bool) {
        let changed: Vec<Row> = places
            .iter()
            .filter_map(|place| rows.get(*place).cloned())
            .collect();
        let picked = self.picked.get_untracked();
        self.picked.set(picked.with(&changed, is_wanted, rows));
    }

    /// Replaces selected bookings by their newer versions.
    pub(super) fn renew(self, rows: &[Row]) {
        self.put(|uid| {
            let row = rows.iter().find(|row| row.booking.uid == *uid)?;
            Some(Rc::clone(&row.booking))
        });
    }

    /// Replaces selected bookings, given without rows.
    pub(super) fn renew_with(self, bookings: &[Booking]) {
        self.put(|uid| {
            let booking = bookings.iter().find(|booking| booking.uid == *uid)?;
            Some(Rc::new(booking.clone()))
        });
    }

    fn put(self, newer: impl Fn(&BookingUid) -> Option<Rc<Booking>>) {
        // An action may finish after the list is unmounted.
        let Some(Picked::These(mut bookings)) = self.picked.try_get_untracked() else {
            return;
        };
        let mut has_changed = false;
        for booking in &mut bookings {
            if let Some(newer) = newer(&booking.uid).filter(|newer| *newer != *booking) {
                *booking = newer;
                has_changed = true;
            }
        }
        if has_changed {
            self.picked.set(Picked::These(bookings));
        }
    }

    /// Selects or deselects all rows of a page.
    pub(super) fn set_page(self, rows: &[Row], is_wanted: bool) {
        let picked = self.picked.get_untracked().with(rows, is_wanted, rows);
        self.picked.set(picked);
    }

    /// Selects exactly these.
    pub(super) fn set_only(self, bookings: Vec<Booking>) {
        let bookings = bookings.into_iter().map(Rc::new).collect();
        self.picked.set(Picked::These(bookings));
    }

    /// Selects all matching bookings.
    pub(super) fn set_all(self) {
        self.picked.set(Picked::All);
    }

    /// Clears the selection.
    pub(super) fn clear(self) {
        self.anchor.set_value(None);
        if !self.picked.with_untracked(is_none) {
            self.picked.set(Picked::These(Vec::new()));
        }
    }

    /// Resets the start of ranges, since the rows were replaced.
    pub(super) fn forget_place(self) {
        self.anchor.set_value(None);
    }

    /// Subscribes to the selection.
    pub(super) fn track(self) {
        self.picked.with(|_| ());
    }

    pub(super) fn holds(self, uid: &str) -> bool {
        self.picked.with(|picked| picked.holds(uid))
    }

    /// Number of selected bookings; `None` for all matches.
    pub(super) fn count(self) -> Option<usize> {
        self.picked.with(|picked| match picked {
            Picked::These(bookings) => Some(bookings.len()),
            Picked::All => None,
        })
    }

    /// Selection state of a page.
    pub(super) fn of_page(self, rows: &[Row]) -> TriState {
        self.picked.with(|picked| {
            let held = |row: &Row| picked.holds(&row.booking.uid.0);
            match rows.iter().filter(|row| held(row)).count() {
                0 => TriState::None,
                count if count == rows.len() => TriState::All,
                _ => TriState::Some,
            }
        })
    }

    /// Calls `look` with the selected bookings; `None` if all matches are.
    pub(super) fn these<R>(self, look: impl FnOnce(&[Rc<Booking>]) -> R) -> Option<R> {
        self.picked.with(|picked| match picked {
            Picked::These(bookings) => Some(look(bookings)),
            Picked::All => None,
        })
    }

    /// Scope for an action; `None` if nothing is selected.
    pub(super) fn scope(self, query: BookingsQuery, total: Option<i64>) -> Option<Scope> {
        self.picked.with(|picked| match picked {
            Picked::These(bookings) if bookings.is_empty() => None,
            Picked::These(bookings) => {
                let bookings = bookings.iter().map(|booking| (**booking).clone());
                Some(Scope::These(bookings.collect()))
            }
            Picked::All => Some(Scope::Matching { query, total }),
        })
    }

    /// Notifies the page of `list` when the selection changes.
    pub(super) fn tell(self, list: List) {
        let mut is_first = true;
        follow(move || {
            let news = self.news();
            if !std::mem::take(&mut is_first) {
                // No default action follows that the page could cancel.
                let _ = list.page().emit(&news);
            }
        });
    }

    fn news(self) -> TeamEvent {
        self.picked.with(|picked| match picked {
            Picked::These(bookings) => TeamEvent::SelectionChanged {
                uids: bookings
                    .iter()
                    .map(|booking| booking.uid.0.clone())
                    .collect(),
                is_all: false,
            },
            Picked::All => TeamEvent::SelectionChanged {
                uids: Vec::new(),
                is_all: true,
            },
        })
    }
}

fn is_none(picked: &Picked) -> bool {
    matches!(picked, Picked::These(bookings) if bookings.is_empty())
}

#[cfg(test)]
mod tests {
    use booking_wire::BookingUid;
    use leptos::prelude::Owner;

    use super::*;

    fn rows(uids: &str) -> Vec<Row> {
        let booking = |uid: &str| Booking {
            uid: BookingUid(uid.into()),
            ..Booking::default()
        };
        uids.split_whitespace()
            .map(|uid| Row::new(booking(uid)))
            .collect()
    }

    fn uids(selection: Selection) -> String {
        match selection.picked.get_untracked() {
            Picked::All => "all".to_owned(),
            Picked::These(bookings) => {
                let mut uids: Vec<_> = bookings.iter().map(|one| one.uid.0.as_str()).collect();
                uids.sort_unstable();
                uids.join(" ")
            }
        }
    }

    #[test]
    fn a_range_goes_from_the_row_that_was_ticked_last() {
        Owner::new().with(|| {
            let page = rows("a b c d e");
            let order = [0, 1, 2, 3, 4];
            let selection = Selection::new();
            // index, selected, range, expected
            for (place, is_wanted, is_range, expected) in [
                (1, true, false, "b"),
                (3, true, true, "b c d"),
                // From the same row, backwards.
                (0, true, true, "a b c d"),
                (2, false, false, "a b d"),
                (4, false, true, "a b"),
                (4, true, false, "a b e"),
            ] {
                if is_range {
                    selection.reach(&page, &order, place, is_wanted);
                } else {
                    selection.set(&page, place, is_wanted);
                }
                assert_eq!(uids(selection), expected);
            }
            selection.clear();
            selection.reach(&page, &order, 3, true);
            assert_eq!(uids(selection), "d", "without a start there is no range");
        });
    }

    #[test]
    fn a_range_holds_what_stands_between_its_ends_on_the_screen() {
        Owner::new().with(|| {
            // The meetings of a series are grouped, and one of them is collapsed.
            let page = rows("s1 x s2 y s3");
            let order = [0, 2, 1, 3];
            let selection = Selection::new();
            selection.set(&page, 0, true);
            selection.reach(&page, &order, 2, true);
            assert_eq!(uids(selection), "s1 s2");
            selection.reach(&page, &order, 1, true);
            assert_eq!(uids(selection), "s1 s2 x");
        });
    }

    #[test]
    fn a_range_that_is_walked_grows_and_shrinks() {
        Owner::new().with(|| {
            let page = rows("a b c d");
            let order = [0, 1, 2, 3];
            let selection = Selection::new();
            selection.set(&page, 1, true);
            for (from, to, expected) in [
                (1, 2, "b c"),
                (2, 3, "b c d"),
                (3, 2, "b c"),
                (2, 1, "b"),
                (1, 0, "a b"),
                (0, 1, "b"),
            ] {
                selection.walk(&page, &order, from, to);
                assert_eq!(uids(selection), expected, "{from} to {to}");
            }
        });
    }

    #[test]
    fn what_is_selected_is_meant_as_it_has_become() {
        Owner::new().with(|| {
            let page = rows("a b");
            let selection = Selection::new();
            selection.set_page(&page, true);
            let title = "Moved".to_owned();
            let changed = Booking {
                title,
                ..(*page[1].booking).clone()
            };
            selection.renew_with(&[changed]);
            let Some(Scope::These(held)) = selection.scope(BookingsQuery::default(), None) else {
                panic!("bookings are selected");
            };
            let titles: Vec<&str> = held.iter().map(|held| held.title.as_str()).collect();
            assert_eq!(titles, ["", "Moved"]);
            selection.renew(&page);
            selection.renew(&rows("z"));
            assert_eq!(uids(selection), "a b");
        });
    }

    #[test]
    fn what_is_selected_on_one_page_stays_on_the_next() {
        Owner::new().with(|| {
            let (one, other) = (rows("a b"), rows("c d"));
            let selection = Selection::new();
            selection.set_page(&one, true);
            assert_eq!(selection.of_page(&one), TriState::All);
            selection.forget_place();
            selection.reach(&other, &[0, 1], 1, true);
            assert_eq!(uids(selection), "a b d");
            assert_eq!(selection.of_page(&other), TriState::Some);
            selection.set_page(&other, false);
            assert_eq!(uids(selection), "a b");
            assert_eq!(selection.of_page(&other), TriState::None);
        });
    }

    #[test]
    fn all_that_match_are_a_question_and_not_a_list() {
        Owner::new().with(|| {
            let page = rows("a b c");
            let selection = Selection::new();
            assert_eq!(selection.scope(BookingsQuery::default(), None), None);
            selection.set_all();
            let query = BookingsQuery {
                attendee_name: Some("Ada".into()),
                ..BookingsQuery::default()
            };
            let scope = selection.scope(query.clone(), Some(10_000));
            let total = Some(10_000);
            assert_eq!(scope, Some(Scope::Matching { query, total }));
            assert_eq!(selection.count(), None);
            assert_eq!(selection.of_page(&page), TriState::All);
            // Deselecting one leaves only the loaded rows.
            selection.set(&page, 1, false);
            assert_eq!(uids(selection), "a c");
        });
    }
}
