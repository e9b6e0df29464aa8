//! Replaces the tables of the guide, each between a start marker with its name and an end marker.

use super::definitions::Definitions;
use crate::process::Outcome;

const START_MARKER: &str = "<!-- table ";
const END_MARKER: &str = "<!-- end -->";

/// All tables, between the same markers as in the guide.
const TABLES: &str = include_str!("tables.md.j2");

/// Returns `guide` with every table replaced by its current version.
pub(crate) fn replace_tables(guide: &str, definitions: &Definitions) -> Outcome<String> {
    let tables = definitions.render(TABLES)?;
    let mut replaced = String::new();
    let mut rest = guide;
    while let Some((before, after)) = rest.split_once(START_MARKER) {
        let (name, after) = after
            .split_once(" -->\n")
            .ok_or("the start marker of a table is not closed")?;
        let (_, after) = after
            .split_once(END_MARKER)
            .ok_or_else(|| format!("the table `{name}` has no end marker"))?;
        let start = format!("{START_MARKER}{name} -->\n");
        let table = tables
            .split_once(&start)
            .and_then(|(_, table)| table.split_once(END_MARKER));
        let (table, _) = table.ok_or_else(|| format!("there is no table `{name}`"))?;
        replaced.extend([before, &start, table, END_MARKER]);
        rest = after;
    }
    Ok(replaced + rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replace(guide: &str) -> Outcome<String> {
        let definitions = include_str!("../../../src/page/elements.json");
        replace_tables(guide, &Definitions::parse(definitions)?)
    }

    #[test]
    fn guide_has_all_tables_up_to_date() {
        let guide = include_str!("../../../docs/embedding.md");
        assert!(replace(guide).unwrap() == guide, "run `cargo xtask docs`");
        for marker in TABLES.lines().filter(|line| line.starts_with(START_MARKER)) {
            assert!(guide.contains(marker), "{marker}");
        }
    }

    #[test]
    fn text_outside_markers_is_kept_and_invalid_markers_are_rejected() {
        let guide = "before\n<!-- table elements -->\nold\n<!-- end -->\nafter\n";
        let replaced = replace(guide).unwrap();
        assert!(replaced.starts_with("before\n<!-- table elements -->\n| Element | Shows |\n"));
        assert!(replaced.ends_with("|\n<!-- end -->\nafter\n"));
        assert!(!replaced.contains("old"));
        assert!(replace("<!-- table nothing -->\n<!-- end -->").is_err());
        assert!(replace("<!-- table elements -->\n").is_err());
    }
}
