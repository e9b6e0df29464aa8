//! Focus management when a screen moves to its next step. A step that is rendered again in another language does not take
//! the focus.

use booking_ui::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use crate::i18n::is_rendered_again;

/// Focuses `element` in the next frame, when the new step is mounted and laid out.
pub fn focus_soon(element: &Node) {
    let element = element.element();
    in_next_frame(move || focus(&element));
}

/// Focuses the first match of `selector` below `root` in the next frame.
pub fn focus_first_soon(root: HtmlElement, selector: &'static str) {
    in_next_frame(move || {
        if let Ok(Some(found)) = root.query_selector(selector) {
            focus(found.unchecked_ref());
        }
    });
}

/// Focuses the element with `id`, which has no quotes in it, below `root`, in the next frame.
pub fn focus_id_soon(root: &HtmlElement, id: &str) {
    let selector = format!("[id='{id}']");
    if let Ok(Some(found)) = root.query_selector(&selector) {
        in_next_frame(move || focus(found.unchecked_ref()));
    }
}

/// Runs `change`, which renders the content of `container` again. If the focus was inside, the first match of
/// `selector` takes it.
pub fn keep_focus(container: Option<HtmlElement>, selector: &'static str, change: impl FnOnce()) {
    let container =
        container.filter(|container| container.matches(":focus-within").unwrap_or(false));
    change();
    if let Some(container) = container {
        focus_first_soon(container, selector);
    }
}

fn in_next_frame(move_focus: impl FnOnce() + 'static) {
    if !is_rendered_again() {
        request_animation_frame(move_focus);
    }
}

fn focus(element: &HtmlElement) {
    // Fails only for a removed element, which needs no focus.
    let _ = element.focus();
}
