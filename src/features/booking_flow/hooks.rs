//! Hooks: events that let the page change or stop an action before it happens.

use js_sys::{JSON, Object, Reflect};
use serde_json::Value;

use super::context::FlowContext;
use crate::client::http::json;
use crate::page::events::{Detail, HookResponse, PageEvent};
use crate::time::Instant;

/// An upcoming action.
pub(super) enum HookEvent {
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
        /// Slugs of the fields with a value.
        fields: Vec<String>,
    },
}

impl PageEvent for HookEvent {
    fn name(&self) -> &'static str {
        match self {
            Self::Reserve { .. } => "before-reserve",
            Self::Submit { .. } => "before-submit",
        }
    }

    fn detail(&self) -> Vec<(&'static str, Detail)> {
        let instant = |instant: &Instant| Detail::Text(instant.to_string());
        match self {
            Self::Reserve { start, end } => vec![("start", instant(start)), ("end", instant(end))],
            Self::Submit {
                action,
                start,
                fields,
            } => vec![
                ("action", Detail::Text((*action).to_owned())),
                ("start", instant(start)),
                ("fields", Detail::List(fields.clone())),
            ],
        }
    }
}

/// Time limit for a page's response to a reservation: a visitor who submits the form waits for it.
const RESERVE_HOOK_TIMEOUT_MS: i32 = 10_000;

impl HookEvent {
    /// Time limit; `None` for a submission, where the page may have to wait for a person.
    fn timeout_ms(&self) -> Option<i32> {
        matches!(self, Self::Reserve { .. }).then_some(RESERVE_HOOK_TIMEOUT_MS)
    }
}

impl FlowContext {
    /// Dispatches the event and awaits the page's response. With `event-detail="full"`, it includes `full`.
    pub(super) async fn run_hook(
        &self,
        event: HookEvent,
        full: impl FnOnce() -> String,
    ) -> HookResponse {
        let detail = self.event_detail(full);
        let timeout_ms = event.timeout_ms();
        self.page.ask(&event, &detail, timeout_ms).await
    }

    /// Initial detail of an event: with `event-detail="full"`, it has `booking`, which is written as JSON.
    pub(super) fn event_detail(&self, booking: impl FnOnce() -> String) -> Object {
        let detail = Object::new();
        if self.current_config().has_full_detail
            && let Ok(booking) = JSON::parse(&booking())
        {
            // Setting a key of a fresh plain object cannot fail.
            let _ = Reflect::set(&detail, &"booking".into(), &booking);
        }
        detail
    }
}

/// Property of the page's response.
pub(super) fn property(response: &Object, name: &str) -> Option<Value> {
    json::value_of(&Reflect::get(response, &name.into()).ok()?)
}
