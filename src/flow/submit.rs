//! Books once, and says what became of it.

use std::sync::Arc;

use booking_wire::{MadeBookings, NewBooking};
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::{Ending, Flow, Step};
use crate::api::{Abort, ApiError, Refusal};
use crate::features::News;
use crate::features::booking_form::Setback;
use crate::features::slot_picker::model::Question;
use crate::i18n::Key;
use crate::problem::words;
use crate::time::Span;

/// How long a booking may take before its outcome counts as unknown.
const BOOK_TIMEOUT_MS: u64 = 30_000;

/// Sends the booking. What comes after the answer finds the flow gone if the element was removed:
/// setting its signals then does nothing.
pub(super) fn submit(flow: Flow, booking: NewBooking) {
    flow.is_busy.set(true);
    flow.setback.set(None);
    let world = flow.world();
    let day = flow.day_of(booking.start);
    let start = booking.start;
    let question = Question {
        event_type_id: world.event_type.id,
        days: Span::of(day, 1),
        zone: flow.settings.zone.get_untracked(),
        duration: booking.length_in_minutes,
        moved: None,
    };
    let query = question.query(|day| flow.formats.start_of_day(day, &question.zone));
    spawn_local(async move {
        let outcome = world
            .session
            .book(booking, Abort::after(BOOK_TIMEOUT_MS))
            .await;
        match outcome {
            Ok(MadeBookings(bookings)) => {
                if let Some(booking) = bookings.first() {
                    world.page.tell(&News::BookingCreated {
                        uid: booking.uid.0.clone(),
                        status: booking.status.as_str().to_owned(),
                        start: booking.start,
                        end: booking.end,
                    });
                }
                flow.step.set(Step::Done(Arc::new(Ending { bookings })));
            }
            Err(ApiError::Declined(Refusal::TimeTaken)) => {
                flow.complain(Key::TimeTakenTitle, Key::TimeTakenText);
                flow.choice.slot.set(None);
                flow.choice.day.set(Some(day));
                flow.slots.again();
                flow.step.set(Step::Pick);
            }
            // What is wrong with an answer is said beside it.
            Err(ApiError::Declined(Refusal::InvalidProperties(_, complaints)))
                if flow.draft.refuse(&complaints) => {}
            Err(error @ ApiError::Declined(_)) => {
                let (_, text) = words(&error, flow.texts);
                let title = flow.texts.get(Key::RefusedTitle).to_owned();
                flow.setback.set(Some(Setback { title, text }));
            }
            // No answer, or none that can be understood: whether it was booked is open. A
            // booking is never repeated by itself; whether its time is still free tells.
            Err(ApiError::Unreachable | ApiError::Unexpected { .. }) => {
                let known = match world
                    .session
                    .slots(query, Abort::after(BOOK_TIMEOUT_MS))
                    .await
                {
                    Ok(days) if days.on(day).iter().any(|slot| slot.start == start) => {
                        Key::OutcomeFree
                    }
                    Ok(_) => Key::OutcomeTaken,
                    Err(_) => Key::OutcomeUnknown,
                };
                flow.complain(Key::OutcomeUnknownTitle, known);
            }
        }
        flow.is_busy.set(false);
    });
}
