//! State of the list: search, selection and pending changes.

use booking_ui::prelude::*;
use booking_wire::Role;

use super::super::model::matches;
use super::super::permissions::permission_set::ImpliedChanges;
use crate::client::ApiError;
use crate::features::roles::texts::{permission_text, shown_role};
use crate::i18n::Translations;

/// State of the list.
#[derive(Clone, Copy)]
pub(crate) struct ListState {
    /// Search text.
    pub(crate) search: RwSignal<String>,
    /// Ids of the expanded roles.
    pub(crate) expanded: RwSignal<Vec<String>>,
    /// Ids of the roles to compare.
    pub(crate) selected: RwSignal<Vec<String>>,
    /// True if only differences are compared.
    pub(crate) only_differences: RwSignal<bool>,
    /// Role awaiting confirmation of its deletion.
    pub(crate) role_to_delete: RwSignal<Option<Role>>,
    /// Id and error of a failed deletion.
    pub(crate) delete_error: RwSignal<Option<(String, ApiError)>>,
    /// Name of a role that another user deleted before it could be changed.
    pub(crate) deleted_name: RwSignal<Option<String>>,
    /// Id of the role that was saved last, until another one is opened.
    pub(crate) saved_role: RwSignal<Option<String>>,
    /// Permissions that were removed from expanded roles, with their dependants: role id and names of each change.
    pub(crate) removed: RwSignal<Vec<(String, Vec<String>)>>,
    /// Role id and the permission chosen to be added.
    pub(crate) chosen_permission: RwSignal<(String, String)>,
    /// Result of the last change of a single permission.
    pub(crate) change_result: RwSignal<Option<ChangeResult>>,
    /// Pending changes: role id and permission name, which is empty for a deletion.
    pending: RwSignal<Vec<(String, String)>>,
}

/// Result of the last change of a single permission.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ChangeResult {
    /// Role id.
    pub(crate) id: String,
    /// Side effects, or the error.
    pub(crate) outcome: Result<ImpliedChanges, ApiError>,
}

impl ListState {
    pub(crate) fn new() -> Self {
        Self {
            search: RwSignal::new(String::new()),
            expanded: RwSignal::new(Vec::new()),
            selected: RwSignal::new(Vec::new()),
            only_differences: RwSignal::new(false),
            role_to_delete: RwSignal::new(None),
            delete_error: RwSignal::new(None),
            deleted_name: RwSignal::new(None),
            saved_role: RwSignal::new(None),
            removed: RwSignal::new(Vec::new()),
            chosen_permission: RwSignal::default(),
            change_result: RwSignal::new(None),
            pending: RwSignal::new(Vec::new()),
        }
    }

    /// True if a role matches the search.
    pub(crate) fn is_found(self, role: &Role, texts: Translations) -> bool {
        let role = shown_role(role, texts);
        self.search
            .with(|search| matches(&role, search, |name| permission_text(name, texts)))
    }

    /// Id of the found role after the one with `id`, or before it if that is the last.
    pub(crate) fn neighbor(self, id: &str, roles: &[Role], texts: Translations) -> Option<String> {
        let is_found = |role: &&Role| untrack(|| self.is_found(role, texts));
        let roles: Vec<&Role> = roles.iter().filter(is_found).collect();
        let position = roles.iter().position(|role| role.id == id)?;
        let next = roles.get(position + 1);
        let neighbor = next.or_else(|| roles.get(position.checked_sub(1)?));
        neighbor.map(|role| role.id.clone())
    }

    /// Forgets the permissions that were removed from a role.
    pub(crate) fn forget_removed(self, id: &str) {
        self.removed
            .update(|removed| removed.retain(|(role, _)| role != id));
    }

    /// Forgets that `names` were removed from a role, which has them again.
    pub(crate) fn restore(self, id: &str, names: &[String]) {
        self.removed.update(|removed| {
            for (_, all) in removed.iter_mut().filter(|(role, _)| role == id) {
                all.retain(|name| !names.contains(name));
            }
            removed.retain(|(_, all)| !all.is_empty());
        });
    }

    /// True if this change is pending.
    pub(crate) fn is_pending(self, id: &str, name: &str) -> bool {
        self.pending.with(|pending| {
            pending
                .iter()
                .any(|change| change.0 == id && change.1 == name)
        })
    }

    /// True if a change of this role is pending.
    pub(crate) fn has_pending(self, id: &str) -> bool {
        self.pending
            .with(|pending| pending.iter().any(|change| change.0 == id))
    }

    /// Begins a change, unless it is pending.
    pub(crate) fn begin(self, id: &str, name: &str) -> bool {
        let is_free = untrack(|| !self.is_pending(id, name));
        if is_free {
            self.deleted_name.set(None);
            let change = (id.to_owned(), name.to_owned());
            self.pending.update(|pending| pending.push(change));
        }
        is_free
    }

    /// Ends a change.
    pub(crate) fn end(self, id: &str, name: &str) {
        self.pending
            .update(|pending| pending.retain(|change| change.0 != id || change.1 != name));
    }
}
