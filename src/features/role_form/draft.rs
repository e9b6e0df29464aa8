//! What is typed so far.

use booking_wire::Role;
use leptos::prelude::*;

use super::model::{Complaint, Typed};
use super::set::{Effects, Held, Level};
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
    /// What was held before it.
    before: StoredValue<Option<Held>>,
    pub(super) stage: RwSignal<Stage>,
}

/// How far saving is.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Stage {
    /// Nothing was pressed.
    Typing,
    Saving,
    /// It was not saved: title and text.
    Failed(String, String),
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
            before: StoredValue::new(None),
            stage: RwSignal::new(Stage::Typing),
        }
    }

    /// Something else is typed from here on.
    pub(super) fn begin(self, typed: Typed, base: Option<Role>) {
        self.base.set(base);
        self.complaints.set(Vec::new());
        self.effects.set(Effects::default());
        self.before.set_value(None);
        self.stage.set(Stage::Typing);
        self.typed.set(typed);
    }

    /// Changes a text; complaints were about what was there before.
    pub(super) fn change(self, change: impl FnOnce(&mut Typed)) {
        self.typed.update(change);
        if self.complaints.with_untracked(|found| !found.is_empty()) {
            // Whether a name is taken is told as long as it is so, whoever asks.
            let typed = self.typed.get_untracked();
            let still = typed.complaints(&[]);
            self.complaints
                .update(|found| found.retain(|complaint| still.contains(complaint)));
        }
    }

    /// Changes what is ticked, and tells what else changed by it.
    pub(super) fn tick(self, tick: impl FnOnce(&mut Held) -> Effects) {
        let before = self.typed.with_untracked(|typed| typed.held.clone());
        let mut effects = Effects::default();
        self.typed.update(|typed| effects = tick(&mut typed.held));
        self.before
            .set_value((!effects.is_none()).then_some(before));
        self.effects.set(effects);
    }

    /// Takes the last press back.
    pub(super) fn undo(self) {
        if let Some(before) = self.before.get_value() {
            self.typed.update(|typed| typed.held = before);
        }
        self.before.set_value(None);
        self.effects.set(Effects::default());
    }

    pub(super) fn is_saving(self) -> bool {
        self.stage.with(|stage| *stage == Stage::Saving)
    }
}
