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
    /// Full access.
    Full,
    /// Any other combination.
    Mixed,
}

impl PermissionSet {
    /// Access level of a resource with these permissions.
    pub fn access_level(&self, names: &[&str]) -> AccessLevel {
        match self.tri_state(names) {
            TriState::None => AccessLevel::None,
            TriState::All => AccessLevel::Full,
            TriState::Some => {
                let is_read = |name: &&&str| self.has(name) == name.ends_with(".read");
                if names.iter().all(|name| is_read(&name)) {
                    AccessLevel::Read
                } else {
                    AccessLevel::Mixed
                }
            }
        }
    }

    /// Sets the access level of these permissions.
    pub fn set_access_level(
        &mut self,
        names: &[&str],
        access_level: AccessLevel,
    ) -> ImpliedChanges {
        match access_level {
            AccessLevel::Mixed => ImpliedChanges::default(),
            AccessLevel::None => self.set(names, false),
            AccessLevel::Full => self.set(names, true),
            AccessLevel::Read => {
                let (read, others): (Vec<&str>, Vec<&str>) =
                    names.iter().partition(|name| name.ends_with(".read"));
                let ImpliedChanges { removed, .. } = self.set(&others, false);
                let ImpliedChanges { added, .. } = self.set(&read, true);
                ImpliedChanges { added, removed }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn permissions(names: &[&str]) -> Vec<Permission> {
        names
            .iter()
            .map(|name| Permission((*name).to_owned()))
            .collect()
    }

    fn names(permission_set: &PermissionSet) -> Vec<String> {
        permission_set
            .to_permissions()
            .into_iter()
            .map(|permission| permission.0)
            .collect()
    }

    /// Reproducible pseudo-random numbers.
    struct Random(u64);

    impl Random {
        fn below(&mut self, limit: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 % limit as u64) as usize
        }
    }

    /// True if no requirement is missing.
    fn is_closed(permission_set: &PermissionSet) -> bool {
        permission_set.missing_requirements().is_empty()
    }

    #[test]
    fn random_changes_keep_requirements_and_unknown_permissions() {
        for scope in [RoleScope::Team, RoleScope::Organization] {
            let known = scope.known();
            let mut random = Random(0x9E37_79B9_7F4A_7C15);
            for _ in 0..300 {
                let unknown = permissions(&["space.fly", "odd"]);
                let mut permission_set = PermissionSet::new(scope, &unknown);
                for _ in 0..25 {
                    let count = 1 + random.below(3);
                    let ticked: Vec<&str> = (0..count)
                        .map(|_| known[random.below(known.len())])
                        .collect();
                    let before = permission_set.clone();
                    let is_granted = random.below(2) == 0;
                    let implied = permission_set.set(&ticked, is_granted);
                    assert!(
                        is_closed(&permission_set),
                        "{ticked:?} {is_granted}: {permission_set:?}"
                    );
                    for name in &ticked {
                        assert_eq!(permission_set.has(name), is_granted, "{name}");
                    }
                    assert!(permission_set.has("space.fly") && permission_set.has("odd"));
                    // Other changes are exactly the reported side effects.
                    let reported: Vec<&String> = implied
                        .added
                        .iter()
                        .chain(&implied.removed)
                        .map(|dependency| &dependency.name)
                        .collect();
                    for name in known {
                        let has_changed = before.has(name) != permission_set.has(name);
                        let is_reported = reported.iter().any(|reported| reported == name);
                        if !ticked.contains(name) {
                            assert_eq!(has_changed, is_reported, "{name} of {ticked:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn removal_removes_only_dependants() {
        let known = RoleScope::Team.known();
        let mut random = Random(0x1234_5678_9ABC_DEF1);
        for _ in 0..500 {
            let mut permission_set = PermissionSet::new(RoleScope::Team, &[]);
            for _ in 0..8 {
                permission_set.set(&[known[random.below(known.len())]], true);
            }
            let before = names(&permission_set);
            let Some(name) = before.get(random.below(before.len().max(1))).cloned() else {
                continue;
            };
            let implied = permission_set.set(&[&name], false);
            // Keeping any removed dependant would leave a requirement missing.
            for dependency in &implied.removed {
                let mut kept = permission_set.clone();
                kept.names.push(dependency.name.clone());
                assert!(
                    kept.missing_requirements().iter().any(|dependency| {
                        dependency.name == name
                            || implied
                                .removed
                                .iter()
                                .any(|other| other.name == dependency.name)
                    }),
                    "{dependency:?} removed with {name} for nothing"
                );
            }
        }
    }

    #[test]
    fn difference_applied_to_old_set_gives_new_set() {
        let known = RoleScope::Organization.known();
        let mut random = Random(0xDEAD_BEEF_CAFE_F00D);
        for _ in 0..300 {
            let mut permission_set =
                PermissionSet::new(RoleScope::Organization, &permissions(&["space.fly"]));
            for _ in 0..6 {
                permission_set.set(&[known[random.below(known.len())]], true);
            }
            let before = permission_set.to_permissions();
            for _ in 0..6 {
                permission_set.set(&[known[random.below(known.len())]], random.below(2) == 0);
            }
            let difference = permission_set.difference_from(&before);
            let mut expected: Vec<String> = before
                .iter()
                .map(|permission| permission.0.clone())
                .filter(|name| !difference.removed.contains(name))
                .chain(difference.added)
                .chain(difference.implied)
                .collect();
            let mut sent = names(&permission_set);
            expected.sort();
            sent.sort();
            assert_eq!(sent, expected);
        }
    }

    #[test]
    fn difference_separates_explicit_and_implied_permissions() {
        let mut permission_set =
            PermissionSet::new(RoleScope::Team, &permissions(&["booking.read"]));
        permission_set.set(&["team.remove"], true);
        permission_set.set(&["booking.read"], false);
        let difference = permission_set.difference_from(&permissions(&["booking.read"]));
        assert_eq!(difference.added, ["team.remove"]);
        assert_eq!(difference.implied, ["team.read", "team.listMembers"]);
        assert_eq!(difference.removed, ["booking.read"]);
        // Ticked later, it counts as ticked.
        permission_set.set(&["team.read"], true);
        assert_eq!(
            permission_set.difference_from(&[]).implied,
            ["team.listMembers"]
        );
    }

    #[test]
    fn missing_requirements_are_added_on_request_only() {
        let mut permission_set = PermissionSet::new(
            RoleScope::Team,
            &permissions(&["webhook.update", "webhook.update"]),
        );
        assert_eq!(names(&permission_set), ["webhook.update"]);
        assert_eq!(permission_set.missing_requirements().len(), 1);
        permission_set.add_missing_requirements();
        assert!(is_closed(&permission_set));
        assert_eq!(
            permission_set
                .difference_from(&permissions(&["webhook.update"]))
                .implied,
            ["webhook.read"]
        );
    }

    #[test]
    fn wildcard_permission_has_no_missing_requirements() {
        let permission_set = PermissionSet::new(
            RoleScope::Organization,
            &permissions(&["*.*", "webhook.update"]),
        );
        assert!(permission_set.missing_requirements().is_empty());
    }

    #[test]
    fn access_level_is_set_and_returned() {
        let webhook = [
            "webhook.create",
            "webhook.read",
            "webhook.update",
            "webhook.delete",
        ];
        let mut permission_set = PermissionSet::new(RoleScope::Team, &[]);
        for access_level in [
            AccessLevel::Read,
            AccessLevel::Full,
            AccessLevel::None,
            AccessLevel::Full,
            AccessLevel::Read,
        ] {
            permission_set.set_access_level(&webhook, access_level);
            assert_eq!(permission_set.access_level(&webhook), access_level);
        }
        permission_set.set(&["webhook.update"], true);
        assert_eq!(permission_set.access_level(&webhook), AccessLevel::Mixed);
        permission_set.set_access_level(&webhook, AccessLevel::Mixed);
        assert_eq!(permission_set.access_level(&webhook), AccessLevel::Mixed);
        // Dependants elsewhere are removed too.
        permission_set.set(&["team.changeMemberRole"], true);
        let role = ["role.create", "role.read", "role.update", "role.delete"];
        let implied = permission_set.set_access_level(&role, AccessLevel::None);
        assert_eq!(implied.removed.len(), 1);
        assert!(!permission_set.has("team.changeMemberRole"));
        // With one permission, read is all.
        assert_eq!(
            permission_set.access_level(&["insights.read"]),
            AccessLevel::None
        );
        permission_set.set_access_level(&["insights.read"], AccessLevel::Read);
        assert_eq!(
            permission_set.access_level(&["insights.read"]),
            AccessLevel::Full
        );
    }

    #[test]
    fn replacement_keeps_unknown_permissions() {
        let mut permission_set = PermissionSet::new(
            RoleScope::Team,
            &permissions(&["space.fly", "webhook.read"]),
        );
        permission_set.replace(&["booking.update"]);
        assert_eq!(
            names(&permission_set),
            ["booking.read", "booking.update", "space.fly"]
        );
    }
}
