//! The visitor's bundle: `<booking-picker>`.

use booking_ui::prelude::*;
use booking_widget::features::booking_flow::{
    self, ChunkExports, HistoryExports, RareChunks, ZoneExports,
};
use booking_widget::features::booking_picker::{self, Picker, SelectionExports};
use booking_widget::page::mounted::Mounted;
use booking_widget::styles;
use wasm_bindgen::prelude::*;
use wasm_split_helpers::{SplitLoaderError, wasm_split};
use web_sys::HtmlElement;

fn main() {}

/// Returns the steps after the slot selection, from a chunk.
#[wasm_split(form, fallible)]
fn form() -> Result<&'static ChunkExports, SplitLoaderError> {
    Ok(booking_flow::exports())
}

/// Returns the list of event types, from a chunk.
#[wasm_split(event_types, fallible)]
fn event_types() -> Result<&'static SelectionExports, SplitLoaderError> {
    Ok(booking_picker::selection_exports())
}

/// Returns the list of time zones, from a chunk.
#[wasm_split(zones, fallible)]
fn zones() -> Result<&'static ZoneExports, SplitLoaderError> {
    Ok(booking_flow::zone_exports())
}

/// Returns the steps in the history of the page, from a chunk.
#[wasm_split(history, fallible)]
fn history() -> Result<&'static HistoryExports, SplitLoaderError> {
    Ok(booking_flow::history_exports())
}

/// Mounts the picker in the shadow root of `host`.
#[wasm_bindgen]
pub fn mount(host: HtmlElement, given: JsValue) -> Result<Mounted, JsValue> {
    Mounted::new(host, styles::PICKER, &given, |config| {
        provide_context(RareChunks {
            zones: ChunkSource::Separate(|| PendingExports::new(zones())),
            history: ChunkSource::Separate(|| PendingExports::new(history())),
        });
        let chunk = ChunkSource::Separate(|| PendingExports::new(form()));
        let selection = ChunkSource::Separate(|| PendingExports::new(event_types()));
        view! { <Picker config chunk selection /> }.into_inner()
    })
}
