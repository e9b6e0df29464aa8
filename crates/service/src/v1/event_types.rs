//! What can be booked. Version 1 has other words for it than version 2: `said` brings what is
//! said into the words of version 2, whose rules then decide; `shown` writes what is known.

mod fields;
mod said;
mod settings;
mod shown;

use std::collections::HashMap;

use booking_wire::v1::{EventType, EventTypeInput};
use booking_wire::{EventType as Known, JsonMap};
use serde_json::{Value, json};

use super::call::{Call, complaint};
use super::failure::renamed;
use super::operation::Kind::Text;
use super::operation::{Operation, Parameter, delete, get, patch, post, run};
use super::teams;
use crate::auth::access::Needs::{Caller, Owner as Own, Team};
use crate::auth::access::Subject;
use crate::error::{Error, Result};
use crate::event_types::access::{is_own, runs_it, written};
use crate::event_types::change::{self, alter, make, seat};
use crate::store::Db;
use crate::store::event_types::record::{self, Owner, Record};
use crate::store::event_types::{self, Stored, Which};
use crate::validate::Checks;

/// What can be said, but for whose it is to be.
const WORDS: &[&str] = &[
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
];

/// All of it, and what a new one needs.
const NEW: [&str; WORDS.len() + 3] = joined(WORDS, &["teamId", "parentId", "userId"]);

const CHANGED: [&str; WORDS.len() + 4] = joined(WORDS, &["title", "slug", "length", "metadata"]);

const fn joined<const N: usize>(
    first: &[&'static str],
    second: &[&'static str],
) -> [&'static str; N] {
    let mut all = [""; N];
    let mut place = 0;
    while place < N {
        all[place] = if place < first.len() {
            first[place]
        } else {
            second[place - first.len()]
        };
        place += 1;
    }
    all
}

/// Operations of this resource.
pub(super) const OPERATIONS: &[Operation] = &[
    get("/v1/event-types", run!(list))
        .about("The caller's event types.")
        .needs(Caller)
        .asks(&[
            super::users::WHOSE,
            Parameter::new("slug", Text, "Only those with this slug"),
        ])
        .lists::<EventType>("event_types")
        .replaced_by("/v2/event-types"),
    post("/v1/event-types", run!(create))
        .about("Makes an event type of the caller's, or of a team.")
        .needs(Own("eventType.create"))
        .takes::<EventTypeInput>(&["title", "slug", "length", "metadata"], &NEW)
        .makes::<EventType>("event_type", "Event type created successfully")
        .replaced_by("/v2/event-types"),
    get("/v1/event-types/{id}", run!(show))
        .about("One event type, for those who own, host or run it.")
        .needs(Own("eventType.read"))
        .gives::<EventType>("event_type")
        .replaced_by("/v2/event-types/{id}"),
    patch("/v1/event-types/{id}", run!(edit))
        .about("Changes an event type; what is absent stays as it is.")
        .needs(Own("eventType.update"))
        .takes::<EventTypeInput>(&[], &CHANGED)
        .gives::<EventType>("event_type")
        .replaced_by("/v2/event-types/{id}"),
    delete("/v1/event-types/{id}", run!(remove))
        .about("Deletes an event type. Its bookings stay.")
        .needs(Own("eventType.delete"))
        .replaced_by("/v2/event-types/{id}"),
    get("/v1/teams/{teamId}/event-types", run!(list_of_team))
        .about("A team's event types.")
        .needs(Team("eventType.read"))
        .lists::<EventType>("event_types")
        .replaced_by("/v2/teams/{teamId}/event-types"),
];

async fn list(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    let whose = call.whose(&mut db).await?;
    let slug = call.query.get("slug");
    all(&call, &mut db, Which::OfPeople(&whose, slug)).await
}

async fn list_of_team(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    let team = teams::found(&call, &mut db, call.id("teamId")?).await?;
    all(&call, &mut db, Which::OfTeam(team.id, None)).await
}

async fn all(call: &Call, db: &mut Db, which: Which<'_>) -> Result<Value> {
    let found = event_types::find(db, which).await?;
    let ids: Vec<i64> = found.iter().map(|stored| stored.wire.id).collect();
    let records = record::with_ids(db, &ids).await?;
    let mut insider = Insider::of(call, db).await?;
    let mut all = Vec::with_capacity(found.len());
    for stored in found {
        if let Some(record) = records.get(&stored.wire.id) {
            let known = insider.disclosed(call, db, stored).await?;
            all.push(json!(shown::event_type(&known, record)));
        }
    }
    Ok(all.into())
}

/// Decides what of event types the caller sees: who may only read what a team has is not told what is
/// kept from visitors.
struct Insider {
    runs_the_service: bool,
    /// True if they run a team.
    runs: HashMap<i64, bool>,
}

impl Insider {
    async fn of(call: &Call, db: &mut Db) -> Result<Self> {
        Ok(Self {
            runs_the_service: call.runs_the_service(db).await?,
            runs: HashMap::new(),
        })
    }

    async fn disclosed(&mut self, call: &Call, db: &mut Db, stored: Stored) -> Result<Known> {
        let is_insider = self.runs_the_service
            || is_own(&call.caller, &stored)
            || self.runs_team_of(call, db, &stored).await?;
        Ok(written(&call.app, stored, is_insider))
    }

    async fn runs_team_of(&mut self, call: &Call, db: &mut Db, stored: &Stored) -> Result<bool> {
        let Some(team_id) = stored.wire.team_id else {
            return Ok(false);
        };
        if let Some(runs) = self.runs.get(&team_id) {
            return Ok(*runs);
        }
        let runs = runs_it(db, &call.caller, stored).await?;
        self.runs.insert(team_id, runs);
        Ok(runs)
    }
}

async fn show(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    let record = own(&call, &mut db).await?;
    let stored = event_types::get(&mut db, record.id).await?;
    let stored = stored.ok_or(Error::Internal)?;
    let mut insider = Insider::of(&call, &mut db).await?;
    let known = insider.disclosed(&call, &mut db, stored).await?;
    Ok(json!(shown::event_type(&known, &record)))
}

async fn create(call: Call) -> Result<Value> {
    let mut transaction = call.begin().await?;
    let db = &mut *transaction;
    let user_id = call.beneficiary(db).await?;
    let id = match (call.number("parentId")?, call.number("teamId")?) {
        (Some(_), Some(_)) => {
            return Err(complaint("parentId", "cannot be used together with teamId"));
        }
        (Some(parent_id), None) => follow(&call, db, parent_id, user_id).await?,
        (None, team_id) => {
            let owner = owner(&call, db, team_id, user_id).await?;
            refuse_team_keys(&call.body, owner)?;
            let said = said::event_type(&call.body, None)?;
            let id = make(db, call.now(), owner, &said.shared)
                .await
                .map_err(in_our_words)?;
            keep(&call, db, id, said.own).await?;
            id
        }
    };
    let made = again(&call, db, id).await?;
    transaction.commit().await?;
    Ok(made)
}

async fn edit(call: Call) -> Result<Value> {
    let mut transaction = call.begin().await?;
    let db = &mut *transaction;
    let record = own(&call, db).await?;
    let id = record.id;
    amend(&call, db, record).await?;
    let changed = again(&call, db, id).await?;
    transaction.commit().await?;
    Ok(changed)
}

async fn remove(call: Call) -> Result<Value> {
    let mut transaction = call.begin().await?;
    let record = own(&call, &mut transaction).await?;
    change::delete(&mut transaction, &record).await?;
    transaction.commit().await?;
    Ok(json!(format!("Event type {} deleted", record.id)))
}

/// Whose a new event type is to be, once the caller may make it.
async fn owner(call: &Call, db: &mut Db, team_id: Option<i64>, user_id: i64) -> Result<Owner> {
    Ok(match team_id {
        Some(team_id) => Owner::Team(teams::found(call, db, team_id).await?.id),
        None => Owner::User(user_id),
    })
}

/// Gives a person an event type of their own that follows a team's managed one: what the team has
/// decided is the same, the rest is as the body says.
async fn follow(call: &Call, db: &mut Db, parent_id: i64, user_id: i64) -> Result<i64> {
    let unknown = || complaint("parentId", "must be a managed event type of a team");
    let parent = record::get(db, parent_id).await?.filter(Record::is_managed);
    let Some((parent, team_id)) = parent.and_then(|parent| match parent.owner {
        Owner::Team(team_id) => Some((parent, team_id)),
        Owner::User(_) => None,
    }) else {
        return Err(unknown());
    };
    let team = Subject::of_team(team_id);
    match call.authorise(db, &team).await {
        Err(Error::Forbidden(_)) if parent.is_hidden() => return Err(unknown()),
        verdict => verdict?,
    }
    // It becomes one more host of what the team has.
    if !call.caller.holds(db, "eventType.update", &team).await? {
        return Err(Error::Forbidden(
            "this needs the permission eventType.update".into(),
        ));
    }
    if !record::members(db, team_id).await?.contains(&user_id) {
        return Err(complaint(
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
    hosts.push(seat(user_id));
    change::take_seats(db, call.now(), &parent, hosts).await?;
    let children = record::children(db, parent_id).await?;
    let child = children
        .into_iter()
        .find(|child| child.owner == Owner::User(user_id))
        .ok_or(Error::Internal)?;
    let id = child.id;
    amend(call, db, child).await?;
    Ok(id)
}

/// Changes in `record` what the body names.
async fn amend(call: &Call, db: &mut Db, record: Record) -> Result<()> {
    let id = record.id;
    refuse_team_keys(&call.body, record.owner)?;
    let said = said::event_type(&call.body, Some(&record))?;
    alter(db, call.now(), record, &said.shared)
        .await
        .map_err(in_our_words)?;
    keep(call, db, id, said.own).await
}

/// Refuses what only a team's event types have, which version 2 ignores in others.
fn refuse_team_keys(body: &JsonMap, owner: Owner) -> Result<()> {
    const TEAM_KEYS: [&str; 4] = [
        "schedulingType",
        "hosts",
        "children",
        "assignAllTeamMembers",
    ];
    let mut checks = Checks::default();
    for key in TEAM_KEYS {
        if let (Owner::User(_), Some(value)) = (owner, body.get(key)) {
            checks.complain(key, value, "whitelistValidation", "should not exist");
        }
    }
    checks.finish()
}

/// Stores what only version 1 knows beside the rest.
async fn keep(call: &Call, db: &mut Db, id: i64, own: JsonMap) -> Result<()> {
    if own.is_empty() {
        return Ok(());
    }
    let mut record = record::get(db, id).await?.ok_or(Error::Internal)?;
    let kept = record
        .document
        .entry(said::OWN)
        .or_insert_with(|| json!({}));
    if let Some(kept) = kept.as_object_mut() {
        kept.extend(own);
    }
    record::update(db, call.now(), &record).await?;
    record::refuse_too_many(db, record.owner).await
}

/// The event type in the path, once the caller may do with it what they ask.
async fn own(call: &Call, db: &mut Db) -> Result<Record> {
    let id = call.id("id")?;
    let record = record::get(db, id)
        .await?
        .ok_or_else(|| Error::not_found("Event type", id))?;
    let mut subject = match record.owner {
        Owner::User(user_id) => Subject::of_user(user_id),
        Owner::Team(team_id) => Subject::of_team(team_id),
    };
    if call.is_reading() {
        let hosts = record::hosts(db, id).await?;
        subject
            .user_ids
            .extend(hosts.iter().map(|host| host.user_id));
    }
    match call.authorise(db, &subject).await {
        // A hidden event type is not admitted to exist.
        Err(Error::Forbidden(_)) if record.is_hidden() => Err(Error::not_found("Event type", id)),
        verdict => verdict.map(|()| record),
    }
}

async fn again(call: &Call, db: &mut Db, id: i64) -> Result<Value> {
    let record = record::get(db, id).await?.ok_or(Error::Internal)?;
    let known = change::read_again(&call.app, db, id).await?;
    Ok(json!(shown::event_type(&known, &record)))
}

fn in_our_words(error: Error) -> Error {
    renamed(error, &said::NAMES)
}
