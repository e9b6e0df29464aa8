//! Parses the tables of settings in `docs/compatibility.md` and the request bodies in the OpenAPI
//! documents.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

const PAGE: &str = include_str!("../../../../../../docs/compatibility.md");

/// Maximum depth of nested properties.
const DEEPEST: usize = 4;

/// Settings by group, as paths: `seats.showAttendeeInfo`.
pub type Groups = BTreeMap<String, BTreeSet<String>>;

/// Returns the groups of a version 2 section or a version 1 resource.
pub fn groups(section: &str) -> Groups {
    let mut groups = Groups::new();
    for row in rows(section) {
        let cells: Vec<&str> = row.split('|').map(str::trim).collect();
        let (group, settings) = match cells.as_slice() {
            [_, resource, group, settings, _] if *resource == section => (group, settings),
            [_, group, settings, _] => (group, settings),
            _ => continue,
        };
        let word = group.split([',', ' ']).next().unwrap();
        let known = ["works", "kept", "refused", "ignored"].contains(&word);
        assert!(known, "{section} has no group {word}");
        for path in paths(settings) {
            let all: Vec<&String> = groups.values().flatten().collect();
            assert!(!all.contains(&&path), "{path} of {section} is named twice");
            groups.entry(word.to_owned()).or_default().insert(path);
        }
    }
    groups
}

/// Returns the rows of the table of groups.
fn rows(section: &str) -> impl Iterator<Item = &'static str> {
    let is_of_v1 = !section.starts_with(|letter: char| letter.is_ascii_uppercase());
    let heading = if is_of_v1 { "Version 1" } else { section };
    let found = PAGE.split_once(&format!("\n### {heading}\n"));
    let (_, text) = found.unwrap_or_else(|| panic!("the page has no section {heading}"));
    let text = text.split("\n### ").next().unwrap();
    let table = text.trim().split("\n\n").next().unwrap();
    table.lines().skip(2)
}

/// Returns the version 1 resources on the page.
pub fn resources() -> BTreeSet<&'static str> {
    let names = rows("v1").map(|row| row.split('|').nth(1).unwrap().trim());
    names.collect()
}

/// Parses paths from a text such as "`seats` (`showAttendeeInfo`), `slug`".
fn paths(text: &str) -> Vec<String> {
    let mut all = Vec::new();
    let mut parents: Vec<String> = Vec::new();
    let mut last = String::new();
    for (index, part) in text.split('`').enumerate() {
        if index % 2 == 1 {
            let prefix = parents
                .last()
                .map_or(String::new(), |parent| format!("{parent}."));
            last = format!("{prefix}{part}");
            all.push(last.clone());
            continue;
        }
        for letter in part.chars() {
            match letter {
                '(' => parents.push(last.clone()),
                ')' => {
                    parents.pop().unwrap();
                }
                ',' | ' ' => {}
                other => panic!("{other} in {text}"),
            }
        }
    }
    all
}

/// Returns the settings in the second table of a section, which explains them.
pub fn explained(section: &str) -> BTreeSet<String> {
    let (_, text) = PAGE.split_once(&format!("\n### {section}\n")).unwrap();
    let text = text.split("\n### ").next().unwrap();
    let table = text
        .split_once("\n| Setting | Why |\n")
        .map_or("", |(_, table)| table);
    let rows = table
        .lines()
        .skip(1)
        .take_while(|line| line.starts_with('|'));
    rows.flat_map(|row| paths(row.split('|').nth(1).unwrap().trim()))
        .collect()
}

/// Returns the property paths of each request body in a document, by schema name, or by operation
/// if the schema is inline.
pub fn bodies(document: &Value) -> BTreeMap<String, BTreeSet<String>> {
    let mut bodies: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for (path, item) in document["paths"].as_object().unwrap() {
        for (method, operation) in item.as_object().unwrap() {
            let schema = &operation["requestBody"]["content"]["application/json"]["schema"];
            if schema.is_null() {
                continue;
            }
            let name = match schema["$ref"].as_str() {
                Some(reference) => reference.rsplit('/').next().unwrap().to_owned(),
                None => format!("{} {path}", method.to_uppercase()),
            };
            walk(
                document,
                schema,
                "",
                DEEPEST,
                bodies.entry(name).or_default(),
            );
        }
    }
    bodies
}

fn walk(
    document: &Value,
    schema: &Value,
    prefix: &str,
    depth: usize,
    found: &mut BTreeSet<String>,
) {
    if let Some(reference) = schema["$ref"].as_str() {
        let target = document.pointer(reference.trim_start_matches('#')).unwrap();
        return walk(document, target, prefix, depth, found);
    }
    for key in ["oneOf", "anyOf", "allOf"] {
        for choice in schema[key].as_array().into_iter().flatten() {
            walk(document, choice, prefix, depth, found);
        }
    }
    if schema["items"].is_object() {
        walk(document, &schema["items"], prefix, depth, found);
    }
    if depth == 0 {
        return;
    }
    for (name, property) in schema["properties"].as_object().into_iter().flatten() {
        let path = match prefix {
            "" => name.clone(),
            prefix => format!("{prefix}.{name}"),
        };
        walk(document, property, &path, depth - 1, found);
        found.insert(path);
    }
}
