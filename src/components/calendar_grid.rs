//! Month calendar after the ARIA date grid pattern: one day is in the tab order, arrow keys move within the
//! grid.

use chrono::Datelike;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::KeyboardEvent;

use super::button::button;
use super::focus::focus_first_soon;
use crate::i18n::{Key, Translations, use_formats, use_texts};
use crate::time::civil::{add_days, add_months, week_start};
use crate::time::{CivilDate, Formats, MonthGrid, Weekday};
use crate::ui::dom::{Node, el, fragment_of, is_right_to_left};
use crate::ui::signal::{Callback, RwSignal, Signal};

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
    let weeks =
        move || {
            let grid = grid.get();
            let cell = CellContext {
                grid,
                today: today.get(),
                booked: booked.get(),
                tab_stop,
                selected,
                free,
                on_day,
                cursor,
                texts,
                formats,
            };
            fragment_of(grid.weeks().map(|week| {
                el("tr").child(fragment_of(week.into_iter().map(|day| cell.cell(day))))
            }))
        };
    table
        .flag_with("aria-busy", move || is_busy.get())
        .on("keydown", on_keydown)
        .child(head)
        .child(el("tbody").child_with(weeks))
}

/// Shared data of all cells of a month.
#[derive(Clone, Copy)]
struct CellContext {
    grid: MonthGrid,
    today: CivilDate,
    booked: Option<CivilDate>,
    tab_stop: Signal<CivilDate>,
    selected: Signal<Option<CivilDate>>,
    free: Signal<Vec<(CivilDate, usize)>>,
    on_day: Callback<CivilDate>,
    cursor: RwSignal<Option<CivilDate>>,
    texts: Translations,
    formats: Formats,
}

impl CellContext {
    fn cell(self, day: CivilDate) -> Node {
        let selected = self.selected;
        let cell = el("td")
            .attr("role", "gridcell")
            .attr_with("aria-selected", move || {
                Some((selected.get() == Some(day)).to_string())
            });
        if day < self.grid.month.first() {
            // Days of the previous month are blank, unless they can be booked.
            cell.child_with(move || (self.times(day) > 0).then(|| self.button(day)))
        } else {
            cell.child(self.button(day))
        }
    }

    fn button(self, day: CivilDate) -> Node {
        let Self {
            grid,
            today,
            booked,
            tab_stop,
            on_day,
            cursor,
            texts,
            formats,
            ..
        } = self;
        let date = formats.long_day(day);
        let name = move || {
            Some(match self.times(day) {
                0 => texts.fill(Key::DayWithoutTimes, &[("day", &date)]),
                count => texts.count_with(Key::DayWithTimes, count, &[("day", &date)]),
            })
        };
        let select = move || {
            cursor.set(Some(day));
            if untrack(|| self.times(day)) > 0 {
                on_day.run(day);
            }
        };
        // At the start of another month, the style sheet shows its name above the day: as text it would be
        // part of the visible label, but not of the accessible name, which has the month in full.
        let is_month_start = day.day() == 1 && !grid.month.contains(day);
        let month_name = is_month_start.then(|| formats.short_month(day));
        button("day", select)
            .attr("part", "day")
            .attr_if("data-month", month_name.as_deref())
            .attr_if("aria-current", (day == today).then_some("date"))
            .attr_with("aria-label", name)
            .flag_with("aria-disabled", move || self.times(day) == 0)
            .attr_if("data-current", (booked == Some(day)).then_some(""))
            .attr_if(
                "aria-description",
                (booked == Some(day)).then(|| texts.get(Key::OldTime)),
            )
            .attr_with("tabindex", move || {
                Some(if tab_stop.get() == day { "0" } else { "-1" }.to_owned())
            })
            .child(day.day().to_string())
    }

    fn times(self, day: CivilDate) -> usize {
        self.free.with(|free| {
            free.iter()
                .find(|(known, _)| *known == day)
                .map_or(0, |(_, times)| *times)
        })
    }
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
