//! Constructed style sheets: they work where a page's Content Security Policy forbids `<style>`.

use js_sys::Array;
use web_sys::{CssStyleSheet, ShadowRoot};

/// Sets `css` as the only style sheet of `root`.
pub fn adopt_style_sheet(root: &ShadowRoot, css: &str) {
    if let Some(sheet) = style_sheet(css) {
        root.set_adopted_style_sheets(&Array::of1(&sheet));
    }
}

/// Adds `css` to the style sheets of `root`, as the last one.
pub fn add_style_sheet(root: &ShadowRoot, css: &str) {
    if let Some(sheet) = style_sheet(css) {
        root.adopted_style_sheets().push(&sheet);
    }
}

/// Makes a style sheet of `css`.
pub fn style_sheet(css: &str) -> Option<CssStyleSheet> {
    let sheet = CssStyleSheet::new().ok()?;
    sheet.replace_sync(css).ok().map(|()| sheet)
}
