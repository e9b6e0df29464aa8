//! The rows on the screen: replaced when something else is asked, kept and marked when the same is
//! asked again while they are looked at.

use std::time::Duration;

use booking_wire::{Booking, Page, Pagination};
use leptos::prelude::*;

use super::model::Filters;
use super::pages::Span;
use super::shown::{Compared, Row, compared, with_changes};
use crate::dom::listen_to;
use crate::signal::RwSignal;

/// One page of an answer.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Found {
    pub(super) rows: Vec<Row>,
    /// How many bookings could not be read.
    pub(super) odd: usize,
    /// What the service says about the page, if it does.
    pub(super) pagination: Option<Pagination>,
}

impl Found {
    /// Where it stands in what `filters` find.
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

/// The rows on the screen.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    rows: RwSignal<Vec<Row>>,
    odd: RwSignal<usize>,
    /// How many bookings a newer answer holds that have no row.
    waiting: RwSignal<usize>,
    /// Counts how often other rows came.
    lists: RwSignal<u32>,
    /// Counts how often the service was asked what became of them.
    looks: RwSignal<u32>,
    /// Whether some of them are still to be drawn.
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

    /// Other rows come in place of all.
    pub(super) fn show(self, found: Found) {
        self.waiting.set(0);
        self.odd.set(found.odd);
        self.rows.set(found.rows);
        self.lists.update(|count| *count = count.wrapping_add(1));
    }

    /// Rows as they were when other rows came last; followed only in that.
    pub(super) fn listed(self) -> Vec<Row> {
        self.lists.get();
        self.rows.get_untracked()
    }

    /// Follows what becomes of the rows.
    pub(super) fn track(self) {
        self.rows.with(|_| ());
    }

    /// The row at `place`, as it is.
    pub(super) fn at(self, place: usize) -> Option<Row> {
        self.rows.with_untracked(|rows| rows.get(place).cloned())
    }

    /// All rows as they are.
    pub(super) fn all(self) -> Vec<Row> {
        self.rows.get_untracked()
    }

    /// How many bookings of the page could not be read.
    pub(super) fn odd(self) -> usize {
        self.odd.get()
    }

    /// Whether some rows are still to be drawn.
    pub(super) fn is_drawing(self) -> bool {
        self.is_drawing.get()
    }

    /// Says whether some rows are still to be drawn.
    pub(super) fn tell_drawing(self, is_drawing: bool) {
        if self.is_drawing.try_get_untracked() == Some(!is_drawing) {
            self.is_drawing.set(is_drawing);
        }
    }

    /// Shows bookings in their rows as they have become.
    pub(super) fn put(self, changed: Vec<Booking>) {
        // What was done may be answered after the list is gone.
        if let Some(rows) = self.rows.try_get_untracked() {
            self.rows.set(with_changes(&rows, &changed));
        }
    }

    /// Asks what became of the bookings since.
    pub(super) fn look_again(self) {
        if let Some(looks) = self.looks.try_get_untracked() {
            self.looks.set(looks.wrapping_add(1));
        }
    }

    /// What [`Rows::look_again`] counts.
    pub(super) fn looks(self) -> u32 {
        self.looks.get()
    }

    /// Asks again every `seconds` while the page is in sight, and when it comes back into sight.
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

    /// A newer answer to the same question: rows are marked where they are, and what has no row yet
    /// waits. `is_first` and `is_last` if nothing comes before or after the page.
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

    /// How many bookings wait for a row.
    pub(super) fn waiting(self) -> usize {
        self.waiting.get()
    }
}
