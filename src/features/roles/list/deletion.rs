//! Deletion of a role, with a confirmation dialog.

use booking_ui::prelude::*;
use booking_wire::Role;

use super::super::requests::delete_role;
use super::super::state::context::RolesContext;
use super::super::state::list_state::ListState;
use super::super::state::navigation::Navigation;
use super::super::state::role_store::RoleStore;
use crate::components::{button, dialog, heading};
use crate::i18n::Key;
use crate::page::team_events::TeamEvent;

/// Dialog with the effect on members. Outside of the rows, as a reload may remove the role's row while it is open.
pub(crate) fn delete_dialog(
    role: Role,
    context: RolesContext,
    store: RoleStore,
    list: ListState,
    navigation: Navigation,
) -> Node {
    let texts = context.texts;
    let is_open = RwSignal::new(true);
    effect(move || {
        if !is_open.get() {
            // After the focus is restored.
            request_animation_frame(move || list.role_to_delete.set(None));
        }
    });
    let title = texts.fill(Key::DeleteRoleTitle, &[("name", &role.name)]);
    let heading_text = title.clone();
    let content =
        move || {
            let effect = match untrack(|| store.member_count(&role)) {
                Some(0) => texts.get(Key::DeleteRoleUnheld).to_owned(),
                Some(count) => texts.count(Key::DeleteRoleHolders, count),
                None => texts.get(Key::DeleteRoleText).to_owned(),
            };
            let own_role = untrack(|| store.is_own(&role.id))
                .then(|| el("p").class("role-warning").child(texts.get(Key::OwnRole)));
            let role = role.clone();
            let delete = move || {
                is_open.set(false);
                delete(role.clone(), context, store, list, navigation);
            };
            // Initial focus: an extra Enter keeps the role.
            let keep = button("button", move || is_open.set(false))
                .attr("autofocus", "")
                .child(texts.get(Key::KeepRole));
            el("div")
                .class("dialog-body")
                .child(heading(1).child(heading_text.as_str()))
                .child(el("p").child(effect))
                .child(own_role)
                .child(el("p").child(texts.get(Key::CannotBeUndone)))
                .child(el("div").class("dialog-acts").child(keep).child(
                    button("button button-danger", delete).child(texts.get(Key::DeleteRole)),
                ))
        };
    dialog(&title, is_open, content)
}

/// Deletes a role and announces the result.
fn delete(
    role: Role,
    context: RolesContext,
    store: RoleStore,
    list: ListState,
    navigation: Navigation,
) {
    if !list.begin(&role.id, "") {
        return;
    }
    let (session, page) = (context.session(), context.page());
    let path = context.path;
    spawn_local(async move {
        // The page may remove the element.
        let _kept = session.keep();
        let outcome = delete_role(&session, path, &role.id).await;
        if outcome.is_ok() {
            let id = role.id.clone();
            page.emit(&TeamEvent::RoleDeleted { id });
        }
        if context.is_disposed() {
            return;
        }
        let texts = context.texts;
        list.end(&role.id, "");
        match outcome {
            Ok(()) => {
                let message = texts.fill(Key::RoleDeleted, &[("name", &role.name)]);
                context.status_line.set_text(message);
                list.selected
                    .update(|selected| selected.retain(|id| *id != role.id));
                navigation
                    .draft
                    .handle_deleted(&role, navigation.is_editor_shown());
                let neighbor = store
                    .roles
                    .with_untracked(|roles| list.neighbor(&role.id, roles, texts));
                navigation.role_to_focus.set(neighbor);
                // Its members have another role now.
                store.read_members(context);
            }
            Err(error) => list.delete_error.set(Some((role.id, error))),
        }
        // After a failure too: the role may be deleted despite a lost response.
        store.reload();
    });
}
