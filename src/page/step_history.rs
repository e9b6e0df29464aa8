//! Steps of a booking flow in the history of the page: in the address, where the app owns it, or in the state of the
//! history entries, where the address is the page's.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::Duration;

use booking_ui::prelude::*;
use booking_wire::PublicEventType;
use js_sys::{Object, Reflect};
use wasm_bindgen::JsValue;
use web_sys::History;

use super::draft_store::shallow_copy;
use super::step_place::StepPlace;

/// Property of `history.state` that holds places by element. The other properties are the page's.
const PROPERTY: &str = "bookingSteps";

/// Property beside the places: key of the element that added the history entry.
const ADDED_BY: &str = "addedBy";

/// Property beside the places: number of the history entry among those that elements added.
const NUMBER: &str = "number";

/// Property beside the places: address that they belong to. Routers may copy a state to another one.
const ADDRESS: &str = "address";

/// Minimum time between two changes of an entry: Safari refuses more than 100 in 30 seconds, drafts included.
const WRITE_INTERVAL: Duration = Duration::from_millis(600);

/// Timeout of a step back.
const BACK_TIMEOUT: Duration = Duration::from_secs(2);

/// Storage of places in history entries.
pub trait StepStore {
    /// Place of the current entry; `None` if that is not one of the flow.
    fn read(&self) -> Option<StepPlace>;
    /// Writes a place to the current entry, or adds an entry for it.
    fn write(&self, place: &StepPlace, is_step: bool);
    /// Sets the event type, for places without a booking after one with a booking.
    fn set_event_type(&self, _event_type: &PublicEventType) {}
}

/// Steps of one flow in the history.
#[derive(Clone, Copy)]
pub struct StepHistory {
    /// Key of the flow among those of the page.
    key: StoredValue<String>,
    /// `None` for an element whose later steps have not been loaded yet.
    store: StoredValue<Option<Rc<dyn StepStore>>>,
    /// Place of the current entry, once everything is written.
    place: StoredValue<StepPlace>,
    /// Counts the entries that the visitor went to.
    arrivals: RwSignal<u32>,
    is_return: bool,
    is_scheduled: StoredValue<bool>,
    is_going_back: StoredValue<bool>,
    /// True if the last arrival was that of an own step back.
    has_returned: StoredValue<bool>,
    is_followed: StoredValue<bool>,
    /// Number of the current entry.
    number: StoredValue<u32>,
    /// True if the last arrival was at an earlier entry.
    has_gone_back: StoredValue<bool>,
}

impl StepHistory {
    /// Steps of a flow with its own `store`.
    pub fn new(key: &str, store: Rc<dyn StepStore>) -> Self {
        let place = store.read().unwrap_or_default();
        Self::at(key.to_owned(), place, Some(store))
    }

    /// Steps of an element for `target`, in the state of the history entries.
    pub fn of_element(target: &str) -> Self {
        let key = unique_key(target);
        let text = steps_here().and_then(|steps| text(&steps, &key));
        let place = StepPlace::parse(&text.unwrap_or_default());
        Self::at(key, place, None)
    }

    fn at(key: String, place: StepPlace, store: Option<Rc<dyn StepStore>>) -> Self {
        Self {
            key: StoredValue::new(key),
            store: StoredValue::new(store),
            place: StoredValue::new(place),
            arrivals: RwSignal::new(0),
            is_return: steps_here().is_some(),
            is_scheduled: StoredValue::new(false),
            is_going_back: StoredValue::new(false),
            has_returned: StoredValue::new(false),
            is_followed: StoredValue::new(false),
            number: StoredValue::new(number()),
            has_gone_back: StoredValue::new(false),
        }
    }

    /// Follows the visitor to other entries until the current owner is disposed. No effect for a view inside one that
    /// follows already.
    pub fn follow(self) {
        if self.is_followed.get_value() {
            return;
        }
        self.is_followed.set_value(true);
        on_cleanup(move || self.is_followed.set_value(false));
        if self.store().is_none() {
            let store: Rc<dyn StepStore> = Rc::new(EntrySteps {
                key: self.key.get_value(),
                address: RefCell::new(address()),
            });
            self.store.set_value(Some(store));
        }
        listen_to(&window(), "popstate", move |_| self.arrive());
    }

    fn store(self) -> Option<Rc<dyn StepStore>> {
        self.store.try_get_value().flatten()
    }

    /// Place of the current entry.
    pub fn place(self) -> StepPlace {
        self.place.get_value()
    }

    /// True if the flow was in the first entry before, as after a reload.
    pub fn is_return(self) -> bool {
        self.is_return
    }

    /// Count of the entries that the visitor went to, tracked.
    pub fn arrivals(self) -> RwSignal<u32> {
        self.arrivals
    }

    /// True between the start of a step back and its arrival.
    pub fn is_going_back(self) -> bool {
        self.is_going_back.try_get_value() == Some(true)
    }

    /// True if the last arrival was that of an own step back: the flow is further already.
    pub fn has_returned(self) -> bool {
        self.has_returned.get_value()
    }

    /// Sets the event type of the flow.
    pub fn set_event_type(self, event_type: &PublicEventType) {
        if let Some(store) = self.store() {
            store.set_event_type(event_type);
        }
    }

    /// Handles another current entry.
    fn arrive(self) {
        let Some(store) = self.store() else {
            return;
        };
        self.is_scheduled.set_value(false);
        self.has_returned.set_value(self.is_going_back());
        self.is_going_back.set_value(false);
        let number = number();
        self.has_gone_back
            .set_value(number < self.number.get_value());
        self.number.set_value(number);
        if let Some(place) = store.read() {
            self.place.set_value(place);
            self.arrivals.update(|count| *count = count.wrapping_add(1));
        }
    }

    /// Adds an entry.
    pub fn push(self, place: StepPlace) {
        self.write(place, true);
    }

    /// Changes the current entry.
    pub fn replace(self, place: StepPlace) {
        self.write(place, false);
    }

    /// Changes the current entry soon: days may change many times in a second.
    pub fn replace_soon(self, place: StepPlace) {
        self.place.set_value(place);
        if self.is_scheduled.try_get_value() != Some(false) {
            return;
        }
        self.is_scheduled.set_value(true);
        let write = move || {
            if self.is_scheduled.try_get_value() == Some(true) {
                // The entry is still the one of the place: arrivals end the schedule.
                self.replace(self.place());
            }
        };
        set_timeout(write, WRITE_INTERVAL);
    }

    /// Goes on to the next entry in the direction of the last arrival, if this flow has added the current one. Returns
    /// true if it does.
    pub fn skip_entry(self) -> bool {
        let step = if self.has_gone_back.get_value() {
            -1
        } else {
            1
        };
        self.has_added_entry() && go(step)
    }

    /// True if this flow has added the current entry.
    fn has_added_entry(self) -> bool {
        let adder = steps_here().and_then(|steps| text(&steps, ADDED_BY));
        adder.is_some() && adder == self.key.try_get_value()
    }

    /// Leaves a step for `place`: goes back one entry, if this flow has added the current one, else changes it.
    pub fn go_back(self, place: StepPlace) {
        if !(self.has_added_entry() && go(-1)) {
            return self.replace(place);
        }
        self.is_going_back.set_value(true);
        let give_up = move || {
            if self.is_going_back() {
                self.is_going_back.set_value(false);
                self.replace(place);
            }
        };
        set_timeout(give_up, BACK_TIMEOUT);
    }

    fn write(self, place: StepPlace, is_step: bool) {
        if let Some(store) = self.store() {
            store.write(&place, is_step);
        }
        self.is_scheduled.set_value(false);
        self.number.set_value(number());
        self.place.set_value(place);
    }
}

/// Goes `step` entries forward or back. Returns false if the page may not.
pub fn go(step: i32) -> bool {
    let history = window().history();
    history.is_ok_and(|history| history.go_with_delta(step).is_ok())
}

thread_local! {
    static KEYS: RefCell<Vec<String>> = const { RefCell::new(Vec::new()) };
}

/// Key of a flow for `target`. Another one on the page gets a longer key, in the order of starts, which is the same
/// after a reload.
fn unique_key(target: &str) -> String {
    let mut key = format!("picker {target}");
    KEYS.with_borrow_mut(|keys| {
        while keys.contains(&key) {
            key.push('+');
        }
        keys.push(key.clone());
    });
    let own = key.clone();
    on_cleanup(move || KEYS.with_borrow_mut(|keys| keys.retain(|key| *key != own)));
    key
}

/// Steps in the state of the history entries: the address stays the page's.
struct EntrySteps {
    key: String,
    /// Address of the last entry with a place.
    address: RefCell<String>,
}

impl StepStore for EntrySteps {
    fn read(&self) -> Option<StepPlace> {
        let steps = steps_here();
        // A link within the page adds an entry without state, at another address: the visitor did not go back.
        if steps.is_none() && *self.address.borrow() != address() {
            return None;
        }
        self.address.replace(address());
        let text = steps.and_then(|steps| text(&steps, &self.key));
        Some(StepPlace::parse(&text.unwrap_or_default()))
    }

    fn write(&self, place: &StepPlace, is_step: bool) {
        let known = steps_here().and_then(|steps| text(&steps, &self.key));
        let text = place.text();
        // Entries without a step keep their state.
        if is_step || known.unwrap_or_default() != text {
            self.address.replace(address());
            write_entry(&self.key, Some(&text), is_step, None);
        }
    }
}

/// Writes the state of the current entry, or of a new one, and its URL. Nothing of the page's in it changes. A page may
/// have a state that cannot be extended, or refuse changes of its history: there are no steps then.
pub fn write_entry(key: &str, text: Option<&str>, is_step: bool, url: Option<&str>) {
    let Ok(history) = window().history() else {
        return;
    };
    let Some(state) = own_copy(&history) else {
        return;
    };
    let steps = steps_here().unwrap_or_default();
    // Setting a key of a fresh plain object cannot fail.
    let set = |name: &str, value: &str| {
        let _ = Reflect::set(&steps, &name.into(), &value.into());
    };
    if is_step {
        set(ADDED_BY, key);
        set(NUMBER, &number_in(&steps).saturating_add(1).to_string());
    }
    if let Some(text) = text {
        set(key, text);
    }
    // An address that has the place itself needs no check.
    let of = url.map_or_else(address, |_| String::new());
    set(ADDRESS, &of);
    let _ = Reflect::set(&state, &PROPERTY.into(), &steps);
    // Fails in some sandboxes, and in Safari after too many calls.
    let _ = match is_step {
        true => history.push_state_with_url(&state, "", url),
        false => history.replace_state_with_url(&state, "", url),
    };
}

/// Copy of the state of the current entry; `None` if it cannot be extended. Turbo would reload the page on a copy of
/// its state.
fn own_copy(history: &History) -> Option<Object> {
    let state = shallow_copy(history.state().ok()?)?;
    let turbo = Reflect::get(&state, &"turbo".into()).unwrap_or_default();
    turbo.is_falsy().then_some(state)
}

/// True if the current entry has steps.
pub fn has_steps() -> bool {
    steps_here().is_some()
}

/// Copy of the steps in the current entry, if they belong to its address.
fn steps_here() -> Option<Object> {
    let state = window().history().ok()?.state().ok()?;
    if !state.is_object() {
        return None;
    }
    let steps = Reflect::get(&state, &PROPERTY.into()).ok()?;
    let steps = shallow_copy(steps).filter(|steps| Object::keys(steps).length() > 0)?;
    let of = text(&steps, ADDRESS).unwrap_or_default();
    (of.is_empty() || of == address()).then_some(steps)
}

/// Number of the current entry; 0 for one that no element added.
fn number() -> u32 {
    steps_here().map_or(0, |steps| number_in(&steps))
}

fn number_in(steps: &JsValue) -> u32 {
    let number = text(steps, NUMBER).and_then(|number| number.parse().ok());
    number.unwrap_or(0)
}

fn address() -> String {
    window().location().href().unwrap_or_default()
}

fn text(object: &JsValue, name: &str) -> Option<String> {
    Reflect::get(object, &name.into()).ok()?.as_string()
}
