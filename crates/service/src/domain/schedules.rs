//! Use cases of schedules.

use std::collections::{BTreeMap, HashMap};

use booking_wire::schedule::{Schedule, Weekday};
use booking_wire::{JsonMap, Read};
use booking_zones::Zone;
use chrono::NaiveDate;
use serde_json::{Value, json};

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::Resource;
use crate::domain::memberships::manage::reject_private;
use crate::domain::teams;
use crate::error::{Error, Result};
use crate::input_limits::{MAX_AVAILABILITIES, MAX_OVERRIDES, MAX_SCHEDULES};
use crate::store::hours::schedules::{self, Day, Hours, ScheduleFilter};
use crate::store::{Db, Subject};
use crate::validate::{Checks, Object, Query};

/// The caller's schedules, oldest first.
pub async fn list(app: &AppState, caller: &Caller, query: &Query) -> Result<Vec<Schedule>> {
    let (take, skip) = query.page()?;
    let mut db = app.store.read().await?;
    let own = ScheduleFilter::OfUser(caller.user_id);
    schedules::find(&mut db, own, take, skip).await
}

/// The schedules of a team's members.
pub async fn list_of_team(
    app: &AppState,
    caller: &Caller,
    team_id: i64,
    query: &Query,
) -> Result<Vec<Schedule>> {
    let mut db = app.store.read().await?;
    let team = teams::authorised(&mut db, caller, team_id).await?;
    reject_private(&mut db, caller, &team).await?;
    let (take, skip) = query.page()?;
    schedules::find(&mut db, ScheduleFilter::OfTeam(team.id), take, skip).await
}

/// The caller's default schedule, for event types without a schedule; `null` if there is none.
pub async fn show_default(app: &AppState, caller: &Caller) -> Result<Option<Schedule>> {
    let mut db = app.store.read().await?;
    let own = ScheduleFilter::DefaultOf(caller.user_id);
    let found = schedules::find(&mut db, own, 1, 0).await?.pop();
    Ok(found)
}

/// One of the caller's schedules.
pub async fn show(app: &AppState, caller: &Caller, schedule_id: i64) -> Result<Schedule> {
    let mut db = app.store.read().await?;
    owned_schedule(&mut db, caller, schedule_id).await
}

/// Creates a schedule of the caller.
pub async fn create(app: &AppState, caller: &Caller, body: &JsonMap) -> Result<Schedule> {
    let mut checks = Checks::default();
    let input = ScheduleInput::read(body, true, &mut checks);
    checks.finish()?;
    let mut transaction = app.store.begin(&[Subject::Person(caller.user_id)]).await?;
    let db = &mut *transaction;
    let user_id = caller.user_id;
    caller.authorise(db, &Resource::of_user(user_id)).await?;
    let is_default = input.is_default == Some(true);
    let id = insert(db, user_id, input.name, input.zone, input.week, is_default).await?;
    schedules::set_overrides(db, id, &input.overrides.unwrap_or_default()).await?;
    let created = schedules::get(db, id)
        .await?
        .ok_or_else(|| Error::internal("a new schedule cannot be read"))?;
    transaction.commit().await?;
    Ok(created)
}

/// Updates a schedule; absent properties are unchanged, arrays are replaced.
pub async fn update(
    app: &AppState,
    caller: &Caller,
    schedule_id: i64,
    body: &JsonMap,
) -> Result<Schedule> {
    let mut transaction = app.store.begin(&[Subject::Schedule(schedule_id)]).await?;
    let db = &mut *transaction;
    let before = owned_schedule(db, caller, schedule_id).await?;
    let mut checks = Checks::default();
    let input = ScheduleInput::read(body, false, &mut checks);
    if before.is_default && input.is_default == Some(false) {
        checks.report(
            "isDefault",
            &Value::Bool(false),
            "oneDefault",
            "cannot be taken back: make another schedule the default one",
        );
    }
    checks.finish()?;
    let zone = input.zone.as_ref();
    let zone = zone.map_or(before.time_zone.as_str(), Zone::name);
    let name = input.name.as_deref().unwrap_or(&before.name);
    schedules::update(db, before.id, name, zone).await?;
    if let Some(week) = &input.week {
        schedules::set_week(db, before.id, week).await?;
    }
    if let Some(overrides) = &input.overrides {
        schedules::set_overrides(db, before.id, overrides).await?;
    }
    if input.is_default == Some(true) {
        schedules::make_default(db, before.owner_id, before.id).await?;
    }
    let updated = schedules::get(db, before.id)
        .await?
        .ok_or_else(|| Error::internal("a changed schedule cannot be read"))?;
    transaction.commit().await?;
    Ok(updated)
}

/// Deletes a schedule. Its event types use the hosts' default schedules from then on.
pub async fn delete(app: &AppState, caller: &Caller, schedule_id: i64) -> Result<Schedule> {
    let mut transaction = app.store.begin(&[Subject::Schedule(schedule_id)]).await?;
    let deleted = owned_schedule(&mut transaction, caller, schedule_id).await?;
    schedules::delete(&mut transaction, deleted.id).await?;
    transaction.commit().await?;
    Ok(deleted)
}

/// Maximum length of a name in characters.
const MAX_NAME_CHARS: usize = 255;

/// Stores a schedule of a user and returns its id. The week is by default Monday to Friday, 9 to
/// 17; the first schedule of a user is the default.
pub async fn insert(
    db: &mut Db,
    user_id: i64,
    name: Option<String>,
    zone: Option<Zone>,
    week: Option<Vec<Hours>>,
    is_default: bool,
) -> Result<i64> {
    let (count, has_default) = schedules::count(db, user_id).await?;
    if count >= MAX_SCHEDULES {
        return Err(Error::BadRequest(format!(
            "nobody can have more than {MAX_SCHEDULES} schedules"
        )));
    }
    let zone = zone.unwrap_or_else(Zone::utc);
    let id = schedules::insert(db, user_id, &name.unwrap_or_default(), zone.name()).await?;
    schedules::set_week(db, id, &week.unwrap_or_else(schedules::office_hours)).await?;
    if is_default || !has_default {
        schedules::make_default(db, user_id, id).await?;
    }
    Ok(id)
}

/// Reads the name of a schedule, trimmed.
pub fn read_name(object: &Object<'_>, checks: &mut Checks) -> Option<String> {
    let name = object.required_name("name", checks)?;
    if name.chars().count() > MAX_NAME_CHARS {
        let message = format!("must be at most {MAX_NAME_CHARS} characters long");
        checks.report("name", &Value::Null, "maxLength", &message);
    }
    Some(name.to_owned())
}

async fn owned_schedule(db: &mut Db, caller: &Caller, id: i64) -> Result<Schedule> {
    let missing = || Error::not_found("Schedule", id);
    let found = schedules::get(db, id).await?.ok_or_else(missing)?;
    match caller
        .authorise(db, &Resource::of_user(found.owner_id))
        .await
    {
        // Do not reveal schedules of other users.
        Err(Error::Forbidden(_)) => Err(missing()),
        result => result.map(|()| found),
    }
}

/// Values of a body.
struct ScheduleInput {
    name: Option<String>,
    zone: Option<Zone>,
    is_default: Option<bool>,
    week: Option<Vec<Hours>>,
    overrides: Option<Vec<Hours>>,
}

impl ScheduleInput {
    fn read(body: &JsonMap, is_new: bool, checks: &mut Checks) -> Self {
        let object = Object::new(body, "");
        let is_required = |key: &str| is_new || body.contains_key(key);
        let name = is_required("name")
            .then(|| read_name(&object, checks))
            .flatten();
        let mut require = |key: &str, rule: &'static str, message: &str| {
            let value = body.get(key).unwrap_or(&Value::Null);
            if value.is_null() && is_required(key) {
                checks.report(key, value, rule, message);
            }
        };
        let (zone_message, boolean_message) =
            ("must be a valid IANA time-zone", "must be a boolean value");
        require("timeZone", "isTimeZone", zone_message);
        require("isDefault", "isBoolean", boolean_message);
        let zone = object.read("timeZone", "isTimeZone", zone_message, checks, |value| {
            Zone::named(value.as_str()?)
        });
        let is_default = object.read(
            "isDefault",
            "isBoolean",
            boolean_message,
            checks,
            Value::as_bool,
        );
        let input = Self {
            name,
            zone,
            is_default,
            week: all_hours(
                &object,
                "availability",
                MAX_AVAILABILITIES,
                checks,
                weekly_hours,
            ),
            overrides: all_hours(&object, "overrides", MAX_OVERRIDES, checks, override_hours),
        };
        object.log_unread();
        input
    }
}

/// Reads the elements of an array as hours, which must not overlap on any day.
fn all_hours(
    object: &Object<'_>,
    key: &str,
    max: usize,
    checks: &mut Checks,
    read: impl Fn(&Object<'_>, &mut Checks) -> Vec<Hours>,
) -> Option<Vec<Hours>> {
    let items = object.array(key, checks)?;
    if items.len() > max {
        let message = format!("must hold at most {max} elements");
        return checks.reject(key, &Value::Null, "arrayMaxSize", &message);
    }
    let mut all: Vec<Hours> = Vec::new();
    let mut days = HoursByDay::default();
    for (index, item) in items.iter().enumerate() {
        let path = format!("{key}.{index}");
        let Some(map) = item.as_object() else {
            checks.report(&path, item, "isObject", "must be an object");
            continue;
        };
        let prefix = format!("{path}.");
        let found = read(&Object::new(map, &prefix), checks);
        let clashes: Vec<bool> = found.iter().map(|hours| days.add(hours)).collect();
        if clashes.contains(&true) {
            checks.report(
                &path,
                item,
                "noOverlap",
                "overlaps another element on the same day",
            );
        }
        all.extend(found);
    }
    if all.len() > max {
        let message = format!("must hold at most {max} hours, counted day by day");
        checks.report(key, &Value::Null, "arrayMaxSize", &message);
    }
    Some(all)
}

/// Hours by day, to find overlaps without comparing all pairs.
#[derive(Default)]
pub(crate) struct HoursByDay(HashMap<String, BTreeMap<i64, i64>>);

impl HoursByDay {
    /// Adds hours. Returns true if they overlap others of the same day. A day off, with empty
    /// hours, overlaps all others.
    pub(crate) fn add(&mut self, hours: &Hours) -> bool {
        let day = match &hours.day {
            Day::Weekday(weekday) => weekday.from_sunday().to_string(),
            Day::Date(date) => date.clone(),
        };
        let day = self.0.entry(day).or_default();
        let is_off = |from: i64, to: i64| from == to;
        let first = day.iter().next().map(|(from, to)| (*from, *to));
        let before = day.range(..hours.to).next_back();
        let clashes = match first {
            None => false,
            Some((from, to)) if is_off(from, to) || is_off(hours.from, hours.to) => true,
            Some(_) => before.is_some_and(|(_, to)| *to > hours.from),
        };
        let to = day.entry(hours.from).or_insert(hours.to);
        *to = hours.to.max(*to);
        clashes
    }
}

fn weekly_hours(item: &Object<'_>, checks: &mut Checks) -> Vec<Hours> {
    let mut days: Vec<Weekday> = Vec::new();
    let path = item.path("days");
    let value = item.value("days").unwrap_or(&Value::Null);
    match value.as_array().filter(|days| !days.is_empty()) {
        None => checks.report(&path, value, "isArray", "must name at least one day"),
        Some(names) => {
            for name in names {
                // Case-sensitive: only the names that responses contain.
                let is_name = Weekday::NAMES.iter().any(|(known, _)| name == known);
                match Weekday::read(name).filter(|_| is_name) {
                    Some(day) if days.contains(&day) => {}
                    Some(day) => days.push(day),
                    None => {
                        checks.report(
                            &path,
                            name,
                            "isEnum",
                            "must be names of days from Monday to Sunday",
                        );
                        break;
                    }
                }
            }
        }
    }
    let times = times(item, false, checks);
    item.log_unread();
    let Some((from, to)) = times else {
        return Vec::new();
    };
    days.into_iter()
        .map(|day| Hours {
            day: Day::Weekday(day),
            from,
            to,
        })
        .collect()
}

fn override_hours(item: &Object<'_>, checks: &mut Checks) -> Vec<Hours> {
    let value = item.value("date").unwrap_or(&Value::Null);
    let date = value
        .as_str()
        .filter(|text| text.len() == 10)
        .and_then(|text| text.parse::<NaiveDate>().ok());
    if date.is_none() {
        let path = item.path("date");
        checks.report(
            &path,
            value,
            "isDateString",
            "must be a date like 2027-03-29",
        );
    }
    let times = times(item, true, checks);
    item.log_unread();
    match (date, times) {
        (Some(date), Some((from, to))) => vec![Hours {
            day: Day::Date(date.to_string()),
            from,
            to,
        }],
        _ => Vec::new(),
    }
}

/// Reads the start and end time as minutes of the day, in order; equal for a day off.
fn times(item: &Object<'_>, may_be_equal: bool, checks: &mut Checks) -> Option<(i64, i64)> {
    let mut time = |key: &str| {
        let value = item.value(key).unwrap_or(&Value::Null);
        let read = value.as_str().and_then(minute);
        if read.is_none() {
            checks.report(
                &item.path(key),
                value,
                "isTime",
                "must be a time of day from 00:00 to 23:59",
            );
        }
        read
    };
    let (from, to) = (time("startTime"), time("endTime"));
    let (from, to) = (from?, to?);
    if from < to || may_be_equal && from == to {
        return Some((from, to));
    }
    let message = if may_be_equal {
        "must not lie before startTime"
    } else {
        "must lie after startTime"
    };
    checks.reject(
        &item.path("endTime"),
        &json!(item.value("endTime")),
        "isAfter",
        message,
    )
}

/// Parses `HH:MM` to the minute of the day.
fn minute(text: &str) -> Option<i64> {
    let digits = |text: &str, max: i64| {
        let number = text.parse::<i64>().ok()?;
        let is_two_digits = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        (is_two_digits && number <= max).then_some(number)
    };
    let (hour, minute) = text.split_once(':')?;
    Some(digits(hour, 23)? * 60 + digits(minute, 59)?)
}
