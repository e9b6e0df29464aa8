//! A failed call, worded: what happened and what to do.

use leptos::prelude::window;

use crate::api::{ApiError, Refusal};
use crate::components::{Shape, button, icon};
use crate::dom::{Html, el};
use crate::i18n::{Key, Texts, use_texts};

/// Title and explanation of `error`.
pub fn words(error: &ApiError, texts: Texts) -> (String, String) {
    let (title, text) = match error {
        // Browsers that say so are right; those that do not may still be.
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
        ApiError::Declined(refusal) => match refusal {
            Refusal::TimeTaken | Refusal::SeriesTaken(_) => {
                (Key::TimeTakenTitle, Key::TimeTakenText)
            }
            Refusal::SignInNeeded => (Key::SignInTitle, Key::SignInText),
            Refusal::Forbidden => (Key::ForbiddenTitle, Key::ForbiddenText),
            Refusal::NotFound => (Key::NotFoundTitle, Key::NotFoundText),
            Refusal::TooMany { .. } => (Key::TooManyTitle, Key::TooManyText),
            Refusal::StillRunning | Refusal::KeyReused => {
                (Key::UnexpectedTitle, Key::UnexpectedText)
            }
            Refusal::Invalid(message) | Refusal::InvalidProperties(message, _) => {
                return (texts.get(Key::InvalidTitle).to_owned(), message.clone());
            }
        },
    };
    (texts.get(title).to_owned(), texts.get(text).to_owned())
}

/// Says why something is not there, and offers to try again if that could help.
pub fn problem(error: &ApiError, on_retry: impl Fn() + 'static) -> Html {
    let texts = use_texts();
    let (title, text) = words(error, texts);
    let retry = error.is_worth_a_retry().then(|| {
        button("button", on_retry)
            .add(icon(Shape::Reload))
            .add(texts.get(Key::TryAgain))
    });
    notice(Shape::Alert, &title, &text).add(retry)
}

/// A message in place of what would stand here. The next step, if there is one, is added to it.
pub fn notice(shape: Shape, title: &str, text: &str) -> Html {
    notice_of(shape, title, el("p").add(text))
}

/// The same with a text that changes.
pub fn notice_of(shape: Shape, title: &str, text: Html) -> Html {
    el("div")
        .class("notice")
        .attr("part", "notice")
        .attr("role", "status")
        .add(el("span").class("notice-sign").add(icon(shape)))
        .add(el("p").class("notice-title").add(title))
        .add(text.class("notice-text"))
}

/// A message in place of a whole screen.
pub fn notice_card(shape: Shape, title: &str, text: &str) -> Html {
    card().add(notice(shape, title, text))
}

/// The frame of a screen.
pub fn card() -> Html {
    el("div").class("card").attr("part", "card")
}
