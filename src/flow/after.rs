//! Lazy chunk for all that follows the pick; the picker fetches it as soon as the first slots are shown.

use std::sync::Arc;

use super::{Flow, FlowOutcome, done, fill, lost, manage};
use crate::dom::Html;
use crate::embed::Config;
use crate::embed::events::Page;
use crate::parts::{ChunkSource, LazyChunk};
use crate::signal::RwSignal;
use crate::theme;
use crate::time::Instant;
use crate::zone_bar;

/// Exports of the chunk.
pub struct ChunkExports {
    /// Form step.
    pub(super) fill: fn(Flow) -> Html,
    /// Booking confirmation.
    pub(super) done: fn(Flow, &Arc<FlowOutcome>, bool) -> Html,
    /// An existing booking.
    pub(super) manage: fn(Config) -> Html,
    /// Notice beside the slots while rescheduling, or button for an instant booking.
    pub(super) beside: fn(Flow) -> Html,
    /// Notice of a lost slot, with nearby ones.
    pub(super) lost: fn(Flow) -> Html,
    /// Chooser of all zones.
    pub(super) zones: fn(RwSignal<bool>, Instant) -> Html,
    /// Notice of the service's own page.
    pub(super) own_page: fn(Flow) -> Html,
    css: &'static str,
}

/// Exports of this chunk. A direct reference to them puts the code into the referring bundle.
pub fn doors() -> &'static ChunkExports {
    static DOORS: ChunkExports = ChunkExports {
        fill: fill::step,
        done: done::step,
        manage: manage::open,
        beside: lost::beside_times,
        lost: lost::notice_of,
        own_page: lost::own_page,
        zones: zone_bar::chooser,
        css: theme::PICKER_AFTER,
    };
    &DOORS
}

/// The root's chunk.
pub(super) fn part(source: ChunkSource<ChunkExports>, page: Page) -> LazyChunk<ChunkExports> {
    let part = LazyChunk::new(source);
    part.on_arrival(move |doors: &ChunkExports| page.add_style(1, doors.css));
    part
}
