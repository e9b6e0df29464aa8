//! The types of the package: of the elements, and of their tags where others write them.

use std::fmt::Write;

use super::described::{Described, Entry, pascal};

/// What `import "booking-widget"` gives.
pub(crate) fn index(described: &Described) -> String {
    let mut text = String::from(
        "// The booking elements: what they take, do and tell.\n\n\
         /** Where the files of the package are served from, for pages whose bundler takes the script along. */\n\
         export function configure(settings: { files: string | URL }): void;\n\n",
    );
    for it in described.list("types") {
        say(&mut text, "", it);
        line(
            &mut text,
            &format!("export type {} = {};", it.name(), it.text("is")),
        );
    }
    text.push_str("\n/** Who is calling, and where the service is. */\n");
    line(&mut text, "export interface BookingSession {");
    for it in described.list("session") {
        say(&mut text, "  ", it);
        line(
            &mut text,
            &format!("  {}?: {};", it.name(), it.text("type")),
        );
    }
    text.push_str("}\n\n/** What is known of the visitor. */\nexport interface Prefill {\n");
    for it in described.list("prefill") {
        say(&mut text, "  ", it);
        let kind = match it.name() {
            "answers" => "Record<string, Prefilled<unknown>>".to_owned(),
            _ => format!("Prefilled<{}>", it.text("type")),
        };
        line(&mut text, &format!("  {}?: {kind};", it.name()));
    }
    text.push_str(
        "}\n\n/** What the detail of every event has. */\nexport interface Signature {\n",
    );
    for it in described.list("signature") {
        say(&mut text, "  ", it);
        line(&mut text, &format!("  {}: {};", it.name(), it.text("type")));
    }
    text.push_str("}\n");
    for it in described.list("events") {
        event(&mut text, it);
    }
    for it in described.list("elements") {
        element(&mut text, described, it);
    }
    text.push_str("\ndeclare global {\n  interface HTMLElementTagNameMap {\n");
    for it in described.list("elements") {
        line(
            &mut text,
            &format!("    \"{}\": {}Element;", it.name(), it.text("class")),
        );
    }
    text.push_str("  }\n  // They bubble, so a page may hear them anywhere.\n  interface GlobalEventHandlersEventMap {\n");
    for it in described.list("events") {
        line(
            &mut text,
            &format!("    \"{}\": {}Event;", it.name(), pascal(it.name())),
        );
    }
    text.push_str("  }\n  interface CustomElementRegistry {\n");
    for it in described.list("elements") {
        line(
            &mut text,
            &format!(
                "    get(name: \"{}\"): {}Constructor | undefined;",
                it.name(),
                it.text("class")
            ),
        );
    }
    text + "  }\n}\n"
}

/// The tags in JSX: of React 18 and 19, and wherever else `JSX` is global.
pub(crate) fn jsx(described: &Described) -> String {
    let mut text = imports(described, "EventMap");
    text.push_str("import type { HTMLAttributes, Ref } from \"react\";\n\n");
    text.push_str("/** As React 19 hears them. */\ntype Listeners<Events> = { [Name in keyof Events & string as `on${Name}`]?: (event: Events[Name]) => void };\n\n");
    text.push_str("type Tag<Attributes, Element> = Attributes & Omit<HTMLAttributes<Element>, keyof Attributes> & {\n  ref?: Ref<Element>;\n  key?: string | number | null;\n  class?: string;\n};\n\n");
    line(&mut text, "interface Tags {");
    for it in described.list("elements") {
        let class = it.text("class");
        line(
            &mut text,
            &format!(
                "  \"{}\": Tag<{class}Attributes & Listeners<{class}EventMap>, {class}Element>;",
                it.name()
            ),
        );
    }
    text + "}\n\ndeclare global {\n  namespace JSX {\n    interface IntrinsicElements extends Tags {}\n  }\n}\n\n\
            declare module \"react\" {\n  namespace JSX {\n    interface IntrinsicElements extends Tags {}\n  }\n}\n"
}

/// The tags in Vue's templates.
pub(crate) fn vue(described: &Described) -> String {
    let mut text = imports(described, "EventMap");
    text.push_str("\ntype Listeners<Events> = { [Name in keyof Events & string as `on${Capitalize<Camel<Name>>}`]?: (event: Events[Name]) => void };\n");
    text.push_str("type Camel<Name extends string> = Name extends `${infer First}-${infer Rest}` ? `${First}${Capitalize<Camel<Rest>>}` : Name;\n");
    text.push_str("type Component<Attributes, Events> = new () => { $props: Attributes & Listeners<Events> };\n\n");
    text.push_str("declare module \"vue\" {\n  interface GlobalComponents {\n");
    for it in described.list("elements") {
        let class = it.text("class");
        line(
            &mut text,
            &format!(
                "    \"{}\": Component<{class}Attributes, {class}EventMap>;",
                it.name()
            ),
        );
    }
    text + "  }\n}\n"
}

/// The tags in Svelte's templates.
pub(crate) fn svelte(described: &Described) -> String {
    let mut text = imports(described, "EventMap");
    text.push_str("import type { HTMLAttributes } from \"svelte/elements\";\n\n");
    text.push_str("type Listeners<Events> = { [Name in keyof Events & string as `on${Name}` | `on:${Name}`]?: (event: Events[Name]) => void };\n\n");
    text.push_str("declare module \"svelte/elements\" {\n  interface SvelteHTMLElements {\n");
    for it in described.list("elements") {
        let class = it.text("class");
        line(
            &mut text,
            &format!(
                "    \"{}\": {class}Attributes & Listeners<{class}EventMap> & Omit<HTMLAttributes<{class}Element>, keyof {class}Attributes>;",
                it.name()
            ),
        );
    }
    text + "  }\n}\n"
}

/// The React components.
pub(crate) fn react(described: &Described) -> String {
    let mut text = imports(described, "EventMap");
    text.push_str("import type { ForwardRefExoticComponent, HTMLAttributes, RefAttributes } from \"react\";\n\n");
    text.push_str("export * from \"./index.js\";\n\ntype Props<Own, Element> = Own & Omit<HTMLAttributes<Element>, keyof Own> & RefAttributes<Element>;\n");
    for it in described.list("elements") {
        let class = it.text("class");
        line(
            &mut text,
            &format!("\nexport interface {class}Props extends {class}Properties {{"),
        );
        for event in described.of("events", it) {
            let name = event.name();
            line(
                &mut text,
                &format!(
                    "  on{}?: (event: {class}EventMap[\"{name}\"]) => void;",
                    pascal(name)
                ),
            );
        }
        text.push_str("}\n\n");
        say(&mut text, "", it);
        line(
            &mut text,
            &format!(
                "export const {class}: ForwardRefExoticComponent<Props<{class}Props, {class}Element>>;"
            ),
        );
    }
    text
}

fn imports(described: &Described, more: &str) -> String {
    let mut names = Vec::new();
    for it in described.list("elements") {
        let class = it.text("class");
        names.extend([
            format!("{class}Attributes"),
            format!("{class}Element"),
            format!("{class}Properties"),
        ]);
        if !more.is_empty() {
            names.push(format!("{class}{more}"));
        }
    }
    format!(
        "import type {{ {} }} from \"./index.js\";\n",
        names.join(", ")
    )
}

fn event(text: &mut String, it: Entry<'_>) {
    let name = pascal(it.name());
    text.push('\n');
    say(text, "", it);
    let signed = if it.has("unsigned") {
        ""
    } else {
        " extends Signature"
    };
    line(text, &format!("export interface {name}Detail{signed} {{"));
    for key in it.list("detail") {
        if key.has("does") {
            say(text, "  ", key);
        }
        let optional = if key.has("optional") { "?" } else { "" };
        line(
            text,
            &format!("  {}{optional}: {};", key.name(), key.text("type")),
        );
    }
    line(text, "}");
    let answer = match it.text("answer") {
        "" => "boolean | void",
        answer => answer,
    };
    if it.has("respondWith") {
        line(
            text,
            &format!(
                "export interface {name}Event extends CustomEvent<{name}Detail> {{\n  \
             /** Nothing goes on before the answer is there. */\n  \
             respondWith(answer: {answer} | Promise<{answer}>): void;\n}}"
            ),
        );
    } else {
        line(
            text,
            &format!("export type {name}Event = CustomEvent<{name}Detail>;"),
        );
    }
}

fn element(text: &mut String, described: &Described, it: Entry<'_>) {
    let class = it.text("class");
    let (attributes, properties) = (
        described.of("attributes", it),
        described.of("properties", it),
    );
    line(
        text,
        &format!(
            "\n/** The events of `<{}>`. */\nexport interface {class}EventMap {{",
            it.name()
        ),
    );
    for event in described.of("events", it) {
        line(
            text,
            &format!("  \"{}\": {}Event;", event.name(), pascal(event.name())),
        );
    }

    line(
        text,
        &format!(
            "}}\n\n/** What `<{}>` takes, by the names of its properties. */\nexport interface {class}Properties {{",
            it.name()
        ),
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
        say(text, "  ", *attribute);
        line(text, &format!("  {name}?: {} | null;", given(*attribute)));
    }
    for property in &properties {
        say(text, "  ", *property);
        // A word as an attribute, more as a property.
        let both = attributes
            .iter()
            .find(|attribute| attribute.name() == property.name());
        let word = both
            .map(|attribute| format!("{} | ", given(*attribute)))
            .unwrap_or_default();
        line(
            text,
            &format!("  {}?: {word}{};", property.name(), property.text("type")),
        );
    }

    line(
        text,
        &format!(
            "}}\n\n/** What `<{}>` takes in its tag. */\nexport interface {class}Attributes {{",
            it.name()
        ),
    );
    for attribute in &attributes {
        say(text, "  ", *attribute);
        line(
            text,
            &format!("  \"{}\"?: {} | null;", attribute.name(), given(*attribute)),
        );
    }
    for property in &properties {
        let is_attribute = attributes
            .iter()
            .any(|attribute| attribute.name() == property.name());
        if !is_attribute {
            say(text, "  ", *property);
            line(
                text,
                &format!("  {}?: {};", property.name(), property.text("type")),
            );
        }
    }

    line(text, "}\n");
    say(text, "", it);
    line(
        text,
        &format!("export interface {class}Element extends HTMLElement {{"),
    );
    for attribute in &attributes {
        let name = attribute.text("property");
        if name.is_empty() {
            continue;
        }
        say(text, "  ", *attribute);
        match attribute.text("type") {
            "flag" => line(text, &format!("  {name}: boolean;")),
            "number" => line(
                text,
                &format!(
                    "  get {name}(): string | null;\n  set {name}(value: string | number | null);"
                ),
            ),
            _ => line(text, &format!("  {name}: {} | null;", given(*attribute))),
        }
    }
    for property in &properties {
        say(text, "  ", *property);
        line(
            text,
            &format!("  {}: {};", property.name(), property.text("type")),
        );
    }
    for method in described.of("methods", it) {
        say(text, "  ", method);
        line(text, &format!("  {};", signature(method)));
    }
    for (verb, third) in [
        ("add", "AddEventListenerOptions"),
        ("remove", "EventListenerOptions"),
    ] {
        line(
            text,
            &format!(
                "  {verb}EventListener<Name extends keyof {class}EventMap>(type: Name, listener: (this: {class}Element, event: {class}EventMap[Name]) => void, options?: boolean | {third}): void;\n  \
             {verb}EventListener(type: string, listener: EventListenerOrEventListenerObject, options?: boolean | {third}): void;"
            ),
        );
    }
    line(
        text,
        &format!(
            "}}\n\n/** What `customElements.get(\"{}\")` gives. */\nexport interface {class}Constructor {{\n  new (): {class}Element;\n  readonly version: string;",
            it.name()
        ),
    );
    for method in described.of("methods", it) {
        if method.has("static") {
            line(text, &format!("  {};", signature(method)));
        }
    }
    line(text, "}");
}

fn signature(method: Entry<'_>) -> String {
    let parameters: Vec<String> = method
        .list("parameters")
        .map(|it| {
            let optional = if it.has("optional") { "?" } else { "" };
            format!("{}{optional}: {}", it.name(), it.text("type"))
        })
        .collect();
    format!(
        "{}({}): {}",
        method.name(),
        parameters.join(", "),
        method.text("returns")
    )
}

/// What an attribute can be given as.
pub(crate) fn given(attribute: Entry<'_>) -> String {
    let words = ["values", "also"]
        .into_iter()
        .flat_map(|key| attribute.words(key));
    let words: Vec<String> = words.map(|word| format!("{word:?}")).collect();
    match attribute.text("type") {
        "flag" => "boolean | \"\"".to_owned(),
        "number" => "number | string".to_owned(),
        "word" if !words.is_empty() => words.join(" | "),
        _ => "string".to_owned(),
    }
}

fn say(text: &mut String, indent: &str, it: Entry<'_>) {
    line(
        text,
        &format!("{indent}/** {} */", it.does().replace("*/", "* /")),
    );
}

fn line(text: &mut String, line: &str) {
    // Writing to a text cannot fail.
    let _ = writeln!(text, "{line}");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What TypeScript and the files above bring themselves.
    const KNOWN: [&str; 8] = [
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
    fn every_type_that_the_description_names_is_one() {
        let described = Described::read(include_str!("../../../src/embed/elements.json")).unwrap();
        let own: Vec<&str> = described
            .list("types")
            .map(|it| it.name().split('<').next().unwrap_or_default())
            .collect();
        let lists = [
            "types",
            "session",
            "prefill",
            "properties",
            "methods",
            "events",
        ];
        let entries = lists.into_iter().flat_map(|list| described.list(list));
        for it in entries {
            let within = ["parameters", "detail"].map(|key| it.list(key));
            for each in within.into_iter().flatten().chain([it]) {
                for key in ["type", "is", "returns", "answer"] {
                    // What is quoted is a value and no type.
                    let code: String = each.text(key).split('"').step_by(2).collect();
                    let words = code.split(|sign: char| !sign.is_alphanumeric());
                    let types = words.filter(|word| word.starts_with(char::is_uppercase));
                    for name in types {
                        let is_known = KNOWN.contains(&name) || own.contains(&name);
                        assert!(is_known, "{}: there is no type {name}", each.name());
                    }
                }
            }
        }
    }
}
