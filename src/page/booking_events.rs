//! Page events after the slot selection. Separate from the slot picker's events, because the code that
//! dispatches them is loaded later.

use super::events::{Detail, PageEvent};
use crate::time::Instant;

/// Event without personal data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BookingEvent {
    /// The slot is reserved for the visitor.
    SlotReserved {
        /// Slot start.
        start: Instant,
        /// End of the reservation.
        until: Instant,
    },
    /// The slot could not be reserved.
    SlotReserveFailed(&'static str),
    /// The reservation was released.
    SlotReleased,
    /// The reservation expired.
    SlotExpired,
    /// The answered fields changed.
    FormChanged {
        /// Slugs of answered fields.
        fields: Vec<String>,
    },
    /// Submitted values are invalid.
    FormInvalid {
        /// Slugs of invalid fields.
        fields: Vec<String>,
        /// Error code of each field.
        codes: Vec<String>,
    },
    /// The visitor returned to the slots.
    FormBack,
    /// A booking request was sent.
    BookingSubmitted,
    /// A booking was made.
    BookingCreated {
        /// Its public identifier.
        uid: String,
        /// Booking status.
        status: String,
        /// True if it has to be paid for elsewhere.
        payment_required: bool,
        /// UTC.
        start: Instant,
        /// UTC.
        end: Instant,
    },
    /// Booking failed, or its outcome is unknown.
    BookingFailed {
        /// Error code.
        code: &'static str,
        /// True if a retry may succeed.
        is_retryable: bool,
    },
    /// A dry run requested by the page succeeded.
    BookingTried {
        /// Slot start that would have been booked.
        start: Instant,
    },
    /// A booking was rescheduled.
    BookingRescheduled {
        /// Uid of the new booking.
        uid: String,
        /// Uid of the old one.
        from_uid: String,
        /// UTC.
        start: Instant,
        /// UTC.
        end: Instant,
    },
    /// A booking was cancelled.
    BookingCancelled {
        /// Its public identifier.
        uid: String,
    },
    /// Cancelling failed, or its outcome is unknown.
    BookingCancelFailed {
        /// Its public identifier.
        uid: String,
        /// Error code.
        code: &'static str,
    },
    /// The visitor chose to keep a booking unchanged.
    BookingKept {
        /// Its public identifier.
        uid: String,
    },
}

impl PageEvent for BookingEvent {
    fn name(&self) -> &'static str {
        match self {
            Self::SlotReserved { .. } => "slot-reserved",
            Self::SlotReserveFailed(_) => "slot-reserve-failed",
            Self::SlotReleased => "slot-released",
            Self::SlotExpired => "slot-expired",
            Self::FormChanged { .. } => "form-changed",
            Self::FormInvalid { .. } => "form-invalid",
            Self::FormBack => "form-back",
            Self::BookingSubmitted => "booking-submitted",
            Self::BookingCreated { .. } => "booking-created",
            Self::BookingFailed { .. } => "booking-failed",
            Self::BookingTried { .. } => "dry-run-success",
            Self::BookingRescheduled { .. } => "booking-rescheduled",
            Self::BookingCancelled { .. } => "booking-cancelled",
            Self::BookingCancelFailed { .. } => "booking-cancel-failed",
            Self::BookingKept { .. } => "booking-kept",
        }
    }

    fn is_ending(&self) -> bool {
        matches!(
            self,
            Self::BookingCreated { .. }
                | Self::BookingRescheduled { .. }
                | Self::BookingCancelled { .. }
        )
    }

    fn detail(&self) -> Vec<(&'static str, Detail)> {
        let text = |value: &str| Detail::Text(value.to_owned());
        let instant = |instant: &Instant| Detail::Text(instant.to_string());
        match self {
            Self::BookingTried { start } => vec![("start", instant(start))],
            Self::SlotReserved { start, until } => {
                vec![("start", instant(start)), ("until", instant(until))]
            }
            Self::SlotReserveFailed(code) => vec![("code", text(code))],
            Self::FormChanged { fields } => vec![("fields", Detail::List(fields.clone()))],
            Self::FormInvalid { fields, codes } => vec![
                ("fields", Detail::List(fields.clone())),
                ("codes", Detail::List(codes.clone())),
            ],
            Self::SlotReleased | Self::SlotExpired | Self::FormBack | Self::BookingSubmitted => {
                Vec::new()
            }
            Self::BookingCreated {
                uid,
                status,
                payment_required,
                start,
                end,
            } => vec![
                ("uid", text(uid)),
                ("status", text(status)),
                ("paymentRequired", Detail::Flag(*payment_required)),
                ("start", instant(start)),
                ("end", instant(end)),
            ],
            Self::BookingFailed { code, is_retryable } => vec![
                ("code", text(code)),
                ("retryable", Detail::Flag(*is_retryable)),
            ],
            Self::BookingRescheduled {
                uid,
                from_uid,
                start,
                end,
            } => vec![
                ("uid", text(uid)),
                ("fromUid", text(from_uid)),
                ("start", instant(start)),
                ("end", instant(end)),
            ],
            Self::BookingCancelFailed { uid, code } => {
                vec![("uid", text(uid)), ("code", text(code))]
            }
            Self::BookingCancelled { uid } | Self::BookingKept { uid } => vec![("uid", text(uid))],
        }
    }
}
