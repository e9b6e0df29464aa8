//! What components are given to follow.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::*;
use send_wrapper::SendWrapper;

/// A value that a view reads where it needs it, and reads again when it changes.
///
/// It is used as Leptos' own `Signal`, which holds a signal, a memo or a function and brings the code
/// of all three for each `T`. This one is a function, whatever it was made from.
pub struct Signal<T: 'static>(StoredValue<Rc<dyn Fn() -> T>, LocalStorage>);

impl<T> Clone for Signal<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T> Copy for Signal<T> {}

impl<T> Signal<T> {
    /// Follows whatever `read` reads.
    pub fn derive(read: impl Fn() -> T + 'static) -> Self {
        Self(StoredValue::new_local(Rc::new(read)))
    }

    /// Reads once for all who follow it, and tells them of real changes only.
    ///
    /// It is used as Leptos' own `Memo`, which brings its code for each `T`; here that is there once.
    pub fn memo(read: impl Fn() -> T + 'static) -> Self
    where
        T: Clone + PartialEq,
    {
        let kept = Rc::new(RefCell::new(None::<T>));
        let read = Rc::new(read);
        let changes = {
            let (kept, read) = (Rc::clone(&kept), Rc::clone(&read));
            changes(Box::new(move || {
                let value = read();
                let is_new = kept.borrow().as_ref() != Some(&value);
                if is_new {
                    kept.replace(Some(value));
                }
                is_new
            }))
        };
        Self::derive(move || {
            changes.get();
            let value = kept.borrow().clone();
            value.unwrap_or_else(|| read())
        })
    }

    /// The value.
    pub fn get(self) -> T {
        // Taken out first: what is read may store values itself.
        let read = self.0.get_value();
        read()
    }

    /// The value, without following it.
    pub fn get_untracked(self) -> T {
        untrack(|| self.get())
    }

    /// What `look` makes of the value.
    pub fn with<R>(self, look: impl FnOnce(&T) -> R) -> R {
        look(&self.get())
    }

    /// What `look` makes of the value, without following it.
    pub fn with_untracked<R>(self, look: impl FnOnce(&T) -> R) -> R {
        look(&self.get_untracked())
    }
}

/// Counts how often `is_new` holds.
fn changes(is_new: Box<dyn Fn() -> bool>) -> Memo<u32> {
    let is_new = SendWrapper::new(is_new);
    Memo::new(move |before: Option<&u32>| {
        let count = before.copied().unwrap_or(0);
        if is_new() {
            count.wrapping_add(1)
        } else {
            count
        }
    })
}

/// Runs `act` once what is shown is up to date, and again whenever a signal that it read changes: for
/// the world outside, as Leptos' own `Effect`, of which there is one for all.
pub fn follow(act: impl FnMut() + 'static) {
    follow_any(Box::new(act));
}

fn follow_any(mut act: Box<dyn FnMut()>) {
    Effect::new(move |_| act());
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

impl<T: Clone + Send + Sync> From<RwSignal<T>> for Signal<T> {
    fn from(signal: RwSignal<T>) -> Self {
        Self::derive(move || signal.get())
    }
}

impl<T: Clone + Send + Sync> From<ReadSignal<T>> for Signal<T> {
    fn from(signal: ReadSignal<T>) -> Self {
        Self::derive(move || signal.get())
    }
}

impl<T: Clone + Send + Sync> From<Memo<T>> for Signal<T> {
    fn from(memo: Memo<T>) -> Self {
        Self::derive(move || memo.get())
    }
}
