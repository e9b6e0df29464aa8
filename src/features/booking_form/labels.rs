//! Labels and error messages of fields.

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

/// Error message for the value of the field `label`, with a remedy.
pub(super) fn error_text(error: &FieldError, label: &str, texts: Translations) -> String {
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
