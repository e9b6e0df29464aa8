//! Form to create or change a role.

mod color_field;
mod difference;
mod matrix;
mod save_notice;
mod saving;
mod starting_points;
mod warnings;

use booking_ui::prelude::*;

use super::model::{MAX_TEXT_LENGTH, RoleFieldError};
use super::save_hook::role_change;
use super::state::context::RolesContext;
use super::state::draft::Draft;
use super::state::list_state::ListState;
use super::state::navigation::Navigation;
use super::state::role_store::RoleStore;
use crate::components::focus::focus_first_soon;
use crate::components::{TextField, TextKind, button, heading};
use crate::features::shared::slow_request::slow_line;
use crate::i18n::{Key, Translations};
use crate::page::team_events::{PermissionChange, TeamEvent};
use color_field::color_field;
use difference::unsaved_changes;
use matrix::matrix;
use save_notice::save_notice;
use saving::save;
use warnings::missing_requirements;

/// The form with its pending changes and errors.
pub(super) fn editor(
    context: RolesContext,
    store: RoleStore,
    list: ListState,
    navigation: Navigation,
) -> Node {
    let (texts, draft) = (context.texts, navigation.draft);
    list.saved_role.set(None);
    let title = move || {
        draft.base.with(|base| match base {
            Some(role) => texts.fill(Key::EditRoleTitle, &[("name", &role.name)]),
            None => texts.get(Key::NewRole).to_owned(),
        })
    };
    let form = el("form")
        .class("role-fields")
        .attr("part", "form")
        .attr("novalidate", "")
        .attr("aria-labelledby", "role-form-title");
    let form_element = form.element();
    let submit = move |event: web_sys::Event| {
        event.prevent_default();
        if untrack(|| draft.is_saving()) {
            return;
        }
        let base = draft.base.get_untracked();
        let id = base.as_ref().map(|role| role.id.as_str());
        let taken = untrack(|| store.taken_names(id));
        let errors = draft
            .values
            .with_untracked(|values| values.validate(&taken, base.as_ref()));
        let is_valid = errors.is_empty();
        draft.errors.set(errors);
        if is_valid {
            save(context, store, list, navigation, false);
        } else {
            focus_first_soon(form_element.clone(), "[aria-invalid='true']");
        }
    };
    notify_page_of_changes(draft, context);
    let title = heading(1)
        .class("role-form-title")
        .attr("id", "role-form-title")
        .attr("tabindex", "-1")
        .text_with(title);
    let main = el("div")
        .class("role-main")
        .child_with(move || save_notice(context, store, list, navigation))
        .child(text_fields(draft, store, texts))
        .child(missing_requirements(draft, context))
        .child(matrix(draft, context, store));
    form.on("submit", submit)
        .child(title)
        .child(main)
        .child(
            el("div")
                .class("role-bar")
                .child(unsaved_changes(draft, context, store)),
        )
        .child(save_bar(navigation, texts))
}

/// Notifies the page when ticked permissions change.
fn notify_page_of_changes(draft: Draft, context: RolesContext) {
    effect_after(move |before: Option<(String, PermissionChange, u32)>| {
        let (id, change) = draft.base.with(|base| {
            draft
                .values
                .with(|values| role_change(values, base.as_ref()))
        });
        let clear_count = draft.clear_count();
        let is_changed = before.is_some_and(|(id_before, change_before, clear_count_before)| {
            id_before == id && change_before != change && clear_count_before == clear_count
        });
        if is_changed {
            let (id, change) = (id.clone(), change.clone());
            // Last: the page may unmount the view.
            context
                .page()
                .emit(&TeamEvent::PermissionChanged { id, change });
        }
        (id, change, clear_count)
    });
}

/// Name, description and colour.
fn text_fields(draft: Draft, store: RoleStore, texts: Translations) -> Node {
    let Draft { values, errors, .. } = draft;
    let error_of = move |error: RoleFieldError| {
        errors
            .with(|errors| errors.contains(&error))
            .then(|| error_text(error, texts))
    };
    let name_error = move || {
        // The list may load another role of this name. Skipped while saving: it may list this role itself.
        let base = draft.base.get();
        let taken = store.taken_names(base.as_ref().map(|role| role.id.as_str()));
        let is_taken = !draft.is_saving()
            && values.with(|values| {
                let errors = values.validate(&taken, base.as_ref());
                errors.contains(&RoleFieldError::NameTaken)
            });
        is_taken
            .then(|| error_text(RoleFieldError::NameTaken, texts))
            .or_else(|| error_of(RoleFieldError::NameMissing))
            .or_else(|| error_of(RoleFieldError::NameTooLong))
    };
    let name = view! {
        <TextField
            id="role-name"
            label=texts.get(Key::RoleName)
            value=Signal::derive(move || values.with(|values| values.name.clone()))
            on_input=move |text: String| draft.change(|values| values.name = text)
            is_required=true
            error=Signal::derive(name_error)
        />
    };
    let description = view! {
        <TextField
            id="role-description"
            label=texts.get(Key::RoleDescription)
            kind=TextKind::Lines
            value=Signal::derive(move || values.with(|values| values.description.clone()))
            on_input=move |text: String| draft.change(|values| values.description = text)
            error=Signal::derive(move || error_of(RoleFieldError::DescriptionTooLong))
        />
    };
    el("div")
        .class("role-about")
        .child(name)
        .child(description)
        .child(color_field(
            draft,
            move || error_of(RoleFieldError::Color),
            texts,
        ))
}

fn error_text(error: RoleFieldError, texts: Translations) -> String {
    let key = match error {
        RoleFieldError::NameMissing => Key::Required,
        RoleFieldError::NameTaken => Key::RoleNameTaken,
        RoleFieldError::NameTooLong | RoleFieldError::DescriptionTooLong => {
            let max = texts.number(MAX_TEXT_LENGTH as i64);
            return texts.fill(Key::TextTooLong, &[("most", &max)]);
        }
        RoleFieldError::Color => Key::InvalidColor,
    };
    texts.get(key).to_owned()
}

/// Bar at the end of the window: what would be saved, and the buttons.
fn save_bar(navigation: Navigation, texts: Translations) -> Node {
    let draft = navigation.draft;
    let summary = move || {
        draft.values.with(|values| {
            draft.base.with(|base| match base {
                None => texts.count(Key::PermissionCount, values.permissions.count()),
                Some(base) => match values.change_count(base) {
                    0 => texts.get(Key::NoChanges).to_owned(),
                    count => texts.count(Key::ChangeCount, count),
                },
            })
        })
    };
    let label = move || {
        texts
            .get(
                match (draft.is_saving(), draft.base.with(Option::is_none)) {
                    (false, true) => Key::CreateRole,
                    (true, true) => Key::CreatingRole,
                    (false, false) => Key::SaveRole,
                    (true, false) => Key::SavingRole,
                },
            )
            .to_owned()
    };
    let save = el("button")
        .class("button-primary")
        .attr("part", "submit")
        .attr("type", "submit")
        .flag_with("aria-disabled", move || draft.is_saving())
        .flag_with("aria-busy", move || draft.is_saving())
        .text_with(label);
    let close =
        button("button", move || navigation.close_editor()).child(texts.get(Key::CloseForm));
    el("div")
        .class("role-save")
        .child(el("p").class("role-summary").text_with(summary))
        .child(el("div").class("role-actions").child(close).child(save))
        .child(slow_line(move || draft.is_saving()))
}
