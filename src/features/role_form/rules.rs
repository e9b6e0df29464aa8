//! Which permission is of no use without which other, and why. No document.
//!
//! The interface has no such rules: a role that may change what it cannot see is accepted, and does
//! not work. They are kept here as data, for team and organisation alike.

/// Why a permission needs another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// What cannot be seen can be neither made nor changed.
    SeeFirst,
    /// It happens inside of what has to be seen.
    Inside,
    /// Somebody is chosen from the list of members.
    Members,
    /// A role is chosen from the list of roles.
    Roles,
    /// It shows more of what the other shows.
    More,
}

/// What making, changing and deleting need: to see the same resource.
const WRITES: [&str; 3] = ["create", "update", "delete"];

/// Permission, what it needs, and why. What [`WRITES`] says stands for each resource that can be seen.
const RULES: [(&str, &str, Why); 24] = [
    ("team.invite", "team.read", Why::Inside),
    ("team.listMembers", "team.read", Why::Inside),
    ("team.listMembersPrivate", "team.listMembers", Why::More),
    ("team.remove", "team.listMembers", Why::Members),
    ("team.impersonate", "team.listMembers", Why::Members),
    ("team.changeMemberRole", "team.listMembers", Why::Members),
    ("team.changeMemberRole", "role.read", Why::Roles),
    ("booking.readTeamBookings", "booking.read", Why::More),
    ("booking.readOrgBookings", "booking.read", Why::More),
    ("booking.readRecordings", "booking.read", Why::More),
    (
        "booking.readTeamAuditLogs",
        "booking.readTeamBookings",
        Why::More,
    ),
    (
        "booking.readOrgAuditLogs",
        "booking.readOrgBookings",
        Why::More,
    ),
    ("organization.listMembers", "organization.read", Why::Inside),
    (
        "organization.listMembersPrivate",
        "organization.listMembers",
        Why::More,
    ),
    ("organization.invite", "organization.read", Why::Inside),
    (
        "organization.manageBilling",
        "organization.read",
        Why::Inside,
    ),
    (
        "organization.remove",
        "organization.listMembers",
        Why::Members,
    ),
    (
        "organization.impersonate",
        "organization.listMembers",
        Why::Members,
    ),
    (
        "organization.passwordReset",
        "organization.listMembers",
        Why::Members,
    ),
    (
        "organization.changeMemberRole",
        "organization.listMembers",
        Why::Members,
    ),
    ("organization.changeMemberRole", "role.read", Why::Roles),
    (
        "organization.attributes.read",
        "organization.read",
        Why::Inside,
    ),
    (
        "organization.attributes.editUsers",
        "organization.attributes.read",
        Why::SeeFirst,
    ),
    (
        "organization.attributes.editUsers",
        "organization.listMembers",
        Why::Members,
    ),
];

/// What `name` needs directly, as far as `known` has it.
fn needs<'known>(
    name: &'known str,
    known: &'known [&'static str],
) -> impl Iterator<Item = (&'static str, Why)> + 'known {
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
    seen.map(|needed| (needed, Why::SeeFirst))
        .chain(ruled.map(|(_, needed, why)| (needed, why)))
}

/// A permission that comes or falls with another.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tie {
    /// What comes or falls.
    pub name: String,
    /// What needs it, or what it needs.
    pub with: String,
    /// Why one needs the other.
    pub why: Why,
}

/// What has to be held with `names` and is not in `held`, in the order in which it is needed.
pub fn missing(names: &[String], held: &[String], known: &[&'static str]) -> Vec<Tie> {
    let mut ties: Vec<Tie> = Vec::new();
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
                ties.push(Tie {
                    name: needed.to_owned(),
                    with: name.clone(),
                    why,
                });
            }
        }
    }
    ties
}

/// What of `held` is of no use without `names`, in the order in which it falls.
pub fn falling(names: &[String], held: &[String], known: &[&'static str]) -> Vec<Tie> {
    let mut ties: Vec<Tie> = Vec::new();
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
            ties.push(Tie {
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

    fn names(ties: Vec<Tie>) -> Vec<String> {
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
            // What is not known has no rules.
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
        let told: Vec<(&str, &str, Why)> = found
            .iter()
            .map(|tie| (tie.name.as_str(), tie.with.as_str(), tie.why))
            .collect();
        assert_eq!(
            told,
            [
                ("team.listMembers", "team.changeMemberRole", Why::Members),
                ("role.read", "team.changeMemberRole", Why::Roles),
                ("team.read", "team.listMembers", Why::Inside),
            ]
        );
        // Only what is not held yet, and also what stands behind something held.
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
