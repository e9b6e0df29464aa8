//! Requests that create and change event types.

use serde::Serialize;

use super::Location;
use super::settings::{
    ActiveBookingsLimit, BookerLayouts, BookingWindow, CalVideoSettings, Colors,
    ConfirmationPolicy, DestinationCalendar, EmailReminders, EmailSettings, NoCancelling,
    NoRescheduling, PeriodLimits, Recurrence, Seats, Setting,
};
use crate::field_kind::FieldKind;
use crate::read::JsonMap;

/// The body of POST /v2/event-types.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewEventType {
    /// Title, shown as the heading of the picker.
    pub title: String,
    /// Lower-case letters, digits and single hyphens; unique per owner.
    pub slug: String,
    /// Default length in minutes, 1 to 1440.
    pub length_in_minutes: i64,
    /// Other settings.
    #[serde(flatten)]
    pub settings: EventTypeSettings,
}

/// The body of PATCH /v2/event-types/{eventTypeId}. Absent keys are not changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EventTypeChanges {
    /// Title, shown as the heading of the picker.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub title: Option<String>,
    /// Lower-case letters, digits and single hyphens; unique per owner.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub slug: Option<String>,
    /// Default length in minutes, 1 to 1440.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub length_in_minutes: Option<i64>,
    /// Other settings.
    #[serde(flatten)]
    pub settings: EventTypeSettings,
}

/// The body of POST /v2/teams/{teamId}/event-types.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewTeamEventType {
    /// Assignment of hosts. `ROUND_ROBIN`, `COLLECTIVE` and `MANAGED` are accepted as well.
    pub scheduling_type: SchedulingType,
    /// Settings shared with personal event types.
    #[serde(flatten)]
    pub event_type: NewEventType,
    /// Settings of team event types only.
    #[serde(flatten)]
    pub team: TeamEventTypeSettings,
}

/// The body of PATCH /v2/teams/{teamId}/event-types/{eventTypeId}. Absent keys are not changed.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TeamEventTypeChanges {
    /// Assignment of hosts; cannot be changed to or from `managed`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub scheduling_type: Option<SchedulingType>,
    /// Settings shared with personal event types.
    #[serde(flatten)]
    pub event_type: EventTypeChanges,
    /// Settings of team event types only.
    #[serde(flatten)]
    pub team: TeamEventTypeSettings,
}

/// Assignment of the hosts of a team event type.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub enum SchedulingType {
    /// One host per booking, plus every mandatory one.
    RoundRobin,
    /// All hosts take part.
    Collective,
    /// Each host has a personal event type that follows this one.
    Managed,
}

/// Settings of team event types only. Absent and `null` keys are not changed, or get their default
/// on creation.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct TeamEventTypeSettings {
    /// Accepted members of the team; replaces all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hosts: Option<Vec<NewEventTypeHost>>,
    /// True if all team members are hosts, including later ones.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub assign_all_team_members: Option<bool>,
    /// Recipients of no e-mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_settings: Option<EmailSettings>,
    /// True if a rescheduled booking keeps its host.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reschedule_with_same_round_robin_host: Option<bool>,
}

/// A host of a new or changed event type.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewEventTypeHost {
    /// An accepted member of the team.
    pub user_id: i64,
    /// True if the host takes part in every booking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mandatory: Option<bool>,
    /// Round-robin priority; `medium` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub priority: Option<HostPriority>,
}

/// Round-robin priority of a host.
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
    /// More than usual.
    High,
    /// Before all others.
    Highest,
}

/// Settings of any event type. Absent keys get their default on creation and are not changed on
/// update; `null` restores the default.
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
    /// Locations; the built-in video by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locations: Option<Vec<Location>>,
    /// Fields of the form; the default ones may be omitted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub booking_fields: Option<Vec<NewBookingField>>,
    /// Recurrence of a series.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recurrence: Option<Setting<Recurrence>>,
    /// Minutes between starts, 1 to 1440; the length by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slot_interval: Option<i64>,
    /// Minimum of minutes from booking to start; 120 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub minimum_booking_notice: Option<i64>,
    /// Free minutes before a booking, 0 to 720.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before_event_buffer: Option<i64>,
    /// Free minutes after a booking, 0 to 720.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after_event_buffer: Option<i64>,
    /// Minutes by which starts are shifted from the grid, 0 to 1440.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub offset_start: Option<i64>,
    /// Booking window.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub booking_window: Option<Setting<BookingWindow>>,
    /// Maximum number of bookings in a period.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub booking_limits_count: Option<Setting<PeriodLimits>>,
    /// Maximum of booked minutes in a period, in multiples of 15.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub booking_limits_duration: Option<Setting<PeriodLimits>>,
    /// Maximum number of upcoming bookings of one visitor.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub booker_active_bookings_limit: Option<Setting<ActiveBookingsLimit>>,
    /// Confirmation policy.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub confirmation_policy: Option<Setting<ConfirmationPolicy>>,
    /// Seats: several visitors share a slot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seats: Option<Setting<Seats>>,
    /// Schedule of the owner or of a team member; each host's default schedule by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub schedule_id: Option<i64>,
    /// Metadata, free-form.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub metadata: Option<JsonMap>,
    /// Price in minor units of `currency`. Above 0 it is rejected unless a payment provider is
    /// configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub price: Option<i64>,
    /// ISO 4217.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub currency: Option<String>,
    /// Language code; the visitor's language by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interface_language: Option<String>,
    /// True if the visitor may not add guests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disable_guests: Option<bool>,
    /// True if times are shown in the host's zone only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lock_time_zone_toggle_on_booking_page: Option<bool>,
    /// True if it is omitted from public lists: its link leads to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<bool>,
    /// True if only its hosts and those who may change it can see or book it; it is also hidden then. Extension of this
    /// service.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub closed: Option<bool>,
    /// True for instant meetings; team event types only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_instant_event: Option<bool>,
    /// True if only signed-in callers may book.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub booking_requires_authentication: Option<bool>,
    /// True if the visitor must enter a code sent by e-mail; rejected if the service cannot send
    /// e-mail.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requires_booker_email_verification: Option<bool>,
    /// True if the organiser's e-mail address is hidden from visitors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hide_organizer_email: Option<bool>,
    /// True if notes are omitted from calendars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hide_calendar_notes: Option<bool>,
    /// True if each day has its first slot only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only_show_first_available_slot: Option<bool>,
    /// True if starts are shifted to rounder times where that loses no slot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub show_optimized_slots: Option<bool>,
    /// True if a booking can be rescheduled after its start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_rescheduling_past_bookings: Option<bool>,
    /// True if a cancelled booking can be rescheduled, which creates a new one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub allow_rescheduling_cancelled_bookings: Option<bool>,
    /// Ban on cancelling.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disable_cancelling: Option<NoCancelling>,
    /// Ban on rescheduling, always or shortly before the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disable_rescheduling: Option<NoRescheduling>,
    /// URL to which the visitor is redirected after booking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success_redirect_url: Option<String>,
    /// Layouts of the slot picker.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub booker_layouts: Option<BookerLayouts>,
    /// The colours of its pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub color: Option<Colors>,
    /// Title of its bookings, such as `{Event type title} between {Organiser} and {Scheduler}`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 1000))]
    pub custom_name: Option<String>,
    /// Calendar that bookings are to be written to; stored and returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub destination_calendar: Option<DestinationCalendar>,
    /// True if that calendar's e-mail address is the organiser; stored and returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub use_destination_calendar_email: Option<bool>,
    /// True if calendars show no details; stored and returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hide_calendar_event_details: Option<bool>,
    /// Reminders by e-mail; `null` for the default ones, 24 hours and 1 hour before the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub email_reminders: Option<EmailReminders>,
    /// Settings of the built-in video meetings; stored and returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cal_video_settings: Option<CalVideoSettings>,
    /// True if the booking's parameters are added to `successRedirectUrl`; stored and returned.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub forward_params_success_redirect: Option<bool>,
}

/// A form field to create.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewBookingField {
    /// Kind of value; default fields need only their slug.
    #[serde(rename = "type", skip_serializing_if = "Option::is_none")]
    pub kind: Option<FieldKind>,
    /// Key of the response; unique. The kinds name, email and radioInput have a default.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub slug: Option<String>,
    /// Label; required except for default fields.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<String>,
    /// True if a response is required.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub required: Option<bool>,
    /// Example of a response.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub placeholder: Option<String>,
    /// Choices of select, multiselect, radio and checkbox.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub options: Option<Vec<String>>,
    /// True if the field is not shown to visitors.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<bool>,
    /// True if a prefilled response cannot be changed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disable_on_prefill: Option<bool>,
    /// Accepted and ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_default: Option<bool>,
}

/// Response of the deletion of an event type.
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
