//! Permissions of an edited role: each tick keeps their requirements satisfied. No DOM.

use booking_wire::{ORGANIZATION_PERMISSIONS, Permission, TEAM_PERMISSIONS};

use super::dependencies::{PermissionDependency, falling, missing};
use crate::components::TriState;

/// Owner of a role.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// A team.
    Team,
    /// An organisation.
    Organization,
}

impl Level {
    /// Permissions that a role may have, in API order.
    pub fn known(self) -> &'static [&'static str] {
        match self {
            Self::Team => &TEAM_PERMISSIONS,
            Self::Organization => &ORGANIZATION_PERMISSIONS,
        }
    }
}

/// Permission for everything, now and in future.
pub const EVERYTHING: &str = "*.*";

/// Permissions of a role. Unknown ones of a newer service are kept unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PermissionSet {
    level: Level,
    names: Vec<String>,
    /// Ticked ones; the others are requirements.
    by_hand: Vec<String>,
}

/// Side effects of a tick.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ImpliedChanges {
    /// Added requirements.
    pub came: Vec<PermissionDependency>,
    /// Removed dependants.
    pub fell: Vec<PermissionDependency>,
}

impl PermissionSet {
    /// Holds each of `permissions` once.
    pub fn new(level: Level, permissions: &[Permission]) -> Self {
        let mut names: Vec<String> = Vec::new();
        for permission in permissions {
            if !names.contains(&permission.0) {
                names.push(permission.0.clone());
            }
        }
        Self {
            level,
            by_hand: names.clone(),
            names,
        }
    }

    /// Owner of the role.
    pub fn level(&self) -> Level {
        self.level
    }

    /// True if it contains `name`.
    pub fn has(&self, name: &str) -> bool {
        self.names.iter().any(|held| held == name)
    }

    /// Number of permissions.
    pub fn count(&self) -> usize {
        self.names.len()
    }

    /// Permissions unknown to this version.
    pub fn unknown(&self) -> impl Iterator<Item = &str> {
        let known = self.level.known();
        let names = self.names.iter().map(String::as_str);
        names.filter(move |name| !known.contains(name))
    }

    /// Number of permissions that differ.
    pub fn distance(&self, other: &Self) -> usize {
        let beside = |one: &Self, other: &Self| {
            let names = one.names.iter();
            names.filter(|name| !other.has(name)).count()
        };
        beside(self, other) + beside(other, self)
    }

    /// None, some or all of `names`.
    pub fn state_of(&self, names: &[&str]) -> TriState {
        match names.iter().filter(|name| self.has(name)).count() {
            0 => TriState::None,
            count if count == names.len() => TriState::All,
            _ => TriState::Some,
        }
    }

    /// Adds `names` with their requirements, or removes them with their dependants. Returns the side
    /// effects.
    pub fn set(&mut self, names: &[&str], is_held: bool) -> ImpliedChanges {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let known = self.level.known();
        if is_held {
            let came = missing(&names, &self.names, known);
            // A ticked name counts as ticked, even if required before.
            let came: Vec<PermissionDependency> = came
                .into_iter()
                .filter(|tie| !names.contains(&tie.name))
                .collect();
            for name in &names {
                push_once(&mut self.names, name);
                push_once(&mut self.by_hand, name);
            }
            for tie in &came {
                push_once(&mut self.names, &tie.name);
            }
            return ImpliedChanges {
                came,
                fell: Vec::new(),
            };
        }
        let fell = falling(&names, &self.names, known);
        let fell: Vec<PermissionDependency> = fell
            .into_iter()
            .filter(|tie| !names.contains(&tie.name))
            .collect();
        let is_gone =
            |name: &String| names.contains(name) || fell.iter().any(|tie| tie.name == *name);
        self.names.retain(|name| !is_gone(name));
        self.by_hand.retain(|name| !is_gone(name));
        ImpliedChanges {
            came: Vec::new(),
            fell,
        }
    }

    /// Replaces all but unknown permissions by `names` with requirements.
    pub fn replace(&mut self, names: &[&str]) {
        let unknown: Vec<String> = self.unknown().map(str::to_owned).collect();
        self.names = unknown.clone();
        self.by_hand = unknown;
        self.set(names, true);
    }

    /// Missing requirements: roles created elsewhere may lack them.
    pub fn gaps(&self) -> Vec<PermissionDependency> {
        if self.has(EVERYTHING) {
            return Vec::new();
        }
        missing(&self.names, &self.names, self.level.known())
    }

    /// Adds missing requirements.
    pub fn fill_gaps(&mut self) {
        for tie in self.gaps() {
            push_once(&mut self.names, &tie.name);
        }
    }

    /// Adds `names` as requirements.
    pub fn bring(&mut self, names: &[&str]) {
        for name in names {
            push_once(&mut self.names, name);
        }
    }

    /// Permissions to send: in API order, then unknown ones.
    pub fn permissions(&self) -> Vec<Permission> {
        let known = self.level.known().iter().copied();
        let known = known.filter(|name| self.has(name));
        known
            .chain(self.unknown())
            .map(|name| Permission(name.to_owned()))
            .collect()
    }

    /// Difference from `before`.
    pub fn since(&self, before: &[Permission]) -> Difference {
        let was = |name: &str| before.iter().any(|permission| permission.0 == name);
        let mut difference = Difference::default();
        for permission in self.permissions() {
            if was(&permission.0) {
                continue;
            }
            if self.by_hand.contains(&permission.0) {
                difference.added.push(permission.0);
            } else {
                difference.implied.push(permission.0);
            }
        }
        for permission in before {
            if !self.has(&permission.0) && !difference.removed.contains(&permission.0) {
                difference.removed.push(permission.0.clone());
            }
        }
        difference
    }
}

fn push_once(names: &mut Vec<String>, name: &str) {
    if !names.iter().any(|known| known == name) {
        names.push(name.to_owned());
    }
}

/// Changed permissions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Difference {
    /// Ticked ones.
    pub added: Vec<String>,
    /// Requirements of ticked ones.
    pub implied: Vec<String>,
    /// Removed ones.
    pub removed: Vec<String>,
}

impl Difference {
    /// True if nothing changes.
    pub fn is_none(&self) -> bool {
        self.added.is_empty() && self.implied.is_empty() && self.removed.is_empty()
    }
}

/// Access level of a resource.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Grade {
    /// No access.
    None,
    /// Read access only.
    Read,
    /// Full access.
    All,
    /// Any other combination.
    Mixed,
}

impl PermissionSet {
    /// Access level of a resource with these permissions.
    pub fn grade(&self, names: &[&str]) -> Grade {
        match self.state_of(names) {
            TriState::None => Grade::None,
            TriState::All => Grade::All,
            TriState::Some => {
                let is_read = |name: &&&str| self.has(name) == name.ends_with(".read");
                if names.iter().all(|name| is_read(&name)) {
                    Grade::Read
                } else {
                    Grade::Mixed
                }
            }
        }
    }

    /// Sets the access level of these permissions.
    pub fn set_grade(&mut self, names: &[&str], grade: Grade) -> ImpliedChanges {
        match grade {
            Grade::Mixed => ImpliedChanges::default(),
            Grade::None => self.set(names, false),
            Grade::All => self.set(names, true),
            Grade::Read => {
                let (read, others): (Vec<&str>, Vec<&str>) =
                    names.iter().partition(|name| name.ends_with(".read"));
                let ImpliedChanges { fell, .. } = self.set(&others, false);
                let ImpliedChanges { came, .. } = self.set(&read, true);
                ImpliedChanges { came, fell }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(names: &[&str]) -> Vec<Permission> {
        names
            .iter()
            .map(|name| Permission((*name).to_owned()))
            .collect()
    }

    fn names(held: &PermissionSet) -> Vec<String> {
        held.permissions().into_iter().map(|held| held.0).collect()
    }

    /// Reproducible pseudo-random numbers.
    struct Dice(u64);

    impl Dice {
        fn below(&mut self, sides: usize) -> usize {
            self.0 ^= self.0 << 13;
            self.0 ^= self.0 >> 7;
            self.0 ^= self.0 << 17;
            (self.0 % sides as u64) as usize
        }
    }

    /// True if no requirement is missing.
    fn is_closed(held: &PermissionSet) -> bool {
        held.gaps().is_empty()
    }

    #[test]
    fn after_any_presses_the_set_is_its_closure_and_unknown_ones_are_still_there() {
        for level in [Level::Team, Level::Organization] {
            let known = level.known();
            let mut dice = Dice(0x9E37_79B9_7F4A_7C15);
            for _ in 0..300 {
                let unknown = of(&["space.fly", "odd"]);
                let mut held = PermissionSet::new(level, &unknown);
                for _ in 0..25 {
                    let count = 1 + dice.below(3);
                    let pressed: Vec<&str> =
                        (0..count).map(|_| known[dice.below(known.len())]).collect();
                    let before = held.clone();
                    let is_ticked = dice.below(2) == 0;
                    let effects = held.set(&pressed, is_ticked);
                    assert!(is_closed(&held), "{pressed:?} {is_ticked}: {held:?}");
                    for name in &pressed {
                        assert_eq!(held.has(name), is_ticked, "{name}");
                    }
                    assert!(held.has("space.fly") && held.has("odd"));
                    // Other changes are exactly the reported side effects.
                    let told: Vec<&String> = effects
                        .came
                        .iter()
                        .chain(&effects.fell)
                        .map(|tie| &tie.name)
                        .collect();
                    for name in known {
                        let has_changed = before.has(name) != held.has(name);
                        let is_told = told.iter().any(|told| told == name);
                        if !pressed.contains(name) {
                            assert_eq!(has_changed, is_told, "{name} of {pressed:?}");
                        }
                    }
                }
            }
        }
    }

    #[test]
    fn taking_away_removes_the_least() {
        let known = Level::Team.known();
        let mut dice = Dice(0x1234_5678_9ABC_DEF1);
        for _ in 0..500 {
            let mut held = PermissionSet::new(Level::Team, &[]);
            for _ in 0..8 {
                held.set(&[known[dice.below(known.len())]], true);
            }
            let before = names(&held);
            let Some(name) = before.get(dice.below(before.len().max(1))).cloned() else {
                continue;
            };
            let effects = held.set(&[&name], false);
            // Keeping any removed dependant would leave a requirement missing.
            for tie in &effects.fell {
                let mut kept = held.clone();
                kept.names.push(tie.name.clone());
                assert!(
                    kept.gaps().iter().any(|gap| {
                        gap.name == name || effects.fell.iter().any(|other| other.name == gap.name)
                    }),
                    "{tie:?} fell with {name} for nothing"
                );
            }
        }
    }

    #[test]
    fn what_is_sent_is_what_the_difference_says() {
        let known = Level::Organization.known();
        let mut dice = Dice(0xDEAD_BEEF_CAFE_F00D);
        for _ in 0..300 {
            let mut held = PermissionSet::new(Level::Organization, &of(&["space.fly"]));
            for _ in 0..6 {
                held.set(&[known[dice.below(known.len())]], true);
            }
            let before = held.permissions();
            for _ in 0..6 {
                held.set(&[known[dice.below(known.len())]], dice.below(2) == 0);
            }
            let difference = held.since(&before);
            let mut expected: Vec<String> = before
                .iter()
                .map(|held| held.0.clone())
                .filter(|name| !difference.removed.contains(name))
                .chain(difference.added)
                .chain(difference.implied)
                .collect();
            let mut sent = names(&held);
            expected.sort();
            sent.sort();
            assert_eq!(sent, expected);
        }
    }

    #[test]
    fn what_came_along_is_told_apart_from_what_was_ticked() {
        let mut held = PermissionSet::new(Level::Team, &of(&["booking.read"]));
        held.set(&["team.remove"], true);
        held.set(&["booking.read"], false);
        let difference = held.since(&of(&["booking.read"]));
        assert_eq!(difference.added, ["team.remove"]);
        assert_eq!(difference.implied, ["team.read", "team.listMembers"]);
        assert_eq!(difference.removed, ["booking.read"]);
        // Ticked later, it counts as ticked.
        held.set(&["team.read"], true);
        assert_eq!(held.since(&[]).implied, ["team.listMembers"]);
    }

    #[test]
    fn a_role_that_others_made_stays_as_it_is_until_it_is_mended() {
        let mut held = PermissionSet::new(Level::Team, &of(&["webhook.update", "webhook.update"]));
        assert_eq!(names(&held), ["webhook.update"]);
        assert_eq!(held.gaps().len(), 1);
        held.fill_gaps();
        assert!(is_closed(&held));
        assert_eq!(
            held.since(&of(&["webhook.update"])).implied,
            ["webhook.read"]
        );
    }

    #[test]
    fn whoever_may_do_everything_lacks_nothing() {
        let held = PermissionSet::new(Level::Organization, &of(&["*.*", "webhook.update"]));
        assert!(held.gaps().is_empty());
    }

    #[test]
    fn a_resource_is_held_in_grades() {
        let webhook = [
            "webhook.create",
            "webhook.read",
            "webhook.update",
            "webhook.delete",
        ];
        let mut held = PermissionSet::new(Level::Team, &[]);
        for grade in [
            Grade::Read,
            Grade::All,
            Grade::None,
            Grade::All,
            Grade::Read,
        ] {
            held.set_grade(&webhook, grade);
            assert_eq!(held.grade(&webhook), grade);
        }
        held.set(&["webhook.update"], true);
        assert_eq!(held.grade(&webhook), Grade::Mixed);
        held.set_grade(&webhook, Grade::Mixed);
        assert_eq!(held.grade(&webhook), Grade::Mixed);
        // Dependants elsewhere are removed too.
        held.set(&["team.changeMemberRole"], true);
        let role = ["role.create", "role.read", "role.update", "role.delete"];
        let effects = held.set_grade(&role, Grade::None);
        assert_eq!(effects.fell.len(), 1);
        assert!(!held.has("team.changeMemberRole"));
        // With one permission, read is all.
        assert_eq!(held.grade(&["insights.read"]), Grade::None);
        held.set_grade(&["insights.read"], Grade::Read);
        assert_eq!(held.grade(&["insights.read"]), Grade::All);
    }

    #[test]
    fn a_preset_keeps_what_is_not_known() {
        let mut held = PermissionSet::new(Level::Team, &of(&["space.fly", "webhook.read"]));
        held.replace(&["booking.update"]);
        assert_eq!(
            names(&held),
            ["booking.read", "booking.update", "space.fly"]
        );
    }
}
