//! The visitor's artefact: `<booking-picker>`.

use booking_widget::embed::Mounted;
use booking_widget::picker::Picker;
use booking_widget::theme;
use leptos::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::{HtmlElement, ShadowRoot};

fn main() {}

/// Shows the picker in the shadow root of `host`.
#[wasm_bindgen]
pub fn mount(host: HtmlElement, root: ShadowRoot, given: JsValue) -> Result<Mounted, JsValue> {
    Mounted::new(host, &root, theme::PICKER, &given, |config| {
        view! { <Picker config /> }.into_inner()
    })
}
