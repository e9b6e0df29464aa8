//! Variables of the pages that links in messages open.

use booking_rules::limits::MAX_REASON_CHARS;
use booking_wire::formats::text_language::direction_of;
use serde::Serialize;

use crate::clean;
use crate::input::{PageAction, PageInput, PageState};
use crate::message::{Kind, Role};
use crate::texts::{Catalogue, Texts};
use crate::view::{Actions, Brand, Button, Fact, View, actions, dates_of};

/// Variables of a page.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct PageView {
    pub(crate) state: &'static str,
    pub(crate) action: &'static str,
    pub(crate) language: &'static str,
    pub(crate) direction: &'static str,
    pub(crate) brand: Brand,
    /// Page of the app that takes the place of this one; empty if there is none.
    pub(crate) app_url: String,
    pub(crate) headline: String,
    pub(crate) intro: String,
    pub(crate) facts: Vec<Fact>,
    pub(crate) details: Vec<Fact>,
    /// Label of the button that sends the form; empty if there is none.
    pub(crate) submit: String,
    /// True if that button cancels or declines.
    pub(crate) is_destructive: bool,
    /// Link before that button, for those who do not want to cancel or decline; at most one.
    pub(crate) keep: Vec<Button>,
    /// Label of the field; empty if there is none.
    pub(crate) reason_label: String,
    pub(crate) reason_hint: String,
    pub(crate) reason_max: usize,
    pub(crate) is_reason_required: bool,
    /// Label of a link that loads the page again; empty if there is none.
    pub(crate) try_again: String,
    pub(crate) buttons: Vec<Button>,
    /// Text links at the end.
    pub(crate) quiet_links: Vec<Button>,
    /// Question before these links; may be empty.
    pub(crate) quiet_text: String,
}

/// Returns the variables of a page.
pub(crate) fn page(catalogue: &Catalogue, input: PageInput<'_>) -> PageView {
    let tag = input
        .recipient
        .map_or(input.language, |recipient| &recipient.person.language);
    let tag = if tag.is_empty() { input.language } else { tag };
    let (language, texts) = catalogue.get(tag);
    let is_series = input
        .booking
        .is_some_and(|booking| dates_of(booking).len() > 1);
    let (state, action) = match input.state {
        PageState::Question(action) => ("question", Some(action)),
        PageState::Done(action) => ("done", Some(action)),
        PageState::Already(action) => ("already", Some(action)),
        PageState::Superseded => ("superseded", None),
        PageState::Expired => ("expired", None),
        PageState::Invalid => ("invalid", None),
        PageState::Taken => ("taken", None),
        PageState::Failed => ("failed", None),
    };
    let question = action.filter(|_| state == "question");
    // As in `POST /v2/bookings/{bookingUid}/cancel`.
    let is_reason_required = question == Some(PageAction::Cancel)
        && input
            .recipient
            .is_some_and(|recipient| recipient.role.is_host());
    let (submit, reason_label) = match question {
        Some(PageAction::Cancel) if is_reason_required => (&*texts.cancel_booking, &*texts.reason),
        Some(PageAction::Cancel) => (&*texts.cancel_booking, &*texts.cancel_reason),
        Some(PageAction::Decline) => (&*texts.decline, &*texts.decline_reason),
        Some(PageAction::Confirm) => (&*texts.confirm, ""),
        Some(PageAction::StopReminders) => (&*texts.stop_reminders, ""),
        None => ("", ""),
    };
    // An invalid link reveals nothing, whatever the caller knows.
    let shown = match (input.booking, input.recipient) {
        (Some(booking), Some(recipient)) if state != "invalid" => Some((booking, recipient)),
        _ => None,
    };
    let (headline, intro) = page_headline(texts, input.state, is_series, shown.is_some());
    let kind = match input.state {
        PageState::Already(PageAction::Cancel | PageAction::Decline) => Kind::Cancelled,
        _ => Kind::Reminder,
    };
    let (facts, details) = shown.map_or_else(Default::default, |(booking, recipient)| {
        let view = View::new(catalogue, tag, recipient, booking);
        let (mut facts, mut details) = (view.facts(kind), view.details());
        // What the visitor can do is within the first screen of a phone: below the title and the time.
        if matches!(state, "question" | "taken" | "failed") {
            details.splice(0..0, facts.split_off(facts.len().min(2)));
        }
        (facts, details)
    });
    let hint = if reason_label.is_empty() {
        ""
    } else {
        &texts.reason_hint
    };
    let role = input.recipient.map_or(Role::Guest, |it| it.role);
    let Actions {
        buttons,
        quiet_links,
        quiet_text,
        keep,
    } = if state == "invalid" {
        Actions::default()
    } else {
        actions(texts, role, input.links, Some(input.state))
    };
    PageView {
        state,
        action: action.map_or("", PageAction::name),
        language,
        direction: direction_of(language),
        brand: Brand::new(
            input.branding,
            shown.map_or("", |(booking, _)| &booking.colour),
        ),
        app_url: clean::web_url(input.app_url).unwrap_or_default().to_owned(),
        headline,
        intro,
        facts,
        details,
        submit: submit.to_owned(),
        is_destructive: matches!(question, Some(PageAction::Cancel | PageAction::Decline)),
        keep: keep.into_iter().collect(),
        reason_label: reason_label.to_owned(),
        reason_hint: hint.to_owned(),
        reason_max: MAX_REASON_CHARS,
        is_reason_required,
        try_again: if state == "failed" {
            texts.try_again.clone()
        } else {
            String::new()
        },
        buttons,
        quiet_links,
        quiet_text,
    }
}

fn page_headline(
    texts: &Texts,
    state: PageState,
    is_series: bool,
    is_shown: bool,
) -> (String, String) {
    let (headline, intro) = match state {
        PageState::Question(PageAction::Cancel) if is_series => {
            (&*texts.cancel_series_question, "")
        }
        PageState::Question(PageAction::Cancel) => (&*texts.cancel_question, ""),
        PageState::Question(PageAction::Confirm) => (&*texts.confirm_question, ""),
        PageState::Question(PageAction::Decline) => (&*texts.decline_question, ""),
        PageState::Question(PageAction::StopReminders) => (&*texts.stop_reminders_question, ""),
        PageState::Done(PageAction::Cancel) => (&*texts.cancelled, &*texts.done_text),
        PageState::Done(PageAction::Confirm) => (&*texts.confirmed, &*texts.done_text),
        PageState::Done(PageAction::Decline) => (&*texts.declined, &*texts.done_text),
        PageState::Done(PageAction::StopReminders) => {
            (&*texts.reminders_stopped, &*texts.reminders_stopped_text)
        }
        PageState::Already(PageAction::Cancel) => (&*texts.already_cancelled, ""),
        PageState::Already(PageAction::Confirm) => (&*texts.already_confirmed, ""),
        PageState::Already(PageAction::Decline) => (&*texts.already_declined, ""),
        PageState::Already(PageAction::StopReminders) => (&*texts.reminders_stopped, ""),
        PageState::Superseded if is_shown => (&*texts.superseded, &*texts.superseded_shown_text),
        PageState::Superseded => (&*texts.superseded, &*texts.superseded_text),
        PageState::Expired => (&*texts.expired, &*texts.expired_text),
        PageState::Invalid => (&*texts.invalid, &*texts.invalid_text),
        PageState::Taken => (&*texts.taken, &*texts.taken_text),
        PageState::Failed => (&*texts.failed, &*texts.failed_text),
    };
    (headline.to_owned(), intro.to_owned())
}

impl PageAction {
    /// Name in templates.
    pub(super) fn name(self) -> &'static str {
        match self {
            Self::Cancel => "cancel",
            Self::Confirm => "confirm",
            Self::Decline => "decline",
            Self::StopReminders => "stop_reminders",
        }
    }
}
