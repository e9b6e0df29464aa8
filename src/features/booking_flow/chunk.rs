//! Lazy chunk for all that follows the pick; the picker fetches it as soon as the first slots are shown.

use std::sync::Arc;

use super::{Flow, FlowOutcome, confirmation, existing_booking, form_step, lost_slot};
use crate::element::attributes::Config;
use crate::element::events::Page;
use crate::features::shared::time_zone_bar;
use crate::time::Instant;
use crate::ui::dom::Node;
use crate::ui::lazy::{ChunkSource, LazyChunk};
use crate::ui::signal::RwSignal;
use crate::ui::theme;

/// Exports of the chunk.
pub struct ChunkExports {
    /// Form step.
    pub(super) fill: fn(Flow) -> Node,
    /// Booking confirmation.
    pub(super) done: fn(Flow, &Arc<FlowOutcome>, bool) -> Node,
    /// An existing booking.
    pub(super) manage: fn(Config) -> Node,
    /// Notice beside the slots while rescheduling, or button for an instant booking.
    pub(super) beside: fn(Flow) -> Node,
    /// Notice of a lost slot, with nearby ones.
    pub(super) lost: fn(Flow) -> Node,
    /// Chooser of all zones.
    pub(super) zones: fn(RwSignal<bool>, Instant) -> Node,
    /// Notice of the service's own page.
    pub(super) own_page: fn(Flow) -> Node,
    css: &'static str,
}

/// Exports of this chunk. A direct reference to them puts the code into the referring bundle.
pub fn exports() -> &'static ChunkExports {
    static EXPORTS: ChunkExports = ChunkExports {
        fill: form_step::step,
        done: confirmation::step,
        manage: existing_booking::open,
        beside: lost_slot::beside_times,
        lost: lost_slot::notice_of,
        own_page: lost_slot::own_page,
        zones: time_zone_bar::chooser,
        css: theme::PICKER_AFTER,
    };
    &EXPORTS
}

/// The root's chunk.
pub(super) fn part(source: ChunkSource<ChunkExports>, page: Page) -> LazyChunk<ChunkExports> {
    let part = LazyChunk::new(source);
    part.on_load(move |exports: &ChunkExports| page.add_style(1, exports.css));
    part
}
