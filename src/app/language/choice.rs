//! Choice of the app's language: from the address (`?lang=`), the tab's storage or the browser. Visitors change it in
//! the footer, the team on the account's screen.

use booking_ui::prelude::*;
use booking_wire::JsonMap;
use wasm_bindgen::prelude::*;

use super::translations;
use crate::app::tab_storage;
use crate::components::field::option;
use crate::components::{Shape, icon};
use crate::i18n::{Catalogue, Key, Language, direction_of, language_of, locale_for, use_texts};
use crate::time::Clock;
use crate::time::format::{browser_locale, browser_locales};

/// Languages with their own names, in the order of the choice.
const NAMES: [(&str, &str); 13] = [
    ("ar", "العربية"),
    ("de", "Deutsch"),
    ("en", "English"),
    ("es", "Español"),
    ("fr", "Français"),
    ("he", "עברית"),
    ("hi", "हिन्दी"),
    ("ja", "日本語"),
    ("nl", "Nederlands"),
    ("pl", "Polski"),
    ("pt-BR", "Português (Brasil)"),
    ("tr", "Türkçe"),
    ("zh-CN", "简体中文"),
];

/// Language of the app, and its change.
#[derive(Clone, Copy)]
pub(crate) struct LanguageChoice {
    language: Language,
    /// Tag of the language on screen.
    current: RwSignal<&'static str>,
    /// Tag of the language chosen last, whose translations may still be loading.
    wanted: RwSignal<&'static str>,
    /// True for the 12-hour clock.
    pub(crate) uses_12_hours: RwSignal<bool>,
}

impl LanguageChoice {
    /// Starts with `translations` to the language `tag`.
    pub(crate) fn new(tag: &'static str, translations: &JsonMap) -> Self {
        let locale = locale_of(tag);
        let choice = Self {
            language: Language::new(&locale, Clock::browser()),
            current: RwSignal::new(tag),
            wanted: RwSignal::new(tag),
            uses_12_hours: RwSignal::new(false),
        };
        choice.show(tag, translations);
        let is_default = choice.language.formats.prefers_12_hours();
        choice.uses_12_hours.set(is_default);
        choice
    }

    /// Returns the texts and formats, for the views of the app.
    pub(crate) fn language(self) -> Language {
        self.language
    }

    /// Shows the app in another language as soon as its translations are loaded, and remembers it.
    fn choose(self, tag: &'static str) {
        self.wanted.set(tag);
        spawn_local(async move {
            let loaded = translations::load(tag).await;
            if self.wanted.try_get_untracked() != Some(tag) {
                return;
            }
            let Some(translations) = loaded else {
                // The select control shows the language on screen again.
                self.wanted.set(self.current.get_untracked());
                return;
            };
            self.switch(tag, &translations);
            self.current.set(tag);
            tab_storage::write(tab_storage::LANGUAGE, tag);
            write_to_address(tag);
        });
    }

    /// Shows another language. A clock that is the default of the old one becomes that of the new one.
    fn switch(self, tag: &'static str, translations: &JsonMap) {
        let formats = self.language.formats;
        let is_default = self.uses_12_hours.get_untracked() == formats.prefers_12_hours();
        self.show(tag, translations);
        if is_default {
            self.uses_12_hours.set(formats.prefers_12_hours());
        }
    }

    fn show(self, tag: &'static str, translations: &JsonMap) {
        let catalogue = Catalogue::new(tag, translations, &JsonMap::new());
        self.language.set_locale(&locale_of(tag), catalogue);
        if let Some(page) = document().document_element() {
            // Setting constant attribute names and values cannot fail.
            let _ = page.set_attribute("lang", tag);
            let _ = page.set_attribute("dir", direction_of(tag));
        }
    }

    /// Select control of all languages, each in its own name. Keeps the focus when the language changes.
    pub(crate) fn view(self) -> Node {
        let texts = use_texts();
        let label = move || {
            self.current.with(|_| ());
            texts.get(Key::LanguageChoice).to_owned()
        };
        let options = NAMES.map(|(tag, name)| {
            option(tag, name, tag == self.current.get_untracked()).attr("lang", tag)
        });
        let select = el("select")
            .class("language-select")
            .attr_with("aria-label", move || Some(label()))
            .child(fragment_of(options))
            .on("change", move |event| {
                if let Some(tag) = language_of(&value_of(&event)) {
                    self.choose(tag);
                }
            })
            .value_with(move || self.wanted.get().to_owned());
        el("span")
            .class("language")
            .child(icon(Shape::Globe))
            .child(select)
    }
}

/// Returns the language to start with. One in the address is remembered, as other screens have no `?lang=`.
pub(crate) fn first_language() -> &'static str {
    let query = window().location().search().unwrap_or_default();
    let from_address = language_in(&query).and_then(language_of);
    if let Some(tag) = from_address {
        tab_storage::write(tab_storage::LANGUAGE, tag);
    }
    let stored = || language_of(&tab_storage::read(tab_storage::LANGUAGE)?);
    let from_browser = || browser_locales().iter().find_map(|tag| language_of(tag));
    from_address
        .or_else(stored)
        .or_else(from_browser)
        .unwrap_or("en")
}

fn locale_of(tag: &str) -> String {
    locale_for(tag, "", &browser_locale())
}

/// Replaces the language in the address, without a new history entry.
fn write_to_address(tag: &str) {
    let location = window().location();
    let query = with_language(&location.search().unwrap_or_default(), tag);
    let path = location.pathname().unwrap_or_default();
    if let Ok(history) = window().history() {
        // Fails only where a page may not change its URL; the language changes all the same.
        let state = history.state().unwrap_or(JsValue::NULL);
        let _ = history.replace_state_with_url(&state, "", Some(&format!("{path}?{query}")));
    }
}

/// Parameters of a query, with or without the `?`.
fn parameters(query: &str) -> impl Iterator<Item = &str> {
    let query = query.strip_prefix('?').unwrap_or(query);
    query.split('&').filter(|parameter| !parameter.is_empty())
}

/// Returns the language tag in a query.
fn language_in(query: &str) -> Option<&str> {
    parameters(query).find_map(|parameter| parameter.strip_prefix("lang="))
}

/// Returns `query` with another language.
fn with_language(query: &str, tag: &str) -> String {
    let mut changed = String::new();
    for parameter in parameters(query).filter(|parameter| !parameter.starts_with("lang=")) {
        changed.push_str(parameter);
        changed.push('&');
    }
    changed.push_str("lang=");
    changed.push_str(tag);
    changed
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::i18n::LANGUAGES;

    #[test]
    fn choice_has_every_language_once() {
        let mut named = NAMES.map(|(tag, _)| tag).to_vec();
        let mut all = LANGUAGES.to_vec();
        all.push("en");
        named.sort_unstable();
        all.sort_unstable();
        assert_eq!(named, all);
    }

    #[test]
    fn language_in_query_is_found_and_replaced() {
        for (query, language, changed) in [
            ("", None, "lang=de"),
            ("?lang=ar", Some("ar"), "lang=de"),
            (
                "?date=2026-11-27&lang=fr&view=week",
                Some("fr"),
                "date=2026-11-27&view=week&lang=de",
            ),
            ("?slang=x", None, "slang=x&lang=de"),
        ] {
            assert_eq!(language_in(query), language, "{query}");
            assert_eq!(with_language(query, "de"), changed, "{query}");
        }
    }
}
