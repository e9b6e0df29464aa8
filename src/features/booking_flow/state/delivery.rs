//! Delivery of a booking request: retried until its outcome is known, where a retry is safe.
//!
//! An `Idempotency-Key` makes it safe. All requests of a visitor share one key until a booking was made, so that at
//! most one of them is carried out, even if an earlier one arrives late.

use std::rc::Rc;

use booking_ui::prelude::*;
use booking_wire::{NewBooking, PublicBookings, RescheduleBooking};

use super::super::outcome::OutcomeKind;
use crate::client::session::Session;
use crate::client::{Abort, ApiError, DeclineReason, RETRY_DELAYS_MS};
use crate::time::{Instant, sleep};

/// Milliseconds after which the outcome of a first attempt counts as unknown.
const FIRST_TIMEOUT_MS: u64 = 30_000;

/// Milliseconds that each retry may take.
const RETRY_TIMEOUT_MS: u64 = 10_000;

/// Milliseconds before a retry while an earlier attempt is being processed.
const STILL_RUNNING_MS: i64 = 1_000;

/// Booking or reschedule request.
pub(crate) enum BookingRequest {
    Book(Box<NewBooking>),
    Reschedule {
        uid: String,
        change: RescheduleBooking,
    },
}

impl BookingRequest {
    pub(crate) fn start(&self) -> Instant {
        match self {
            Self::Book(booking) => booking.start,
            Self::Reschedule { change, .. } => change.start,
        }
    }

    pub(crate) fn kind(&self) -> OutcomeKind {
        match self {
            Self::Book(_) => OutcomeKind::Booked,
            Self::Reschedule { .. } => OutcomeKind::Rescheduled,
        }
    }

    async fn send(
        &self,
        session: &Session,
        key: Option<String>,
        timeout_ms: u64,
    ) -> Result<PublicBookings, ApiError> {
        let abort = Abort::after(timeout_ms);
        match self {
            Self::Book(booking) => session.book(booking, key, abort).await,
            Self::Reschedule { uid, change } => session.reschedule(uid, change, key, abort).await,
        }
    }
}

/// Outcome of a delivery.
pub(crate) struct Delivery {
    /// Request that was answered last: an earlier one, if that was carried out.
    pub(crate) request: Rc<BookingRequest>,
    pub(crate) result: Result<PublicBookings, ApiError>,
    /// True if a failure rules out a booking.
    pub(crate) is_known: bool,
}

/// Requests of a visitor that may have been carried out, and their shared key.
#[derive(Clone, Default)]
pub(crate) struct UnresolvedRequests {
    /// `None` for services without keys, and if the browser has no random numbers.
    pub(crate) key: Option<String>,
    pub(crate) requests: Vec<Rc<BookingRequest>>,
}

/// Unguessable key: 32 hexadecimal digits.
pub(crate) fn new_key() -> Option<String> {
    let mut bytes = [0_u8; 16];
    let crypto = window().crypto().ok()?;
    crypto.get_random_values_with_u8_array(&mut bytes).ok()?;
    let digits = bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    digits
        .map(|digit| char::from_digit(u32::from(digit), 16))
        .collect()
}

/// Sends `request`. With a key, it is retried while its outcome is unknown; if an earlier request was carried out
/// instead, that one is repeated for its response.
pub(crate) async fn deliver(
    session: &Session,
    request: Rc<BookingRequest>,
    unresolved: UnresolvedRequests,
) -> Delivery {
    let UnresolvedRequests { key, requests } = unresolved;
    let mut has_unresolved = !requests.is_empty();
    let mut earlier = requests.into_iter();
    let mut request = request;
    let mut delays = RETRY_DELAYS_MS.into_iter().map(i64::from);
    let mut timeout_ms = FIRST_TIMEOUT_MS;
    loop {
        let result = request.send(session, key.clone(), timeout_ms).await;
        let Err(error) = &result else {
            return Delivery {
                request,
                result,
                is_known: true,
            };
        };
        if *error == ApiError::Declined(DeclineReason::KeyReused)
            && let Some(next) = earlier.next()
        {
            request = next;
            continue;
        }
        let delay = key.as_ref().and_then(|_| delay_ms(error, &mut delays));
        has_unresolved |= has_unknown_outcome(error);
        let Some(delay) = delay else {
            let is_known = !has_unknown_outcome(error) && (!has_unresolved || is_slot_taken(error));
            return Delivery {
                request,
                result,
                is_known,
            };
        };
        sleep(delay).await;
        timeout_ms = RETRY_TIMEOUT_MS;
    }
}

/// Milliseconds until the retry; `None` if a retry would not help.
fn delay_ms(error: &ApiError, delays: &mut impl Iterator<Item = i64>) -> Option<i64> {
    match error {
        ApiError::Declined(DeclineReason::StillRunning) => {
            delays.next().map(|delay| delay.max(STILL_RUNNING_MS))
        }
        ApiError::Unreachable | ApiError::Unexpected { .. } if error.is_retryable() => {
            delays.next()
        }
        _ => None,
    }
}

/// True if the request may still have been carried out.
fn has_unknown_outcome(error: &ApiError) -> bool {
    match error {
        ApiError::Unreachable => true,
        // Other statuses of this class are refusals, also by what is in front of the service: the body is too large for it,
        // for example.
        ApiError::Unexpected { status, .. } => !(400..500).contains(status) || *status == 408,
        ApiError::Declined(reason) => {
            matches!(
                reason,
                DeclineReason::StillRunning | DeclineReason::KeyReused
            )
        }
    }
}

/// True if the slot was lost to another booking. A request with this key that had been carried out would have
/// returned its booking.
fn is_slot_taken(error: &ApiError) -> bool {
    matches!(
        error,
        ApiError::Declined(DeclineReason::TimeTaken | DeclineReason::SeriesTaken(_))
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn outcome_of_refused_request_is_known() {
        for (status, is_unknown) in [
            (200, true),
            (201, true),
            (302, true),
            (402, false),
            (404, false),
            (408, true),
            (413, false),
            (418, false),
            (500, true),
            (504, true),
        ] {
            let request_id = None;
            let error = ApiError::Unexpected { status, request_id };
            assert_eq!(has_unknown_outcome(&error), is_unknown, "{status}");
        }
        assert!(has_unknown_outcome(&ApiError::Unreachable));
    }
}
