//! The screens. They do not import each other: what two share stands below them, what connects
//! them in [`crate::flow`] above.

pub mod booking_form;
pub mod booking_list;
pub mod offers;
pub mod role_form;
pub mod slot_picker;
pub mod team_news;

use js_sys::Object;
use leptos::prelude::*;
use serde_json::Value;

use crate::signal::RwSignal;
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
    on_change: Option<StoredValue<Told, LocalStorage>>,
}

type Told = Box<dyn Fn(&str, bool)>;

impl Address {
    /// Calls `on_change` with what is shown, and whether it is a step to come back from.
    pub fn new(given: RwSignal<String>, on_change: impl Fn(&str, bool) + 'static) -> Self {
        let on_change: Told = Box::new(on_change);
        Self {
            given,
            on_change: Some(StoredValue::new_local(on_change)),
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
    on_change: Option<StoredValue<Kept, LocalStorage>>,
}

type Kept = Box<dyn Fn(Value)>;

impl KeptViews {
    /// Calls `on_change` with what is to be kept.
    pub fn new(given: RwSignal<Value>, on_change: impl Fn(Value) + 'static) -> Self {
        let on_change: Kept = Box::new(on_change);
        Self {
            given,
            on_change: Some(StoredValue::new_local(on_change)),
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
    /// A visitor chose a time.
    SlotSelected(Instant),
    /// The time is held for the visitor.
    SlotReserved {
        /// The time.
        start: Instant,
        /// When the hold ends by itself.
        until: Instant,
    },
    /// The time could not be held.
    SlotReserveFailed(&'static str),
    /// The hold was given up.
    SlotReleased,
    /// The hold ended by itself.
    SlotExpired,
    /// Times are told in another zone.
    ZoneChanged(Zone),
    /// Hours are counted otherwise.
    HourCycleChanged {
        /// To 12, or to 24.
        uses_12_hours: bool,
    },
    /// Something was typed.
    FormChanged {
        /// The fields that hold an answer, by slug.
        fields: Vec<String>,
    },
    /// The form was sent with mistakes.
    FormInvalid {
        /// The fields that need attention, by slug.
        fields: Vec<String>,
        /// What is wrong with each, in a word.
        codes: Vec<String>,
    },
    /// The visitor went back to the times.
    FormBack,
    /// A booking is on its way.
    BookingSubmitted,
    /// A booking was made.
    BookingCreated {
        /// Its public identifier.
        uid: String,
        /// Where it stands.
        status: String,
        /// Whether it has to be paid for elsewhere.
        payment_required: bool,
        /// UTC.
        start: Instant,
        /// UTC.
        end: Instant,
    },
    /// No booking was made, or it is not known.
    BookingFailed {
        /// Why, in a word.
        code: &'static str,
        /// Whether the same request may succeed.
        is_retryable: bool,
    },
    /// Everything but the booking was done, as the page wanted.
    BookingTried {
        /// The time that would have been booked.
        start: Instant,
    },
    /// A booking was moved.
    BookingRescheduled {
        /// The booking that holds from then on.
        uid: String,
        /// The one that it replaces.
        from_uid: String,
        /// UTC.
        start: Instant,
        /// UTC.
        end: Instant,
    },
    /// A booking was cancelled.
    BookingCancelled {
        /// Its public identifier.
        uid: String,
    },
    /// A booking was not cancelled, or it is not known.
    BookingCancelFailed {
        /// Its public identifier.
        uid: String,
        /// Why, in a word.
        code: &'static str,
    },
    /// A booking that could have been moved or cancelled stays as it is.
    BookingKept {
        /// Its public identifier.
        uid: String,
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
            Self::SlotSelected(_) => "slot-selected",
            Self::SlotReserved { .. } => "slot-reserved",
            Self::SlotReserveFailed(_) => "slot-reserve-failed",
            Self::SlotReleased => "slot-released",
            Self::SlotExpired => "slot-expired",
            Self::ZoneChanged(_) => "time-zone-changed",
            Self::HourCycleChanged { .. } => "hour-cycle-changed",
            Self::FormChanged { .. } => "form-changed",
            Self::FormInvalid { .. } => "form-invalid",
            Self::FormBack => "form-back",
            Self::BookingSubmitted => "booking-submitted",
            Self::BookingCreated { .. } => "booking-created",
            Self::BookingFailed { .. } => "booking-failed",
            Self::BookingTried { .. } => "dry-run-success",
            Self::BookingRescheduled { .. } => "booking-rescheduled",
            Self::BookingCancelled { .. } => "booking-cancelled",
            Self::BookingCancelFailed { .. } => "booking-cancel-failed",
            Self::BookingKept { .. } => "booking-kept",
        }
    }

    fn is_ending(&self) -> bool {
        matches!(
            self,
            Self::BookingCreated { .. }
                | Self::BookingRescheduled { .. }
                | Self::BookingCancelled { .. }
        )
    }

    fn detail(&self) -> Vec<(&'static str, Detail)> {
        let text = |value: &str| Detail::Text(value.to_owned());
        let moment = |instant: &Instant| Detail::Text(instant.to_string());
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
            Self::SlotSelected(start) | Self::BookingTried { start } => {
                vec![("start", moment(start))]
            }
            Self::SlotReserved { start, until } => {
                vec![("start", moment(start)), ("until", moment(until))]
            }
            Self::SlotReserveFailed(code) => vec![("code", text(code))],
            Self::ZoneChanged(zone) => vec![("timeZone", text(&zone.0))],
            Self::HourCycleChanged { uses_12_hours } => {
                vec![(
                    "hourCycle",
                    text(if *uses_12_hours { "h12" } else { "h23" }),
                )]
            }
            Self::FormChanged { fields } => vec![("fields", Detail::List(fields.clone()))],
            Self::FormInvalid { fields, codes } => vec![
                ("fields", Detail::List(fields.clone())),
                ("codes", Detail::List(codes.clone())),
            ],
            Self::SlotReleased | Self::SlotExpired | Self::FormBack | Self::BookingSubmitted => {
                Vec::new()
            }
            Self::BookingCreated {
                uid,
                status,
                payment_required,
                start,
                end,
            } => vec![
                ("uid", text(uid)),
                ("status", text(status)),
                ("paymentRequired", Detail::Flag(*payment_required)),
                ("start", moment(start)),
                ("end", moment(end)),
            ],
            Self::BookingFailed { code, is_retryable } => vec![
                ("code", text(code)),
                ("retryable", Detail::Flag(*is_retryable)),
            ],
            Self::BookingRescheduled {
                uid,
                from_uid,
                start,
                end,
            } => vec![
                ("uid", text(uid)),
                ("fromUid", text(from_uid)),
                ("start", moment(start)),
                ("end", moment(end)),
            ],
            Self::BookingCancelFailed { uid, code } => {
                vec![("uid", text(uid)), ("code", text(code))]
            }
            Self::BookingCancelled { uid } | Self::BookingKept { uid } => vec![("uid", text(uid))],
        }
    }
}
