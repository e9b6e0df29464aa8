//! Typed reason for a reschedule or cancellation, stored like a form draft.

use std::rc::Rc;

use booking_wire::{BookingUid, JsonMap};
use serde_json::Value;

use super::super::context::FlowContext;
use crate::page::draft_store::DraftStore;

/// Property of the draft.
const TEXT: &str = "reason";

/// Reason for `action` on one booking.
#[derive(Clone)]
pub(crate) struct ReasonDraft {
    context: Rc<FlowContext>,
    key: String,
}

impl ReasonDraft {
    pub(crate) fn of(
        context: &Rc<FlowContext>,
        action: &str,
        BookingUid(uid): &BookingUid,
    ) -> Self {
        let form = [action, uid].join(" ");
        Self {
            context: Rc::clone(context),
            key: DraftStore::key(&context.config, &form),
        }
    }

    /// Input from an earlier view.
    pub(crate) fn text(&self) -> Option<String> {
        let draft = self.context.drafts.get(&self.context.config, &self.key)?;
        Some(draft.get(TEXT)?.as_str()?.to_owned())
    }

    pub(crate) fn store(&self, text: &str) {
        let mut draft = JsonMap::new();
        draft.insert(TEXT.to_owned(), Value::String(text.to_owned()));
        self.context
            .drafts
            .keep(&self.context.config, &self.key, draft);
    }

    pub(crate) fn delete(&self) {
        self.context.drafts.forget(&self.key);
    }
}
