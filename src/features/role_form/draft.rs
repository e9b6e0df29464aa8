//! State of the role form.

use booking_wire::Role;
use leptos::prelude::*;

use super::model::{RoleFieldError, RoleFormValues};
use super::permission_set::{ImpliedChanges, Level, PermissionSet};
use crate::client::ApiError;
use crate::ui::signal::RwSignal;

/// State of the role form. Owned by the screen, so leaving the form, a failure or a list reload loses
/// no input.
#[derive(Clone, Copy)]
pub(super) struct Draft {
    pub(super) typed: RwSignal<RoleFormValues>,
    /// The saved role being edited; `None` for a new one.
    pub(super) base: RwSignal<Option<Role>>,
    pub(super) complaints: RwSignal<Vec<RoleFieldError>>,
    /// Side effects of the last tick.
    pub(super) effects: RwSignal<ImpliedChanges>,
    /// Permissions before it, if it changed more than one.
    pub(super) before: RwSignal<Option<PermissionSet>>,
    pub(super) stage: RwSignal<SaveState>,
    /// Initial values of a new role.
    start: RwSignal<RoleFormValues>,
    /// Increases with each edit, to recognise late responses to earlier ones.
    edition: RwSignal<u32>,
    /// Number of times that the form was cleared after a save.
    settled: RwSignal<u32>,
    /// Unsaved edits of other roles.
    aside: RwSignal<Vec<(RoleFormValues, Option<Role>)>>,
}

/// State of saving.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum SaveState {
    /// Being edited.
    Typing,
    Saving,
    /// Saving failed or was declined.
    Refused(ApiError),
    /// The current role could not be read, so nothing was sent.
    Unread(ApiError),
    /// Another user has changed the role, to this.
    Overtaken(Box<Role>),
    /// The role was deleted.
    Gone,
}

impl Draft {
    pub(super) fn new(level: Level) -> Self {
        Self {
            typed: RwSignal::new(RoleFormValues::new(level)),
            base: RwSignal::new(None),
            complaints: RwSignal::new(Vec::new()),
            effects: RwSignal::new(ImpliedChanges::default()),
            before: RwSignal::new(None),
            stage: RwSignal::new(SaveState::Typing),
            start: RwSignal::new(RoleFormValues::new(level)),
            edition: RwSignal::new(0),
            settled: RwSignal::new(0),
            aside: RwSignal::new(Vec::new()),
        }
    }

    /// Resumes unsaved edits of the same role, or starts with `typed`. Unsaved edits of another role are
    /// set aside.
    pub(super) fn open(self, typed: RoleFormValues, base: Option<Role>) {
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

    /// Starts another new role. Unsaved edits are set aside.
    pub(super) fn open_new(self, typed: RoleFormValues) {
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

    /// True if the form has unsaved edits.
    pub(super) fn is_touched(self) -> bool {
        self.base.with(|base| {
            self.typed.with(|typed| match base {
                Some(base) => !typed.is_as(base),
                None => self.start.with(|start| typed != start),
            })
        })
    }

    /// True if the role with `id` has unsaved edits.
    pub(super) fn has_unsaved(self, id: &str) -> bool {
        let is_about = |base: &Option<Role>| base.as_ref().is_some_and(|role| role.id == id);
        self.base.with(is_about) && self.is_touched()
            || self
                .aside
                .with(|aside| aside.iter().any(|(_, base)| is_about(base)))
    }

    /// Handles that `typed` was saved as `role`, in place of `before` or as a new role. Later edits are
    /// based on `role`.
    pub(super) fn settle(
        self,
        typed: &RoleFormValues,
        before: Option<&Role>,
        role: &Role,
        is_open: bool,
    ) {
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
            self.begin(RoleFormValues::new(typed.held.level()), None);
        } else if id.is_some() && self.is_about(before) {
            self.base.set(Some(role.clone()));
        }
    }

    /// Handles that a role was deleted. `is_seen` if its form is on screen: its input is kept.
    pub(super) fn forget(self, role: &Role, is_seen: bool) {
        let id = id_of(Some(role));
        self.aside
            .update(|aside| aside.retain(|(_, base)| id_of(base.as_ref()) != id));
        if !self.is_about(Some(role)) {
            return;
        }
        if is_seen {
            self.stage.set(SaveState::Gone);
        } else {
            let level = self.typed.with_untracked(|typed| typed.held.level());
            self.begin(RoleFormValues::new(level), None);
        }
    }

    /// Number of times that the form was cleared after a save, which is no change by the user.
    pub(super) fn settled(self) -> u32 {
        self.settled.get_untracked()
    }

    /// Number of the current edit.
    pub(super) fn edition(self) -> Option<u32> {
        self.edition.try_get_untracked()
    }

    /// True if `role` is being edited, or a new role if it is `None`.
    pub(super) fn is_about(self, role: Option<&Role>) -> bool {
        self.base.with_untracked(|base| id_of(base.as_ref())) == id_of(role)
    }

    /// Discards all unsaved edits.
    pub(super) fn reset(self) {
        let level = self.typed.with_untracked(|typed| typed.held.level());
        let base = self.base.get_untracked();
        let typed = match &base {
            Some(base) => RoleFormValues::of(level, base),
            None => self.start.get_untracked(),
        };
        self.begin(typed, base);
    }

    /// Starts a new edit.
    pub(super) fn begin(self, typed: RoleFormValues, base: Option<Role>) {
        self.base.set(base);
        self.complaints.set(Vec::new());
        self.effects.set(ImpliedChanges::default());
        self.before.set(None);
        self.stage.set(SaveState::Typing);
        self.start.set(typed.clone());
        self.typed.set(typed);
        self.edition.update(|edition| *edition += 1);
    }

    /// Changes a text and removes errors that no longer apply.
    pub(super) fn change(self, change: impl FnOnce(&mut RoleFormValues)) {
        self.typed.update(change);
        if self.complaints.with_untracked(|found| !found.is_empty()) {
            // The form derives `NameTaken` live, so no names are needed here.
            let typed = self.typed.get_untracked();
            let still = typed.complaints(&[], None);
            self.complaints
                .update(|found| found.retain(|complaint| still.contains(complaint)));
        }
    }

    /// Changes ticked permissions and records side effects.
    pub(super) fn tick(self, tick: impl FnOnce(&mut PermissionSet) -> ImpliedChanges) {
        let before = self.typed.with_untracked(|typed| typed.held.clone());
        let mut effects = ImpliedChanges::default();
        self.typed.update(|typed| effects = tick(&mut typed.held));
        let changed = self
            .typed
            .with_untracked(|typed| typed.held.distance(&before));
        self.before.set((changed > 1).then_some(before));
        self.effects.set(effects);
    }

    /// Undoes the last tick.
    pub(super) fn undo(self) {
        if let Some(before) = self.before.get_untracked() {
            self.typed.update(|typed| typed.held = before);
        }
        self.forget_press();
    }

    /// Forgets the last tick.
    pub(super) fn forget_press(self) {
        self.before.set(None);
        self.effects.set(ImpliedChanges::default());
    }

    pub(super) fn is_saving(self) -> bool {
        self.stage.with(|stage| *stage == SaveState::Saving)
    }
}

fn id_of(base: Option<&Role>) -> Option<String> {
    base.map(|role| role.id.clone())
}
