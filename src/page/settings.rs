//! Settings of a mounted root that its visitor may change.

use booking_ui::prelude::*;

use crate::time::{Clock, Formats, Instant, Zone};

/// Settings that the visitor may change and all views of a root follow.
#[derive(Clone, Copy)]
pub struct Settings {
    /// Time zone in which times are shown.
    pub zone: RwSignal<Zone>,
    /// True for the 12-hour clock.
    pub uses_12_hours: RwSignal<bool>,
    /// Time zones that the visitor selected, the last one first.
    pub recent_zones: RwSignal<Vec<Zone>>,
    /// True if the page set a session.
    pub has_session: bool,
}

impl Settings {
    /// Formats a time, `09:30`, in the selected zone and hour cycle.
    pub fn time(self, formats: Formats, instant: Instant) -> String {
        formats.time(instant, &self.zone.get(), self.uses_12_hours.get())
    }

    /// Formats a time range: `09:30 – 10:00`.
    pub fn times(self, formats: Formats, start: Instant, end: Instant) -> String {
        format!(
            "{} – {}",
            self.time(formats, start),
            self.time(formats, end)
        )
    }
}

/// Time zone of the host, if it is known: one of those to choose from.
#[derive(Clone)]
pub struct HostZone(pub Zone);

/// The visitor's own time zone, while times are shown in another one that they cannot change.
#[derive(Clone)]
pub struct VisitorZone(pub Zone);

/// Returns the settings of the mounted root; UTC if there are none.
pub fn use_settings() -> Settings {
    use_context().unwrap_or_else(|| Settings {
        zone: RwSignal::new(Zone::utc()),
        uses_12_hours: RwSignal::new(false),
        recent_zones: RwSignal::new(Vec::new()),
        has_session: false,
    })
}

/// Returns the clock of the mounted root.
pub fn use_clock() -> Clock {
    use_context().unwrap_or_else(Clock::browser)
}
