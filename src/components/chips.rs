//! Chips: several short texts, each with a remove button.

use booking_ui::prelude::*;
use js_sys::{Function, Reflect};
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Event, HtmlInputElement, KeyboardEvent};

use super::field::{described, whole_field};
use super::icon::{Shape, icon};
use crate::i18n::{Key, use_texts};

/// Field that collects texts: Enter, a comma, a space, pasting a list and leaving the field turn the typed
/// text into chips, Backspace in the empty field removes the last one. The `id` must be unique within the root.
#[component]
pub fn ChipsField(
    #[prop(into)] id: String,
    #[prop(into)] label: String,
    #[prop(into)] value: Signal<Vec<String>>,
    /// Receives all items.
    #[prop(into)]
    on_change: Callback<Vec<String>>,
    /// Called when the field loses the focus.
    #[prop(optional, into)]
    on_leave: Option<Callback<()>>,
    /// Receives the announcement for screen readers.
    #[prop(into)]
    on_announce: Callback<String>,
    /// Splits typed or pasted text into items.
    parse: fn(&str) -> Vec<String>,
    /// Returns true for a valid item. Invalid ones are marked, not dropped.
    is_valid: fn(&str) -> bool,
    #[prop(optional)] is_required: bool,
    #[prop(optional)] is_read_only: bool,
    #[prop(optional, into)] hint: String,
    #[prop(optional, into)] placeholder: String,
    /// Name for the browser's autofill.
    #[prop(optional, into)]
    name: String,
    #[prop(optional, into)] error: Signal<Option<String>>,
) -> Node {
    let texts = use_texts();
    let announce = move |key: Key, item: &str| on_announce.run(texts.fill(key, &[("item", item)]));

    let input = el("input")
        .class("chips-input")
        .attr("type", "text")
        .attr("inputmode", "email")
        .attr("autocomplete", "off")
        .attr("autocapitalize", "none")
        .attr("spellcheck", "false")
        .attr("enterkeyhint", "enter")
        .attr("dir", "auto")
        .attr("part", "input")
        .attr("name", &name)
        .attr("placeholder", &placeholder)
        .attr_if("readonly", is_read_only.then_some(""));
    let control: HtmlInputElement = input.element().unchecked_into();

    // Adds the items of a text and clears the field.
    let add = {
        let control = control.clone();
        move |text: &str| {
            let mut all = value.get_untracked();
            let before = all.len();
            for item in parse(text) {
                let exists = all.iter().any(|other| other.eq_ignore_ascii_case(&item));
                if !exists {
                    all.push(item);
                }
            }
            control.set_value("");
            let added: Vec<String> = all.iter().skip(before).cloned().collect();
            if !added.is_empty() {
                on_change.run(all);
                announce(Key::ItemAdded, &added.join(texts.list_separator()));
            }
        }
    };
    let remove = {
        let control = control.clone();
        move |index: usize| {
            let mut all = value.get_untracked();
            if index < all.len() {
                let item = all.remove(index);
                on_change.run(all);
                announce(Key::ItemRemoved, &item);
                // Fails only for a removed element, which needs no focus.
                let _ = control.focus();
            }
        }
    };

    let on_input = {
        let add = add.clone();
        move |event: Event| {
            let text = value_of(&event);
            if text.contains([',', ';', ' ', '\n', '\t']) {
                add(&text);
            }
        }
    };
    let on_keydown = {
        let (add, remove, control) = (add.clone(), remove.clone(), control.clone());
        move |event: Event| {
            let key: &KeyboardEvent = event.unchecked_ref();
            let text = control.value();
            match key.key().as_str() {
                // During IME composition, Enter selects a candidate.
                "Enter" if !text.trim().is_empty() && !key.is_composing() => {
                    event.prevent_default();
                    add(&text);
                }
                "Backspace" if text.is_empty() => {
                    remove(value.with_untracked(Vec::len).wrapping_sub(1));
                }
                _ => {}
            }
        }
    };
    let on_paste = {
        let (add, control) = (add.clone(), control.clone());
        move |event: Event| {
            let Some(text) = clipboard(&event).filter(|text| parse(text).len() > 1) else {
                return;
            };
            event.prevent_default();
            let mut value = control.value();
            value.push_str(&text);
            add(&value);
        }
    };
    let on_blur = {
        let control = control.clone();
        move |_| {
            let text = control.value();
            if !text.trim().is_empty() {
                add(&text);
            }
            if let Some(on_leave) = on_leave {
                on_leave.run(());
            }
        }
    };

    let chip = move |chip: ReadSignal<(usize, String)>| {
        let item = chip.with_untracked(|(_, item)| item.clone());
        let remove = remove.clone();
        let label = texts.fill(Key::RemoveItem, &[("item", &item)]);
        let button = (!is_read_only).then(|| {
            el("button")
                .class("chip-remove")
                .attr("type", "button")
                .attr("aria-label", &label)
                .on("click", move |_| {
                    let index = chip.with_untracked(|(index, _)| *index);
                    remove(index);
                })
                .child(icon(Shape::Close))
        });
        let is_invalid = !is_valid(&item);
        let note = is_invalid.then(|| {
            el("span")
                .class("visually-hidden")
                .child(texts.get(Key::ItemOdd))
        });
        el("li")
            .class("chip")
            .attr("part", "chip")
            .attr_if("data-odd", is_invalid.then_some(""))
            .child(el("bdi").class("chip-text").child(item))
            .child(note)
            .child(button)
    };
    let items = move || value.get().into_iter().enumerate().collect();
    let is_empty = Signal::memo(move || value.with(Vec::is_empty));
    let list = fragment().child_with(move || {
        // An empty list would be announced, too.
        (!is_empty.get()).then(|| {
            el("ul")
                .class("chip-list")
                .attr("role", "list")
                .child(keyed_signal(items, |(_, item)| item.clone(), chip.clone()))
        })
    });
    let input = described(input, &id, &hint, is_required, error)
        .on("input", on_input)
        .on("keydown", on_keydown)
        .on("paste", on_paste)
        .on("blur", on_blur);
    let frame = el("div")
        .class("chips")
        .on("click", {
            move |event| {
                // A click beside the chips focuses the field.
                let is_beside = event
                    .target()
                    .zip(event.current_target())
                    .is_some_and(|(target, own)| target == own);
                if is_beside {
                    let _ = control.focus();
                }
            }
        })
        .child(list)
        .child(input);
    whole_field(&id, &label, is_required, frame, &hint, error)
}

/// Returns the pasted text.
fn clipboard(event: &Event) -> Option<String> {
    let data = Reflect::get(event, &"clipboardData".into()).ok()?;
    let get: Function = Reflect::get(&data, &"getData".into())
        .ok()?
        .dyn_into()
        .ok()?;
    get.call1(&data, &JsValue::from_str("text"))
        .ok()?
        .as_string()
}
