//! Command palette of the list: its actions, saved views and days, and the bookings that a search finds.

mod date_search;
pub(super) mod shortcuts;

use std::time::Duration;

use booking_ui::prelude::*;
use booking_wire::{Booking, BookingsQuery, SortOrder, StatusFilter};
use chrono::Datelike;
use wasm_bindgen::JsCast;
use web_sys::HtmlElement;

use super::chunk_exports::PaletteContext;
use super::filters::{date_filter_key, status_key};
use super::formatting::{attendee_or_title, event_type_title};
use super::query::model::{DateFilter, Filters};
use super::state::list_state::{List, Panel};
use super::views::view_commands;
use crate::client::query::{Load, latest};
use crate::components::Shape;
use crate::components::command_palette::{AppCommands, Command, command_palette};
use crate::components::focus::focus_first_soon;
use crate::i18n::Key;
use crate::page::settings::use_clock;
use crate::page::team_events::TeamEvent;
use crate::time::civil::add_months;
use crate::time::format::fold;
use crate::time::{CivilDate, Formats, Weekday};
use date_search::{find_days, tokens};

/// Delay of the search for what is typed.
const SEARCH_DELAY: Duration = Duration::from_millis(250);
/// Minutes of a day: no booking is longer.
const DAY_MINUTES: i64 = 24 * 60;
/// Most bookings that are found.
const MAX_BOOKINGS: i64 = 6;

/// Palette that is shown while `is_open` of `context` is true.
pub(super) fn palette(context: PaletteContext) -> Node {
    let typed = RwSignal::new(String::new());
    let found = search(context.list, typed);
    let app_commands = use_context::<AppCommands>();
    let views = view_commands();
    let is_open = context.is_open;
    let words = month_words(
        context.list.context.formats,
        context.list.table.today.get_untracked(),
    );
    let commands = move || {
        let text = typed.with(|typed| typed.trim().to_owned());
        let mut commands = actions(&context);
        commands.extend(views());
        commands.extend(
            app_commands
                .iter()
                .flat_map(|AppCommands(commands)| commands()),
        );
        if text.is_empty() {
            return commands;
        }
        commands.retain(|command| command.matches(&text));
        commands.extend(days(&context, &text, &words));
        commands.extend(search_command(&context, text));
        let bookings = found.get().into_iter();
        commands.extend(bookings.map(|booking| booking_command(booking, &context)));
        commands
    };
    command_palette(is_open, typed, commands)
}

/// Actions of the list that are possible now.
fn actions(context: &PaletteContext) -> Vec<Command> {
    let PaletteContext {
        list,
        range,
        bookings,
        all,
        open_panel,
        shows_shortcuts,
        ..
    } = context.clone();
    let (texts, query) = (list.context.texts, list.query);
    let action = |key: Key, shape, run: Box<dyn Fn()>| Command::new(texts.get(key), shape, run);
    let mut commands = Vec::new();
    for status in StatusFilter::ALL.into_iter().map(Some).chain([None]) {
        let show = move || query.change(|filters| filters.show_only(status));
        commands.push(Command {
            note: texts.get(Key::Status).to_owned(),
            ..action(status_key(status), Shape::Agenda, Box::new(show))
        });
    }
    for (_, dates) in DateFilter::ALL {
        if matches!(dates, DateFilter::Any | DateFilter::Custom) {
            continue;
        }
        let show = move || query.change(|filters| filters.dates = dates);
        commands.push(Command {
            note: texts.get(Key::WhichDays).to_owned(),
            ..action(date_filter_key(dates), Shape::Calendar, Box::new(show))
        });
    }
    for (panel, key) in [
        (Panel::Filters, Key::Filters),
        (Panel::View, Key::ViewOptions),
        (Panel::Views, Key::Views),
    ] {
        let card = context.card.clone();
        let open = move || {
            open_panel.set(Some(panel));
            focus_first_soon(
                card.clone(),
                ".filters:not([hidden]) :is(input, select, button)",
            );
        };
        commands.push(action(key, panel.shape(), Box::new(open)));
    }
    let export = move || list.requested_export.set(Some(all));
    commands.push(action(Key::Export, Shape::Download, Box::new(export)));
    let range = range.get();
    let pages = [
        (
            Key::PreviousPage,
            Shape::Back,
            -1,
            range.is_some_and(|range| range.page > 0),
        ),
        (
            Key::NextPage,
            Shape::Forward,
            1,
            range.is_some_and(|range| range.has_next),
        ),
    ];
    for (key, shape, step, is_possible) in pages {
        if let Some(range) = range.filter(|_| is_possible) {
            let go = move || query.go_to_page(range.page + step);
            commands.push(action(key, shape, Box::new(go)));
        }
    }
    if query
        .applied
        .with(|filters| !filters.active_facets().is_empty())
    {
        let clear = move || query.change(Filters::clear);
        commands.push(action(Key::ClearFilters, Shape::Close, Box::new(clear)));
    }
    let reload = move || bookings.reload();
    commands.push(action(Key::ReloadList, Shape::Reload, Box::new(reload)));
    let help = move || shows_shortcuts.set(true);
    commands.push(action(Key::Shortcuts, Shape::Code, Box::new(help)));
    commands
}

/// Days that `text` names.
fn days(context: &PaletteContext, text: &str, words: &[Vec<String>; 12]) -> Vec<Command> {
    let (list, query) = (context.list, context.list.query);
    let texts = list.context.texts;
    let title = |day: &str| texts.fill(Key::GoToDay, &[("day", day)]);
    // Typed as the command is called.
    let named = tokens(&fold(&title("")));
    let mut typed = tokens(&fold(text));
    typed.retain(|token| !named.contains(token));
    let found = find_days(&typed, words, list.table.today.get()).into_iter();
    let command = |day: CivilDate| {
        let show = move || {
            query.change(|filters| {
                filters.show_only(None);
                filters.dates = DateFilter::Custom;
                filters.first_day = day.to_string();
                filters.last_day = day.to_string();
            });
        };
        Command::new(
            title(&list.context.formats.short_day(day)),
            Shape::Calendar,
            show,
        )
    };
    found.map(command).collect()
}

/// Command that puts `text` into the search field.
fn search_command(context: &PaletteContext, text: String) -> Option<Command> {
    let query = context.list.query;
    let texts = context.list.context.texts;
    let act = texts.get(Key::SearchBookings);
    let title = texts.fill(Key::ActOnBooking, &[("act", act), ("title", &text)]);
    let search = move || query.change(|filters| filters.search = text.clone());
    (query.is_searchable.get() == Some(true)).then(|| Command::new(title, Shape::Search, search))
}

/// Bookings of any status that match `typed`, some moments after it was typed.
fn search(list: List, typed: RwSignal<String>) -> Signal<Vec<Booking>> {
    let searched = RwSignal::new(String::new());
    effect(move || {
        let text = typed.with(|typed| typed.trim().to_owned());
        if text.is_empty() {
            return searched.set(text);
        }
        let search = move || searched.set(text.clone());
        set_scoped_timeout(search, SEARCH_DELAY);
    });
    let request = move || {
        let is_searchable = list.query.is_searchable.get() == Some(true);
        let query = BookingsQuery {
            search: Some(searched.get()).filter(|text| !text.is_empty()),
            take: Some(MAX_BOOKINGS),
            ..BookingsQuery::default()
        };
        Some(query).filter(|query| is_searchable && query.search.is_some())
    };
    let clock = use_clock();
    let found = latest(request, move |query, abort| {
        let session = list.context.session();
        let (team, now) = (list.context.team, clock.now());
        async move {
            // Those ahead, and of the last day, in their order; then earlier ones, the last first.
            let next = BookingsQuery {
                after_start: Some(now.plus_minutes(-DAY_MINUTES)),
                ..query.clone()
            };
            let mut found = session
                .team_bookings(team, next, abort.clone())
                .await?
                .items;
            if found.len() < MAX_BOOKINGS as usize {
                let earlier = BookingsQuery {
                    before_end: Some(now),
                    sort_start: Some(SortOrder::Desc),
                    ..query
                };
                for booking in session.team_bookings(team, earlier, abort).await?.items {
                    if !found.iter().any(|known| known.uid == booking.uid) {
                        found.push(booking);
                    }
                }
                found.truncate(MAX_BOOKINGS as usize);
            }
            Ok(found)
        }
    });
    let found = found.signal();
    Signal::derive(move || {
        let is_typed = typed.with(|typed| !typed.trim().is_empty());
        found.with(|found| match found {
            Load::Ready(bookings) if is_typed => bookings.clone(),
            _ => Vec::new(),
        })
    })
}

/// Command that opens a booking in the list.
fn booking_command(booking: Booking, context: &PaletteContext) -> Command {
    let list = context.list;
    let formats = list.context.formats;
    let name = attendee_or_title(&booking, list.context.texts).to_owned();
    let zone = list.context.settings.zone.get();
    let day = formats.short_day(formats.day_of(booking.start, &zone));
    let time = list.context.settings.time(formats, booking.start);
    let title = list.context.event_types.with(|event_types| {
        let event_types = event_types.ready().map(Vec::as_slice).unwrap_or_default();
        event_type_title(&booking, event_types).unwrap_or_default()
    });
    let (uid, card) = (booking.uid.0, context.card.clone());
    Command {
        note: [&title, " · ", &day, " ", &time].concat(),
        ..Command::new(name, Shape::Person, move || open(list, &uid, card.clone()))
    }
}

/// Opens a booking in its row; without one, the list shows it alone.
fn open(list: List, uid: &str, card: HtmlElement) {
    let row = list
        .rows
        .all()
        .iter()
        .position(|row| row.booking.uid.0 == uid);
    list.table.expand(uid);
    match row {
        Some(row) => {
            let selector = ["[data-row='", &row.to_string(), "'] .booking-open"].concat();
            if let Ok(Some(button)) = card.query_selector(&selector) {
                // Fails only for a removed element.
                let _ = button.unchecked_ref::<HtmlElement>().focus();
            }
        }
        None => {
            list.table.wants_focus.set_value(true);
            list.query.change(|filters| {
                filters.clear();
                filters.show_only(None);
                uid.clone_into(&mut filters.uid);
            });
        }
    }
    let uid = uid.to_owned();
    // No default action follows that the page could cancel.
    let _ = list.context.page().emit(&TeamEvent::BookingOpened { uid });
}

/// Folded words of the dates of each month, without the weekdays.
fn month_words(formats: Formats, today: CivilDate) -> [Vec<String>; 12] {
    let weekdays = formats.weekdays(Weekday::Mon);
    let names = weekdays.iter().flat_map(|[name, ..]| tokens(&fold(name)));
    let weekdays: Vec<String> = names.collect();
    let mut day = CivilDate::from_ymd_opt(today.year(), 1, 1).unwrap_or_default();
    std::array::from_fn(|_| {
        let texts = [
            formats.month(day),
            formats.short_month(day),
            formats.day_title(day),
        ];
        day = add_months(day, 1);
        let words = texts.iter().flat_map(|text| tokens(&fold(text)));
        words.filter(|word| !weekdays.contains(word)).collect()
    })
}
