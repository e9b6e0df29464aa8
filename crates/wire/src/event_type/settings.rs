//! The settings of an event type that are objects of their own (contract 3.3).

use serde::Serialize;
use serde_json::Value;

use crate::read::{Fields, Read};

/// A setting that can be switched off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum Setting<T> {
    /// Switched off.
    Off(Off),
    /// In force.
    On(T),
}

impl<T> Setting<T> {
    /// `{disabled: true}`.
    pub const OFF: Self = Self::Off(Off { disabled: true });
}

/// Says that a setting is not in force.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Off {
    /// `true`.
    pub disabled: bool,
}

/// How far ahead bookings are taken.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum BookingWindow {
    /// So many days, Monday to Friday.
    BusinessDays {
        /// How many.
        value: i64,
        /// Whether only days with free times count.
        #[cfg_attr(feature = "openapi", schema(default = false))]
        rolling: bool,
    },
    /// So many days.
    CalendarDays {
        /// How many.
        value: i64,
        /// Whether only days with free times count.
        #[cfg_attr(feature = "openapi", schema(default = false))]
        rolling: bool,
    },
    /// Between two dates, both included.
    Range {
        /// First and last date, ISO 8601.
        value: Vec<String>,
    },
}

/// A limit for each of some periods; one that is absent has none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct PeriodLimits {
    /// A day.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub day: Option<i64>,
    /// A week from Sunday on.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub week: Option<i64>,
    /// A month.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub month: Option<i64>,
    /// A year.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub year: Option<i64>,
}

/// How many bookings ahead one visitor may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ActiveBookingsLimit {
    /// At least 1.
    pub maximum_active_bookings: i64,
    /// Whether the visitor is offered to move an earlier booking instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offer_reschedule: Option<bool>,
}

/// When a host must confirm.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ConfirmationPolicy {
    /// For every booking, or for those that start soon.
    #[serde(rename = "type")]
    pub kind: ConfirmationKind,
    /// What soon means.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice_threshold: Option<NoticeThreshold>,
    /// Whether a booking that waits takes its time.
    pub block_unconfirmed_bookings_in_booker: bool,
}

/// Which bookings wait for a host.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum ConfirmationKind {
    /// All of them.
    Always,
    /// Those whose start is nearer than the threshold.
    Time,
}

/// A length of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NoticeThreshold {
    /// What is counted.
    pub unit: NoticeUnit,
    /// How many, at least 1.
    pub count: i64,
}

/// What a threshold counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum NoticeUnit {
    /// Minutes.
    Minutes,
    /// Hours.
    Hours,
}

/// Several visitors share a time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Seats {
    /// 1 to 1000.
    pub seats_per_time_slot: i64,
    /// Whether visitors see who else comes.
    pub show_attendee_info: bool,
    /// Whether visitors see how many seats are left.
    pub show_availability_count: bool,
}

/// Whether bookings cannot be cancelled.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NoCancelling {
    /// Cannot be cancelled.
    pub disabled: bool,
}

/// Whether bookings cannot be moved.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NoRescheduling {
    /// Cannot be moved at all.
    pub disabled: bool,
    /// Cannot be moved when the start is nearer than so many minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minutes_before: Option<i64>,
}

/// How times are laid out.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct BookerLayouts {
    /// What a visitor sees first.
    pub default_layout: Layout,
    /// What a visitor may choose from; contains the first.
    pub enabled_layouts: Vec<Layout>,
}

/// One way to lay out times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum Layout {
    /// A month and the times of one day.
    #[default]
    Month,
    /// A week, hour by hour.
    Week,
    /// A column per day.
    Column,
}

/// The colours of an event type's pages.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Colors {
    /// `#RGB` or `#RRGGBB`.
    pub light_theme_hex: String,
    /// `#RGB` or `#RRGGBB`.
    pub dark_theme_hex: String,
}

/// Calendar that bookings are to be written to.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DestinationCalendar {
    /// Such as `google_calendar`.
    #[cfg_attr(feature = "openapi", schema(min_length = 1, max_length = 255))]
    pub integration: String,
    /// Its id there.
    #[cfg_attr(feature = "openapi", schema(min_length = 1, max_length = 1000))]
    pub external_id: String,
}

/// Settings of the built-in video meetings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CalVideoSettings {
    /// The organiser cannot record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disable_recording_for_organizer: Option<bool>,
    /// Guests cannot record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disable_recording_for_guests: Option<bool>,
    /// Address to which participants go when they leave the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect_url_on_exit: Option<String>,
    /// The recording starts when the organiser joins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enable_automatic_recording_for_organizer: Option<bool>,
    /// The transcription starts when the first participant joins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enable_automatic_transcription: Option<bool>,
    /// Guests get no transcription.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disable_transcription_for_guests: Option<bool>,
    /// The organiser gets no transcription.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disable_transcription_for_organizer: Option<bool>,
    /// The transcription is sent by e-mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub send_transcription_emails: Option<bool>,
}

/// Who is not written to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EmailSettings {
    /// Attendees.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<bool>))]
    pub disable_emails_to_attendees: bool,
    /// Hosts.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<bool>))]
    pub disable_emails_to_hosts: bool,
}

/// How often a series repeats.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum Frequency {
    /// Each week.
    Weekly,
    /// Each month.
    Monthly,
    /// Each year.
    Yearly,
}

/// How often a series repeats.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Recurrence {
    /// Every so many units of `frequency`.
    pub interval: i64,
    /// How many meetings at most.
    pub occurrences: i64,
    /// `weekly`, `monthly` or `yearly`.
    #[cfg_attr(feature = "openapi", schema(value_type = Frequency))]
    pub frequency: String,
}

impl Read for Recurrence {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        Some(Self {
            interval: fields.get("interval")?,
            occurrences: fields.get("occurrences")?,
            frequency: fields.text("frequency"),
        })
    }
}
