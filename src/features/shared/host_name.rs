//! Hosts on screen, for the frame that the app shows around a screen.

use std::rc::Rc;

use booking_ui::prelude::*;
use booking_wire::PublicEventType;

use super::event_type_summary::people;
use crate::i18n::Translations;

/// Team, or else the hosts, of the event type on screen.
#[derive(Clone, Default, PartialEq)]
pub struct Host {
    /// Empty if it is not known.
    pub name: String,
    /// URL of a picture, empty if there is none.
    pub picture: String,
    /// Title of the event type, unless a list of them is shown.
    pub event_type: String,
}

impl Host {
    /// Returns the team or the hosts of `event_type`, which is alone on screen if `is_alone`.
    pub fn of(event_type: &PublicEventType, texts: Translations, is_alone: bool) -> Self {
        let title = Some(&event_type.title).filter(|_| is_alone);
        Self {
            name: people(event_type, texts),
            picture: event_type.picture.clone(),
            event_type: title.cloned().unwrap_or_default(),
        }
    }
}

type ShowHosts = dyn Fn(&PublicEventType, Translations, bool);

/// Shows the hosts of an event type in the frame. Provided by the app.
#[derive(Clone)]
pub struct HostFrame(pub Rc<ShowHosts>);

/// Shows the hosts of `event_type`, one of a list, in the frame, if there is one.
pub fn show_host(event_type: &PublicEventType, texts: Translations) {
    if let Some(HostFrame(show)) = use_context() {
        show(event_type, texts, false);
    }
}

/// Shows `event_type`, alone on screen, and its hosts in the frame, if there is one.
pub fn show_event_type(event_type: &PublicEventType, texts: Translations) {
    if let Some(HostFrame(show)) = use_context() {
        show(event_type, texts, true);
    }
}
