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
use crate::i18n::{Key, localized};
use crate::time::Instant;
use crate::ui::dom::{Node, el, fragment, fragment_of, text};
use actions::actions;
use calendar_links::calendar_links;
use links::{booking_url, payment_link};
use shown_booking::ShownBooking;

/// Shows a booking and focuses its heading, or its cancel form if that is open.
pub(super) fn confirmation(flow: FlowState, outcome: &Arc<FlowOutcome>) -> Node {
    let Some(booking) = outcome.bookings.first() else {
        return fragment();
    };
    let now = use_clock().now();
    let state = BookingState::of(booking, flow.context().event_type.price, now);
    let shown = outcome.clone();
    el("div")
        .class("confirmation")
        .attr("part", "confirmation")
        .child(localized(move || content(flow, &shown, state, now)))
        .child(actions(flow, outcome.clone(), state))
}

/// Everything but the actions.
fn content(flow: FlowState, outcome: &FlowOutcome, state: BookingState, now: Instant) -> Node {
    let Some(booking) = outcome.bookings.first() else {
        return fragment();
    };
    let context = flow.context();
    let shown = ShownBooking {
        locale: flow.locale,
        context: &context,
        outcome,
        booking,
        state,
        url: booking_url(&context, outcome, booking),
    };
    let (title, sign) = shown.title();
    let start = booking.start;
    let heading = heading(0)
        .class("confirmation-title")
        .attr("tabindex", "-1")
        .child_with(move || title_line(flow.locale, title, start));
    if !flow.history.is_cancelling.get_untracked() {
        focus_soon(&heading);
    }
    let sign = el("span")
        .class("confirmation-sign")
        .attr_if("data-over", shown.is_over().then_some("true"))
        .attr_if("data-pending", shown.is_pending().then_some("true"))
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
        .child(payment_link(flow.locale.texts, &context, state))
        .child(shown.facts(flow))
        .child(calendar_links)
        .child(shown.saved_link(now))
        .child(shown.references());
    sign.with_sibling(heading).child(body)
}

/// Title, with day and time if it has a place for them. The day, which has no year, stays on one line where it fits.
fn title_line(locale: LocaleContext, title: Key, start: Instant) -> Node {
    let LocaleContext {
        texts,
        formats,
        settings,
    } = locale;
    let day = settings.zone.with(|zone| formats.day_of(start, zone));
    let day = formats.medium_day(day);
    let time = settings.time(formats, start);
    let time = texts.fill_plain(Key::DateAndTime, &[("day", &day), ("time", &time)]);
    let line = texts.fill(title, &[("time", &time)]);
    match line.split_once(&day) {
        Some((before, after)) => fragment_of([
            text(before),
            el("span").class("confirmation-day").child(day.as_str()),
            text(after),
        ]),
        None => text(&line),
    }
}
