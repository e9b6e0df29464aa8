//! Repeats operations that something has changed at the same moment.

use crate::error::{Error, Result};

/// Attempts of an operation; each checks the request again.
const MAX_ATTEMPTS: usize = 5;

/// Counts the attempts of an operation.
#[derive(Debug, Default)]
pub struct Attempts(usize);

impl Attempts {
    /// Counts an attempt. Returns true if it is to be repeated: it ended with [`Error::ConcurrentChange`], by which
    /// nothing was written, and was not the last one.
    pub fn repeat_after<T>(&mut self, outcome: &Result<T>) -> bool {
        self.0 += 1;
        matches!(outcome, Err(Error::ConcurrentChange)) && self.0 < MAX_ATTEMPTS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concurrent_change_is_repeated_a_few_times() {
        let mut attempts = Attempts::default();
        let outcome = Err::<(), _>(Error::ConcurrentChange);
        for attempt in 1..=MAX_ATTEMPTS {
            assert_eq!(attempts.repeat_after(&outcome), attempt < MAX_ATTEMPTS);
        }
    }

    #[test]
    fn other_outcomes_are_final() {
        assert!(!Attempts::default().repeat_after(&Ok(())));
        assert!(!Attempts::default().repeat_after(&Err::<(), _>(Error::Overloaded)));
    }
}
