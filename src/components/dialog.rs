//! A window over the page.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlDialogElement, Node};

use crate::dom::{Html, el};
use crate::signal::{RwSignal, follow};

/// Shows what `content` makes while `is_open` holds. The focus stays inside, Escape and a press
/// beside it close it, and then the focus is where it was before.
pub fn dialog(label: &str, is_open: RwSignal<bool>, content: impl Fn() -> Html + 'static) -> Html {
    let dialog = el("dialog")
        .class("dialog")
        .attr("part", "dialog")
        .attr("aria-label", label);
    let node: HtmlDialogElement = dialog.element().unchecked_into();
    let shown = node.clone();
    follow(move || {
        if is_open.get() {
            let shown = shown.clone();
            // Its content has to be there to get the focus.
            request_animation_frame(move || {
                if !shown.open() {
                    // Refused only for a dialog that is not in the document any more.
                    let _ = shown.show_modal();
                }
            });
        } else if shown.open() {
            shown.close();
        }
    });
    let press = move |event: web_sys::Event| {
        // Its own content covers it: what hits itself comes from beside it.
        let target: Option<Node> = event.target().map(JsCast::unchecked_into);
        if target.is_some_and(|target| node.is_same_node(Some(&target))) {
            is_open.set(false);
        }
    };
    dialog
        .on("close", move |_| is_open.set(false))
        .on("click", press)
        .show(move || is_open.get().then(&content))
}
