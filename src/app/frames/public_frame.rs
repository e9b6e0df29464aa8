//! Frame of the pages for visitors: the host above, choice of the language and sign-in below. On the first page, the
//! sign-in is above.

use booking_ui::prelude::*;
use booking_wire::EventTypeKey;

use crate::app::connection::Connection;
use crate::app::language::choice::LanguageChoice;
use crate::app::navigation::{Navigation, encode, link};
use crate::app::route::Route;
use crate::components::{Shape, icon};
use crate::features::shared::event_type_summary::avatar;
use crate::features::shared::host_name::Host;
use crate::i18n::{Key, Translations, localized, use_texts};
use crate::page::attributes::EventTypeOwner;

/// True if the host of the page does not exist or could not be loaded. Provided by the shell.
#[derive(Clone, Copy)]
pub(crate) struct HasNoHost(pub(crate) RwSignal<bool>);

/// Picture and name of the host, as a link to their event types; of the app on pages without a host.
pub(crate) fn public_head(
    route: Signal<Route>,
    host: RwSignal<Host>,
    HasNoHost(has_no_host): HasNoHost,
    connection: Connection,
    navigation: Navigation,
) -> Node {
    let texts = use_texts();
    let is_first_page = is_first_page(route);
    let host = Signal::memo(move || host.get());
    let content = move || {
        let host = host.get();
        if !host.name.is_empty() {
            return host_mark(&host, &route.get(), navigation);
        }
        // Empty until the host is known.
        let has_host = route.with(|route| matches!(route, Route::Book(_) | Route::Owner(_)));
        if has_host && !has_no_host.get() {
            return fragment();
        }
        localized(move || brand(texts))
    };
    el("header")
        .class("app-head public-head")
        .child_with(content)
        .child_with(move || {
            is_first_page
                .get()
                .then(|| staff_link(connection, navigation, "staff-link"))
        })
}

/// The first page has the way to the team's screens in its head, the pages of hosts have it below.
fn is_first_page(route: Signal<Route>) -> Signal<bool> {
    Signal::memo(move || route.with(|route| *route == Route::EventTypes))
}

/// Name of the app.
pub(crate) fn brand(texts: Translations) -> Node {
    el("span")
        .class("app-brand")
        .child(icon(Shape::Calendar))
        .child(el("span").child(texts.get(Key::AppName)))
}

/// Picture and name of the host.
fn host_mark(host: &Host, route: &Route, navigation: Navigation) -> Node {
    let mark = avatar(&host.name, &host.picture).class("avatar host-mark");
    let frame = match owner_of(route) {
        Some(owner) => link(navigation, &Route::path_of_owner(&owner, encode)),
        None => el("span"),
    };
    frame
        .class("host")
        .child(mark)
        .child(el("span").class("host-name").child(host.name.as_str()))
}

/// Returns the owner whose page the host's name leads to.
fn owner_of(route: &Route) -> Option<EventTypeOwner> {
    match route {
        Route::Owner(owner) => Some(owner.clone()),
        Route::Book(EventTypeKey::User { username, .. }) => {
            Some(EventTypeOwner::User(username.clone()))
        }
        Route::Book(EventTypeKey::Team { team, .. }) => Some(EventTypeOwner::Team(team.clone())),
        _ => None,
    }
}

/// Choice of the language, and the way to the team's screens.
pub(crate) fn public_foot(
    route: Signal<Route>,
    languages: LanguageChoice,
    connection: Connection,
    navigation: Navigation,
) -> Node {
    let is_first_page = is_first_page(route);
    el("footer")
        .class("app-foot")
        .child(languages.view())
        .child_with(move || {
            (!is_first_page.get()).then(|| staff_link(connection, navigation, "staff-link"))
        })
}

/// Link to the team's screens.
pub(crate) fn staff_link(
    connection: Connection,
    navigation: Navigation,
    class: &'static str,
) -> Node {
    let texts = use_texts();
    fragment().child_with(move || {
        let (path, name) = match connection.is_connected() {
            true => ("/bookings", Key::Bookings),
            false => ("/sign-in", Key::Connect),
        };
        localized(move || link(navigation, path).class(class).child(texts.get(name)))
    })
}
