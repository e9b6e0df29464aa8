//! Generates the tables of the guide, each between a start marker with its name and an end marker.

use crate::process::Outcome;

use super::described::{Definitions, Entry};

/// Heading of a column and the function that renders its cells.
type Column = (&'static str, fn(Entry<'_>, &Definitions) -> String);

const HOLDS: Column = ("Holds", description_cell);
const DETAIL: Column = ("Detail", detail_cell);
const ELEMENTS: Column = ("For", elements_cell);
const KEY: Column = ("Key", name_cell);
const TYPE: Column = ("Type", |entry, _| code(entry.text("type")));

/// Tables by name. All but `hooks` are also names of lists in the definitions.
const TABLES: &[(&str, &[Column])] = &[
    (
        "elements",
        &[("Element", tag_cell), ("Shows", description_cell)],
    ),
    (
        "attributes",
        &[
            ("Attribute", name_cell),
            ELEMENTS,
            ("Value", value_cell),
            ("If absent", default_cell),
            ("Does", description_cell),
        ],
    ),
    (
        "properties",
        &[("Property", name_cell), ELEMENTS, TYPE, HOLDS],
    ),
    ("session", &[KEY, TYPE, HOLDS]),
    ("prefill", &[KEY, TYPE, HOLDS]),
    (
        "methods",
        &[
            ("Method", call_cell),
            ELEMENTS,
            ("Gives", |entry, _| code(entry.text("returns"))),
            ("Does", description_cell),
        ],
    ),
    (
        "events",
        &[("Event", name_cell), ELEMENTS, DETAIL, ("Says", event_cell)],
    ),
    (
        "hooks",
        &[
            ("Event", name_cell),
            ELEMENTS,
            DETAIL,
            ("Before", description_cell),
            ("`respondWith` takes", |entry, _| {
                entry.text("respondWith").to_owned()
            }),
        ],
    ),
    ("signature", &[KEY, TYPE, ("Says", description_cell)]),
    (
        "types",
        &[
            ("Type", name_cell),
            ("Is", |entry, _| code(entry.text("is"))),
            HOLDS,
        ],
    ),
    ("slots", &[("Slot", slot_cell), ELEMENTS, HOLDS]),
    (
        "parts",
        &[("Part", name_cell), ELEMENTS, ("Is", description_cell)],
    ),
    (
        "tokens",
        &[
            ("Token", name_cell),
            ("Light", |entry, _| code(entry.text("light"))),
            ("Dark", dark_cell),
            ("Is", description_cell),
        ],
    ),
];

const START_MARKER: &str = "<!-- table ";
const END_MARKER: &str = "<!-- end -->";

/// Renders the table `name`; `None` if there is no such table.
fn render_table(name: &str, definitions: &Definitions) -> Option<String> {
    let (_, columns) = TABLES.iter().find(|(table, _)| *table == name)?;
    let headings: Vec<&str> = columns.iter().map(|(heading, _)| *heading).collect();
    let rule = "---|".repeat(columns.len());
    let mut table = format!("| {} |\n|{rule}\n", headings.join(" | "));
    // Hooks are the events that a page can respond to.
    let is_hooks = name == "hooks";
    let list = if is_hooks { "events" } else { name };
    for entry in definitions.list(list) {
        if list == "events" && entry.has("respondWith") != is_hooks {
            continue;
        }
        let cells = columns.iter().map(|(_, cell)| cell(entry, definitions));
        let cells: Vec<_> = cells.collect();
        table.push_str(&format!("| {} |\n", cells.join(" | ")));
    }
    Some(table)
}

/// Returns `guide` with every table replaced by its current version.
pub(crate) fn replace_tables(guide: &str, definitions: &Definitions) -> Outcome<String> {
    let mut replaced = String::new();
    let mut rest = guide;
    while let Some((before, after)) = rest.split_once(START_MARKER) {
        let (name, after) = after
            .split_once(" -->\n")
            .ok_or("the start marker of a table is not closed")?;
        let (_, after) = after
            .split_once(END_MARKER)
            .ok_or_else(|| format!("the table `{name}` has no end marker"))?;
        let table =
            render_table(name, definitions).ok_or_else(|| format!("there is no table `{name}`"))?;
        replaced.push_str(&format!(
            "{before}{START_MARKER}{name} -->\n{table}{END_MARKER}"
        ));
        rest = after;
    }
    Ok(replaced + rest)
}

fn code(text: &str) -> String {
    // An unescaped `|` would start another cell.
    format!("`{}`", text.replace('|', "\\|"))
}

fn name_cell(entry: Entry<'_>, _: &Definitions) -> String {
    code(entry.name())
}

fn tag_cell(entry: Entry<'_>, _: &Definitions) -> String {
    format!("`<{}>`", entry.name())
}

fn slot_cell(entry: Entry<'_>, _: &Definitions) -> String {
    match entry.name() {
        "" => "none".to_owned(),
        name => format!("`slot=\"{name}\"`"),
    }
}

fn description_cell(entry: Entry<'_>, _: &Definitions) -> String {
    entry.description().to_owned()
}

fn event_cell(entry: Entry<'_>, _: &Definitions) -> String {
    let description = entry.description();
    match entry.text("cancelable") {
        "" => description.to_owned(),
        effect => format!(
            "{description} After `preventDefault()`: {}",
            lowercase_first(effect)
        ),
    }
}

fn default_cell(entry: Entry<'_>, _: &Definitions) -> String {
    match entry.text("default") {
        "" => "–".to_owned(),
        default => default.to_owned(),
    }
}

/// Dark value of a token, by default the light one.
fn dark_cell(entry: Entry<'_>, _: &Definitions) -> String {
    match entry.text("dark") {
        "" => code(entry.text("light")),
        dark => code(dark),
    }
}

fn lowercase_first(sentence: &str) -> String {
    let mut letters = sentence.chars();
    let first = letters
        .next()
        .map(|letter| letter.to_lowercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// Elements that have the entry.
fn elements_cell(entry: Entry<'_>, definitions: &Definitions) -> String {
    let elements: Vec<&str> = entry.strings("for").collect();
    if elements.len() == definitions.list("elements").count() {
        return "all".to_owned();
    }
    elements.join(", ")
}

/// Values that an attribute accepts.
fn value_cell(entry: Entry<'_>, _: &Definitions) -> String {
    let values = entry.strings("values").chain(entry.strings("also"));
    let values: Vec<String> = values.map(|value| format!("`{value}`")).collect();
    match (entry.text("type"), values.is_empty()) {
        ("flag", _) => "there or not".to_owned(),
        ("number", _) => match entry.number("most") {
            Some(max) => format!("1 to {max}"),
            None => "a number".to_owned(),
        },
        ("date", _) => "a day".to_owned(),
        ("words", true) => "words".to_owned(),
        (_, true) => "text".to_owned(),
        (_, false) => values.join(", "),
    }
}

fn call_cell(entry: Entry<'_>, _: &Definitions) -> String {
    let parameters: Vec<&str> = entry.list("parameters").map(Entry::name).collect();
    format!("`{}({})`", entry.name(), parameters.join(", "))
}

fn detail_cell(entry: Entry<'_>, _: &Definitions) -> String {
    let keys: Vec<String> = entry
        .list("detail")
        .map(|key| {
            let optional = if key.has("optional") { "?" } else { "" };
            code(&format!("{}{optional}: {}", key.name(), key.text("type")))
        })
        .collect();
    if keys.is_empty() {
        "–".to_owned()
    } else {
        keys.join(", ")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_definitions() -> Definitions {
        Definitions::parse(include_str!("../../../src/element/elements.json")).unwrap()
    }

    #[test]
    fn guide_has_all_tables_up_to_date() {
        let guide = include_str!("../../../docs/embedding.md");
        let replaced = replace_tables(guide, &read_definitions()).unwrap();
        assert!(replaced == guide, "run `cargo xtask docs`");
        for (name, _) in TABLES {
            assert!(
                guide.contains(&format!("{START_MARKER}{name} -->")),
                "{name}"
            );
        }
    }

    #[test]
    fn text_outside_markers_is_kept_and_invalid_markers_are_rejected() {
        let guide = "before\n<!-- table elements -->\nold\n<!-- end -->\nafter\n";
        let replaced = replace_tables(guide, &read_definitions()).unwrap();
        assert!(replaced.starts_with("before\n<!-- table elements -->\n| Element | Shows |\n"));
        assert!(replaced.ends_with("|\n<!-- end -->\nafter\n"));
        assert!(!replaced.contains("old"));
        assert!(
            replace_tables("<!-- table nothing -->\n<!-- end -->", &read_definitions()).is_err()
        );
        assert!(replace_tables("<!-- table elements -->\n", &read_definitions()).is_err());
    }
}
