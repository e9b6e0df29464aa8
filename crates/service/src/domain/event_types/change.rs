//! Creation, update and deletion of event types of users and teams.

use booking_wire::event_type::request::DeletedEventType;
use booking_wire::{EventType, Instant, JsonMap};
use serde_json::Value;

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::Resource;
use crate::domain::event_types::access::event_type_response;
use crate::domain::event_types::form::allows_booking_without_email;
use crate::domain::event_types::input::{EventTypeInput, InputKind};
use crate::error::{Error, Result};
use crate::store::event_types::record::{self, HostAssignment, Owner, Record};
use crate::store::event_types::{self, managed};
use crate::store::hours::schedules;
use crate::store::people::accounts;
use crate::store::{Db, Subject, duplicate_or};
use crate::validate::Checks;

/// Creates an event type of the caller.
pub async fn create(app: &AppState, caller: &Caller, body: &JsonMap) -> Result<EventType> {
    let mut transaction = app.store.begin(&[Subject::Person(caller.user_id)]).await?;
    let db = &mut *transaction;
    caller
        .authorise(db, &Resource::of_user(caller.user_id))
        .await?;
    let id = create_record(db, app, Owner::User(caller.user_id), body).await?;
    let created = load_response(app, db, id).await?;
    transaction.commit().await?;
    Ok(created)
}

/// Creates an event type of a team.
pub async fn create_of_team(
    app: &AppState,
    caller: &Caller,
    team_id: i64,
    body: &JsonMap,
) -> Result<EventType> {
    let mut transaction = app.store.begin(&[Subject::Team(team_id)]).await?;
    let db = &mut *transaction;
    check_team(db, caller, team_id).await?;
    let id = create_record(db, app, Owner::Team(team_id), body).await?;
    let created = load_response(app, db, id).await?;
    transaction.commit().await?;
    Ok(created)
}

/// Updates an event type; absent properties are unchanged.
pub async fn update(
    app: &AppState,
    caller: &Caller,
    event_type_id: i64,
    body: &JsonMap,
) -> Result<EventType> {
    let mut transaction = app
        .store
        .begin(&[Subject::EventType(event_type_id)])
        .await?;
    let db = &mut *transaction;
    let record = authorised_record(db, caller, event_type_id).await?;
    let id = record.id;
    update_record(db, app, record, body).await?;
    let updated = load_response(app, db, id).await?;
    transaction.commit().await?;
    Ok(updated)
}

/// Updates an event type of a team; absent properties are unchanged.
pub async fn update_of_team(
    app: &AppState,
    caller: &Caller,
    team_id: i64,
    event_type_id: i64,
    body: &JsonMap,
) -> Result<EventType> {
    let mut transaction = app
        .store
        .begin(&[Subject::EventType(event_type_id)])
        .await?;
    let db = &mut *transaction;
    let record = authorised_team_record(db, caller, team_id, event_type_id).await?;
    let id = record.id;
    update_record(db, app, record, body).await?;
    let updated = load_response(app, db, id).await?;
    transaction.commit().await?;
    Ok(updated)
}

/// Deletes an event type. Its bookings are kept.
pub async fn delete(
    app: &AppState,
    caller: &Caller,
    event_type_id: i64,
) -> Result<DeletedEventType> {
    let mut transaction = app
        .store
        .begin(&[Subject::EventType(event_type_id)])
        .await?;
    let record = authorised_record(&mut transaction, caller, event_type_id).await?;
    delete_record(&mut transaction, &record).await?;
    transaction.commit().await?;
    Ok(deleted_response(&record))
}

/// Deletes an event type of a team, a managed one with the members' copies. Bookings are kept.
pub async fn delete_of_team(
    app: &AppState,
    caller: &Caller,
    team_id: i64,
    event_type_id: i64,
) -> Result<DeletedEventType> {
    let mut transaction = app
        .store
        .begin(&[Subject::EventType(event_type_id)])
        .await?;
    let record = authorised_team_record(&mut transaction, caller, team_id, event_type_id).await?;
    record::delete(&mut transaction, record.id).await?;
    transaction.commit().await?;
    Ok(deleted_response(&record))
}

/// Deletes an event type, unless it is a copy of a managed one.
pub async fn delete_record(db: &mut Db, record: &Record) -> Result<()> {
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
    caller.authorise(db, &Resource::of_team(team_id)).await
}

/// Returns an event type that the caller may change.
async fn authorised_record(db: &mut Db, caller: &Caller, id: i64) -> Result<Record> {
    let record = record::get(db, id)
        .await?
        .ok_or_else(|| Error::not_found("Event type", id))?;
    let resource = Resource::of_owner(record.owner);
    match caller.authorise(db, &resource).await {
        // Do not reveal that a hidden event type exists.
        Err(Error::Forbidden(_)) if record.is_hidden() => Err(Error::not_found("Event type", id)),
        result => result.map(|()| record),
    }
}

/// Returns an event type of the team in the path that the caller may change.
async fn authorised_team_record(
    db: &mut Db,
    caller: &Caller,
    team_id: i64,
    id: i64,
) -> Result<Record> {
    check_team(db, caller, team_id).await?;
    record::get(db, id)
        .await?
        .filter(|record| record.owner == Owner::Team(team_id))
        .ok_or_else(|| Error::NotFound(format!("Event type {id} not found in team {team_id}")))
}

/// Loads an event type for a caller who may change it.
pub async fn load_response(app: &AppState, db: &mut Db, id: i64) -> Result<EventType> {
    let stored = event_types::get(db, id).await?;
    Ok(event_type_response(
        app,
        stored.ok_or_else(|| Error::internal("a changed event type cannot be read"))?,
        true,
    ))
}

fn deleted_response(record: &Record) -> DeletedEventType {
    let text = |key: &str| record.document.get(key).and_then(Value::as_str);
    let length = record.document.get("lengthInMinutes");
    DeletedEventType {
        id: record.id,
        length_in_minutes: length.and_then(Value::as_i64).unwrap_or_default(),
        slug: record.slug().to_owned(),
        title: text("title").unwrap_or_default().to_owned(),
    }
}

/// Creates the event type of `body` and returns its id.
pub async fn create_record(
    db: &mut Db,
    app: &AppState,
    owner: Owner,
    body: &JsonMap,
) -> Result<i64> {
    let now = app.clock.now();
    let mut checks = Checks::default();
    let kind = InputKind {
        is_team: matches!(owner, Owner::Team(_)),
        is_new: true,
    };
    let input = EventTypeInput::read(body, kind, &mut checks);
    let mut record = Record {
        id: 0,
        owner,
        parent_id: None,
        scheduling_type: input.scheduling_type.clone(),
        assign_all: input.assign_all.unwrap_or(false),
        document: JsonMap::new(),
    };
    check_references(db, &record, &input, &mut checks).await?;
    input.reject_unsupported(
        &record.document,
        app.settings.mail_is_available,
        &mut checks,
    );
    input.apply(&mut record.document, kind, &mut checks);
    check_email(db, &record, &mut checks).await?;
    checks.finish()?;
    reject_taken_slug(db, &record).await?;
    record.id = record::insert(db, now, &record)
        .await
        .map_err(|error| duplicate_or(error, slug_taken_error(&record)))?;
    record::reject_too_many(db, owner).await?;
    let hosts = match owner {
        Owner::User(user_id) => vec![default_host(user_id)],
        Owner::Team(team_id) if record.assign_all => {
            let members = record::members(db, team_id).await?;
            members.into_iter().map(default_host).collect()
        }
        Owner::Team(_) => input.hosts.unwrap_or_default(),
    };
    store_hosts(db, now, &record, hosts).await?;
    Ok(record.id)
}

/// Updates the properties of `record` that `body` contains.
pub async fn update_record(
    db: &mut Db,
    app: &AppState,
    mut record: Record,
    body: &JsonMap,
) -> Result<()> {
    let now = app.clock.now();
    let mut checks = Checks::default();
    let kind = InputKind {
        is_team: matches!(record.owner, Owner::Team(_)),
        is_new: false,
    };
    let input = EventTypeInput::read(body, kind, &mut checks);
    check_references(db, &record, &input, &mut checks).await?;
    check_locks(db, &record, &input, &mut checks).await?;
    let was_managed = record.is_managed();
    if let Some(scheduling_type) = &input.scheduling_type {
        record.scheduling_type = Some(scheduling_type.clone());
        if record.is_managed() != was_managed {
            checks.report(
                "schedulingType",
                &scheduling_type.as_str().into(),
                "isUnchanged",
                "cannot become managed or cease to be: make another event type",
            );
        }
    }
    input.reject_unsupported(
        &record.document,
        app.settings.mail_is_available,
        &mut checks,
    );
    input.apply(&mut record.document, kind, &mut checks);
    check_email(db, &record, &mut checks).await?;
    checks.finish()?;
    reject_taken_slug(db, &record).await?;
    // A list of hosts switches off the assignment of all members.
    record.assign_all = input
        .assign_all
        .unwrap_or(record.assign_all && input.hosts.is_none());
    record::update(db, now, &record)
        .await
        .map_err(|error| duplicate_or(error, slug_taken_error(&record)))?;
    record::reject_too_many(db, record.owner).await?;
    let hosts = match (record.owner, input.hosts) {
        (Owner::Team(_), Some(hosts)) => hosts,
        (Owner::Team(team_id), None) if record.assign_all => {
            let mut hosts = record::hosts(db, record.id).await?;
            for member in record::members(db, team_id).await? {
                if !hosts.iter().any(|host| host.user_id == member) {
                    hosts.push(default_host(member));
                }
            }
            hosts
        }
        _ => record::hosts(db, record.id).await?,
    };
    store_hosts(db, now, &record, hosts).await
}

/// Stores the hosts, and updates the members' copies of a managed event type.
pub async fn store_hosts(
    db: &mut Db,
    now: Instant,
    record: &Record,
    mut hosts: Vec<HostAssignment>,
) -> Result<()> {
    if record.scheduling_type.as_deref() == Some("collective") {
        hosts.iter_mut().for_each(|host| host.fixed = true);
    }
    record::set_hosts(db, record.id, &hosts).await?;
    if record.is_managed() {
        managed::sync_children(db, now, record).await?;
    }
    Ok(())
}

/// A host with default settings: not fixed, medium priority.
pub fn default_host(user_id: i64) -> HostAssignment {
    HostAssignment {
        user_id,
        fixed: false,
        priority: "medium".into(),
    }
}

/// Checks that the schedule belongs to the owner or a team member, and that hosts are members.
async fn check_references(
    db: &mut Db,
    record: &Record,
    input: &EventTypeInput,
    checks: &mut Checks,
) -> Result<()> {
    let members = match record.owner {
        Owner::User(user_id) => vec![user_id],
        Owner::Team(team_id) => record::members(db, team_id).await?,
    };
    if let Some(schedule_id) = input.integer("scheduleId") {
        let owner = schedules::owner(db, schedule_id).await?;
        if !owner.is_some_and(|owner| members.contains(&owner)) {
            let message = match record.owner {
                Owner::User(_) => "must be a schedule of the owner",
                Owner::Team(_) => "must be a schedule of somebody in the team",
            };
            checks.report("scheduleId", &schedule_id.into(), "isOwn", message);
        }
    }
    for (index, host) in input.hosts.iter().flatten().enumerate() {
        if !members.contains(&host.user_id) {
            checks.report(
                &format!("hosts.{index}.userId"),
                &host.user_id.into(),
                "isMember",
                "must be an accepted member of the team",
            );
        }
    }
    Ok(())
}

/// Rejects changes of properties that the managed parent event type locks.
async fn check_locks(
    db: &mut Db,
    record: &Record,
    input: &EventTypeInput,
    checks: &mut Checks,
) -> Result<()> {
    let Some(parent_id) = record.parent_id else {
        return Ok(());
    };
    let Some(parent) = record::get(db, parent_id).await? else {
        return Ok(());
    };
    for (key, value) in input.changes() {
        let current = record.document.get(key).unwrap_or(&Value::Null);
        if current != value && !managed::is_unlocked(&parent.document, key) {
            let message = format!("is decided by the team's managed event type {parent_id}");
            checks.report(key, value, "isLocked", &message);
        }
    }
    Ok(())
}

/// Checks that only teams of organisations allow bookings without e-mail.
async fn check_email(db: &mut Db, record: &Record, checks: &mut Checks) -> Result<()> {
    if !allows_booking_without_email(&record.document) {
        return Ok(());
    }
    let is_allowed = match record.owner {
        Owner::User(_) => record.parent_id.is_some(),
        Owner::Team(team_id) => {
            let team = accounts::team(db, team_id).await?;
            team.is_some_and(|team| team.organization_id.is_some())
        }
    };
    if !is_allowed {
        checks.report(
            "bookingFields",
            &Value::Null,
            "asksForEmail",
            "must ask for email: only teams of organizations can do without",
        );
    }
    Ok(())
}

async fn reject_taken_slug(db: &mut Db, record: &Record) -> Result<()> {
    if record::slug_is_taken(db, record.owner, record.slug(), record.id).await? {
        return Err(slug_taken_error(record));
    }
    Ok(())
}

fn slug_taken_error(record: &Record) -> Error {
    let owner = match record.owner {
        Owner::User(_) => "owner",
        Owner::Team(_) => "team",
    };
    Error::Conflict(format!(
        "slug \"{}\" is used by another event type of this {owner}",
        record.slug()
    ))
}
