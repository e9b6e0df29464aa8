//! The screens. They do not import each other: what two share stands below them, what connects
//! them in [`crate::flow`] above.

pub mod booking_form;
pub mod booking_list;
pub mod role_form;
pub mod slot_picker;

use leptos::prelude::*;

use crate::time::{Clock, Formats, Instant, Zone};

/// What the visitor may change and every part of a root follows.
#[derive(Clone, Copy)]
pub struct Settings {
    /// Zone that times are shown in.
    pub zone: RwSignal<Zone>,
    /// Whether hours are counted to 12.
    pub uses_12_hours: RwSignal<bool>,
    /// Whether the page gave a session.
    pub has_session: bool,
}

impl Settings {
    /// `09:30` in the zone and hour cycle that are set.
    pub fn time(self, formats: Formats, instant: Instant) -> String {
        formats.time(instant, &self.zone.read(), self.uses_12_hours.get())
    }

    /// `09:30 – 10:00`.
    pub fn times(self, formats: Formats, start: Instant, end: Instant) -> String {
        format!(
            "{} – {}",
            self.time(formats, start),
            self.time(formats, end)
        )
    }
}

/// The settings of the mounted root; UTC if there are none.
pub fn use_settings() -> Settings {
    use_context().unwrap_or_else(|| Settings {
        zone: RwSignal::new(Zone::utc()),
        uses_12_hours: RwSignal::new(false),
        has_session: false,
    })
}

/// The clock of the mounted root.
pub fn use_clock() -> Clock {
    use_context().unwrap_or_else(Clock::browser)
}

/// What the embedding page may want to know. Plain facts without personal data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// A visitor chose a time.
    SlotSelected(Instant),
    /// A booking was made.
    BookingCreated {
        /// Its public identifier.
        uid: String,
        /// Where it stands.
        status: String,
        /// UTC.
        start: Instant,
        /// UTC.
        end: Instant,
    },
    /// A role was made.
    RoleCreated {
        /// Its identifier.
        id: String,
    },
}

impl News {
    /// The name of the event.
    pub fn name(&self) -> &'static str {
        match self {
            Self::SlotSelected(_) => "slot-selected",
            Self::BookingCreated { .. } => "booking-created",
            Self::RoleCreated { .. } => "role-created",
        }
    }

    /// The keys of the event's detail.
    pub fn detail(&self) -> Vec<(&'static str, String)> {
        match self {
            Self::SlotSelected(start) => vec![("start", start.to_string())],
            Self::BookingCreated {
                uid,
                status,
                start,
                end,
            } => vec![
                ("uid", uid.clone()),
                ("status", status.clone()),
                ("start", start.to_string()),
                ("end", end.to_string()),
            ],
            Self::RoleCreated { id } => vec![("id", id.clone())],
        }
    }
}
