//! Scenes of the screenshots: every screen in every state.

mod embedded;
mod languages;
pub(crate) mod records;
mod returning;
mod staff;
mod visitor;

use crate::common::{Faults, Page};

/// Steps that bring a page into a state.
pub(crate) struct Scene {
    /// Screen and state, as in `picker-week`.
    pub(crate) name: String,
    pub(crate) shown: Shown,
    /// Adds faults before the page is opened.
    pub(crate) faults: fn(&Faults),
    /// Brings the open page into the state.
    pub(crate) steps: fn(&Page),
}

/// Page to open.
pub(crate) enum Shown {
    /// Path of the service or the app.
    Path(&'static str),
    /// Content of an embedding page. `{uid}` is replaced by the uid of a new booking.
    Html(String),
}

/// Scene without faults and steps.
fn scene(screen: &str, state: &str, shown: Shown) -> Scene {
    Scene {
        name: format!("{screen}-{state}"),
        shown,
        faults: |_| {},
        steps: |_| {},
    }
}

fn at(screen: &str, state: &str, path: &'static str) -> Scene {
    scene(screen, state, Shown::Path(path))
}

fn html(screen: &str, state: &str, body: &str) -> Scene {
    scene(screen, state, Shown::Html(body.to_owned()))
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
        visitor::finding(),
        visitor::picking(),
        visitor::filling(),
        visitor::endings(),
        returning::scenes(),
        embedded::scenes(),
        languages::scenes(),
        staff::app(),
        staff::bookings(),
        staff::roles(),
        records::scenes(),
    ];
    all.into_iter().flatten().collect()
}
