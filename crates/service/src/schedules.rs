//! Working hours (contract 3.6).

use std::collections::{BTreeMap, HashMap};

use booking_wire::schedule::{Schedule, Weekday};
use booking_wire::{JsonMap, Read};
use chrono::NaiveDate;
use chrono_tz::Tz;
use serde_json::{Value, json};

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::Subject;
use crate::error::{Error, Result};
use crate::input_limits::{MAX_AVAILABILITIES, MAX_OVERRIDES, MAX_SCHEDULES};
use crate::memberships::manage::refuse_private;
use crate::store::Db;
use crate::store::schedules::{self, Day, Hours, Which};
use crate::teams;
use crate::validate::{Checks, Object, Query, paging};

/// The caller's schedules, oldest first.
pub async fn list(app: &AppState, caller: &Caller, query: &Query) -> Result<Vec<Schedule>> {
    let (take, skip) = page(query)?;
    let mut db = app.store.read().await?;
    let own = Which::OfUser(caller.user_id);
    let found = schedules::find(&mut db, own, take, skip).await?;
    Ok(found)
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
    refuse_private(&mut db, caller, &team).await?;
    let (take, skip) = page(query)?;
    let found = schedules::find(&mut db, Which::OfTeam(team.id), take, skip).await?;
    Ok(found)
}

/// The caller's schedule for event types that name none; `null` if there is none.
pub async fn show_default(app: &AppState, caller: &Caller) -> Result<Option<Schedule>> {
    let mut db = app.store.read().await?;
    let own = Which::DefaultOf(caller.user_id);
    let found = schedules::find(&mut db, own, 1, 0).await?.pop();
    Ok(found)
}

/// One of the caller's schedules.
pub async fn show(app: &AppState, caller: &Caller, schedule_id: i64) -> Result<Schedule> {
    let mut db = app.store.read().await?;
    own(&mut db, caller, schedule_id).await
}

/// Makes a schedule of the caller's own.
pub async fn create(app: &AppState, caller: &Caller, body: &JsonMap) -> Result<Schedule> {
    let mut checks = Checks::default();
    let given = Given::read(body, true, &mut checks);
    checks.finish()?;
    let mut transaction = app.store.begin().await?;
    let db = &mut *transaction;
    let user_id = caller.user_id;
    caller.authorise(db, &Subject::of_user(user_id)).await?;
    let (count, has_default) = schedules::count(db, user_id).await?;
    refuse_too_many(count)?;
    let (name, zone) = (
        given.name.unwrap_or_default(),
        given.zone.unwrap_or(Tz::UTC),
    );
    let id = schedules::insert(db, user_id, &name, zone.name()).await?;
    let week = given.week.unwrap_or_else(schedules::office_hours);
    schedules::set_week(db, id, &week).await?;
    schedules::set_overrides(db, id, &given.overrides.unwrap_or_default()).await?;
    if given.is_default == Some(true) || !has_default {
        schedules::make_default(db, user_id, id).await?;
    }
    let made = schedules::get(db, id).await?.ok_or(Error::Internal)?;
    transaction.commit().await?;
    Ok(made)
}

/// Changes a schedule; what is absent stays as it is, arrays that are given are replaced.
pub async fn change(
    app: &AppState,
    caller: &Caller,
    schedule_id: i64,
    body: &JsonMap,
) -> Result<Schedule> {
    let mut transaction = app.store.begin().await?;
    let db = &mut *transaction;
    let known = own(db, caller, schedule_id).await?;
    let mut checks = Checks::default();
    let given = Given::read(body, false, &mut checks);
    if known.is_default && given.is_default == Some(false) {
        checks.complain(
            "isDefault",
            &Value::Bool(false),
            "oneDefault",
            "cannot be taken back: make another schedule the default one",
        );
    }
    checks.finish()?;
    let zone = given
        .zone
        .map_or(known.time_zone.as_str(), |zone| zone.name());
    let name = given.name.as_deref().unwrap_or(&known.name);
    schedules::update(db, known.id, name, zone).await?;
    if let Some(week) = &given.week {
        schedules::set_week(db, known.id, week).await?;
    }
    if let Some(overrides) = &given.overrides {
        schedules::set_overrides(db, known.id, overrides).await?;
    }
    if given.is_default == Some(true) {
        schedules::make_default(db, known.owner_id, known.id).await?;
    }
    let changed = schedules::get(db, known.id).await?.ok_or(Error::Internal)?;
    transaction.commit().await?;
    Ok(changed)
}

/// Deletes a schedule. Event types that name it use their hosts' default ones from then on.
pub async fn remove(app: &AppState, caller: &Caller, schedule_id: i64) -> Result<Schedule> {
    let mut transaction = app.store.begin().await?;
    let known = own(&mut transaction, caller, schedule_id).await?;
    schedules::delete(&mut transaction, known.id).await?;
    transaction.commit().await?;
    Ok(known)
}

/// Longest name in characters.
pub const LONGEST_NAME: usize = 255;

/// Refuses one more schedule to somebody who has as many as there can be.
pub fn refuse_too_many(count: usize) -> Result<()> {
    if count >= MAX_SCHEDULES {
        return Err(Error::BadRequest(format!(
            "nobody can have more than {MAX_SCHEDULES} schedules"
        )));
    }
    Ok(())
}

fn page(query: &Query) -> Result<(i64, i64)> {
    let mut checks = Checks::default();
    query.ignore_unknown(&["take", "skip"]);
    let page = paging(query, &mut checks);
    checks.finish()?;
    Ok(page)
}

async fn own(db: &mut Db, caller: &Caller, id: i64) -> Result<Schedule> {
    let missing = || Error::not_found("Schedule", id);
    let found = schedules::get(db, id).await?.ok_or_else(missing)?;
    match caller
        .authorise(db, &Subject::of_user(found.owner_id))
        .await
    {
        // Those of others are not admitted to exist.
        Err(Error::Forbidden(_)) => Err(missing()),
        verdict => verdict.map(|()| found),
    }
}

/// What a body says.
struct Given {
    name: Option<String>,
    zone: Option<Tz>,
    is_default: Option<bool>,
    week: Option<Vec<Hours>>,
    overrides: Option<Vec<Hours>>,
}

impl Given {
    fn read(body: &JsonMap, new: bool, checks: &mut Checks) -> Self {
        let known = ["name", "timeZone", "isDefault", "availability", "overrides"];
        let object = Object::new(body, "");
        object.ignore_unknown(&known);
        let needs = |key: &str| new || body.contains_key(key);
        let name = needs("name")
            .then(|| object.required_text("name", checks))
            .flatten()
            .map(|name| name.trim().to_owned());
        if name
            .as_ref()
            .is_some_and(|name| name.chars().count() > LONGEST_NAME)
        {
            let complaint = format!("must be at most {LONGEST_NAME} characters long");
            checks.complain("name", &Value::Null, "maxLength", &complaint);
        }
        let mut needed = |key: &str, rule: &'static str, complaint: &str| {
            let value = body.get(key).unwrap_or(&Value::Null);
            if value.is_null() && needs(key) {
                checks.complain(key, value, rule, complaint);
            }
        };
        let (zone_rule, claim_rule) = ("must be a valid IANA time-zone", "must be a boolean value");
        needed("timeZone", "isTimeZone", zone_rule);
        needed("isDefault", "isBoolean", claim_rule);
        let zone = object.read("timeZone", "isTimeZone", zone_rule, checks, |value| {
            value.as_str()?.parse::<Tz>().ok()
        });
        let is_default = object.read("isDefault", "isBoolean", claim_rule, checks, Value::as_bool);
        Self {
            name,
            zone,
            is_default,
            week: lines(object, "availability", MAX_AVAILABILITIES, checks, week),
            overrides: lines(object, "overrides", MAX_OVERRIDES, checks, date),
        }
    }
}

/// The elements of an array as hours, of which no two overlap on any day.
fn lines(
    object: Object<'_>,
    key: &str,
    most: usize,
    checks: &mut Checks,
    read: impl Fn(Object<'_>, &mut Checks) -> Vec<Hours>,
) -> Option<Vec<Hours>> {
    let items = object.read(key, "isArray", "must be an array", checks, Value::as_array)?;
    if items.len() > most {
        let complaint = format!("must hold at most {most} elements");
        checks.complain(key, &Value::Null, "arrayMaxSize", &complaint);
        return None;
    }
    let mut all: Vec<Hours> = Vec::new();
    let mut known = Days::default();
    for (place, item) in items.iter().enumerate() {
        let path = format!("{key}.{place}");
        let Some(map) = item.as_object() else {
            checks.complain(&path, item, "isObject", "must be an object");
            continue;
        };
        let prefix = format!("{path}.");
        let found = read(Object::new(map, &prefix), checks);
        let clashes: Vec<bool> = found.iter().map(|hours| known.add(hours)).collect();
        if clashes.contains(&true) {
            checks.complain(
                &path,
                item,
                "noOverlap",
                "overlaps another element on the same day",
            );
        }
        all.extend(found);
    }
    if all.len() > most {
        let complaint = format!("must hold at most {most} hours, counted day by day");
        checks.complain(key, &Value::Null, "arrayMaxSize", &complaint);
    }
    Some(all)
}

/// Hours by day, to see which ones overlap without comparing each with all others.
#[derive(Default)]
struct Days(HashMap<String, BTreeMap<i64, i64>>);

impl Days {
    /// Adds hours; true if they overlap others of the same day. A day off, whose hours are empty,
    /// has no others.
    fn add(&mut self, hours: &Hours) -> bool {
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

fn week(line: Object<'_>, checks: &mut Checks) -> Vec<Hours> {
    line.ignore_unknown(&["days", "startTime", "endTime"]);
    let mut days: Vec<Weekday> = Vec::new();
    let path = line.path("days");
    let given = line.value("days").unwrap_or(&Value::Null);
    match given.as_array().filter(|days| !days.is_empty()) {
        None => checks.complain(&path, given, "isArray", "must name at least one day"),
        Some(names) => {
            for name in names {
                // Capitals and all: what is written is what is read.
                let known = Weekday::NAMES.iter().any(|(known, _)| name == known);
                match Weekday::read(name).filter(|_| known) {
                    Some(day) if days.contains(&day) => {}
                    Some(day) => days.push(day),
                    None => {
                        checks.complain(
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
    let Some((from, to)) = ends(line, false, checks) else {
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

fn date(line: Object<'_>, checks: &mut Checks) -> Vec<Hours> {
    line.ignore_unknown(&["date", "startTime", "endTime"]);
    let given = line.value("date").unwrap_or(&Value::Null);
    let date = given
        .as_str()
        .filter(|text| text.len() == 10)
        .and_then(|text| text.parse::<NaiveDate>().ok());
    if date.is_none() {
        let path = line.path("date");
        checks.complain(
            &path,
            given,
            "isDateString",
            "must be a date like 2027-03-29",
        );
    }
    match (date, ends(line, true, checks)) {
        (Some(date), Some((from, to))) => vec![Hours {
            day: Day::Date(date.to_string()),
            from,
            to,
        }],
        _ => Vec::new(),
    }
}

/// Both times of day, the first before the second, or equal for a day off.
fn ends(line: Object<'_>, may_be_equal: bool, checks: &mut Checks) -> Option<(i64, i64)> {
    let mut end = |key: &str| {
        let given = line.value(key).unwrap_or(&Value::Null);
        let read = given.as_str().and_then(minute);
        if read.is_none() {
            checks.complain(
                &line.path(key),
                given,
                "isTime",
                "must be a time of day from 00:00 to 23:59",
            );
        }
        read
    };
    let (from, to) = (end("startTime"), end("endTime"));
    let (from, to) = (from?, to?);
    if from < to || may_be_equal && from == to {
        return Some((from, to));
    }
    let complaint = if may_be_equal {
        "must not lie before startTime"
    } else {
        "must lie after startTime"
    };
    checks.complain(
        &line.path("endTime"),
        &json!(line.value("endTime")),
        "isAfter",
        complaint,
    );
    None
}

/// The minute of the day of `HH:MM`.
fn minute(text: &str) -> Option<i64> {
    let digits = |text: &str, most: i64| {
        let number = text.parse::<i64>().ok()?;
        let sound = text.len() == 2 && text.bytes().all(|byte| byte.is_ascii_digit());
        (sound && number <= most).then_some(number)
    };
    let (hour, minute) = text.split_once(':')?;
    Some(digits(hour, 23)? * 60 + digits(minute, 59)?)
}
