//! List of roles.

use booking_wire::Role;
use leptos::prelude::*;

use super::context::RolesContext;
use super::deletion::delete_dialog;
use super::draft::Draft;
use super::list_state::ListState;
use super::navigation::Navigation;
use super::role_store::{RoleStore, is_locked};
use super::swatch::swatch;
use super::tool_exports::RoleToolsExports;
use crate::client::{ApiError, DeclineReason};
use crate::components::{Shape, TextField, button, heading, icon};
use crate::features::shared::error_notice::{error_text, notice};
use crate::features::shared::lazy_view::lazy_view;
use crate::i18n::{Key, Translations};
use crate::ui::dom::{Node, el, fragment, fragment_of, is_checked};
use crate::ui::lazy::LazyChunk;
use crate::ui::signal::{Signal, StoredValue};

/// Maximum number of compared roles.
const MAX_COMPARED: usize = 4;

/// All roles with their actions.
pub(super) fn role_list(
    context: RolesContext,
    store: RoleStore,
    list: ListState,
    navigation: Navigation,
    tools: LazyChunk<RoleToolsExports>,
) -> Node {
    let texts = context.texts;
    let search = list.search;
    let found = Signal::memo(move || {
        let mut roles = store.roles.get();
        roles.retain(|role| list.is_found(role, texts));
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
        context.keep_list_focus();
        if roles.is_empty() {
            return notice(
                Shape::Search,
                texts.get(Key::NoRoleMatchTitle),
                texts.get(Key::NoRoleMatchText),
            );
        }
        let rows = roles
            .into_iter()
            .map(|role| role_row(role, context, store, list, navigation, tools));
        el("ul")
            .class("role-list")
            .attr("part", "list")
            .child(fragment_of(rows))
    };
    let compare = move || {
        let count = list.selected.with(Vec::len);
        (count > 0).then(|| compare_bar(count, context, list, navigation))
    };
    let deleted = move || {
        let name = list.deleted_name.get()?;
        let text = texts.fill(Key::RoleDeleted, &[("name", &name)]);
        Some(notice(Shape::Alert, texts.get(Key::RoleGoneTitle), &text))
    };
    let dialog = move || {
        let role = list.role_to_delete.get()?;
        Some(delete_dialog(role, context, store, list, navigation))
    };
    fragment()
        .child_with(deleted)
        .child(el("div").class("roles-search").child(field))
        .child_with(rows)
        .child(el("div").class("roles-compare").child_with(compare))
        .child_with(dialog)
}

/// Number of selected roles, with the buttons to compare and deselect them.
fn compare_bar(
    count: usize,
    context: RolesContext,
    list: ListState,
    navigation: Navigation,
) -> Node {
    let texts = context.texts;
    let is_possible = (2..=MAX_COMPARED).contains(&count);
    let compare = move || {
        if is_possible {
            navigation.compare();
        }
    };
    let clear = move || {
        list.selected.set(Vec::new());
        // The focused button disappears.
        context.focus("#role-search");
    };
    let max = texts.number(MAX_COMPARED as i64);
    let hint =
        (!is_possible).then(|| el("span").child(texts.fill(Key::CompareHint, &[("most", &max)])));
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

fn role_row(
    role: Role,
    context: RolesContext,
    store: RoleStore,
    list: ListState,
    navigation: Navigation,
    tools: LazyChunk<RoleToolsExports>,
) -> Node {
    let texts = context.texts;
    let expanded = list.expanded;
    let id = StoredValue::new(role.id.clone());
    let is_expanded = move || id.with_value(|id| expanded.with(|expanded| expanded.contains(id)));
    let is_focus_target = navigation
        .role_to_focus
        .with_untracked(|id| id.as_ref() == Some(&role.id));
    let toggle = move || {
        expanded.update(|expanded| {
            let before = expanded.len();
            id.with_value(|id| expanded.retain(|known| known != id));
            if expanded.len() == before {
                expanded.push(id.get_value());
            }
        });
    };
    let name = button("role-open", toggle)
        .attr("part", "role-name")
        .attr_if("data-new", is_focus_target.then_some("true"))
        .attr_with("aria-expanded", move || Some(is_expanded().to_string()))
        .child(role.name.as_str());
    let description = role.description.as_deref().filter(|text| !text.is_empty());
    let lock = is_locked(&role).then(|| lock(texts));
    let about = el("div")
        .class("role-what")
        .child(heading(1).class("role-heading").child(name).child(lock))
        .child(description.map(|text| el("p").class("role-text").child(text)))
        .child(details(&role, context, store, navigation.draft));
    let row = el("div")
        .class("role-row")
        .child(
            el("span")
                .class("role-select")
                .child(checkbox(&role, list, texts)),
        )
        .child(swatch(role.color.as_deref().unwrap_or_default()))
        .child(about)
        .child(actions(&role, store, list, navigation, texts));
    el("li")
        .class("role")
        .attr("part", "role")
        .attr("data-role", &role.id)
        .child(row)
        .child_with(move || {
            is_expanded().then(|| {
                let role = role.clone();
                let around = |content| el("div").class("role-panel").child(content);
                let panel = move |tools: &RoleToolsExports| {
                    untrack(|| (tools.panel)(&role, context, store, list, navigation))
                };
                lazy_view(tools, around, panel)
            })
        })
}

/// Sign of a system role.
fn lock(texts: Translations) -> Node {
    el("span")
        .class("role-lock")
        .attr("title", texts.get(Key::SystemRole))
        .child(icon(Shape::Lock))
        .child(
            el("span")
                .class("visually-hidden")
                .child(texts.get(Key::SystemRole)),
        )
}

/// Checkbox that selects a role for the comparison.
fn checkbox(role: &Role, list: ListState, texts: Translations) -> Node {
    let selected = list.selected;
    let id = StoredValue::new(role.id.clone());
    let label = texts.fill(Key::SelectRole, &[("name", &role.name)]);
    let select = move |is_selected: bool| {
        selected.update(|selected| {
            id.with_value(|id| selected.retain(|known| known != id));
            if is_selected {
                selected.push(id.get_value());
            }
        });
    };
    el("input")
        .attr("type", "checkbox")
        .attr("part", "select")
        .attr("aria-label", &label)
        .checked_with(move || id.with_value(|id| selected.with(|selected| selected.contains(id))))
        .on("change", move |event| select(is_checked(&event)))
}

/// Permission count, member count, and dates of creation and change.
fn details(role: &Role, context: RolesContext, store: RoleStore, draft: Draft) -> Node {
    let RolesContext { texts, formats, .. } = context;
    let zone = context.settings.zone.get();
    let day = |instant| formats.short_day(formats.day_of(instant, &zone));
    let created = role.created_at.map(|instant| (Key::RoleMade, instant));
    let changed = role
        .updated_at
        .filter(|changed| Some(*changed) != role.created_at)
        .map(|instant| (Key::RoleChanged, instant));
    let dates = [created, changed].into_iter().flatten();
    let dates =
        dates.map(|(key, instant)| el("span").child(texts.fill(key, &[("day", &day(instant))])));
    let counted_role = role.clone();
    let member_count = move || {
        let count = store.member_count(&counted_role)?;
        Some(el("span").child(texts.count(Key::MemberCount, count)))
    };
    let id = role.id.clone();
    let unsaved = move || {
        draft.has_unsaved(&id).then(|| {
            el("span")
                .class("role-unsaved")
                .child(texts.get(Key::UnsavedChanges))
        })
    };
    el("p")
        .class("role-facts")
        .child(el("span").child(texts.count(Key::PermissionCount, role.permissions.len())))
        .child_with(member_count)
        .child(fragment_of(dates))
        .child_with(unsaved)
}

/// Action buttons of a role.
fn actions(
    role: &Role,
    store: RoleStore,
    list: ListState,
    navigation: Navigation,
    texts: Translations,
) -> Node {
    let label = |key: Key| {
        let action = texts.get(key);
        texts.fill(Key::ActOnRole, &[("act", action), ("name", &role.name)])
    };
    let edit = (!is_locked(role)).then(|| {
        let role = role.clone();
        button("button-quiet", move || navigation.edit(role.clone()))
            .attr("part", "edit-role")
            .attr("aria-label", &label(Key::EditRole))
            .child(texts.get(Key::EditRole))
    });
    let original = role.clone();
    let duplicate = button("button-quiet", move || {
        navigation.duplicate(&original, store)
    })
    .attr("aria-label", &label(Key::DuplicateRole))
    .child(texts.get(Key::DuplicateRole));
    let delete = (!is_locked(role)).then(|| {
        let role = role.clone();
        let confirm = move || {
            list.delete_error.set(None);
            list.role_to_delete.set(Some(role.clone()));
        };
        button("button-quiet", confirm)
            .attr("aria-haspopup", "dialog")
            .attr("aria-label", &label(Key::DeleteRole))
            .child(texts.get(Key::DeleteRole))
    });
    let id = role.id.clone();
    let error = move || {
        let error = list.delete_error.get().filter(|(failed, _)| *failed == id);
        error.map(|(_, error)| {
            let (title, text) = match error {
                ApiError::Declined(DeclineReason::Forbidden) => (
                    texts.get(Key::RoleForbiddenTitle).to_owned(),
                    texts.get(Key::ForbiddenText).to_owned(),
                ),
                error => error_text(&error, texts),
            };
            notice(Shape::Alert, &title, &text)
        })
    };
    el("div")
        .class("role-acts")
        .child(edit)
        .child(duplicate)
        .child(delete)
        .child_with(error)
}

/// Skeleton of the list while roles load.
pub(super) fn role_list_skeleton(texts: Translations) -> Node {
    let block = || el("span").class("ghost-line ghost-block");
    let rows = (0..5).map(|_| {
        el("div")
            .class("role-row role-ghost")
            .child(block())
            .child(block())
            .child(block())
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
