//! Month calendar after the ARIA date grid pattern: one day is in the tab order, arrow keys move within the
//! grid.

use std::cell::RefCell;
use std::rc::Rc;

use booking_ui::prelude::*;
use chrono::Datelike;
use wasm_bindgen::JsCast;
use web_sys::{KeyboardEvent, Node as DomNode};

use super::focus::focus_first_soon;
use crate::i18n::{Key, Translations, use_formats, use_texts};
use crate::time::civil::{add_days, add_months, week_start};
use crate::time::{CivilDate, Formats, MonthGrid, Weekday};

const DAYS_PER_WEEK: usize = 7;

/// Shows the weeks of `grid`. Days with slots can be selected; the others can be focused by keyboard and are
/// announced as having none.
#[component]
pub fn CalendarGrid(
    /// Id of the element that names the month.
    labelled_by: &'static str,
    #[prop(into)] grid: Signal<MonthGrid>,
    #[prop(into)] today: Signal<CivilDate>,
    #[prop(into)] selected: Signal<Option<CivilDate>>,
    /// Day of the booking that is rescheduled.
    #[prop(into)]
    booked: Signal<Option<CivilDate>>,
    /// Number of slots per day; days without slots are absent.
    #[prop(into)]
    free: Signal<Vec<(CivilDate, usize)>>,
    /// True while `free` is loading.
    #[prop(into)]
    is_busy: Signal<bool>,
    /// Called when a key moves to a day outside the grid.
    #[prop(into)]
    on_leave: Callback<CivilDate>,
    /// Called near an edge of the grid: with true at its end, false at its start.
    #[prop(into)]
    on_edge: Callback<bool>,
    #[prop(into)] on_day: Callback<CivilDate>,
) -> Node {
    let texts = use_texts();
    let formats = use_formats();
    let week_begins = formats.week_start();

    // Position of the arrow keys; follows the selection until they are used.
    let cursor = RwSignal::new(None::<CivilDate>);
    // If the clock is a day ahead, days with slots may be before today.
    let earliest = move || {
        let first_free = free.with(|free| free.first().map(|(day, _)| *day));
        first_free.map_or(today.get(), |day| day.min(today.get()))
    };
    let tab_stop = Signal::memo(move || {
        let days = grid.get().range();
        let first_free = free.with(|free| {
            free.iter()
                .map(|(day, _)| *day)
                .find(|day| days.contains(*day))
        });
        cursor
            .get()
            .or(selected.get())
            .filter(|day| days.contains(*day))
            .or(first_free)
            .or(Some(today.get()).filter(|day| days.contains(*day)))
            .unwrap_or(grid.get().month.first())
    });

    let table = el("table")
        .class("calendar-grid")
        .attr("role", "grid")
        .attr("part", "calendar")
        .attr("aria-labelledby", labelled_by);
    let node = table.element();
    let on_keydown = move |event: web_sys::Event| {
        let key: &KeyboardEvent = event.unchecked_ref();
        let from = tab_stop.get_untracked();
        let is_mirrored = is_right_to_left(&node);
        let target = target_day(from, &key.key(), key.shift_key(), is_mirrored, week_begins);
        let Some(target) = target else {
            return;
        };
        event.prevent_default();
        let target = target.max(untrack(earliest));
        let days = grid.get_untracked().range();
        if !days.contains(target) {
            on_leave.run(target);
        } else if add_days(target, 7) > days.last {
            on_edge.run(true);
        } else if add_days(target, -7) < days.first {
            on_edge.run(false);
        }
        cursor.set(Some(target));
        focus_first_soon(node.clone(), "button[tabindex='0']");
    };

    let weekdays = formats
        .weekdays(week_begins)
        .into_iter()
        .map(|[full, short, narrow]| {
            el("th")
                .attr("scope", "col")
                .attr("abbr", &full)
                .attr("data-narrow", &narrow)
                .child(el("span").child(short))
        });
    let head = el("thead").child(el("tr").child(fragment_of(weekdays)));
    let cells = Rc::new(RefCell::new(Rc::<Vec<DayCell>>::default()));
    let weeks = {
        let cells = Rc::clone(&cells);
        move || {
            let month = Month {
                grid: grid.get(),
                today: today.get(),
                booked: booked.get(),
                texts,
                formats,
            };
            let shown = Rc::new(month.cells());
            cells.replace(Rc::clone(&shown));
            let rows = shown.chunks(DAYS_PER_WEEK).map(|week| {
                let week = week.iter().map(|cell| cell.cell.clone());
                el("tr").child(fragment_of(week))
            });
            let rows = fragment_of(rows);
            keep_times(month, Rc::clone(&shown), free);
            keep_marked(
                Rc::clone(&shown),
                Box::new(move || Some(tab_stop.get())),
                |cell, is_marked| {
                    let value = if is_marked { "0" } else { "-1" };
                    cell.button.clone().attr("tabindex", value);
                },
            );
            keep_marked(
                shown,
                Box::new(move || selected.get()),
                |cell, is_marked| {
                    let value = if is_marked { "true" } else { "false" };
                    cell.cell.clone().attr("aria-selected", value);
                },
            );
            rows
        }
    };
    let on_click = move |event: web_sys::Event| {
        let Some(target) = event.target() else { return };
        let target: &DomNode = target.unchecked_ref();
        let pressed = cells.borrow().iter().find_map(|cell| {
            let is_pressed = cell.button.element().contains(Some(target));
            is_pressed.then_some(cell.day)
        });
        let Some(day) = pressed else { return };
        cursor.set(Some(day));
        if free.with_untracked(|free| times_on(free, day)) > 0 {
            on_day.run(day);
        }
    };
    table
        .flag_with("aria-busy", move || is_busy.get())
        .on("keydown", on_keydown)
        .on("click", on_click)
        .child(head)
        .child(el("tbody").child_with(weeks))
}

/// Month to show. Its cells have no handlers and effects of their own: there are 42.
#[derive(Clone, Copy)]
struct Month {
    grid: MonthGrid,
    today: CivilDate,
    booked: Option<CivilDate>,
    texts: Translations,
    formats: Formats,
}

/// Cell of a day and its button, which is part of the cell unless the day is blank.
struct DayCell {
    day: CivilDate,
    cell: Node,
    button: Node,
    /// Long date.
    date: String,
}

impl Month {
    fn cells(self) -> Vec<DayCell> {
        // Copies need fewer calls of the browser than new elements.
        let cell = el("td")
            .attr("role", "gridcell")
            .attr("aria-selected", "false");
        let button = el("button")
            .class("day")
            .attr("part", "day")
            .attr("type", "button")
            .attr("tabindex", "-1");
        let mut cells = Vec::new();
        for week in self.grid.weeks() {
            for day in week {
                cells.push(self.cell(day, cell.deep_clone(), button.deep_clone()));
            }
        }
        cells
    }

    fn cell(self, day: CivilDate, cell: Node, button: Node) -> DayCell {
        let Self {
            grid,
            texts,
            formats,
            ..
        } = self;
        // At the start of another month, the style sheet shows its name above the day: as text it would be
        // part of the visible label, but not of the accessible name, which has the month in full.
        let is_month_start = day.day() == 1 && !grid.month.contains(day);
        let month_name = is_month_start.then(|| formats.short_month(day));
        let is_booked = self.booked == Some(day);
        let button = button
            .attr_if("data-month", month_name.as_deref())
            .attr_if("aria-current", (day == self.today).then_some("date"))
            .attr_if("data-current", is_booked.then_some(""))
            .attr_if(
                "aria-description",
                is_booked.then(|| texts.get(Key::OldTime)),
            )
            .set_text(&day.day().to_string());
        DayCell {
            day,
            cell,
            button,
            date: formats.long_day(day),
        }
    }

    fn is_blank(self, day: CivilDate, times: usize) -> bool {
        // Days of the previous month are blank, unless they can be booked.
        day < self.grid.month.first() && times == 0
    }

    fn name(self, cell: &DayCell, times: usize) -> String {
        match times {
            0 => self
                .texts
                .fill(Key::DayWithoutTimes, &[("day", &cell.date)]),
            times => self
                .texts
                .count_with(Key::DayWithTimes, times, &[("day", &cell.date)]),
        }
    }
}

/// Keeps names and state of the days up to date with their number of slots.
fn keep_times(month: Month, cells: Rc<Vec<DayCell>>, free: Signal<Vec<(CivilDate, usize)>>) {
    let mut shown = vec![None; cells.len()];
    render_effect(Box::new(move || {
        free.with(|free| {
            for (cell, shown) in cells.iter().zip(&mut shown) {
                let times = times_on(free, cell.day);
                let before = shown.replace(times);
                if before == Some(times) {
                    continue;
                }
                let was_blank = before.is_none_or(|before| month.is_blank(cell.day, before));
                let button = cell.button.clone();
                let button = button.attr("aria-label", &month.name(cell, times));
                let button = match times {
                    0 => button.attr("aria-disabled", "true"),
                    _ if before.is_some() => button.remove_attr("aria-disabled"),
                    _ => button,
                };
                let button = button.attr("data-times", amount(times));
                match month.is_blank(cell.day, times) {
                    true => drop(cell.cell.clone().set_text("")),
                    false if was_blank => drop(cell.cell.clone().child(button)),
                    false => {}
                }
            }
        });
    }));
}

/// Keeps the cell of one day marked by `mark`.
fn keep_marked(
    cells: Rc<Vec<DayCell>>,
    day: Box<dyn Fn() -> Option<CivilDate>>,
    mark: fn(&DayCell, bool),
) {
    let mut marked = None;
    render_effect(Box::new(move || {
        let day = day();
        let before = std::mem::replace(&mut marked, day);
        for cell in cells.iter().filter(|_| before != day) {
            if Some(cell.day) == before || Some(cell.day) == day {
                mark(cell, Some(cell.day) == day);
            }
        }
    }));
}

/// Amount of slots that a day shows.
fn amount(times: usize) -> &'static str {
    match times {
        0 => "none",
        1..5 => "few",
        5..11 => "some",
        _ => "many",
    }
}

/// Number of slots on a day.
fn times_on(free: &[(CivilDate, usize)], day: CivilDate) -> usize {
    let found = free.iter().find(|(known, _)| *known == day);
    found.map_or(0, |(_, times)| *times)
}

/// Returns the day that a key moves to; `None` for other keys.
fn target_day(
    from: CivilDate,
    key: &str,
    shift: bool,
    is_mirrored: bool,
    week_begins: Weekday,
) -> Option<CivilDate> {
    let forward = if is_mirrored { -1 } else { 1 };
    Some(match key {
        "ArrowRight" => add_days(from, forward),
        "ArrowLeft" => add_days(from, -forward),
        "ArrowDown" => add_days(from, 7),
        "ArrowUp" => add_days(from, -7),
        "Home" => week_start(from, week_begins),
        "End" => add_days(week_start(from, week_begins), 6),
        "PageDown" => add_months(from, if shift { 12 } else { 1 }),
        "PageUp" => add_months(from, if shift { -12 } else { -1 }),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn target_day_each_key_follows_date_grid_pattern() {
        let day = |text: &str| text.parse::<CivilDate>().unwrap();
        for (key, shift, mirrored, expected) in [
            ("ArrowRight", false, false, Some("2027-04-01")),
            ("ArrowRight", false, true, Some("2027-03-30")),
            ("ArrowLeft", false, true, Some("2027-04-01")),
            ("ArrowUp", false, false, Some("2027-03-24")),
            ("ArrowDown", false, true, Some("2027-04-07")),
            ("Home", false, false, Some("2027-03-29")),
            ("End", false, false, Some("2027-04-04")),
            ("PageDown", false, false, Some("2027-04-30")),
            ("PageUp", false, false, Some("2027-02-28")),
            ("PageUp", true, false, Some("2026-03-31")),
            ("Tab", false, false, None),
        ] {
            let target = target_day(day("2027-03-31"), key, shift, mirrored, Weekday::Mon);
            assert_eq!(
                target,
                expected.map(day),
                "{key} shift={shift} mirrored={mirrored}"
            );
        }
    }
}
