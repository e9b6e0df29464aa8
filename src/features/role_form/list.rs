//! List of roles.

use booking_wire::Role;
use leptos::prelude::*;

use crate::client::{ApiError, DeclineReason};
use crate::components::{Shape, TextField, button, dialog, heading, icon};
use crate::features::shared::error_notice::{notice, words};
use crate::features::shared::lazy_view::lazy_view;
use crate::i18n::{Key, Translations};
use crate::ui::dom::{Node, el, fragment, fragment_of, is_checked, svg};
use crate::ui::signal::{RwSignal, Signal, StoredValue, effect};

use super::chunk::Tools;
use super::role_color::drawn;
use super::roles_state::{RolesState, View, is_locked};

/// Maximum number of compared roles.
const MOST_COMPARED: usize = 4;

/// All roles with their actions.
pub(super) fn role_list(desk: RolesState) -> Node {
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
            .child(fragment_of(rows))
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
    fragment()
        .child_with(lost)
        .child(el("div").class("roles-search").child(field))
        .child_with(rows)
        .child(el("div").class("roles-compare").child_with(compare))
        .child_with(move || desk.asked.get().map(|role| deletion(role, desk)))
}

fn compare_bar(count: usize, desk: RolesState) -> Node {
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
        (!is_possible).then(|| el("span").child(texts.fill(Key::CompareHint, &[("most", &most)])));
    el("div")
        .class("roles-picked")
        .child(el("span").child(texts.count(Key::RolesSelected, count)))
        .child(
            button("button", compare)
                .attr_if("aria-disabled", (!is_possible).then_some("true"))
                .child(texts.get(Key::CompareRoles)),
        )
        .child(button("button-quiet", clear).child(texts.get(Key::SelectNone)))
        .child(hint)
}

fn role_row(role: Role, desk: RolesState) -> Node {
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
            .child(icon(Shape::Lock))
            .child(
                el("span")
                    .class("visually-hidden")
                    .child(texts.get(Key::SystemRole)),
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
        .child(role.name.as_str());
    let what = el("div")
        .class("role-what")
        .child(heading(1).class("role-heading").child(open).child(lock))
        .child(description.map(|words| el("p").class("role-text").child(words)))
        .child(facts(&role, desk));
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
        .child(el("span").class("role-select").child(pick))
        .child(swatch(role.color.as_deref().unwrap_or_default()))
        .child(what)
        .child(actions(&role, desk));
    el("li")
        .class("role")
        .attr("part", "role")
        .attr("data-role", &role.id)
        .child(line)
        .child_with(move || {
            is_open().then(|| {
                let role = role.clone();
                let around = |content| el("div").class("role-panel").child(content);
                let panel = move |tools: &Tools| untrack(|| (tools.panel)(&role, desk));
                lazy_view(desk.tools, around, panel)
            })
        })
}

/// Permission count, member count, and dates of creation and change.
fn facts(role: &Role, desk: RolesState) -> Node {
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
        when.map(|(key, instant)| el("span").child(texts.fill(key, &[("day", &day(instant))])));
    let held = role.clone();
    let holders = move || {
        let count = desk.count_of_holders(&held)?;
        Some(el("span").child(texts.count(Key::MemberCount, count)))
    };
    let id = role.id.clone();
    let unsaved = move || {
        desk.draft.has_unsaved(&id).then(|| {
            el("span")
                .class("role-unsaved")
                .child(texts.get(Key::UnsavedChanges))
        })
    };
    el("p")
        .class("role-facts")
        .child(el("span").child(texts.count(Key::PermissionCount, role.permissions.len())))
        .child_with(holders)
        .child(fragment_of(when))
        .child_with(unsaved)
}

/// Action buttons of a role.
fn actions(role: &Role, desk: RolesState) -> Node {
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
            .child(texts.get(Key::EditRole))
    });
    let copied = role.clone();
    let duplicate = button("button-quiet", move || desk.duplicate(&copied))
        .attr("aria-label", &named(Key::DuplicateRole))
        .child(texts.get(Key::DuplicateRole));
    let delete = (!is_locked(role)).then(|| {
        let role = role.clone();
        let ask = move || {
            desk.refused.set(None);
            desk.asked.set(Some(role.clone()));
        };
        button("button-quiet", ask)
            .attr("aria-haspopup", "dialog")
            .attr("aria-label", &named(Key::DeleteRole))
            .child(texts.get(Key::DeleteRole))
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
        .child(edit)
        .child(duplicate)
        .child(delete)
        .child_with(told)
}

/// Deletion dialog with the effect on members. Outside of the rows, which may be rendered again while
/// it is open.
fn deletion(role: Role, desk: RolesState) -> Node {
    let texts = desk.texts;
    let is_open = RwSignal::new(true);
    effect(move || {
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
            .then(|| el("p").class("role-warning").child(texts.get(Key::OwnRole)));
        let role = role.clone();
        let delete = move || {
            is_open.set(false);
            desk.delete(role.clone());
        };
        // Initial focus: an extra Enter keeps the role.
        let keep = button("button", move || is_open.set(false))
            .attr("autofocus", "")
            .child(texts.get(Key::KeepRole));
        el("div")
            .class("dialog-body")
            .child(heading(1).child(asked.as_str()))
            .child(el("p").child(holders))
            .child(own)
            .child(el("p").child(texts.get(Key::CannotBeUndone)))
            .child(
                el("div")
                    .class("dialog-acts")
                    .child(button("button button-danger", delete).child(texts.get(Key::DeleteRole)))
                    .child(keep),
            )
    };
    dialog(&title, is_open, question)
}

/// Colour of a role. Only drawn if valid: services check it loosely (contract 3.2).
pub(super) fn swatch(color: &str) -> Node {
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
        .child(circle)
}

/// Skeleton of the list while roles load.
pub(super) fn waiting_roles(texts: Translations) -> Node {
    let ghost = || el("span").class("ghost-line ghost-block");
    let rows = (0..5).map(|_| {
        el("div")
            .class("role-row role-ghost")
            .child(ghost())
            .child(ghost())
            .child(ghost())
    });
    fragment()
        .child(
            el("p")
                .class("visually-hidden")
                .child(texts.get(Key::Loading)),
        )
        .child(
            el("div")
                .class("role-list")
                .attr("aria-hidden", "true")
                .child(fragment_of(rows)),
        )
}
