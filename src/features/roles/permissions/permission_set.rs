//! Permissions of an edited role: each tick keeps their requirements satisfied. No DOM.

use booking_wire::{ORGANIZATION_PERMISSIONS, Permission, TEAM_PERMISSIONS};

use super::dependencies::{PermissionDependency, dependants, missing_requirements};
use crate::components::TriState;

/// Scope of a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoleScope {
    /// A team.
    Team,
    /// An organisation.
    Organization,
}

impl RoleScope {
    /// Permissions that a role may have, in API order.
    pub fn known(self) -> &'static [&'static str] {
        match self {
            Self::Team => &TEAM_PERMISSIONS,
            Self::Organization => &ORGANIZATION_PERMISSIONS,
        }
    }
}

/// Permission for everything, now and in future.
pub const EVERYTHING: &str = "*.*";

/// Permissions of a role. Unknown ones of a newer service are kept unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionSet {
    scope: RoleScope,
    names: Vec<String>,
    /// Those ticked by the user; the others are requirements.
    explicit: Vec<String>,
}

/// Permissions added or removed with a ticked one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImpliedChanges {
    /// Added requirements.
    pub added: Vec<PermissionDependency>,
    /// Removed dependants.
    pub removed: Vec<PermissionDependency>,
}

impl PermissionSet {
    /// Holds each of `permissions` once.
    pub fn new(scope: RoleScope, permissions: &[Permission]) -> Self {
        let mut names: Vec<String> = Vec::new();
        for permission in permissions {
            if !names.contains(&permission.0) {
                names.push(permission.0.clone());
            }
        }
        Self {
            scope,
            explicit: names.clone(),
            names,
        }
    }

    /// Scope of the role.
    pub fn scope(&self) -> RoleScope {
        self.scope
    }

    /// True if it contains `name`.
    pub fn has(&self, name: &str) -> bool {
        self.names.iter().any(|known| known == name)
    }

    /// Number of permissions.
    pub fn count(&self) -> usize {
        self.names.len()
    }

    /// Permissions unknown to this version.
    pub fn unknown(&self) -> impl Iterator<Item = &str> {
        let known = self.scope.known();
        let names = self.names.iter().map(String::as_str);
        names.filter(move |name| !known.contains(name))
    }

    /// Number of permissions that differ.
    pub fn difference_count(&self, other: &Self) -> usize {
        let count_missing = |one: &Self, other: &Self| {
            let names = one.names.iter();
            names.filter(|name| !other.has(name)).count()
        };
        count_missing(self, other) + count_missing(other, self)
    }

    /// None, some or all of `names`.
    pub fn tri_state(&self, names: &[&str]) -> TriState {
        match names.iter().filter(|name| self.has(name)).count() {
            0 => TriState::None,
            count if count == names.len() => TriState::All,
            _ => TriState::Some,
        }
    }

    /// Adds `names` with their requirements, or removes them with their dependants. Returns the side
    /// effects.
    pub fn set(&mut self, names: &[&str], is_granted: bool) -> ImpliedChanges {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let known = self.scope.known();
        if is_granted {
            let added = missing_requirements(&names, &self.names, known);
            // A ticked name counts as ticked, even if required before.
            let added: Vec<PermissionDependency> = added
                .into_iter()
                .filter(|dependency| !names.contains(&dependency.name))
                .collect();
            for name in &names {
                push_once(&mut self.names, name);
                push_once(&mut self.explicit, name);
            }
            for dependency in &added {
                push_once(&mut self.names, &dependency.name);
            }
            return ImpliedChanges {
                added,
                removed: Vec::new(),
            };
        }
        let removed = dependants(&names, &self.names, known);
        let removed: Vec<PermissionDependency> = removed
            .into_iter()
            .filter(|dependency| !names.contains(&dependency.name))
            .collect();
        let is_gone = |name: &String| {
            names.contains(name) || removed.iter().any(|dependency| dependency.name == *name)
        };
        self.names.retain(|name| !is_gone(name));
        self.explicit.retain(|name| !is_gone(name));
        ImpliedChanges {
            added: Vec::new(),
            removed,
        }
    }

    /// Replaces all but unknown permissions by `names` with requirements.
    pub fn replace(&mut self, names: &[&str]) {
        let unknown: Vec<String> = self.unknown().map(str::to_owned).collect();
        self.names = unknown.clone();
        self.explicit = unknown;
        self.set(names, true);
    }

    /// Missing requirements: roles created elsewhere may lack them.
    pub fn missing_requirements(&self) -> Vec<PermissionDependency> {
        if self.has(EVERYTHING) {
            return Vec::new();
        }
        missing_requirements(&self.names, &self.names, self.scope.known())
    }

    /// Adds missing requirements.
    pub fn add_missing_requirements(&mut self) {
        for dependency in self.missing_requirements() {
            push_once(&mut self.names, &dependency.name);
        }
    }

    /// Adds `names` as requirements.
    pub fn add_implied(&mut self, names: &[&str]) {
        for name in names {
            push_once(&mut self.names, name);
        }
    }

    /// Permissions to send: in API order, then unknown ones.
    pub fn to_permissions(&self) -> Vec<Permission> {
        let known = self.scope.known().iter().copied();
        let known = known.filter(|name| self.has(name));
        known
            .chain(self.unknown())
            .map(|name| Permission(name.to_owned()))
            .collect()
    }

    /// Difference from `before`.
    pub fn difference_from(&self, before: &[Permission]) -> Difference {
        let was_granted = |name: &str| before.iter().any(|permission| permission.0 == name);
        let mut difference = Difference::default();
        for permission in self.to_permissions() {
            if was_granted(&permission.0) {
                continue;
            }
            if self.explicit.contains(&permission.0) {
                difference.added.push(permission.0);
            } else {
                difference.implied.push(permission.0);
            }
        }
        for permission in before {
            if !self.has(&permission.0) && !difference.removed.contains(&permission.0) {
                difference.removed.push(permission.0.clone());
            }
        }
        difference
    }
}

fn push_once(names: &mut Vec<String>, name: &str) {
    if !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

/// Changed permissions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Ticked ones.
    pub added: Vec<String>,
    /// Requirements of ticked ones.
    pub implied: Vec<String>,
    /// Removed ones.
    pub removed: Vec<String>,
}

impl Difference {
    /// True if nothing changes.
    pub fn is_empty(&self) -> bool {
        self.added.is_empty() && self.implied.is_empty() && self.removed.is_empty()
    }
}

/// Access level of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessLevel {
    /// No access.
    None,
    /// Read access only.
    Read,
    /// Read access to the bookings of others too.
    Others,
    /// Bookings of others, and what their hosts do with them.
    OthersConfirm,
    /// Full access.
    Full,
    /// Any other combination.
    Mixed,
}

impl AccessLevel {
    /// Those of `names`, all permissions of a resource, that the level has; `None` if there is no such level.
    fn permissions<'a>(self, names: &[&'a str]) -> Option<Vec<&'a str>> {
        let is_of_others = |name: &str| name.ends_with("Bookings");
        let has_others = names.iter().any(|name| is_of_others(name));
        let is_included = move |name: &&str| match self {
            Self::None | Self::Mixed => false,
            Self::Read => name.ends_with(".read"),
            Self::Others => name.ends_with(".read") || is_of_others(name),
            Self::OthersConfirm => !name.ends_with("AuditLogs"),
            Self::Full => true,
        };
        let is_level = match self {
            Self::Mixed => false,
            Self::Others | Self::OthersConfirm => has_others,
            _ => true,
        };
        is_level.then(|| names.iter().copied().filter(is_included).collect())
    }
}

impl PermissionSet {
    /// Access level of a resource with these permissions.
    pub fn access_level(&self, names: &[&str]) -> AccessLevel {
        let granted: Vec<&str> = names
            .iter()
            .copied()
            .filter(|name| self.has(name))
            .collect();
        let levels = [
            AccessLevel::None,
            AccessLevel::Full,
            AccessLevel::Read,
            AccessLevel::Others,
            AccessLevel::OthersConfirm,
        ];
        let mut levels = levels.into_iter();
        let found = levels.find(|level| level.permissions(names).as_ref() == Some(&granted));
        found.unwrap_or(AccessLevel::Mixed)
    }

    /// Sets the access level of these permissions.
    pub fn set_access_level(
        &mut self,
        names: &[&str],
        access_level: AccessLevel,
    ) -> ImpliedChanges {
        let Some(granted) = access_level.permissions(names) else {
            return ImpliedChanges::default();
        };
        let mut others = names.to_vec();
        others.retain(|name| !granted.contains(name));
        let ImpliedChanges { removed, .. } = self.set(&others, false);
        let ImpliedChanges { added, .. } = self.set(&granted, true);
        ImpliedChanges { added, removed }
    }
}

#[cfg(test)]
mod tests;
