//! Current answers of a visitor. No DOM access.

use super::phone;
use crate::features::shared::email_list::addresses;

/// Answer to one question.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
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

/// Answers by slug. Forms are short: a linear search needs less code than a map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    list: Vec<(String, Answer)>,
    /// Default country of phone numbers, until one is selected.
    pub country: &'static str,
}

impl Answers {
    /// Sets an answer.
    pub fn set(&mut self, slug: &str, answer: Answer) {
        match self.list.iter_mut().find(|(known, _)| known == slug) {
            Some((_, before)) => *before = answer,
            None => self.list.push((slug.to_owned(), answer)),
        }
    }

    /// True if there is an answer, even an empty one.
    pub fn has(&self, slug: &str) -> bool {
        self.get(slug).is_some()
    }

    /// Slugs of the answers that are not empty.
    pub fn given(&self) -> Vec<String> {
        let is_given = |answer: &Answer| match answer {
            Answer::Text(text) | Answer::Phone { number: text, .. } => !text.trim().is_empty(),
            Answer::Flag(flag) => *flag,
            Answer::Many(values) => !values.is_empty(),
        };
        let given = self.list.iter().filter(|(_, answer)| is_given(answer));
        given.map(|(slug, _)| slug.clone()).collect()
    }

    /// Answer, if there is one.
    pub(super) fn get(&self, slug: &str) -> Option<&Answer> {
        let found = self.list.iter().find(|(known, _)| known == slug);
        found.map(|(_, answer)| answer)
    }

    /// Typed text.
    pub fn text(&self, slug: &str) -> &str {
        match self.get(slug) {
            Some(Answer::Text(text) | Answer::Phone { number: text, .. }) => text,
            _ => "",
        }
    }

    /// True if ticked.
    pub fn flag(&self, slug: &str) -> bool {
        matches!(self.get(slug), Some(Answer::Flag(true)))
    }

    /// Selected values.
    pub fn many(&self, slug: &str) -> Vec<String> {
        match self.get(slug) {
            Some(Answer::Many(values)) => values.clone(),
            Some(Answer::Text(text)) if !text.is_empty() => vec![text.clone()],
            _ => Vec::new(),
        }
    }

    /// Collected e-mail addresses.
    pub fn addresses(&self, slug: &str) -> Vec<String> {
        match self.get(slug) {
            Some(Answer::Text(text)) => addresses(text),
            _ => self.many(slug),
        }
    }

    /// Country of a phone number: that of its own country code, else the selected one.
    pub fn country(&self, slug: &str) -> &'static str {
        let (chosen, number) = match self.get(slug) {
            Some(Answer::Phone { country, number }) => (*country, number.as_str()),
            Some(Answer::Text(number)) => (self.country, number.as_str()),
            _ => return self.country,
        };
        let number = phone::e164("", number);
        if number.starts_with('+') {
            phone::country_of(&number, chosen).unwrap_or_default()
        } else {
            chosen
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
    fn a_number_with_a_plus_sign_overrides_the_chosen_country() {
        let mut answers = Answers {
            country: "DE",
            ..Answers::default()
        };
        assert_eq!(answers.country("phone"), "DE");
        for (country, number, expected) in [
            ("FR", "06 12 34 56 78", ("FR", "+33612345678")),
            ("FR", "+44 20 7946 0018", ("GB", "+442079460018")),
            ("FR", "0049 30 1234567", ("DE", "+49301234567")),
            ("FR", "+999", ("", "+999")),
        ] {
            let number = number.to_owned();
            answers.set("phone", Answer::Phone { country, number });
            assert_eq!(
                (answers.country("phone"), answers.phone("phone").as_str()),
                expected
            );
        }
        answers.set("other", Answer::Text("030 1234567".to_owned()));
        assert_eq!(answers.phone("other"), "+49301234567");
    }
}
