//! Cached reads: a repeated query is answered from the cache.

use std::future::Future;
use std::pin::Pin;
use std::rc::Rc;

use leptos::prelude::*;

use super::query::{Latest, Load, READ_TIMEOUT_MS, RequestSequence, spawn};
use crate::client::{Abort, ApiError};
use crate::time::{Clock, Instant};
use crate::ui::signal::{ReadSignal, RwSignal, StoredValue};

/// Cache size, more than a visitor views in turn; the oldest entry is dropped.
const MOST_KEPT: usize = 8;

type Answering<T> = Pin<Box<dyn Future<Output = Result<T, ApiError>>>>;

/// Result of a changing query, with a cache of earlier results.
pub struct CachedResource<Q: 'static, T: 'static> {
    latest: Latest<T>,
    memory: StoredValue<Memory<Q, T>>,
}

impl<Q, T> Clone for CachedResource<Q, T> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<Q, T> Copy for CachedResource<Q, T> {}

struct Memory<Q, T> {
    fetch: Rc<dyn Fn(Q, Abort) -> Answering<T>>,
    clock: Clock,
    fresh_ms: i64,
    /// Oldest first.
    kept: Vec<Kept<Q, T>>,
    /// Current query.
    question: Option<Q>,
    /// Prefetched query, which will probably be the next.
    ahead: Option<(Q, Abort)>,
    /// True if the data shown stays when a reload fails.
    is_quiet: bool,
}

struct Kept<Q, T> {
    question: Q,
    answer: T,
    at: Instant,
}

impl<Q: Clone + PartialEq, T: Clone> Memory<Q, T> {
    /// Returns the cached data of `question`, and true if it is fresh.
    fn answer(&self, question: &Q) -> Option<(T, bool)> {
        let kept = self.kept.iter().find(|kept| kept.question == *question)?;
        Some((kept.answer.clone(), self.age_ms(kept) < self.fresh_ms))
    }

    /// Returns the age, never negative: a clock may be set back.
    fn age_ms(&self, kept: &Kept<Q, T>) -> i64 {
        (self.clock.now().0 - kept.at.0).abs()
    }

    fn keep(&mut self, question: Q, answer: T) {
        self.kept.retain(|kept| kept.question != question);
        if self.kept.len() >= MOST_KEPT {
            self.kept.remove(0);
        }
        let at = self.clock.now();
        self.kept.push(Kept {
            question,
            answer,
            at,
        });
    }
}

/// Variant of [`latest`](super::query::latest) with a cache: data younger than `fresh_ms` is not requested again,
/// older data is shown during the reload.
pub fn cached<Q, T, F>(
    question: impl Fn() -> Option<Q> + 'static,
    fetch: impl Fn(Q, Abort) -> F + 'static,
    clock: Clock,
    fresh_ms: i64,
) -> CachedResource<Q, T>
where
    Q: Clone + PartialEq + 'static,
    T: Clone + 'static,
    F: Future<Output = Result<T, ApiError>> + 'static,
{
    let remembered = CachedResource {
        latest: Latest {
            value: RwSignal::new(Load::Pending),
            course: RequestSequence::new(),
        },
        memory: StoredValue::new(Memory {
            fetch: Rc::new(move |question, abort| Box::pin(fetch(question, abort))),
            clock,
            fresh_ms,
            kept: Vec::new(),
            question: None,
            ahead: None,
            is_quiet: false,
        }),
    };
    on_cleanup(move || remembered.end_ahead());
    let course = remembered.latest.course;
    course.run(Box::new(move |is_repeat| {
        remembered.follow(question(), is_repeat);
    }));
    remembered
}

impl<Q, T> CachedResource<Q, T>
where
    Q: Clone + PartialEq + 'static,
    T: Clone + 'static,
{
    /// Returns the current state.
    pub fn signal(self) -> ReadSignal<Load<T>> {
        self.latest.signal()
    }

    /// Signal that is true while a request is in progress, even if older data is shown.
    pub fn is_busy(self) -> ReadSignal<bool> {
        self.latest.is_busy()
    }

    /// Signal that is true once a request takes longer than people expect.
    pub fn is_slow(self) -> ReadSignal<bool> {
        self.latest.is_slow()
    }

    /// Reloads the current query and clears the cache, after a change that may affect all entries. The old
    /// data stays until the response.
    pub fn again(self) {
        self.change(|memory| {
            memory.kept.clear();
            memory.is_quiet = false;
        });
        self.end_ahead();
        self.latest.again();
    }

    /// Reloads the current query in the background: if that fails, the old data stays.
    pub fn refresh(self) {
        if self.latest.course.is_busy.try_get_untracked() == Some(false) {
            self.change(|memory| memory.is_quiet = true);
            self.latest.again();
        }
    }

    /// Returns the age of the data shown, in milliseconds.
    pub fn age_ms(self) -> Option<i64> {
        self.change(|memory| {
            let question = memory.question.as_ref()?;
            let kept = memory.kept.iter().find(|kept| kept.question == *question)?;
            Some(memory.age_ms(kept))
        })
        .flatten()
    }

    /// Prefetches a query that will probably be the next.
    pub fn ahead(self, question: Q) {
        let task = self.change(|memory| {
            let is_known = memory
                .answer(&question)
                .is_some_and(|(_, is_fresh)| is_fresh);
            // Nor is a prefetch aborted that has become the current query.
            let is_busy = memory.question.as_ref() == Some(&question)
                || matches!(&memory.ahead, Some((asked, _))
                    if *asked == question || memory.question.as_ref() == Some(asked));
            if is_known || is_busy {
                return None;
            }
            let abort = Abort::after(READ_TIMEOUT_MS);
            let before = memory.ahead.replace((question.clone(), abort.clone()));
            let answer = (memory.fetch)(question.clone(), abort);
            Some((before, answer))
        });
        let Some((before, answer)) = task.flatten() else {
            return;
        };
        if let Some((_, abort)) = before {
            abort.abort();
        }
        spawn(Box::pin(async move {
            let answer = answer.await;
            self.come_ahead(question, answer);
        }));
    }

    /// Shows the cached data of `question`, and requests it if it is missing or stale.
    fn follow(self, question: Option<Q>, is_repeat: bool) {
        let Latest { value, course } = self.latest;
        let is_repeat = is_repeat || value.with_untracked(Load::lacks_credentials);
        let before = self.change(|memory| {
            let before = std::mem::replace(&mut memory.question, question.clone());
            let known = question.as_ref().and_then(|asked| memory.answer(asked));
            let is_ahead = matches!(
                (&memory.ahead, &question),
                (Some((ahead, _)), Some(asked)) if ahead == asked
            );
            (before, known, is_ahead)
        });
        let Some((before, known, is_ahead)) = before else {
            return;
        };
        let is_same = before == question;
        if is_same && !is_repeat {
            return;
        }
        let is_fresh = known.as_ref().is_some_and(|(_, is_fresh)| *is_fresh);
        let has_failed = value.with_untracked(|value| matches!(value, Load::Failed(_)));
        match known {
            Some((answer, _)) if !is_same => value.set(Load::Ready(answer)),
            None if before.is_some() && !is_same || has_failed => value.set(Load::Pending),
            _ => {}
        }
        if !is_same {
            // If the reload of stale data fails, the stale data stays.
            self.change(|memory| memory.is_quiet = true);
        }
        course.stop();
        let Some(question) = question else { return };
        if is_fresh && !is_repeat {
            return;
        }
        let (number, abort) = course.start();
        if is_ahead {
            // The prefetch is already in progress.
            return;
        }
        let Some(answer) = self.change(|memory| (memory.fetch)(question.clone(), abort)) else {
            return;
        };
        spawn(Box::pin(async move {
            let answer = answer.await;
            if course.settle(number) {
                self.settle(question, answer);
            }
        }));
    }

    fn settle(self, question: Q, answer: Result<T, ApiError>) {
        let value = self.latest.value;
        match answer {
            Ok(answer) => {
                self.change(|memory| memory.keep(question, answer.clone()));
                value.set(Load::Ready(answer));
            }
            Err(error) => {
                let is_quiet = self.change(|memory| memory.is_quiet).unwrap_or(false);
                let has_answer = value.with_untracked(|value| value.ready().is_some());
                if !(is_quiet && has_answer) {
                    value.set(Load::Failed(error));
                }
            }
        }
    }

    fn come_ahead(self, question: Q, answer: Result<T, ApiError>) {
        let stands = self.change(|memory| {
            // Another prefetch may have replaced it, or the cache was cleared.
            let is_wanted = matches!(&memory.ahead, Some((asked, _)) if *asked == question);
            if !is_wanted {
                return false;
            }
            memory.ahead = None;
            if let Ok(answer) = &answer {
                memory.keep(question.clone(), answer.clone());
            }
            memory.question.as_ref() == Some(&question)
        });
        if stands != Some(true) {
            return;
        }
        if answer.is_ok() {
            self.latest.course.stop();
            self.settle(question, answer);
        } else {
            self.latest.again();
        }
    }

    fn end_ahead(self) {
        let ahead = self.change(|memory| memory.ahead.take());
        if let Some((_, abort)) = ahead.flatten() {
            abort.abort();
        }
    }

    /// Changes the cache; `None` after disposal.
    fn change<R>(self, change: impl FnOnce(&mut Memory<Q, T>) -> R) -> Option<R> {
        self.memory.try_update_value(change)
    }
}
