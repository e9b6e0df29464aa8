//! The screens. They do not import each other: what two share stands below them, what connects
//! them in [`crate::flow`] above.

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
        formats.time(instant, &self.zone.get(), self.uses_12_hours.get())
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

/// What a page asks of the picker.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Order {
    /// To ask for the free times again.
    Refresh,
    /// To show a day.
    GoTo(CivilDate),
    /// To choose the time that begins then, as a press would.
    Select(Instant),
}

/// Where a screen keeps what it shows as a text, so that it can be come back to: the app in its
/// address, an element in its property.
#[derive(Clone, Copy)]
pub struct Address {
    /// What it says.
    pub given: RwSignal<String>,
    on_change: Option<StoredValue<Told>>,
}

type Told = Box<dyn Fn(&str, bool)>;

impl Address {
    /// Calls `on_change` with what is shown, and whether it is a step to come back from.
    pub fn new(given: RwSignal<String>, on_change: impl Fn(&str, bool) + 'static) -> Self {
        let on_change: Told = Box::new(on_change);
        Self {
            given,
            on_change: Some(StoredValue::new(on_change)),
        }
    }

    /// Something else is shown.
    pub fn tell(self, text: &str, is_step: bool) {
        self.given.set(text.to_owned());
        if let Some(on_change) = self.on_change {
            on_change.with_value(|on_change| on_change(text, is_step));
        }
    }
}

/// The address of the mounted root; one that nobody keeps if there is none.
pub fn use_address() -> Address {
    use_context().unwrap_or_else(|| Address {
        given: RwSignal::new(String::new()),
        on_change: None,
    })
}

/// Views of the list that are kept, by the page or for as long as the view lives.
#[derive(Clone, Copy)]
pub struct KeptViews {
    /// As the page gave them or as they were left: an array of objects with `name` and `query`.
    pub given: RwSignal<Value>,
    on_change: Option<StoredValue<Kept>>,
}

type Kept = Box<dyn Fn(Value)>;

impl KeptViews {
    /// Calls `on_change` with what is to be kept.
    pub fn new(given: RwSignal<Value>, on_change: impl Fn(Value) + 'static) -> Self {
        let on_change: Kept = Box::new(on_change);
        Self {
            given,
            on_change: Some(StoredValue::new(on_change)),
        }
    }

    /// Views that nobody keeps.
    pub fn in_memory(given: RwSignal<Value>) -> Self {
        Self {
            given,
            on_change: None,
        }
    }

    /// There are others.
    pub fn keep(self, views: Value) {
        self.given.set(views.clone());
        if let Some(on_change) = self.on_change {
            on_change.with_value(|on_change| on_change(views));
        }
    }
}

/// The views of the mounted root.
pub fn use_kept_views() -> KeptViews {
    use_context().unwrap_or_else(|| KeptViews::in_memory(RwSignal::new(Value::Null)))
}

/// The page's last order, obeyed by whoever it concerns.
#[derive(Clone, Copy)]
pub struct Orders(pub RwSignal<Option<Order>>);

/// The clock of the mounted root.
pub fn use_clock() -> Clock {
    use_context().unwrap_or_else(Clock::browser)
}

/// What the embedding page may want to know. Plain facts without personal data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum News {
    /// The visitor decided what to book.
    EventTypeSelected {
        /// Its number.
        id: i64,
        /// Its name in addresses.
        slug: String,
    },
    /// Other days are shown.
    RangeChanged {
        /// The first.
        from: CivilDate,
        /// The last.
        to: CivilDate,
    },
    /// A visitor chose a day.
    DateSelected {
        /// In `zone`.
        date: CivilDate,
        /// Zone that days are counted in.
        zone: Zone,
    },
    /// Free times were found.
    SlotsLoaded {
        /// How many.
        count: usize,
    },
    /// No free times were found.
    NoSlots {
        /// The first day asked for.
        from: CivilDate,
        /// The last.
        to: CivilDate,
    },
    /// What is shown could not be had.
    LoadFailed {
        /// Why, in a word.
        code: &'static str,
        /// What, in a word.
        what: &'static str,
    },
    /// A visitor chose a time.
    SlotSelected(Instant),
    /// Times are told in another zone.
    ZoneChanged(Zone),
    /// Hours are counted otherwise.
    HourCycleChanged {
        /// To 12, or to 24.
        uses_12_hours: bool,
    },
}

/// A value in the detail of an event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detail {
    /// Words, days, instants.
    Text(String),
    /// A count or a number.
    Number(i64),
    /// A claim.
    Flag(bool),
    /// Several words.
    List(Vec<String>),
}

/// What a page is told in an event. Each artefact has the news of its own screens.
pub trait Tidings {
    /// The name of the event.
    fn name(&self) -> &'static str;

    /// The keys of the event's detail.
    fn detail(&self) -> Vec<(&'static str, Detail)>;

    /// Whether the visitor's way ends with it.
    fn is_ending(&self) -> bool {
        false
    }
}

/// What the page says to something that is about to happen.
pub enum Answer {
    /// To go on.
    Go,
    /// To go on with something of the page's own.
    With(Object),
    /// To leave everything as it is.
    Stop,
    /// It could not say: why, in words, if it has any.
    Failed(Option<String>),
}

impl Tidings for News {
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
