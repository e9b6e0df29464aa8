//! First rendering of a root in several tasks, so that none of them blocks the page for long: most functions are
//! compiled at their first call. What was there before is shown until the last task has ended.

use std::cell::{Cell, RefCell};
use std::rc::Rc;
use std::time::Duration;

use leptos::prelude::{IsDisposed, Owner, document, set_timeout};

use super::context::use_context;
use super::dom::Node;
use super::signal::store;

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

    /// Keeps the first rendering going on until the returned value is dropped.
    fn hold(self) -> Hold {
        self.0.open.set(self.0.open.get() + 1);
        Hold(self)
    }

    fn is_over(&self) -> bool {
        self.0.open.get() == 0
    }
}

/// Keeps a first rendering going on.
pub struct Hold(FirstRendering);

impl Drop for Hold {
    fn drop(&mut self) {
        self.0.end_task();
    }
}

/// Keeps the first rendering of this root, if it is going on, until the returned value is dropped.
pub fn hold_first_rendering() -> Option<Hold> {
    let rendering = use_context::<FirstRendering>();
    rendering
        .filter(|rendering| !rendering.is_over())
        .map(FirstRendering::hold)
}

/// Renders `view` in a task of its own during a first rendering; otherwise at once.
pub fn in_own_task(view: impl FnOnce() -> Node + 'static) -> Node {
    render_later(Box::new(view))
}

/// [`in_own_task`], compiled once for all views.
fn render_later(view: Box<dyn FnOnce() -> Node>) -> Node {
    let (Some(hold), Some(owner)) = (hold_first_rendering(), Owner::current()) else {
        return view();
    };
    // Disposed with the view.
    let handle = store(Rc::new(()));
    let place = document().create_comment("");
    let node = Node(place.clone().into());
    set_timeout(
        move || {
            if !handle.is_disposed() {
                // Fails only for a hierarchy that the DOM forbids.
                let _ = place.replace_with_with_node_1(&owner.with(view).0);
            }
            drop(hold);
        },
        Duration::ZERO,
    );
    node
}
