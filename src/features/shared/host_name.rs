//! Hosts on screen, for the frame that the app shows around a screen.

use booking_wire::PublicEventType;

use super::event_type_summary::people;
use crate::i18n::Translations;
use crate::ui::context::use_context;
use crate::ui::signal::RwSignal;

/// Team, or else the hosts, of the event type on screen.
#[derive(Clone, Default, PartialEq)]
pub struct Host {
    /// Empty if it is not known.
    pub name: String,
    /// URL of a picture, empty if there is none.
    pub picture: String,
}

/// Hosts of the event type on screen.
#[derive(Clone, Copy)]
pub struct ShownHost(pub RwSignal<Host>);

/// Shows the hosts of `event_type` in the frame, if there is one.
pub fn show_host(event_type: &PublicEventType, texts: Translations) {
    if let Some(ShownHost(host)) = use_context() {
        host.set(Host {
            name: people(event_type, texts),
            picture: event_type.picture.clone(),
        });
    }
}
