//! Query state of the list: typed and applied filters, debounce, and their text in the page's history.

use std::time::Duration;

use booking_ui::prelude::*;

use super::model::Filters;
use crate::page::stored_state::StoredQuery;

/// Debounce delay of typed filters.
const DEBOUNCE: Duration = Duration::from_millis(250);

/// Query state of the list.
#[derive(Clone, Copy)]
pub(crate) struct ListQuery {
    /// Form values.
    pub(crate) form: RwSignal<Filters>,
    /// Filters of the requested page.
    pub(crate) applied: RwSignal<Filters>,
    /// True if the service can search, from its last response; `None` before the first.
    pub(crate) is_searchable: RwSignal<Option<bool>>,
    /// Page size unless the user chooses another.
    page_size: Option<i64>,
    state: StoredValue<QueryState>,
}

#[derive(Default)]
struct QueryState {
    debounce: Option<TimeoutHandle>,
    /// Causes of the last query and of the previous one.
    cause: Cause,
    previous_cause: Cause,
}

/// Cause of a new query.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Cause {
    /// User's choice.
    #[default]
    Choice,
    /// Typing: consecutive edits share one history entry.
    Typing,
    /// Missing page: no history entry, since going back to it would lead here again.
    Correction,
}

impl ListQuery {
    /// Starts with the stored query and follows it.
    pub(crate) fn new(stored: StoredQuery, page_size: Option<i64>) -> Self {
        let filters = stored
            .text
            .with_untracked(|text| Filters::parse(text, page_size, decode));
        let query = Self {
            form: RwSignal::new(filters.clone()),
            applied: RwSignal::new(filters.clone()),
            is_searchable: RwSignal::new(None),
            page_size,
            state: StoredValue::new(QueryState::default()),
        };
        on_cleanup(move || query.cancel_debounce());
        // Query last read or stored. Compared as text, which trims values: the space at the end of a
        // typed value must be kept.
        let synced = StoredValue::new(filters.text(page_size, encode));
        effect(move || {
            let filters = stored
                .text
                .with(|text| Filters::parse(text, page_size, decode));
            let text = filters.text(page_size, encode);
            if synced.with_value(|synced| *synced != text) {
                synced.set_value(text);
                query.form.set(filters.clone());
                query.applied.set(filters);
            }
        });
        effect(move || {
            let text = query
                .applied
                .with(|filters| filters.text(page_size, encode));
            if synced.with_value(|synced| *synced == text) {
                return;
            }
            synced.set_value(text.clone());
            let is_step = query.state.try_update_value(|state| {
                let previous = std::mem::replace(&mut state.previous_cause, state.cause);
                match state.cause {
                    Cause::Choice => true,
                    Cause::Typing => previous != Cause::Typing,
                    Cause::Correction => false,
                }
            });
            stored.store(&text, is_step.unwrap_or(true));
        });
        query
    }

    /// Changes a filter and returns to the first page.
    pub(crate) fn change(self, change: impl FnOnce(&mut Filters)) {
        self.form.update(|filters| {
            change(filters);
            filters.page = 0;
        });
        self.apply(Cause::Choice);
    }

    /// Changes the display alone.
    pub(crate) fn change_display(self, change: impl FnOnce(&mut Filters)) {
        self.form.update(change);
        self.apply(Cause::Choice);
    }

    /// Takes from a response whether the service can search. If not, it has ignored some filters of a stored query, which
    /// are dropped.
    pub(crate) fn set_searchable(self, is_searchable: bool) {
        let Some(was_searchable) = self.is_searchable.try_get_untracked() else {
            return;
        };
        if was_searchable != Some(is_searchable) {
            self.is_searchable.set(Some(is_searchable));
        }
        let mut facets = self.form.with_untracked(Filters::active_facets);
        facets.retain(|facet| facet.needs_search());
        if !is_searchable && !facets.is_empty() {
            self.form.update(|filters| {
                for facet in facets {
                    filters.remove(facet);
                }
            });
            self.apply(Cause::Correction);
        }
    }

    /// Changes a typed filter, debounced.
    pub(crate) fn change_debounced(self, change: impl FnOnce(&mut Filters)) {
        self.form.update(|filters| {
            change(filters);
            filters.page = 0;
        });
        self.cancel_debounce();
        let debounce = set_timeout_with_handle(move || self.apply(Cause::Typing), DEBOUNCE);
        self.state
            .update_value(|state| state.debounce = debounce.ok());
    }

    /// Requests another page of the same list.
    pub(crate) fn go_to_page(self, page: i64) {
        self.form.update(|filters| filters.page = page.max(0));
        self.apply(Cause::Choice);
    }

    /// Requests another page, since the requested one does not exist.
    pub(crate) fn correct_page(self, page: i64) {
        self.form.update(|filters| filters.page = page.max(0));
        self.apply(Cause::Correction);
    }

    /// Current query as text without a page, for a view.
    pub(crate) fn text(self) -> String {
        self.applied.with(|filters| {
            let first_page = Filters {
                page: 0,
                ..filters.clone()
            };
            first_page.text(self.page_size, encode)
        })
    }

    /// Normalises `text` to the form written here.
    pub(crate) fn normalize(self, text: &str) -> String {
        let filters = Filters::parse(text, self.page_size, decode);
        Filters { page: 0, ..filters }.text(self.page_size, encode)
    }

    /// Applies the query in `text`.
    pub(crate) fn apply_text(self, text: &str) {
        self.form.set(Filters::parse(text, self.page_size, decode));
        self.apply(Cause::Choice);
    }

    fn apply(self, cause: Cause) {
        self.cancel_debounce();
        self.state.update_value(|state| state.cause = cause);
        self.applied.set(self.form.get_untracked());
    }

    fn cancel_debounce(self) {
        let debounce = self
            .state
            .try_update_value(|state| state.debounce.take())
            .flatten();
        if let Some(debounce) = debounce {
            debounce.clear();
        }
    }
}

fn encode(text: &str) -> String {
    js_sys::encode_uri_component(text).into()
}

fn decode(text: &str) -> String {
    js_sys::decode_uri_component(text).map_or_else(|_| text.to_owned(), String::from)
}
