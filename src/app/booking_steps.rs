//! Steps of a booking in the address of the app.

use std::cell::RefCell;
use std::rc::Rc;

use booking_ui::prelude::*;
use booking_wire::{EventTypeKey, PublicEventType};
use web_sys::Url;

use super::navigation::{Navigation, current_path, current_query, decode, encode, with_query};
use super::route::Route;
use crate::page::step_history::{StepHistory, StepStore, has_steps, write_entry};
use crate::page::step_place::{BookingReference, StepPlace};

/// Key of the app's only flow.
const KEY: &str = "app";

/// Steps in the address: the booking in the path, the rest in the query.
struct AddressSteps {
    navigation: Navigation,
    /// Path that led to the screen.
    first_path: String,
    /// Path of the event type; empty until it is known.
    event_type_path: RefCell<String>,
}

/// Keeps the steps of the view's flow in the address, which is that of an event type if `has_event_type`.
pub(super) fn provide_booking_steps(navigation: Navigation, has_event_type: bool) {
    let first_path = navigation.path.get_untracked();
    let event_type_path = match has_event_type {
        true => first_path.clone(),
        false => String::new(),
    };
    let steps = AddressSteps {
        navigation,
        first_path,
        event_type_path: RefCell::new(event_type_path),
    };
    provide_context(StepHistory::new(KEY, Rc::new(steps)));
}

impl AddressSteps {
    /// True if the screen is still shown and has that path.
    fn has_path(&self, path: &str) -> bool {
        let is_shown = |current: &String| *current == self.first_path;
        self.navigation.path.with_untracked(is_shown) && self.navigation.is_own_path(path)
    }
}

impl StepStore for AddressSteps {
    fn read(&self) -> Option<StepPlace> {
        let path = current_path();
        let booking = match Route::parse(&path, decode) {
            Route::Booking { uid, seat } => Some(BookingReference { uid, seat }),
            _ => None,
        };
        self.has_path(&path).then(|| StepPlace {
            // A parameter of that name is not the app's: the event type is part of the path.
            event_type: None,
            booking,
            ..StepPlace::parse(&current_query())
        })
    }

    fn write(&self, place: &StepPlace, is_step: bool) {
        let current = current_path();
        // A link may have led to another screen.
        if !self.has_path(&current) {
            return;
        }
        let url = match &place.booking {
            Some(BookingReference { uid, seat }) => {
                Route::path_of_booking(uid, seat.as_deref(), encode)
            }
            None => self.event_type_path.borrow().clone(),
        };
        self.navigation.add_own_path(&url);
        let before = current_query();
        let query = place.in_query(&before);
        if !is_step && url == current && query == before && has_steps() {
            return;
        }
        write_entry(KEY, None, is_step, Some(&with_query(url, &query)));
    }

    fn set_event_type(&self, event_type: &PublicEventType) {
        let mut path = self.event_type_path.borrow_mut();
        if path.is_empty() {
            let public = public_path(&event_type.booking_url);
            *path =
                public.unwrap_or_else(|| Route::path_of(&EventTypeKey::Id(event_type.id), encode));
        }
    }
}

/// Path of an event type's public page; `None` if that page is not the app's.
fn public_path(booking_url: &str) -> Option<String> {
    let url = Url::new(booking_url).ok()?;
    let is_own = window().location().origin().ok()? == url.origin();
    let path = url.pathname();
    (is_own && matches!(Route::parse(&path, decode), Route::Book(_))).then_some(path)
}
