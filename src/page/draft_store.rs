//! Store for form input, kept for the next view of the same form: in the element's memory, and in the state of the
//! page's history entry, which survives a reload and ends with the tab. Nothing is written to the browser's storage.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use booking_ui::prelude::*;
use booking_wire::{Fields, JsonMap};
use js_sys::{JSON, Object, Reflect};
use send_wrapper::SendWrapper;
use serde_json::Value;
use wasm_bindgen::{JsCast, JsValue};

use super::attributes::Config;
use crate::client::http::json;
use crate::time::Clock;

/// Property of `history.state` that holds the drafts of a page's first picker by key. Those of further pickers have a
/// number at the end. The other properties are the page's.
const PROPERTY: &str = "bookingDrafts";

/// Maximum bytes of a draft in the history.
const MAX_BYTES: usize = 16 * 1024;

/// Lifetime of a draft in the history: a tab left open on a shared computer does not show the input of an earlier
/// visitor.
const MAX_AGE_MS: i64 = 60 * 60 * 1000;

/// Minimum time between two writes: Safari refuses more than 100 in ten seconds.
const WRITE_INTERVAL: Duration = Duration::from_millis(250);

/// Drafts of one element, by key. Clones share them.
#[derive(Clone)]
pub struct DraftStore(SendWrapper<Rc<RefCell<Memory>>>);

#[derive(Default)]
struct Memory {
    /// Property of `history.state`.
    property: String,
    /// `None` for a draft that was booked: its copy in the history is ignored.
    drafts: Vec<(String, Option<JsonMap>)>,
    /// Keys of drafts that are not in the history yet.
    unsaved: Vec<String>,
    /// True if a write is scheduled.
    is_scheduled: bool,
    /// True after the page has reset the element: drafts in the history are ignored.
    is_reset: bool,
}

impl Default for DraftStore {
    fn default() -> Self {
        Self::of_element(0)
    }
}

impl DraftStore {
    /// Drafts of the element with `place` others of its kind before it.
    pub fn of_element(place: u32) -> Self {
        let mut property = PROPERTY.to_owned();
        if place > 0 {
            property.push_str(&(place + 1).to_string());
        }
        let memory = Memory {
            property,
            ..Memory::default()
        };
        Self(SendWrapper::new(Rc::new(RefCell::new(memory))))
    }

    /// Draft of that key in the history.
    fn read(&self, key: &str) -> Option<JsonMap> {
        read(&self.0.borrow().property, key)
    }

    /// Changes the drafts in the history.
    fn change(&self, change: &dyn Fn(&Object)) {
        self::change(&self.0.borrow().property, change);
    }

    /// Key of a form: the service, and `form` within it.
    pub fn key(config: &Config, form: &str) -> String {
        let mut key = config.base_url.clone();
        key.push(' ');
        key.push_str(form);
        key
    }

    /// Draft of that key, from memory or else from the history.
    pub fn get(&self, config: &Config, key: &str) -> Option<JsonMap> {
        let memory = self.0.borrow();
        let known = memory.drafts.iter().find(|(known, _)| known == key);
        match known {
            Some((_, draft)) => draft.clone(),
            None if memory.is_reset || config.is_draft_disabled => None,
            None => read(&memory.property, key),
        }
    }

    /// Stores `draft` in memory and soon in the history.
    pub fn keep(&self, config: &Config, key: &str, draft: JsonMap) {
        let is_due = {
            let mut memory = self.0.borrow_mut();
            memory.put(key, Some(draft));
            if config.is_draft_disabled {
                return;
            }
            if !memory.unsaved.iter().any(|known| known == key) {
                memory.unsaved.push(key.to_owned());
            }
            !std::mem::replace(&mut memory.is_scheduled, true)
        };
        if is_due {
            let store = self.clone();
            set_timeout(
                move || {
                    store.0.borrow_mut().is_scheduled = false;
                    store.flush();
                },
                WRITE_INTERVAL,
            );
        }
    }

    /// Stores a draft of the memory in the current history entry too: it may have been typed in another one, or the
    /// visitor left this entry before the last characters were written.
    pub fn keep_in_entry(&self, config: &Config, key: &str) {
        let draft = self.get(config, key);
        if let Some(draft) = draft.filter(|draft| self.read(key).as_ref() != Some(draft)) {
            self.keep(config, key, draft);
        }
    }

    /// Writes pending drafts to the history.
    pub fn flush(&self) {
        let unsaved: Vec<(String, JsonMap)> = {
            let mut memory = self.0.borrow_mut();
            let keys = std::mem::take(&mut memory.unsaved);
            let drafts = memory.drafts.iter().filter_map(|(key, draft)| {
                let is_unwritten = keys.contains(key);
                Some((key.clone(), draft.clone().filter(|_| is_unwritten)?))
            });
            drafts.collect()
        };
        for (key, draft) in unsaved {
            if let Some(serialized) = serialized(draft) {
                self.change(&|drafts| {
                    // Setting a key of a fresh plain object cannot fail.
                    let _ = Reflect::set(drafts, &key.as_str().into(), &serialized);
                });
            }
        }
    }

    /// Deletes the draft of that key after a booking.
    pub fn forget(&self, key: &str) {
        let mut memory = self.0.borrow_mut();
        memory.put(key, None);
        memory.unsaved.retain(|known| known != key);
        drop(memory);
        self.change(&|drafts| {
            // Deleting its keys cannot fail.
            let _ = Reflect::delete_property(drafts, &key.into());
        });
    }

    /// True after the page has reset the element.
    pub fn is_reset(&self) -> bool {
        self.0.borrow().is_reset
    }

    /// Deletes booked drafts from the current history entry: it may be older than the booking.
    pub fn delete_booked(&self) {
        let memory = self.0.borrow();
        let booked: Vec<&String> = memory
            .drafts
            .iter()
            .filter_map(|(key, draft)| draft.is_none().then_some(key))
            .collect();
        if booked.is_empty() {
            return;
        }
        self.change(&|drafts| {
            for key in &booked {
                // Deleting its keys cannot fail.
                let _ = Reflect::delete_property(drafts, &key.as_str().into());
            }
        });
    }

    /// Deletes all drafts: the page resets the element.
    pub(super) fn reset(&self) {
        {
            let mut memory = self.0.borrow_mut();
            memory.drafts.clear();
            memory.unsaved.clear();
            memory.is_reset = true;
        }
        self.change(&|drafts| {
            for key in Object::keys(drafts) {
                let _ = Reflect::delete_property(drafts, &key);
            }
        });
    }
}

impl Memory {
    fn put(&mut self, key: &str, draft: Option<JsonMap>) {
        match self.drafts.iter_mut().find(|(known, _)| known == key) {
            Some((_, known)) => *known = draft,
            None => self.drafts.push((key.to_owned(), draft)),
        }
    }
}

/// Draft of that key in the history, unless it is too old.
fn read(property: &str, key: &str) -> Option<JsonMap> {
    let state = window().history().ok()?.state().ok()?;
    let drafts = Reflect::get(&state, &property.into()).ok()?;
    let entry = json::value_of(&Reflect::get(&drafts, &key.into()).ok()?)?;
    let entry = Fields::of(&entry)?;
    let age_ms = Clock::browser().now().0 - entry.integer("at");
    (0..MAX_AGE_MS)
        .contains(&age_ms)
        .then(|| entry.map("answers"))
}

/// Draft in the history's format; `None` if it is too long.
fn serialized(draft: JsonMap) -> Option<JsValue> {
    let mut entry = JsonMap::new();
    entry.insert("at".to_owned(), Value::from(Clock::browser().now().0));
    entry.insert("answers".to_owned(), Value::Object(draft));
    let text = serde_json::to_string(&entry).ok()?;
    (text.len() <= MAX_BYTES).then(|| JSON::parse(&text).ok())?
}

/// Changes the drafts in the state of the current history entry, and nothing else there. Some pages cannot use the
/// history, and some keep a state there that cannot be extended: their drafts are kept in memory only.
fn change(property: &str, change: &dyn Fn(&Object)) {
    let Ok(history) = window().history() else {
        return;
    };
    let Some(state) = history.state().ok().and_then(shallow_copy) else {
        return;
    };
    let before = Reflect::get(&state, &property.into()).unwrap_or_default();
    let had_drafts = before.is_object();
    let Some(drafts) = shallow_copy(before) else {
        return;
    };
    change(&drafts);
    let has_drafts = Object::keys(&drafts).length() > 0;
    if has_drafts {
        // Setting a key of a fresh plain object cannot fail.
        let _ = Reflect::set(&state, &property.into(), &drafts);
    } else if had_drafts {
        let _ = Reflect::delete_property(&state, &property.into());
    } else {
        return;
    }
    // Most pages have no state.
    let is_empty = Object::keys(&state).length() == 0;
    let state = if is_empty {
        JsValue::NULL
    } else {
        state.into()
    };
    // Fails in some sandboxes.
    let _ = history.replace_state(&state, "");
}

/// Copy of a plain object, empty for null or undefined, `None` for others.
pub(super) fn shallow_copy(value: JsValue) -> Option<Object> {
    let copy = Object::new();
    if value.is_null() || value.is_undefined() {
        return Some(copy);
    }
    let is_plain =
        value.is_object() && Object::get_prototype_of(&value) == Object::get_prototype_of(&copy);
    is_plain.then(|| Object::assign(&copy, value.unchecked_ref()))
}
