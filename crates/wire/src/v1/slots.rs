//! Slots of version 1.

use std::collections::BTreeMap;

use booking_wire_macros::wire;

/// Slots by date.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slots {
    /// Slots by date in the requested time zone; UTC by default.
    pub slots: BTreeMap<String, Vec<Slot>>,
}

/// A slot: a bookable start.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Slot {
    /// Start with the zone's offset and without milliseconds if a zone was requested, else UTC.
    pub time: String,
    /// Seated event types only: number of booked seats.
    #[schema(nullable = false)]
    pub attendees: Option<i64>,
    /// Seated event types only: uid of the booking of this slot, if there is one.
    #[schema(nullable = false)]
    pub booking_uid: Option<String>,
}
