//! Slots of version 1.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::read::{Fields, Read};

/// Slots by date.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Slots {
    /// Slots by date in the requested time zone; UTC by default.
    pub slots: BTreeMap<String, Vec<Slot>>,
}

/// A slot: a bookable start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Slot {
    /// Start with the zone's offset and without milliseconds if a zone was requested, else UTC.
    pub time: String,
    /// Seated event types only: number of booked seats.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub attendees: Option<i64>,
    /// Seated event types only: uid of the booking of this slot, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub booking_uid: Option<String>,
}

lenient!(Slot { time: "time" | attendees: "attendees", booking_uid: "bookingUid" });

impl Read for Slots {
    fn read(value: &Value) -> Option<Self> {
        let days = Fields::of(value)?.map("slots");
        Some(Self {
            slots: days
                .iter()
                .filter_map(|(date, starts)| Some((date.clone(), Vec::read(starts)?)))
                .collect(),
        })
    }
}
