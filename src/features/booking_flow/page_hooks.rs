//! Events that let the page change or stop an action before it happens.

use js_sys::{JSON, Object, Reflect};
use serde_json::Value;

use super::FlowContext;
use crate::client::json;
use crate::element::events::HookResponse;
use crate::element::events::{Detail, PageEvent};
use crate::time::Instant;

/// An upcoming action.
pub(super) enum Question {
    /// Reservation of a slot.
    Reserve {
        /// UTC.
        start: Instant,
        /// UTC.
        end: Instant,
    },
    /// Submission of a form.
    Submit {
        /// `book`, `reschedule` or `cancel`.
        action: &'static str,
        /// Start of the slot.
        start: Instant,
        /// Slugs of the fields with an answer.
        fields: Vec<String>,
    },
}

impl PageEvent for Question {
    fn name(&self) -> &'static str {
        match self {
            Self::Reserve { .. } => "before-reserve",
            Self::Submit { .. } => "before-submit",
        }
    }

    fn detail(&self) -> Vec<(&'static str, Detail)> {
        let moment = |instant: &Instant| Detail::Text(instant.to_string());
        match self {
            Self::Reserve { start, end } => vec![("start", moment(start)), ("end", moment(end))],
            Self::Submit {
                action,
                start,
                fields,
            } => vec![
                ("action", Detail::Text((*action).to_owned())),
                ("start", moment(start)),
                ("fields", Detail::List(fields.clone())),
            ],
        }
    }
}

/// Time limit for a page's answer to a reservation: a visitor who submits the form waits for it.
const HOLD_PATIENCE_MS: i32 = 10_000;

impl Question {
    /// Time limit; `None` for a submission, where the page may have to wait for a person.
    fn timeout_ms(&self) -> Option<i32> {
        matches!(self, Self::Reserve { .. }).then_some(HOLD_PATIENCE_MS)
    }
}

impl FlowContext {
    /// Dispatches the event. With `event-detail="full"`, it includes `full`.
    pub(super) async fn ask(
        &self,
        question: Question,
        full: impl FnOnce() -> String,
    ) -> HookResponse {
        let detail = self.detail(full);
        let timeout_ms = question.timeout_ms();
        self.page.ask(&question, &detail, timeout_ms).await
    }

    /// Initial detail of an event: with `event-detail="full"`, it has `booking`, which is written as JSON.
    pub(super) fn detail(&self, booking: impl FnOnce() -> String) -> Object {
        let detail = Object::new();
        if self.config.has_full_detail
            && let Ok(booking) = JSON::parse(&booking())
        {
            // Setting a key of a fresh plain object cannot fail.
            let _ = Reflect::set(&detail, &"booking".into(), &booking);
        }
        detail
    }
}

/// Property of an answer.
pub(super) fn given(answer: &Object, name: &str) -> Option<Value> {
    json::value_of(&Reflect::get(answer, &name.into()).ok()?)
}
