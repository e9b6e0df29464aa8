//! Every sentence that people read, by key. Dates and numbers belong to `time::format`.

mod english;

use leptos::prelude::use_context;

pub use english::Key;

/// The texts of one language.
#[derive(Clone, Copy, Debug, Default)]
pub struct Texts;

impl Texts {
    /// The sentence of `key`.
    pub fn get(self, key: Key) -> &'static str {
        key.english()
    }

    /// The sentence of `key` with each `{name}` replaced by its value.
    pub fn fill(self, key: Key, values: &[(&str, &str)]) -> String {
        fill(self.get(key), values)
    }

    /// `one` if `count` is 1, else `many`, with `{count}` filled in.
    pub fn count(self, one: Key, many: Key, count: usize) -> String {
        let key = if count == 1 { one } else { many };
        self.fill(key, &[("count", &count.to_string())])
    }
}

/// The language tag used for dates: that of the page if its sentences exist in this language, else
/// English, so that sentences and dates do not mix languages. A page that names no region leaves
/// the order of day and month and the hour cycle to the visitor's.
pub fn locale_for(page: &str, visitor: &str) -> String {
    let language = page.split(['-', '_']).next().unwrap_or_default();
    let has_sentences = language.is_empty() || language.eq_ignore_ascii_case("en");
    let region = region_of(page)
        .filter(|_| has_sentences)
        .or_else(|| region_of(visitor))
        .or_else(|| region_of(page));
    region.map_or_else(
        || "en".to_owned(),
        |region| format!("en-{}", region.to_ascii_uppercase()),
    )
}

fn region_of(tag: &str) -> Option<&str> {
    let is_region =
        |part: &&str| part.len() == 2 && part.bytes().all(|letter| letter.is_ascii_alphabetic());
    tag.split(['-', '_']).skip(1).find(is_region)
}

/// The texts of the mounted root; there is one language so far.
pub fn use_texts() -> Texts {
    Texts
}

/// The formats of the mounted root.
pub fn use_formats() -> crate::time::Formats {
    use_context().unwrap_or_else(|| crate::time::Formats::new("en"))
}

fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let mut filled = String::with_capacity(template.len() + 16);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let Some((name, tail)) = after.split_once('}') else {
            rest = after;
            break;
        };
        if let Some((_, value)) = values.iter().find(|(known, _)| *known == name) {
            filled.push_str(value);
        }
        rest = tail;
    }
    filled.push_str(rest);
    filled
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_filled_by_name_and_values_are_not_read_again() {
        assert_eq!(
            fill("{a} and {b}", &[("b", "{a}"), ("a", "1")]),
            "1 and {a}"
        );
        assert_eq!(fill("none", &[("a", "1")]), "none");
        assert_eq!(fill("{unknown}!", &[]), "!");
    }

    #[test]
    fn dates_follow_the_pages_region_and_else_the_visitors() {
        for (page, visitor, used) in [
            ("en-GB", "de-DE", "en-GB"),
            ("en_US", "de-DE", "en-US"),
            ("en", "de-DE", "en-DE"),
            ("", "en-IN", "en-IN"),
            ("zh-Hant-TW", "de", "en-TW"),
            ("de-AT", "de-CH", "en-CH"),
            ("fr", "fr", "en"),
            ("", "", "en"),
        ] {
            assert_eq!(locale_for(page, visitor), used, "{page} {visitor}");
        }
    }
}
