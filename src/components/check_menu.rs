//! Multiple choice in a menu that opens below its button.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlElement, KeyboardEvent};

use super::field::{Choices, choice_boxes, choice_row, complaint, group};
use super::{Shape, icon};
use crate::dom::{Html, el, nothing, row, text};
use crate::i18n::{Key, use_texts};
use crate::signal::{Callback, RwSignal, Signal};

/// Button that shows the selected options and opens a menu of checkboxes. Arrow keys move between the
/// checkboxes, Escape returns to the button. The menu stays open until it is closed: otherwise controls below
/// it would move during a click.
#[component]
pub fn CheckMenu(
    #[prop(into)] id: String,
    #[prop(into)] label: String,
    /// Values with their labels.
    options: Vec<(String, String)>,
    #[prop(into)] value: Signal<Vec<String>>,
    #[prop(into)] on_pick: Callback<Vec<String>>,
    is_required: bool,
    is_read_only: bool,
    #[prop(into)] hint: String,
    error: Signal<Option<String>>,
) -> Html {
    let texts = use_texts();
    let is_open = RwSignal::new(false);

    let boxes = choice_boxes(&id, Choices::Many, &options, value, on_pick, error);
    let controls: Vec<HtmlElement> = boxes.iter().map(Html::element).collect();
    let names = options.clone();
    let chosen = move || {
        let values = value.get();
        let chosen: Vec<Html> = names
            .iter()
            .filter(|(option, _)| values.contains(option))
            .map(|(_, name)| {
                let name = el("bdi").class("chip-text").add(name.as_str());
                // The space separates the words for screen readers.
                let chip = el("span").class("chip").add(name);
                nothing().add(chip).add(text(" "))
            })
            .collect();
        if chosen.is_empty() {
            el("span")
                .class("menu-empty")
                .add(texts.get(Key::PleaseChoose))
        } else {
            row(chosen)
        }
    };
    let value_id = format!("{id}-value");
    let label_id = format!("{id}-label");
    let list_id = format!("{id}-list");
    let button = el("button")
        .class("menu-button")
        .attr("type", "button")
        .attr("part", "select")
        .attr("id", &id)
        .attr("aria-labelledby", &format!("{label_id} {value_id}"))
        .attr("aria-controls", &list_id)
        .attr_with("aria-expanded", move || Some(is_open.get().to_string()))
        .flag_with("aria-invalid", move || error.with(Option::is_some))
        .attr_if("disabled", is_read_only.then_some(""))
        .on("click", move |_| {
            is_open.update(|is_open| *is_open = !*is_open)
        })
        .add(
            el("span")
                .class("chip-list")
                .attr("id", &value_id)
                .show(chosen),
        )
        .add(icon(Shape::Expand));
    let opener = button.element();

    let pressed = move |event: Event| {
        let key: &KeyboardEvent = event.unchecked_ref();
        let at = event.target().and_then(|target| {
            controls
                .iter()
                .position(|control| control.is_same_node(target.dyn_ref()))
        });
        let last = controls.len().saturating_sub(1);
        let next = match (key.key().as_str(), at) {
            ("Escape", _) if is_open.get_untracked() => {
                event.stop_propagation();
                // Keeps a surrounding dialog open.
                event.prevent_default();
                is_open.set(false);
                let _ = opener.focus();
                return;
            }
            ("ArrowDown", None) => 0,
            ("ArrowDown", Some(at)) => (at + 1).min(last),
            ("ArrowUp", Some(0)) => {
                event.prevent_default();
                let _ = opener.focus();
                return;
            }
            ("ArrowUp", Some(at)) => at.saturating_sub(1),
            ("Home", Some(_)) => 0,
            ("End", Some(_)) => last,
            _ => return,
        };
        event.prevent_default();
        is_open.set(true);
        if let Some(control) = controls.get(next).cloned() {
            // A menu that is just opening cannot take the focus before the next frame.
            request_animation_frame(move || {
                let _ = control.focus();
            });
        }
    };
    let rows = boxes
        .into_iter()
        .zip(options)
        .map(|(input, (_, text))| choice_row(input, el("span").add(text)));
    let list = el("div")
        .class("menu")
        .attr("id", &list_id)
        .attr_with("hidden", move || (!is_open.get()).then(String::new))
        .add(row(rows));
    group(&id, &label, is_required, &hint, error)
        .on("keydown", pressed)
        .add(button)
        .add(list)
        .add(complaint(&id, error))
}
