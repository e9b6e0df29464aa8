//! Form fields, built from their descriptors.

use booking_ui::prelude::*;
use booking_wire::JsonMap;
use serde_json::Value;

use super::context::RecordsContext;
use super::input::{self, FieldErrors, REMOVE_SECRET, ZonedFormats};
use super::resources::{Field, Input};
use crate::components::field::{described, whole_field};
use crate::components::focus::focus_first_soon;
use crate::components::{ChoiceField, Choices, SelectField, SwitchField};
use crate::i18n::{Key, Translations};

/// Prefix of the ids in forms that change existing records.
pub(super) const CHANGED: &str = "changed";

/// Form values as text, with errors.
#[derive(Clone)]
pub(super) struct Draft {
    entries: Vec<Entry>,
    /// Errors by field name.
    errors: RwSignal<Vec<(String, String)>>,
    /// Formats and zone when the form was opened: typed times keep their meaning until they are sent.
    formats: ZonedFormats,
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
    /// Creates a draft of `fields` with the initial texts from `initial_text`.
    pub(super) fn new(
        context: RecordsContext,
        fields: impl Iterator<Item = Field>,
        initial_text: impl Fn(&Field, &ZonedFormats) -> String,
    ) -> Self {
        let formats = ZonedFormats {
            formats: context.formats,
            zone: context.settings.zone.get_untracked(),
        };
        let entries = fields.map(|field| {
            let before = initial_text(&field, &formats);
            Entry {
                field,
                text: RwSignal::new(before.clone()),
                before,
            }
        });
        Self {
            entries: entries.collect(),
            errors: RwSignal::new(Vec::new()),
            formats,
            texts: context.texts,
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Sets the text of every field.
    pub(super) fn fill(&self, text: impl Fn(&Field, &ZonedFormats) -> String) {
        for entry in &self.entries {
            entry.text.set(text(&entry.field, &self.formats));
        }
    }

    /// Returns the values for a create request or a query; `None` if a field is invalid.
    pub(super) fn create_values(&self) -> Option<JsonMap> {
        let entries = self.entries.iter();
        let fields: Vec<_> = entries
            .map(|entry| (entry.field, entry.text.get_untracked()))
            .collect();
        self.show_result(input::create_values(&fields, &self.formats))
    }

    /// Returns the values for a change request; `None` if a field is invalid.
    pub(super) fn changed_values(&self) -> Option<JsonMap> {
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
        self.show_result(input::changed_values(&fields, &self.formats))
    }

    /// Shows the errors and returns the values.
    fn show_result(&self, result: Result<JsonMap, FieldErrors>) -> Option<JsonMap> {
        let (map, errors) = match result {
            Ok(map) => (Some(map), Vec::new()),
            Err(errors) => (None, errors),
        };
        let message = |(name, key): (&str, Key)| (name.to_owned(), self.texts.get(key).to_owned());
        self.errors.set(errors.into_iter().map(message).collect());
        map
    }

    /// Shows the service's errors at their fields. Returns the errors of other properties.
    pub(super) fn show_errors(&self, errors: &[(String, String)]) -> Vec<String> {
        let mut own: Vec<(String, String)> = Vec::new();
        let mut others = Vec::new();
        for (property, message) in errors {
            let (name, _) = property.split_once('.').unwrap_or((property, ""));
            let known = own.iter_mut().find(|(known, _)| known == name);
            match self.entries.iter().any(|entry| entry.field.name == name) {
                true => match known {
                    Some((_, text)) => *text = format!("{text} {message}"),
                    None => own.push((name.to_owned(), message.clone())),
                },
                false => others.push(message.clone()),
            }
        }
        self.errors.set(own);
        others
    }

    /// Focuses the first invalid field.
    pub(super) fn focus_first_error(&self, form: &Node) {
        focus_first_soon(form.element(), "[aria-invalid]");
    }

    /// Renders the fields. `prefix` keeps their ids apart from those of other forms, `is_required` selects the
    /// required ones.
    pub(super) fn view(&self, prefix: &str, is_required: impl Fn(&Field) -> bool) -> Node {
        let controls = self.entries.iter().map(|entry| {
            let id = format!("{prefix}-{}", entry.field.name);
            let control = self.control(entry, &id, is_required(&entry.field));
            let is_removable = entry.field.input == Input::Secret && entry.field.is_nullable;
            match is_removable && prefix == CHANGED {
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
                value=Signal::derive(move || text.with(|text| text == REMOVE_SECRET))
                on_change=move |is_removed| text.set(if is_removed { REMOVE_SECRET.to_owned() } else { String::new() })
                hint=self.texts.get(Key::SecretStays)
            />
        };
        el("div")
            .class("record-secret")
            .child(control)
            .child(removal)
    }

    fn control(&self, entry: &Entry, id: &str, is_required: bool) -> Node {
        let Entry { field, text, .. } = entry;
        let (name, text, errors) = (field.name, *text, self.errors);
        let error = Signal::derive(move || {
            errors.with(|errors| {
                let own = errors.iter().find(|(field, _)| field == name);
                own.map(|(_, message)| message.clone())
            })
        });
        let set = move |new_text: String| {
            errors.update(|errors| errors.retain(|(field, _)| field != name));
            text.set(new_text);
        };
        let options_of = |values: Vec<&str>| {
            let none = [""]
                .into_iter()
                .filter(|_| !is_required || field.initial.is_empty());
            let options = none.chain(values);
            options
                .map(|value| (value.to_owned(), value.to_owned()))
                .collect::<Vec<_>>()
        };
        let select = |options: Vec<(String, String)>| {
            let options = Signal::derive(move || options.clone());
            let field = view! {
                <SelectField id label=name options value=text on_pick=set is_required=is_required error />
            };
            field.into_inner()
        };
        match field.input {
            Input::Boolean => select(options_of(vec!["true", "false"])),
            Input::Choice(values) => select(options_of(values.to_vec())),
            Input::MultiChoice(values) => {
                let options = options_of(values.to_vec()).into_iter();
                let options = options.filter(|(value, _)| !value.is_empty()).collect();
                let value = Signal::derive(move || input::split_choices(&text.get()));
                let pick = move |values: Vec<String>| set(input::join_choices(&values));
                let field = view! {
                    <ChoiceField id label=name choices=Choices::Many options value on_pick=pick
                        is_required=is_required error />
                };
                field.into_inner()
            }
            input => {
                let hint = match input {
                    Input::Integers => self.texts.get(Key::WholesHint).to_owned(),
                    Input::Instant => self.texts.fill(
                        Key::MomentHint,
                        &[("zone", &self.formats.zone.display_name())],
                    ),
                    Input::Json => "JSON".to_owned(),
                    _ => String::new(),
                };
                let control = described(input_element(input), id, &hint, is_required, error)
                    .attr("dir", direction(input))
                    .attr("autocomplete", "off")
                    .value_with(move || text.get().replace(REMOVE_SECRET, ""))
                    .on("input", move |event| set(value_of(&event)));
                whole_field(id, name, is_required, control, &hint, error)
            }
        }
    }
}

/// Returns the text direction: left to right for machine-readable values.
fn direction(input: Input) -> &'static str {
    match input {
        Input::Json | Input::Integers | Input::Integer | Input::Zone => "ltr",
        _ => "auto",
    }
}

fn input_element(input: Input) -> Node {
    let input_of = |kind: &str| el("input").attr("type", kind);
    match input {
        Input::Multiline => el("textarea").attr("rows", "2"),
        Input::Json => el("textarea")
            .class("record-json")
            .attr("rows", "2")
            .attr("spellcheck", "false"),
        Input::Integer => input_of("text").attr("inputmode", "numeric"),
        // Edited with the date field's own keys.
        Input::Instant => input_of("datetime-local"),
        Input::Date => input_of("date"),
        Input::Time => input_of("time").attr("step", "1"),
        Input::Secret => input_of("password"),
        Input::Zone | Input::Text => input_of("text")
            .attr("autocapitalize", "none")
            .attr("spellcheck", "false"),
        _ => input_of("text"),
    }
}

/// Converts values to query parameters.
pub(super) fn query_params(fields: &[Field], values: &JsonMap) -> Vec<(&'static str, String)> {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => {
            let texts: Vec<String> = values.iter().map(Value::to_string).collect();
            texts.join(",")
        }
        value => value.to_string(),
    };
    let params = fields.iter().filter_map(|field| {
        let value = values.get(field.name)?;
        Some((field.name, text(value)))
    });
    params.collect()
}
