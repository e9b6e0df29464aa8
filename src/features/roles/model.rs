//! Validation, requests, comparison and search of roles. No DOM.

use booking_wire::{NewRole, Permission, Role, RoleChange};

use super::permissions::permission_set::{EVERYTHING, PermissionSet, RoleScope};
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
pub fn column(name: &str) -> usize {
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

    /// Returns every error. `taken` are the names of the other roles, system roles included.
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

    /// Number of differences from `before`: fields and permissions.
    pub fn change_count(&self, before: &Role) -> usize {
        let difference = self.permissions.difference_from(&before.permissions);
        let permissions = [difference.added, difference.implied, difference.removed];
        self.changed_fields(before).len() + permissions.iter().map(Vec::len).sum::<usize>()
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
mod tests;
