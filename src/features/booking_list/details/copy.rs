//! Texts with a copy button.

use std::time::Duration;

use js_sys::{Function, Promise, Reflect};
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use crate::components::{button, use_status_line};
use crate::i18n::{Key, use_texts};
use crate::ui::dom::{Node, el, text};
use crate::ui::signal::RwSignal;

/// Display time of the result.
const TOLD_FOR: Duration = Duration::from_secs(6);

/// Result of a click.
#[derive(Clone, Copy, PartialEq)]
enum State {
    Rest,
    Copied,
    /// The browser refused; the text is selected instead.
    Selected,
}

/// Returns `shown` with a button that copies `words`; `name` is their label.
pub(super) fn copied(shown: Node, words: &str, name: &str) -> Node {
    let texts = use_texts();
    let line = use_status_line();
    let state = RwSignal::new(State::Rest);
    let shown = el("span").class("copy-text").child(shown);
    let node = shown.element();
    let words = words.to_owned();
    let press = move || {
        let (node, writing) = (node.clone(), write(&words));
        spawn_local(async move {
            let is_written = match writing {
                Some(writing) => JsFuture::from(writing).await.is_ok(),
                None => false,
            };
            let (next, key) = if is_written {
                (State::Copied, Key::Copied)
            } else {
                select(&node);
                (State::Selected, Key::CopyByHand)
            };
            state.set(next);
            line.set_text(texts.get(key).to_owned());
            set_timeout(move || state.set(State::Rest), TOLD_FOR);
        });
    };
    let label = texts.fill(Key::CopyWhat, &[("what", name)]);
    let button = button("copy-button", press)
        // A visible result is announced as it is shown.
        .attr_with("aria-label", move || {
            (state.get() == State::Rest).then(|| label.clone())
        })
        .attr("part", "copy")
        .text_with(move || {
            let key = match state.get() {
                State::Rest => Key::Copy,
                State::Copied => Key::Copied,
                State::Selected => Key::CopyByHand,
            };
            texts.get(key).to_owned()
        });
    el("span")
        .class("copy-line")
        .child(shown)
        .child(text(" "))
        .child(button)
}

/// Writes `words` to the clipboard, if possible. Called directly in the click, which permits it.
fn write(words: &str) -> Option<Promise> {
    let navigator = window().navigator();
    let clipboard = Reflect::get(&navigator, &"clipboard".into()).ok()?;
    let write: Function = Reflect::get(&clipboard, &"writeText".into())
        .ok()?
        .dyn_into()
        .ok()?;
    let writing = write.call1(&clipboard, &JsValue::from_str(words)).ok()?;
    writing.dyn_into().ok()
}

/// Selects the text, to be copied by hand.
fn select(node: &web_sys::HtmlElement) {
    let call = |object: &JsValue, name: &str, argument: &JsValue| {
        let function: Function = Reflect::get(object, &name.into()).ok()?.dyn_into().ok()?;
        function.call1(object, argument).ok()
    };
    let window: &JsValue = &window();
    let selection = call(window, "getSelection", &JsValue::UNDEFINED);
    if let Some(selection) = selection {
        // Without this API the text can still be selected by hand.
        call(&selection, "selectAllChildren", node);
    }
}
