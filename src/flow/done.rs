//! What was agreed.

use booking_wire::BookingStatus;
use leptos::prelude::*;

use super::summary::moment;
use super::{Ending, Flow, Step};
use crate::components::focus::focus_soon;
use crate::components::{Shape, button, icon};
use crate::dom::{Html, el, nothing, row, text};
use crate::features::use_settings;
use crate::i18n::{Key, Texts, use_formats, use_texts};
use crate::place::booked_place;

/// Tells what, when, who and where, and takes the focus.
pub(super) fn step(flow: Flow, ending: &Ending) -> Html {
    let Some(booking) = ending.bookings.first() else {
        return nothing();
    };
    let is_requested = booking.status != BookingStatus::Accepted;
    let event_type_hosts = flow.world().event_type.host_names.join(", ");
    let on_again = move || {
        flow.choice.slot.set(None);
        flow.setback.set(None);
        flow.slots.again();
        flow.step.set(Step::Pick);
    };
    let texts = use_texts();
    let formats = use_formats();
    let settings = use_settings();

    let hosts = if booking.host_names.is_empty() {
        event_type_hosts
    } else {
        booking.host_names.join(", ")
    };
    let email = booking.email.as_str();
    let sentence = match (is_requested, hosts.is_empty(), email.is_empty()) {
        (true, false, _) => texts.fill(Key::RequestedText, &[("names", &hosts)]),
        (true, true, _) => texts.get(Key::RequestedTextPlain).to_owned(),
        (false, _, false) => texts.fill(Key::BookedText, &[("email", email)]),
        (false, _, true) => texts.get(Key::BookedTextPlain).to_owned(),
    };
    let (title, sign) = match is_requested {
        true => (Key::RequestedTitle, Shape::Clock),
        false => (Key::BookedTitle, Shape::Check),
    };
    let heading = el("h2")
        .class("confirmation-title")
        .attr("tabindex", "-1")
        .add(texts.get(title));
    focus_soon(&heading);

    let (start, end) = (booking.start, booking.end);
    let when =
        nothing().show(move || moment(settings, start, &settings.times(formats, start, end)));
    let who = std::iter::once(&hosts)
        .chain(&booking.attendee_names)
        .filter(|name| !name.is_empty())
        .map(|name| el("div").add(name.as_str()));
    let has_place = booking
        .location
        .as_deref()
        .is_some_and(|place| !place.trim().is_empty());
    let place = has_place.then(|| {
        fact(
            texts,
            Key::Where,
            booked_place(booking.location.as_deref(), texts),
        )
    });
    let facts = el("dl")
        .class("confirmation-facts")
        .add(fact(texts, Key::What, text(&booking.title)))
        .add(fact(texts, Key::When, when))
        .add(fact(texts, Key::Who, row(who)))
        .add(place)
        .add(fact(
            texts,
            Key::BookingReference,
            el("span").class("reference").add(booking.uid.0.as_str()),
        ));

    el("div")
        .class("confirmation")
        .attr("part", "confirmation")
        .add(el("span").class("confirmation-sign").add(icon(sign)))
        .add(heading)
        .add(el("p").class("confirmation-text").add(sentence))
        .add(facts)
        .add(button("button", on_again).add(texts.get(Key::BookAnother)))
}

fn fact(texts: Texts, name: Key, value: Html) -> Html {
    row([el("dt").add(texts.get(name)), el("dd").add(value)])
}
