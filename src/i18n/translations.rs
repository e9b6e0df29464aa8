//! Texts of a root, and plural rules of its language.

use std::cell::OnceCell;
use std::rc::Rc;

use booking_ui::prelude::*;
use booking_wire::formats::text_language::direction_of;

use super::catalogue::Catalogue;
use super::english::Key;
use crate::time::format::NumberFormatter;

/// Texts of one root. Cheap to copy; all copies change their language together.
#[derive(Clone, Copy)]
pub struct Translations(Option<StoredValue<Rc<LocaleTexts>>>);

struct LocaleTexts {
    locale: String,
    direction: Direction,
    catalogue: Catalogue,
    // Created for the first number: many screens format none.
    numbers: OnceCell<Option<NumberFormatter>>,
    plurals: OnceCell<Option<NumberFormatter>>,
}

impl LocaleTexts {
    fn new(locale: &str, catalogue: Catalogue) -> Rc<Self> {
        Rc::new(Self {
            locale: locale.to_owned(),
            direction: Direction::of(locale),
            catalogue,
            numbers: OnceCell::new(),
            plurals: OnceCell::new(),
        })
    }

    fn number(&self, number: i64) -> Option<String> {
        let formatter = self
            .numbers
            .get_or_init(|| NumberFormatter::decimal(&self.locale));
        formatter.as_ref()?.format(number)
    }

    fn category(&self, count: i64) -> Option<String> {
        let formatter = self
            .plurals
            .get_or_init(|| NumberFormatter::plural_category(&self.locale));
        formatter.as_ref()?.format(count)
    }
}

impl Translations {
    /// English texts, with plain digits.
    pub const ENGLISH: Self = Self(None);

    /// English texts, with the digits of `locale`.
    pub(crate) fn new(locale: &str) -> Self {
        let texts = LocaleTexts::new(locale, Catalogue::default());
        Self(Some(StoredValue::new(texts)))
    }

    pub(crate) fn set_locale(self, locale: &str, catalogue: Catalogue) {
        if let Some(texts) = self.0 {
            texts.set_value(LocaleTexts::new(locale, catalogue));
        }
    }

    fn current(self) -> Option<Rc<LocaleTexts>> {
        self.0?.try_get_value()
    }

    /// True if the texts are English, as those of services are.
    pub fn is_english(self) -> bool {
        let texts = self.current();
        texts.is_none_or(|texts| {
            let primary = texts.locale.split('-').next();
            primary.is_none_or(|primary| matches!(primary, "" | "en"))
        })
    }

    /// Returns the text of `key`.
    pub fn get(self, key: Key) -> &'static str {
        self.current()
            .and_then(|texts| texts.catalogue.text(key.id(), "other"))
            .unwrap_or_else(|| key.english(false))
    }

    /// Returns the text of `key` with each `{name}` replaced by its value, for display: see `Direction`.
    pub fn fill(self, key: Key, values: &[(&str, &str)]) -> String {
        fill(self.get(key), values, self.direction())
    }

    /// Returns the same without invisible characters, for text that is edited, sent or saved.
    pub fn fill_plain(self, key: Key, values: &[(&str, &str)]) -> String {
        fill(self.get(key), values, Direction::Unmarked)
    }

    /// Returns what separates the items of a list, such as `", "`.
    pub fn list_separator(self) -> &'static str {
        let between = |text: &'static str| {
            let (_, rest) = text.split_once('}')?;
            rest.split_once('{').map(|(separator, _)| separator)
        };
        between(self.get(Key::TwoItems)).unwrap_or(", ")
    }

    fn direction(self) -> Direction {
        self.current()
            .map_or(Direction::LeftToRight, |texts| texts.direction)
    }

    /// Returns the plural form of `key` for `count`, with `{count}` filled in.
    pub fn count(self, key: Key, count: usize) -> String {
        self.count_with(key, count, &[])
    }

    /// Returns the same with more values.
    pub fn count_with(self, key: Key, count: usize, values: &[(&str, &str)]) -> String {
        let count = i64::try_from(count).unwrap_or(i64::MAX);
        let texts = self.current();
        let text = texts.as_ref().and_then(|texts| {
            let category = texts.category(count)?;
            texts.catalogue.text(key.id(), &category)
        });
        let text = text.unwrap_or_else(|| key.english(count == 1));
        // The number goes first: it takes precedence over a value named `count`.
        let mut all = vec![("count", "")];
        all.extend_from_slice(values);
        let number = self.number(count);
        if let Some(first) = all.first_mut() {
            first.1 = &number;
        }
        fill(text, &all, self.direction())
    }

    /// Formats a whole number with the language's digits and grouping.
    pub fn number(self, number: i64) -> String {
        self.current()
            .and_then(|texts| texts.number(number))
            .unwrap_or_else(|| number.to_string())
    }
}

/// Direction of a text. A value with letters of the other direction is enclosed in a bidirectional isolate:
/// otherwise its punctuation, and the text after it, is shown on the wrong side. A value without letters, such
/// as a range of numbers, keeps the direction of the text.
#[derive(Clone, Copy)]
enum Direction {
    LeftToRight,
    RightToLeft,
    /// No isolates.
    Unmarked,
}

impl Direction {
    fn of(locale: &str) -> Self {
        let language = locale.split('-').next().unwrap_or(locale);
        match direction_of(language) {
            "rtl" => Self::RightToLeft,
            _ => Self::LeftToRight,
        }
    }

    fn isolates(self, value: &str) -> bool {
        let is_right_to_left = |letter: char| matches!(letter, '\u{590}'..='\u{8ff}' | '\u{fb1d}'..='\u{fdff}' | '\u{fe70}'..='\u{feff}');
        match self {
            Self::LeftToRight => value.contains(is_right_to_left),
            // General punctuation and symbols have no direction of their own.
            Self::RightToLeft => {
                // The groups of a phone number would be shown in reverse.
                value.starts_with('+')
                    || value.contains(|letter: char| {
                        letter.is_ascii_alphabetic()
                            || (letter >= '\u{c0}'
                                && !is_right_to_left(letter)
                                && !matches!(letter, '\u{2000}'..='\u{2bff}'))
                    })
            }
            Self::Unmarked => false,
        }
    }
}

/// First strong isolate: the first letter decides on the direction.
const ISOLATE: char = '\u{2068}';
const ISOLATE_END: char = '\u{2069}';

fn fill(template: &str, values: &[(&str, &str)], direction: Direction) -> String {
    let mut filled = String::with_capacity(template.len() + 16);
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        filled.push_str(before);
        let Some((name, tail)) = after.split_once('}') else {
            rest = after;
            break;
        };
        if let Some((_, value)) = values.iter().find(|(known, _)| *known == name) {
            let isolates = direction.isolates(value);
            if isolates {
                filled.push(ISOLATE);
            }
            filled.push_str(value);
            if isolates {
                filled.push(ISOLATE_END);
            }
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
    fn fill_value_with_placeholder_is_not_filled_again() {
        let fill = |template, values: &[_]| super::fill(template, values, Direction::LeftToRight);
        assert_eq!(
            fill("{a} and {b}", &[("b", "{a}"), ("a", "1")]),
            "1 and {a}"
        );
        assert_eq!(fill("none", &[("a", "1")]), "none");
        assert_eq!(fill("{unknown}!", &[]), "!");
    }

    #[test]
    fn fill_value_of_other_direction_is_isolated() {
        let plain = "How many people will use it?";
        for (locale, value, is_isolated) in [
            ("ar-EG-u-nu-latn", plain, true),
            ("he", plain, true),
            // A text of isolates alone, as a date and a time, would have no direction.
            ("ar", "\u{62f}\u{627}\u{631}", false),
            ("ar", "\u{62f}\u{627}\u{631} Zo\u{eb}", true),
            ("ar", "Zo\u{eb}", true),
            // A range keeps the direction of the text.
            ("ar", "21\u{2013}40", false),
            ("ar", "12:30", false),
            ("ar", "+49 30 1234567", true),
            ("en", "+49 30 1234567", false),
            ("ar", "", false),
            ("en-GB", plain, false),
            ("de", "Zo\u{eb} \u{2013} 3 \u{20ac}", false),
            ("en", "\u{5d3}\u{5e0}\u{5d4} (2)", true),
            ("ja", "\u{4e88}\u{7d04}", false),
        ] {
            let filled = super::fill("<{label}>", &[("label", value)], Direction::of(locale));
            let expected = match is_isolated {
                true => format!("<\u{2068}{value}\u{2069}>"),
                false => format!("<{value}>"),
            };
            assert_eq!(filled, expected, "{locale}");
        }
        // Text that is edited, sent or saved has no invisible characters.
        let filled = super::fill("<{label}>", &[("label", plain)], Direction::Unmarked);
        assert_eq!(filled, format!("<{plain}>"));
    }

    #[test]
    fn list_separator_comes_from_the_catalogue() {
        assert_eq!(Translations::ENGLISH.list_separator(), ", ");
    }

    #[test]
    fn count_in_english_has_one_and_other() {
        let texts = Translations::ENGLISH;
        assert_eq!(texts.count(Key::ZonesFound, 1), "1 time zone");
        assert_eq!(texts.count(Key::ZonesFound, 0), "0 time zones");
        let day = [("day", "Tuesday")];
        assert_eq!(
            texts.count_with(Key::TimesLoaded, 2, &day),
            "2 times on Tuesday"
        );
    }
}
