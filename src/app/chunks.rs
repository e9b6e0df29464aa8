//! Chunks of the app: the later steps of a booking, and the team's screens.

use booking_ui::prelude::*;

use super::staff_screens::{self, StaffExports};
use crate::features::booking_flow::{self, ChunkExports, RareChunks};

/// Sources of the chunks.
#[derive(Clone, Copy)]
pub struct AppChunks {
    /// Chunks of a booking flow.
    pub flow: FlowChunks,
    /// Team's screens.
    pub staff: ChunkSource<StaffExports>,
}

/// Sources of the chunks of a booking flow.
#[derive(Clone, Copy)]
pub struct FlowChunks {
    /// Steps after the slot selection.
    pub steps: ChunkSource<ChunkExports>,
    /// Parts that most visitors do not need.
    pub rare: RareChunks,
}

impl AppChunks {
    /// Chunks that are linked into the same file.
    pub fn linked() -> Self {
        Self {
            flow: FlowChunks {
                steps: ChunkSource::Linked(booking_flow::exports()),
                rare: booking_flow::linked_chunks(),
            },
            staff: ChunkSource::Linked(staff_screens::exports()),
        }
    }
}

/// Chunks of the running app.
#[derive(Clone, Copy)]
pub(super) struct LazyChunks {
    pub(super) flow: FlowChunks,
    pub(super) staff: LazyChunk<StaffExports>,
}
