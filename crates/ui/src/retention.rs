//! Values of views, and how long they can be read: epoch-based reclamation.
//!
//! A value belongs to the view in which it was created. The disposal of the view ends its changes, but not its reads:
//! code that began before may still have handles of it. So a disposed value is freed once no such code is left.
//!
//! - **Synchronous code.** A job is what the browser runs until the stack is empty: a listener, a call by the page, and
//!   all that they call. Values are freed after the job that disposed of them, in a microtask.
//! - **Asynchronous code.** A task, a timer and a frame are sections, from their start to their end. A disposed value is
//!   kept for the sections that began before its disposal, or in the same job. A section that another one starts
//!   counts as begun with that one, as it may have its handles.
//!
//! Jobs that dispose of values are the epochs: their numbers order sections and disposals. A long section retains all
//! that is disposed of during it, of any view. So listeners and intervals are no sections: they end with their view. And
//! a timer of more than some seconds is cleared with its view (`many_elements::hundreds_of_removed_elements_leak_nothing`).

use std::any::Any;
use std::cell::RefCell;
use std::collections::VecDeque;
use std::rc::Rc;

use leptos::prelude::StoredValue;

thread_local! {
    static VALUES: RefCell<Values> = const { RefCell::new(Values::new()) };
}

/// A value of the current view.
#[derive(Clone, Copy)]
pub(super) struct Handle {
    index: usize,
    /// Differs from that of the slot once the value is freed.
    version: u32,
}

/// Place of a value, used again after it is freed.
#[derive(Default)]
struct Slot {
    version: u32,
    content: Option<Rc<dyn Any>>,
    is_disposed: bool,
}

struct Values {
    slots: Vec<Slot>,
    /// Indexes of slots without a value.
    vacant: Vec<usize>,
    /// Disposed values that are not freed: job of the disposal, and index. Jobs ascend.
    disposed: VecDeque<(u32, usize)>,
    /// Number of the current job.
    job: u32,
    /// True if the job is counted when it ends.
    is_counted: bool,
    sections: Vec<Section>,
    /// Number of sections so far.
    count: u32,
    /// Job of the section that is running.
    running: Option<u32>,
}

/// Disposes of its value when the owner of the view drops it.
struct Disposal(Handle);

impl Drop for Disposal {
    fn drop(&mut self) {
        // Fails only at the end of a thread.
        let _ = VALUES.try_with(|values| values.borrow_mut().dispose(self.0));
    }
}

/// Stores `content` in the current view.
pub(super) fn store(content: Rc<dyn Any>) -> Handle {
    let handle = VALUES.with_borrow_mut(|values| values.insert(content));
    // Owners drop their values after all cleanup functions, which therefore find them.
    StoredValue::new(Disposal(handle));
    handle
}

impl Handle {
    /// Returns the value. Panics if it is freed.
    #[expect(
        clippy::unreachable,
        reason = "code that begins after the disposal of a view has no handles of it"
    )]
    pub(super) fn read(self) -> Rc<dyn Any> {
        match self.find(true) {
            Some(content) => content,
            None => unreachable!("read of a value that is freed"),
        }
    }

    /// Returns the value; `None` once its view is disposed.
    pub(super) fn live(self) -> Option<Rc<dyn Any>> {
        self.find(false)
    }

    /// True once the view is disposed.
    pub(super) fn is_disposed(self) -> bool {
        self.live().is_none()
    }

    fn find(self, includes_disposed: bool) -> Option<Rc<dyn Any>> {
        VALUES.with_borrow_mut(|values| match values.slot(self)? {
            slot if includes_disposed || !slot.is_disposed => slot.content.clone(),
            _ => None,
        })
    }
}

impl Values {
    const fn new() -> Self {
        Self {
            slots: Vec::new(),
            vacant: Vec::new(),
            disposed: VecDeque::new(),
            job: 0,
            is_counted: false,
            sections: Vec::new(),
            count: 0,
            running: None,
        }
    }

    fn insert(&mut self, content: Rc<dyn Any>) -> Handle {
        let index = self.vacant.pop().unwrap_or(self.slots.len());
        if index == self.slots.len() {
            self.slots.push(Slot::default());
        }
        let mut version = 0;
        if let Some(slot) = self.slots.get_mut(index) {
            slot.content = Some(content);
            version = slot.version;
        }
        Handle { index, version }
    }

    fn slot(&mut self, handle: Handle) -> Option<&mut Slot> {
        let slot = self.slots.get_mut(handle.index)?;
        (slot.version == handle.version).then_some(slot)
    }

    fn dispose(&mut self, handle: Handle) {
        let job = self.job;
        if let Some(slot) = self.slot(handle) {
            slot.is_disposed = true;
            self.disposed.push_back((job, handle.index));
        }
        // Native tests end their jobs themselves.
        if !self.is_counted && cfg!(target_arch = "wasm32") {
            self.is_counted = true;
            wasm_bindgen_futures::spawn_local(async { end_job() });
        }
    }

    /// Removes a value that no code can read any more.
    fn take_unreadable(&mut self) -> Option<Rc<dyn Any>> {
        let jobs = self.sections.iter().map(|section| section.job);
        let oldest = jobs.min().unwrap_or(self.job);
        let (job, index) = *self.disposed.front()?;
        if job >= oldest {
            return None;
        }
        self.disposed.pop_front();
        self.vacant.push(index);
        let slot = self.slots.get_mut(index)?;
        slot.is_disposed = false;
        slot.version = slot.version.wrapping_add(1);
        slot.content.take()
    }
}

fn end_job() {
    VALUES.with_borrow_mut(|values| {
        values.job += 1;
        values.is_counted = false;
    });
    free();
}

/// Frees the values that no code can read any more.
fn free() {
    while let Some(content) = VALUES.with_borrow_mut(Values::take_unreadable) {
        // Outside of the borrow, as it may dispose of others.
        drop(content);
    }
}

/// Code that runs later, or in parts.
#[derive(Clone, Copy)]
pub(super) struct Section {
    number: u32,
    /// Job in which it began, or in which the section that started it did.
    job: u32,
}

impl Section {
    /// Begins a section.
    pub(super) fn begin() -> Self {
        VALUES.with_borrow_mut(|values| {
            values.count += 1;
            let section = Self {
                number: values.count,
                job: values.running.unwrap_or(values.job),
            };
            values.sections.push(section);
            section
        })
    }

    /// Runs a part of it.
    pub(super) fn run<R>(self, part: impl FnOnce() -> R) -> R {
        let outer = replace_running(Some(self.job));
        let result = part();
        replace_running(outer);
        result
    }

    /// Runs its only part and ends it.
    pub(super) fn run_once(self, part: Box<dyn FnOnce()>) {
        self.run(part);
        self.end();
    }

    /// Ends it. No effect if it has ended.
    pub(super) fn end(self) {
        VALUES.with_borrow_mut(|values| {
            let is_this = |section: &Section| section.number == self.number;
            if let Some(index) = values.sections.iter().position(is_this) {
                values.sections.swap_remove(index);
            }
        });
        free();
    }
}

fn replace_running(job: Option<u32>) -> Option<u32> {
    VALUES.with_borrow_mut(|values| std::mem::replace(&mut values.running, job))
}

#[cfg(test)]
mod tests {
    use std::rc::Weak;

    use leptos::prelude::Owner;

    use super::*;

    /// A view with one value.
    fn view() -> (Owner, Handle, Weak<dyn Any>) {
        let content: Rc<dyn Any> = Rc::new(1_u8);
        let (owner, weak) = (Owner::new(), Rc::downgrade(&content));
        let handle = owner.with(|| store(content));
        (owner, handle, weak)
    }

    fn is_readable(handle: Handle) -> bool {
        let is_readable = handle.find(true).is_some();
        assert!(handle.live().is_none() && handle.is_disposed());
        is_readable
    }

    #[test]
    fn disposed_value_no_section_is_freed_after_job() {
        let (owner, handle, content) = view();
        assert!(handle.live().is_some() && !handle.is_disposed());
        owner.cleanup();
        assert!(is_readable(handle));
        end_job();
        assert!(!is_readable(handle));
        assert!(content.upgrade().is_none());
    }

    #[test]
    fn cleanup_function_finds_live_value() {
        let owner = Owner::new();
        owner.with(|| {
            let handle = store(Rc::new(1_u8));
            Owner::on_cleanup(move || assert!(handle.live().is_some()));
        });
        owner.cleanup();
    }

    #[test]
    fn disposed_value_is_freed_when_last_older_section_ends() {
        let (owner, handle, content) = view();
        let (first, second) = (Section::begin(), Section::begin());
        end_job();
        owner.cleanup();
        end_job();
        let younger = Section::begin();
        first.end();
        assert!(is_readable(handle));
        second.end();
        assert!(!is_readable(handle));
        assert!(content.upgrade().is_none());
        younger.end();
    }

    #[test]
    fn disposed_value_section_begun_in_same_job_is_retained() {
        let (owner, handle, _) = view();
        owner.cleanup();
        let section = Section::begin();
        end_job();
        assert!(is_readable(handle));
        section.end();
        assert!(!is_readable(handle));
    }

    #[test]
    fn section_started_by_older_section_retains_like_it() {
        let (owner, handle, _) = view();
        let outer = Section::begin();
        owner.cleanup();
        end_job();
        let inner = outer.run(Section::begin);
        outer.end();
        assert!(is_readable(handle));
        let innermost = inner.run(|| inner.run(Section::begin));
        inner.end();
        end_job();
        assert!(is_readable(handle));
        innermost.end();
        assert!(!is_readable(handle));
        assert_eq!(VALUES.with_borrow(|values| values.sections.len()), 0);
    }

    #[test]
    fn freed_value_may_own_a_view() {
        let (inner, handle, content) = view();
        let outer = Owner::new();
        outer.with(|| store(Rc::new(inner)));
        outer.cleanup();
        end_job();
        assert!(is_readable(handle));
        end_job();
        assert!(content.upgrade().is_none());
    }
}
