//! Booking on screen, its title and sign. No DOM access.

use booking_wire::PublicBooking;

use crate::components::Shape;
use crate::features::booking_flow::context::FlowContext;
use crate::features::booking_flow::existing::booking_state::BookingState;
use crate::features::booking_flow::outcome::{FlowOutcome, OutcomeKind};
use crate::features::booking_flow::state::LocaleContext;
use crate::i18n::Key;

/// Booking on screen.
pub(super) struct ShownBooking<'a> {
    pub(super) locale: LocaleContext,
    pub(super) context: &'a FlowContext,
    pub(super) outcome: &'a FlowOutcome,
    /// The first of the outcome.
    pub(super) booking: &'a PublicBooking,
    pub(super) state: BookingState,
    /// URL of the booking's page, if there is one.
    pub(super) url: Option<String>,
}

impl ShownBooking<'_> {
    /// True if it will not take place any more.
    pub(super) fn is_over(&self) -> bool {
        is_over(self.state) || self.outcome.kind == OutcomeKind::Cancelled
    }

    /// True if it waits for the host or for a payment.
    pub(super) fn is_pending(&self) -> bool {
        matches!(
            self.state,
            BookingState::Unpaid | BookingState::AwaitingHost | BookingState::Requested
        )
    }

    /// True if the visitor has just booked, and nothing is left to do or to wait for.
    pub(super) fn is_complete(&self) -> bool {
        let is_new = matches!(
            self.outcome.kind,
            OutcomeKind::Booked | OutcomeKind::Rescheduled
        );
        is_new && self.state == BookingState::Upcoming
    }

    /// True if it is cancelled or declined.
    pub(super) fn is_off(&self) -> bool {
        self.outcome.kind == OutcomeKind::Cancelled
            || matches!(self.state, BookingState::Cancelled | BookingState::Declined)
    }

    /// True if the visitor has come back to the booking: the next time, this is where they find it.
    pub(super) fn is_own_page(&self) -> bool {
        matches!(
            self.outcome.kind,
            OutcomeKind::Opened | OutcomeKind::Changed
        )
    }

    /// True if the service sends email about the booking to its visitor.
    pub(super) fn is_emailed(&self) -> bool {
        let sends_email = || self.context.event_type.booking_settings().sends_email;
        !self.booking.email.is_empty() && sends_email() == Some(true)
    }

    pub(super) fn title(&self) -> (Key, Shape) {
        title(
            self.outcome.kind,
            self.state,
            self.outcome.bookings.len() > 1,
        )
    }
}

/// Title and sign. The title of a single new booking has its time.
fn title(kind: OutcomeKind, state: BookingState, is_series: bool) -> (Key, Shape) {
    match (kind, state) {
        (OutcomeKind::DryRun, _) => (Key::TriedTitle, Shape::Check),
        (OutcomeKind::Cancelled, _) | (_, BookingState::Cancelled) => {
            (Key::CancelledTitle, Shape::Close)
        }
        (_, BookingState::Declined) => (Key::DeclinedTitle, Shape::Close),
        (_, BookingState::Past) => (Key::PastTitle, Shape::Clock),
        (_, BookingState::Unpaid) => (Key::PaymentTitle, Shape::Card),
        (_, BookingState::AwaitingHost) => (Key::WaitingTitle, Shape::Clock),
        (OutcomeKind::Opened | OutcomeKind::Changed, BookingState::Requested) => {
            (Key::UnconfirmedTitle, Shape::Clock)
        }
        (_, BookingState::Requested) if is_series => (Key::RequestedTitle, Shape::Clock),
        (_, BookingState::Requested) => (Key::RequestedFor, Shape::Clock),
        (OutcomeKind::Opened | OutcomeKind::Changed, BookingState::Upcoming) => {
            (Key::YourBooking, Shape::Calendar)
        }
        (OutcomeKind::Rescheduled, BookingState::Upcoming) => (Key::MovedTo, Shape::Check),
        (OutcomeKind::Booked, BookingState::Upcoming) if is_series => {
            (Key::BookedTitle, Shape::Check)
        }
        (OutcomeKind::Booked, BookingState::Upcoming) => (Key::BookedFor, Shape::Check),
    }
}

pub(super) fn is_over(state: BookingState) -> bool {
    matches!(
        state,
        BookingState::Cancelled | BookingState::Declined | BookingState::Past
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn title_has_time_for_single_new_bookings_only() {
        for (kind, state, is_series, expected) in [
            (
                OutcomeKind::Booked,
                BookingState::Upcoming,
                false,
                (Key::BookedFor, Shape::Check),
            ),
            (
                OutcomeKind::Booked,
                BookingState::Upcoming,
                true,
                (Key::BookedTitle, Shape::Check),
            ),
            (
                OutcomeKind::Booked,
                BookingState::Requested,
                false,
                (Key::RequestedFor, Shape::Clock),
            ),
            (
                OutcomeKind::Booked,
                BookingState::Requested,
                true,
                (Key::RequestedTitle, Shape::Clock),
            ),
            (
                OutcomeKind::Opened,
                BookingState::Upcoming,
                false,
                (Key::YourBooking, Shape::Calendar),
            ),
            (
                OutcomeKind::Rescheduled,
                BookingState::Upcoming,
                false,
                (Key::MovedTo, Shape::Check),
            ),
            (
                OutcomeKind::Changed,
                BookingState::Upcoming,
                false,
                (Key::YourBooking, Shape::Calendar),
            ),
            (
                OutcomeKind::Changed,
                BookingState::Cancelled,
                false,
                (Key::CancelledTitle, Shape::Close),
            ),
            (
                OutcomeKind::Cancelled,
                BookingState::Upcoming,
                false,
                (Key::CancelledTitle, Shape::Close),
            ),
            (
                OutcomeKind::Booked,
                BookingState::AwaitingHost,
                false,
                (Key::WaitingTitle, Shape::Clock),
            ),
        ] {
            assert_eq!(
                title(kind, state, is_series),
                expected,
                "{kind:?} {state:?} {is_series}"
            );
        }
    }
}
