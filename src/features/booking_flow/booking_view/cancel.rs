//! Form and request that cancel a booking.

use std::sync::Arc;

use booking_ui::prelude::*;
use booking_wire::{BookingStatus, CancelBooking, PublicBooking, PublicBookings};

use super::super::hooks::HookEvent;
use super::super::outcome::{FlowOutcome, OutcomeKind};
use super::super::state::FlowState;
use super::super::state::reason_draft::ReasonDraft;
use super::super::submit::{filled_field, reason_json};
use crate::client::{Abort, ApiError, DeclineReason};
use crate::components::focus::focus_soon;
use crate::components::{Shape, button, closing_on_escape, heading};
use crate::features::booking_flow::existing::reread::{may_be_stale, show_if_changed};
use crate::features::shared::error_notice::{error_text, notice, service_text};
use crate::features::shared::slow_request::slow_line;
use crate::i18n::{Key, localized};
use crate::page::booking_events::BookingEvent;
use crate::page::events::HookResponse;

/// Timeout of a request.
const CANCEL_TIMEOUT_MS: u64 = 30_000;

/// State of the form, which a change of the language keeps.
#[derive(Clone, Copy)]
struct CancelState {
    reason: RwSignal<String>,
    cancels_later: RwSignal<bool>,
    error_message: RwSignal<Option<(String, String)>>,
}

/// Form for the reason and, for an occurrence of a series, the extent. `on_keep` closes the form.
pub(crate) fn cancel_form(
    flow: FlowState,
    outcome: Arc<FlowOutcome>,
    on_keep: impl Fn() + Clone + 'static,
) -> Node {
    let booking = outcome.bookings.first();
    let stored = booking.map(|booking| ReasonDraft::of(&flow.context(), "cancel", &booking.uid));
    let text = stored.as_ref().and_then(ReasonDraft::text);
    let state = CancelState {
        reason: RwSignal::new(text.unwrap_or_default()),
        cancels_later: RwSignal::new(false),
        error_message: RwSignal::new(None),
    };
    localized(move || {
        form(
            flow,
            outcome.clone(),
            stored.clone(),
            state,
            on_keep.clone(),
        )
    })
}

fn form(
    flow: FlowState,
    outcome: Arc<FlowOutcome>,
    stored: Option<ReasonDraft>,
    state: CancelState,
    on_keep: impl Fn() + Clone + 'static,
) -> Node {
    let texts = flow.locale.texts;
    let CancelState {
        reason,
        cancels_later,
        error_message,
    } = state;
    let is_whole_series = outcome.bookings.len() > 1;
    let title = if is_whole_series {
        Key::CancelSeriesQuestion
    } else {
        Key::CancelQuestion
    };
    let heading = heading(1)
        .class("form-title")
        .attr("tabindex", "-1")
        .child(texts.get(title));
    focus_soon(&heading);

    let is_occurrence = outcome
        .bookings
        .first()
        .is_some_and(|one| one.series_uid.is_some());
    let extent_field = (is_occurrence && !is_whole_series).then(|| {
        let group = RadioGroup::unique();
        let radio = |later: bool, key: Key| {
            let input = group
                .button()
                .checked_with(move || cancels_later.get() == later)
                .on("change", move |_| cancels_later.set(later));
            el("label")
                .class("cancel-choice")
                .child(input)
                .child(el("span").child(texts.get(key)))
        };
        el("fieldset")
            .class("cancel-extent")
            .child(
                el("legend")
                    .class("visually-hidden")
                    .child(texts.get(Key::CancelExtent)),
            )
            .child(radio(false, Key::CancelThis))
            .child(radio(true, Key::CancelThisAndLater))
    });
    let field = el("label")
        .class("field")
        .child(
            el("span")
                .class("field-label")
                .child(texts.get(Key::CancelReason)),
        )
        .child(
            el("textarea")
                .attr("rows", "3")
                .attr("dir", "auto")
                .value_with(move || reason.get())
                .on("input", move |event| {
                    let text = value_of(&event);
                    if let Some(stored) = &stored {
                        stored.store(&text);
                    }
                    reason.set(text);
                }),
        );
    let action = move || {
        let key = if flow.submit.is_busy.get() {
            Key::Cancelling
        } else if is_whole_series {
            Key::CancelSeries
        } else {
            Key::CancelBooking
        };
        texts.get(key).to_owned()
    };
    let submit_button = el("button")
        .class("button-primary button-danger")
        .attr("type", "submit")
        .flag_with("aria-disabled", move || flow.submit.is_busy.get())
        .flag_with("aria-busy", move || flow.submit.is_busy.get())
        .text_with(action);
    let error_view = move || {
        error_message
            .get()
            .map(|(title, text)| notice(Shape::Alert, &title, &text))
    };
    let submit = move || {
        if flow.submit.is_busy.get_untracked() {
            return;
        }
        let reason = reason.get_untracked().trim().to_owned();
        let change = CancelBooking {
            cancellation_reason: Some(reason).filter(|text| !text.is_empty()),
            cancel_subsequent_bookings: cancels_later.get_untracked().then_some(true),
            seat_uid: outcome.seat_uid.clone(),
        };
        cancel(flow, outcome.clone(), change, error_message);
    };
    let form = el("form")
        .class("form cancel-form")
        .attr("part", "cancel-form")
        .attr("novalidate", "")
        .on_submit(submit);
    closing_on_escape(form, on_keep.clone())
        .child(heading)
        .child(fragment().child_with(error_view))
        .child(extent_field)
        .child(field)
        .child(
            el("div")
                .class("action-row")
                .child(button("button", on_keep).child(texts.get(Key::KeepBooking)))
                .child(submit_button),
        )
        .child(slow_line(move || flow.submit.is_busy.get()))
}

/// Cancels once. If there is no response, the booking is read for the outcome.
fn cancel(
    flow: FlowState,
    outcome: Arc<FlowOutcome>,
    change: CancelBooking,
    error_message: RwSignal<Option<(String, String)>>,
) {
    let Some(first) = outcome.bookings.first() else {
        return;
    };
    let uid = match &first.series_uid {
        Some(series) if outcome.bookings.len() > 1 => series.0.clone(),
        _ => first.uid.0.clone(),
    };
    let first_uid = first.uid.clone();
    let texts = flow.locale.texts;
    let show_error = move |title: Key, text: Key| {
        let shown = [title, text].map(|key| texts.get(key).to_owned());
        error_message.set(Some(shown.into()));
    };
    if !window().navigator().on_line() {
        return show_error(Key::NotSentTitle, Key::NotSentText);
    }
    flow.submit.is_busy.set(true);
    error_message.set(None);
    let context = flow.context();
    let hook = HookEvent::Submit {
        action: "cancel",
        start: first.start,
        fields: filled_field(
            "cancellationReason",
            change.cancellation_reason.as_deref().unwrap_or_default(),
        ),
    };
    spawn_local(async move {
        // The page may remove the element.
        let _kept = context.session.keep();
        let detail_json = || {
            let reason = change.cancellation_reason.as_deref();
            reason_json("cancellationReason", reason.unwrap_or_default())
        };
        let response = context.run_hook(hook, detail_json).await;
        if flow.is_disposed() {
            return;
        }
        if let HookResponse::Stop | HookResponse::Failed(_) = &response {
            flow.submit.is_busy.set(false);
        }
        match response {
            HookResponse::Stop => return,
            HookResponse::Failed(text) => {
                let title = flow.locale.texts.get(Key::NotCancelledTitle).to_owned();
                let default = || flow.locale.texts.get(Key::UnexpectedText).to_owned();
                return error_message.set(Some((title, text.unwrap_or_else(default))));
            }
            _ => {}
        }
        let shown = outcome;
        let is_seat = change.seat_uid.is_some();
        let is_alone = change.cancel_subsequent_bookings.is_none();
        let outcome = context
            .session
            .cancel(&uid, change, Abort::after(CANCEL_TIMEOUT_MS))
            .await;
        let outcome = match outcome {
            // Also after a rejection: another person may have cancelled it first.
            Err(error) if !is_seat && (is_alone || !matches!(error, ApiError::Declined(_))) => {
                let abort = Abort::after(CANCEL_TIMEOUT_MS);
                match context.session.booking(&uid, abort).await {
                    Ok(found) if found.0.iter().all(is_cancelled) => Ok(found),
                    _ => Err(error),
                }
            }
            outcome => outcome,
        };
        flow.submit.is_busy.set(false);
        if let Err(error) = &outcome {
            context.page.emit(&BookingEvent::BookingCancelFailed {
                uid: first_uid.0.clone(),
                code: error.code(),
            });
            if may_be_stale(error) && show_if_changed(flow, &shown).await {
                return;
            }
        }
        match outcome {
            Ok(PublicBookings(bookings)) => {
                ReasonDraft::of(&context, "cancel", &first_uid).delete();
                context
                    .page
                    .emit(&BookingEvent::BookingCancelled { uid: first_uid.0 });
                let outcome = FlowOutcome {
                    bookings,
                    kind: OutcomeKind::Cancelled,
                    seat_uid: None,
                    previous_start: None,
                    address: None,
                };
                flow.show_booking(outcome, false);
            }
            Err(ApiError::Declined(
                DeclineReason::Invalid(message) | DeclineReason::InvalidProperties(message, _),
            )) => {
                let title = flow.locale.texts.get(Key::NotCancelledTitle).to_owned();
                error_message.set(Some((title, service_text(&message, flow.locale.texts))));
            }
            Err(ApiError::Declined(DeclineReason::NotFound)) => {
                show_error(Key::BookingNotFoundTitle, Key::BookingNotFoundText);
            }
            // Nothing is sent again by itself.
            Err(ApiError::Unreachable) => show_error(Key::UnreachableTitle, Key::UnreachableText),
            Err(error) => error_message.set(Some(error_text(&error, flow.locale.texts))),
        }
    });
}

/// True for a cancelled booking that no other has replaced.
fn is_cancelled(booking: &PublicBooking) -> bool {
    booking.status == BookingStatus::Cancelled && booking.rescheduled_to.is_none()
}
