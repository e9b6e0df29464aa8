//! Notice in place of the app after its program has failed.

use booking_ui::prelude::*;
use js_sys::{Reflect, WebAssembly};
use wasm_bindgen::JsCast;
use web_sys::Element;

use crate::components::Shape;
use crate::features::shared::error_notice::{card, page_notice};
use crate::i18n::{Key, localized, use_texts};

/// Notice that takes the place of `frame` once the program has trapped, for which nothing in the app responds any
/// more. It is rendered before: afterwards no state of the program may be read. The link needs no program.
pub(super) fn failure_notice(frame: &Element) -> Node {
    let texts = use_texts();
    let notice = move || {
        let (title, text) = (Key::UnexpectedTitle, Key::ReloadPageText);
        let reload = el("a")
            .class("button-primary")
            .attr("href", "")
            .child(texts.get(Key::ReloadPage));
        let notice = page_notice(Shape::Alert, texts.get(title), texts.get(text)).child(reload);
        el("main").class("app-main").child(card().child(notice))
    };
    let place = el("div").attr("hidden", "").child(localized(notice));
    let (place_element, frame) = (place.element(), frame.clone());
    listen_to(&window(), "error", move |event| {
        let error = Reflect::get(&event, &"error".into()).unwrap_or_default();
        if error.is_instance_of::<WebAssembly::RuntimeError>() {
            // Attributes of these names cannot fail.
            let _ = frame.set_attribute("hidden", "");
            let _ = place_element.remove_attribute("hidden");
        }
    });
    place
}
