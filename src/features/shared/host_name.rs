//! Name of the hosts, for the frame that the app shows around a screen.

use booking_wire::PublicEventType;

use super::event_type_summary::people;
use crate::i18n::Translations;
use crate::ui::context::use_context;
use crate::ui::signal::RwSignal;

/// Name of the hosts of the event type on screen.
#[derive(Clone, Copy)]
pub struct HostName(pub RwSignal<String>);

/// Shows the hosts of `event_type` in the frame, if there is one.
pub fn show_host(event_type: &PublicEventType, texts: Translations) {
    if let Some(HostName(name)) = use_context() {
        name.set(people(event_type, texts));
    }
}
