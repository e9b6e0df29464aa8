//! Message about a request that the service declined.

use crate::client::{ApiError, DeclineReason};
use crate::features::booking_form::SubmitError;
use crate::features::shared::error_notice::error_text;
use crate::i18n::{Key, Translations};

/// Message about a request that the service declined. Its own text names properties of the request, so it is not the
/// explanation.
pub(crate) fn refusal(error: &ApiError, texts: Translations) -> SubmitError {
    let (text, details) = match error {
        ApiError::Declined(
            DeclineReason::Invalid(message) | DeclineReason::InvalidProperties(message, _),
        ) => {
            let details = Some(message.trim()).filter(|message| !message.is_empty());
            (
                texts.get(Key::InvalidText).to_owned(),
                details.map(str::to_owned),
            )
        }
        error => (error_text(error, texts).1, None),
    };
    SubmitError {
        title: texts.get(Key::RefusedTitle).to_owned(),
        text,
        details,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusal_keeps_the_text_of_the_service_apart() {
        let texts = Translations::ENGLISH;
        let invalid = |text: &str| ApiError::Declined(DeclineReason::Invalid(text.to_owned()));
        for (error, text, details) in [
            (
                invalid("start lies in the past"),
                Key::InvalidText,
                Some("start lies in the past"),
            ),
            (invalid(" "), Key::InvalidText, None),
            (
                ApiError::Declined(DeclineReason::Forbidden),
                Key::ForbiddenText,
                None,
            ),
        ] {
            let shown = refusal(&error, texts);
            assert_eq!(shown.title, texts.get(Key::RefusedTitle));
            assert_eq!(shown.text, texts.get(text));
            assert_eq!(shown.details.as_deref(), details);
        }
    }
}
