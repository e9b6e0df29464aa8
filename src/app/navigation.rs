//! Navigation in the app: the current path and query, history entries and links.

use booking_ui::prelude::*;
use wasm_bindgen::prelude::*;
use web_sys::Event;

use crate::page::step_history::go;

/// Path of the sign-in.
pub(super) const SIGN_IN: &str = "/sign-in";

/// Path and query of the app.
#[derive(Clone, Copy)]
pub(super) struct Navigation {
    pub(super) path: RwSignal<String>,
    /// Query without the `?`, in which screens keep their state.
    pub(super) query: RwSignal<String>,
    /// Other paths of the current screen, which it has written to the URL itself.
    own_paths: StoredValue<Vec<String>>,
    /// True if the screen has unsaved changes, which are lost with it.
    pub(super) has_unsaved: RwSignal<bool>,
    /// True while the user is asked about unsaved changes.
    pub(super) is_asking: RwSignal<bool>,
    /// Target after the question.
    way_out: StoredValue<WayOut>,
    /// Path and query of the screen that needed an account, until another one than the sign-in is shown.
    wanted: StoredValue<Option<String>>,
}

/// Way out of a screen with unsaved changes.
#[derive(Clone, Default)]
enum WayOut {
    /// The history entry before that of the screen.
    #[default]
    Back,
    /// Path of a link.
    Path(String),
}

impl Navigation {
    /// Starts at the URL of the page.
    pub(super) fn new() -> Self {
        Self {
            path: RwSignal::new(current_path()),
            query: RwSignal::new(current_query()),
            own_paths: StoredValue::default(),
            has_unsaved: RwSignal::new(false),
            is_asking: RwSignal::new(false),
            way_out: StoredValue::default(),
            wanted: StoredValue::default(),
        }
    }

    /// Follows back and forward navigation, unless the screen has unsaved changes.
    pub(super) fn handle_popstate(self) {
        let path = current_path();
        if self.is_own_path(&path) {
            return self.query.set(current_query());
        }
        if self.has_unsaved.get_untracked() {
            // The screen stays, in an entry after the one that was reached.
            let query = self.query.get_untracked();
            push_entry(&with_query(self.path.get_untracked(), &query));
            return self.ask(WayOut::Back);
        }
        self.query.set(current_query());
        self.own_paths.set_value(Vec::new());
        self.path.set(path);
    }

    fn ask(self, way_out: WayOut) {
        self.way_out.set_value(way_out);
        self.is_asking.set(true);
    }

    /// Leaves the screen after the question about its unsaved changes.
    pub(super) fn leave(self) {
        self.is_asking.set(false);
        self.has_unsaved.set(false);
        match self.way_out.get_value() {
            WayOut::Path(path) => self.go(&path),
            WayOut::Back => {
                go(-1);
            }
        }
    }

    /// True if the current screen has that path.
    pub(super) fn is_own_path(self, path: &str) -> bool {
        let is_written = |paths: &Vec<String>| paths.iter().any(|known| known == path);
        self.own_paths.with_value(is_written) || self.path.with_untracked(|known| known == path)
    }

    /// Adds a path of the current screen.
    pub(super) fn add_own_path(self, path: &str) {
        if !self.is_own_path(path) {
            self.own_paths
                .update_value(|paths| paths.push(path.to_owned()));
        }
    }

    /// Writes a screen's query to the URL, as a new history entry if `is_step`.
    pub(super) fn write_query(self, query: &str, is_step: bool) {
        let url = with_query(current_path(), query);
        match is_step {
            true => push_entry(&url),
            false => replace_entry(&url),
        }
    }

    /// Shows the same screen with another query, as a new history entry.
    pub(super) fn set_query(self, query: &str) {
        self.write_query(query, true);
        self.query.set(query.to_owned());
    }

    /// Goes to `path` in place of the current history entry, with its query.
    pub(super) fn replace(self, path: &str) {
        let query = window().location().search().unwrap_or_default();
        replace_entry(&format!("{path}{query}"));
        self.path.set(path.to_owned());
    }

    /// Notes that this screen needs an account: the sign-in leads back to it.
    pub(super) fn want_account(self) {
        let here = with_query(current_path(), &current_query());
        self.wanted.set_value(Some(here));
    }

    /// Goes to the screen that led to the sign-in, else to the bookings.
    pub(super) fn go_on_signed_in(self) {
        let wanted = self.wanted.get_value();
        self.go(wanted.as_deref().unwrap_or("/bookings"));
    }

    /// Goes to `url`, a path that may have a query, as a new history entry. Asks first if unsaved changes would be lost.
    pub(super) fn go(self, url: &str) {
        let (path, query) = url.split_once('?').unwrap_or((url, ""));
        if self.has_unsaved.get_untracked() && !self.is_own_path(path) {
            return self.ask(WayOut::Path(url.to_owned()));
        }
        push_entry(url);
        if path != SIGN_IN {
            self.wanted.set_value(None);
        }
        self.query.set(query.to_owned());
        if self.path.with_untracked(|known| known == path) {
            // The screen stays, but not its step. Fails for an invalid name only.
            let _ = Event::new("popstate").map(|event| window().dispatch_event(&event));
        }
        self.own_paths.set_value(Vec::new());
        self.path.set(path.to_owned());
        window().scroll_to_with_x_and_y(0.0, 0.0);
    }
}

/// In-app link. Clicks that open a new tab or window are left to the browser.
pub(super) fn link(navigation: Navigation, path: &str) -> Node {
    let target = path.to_owned();
    el("a").attr("href", path).on("click", move |event| {
        let click: &web_sys::MouseEvent = event.unchecked_ref();
        let has_modifier =
            click.ctrl_key() || click.meta_key() || click.shift_key() || click.alt_key();
        if click.button() == 0 && !has_modifier {
            event.prevent_default();
            navigation.go(&target);
        }
    })
}

/// Adds a history entry. Fails only where a page may not change its URL; the screen changes all the same.
fn push_entry(url: &str) {
    if let Ok(history) = window().history() {
        let _ = history.push_state_with_url(&JsValue::NULL, "", Some(url));
    }
}

/// Changes the URL of the current history entry. Fails as [`push_entry`].
fn replace_entry(url: &str) {
    if let Ok(history) = window().history() {
        let _ = history.replace_state_with_url(&JsValue::NULL, "", Some(url));
    }
}

/// Returns a path with a query.
pub(super) fn with_query(mut path: String, query: &str) -> String {
    if !query.is_empty() {
        path.push('?');
        path.push_str(query);
    }
    path
}

/// Percent-encodes one path segment.
pub(super) fn encode(text: &str) -> String {
    String::from(js_sys::encode_uri_component(text))
}

/// Percent-decodes one path segment; unchanged if it is invalid.
pub(super) fn decode(text: &str) -> String {
    js_sys::decode_uri_component(text).map_or_else(|_| text.to_owned(), String::from)
}

pub(super) fn current_path() -> String {
    window().location().pathname().unwrap_or_default()
}

pub(super) fn current_query() -> String {
    let query = window().location().search().unwrap_or_default();
    query.trim_start_matches('?').to_owned()
}
