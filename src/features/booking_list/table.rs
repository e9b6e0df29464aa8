//! The bookings of a page in a table, under the headings of their days.
//!
//! Where there is little room the same table is laid out as cards, which makes browsers forget what
//! it is: so each part says its role. A page may have 250 rows, so what follows a signal is the table
//! and not each of its rows.

use std::cell::RefCell;
use std::rc::Rc;

use leptos::prelude::*;

use crate::components::{button, group_box, heading};
use crate::dom::{Html, el, nothing, row, watch};
use crate::features::use_clock;
use crate::i18n::{Key, Texts};
use crate::signal::{RwSignal, Signal};
use crate::time::CivilDate;
use crate::time::civil::add_days;

use super::cells::Pattern;
use super::columns::Column;
use super::filter_fields::column_key;
use super::keys::listen_to_rows;
use super::line::Line;
use super::list::List;
use super::model::SortBy;
use super::pages::by_day;
use super::shown::{Placed, by_series};

/// The table. Other rows, another zone and other columns make its body anew; what becomes of a booking
/// changes its row alone.
pub(super) fn table(list: List) -> Html {
    let asked = list.wish.asked;
    let columns = Signal::memo(move || asked.with(|filters| filters.columns.clone()));
    let groups_series = Signal::memo(move || asked.with(|filters| filters.groups_series));
    let unfolded = RwSignal::new(Vec::<String>::new());
    let names = move || {
        let names: Vec<&str> = columns.get().iter().map(|column| column.name()).collect();
        Some(names.join(" "))
    };
    let body = move || {
        // What times and days depend on.
        list.settings.zone.get();
        list.settings.uses_12_hours.get();
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
            lines: Vec::new(),
        };
        body.show()
    };
    let table = el("table")
        .class("bookings")
        .attr("role", "table")
        .attr("part", "table")
        .attr("aria-labelledby", "list-title")
        .attr_with("data-columns", names)
        .show(move || head(list, &columns.get()))
        .show(body);
    listen_to_rows(table, list)
}

/// The heads of the columns, and the box that selects the whole page.
fn head(list: List, columns: &[Column]) -> Html {
    let texts = list.texts;
    let title = |key: Key| {
        el("th")
            .attr("role", "columnheader")
            .attr("scope", "col")
            .add(texts.get(key))
    };
    let state = move || list.selection.of_page(&list.rows.listed());
    let whole = group_box(texts.get(Key::SelectPage), state, move |is_wanted| {
        list.selection.set_page(&list.rows.all(), is_wanted);
    });
    let box_for_all = el("th")
        .class("booking-select")
        .attr("role", "columnheader")
        .attr("scope", "col")
        .add(whole.class("select-page"));
    let titles = [Key::When, Key::What]
        .into_iter()
        .chain(columns.iter().map(|column| column_key(*column)))
        .map(title);
    let line = el("tr")
        .class("bookings-head")
        .attr("role", "row")
        .add(box_for_all)
        .add(row(titles));
    el("thead").attr("role", "rowgroup").add(line)
}

/// The rows, as they are drawn at once.
struct Body {
    list: List,
    pattern: Pattern,
    /// How many columns there are, as a text.
    width: String,
    /// Sorted by the day when they were made, bookings are grouped by that.
    by_creation: bool,
    groups_series: bool,
    unfolded: RwSignal<Vec<String>>,
    lines: Vec<Line>,
}

impl Body {
    /// Draws all rows, and what becomes of them as long as they are there.
    fn show(mut self) -> Html {
        let List {
            rows,
            selection,
            opened,
            ..
        } = self.list;
        let content = self.days();
        let Self {
            list,
            pattern,
            lines,
            ..
        } = self;
        let lines = Rc::new(RefCell::new(lines));
        // What rows open belongs to all of them: what follows here starts anew at each change.
        let owner = Owner::current();
        let each = move |act: Box<dyn Fn(&mut Line)>| {
            let lines = Rc::clone(&lines);
            move || {
                for line in lines.borrow_mut().iter_mut() {
                    act(line);
                }
            }
        };
        let redraw = {
            let owner = owner.clone();
            each(Box::new(move |line| {
                if let Some(row) = rows.at(line.place()) {
                    line.become_row(row, &pattern, list, owner.as_ref());
                }
            }))
        };
        watch(Box::new(move || {
            rows.track();
            untrack(&redraw);
        }));
        let unfold = each(Box::new(move |line| {
            let is_open = opened.with_untracked(|opened| line.is_among(opened));
            line.open(is_open, list, owner.as_ref());
        }));
        watch(Box::new(move || {
            opened.get();
            untrack(&unfold);
        }));
        let tick = each(Box::new(move |line| {
            let is_selected = untrack(|| selection.holds(line.uid()));
            line.select(is_selected);
        }));
        watch(Box::new(move || {
            selection.count();
            tick();
        }));
        content
    }

    fn days(&mut self) -> Html {
        let List { formats, texts, .. } = self.list;
        let zone = self.list.settings.zone.get_untracked();
        let today = formats.day_of(use_clock().now(), &zone);
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
        let mut groups = nothing();
        for (day, leads) in by_day(leads, day) {
            let date = formats.long_day(day);
            let told = if by_creation {
                texts.fill(Key::BookedOn, &[("day", &date)])
            } else {
                date
            };
            let mut group = el("tbody")
                .class("day-group")
                .attr("role", "rowgroup")
                .add(self.day_row(&told, near_key(day, today), texts));
            for (lead, others) in leads {
                let series = lead.1.booking.recurring_booking_uid.clone();
                group = group.add(self.line(lead, by_creation));
                let Some(series) = series.filter(|_| !others.is_empty()) else {
                    continue;
                };
                group = group.add(self.fold(&series, others.len()));
                if self.unfolded.with(|known| known.contains(&series)) {
                    for other in others {
                        group = group.add(self.line(other, true));
                    }
                }
            }
            groups = groups.add(group);
        }
        groups
    }

    fn day_row(&self, told: &str, near: Option<Key>, texts: Texts) -> Html {
        let near = near.map(|key| el("span").class("day-near").add(texts.get(key)));
        let heading = heading(1)
            .class("day-heading")
            .attr("part", "day-heading")
            .add(el("span").add(told))
            .add(near);
        let cell = el("th")
            .attr("role", "rowheader")
            .attr("scope", "rowgroup")
            .attr("colspan", &self.width)
            .add(heading);
        el("tr").class("day-row").attr("role", "row").add(cell)
    }

    /// A booking. `tells_day` if the heading above tells another day than that of the booking.
    fn line(&mut self, (place, shown): Placed, tells_day: bool) -> Html {
        let (line, drawn) = Line::new(place, shown, tells_day, &self.pattern, &self.width);
        self.lines.push(line);
        drawn
    }

    /// The way to the other meetings of a series on this page.
    fn fold(&self, series: &str, count: usize) -> Html {
        let unfolded = self.unfolded;
        let (held, series) = (series.to_owned(), series.to_owned());
        let is_unfolded = move || unfolded.with_untracked(|known| known.contains(&held));
        let press = move || {
            unfolded.update(|known| match known.iter().position(|one| *one == series) {
                Some(place) => {
                    known.remove(place);
                }
                None => known.push(series.clone()),
            });
        };
        let button = button("button-quiet fold", press)
            .attr("aria-expanded", &is_unfolded().to_string())
            .add(self.list.texts.count(Key::MoreOfSeries, count));
        let cell = el("td")
            .attr("role", "cell")
            .attr("colspan", &self.width)
            .add(button);
        el("tr").class("fold-row").attr("role", "row").add(cell)
    }
}

/// Days that have a name of their own.
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

/// Boxes of the size of rows, while they are awaited.
pub(super) fn waiting_rows(count: usize, texts: Texts) -> Html {
    let ghost = || el("span").class("ghost-line ghost-block");
    let rows = (0..count).map(|_| {
        el("div")
            .class("booking booking-ghost")
            .add(ghost())
            .add(ghost())
            .add(ghost())
    });
    let rows = el("div")
        .attr("aria-hidden", "true")
        .add(el("div").class("day-heading").add(ghost()))
        .add(row(rows));
    nothing()
        .add(
            el("p")
                .class("visually-hidden")
                .add(texts.get(Key::Loading)),
        )
        .add(rows)
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
