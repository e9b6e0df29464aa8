//! Event types of version 1.

use serde::Serialize;
use serde_json::Value;

use crate::read::JsonMap;

/// Frequencies of a series: number in version 1 and name in version 2.
pub const FREQUENCIES: [(i64, &str); 3] = [(0, "yearly"), (1, "monthly"), (2, "weekly")];

/// An event type.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EventType {
    /// Identifier, the same as in version 2.
    pub id: i64,
    /// Id of the owner; `null` for team event types.
    pub user_id: Option<i64>,
    /// Team of the event type.
    pub team_id: Option<i64>,
    /// The managed event type that it follows.
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
    pub event_name: Option<String>,
    /// IANA id, stored for other programs; hours are in the zone of the schedule.
    pub time_zone: Option<String>,
    /// Schedule; `null` means the owner's default schedule.
    pub schedule_id: Option<i64>,
    /// `ROUND_ROBIN`, `COLLECTIVE` or `MANAGED`; `null` for personal event types.
    pub scheduling_type: Option<String>,
    /// Hosts of a team event type.
    pub hosts: Vec<Host>,
    /// `UNLIMITED`, `ROLLING`, `ROLLING_WINDOW` or `RANGE`.
    pub period_type: String,
    /// First day of a `RANGE`, ISO 8601.
    pub period_start_date: Option<String>,
    /// Last day of a `RANGE`, ISO 8601.
    pub period_end_date: Option<String>,
    /// Number of days ahead.
    pub period_days: Option<i64>,
    /// True if `periodDays` includes weekends.
    pub period_count_calendar_days: Option<bool>,
    /// True if a host has to confirm each booking.
    pub requires_confirmation: bool,
    /// Recurrence of a series, else `null`.
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
    pub slot_interval: Option<i64>,
    /// In minor units of `currency`.
    pub price: i64,
    /// ISO 4217, lower case.
    pub currency: String,
    /// URL to which the visitor is redirected after booking.
    pub success_redirect_url: Option<String>,
    /// Locations where it can take place.
    pub locations: Vec<EventTypeLocation>,
    /// Maximum number of bookings in a period: `PER_DAY`, `PER_WEEK`, `PER_MONTH`, `PER_YEAR`.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub booking_limits: Option<JsonMap>,
    /// Maximum of booked minutes in a period, with the same keys.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub duration_limits: Option<JsonMap>,
    /// True if each day has its first slot only.
    pub only_show_first_available_slot: bool,
    /// True if all team members are hosts.
    pub assign_all_team_members: bool,
    /// Number of seats, if visitors share a slot.
    pub seats_per_time_slot: Option<i64>,
    /// True if visitors see the other attendees.
    pub seats_show_attendees: Option<bool>,
    /// True if visitors see the number of remaining seats.
    pub seats_show_availability_count: Option<bool>,
    /// Fields of the booking form, as in version 2.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<Object>))]
    pub booking_fields: Vec<Value>,
    /// Metadata, free-form.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub metadata: JsonMap,
    /// URL of the booking page.
    pub link: String,
}

lenient!(EventType {
    id: "id" | user_id: "userId",
    team_id: "teamId",
    parent_id: "parentId",
    title: "title",
    slug: "slug",
    description: "description",
    length: "length",
    hidden: "hidden",
    position: "position",
    event_name: "eventName",
    time_zone: "timeZone",
    schedule_id: "scheduleId",
    scheduling_type: "schedulingType",
    hosts: "hosts",
    period_type: "periodType",
    period_start_date: "periodStartDate",
    period_end_date: "periodEndDate",
    period_days: "periodDays",
    period_count_calendar_days: "periodCountCalendarDays",
    requires_confirmation: "requiresConfirmation",
    recurring_event: "recurringEvent",
    disable_guests: "disableGuests",
    hide_calendar_notes: "hideCalendarNotes",
    minimum_booking_notice: "minimumBookingNotice",
    before_event_buffer: "beforeEventBuffer",
    after_event_buffer: "afterEventBuffer",
    slot_interval: "slotInterval",
    price: "price",
    currency: "currency",
    success_redirect_url: "successRedirectUrl",
    locations: "locations",
    booking_limits: "bookingLimits",
    duration_limits: "durationLimits",
    only_show_first_available_slot: "onlyShowFirstAvailableSlot",
    assign_all_team_members: "assignAllTeamMembers",
    seats_per_time_slot: "seatsPerTimeSlot",
    seats_show_attendees: "seatsShowAttendees",
    seats_show_availability_count: "seatsShowAvailabilityCount",
    booking_fields: "bookingFields",
    metadata: "metadata",
    link: "link",
});

/// Host of a team event type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Host {
    /// Id of the user.
    #[cfg_attr(feature = "openapi", schema(minimum = 1))]
    pub user_id: i64,
    /// True if the host takes part in every booking.
    pub is_fixed: bool,
}

lenient!(Host { user_id: "userId" | is_fixed: "isFixed" });

/// A member with a personal event type that follows a managed one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Child {
    /// Id of the user.
    #[cfg_attr(feature = "openapi", schema(minimum = 1))]
    pub user_id: i64,
}

lenient!(Child { user_id: "userId" | });

/// Recurrence of a series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RecurringEvent {
    /// 0 yearly, 1 monthly, 2 weekly.
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 2))]
    pub freq: i64,
    /// Interval in years, months or weeks.
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 52))]
    pub interval: i64,
    /// Maximum number of bookings.
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 100))]
    pub count: i64,
}

lenient!(RecurringEvent { freq: "freq" | interval: "interval", count: "count" });

/// Location of an event type. The other keys depend on the kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[cfg_attr(feature = "openapi", schema(as = Place))]
#[serde(rename_all = "camelCase")]
pub struct EventTypeLocation {
    /// `inPerson`, `link`, `userPhone`, `phone`, `attendeeInPerson`, `somewhereElse`,
    /// `conferencing`, or `integrations:` and a slug.
    #[serde(rename = "type")]
    pub kind: String,
    /// Of `inPerson`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub address: Option<String>,
    /// Of `link`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub link: Option<String>,
    /// Of `userPhone`.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub host_phone_number: Option<String>,
}

lenient!(EventTypeLocation { kind: "type" |
    address: "address",
    link: "link",
    host_phone_number: "hostPhoneNumber",
});

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
