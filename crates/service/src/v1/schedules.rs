//! Working hours as a whole.

use booking_wire::schedule::Schedule as Known;
use booking_wire::v1::{Schedule, ScheduleHours, ScheduleInput};
use chrono_tz::Tz;
use serde_json::{Value, json};

use super::call::Call;
use super::operation::{Operation, delete, get, patch, post, run};
use crate::auth::access::Needs::Caller;
use crate::auth::access::Subject;
use crate::error::{Error, Result};
use crate::schedules::{LONGEST_NAME, refuse_too_many};
use crate::store::Db;
use crate::store::availabilities::{self, Line};
use crate::store::schedules::{self, Which};
use crate::validate::{Checks, Object};

/// Operations of this resource.
pub(super) const OPERATIONS: &[Operation] = &[
    get("/v1/schedules", run!(list))
        .about("The caller's schedules.")
        .needs(Caller)
        .asks(&[super::users::WHOSE])
        .lists::<Schedule>("schedules")
        .replaced_by("/v2/schedules"),
    post("/v1/schedules", run!(create))
        .about("Makes a schedule, with hours from Monday to Friday, 9 to 17.")
        .needs(Caller)
        .takes::<ScheduleInput>(&["name", "timeZone"], &["userId"])
        .makes::<Schedule>("schedule", "Schedule created successfully")
        .replaced_by("/v2/schedules"),
    get("/v1/schedules/{id}", run!(show))
        .about("One schedule.")
        .needs(Caller)
        .gives::<Schedule>("schedule")
        .replaced_by("/v2/schedules/{id}"),
    patch("/v1/schedules/{id}", run!(edit))
        .about("Renames a schedule, or moves it to another zone.")
        .needs(Caller)
        .takes::<ScheduleInput>(&[], &["name", "timeZone"])
        .gives::<Schedule>("schedule")
        .replaced_by("/v2/schedules/{id}"),
    delete("/v1/schedules/{id}", run!(remove))
        .about("Deletes a schedule. Event types that name it use their hosts' default ones from then on.")
        .needs(Caller)
        .replaced_by("/v2/schedules/{id}"),
];

async fn list(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    let whose = call.whose(&mut db).await?;
    let found = schedules::find(&mut db, Which::OfPeople(&whose), i64::MAX, 0).await?;
    Ok(json!(written(&mut db, found).await?))
}

async fn show(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    let known = own(&call, &mut db).await?;
    one(&mut db, known).await
}

async fn create(call: Call) -> Result<Value> {
    let mut transaction = call.begin().await?;
    let db = &mut *transaction;
    let user_id = call.beneficiary(db).await?;
    let (name, zone) = read(&call)?;
    let (count, has_default) = schedules::count(db, user_id).await?;
    refuse_too_many(count)?;
    let zone = zone.unwrap_or(Tz::UTC);
    let id = schedules::insert(db, user_id, &name.unwrap_or_default(), zone.name()).await?;
    schedules::set_week(db, id, &schedules::office_hours()).await?;
    if !has_default {
        schedules::make_default(db, user_id, id).await?;
    }
    let made = schedules::get(db, id).await?.ok_or(Error::Internal)?;
    let made = one(db, made).await?;
    transaction.commit().await?;
    Ok(made)
}

async fn edit(call: Call) -> Result<Value> {
    let mut transaction = call.begin().await?;
    let db = &mut *transaction;
    let mut known = own(&call, db).await?;
    let (name, zone) = read(&call)?;
    known.name = name.unwrap_or(known.name);
    known.time_zone = zone.map_or(known.time_zone, |zone| zone.name().to_owned());
    schedules::update(db, known.id, &known.name, &known.time_zone).await?;
    let changed = one(db, known).await?;
    transaction.commit().await?;
    Ok(changed)
}

async fn remove(call: Call) -> Result<Value> {
    let mut transaction = call.begin().await?;
    let known = own(&call, &mut transaction).await?;
    schedules::delete(&mut transaction, known.id).await?;
    transaction.commit().await?;
    Ok(json!(format!("Schedule {} deleted", known.id)))
}

async fn own(call: &Call, db: &mut Db) -> Result<Known> {
    let id = call.id("id")?;
    let known = schedules::get(db, id)
        .await?
        .ok_or_else(|| Error::not_found("Schedule", id))?;
    call.authorise(db, &Subject::of_user(known.owner_id))
        .await?;
    Ok(known)
}

fn read(call: &Call) -> Result<(Option<String>, Option<Tz>)> {
    let mut checks = Checks::default();
    let object = Object::new(&call.body, "");
    let has = |key: &str| call.body.contains_key(key);
    let name = has("name")
        .then(|| object.required_text("name", &mut checks))
        .flatten()
        .map(|name| name.trim().to_owned());
    if let Some(name) = name
        .as_ref()
        .filter(|name| name.chars().count() > LONGEST_NAME)
    {
        let complaint = format!("must be at most {LONGEST_NAME} characters long");
        checks.complain("name", &json!(name), "maxLength", &complaint);
    }
    let zone = call.body.get("timeZone").and_then(|value| {
        let zone = value.as_str().and_then(|name| name.parse::<Tz>().ok());
        if zone.is_none() {
            let complaint = "must be a valid IANA time-zone";
            checks.complain("timeZone", value, "isTimeZone", complaint);
        }
        zone
    });
    checks.finish()?;
    Ok((name, zone))
}

async fn one(db: &mut Db, known: Known) -> Result<Value> {
    Ok(json!(written(db, vec![known]).await?.pop()))
}

async fn written(db: &mut Db, known: Vec<Known>) -> Result<Vec<Schedule>> {
    let ids: Vec<i64> = known.iter().map(|schedule| schedule.id).collect();
    let lines = availabilities::of_schedules(db, &ids).await?;
    Ok(known
        .into_iter()
        .map(|schedule| Schedule {
            id: schedule.id,
            user_id: schedule.owner_id,
            name: schedule.name,
            time_zone: schedule.time_zone,
            availability: lines
                .iter()
                .filter(|line| line.schedule_id == schedule.id)
                .map(hours)
                .collect(),
        })
        .collect())
}

fn hours(line: &Line) -> ScheduleHours {
    let clock = |minute: i64| format!("{:02}:{:02}:00", minute / 60, minute % 60);
    ScheduleHours {
        id: line.id,
        event_type_id: None,
        days: line.days.clone(),
        date: line.date.clone(),
        start_time: clock(line.from),
        end_time: clock(line.to),
    }
}
