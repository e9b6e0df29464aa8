//! Booking confirmation and its actions.

use std::sync::Arc;

use booking_wire::PublicBooking;
use leptos::prelude::*;
use web_sys::Url;

use super::booking_rules::{
    ActionAvailability, BookingState, cancel_availability, reschedule_availability,
};
use super::calendar_links::calendar_links;
use super::cancel::cancel_form;
use super::context::FlowContext;
use super::outcome::{FlowOutcome, OutcomeKind};
use super::state::{FlowState, LocaleContext, Rescheduling, Step};
use super::summary::time_lines;
use super::urls::fill_url_pattern;
use crate::client::Dialect;
use crate::components::focus::{focus_first_soon, focus_soon};
use crate::components::{Shape, button, heading, icon};
use crate::element::attributes::BOOKING_PAGE;
use crate::element::booking_events::BookingEvent;
use crate::element::settings::use_clock;
use crate::features::booking_form::model::Form;
use crate::features::booking_form::responses::labelled_responses;
use crate::features::shared::location::{booked_location, web_host};
use crate::i18n::{Key, Translations};
use crate::ui::dom::{Node, el, fragment, fragment_of, text};
use crate::ui::signal::RwSignal;

/// Shows a booking and focuses its heading, or with `is_cancelling` its cancel form.
pub(super) fn confirmation(
    flow: FlowState,
    outcome: &Arc<FlowOutcome>,
    is_cancelling: bool,
) -> Node {
    let Some(booking) = outcome.bookings.first() else {
        return fragment();
    };
    let texts = flow.locale.texts;
    let context = flow.context();
    let now = use_clock().now();
    let state = BookingState::of(booking, context.event_type.price, now);
    let (title, sign) = title(outcome.kind, state);
    let heading = heading(0)
        .class("confirmation-title")
        .attr("tabindex", "-1")
        .child(texts.get(title));
    if !is_cancelling {
        focus_soon(&heading);
    }
    let is_over = matches!(
        state,
        BookingState::Cancelled | BookingState::Declined | BookingState::Past
    );
    let sign = el("span")
        .class("confirmation-sign")
        .attr_if("data-over", is_over.then_some("true"))
        .child(icon(sign));
    let sentence = sentence(texts, &context, outcome.kind, booking, state);
    let sentence = sentence.map(|text| el("p").class("confirmation-text").child(text));
    let card = el("div").class("confirmation").attr("part", "confirmation");
    let has_calendar_links = outcome.kind != OutcomeKind::DryRun && !is_over;
    let calendar_links = has_calendar_links
        .then(|| calendar_links(&outcome.bookings, &context.event_type.description, now));
    let body = el("slot")
        .attr("name", "confirmation")
        .child(sentence)
        .child(payment_link(texts, &context, state))
        .child(details(&context, flow.locale, flow.step, outcome, booking))
        .child(calendar_links);
    card.child(sign).child(heading).child(body).child(actions(
        flow,
        outcome.clone(),
        state,
        is_cancelling,
    ))
}

fn title(kind: OutcomeKind, state: BookingState) -> (Key, Shape) {
    match (kind, state) {
        (OutcomeKind::DryRun, _) => (Key::TriedTitle, Shape::Check),
        (OutcomeKind::Cancelled, _) | (_, BookingState::Cancelled) => {
            (Key::CancelledTitle, Shape::Calendar)
        }
        (_, BookingState::Declined) => (Key::DeclinedTitle, Shape::Calendar),
        (_, BookingState::Past) => (Key::PastTitle, Shape::Clock),
        (_, BookingState::Unpaid) => (Key::PaymentTitle, Shape::Card),
        (_, BookingState::AwaitingHost) => (Key::WaitingTitle, Shape::Clock),
        (OutcomeKind::Opened, BookingState::Requested) => (Key::UnconfirmedTitle, Shape::Clock),
        (_, BookingState::Requested) => (Key::RequestedTitle, Shape::Clock),
        (OutcomeKind::Opened, BookingState::Upcoming) => (Key::YourBooking, Shape::Calendar),
        (OutcomeKind::Rescheduled, BookingState::Upcoming) => (Key::MovedTitle, Shape::Check),
        (OutcomeKind::Booked, BookingState::Upcoming) => (Key::BookedTitle, Shape::Check),
    }
}

fn sentence(
    texts: Translations,
    context: &FlowContext,
    kind: OutcomeKind,
    booking: &PublicBooking,
    state: BookingState,
) -> Option<String> {
    let host_names = host_names(context, booking);
    let email = booking.email.as_str();
    let key = match (kind, state) {
        (OutcomeKind::DryRun, _) => Key::TriedText,
        (_, BookingState::Cancelled | BookingState::Declined) | (OutcomeKind::Cancelled, _) => {
            let reason = booking
                .reason
                .as_deref()
                .filter(|text| !text.trim().is_empty());
            return reason.map(|reason| texts.fill(Key::ReasonGiven, &[("reason", reason)]));
        }
        (_, BookingState::Unpaid) => Key::PaymentText,
        (_, BookingState::AwaitingHost) => Key::WaitingText,
        (_, BookingState::Requested) if !host_names.is_empty() => {
            return Some(texts.fill(Key::RequestedText, &[("names", &host_names)]));
        }
        (_, BookingState::Requested) => Key::RequestedTextPlain,
        (OutcomeKind::Booked, BookingState::Upcoming) if !email.is_empty() => {
            return Some(texts.fill(Key::BookedText, &[("email", email)]));
        }
        (OutcomeKind::Booked, BookingState::Upcoming) => Key::BookedTextPlain,
        (OutcomeKind::Rescheduled, BookingState::Upcoming) => Key::MovedText,
        _ => return None,
    };
    Some(texts.get(key).to_owned())
}

/// Hosts of the booking, else of its event type.
fn host_names(context: &FlowContext, booking: &PublicBooking) -> String {
    if booking.host_names.is_empty() {
        context.event_type.host_names.join(", ")
    } else {
        booking.host_names.join(", ")
    }
}

/// Payment link: no operation takes a payment, the service's own page does (contract 3.5.4).
fn payment_link(texts: Translations, context: &FlowContext, state: BookingState) -> Option<Node> {
    let url = &context.event_type.booking_url;
    let host = web_host(url).filter(|_| state == BookingState::Unpaid)?;
    let label = texts.fill(Key::PayAt, &[("host", host)]);
    Some(
        el("a")
            .class("button-primary")
            .attr("part", "payment")
            .attr("href", url)
            .attr("target", "_blank")
            .attr("rel", "noopener noreferrer")
            .child(label)
            .child(icon(Shape::Forward)),
    )
}

fn details(
    context: &FlowContext,
    locale: LocaleContext,
    step: RwSignal<Step>,
    outcome: &FlowOutcome,
    booking: &PublicBooking,
) -> Node {
    let texts = locale.texts;
    let (start, end) = (booking.start, booking.end);
    let is_cancelled = outcome.kind == OutcomeKind::Cancelled;
    let start_detail = move || {
        let times = locale.settings.times(locale.formats, start, end);
        let lines = time_lines(locale.settings, start, &times);
        match is_cancelled {
            true => el("s").class("lost").child(lines),
            false => lines,
        }
    };
    let previous_start = outcome.previous_start.map(|start| {
        let old = el("s")
            .class("lost")
            .text_with(move || locale.date_time(start));
        detail(texts, Key::OldTime, old)
    });
    let host_names = host_names(context, booking);
    let people = std::iter::once(&host_names)
        .chain(&booking.attendee_names)
        .filter(|name| !name.is_empty())
        .map(|name| el("div").child(name.as_str()));
    let location = booking.location.as_deref();
    let location = location
        .filter(|location| !location.trim().is_empty())
        .map(|location| detail(texts, Key::Where, booked_location(Some(location), texts)));
    let reference = Some(booking.uid.0.as_str()).filter(|uid| !uid.is_empty());
    let link = booking_url(context, outcome, booking).map(|url| {
        el("a")
            .class("link")
            .attr("part", "booking-link")
            .attr("href", &url)
            .attr("target", "_blank")
            .attr("rel", "noopener noreferrer")
            .child(texts.get(Key::BookingLink))
    });
    let reference = reference.map(|uid| {
        let uid = el("span").class("reference").child(uid);
        let value = fragment_of([uid, text(" ")]).child(link);
        detail(texts, Key::BookingReference, value)
    });
    let form = Form::of(&context.event_type);
    let responses = labelled_responses(&form, &booking.responses, texts)
        .into_iter()
        .map(|(label, response)| {
            let label = el("dt").child(el("bdi").child(label));
            let response = el("dd").class("answer").child(el("bdi").child(response));
            fragment_of([label, response])
        });
    let seat = outcome.seat_uid.as_deref().map(|seat| {
        let seat = el("span").class("reference-seat reference").child(seat);
        detail(texts, Key::YourSeat, seat)
    });
    let series = (outcome.bookings.len() > 1).then(|| {
        detail(
            texts,
            Key::SeriesDates,
            occurrence_list(locale, step, &outcome.bookings),
        )
    });
    el("dl")
        .class("confirmation-facts")
        .child(detail(texts, Key::What, text(&booking.title)))
        .child(detail(
            texts,
            Key::When,
            fragment().child_with(start_detail),
        ))
        .child(previous_start)
        .child(series)
        .child(detail(texts, Key::Who, fragment_of(people)))
        .child(location)
        .child(fragment_of(responses))
        .child(reference)
        .child(seat)
}

/// URL of a page that shows this booking again: the page's `booking-page`, else the service's own, next to its page
/// for booking.
fn booking_url(
    context: &FlowContext,
    outcome: &FlowOutcome,
    booking: &PublicBooking,
) -> Option<String> {
    let series = booking.series_uid.as_ref();
    let series = series.filter(|_| outcome.bookings.len() > 1);
    let uid = series.unwrap_or(&booking.uid).0.as_str();
    if uid.is_empty() || outcome.kind == OutcomeKind::DryRun {
        return None;
    }
    let seat = outcome.seat_uid.as_deref().unwrap_or_default();
    let encode = |text: &str| String::from(js_sys::encode_uri_component(text));
    let page = match &context.config.booking_page {
        Some(page) => page.clone(),
        // Other services' pages are unspecified (contract 9).
        None if context.session.dialect() == Dialect::Svc => BOOKING_PAGE.to_owned(),
        None => return None,
    };
    let base = match context.config.booking_page {
        Some(_) => window().location().href().ok()?,
        None => context.event_type.booking_url.clone(),
    };
    let url = fill_url_pattern(&page, &encode(uid), &encode(seat));
    let url = Url::new_with_base(&url, &base).ok()?.href();
    web_host(&url).is_some().then_some(url)
}

fn detail(texts: Translations, name: Key, value: Node) -> Node {
    fragment_of([el("dt").child(texts.get(name)), el("dd").child(value)])
}

/// Occurrences of a series, each to open, reschedule or cancel alone.
fn occurrence_list(
    locale: LocaleContext,
    step: RwSignal<Step>,
    bookings: &[PublicBooking],
) -> Node {
    let items = bookings.iter().map(|booking| {
        let start = booking.start;
        let alone = Arc::new(FlowOutcome {
            bookings: vec![booking.clone()],
            seat_uid: booking.seat_uid.clone(),
            kind: OutcomeKind::Opened,
            previous_start: None,
        });
        let open = button("link", move || step.set(Step::Done(alone.clone())))
            .text_with(move || locale.date_time(start));
        el("li").child(open)
    });
    el("ol").class("series-dates").child(fragment_of(items))
}

/// Actions, reasons why some are unavailable, and the cancel form.
fn actions(
    flow: FlowState,
    outcome: Arc<FlowOutcome>,
    state: BookingState,
    is_cancelling: bool,
) -> Node {
    let texts = flow.locale.texts;
    let is_cancel_form = flow.history.is_cancelling;
    is_cancel_form.set(is_cancelling);
    let root = el("div").class("confirmation-actions");
    let element = root.element();
    let content = move || {
        let Some(booking) = outcome.bookings.first() else {
            return fragment();
        };
        if is_cancel_form.get() {
            let element = element.clone();
            let uid = booking.uid.0.clone();
            let on_keep = move || {
                let uid = uid.clone();
                if !flow.context().page.emit(&BookingEvent::BookingKept { uid }) {
                    return;
                }
                is_cancel_form.set(false);
                focus_first_soon(element.clone(), ".action-cancel");
            };
            return cancel_form(flow, outcome.clone(), on_keep);
        }
        let context = flow.context();
        let now = use_clock().now();
        let policy = context.event_type.policy;
        let is_one = outcome.bookings.len() == 1;
        let is_real = outcome.kind != OutcomeKind::DryRun;
        let reschedule = match is_real && is_one {
            true => reschedule_availability(booking, state, policy, now),
            false => ActionAvailability::NotApplicable,
        };
        let cancel = match is_real && outcome.kind != OutcomeKind::Cancelled {
            true => cancel_availability(state, policy),
            false => ActionAvailability::NotApplicable,
        };
        let old = Rescheduling {
            booking: booking.clone(),
            seat_uid: outcome.seat_uid.clone(),
        };
        let on_reschedule = move || flow.start_reschedule(old.clone());
        let book_again = if matches!(outcome.kind, OutcomeKind::Booked | OutcomeKind::Rescheduled) {
            Key::BookAnother
        } else {
            Key::BookAgain
        };
        let buttons = fragment()
            .child((reschedule == ActionAvailability::Available).then(|| {
                button("button action-move", on_reschedule)
                    .attr("part", "reschedule")
                    .child(texts.get(Key::Reschedule))
            }))
            .child((cancel == ActionAvailability::Available).then(|| {
                button("button action-cancel", move || is_cancel_form.set(true))
                    .attr("part", "cancel")
                    .child(texts.get(Key::CancelBooking))
            }))
            .child(
                button("button-quiet", move || flow.start_new_booking())
                    .child(texts.get(book_again)),
            );
        let reasons = [
            (reschedule == ActionAvailability::Forbidden, Key::NoMoving),
            (
                reschedule == ActionAvailability::TooLate,
                Key::TooLateToMove,
            ),
            (cancel == ActionAvailability::Forbidden, Key::NoCancelling),
        ];
        let reasons = reasons
            .into_iter()
            .filter(|(applies, _)| *applies)
            .map(|(_, key)| el("p").class("confirmation-why").child(texts.get(key)));
        fragment()
            .child(el("div").class("action-row").child(buttons))
            .child(fragment_of(reasons))
    };
    root.child_with(content)
}
