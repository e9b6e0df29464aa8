//! Bookings for an action or an export.

use booking_wire::{Booking, BookingsQuery};

/// Individual bookings, or all matches of a query, on all pages.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Scope {
    /// Individual bookings.
    These(Vec<Booking>),
    /// All matches, loaded page by page; with their number if the service returns it.
    Matching {
        /// Query without `take` and `skip`.
        query: BookingsQuery,
        /// Count; `None` if unknown.
        total: Option<i64>,
    },
}
