//! Console of the browser.

/// Writes a warning for the authors of the page.
pub fn console_warn(text: &str) {
    leptos::logging::warn!("{text}");
}
