//! Settings of an event type that are objects.

use booking_wire_macros::wire;
use serde::Serialize;

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
#[wire(write)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[schema(as = Off)]
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
#[wire(write)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PeriodLimits {
    /// A day.
    pub day: Option<i64>,
    /// A week from Sunday on.
    pub week: Option<i64>,
    /// A month.
    pub month: Option<i64>,
    /// A year.
    pub year: Option<i64>,
}

/// Maximum number of upcoming bookings of one visitor.
#[wire(write)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ActiveBookingsLimit {
    /// At least 1.
    pub maximum_active_bookings: i64,
    /// True if the visitor may reschedule an existing booking instead.
    pub offer_reschedule: Option<bool>,
}

/// Confirmation policy.
#[wire(write)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ConfirmationPolicy {
    /// Bookings that need confirmation.
    #[wire(key = "type")]
    pub kind: ConfirmationKind,
    /// Threshold of the notice.
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
#[wire(write)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
#[wire(write)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seats {
    /// 1 to 1000.
    pub seats_per_time_slot: i64,
    /// True if visitors see the other attendees.
    pub show_attendee_info: bool,
    /// True if visitors see the number of remaining seats.
    pub show_availability_count: bool,
}

/// Ban on cancelling.
#[wire(write)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoCancelling {
    /// True if bookings cannot be cancelled.
    pub disabled: bool,
}

/// Ban on rescheduling.
#[wire(write)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRescheduling {
    /// True if bookings can never be rescheduled.
    pub disabled: bool,
    /// Minutes before the start from which bookings cannot be rescheduled.
    pub minutes_before: Option<i64>,
}

/// Layouts of the slot picker.
#[wire(write)]
#[derive(Clone, Debug, PartialEq, Eq)]
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
#[wire(write)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Colors {
    /// `#RGB` or `#RRGGBB`.
    pub light_theme_hex: String,
    /// `#RGB` or `#RRGGBB`.
    pub dark_theme_hex: String,
}

/// Calendar that bookings are to be written to.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DestinationCalendar {
    /// Kind of system, such as `google_calendar`.
    #[schema(min_length = 1, max_length = 255)]
    pub integration: String,
    /// Id of the calendar in that system.
    #[schema(min_length = 1, max_length = 1000)]
    pub external_id: String,
}

/// Settings of the built-in video meetings.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CalVideoSettings {
    /// True if the organiser cannot record.
    pub disable_recording_for_organizer: Option<bool>,
    /// True if guests cannot record.
    pub disable_recording_for_guests: Option<bool>,
    /// URL to which participants are redirected when they leave the call.
    pub redirect_url_on_exit: Option<String>,
    /// True if the recording starts when the organiser joins.
    pub enable_automatic_recording_for_organizer: Option<bool>,
    /// True if the transcription starts when the first participant joins.
    pub enable_automatic_transcription: Option<bool>,
    /// True if guests get no transcription.
    pub disable_transcription_for_guests: Option<bool>,
    /// True if the organiser gets no transcription.
    pub disable_transcription_for_organizer: Option<bool>,
    /// True if the transcription is sent by e-mail.
    pub send_transcription_emails: Option<bool>,
}

/// Reminders by e-mail.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EmailReminders {
    /// Minutes before the start, 5 to 43,200 (30 days): up to five, each once.
    #[schema(min_items = 1, max_items = 5)]
    pub minutes_before: Option<Vec<i64>>,
    /// True for no reminders.
    pub disabled: Option<bool>,
}

/// Recipients of no e-mail.
#[wire(write)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EmailSettings {
    /// True if attendees get no e-mail.
    #[schema(value_type = Option<bool>)]
    pub disable_emails_to_attendees: bool,
    /// True if hosts get no e-mail.
    #[schema(value_type = Option<bool>)]
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
#[wire(read, write)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Recurrence {
    /// Interval in units of `frequency`.
    #[wire(required)]
    pub interval: i64,
    /// Maximum number of bookings.
    #[wire(required)]
    pub occurrences: i64,
    /// `weekly`, `monthly` or `yearly`.
    #[schema(value_type = Frequency)]
    pub frequency: String,
}
