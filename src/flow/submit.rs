//! Books or moves once, and says what became of it.

use std::sync::Arc;

use booking_wire::{
    BookingStatus, BookingUid, JsonMap, MadeBooking, MadeBookings, NewBooking, RescheduleBooking,
};
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::Value;

use super::ending::{Ending, How, follow};
use super::hold::Hold;
use super::hooks::{Question as Hook, given};
use super::{Flow, Step};
use crate::api::{Abort, ApiError, Refusal};
use crate::features::Answer;
use crate::features::booking_form::Setback;
use crate::features::booking_form::metadata::amend;
use crate::features::booking_news::BookingNews;
use crate::features::slot_picker::model::Question;
use crate::i18n::Key;
use crate::problem::words;
use crate::time::{Instant, Span};

/// How long a booking may take before its outcome counts as unknown.
const BOOK_TIMEOUT_MS: u64 = 30_000;

/// What is asked of the service.
pub(super) enum Order {
    /// A booking.
    Make(Box<NewBooking>),
    /// Another time for the booking that is being moved.
    Move {
        /// Why, in the visitor's words.
        reason: String,
    },
}

/// Sends the order. What comes after the answer finds the flow gone if the element was removed:
/// setting its signals then does nothing.
pub(super) fn submit(flow: Flow, hold: Hold, order: Order) {
    let Some(start) = flow.choice.slot.get_untracked().map(|slot| slot.start) else {
        return;
    };
    flow.setback.set(None);
    flow.doubt.set(None);
    if !window().navigator().on_line() {
        // Told before anything is sent: afterwards it would be a guess.
        return flow.complain(Key::NotSentTitle, Key::NotSentText);
    }
    flow.is_busy.set(true);
    let world = flow.world();
    spawn_local(async move {
        let Some(order) = allowed(flow, order, start).await else {
            flow.is_busy.set(false);
            return;
        };
        world.page.tell(&BookingNews::BookingSubmitted);
        hold.settled().await;
        let (how, outcome) = carry_out(flow, hold, order, start).await;
        match outcome {
            Ok(MadeBookings(bookings)) => {
                if how != How::Tried {
                    hold.is_used_up();
                }
                finish(flow, how, bookings);
            }
            Err(error) => {
                let is_retryable = !matches!(
                    error,
                    ApiError::Declined(Refusal::Invalid(_) | Refusal::InvalidProperties(..))
                );
                world.page.tell(&BookingNews::BookingFailed {
                    code: error.code(),
                    is_retryable,
                });
                match error {
                    ApiError::Declined(Refusal::TimeTaken) => lost(flow, start),
                    ApiError::Declined(Refusal::SeriesTaken(meeting)) => {
                        series_lost(flow, meeting);
                    }
                    // What is wrong with an answer is said beside it.
                    ApiError::Declined(Refusal::InvalidProperties(_, complaints))
                        if flow.draft.refuse(&complaints) => {}
                    ApiError::Declined(_) => {
                        let (_, text) = words(&error, flow.texts);
                        let title = flow.texts.get(Key::RefusedTitle).to_owned();
                        flow.setback.set(Some(Setback { title, text }));
                    }
                    // No answer, or none that can be understood: whether it was booked is open. A
                    // booking is never repeated by itself.
                    ApiError::Unreachable | ApiError::Unexpected { .. } => {
                        look(flow, hold, start).await;
                    }
                }
            }
        }
        flow.is_busy.set(false);
    });
}

/// Asks the page. Gives what is to be sent; nothing if it is not to be, or if the view is gone.
async fn allowed(flow: Flow, mut order: Order, start: Instant) -> Option<Order> {
    let world = flow.world();
    let (action, fields) = match &order {
        Order::Make(_) => ("book", untrack(|| flow.draft.answers()).given()),
        Order::Move { reason } => ("reschedule", named("rescheduleReason", reason)),
    };
    let hook = Hook::Submit {
        action,
        start,
        fields,
    };
    let told = || match &order {
        Order::Make(booking) => serde_json::to_string(booking).unwrap_or_default(),
        Order::Move { reason } => reason_of("reschedulingReason", reason),
    };
    let answer = world.ask(hook, told).await;
    flow.step.try_get_untracked()?;
    match answer {
        Answer::Stop => return None,
        Answer::Failed(text) => {
            let text = text.unwrap_or_else(|| flow.texts.get(Key::UnexpectedText).to_owned());
            let title = flow.texts.get(Key::RefusedTitle).to_owned();
            flow.setback.set(Some(Setback { title, text }));
            return None;
        }
        Answer::With(more) => {
            if let Order::Make(booking) = &mut order {
                let map = |name: &str| match given(&more, name) {
                    Some(Value::Object(map)) => map,
                    _ => JsonMap::new(),
                };
                booking.metadata = amend(&booking.metadata, &map("metadata"), &map("utm"));
            }
        }
        Answer::Go => {}
    }
    Some(order)
}

/// The field that holds a text, if there is one.
pub(super) fn named(field: &str, text: &str) -> Vec<String> {
    let is_given = !text.trim().is_empty();
    is_given.then(|| field.to_owned()).into_iter().collect()
}

/// A text by its name, as JSON.
pub(super) fn reason_of(name: &str, reason: &str) -> String {
    let mut told = JsonMap::new();
    told.insert(name.to_owned(), Value::String(reason.trim().to_owned()));
    serde_json::to_string(&told).unwrap_or_default()
}

async fn carry_out(
    flow: Flow,
    hold: Hold,
    order: Order,
    start: Instant,
) -> (How, Result<MadeBookings, ApiError>) {
    let world = flow.world();
    let abort = Abort::after(BOOK_TIMEOUT_MS);
    if world.config.is_dry_run {
        return (How::Tried, Ok(tried(flow, start)));
    }
    match order {
        Order::Make(mut booking) => {
            booking.reserved_slot_uid = hold.uid();
            booking.recurrence_count =
                (world.event_type.recurrence.is_some()).then(|| flow.count.get_untracked());
            booking.instant = flow.is_instant.get_untracked().then_some(true);
            (How::Made, world.session.book(*booking, abort).await)
        }
        Order::Move { reason } => {
            let Some(old) = flow.moved.get_untracked() else {
                return (How::Moved, Err(ApiError::Unreachable));
            };
            let change = RescheduleBooking {
                start,
                rescheduling_reason: Some(reason.trim().to_owned()).filter(|text| !text.is_empty()),
                seat_uid: old.seat_uid.clone(),
                reserved_slot_uid: hold.uid(),
                ..RescheduleBooking::default()
            };
            let uid = &old.booking.uid.0;
            (
                How::Moved,
                world.session.reschedule(uid, change, abort).await,
            )
        }
    }
}

/// What a trial shows: the booking as it would have been made.
fn tried(flow: Flow, start: Instant) -> MadeBookings {
    let event_type = &flow.world().event_type;
    MadeBookings(vec![MadeBooking {
        uid: BookingUid(String::new()),
        title: event_type.title.clone(),
        status: BookingStatus::Accepted,
        start,
        end: start.plus_minutes(flow.length.get_untracked()),
        host_names: event_type.host_names.clone(),
        ..MadeBooking::default()
    }])
}

/// The order was met: the page is told, and what follows is shown.
fn finish(flow: Flow, how: How, bookings: Vec<MadeBooking>) {
    let world = flow.world();
    let moved = flow.moved.get_untracked();
    let Some(first) = bookings.first() else {
        return;
    };
    let news = match (how, &moved) {
        (How::Tried, _) => BookingNews::BookingTried { start: first.start },
        (How::Moved, Some(old)) => BookingNews::BookingRescheduled {
            uid: first.uid.0.clone(),
            from_uid: old.booking.uid.0.clone(),
            start: first.start,
            end: first.end,
        },
        _ => BookingNews::BookingCreated {
            uid: first.uid.0.clone(),
            status: first.status.as_str().to_owned(),
            payment_required: first.status == BookingStatus::Pending && world.event_type.price > 0,
            start: first.start,
            end: first.end,
        },
    };
    let is_ours = world
        .page
        .tell_with(&news, &world.detail(|| written(first)));
    let old_seat = moved.as_ref().and_then(|old| old.seat_uid.clone());
    let ending = Ending {
        seat_uid: first.seat_uid.clone().or(old_seat),
        was: moved.map(|old| old.booking.start),
        bookings,
        how,
    };
    flow.moved.set(None);
    if is_ours && how != How::Tried && follow(&world) {
        // The page is about to be left: what is shown stays until then.
        return;
    }
    flow.step.set(if is_ours && !world.is_silent(how) {
        Step::Done(Arc::new(ending))
    } else {
        Step::Gone
    });
}

/// What is known of a booking, as JSON.
fn written(booking: &MadeBooking) -> String {
    let text = |text: &str| Value::String(text.to_owned());
    let texts = |texts: &[String]| texts.iter().map(|each| text(each)).collect();
    let mut told = JsonMap::new();
    let uid = &booking.uid.0;
    for (name, value) in [
        ("uid", text(uid)),
        ("title", text(&booking.title)),
        ("email", text(&booking.email)),
        (
            "attendeeNames",
            Value::Array(texts(&booking.attendee_names)),
        ),
        ("hostNames", Value::Array(texts(&booking.host_names))),
        (
            "location",
            booking.location.as_deref().map_or(Value::Null, text),
        ),
        ("answers", Value::Object(booking.answers.clone())),
    ] {
        told.insert(name.to_owned(), value);
    }
    serde_json::to_string(&told).unwrap_or_default()
}

/// Somebody else has the time: the form is kept, the times are asked for again, and the nearest are
/// offered.
pub(super) fn lost(flow: Flow, start: Instant) {
    flow.complain(Key::TimeTakenTitle, Key::TimeTakenText);
    flow.lost.set(Some(start));
    flow.choice.slot.set(None);
    flow.choice.taken.set(Some(start));
    flow.choice.day.set(Some(flow.day_of(start)));
    flow.step.set(Step::Pick);
    flow.slots.again();
}

/// One meeting of the series cannot take place, and so none does.
fn series_lost(flow: Flow, meeting: Instant) {
    let day = flow.formats.long_day(flow.day_of(meeting));
    let time = flow.settings.time(flow.formats, meeting);
    flow.setback.set(Some(Setback {
        title: flow.texts.get(Key::SeriesTakenTitle).to_owned(),
        text: flow
            .texts
            .fill(Key::SeriesTakenText, &[("day", &day), ("time", &time)]),
    }));
    flow.lost.set(Some(meeting));
}

/// Looks again what became of an order whose answer never came.
pub(super) fn look_again(flow: Flow, hold: Hold) {
    let Some(start) = flow.choice.slot.get_untracked().map(|slot| slot.start) else {
        return;
    };
    flow.is_busy.set(true);
    spawn_local(async move {
        look(flow, hold, start).await;
        flow.is_busy.set(false);
    });
}

/// Whether the time is still free tells whether it was booked. The visitor's own hold would hide it,
/// so that one ends first.
async fn look(flow: Flow, hold: Hold, start: Instant) {
    hold.end().await;
    let Some(world) = flow.world.try_get_value() else {
        return;
    };
    let event_type = &world.event_type;
    let may_leave_time_free = event_type.seats.is_some() || event_type.may_leave_time_free;
    if may_leave_time_free || flow.is_instant.get_untracked() {
        // Such a booking leaves its time free for others, so a free time tells nothing.
        flow.doubt.set(Some(Key::OutcomeUnknown));
        return;
    }
    let day = flow.day_of(start);
    let question = Question {
        event_type_id: world.event_type.id,
        days: Span::of(day, 1),
        zone: flow.settings.zone.get_untracked(),
        duration: flow.has_lengths.then(|| flow.length.get_untracked()),
        moved: None,
    };
    let query = question.query(|day| flow.formats.start_of_day(day, &question.zone));
    let answer = world
        .session
        .slots(query, Abort::after(BOOK_TIMEOUT_MS))
        .await;
    let known = match answer {
        Ok(days) if days.on(day).iter().any(|slot| slot.start == start) => {
            hold.again();
            Key::OutcomeFree
        }
        Ok(_) => Key::OutcomeTaken,
        Err(_) => Key::OutcomeUnknown,
    };
    flow.doubt.set(Some(known));
}
