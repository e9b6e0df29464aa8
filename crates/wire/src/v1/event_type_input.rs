//! Input of event types of version 1.

use serde::Serialize;
use serde_json::Value;

use super::event_type::{Child, EventTypeLocation, Host, Limits, RecurringEvent};
use crate::read::JsonMap;

/// Input of an event type. `null` restores the default.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EventTypeInput {
    /// Title.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(nullable = false, min_length = 1, max_length = 255, pattern = r"\S")
    )]
    pub title: Option<String>,
    /// Converted to a slug: `My Talk` becomes `my-talk`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(nullable = false, min_length = 1, max_length = 128)
    )]
    pub slug: Option<String>,
    /// Minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(nullable = false, minimum = 1, maximum = 1440)
    )]
    pub length: Option<i64>,
    /// Metadata, free-form; may be empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, value_type = Option<Object>))]
    pub metadata: Option<JsonMap>,
    /// Plain text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 5000))]
    pub description: Option<String>,
    /// True if it is omitted from public lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<bool>,
    /// Position in the owner's list.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 1000000))]
    pub position: Option<i64>,
    /// A pattern for the titles of bookings, for other programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 1000))]
    pub event_name: Option<String>,
    /// IANA id, stored for other programs; hours are in the zone of the schedule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// Schedule of the owner; `null` means the default one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1))]
    pub schedule_id: Option<i64>,
    /// Id of the team.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1))]
    pub team_id: Option<i64>,
    /// Managed event type to follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1))]
    pub parent_id: Option<i64>,
    /// Team event types only, where it is required.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(nullable = false, pattern = "^(ROUND_ROBIN|COLLECTIVE|MANAGED)$")
    )]
    pub scheduling_type: Option<String>,
    /// Hosts of a team event type.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, max_items = 250))]
    pub hosts: Option<Vec<Host>>,
    /// Managed event types only: members with a personal event type that follows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, max_items = 250))]
    pub children: Option<Vec<Child>>,
    /// Kind of booking window, `UNLIMITED` by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(
            nullable = false,
            pattern = "^(UNLIMITED|ROLLING|ROLLING_WINDOW|RANGE)$"
        )
    )]
    pub period_type: Option<String>,
    /// First day of a `RANGE`, ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period_start_date: Option<String>,
    /// Last day of a `RANGE`, ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period_end_date: Option<String>,
    /// Of `ROLLING` and `ROLLING_WINDOW`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 3650))]
    pub period_days: Option<i64>,
    /// True if `periodDays` includes weekends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period_count_calendar_days: Option<bool>,
    /// True if a host has to confirm each booking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requires_confirmation: Option<bool>,
    /// `null` for single bookings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recurring_event: Option<RecurringEvent>,
    /// True if the visitor may not add guests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disable_guests: Option<bool>,
    /// True if notes are omitted from calendars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hide_calendar_notes: Option<bool>,
    /// Minutes; 120 by default.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 527040))]
    pub minimum_booking_notice: Option<i64>,
    /// Minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 720))]
    pub before_event_buffer: Option<i64>,
    /// Minutes.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 720))]
    pub after_event_buffer: Option<i64>,
    /// Minutes between starts; `null` means the length.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 1440))]
    pub slot_interval: Option<i64>,
    /// In minor units of `currency`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 100000000000_i64))]
    pub price: Option<i64>,
    /// ISO 4217.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(pattern = "^[A-Za-z]{3}$"))]
    pub currency: Option<String>,
    /// URL to which the visitor is redirected after booking.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(max_length = 2048, pattern = r"^https?://[^\s/?#]\S*$")
    )]
    pub success_redirect_url: Option<String>,
    /// Locations where it can take place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locations: Option<Vec<EventTypeLocation>>,
    /// Maximum number of bookings in a period.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub booking_limits: Option<Limits>,
    /// Maximum of booked minutes in a period, in multiples of 15.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_limits: Option<Limits>,
    /// True if each day has its first slot only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only_show_first_available_slot: Option<bool>,
    /// Team event types only: true if all team members are hosts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub assign_all_team_members: Option<bool>,
    /// Number of seats; `null` if visitors do not share slots.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 1000))]
    pub seats_per_time_slot: Option<i64>,
    /// True if visitors see the other attendees.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seats_show_attendees: Option<bool>,
    /// True if visitors see the number of remaining seats.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seats_show_availability_count: Option<bool>,
    /// Fields of the booking form, as in version 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vec<Object>>))]
    pub booking_fields: Option<Vec<Value>>,
    /// Id of the owner; for administrators of the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1))]
    pub user_id: Option<i64>,
}
