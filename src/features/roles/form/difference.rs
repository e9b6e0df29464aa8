//! Unsaved changes.

use booking_ui::prelude::*;
use booking_wire::Role;

use crate::components::button;
use crate::i18n::{Key, Translations};

use super::super::model::{RoleField, RoleFormValues};
use super::super::permissions::permission_set::Difference;
use super::super::state::context::RolesContext;
use super::super::state::draft::Draft;
use super::super::state::role_store::RoleStore;
use super::super::swatch::swatch;
use super::warnings::risk_warnings;
use crate::features::roles::texts::permission_text;

/// Unsaved changes, updated live.
pub(crate) fn unsaved_changes(draft: Draft, context: RolesContext, store: RoleStore) -> Node {
    let texts = context.texts;
    let changes = move || {
        let base = draft.base.get();
        draft.values.with(|values| match &base {
            Some(base) => role_difference(values, base, texts),
            None if values.permissions.count() == 0 => {
                let text = texts.get(Key::NoPermissions);
                el("p").class("role-same").child(text)
            }
            None => permission_difference(&values.permissions.difference_from(&[]), texts),
        })
    };
    el("div")
        .class("role-changes")
        .attr("role", "group")
        .attr("aria-labelledby", "role-changes-title")
        .child(
            el("p")
                .class("role-changes-title")
                .attr("id", "role-changes-title")
                .child(texts.get(Key::ChangesTitle)),
        )
        .child_with(changes)
        .child(risk_warnings(draft, store, texts))
        .child_with(move || undo(draft, context))
}

/// Button that discards all unsaved changes.
fn undo(draft: Draft, context: RolesContext) -> Option<Node> {
    let undo = move || {
        draft.reset();
        // The focused button disappears.
        context.focus("#role-form-title");
    };
    draft
        .has_changes()
        .then(|| button("button-quiet", undo).child(context.texts.get(Key::UndoChanges)))
}

/// Differences between `before` and `values`.
pub(crate) fn role_difference(values: &RoleFormValues, before: &Role, texts: Translations) -> Node {
    let fields = values.changed_fields(before);
    let difference = values.permissions.difference_from(&before.permissions);
    if fields.is_empty() && difference.is_empty() {
        return el("p").class("role-same").child(texts.get(Key::NoChanges));
    }
    let fields = fields.into_iter().map(|field| {
        let none = || texts.get(Key::NoValue).to_owned();
        let filled = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let (name, old, new) = match field {
            RoleField::Name => (Key::RoleName, Some(before.name.as_str()), &values.name),
            RoleField::Color => (Key::RoleColor, before.color.as_deref(), &values.color),
            RoleField::Description => (
                Key::RoleDescription,
                before.description.as_deref(),
                &values.description,
            ),
        };
        let old = old.and_then(filled).unwrap_or_else(none);
        let new = filled(new).unwrap_or_else(none);
        let color_swatch = |color: &str| (field == RoleField::Color).then(|| swatch(color));
        el("div").child(el("dt").child(texts.get(name))).child(
            el("dd")
                .child(color_swatch(&old))
                .child(el("del").child(old.as_str()))
                .child(" ")
                .child(color_swatch(&new))
                .child(el("ins").child(new.as_str())),
        )
    });
    fragment()
        .child(el("dl").class("role-traits").child(fragment_of(fields)))
        .child(permission_difference(&difference, texts))
}

/// Added and removed permissions.
fn permission_difference(difference: &Difference, texts: Translations) -> Node {
    let list = |key: Key, change: &str, names: &[String]| {
        if names.is_empty() {
            return fragment();
        }
        let names = names.iter().map(|name| {
            el("li")
                .attr("title", name)
                .child(permission_text(name, texts))
        });
        el("div")
            .class("role-change")
            .attr("data-kind", change)
            .child(el("dt").child(texts.get(key)))
            .child(el("dd").child(el("ul").child(fragment_of(names))))
    };
    el("dl")
        .class("role-difference")
        .child(list(Key::Added, "added", &difference.added))
        .child(list(Key::Implied, "implied", &difference.implied))
        .child(list(Key::Removed, "removed", &difference.removed))
}
