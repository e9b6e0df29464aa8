//! Chunk that is loaded as soon as the first rows are shown: details and actions, filter fields, views,
//! selection and export.

use std::rc::Rc;

use booking_wire::{Booking, BookingsQuery, PublicEventType};
use leptos::prelude::*;

use super::list_query::ListQuery;
use super::list_state::List;
use super::page_range::Span;
use super::{actions, details, export, filter_fields, selection_bar, views};
use crate::client::query::Latest;
use crate::features::shared::lazy_view::lazy_view;
use crate::features::shared::time_zone_bar;
use crate::time::Instant;
use crate::ui::dom::{Node, fragment};
use crate::ui::lazy::LazyChunk;
use crate::ui::signal::{RwSignal, Signal};
use crate::ui::theme;

/// Exports of the chunk.
pub struct ChunkExports {
    /// Provides the shared contexts.
    begin: fn(List),
    /// Details of a booking.
    pub(super) details: fn(&Booking, List) -> Node,
    /// Control for each filter.
    pub(super) filters: fn(ListQuery, Latest<Vec<PublicEventType>>) -> Node,
    /// Controls for columns and series.
    pub(super) columns: fn(ListQuery) -> Node,
    /// List of views.
    pub(super) views: fn() -> Node,
    /// Name of the view.
    pub(super) view_held: fn() -> Node,
    /// Bar with the actions for the selected bookings.
    pub(super) selected: fn(List, Signal<BookingsQuery>, Signal<Option<Span>>) -> Node,
    /// Progress of an export.
    pub(super) export: fn(List) -> Node,
    /// Time zone chooser.
    pub(super) zones: fn(RwSignal<bool>, Instant) -> Node,
    css: &'static str,
}

/// Returns the exports. Only programs refer to it, so that it can be split off.
pub fn exports() -> &'static ChunkExports {
    static EXPORTS: ChunkExports = ChunkExports {
        begin,
        details: details::details,
        filters: filter_fields::filter_fields,
        columns: filter_fields::view_fields,
        views: views::views,
        view_held: views::view_held,
        selected: selection_bar::selected_bar,
        export: export::export_panel,
        zones: time_zone_bar::chooser,
        css: theme::LIST_AFTER,
    };
    &EXPORTS
}

fn begin(list: List) {
    actions::provide(list);
    export::provide(list);
    views::provide(list);
}

impl List {
    /// Prepares `list` for the chunk. Its contexts live as long as the list, whatever is
    /// redrawn.
    pub(super) fn await_the_rest(self) {
        let owner = Owner::current();
        self.after.on_load(move |exports| {
            self.page().add_style(1, exports.css);
            if let Some(owner) = &owner {
                owner.with(|| (exports.begin)(self));
            }
        });
    }
}

/// Renders `view` of `part` from the moment it is first needed, and keeps it from then on.
pub(super) fn once_needed(
    part: LazyChunk<ChunkExports>,
    is_needed: impl Fn() -> bool + 'static,
    view: impl Fn(&'static ChunkExports) -> Node + 'static,
) -> Node {
    shown_once(part, Box::new(is_needed), Rc::new(view))
}

fn shown_once(
    part: LazyChunk<ChunkExports>,
    is_needed: Box<dyn Fn() -> bool>,
    view: Rc<dyn Fn(&'static ChunkExports) -> Node>,
) -> Node {
    let is_needed = Signal::memo_after(move |before| before == Some(&true) || is_needed());
    fragment().child_with(move || {
        let view = Rc::clone(&view);
        let shown = || lazy_view(part, |content| content, move |exports| view(exports));
        is_needed.get().then(shown)
    })
}
