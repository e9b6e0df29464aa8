//! Schedules.

use booking_wire::schedule::Schedule as StoredSchedule;
use booking_wire::v1::{Schedule, ScheduleHours, ScheduleInput};
use booking_zones::Zone;
use serde_json::{Value, json};

use crate::auth::access::Requirement::Caller;
use crate::auth::access::Resource;
use crate::domain::schedules::{insert, read_name};
use crate::error::{Error, Result};
use crate::http::v1::call::Call;
use crate::http::v1::operation::{Operation, delete, get, handler, patch, post};
use crate::store::hours::availabilities::{self, AvailabilityRow};
use crate::store::hours::schedules::{self, ScheduleFilter};
use crate::store::{Db, Subject};
use crate::validate::{Checks, Object};

/// Operations of this resource.
pub(crate) const OPERATIONS: &[Operation] = &[
    get("/v1/schedules", handler!(list))
        .summary("The caller's schedules.")
        .requires(Caller)
        .query(&[super::users::USER_ID_FILTER])
        .returns_list::<Schedule>("schedules")
        .replaced_by("/v2/schedules"),
    post("/v1/schedules", handler!(create))
        .summary("Creates a schedule with working hours from Monday to Friday, 9 to 17.")
        .requires(Caller)
        .input::<ScheduleInput>(&["name", "timeZone"], &["userId"])
        .returns_created::<Schedule>("schedule", "Schedule created successfully")
        .replaced_by("/v2/schedules"),
    get("/v1/schedules/{id}", handler!(show))
        .summary("One schedule.")
        .requires(Caller)
        .returns::<Schedule>("schedule")
        .replaced_by("/v2/schedules/{id}"),
    patch("/v1/schedules/{id}", handler!(edit))
        .summary("Changes the name or the time zone of a schedule.")
        .requires(Caller)
        .input::<ScheduleInput>(&[], &["name", "timeZone"])
        .returns::<Schedule>("schedule")
        .replaced_by("/v2/schedules/{id}"),
    delete("/v1/schedules/{id}", handler!(remove))
        .summary(
            "Deletes a schedule. Event types that used it then use their hosts' default schedules.",
        )
        .requires(Caller)
        .replaced_by("/v2/schedules/{id}"),
];

async fn list(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    let user_filter = call.user_filter(&mut db).await?;
    let schedules =
        schedules::find(&mut db, ScheduleFilter::OfUsers(&user_filter), i64::MAX, 0).await?;
    Ok(json!(responses(&mut db, schedules).await?))
}

async fn show(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    let schedule = load_authorised(&call, &mut db).await?;
    response(&mut db, schedule).await
}

async fn create(call: Call) -> Result<Value> {
    let mut transaction = call
        .begin(&[Subject::Person(call.target_user("userId"))])
        .await?;
    let db = &mut *transaction;
    let user_id = call.target_user_id(db).await?;
    let (name, zone) = read(&call)?;
    let id = insert(db, user_id, name, zone, None, false).await?;
    let created = schedules::get(db, id)
        .await?
        .ok_or_else(|| Error::internal("a new schedule cannot be read"))?;
    let created = response(db, created).await?;
    transaction.commit().await?;
    Ok(created)
}

async fn edit(call: Call) -> Result<Value> {
    let mut transaction = call.begin(&[Subject::Schedule(call.id("id")?)]).await?;
    let db = &mut *transaction;
    let mut schedule = load_authorised(&call, db).await?;
    let (name, zone) = read(&call)?;
    schedule.name = name.unwrap_or(schedule.name);
    schedule.time_zone = zone.map_or(schedule.time_zone, |zone| zone.name().to_owned());
    schedules::update(db, schedule.id, &schedule.name, &schedule.time_zone).await?;
    let changed = response(db, schedule).await?;
    transaction.commit().await?;
    Ok(changed)
}

async fn remove(call: Call) -> Result<Value> {
    let mut transaction = call.begin(&[Subject::Schedule(call.id("id")?)]).await?;
    let schedule = load_authorised(&call, &mut transaction).await?;
    schedules::delete(&mut transaction, schedule.id).await?;
    transaction.commit().await?;
    Ok(json!(format!("Schedule {} deleted", schedule.id)))
}

async fn load_authorised(call: &Call, db: &mut Db) -> Result<StoredSchedule> {
    let id = call.id("id")?;
    let schedule = schedules::get(db, id)
        .await?
        .ok_or_else(|| Error::not_found("Schedule", id))?;
    call.authorise(db, &Resource::of_user(schedule.owner_id))
        .await?;
    Ok(schedule)
}

fn read(call: &Call) -> Result<(Option<String>, Option<Zone>)> {
    let mut checks = Checks::default();
    let object = Object::new(&call.body, "");
    let name = match call.body.contains_key("name") {
        true => read_name(&object, &mut checks),
        false => None,
    };
    let message = "must be a valid IANA time-zone";
    let zone = object.read("timeZone", "isTimeZone", message, &mut checks, |value| {
        Zone::named(value.as_str()?)
    });
    checks.finish()?;
    Ok((name, zone))
}

async fn response(db: &mut Db, schedule: StoredSchedule) -> Result<Value> {
    Ok(json!(responses(db, vec![schedule]).await?.pop()))
}

async fn responses(db: &mut Db, schedules: Vec<StoredSchedule>) -> Result<Vec<Schedule>> {
    let ids: Vec<i64> = schedules.iter().map(|schedule| schedule.id).collect();
    let lines = availabilities::of_schedules(db, &ids).await?;
    Ok(schedules
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

fn hours(line: &AvailabilityRow) -> ScheduleHours {
    let time = |minute: i64| format!("{:02}:{:02}:00", minute / 60, minute % 60);
    ScheduleHours {
        id: line.id,
        event_type_id: None,
        days: line.days.clone(),
        date: line.date.clone(),
        start_time: time(line.from),
        end_time: time(line.to),
    }
}
