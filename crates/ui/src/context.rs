//! Context: values that a view provides to its descendants, until it is rendered again or removed.
//!
//! Same interface as the context of Leptos, with two differences. The lookup is compiled once, not for each type. And
//! a value ends with the run of the view that provides it: Leptos keeps the values of an owner that is cleared, so that
//! the next screen would find those of the last one, with disposed signals.
//!
//! A view that provides a value continues the context as it is then: provide values before creating child views.

use std::any::{Any, TypeId};
use std::rc::Rc;

use send_wrapper::SendWrapper;

use super::retention::{Handle, store};

/// A value, and the context around it.
struct ContextEntry {
    kind: TypeId,
    value: Handle,
    outer: Option<Context>,
}

type Context = SendWrapper<Rc<ContextEntry>>;

/// Provides `value` to this view and its descendants, replacing another value of its type.
pub fn provide_context<T: 'static>(value: T) {
    provide(TypeId::of::<T>(), Rc::new(value));
}

/// Returns the value of this type; `None` if there is none.
pub fn use_context<T: Clone + 'static>() -> Option<T> {
    find(TypeId::of::<T>())?.downcast_ref().cloned()
}

fn provide(kind: TypeId, value: Rc<dyn Any>) {
    let mut outer = leptos::prelude::use_context::<Context>();
    // The entries of the last run of this view.
    while let Some(entry) = outer.as_ref().filter(|entry| entry.value.is_disposed()) {
        outer = entry.outer.clone();
    }
    let value = store(value);
    let entry = ContextEntry { kind, value, outer };
    leptos::prelude::provide_context(SendWrapper::new(Rc::new(entry)));
}

fn find(kind: TypeId) -> Option<Rc<dyn Any>> {
    let mut entry = leptos::prelude::use_context::<Context>()?;
    loop {
        if entry.kind == kind
            && let Some(value) = entry.value.live()
        {
            return Some(value);
        }
        entry = entry.outer.clone()?;
    }
}

#[cfg(test)]
mod tests {
    use leptos::prelude::Owner;

    use super::*;

    #[test]
    fn provided_value_nested_owner_overrides_only_inside() {
        let outer = Owner::new();
        outer.with(|| {
            assert_eq!(use_context::<u8>(), None);
            provide_context(1_u8);
            provide_context("a word");
            let inner = outer.child();
            inner.with(|| {
                provide_context(2_u8);
                assert_eq!(use_context::<u8>(), Some(2));
                assert_eq!(use_context::<&str>(), Some("a word"));
            });
            assert_eq!(use_context::<u8>(), Some(1));
            provide_context(3_u8);
            assert_eq!(use_context::<u8>(), Some(3));
        });
    }

    #[test]
    fn provided_value_is_gone_when_its_owner_is_cleared() {
        let outer = Owner::new();
        outer.with(|| {
            provide_context(1_u8);
            let screen = outer.child();
            for value in [2_u8, 3] {
                screen.with(|| {
                    assert_eq!(use_context::<u8>(), Some(1));
                    assert_eq!(use_context::<&str>(), None);
                    provide_context(value);
                    provide_context("a word");
                    assert_eq!(use_context::<u8>(), Some(value));
                });
                screen.cleanup();
            }
        });
    }
}
