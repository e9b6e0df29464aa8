//! What views are given by those around them.
//!
//! Used as what Leptos calls the same, which brings its search for each type. Here that is there once. A view
//! that gives something itself keeps what it was given until then: give before the views inside are made.

use std::any::{Any, TypeId};
use std::rc::Rc;

use send_wrapper::SendWrapper;

/// All that was given so far, one of each type.
#[derive(Clone)]
struct Given(SendWrapper<Rc<[One]>>);

/// Something of a type.
type One = (TypeId, Rc<dyn Any>);

/// Gives `value` to this view and to all in it. It takes the place of another one of its type.
pub fn provide_context<T: 'static>(value: T) {
    provide(TypeId::of::<T>(), Rc::new(value));
}

/// What was given of this type; `None` if nothing was.
pub fn use_context<T: Clone + 'static>() -> Option<T> {
    find(TypeId::of::<T>())?.downcast_ref().cloned()
}

fn provide(kind: TypeId, value: Rc<dyn Any>) {
    let known = leptos::prelude::use_context::<Given>();
    let known = known.iter().flat_map(|given| given.0.iter());
    let others = known.filter(|(other, _)| *other != kind).cloned();
    let all = others.chain([(kind, value)]).collect();
    leptos::prelude::provide_context(Given(SendWrapper::new(all)));
}

fn find(kind: TypeId) -> Option<Rc<dyn Any>> {
    let known = leptos::prelude::use_context::<Given>()?;
    let found = known.0.iter().find(|(other, _)| *other == kind);
    found.map(|(_, value)| Rc::clone(value))
}

#[cfg(test)]
mod tests {
    use leptos::prelude::Owner;

    use super::*;

    #[test]
    fn what_is_given_reaches_those_inside_and_no_others() {
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
