//! What is said of event types in version 1.

use serde::Serialize;
use serde_json::Value;

use super::event_type::{Child, Host, Limits, Place, RecurringEvent};
use crate::read::JsonMap;

/// What is said of an event type. `null` takes the default back.
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
    /// Brought into the form of a slug: `My Talk` becomes `my-talk`.
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
    /// Free-form; may be empty.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, value_type = Option<Object>))]
    pub metadata: Option<JsonMap>,
    /// Plain text.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 5000))]
    pub description: Option<String>,
    /// Whether it is left out of public lists.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hidden: Option<bool>,
    /// Its place in its owner's list.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 1000000))]
    pub position: Option<i64>,
    /// A pattern for the titles of bookings, for other programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(max_length = 1000))]
    pub event_name: Option<String>,
    /// IANA id, for other programs; hours are read on the clock of their schedule.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// One of the owner's; `null` means the default one.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1))]
    pub schedule_id: Option<i64>,
    /// The team that is to offer it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1))]
    pub team_id: Option<i64>,
    /// The managed event type that it is to follow.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1))]
    pub parent_id: Option<i64>,
    /// A team's only, and needed there.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(nullable = false, pattern = "^(ROUND_ROBIN|COLLECTIVE|MANAGED)$")
    )]
    pub scheduling_type: Option<String>,
    /// A team's only.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, max_items = 250))]
    pub hosts: Option<Vec<Host>>,
    /// A managed event type's only: who has one of their own that follows it.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, max_items = 250))]
    pub children: Option<Vec<Child>>,
    /// `UNLIMITED` unless told.
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
    /// Whether `periodDays` counts weekends.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub period_count_calendar_days: Option<bool>,
    /// Whether a host has to confirm each booking.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub requires_confirmation: Option<bool>,
    /// `null` for single bookings.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub recurring_event: Option<RecurringEvent>,
    /// Whether the visitor may not add guests.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub disable_guests: Option<bool>,
    /// Whether notes are kept out of calendars.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hide_calendar_notes: Option<bool>,
    /// Minutes; 120 unless told.
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
    /// Where to send the visitor after booking.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(max_length = 2048, pattern = r"^https?://[^\s/?#]\S*$")
    )]
    pub success_redirect_url: Option<String>,
    /// Where it can take place.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub locations: Option<Vec<Place>>,
    /// How many bookings a period takes.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub booking_limits: Option<Limits>,
    /// How many booked minutes a period takes, in steps of 15.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub duration_limits: Option<Limits>,
    /// Whether each day offers its first time only.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub only_show_first_available_slot: Option<bool>,
    /// A team's only: whether everybody in it hosts.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub assign_all_team_members: Option<bool>,
    /// How many visitors share a booking; `null` if each has their own.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 1000))]
    pub seats_per_time_slot: Option<i64>,
    /// Whether visitors see each other.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seats_show_attendees: Option<bool>,
    /// Whether visitors see how many seats are left.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub seats_show_availability_count: Option<bool>,
    /// The form, as in version 2.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Vec<Object>>))]
    pub booking_fields: Option<Vec<Value>>,
    /// Whose it is; for those who run the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1))]
    pub user_id: Option<i64>,
}
