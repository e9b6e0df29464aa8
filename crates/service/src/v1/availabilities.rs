//! Working hours line by line. The rules are those of schedules: no two lines overlap on a day.

use booking_wire::v1::{Availability, AvailabilityInput};
use booking_wire::{Instant, JsonMap};
use chrono::{NaiveDate, Timelike};
use serde_json::{Value, json};

use super::call::Call;
use super::operation::{Operation, delete, get, patch, post, run};
use crate::auth::access::Needs::Caller;
use crate::auth::access::Subject;
use crate::error::{Error, Result};
use crate::input_limits::{MAX_AVAILABILITIES, MAX_OVERRIDES};
use crate::store::availabilities::{self, Line};
use crate::store::{Db, schedules};
use crate::validate::{Checks, Object, whole};

const HOURS: [&str; 4] = ["startTime", "endTime", "days", "date"];

/// Operations of this resource.
pub(super) const OPERATIONS: &[Operation] = &[
    post("/v1/availabilities", run!(create))
        .about("Adds hours to a schedule: of days of the week, or of one date.")
        .needs(Caller)
        .takes::<AvailabilityInput>(&["scheduleId", "startTime", "endTime"], &["days", "date"])
        .makes::<Availability>("availability", "Availability created successfully")
        .replaced_by("/v2/schedules"),
    get("/v1/availabilities/{id}", run!(show))
        .about("Hours of some days of the week, or of one date.")
        .needs(Caller)
        .gives::<Availability>("availability")
        .replaced_by("/v2/schedules"),
    patch("/v1/availabilities/{id}", run!(edit))
        .about("Changes hours; what is absent stays as it is.")
        .needs(Caller)
        .takes::<AvailabilityInput>(&[], &HOURS)
        .gives::<Availability>("availability")
        .replaced_by("/v2/schedules"),
    delete("/v1/availabilities/{id}", run!(remove))
        .about("Takes hours from their schedule.")
        .needs(Caller)
        .replaced_by("/v2/schedules"),
];

async fn show(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    Ok(json!(written(&own(&call, &mut db).await?)))
}

async fn create(call: Call) -> Result<Value> {
    let schedule_id = call.number("scheduleId")?.unwrap_or_default();
    let mut transaction = call.begin().await?;
    let db = &mut *transaction;
    authorise(&call, db, schedule_id).await?;
    let blank = Line {
        id: 0,
        schedule_id,
        days: Vec::new(),
        date: None,
        from: 0,
        to: 0,
    };
    let line = read(&call.body, blank)?;
    let others = availabilities::of_schedules(db, &[schedule_id]).await?;
    refuse_overlap(&line, &others)?;
    refuse_too_many(&line, &others)?;
    let id = schedules::insert_hours(db, schedule_id, &line.hours())
        .await?
        .ok_or(Error::Internal)?;
    transaction.commit().await?;
    Ok(json!(written(&Line { id, ..line })))
}

async fn edit(call: Call) -> Result<Value> {
    let mut transaction = call.begin().await?;
    let db = &mut *transaction;
    let before = own(&call, db).await?;
    let line = read(&call.body, before.clone())?;
    let mut others = availabilities::of_schedules(db, &[line.schedule_id]).await?;
    others.retain(|other| other.id != line.id);
    refuse_overlap(&line, &others)?;
    if line.date.is_some() != before.date.is_some() {
        refuse_too_many(&line, &others)?;
    }
    // Rows get the next free id. While the old ones are still there, that lies above the id which
    // the line keeps, so that nobody else's hours are ever given it.
    let id = schedules::insert_hours(db, line.schedule_id, &line.hours())
        .await?
        .ok_or(Error::Internal)?;
    availabilities::delete(db, &before).await?;
    availabilities::rename(db, line.schedule_id, id, before.id).await?;
    transaction.commit().await?;
    Ok(json!(written(&line)))
}

async fn remove(call: Call) -> Result<Value> {
    let mut transaction = call.begin().await?;
    let line = own(&call, &mut transaction).await?;
    availabilities::delete(&mut transaction, &line).await?;
    transaction.commit().await?;
    Ok(json!(format!("Availability {} deleted", line.id)))
}

async fn own(call: &Call, db: &mut Db) -> Result<Line> {
    let id = call.id("id")?;
    let line = availabilities::get(db, id)
        .await?
        .ok_or_else(|| Error::not_found("Availability", id))?;
    authorise(call, db, line.schedule_id).await?;
    Ok(line)
}

async fn authorise(call: &Call, db: &mut Db, schedule_id: i64) -> Result<()> {
    let owner_id = schedules::owner(db, schedule_id)
        .await?
        .ok_or_else(|| Error::not_found("Schedule", schedule_id))?;
    call.authorise(db, &Subject::of_user(owner_id)).await
}

/// Changes in `line` what `body` names.
fn read(body: &JsonMap, mut line: Line) -> Result<Line> {
    let mut checks = Checks::default();
    let object = Object::new(body, "");
    let days_rule = "must be numbers of days from 0, which is Sunday, to 6, each once";
    if let Some(days) = object.read("days", "isArray", days_rule, &mut checks, days) {
        line.days = days;
        line.date = None;
    }
    let date_rule = "must be a date like 2027-03-29";
    if let Some(day) = object.read("date", "isDateString", date_rule, &mut checks, date) {
        line.date = Some(day);
        if !body.contains_key("days") {
            line.days.clear();
        }
    }
    if checks.is_clean() && line.days.is_empty() == line.date.is_none() {
        let complaint = "or date must be given, and not both";
        checks.complain("days", &Value::Null, "oneOf", complaint);
    }
    for (key, end) in [("startTime", &mut line.from), ("endTime", &mut line.to)] {
        let rule = "must be a time of day like 1970-01-01T09:00:00.000Z";
        if let Some(minute) = object.read(key, "isTime", rule, &mut checks, minute) {
            *end = minute;
        }
    }
    let may_be_equal = line.date.is_some();
    if checks.is_clean() && !(line.from < line.to || may_be_equal && line.from == line.to) {
        let complaint = "must lie after startTime";
        checks.complain("endTime", &json!(body.get("endTime")), "isAfter", complaint);
    }
    checks.finish()?;
    Ok(line)
}

fn days(value: &Value) -> Option<Vec<i64>> {
    let mut days: Vec<i64> = Vec::new();
    for day in value.as_array()? {
        let day = whole(day).filter(|day| (0..=6).contains(day) && !days.contains(day))?;
        days.push(day);
    }
    days.sort_unstable();
    Some(days)
}

/// A date; a time of day behind it means nothing.
fn date(value: &Value) -> Option<String> {
    let (day, rest) = value.as_str()?.split_at_checked(10)?;
    let is_moment = rest.is_empty() || Instant::parse(value.as_str()?).is_some();
    let day: NaiveDate = day.parse().ok().filter(|_| is_moment)?;
    Some(day.to_string())
}

/// The minute of the day of a moment in UTC, whose date means nothing.
fn minute(value: &Value) -> Option<i64> {
    let text = value.as_str().filter(|text| text.len() > 10)?;
    let time = Instant::parse(text)?.utc()?;
    Some(i64::from(time.hour() * 60 + time.minute()))
}

fn refuse_overlap(line: &Line, others: &[Line]) -> Result<()> {
    let clashes = others.iter().any(|other| {
        let same_day = match (&line.date, &other.date) {
            (Some(date), Some(known)) => date == known,
            (None, None) => line.days.iter().any(|day| other.days.contains(day)),
            _ => false,
        };
        // A day off has no other hours.
        let empty = line.from == line.to || other.from == other.to;
        same_day && (empty || line.from < other.to && other.from < line.to)
    });
    if !clashes {
        return Ok(());
    }
    Err(super::call::complaint(
        "startTime",
        "begins hours that overlap others of the same day",
    ))
}

/// Refuses one line more than version 2 lets a schedule have; the week and dates count apart.
fn refuse_too_many(line: &Line, others: &[Line]) -> Result<()> {
    let (most, kind) = match line.date {
        Some(_) => (MAX_OVERRIDES, "of dates"),
        None => (MAX_AVAILABILITIES, "of the week"),
    };
    let alike = |other: &&Line| other.date.is_some() == line.date.is_some();
    if others.iter().filter(alike).count() < most {
        return Ok(());
    }
    Err(Error::BadRequest(format!(
        "a schedule has at most {most} availabilities {kind}"
    )))
}

fn written(line: &Line) -> Availability {
    let moment = |minute: i64| format!("1970-01-01T{:02}:{:02}:00.000Z", minute / 60, minute % 60);
    Availability {
        id: line.id,
        schedule_id: line.schedule_id,
        event_type_id: None,
        days: line.days.clone(),
        date: line.date.clone(),
        start_time: moment(line.from),
        end_time: moment(line.to),
    }
}
