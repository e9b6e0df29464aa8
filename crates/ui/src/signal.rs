//! Signals, stored values and callbacks for components.
//!
//! Same interfaces as in Leptos, whose code is compiled for each `T`. Here it is compiled once: only the value
//! behind the handle differs.
//!
//! - **Disposal.** A value belongs to the view in which it was created. Once that is disposed, setting or calling has no
//!   effect, and `try_…` returns `None`. Code that began before still reads the last value (`retention.rs`).
//! - **Borrows.** The value is borrowed while a closure given to `with` or `update` runs: the closure only reads or
//!   changes the value. Callbacks and events come after it, because they may set the same signal. No value is
//!   borrowed while subscribers are notified, a [`Callback`] runs or an old value is dropped.

use std::cell::RefCell;
use std::marker::PhantomData;
use std::rc::Rc;

use leptos::prelude::{ArcMemo, ArcTrigger, Effect, Get, Notify, Track, untrack};
use send_wrapper::SendWrapper;

use super::retention::{Handle, store};

// Not generic, and so compiled in this crate alone: each crate compiles the generic code that it uses.

fn track(trigger: &ArcTrigger) {
    trigger.track();
}

fn notify(trigger: &ArcTrigger) {
    trigger.notify();
}

/// Returns the value of `handle`; `None` once its view is disposed.
fn try_load<V: 'static>(handle: Handle) -> Option<Rc<V>> {
    handle.live()?.downcast().ok()
}

/// Returns the value of `handle`, also of a view that was disposed after the running code began.
#[expect(
    clippy::unreachable,
    reason = "the type of a handle's value is fixed where the handle is created, in this file"
)]
fn load<V: 'static>(handle: Handle) -> Rc<V> {
    match handle.read().downcast() {
        Ok(value) => value,
        Err(_) => unreachable!("value of another type"),
    }
}

/// A value that event handlers change and views subscribe to.
pub struct RwSignal<T: 'static>(Handle, PhantomData<fn() -> T>);

struct SignalState<T> {
    trigger: ArcTrigger,
    value: RefCell<T>,
}

impl<T> Clone for RwSignal<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for RwSignal<T> {}

impl<T: Default> Default for RwSignal<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> RwSignal<T> {
    /// Creates it with `value`.
    pub fn new(value: T) -> Self {
        let state = SignalState {
            trigger: ArcTrigger::new(),
            value: RefCell::new(value),
        };
        Self(store(Rc::new(state)), PhantomData)
    }

    /// Calls `read` with the value and subscribes.
    pub fn with<R>(self, read: impl FnOnce(&T) -> R) -> R {
        let state = load::<SignalState<T>>(self.0);
        track(&state.trigger);
        read(&state.value.borrow())
    }

    /// Calls `read` with the value without subscribing.
    pub fn with_untracked<R>(self, read: impl FnOnce(&T) -> R) -> R {
        read(&load::<SignalState<T>>(self.0).value.borrow())
    }

    /// Returns the value and subscribes.
    pub fn get(self) -> T
    where
        T: Clone,
    {
        self.with(T::clone)
    }

    /// Returns the value without subscribing.
    pub fn get_untracked(self) -> T
    where
        T: Clone,
    {
        self.with_untracked(T::clone)
    }

    /// Calls `read` with the value without subscribing; `None` once the view is disposed.
    pub fn try_with_untracked<R>(self, read: impl FnOnce(&T) -> R) -> Option<R> {
        Some(read(&try_load::<SignalState<T>>(self.0)?.value.borrow()))
    }

    /// Returns the value without subscribing; `None` once the view is disposed.
    pub fn try_get_untracked(self) -> Option<T>
    where
        T: Clone,
    {
        self.try_with_untracked(T::clone)
    }

    /// Sets the value and notifies subscribers. No effect once the view is disposed.
    pub fn set(self, value: T) {
        if let Some(state) = try_load::<SignalState<T>>(self.0) {
            // Dropping the old value may read this signal.
            let before = state.value.replace(value);
            drop(before);
            notify(&state.trigger);
        }
    }

    /// Changes the value with `change` and notifies subscribers. No effect once the view is disposed.
    pub fn update(self, change: impl FnOnce(&mut T)) {
        if let Some(state) = try_load::<SignalState<T>>(self.0) {
            change(&mut state.value.borrow_mut());
            notify(&state.trigger);
        }
    }

    /// Returns a read-only handle.
    pub fn read_only(self) -> ReadSignal<T> {
        ReadSignal(self)
    }
}

/// An event that views subscribe to.
#[derive(Clone, Copy)]
pub struct Trigger(RwSignal<()>);

impl Default for Trigger {
    fn default() -> Self {
        Self::new()
    }
}

impl Trigger {
    /// Creates a trigger.
    pub fn new() -> Self {
        Self(RwSignal::new(()))
    }

    /// Subscribes.
    pub fn track(self) {
        self.0.get();
    }

    /// Notifies subscribers. No effect once the view is disposed.
    pub fn notify(self) {
        self.0.set(());
    }
}

/// A read-only signal.
pub struct ReadSignal<T: 'static>(RwSignal<T>);

impl<T> Clone for ReadSignal<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for ReadSignal<T> {}

impl<T> ReadSignal<T> {
    /// Calls `read` with the value and subscribes.
    pub fn with<R>(self, read: impl FnOnce(&T) -> R) -> R {
        self.0.with(read)
    }

    /// Calls `read` with the value without subscribing.
    pub fn with_untracked<R>(self, read: impl FnOnce(&T) -> R) -> R {
        self.0.with_untracked(read)
    }

    /// Returns the value and subscribes.
    pub fn get(self) -> T
    where
        T: Clone,
    {
        self.0.get()
    }

    /// Returns the value without subscribing.
    pub fn get_untracked(self) -> T
    where
        T: Clone,
    {
        self.0.get_untracked()
    }
}

/// A value of any source: a function that a view calls where it needs the value, and again when the value
/// changes.
pub struct Signal<T: 'static>(Handle, PhantomData<fn() -> T>);

struct Getter<T>(Box<dyn Fn() -> T>);

impl<T> Clone for Signal<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Signal<T> {}

impl<T> Signal<T> {
    /// Derives it from the signals that `read` reads.
    pub fn derive(read: impl Fn() -> T + 'static) -> Self {
        let getter = Rc::new(Getter(Box::new(read)));
        Self(store(getter), PhantomData)
    }

    /// Computes the value once for all subscribers, and notifies them only if it differs.
    pub fn memo(read: impl Fn() -> T + 'static) -> Self
    where
        T: Clone + PartialEq,
    {
        Self::memo_after(move |_| read())
    }

    /// Computes the value from the previous one, which is `None` at first; otherwise as [`Self::memo`].
    pub fn memo_after(read: impl Fn(Option<&T>) -> T + 'static) -> Self
    where
        T: Clone + PartialEq,
    {
        let cache = Rc::new(RefCell::new(None::<T>));
        let read = Rc::new(read);
        let changes = {
            let (cache, read) = (Rc::clone(&cache), Rc::clone(&read));
            count_changes(Box::new(move || {
                let value = read(cache.borrow().as_ref());
                let is_new = cache.borrow().as_ref() != Some(&value);
                if is_new {
                    cache.replace(Some(value));
                }
                is_new
            }))
        };
        Self::derive(move || {
            changes.get();
            let value = cache.borrow().clone();
            value.unwrap_or_else(|| read(None))
        })
    }

    /// Returns the value and subscribes.
    pub fn get(self) -> T {
        (load::<Getter<T>>(self.0).0)()
    }

    /// Returns the value without subscribing.
    pub fn get_untracked(self) -> T {
        untrack(|| self.get())
    }

    /// Calls `read` with the value and subscribes.
    pub fn with<R>(self, read: impl FnOnce(&T) -> R) -> R {
        read(&self.get())
    }

    /// Calls `read` with the value without subscribing.
    pub fn with_untracked<R>(self, read: impl FnOnce(&T) -> R) -> R {
        read(&self.get_untracked())
    }
}

/// A value of a view that is not reactive.
pub struct StoredValue<T: 'static>(Handle, PhantomData<fn() -> T>);

struct StoredState<T>(RefCell<T>);

impl<T> Clone for StoredValue<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for StoredValue<T> {}

impl<T: Default> Default for StoredValue<T> {
    fn default() -> Self {
        Self::new(T::default())
    }
}

impl<T> StoredValue<T> {
    /// Creates it with `value`.
    pub fn new(value: T) -> Self {
        Self(
            store(Rc::new(StoredState(RefCell::new(value)))),
            PhantomData,
        )
    }

    /// Calls `read` with the value.
    pub fn with_value<R>(self, read: impl FnOnce(&T) -> R) -> R {
        read(&load::<StoredState<T>>(self.0).0.borrow())
    }

    /// Calls `read` with the value; `None` once the view is disposed.
    pub fn try_with_value<R>(self, read: impl FnOnce(&T) -> R) -> Option<R> {
        let stored = try_load::<StoredState<T>>(self.0)?;
        let value = stored.0.borrow();
        Some(read(&value))
    }

    /// Returns the value.
    pub fn get_value(self) -> T
    where
        T: Clone,
    {
        self.with_value(T::clone)
    }

    /// Returns the value; `None` once the view is disposed.
    pub fn try_get_value(self) -> Option<T>
    where
        T: Clone,
    {
        self.try_with_value(T::clone)
    }

    /// Sets the value. No effect once the view is disposed.
    pub fn set_value(self, value: T) {
        if let Some(stored) = try_load::<StoredState<T>>(self.0) {
            // Dropping the old value may read this one.
            let before = stored.0.replace(value);
            drop(before);
        }
    }

    /// Changes the value with `change` and returns its result; `None` once the view is disposed.
    pub fn try_update_value<R>(self, change: impl FnOnce(&mut T) -> R) -> Option<R> {
        let stored = try_load::<StoredState<T>>(self.0)?;
        let mut value = stored.0.borrow_mut();
        Some(change(&mut value))
    }

    /// Changes the value with `change`. No effect once the view is disposed.
    pub fn update_value(self, change: impl FnOnce(&mut T)) {
        let _ = self.try_update_value(change);
    }

    /// True once the view is disposed.
    pub fn is_disposed(self) -> bool {
        self.0.is_disposed()
    }
}

/// Handler that a component calls on an event.
pub struct Callback<T: 'static>(Handle, PhantomData<fn(T)>);

struct Handler<T>(Box<dyn Fn(T)>);

impl<T> Clone for Callback<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Callback<T> {}

impl<T> Callback<T> {
    /// Calls `handler`, until the view in which it was created is disposed.
    pub fn new(handler: impl Fn(T) + 'static) -> Self {
        let handler = Rc::new(Handler(Box::new(handler)));
        Self(store(handler), PhantomData)
    }

    /// Calls the handler. No effect once the view is disposed.
    pub fn run(self, argument: T) {
        if let Some(handler) = try_load::<Handler<T>>(self.0) {
            (handler.0)(argument);
        }
    }
}

impl<T, F: Fn(T) + 'static> From<F> for Callback<T> {
    fn from(handler: F) -> Self {
        Self::new(handler)
    }
}

/// Counts how often `is_new` returns true.
fn count_changes(is_new: Box<dyn Fn() -> bool>) -> ArcMemo<u32> {
    let is_new = SendWrapper::new(is_new);
    ArcMemo::new(move |before: Option<&u32>| {
        let count = before.copied().unwrap_or(0);
        if is_new() {
            count.wrapping_add(1)
        } else {
            count
        }
    })
}

/// Effect: runs `run` after rendering, and again whenever a signal that it read changes. For side effects, as
/// Leptos' `Effect`, but compiled once.
pub fn effect(run: impl FnMut() + 'static) {
    effect_boxed(Box::new(run));
}

/// [`effect`] whose `run` receives its previous result, `None` at first.
pub fn effect_after<T: 'static>(mut run: impl FnMut(Option<T>) -> T + 'static) {
    let mut before = None;
    effect(move || before = Some(run(before.take())));
}

fn effect_boxed(mut run: Box<dyn FnMut()>) {
    Effect::new(move |_| run());
}

impl<T: Clone> From<T> for Signal<T> {
    fn from(value: T) -> Self {
        Self::derive(move || value.clone())
    }
}

impl<T: Clone + Default> Default for Signal<T> {
    fn default() -> Self {
        Self::from(T::default())
    }
}

impl<T: Clone> From<RwSignal<T>> for Signal<T> {
    fn from(signal: RwSignal<T>) -> Self {
        Self::derive(move || signal.get())
    }
}

impl<T: Clone> From<ReadSignal<T>> for Signal<T> {
    fn from(signal: ReadSignal<T>) -> Self {
        Self::derive(move || signal.get())
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use leptos::prelude::Owner;

    use super::*;

    #[test]
    fn derived_signals_after_set_have_new_value() {
        let owner = Owner::new();
        owner.with(|| {
            let count = RwSignal::new(3);
            let (half, sign) = (
                Signal::memo(move || count.get() / 2),
                Signal::derive(move || count.with(|count| *count > 0)),
            );
            assert_eq!((half.get(), sign.get()), (1, true));
            count.set(-8);
            assert_eq!((half.get(), sign.get()), (-4, false));
            count.update(|count| *count += 20);
            assert_eq!((half.get(), count.read_only().get()), (6, 12));
        });
    }

    #[test]
    fn memo_after_receives_previous_value() {
        let owner = Owner::new();
        owner.with(|| {
            let word = RwSignal::new(String::from("one"));
            let longest = Signal::memo_after(move |before: Option<&String>| {
                let word = word.get();
                let before = before.filter(|before| before.len() > word.len());
                before.cloned().unwrap_or(word)
            });
            for (text, expected) in [("three", "three"), ("two", "three"), ("eleven", "eleven")] {
                word.set(text.to_owned());
                assert_eq!(longest.get(), expected);
            }
        });
    }

    #[test]
    fn signal_view_disposed_set_has_no_effect_and_read_returns_last_value() {
        let owner = Owner::new();
        let (state, half, stored) = owner.with(|| {
            let state = RwSignal::new(4);
            let half = Signal::memo(move || state.get() / 2);
            (state, half, StoredValue::new(6))
        });
        let runs = Rc::new(Cell::new(0));
        let count = Rc::clone(&runs);
        let run = owner.with(|| Callback::new(move |()| count.set(count.get() + 1)));
        assert!(!stored.is_disposed());
        owner.cleanup();
        state.set(2);
        state.update(|state| *state = 3);
        stored.set_value(1);
        run.run(());
        assert!(stored.is_disposed());
        assert_eq!(runs.get(), 0);
        assert_eq!(
            (state.try_get_untracked(), stored.try_get_value()),
            (None, None)
        );
        assert_eq!((state.get(), half.get(), stored.get_value()), (4, 2, 6));
    }
}
