//! Rows of the displayed page: replaced by the response to a new query, kept and marked by a refresh of the
//! same query. Also the position of the page in its list, and the grouping of rows.

use std::rc::Rc;
use std::time::Duration;

use booking_ui::prelude::*;
use booking_wire::{Booking, BookingStatus, Page, Pagination};

use super::query::model::Filters;
use crate::time::CivilDate;

/// One page of a response.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct BookingsPage {
    pub(super) rows: Vec<Row>,
    /// Number of unreadable bookings.
    pub(super) unreadable: usize,
    /// Pagination data of the service, if any.
    pub(super) pagination: Option<Pagination>,
}

impl BookingsPage {
    /// Position of the page in its list.
    pub(super) fn range(&self, filters: &Filters) -> PageRange {
        PageRange::of(filters, self.rows.len() + self.unreadable, self.pagination)
    }
}

impl From<Page<Booking>> for BookingsPage {
    fn from(page: Page<Booking>) -> Self {
        Self {
            rows: page.items.into_iter().map(Row::new).collect(),
            unreadable: page.unreadable,
            pagination: page.pagination,
        }
    }
}

/// Displayed rows.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    rows: RwSignal<Vec<Row>>,
    unreadable: RwSignal<usize>,
    /// Number of bookings in a refresh that have no row.
    new_count: RwSignal<usize>,
    /// Number of replacements.
    replacements: RwSignal<u32>,
    /// Number of refreshes requested.
    reloads: RwSignal<u32>,
    /// Number of changes by actions and refreshes.
    changes: RwSignal<u32>,
    /// True while some rows are not yet rendered.
    is_rendering: RwSignal<bool>,
}

impl Rows {
    pub(super) fn new() -> Self {
        Self {
            rows: RwSignal::new(Vec::new()),
            unreadable: RwSignal::new(0),
            new_count: RwSignal::new(0),
            replacements: RwSignal::new(0),
            reloads: RwSignal::new(0),
            changes: RwSignal::new(0),
            is_rendering: RwSignal::new(false),
        }
    }

    /// Replaces all rows.
    pub(super) fn set_page(self, page: BookingsPage) {
        self.new_count.set(0);
        self.unreadable.set(page.unreadable);
        self.rows.set(page.rows);
        self.replacements
            .update(|count| *count = count.wrapping_add(1));
    }

    /// Returns the rows, subscribing only to their replacement.
    pub(super) fn snapshot(self) -> Vec<Row> {
        self.replacements.get();
        self.rows.get_untracked()
    }

    /// Subscribes to changes of the rows.
    pub(super) fn track(self) {
        self.rows.with(|_| ());
    }

    /// Rows with their changes.
    pub(super) fn tracked(self) -> Vec<Row> {
        self.rows.get()
    }

    /// True if a booking waits for an answer of its host.
    pub(super) fn has_pending(self) -> bool {
        self.rows
            .with(|rows| rows.iter().any(|row| is_pending(&row.booking)))
    }

    /// Row at `index`, untracked.
    pub(super) fn at(self, index: usize) -> Option<Row> {
        self.rows.with_untracked(|rows| rows.get(index).cloned())
    }

    /// All rows, untracked.
    pub(super) fn all(self) -> Vec<Row> {
        self.rows.get_untracked()
    }

    /// Number of unreadable bookings on the page.
    pub(super) fn unreadable(self) -> usize {
        self.unreadable.get()
    }

    /// True while some rows are not yet rendered.
    pub(super) fn is_rendering(self) -> bool {
        self.is_rendering.get()
    }

    /// Sets `is_rendering`.
    pub(super) fn set_rendering(self, is_rendering: bool) {
        if self.is_rendering.get_untracked() != is_rendering {
            self.is_rendering.set(is_rendering);
        }
    }

    /// Replaces changed bookings in their rows.
    pub(super) fn replace(self, changed: Vec<Booking>) {
        let rows = self.rows.get_untracked();
        self.rows.set(with_changes(&rows, &changed));
    }

    /// Shows `new`, to which the user has moved the booking `old`, in the row of that. False if this is impossible.
    pub(super) fn move_to(self, old: &str, new: &Booking) -> bool {
        let moved = with_move(&self.rows.get_untracked(), old, new);
        let is_moved = moved.is_some();
        if let Some(rows) = moved {
            self.rows.set(rows);
        }
        is_moved
    }

    /// Requests a refresh of the bookings.
    pub(super) fn reload(self) {
        self.reloads
            .update(|reloads| *reloads = reloads.wrapping_add(1));
    }

    /// Count of [`Rows::reload`] calls.
    pub(super) fn reloads(self) -> u32 {
        self.reloads.get()
    }

    /// Counts a change that may affect other pages and tabs.
    pub(super) fn mark_changed(self) {
        self.changes
            .update(|changes| *changes = changes.wrapping_add(1));
    }

    /// True if the page has the booking. Untracked.
    pub(super) fn has(self, uid: &str) -> bool {
        let is_found = |rows: &Vec<Row>| rows.iter().any(|row| row.booking.uid.0 == uid);
        self.rows.with_untracked(is_found)
    }

    /// Count of [`Rows::mark_changed`] calls.
    pub(super) fn changes(self) -> u32 {
        self.changes.get()
    }

    /// Refreshes every `seconds` while the page is visible, and when it becomes visible again.
    pub(super) fn reload_periodically(self, seconds: u64) {
        let reload_if_visible = move || {
            if !document().hidden() {
                self.reload();
            }
        };
        set_interval(reload_if_visible, Duration::from_secs(seconds));
        listen_to(&document(), "visibilitychange", move |_| {
            reload_if_visible()
        });
    }

    /// Applies a refresh: rows are marked in place, and bookings without a row are counted.
    /// `is_first` and `is_last` if no page comes before or after.
    pub(super) fn apply_reload(self, page: BookingsPage, is_first: bool, is_last: bool) {
        let before = self.rows.get_untracked();
        let RowDiff { rows, added } = diff_rows(&before, &page.rows, is_first, is_last);
        let is_changed = rows != before || self.new_count.get_untracked() != added;
        if rows != before {
            self.rows.set(rows);
        }
        if self.new_count.get_untracked() != added {
            self.new_count.set(added);
        }
        if is_changed {
            self.mark_changed();
        }
    }

    /// Number of bookings that have no row yet.
    pub(super) fn new_count(self) -> usize {
        self.new_count.get()
    }
}

/// Displayed booking.
#[derive(Clone, Debug)]
pub struct Row {
    /// Latest version from the service.
    pub booking: Rc<Booking>,
    /// Change while the row was displayed.
    pub change: Option<RowChange>,
}

impl Row {
    /// Creates an unmarked row.
    pub fn new(booking: Booking) -> Self {
        let booking = Rc::new(booking);
        Self {
            booking,
            change: None,
        }
    }
}

/// Rows are equal until a new version is received.
impl PartialEq for Row {
    fn eq(&self, other: &Self) -> bool {
        Rc::ptr_eq(&self.booking, &other.booking) && self.change == other.change
    }
}

/// Change of a booking while it was displayed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RowChange {
    /// Its data differ from before.
    Changed,
    /// It no longer matches the query.
    Gone,
    /// It was confirmed here: shows its status, which other accepted bookings do not.
    Confirmed,
    /// It was confirmed here and no longer matches the query.
    ConfirmedAndGone,
    /// It was moved here, and is in the row of the booking before. Its own place may be on another page.
    Moved,
}

/// Result of comparing the rows with a refresh.
#[derive(Clone, Debug, PartialEq)]
pub struct RowDiff {
    /// Rows in their order, marked.
    pub rows: Vec<Row>,
    /// Number of bookings in the refresh that have no row.
    pub added: usize,
}

/// Compares the rows with a newer response to the same query. `is_first` if no page comes before.
///
/// A row that is missing may have moved to an adjacent page: it counts as gone only if rows before
/// and after it are still present, or if there is no page beyond that end.
pub fn diff_rows(rows: &[Row], newer: &[Row], is_first: bool, is_last: bool) -> RowDiff {
    let is_same = |left: &Row, right: &Row| left.booking.uid == right.booking.uid;
    let counterpart = |row: &Row| newer.iter().find(|newer| is_same(newer, row));
    let first = rows.iter().position(|row| counterpart(row).is_some());
    let last = rows.iter().rposition(|row| counterpart(row).is_some());
    let marked = rows
        .iter()
        .enumerate()
        .map(|(index, row)| match counterpart(row) {
            Some(newer) if newer.booking == row.booking => match row.change {
                // It matches again.
                Some(RowChange::Gone | RowChange::ConfirmedAndGone) => Row {
                    booking: Rc::clone(&row.booking),
                    change: Some(RowChange::Changed),
                },
                _ => row.clone(),
            },
            Some(newer) => Row {
                booking: Rc::clone(&newer.booking),
                change: match row.change {
                    Some(RowChange::Moved) => row.change,
                    _ => Some(RowChange::Changed),
                },
            },
            None => {
                let is_after_first = is_first || first.is_some_and(|first| first < index);
                let is_before_last = is_last || last.is_some_and(|last| index < last);
                let is_gone = is_after_first && is_before_last;
                Row {
                    booking: Rc::clone(&row.booking),
                    change: match row.change {
                        Some(RowChange::Moved) => row.change,
                        // A confirmed booking leaves the list of unconfirmed ones.
                        Some(RowChange::Confirmed | RowChange::ConfirmedAndGone) if is_gone => {
                            Some(RowChange::ConfirmedAndGone)
                        }
                        _ if is_gone => Some(RowChange::Gone),
                        change => change,
                    },
                }
            }
        });
    // The booking before a move made here has given its row to the new one.
    let is_former = |row: &Row, newer: &Row| {
        row.change == Some(RowChange::Moved)
            && newer.booking.rescheduled_to_uid.as_ref() == Some(&row.booking.uid)
    };
    let is_shown = |newer: &Row| {
        rows.iter()
            .any(|row| is_same(row, newer) || is_former(row, newer))
    };
    let is_new = |newer: &&Row| !is_shown(newer);
    RowDiff {
        rows: marked.collect(),
        added: newer.iter().filter(is_new).count(),
    }
}

/// True if a host has to confirm or decline the booking.
pub fn is_pending(booking: &Booking) -> bool {
    use BookingStatus::{AwaitingHost, Pending};
    matches!(booking.status, Pending | AwaitingHost)
}

/// Replaces `changed` bookings in the rows. Not marked as changed, since the user made the change.
pub fn with_changes(rows: &[Row], changed: &[Booking]) -> Vec<Row> {
    let replace = |row: &Row| {
        let newer = changed
            .iter()
            .find(|booking| booking.uid == row.booking.uid)?;
        let is_confirmed = is_pending(&row.booking) && newer.status == BookingStatus::Accepted;
        let change = match row.change {
            Some(RowChange::Moved) => row.change,
            _ => is_confirmed.then_some(RowChange::Confirmed),
        };
        Some(Row {
            booking: Rc::new(newer.clone()),
            change,
        })
    };
    rows.iter()
        .map(|row| replace(row).unwrap_or_else(|| row.clone()))
        .collect()
}

/// Puts `new` in the row of the booking `old`; `None` if that has no row, or `new` has one already.
pub fn with_move(rows: &[Row], old: &str, new: &Booking) -> Option<Vec<Row>> {
    let position = rows.iter().position(|row| row.booking.uid.0 == old)?;
    if rows.iter().any(|row| row.booking.uid == new.uid) {
        return None;
    }
    let mut rows = rows.to_vec();
    let row = rows.get_mut(position)?;
    *row = Row {
        booking: Rc::new(new.clone()),
        change: Some(RowChange::Moved),
    };
    Some(rows)
}

/// Row with its index among all rows.
pub type IndexedRow = (usize, Row);

/// Groups rows of the same series: each first row with those that follow it.
pub fn by_series(rows: Vec<IndexedRow>) -> Vec<(IndexedRow, Vec<IndexedRow>)> {
    let mut groups: Vec<(IndexedRow, Vec<IndexedRow>)> = Vec::new();
    for (index, row) in rows {
        let series = row.booking.recurring_booking_uid.as_deref();
        let lead = series.and_then(|series| {
            groups.iter_mut().find(|((_, lead), _)| {
                lead.booking.recurring_booking_uid.as_deref() == Some(series)
            })
        });
        match lead {
            Some((_, others)) => others.push((index, row)),
            None => groups.push(((index, row), Vec::new())),
        }
    }
    groups
}

/// Groups consecutive rows of the same day. Rows keep their order.
pub fn by_day<T>(rows: Vec<T>, day: impl Fn(&T) -> CivilDate) -> Vec<(CivilDate, Vec<T>)> {
    let mut days: Vec<(CivilDate, Vec<T>)> = Vec::new();
    for row in rows {
        let day = day(&row);
        match days.last_mut() {
            Some((last, rows)) if *last == day => rows.push(row),
            _ => days.push((day, vec![row])),
        }
    }
    days
}

/// Position of a page in its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PageRange {
    /// Position of the first booking shown, from 1; 0 if none is.
    pub first: i64,
    /// Position of the last booking shown.
    pub last: i64,
    /// Total number of bookings; `None` if unknown.
    pub total: Option<i64>,
    /// Zero-based index.
    pub page: i64,
    /// Zero-based index.
    pub last_page: Option<i64>,
    /// True if a page follows.
    pub has_next: bool,
}

impl PageRange {
    /// Returns the range of a page of `returned` bookings. The actual request and response take
    /// precedence over the service's pagination.
    pub fn of(filters: &Filters, returned: usize, pagination: Option<Pagination>) -> Self {
        let (skip, take) = (filters.skip(), filters.page_size.max(1));
        let returned = i64::try_from(returned).unwrap_or(0);
        let last = if returned == 0 { 0 } else { skip + returned };
        let total = pagination
            .map(|pagination| pagination.total_items)
            .filter(|total| *total >= 0)
            .map(|total| total.max(last));
        Self {
            first: if returned == 0 { 0 } else { skip + 1 },
            last,
            total,
            page: filters.page,
            last_page: total.map(|total| (total - 1).max(0) / take),
            has_next: total.map_or(returned >= take, |total| skip + take < total),
        }
    }

    /// True if no booking was found at all, not only on this page.
    pub fn is_empty_list(self) -> bool {
        self.last == 0 && self.page == 0
    }

    /// Page to show instead of an empty one, when the list has become shorter. Always an
    /// earlier page, so that the correction ends whatever the service returns.
    pub fn page_instead(self) -> Option<i64> {
        (self.last == 0 && self.page > 0).then(|| {
            let before = self.page - 1;
            self.last_page.map_or(before, |last| last.min(before))
        })
    }
}

#[cfg(test)]
mod tests;
