//! What comes after a time is picked. In the picker's artefact it is a file of its own, which is
//! fetched as soon as the first free times are shown; `xtask/src/halves.rs` cuts it out.
//!
//! [`Doors`] are the only way there: what is reached otherwise from the rest of the flow is loaded
//! before the first time can be picked.

use std::sync::Arc;
use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;

use super::{Ending, Flow, done, fill, lost, manage};
use crate::api::ApiError;
use crate::components::live_region;
use crate::dom::{Html, el, nothing};
use crate::embed::Config;
use crate::embed::events::Page;
use crate::i18n::{Key, use_texts};
use crate::problem::problem;
use crate::signal::RwSignal;
use crate::theme;
use crate::time::Instant;
use crate::zone_bar;

/// What can be done once it is here.
pub(super) struct Doors {
    /// The form's step.
    pub(super) fill: fn(Flow) -> Html,
    /// What became of the booking.
    pub(super) done: fn(Flow, &Arc<Ending>, bool) -> Html,
    /// A booking to come back to.
    pub(super) manage: fn(Config) -> Html,
    /// What stands beside the times of a booking that is moved, or of an instant one.
    pub(super) beside: fn(Flow) -> Html,
    /// That a time was lost, and what is near to it.
    pub(super) lost: fn(Flow) -> Html,
    /// All zones to choose from.
    pub(super) zones: fn(RwSignal<bool>, Instant) -> Html,
    /// What can be booked elsewhere only.
    pub(super) own_page: fn(Flow) -> Html,
    css: &'static str,
}

static DOORS: Doors = Doors {
    fill: fill::step,
    done: done::step,
    manage: manage::open,
    beside: lost::beside_times,
    lost: lost::notice_of,
    own_page: lost::own_page,
    zones: zone_bar::chooser,
    css: theme::PICKER_AFTER,
};

/// Comes with the second half of the picker, and at once where there are no halves.
#[cfg(feature = "halves")]
#[wasm_split_helpers::wasm_split(after, fallible)]
fn doors() -> Result<&'static Doors, wasm_split_helpers::SplitLoaderError> {
    Ok(&DOORS)
}

#[cfg(not(feature = "halves"))]
async fn doors() -> Result<&'static Doors, ()> {
    Ok(&DOORS)
}

#[derive(Clone, Copy)]
enum Arrival {
    /// Nobody has asked for it yet.
    Away,
    Awaited,
    Here(&'static Doors),
    /// It did not come.
    Missing,
}

/// What comes after the pick, as one root sees it.
#[derive(Clone, Copy)]
pub(super) struct After {
    arrival: RwSignal<Arrival>,
    page: StoredValue<Page>,
}

impl After {
    pub(super) fn new(page: Page) -> Self {
        let arrival = if cfg!(feature = "halves") {
            Arrival::Away
        } else {
            Arrival::Here(&DOORS)
        };
        Self {
            arrival: RwSignal::new(arrival),
            page: StoredValue::new(page),
        }
    }

    /// Fetches it, unless it is here or on its way.
    pub(super) fn fetch(self) {
        // The view may be gone before it is asked for.
        let Some(Arrival::Away | Arrival::Missing) = self.arrival.try_get_untracked() else {
            return;
        };
        self.arrival.set(Arrival::Awaited);
        let page = self.page.get_value();
        spawn_local(async move {
            self.arrival.set(match doors().await {
                Ok(doors) => {
                    page.add_style(doors.css);
                    Arrival::Here(doors)
                }
                Err(_) => Arrival::Missing,
            });
        });
    }

    /// Fetches it once what is shown has been painted.
    pub(super) fn fetch_soon(self) {
        request_animation_frame(move || set_timeout(move || self.fetch(), Duration::ZERO));
    }

    /// Shows what `view` makes of it. Until it is here, shows that it is awaited, or offers to try
    /// again; `around` puts that in its place.
    pub(super) fn show(
        self,
        around: impl Fn(Html) -> Html + 'static,
        view: impl Fn(&'static Doors) -> Html + 'static,
    ) -> Html {
        self.fetch();
        nothing().show(move || match self.arrival.get() {
            Arrival::Here(doors) => view(doors),
            Arrival::Missing => around(problem(&ApiError::Unreachable, move || self.fetch())),
            Arrival::Away | Arrival::Awaited => around(waiting()),
        })
    }
}

fn waiting() -> Html {
    let words = use_texts().get(Key::Loading);
    el("div")
        .class("after-wait ghost-block")
        .attr("aria-busy", "true")
        .add(live_region(move || words.to_owned()))
}
