//! The team's bookings: filtered by the service, grouped by day, page by page.

pub mod actions;
pub mod all_pages;
mod chunk;
mod chunk_exports;
mod details;
mod export;
mod filters;
mod formatting;
mod pager;
mod palette;
pub mod query;
mod rows;
pub mod state;
mod status_badge;
mod table;
mod views;

use std::time::Duration;

use booking_ui::prelude::*;
use booking_wire::{BookingsQuery, StatusFilter, TeamEventType};

use crate::client::query::{Latest, Load, latest, on_failure};
use crate::client::session::use_session;
use crate::client::{ApiError, DeclineReason, TeamPath};
use crate::components::command_palette::open_palette_on_key;
use crate::components::focus::focus_first_soon;
use crate::components::{Shape, button, heading, icon, live_region};
use crate::features::shared::error_notice::{
    error_notice, is_noticed, notice, notice_card, notice_of, session_notice,
};
use crate::features::shared::lazy_view::lazy_view;
use crate::features::shared::time_zone_bar::zone_bar;
use crate::i18n::{Key, Translations, localized, use_formats, use_texts};
use crate::page::attributes::Config;
use crate::page::events::use_page;
use crate::page::settings::{use_clock, use_settings};
use crate::page::stored_state::use_stored_query;
use crate::page::team_events::TeamEvent;

pub use actions::reschedule::{RescheduleOf, Rescheduler};
use all_pages::retry_delay_ms;
pub use chunk::exports;
pub use chunk_exports::ChunkExports;
use chunk_exports::{PaletteContext, once_needed, provide_on_load};
use filters::search_field::on_page_key;
use filters::{export_button, filter_bar, status_tabs};
use pager::pager;
use query::model::{DayContext, Facet, Filters};
use query::query_state::ListQuery;
use rows::{BookingsPage, PageRange, Rows};
use state::action_state::ActionsState;
use state::list_state::{List, ListContext, TableState};
use state::selection::{Scope, Selection};
use table::{move_to_rows_on_keys, skeleton_rows, table};

/// Number of skeleton rows before any page has loaded.
const SKELETON_ROWS: usize = 6;
/// Maximum number of skeleton rows.
const MAX_SKELETON_ROWS: usize = 50;

/// Default interval of the list's refresh, in seconds.
const DEFAULT_RELOAD_S: u64 = 60;

/// Lists and filters the bookings of the configured team.
#[component]
pub fn BookingList(
    /// Options set by the page.
    config: Config,
    /// Source of the lazy chunk.
    chunk: ChunkSource<ChunkExports>,
) -> Node {
    let texts = use_texts();
    let notice = |shape: Shape, title, text| {
        localized(move || notice_card(shape, texts.get(title), texts.get(text)))
    };
    match (use_settings().has_session, config.team_id) {
        (false, _) => notice(Shape::Lock, Key::NoSessionTitle, Key::NoSessionText),
        (true, None) => notice(Shape::People, Key::NoTeamTitle, Key::NoTeamText),
        (true, Some(team_id)) => {
            let org_id = config.org_id;
            team_bookings(TeamPath { org_id, team_id }, &config, LazyChunk::new(chunk))
        }
    }
}

/// State of the requested page.
#[derive(Clone, PartialEq)]
enum ScreenState {
    Loading,
    Failed(ApiError),
    /// No bookings.
    Empty,
    Ready,
}

/// State that the screen follows in addition to the rows.
#[derive(Clone, Copy)]
struct ScreenSignals {
    bookings: Latest<BookingsPage>,
    event_types: Latest<Vec<TeamEventType>>,
    state: Signal<ScreenState>,
    range: Signal<Option<PageRange>>,
    /// Current query without `take` and `skip`.
    all_pages: Signal<BookingsQuery>,
    /// Latest row count, for the skeleton.
    row_count: StoredValue<usize>,
    /// Number of bookings to be answered; `None` if unknown.
    unconfirmed: Signal<Option<i64>>,
}

fn team_bookings(team: TeamPath, config: &Config, chunk: LazyChunk<ChunkExports>) -> Node {
    let session = use_session();
    let texts = use_texts();
    let formats = use_formats();
    let settings = use_settings();
    let clock = use_clock();

    let query = ListQuery::new(use_stored_query(), config.page_size);
    let rows = Rows::new();
    let selection = Selection::new();

    // Recomputed at each refresh of the bookings: the list may stay open overnight.
    let today = Signal::memo(move || {
        rows.reloads();
        settings.zone.with(|zone| formats.day_of(clock.now(), zone))
    });
    let query_of = move |filters: &Filters| {
        settings.zone.with(|zone| {
            filters.query(&DayContext {
                today: today.get(),
                week_begins: formats.week_start(),
                start: &|day| formats.start_of_day(day, zone),
            })
        })
    };
    let request = move || query.applied.with(query_of);
    let load_page = {
        let session = session.clone();
        move |request, abort| {
            let session = session.clone();
            async move {
                let page = session.team_bookings(team, request, abort).await?;
                query.set_searchable(page.is_searchable);
                Ok(BookingsPage::from(page))
            }
        }
    };
    let bookings = latest(move || Some(request()), load_page.clone());
    let event_types = latest(move || Some(team.team_id.to_string()), {
        let session = session.clone();
        move |team, abort| {
            let session = session.clone();
            async move { session.event_types_of_team(team, abort).await }
        }
    });
    bookings.on_missed_reload(move || rows.reload());
    let response = bookings.signal();
    let page = use_page();
    on_failure(response, move |code| {
        let what = "bookings";
        // No default action follows that the page could cancel.
        let _ = page.emit(&TeamEvent::LoadFailed { code, what });
    });
    // Keeps its value while the next page loads, so that the pager buttons do not move.
    let range = Signal::memo_after(move |before| {
        response.with(|response| match response {
            Load::Ready(page) => {
                let filters = query.applied.get_untracked();
                Some(page.range(&filters))
            }
            Load::Pending => before.copied().flatten(),
            Load::Failed(_) => None,
        })
    });
    effect(move || {
        if let Some(page) = range.get().and_then(PageRange::page_instead) {
            query.correct_page(page);
        }
    });
    let uid = query.applied.with_untracked(|filters| filters.uid.clone());
    let table_state = TableState::new(today, uid.trim());
    let row_count = StoredValue::new(SKELETON_ROWS);
    let state = Signal::memo(move || {
        response.with(|response| match response {
            Load::Pending => ScreenState::Loading,
            Load::Failed(error) => ScreenState::Failed(error.clone()),
            Load::Ready(page) if page.rows.is_empty() && page.unreadable == 0 => ScreenState::Empty,
            Load::Ready(_) => ScreenState::Ready,
        })
    });
    let show_page = move || {
        let page = response.with(|response| response.ready().cloned());
        if let Some(page) = page {
            // Reserves the space of the next page, which is most likely as long.
            row_count.set_value(page.rows.len().clamp(1, MAX_SKELETON_ROWS));
            table_state.tab_stop.set_value(0);
            selection.reset_anchor();
            selection.update_rows(&page.rows);
            rows.set_page(page);
            // The number on the tab is that of the bookings shown.
            let shows_unconfirmed =
                |filters: &Filters| filters.statuses == [StatusFilter::Unconfirmed];
            if query.applied.with_untracked(shows_unconfirmed) {
                rows.mark_changed();
            }
        }
    };
    // `render_effect` runs before the view is built; `effect` would run after it.
    render_effect(Box::new(show_page));

    // Refreshes while the list is displayed. A response counts only for the query that it was
    // requested with.
    let reload = latest(
        move || Some(rows.reloads()).filter(|reloads| *reloads > 0),
        move |_, abort| {
            let requested = untrack(request);
            let page = load_page(requested.clone(), abort);
            async move { Ok((requested, page.await?)) }
        },
    );
    let reloaded = reload.signal();
    effect(move || {
        let reloaded = reloaded.with(|response| response.ready().cloned());
        let is_ready = response.with_untracked(|response| response.ready().is_some());
        if let Some((requested, page)) = reloaded.filter(|_| is_ready)
            && requested == untrack(request)
        {
            let filters = query.applied.get_untracked();
            let range = page.range(&filters);
            selection.update_rows(&page.rows);
            rows.apply_reload(page, filters.page == 0, !range.has_next);
        }
    });
    let seconds = config
        .stale_after_s
        .and_then(|seconds| u64::try_from(seconds).ok());
    rows.reload_periodically(seconds.unwrap_or(DEFAULT_RELOAD_S));

    // Other filters clear the selection.
    let restrictions = Signal::memo(move || query.applied.with(Filters::without_display));
    effect(move || {
        restrictions.get();
        selection.clear();
    });
    let all_pages = Signal::derive(move || BookingsQuery {
        take: None,
        skip: None,
        ..request()
    });

    let client = (session, use_page());
    let event_type_load = event_types.signal();
    let list = List {
        context: ListContext::new(texts, formats, settings, team, event_type_load, client),
        query,
        rows,
        selection,
        table: table_state,
        actions: ActionsState::new(),
        requested_export: RwSignal::new(None),
    };
    selection.notify(use_page());
    provide_on_load(chunk, list);
    effect(move || {
        if response.with(|response| response.ready().is_some()) {
            chunk.fetch_after_paint();
        }
    });
    let signals = ScreenSignals {
        bookings,
        event_types,
        state,
        range,
        all_pages,
        row_count,
        unconfirmed: unconfirmed_count(list, response),
    };
    localized(move || screen(list, signals, chunk))
}

/// Number of bookings to be answered, requested when the first page is shown and after changes. `None` if the
/// request fails or the service counts none.
fn unconfirmed_count(list: List, response: ReadSignal<Load<BookingsPage>>) -> Signal<Option<i64>> {
    let List { context, rows, .. } = list;
    let is_shown = Signal::memo_after(move |before| {
        before == Some(&true) || response.with(|response| response.ready().is_some())
    });
    let request = latest(
        move || is_shown.get().then(|| rows.changes()),
        move |_, abort| {
            let session = context.session();
            let query = BookingsQuery {
                status: vec![StatusFilter::Unconfirmed],
                take: Some(1),
                ..BookingsQuery::default()
            };
            async move {
                let page = session.team_bookings(context.team, query, abort).await?;
                Ok(page.pagination.map(|pagination| pagination.total_items))
            }
        },
    );
    let count = request.signal();
    // Kept while the next one loads.
    Signal::memo_after(move |before| {
        count.with(|count| match count {
            Load::Ready(count) => *count,
            Load::Pending => before.copied().flatten(),
            Load::Failed(_) => None,
        })
    })
}

/// Renders the whole screen in the current language.
fn screen(list: List, signals: ScreenSignals, chunk: LazyChunk<ChunkExports>) -> Node {
    let List {
        context,
        query,
        rows,
        selection,
        requested_export,
        ..
    } = list;
    let texts = context.texts;
    let ScreenSignals {
        bookings,
        event_types,
        state,
        range,
        all_pages,
        row_count,
        unconfirmed,
    } = signals;
    let body = move || match state.get() {
        ScreenState::Loading => skeleton_rows(row_count.get_value(), texts),
        ScreenState::Failed(error) if is_noticed(&error, &context.session()) => {
            list.table.wants_focus.set_value(false);
            fragment()
        }
        ScreenState::Failed(error) => in_place_of_rows(failure(&error, bookings, texts), list),
        ScreenState::Empty => in_place_of_rows(no_bookings(list), list),
        ScreenState::Ready => {
            let unreadable = move || unreadable_note(rows.unreadable(), texts);
            table(list, chunk).with_sibling(el("div").child_with(unreadable))
        }
    };
    let announcement = move || {
        let is_ready = state.with(|state| matches!(state, ScreenState::Empty | ScreenState::Ready));
        let range = range.get().filter(|_| is_ready);
        range.map_or(String::new(), |range| pager::range_text(range, texts))
    };
    let is_busy = bookings.is_busy();
    let reload = button("button-quiet button-square", move || bookings.reload())
        .attr("aria-label", texts.get(Key::ReloadList))
        .child(icon(Shape::Reload));
    let shows_shortcuts = RwSignal::new(false);
    on_page_key("?", move || shows_shortcuts.set(true));
    let help = button("button-quiet button-square list-keys", move || {
        shows_shortcuts.set(true);
    })
    .attr("aria-label", texts.get(Key::Shortcuts))
    .attr("aria-keyshortcuts", "?")
    .attr("title", &[texts.get(Key::Shortcuts), " (?)"].concat())
    .child("?");
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
    let go_to_page = move |page: i64| {
        query.go_to_page(page);
        scroll_into_view(&top);
    };

    // All matches, independent of the selection.
    let all = Signal::derive(move || {
        let total = range.get().and_then(|range| range.total);
        let query = all_pages.get();
        Some(Scope::Matching {
            query: Box::new(query),
            total,
        })
    });

    let open_panel = RwSignal::new(None);
    let is_exporting = move || requested_export.with(Option::is_some);
    let has_selection = move || selection.count() != Some(0) || list.actions.is_bulk_active();

    let card = el("section")
        .class("card list")
        .attr("part", "card")
        .attr("aria-labelledby", "list-title");
    let shows_palette = RwSignal::new(false);
    let palette = PaletteContext {
        list,
        is_open: shows_palette,
        bookings,
        range,
        all,
        open_panel,
        shows_shortcuts,
        card: card.element(),
    };
    let card = open_palette_on_key(card, shows_palette);
    move_to_rows_on_keys(card, list)
        .child(
            el("div")
                .class("list-head")
                .child(title)
                .child(reload)
                .child(help)
                .child(zone_bar(
                    false,
                    Signal::derive(move || clock.now()),
                    move |is_open, instant| {
                        let wrap = |content| el("div").class("zone-chooser").child(content);
                        lazy_view(chunk, wrap, move |exports| {
                            (exports.zones)(is_open, instant)
                        })
                    },
                )),
        )
        .child(session_notice())
        .child(status_tabs(query, texts, unconfirmed))
        .child(filter_bar(
            query,
            event_types,
            chunk,
            open_panel,
            export_button(requested_export, texts, all),
        ))
        .child(once_needed(chunk, is_exporting, move |exports| {
            (exports.export)(requested_export)
        }))
        .child(new_bookings_bar(list, bookings))
        .child(body)
        .child(once_needed(chunk, has_selection, move |exports| {
            (exports.selection_bar)(list, all_pages, range)
        }))
        .child(once_needed(
            chunk,
            move || !list.actions.answers().is_empty() || !list.actions.failures().is_empty(),
            move |exports| (exports.answers)(list),
        ))
        .child(pager(query, range, go_to_page))
        .child(once_needed(
            chunk,
            move || shows_shortcuts.get(),
            move |exports| (exports.shortcuts)(shows_shortcuts),
        ))
        .child(once_needed(
            chunk,
            move || shows_palette.get(),
            move |exports| (exports.palette)(palette.clone()),
        ))
        .child(live_region(announcement))
}

/// Button over the list that announces new bookings. They are shown on a click, so that no row moves away under
/// the pointer.
fn new_bookings_bar(list: List, bookings: Latest<BookingsPage>) -> Node {
    let texts = list.context.texts;
    let bar = move || {
        let count = list.rows.new_count();
        (count > 0).then(|| {
            // Reloads the list, so that totals and pages come from one response.
            let show = move || {
                list.table.wants_focus.set_value(true);
                bookings.reload();
            };
            button("waiting-bar", show)
                .attr("part", "waiting")
                .child(icon(Shape::Reload))
                .child(texts.count(Key::ShowWaiting, count))
        })
    };
    el("div")
        .attr("data-place", "waiting")
        .attr("role", "status")
        .child_with(bar)
}

/// Gives a focus that was meant for the rows to the first button of `notice`, which is shown instead of them.
fn in_place_of_rows(notice: Node, list: List) -> Node {
    if list.table.take_focus() {
        focus_first_soon(notice.element(), "button");
    }
    notice
}

/// Error message; errors of the team have their own wording.
fn failure(error: &ApiError, bookings: Latest<BookingsPage>, texts: Translations) -> Node {
    let own_notice = match error {
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
    if let Some((shape, title, text)) = own_notice {
        return notice(shape, texts.get(title), texts.get(text));
    }
    if matches!(error, ApiError::Declined(DeclineReason::TooMany { .. }))
        && let Some(delay_ms) = retry_delay_ms(error, 0)
    {
        return rate_limit_notice(delay_ms, bookings, texts);
    }
    error_notice(error, move || bookings.reload())
}

/// Rate-limit notice with a countdown, after which the request is retried.
fn rate_limit_notice(delay_ms: i64, bookings: Latest<BookingsPage>, texts: Translations) -> Node {
    let left_s = RwSignal::new(delay_ms.saturating_add(999) / 1_000);
    let tick = move || {
        left_s.update(|left| *left -= 1);
        if left_s.get_untracked() <= 0 {
            bookings.reload();
        }
    };
    set_interval(tick, Duration::from_secs(1));
    let countdown = move || {
        let seconds = texts.number(left_s.get());
        texts.fill(Key::GoesOn, &[("seconds", &seconds)])
    };
    // Visual only: one announcement is enough.
    let text = el("p").attr("aria-live", "off").text_with(countdown);
    notice_of(Shape::Clock, texts.get(Key::TooManyTitle), text)
}

/// No match, or no bookings at all.
fn no_bookings(list: List) -> Node {
    let List { context, query, .. } = list;
    let texts = context.texts;
    if query
        .applied
        .with_untracked(|filters| filters.active_facets().is_empty())
    {
        let (title, text) = (Key::NoBookingsTitle, Key::NoBookingsText);
        return notice(Shape::Calendar, texts.get(title), texts.get(text));
    }
    let clear = move || {
        list.table.wants_focus.set_value(true);
        query.change(Filters::clear);
    };
    let clear = button("button", clear).child(texts.get(Key::ClearFilters));
    // The search is of the chosen tab alone.
    let is_of_tab = query
        .applied
        .with_untracked(|filters| filters.is_active(Facet::Search) && !filters.statuses.is_empty());
    let search_all = is_of_tab.then(|| {
        let press = move || {
            list.table.wants_focus.set_value(true);
            query.change(|filters| filters.show_only(None));
        };
        button("button-primary", press).child(texts.get(Key::SearchAllBookings))
    });
    notice(
        Shape::Search,
        texts.get(Key::NoMatchTitle),
        texts.get(Key::NoMatchText),
    )
    .child(search_all)
    .child(clear)
}

fn unreadable_note(count: usize, texts: Translations) -> Node {
    if count == 0 {
        return fragment();
    }
    let text = texts.count(Key::OddBookings, count);
    el("p")
        .class("list-odd")
        .child(icon(Shape::Alert))
        .child(el("span").child(text))
}
