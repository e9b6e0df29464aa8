//! Mounts single views in a browser document, with a fixed clock.

// Each test file is a separate program and uses a part of this.
#![allow(dead_code)]
// Test code: a panic with a good message is how a test fails.
#![allow(clippy::expect_used)]

use std::cell::RefCell;
use std::rc::Rc;

use booking_ui::prelude::*;
use booking_widget::client::Dialect;
use booking_widget::client::session::Session;
use booking_widget::i18n::Language;
use booking_widget::page::settings::Settings;
use booking_widget::time::{CivilDate, Clock, Instant, Zone};
use js_sys::{Array, Function, Promise};
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{Element, HtmlElement};

/// Reported values, in order.
pub(crate) type Recorded<T> = Rc<RefCell<Vec<T>>>;

/// View in the document. Dropping it removes the view.
pub(crate) struct Mounted {
    pub(crate) container: Element,
    root: Option<Root>,
}

/// Origin of the service. Nothing answers there.
pub(crate) const SERVICE: &str = "https://book.example";

/// Mounts a view in American English, in the time zone of Rome, at noon of 9 March 2027, with a session at [`SERVICE`].
pub(crate) fn mount(view: impl FnOnce() -> Node) -> Mounted {
    let document = document();
    let container = document.create_element("div").expect("an element");
    let body = document.body().expect("a body");
    body.append_child(&container).expect("a container");
    let root = Root::mount(&container, || {
        Language::new("en-US", Clock::of(noon)).provide();
        provide_context(Settings {
            zone: RwSignal::new(Zone("Europe/Rome".to_owned())),
            uses_12_hours: RwSignal::new(false),
            recent_zones: RwSignal::new(Vec::new()),
            has_session: true,
        });
        provide_context(Session::public(SERVICE, Dialect::Svc));
        view()
    });
    Mounted {
        container,
        root: Some(root),
    }
}

impl Mounted {
    /// Disposes of the view, as an element does when it is removed.
    pub(crate) fn end(&mut self) {
        self.root = None;
    }

    pub(crate) fn all(&self, selector: &str) -> Vec<HtmlElement> {
        let body = "return [...element.querySelectorAll(value)]";
        let found = Array::from(&run(body, &self.container, selector));
        found
            .iter()
            .filter_map(|each| each.dyn_into().ok())
            .collect()
    }

    /// The only match.
    #[track_caller]
    pub(crate) fn one(&self, selector: &str) -> HtmlElement {
        let mut found = self.all(selector);
        assert_eq!(
            found.len(),
            1,
            "{selector} in {}",
            self.container.inner_html()
        );
        found.remove(0)
    }

    /// Finds a button by its accessible name.
    #[track_caller]
    pub(crate) fn button(&self, name: &str) -> HtmlElement {
        let mut found = self.all("button");
        found.retain(|button| self::name(button) == name);
        assert_eq!(found.len(), 1, "{name} in {}", self.container.inner_html());
        found.remove(0)
    }

    /// Finds a control by its label.
    #[track_caller]
    pub(crate) fn field(&self, label: &str) -> HtmlElement {
        let labels = self.all("label");
        let named = |found: &&HtmlElement| {
            let words = found.text_content().unwrap_or_default();
            // Without the mark of required or optional fields.
            let words = words.trim_end_matches('*').trim_end_matches("(optional)");
            words.trim() == label
        };
        let found = labels.iter().find(named).expect(label);
        let id = found.get_attribute("for").expect("a target");
        self.one(&format!("[id='{id}']"))
    }

    pub(crate) fn text(&self) -> String {
        self.container.text_content().unwrap_or_default()
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        self.end();
        self.container.remove();
    }
}

/// Returns the name of an element: its `aria-label`, else its text.
pub(crate) fn name(element: &HtmlElement) -> String {
    element
        .get_attribute("aria-label")
        .or_else(|| element.text_content())
        .unwrap_or_default()
}

/// Name of the focused element.
pub(crate) fn focus() -> String {
    document()
        .active_element()
        .and_then(|element| element.dyn_into().ok())
        .map_or_else(String::new, |element: HtmlElement| name(&element))
}

/// Waits until effects and animation frame callbacks have run.
pub(crate) async fn tick() {
    for _ in 0..2 {
        let frame = Promise::new(&mut |done, _| {
            window().request_animation_frame(&done).expect("a frame");
        });
        JsFuture::from(frame).await.expect("a frame");
    }
}

/// Runs the body of a JavaScript function of `element` and `value`.
pub(crate) fn run(body: &str, element: &Element, value: &str) -> JsValue {
    Function::new_with_args("element, value", body)
        .apply(
            &JsValue::UNDEFINED,
            &Array::of2(element, &JsValue::from_str(value)),
        )
        .expect(body)
}

/// Replaces the value of a field, with the events that typing causes.
pub(crate) fn fill(field: &HtmlElement, text: &str) {
    let body = "element.focus(); element.value = value; \
                element.dispatchEvent(new Event('input', { bubbles: true }))";
    run(body, field, text);
}

/// Dispatches a `keydown`.
pub(crate) fn press(element: &HtmlElement, key: &str) {
    let body = "element.dispatchEvent(\
                new KeyboardEvent('keydown', { key: value, bubbles: true, cancelable: true }))";
    run(body, element, key);
}

pub(crate) fn day(text: &str) -> CivilDate {
    text.parse().expect(text)
}

pub(crate) fn at(text: &str) -> Instant {
    Instant::parse(text).expect(text)
}

/// The clock of a mounted view.
pub(crate) fn noon() -> Instant {
    at("2027-03-09T11:00:00Z")
}
