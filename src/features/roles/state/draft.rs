//! State of the role form.

use booking_ui::prelude::*;
use booking_wire::Role;

use super::super::model::{RoleFieldError, RoleFormValues};
use super::super::permissions::permission_set::{ImpliedChanges, PermissionSet, RoleScope};
use crate::client::ApiError;

/// State of the role form. Owned by the screen, so leaving the form, a failure or a list reload loses
/// no input.
#[derive(Clone, Copy)]
pub(crate) struct Draft {
    pub(crate) values: RwSignal<RoleFormValues>,
    /// The saved role being edited; `None` for a new one.
    pub(crate) base: RwSignal<Option<Role>>,
    pub(crate) errors: RwSignal<Vec<RoleFieldError>>,
    /// Side effects of the last tick.
    pub(crate) implied: RwSignal<ImpliedChanges>,
    /// Permissions before the last tick, if it changed more than one.
    pub(crate) undo_set: RwSignal<Option<PermissionSet>>,
    pub(crate) save_state: RwSignal<SaveState>,
    /// True if permissions are shown by resource.
    pub(crate) is_compact: RwSignal<bool>,
    /// Resources whose permissions are shown one by one though the others are not.
    pub(crate) custom_resources: RwSignal<Vec<String>>,
    /// True if the API names of permissions are shown.
    pub(crate) shows_identifiers: RwSignal<bool>,
    /// Search text for permissions.
    pub(crate) permission_search: RwSignal<String>,
    /// Initial values of a new role.
    initial: RwSignal<RoleFormValues>,
    /// Increases with each edit, to recognise late responses to earlier ones.
    edit_id: RwSignal<u32>,
    /// Number of times that the form was cleared after a save.
    clear_count: RwSignal<u32>,
    /// Unsaved edits of other roles.
    other_edits: RwSignal<Vec<(RoleFormValues, Option<Role>)>>,
}

/// State of saving.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum SaveState {
    /// Being edited.
    Editing,
    Saving,
    /// Saving failed or was declined.
    Failed(ApiError),
    /// The current role could not be read, so nothing was sent.
    NotRead(ApiError),
    /// Another user has changed the role, to this.
    Conflict(Box<Role>),
    /// The role was deleted.
    Deleted,
}

impl Draft {
    pub(crate) fn new(scope: RoleScope) -> Self {
        Self {
            values: RwSignal::new(RoleFormValues::new(scope)),
            base: RwSignal::new(None),
            errors: RwSignal::new(Vec::new()),
            implied: RwSignal::new(ImpliedChanges::default()),
            undo_set: RwSignal::new(None),
            save_state: RwSignal::new(SaveState::Editing),
            is_compact: RwSignal::new(true),
            custom_resources: RwSignal::new(Vec::new()),
            shows_identifiers: RwSignal::new(false),
            permission_search: RwSignal::new(String::new()),
            initial: RwSignal::new(RoleFormValues::new(scope)),
            edit_id: RwSignal::new(0),
            clear_count: RwSignal::new(0),
            other_edits: RwSignal::new(Vec::new()),
        }
    }

    /// Resumes unsaved edits of the same role, or starts with `values`. Unsaved edits of another role are
    /// put aside.
    pub(crate) fn open(self, values: RoleFormValues, base: Option<Role>) {
        let id = id_of(base.as_ref());
        if self.base.with_untracked(|base| id_of(base.as_ref())) == id
            && untrack(|| self.has_changes())
        {
            return;
        }
        self.put_aside();
        let mut edit = None;
        self.other_edits.update(|other_edits| {
            let position = other_edits
                .iter()
                .position(|(_, base)| id_of(base.as_ref()) == id);
            edit = position.map(|position| other_edits.remove(position));
        });
        match edit {
            Some((edited, base)) => {
                self.start(edited, base);
                self.initial.set(values);
            }
            None => self.start(values, base),
        }
    }

    /// Starts another new role. Unsaved edits are put aside.
    pub(crate) fn open_new(self, values: RoleFormValues) {
        self.put_aside();
        self.start(values, None);
    }

    fn put_aside(self) {
        if untrack(|| self.has_changes()) {
            let values = self.values.get_untracked();
            let base = self.base.get_untracked();
            self.other_edits
                .update(|other_edits| other_edits.push((values, base)));
        }
    }

    /// True if the form has unsaved edits.
    pub(crate) fn has_changes(self) -> bool {
        self.base.with(|base| {
            self.values.with(|values| match base {
                Some(base) => !values.is_same_as(base),
                None => self.initial.with(|start| values != start),
            })
        })
    }

    /// True if any role has unsaved edits.
    pub(crate) fn has_any_unsaved(self) -> bool {
        self.has_changes() || self.other_edits.with(|other_edits| !other_edits.is_empty())
    }

    /// True if the role with `id` has unsaved edits.
    pub(crate) fn has_unsaved(self, id: &str) -> bool {
        let has_id = |base: &Option<Role>| base.as_ref().is_some_and(|role| role.id == id);
        self.base.with(has_id) && self.has_changes()
            || self
                .other_edits
                .with(|other_edits| other_edits.iter().any(|(_, base)| has_id(base)))
    }

    /// Handles that `values` was saved as `role`, in place of `before` or as a new role. Later edits are
    /// based on `role`.
    pub(crate) fn handle_saved(
        self,
        values: &RoleFormValues,
        before: Option<&Role>,
        role: &Role,
        is_open: bool,
    ) {
        let id = id_of(before);
        self.other_edits.update(|other_edits| {
            other_edits.retain(|(other, base)| id_of(base.as_ref()) != id || other != values);
            for (_, base) in other_edits.iter_mut() {
                if id.is_some() && id_of(base.as_ref()) == id {
                    *base = Some(role.clone());
                }
            }
        });
        if is_open {
            self.clear_count
                .update(|count| *count = count.wrapping_add(1));
            self.start(RoleFormValues::new(values.permissions.scope()), None);
        } else if id.is_some() && self.is_editing(before) {
            self.base.set(Some(role.clone()));
        }
    }

    /// Handles that a role was deleted. The input is kept if `is_visible`, which means that its form is on screen.
    pub(crate) fn handle_deleted(self, role: &Role, is_visible: bool) {
        let id = id_of(Some(role));
        self.other_edits
            .update(|other_edits| other_edits.retain(|(_, base)| id_of(base.as_ref()) != id));
        if !self.is_editing(Some(role)) {
            return;
        }
        if is_visible {
            self.save_state.set(SaveState::Deleted);
        } else {
            let scope = self
                .values
                .with_untracked(|values| values.permissions.scope());
            self.start(RoleFormValues::new(scope), None);
        }
    }

    /// Number of times that the form was cleared after a save, which is no change by the user.
    pub(crate) fn clear_count(self) -> u32 {
        self.clear_count.get_untracked()
    }

    /// Id of the current edit.
    pub(crate) fn edit_id(self) -> u32 {
        self.edit_id.get_untracked()
    }

    /// True if `role` is being edited, or a new role if it is `None`.
    pub(crate) fn is_editing(self, role: Option<&Role>) -> bool {
        self.base.with_untracked(|base| id_of(base.as_ref())) == id_of(role)
    }

    /// Discards all unsaved edits.
    pub(crate) fn reset(self) {
        let scope = self
            .values
            .with_untracked(|values| values.permissions.scope());
        let base = self.base.get_untracked();
        let values = match &base {
            Some(base) => RoleFormValues::from_role(scope, base),
            None => self.initial.get_untracked(),
        };
        self.start(values, base);
    }

    /// Starts a new edit.
    pub(crate) fn start(self, values: RoleFormValues, base: Option<Role>) {
        self.base.set(base);
        self.errors.set(Vec::new());
        self.implied.set(ImpliedChanges::default());
        self.undo_set.set(None);
        self.custom_resources.set(Vec::new());
        self.save_state.set(SaveState::Editing);
        self.initial.set(values.clone());
        self.values.set(values);
        self.edit_id.update(|edit_id| *edit_id += 1);
    }

    /// Changes a text and removes errors that no longer apply.
    pub(crate) fn change(self, change: impl FnOnce(&mut RoleFormValues)) {
        self.values.update(change);
        if self.errors.with_untracked(|errors| !errors.is_empty()) {
            // The form derives `NameTaken` live, so no names are needed here.
            let values = self.values.get_untracked();
            let remaining = values.validate(&[], None);
            self.errors
                .update(|errors| errors.retain(|error| remaining.contains(error)));
        }
    }

    /// Changes ticked permissions and records side effects.
    pub(crate) fn tick(self, tick: impl FnOnce(&mut PermissionSet) -> ImpliedChanges) {
        let before = self
            .values
            .with_untracked(|values| values.permissions.clone());
        let mut implied = ImpliedChanges::default();
        self.values
            .update(|values| implied = tick(&mut values.permissions));
        let changed = self
            .values
            .with_untracked(|values| values.permissions.difference_count(&before));
        self.undo_set.set((changed > 1).then_some(before));
        self.implied.set(implied);
    }

    /// Shows the permissions of a resource one by one, or its level only.
    pub(crate) fn set_custom(self, resource: &str, is_custom: bool) {
        let is_shown = |all: &Vec<String>| all.iter().any(|each| each == resource);
        if self.custom_resources.with_untracked(is_shown) == is_custom {
            return;
        }
        self.custom_resources.update(|all| {
            all.retain(|each| each != resource);
            if is_custom {
                all.push(resource.to_owned());
            }
        });
    }

    /// Undoes the last tick.
    pub(crate) fn undo(self) {
        if let Some(before) = self.undo_set.get_untracked() {
            self.values.update(|values| values.permissions = before);
        }
        self.custom_resources.set(Vec::new());
        self.clear_undo();
    }

    /// Removes the undo of the last tick.
    pub(crate) fn clear_undo(self) {
        self.undo_set.set(None);
        self.implied.set(ImpliedChanges::default());
    }

    pub(crate) fn is_saving(self) -> bool {
        self.save_state.with(|state| *state == SaveState::Saving)
    }
}

fn id_of(base: Option<&Role>) -> Option<String> {
    base.map(|role| role.id.clone())
}
