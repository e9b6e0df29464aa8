//! Texts of one language, from its file and from the page.

use std::cell::RefCell;

use booking_wire::JsonMap;
use serde_json::Value;

use super::english::id_of;

/// Texts by key and plural category; `other` also for texts without plural forms.
#[derive(Debug, Default)]
pub struct Catalogue {
    // Sorted by id.
    texts: Vec<Text>,
}

#[derive(Debug)]
struct Text {
    id: u32,
    category: &'static str,
    text: &'static str,
}

/// Plural categories of languages (CLDR).
const CATEGORIES: [&str; 6] = ["other", "zero", "one", "two", "few", "many"];

impl Catalogue {
    /// Reads the texts of a file and those of the page for `language`, which take precedence: by key, or by
    /// language and key.
    pub fn new(language: &str, file: &JsonMap, from_page: &JsonMap) -> Self {
        let mut catalogue = Self::default();
        for (name, value) in from_page {
            match value {
                Value::Object(forms) if !has_plural_forms(forms) => {
                    if name == language {
                        forms
                            .iter()
                            .for_each(|(name, value)| catalogue.add(name, value));
                    }
                }
                _ => catalogue.add(name, value),
            }
        }
        // Texts added first take precedence.
        for (name, value) in file {
            catalogue.add(name, value);
        }
        catalogue
    }

    fn add(&mut self, name: &str, value: &Value) {
        let id = id_of(name);
        // Inserted in order one by one: there are few, and code that sorts takes kilobytes.
        let mut index = self.texts.partition_point(|text| text.id < id);
        if self.texts.get(index).is_some_and(|text| text.id == id) {
            return;
        }
        let mut push = |category, value: &Value| {
            if let Value::String(text) = value {
                let text = intern(text);
                self.texts.insert(index, Text { id, category, text });
                index += 1;
            }
        };
        match value {
            Value::Object(forms) => {
                for category in CATEGORIES {
                    if let Some(form) = forms.get(category) {
                        push(category, form);
                    }
                }
            }
            text => push("other", text),
        }
    }

    /// Returns the text of a key for a plural category, or else for `other`.
    pub(super) fn text(&self, id: u32, category: &str) -> Option<&'static str> {
        let start = self.texts.partition_point(|text| text.id < id);
        let forms = self.texts.get(start..)?;
        let forms = || forms.iter().take_while(|text| text.id == id);
        let found = forms().find(|text| text.category == category);
        let found = found.or_else(|| forms().find(|text| text.category == "other"));
        found.map(|found| found.text)
    }
}

/// True if an object holds plural forms, and not texts by key.
fn has_plural_forms(forms: &JsonMap) -> bool {
    forms.contains_key("other")
}

thread_local! {
    // Texts of every language are `&'static str`: those of a file stay in memory for the page's life, each once
    // for all elements.
    static INTERNED: RefCell<Vec<&'static str>> = const { RefCell::new(Vec::new()) };
}

/// Returns the stored copy of a text.
fn intern(text: &str) -> &'static str {
    INTERNED.with_borrow_mut(|interned| match interned.binary_search(&text) {
        Ok(index) => interned.get(index).copied().unwrap_or_default(),
        Err(index) => {
            let text: &'static str = Box::leak(text.into());
            interned.insert(index, text);
            text
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn map(value: Value) -> JsonMap {
        value.as_object().cloned().unwrap()
    }

    #[test]
    fn text_by_key_and_plural_category_is_found() {
        let file =
            json!({"times": {"one": "{count} Zeit", "other": "{count} Zeiten"}, "book": "Buchen"});
        let catalogue = Catalogue::new("de", &map(file), &JsonMap::new());
        let text = |name, category| catalogue.text(id_of(name), category);
        assert_eq!(text("Times", "one"), Some("{count} Zeit"));
        assert_eq!(text("Times", "many"), Some("{count} Zeiten"));
        assert_eq!(text("Book", "other"), Some("Buchen"));
        assert_eq!(text("Cancel", "other"), None);
    }

    #[test]
    fn page_texts_with_or_without_language_take_precedence() {
        let file = map(json!({"book": "Buchen", "confirm": "Bestätigen"}));
        for (from_page, book) in [
            (json!({"book": "Los"}), "Los"),
            (json!({"Book": "Los"}), "Los"),
            (json!({"de": {"book": "Los"}}), "Los"),
            (json!({"fr": {"book": "Allons"}}), "Buchen"),
            (json!({"book": {"other": "Los"}}), "Los"),
            (json!({"book": 3}), "Buchen"),
        ] {
            let catalogue = Catalogue::new("de", &file, &map(from_page.clone()));
            assert_eq!(
                catalogue.text(id_of("Book"), "other"),
                Some(book),
                "{from_page}"
            );
            let confirm = catalogue.text(id_of("Confirm"), "other");
            assert_eq!(confirm, Some("Bestätigen"));
        }
    }

    #[test]
    fn intern_same_text_returns_same_copy() {
        let [first, second] = [intern("Noch einmal"), intern("Noch einmal")];
        assert!(std::ptr::eq(first, second));
    }
}
