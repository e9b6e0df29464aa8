//! The roles that there are.

use booking_wire::{Permission, Role};
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::api::Abort;
use crate::components::{SelectField, Shape, TextField, button, dialog, heading, icon};
use crate::dom::{Html, el, is_checked, nothing, row, svg};
use crate::features::team_news::TeamNews;
use crate::i18n::{Key, Texts};
use crate::problem::notice;
use crate::signal::{RwSignal, Signal};

use super::color::drawn;
use super::desk::{CHANGE_TIMEOUT_MS, Desk, Step, View, is_locked};
use super::matrix::raw_name;
use super::model::{grouped, lost_ways, matches};
use super::set::Held;
use super::words::{action_text, effect_lines, permission_text, refusal_words, resource_text};

/// The most roles that are compared.
const MOST_COMPARED: usize = 4;

/// All roles with what can be done with them.
pub(super) fn role_list(desk: Desk) -> Html {
    let texts = desk.texts;
    let search = desk.search;
    let found = Signal::memo(move || {
        let typed = search.get();
        let mut roles = desk.roles.get();
        roles.retain(|role| matches(role, &typed, |name| permission_text(name, texts)));
        roles
    });
    let field = view! {
        <TextField
            id="role-search"
            label=texts.get(Key::SearchRoles)
            value=Signal::derive(move || search.get())
            on_input=move |text: String| search.set(text)
        />
    };
    let rows = move || {
        let roles = found.get();
        desk.keep_focus();
        if roles.is_empty() {
            return notice(
                Shape::Search,
                texts.get(Key::NoRoleMatchTitle),
                texts.get(Key::NoRoleMatchText),
            );
        }
        let rows = roles.into_iter().map(|role| role_row(role, desk));
        el("ul")
            .class("role-list")
            .attr("part", "list")
            .add(row(rows))
    };
    let compare = move || {
        let count = desk.picked.with(Vec::len);
        (count > 0).then(|| compare_bar(count, desk))
    };
    nothing()
        .add(el("div").class("roles-search").add(field))
        .show(rows)
        .add(el("div").class("roles-compare").show(compare))
}

fn compare_bar(count: usize, desk: Desk) -> Html {
    let texts = desk.texts;
    let compare = move || {
        if (2..=MOST_COMPARED).contains(&count) {
            desk.view.set(View::Comparison);
        }
    };
    let clear = move || {
        desk.picked.set(Vec::new());
        // It goes away with what was selected.
        desk.focus("#role-search");
    };
    let is_possible = (2..=MOST_COMPARED).contains(&count);
    let most = texts.number(MOST_COMPARED as i64);
    let hint =
        (!is_possible).then(|| el("span").add(texts.fill(Key::CompareHint, &[("most", &most)])));
    el("div")
        .class("roles-picked")
        .add(el("span").add(texts.count(Key::RolesSelected, count)))
        .add(
            button("button", compare)
                .attr_if("aria-disabled", (!is_possible).then_some("true"))
                .add(texts.get(Key::CompareRoles)),
        )
        .add(button("button-quiet", clear).add(texts.get(Key::SelectNone)))
        .add(hint)
}

fn role_row(role: Role, desk: Desk) -> Html {
    let texts = desk.texts;
    let opened = desk.opened;
    let id = StoredValue::new(role.id.clone());
    let is_open = move || id.with_value(|id| opened.with(|opened| opened.contains(id)));
    let is_new = desk
        .marked
        .with_untracked(|marked| marked.as_ref() == Some(&role.id));
    let lock = is_locked(&role).then(|| {
        el("span")
            .class("role-lock")
            .attr("title", texts.get(Key::SystemRole))
            .add(icon(Shape::Lock))
            .add(
                el("span")
                    .class("visually-hidden")
                    .add(texts.get(Key::SystemRole)),
            )
    });
    let description = role
        .description
        .as_deref()
        .filter(|words| !words.is_empty());
    let toggle = move || {
        opened.update(|opened| {
            let before = opened.len();
            id.with_value(|id| opened.retain(|known| known != id));
            if opened.len() == before {
                opened.push(id.get_value());
            }
        });
    };
    let open = button("role-open", toggle)
        .attr("part", "role-name")
        .attr_if("data-new", is_new.then_some("true"))
        .attr_with("aria-expanded", move || Some(is_open().to_string()))
        .add(role.name.as_str());
    let what = el("div")
        .class("role-what")
        .add(heading(1).class("role-name").add(open).add(lock))
        .add(description.map(|words| el("p").class("role-text").add(words)))
        .add(facts(&role, desk));
    let picks = move |is_picked: bool| {
        desk.picked.update(|picked| {
            id.with_value(|id| picked.retain(|known| known != id));
            if is_picked {
                picked.push(id.get_value());
            }
        });
    };
    let pick = el("input")
        .attr("type", "checkbox")
        .attr("part", "select")
        .attr(
            "aria-label",
            &texts.fill(Key::SelectRole, &[("name", &role.name)]),
        )
        .checked_with(move || id.with_value(|id| desk.picked.with(|picked| picked.contains(id))))
        .on("change", move |event| picks(is_checked(&event)));
    let line = el("div")
        .class("role-row")
        .add(el("span").class("role-select").add(pick))
        .add(swatch(role.color.as_deref().unwrap_or_default()))
        .add(what)
        .add(actions(&role, desk));
    el("li")
        .class("role")
        .attr("part", "role")
        .attr("data-role", &role.id)
        .add(line)
        .show(move || is_open().then(|| allowed(&role, desk)))
}

/// How much it allows, who holds it, and when it was made or changed.
fn facts(role: &Role, desk: Desk) -> Html {
    let Desk { texts, formats, .. } = desk;
    let zone = desk.settings.zone.get();
    let day = |instant| formats.short_day(formats.day_of(instant, &zone));
    let made = role.created_at.map(|made| (Key::RoleMade, made));
    let changed = role
        .updated_at
        .filter(|changed| Some(*changed) != role.created_at)
        .map(|changed| (Key::RoleChanged, changed));
    let when = [made, changed].into_iter().flatten();
    let when =
        when.map(|(key, instant)| el("span").add(texts.fill(key, &[("day", &day(instant))])));
    let held = role.clone();
    let holders = move || {
        let count = desk.holders(&held)?;
        Some(el("span").add(texts.count(Key::MemberCount, count)))
    };
    let id = role.id.clone();
    let unsaved = move || {
        desk.draft.has_unsaved(&id).then(|| {
            el("span")
                .class("role-unsaved")
                .add(texts.get(Key::UnsavedChanges))
        })
    };
    el("p")
        .class("role-facts")
        .add(el("span").add(texts.count(Key::PermissionCount, role.permissions.len())))
        .show(holders)
        .add(row(when))
        .show(unsaved)
}

/// What can be done with a role.
fn actions(role: &Role, desk: Desk) -> Html {
    let texts = desk.texts;
    let named = |key: Key| {
        let act = texts.get(key);
        texts.fill(Key::ActOnRole, &[("act", act), ("name", &role.name)])
    };
    let edit = (!is_locked(role)).then(|| {
        let role = role.clone();
        button("button-quiet", move || desk.edit(role.clone()))
            .attr("part", "edit-role")
            .attr("aria-label", &named(Key::EditRole))
            .add(texts.get(Key::EditRole))
    });
    let copied = role.clone();
    let duplicate = button("button-quiet", move || desk.duplicate(&copied))
        .attr("aria-label", &named(Key::DuplicateRole))
        .add(texts.get(Key::DuplicateRole));
    let delete = (!is_locked(role)).then(|| deletion(role.clone(), named(Key::DeleteRole), desk));
    el("div")
        .class("role-acts")
        .add(edit)
        .add(duplicate)
        .add(delete)
}

/// Asks once, and says what becomes of those who hold the role.
fn deletion(role: Role, label: String, desk: Desk) -> Html {
    let texts = desk.texts;
    let is_open = RwSignal::new(false);
    let id = role.id.clone();
    let title = texts.fill(Key::DeleteRoleTitle, &[("name", &role.name)]);
    let press = button("button-quiet", move || {
        desk.refused.set(None);
        is_open.set(true);
    })
    .attr("aria-haspopup", "dialog")
    .attr("aria-label", &label)
    .add(texts.get(Key::DeleteRole));
    let asked = title.clone();
    let question = move || {
        let holders = match untrack(|| desk.holders(&role)) {
            Some(0) => texts.get(Key::DeleteRoleUnheld).to_owned(),
            Some(count) => texts.count(Key::DeleteRoleHolders, count),
            None => texts.get(Key::DeleteRoleText).to_owned(),
        };
        let own = untrack(|| desk.is_own(&role.id))
            .then(|| el("p").class("role-warning").add(texts.get(Key::OwnRole)));
        let role = role.clone();
        let delete = move || {
            is_open.set(false);
            desk.delete(role.clone());
        };
        el("div")
            .class("dialog-body")
            .add(heading(1).add(asked.as_str()))
            .add(el("p").add(holders))
            .add(own)
            .add(el("p").add(texts.get(Key::CannotBeUndone)))
            .add(
                el("div")
                    .class("dialog-acts")
                    .add(button("button button-danger", delete).add(texts.get(Key::DeleteRole)))
                    .add(
                        button("button", move || is_open.set(false)).add(texts.get(Key::KeepRole)),
                    ),
            )
    };
    let told = move || {
        let refused = desk.refused.get().filter(|(refused, _)| *refused == id);
        refused.map(|(_, error)| {
            let (title, text) = refusal_words(&error, texts);
            notice(Shape::Alert, &title, &text)
        })
    };
    nothing()
        .add(press)
        .add(dialog(&title, is_open, question))
        .show(told)
}

/// What a role allows, in words and as the service calls it; of one that can be changed, each
/// permission can be taken away and others be added.
fn allowed(role: &Role, desk: Desk) -> Html {
    let texts = desk.texts;
    let is_open = !is_locked(role);
    let held = Held::new(desk.level(), &role.permissions);
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
                row(lines.into_iter().map(|line| el("p").add(line)))
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
        .show(told);
    let names = held.permissions();
    let groups = grouped(names.iter().map(|held| held.0.as_str()));
    let groups = groups.into_iter().map(|group| {
        let entries = group.permissions.into_iter().map(|name| {
            let words = el("span").add(action_text(&name, texts));
            let raw = raw_name(&name);
            let entry = el("li").add(words).add(raw);
            if !is_open {
                return entry;
            }
            let label = texts.fill(
                Key::RemovePermission,
                &[("name", &permission_text(&name, texts))],
            );
            let change = change.clone();
            let remove = button("button-quiet permission-remove", move || {
                change(&name, false)
            });
            entry.add(remove.attr("aria-label", &label).add(icon(Shape::Close)))
        });
        el("section")
            .class("role-group")
            .add(heading(2).add(resource_text(&group.resource, texts)))
            .add(el("ul").add(row(entries)))
    });
    let groups = row(groups);
    let content = if held.count() == 0 {
        el("p")
            .class("role-nothing")
            .add(texts.get(Key::NoPermissions))
    } else {
        el("div").class("role-groups").add(groups)
    };
    let id = role.id.clone();
    let has_step = move || {
        desk.step
            .with(|step| step.as_ref().is_some_and(|step| step.id == id))
    };
    el("div")
        .class("role-panel")
        .flag_with("data-step", has_step)
        .add(is_open.then(|| adder(&role.id, &held, change, texts)))
        .add(told)
        .add(content)
}

/// All that can be added.
fn adder(id: &str, held: &Held, change: impl Fn(&str, bool) + 'static, texts: Texts) -> Html {
    let first = (String::new(), texts.get(Key::AddPermission).to_owned());
    let known = held.level().known().iter();
    let others = known
        .filter(|name| !held.has(name))
        .map(|name| ((*name).to_owned(), permission_text(name, texts)));
    let options: Vec<(String, String)> = std::iter::once(first).chain(others).collect();
    let change = send_wrapper::SendWrapper::new(change);
    let picked = RwSignal::new(String::new());
    let pick = move |name: String| {
        (*change)(&name, true);
        // Told anew, it shows nothing chosen: the same can be chosen again.
        picked.set(String::new());
    };
    view! {
        <SelectField
            id=add_id(id)
            label=texts.get(Key::AddPermission)
            options=Signal::derive(move || options.clone())
            value=Signal::from(picked)
            on_pick=pick
            hides_label=true
        />
    }
    .into_inner()
}

fn add_id(id: &str) -> String {
    let mut field = String::from("add-");
    field.push_str(id);
    field
}

/// Changes a single permission of a role at once, with what needs it or what it needs.
fn step(role: &Role, name: &str, is_held: bool, desk: Desk) {
    if name.is_empty() {
        return;
    }
    let mut held = Held::new(desk.level(), &role.permissions);
    let effects = held.set(&[name], is_held);
    if !lost_ways(&role.permissions, &held).is_empty() && untrack(|| desk.is_own(&role.id)) {
        // There would be no way back: the form says so, and asks to be saved.
        desk.edit(role.clone());
        return desk.draft.tick(|typed| typed.set(&[name], false));
    }
    let ties = if is_held {
        &effects.came
    } else {
        &effects.fell
    };
    let mut names = vec![name.to_owned()];
    names.extend(ties.iter().map(|tie| tie.name.clone()));
    let session = desk.session();
    let (id, role_name) = (role.id.clone(), role.name.clone());
    spawn_local(async move {
        let abort = Abort::after(CHANGE_TIMEOUT_MS);
        let outcome = if is_held {
            let permissions = names.iter().cloned().map(Permission).collect();
            session
                .add_permissions(desk.path, &id, permissions, abort)
                .await
        } else {
            session
                .remove_permissions(desk.path, &id, &names, abort)
                .await
        };
        if desk.is_gone() {
            return;
        }
        let outcome = outcome.map(|()| effects);
        if let Ok(effects) = &outcome {
            let mut said = desk.texts.fill(Key::RoleSaved, &[("name", &role_name)]);
            for effect in effect_lines(effects, desk.texts) {
                said.push(' ');
                said.push_str(&effect);
            }
            desk.line.say(said);
            desk.put(&id, &names, is_held);
            desk.tell(&TeamNews::RoleUpdated { id: id.clone() });
            // The row is drawn anew.
            desk.focus("[data-step] select");
        } else {
            // It may have been done though no answer came.
            desk.answer.again();
        }
        desk.step.set(Some(Step { id, outcome }));
    });
}

/// A role's colour. Drawn only if it is one: services check it loosely (contract 3.2).
pub(super) fn swatch(color: &str) -> Html {
    let fill = drawn(color).unwrap_or_else(|| "none".to_owned());
    let circle = svg("circle")
        .attr("cx", "10")
        .attr("cy", "10")
        .attr("r", "9")
        .attr("fill", &fill);
    svg("svg")
        .class("swatch")
        .attr("viewBox", "0 0 20 20")
        .attr("aria-hidden", "true")
        .add(circle)
}

/// Boxes of the size of roles, while they are awaited.
pub(super) fn waiting_roles(texts: Texts) -> Html {
    let ghost = || el("span").class("ghost-line ghost-block");
    let rows = (0..5).map(|_| {
        el("div")
            .class("role-row role-ghost")
            .add(ghost())
            .add(ghost())
            .add(ghost())
    });
    nothing()
        .add(
            el("p")
                .class("visually-hidden")
                .add(texts.get(Key::Loading)),
        )
        .add(
            el("div")
                .class("role-list")
                .attr("aria-hidden", "true")
                .add(row(rows)),
        )
}
