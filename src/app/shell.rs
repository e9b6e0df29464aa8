//! App shell: one of two frames, the title of the page, and the contexts of all screens.

use std::rc::Rc;

use booking_ui::prelude::*;
use booking_wire::{JsonMap, PublicEventType};
use js_sys::{Function, Promise, Reflect};
use send_wrapper::SendWrapper;
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::{Element, Event, HtmlElement, Response, ShadowRootInit, ShadowRootMode};

use super::chunks::{AppChunks, FlowChunks, LazyChunks};
use super::connection::Connection;
use super::failure::failure_notice;
use super::frames::public_frame::{HasNoHost, public_foot, public_head};
use super::language::choice::{LanguageChoice, first_language};
use super::language::translations;
use super::navigation::{Navigation, decode};
use super::route::Route;
use super::screens::{booking_flow, screen};
use super::unsaved_changes_dialog::{ask_before_unload, unsaved_changes_dialog};
use crate::components::{StatusLine, TopHeading, button};
use crate::features::booking_list::Rescheduler;
use crate::features::shared::error_notice::SignInButton;
use crate::features::shared::host_name::{Host, HostFrame};
use crate::features::shared::lazy_view::ReloadPage;
use crate::features::shared::unsaved_changes::UnsavedChanges;
use crate::i18n::{Key, localized, use_texts};
use crate::page::attributes::{Config, Mode};
use crate::page::events::Page;
use crate::page::settings::Settings;
use crate::styles;
use crate::time::format::browser_zone;

/// Mounts the app in the page's `#app` element for the lifetime of the page.
pub fn start(chunks: AppChunks) {
    let Some(host) = document().get_element_by_id("app") else {
        return;
    };
    let Ok(shadow) = host.attach_shadow(&ShadowRootInit::new(ShadowRootMode::Open)) else {
        return;
    };
    adopt_style_sheet(&shadow, styles::APP);
    // Until the app is rendered, the page shows its placeholder.
    let (placeholder, root) = (el("slot").element(), el("div").element());
    // Appending a new element cannot fail.
    let _ = shadow.append_child(&placeholder);
    #[expect(
        clippy::disallowed_methods,
        reason = "before the first root, no view has values"
    )]
    wasm_bindgen_futures::spawn_local(async move {
        let first = first_language();
        // Without its translations, the app starts in English.
        let (language, translations) = match translations::load(first).await {
            Some(translations) => (first, translations),
            None => ("en", JsonMap::new()),
        };
        announce(&host, "booking-mount");
        let view = root.clone();
        let rendering = FirstRendering::begin(move || {
            spawn_local(async move {
                released().await;
                announce(&host, "booking-shown");
                // It was appended above, and stays until here.
                let _ = placeholder.replace_with_with_node_1(&view);
            });
        });
        let tasks = rendering.clone();
        std::mem::forget(Root::mount(&root, move || {
            provide_context(tasks);
            let staff = LazyChunk::new(chunks.staff);
            staff.on_load(move |exports| add_style_sheet(&shadow, exports.css));
            let flow = chunks.flow;
            let languages = LanguageChoice::new(language, &translations);
            app(languages, LazyChunks { flow, staff })
        }));
        rendering.end_task();
    });
}

/// Waits until no button of the page's skeleton is held down (`scripts/start.js`): its click would be lost.
async fn released() {
    let function = Reflect::get(&window(), &"bookingReleased".into());
    if let Ok(function) = function.and_then(JsCast::dyn_into::<Function>)
        && let Ok(released) = function.call0(&JsValue::UNDEFINED)
    {
        // It never rejects.
        let _ = JsFuture::from(Promise::resolve(&released)).await;
    }
}

/// Loads the page again if the service delivers it; otherwise calls `on_failure`.
fn reload_page(on_failure: Rc<dyn Fn()>) {
    spawn_local(async move {
        let response = JsFuture::from(window().fetch_with_str("")).await;
        match response.map(Response::from) {
            // Fails only where the page must not navigate.
            Ok(response) if response.ok() => drop(window().location().reload()),
            _ => on_failure(),
        }
    });
}

/// Dispatches an event for the page's script.
fn announce(host: &Element, event: &str) {
    if let Ok(event) = Event::new(event) {
        // A new event can be dispatched; it has no default action.
        let _ = host.dispatch_event(&event);
    }
}

fn app(languages: LanguageChoice, chunks: LazyChunks) -> Node {
    let language = languages.language();
    language.provide();
    // Each screen is a page of its own, with an `h1`.
    provide_context(TopHeading(1));
    provide_context(ReloadPage(reload_page));
    let status_line = StatusLine::provide();
    let zone = RwSignal::new(browser_zone());
    let uses_12_hours = languages.uses_12_hours;
    let recent_zones = RwSignal::new(Vec::new());
    let navigation = Navigation::new();
    follow_history(navigation);
    provide_context(UnsavedChanges(navigation.has_unsaved));
    ask_before_unload(navigation.has_unsaved);
    provide_rescheduler(chunks.flow);
    let connection = Connection::new();
    connection.restore();
    provide_context(connection.resumed);
    provide_context(SignInButton(Rc::new(move |texts| {
        let sign_in = move || {
            connection.disconnect();
            navigation.go("/sign-in");
        };
        button("button", sign_in).child(texts.get(Key::Connect))
    })));
    spawn_local(connection.find_demo());

    let route = Signal::memo(move || navigation.path.with(|path| Route::parse(path, decode)));
    show_sign_in_path(navigation);
    let host = RwSignal::new(Host::default());
    let show_host = move |event_type: &PublicEventType, texts, is_alone| {
        host.set(Host::of(event_type, texts, is_alone));
    };
    provide_context(HostFrame(Rc::new(show_host)));
    let no_host = HasNoHost(RwSignal::new(false));
    provide_context(no_host);
    let content = move || {
        host.set(Host::default());
        no_host.0.set(false);
        provide_context(Settings {
            zone,
            uses_12_hours,
            recent_zones,
            has_session: connection.is_connected(),
        });
        provide_context(connection.session());
        let route = route.get();
        in_own_task(move || screen(route, connection, languages, navigation, chunks))
    };
    let is_staff = Signal::memo(move || route.with(|route| route.staff_path().is_some()));
    let foot =
        move || (!is_staff.get()).then(|| public_foot(route, languages, connection, navigation));
    let main = el("main")
        .class("app-main")
        .attr("id", "content")
        .child_with(content);
    mark_frame(is_staff);
    focus_new_content(is_staff, connection, main.element());
    let main_element = main.element();
    let head = move || {
        let main = main_element.clone();
        match is_staff.get() {
            true => localized(move || {
                let main = main.clone();
                fragment().child_with(move || {
                    let skip = skip_link(main.clone());
                    let exports = chunks.staff.exports();
                    exports.map(|exports| (exports.head)(route, connection, navigation, skip))
                })
            }),
            false => public_head(route, host, no_host, connection, navigation),
        }
    };
    let frame = el("div")
        .class("app-frame")
        .attr_with("data-frame", move || {
            Some(frame_name(is_staff.get()).to_owned())
        })
        .child_with(head)
        .child(status_line.view())
        .child(main)
        .child_with(foot)
        .child(page_title(route, connection, host))
        .child(localized(move || unsaved_changes_dialog(navigation)));
    let failure = failure_notice(&frame.element());
    el("div").class("app").child(frame).child(failure)
}

/// Keeps the page's title, which tabs, history and screen readers show: the screen, or the event type and its host; and
/// the app. The service's page has the same title, which stays until the host is known.
fn page_title(route: Signal<Route>, connection: Connection, host: RwSignal<Host>) -> Node {
    let texts = use_texts();
    let title = move || {
        let screen = match route.get() {
            Route::Bookings => texts.get(Key::Bookings).to_owned(),
            Route::Roles | Route::OrganizationRoles => texts.get(Key::TeamAndRoles).to_owned(),
            Route::Connect if connection.is_connected() => texts.get(Key::Account).to_owned(),
            Route::Connect => texts.get(Key::Connect).to_owned(),
            Route::Owner(_) | Route::Book(_) if host.with(|host| *host == Host::default()) => {
                return fragment();
            }
            _ => host.with(|host| joined([&host.event_type, &host.name])),
        };
        document().set_title(&joined([&screen, texts.get(Key::AppName)]));
        fragment()
    };
    localized(move || fragment().child_with(title))
}

/// Joins those of a title's parts that are known.
fn joined([first, second]: [&str; 2]) -> String {
    let gap = match first.is_empty() || second.is_empty() {
        true => "",
        false => " · ",
    };
    [first, gap, second].concat()
}

fn frame_name(is_staff: bool) -> &'static str {
    if is_staff { "staff" } else { "public" }
}

/// Marks the page with its frame, for its style sheet.
fn mark_frame(is_staff: Signal<bool>) {
    effect(move || {
        if let Some(page) = document().document_element() {
            // Setting a constant attribute name cannot fail.
            let _ = page.set_attribute("data-frame", frame_name(is_staff.get()));
        }
    });
}

/// Moves the focus to the content when the frame changes and after signing in or out: the pressed control is gone.
fn focus_new_content(is_staff: Signal<bool>, connection: Connection, main: HtmlElement) {
    let mut shown = None;
    effect(move || {
        let current = (is_staff.get(), connection.is_connected());
        if shown.is_some_and(|shown| shown != current) {
            focus_content(&main);
            // The focus scrolls to the content, below the head.
            window().scroll_to_with_x_and_y(0.0, 0.0);
        }
        shown = Some(current);
    });
}

fn focus_content(main: &HtmlElement) {
    // A constant attribute name cannot fail, and an element without focus needs no handling.
    let _ = main.set_attribute("tabindex", "-1");
    let _ = main.focus();
}

/// Link that skips the team's navigation, seen while it has the focus. The pages of visitors have no navigation.
fn skip_link(main: HtmlElement) -> Node {
    el("a")
        .class("skip-link")
        .attr("href", "#content")
        .child(use_texts().get(Key::SkipToContent))
        .on("click", move |event| {
            // The browser does not find ids in a shadow root.
            event.prevent_default();
            focus_content(&main);
        })
}

/// Shows the present path of the sign-in screen at its former one.
fn show_sign_in_path(navigation: Navigation) {
    effect(move || {
        if navigation
            .path
            .with(|path| path.trim_end_matches('/') == "/connect")
        {
            navigation.replace("/sign-in");
        }
    });
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
fn provide_rescheduler(chunks: FlowChunks) {
    provide_context(Rescheduler::new(move |booking| {
        let container = el("div");
        // The flow dispatches its events on the element around it.
        provide_context(Page::of(container.element().into()));
        let config = Config {
            mode: Mode::Reschedule,
            booking_uid: Some(booking.uid),
            seat_uid: booking.seat_uid,
            ..Config::default()
        };
        container.child(booking_flow(config, chunks))
    }));
}
