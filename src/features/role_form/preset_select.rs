//! Select field with starting sets of permissions: presets, and permissions of other roles.

use leptos::prelude::*;

use super::context::RolesContext;
use super::draft::Draft;
use super::permission_set::{ImpliedChanges, PermissionSet};
use super::presets::Preset;
use super::role_store::RoleStore;
use crate::components::SelectField;
use crate::i18n::Key;
use crate::ui::dom::Node;
use crate::ui::signal::{RwSignal, Signal};

/// Applied starting set.
#[derive(Clone, PartialEq)]
struct AppliedSet {
    /// Value of its option.
    value: String,
    /// Permissions before it.
    before: PermissionSet,
    /// Permissions after it.
    after: PermissionSet,
}

/// Select field that replaces the ticked permissions by a starting set.
pub(super) fn preset_select(draft: Draft, context: RolesContext, store: RoleStore) -> Node {
    let texts = context.texts;
    let options = move || {
        let mut options = vec![(String::new(), texts.get(Key::PleaseChoose).to_owned())];
        for (index, preset) in Preset::ALL.into_iter().enumerate() {
            let mut value = String::from("preset-");
            value.push_str(&index.to_string());
            options.push((value, texts.get(preset.key()).to_owned()));
        }
        store.roles.with(|roles| {
            for role in roles {
                let name = texts.fill(Key::LikeRole, &[("name", &role.name)]);
                options.push((role.id.clone(), name));
            }
        });
        options
    };
    // The applied set stays selected as long as nothing else is ticked.
    let applied = RwSignal::new(None::<AppliedSet>);
    let current = move || {
        let is_current = |applied: &AppliedSet| {
            draft
                .values
                .with(|values| values.permissions == applied.after)
        };
        applied.get().filter(is_current)
    };
    let selected = Signal::memo(move || current().map(|applied| applied.value).unwrap_or_default());
    let apply = move |value: String| {
        // Arrow keys in the list apply each option that they pass: undo restores the permissions from
        // before the first one.
        let before = untrack(current).map(|applied| applied.before);
        if let (true, Some(before)) = (value.is_empty(), &before) {
            draft
                .values
                .update(|values| values.permissions = before.clone());
            return draft.clear_undo();
        }
        let Some(names) = names_of_option(&value, context, store) else {
            return;
        };
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let permissions = || {
            draft
                .values
                .with_untracked(|values| values.permissions.clone())
        };
        let before = before.unwrap_or_else(permissions);
        draft.tick(|permissions| {
            permissions.replace(&names);
            ImpliedChanges::default()
        });
        draft.undo_set.set(Some(before.clone()));
        let after = permissions();
        applied.set(Some(AppliedSet {
            value,
            before,
            after,
        }));
    };
    view! {
        <SelectField
            id="role-start"
            label=texts.get(Key::StartFrom)
            options=Signal::derive(options)
            value=selected
            on_pick=apply
        />
    }
    .into_inner()
}

/// Permissions of a preset or a role.
fn names_of_option(value: &str, context: RolesContext, store: RoleStore) -> Option<Vec<String>> {
    let preset = value
        .strip_prefix("preset-")
        .and_then(|index| index.parse::<usize>().ok())
        .and_then(|index| Preset::ALL.get(index).copied());
    if let Some(preset) = preset {
        let names = preset.permissions(context.scope()).into_iter();
        return Some(names.map(str::to_owned).collect());
    }
    store.roles.with_untracked(|roles| {
        let role = roles.iter().find(|role| role.id == value)?;
        let names = role.permissions.iter();
        Some(names.map(|permission| permission.0.clone()).collect())
    })
}
