//! Starting sets of permissions: presets, and permissions of other roles.

use booking_ui::prelude::*;

use super::super::permissions::permission_set::{ImpliedChanges, PermissionSet};
use super::super::permissions::presets::Preset;
use super::super::state::context::RolesContext;
use super::super::state::draft::Draft;
use super::super::state::role_store::RoleStore;
use crate::components::{SelectField, button};
use crate::features::roles::texts::shown_role;
use crate::i18n::{Key, Translations};

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

/// Presets that have a card.
const CARDS: [Preset; 3] = [Preset::ReadOnly, Preset::FrontDesk, Preset::All];

/// Cards and a select field that replace the ticked permissions by a starting set. Cards are for new roles.
pub(crate) fn starting_points(draft: Draft, context: RolesContext, store: RoleStore) -> Node {
    let texts = context.texts;
    // The applied set stays selected as long as nothing else is ticked.
    let applied = RwSignal::new(None::<AppliedSet>);
    let selected = Signal::memo(move || {
        current(applied, draft)
            .map(|applied| applied.value)
            .unwrap_or_default()
    });
    let apply = move |value: String| apply(&value, applied, draft, context, store);
    let select = view! {
        <SelectField
            id="role-start"
            label=texts.get(Key::StartFrom)
            options=Signal::derive(move || options(draft, store, texts))
            value=Signal::derive(move || {
                // A card shows it already.
                let is_on_card = draft.base.with(Option::is_none)
                    && CARDS.iter().any(|preset| value_of(*preset) == selected.get());
                if is_on_card { String::new() } else { selected.get() }
            })
            on_pick=apply
            hides_label=true
        />
    };
    let title = el("p")
        .class("starting-title")
        // The group of cards and the select field have this name.
        .attr("aria-hidden", "true")
        .child(texts.get(Key::StartFrom));
    let cards = move || {
        draft.base.with(Option::is_none).then(|| {
            let cards = CARDS.map(|preset| card(preset, context, selected, apply));
            el("div")
                .class("starting-points")
                .attr("role", "group")
                .attr("aria-label", texts.get(Key::StartFrom))
                .child(fragment_of(cards))
        })
    };
    fragment().child(title).child_with(cards).child(select)
}

/// Value of the option of a preset.
fn value_of(preset: Preset) -> String {
    let index = Preset::ALL.iter().position(|each| *each == preset);
    let mut value = String::from("preset-");
    value.push_str(&index.unwrap_or_default().to_string());
    value
}

/// Button that applies a preset or undoes that, with the number of its permissions.
fn card(
    preset: Preset,
    context: RolesContext,
    selected: Signal<String>,
    apply: impl Fn(String) + Copy + 'static,
) -> Node {
    let texts = context.texts;
    let value = value_of(preset);
    let applied_value = value.clone();
    let mut permissions = PermissionSet::new(context.scope(), &[]);
    permissions.replace(&preset.permissions(context.scope()));
    let count = texts.count(Key::PermissionCount, permissions.count());
    let press = move || {
        let is_applied = selected.with_untracked(|selected| *selected == value);
        // A second press undoes it.
        apply(if is_applied {
            String::new()
        } else {
            value.clone()
        });
    };
    button("starting-point", press)
        .attr_with("aria-pressed", move || {
            Some(
                selected
                    .with(|selected| *selected == applied_value)
                    .to_string(),
            )
        })
        .child(el("span").child(texts.get(preset.key())))
        .child(el("small").child(count))
}

/// Options of the select field: values with their labels.
fn options(draft: Draft, store: RoleStore, texts: Translations) -> Vec<(String, String)> {
    // Below cards, or the only choice.
    let has_cards = draft.base.with(Option::is_none);
    let none = match has_cards {
        true => Key::MoreStartingPoints,
        false => Key::PleaseChoose,
    };
    let mut options = vec![(String::new(), texts.get(none).to_owned())];
    for preset in Preset::ALL {
        if has_cards && CARDS.contains(&preset) {
            continue;
        }
        options.push((value_of(preset), texts.get(preset.key()).to_owned()));
    }
    store.roles.with(|roles| {
        for role in roles {
            let name = shown_role(role, texts).name;
            let name = texts.fill(Key::LikeRole, &[("name", &name)]);
            options.push((role.id.clone(), name));
        }
    });
    options
}

/// Applied set, as long as the ticked permissions are its own.
fn current(applied: RwSignal<Option<AppliedSet>>, draft: Draft) -> Option<AppliedSet> {
    let is_current = |applied: &AppliedSet| {
        draft
            .values
            .with(|values| values.permissions == applied.after)
    };
    applied.get().filter(is_current)
}

/// Replaces the ticked permissions by those of the option `value`, or undoes that if it is empty.
fn apply(
    value: &str,
    applied: RwSignal<Option<AppliedSet>>,
    draft: Draft,
    context: RolesContext,
    store: RoleStore,
) {
    draft.custom_resources.set(Vec::new());
    // Arrow keys in the list apply each option that they pass: undo restores the permissions from
    // before the first one.
    let before = untrack(|| current(applied, draft)).map(|applied| applied.before);
    if let (true, Some(before)) = (value.is_empty(), &before) {
        draft
            .values
            .update(|values| values.permissions = before.clone());
        return draft.clear_undo();
    }
    let Some(names) = names_of_option(value, context, store) else {
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
    applied.set(Some(AppliedSet {
        value: value.to_owned(),
        before,
        after: permissions(),
    }));
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
