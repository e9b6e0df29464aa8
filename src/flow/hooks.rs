//! What the page is asked before something happens, and what it makes of it.

use js_sys::{JSON, Object, Reflect};
use serde_json::Value;

use super::World;
use crate::api::json;
use crate::features::Answer;
use crate::features::{Detail, Tidings};
use crate::time::Instant;

/// Something that is about to happen.
pub(super) enum Question {
    /// A time is going to be held.
    Reserve {
        /// UTC.
        start: Instant,
        /// UTC.
        end: Instant,
    },
    /// Something is going to be sent.
    Submit {
        /// `book`, `reschedule` or `cancel`.
        action: &'static str,
        /// The time that it is about.
        start: Instant,
        /// The fields that hold an answer, by slug.
        fields: Vec<String>,
    },
}

impl Tidings for Question {
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

/// How long a page may think about a hold: whoever has filled in the form meanwhile waits for it.
const HOLD_PATIENCE_MS: i32 = 10_000;

impl Question {
    /// What is sent only when the page says so may take as long as a page needs to ask somebody.
    fn patience_ms(&self) -> Option<i32> {
        matches!(self, Self::Reserve { .. }).then_some(HOLD_PATIENCE_MS)
    }
}

impl World {
    /// Asks the page. `full` is told too where the page wants to know everything.
    pub(super) async fn ask(&self, question: Question, full: impl FnOnce() -> String) -> Answer {
        let detail = self.detail(full);
        let patience_ms = question.patience_ms();
        self.page.ask(&question, &detail, patience_ms).await
    }

    /// The beginning of a detail: `booking`, which is written as JSON, where the page wants to know
    /// everything.
    pub(super) fn detail(&self, booking: impl FnOnce() -> String) -> Object {
        let detail = Object::new();
        if self.config.tells_all
            && let Ok(booking) = JSON::parse(&booking())
        {
            // Setting a key of a fresh plain object cannot fail.
            let _ = Reflect::set(&detail, &"booking".into(), &booking);
        }
        detail
    }
}

/// A value that the page gave.
pub(super) fn given(answer: &Object, name: &str) -> Option<Value> {
    json::value_of(&Reflect::get(answer, &name.into()).ok()?)
}
