//! All operations of version 1.

use crate::http::v1::operation::Operation;
use crate::http::v1::resources::{
    attendees, availabilities, booking_references, bookings, credentials, destination_calendars,
    event_types, memberships, payments, schedules, selected_calendars, slots, teams, users,
    webhooks,
};

/// Operations by resource.
static TABLE: [&[Operation]; 15] = [
    attendees::OPERATIONS,
    availabilities::OPERATIONS,
    booking_references::OPERATIONS,
    bookings::OPERATIONS,
    credentials::OPERATIONS,
    destination_calendars::OPERATIONS,
    event_types::OPERATIONS,
    memberships::OPERATIONS,
    payments::OPERATIONS,
    schedules::OPERATIONS,
    selected_calendars::OPERATIONS,
    slots::OPERATIONS,
    teams::OPERATIONS,
    users::OPERATIONS,
    webhooks::OPERATIONS,
];

/// All operations.
pub fn operations() -> impl Iterator<Item = &'static Operation> {
    TABLE.iter().flat_map(|operations| operations.iter())
}
