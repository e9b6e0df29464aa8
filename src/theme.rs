//! Adopts the style sheet of an artefact into a root. A constructed sheet works where a page's
//! policy forbids `<style>`.

use js_sys::Array;
use web_sys::{CssStyleSheet, ShadowRoot};

/// Styles of the picker.
pub const PICKER: &str = include_str!(concat!(env!("OUT_DIR"), "/picker.css"));
/// Styles of the booking list and the roles.
pub const STAFF: &str = include_str!(concat!(env!("OUT_DIR"), "/staff.css"));
/// Styles of the app: all of the above and its own.
pub const APP: &str = include_str!(concat!(env!("OUT_DIR"), "/app.css"));

/// Gives `root` the style sheet `css`.
pub fn adopt(root: &ShadowRoot, css: &str) {
    let Ok(sheet) = CssStyleSheet::new() else {
        return;
    };
    if sheet.replace_sync(css).is_ok() {
        root.set_adopted_style_sheets(&Array::of1(&sheet));
    }
}
