//! Exports of the lazy chunk with the steps after the slot selection.

use std::sync::Arc;

use booking_ui::prelude::*;
use web_sys::HtmlElement;

use super::outcome::FlowOutcome;
use super::state::FlowState;
use crate::page::attributes::Config;
use crate::page::events::Page;
use crate::page::step_history::StepHistory;
use crate::time::Instant;

/// Exports of the chunk.
pub struct ChunkExports {
    /// Form step.
    pub(super) form_step: fn(FlowState) -> Node,
    /// Prepares the form step, in the background.
    pub(super) prepare_form: fn(FlowState),
    /// Accompanies all steps in the card of a flow: keeps them for the next view of the element, and follows swipes.
    pub(super) accompany: fn(FlowState, &HtmlElement),
    /// Booking confirmation, with the cancel form.
    pub(super) booking_view: fn(FlowState, &Arc<FlowOutcome>) -> Node,
    /// Flow of an existing booking.
    pub(super) existing_booking: fn(Config, &'static ChunkExports) -> Node,
    /// Notice beside the slots while rescheduling, or button for an instant booking.
    pub(super) picker_aside: fn(FlowState) -> Node,
    /// Notice of a lost slot, with nearby ones.
    pub(super) lost_slot_notice: fn(FlowState) -> Node,
    /// Notice that booking needs the service's own page.
    pub(super) booking_page_notice: fn(FlowState) -> Node,
    /// Style sheet of these views.
    pub(super) css: &'static str,
}

/// Exports of the chunk with the list of time zones.
pub struct ZoneExports {
    /// Chooser of all zones.
    pub(super) zone_chooser: fn(RwSignal<bool>, Instant) -> Node,
}

/// Exports of the chunk that connects the flow with the history of the page.
pub struct HistoryExports {
    /// Steps of the flow in the history of the page.
    pub(super) follow_history: fn(FlowState),
    /// History of a list before the flow.
    pub follow: fn(StepHistory),
}

/// Chunks that most visitors do not need, provided as a context.
#[derive(Clone, Copy)]
pub struct RareChunks {
    /// Loaded when the dialog opens.
    pub zones: ChunkSource<ZoneExports>,
    /// Loaded if the page wants steps in its history.
    pub history: ChunkSource<HistoryExports>,
}

/// Creates the root's chunk, which adds its style sheet to `page`.
pub(super) fn lazy_chunk(source: ChunkSource<ChunkExports>, page: Page) -> LazyChunk<ChunkExports> {
    let chunk = LazyChunk::new(source);
    chunk.on_load(move |exports: &ChunkExports| page.add_style(exports.css));
    chunk
}
