//! Making and changing event types (contract 3.3).

use serde::Serialize;

use super::Location;
use super::settings::{
    ActiveBookingsLimit, BookerLayouts, BookingWindow, CalVideoSettings, Colors,
    ConfirmationPolicy, DestinationCalendar, EmailSettings, NoCancelling, NoRescheduling,
    PeriodLimits, Recurrence, Seats, Setting,
};
use crate::field_kind::FieldKind;
use crate::read::JsonMap;

/// The body of POST /v2/event-types.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewEventType {
    /// Shown as the heading of the picker.
    pub title: String,
    /// Lower-case letters, digits and single hyphens; unique per owner.
    pub slug: String,
    /// The default length, 1 to 1440.
    pub length_in_minutes: i64,
    /// Everything else.
    #[serde(flatten)]
    pub settings: EventTypeSettings,
}

/// The body of PATCH /v2/event-types/{eventTypeId}: what is absent stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EventTypeChanges {
    /// Shown as the heading of the picker.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub title: Option<String>,
    /// Lower-case letters, digits and single hyphens; unique per owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub slug: Option<String>,
    /// The default length, 1 to 1440.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub length_in_minutes: Option<i64>,
    /// Everything else.
    #[serde(flatten)]
    pub settings: EventTypeSettings,
}

/// The body of POST /v2/teams/{teamId}/event-types.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewTeamEventType {
    /// Way in which the hosts share the meetings. `ROUND_ROBIN`, `COLLECTIVE` and `MANAGED` are taken, too.
    pub scheduling_type: SchedulingType,
    /// What personal event types have as well.
    #[serde(flatten)]
    pub event_type: NewEventType,
    /// What only a team's have.
    #[serde(flatten)]
    pub team: TeamEventTypeSettings,
}

/// The body of PATCH /v2/teams/{teamId}/event-types/{eventTypeId}: what is absent stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TeamEventTypeChanges {
    /// How the hosts share the meetings; cannot become managed or cease to be.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub scheduling_type: Option<SchedulingType>,
    /// What personal event types have as well.
    #[serde(flatten)]
    pub event_type: EventTypeChanges,
    /// What only a team's have.
    #[serde(flatten)]
    pub team: TeamEventTypeSettings,
}

/// How several hosts share the meetings of an event type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum SchedulingType {
    /// One of them takes the meeting, with every mandatory one.
    RoundRobin,
    /// All of them take part.
    Collective,
    /// Each has an event type of their own that follows this one.
    Managed,
}

/// What a team's event types have besides. What is absent, or `null`, is left as it is or as usual.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TeamEventTypeSettings {
    /// Accepted members of the team; replaces all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hosts: Option<Vec<NewEventTypeHost>>,
    /// Whether everybody in the team hosts it, also who joins later.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assign_all_team_members: Option<bool>,
    /// Who is not written to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_settings: Option<EmailSettings>,
    /// Whether a moved booking keeps its host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reschedule_with_same_round_robin_host: Option<bool>,
}

/// A host to be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewEventTypeHost {
    /// An accepted member of the team.
    pub user_id: i64,
    /// Whether they take part in every meeting.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mandatory: Option<bool>,
    /// How readily they are chosen; medium unless told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<HostPriority>,
}

/// How readily a host is chosen.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum HostPriority {
    /// After all others.
    Lowest,
    /// Less than usual.
    Low,
    /// As usual.
    Medium,
    /// Rather than most.
    High,
    /// Before all others.
    Highest,
}

/// What can be said about any event type. What is absent gets its default when one is made, and
/// stays as it is when one is changed; `null` takes a default back.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EventTypeSettings {
    /// Plain text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub description: Option<String>,
    /// Lengths the visitor may choose from; contain the default one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub length_in_minutes_options: Option<Vec<i64>>,
    /// Where it can take place; the built-in video unless told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locations: Option<Vec<Location>>,
    /// Questions of the form; the default ones may be left out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub booking_fields: Option<Vec<NewBookingField>>,
    /// Books a series.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recurrence: Option<Setting<Recurrence>>,
    /// Minutes between starts, 1 to 1440; the length unless told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot_interval: Option<i64>,
    /// Minutes from booking to start; 120 unless told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum_booking_notice: Option<i64>,
    /// Minutes to keep free before, 0 to 720.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before_event_buffer: Option<i64>,
    /// Minutes to keep free after, 0 to 720.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_event_buffer: Option<i64>,
    /// Minutes by which starts are moved off the grid, 0 to 1440.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset_start: Option<i64>,
    /// How far ahead bookings are taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub booking_window: Option<Setting<BookingWindow>>,
    /// How many bookings a period takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub booking_limits_count: Option<Setting<PeriodLimits>>,
    /// How many booked minutes a period takes, in multiples of 15.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub booking_limits_duration: Option<Setting<PeriodLimits>>,
    /// How many bookings ahead one visitor may have.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub booker_active_bookings_limit: Option<Setting<ActiveBookingsLimit>>,
    /// When a host must confirm.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmation_policy: Option<Setting<ConfirmationPolicy>>,
    /// Several visitors share a time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seats: Option<Setting<Seats>>,
    /// Working hours of the owner, or of somebody in the team; each host's default ones unless told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule_id: Option<i64>,
    /// Free-form.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub metadata: Option<JsonMap>,
    /// In minor units of `currency`. Above 0 it is refused where no payment provider is configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<i64>,
    /// ISO 4217.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// A language code; the visitor's language unless told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interface_language: Option<String>,
    /// Whether the visitor may not add guests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disable_guests: Option<bool>,
    /// Whether times are shown in the host's zone only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lock_time_zone_toggle_on_booking_page: Option<bool>,
    /// Whether it is left out of public lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<bool>,
    /// Whether it starts at once; a team's only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_instant_event: Option<bool>,
    /// Whether only signed-in callers may book.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub booking_requires_authentication: Option<bool>,
    /// True if the visitor must enter a code that was mailed to them; refused where no e-mail can be
    /// sent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requires_booker_email_verification: Option<bool>,
    /// Whether visitors are not told the organiser's address.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hide_organizer_email: Option<bool>,
    /// Whether notes are kept out of calendars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hide_calendar_notes: Option<bool>,
    /// Whether each day offers its first time only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only_show_first_available_slot: Option<bool>,
    /// Whether starts are moved to rounder times where that costs none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub show_optimized_slots: Option<bool>,
    /// Whether a booking can be moved after its start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_rescheduling_past_bookings: Option<bool>,
    /// Whether a cancelled booking can be moved, which makes a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_rescheduling_cancelled_bookings: Option<bool>,
    /// Whether bookings cannot be cancelled.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disable_cancelling: Option<NoCancelling>,
    /// Whether bookings cannot be moved, or not shortly before their start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disable_rescheduling: Option<NoRescheduling>,
    /// Where to send the visitor after booking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success_redirect_url: Option<String>,
    /// How times are laid out.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub booker_layouts: Option<BookerLayouts>,
    /// The colours of its pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<Colors>,
    /// Title of its bookings, such as `{Event type title} between {Organiser} and {Scheduler}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 1000))]
    pub custom_name: Option<String>,
    /// Calendar that bookings are to be written to; kept and returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destination_calendar: Option<DestinationCalendar>,
    /// True if that calendar's address organises the meetings; kept and returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub use_destination_calendar_email: Option<bool>,
    /// True if calendars show no details; kept and returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hide_calendar_event_details: Option<bool>,
    /// Settings of the built-in video meetings; kept and returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cal_video_settings: Option<CalVideoSettings>,
    /// True if the booking's parameters are added to `successRedirectUrl`; kept and returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forward_params_success_redirect: Option<bool>,
}

/// A question to be asked.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewBookingField {
    /// Kind of answer; default fields need no more than their slug.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<FieldKind>,
    /// The key of the answer; unique. The kinds name, email and radioInput have one of their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slug: Option<String>,
    /// The question; needed but for default fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// Whether an answer must be given.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// An example of an answer.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<String>,
    /// Choices of select, multiselect, radio and checkbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<String>>,
    /// Whether the visitor is not asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<bool>,
    /// Whether a prefilled answer cannot be changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disable_on_prefill: Option<bool>,
    /// As it was read; decides nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_default: Option<bool>,
}

/// What was deleted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct DeletedEventType {
    /// Identifier.
    pub id: i64,
    /// Its default length.
    pub length_in_minutes: i64,
    /// Its slug.
    pub slug: String,
    /// Its title.
    pub title: String,
}
