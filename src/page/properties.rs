//! Properties that a screen changes as well as the page: the list's query, and saved views.

use std::cell::RefCell;
use std::rc::Rc;

use booking_ui::prelude::*;
use js_sys::{JSON, Object, Reflect};
use send_wrapper::SendWrapper;
use serde_json::Value;
use wasm_bindgen::JsValue;

use super::events::{Page, use_page};
use super::stored_state::{StoredQuery, StoredViews};
use super::team_events::TeamEvent;

/// By name.
type Values = Vec<(String, Value)>;

/// Properties of an element, as the page set them and as it reads them.
#[derive(Clone)]
pub struct Properties {
    values: SendWrapper<Rc<RefCell<Values>>>,
    /// The loader's plain object.
    page_values: SendWrapper<JsValue>,
    /// Counts page changes since the view began.
    changes: Option<RwSignal<u32>>,
}

impl Properties {
    pub(super) fn new(values: Values, page_values: JsValue) -> Self {
        Self {
            values: SendWrapper::new(Rc::new(RefCell::new(values))),
            page_values: SendWrapper::new(page_values),
            changes: None,
        }
    }

    pub(super) fn followed_by(self, changes: RwSignal<u32>) -> Self {
        Self {
            changes: Some(changes),
            ..self
        }
    }

    /// Reads all of them.
    pub(super) fn with<R>(&self, read: impl FnOnce(&[(String, Value)]) -> R) -> R {
        read(&self.values.borrow())
    }

    /// Sets a value. Returns true if it changed.
    pub(super) fn set(&self, name: &str, value: Value) -> bool {
        let mut values = self.values.borrow_mut();
        let before = values.iter().position(|(known, _)| known == name);
        let before = before.map(|index| values.swap_remove(index).1);
        let has_changed = before.as_ref() != Some(&value);
        values.push((name.to_owned(), value));
        has_changed
    }

    fn value(&self, name: &str) -> Value {
        let values = self.values.borrow();
        let value = values.iter().find(|(known, _)| known == name);
        value.map_or(Value::Null, |(_, value)| value.clone())
    }

    /// A text; empty if it is none.
    fn text(&self, name: &str) -> String {
        match self.value(name) {
            Value::String(text) => text,
            _ => String::new(),
        }
    }

    fn publish(&self, name: &str, value: Value, page_value: &JsValue) {
        self.set(name, value);
        // Setting a key of a plain object cannot fail.
        let _ = Reflect::set(&self.page_values, &name.into(), page_value);
    }
}

const QUERY: &str = "query";
const VIEWS: &str = "views";

/// Stores a list's state in its element's properties `query` and `views`.
pub fn keep_list() {
    let Some(properties) = use_context::<Properties>() else {
        return;
    };
    let page = use_page();
    let query = RwSignal::new(properties.text(QUERY));
    let views = RwSignal::new(properties.value(VIEWS));
    provide_context(keep_query(properties.clone(), page.clone(), query));
    provide_context(keep_views(properties.clone(), page, views));
    effect(move || {
        if let Some(changes) = properties.changes {
            changes.get();
        }
        let (text, value) = (properties.text(QUERY), properties.value(VIEWS));
        if query.get_untracked() != text {
            query.set(text);
        }
        if views.get_untracked() != value {
            views.set(value);
        }
    });
}

fn keep_query(properties: Properties, page: Page, value: RwSignal<String>) -> StoredQuery {
    StoredQuery::new(value, move |text, _| {
        let query = text.to_owned();
        properties.publish(QUERY, Value::String(query.clone()), &text.into());
        // Result ignored: there is no default action to prevent.
        let _ = page.emit(&TeamEvent::QueryChanged { query });
    })
}

fn keep_views(properties: Properties, page: Page, value: RwSignal<Value>) -> StoredViews {
    StoredViews::new(value, move |views| {
        // Built from strings: serialising and parsing it cannot fail.
        let json = serde_json::to_string(&views).unwrap_or_default();
        let page_value = JSON::parse(&json).unwrap_or_default();
        properties.publish(VIEWS, views, &page_value);
        let detail = Object::new();
        // Setting a key of a fresh plain object cannot fail.
        let _ = Reflect::set(&detail, &VIEWS.into(), &page_value);
        // Result ignored: there is no default action to prevent.
        let _ = page.emit_with(&TeamEvent::ViewsChanged, &detail);
    })
}
