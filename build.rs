//! Joins the style sheets of each artefact, without comments and indentation: visitors download
//! them inside the WebAssembly file.

use std::error::Error;
use std::path::Path;
use std::{env, fs};

const SHARED: [&str; 3] = ["tokens.css", "base.css", "components"];

/// What nothing needs until a time is picked.
const AFTER: [&str; 3] = [
    "components/field.css",
    "features/booking_form.css",
    "features/flow.css",
];

const SHEETS: [(&str, &[&str]); 3] = [
    (
        "picker.css",
        &["features/slot_picker.css", "features/offers.css"],
    ),
    (
        "staff.css",
        &[
            "features/booking_list.css",
            "features/booking_acts.css",
            "features/booking_export.css",
            "features/role_form.css",
        ],
    ),
    // In the order in which the picker's two sheets are adopted: what is said later holds.
    (
        "app.css",
        &[
            "features/slot_picker.css",
            "features/offers.css",
            "features/booking_form.css",
            "features/flow.css",
            "features/booking_list.css",
            "features/booking_acts.css",
            "features/booking_export.css",
            "features/role_form.css",
            "app.css",
        ],
    ),
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=style");
    println!("cargo:rerun-if-changed=build.rs");
    let out = env::var("OUT_DIR")?;
    let style = Path::new("style");
    for (name, parts) in SHEETS {
        let left_out: &[&str] = if name == "picker.css" { &AFTER } else { &[] };
        let mut css = String::new();
        for part in SHARED.iter().chain(parts) {
            append(&mut css, &style.join(part), left_out)?;
        }
        fs::write(Path::new(&out).join(name), css)?;
    }
    let mut css = String::new();
    for part in AFTER.iter().filter(|part| style.join(part).exists()) {
        append(&mut css, &style.join(part), &[])?;
    }
    fs::write(Path::new(&out).join("picker_after.css"), css)?;
    Ok(())
}

/// Appends a file, or all files of a folder in the order of their names, but for those `left_out`.
fn append(css: &mut String, path: &Path, left_out: &[&str]) -> Result<(), Box<dyn Error>> {
    if left_out.iter().any(|part| path.ends_with(part)) {
        return Ok(());
    }
    if path.is_dir() {
        let mut entries = fs::read_dir(path)?
            .map(|entry| Ok(entry?.path()))
            .collect::<Result<Vec<_>, Box<dyn Error>>>()?;
        entries.sort();
        return entries
            .iter()
            .try_for_each(|entry| append(css, entry, left_out));
    }
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut rest = text.as_str();
    let mut bare = String::new();
    while let Some((before, comment)) = rest.split_once("/*") {
        bare.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    bare.push_str(rest);
    for line in bare.lines().map(str::trim).filter(|line| !line.is_empty()) {
        css.push_str(line);
        css.push('\n');
    }
    Ok(())
}
