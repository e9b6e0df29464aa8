//! Permissions of a role, changed one by one. Removed ones keep their place, with a button to add them again, so that
//! nothing moves under the pointer.

use booking_ui::prelude::*;
use booking_wire::{Permission, Role};

use super::model::{group_by_resource, lost_management_permissions};
use super::permissions::permission_name::permission_name;
use super::permissions::permission_set::{EVERYTHING, PermissionSet};
use super::requests::CHANGE_TIMEOUT_MS;
use super::save_hook::{is_allowed_by_page, permission_change};
use super::state::context::RolesContext;
use super::state::list_state::{ChangeResult, ListState};
use super::state::navigation::Navigation;
use super::state::role_store::{RoleStore, is_locked};
use super::texts::{
    action_text, change_error_text, implied_change_texts, permission_text, resource_text,
};
use crate::client::{Abort, ApiError, DeclineReason};
use crate::components::{SelectField, Shape, button, heading, icon};
use crate::features::shared::error_notice::notice;
use crate::i18n::{Key, Translations};
use crate::page::team_events::TeamEvent;

/// Permissions of a role, with their API names if the form shows them. If the role can be changed, permissions
/// can be added and removed.
pub(super) fn panel(
    role: &Role,
    context: RolesContext,
    store: RoleStore,
    list: ListState,
    navigation: Navigation,
) -> Node {
    let texts = context.texts;
    let is_editable = !is_locked(role);
    let permissions = PermissionSet::new(context.scope(), &role.permissions);
    let change = {
        let role = role.clone();
        move |names: &[&str], is_granted: bool| {
            change_permissions(&role, names, is_granted, context, store, list, navigation);
        }
    };
    let removed = list.removed.get_untracked();
    let mut removed: Vec<Vec<String>> = removed
        .into_iter()
        .filter(|(id, _)| *id == role.id)
        .map(|(_, names)| names)
        .collect();
    for names in &mut removed {
        names.retain(|name| !permissions.has(name));
    }
    let mut all = role.permissions.clone();
    all.extend(removed.iter().flatten().cloned().map(Permission));
    let all = PermissionSet::new(context.scope(), &all);
    let names = all.to_permissions();
    let groups = group_by_resource(names.iter().map(|permission| permission.0.as_str()));
    let groups = groups.into_iter().map(|group| {
        let entries = group.permissions.into_iter().map(|name| {
            let text = el("span").attr("title", &name);
            // Removed with its dependants, and restored with them.
            let batch = removed.iter().find(|names| names.contains(&name));
            let text = match batch {
                Some(_) => text.child(el("del").child(action_text(&name, texts))),
                None => text.child(action_text(&name, texts)),
            };
            let entry = el("li").child(text).child(permission_name(&name));
            if !is_editable {
                return entry;
            }
            let (key, shape) = match batch {
                Some(_) => (Key::RestorePermission, Shape::Add),
                None => (Key::RemovePermission, Shape::Close),
            };
            let label = texts.fill(key, &[("name", &permission_text(&name, texts))]);
            let is_removed = batch.is_some();
            let changed = batch.cloned().unwrap_or_else(|| vec![name.clone()]);
            let change = change.clone();
            let id = role.id.clone();
            let first = changed.first().cloned().unwrap_or_default();
            let press = move || {
                let names: Vec<&str> = changed.iter().map(String::as_str).collect();
                change(&names, is_removed);
            };
            let change_button = button("button-quiet permission-remove", press)
                .attr("aria-label", &label)
                .attr_if("title", is_removed.then_some(texts.get(Key::Undo)))
                .flag_with("aria-disabled", move || list.is_pending(&id, &first))
                .child(icon(shape));
            entry.child(change_button)
        });
        el("section")
            .class("role-group")
            .child(heading(2).child(resource_text(&group.resource, texts)))
            .child(el("ul").child(fragment_of(entries)))
    });
    let groups = fragment_of(groups);
    let content = if all.count() == 0 {
        el("p")
            .class("role-nothing")
            .child(texts.get(Key::NoPermissions))
    } else {
        el("div").class("role-groups").child(groups)
    };
    let id = role.id.clone();
    let shows_identifiers = navigation.draft.shows_identifiers;
    el("div")
        .class("role-panel")
        .flag_with("data-identifiers", move || shows_identifiers.get())
        .flag_with("aria-busy", move || list.has_pending(&id))
        .child(is_editable.then(|| add_field(&role.id, &permissions, change, list, texts)))
        .child(error_of_change(&role.id, list, texts))
        .child(content)
        .child(effects_of_change(&role.id, list, texts))
}

/// Error of the last change of this role.
fn error_of_change(id: &str, list: ListState, texts: Translations) -> Node {
    let id = id.to_owned();
    let error = move || {
        let result = list.change_result.get().filter(|result| result.id == id)?;
        let error = result.outcome.err()?;
        let (title, text) = change_error_text(&error, texts);
        Some(notice(Shape::Alert, &title, &text))
    };
    result_line().child_with(error)
}

/// Side effects of the last change of this role. Below the permissions, which they do not move.
fn effects_of_change(id: &str, list: ListState, texts: Translations) -> Node {
    let id = id.to_owned();
    let effects = move || {
        let result = list.change_result.get().filter(|result| result.id == id)?;
        let sentences = implied_change_texts(&result.outcome.ok()?, texts).into_iter();
        Some(fragment_of(sentences.map(|text| el("p").child(text))))
    };
    result_line().child_with(effects)
}

fn result_line() -> Node {
    el("div").class("role-effects").attr("role", "status")
}

/// Field to add a permission. Only the button adds it, since arrow keys in the list select each option
/// that they pass.
fn add_field(
    id: &str,
    permissions: &PermissionSet,
    change: impl Fn(&[&str], bool) + 'static,
    list: ListState,
    texts: Translations,
) -> Node {
    let placeholder = (String::new(), texts.get(Key::AddPermission).to_owned());
    let known = permissions.scope().known().iter();
    let others = known
        .filter(|name| !permissions.has(name))
        .map(|name| ((*name).to_owned(), permission_text(name, texts)));
    let options: Vec<(String, String)> = std::iter::once(placeholder).chain(others).collect();
    let (chosen_permission, role_id) = (list.chosen_permission, id.to_owned());
    let chosen = Signal::memo(move || {
        chosen_permission.with(|(id, name)| {
            if *id == role_id {
                name.clone()
            } else {
                String::new()
            }
        })
    });
    let role_id = id.to_owned();
    let field = view! {
        <SelectField
            id=add_field_id(id)
            label=texts.get(Key::AddPermission)
            options=Signal::derive(move || options.clone())
            value=chosen
            on_pick=move |name: String| chosen_permission.set((role_id.clone(), name))
            hides_label=true
        />
    };
    let add = move || change(&[&chosen.get_untracked()], true);
    let id = id.to_owned();
    el("div").class("role-add").child(field).child(
        button("button", add)
            .flag_with("aria-disabled", move || {
                let name = chosen.get();
                name.is_empty() || list.is_pending(&id, &name)
            })
            .child(texts.get(Key::AddChosen)),
    )
}

fn add_field_id(role_id: &str) -> String {
    let mut id = String::from("add-");
    id.push_str(role_id);
    id
}

/// Saves a change of permissions at once, with their dependants or requirements. The first one stands for all.
fn change_permissions(
    role: &Role,
    changed: &[&str],
    is_granted: bool,
    context: RolesContext,
    store: RoleStore,
    list: ListState,
    navigation: Navigation,
) {
    let Some(name) = changed.first().copied().filter(|name| !name.is_empty()) else {
        return;
    };
    let mut permissions = PermissionSet::new(context.scope(), &role.permissions);
    let implied = permissions.set(changed, is_granted);
    let loses_access = !lost_management_permissions(&role.permissions, &permissions).is_empty();
    let grants_everything = is_granted && name == EVERYTHING;
    if grants_everything || loses_access && untrack(|| !store.is_of_others(&role.id)) {
        // May be hard to undo: the form warns, and saves only on submit.
        navigation.edit(role.clone());
        let tick = |permissions: &mut PermissionSet| permissions.set(changed, is_granted);
        return navigation.draft.tick(tick);
    }
    if !list.begin(&role.id, name) {
        return;
    }
    let dependencies = if is_granted {
        &implied.added
    } else {
        &implied.removed
    };
    let mut names: Vec<String> = changed.iter().map(|name| (*name).to_owned()).collect();
    names.extend(
        dependencies
            .iter()
            .map(|dependency| dependency.name.clone()),
    );
    let (session, page) = (context.session(), context.page());
    let (path, texts) = (context.path, context.texts);
    let (id, role_name) = (role.id.clone(), role.name.clone());
    let name = name.to_owned();
    let change = permission_change(&permissions, &role.permissions);
    spawn_local(async move {
        // The page may remove the element.
        let _kept = session.keep();
        let is_allowed = is_allowed_by_page(&page, texts, id.clone(), change).await;
        if context.is_disposed() {
            return;
        }
        if is_allowed != Ok(true) {
            list.end(&id, &name);
            if let Err(error) = is_allowed {
                let outcome = Err(error);
                list.change_result.set(Some(ChangeResult { id, outcome }));
            }
            return;
        }
        let abort = Abort::after(CHANGE_TIMEOUT_MS);
        let outcome = if is_granted {
            let permissions = names.iter().cloned().map(Permission).collect();
            session.add_permissions(path, &id, permissions, abort).await
        } else {
            session.remove_permissions(path, &id, &names, abort).await
        };
        let role_id = id.clone();
        page.emit(&match &outcome {
            Ok(()) => TeamEvent::RoleUpdated { id: role_id },
            Err(error) => TeamEvent::RoleSaveFailed {
                id: role_id,
                code: error.code(),
            },
        });
        if context.is_disposed() {
            return;
        }
        list.end(&id, &name);
        match &outcome {
            Ok(()) => {
                context
                    .status_line
                    .set_text(texts.fill(Key::RoleSaved, &[("name", &role_name)]));
                if is_granted {
                    list.restore(&id, &names);
                } else {
                    list.removed
                        .update(|removed| removed.push((id.clone(), names.clone())));
                }
                store.set_permissions(&id, &names, is_granted);
                if is_granted {
                    list.chosen_permission.set((String::new(), String::new()));
                }
            }
            // Another user has deleted it: its row is removed with the panel.
            Err(ApiError::Declined(DeclineReason::NotFound)) => {
                let neighbor = store
                    .roles
                    .with_untracked(|roles| list.neighbor(&id, roles, texts));
                navigation.role_to_focus.set(neighbor);
                store.remove(&id);
                list.deleted_name.set(Some(role_name));
            }
            Err(_) => {}
        }
        let outcome = outcome.map(|()| implied);
        list.change_result.set(Some(ChangeResult { id, outcome }));
        // After a failure too: it may be saved despite a lost response.
        store.reload();
    });
}
