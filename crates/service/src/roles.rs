//! Roles of teams and of organisations (contract 3.2, 6.5).
//!
//! Both levels have the same operations.

use booking_wire::{
    JsonMap, ORGANIZATION_PERMISSIONS, Permission, Role, RoleType, TEAM_PERMISSIONS,
};
use serde_json::{Value, json};

use crate::app::AppState;
use crate::auth::access::{self, Subject};
use crate::auth::{Caller, secret};
use crate::error::{Error, Result};
use crate::store::accounts::{self, MembershipRole};
use crate::store::roles::{self, Level};
use crate::store::{self, Db};
use crate::validate::{Checks, Object, Query, is_color, paging};

const LONGEST_TEXT: usize = 1000;

/// An organisation, or one of its teams, as a path names it.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    /// The organisation.
    pub organization_id: i64,
    /// One of its teams.
    pub team_id: Option<i64>,
}

/// Finds the level of `scope` and checks that the caller may do there what they ask for.
async fn authorised(db: &mut Db, caller: &Caller, scope: Scope) -> Result<Level> {
    let Scope {
        organization_id,
        team_id,
    } = scope;
    if !accounts::organization_exists(db, organization_id).await? {
        return Err(Error::not_found("Organization", organization_id));
    }
    let level = match team_id {
        None => Level::Organization(organization_id),
        Some(team_id) => {
            accounts::team(db, team_id)
                .await?
                .filter(|team| team.organization_id == Some(organization_id))
                .ok_or_else(|| {
                    Error::NotFound(format!(
                        "Team {team_id} not found in organization {organization_id}"
                    ))
                })?;
            Level::Team(team_id)
        }
    };
    caller.authorise(db, &Subject::of_level(level)).await?;
    Ok(level)
}

/// Lists the roles of a level: the service's own first, then its own, oldest first.
pub async fn list(
    app: &AppState,
    caller: &Caller,
    scope: Scope,
    query: &Query,
) -> Result<Vec<Role>> {
    let mut db = app.store.read().await?;
    let level = authorised(&mut db, caller, scope).await?;
    let mut checks = Checks::default();
    query.ignore_unknown(&["take", "skip"]);
    let (take, skip) = paging(query, &mut checks);
    checks.finish()?;
    let mut roles = roles::list(&mut db, level, take, skip).await?;
    roles.iter_mut().for_each(|role| keep_known(role, level));
    Ok(roles)
}

/// Leaves out permissions that roles of the level do not have: the service's own roles, which are
/// the same at both levels, hold some that only teams know.
fn keep_known(role: &mut Role, level: Level) {
    let known = names(level);
    let is_known = |permission: &Permission| known.contains(&permission.0.as_str());
    role.permissions.retain(is_known);
}

/// Returns one role.
pub async fn show(app: &AppState, caller: &Caller, scope: Scope, id: &str) -> Result<Role> {
    let mut db = app.store.read().await?;
    let level = authorised(&mut db, caller, scope).await?;
    found(&mut db, level, id).await
}

/// Creates a role.
pub async fn create(app: &AppState, caller: &Caller, scope: Scope, body: &JsonMap) -> Result<Role> {
    let mut transaction = app.store.begin().await?;
    let level = authorised(&mut transaction, caller, scope).await?;
    let now = app.clock.now();
    let mut role = Role {
        id: secret::random_uuid()?,
        name: String::new(),
        color: None,
        description: None,
        team_id: None,
        organization_id: None,
        kind: RoleType::Custom,
        permissions: Vec::new(),
        created_at: Some(now),
        updated_at: Some(now),
    };
    match level {
        Level::Team(id) => role.team_id = Some(id),
        Level::Organization(id) => role.organization_id = Some(id),
    }
    let mut checks = Checks::default();
    Object::new(body, "").required_text("name", &mut checks);
    change(&mut role, body, level, checks)?;
    refuse_taken_name(&mut transaction, level, &role).await?;
    roles::insert(&mut transaction, &role)
        .await
        .map_err(|error| refusal(error, &role))?;
    transaction.commit().await?;
    Ok(role)
}

/// Changes the keys of a role that `body` has.
pub async fn edit(
    app: &AppState,
    caller: &Caller,
    scope: Scope,
    id: &str,
    body: &JsonMap,
) -> Result<Role> {
    let mut transaction = app.store.begin().await?;
    let level = authorised(&mut transaction, caller, scope).await?;
    let before = own(&mut transaction, level, id).await?;
    let mut role = before.clone();
    let mut checks = Checks::default();
    // Without a name a role cannot be told from others: it can be changed, not removed.
    if body.contains_key("name") {
        Object::new(body, "").required_text("name", &mut checks);
    }
    change(&mut role, body, level, checks)?;
    refuse_taken_name(&mut transaction, level, &role).await?;
    let role = keep(&mut transaction, app, caller, level, &before, role).await?;
    transaction.commit().await?;
    Ok(role)
}

/// Deletes a role and returns it.
pub async fn delete(app: &AppState, caller: &Caller, scope: Scope, id: &str) -> Result<Role> {
    let mut transaction = app.store.begin().await?;
    let level = authorised(&mut transaction, caller, scope).await?;
    let role = own(&mut transaction, level, id).await?;
    refuse_unheld(&mut transaction, caller, level, &role, &[]).await?;
    refuse_freeing(&mut transaction, caller, level, &role).await?;
    roles::delete(&mut transaction, &role.id).await?;
    transaction.commit().await?;
    Ok(role)
}

/// A change of the permissions of a role, not yet checked.
#[derive(Clone, Copy, Debug)]
pub enum PermissionChange<'a> {
    /// Adds the permissions of a body.
    Add(&'a JsonMap),
    /// Replaces all by those of a body.
    Replace(&'a JsonMap),
    /// Removes the permissions of a query string.
    Remove(&'a Query),
    /// Removes one permission.
    RemoveOne(&'a str),
}

/// Changes the permissions of a role and returns those that it has then.
pub async fn change_permissions(
    app: &AppState,
    caller: &Caller,
    scope: Scope,
    id: &str,
    change: PermissionChange<'_>,
) -> Result<Vec<Permission>> {
    let mut transaction = app.store.begin().await?;
    let level = authorised(&mut transaction, caller, scope).await?;
    let before = own(&mut transaction, level, id).await?;
    let mut role = before.clone();
    match change {
        PermissionChange::Replace(body) => role.permissions = from_body(body, level)?,
        PermissionChange::Add(body) => {
            for permission in from_body(body, level)? {
                if !role.permissions.contains(&permission) {
                    role.permissions.push(permission);
                }
            }
        }
        PermissionChange::Remove(query) => {
            let removed = from_query(query, level)?;
            role.permissions.retain(|held| !removed.contains(held));
        }
        PermissionChange::RemoveOne(name) => {
            let removed = known_permission(name, level)?;
            role.permissions.retain(|held| *held != removed);
        }
    }
    let role = keep(&mut transaction, app, caller, level, &before, role).await?;
    transaction.commit().await?;
    Ok(role.permissions)
}

/// Stores a changed role; one that is as it was keeps its time of change.
///
/// Nobody gives their team, or themselves, more than they have, or takes it from those who have
/// more: what somebody already holds can be changed only by permissions that the caller has, too.
async fn keep(
    db: &mut Db,
    app: &AppState,
    caller: &Caller,
    level: Level,
    before: &Role,
    mut role: Role,
) -> Result<Role> {
    if role == *before {
        return Ok(role);
    }
    refuse_unheld(db, caller, level, before, &role.permissions).await?;
    role.updated_at = Some(app.clock.now());
    roles::update(db, &role)
        .await
        .map_err(|error| refusal(error, &role))?;
    Ok(role)
}

/// Refuses to give a role that somebody holds permissions, or to take them from it, that the caller
/// lacks.
async fn refuse_unheld(
    db: &mut Db,
    caller: &Caller,
    level: Level,
    before: &Role,
    after: &[Permission],
) -> Result<()> {
    if !roles::is_held(db, &before.id).await? {
        return Ok(());
    }
    let added = difference(after, &before.permissions);
    let removed = difference(&before.permissions, after);
    let changes = added
        .map(|permission| ("add", "to", permission))
        .chain(removed.map(|permission| ("take", "from", permission)));
    for (verb, preposition, permission) in changes {
        if !access::holds(db, caller.user_id, &permission.0, &Subject::of_level(level)).await? {
            return Err(Error::Forbidden(format!(
                "members hold this role: to {verb} {permission} {preposition} it, you need it yourself"
            )));
        }
    }
    Ok(())
}

/// The permissions of `one` that are not among those of `other`. There are a few dozen at most.
fn difference<'a>(
    one: &'a [Permission],
    other: &'a [Permission],
) -> impl Iterator<Item = &'a Permission> {
    one.iter().filter(|permission| !other.contains(permission))
}

/// Refuses to delete a role that holds somebody back from rights which the caller lacks: without
/// it they would have those of their membership, and the caller may be one of them.
async fn refuse_freeing(db: &mut Db, caller: &Caller, level: Level, role: &Role) -> Result<()> {
    // Whoever runs an organisation is not held back by a role there.
    let Level::Team(_) = level else { return Ok(()) };
    for standing in roles::holders(db, &role.id).await? {
        if standing == MembershipRole::Member {
            continue;
        }
        for permission in roles::permissions(db, standing.system_role()).await? {
            if !role.permissions.contains(&permission)
                && !access::holds(db, caller.user_id, &permission.0, &Subject::of_level(level))
                    .await?
            {
                return Err(Error::Forbidden(format!(
                    "who holds this role would be allowed {permission} without it: to delete it, you need that yourself"
                )));
            }
        }
    }
    Ok(())
}

async fn found(db: &mut Db, level: Level, id: &str) -> Result<Role> {
    let mut role = roles::get(db, level, id)
        .await?
        .ok_or_else(|| Error::not_found("Role", id))?;
    keep_known(&mut role, level);
    Ok(role)
}

/// A role that can be changed.
async fn own(db: &mut Db, level: Level, id: &str) -> Result<Role> {
    let role = found(db, level, id).await?;
    if role.kind == RoleType::System {
        return Err(Error::BadRequest(format!(
            "\"{}\" is a role of the service itself: it cannot be changed or deleted",
            role.name
        )));
    }
    Ok(role)
}

async fn refuse_taken_name(db: &mut Db, level: Level, role: &Role) -> Result<()> {
    if roles::name_is_taken(db, level, &role.name, &role.id).await? {
        return Err(taken(role));
    }
    Ok(())
}

fn refusal(error: sqlx::Error, role: &Role) -> Error {
    if store::is_duplicate(&error) {
        taken(role)
    } else {
        error.into()
    }
}

fn taken(role: &Role) -> Error {
    let place = if role.team_id.is_some() {
        "team"
    } else {
        "organization"
    };
    Error::BadRequest(format!(
        "a role named \"{}\" exists in this {place} already",
        role.name
    ))
}

/// Changes in `role` what `body` names. A colour or description of `null` is removed.
fn change(role: &mut Role, body: &JsonMap, level: Level, mut checks: Checks) -> Result<()> {
    let object = Object::new(body, "");
    object.ignore_unknown(&["name", "color", "description", "permissions"]);
    let name = object
        .value("name")
        .and_then(Value::as_str)
        .map(|name| name.trim().to_owned());
    let color = object.text("color", &mut checks);
    if let Some(color) = color.filter(|color| !is_color(color)) {
        checks.complain(
            "color",
            &json!(color),
            "isHexColor",
            "must be a colour like #1A2 or #1A2B3C",
        );
    }
    let description = object.text("description", &mut checks);
    for (key, text) in [("name", name.as_deref()), ("description", description)] {
        if text.is_some_and(|text| text.chars().count() > LONGEST_TEXT) {
            let complaint = format!("must be at most {LONGEST_TEXT} characters long");
            checks.complain(key, &Value::Null, "maxLength", &complaint);
        }
    }
    let given = object.read(
        "permissions",
        "isArray",
        "must be an array",
        &mut checks,
        Value::as_array,
    );
    if body.get("permissions").is_some_and(Value::is_null) {
        checks.complain("permissions", &Value::Null, "isArray", "must be an array");
    }
    let permissions = given.map(|given| known(given, level, &mut checks));
    checks.finish()?;
    if let Some(name) = name {
        role.name = name;
    }
    if body.contains_key("color") {
        role.color = color.map(str::to_owned);
    }
    if body.contains_key("description") {
        role.description = description.map(str::to_owned);
    }
    if let Some(permissions) = permissions {
        role.permissions = permissions;
    }
    Ok(())
}

/// The permissions of a body that holds nothing else.
fn from_body(body: &JsonMap, level: Level) -> Result<Vec<Permission>> {
    let mut checks = Checks::default();
    let object = Object::new(body, "");
    object.ignore_unknown(&["permissions"]);
    let given = body.get("permissions").and_then(Value::as_array);
    if given.is_none() {
        let value = body.get("permissions").unwrap_or(&Value::Null);
        checks.complain("permissions", value, "isArray", "must be an array");
    }
    let permissions = known(given.map_or(&[], Vec::as_slice), level, &mut checks);
    checks.finish()?;
    Ok(permissions)
}

/// The permissions of a query string.
fn from_query(query: &Query, level: Level) -> Result<Vec<Permission>> {
    let mut checks = Checks::default();
    query.ignore_unknown(&["permissions"]);
    // None named is nothing to do.
    let given = query.list("permissions").into_iter().flatten();
    let given: Vec<Value> = given.map(Value::from).collect();
    let permissions = known(&given, level, &mut checks);
    checks.finish()?;
    Ok(permissions)
}

/// The permission with that name, if roles of the level can have it.
fn known_permission(name: &str, level: Level) -> Result<Permission> {
    if names(level).contains(&name) {
        return Ok(Permission(name.to_owned()));
    }
    let mut checks = Checks::default();
    let complaint = format!("is no permission of {} role", article(level));
    checks.complain("permission", &json!(name), "isEnum", &complaint);
    Err(checks.finish().err().unwrap_or(Error::Internal))
}

/// Each permission once, in the given order.
fn known(given: &[Value], level: Level, checks: &mut Checks) -> Vec<Permission> {
    let mut permissions: Vec<Permission> = Vec::new();
    for value in given {
        let name = value.as_str().filter(|name| names(level).contains(name));
        let Some(name) = name else {
            let complaint = format!(
                "holds {value}, which is no permission of {} role",
                article(level)
            );
            checks.complain("permissions", value, "isEnum", &complaint);
            // One complaint is enough: the list may be long.
            break;
        };
        let permission = Permission(name.to_owned());
        if !permissions.contains(&permission) {
            permissions.push(permission);
        }
    }
    permissions
}

fn names(level: Level) -> &'static [&'static str] {
    match level {
        Level::Team(_) => &TEAM_PERMISSIONS,
        Level::Organization(_) => &ORGANIZATION_PERMISSIONS,
    }
}

fn article(level: Level) -> &'static str {
    match level {
        Level::Team(_) => "a team",
        Level::Organization(_) => "an organization",
    }
}
