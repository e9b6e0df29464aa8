//! Permission presets for a role. No DOM.

use crate::i18n::Key;

use super::permission_set::Level;

/// A permission preset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// No permissions.
    Nothing,
    /// All read permissions, no changes.
    Reader,
    /// Day-to-day work on bookings.
    RolesState,
    /// Event types, workflows and routing forms.
    Offers,
    /// Membership management.
    People,
    /// Webhook integrations.
    Connections,
    /// All permissions but `*.*`.
    All,
}

impl Preset {
    /// All presets, in display order.
    pub const ALL: [Self; 7] = [
        Self::Nothing,
        Self::Reader,
        Self::RolesState,
        Self::Offers,
        Self::People,
        Self::Connections,
        Self::All,
    ];

    /// Key of its name.
    pub fn key(self) -> Key {
        match self {
            Self::Nothing => Key::PresetNothing,
            Self::Reader => Key::PresetReader,
            Self::RolesState => Key::PresetDesk,
            Self::Offers => Key::PresetOffers,
            Self::People => Key::PresetPeople,
            Self::Connections => Key::PresetConnections,
            Self::All => Key::PresetAll,
        }
    }

    /// Permissions to tick, before requirements.
    pub fn permissions(self, level: Level) -> Vec<&'static str> {
        let known = level.known().iter().copied();
        let picks = move |name: &&str| {
            let (resource, action) = name.rsplit_once('.').unwrap_or_default();
            match self {
                Self::Nothing => false,
                Self::Reader => action.starts_with("read") || action.starts_with("listMembers"),
                Self::RolesState => {
                    resource == "booking" && !action.ends_with("AuditLogs")
                        || matches!(*name, "eventType.read" | "team.listMembers")
                }
                Self::Offers => matches!(resource, "eventType" | "workflow" | "routingForm"),
                Self::People => matches!(action, "invite" | "remove" | "changeMemberRole"),
                Self::Connections => resource == "webhook" || *name == "eventType.read",
                // `*.*` grants everything, so no preset ticks it.
                Self::All => resource != "*",
            }
        };
        known.filter(picks).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::permission_set::PermissionSet;
    use super::*;

    fn held(preset: Preset, level: Level) -> PermissionSet {
        let mut held = PermissionSet::new(level, &[]);
        held.replace(&preset.permissions(level));
        held
    }

    #[test]
    fn presets_hold_what_their_names_say() {
        let sizes = Preset::ALL.map(|preset| held(preset, Level::Team).count());
        assert_eq!(sizes, [0, 14, 7, 12, 6, 5, 37]);
        let reader = held(Preset::Reader, Level::Team);
        for permission in reader.permissions() {
            let action = permission.action().to_owned();
            assert!(
                action.starts_with("read") || action.starts_with("listMembers"),
                "{permission}"
            );
        }
        assert!(!held(Preset::All, Level::Organization).has("*.*"));
        assert_eq!(held(Preset::All, Level::Organization).count(), 58);
    }

    #[test]
    fn what_a_preset_holds_works() {
        for level in [Level::Team, Level::Organization] {
            for preset in Preset::ALL {
                assert!(held(preset, level).gaps().is_empty(), "{preset:?}");
            }
        }
    }
}
