//! Requirements between permissions, with reasons. No DOM.
//!
//! The API has no such rules: it accepts a role with update but without read access, which does not
//! work. They are data here, for teams and organisations alike.

/// Reason for a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DependencyReason {
    /// A resource that is worked with must be readable.
    ReadAccess,
    /// A member is chosen from the member list.
    MemberList,
    /// A role is chosen from the list of roles.
    RoleList,
}

/// Actions that require read access to the same resource.
const WRITES: [&str; 3] = ["create", "update", "delete"];

/// Permission, requirement and reason. [`WRITES`] adds a rule for each resource with `read`.
const RULES: [(&str, &str, DependencyReason); 24] = [
    ("team.invite", "team.read", DependencyReason::ReadAccess),
    (
        "team.listMembers",
        "team.read",
        DependencyReason::ReadAccess,
    ),
    (
        "team.listMembersPrivate",
        "team.listMembers",
        DependencyReason::ReadAccess,
    ),
    (
        "team.remove",
        "team.listMembers",
        DependencyReason::MemberList,
    ),
    (
        "team.impersonate",
        "team.listMembers",
        DependencyReason::MemberList,
    ),
    (
        "team.changeMemberRole",
        "team.listMembers",
        DependencyReason::MemberList,
    ),
    (
        "team.changeMemberRole",
        "role.read",
        DependencyReason::RoleList,
    ),
    (
        "booking.readTeamBookings",
        "booking.read",
        DependencyReason::ReadAccess,
    ),
    (
        "booking.readOrgBookings",
        "booking.read",
        DependencyReason::ReadAccess,
    ),
    (
        "booking.readRecordings",
        "booking.read",
        DependencyReason::ReadAccess,
    ),
    (
        "booking.readTeamAuditLogs",
        "booking.readTeamBookings",
        DependencyReason::ReadAccess,
    ),
    (
        "booking.readOrgAuditLogs",
        "booking.readOrgBookings",
        DependencyReason::ReadAccess,
    ),
    (
        "organization.listMembers",
        "organization.read",
        DependencyReason::ReadAccess,
    ),
    (
        "organization.listMembersPrivate",
        "organization.listMembers",
        DependencyReason::ReadAccess,
    ),
    (
        "organization.invite",
        "organization.read",
        DependencyReason::ReadAccess,
    ),
    (
        "organization.manageBilling",
        "organization.read",
        DependencyReason::ReadAccess,
    ),
    (
        "organization.remove",
        "organization.listMembers",
        DependencyReason::MemberList,
    ),
    (
        "organization.impersonate",
        "organization.listMembers",
        DependencyReason::MemberList,
    ),
    (
        "organization.passwordReset",
        "organization.listMembers",
        DependencyReason::MemberList,
    ),
    (
        "organization.changeMemberRole",
        "organization.listMembers",
        DependencyReason::MemberList,
    ),
    (
        "organization.changeMemberRole",
        "role.read",
        DependencyReason::RoleList,
    ),
    (
        "organization.attributes.read",
        "organization.read",
        DependencyReason::ReadAccess,
    ),
    (
        "organization.attributes.editUsers",
        "organization.attributes.read",
        DependencyReason::ReadAccess,
    ),
    (
        "organization.attributes.editUsers",
        "organization.listMembers",
        DependencyReason::MemberList,
    ),
];

/// Direct requirements of `name` among `known`.
fn direct_requirements<'known>(
    name: &'known str,
    known: &'known [&'static str],
) -> impl Iterator<Item = (&'static str, DependencyReason)> + 'known {
    let resource_of_write = name
        .rsplit_once('.')
        .filter(|(_, action)| WRITES.contains(action))
        .map(|(resource, _)| resource);
    let read_rules = known.iter().copied().filter(move |other| {
        other.strip_suffix(".read") == resource_of_write && resource_of_write.is_some()
    });
    let other_rules = RULES
        .into_iter()
        .filter(move |(permission, required, _)| *permission == name && known.contains(required));
    read_rules
        .map(|required| (required, DependencyReason::ReadAccess))
        .chain(other_rules.map(|(_, required, reason)| (required, reason)))
}

/// Permission added or removed with another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionDependency {
    /// Added or removed one.
    pub name: String,
    /// Its dependant or requirement.
    pub related: String,
    /// Reason for it.
    pub reason: DependencyReason,
}

/// Requirements of `names` that are missing in `granted`, in order of discovery.
pub fn missing_requirements(
    names: &[String],
    granted: &[String],
    known: &[&'static str],
) -> Vec<PermissionDependency> {
    let mut found: Vec<PermissionDependency> = Vec::new();
    let mut checked: Vec<String> = names.to_vec();
    let mut position = 0;
    while let Some(name) = checked.get(position).cloned() {
        position += 1;
        for (required, reason) in direct_requirements(&name, known) {
            if checked.iter().any(|checked| checked == required) {
                continue;
            }
            checked.push(required.to_owned());
            if !granted.iter().any(|granted| granted == required) {
                found.push(PermissionDependency {
                    name: required.to_owned(),
                    related: name.clone(),
                    reason,
                });
            }
        }
    }
    found
}

/// Dependants of `names` in `granted`, in order of discovery.
pub fn dependants(
    names: &[String],
    granted: &[String],
    known: &[&'static str],
) -> Vec<PermissionDependency> {
    let mut found: Vec<PermissionDependency> = Vec::new();
    let mut removed: Vec<String> = names.to_vec();
    let mut position = 0;
    while let Some(requirement) = removed.get(position).cloned() {
        position += 1;
        for name in granted {
            let rule =
                direct_requirements(name, known).find(|(required, _)| *required == requirement);
            let Some((_, reason)) = rule.filter(|_| !removed.contains(name)) else {
                continue;
            };
            removed.push(name.clone());
            found.push(PermissionDependency {
                name: name.clone(),
                related: requirement.clone(),
                reason,
            });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use booking_wire::{ORGANIZATION_PERMISSIONS, TEAM_PERMISSIONS};

    use super::*;

    fn owned(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn names(found: Vec<PermissionDependency>) -> Vec<String> {
        found
            .into_iter()
            .map(|dependency| dependency.name)
            .collect()
    }

    #[test]
    fn rules_name_known_permissions_once() {
        let is_known = |name: &str| {
            TEAM_PERMISSIONS.contains(&name) || ORGANIZATION_PERMISSIONS.contains(&name)
        };
        for (name, required, _) in RULES {
            assert!(is_known(name), "{name}");
            assert!(is_known(required), "{required}");
            let twice = RULES
                .iter()
                .filter(|rule| (rule.0, rule.1) == (name, required));
            assert_eq!(twice.count(), 1, "{name} {required}");
        }
    }

    #[test]
    fn requirements_never_include_permission_itself() {
        for known in [&TEAM_PERMISSIONS[..], &ORGANIZATION_PERMISSIONS[..]] {
            for name in known {
                let required = names(missing_requirements(&owned(&[name]), &[], known));
                assert!(!required.iter().any(|required| required == name), "{name}");
            }
        }
    }

    #[test]
    fn write_permission_requires_read_permission() {
        for (name, required) in [
            ("webhook.delete", vec!["webhook.read"]),
            ("booking.update", vec!["booking.read"]),
            ("featureOptIn.update", vec!["featureOptIn.read"]),
            ("webhook.read", vec![]),
            ("insights.read", vec![]),
            // Unknown permissions have no rules.
            ("watchlist.create", vec![]),
            ("odd", vec![]),
        ] {
            let found = names(missing_requirements(
                &owned(&[name]),
                &[],
                &TEAM_PERMISSIONS,
            ));
            assert_eq!(found, required, "{name}");
        }
        let found = missing_requirements(
            &owned(&["watchlist.create"]),
            &[],
            &ORGANIZATION_PERMISSIONS,
        );
        assert_eq!(names(found), ["watchlist.read"]);
    }

    #[test]
    fn requirements_are_transitive_with_reasons() {
        let found =
            missing_requirements(&owned(&["team.changeMemberRole"]), &[], &TEAM_PERMISSIONS);
        let found: Vec<(&str, &str, DependencyReason)> = found
            .iter()
            .map(|dependency| {
                (
                    dependency.name.as_str(),
                    dependency.related.as_str(),
                    dependency.reason,
                )
            })
            .collect();
        assert_eq!(
            found,
            [
                (
                    "team.listMembers",
                    "team.changeMemberRole",
                    DependencyReason::MemberList
                ),
                (
                    "role.read",
                    "team.changeMemberRole",
                    DependencyReason::RoleList
                ),
                (
                    "team.read",
                    "team.listMembers",
                    DependencyReason::ReadAccess
                ),
            ]
        );
        // Only missing ones, also requirements of a granted permission.
        let granted = owned(&["team.listMembers"]);
        let found = missing_requirements(&owned(&["team.remove"]), &granted, &TEAM_PERMISSIONS);
        assert_eq!(names(found), ["team.read"]);
    }

    #[test]
    fn dependants_of_removed_permission_are_removed() {
        let granted = owned(&[
            "team.read",
            "team.remove",
            "booking.read",
            "team.listMembers",
            "role.update",
        ]);
        let found = dependants(&owned(&["team.read"]), &granted, &TEAM_PERMISSIONS);
        assert_eq!(names(found), ["team.listMembers", "team.remove"]);
        let found = dependants(&owned(&["role.update"]), &granted, &TEAM_PERMISSIONS);
        assert!(found.is_empty());
    }
}
