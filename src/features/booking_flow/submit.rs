//! Books or reschedules once and shows the outcome.

use std::rc::Rc;
use std::sync::Arc;

use booking_wire::{
    BookingStatus, BookingUid, JsonMap, NewBooking, PublicBooking, PublicBookings,
    RescheduleBooking,
};
use leptos::prelude::*;
use leptos::task::spawn_local;
use serde_json::Value;

use super::delivery::{BookingRequest, Delivery, Unsettled, deliver, new_key};
use super::outcome::{FlowOutcome, OutcomeKind, follow};
use super::page_hooks::{Question as Hook, given};
use super::reason::Reason;
use super::reservation::Hold;
use super::{Flow, FlowContext, FlowTask, Moving, Step};
use crate::client::{Abort, ApiError, DeclineReason, Dialect};
use crate::element::booking_events::BookingEvent;
use crate::element::events::HookResponse;
use crate::features::booking_form::metadata::{amend, as_texts};
use crate::features::booking_form::{Draft, Setback};
use crate::features::shared::error_notice::words;
use crate::features::slot_picker::model::Question;
use crate::i18n::{Key, Translations};
use crate::time::{Instant, Span};
use crate::ui::signal::StoredValue;

/// Milliseconds that checking an unknown outcome may take.
const LOOK_TIMEOUT_MS: u64 = 30_000;

/// Action to submit.
pub(super) enum Order {
    /// A booking.
    Make(Box<NewBooking>),
    /// New start for the booking to reschedule.
    Move {
        /// The visitor's reason.
        reason: String,
    },
}

/// An order and all data to send it, read before the first `await`: the view may have ended after it, and the order
/// is carried out all the same.
struct Submission {
    flow: FlowTask,
    hold: Hold,
    world: Rc<FlowContext>,
    texts: Translations,
    start: Instant,
    length: i64,
    count: i64,
    is_instant: bool,
    moved: Option<Arc<Moving>>,
    unsettled: Unsettled,
    /// Copy in the flow.
    kept_unsettled: StoredValue<Unsettled>,
}

/// Submits the order and dispatches the outcome, even if the element has been removed.
pub(super) fn submit(flow: Flow, hold: Hold, order: Order) {
    let Some(start) = flow.choice.slot.get_untracked().map(|slot| slot.start) else {
        return;
    };
    flow.setback.set(None);
    flow.doubt.set(None);
    if !window().navigator().on_line() {
        // Before sending: afterwards the outcome would be unknown.
        return flow.complain(Key::NotSentTitle, Key::NotSentText);
    }
    flow.is_busy.set(true);
    let submission = Submission::of(flow, hold, start);
    let fields = match &order {
        Order::Make(_) => untrack(|| flow.draft.answers()).given(),
        Order::Move { reason } => named("rescheduleReason", reason),
    };
    spawn_local(async move {
        submission.run(order, fields).await;
        flow.is_busy.set(false);
    });
}

/// Repeats the last request with unknown outcome. Safe where requests have a key.
fn repeat(flow: Flow, hold: Hold) {
    let Some(start) = flow.choice.slot.get_untracked().map(|slot| slot.start) else {
        return;
    };
    let submission = Submission::of(flow, hold, start);
    let Some(request) = submission.unsettled.requests.last().cloned() else {
        return;
    };
    flow.doubt.set(None);
    flow.is_busy.set(true);
    spawn_local(async move {
        submission.world.page.emit(&BookingEvent::BookingSubmitted);
        submission.deliver(request).await;
        flow.is_busy.set(false);
    });
}

impl Submission {
    fn of(flow: Flow, hold: Hold, start: Instant) -> Self {
        let world = flow.world();
        let mut unsettled = flow.unsettled.get_value();
        if unsettled.key.is_none() && world.session.dialect() == Dialect::Svc {
            unsettled.key = new_key();
        }
        Self {
            flow: flow.in_task(),
            hold,
            world,
            texts: flow.texts,
            start,
            length: flow.length.get_untracked(),
            count: flow.count.get_untracked(),
            is_instant: flow.is_instant.get_untracked(),
            moved: flow.moved.get_untracked(),
            unsettled,
            kept_unsettled: flow.unsettled,
        }
    }

    async fn run(self, order: Order, fields: Vec<String>) {
        // The page may remove the element.
        let _kept = self.world.session.keep();
        let Some(order) = self.allowed(order, fields).await else {
            return;
        };
        self.world.page.emit(&BookingEvent::BookingSubmitted);
        if self.world.config.is_dry_run {
            return self.finish(OutcomeKind::Tried, self.tried());
        }
        self.hold.settled().await;
        let reserved_slot_uid = self.hold.hand_over(self.world.session.dialect()).await;
        match self.request(order, reserved_slot_uid) {
            Some(request) => self.deliver(Rc::new(request)).await,
            None => self.failed(ApiError::Unreachable, true, self.start).await,
        }
    }

    /// Sends the request and dispatches its outcome.
    async fn deliver(&self, request: Rc<BookingRequest>) {
        let sent = request.clone();
        let Delivery {
            request,
            result,
            is_known,
        } = deliver(&self.world.session, request, self.unsettled.clone()).await;
        match result {
            Ok(PublicBookings(bookings)) => {
                self.kept_unsettled.set_value(Unsettled::default());
                self.hold.is_used_up();
                self.finish(request.how(), bookings);
            }
            Err(error) => {
                if !is_known {
                    let mut unsettled = self.unsettled.clone();
                    if !unsettled.requests.iter().any(|one| Rc::ptr_eq(one, &sent)) {
                        unsettled.requests.push(sent);
                    }
                    self.kept_unsettled.set_value(unsettled);
                }
                self.failed(error, is_known, request.start()).await;
            }
        }
    }

    fn finish(&self, how: OutcomeKind, bookings: Vec<PublicBooking>) {
        finish(self.flow, &self.world, self.moved.as_deref(), how, bookings);
    }

    /// Handles a failed request with `start`. `is_known`: nothing was booked.
    async fn failed(&self, error: ApiError, is_known: bool, start: Instant) {
        let is_refused = matches!(
            error,
            ApiError::Declined(DeclineReason::Invalid(_) | DeclineReason::InvalidProperties(..))
        );
        self.world.page.emit(&BookingEvent::BookingFailed {
            code: error.code(),
            is_retryable: !is_refused,
        });
        let Some(flow) = self.flow.get() else { return };
        if !is_known && !is_refused {
            return self.in_doubt(flow, &error).await;
        }
        let is_taken = error == ApiError::Declined(DeclineReason::TimeTaken);
        if self.world.session.dialect() == Dialect::Cal && !is_taken {
            // The reservation ended before the request.
            self.hold.again();
        }
        match error {
            ApiError::Declined(DeclineReason::TimeTaken) => lost(flow, start),
            ApiError::Declined(DeclineReason::SeriesTaken(meeting)) => series_lost(flow, meeting),
            // Field errors are shown at the fields.
            ApiError::Declined(DeclineReason::InvalidProperties(_, complaints))
                if flow.draft.refuse(&complaints) => {}
            _ => {
                let (_, text) = words(&error, self.texts);
                let title = self.texts.get(Key::RefusedTitle).to_owned();
                flow.setback.set(Some(Setback { title, text }));
            }
        }
    }

    /// Shows that the outcome is unknown. Without a key, a retry is unsafe, so the slot is checked.
    async fn in_doubt(&self, flow: Flow, error: &ApiError) {
        let title = match error {
            ApiError::Unexpected { .. } => Key::UnexpectedTitle,
            _ => Key::OutcomeUnknownTitle,
        };
        // Not 200, which captive portals respond with.
        if matches!(error, ApiError::Unexpected { status: 201, .. }) {
            flow.doubt.set(Some((title, Key::OutcomeLikely)));
        } else if self.unsettled.key.is_some() {
            flow.doubt.set(Some((title, Key::OutcomeOpen)));
        } else {
            look(self.flow, self.hold, self.start, title).await;
        }
    }

    /// Returns the order to send; `None` if the page refuses it or the view has ended.
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
            HookResponse::Stop => return None,
            HookResponse::Failed(text) => {
                let text = text.unwrap_or_else(|| self.texts.get(Key::UnexpectedText).to_owned());
                let title = self.texts.get(Key::RefusedTitle).to_owned();
                flow.setback.set(Some(Setback { title, text }));
                return None;
            }
            HookResponse::With(more) => {
                if let Order::Make(booking) = &mut order {
                    let map = |name: &str| match given(&more, name) {
                        Some(Value::Object(map)) => map,
                        _ => JsonMap::new(),
                    };
                    booking.metadata = amend(&booking.metadata, &map("metadata"), &map("utm"));
                }
            }
            HookResponse::Go => {}
        }
        Some(order)
    }
}

/// The field's name, if it has a text.
pub(super) fn named(field: &str, text: &str) -> Vec<String> {
    let is_given = !text.trim().is_empty();
    is_given.then(|| field.to_owned()).into_iter().collect()
}

/// JSON object with one text.
pub(super) fn reason_of(name: &str, reason: &str) -> String {
    let mut told = JsonMap::new();
    told.insert(name.to_owned(), Value::String(reason.trim().to_owned()));
    serde_json::to_string(&told).unwrap_or_default()
}

impl Submission {
    /// Request for the order; `None` if there is no booking to reschedule.
    fn request(&self, order: Order, reserved_slot_uid: Option<String>) -> Option<BookingRequest> {
        let event_type = &self.world.event_type;
        Some(match order {
            Order::Make(mut booking) => {
                booking.reserved_slot_uid = reserved_slot_uid;
                booking.recurrence_count = event_type.recurrence.is_some().then_some(self.count);
                booking.instant = self.is_instant.then_some(true);
                if self.world.session.dialect() == Dialect::Cal {
                    booking.metadata = as_texts(&booking.metadata);
                }
                BookingRequest::Book(booking)
            }
            Order::Move { reason } => {
                let old = self.moved.as_ref()?;
                let is_reason_known =
                    self.world.session.dialect() == Dialect::Svc || old.seat_uid.is_none();
                let reason = reason.trim();
                let change = RescheduleBooking {
                    start: self.start,
                    rescheduling_reason: (is_reason_known && !reason.is_empty())
                        .then(|| reason.to_owned()),
                    seat_uid: old.seat_uid.clone(),
                    reserved_slot_uid,
                    ..RescheduleBooking::default()
                };
                BookingRequest::Move {
                    uid: old.booking.uid.0.clone(),
                    change,
                }
            }
        })
    }

    /// Booking as a dry run would have made it.
    fn tried(&self) -> Vec<PublicBooking> {
        let event_type = &self.world.event_type;
        let start = self.start;
        vec![PublicBooking {
            uid: BookingUid(String::new()),
            title: event_type.title.clone(),
            status: BookingStatus::Accepted,
            start,
            end: start.plus_minutes(self.length),
            host_names: event_type.host_names.clone(),
            ..PublicBooking::default()
        }]
    }
}

/// Dispatches the outcome, and shows it if the view still exists.
fn finish(
    task: FlowTask,
    world: &Rc<FlowContext>,
    moved: Option<&Moving>,
    how: OutcomeKind,
    bookings: Vec<PublicBooking>,
) {
    let Some(first) = bookings.first() else {
        return;
    };
    // First: the page may navigate away.
    match moved {
        Some(old) => Reason::of(world, "move", &old.booking.uid).forget(),
        None => world
            .drafts
            .forget(&Draft::key(&world.event_type, &world.config)),
    }
    let news = match (how, moved) {
        (OutcomeKind::Tried, _) => BookingEvent::BookingTried { start: first.start },
        (OutcomeKind::Moved, Some(old)) => BookingEvent::BookingRescheduled {
            uid: first.uid.0.clone(),
            from_uid: old.booking.uid.0.clone(),
            start: first.start,
            end: first.end,
        },
        _ => BookingEvent::BookingCreated {
            uid: first.uid.0.clone(),
            status: first.status.as_str().to_owned(),
            payment_required: first.status == BookingStatus::Pending && world.event_type.price > 0,
            start: first.start,
            end: first.end,
        },
    };
    let is_ours = world
        .page
        .emit_with(&news, &world.detail(|| written(first)));
    let Some(flow) = task.get() else { return };
    let old_seat = moved.and_then(|old| old.seat_uid.clone());
    let ending = FlowOutcome {
        seat_uid: first.seat_uid.clone().or(old_seat),
        was: moved.map(|old| old.booking.start),
        bookings,
        how,
    };
    flow.moved.set(None);
    if is_ours && how != OutcomeKind::Tried && follow(world) {
        // The redirect has started: the view stays until then.
        return;
    }
    flow.step.set(if is_ours && !world.is_silent(how) {
        Step::Done(Arc::new(ending))
    } else {
        Step::Gone
    });
}

/// JSON of a booking for events.
fn written(booking: &PublicBooking) -> String {
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
        ("answers", Value::Object(booking.responses.clone())),
    ] {
        told.insert(name.to_owned(), value);
    }
    serde_json::to_string(&told).unwrap_or_default()
}

/// Handles a lost slot: the form is kept, the slots are reloaded, and the nearest are offered.
pub(super) fn lost(flow: Flow, start: Instant) {
    flow.complain(Key::TimeTakenTitle, Key::TimeTakenText);
    flow.lost.set(Some(start));
    flow.choice.slot.set(None);
    flow.choice.taken.set(Some(start));
    flow.choice.day.set(Some(flow.day_of(start)));
    flow.step.set(Step::Pick);
    flow.slots.again();
}

/// One occurrence is unavailable, and so none is booked.
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

/// Checks the outcome of a request if it is unknown: by a retry where that is safe.
pub(super) fn look_again(flow: Flow, hold: Hold) {
    if flow.is_busy.get_untracked() {
        return;
    }
    if flow
        .unsettled
        .with_value(|unsettled| unsettled.key.is_some())
    {
        return repeat(flow, hold);
    }
    let Some(start) = flow.choice.slot.get_untracked().map(|slot| slot.start) else {
        return;
    };
    flow.is_busy.set(true);
    let task = flow.in_task();
    spawn_local(async move {
        look(task, hold, start, Key::OutcomeUnknownTitle).await;
        flow.is_busy.set(false);
    });
}

/// Checks the outcome of an order without response. A rescheduled booking names its successor. Otherwise a free slot
/// proves that nothing was booked, where a booking takes its slot. The visitor's own reservation would hide it, so
/// that one is released first.
async fn look(task: FlowTask, hold: Hold, start: Instant, title: Key) {
    hold.hand_over(Dialect::Cal).await;
    let Some(flow) = task.get() else { return };
    let world = flow.world();
    if let Some(old) = flow.moved.get_untracked()
        && let Some(new) = replacement(&world, &old).await
    {
        return finish(task, &world, Some(&old), OutcomeKind::Moved, vec![new]);
    }
    let Some(flow) = task.get() else { return };
    if world.event_type.may_leave_slot_free || flow.is_instant.get_untracked() {
        flow.doubt.set(Some((title, Key::OutcomeUnknown)));
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
        .slots(query, Abort::after(LOOK_TIMEOUT_MS))
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
    flow.doubt.set(Some((title, known)));
}

/// Booking that replaced `old`, if there is one. Rescheduling a seat leaves the shared booking as it was, so seats
/// cannot be checked.
async fn replacement(world: &FlowContext, old: &Moving) -> Option<PublicBooking> {
    if old.seat_uid.is_some() {
        return None;
    }
    let read = async |uid: &BookingUid| {
        let abort = Abort::after(LOOK_TIMEOUT_MS);
        let found = world.session.booking(&uid.0, abort).await.ok()?;
        found.0.into_iter().next()
    };
    let new_uid = read(&old.booking.uid).await?.rescheduled_to?;
    read(&new_uid).await
}
