//! Booking confirmation: title, facts, links and actions.

mod actions;
mod calendar_links;
mod facts;
mod links;
mod shown_booking;

use std::sync::Arc;

use super::booking_rules::BookingState;
use super::outcome::{FlowOutcome, OutcomeKind};
use super::state::{FlowState, LocaleContext};
use crate::components::focus::focus_soon;
use crate::components::{heading, icon};
use crate::element::settings::use_clock;
use crate::i18n::Key;
use crate::time::Instant;
use crate::ui::dom::{Node, el, fragment};
use actions::actions;
use calendar_links::calendar_links;
use links::booking_url;
use shown_booking::ShownBooking;

/// Shows a booking and focuses its heading, or with `is_cancelling` its cancel form.
pub(super) fn confirmation(
    flow: FlowState,
    outcome: &Arc<FlowOutcome>,
    is_cancelling: bool,
) -> Node {
    let Some(booking) = outcome.bookings.first() else {
        return fragment();
    };
    let context = flow.context();
    let now = use_clock().now();
    let shown = ShownBooking {
        locale: flow.locale,
        context: &context,
        outcome,
        booking,
        state: BookingState::of(booking, context.event_type.price, now),
        url: booking_url(&context, outcome, booking),
    };
    let (title, sign) = shown.title();
    let start = booking.start;
    let heading = heading(0)
        .class("confirmation-title")
        .attr("tabindex", "-1")
        .text_with(move || title_text(flow.locale, title, start));
    if !is_cancelling {
        focus_soon(&heading);
    }
    let sign = el("span")
        .class("confirmation-sign")
        .attr_if("data-over", shown.is_over().then_some("true"))
        .attr_if("data-done", shown.is_complete().then_some("true"))
        .child(icon(sign));
    let sentence = shown.sentence();
    let sentence = sentence.map(|text| el("p").class("confirmation-text").child(text));
    let has_calendar_links = outcome.kind != OutcomeKind::DryRun && !shown.is_over();
    let calendar_links = has_calendar_links.then(|| {
        let description = &context.event_type.description;
        calendar_links(&outcome.bookings, description, now, shown.is_complete())
    });
    // The page can replace it.
    let body = el("slot")
        .attr("name", "confirmation")
        .child(sentence)
        .child(links::payment_link(
            flow.locale.texts,
            &context,
            shown.state,
        ))
        .child(shown.facts(flow.step))
        .child(calendar_links)
        .child(shown.saved_link(now))
        .child(shown.references());
    el("div")
        .class("confirmation")
        .attr("part", "confirmation")
        .child(sign)
        .child(heading)
        .child(body)
        .child(actions(flow, outcome.clone(), shown.state, is_cancelling))
}

/// Title, with day and time if it has a place for them. The day, which has no year, stays on one line.
fn title_text(locale: LocaleContext, title: Key, start: Instant) -> String {
    let LocaleContext {
        texts,
        formats,
        settings,
    } = locale;
    let day = settings.zone.with(|zone| formats.day_of(start, zone));
    let day = formats.medium_day(day).replace(' ', "\u{a0}");
    let time = settings.time(formats, start);
    let time = texts.fill_plain(Key::DateAndTime, &[("day", &day), ("time", &time)]);
    texts.fill(title, &[("time", &time)])
}
