//! Step of a visitor, kept for the next view of the same element: the page may start the view again at any time.

use std::any::Any;
use std::cell::RefCell;
use std::rc::Rc;

use js_sys::Promise;

use super::attributes::Config;

/// State that the views of one element hand on. Clones share it.
#[derive(Clone, Default)]
pub struct KeptFlow(Rc<RefCell<Kept>>);

#[derive(Default)]
struct Kept {
    /// Configuration of the view that has stored the rest.
    config: Config,
    /// Id of the event type.
    event_type: Option<i64>,
    /// The flow's step, in its own type; `None` for the first step.
    step: Option<Rc<dyn Any>>,
    /// Pending end of the last reservation. The next one waits for it, or would find its slot taken.
    pending_release: Option<Promise>,
}

impl KeptFlow {
    /// Stores the step of a flow.
    pub fn keep(&self, config: &Config, event_type: i64, step: Option<Rc<dyn Any>>) {
        let mut kept = self.0.borrow_mut();
        kept.config = config.clone();
        kept.event_type = Some(event_type);
        kept.step = step;
    }

    /// Id of the event type whose flow was shown, if a view with `config` offers it.
    pub fn event_type(&self, config: &Config) -> Option<i64> {
        let kept = self.0.borrow();
        kept.event_type
            .filter(|_| kept.config.has_same_target(config))
    }

    /// Step of the flow of that event type, if a view with `config` offers it.
    pub fn step(&self, config: &Config, event_type: i64) -> Option<Rc<dyn Any>> {
        let is_same = self.event_type(config) == Some(event_type);
        self.0.borrow().step.clone().filter(|_| is_same)
    }

    /// Forgets event type and step.
    pub fn clear(&self) {
        let mut kept = self.0.borrow_mut();
        kept.event_type = None;
        kept.step = None;
    }

    /// Pending end of the last reservation, if there was one.
    pub fn pending_release(&self) -> Option<Promise> {
        self.0.borrow().pending_release.clone()
    }

    /// Stores the pending end of a reservation.
    pub fn set_pending_release(&self, released: Option<Promise>) {
        self.0.borrow_mut().pending_release = released;
    }
}
