//! What comes after the list is shown: details and acts, the fields of the filters, views, selections
//! and exports. A part that is fetched as soon as the first rows are shown.

use std::rc::Rc;

use booking_wire::{Booking, BookingsQuery, PublicEventType};
use leptos::prelude::*;

use super::list::List;
use super::pages::Span;
use super::wish::Wish;
use super::{acts, details, export, filter_fields, selected, views};
use crate::dom::{Html, nothing};
use crate::load::Latest;
use crate::parts::Part;
use crate::signal::{RwSignal, Signal};
use crate::theme;
use crate::time::Instant;
use crate::zone_bar;

/// What can be done once it is here.
pub struct Doors {
    /// Makes known what the others keep.
    begin: fn(List),
    /// All that a booking holds.
    pub(super) details: fn(&Booking, List) -> Html,
    /// A control for each filter.
    pub(super) filters: fn(Wish, Latest<Vec<PublicEventType>>) -> Html,
    /// What is told of each booking.
    pub(super) columns: fn(Wish) -> Html,
    /// The views to choose from.
    pub(super) views: fn() -> Html,
    /// Which view holds.
    pub(super) view_held: fn() -> Html,
    /// What can be done with the bookings that are selected.
    pub(super) selected: fn(List, Signal<BookingsQuery>, Signal<Option<Span>>) -> Html,
    /// Where an export shows how far it is.
    pub(super) export: fn(List) -> Html,
    /// All zones to choose from.
    pub(super) zones: fn(RwSignal<bool>, Instant) -> Html,
    css: &'static str,
}

/// The doors to what comes after the list is shown. Only programs name them.
pub fn doors() -> &'static Doors {
    static DOORS: Doors = Doors {
        begin,
        details: details::details,
        filters: filter_fields::filter_fields,
        columns: filter_fields::view_fields,
        views: views::views,
        view_held: views::view_held,
        selected: selected::selected_bar,
        export: export::export_panel,
        zones: zone_bar::chooser,
        css: theme::LIST_AFTER,
    };
    &DOORS
}

fn begin(list: List) {
    acts::provide(list);
    export::provide(list);
    views::provide(list);
}

impl List {
    /// Prepares `list` for what comes after it. What that keeps lives as long as the list, whatever
    /// is drawn anew.
    pub(super) fn await_the_rest(self) {
        let owner = Owner::current();
        self.after.on_arrival(move |doors| {
            self.page().add_style(1, doors.css);
            if let Some(owner) = &owner {
                owner.with(|| (doors.begin)(self));
            }
        });
    }
}

/// What `view` makes of `part` from the moment on that it is needed; from then on it stays.
pub(super) fn once_needed(
    part: Part<Doors>,
    is_needed: impl Fn() -> bool + 'static,
    view: impl Fn(&'static Doors) -> Html + 'static,
) -> Html {
    shown_once(part, Box::new(is_needed), Rc::new(view))
}

fn shown_once(
    part: Part<Doors>,
    is_needed: Box<dyn Fn() -> bool>,
    view: Rc<dyn Fn(&'static Doors) -> Html>,
) -> Html {
    let is_needed = Signal::memo_after(move |before| before == Some(&true) || is_needed());
    nothing().show(move || {
        let view = Rc::clone(&view);
        let shown = || part.show(|content| content, move |doors| view(doors));
        is_needed.get().then(shown)
    })
}
