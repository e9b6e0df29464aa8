//! Scenes of the screenshots: every screen in every state.

mod embedded;
mod languages;
mod returning;
mod staff;
mod visitor;

use crate::common::{Faults, Page};

/// Steps that bring a page into a state.
pub(crate) struct Scene {
    /// Screen and state, as in `picker-week`.
    pub(crate) name: String,
    pub(crate) content: Content,
    /// Adds faults before the page is opened.
    pub(crate) faults: fn(&Faults),
    /// Brings the open page into the state.
    pub(crate) steps: fn(&Page),
}

/// Content of the page to open.
pub(crate) enum Content {
    /// Path of the service or the app.
    Path(&'static str),
    /// Content of an embedding page. `{uid}` is replaced by the uid of a new booking.
    Html(String),
}

/// Scene without faults and steps.
fn scene(screen: &str, state: &str, content: Content) -> Scene {
    Scene {
        name: format!("{screen}-{state}"),
        content,
        faults: |_| {},
        steps: |_| {},
    }
}

fn at(screen: &str, state: &str, path: &'static str) -> Scene {
    scene(screen, state, Content::Path(path))
}

fn html(screen: &str, state: &str, body: &str) -> Scene {
    scene(screen, state, Content::Html(body.to_owned()))
}

impl Scene {
    fn with(mut self, faults: fn(&Faults)) -> Scene {
        self.faults = faults;
        self
    }

    fn after(mut self, steps: fn(&Page)) -> Scene {
        self.steps = steps;
        self
    }
}

pub(crate) fn all() -> Vec<Scene> {
    let all = [
        visitor::event_types(),
        visitor::slot_picker(),
        visitor::booking_form(),
        visitor::outcomes(),
        visitor::outbox(),
        returning::scenes(),
        embedded::scenes(),
        languages::scenes(),
        staff::app(),
        staff::bookings(),
        staff::roles(),
    ];
    all.into_iter().flatten().collect()
}
