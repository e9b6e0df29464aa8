//! Event types of version 1.

use booking_wire_macros::wire;
use serde::Serialize;
use serde_json::Value;

use crate::read::JsonMap;

/// Frequencies of a series: number in version 1 and name in version 2.
pub const FREQUENCIES: [(i64, &str); 3] = [(0, "yearly"), (1, "monthly"), (2, "weekly")];

/// An event type.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EventType {
    /// Identifier, the same as in version 2.
    pub id: i64,
    /// Id of the owner; `null` for team event types.
    #[wire(null)]
    pub user_id: Option<i64>,
    /// Team of the event type.
    #[wire(null)]
    pub team_id: Option<i64>,
    /// The managed event type that it follows.
    #[wire(null)]
    pub parent_id: Option<i64>,
    /// Title.
    pub title: String,
    /// Slug, unique per owner or team.
    pub slug: String,
    /// Plain text.
    pub description: String,
    /// Minutes.
    pub length: i64,
    /// True if it is omitted from public lists.
    pub hidden: bool,
    /// Position in the owner's list.
    pub position: i64,
    /// A pattern for the titles of bookings, for other programs.
    #[wire(null)]
    pub event_name: Option<String>,
    /// IANA id, stored for other programs; hours are in the zone of the schedule.
    #[wire(null)]
    pub time_zone: Option<String>,
    /// Schedule; `null` means the owner's default schedule.
    #[wire(null)]
    pub schedule_id: Option<i64>,
    /// `ROUND_ROBIN`, `COLLECTIVE` or `MANAGED`; `null` for personal event types.
    #[wire(null)]
    pub scheduling_type: Option<String>,
    /// Hosts of a team event type.
    pub hosts: Vec<Host>,
    /// `UNLIMITED`, `ROLLING`, `ROLLING_WINDOW` or `RANGE`.
    pub period_type: String,
    /// First day of a `RANGE`, ISO 8601.
    #[wire(null)]
    pub period_start_date: Option<String>,
    /// Last day of a `RANGE`, ISO 8601.
    #[wire(null)]
    pub period_end_date: Option<String>,
    /// Number of days ahead.
    #[wire(null)]
    pub period_days: Option<i64>,
    /// True if `periodDays` includes weekends.
    #[wire(null)]
    pub period_count_calendar_days: Option<bool>,
    /// True if a host has to confirm each booking.
    pub requires_confirmation: bool,
    /// Recurrence of a series, else `null`.
    #[wire(null)]
    pub recurring_event: Option<RecurringEvent>,
    /// True if the visitor may not add guests.
    pub disable_guests: bool,
    /// True if notes are omitted from calendars.
    pub hide_calendar_notes: bool,
    /// Minutes.
    pub minimum_booking_notice: i64,
    /// Minutes.
    pub before_event_buffer: i64,
    /// Minutes.
    pub after_event_buffer: i64,
    /// Minutes between starts; `null` means the length.
    #[wire(null)]
    pub slot_interval: Option<i64>,
    /// In minor units of `currency`.
    pub price: i64,
    /// ISO 4217, lower case.
    pub currency: String,
    /// URL to which the visitor is redirected after booking.
    #[wire(null)]
    pub success_redirect_url: Option<String>,
    /// Locations where it can take place.
    pub locations: Vec<EventTypeLocation>,
    /// Maximum number of bookings in a period: `PER_DAY`, `PER_WEEK`, `PER_MONTH`, `PER_YEAR`.
    #[wire(null)]
    #[schema(value_type = Option<Object>)]
    pub booking_limits: Option<JsonMap>,
    /// Maximum of booked minutes in a period, with the same keys.
    #[wire(null)]
    #[schema(value_type = Option<Object>)]
    pub duration_limits: Option<JsonMap>,
    /// True if each day has its first slot only.
    pub only_show_first_available_slot: bool,
    /// True if all team members are hosts.
    pub assign_all_team_members: bool,
    /// Number of seats, if visitors share a slot.
    #[wire(null)]
    pub seats_per_time_slot: Option<i64>,
    /// True if visitors see the other attendees.
    #[wire(null)]
    pub seats_show_attendees: Option<bool>,
    /// True if visitors see the number of remaining seats.
    #[wire(null)]
    pub seats_show_availability_count: Option<bool>,
    /// Fields of the booking form, as in version 2.
    #[schema(value_type = Vec<Object>)]
    pub booking_fields: Vec<Value>,
    /// Metadata, free-form.
    #[schema(value_type = Object)]
    pub metadata: JsonMap,
    /// URL of the booking page.
    pub link: String,
}

/// Host of a team event type.
#[wire(write)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Host {
    /// Id of the user.
    #[schema(minimum = 1)]
    pub user_id: i64,
    /// True if the host takes part in every booking.
    pub is_fixed: bool,
}

/// A member with a personal event type that follows a managed one.
#[wire(write)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Child {
    /// Id of the user.
    #[schema(minimum = 1)]
    pub user_id: i64,
}

/// Recurrence of a series.
#[wire(write)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RecurringEvent {
    /// 0 yearly, 1 monthly, 2 weekly.
    #[schema(minimum = 0, maximum = 2)]
    pub freq: i64,
    /// Interval in years, months or weeks.
    #[schema(minimum = 1, maximum = 52)]
    pub interval: i64,
    /// Maximum number of bookings.
    #[schema(minimum = 1, maximum = 100)]
    pub count: i64,
}

/// Location of an event type. The other keys depend on the kind.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[schema(as = Place)]
pub struct EventTypeLocation {
    /// `inPerson`, `link`, `userPhone`, `phone`, `attendeeInPerson`, `somewhereElse`,
    /// `conferencing`, or `integrations:` and a slug.
    #[wire(key = "type")]
    pub kind: String,
    /// Of `inPerson`.
    #[schema(nullable = false)]
    pub address: Option<String>,
    /// Of `link`.
    #[schema(nullable = false)]
    pub link: Option<String>,
    /// Of `userPhone`.
    #[schema(nullable = false)]
    pub host_phone_number: Option<String>,
}

/// Limits per period.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub struct Limits {
    /// From midnight to midnight.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1))]
    pub per_day: Option<i64>,
    /// From Sunday on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1))]
    pub per_week: Option<i64>,
    /// From its first day on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1))]
    pub per_month: Option<i64>,
    /// From its first day on.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(minimum = 1))]
    pub per_year: Option<i64>,
}

impl EventType {
    /// Returns the name of a frequency in version 2.
    pub fn frequency(freq: i64) -> Option<&'static str> {
        let known = FREQUENCIES.iter().find(|(number, _)| *number == freq)?;
        Some(known.1)
    }
}
