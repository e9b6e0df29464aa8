//! Adopts the style sheet of an artefact into a root. A constructed sheet works where a page's
//! policy forbids `<style>`.

use js_sys::Array;
use web_sys::{CssStyleSheet, ShadowRoot};

/// Styles of the picker until a time is picked.
pub const PICKER: &str = include_str!(concat!(env!("OUT_DIR"), "/picker.css"));
/// Styles of what comes after that.
pub const PICKER_AFTER: &str = include_str!(concat!(env!("OUT_DIR"), "/picker_after.css"));
/// Styles of what comes after the list is shown.
pub const LIST_AFTER: &str = include_str!(concat!(env!("OUT_DIR"), "/list_after.css"));
/// Styles of what is done with roles.
pub const ROLE_TOOLS: &str = include_str!(concat!(env!("OUT_DIR"), "/role_tools.css"));
/// Styles of the roles.
pub const ROLES: &str = include_str!(concat!(env!("OUT_DIR"), "/roles.css"));
/// Styles of the booking list, and what it has in common with the roles.
pub const STAFF: &str = include_str!(concat!(env!("OUT_DIR"), "/staff.css"));
/// Styles of the app: all of the above and its own.
pub const APP: &str = include_str!(concat!(env!("OUT_DIR"), "/app.css"));

/// Gives `root` the style sheet `css`, alone.
pub fn adopt(root: &ShadowRoot, css: &str) {
    if let Some(sheet) = sheet(css) {
        root.set_adopted_style_sheets(&Array::of1(&sheet));
    }
}

/// Gives `root` the style sheet `css` after the first `count` ones.
pub fn add(root: &ShadowRoot, count: u32, css: &str) {
    if let Some(sheet) = sheet(css) {
        let sheets = root.adopted_style_sheets().slice(0, count);
        sheets.push(&sheet);
        root.set_adopted_style_sheets(&sheets);
    }
}

fn sheet(css: &str) -> Option<CssStyleSheet> {
    let sheet = CssStyleSheet::new().ok()?;
    sheet.replace_sync(css).ok().map(|()| sheet)
}
