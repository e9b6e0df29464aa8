//! The bookings of a page in a table, under the headings of their days.
//!
//! Where there is little room the same table is laid out as cards, which makes browsers forget what
//! it is: so each part says its role.

use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::HtmlInputElement;

use crate::components::{TriState, button, heading};
use crate::dom::{Html, el, is_checked, nothing, row};
use crate::features::use_clock;
use crate::i18n::{Key, Texts};
use crate::signal::{RwSignal, Signal, follow};
use crate::time::CivilDate;
use crate::time::civil::add_days;

use super::cells::cells;
use super::columns::Column;
use super::details::details;
use super::filter_fields::column_key;
use super::keys::{focus_soon, has_focus, listen_to_rows, tab_index};
use super::list::List;
use super::model::SortBy;
use super::pages::by_day;
use super::shown::{Placed, Row, by_series};

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
        let shape = Shown {
            list,
            columns: columns.get(),
            by_creation: asked.with_untracked(|filters| {
                filters.sort.is_some_and(|sort| sort.by == SortBy::Created)
            }),
            groups_series: groups_series.get(),
            unfolded,
        };
        shape.days()
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
    let whole = el("input")
        .attr("type", "checkbox")
        .attr("aria-label", texts.get(Key::SelectPage))
        .checked_with(move || state() == TriState::All)
        .on("change", move |event| {
            let is_wanted = is_checked(&event);
            list.selection.set_page(&list.rows.all(), is_wanted);
        });
    let node = whole.element();
    follow(move || {
        // There is no attribute for it.
        node.unchecked_ref::<HtmlInputElement>()
            .set_indeterminate(state() == TriState::Some);
    });
    let box_for_all = el("th")
        .class("booking-select")
        .attr("role", "columnheader")
        .attr("scope", "col")
        .add(whole);
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

/// What is drawn at once.
struct Shown {
    list: List,
    columns: Vec<Column>,
    /// Sorted by the day when they were made, bookings are grouped by that.
    by_creation: bool,
    groups_series: bool,
    unfolded: RwSignal<Vec<String>>,
}

impl Shown {
    fn days(self) -> Html {
        let List { formats, texts, .. } = self.list;
        let zone = self.list.settings.zone.get_untracked();
        let today = formats.day_of(use_clock().now(), &zone);
        let rows: Vec<Placed> = self.list.rows.listed().into_iter().enumerate().collect();
        let leads: Vec<(Placed, Vec<Placed>)> = if self.groups_series {
            by_series(rows)
        } else {
            rows.into_iter().map(|row| (row, Vec::new())).collect()
        };
        let day = |((_, row), _): &(Placed, Vec<Placed>)| {
            let moment = match row.booking.created_at {
                Some(created) if self.by_creation => created,
                _ => row.booking.start,
            };
            formats.day_of(moment, &zone)
        };
        row(by_day(leads, day).into_iter().map(|(day, leads)| {
            let date = formats.long_day(day);
            let told = if self.by_creation {
                texts.fill(Key::BookedOn, &[("day", &date)])
            } else {
                date
            };
            let rows = leads.into_iter().map(|((place, lead), others)| {
                let series = lead.booking.recurring_booking_uid.clone();
                let head = self.row(place, &lead, self.by_creation, others.len());
                let Some(series) = series.filter(|_| !others.is_empty()) else {
                    return head;
                };
                let unfolded = self.unfolded;
                let shape = Self {
                    columns: self.columns.clone(),
                    ..self
                };
                head.show(move || {
                    let is_unfolded = unfolded.with(|known| known.contains(&series));
                    is_unfolded.then(|| {
                        row(others
                            .iter()
                            .map(|(place, other)| shape.row(*place, other, true, 0)))
                    })
                })
            });
            el("tbody")
                .class("day-group")
                .attr("role", "rowgroup")
                .add(self.day_row(&told, near_key(day, today), texts))
                .add(row(rows))
        }))
    }

    fn day_row(&self, told: &str, near: Option<Key>, texts: Texts) -> Html {
        let near = near.map(|key| el("span").class("day-near").add(texts.get(key)));
        let heading = heading(1)
            .class("day-heading")
            .attr("part", "day-heading")
            .add(el("span").add(told))
            .add(near);
        let width = (self.columns.len() + 3).to_string();
        let cell = el("th")
            .attr("role", "rowheader")
            .attr("scope", "rowgroup")
            .attr("colspan", &width)
            .add(heading);
        el("tr").class("day-row").attr("role", "row").add(cell)
    }

    /// A booking, and below it what it holds, while it is open. `folded` meetings of its series stand
    /// under it.
    fn row(&self, place: usize, shown: &Row, tells_day: bool, folded: usize) -> Html {
        let list = self.list;
        let texts = list.texts;
        let uid = StoredValue::new(shown.booking.uid.0.clone());
        let first = shown.clone();
        // As it becomes while it is looked at.
        let current = Signal::memo(move || {
            let current = list.rows.at(place);
            let is_same = |row: &Row| row.booking.uid == first.booking.uid;
            current.filter(is_same).unwrap_or_else(|| first.clone())
        });
        let is_open = Signal::memo(move || uid.with_value(|uid| list.is_open(uid)));
        let is_selected = move || uid.with_value(|uid| list.selection.holds(uid));

        let select = el("input")
            .attr("type", "checkbox")
            .attr("part", "select")
            .attr("tabindex", tab_index(list, place))
            .attr("aria-label", &{
                let title = shown.booking.title.as_str();
                texts.fill(Key::SelectBooking, &[("title", title)])
            })
            .checked_with(is_selected);
        let line = el("tr")
            .class("booking")
            .attr("role", "row")
            .attr("part", "booking")
            .attr("data-row", &place.to_string())
            .flag_with("data-selected", is_selected)
            .add(
                el("td")
                    .class("booking-select")
                    .attr("role", "cell")
                    .add(select),
            );
        let element = line.element();
        let columns = self.columns.clone();
        let content = move || {
            let current = current.get();
            // The focus stays where it is when a row is told anew.
            if has_focus(&element, ".booking-open") {
                focus_soon(&element);
            }
            let open = el("button")
                .class("booking-open")
                .attr("type", "button")
                .attr("part", "booking-title")
                .attr("tabindex", tab_index(list, place))
                .attr_with("aria-expanded", move || Some(is_open.get().to_string()));
            untrack(|| cells(&current, list, &columns, tells_day, open))
        };
        let line = line.show(content);
        let width = (self.columns.len() + 3).to_string();
        let more = move || {
            let booking = is_open.get().then(|| current.get().booking)?;
            let cell = el("td")
                .attr("role", "cell")
                .attr("colspan", &width)
                .add(untrack(|| details(&booking, list)));
            Some(el("tr").class("details-row").attr("role", "row").add(cell))
        };
        let fold = (folded > 0).then(|| self.fold(shown, folded));
        nothing().add(line).show(more).add(fold)
    }

    /// The way to the other meetings of a series on this page.
    fn fold(&self, shown: &Row, folded: usize) -> Html {
        let texts = self.list.texts;
        let unfolded = self.unfolded;
        let series = shown
            .booking
            .recurring_booking_uid
            .clone()
            .unwrap_or_default();
        let held = series.clone();
        let is_unfolded = move || unfolded.with(|known| known.contains(&held));
        let press = move || {
            unfolded.update(|known| match known.iter().position(|one| *one == series) {
                Some(place) => {
                    known.remove(place);
                }
                None => known.push(series.clone()),
            });
        };
        let button = button("button-quiet fold", press)
            .attr_with("aria-expanded", move || Some(is_unfolded().to_string()))
            .add(texts.count(Key::MoreOfSeries, folded));
        let width = (self.columns.len() + 3).to_string();
        let cell = el("td")
            .attr("role", "cell")
            .attr("colspan", &width)
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
