//! App shell: the frame with the navigation bar, and the contexts of all screens.

use booking_wire::JsonMap;
use leptos::prelude::*;
use leptos::task::spawn_local;
use send_wrapper::SendWrapper;
use wasm_bindgen::prelude::*;
use web_sys::{HtmlElement, ShadowRootInit, ShadowRootMode};

use super::connection::Connection;
use super::navigation::{Navigation, decode, link};
use super::records::Access;
use super::route::Route;
use super::screens::{booking_flow, screen};
use super::translations::load_translations;
use crate::components::{Shape, StatusLine, TopHeading, icon};
use crate::element::attributes::{Config, Mode};
use crate::element::events::Page;
use crate::element::settings::Settings;
use crate::features::booking_list::Rescheduler;
use crate::i18n::{Catalogue, Key, Language, Translations, direction_of, locale_for, use_texts};
use crate::time::Clock;
use crate::time::format::{browser_locale, browser_zone};
use crate::ui::context::provide_context;
use crate::ui::dom::{Node, Root, el};
use crate::ui::signal::{RwSignal, Signal, effect};
use crate::ui::theme;

/// Mounts the app in the page's `#app` element for the lifetime of the page.
pub fn start() {
    let Some(host) = document().get_element_by_id("app") else {
        return;
    };
    let Ok(shadow) = host.attach_shadow(&ShadowRootInit::new(ShadowRootMode::Open)) else {
        return;
    };
    theme::adopt(&shadow, theme::APP);
    let root = el("div").element();
    // Appending a new element cannot fail.
    let _ = shadow.append_child(&root);
    wasm_bindgen_futures::spawn_local(async move {
        let (language, translations) = load_translations().await;
        if let Some(page) = document().document_element() {
            // Setting constant attribute names and values cannot fail.
            let _ = page.set_attribute("lang", language);
            let _ = page.set_attribute("dir", direction_of(language));
        }
        std::mem::forget(Root::mount(&root, move || app(language, &translations)));
    });
}

fn app(language_tag: &str, translations: &JsonMap) -> Node {
    let locale = locale_for(language_tag, "", &browser_locale());
    let language = Language::new(&locale);
    let catalogue = Catalogue::new(language_tag, translations, &JsonMap::new());
    language.set_locale(&locale, catalogue);
    language.provide();
    provide_context(Clock::browser());
    // Each screen is a page of its own, with an `h1`.
    provide_context(TopHeading(1));
    let status_line = StatusLine::provide();
    let zone = RwSignal::new(browser_zone());
    let uses_12_hours = RwSignal::new(language.formats.prefers_12_hours());
    let recent_zones = RwSignal::new(Vec::new());
    let navigation = Navigation::new();
    follow_history(navigation);
    provide_rescheduler();
    let access = Access::new();
    let connection = Connection::new();
    connection.restore();
    provide_context(connection.resumed);
    spawn_local(connection.find_demo());

    let route = Signal::memo(move || navigation.path.with(|path| Route::parse(path, decode)));
    let content = move || {
        provide_context(Settings {
            zone,
            uses_12_hours,
            recent_zones,
            has_session: connection.is_connected(),
        });
        provide_context(connection.session());
        screen(route.get(), connection, navigation, access)
    };
    el("div")
        .class("app")
        .child(head(route, navigation, use_texts()))
        .child(status_line.view())
        .child(el("main").class("app-main").child_with(content))
}

/// Follows back and forward navigation until the app is disposed.
fn follow_history(navigation: Navigation) {
    let on_popstate = Closure::<dyn FnMut()>::new(move || navigation.handle_popstate());
    // Fails only for a missing callback.
    let _ =
        window().add_event_listener_with_callback("popstate", on_popstate.as_ref().unchecked_ref());
    let on_popstate = SendWrapper::new(on_popstate);
    on_cleanup(move || {
        // The listener was added above.
        let _ = window()
            .remove_event_listener_with_callback("popstate", on_popstate.as_ref().unchecked_ref());
    });
}

/// Provides the picker with which the booking list reschedules.
fn provide_rescheduler() {
    provide_context(Rescheduler::new(|booking| {
        let container = el("div");
        // The flow dispatches its events on the element around it.
        provide_context(Page::of(container.element().into()));
        container.child(booking_flow(Config {
            mode: Mode::Reschedule,
            booking_uid: Some(booking.uid),
            seat_uid: booking.seat_uid,
            ..Config::default()
        }))
    }));
}

/// Name of the app and the navigation bar.
fn head(route: Signal<Route>, navigation: Navigation, texts: Translations) -> Node {
    let item = |path: &'static str, name: Key| {
        let current = move || match (route.get(), path) {
            (Route::EventTypes | Route::Book(_), "/")
            | (Route::Bookings, "/bookings")
            | (Route::Roles | Route::OrganizationRoles, "/roles")
            | (Route::Records(_), "/records")
            | (Route::Connect, "/connect") => Some("page".to_owned()),
            _ => None,
        };
        el("li").child(
            link(navigation, path)
                .attr_with("aria-current", current)
                .child(texts.get(name)),
        )
    };
    let items = el("ul")
        .class("app-nav")
        .child(item("/", Key::Book))
        .child(item("/bookings", Key::Bookings))
        .child(item("/roles", Key::Roles))
        .child(item("/records", Key::Records))
        .child(item("/connect", Key::Connect));
    let bar = items.element();
    effect(move || {
        route.with(|_| ());
        let bar = bar.clone();
        // After the link is marked and laid out.
        request_animation_frame(move || scroll_to_current_link(&bar));
    });
    let brand = el("span")
        .class("app-brand")
        .child(icon(Shape::Calendar))
        .child(el("span").child(texts.get(Key::AppName)));
    let nav = el("nav")
        .attr("aria-label", texts.get(Key::Screens))
        .child(items);
    el("header").class("app-head").child(brand).child(nav)
}

/// Scrolls the navigation bar, if it overflows, to the current link.
fn scroll_to_current_link(bar: &HtmlElement) {
    let Ok(Some(current)) = bar.query_selector("[aria-current]") else {
        return;
    };
    let current: HtmlElement = current.unchecked_into();
    // The browser limits the scroll position. In right-to-left text all of these are negative.
    let middle = current.offset_left() + current.offset_width() / 2;
    bar.set_scroll_left(middle - bar.client_width() / 2);
}
