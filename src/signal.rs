//! What components are given to follow.

use std::rc::Rc;

use leptos::prelude::*;

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
