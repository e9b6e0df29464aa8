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
    let mut text = String::from(
        "// The booking elements: what they take, do and tell.\n\n\
         /** Where the files of the package are served from, for pages whose bundler takes the script along. */\n\
         export function configure(settings: { files: string | URL }): void;\n\n",
    );
    for alias in definitions.list("types") {
        write_doc(&mut text, "", alias);
        line!(text, "export type {} = {};", alias.name(), alias.text("is"));
    }
    text.push_str("\n/** Who is calling, and where the service is. */\n");
    line!(text, "export interface BookingSession {{");
    for key in definitions.list("session") {
        write_doc(&mut text, "  ", key);
        line!(text, "  {}?: {};", key.name(), key.text("type"));
    }
    text.push_str("}\n\n/** What is known of the visitor. */\nexport interface Prefill {\n");
    for key in definitions.list("prefill") {
        write_doc(&mut text, "  ", key);
        let kind = match key.name() {
            "answers" => "Record<string, Prefilled<unknown>>".to_owned(),
            _ => format!("Prefilled<{}>", key.text("type")),
        };
        line!(text, "  {}?: {kind};", key.name());
    }
    text.push_str(
        "}\n\n/** What the detail of every event has. */\nexport interface Signature {\n",
    );
    for key in definitions.list("signature") {
        write_doc(&mut text, "  ", key);
        line!(text, "  {}: {};", key.name(), key.text("type"));
    }
    text.push_str("}\n");
    for event in definitions.list("events") {
        write_event(&mut text, event);
    }
    for element in definitions.list("elements") {
        write_element(&mut text, definitions, element);
    }
    text.push_str("\ndeclare global {\n  interface HTMLElementTagNameMap {\n");
    for element in definitions.list("elements") {
        line!(
            text,
            "    \"{}\": {}Element;",
            element.name(),
            element.text("class")
        );
    }
    text.push_str("  }\n  // They bubble, so a page may hear them anywhere.\n  interface GlobalEventHandlersEventMap {\n");
    for event in definitions.list("events") {
        line!(
            text,
            "    \"{}\": {}Event;",
            event.name(),
            pascal_case(event.name())
        );
    }
    text.push_str("  }\n  interface CustomElementRegistry {\n");
    for element in definitions.list("elements") {
        line!(
            text,
            "    get(name: \"{}\"): {}Constructor | undefined;",
            element.name(),
            element.text("class")
        );
    }
    text + "  }\n}\n"
}

/// `jsx.d.ts`: tags in JSX, for React 18 and 19 and frameworks with a global `JSX` namespace.
pub(crate) fn jsx(definitions: &Definitions) -> String {
    let mut text = type_imports(definitions);
    text.push_str("import type { HTMLAttributes, Ref } from \"react\";\n\n");
    text.push_str("/** As React 19 hears them. */\ntype Listeners<Events> = { [Name in keyof Events & string as `on${Name}`]?: (event: Events[Name]) => void };\n\n");
    text.push_str("type Tag<Attributes, Element> = Attributes & Omit<HTMLAttributes<Element>, keyof Attributes> & {\n  ref?: Ref<Element>;\n  key?: string | number | null;\n  class?: string;\n};\n\n");
    line!(text, "interface Tags {{");
    for element in definitions.list("elements") {
        let class = element.text("class");
        line!(
            text,
            "  \"{}\": Tag<{class}Attributes & Listeners<{class}EventMap>, {class}Element>;",
            element.name()
        );
    }
    text + "}\n\ndeclare global {\n  namespace JSX {\n    interface IntrinsicElements extends Tags {}\n  }\n}\n\n\
            declare module \"react\" {\n  namespace JSX {\n    interface IntrinsicElements extends Tags {}\n  }\n}\n"
}

/// `vue.d.ts`: tags in Vue templates.
pub(crate) fn vue(definitions: &Definitions) -> String {
    let mut text = type_imports(definitions);
    text.push_str("\ntype Listeners<Events> = { [Name in keyof Events & string as `on${Capitalize<Camel<Name>>}`]?: (event: Events[Name]) => void };\n");
    text.push_str("type Camel<Name extends string> = Name extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Name;\n");
    text.push_str("type Component<Attributes, Events> = new () => { $props: Attributes & Listeners<Events> };\n\n");
    text.push_str("declare module \"vue\" {\n  interface GlobalComponents {\n");
    for element in definitions.list("elements") {
        let class = element.text("class");
        line!(
            text,
            "    \"{}\": Component<{class}Attributes, {class}EventMap>;",
            element.name()
        );
    }
    text + "  }\n}\n"
}

/// `svelte.d.ts`: tags in Svelte templates.
pub(crate) fn svelte(definitions: &Definitions) -> String {
    let mut text = type_imports(definitions);
    text.push_str("import type { HTMLAttributes } from \"svelte/elements\";\n\n");
    text.push_str("type Listeners<Events> = { [Name in keyof Events & string as `on${Name}` | `on:${Name}`]?: (event: Events[Name]) => void };\n\n");
    text.push_str("declare module \"svelte/elements\" {\n  interface SvelteHTMLElements {\n");
    for element in definitions.list("elements") {
        let class = element.text("class");
        line!(
            text,
            "    \"{}\": {class}Attributes & Listeners<{class}EventMap> & Omit<HTMLAttributes<{class}Element>, keyof {class}Attributes>;",
            element.name()
        );
    }
    text + "  }\n}\n"
}

/// `react.d.ts`: React components.
pub(crate) fn react(definitions: &Definitions) -> String {
    let mut text = type_imports(definitions);
    text.push_str("import type { ForwardRefExoticComponent, HTMLAttributes, RefAttributes } from \"react\";\n\n");
    text.push_str("export * from \"./index.js\";\n\ntype Props<Own, Element> = Own & Omit<HTMLAttributes<Element>, keyof Own> & RefAttributes<Element>;\n");
    for element in definitions.list("elements") {
        let class = element.text("class");
        line!(
            text,
            "\nexport interface {class}Props extends {class}Properties {{"
        );
        for event in definitions.for_element("events", element) {
            let name = event.name();
            line!(
                text,
                "  on{}?: (event: {class}EventMap[\"{name}\"]) => void;",
                pascal_case(name)
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

/// Type imports for a declaration file beside `index.d.ts`.
fn type_imports(definitions: &Definitions) -> String {
    let mut names = Vec::new();
    for element in definitions.list("elements") {
        let class = element.text("class");
        names.extend([
            format!("{class}Attributes"),
            format!("{class}Element"),
            format!("{class}Properties"),
            format!("{class}EventMap"),
        ]);
    }
    format!(
        "import type {{ {} }} from \"./index.js\";\n",
        names.join(", ")
    )
}

fn write_event(text: &mut String, event: Entry<'_>) {
    let name = pascal_case(event.name());
    text.push('\n');
    write_doc(text, "", event);
    let signed = if event.has("unsigned") {
        ""
    } else {
        " extends Signature"
    };
    line!(text, "export interface {name}Detail{signed} {{");
    for key in event.list("detail") {
        if key.has("does") {
            write_doc(text, "  ", key);
        }
        let optional = if key.has("optional") { "?" } else { "" };
        line!(text, "  {}{optional}: {};", key.name(), key.text("type"));
    }
    line!(text, "}}");
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

fn write_element(text: &mut String, definitions: &Definitions, element: Entry<'_>) {
    let class = element.text("class");
    let (attributes, properties) = (
        definitions.for_element("attributes", element),
        definitions.for_element("properties", element),
    );
    line!(
        text,
        "\n/** The events of `<{}>`. */\nexport interface {class}EventMap {{",
        element.name()
    );
    for event in definitions.for_element("events", element) {
        line!(
            text,
            "  \"{}\": {}Event;",
            event.name(),
            pascal_case(event.name())
        );
    }

    line!(
        text,
        "}}\n\n/** What `<{}>` takes, by the names of its properties. */\nexport interface {class}Properties {{",
        element.name()
    );
    for attribute in &attributes {
        let name = attribute.text("property");
        let name = if name.is_empty() {
            attribute.name()
        } else {
            name
        };
        if properties.iter().any(|property| property.name() == name) {
            continue;
        }
        write_doc(text, "  ", *attribute);
        line!(text, "  {name}?: {} | null;", attribute_type(*attribute));
    }
    for property in &properties {
        write_doc(text, "  ", *property);
        // Some properties also accept the values of the attribute with the same name.
        let attribute = attributes
            .iter()
            .find(|attribute| attribute.name() == property.name());
        let attribute_types = attribute
            .map(|attribute| format!("{} | ", attribute_type(*attribute)))
            .unwrap_or_default();
        line!(
            text,
            "  {}?: {attribute_types}{};",
            property.name(),
            property.text("type")
        );
    }

    line!(
        text,
        "}}\n\n/** What `<{}>` takes in its tag. */\nexport interface {class}Attributes {{",
        element.name()
    );
    for attribute in &attributes {
        write_doc(text, "  ", *attribute);
        line!(
            text,
            "  \"{}\"?: {} | null;",
            attribute.name(),
            attribute_type(*attribute)
        );
    }
    for property in &properties {
        let is_attribute = attributes
            .iter()
            .any(|attribute| attribute.name() == property.name());
        if !is_attribute {
            write_doc(text, "  ", *property);
            line!(text, "  {}?: {};", property.name(), property.text("type"));
        }
    }

    line!(text, "}}\n");
    write_doc(text, "", element);
    line!(
        text,
        "export interface {class}Element extends HTMLElement {{"
    );
    for attribute in &attributes {
        let name = attribute.text("property");
        if name.is_empty() {
            continue;
        }
        write_doc(text, "  ", *attribute);
        match attribute.text("type") {
            "flag" => line!(text, "  {name}: boolean;"),
            "number" => line!(
                text,
                "  get {name}(): string | null;\n  set {name}(value: string | number | null);"
            ),
            _ => line!(text, "  {name}: {} | null;", attribute_type(*attribute)),
        }
    }
    for property in &properties {
        write_doc(text, "  ", *property);
        line!(text, "  {}: {};", property.name(), property.text("type"));
    }
    for method in definitions.for_element("methods", element) {
        write_doc(text, "  ", method);
        line!(text, "  {};", method_signature(method));
    }
    for (verb, options) in [
        ("add", "AddEventListenerOptions"),
        ("remove", "EventListenerOptions"),
    ] {
        line!(
            text,
            "  {verb}EventListener<Name extends keyof {class}EventMap>(type: Name, listener: (this: {class}Element, event: {class}EventMap[Name]) => void, options?: boolean | {options}): void;\n  \
             {verb}EventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | {options}): void;"
        );
    }
    line!(
        text,
        "}}\n\n/** What `customElements.get(\"{}\")` gives. */\nexport interface {class}Constructor {{\n  new (): {class}Element;\n  readonly version: string;",
        element.name()
    );
    for method in definitions.for_element("methods", element) {
        if method.has("static") {
            line!(text, "  {};", method_signature(method));
        }
    }
    line!(text, "}}");
}

fn method_signature(method: Entry<'_>) -> String {
    let parameters: Vec<String> = method
        .list("parameters")
        .map(|parameter| {
            let optional = if parameter.has("optional") { "?" } else { "" };
            format!("{}{optional}: {}", parameter.name(), parameter.text("type"))
        })
        .collect();
    format!(
        "{}({}): {}",
        method.name(),
        parameters.join(", "),
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

fn write_doc(text: &mut String, indent: &str, entry: Entry<'_>) {
    line!(
        text,
        "{indent}/** {} */",
        entry.description().replace("*/", "* /")
    );
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Names that TypeScript, the fixed part of `index.d.ts` or a type parameter define.
    const BUILT_IN: [&str; 8] = [
        "BookingSession",
        "Date",
        "HeadersInit",
        "Prefill",
        "Promise",
        "Record",
        "T",
        "URL",
    ];

    #[test]
    fn types_used_in_definitions_exist() {
        let definitions =
            Definitions::parse(include_str!("../../../src/element/elements.json")).unwrap();
        let defined: Vec<&str> = definitions
            .list("types")
            .map(|alias| alias.name().split('<').next().unwrap_or_default())
            .collect();
        let lists = [
            "types",
            "session",
            "prefill",
            "properties",
            "methods",
            "events",
        ];
        let entries = lists.into_iter().flat_map(|list| definitions.list(list));
        for entry in entries {
            let nested = ["parameters", "detail"].map(|key| entry.list(key));
            for entry in nested.into_iter().flatten().chain([entry]) {
                for key in ["type", "is", "returns", "answer"] {
                    // Text in quotes is a literal, not a type name.
                    let code: String = entry.text(key).split('"').step_by(2).collect();
                    let words = code.split(|sign: char| !sign.is_alphanumeric());
                    let types = words.filter(|word| word.starts_with(char::is_uppercase));
                    for name in types {
                        let is_known = BUILT_IN.contains(&name) || defined.contains(&name);
                        assert!(is_known, "{}: there is no type {name}", entry.name());
                    }
                }
            }
        }
    }
}
