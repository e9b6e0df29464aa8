//! Roles of teams and of organisations.

use booking_rules::limits::MAX_PAGE_SIZE;
use booking_wire::{NewRole, Permission, PermissionList, Role, RoleChange, RoleHolder};
use gloo_net::http::Method;

use super::bookings::percent_encode;
use crate::client::dialect::VersionGroup;
use crate::client::error::ApiError;
use crate::client::http::abort::Abort;
use crate::client::http::{Call, Client};

/// Owner of the roles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RolesPath {
    /// Organisation.
    pub org_id: i64,
    /// Team in it; `None` for the organisation itself.
    pub team_id: Option<i64>,
}

impl RolesPath {
    /// Returns the path of its roles.
    fn roles(self) -> String {
        let mut path = String::from("/v2/organizations/");
        path.push_str(&self.org_id.to_string());
        if let Some(team_id) = self.team_id {
            path.push_str("/teams/");
            path.push_str(&team_id.to_string());
        }
        path.push_str("/roles");
        path
    }

    fn role(self, id: &str, suffix: &str) -> String {
        let mut path = self.roles();
        path.push('/');
        path.push_str(&percent_encode(id));
        path.push_str(suffix);
        path
    }
}

/// Roles or members of one page.
const PAGE_SIZE: usize = MAX_PAGE_SIZE as usize;
/// Limit of role pages: a service without pagination returns the first page for ever.
const MAX_PAGES: usize = 8;

fn get(path: String) -> Call {
    Call::get(VersionGroup::None, path, Vec::new())
}

impl Client {
    /// Loads all roles, including those of the system.
    pub async fn roles(&self, path: RolesPath, abort: Abort) -> Result<Vec<Role>, ApiError> {
        let mut roles: Vec<Role> = Vec::new();
        for page in 0..MAX_PAGES {
            let query = vec![
                ("take", PAGE_SIZE.to_string()),
                ("skip", (page * PAGE_SIZE).to_string()),
            ];
            let call = Call::get(VersionGroup::None, path.roles(), query);
            let mut more: Vec<Role> = self.data(call, &abort).await?;
            let is_last = more.len() < PAGE_SIZE;
            more.retain(|role| roles.iter().all(|known| known.id != role.id));
            roles.append(&mut more);
            if is_last {
                break;
            }
        }
        Ok(roles)
    }

    /// Loads a role.
    pub async fn role(&self, path: RolesPath, id: &str, abort: Abort) -> Result<Role, ApiError> {
        self.data(get(path.role(id, "")), &abort).await
    }

    /// Creates a role.
    pub async fn create_role(
        &self,
        path: RolesPath,
        role: NewRole,
        abort: Abort,
    ) -> Result<Role, ApiError> {
        let call = Call::post(VersionGroup::None, path.roles(), &role);
        self.data(call, &abort).await
    }

    /// Changes a role. Permissions in `change`, if there are any, replace the whole set.
    pub async fn change_role(
        &self,
        path: RolesPath,
        id: &str,
        change: RoleChange,
        abort: Abort,
    ) -> Result<Role, ApiError> {
        let call = Call::post(VersionGroup::None, path.role(id, ""), &change);
        self.data(call.with_method(Method::PATCH), &abort).await
    }

    /// Deletes a role.
    pub async fn delete_role(
        &self,
        path: RolesPath,
        id: &str,
        abort: Abort,
    ) -> Result<(), ApiError> {
        let call = get(path.role(id, "")).with_method(Method::DELETE);
        self.send(call, &abort).await.map(drop)
    }

    /// Adds permissions to a role.
    pub async fn add_permissions(
        &self,
        path: RolesPath,
        id: &str,
        permissions: Vec<Permission>,
        abort: Abort,
    ) -> Result<(), ApiError> {
        let body = PermissionList { permissions };
        let call = Call::post(VersionGroup::None, path.role(id, "/permissions"), &body);
        self.send(call, &abort).await.map(drop)
    }

    /// Removes permissions from a role. Those that it does not have are ignored.
    pub async fn remove_permissions(
        &self,
        path: RolesPath,
        id: &str,
        permissions: &[String],
        abort: Abort,
    ) -> Result<(), ApiError> {
        let query = permissions
            .iter()
            .map(|name| ("permissions", name.clone()))
            .collect();
        let path = path.role(id, "/permissions");
        let call = Call::get(VersionGroup::None, path, query).with_method(Method::DELETE);
        self.send(call, &abort).await.map(drop)
    }

    /// Loads the members of a team with their roles; `None` if role ids are missing or there is more than one
    /// page.
    pub async fn members(
        &self,
        team_id: i64,
        abort: Abort,
    ) -> Result<Option<Vec<RoleHolder>>, ApiError> {
        let mut path = String::from("/v2/teams/");
        path.push_str(&team_id.to_string());
        path.push_str("/memberships");
        let query = vec![("take", PAGE_SIZE.to_string())];
        let call = Call::get(VersionGroup::None, path, query);
        let members: Vec<RoleHolder> = self.data(call, &abort).await?;
        let is_complete =
            members.len() < PAGE_SIZE && members.iter().all(|member| member.role_id.is_some());
        Ok(is_complete.then_some(members))
    }
}
