//! List of roles.

mod deletion;

use booking_ui::prelude::*;
use booking_wire::{Instant, Role};

use super::state::context::RolesContext;
use super::state::draft::Draft;
use super::state::list_state::ListState;
use super::state::navigation::Navigation;
use super::state::role_store::{RoleStore, is_locked};
use super::swatch::swatch;
use super::texts::shown_role;
use super::tool_exports::RoleToolsExports;
use crate::client::{ApiError, DeclineReason};
use crate::components::{Shape, button, heading, icon};
use crate::features::shared::error_notice::{error_text, notice};
use crate::features::shared::lazy_view::lazy_view;
use crate::i18n::{Key, Translations};
use deletion::delete_dialog;

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
        let roles = store.roles.get();
        let found = roles.iter().filter(|role| list.is_found(role, texts));
        found
            .map(|role| shown_role(role, texts))
            .collect::<Vec<_>>()
    });
    let is_empty = Signal::memo(move || found.with(Vec::is_empty));
    let nothing_found = move || {
        let title = texts.get(Key::NoRoleMatchTitle);
        let text = texts.get(Key::NoRoleMatchText);
        is_empty.get().then(|| notice(Shape::Search, title, text))
    };
    let roles = move || {
        // The focused control may be removed.
        context.keep_list_focus();
        found.get()
    };
    let row = move |role| role_row(role, context, store, list, navigation, tools);
    let rows = el("ul")
        .class("role-list")
        .attr("part", "list")
        .flag_with("hidden", move || is_empty.get())
        .child(keyed_signal(roles, |role: &Role| role.id.clone(), row));
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
        .child(search_field(search, texts))
        .child_with(nothing_found)
        .child(rows)
        .child(el("div").class("roles-compare").child_with(compare))
        .child_with(dialog)
}

/// Search field, as in the booking list.
fn search_field(search: RwSignal<String>, texts: Translations) -> Node {
    let label = texts.get(Key::SearchRoles);
    let field = el("input")
        .attr("type", "search")
        .attr("id", "role-search")
        .attr("part", "input")
        .attr("dir", "auto")
        .attr("autocomplete", "off")
        .attr("aria-label", label)
        .attr("placeholder", label)
        .value_with(move || search.get())
        .on("input", move |event| search.set(value_of(&event)));
    let field = el("div")
        .class("list-search")
        .child(icon(Shape::Search))
        .child(field);
    el("div").class("roles-search").child(field)
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

/// Role with its actions and, if expanded, its permissions. `role` keeps its id and its kind.
fn role_row(
    role: ReadSignal<Role>,
    context: RolesContext,
    store: RoleStore,
    list: ListState,
    navigation: Navigation,
    tools: LazyChunk<RoleToolsExports>,
) -> Node {
    let texts = context.texts;
    let expanded = list.expanded;
    let is_expanded = Signal::memo(move || has_id_of(expanded, role));
    let is_focus_target = move || {
        let target = navigation.role_to_focus;
        role.with(|role| target.with(|target| target.as_ref() == Some(&role.id)))
    };
    let toggle = move || {
        list.forget_removed(&role.with_untracked(|role| role.id.clone()));
        set_id_of(expanded, role, !is_expanded.get_untracked());
    };
    let name = button("role-open", toggle)
        .attr("part", "role-name")
        .flag_with("data-new", is_focus_target)
        .attr_with("aria-expanded", move || Some(is_expanded.get().to_string()))
        .text_with(move || role.with(|role| role.name.clone()));
    let description = move || {
        let text = role.with(|role| role.description.clone());
        let text = text.filter(|text| !text.is_empty())?;
        Some(el("p").class("role-text").child(text))
    };
    let lock = role.with_untracked(is_locked).then(|| lock(texts));
    let color = move || role.with(|role| swatch(role.color.as_deref().unwrap_or_default()));
    let about = el("div")
        .class("role-what")
        .child(heading(1).class("role-heading").child(name).child(lock))
        .child_with(description)
        .child(details(role, context, store, list, navigation.draft));
    let row = el("div")
        .class("role-row")
        .child(
            el("label")
                .class("role-select")
                .child(checkbox(role, list, texts)),
        )
        .child_with(color)
        .child(about)
        .child(actions(role, store, list, navigation, texts));
    let panel = move || {
        is_expanded.get().then(|| {
            let role = role.get();
            let around = |content| el("div").class("role-panel").child(content);
            let panel = move |tools: &RoleToolsExports| {
                untrack(|| (tools.panel)(&role, context, store, list, navigation))
            };
            lazy_view(tools, around, panel)
        })
    };
    el("li")
        .class("role")
        .attr("part", "role")
        .attr("data-role", &role.with_untracked(|role| role.id.clone()))
        .child(row)
        .child_with(panel)
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
fn checkbox(role: ReadSignal<Role>, list: ListState, texts: Translations) -> Node {
    let selected = list.selected;
    let label =
        move || role.with(|role| Some(texts.fill(Key::SelectRole, &[("name", &role.name)])));
    el("input")
        .attr("type", "checkbox")
        .attr("part", "select")
        .attr_with("aria-label", label)
        .checked_with(move || has_id_of(selected, role))
        .on("change", move |event| {
            set_id_of(selected, role, is_checked(&event));
        })
}

/// True if `ids` contains the id of `role`.
fn has_id_of(ids: RwSignal<Vec<String>>, role: ReadSignal<Role>) -> bool {
    role.with(|role| ids.with(|ids| ids.contains(&role.id)))
}

/// Adds the id of `role` to `ids` or removes it.
fn set_id_of(ids: RwSignal<Vec<String>>, role: ReadSignal<Role>, is_in: bool) {
    let id = role.with_untracked(|role| role.id.clone());
    ids.update(|ids| {
        ids.retain(|known| *known != id);
        if is_in {
            ids.push(id);
        }
    });
}

/// Permission count, member count, and dates of creation and change.
fn details(
    role: ReadSignal<Role>,
    context: RolesContext,
    store: RoleStore,
    list: ListState,
    draft: Draft,
) -> Node {
    let RolesContext { texts, formats, .. } = context;
    let permission_count = move || {
        let count = role.with(|role| role.permissions.len());
        texts.count(Key::PermissionCount, count)
    };
    let member_count = move || {
        let count = role.with(|role| store.member_count(role))?;
        Some(el("span").child(texts.count(Key::MemberCount, count)))
    };
    let dates = move || {
        let zone = context.settings.zone.get();
        let day = |instant| formats.short_day(formats.day_of(instant, &zone));
        let dates = role.with(shown_dates).into_iter().flatten();
        let date = |(key, instant)| el("span").child(texts.fill(key, &[("day", &day(instant))]));
        fragment_of(dates.map(date))
    };
    let unsaved = move || {
        role.with(|role| draft.has_unsaved(&role.id)).then(|| {
            el("span")
                .class("role-unsaved")
                .child(texts.get(Key::UnsavedChanges))
        })
    };
    // Beside the focus, and announced by the status line.
    let saved = move || {
        let is_saved = list.saved_role.with(|saved| {
            let id = saved.as_ref();
            role.with(|role| id == Some(&role.id))
        });
        is_saved.then(|| {
            el("span")
                .class("role-saved")
                .child(icon(Shape::Check))
                .child(texts.get(Key::RoleSavedMark))
        })
    };
    el("p")
        .class("role-facts")
        .child(el("span").text_with(permission_count))
        .child_with(member_count)
        .child_with(dates)
        .child_with(unsaved)
        .child_with(saved)
}

/// Date of creation, except of system roles, which exist from the start; date of the last change, if there was one.
fn shown_dates(role: &Role) -> [Option<(Key, Instant)>; 2] {
    let (created, changed) = (role.created_at, role.updated_at);
    let changed = changed.filter(|_| changed != created);
    let created = created.filter(|_| !is_locked(role));
    [
        created.map(|instant| (Key::RoleMade, instant)),
        changed.map(|instant| (Key::RoleChanged, instant)),
    ]
}

/// Action buttons of a role.
fn actions(
    role: ReadSignal<Role>,
    store: RoleStore,
    list: ListState,
    navigation: Navigation,
    texts: Translations,
) -> Node {
    let is_locked = role.with_untracked(is_locked);
    let action = |key: Key, on_click: Box<dyn Fn(Role)>| {
        let text = texts.get(key);
        let label = move || {
            role.with(|role| {
                Some(texts.fill(Key::ActOnRole, &[("act", text), ("name", &role.name)]))
            })
        };
        button("button-quiet", move || on_click(role.get_untracked()))
            .attr_with("aria-label", label)
            .child(text)
    };
    let edit = (!is_locked).then(|| {
        let edit = Box::new(move |role: Role| {
            list.forget_removed(&role.id);
            navigation.edit(role);
        });
        action(Key::EditRole, edit).attr("part", "edit-role")
    });
    let duplicate = Box::new(move |role: Role| navigation.duplicate(&role, store));
    let duplicate = action(Key::DuplicateRole, duplicate);
    let delete = (!is_locked).then(|| {
        let confirm = Box::new(move |role| {
            list.delete_error.set(None);
            list.role_to_delete.set(Some(role));
        });
        action(Key::DeleteRole, confirm).attr("aria-haspopup", "dialog")
    });
    let error = move || {
        let error = list.delete_error.get();
        let error = error.filter(|(failed, _)| role.with(|role| *failed == role.id));
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

#[cfg(test)]
mod tests {
    use booking_wire::RoleType;

    use super::*;

    #[test]
    fn date_of_change_is_shown_for_changed_roles_only() {
        let (first, later) = (Instant(0), Instant(86_400_000));
        let (made, changed) = (Key::RoleMade, Key::RoleChanged);
        for (kind, updated, shown) in [
            (RoleType::Custom, first, [Some((made, first)), None]),
            (
                RoleType::Custom,
                later,
                [Some((made, first)), Some((changed, later))],
            ),
            (RoleType::System, first, [None, None]),
            (RoleType::System, later, [None, Some((changed, later))]),
        ] {
            let role = Role {
                kind,
                created_at: Some(first),
                updated_at: Some(updated),
                ..Role::default()
            };
            assert!(shown_dates(&role) == shown, "{:?}", role.kind);
        }
    }
}
