use booking_wire::TEAM_PERMISSIONS;

use super::*;

fn values(name: &str, color: &str) -> RoleFormValues {
    RoleFormValues {
        name: name.into(),
        color: color.into(),
        ..RoleFormValues::new(RoleScope::Team)
    }
}

fn role(name: &str, permissions: &[&str]) -> Role {
    Role {
        id: "role_1".into(),
        name: name.into(),
        team_id: Some(1),
        permissions: permissions
            .iter()
            .map(|name| Permission((*name).to_owned()))
            .collect(),
        ..Role::default()
    }
}

#[test]
fn permissions_are_grouped_once() {
    let sizes: Vec<(String, usize)> = group_by_resource(TEAM_PERMISSIONS)
        .into_iter()
        .map(|group| (group.resource, group.permissions.len()))
        .collect();
    let expected = [
        ("role", 4),
        ("eventType", 4),
        ("team", 9),
        ("booking", 5),
        ("insights", 1),
        ("workflow", 4),
        ("routingForm", 4),
        ("webhook", 4),
        ("featureOptIn", 2),
    ];
    assert_eq!(sizes, expected.map(|(name, size)| (name.to_owned(), size)));
}

#[test]
fn unknown_permissions_are_split_at_the_last_dot() {
    let groups = group_by_resource([
        "organization.attributes.read",
        "*.*",
        "team.read",
        "unknown",
    ]);
    let resources: Vec<String> = groups.into_iter().map(|group| group.resource).collect();
    assert_eq!(
        resources,
        ["organization.attributes", "*", "team", "unknown"]
    );
}

#[test]
fn validation_returns_all_errors() {
    use RoleFieldError::{Color, DescriptionTooLong, NameMissing, NameTaken, NameTooLong};
    let taken = ["Owner".to_owned(), "Front desk".to_owned()];
    let (long, longer) = ("x".repeat(1000), "é".repeat(1001));
    for (name, color, errors) in [
        ("Reporting", "", vec![]),
        (" Reporting ", "#2563eb", vec![]),
        ("R", "", vec![]),
        (&long, "", vec![]),
        (&longer, "", vec![NameTooLong]),
        ("", "", vec![NameMissing]),
        ("  ", "blue", vec![NameMissing, Color]),
        ("Owner", "#12", vec![NameTaken, Color]),
        (" Front desk", "", vec![NameTaken]),
        // The service is case-sensitive.
        ("owner", "", vec![]),
    ] {
        assert_eq!(
            values(name, color).validate(&taken, None),
            errors,
            "{name:?} {color:?}"
        );
    }
    let mut draft = values("A", "");
    draft.description = longer;
    assert_eq!(draft.validate(&taken, None), [DescriptionTooLong]);
}

#[test]
fn validation_accepts_unchanged_invalid_fields() {
    let mut before = role("Front desk", &[]);
    before.color = Some("red".into());
    before.description = Some("x".repeat(1001));
    let mut draft = RoleFormValues::from_role(RoleScope::Team, &before);
    draft.permissions.set(&["team.read"], true);
    let taken = ["Front desk".to_owned()];
    assert_eq!(draft.validate(&taken, Some(&before)), []);
    draft.color = "blue".into();
    assert_eq!(
        draft.validate(&taken, Some(&before)),
        [RoleFieldError::Color]
    );
}

#[test]
fn create_request_is_trimmed_and_in_api_order() {
    let mut draft = values("  Reporting ", " #2563EB ");
    draft.description = "   ".into();
    for name in ["insights.read", "booking.read", "team.read"] {
        draft.permissions.set(&[name], true);
    }
    let role = draft.create_request();
    assert_eq!(role.name, "Reporting");
    assert_eq!(role.color.as_deref(), Some("#2563EB"));
    assert_eq!(role.description, None);
    let sent: Vec<&str> = role
        .permissions
        .iter()
        .map(|permission| permission.0.as_str())
        .collect();
    assert_eq!(sent, ["team.read", "booking.read", "insights.read"]);
}

#[test]
fn change_request_has_changed_fields_and_whole_permission_set() {
    let before = role("Desk", &["booking.read", "space.fly"]);
    let mut draft = RoleFormValues::from_role(RoleScope::Team, &before);
    assert!(draft.is_same_as(&before));
    assert_eq!(draft.change_request(&before), RoleChange::default());
    draft.permissions.set(&["booking.update"], true);
    draft.description = " For the desk ".into();
    let change = draft.change_request(&before);
    assert_eq!(change.name, None);
    assert_eq!(change.color, None);
    assert_eq!(change.description, Some(Some("For the desk".to_owned())));
    let sent: Vec<String> = change
        .permissions
        .unwrap()
        .into_iter()
        .map(|permission| permission.0)
        .collect();
    assert_eq!(sent, ["booking.read", "booking.update", "space.fly"]);
    draft.description.clear();
    assert_eq!(draft.changed_fields(&before), []);
}

#[test]
fn rebase_merges_changes_of_two_users() {
    let before = role("Desk", &["booking.read", "booking.update", "team.read"]);
    let mut after = role(
        "Reception",
        &["booking.read", "booking.update", "webhook.read"],
    );
    after.color = Some("#15803D".into());
    let mut mine = RoleFormValues::from_role(RoleScope::Team, &before);
    mine.description = "Mine".into();
    mine.permissions.set(&["booking.update"], false);
    mine.permissions.set(&["insights.read"], true);
    let merged = mine.rebase(&before, &after);
    assert_eq!(merged.name, "Reception");
    assert_eq!(merged.color, "#15803D");
    assert_eq!(merged.description, "Mine");
    let permissions: Vec<String> = merged
        .permissions
        .to_permissions()
        .into_iter()
        .map(|permission| permission.0)
        .collect();
    assert_eq!(
        permissions,
        ["booking.read", "insights.read", "webhook.read"]
    );
}

#[test]
fn rebase_keeps_added_requirements() {
    let before = role("Desk", &["webhook.update"]);
    let mut mine = RoleFormValues::from_role(RoleScope::Team, &before);
    mine.permissions.add_missing_requirements();
    let merged = mine.rebase(&before, &role("Hooks", &["webhook.update"]));
    assert!(merged.permissions.has("webhook.read"));
    assert!(merged.permissions.missing_requirements().is_empty());
}

#[test]
fn permission_order_is_no_change() {
    let before = role("Desk", &["booking.read", "team.read"]);
    assert!(!has_changed(
        &before,
        &role("Desk", &["team.read", "booking.read"])
    ));
    assert!(has_changed(&before, &role("Desk", &["team.read"])));
    let twice = role("Desk", &["team.read", "team.read"]);
    assert!(has_changed(&twice, &before));
    assert!(has_changed(
        &before,
        &role("Desks", &["booking.read", "team.read"])
    ));
}

#[test]
fn lost_management_permissions_are_returned() {
    let before = role("Admins", &["role.read", "role.update", "team.read"]);
    let mut permissions = PermissionSet::new(RoleScope::Team, &before.permissions);
    assert!(lost_management_permissions(&before.permissions, &permissions).is_empty());
    permissions.set(&["role.update"], false);
    assert_eq!(
        lost_management_permissions(&before.permissions, &permissions),
        ["role.update"]
    );
    permissions.set(&["role.read"], false);
    assert_eq!(
        lost_management_permissions(&before.permissions, &permissions),
        MANAGEMENT_PERMISSIONS
    );
    // Permissions never granted are not lost.
    assert!(lost_management_permissions(&[], &permissions).is_empty());
    let mut all = PermissionSet::new(RoleScope::Organization, &[Permission("*.*".into())]);
    let before = all.to_permissions();
    all.set(&["role.read"], false);
    assert!(lost_management_permissions(&before, &all).is_empty());
}

#[test]
fn copy_name_is_unused() {
    let copy = |name: &str, number: usize| match number {
        1 => format!("Copy of {name}"),
        number => format!("Copy of {name} ({number})"),
    };
    let taken = ["Desk".to_owned(), "Copy of Desk".to_owned()];
    assert_eq!(copy_name("Desk", copy, &taken), "Copy of Desk (2)");
    assert_eq!(copy_name("Owner", copy, &taken), "Copy of Owner");
}

#[test]
fn search_matches_name_description_and_permission() {
    let mut role = role("Front Desk", &["booking.update"]);
    role.description = Some("Empfang".into());
    let permission_text = |name: &str| format!("text of {name}");
    for (search, is_found) in [
        ("", true),
        (" desk", true),
        ("EMPF", true),
        ("booking.", true),
        ("webhook", false),
    ] {
        assert_eq!(
            matches(&role, search, permission_text),
            is_found,
            "{search}"
        );
    }
}
