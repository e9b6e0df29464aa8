//! Reason for a reschedule or cancellation, in the visitor's words: stored like a form draft.

use std::rc::Rc;

use booking_wire::{BookingUid, JsonMap};
use serde_json::Value;

use super::FlowContext;
use crate::element::draft_store::DraftStore;

/// Property of the draft.
const TEXT: &str = "reason";

/// Reason for `action` on one booking.
#[derive(Clone)]
pub(super) struct Reason {
    world: Rc<FlowContext>,
    key: String,
}

impl Reason {
    pub(super) fn of(world: &Rc<FlowContext>, action: &str, BookingUid(uid): &BookingUid) -> Self {
        let form = [action, uid].join(" ");
        Self {
            world: Rc::clone(world),
            key: DraftStore::key(&world.config, &form),
        }
    }

    /// Input from an earlier view.
    pub(super) fn typed(&self) -> Option<String> {
        let draft = self.world.drafts.get(&self.world.config, &self.key)?;
        Some(draft.get(TEXT)?.as_str()?.to_owned())
    }

    pub(super) fn keep(&self, text: &str) {
        let mut draft = JsonMap::new();
        draft.insert(TEXT.to_owned(), Value::String(text.to_owned()));
        self.world.drafts.keep(&self.world.config, &self.key, draft);
    }

    pub(super) fn forget(&self) {
        self.world.drafts.forget(&self.key);
    }
}
