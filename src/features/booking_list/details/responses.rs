//! Answers with their questions, and safe links in texts.

use booking_ui::prelude::*;
use booking_wire::formats::is_email;
use booking_wire::{Booking, JsonMap, TeamEventType};

use crate::features::booking_list::formatting::{answer_text, has_own_line, humanized};
use crate::features::shared::location::web_host;
use crate::i18n::Translations;

/// Labels of the event type's questions, by slug.
pub(super) fn labels_of(booking: &Booking, event_types: &[TeamEventType]) -> Vec<(String, String)> {
    event_types
        .iter()
        .filter(|event_type| Some(event_type.id) == booking.event_type_id)
        .filter_map(|event_type| event_type.booking_fields.get())
        .flatten()
        .filter_map(|field| Some((field.slug, field.label?)))
        .filter(|(_, label)| !label.is_empty())
        .collect()
}

/// Questions and answers of a form.
pub(super) fn answers_of(
    answers: &JsonMap,
    labels: &[(String, String)],
    texts: Translations,
) -> Vec<(String, String)> {
    answers
        .iter()
        .filter(|(slug, _)| has_own_line(slug))
        .filter_map(|(slug, value)| {
            let label = labels
                .iter()
                .find(|(other, _)| other == slug)
                .map_or_else(|| humanized(slug), |(_, label)| label.clone());
            Some((label, answer_text(value, texts)?))
        })
        .collect()
}

/// Returns a link if the text is a safe target, from any author; otherwise plain text.
pub(super) fn linked(value: &str) -> Node {
    match target_of(value) {
        Some(Target::Web) => el("a")
            .class("place-link")
            .attr("href", value.trim())
            .attr("target", "_blank")
            .attr("rel", "noopener noreferrer")
            .child(value.trim()),
        Some(Target::Mail) => scheme_link("mailto:", value.trim()),
        Some(Target::Phone) => {
            let number: String = value
                .chars()
                .filter(|character| !" -.()/".contains(*character))
                .collect();
            el("a")
                .class("place-link")
                .attr("href", &["tel:", &number].concat())
                .attr("dir", "ltr")
                .child(value.trim())
        }
        None => text(value),
    }
}

fn scheme_link(scheme: &str, to: &str) -> Node {
    // Unescaped, other characters could add recipients or a subject.
    let encoded = String::from(js_sys::encode_uri_component(to)).replace("%40", "@");
    el("a")
        .class("place-link")
        .attr("href", &[scheme, &encoded].concat())
        .child(to)
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Target {
    Web,
    Mail,
    Phone,
}

/// Link target of a text that is only an address or a number.
fn target_of(value: &str) -> Option<Target> {
    let text = value.trim();
    let is_one = !text
        .bytes()
        .any(|character| character == b' ' || character == b'\n');
    if is_one && web_host(text).is_some() {
        return Some(Target::Web);
    }
    if is_one && is_email(text) {
        return Some(Target::Mail);
    }
    let digits = text.bytes().filter(u8::is_ascii_digit).count();
    let is_number = text.starts_with('+')
        && (7..=15).contains(&digits)
        && text
            .bytes()
            .all(|character| character.is_ascii_digit() || b"+ -.()/".contains(&character));
    is_number.then_some(Target::Phone)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn link_target_is_web_mail_or_phone() {
        for (value, target) in [
            ("https://meet.example/x", Some(Target::Web)),
            (" http://meet.example ", Some(Target::Web)),
            ("javascript:alert(1)", None),
            ("data:text/html,x", None),
            ("see https://meet.example", None),
            ("zoe@example.org", Some(Target::Mail)),
            ("zoe@example.org?bcc=all@example.org", None),
            ("Zoë <zoe@example.org>", None),
            ("+39 06 1234-5678", Some(Target::Phone)),
            ("+1", None),
            ("06 12345678", None),
            ("12", None),
            ("", None),
        ] {
            assert_eq!(target_of(value), target, "{value}");
        }
    }
}
