//! Badge and name of a booking's status.

use booking_ui::prelude::*;
use booking_wire::{Booking, BookingStatus};

use super::formatting::humanized;
use crate::i18n::{Key, Translations};

/// Badge of a booking's status.
pub(super) fn status_badge(booking: &Booking, texts: Translations) -> Node {
    set_status(empty_badge(), booking, texts)
}

/// Name of a booking's status. One that was moved is cancelled for the service.
pub(super) fn shown_status(booking: &Booking, texts: Translations) -> String {
    if booking.status == BookingStatus::Cancelled && booking.rescheduled_to_uid.is_some() {
        return texts.get(Key::StatusMoved).to_owned();
    }
    status_name(&booking.status, texts)
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

/// True if a row shows the booking's status: it is not accepted, or a person did not attend.
pub(super) fn deviates(booking: &Booking) -> bool {
    booking.status != BookingStatus::Accepted || is_absent(booking)
}

fn is_absent(booking: &Booking) -> bool {
    booking.absent_host || booking.attendees.iter().any(|person| person.absent)
}

/// Shows in `badge` of a row how the booking deviates. Others have no visible mark.
pub(super) fn set_row_status(badge: Node, booking: &Booking, texts: Translations) -> Node {
    if booking.status == BookingStatus::Accepted && is_absent(booking) {
        return badge.set_text(texts.get(Key::NoShow));
    }
    let badge = set_status(badge, booking, texts);
    match deviates(booking) {
        true => badge,
        false => badge.class("visually-hidden"),
    }
}

/// Shows the status of `booking` in `badge`.
pub(super) fn set_status(badge: Node, booking: &Booking, texts: Translations) -> Node {
    let badge = badge.set_text(&shown_status(booking, texts));
    match booking.status {
        BookingStatus::Pending | BookingStatus::AwaitingHost => badge.class("badge badge-warn"),
        _ => badge,
    }
}

#[cfg(test)]
mod tests {
    use booking_wire::BookingUid;

    use super::*;

    #[test]
    fn moved_booking_has_one_status_everywhere() {
        let mut booking = Booking {
            status: BookingStatus::Cancelled,
            ..Booking::default()
        };
        assert_eq!(shown_status(&booking, Translations::ENGLISH), "Cancelled");
        booking.rescheduled_to_uid = Some(BookingUid("b".into()));
        assert_eq!(shown_status(&booking, Translations::ENGLISH), "Rescheduled");
    }
}
