//! Table of a page's bookings, grouped by day.
//!
//! Narrow containers lay it out as cards, which removes the table semantics in browsers: therefore
//! each part has an explicit role. A page may have 250 rows: signals are followed by the table, not by
//! each row, and rows far below the visible area are rendered later.

use std::cell::{Cell, RefCell};
use std::rc::{Rc, Weak};
use std::time::Duration;
use std::vec::IntoIter;

use leptos::prelude::*;

use crate::components::focus::{focus_first_soon, focus_soon};
use crate::components::{button, heading, tri_state_checkbox};
use crate::i18n::{Key, Translations};
use crate::time::CivilDate;
use crate::time::civil::add_days;
use crate::ui::dom::{Node, el, fragment, fragment_of, render_effect};
use crate::ui::signal::{RwSignal, Signal, StoredValue};

use super::cells::Pattern;
use super::columns::{Column, column_key};
use super::keyboard::listen_to_rows;
use super::list_state::List;
use super::model::SortBy;
use super::page_range::by_day;
use super::row::Line;
use super::row_changes::{Placed, by_series};

/// Number of rows rendered at once: most screens show no more.
const FIRST_ROWS: usize = 14;
/// Number of rows rendered per frame afterwards.
const MORE_ROWS: usize = 40;

/// Selector of the table's Tab stop.
pub(super) const STOP: &str = ".booking-open[tabindex='0']";

/// Renders the table. New rows, another zone or other columns rebuild its body; a changed booking
/// redraws only its row.
pub(super) fn table(list: List) -> Node {
    let asked = list.wish.asked;
    let columns = Signal::memo(move || asked.with(|filters| filters.columns.clone()));
    let groups_series = Signal::memo(move || asked.with(|filters| filters.groups_series));
    let unfolded = RwSignal::new(Vec::<String>::new());
    let names = move || {
        let names: Vec<&str> = columns.get().iter().map(|column| column.name()).collect();
        Some(names.join(" "))
    };
    let is_new = Cell::new(true);
    let folded = StoredValue::new(None::<String>);
    let table = el("table")
        .class("bookings")
        .attr("role", "table")
        .attr("part", "table")
        .attr("aria-labelledby", "list-title")
        .attr_with("data-columns", names)
        .flag_with("aria-busy", move || list.rows.is_drawing());
    let node = table.element();
    let body = move || {
        if list.wants_focus.get_value() {
            list.wants_focus.set_value(false);
            focus_first_soon(node.clone(), STOP);
        }
        // Dependencies of times and days.
        list.settings.zone.get();
        list.settings.uses_12_hours.get();
        list.today.get();
        // Dependency of titles.
        list.event_types.with(|_| ());
        let columns = columns.get();
        let body = Body {
            list,
            width: (columns.len() + 3).to_string(),
            pattern: Pattern::new(list, columns),
            by_creation: asked.with_untracked(|filters| {
                filters.sort.is_some_and(|sort| sort.by == SortBy::Created)
            }),
            groups_series: groups_series.get(),
            unfolded,
            folded,
            pieces: Vec::new().into_iter(),
            group: fragment(),
            lines: Vec::new(),
            owner: Owner::current(),
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
    let texts = list.texts;
    let title = |key: Key| {
        el("th")
            .attr("role", "columnheader")
            .attr("scope", "col")
            .child(texts.get(key))
    };
    let state = move || list.selection.of_page(&list.rows.listed());
    let whole = tri_state_checkbox(texts.get(Key::SelectPage), state, move |is_wanted| {
        list.selection.set_page(&list.rows.all(), is_wanted);
    });
    let box_for_all = el("th")
        .class("booking-select")
        .attr("role", "columnheader")
        .attr("scope", "col")
        .child(whole.class("select-page"));
    let titles = [Key::When, Key::What]
        .into_iter()
        .chain(columns.iter().map(|column| column_key(*column)))
        .map(title);
    let line = el("tr")
        .class("bookings-head")
        .attr("role", "row")
        .child(box_for_all)
        .child(fragment_of(titles));
    el("thead").attr("role", "rowgroup").child(line)
}

/// Part of the table body.
enum Piece {
    /// Heading of a day, which begins a group.
    Day(CivilDate),
    /// Booking, and true if the heading above shows another day than its own.
    Booking(Placed, bool),
    /// Toggle for other meetings: series and count.
    Fold(String, usize),
}

/// Table body with the rows rendered so far.
struct Body {
    list: List,
    pattern: Pattern,
    /// Number of columns, as text.
    width: String,
    /// True if bookings are sorted, and so grouped, by creation date.
    by_creation: bool,
    groups_series: bool,
    unfolded: RwSignal<Vec<String>>,
    /// Series toggled last: its button takes the focus after the redraw.
    folded: StoredValue<Option<String>>,
    /// Parts not yet rendered.
    pieces: IntoIter<Piece>,
    /// Group of the last day begun.
    group: Node,
    lines: Vec<Line>,
    /// Owner of the rows' details: a watcher's own owner is disposed at each change.
    owner: Option<Owner>,
}

impl Body {
    /// Renders `first_rows` rows, then the others, and keeps them up to date while mounted.
    fn show(mut self, first_rows: usize) -> Node {
        let List {
            rows,
            selection,
            opened,
            ..
        } = self.list;
        self.pieces = self.days();
        let content = self.draw(first_rows);
        rows.tell_drawing(self.is_unfinished());
        on_cleanup(move || rows.tell_drawing(false));
        let body = Rc::new(RefCell::new(self));
        let follow = |track: Box<dyn Fn()>, act: fn(&mut Self, usize)| {
            let body = Rc::clone(&body);
            render_effect(Box::new(move || {
                track();
                untrack(|| act(&mut body.borrow_mut(), 0));
            }));
        };
        follow(Box::new(move || rows.track()), Self::tell_changes);
        follow(Box::new(move || opened.with(|_| ())), Self::unfold);
        follow(Box::new(move || selection.track()), Self::tick);
        draw_more(Rc::downgrade(&body));
        content
    }

    /// Renders up to `most` more rows. Returns the day groups that begin with them.
    fn draw(&mut self, most: usize) -> Node {
        let today = self.list.today.get_untracked();
        let enough = self.lines.len().saturating_add(most);
        let mut begun = fragment();
        while self.lines.len() < enough
            && let Some(piece) = self.pieces.next()
        {
            let drawn = match piece {
                Piece::Day(day) => {
                    self.group = el("tbody").class("day-group").attr("role", "rowgroup");
                    begun = begun.child(self.group.clone());
                    self.day_row(day, today)
                }
                Piece::Booking((place, shown), tells_day) => {
                    let width = &self.width;
                    let (line, drawn) = Line::new(place, shown, tells_day, &self.pattern, width);
                    self.lines.push(line);
                    drawn
                }
                Piece::Fold(series, count) => self.fold(series, count),
            };
            self.group = self.group.clone().child(drawn);
        }
        begun
    }

    fn is_unfinished(&self) -> bool {
        !self.pieces.as_slice().is_empty()
    }

    /// Appends more rows.
    fn go_on(&mut self) {
        let start = self.lines.len();
        let last: web_sys::Element = self.group.element().into();
        let begun = self.draw(MORE_ROWS);
        // Day groups that begin here follow the last one.
        begun.insert_after(&last);
        self.tell_changes(start);
        self.unfold(start);
        self.tick(start);
        self.list.rows.tell_drawing(self.is_unfinished());
    }

    /// Updates the bookings from the line at `start` on.
    fn tell_changes(&mut self, start: usize) {
        let list = self.list;
        for line in self.lines.iter_mut().skip(start) {
            if let Some(row) = list.rows.at(line.place()) {
                line.become_row(row, &self.pattern, list, self.owner.as_ref());
            }
        }
    }

    /// Expands or collapses rows as in `opened`.
    fn unfold(&mut self, start: usize) {
        let list = self.list;
        let opened = list.opened.get_untracked();
        for line in self.lines.iter_mut().skip(start) {
            line.open(line.is_among(&opened), list, self.owner.as_ref());
        }
    }

    /// Updates the check boxes of the rows.
    fn tick(&mut self, start: usize) {
        for line in self.lines.iter_mut().skip(start) {
            line.select(self.list.selection.holds(line.uid()));
        }
    }

    /// Parts in display order.
    fn days(&self) -> IntoIter<Piece> {
        let formats = self.list.formats;
        let zone = self.list.settings.zone.get_untracked();
        let rows: Vec<Placed> = self.list.rows.listed().into_iter().enumerate().collect();
        let leads: Vec<(Placed, Vec<Placed>)> = if self.groups_series {
            by_series(rows)
        } else {
            rows.into_iter().map(|row| (row, Vec::new())).collect()
        };
        let by_creation = self.by_creation;
        let day = |((_, row), _): &(Placed, Vec<Placed>)| {
            let moment = match row.booking.created_at {
                Some(created) if by_creation => created,
                _ => row.booking.start,
            };
            formats.day_of(moment, &zone)
        };
        let mut pieces = Vec::new();
        for (day, leads) in by_day(leads, day) {
            pieces.push(Piece::Day(day));
            for (lead, others) in leads {
                let series = lead.1.booking.recurring_booking_uid.clone();
                pieces.push(Piece::Booking(lead, by_creation));
                let Some(series) = series.filter(|_| !others.is_empty()) else {
                    continue;
                };
                let is_unfolded = self.unfolded.with(|known| known.contains(&series));
                pieces.push(Piece::Fold(series, others.len()));
                if is_unfolded {
                    pieces.extend(others.into_iter().map(|other| Piece::Booking(other, true)));
                }
            }
        }
        pieces.into_iter()
    }

    fn day_row(&self, day: CivilDate, today: CivilDate) -> Node {
        let List { formats, texts, .. } = self.list;
        let date = formats.long_day(day);
        let told = if self.by_creation {
            texts.fill(Key::BookedOn, &[("day", &date)])
        } else {
            date
        };
        let near = near_key(day, today);
        let near = near.map(|key| el("span").class("day-near").child(texts.get(key)));
        let heading = heading(1)
            .class("day-heading")
            .attr("part", "day-heading")
            .child(el("span").child(told))
            .child(near);
        let cell = el("th")
            .attr("role", "rowheader")
            .attr("scope", "rowgroup")
            .attr("colspan", &self.width)
            .child(heading);
        el("tr").class("day-row").attr("role", "row").child(cell)
    }

    /// Toggle for the other meetings of a series on this page.
    fn fold(&self, series: String, count: usize) -> Node {
        let unfolded = self.unfolded;
        let is_unfolded = unfolded.with_untracked(|known| known.contains(&series));
        let folded = self.folded;
        let had_focus = folded.with_value(|pressed| pressed.as_ref() == Some(&series));
        let press = move || {
            folded.set_value(Some(series.clone()));
            unfolded.update(|known| match known.iter().position(|one| *one == series) {
                Some(place) => {
                    known.remove(place);
                }
                None => known.push(series.clone()),
            });
        };
        let button = button("button-quiet fold", press)
            .attr("aria-expanded", &is_unfolded.to_string())
            .child(self.list.texts.count(Key::MoreOfSeries, count));
        if had_focus {
            folded.set_value(None);
            focus_soon(&button);
        }
        let cell = el("td")
            .attr("role", "cell")
            .attr("colspan", &self.width)
            .child(button);
        el("tr").class("fold-row").attr("role", "row").child(cell)
    }
}

/// Renders the remaining rows, some after each frame, while the body exists.
fn draw_more(body: Weak<RefCell<Body>>) {
    let is_wanted = body
        .upgrade()
        .is_some_and(|body| body.borrow().is_unfinished());
    if !is_wanted {
        return;
    }
    let draw = move || {
        if let Some(body) = body.upgrade() {
            let mut body = body.borrow_mut();
            let owner = body.owner.clone();
            let mut act = || untrack(|| body.go_on());
            match owner {
                Some(owner) => owner.with(act),
                None => act(),
            }
        }
        draw_more(body);
    };
    // The frame is painted before the timer fires.
    request_animation_frame(move || set_timeout(draw, Duration::ZERO));
}

/// Label of today and its adjacent days.
fn near_key(day: CivilDate, today: CivilDate) -> Option<Key> {
    if day == today {
        Some(Key::Today)
    } else if day == add_days(today, 1) {
        Some(Key::Tomorrow)
    } else if day == add_days(today, -1) {
        Some(Key::Yesterday)
    } else {
        None
    }
}

/// Skeleton rows shown while bookings load.
pub(super) fn waiting_rows(count: usize, texts: Translations) -> Node {
    let ghost = || el("span").class("ghost-line ghost-block");
    let rows = (0..count).map(|_| {
        el("div")
            .class("booking booking-ghost")
            .child(ghost())
            .child(ghost())
            .child(ghost())
    });
    let rows = el("div")
        .attr("aria-hidden", "true")
        .child(el("div").class("day-heading").child(ghost()))
        .child(fragment_of(rows));
    fragment()
        .child(
            el("p")
                .class("visually-hidden")
                .child(texts.get(Key::Loading)),
        )
        .child(rows)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_days_have_names_of_their_own() {
        let day = |text: &str| text.parse::<CivilDate>().unwrap();
        for (other, key) in [
            ("2027-03-01", Some(Key::Today)),
            ("2027-03-02", Some(Key::Tomorrow)),
            ("2027-02-28", Some(Key::Yesterday)),
            ("2027-03-03", None),
        ] {
            assert_eq!(near_key(day(other), day("2027-03-01")), key, "{other}");
        }
    }
}
