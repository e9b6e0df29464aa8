//! Joins the style sheets of each bundle, without comments and most white space: visitors download them inside the
//! WebAssembly file.

use std::error::Error;
use std::path::Path;
use std::{env, fs};

/// Beginning of every first sheet.
const SHARED: [&str; 9] = [
    "tokens.css",
    "base.css",
    "components/button.css",
    "components/icon.css",
    "components/segmented.css",
    "components/skeleton.css",
    "features/shared/error_notice.css",
    "components/dialog.css",
    "features/shared/time_zone_bar.css",
];

/// First sheet of each bundle.
const FIRST: [(&str, &[&str]); 3] = [
    (
        "picker.css",
        &[
            "components/calendar_grid.css",
            "features/booking_flow/steps/summary.css",
            "features/slot_picker.css",
        ],
    ),
    (
        "staff.css",
        &[
            "components/field.css",
            "components/chips.css",
            "features/shared/slow_request.css",
            "features/booking_list.css",
        ],
    ),
    // In the order in which the picker adopts its sheets: later rules override earlier ones.
    (
        "app.css",
        &[
            "components/search_list.css",
            "features/shared/time_zone_bar/chooser.css",
            "components/calendar_grid.css",
            "features/booking_flow/steps/summary.css",
            "features/slot_picker.css",
            "features/event_type_list.css",
            "components/field.css",
            "components/chips.css",
            "features/shared/slow_request.css",
            "components/check_menu.css",
            "features/booking_form/phone/phone_field.css",
            "components/button_danger.css",
            "components/progress.css",
            "features/booking_form.css",
            "features/booking_flow.css",
            "app.css",
        ],
    ),
];

/// Sheets of the chunks.
const LATER: [(&str, &[&str]); 6] = [
    (
        "app_staff.css",
        &[
            "components/command_palette.css",
            "features/booking_list.css",
            "components/copy.css",
            "features/booking_list/actions/selection_bar.css",
            "features/booking_list/details.css",
            "features/booking_list/actions.css",
            "features/booking_list/export.css",
            "features/roles/list.css",
            "features/roles/permission_panel.css",
            "features/roles/form.css",
            "features/roles/form/matrix.css",
            "features/roles/comparison.css",
        ],
    ),
    ("event_types.css", &["features/event_type_list.css"]),
    (
        "picker_form.css",
        &[
            "components/search_list.css",
            "features/shared/time_zone_bar/chooser.css",
            "components/field.css",
            "components/chips.css",
            "features/shared/slow_request.css",
            "components/check_menu.css",
            "features/booking_form/phone/phone_field.css",
            "components/button_danger.css",
            "components/progress.css",
            "features/booking_form.css",
            "features/booking_flow.css",
        ],
    ),
    (
        "list_actions.css",
        &[
            "components/search_list.css",
            "features/shared/time_zone_bar/chooser.css",
            "components/command_palette.css",
            "components/button_danger.css",
            "components/copy.css",
            "components/progress.css",
            "features/booking_list/actions/selection_bar.css",
            "features/booking_list/details.css",
            "features/booking_list/actions.css",
            "features/booking_list/export.css",
        ],
    ),
    (
        "roles.css",
        &["components/button_danger.css", "features/roles/list.css"],
    ),
    (
        "role_tools.css",
        &[
            "features/roles/permission_panel.css",
            "features/roles/form.css",
            "features/roles/form/matrix.css",
            "features/roles/comparison.css",
        ],
    ),
];

fn main() -> Result<(), Box<dyn Error>> {
    println!("cargo:rerun-if-changed=style");
    println!("cargo:rerun-if-changed=build.rs");
    keep_notes()?;
    for (name, parts) in FIRST {
        write(name, SHARED.iter().chain(parts))?;
    }
    for (name, parts) in LATER {
        write(name, parts.iter())?;
    }
    Ok(())
}

fn write<'part>(
    name: &str,
    parts: impl Iterator<Item = &'part &'part str>,
) -> Result<(), Box<dyn Error>> {
    let mut css = String::new();
    for part in parts {
        append(&mut css, &Path::new("style").join(part))?;
    }
    fs::write(Path::new(&env::var("OUT_DIR")?).join(name), css)?;
    Ok(())
}

/// Makes the linker keep the relocations of the programs that are split into chunks.
fn keep_notes() -> Result<(), Box<dyn Error>> {
    let is_split = env::var_os("CARGO_FEATURE_LAZY_CHUNKS").is_some();
    if is_split && env::var("CARGO_CFG_TARGET_FAMILY")? == "wasm" {
        for program in ["picker", "staff", "app"] {
            println!("cargo:rustc-link-arg-bin={program}=--emit-relocs");
        }
    }
    Ok(())
}

/// Appends a file.
fn append(css: &mut String, path: &Path) -> Result<(), Box<dyn Error>> {
    let text = fs::read_to_string(path).map_err(|error| format!("{}: {error}", path.display()))?;
    let mut rest = text.as_str();
    let mut bare = String::new();
    while let Some((before, comment)) = rest.split_once("/*") {
        bare.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    bare.push_str(rest);
    for line in bare.lines().map(str::trim).filter(|line| !line.is_empty()) {
        append_line(css, line);
    }
    Ok(())
}

/// Appends a line without the spaces and semicolons that browsers do not need.
fn append_line(css: &mut String, line: &str) {
    if line == "}" && css.ends_with(';') {
        css.pop();
    }
    let rule = line.strip_suffix(" {");
    let declaration = line.split_once(": ").filter(|_| line.ends_with(';'));
    match (rule, declaration) {
        (Some(selector), _) => css.extend([selector, "{"]),
        (None, Some((name, value))) => css.extend([name, ":", value]),
        (None, None) => css.push_str(line),
    }
    if !css.ends_with(['{', '}', ';', ',']) {
        css.push('\n');
    }
}
