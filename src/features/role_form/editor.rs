//! Form to create or change a role.

use leptos::prelude::*;

use crate::components::focus::focus_first_soon;
use crate::components::{Shape, TextField, TextKind, button, heading, icon};
use crate::element::team_events::{Change, TeamEvent};
use crate::features::shared::slow_request::slow_line;
use crate::i18n::{Key, Translations};
use crate::ui::dom::{Node, el, fragment, fragment_of};
use crate::ui::signal::Signal;

use super::color_field::color_field;
use super::difference::changes;
use super::draft::Draft;
use super::labels::{gap_lines, permission_text};
use super::matrix::matrix;
use super::model::{LONGEST_TEXT, RoleFieldError, lost_ways};
use super::permission_set::{EVERYTHING, ImpliedChanges};
use super::roles_state::RolesState;
use super::saving::{change_of, save, setback};

/// The form with its pending changes and errors.
pub(super) fn editor(desk: RolesState) -> Node {
    let RolesState { texts, draft, .. } = desk;
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
    let node = form.element();
    let submit = move |event: web_sys::Event| {
        event.prevent_default();
        if untrack(|| draft.is_saving()) {
            return;
        }
        let base = draft.base.get_untracked();
        let id = base.as_ref().map(|role| role.id.as_str());
        let taken = untrack(|| desk.taken(id));
        let complaints = draft
            .typed
            .with_untracked(|typed| typed.complaints(&taken, base.as_ref()));
        let is_fine = complaints.is_empty();
        draft.complaints.set(complaints);
        if is_fine {
            save(desk, false);
        } else {
            focus_first_soon(node.clone(), "[aria-invalid='true']");
        }
    };
    Effect::new(move |before: Option<(String, Change, u32)>| {
        let (id, change) = draft
            .base
            .with(|base| draft.typed.with(|typed| change_of(typed, base.as_ref())));
        let settled = draft.settled();
        let is_changed = before.is_some_and(|(id_before, change_before, settled_before)| {
            id_before == id && change_before != change && settled_before == settled
        });
        if is_changed {
            let (id, change) = (id.clone(), change.clone());
            // Last: the page may unmount the view.
            desk.page()
                .emit(&TeamEvent::PermissionChanged { id, change });
        }
        (id, change, settled)
    });
    let title = heading(1)
        .class("role-form-title")
        .attr("id", "role-form-title")
        .attr("tabindex", "-1")
        .text_with(title);
    let main = el("div")
        .class("role-main")
        .child_with(move || setback(desk))
        .child(about(desk))
        .child(gaps(desk))
        .child(matrix(desk));
    form.on("submit", submit).child(title).child(main).child(
        el("div")
            .class("role-bar")
            .child(changes(desk))
            .child(buttons(desk)),
    )
}

/// Name, description and colour.
fn about(desk: RolesState) -> Node {
    let RolesState { texts, draft, .. } = desk;
    let Draft {
        typed, complaints, ..
    } = draft;
    let complaint = move |about: RoleFieldError| {
        complaints
            .with(|found| found.contains(&about))
            .then(|| complaint_text(about, texts))
    };
    let name_error = move || {
        // The list may load another role of this name. Skipped while saving: it may list this role itself.
        let base = draft.base.get();
        let taken = desk.taken(base.as_ref().map(|role| role.id.as_str()));
        let is_taken = !draft.is_saving()
            && typed.with(|typed| {
                let found = typed.complaints(&taken, base.as_ref());
                found.contains(&RoleFieldError::NameTaken)
            });
        is_taken
            .then(|| complaint_text(RoleFieldError::NameTaken, texts))
            .or_else(|| complaint(RoleFieldError::NameMissing))
            .or_else(|| complaint(RoleFieldError::NameTooLong))
    };
    let name = view! {
        <TextField
            id="role-name"
            label=texts.get(Key::RoleName)
            value=Signal::derive(move || typed.with(|typed| typed.name.clone()))
            on_input=move |text: String| draft.change(|typed| typed.name = text)
            is_required=true
            error=Signal::derive(name_error)
        />
    };
    let description = view! {
        <TextField
            id="role-description"
            label=texts.get(Key::RoleDescription)
            kind=TextKind::Lines
            value=Signal::derive(move || typed.with(|typed| typed.description.clone()))
            on_input=move |text: String| draft.change(|typed| typed.description = text)
            error=Signal::derive(move || complaint(RoleFieldError::DescriptionTooLong))
        />
    };
    el("div")
        .class("role-about")
        .child(name)
        .child(description)
        .child(color_field(
            draft,
            move || complaint(RoleFieldError::Color),
            texts,
        ))
}

fn complaint_text(complaint: RoleFieldError, texts: Translations) -> String {
    let key = match complaint {
        RoleFieldError::NameMissing => Key::Required,
        RoleFieldError::NameTaken => Key::RoleNameTaken,
        RoleFieldError::NameTooLong | RoleFieldError::DescriptionTooLong => {
            let most = texts.number(LONGEST_TEXT as i64);
            return texts.fill(Key::TextTooLong, &[("most", &most)]);
        }
        RoleFieldError::Color => Key::InvalidColor,
    };
    texts.get(key).to_owned()
}

/// Missing requirements of a role created elsewhere.
fn gaps(desk: RolesState) -> Node {
    let RolesState { texts, draft, .. } = desk;
    // A memo: unchanged gaps are neither rendered nor announced again.
    let gaps = Signal::memo(move || draft.typed.with(|typed| typed.held.gaps()));
    let fill = move || {
        draft.tick(|held| {
            held.fill_gaps();
            ImpliedChanges::default()
        });
        // The focused button disappears.
        desk.focus(".permissions-head input");
    };
    let shown = move || {
        let lines = gaps.with(|gaps| gap_lines(gaps, texts));
        if lines.is_empty() {
            return fragment();
        }
        let lines = lines.into_iter().map(|line| el("li").child(line));
        let title = el("p").class("role-note-title");
        el("div")
            .class("role-note")
            .child(title.child(texts.get(Key::GapsTitle)))
            .child(el("ul").child(fragment_of(lines)))
            .child(button("button", fill).child(texts.get(Key::FillGaps)))
    };
    el("div")
        .class("role-gaps")
        .attr("role", "status")
        .child_with(shown)
}

fn buttons(desk: RolesState) -> Node {
    let RolesState { texts, draft, .. } = desk;
    let action = move || {
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
        .text_with(action);
    let close = button("button", move || desk.close()).child(texts.get(Key::CloseForm));
    el("div")
        .class("role-actions")
        .child(save)
        .child(close)
        .child(slow_line(move || draft.is_saving()))
}

/// Warnings about changes that are hard to undo. A memo: unchanged ones are not announced again.
pub(super) fn warnings(desk: RolesState) -> Node {
    let RolesState { texts, draft, .. } = desk;
    let lost = Signal::memo(move || {
        let base = draft.base.get();
        draft.typed.with(|typed| {
            let held = &typed.held;
            let names = base
                .as_ref()
                .map(|base| lost_ways(&base.permissions, held))
                .unwrap_or_default();
            let is_own = base.is_some_and(|base| desk.is_own(&base.id));
            (names, is_own, held.has(EVERYTHING))
        })
    });
    let warning = move |text: String| {
        el("p")
            .class("role-warning")
            .child(icon(Shape::Alert))
            .child(el("span").child(text))
    };
    let warnings = move || {
        let (names, is_own, is_all) = lost.get();
        let key = if is_own {
            Key::OwnWayLost
        } else {
            Key::WayLost
        };
        let lost = names.into_iter().map(|name| {
            let name = permission_text(name, texts);
            warning(texts.fill(key, &[("name", &name)]))
        });
        let all = is_all.then(|| warning(texts.get(Key::EverythingWarning).to_owned()));
        fragment_of(lost.chain(all))
    };
    el("div")
        .class("role-warnings")
        .attr("role", "status")
        .child_with(warnings)
}
