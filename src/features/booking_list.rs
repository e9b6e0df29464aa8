//! The team's bookings: filtered by the service, grouped by day, page by page.

mod details;
mod filters;
pub mod model;
mod pager;
mod rows;
mod spelling;
pub mod walk;

use std::time::Duration;

use booking_wire::{Booking, Offer, Page};
use js_sys::{Function, Object, Reflect};
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use crate::api::{ApiError, Refusal};
use crate::components::{Shape, button, heading, icon, live_region};
use crate::dom::{Html, el, nothing};
use crate::embed::Config;
use crate::features::{use_clock, use_settings};
use crate::i18n::{Key, Texts, spoken, use_formats, use_texts};
use crate::load::{Latest, Load, latest};
use crate::problem::{notice, notice_card, problem};
use crate::session::use_session;
use crate::signal::{RwSignal, Signal};
use crate::zone_bar::{chooser, zone_bar};

use filters::{filter_bar, status_tabs};
use model::{Filters, Span};
use pager::pager;
use rows::waiting_rows;

/// Typing comes to rest for this long before the service is asked.
const TYPING_PAUSE: Duration = Duration::from_millis(250);

/// Rows drawn before it is known how many there will be.
const GHOST_ROWS: usize = 6;
const MOST_GHOST_ROWS: usize = 50;

/// Lists and filters the bookings of the team that the page names.
#[component]
pub fn BookingList(
    /// What the page set.
    config: Config,
) -> Html {
    let texts = use_texts();
    let instead = |shape: Shape, title, text| {
        spoken(move || notice_card(shape, texts.get(title), texts.get(text)))
    };
    match (use_settings().has_session, config.team_id) {
        (false, _) => instead(Shape::Lock, Key::NoSessionTitle, Key::NoSessionText),
        (true, None) => instead(Shape::People, Key::NoTeamTitle, Key::NoTeamText),
        (true, Some(team_id)) => team_bookings(team_id, config.page_size),
    }
}

/// What the reader asks for: as it is typed, and as the service is asked.
#[derive(Clone, Copy)]
struct Wish {
    typed: RwSignal<Filters>,
    asked: RwSignal<Filters>,
    pause: StoredValue<Option<TimeoutHandle>>,
}

impl Wish {
    fn new(filters: Filters) -> Self {
        let wish = Self {
            typed: RwSignal::new(filters.clone()),
            asked: RwSignal::new(filters),
            pause: StoredValue::new(None),
        };
        on_cleanup(move || wish.end_pause());
        wish
    }

    /// Asks with a changed filter, from the first page on.
    fn change(self, change: impl FnOnce(&mut Filters)) {
        self.typed.update(|filters| {
            change(filters);
            filters.page = 0;
        });
        self.ask();
    }

    /// Asks with what is typed once the typing rests.
    fn typing(self, change: impl FnOnce(&mut Filters)) {
        self.typed.update(|filters| {
            change(filters);
            filters.page = 0;
        });
        self.end_pause();
        let pause = set_timeout_with_handle(move || self.ask(), TYPING_PAUSE);
        self.pause.set_value(pause.ok());
    }

    /// Asks for another page of the same list.
    fn turn_to(self, page: i64) {
        self.typed.update(|filters| filters.page = page.max(0));
        self.ask();
    }

    fn ask(self) {
        self.end_pause();
        self.asked.set(self.typed.get_untracked());
    }

    fn end_pause(self) {
        let pause = self.pause.try_update_value(Option::take).flatten();
        if let Some(pause) = pause {
            pause.clear();
        }
    }
}

fn team_bookings(team_id: i64, page_size: Option<i64>) -> Html {
    let session = use_session();
    let texts = use_texts();
    let formats = use_formats();
    let settings = use_settings();

    let wish = Wish::new(Filters::new(page_size));
    let opened = RwSignal::new(Vec::<String>::new());

    let bookings = {
        let session = session.clone();
        latest(
            move || {
                let start_of_day = |day| settings.zone.with(|zone| formats.start_of_day(day, zone));
                Some(wish.asked.with(|filters| filters.query(start_of_day)))
            },
            move |query, abort| {
                let session = session.clone();
                async move { session.team_bookings(team_id, query, abort).await }
            },
        )
    };
    let event_types = latest(
        move || Some(team_id),
        move |team_id, abort| {
            let session = session.clone();
            async move { session.event_types_of_team(team_id, abort).await }
        },
    );
    let answer = bookings.signal();
    // Stays while the next page is awaited, so that its buttons stay where they are.
    let span = Signal::memo_after(move |before| {
        answer.with(|answer| match answer {
            Load::Ready(page) => {
                let filters = wish.asked.get_untracked();
                let returned = page.items.len() + page.odd;
                Some(Span::of(&filters, returned, page.pagination))
            }
            Load::Pending => before.copied().flatten(),
            Load::Failed(_) => None,
        })
    });
    Effect::new(move |_| {
        if let Some(page) = span.get().and_then(Span::page_instead) {
            wish.turn_to(page);
        }
    });

    let list = rows::List {
        texts,
        formats,
        settings,
        wish,
        opened,
        answer,
        event_types: event_types.signal(),
    };
    let shown = StoredValue::new(GHOST_ROWS);
    spoken(move || screen(list, bookings, event_types, span, shown))
}

/// All that is shown, in the language that is spoken.
fn screen(
    list: rows::List,
    bookings: Latest<Page<Booking>>,
    event_types: Latest<Vec<Offer>>,
    span: Signal<Option<Span>>,
    shown: StoredValue<usize>,
) -> Html {
    let rows::List {
        texts,
        wish,
        answer,
        ..
    } = list;
    let body = move || {
        answer.with(|answer| match answer {
            Load::Pending => waiting_rows(shown.get_value(), texts),
            Load::Failed(error) => failure(error, bookings, texts),
            Load::Ready(page) if page.items.is_empty() && page.odd == 0 => no_bookings(wish, texts),
            Load::Ready(page) => {
                // The next page will most likely be as long: its place is kept.
                shown.set_value(page.items.len().clamp(1, MOST_GHOST_ROWS));
                rows::days(page, list).add(odd_ones(page, texts))
            }
        })
    };
    let news = move || {
        let is_ready = answer.with(|answer| answer.ready().is_some());
        let span = span.get().filter(|_| is_ready);
        span.map_or(String::new(), |span| pager::range_text(span, texts))
    };
    let is_busy = bookings.is_busy();
    let reload = button("button-quiet button-square", move || bookings.again())
        .attr("aria-label", texts.get(Key::ReloadList))
        .add(icon(Shape::Reload));
    let clock = use_clock();
    let title = heading(0)
        .class("list-title")
        .attr("id", "list-title")
        .attr("part", "title")
        .add(texts.get(Key::Bookings));
    let body = el("div")
        .class("list-body")
        .attr("part", "list")
        .flag_with("aria-busy", move || is_busy.get())
        .show(body);
    let top = body.element();
    let turn = move |page: i64| {
        wish.turn_to(page);
        reveal(&top);
    };

    el("section")
        .class("card list")
        .attr("part", "card")
        .attr("aria-labelledby", "list-title")
        .add(
            el("div")
                .class("list-head")
                .add(title)
                .add(reload)
                .add(zone_bar(
                    false,
                    Signal::derive(move || clock.now()),
                    chooser,
                )),
        )
        .add(status_tabs(wish, texts))
        .add(filter_bar(wish, event_types))
        .add(body)
        .add(pager(wish, span, turn))
        .add(live_region(news))
}

/// A refusal that has to do with the team is worded for the team.
fn failure(error: &ApiError, bookings: Latest<Page<Booking>>, texts: Texts) -> Html {
    if *error == ApiError::Declined(Refusal::NotFound) {
        let (title, text) = (Key::TeamNotFoundTitle, Key::TeamNotFoundText);
        return notice(Shape::People, texts.get(title), texts.get(text));
    }
    problem(error, move || bookings.again())
}

/// Nothing matches, or nothing is there.
fn no_bookings(wish: Wish, texts: Texts) -> Html {
    if wish
        .asked
        .with_untracked(|filters| filters.held().is_empty())
    {
        let (title, text) = (Key::NoBookingsTitle, Key::NoBookingsText);
        return notice(Shape::Calendar, texts.get(title), texts.get(text));
    }
    let clear =
        button("button", move || wish.change(Filters::clear)).add(texts.get(Key::ClearFilters));
    notice(
        Shape::Search,
        texts.get(Key::NoMatchTitle),
        texts.get(Key::NoMatchText),
    )
    .add(clear)
}

fn odd_ones(page: &Page<Booking>, texts: Texts) -> Html {
    if page.odd == 0 {
        return nothing();
    }
    let text = texts.count(Key::OddBookings, page.odd);
    el("p")
        .class("list-odd")
        .add(icon(Shape::Alert))
        .add(el("span").add(text))
}

/// Title of an event type, or its slug while titles are not known.
fn event_type_title(booking: &Booking, known: &[Offer]) -> Option<String> {
    let id = booking.event_type_id;
    known
        .iter()
        .find(|event_type| Some(event_type.id) == id)
        .map(|event_type| event_type.title.clone())
        .or_else(|| {
            let booked = booking.event_type.as_ref()?;
            Some(spelling::spelled(&booked.slug))
        })
        .filter(|title| !title.is_empty())
}

/// Brings `element` into sight if it is not: a new page begins at its top.
fn reveal(element: &web_sys::Element) {
    let options = Object::new();
    // Setting a key of a fresh plain object cannot fail, and what cannot scroll stays.
    let _ = Reflect::set(&options, &"block".into(), &"nearest".into());
    let scroll = Reflect::get(element, &"scrollIntoView".into());
    if let Some(scroll) = scroll
        .ok()
        .and_then(|scroll| scroll.dyn_into::<Function>().ok())
    {
        let _ = scroll.call1(element, &options);
    }
}
