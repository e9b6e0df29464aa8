//! What the elements are, as `src/embed/elements.json` says it.

use serde_json::Value;

use crate::step::{Attempt, Outcome};

/// The description: lists of things, each with a name and what it does.
pub(crate) struct Described(Value);

/// One thing: an attribute, an event, a part.
#[derive(Clone, Copy)]
pub(crate) struct Entry<'a>(&'a Value);

impl Described {
    pub(crate) fn read(text: &str) -> Outcome<Self> {
        let value = serde_json::from_str(text).attempt("the elements are not described in JSON")?;
        Ok(Self(value))
    }

    /// The things of a list, in its order. A list that is not there has none.
    pub(crate) fn list<'a>(&'a self, name: &str) -> impl Iterator<Item = Entry<'a>> + use<'a> {
        entries(&self.0[name])
    }
}

impl<'a> Entry<'a> {
    /// A text of this thing; empty if it has none of this name.
    pub(crate) fn text(self, key: &str) -> &'a str {
        self.0[key].as_str().unwrap_or_default()
    }

    pub(crate) fn name(self) -> &'a str {
        self.text("name")
    }

    /// What it does, in a sentence.
    pub(crate) fn does(self) -> &'a str {
        self.text("does")
    }

    pub(crate) fn has(self, key: &str) -> bool {
        match &self.0[key] {
            Value::Null | Value::Bool(false) => false,
            Value::Array(list) => !list.is_empty(),
            _ => true,
        }
    }

    pub(crate) fn number(self, key: &str) -> Option<u64> {
        self.0[key].as_u64()
    }

    /// A list of words.
    pub(crate) fn words(self, key: &str) -> impl Iterator<Item = &'a str> + use<'a> {
        self.0[key]
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_str)
    }

    /// A list of things within this one: the parameters of a method, the detail of an event.
    pub(crate) fn list(self, key: &str) -> impl Iterator<Item = Entry<'a>> + use<'a> {
        entries(&self.0[key])
    }
}

fn entries<'a>(list: &'a Value) -> impl Iterator<Item = Entry<'a>> + use<'a> {
    list.as_array().into_iter().flatten().map(Entry)
}

impl Described {
    /// Those of a list that `element` has.
    pub(crate) fn of<'a>(&'a self, list: &str, element: Entry<'_>) -> Vec<Entry<'a>> {
        let name = element.name();
        let short = name.strip_prefix("booking-").unwrap_or(name);
        let entries = self.list(list);
        entries
            .filter(|entry| entry.words("for").any(|word| word == short))
            .collect()
    }
}

/// `booking-created` as `BookingCreated`.
pub(crate) fn pascal(name: &str) -> String {
    let capital = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    };
    name.split('-').map(capital).collect()
}
