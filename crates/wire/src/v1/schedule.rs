//! Working hours of version 1.

use serde::Serialize;

/// A schedule: working hours in a time zone.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
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

lenient!(Schedule {
    id: "id" | user_id: "userId",
    name: "name",
    time_zone: "timeZone",
    availability: "availability",
});

/// Working hours in the response of a schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ScheduleHours {
    /// Identifier of the availability.
    pub id: i64,
    /// Always `null`: hours belong to schedules.
    pub event_type_id: Option<i64>,
    /// 0 is Sunday, 6 is Saturday; empty for a date.
    pub days: Vec<i64>,
    /// Date of a date override, ISO 8601.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub date: Option<String>,
    /// `HH:MM:SS`.
    pub start_time: String,
    /// `HH:MM:SS`; 23:59:00 means midnight.
    pub end_time: String,
}

lenient!(ScheduleHours {
    id: "id" | event_type_id: "eventTypeId",
    days: "days",
    date: "date",
    start_time: "startTime",
    end_time: "endTime",
});

/// Input of a schedule.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ScheduleInput {
    /// Name of the schedule.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(nullable = false, min_length = 1, max_length = 255)
    )]
    pub name: Option<String>,
    /// IANA id.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, min_length = 1))]
    pub time_zone: Option<String>,
    /// Id of the owner; for administrators of the service.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1))]
    pub user_id: Option<i64>,
}

/// Working hours of some days of the week, or of one date.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Availability {
    /// Identifier.
    pub id: i64,
    /// The schedule it belongs to.
    pub schedule_id: i64,
    /// Always `null`: hours belong to schedules.
    pub event_type_id: Option<i64>,
    /// 0 is Sunday, 6 is Saturday; empty for a date.
    pub days: Vec<i64>,
    /// Date of a date override, ISO 8601.
    pub date: Option<String>,
    /// A time of day, as `1970-01-01T09:00:00.000Z`.
    pub start_time: String,
    /// A time of day, as `1970-01-01T17:00:00.000Z`; 23:59 means midnight.
    pub end_time: String,
}

lenient!(Availability {
    id: "id" | schedule_id: "scheduleId",
    event_type_id: "eventTypeId",
    days: "days",
    date: "date",
    start_time: "startTime",
    end_time: "endTime",
});

/// Input of working hours.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct AvailabilityInput {
    /// The schedule it belongs to.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, minimum = 1))]
    pub schedule_id: Option<i64>,
    /// `1970-01-01THH:MM:00.000Z`; the date is ignored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(nullable = false, example = "1970-01-01T09:00:00.000Z")
    )]
    pub start_time: Option<String>,
    /// `1970-01-01THH:MM:00.000Z`; 23:59 means midnight.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(
        feature = "openapi",
        schema(nullable = false, example = "1970-01-01T17:00:00.000Z")
    )]
    pub end_time: Option<String>,
    /// 0 is Sunday, 6 is Saturday. Either days or a date.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub days: Option<Vec<i64>>,
    /// Date of an override, ISO 8601. Its hours replace those of its weekday; equal start and end
    /// mean a day off.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false, example = "2027-03-29"))]
    pub date: Option<String>,
}
