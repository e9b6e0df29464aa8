//! Escape key of a form that opens in place of a button.

use booking_ui::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Event, KeyboardEvent};

/// Calls `close` when Escape is pressed in `form`. A dialog around it stays open.
pub fn closing_on_escape(form: Node, close: impl Fn() + 'static) -> Node {
    listen(form, Box::new(close))
}

/// [`closing_on_escape`], compiled once for all forms.
fn listen(form: Node, close: Box<dyn Fn()>) -> Node {
    form.on("keydown", move |event: Event| {
        if event.unchecked_ref::<KeyboardEvent>().key() == "Escape" {
            event.stop_propagation();
            event.prevent_default();
            close();
        }
    })
}
