//! Field values of the form. No DOM access.

use super::phone;
use crate::features::shared::email_list::addresses;

/// Value of one field.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum FieldValue {
    /// Typed text.
    Text(String),
    /// State of a checkbox.
    Flag(bool),
    /// Selected or collected values.
    Many(Vec<String>),
    /// Phone number.
    Phone {
        /// Two-letter code; empty if unknown.
        country: &'static str,
        /// Number as typed.
        number: String,
    },
}

/// Values by slug. Forms are short: a linear search needs less code than a map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FieldValues {
    entries: Vec<(String, FieldValue)>,
    /// Default country of phone numbers, until one is selected.
    pub country: &'static str,
}

impl FieldValues {
    /// Sets a value.
    pub fn set(&mut self, slug: &str, value: FieldValue) {
        match self.entries.iter_mut().find(|(known, _)| known == slug) {
            Some((_, before)) => *before = value,
            None => self.entries.push((slug.to_owned(), value)),
        }
    }

    /// Returns the values of `slugs` only.
    pub(super) fn with_only(&self, slugs: &[String]) -> Self {
        let mut values = self.clone();
        values.entries.retain(|(slug, _)| slugs.contains(slug));
        values
    }

    /// Sets all values of `others`; the rest stays.
    pub(super) fn set_all(&mut self, others: Self) {
        for (slug, value) in others.entries {
            self.set(&slug, value);
        }
    }

    /// True if there is a value, even an empty one.
    pub fn has(&self, slug: &str) -> bool {
        self.get(slug).is_some()
    }

    /// Slugs of the values that are not empty.
    pub fn filled_slugs(&self) -> Vec<String> {
        let is_filled = |value: &FieldValue| match value {
            FieldValue::Text(text) | FieldValue::Phone { number: text, .. } => {
                !text.trim().is_empty()
            }
            FieldValue::Flag(flag) => *flag,
            FieldValue::Many(values) => !values.is_empty(),
        };
        let filled = self.entries.iter().filter(|(_, value)| is_filled(value));
        filled.map(|(slug, _)| slug.clone()).collect()
    }

    /// Value, if there is one.
    pub(super) fn get(&self, slug: &str) -> Option<&FieldValue> {
        let found = self.entries.iter().find(|(known, _)| known == slug);
        found.map(|(_, value)| value)
    }

    /// Typed text.
    pub fn text(&self, slug: &str) -> &str {
        match self.get(slug) {
            Some(FieldValue::Text(text) | FieldValue::Phone { number: text, .. }) => text,
            _ => "",
        }
    }

    /// True if ticked.
    pub fn flag(&self, slug: &str) -> bool {
        matches!(self.get(slug), Some(FieldValue::Flag(true)))
    }

    /// Selected values.
    pub fn many(&self, slug: &str) -> Vec<String> {
        match self.get(slug) {
            Some(FieldValue::Many(values)) => values.clone(),
            Some(FieldValue::Text(text)) if !text.is_empty() => vec![text.clone()],
            _ => Vec::new(),
        }
    }

    /// Collected e-mail addresses.
    pub fn addresses(&self, slug: &str) -> Vec<String> {
        match self.get(slug) {
            Some(FieldValue::Text(text)) => addresses(text),
            _ => self.many(slug),
        }
    }

    /// Country of a phone number: that of its own country code, else the selected one.
    pub fn country(&self, slug: &str) -> &'static str {
        let (selected, number) = match self.get(slug) {
            Some(FieldValue::Phone { country, number }) => (*country, number.as_str()),
            Some(FieldValue::Text(number)) => (self.country, number.as_str()),
            _ => return self.country,
        };
        let number = phone::e164("", number);
        if number.starts_with('+') {
            phone::country_of(&number, selected).unwrap_or_default()
        } else {
            selected
        }
    }

    /// Phone number in E.164, if it can be converted.
    pub fn phone(&self, slug: &str) -> String {
        phone::e164(self.country(slug), self.text(slug))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phone_with_plus_sign_overrides_selected_country() {
        let mut values = FieldValues {
            country: "DE",
            ..FieldValues::default()
        };
        assert_eq!(values.country("phone"), "DE");
        for (country, number, expected) in [
            ("FR", "06 12 34 56 78", ("FR", "+33612345678")),
            ("FR", "+44 20 7946 0018", ("GB", "+442079460018")),
            ("FR", "0049 30 1234567", ("DE", "+49301234567")),
            ("FR", "+999", ("", "+999")),
        ] {
            let number = number.to_owned();
            values.set("phone", FieldValue::Phone { country, number });
            assert_eq!(
                (values.country("phone"), values.phone("phone").as_str()),
                expected
            );
        }
        values.set("other", FieldValue::Text("030 1234567".to_owned()));
        assert_eq!(values.phone("other"), "+49301234567");
    }
}
