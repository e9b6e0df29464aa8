//! Labels and error messages of questions.

use booking_wire::FieldKind;

use super::check::{FieldError, MOST_GUESTS};
use super::model::{PLACE, PLACE_ADDRESS, PLACE_PHONE, PLACE_WORDS, Question};
use crate::i18n::{Key, Translations};

/// Maximum number of label characters in an error message.
const MOST_LABEL: usize = 80;

/// Label of a question.
pub(super) fn label_of(question: &Question, texts: Translations) -> String {
    if let Some(label) = question.label.as_ref().or(question.title.as_ref()) {
        return label.clone();
    }
    let key = match (question.slug.as_str(), question.kind) {
        (PLACE, _) => Key::Place,
        (PLACE_PHONE, _) => Key::PlaceYourNumber,
        (PLACE_ADDRESS, _) => Key::PlaceYourAddress,
        (PLACE_WORDS, _) => Key::PlaceYourWords,
        ("guests", _) => Key::Guests,
        ("notes", _) => Key::Notes,
        ("title", _) => Key::MeetingTitle,
        (_, FieldKind::Email) => Key::EmailAddress,
        (_, FieldKind::Phone) => Key::PhoneNumber,
        _ => Key::YourName,
    };
    texts.get(key).to_owned()
}

/// Error message for the answer to the question `label`, with a remedy.
pub(super) fn complaint_text(complaint: &FieldError, label: &str, texts: Translations) -> String {
    let bound = |key: Key, name: &str, bound: i64| (key, name.to_owned(), bound.to_string());
    let (key, name, value) = match complaint {
        FieldError::Required => (Key::FillIn, String::new(), String::new()),
        FieldError::RequiredChoice => (Key::ChooseAnswer, String::new(), String::new()),
        FieldError::RequiredTick => (Key::TickBox, String::new(), String::new()),
        FieldError::Email => (Key::EmailOdd, String::new(), String::new()),
        FieldError::Emails(text) => (Key::EmailsOdd, "text".to_owned(), cut(text)),
        FieldError::TooManyEmails => bound(Key::EmailsTooMany, "most", MOST_GUESTS as i64),
        FieldError::Phone => (Key::PhoneOdd, String::new(), String::new()),
        FieldError::Url => (Key::UrlOdd, String::new(), String::new()),
        FieldError::Number => (Key::NumberOdd, String::new(), String::new()),
        FieldError::TooSmall(least) => bound(Key::NumberTooSmall, "least", *least),
        FieldError::TooLarge(most) => bound(Key::NumberTooLarge, "most", *most),
        FieldError::TooShort(least) => bound(Key::TextTooShort, "least", *least),
        FieldError::TooLong(most) => bound(Key::TextTooLong, "most", *most),
        // Services respond in English.
        FieldError::Refused(message) if message.is_empty() || !texts.is_english() => {
            (Key::AnswerNotAccepted, String::new(), String::new())
        }
        FieldError::Refused(message) => {
            (Key::AnswerRefused, "message".to_owned(), message.to_owned())
        }
    };
    texts.fill(key, &[("label", &cut(label)), (&name, &value)])
}

fn cut(text: &str) -> String {
    let mut start: String = text.trim().chars().take(MOST_LABEL).collect();
    if start.len() < text.trim().len() {
        start.push('…');
    }
    start
}
