//! Everything that one booking holds. Metadata is left out: it is for programs.

use booking_wire::{Attendee, Booking, BookingUid, Instant, JsonMap, Offer};

use crate::components::button;
use crate::dom::{Html, el, row, text};
use crate::i18n::Key;
use crate::place::booked_place;

use super::event_type_title;
use super::list::List;
use super::spelling::{answer_text, is_own_answer, spelled};

/// Tells what has no place in the row.
pub(super) fn details(booking: &Booking, list: List) -> Html {
    let List {
        texts,
        formats,
        settings,
        ..
    } = list;
    let zone = settings.zone.get();
    let moment = |instant: Instant| {
        let day = formats.short_day(formats.day_of(instant, &zone));
        format!("{day}, {}", settings.time(formats, instant))
    };
    let (labels, event_type) = list.event_types.with(|known| {
        let known = known.ready().map(Vec::as_slice).unwrap_or_default();
        (labels_of(booking, known), event_type_title(booking, known))
    });
    let line =
        |key: Key, words: &str| (!words.is_empty()).then(|| fact(texts.get(key), text(words)));
    let optional =
        |key: Key, words: &Option<String>| line(key, words.as_deref().unwrap_or_default());

    let is_one_day = formats.day_of(booking.start, &zone) == formats.day_of(booking.end, &zone);
    let end = if is_one_day {
        settings.time(formats, booking.end)
    } else {
        moment(booking.end)
    };
    let offset = formats.offset_text(booking.start, &zone);
    let when = format!(
        "{} – {end} ({}, {offset})",
        moment(booking.start),
        zone.spoken()
    );
    let length = texts.fill(Key::Minutes, &[("count", &texts.number(booking.duration))]);
    let place = booking
        .location
        .as_deref()
        .is_some_and(|words| !words.trim().is_empty())
        .then(|| {
            fact(
                texts.get(Key::Where),
                booked_place(booking.location.as_deref(), texts),
            )
        });
    let hosts = booking
        .hosts
        .iter()
        .filter(|host| host.id != "unknown")
        .map(|host| {
            let mut notes = vec![spoken(&host.time_zone)];
            if booking.absent_host {
                notes.push(texts.get(Key::DidNotCome).to_owned());
            }
            person(&host.name, &host.display_email, &notes)
        });
    let people = booking.attendees.iter().map(|attendee| {
        let mut notes = vec![
            attendee.phone_number.clone().unwrap_or_default(),
            spoken(&attendee.time_zone),
            attendee.language.clone().unwrap_or_default(),
        ];
        if attendee.absent {
            notes.push(texts.get(Key::DidNotCome).to_owned());
        }
        notes.extend(own_answers(attendee, &labels, list));
        person(&attendee.name, &attendee.display_email, &notes)
    });
    let answers = booking.booking_fields_responses.as_ref();
    let answers = answers
        .map(|answers| told(answers, &labels, list))
        .unwrap_or_default();
    let guests = booking.guests.clone().unwrap_or_default().join(", ");
    let rating = booking.rating.map(|rating| format!("{rating}/5"));

    let facts = el("dl")
        .class("details-facts")
        .add(line(Key::When, &when))
        .add(line(Key::Length, &length))
        .add(optional(Key::EventType, &event_type))
        .add(place)
        .add((!booking.hosts.is_empty()).then(|| fact(texts.get(Key::Hosts), row(hosts))))
        .add((!booking.attendees.is_empty()).then(|| fact(texts.get(Key::Attendees), row(people))))
        .add(line(Key::Guests, &guests))
        .add(line(Key::Description, &booking.description))
        .add(row(answers
            .iter()
            .map(|(label, words)| fact(label, text(words)))))
        .add(optional(
            Key::CancellationReason,
            &booking.cancellation_reason,
        ))
        .add(optional(Key::CancelledBy, &booking.cancelled_by_email))
        .add(optional(
            Key::ReschedulingReason,
            &booking.rescheduling_reason,
        ))
        .add(optional(Key::RescheduledBy, &booking.rescheduled_by_email))
        .add(other(Key::ReplacedBy, &booking.rescheduled_to_uid, list))
        .add(other(Key::Replaces, &booking.rescheduled_from_uid, list))
        .add(optional(Key::Rating, &rating))
        .add(line(Key::BookingReference, &booking.uid.0))
        .add(optional(
            Key::SeriesReference,
            &booking.recurring_booking_uid,
        ))
        .add(optional(Key::MadeAt, &booking.created_at.map(moment)))
        .add(optional(Key::ChangedAt, &booking.updated_at.map(moment)));
    el("div")
        .class("details")
        .attr("part", "details")
        .add(facts)
}

fn fact(label: &str, value: Html) -> Html {
    el("div")
        .class("fact-line")
        .add(el("dt").add(label))
        .add(el("dd").add(value))
}

/// The booking that this one became or came from. A press shows that one alone.
fn other(key: Key, uid: &Option<BookingUid>, list: List) -> Option<Html> {
    let uid = uid.as_ref()?.0.clone();
    let words = uid.clone();
    let show = move || {
        list.wish.change(|filters| {
            filters.clear();
            filters.show_only(None);
            filters.uid.clone_from(&uid);
        });
    };
    Some(fact(
        list.texts.get(key),
        button("text-button", show).add(words),
    ))
}

/// A zone as people read it.
fn spoken(zone: &str) -> String {
    zone.replace('_', " ")
}

/// A name, an address, and the notes that are not empty.
fn person(name: &str, email: &str, notes: &[String]) -> Html {
    let notes: Vec<&str> = std::iter::once(email)
        .filter(|_| !name.is_empty())
        .chain(notes.iter().map(String::as_str))
        .filter(|note| !note.is_empty())
        .collect();
    let name = if name.is_empty() { email } else { name };
    el("div")
        .class("person-line")
        .add(el("span").add(name))
        .add(el("span").class("person-note").add(notes.join(" · ")))
}

/// The questions of the event type, by slug.
fn labels_of(booking: &Booking, known: &[Offer]) -> Vec<(String, String)> {
    known
        .iter()
        .filter(|event_type| Some(event_type.id) == booking.event_type_id)
        .flat_map(|event_type| &event_type.booking_fields)
        .filter_map(|field| Some((field.slug.clone(), field.label.clone()?)))
        .filter(|(_, label)| !label.is_empty())
        .collect()
}

/// Questions and answers of the booking's own form.
fn told(answers: &JsonMap, labels: &[(String, String)], list: List) -> Vec<(String, String)> {
    let (yes, no) = (list.texts.get(Key::Yes), list.texts.get(Key::No));
    answers
        .iter()
        .filter(|(slug, _)| is_own_answer(slug))
        .filter_map(|(slug, value)| {
            let label = labels
                .iter()
                .find(|(known, _)| known == slug)
                .map_or_else(|| spelled(slug), |(_, label)| label.clone());
            Some((label, answer_text(value, yes, no)?))
        })
        .collect()
}

/// Where each attendee has a seat, each has answers too.
fn own_answers(attendee: &Attendee, labels: &[(String, String)], list: List) -> Vec<String> {
    attendee
        .booking_fields_responses
        .as_ref()
        .map(|answers| told(answers, labels, list))
        .unwrap_or_default()
        .into_iter()
        .map(|(label, text)| format!("{label}: {text}"))
        .collect()
}
