//! Reads that follow a changing question: the newest question wins.

mod remembered;

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;
use std::time::Duration;

use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::api::{Abort, ApiError, Refusal};
use crate::context::use_context;
use crate::signal::{ReadSignal, RwSignal, StoredValue, Trigger, follow};

pub use remembered::{Remembered, remembered};

/// How long a read may take before it counts as unanswered.
const READ_TIMEOUT_MS: u64 = 20_000;

/// How long a read takes without a word of explanation.
pub const SLOW_MS: u64 = 4_000;

/// What became of a question.
#[derive(Clone, Debug, PartialEq)]
pub enum Load<T> {
    /// No answer yet.
    Pending,
    /// The answer.
    Ready(T),
    /// There will be none.
    Failed(ApiError),
}

impl<T> Load<T> {
    /// The answer, if there is one.
    pub fn ready(&self) -> Option<&T> {
        match self {
            Self::Ready(value) => Some(value),
            _ => None,
        }
    }

    /// Whether it was refused for want of credentials.
    fn lacks_credentials(&self) -> bool {
        let Self::Failed(error) = self else {
            return false;
        };
        error.is_of_session() || *error == ApiError::Declined(Refusal::NotPublic)
    }
}

/// Calls `tell` with the code of the error each time that an answer cannot be had.
pub fn on_failure<T>(answer: ReadSignal<Load<T>>, tell: impl Fn(&'static str) + 'static) {
    follow(move || {
        let code = answer.with(|answer| match answer {
            Load::Failed(error) => Some(error.code()),
            _ => None,
        });
        // Outside of the look at the answer: the page may call back.
        if let Some(code) = code {
            tell(code);
        }
    });
}

/// Tells that there are credentials again: what was refused for want of them is asked once more.
#[derive(Clone, Copy)]
pub struct Resumed(pub Trigger);

/// The answer to a question that may change.
pub struct Latest<T: 'static> {
    value: RwSignal<Load<T>>,
    course: Course,
}

impl<T: 'static> Clone for Latest<T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<T: 'static> Copy for Latest<T> {}

impl<T: 'static> Latest<T> {
    /// What is known now.
    pub fn signal(self) -> ReadSignal<Load<T>> {
        self.value.read_only()
    }

    /// Whether an answer is awaited, also while an older one is still shown.
    pub fn is_busy(self) -> ReadSignal<bool> {
        self.course.is_busy.read_only()
    }

    /// Whether an answer is awaited for longer than people expect.
    pub fn is_slow(self) -> ReadSignal<bool> {
        self.course.is_slow.read_only()
    }

    /// Asks the same question again. The old answer stays until the new one is there.
    pub fn again(self) {
        self.course.again();
    }

    /// Calls `act` in place of a repeat that had no answer because the session could not be renewed, once it
    /// is: a repeat that nobody asks for by a press must not draw anew what people work in.
    pub fn instead_of_missed(self, act: impl Fn() + 'static) {
        let act: Rc<dyn Fn()> = Rc::new(act);
        self.course
            .change(|request| request.instead_of_missed = Some(act));
    }
}

/// Asks `fetch` whenever `question` changes, and shows an answer only while its question stands:
/// the request of an older question, and of a view that is gone, is aborted. No question, no
/// request.
///
/// `LocalResource` does not do this: it finishes the old request before it asks the new one.
pub fn latest<Q, T, F>(
    question: impl Fn() -> Option<Q> + 'static,
    fetch: impl Fn(Q, Abort) -> F + 'static,
) -> Latest<T>
where
    Q: Clone + PartialEq + 'static,
    T: 'static,
    F: Future<Output = Result<T, ApiError>> + 'static,
{
    let value = RwSignal::new(Load::Pending);
    let course = Course::new();
    let mut before = None;

    course.run(Box::new(move |is_repeat| {
        let question = question();
        let is_first = before.is_none();
        let is_same = before.as_ref() == Some(&question);
        let has_missed = course.takes_missed();
        if has_missed && is_same && !is_repeat {
            let instead = course.change(|request| request.instead_of_missed.clone());
            if let Some(instead) = instead.flatten() {
                return instead();
            }
        }
        let is_repeat = is_repeat || has_missed || value.with_untracked(Load::lacks_credentials);
        if is_same && !is_repeat {
            return;
        }
        before = Some(question.clone());
        // An answer stays while it is asked for again; a failure gives way to the attempt.
        let has_failed = value.with_untracked(|value| matches!(value, Load::Failed(_)));
        if has_failed || !(is_first || is_same) {
            value.set(Load::Pending);
        }
        course.stop();
        let Some(question) = question else { return };
        let (number, abort) = course.start();
        let answer = fetch(question, abort);
        spawn(Box::pin(async move {
            let answer = answer.await;
            if course.settle(number) {
                let is_shown = || {
                    let is_ready = value.try_with_untracked(|value| value.ready().is_some());
                    is_ready == Some(true)
                };
                value.set(match answer {
                    Ok(answer) => Load::Ready(answer),
                    // The old answer stays; the session's notice says that it may be out of date.
                    Err(ApiError::Declined(Refusal::NotRenewed)) if is_shown() => {
                        return course.miss();
                    }
                    Err(error) => Load::Failed(error),
                });
            }
        }));
    }));
    Latest { value, course }
}

/// How requests follow each other, whatever is asked: kept apart from [`latest`], of which there is
/// a copy for each kind of answer.
#[derive(Clone, Copy)]
struct Course {
    is_busy: RwSignal<bool>,
    is_slow: RwSignal<bool>,
    wakes: Trigger,
    resumed: Option<Resumed>,
    request: StoredValue<Request>,
}

/// The newest request.
#[derive(Default)]
struct Request {
    /// Tells its answer from those of older requests.
    number: u32,
    /// Whether the same question is to be asked again.
    is_repeat: bool,
    /// Whether the last repeat got no answer because the session could not be renewed.
    has_missed: bool,
    instead_of_missed: Option<Rc<dyn Fn()>>,
    abort: Option<Abort>,
}

impl Course {
    fn new() -> Self {
        let course = Self {
            is_busy: RwSignal::new(false),
            is_slow: RwSignal::new(false),
            wakes: Trigger::new(),
            resumed: use_context(),
            request: StoredValue::new(Request::default()),
        };
        on_cleanup(move || course.lapse());
        course
    }

    /// Calls `ask` now, whenever a signal that it read changes, and when told to ask again.
    fn run(self, mut ask: Box<dyn FnMut(bool)>) {
        follow(move || {
            self.wakes.track();
            if let Some(Resumed(resumed)) = self.resumed {
                resumed.track();
            }
            let is_repeat = self.change(|request| std::mem::take(&mut request.is_repeat));
            ask(is_repeat.unwrap_or(false));
        });
    }

    fn again(self) {
        self.change(|request| request.is_repeat = true);
        self.wakes.notify();
    }

    /// Notes that an answer is owed once the session can be renewed.
    fn miss(self) {
        self.change(|request| request.has_missed = true);
    }

    /// Whether an answer is owed. Says so once.
    fn takes_missed(self) -> bool {
        self.change(|request| std::mem::take(&mut request.has_missed)) == Some(true)
    }

    /// Nothing is awaited any more.
    fn stop(self) {
        self.lapse();
        self.is_busy.set(false);
        self.is_slow.set(false);
    }

    fn start(self) -> (u32, Abort) {
        let abort = Abort::after(READ_TIMEOUT_MS);
        let number = self.change(|request| {
            request.abort = Some(abort.clone());
            request.number
        });
        let number = number.unwrap_or_default();
        self.is_busy.set(true);
        let tell_slow = move || {
            if self.is_newest(number) {
                self.is_slow
                    .set(self.is_busy.try_get_untracked().unwrap_or(false));
            }
        };
        set_timeout(tell_slow, Duration::from_millis(SLOW_MS));
        (number, abort)
    }

    /// The answer to a request is there. Says whether it is still wanted.
    fn settle(self, number: u32) -> bool {
        let is_wanted = self.is_newest(number);
        if is_wanted {
            self.is_busy.set(false);
            self.is_slow.set(false);
        }
        is_wanted
    }

    /// Ends the request on its way; its answer is not wanted any more.
    fn lapse(self) {
        let abort = self.change(|request| {
            request.number = request.number.wrapping_add(1);
            request.abort.take()
        });
        if let Some(abort) = abort.flatten() {
            abort.abort();
        }
    }

    fn is_newest(self, number: u32) -> bool {
        self.request.try_with_value(|request| request.number) == Some(number)
    }

    /// `None` once the view is gone.
    fn change<R>(self, change: impl FnOnce(&mut Request) -> R) -> Option<R> {
        self.request.try_update_value(change)
    }
}

fn spawn(task: Pin<Box<dyn Future<Output = ()>>>) {
    spawn_local(task);
}
