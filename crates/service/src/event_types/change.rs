//! Making, changing and deleting event types of people and teams.

use booking_wire::event_type::request::DeletedEventType;
use booking_wire::{EventType, Instant, JsonMap};
use serde_json::Value;

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::Subject;
use crate::error::{Error, Result};
use crate::event_types::access::written;
use crate::event_types::form::goes_without_email;
use crate::event_types::input::{Given, Kind};
use crate::store::event_types::record::{self, HostSeat, Owner, Record};
use crate::store::event_types::{self, managed};
use crate::store::{Db, accounts, is_duplicate, schedules};
use crate::validate::Checks;

/// Makes an event type of the caller's own.
pub async fn create(app: &AppState, caller: &Caller, body: &JsonMap) -> Result<EventType> {
    let mut transaction = app.store.begin().await?;
    let db = &mut *transaction;
    caller
        .authorise(db, &Subject::of_user(caller.user_id))
        .await?;
    let id = make(db, app.clock.now(), Owner::User(caller.user_id), body).await?;
    let made = read_again(app, db, id).await?;
    transaction.commit().await?;
    Ok(made)
}

/// Makes an event type of a team.
pub async fn create_of_team(
    app: &AppState,
    caller: &Caller,
    team_id: i64,
    body: &JsonMap,
) -> Result<EventType> {
    let mut transaction = app.store.begin().await?;
    let db = &mut *transaction;
    check_team(db, caller, team_id).await?;
    let id = make(db, app.clock.now(), Owner::Team(team_id), body).await?;
    let made = read_again(app, db, id).await?;
    transaction.commit().await?;
    Ok(made)
}

/// Changes an event type; what is absent stays as it is.
pub async fn change(
    app: &AppState,
    caller: &Caller,
    event_type_id: i64,
    body: &JsonMap,
) -> Result<EventType> {
    let mut transaction = app.store.begin().await?;
    let db = &mut *transaction;
    let record = owned(db, caller, event_type_id).await?;
    let id = record.id;
    alter(db, app.clock.now(), record, body).await?;
    let changed = read_again(app, db, id).await?;
    transaction.commit().await?;
    Ok(changed)
}

/// Changes an event type of a team; what is absent stays as it is.
pub async fn change_of_team(
    app: &AppState,
    caller: &Caller,
    team_id: i64,
    event_type_id: i64,
    body: &JsonMap,
) -> Result<EventType> {
    let mut transaction = app.store.begin().await?;
    let db = &mut *transaction;
    let record = of_team(db, caller, team_id, event_type_id).await?;
    let id = record.id;
    alter(db, app.clock.now(), record, body).await?;
    let changed = read_again(app, db, id).await?;
    transaction.commit().await?;
    Ok(changed)
}

/// Deletes an event type. Its bookings stay.
pub async fn remove(
    app: &AppState,
    caller: &Caller,
    event_type_id: i64,
) -> Result<DeletedEventType> {
    let mut transaction = app.store.begin().await?;
    let record = owned(&mut transaction, caller, event_type_id).await?;
    delete(&mut transaction, &record).await?;
    transaction.commit().await?;
    Ok(deleted(&record))
}

/// Deletes an event type of a team, a managed one with those that follow it. Bookings stay.
pub async fn remove_of_team(
    app: &AppState,
    caller: &Caller,
    team_id: i64,
    event_type_id: i64,
) -> Result<DeletedEventType> {
    let mut transaction = app.store.begin().await?;
    let record = of_team(&mut transaction, caller, team_id, event_type_id).await?;
    record::delete(&mut transaction, record.id).await?;
    transaction.commit().await?;
    Ok(deleted(&record))
}

/// Deletes an event type, unless it is there because of a managed one.
pub async fn delete(db: &mut Db, record: &Record) -> Result<()> {
    if let Some(parent_id) = record.parent_id {
        return Err(Error::Forbidden(format!(
            "the team's managed event type {parent_id} decides who has this one"
        )));
    }
    record::delete(db, record.id).await
}

async fn check_team(db: &mut Db, caller: &Caller, team_id: i64) -> Result<()> {
    accounts::team(db, team_id)
        .await?
        .ok_or_else(|| Error::not_found("Team", team_id))?;
    caller.authorise(db, &Subject::of_team(team_id)).await
}

/// An event type that the caller may change.
async fn owned(db: &mut Db, caller: &Caller, id: i64) -> Result<Record> {
    let record = record::get(db, id)
        .await?
        .ok_or_else(|| Error::not_found("Event type", id))?;
    let subject = match record.owner {
        Owner::User(user_id) => Subject::of_user(user_id),
        Owner::Team(team_id) => Subject::of_team(team_id),
    };
    match caller.authorise(db, &subject).await {
        // A hidden event type is not admitted to exist.
        Err(Error::Forbidden(_)) if record.is_hidden() => Err(Error::not_found("Event type", id)),
        verdict => verdict.map(|()| record),
    }
}

/// An event type of the team in the path that the caller may change.
async fn of_team(db: &mut Db, caller: &Caller, team_id: i64, id: i64) -> Result<Record> {
    check_team(db, caller, team_id).await?;
    record::get(db, id)
        .await?
        .filter(|record| record.owner == Owner::Team(team_id))
        .ok_or_else(|| Error::NotFound(format!("Event type {id} not found in team {team_id}")))
}

/// An event type as those see it who may change it.
pub async fn read_again(app: &AppState, db: &mut Db, id: i64) -> Result<EventType> {
    let stored = event_types::get(db, id).await?;
    Ok(written(app, stored.ok_or(Error::Internal)?, true))
}

fn deleted(record: &Record) -> DeletedEventType {
    let text = |key: &str| record.document.get(key).and_then(Value::as_str);
    let length = record.document.get("lengthInMinutes");
    DeletedEventType {
        id: record.id,
        length_in_minutes: length.and_then(Value::as_i64).unwrap_or_default(),
        slug: record.slug().to_owned(),
        title: text("title").unwrap_or_default().to_owned(),
    }
}

/// Makes what `body` describes, and gives its id.
pub async fn make(db: &mut Db, now: Instant, owner: Owner, body: &JsonMap) -> Result<i64> {
    let mut checks = Checks::default();
    let kind = Kind {
        team: matches!(owner, Owner::Team(_)),
        new: true,
    };
    let given = Given::read(body, kind, &mut checks);
    let mut record = Record {
        id: 0,
        owner,
        parent_id: None,
        scheduling_type: given.scheduling_type.clone(),
        assign_all: given.assign_all.unwrap_or(false),
        document: JsonMap::new(),
    };
    check_references(db, &record, &given, &mut checks).await?;
    given.refuse_unsupported(&record.document, &mut checks);
    given.apply(&mut record.document, kind, &mut checks);
    check_email(db, &record, &mut checks).await?;
    checks.finish()?;
    refuse_taken_slug(db, &record).await?;
    record.id = record::insert(db, now, &record)
        .await
        .map_err(|error| refusal(error, &record))?;
    record::refuse_too_many(db, owner).await?;
    let hosts = match owner {
        Owner::User(user_id) => vec![seat(user_id)],
        Owner::Team(team_id) if record.assign_all => {
            let members = record::members(db, team_id).await?;
            members.into_iter().map(seat).collect()
        }
        Owner::Team(_) => given.hosts.unwrap_or_default(),
    };
    take_seats(db, now, &record, hosts).await?;
    Ok(record.id)
}

/// Changes in `record` what `body` names.
pub async fn alter(db: &mut Db, now: Instant, mut record: Record, body: &JsonMap) -> Result<()> {
    let mut checks = Checks::default();
    let kind = Kind {
        team: matches!(record.owner, Owner::Team(_)),
        new: false,
    };
    let given = Given::read(body, kind, &mut checks);
    check_references(db, &record, &given, &mut checks).await?;
    check_locks(db, &record, &given, &mut checks).await?;
    let was_managed = record.is_managed();
    if let Some(scheduling_type) = &given.scheduling_type {
        record.scheduling_type = Some(scheduling_type.clone());
        if record.is_managed() != was_managed {
            checks.complain(
                "schedulingType",
                &scheduling_type.as_str().into(),
                "isUnchanged",
                "cannot become managed or cease to be: make another event type",
            );
        }
    }
    given.refuse_unsupported(&record.document, &mut checks);
    given.apply(&mut record.document, kind, &mut checks);
    check_email(db, &record, &mut checks).await?;
    checks.finish()?;
    refuse_taken_slug(db, &record).await?;
    // Naming hosts is not meaning everybody.
    let everybody = given.assign_all;
    record.assign_all = everybody.unwrap_or(record.assign_all && given.hosts.is_none());
    record::update(db, now, &record)
        .await
        .map_err(|error| refusal(error, &record))?;
    record::refuse_too_many(db, record.owner).await?;
    let hosts = match (record.owner, given.hosts) {
        (Owner::Team(_), Some(hosts)) => hosts,
        (Owner::Team(team_id), None) if record.assign_all => {
            let mut hosts = record::hosts(db, record.id).await?;
            for member in record::members(db, team_id).await? {
                if !hosts.iter().any(|host| host.user_id == member) {
                    hosts.push(seat(member));
                }
            }
            hosts
        }
        _ => record::hosts(db, record.id).await?,
    };
    take_seats(db, now, &record, hosts).await
}

/// Stores the hosts, and gives those of a managed event type their own.
pub async fn take_seats(
    db: &mut Db,
    now: Instant,
    record: &Record,
    mut hosts: Vec<HostSeat>,
) -> Result<()> {
    if record.scheduling_type.as_deref() == Some("collective") {
        hosts.iter_mut().for_each(|host| host.fixed = true);
    }
    record::set_hosts(db, record.id, &hosts).await?;
    if record.is_managed() {
        managed::follow(db, now, record).await?;
    }
    Ok(())
}

/// An ordinary host.
pub fn seat(user_id: i64) -> HostSeat {
    HostSeat {
        user_id,
        fixed: false,
        priority: "medium".into(),
    }
}

/// Working hours must be the owner's, hosts in the team.
async fn check_references(
    db: &mut Db,
    record: &Record,
    given: &Given,
    checks: &mut Checks,
) -> Result<()> {
    let members = match record.owner {
        Owner::User(user_id) => vec![user_id],
        Owner::Team(team_id) => record::members(db, team_id).await?,
    };
    if let Some(schedule_id) = given.integer("scheduleId") {
        let owner = schedules::owner(db, schedule_id).await?;
        if !owner.is_some_and(|owner| members.contains(&owner)) {
            let complaint = match record.owner {
                Owner::User(_) => "must be a schedule of the owner",
                Owner::Team(_) => "must be a schedule of somebody in the team",
            };
            checks.complain("scheduleId", &schedule_id.into(), "isOwn", complaint);
        }
    }
    for (place, host) in given.hosts.iter().flatten().enumerate() {
        if !members.contains(&host.user_id) {
            checks.complain(
                &format!("hosts.{place}.userId"),
                &host.user_id.into(),
                "isMember",
                "must be an accepted member of the team",
            );
        }
    }
    Ok(())
}

/// What a team has decided for its members they cannot decide otherwise.
async fn check_locks(
    db: &mut Db,
    record: &Record,
    given: &Given,
    checks: &mut Checks,
) -> Result<()> {
    let Some(parent_id) = record.parent_id else {
        return Ok(());
    };
    let Some(parent) = record::get(db, parent_id).await? else {
        return Ok(());
    };
    for (key, value) in given.changes() {
        let known = record.document.get(key).unwrap_or(&Value::Null);
        if known != value && !managed::is_unlocked(&parent.document, key) {
            let complaint = format!("is decided by the team's managed event type {parent_id}");
            checks.complain(key, value, "isLocked", &complaint);
        }
    }
    Ok(())
}

/// Only teams of organisations may take bookings by telephone number alone (contract 3.3).
async fn check_email(db: &mut Db, record: &Record, checks: &mut Checks) -> Result<()> {
    if !goes_without_email(&record.document) {
        return Ok(());
    }
    let allowed = match record.owner {
        Owner::User(_) => record.parent_id.is_some(),
        Owner::Team(team_id) => {
            let team = accounts::team(db, team_id).await?;
            team.is_some_and(|team| team.organization_id.is_some())
        }
    };
    if !allowed {
        checks.complain(
            "bookingFields",
            &Value::Null,
            "asksForEmail",
            "must ask for email: only teams of organizations can do without",
        );
    }
    Ok(())
}

async fn refuse_taken_slug(db: &mut Db, record: &Record) -> Result<()> {
    if record::slug_is_taken(db, record.owner, record.slug(), record.id).await? {
        return Err(slug_taken(record));
    }
    Ok(())
}

fn refusal(error: sqlx::Error, record: &Record) -> Error {
    if is_duplicate(&error) {
        slug_taken(record)
    } else {
        error.into()
    }
}

fn slug_taken(record: &Record) -> Error {
    let whose = match record.owner {
        Owner::User(_) => "owner",
        Owner::Team(_) => "team",
    };
    Error::Conflict(format!(
        "slug \"{}\" is used by another event type of this {whose}",
        record.slug()
    ))
}
