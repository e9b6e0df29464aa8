//! Answers that are still true: many visitors ask for the same month at the same time.
//!
//! An answer is given again only within the second of the service's clock in which it was made, and
//! only if nothing has been written since; so a booking is seen by whoever asks after it. Writes of
//! another process, such as a command of an administrator, are seen within that second.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use axum::body::Bytes;
use booking_wire::Instant;

/// How many answers are kept, and up to which size each.
const ANSWERS: usize = 256;
const LARGEST: usize = 256 * 1024;

/// What an answer is true for: a second of the clock, and a state of the database.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moment {
    second: i64,
    state: u64,
}

impl Moment {
    /// `state` is that of [`crate::store::Store::state`].
    pub fn new(now: Instant, state: u64) -> Self {
        Self {
            second: now.0.div_euclid(1000),
            state,
        }
    }
}

/// Answers by question, all of one moment. Clones share them.
#[derive(Clone, Debug, Default)]
pub struct Recent(Arc<Mutex<Answers>>);

#[derive(Debug, Default)]
struct Answers {
    moment: Moment,
    by_question: HashMap<String, Bytes>,
}

impl Recent {
    /// The answer to `question`, if it was given in this very moment.
    pub fn get(&self, moment: Moment, question: &str) -> Option<Bytes> {
        let answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let found = answers.by_question.get(question)?;
        (answers.moment == moment).then(|| found.clone())
    }

    /// Keeps an answer. `moment` must have been taken before the answer was begun, and be taken
    /// again after it was made: if they differ, the answer may be old already.
    pub fn keep(&self, moment: Moment, question: &str, answer: &Bytes) {
        if answer.len() > LARGEST {
            return;
        }
        let mut answers = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if answers.moment != moment {
            answers.by_question.clear();
            answers.moment = moment;
        }
        if answers.by_question.len() < ANSWERS {
            answers
                .by_question
                .insert(question.to_owned(), answer.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_is_true_for_its_moment_only() {
        let recent = Recent::default();
        let moment = |ms, state| Moment::new(Instant(ms), state);
        recent.keep(moment(10_100, 1), "a", &Bytes::from_static(b"A"));
        assert_eq!(recent.get(moment(10_900, 1), "a").unwrap(), "A");
        assert_eq!(recent.get(moment(10_900, 1), "b"), None);
        assert_eq!(recent.get(moment(11_000, 1), "a"), None);
        assert_eq!(recent.get(moment(10_900, 2), "a"), None);
        recent.keep(moment(11_000, 1), "b", &Bytes::from_static(b"B"));
        assert_eq!(recent.get(moment(10_100, 1), "a"), None);
    }

    #[test]
    fn answers_are_bounded_in_number_and_size() {
        let recent = Recent::default();
        let moment = Moment::default();
        for question in 0..2 * ANSWERS {
            recent.keep(moment, &question.to_string(), &Bytes::new());
        }
        assert!(recent.get(moment, "0").is_some());
        assert!(recent.get(moment, &ANSWERS.to_string()).is_none());
        recent.keep(
            Moment::new(Instant(5000), 0),
            "large",
            &vec![0; LARGEST + 1].into(),
        );
        assert_eq!(recent.get(Moment::new(Instant(5000), 0), "large"), None);
    }
}
