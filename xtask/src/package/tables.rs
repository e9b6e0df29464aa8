//! Generates the tables of the guide, each between a start marker with its name and an end marker.

use crate::process::Outcome;

use super::described::{Definitions, Entry};

/// Tables: name, then heading and kind of each column. All but `hooks` are also names of lists in the definitions.
const TABLES: &str = "\
elements:   Element=tag, Shows=does
attributes: Attribute=name, For=for, Value=values, If absent=default, Does=does
properties: Property=name, For=for, Type=type, Holds=does
session:    Key=name, Type=type, Holds=does
prefill:    Key=name, Type=type, Holds=does
methods:    Method=call, For=for, Gives=returns, Does=does
events:     Event=name, For=for, Detail=detail, Says=event
hooks:      Event=name, For=for, Detail=detail, Before=does, `respondWith` takes=respondWith
signature:  Key=name, Type=type, Says=does
types:      Type=name, Is=is, Holds=does
slots:      Slot=slot, For=for, Holds=does
parts:      Part=name, For=for, Is=does
tokens:     Token=name, Light=light, Dark=dark, Is=does
";

const START_MARKER: &str = "<!-- table ";
const END_MARKER: &str = "<!-- end -->";

/// Renders the table `name`; `None` if there is no such table.
fn render_table(name: &str, definitions: &Definitions) -> Option<String> {
    let mut tables = TABLES.lines().filter_map(|table| table.split_once(':'));
    let (_, columns) = tables.find(|(table, _)| *table == name)?;
    let columns = columns
        .split(", ")
        .filter_map(|column| column.trim().split_once('='));
    let (headings, kinds): (Vec<_>, Vec<_>) = columns.unzip();
    let rule = "---|".repeat(kinds.len());
    let mut table = format!("| {} |\n|{rule}\n", headings.join(" | "));
    // Hooks are the events that a page can respond to.
    let is_hooks = name == "hooks";
    let list = if is_hooks { "events" } else { name };
    for entry in definitions.list(list) {
        if list == "events" && entry.has("respondWith") != is_hooks {
            continue;
        }
        let cells = kinds.iter().map(|kind| cell(kind, entry, definitions));
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

/// Renders a cell of a kind of column.
fn cell(kind: &str, entry: Entry<'_>, definitions: &Definitions) -> String {
    match kind {
        "name" => code(entry.name()),
        "tag" => format!("`<{}>`", entry.name()),
        "slot" if entry.name().is_empty() => "none".to_owned(),
        "slot" => format!("`slot=\"{}\"`", entry.name()),
        "call" => {
            let parameters: Vec<&str> = entry.list("parameters").map(Entry::name).collect();
            format!("`{}({})`", entry.name(), parameters.join(", "))
        }
        "for" => elements_cell(entry, definitions),
        "values" => value_cell(entry),
        "detail" => detail_cell(entry),
        "event" => event_cell(entry),
        "default" if !entry.has(kind) => "–".to_owned(),
        // By default the light value.
        "dark" if !entry.has(kind) => code(entry.text("light")),
        "does" | "default" | "respondWith" => entry.text(kind).to_owned(),
        _ => code(entry.text(kind)),
    }
}

fn code(text: &str) -> String {
    // An unescaped `|` would start another cell.
    format!("`{}`", text.replace('|', "\\|"))
}

fn event_cell(entry: Entry<'_>) -> String {
    let description = entry.description();
    match entry.text("cancelable") {
        "" => description.to_owned(),
        effect => {
            let mut letters = effect.chars();
            let first = letters
                .next()
                .map(|letter| letter.to_lowercase().to_string());
            let effect = first.unwrap_or_default() + letters.as_str();
            format!("{description} After `preventDefault()`: {effect}")
        }
    }
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
fn value_cell(entry: Entry<'_>) -> String {
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

fn detail_cell(entry: Entry<'_>) -> String {
    let keys = entry.list("detail").map(|key| code(&key.declaration()));
    let keys: Vec<String> = keys.collect();
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
        for (name, _) in TABLES.lines().filter_map(|table| table.split_once(':')) {
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
