//! The team's bookings: filtered by the service, grouped by day, page by page.

pub mod actions;
mod cells;
mod chunk;
mod columns;
mod details;
mod export;
mod filter_fields;
mod filters;
mod formatting;
mod keyboard;
mod list_query;
mod list_state;
pub mod model;
mod page_range;
mod pager;
pub mod pagination;
mod query_text;
mod row;
mod row_changes;
mod rows;
mod scope;
mod selection;
mod selection_bar;
mod table;
mod views;

use std::time::Duration;

use booking_wire::{Booking, BookingsQuery, PublicEventType};
use js_sys::{Function, Object, Reflect};
use leptos::prelude::*;
use wasm_bindgen::JsCast;

use crate::client::query::{Latest, Load, latest, on_failure};
use crate::client::session::use_session;
use crate::client::{ApiError, DeclineReason, TeamPath};
use crate::components::{Shape, button, heading, icon, live_region};
use crate::element::attributes::Config;
use crate::element::events::use_page;
use crate::element::settings::{use_clock, use_settings};
use crate::element::stored_state::use_address;
use crate::element::team_events::TeamEvent;
use crate::features::shared::error_notice::{
    is_noticed, notice, notice_card, notice_of, problem, session_notice,
};
use crate::features::shared::lazy_view::lazy_view;
use crate::features::shared::time_zone_bar::zone_bar;
use crate::i18n::{Key, Translations, localized, use_formats, use_texts};
use crate::ui::dom::{Node, el, fragment, watch};
use crate::ui::lazy::{ChunkSource, LazyChunk};
use crate::ui::signal::{RwSignal, Signal, StoredValue, follow};

pub use actions::{RescheduleOf, Rescheduler};
use chunk::once_needed;
pub use chunk::{ChunkExports, exports};
use filters::{export_button, filter_bar, status_tabs};
use list_query::ListQuery;
use list_state::{List, ListContext};
use model::{Days, Filters};
use page_range::Span;
use pager::pager;
use pagination::pause_ms;
use rows::{Found, Rows};
use scope::Scope;
use selection::Selection;
use table::{table, waiting_rows};

/// Number of skeleton rows before any page has loaded.
const GHOST_ROWS: usize = 6;
const MOST_GHOST_ROWS: usize = 50;

/// Default interval of the list's refresh, in seconds.
const LOOK_AGAIN_S: u64 = 60;

/// Lists and filters the bookings of the configured team.
#[component]
pub fn BookingList(
    /// Options set by the page.
    config: Config,
    /// Source of the lazy chunk.
    after: ChunkSource<ChunkExports>,
) -> Node {
    let texts = use_texts();
    let instead = |shape: Shape, title, text| {
        localized(move || notice_card(shape, texts.get(title), texts.get(text)))
    };
    match (use_settings().has_session, config.team_id) {
        (false, _) => instead(Shape::Lock, Key::NoSessionTitle, Key::NoSessionText),
        (true, None) => instead(Shape::People, Key::NoTeamTitle, Key::NoTeamText),
        (true, Some(team_id)) => {
            let org_id = config.org_id;
            team_bookings(TeamPath { org_id, team_id }, &config, LazyChunk::new(after))
        }
    }
}

/// State of the requested page.
#[derive(Clone, PartialEq)]
enum ScreenState {
    Waiting,
    Failed(ApiError),
    /// No bookings.
    Empty,
    Shown,
}

/// State that the screen follows in addition to the rows.
#[derive(Clone, Copy)]
struct Progress {
    bookings: Latest<Found>,
    event_types: Latest<Vec<PublicEventType>>,
    stage: Signal<ScreenState>,
    span: Signal<Option<Span>>,
    /// Current query without `take` and `skip`.
    query: Signal<BookingsQuery>,
    /// Latest row count, for the skeleton.
    shown: StoredValue<usize>,
}

fn team_bookings(team: TeamPath, config: &Config, after: LazyChunk<ChunkExports>) -> Node {
    let session = use_session();
    let texts = use_texts();
    let formats = use_formats();
    let settings = use_settings();
    let clock = use_clock();

    let wish = ListQuery::new(use_address(), config.page_size);
    let rows = Rows::new();
    let selection = Selection::new();

    // Recomputed at each refresh of the bookings: the list may stay open overnight.
    let today = Signal::memo(move || {
        rows.looks();
        settings.zone.with(|zone| formats.day_of(clock.now(), zone))
    });
    let query_of = move |filters: &Filters| {
        settings.zone.with(|zone| {
            filters.query(&Days {
                today: today.get(),
                week_begins: formats.week_start(),
                start: &|day| formats.start_of_day(day, zone),
            })
        })
    };
    let question = move || wish.asked.with(query_of);
    let ask = {
        let session = session.clone();
        move |query, abort| {
            let session = session.clone();
            async move {
                let page = session.team_bookings(team, query, abort).await?;
                Ok(Found::from(page))
            }
        }
    };
    let bookings = latest(move || Some(question()), ask.clone());
    let event_types = latest(move || Some(team.team_id), {
        let session = session.clone();
        move |team_id, abort| {
            let session = session.clone();
            async move { session.event_types_of_team(team_id, abort).await }
        }
    });
    bookings.instead_of_missed(move || rows.look_again());
    let answer = bookings.signal();
    let page = use_page();
    on_failure(answer, move |code| {
        let what = "bookings";
        // No default action follows that the page could cancel.
        let _ = page.emit(&TeamEvent::LoadFailed { code, what });
    });
    // Keeps its value while the next page loads, so that the pager buttons do not move.
    let span = Signal::memo_after(move |before| {
        answer.with(|answer| match answer {
            Load::Ready(found) => {
                let filters = wish.asked.get_untracked();
                Some(found.span(&filters))
            }
            Load::Pending => before.copied().flatten(),
            Load::Failed(_) => None,
        })
    });
    follow(move || {
        if let Some(page) = span.get().and_then(Span::page_instead) {
            wish.turn_instead_to(page);
        }
    });
    let stop = StoredValue::new(0);
    let shown = StoredValue::new(GHOST_ROWS);
    let stage = Signal::memo(move || {
        answer.with(|answer| match answer {
            Load::Pending => ScreenState::Waiting,
            Load::Failed(error) => ScreenState::Failed(error.clone()),
            Load::Ready(found) if found.rows.is_empty() && found.odd == 0 => ScreenState::Empty,
            Load::Ready(_) => ScreenState::Shown,
        })
    });
    let take = move || {
        let found = answer.with(|answer| answer.ready().cloned());
        if let Some(found) = found {
            // Reserves the space of the next page, which is most likely as long.
            shown.set_value(found.rows.len().clamp(1, MOST_GHOST_ROWS));
            stop.set_value(0);
            selection.forget_place();
            selection.renew(&found.rows);
            rows.show(found);
        }
    };
    // `watch` runs before the view is built; `follow` would run after it.
    watch(Box::new(take));

    // Refreshes while the list is displayed. A response counts only for the query that it was
    // requested with.
    let looked = latest(
        move || Some(rows.looks()).filter(|looks| *looks > 0),
        move |_, abort| {
            let query = untrack(question);
            let found = ask(query.clone(), abort);
            async move { Ok((query, found.await?)) }
        },
    );
    let seen = looked.signal();
    follow(move || {
        let seen = seen.with(|answer| answer.ready().cloned());
        let is_shown = answer.with_untracked(|answer| answer.ready().is_some());
        if let Some((query, found)) = seen.filter(|_| is_shown)
            && query == untrack(question)
        {
            let filters = wish.asked.get_untracked();
            let span = found.span(&filters);
            selection.renew(&found.rows);
            rows.compare(found, filters.page == 0, !span.has_next);
        }
    });
    let seconds = config
        .stale_after_s
        .and_then(|given| u64::try_from(given).ok());
    rows.keep_looking(seconds.unwrap_or(LOOK_AGAIN_S));

    // Other filters clear the selection.
    let what = Signal::memo(move || wish.asked.with(Filters::what));
    follow(move || {
        what.get();
        selection.clear();
    });
    let query = Signal::derive(move || BookingsQuery {
        take: None,
        skip: None,
        ..question()
    });

    let list = List {
        texts,
        formats,
        settings,
        wish,
        rows,
        selection,
        today,
        wants_focus: StoredValue::new(false),
        opened: RwSignal::new(Vec::new()),
        stop,
        event_types: event_types.signal(),
        acts: actions::BookingActions::new(),
        exported: RwSignal::new(None),
        after,
        team,
        world: StoredValue::new(ListContext {
            session,
            page: use_page(),
        }),
    };
    selection.tell(list);
    list.await_the_rest();
    follow(move || {
        if answer.with(|answer| answer.ready().is_some()) {
            after.fetch_after_paint();
        }
    });
    let progress = Progress {
        bookings,
        event_types,
        stage,
        span,
        query,
        shown,
    };
    localized(move || screen(list, progress))
}

/// Renders the whole screen in the current language.
fn screen(list: List, progress: Progress) -> Node {
    let List {
        texts,
        wish,
        rows,
        selection,
        after,
        ..
    } = list;
    let Progress {
        bookings,
        event_types,
        stage,
        span,
        ..
    } = progress;
    let body = move || match stage.get() {
        ScreenState::Waiting => waiting_rows(progress.shown.get_value(), texts),
        ScreenState::Failed(error) if is_noticed(&error, &list.session()) => fragment(),
        ScreenState::Failed(error) => failure(&error, bookings, texts),
        ScreenState::Empty => no_bookings(list),
        ScreenState::Shown => {
            table(list).with_sibling(el("div").child_with(move || odd_ones(rows.odd(), texts)))
        }
    };
    let news = move || {
        let is_ready = stage.with(|stage| matches!(stage, ScreenState::Empty | ScreenState::Shown));
        let span = span.get().filter(|_| is_ready);
        span.map_or(String::new(), |span| pager::range_text(span, texts))
    };
    let is_busy = bookings.is_busy();
    let reload = button("button-quiet button-square", move || bookings.again())
        .attr("aria-label", texts.get(Key::ReloadList))
        .child(icon(Shape::Reload));
    let clock = use_clock();
    let title = heading(0)
        .class("list-title")
        .attr("id", "list-title")
        .attr("part", "title")
        .child(texts.get(Key::Bookings));
    let body = el("div")
        .class("list-body")
        .attr("part", "list")
        .flag_with("aria-busy", move || is_busy.get())
        .child_with(body);
    let top = body.element();
    let turn = move |page: i64| {
        wish.turn_to(page);
        reveal(&top);
    };

    // All matches, whatever the selection.
    let all = move || {
        let total = span.get().and_then(|span| span.total);
        let query = progress.query.get();
        Some(Scope::Matching { query, total })
    };

    let is_exporting = move || list.exported.with(Option::is_some);
    let has_selected = move || selection.count() != Some(0) || list.acts.is_doing_many();

    el("section")
        .class("card list")
        .attr("part", "card")
        .attr("aria-labelledby", "list-title")
        .child(
            el("div")
                .class("list-head")
                .child(title)
                .child(reload)
                .child(zone_bar(
                    false,
                    Signal::derive(move || clock.now()),
                    move |is_open, moment| {
                        let around = |content| el("div").class("zone-chooser").child(content);
                        lazy_view(after, around, move |exports| {
                            (exports.zones)(is_open, moment)
                        })
                    },
                )),
        )
        .child(session_notice())
        .child(status_tabs(wish, texts))
        .child(filter_bar(list, event_types, export_button(list, all)))
        .child(once_needed(after, is_exporting, move |exports| {
            (exports.export)(list)
        }))
        .child(waiting_bar(list, bookings))
        .child(body)
        .child(once_needed(after, has_selected, move |exports| {
            (exports.selected)(list, progress.query, span)
        }))
        .child(pager(wish, span, turn))
        .child(live_region(news))
}

/// Bar that announces new bookings. They are shown on a click, so that no row moves away under
/// the pointer.
fn waiting_bar(list: List, bookings: Latest<Found>) -> Node {
    let List { texts, rows, .. } = list;
    let bar = move || {
        let count = rows.waiting();
        (count > 0).then(|| {
            // Reloads the list, so that totals and pages come from one response.
            let show = move || {
                list.wants_focus.set_value(true);
                bookings.again();
            };
            button("waiting-bar", show)
                .attr("part", "waiting")
                .child(icon(Shape::Reload))
                .child(texts.count(Key::ShowWaiting, count))
        })
    };
    el("div").attr("role", "status").child_with(bar)
}

/// Error message; team refusals have their own wording.
fn failure(error: &ApiError, bookings: Latest<Found>, texts: Translations) -> Node {
    let instead = match error {
        ApiError::Declined(DeclineReason::NotFound) => {
            Some((Shape::People, Key::TeamNotFoundTitle, Key::TeamNotFoundText))
        }
        ApiError::Declined(DeclineReason::Forbidden) => {
            Some((Shape::Lock, Key::NoRightTitle, Key::NoRightText))
        }
        ApiError::Declined(DeclineReason::NotPublic) => {
            Some((Shape::Lock, Key::NoSessionTitle, Key::NoSessionText))
        }
        _ => None,
    };
    if let Some((shape, title, text)) = instead {
        return notice(shape, texts.get(title), texts.get(text));
    }
    if matches!(error, ApiError::Declined(DeclineReason::TooMany { .. }))
        && let Some(pause_ms) = pause_ms(error, 0)
    {
        return pause(pause_ms, bookings, texts);
    }
    problem(error, move || bookings.again())
}

/// Rate-limit notice with a countdown, after which the request is retried.
fn pause(pause_ms: i64, bookings: Latest<Found>, texts: Translations) -> Node {
    let left_s = RwSignal::new(pause_ms.saturating_add(999) / 1_000);
    let tick = move || {
        left_s.update(|left| *left -= 1);
        if left_s.get_untracked() <= 0 {
            bookings.again();
        }
    };
    if let Ok(timer) = set_interval_with_handle(tick, Duration::from_secs(1)) {
        on_cleanup(move || timer.clear());
    }
    let words = move || {
        let seconds = texts.number(left_s.get());
        texts.fill(Key::GoesOn, &[("seconds", &seconds)])
    };
    // Visual only: one announcement is enough.
    let text = el("p").attr("aria-live", "off").text_with(words);
    notice_of(Shape::Clock, texts.get(Key::TooManyTitle), text)
}

/// No match, or no bookings at all.
fn no_bookings(list: List) -> Node {
    let List { texts, wish, .. } = list;
    if wish
        .asked
        .with_untracked(|filters| filters.held().is_empty())
    {
        let (title, text) = (Key::NoBookingsTitle, Key::NoBookingsText);
        return notice(Shape::Calendar, texts.get(title), texts.get(text));
    }
    let clear = move || {
        list.wants_focus.set_value(true);
        wish.change(Filters::clear);
    };
    let clear = button("button", clear).child(texts.get(Key::ClearFilters));
    notice(
        Shape::Search,
        texts.get(Key::NoMatchTitle),
        texts.get(Key::NoMatchText),
    )
    .child(clear)
}

fn odd_ones(odd: usize, texts: Translations) -> Node {
    if odd == 0 {
        return fragment();
    }
    let text = texts.count(Key::OddBookings, odd);
    el("p")
        .class("list-odd")
        .child(icon(Shape::Alert))
        .child(el("span").child(text))
}

/// Title of an event type, or its slug while titles are not loaded.
fn event_type_title(booking: &Booking, known: &[PublicEventType]) -> Option<String> {
    let id = booking.event_type_id;
    known
        .iter()
        .find(|event_type| Some(event_type.id) == id)
        .map(|event_type| event_type.title.clone())
        .or_else(|| {
            let booked = booking.event_type.as_ref()?;
            Some(formatting::spelled(&booked.slug))
        })
        .filter(|title| !title.is_empty())
}

/// Scrolls to the top of `element`, where a new page begins.
fn reveal(element: &web_sys::Element) {
    let options = Object::new();
    // Setting a property of a new plain object cannot fail; a failed scroll is harmless.
    let _ = Reflect::set(&options, &"block".into(), &"nearest".into());
    let scroll = Reflect::get(element, &"scrollIntoView".into());
    if let Some(scroll) = scroll
        .ok()
        .and_then(|scroll| scroll.dyn_into::<Function>().ok())
    {
        let _ = scroll.call1(element, &options);
    }
}
