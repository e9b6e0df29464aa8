//! Code that verifies the visitor's e-mail address before a booking.

use std::rc::Rc;

use booking_ui::prelude::*;
use booking_wire::people::verified_email::RESEND_SECONDS;
use booking_wire::{NewBooking, RequestEmailCode};

use super::super::state::FlowState;
use super::super::state::delivery::BookingRequest;
use super::refusal::refusal;
use crate::client::error::is_wrong_code;
use crate::client::{Abort, ApiError, DeclineReason, Dialect};
use crate::i18n::Key;

/// Milliseconds that a request for a code may take.
const REQUEST_TIMEOUT_MS: u64 = 30_000;

/// Seconds until another request if a service refuses one without saying for how long.
const DEFAULT_WAIT_S: i64 = 60;

/// Property of a booking that has the code.
const CODE_PROPERTY: &str = "emailVerificationCode";

/// True if the booking has to wait for a code. With credentials, the service decides: it asks hosts, and users with a
/// verified address, for none.
pub(crate) fn needs_code(flow: FlowState, booking: &NewBooking) -> bool {
    let context = flow.context();
    let session = &context.session;
    context.event_type.requires_email_code
        && !context.current_config().is_dry_run
        && booking.email_verification_code.is_none()
        && (session.is_anonymous() || session.dialect() == Dialect::Cal)
}

/// True if the service refused a booking because it has no code.
pub(crate) fn lacks_code(request: &BookingRequest, error: &ApiError) -> bool {
    let (
        BookingRequest::Book(booking),
        ApiError::Declined(DeclineReason::InvalidProperties(_, errors)),
    ) = (request, error)
    else {
        return false;
    };
    booking.email_verification_code.is_none()
        && errors.iter().any(|(name, _)| name == CODE_PROPERTY)
}

/// Asks for the code of the booking's address, in place of the form. One that was sent before can be entered.
pub(crate) fn ask_for_code(flow: FlowState, booking: NewBooking) {
    let state = flow.email_code;
    let email = email_of(&booking);
    let booking = Rc::new(booking);
    if state.sent_to.get_value().eq_ignore_ascii_case(&email) {
        state.waiting.set(Some(booking));
    } else {
        state.code.set(String::new());
        request_code(flow, booking);
    }
}

pub(crate) fn email_of(booking: &NewBooking) -> String {
    booking.attendee.email.clone().unwrap_or_default()
}

/// Requests a code, and shows its field once it is sent.
pub(crate) fn request_code(flow: FlowState, booking: Rc<NewBooking>) {
    let state = flow.email_code;
    flow.submit.error.set(None);
    flow.submit.is_busy.set(true);
    state.error.set(None);
    let session = flow.context().session.clone();
    let request = RequestEmailCode {
        email: email_of(&booking),
        language: booking.attendee.language.clone(),
    };
    spawn_local(async move {
        let abort = Abort::after(REQUEST_TIMEOUT_MS);
        let result = session.request_email_code(&request, abort).await;
        if flow.is_disposed() {
            return;
        }
        flow.submit.is_busy.set(false);
        match result {
            Ok(()) => {
                let is_repeated = state.waiting.with_untracked(Option::is_some);
                state.code.set(String::new());
                state.wait_s.set(RESEND_SECONDS);
                show_field(flow, booking, request.email, is_repeated);
            }
            Err(error) => show_failure(flow, booking, &error),
        }
    });
}

fn show_field(flow: FlowState, booking: Rc<NewBooking>, email: String, is_repeated: bool) {
    let state = flow.email_code;
    let key = match is_repeated {
        true => Key::CodeSentAgain,
        false => Key::CodeSent,
    };
    let values = [("email", email.as_str())];
    state.announcement.set(flow.locale.texts.fill(key, &values));
    state.sent_to.set_value(email);
    state.waiting.set(Some(booking));
}

fn show_failure(flow: FlowState, booking: Rc<NewBooking>, error: &ApiError) {
    let state = flow.email_code;
    match error {
        // Another service of this interface, or one without a way to send e-mail.
        ApiError::Declined(
            DeclineReason::SignInNeeded
            | DeclineReason::NotPublic
            | DeclineReason::Forbidden
            | DeclineReason::NotFound,
        )
        | ApiError::Unexpected {
            status: 404 | 405, ..
        } => state.is_unsupported.set(true),
        // A code that was sent before, for example before a reload, may still be valid.
        ApiError::Declined(DeclineReason::TooMany { wait_s }) => {
            state.wait_s.set(wait_s.unwrap_or(DEFAULT_WAIT_S));
            state.waiting.set(Some(booking));
            state.error.set(Some(Key::CodeLimit));
        }
        ApiError::Declined(DeclineReason::Invalid(message))
            if flow
                .draft
                .show_service_errors(&[("attendee.email".to_owned(), message.clone())]) =>
        {
            state.waiting.set(None);
        }
        error => flow
            .submit
            .error
            .set(Some(refusal(error, flow.locale.texts))),
    }
}

/// Shows that the service did not accept the code. Returns false for other errors.
pub(crate) fn show_refused_code(flow: FlowState, errors: &[(String, String)]) -> bool {
    let state = flow.email_code;
    let Some((_, message)) = errors.iter().find(|(name, _)| name == CODE_PROPERTY) else {
        return false;
    };
    if state.waiting.with_untracked(Option::is_none) {
        return false;
    }
    if is_wrong_code(message) {
        state.error.set(Some(Key::CodeWrong));
    } else {
        state.error.set(Some(Key::CodeOver));
        state.code.set(String::new());
    }
    true
}
