//! Transitions between the list, the form and the comparison, and their entries in the history of the app.

use booking_ui::prelude::*;
use booking_wire::Role;

use super::super::model::{RoleFormValues, copy_name};
use super::context::RolesContext;
use super::draft::Draft;
use super::role_store::RoleStore;
use crate::i18n::Key;

/// Initial focus of the form.
const NAME: &str = "#role-name";

/// Initial focus of the comparison.
const TITLE: &str = "#role-form-title";

/// Beginning of the queries below.
pub const VIEW_QUERY: &str = "view=";

/// Query of the form in the address.
const EDIT: &str = "view=edit";

/// Query of the comparison.
const COMPARE: &str = "view=compare";

/// Frame of the screen in the app. Form and comparison have their own history entries, so that a step back leads to the
/// list.
#[derive(Clone, Copy)]
pub struct RolesFrame {
    /// Query of the current entry.
    pub query: RwSignal<String>,
    /// Adds an entry with a query.
    pub push: Callback<&'static str>,
    /// Goes one entry back.
    pub back: Callback<()>,
    /// Set to true once the service refuses to list the roles.
    pub is_forbidden: RwSignal<bool>,
}

/// Current view.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum RolesView {
    /// All roles.
    List,
    /// Form for a role.
    Editor,
    /// Comparison of roles.
    Comparison,
}

/// Current view, the draft in the form, and the focus after a transition.
#[derive(Clone, Copy)]
pub(crate) struct Navigation {
    pub(crate) view: RwSignal<RolesView>,
    pub(crate) draft: Draft,
    /// Id of the role to focus once it is listed.
    pub(crate) role_to_focus: RwSignal<Option<String>>,
    /// Selector to focus after the next render.
    next_focus: StoredValue<Option<&'static str>>,
    /// `None` in an element: the address is the page's.
    pub(crate) frame: Option<RolesFrame>,
    /// True during an own step back, which the browser takes later.
    is_going_back: StoredValue<bool>,
    context: RolesContext,
}

impl Navigation {
    /// Starts with the list.
    pub(crate) fn new(context: RolesContext) -> Self {
        Self {
            view: RwSignal::new(RolesView::List),
            draft: Draft::new(context.scope()),
            role_to_focus: RwSignal::new(None),
            next_focus: StoredValue::new(None),
            frame: use_context(),
            is_going_back: StoredValue::new(false),
            context,
        }
    }

    /// Follows back and forward navigation. The form is shown again if it has unsaved edits.
    pub(crate) fn follow_history(self, can_compare: impl Fn() -> bool + 'static) {
        let Some(frame) = self.frame else { return };
        let mut is_first = true;
        effect(move || {
            let query = frame.query.get();
            if std::mem::take(&mut is_first) {
                return;
            }
            if self.is_going_back.get_value() {
                self.is_going_back.set_value(false);
                // Another view may be open by now.
                return self.push_entry(self.view.get_untracked());
            }
            untrack(|| match (query.as_str(), self.view.get_untracked()) {
                (EDIT, RolesView::List) if self.draft.has_changes() => {
                    self.next_focus.set_value(Some(NAME));
                    self.view.set(RolesView::Editor);
                }
                (COMPARE, RolesView::List) if can_compare() => {
                    self.next_focus.set_value(Some(TITLE));
                    self.view.set(RolesView::Comparison);
                }
                (EDIT | COMPARE, _) | (_, RolesView::List) => {}
                (_, RolesView::Editor) => self.show_list_after_editor(),
                (_, RolesView::Comparison) => self.show_list_after_comparison(),
            });
        });
    }

    /// Shows the list in the history entry before that of the form or the comparison.
    pub(crate) fn leave_view(self) {
        self.view.set(RolesView::List);
        if let Some(frame) = self.frame {
            let is_own = |query: &String| query.starts_with(VIEW_QUERY);
            if frame.query.with_untracked(is_own) && !self.is_going_back.get_value() {
                self.is_going_back.set_value(true);
                frame.back.run(());
            }
        }
    }

    /// Adds a history entry for `view`, unless the current one is for it.
    fn push_entry(self, view: RolesView) {
        let query = match view {
            RolesView::List => return,
            RolesView::Editor => EDIT,
            RolesView::Comparison => COMPARE,
        };
        if let Some(frame) = self.frame
            && !self.is_going_back.get_value()
            && frame.query.with_untracked(|current| current != query)
        {
            frame.push.run(query);
        }
    }

    /// True if the form is shown. Does not subscribe.
    pub(crate) fn is_editor_shown(self) -> bool {
        self.view.get_untracked() == RolesView::Editor
    }

    /// Shows `view` and focuses its first match of `selector`.
    fn show(self, view: RolesView, selector: &'static str) {
        self.next_focus.set_value(Some(selector));
        self.view.set(view);
        self.push_entry(view);
    }

    /// Focuses the target of a transition; a view that is only rendered again keeps the focus.
    pub(crate) fn apply_focus(self) {
        let next = self.next_focus.get_value();
        self.next_focus.set_value(None);
        if let Some(selector) = next {
            self.context.focus(selector);
        }
    }

    /// Opens the form for a new role.
    pub(crate) fn create(self) {
        self.draft
            .open(RoleFormValues::new(self.context.scope()), None);
        self.show(RolesView::Editor, NAME);
    }

    /// Opens the form for an existing role.
    pub(crate) fn edit(self, role: Role) {
        let values = RoleFormValues::from_role(self.context.scope(), &role);
        self.draft.open(values, Some(role));
        self.show(RolesView::Editor, NAME);
    }

    /// Opens the form for a copy of a role.
    pub(crate) fn duplicate(self, role: &Role, store: RoleStore) {
        let texts = self.context.texts;
        let copy = |name: &str, number: usize| match number {
            1 => texts.fill_plain(Key::CopyOf, &[("name", name)]),
            number => {
                let number = texts.number(number as i64);
                texts.fill_plain(Key::CopyOfNumber, &[("name", name), ("number", &number)])
            }
        };
        let taken = untrack(|| store.taken_names(None));
        let mut values = RoleFormValues::from_role(self.context.scope(), role);
        values.name = copy_name(&role.name, copy, &taken);
        self.draft.open_new(values);
        self.show(RolesView::Editor, NAME);
    }

    /// Returns to the list, at the open role. Input is kept.
    pub(crate) fn close_editor(self) {
        self.leave_view();
        self.show_list_after_editor();
    }

    fn show_list_after_editor(self) {
        let id = self
            .draft
            .base
            .with_untracked(|base| base.as_ref().map(|role| role.id.clone()));
        let is_new = id.is_none();
        self.role_to_focus.set(id);
        self.view.set(RolesView::List);
        if is_new {
            self.context.focus(".roles-new");
        }
    }

    /// Opens the comparison.
    pub(crate) fn compare(self) {
        self.show(RolesView::Comparison, TITLE);
    }

    /// Returns from the comparison to the list.
    pub(crate) fn close_comparison(self) {
        self.leave_view();
        self.show_list_after_comparison();
    }

    fn show_list_after_comparison(self) {
        self.view.set(RolesView::List);
        self.context.focus(".roles-compare button");
    }

    /// Focuses `role_to_focus` once it is rendered.
    pub(crate) fn focus_role(self) {
        request_animation_frame(move || {
            if let Some(element) = self.context.find("[data-new]") {
                // Fails for a removed element, which needs no handling.
                let _ = element.focus();
                self.role_to_focus.set(None);
            }
        });
    }
}
