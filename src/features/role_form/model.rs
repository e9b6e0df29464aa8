//! Validation, requests, comparison and search of roles. No DOM.

use booking_wire::{NewRole, Permission, Role, RoleChange};

use super::permission_set::{EVERYTHING, Level, PermissionSet};
use super::role_color::rgb;

/// Maximum characters of a name or description.
pub const LONGEST_TEXT: usize = 1000;

/// Permissions of one resource.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Group {
    /// Name up to the last dot.
    pub resource: String,
    /// Full names.
    pub permissions: Vec<String>,
}

/// Actions that most resources have, in display order.
pub const COLUMNS: [&str; 4] = ["read", "create", "update", "delete"];

/// Groups permissions by resource, in input order, with those of [`COLUMNS`] first.
pub fn grouped<'name>(permissions: impl IntoIterator<Item = &'name str>) -> Vec<Group> {
    let mut groups: Vec<Group> = Vec::new();
    for name in permissions {
        let resource = name.rsplit_once('.').map_or(name, |(resource, _)| resource);
        match groups.iter_mut().find(|group| group.resource == resource) {
            Some(group) => group.permissions.push(name.to_owned()),
            None => groups.push(Group {
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
    let place = COLUMNS.iter().position(|column| *column == action);
    place.unwrap_or(COLUMNS.len())
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
    pub held: PermissionSet,
}

/// Validation error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RoleFieldError {
    /// No name.
    NameMissing,
    /// Name of another role.
    NameTaken,
    /// Name longer than [`LONGEST_TEXT`].
    NameTooLong,
    /// Text longer than [`LONGEST_TEXT`].
    DescriptionTooLong,
    /// Colour other than `#RGB` or `#RRGGBB`.
    Color,
}

/// Field of a role other than its permissions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Trait {
    /// The name.
    Name,
    /// The colour.
    Color,
    /// The description.
    Description,
}

impl RoleFormValues {
    /// Empty values.
    pub fn new(level: Level) -> Self {
        Self {
            name: String::new(),
            color: String::new(),
            description: String::new(),
            held: PermissionSet::new(level, &[]),
        }
    }

    /// Values of a role.
    pub fn of(level: Level, role: &Role) -> Self {
        Self {
            name: role.name.clone(),
            color: role.color.clone().unwrap_or_default(),
            description: role.description.clone().unwrap_or_default(),
            held: PermissionSet::new(level, &role.permissions),
        }
    }

    /// Returns every error. `taken` are the names of the other roles, system roles included (contract 3.2).
    /// Invalid values that `before` already has are accepted while unchanged.
    pub fn complaints(&self, taken: &[String], before: Option<&Role>) -> Vec<RoleFieldError> {
        let traits = before.map(|before| self.traits_since(before));
        let is_open = |one: Trait| traits.as_ref().is_none_or(|traits| traits.contains(&one));
        let name = self.name_complaint(taken).filter(|_| is_open(Trait::Name));
        let color = self.color.trim();
        let is_odd = !color.is_empty() && rgb(color).is_none();
        let color = (is_odd && is_open(Trait::Color)).then_some(RoleFieldError::Color);
        let is_long = self.description.trim().chars().count() > LONGEST_TEXT;
        let description =
            (is_long && is_open(Trait::Description)).then_some(RoleFieldError::DescriptionTooLong);
        [name, description, color].into_iter().flatten().collect()
    }

    /// Error in the name.
    pub fn name_complaint(&self, taken: &[String]) -> Option<RoleFieldError> {
        let name = self.name.trim();
        if name.is_empty() {
            Some(RoleFieldError::NameMissing)
        } else if name.chars().count() > LONGEST_TEXT {
            Some(RoleFieldError::NameTooLong)
        } else if taken.iter().any(|taken| taken.trim() == name) {
            Some(RoleFieldError::NameTaken)
        } else {
            None
        }
    }

    /// Request that creates it.
    pub fn role(&self) -> NewRole {
        NewRole {
            name: self.name.trim().to_owned(),
            color: given(&self.color),
            description: given(&self.description),
            permissions: self.held.permissions(),
        }
    }

    /// Changed fields, other than the permissions.
    pub fn traits_since(&self, before: &Role) -> Vec<Trait> {
        let mut traits = Vec::new();
        if self.name.trim() != before.name.trim() {
            traits.push(Trait::Name);
        }
        if given(&self.color) != before.color.as_deref().and_then(given) {
            traits.push(Trait::Color);
        }
        if given(&self.description) != before.description.as_deref().and_then(given) {
            traits.push(Trait::Description);
        }
        traits
    }

    /// True if nothing differs from `before`.
    pub fn is_as(&self, before: &Role) -> bool {
        self.traits_since(before).is_empty() && self.held.since(&before.permissions).is_none()
    }

    /// Request that changes `before` to these values. Permissions replace the whole set.
    pub fn change_of(&self, before: &Role) -> RoleChange {
        let traits = self.traits_since(before);
        let has = |one: Trait| traits.contains(&one);
        let held = self.held.since(&before.permissions);
        RoleChange {
            name: has(Trait::Name).then(|| self.name.trim().to_owned()),
            color: has(Trait::Color).then(|| given(&self.color)),
            description: has(Trait::Description).then(|| given(&self.description)),
            permissions: (!held.is_none()).then(|| self.held.permissions()),
        }
    }

    /// Applies the changes since `before` to `after`, the version of another user.
    pub fn onto(&self, before: &Role, after: &Role) -> Self {
        let level = self.held.level();
        let mut merged = Self::of(level, after);
        for one in self.traits_since(before) {
            match one {
                Trait::Name => merged.name.clone_from(&self.name),
                Trait::Color => merged.color.clone_from(&self.color),
                Trait::Description => merged.description.clone_from(&self.description),
            }
        }
        let difference = self.held.since(&before.permissions);
        let names = |names: &[String]| -> Vec<String> { names.to_vec() };
        let added = names(&difference.added);
        let added: Vec<&str> = added.iter().map(String::as_str).collect();
        let removed = names(&difference.removed);
        let removed: Vec<&str> = removed.iter().map(String::as_str).collect();
        merged.held.set(&removed, false);
        merged.held.set(&added, true);
        let implied: Vec<&str> = difference.implied.iter().map(String::as_str).collect();
        merged.held.bring(&implied);
        merged
    }
}

/// True if a role was changed since it was read.
pub fn has_changed(before: &Role, after: &Role) -> bool {
    let has_more = |one: &Role, other: &Role| {
        let mut held = one.permissions.iter();
        held.any(|held| !other.permissions.contains(held))
    };
    has_more(before, after)
        || has_more(after, before)
        || before.name != after.name
        || before.color != after.color
        || before.description != after.description
}

/// Permissions needed to manage roles: without them, this form is no longer accessible.
const WAY_BACK: [&str; 2] = ["role.read", "role.update"];

/// Permissions needed to reach this form that the role had and would lose.
pub fn lost_ways(before: &[Permission], held: &PermissionSet) -> Vec<&'static str> {
    let had = |name: &str| {
        before
            .iter()
            .any(|held| held.0 == name || held.0 == EVERYTHING)
    };
    let has = |name: &str| held.has(name) || held.has(EVERYTHING);
    WAY_BACK
        .into_iter()
        .filter(|name| had(name) && !has(name))
        .collect()
}

/// Unused name for a copy.
pub fn name_of_copy(name: &str, copy: impl Fn(&str, usize) -> String, taken: &[String]) -> String {
    let mut number = 1;
    loop {
        let name = copy(name, number);
        if !taken.contains(&name) || number > taken.len() {
            return name;
        }
        number += 1;
    }
}

/// True if a role matches the search text. `words` returns the text of a permission.
pub fn matches(role: &Role, typed: &str, words: impl Fn(&str) -> String) -> bool {
    let typed = typed.trim().to_lowercase();
    let holds = |text: &str| text.to_lowercase().contains(&typed);
    holds(&role.name)
        || role.description.as_deref().is_some_and(holds)
        || role
            .permissions
            .iter()
            .any(|held| holds(&held.0) || holds(&words(&held.0)))
}

fn given(text: &str) -> Option<String> {
    Some(text.trim().to_owned()).filter(|text| !text.is_empty())
}

#[cfg(test)]
mod tests {
    use booking_wire::{RoleType, TEAM_PERMISSIONS};

    use super::*;

    fn typed(name: &str, color: &str) -> RoleFormValues {
        RoleFormValues {
            name: name.into(),
            color: color.into(),
            ..RoleFormValues::new(Level::Team)
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
    fn all_permissions_are_grouped_once() {
        let sizes: Vec<(String, usize)> = grouped(TEAM_PERMISSIONS)
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
        let groups = grouped(["organization.attributes.read", "*.*", "team.read", "odd"]);
        let resources: Vec<String> = groups.into_iter().map(|group| group.resource).collect();
        assert_eq!(resources, ["organization.attributes", "*", "team", "odd"]);
    }

    #[test]
    fn a_draft_has_every_complaint_at_once() {
        use RoleFieldError::{Color, DescriptionTooLong, NameMissing, NameTaken, NameTooLong};
        let taken = ["Owner".to_owned(), "Front desk".to_owned()];
        let (long, longer) = ("x".repeat(1000), "é".repeat(1001));
        for (name, color, complaints) in [
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
                typed(name, color).complaints(&taken, None),
                complaints,
                "{name:?} {color:?}"
            );
        }
        let mut draft = typed("A", "");
        draft.description = longer;
        assert_eq!(draft.complaints(&taken, None), [DescriptionTooLong]);
    }

    #[test]
    fn what_a_service_let_pass_is_no_complaint_about_another_change() {
        let mut before = role("Front desk", &[]);
        before.color = Some("red".into());
        before.description = Some("x".repeat(1001));
        let mut draft = RoleFormValues::of(Level::Team, &before);
        draft.held.set(&["team.read"], true);
        let taken = ["Front desk".to_owned()];
        assert_eq!(draft.complaints(&taken, Some(&before)), []);
        draft.color = "blue".into();
        assert_eq!(
            draft.complaints(&taken, Some(&before)),
            [RoleFieldError::Color]
        );
    }

    #[test]
    fn a_role_is_sent_tidy_and_in_the_order_of_the_interface() {
        let mut draft = typed("  Reporting ", " #2563EB ");
        draft.description = "   ".into();
        for name in ["insights.read", "booking.read", "team.read"] {
            draft.held.set(&[name], true);
        }
        let role = draft.role();
        assert_eq!(role.name, "Reporting");
        assert_eq!(role.color.as_deref(), Some("#2563EB"));
        assert_eq!(role.description, None);
        let sent: Vec<&str> = role
            .permissions
            .iter()
            .map(|held| held.0.as_str())
            .collect();
        assert_eq!(sent, ["team.read", "booking.read", "insights.read"]);
    }

    #[test]
    fn only_what_differs_is_sent_and_the_set_as_a_whole() {
        let before = role("Desk", &["booking.read", "space.fly"]);
        let mut draft = RoleFormValues::of(Level::Team, &before);
        assert!(draft.is_as(&before));
        assert_eq!(draft.change_of(&before), RoleChange::default());
        draft.held.set(&["booking.update"], true);
        draft.description = " For the desk ".into();
        let change = draft.change_of(&before);
        assert_eq!(change.name, None);
        assert_eq!(change.color, None);
        assert_eq!(change.description, Some(Some("For the desk".to_owned())));
        let sent: Vec<String> = change
            .permissions
            .unwrap()
            .into_iter()
            .map(|held| held.0)
            .collect();
        assert_eq!(sent, ["booking.read", "booking.update", "space.fly"]);
        draft.description.clear();
        assert_eq!(draft.traits_since(&before), []);
    }

    #[test]
    fn changes_of_two_people_are_joined() {
        let before = role("Desk", &["booking.read", "booking.update", "team.read"]);
        let mut after = role(
            "Reception",
            &["booking.read", "booking.update", "webhook.read"],
        );
        after.color = Some("#15803D".into());
        let mut mine = RoleFormValues::of(Level::Team, &before);
        mine.description = "Mine".into();
        mine.held.set(&["booking.update"], false);
        mine.held.set(&["insights.read"], true);
        let joined = mine.onto(&before, &after);
        assert_eq!(joined.name, "Reception");
        assert_eq!(joined.color, "#15803D");
        assert_eq!(joined.description, "Mine");
        let held: Vec<String> = joined
            .held
            .permissions()
            .into_iter()
            .map(|held| held.0)
            .collect();
        assert_eq!(held, ["booking.read", "insights.read", "webhook.read"]);
    }

    #[test]
    fn what_was_added_to_mend_a_role_survives_the_joining() {
        let before = role("Desk", &["webhook.update"]);
        let mut mine = RoleFormValues::of(Level::Team, &before);
        mine.held.fill_gaps();
        let joined = mine.onto(&before, &role("Hooks", &["webhook.update"]));
        assert!(joined.held.has("webhook.read"));
        assert!(joined.held.gaps().is_empty());
    }

    #[test]
    fn another_order_is_no_change() {
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
    fn losing_the_way_back_is_noticed() {
        let before = role("Admins", &["role.read", "role.update", "team.read"]);
        let mut held = PermissionSet::new(Level::Team, &before.permissions);
        assert!(lost_ways(&before.permissions, &held).is_empty());
        held.set(&["role.update"], false);
        assert_eq!(lost_ways(&before.permissions, &held), ["role.update"]);
        held.set(&["role.read"], false);
        assert_eq!(lost_ways(&before.permissions, &held), WAY_BACK);
        // Permissions never held are not lost.
        assert!(lost_ways(&[], &held).is_empty());
        let mut all = PermissionSet::new(Level::Organization, &[Permission("*.*".into())]);
        let before = all.permissions();
        all.set(&["role.read"], false);
        assert!(lost_ways(&before, &all).is_empty());
    }

    #[test]
    fn a_copy_gets_a_name_of_its_own() {
        let copy = |name: &str, number: usize| match number {
            1 => format!("Copy of {name}"),
            number => format!("Copy of {name} ({number})"),
        };
        let taken = ["Desk".to_owned(), "Copy of Desk".to_owned()];
        assert_eq!(name_of_copy("Desk", copy, &taken), "Copy of Desk (2)");
        assert_eq!(name_of_copy("Owner", copy, &taken), "Copy of Owner");
    }

    #[test]
    fn roles_are_found_by_name_description_and_permission() {
        let mut desk = role("Front Desk", &["booking.update"]);
        desk.description = Some("Empfang".into());
        let words = |name: &str| format!("in words {name}");
        for (typed, is_found) in [
            ("", true),
            (" desk", true),
            ("EMPF", true),
            ("booking.", true),
            ("webhook", false),
        ] {
            assert_eq!(matches(&desk, typed, words), is_found, "{typed}");
        }
    }
}
