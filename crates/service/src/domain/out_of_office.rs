//! Use cases of out-of-office entries.

use booking_wire::schedule::{AbsenceReason, OutOfOffice};
use booking_wire::{Instant, JsonMap, Read};
use serde_json::{Value, json};

use crate::app::AppState;
use crate::auth::access::Resource;
use crate::auth::{Caller, secret};
use crate::error::{Error, Result};
use crate::messages::webhooks::events;
use crate::store::hours::out_of_office::{self, ListQuery, OutOfOfficeScope};
use crate::store::people::accounts;
use crate::store::people::roles::Level;
use crate::store::{Db, Subject};
use crate::validate::{Checks, Object, Query, in_range, integer, paging};

/// Out-of-office entries of an organisation, earliest first.
pub async fn list_of_organization(
    app: &AppState,
    caller: &Caller,
    organization_id: i64,
    query: &Query,
) -> Result<Vec<OutOfOffice>> {
    let mut db = app.store.read().await?;
    accounts::check_organization(&mut db, organization_id).await?;
    let resource = Resource::of_organization(organization_id);
    caller.authorise(&mut db, &resource).await?;
    let list = read_list(query, true)?;
    let scope = OutOfOfficeScope::Organization(organization_id);
    out_of_office::find(&mut db, scope, &list).await
}

/// Out-of-office entries of a user, earliest first.
pub async fn list(
    app: &AppState,
    caller: &Caller,
    org_id: i64,
    user_id: i64,
    query: &Query,
) -> Result<Vec<OutOfOffice>> {
    let mut db = app.store.read().await?;
    let member = authorised_member(&mut db, caller, org_id, user_id).await?;
    let list = read_list(query, false)?;
    let scope = OutOfOfficeScope::User(member.user_id);
    out_of_office::find(&mut db, scope, &list).await
}

/// Creates an out-of-office entry. Two entries of one user cannot overlap.
pub async fn create(
    app: &AppState,
    caller: &Caller,
    org_id: i64,
    user_id: i64,
    body: &JsonMap,
) -> Result<OutOfOffice> {
    let mut transaction = app.store.begin(&[Subject::Person(user_id)]).await?;
    let db = &mut *transaction;
    let member = authorised_member(db, caller, org_id, user_id).await?;
    let now = app.clock.now();
    let mut entry = OutOfOffice {
        id: 0,
        uuid: secret::random_uuid()?,
        user_id: member.user_id,
        to_user_id: None,
        start: Instant::default(),
        end: Instant::default(),
        notes: None,
        reason: AbsenceReason::Unspecified,
    };
    apply_changes(db, member, &mut entry, body).await?;
    entry.id = out_of_office::insert(db, now, &entry).await?;
    events::out_of_office(db, now, entry.id).await?;
    transaction.commit().await?;
    Ok(entry)
}

/// Updates an out-of-office entry; absent properties are unchanged.
pub async fn update(
    app: &AppState,
    caller: &Caller,
    org_id: i64,
    user_id: i64,
    ooo_id: i64,
    body: &JsonMap,
) -> Result<OutOfOffice> {
    let mut transaction = app.store.begin(&[Subject::Person(user_id)]).await?;
    let db = &mut *transaction;
    let member = authorised_member(db, caller, org_id, user_id).await?;
    let mut entry = entry(db, member, ooo_id).await?;
    apply_changes(db, member, &mut entry, body).await?;
    out_of_office::update(db, &entry).await?;
    transaction.commit().await?;
    Ok(entry)
}

/// Deletes an out-of-office entry.
pub async fn delete(
    app: &AppState,
    caller: &Caller,
    org_id: i64,
    user_id: i64,
    ooo_id: i64,
) -> Result<OutOfOffice> {
    let mut transaction = app.store.begin(&[Subject::Person(user_id)]).await?;
    let db = &mut *transaction;
    let member = authorised_member(db, caller, org_id, user_id).await?;
    let entry = entry(db, member, ooo_id).await?;
    out_of_office::delete(db, entry.id).await?;
    transaction.commit().await?;
    Ok(entry)
}

/// Maximum length of a note in characters.
const MAX_NOTE_CHARS: usize = 2000;

/// Reads the parameters of a list. Only the list of an organisation has the filter `email`.
fn read_list(query: &Query, is_of_organization: bool) -> Result<ListQuery> {
    let mut checks = Checks::default();
    let (take, skip) = paging(query, &mut checks);
    // An unescaped "+" arrives as a space.
    let email = query.get("email").map(|email| email.replace(' ', "+"));
    let list = ListQuery {
        email: email.filter(|_| is_of_organization),
        sort_start: query.sort_order("sortStart", &mut checks),
        sort_end: query.sort_order("sortEnd", &mut checks),
        take,
        skip,
    };
    checks.finish()?;
    Ok(list)
}

/// A member of an organisation.
#[derive(Clone, Copy)]
struct Member {
    organization_id: i64,
    user_id: i64,
}

/// Returns the member in the path, if the caller may act for them.
async fn authorised_member(
    db: &mut Db,
    caller: &Caller,
    organization_id: i64,
    user_id: i64,
) -> Result<Member> {
    accounts::check_organization(db, organization_id).await?;
    let is_member = accounts::membership_rights(db, user_id, Level::Organization(organization_id))
        .await?
        .is_some();
    // The caller's own id gives access only as a member of the organisation.
    let resource = Resource {
        user_ids: is_member.then_some(user_id).into_iter().collect(),
        organization_id: Some(organization_id),
        ..Resource::default()
    };
    caller.authorise(db, &resource).await?;
    if !is_member {
        return Err(Error::NotFound(format!(
            "User {user_id} not found in organization {organization_id}"
        )));
    }
    Ok(Member {
        organization_id,
        user_id,
    })
}

async fn entry(db: &mut Db, member: Member, id: i64) -> Result<OutOfOffice> {
    out_of_office::get(db, id)
        .await?
        .filter(|entry| entry.user_id == member.user_id)
        .ok_or_else(|| Error::not_found("Out-of-office entry", id))
}

/// Writes the properties of `body` to `entry`, which is new if its id is 0.
async fn apply_changes(
    db: &mut Db,
    member: Member,
    entry: &mut OutOfOffice,
    body: &JsonMap,
) -> Result<()> {
    let mut checks = Checks::default();
    let object = Object::new(body, "");
    for (key, field) in [("start", &mut entry.start), ("end", &mut entry.end)] {
        if entry.id != 0 && !body.contains_key(key) {
            continue;
        }
        let value = object.value(key).unwrap_or(&Value::Null);
        let read = value
            .as_str()
            .and_then(Instant::parse)
            .filter(|instant| in_range(*instant));
        match read {
            Some(instant) => *field = instant,
            None => checks.report(
                key,
                value,
                "isDateString",
                "must be a valid ISO 8601 date string",
            ),
        }
    }
    if checks.is_clean() && entry.end <= entry.start {
        checks.report("end", &json!(entry.end), "isAfter", "must lie after start");
    }
    if let Some(notes) = body.get("notes") {
        entry.notes = object.text("notes", &mut checks).map(str::to_owned);
        let length = entry
            .notes
            .as_ref()
            .map_or(0, |notes| notes.chars().count());
        if length > MAX_NOTE_CHARS {
            let message = format!("must be at most {MAX_NOTE_CHARS} characters long");
            checks.report("notes", notes, "maxLength", &message);
        }
    }
    if body.contains_key("toUserId") {
        entry.to_user_id = read_substitute(db, member, &object, &mut checks).await?;
    }
    if body.contains_key("reason") {
        let names = AbsenceReason::NAMES.map(|(name, _)| name).join(", ");
        let message = format!("must be one of: {names}");
        let read = object.read(
            "reason",
            "isEnum",
            &message,
            &mut checks,
            AbsenceReason::read,
        );
        entry.reason = read.unwrap_or_default();
    }
    object.log_unread();
    checks.finish()?;
    match out_of_office::overlapping(db, entry).await? {
        Some(other) => Err(Error::Conflict(format!(
            "user {} is out of office then already, by entry {other}",
            entry.user_id
        ))),
        None => Ok(()),
    }
}

/// Reads the id of the substitute: another member of the organisation.
async fn read_substitute(
    db: &mut Db,
    member: Member,
    object: &Object<'_>,
    checks: &mut Checks,
) -> Result<Option<i64>> {
    let Some(value) = object.value("toUserId") else {
        return Ok(None);
    };
    let Some(user_id) = integer(value) else {
        checks.report("toUserId", value, "isInt", "must be a whole number");
        return Ok(None);
    };
    let level = Level::Organization(member.organization_id);
    let is_colleague = accounts::membership_rights(db, user_id, level)
        .await?
        .is_some();
    if user_id == member.user_id || !is_colleague {
        checks.report(
            "toUserId",
            value,
            "isColleague",
            "must be somebody else in the organization",
        );
    }
    Ok(Some(user_id))
}
