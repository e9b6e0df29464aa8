//! Displayed rows: replaced by the response to a new query, kept and marked by a refresh of the same
//! query.

use std::time::Duration;

use booking_wire::{Booking, Page, Pagination};
use leptos::prelude::*;

use super::model::Filters;
use super::page_range::Span;
use super::row_changes::{Compared, Row, compared, with_changes};
use crate::ui::dom::listen_to;
use crate::ui::signal::RwSignal;

/// One page of a response.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Found {
    pub(super) rows: Vec<Row>,
    /// Number of unreadable bookings.
    pub(super) odd: usize,
    /// Pagination data of the service, if any.
    pub(super) pagination: Option<Pagination>,
}

impl Found {
    /// Position of the page in its list.
    pub(super) fn span(&self, filters: &Filters) -> Span {
        Span::of(filters, self.rows.len() + self.odd, self.pagination)
    }
}

impl From<Page<Booking>> for Found {
    fn from(page: Page<Booking>) -> Self {
        Self {
            rows: page.items.into_iter().map(Row::new).collect(),
            odd: page.unreadable,
            pagination: page.pagination,
        }
    }
}

/// Displayed rows.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    rows: RwSignal<Vec<Row>>,
    odd: RwSignal<usize>,
    /// Number of bookings in a refresh that have no row.
    waiting: RwSignal<usize>,
    /// Number of replacements.
    lists: RwSignal<u32>,
    /// Number of refreshes requested.
    looks: RwSignal<u32>,
    /// True while some rows are not yet rendered.
    is_drawing: RwSignal<bool>,
}

impl Rows {
    pub(super) fn new() -> Self {
        Self {
            rows: RwSignal::new(Vec::new()),
            odd: RwSignal::new(0),
            waiting: RwSignal::new(0),
            lists: RwSignal::new(0),
            looks: RwSignal::new(0),
            is_drawing: RwSignal::new(false),
        }
    }

    /// Replaces all rows.
    pub(super) fn show(self, found: Found) {
        self.waiting.set(0);
        self.odd.set(found.odd);
        self.rows.set(found.rows);
        self.lists.update(|count| *count = count.wrapping_add(1));
    }

    /// Returns the rows, subscribing only to their replacement.
    pub(super) fn listed(self) -> Vec<Row> {
        self.lists.get();
        self.rows.get_untracked()
    }

    /// Subscribes to changes of the rows.
    pub(super) fn track(self) {
        self.rows.with(|_| ());
    }

    /// Row at index `place`, untracked.
    pub(super) fn at(self, place: usize) -> Option<Row> {
        self.rows.with_untracked(|rows| rows.get(place).cloned())
    }

    /// All rows, untracked.
    pub(super) fn all(self) -> Vec<Row> {
        self.rows.get_untracked()
    }

    /// Number of unreadable bookings on the page.
    pub(super) fn odd(self) -> usize {
        self.odd.get()
    }

    /// True while some rows are not yet rendered.
    pub(super) fn is_drawing(self) -> bool {
        self.is_drawing.get()
    }

    /// Sets `is_drawing`.
    pub(super) fn tell_drawing(self, is_drawing: bool) {
        if self.is_drawing.try_get_untracked() == Some(!is_drawing) {
            self.is_drawing.set(is_drawing);
        }
    }

    /// Replaces changed bookings in their rows.
    pub(super) fn put(self, changed: Vec<Booking>) {
        // An action may finish after the list is unmounted.
        if let Some(rows) = self.rows.try_get_untracked() {
            self.rows.set(with_changes(&rows, &changed));
        }
    }

    /// Requests a refresh of the bookings.
    pub(super) fn look_again(self) {
        if let Some(looks) = self.looks.try_get_untracked() {
            self.looks.set(looks.wrapping_add(1));
        }
    }

    /// Count of [`Rows::look_again`] calls.
    pub(super) fn looks(self) -> u32 {
        self.looks.get()
    }

    /// Refreshes every `seconds` while the page is visible, and when it becomes visible again.
    pub(super) fn keep_looking(self, seconds: u64) {
        let look = move || {
            if !document().hidden() {
                self.look_again();
            }
        };
        let timer = set_interval_with_handle(look, Duration::from_secs(seconds));
        if let Ok(timer) = timer {
            on_cleanup(move || timer.clear());
        }
        listen_to(&document(), "visibilitychange", move |_| look());
    }

    /// Applies a refresh: rows are marked in place, and bookings without a row are counted.
    /// `is_first` and `is_last` if no page comes before or after.
    pub(super) fn compare(self, found: Found, is_first: bool, is_last: bool) {
        let before = self.rows.get_untracked();
        let Compared { rows, added } = compared(&before, &found.rows, is_first, is_last);
        if rows != before {
            self.rows.set(rows);
        }
        if self.waiting.get_untracked() != added {
            self.waiting.set(added);
        }
    }

    /// Number of bookings that have no row yet.
    pub(super) fn waiting(self) -> usize {
        self.waiting.get()
    }
}
