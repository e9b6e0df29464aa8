//! Roles of teams and of organisations (contract 3.2).

use booking_wire::{
    Fields, NewRole, Permission, PermissionList, Read, Role, RoleChange, RoleHolder,
};
use gloo_net::http::Method;
use serde_json::Value;

use super::abort::Abort;
use super::bookings::encoded;
use super::client::{Call, Client};
use super::dialect::VersionGroup;
use super::error::ApiError;

/// Whose roles they are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RolesPath {
    /// The organisation.
    pub org_id: i64,
    /// The team in it; the organisation itself if there is none.
    pub team_id: Option<i64>,
}

impl RolesPath {
    /// Where its roles are.
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

    fn role(self, id: &str, rest: &str) -> String {
        let mut path = self.roles();
        path.push('/');
        path.push_str(&encoded(id));
        path.push_str(rest);
        path
    }
}

/// What is read of the caller's profile.
struct Caller(i64);

impl Read for Caller {
    fn read(value: &Value) -> Option<Self> {
        Fields::of(value)?.get("id").map(Self)
    }
}

/// The longest page that services give.
const PAGE: usize = 250;
/// More pages of roles are not asked for: a service that knows no pages gives the first for ever.
const MOST_PAGES: usize = 8;

fn get(path: String) -> Call {
    Call::get(VersionGroup::None, path, Vec::new())
}

impl Client {
    /// All roles, those of the system included.
    pub async fn roles(&self, path: RolesPath, abort: Abort) -> Result<Vec<Role>, ApiError> {
        let mut roles: Vec<Role> = Vec::new();
        for page in 0..MOST_PAGES {
            let query = vec![
                ("take", PAGE.to_string()),
                ("skip", (page * PAGE).to_string()),
            ];
            let call = Call::get(VersionGroup::None, path.roles(), query);
            let mut more: Vec<Role> = self.data(call, &abort).await?;
            let is_last = more.len() < PAGE;
            more.retain(|role| roles.iter().all(|known| known.id != role.id));
            roles.append(&mut more);
            if is_last {
                break;
            }
        }
        Ok(roles)
    }

    /// A role as it is now.
    pub async fn role(&self, path: RolesPath, id: &str, abort: Abort) -> Result<Role, ApiError> {
        self.data(get(path.role(id, "")), &abort).await
    }

    /// Makes a role.
    pub async fn create_role(
        &self,
        path: RolesPath,
        role: NewRole,
        abort: Abort,
    ) -> Result<Role, ApiError> {
        let call = Call::post(VersionGroup::None, path.roles(), &role);
        self.data(call, &abort).await
    }

    /// Changes a role. Permissions, if there are any in `change`, replace the whole set.
    pub async fn change_role(
        &self,
        path: RolesPath,
        id: &str,
        change: RoleChange,
        abort: Abort,
    ) -> Result<Role, ApiError> {
        let call = Call::post(VersionGroup::None, path.role(id, ""), &change);
        self.data(call.by(Method::PATCH), &abort).await
    }

    /// Deletes a role.
    pub async fn delete_role(
        &self,
        path: RolesPath,
        id: &str,
        abort: Abort,
    ) -> Result<(), ApiError> {
        let call = get(path.role(id, "")).by(Method::DELETE);
        self.send(call, &abort).await.map(drop)
    }

    /// Adds to what a role allows.
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

    /// Takes away from what a role allows. What it does not allow is ignored.
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
        let call = Call::get(VersionGroup::None, path, query).by(Method::DELETE);
        self.send(call, &abort).await.map(drop)
    }

    /// Who holds which role of a team; `None` if the service does not tell it, or not in one page.
    pub async fn members(
        &self,
        team_id: i64,
        abort: Abort,
    ) -> Result<Option<Vec<RoleHolder>>, ApiError> {
        let mut path = String::from("/v2/teams/");
        path.push_str(&team_id.to_string());
        path.push_str("/memberships");
        let query = vec![("take", PAGE.to_string())];
        let call = Call::get(VersionGroup::None, path, query);
        let members: Vec<RoleHolder> = self.data(call, &abort).await?;
        let is_told = members.len() < PAGE && members.iter().all(|member| member.role_id.is_some());
        Ok(is_told.then_some(members))
    }

    /// The number of whoever is calling.
    pub async fn my_id(&self, abort: Abort) -> Result<i64, ApiError> {
        let Caller(id) = self.data(get("/v2/me".to_owned()), &abort).await?;
        Ok(id)
    }
}
