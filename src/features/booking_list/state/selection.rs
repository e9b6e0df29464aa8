//! Selection of bookings.

use std::rc::Rc;

use booking_ui::prelude::*;
use booking_wire::{Booking, BookingUid, BookingsQuery};

use super::super::rows::Row;
use crate::components::TriState;
use crate::page::events::Page;
use crate::page::team_events::TeamEvent;

/// Selected bookings. Those on other pages stay selected until the filters change.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SelectedBookings {
    /// Individual bookings.
    These(Vec<Rc<Booking>>),
    /// All matches, including those on pages not loaded.
    All,
}

impl SelectedBookings {
    fn contains(&self, uid: &str) -> bool {
        match self {
            Self::These(bookings) => bookings.iter().any(|booking| booking.uid.0 == uid),
            Self::All => true,
        }
    }

    /// Adds or removes `rows`. Of all matches, only those of `page` remain.
    fn with(self, rows: &[Row], is_selected: bool, page: &[Row]) -> Self {
        let mut bookings = match self {
            Self::These(bookings) => bookings,
            Self::All => page.iter().map(|row| Rc::clone(&row.booking)).collect(),
        };
        bookings.retain(|booking| !rows.iter().any(|row| row.booking.uid == booking.uid));
        if is_selected {
            bookings.extend(rows.iter().map(|row| Rc::clone(&row.booking)));
        }
        Self::These(bookings)
    }
}

/// Individual bookings, or all matches of a query, on all pages.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Scope {
    /// Individual bookings.
    These(Vec<Booking>),
    /// All matches, loaded page by page; with their number if the service returns it.
    Matching {
        /// Query without `take` and `skip`.
        query: Box<BookingsQuery>,
        /// Count; `None` if unknown.
        total: Option<i64>,
    },
}

/// The current scope of a control; none while it has no bookings. What was read once may differ from what is on the screen
/// now.
pub(crate) type ScopeSignal = Signal<Option<Scope>>;

impl Scope {
    /// True if both name the same bookings.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Matching { query, .. }, Self::Matching { query: other, .. }) => query == other,
            _ => self == other,
        }
    }
}

/// Row indices between two rows in display order, in either direction.
fn between(order: &[usize], from: usize, to: usize) -> &[usize] {
    let position = |index: usize| order.iter().position(|other| *other == index);
    let (Some(from), Some(to)) = (position(from), position(to)) else {
        return &[];
    };
    order.get(from.min(to)..=from.max(to)).unwrap_or_default()
}

/// Selection of bookings.
#[derive(Clone, Copy)]
pub(crate) struct Selection {
    selected: RwSignal<SelectedBookings>,
    /// Row selected last, where a range begins.
    anchor: StoredValue<Option<usize>>,
}

impl Selection {
    pub(crate) fn new() -> Self {
        Self {
            selected: RwSignal::new(SelectedBookings::These(Vec::new())),
            anchor: StoredValue::new(None),
        }
    }

    /// Selects or deselects the row at `index`, where the next range begins.
    pub(crate) fn set(self, rows: &[Row], index: usize, is_selected: bool) {
        self.set_rows(rows, &[index], is_selected);
        self.anchor.set_value(Some(index));
    }

    /// Selects or deselects the rows from the one selected last to the one at `index`, in display
    /// `order`.
    pub(crate) fn extend_to(self, rows: &[Row], order: &[usize], index: usize, is_selected: bool) {
        match self.anchor.get_value() {
            Some(anchor) => self.set_rows(rows, between(order, anchor, index), is_selected),
            None => self.set(rows, index, is_selected),
        }
    }

    /// Extends the range from the row at `from` to its neighbour at `to`, or shrinks it if `to` is
    /// closer to its start.
    pub(crate) fn move_range_end(self, rows: &[Row], order: &[usize], from: usize, to: usize) {
        let anchor = self.anchor.get_value().unwrap_or(from);
        self.anchor.set_value(Some(anchor));
        let length = |index| between(order, anchor, index).len();
        if length(to) < length(from) {
            self.set_rows(rows, &[from], false);
        } else {
            self.set_rows(rows, between(order, anchor, to), true);
        }
    }

    fn set_rows(self, rows: &[Row], indices: &[usize], is_selected: bool) {
        let changed: Vec<Row> = indices
            .iter()
            .filter_map(|index| rows.get(*index).cloned())
            .collect();
        let selected = self.selected.get_untracked();
        self.selected
            .set(selected.with(&changed, is_selected, rows));
    }

    /// Replaces selected bookings by their newer versions.
    pub(crate) fn update_rows(self, rows: &[Row]) {
        self.update(|uid| {
            let row = rows.iter().find(|row| row.booking.uid == *uid)?;
            Some(Rc::clone(&row.booking))
        });
    }

    /// Replaces selected bookings, given without rows.
    pub(crate) fn update_bookings(self, bookings: &[Booking]) {
        self.update(|uid| {
            let booking = bookings.iter().find(|booking| booking.uid == *uid)?;
            Some(Rc::new(booking.clone()))
        });
    }

    /// Selects `new` instead of the booking `old`, which was moved.
    pub(crate) fn follow_move(self, old: &str, new: &Booking) {
        self.update(|uid| (uid.0 == old).then(|| Rc::new(new.clone())));
    }

    fn update(self, newer: impl Fn(&BookingUid) -> Option<Rc<Booking>>) {
        let SelectedBookings::These(mut bookings) = self.selected.get_untracked() else {
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
            self.selected.set(SelectedBookings::These(bookings));
        }
    }

    /// Selects or deselects all rows of a page.
    pub(crate) fn set_page(self, rows: &[Row], is_selected: bool) {
        let selected = self.selected.get_untracked().with(rows, is_selected, rows);
        self.selected.set(selected);
    }

    /// Selects exactly these.
    pub(crate) fn set_only(self, bookings: Vec<Booking>) {
        let bookings = bookings.into_iter().map(Rc::new).collect();
        self.selected.set(SelectedBookings::These(bookings));
    }

    /// Selects all matching bookings.
    pub(crate) fn set_all(self) {
        self.selected.set(SelectedBookings::All);
    }

    /// Clears the selection.
    pub(crate) fn clear(self) {
        self.anchor.set_value(None);
        if !self.selected.with_untracked(is_none) {
            self.selected.set(SelectedBookings::These(Vec::new()));
        }
    }

    /// Resets the start of ranges, since the rows were replaced.
    pub(crate) fn reset_anchor(self) {
        self.anchor.set_value(None);
    }

    /// Subscribes to the selection.
    pub(crate) fn track(self) {
        self.selected.with(|_| ());
    }

    pub(crate) fn contains(self, uid: &str) -> bool {
        self.selected.with(|selected| selected.contains(uid))
    }

    /// Number of selected bookings; `None` for all matches.
    pub(crate) fn count(self) -> Option<usize> {
        self.selected.with(|selected| match selected {
            SelectedBookings::These(bookings) => Some(bookings.len()),
            SelectedBookings::All => None,
        })
    }

    /// Selection state of a page.
    pub(crate) fn page_state(self, rows: &[Row]) -> TriState {
        self.selected.with(|selected| {
            let is_selected = |row: &Row| selected.contains(&row.booking.uid.0);
            match rows.iter().filter(|row| is_selected(row)).count() {
                0 => TriState::None,
                count if count == rows.len() => TriState::All,
                _ => TriState::Some,
            }
        })
    }

    /// Calls `read` with the selected bookings; `None` if all matches are.
    pub(crate) fn with_bookings<R>(self, read: impl FnOnce(&[Rc<Booking>]) -> R) -> Option<R> {
        self.selected.with(|selected| match selected {
            SelectedBookings::These(bookings) => Some(read(bookings)),
            SelectedBookings::All => None,
        })
    }

    /// Scope for an action; `None` if nothing is selected.
    pub(crate) fn scope(self, query: BookingsQuery, total: Option<i64>) -> Option<Scope> {
        self.selected.with(|selected| match selected {
            SelectedBookings::These(bookings) if bookings.is_empty() => None,
            SelectedBookings::These(bookings) => {
                let bookings = bookings.iter().map(|booking| (**booking).clone());
                Some(Scope::These(bookings.collect()))
            }
            SelectedBookings::All => Some(Scope::Matching {
                query: Box::new(query),
                total,
            }),
        })
    }

    /// Notifies `page` when the selection changes.
    pub(crate) fn notify(self, page: Page) {
        let mut is_first = true;
        effect(move || {
            let event = self.event();
            if !std::mem::take(&mut is_first) {
                // No default action follows that the page could cancel.
                let _ = page.emit(&event);
            }
        });
    }

    fn event(self) -> TeamEvent {
        self.selected.with(|selected| match selected {
            SelectedBookings::These(bookings) => TeamEvent::SelectionChanged {
                uids: bookings
                    .iter()
                    .map(|booking| booking.uid.0.clone())
                    .collect(),
                is_all: false,
            },
            SelectedBookings::All => TeamEvent::SelectionChanged {
                uids: Vec::new(),
                is_all: true,
            },
        })
    }
}

fn is_none(selected: &SelectedBookings) -> bool {
    matches!(selected, SelectedBookings::These(bookings) if bookings.is_empty())
}

#[cfg(test)]
mod tests;
