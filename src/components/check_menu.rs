//! Multiple choice in a menu that opens below its button.

use booking_ui::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlElement, KeyboardEvent};

use super::field::{Choices, choice_inputs, choice_row, error_message, group};
use super::icon::{Shape, icon};
use crate::i18n::{Key, use_texts};

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
) -> Node {
    let texts = use_texts();
    let is_open = RwSignal::new(false);

    let inputs = choice_inputs(&id, Choices::Many, &options, value, on_pick, error);
    let controls: Vec<HtmlElement> = inputs.iter().map(Node::element).collect();
    let names = options.clone();
    let selected = move || {
        let values = value.get();
        let selected: Vec<Node> = names
            .iter()
            .filter(|(option, _)| values.contains(option))
            .map(|(_, name)| {
                let name = el("bdi").class("chip-text").child(name.as_str());
                // The space separates the words for screen readers.
                let chip = el("span").class("chip").child(name);
                fragment().child(chip).child(text(" "))
            })
            .collect();
        if selected.is_empty() {
            el("span")
                .class("menu-empty")
                .child(texts.get(Key::PleaseChoose))
        } else {
            fragment_of(selected)
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
        .child(
            el("span")
                .class("chip-list")
                .attr("id", &value_id)
                .child_with(selected),
        )
        .child(icon(Shape::Expand));
    let toggle = button.element();

    let on_keydown = move |event: Event| {
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
                let _ = toggle.focus();
                return;
            }
            ("ArrowDown", None) => 0,
            ("ArrowDown", Some(at)) => (at + 1).min(last),
            ("ArrowUp", Some(0)) => {
                event.prevent_default();
                let _ = toggle.focus();
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
    let rows = inputs
        .into_iter()
        .zip(options)
        .map(|(input, (_, text))| choice_row(input, el("span").child(text)));
    let list = el("div")
        .class("menu")
        .attr("id", &list_id)
        .attr_with("hidden", move || (!is_open.get()).then(String::new))
        .child(fragment_of(rows));
    group(&id, &label, is_required, &hint, error)
        .on("keydown", on_keydown)
        .child(button)
        .child(list)
        .child(error_message(&id, error))
}
