//! Working hours, each line of a schedule as a resource. As in schedules, no two lines of a day
//! overlap.

use booking_wire::v1::{Availability, AvailabilityInput};
use booking_wire::{Instant, JsonMap};
use chrono::{NaiveDate, Timelike};
use serde_json::{Value, json};

use crate::auth::access::Requirement::Caller;
use crate::auth::access::Resource;
use crate::domain::schedules::HoursByDay;
use crate::error::{Error, Result};
use crate::http::v1::call::Call;
use crate::http::v1::operation::{Operation, delete, get, handler, patch, post};
use crate::input_limits::{MAX_AVAILABILITIES, MAX_OVERRIDES};
use crate::store::hours::availabilities::{self, AvailabilityRow};
use crate::store::hours::schedules;
use crate::store::{Db, Subject};
use crate::validate::{Checks, Object, date_time, integer};

const HOURS_KEYS: [&str; 4] = ["startTime", "endTime", "days", "date"];

/// Operations of this resource.
pub(crate) const OPERATIONS: &[Operation] = &[
    post("/v1/availabilities", handler!(create))
        .summary("Adds working hours to a schedule: for days of the week, or for one date.")
        .requires(Caller)
        .input::<AvailabilityInput>(&["scheduleId", "startTime", "endTime"], &["days", "date"])
        .returns_created::<Availability>("availability", "Availability created successfully")
        .replaced_by("/v2/schedules"),
    get("/v1/availabilities/{id}", handler!(show))
        .summary("Working hours for days of the week, or for one date.")
        .requires(Caller)
        .returns::<Availability>("availability")
        .replaced_by("/v2/schedules"),
    patch("/v1/availabilities/{id}", handler!(edit))
        .summary("Changes working hours; absent keys stay unchanged.")
        .requires(Caller)
        .input::<AvailabilityInput>(&[], &HOURS_KEYS)
        .returns::<Availability>("availability")
        .replaced_by("/v2/schedules"),
    delete("/v1/availabilities/{id}", handler!(remove))
        .summary("Removes working hours from their schedule.")
        .requires(Caller)
        .replaced_by("/v2/schedules"),
];

async fn show(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    Ok(json!(response(&load_authorised(&call, &mut db).await?)))
}

async fn create(call: Call) -> Result<Value> {
    let schedule_id = call.positive_integer("scheduleId")?.unwrap_or_default();
    let mut transaction = call.begin(&[Subject::Schedule(schedule_id)]).await?;
    let db = &mut *transaction;
    authorise(&call, db, schedule_id).await?;
    let empty = AvailabilityRow {
        id: 0,
        schedule_id,
        days: Vec::new(),
        date: None,
        from: 0,
        to: 0,
    };
    let line = read(&call.body, empty)?;
    let others = availabilities::of_schedules(db, &[schedule_id]).await?;
    check_overlap(&line, &others)?;
    check_count(&line, &others)?;
    let id = schedules::insert_hours(db, schedule_id, &line.hours())
        .await?
        .ok_or_else(|| Error::internal("new working hours cannot be read"))?;
    transaction.commit().await?;
    Ok(json!(response(&AvailabilityRow { id, ..line })))
}

async fn edit(call: Call) -> Result<Value> {
    let mut transaction = call.begin(&[Subject::Availability(call.id("id")?)]).await?;
    let db = &mut *transaction;
    let before = load_authorised(&call, db).await?;
    let line = read(&call.body, before.clone())?;
    let mut others = availabilities::of_schedules(db, &[line.schedule_id]).await?;
    others.retain(|other| other.id != line.id);
    check_overlap(&line, &others)?;
    if line.date.is_some() != before.date.is_some() {
        check_count(&line, &others)?;
    }
    // Insert before delete: the new rows get ids above the one that the line keeps, so that no
    // other line can take that id.
    let id = schedules::insert_hours(db, line.schedule_id, &line.hours())
        .await?
        .ok_or_else(|| Error::internal("changed working hours cannot be read"))?;
    availabilities::delete(db, &before).await?;
    availabilities::set_id(db, line.schedule_id, id, before.id).await?;
    transaction.commit().await?;
    Ok(json!(response(&line)))
}

async fn remove(call: Call) -> Result<Value> {
    let mut transaction = call.begin(&[Subject::Availability(call.id("id")?)]).await?;
    let line = load_authorised(&call, &mut transaction).await?;
    availabilities::delete(&mut transaction, &line).await?;
    transaction.commit().await?;
    Ok(json!(format!("Availability {} deleted", line.id)))
}

async fn load_authorised(call: &Call, db: &mut Db) -> Result<AvailabilityRow> {
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
    call.authorise(db, &Resource::of_user(owner_id)).await
}

/// Parses `body` into changes of `line`.
fn read(body: &JsonMap, mut line: AvailabilityRow) -> Result<AvailabilityRow> {
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
        let message = "or date must be given, and not both";
        checks.report("days", &Value::Null, "oneOf", message);
    }
    for (key, end) in [("startTime", &mut line.from), ("endTime", &mut line.to)] {
        let rule = "must be a time of day like 1970-01-01T09:00:00.000Z";
        if let Some(minute) = object.read(key, "isTime", rule, &mut checks, minute) {
            *end = minute;
        }
    }
    let may_be_empty = line.date.is_some();
    if checks.is_clean() && !(line.from < line.to || may_be_empty && line.from == line.to) {
        let message = "must lie after startTime";
        checks.report("endTime", &json!(body.get("endTime")), "isAfter", message);
    }
    checks.finish()?;
    Ok(line)
}

fn days(value: &Value) -> Option<Vec<i64>> {
    let mut days: Vec<i64> = Vec::new();
    for day in value.as_array()? {
        let day = integer(day).filter(|day| (0..=6).contains(day) && !days.contains(day))?;
        days.push(day);
    }
    days.sort_unstable();
    Some(days)
}

/// Parses a date; a time of day after it is ignored.
fn date(value: &Value) -> Option<String> {
    let (day, rest) = value.as_str()?.split_at_checked(10)?;
    let is_valid = rest.is_empty() || Instant::parse(value.as_str()?).is_some();
    let day: NaiveDate = day.parse().ok().filter(|_| is_valid)?;
    Some(day.to_string())
}

/// Parses an instant and returns its minute of the day in UTC; the date is ignored.
fn minute(value: &Value) -> Option<i64> {
    let time = date_time(value)?.utc()?;
    Some(i64::from(time.hour() * 60 + time.minute()))
}

fn check_overlap(line: &AvailabilityRow, others: &[AvailabilityRow]) -> Result<()> {
    let mut days = HoursByDay::default();
    for hours in others.iter().flat_map(AvailabilityRow::hours) {
        days.add(&hours);
    }
    if !line.hours().iter().any(|hours| days.add(hours)) {
        return Ok(());
    }
    Err(crate::http::v1::call::validation_error(
        "startTime",
        "begins hours that overlap others of the same day",
    ))
}

/// Rejects more lines than version 2 allows. Lines of the week and of dates are counted separately.
fn check_count(line: &AvailabilityRow, others: &[AvailabilityRow]) -> Result<()> {
    let (max, kind) = match line.date {
        Some(_) => (MAX_OVERRIDES, "of dates"),
        None => (MAX_AVAILABILITIES, "of the week"),
    };
    let is_same_kind = |other: &&AvailabilityRow| other.date.is_some() == line.date.is_some();
    if others.iter().filter(is_same_kind).count() < max {
        return Ok(());
    }
    Err(Error::BadRequest(format!(
        "a schedule has at most {max} availabilities {kind}"
    )))
}

fn response(line: &AvailabilityRow) -> Availability {
    let instant = |minute: i64| format!("1970-01-01T{:02}:{:02}:00.000Z", minute / 60, minute % 60);
    Availability {
        id: line.id,
        schedule_id: line.schedule_id,
        event_type_id: None,
        days: line.days.clone(),
        date: line.date.clone(),
        start_time: instant(line.from),
        end_time: instant(line.to),
    }
}
