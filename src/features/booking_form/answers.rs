//! What a visitor has answered so far. No document.

use super::phone;
use crate::addresses::addresses;

/// What a visitor gave as an answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Answer {
    /// Typed.
    Text(String),
    /// Ticked or not.
    Flag(bool),
    /// Chosen or collected.
    Many(Vec<String>),
    /// A telephone number.
    Phone {
        /// Two letters; empty if none is known.
        country: &'static str,
        /// As it was typed.
        number: String,
    },
}

/// Answers by slug. A form is short: looking through it is less code than a map.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Answers {
    list: Vec<(String, Answer)>,
    /// The country of telephone numbers, as long as none was chosen.
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

    /// Whether there is an answer, be it an empty one.
    pub fn has(&self, slug: &str) -> bool {
        self.get(slug).is_some()
    }

    /// The slugs of what is answered and not empty.
    pub fn given(&self) -> Vec<String> {
        let is_given = |answer: &Answer| match answer {
            Answer::Text(text) | Answer::Phone { number: text, .. } => !text.trim().is_empty(),
            Answer::Flag(flag) => *flag,
            Answer::Many(values) => !values.is_empty(),
        };
        let given = self.list.iter().filter(|(_, answer)| is_given(answer));
        given.map(|(slug, _)| slug.clone()).collect()
    }

    /// The answer, if there is one.
    pub(super) fn get(&self, slug: &str) -> Option<&Answer> {
        let found = self.list.iter().find(|(known, _)| known == slug);
        found.map(|(_, answer)| answer)
    }

    /// What was typed.
    pub fn text(&self, slug: &str) -> &str {
        match self.get(slug) {
            Some(Answer::Text(text) | Answer::Phone { number: text, .. }) => text,
            _ => "",
        }
    }

    /// Whether it was ticked.
    pub fn flag(&self, slug: &str) -> bool {
        matches!(self.get(slug), Some(Answer::Flag(true)))
    }

    /// What was chosen.
    pub fn many(&self, slug: &str) -> Vec<String> {
        match self.get(slug) {
            Some(Answer::Many(values)) => values.clone(),
            Some(Answer::Text(text)) if !text.is_empty() => vec![text.clone()],
            _ => Vec::new(),
        }
    }

    /// The addresses that were collected.
    pub fn addresses(&self, slug: &str) -> Vec<String> {
        match self.get(slug) {
            Some(Answer::Text(text)) => addresses(text),
            _ => self.many(slug),
        }
    }

    /// The country that a telephone number is dialled in: the one it names itself, else the one that
    /// was chosen.
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

    /// The telephone number in E.164, if it can be made that.
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
