//! Sets of permissions to start from. No document.

use crate::i18n::Key;

use super::set::Level;

/// Something to start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// Nothing at all.
    Nothing,
    /// To see everything and change nothing.
    Reader,
    /// The team's bookings, day by day.
    Desk,
    /// What can be booked, and what happens around it.
    Offers,
    /// Who belongs to the team.
    People,
    /// How other systems are connected.
    Connections,
    /// Everything.
    All,
}

impl Preset {
    /// All of them, from the least to the most.
    pub const ALL: [Self; 7] = [
        Self::Nothing,
        Self::Reader,
        Self::Desk,
        Self::Offers,
        Self::People,
        Self::Connections,
        Self::All,
    ];

    /// What it is called.
    pub fn key(self) -> Key {
        match self {
            Self::Nothing => Key::PresetNothing,
            Self::Reader => Key::PresetReader,
            Self::Desk => Key::PresetDesk,
            Self::Offers => Key::PresetOffers,
            Self::People => Key::PresetPeople,
            Self::Connections => Key::PresetConnections,
            Self::All => Key::PresetAll,
        }
    }

    /// What it ticks; what that needs comes along.
    pub fn permissions(self, level: Level) -> Vec<&'static str> {
        let known = level.known().iter().copied();
        let picks = move |name: &&str| {
            let (resource, action) = name.rsplit_once('.').unwrap_or_default();
            match self {
                Self::Nothing => false,
                Self::Reader => action.starts_with("read") || action.starts_with("listMembers"),
                Self::Desk => {
                    resource == "booking" && !action.ends_with("AuditLogs")
                        || matches!(*name, "eventType.read" | "team.listMembers")
                }
                Self::Offers => matches!(resource, "eventType" | "workflow" | "routingForm"),
                Self::People => matches!(action, "invite" | "remove" | "changeMemberRole"),
                Self::Connections => resource == "webhook" || *name == "eventType.read",
                // What covers everything is never ticked for anybody.
                Self::All => resource != "*",
            }
        };
        known.filter(picks).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::super::set::Held;
    use super::*;

    fn held(preset: Preset, level: Level) -> Held {
        let mut held = Held::new(level, &[]);
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
