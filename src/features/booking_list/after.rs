//! Chunk that is loaded as soon as the first rows are shown: details and actions, filter fields, views,
//! selection and export.

use std::rc::Rc;

use booking_wire::{Booking, BookingsQuery, PublicEventType};
use leptos::prelude::*;

use super::list::List;
use super::pages::Span;
use super::wish::ListQuery;
use super::{acts, details, export, filter_fields, selected, views};
use crate::dom::{Html, nothing};
use crate::load::Latest;
use crate::parts::LazyChunk;
use crate::signal::{RwSignal, Signal};
use crate::theme;
use crate::time::Instant;
use crate::zone_bar;

/// Exports of the chunk.
pub struct ChunkExports {
    /// Provides the shared contexts.
    begin: fn(List),
    /// Details of a booking.
    pub(super) details: fn(&Booking, List) -> Html,
    /// Control for each filter.
    pub(super) filters: fn(ListQuery, Latest<Vec<PublicEventType>>) -> Html,
    /// Controls for columns and series.
    pub(super) columns: fn(ListQuery) -> Html,
    /// List of views.
    pub(super) views: fn() -> Html,
    /// Name of the view.
    pub(super) view_held: fn() -> Html,
    /// Bar with the actions for the selected bookings.
    pub(super) selected: fn(List, Signal<BookingsQuery>, Signal<Option<Span>>) -> Html,
    /// Progress of an export.
    pub(super) export: fn(List) -> Html,
    /// Time zone chooser.
    pub(super) zones: fn(RwSignal<bool>, Instant) -> Html,
    css: &'static str,
}

/// Returns the exports. Only programs refer to it, so that it can be split off.
pub fn doors() -> &'static ChunkExports {
    static DOORS: ChunkExports = ChunkExports {
        begin,
        details: details::details,
        filters: filter_fields::filter_fields,
        columns: filter_fields::view_fields,
        views: views::views,
        view_held: views::view_held,
        selected: selected::selected_bar,
        export: export::export_panel,
        zones: zone_bar::chooser,
        css: theme::LIST_AFTER,
    };
    &DOORS
}

fn begin(list: List) {
    acts::provide(list);
    export::provide(list);
    views::provide(list);
}

impl List {
    /// Prepares `list` for the chunk. Its contexts live as long as the list, whatever is
    /// redrawn.
    pub(super) fn await_the_rest(self) {
        let owner = Owner::current();
        self.after.on_arrival(move |doors| {
            self.page().add_style(1, doors.css);
            if let Some(owner) = &owner {
                owner.with(|| (doors.begin)(self));
            }
        });
    }
}

/// Renders `view` of `part` from the moment it is first needed, and keeps it from then on.
pub(super) fn once_needed(
    part: LazyChunk<ChunkExports>,
    is_needed: impl Fn() -> bool + 'static,
    view: impl Fn(&'static ChunkExports) -> Html + 'static,
) -> Html {
    shown_once(part, Box::new(is_needed), Rc::new(view))
}

fn shown_once(
    part: LazyChunk<ChunkExports>,
    is_needed: Box<dyn Fn() -> bool>,
    view: Rc<dyn Fn(&'static ChunkExports) -> Html>,
) -> Html {
    let is_needed = Signal::memo_after(move |before| before == Some(&true) || is_needed());
    nothing().show(move || {
        let view = Rc::clone(&view);
        let shown = || part.show(|content| content, move |doors| view(doors));
        is_needed.get().then(shown)
    })
}
