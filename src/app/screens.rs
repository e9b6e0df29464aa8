//! The screen of each route.

use std::rc::Rc;

use booking_ui::prelude::*;

use super::book::{event_types, event_types_of, home, other_event_types, unknown_booking};
use super::booking_steps::provide_booking_steps;
use super::chunks::{FlowChunks, LazyChunks};
use super::connection::Connection;
use super::language::choice::LanguageChoice;
use super::navigation::Navigation;
use super::route::Route;
use super::staff_screens::StaffContext;
use crate::features::booking_flow::{BookingFlow, NotFoundView};
use crate::features::shared::lazy_view::lazy_view;
use crate::i18n::{Key, Translations, localized, use_texts};
use crate::page::attributes::Config;

/// Renders the screen of `route`. Tracks the connection only where the screen depends on it.
pub(super) fn screen(
    route: Route,
    connection: Connection,
    languages: LanguageChoice,
    navigation: Navigation,
    chunks: LazyChunks,
) -> Node {
    let texts = use_texts();
    match route {
        Route::EventTypes => event_types(connection, navigation),
        Route::Owner(owner) => event_types_of(owner, connection.session(), navigation),
        Route::Book(key) => {
            let (session, missing) = (connection.session(), key.clone());
            provide_context(NotFoundView(Rc::new(move || {
                other_event_types(&missing, session.clone(), navigation)
            })));
            let config = Config {
                event_type: Some(key),
                asks_to_remember: true,
                ..Config::default()
            };
            booking_flow_with_steps(config, navigation, chunks.flow)
        }
        Route::Booking { uid, seat } => {
            provide_context(NotFoundView(Rc::new(move || {
                unknown_booking(connection, navigation)
            })));
            let config = Config {
                booking_uid: Some(uid),
                seat_uid: seat,
                asks_to_remember: true,
                ..Config::default()
            };
            booking_flow_with_steps(config, navigation, chunks.flow)
        }
        Route::Bookings | Route::Roles | Route::OrganizationRoles | Route::Connect => {
            let context = StaffContext {
                connection,
                languages,
                navigation,
            };
            let around = |content| el("div").class("card").child(content);
            lazy_view(chunks.staff, around, move |exports| {
                (exports.screen)(route.clone(), context)
            })
        }
        Route::Unknown => localized(move || not_found(texts, navigation)),
    }
}

/// Booking flow whose steps are in the address. They are provided to this view only: other screens have flows too.
fn booking_flow_with_steps(config: Config, navigation: Navigation, chunks: FlowChunks) -> Node {
    fragment().child_with(move || {
        provide_booking_steps(navigation, config.booking_uid.is_none());
        booking_flow(config.clone(), chunks)
    })
}

/// Booking flow, for bookings and reschedules.
pub(super) fn booking_flow(config: Config, chunks: FlowChunks) -> Node {
    provide_context(chunks.rare);
    let chunk = chunks.steps;
    view! { <BookingFlow config chunk /> }.into_inner()
}

fn not_found(texts: Translations, navigation: Navigation) -> Node {
    let title = el("h1").class("app-title");
    let lead = el("p").class("app-lead");
    fragment()
        .child(title.child(texts.get(Key::NotFoundTitle)))
        .child(lead.child(texts.get(Key::NotFoundText)))
        .child(home(texts, navigation))
}
