//! Times in which people do not work (contract 3.6).

use booking_wire::schedule::{AbsenceReason, OutOfOffice};
use booking_wire::{Instant, JsonMap, Read, SortOrder};
use serde_json::{Value, json};

use crate::app::AppState;
use crate::auth::access::Subject;
use crate::auth::{Caller, secret};
use crate::error::{Error, Result};
use crate::store::out_of_office::{self, ListQuery, Whose};
use crate::store::{Db, accounts};
use crate::validate::{Checks, Object, Query, in_range, paging, whole};
use crate::webhooks::events;

/// When people of an organisation are out of office, earliest first.
pub async fn list_of_organization(
    app: &AppState,
    caller: &Caller,
    organization_id: i64,
    query: &Query,
) -> Result<Vec<OutOfOffice>> {
    let mut db = app.store.read().await?;
    if !accounts::organization_exists(&mut db, organization_id).await? {
        return Err(Error::not_found("Organization", organization_id));
    }
    let subject = Subject::of_organization(organization_id);
    caller.authorise(&mut db, &subject).await?;
    let list = read_list(query, true)?;
    let whose = Whose::Organization(organization_id);
    let found = out_of_office::find(&mut db, whose, &list).await?;
    Ok(found)
}

/// When a person is out of office, earliest first.
pub async fn list(
    app: &AppState,
    caller: &Caller,
    org_id: i64,
    user_id: i64,
    query: &Query,
) -> Result<Vec<OutOfOffice>> {
    let mut db = app.store.read().await?;
    let person = person(&mut db, caller, org_id, user_id).await?;
    let list = read_list(query, false)?;
    let whose = Whose::User(person.user_id);
    let found = out_of_office::find(&mut db, whose, &list).await?;
    Ok(found)
}

/// Says when a person will be out of office. Two entries of one person cannot overlap.
pub async fn create(
    app: &AppState,
    caller: &Caller,
    org_id: i64,
    user_id: i64,
    body: &JsonMap,
) -> Result<OutOfOffice> {
    let mut transaction = app.store.begin().await?;
    let db = &mut *transaction;
    let person = person(db, caller, org_id, user_id).await?;
    let now = app.clock.now();
    let mut entry = OutOfOffice {
        id: 0,
        uuid: secret::random_uuid()?,
        user_id: person.user_id,
        to_user_id: None,
        start: Instant::default(),
        end: Instant::default(),
        notes: None,
        reason: AbsenceReason::Unspecified,
    };
    apply(db, person, &mut entry, body).await?;
    entry.id = out_of_office::insert(db, now, &entry).await?;
    events::out_of_office(db, now, entry.id).await?;
    transaction.commit().await?;
    Ok(entry)
}

/// Changes an entry; what is absent stays as it is.
pub async fn change(
    app: &AppState,
    caller: &Caller,
    org_id: i64,
    user_id: i64,
    ooo_id: i64,
    body: &JsonMap,
) -> Result<OutOfOffice> {
    let mut transaction = app.store.begin().await?;
    let db = &mut *transaction;
    let person = person(db, caller, org_id, user_id).await?;
    let mut entry = entry(db, person, ooo_id).await?;
    apply(db, person, &mut entry, body).await?;
    out_of_office::update(db, &entry).await?;
    transaction.commit().await?;
    Ok(entry)
}

/// Deletes an entry: the person works then.
pub async fn remove(
    app: &AppState,
    caller: &Caller,
    org_id: i64,
    user_id: i64,
    ooo_id: i64,
) -> Result<OutOfOffice> {
    let mut transaction = app.store.begin().await?;
    let db = &mut *transaction;
    let person = person(db, caller, org_id, user_id).await?;
    let entry = entry(db, person, ooo_id).await?;
    out_of_office::delete(db, entry.id).await?;
    transaction.commit().await?;
    Ok(entry)
}

const ORDERS: [(&str, SortOrder); 2] = [("asc", SortOrder::Asc), ("desc", SortOrder::Desc)];

/// Longest note in characters.
const LONGEST_NOTE: usize = 2000;

/// Parameters of a list. Only that of an organisation can be narrowed to one person.
fn read_list(query: &Query, is_of_organization: bool) -> Result<ListQuery> {
    let mut checks = Checks::default();
    query.ignore_unknown(&["take", "skip", "sortStart", "sortEnd", "email"]);
    let (take, skip) = paging(query, &mut checks);
    // A "+" that was not escaped arrived as a space.
    let email = query.get("email").map(|email| email.replace(' ', "+"));
    let list = ListQuery {
        email: email.filter(|_| is_of_organization),
        sort_start: query.word("sortStart", &ORDERS, &mut checks),
        sort_end: query.word("sortEnd", &ORDERS, &mut checks),
        take,
        skip,
    };
    checks.finish()?;
    Ok(list)
}

/// Somebody in an organisation.
#[derive(Clone, Copy)]
struct Person {
    organization_id: i64,
    user_id: i64,
}

/// The person in the path, if the caller may act for them.
async fn person(
    db: &mut Db,
    caller: &Caller,
    organization_id: i64,
    user_id: i64,
) -> Result<Person> {
    if !accounts::organization_exists(db, organization_id).await? {
        return Err(Error::not_found("Organization", organization_id));
    }
    let member = accounts::organization_standing(db, user_id, organization_id)
        .await?
        .is_some();
    // To be oneself does not help in an organisation that one is not in.
    let subject = Subject {
        user_ids: member.then_some(user_id).into_iter().collect(),
        organization_id: Some(organization_id),
        ..Subject::default()
    };
    caller.authorise(db, &subject).await?;
    if !member {
        return Err(Error::NotFound(format!(
            "User {user_id} not found in organization {organization_id}"
        )));
    }
    Ok(Person {
        organization_id,
        user_id,
    })
}

async fn entry(db: &mut Db, person: Person, id: i64) -> Result<OutOfOffice> {
    out_of_office::get(db, id)
        .await?
        .filter(|entry| entry.user_id == person.user_id)
        .ok_or_else(|| Error::not_found("Out-of-office entry", id))
}

/// Writes what `body` says over `entry`, which is new if it has no id.
async fn apply(db: &mut Db, person: Person, entry: &mut OutOfOffice, body: &JsonMap) -> Result<()> {
    let mut checks = Checks::default();
    let given = Object::new(body, "");
    given.ignore_unknown(&["start", "end", "notes", "toUserId", "reason"]);
    for (key, end) in [("start", &mut entry.start), ("end", &mut entry.end)] {
        if entry.id != 0 && !body.contains_key(key) {
            continue;
        }
        let value = given.value(key).unwrap_or(&Value::Null);
        let read = value
            .as_str()
            .and_then(Instant::parse)
            .filter(|instant| in_range(*instant));
        match read {
            Some(instant) => *end = instant,
            None => checks.complain(
                key,
                value,
                "isDateString",
                "must be a valid ISO 8601 date string",
            ),
        }
    }
    if checks.is_clean() && entry.end <= entry.start {
        checks.complain("end", &json!(entry.end), "isAfter", "must lie after start");
    }
    if let Some(notes) = body.get("notes") {
        entry.notes = given.text("notes", &mut checks).map(str::to_owned);
        let length = entry
            .notes
            .as_ref()
            .map_or(0, |notes| notes.chars().count());
        if length > LONGEST_NOTE {
            let complaint = format!("must be at most {LONGEST_NOTE} characters long");
            checks.complain("notes", notes, "maxLength", &complaint);
        }
    }
    if body.contains_key("toUserId") {
        entry.to_user_id = stand_in(db, person, given, &mut checks).await?;
    }
    if body.contains_key("reason") {
        let names = AbsenceReason::NAMES.map(|(name, _)| name).join(", ");
        let complaint = format!("must be one of: {names}");
        let read = given.read(
            "reason",
            "isEnum",
            &complaint,
            &mut checks,
            AbsenceReason::read,
        );
        entry.reason = read.unwrap_or_default();
    }
    checks.finish()?;
    match out_of_office::overlapping(db, entry).await? {
        Some(other) => Err(Error::Conflict(format!(
            "user {} is out of office then already, by entry {other}",
            entry.user_id
        ))),
        None => Ok(()),
    }
}

/// Somebody else in the organisation.
async fn stand_in(
    db: &mut Db,
    person: Person,
    given: Object<'_>,
    checks: &mut Checks,
) -> Result<Option<i64>> {
    let Some(value) = given.value("toUserId") else {
        return Ok(None);
    };
    let Some(user_id) = whole(value) else {
        checks.complain("toUserId", value, "isInt", "must be a whole number");
        return Ok(None);
    };
    let colleague = accounts::organization_standing(db, user_id, person.organization_id)
        .await?
        .is_some();
    if user_id == person.user_id || !colleague {
        checks.complain(
            "toUserId",
            value,
            "isColleague",
            "must be somebody else in the organization",
        );
    }
    Ok(Some(user_id))
}
