//! Bookable starts of version 1.

use std::collections::BTreeMap;

use serde::Serialize;
use serde_json::Value;

use crate::read::{Fields, Read};

/// Bookable starts by date.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Slots {
    /// By date in the zone that was asked for; UTC unless told.
    pub slots: BTreeMap<String, Vec<Slot>>,
}

/// A bookable start.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Slot {
    /// With the zone's offset and without milliseconds where a zone was asked for, else UTC.
    pub time: String,
    /// Seated event types only: how many seats are taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub attendees: Option<i64>,
    /// Seated event types only: the booking to be joined, once there is one.
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
