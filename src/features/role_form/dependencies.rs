//! Requirements between permissions, with reasons. No DOM.
//!
//! The API has no such rules: it accepts a role with update but without read access, which does not
//! work. They are data here, for teams and organisations alike.

/// Reason for a requirement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DependencyReason {
    /// Creating and changing require read access.
    SeeFirst,
    /// Parent resource must be readable.
    Inside,
    /// A member is chosen from the member list.
    Members,
    /// A role is chosen from the list of roles.
    Roles,
    /// Extension of the other permission.
    More,
}

/// Actions that require read access to the same resource.
const WRITES: [&str; 3] = ["create", "update", "delete"];

/// Permission, requirement and reason. [`WRITES`] adds a rule for each resource with `read`.
const RULES: [(&str, &str, DependencyReason); 24] = [
    ("team.invite", "team.read", DependencyReason::Inside),
    ("team.listMembers", "team.read", DependencyReason::Inside),
    (
        "team.listMembersPrivate",
        "team.listMembers",
        DependencyReason::More,
    ),
    ("team.remove", "team.listMembers", DependencyReason::Members),
    (
        "team.impersonate",
        "team.listMembers",
        DependencyReason::Members,
    ),
    (
        "team.changeMemberRole",
        "team.listMembers",
        DependencyReason::Members,
    ),
    (
        "team.changeMemberRole",
        "role.read",
        DependencyReason::Roles,
    ),
    (
        "booking.readTeamBookings",
        "booking.read",
        DependencyReason::More,
    ),
    (
        "booking.readOrgBookings",
        "booking.read",
        DependencyReason::More,
    ),
    (
        "booking.readRecordings",
        "booking.read",
        DependencyReason::More,
    ),
    (
        "booking.readTeamAuditLogs",
        "booking.readTeamBookings",
        DependencyReason::More,
    ),
    (
        "booking.readOrgAuditLogs",
        "booking.readOrgBookings",
        DependencyReason::More,
    ),
    (
        "organization.listMembers",
        "organization.read",
        DependencyReason::Inside,
    ),
    (
        "organization.listMembersPrivate",
        "organization.listMembers",
        DependencyReason::More,
    ),
    (
        "organization.invite",
        "organization.read",
        DependencyReason::Inside,
    ),
    (
        "organization.manageBilling",
        "organization.read",
        DependencyReason::Inside,
    ),
    (
        "organization.remove",
        "organization.listMembers",
        DependencyReason::Members,
    ),
    (
        "organization.impersonate",
        "organization.listMembers",
        DependencyReason::Members,
    ),
    (
        "organization.passwordReset",
        "organization.listMembers",
        DependencyReason::Members,
    ),
    (
        "organization.changeMemberRole",
        "organization.listMembers",
        DependencyReason::Members,
    ),
    (
        "organization.changeMemberRole",
        "role.read",
        DependencyReason::Roles,
    ),
    (
        "organization.attributes.read",
        "organization.read",
        DependencyReason::Inside,
    ),
    (
        "organization.attributes.editUsers",
        "organization.attributes.read",
        DependencyReason::SeeFirst,
    ),
    (
        "organization.attributes.editUsers",
        "organization.listMembers",
        DependencyReason::Members,
    ),
];

/// Direct requirements of `name` among `known`.
fn needs<'known>(
    name: &'known str,
    known: &'known [&'static str],
) -> impl Iterator<Item = (&'static str, DependencyReason)> + 'known {
    let written = name
        .rsplit_once('.')
        .filter(|(_, action)| WRITES.contains(action))
        .map(|(resource, _)| resource);
    let seen = known
        .iter()
        .copied()
        .filter(move |other| other.strip_suffix(".read") == written && written.is_some());
    let ruled = RULES
        .into_iter()
        .filter(move |(needing, needed, _)| *needing == name && known.contains(needed));
    seen.map(|needed| (needed, DependencyReason::SeeFirst))
        .chain(ruled.map(|(_, needed, why)| (needed, why)))
}

/// Permission added or removed with another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionDependency {
    /// Added or removed one.
    pub name: String,
    /// Its dependant or requirement.
    pub with: String,
    /// Reason for it.
    pub why: DependencyReason,
}

/// Requirements of `names` that are missing in `held`, in order of discovery.
pub fn missing(
    names: &[String],
    held: &[String],
    known: &[&'static str],
) -> Vec<PermissionDependency> {
    let mut ties: Vec<PermissionDependency> = Vec::new();
    let mut asked: Vec<String> = names.to_vec();
    let mut place = 0;
    while let Some(name) = asked.get(place).cloned() {
        place += 1;
        for (needed, why) in needs(&name, known) {
            if asked.iter().any(|asked| asked == needed) {
                continue;
            }
            asked.push(needed.to_owned());
            if !held.iter().any(|held| held == needed) {
                ties.push(PermissionDependency {
                    name: needed.to_owned(),
                    with: name.clone(),
                    why,
                });
            }
        }
    }
    ties
}

/// Dependants of `names` in `held`, in order of discovery.
pub fn falling(
    names: &[String],
    held: &[String],
    known: &[&'static str],
) -> Vec<PermissionDependency> {
    let mut ties: Vec<PermissionDependency> = Vec::new();
    let mut gone: Vec<String> = names.to_vec();
    let mut place = 0;
    while let Some(lost) = gone.get(place).cloned() {
        place += 1;
        for name in held {
            let need = needs(name, known).find(|(needed, _)| *needed == lost);
            let Some((_, why)) = need.filter(|_| !gone.contains(name)) else {
                continue;
            };
            gone.push(name.clone());
            ties.push(PermissionDependency {
                name: name.clone(),
                with: lost.clone(),
                why,
            });
        }
    }
    ties
}

#[cfg(test)]
mod tests {
    use booking_wire::{ORGANIZATION_PERMISSIONS, TEAM_PERMISSIONS};

    use super::*;

    fn owned(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    fn names(ties: Vec<PermissionDependency>) -> Vec<String> {
        ties.into_iter().map(|tie| tie.name).collect()
    }

    #[test]
    fn every_rule_is_about_permissions_that_there_are() {
        let is_known = |name: &str| {
            TEAM_PERMISSIONS.contains(&name) || ORGANIZATION_PERMISSIONS.contains(&name)
        };
        for (name, needed, _) in RULES {
            assert!(is_known(name), "{name}");
            assert!(is_known(needed), "{needed}");
            let twice = RULES
                .iter()
                .filter(|rule| (rule.0, rule.1) == (name, needed));
            assert_eq!(twice.count(), 1, "{name} {needed}");
        }
    }

    #[test]
    fn nothing_needs_itself() {
        for known in [&TEAM_PERMISSIONS[..], &ORGANIZATION_PERMISSIONS[..]] {
            for name in known {
                let needed = names(missing(&owned(&[name]), &[], known));
                assert!(!needed.iter().any(|needed| needed == name), "{name}");
            }
        }
    }

    #[test]
    fn what_writes_needs_to_see() {
        for (name, needed) in [
            ("webhook.delete", vec!["webhook.read"]),
            ("booking.update", vec!["booking.read"]),
            ("featureOptIn.update", vec!["featureOptIn.read"]),
            ("webhook.read", vec![]),
            ("insights.read", vec![]),
            // Unknown permissions have no rules.
            ("watchlist.create", vec![]),
            ("odd", vec![]),
        ] {
            let found = names(missing(&owned(&[name]), &[], &TEAM_PERMISSIONS));
            assert_eq!(found, needed, "{name}");
        }
        let found = missing(
            &owned(&["watchlist.create"]),
            &[],
            &ORGANIZATION_PERMISSIONS,
        );
        assert_eq!(names(found), ["watchlist.read"]);
    }

    #[test]
    fn needs_are_followed_to_their_end_with_the_reason_of_each() {
        let found = missing(&owned(&["team.changeMemberRole"]), &[], &TEAM_PERMISSIONS);
        let told: Vec<(&str, &str, DependencyReason)> = found
            .iter()
            .map(|tie| (tie.name.as_str(), tie.with.as_str(), tie.why))
            .collect();
        assert_eq!(
            told,
            [
                (
                    "team.listMembers",
                    "team.changeMemberRole",
                    DependencyReason::Members
                ),
                (
                    "role.read",
                    "team.changeMemberRole",
                    DependencyReason::Roles
                ),
                ("team.read", "team.listMembers", DependencyReason::Inside),
            ]
        );
        // Only missing ones, also requirements of a held permission.
        let held = owned(&["team.listMembers"]);
        let found = missing(&owned(&["team.remove"]), &held, &TEAM_PERMISSIONS);
        assert_eq!(names(found), ["team.read"]);
    }

    #[test]
    fn what_needs_something_falls_with_it() {
        let held = owned(&[
            "team.read",
            "team.remove",
            "booking.read",
            "team.listMembers",
            "role.update",
        ]);
        let found = falling(&owned(&["team.read"]), &held, &TEAM_PERMISSIONS);
        assert_eq!(names(found), ["team.listMembers", "team.remove"]);
        let found = falling(&owned(&["role.update"]), &held, &TEAM_PERMISSIONS);
        assert!(found.is_empty());
    }
}
