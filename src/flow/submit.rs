//! Books or moves once, and says what became of it.

use std::rc::Rc;
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
use super::{Flow, FlowTask, Moving, Step, World};
use crate::api::{Abort, ApiError, Refusal};
use crate::features::Answer;
use crate::features::booking_form::Setback;
use crate::features::booking_form::metadata::amend;
use crate::features::booking_news::BookingNews;
use crate::features::slot_picker::model::Question;
use crate::i18n::{Key, Texts};
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

/// An order and all that sending it takes, read before the first `await`: the view may be gone after it,
/// and the order is carried out all the same.
struct Submission {
    flow: FlowTask,
    hold: Hold,
    world: Rc<World>,
    texts: Texts,
    start: Instant,
    length: i64,
    count: i64,
    is_instant: bool,
    moved: Option<Arc<Moving>>,
}

/// Sends the order, and tells the page what came of it, also when the element has been removed.
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
    let submission = Submission {
        flow: flow.in_task(),
        hold,
        world: flow.world(),
        texts: flow.texts,
        start,
        length: flow.length.get_untracked(),
        count: flow.count.get_untracked(),
        is_instant: flow.is_instant.get_untracked(),
        moved: flow.moved.get_untracked(),
    };
    let fields = match &order {
        Order::Make(_) => untrack(|| flow.draft.answers()).given(),
        Order::Move { reason } => named("rescheduleReason", reason),
    };
    spawn_local(async move {
        submission.run(order, fields).await;
        flow.is_busy.set(false);
    });
}

impl Submission {
    async fn run(self, order: Order, fields: Vec<String>) {
        let Some(order) = self.allowed(order, fields).await else {
            return;
        };
        self.world.page.tell(&BookingNews::BookingSubmitted);
        self.hold.settled().await;
        let (how, outcome) = self.carry_out(order).await;
        match outcome {
            Ok(MadeBookings(bookings)) => {
                if how != How::Tried {
                    self.hold.is_used_up(self.world.session.dialect());
                }
                finish(self.flow, &self.world, self.moved.as_deref(), how, bookings);
            }
            Err(error) => self.failed(error).await,
        }
    }

    async fn failed(&self, error: ApiError) {
        let is_retryable = !matches!(
            error,
            ApiError::Declined(Refusal::Invalid(_) | Refusal::InvalidProperties(..))
        );
        self.world.page.tell(&BookingNews::BookingFailed {
            code: error.code(),
            is_retryable,
        });
        let Some(flow) = self.flow.get() else { return };
        match error {
            ApiError::Declined(Refusal::TimeTaken) => lost(flow, self.start),
            ApiError::Declined(Refusal::SeriesTaken(meeting)) => series_lost(flow, meeting),
            // What is wrong with an answer is said beside it.
            ApiError::Declined(Refusal::InvalidProperties(_, complaints))
                if flow.draft.refuse(&complaints) => {}
            ApiError::Declined(_) => {
                let (_, text) = words(&error, self.texts);
                let title = self.texts.get(Key::RefusedTitle).to_owned();
                flow.setback.set(Some(Setback { title, text }));
            }
            // No answer, or none that can be understood: whether it was booked is open. A
            // booking is never repeated by itself.
            ApiError::Unreachable | ApiError::Unexpected { .. } => {
                look(self.flow, self.hold, self.start).await;
            }
        }
    }

    /// Asks the page. Returns the order to send; `None` if the page refuses it or the view is gone.
    async fn allowed(&self, mut order: Order, fields: Vec<String>) -> Option<Order> {
        let action = match &order {
            Order::Make(_) => "book",
            Order::Move { .. } => "reschedule",
        };
        let hook = Hook::Submit {
            action,
            start: self.start,
            fields,
        };
        let told = || match &order {
            Order::Make(booking) => serde_json::to_string(booking).unwrap_or_default(),
            Order::Move { reason } => reason_of("reschedulingReason", reason),
        };
        let answer = self.world.ask(hook, told).await;
        let flow = self.flow.get()?;
        match answer {
            Answer::Stop => return None,
            Answer::Failed(text) => {
                let text = text.unwrap_or_else(|| self.texts.get(Key::UnexpectedText).to_owned());
                let title = self.texts.get(Key::RefusedTitle).to_owned();
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

impl Submission {
    async fn carry_out(&self, order: Order) -> (How, Result<MadeBookings, ApiError>) {
        let world = &self.world;
        let abort = Abort::after(BOOK_TIMEOUT_MS);
        if world.config.is_dry_run {
            return (How::Tried, Ok(self.tried()));
        }
        match order {
            Order::Make(mut booking) => {
                booking.reserved_slot_uid = self.hold.uid(world.session.dialect());
                booking.recurrence_count =
                    (world.event_type.recurrence.is_some()).then_some(self.count);
                booking.instant = self.is_instant.then_some(true);
                (How::Made, world.session.book(*booking, abort).await)
            }
            Order::Move { reason } => {
                let Some(old) = &self.moved else {
                    return (How::Moved, Err(ApiError::Unreachable));
                };
                let change = RescheduleBooking {
                    start: self.start,
                    rescheduling_reason: Some(reason.trim().to_owned())
                        .filter(|text| !text.is_empty()),
                    seat_uid: old.seat_uid.clone(),
                    reserved_slot_uid: self.hold.uid(world.session.dialect()),
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

    /// The booking as it would have been made, for a trial.
    fn tried(&self) -> MadeBookings {
        let event_type = &self.world.event_type;
        let start = self.start;
        MadeBookings(vec![MadeBooking {
            uid: BookingUid(String::new()),
            title: event_type.title.clone(),
            status: BookingStatus::Accepted,
            start,
            end: start.plus_minutes(self.length),
            host_names: event_type.host_names.clone(),
            ..MadeBooking::default()
        }])
    }
}

/// Tells the page what was booked, and shows it if the view is still there.
fn finish(
    task: FlowTask,
    world: &World,
    moved: Option<&Moving>,
    how: How,
    bookings: Vec<MadeBooking>,
) {
    let Some(first) = bookings.first() else {
        return;
    };
    let news = match (how, moved) {
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
    let Some(flow) = task.get() else { return };
    let old_seat = moved.and_then(|old| old.seat_uid.clone());
    let ending = Ending {
        seat_uid: first.seat_uid.clone().or(old_seat),
        was: moved.map(|old| old.booking.start),
        bookings,
        how,
    };
    flow.moved.set(None);
    if is_ours && how != How::Tried && follow(world) {
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
    let task = flow.in_task();
    spawn_local(async move {
        look(task, hold, start).await;
        flow.is_busy.set(false);
    });
}

/// Finds out what became of an order whose answer never came. A booking that is moved tells it itself.
/// Otherwise a slot that is still free tells that nothing was booked, where a booking takes its slot. The
/// visitor's own reservation would hide it, so that one ends first.
async fn look(task: FlowTask, hold: Hold, start: Instant) {
    hold.end().await;
    let Some(flow) = task.get() else { return };
    let world = flow.world();
    if let Some(old) = flow.moved.get_untracked()
        && let Some(new) = replacement(&world, &old).await
    {
        return finish(task, &world, Some(&old), How::Moved, vec![new]);
    }
    let Some(flow) = task.get() else { return };
    if world.event_type.may_leave_slot_free || flow.is_instant.get_untracked() {
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
    let Some(flow) = task.get() else { return };
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

/// The booking that has taken the place of `old`, if there is one. A seat leaves the others' booking as it
/// was, so nothing is known of seats.
async fn replacement(world: &World, old: &Moving) -> Option<MadeBooking> {
    if old.seat_uid.is_some() {
        return None;
    }
    let read = async |uid: &BookingUid| {
        let abort = Abort::after(BOOK_TIMEOUT_MS);
        let found = world.session.booking(&uid.0, abort).await.ok()?;
        found.0.into_iter().next()
    };
    let new_uid = read(&old.booking.uid).await?.moved_to?;
    read(&new_uid).await
}
