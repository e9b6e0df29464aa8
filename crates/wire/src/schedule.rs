//! Working hours, and when somebody does not work (contract 3.6).

use serde::Serialize;
use serde_json::Value;

use crate::instant::Instant;
use crate::read::{Fields, Read};

/// Weekly working hours in one zone, with dates that differ.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Schedule {
    /// Identifier.
    pub id: i64,
    /// Whose hours they are.
    pub owner_id: i64,
    /// What its owner calls it.
    pub name: String,
    /// IANA id of the zone whose clock the hours are read on.
    pub time_zone: String,
    /// The ordinary week.
    pub availability: Vec<Availability>,
    /// Whether event types use it that name none.
    pub is_default: bool,
    /// Dates whose hours replace those of the week.
    pub overrides: Vec<ScheduleOverride>,
}

impl Read for Schedule {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        Some(Self {
            id: fields.get("id")?,
            owner_id: fields.integer("ownerId"),
            name: fields.text("name"),
            time_zone: fields.text("timeZone"),
            availability: fields.list("availability"),
            is_default: fields.flag("isDefault"),
            overrides: fields.list("overrides"),
        })
    }
}

/// Working hours of some days of the week.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct Availability {
    /// Monday to Sunday, in English.
    pub days: Vec<Weekday>,
    /// `HH:MM`.
    pub start_time: String,
    /// `HH:MM`; 23:59 means midnight.
    pub end_time: String,
}

impl Read for Availability {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        Some(Self {
            days: fields.list("days"),
            start_time: fields.text("startTime"),
            end_time: fields.text("endTime"),
        })
    }
}

/// A day of the week.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
pub enum Weekday {
    /// The first day here.
    Monday,
    /// The second.
    Tuesday,
    /// The third.
    Wednesday,
    /// The fourth.
    Thursday,
    /// The fifth.
    Friday,
    /// The sixth.
    Saturday,
    /// The last.
    Sunday,
}

impl Weekday {
    /// All days with their names on the wire, from Monday on.
    pub const NAMES: [(&'static str, Self); 7] = [
        ("Monday", Self::Monday),
        ("Tuesday", Self::Tuesday),
        ("Wednesday", Self::Wednesday),
        ("Thursday", Self::Thursday),
        ("Friday", Self::Friday),
        ("Saturday", Self::Saturday),
        ("Sunday", Self::Sunday),
    ];

    /// The number that has 0 for Sunday and 6 for Saturday.
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

/// Working hours of one date; equal ends mean a day off.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ScheduleOverride {
    /// ISO 8601, in the schedule's zone.
    pub date: String,
    /// `HH:MM`.
    pub start_time: String,
    /// `HH:MM`; 23:59 means midnight.
    pub end_time: String,
}

impl Read for ScheduleOverride {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        Some(Self {
            date: fields.get("date")?,
            start_time: fields.text("startTime"),
            end_time: fields.text("endTime"),
        })
    }
}

/// The body of POST /v2/schedules.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewSchedule {
    /// What its owner calls it.
    pub name: String,
    /// IANA id.
    pub time_zone: String,
    /// Whether event types use it that name none. A first schedule is always used so.
    pub is_default: bool,
    /// Monday to Friday from 09:00 to 17:00 unless told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub availability: Option<Vec<Availability>>,
    /// None unless told.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overrides: Option<Vec<ScheduleOverride>>,
}

/// The body of PATCH /v2/schedules/{scheduleId}: what is absent stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct ScheduleChanges {
    /// What its owner calls it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// IANA id.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub time_zone: Option<String>,
    /// `true` makes it the default; another one becomes it no other way.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub is_default: Option<bool>,
    /// Replaces the ordinary week.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub availability: Option<Vec<Availability>>,
    /// Replaces all dates that differ.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub overrides: Option<Vec<ScheduleOverride>>,
}

/// A time in which somebody does not work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct OutOfOffice {
    /// Identifier.
    pub id: i64,
    /// Another identifier, for other systems.
    pub uuid: String,
    /// Who does not work.
    pub user_id: i64,
    /// Who stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub to_user_id: Option<i64>,
    /// UTC.
    pub start: Instant,
    /// UTC.
    pub end: Instant,
    /// What colleagues should know.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "openapi", schema(nullable = false))]
    pub notes: Option<String>,
    /// Why.
    pub reason: AbsenceReason,
}

impl Read for OutOfOffice {
    fn read(value: &Value) -> Option<Self> {
        let fields = Fields::of(value)?;
        Some(Self {
            id: fields.get("id")?,
            uuid: fields.text("uuid"),
            user_id: fields.integer("userId"),
            to_user_id: fields.get("toUserId")?,
            start: fields.get("start")?,
            end: fields.get("end")?,
            notes: fields.get("notes")?,
            reason: fields.get("reason").unwrap_or_default(),
        })
    }
}

/// Why somebody does not work.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "snake_case")]
pub enum AbsenceReason {
    /// Not told, or not known to this version.
    #[default]
    Unspecified,
    /// Free time.
    Vacation,
    /// On the road.
    Travel,
    /// Ill.
    Sick,
    /// Nobody works there.
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

    /// The name on the wire.
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
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct NewOutOfOffice {
    /// UTC.
    pub start: Instant,
    /// UTC, after the start.
    pub end: Instant,
    /// What colleagues should know.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// Somebody else in the organisation, who stands in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_user_id: Option<i64>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<AbsenceReason>,
}

/// The body of PATCH .../ooo/{oooId}: what is absent stays as it is.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema))]
#[serde(rename_all = "camelCase")]
pub struct OutOfOfficeChanges {
    /// UTC.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<Instant>,
    /// UTC, after the start.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<Instant>,
    /// What colleagues should know; `null` takes it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub notes: Option<String>,
    /// Somebody else in the organisation, who stands in; `null` for nobody.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub to_user_id: Option<i64>,
    /// Why.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<AbsenceReason>,
}
