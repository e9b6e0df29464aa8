//! App shell: navigation bar, routing and the current screen.

use booking_wire::JsonMap;
use gloo_net::http::Request;
use leptos::prelude::*;
use leptos::task::spawn_local;
use send_wrapper::SendWrapper;
use serde_json::Value;
use wasm_bindgen::prelude::*;
use web_sys::{HtmlElement, ShadowRootInit, ShadowRootMode};

use super::book::offers;
use super::connect::connect;
use super::connection::{Connection, Team};
use super::records::{Access, records};
use super::route::Route;
use crate::client::Abort;
use crate::client::fetch::{HttpResponse, fetch};
use crate::components::{Shape, StatusLine, TopHeading, icon};
use crate::element::attributes::Config;
use crate::element::attributes::Mode;
use crate::element::events::Page;
use crate::element::settings::Settings;
use crate::element::stored_state::{Address, KeptViews};
use crate::features::booking_flow::{self, BookingFlow};
use crate::features::booking_list::{self, BookingList, Rescheduler};
use crate::features::role_form::{self, Roles};
use crate::features::shared::error_notice::notice;
use crate::i18n::{
    Catalogue, Key, Language, Translations, direction_of, language_of, locale_for, use_texts,
};
use crate::time::Clock;
use crate::time::format::{browser_locale, browser_locales, browser_zone};
use crate::ui::context::provide_context;
use crate::ui::dom::{Node, Root, el, fragment, fragment_of};
use crate::ui::lazy::ChunkSource;
use crate::ui::signal::{RwSignal, Signal, effect};
use crate::ui::theme;

/// Timeout of each translation file, after which the app starts in English.
const LANGUAGE_TIMEOUT_MS: u64 = 3_000;

/// Mounts the app in the page's `#app` element for the lifetime of the page.
pub fn start() {
    let Some(host) = document().get_element_by_id("app") else {
        return;
    };
    let Ok(shadow) = host.attach_shadow(&ShadowRootInit::new(ShadowRootMode::Open)) else {
        return;
    };
    theme::adopt(&shadow, theme::APP);
    let base = el("div").element();
    // Appending a new element cannot fail.
    let _ = shadow.append_child(&base);
    wasm_bindgen_futures::spawn_local(async move {
        let (language, sentences) = sentences_of_visitor().await;
        if let Some(page) = document().document_element() {
            // Setting constant attribute names and values cannot fail.
            let _ = page.set_attribute("lang", language);
            let _ = page.set_attribute("dir", direction_of(language));
        }
        std::mem::forget(Root::mount(&base, move || app(language, &sentences)));
    });
}

/// Returns the visitor's preferred supported language and its translations; English if they cannot be loaded.
async fn sentences_of_visitor() -> (&'static str, JsonMap) {
    let preferred = browser_locales();
    let language = preferred.iter().find_map(|tag| language_of(tag));
    let Some(language) = language.filter(|language| *language != "en") else {
        return ("en", JsonMap::new());
    };
    let mut all = JsonMap::new();
    for part in ["", ".staff", ".app"] {
        let abort = Abort::after(LANGUAGE_TIMEOUT_MS);
        let file = Request::get(&format!("/lang/{language}{part}.json"));
        let answer = fetch(file.abort_signal(abort.signal().as_ref()).build(), None).await;
        abort.settle();
        match answer
            .filter(HttpResponse::is_success)
            .and_then(|answer| answer.body)
        {
            Some(Value::Object(sentences)) => all.extend(sentences),
            _ => {
                leptos::logging::warn!("no sentences in {language}, English instead");
                return ("en", JsonMap::new());
            }
        }
    }
    (language, all)
}

/// Path and query of the app, and navigation.
#[derive(Clone, Copy)]
pub(super) struct Navigation {
    path: RwSignal<String>,
    /// Query without the `?`, in which screens keep their state.
    pub(super) query: RwSignal<String>,
    /// True if an in-app link led here, whose removal took the focus away.
    has_gone: RwSignal<bool>,
}

impl Navigation {
    /// Follows back and forward navigation.
    fn come_back(self) {
        self.query.set(query_here());
        self.path.set(here());
    }

    /// Writes a screen's query to the URL, as a new history entry if `is_step`.
    fn keep(self, query: &str, is_step: bool) {
        let mut address = here();
        if !query.is_empty() {
            address.push('?');
            address.push_str(query);
        }
        if let Ok(history) = window().history() {
            // Fails only where a page may not change its URL; the screen shows the state all the same.
            let _ = if is_step {
                history.push_state_with_url(&JsValue::NULL, "", Some(&address))
            } else {
                history.replace_state_with_url(&JsValue::NULL, "", Some(&address))
            };
        }
    }

    /// Shows the same screen with another query, as a new history entry.
    pub(super) fn ask(self, query: &str) {
        self.keep(query, true);
        self.query.set(query.to_owned());
    }

    /// Returns true if the new screen should take the focus, and resets the flag.
    pub(super) fn takes_focus(self) -> bool {
        let has_gone = self.has_gone.get_untracked();
        self.has_gone.set(false);
        has_gone
    }

    /// Goes to `path` as a new history entry.
    pub(super) fn go(self, path: &str) {
        if let Ok(history) = window().history() {
            // Fails only where a page may not change its URL; the screen changes all the same.
            let _ = history.push_state_with_url(&JsValue::NULL, "", Some(path));
        }
        self.has_gone.set(true);
        self.query.set(String::new());
        self.path.set(path.to_owned());
        window().scroll_to_with_x_and_y(0.0, 0.0);
    }
}

/// In-app link. Clicks that open a new tab or window are left to the browser.
pub(super) fn link(navigation: Navigation, path: &str) -> Node {
    let target = path.to_owned();
    el("a").attr("href", path).on("click", move |event| {
        let press: &web_sys::MouseEvent = event.unchecked_ref();
        let is_plain = press.button() == 0
            && !(press.ctrl_key() || press.meta_key() || press.shift_key() || press.alt_key());
        if is_plain {
            event.prevent_default();
            navigation.go(&target);
        }
    })
}

/// Percent-encodes one path segment.
pub(super) fn encode(text: &str) -> String {
    String::from(js_sys::encode_uri_component(text))
}

fn decode(text: &str) -> String {
    js_sys::decode_uri_component(text).map_or_else(|_| text.to_owned(), String::from)
}

fn here() -> String {
    window().location().pathname().unwrap_or_default()
}

fn query_here() -> String {
    let query = window().location().search().unwrap_or_default();
    query.trim_start_matches('?').to_owned()
}

fn app(spoken: &str, sentences: &JsonMap) -> Node {
    let locale = locale_for(spoken, "", &browser_locale());
    let language = Language::new(&locale);
    language.set_locale(&locale, Catalogue::new(spoken, sentences, &JsonMap::new()));
    language.provide();
    provide_context(Clock::browser());
    // Each screen is a page of its own, with an `h1`.
    provide_context(TopHeading(1));
    let line = StatusLine::provide();
    let texts = use_texts();
    let zone = RwSignal::new(browser_zone());
    let uses_12_hours = RwSignal::new(language.formats.prefers_12_hours());

    let navigation = Navigation {
        path: RwSignal::new(here()),
        query: RwSignal::new(query_here()),
        has_gone: RwSignal::new(false),
    };
    let moved = Closure::<dyn FnMut()>::new(move || navigation.come_back());
    // Fails only for a missing callback.
    let _ = window().add_event_listener_with_callback("popstate", moved.as_ref().unchecked_ref());
    let moved = SendWrapper::new(moved);
    on_cleanup(move || {
        // The listener was added above.
        let _ = window()
            .remove_event_listener_with_callback("popstate", moved.as_ref().unchecked_ref());
    });

    provide_context(Rescheduler::new(|of| {
        let place = el("div");
        // The flow dispatches its events on the element around it.
        provide_context(Page::of(place.element().into()));
        let config = Config {
            mode: Mode::Reschedule,
            booking_uid: Some(of.uid),
            seat_uid: of.seat_uid,
            ..Config::default()
        };
        place.child(
            view! { <BookingFlow config after=ChunkSource::Linked(booking_flow::exports()) /> },
        )
    }));
    let access = Access::new();
    let connection = Connection::new();
    connection.restore();
    provide_context(connection.resumed);
    spawn_local(connection.look_for_demo());

    let route = Signal::memo(move || navigation.path.with(|path| Route::parse(path, decode)));
    let screen = move || {
        provide_context(Settings {
            zone,
            uses_12_hours,
            has_session: connection.is_connected(),
        });
        provide_context(connection.session());
        // Only staff screens track the team: a demo account that is found late must not restart a booking.
        let staff_config = move || {
            let Team {
                org_id, team_id, ..
            } = connection.team.get();
            Config {
                org_id,
                team_id,
                ..Config::default()
            }
        };
        match route.get() {
            Route::Offers => offers(connection, navigation),
            Route::Book(key) => {
                let config = Config {
                    event_type: Some(key),
                    ..Config::default()
                };
                view! { <BookingFlow config after=ChunkSource::Linked(booking_flow::exports()) /> }
                    .into_inner()
            }
            Route::Booking { uid, seat } => {
                let config = Config {
                    booking_uid: Some(uid),
                    seat_uid: seat,
                    ..Config::default()
                };
                view! { <BookingFlow config after=ChunkSource::Linked(booking_flow::exports()) /> }
                    .into_inner()
            }
            Route::Bookings => staff(texts, Key::Bookings, connection, navigation, move || {
                let views =
                    KeptViews::new(connection.views, move |views| connection.keep_views(views));
                provide_context(views);
                let keep = move |query: &str, is_step| navigation.keep(query, is_step);
                provide_context(Address::new(navigation.query, keep));
                view! { <BookingList config=staff_config() after=ChunkSource::Linked(booking_list::exports()) /> }.into_inner()
            }),
            of @ (Route::Roles | Route::OrganizationRoles) => {
                staff(texts, Key::Roles, connection, navigation, move || {
                    let mut config = staff_config();
                    let has_both = config.org_id.is_some() && config.team_id.is_some();
                    if of == Route::OrganizationRoles {
                        config.team_id = None;
                    }
                    fragment()
                        .child(has_both.then(|| whose_roles(&of, texts, navigation)))
                        .child(view! { <Roles config after=ChunkSource::Linked(role_form::exports()) tools=ChunkSource::Linked(role_form::tools()) /> })
                })
            }
            Route::Records(segments) => records(segments, connection, navigation, access),
            Route::Connect => connect(connection, navigation),
            Route::Unknown => {
                let title = el("h1").class("app-title");
                let lead = el("p").class("app-lead");
                let home = link(navigation, "/").class("button-primary");
                fragment()
                    .child(title.child(texts.get(Key::NotFoundTitle)))
                    .child(lead.child(texts.get(Key::NotFoundText)))
                    .child(home.child(texts.get(Key::Book)))
            }
        }
    };
    let item = |path: &'static str, name: Key| {
        let is_here = move || match (route.get(), path) {
            (Route::Offers | Route::Book(_), "/")
            | (Route::Bookings, "/bookings")
            | (Route::Roles | Route::OrganizationRoles, "/roles")
            | (Route::Records(_), "/records")
            | (Route::Connect, "/connect") => Some("page".to_owned()),
            _ => None,
        };
        el("li").child(
            link(navigation, path)
                .attr_with("aria-current", is_here)
                .child(texts.get(name)),
        )
    };
    let list = el("ul")
        .class("app-nav")
        .child(item("/", Key::Book))
        .child(item("/bookings", Key::Bookings))
        .child(item("/roles", Key::Roles))
        .child(item("/records", Key::Records))
        .child(item("/connect", Key::Connect));
    let items = list.element();
    effect(move || {
        route.with(|_| ());
        let items = items.clone();
        // After the link is marked and laid out.
        request_animation_frame(move || show_current(&items));
    });
    let head = el("header")
        .class("app-head")
        .child(
            el("span")
                .class("app-brand")
                .child(icon(Shape::Calendar))
                .child(el("span").child(texts.get(Key::AppName))),
        )
        .child(
            el("nav")
                .attr("aria-label", texts.get(Key::Screens))
                .child(list),
        );
    el("div")
        .class("app")
        .child(head)
        .child(line.view())
        .child(el("main").class("app-main").child_with(screen))
}

/// Scrolls the navigation bar, if it overflows, to the current link.
fn show_current(items: &HtmlElement) {
    let Ok(Some(current)) = items.query_selector("[aria-current]") else {
        return;
    };
    let current: HtmlElement = current.unchecked_into();
    // The browser limits the scroll position. In right-to-left text all of these are negative.
    let middle = current.offset_left() + current.offset_width() / 2;
    items.set_scroll_left(middle - items.client_width() / 2);
}

/// Links between the roles of the team and those of the organisation.
fn whose_roles(of: &Route, texts: Translations, navigation: Navigation) -> Node {
    let ways = [
        (Route::Roles, "/roles", Key::ResourceTeam),
        (
            Route::OrganizationRoles,
            "/roles/organization",
            Key::ResourceOrganization,
        ),
    ];
    let ways = ways.into_iter().map(|(route, path, name)| {
        let way = link(navigation, path).attr_if("aria-current", (*of == route).then_some("page"));
        el("li").child(way.child(texts.get(name)))
    });
    el("nav")
        .class("app-ways")
        .attr("aria-label", texts.get(Key::Roles))
        .child(el("ul").class("app-nav").child(fragment_of(ways)))
}

/// Screen that needs an account, or a link to Connect.
fn staff(
    texts: Translations,
    title: Key,
    connection: Connection,
    navigation: Navigation,
    screen: impl FnOnce() -> Node,
) -> Node {
    if connection.is_connected() {
        return screen();
    }
    let head = fragment().child(el("h1").class("app-title").child(texts.get(title)));
    let go = link(navigation, "/connect")
        .class("button-primary")
        .child(texts.get(Key::Connect));
    let invitation = notice(
        Shape::Lock,
        texts.get(Key::ConnectFirstTitle),
        texts.get(Key::ConnectFirstText),
    )
    .child(go);
    head.child(el("div").class("card").child(invitation))
}
