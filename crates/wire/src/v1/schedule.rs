//! Working hours of version 1.

use booking_wire_macros::wire;

/// A schedule: working hours in a time zone.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// Identifier, the same as in version 2.
    pub id: i64,
    /// Id of the owner.
    pub user_id: i64,
    /// Name of the schedule.
    pub name: String,
    /// IANA id of the time zone of the hours.
    pub time_zone: String,
    /// Weekly hours first, then date overrides.
    pub availability: Vec<ScheduleHours>,
}

/// Working hours in the response of a schedule.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScheduleHours {
    /// Identifier of the availability.
    pub id: i64,
    /// Always `null`: hours belong to schedules.
    #[wire(null)]
    pub event_type_id: Option<i64>,
    /// 0 is Sunday, 6 is Saturday; empty for a date.
    pub days: Vec<i64>,
    /// Date of a date override, ISO 8601.
    #[schema(nullable = false)]
    pub date: Option<String>,
    /// `HH:MM:SS`.
    pub start_time: String,
    /// `HH:MM:SS`; 23:59:00 means midnight.
    pub end_time: String,
}

/// Input of a schedule.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScheduleInput {
    /// Name of the schedule.
    #[schema(nullable = false, min_length = 1, max_length = 255)]
    pub name: Option<String>,
    /// IANA id.
    #[schema(nullable = false, min_length = 1)]
    pub time_zone: Option<String>,
    /// Id of the owner; for administrators of the service.
    #[schema(nullable = false, minimum = 1)]
    pub user_id: Option<i64>,
}

/// Working hours of some days of the week, or of one date.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Availability {
    /// Identifier.
    pub id: i64,
    /// The schedule it belongs to.
    pub schedule_id: i64,
    /// Always `null`: hours belong to schedules.
    #[wire(null)]
    pub event_type_id: Option<i64>,
    /// 0 is Sunday, 6 is Saturday; empty for a date.
    pub days: Vec<i64>,
    /// Date of a date override, ISO 8601.
    #[wire(null)]
    pub date: Option<String>,
    /// A time of day, as `1970-01-01T09:00:00.000Z`.
    pub start_time: String,
    /// A time of day, as `1970-01-01T17:00:00.000Z`; 23:59 means midnight.
    pub end_time: String,
}

/// Input of working hours.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct AvailabilityInput {
    /// The schedule it belongs to.
    #[schema(nullable = false, minimum = 1)]
    pub schedule_id: Option<i64>,
    /// `1970-01-01THH:MM:00.000Z`; the date is ignored.
    #[schema(nullable = false, example = "1970-01-01T09:00:00.000Z")]
    pub start_time: Option<String>,
    /// `1970-01-01THH:MM:00.000Z`; 23:59 means midnight.
    #[schema(nullable = false, example = "1970-01-01T17:00:00.000Z")]
    pub end_time: Option<String>,
    /// 0 is Sunday, 6 is Saturday. Either days or a date.
    #[schema(nullable = false)]
    pub days: Option<Vec<i64>>,
    /// Date of an override, ISO 8601. Its hours replace those of its weekday; equal start and end
    /// mean a day off.
    #[schema(nullable = false, example = "2027-03-29")]
    pub date: Option<String>,
}
