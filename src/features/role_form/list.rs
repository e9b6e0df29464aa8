//! List of roles.

use booking_wire::Role;
use leptos::prelude::*;

use crate::api::{ApiError, DeclineReason};
use crate::components::{Shape, TextField, button, dialog, heading, icon};
use crate::dom::{Html, el, is_checked, nothing, row, svg};
use crate::i18n::{Key, Translations};
use crate::problem::{notice, words};
use crate::signal::{RwSignal, Signal, StoredValue, follow};

use super::color::drawn;
use super::desk::{RolesState, View, is_locked};
use super::tools::Tools;

/// Maximum number of compared roles.
const MOST_COMPARED: usize = 4;

/// All roles with their actions.
pub(super) fn role_list(desk: RolesState) -> Html {
    let texts = desk.texts;
    let search = desk.search;
    let found = Signal::memo(move || {
        let mut roles = desk.roles.get();
        roles.retain(|role| desk.is_found(role));
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
    let lost = move || {
        let name = desk.lost.get()?;
        let text = texts.fill(Key::RoleDeleted, &[("name", &name)]);
        Some(notice(Shape::Alert, texts.get(Key::RoleGoneTitle), &text))
    };
    nothing()
        .show(lost)
        .add(el("div").class("roles-search").add(field))
        .show(rows)
        .add(el("div").class("roles-compare").show(compare))
        .show(move || desk.asked.get().map(|role| deletion(role, desk)))
}

fn compare_bar(count: usize, desk: RolesState) -> Html {
    let texts = desk.texts;
    let compare = move || {
        if (2..=MOST_COMPARED).contains(&count) {
            desk.show(View::Comparison, "#role-form-title");
        }
    };
    let clear = move || {
        desk.picked.set(Vec::new());
        // The focused button disappears.
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

fn role_row(role: Role, desk: RolesState) -> Html {
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
        .add(heading(1).class("role-heading").add(open).add(lock))
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
        .show(move || {
            is_open().then(|| {
                let role = role.clone();
                let around = |content| el("div").class("role-panel").add(content);
                let panel = move |tools: &Tools| untrack(|| (tools.panel)(&role, desk));
                desk.tools.show(around, panel)
            })
        })
}

/// Permission count, member count, and dates of creation and change.
fn facts(role: &Role, desk: RolesState) -> Html {
    let RolesState { texts, formats, .. } = desk;
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
        let count = desk.count_of_holders(&held)?;
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

/// Action buttons of a role.
fn actions(role: &Role, desk: RolesState) -> Html {
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
    let delete = (!is_locked(role)).then(|| {
        let role = role.clone();
        let ask = move || {
            desk.refused.set(None);
            desk.asked.set(Some(role.clone()));
        };
        button("button-quiet", ask)
            .attr("aria-haspopup", "dialog")
            .attr("aria-label", &named(Key::DeleteRole))
            .add(texts.get(Key::DeleteRole))
    });
    let id = role.id.clone();
    let told = move || {
        let refused = desk.refused.get().filter(|(refused, _)| *refused == id);
        refused.map(|(_, error)| {
            let (title, text) = match error {
                ApiError::Declined(DeclineReason::Forbidden) => (
                    texts.get(Key::RoleForbiddenTitle).to_owned(),
                    texts.get(Key::ForbiddenText).to_owned(),
                ),
                error => words(&error, texts),
            };
            notice(Shape::Alert, &title, &text)
        })
    };
    el("div")
        .class("role-acts")
        .add(edit)
        .add(duplicate)
        .add(delete)
        .show(told)
}

/// Deletion dialog with the effect on members. Outside of the rows, which may be rendered again while
/// it is open.
fn deletion(role: Role, desk: RolesState) -> Html {
    let texts = desk.texts;
    let is_open = RwSignal::new(true);
    follow(move || {
        if !is_open.get() {
            // After the focus is restored.
            request_animation_frame(move || desk.asked.set(None));
        }
    });
    let title = texts.fill(Key::DeleteRoleTitle, &[("name", &role.name)]);
    let asked = title.clone();
    let question = move || {
        let holders = match untrack(|| desk.count_of_holders(&role)) {
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
        // Initial focus: an extra Enter keeps the role.
        let keep = button("button", move || is_open.set(false))
            .attr("autofocus", "")
            .add(texts.get(Key::KeepRole));
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
                    .add(keep),
            )
    };
    dialog(&title, is_open, question)
}

/// Colour of a role. Only drawn if valid: services check it loosely (contract 3.2).
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

/// Skeleton of the list while roles load.
pub(super) fn waiting_roles(texts: Translations) -> Html {
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
