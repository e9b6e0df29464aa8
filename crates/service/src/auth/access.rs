//! Authorization: rules of the operations and one check for all guarded operations.
//!
//! An operation is identified by its method and path, so a handler cannot use the rule of another
//! operation: [`crate::http::extract`] finds the rule of the route, checks the scope and passes the rule
//! to [`super::Caller`]. The handler only passes the [`Resource`] that the caller acts on.

use std::sync::OnceLock;

use serde::{Deserialize, Serialize};

use crate::error::{Error, Result};
use crate::store::Db;
use crate::store::bookings::actions::BookingSnapshot;
use crate::store::event_types::record::Owner;
use crate::store::people::accounts::{self, MembershipRole};
use crate::store::people::roles::{self, Level};

/// Authorization rule of one operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rule {
    /// HTTP method.
    pub method: &'static str,
    /// Path with its parameters in braces.
    pub path: &'static str,
    /// Scope that an access token needs; `None` if every token is accepted.
    pub scope: Option<&'static str>,
    /// Requirement for the caller.
    pub requirement: Requirement,
}

/// Requirement of an operation for its caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize)]
pub enum Requirement {
    /// Nothing: public, or the uid in the path is the capability.
    Nothing,
    /// Authentication. The operation acts on resources of the caller.
    Caller,
    /// This permission in the team.
    Team(&'static str),
    /// This permission in the organisation.
    Organization(&'static str),
    /// Ownership of the object, or this permission in its team or organisation.
    Owner(&'static str),
    /// Host of the booking or owner of its event type, or this permission in its team.
    Host(&'static str),
    /// The id and secret of the OAuth client in the path.
    Client,
}

/// Scope and requirement of an operation, declared with its handler.
#[derive(Clone, Copy, Debug, Deserialize, Serialize)]
pub struct Access {
    /// See [`Rule::scope`].
    #[serde(borrow)]
    pub scope: Option<&'static str>,
    /// See [`Rule::requirement`].
    pub requirement: Requirement,
}

/// Declares the access to an operation.
pub const fn access(scope: Option<&'static str>, requirement: Requirement) -> Access {
    Access { scope, requirement }
}

/// Resource that an operation acts on, reduced to the properties that determine access.
#[derive(Clone, Debug, Default)]
pub struct Resource {
    /// Ids of its owners or hosts.
    pub user_ids: Vec<i64>,
    /// Id of its team.
    pub team_id: Option<i64>,
    /// Id of its organisation; optional for resources of a team, whose organisation is looked up.
    pub organization_id: Option<i64>,
}

impl Resource {
    /// A booking: belongs to its hosts, the owner of its event type, and its team.
    pub fn of_booking(booking: &BookingSnapshot) -> Self {
        Self {
            user_ids: booking
                .host_ids
                .iter()
                .copied()
                .chain(booking.owner_id)
                .collect(),
            team_id: booking.team_id,
            organization_id: None,
        }
    }

    /// A resource of a single user.
    pub fn of_user(user_id: i64) -> Self {
        Self {
            user_ids: vec![user_id],
            ..Self::default()
        }
    }

    /// A resource of a team.
    pub fn of_team(team_id: i64) -> Self {
        Self {
            team_id: Some(team_id),
            ..Self::default()
        }
    }

    /// A resource of an organisation.
    pub fn of_organization(organization_id: i64) -> Self {
        Self {
            organization_id: Some(organization_id),
            ..Self::default()
        }
    }

    /// A resource of the owner of an event type.
    pub fn of_owner(owner: Owner) -> Self {
        match owner {
            Owner::User(id) => Self::of_user(id),
            Owner::Team(id) => Self::of_team(id),
        }
    }

    /// A resource of a team or an organisation.
    pub fn of_level(level: Level) -> Self {
        match level {
            Level::Team(id) => Self::of_team(id),
            Level::Organization(id) => Self::of_organization(id),
        }
    }
}

/// Rules of all operations of version 2, as declared with their handlers.
static RULES: OnceLock<Vec<Rule>> = OnceLock::new();

/// Sets the rules of all operations. Further calls have no effect: the declarations are
/// the same in the whole process.
pub fn set_rules(rules: Vec<Rule>) {
    let _ = RULES.set(rules);
}

/// Rules of all operations of version 2; empty before [`set_rules`].
pub fn rules() -> &'static [Rule] {
    RULES.get().map_or(&[], Vec::as_slice)
}

/// Returns the rule of a route. HEAD counts as GET.
pub fn rule(method: &str, path: &str) -> Option<&'static Rule> {
    let method = if method == "HEAD" { "GET" } else { method };
    rules()
        .iter()
        .find(|rule| rule.method == method && rule.path == path)
}

/// Checks that the user meets the requirement of `rule` for `resource`.
///
/// # Errors
///
/// [`Error::Forbidden`] if not.
pub async fn authorise(db: &mut Db, rule: &Rule, user_id: i64, resource: &Resource) -> Result<()> {
    let permission = match rule.requirement {
        // Client credentials were checked when they were read.
        Requirement::Nothing | Requirement::Client => return Ok(()),
        Requirement::Caller => {
            return if resource.user_ids.contains(&user_id) {
                Ok(())
            } else {
                Err(Error::Forbidden("only its owner may do this".into()))
            };
        }
        Requirement::Owner(_) | Requirement::Host(_) if resource.user_ids.contains(&user_id) => {
            return Ok(());
        }
        Requirement::Team(permission)
        | Requirement::Organization(permission)
        | Requirement::Owner(permission)
        | Requirement::Host(permission) => permission,
    };
    if has_permission(db, user_id, permission, resource).await? {
        Ok(())
    } else {
        Err(Error::Forbidden(format!(
            "this needs the permission {permission}"
        )))
    }
}

/// Returns true if the user has `permission` in the team or organisation of `resource`.
pub async fn has_permission(
    db: &mut Db,
    user_id: i64,
    permission: &str,
    resource: &Resource,
) -> Result<bool> {
    if accounts::is_service_admin(db, user_id).await? {
        return Ok(true);
    }
    let mut organization_id = resource.organization_id;
    if let Some(team_id) = resource.team_id {
        let team = accounts::team(db, team_id).await?;
        organization_id = organization_id.or(team.and_then(|team| team.organization_id));
        let level = Level::Team(team_id);
        if let Some(membership) = accounts::membership_rights(db, user_id, level).await? {
            let role_id = membership.role_id.as_deref();
            let role_id = role_id.unwrap_or(membership.role.system_role());
            if roles::allows(db, role_id, permission).await? {
                return Ok(true);
            }
        }
    }
    let Some(organization_id) = organization_id else {
        return Ok(false);
    };
    let level = Level::Organization(organization_id);
    let Some(membership) = accounts::membership_rights(db, user_id, level).await? else {
        return Ok(false);
    };
    // Admins and owners of the organisation have all permissions in its teams.
    if membership.role >= MembershipRole::Admin {
        return Ok(true);
    }
    let Some(role_id) = membership.role_id else {
        return Ok(false);
    };
    for name in [permission, of_organization(permission), "*.*"] {
        if roles::allows(db, &role_id, name).await? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Name of a team permission in roles of the organisation.
fn of_organization(permission: &str) -> &str {
    match permission {
        "booking.readTeamBookings" => "booking.readOrgBookings",
        "booking.readTeamAuditLogs" => "booking.readOrgAuditLogs",
        other => other,
    }
}
