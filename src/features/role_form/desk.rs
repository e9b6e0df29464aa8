//! What all parts of the screen share.

use booking_wire::{MembershipRole, Permission, Role, RoleHolder, RoleType};
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::draft::Draft;
use super::model::{Typed, matches, name_of_copy};
use super::saving::current;
use super::set::{Effects, Level};
use super::spot::keep_spot;
use super::tools::Tools;
use super::words::permission_text;
use crate::api::roles::RolesPath;
use crate::api::{Abort, ApiError, Refusal};
use crate::components::StatusLine;
use crate::components::focus::focus_first_soon;
use crate::embed::events::Page;
use crate::features::Settings;
use crate::features::team_news::TeamNews;
use crate::i18n::{Key, Texts};
use crate::load::Latest;
use crate::parts::Part;
use crate::session::Session;
use crate::signal::{InTask, RwSignal, StoredValue};
use crate::time::Formats;

/// How long a change may take before its outcome counts as unknown.
pub(super) const CHANGE_TIMEOUT_MS: u64 = 30_000;

/// Where whoever opens the form begins.
const NAME: &str = "#role-name";

/// What is on the screen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum View {
    /// All roles.
    List,
    /// A role that is made or changed.
    Editor,
    /// Roles side by side, by their ids.
    Comparison,
}

/// What all parts of the screen share.
#[derive(Clone, Copy)]
pub(super) struct Desk {
    pub(super) texts: Texts,
    pub(super) formats: Formats,
    pub(super) line: StatusLine,
    pub(super) settings: Settings,
    pub(super) path: RolesPath,
    pub(super) answer: Latest<Vec<Role>>,
    /// The roles as they are known.
    pub(super) roles: RwSignal<Vec<Role>>,
    /// Who holds which role, as far as it is known.
    pub(super) holders: RwSignal<Option<Vec<RoleHolder>>>,
    /// The number of whoever is at work, as far as it is known.
    pub(super) me: RwSignal<Option<i64>>,
    pub(super) view: RwSignal<View>,
    pub(super) draft: Draft,
    /// Ids of the roles that show what they allow.
    pub(super) opened: RwSignal<Vec<String>>,
    /// The permission that is chosen to be added, and to which role.
    pub(super) adding: RwSignal<(String, String)>,
    /// What the last single change did, and to which role.
    pub(super) step: RwSignal<Option<Step>>,
    /// Changes on their way: the role's id and the permission's name, which is empty of a deletion.
    pub(super) busy: RwSignal<Vec<(String, String)>>,
    /// The role that is to be deleted, if the person says so.
    pub(super) asked: RwSignal<Option<Role>>,
    /// The role that could not be deleted, and why.
    pub(super) refused: RwSignal<Option<(String, ApiError)>>,
    /// The name of a role that somebody else has deleted, and that was to be changed.
    pub(super) lost: RwSignal<Option<String>>,
    /// Ids of the roles that are to be compared.
    pub(super) picked: RwSignal<Vec<String>>,
    /// The role that takes the focus once it is listed.
    pub(super) marked: RwSignal<Option<String>>,
    /// What is searched for.
    pub(super) search: RwSignal<String>,
    /// Whether permissions are shown resource by resource.
    pub(super) is_compact: RwSignal<bool>,
    /// Which permissions are searched for.
    pub(super) permission_search: RwSignal<String>,
    /// Whether only what differs is compared.
    pub(super) only_differences: RwSignal<bool>,
    /// What takes the focus once it is drawn, after a press.
    pub(super) next_focus: StoredValue<Option<&'static str>>,
    /// What is done with the roles.
    pub(super) tools: Part<Tools>,
    pub(super) world: StoredValue<World>,
}

/// What became of the last change of a single permission.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Step {
    /// The role's.
    pub(super) id: String,
    /// What else changed by it; why nothing did.
    pub(super) outcome: Result<Effects, ApiError>,
}

/// Whom the screen talks to.
pub(super) struct World {
    pub(super) session: Session,
    pub(super) page: Page,
    /// The screen.
    pub(super) root: HtmlElement,
}

impl Desk {
    /// Who asks.
    pub(super) fn session(self) -> Session {
        self.world.with_value(|world| world.session.clone())
    }

    /// Who is told.
    pub(super) fn page(self) -> Page {
        self.world.with_value(|world| world.page.clone())
    }

    /// Moves the focus to what `selector` finds first.
    pub(super) fn focus(self, selector: &'static str) {
        self.world
            .with_value(|world| focus_first_soon(world.root.clone(), selector));
    }

    /// Brings what `selector` finds first to where it is seen.
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

    /// Moves the focus to the role that is marked, once it is drawn.
    pub(super) fn focus_marked(self) {
        request_animation_frame(move || {
            let found = self
                .world
                .try_with_value(|world| world.root.query_selector("[data-new]"));
            if let Some(Ok(Some(found))) = found {
                // Refused for an element that is gone, and then there is nothing to do.
                let _ = found.unchecked_ref::<HtmlElement>().focus();
                self.marked.set(None);
            }
        });
    }

    /// Gives the focus back to where it is in the list, which is about to be drawn anew.
    pub(super) fn keep_focus(self) {
        self.world.with_value(|world| keep_spot(&world.root));
    }

    /// Shows `view`, and in it moves the focus to what `selector` finds first.
    pub(super) fn show(self, view: View, selector: &'static str) {
        self.next_focus.set_value(Some(selector));
        self.view.set(view);
    }

    /// Moves the focus to where the press that led here wants it; a view that is only drawn anew leaves
    /// it where it is.
    pub(super) fn focus_next(self) {
        let next = self.next_focus.get_value();
        self.next_focus.set_value(None);
        if let Some(selector) = next {
            self.focus(selector);
        }
    }

    /// Whether this change is on its way.
    pub(super) fn is_busy(self, id: &str, name: &str) -> bool {
        self.busy
            .with(|busy| busy.iter().any(|change| change.0 == id && change.1 == name))
    }

    /// Begins a change, unless it is on its way.
    pub(super) fn begin(self, id: &str, name: &str) -> bool {
        let is_free = untrack(|| !self.is_busy(id, name));
        if is_free {
            self.lost.set(None);
            let change = (id.to_owned(), name.to_owned());
            self.busy.update(|busy| busy.push(change));
        }
        is_free
    }

    /// A change has ended.
    pub(super) fn end(self, id: &str, name: &str) {
        self.busy
            .update(|busy| busy.retain(|change| change.0 != id || change.1 != name));
    }

    /// The screen for tasks: the page may take it away while a request is on its way.
    pub(super) fn in_task(self) -> InTask<Self> {
        self.world.in_task(self)
    }

    pub(super) fn level(self) -> Level {
        match self.path.team_id {
            Some(_) => Level::Team,
            None => Level::Organization,
        }
    }

    /// Names that cannot be given to a role other than the one with `id`.
    pub(super) fn taken(self, id: Option<&str>) -> Vec<String> {
        let others = |role: &Role| Some(role.id.as_str()) != id;
        self.roles.with(|roles| {
            let roles = roles.iter().filter(|role| others(role));
            roles.map(|role| role.name.clone()).collect()
        })
    }

    /// Reads who holds which role. What the service does not tell is not shown: it is not needed to
    /// change a role.
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

    /// How many members hold a role; `None` if that is not known.
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

    /// Whether whoever is at work holds it, as far as that is known.
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

    /// Whether nobody but others can hold it, as far as that is known.
    pub(super) fn is_of_others(self, id: &str) -> bool {
        let is_known = self.me.get().is_some() && self.holders.with(Option::is_some);
        is_known && !self.is_own(id)
    }

    /// Back to all roles, to the one that was open. What was typed stays.
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
        self.draft.open(Typed::new(self.level()), None);
        self.show(View::Editor, NAME);
    }

    /// Opens the form for a role that there is.
    pub(super) fn edit(self, role: Role) {
        self.draft.open(Typed::of(self.level(), &role), Some(role));
        self.show(View::Editor, NAME);
    }

    /// Opens the form for a role like another.
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
        let mut typed = Typed::of(self.level(), role);
        typed.name = name_of_copy(&role.name, copy, &taken);
        self.draft.open_new(typed);
        self.show(View::Editor, NAME);
    }

    /// Whether a role is shown, whatever is searched for.
    pub(super) fn is_found(self, role: &Role) -> bool {
        let texts = self.texts;
        self.search
            .with(|typed| matches(role, typed, |name| permission_text(name, texts)))
    }

    /// The role that is read after the one with `id`, or before it if that is the last.
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

    /// Back to all roles from those side by side.
    pub(super) fn leave_comparison(self) {
        self.view.set(View::List);
        self.focus(".roles-compare button");
    }

    /// A role as it has become, or a new one.
    pub(super) fn put_role(self, role: Role) {
        self.roles.update(
            |roles| match roles.iter_mut().find(|known| known.id == role.id) {
                Some(known) => *known = role,
                None => roles.push(role),
            },
        );
    }

    /// Somebody else has deleted a role that was to be changed.
    pub(super) fn lose(self, id: &str, name: String) {
        self.marked.set(self.beside(id));
        self.roles
            .update(|roles| roles.retain(|role| role.id != id));
        self.lost.set(Some(name));
    }

    /// A role holds these, or does not any more. What else is known of it stays: more than one change
    /// may be on its way.
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

    /// Deletes a role, and says what became of it.
    pub(super) fn delete(self, role: Role) {
        if !self.begin(&role.id, "") {
            return;
        }
        let (session, page, task) = (self.session(), self.page(), self.in_task());
        let path = self.path;
        spawn_local(async move {
            // The page may take the element away.
            let _kept = session.keep();
            let outcome = delete(&session, path, &role.id).await;
            if outcome.is_ok() {
                let id = role.id.clone();
                page.tell(&TeamNews::RoleDeleted { id });
            }
            let Some(desk) = task.get() else { return };
            desk.end(&role.id, "");
            match outcome {
                Ok(()) => {
                    let words = desk.texts.fill(Key::RoleDeleted, &[("name", &role.name)]);
                    desk.line.say(words);
                    desk.picked
                        .update(|picked| picked.retain(|id| *id != role.id));
                    let is_seen = desk.view.get_untracked() == View::Editor;
                    desk.draft.forget(&role, is_seen);
                    desk.marked.set(desk.beside(&role.id));
                    // Those who held it hold another one.
                    desk.read_holders();
                }
                Err(error) => desk.refused.set(Some((role.id, error))),
            }
            // Also after a failure: it may have been deleted though no answer came.
            desk.answer.again();
        });
    }
}

/// Deletes a role. If no answer comes, the role itself tells what became of it.
async fn delete(session: &Session, path: RolesPath, id: &str) -> Result<(), ApiError> {
    let abort = Abort::after(CHANGE_TIMEOUT_MS);
    let not_found = ApiError::Declined(Refusal::NotFound);
    match session.delete_role(path, id, abort).await {
        // Somebody else may have been faster, which is as good.
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

/// Whether a role can be changed.
pub(super) fn is_locked(role: &Role) -> bool {
    role.kind == RoleType::System
}
