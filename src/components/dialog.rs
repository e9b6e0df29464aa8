//! Modal dialog.

use booking_ui::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlDialogElement, Node as DomNode};

/// Shows `content` while `is_open` is true. The focus stays inside; Escape or a click beside it closes it,
/// and the focus returns to its previous element.
pub fn dialog(label: &str, is_open: RwSignal<bool>, content: impl Fn() -> Node + 'static) -> Node {
    let dialog = el("dialog")
        .class("dialog")
        .attr("part", "dialog")
        .attr("aria-label", label);
    let node: HtmlDialogElement = dialog.element().unchecked_into();
    let element = node.clone();
    effect(move || {
        if is_open.get() {
            let element = element.clone();
            // The content must be mounted to take the focus.
            request_animation_frame(move || {
                if !element.open() {
                    // Fails only for a dialog outside the document.
                    let _ = element.show_modal();
                }
            });
        } else if element.open() {
            element.close();
        }
    });
    let on_click = move |event: web_sys::Event| {
        // The content covers the dialog: a click on the dialog itself hit its backdrop.
        let target: Option<DomNode> = event.target().map(JsCast::unchecked_into);
        if target.is_some_and(|target| node.is_same_node(Some(&target))) {
            is_open.set(false);
        }
    };
    dialog
        .on("close", move |_| is_open.set(false))
        .on("click", on_click)
        .child_with(move || is_open.get().then(&content))
}
