//! The screens. They do not import each other: code that two of them share is in a module below them, and
//! [`crate::flow`] connects them.

pub mod booking_form;
pub mod booking_list;
pub mod booking_news;
pub mod offers;
pub mod role_form;
pub mod slot_picker;
pub mod team_news;

use js_sys::Object;
use serde_json::Value;

use crate::context::use_context;
use crate::signal::{RwSignal, StoredValue};
use crate::time::{CivilDate, Clock, Formats, Instant, Zone};

/// Settings that the visitor may change and all views of a root follow.
#[derive(Clone, Copy)]
pub struct Settings {
    /// Time zone in which times are shown.
    pub zone: RwSignal<Zone>,
    /// True for the 12-hour clock.
    pub uses_12_hours: RwSignal<bool>,
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

/// Returns the settings of the mounted root; UTC if there are none.
pub fn use_settings() -> Settings {
    use_context().unwrap_or_else(|| Settings {
        zone: RwSignal::new(Zone::utc()),
        uses_12_hours: RwSignal::new(false),
        has_session: false,
    })
}

/// A command of the page to the picker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// Fetches the slots again.
    Refresh,
    /// Shows a date.
    GoTo(CivilDate),
    /// Selects the slot with this start, as a click would.
    Select(Instant),
}

/// State of a screen as text, stored so that it can be restored: by the app in its URL, by an element in its
/// property.
#[derive(Clone, Copy)]
pub struct Address {
    /// The stored text.
    pub given: RwSignal<String>,
    on_change: Option<StoredValue<Told>>,
}

type Told = Box<dyn Fn(&str, bool)>;

impl Address {
    /// Calls `on_change` with each new text, and true if it is a step of the history.
    pub fn new(given: RwSignal<String>, on_change: impl Fn(&str, bool) + 'static) -> Self {
        let on_change: Told = Box::new(on_change);
        Self {
            given,
            on_change: Some(StoredValue::new(on_change)),
        }
    }

    /// Stores a new text.
    pub fn tell(self, text: &str, is_step: bool) {
        self.given.set(text.to_owned());
        if let Some(on_change) = self.on_change {
            on_change.with_value(|on_change| on_change(text, is_step));
        }
    }
}

/// Returns the address of the mounted root; one that is not stored if there is none.
pub fn use_address() -> Address {
    use_context().unwrap_or_else(|| Address {
        given: RwSignal::new(String::new()),
        on_change: None,
    })
}

/// Saved views of the booking list, stored by the page or only in memory.
#[derive(Clone, Copy)]
pub struct KeptViews {
    /// The current views: an array of objects with `name` and `query`.
    pub given: RwSignal<Value>,
    on_change: Option<StoredValue<Kept>>,
}

type Kept = Box<dyn Fn(Value)>;

impl KeptViews {
    /// Calls `on_change` with the views to store.
    pub fn new(given: RwSignal<Value>, on_change: impl Fn(Value) + 'static) -> Self {
        let on_change: Kept = Box::new(on_change);
        Self {
            given,
            on_change: Some(StoredValue::new(on_change)),
        }
    }

    /// Views that are not stored.
    pub fn in_memory(given: RwSignal<Value>) -> Self {
        Self {
            given,
            on_change: None,
        }
    }

    /// Stores changed views.
    pub fn keep(self, views: Value) {
        self.given.set(views.clone());
        if let Some(on_change) = self.on_change {
            on_change.with_value(|on_change| on_change(views));
        }
    }
}

/// Returns the saved views of the mounted root.
pub fn use_kept_views() -> KeptViews {
    use_context().unwrap_or_else(|| KeptViews::in_memory(RwSignal::new(Value::Null)))
}

/// The page's last command, for the component that it concerns.
#[derive(Clone, Copy)]
pub struct Orders(pub RwSignal<Option<Order>>);

/// Returns the clock of the mounted root.
pub fn use_clock() -> Clock {
    use_context().unwrap_or_else(Clock::browser)
}

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

/// A value in the detail of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Text, date or instant.
    Text(String),
    /// Count or id.
    Number(i64),
    /// Boolean.
    Flag(bool),
    /// List of texts.
    List(Vec<String>),
}

/// An event for the page. Each bundle contains only the events of its own screens.
pub trait PageEvent {
    /// Name of the event.
    fn name(&self) -> &'static str;

    /// Keys and values of the event's detail.
    fn detail(&self) -> Vec<(&'static str, Detail)>;

    /// True if it ends the visitor's flow.
    fn is_ending(&self) -> bool {
        false
    }
}

/// The page's response to an event that announces an action.
pub enum Answer {
    /// Lets the action continue.
    Go,
    /// Lets it continue with an object of the page.
    With(Object),
    /// Prevents it.
    Stop,
    /// Failed, with the page's error text, if any.
    Failed(Option<String>),
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
