//! State of the booking list that the page or the app stores: its query and saved views.

use booking_ui::prelude::*;
use serde_json::Value;

/// Query of a screen as text, stored so that it can be restored: by the app in its URL, by an element in its
/// property.
#[derive(Clone, Copy)]
pub struct StoredQuery {
    /// The stored text.
    pub text: RwSignal<String>,
    on_change: Option<StoredValue<OnQueryChange>>,
}

type OnQueryChange = Box<dyn Fn(&str, bool)>;

impl StoredQuery {
    /// Calls `on_change` with each new text, and true if it is a step of the history.
    pub fn new(text: RwSignal<String>, on_change: impl Fn(&str, bool) + 'static) -> Self {
        let on_change: OnQueryChange = Box::new(on_change);
        Self {
            text,
            on_change: Some(StoredValue::new(on_change)),
        }
    }

    /// Stores a new text.
    pub fn store(self, text: &str, is_step: bool) {
        self.text.set(text.to_owned());
        if let Some(on_change) = self.on_change {
            on_change.with_value(|on_change| on_change(text, is_step));
        }
    }
}

/// Returns the stored query of the mounted root; one in memory if there is none.
pub fn use_stored_query() -> StoredQuery {
    use_context().unwrap_or_else(|| StoredQuery {
        text: RwSignal::new(String::new()),
        on_change: None,
    })
}

/// Saved views of the booking list, stored by the page or only in memory.
#[derive(Clone, Copy)]
pub struct StoredViews {
    /// The current views: an array of objects with `name` and `query`.
    pub views: RwSignal<Value>,
    on_change: Option<StoredValue<OnViewsChange>>,
}

type OnViewsChange = Box<dyn Fn(Value)>;

impl StoredViews {
    /// Calls `on_change` with the views to store.
    pub fn new(views: RwSignal<Value>, on_change: impl Fn(Value) + 'static) -> Self {
        let on_change: OnViewsChange = Box::new(on_change);
        Self {
            views,
            on_change: Some(StoredValue::new(on_change)),
        }
    }

    /// Views that are not stored.
    pub fn in_memory(views: RwSignal<Value>) -> Self {
        Self {
            views,
            on_change: None,
        }
    }

    /// Stores changed views.
    pub fn store(self, views: Value) {
        self.views.set(views.clone());
        if let Some(on_change) = self.on_change {
            on_change.with_value(|on_change| on_change(views));
        }
    }
}

/// Returns the saved views of the mounted root.
pub fn use_stored_views() -> StoredViews {
    use_context().unwrap_or_else(|| StoredViews::in_memory(RwSignal::new(Value::Null)))
}
