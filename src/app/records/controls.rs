//! Form fields, built from their descriptors.

use booking_wire::JsonMap;
use leptos::prelude::*;
use serde_json::Value;

use super::RecordsContext;
use super::input::{self, Complaints, Place, REMOVED};
use super::resources::{Field, Input};
use crate::components::field::{described, whole_field};
use crate::components::focus::focus_first_soon;
use crate::components::{ChoiceField, Choices, SelectField, SwitchField};
use crate::i18n::{Key, Translations};
use crate::ui::dom::{Node, el, fragment_of, value_of};
use crate::ui::signal::{RwSignal, Signal};

/// Prefix of the ids in forms that change existing records.
pub(super) const CHANGED: &str = "changed";

/// Form state: typed text and errors.
#[derive(Clone)]
pub(super) struct Draft {
    entries: Vec<Entry>,
    /// Errors by field name.
    complaints: RwSignal<Vec<(String, String)>>,
    /// Formats and zone when the form was opened: typed times keep their meaning until they are sent.
    place: Place,
    texts: Translations,
}

#[derive(Clone)]
struct Entry {
    field: Field,
    text: RwSignal<String>,
    /// Initial text.
    before: String,
}

impl Draft {
    /// Creates a draft of `fields` with the initial texts from `begin`.
    pub(super) fn new(
        desk: RecordsContext,
        fields: impl Iterator<Item = Field>,
        begin: impl Fn(&Field, &Place) -> String,
    ) -> Self {
        let place = Place {
            formats: desk.formats,
            zone: desk.settings.zone.get_untracked(),
        };
        let entries = fields.map(|field| {
            let before = begin(&field, &place);
            Entry {
                field,
                text: RwSignal::new(before.clone()),
                before,
            }
        });
        Self {
            entries: entries.collect(),
            complaints: RwSignal::new(Vec::new()),
            place,
            texts: desk.texts,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Sets the text of every field.
    pub(super) fn fill(&self, text: impl Fn(&Field, &Place) -> String) {
        for entry in &self.entries {
            entry.text.set(text(&entry.field, &self.place));
        }
    }

    /// Returns the values for a create request or a query; `None` if a field is invalid.
    pub(super) fn made(&self) -> Option<JsonMap> {
        let entries = self.entries.iter();
        let fields: Vec<_> = entries
            .map(|entry| (entry.field, entry.text.get_untracked()))
            .collect();
        self.checked(input::made(&fields, &self.place))
    }

    /// Returns the values for a change request; `None` if a field is invalid.
    pub(super) fn changed(&self) -> Option<JsonMap> {
        let entries = self.entries.iter();
        let fields: Vec<_> = entries
            .map(|entry| {
                (
                    entry.field,
                    entry.text.get_untracked(),
                    entry.before.clone(),
                )
            })
            .collect();
        self.checked(input::changed(&fields, &self.place))
    }

    fn checked(&self, said: Result<JsonMap, Complaints>) -> Option<JsonMap> {
        let (map, complaints) = match said {
            Ok(map) => (Some(map), Vec::new()),
            Err(complaints) => (None, complaints),
        };
        let words = |(name, key): (&str, Key)| (name.to_owned(), self.texts.get(key).to_owned());
        self.complaints
            .set(complaints.into_iter().map(words).collect());
        map
    }

    /// Shows the service's errors at their fields. Returns the errors of other properties.
    pub(super) fn complain(&self, complaints: &[(String, String)]) -> Vec<String> {
        let mut own: Vec<(String, String)> = Vec::new();
        let mut others = Vec::new();
        for (property, words) in complaints {
            let (name, _) = property.split_once('.').unwrap_or((property, ""));
            let known = own.iter_mut().find(|(known, _)| known == name);
            match self.entries.iter().any(|entry| entry.field.name == name) {
                true => match known {
                    Some((_, said)) => *said = format!("{said} {words}"),
                    None => own.push((name.to_owned(), words.clone())),
                },
                false => others.push(words.clone()),
            }
        }
        self.complaints.set(own);
        others
    }

    /// Focuses the first invalid field.
    pub(super) fn focus_first(&self, form: &Node) {
        focus_first_soon(form.element(), "[aria-invalid]");
    }

    /// Renders the fields. `prefix` keeps their ids apart from those of other forms, `is_needed` selects the
    /// required ones.
    pub(super) fn view(&self, prefix: &str, is_needed: impl Fn(&Field) -> bool) -> Node {
        let controls = self.entries.iter().map(|entry| {
            let id = format!("{prefix}-{}", entry.field.name);
            let control = self.control(entry, &id, is_needed(&entry.field));
            let may_go = entry.field.input == Input::Secret && entry.field.takes_null;
            match may_go && prefix == CHANGED {
                true => self.with_removal(entry, &id, control),
                false => control,
            }
        });
        el("div")
            .class("record-fields")
            .child(fragment_of(controls))
    }

    /// Adds a removal switch: a stored secret is not shown, so an empty field means no change.
    fn with_removal(&self, entry: &Entry, id: &str, control: Node) -> Node {
        let text = entry.text;
        let removal = view! {
            <SwitchField
                id=format!("{id}-removal")
                label=self.texts.get(Key::RemoveSecret)
                value=Signal::derive(move || text.with(|text| text == REMOVED))
                on_change=move |goes| text.set(if goes { REMOVED.to_owned() } else { String::new() })
                hint=self.texts.get(Key::SecretStays)
            />
        };
        el("div")
            .class("record-secret")
            .child(control)
            .child(removal)
    }

    fn control(&self, entry: &Entry, id: &str, is_needed: bool) -> Node {
        let Entry { field, text, .. } = entry;
        let (name, text, complaints) = (field.name, *text, self.complaints);
        let error = Signal::derive(move || {
            complaints.with(|complaints| {
                let own = complaints.iter().find(|(field, _)| field == name);
                own.map(|(_, words)| words.clone())
            })
        });
        let typed = move |words: String| {
            complaints.update(|complaints| complaints.retain(|(field, _)| field != name));
            text.set(words);
        };
        let one_of = |values: Vec<&str>| {
            let none = [""]
                .into_iter()
                .filter(|_| !is_needed || field.begins.is_empty());
            let options = none.chain(values);
            options
                .map(|value| (value.to_owned(), value.to_owned()))
                .collect::<Vec<_>>()
        };
        let select = |options: Vec<(String, String)>| {
            let options = Signal::derive(move || options.clone());
            let shown = view! {
                <SelectField id label=name options value=text on_pick=typed is_required=is_needed error />
            };
            shown.into_inner()
        };
        match field.input {
            Input::Flag => select(one_of(vec!["true", "false"])),
            Input::One(values) => select(one_of(values.to_vec())),
            Input::Many(values) => {
                let options = one_of(values.to_vec()).into_iter();
                let options = options.filter(|(value, _)| !value.is_empty()).collect();
                let value = Signal::derive(move || input::chosen(&text.get()));
                let pick = move |values: Vec<String>| typed(input::together(&values));
                let shown = view! {
                    <ChoiceField id label=name choices=Choices::Many options value on_pick=pick
                        is_required=is_needed error />
                };
                shown.into_inner()
            }
            input => {
                let hint = match input {
                    Input::Wholes => self.texts.get(Key::WholesHint).to_owned(),
                    Input::Moment => self.texts.fill(
                        Key::MomentHint,
                        &[("zone", &self.place.zone.display_name())],
                    ),
                    Input::Json => "JSON".to_owned(),
                    _ => String::new(),
                };
                let control = described(bare(input), id, &hint, is_needed, error)
                    .attr("dir", direction(input))
                    .attr("autocomplete", "off")
                    .value_with(move || text.get().replace(REMOVED, ""))
                    .on("input", move |event| typed(value_of(&event)));
                whole_field(id, name, is_needed, control, &hint, error)
            }
        }
    }
}

/// Returns the text direction: left to right for machine-readable values.
fn direction(input: Input) -> &'static str {
    match input {
        Input::Json | Input::Wholes | Input::Whole | Input::Zone => "ltr",
        _ => "auto",
    }
}

fn bare(input: Input) -> Node {
    let line = |kind: &str| el("input").attr("type", kind);
    match input {
        Input::Lines => el("textarea").attr("rows", "2"),
        Input::Json => el("textarea")
            .class("record-json")
            .attr("rows", "2")
            .attr("spellcheck", "false"),
        Input::Whole => line("text").attr("inputmode", "numeric"),
        // Edited with the date field's own keys.
        Input::Moment => line("datetime-local"),
        Input::Day => line("date"),
        Input::Time => line("time").attr("step", "1"),
        Input::Secret => line("password"),
        Input::Zone | Input::Text => line("text")
            .attr("autocapitalize", "none")
            .attr("spellcheck", "false"),
        _ => line("text"),
    }
}

/// Converts values to query parameters.
pub(super) fn query(fields: &[Field], given: &JsonMap) -> Vec<(&'static str, String)> {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => {
            let texts: Vec<String> = values.iter().map(Value::to_string).collect();
            texts.join(",")
        }
        value => value.to_string(),
    };
    let named = fields.iter().filter_map(|field| {
        let value = given.get(field.name)?;
        Some((field.name, text(value)))
    });
    named.collect()
}
