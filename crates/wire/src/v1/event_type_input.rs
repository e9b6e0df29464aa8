//! Input of event types of version 1.

use booking_wire_macros::wire;
use serde_json::Value;

use super::event_type::{Child, EventTypeLocation, Host, Limits, RecurringEvent};
use crate::read::JsonMap;

/// Input of an event type. `null` restores the default.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventTypeInput {
    /// Title.
    #[schema(nullable = false, min_length = 1, max_length = 255, pattern = r"\S")]
    pub title: Option<String>,
    /// Converted to a slug: `My Talk` becomes `my-talk`.
    #[schema(nullable = false, min_length = 1, max_length = 128)]
    pub slug: Option<String>,
    /// Minutes.
    #[schema(nullable = false, minimum = 1, maximum = 1440)]
    pub length: Option<i64>,
    /// Metadata, free-form; may be empty.
    #[schema(nullable = false, value_type = Option<Object>)]
    pub metadata: Option<JsonMap>,
    /// Plain text.
    #[schema(max_length = 5000)]
    pub description: Option<String>,
    /// True if it is omitted from public lists.
    pub hidden: Option<bool>,
    /// Position in the owner's list.
    #[schema(minimum = 0, maximum = 1000000)]
    pub position: Option<i64>,
    /// A pattern for the titles of bookings, for other programs.
    #[schema(max_length = 1000)]
    pub event_name: Option<String>,
    /// IANA id, stored for other programs; hours are in the zone of the schedule.
    pub time_zone: Option<String>,
    /// Schedule of the owner; `null` means the default one.
    #[schema(minimum = 1)]
    pub schedule_id: Option<i64>,
    /// Id of the team.
    #[schema(nullable = false, minimum = 1)]
    pub team_id: Option<i64>,
    /// Managed event type to follow.
    #[schema(nullable = false, minimum = 1)]
    pub parent_id: Option<i64>,
    /// Team event types only, where it is required.
    #[schema(nullable = false, pattern = "^(ROUND_ROBIN|COLLECTIVE|MANAGED)$")]
    pub scheduling_type: Option<String>,
    /// Hosts of a team event type.
    #[schema(nullable = false, max_items = 250)]
    pub hosts: Option<Vec<Host>>,
    /// Managed event types only: members with a personal event type that follows it.
    #[schema(nullable = false, max_items = 250)]
    pub children: Option<Vec<Child>>,
    /// Kind of booking window, `UNLIMITED` by default.
    #[schema(
        nullable = false,
        pattern = "^(UNLIMITED|ROLLING|ROLLING_WINDOW|RANGE)$"
    )]
    pub period_type: Option<String>,
    /// First day of a `RANGE`, ISO 8601.
    pub period_start_date: Option<String>,
    /// Last day of a `RANGE`, ISO 8601.
    pub period_end_date: Option<String>,
    /// Of `ROLLING` and `ROLLING_WINDOW`.
    #[schema(minimum = 1, maximum = 3650)]
    pub period_days: Option<i64>,
    /// True if `periodDays` includes weekends.
    pub period_count_calendar_days: Option<bool>,
    /// True if a host has to confirm each booking.
    pub requires_confirmation: Option<bool>,
    /// `null` for single bookings.
    pub recurring_event: Option<RecurringEvent>,
    /// True if the visitor may not add guests.
    pub disable_guests: Option<bool>,
    /// True if notes are omitted from calendars.
    pub hide_calendar_notes: Option<bool>,
    /// Minutes; 120 by default.
    #[schema(minimum = 0, maximum = 527040)]
    pub minimum_booking_notice: Option<i64>,
    /// Minutes.
    #[schema(minimum = 0, maximum = 720)]
    pub before_event_buffer: Option<i64>,
    /// Minutes.
    #[schema(minimum = 0, maximum = 720)]
    pub after_event_buffer: Option<i64>,
    /// Minutes between starts; `null` means the length.
    #[schema(minimum = 1, maximum = 1440)]
    pub slot_interval: Option<i64>,
    /// In minor units of `currency`.
    #[schema(minimum = 0, maximum = 100000000000_i64)]
    pub price: Option<i64>,
    /// ISO 4217.
    #[schema(pattern = "^[A-Za-z]{3}$")]
    pub currency: Option<String>,
    /// URL to which the visitor is redirected after booking.
    #[schema(max_length = 2048, pattern = r"^https?://[^\s/?#]\S*$")]
    pub success_redirect_url: Option<String>,
    /// Locations where it can take place.
    pub locations: Option<Vec<EventTypeLocation>>,
    /// Maximum number of bookings in a period.
    pub booking_limits: Option<Limits>,
    /// Maximum of booked minutes in a period, in multiples of 15.
    pub duration_limits: Option<Limits>,
    /// True if each day has its first slot only.
    pub only_show_first_available_slot: Option<bool>,
    /// Team event types only: true if all team members are hosts.
    #[schema(nullable = false)]
    pub assign_all_team_members: Option<bool>,
    /// Number of seats; `null` if visitors do not share slots.
    #[schema(minimum = 1, maximum = 1000)]
    pub seats_per_time_slot: Option<i64>,
    /// True if visitors see the other attendees.
    pub seats_show_attendees: Option<bool>,
    /// True if visitors see the number of remaining seats.
    pub seats_show_availability_count: Option<bool>,
    /// Fields of the booking form, as in version 2.
    #[schema(value_type = Option<Vec<Object>>)]
    pub booking_fields: Option<Vec<Value>>,
    /// Id of the owner; for administrators of the service.
    #[schema(nullable = false, minimum = 1)]
    pub user_id: Option<i64>,
}
