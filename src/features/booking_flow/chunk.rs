//! Lazy chunk for all steps after the slot selection; fetched as soon as the first slots are shown.

use booking_ui::prelude::*;
use web_sys::HtmlElement;

use super::chunk_exports::{ChunkExports, HistoryExports, RareChunks, ZoneExports};
use super::state::FlowState;
use super::steps::swipe;
use super::{booking_view, existing, flow_history, form_step, kept_step, slot_notices};
use crate::features::shared::time_zone_bar;
use crate::page::step_history::StepHistory;
use crate::styles;

/// Exports of this chunk. A direct reference to them puts the code into the referring bundle.
pub fn exports() -> &'static ChunkExports {
    static EXPORTS: ChunkExports = ChunkExports {
        form_step: form_step::form_step,
        prepare_form: form_step::prepare,
        accompany,
        booking_view: booking_view::booking_view,
        existing_booking: existing::existing_booking,
        picker_aside: slot_notices::picker_aside,
        lost_slot_notice: slot_notices::lost_slot_notice,
        booking_page_notice: slot_notices::booking_page_notice,
        css: styles::PICKER_FORM,
    };
    &EXPORTS
}

fn accompany(flow: FlowState, card: &HtmlElement) {
    kept_step::keep_steps(flow);
    swipe::follow_swipes(flow, card);
}

/// Exports of the chunk with the list of time zones.
pub fn zone_exports() -> &'static ZoneExports {
    &ZoneExports {
        zone_chooser: time_zone_bar::chooser,
    }
}

/// Exports of the chunk that connects the flow with the history of the page.
pub fn history_exports() -> &'static HistoryExports {
    &HistoryExports {
        follow_history: flow_history::follow_history,
        follow: StepHistory::follow,
    }
}

/// Chunks that are linked into the same file.
pub fn linked_chunks() -> RareChunks {
    RareChunks {
        zones: ChunkSource::Linked(zone_exports()),
        history: ChunkSource::Linked(history_exports()),
    }
}
