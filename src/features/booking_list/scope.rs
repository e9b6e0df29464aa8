//! Which bookings something is done with.

use booking_wire::{Booking, BookingsQuery};

/// Bookings one by one, or all that a query finds, wherever they are.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Scope {
    /// These.
    These(Vec<Booking>),
    /// Whatever matches, page by page; how many that are, as far as the service says.
    Matching {
        /// Without a page of its own.
        query: BookingsQuery,
        /// `None` if the service does not count.
        total: Option<i64>,
    },
}
