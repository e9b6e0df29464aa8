//! Unsaved changes.

use booking_wire::Role;

use crate::components::button;
use crate::i18n::{Key, Translations};
use crate::ui::dom::{Node, el, fragment, fragment_of};

use super::editor::warnings;
use super::labels::permission_text;
use super::list::swatch;
use super::model::{RoleFormValues, Trait};
use super::permission_set::Difference;
use super::roles_state::RolesState;

/// Unsaved changes, updated live.
pub(super) fn changes(desk: RolesState) -> Node {
    let texts = desk.texts;
    let shown = move || {
        let base = desk.draft.base.get();
        desk.draft.typed.with(|typed| match &base {
            Some(base) => difference_of(typed, base, texts),
            None if typed.held.count() == 0 => {
                let words = texts.get(Key::NoPermissions);
                el("p").class("role-same").child(words)
            }
            None => permissions_of(&typed.held.since(&[]), texts),
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
        .child_with(shown)
        .child(warnings(desk))
        .child_with(move || undo(desk))
}

/// Button that discards all unsaved changes.
fn undo(desk: RolesState) -> Option<Node> {
    let draft = desk.draft;
    let undo = move || {
        draft.reset();
        // The focused button disappears.
        desk.focus("#role-form-title");
    };
    draft
        .is_touched()
        .then(|| button("button-quiet", undo).child(desk.texts.get(Key::UndoChanges)))
}

/// Differences between `before` and `typed`.
pub(super) fn difference_of(typed: &RoleFormValues, before: &Role, texts: Translations) -> Node {
    let traits = typed.traits_since(before);
    let difference = typed.held.since(&before.permissions);
    if traits.is_empty() && difference.is_none() {
        return el("p").class("role-same").child(texts.get(Key::NoChanges));
    }
    let traits = traits.into_iter().map(|one| {
        let none = || texts.get(Key::NoValue).to_owned();
        let filled = |text: &str| Some(text.trim().to_owned()).filter(|text| !text.is_empty());
        let (name, old, new) = match one {
            Trait::Name => (Key::RoleName, Some(before.name.as_str()), &typed.name),
            Trait::Color => (Key::RoleColor, before.color.as_deref(), &typed.color),
            Trait::Description => (
                Key::RoleDescription,
                before.description.as_deref(),
                &typed.description,
            ),
        };
        let old = old.and_then(filled).unwrap_or_else(none);
        let new = filled(new).unwrap_or_else(none);
        let drawn = |color: &str| (one == Trait::Color).then(|| swatch(color));
        el("div").child(el("dt").child(texts.get(name))).child(
            el("dd")
                .child(drawn(&old))
                .child(el("del").child(old.as_str()))
                .child(" ")
                .child(drawn(&new))
                .child(el("ins").child(new.as_str())),
        )
    });
    fragment()
        .child(el("dl").class("role-traits").child(fragment_of(traits)))
        .child(permissions_of(&difference, texts))
}

/// Added and removed permissions.
fn permissions_of(difference: &Difference, texts: Translations) -> Node {
    let list = |key: Key, kind: &str, names: &[String]| {
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
            .attr("data-kind", kind)
            .child(el("dt").child(texts.get(key)))
            .child(el("dd").child(el("ul").child(fragment_of(names))))
    };
    el("dl")
        .class("role-difference")
        .child(list(Key::Added, "added", &difference.added))
        .child(list(Key::Implied, "implied", &difference.implied))
        .child(list(Key::Removed, "removed", &difference.removed))
}
