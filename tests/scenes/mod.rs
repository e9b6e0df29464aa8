//! What there is to photograph: every screen in every state.

mod embedded;
mod languages;
pub(crate) mod records;
mod returning;
mod staff;
mod visitor;

use crate::common::{Faults, Page};

/// A way to bring a page into a state.
pub(crate) struct Scene {
    /// Screen and state, as in `picker-week`.
    pub(crate) name: String,
    pub(crate) shown: Shown,
    /// What goes wrong before the page is opened.
    pub(crate) faults: fn(&Faults),
    /// What is done on the page, once it is open.
    pub(crate) steps: fn(&Page),
}

/// What is opened.
pub(crate) enum Shown {
    /// A page of the service or the app.
    Path(&'static str),
    /// A page of somebody else that holds this. `{uid}` stands for a booking made for the picture.
    Html(String),
}

/// A scene that only has to be opened.
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
