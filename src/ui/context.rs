//! Context: values that a view provides to its descendants.
//!
//! Same interface as the context of Leptos, whose lookup is compiled for each type; here it is compiled once. A
//! view that provides a value copies the context as it is then: provide values before creating child views.

use std::any::{Any, TypeId};
use std::rc::Rc;

use send_wrapper::SendWrapper;

/// All context values of a view, one for each type.
#[derive(Clone)]
struct ContextMap(SendWrapper<Rc<[Entry]>>);

/// A value with its type.
type Entry = (TypeId, Rc<dyn Any>);

/// Provides `value` to this view and its descendants, replacing another value of its type.
pub fn provide_context<T: 'static>(value: T) {
    provide(TypeId::of::<T>(), Rc::new(value));
}

/// Returns the value of this type; `None` if there is none.
pub fn use_context<T: Clone + 'static>() -> Option<T> {
    find(TypeId::of::<T>())?.downcast_ref().cloned()
}

fn provide(kind: TypeId, value: Rc<dyn Any>) {
    let outer = leptos::prelude::use_context::<ContextMap>();
    let entries = outer.iter().flat_map(|map| map.0.iter());
    let others = entries.filter(|(other, _)| *other != kind).cloned();
    let all = others.chain([(kind, value)]).collect();
    leptos::prelude::provide_context(ContextMap(SendWrapper::new(all)));
}

fn find(kind: TypeId) -> Option<Rc<dyn Any>> {
    let map = leptos::prelude::use_context::<ContextMap>()?;
    let found = map.0.iter().find(|(other, _)| *other == kind);
    found.map(|(_, value)| Rc::clone(value))
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
}
