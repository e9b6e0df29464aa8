//! Event type, options and dependencies of a flow.

use std::rc::Rc;

use booking_ui::prelude::*;
use booking_wire::PublicEventType;

use crate::client::session::Session;
use crate::features::slot_picker::PickerOptions;
use crate::page::attributes::{Config, LiveConfig};
use crate::page::draft_store::DraftStore;
use crate::page::events::Page;
use crate::page::kept_flow::KeptFlow;

/// Data and dependencies of the flow, which never change except for what the page sets later.
#[derive(Clone)]
pub(super) struct FlowContext {
    pub(super) event_type: PublicEventType,
    pub(super) options: PickerOptions,
    /// As it was when the flow began.
    pub(super) config: Config,
    pub(super) live_config: LiveConfig,
    pub(super) session: Session,
    pub(super) page: Page,
    pub(super) drafts: DraftStore,
    pub(super) kept_flow: KeptFlow,
}

impl FlowContext {
    /// Returns the configuration as the page has set it by now, without subscribing.
    pub(super) fn current_config(&self) -> Rc<Config> {
        self.live_config.get_untracked()
    }
}

/// View in place of the notice that the event type or booking does not exist. Provided by the app, which has a way on.
#[derive(Clone)]
pub struct NotFoundView(pub Rc<dyn Fn() -> Node>);
