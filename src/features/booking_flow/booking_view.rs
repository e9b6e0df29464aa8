//! A booking, new or existing: title, facts, links and actions.

mod actions;
mod calendar_links;
mod cancel;
mod email_correction;
mod facts;
mod links;
mod shown_booking;

use std::sync::Arc;

use booking_ui::prelude::*;

use super::existing::booking_state::BookingState;
use super::existing::reread::follow_changes;
use super::outcome::{FlowOutcome, OutcomeKind};
use super::state::{FlowState, LocaleContext};
use crate::components::focus::focus_soon;
use crate::components::{heading, icon};
use crate::i18n::{Key, localized};
use crate::page::settings::use_clock;
use crate::time::Instant;
use actions::actions;
use calendar_links::calendar_links;
use email_correction::EmailCorrection;
use links::{booking_url, payment_link};
use shown_booking::ShownBooking;

/// Shows a booking and focuses its heading, or its cancel form if that is open.
pub(super) fn booking_view(flow: FlowState, outcome: &Arc<FlowOutcome>) -> Node {
    let Some(booking) = outcome.bookings.first() else {
        return fragment();
    };
    let now = use_clock().now();
    let state = BookingState::of(booking, flow.context().event_type.price, now);
    let shown = outcome.clone();
    let correction = EmailCorrection::of(flow, outcome, state);
    follow_changes(flow);
    el("div")
        .class("confirmation")
        .attr("part", "confirmation")
        .child(localized(move || {
            content(flow, &shown, state, now, correction)
        }))
        .child(actions(flow, outcome.clone(), state, correction))
}

/// Everything but the actions.
fn content(
    flow: FlowState,
    outcome: &Arc<FlowOutcome>,
    state: BookingState,
    now: Instant,
    correction: Option<EmailCorrection>,
) -> Node {
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
    let mut is_address_named = false;
    let sentences = shown.sentences().into_iter().map(|text| {
        let line = el("p").class("confirmation-text");
        let correction = correction.and_then(|it| Some((it, text.split_once(&*booking.email)?)));
        match correction {
            Some((correction, (before, after))) => {
                is_address_named = true;
                let email = el("span").text_with(move || correction.email.get());
                line.child(before).child(email).child(after)
            }
            None => line.child(text),
        }
    });
    let sentences = fragment_of(sentences);
    // What waits may be declined.
    let has_calendar_links =
        outcome.kind != OutcomeKind::DryRun && !shown.is_over() && !shown.is_pending();
    let calendar_links =
        has_calendar_links.then(|| calendar_links(&shown, flow.history.is_cancelling, now));
    // The page can replace it.
    let body = el("slot")
        .attr("name", "confirmation")
        .child(sentences)
        .child(correction.map(|correction| correction.view(flow, outcome, is_address_named)))
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
