//! Retries of reads: delays, and failures that justify one.

use crate::client::error::{ApiError, DeclineReason};

/// Delay before each retry, in milliseconds.
pub const RETRY_DELAYS_MS: [i32; 2] = [500, 1_500];

/// Longest delay that a service may request; for longer ones the error is shown instead.
const MAX_REQUESTED_DELAY_S: i64 = 3;

/// Returns the delay until a read that failed with `error` is retried, after `retries` earlier ones; `None`
/// for no retry.
pub(crate) fn delay_ms(error: &ApiError, retries: usize) -> Option<i32> {
    let delay_ms = RETRY_DELAYS_MS.get(retries).copied()?;
    match error {
        ApiError::Unreachable | ApiError::Unexpected { status: 500.., .. } => Some(delay_ms),
        ApiError::Declined(DeclineReason::TooMany { wait_s }) => {
            let requested_s = wait_s.unwrap_or_default();
            let requested_ms = requested_s
                .checked_mul(1_000)
                .and_then(|ms| ms.try_into().ok());
            requested_ms
                .filter(|_| requested_s <= MAX_REQUESTED_DELAY_S)
                .map(|requested_ms: i32| requested_ms.max(delay_ms))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delay_ms_transient_failure_allows_two_retries() {
        let too_many = |wait_s| ApiError::Declined(DeclineReason::TooMany { wait_s });
        let unexpected = |status| ApiError::Unexpected {
            status,
            request_id: None,
        };
        for (error, delays) in [
            (ApiError::Unreachable, [Some(500), Some(1_500), None]),
            (unexpected(500), [Some(500), Some(1_500), None]),
            (unexpected(503), [Some(500), Some(1_500), None]),
            (unexpected(200), [None; 3]),
            (unexpected(404), [None; 3]),
            (too_many(None), [Some(500), Some(1_500), None]),
            (too_many(Some(0)), [Some(500), Some(1_500), None]),
            (too_many(Some(1)), [Some(1_000), Some(1_500), None]),
            (too_many(Some(3)), [Some(3_000), Some(3_000), None]),
            (too_many(Some(4)), [None; 3]),
            (too_many(Some(i64::MAX)), [None; 3]),
            (ApiError::Declined(DeclineReason::NotFound), [None; 3]),
            (ApiError::Declined(DeclineReason::SignInNeeded), [None; 3]),
        ] {
            let found = [0, 1, 2].map(|retries| delay_ms(&error, retries));
            assert_eq!(found, delays, "{error}");
        }
    }
}
