//! The standalone app. With the feature `lazy-chunks`, the later steps of a booking and the team's screens are in files
//! of their own; without it, as for `trunk serve`, which cannot split programs, all is in one.

use booking_widget::app::chunks::AppChunks;
use booking_widget::app::shell;

fn main() {
    shell::start(chunks());
}

#[cfg(not(feature = "lazy-chunks"))]
fn chunks() -> AppChunks {
    AppChunks::linked()
}

#[cfg(feature = "lazy-chunks")]
fn chunks() -> AppChunks {
    use booking_ui::prelude::{ChunkSource, PendingExports};
    use booking_widget::app::chunks::FlowChunks;
    use booking_widget::features::booking_flow::{self, RareChunks};

    AppChunks {
        flow: FlowChunks {
            steps: ChunkSource::Separate(|| PendingExports::new(lazy::form())),
            rare: RareChunks {
                zones: ChunkSource::Separate(|| PendingExports::new(lazy::zones())),
                // Linked: the steps are in the address from the beginning.
                history: ChunkSource::Linked(booking_flow::history_exports()),
            },
        },
        staff: ChunkSource::Separate(|| PendingExports::new(lazy::staff())),
    }
}

/// Entry points of the chunks.
#[cfg(feature = "lazy-chunks")]
mod lazy {
    use booking_widget::app::staff_screens::{self, StaffExports};
    use booking_widget::features::booking_flow::{self, ChunkExports, ZoneExports};
    use wasm_split_helpers::{SplitLoaderError, wasm_split};

    /// Steps after the slot selection.
    #[wasm_split(form, fallible)]
    pub(super) fn form() -> Result<&'static ChunkExports, SplitLoaderError> {
        Ok(booking_flow::exports())
    }

    /// List of time zones.
    #[wasm_split(zones, fallible)]
    pub(super) fn zones() -> Result<&'static ZoneExports, SplitLoaderError> {
        Ok(booking_flow::zone_exports())
    }

    /// Team's screens.
    #[wasm_split(staff, fallible)]
    pub(super) fn staff() -> Result<&'static StaffExports, SplitLoaderError> {
        Ok(staff_screens::exports())
    }
}
