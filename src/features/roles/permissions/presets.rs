//! Permission presets for a role. No DOM.

use crate::i18n::Key;

use super::permission_set::RoleScope;

/// A permission preset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// No permissions.
    Empty,
    /// All read permissions, no changes.
    ReadOnly,
    /// Day-to-day work on bookings.
    FrontDesk,
    /// Event types, workflows and routing forms.
    EventTypes,
    /// Membership management.
    Membership,
    /// Webhook integrations.
    Integrations,
    /// All permissions but `*.*`.
    All,
}

impl Preset {
    /// All presets, in display order.
    pub const ALL: [Self; 7] = [
        Self::Empty,
        Self::ReadOnly,
        Self::FrontDesk,
        Self::EventTypes,
        Self::Membership,
        Self::Integrations,
        Self::All,
    ];

    /// Key of its name.
    pub fn key(self) -> Key {
        match self {
            Self::Empty => Key::PresetNothing,
            Self::ReadOnly => Key::PresetReader,
            Self::FrontDesk => Key::PresetDesk,
            Self::EventTypes => Key::PresetOffers,
            Self::Membership => Key::PresetPeople,
            Self::Integrations => Key::PresetConnections,
            Self::All => Key::PresetAll,
        }
    }

    /// Permissions to tick, before requirements.
    pub fn permissions(self, scope: RoleScope) -> Vec<&'static str> {
        let known = scope.known().iter().copied();
        let is_included = move |name: &&str| {
            let (resource, action) = name.rsplit_once('.').unwrap_or_default();
            match self {
                Self::Empty => false,
                Self::ReadOnly => action.starts_with("read") || action.starts_with("listMembers"),
                Self::FrontDesk => {
                    resource == "booking" && !action.ends_with("AuditLogs")
                        || matches!(*name, "eventType.read" | "team.listMembers")
                }
                Self::EventTypes => matches!(resource, "eventType" | "workflow" | "routingForm"),
                Self::Membership => matches!(action, "invite" | "remove" | "changeMemberRole"),
                Self::Integrations => resource == "webhook" || *name == "eventType.read",
                // `*.*` grants everything, so no preset ticks it.
                Self::All => resource != "*",
            }
        };
        known.filter(is_included).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::permission_set::PermissionSet;
    use super::*;

    fn permission_set(preset: Preset, scope: RoleScope) -> PermissionSet {
        let mut permission_set = PermissionSet::new(scope, &[]);
        permission_set.replace(&preset.permissions(scope));
        permission_set
    }

    #[test]
    fn presets_have_expected_permissions() {
        let sizes = Preset::ALL.map(|preset| permission_set(preset, RoleScope::Team).count());
        assert_eq!(sizes, [0, 14, 7, 12, 6, 5, 37]);
        let read_only = permission_set(Preset::ReadOnly, RoleScope::Team);
        for permission in read_only.to_permissions() {
            let action = permission.action().to_owned();
            assert!(
                action.starts_with("read") || action.starts_with("listMembers"),
                "{permission}"
            );
        }
        assert!(!permission_set(Preset::All, RoleScope::Organization).has("*.*"));
        assert_eq!(
            permission_set(Preset::All, RoleScope::Organization).count(),
            58
        );
    }

    #[test]
    fn presets_have_no_missing_requirements() {
        for scope in [RoleScope::Team, RoleScope::Organization] {
            for preset in Preset::ALL {
                assert!(
                    permission_set(preset, scope)
                        .missing_requirements()
                        .is_empty(),
                    "{preset:?}"
                );
            }
        }
    }
}
