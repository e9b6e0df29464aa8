//! Errors for starts that cannot be booked or reserved.

use booking_rules::availability::UnavailableReason;

use crate::error::Error;

/// Returns the error for an unavailable start: a conflict if another booking or reservation took it.
pub fn unavailable_error(reason: UnavailableReason) -> Error {
    let text = match reason {
        UnavailableReason::Taken => {
            "this time is no longer available: another booking or reservation has taken it"
        }
        UnavailableReason::Full => "this time is no longer available: all its seats are taken",
        UnavailableReason::Past => "start lies in the past",
        UnavailableReason::TooSoon => "start lies too soon: the event type asks for more notice",
        UnavailableReason::OutsideWindow => "start lies outside the event type's booking window",
        UnavailableReason::NotOffered => "start is not available: it is no slot of this event type",
        UnavailableReason::LimitReached => {
            "start is not available: the event type has been booked as often as it may be in that period"
        }
    };
    match reason {
        UnavailableReason::Taken | UnavailableReason::Full => Error::Conflict(text.into()),
        _ => Error::BadRequest(text.into()),
    }
}
