//! Questions before a screen with unsaved changes is left: the app's own, and the browser's.

use booking_ui::prelude::*;
use js_sys::Reflect;
use wasm_bindgen::JsValue;

use super::navigation::Navigation;
use crate::components::{button, dialog, heading};
use crate::i18n::{Key, use_texts};

/// Question before a screen with unsaved changes is left within the app.
pub(super) fn unsaved_changes_dialog(navigation: Navigation) -> Node {
    let texts = use_texts();
    let is_open = navigation.is_asking;
    let title = texts.get(Key::LeaveTitle);
    let content = move || {
        // Initial focus: an extra Enter keeps the changes.
        let stay = button("button", move || is_open.set(false))
            .attr("autofocus", "")
            .child(texts.get(Key::LeaveStay));
        let leave = button("button button-danger", move || navigation.leave())
            .child(texts.get(Key::LeaveAnyway));
        el("div")
            .class("dialog-body")
            .child(heading(1).child(title))
            .child(el("p").child(texts.get(Key::LeaveText)))
            .child(el("div").class("dialog-acts").child(stay).child(leave))
    };
    dialog(title, is_open, content)
}

/// Makes the browser ask before it reloads or closes the page while there are unsaved changes. Without them there is no
/// listener, with which some browsers keep no copy of the page for the back button.
pub(super) fn ask_before_unload(has_unsaved: RwSignal<bool>) {
    effect(move || {
        if has_unsaved.get() {
            listen_to(&window(), "beforeunload", |event| {
                event.prevent_default();
                // Older browsers. Cannot fail: events have this property.
                let _ = Reflect::set(&event, &"returnValue".into(), &JsValue::TRUE);
            });
        }
    });
}
