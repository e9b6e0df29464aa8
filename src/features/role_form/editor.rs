//! The form that makes or changes a role.

use booking_wire::Role;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::api::{Abort, ApiError, Refusal};
use crate::components::focus::focus_first_soon;
use crate::components::{Shape, TextField, TextKind, button, heading, icon};
use crate::dom::{Html, el, nothing, row};
use crate::features::team_news::TeamNews;
use crate::i18n::{Key, Texts};
use crate::problem::{notice, notice_of};
use crate::signal::Signal;

use super::color_field::color_field;
use super::desk::{CHANGE_TIMEOUT_MS, Desk, View};
use super::difference::{changes, difference_of};
use super::draft::{Draft, Stage};
use super::matrix::matrix;
use super::model::{Complaint, LONGEST_TEXT, Typed, has_changed, lost_ways, matches};
use super::set::Effects;
use super::words::{gap_lines, permission_text, refusal_words};

/// The form, with what it would change and what is wrong with it.
pub(super) fn editor(desk: Desk) -> Html {
    let Desk { texts, draft, .. } = desk;
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
        let id = draft
            .base
            .with_untracked(|base| base.as_ref().map(|role| role.id.clone()));
        let taken = untrack(|| desk.taken(id.as_deref()));
        let complaints = draft.typed.with_untracked(|typed| typed.complaints(&taken));
        let is_fine = complaints.is_empty();
        draft.complaints.set(complaints);
        if is_fine {
            save(desk, false);
        } else {
            focus_first_soon(node.clone(), "[aria-invalid='true']");
        }
    };
    let title = heading(1)
        .class("role-form-title")
        .attr("id", "role-form-title")
        .attr("tabindex", "-1")
        .text_with(title);
    let main = el("div")
        .class("role-main")
        .show(move || setback(desk))
        .add(about(desk))
        .show(move || gaps(desk))
        .add(matrix(desk));
    form.on("submit", submit).add(title).add(main).add(
        el("div")
            .class("role-bar")
            .add(changes(desk))
            .add(buttons(desk)),
    )
}

/// Name, description and colour.
fn about(desk: Desk) -> Html {
    let Desk { texts, draft, .. } = desk;
    let Draft {
        typed, complaints, ..
    } = draft;
    let complaint = move |about: Complaint| {
        complaints
            .with(|found| found.contains(&about))
            .then(|| complaint_text(about, texts))
    };
    let name_error = move || {
        // The list may tell of a new role while this one is typed. Not while it is being saved: it
        // would meet itself.
        let id = draft
            .base
            .with(|base| base.as_ref().map(|role| role.id.clone()));
        let taken = desk.taken(id.as_deref());
        let is_taken = !draft.is_saving()
            && typed.with(|typed| typed.name_complaint(&taken)) == Some(Complaint::NameTaken);
        is_taken
            .then(|| complaint_text(Complaint::NameTaken, texts))
            .or_else(|| complaint(Complaint::NameMissing))
            .or_else(|| complaint(Complaint::NameTooLong))
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
            error=Signal::derive(move || complaint(Complaint::DescriptionTooLong))
        />
    };
    el("div")
        .class("role-about")
        .add(name)
        .add(description)
        .add(color_field(
            draft,
            move || complaint(Complaint::Color),
            texts,
        ))
}

fn complaint_text(complaint: Complaint, texts: Texts) -> String {
    let key = match complaint {
        Complaint::NameMissing => Key::Required,
        Complaint::NameTaken => Key::RoleNameTaken,
        Complaint::NameTooLong | Complaint::DescriptionTooLong => {
            let most = texts.number(LONGEST_TEXT as i64);
            return texts.fill(Key::TextTooLong, &[("most", &most)]);
        }
        Complaint::Color => Key::InvalidColor,
    };
    texts.get(key).to_owned()
}

/// A role that others made may hold what does not work.
fn gaps(desk: Desk) -> Option<Html> {
    let Desk { texts, draft, .. } = desk;
    let gaps = draft.typed.with(|typed| typed.held.gaps());
    let lines = gap_lines(&gaps, texts).into_iter();
    let lines = lines.map(|line| el("li").add(line));
    let fill = move || {
        draft.tick(|held| {
            held.fill_gaps();
            Effects::default()
        });
        // It goes away with what was missing.
        desk.focus(".permissions-head input");
    };
    (!gaps.is_empty()).then(|| {
        el("div")
            .class("role-note")
            .attr("role", "status")
            .add(
                el("p")
                    .class("role-note-title")
                    .add(texts.get(Key::GapsTitle)),
            )
            .add(el("ul").add(row(lines)))
            .add(button("button", fill).add(texts.get(Key::FillGaps)))
    })
}

fn buttons(desk: Desk) -> Html {
    let Desk { texts, draft, .. } = desk;
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
    let close = button("button", move || desk.close()).add(texts.get(Key::CloseForm));
    el("div").class("role-actions").add(save).add(close)
}

/// Sends what is typed. `anyway` if somebody else has changed the role meanwhile, and that is to be
/// replaced.
pub(super) fn save(desk: Desk, anyway: bool) {
    let Desk { draft, path, .. } = desk;
    let typed = draft.typed.get_untracked();
    let base = draft.base.get_untracked();
    if base.as_ref().is_some_and(|base| typed.is_as(base)) {
        return desk.close();
    }
    let has_question =
        |stage: &Stage| !matches!(stage, Stage::Typing | Stage::Saving | Stage::Failed(..));
    if draft.stage.with_untracked(has_question) {
        // The question goes away with its buttons.
        desk.focus("[type='submit']");
    }
    draft.stage.set(Stage::Saving);
    let session = desk.session();
    spawn_local(async move {
        let abort = || Abort::after(CHANGE_TIMEOUT_MS);
        let outcome = match &base {
            None => session.create_role(path, typed.role(), abort()).await,
            Some(base) => {
                // It replaces the whole set: what somebody else did meanwhile would be lost unseen.
                let found = session.role(path, &base.id, abort()).await;
                match found {
                    Ok(found) if has_changed(base, &found) && !anyway => {
                        if desk.is_open(Some(base)) {
                            draft.stage.set(Stage::Overtaken(Box::new(found)));
                            desk.focus(QUESTION);
                        }
                        return;
                    }
                    Ok(found) => {
                        let change = typed.change_of(&found);
                        session.change_role(path, &base.id, change, abort()).await
                    }
                    Err(error) => Err(error),
                }
            }
        };
        if desk.is_gone() {
            return;
        }
        let is_open = desk.is_open(base.as_ref());
        match outcome {
            Ok(role) => {
                let (key, news) = match base {
                    None => {
                        let id = role.id.clone();
                        (Key::RoleCreated, TeamNews::RoleCreated { id })
                    }
                    Some(_) => {
                        let id = role.id.clone();
                        (Key::RoleSaved, TeamNews::RoleUpdated { id })
                    }
                };
                desk.tell(&news);
                desk.line.say(desk.texts.fill(key, &[("name", &role.name)]));
                let has_gone_on = || draft.typed.with_untracked(|now| *now != typed);
                if is_open && has_gone_on() {
                    // What was typed while it was saved is a change of the role as it is by now.
                    draft.base.set(Some(role));
                    draft.stage.set(Stage::Typing);
                    return desk.answer.again();
                }
                draft.settle(&typed, base.as_ref(), is_open);
                if is_open && desk.view.get_untracked() == View::Editor {
                    let searched = desk.search.get_untracked();
                    if !matches(&role, &searched, |name| permission_text(name, desk.texts)) {
                        // It is to be seen.
                        desk.search.set(String::new());
                    }
                    desk.marked.set(Some(role.id));
                    desk.view.set(View::List);
                }
            }
            // What is open is something else by now: the role says that it is not saved.
            Err(_) if !is_open => {}
            Err(ApiError::Declined(Refusal::NotFound)) if base.is_some() => {
                draft.stage.set(Stage::Gone);
                desk.focus(QUESTION);
            }
            Err(error) => {
                let (title, text) = trouble(&error, base.is_none(), desk.texts);
                draft.stage.set(Stage::Failed(title, text));
                // The button that was pressed may stand a long way below.
                desk.reveal("#role-form-title");
            }
        }
        // After a failure too: it shows whether the name was taken meanwhile, or whether the role was
        // saved although no answer came.
        desk.answer.again();
    });
}

/// What is to be answered before a role can be saved.
const QUESTION: &str = ".role-note button, .notice button";

fn trouble(error: &ApiError, is_new: bool, texts: Texts) -> (String, Vec<String>) {
    let title = texts.get(if is_new {
        Key::RoleRefusedTitle
    } else {
        Key::RoleNotSavedTitle
    });
    match error {
        ApiError::Declined(Refusal::Invalid(message)) => (title.to_owned(), vec![message.clone()]),
        ApiError::Declined(_) => {
            let (reason, text) = refusal_words(error, texts);
            (title.to_owned(), vec![reason, text])
        }
        ApiError::Unreachable | ApiError::Unexpected { .. } => {
            let text = if is_new {
                Key::RoleUnknownText
            } else {
                Key::RoleUnsavedText
            };
            let title = texts.get(Key::RoleUnknownTitle);
            (title.to_owned(), vec![texts.get(text).to_owned()])
        }
    }
}

/// Why it was not saved, and what can be done about it.
fn setback(desk: Desk) -> Option<Html> {
    let Desk { texts, draft, .. } = desk;
    match draft.stage.get() {
        Stage::Typing | Stage::Saving => None,
        Stage::Failed(title, sentences) => {
            let sentences = sentences.into_iter().map(|words| el("p").add(words));
            let text = el("div").add(row(sentences));
            Some(notice_of(Shape::Alert, &title, text))
        }
        Stage::Gone => {
            let anew = move || {
                draft.base.set(None);
                save(desk, false);
            };
            Some(
                notice(
                    Shape::Alert,
                    texts.get(Key::RoleGoneTitle),
                    texts.get(Key::RoleGoneText),
                )
                .add(button("button", anew).add(texts.get(Key::CreateAnew))),
            )
        }
        Stage::Overtaken(theirs) => Some(overtaken(*theirs, desk)),
    }
}

/// Somebody else has changed the role: what they did, and whose version is to stay.
fn overtaken(theirs: Role, desk: Desk) -> Html {
    let Desk { texts, draft, .. } = desk;
    let Some(base) = draft.base.get_untracked() else {
        return nothing();
    };
    let after = Typed::of(desk.level(), &theirs);
    let done = difference_of(&after, &base, texts);
    let join = {
        let (base, theirs) = (base, theirs.clone());
        move || {
            let joined = draft
                .typed
                .with_untracked(|typed| typed.onto(&base, &theirs));
            draft.begin(joined, Some(theirs.clone()));
            desk.focus("#role-form-title");
        }
    };
    let take = move || {
        let typed = Typed::of(desk.level(), &theirs);
        draft.begin(typed, Some(theirs.clone()));
        desk.focus("#role-form-title");
    };
    el("div")
        .class("role-note")
        .attr("role", "alert")
        .add(
            el("p")
                .class("role-note-title")
                .add(texts.get(Key::RoleOvertakenTitle)),
        )
        .add(el("p").add(texts.get(Key::RoleOvertakenText)))
        .add(done)
        .add(
            el("div")
                .class("role-actions")
                .add(button("button", join).add(texts.get(Key::JoinBoth)))
                .add(button("button", move || save(desk, true)).add(texts.get(Key::KeepMine)))
                .add(button("button", take).add(texts.get(Key::TakeTheirs))),
        )
}

/// What saving would make hard to undo.
pub(super) fn warnings(desk: Desk) -> Vec<Html> {
    let Desk { texts, draft, .. } = desk;
    let warning = |text: String| {
        el("p")
            .class("role-warning")
            .add(icon(Shape::Alert))
            .add(el("span").add(text))
    };
    let mut warnings = Vec::new();
    let base = draft.base.get();
    let held = draft.typed.with(|typed| typed.held.clone());
    if let Some(base) = base {
        let key = if desk.is_own(&base.id) {
            Key::OwnWayLost
        } else {
            Key::WayLost
        };
        for name in lost_ways(&base.permissions, &held) {
            let name = permission_text(name, texts);
            warnings.push(warning(texts.fill(key, &[("name", &name)])));
        }
    }
    if held.has("*.*") {
        warnings.push(warning(texts.get(Key::EverythingWarning).to_owned()));
    }
    warnings
}
