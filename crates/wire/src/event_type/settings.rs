//! Settings of an event type that are objects.

use serde::Serialize;
use serde_json::Value;

use crate::read::{Fields, Read};

/// A setting that can be switched off.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(untagged)]
pub enum Setting<T> {
    /// Switched off.
    Off(DisabledSetting),
    /// Switched on.
    On(T),
}

impl<T> Setting<T> {
    /// `{disabled: true}`.
    pub const OFF: Self = Self::Off(DisabledSetting { disabled: true });
}

/// Marks a setting as switched off.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Off))]
pub struct DisabledSetting {
    /// `true`.
    pub disabled: bool,
}

/// Booking window.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(tag = "type", rename_all = "camelCase")]
pub enum BookingWindow {
    /// A number of days, Monday to Friday.
    BusinessDays {
        /// Number of days.
        value: i64,
        /// True if only days with free slots count.
        #[cfg_attr(feature = "openapi", schema(default = false))]
        rolling: bool,
    },
    /// A number of days.
    CalendarDays {
        /// Number of days.
        value: i64,
        /// True if only days with free slots count.
        #[cfg_attr(feature = "openapi", schema(default = false))]
        rolling: bool,
    },
    /// Between two dates, both included.
    Range {
        /// First and last date, ISO 8601.
        value: Vec<String>,
    },
}

/// Limits per period; an absent period has no limit.
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

/// Maximum number of upcoming bookings of one visitor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ActiveBookingsLimit {
    /// At least 1.
    pub maximum_active_bookings: i64,
    /// True if the visitor may reschedule an existing booking instead.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offer_reschedule: Option<bool>,
}

/// Confirmation policy.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ConfirmationPolicy {
    /// Bookings that need confirmation.
    #[serde(rename = "type")]
    pub kind: ConfirmationKind,
    /// Threshold of the notice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notice_threshold: Option<NoticeThreshold>,
    /// True if an unconfirmed booking blocks its slot.
    pub block_unconfirmed_bookings_in_booker: bool,
}

/// Bookings that need confirmation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum ConfirmationKind {
    /// All bookings.
    Always,
    /// Bookings that start within the threshold.
    Time,
}

/// A duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NoticeThreshold {
    /// Unit.
    pub unit: NoticeUnit,
    /// Number of units, at least 1.
    pub count: i64,
}

/// Unit of a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum NoticeUnit {
    /// Minutes.
    Minutes,
    /// Hours.
    Hours,
}

/// Seats: several visitors share a slot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Seats {
    /// 1 to 1000.
    pub seats_per_time_slot: i64,
    /// True if visitors see the other attendees.
    pub show_attendee_info: bool,
    /// True if visitors see the number of remaining seats.
    pub show_availability_count: bool,
}

/// Ban on cancelling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct NoCancelling {
    /// True if bookings cannot be cancelled.
    pub disabled: bool,
}

/// Ban on rescheduling.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NoRescheduling {
    /// True if bookings can never be rescheduled.
    pub disabled: bool,
    /// Minutes before the start from which bookings cannot be rescheduled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minutes_before: Option<i64>,
}

/// Layouts of the slot picker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct BookerLayouts {
    /// Initial layout.
    pub default_layout: Layout,
    /// Layouts to choose from; contains the initial one.
    pub enabled_layouts: Vec<Layout>,
}

/// A layout of the slot picker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum Layout {
    /// A month, and the slots of one day.
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
    /// Kind of system, such as `google_calendar`.
    #[cfg_attr(feature = "openapi", schema(min_length = 1, max_length = 255))]
    pub integration: String,
    /// Id of the calendar in that system.
    #[cfg_attr(feature = "openapi", schema(min_length = 1, max_length = 1000))]
    pub external_id: String,
}

/// Settings of the built-in video meetings.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct CalVideoSettings {
    /// True if the organiser cannot record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disable_recording_for_organizer: Option<bool>,
    /// True if guests cannot record.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disable_recording_for_guests: Option<bool>,
    /// URL to which participants are redirected when they leave the call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub redirect_url_on_exit: Option<String>,
    /// True if the recording starts when the organiser joins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enable_automatic_recording_for_organizer: Option<bool>,
    /// True if the transcription starts when the first participant joins.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub enable_automatic_transcription: Option<bool>,
    /// True if guests get no transcription.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disable_transcription_for_guests: Option<bool>,
    /// True if the organiser gets no transcription.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disable_transcription_for_organizer: Option<bool>,
    /// True if the transcription is sent by e-mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub send_transcription_emails: Option<bool>,
}

/// Reminders by e-mail.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EmailReminders {
    /// Minutes before the start, 5 to 43,200 (30 days): up to five, each once.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(min_items = 1, max_items = 5))]
    pub minutes_before: Option<Vec<i64>>,
    /// True for no reminders.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disabled: Option<bool>,
}

/// Recipients of no e-mail.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EmailSettings {
    /// True if attendees get no e-mail.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<bool>))]
    pub disable_emails_to_attendees: bool,
    /// True if hosts get no e-mail.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<bool>))]
    pub disable_emails_to_hosts: bool,
}

/// Frequency of a series.
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

/// Recurrence of a series.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct Recurrence {
    /// Interval in units of `frequency`.
    pub interval: i64,
    /// Maximum number of bookings.
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
