//! Moving the focus when a step of a screen gives way to the next.

use leptos::prelude::request_animation_frame;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use crate::dom::Html;

/// Focuses `element` a frame from now, when the new step is in the document and has its size.
pub fn focus_soon(element: &Html) {
    let element = element.element();
    request_animation_frame(move || focus(&element));
}

/// Focuses what `selector` finds first below `root`, a frame from now.
pub fn focus_first_soon(root: HtmlElement, selector: &'static str) {
    request_animation_frame(move || {
        if let Ok(Some(found)) = root.query_selector(selector) {
            focus(found.unchecked_ref());
        }
    });
}

/// Focuses the element with `id`, which has no quotes in it, below `root`, a frame from now.
pub fn focus_id_soon(root: &HtmlElement, id: &str) {
    let selector = format!("[id='{id}']");
    if let Ok(Some(found)) = root.query_selector(&selector) {
        request_animation_frame(move || focus(found.unchecked_ref()));
    }
}

/// Lets `change` draw `place` anew. If the focus was in it, what `selector` finds first takes it then.
pub fn keep_focus(place: Option<HtmlElement>, selector: &'static str, change: impl FnOnce()) {
    let place = place.filter(|place| place.matches(":focus-within").unwrap_or(false));
    change();
    if let Some(place) = place {
        focus_first_soon(place, selector);
    }
}

fn focus(element: &HtmlElement) {
    // Refused for an element that is gone, and then there is nothing to do.
    let _ = element.focus();
}
