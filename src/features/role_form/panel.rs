//! Permissions of a role, changed one by one.

use booking_wire::{Permission, Role};
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::client::{Abort, ApiError, DeclineReason};
use crate::components::{SelectField, Shape, button, heading, icon};
use crate::element::team_events::TeamEvent;
use crate::features::shared::error_notice::notice;
use crate::i18n::Key;
use crate::ui::dom::{Node, el, fragment_of};
use crate::ui::signal::Signal;

use super::labels::{action_text, effect_lines, permission_text, refusal_words, resource_text};
use super::matrix::raw_name;
use super::model::{grouped, lost_ways};
use super::permission_set::{EVERYTHING, PermissionSet};
use super::roles_state::{CHANGE_TIMEOUT_MS, RolesState, Step, is_locked};
use super::saving::{change_since, is_welcome};

/// Permissions of a role, by text and API name. If the role can be changed, permissions can be added
/// and removed.
pub(super) fn panel(role: &Role, desk: RolesState) -> Node {
    let texts = desk.texts;
    let is_open = !is_locked(role);
    let held = PermissionSet::new(desk.level(), &role.permissions);
    let change = {
        let role = role.clone();
        move |name: &str, is_held: bool| step(&role, name, is_held, desk)
    };
    let id = role.id.clone();
    let told = move || {
        let step = desk.step.get().filter(|step| step.id == id);
        step.map(|step| match step.outcome {
            Ok(effects) => {
                let lines = effect_lines(&effects, texts);
                fragment_of(lines.into_iter().map(|line| el("p").child(line)))
            }
            Err(error) => {
                let (title, text) = refusal_words(&error, texts);
                notice(Shape::Alert, &title, &text)
            }
        })
    };
    let told = el("div")
        .class("role-effects")
        .attr("role", "status")
        .child_with(told);
    let names = held.permissions();
    let groups = grouped(names.iter().map(|held| held.0.as_str()));
    let groups = groups.into_iter().map(|group| {
        let entries = group.permissions.into_iter().map(|name| {
            let words = el("span").child(action_text(&name, texts));
            let raw = raw_name(&name);
            let entry = el("li").child(words).child(raw);
            if !is_open {
                return entry;
            }
            let label = texts.fill(
                Key::RemovePermission,
                &[("name", &permission_text(&name, texts))],
            );
            let change = change.clone();
            let (id, removed) = (role.id.clone(), name.clone());
            let remove = button("button-quiet permission-remove", move || {
                change(&name, false)
            })
            .flag_with("aria-disabled", move || desk.is_busy(&id, &removed));
            entry.child(remove.attr("aria-label", &label).child(icon(Shape::Close)))
        });
        el("section")
            .class("role-group")
            .child(heading(2).child(resource_text(&group.resource, texts)))
            .child(el("ul").child(fragment_of(entries)))
    });
    let groups = fragment_of(groups);
    let content = if held.count() == 0 {
        el("p")
            .class("role-nothing")
            .child(texts.get(Key::NoPermissions))
    } else {
        el("div").class("role-groups").child(groups)
    };
    let id = role.id.clone();
    el("div")
        .class("role-panel")
        .flag_with("aria-busy", move || {
            desk.busy
                .with(|busy| busy.iter().any(|change| change.0 == id))
        })
        .child(is_open.then(|| adder(&role.id, &held, change, desk)))
        .child(told)
        .child(content)
}

/// Field to add a permission. Only the button adds it, since arrow keys in the list select each option
/// that they pass.
fn adder(
    id: &str,
    held: &PermissionSet,
    change: impl Fn(&str, bool) + 'static,
    desk: RolesState,
) -> Node {
    let texts = desk.texts;
    let first = (String::new(), texts.get(Key::AddPermission).to_owned());
    let known = held.level().known().iter();
    let others = known
        .filter(|name| !held.has(name))
        .map(|name| ((*name).to_owned(), permission_text(name, texts)));
    let options: Vec<(String, String)> = std::iter::once(first).chain(others).collect();
    let (adding, own) = (desk.adding, id.to_owned());
    let chosen = Signal::memo(move || {
        adding.with(|(id, name)| {
            if *id == own {
                name.clone()
            } else {
                String::new()
            }
        })
    });
    let of_role = id.to_owned();
    let field = view! {
        <SelectField
            id=add_id(id)
            label=texts.get(Key::AddPermission)
            options=Signal::derive(move || options.clone())
            value=chosen
            on_pick=move |name: String| adding.set((of_role.clone(), name))
            hides_label=true
        />
    };
    let add = move || change(&chosen.get_untracked(), true);
    let id = id.to_owned();
    el("div").class("role-add").child(field).child(
        button("button", add)
            .flag_with("aria-disabled", move || {
                let name = chosen.get();
                name.is_empty() || desk.is_busy(&id, &name)
            })
            .child(texts.get(Key::AddChosen)),
    )
}

fn add_id(id: &str) -> String {
    let mut field = String::from("add-");
    field.push_str(id);
    field
}

/// Saves a change of a single permission at once, with its dependants or requirements.
fn step(role: &Role, name: &str, is_held: bool, desk: RolesState) {
    if name.is_empty() {
        return;
    }
    let mut held = PermissionSet::new(desk.level(), &role.permissions);
    let effects = held.set(&[name], is_held);
    let is_lost = !lost_ways(&role.permissions, &held).is_empty();
    let is_all = is_held && name == EVERYTHING;
    if is_all || is_lost && untrack(|| !desk.is_of_others(&role.id)) {
        // May be hard to undo: the form warns, and saves only on submit.
        desk.edit(role.clone());
        return desk.draft.tick(|typed| typed.set(&[name], is_held));
    }
    if !desk.begin(&role.id, name) {
        return;
    }
    let ties = if is_held {
        &effects.came
    } else {
        &effects.fell
    };
    let mut names = vec![name.to_owned()];
    names.extend(ties.iter().map(|tie| tie.name.clone()));
    let (session, page, task) = (desk.session(), desk.page(), desk.in_task());
    let (path, texts) = (desk.path, desk.texts);
    let (id, role_name) = (role.id.clone(), role.name.clone());
    let pressed = name.to_owned();
    let change = change_since(&held, &role.permissions);
    spawn_local(async move {
        // The page may remove the element.
        let _kept = session.keep();
        let is_welcome = is_welcome(&page, texts, id.clone(), change).await;
        let Some(desk) = task.get() else { return };
        if is_welcome != Ok(true) {
            desk.end(&id, &pressed);
            if let Err(error) = is_welcome {
                let outcome = Err(error);
                desk.step.set(Some(Step { id, outcome }));
            }
            return;
        }
        let abort = Abort::after(CHANGE_TIMEOUT_MS);
        let outcome = if is_held {
            let permissions = names.iter().cloned().map(Permission).collect();
            session.add_permissions(path, &id, permissions, abort).await
        } else {
            session.remove_permissions(path, &id, &names, abort).await
        };
        let told = id.clone();
        page.emit(&match &outcome {
            Ok(()) => TeamEvent::RoleUpdated { id: told },
            Err(error) => TeamEvent::RoleSaveFailed {
                id: told,
                code: error.code(),
            },
        });
        let Some(desk) = task.get() else { return };
        desk.end(&id, &pressed);
        match &outcome {
            Ok(()) => {
                desk.line
                    .set_text(texts.fill(Key::RoleSaved, &[("name", &role_name)]));
                desk.put(&id, &names, is_held);
                if is_held {
                    desk.adding.set((String::new(), String::new()));
                }
            }
            // Another user has deleted it: its row is removed with the panel.
            Err(ApiError::Declined(DeclineReason::NotFound)) => desk.lose(&id, role_name),
            Err(_) => {}
        }
        let outcome = outcome.map(|()| effects);
        desk.step.set(Some(Step { id, outcome }));
        // After a failure too: it may be saved despite a lost response.
        desk.answer.again();
    });
}
