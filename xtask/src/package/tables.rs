//! The tables of the guide, between marks that say which is which.

use crate::step::Outcome;

use super::described::{Described, Entry};

/// The tables by name.
fn table(name: &str, described: &Described) -> Option<String> {
    let list = |kind| described.list(kind);
    Some(match name {
        "elements" => rows(
            ["Element", "Shows"],
            list("elements").map(|it| [format!("`<{}>`", it.name()), it.does().to_owned()]),
        ),
        "attributes" => rows(
            ["Attribute", "For", "Value", "If absent", "Does"],
            list("attributes").map(|it| {
                let absent = match it.text("default") {
                    "" => "–",
                    default => default,
                };
                [
                    code(it),
                    elements(it, described),
                    value(it),
                    absent.to_owned(),
                    it.does().to_owned(),
                ]
            }),
        ),
        "properties" => rows(
            ["Property", "For", "Type", "Holds"],
            list("properties").map(|it| {
                [
                    code(it),
                    elements(it, described),
                    kind(it),
                    it.does().to_owned(),
                ]
            }),
        ),
        "session" | "prefill" => rows(
            ["Key", "Type", "Holds"],
            list(name).map(|it| [code(it), kind(it), it.does().to_owned()]),
        ),
        "methods" => rows(
            ["Method", "For", "Gives", "Does"],
            list("methods").map(|it| {
                [
                    call(it),
                    elements(it, described),
                    format!("`{}`", escaped(it.text("returns"))),
                    it.does().to_owned(),
                ]
            }),
        ),
        "events" => rows(
            ["Event", "For", "Detail", "Says"],
            list("events")
                .filter(|it| !it.has("respondWith"))
                .map(|it| {
                    let says = match it.text("cancelable") {
                        "" => it.does().to_owned(),
                        then => {
                            format!("{} After `preventDefault()`: {}", it.does(), lowered(then))
                        }
                    };
                    [code(it), elements(it, described), detail(it), says]
                }),
        ),
        "hooks" => rows(
            ["Event", "For", "Detail", "Before", "`respondWith` takes"],
            list("events").filter(|it| it.has("respondWith")).map(|it| {
                [
                    code(it),
                    elements(it, described),
                    detail(it),
                    it.does().to_owned(),
                    it.text("respondWith").to_owned(),
                ]
            }),
        ),
        "signature" => rows(
            ["Key", "Type", "Says"],
            list("signature").map(|it| [code(it), kind(it), it.does().to_owned()]),
        ),
        "types" => rows(
            ["Type", "Is", "Holds"],
            list("types").map(|it| {
                [
                    code(it),
                    format!("`{}`", escaped(it.text("is"))),
                    it.does().to_owned(),
                ]
            }),
        ),
        "slots" => rows(
            ["Slot", "For", "Holds"],
            list("slots").map(|it| {
                let name = match it.name() {
                    "" => "none".to_owned(),
                    name => format!("`slot=\"{name}\"`"),
                };
                [name, elements(it, described), it.does().to_owned()]
            }),
        ),
        "parts" => rows(
            ["Part", "For", "Is"],
            list("parts").map(|it| [code(it), elements(it, described), it.does().to_owned()]),
        ),
        "tokens" => rows(
            ["Token", "Light", "Dark", "Is"],
            list("tokens").map(|it| {
                let (light, dark) = (it.text("light"), it.text("dark"));
                let dark = if dark.is_empty() { light } else { dark };
                [
                    code(it),
                    format!("`{light}`"),
                    format!("`{dark}`"),
                    it.does().to_owned(),
                ]
            }),
        ),
        _ => return None,
    })
}

/// The guide with every table as the description has it.
pub(crate) fn written_into(guide: &str, described: &Described) -> Outcome<String> {
    let mut written = String::new();
    let mut rest = guide;
    while let Some((before, after)) = rest.split_once(BEGINS) {
        let (name, after) = after
            .split_once(" -->\n")
            .ok_or("a mark of a table does not end")?;
        let (_, after) = after
            .split_once(ENDS)
            .ok_or_else(|| format!("the table `{name}` does not end"))?;
        let table = table(name, described).ok_or_else(|| format!("there is no table `{name}`"))?;
        written.push_str(&format!("{before}{BEGINS}{name} -->\n{table}{ENDS}"));
        rest = after;
    }
    Ok(written + rest)
}

const BEGINS: &str = "<!-- table ";
const ENDS: &str = "<!-- end -->";

fn rows<const N: usize>(heads: [&str; N], rows: impl Iterator<Item = [String; N]>) -> String {
    let mut table = format!("| {} |\n|{}\n", heads.join(" | "), "---|".repeat(N));
    for row in rows {
        table.push_str(&format!("| {} |\n", row.join(" | ")));
    }
    table
}

fn code(it: Entry<'_>) -> String {
    format!("`{}`", it.name())
}

fn kind(it: Entry<'_>) -> String {
    format!("`{}`", escaped(it.text("type")))
}

/// A pipe would begin another cell.
fn escaped(text: &str) -> String {
    text.replace('|', "\\|")
}

fn lowered(sentence: &str) -> String {
    let mut letters = sentence.chars();
    let first = letters
        .next()
        .map(|letter| letter.to_lowercase().to_string());
    first.unwrap_or_default() + letters.as_str()
}

/// Which elements have it.
fn elements(it: Entry<'_>, described: &Described) -> String {
    let words: Vec<&str> = it.words("for").collect();
    if words.len() == described.list("elements").count() {
        return "all".to_owned();
    }
    words.join(", ")
}

/// What an attribute can be.
fn value(it: Entry<'_>) -> String {
    let mut values: Vec<String> = it.words("values").map(|word| format!("`{word}`")).collect();
    values.extend(it.words("also").map(|word| format!("`{word}`")));
    match (it.text("type"), values.is_empty()) {
        ("flag", _) => "there or not".to_owned(),
        ("number", _) => match it.number("most") {
            Some(most) => format!("1 to {most}"),
            None => "a number".to_owned(),
        },
        ("date", _) => "a day".to_owned(),
        ("words", true) => "words".to_owned(),
        (_, true) => "text".to_owned(),
        (_, false) => values.join(", "),
    }
}

fn call(it: Entry<'_>) -> String {
    let parameters: Vec<&str> = it.list("parameters").map(Entry::name).collect();
    format!("`{}({})`", it.name(), parameters.join(", "))
}

fn detail(it: Entry<'_>) -> String {
    let keys: Vec<String> = it
        .list("detail")
        .map(|key| {
            let optional = if key.has("optional") { "?" } else { "" };
            format!("`{}{optional}: {}`", key.name(), escaped(key.text("type")))
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

    fn described() -> Described {
        Described::read(include_str!("../../../src/embed/elements.json")).unwrap()
    }

    #[test]
    fn the_guide_has_the_tables_of_the_description() {
        let guide = include_str!("../../../docs/embedding.md");
        let written = written_into(guide, &described()).unwrap();
        assert!(written == guide, "run `cargo xtask docs`");
        for name in [
            "elements",
            "attributes",
            "properties",
            "session",
            "prefill",
            "methods",
            "events",
            "signature",
            "slots",
            "parts",
            "tokens",
            "types",
        ] {
            assert!(guide.contains(&format!("{BEGINS}{name} -->")), "{name}");
        }
    }

    #[test]
    fn what_stands_between_the_marks_is_replaced_and_nothing_else() {
        let guide = "before\n<!-- table elements -->\nold\n<!-- end -->\nafter\n";
        let written = written_into(guide, &described()).unwrap();
        assert!(written.starts_with("before\n<!-- table elements -->\n| Element | Shows |\n"));
        assert!(written.ends_with("|\n<!-- end -->\nafter\n"));
        assert!(!written.contains("old"));
        assert!(written_into("<!-- table nothing -->\n<!-- end -->", &described()).is_err());
        assert!(written_into("<!-- table elements -->\n", &described()).is_err());
    }
}
