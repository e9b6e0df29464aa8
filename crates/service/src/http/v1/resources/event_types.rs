//! Event types. `request` translates bodies to the format of version 2, whose rules then apply;
//! `response` translates event types to the format of version 1.

mod fields;
mod request;
mod response;
mod settings;

use std::collections::HashMap;

use booking_wire::v1::{EventType, EventTypeInput};
use booking_wire::{EventType as V2EventType, JsonMap};
use serde_json::{Value, json};

use super::teams;
use crate::auth::access::Requirement::{self, Caller, Team};
use crate::auth::access::Resource;
use crate::domain::event_types::access::{can_update, event_type_response, is_owner_or_host};
use crate::domain::event_types::change::{self, create_record, default_host, update_record};
use crate::error::{Error, Result};
use crate::http::v1::call::{Call, validation_error};
use crate::http::v1::failure::renamed;
use crate::http::v1::operation::ParameterKind::Text;
use crate::http::v1::operation::{Operation, Parameter, delete, get, handler, patch, post};
use crate::store::event_types::record::{self, Owner, Record};
use crate::store::event_types::{self, EventTypeFilter, StoredEventType};
use crate::store::{Db, Subject};
use crate::validate::Checks;

/// Keys of request bodies. A creation requires the first four; only a creation accepts the last
/// three.
const KEYS: &[&str] = &[
    "title",
    "slug",
    "length",
    "metadata",
    "description",
    "hidden",
    "position",
    "eventName",
    "timeZone",
    "scheduleId",
    "schedulingType",
    "hosts",
    "children",
    "periodType",
    "periodStartDate",
    "periodEndDate",
    "periodDays",
    "periodCountCalendarDays",
    "requiresConfirmation",
    "recurringEvent",
    "disableGuests",
    "hideCalendarNotes",
    "minimumBookingNotice",
    "beforeEventBuffer",
    "afterEventBuffer",
    "slotInterval",
    "price",
    "currency",
    "successRedirectUrl",
    "locations",
    "bookingLimits",
    "durationLimits",
    "onlyShowFirstAvailableSlot",
    "assignAllTeamMembers",
    "seatsPerTimeSlot",
    "seatsShowAttendees",
    "seatsShowAvailabilityCount",
    "bookingFields",
    "teamId",
    "parentId",
    "userId",
];

/// Optional keys of a creation.
const CREATE_KEYS: &[&str] = KEYS.split_at(4).1;

/// Keys of an update.
const UPDATE_KEYS: &[&str] = KEYS.split_at(KEYS.len() - 3).0;

/// Operations of this resource.
pub(crate) const OPERATIONS: &[Operation] = &[
    get("/v1/event-types", handler!(list))
        .summary("The caller's event types.")
        .requires(Caller)
        .query(&[
            super::users::USER_ID_FILTER,
            Parameter::new("slug", Text, "Only event types with this slug"),
        ])
        .returns_list::<EventType>("event_types")
        .replaced_by("/v2/event-types"),
    post("/v1/event-types", handler!(create))
        .summary("Creates an event type of the caller or of a team.")
        .requires(Requirement::Owner("eventType.create"))
        .input::<EventTypeInput>(KEYS.split_at(4).0, CREATE_KEYS)
        .returns_created::<EventType>("event_type", "Event type created successfully")
        .replaced_by("/v2/event-types"),
    get("/v1/event-types/{id}", handler!(show))
        .summary("One event type, for its owner, hosts and administrators.")
        .requires(Requirement::Owner("eventType.read"))
        .returns::<EventType>("event_type")
        .replaced_by("/v2/event-types/{id}"),
    patch("/v1/event-types/{id}", handler!(edit))
        .summary("Changes an event type; absent keys stay unchanged.")
        .requires(Requirement::Owner("eventType.update"))
        .input::<EventTypeInput>(&[], UPDATE_KEYS)
        .returns::<EventType>("event_type")
        .replaced_by("/v2/event-types/{id}"),
    delete("/v1/event-types/{id}", handler!(remove))
        .summary("Deletes an event type. Its bookings are kept.")
        .requires(Requirement::Owner("eventType.delete"))
        .replaced_by("/v2/event-types/{id}"),
    get("/v1/teams/{teamId}/event-types", handler!(list_of_team))
        .summary("Event types of a team.")
        .requires(Team("eventType.read"))
        .returns_list::<EventType>("event_types")
        .replaced_by("/v2/teams/{teamId}/event-types"),
];

async fn list(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    let user_filter = call.user_filter(&mut db).await?;
    let slug = call.query.get("slug");
    list_response(&call, &mut db, EventTypeFilter::OfUsers(&user_filter, slug)).await
}

async fn list_of_team(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    let team = teams::load_authorised(&call, &mut db, call.id("teamId")?).await?;
    list_response(&call, &mut db, EventTypeFilter::OfTeam(team.id, None)).await
}

async fn list_response(call: &Call, db: &mut Db, filter: EventTypeFilter<'_>) -> Result<Value> {
    let stored_event_types = event_types::find(db, filter).await?;
    let ids: Vec<i64> = stored_event_types
        .iter()
        .map(|stored| stored.wire.id)
        .collect();
    let records = record::with_ids(db, &ids).await?;
    let mut viewer = EventTypeViewer::of(call, db).await?;
    let mut responses = Vec::with_capacity(stored_event_types.len());
    for stored in stored_event_types {
        if let Some(record) = records.get(&stored.wire.id) {
            let event_type = viewer.visible(call, db, stored).await?;
            responses.push(json!(response::event_type(&event_type, record)));
        }
    }
    Ok(responses.into())
}

/// Removes fields that the caller may not see: members with read access see the same as visitors.
struct EventTypeViewer {
    is_operator: bool,
    /// True if the caller may update the event types of the team, by team id.
    team_access: HashMap<i64, bool>,
}

impl EventTypeViewer {
    async fn of(call: &Call, db: &mut Db) -> Result<Self> {
        Ok(Self {
            is_operator: call.is_operator(db).await?,
            team_access: HashMap::new(),
        })
    }

    async fn visible(
        &mut self,
        call: &Call,
        db: &mut Db,
        stored: StoredEventType,
    ) -> Result<V2EventType> {
        let has_host_access = self.is_operator
            || is_owner_or_host(&call.caller, &stored)
            || self.has_team_access(call, db, &stored).await?;
        Ok(event_type_response(&call.app, stored, has_host_access))
    }

    async fn has_team_access(
        &mut self,
        call: &Call,
        db: &mut Db,
        stored: &StoredEventType,
    ) -> Result<bool> {
        let Some(team_id) = stored.wire.team_id else {
            return Ok(false);
        };
        if let Some(has_access) = self.team_access.get(&team_id) {
            return Ok(*has_access);
        }
        let has_access = can_update(db, &call.caller, stored).await?;
        self.team_access.insert(team_id, has_access);
        Ok(has_access)
    }
}

async fn show(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    let record = load_authorised(&call, &mut db).await?;
    let stored = event_types::get(&mut db, record.id).await?;
    let stored = stored
        .ok_or_else(|| Error::internal("an event type that was just found cannot be read"))?;
    let mut viewer = EventTypeViewer::of(&call, &mut db).await?;
    let event_type = viewer.visible(&call, &mut db, stored).await?;
    Ok(json!(response::event_type(&event_type, &record)))
}

async fn create(call: Call) -> Result<Value> {
    let mut transaction = call.begin(&[new_event_type(&call)]).await?;
    let db = &mut *transaction;
    let user_id = call.target_user_id(db).await?;
    let id = match (
        call.positive_integer("parentId")?,
        call.positive_integer("teamId")?,
    ) {
        (Some(_), Some(_)) => {
            return Err(validation_error(
                "parentId",
                "cannot be used together with teamId",
            ));
        }
        (Some(parent_id), None) => create_managed_child(&call, db, parent_id, user_id).await?,
        (None, team_id) => {
            let owner = match team_id {
                Some(id) => Owner::Team(teams::load_authorised(&call, db, id).await?.id),
                None => Owner::User(user_id),
            };
            reject_team_keys(&call.body, owner)?;
            let request = request::event_type(&call.body, None)?;
            let id = create_record(db, &call.app, owner, &request.v2_body)
                .await
                .map_err(rename_fields)?;
            store_v1_fields(&call, db, id, request.v1_fields).await?;
            id
        }
    };
    let created = load_response(&call, db, id).await?;
    transaction.commit().await?;
    Ok(created)
}

async fn edit(call: Call) -> Result<Value> {
    let mut transaction = call.begin(&[Subject::EventType(call.id("id")?)]).await?;
    let db = &mut *transaction;
    let record = load_authorised(&call, db).await?;
    let id = record.id;
    apply_changes(&call, db, record).await?;
    let changed = load_response(&call, db, id).await?;
    transaction.commit().await?;
    Ok(changed)
}

async fn remove(call: Call) -> Result<Value> {
    let mut transaction = call.begin(&[Subject::EventType(call.id("id")?)]).await?;
    let record = load_authorised(&call, &mut transaction).await?;
    change::delete_record(&mut transaction, &record).await?;
    transaction.commit().await?;
    Ok(json!(format!("Event type {} deleted", record.id)))
}

/// Returns the subject of a new event type: its team, its managed parent, or its owner.
fn new_event_type(call: &Call) -> Subject<'static> {
    let named = |key| call.positive_integer(key).ok().flatten();
    match (named("parentId"), named("teamId")) {
        (Some(id), _) => Subject::EventType(id),
        (None, Some(id)) => Subject::Team(id),
        (None, None) => Subject::Person(call.target_user("userId")),
    }
}

/// Creates a user's copy of a team's managed event type. The team's settings apply; the body
/// provides the others.
async fn create_managed_child(
    call: &Call,
    db: &mut Db,
    parent_id: i64,
    user_id: i64,
) -> Result<i64> {
    let unknown = || validation_error("parentId", "must be a managed event type of a team");
    let parent = record::get(db, parent_id).await?.filter(Record::is_managed);
    let Some((parent, team_id)) = parent.and_then(|parent| match parent.owner {
        Owner::Team(team_id) => Some((parent, team_id)),
        Owner::User(_) => None,
    }) else {
        return Err(unknown());
    };
    let team = Resource::of_team(team_id);
    match call.authorise(db, &team).await {
        Err(Error::Forbidden(_)) if parent.is_hidden() => return Err(unknown()),
        verdict => verdict?,
    }
    // The user becomes a host of the managed event type.
    if !call
        .caller
        .has_permission(db, "eventType.update", &team)
        .await?
    {
        return Err(Error::Forbidden(
            "this needs the permission eventType.update".into(),
        ));
    }
    if !record::members(db, team_id).await?.contains(&user_id) {
        return Err(validation_error(
            "userId",
            "must be an accepted member of the team",
        ));
    }
    let mut hosts = record::hosts(db, parent_id).await?;
    if hosts.iter().any(|host| host.user_id == user_id) {
        return Err(Error::Conflict(format!(
            "user {user_id} has an event type that follows {parent_id} already"
        )));
    }
    hosts.push(default_host(user_id));
    change::store_hosts(db, call.now(), &parent, hosts).await?;
    let children = record::children(db, parent_id).await?;
    let child = children
        .into_iter()
        .find(|child| child.owner == Owner::User(user_id))
        .ok_or_else(|| Error::internal("a changed event type cannot be read"))?;
    let id = child.id;
    apply_changes(call, db, child).await?;
    Ok(id)
}

/// Applies the changes in the body to `record`.
async fn apply_changes(call: &Call, db: &mut Db, record: Record) -> Result<()> {
    let id = record.id;
    reject_team_keys(&call.body, record.owner)?;
    let request = request::event_type(&call.body, Some(&record))?;
    update_record(db, &call.app, record, &request.v2_body)
        .await
        .map_err(rename_fields)?;
    store_v1_fields(call, db, id, request.v1_fields).await
}

/// Rejects keys of team event types in other event types, where version 2 ignores them.
fn reject_team_keys(body: &JsonMap, owner: Owner) -> Result<()> {
    const TEAM_KEYS: [&str; 4] = [
        "schedulingType",
        "hosts",
        "children",
        "assignAllTeamMembers",
    ];
    let mut checks = Checks::default();
    for key in TEAM_KEYS {
        if let (Owner::User(_), Some(value)) = (owner, body.get(key)) {
            checks.report(key, value, "whitelistValidation", "should not exist");
        }
    }
    checks.finish()
}

/// Stores the fields that only version 1 has.
async fn store_v1_fields(call: &Call, db: &mut Db, id: i64, v1_fields: JsonMap) -> Result<()> {
    if v1_fields.is_empty() {
        return Ok(());
    }
    let mut record = record::get(db, id)
        .await?
        .ok_or_else(|| Error::internal("a new event type cannot be read"))?;
    let stored = record
        .document
        .entry(request::V1_FIELDS_KEY)
        .or_insert_with(|| json!({}));
    if let Some(stored) = stored.as_object_mut() {
        stored.extend(v1_fields);
    }
    record::update(db, call.now(), &record).await?;
    record::reject_too_many(db, record.owner).await
}

/// Loads the event type in the path; rejects callers without access.
async fn load_authorised(call: &Call, db: &mut Db) -> Result<Record> {
    let id = call.id("id")?;
    let record = record::get(db, id)
        .await?
        .ok_or_else(|| Error::not_found("Event type", id))?;
    let mut resource = Resource::of_owner(record.owner);
    if call.is_read() {
        let hosts = record::hosts(db, id).await?;
        resource
            .user_ids
            .extend(hosts.iter().map(|host| host.user_id));
    }
    match call.authorise(db, &resource).await {
        // A hidden event type is treated as unknown.
        Err(Error::Forbidden(_)) if record.is_hidden() => Err(Error::not_found("Event type", id)),
        verdict => verdict.map(|()| record),
    }
}

async fn load_response(call: &Call, db: &mut Db, id: i64) -> Result<Value> {
    let record = record::get(db, id)
        .await?
        .ok_or_else(|| Error::internal("a changed event type cannot be read"))?;
    let event_type = change::load_response(&call.app, db, id).await?;
    Ok(json!(response::event_type(&event_type, &record)))
}

fn rename_fields(error: Error) -> Error {
    renamed(error, &request::NAMES)
}
