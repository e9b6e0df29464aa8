//! Civil dates, zones and clocks. Text for people is formatted in [`mod@format`] alone.

pub mod civil;
mod clock;
mod corrections;
pub mod format;
pub mod zone;
pub mod zone_places;

use std::time::Duration;

use booking_ui::prelude::*;
use js_sys::Promise;
use wasm_bindgen_futures::JsFuture;

pub use booking_wire::{CivilDate, Instant};
pub use civil::{DateRange, Month, MonthGrid, Weekday};
pub use clock::Clock;
pub use format::Formats;
pub use zone::Zone;

/// Waits for `ms` milliseconds.
pub async fn sleep(ms: i64) {
    let delay = Promise::new(&mut |done, _| {
        let ms = u64::try_from(ms).unwrap_or_default();
        let resolve = move || {
            // Resolving a promise cannot fail.
            let _ = done.call0(&wasm_bindgen::JsValue::UNDEFINED);
        };
        set_timeout(resolve, Duration::from_millis(ms));
    });
    // It never rejects.
    let _ = JsFuture::from(delay).await;
}
