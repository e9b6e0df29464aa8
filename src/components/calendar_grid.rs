//! A month of days, after the ARIA date grid pattern: one day is in the tab order, arrow keys move
//! within the grid.

use chrono::Datelike;
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, KeyboardEvent};

use super::button::button;
use super::focus::focus_first_soon;
use super::icon::{Shape, icon};
use crate::dom::{Html, el, row};
use crate::i18n::{Key, Texts, use_formats, use_texts};
use crate::signal::Signal;
use crate::time::civil::{add_days, add_months, week_start};
use crate::time::{CivilDate, Formats, Month, Weekday};

/// Shows `month` and the days of the following month that complete its six weeks. Days with free
/// times can be chosen; the others can be reached by keyboard and say that they have none.
#[component]
pub fn CalendarGrid(
    #[prop(into)] month: Signal<Month>,
    #[prop(into)] today: Signal<CivilDate>,
    #[prop(into)] selected: Signal<Option<CivilDate>>,
    /// How many times each day has; days without any are absent.
    #[prop(into)]
    free: Signal<Vec<(CivilDate, usize)>>,
    /// Whether `free` is awaited.
    #[prop(into)]
    is_busy: Signal<bool>,
    #[prop(into)] on_month: Callback<Month>,
    #[prop(into)] on_day: Callback<CivilDate>,
) -> Html {
    let texts = use_texts();
    let formats = use_formats();
    let week_begins = formats.week_start();

    // Where the arrow keys are; follows the selection until they are used.
    let cursor = RwSignal::new(None::<CivilDate>);
    let tab_stop = Memo::new(move |_| {
        let shown = Shown {
            month: month.get(),
            week_begins,
        };
        let first_free = free.with(|free| {
            free.iter()
                .map(|(day, _)| *day)
                .find(|day| shown.contains(*day))
        });
        cursor
            .get()
            .or(selected.get())
            .filter(|day| shown.contains(*day))
            .or(first_free)
            .or(Some(today.get()).filter(|day| shown.contains(*day)))
            .unwrap_or(shown.month.first())
    });

    let go = move |target: Month| {
        cursor.set(None);
        on_month.run(target);
    };
    let grid = el("table")
        .class("calendar-grid")
        .attr("role", "grid")
        .attr("aria-labelledby", "month-title");
    let node = grid.element();
    let press = move |event: web_sys::Event| {
        let key: &KeyboardEvent = event.unchecked_ref();
        let from = tab_stop.get_untracked();
        let is_mirrored = is_right_to_left(&node);
        let Some(wanted) = moved(from, &key.key(), key.shift_key(), is_mirrored, week_begins)
        else {
            return;
        };
        event.prevent_default();
        let target = wanted.max(today.get_untracked());
        let shown = Shown {
            month: month.get_untracked(),
            week_begins,
        };
        if !shown.contains(target) {
            on_month.run(Month::of(target));
        }
        cursor.set(Some(target));
        focus_first_soon(node.clone(), "button[tabindex='0']");
    };

    let arrow = |shape: Shape, name: Key| {
        move |press: Box<dyn FnMut()>| {
            button("button-quiet button-square", press)
                .attr("part", "month-button")
                .attr("aria-label", texts.get(name))
                .add(icon(shape))
        }
    };
    let back = arrow(Shape::Back, Key::PreviousMonth)(Box::new(move || {
        go(month.get_untracked().previous())
    }))
    .flag_with("disabled", move || month.get() <= Month::of(today.get()));
    let forward =
        arrow(Shape::Forward, Key::NextMonth)(Box::new(move || go(month.get_untracked().next())));
    let title = el("h3")
        .class("calendar-title")
        .attr("id", "month-title")
        .attr("aria-live", "polite")
        .attr("part", "month-title")
        .text_with(move || formats.month(month.get().first()));

    let weekdays = formats
        .weekdays(week_begins)
        .into_iter()
        .map(|(full, short)| el("th").attr("scope", "col").attr("abbr", &full).add(short));
    let head = el("thead").add(el("tr").add(row(weekdays)));
    let weeks = move || {
        let month = month.get();
        let cell = Cell {
            month,
            today: today.get(),
            tab_stop,
            selected,
            free,
            on_day,
            cursor,
            texts,
            formats,
        };
        let weeks = month.weeks(week_begins).into_iter();
        row(weeks.map(|week| el("tr").add(row(week.into_iter().map(|day| cell.view(day))))))
    };

    el("div")
        .class("calendar")
        .attr("part", "calendar")
        .add(
            el("div")
                .class("calendar-head")
                .add(title)
                .add(back)
                .add(forward),
        )
        .add(
            grid.flag_with("aria-busy", move || is_busy.get())
                .on("keydown", press)
                .add(head)
                .add(el("tbody").show(weeks)),
        )
}

/// The days that can be reached without changing the month.
#[derive(Clone, Copy)]
struct Shown {
    month: Month,
    week_begins: Weekday,
}

impl Shown {
    fn contains(self, day: CivilDate) -> bool {
        let end = add_days(week_start(self.month.first(), self.week_begins), 42);
        day >= self.month.first() && day < end
    }
}

/// What all cells of a month share.
#[derive(Clone, Copy)]
struct Cell {
    month: Month,
    today: CivilDate,
    tab_stop: Memo<CivilDate>,
    selected: Signal<Option<CivilDate>>,
    free: Signal<Vec<(CivilDate, usize)>>,
    on_day: Callback<CivilDate>,
    cursor: RwSignal<Option<CivilDate>>,
    texts: Texts,
    formats: Formats,
}

impl Cell {
    fn view(self, day: CivilDate) -> Html {
        let Self {
            month,
            today,
            tab_stop,
            selected,
            on_day,
            cursor,
            texts,
            formats,
            ..
        } = self;
        if day < month.first() {
            return el("td");
        }
        let class = match (day < today, month.contains(day)) {
            (true, _) => "day day-past",
            (false, true) => "day",
            (false, false) => "day day-outside",
        };
        let date = formats.long_day(day);
        let name = move || {
            let times = match self.times(day) {
                0 => texts.get(Key::NoTimes).to_owned(),
                times => texts.count(Key::Times, times),
            };
            Some(format!("{date}, {times}"))
        };
        let pick = move || {
            cursor.set(Some(day));
            if untrack(|| self.times(day)) > 0 {
                on_day.run(day);
            }
        };
        let button = button(class, pick)
            .attr("part", "day")
            .attr_if("aria-current", (day == today).then_some("date"))
            .attr_with("aria-label", name)
            .flag_with("aria-disabled", move || self.times(day) == 0)
            .attr_with("tabindex", move || {
                Some(if tab_stop.get() == day { "0" } else { "-1" }.to_owned())
            })
            .add(day.day().to_string());
        el("td")
            .attr("role", "gridcell")
            .attr_with("aria-selected", move || {
                Some((selected.get() == Some(day)).to_string())
            })
            .add(button)
    }

    fn times(self, day: CivilDate) -> usize {
        self.free.with(|free| {
            free.iter()
                .find(|(known, _)| *known == day)
                .map_or(0, |(_, times)| *times)
        })
    }
}

/// The day that a key leads to; `None` if the grid leaves the key alone.
fn moved(
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

fn is_right_to_left(element: &HtmlElement) -> bool {
    window()
        .get_computed_style(element)
        .ok()
        .flatten()
        .and_then(|style| style.get_property_value("direction").ok())
        .is_some_and(|direction| direction == "rtl")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_move_as_in_the_date_grid_pattern() {
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
            let landed = moved(day("2027-03-31"), key, shift, mirrored, Weekday::Mon);
            assert_eq!(
                landed,
                expected.map(day),
                "{key} shift={shift} mirrored={mirrored}"
            );
        }
    }
}
