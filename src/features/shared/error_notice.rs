//! Error messages and their notices: what happened and what to do.

use std::rc::Rc;

use booking_ui::prelude::*;

use crate::client::session::{Session, SessionStatus, use_session};
use crate::client::{ApiError, DeclineReason};
use crate::components::{Shape, button, icon};
use crate::i18n::{Key, Translations, use_texts};

/// Way to sign in again, next to the message that a session has ended. Elements have none: their page gives the session.
#[derive(Clone)]
pub struct SignInButton(pub Rc<dyn Fn(Translations) -> Node>);

/// The button next to `error`, if that asks for it.
fn sign_in_button(error: &ApiError, texts: Translations) -> Option<Node> {
    let is_ended = *error == ApiError::Declined(DeclineReason::SignInNeeded);
    let button: SignInButton = use_context().filter(|_| is_ended)?;
    Some((button.0)(texts))
}

/// Returns title and explanation of `error`.
pub fn error_text(error: &ApiError, texts: Translations) -> (String, String) {
    let (title, text) = match error {
        // `onLine` is reliable only when it is false.
        ApiError::Unreachable if !window().navigator().on_line() => {
            (Key::OfflineTitle, Key::OfflineText)
        }
        ApiError::Unreachable => (Key::UnreachableTitle, Key::UnreachableText),
        ApiError::Unexpected { request_id, .. } => {
            let mut text = texts.get(Key::UnexpectedText).to_owned();
            if let Some(id) = request_id {
                text.push(' ');
                text.push_str(&texts.fill(Key::UnexpectedReference, &[("id", id)]));
            }
            return (texts.get(Key::UnexpectedTitle).to_owned(), text);
        }
        ApiError::Declined(reason) => match reason {
            DeclineReason::TimeTaken | DeclineReason::SeriesTaken(_) => {
                (Key::TimeTakenTitle, Key::TimeTakenText)
            }
            DeclineReason::AlreadySignedUp => (Key::RefusedTitle, Key::AlreadySignedUp),
            DeclineReason::SignInNeeded => (Key::SignInTitle, Key::SignInText),
            DeclineReason::NotPublic => (Key::ForbiddenTitle, Key::EventTypeNotFoundText),
            DeclineReason::NotRenewed => (Key::NotRenewedTitle, Key::NotRenewedText),
            DeclineReason::Forbidden => (Key::ForbiddenTitle, Key::ForbiddenText),
            DeclineReason::NotFound => (Key::MissingTitle, Key::MissingText),
            DeclineReason::TooMany { .. } => (Key::TooManyTitle, Key::TooManyText),
            DeclineReason::StillRunning | DeclineReason::KeyReused => {
                (Key::UnexpectedTitle, Key::UnexpectedText)
            }
            DeclineReason::Invalid(message) | DeclineReason::InvalidProperties(message, _) => {
                let title = texts.get(Key::InvalidTitle).to_owned();
                return (title, service_text(message, texts));
            }
            DeclineReason::ByPage(message) => {
                return (texts.get(Key::InvalidTitle).to_owned(), message.clone());
            }
        },
    };
    (texts.get(title).to_owned(), texts.get(text).to_owned())
}

/// Explanation of a declined request: the service's English text for English readers; for others, or if it is
/// blank, a general text.
pub fn service_text(message: &str, texts: Translations) -> String {
    if texts.is_english() && !message.trim().is_empty() {
        message.to_owned()
    } else {
        texts.get(Key::InvalidText).to_owned()
    }
}

/// Error message, with a retry button if a retry could help.
pub fn error_notice(error: &ApiError, on_retry: impl Fn() + 'static) -> Node {
    retryable_notice(error, Box::new(on_retry))
}

/// [`error_notice`], compiled once for all handlers.
fn retryable_notice(error: &ApiError, on_retry: Box<dyn Fn()>) -> Node {
    let texts = use_texts();
    let (title, text) = error_text(error, texts);
    let retry = if error.is_retryable() {
        Some(button("button", on_retry))
    } else if *error == ApiError::Declined(DeclineReason::SignInNeeded) {
        // Declined reads are repeated once there is another token.
        let session = use_session();
        let retry = session.can_retry().then_some(session);
        retry.map(|session| button("button", move || spawn_local(session.clone().retry())))
    } else {
        None
    };
    let retry = retry.map(|retry| retry_label(retry, texts));
    let sign_in = sign_in_button(error, texts);
    notice(Shape::Alert, &title, &text)
        .child(retry)
        .child(sign_in)
}

/// Error message about an event type. One that the visitor may not see counts as not bookable.
pub fn booking_error_notice(error: &ApiError, on_retry: impl Fn() + 'static) -> Node {
    let is_hidden = matches!(
        error,
        ApiError::Declined(
            DeclineReason::NotFound | DeclineReason::NotPublic | DeclineReason::Forbidden
        )
    );
    if !is_hidden {
        return error_notice(error, on_retry);
    }
    let texts = use_texts();
    let (title, text) = (Key::EventTypeNotFoundTitle, Key::EventTypeNotFoundText);
    notice(Shape::Search, texts.get(title), texts.get(text))
}

/// Content that the page put into the element, as another way to book.
pub fn fallback() -> Node {
    el("slot").class("fallback")
}

fn retry_label(button: Node, texts: Translations) -> Node {
    button
        .child(icon(Shape::Reload))
        .child(texts.get(Key::TryAgain))
}

/// Notice above a screen that its session has ended or cannot be renewed at the moment, with a retry button.
pub fn session_notice() -> Node {
    let (session, texts) = (use_session(), use_texts());
    let root = el("div").class("session-notice").attr("tabindex", "-1");
    let element = root.element();
    root.child_with(move || {
        let reason = match session.status() {
            SessionStatus::Usable => return None,
            SessionStatus::Paused => DeclineReason::NotRenewed,
            SessionStatus::Ended => DeclineReason::SignInNeeded,
        };
        let error = ApiError::Declined(reason);
        let (title, text) = error_text(&error, texts);
        let sign_in = sign_in_button(&error, texts);
        let is_busy = RwSignal::new(false);
        let (session, element) = (session.clone(), element.clone());
        let retry = move || {
            if is_busy.get_untracked() {
                return;
            }
            is_busy.set(true);
            let (session, element) = (session.clone(), element.clone());
            spawn_local(async move {
                session.retry().await;
                if is_busy.try_get_untracked().is_some() {
                    is_busy.set(false);
                } else {
                    // The notice was removed, with the focused button.
                    let _ = element.focus();
                }
            });
        };
        let retry = button("button", retry).flag_with("aria-busy", move || is_busy.get());
        let retry = retry_label(retry, texts);
        Some(
            notice(Shape::Alert, &title, &text)
                .child(retry)
                .child(sign_in),
        )
    })
}

/// True if [`session_notice`] already reports `error`.
pub fn is_noticed(error: &ApiError, session: &Session) -> bool {
    error.is_session_error() && session.status() != SessionStatus::Usable
}

/// A message in place of content. Callers add the next step, if there is one.
pub fn notice(shape: Shape, title: &str, text: &str) -> Node {
    notice_of(shape, title, el("p").child(text))
}

/// A [`notice`] with a text that changes.
pub fn notice_of(shape: Shape, title: &str, text: Node) -> Node {
    titled_notice(shape, el("p").child(title), text)
}

/// A [`notice`] in place of the content of a page, with the heading of the page.
pub fn page_notice(shape: Shape, title: &str, text: &str) -> Node {
    titled_notice(shape, el("h1").child(title), el("p").child(text))
}

fn titled_notice(shape: Shape, title: Node, text: Node) -> Node {
    el("div")
        .class("notice")
        .attr("part", "notice")
        .attr("role", "status")
        .child(el("span").class("notice-sign").child(icon(shape)))
        .child(title.class("notice-title"))
        .child(text.class("notice-text"))
}

/// A message in place of a whole screen.
pub fn notice_card(shape: Shape, title: &str, text: &str) -> Node {
    card().child(notice(shape, title, text))
}

/// Frame of a screen.
pub fn card() -> Node {
    el("div").class("card").attr("part", "card")
}

#[cfg(test)]
mod tests {
    use std::fs;

    use booking_wire::JsonMap;

    use super::*;
    use crate::i18n::{Catalogue, LANGUAGES};

    const REASON: &str = "the booking has been declined";

    fn reasons() -> [DeclineReason; 10] {
        let error = ("start".to_owned(), REASON.to_owned());
        [
            DeclineReason::TimeTaken,
            DeclineReason::AlreadySignedUp,
            DeclineReason::SignInNeeded,
            DeclineReason::NotPublic,
            DeclineReason::Forbidden,
            DeclineReason::NotFound,
            DeclineReason::TooMany { wait_s: None },
            DeclineReason::Invalid(REASON.to_owned()),
            DeclineReason::Invalid(String::new()),
            DeclineReason::InvalidProperties(REASON.to_owned(), vec![error]),
        ]
    }

    #[test]
    fn error_text_is_in_the_active_language() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/src/i18n/lang");
        for language in LANGUAGES {
            let file = fs::read_to_string(format!("{folder}/{language}.json")).unwrap();
            let file: JsonMap = serde_json::from_str(&file).unwrap();
            Owner::new().with(|| {
                let texts = Translations::new("");
                texts.set_locale(language, Catalogue::new(language, &file, &JsonMap::new()));
                for reason in reasons() {
                    let (title, text) = error_text(&ApiError::Declined(reason.clone()), texts);
                    for sentence in [title, text] {
                        let is_translated = file.values().any(|known| known == sentence.as_str());
                        assert!(is_translated, "{language} {reason:?}: {sentence}");
                    }
                }
                // The page's own text is in the page's language.
                let by_page = ApiError::Declined(DeclineReason::ByPage("Non".to_owned()));
                assert_eq!(error_text(&by_page, texts).1, "Non");
            });
        }
    }

    #[test]
    fn error_text_in_english_quotes_the_service() {
        for (reason, text) in [
            (DeclineReason::Invalid(REASON.to_owned()), REASON),
            (
                DeclineReason::InvalidProperties(REASON.to_owned(), Vec::new()),
                REASON,
            ),
            (
                DeclineReason::Invalid(" ".to_owned()),
                Key::InvalidText.english(false),
            ),
        ] {
            assert_eq!(
                error_text(&ApiError::Declined(reason), Translations::ENGLISH).1,
                text
            );
        }
    }
}
