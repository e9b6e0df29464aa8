//! Booking confirmation and its actions.

use std::sync::Arc;

use booking_wire::PublicBooking;
use leptos::prelude::*;
use web_sys::Url;

use super::calendar_links::calendars;
use super::cancel::cancel_form;
use super::model::{ActionAvailability, BookingState, filled_address, may_cancel, may_move};
use super::outcome::{FlowOutcome, OutcomeKind};
use super::summary::moment;
use super::{Flow, Moving, Step, series_dates};
use crate::client::Dialect;
use crate::components::focus::{focus_first_soon, focus_soon};
use crate::components::{Shape, button, heading, icon};
use crate::element::attributes::BOOKING_PAGE;
use crate::element::booking_events::BookingEvent;
use crate::element::settings::use_clock;
use crate::features::booking_form::model::Form;
use crate::features::booking_form::response_text::told;
use crate::features::shared::location::{booked_place, web_host};
use crate::i18n::{Key, Translations};
use crate::ui::dom::{Node, el, fragment, fragment_of, text};
use crate::ui::signal::RwSignal;

/// Shows a booking and focuses its heading, or with `is_cancelling` its cancel form.
pub(super) fn step(flow: Flow, ending: &Arc<FlowOutcome>, is_cancelling: bool) -> Node {
    let Some(booking) = ending.bookings.first() else {
        return fragment();
    };
    let texts = flow.texts;
    let world = flow.world();
    let now = use_clock().now();
    let standing = BookingState::of(booking, world.event_type.price, now);
    let (title, sign) = title(ending.how, standing);
    let heading = heading(0)
        .class("confirmation-title")
        .attr("tabindex", "-1")
        .child(texts.get(title));
    if !is_cancelling {
        focus_soon(&heading);
    }
    let is_over = matches!(
        standing,
        BookingState::Cancelled | BookingState::Declined | BookingState::Past
    );
    let sign = el("span")
        .class("confirmation-sign")
        .attr_if("data-over", is_over.then_some("true"))
        .child(icon(sign));
    let sentence = sentence(flow, ending, booking, standing);
    let sentence = sentence.map(|text| el("p").class("confirmation-text").child(text));
    let card = el("div").class("confirmation").attr("part", "confirmation");
    let is_lasting = ending.how != OutcomeKind::Tried && !is_over;
    let calendars = is_lasting.then(|| calendars(flow, ending, now));
    let body = el("slot")
        .attr("name", "confirmation")
        .child(sentence)
        .child(payment(flow, standing))
        .child(facts(flow, ending, booking))
        .child(calendars);
    card.child(sign).child(heading).child(body).child(actions(
        flow,
        ending.clone(),
        standing,
        is_cancelling,
    ))
}

fn title(how: OutcomeKind, standing: BookingState) -> (Key, Shape) {
    match (how, standing) {
        (OutcomeKind::Tried, _) => (Key::TriedTitle, Shape::Check),
        (OutcomeKind::Cancelled, _) | (_, BookingState::Cancelled) => {
            (Key::CancelledTitle, Shape::Calendar)
        }
        (_, BookingState::Declined) => (Key::DeclinedTitle, Shape::Calendar),
        (_, BookingState::Past) => (Key::PastTitle, Shape::Clock),
        (_, BookingState::Unpaid) => (Key::PaymentTitle, Shape::Card),
        (_, BookingState::Waiting) => (Key::WaitingTitle, Shape::Clock),
        (OutcomeKind::Opened, BookingState::Requested) => (Key::UnconfirmedTitle, Shape::Clock),
        (_, BookingState::Requested) => (Key::RequestedTitle, Shape::Clock),
        (OutcomeKind::Opened, BookingState::Ahead) => (Key::YourBooking, Shape::Calendar),
        (OutcomeKind::Moved, BookingState::Ahead) => (Key::MovedTitle, Shape::Check),
        (OutcomeKind::Made, BookingState::Ahead) => (Key::BookedTitle, Shape::Check),
    }
}

fn sentence(
    flow: Flow,
    ending: &FlowOutcome,
    booking: &PublicBooking,
    standing: BookingState,
) -> Option<String> {
    let texts = flow.texts;
    let hosts = hosts(flow, booking);
    let email = booking.email.as_str();
    let key = match (ending.how, standing) {
        (OutcomeKind::Tried, _) => Key::TriedText,
        (_, BookingState::Cancelled | BookingState::Declined) | (OutcomeKind::Cancelled, _) => {
            let reason = booking
                .reason
                .as_deref()
                .filter(|text| !text.trim().is_empty());
            return reason.map(|reason| texts.fill(Key::ReasonGiven, &[("reason", reason)]));
        }
        (_, BookingState::Unpaid) => Key::PaymentText,
        (_, BookingState::Waiting) => Key::WaitingText,
        (_, BookingState::Requested) if !hosts.is_empty() => {
            return Some(texts.fill(Key::RequestedText, &[("names", &hosts)]));
        }
        (_, BookingState::Requested) => Key::RequestedTextPlain,
        (OutcomeKind::Made, BookingState::Ahead) if !email.is_empty() => {
            return Some(texts.fill(Key::BookedText, &[("email", email)]));
        }
        (OutcomeKind::Made, BookingState::Ahead) => Key::BookedTextPlain,
        (OutcomeKind::Moved, BookingState::Ahead) => Key::MovedText,
        _ => return None,
    };
    Some(texts.get(key).to_owned())
}

/// Hosts of the booking, else of its event type.
fn hosts(flow: Flow, booking: &PublicBooking) -> String {
    if booking.host_names.is_empty() {
        flow.world().event_type.host_names.join(", ")
    } else {
        booking.host_names.join(", ")
    }
}

/// Payment link: no operation takes a payment, the service's own page does (contract 3.5.4).
fn payment(flow: Flow, standing: BookingState) -> Option<Node> {
    let world = flow.world();
    let url = &world.event_type.booking_url;
    let host = web_host(url).filter(|_| standing == BookingState::Unpaid)?;
    let label = flow.texts.fill(Key::PayAt, &[("host", host)]);
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

fn facts(flow: Flow, ending: &Arc<FlowOutcome>, booking: &PublicBooking) -> Node {
    let texts = flow.texts;
    let (start, end) = (booking.start, booking.end);
    let is_cancelled = ending.how == OutcomeKind::Cancelled;
    let when = move || {
        let written = moment(
            flow.settings,
            start,
            &flow.settings.times(flow.formats, start, end),
        );
        match is_cancelled {
            true => el("s").class("lost").child(written),
            false => written,
        }
    };
    let was = ending.was.map(|was| {
        let old = el("s")
            .class("lost")
            .text_with(move || series_dates::written(flow, was));
        fact(texts, Key::OldTime, old)
    });
    let hosts = hosts(flow, booking);
    let who = std::iter::once(&hosts)
        .chain(&booking.attendee_names)
        .filter(|name| !name.is_empty())
        .map(|name| el("div").child(name.as_str()));
    let location = booking.location.as_deref();
    let place = location
        .filter(|place| !place.trim().is_empty())
        .map(|place| fact(texts, Key::Where, booked_place(Some(place), texts)));
    let reference = Some(booking.uid.0.as_str()).filter(|uid| !uid.is_empty());
    let link = way_back(flow, ending, booking).map(|address| {
        el("a")
            .class("link")
            .attr("part", "booking-link")
            .attr("href", &address)
            .attr("target", "_blank")
            .attr("rel", "noopener noreferrer")
            .child(texts.get(Key::BookingLink))
    });
    let reference = reference.map(|uid| {
        let uid = el("span").class("reference").child(uid);
        let words = fragment_of([uid, text(" ")]).child(link);
        fact(texts, Key::BookingReference, words)
    });
    let form = Form::of(&flow.world().event_type);
    let answers = told(&form, &booking.responses, texts)
        .into_iter()
        .map(|(label, answer)| {
            let label = el("dt").child(el("bdi").child(label));
            let answer = el("dd").class("answer").child(el("bdi").child(answer));
            fragment_of([label, answer])
        });
    let seat = ending.seat_uid.as_deref().map(|seat| {
        let seat = el("span").class("reference-seat reference").child(seat);
        fact(texts, Key::YourSeat, seat)
    });
    let series =
        (ending.bookings.len() > 1).then(|| fact(texts, Key::SeriesDates, meetings(flow, ending)));
    el("dl")
        .class("confirmation-facts")
        .child(fact(texts, Key::What, text(&booking.title)))
        .child(fact(texts, Key::When, fragment().child_with(when)))
        .child(was)
        .child(series)
        .child(fact(texts, Key::Who, fragment_of(who)))
        .child(place)
        .child(fragment_of(answers))
        .child(reference)
        .child(seat)
}

/// URL of a page that shows this booking again: the page's `booking-page`, else the service's own, next to its page
/// for booking.
fn way_back(flow: Flow, ending: &FlowOutcome, booking: &PublicBooking) -> Option<String> {
    let world = flow.world();
    let series = booking.series_uid.as_ref();
    let series = series.filter(|_| ending.bookings.len() > 1);
    let uid = series.unwrap_or(&booking.uid).0.as_str();
    if uid.is_empty() || ending.how == OutcomeKind::Tried {
        return None;
    }
    let seat = ending.seat_uid.as_deref().unwrap_or_default();
    let encode = |text: &str| String::from(js_sys::encode_uri_component(text));
    let page = match &world.config.booking_page {
        Some(page) => page.clone(),
        // Other services' pages are unspecified (contract 9).
        None if world.session.dialect() == Dialect::Svc => BOOKING_PAGE.to_owned(),
        None => return None,
    };
    let base = match world.config.booking_page {
        Some(_) => window().location().href().ok()?,
        None => world.event_type.booking_url.clone(),
    };
    let address = filled_address(&page, &encode(uid), &encode(seat));
    let address = Url::new_with_base(&address, &base).ok()?.href();
    web_host(&address).is_some().then_some(address)
}

fn fact(texts: Translations, name: Key, value: Node) -> Node {
    fragment_of([el("dt").child(texts.get(name)), el("dd").child(value)])
}

/// Occurrences of a series, each to open, reschedule or cancel alone.
fn meetings(flow: Flow, ending: &Arc<FlowOutcome>) -> Node {
    let items = ending.bookings.iter().map(|booking| {
        let start = booking.start;
        let alone = Arc::new(FlowOutcome {
            bookings: vec![booking.clone()],
            seat_uid: booking.seat_uid.clone(),
            how: OutcomeKind::Opened,
            was: None,
        });
        let open = button("link", move || flow.step.set(Step::Done(alone.clone())))
            .text_with(move || series_dates::written(flow, start));
        el("li").child(open)
    });
    el("ol").class("series-dates").child(fragment_of(items))
}

/// Actions, reasons why some are unavailable, and the cancel form.
fn actions(
    flow: Flow,
    ending: Arc<FlowOutcome>,
    standing: BookingState,
    is_cancelling: bool,
) -> Node {
    let texts = flow.texts;
    let asks = RwSignal::new(is_cancelling);
    let place = el("div").class("confirmation-actions");
    let element = place.element();
    let content = move || {
        let Some(booking) = ending.bookings.first() else {
            return fragment();
        };
        if asks.get() {
            let element = element.clone();
            let uid = booking.uid.0.clone();
            let on_keep = move || {
                let uid = uid.clone();
                if !flow.world().page.emit(&BookingEvent::BookingKept { uid }) {
                    return;
                }
                asks.set(false);
                focus_first_soon(element.clone(), ".action-cancel");
            };
            return cancel_form(flow, ending.clone(), on_keep);
        }
        let world = flow.world();
        let now = use_clock().now();
        let policy = world.event_type.policy;
        let is_one = ending.bookings.len() == 1;
        let is_real = ending.how != OutcomeKind::Tried;
        let moves = match is_real && is_one {
            true => may_move(booking, standing, policy, now),
            false => ActionAvailability::Senseless,
        };
        let cancels = match is_real && ending.how != OutcomeKind::Cancelled {
            true => may_cancel(standing, policy),
            false => ActionAvailability::Senseless,
        };
        let moving = Moving {
            booking: booking.clone(),
            seat_uid: ending.seat_uid.clone(),
        };
        let on_move = move || flow.begin_move(moving.clone());
        let again = if matches!(ending.how, OutcomeKind::Made | OutcomeKind::Moved) {
            Key::BookAnother
        } else {
            Key::BookAgain
        };
        let buttons = fragment()
            .child((moves == ActionAvailability::Yes).then(|| {
                button("button action-move", on_move)
                    .attr("part", "reschedule")
                    .child(texts.get(Key::Reschedule))
            }))
            .child((cancels == ActionAvailability::Yes).then(|| {
                button("button action-cancel", move || asks.set(true))
                    .attr("part", "cancel")
                    .child(texts.get(Key::CancelBooking))
            }))
            .child(button("button-quiet", move || flow.begin_anew()).child(texts.get(again)));
        let why = [
            (moves == ActionAvailability::Forbidden, Key::NoMoving),
            (moves == ActionAvailability::TooLate, Key::TooLateToMove),
            (cancels == ActionAvailability::Forbidden, Key::NoCancelling),
        ];
        let why = why
            .into_iter()
            .filter(|(holds, _)| *holds)
            .map(|(_, key)| el("p").class("confirmation-why").child(texts.get(key)));
        fragment()
            .child(el("div").class("action-row").child(buttons))
            .child(fragment_of(why))
    };
    place.child_with(content)
}
