//! Pages behind the links in messages.

mod common;

use booking_mail::samples::Sample;
use booking_mail::templates::{PageAction, PageState, Templates};
use booking_wire::formats::text_language::LANGUAGES;

use common::parse;

#[test]
fn pages_are_valid_in_all_languages() {
    let templates = Templates::embedded();
    let mut documents = Vec::new();
    let mut expected = Vec::new();
    for language in ["en"].into_iter().chain(LANGUAGES) {
        let sample = Sample::full(language, "Europe/Berlin");
        for mut input in sample.pages() {
            input.language = language;
            documents.push(templates.page(input).unwrap());
            expected.push((language, input.state));
        }
    }
    for (document, (language, state)) in parse(&documents).iter().zip(expected) {
        let name = format!("{language} {state:?}");
        assert_eq!(document.get("lang"), language, "{name}");
        assert_eq!(document.meta("robots"), "noindex", "{name}");
        assert_eq!(document.meta("referrer"), "no-referrer", "{name}");
        let is_question = matches!(state, PageState::Question(_));
        assert_eq!(
            document.list("forms"),
            if is_question { vec!["post"] } else { vec![] },
            "{name}"
        );
        let takes_reason = matches!(
            state,
            PageState::Question(PageAction::Cancel | PageAction::Decline)
        );
        let fields = document.list("fields");
        assert_eq!(
            fields
                .iter()
                .any(|field| *field == "[\"textarea\",\"reason\",\"5000\"]"),
            takes_reason,
            "{name}"
        );
        assert_eq!(
            document.get("text").contains("Introduction"),
            state != PageState::Invalid,
            "{name}"
        );
        assert!(
            document.get("title").ends_with(" · Analytical Engines"),
            "{name}"
        );
    }
}

#[test]
fn page_that_asks_to_cancel_or_decline_ends_with_a_red_button() {
    let templates = Templates::embedded();
    let sample = Sample::full("en", "Europe/Berlin");
    for input in sample.pages() {
        let page = templates.page(input).unwrap();
        let PageState::Question(action) = input.state else {
            assert!(!page.contains("<button"), "{:?}", input.state);
            continue;
        };
        let (before, button) = page.split_once("<button").unwrap();
        let (button, _) = button.split_once("</button>").unwrap();
        let form = before.rsplit_once("<form").unwrap().1;
        let (keep, label) = match action {
            PageAction::Cancel => (Some("Keep booking"), "Cancel booking"),
            PageAction::Decline => (Some("Open booking"), "Decline"),
            PageAction::Confirm => (None, "Confirm"),
            PageAction::StopReminders => (None, "Stop reminders"),
        };
        assert!(button.ends_with(label), "{button}");
        assert_eq!(
            button.contains("background-color:#b3261e"),
            keep.is_some(),
            "{action:?}"
        );
        assert_eq!(
            form.contains("<a class=\"plain\""),
            keep.is_some(),
            "{form}"
        );
        assert!(keep.is_none_or(|label| form.contains(label)), "{form}");
        // The form has the only primary button.
        assert!(!page.contains("<td bgcolor="), "{action:?}");
    }
}

#[test]
fn page_of_a_used_link_says_the_state_and_opens_the_booking() {
    let templates = Templates::embedded();
    let sample = Sample::full("en", "Europe/Berlin");
    for input in sample.pages() {
        let (headline, is_over, label) = match input.state {
            PageState::Already(PageAction::Confirm) => {
                ("This booking is already confirmed", false, "Open booking")
            }
            PageState::Already(PageAction::Decline) => {
                ("This booking is already declined", true, "Open booking")
            }
            PageState::Already(PageAction::Cancel) => {
                ("This booking is already cancelled", true, "View booking")
            }
            PageState::Superseded => ("Here is how it stands.", false, "View booking"),
            _ => continue,
        };
        let page = templates.page(input).unwrap();
        assert!(page.contains(headline), "{:?}", input.state);
        assert!(page.contains(&format!(">{label}</a>")), "{:?}", input.state);
        assert_eq!(page.contains("line-through"), is_over, "{:?}", input.state);
    }
}

#[test]
fn invalid_link_reveals_nothing() {
    let sample = Sample::full("de", "Europe/Berlin");
    let input = sample
        .pages()
        .find(|input| input.state == PageState::Invalid)
        .unwrap();
    assert!(input.booking.is_some() && input.recipient.is_some());
    let page = Templates::embedded().page(input).unwrap();
    for text in ["Introduction", "Grace", "Ada", "token", "2027"] {
        assert!(!page.contains(text), "{text}");
    }
}

#[test]
fn page_without_recipient_is_in_language_of_browser() {
    let sample = Sample::full("de", "Europe/Berlin");
    let mut input = sample
        .pages()
        .find(|input| input.state == PageState::Expired)
        .unwrap();
    input.recipient = None;
    input.language = "fr-CH";
    let page = Templates::embedded().page(input).unwrap();
    assert!(page.contains("lang=\"fr\"") && page.contains("Ce lien a expiré"));
    assert!(!page.contains("Introduction"));
}
