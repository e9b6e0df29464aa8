//! Hosts on screen, for the frame that the app shows around a screen.

use std::rc::Rc;

use booking_wire::PublicEventType;

use super::event_type_summary::people;
use crate::i18n::Translations;
use crate::ui::context::use_context;

/// Team, or else the hosts, of the event type on screen.
#[derive(Clone, Default, PartialEq)]
pub struct Host {
    /// Empty if it is not known.
    pub name: String,
    /// URL of a picture, empty if there is none.
    pub picture: String,
}

impl Host {
    /// Returns the team or the hosts of `event_type`.
    pub fn of(event_type: &PublicEventType, texts: Translations) -> Self {
        Self {
            name: people(event_type, texts),
            picture: event_type.picture.clone(),
        }
    }
}

type ShowHosts = dyn Fn(&PublicEventType, Translations);

/// Shows the hosts of an event type in the frame. Provided by the app.
#[derive(Clone)]
pub struct HostFrame(pub Rc<ShowHosts>);

/// Shows the hosts of `event_type` in the frame, if there is one.
pub fn show_host(event_type: &PublicEventType, texts: Translations) {
    if let Some(HostFrame(show)) = use_context() {
        show(event_type, texts);
    }
}
