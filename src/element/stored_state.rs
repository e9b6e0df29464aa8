//! State of the booking list that the page or the app stores: its query and saved views.

use serde_json::Value;

use crate::ui::context::use_context;
use crate::ui::signal::{RwSignal, StoredValue};

/// State of a screen as text, stored so that it can be restored: by the app in its URL, by an element in its
/// property.
#[derive(Clone, Copy)]
pub struct Address {
    /// The stored text.
    pub given: RwSignal<String>,
    on_change: Option<StoredValue<Told>>,
}

type Told = Box<dyn Fn(&str, bool)>;

impl Address {
    /// Calls `on_change` with each new text, and true if it is a step of the history.
    pub fn new(given: RwSignal<String>, on_change: impl Fn(&str, bool) + 'static) -> Self {
        let on_change: Told = Box::new(on_change);
        Self {
            given,
            on_change: Some(StoredValue::new(on_change)),
        }
    }

    /// Stores a new text.
    pub fn tell(self, text: &str, is_step: bool) {
        self.given.set(text.to_owned());
        if let Some(on_change) = self.on_change {
            on_change.with_value(|on_change| on_change(text, is_step));
        }
    }
}

/// Returns the address of the mounted root; one that is not stored if there is none.
pub fn use_address() -> Address {
    use_context().unwrap_or_else(|| Address {
        given: RwSignal::new(String::new()),
        on_change: None,
    })
}

/// Saved views of the booking list, stored by the page or only in memory.
#[derive(Clone, Copy)]
pub struct KeptViews {
    /// The current views: an array of objects with `name` and `query`.
    pub given: RwSignal<Value>,
    on_change: Option<StoredValue<Kept>>,
}

type Kept = Box<dyn Fn(Value)>;

impl KeptViews {
    /// Calls `on_change` with the views to store.
    pub fn new(given: RwSignal<Value>, on_change: impl Fn(Value) + 'static) -> Self {
        let on_change: Kept = Box::new(on_change);
        Self {
            given,
            on_change: Some(StoredValue::new(on_change)),
        }
    }

    /// Views that are not stored.
    pub fn in_memory(given: RwSignal<Value>) -> Self {
        Self {
            given,
            on_change: None,
        }
    }

    /// Stores changed views.
    pub fn keep(self, views: Value) {
        self.given.set(views.clone());
        if let Some(on_change) = self.on_change {
            on_change.with_value(|on_change| on_change(views));
        }
    }
}

/// Returns the saved views of the mounted root.
pub fn use_kept_views() -> KeptViews {
    use_context().unwrap_or_else(|| KeptViews::in_memory(RwSignal::new(Value::Null)))
}
