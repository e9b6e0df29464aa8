//! Use cases of roles of teams and organisations. Both levels have the same operations.

use booking_wire::{
    JsonMap, ORGANIZATION_PERMISSIONS, Permission, Role, RoleType, TEAM_PERMISSIONS,
};
use serde_json::{Value, json};

use crate::app::AppState;
use crate::auth::access::Resource;
use crate::auth::{Caller, secret};
use crate::error::{Error, Result};
use crate::store::people::accounts::{self, MembershipRole};
use crate::store::people::roles::{self, Level};
use crate::store::{Db, Subject, duplicate_or};
use crate::validate::{Checks, Object, Query, is_color};

/// Maximum length of a name or description in characters.
const MAX_TEXT_CHARS: usize = 1000;

/// An organisation or one of its teams, from the path.
#[derive(Clone, Copy, Debug)]
pub struct Scope {
    /// The organisation.
    pub organization_id: i64,
    /// One of its teams.
    pub team_id: Option<i64>,
}

/// Returns the level of `scope`, after checking the caller's permission for the operation there.
async fn authorised(db: &mut Db, caller: &Caller, scope: Scope) -> Result<Level> {
    let Scope {
        organization_id,
        team_id,
    } = scope;
    accounts::check_organization(db, organization_id).await?;
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
    caller.authorise(db, &Resource::of_level(level)).await?;
    Ok(level)
}

/// Lists the roles of a level: system roles first, then custom roles, oldest first.
pub async fn list(
    app: &AppState,
    caller: &Caller,
    scope: Scope,
    query: &Query,
) -> Result<Vec<Role>> {
    let mut db = app.store.read().await?;
    let level = authorised(&mut db, caller, scope).await?;
    let (take, skip) = query.page()?;
    let mut roles = roles::list(&mut db, level, take, skip).await?;
    roles
        .iter_mut()
        .for_each(|role| retain_known_permissions(role, level));
    Ok(roles)
}

/// Removes permissions that do not exist at the level. System roles are the same at both levels,
/// but some of their permissions exist for teams only.
fn retain_known_permissions(role: &mut Role, level: Level) {
    let known = permission_names(level);
    let is_known = |permission: &Permission| known.contains(&permission.0.as_str());
    role.permissions.retain(is_known);
}

/// Returns one role.
pub async fn show(app: &AppState, caller: &Caller, scope: Scope, id: &str) -> Result<Role> {
    let mut db = app.store.read().await?;
    let level = authorised(&mut db, caller, scope).await?;
    get_role(&mut db, level, id).await
}

/// Creates a role.
pub async fn create(app: &AppState, caller: &Caller, scope: Scope, body: &JsonMap) -> Result<Role> {
    let mut transaction = app
        .store
        .begin(&[Subject::Organization(scope.organization_id)])
        .await?;
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
    Object::new(body, "").required_name("name", &mut checks);
    apply_changes(&mut role, body, level, checks)?;
    reject_taken_name(&mut transaction, level, &role).await?;
    roles::insert(&mut transaction, &role)
        .await
        .map_err(|error| duplicate_or(error, name_taken_error(&role)))?;
    transaction.commit().await?;
    Ok(role)
}

/// Updates the properties of a role that `body` contains.
pub async fn update(
    app: &AppState,
    caller: &Caller,
    scope: Scope,
    id: &str,
    body: &JsonMap,
) -> Result<Role> {
    let mut transaction = app
        .store
        .begin(&[Subject::Organization(scope.organization_id)])
        .await?;
    let level = authorised(&mut transaction, caller, scope).await?;
    let before = get_custom_role(&mut transaction, level, id).await?;
    let mut role = before.clone();
    let mut checks = Checks::default();
    // A role needs a name: it can be changed, but not removed.
    if body.contains_key("name") {
        Object::new(body, "").required_name("name", &mut checks);
    }
    apply_changes(&mut role, body, level, checks)?;
    reject_taken_name(&mut transaction, level, &role).await?;
    let role = store_role(&mut transaction, app, caller, level, &before, role).await?;
    transaction.commit().await?;
    Ok(role)
}

/// Deletes a role and returns it. Its holders keep the rights of their membership role.
pub async fn delete(app: &AppState, caller: &Caller, scope: Scope, id: &str) -> Result<Role> {
    let mut transaction = app
        .store
        .begin(&[Subject::Organization(scope.organization_id)])
        .await?;
    let level = authorised(&mut transaction, caller, scope).await?;
    let role = get_custom_role(&mut transaction, level, id).await?;
    reject_stronger(&mut transaction, caller, level, &role).await?;
    roles::remove_from_holders(&mut transaction, &role.id).await?;
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

/// Changes the permissions of a role and returns its new permissions.
pub async fn change_permissions(
    app: &AppState,
    caller: &Caller,
    scope: Scope,
    id: &str,
    change: PermissionChange<'_>,
) -> Result<Vec<Permission>> {
    let mut transaction = app
        .store
        .begin(&[Subject::Organization(scope.organization_id)])
        .await?;
    let level = authorised(&mut transaction, caller, scope).await?;
    let before = get_custom_role(&mut transaction, level, id).await?;
    let mut role = before.clone();
    match change {
        PermissionChange::Replace(body) => role.permissions = permissions_from_body(body, level)?,
        PermissionChange::Add(body) => {
            for permission in permissions_from_body(body, level)? {
                if !role.permissions.contains(&permission) {
                    role.permissions.push(permission);
                }
            }
        }
        PermissionChange::Remove(query) => {
            let removed = permissions_from_query(query, level)?;
            role.permissions
                .retain(|permission| !removed.contains(permission));
        }
        PermissionChange::RemoveOne(name) => {
            let removed = parse_permission(name, level)?;
            role.permissions.retain(|permission| *permission != removed);
        }
    }
    let role = store_role(&mut transaction, app, caller, level, &before, role).await?;
    transaction.commit().await?;
    Ok(role.permissions)
}

/// Stores a changed role. An unchanged role keeps its `updatedAt`.
///
/// Prevents escalation: nobody changes a role that is stronger than they are, or gives members what they lack.
async fn store_role(
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
    reject_stronger(db, caller, level, before).await?;
    reject_added_permissions(db, caller, level, before, &role.permissions).await?;
    role.updated_at = Some(app.clock.now());
    roles::update(db, &role)
        .await
        .map_err(|error| duplicate_or(error, name_taken_error(&role)))?;
    Ok(role)
}

/// Rejects changing or deleting a role that is stronger than the caller: it has a permission that the caller lacks, or an
/// administrator or owner who has one holds it. Without the role, the permissions of the membership role apply.
async fn reject_stronger(db: &mut Db, caller: &Caller, level: Level, role: &Role) -> Result<()> {
    let resource = Resource::of_level(level);
    for permission in &role.permissions {
        if !caller.has_permission(db, &permission.0, &resource).await? {
            return Err(Error::Forbidden(format!(
                "this role has {permission}: to change or delete it, you need that yourself"
            )));
        }
    }
    let known = permission_names(level);
    for membership_role in roles::membership_roles_of_holders(db, &role.id).await? {
        if membership_role == MembershipRole::Member {
            continue;
        }
        for permission in roles::permissions(db, membership_role.system_role()).await? {
            if known.contains(&permission.0.as_str())
                && !caller.has_permission(db, &permission.0, &resource).await?
            {
                return Err(Error::Forbidden(format!(
                    "who holds this role would be allowed {permission} without it: to change or delete it, you need that yourself"
                )));
            }
        }
    }
    Ok(())
}

/// Rejects permissions that the caller lacks for a role that members hold.
async fn reject_added_permissions(
    db: &mut Db,
    caller: &Caller,
    level: Level,
    before: &Role,
    after: &[Permission],
) -> Result<()> {
    if !roles::is_assigned(db, &before.id).await? {
        return Ok(());
    }
    let resource = Resource::of_level(level);
    for permission in after {
        if !before.permissions.contains(permission)
            && !caller.has_permission(db, &permission.0, &resource).await?
        {
            return Err(Error::Forbidden(format!(
                "members hold this role: to add {permission} to it, you need it yourself"
            )));
        }
    }
    Ok(())
}

async fn get_role(db: &mut Db, level: Level, id: &str) -> Result<Role> {
    let mut role = roles::get(db, level, id)
        .await?
        .ok_or_else(|| Error::not_found("Role", id))?;
    retain_known_permissions(&mut role, level);
    Ok(role)
}

/// Returns a role that can be changed.
async fn get_custom_role(db: &mut Db, level: Level, id: &str) -> Result<Role> {
    let role = get_role(db, level, id).await?;
    if role.kind == RoleType::System {
        return Err(Error::BadRequest(format!(
            "\"{}\" is a role of the service itself: it cannot be changed or deleted",
            role.name
        )));
    }
    Ok(role)
}

async fn reject_taken_name(db: &mut Db, level: Level, role: &Role) -> Result<()> {
    if roles::name_is_taken(db, level, &role.name, &role.id).await? {
        return Err(name_taken_error(role));
    }
    Ok(())
}

fn name_taken_error(role: &Role) -> Error {
    let level = if role.team_id.is_some() {
        "team"
    } else {
        "organization"
    };
    Error::BadRequest(format!(
        "a role named \"{}\" exists in this {level} already",
        role.name
    ))
}

/// Applies the properties of `body` to `role`. `null` removes a colour or description.
fn apply_changes(role: &mut Role, body: &JsonMap, level: Level, mut checks: Checks) -> Result<()> {
    let object = Object::new(body, "");
    let name = object
        .value("name")
        .and_then(Value::as_str)
        .map(|name| name.trim().to_owned());
    let color = object.text("color", &mut checks);
    if let Some(color) = color.filter(|color| !is_color(color)) {
        checks.report(
            "color",
            &json!(color),
            "isHexColor",
            "must be a colour like #1A2 or #1A2B3C",
        );
    }
    let description = object.text("description", &mut checks);
    for (key, text) in [("name", name.as_deref()), ("description", description)] {
        if text.is_some_and(|text| text.chars().count() > MAX_TEXT_CHARS) {
            let message = format!("must be at most {MAX_TEXT_CHARS} characters long");
            checks.report(key, &Value::Null, "maxLength", &message);
        }
    }
    let names = object.array("permissions", &mut checks);
    if body.get("permissions").is_some_and(Value::is_null) {
        checks.report("permissions", &Value::Null, "isArray", "must be an array");
    }
    let permissions = names.map(|names| read_permissions(names, level, &mut checks));
    object.log_unread();
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

/// Reads the permissions of a body with this key only.
fn permissions_from_body(body: &JsonMap, level: Level) -> Result<Vec<Permission>> {
    let mut checks = Checks::default();
    let object = Object::new(body, "");
    let value = object.value("permissions").unwrap_or(&Value::Null);
    let names = value.as_array();
    if names.is_none() {
        checks.report("permissions", value, "isArray", "must be an array");
    }
    object.log_unread();
    let permissions = read_permissions(names.map_or(&[], Vec::as_slice), level, &mut checks);
    checks.finish()?;
    Ok(permissions)
}

/// Reads the permissions of a query string.
fn permissions_from_query(query: &Query, level: Level) -> Result<Vec<Permission>> {
    let mut checks = Checks::default();
    // An absent parameter is an empty list.
    let names = query.list("permissions").into_iter().flatten();
    let names: Vec<Value> = names.map(Value::from).collect();
    let permissions = read_permissions(&names, level, &mut checks);
    checks.finish()?;
    Ok(permissions)
}

/// Parses the name of a permission of the level.
fn parse_permission(name: &str, level: Level) -> Result<Permission> {
    if permission_names(level).contains(&name) {
        return Ok(Permission(name.to_owned()));
    }
    let message = format!("is no permission of {} role", level_with_article(level));
    Err(Checks::error(
        "permission",
        &json!(name),
        "isEnum",
        &message,
    ))
}

/// Reads permissions in the order of the list, without duplicates.
fn read_permissions(names: &[Value], level: Level, checks: &mut Checks) -> Vec<Permission> {
    let mut permissions: Vec<Permission> = Vec::new();
    for value in names {
        let name = value
            .as_str()
            .filter(|name| permission_names(level).contains(name));
        let Some(name) = name else {
            let message = format!(
                "holds {value}, which is no permission of {} role",
                level_with_article(level)
            );
            checks.report("permissions", value, "isEnum", &message);
            // Report one error only: the list may be long.
            break;
        };
        let permission = Permission(name.to_owned());
        if !permissions.contains(&permission) {
            permissions.push(permission);
        }
    }
    permissions
}

fn permission_names(level: Level) -> &'static [&'static str] {
    match level {
        Level::Team(_) => &TEAM_PERMISSIONS,
        Level::Organization(_) => &ORGANIZATION_PERMISSIONS,
    }
}

fn level_with_article(level: Level) -> &'static str {
    match level {
        Level::Team(_) => "a team",
        Level::Organization(_) => "an organization",
    }
}
