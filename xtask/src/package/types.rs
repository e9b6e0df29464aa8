//! TypeScript declarations of the package: the elements, and their tags for JSX, Vue and Svelte.

use std::fmt::Write;

use super::described::{Definitions, Entry, pascal_case};

/// Appends a formatted line to a string.
macro_rules! line {
    ($text:expr, $($format:tt)*) => {{
        // Writing to a string cannot fail.
        let _ = writeln!($text, $($format)*);
    }};
}

/// `index.d.ts`: types of the elements.
pub(crate) fn index(definitions: &Definitions) -> String {
    let mut text = from_template(include_str!("index.d.ts"), definitions);
    let mut fill = |place: &str, content: &str| {
        text = text.replacen(&format!("{{{place}}}\n"), content, 1);
    };
    let mut aliases = String::new();
    for alias in definitions.list("types") {
        write_doc(&mut aliases, "", alias);
        line!(
            aliases,
            "export type {} = {};",
            alias.name(),
            alias.text("is")
        );
    }
    fill("types", &aliases);
    for (list, colon) in [("session", "?: "), ("prefill", "?: "), ("signature", ": ")] {
        let mut fields = String::new();
        for key in definitions.list(list) {
            let kind = match (list, key.name()) {
                ("prefill", "answers") => "Record<string, Prefilled<unknown>>".to_owned(),
                ("prefill", _) => format!("Prefilled<{}>", key.text("type")),
                _ => key.text("type").to_owned(),
            };
            write_field(&mut fields, key, key.name(), colon, &kind);
        }
        fill(list, &fields);
    }
    let (mut events, mut elements) = (String::new(), String::new());
    for event in definitions.list("events") {
        write_event(&mut events, event);
    }
    fill("events", &events);
    for element in definitions.list("elements") {
        write_element(&mut elements, definitions, element);
    }
    fill("elements", &elements);
    text
}

/// Names and classes of the elements.
fn tags<'a>(definitions: &'a Definitions) -> impl Iterator<Item = (&'a str, &'a str)> + use<'a> {
    let elements = definitions.list("elements");
    elements.map(|element| (element.name(), element.text("class")))
}

/// Fills in a template: a line with a `{tag}` is repeated for each element, one with an `{event}` for each event.
pub(crate) fn from_template(template: &str, definitions: &Definitions) -> String {
    let kinds = ["Attributes", "Element", "Properties", "EventMap"];
    let imports =
        tags(definitions).flat_map(|(_, class)| kinds.map(|kind| format!("{class}{kind}")));
    let imports = Vec::from_iter(imports).join(", ");
    let mut text = String::new();
    for line in template.lines() {
        if line.contains("{tag}") {
            for (tag, class) in tags(definitions) {
                line!(
                    text,
                    "{}",
                    line.replace("{tag}", tag).replace("{class}", class)
                );
            }
        } else if line.contains("{event}") {
            for name in definitions.list("events").map(Entry::name) {
                let class = pascal_case(name);
                line!(
                    text,
                    "{}",
                    line.replace("{event}", name)
                        .replace("{eventClass}", &class)
                );
            }
        } else {
            line!(text, "{}", line.replace("{imports}", &imports));
        }
    }
    text
}

/// `react.d.ts`: React components.
pub(crate) fn react(definitions: &Definitions) -> String {
    let mut text = from_template(include_str!("react.d.ts"), definitions);
    for element in definitions.list("elements") {
        let class = element.text("class");
        text.push('\n');
        line!(
            text,
            "export interface {class}Props extends {class}Properties {{"
        );
        for event in definitions.for_element("events", element) {
            let (name, pascal) = (event.name(), pascal_case(event.name()));
            line!(
                text,
                "  on{pascal}?: (event: {class}EventMap[\"{name}\"]) => void;"
            );
        }
        text.push_str("}\n\n");
        write_doc(&mut text, "", element);
        line!(
            text,
            "export const {class}: ForwardRefExoticComponent<Props<{class}Props, {class}Element>>;"
        );
    }
    text
}

fn write_event(text: &mut String, event: Entry<'_>) {
    let name = pascal_case(event.name());
    text.push('\n');
    write_doc(text, "", event);
    let base = if event.has("unsigned") {
        ""
    } else {
        " extends Signature"
    };
    line!(text, "export interface {name}Detail{base} {{");
    for key in event.list("detail") {
        if key.has("does") {
            write_doc(text, "  ", key);
        }
        line!(text, "  {};", key.declaration());
    }
    text.push_str("}\n");
    let answer = match event.text("answer") {
        "" => "boolean | void",
        answer => answer,
    };
    if event.has("respondWith") {
        line!(
            text,
            "export interface {name}Event extends CustomEvent<{name}Detail> {{\n  \
             /** Nothing goes on before the answer is there. */\n  \
             respondWith(answer: {answer} | Promise<{answer}>): void;\n}}"
        );
    } else {
        line!(text, "export type {name}Event = CustomEvent<{name}Detail>;");
    }
}

/// Returns the entry with a name.
fn named<'a>(entries: &[Entry<'a>], name: &str) -> Option<Entry<'a>> {
    entries.iter().find(|entry| entry.name() == name).copied()
}

fn write_element(text: &mut String, definitions: &Definitions, element: Entry<'_>) {
    let (tag, class) = (element.name(), element.text("class"));
    let attributes = definitions.for_element("attributes", element);
    let properties = definitions.for_element("properties", element);

    line!(
        text,
        "\n/** The events of `<{tag}>`. */\nexport interface {class}EventMap {{"
    );
    for event in definitions.for_element("events", element) {
        let (name, pascal) = (event.name(), pascal_case(event.name()));
        line!(text, "  \"{name}\": {pascal}Event;");
    }

    line!(
        text,
        "}}\n\n/** What `<{tag}>` takes, by the names of its properties. */"
    );
    line!(text, "export interface {class}Properties {{");
    for &attribute in &attributes {
        let name = match attribute.text("property") {
            "" => attribute.name(),
            property => property,
        };
        if named(&properties, name).is_none() {
            let kind = attribute_type(attribute) + " | null";
            write_field(text, attribute, name, "?: ", &kind);
        }
    }
    for &property in &properties {
        // Some properties also accept the values of the attribute with the same name.
        let attribute = named(&attributes, property.name());
        let attribute = attribute.map(|attribute| attribute_type(attribute) + " | ");
        let kind = attribute.unwrap_or_default() + property.text("type");
        write_field(text, property, property.name(), "?: ", &kind);
    }

    line!(text, "}}\n\n/** What `<{tag}>` takes in its tag. */");
    line!(text, "export interface {class}Attributes {{");
    for &attribute in &attributes {
        let (name, kind) = (format!("{:?}", attribute.name()), attribute_type(attribute));
        write_field(text, attribute, &name, "?: ", &(kind + " | null"));
    }
    for &property in &properties {
        if named(&attributes, property.name()).is_none() {
            write_field(
                text,
                property,
                property.name(),
                "?: ",
                property.text("type"),
            );
        }
    }

    text.push_str("}\n\n");
    write_doc(text, "", element);
    line!(
        text,
        "export interface {class}Element extends HTMLElement {{"
    );
    for &attribute in attributes
        .iter()
        .filter(|attribute| attribute.has("property"))
    {
        let name = attribute.text("property");
        match attribute.text("type") {
            "flag" => write_field(text, attribute, name, ": ", "boolean"),
            "number" => {
                write_doc(text, "  ", attribute);
                line!(text, "  get {name}(): string | null;");
                line!(text, "  set {name}(value: string | number | null);");
            }
            _ => {
                let kind = attribute_type(attribute) + " | null";
                write_field(text, attribute, name, ": ", &kind);
            }
        }
    }
    for property in properties {
        write_field(text, property, property.name(), ": ", property.text("type"));
    }
    let methods = definitions.for_element("methods", element);
    for &method in &methods {
        write_doc(text, "  ", method);
        line!(text, "  {};", method_signature(method));
    }
    for (verb, options) in [
        ("add", "AddEventListenerOptions"),
        ("remove", "EventListenerOptions"),
    ] {
        line!(
            text,
            "  {verb}EventListener<Name extends keyof {class}EventMap>(type: Name, \
             listener: (this: {class}Element, event: {class}EventMap[Name]) => void, \
             options?: boolean | {options}): void;\n  \
             {verb}EventListener(type: string, listener: EventListenerOrEventListenerObject, \
             options?: boolean | {options}): void;"
        );
    }
    line!(
        text,
        "}}\n\n/** What `customElements.get(\"{tag}\")` gives. */\n\
         export interface {class}Constructor {{\n  \
         new (): {class}Element;\n  \
         readonly version: string;"
    );
    for method in methods.into_iter().filter(|method| method.has("static")) {
        line!(text, "  {};", method_signature(method));
    }
    text.push_str("}\n");
}

fn method_signature(method: Entry<'_>) -> String {
    let parameters = Vec::from_iter(method.list("parameters").map(Entry::declaration)).join(", ");
    format!(
        "{}({parameters}): {}",
        method.name(),
        method.text("returns")
    )
}

/// TypeScript type of the values that an attribute accepts.
pub(crate) fn attribute_type(attribute: Entry<'_>) -> String {
    let values = ["values", "also"]
        .into_iter()
        .flat_map(|key| attribute.strings(key));
    let values: Vec<String> = values.map(|value| format!("{value:?}")).collect();
    match attribute.text("type") {
        "flag" => "boolean | \"\"".to_owned(),
        "number" => "number | string".to_owned(),
        "word" if !values.is_empty() => values.join(" | "),
        _ => "string".to_owned(),
    }
}

/// Writes a property with its description. `colon` is `?: ` for an optional one.
fn write_field(text: &mut String, entry: Entry<'_>, name: &str, colon: &str, kind: &str) {
    write_doc(text, "  ", entry);
    line!(text, "  {name}{colon}{kind};");
}

fn write_doc(text: &mut String, indent: &str, entry: Entry<'_>) {
    let description = entry.description().replace("*/", "* /");
    line!(text, "{indent}/** {description} */");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names that TypeScript, the fixed part of `index.d.ts` or a type parameter define.
    const BUILT_IN: &str = "BookingSession Date HeadersInit Prefill Promise Record T URL";

    #[test]
    fn types_used_in_definitions_exist() {
        let definitions =
            Definitions::parse(include_str!("../../../src/element/elements.json")).unwrap();
        let defined: Vec<&str> = definitions
            .list("types")
            .map(|alias| alias.name().split('<').next().unwrap_or_default())
            .collect();
        let lists = "types session prefill properties methods events".split(' ');
        let entries = lists.flat_map(|list| definitions.list(list));
        for entry in entries {
            let nested = ["parameters", "detail"].map(|key| entry.list(key));
            for entry in nested.into_iter().flatten().chain([entry]) {
                for key in ["type", "is", "returns", "answer"] {
                    // Text in quotes is a literal, not a type name.
                    let code: String = entry.text(key).split('"').step_by(2).collect();
                    let words = code.split(|sign: char| !sign.is_alphanumeric());
                    let types = words.filter(|word| word.starts_with(char::is_uppercase));
                    for name in types {
                        let is_known = BUILT_IN.split(' ').any(|known| known == name)
                            || defined.contains(&name);
                        assert!(is_known, "{}: there is no type {name}", entry.name());
                    }
                }
            }
        }
    }
}
