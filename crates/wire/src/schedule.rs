//! Schedules and out-of-office entries.

use booking_wire_macros::wire;
use serde::Serialize;
use serde_json::Value;

use crate::formats::instant::Instant;
use crate::read::Read;

/// Weekly working hours in a time zone, with date overrides.
#[wire(read, write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Schedule {
    /// Identifier.
    #[wire(required)]
    pub id: i64,
    /// Id of the owner.
    pub owner_id: i64,
    /// Name of the schedule.
    pub name: String,
    /// IANA id of the time zone of the hours.
    pub time_zone: String,
    /// Weekly hours.
    pub availability: Vec<Availability>,
    /// True for the default schedule of the owner's event types.
    pub is_default: bool,
    /// Dates with hours that replace those of the week.
    pub overrides: Vec<ScheduleOverride>,
}

/// Working hours of some days of the week.
#[wire(read, write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Availability {
    /// English names of the weekdays.
    pub days: Vec<Weekday>,
    /// `HH:MM`.
    pub start_time: String,
    /// `HH:MM`; 23:59 means midnight.
    pub end_time: String,
}

/// A day of the week.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Weekday {
    /// Monday.
    Monday,
    /// Tuesday.
    Tuesday,
    /// Wednesday.
    Wednesday,
    /// Thursday.
    Thursday,
    /// Friday.
    Friday,
    /// Saturday.
    Saturday,
    /// Sunday.
    Sunday,
}

impl Weekday {
    /// All days with their names on the wire, from Monday.
    pub const NAMES: [(&'static str, Self); 7] = [
        ("Monday", Self::Monday),
        ("Tuesday", Self::Tuesday),
        ("Wednesday", Self::Wednesday),
        ("Thursday", Self::Thursday),
        ("Friday", Self::Friday),
        ("Saturday", Self::Saturday),
        ("Sunday", Self::Sunday),
    ];

    /// Returns the day's number, 0 for Sunday to 6 for Saturday.
    pub fn from_sunday(self) -> i64 {
        (self as i64 + 1) % 7
    }
}

impl Read for Weekday {
    fn read(value: &Value) -> Option<Self> {
        let name = value.as_str()?;
        let known = Self::NAMES
            .iter()
            .find(|(known, _)| known.eq_ignore_ascii_case(name))?;
        Some(known.1)
    }
}

/// Working hours of one date; equal start and end mean a day off.
#[wire(read, write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScheduleOverride {
    /// ISO 8601, in the schedule's zone.
    #[wire(required)]
    pub date: String,
    /// `HH:MM`.
    pub start_time: String,
    /// `HH:MM`; 23:59 means midnight.
    pub end_time: String,
}

/// The body of POST /v2/schedules.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewSchedule {
    /// Name of the schedule.
    pub name: String,
    /// IANA id.
    pub time_zone: String,
    /// True for the default schedule of the owner's event types. A first schedule is always the
    /// default.
    pub is_default: bool,
    /// Weekly hours; Monday to Friday from 09:00 to 17:00 by default.
    pub availability: Option<Vec<Availability>>,
    /// Date overrides; none by default.
    pub overrides: Option<Vec<ScheduleOverride>>,
}

/// The body of PATCH /v2/schedules/{scheduleId}. Absent keys are not changed.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ScheduleChanges {
    /// Name of the schedule.
    pub name: Option<String>,
    /// IANA id.
    pub time_zone: Option<String>,
    /// `true` makes it the default; `false` is no way to make another one the default.
    pub is_default: Option<bool>,
    /// Replaces the weekly hours.
    pub availability: Option<Vec<Availability>>,
    /// Replaces all date overrides.
    pub overrides: Option<Vec<ScheduleOverride>>,
}

/// An out-of-office entry.
#[wire(read, write)]
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OutOfOffice {
    /// Identifier.
    #[wire(required)]
    pub id: i64,
    /// Another identifier, for other systems.
    pub uuid: String,
    /// Id of the absent user.
    pub user_id: i64,
    /// Id of the substitute.
    #[schema(nullable = false)]
    pub to_user_id: Option<i64>,
    /// UTC.
    #[wire(required)]
    pub start: Instant,
    /// UTC.
    #[wire(required)]
    pub end: Instant,
    /// Notes for colleagues.
    #[schema(nullable = false)]
    pub notes: Option<String>,
    /// Reason of the absence.
    pub reason: AbsenceReason,
}

/// Reason of an absence.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum AbsenceReason {
    /// Unspecified, or unknown to this version.
    #[default]
    Unspecified,
    /// Vacation.
    Vacation,
    /// Business trip.
    Travel,
    /// Illness.
    Sick,
    /// Public holiday.
    PublicHoliday,
}

impl AbsenceReason {
    /// All reasons with their names on the wire.
    pub const NAMES: [(&'static str, Self); 5] = [
        ("unspecified", Self::Unspecified),
        ("vacation", Self::Vacation),
        ("travel", Self::Travel),
        ("sick", Self::Sick),
        ("public_holiday", Self::PublicHoliday),
    ];

    /// Returns the name on the wire.
    pub fn as_str(self) -> &'static str {
        let known = Self::NAMES.iter().find(|(_, reason)| *reason == self);
        known.map_or("unspecified", |(name, _)| name)
    }
}

impl Read for AbsenceReason {
    fn read(value: &Value) -> Option<Self> {
        let name = value.as_str()?;
        let known = Self::NAMES.iter().find(|(known, _)| *known == name)?;
        Some(known.1)
    }
}

/// The body of POST .../ooo.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NewOutOfOffice {
    /// UTC.
    pub start: Instant,
    /// UTC, after the start.
    pub end: Instant,
    /// Notes for colleagues.
    pub notes: Option<String>,
    /// Id of the substitute, another user of the organisation.
    pub to_user_id: Option<i64>,
    /// Reason of the absence.
    pub reason: Option<AbsenceReason>,
}

/// The body of PATCH .../ooo/{oooId}. Absent keys are not changed.
#[wire(write)]
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OutOfOfficeChanges {
    /// UTC.
    pub start: Option<Instant>,
    /// UTC, after the start.
    pub end: Option<Instant>,
    /// Notes for colleagues; `null` removes them.
    pub notes: Option<String>,
    /// Id of the substitute, another user of the organisation; `null` for none.
    pub to_user_id: Option<i64>,
    /// Reason of the absence.
    pub reason: Option<AbsenceReason>,
}
