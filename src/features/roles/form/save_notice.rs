//! Notices of a failed save or a conflict, with actions.

use booking_ui::prelude::*;
use booking_wire::Role;

use super::super::model::RoleFormValues;
use super::super::state::context::RolesContext;
use super::super::state::draft::SaveState;
use super::super::state::list_state::ListState;
use super::super::state::navigation::Navigation;
use super::super::state::role_store::RoleStore;
use super::difference::role_difference;
use super::saving::save;
use crate::client::{ApiError, DeclineReason};
use crate::components::{Shape, button};
use crate::features::roles::texts::{change_error_text, save_error_title};
use crate::features::shared::error_notice::{error_text, notice, notice_of, service_text};
use crate::i18n::{Key, Translations};

/// Notice of a failed save or a conflict.
pub(crate) fn save_notice(
    context: RolesContext,
    store: RoleStore,
    list: ListState,
    navigation: Navigation,
) -> Option<Node> {
    let (texts, draft) = (context.texts, navigation.draft);
    match draft.save_state.get() {
        SaveState::Editing | SaveState::Saving => None,
        SaveState::Failed(error) => {
            let is_new = draft.base.with_untracked(Option::is_none);
            Some(error_notice(&error, is_new, texts))
        }
        SaveState::NotRead(error) => {
            let (title, text) = error_text(&error, texts);
            Some(alert(Key::RoleNotSavedTitle, vec![title, text], texts))
        }
        SaveState::Deleted => {
            let create = move || {
                draft.base.set(None);
                save(context, store, list, navigation, false);
            };
            Some(
                notice(
                    Shape::Alert,
                    texts.get(Key::RoleGoneTitle),
                    texts.get(Key::RoleGoneText),
                )
                .child(button("button", create).child(texts.get(Key::CreateAnew))),
            )
        }
        SaveState::Conflict(current) => {
            let overwrite = move || save(context, store, list, navigation, true);
            Some(conflict(*current, context, navigation, overwrite))
        }
    }
}

/// Notice of a failed save.
fn error_notice(error: &ApiError, is_new: bool, texts: Translations) -> Node {
    let sentences = match error {
        ApiError::Declined(DeclineReason::ByPage(message)) => vec![message.clone()],
        ApiError::Declined(DeclineReason::Invalid(message)) => vec![service_text(message, texts)],
        ApiError::Declined(_) => {
            let (title, text) = change_error_text(error, texts);
            vec![title, text]
        }
        _ if is_new => vec![texts.get(Key::RoleUnknownText).to_owned()],
        _ => vec![texts.get(Key::RoleUnsavedText).to_owned()],
    };
    alert(save_error_title(error, is_new), sentences, texts)
}

fn alert(title: Key, sentences: Vec<String>, texts: Translations) -> Node {
    let sentences = sentences.into_iter().map(|text| el("p").child(text));
    let text = el("div").child(fragment_of(sentences));
    notice_of(Shape::Alert, texts.get(title), text)
}

/// Conflict with another user's change: the differences, and a choice of versions.
fn conflict(
    current: Role,
    context: RolesContext,
    navigation: Navigation,
    overwrite: impl Fn() + 'static,
) -> Node {
    let (texts, draft) = (context.texts, navigation.draft);
    let Some(base) = draft.base.get_untracked() else {
        return fragment();
    };
    let current_values = RoleFormValues::from_role(context.scope(), &current);
    let difference = role_difference(&current_values, &base, texts);
    let merge = {
        let current = current.clone();
        move || {
            let merged = draft
                .values
                .with_untracked(|values| values.rebase(&base, &current));
            draft.start(merged, Some(current.clone()));
            context.focus("#role-form-title");
        }
    };
    let discard = move || {
        let values = RoleFormValues::from_role(context.scope(), &current);
        draft.start(values, Some(current.clone()));
        context.focus("#role-form-title");
    };
    el("div")
        .class("role-note")
        .attr("role", "alert")
        .child(
            el("p")
                .class("role-note-title")
                .child(texts.get(Key::RoleOvertakenTitle)),
        )
        .child(el("p").child(texts.get(Key::RoleOvertakenText)))
        .child(difference)
        .child(
            el("div")
                .class("role-actions")
                .child(button("button", merge).child(texts.get(Key::JoinBoth)))
                .child(button("button", overwrite).child(texts.get(Key::KeepMine)))
                .child(button("button", discard).child(texts.get(Key::TakeTheirs))),
        )
}
