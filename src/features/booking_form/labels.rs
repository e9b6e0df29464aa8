//! Labels of fields, and their error messages: below the field and in the summary of errors.

use booking_rules::limits::MAX_GUESTS;
use booking_wire::FieldKind;

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
pub(super) fn error_below_field(
    error: &FieldError,
    field: &InputField,
    texts: Translations,
) -> String {
    let bound = |key: Key, name: &str, bound: i64| texts.fill(key, &[(name, &bound.to_string())]);
    let key = match error {
        FieldError::Required => missing(field).unwrap_or(Key::AnswerNeeded),
        FieldError::RequiredChoice => Key::AnswerNeeded,
        FieldError::RequiredTick => Key::TickBox,
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

/// Text about a missing value of a field that has the widget's own label.
fn missing(field: &InputField) -> Option<Key> {
    match field.kind {
        _ if field.label.is_some() || field.title.is_some() => None,
        FieldKind::Name => Some(Key::NameMissing),
        FieldKind::Email => Some(Key::EmailMissing),
        _ => None,
    }
}

/// `text` with a capital letter at the start.
fn sentence(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().map(|first| first.to_ascii_uppercase());
    first.into_iter().chain(letters).collect()
}

/// Error message in the summary of several fields: names the field and the remedy. Below the field:
/// [`error_below_field`].
pub(super) fn error_in_summary(
    error: &FieldError,
    field: &InputField,
    texts: Translations,
) -> String {
    let label = label_of(field, texts);
    let bound = |key: Key, name: &str, bound: i64| (key, name.to_owned(), bound.to_string());
    let (key, name, value) = match error {
        FieldError::Required => {
            let key = missing(field).unwrap_or(Key::FillIn);
            (key, String::new(), String::new())
        }
        FieldError::RequiredChoice => (Key::ChooseAnswer, String::new(), String::new()),
        FieldError::RequiredTick => (Key::TickBox, String::new(), String::new()),
        FieldError::Email => (Key::EnterEmail, String::new(), String::new()),
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
    texts.fill(key, &[("label", &cut(&label)), (&name, &value)])
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
        let field = InputField::named("topic", FieldKind::Text, true);
        let rejected = |message: &str| FieldError::Rejected(message.to_owned());
        for (error, text) in [
            (FieldError::Required, "This needs an answer."),
            (FieldError::RequiredChoice, "This needs an answer."),
            (FieldError::RequiredTick, "Please agree to continue."),
            (
                FieldError::Email,
                "Enter a full email address, like name@example.com.",
            ),
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
                error_below_field(&error, &field, Translations::ENGLISH),
                text,
                "{error:?}"
            );
        }
    }

    #[test]
    fn missing_value_is_named() {
        let texts = Translations::ENGLISH;
        let own = |slug: &str, kind| InputField::named(slug, kind, true);
        let company = InputField {
            label: Some("Company".to_owned()),
            ..own("company", FieldKind::Text)
        };
        let titled = InputField {
            title: Some("Patient".to_owned()),
            ..own("name", FieldKind::Name)
        };
        for (field, below, in_summary) in [
            (
                own("name", FieldKind::Name),
                "Your name is missing.",
                "Your name is missing.",
            ),
            (
                own("email", FieldKind::Email),
                "Your email address is missing.",
                "Your email address is missing.",
            ),
            (
                company,
                "This needs an answer.",
                "“Company” needs an answer.",
            ),
            (
                titled,
                "This needs an answer.",
                "“Patient” needs an answer.",
            ),
        ] {
            assert_eq!(
                error_below_field(&FieldError::Required, &field, texts),
                below
            );
            assert_eq!(
                error_in_summary(&FieldError::Required, &field, texts),
                in_summary
            );
        }
    }
}
