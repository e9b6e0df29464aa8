//! What comes after a time is picked: a part that the picker fetches as soon as the first free times
//! are shown.

use std::sync::Arc;

use super::{Ending, Flow, done, fill, lost, manage};
use crate::dom::Html;
use crate::embed::Config;
use crate::embed::events::Page;
use crate::parts::{Part, Source};
use crate::signal::RwSignal;
use crate::theme;
use crate::time::Instant;
use crate::zone_bar;

/// What can be done once it is here.
pub struct Doors {
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

/// The doors to what comes after a time is picked. Only programs name them, and what is behind them.
pub fn doors() -> &'static Doors {
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
    &DOORS
}

/// As one root sees it.
pub(super) fn part(source: Source<Doors>, page: Page) -> Part<Doors> {
    let part = Part::new(source);
    part.on_arrival(move |doors: &Doors| page.add_style(1, doors.css));
    part
}
