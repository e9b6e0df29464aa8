//! Validation, requests, comparison and search of roles. No DOM.

use booking_wire::{NewRole, Permission, Role, RoleChange};

use super::permission_set::{EVERYTHING, PermissionSet, RoleScope};
use super::role_color::parse_hex;

/// Maximum characters of a name or description.
pub const MAX_TEXT_LENGTH: usize = 1000;

/// Permissions of one resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionGroup {
    /// Name up to the last dot.
    pub resource: String,
    /// Full names.
    pub permissions: Vec<String>,
}

/// Actions that most resources have, in display order.
pub const COLUMNS: [&str; 4] = ["read", "create", "update", "delete"];

/// Groups permissions by resource, in input order, with those of [`COLUMNS`] first.
pub fn group_by_resource<'name>(
    permissions: impl IntoIterator<Item = &'name str>,
) -> Vec<PermissionGroup> {
    let mut groups: Vec<PermissionGroup> = Vec::new();
    for name in permissions {
        let resource = name.rsplit_once('.').map_or(name, |(resource, _)| resource);
        match groups.iter_mut().find(|group| group.resource == resource) {
            Some(group) => group.permissions.push(name.to_owned()),
            None => groups.push(PermissionGroup {
                resource: resource.to_owned(),
                permissions: vec![name.to_owned()],
            }),
        }
    }
    for group in &mut groups {
        group.permissions.sort_by_key(|name| column(name));
    }
    groups
}

/// Sort key of a permission in its group.
fn column(name: &str) -> usize {
    let action = name.rsplit_once('.').map_or(name, |(_, action)| action);
    let position = COLUMNS.iter().position(|column| *column == action);
    position.unwrap_or(COLUMNS.len())
}

/// Form values as plain data.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RoleFormValues {
    /// Name as entered.
    pub name: String,
    /// Colour as entered; empty for none.
    pub color: String,
    /// Text as entered.
    pub description: String,
    /// Ticked permissions.
    pub permissions: PermissionSet,
}

/// Validation error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoleFieldError {
    /// No name.
    NameMissing,
    /// Name of another role.
    NameTaken,
    /// Name longer than [`MAX_TEXT_LENGTH`].
    NameTooLong,
    /// Text longer than [`MAX_TEXT_LENGTH`].
    DescriptionTooLong,
    /// Colour other than `#RGB` or `#RRGGBB`.
    Color,
}

/// Field of a role other than its permissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoleField {
    /// The name.
    Name,
    /// The colour.
    Color,
    /// The description.
    Description,
}

impl RoleFormValues {
    /// Empty values.
    pub fn new(scope: RoleScope) -> Self {
        Self {
            name: String::new(),
            color: String::new(),
            description: String::new(),
            permissions: PermissionSet::new(scope, &[]),
        }
    }

    /// Values of a role.
    pub fn from_role(scope: RoleScope, role: &Role) -> Self {
        Self {
            name: role.name.clone(),
            color: role.color.clone().unwrap_or_default(),
            description: role.description.clone().unwrap_or_default(),
            permissions: PermissionSet::new(scope, &role.permissions),
        }
    }

    /// Returns every error. `taken` are the names of the other roles, system roles included (contract 3.2).
    /// Invalid values that `before` already has are accepted while unchanged.
    pub fn validate(&self, taken: &[String], before: Option<&Role>) -> Vec<RoleFieldError> {
        let fields = before.map(|before| self.changed_fields(before));
        let is_checked =
            |field: RoleField| fields.as_ref().is_none_or(|fields| fields.contains(&field));
        let name = self
            .name_error(taken)
            .filter(|_| is_checked(RoleField::Name));
        let color = self.color.trim();
        let is_invalid = !color.is_empty() && parse_hex(color).is_none();
        let color = (is_invalid && is_checked(RoleField::Color)).then_some(RoleFieldError::Color);
        let is_long = self.description.trim().chars().count() > MAX_TEXT_LENGTH;
        let description = (is_long && is_checked(RoleField::Description))
            .then_some(RoleFieldError::DescriptionTooLong);
        [name, description, color].into_iter().flatten().collect()
    }

    /// Error in the name.
    pub fn name_error(&self, taken: &[String]) -> Option<RoleFieldError> {
        let name = self.name.trim();
        if name.is_empty() {
            Some(RoleFieldError::NameMissing)
        } else if name.chars().count() > MAX_TEXT_LENGTH {
            Some(RoleFieldError::NameTooLong)
        } else if taken.iter().any(|taken| taken.trim() == name) {
            Some(RoleFieldError::NameTaken)
        } else {
            None
        }
    }

    /// Request that creates it.
    pub fn create_request(&self) -> NewRole {
        NewRole {
            name: self.name.trim().to_owned(),
            color: non_empty(&self.color),
            description: non_empty(&self.description),
            permissions: self.permissions.to_permissions(),
        }
    }

    /// Changed fields, other than the permissions.
    pub fn changed_fields(&self, before: &Role) -> Vec<RoleField> {
        let mut fields = Vec::new();
        if self.name.trim() != before.name.trim() {
            fields.push(RoleField::Name);
        }
        if non_empty(&self.color) != before.color.as_deref().and_then(non_empty) {
            fields.push(RoleField::Color);
        }
        if non_empty(&self.description) != before.description.as_deref().and_then(non_empty) {
            fields.push(RoleField::Description);
        }
        fields
    }

    /// True if nothing differs from `before`.
    pub fn is_same_as(&self, before: &Role) -> bool {
        self.changed_fields(before).is_empty()
            && self
                .permissions
                .difference_from(&before.permissions)
                .is_empty()
    }

    /// Request that changes `before` to these values. Permissions replace the whole set.
    pub fn change_request(&self, before: &Role) -> RoleChange {
        let fields = self.changed_fields(before);
        let has = |field: RoleField| fields.contains(&field);
        let difference = self.permissions.difference_from(&before.permissions);
        RoleChange {
            name: has(RoleField::Name).then(|| self.name.trim().to_owned()),
            color: has(RoleField::Color).then(|| non_empty(&self.color)),
            description: has(RoleField::Description).then(|| non_empty(&self.description)),
            permissions: (!difference.is_empty()).then(|| self.permissions.to_permissions()),
        }
    }

    /// Applies the changes since `before` to `after`, the version of another user.
    pub fn rebase(&self, before: &Role, after: &Role) -> Self {
        let scope = self.permissions.scope();
        let mut merged = Self::from_role(scope, after);
        for field in self.changed_fields(before) {
            match field {
                RoleField::Name => merged.name.clone_from(&self.name),
                RoleField::Color => merged.color.clone_from(&self.color),
                RoleField::Description => merged.description.clone_from(&self.description),
            }
        }
        let difference = self.permissions.difference_from(&before.permissions);
        let names = |names: &[String]| -> Vec<String> { names.to_vec() };
        let added = names(&difference.added);
        let added: Vec<&str> = added.iter().map(String::as_str).collect();
        let removed = names(&difference.removed);
        let removed: Vec<&str> = removed.iter().map(String::as_str).collect();
        merged.permissions.set(&removed, false);
        merged.permissions.set(&added, true);
        let implied: Vec<&str> = difference.implied.iter().map(String::as_str).collect();
        merged.permissions.add_implied(&implied);
        merged
    }
}

/// True if a role was changed since it was read.
pub fn has_changed(before: &Role, after: &Role) -> bool {
    let has_more = |one: &Role, other: &Role| {
        let mut permissions = one.permissions.iter();
        permissions.any(|permission| !other.permissions.contains(permission))
    };
    has_more(before, after)
        || has_more(after, before)
        || before.name != after.name
        || before.color != after.color
        || before.description != after.description
}

/// Permissions needed to manage roles: without them, this form is no longer accessible.
const MANAGEMENT_PERMISSIONS: [&str; 2] = ["role.read", "role.update"];

/// Permissions needed to reach this form that the role had and would lose.
pub fn lost_management_permissions(
    before: &[Permission],
    after: &PermissionSet,
) -> Vec<&'static str> {
    let had = |name: &str| {
        before
            .iter()
            .any(|permission| permission.0 == name || permission.0 == EVERYTHING)
    };
    let has = |name: &str| after.has(name) || after.has(EVERYTHING);
    MANAGEMENT_PERMISSIONS
        .into_iter()
        .filter(|name| had(name) && !has(name))
        .collect()
}

/// Unused name for a copy.
pub fn copy_name(name: &str, copy: impl Fn(&str, usize) -> String, taken: &[String]) -> String {
    let mut number = 1;
    loop {
        let name = copy(name, number);
        if !taken.contains(&name) || number > taken.len() {
            return name;
        }
        number += 1;
    }
}

/// True if a role matches the search text. `permission_text` returns the text of a permission.
pub fn matches(role: &Role, search: &str, permission_text: impl Fn(&str) -> String) -> bool {
    let search = search.trim().to_lowercase();
    let contains = |text: &str| text.to_lowercase().contains(&search);
    contains(&role.name)
        || role.description.as_deref().is_some_and(contains)
        || role
            .permissions
            .iter()
            .any(|permission| contains(&permission.0) || contains(&permission_text(&permission.0)))
}

fn non_empty(text: &str) -> Option<String> {
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use booking_wire::{RoleType, TEAM_PERMISSIONS};

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
            color: None,
            description: None,
            team_id: Some(1),
            organization_id: None,
            kind: RoleType::Custom,
            permissions: permissions
                .iter()
                .map(|name| Permission((*name).to_owned()))
                .collect(),
            created_at: None,
            updated_at: None,
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
}
