//! Table of a page's bookings, grouped by day.
//!
//! Narrow containers lay it out as cards, which removes the table semantics in browsers: therefore
//! each part has an explicit role. A page may have 250 rows: signals are followed by the table, not by
//! each row, and rows far below the visible area are rendered later.

mod row;
mod row_input;

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::time::Duration;
use std::vec::IntoIter;

use booking_ui::prelude::*;

use crate::components::focus::{focus_first_soon, focus_soon};
use crate::components::{button, heading, tri_state_checkbox};
use crate::i18n::{Key, Translations};
use crate::page::settings::use_clock;
use crate::time::CivilDate;
use crate::time::civil::days_between;
use crate::time::format::RelativeDays;

use super::chunk_exports::ChunkExports;
use super::query::model::{Column, SortBy, column_key};
use super::rows::{IndexedRow, by_day, by_series};
use super::state::list_state::{List, ListContext};
pub(super) use row::TAB_STOP;
use row::{DetailsContext, RowTemplate, RowView};
use row_input::listen_to_rows;
pub(super) use row_input::move_to_rows_on_keys;

/// Number of rows rendered at once: most screens show no more.
const FIRST_ROWS: usize = 18;
/// Number of rows rendered per frame afterwards.
const ROWS_PER_FRAME: usize = 40;

/// Most days between today and a day whose distance its heading tells.
const MAX_DISTANCE_DAYS: i64 = 30;

/// Renders the table. New rows, another zone or other columns rebuild its body; a changed booking
/// redraws only its row.
pub(super) fn table(list: List, chunk: LazyChunk<ChunkExports>) -> Node {
    let filters = list.query.applied;
    let columns = Signal::memo(move || filters.with(|filters| filters.columns.clone()));
    let groups_series = Signal::memo(move || filters.with(|filters| filters.groups_series));
    let expanded_series = RwSignal::new(Vec::<String>::new());
    let column_names = move || {
        let names: Vec<&str> = columns.get().iter().map(|column| column.name()).collect();
        Some(names.join(" "))
    };
    let clock = use_clock();
    let is_new = Cell::new(true);
    let toggled_series = StoredValue::new(None::<String>);
    let table = el("table")
        .class("bookings")
        .attr("role", "table")
        .attr("part", "table")
        .attr("aria-labelledby", "list-title")
        .attr_with("data-columns", column_names)
        .flag_with("data-pending", move || list.rows.has_pending())
        .flag_with("data-panel", move || {
            list.table.is_any_expanded(&list.rows.tracked())
        })
        .flag_with("aria-busy", move || list.rows.is_rendering());
    let table_element = table.element();
    let body = move || {
        let state = list.table;
        if state.take_focus() {
            focus_first_soon(table_element.clone(), TAB_STOP);
        }
        // Dependencies of times and days.
        list.context.settings.zone.get();
        list.context.settings.uses_12_hours.get();
        state.today.get();
        // Dependency of titles.
        list.context.event_types.with(|_| ());
        let columns = columns.get();
        let body = TableBody {
            list,
            column_count: (columns.len() + 3).to_string(),
            template: RowTemplate::new(
                list.context,
                columns,
                filters.with_untracked(|filters| filters.statuses.clone()),
                clock.now(),
            ),
            relative_days: RelativeDays::new(&list.context.formats.locale()),
            by_creation: filters.with_untracked(|filters| {
                filters.sort.is_some_and(|sort| sort.by == SortBy::Created)
            }),
            groups_series: groups_series.get(),
            expanded_series,
            toggled_series,
            pending: Vec::new().into_iter(),
            group: fragment(),
            rows: Vec::new(),
            details: DetailsContext {
                list,
                chunk,
                owner: Owner::current(),
            },
        };
        // A redraw renders all rows at once, or the scroll position would change.
        let is_first = is_new.replace(false) && !document().hidden();
        body.show(if is_first { FIRST_ROWS } else { usize::MAX })
    };
    let table = table
        .child_with(move || head(list, &columns.get()))
        .child_with(body);
    listen_to_rows(table, list)
}

/// Column headers, and the check box that selects the whole page.
fn head(list: List, columns: &[Column]) -> Node {
    let texts = list.context.texts;
    let title = |key: Key| {
        el("th")
            .attr("role", "columnheader")
            .attr("scope", "col")
            .child(texts.get(key))
    };
    let state = move || list.selection.page_state(&list.rows.snapshot());
    let select_page = tri_state_checkbox(texts.get(Key::SelectPage), state, move |is_selected| {
        list.selection.set_page(&list.rows.all(), is_selected);
    });
    let select_cell = el("th")
        .class("booking-select")
        .attr("role", "columnheader")
        .attr("scope", "col")
        .child(select_page.class("select-page"));
    let titles = [Key::When, Key::What].into_iter().map(title).chain(
        columns
            .iter()
            .map(|column| title(column_key(*column)).attr("data-column", column.name())),
    );
    let row = el("tr")
        .class("bookings-head")
        .attr("role", "row")
        .child(select_cell)
        .child(fragment_of(titles));
    el("thead").attr("role", "rowgroup").child(row)
}

/// Row of the table body.
enum TableRow {
    /// Heading of a day, which begins a group, and the number of its bookings if all of them are on the page.
    Day(CivilDate, Option<usize>),
    /// Booking, and true if the heading above shows another day than its own.
    Booking(IndexedRow, bool),
    /// Toggle for the other meetings of a series, with their count.
    SeriesToggle(String, usize),
}

/// Table body with the rows rendered so far.
struct TableBody {
    list: List,
    template: RowTemplate,
    relative_days: RelativeDays,
    /// Number of columns, as text.
    column_count: String,
    /// True if bookings are sorted, and so grouped, by creation date.
    by_creation: bool,
    groups_series: bool,
    expanded_series: RwSignal<Vec<String>>,
    /// Series toggled last: its button takes the focus after the redraw.
    toggled_series: StoredValue<Option<String>>,
    /// Rows not yet rendered.
    pending: IntoIter<TableRow>,
    /// Group of the last day begun.
    group: Node,
    /// Bookings rendered so far.
    rows: Vec<RowView>,
    details: DetailsContext,
}

impl TableBody {
    /// Renders `first_rows` rows, then the others, and keeps them up to date while mounted.
    fn show(mut self, first_rows: usize) -> Node {
        let List {
            rows,
            selection,
            table,
            ..
        } = self.list;
        let chunk = self.details.chunk;
        self.pending = self.table_rows();
        let content = self.render_rows(first_rows);
        rows.set_rendering(self.is_unfinished());
        on_cleanup(move || rows.set_rendering(false));
        let body = Rc::new(RefCell::new(self));
        let follow = |track: Box<dyn Fn()>, update: fn(&mut Self, usize)| {
            let body = Rc::clone(&body);
            render_effect(Box::new(move || {
                track();
                untrack(|| update(&mut body.borrow_mut(), 0));
            }));
        };
        follow(Box::new(move || rows.track()), Self::update_bookings);
        follow(
            Box::new(move || table.track_expanded()),
            Self::update_expanded,
        );
        follow(Box::new(move || selection.track()), Self::update_selected);
        follow(
            Box::new(move || {
                chunk.exports();
            }),
            Self::update_acts,
        );
        render_remaining(Rc::downgrade(&body));
        content
    }

    /// Renders up to `count` more bookings. Returns the day groups that begin with them.
    fn render_rows(&mut self, count: usize) -> Node {
        let today = self.list.table.today.get_untracked();
        let end = self.rows.len().saturating_add(count);
        let mut new_groups = fragment();
        while self.rows.len() < end
            && let Some(row) = self.pending.next()
        {
            let node = match row {
                TableRow::Day(day, count) => {
                    self.group = el("tbody").class("day-group").attr("role", "rowgroup");
                    new_groups = new_groups.child(self.group.clone());
                    self.day_row(day, count, today)
                }
                TableRow::Booking((index, row), shows_day) => {
                    let is_tab_stop = self.list.table.tab_stop.get_value() == index;
                    let node = self.template.render(index, &row, shows_day, is_tab_stop);
                    let column_count = &self.column_count;
                    self.rows
                        .push(RowView::new(index, row, shows_day, &node, column_count));
                    node
                }
                TableRow::SeriesToggle(series, count) => self.series_toggle(series, count),
            };
            self.group = self.group.clone().child(node);
        }
        new_groups
    }

    fn is_unfinished(&self) -> bool {
        !self.pending.as_slice().is_empty()
    }

    /// Appends more rows.
    fn render_next(&mut self) {
        let start = self.rows.len();
        let last: web_sys::Element = self.group.element().into();
        let new_groups = self.render_rows(ROWS_PER_FRAME);
        // Day groups that begin here follow the last one.
        new_groups.insert_after(&last);
        self.update_bookings(start);
        self.update_expanded(start);
        self.update_selected(start);
        self.update_acts(start);
        self.list.rows.set_rendering(self.is_unfinished());
    }

    /// Updates the bookings from the row at `start` on.
    fn update_bookings(&mut self, start: usize) {
        let List { rows, table, .. } = self.list;
        for view in self.rows.iter_mut().skip(start) {
            if let Some(row) = rows.at(view.index()).filter(|row| view.is_changed_by(row)) {
                let is_tab_stop = table.tab_stop.get_value() == view.index();
                view.replace(row, &self.template, is_tab_stop, &self.details);
            }
        }
    }

    /// Expands or collapses rows.
    fn update_expanded(&mut self, start: usize) {
        let expanded = self.list.table.expanded();
        for view in self.rows.iter_mut().skip(start) {
            view.set_expanded(view.is_among(&expanded), &self.details);
        }
    }

    /// Shows the buttons of pending bookings.
    fn update_acts(&mut self, start: usize) {
        let tab_stop = self.list.table.tab_stop.get_value();
        for view in self.rows.iter_mut().skip(start) {
            view.show_acts(view.index() == tab_stop, &self.details);
        }
    }

    /// Updates the check boxes of the rows.
    fn update_selected(&mut self, start: usize) {
        for view in self.rows.iter_mut().skip(start) {
            view.set_selected(self.list.selection.contains(view.uid()));
        }
    }

    /// Rows in display order.
    fn table_rows(&self) -> IntoIter<TableRow> {
        let formats = self.list.context.formats;
        let zone = self.list.context.settings.zone.get_untracked();
        let rows: Vec<IndexedRow> = self.list.rows.snapshot().into_iter().enumerate().collect();
        let leads: Vec<(IndexedRow, Vec<IndexedRow>)> = if self.groups_series {
            by_series(rows)
        } else {
            rows.into_iter().map(|row| (row, Vec::new())).collect()
        };
        let by_creation = self.by_creation;
        let day = |((_, row), _): &(IndexedRow, Vec<IndexedRow>)| {
            let instant = match row.booking.created_at {
                Some(created) if by_creation => created,
                _ => row.booking.start,
            };
            formats.day_of(instant, &zone)
        };
        let mut table_rows = Vec::new();
        let unreadable = untrack(|| self.list.rows.unreadable());
        let (is_first_page, is_full) = self.list.query.applied.with_untracked(|filters| {
            let count = i64::try_from(leads.len() + unreadable).unwrap_or_default();
            (filters.page == 0, count >= filters.page_size)
        });
        let days = by_day(leads, day);
        let last = days.len().saturating_sub(1);
        for (index, (day, leads)) in days.into_iter().enumerate() {
            // Other pages may continue the first day and the last one.
            let is_whole = (index > 0 || is_first_page) && (index < last || !is_full);
            let count = (is_whole && !self.groups_series).then_some(leads.len());
            table_rows.push(TableRow::Day(day, count));
            for (lead, others) in leads {
                let series = lead.1.booking.recurring_booking_uid.clone();
                table_rows.push(TableRow::Booking(lead, by_creation));
                let Some(series) = series.filter(|_| !others.is_empty()) else {
                    continue;
                };
                let is_expanded = self
                    .expanded_series
                    .with(|expanded| expanded.contains(&series));
                table_rows.push(TableRow::SeriesToggle(series, others.len()));
                if is_expanded {
                    let others = others.into_iter();
                    table_rows.extend(others.map(|other| TableRow::Booking(other, true)));
                }
            }
        }
        table_rows.into_iter()
    }

    fn day_row(&self, day: CivilDate, count: Option<usize>, today: CivilDate) -> Node {
        let ListContext { formats, texts, .. } = self.list.context;
        let distance = days_between(today, day);
        let date = formats.day_title(day);
        let heading_text = if self.by_creation {
            texts.fill(Key::BookedOn, &[("day", &date)])
        } else {
            date
        };
        let is_near = distance.abs() <= MAX_DISTANCE_DAYS;
        let relative = is_near.then(|| self.relative_days.format(distance));
        let count = count.map(|count| texts.count(Key::BookingsOfDay, count));
        let facts = [relative, count].into_iter().flatten();
        let facts = facts.filter(|fact| !fact.is_empty());
        let facts = facts.map(|fact| {
            let fact = el("span").class("day-fact").child(fact);
            fragment().child(" ").child(fact)
        });
        let heading = heading(1)
            .class("day-heading")
            .attr("part", "day-heading")
            .child(el("span").child(heading_text))
            .child(fragment_of(facts));
        let cell = el("th")
            .attr("role", "rowheader")
            .attr("scope", "rowgroup")
            .attr("colspan", &self.column_count)
            .child(heading);
        el("tr").class("day-row").attr("role", "row").child(cell)
    }

    /// Toggle for the other meetings of a series on this page.
    fn series_toggle(&self, series: String, count: usize) -> Node {
        let expanded_series = self.expanded_series;
        let is_expanded = expanded_series.with_untracked(|expanded| expanded.contains(&series));
        let toggled_series = self.toggled_series;
        let had_focus = toggled_series.with_value(|toggled| toggled.as_ref() == Some(&series));
        let press = move || {
            toggled_series.set_value(Some(series.clone()));
            expanded_series.update(|expanded| {
                match expanded.iter().position(|other| *other == series) {
                    Some(index) => {
                        expanded.remove(index);
                    }
                    None => expanded.push(series.clone()),
                }
            });
        };
        let button = button("button-quiet fold", press)
            .attr("aria-expanded", &is_expanded.to_string())
            .child(self.list.context.texts.count(Key::MoreOfSeries, count));
        if had_focus {
            toggled_series.set_value(None);
            focus_soon(&button);
        }
        let cell = el("td")
            .attr("role", "cell")
            .attr("colspan", &self.column_count)
            .child(button);
        el("tr").class("fold-row").attr("role", "row").child(cell)
    }
}

/// Renders the remaining rows, some after each frame, while the body exists.
fn render_remaining(body: Weak<RefCell<TableBody>>) {
    let is_unfinished = body
        .upgrade()
        .is_some_and(|body| body.borrow().is_unfinished());
    if !is_unfinished {
        return;
    }
    let render = move || {
        if let Some(body) = body.upgrade() {
            let mut body = body.borrow_mut();
            let owner = body.details.owner.clone();
            let mut render_next = || untrack(|| body.render_next());
            match owner {
                Some(owner) => owner.with(render_next),
                None => render_next(),
            }
        }
        render_remaining(body);
    };
    // The frame is painted before the timer fires.
    request_animation_frame(move || set_timeout(render, Duration::ZERO));
}

/// Skeleton rows shown while bookings load.
pub(super) fn skeleton_rows(count: usize, texts: Translations) -> Node {
    let skeleton = || el("span").class("ghost-line ghost-block");
    let rows = (0..count).map(|_| {
        el("div")
            .class("booking booking-ghost")
            .child(skeleton())
            .child(skeleton())
            .child(skeleton())
    });
    let rows = el("div")
        .attr("aria-hidden", "true")
        .child(el("div").class("day-heading").child(skeleton()))
        .child(fragment_of(rows));
    fragment()
        .child(
            el("p")
                .class("visually-hidden")
                .child(texts.get(Key::Loading)),
        )
        .child(rows)
}
