//! Saving a role, with conflicts and errors.

use booking_wire::{Permission, Role};
use js_sys::Object;
use leptos::prelude::*;
use leptos::task::spawn_local;

use crate::client::roles::RolesPath;
use crate::client::session::Session;
use crate::client::{Abort, ApiError, DeclineReason};
use crate::components::{Shape, button};
use crate::element::events::HookResponse;
use crate::element::events::Page;
use crate::element::team_events::{Change, TeamEvent};
use crate::features::shared::error_notice::{notice, notice_of, service_text, words};
use crate::i18n::{Key, Translations};
use crate::ui::dom::{Node, el, fragment, fragment_of};
use crate::ui::signal::InTask;

use super::difference::difference_of;
use super::draft::SaveState;
use super::labels::refusal_words;
use super::model::{RoleFormValues, has_changed};
use super::permission_set::PermissionSet;
use super::roles_state::{CHANGE_TIMEOUT_MS, RolesState, View};

/// Saves the form. `anyway` overwrites changes that another user has made since the role was opened.
pub(super) fn save(desk: RolesState, anyway: bool) {
    let RolesState { draft, path, .. } = desk;
    let typed = draft.typed.get_untracked();
    let base = draft.base.get_untracked();
    if base.as_ref().is_some_and(|base| typed.is_as(base)) {
        return desk.close();
    }
    let has_question =
        |stage: &SaveState| matches!(stage, SaveState::Overtaken(_) | SaveState::Gone);
    if draft.stage.with_untracked(has_question) {
        // The focused button disappears.
        desk.focus("[type='submit']");
    }
    draft.stage.set(SaveState::Saving);
    let saving = Saving {
        session: desk.session(),
        page: desk.page(),
        task: desk.in_task(),
        texts: desk.texts,
        edition: draft.edition(),
        path,
        typed,
        base,
        anyway,
    };
    spawn_local(saving.run());
}

/// Input and dependencies of a save, read before the first `await`: the screen may be disposed after it,
/// and the page is notified all the same.
struct Saving {
    session: Session,
    page: Page,
    task: InTask<RolesState>,
    texts: Translations,
    path: RolesPath,
    typed: RoleFormValues,
    /// The saved role being edited; `None` for a new one.
    base: Option<Role>,
    /// Number of the edit.
    edition: Option<u32>,
    anyway: bool,
}

/// Result of saving.
enum Outcome {
    /// The saved role.
    Saved(Role),
    /// Another user has changed the role to this, so nothing was sent.
    Overtaken(Role),
    /// The current role could not be read, so nothing was sent.
    Unread(ApiError),
    /// Declined or not answered.
    Failed(ApiError),
}

impl Saving {
    async fn run(self) {
        // The page may remove the element.
        let _kept = self.session.keep();
        let (id, change) = change_of(&self.typed, self.base.as_ref());
        let is_welcome = is_welcome(&self.page, self.texts, id, change).await;
        let Some(desk) = self.task.get() else { return };
        if is_welcome != Ok(true) {
            if self.is_open(desk) {
                desk.draft.stage.set(match is_welcome {
                    Err(error) => SaveState::Refused(error),
                    Ok(_) => SaveState::Typing,
                });
                desk.reveal("#role-form-title");
            }
            return;
        }
        let outcome = self.send().await;
        self.page.emit(&self.news(&outcome));
        if let Some(desk) = self.task.get() {
            self.show(desk, outcome);
        }
    }

    /// True if the form still shows this edit.
    fn is_open(&self, desk: RolesState) -> bool {
        desk.draft.edition() == self.edition
    }

    async fn send(&self) -> Outcome {
        let (session, path, typed) = (&self.session, self.path, &self.typed);
        let abort = || Abort::after(CHANGE_TIMEOUT_MS);
        let sent = match &self.base {
            None => session.create_role(path, typed.role(), abort()).await,
            Some(base) => {
                // Permissions replace the whole set: changes by others would be lost silently.
                match current(session, path, &base.id).await {
                    // A lost response may have been a success.
                    Ok(found) if typed.is_as(&found) => Ok(found),
                    Ok(found) if has_changed(base, &found) && !self.anyway => {
                        return Outcome::Overtaken(found);
                    }
                    Ok(found) => {
                        let change = typed.change_of(&found);
                        session.change_role(path, &base.id, change, abort()).await
                    }
                    Err(error @ ApiError::Declined(_)) => Err(error),
                    Err(error) => return Outcome::Unread(error),
                }
            }
        };
        match sent {
            Ok(role) => Outcome::Saved(role),
            Err(error) => Outcome::Failed(error),
        }
    }

    fn news(&self, outcome: &Outcome) -> TeamEvent {
        let id = self.base.as_ref().map(|base| base.id.clone());
        let failed = |code| TeamEvent::RoleSaveFailed {
            id: id.clone().unwrap_or_default(),
            code,
        };
        match outcome {
            Outcome::Saved(role) if id.is_none() => TeamEvent::RoleCreated {
                id: role.id.clone(),
            },
            Outcome::Saved(role) => TeamEvent::RoleUpdated {
                id: role.id.clone(),
            },
            Outcome::Overtaken(_) => failed("overtaken"),
            Outcome::Unread(error) | Outcome::Failed(error) => failed(error.code()),
        }
    }

    fn show(self, desk: RolesState, outcome: Outcome) {
        let draft = desk.draft;
        let is_open = self.is_open(desk);
        match outcome {
            Outcome::Saved(role) => self.show_saved(desk, role),
            Outcome::Overtaken(found) => {
                if is_open {
                    draft.stage.set(SaveState::Overtaken(Box::new(found)));
                    desk.focus(QUESTION);
                }
                return desk.tell_unseen(Key::RoleOvertakenTitle, is_open);
            }
            Outcome::Unread(error) => {
                if is_open {
                    draft.stage.set(SaveState::Unread(error));
                    desk.reveal("#role-form-title");
                }
                return desk.tell_unseen(Key::RoleNotSavedTitle, is_open);
            }
            Outcome::Failed(error) => {
                let is_new = self.base.is_none();
                desk.tell_unseen(failure_title(&error, is_new), is_open);
                if is_open && !is_new && error == ApiError::Declined(DeclineReason::NotFound) {
                    draft.stage.set(SaveState::Gone);
                    desk.focus(QUESTION);
                } else if is_open {
                    draft.stage.set(SaveState::Refused(error));
                    // The submit button may be far below.
                    desk.reveal("#role-form-title");
                }
            }
        }
        // After a failure too: the list shows if the name is taken by now, or if the role was saved
        // although the response was lost.
        desk.answer.again();
    }

    fn show_saved(self, desk: RolesState, role: Role) {
        let draft = desk.draft;
        let is_open = self.is_open(desk);
        let Self { typed, base, .. } = self;
        let key = match base {
            None => Key::RoleCreated,
            Some(_) => Key::RoleSaved,
        };
        desk.line
            .set_text(desk.texts.fill(key, &[("name", &role.name)]));
        let has_gone_on = || draft.typed.with_untracked(|now| *now != typed);
        if is_open && has_gone_on() {
            // Edits made during the save are changes to the saved role.
            draft.base.set(Some(role));
            draft.stage.set(SaveState::Typing);
            return;
        }
        draft.settle(&typed, base.as_ref(), &role, is_open);
        desk.put_role(role.clone());
        if is_open && desk.view.get_untracked() == View::Editor {
            if untrack(|| !desk.is_found(&role)) {
                // The search would hide it.
                desk.search.set(String::new());
            }
            desk.marked.set(Some(role.id));
            desk.view.set(View::List);
        }
    }
}

/// Lets the page allow or veto a change of a role. An error if its handler fails.
pub(super) async fn is_welcome(
    page: &Page,
    texts: Translations,
    id: String,
    change: Change,
) -> Result<bool, ApiError> {
    let hook = TeamEvent::BeforeRoleSave { id, change };
    match page.ask(&hook, &Object::new(), None).await {
        HookResponse::Go | HookResponse::With(_) => Ok(true),
        HookResponse::Stop => Ok(false),
        HookResponse::Failed(text) => {
            let usual = || texts.get(Key::UnexpectedText).to_owned();
            let text = text.unwrap_or_else(usual);
            Err(ApiError::Declined(DeclineReason::ByPage(text)))
        }
    }
}

/// Permission changes from `before` to `held`.
pub(super) fn change_since(held: &PermissionSet, before: &[Permission]) -> Change {
    let difference = held.since(before);
    Change {
        added: difference.added,
        removed: difference.removed,
        implied: difference.implied,
    }
}

/// Id of the role, empty for a new one, and its changes.
pub(super) fn change_of(typed: &RoleFormValues, base: Option<&Role>) -> (String, Change) {
    match base {
        Some(base) => (
            base.id.clone(),
            change_since(&typed.held, &base.permissions),
        ),
        None => (String::new(), change_since(&typed.held, &[])),
    }
}

/// Buttons of a question that blocks saving.
const QUESTION: &str = ".role-note button, .notice button";

/// Reads the current role, from the list of roles if the service does not return single ones.
pub(super) async fn current(
    session: &Session,
    path: RolesPath,
    id: &str,
) -> Result<Role, ApiError> {
    let abort = || Abort::after(CHANGE_TIMEOUT_MS);
    match session.role(path, id, abort()).await {
        Err(error @ ApiError::Declined(DeclineReason::NotFound)) => {
            let roles = session.roles(path, abort()).await?;
            roles.into_iter().find(|role| role.id == id).ok_or(error)
        }
        found => found,
    }
}

impl RolesState {
    /// Announces a result that is off screen.
    fn tell_unseen(self, title: Key, is_open: bool) {
        if !is_open || self.view.get_untracked() != View::Editor {
            self.line.set_text(self.texts.get(title).to_owned());
        }
    }
}

fn failure_title(error: &ApiError, is_new: bool) -> Key {
    match (error, is_new) {
        (ApiError::Declined(_), true) => Key::RoleRefusedTitle,
        (ApiError::Declined(_), false) => Key::RoleNotSavedTitle,
        _ => Key::RoleUnknownTitle,
    }
}

/// Notice of a failed save with its reason.
fn trouble(error: &ApiError, is_new: bool, texts: Translations) -> Node {
    let sentences = match error {
        ApiError::Declined(DeclineReason::ByPage(message)) => vec![message.clone()],
        ApiError::Declined(DeclineReason::Invalid(message)) => vec![service_text(message, texts)],
        ApiError::Declined(_) => {
            let (reason, text) = refusal_words(error, texts);
            vec![reason, text]
        }
        _ if is_new => vec![texts.get(Key::RoleUnknownText).to_owned()],
        _ => vec![texts.get(Key::RoleUnsavedText).to_owned()],
    };
    told(failure_title(error, is_new), sentences, texts)
}

fn told(title: Key, sentences: Vec<String>, texts: Translations) -> Node {
    let sentences = sentences.into_iter().map(|words| el("p").child(words));
    let text = el("div").child(fragment_of(sentences));
    notice_of(Shape::Alert, texts.get(title), text)
}

/// Notice of a failed save or conflict, with actions.
pub(super) fn setback(desk: RolesState) -> Option<Node> {
    let RolesState { texts, draft, .. } = desk;
    match draft.stage.get() {
        SaveState::Typing | SaveState::Saving => None,
        SaveState::Refused(error) => {
            let is_new = draft.base.with_untracked(Option::is_none);
            Some(trouble(&error, is_new, texts))
        }
        SaveState::Unread(error) => {
            let (reason, text) = words(&error, texts);
            Some(told(Key::RoleNotSavedTitle, vec![reason, text], texts))
        }
        SaveState::Gone => {
            let create = move || {
                draft.base.set(None);
                save(desk, false);
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
        SaveState::Overtaken(theirs) => Some(overtaken(*theirs, desk)),
    }
}

/// Conflict with another user's change: the differences, and a choice of versions.
fn overtaken(theirs: Role, desk: RolesState) -> Node {
    let RolesState { texts, draft, .. } = desk;
    let Some(base) = draft.base.get_untracked() else {
        return fragment();
    };
    let after = RoleFormValues::of(desk.level(), &theirs);
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
        let typed = RoleFormValues::of(desk.level(), &theirs);
        draft.begin(typed, Some(theirs.clone()));
        desk.focus("#role-form-title");
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
        .child(done)
        .child(
            el("div")
                .class("role-actions")
                .child(button("button", join).child(texts.get(Key::JoinBoth)))
                .child(button("button", move || save(desk, true)).child(texts.get(Key::KeepMine)))
                .child(button("button", take).child(texts.get(Key::TakeTheirs))),
        )
}
