//! Field of the code that verifies the visitor's e-mail address, in place of the form.

use std::cell::Cell;
use std::rc::Rc;
use std::time::Duration;

use booking_rules::Confirmation;
use booking_ui::prelude::*;
use booking_wire::NewBooking;
use booking_wire::people::verified_email::CODE_DIGITS;

use super::super::reservation::SlotReservation;
use super::super::reservation::reservation_time::minutes_and_seconds;
use super::super::slot_notices::booking_page_notice;
use super::super::state::FlowState;
use super::super::state::email_code_state::{EmailCodeState, digits};
use super::super::submit::email_code::{email_of, request_code};
use super::super::submit::{SubmitRequest, submit};
use crate::components::field::{described, whole_field};
use crate::components::focus::{focus_first_soon, focus_soon};
use crate::components::{Shape, button, icon, live_region};
use crate::features::booking_form::submit_error_notice;
use crate::features::shared::slow_request::slow_line;
use crate::i18n::Key;

/// Id of the field.
const FIELD_ID: &str = "field-emailVerificationCode";

/// Content of the form step: `form`, or the field of the code in its place. `root` contains it.
pub(crate) fn form_or_code(
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

/// Field of the code. The sixth digit sends it.
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
    // The first request may have been one too many.
    let is_sent = state.sent_to.get_value().eq_ignore_ascii_case(&email);
    let hint = match is_sent {
        true => texts.fill(Key::CodeSent, &[("email", &email)]),
        false => String::new(),
    };
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
    let label = if Confirmation::of(&flow.context().event_type) == Confirmation::Always {
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
    let send = move |code: String| {
        if flow.submit.is_busy.get_untracked() {
            return;
        }
        state.error.set(None);
        let booking = NewBooking {
            email_verification_code: Some(code),
            ..NewBooking::clone(&booking)
        };
        submit(flow, reservation, SubmitRequest::Book(Box::new(booking)));
    };
    let send_complete = send.clone();
    let is_new = Cell::new(false);
    effect(move || {
        let code = digits(&state.code.get());
        if is_new.replace(true) && code.len() == CODE_DIGITS {
            untrack(|| send_complete(code));
        }
    });
    el("form")
        .class("form email-code")
        .attr("part", "form")
        .attr("novalidate", "")
        .on_submit(move || {
            let code = digits(&state.code.get_untracked());
            if code.len() == CODE_DIGITS {
                return send(code);
            }
            state.error.set(Some(Key::CodeOdd));
            // Fails only for a removed element, which needs no focus.
            let _ = element.focus();
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
                .class("form-end")
                .child(submit_button)
                .child(slow_line(is_busy)),
        )
        .child(
            el("div")
                .class("email-code-more")
                .child(again)
                .child(change),
        )
        .child(live_region(move || error.get().unwrap_or_default()))
}

/// Counts down the seconds until another code can be requested, while the view exists.
fn count_down(state: EmailCodeState) {
    let tick = move || {
        if state.wait_s.get_untracked() > 0 {
            state.wait_s.update(|left| *left -= 1);
        }
    };
    set_interval(tick, Duration::from_secs(1));
}
