//! What can be booked, in version 1.

use serde::Serialize;
use serde_json::Value;

use crate::read::{Fields, JsonMap, Read};

/// Frequencies of a series by their number and their name in version 2.
pub const FREQUENCIES: [(i64, &str); 3] = [(0, "yearly"), (1, "monthly"), (2, "weekly")];

/// One thing that can be booked.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct EventType {
    /// Identifier, the same as in version 2.
    pub id: i64,
    /// Whose it is; `null` for a team's.
    pub user_id: Option<i64>,
    /// The team that offers it.
    pub team_id: Option<i64>,
    /// The managed event type that it follows.
    pub parent_id: Option<i64>,
    /// Title.
    pub title: String,
    /// Unique per owner or team.
    pub slug: String,
    /// Plain text.
    pub description: String,
    /// Minutes.
    pub length: i64,
    /// Whether it is left out of public lists.
    pub hidden: bool,
    /// Its place in its owner's list.
    pub position: i64,
    /// A pattern for the titles of bookings, for other programs.
    pub event_name: Option<String>,
    /// A zone for other programs; hours are read on the clock of their schedule.
    pub time_zone: Option<String>,
    /// `null` means the owner's default schedule.
    pub schedule_id: Option<i64>,
    /// `ROUND_ROBIN`, `COLLECTIVE` or `MANAGED`; `null` for a person's.
    pub scheduling_type: Option<String>,
    /// A team's only.
    pub hosts: Vec<Host>,
    /// `UNLIMITED`, `ROLLING`, `ROLLING_WINDOW` or `RANGE`.
    pub period_type: String,
    /// First day of a `RANGE`, ISO 8601.
    pub period_start_date: Option<String>,
    /// Last day of a `RANGE`, ISO 8601.
    pub period_end_date: Option<String>,
    /// How many days ahead.
    pub period_days: Option<i64>,
    /// Whether `periodDays` counts weekends.
    pub period_count_calendar_days: Option<bool>,
    /// Whether a host has to confirm each booking.
    pub requires_confirmation: bool,
    /// `null` unless a series is booked.
    pub recurring_event: Option<RecurringEvent>,
    /// Whether the visitor may not add guests.
    pub disable_guests: bool,
    /// Whether notes are kept out of calendars.
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
    /// Where to send the visitor after booking.
    pub success_redirect_url: Option<String>,
    /// Where it can take place.
    pub locations: Vec<Place>,
    /// How many bookings a period takes: `PER_DAY`, `PER_WEEK`, `PER_MONTH`, `PER_YEAR`.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub booking_limits: Option<JsonMap>,
    /// How many booked minutes a period takes, by the same names.
    #[cfg_attr(feature = "openapi", schema(value_type = Option<Object>))]
    pub duration_limits: Option<JsonMap>,
    /// Whether each day offers its first time only.
    pub only_show_first_available_slot: bool,
    /// Whether everybody in the team hosts it.
    pub assign_all_team_members: bool,
    /// How many visitors share a booking.
    pub seats_per_time_slot: Option<i64>,
    /// Whether visitors see each other.
    pub seats_show_attendees: Option<bool>,
    /// Whether visitors see how many seats are left.
    pub seats_show_availability_count: Option<bool>,
    /// The form, as in version 2.
    #[cfg_attr(feature = "openapi", schema(value_type = Vec<Object>))]
    pub booking_fields: Vec<Value>,
    /// Free-form.
    #[cfg_attr(feature = "openapi", schema(value_type = Object))]
    pub metadata: JsonMap,
    /// Where it can be booked.
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

/// Who hosts a team's event type.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Host {
    /// Who.
    #[cfg_attr(feature = "openapi", schema(minimum = 1))]
    pub user_id: i64,
    /// Whether they take part in every meeting.
    pub is_fixed: bool,
}

lenient!(Host { user_id: "userId" | is_fixed: "isFixed" });

/// A member who has an event type of their own that follows a managed one.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Child {
    /// Who.
    #[cfg_attr(feature = "openapi", schema(minimum = 1))]
    pub user_id: i64,
}

/// A series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub struct RecurringEvent {
    /// 0 yearly, 1 monthly, 2 weekly.
    #[cfg_attr(feature = "openapi", schema(minimum = 0, maximum = 2))]
    pub freq: i64,
    /// Every so many years, months or weeks.
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 52))]
    pub interval: i64,
    /// How many meetings at most.
    #[cfg_attr(feature = "openapi", schema(minimum = 1, maximum = 100))]
    pub count: i64,
}

lenient!(RecurringEvent { freq: "freq" | interval: "interval", count: "count" });

/// Where a meeting can take place. Which of the others is given depends on the kind.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Place {
    /// `inPerson`, `link`, `userPhone`, `phone`, `attendeeInPerson`, `somewhereElse`, `conferencing`,
    /// or `integrations:` and a slug.
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

lenient!(Place { kind: "type" |
    address: "address",
    link: "link",
    host_phone_number: "hostPhoneNumber",
});

/// How much a period takes.
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
    /// The frequency of a series by its name in version 2.
    pub fn frequency(freq: i64) -> Option<&'static str> {
        let known = FREQUENCIES.iter().find(|(number, _)| *number == freq)?;
        Some(known.1)
    }
}

impl Read for Child {
    fn read(value: &Value) -> Option<Self> {
        Some(Self {
            user_id: Fields::of(value)?.get("userId")?,
        })
    }
}
