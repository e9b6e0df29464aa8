//! Reads the element definitions in `src/element/elements.json`.

use serde_json::Value;

use crate::process::{Attempt, Outcome};

/// The element definitions: named lists of entries.
pub(crate) struct Definitions(Value);

/// An attribute, event, part or other definition.
#[derive(Clone, Copy)]
pub(crate) struct Entry<'a>(&'a Value);

impl Definitions {
    pub(crate) fn parse(text: &str) -> Outcome<Self> {
        let value = serde_json::from_str(text).attempt("elements.json is not JSON")?;
        Ok(Self(value))
    }

    /// Entries of a list in file order; none if the list is absent.
    pub(crate) fn list<'a>(&'a self, name: &str) -> impl Iterator<Item = Entry<'a>> + use<'a> {
        entries(&self.0[name])
    }

    /// Entries of `list` that apply to `element`.
    pub(crate) fn for_element<'a>(&'a self, list: &str, element: Entry<'_>) -> Vec<Entry<'a>> {
        let name = element.name();
        let short = name.strip_prefix("booking-").unwrap_or(name);
        let entries = self.list(list);
        entries
            .filter(|entry| entry.strings("for").any(|target| target == short))
            .collect()
    }
}

impl<'a> Entry<'a> {
    /// Value of a string key; empty if absent.
    pub(crate) fn text(self, key: &str) -> &'a str {
        self.0[key].as_str().unwrap_or_default()
    }

    pub(crate) fn name(self) -> &'a str {
        self.text("name")
    }

    pub(crate) fn description(self) -> &'a str {
        self.text("does")
    }

    /// True if the key is present and neither null, `false` nor an empty list.
    pub(crate) fn has(self, key: &str) -> bool {
        match &self.0[key] {
            Value::Null | Value::Bool(false) => false,
            Value::Array(list) => !list.is_empty(),
            _ => true,
        }
    }

    /// Name and type of a parameter or of a key of a detail, as in TypeScript.
    pub(crate) fn declaration(self) -> String {
        let optional = if self.has("optional") { "?" } else { "" };
        format!("{}{optional}: {}", self.name(), self.text("type"))
    }

    pub(crate) fn number(self, key: &str) -> Option<u64> {
        self.0[key].as_u64()
    }

    /// Values of a list of strings.
    pub(crate) fn strings(self, key: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        self.0[key]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
    }

    /// Nested entries, such as the parameters of a method or the detail of an event.
    pub(crate) fn list(self, key: &str) -> impl Iterator<Item = Entry<'a>> + use<'a> {
        entries(&self.0[key])
    }
}

fn entries<'a>(list: &'a Value) -> impl Iterator<Item = Entry<'a>> + use<'a> {
    list.as_array().into_iter().flatten().map(Entry)
}

/// Converts `booking-created` to `BookingCreated`.
pub(crate) fn pascal_case(name: &str) -> String {
    let capitalize = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    };
    name.split('-').map(capitalize).collect()
}
