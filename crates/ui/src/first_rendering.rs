//! First rendering of a root in several tasks, so that none of them blocks the page for long: most functions are
//! compiled at their first call. What was there before is shown until the last task has ended.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use leptos::prelude::{Owner, document};

use super::context::use_context;
use super::dom::Node;
use super::signal::StoredValue;
use super::task::set_timeout;

/// Tasks of the first rendering of a root, provided as a context. A clone is the same.
#[derive(Clone)]
pub struct FirstRendering(Rc<Tasks>);

struct Tasks {
    /// Number of tasks that have not ended.
    open: Cell<u32>,
    on_end: RefCell<Option<Box<dyn FnOnce()>>>,
}

impl FirstRendering {
    /// Begins with the running task. `on_end` is called when all tasks have ended.
    pub fn begin(on_end: impl FnOnce() + 'static) -> Self {
        Self(Rc::new(Tasks {
            open: Cell::new(1),
            on_end: RefCell::new(Some(Box::new(on_end))),
        }))
    }

    /// Ends the running task.
    pub fn end_task(&self) {
        let open = self.0.open.get().saturating_sub(1);
        self.0.open.set(open);
        if open == 0
            && let Some(on_end) = self.0.on_end.take()
        {
            on_end();
        }
    }

    fn is_over(&self) -> bool {
        self.0.open.get() == 0
    }
}

/// Renders `view` in a task of its own during a first rendering; otherwise at once.
pub fn in_own_task(view: impl FnOnce() -> Node + 'static) -> Node {
    render_later(Box::new(view))
}

/// [`in_own_task`], compiled once for all views.
fn render_later(view: Box<dyn FnOnce() -> Node>) -> Node {
    let rendering = use_context::<FirstRendering>().filter(|rendering| !rendering.is_over());
    let (Some(rendering), Some(owner)) = (rendering, Owner::current()) else {
        return view();
    };
    let outer = StoredValue::new(());
    let place = document().create_comment("");
    let node = Node(place.clone().into());
    rendering.0.open.set(rendering.0.open.get() + 1);
    set_timeout(
        move || {
            if !outer.is_disposed() {
                // Fails only for a hierarchy that the DOM forbids.
                let _ = place.replace_with_with_node_1(&owner.with(view).0);
            }
            rendering.end_task();
        },
        Duration::ZERO,
    );
    node
}
