//! Code that verifies the visitor's e-mail address before a booking.

use std::rc::Rc;
use std::time::Duration;

use booking_wire::verified_email::{CODE_DIGITS, RESEND_SECONDS};
use booking_wire::{NewBooking, RequestEmailCode};
use leptos::prelude::*;
use leptos::task::spawn_local;

use super::email_code_state::{EmailCodeState, digits};
use super::reservation::SlotReservation;
use super::reservation_time::minutes_and_seconds;
use super::slot_notices::booking_page_notice;
use super::state::FlowState;
use super::submit::{SubmitRequest, refusal, submit};
use crate::client::error::is_wrong_code;
use crate::client::{Abort, ApiError, DeclineReason};
use crate::components::field::{described, whole_field};
use crate::components::focus::{focus_first_soon, focus_soon};
use crate::components::{Shape, button, icon, live_region};
use crate::features::booking_form::submit_error_notice;
use crate::features::shared::slow_request::slow_line;
use crate::i18n::Key;
use crate::ui::dom::{Node, el, fragment, value_of};
use crate::ui::signal::Signal;

/// Milliseconds that a request for a code may take.
const REQUEST_TIMEOUT_MS: u64 = 30_000;

/// Seconds until another request if a service refuses one without saying for how long.
const DEFAULT_WAIT_S: i64 = 60;

/// Property of a booking that has the code.
const CODE_PROPERTY: &str = "emailVerificationCode";

/// Id of the field.
const FIELD_ID: &str = "field-emailVerificationCode";

/// True if the booking has to wait for a code.
pub(super) fn needs_code(flow: FlowState, booking: &NewBooking) -> bool {
    let context = flow.context();
    context.event_type.requires_email_code
        && !context.config.is_dry_run
        && booking.email_verification_code.is_none()
}

/// Asks for the code of the booking's address, in place of the form. One that was sent before can be entered.
pub(super) fn ask_for_code(flow: FlowState, booking: NewBooking) {
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

fn email_of(booking: &NewBooking) -> String {
    booking.attendee.email.clone().unwrap_or_default()
}

/// Requests a code, and shows its field once it is sent.
fn request_code(flow: FlowState, booking: Rc<NewBooking>) {
    let state = flow.email_code;
    flow.submit.error.set(None);
    flow.submit.is_busy.set(true);
    state.error.set(None);
    let (task, session) = (flow.in_task(), flow.context().session.clone());
    let request = RequestEmailCode {
        email: email_of(&booking),
        language: booking.attendee.language.clone(),
    };
    spawn_local(async move {
        let abort = Abort::after(REQUEST_TIMEOUT_MS);
        let result = session.request_email_code(&request, abort).await;
        let Some(flow) = task.get() else { return };
        flow.submit.is_busy.set(false);
        match result {
            Ok(()) => {
                let is_repeated = state.waiting.with_untracked(Option::is_some);
                state.code.set(String::new());
                state.wait_s.set(RESEND_SECONDS);
                show_field(flow, booking, request.email, is_repeated);
            }
            Err(error) => show_failure(flow, booking, request.email, &error),
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

fn show_failure(flow: FlowState, booking: Rc<NewBooking>, email: String, error: &ApiError) {
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
            state.sent_to.set_value(email);
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
pub(super) fn show_refused_code(flow: FlowState, errors: &[(String, String)]) -> bool {
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

/// Content of the form step: `form`, or the field of the code in its place. `root` contains it.
pub(super) fn form_or_code(
    flow: FlowState,
    reservation: SlotReservation,
    root: web_sys::HtmlElement,
    form: impl Fn() -> Node + 'static,
) -> Node {
    let state = flow.email_code;
    let content = fragment().child_with(move || {
        if state.is_unsupported.get() {
            return booking_page_notice(flow);
        }
        match state.waiting.get() {
            Some(booking) => code_form(flow, reservation, booking, root.clone()),
            None => form(),
        }
    });
    fragment()
        .child(content)
        .child(live_region(move || state.announcement.get()))
}

fn code_form(
    flow: FlowState,
    reservation: SlotReservation,
    booking: Rc<NewBooking>,
    root: web_sys::HtmlElement,
) -> Node {
    let (state, texts) = (flow.email_code, flow.locale.texts);
    count_down(state);
    let email = email_of(&booking);
    let is_busy = move || flow.submit.is_busy.get();
    let error = Signal::derive(move || Some(texts.get(state.error.get()?).to_owned()));
    let hint = texts.fill(Key::CodeSent, &[("email", &email)]);
    let input = el("input")
        .attr("type", "text")
        .attr("inputmode", "numeric")
        .attr("autocomplete", "one-time-code")
        .attr("name", "one-time-code")
        .attr("dir", "ltr")
        .attr("part", "input")
        .value_with(move || state.code.get())
        .on("input", move |event| {
            state.error.set(None);
            state.code.set(value_of(&event));
        });
    let input = described(input, FIELD_ID, &hint, true, error);
    let element = input.element();
    focus_soon(&input);
    let resent = booking.clone();
    let again = button("button-quiet", move || {
        if state.wait_s.get_untracked() <= 0 && !flow.submit.is_busy.get_untracked() {
            request_code(flow, resent.clone());
        }
    })
    // Stays focusable, so that keyboard users do not lose their place.
    .flag_with("aria-disabled", move || state.wait_s.get() > 0 || is_busy())
    .text_with(move || match state.wait_s.get() {
        seconds if seconds > 0 => {
            let time = minutes_and_seconds(seconds * 1000);
            texts.fill(Key::CodeAgainIn, &[("time", &time)])
        }
        _ => texts.get(Key::CodeAgain).to_owned(),
    });
    let change = button("button-quiet", move || {
        if !flow.submit.is_busy.get_untracked() {
            state.announcement.set(String::new());
            state.error.set(None);
            flow.submit.error.set(None);
            state.waiting.set(None);
            focus_first_soon(root.clone(), "input[type='email']");
        }
    })
    .child(icon(Shape::Back))
    .child(texts.get(Key::ChangeEmail));
    let label = if flow.context().event_type.always_needs_confirmation {
        Key::Request
    } else {
        Key::Confirm
    };
    let submit_button = el("button")
        .class("button-primary")
        .attr("part", "submit")
        .attr("type", "submit")
        .flag_with("aria-disabled", is_busy)
        .flag_with("aria-busy", is_busy)
        .text_with(move || {
            let key = if is_busy() { Key::Booking } else { label };
            texts.get(key).to_owned()
        });
    let refused = move || {
        flow.submit
            .error
            .get()
            .map(|error| submit_error_notice(&error))
    };
    el("form")
        .class("form email-code")
        .attr("part", "form")
        .attr("novalidate", "")
        .on("submit", move |event| {
            event.prevent_default();
            if flow.submit.is_busy.get_untracked() {
                return;
            }
            let code = digits(&state.code.get_untracked());
            if code.len() != CODE_DIGITS {
                state.error.set(Some(Key::CodeOdd));
                // Fails only for a removed element, which needs no focus.
                let _ = element.focus();
                return;
            }
            state.error.set(None);
            let booking = NewBooking {
                email_verification_code: Some(code),
                ..NewBooking::clone(&booking)
            };
            submit(flow, reservation, SubmitRequest::Book(Box::new(booking)));
        })
        .child_with(refused)
        .child(whole_field(
            FIELD_ID,
            texts.get(Key::CodeLabel),
            true,
            input,
            &hint,
            error,
        ))
        .child(
            el("div")
                .class("email-code-more")
                .child(again)
                .child(change),
        )
        .child(
            el("div")
                .class("form-end")
                .child(submit_button)
                .child(slow_line(is_busy)),
        )
        .child(live_region(move || error.get().unwrap_or_default()))
}

/// Counts down the seconds until another code can be requested, while the view exists.
fn count_down(state: EmailCodeState) {
    let tick = move || {
        if state
            .wait_s
            .try_get_untracked()
            .is_some_and(|left| left > 0)
        {
            state.wait_s.update(|left| *left -= 1);
        }
    };
    if let Ok(timer) = set_interval_with_handle(tick, Duration::from_secs(1)) {
        on_cleanup(move || timer.clear());
    }
}
