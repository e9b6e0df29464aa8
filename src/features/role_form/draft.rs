//! What is typed so far.

use booking_wire::Role;
use leptos::prelude::*;

use super::model::{Complaint, Typed};
use super::set::{Effects, Held, Level};
use crate::api::ApiError;
use crate::signal::RwSignal;

/// What is typed so far. Owned by the screen: leaving the form, a failure or a reload of the list take
/// nothing away.
#[derive(Clone, Copy)]
pub(super) struct Draft {
    pub(super) typed: RwSignal<Typed>,
    /// The role as it was when it was opened; none of a new one.
    pub(super) base: RwSignal<Option<Role>>,
    pub(super) complaints: RwSignal<Vec<Complaint>>,
    /// What the last press did beside what was pressed.
    pub(super) effects: RwSignal<Effects>,
    /// What was held before it, if it changed more than one permission.
    pub(super) before: RwSignal<Option<Held>>,
    pub(super) stage: RwSignal<Stage>,
    /// What a new role began as.
    start: RwSignal<Typed>,
    /// Counts what was begun: an answer that comes late is about an earlier one.
    edition: RwSignal<u32>,
    /// Counts the forms that were emptied because what they held is saved.
    settled: RwSignal<u32>,
    /// What was typed about other roles and not saved.
    aside: RwSignal<Vec<(Typed, Option<Role>)>>,
}

/// How far saving is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Stage {
    /// Nothing was pressed.
    Typing,
    Saving,
    /// It was not saved, though it was sent.
    Refused(ApiError),
    /// What it has become meanwhile could not be read, and nothing was sent.
    Unread(ApiError),
    /// Somebody else has changed the role meanwhile, to this.
    Overtaken(Box<Role>),
    /// Somebody else has deleted it meanwhile.
    Gone,
}

impl Draft {
    pub(super) fn new(level: Level) -> Self {
        Self {
            typed: RwSignal::new(Typed::new(level)),
            base: RwSignal::new(None),
            complaints: RwSignal::new(Vec::new()),
            effects: RwSignal::new(Effects::default()),
            before: RwSignal::new(None),
            stage: RwSignal::new(Stage::Typing),
            start: RwSignal::new(Typed::new(level)),
            edition: RwSignal::new(0),
            settled: RwSignal::new(0),
            aside: RwSignal::new(Vec::new()),
        }
    }

    /// Goes on with what was typed about the same role, or begins with `typed`. What was typed about
    /// another one is set aside.
    pub(super) fn open(self, typed: Typed, base: Option<Role>) {
        let wanted = id_of(base.as_ref());
        if self.base.with_untracked(|base| id_of(base.as_ref())) == wanted
            && untrack(|| self.is_touched())
        {
            return;
        }
        self.set_aside();
        let mut known = None;
        self.aside.update(|aside| {
            let place = aside
                .iter()
                .position(|(_, base)| id_of(base.as_ref()) == wanted);
            known = place.map(|place| aside.remove(place));
        });
        match known {
            Some((known, base)) => {
                self.begin(known, base);
                self.start.set(typed);
            }
            None => self.begin(typed, base),
        }
    }

    /// Begins another new role. What was typed before is set aside.
    pub(super) fn open_new(self, typed: Typed) {
        self.set_aside();
        self.begin(typed, None);
    }

    fn set_aside(self) {
        if untrack(|| self.is_touched()) {
            let typed = self.typed.get_untracked();
            let base = self.base.get_untracked();
            self.aside.update(|aside| aside.push((typed, base)));
        }
    }

    /// Whether something is typed that is not saved.
    pub(super) fn is_touched(self) -> bool {
        self.base.with(|base| {
            self.typed.with(|typed| match base {
                Some(base) => !typed.is_as(base),
                None => self.start.with(|start| typed != start),
            })
        })
    }

    /// Whether something is typed about the role with `id` that is not saved.
    pub(super) fn has_unsaved(self, id: &str) -> bool {
        let is_about = |base: &Option<Role>| base.as_ref().is_some_and(|role| role.id == id);
        self.base.with(is_about) && self.is_touched()
            || self
                .aside
                .with(|aside| aside.iter().any(|(_, base)| is_about(base)))
    }

    /// `typed` about `before`, or about a new role, is saved as `role`. What was typed since is about
    /// the role as it is by now.
    pub(super) fn settle(self, typed: &Typed, before: Option<&Role>, role: &Role, is_open: bool) {
        let id = id_of(before);
        self.aside.update(|aside| {
            aside.retain(|(other, base)| id_of(base.as_ref()) != id || other != typed);
            for (_, base) in aside.iter_mut() {
                if id.is_some() && id_of(base.as_ref()) == id {
                    *base = Some(role.clone());
                }
            }
        });
        if is_open {
            self.settled
                .update(|settled| *settled = settled.wrapping_add(1));
            self.begin(Typed::new(typed.held.level()), None);
        } else if id.is_some() && self.is_about(before) {
            self.base.set(Some(role.clone()));
        }
    }

    /// The role is no more. `is_seen` if its form is on the screen: what is typed there stays.
    pub(super) fn forget(self, role: &Role, is_seen: bool) {
        let id = id_of(Some(role));
        self.aside
            .update(|aside| aside.retain(|(_, base)| id_of(base.as_ref()) != id));
        if !self.is_about(Some(role)) {
            return;
        }
        if is_seen {
            self.stage.set(Stage::Gone);
        } else {
            let level = self.typed.with_untracked(|typed| typed.held.level());
            self.begin(Typed::new(level), None);
        }
    }

    /// How often the form was emptied because what it held is saved: nobody changed anything then.
    pub(super) fn settled(self) -> u32 {
        self.settled.get_untracked()
    }

    /// The number of what is typed.
    pub(super) fn edition(self) -> Option<u32> {
        self.edition.try_get_untracked()
    }

    /// Whether what is typed is about this role, or a new one as this is.
    pub(super) fn is_about(self, role: Option<&Role>) -> bool {
        self.base.with_untracked(|base| id_of(base.as_ref())) == id_of(role)
    }

    /// Takes back everything that was typed.
    pub(super) fn reset(self) {
        let level = self.typed.with_untracked(|typed| typed.held.level());
        let base = self.base.get_untracked();
        let typed = match &base {
            Some(base) => Typed::of(level, base),
            None => self.start.get_untracked(),
        };
        self.begin(typed, base);
    }

    /// Something else is typed from here on.
    pub(super) fn begin(self, typed: Typed, base: Option<Role>) {
        self.base.set(base);
        self.complaints.set(Vec::new());
        self.effects.set(Effects::default());
        self.before.set(None);
        self.stage.set(Stage::Typing);
        self.start.set(typed.clone());
        self.typed.set(typed);
        self.edition.update(|edition| *edition += 1);
    }

    /// Changes a text; complaints were about what was there before.
    pub(super) fn change(self, change: impl FnOnce(&mut Typed)) {
        self.typed.update(change);
        if self.complaints.with_untracked(|found| !found.is_empty()) {
            // Whether a name is taken is told as long as it is so, whoever asks.
            let typed = self.typed.get_untracked();
            let still = typed.complaints(&[], None);
            self.complaints
                .update(|found| found.retain(|complaint| still.contains(complaint)));
        }
    }

    /// Changes what is ticked, and tells what else changed by it.
    pub(super) fn tick(self, tick: impl FnOnce(&mut Held) -> Effects) {
        let before = self.typed.with_untracked(|typed| typed.held.clone());
        let mut effects = Effects::default();
        self.typed.update(|typed| effects = tick(&mut typed.held));
        let changed = self
            .typed
            .with_untracked(|typed| typed.held.distance(&before));
        self.before.set((changed > 1).then_some(before));
        self.effects.set(effects);
    }

    /// Takes the last press back.
    pub(super) fn undo(self) {
        if let Some(before) = self.before.get_untracked() {
            self.typed.update(|typed| typed.held = before);
        }
        self.forget_press();
    }

    /// Tells of the last press no more.
    pub(super) fn forget_press(self) {
        self.before.set(None);
        self.effects.set(Effects::default());
    }

    pub(super) fn is_saving(self) -> bool {
        self.stage.with(|stage| *stage == Stage::Saving)
    }
}

fn id_of(base: Option<&Role>) -> Option<String> {
    base.map(|role| role.id.clone())
}
