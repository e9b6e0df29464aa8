//! The sentences of a root, and how a language counts.

use std::cell::OnceCell;
use std::rc::Rc;

use super::Key;
use super::catalogue::Catalogue;
use crate::signal::StoredValue;
use crate::time::format::{Teller, number_writer, plural_chooser};

/// The texts of one root. Cheap to copy; all copies change their language together.
#[derive(Clone, Copy)]
pub struct Texts(Option<StoredValue<Rc<Spoken>>>);

struct Spoken {
    locale: String,
    catalogue: Catalogue,
    // Made when the first number is written: many screens write none.
    numbers: OnceCell<Option<Teller>>,
    plurals: OnceCell<Option<Teller>>,
}

impl Spoken {
    fn new(locale: &str, catalogue: Catalogue) -> Rc<Self> {
        Rc::new(Self {
            locale: locale.to_owned(),
            catalogue,
            numbers: OnceCell::new(),
            plurals: OnceCell::new(),
        })
    }

    fn number(&self, number: i64) -> Option<String> {
        let writer = self.numbers.get_or_init(|| number_writer(&self.locale));
        writer.as_ref()?.tell(number)
    }

    fn category(&self, count: i64) -> Option<String> {
        let chooser = self.plurals.get_or_init(|| plural_chooser(&self.locale));
        chooser.as_ref()?.tell(count)
    }
}

impl Texts {
    /// English, with plain digits.
    pub const ENGLISH: Self = Self(None);

    /// English, with the digits of `locale`.
    pub(crate) fn new(locale: &str) -> Self {
        let spoken = Spoken::new(locale, Catalogue::default());
        Self(Some(StoredValue::new(spoken)))
    }

    pub(crate) fn speak(self, locale: &str, catalogue: Catalogue) {
        if let Some(spoken) = self.0 {
            spoken.set_value(Spoken::new(locale, catalogue));
        }
    }

    fn spoken(self) -> Option<Rc<Spoken>> {
        self.0?.try_get_value()
    }

    /// Whether the sentences are English, as those of services are.
    pub fn is_english(self) -> bool {
        let spoken = self.spoken();
        spoken.is_none_or(|spoken| {
            let primary = spoken.locale.split('-').next();
            primary.is_none_or(|primary| matches!(primary, "" | "en"))
        })
    }

    /// The sentence of `key`.
    pub fn get(self, key: Key) -> &'static str {
        self.spoken()
            .and_then(|spoken| spoken.catalogue.text(key.id(), "other"))
            .unwrap_or_else(|| key.english(false))
    }

    /// The sentence of `key` with each `{name}` replaced by its value.
    pub fn fill(self, key: Key, values: &[(&str, &str)]) -> String {
        fill(self.get(key), values)
    }

    /// The sentence of `key` in the form that its language uses for `count`, with `{count}` filled
    /// in.
    pub fn count(self, key: Key, count: usize) -> String {
        self.count_with(key, count, &[])
    }

    /// The same with more values.
    pub fn count_with(self, key: Key, count: usize, values: &[(&str, &str)]) -> String {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let spoken = self.spoken();
        let text = spoken.as_ref().and_then(|spoken| {
            let category = spoken.category(count)?;
            spoken.catalogue.text(key.id(), &category)
        });
        let text = text.unwrap_or_else(|| key.english(count == 1));
        // Copied rather than chained: the number goes first, whatever a value says.
        let mut all = vec![("count", "")];
        all.extend_from_slice(values);
        let number = self.number(count);
        if let Some(first) = all.first_mut() {
            first.1 = &number;
        }
        fill(text, &all)
    }

    /// A whole number in the language's digits, grouped as usual.
    pub fn number(self, number: i64) -> String {
        self.spoken()
            .and_then(|spoken| spoken.number(number))
            .unwrap_or_else(|| number.to_string())
    }
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
    fn english_counts_one_and_others() {
        let texts = Texts::ENGLISH;
        assert_eq!(texts.count(Key::ZonesFound, 1), "1 time zone");
        assert_eq!(texts.count(Key::ZonesFound, 0), "0 time zones");
        let day = [("day", "Tuesday")];
        assert_eq!(
            texts.count_with(Key::TimesLoaded, 2, &day),
            "2 times on Tuesday"
        );
    }
}
