//! Participants of a booking, with their local times.

use booking_ui::prelude::*;
use booking_wire::{Attendee, Booking};

use super::facts::fact;
use super::responses::{answers_of, linked};
use crate::components::with_copy_button;
use crate::features::booking_list::state::list_state::ListContext;
use crate::i18n::{Key, Translations};
use crate::time::Zone;
use crate::time::format::is_known;

/// Hosts, if there are any.
pub(super) fn hosts(booking: &Booking, context: ListContext) -> Option<Node> {
    let texts = context.texts;
    let hosts = booking.hosts.iter().filter(|host| host.id != "unknown");
    let hosts = hosts.map(|host| {
        let mut notes = zone_notes(booking, &host.time_zone, context);
        if booking.absent_host {
            notes.push(texts.get(Key::DidNotCome).to_owned());
        }
        person(&host.name, &host.display_email, None, &notes, texts)
    });
    people(texts.get(Key::Hosts), hosts.collect())
}

/// Attendees, if there are any.
pub(super) fn attendees(
    booking: &Booking,
    labels: &[(String, String)],
    context: ListContext,
) -> Option<Node> {
    let attendees = booking.attendees.iter();
    let attendees = attendees.map(|attendee| attendee_line(booking, attendee, labels, context));
    people(context.texts.get(Key::Attendees), attendees.collect())
}

fn people(label: &str, people: Vec<Node>) -> Option<Node> {
    (!people.is_empty()).then(|| fact(label, fragment_of(people)))
}

fn attendee_line(
    booking: &Booking,
    attendee: &Attendee,
    labels: &[(String, String)],
    context: ListContext,
) -> Node {
    let texts = context.texts;
    let mut notes = zone_notes(booking, &attendee.time_zone, context);
    if let Some(language) = attendee.language.as_deref().filter(|code| !code.is_empty()) {
        let language = context.formats.language_name(language);
        notes.push(texts.fill(Key::AttendeeLanguage, &[("language", &language)]));
    }
    if attendee.absent {
        notes.push(texts.get(Key::DidNotCome).to_owned());
    }
    let phone = attendee.phone_number.as_deref();
    let name = (&attendee.name, &attendee.display_email);
    let line = person(name.0, name.1, phone, &notes, texts);
    // With seats, each attendee has answers.
    let answers = attendee.booking_fields_responses.as_ref();
    let answers = answers
        .map(|answers| answers_of(answers, labels, texts))
        .unwrap_or_default();
    line.child(fragment_of(answers.into_iter().map(|(label, answer)| {
        el("span")
            .class("person-note")
            .child(label)
            .child(": ")
            .child(linked(&answer))
    })))
}

/// Time zone, and the booking's time there if its offset differs from the user's.
fn zone_notes(booking: &Booking, zone: &str, context: ListContext) -> Vec<String> {
    let ListContext {
        texts,
        formats,
        settings,
        ..
    } = context;
    if zone.is_empty() {
        return Vec::new();
    }
    let zone = Zone(zone.to_owned());
    let mut notes = vec![zone.city()];
    let own = settings.zone.get_untracked();
    let is_other = is_known(&zone)
        && formats.offset(booking.start, &zone) != formats.offset(booking.start, &own);
    if is_other {
        let hours = settings.uses_12_hours.get_untracked();
        let time = |instant| formats.time(instant, &zone, hours);
        let day = formats.short_day(formats.day_of(booking.start, &zone));
        let times = [&time(booking.start), " – ", &time(booking.end)].concat();
        let time = texts.fill(Key::DateAndTime, &[("day", &day), ("time", &times)]);
        notes.push(texts.fill(Key::TheirTime, &[("time", &time)]));
    }
    notes
}

/// Name, contact details and notes of a participant.
fn person(
    name: &str,
    email: &str,
    phone: Option<&str>,
    notes: &[String],
    texts: Translations,
) -> Node {
    let name_view = (!name.is_empty()).then(|| el("span").child(name));
    let display_name = if name.is_empty() { email } else { name };
    let label = texts.fill(Key::EmailOf, &[("name", display_name)]);
    let email = (!email.is_empty()).then(|| with_copy_button(linked(email), email, &label));
    let phone = phone
        .filter(|phone| !phone.is_empty())
        .map(|phone| el("span").child(linked(phone)));
    // One element each: a zone name runs from left to right, whatever is next to it.
    let notes = notes
        .iter()
        .map(|note| el("span").class("person-note").child(note.as_str()));
    el("div")
        .class("person-line")
        .child(name_view)
        .child(email)
        .child(phone)
        .child(fragment_of(notes))
}
