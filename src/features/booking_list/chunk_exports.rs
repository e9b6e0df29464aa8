//! Exports of the chunk that is loaded as soon as the first rows are shown. Views call its functions through
//! this table and do not import them: what they import is in the first file.

use std::rc::Rc;

use booking_ui::prelude::*;
use booking_wire::{Booking, BookingsQuery, TeamEventType};
use web_sys::HtmlElement;

use super::query::query_state::ListQuery;
use super::rows::{BookingsPage, PageRange};
use super::state::list_state::{List, Panel};
use super::state::selection::ScopeSignal;
use crate::client::query::Latest;
use crate::features::shared::lazy_view::lazy_view;
use crate::time::Instant;

/// Exports of the chunk.
pub struct ChunkExports {
    /// Provides the contexts of the other exports.
    pub(super) provide: fn(List),
    /// Notices of answers that can be taken back.
    pub(super) answers: fn(List) -> Node,
    /// Details of a booking.
    pub(super) details: fn(&Booking, List) -> Node,
    /// Buttons in the row of a pending booking; true if they are Tab stops.
    pub(super) row_actions: fn(&Rc<Booking>, List, bool) -> Node,
    /// Control for each filter.
    pub(super) filters: fn(ListQuery, Latest<Vec<TeamEventType>>) -> Node,
    /// Controls for columns and series.
    pub(super) columns: fn(ListQuery) -> Node,
    /// List of saved views.
    pub(super) views: fn() -> Node,
    /// Name of the active view.
    pub(super) active_view: fn() -> Node,
    /// Bar with the actions for the selected bookings.
    pub(super) selection_bar: fn(List, Signal<BookingsQuery>, Signal<Option<PageRange>>) -> Node,
    /// Progress of an export.
    pub(super) export: fn(RwSignal<Option<ScopeSignal>>) -> Node,
    /// Dialog with the keyboard shortcuts.
    pub(super) shortcuts: fn(RwSignal<bool>) -> Node,
    /// Command palette.
    pub(super) palette: fn(PaletteContext) -> Node,
    /// Time zone chooser.
    pub(super) zones: fn(RwSignal<bool>, Instant) -> Node,
    /// Style sheet.
    pub(super) css: &'static str,
}

/// State and element that the command palette acts on.
#[derive(Clone)]
pub(super) struct PaletteContext {
    pub(super) list: List,
    /// True while it is shown.
    pub(super) is_open: RwSignal<bool>,
    pub(super) bookings: Latest<BookingsPage>,
    pub(super) range: Signal<Option<PageRange>>,
    /// All matches, for an export.
    pub(super) all: ScopeSignal,
    pub(super) open_panel: RwSignal<Option<Panel>>,
    pub(super) shows_shortcuts: RwSignal<bool>,
    /// Element of the list.
    pub(super) card: HtmlElement,
}

/// Prepares `list` for the chunk. Its contexts live as long as the list, independently of redraws.
pub(super) fn provide_on_load(chunk: LazyChunk<ChunkExports>, list: List) {
    let owner = Owner::current();
    chunk.on_load(move |exports| {
        list.context.page().add_style(exports.css);
        if let Some(owner) = &owner {
            owner.with(|| (exports.provide)(list));
        }
    });
}

/// Renders `view` of `chunk` from the moment it is first needed, and keeps it from then on.
pub(super) fn once_needed(
    chunk: LazyChunk<ChunkExports>,
    is_needed: impl Fn() -> bool + 'static,
    view: impl Fn(&'static ChunkExports) -> Node + 'static,
) -> Node {
    view_once_needed(chunk, Box::new(is_needed), Rc::new(view))
}

fn view_once_needed(
    chunk: LazyChunk<ChunkExports>,
    is_needed: Box<dyn Fn() -> bool>,
    view: Rc<dyn Fn(&'static ChunkExports) -> Node>,
) -> Node {
    let is_needed = Signal::memo_after(move |before| before == Some(&true) || is_needed());
    fragment().child_with(move || {
        let view = Rc::clone(&view);
        let chunk_view = || lazy_view(chunk, |content| content, move |exports| view(exports));
        is_needed.get().then(chunk_view)
    })
}
