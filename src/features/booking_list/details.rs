//! Details of one booking, with its actions.

mod attendees;
mod copy;
mod reschedule_history;
mod responses;

use booking_wire::{Booking, Instant};
use leptos::prelude::*;

use crate::client::query::{Load, latest};
use crate::components::button;
use crate::features::shared::location::{booked_place, web_host};
use crate::i18n::Key;
use crate::ui::dom::{Node, el, fragment, fragment_of, text};
use crate::ui::signal::RwSignal;

use super::actions::acts;
use super::event_type_title;
use super::formatting::answer_text;
use super::list_state::List;
use attendees::people;
use copy::copied;
use reschedule_history::{chain, meeting_line};
use responses::{labels_of, linked, told};

/// Title length that even a narrow row shows in full.
const LONGEST_TITLE: usize = 80;

/// Renders details not in the row.
pub(super) fn details(booking: &Booking, list: List) -> Node {
    let List {
        texts,
        formats,
        settings,
        ..
    } = list;
    let zone = settings.zone.get();
    let (labels, event_type) = list.event_types.with(|known| {
        let known = known.ready().map(Vec::as_slice).unwrap_or_default();
        (labels_of(booking, known), event_type_title(booking, known))
    });
    let line =
        |key: Key, words: &str| (!words.is_empty()).then(|| fact(texts.get(key), text(words)));
    let optional =
        |key: Key, words: &Option<String>| line(key, words.as_deref().unwrap_or_default());
    let address = |key: Key, words: &Option<String>| {
        let words = words.as_deref().filter(|words| !words.is_empty())?;
        Some(fact(texts.get(key), linked(words)))
    };

    let is_one_day = formats.day_of(booking.start, &zone) == formats.day_of(booking.end, &zone);
    let end = if is_one_day {
        settings.time(formats, booking.end)
    } else {
        moment(booking.end, list)
    };
    let when = [
        &moment(booking.start, list),
        " – ",
        &end,
        " (",
        &zone.display_name(),
        ", ",
        &formats.offset_text(booking.start, &zone),
        ")",
    ]
    .concat();
    let length = texts.fill(Key::Minutes, &[("count", &texts.number(booking.duration))]);
    let answers = booking.booking_fields_responses.as_ref();
    let answers = answers
        .map(|answers| told(answers, &labels, list))
        .unwrap_or_default();
    let guests = booking.guests.as_deref().unwrap_or_default();
    let guests = (!guests.is_empty()).then(|| {
        let lines = guests.iter().map(|guest| {
            let shown = linked(guest);
            el("div").class("person-line").child(shown)
        });
        fact(texts.get(Key::Guests), fragment_of(lines))
    });
    let rating = booking.rating.map(|rating| format!("{rating}/5"));
    let reference = texts.get(Key::BookingReference);
    // Both bookings of a move carry its reason.
    let moved = if booking.rescheduled_to_uid.is_some() {
        Key::ReschedulingReason
    } else {
        Key::MovedHereReason
    };

    // Rows truncate it.
    let is_long = booking.title.chars().nth(LONGEST_TITLE).is_some();
    let title = is_long.then_some(booking.title.as_str());

    let facts = el("dl")
        .class("details-facts")
        .child(line(Key::SheetTitle, title.unwrap_or_default()))
        .child(line(Key::When, &when))
        .child(line(Key::Length, &length))
        .child(optional(Key::EventType, &event_type))
        .child(place_of(booking, list))
        .child(people(booking, &labels, list))
        .child(guests)
        .child(line(Key::Description, &booking.description))
        .child(fragment_of(
            answers
                .iter()
                .map(|(label, words)| fact(label, linked(words))),
        ))
        .child(optional(
            Key::CancellationReason,
            &booking.cancellation_reason,
        ))
        .child(address(Key::CancelledBy, &booking.cancelled_by_email))
        .child(optional(moved, &booking.rescheduling_reason))
        .child(address(Key::RescheduledBy, &booking.rescheduled_by_email))
        .child(chain(booking, list))
        .child(series(booking, list))
        .child(optional(Key::Rating, &rating))
        .child(fact(
            reference,
            copied(text(&booking.uid.0), &booking.uid.0, reference),
        ))
        .child(optional(
            Key::MadeAt,
            &booking.created_at.map(|made| moment(made, list)),
        ))
        .child(optional(
            Key::ChangedAt,
            &booking.updated_at.map(|changed| moment(changed, list)),
        ));
    el("div")
        .class("details")
        .attr("part", "details")
        .child(acts(booking, list))
        .child(facts)
        .child(more(booking, list))
}

/// Day and time in the chosen zone.
fn moment(instant: Instant, list: List) -> String {
    let List {
        formats, settings, ..
    } = list;
    let zone = settings.zone.get();
    let mut moment = formats.short_day(formats.day_of(instant, &zone));
    moment.push_str(", ");
    moment.push_str(&settings.time(formats, instant));
    moment
}

fn fact(label: &str, value: Node) -> Node {
    el("div")
        .class("fact-line")
        .child(el("dt").child(label))
        .child(el("dd").child(value))
}

/// Location; a meeting link can be copied as a whole.
fn place_of(booking: &Booking, list: List) -> Option<Node> {
    let words = booking.location.as_deref().map(str::trim)?;
    if words.is_empty() {
        return None;
    }
    let name = list.texts.get(Key::Where);
    let shown = match web_host(words) {
        Some(_) => booked_place(Some(words), list.texts),
        None if words.starts_with("integrations:") => {
            return Some(fact(name, booked_place(Some(words), list.texts)));
        }
        None => linked(words),
    };
    Some(fact(name, copied(shown, words, name)))
}

/// Meetings of the series, loaded on demand.
fn series(booking: &Booking, list: List) -> Option<Node> {
    let texts = list.texts;
    let series = booking.recurring_booking_uid.clone()?;
    let own = booking.uid.clone();
    let is_asked = RwSignal::new(false);
    let session = list.session();
    let asked = series.clone();
    let meetings = latest(
        move || is_asked.get().then(|| asked.clone()),
        move |uid, abort| {
            let session = session.clone();
            async move { session.whole_booking(&uid, &abort).await }
        },
    );
    let answer = meetings.signal();
    let shown = move || {
        if !is_asked.get() {
            return button("text-button", move || is_asked.set(true))
                .child(texts.get(Key::ShowSeries));
        }
        answer.with(|answer| match answer {
            Load::Pending => text(texts.get(Key::Loading)),
            Load::Failed(_) => {
                button("text-button", move || meetings.reload()).child(texts.get(Key::TryAgain))
            }
            Load::Ready(meetings) => {
                let lines = meetings.iter().map(|meeting| {
                    let is_own = meeting.uid == own;
                    let reason = meeting.cancellation_reason.as_deref();
                    untrack(|| meeting_line(meeting, is_own, reason, list))
                });
                el("ol").class("meetings").child(fragment_of(lines))
            }
        })
    };
    Some(fact(
        texts.get(Key::SeriesReference),
        fragment().child_with(shown),
    ))
}

/// Technical data, collapsed.
fn more(booking: &Booking, list: List) -> Option<Node> {
    let texts = list.texts;
    let (yes, no) = (texts.get(Key::Yes), texts.get(Key::No));
    let mut lines = Vec::new();
    let mut tell = |name: &str, words: &str| {
        if !words.is_empty() {
            lines.push(fact(name, text(words)));
        }
    };
    for (key, value) in booking.metadata.iter().flatten() {
        tell(key, &answer_text(value, yes, no).unwrap_or_default());
    }
    let ics = booking.ics_uid.as_deref().unwrap_or_default();
    tell(texts.get(Key::CalendarReference), ics);
    let series = booking.recurring_booking_uid.as_deref();
    tell(texts.get(Key::SeriesUid), series.unwrap_or_default());
    if lines.is_empty() {
        return None;
    }
    let summary = el("summary").child(texts.get(Key::MoreDetails));
    Some(
        el("details")
            .class("details-more")
            .child(summary)
            .child(el("dl").class("details-facts").child(fragment_of(lines))),
    )
}
