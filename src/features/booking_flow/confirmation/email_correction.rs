//! Correction of the e-mail address of a booking that was just made.

use std::sync::Arc;
use std::time::Duration;

use booking_wire::CorrectEmail;
use booking_wire::formats::is_email;
use booking_wire::limits::EMAIL_CORRECTION_MINUTES;
use leptos::prelude::{on_cleanup, set_timeout_with_handle};
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use web_sys::{Event, HtmlElement, KeyboardEvent};

use crate::client::{Abort, ApiError, DeclineReason, Dialect};
use crate::components::field::{described, whole_field};
use crate::components::focus::focus_first_soon;
use crate::components::{StatusLine, button, live_region, use_status_line};
use crate::element::settings::use_clock;
use crate::features::booking_flow::booking_rules::BookingState;
use crate::features::booking_flow::outcome::{FlowOutcome, OutcomeKind};
use crate::features::booking_flow::state::FlowState;
use crate::features::shared::error_notice::error_text;
use crate::features::shared::slow_request::slow_line;
use crate::i18n::{Key, Translations};
use crate::time::{Clock, Instant};
use crate::ui::dom::{Node, el, fragment, value_of};
use crate::ui::signal::{RwSignal, Signal};

/// Id of the field.
const FIELD_ID: &str = "field-corrected-email";

/// Timeout of a request.
const TIMEOUT_MS: u64 = 30_000;

/// State of a correction, which a change of the language keeps.
#[derive(Clone, Copy)]
pub(super) struct EmailCorrection {
    /// Present address.
    email: RwSignal<String>,
    typed: RwSignal<String>,
    error: RwSignal<Option<CorrectionError>>,
    is_open: RwSignal<bool>,
    is_busy: RwSignal<bool>,
    /// True once the time for corrections has ended.
    is_over: RwSignal<bool>,
    clock: Clock,
    end: Instant,
    line: StatusLine,
}

/// Reason why an address was not corrected.
#[derive(Clone, Debug, PartialEq, Eq)]
enum CorrectionError {
    /// Not an e-mail address.
    Invalid,
    /// The present address.
    Same,
    /// The service does not accept it.
    Declined,
    /// Any other failure of the request.
    Failed(ApiError),
}

impl CorrectionError {
    /// Checks what was typed.
    fn of_typed(typed: &str, present: &str) -> Option<Self> {
        if !is_email(typed) {
            Some(Self::Invalid)
        } else if typed.eq_ignore_ascii_case(present) {
            Some(Self::Same)
        } else {
            None
        }
    }

    fn of_request(error: ApiError) -> Self {
        match error {
            ApiError::Declined(
                DeclineReason::TooMany { .. }
                | DeclineReason::SignInNeeded
                | DeclineReason::NotRenewed,
            ) => Self::Failed(error),
            ApiError::Declined(_) => Self::Declined,
            error => Self::Failed(error),
        }
    }

    fn text(&self, texts: Translations) -> String {
        let key = match self {
            Self::Invalid => Key::EnterEmail,
            Self::Same => Key::SameAddress,
            Self::Declined => Key::AddressDeclined,
            Self::Failed(error) => return error_text(error, texts).1,
        };
        texts.get(key).to_owned()
    }
}

impl EmailCorrection {
    /// Returns the state if the service sends messages about this new booking and can correct their address.
    pub(super) fn of(flow: FlowState, outcome: &FlowOutcome, state: BookingState) -> Option<Self> {
        let context = flow.context();
        let settings = context.event_type.booking_settings();
        let is_new = outcome.kind == OutcomeKind::Booked
            && matches!(state, BookingState::Upcoming | BookingState::Requested);
        let can_correct = context.session.dialect() == Dialect::Svc
            && settings.sends_email == Some(true)
            && settings.allows_email_correction;
        let address = outcome.address.as_ref();
        let address = address.filter(|_| is_new && can_correct)?;
        let email = address.email();
        if email.is_empty() {
            return None;
        }
        let clock = use_clock();
        let now = clock.now();
        let end = address.shown(now).plus_minutes(EMAIL_CORRECTION_MINUTES);
        let is_over = RwSignal::new(end <= now);
        let left = Duration::from_millis(u64::try_from(end.0 - now.0).unwrap_or_default());
        if let Ok(timer) = set_timeout_with_handle(move || is_over.set(true), left) {
            on_cleanup(move || timer.clear());
        }
        Some(Self {
            typed: RwSignal::new(email.clone()),
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

    /// Present address, untracked.
    pub(super) fn email(self) -> String {
        self.email.get_untracked()
    }

    /// Fills `line` with `text`, in which the present address replaces `booked`.
    pub(super) fn sentence(self, line: Node, text: &str, booked: &str) -> Node {
        let text = text.to_owned();
        let booked = booked.to_owned();
        line.text_with(move || text.replace(&booked, &self.email.get()))
    }

    /// Button that opens the field, and the field in its place. A request, whose sentence does not name the address, shows
    /// it beside the button.
    pub(super) fn view(self, flow: FlowState, outcome: &Arc<FlowOutcome>, is_named: bool) -> Node {
        let texts = flow.locale.texts;
        let outcome = outcome.clone();
        let root = el("div").class("email-correction");
        let element = root.element();
        root.child_with(move || {
            if self.is_open.get() {
                return self.form(flow, outcome.clone(), element.clone());
            }
            let address = (!is_named).then(|| el("bdi").text_with(move || self.email.get()));
            let element = element.clone();
            let open = move || {
                if self.clock.now() >= self.end {
                    return self.is_over.set(true);
                }
                self.typed.set(self.email());
                self.is_open.set(true);
                focus_first_soon(element.clone(), "input");
            };
            let open = (!self.is_over.get())
                .then(|| button("button-quiet", open).child(texts.get(Key::WrongAddress)));
            fragment().child(address).child(open)
        })
    }

    fn form(self, flow: FlowState, outcome: Arc<FlowOutcome>, root: HtmlElement) -> Node {
        let texts = flow.locale.texts;
        let is_busy = move || self.is_busy.get();
        let error = Signal::derive(move || Some(self.error.get()?.text(texts)));
        let input = el("input")
            .attr("type", "email")
            .attr("inputmode", "email")
            .attr("autocomplete", "email")
            .attr("autocapitalize", "none")
            .attr("spellcheck", "false")
            .attr("dir", "auto")
            .attr("part", "input")
            .value_with(move || self.typed.get())
            .on("input", move |event| {
                self.error.set(None);
                self.typed.set(value_of(&event));
            });
        let input = described(input, FIELD_ID, "", true, error);
        let element = input.element();
        let keep = {
            let root = root.clone();
            move || {
                if !self.is_busy.get_untracked() {
                    self.close(&root);
                }
            }
        };
        let escape = keep.clone();
        let on_keydown = move |event: Event| {
            if event.unchecked_ref::<KeyboardEvent>().key() == "Escape" {
                event.stop_propagation();
                // A dialog around it stays open.
                event.prevent_default();
                escape();
            }
        };
        let send = move || {
            if self.is_busy.get_untracked() {
                return;
            }
            let typed = self.typed.get_untracked().trim().to_owned();
            let error = CorrectionError::of_typed(&typed, &self.email());
            if error.is_some() {
                self.error.set(error);
                // Fails only for a removed element, which needs no focus.
                let _ = element.focus();
                return;
            }
            self.send(flow, outcome.clone(), typed, root.clone());
        };
        let submit = el("button")
            .class("button-primary")
            .attr("type", "submit")
            .flag_with("aria-disabled", is_busy)
            .flag_with("aria-busy", is_busy)
            .child(texts.get(Key::SendAgain));
        let label = texts.get(Key::EmailAddress);
        el("form")
            .class("form")
            .attr("novalidate", "")
            .on_submit(send)
            .on("keydown", on_keydown)
            .child(whole_field(FIELD_ID, label, false, input, "", error))
            .child(
                el("div")
                    .class("action-row")
                    .child(button("button-quiet", keep).child(texts.get(Key::KeepAddress)))
                    .child(submit),
            )
            .child(slow_line(is_busy))
            .child(live_region(move || error.get().unwrap_or_default()))
    }

    /// Shows the button again, which takes the focus; the title does once there is none.
    fn close(self, root: &HtmlElement) {
        self.error.set(None);
        self.is_open.set(false);
        let is_over = self.is_over.get_untracked();
        let around = root.closest(".confirmation").ok().flatten();
        let around = around.and_then(|around| around.dyn_into().ok());
        match around.filter(|_| is_over) {
            Some(around) => focus_first_soon(around, ".confirmation-title"),
            None => focus_first_soon(root.clone(), "button"),
        }
    }

    /// Sends the correction once.
    fn send(
        self,
        flow: FlowState,
        outcome: Arc<FlowOutcome>,
        new_email: String,
        root: HtmlElement,
    ) {
        let Some(reference) = outcome.reference() else {
            return;
        };
        let change = CorrectEmail {
            email: self.email(),
            new_email,
            seat_uid: reference.seat,
        };
        self.error.set(None);
        self.is_busy.set(true);
        let (context, task) = (flow.context(), flow.in_task());
        spawn_local(async move {
            // The page may remove the element.
            let _kept = context.session.keep();
            let abort = Abort::after(TIMEOUT_MS);
            let sent = (context.session).correct_email(&reference.uid, &change, abort);
            let result = sent.await;
            let new_email = change.new_email;
            if let (Ok(_), Some(address)) = (&result, &outcome.address) {
                address.set_email(&new_email);
            }
            let Some(flow) = task.get() else { return };
            self.is_busy.set(false);
            match result {
                Ok(_) => {
                    let texts = flow.locale.texts;
                    let text = texts.fill_plain(Key::SentAgain, &[("email", &new_email)]);
                    flow.draft.replace_email(&new_email);
                    self.email.set(new_email);
                    self.close(&root);
                    self.line.set_text(text);
                }
                Err(error) => self.error.set(Some(CorrectionError::of_request(error))),
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn typed_address_is_another_one_and_valid() {
        for (typed, expected) in [
            ("zoe@example.com", None),
            ("zoe@example", Some(CorrectionError::Invalid)),
            ("", Some(CorrectionError::Invalid)),
            ("Zoe@Example.org", Some(CorrectionError::Same)),
        ] {
            let error = CorrectionError::of_typed(typed, "zoe@example.org");
            assert_eq!(error, expected, "{typed}");
        }
    }

    #[test]
    fn declined_address_is_told_from_failed_requests() {
        let too_many = ApiError::Declined(DeclineReason::TooMany { wait_s: None });
        for (error, expected) in [
            (
                ApiError::Declined(DeclineReason::NotFound),
                CorrectionError::Declined,
            ),
            (
                // A service declines an address that has a seat already with 409.
                ApiError::Declined(DeclineReason::TimeTaken),
                CorrectionError::Declined,
            ),
            (too_many.clone(), CorrectionError::Failed(too_many.clone())),
            (
                ApiError::Unreachable,
                CorrectionError::Failed(ApiError::Unreachable),
            ),
        ] {
            assert_eq!(CorrectionError::of_request(error), expected);
        }
    }
}
