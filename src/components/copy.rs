//! Texts with a copy button.

use std::time::Duration;

use booking_ui::prelude::*;
use js_sys::{Function, Promise, Reflect};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

use super::button::button;
use super::live_region::use_status_line;
use crate::i18n::{Key, use_texts};

/// Display time of the result.
const RESULT_DURATION: Duration = Duration::from_secs(6);

/// Result of a click.
#[derive(Clone, Copy, PartialEq)]
enum CopyState {
    Idle,
    Copied,
    /// The browser refused; the text is selected instead.
    Selected,
}

/// Returns `content` with a button that copies `value`; `name` is their label.
pub fn with_copy_button(content: Node, value: &str, name: &str) -> Node {
    let texts = use_texts();
    let line = use_status_line();
    let state = RwSignal::new(CopyState::Idle);
    let content = el("span").class("copy-text").child(content);
    let element = content.element();
    let value = value.to_owned();
    let press = move || {
        let (element, written) = (element.clone(), write(&value));
        spawn_local(async move {
            let is_copied = match written {
                Some(written) => JsFuture::from(written).await.is_ok(),
                None => false,
            };
            let (next_state, key) = if is_copied {
                (CopyState::Copied, Key::Copied)
            } else {
                select(&element);
                (CopyState::Selected, Key::CopyByHand)
            };
            state.set(next_state);
            line.set_text(texts.get(key).to_owned());
            set_timeout(move || state.set(CopyState::Idle), RESULT_DURATION);
        });
    };
    let label = texts.fill(Key::CopyWhat, &[("what", name)]);
    let button = button("copy-button", press)
        // A visible result is announced as it is shown.
        .attr_with("aria-label", move || {
            (state.get() == CopyState::Idle).then(|| label.clone())
        })
        .attr("part", "copy")
        .text_with(move || {
            let key = match state.get() {
                CopyState::Idle => Key::Copy,
                CopyState::Copied => Key::Copied,
                CopyState::Selected => Key::CopyByHand,
            };
            texts.get(key).to_owned()
        });
    el("span")
        .class("copy-line")
        .child(content)
        .child(text(" "))
        .child(button)
}

/// Writes `value` to the clipboard, if possible. Called directly in the click, which permits it.
fn write(value: &str) -> Option<Promise> {
    let navigator = window().navigator();
    let clipboard = Reflect::get(&navigator, &"clipboard".into()).ok()?;
    let write: Function = Reflect::get(&clipboard, &"writeText".into())
        .ok()?
        .dyn_into()
        .ok()?;
    let written = write.call1(&clipboard, &JsValue::from_str(value)).ok()?;
    written.dyn_into().ok()
}

/// Selects the text, to be copied by hand.
fn select(element: &web_sys::HtmlElement) {
    let call = |object: &JsValue, name: &str, argument: &JsValue| {
        let function: Function = Reflect::get(object, &name.into()).ok()?.dyn_into().ok()?;
        function.call1(object, argument).ok()
    };
    let window: &JsValue = &window();
    let selection = call(window, "getSelection", &JsValue::UNDEFINED);
    if let Some(selection) = selection {
        // Without this API the text can still be selected by hand.
        call(&selection, "selectAllChildren", element);
    }
}
