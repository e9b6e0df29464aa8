//! Labels of fields, and their error messages: below the field and in the summary of errors.

use booking_wire::{FieldKind, MAX_GUESTS};

use super::field::{InputField, LOCATION, LOCATION_ADDRESS, LOCATION_PHONE, LOCATION_TEXT};
use super::validation::FieldError;
use crate::i18n::{Key, Translations};

/// Maximum number of label characters in an error message.
const MAX_LABEL: usize = 80;

/// Label of a field.
pub(super) fn label_of(field: &InputField, texts: Translations) -> String {
    if let Some(label) = field.label.as_ref().or(field.title.as_ref()) {
        return label.clone();
    }
    let key = match (field.slug.as_str(), field.kind) {
        (LOCATION, _) => Key::Place,
        (LOCATION_PHONE, _) => Key::PlaceYourNumber,
        (LOCATION_ADDRESS, _) => Key::PlaceYourAddress,
        (LOCATION_TEXT, _) => Key::PlaceYourWords,
        ("guests", _) => Key::Guests,
        ("notes", _) => Key::Notes,
        ("title", _) => Key::MeetingTitle,
        (_, FieldKind::Email) => Key::EmailAddress,
        (_, FieldKind::Phone) => Key::PhoneNumber,
        _ => Key::YourName,
    };
    texts.get(key).to_owned()
}

/// Error message below a field, which does not repeat its label. In the summary:
/// [`error_in_summary`].
pub(super) fn error_below_field(error: &FieldError, texts: Translations) -> String {
    let bound = |key: Key, name: &str, bound: i64| texts.fill(key, &[(name, &bound.to_string())]);
    let key = match error {
        FieldError::Required | FieldError::RequiredChoice | FieldError::RequiredTick => {
            Key::AnswerNeeded
        }
        FieldError::Email => Key::EnterEmail,
        FieldError::Emails(text) => return texts.fill(Key::NotAnEmail, &[("text", &cut(text))]),
        FieldError::TooManyEmails => return bound(Key::AtMostEmails, "most", MAX_GUESTS as i64),
        FieldError::Phone => Key::EnterPhone,
        FieldError::Url => Key::EnterUrl,
        FieldError::Number => Key::EnterNumber,
        FieldError::TooSmall(least) => return bound(Key::AtLeast, "least", *least),
        FieldError::TooLarge(most) => return bound(Key::AtMost, "most", *most),
        FieldError::TooShort(least) => return bound(Key::MinCharacters, "least", *least),
        FieldError::TooLong(most) => return bound(Key::MaxCharacters, "most", *most),
        FieldError::Rejected(message) if !message.is_empty() && texts.is_english() => {
            return sentence(message);
        }
        FieldError::Rejected(_) => Key::NotAccepted,
    };
    texts.get(key).to_owned()
}

/// `text` with a capital letter at the start.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// Error message in the summary of several fields: names the field `label` and the remedy. Below the
/// field: [`error_below_field`].
pub(super) fn error_in_summary(error: &FieldError, label: &str, texts: Translations) -> String {
    let bound = |key: Key, name: &str, bound: i64| (key, name.to_owned(), bound.to_string());
    let (key, name, value) = match error {
        FieldError::Required => (Key::FillIn, String::new(), String::new()),
        FieldError::RequiredChoice => (Key::ChooseAnswer, String::new(), String::new()),
        FieldError::RequiredTick => (Key::TickBox, String::new(), String::new()),
        FieldError::Email => (Key::EmailOdd, String::new(), String::new()),
        FieldError::Emails(text) => (Key::EmailsOdd, "text".to_owned(), cut(text)),
        FieldError::TooManyEmails => bound(Key::EmailsTooMany, "most", MAX_GUESTS as i64),
        FieldError::Phone => (Key::PhoneOdd, String::new(), String::new()),
        FieldError::Url => (Key::UrlOdd, String::new(), String::new()),
        FieldError::Number => (Key::NumberOdd, String::new(), String::new()),
        FieldError::TooSmall(least) => bound(Key::NumberTooSmall, "least", *least),
        FieldError::TooLarge(most) => bound(Key::NumberTooLarge, "most", *most),
        FieldError::TooShort(least) => bound(Key::TextTooShort, "least", *least),
        FieldError::TooLong(most) => bound(Key::TextTooLong, "most", *most),
        // Services respond in English.
        FieldError::Rejected(message) if message.is_empty() || !texts.is_english() => {
            (Key::AnswerNotAccepted, String::new(), String::new())
        }
        FieldError::Rejected(message) => {
            (Key::AnswerRefused, "message".to_owned(), message.to_owned())
        }
    };
    texts.fill(key, &[("label", &cut(label)), (&name, &value)])
}

fn cut(text: &str) -> String {
    let mut start: String = text.trim().chars().take(MAX_LABEL).collect();
    if start.len() < text.trim().len() {
        start.push('…');
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn error_below_field_does_not_repeat_label() {
        let rejected = |message: &str| FieldError::Rejected(message.to_owned());
        for (error, text) in [
            (FieldError::Required, "Required"),
            (FieldError::RequiredChoice, "Required"),
            (FieldError::RequiredTick, "Required"),
            (FieldError::Email, "Enter a valid email address."),
            (
                FieldError::Emails("dee".to_owned()),
                "“dee” is not an email address.",
            ),
            (FieldError::TooManyEmails, "No more than 30 addresses."),
            (FieldError::TooSmall(3), "Must be 3 or more."),
            (FieldError::TooLong(300), "No more than 300 characters."),
            (rejected("must be about engines"), "Must be about engines"),
            (rejected(""), "Not accepted. Please check it."),
        ] {
            assert_eq!(
                error_below_field(&error, Translations::ENGLISH),
                text,
                "{error:?}"
            );
        }
    }
}
