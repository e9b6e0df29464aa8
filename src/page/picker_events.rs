//! Events of the slot picker.

use crate::time::{CivilDate, Instant, Zone};

use super::events::{Detail, PageEvent};

/// Events for the embedding page, without personal data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PickerEvent {
    /// The visitor selected an event type.
    EventTypeSelected {
        /// Its id.
        id: i64,
        /// Its name in URLs.
        slug: String,
    },
    /// The shown date range changed.
    RangeChanged {
        /// First date.
        from: CivilDate,
        /// Last date.
        to: CivilDate,
    },
    /// The visitor selected a date.
    DateSelected {
        /// Civil date in `zone`.
        date: CivilDate,
        /// Time zone of the date.
        zone: Zone,
    },
    /// Slots were found.
    SlotsLoaded {
        /// Number of slots.
        count: usize,
    },
    /// No slots were found.
    NoSlots {
        /// First date of the query.
        from: CivilDate,
        /// Last date.
        to: CivilDate,
    },
    /// Data to be shown could not be loaded.
    LoadFailed {
        /// Error code.
        code: &'static str,
        /// Name of the data.
        what: &'static str,
    },
    /// The visitor selected the slot with this start.
    SlotSelected(Instant),
    /// The time zone changed.
    ZoneChanged(Zone),
    /// The hour cycle changed.
    HourCycleChanged {
        /// True for the 12-hour clock.
        uses_12_hours: bool,
    },
}

impl PageEvent for PickerEvent {
    fn name(&self) -> &'static str {
        match self {
            Self::EventTypeSelected { .. } => "event-type-selected",
            Self::RangeChanged { .. } => "range-changed",
            Self::DateSelected { .. } => "date-selected",
            Self::SlotsLoaded { .. } => "slots-loaded",
            Self::NoSlots { .. } => "no-slots",
            Self::LoadFailed { .. } => "load-failed",
            Self::SlotSelected(_) => "slot-selected",
            Self::ZoneChanged(_) => "time-zone-changed",
            Self::HourCycleChanged { .. } => "hour-cycle-changed",
        }
    }

    fn detail(&self) -> Vec<(&'static str, Detail)> {
        let text = |value: &str| Detail::Text(value.to_owned());
        let day = |day: &CivilDate| Detail::Text(day.to_string());
        match self {
            Self::EventTypeSelected { id, slug } => {
                vec![("id", Detail::Number(*id)), ("slug", text(slug))]
            }
            Self::RangeChanged { from, to } | Self::NoSlots { from, to } => {
                vec![("from", day(from)), ("to", day(to))]
            }
            Self::DateSelected { date, zone } => {
                vec![("date", day(date)), ("timeZone", text(&zone.0))]
            }
            Self::SlotsLoaded { count } => {
                let count = i64::try_from(*count).unwrap_or(i64::MAX);
                vec![("count", Detail::Number(count))]
            }
            Self::LoadFailed { code, what } => vec![("code", text(code)), ("what", text(what))],
            Self::SlotSelected(start) => vec![("start", Detail::Text(start.to_string()))],
            Self::ZoneChanged(zone) => vec![("timeZone", text(&zone.0))],
            Self::HourCycleChanged { uses_12_hours } => {
                let cycle = if *uses_12_hours { "h12" } else { "h23" };
                vec![("hourCycle", text(cycle))]
            }
        }
    }
}
