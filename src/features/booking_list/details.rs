//! Details of one booking, with its actions.

mod attendees;
mod facts;
mod reschedule_history;
mod responses;

use booking_ui::prelude::*;
use booking_wire::{Booking, Instant};
use wasm_bindgen::JsCast;

use crate::client::query::{Load, latest};
use crate::components::focus::focus_first_soon;
use crate::components::{Shape, button, icon, with_copy_button};
use crate::features::shared::location::{booked_location, web_host};
use crate::i18n::{Key, Translations};

use super::actions::panel::actions_panel;
use super::formatting::{answer_text, booking_title, event_type_title};
use super::query::query_state::ListQuery;
use super::state::list_state::{List, ListContext};
use attendees::{attendees, hosts};
use facts::{day_and_time, fact};
use reschedule_history::{meeting_line, reschedule_history};
use responses::{answers_of, labels_of, linked};

/// Renders title and actions of a booking, then attendees and answers, then everything else.
pub(super) fn details(booking: &Booking, list: List) -> Node {
    let List { context, query, .. } = list;
    let ListContext {
        texts,
        formats,
        settings,
        ..
    } = context;
    let zone = settings.zone.get();
    let (labels, event_type) = context.event_types.with(|event_types| {
        let event_types = event_types.ready().map(Vec::as_slice).unwrap_or_default();
        let title = event_type_title(booking, event_types);
        (labels_of(booking, event_types), title)
    });
    let line =
        |key: Key, value: &str| (!value.is_empty()).then(|| fact(texts.get(key), text(value)));
    let optional =
        |key: Key, value: &Option<String>| line(key, value.as_deref().unwrap_or_default());
    let email = |key: Key, value: &Option<String>| {
        let value = value.as_deref().filter(|value| !value.is_empty())?;
        Some(fact(texts.get(key), linked(value)))
    };

    let is_one_day = formats.day_of(booking.start, &zone) == formats.day_of(booking.end, &zone);
    let end = if is_one_day {
        settings.time(formats, booking.end)
    } else {
        day_and_time(booking.end, context)
    };
    let when = [
        &day_and_time(booking.start, context),
        " – ",
        &end,
        " (",
        &zone.city(),
        texts.list_separator(),
        &formats.offset_text(booking.start, &zone),
        ")",
    ]
    .concat();
    let length = texts.fill(Key::Minutes, &[("count", &texts.number(booking.duration))]);
    let answers = booking.booking_fields_responses.as_ref();
    let answers = answers
        .map(|answers| answers_of(answers, &labels, texts))
        .unwrap_or_default();
    let guests = booking.guests.as_deref().unwrap_or_default();
    let guests = (!guests.is_empty()).then(|| {
        let lines = guests
            .iter()
            .map(|guest| el("div").class("person-line").child(linked(guest)));
        fact(texts.get(Key::Guests), fragment_of(lines))
    });
    let rating = booking.rating.map(|rating| format!("{rating}/5"));
    let reference = texts.get(Key::BookingReference);
    // Both bookings of a move carry its reason.
    let reschedule_key = if booking.rescheduled_to_uid.is_some() {
        Key::ReschedulingReason
    } else {
        Key::MovedHereReason
    };

    let people = el("dl")
        .class("details-facts details-people")
        .child(attendees(booking, &labels, context))
        .child(guests)
        .child(line(Key::Description, &booking.description))
        .child(fragment_of(
            answers
                .iter()
                .map(|(label, answer)| fact(label, linked(answer))),
        ));
    let facts = el("dl")
        .class("details-facts")
        .child(line(Key::When, &when))
        .child(line(Key::Length, &length))
        .child(optional(Key::EventType, &event_type))
        .child(location_line(booking, texts))
        .child(hosts(booking, context))
        .child(optional(
            Key::CancellationReason,
            &booking.cancellation_reason,
        ))
        .child(email(Key::CancelledBy, &booking.cancelled_by_email))
        .child(optional(reschedule_key, &booking.rescheduling_reason))
        .child(email(Key::RescheduledBy, &booking.rescheduled_by_email))
        .child(reschedule_history(booking, context, query))
        .child(series(booking, context, query))
        .child(optional(Key::Rating, &rating));
    let day_of = |instant: Option<Instant>| instant.map(|instant| day_and_time(instant, context));
    let origin = el("dl")
        .class("details-origin")
        .child(optional(Key::MadeAt, &day_of(booking.created_at)))
        .child(fact(
            reference,
            with_copy_button(text(&booking.uid.0), &booking.uid.0, reference),
        ));
    el("div")
        .class("details")
        .attr("part", "details")
        .child(head(booking, list))
        .child(actions_panel(booking, list))
        .child(people)
        .child(facts)
        .child(origin)
        .child(technical_data(booking, day_of(booking.updated_at), texts))
}

/// Whole title, which rows do not show, and the button that closes the details beside the rows.
fn head(booking: &Booking, list: List) -> Node {
    let texts = list.context.texts;
    let title = booking_title(booking, texts);
    let head = el("div").class("details-head");
    let (element, uid) = (head.element(), booking.uid.0.clone());
    let close = move || {
        let row = element.closest(".details-row").ok().flatten();
        let row = row.and_then(|details| details.previous_element_sibling());
        if let Some(row) = row {
            focus_first_soon(row.unchecked_into(), ".booking-open");
        }
        list.table.collapse(&uid);
    };
    let values = [("act", texts.get(Key::Close)), ("title", title)];
    let close = button("button-quiet button-square details-close", close)
        .attr("aria-label", &texts.fill(Key::ActOnBooking, &values))
        .child(icon(Shape::Close));
    head.child(el("p").class("details-title").child(title))
        .child(close)
}

/// Location; a meeting link can be copied as a whole.
fn location_line(booking: &Booking, texts: Translations) -> Option<Node> {
    let location = booking.location.as_deref().map(str::trim)?;
    if location.is_empty() {
        return None;
    }
    let name = texts.get(Key::Where);
    let view = match web_host(location) {
        Some(_) => booked_location(Some(location), texts),
        None if location.starts_with("integrations:") => {
            return Some(fact(name, booked_location(Some(location), texts)));
        }
        None => linked(location),
    };
    Some(fact(name, with_copy_button(view, location, name)))
}

/// Meetings of the series, loaded on demand.
fn series(booking: &Booking, context: ListContext, query: ListQuery) -> Option<Node> {
    let texts = context.texts;
    let series = booking.recurring_booking_uid.clone()?;
    let own = booking.uid.clone();
    let is_requested = RwSignal::new(false);
    let session = context.session();
    let meetings = latest(
        move || is_requested.get().then(|| series.clone()),
        move |uid, abort| {
            let session = session.clone();
            async move { session.whole_booking(&uid, &abort).await }
        },
    );
    let response = meetings.signal();
    let view = move || {
        if !is_requested.get() {
            return button("text-button", move || is_requested.set(true))
                .child(texts.get(Key::ShowSeries));
        }
        response.with(|response| match response {
            Load::Pending => text(texts.get(Key::Loading)),
            Load::Failed(_) => {
                button("text-button", move || meetings.reload()).child(texts.get(Key::TryAgain))
            }
            Load::Ready(meetings) => {
                let lines = meetings.iter().map(|meeting| {
                    let is_own = meeting.uid == own;
                    let reason = meeting.cancellation_reason.as_deref();
                    untrack(|| meeting_line(meeting, is_own, reason, context, query))
                });
                el("ol").class("meetings").child(fragment_of(lines))
            }
        })
    };
    Some(fact(
        texts.get(Key::SeriesReference),
        fragment().child_with(view),
    ))
}

/// Technical data, collapsed.
fn technical_data(booking: &Booking, changed: Option<String>, texts: Translations) -> Option<Node> {
    let mut lines = Vec::new();
    let mut add = |name: &str, value: &str| {
        if !value.is_empty() {
            lines.push(fact(name, text(value)));
        }
    };
    add(
        texts.get(Key::ChangedAt),
        changed.as_deref().unwrap_or_default(),
    );
    for (key, value) in booking.metadata.iter().flatten() {
        add(key, &answer_text(value, texts).unwrap_or_default());
    }
    let ics = booking.ics_uid.as_deref().unwrap_or_default();
    add(texts.get(Key::CalendarReference), ics);
    let series = booking.recurring_booking_uid.as_deref();
    add(texts.get(Key::SeriesUid), series.unwrap_or_default());
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
