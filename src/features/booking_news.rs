//! What the embedding page may want to know once a time was chosen. News of their own, because what tells
//! them comes after the times.

use super::{Detail, Tidings};
use crate::time::Instant;

/// Plain facts without personal data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BookingNews {
    /// The time is held for the visitor.
    SlotReserved {
        /// The time.
        start: Instant,
        /// When the hold ends by itself.
        until: Instant,
    },
    /// The time could not be held.
    SlotReserveFailed(&'static str),
    /// The hold was given up.
    SlotReleased,
    /// The hold ended by itself.
    SlotExpired,
    /// Something was typed.
    FormChanged {
        /// The fields that hold an answer, by slug.
        fields: Vec<String>,
    },
    /// The form was sent with mistakes.
    FormInvalid {
        /// The fields that need attention, by slug.
        fields: Vec<String>,
        /// What is wrong with each, in a word.
        codes: Vec<String>,
    },
    /// The visitor went back to the times.
    FormBack,
    /// A booking is on its way.
    BookingSubmitted,
    /// A booking was made.
    BookingCreated {
        /// Its public identifier.
        uid: String,
        /// Where it stands.
        status: String,
        /// Whether it has to be paid for elsewhere.
        payment_required: bool,
        /// UTC.
        start: Instant,
        /// UTC.
        end: Instant,
    },
    /// No booking was made, or it is not known.
    BookingFailed {
        /// Why, in a word.
        code: &'static str,
        /// Whether the same request may succeed.
        is_retryable: bool,
    },
    /// Everything but the booking was done, as the page wanted.
    BookingTried {
        /// The time that would have been booked.
        start: Instant,
    },
    /// A booking was moved.
    BookingRescheduled {
        /// The booking that holds from then on.
        uid: String,
        /// The one that it replaces.
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
    /// A booking was not cancelled, or it is not known.
    BookingCancelFailed {
        /// Its public identifier.
        uid: String,
        /// Why, in a word.
        code: &'static str,
    },
    /// A booking that could have been moved or cancelled stays as it is.
    BookingKept {
        /// Its public identifier.
        uid: String,
    },
}

impl Tidings for BookingNews {
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
        let moment = |instant: &Instant| Detail::Text(instant.to_string());
        match self {
            Self::BookingTried { start } => vec![("start", moment(start))],
            Self::SlotReserved { start, until } => {
                vec![("start", moment(start)), ("until", moment(until))]
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
                ("start", moment(start)),
                ("end", moment(end)),
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
                ("start", moment(start)),
                ("end", moment(end)),
            ],
            Self::BookingCancelFailed { uid, code } => {
                vec![("uid", text(uid)), ("code", text(code))]
            }
            Self::BookingCancelled { uid } | Self::BookingKept { uid } => vec![("uid", text(uid))],
        }
    }
}
