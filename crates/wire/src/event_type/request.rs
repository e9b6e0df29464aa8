//! Requests that create and change event types.

use booking_wire_macros::wire;
use serde::Serialize;

use super::Location;
use super::settings::{
    ActiveBookingsLimit, BookerLayouts, BookingWindow, CalVideoSettings, Colors,
    ConfirmationPolicy, DestinationCalendar, EmailReminders, EmailSettings, NoCancelling,
    NoRescheduling, PeriodLimits, Recurrence, Seats, Setting,
};
use crate::event_type::field_kind::FieldKind;
use crate::read::JsonMap;

/// The body of POST /v2/event-types.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct NewEventType {
    /// Title, shown as the heading of the picker.
    pub title: String,
    /// Lower-case letters, digits and single hyphens; unique per owner.
    pub slug: String,
    /// Default length in minutes, 1 to 1440.
    pub length_in_minutes: i64,
    /// Other settings.
    #[wire(flatten)]
    pub settings: EventTypeSettings,
}

/// The body of PATCH /v2/event-types/{eventTypeId}. Absent keys are not changed.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventTypeChanges {
    /// Title, shown as the heading of the picker.
    #[schema(nullable = false)]
    pub title: Option<String>,
    /// Lower-case letters, digits and single hyphens; unique per owner.
    #[schema(nullable = false)]
    pub slug: Option<String>,
    /// Default length in minutes, 1 to 1440.
    #[schema(nullable = false)]
    pub length_in_minutes: Option<i64>,
    /// Other settings.
    #[wire(flatten)]
    pub settings: EventTypeSettings,
}

/// The body of POST /v2/teams/{teamId}/event-types.
#[wire(write)]
#[derive(Clone, Debug, PartialEq)]
pub struct NewTeamEventType {
    /// Assignment of hosts. `ROUND_ROBIN`, `COLLECTIVE` and `MANAGED` are accepted as well.
    pub scheduling_type: SchedulingType,
    /// Settings shared with personal event types.
    #[wire(flatten)]
    pub event_type: NewEventType,
    /// Settings of team event types only.
    #[wire(flatten)]
    pub team: TeamEventTypeSettings,
}

/// The body of PATCH /v2/teams/{teamId}/event-types/{eventTypeId}. Absent keys are not changed.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TeamEventTypeChanges {
    /// Assignment of hosts; cannot be changed to or from `managed`.
    #[schema(nullable = false)]
    pub scheduling_type: Option<SchedulingType>,
    /// Settings shared with personal event types.
    #[wire(flatten)]
    pub event_type: EventTypeChanges,
    /// Settings of team event types only.
    #[wire(flatten)]
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
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TeamEventTypeSettings {
    /// Accepted members of the team; replaces all of them.
    pub hosts: Option<Vec<NewEventTypeHost>>,
    /// True if all team members are hosts, including later ones.
    pub assign_all_team_members: Option<bool>,
    /// Recipients of no e-mail.
    pub email_settings: Option<EmailSettings>,
    /// True if a rescheduled booking keeps its host.
    pub reschedule_with_same_round_robin_host: Option<bool>,
}

/// A host of a new or changed event type.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewEventTypeHost {
    /// An accepted member of the team.
    pub user_id: i64,
    /// True if the host takes part in every booking.
    pub mandatory: Option<bool>,
    /// Round-robin priority; `medium` by default.
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
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventTypeSettings {
    /// Plain text.
    pub description: Option<String>,
    /// Lengths the visitor may choose from; contain the default one.
    pub length_in_minutes_options: Option<Vec<i64>>,
    /// Locations; the built-in video by default.
    pub locations: Option<Vec<Location>>,
    /// Fields of the form; the default ones may be omitted.
    pub booking_fields: Option<Vec<NewBookingField>>,
    /// Recurrence of a series.
    pub recurrence: Option<Setting<Recurrence>>,
    /// Minutes between starts, 1 to 1440; the length by default.
    pub slot_interval: Option<i64>,
    /// Minimum of minutes from booking to start; 120 by default.
    pub minimum_booking_notice: Option<i64>,
    /// Free minutes before a booking, 0 to 720.
    pub before_event_buffer: Option<i64>,
    /// Free minutes after a booking, 0 to 720.
    pub after_event_buffer: Option<i64>,
    /// Minutes by which starts are shifted from the grid, 0 to 1440.
    pub offset_start: Option<i64>,
    /// Booking window.
    pub booking_window: Option<Setting<BookingWindow>>,
    /// Maximum number of bookings in a period.
    pub booking_limits_count: Option<Setting<PeriodLimits>>,
    /// Maximum of booked minutes in a period, in multiples of 15.
    pub booking_limits_duration: Option<Setting<PeriodLimits>>,
    /// Maximum number of upcoming bookings of one visitor.
    pub booker_active_bookings_limit: Option<Setting<ActiveBookingsLimit>>,
    /// Confirmation policy.
    pub confirmation_policy: Option<Setting<ConfirmationPolicy>>,
    /// Seats: several visitors share a slot.
    pub seats: Option<Setting<Seats>>,
    /// Schedule of the owner or of a team member; each host's default schedule by default.
    pub schedule_id: Option<i64>,
    /// Metadata, free-form.
    #[schema(value_type = Option<Object>)]
    pub metadata: Option<JsonMap>,
    /// Price in minor units of `currency`. Above 0 it is rejected unless a payment provider is
    /// configured.
    pub price: Option<i64>,
    /// ISO 4217.
    pub currency: Option<String>,
    /// Language code; the visitor's language by default.
    pub interface_language: Option<String>,
    /// True if the visitor may not add guests.
    pub disable_guests: Option<bool>,
    /// True if times are shown in the host's zone only.
    pub lock_time_zone_toggle_on_booking_page: Option<bool>,
    /// True if it is omitted from public lists: its link leads to it.
    pub hidden: Option<bool>,
    /// True if only its hosts and those who may change it can see or book it; it is also hidden then. Extension of this
    /// service.
    pub closed: Option<bool>,
    /// True for instant meetings; team event types only.
    pub is_instant_event: Option<bool>,
    /// True if only signed-in callers may book.
    pub booking_requires_authentication: Option<bool>,
    /// True if the visitor must enter a code sent by e-mail; rejected if the service cannot send
    /// e-mail.
    pub requires_booker_email_verification: Option<bool>,
    /// True if the organiser's e-mail address is hidden from visitors.
    pub hide_organizer_email: Option<bool>,
    /// True if notes are omitted from calendars.
    pub hide_calendar_notes: Option<bool>,
    /// True if each day has its first slot only.
    pub only_show_first_available_slot: Option<bool>,
    /// True if starts are shifted to rounder times where that loses no slot.
    pub show_optimized_slots: Option<bool>,
    /// True if a booking can be rescheduled after its start.
    pub allow_rescheduling_past_bookings: Option<bool>,
    /// True if a cancelled booking can be rescheduled, which creates a new one.
    pub allow_rescheduling_cancelled_bookings: Option<bool>,
    /// Ban on cancelling.
    pub disable_cancelling: Option<NoCancelling>,
    /// Ban on rescheduling, always or shortly before the start.
    pub disable_rescheduling: Option<NoRescheduling>,
    /// URL to which the visitor is redirected after booking.
    pub success_redirect_url: Option<String>,
    /// Layouts of the slot picker.
    pub booker_layouts: Option<BookerLayouts>,
    /// The colours of its pages.
    pub color: Option<Colors>,
    /// Title of its bookings, such as `{Event type title} between {Organiser} and {Scheduler}`.
    #[schema(max_length = 1000)]
    pub custom_name: Option<String>,
    /// Calendar that bookings are to be written to; stored and returned.
    pub destination_calendar: Option<DestinationCalendar>,
    /// True if that calendar's e-mail address is the organiser; stored and returned.
    pub use_destination_calendar_email: Option<bool>,
    /// True if calendars show no details; stored and returned.
    pub hide_calendar_event_details: Option<bool>,
    /// Reminders by e-mail; `null` for the default ones, 24 hours and 1 hour before the start.
    pub email_reminders: Option<EmailReminders>,
    /// Settings of the built-in video meetings; stored and returned.
    pub cal_video_settings: Option<CalVideoSettings>,
    /// True if the booking's parameters are added to `successRedirectUrl`; stored and returned.
    pub forward_params_success_redirect: Option<bool>,
}

/// A form field to create.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewBookingField {
    /// Kind of value; default fields need only their slug.
    #[wire(key = "type")]
    pub kind: Option<FieldKind>,
    /// Key of the response; unique. The kinds name, email and radioInput have a default.
    pub slug: Option<String>,
    /// Label; required except for default fields.
    pub label: Option<String>,
    /// True if a response is required.
    pub required: Option<bool>,
    /// Example of a response.
    pub placeholder: Option<String>,
    /// Choices of select, multiselect, radio and checkbox.
    pub options: Option<Vec<String>>,
    /// True if the field is not shown to visitors.
    pub hidden: Option<bool>,
    /// True if a prefilled response cannot be changed.
    pub disable_on_prefill: Option<bool>,
    /// Accepted and ignored.
    pub is_default: Option<bool>,
}

/// Response of the deletion of an event type.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
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
