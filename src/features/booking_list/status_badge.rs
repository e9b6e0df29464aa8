//! Badge and name of a booking's status.

use booking_wire::{Booking, BookingStatus};

use super::formatting::humanized;
use crate::i18n::{Key, Translations};
use crate::ui::dom::{Node, el};

/// Badge of a status.
pub(super) fn status_badge(status: &BookingStatus, texts: Translations) -> Node {
    set_status(empty_badge(), status, texts)
}

/// Badge without a status.
pub(super) fn empty_badge() -> Node {
    el("span").class("badge").attr("part", "status")
}

/// Name of a status.
pub(super) fn status_name(status: &BookingStatus, texts: Translations) -> String {
    let key = match status {
        BookingStatus::Accepted => Key::StatusAccepted,
        BookingStatus::Pending => Key::StatusPending,
        BookingStatus::AwaitingHost => Key::StatusAwaitingHost,
        BookingStatus::Cancelled => Key::StatusCancelled,
        BookingStatus::Rejected => Key::StatusRejected,
        // A newer service's own word says more than "unknown".
        BookingStatus::Unknown(word) if !word.is_empty() => return humanized(word),
        BookingStatus::Unknown(_) => Key::StatusUnknown,
    };
    texts.get(key).to_owned()
}

/// Shows in `badge` of a row how the booking deviates. An accepted one has no visible mark, unless a person
/// did not attend.
pub(super) fn set_row_status(badge: Node, booking: &Booking, texts: Translations) -> Node {
    if booking.status == BookingStatus::Cancelled && booking.rescheduled_to_uid.is_some() {
        return badge.set_text(texts.get(Key::StatusMoved));
    }
    if booking.status != BookingStatus::Accepted {
        return set_status(badge, &booking.status, texts);
    }
    let is_absent = booking.absent_host || booking.attendees.iter().any(|person| person.absent);
    if is_absent {
        return badge.set_text(texts.get(Key::NoShow));
    }
    set_status(badge, &booking.status, texts).class("visually-hidden")
}

/// Shows `status` in `badge`.
pub(super) fn set_status(badge: Node, status: &BookingStatus, texts: Translations) -> Node {
    let badge = badge.set_text(&status_name(status, texts));
    match status {
        BookingStatus::Pending | BookingStatus::AwaitingHost => badge.class("badge badge-warn"),
        _ => badge,
    }
}
