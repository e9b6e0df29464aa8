//! Warnings about permissions in the form: missing requirements, and changes that are hard to undo.

use booking_ui::prelude::*;

use super::super::model::lost_management_permissions;
use super::super::permissions::permission_set::{EVERYTHING, ImpliedChanges};
use super::super::state::context::RolesContext;
use super::super::state::draft::Draft;
use super::super::state::role_store::RoleStore;
use crate::components::{Shape, button, icon};
use crate::features::roles::texts::{missing_requirement_texts, permission_text};
use crate::i18n::{Key, Translations};

/// Missing requirements of a role created elsewhere.
pub(crate) fn missing_requirements(draft: Draft, context: RolesContext) -> Node {
    let texts = context.texts;
    // A memo: unchanged requirements are neither rendered nor announced again.
    let missing = Signal::memo(move || {
        draft
            .values
            .with(|values| values.permissions.missing_requirements())
    });
    let add = move || {
        draft.tick(|permissions| {
            permissions.add_missing_requirements();
            ImpliedChanges::default()
        });
        // The focused button disappears.
        context.focus(".permissions-head input");
    };
    let content = move || {
        let sentences = missing.with(|missing| missing_requirement_texts(missing, texts));
        if sentences.is_empty() {
            return fragment();
        }
        let items = sentences.into_iter().map(|text| el("li").child(text));
        let title = el("p").class("role-note-title");
        el("div")
            .class("role-note")
            .child(title.child(texts.get(Key::GapsTitle)))
            .child(el("ul").child(fragment_of(items)))
            .child(button("button", add).child(texts.get(Key::FillGaps)))
    };
    el("div")
        .class("role-gaps")
        .attr("role", "status")
        .child_with(content)
}

/// Warnings about changes that are hard to undo. A memo: unchanged ones are not announced again.
pub(crate) fn risk_warnings(draft: Draft, store: RoleStore, texts: Translations) -> Node {
    let risks = Signal::memo(move || {
        let base = draft.base.get();
        draft.values.with(|values| {
            let permissions = &values.permissions;
            let names = base
                .as_ref()
                .map(|base| lost_management_permissions(&base.permissions, permissions))
                .unwrap_or_default();
            let is_own = base.is_some_and(|base| store.is_own(&base.id));
            (names, is_own, permissions.has(EVERYTHING))
        })
    });
    let warning = move |text: String| {
        el("p")
            .class("role-warning")
            .child(icon(Shape::Alert))
            .child(el("span").child(text))
    };
    let warnings = move || {
        let (names, is_own, has_everything) = risks.get();
        let key = if is_own {
            Key::OwnWayLost
        } else {
            Key::WayLost
        };
        let lost = names.into_iter().map(|name| {
            let name = permission_text(name, texts);
            warning(texts.fill(key, &[("name", &name)]))
        });
        let everything =
            has_everything.then(|| warning(texts.get(Key::EverythingWarning).to_owned()));
        fragment_of(lost.chain(everything))
    };
    el("div")
        .class("role-warnings")
        .attr("role", "status")
        .child_with(warnings)
}
