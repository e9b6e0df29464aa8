//! Query state of the list: form values, API query and the text stored by the page.

use std::time::Duration;

use leptos::prelude::*;

use super::model::Filters;
use crate::element::stored_state::Address;
use crate::ui::signal::{RwSignal, StoredValue, effect};

/// Debounce delay of typed filters.
const TYPING_PAUSE: Duration = Duration::from_millis(250);

/// Query state of the list.
#[derive(Clone, Copy)]
pub(super) struct ListQuery {
    pub(super) typed: RwSignal<Filters>,
    pub(super) asked: RwSignal<Filters>,
    /// Page size unless the user chooses another.
    page_size: Option<i64>,
    course: StoredValue<QueryState>,
}

#[derive(Default)]
struct QueryState {
    pause: Option<TimeoutHandle>,
    /// Causes of the last query and of the one before.
    cause: Cause,
    before: Cause,
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
    /// Starts with the query of `address` and follows it.
    pub(super) fn new(address: Address, page_size: Option<i64>) -> Self {
        let given = address.given;
        let filters = given.with_untracked(|text| Filters::read(text, page_size, decode));
        let wish = Self {
            typed: RwSignal::new(filters.clone()),
            asked: RwSignal::new(filters.clone()),
            page_size,
            course: StoredValue::new(QueryState::default()),
        };
        on_cleanup(move || wish.end_pause());
        // Query last read from or written to the address. Compared as text, which trims values: the
        // space at the end of a typed value must be kept.
        let told = StoredValue::new(filters.text(page_size, encode));
        effect(move || {
            let filters = given.with(|text| Filters::read(text, page_size, decode));
            let text = filters.text(page_size, encode);
            if told.with_value(|told| *told != text) {
                told.set_value(text);
                wish.typed.set(filters.clone());
                wish.asked.set(filters);
            }
        });
        effect(move || {
            let text = wish.asked.with(|filters| filters.text(page_size, encode));
            if told.with_value(|told| *told == text) {
                return;
            }
            told.set_value(text.clone());
            let is_step = wish.course.try_update_value(|course| {
                let before = std::mem::replace(&mut course.before, course.cause);
                match course.cause {
                    Cause::Choice => true,
                    Cause::Typing => before != Cause::Typing,
                    Cause::Correction => false,
                }
            });
            address.tell(&text, is_step.unwrap_or(true));
        });
        wish
    }

    /// Changes a filter and returns to the first page.
    pub(super) fn change(self, change: impl FnOnce(&mut Filters)) {
        self.typed.update(|filters| {
            change(filters);
            filters.page = 0;
        });
        self.ask(Cause::Choice);
    }

    /// Changes the display alone.
    pub(super) fn tell(self, change: impl FnOnce(&mut Filters)) {
        self.typed.update(change);
        self.ask(Cause::Choice);
    }

    /// Changes a typed filter, debounced.
    pub(super) fn typing(self, change: impl FnOnce(&mut Filters)) {
        self.typed.update(|filters| {
            change(filters);
            filters.page = 0;
        });
        self.end_pause();
        let pause = set_timeout_with_handle(move || self.ask(Cause::Typing), TYPING_PAUSE);
        self.course.update_value(|course| course.pause = pause.ok());
    }

    /// Requests another page of the same list.
    pub(super) fn turn_to(self, page: i64) {
        self.typed.update(|filters| filters.page = page.max(0));
        self.ask(Cause::Choice);
    }

    /// Requests another page, since the requested one does not exist.
    pub(super) fn turn_instead_to(self, page: i64) {
        self.typed.update(|filters| filters.page = page.max(0));
        self.ask(Cause::Correction);
    }

    /// Current query as text without a page, for a view.
    pub(super) fn text(self) -> String {
        self.asked.with(|filters| {
            let first_page = Filters {
                page: 0,
                ..filters.clone()
            };
            first_page.text(self.page_size, encode)
        })
    }

    /// Normalises `text` to the form written here.
    pub(super) fn normal(self, text: &str) -> String {
        let filters = Filters::read(text, self.page_size, decode);
        Filters { page: 0, ..filters }.text(self.page_size, encode)
    }

    /// Applies the query in `text`.
    pub(super) fn read(self, text: &str) {
        self.typed.set(Filters::read(text, self.page_size, decode));
        self.ask(Cause::Choice);
    }

    fn ask(self, cause: Cause) {
        self.end_pause();
        self.course.update_value(|course| course.cause = cause);
        self.asked.set(self.typed.get_untracked());
    }

    fn end_pause(self) {
        let pause = self
            .course
            .try_update_value(|course| course.pause.take())
            .flatten();
        if let Some(pause) = pause {
            pause.clear();
        }
    }
}

fn encode(text: &str) -> String {
    js_sys::encode_uri_component(text).into()
}

fn decode(text: &str) -> String {
    js_sys::decode_uri_component(text).map_or_else(|_| text.to_owned(), String::from)
}
