//! State of the booking list, in parts by purpose. Views import it; it imports no view.

use booking_ui::prelude::*;
use booking_wire::{Booking, TeamEventType};
use web_sys::HtmlElement;

use super::super::rows::{Row, Rows};
use super::action_state::ActionsState;
use super::selection::{ScopeSignal, Selection};
use crate::client::TeamPath;
use crate::client::query::Load;
use crate::client::session::Session;
use crate::components::Shape;
use crate::features::booking_list::query::query_state::ListQuery;
use crate::i18n::Translations;
use crate::page::events::Page;
use crate::page::settings::Settings;
use crate::time::{CivilDate, Formats};

/// Dependencies of the list: the same as long as it is mounted.
#[derive(Clone, Copy)]
pub(crate) struct ListContext {
    pub(crate) texts: Translations,
    pub(crate) formats: Formats,
    pub(crate) settings: Settings,
    /// Team of the listed bookings.
    pub(crate) team: TeamPath,
    pub(crate) event_types: ReadSignal<Load<Vec<TeamEventType>>>,
    client: StoredValue<(Session, Page)>,
}

impl ListContext {
    pub(crate) fn new(
        texts: Translations,
        formats: Formats,
        settings: Settings,
        team: TeamPath,
        event_types: ReadSignal<Load<Vec<TeamEventType>>>,
        client: (Session, Page),
    ) -> Self {
        Self {
            texts,
            formats,
            settings,
            team,
            event_types,
            client: StoredValue::new(client),
        }
    }

    /// API session.
    pub(crate) fn session(self) -> Session {
        self.client.with_value(|(session, _)| session.clone())
    }

    /// Event target.
    pub(crate) fn page(self) -> Page {
        self.client.with_value(|(_, page)| page.clone())
    }
}

/// State of the table, apart from its rows.
#[derive(Clone, Copy)]
pub(crate) struct TableState {
    /// Today in the chosen zone.
    pub(crate) today: Signal<CivilDate>,
    /// True if the first row takes the focus once new rows are shown.
    pub(crate) wants_focus: StoredValue<bool>,
    /// Uids of the expanded rows. Kept here, so that they stay expanded when a change of zone
    /// redraws the rows.
    expanded: RwSignal<Vec<String>>,
    /// Index of the row that is the Tab stop.
    pub(crate) tab_stop: StoredValue<usize>,
    /// Table on screen.
    element: StoredValue<Option<HtmlElement>>,
}

impl TableState {
    /// `uid`: the booking that the query asks for, whose row begins expanded; empty if it asks for none.
    pub(crate) fn new(today: Signal<CivilDate>, uid: &str) -> Self {
        let expanded = (!uid.is_empty()).then(|| uid.to_owned());
        Self {
            today,
            wants_focus: StoredValue::new(false),
            expanded: RwSignal::new(expanded.into_iter().collect()),
            tab_stop: StoredValue::new(0),
            element: StoredValue::new(None),
        }
    }

    /// True if rows or what is in their place take the focus now.
    pub(crate) fn take_focus(self) -> bool {
        let wants_focus = self.wants_focus.get_value();
        self.wants_focus.set_value(false);
        wants_focus
    }

    /// Subscribes to the expanded rows.
    pub(crate) fn track_expanded(self) {
        self.expanded.with(|_| ());
    }

    /// Uids of the expanded rows, untracked.
    pub(crate) fn expanded(self) -> Vec<String> {
        self.expanded.get_untracked()
    }

    /// Expands or collapses a row. Returns true if it is expanded now.
    pub(crate) fn toggle(self, uid: &str) -> bool {
        let is_expanded = self.collapse(uid);
        if !is_expanded {
            self.expand(uid);
        }
        !is_expanded
    }

    /// Expands a row. A side panel has room for one.
    pub(crate) fn expand(self, uid: &str) {
        let mut expanded = self.expanded();
        if !expanded.iter().any(|other| other == uid) {
            if self.has_side_panel() {
                expanded.clear();
            }
            expanded.push(uid.to_owned());
            self.expanded.set(expanded);
        }
    }

    /// Keeps the details of `old` open, which show the booking `new` from now on.
    fn follow_move(self, old: &str, new: &str) {
        let mut expanded = self.expanded();
        if let Some(uid) = expanded.iter_mut().find(|uid| *uid == old) {
            new.clone_into(uid);
            self.expanded.set(expanded);
        }
    }

    /// Collapses the row whose details are beside the rows. Returns true if there was one.
    pub(crate) fn collapse_panel(self) -> bool {
        let is_open = self.has_side_panel() && !self.expanded().is_empty();
        if is_open {
            self.expanded.set(Vec::new());
        }
        is_open
    }

    /// Collapses all rows but one if their details are beside the rows, where they would cover each other: the
    /// list has become wider. Keeps that of `in_use`, the booking with an open form or the focus, or the last one.
    pub(crate) fn keep_one_beside_rows(self, rows: &[Row], in_use: Option<&str>) {
        let expanded = self.expanded();
        if expanded.len() < 2 || !self.has_side_panel() {
            return;
        }
        let shown = rows.iter().map(|row| row.booking.uid.0.as_str());
        let kept = last_expanded(&expanded, &shown.collect::<Vec<_>>(), in_use);
        self.expanded.set(kept.into_iter().collect());
    }

    /// Stores the table on screen.
    pub(crate) fn set_element(self, element: &HtmlElement) {
        self.element.set_value(Some(element.clone()));
    }

    /// True if details are beside the rows, not between them: the style sheet decides by the width.
    fn has_side_panel(self) -> bool {
        let Some(table) = self.element.get_value() else {
            return false;
        };
        let style = window().get_computed_style(&table).ok().flatten();
        let value = style.and_then(|style| style.get_property_value("--_side-panel").ok());
        value.is_some_and(|value| value.trim() == "1")
    }

    /// Collapses a row. Returns true if it was expanded.
    pub(crate) fn collapse(self, uid: &str) -> bool {
        let mut expanded = self.expanded();
        let before = expanded.len();
        expanded.retain(|other| other != uid);
        let is_changed = expanded.len() < before;
        if is_changed {
            self.expanded.set(expanded);
        }
        is_changed
    }

    /// True if a row of `rows` is expanded.
    pub(crate) fn is_any_expanded(self, rows: &[Row]) -> bool {
        self.expanded.with(|expanded| {
            let is_expanded = |row: &Row| expanded.iter().any(|uid| *uid == row.booking.uid.0);
            rows.iter().any(is_expanded)
        })
    }
}

/// State of the whole list.
#[derive(Clone, Copy)]
pub(crate) struct List {
    pub(crate) context: ListContext,
    pub(crate) query: ListQuery,
    pub(crate) rows: Rows,
    pub(crate) selection: Selection,
    pub(crate) table: TableState,
    pub(crate) actions: ActionsState,
    /// Scope of a requested export, until the export panel takes it.
    pub(crate) requested_export: RwSignal<Option<ScopeSignal>>,
}

impl List {
    /// True once the list is unmounted.
    pub(crate) fn is_disposed(self) -> bool {
        self.context.client.is_disposed()
    }

    /// Shows bookings that an action has changed in their existing rows, even if they no longer
    /// match the filters. Then refreshes the list: other bookings may have changed with them.
    pub(crate) fn apply_changes(self, changed: Vec<Booking>) {
        self.selection.update_bookings(&changed);
        self.rows.replace(changed);
        self.rows.mark_changed();
        self.rows.reload();
    }

    /// Opens `new`, to which the user has moved the booking `old`, in the place of that: its row, details and
    /// selection. False if that has no row.
    pub(crate) fn show_moved(self, old: &str, new: &Booking) -> bool {
        if !self.rows.move_to(old, new) {
            return false;
        }
        self.selection.follow_move(old, new);
        // After the row, whose details are rendered again.
        self.table.follow_move(old, &new.uid.0);
        self.rows.mark_changed();
        self.rows.reload();
        true
    }
}

/// Panels below the tool bar; at most one is open.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Panel {
    Filters,
    View,
    Views,
}

impl Panel {
    /// Id of its element.
    pub(crate) fn id(self) -> &'static str {
        match self {
            Self::Filters => "filters",
            Self::View => "view-options",
            Self::Views => "views",
        }
    }

    /// Icon of its button.
    pub(crate) fn shape(self) -> Shape {
        match self {
            Self::Filters => Shape::Filter,
            Self::View => Shape::Columns,
            Self::Views => Shape::Bookmark,
        }
    }
}

/// Uid of `expanded` whose details stay open alone: that of `in_use`, else the last of the `shown` rows.
fn last_expanded(expanded: &[String], shown: &[&str], in_use: Option<&str>) -> Option<String> {
    let is_shown = |uid: &&String| shown.contains(&uid.as_str());
    let last = || expanded.iter().rfind(is_shown).or_else(|| expanded.last());
    let is_in_use = |uid: &&String| is_shown(uid) && in_use == Some(uid.as_str());
    expanded.iter().find(is_in_use).or_else(last).cloned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn last_expanded_prefers_details_in_use_then_shown_rows() {
        let expanded = ["a", "b", "c"].map(str::to_owned);
        let cases: [(&[&str], Option<&str>, &str); 6] = [
            (&["a", "b", "c"], None, "c"),
            (&["c", "b", "a"], None, "c"),
            (&["a", "b"], None, "b"),
            (&["a", "b", "c"], Some("a"), "a"),
            // Details of another page are not on screen.
            (&["b", "c"], Some("a"), "c"),
            (&[], None, "c"),
        ];
        for (shown, in_use, kept) in cases {
            let last = last_expanded(&expanded, shown, in_use);
            assert_eq!(last.as_deref(), Some(kept), "{shown:?} {in_use:?}");
        }
        assert_eq!(last_expanded(&[], &["a"], None), None);
    }
}
