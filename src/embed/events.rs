//! News for the embedding page: events that bubble, cross the shadow root and carry plain data.

use js_sys::{Object, Reflect};
use leptos::prelude::use_context;
use send_wrapper::SendWrapper;
use wasm_bindgen::JsValue;
use web_sys::{CustomEvent, CustomEventInit, EventTarget};

use crate::features::News;

/// The element that speaks for a mounted root; silent in tests without one.
#[derive(Clone)]
pub struct Page(SendWrapper<Option<EventTarget>>);

impl Default for Page {
    fn default() -> Self {
        Self(SendWrapper::new(None))
    }
}

impl Page {
    /// Speaks through `element`.
    pub fn of(element: EventTarget) -> Self {
        Self(SendWrapper::new(Some(element)))
    }

    /// Dispatches the event of `news`.
    pub fn tell(&self, news: &News) {
        let Some(target) = self.0.as_ref() else {
            return;
        };
        let detail = Object::new();
        for (name, value) in news.detail() {
            // Setting a key of a fresh plain object cannot fail.
            let _ = Reflect::set(&detail, &name.into(), &JsValue::from_str(&value));
        }
        let init = CustomEventInit::new();
        init.set_bubbles(true);
        init.set_composed(true);
        init.set_detail(&detail);
        if let Ok(event) = CustomEvent::new_with_event_init_dict(news.name(), &init) {
            // Not cancelable: the answer is always true.
            let _ = target.dispatch_event(&event);
        }
    }
}

/// The page of the mounted root.
pub fn use_page() -> Page {
    use_context().unwrap_or_default()
}
