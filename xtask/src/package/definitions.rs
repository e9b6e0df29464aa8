//! The element definitions in `src/page/elements.json`, and templates that are filled in with them.

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, UndefinedBehavior};
use serde_json::Value;

use crate::process::{Attempt, Outcome};

/// Lists whose entries name the elements that they apply to, in `for`.
const LISTS_OF_ELEMENTS: [&str; 6] = [
    "attributes",
    "properties",
    "methods",
    "events",
    "slots",
    "parts",
];

/// The content of the file: named lists of entries. Each element also has the lists of the entries that apply to it,
/// and each attribute has its values, if they are listed, in `accepts` and their TypeScript type in `typescript`.
pub(crate) struct Definitions(Value);

impl Definitions {
    pub(crate) fn parse(text: &str) -> Outcome<Self> {
        let mut all: Value = serde_json::from_str(text).attempt("elements.json is not JSON")?;
        for attribute in all["attributes"].as_array_mut().into_iter().flatten() {
            let values = entries(&attribute["values"]).chain(entries(&attribute["also"]));
            attribute["accepts"] = values.cloned().collect();
            attribute["typescript"] = typescript(attribute).into();
        }
        let lists = LISTS_OF_ELEMENTS.map(|list| (list, all[list].clone()));
        for element in all["elements"].as_array_mut().into_iter().flatten() {
            let name = element["name"].as_str().unwrap_or_default();
            let short = Value::from(name.trim_start_matches("booking-"));
            for (list, all) in &lists {
                let own =
                    entries(all).filter(|entry| entries(&entry["for"]).any(|to| *to == short));
                element[*list] = own.cloned().collect();
            }
        }
        Ok(Self(all))
    }

    /// Entries of a list in file order; none if the list is absent.
    pub(crate) fn list(&self, name: &str) -> impl Iterator<Item = &Value> {
        entries(&self.0[name])
    }

    /// Fills in a Jinja template. Fails if it prints or reads through a key that is absent.
    pub(crate) fn render(&self, template: &str) -> Outcome<String> {
        // A line with nothing but a tag leaves no line in the result.
        let mut syntax = SyntaxConfig::builder();
        syntax.trim_blocks(true).lstrip_blocks(true);
        let mut environment = Environment::new();
        environment.set_syntax(syntax.keep_trailing_newline(true).build()?);
        environment.set_undefined_behavior(UndefinedBehavior::SemiStrict);
        environment.add_filter("comment", comment);
        environment.add_filter("pascal_case", pascal_case);
        Ok(environment.render_str(template, Serde(numbers_as_text(self.0.clone())))?)
    }
}

/// Replaces numbers by their text: with the feature `arbitrary_precision`, which other members of the workspace
/// switch on, `serde_json` serialises a number as an object.
fn numbers_as_text(value: Value) -> Value {
    match value {
        Value::Number(number) => Value::String(number.to_string()),
        Value::Array(entries) => entries.into_iter().map(numbers_as_text).collect(),
        Value::Object(entries) => entries
            .into_iter()
            .map(|(key, value)| (key, numbers_as_text(value)))
            .collect(),
        other => other,
    }
}

/// Entries of a list; none if it is absent.
pub(crate) fn entries(list: &Value) -> impl Iterator<Item = &Value> {
    list.as_array().into_iter().flatten()
}

/// TypeScript type of the values that an attribute accepts.
fn typescript(attribute: &Value) -> String {
    // As JSON, a string has its quotes.
    let values: Vec<String> = entries(&attribute["accepts"])
        .map(Value::to_string)
        .collect();
    match attribute["type"].as_str() {
        Some("flag") => "boolean | \"\"".to_owned(),
        Some("number") => "number | string".to_owned(),
        Some("word") if !values.is_empty() => values.join(" | "),
        _ => "string".to_owned(),
    }
}

/// Documentation comment of TypeScript.
fn comment(text: &str) -> String {
    format!("/** {} */", text.replace("*/", "* /"))
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

#[cfg(test)]
mod tests {
    use super::*;

    /// Names that TypeScript, the fixed part of `index.d.ts` or a type parameter define.
    const BUILT_IN: &str = "BookingSession Date HeadersInit Prefill Promise Record T URL";

    #[test]
    fn template_with_unknown_key_returns_error() {
        let definitions = Definitions::parse(r#"{ "elements": [{ "name": "booking-list" }] }"#);
        let render = |template| definitions.as_ref().unwrap().render(template);
        let names = render("{% for element in elements %}\n{{ element.name }}\n{% endfor %}\n");
        assert_eq!(names.unwrap(), "booking-list\n");
        assert!(render("{{ elements[0].nam }}").is_err());
    }

    #[test]
    fn types_used_in_definitions_exist() {
        let text = include_str!("../../../src/page/elements.json");
        let definitions = Definitions::parse(text).unwrap();
        let aliases = definitions.list("types");
        let aliases = aliases.filter_map(|alias| alias["name"].as_str()?.split('<').next());
        let known: Vec<&str> = aliases.chain(BUILT_IN.split(' ')).collect();
        let lists = "types session prefill properties methods events".split(' ');
        for entry in lists.flat_map(|list| definitions.list(list)) {
            let nested = ["parameters", "detail"].map(|key| entries(&entry[key]));
            for part in nested.into_iter().flatten().chain([entry]) {
                for key in ["type", "is", "returns", "answer"] {
                    // Text in quotes is a literal, not a type name.
                    let code = part[key].as_str().unwrap_or_default().split('"');
                    let code: String = code.step_by(2).collect();
                    let words = code.split(|sign: char| !sign.is_alphanumeric());
                    for name in words.filter(|word| word.starts_with(char::is_uppercase)) {
                        assert!(known.contains(&name), "{entry}: there is no type {name}");
                    }
                }
            }
        }
    }
}
