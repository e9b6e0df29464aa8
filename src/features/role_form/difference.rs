//! Unsaved changes.

use booking_wire::Role;

use crate::components::button;
use crate::dom::{Html, el, nothing, row};
use crate::i18n::{Key, Translations};

use super::desk::RolesState;
use super::editor::warnings;
use super::list::swatch;
use super::model::{RoleFormValues, Trait};
use super::set::Difference;
use super::words::permission_text;

/// Unsaved changes, updated live.
pub(super) fn changes(desk: RolesState) -> Html {
    let texts = desk.texts;
    let shown = move || {
        let base = desk.draft.base.get();
        desk.draft.typed.with(|typed| match &base {
            Some(base) => difference_of(typed, base, texts),
            None if typed.held.count() == 0 => {
                let words = texts.get(Key::NoPermissions);
                el("p").class("role-same").add(words)
            }
            None => permissions_of(&typed.held.since(&[]), texts),
        })
    };
    el("div")
        .class("role-changes")
        .attr("role", "group")
        .attr("aria-labelledby", "role-changes-title")
        .add(
            el("p")
                .class("role-changes-title")
                .attr("id", "role-changes-title")
                .add(texts.get(Key::ChangesTitle)),
        )
        .show(shown)
        .add(warnings(desk))
        .show(move || undo(desk))
}

/// Button that discards all unsaved changes.
fn undo(desk: RolesState) -> Option<Html> {
    let draft = desk.draft;
    let undo = move || {
        draft.reset();
        // The focused button disappears.
        desk.focus("#role-form-title");
    };
    draft
        .is_touched()
        .then(|| button("button-quiet", undo).add(desk.texts.get(Key::UndoChanges)))
}

/// Differences between `before` and `typed`.
pub(super) fn difference_of(typed: &RoleFormValues, before: &Role, texts: Translations) -> Html {
    let traits = typed.traits_since(before);
    let difference = typed.held.since(&before.permissions);
    if traits.is_empty() && difference.is_none() {
        return el("p").class("role-same").add(texts.get(Key::NoChanges));
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
        el("div").add(el("dt").add(texts.get(name))).add(
            el("dd")
                .add(drawn(&old))
                .add(el("del").add(old.as_str()))
                .add(" ")
                .add(drawn(&new))
                .add(el("ins").add(new.as_str())),
        )
    });
    nothing()
        .add(el("dl").class("role-traits").add(row(traits)))
        .add(permissions_of(&difference, texts))
}

/// Added and removed permissions.
fn permissions_of(difference: &Difference, texts: Translations) -> Html {
    let list = |key: Key, kind: &str, names: &[String]| {
        if names.is_empty() {
            return nothing();
        }
        let names = names.iter().map(|name| {
            el("li")
                .attr("title", name)
                .add(permission_text(name, texts))
        });
        el("div")
            .class("role-change")
            .attr("data-kind", kind)
            .add(el("dt").add(texts.get(key)))
            .add(el("dd").add(el("ul").add(row(names))))
    };
    el("dl")
        .class("role-difference")
        .add(list(Key::Added, "added", &difference.added))
        .add(list(Key::Implied, "implied", &difference.implied))
        .add(list(Key::Removed, "removed", &difference.removed))
}
