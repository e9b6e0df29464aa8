//! What the reader asks for: as it is typed, as the service is asked, and as the page keeps it.

use std::time::Duration;

use leptos::prelude::*;

use super::model::Filters;
use crate::features::Address;
use crate::signal::{RwSignal, StoredValue, follow};

/// Typing comes to rest for this long before the service is asked.
const TYPING_PAUSE: Duration = Duration::from_millis(250);

/// What the reader asks for.
#[derive(Clone, Copy)]
pub(super) struct Wish {
    pub(super) typed: RwSignal<Filters>,
    pub(super) asked: RwSignal<Filters>,
    /// Bookings on a page unless the reader says otherwise.
    page_size: Option<i64>,
    course: StoredValue<Course>,
}

#[derive(Default)]
struct Course {
    pause: Option<TimeoutHandle>,
    /// Why what was asked last was asked, and what was before it.
    cause: Cause,
    before: Cause,
}

/// Why something else is asked.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Cause {
    /// The reader chose it.
    #[default]
    Choice,
    /// The reader typed: more of it makes no step to come back to.
    Typing,
    /// What the reader asked for is not there: to come back to it would lead here again.
    Correction,
}

impl Wish {
    /// Begins with what `address` says, and follows it.
    pub(super) fn new(address: Address, page_size: Option<i64>) -> Self {
        let given = address.given;
        let filters = given.with_untracked(|text| Filters::read(text, page_size, decode));
        let wish = Self {
            typed: RwSignal::new(filters.clone()),
            asked: RwSignal::new(filters.clone()),
            page_size,
            course: StoredValue::new(Course::default()),
        };
        on_cleanup(move || wish.end_pause());
        // What the address says and what is asked, while they say the same. As a text: what is typed
        // may have a space at its end that goes on.
        let told = StoredValue::new(filters.text(page_size, encode));
        follow(move || {
            let filters = given.with(|text| Filters::read(text, page_size, decode));
            let text = filters.text(page_size, encode);
            if told.with_value(|told| *told != text) {
                told.set_value(text);
                wish.typed.set(filters.clone());
                wish.asked.set(filters);
            }
        });
        follow(move || {
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

    /// Asks with a changed filter, from the first page on.
    pub(super) fn change(self, change: impl FnOnce(&mut Filters)) {
        self.typed.update(|filters| {
            change(filters);
            filters.page = 0;
        });
        self.ask(Cause::Choice);
    }

    /// Tells the same bookings otherwise.
    pub(super) fn tell(self, change: impl FnOnce(&mut Filters)) {
        self.typed.update(change);
        self.ask(Cause::Choice);
    }

    /// Asks with what is typed once the typing rests.
    pub(super) fn typing(self, change: impl FnOnce(&mut Filters)) {
        self.typed.update(|filters| {
            change(filters);
            filters.page = 0;
        });
        self.end_pause();
        let pause = set_timeout_with_handle(move || self.ask(Cause::Typing), TYPING_PAUSE);
        self.course.update_value(|course| course.pause = pause.ok());
    }

    /// Asks for another page of the same list.
    pub(super) fn turn_to(self, page: i64) {
        self.typed.update(|filters| filters.page = page.max(0));
        self.ask(Cause::Choice);
    }

    /// Asks for another page, since the one that was asked for is not there.
    pub(super) fn turn_instead_to(self, page: i64) {
        self.typed.update(|filters| filters.page = page.max(0));
        self.ask(Cause::Correction);
    }

    /// What is asked, as a text without a page: a view to come back to.
    pub(super) fn text(self) -> String {
        self.asked.with(|filters| {
            let first_page = Filters {
                page: 0,
                ..filters.clone()
            };
            first_page.text(self.page_size, encode)
        })
    }

    /// What `text` asks, written as this writes it.
    pub(super) fn normal(self, text: &str) -> String {
        let filters = Filters::read(text, self.page_size, decode);
        Filters { page: 0, ..filters }.text(self.page_size, encode)
    }

    /// Asks what `text` says.
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
