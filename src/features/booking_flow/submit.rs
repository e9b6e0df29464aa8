//! Books or reschedules once and shows the outcome.

pub(super) mod email_code;
mod refusal;

use std::rc::Rc;
use std::sync::Arc;

use booking_rules::policy::may_leave_slot_free;
use booking_ui::prelude::*;
use booking_wire::{
    BookingStatus, BookingUid, JsonMap, NewBooking, PublicBooking, PublicBookings,
    RescheduleBooking,
};
use serde_json::Value;

use super::context::FlowContext;
use super::existing::reread::{may_be_stale, show_if_changed};
use super::flow_history::note_outcome;
use super::hooks::{HookEvent, property};
use super::outcome::{BookedAddress, FlowOutcome, OutcomeKind, redirect};
use super::reservation::SlotReservation;
use super::state::delivery::{BookingRequest, Delivery, UnresolvedRequests, deliver, new_key};
use super::state::reason_draft::ReasonDraft;
use super::state::{FlowState, Rescheduling, Step};
use crate::client::{Abort, ApiError, DeclineReason, Dialect};
use crate::features::booking_form::metadata::{amend, as_texts};
use crate::features::booking_form::{Draft, SubmitError};
use crate::features::slot_picker::model::SlotQuery;
use crate::i18n::{Key, Translations};
use crate::page::booking_events::BookingEvent;
use crate::page::events::HookResponse;
use crate::time::{DateRange, Instant};
use email_code::{ask_for_code, lacks_code, needs_code, show_refused_code};
use refusal::refusal;

/// Milliseconds that checking an unknown outcome may take.
const CHECK_TIMEOUT_MS: u64 = 30_000;

/// Action to submit.
pub(super) enum SubmitRequest {
    /// A booking.
    Book(Box<NewBooking>),
    /// New start for the booking to reschedule.
    Reschedule {
        /// The visitor's reason.
        reason: String,
    },
}

/// Data of a submission, read before the first `await`: it is carried out even if the view ends before.
struct Submission {
    flow: FlowState,
    reservation: SlotReservation,
    context: Rc<FlowContext>,
    texts: Translations,
    start: Instant,
    length: i64,
    /// Number of meetings of the series.
    occurrences: i64,
    /// Their starts, if they are not those of the rule.
    recurrence_starts: Option<Vec<Instant>>,
    is_instant: bool,
    rescheduling: Option<Arc<Rescheduling>>,
    unresolved: UnresolvedRequests,
    /// Copy in the flow.
    stored_unresolved: StoredValue<UnresolvedRequests>,
}

/// Submits the request and dispatches the outcome, even if the element has been removed.
pub(super) fn submit(flow: FlowState, reservation: SlotReservation, request: SubmitRequest) {
    let Some(start) = flow.selection.start() else {
        return;
    };
    flow.submit.error.set(None);
    flow.submit.unknown_outcome.set(None);
    if !window().navigator().on_line() {
        // Before sending: afterwards the outcome would be unknown.
        return flow.show_error(Key::NotSentTitle, Key::NotSentText);
    }
    let request = match request {
        SubmitRequest::Book(booking) if needs_code(flow, &booking) => {
            return ask_for_code(flow, *booking);
        }
        request => request,
    };
    flow.submit.is_busy.set(true);
    let submission = Submission::of(flow, reservation, start);
    let fields = match &request {
        SubmitRequest::Book(_) => untrack(|| flow.draft.values()).filled_slugs(),
        SubmitRequest::Reschedule { reason } => filled_field("rescheduleReason", reason),
    };
    spawn_local(async move {
        let refused = submission.run(request, fields).await;
        submission.end(refused);
    });
}

/// Repeats the last request with unknown outcome. Safe where requests have a key.
fn repeat(flow: FlowState, reservation: SlotReservation) {
    let Some(start) = flow.selection.start() else {
        return;
    };
    let submission = Submission::of(flow, reservation, start);
    let Some(request) = submission.unresolved.requests.last().cloned() else {
        return;
    };
    flow.submit.unknown_outcome.set(None);
    flow.submit.is_busy.set(true);
    spawn_local(async move {
        submission
            .context
            .page
            .emit(&BookingEvent::BookingSubmitted);
        let refused = submission.deliver(request).await;
        submission.end(refused);
    });
}

impl Submission {
    fn of(flow: FlowState, reservation: SlotReservation, start: Instant) -> Self {
        let context = flow.context();
        let mut unresolved = flow.submit.unresolved.get_value();
        if unresolved.key.is_none() && context.session.dialect() == Dialect::Svc {
            unresolved.key = new_key();
        }
        Self {
            flow,
            reservation,
            context,
            texts: flow.locale.texts,
            start,
            length: flow.selection.length.get_untracked(),
            occurrences: flow.series.count.get_untracked(),
            recurrence_starts: flow.series.starts.get_untracked(),
            is_instant: flow.selection.is_instant.get_untracked(),
            rescheduling: flow.rescheduling.get_untracked(),
            unresolved,
            stored_unresolved: flow.submit.unresolved,
        }
    }

    /// Carries out the request. Returns a booking that needs a code.
    async fn run(&self, request: SubmitRequest, fields: Vec<String>) -> Option<Rc<BookingRequest>> {
        // The page may remove the element.
        let _kept = self.context.session.keep();
        let request = self.ask_page(request, fields).await?;
        self.context.page.emit(&BookingEvent::BookingSubmitted);
        if self.context.current_config().is_dry_run {
            self.finish(OutcomeKind::DryRun, self.dry_run_bookings());
            return None;
        }
        self.reservation.wait_for_request().await;
        let reserved_slot_uid = self
            .reservation
            .take_uid(self.context.session.dialect())
            .await;
        match self.booking_request(request, reserved_slot_uid) {
            Some(request) => self.deliver(Rc::new(request)).await,
            None => {
                self.failed(ApiError::Unreachable, true, self.start).await;
                None
            }
        }
    }

    /// Ends a submission: the form can be used again, or asks for the code that a refused booking needs.
    fn end(&self, refused: Option<Rc<BookingRequest>>) {
        let flow = self.flow;
        if flow.is_disposed() {
            return;
        }
        flow.submit.is_busy.set(false);
        if let Some(BookingRequest::Book(booking)) = refused.as_deref() {
            ask_for_code(flow, NewBooking::clone(booking));
        }
    }

    /// Sends the request and dispatches its outcome. Returns a booking that needs a code.
    async fn deliver(&self, request: Rc<BookingRequest>) -> Option<Rc<BookingRequest>> {
        let sent = request.clone();
        let Delivery {
            request,
            result,
            is_known,
        } = deliver(&self.context.session, request, self.unresolved.clone()).await;
        match result {
            Ok(PublicBookings(bookings)) => {
                self.stored_unresolved
                    .set_value(UnresolvedRequests::default());
                self.reservation.clear();
                self.finish(request.kind(), bookings);
                None
            }
            Err(error) => {
                if lacks_code(&request, &error) {
                    self.context.page.emit(&BookingEvent::BookingFailed {
                        code: error.code(),
                        is_retryable: true,
                    });
                    return Some(request);
                }
                if !is_known {
                    let mut unresolved = self.unresolved.clone();
                    if !unresolved.requests.iter().any(|one| Rc::ptr_eq(one, &sent)) {
                        unresolved.requests.push(sent);
                    }
                    self.stored_unresolved.set_value(unresolved);
                }
                self.failed(error, is_known, request.start()).await;
                None
            }
        }
    }

    fn finish(&self, kind: OutcomeKind, bookings: Vec<PublicBooking>) {
        finish(
            self.flow,
            &self.context,
            self.rescheduling.as_deref(),
            kind,
            bookings,
        );
    }

    /// Handles a failed request with `start`. `is_known`: nothing was booked.
    async fn failed(&self, error: ApiError, is_known: bool, start: Instant) {
        let is_invalid = matches!(
            error,
            ApiError::Declined(
                DeclineReason::Invalid(_)
                    | DeclineReason::InvalidProperties(..)
                    | DeclineReason::AlreadySignedUp
            )
        );
        self.context.page.emit(&BookingEvent::BookingFailed {
            code: error.code(),
            is_retryable: !is_invalid,
        });
        if let Some(old) = &self.rescheduling
            && may_be_stale(&error)
            && show_if_changed(self.flow, &old.outcome()).await
        {
            return;
        }
        let flow = self.flow;
        if flow.is_disposed() {
            return;
        }
        if !is_known && !is_invalid {
            return self.show_unknown_outcome(&error).await;
        }
        let is_slot_taken = error == ApiError::Declined(DeclineReason::TimeTaken);
        if self.context.session.dialect() == Dialect::Cal && !is_slot_taken {
            // The reservation ended before the request.
            self.reservation.reserve_again();
        }
        match error {
            ApiError::Declined(DeclineReason::TimeTaken) => flow.handle_lost_slot(start),
            ApiError::Declined(DeclineReason::SeriesTaken(start)) => show_lost_date(flow, start),
            ApiError::Declined(DeclineReason::InvalidProperties(_, errors))
                if show_refused_code(flow, &errors) => {}
            // Field errors are shown at the fields.
            ApiError::Declined(DeclineReason::InvalidProperties(_, errors))
                if flow.draft.show_service_errors(&errors) => {}
            _ => {
                let error = refusal(&error, self.texts);
                flow.submit.error.set(Some(error));
            }
        }
    }

    /// Shows that the outcome is unknown. Without a key, a retry is unsafe, so the slot is checked.
    async fn show_unknown_outcome(&self, error: &ApiError) {
        let flow = self.flow;
        let title = match error {
            ApiError::Unexpected { .. } => Key::UnexpectedTitle,
            _ => Key::OutcomeUnknownTitle,
        };
        // Not 200, which captive portals respond with.
        if matches!(error, ApiError::Unexpected { status: 201, .. }) {
            flow.submit
                .unknown_outcome
                .set(Some((title, Key::OutcomeLikely)));
        } else if self.unresolved.key.is_some() {
            flow.submit
                .unknown_outcome
                .set(Some((title, Key::OutcomeOpen)));
        } else {
            let may_be_running = matches!(
                error,
                ApiError::Unexpected {
                    status: 502 | 504,
                    ..
                }
            );
            check_outcome(flow, self.reservation, self.start, title, may_be_running).await;
        }
    }

    /// Asks the page for its consent. Returns the request, possibly changed by the page; `None` if the page prevents it
    /// or the view has ended.
    async fn ask_page(
        &self,
        mut request: SubmitRequest,
        fields: Vec<String>,
    ) -> Option<SubmitRequest> {
        let action = match &request {
            SubmitRequest::Book(_) => "book",
            SubmitRequest::Reschedule { .. } => "reschedule",
        };
        let hook = HookEvent::Submit {
            action,
            start: self.start,
            fields,
        };
        let detail_json = || match &request {
            SubmitRequest::Book(booking) => serde_json::to_string(booking).unwrap_or_default(),
            SubmitRequest::Reschedule { reason } => reason_json("reschedulingReason", reason),
        };
        let response = self.context.run_hook(hook, detail_json).await;
        if self.flow.is_disposed() {
            return None;
        }
        match response {
            HookResponse::Stop => return None,
            HookResponse::Failed(text) => {
                let text = text.unwrap_or_else(|| self.texts.get(Key::UnexpectedText).to_owned());
                let title = self.texts.get(Key::RefusedTitle).to_owned();
                self.flow.submit.error.set(Some(SubmitError {
                    title,
                    text,
                    details: None,
                }));
                return None;
            }
            HookResponse::With(object) => {
                if let SubmitRequest::Book(booking) = &mut request {
                    let map = |name: &str| match property(&object, name) {
                        Some(Value::Object(map)) => map,
                        _ => JsonMap::new(),
                    };
                    booking.metadata = amend(&booking.metadata, &map("metadata"), &map("utm"));
                }
            }
            HookResponse::Go => {}
        }
        Some(request)
    }
}

/// The field's name, if it has a text.
pub(super) fn filled_field(field: &str, text: &str) -> Vec<String> {
    let is_filled = !text.trim().is_empty();
    is_filled.then(|| field.to_owned()).into_iter().collect()
}

/// JSON object with one text.
pub(super) fn reason_json(name: &str, reason: &str) -> String {
    let mut map = JsonMap::new();
    map.insert(name.to_owned(), Value::String(reason.trim().to_owned()));
    serde_json::to_string(&map).unwrap_or_default()
}

impl Submission {
    /// Request to the service; `None` if there is no booking to reschedule.
    fn booking_request(
        &self,
        request: SubmitRequest,
        reserved_slot_uid: Option<String>,
    ) -> Option<BookingRequest> {
        let event_type = &self.context.event_type;
        Some(match request {
            SubmitRequest::Book(mut booking) => {
                booking.reserved_slot_uid = reserved_slot_uid;
                let is_series = event_type.recurrence.is_some();
                booking.recurrence_starts = self.recurrence_starts.clone().filter(|_| is_series);
                booking.recurrence_count =
                    (is_series && booking.recurrence_starts.is_none()).then_some(self.occurrences);
                booking.instant = self.is_instant.then_some(true);
                if self.context.session.dialect() == Dialect::Cal {
                    booking.metadata = as_texts(&booking.metadata);
                }
                BookingRequest::Book(booking)
            }
            SubmitRequest::Reschedule { reason } => {
                let old = self.rescheduling.as_ref()?;
                let accepts_reason =
                    self.context.session.dialect() == Dialect::Svc || old.seat_uid.is_none();
                let reason = reason.trim();
                let change = RescheduleBooking {
                    start: self.start,
                    rescheduling_reason: (accepts_reason && !reason.is_empty())
                        .then(|| reason.to_owned()),
                    seat_uid: old.seat_uid.clone(),
                    reserved_slot_uid,
                    ..RescheduleBooking::default()
                };
                BookingRequest::Reschedule {
                    uid: old.booking.uid.0.clone(),
                    change,
                }
            }
        })
    }

    /// Booking as a dry run would have made it.
    fn dry_run_bookings(&self) -> Vec<PublicBooking> {
        let event_type = &self.context.event_type;
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
    flow: FlowState,
    context: &Rc<FlowContext>,
    rescheduling: Option<&Rescheduling>,
    kind: OutcomeKind,
    bookings: Vec<PublicBooking>,
) {
    let Some(first) = bookings.first() else {
        return;
    };
    // First: the page may navigate away.
    match rescheduling {
        Some(old) => ReasonDraft::of(context, "move", &old.booking.uid).delete(),
        None => context
            .drafts
            .forget(&Draft::key(&context.event_type, &context.config)),
    }
    let event = match (kind, rescheduling) {
        (OutcomeKind::DryRun, _) => BookingEvent::BookingTried { start: first.start },
        (OutcomeKind::Rescheduled, Some(old)) => BookingEvent::BookingRescheduled {
            uid: first.uid.0.clone(),
            from_uid: old.booking.uid.0.clone(),
            start: first.start,
            end: first.end,
        },
        _ => BookingEvent::BookingCreated {
            uid: first.uid.0.clone(),
            status: first.status.as_str().to_owned(),
            payment_required: first.status == BookingStatus::Pending
                && context.event_type.price > 0,
            start: first.start,
            end: first.end,
        },
    };
    let shows_outcome = context
        .page
        .emit_with(&event, &context.event_detail(|| booking_json(first)));
    if flow.is_disposed() {
        return;
    }
    if kind != OutcomeKind::DryRun && rescheduling.is_none() {
        flow.draft.remember(&context.current_config());
    }
    let old_seat = rescheduling.and_then(|old| old.seat_uid.clone());
    let address = (kind == OutcomeKind::Booked).then(|| BookedAddress::new(&first.email));
    let outcome = FlowOutcome {
        address,
        seat_uid: first.seat_uid.clone().or(old_seat),
        previous_start: rescheduling.map(|old| old.booking.start),
        bookings,
        kind,
    };
    flow.rescheduling.set(None);
    flow.email_code.forget();
    // Before a redirect, from which the visitor may come back.
    note_outcome(flow, &outcome);
    if shows_outcome && kind != OutcomeKind::DryRun && redirect(context) {
        // The redirect has started: the view stays until then.
        return;
    }
    if shows_outcome && !context.is_silent(kind) {
        flow.show_booking(outcome, false);
    } else {
        flow.step.set(Step::Hidden);
    }
}

/// JSON of a booking for events.
fn booking_json(booking: &PublicBooking) -> String {
    let text = |text: &str| Value::String(text.to_owned());
    let texts = |texts: &[String]| texts.iter().map(|each| text(each)).collect();
    let mut map = JsonMap::new();
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
        map.insert(name.to_owned(), value);
    }
    serde_json::to_string(&map).unwrap_or_default()
}

/// One date of the series is unavailable, and so none is booked: shows the dates again.
fn show_lost_date(flow: FlowState, start: Instant) {
    let locale = flow.locale;
    let day = locale.formats.brief_day(locale.day_of(start));
    let time = locale.settings.time(locale.formats, start);
    flow.submit.error.set(Some(SubmitError {
        title: String::new(),
        text: locale
            .texts
            .fill(Key::SeriesTakenText, &[("day", &day), ("time", &time)]),
        details: None,
    }));
    flow.submit.lost_slot.set(Some(start));
    flow.email_code.close();
    flow.series.is_open.set(true);
}

/// Checks the outcome of a request if it is unknown: by a retry where that is safe.
pub(super) fn resolve_outcome(flow: FlowState, reservation: SlotReservation) {
    if flow.submit.is_busy.get_untracked() {
        return;
    }
    if flow
        .submit
        .unresolved
        .with_value(|unresolved| unresolved.key.is_some())
    {
        return repeat(flow, reservation);
    }
    let Some(start) = flow.selection.start() else {
        return;
    };
    flow.submit.is_busy.set(true);
    spawn_local(async move {
        check_outcome(flow, reservation, start, Key::OutcomeUnknownTitle, false).await;
        flow.submit.is_busy.set(false);
    });
}

/// Checks the outcome of a request without response. A rescheduled booking names its successor. Otherwise a free slot
/// proves that nothing was booked, where a booking takes its slot. The visitor's own reservation would hide it, so
/// that one is released first. `may_be_running`: a gateway gave up on a service that may still be booking, so that a free
/// slot proves nothing yet.
async fn check_outcome(
    flow: FlowState,
    reservation: SlotReservation,
    start: Instant,
    title: Key,
    may_be_running: bool,
) {
    reservation.take_uid(Dialect::Cal).await;
    if flow.is_disposed() {
        return;
    }
    let context = flow.context();
    if let Some(old) = flow.rescheduling.get_untracked()
        && let Some(new) = find_successor(&context, &old).await
    {
        return finish(
            flow,
            &context,
            Some(&old),
            OutcomeKind::Rescheduled,
            vec![new],
        );
    }
    if flow.is_disposed() {
        return;
    }
    if may_leave_slot_free(&context.event_type) || flow.selection.is_instant.get_untracked() {
        flow.submit
            .unknown_outcome
            .set(Some((title, Key::OutcomeUnknown)));
        return;
    }
    let day = flow.locale.day_of(start);
    let query = SlotQuery {
        event_type_id: context.event_type.id,
        days: DateRange::of(day, 1),
        zone: flow.locale.settings.zone.get_untracked(),
        duration: flow
            .selection
            .has_lengths
            .then(|| flow.selection.length.get_untracked()),
        rescheduled_uid: None,
    };
    let request = query.request(|day| flow.locale.formats.start_of_day(day, &query.zone));
    let response = context
        .session
        .slots(request, Abort::after(CHECK_TIMEOUT_MS))
        .await;
    if flow.is_disposed() {
        return;
    }
    let text = match response {
        Ok(days) if days.on(day).iter().any(|slot| slot.start == start) => {
            reservation.reserve_again();
            if may_be_running {
                Key::OutcomeUnknown
            } else {
                Key::OutcomeFree
            }
        }
        Ok(_) => Key::OutcomeTaken,
        Err(_) => Key::OutcomeUnknown,
    };
    flow.submit.unknown_outcome.set(Some((title, text)));
}

/// Booking that replaced `old`, if there is one. Rescheduling a seat leaves the shared booking as it was, so seats
/// cannot be checked.
async fn find_successor(context: &FlowContext, old: &Rescheduling) -> Option<PublicBooking> {
    if old.seat_uid.is_some() {
        return None;
    }
    let read = async |uid: &BookingUid| {
        let abort = Abort::after(CHECK_TIMEOUT_MS);
        let found = context.session.booking(&uid.0, abort).await.ok()?;
        found.0.into_iter().next()
    };
    let new_uid = read(&old.booking.uid).await?.rescheduled_to?;
    read(&new_uid).await
}
