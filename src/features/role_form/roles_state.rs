//! Shared state of the screen.

use booking_wire::{MembershipRole, Permission, Role, RoleHolder, RoleType};
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::chunk::Tools;
use super::draft::Draft;
use super::labels::permission_text;
use super::list_focus::keep_spot;
use super::model::{RoleFormValues, matches, name_of_copy};
use super::permission_set::{ImpliedChanges, Level};
use super::saving::current;
use crate::client::query::Latest;
use crate::client::roles::RolesPath;
use crate::client::session::Session;
use crate::client::{Abort, ApiError, DeclineReason};
use crate::components::StatusLine;
use crate::components::focus::focus_first_soon;
use crate::element::events::Page;
use crate::element::settings::Settings;
use crate::element::team_events::TeamEvent;
use crate::i18n::{Key, Translations};
use crate::time::Formats;
use crate::ui::lazy::LazyChunk;
use crate::ui::signal::{InTask, RwSignal, StoredValue};

/// Timeout of a change, after which its outcome is unknown.
pub(super) const CHANGE_TIMEOUT_MS: u64 = 30_000;

/// First focus in the opened form.
const NAME: &str = "#role-name";

/// Current view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum View {
    /// All roles.
    List,
    /// Form for a role.
    Editor,
    /// Comparison of roles.
    Comparison,
}

/// Shared state of the screen.
#[derive(Clone, Copy)]
pub(super) struct RolesState {
    pub(super) texts: Translations,
    pub(super) formats: Formats,
    pub(super) line: StatusLine,
    pub(super) settings: Settings,
    pub(super) path: RolesPath,
    pub(super) answer: Latest<Vec<Role>>,
    /// Roles as last known.
    pub(super) roles: RwSignal<Vec<Role>>,
    /// Members with their roles, if known.
    pub(super) holders: RwSignal<Option<Vec<RoleHolder>>>,
    /// User id of the current user, if known.
    pub(super) me: RwSignal<Option<i64>>,
    pub(super) view: RwSignal<View>,
    pub(super) draft: Draft,
    /// Ids of the expanded roles.
    pub(super) opened: RwSignal<Vec<String>>,
    /// Role id and the permission chosen to be added.
    pub(super) adding: RwSignal<(String, String)>,
    /// Result of the last single change.
    pub(super) step: RwSignal<Option<Step>>,
    /// Pending changes: role id and permission name, which is empty for a deletion.
    pub(super) busy: RwSignal<Vec<(String, String)>>,
    /// Role awaiting confirmation of its deletion.
    pub(super) asked: RwSignal<Option<Role>>,
    /// Id and error of a failed deletion.
    pub(super) refused: RwSignal<Option<(String, ApiError)>>,
    /// Name of a role that another user deleted before it could be changed.
    pub(super) lost: RwSignal<Option<String>>,
    /// Ids of the roles to compare.
    pub(super) picked: RwSignal<Vec<String>>,
    /// Id of the role to focus once it is listed.
    pub(super) marked: RwSignal<Option<String>>,
    /// Search text.
    pub(super) search: RwSignal<String>,
    /// True if permissions are shown by resource.
    pub(super) is_compact: RwSignal<bool>,
    /// Search text for permissions.
    pub(super) permission_search: RwSignal<String>,
    /// True if only differences are compared.
    pub(super) only_differences: RwSignal<bool>,
    /// Selector to focus after the next render.
    pub(super) next_focus: StoredValue<Option<&'static str>>,
    /// Lazy chunk of tools.
    pub(super) tools: LazyChunk<Tools>,
    pub(super) world: StoredValue<RolesContext>,
}

/// Result of the last change of a single permission.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Step {
    /// Role id.
    pub(super) id: String,
    /// Side effects, or the error.
    pub(super) outcome: Result<ImpliedChanges, ApiError>,
}

/// Dependencies of the screen.
pub(super) struct RolesContext {
    pub(super) session: Session,
    pub(super) page: Page,
    /// Root element.
    pub(super) root: HtmlElement,
}

impl RolesState {
    /// API session.
    pub(super) fn session(self) -> Session {
        self.world.with_value(|world| world.session.clone())
    }

    /// Embedding page.
    pub(super) fn page(self) -> Page {
        self.world.with_value(|world| world.page.clone())
    }

    /// Focuses the first match of `selector`.
    pub(super) fn focus(self, selector: &'static str) {
        self.world
            .with_value(|world| focus_first_soon(world.root.clone(), selector));
    }

    /// Scrolls the first match of `selector` into view.
    pub(super) fn reveal(self, selector: &'static str) {
        request_animation_frame(move || {
            let found = self
                .world
                .try_with_value(|world| world.root.query_selector(selector));
            if let Some(Ok(Some(found))) = found {
                found.scroll_into_view();
            }
        });
    }

    /// Focuses the marked role once it is rendered.
    pub(super) fn focus_marked(self) {
        request_animation_frame(move || {
            let found = self
                .world
                .try_with_value(|world| world.root.query_selector("[data-new]"));
            if let Some(Ok(Some(found))) = found {
                // Fails for a removed element, which needs no handling.
                let _ = found.unchecked_ref::<HtmlElement>().focus();
                self.marked.set(None);
            }
        });
    }

    /// Restores the focus in the list after its next render.
    pub(super) fn keep_focus(self) {
        self.world.with_value(|world| keep_spot(&world.root));
    }

    /// Shows `view` and focuses its first match of `selector`.
    pub(super) fn show(self, view: View, selector: &'static str) {
        self.next_focus.set_value(Some(selector));
        self.view.set(view);
    }

    /// Focuses the target that `show` has set; a view that is only rendered again keeps the focus.
    pub(super) fn focus_next(self) {
        let next = self.next_focus.get_value();
        self.next_focus.set_value(None);
        if let Some(selector) = next {
            self.focus(selector);
        }
    }

    /// True if this change is pending.
    pub(super) fn is_busy(self, id: &str, name: &str) -> bool {
        self.busy
            .with(|busy| busy.iter().any(|change| change.0 == id && change.1 == name))
    }

    /// Begins a change, unless it is pending.
    pub(super) fn begin(self, id: &str, name: &str) -> bool {
        let is_free = untrack(|| !self.is_busy(id, name));
        if is_free {
            self.lost.set(None);
            let change = (id.to_owned(), name.to_owned());
            self.busy.update(|busy| busy.push(change));
        }
        is_free
    }

    /// Ends a change.
    pub(super) fn end(self, id: &str, name: &str) {
        self.busy
            .update(|busy| busy.retain(|change| change.0 != id || change.1 != name));
    }

    /// Handle for tasks: the page may remove the screen during a request.
    pub(super) fn in_task(self) -> InTask<Self> {
        self.world.in_task(self)
    }

    pub(super) fn level(self) -> Level {
        match self.path.team_id {
            Some(_) => Level::Team,
            None => Level::Organization,
        }
    }

    /// Names of all roles but the one with `id`.
    pub(super) fn taken(self, id: Option<&str>) -> Vec<String> {
        let others = |role: &Role| Some(role.id.as_str()) != id;
        self.roles.with(|roles| {
            let roles = roles.iter().filter(|role| others(role));
            roles.map(|role| role.name.clone()).collect()
        })
    }

    /// Reads the members and their roles. Errors are ignored: this is not needed to change a role.
    pub(super) fn read_holders(self) {
        let Some(team_id) = self.path.team_id else {
            return;
        };
        let session = self.session();
        spawn_local(async move {
            let abort = || Abort::after(CHANGE_TIMEOUT_MS);
            let Ok(Some(holders)) = session.members(team_id, abort()).await else {
                return;
            };
            self.holders.set(Some(holders));
            if let Ok(me) = session.my_id(abort()).await {
                self.me.set(Some(me));
            }
        });
    }

    /// Number of members with a role; `None` if unknown.
    pub(super) fn count_of_holders(self, role: &Role) -> Option<usize> {
        let of_memberships = [
            MembershipRole::Owner,
            MembershipRole::Admin,
            MembershipRole::Member,
        ];
        let id = role.id.as_str();
        if is_locked(role) && !of_memberships.iter().any(|one| one.system_role() == id) {
            return None;
        }
        self.holders.with(|holders| {
            let holds = |member: &&RoleHolder| member.role_id.as_deref() == Some(id);
            Some(holders.as_ref()?.iter().filter(holds).count())
        })
    }

    /// True if the current user is known to have the role.
    pub(super) fn is_own(self, id: &str) -> bool {
        let me = self.me.get();
        self.holders.with(|holders| {
            let is_mine = |member: &RoleHolder| {
                Some(member.user_id) == me && member.role_id.as_deref() == Some(id)
            };
            holders
                .as_ref()
                .is_some_and(|holders| holders.iter().any(is_mine))
        })
    }

    /// True if the current user is known not to have the role.
    pub(super) fn is_of_others(self, id: &str) -> bool {
        let is_known = self.me.get().is_some() && self.holders.with(Option::is_some);
        is_known && !self.is_own(id)
    }

    /// Returns to the list, at the open role. Input is kept.
    pub(super) fn close(self) {
        let id = self
            .draft
            .base
            .with_untracked(|base| base.as_ref().map(|role| role.id.clone()));
        let is_new = id.is_none();
        self.marked.set(id);
        self.view.set(View::List);
        if is_new {
            self.focus(".roles-new");
        }
    }

    /// Opens the form for a new role.
    pub(super) fn make(self) {
        self.draft.open(RoleFormValues::new(self.level()), None);
        self.show(View::Editor, NAME);
    }

    /// Opens the form for an existing role.
    pub(super) fn edit(self, role: Role) {
        self.draft
            .open(RoleFormValues::of(self.level(), &role), Some(role));
        self.show(View::Editor, NAME);
    }

    /// Opens the form for a copy of a role.
    pub(super) fn duplicate(self, role: &Role) {
        let texts = self.texts;
        let copy = |name: &str, number: usize| match number {
            1 => texts.fill_plain(Key::CopyOf, &[("name", name)]),
            number => {
                let number = texts.number(number as i64);
                texts.fill_plain(Key::CopyOfNumber, &[("name", name), ("number", &number)])
            }
        };
        let taken = untrack(|| self.taken(None));
        let mut typed = RoleFormValues::of(self.level(), role);
        typed.name = name_of_copy(&role.name, copy, &taken);
        self.draft.open_new(typed);
        self.show(View::Editor, NAME);
    }

    /// True if a role matches the search.
    pub(super) fn is_found(self, role: &Role) -> bool {
        let texts = self.texts;
        self.search
            .with(|typed| matches(role, typed, |name| permission_text(name, texts)))
    }

    /// Id of the role after the one with `id`, or before it if that is the last.
    fn beside(self, id: &str) -> Option<String> {
        self.roles.with_untracked(|roles| {
            let roles: Vec<&Role> = roles
                .iter()
                .filter(|role| untrack(|| self.is_found(role)))
                .collect();
            let place = roles.iter().position(|role| role.id == id)?;
            let next = roles.get(place + 1);
            let other = next.or_else(|| roles.get(place.checked_sub(1)?));
            other.map(|role| role.id.clone())
        })
    }

    /// Returns from the comparison to the list.
    pub(super) fn leave_comparison(self) {
        self.view.set(View::List);
        self.focus(".roles-compare button");
    }

    /// Updates or adds a role.
    pub(super) fn put_role(self, role: Role) {
        self.roles.update(
            |roles| match roles.iter_mut().find(|known| known.id == role.id) {
                Some(known) => *known = role,
                None => roles.push(role),
            },
        );
    }

    /// Removes a role that another user has deleted.
    pub(super) fn lose(self, id: &str, name: String) {
        self.marked.set(self.beside(id));
        self.roles
            .update(|roles| roles.retain(|role| role.id != id));
        self.lost.set(Some(name));
    }

    /// Adds or removes permissions of a known role and leaves the others, since several changes may be
    /// pending.
    pub(super) fn put(self, id: &str, names: &[String], is_held: bool) {
        self.roles.update(|roles| {
            let Some(role) = roles.iter_mut().find(|role| role.id == id) else {
                return;
            };
            role.permissions
                .retain(|held| is_held || !names.contains(&held.0));
            for name in names.iter().filter(|_| is_held) {
                if !role.permissions.iter().any(|held| held.0 == *name) {
                    role.permissions.push(Permission(name.clone()));
                }
            }
        });
    }

    /// Deletes a role and announces the result.
    pub(super) fn delete(self, role: Role) {
        if !self.begin(&role.id, "") {
            return;
        }
        let (session, page, task) = (self.session(), self.page(), self.in_task());
        let path = self.path;
        spawn_local(async move {
            // The page may remove the element.
            let _kept = session.keep();
            let outcome = delete(&session, path, &role.id).await;
            if outcome.is_ok() {
                let id = role.id.clone();
                page.emit(&TeamEvent::RoleDeleted { id });
            }
            let Some(desk) = task.get() else { return };
            desk.end(&role.id, "");
            match outcome {
                Ok(()) => {
                    let words = desk.texts.fill(Key::RoleDeleted, &[("name", &role.name)]);
                    desk.line.set_text(words);
                    desk.picked
                        .update(|picked| picked.retain(|id| *id != role.id));
                    let is_seen = desk.view.get_untracked() == View::Editor;
                    desk.draft.forget(&role, is_seen);
                    desk.marked.set(desk.beside(&role.id));
                    // Its members have another role now.
                    desk.read_holders();
                }
                Err(error) => desk.refused.set(Some((role.id, error))),
            }
            // After a failure too: the role may be deleted despite a lost response.
            desk.answer.again();
        });
    }
}

/// Deletes a role. Without a response, reads the role to learn the outcome.
async fn delete(session: &Session, path: RolesPath, id: &str) -> Result<(), ApiError> {
    let abort = Abort::after(CHANGE_TIMEOUT_MS);
    let not_found = ApiError::Declined(DeclineReason::NotFound);
    match session.delete_role(path, id, abort).await {
        // Already deleted, which is the wanted result.
        Err(error) if error == not_found => Ok(()),
        Err(error @ (ApiError::Unreachable | ApiError::Unexpected { .. })) => {
            let found = current(session, path, id).await;
            if found == Err(not_found) {
                Ok(())
            } else {
                Err(error)
            }
        }
        outcome => outcome,
    }
}

/// True if a role is read-only.
pub(super) fn is_locked(role: &Role) -> bool {
    role.kind == RoleType::System
}
