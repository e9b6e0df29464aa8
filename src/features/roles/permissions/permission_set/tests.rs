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
    let mut permission_set = PermissionSet::new(RoleScope::Team, &permissions(&["booking.read"]));
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

#[test]
fn access_level_of_bookings_has_expected_permissions() {
    for (scope, [others, logs]) in [
        (RoleScope::Team, ["readTeamBookings", "readTeamAuditLogs"]),
        (
            RoleScope::Organization,
            ["readOrgBookings", "readOrgAuditLogs"],
        ),
    ] {
        let known = scope.known().iter().copied();
        let bookings: Vec<&str> = known.filter(|name| name.starts_with("booking.")).collect();
        for (level, actions) in [
            (AccessLevel::None, vec![]),
            (AccessLevel::Read, vec!["read"]),
            (AccessLevel::Others, vec!["read", others]),
            (
                AccessLevel::OthersConfirm,
                vec!["read", others, "readRecordings", "update"],
            ),
            (
                AccessLevel::Full,
                vec!["read", others, "readRecordings", "update", logs],
            ),
        ] {
            let mut permission_set = PermissionSet::new(scope, &[]);
            for before in [AccessLevel::Full, AccessLevel::None] {
                permission_set.set_access_level(&bookings, before);
                permission_set.set_access_level(&bookings, level);
                let expected: Vec<String> = actions
                    .iter()
                    .map(|action| ["booking.", action].concat())
                    .collect();
                assert_eq!(names(&permission_set), expected, "{level:?}");
                assert_eq!(permission_set.access_level(&bookings), level);
            }
        }
        // Another combination, and a resource without bookings of others.
        let mut permission_set = PermissionSet::new(scope, &[]);
        permission_set.set(&["booking.update", "webhook.update"], true);
        assert_eq!(permission_set.access_level(&bookings), AccessLevel::Mixed);
        let webhooks = ["webhook.read", "webhook.update", "webhook.delete"];
        assert_eq!(permission_set.access_level(&webhooks), AccessLevel::Mixed);
    }
}
