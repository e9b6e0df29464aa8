//! Correction of the e-mail address of a booking that was just made.

use std::sync::Arc;
use std::time::Duration;

use booking_rules::limits::EMAIL_CORRECTION_MINUTES;
use booking_ui::prelude::*;
use booking_wire::CorrectEmail;
use booking_wire::formats::is_email;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use crate::client::{Abort, ApiError, DeclineReason, Dialect};
use crate::components::field::{described, whole_field};
use crate::components::focus::focus_first_soon;
use crate::components::{StatusLine, button, closing_on_escape, live_region, use_status_line};
use crate::features::booking_flow::existing::booking_state::BookingState;
use crate::features::booking_flow::outcome::FlowOutcome;
use crate::features::booking_flow::state::FlowState;
use crate::features::shared::slow_request::slow_line;
use crate::i18n::Key;
use crate::page::settings::use_clock;
use crate::time::{Clock, Instant};

/// Id of the field.
const FIELD_ID: &str = "field-corrected-email";

/// Timeout of a request.
const TIMEOUT_MS: u64 = 30_000;

/// State of a correction, which a change of the language keeps.
#[derive(Clone, Copy)]
pub(super) struct EmailCorrection {
    /// Present address.
    pub(super) email: RwSignal<String>,
    typed: RwSignal<String>,
    error: RwSignal<Option<Key>>,
    is_open: RwSignal<bool>,
    is_busy: RwSignal<bool>,
    /// True once the time for corrections has ended.
    is_over: RwSignal<bool>,
    clock: Clock,
    end: Instant,
    line: StatusLine,
}

/// Error of a typed address.
fn error_of_typed(typed: &str, present: &str) -> Option<Key> {
    if !is_email(typed) {
        Some(Key::EnterEmail)
    } else if typed.eq_ignore_ascii_case(present) {
        Some(Key::SameAddress)
    } else {
        None
    }
}

/// Error of a request.
fn error_of_request(error: &ApiError) -> Key {
    match error {
        ApiError::Unreachable => Key::UnreachableText,
        ApiError::Declined(DeclineReason::TooMany { .. }) => Key::TooManyText,
        ApiError::Declined(_) => Key::AddressDeclined,
        ApiError::Unexpected { .. } => Key::UnexpectedText,
    }
}

impl EmailCorrection {
    /// Returns the state if the service sends messages about this new booking and can correct their address.
    pub(super) fn of(flow: FlowState, outcome: &FlowOutcome, state: BookingState) -> Option<Self> {
        let address = outcome.address.as_ref()?;
        let context = flow.context();
        let settings = context.event_type.booking_settings();
        let takes_place = matches!(state, BookingState::Upcoming | BookingState::Requested);
        let can_correct = takes_place
            && context.session.dialect() == Dialect::Svc
            && settings.allows_email_correction
            && flow.draft.may_change_email();
        let email = address.email();
        if !can_correct || email.is_empty() {
            return None;
        }
        let clock = use_clock();
        let now = clock.now();
        let end = address.shown(now).plus_minutes(EMAIL_CORRECTION_MINUTES);
        let left_ms = u64::try_from(end.0 - now.0).unwrap_or_default();
        let is_over = RwSignal::new(left_ms == 0);
        set_scoped_timeout(move || is_over.set(true), Duration::from_millis(left_ms));
        Some(Self {
            typed: RwSignal::default(),
            email: RwSignal::new(email),
            error: RwSignal::new(None),
            is_open: RwSignal::new(false),
            is_busy: RwSignal::new(false),
            is_over,
            clock,
            end,
            line: use_status_line(),
        })
    }

    /// Button that opens the field, and the field in its place. Beside the button is the address, unless `is_named` above.
    pub(super) fn view(self, flow: FlowState, outcome: &Arc<FlowOutcome>, is_named: bool) -> Node {
        let outcome = outcome.clone();
        let root = el("div").class("email-correction");
        let element = root.element();
        root.child_with(move || {
            if self.is_open.get() {
                return self.form(flow, outcome.clone(), element.clone());
            }
            let address = (!is_named).then(|| el("bdi").text_with(move || self.email.get()));
            let open = (!self.is_over.get()).then(|| {
                let element = element.clone();
                let open = move || self.open(&element);
                button("button-quiet", open).child(flow.locale.texts.get(Key::WrongAddress))
            });
            fragment().child(address).child(open)
        })
    }

    /// Shows the field. A timer may be late, for example after the device has slept.
    fn open(self, root: &HtmlElement) {
        if self.clock.now() >= self.end {
            self.is_over.set(true);
            return self.close(root);
        }
        self.typed.set(self.email.get_untracked());
        self.is_open.set(true);
        focus_first_soon(root.clone(), "input");
    }

    /// Shows the button again, which takes the focus; the title does once there is none.
    fn close(self, root: &HtmlElement) {
        self.error.set(None);
        self.is_open.set(false);
        let around = root.closest(".confirmation").ok().flatten();
        if let Some(around) = around.and_then(|around| around.dyn_into().ok()) {
            let selector = match self.is_over.get_untracked() {
                true => ".confirmation-title",
                false => ".email-correction button",
            };
            focus_first_soon(around, selector);
        }
    }

    fn form(self, flow: FlowState, outcome: Arc<FlowOutcome>, root: HtmlElement) -> Node {
        let texts = flow.locale.texts;
        let is_busy = move || self.is_busy.get();
        let error = Signal::derive(move || Some(texts.get(self.error.get()?).to_owned()));
        let input = el("input")
            .attr("type", "email")
            .attr("autocomplete", "email")
            .attr("dir", "auto")
            .attr("part", "input")
            .value_with(move || self.typed.get())
            .on("input", move |event| {
                self.error.set(None);
                self.typed.set(value_of(&event));
            });
        let input = described(input, FIELD_ID, "", true, error);
        let element = root.clone();
        let keep = move || {
            if !self.is_busy.get_untracked() {
                self.close(&element);
            }
        };
        let send = move || {
            if !self.is_busy.get_untracked() {
                self.send(flow, &outcome, &root);
            }
        };
        let submit = el("button")
            .class("button-primary")
            .attr("type", "submit")
            .flag_with("aria-disabled", is_busy)
            .flag_with("aria-busy", is_busy)
            .child(texts.get(Key::SendAgain));
        let form = el("form")
            .class("form")
            .attr("novalidate", "")
            .on_submit(send);
        let label = texts.get(Key::EmailAddress);
        let actions = el("div")
            .class("action-row")
            .child(button("button-quiet", keep.clone()).child(texts.get(Key::KeepAddress)))
            .child(submit);
        closing_on_escape(form, keep)
            .child(whole_field(FIELD_ID, label, false, input, "", error))
            .child(actions)
            .child(slow_line(is_busy))
            .child(live_region(move || error.get().unwrap_or_default()))
    }

    /// Sends the correction once.
    fn send(self, flow: FlowState, outcome: &Arc<FlowOutcome>, root: &HtmlElement) {
        let present = self.email.get_untracked();
        let typed = self.typed.get_untracked().trim().to_owned();
        let error = error_of_typed(&typed, &present);
        self.error.set(error);
        if error.is_some() {
            return focus_first_soon(root.clone(), "input");
        }
        let Some(reference) = outcome.reference() else {
            return;
        };
        let change = CorrectEmail {
            email: present,
            new_email: typed,
            seat_uid: reference.seat,
        };
        self.is_busy.set(true);
        let context = flow.context();
        let (address, root) = (outcome.address.clone(), root.clone());
        spawn_local(async move {
            // The page may remove the element.
            let _kept = context.session.keep();
            let abort = Abort::after(TIMEOUT_MS);
            let sent = (context.session).correct_email(&reference.uid, &change, abort);
            let failure = sent.await.err();
            if let (None, Some(address)) = (&failure, address) {
                address.set_email(&change.new_email);
            }
            if !flow.is_disposed() {
                self.finish(flow, change.new_email, failure.as_ref(), &root);
            }
        });
    }

    /// Shows the outcome of a request.
    fn finish(
        self,
        flow: FlowState,
        new_email: String,
        failure: Option<&ApiError>,
        root: &HtmlElement,
    ) {
        self.is_busy.set(false);
        if let Some(failure) = failure {
            return self.error.set(Some(error_of_request(failure)));
        }
        let values = [("email", &*new_email)];
        self.line
            .set_text(flow.locale.texts.fill_plain(Key::SentAgain, &values));
        flow.draft.replace_email(&new_email);
        flow.draft.remember(&flow.context().current_config());
        self.email.set(new_email);
        self.close(root);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_address_is_another_one_and_valid() {
        for (typed, expected) in [
            ("zoe@example.com", None),
            ("zoe@example", Some(Key::EnterEmail)),
            ("", Some(Key::EnterEmail)),
            ("Zoe@Example.org", Some(Key::SameAddress)),
        ] {
            assert_eq!(
                error_of_typed(typed, "zoe@example.org"),
                expected,
                "{typed}"
            );
        }
    }

    #[test]
    fn declined_address_is_told_from_failed_requests() {
        for (error, expected) in [
            (
                ApiError::Declined(DeclineReason::NotFound),
                Key::AddressDeclined,
            ),
            (
                ApiError::Declined(DeclineReason::Invalid("taken".to_owned())),
                Key::AddressDeclined,
            ),
            (
                ApiError::Declined(DeclineReason::TooMany { wait_s: None }),
                Key::TooManyText,
            ),
            (ApiError::Unreachable, Key::UnreachableText),
        ] {
            assert_eq!(error_of_request(&error), expected);
        }
    }
}
