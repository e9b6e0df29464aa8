//! Team roles.

use booking_wire::{NewRole, Role};

use super::abort::Abort;
use super::client::{Call, Client};
use super::dialect::VersionGroup;
use super::error::ApiError;

impl Client {
    /// The roles of a team, those of the system included.
    pub async fn roles(
        &self,
        org_id: i64,
        team_id: i64,
        abort: Abort,
    ) -> Result<Vec<Role>, ApiError> {
        self.data(
            Call::get(VersionGroup::None, roles_path(org_id, team_id), Vec::new()),
            &abort,
        )
        .await
    }

    /// Makes a role.
    pub async fn create_role(
        &self,
        org_id: i64,
        team_id: i64,
        role: NewRole,
        abort: Abort,
    ) -> Result<Role, ApiError> {
        self.data(
            Call::post(VersionGroup::None, roles_path(org_id, team_id), &role),
            &abort,
        )
        .await
    }
}

fn roles_path(org_id: i64, team_id: i64) -> String {
    format!("/v2/organizations/{org_id}/teams/{team_id}/roles")
}
