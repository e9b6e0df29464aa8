//! Actions on a booking, and its cancel form.

use std::sync::Arc;

use booking_rules::Policy;
use booking_ui::prelude::*;

use super::cancel::cancel_form;
use super::email_correction::EmailCorrection;
use super::shown_booking::is_over;
use crate::components::button;
use crate::components::focus::focus_first_soon;
use crate::features::booking_flow::existing::booking_state::{
    ActionAvailability, BookingState, cancel_availability, reschedule_availability,
};
use crate::features::booking_flow::outcome::{FlowOutcome, OutcomeKind};
use crate::features::booking_flow::state::{FlowState, Rescheduling};
use crate::i18n::{Key, localized};
use crate::page::booking_events::BookingEvent;
use crate::page::settings::use_clock;

/// Actions, reasons why some are unavailable, and the cancel form.
pub(super) fn actions(
    flow: FlowState,
    outcome: Arc<FlowOutcome>,
    state: BookingState,
    correction: Option<EmailCorrection>,
) -> Node {
    let is_cancelling = flow.history.is_cancelling;
    let root = el("div").class("confirmation-actions");
    let element = root.element();
    root.child_with(move || {
        let (element, outcome) = (element.clone(), outcome.clone());
        if !is_cancelling.get() {
            return localized(move || buttons(flow, &outcome, state, correction));
        }
        let uid = outcome.bookings.first().map(|first| first.uid.0.clone());
        let on_keep = move || {
            let uid = uid.clone().unwrap_or_default();
            if !flow.context().page.emit(&BookingEvent::BookingKept { uid }) {
                return;
            }
            is_cancelling.set(false);
            focus_first_soon(element.clone(), ".action-cancel");
        };
        cancel_form(flow, outcome, on_keep)
    })
}

/// Buttons, and why some are missing.
fn buttons(
    flow: FlowState,
    outcome: &FlowOutcome,
    state: BookingState,
    correction: Option<EmailCorrection>,
) -> Node {
    let Some(booking) = outcome.bookings.first() else {
        return fragment();
    };
    let texts = flow.locale.texts;
    let now = use_clock().now();
    let policy = Policy::of(&flow.context().event_type);
    let is_one = outcome.bookings.len() == 1;
    let is_real = outcome.kind != OutcomeKind::DryRun;
    let reschedule = match is_real && is_one {
        true => reschedule_availability(booking, policy, now),
        false => ActionAvailability::NotApplicable,
    };
    let cancel = match is_real && outcome.kind != OutcomeKind::Cancelled {
        true => cancel_availability(booking, policy, now),
        false => ActionAvailability::NotApplicable,
    };
    let old = Rescheduling {
        booking: booking.clone(),
        seat_uid: outcome.seat_uid.clone(),
    };
    let on_reschedule = move || flow.start_reschedule(old.clone());
    let booked = booking.clone();
    let is_seat = outcome.seat_uid.is_some();
    let on_again = move || {
        // The first attendee of a booking with seats may be another visitor.
        if !is_seat {
            let name = booked.attendee_names.first().map_or("", String::as_str);
            let corrected = correction.map(|correction| correction.email.get_untracked());
            let email = corrected.as_ref().unwrap_or(&booked.email);
            flow.draft.suggest(&[("name", name), ("email", email)]);
        }
        flow.start_new_booking();
    };
    let book_again = if matches!(outcome.kind, OutcomeKind::Booked | OutcomeKind::Rescheduled) {
        Key::BookAnother
    } else {
        Key::BookAgain
    };
    let is_over = is_over(state) || outcome.kind == OutcomeKind::Cancelled;
    let again_weight = match is_over {
        true => "button-primary",
        false => "button-quiet",
    };
    let buttons = fragment()
        .child((reschedule == ActionAvailability::Available).then(|| {
            button("button", on_reschedule)
                .attr("part", "reschedule")
                .child(texts.get(Key::Reschedule))
        }))
        .child((cancel == ActionAvailability::Available).then(|| {
            button("button action-cancel", move || {
                flow.history.is_cancelling.set(true)
            })
            .attr("part", "cancel")
            .child(texts.get(Key::CancelBooking))
        }))
        .child(button(again_weight, on_again).child(texts.get(book_again)));
    let reasons = [
        (reschedule == ActionAvailability::Forbidden, Key::NoMoving),
        (
            reschedule == ActionAvailability::TooLate,
            Key::TooLateToMove,
        ),
        (cancel == ActionAvailability::Forbidden, Key::NoCancelling),
    ];
    let reasons = reasons
        .into_iter()
        .filter(|(applies, _)| *applies)
        .map(|(_, key)| el("p").class("confirmation-why").child(texts.get(key)));
    fragment()
        .child(el("div").class("action-row").child(buttons))
        .child(fragment_of(reasons))
}
