//! Saves the form: the page may prevent it, and changes of other users are detected.

use booking_ui::prelude::*;
use booking_wire::Role;

use super::super::model::{RoleFormValues, has_changed};
use super::super::requests::{CHANGE_TIMEOUT_MS, find_role};
use super::super::save_hook::{is_allowed_by_page, role_change};
use super::super::state::context::RolesContext;
use super::super::state::draft::SaveState;
use super::super::state::list_state::ListState;
use super::super::state::navigation::Navigation;
use super::super::state::role_store::RoleStore;
use crate::client::session::Session;
use crate::client::{Abort, ApiError, DeclineReason};
use crate::features::roles::texts::save_error_title;
use crate::i18n::Key;
use crate::page::events::Page;
use crate::page::team_events::TeamEvent;

/// Title of the form, above its notices.
const TITLE: &str = "#role-form-title";

/// Buttons of a notice that asks for a decision.
const DECISION: &str = ".role-note button, .notice button";

/// Saves the form. `overwrites` changes that another user has made since the role was opened.
pub(crate) fn save(
    context: RolesContext,
    store: RoleStore,
    list: ListState,
    navigation: Navigation,
    overwrites: bool,
) {
    let draft = navigation.draft;
    let values = draft.values.get_untracked();
    let base = draft.base.get_untracked();
    if base.as_ref().is_some_and(|base| values.is_same_as(base)) {
        return navigation.close_editor();
    }
    let asks_for_decision =
        |state: &SaveState| matches!(state, SaveState::Conflict(_) | SaveState::Deleted);
    if draft.save_state.with_untracked(asks_for_decision) {
        // The focused button disappears.
        context.focus("[type='submit']");
    }
    draft.save_state.set(SaveState::Saving);
    let save = Save {
        session: context.session(),
        page: context.page(),
        context,
        store,
        list,
        navigation,
        values,
        base,
        edit_id: draft.edit_id(),
        overwrites,
    };
    spawn_local(save.run());
}

/// Input and dependencies of a save, read before the first `await`: the screen may be disposed after it,
/// and the page is notified all the same.
struct Save {
    session: Session,
    page: Page,
    context: RolesContext,
    store: RoleStore,
    list: ListState,
    navigation: Navigation,
    values: RoleFormValues,
    /// The saved role being edited; `None` for a new one.
    base: Option<Role>,
    edit_id: u32,
    overwrites: bool,
}

/// Result of a save.
enum Outcome {
    /// The saved role.
    Saved(Role),
    /// Another user has changed the role to this, so nothing was sent.
    Conflict(Role),
    /// The current role could not be read, so nothing was sent.
    NotRead(ApiError),
    /// Declined or not answered.
    Failed(ApiError),
}

impl Save {
    async fn run(self) {
        // The page may remove the element.
        let _kept = self.session.keep();
        let (id, change) = role_change(&self.values, self.base.as_ref());
        let is_allowed = is_allowed_by_page(&self.page, self.context.texts, id, change).await;
        if self.context.is_disposed() {
            return;
        }
        if is_allowed != Ok(true) {
            if self.is_open() {
                self.navigation.draft.save_state.set(match is_allowed {
                    Err(error) => SaveState::Failed(error),
                    Ok(_) => SaveState::Editing,
                });
                self.context.reveal(TITLE);
            }
            return;
        }
        let outcome = self.send().await;
        self.page.emit(&self.event(&outcome));
        if !self.context.is_disposed() {
            self.show(outcome);
        }
    }

    /// True if the form still shows this edit.
    fn is_open(&self) -> bool {
        self.navigation.draft.edit_id() == self.edit_id
    }

    async fn send(&self) -> Outcome {
        let (session, path, values) = (&self.session, self.context.path, &self.values);
        let abort = || Abort::after(CHANGE_TIMEOUT_MS);
        let result = match &self.base {
            None => {
                let request = values.create_request();
                session.create_role(path, request, abort()).await
            }
            Some(base) => {
                // Permissions replace the whole set: changes by others would be lost silently.
                match find_role(session, path, &base.id).await {
                    // A lost response may have been a success.
                    Ok(found) if values.is_same_as(&found) => Ok(found),
                    Ok(found) if has_changed(base, &found) && !self.overwrites => {
                        return Outcome::Conflict(found);
                    }
                    Ok(found) => {
                        let request = values.change_request(&found);
                        session.change_role(path, &base.id, request, abort()).await
                    }
                    Err(error @ ApiError::Declined(_)) => Err(error),
                    Err(error) => return Outcome::NotRead(error),
                }
            }
        };
        match result {
            Ok(role) => Outcome::Saved(role),
            Err(error) => Outcome::Failed(error),
        }
    }

    /// Event for the page.
    fn event(&self, outcome: &Outcome) -> TeamEvent {
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
            Outcome::Conflict(_) => failed("overtaken"),
            Outcome::NotRead(error) | Outcome::Failed(error) => failed(error.code()),
        }
    }

    fn show(self, outcome: Outcome) {
        let (context, store) = (self.context, self.store);
        let save_state = self.navigation.draft.save_state;
        let is_open = self.is_open();
        match outcome {
            Outcome::Saved(role) => self.show_saved(role),
            Outcome::Conflict(found) => {
                if is_open {
                    save_state.set(SaveState::Conflict(Box::new(found)));
                    context.focus(DECISION);
                }
                return self.announce_unless_shown(Key::RoleOvertakenTitle);
            }
            Outcome::NotRead(error) => {
                if is_open {
                    save_state.set(SaveState::NotRead(error));
                    context.reveal(TITLE);
                }
                return self.announce_unless_shown(Key::RoleNotSavedTitle);
            }
            Outcome::Failed(error) => {
                let is_new = self.base.is_none();
                self.announce_unless_shown(save_error_title(&error, is_new));
                if is_open && !is_new && error == ApiError::Declined(DeclineReason::NotFound) {
                    save_state.set(SaveState::Deleted);
                    context.focus(DECISION);
                } else if is_open {
                    save_state.set(SaveState::Failed(error));
                    // The submit button may be far below.
                    context.reveal(TITLE);
                }
            }
        }
        // After a failure too: the list shows if the name is taken by now, or if the role was saved
        // although the response was lost.
        store.reload();
    }

    /// Announces a result that is off screen.
    fn announce_unless_shown(&self, title: Key) {
        if !self.is_open() || !self.navigation.is_editor_shown() {
            let title = self.context.texts.get(title).to_owned();
            self.context.status_line.set_text(title);
        }
    }

    fn show_saved(self, role: Role) {
        let is_open = self.is_open();
        let Self {
            context,
            store,
            list,
            navigation,
            values,
            base,
            ..
        } = self;
        let (texts, draft) = (context.texts, navigation.draft);
        let key = match base {
            None => Key::RoleCreated,
            Some(_) => Key::RoleSaved,
        };
        let message = texts.fill(key, &[("name", &role.name)]);
        context.status_line.set_text(message);
        let was_edited = || draft.values.with_untracked(|current| *current != values);
        if is_open && was_edited() {
            // Edits made during the save are changes to the saved role.
            draft.base.set(Some(role));
            draft.save_state.set(SaveState::Editing);
            return;
        }
        draft.handle_saved(&values, base.as_ref(), &role, is_open);
        store.put(role.clone());
        if is_open && navigation.is_editor_shown() {
            if untrack(|| !list.is_found(&role, texts)) {
                // The search would hide it.
                list.search.set(String::new());
            }
            list.saved_role.set(Some(role.id.clone()));
            navigation.role_to_focus.set(Some(role.id));
            navigation.leave_view();
        }
    }
}
