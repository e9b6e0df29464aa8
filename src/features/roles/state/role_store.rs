//! Roles as last loaded, with their members.

use booking_ui::prelude::*;
use booking_wire::{MembershipRole, Permission, Role, RoleHolder, RoleType};

use super::super::requests::CHANGE_TIMEOUT_MS;
use super::context::RolesContext;
use crate::client::Abort;
use crate::client::query::Latest;

/// Roles as last loaded, with their members.
#[derive(Clone, Copy)]
pub(crate) struct RoleStore {
    pub(crate) query: Latest<Vec<Role>>,
    pub(crate) roles: RwSignal<Vec<Role>>,
    /// Members with their roles, if known.
    members: RwSignal<Option<Vec<RoleHolder>>>,
    /// Id of the current user, if known.
    user_id: RwSignal<Option<i64>>,
}

impl RoleStore {
    /// Creates a store without roles. `query` reads them.
    pub(crate) fn new(query: Latest<Vec<Role>>) -> Self {
        Self {
            query,
            roles: RwSignal::new(Vec::new()),
            members: RwSignal::new(None),
            user_id: RwSignal::new(None),
        }
    }

    /// Reads the roles again.
    pub(crate) fn reload(self) {
        self.query.reload();
    }

    /// Reads the members and their roles. Errors are ignored: this is not needed to change a role.
    pub(crate) fn read_members(self, context: RolesContext) {
        let Some(team_id) = context.path.team_id else {
            return;
        };
        let session = context.session();
        spawn_local(async move {
            let abort = || Abort::after(CHANGE_TIMEOUT_MS);
            let Ok(Some(members)) = session.members(team_id, abort()).await else {
                return;
            };
            self.members.set(Some(members));
            if let Ok(profile) = session.profile(abort()).await {
                self.user_id.set(Some(profile.id));
            }
        });
    }

    /// Number of members with a role; `None` if unknown.
    pub(crate) fn member_count(self, role: &Role) -> Option<usize> {
        let membership_roles = [
            MembershipRole::Owner,
            MembershipRole::Admin,
            MembershipRole::Member,
        ];
        let id = role.id.as_str();
        if is_locked(role) && !membership_roles.iter().any(|one| one.system_role() == id) {
            return None;
        }
        self.members.with(|members| {
            let has_role = |member: &&RoleHolder| member.role_id.as_deref() == Some(id);
            Some(members.as_ref()?.iter().filter(has_role).count())
        })
    }

    /// True if the current user is known to have the role.
    pub(crate) fn is_own(self, id: &str) -> bool {
        let user_id = self.user_id.get();
        self.members.with(|members| {
            let is_own = |member: &RoleHolder| {
                Some(member.user_id) == user_id && member.role_id.as_deref() == Some(id)
            };
            members
                .as_ref()
                .is_some_and(|members| members.iter().any(is_own))
        })
    }

    /// True if the current user is known not to have the role.
    pub(crate) fn is_of_others(self, id: &str) -> bool {
        let is_known = self.user_id.get().is_some() && self.members.with(Option::is_some);
        is_known && !self.is_own(id)
    }

    /// True if there is a role with `id`.
    pub(crate) fn contains(self, id: &str) -> bool {
        self.roles
            .with(|roles| roles.iter().any(|role| role.id == id))
    }

    /// Names of all roles but the one with `id`.
    pub(crate) fn taken_names(self, id: Option<&str>) -> Vec<String> {
        let is_other = |role: &Role| Some(role.id.as_str()) != id;
        self.roles.with(|roles| {
            let roles = roles.iter().filter(|role| is_other(role));
            roles.map(|role| role.name.clone()).collect()
        })
    }

    /// Updates or adds a role.
    pub(crate) fn put(self, role: Role) {
        self.roles.update(
            |roles| match roles.iter_mut().find(|known| known.id == role.id) {
                Some(known) => *known = role,
                None => roles.push(role),
            },
        );
    }

    /// Removes a role.
    pub(crate) fn remove(self, id: &str) {
        self.roles
            .update(|roles| roles.retain(|role| role.id != id));
    }

    /// Adds or removes permissions of a known role and leaves the others, since several changes may be
    /// pending.
    pub(crate) fn set_permissions(self, id: &str, names: &[String], is_granted: bool) {
        self.roles.update(|roles| {
            let Some(role) = roles.iter_mut().find(|role| role.id == id) else {
                return;
            };
            role.permissions
                .retain(|permission| is_granted || !names.contains(&permission.0));
            for name in names.iter().filter(|_| is_granted) {
                let is_known = |permission: &Permission| permission.0 == *name;
                if !role.permissions.iter().any(is_known) {
                    role.permissions.push(Permission(name.clone()));
                }
            }
        });
    }
}

/// True if a role is read-only.
pub(crate) fn is_locked(role: &Role) -> bool {
    role.kind == RoleType::System
}
