//! Filter bar: statuses always visible, all other filters in a panel.

use booking_wire::{PublicEventType, StatusFilter};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, MouseEvent};

use crate::client::query::Latest;
use crate::components::focus::focus_first_soon;
use crate::components::{SelectField, Shape, button, icon};
use crate::i18n::{Key, Translations, use_formats, use_texts};
use crate::ui::dom::{Node, el, fragment, fragment_of};
use crate::ui::signal::{RwSignal, Signal};

use super::chunk::once_needed;
use super::list_query::ListQuery;
use super::list_state::List;
use super::model::{Facet, Filters, Range, Sort, SortBy, day};
use super::scope::Scope;

/// Status buttons. A click shows one status; with Ctrl, Command or Shift it adds or removes it. The
/// filter panel has check boxes instead.
pub(super) fn status_tabs(wish: ListQuery, texts: Translations) -> Node {
    let tab = move |status: Option<StatusFilter>| {
        let holds = move || {
            wish.typed.with(|filters| match status {
                Some(status) => filters.statuses.contains(&status),
                None => filters.statuses.is_empty(),
            })
        };
        let press = move |event: web_sys::Event| {
            let press: &MouseEvent = event.unchecked_ref();
            let adds = press.ctrl_key() || press.meta_key() || press.shift_key();
            wish.change(|filters| match status {
                Some(status) if adds => filters.toggle(status),
                status => filters.show_only(status),
            });
        };
        el("button")
            .class("tab")
            .attr("part", "tab")
            .attr("type", "button")
            .attr_with("aria-pressed", move || Some(holds().to_string()))
            .on("click", press)
            .child(texts.get(status_key(status)))
    };
    el("div")
        .class("tabs")
        .attr("role", "group")
        .attr("part", "tabs")
        .attr("aria-label", texts.get(Key::Status))
        .child(fragment_of(
            StatusFilter::ALL
                .into_iter()
                .map(Some)
                .chain([None])
                .map(tab),
        ))
}

pub(super) fn status_key(status: Option<StatusFilter>) -> Key {
    match status {
        Some(StatusFilter::Upcoming) => Key::Upcoming,
        Some(StatusFilter::Unconfirmed) => Key::Unconfirmed,
        Some(StatusFilter::Recurring) => Key::Recurring,
        Some(StatusFilter::Past) => Key::Past,
        Some(StatusFilter::Cancelled) => Key::Cancelled,
        None => Key::AllBookings,
    }
}

/// Buttons that open the panels, active filters and sort order, with the `export` button beside
/// them.
pub(super) fn filter_bar(
    list: List,
    event_types: Latest<Vec<PublicEventType>>,
    export: Node,
) -> Node {
    let List {
        texts, wish, after, ..
    } = list;

    let tools = el("div").class("list-tools");
    let node = tools.element();
    let count = Signal::memo(move || wish.typed.with(|filters| filters.held().len()));
    let badge = move || {
        let count = count.get();
        (count > 0).then(|| el("span").class("filter-count").child(count.to_string()))
    };
    let orders = std::iter::once((String::new(), texts.get(Key::SortUsual).to_owned()))
        .chain(
            Sort::ALL.map(|(name, sort)| (name.to_owned(), texts.get(sort_key(sort)).to_owned())),
        )
        .collect::<Vec<_>>();
    let order = move || {
        let sort = wish.typed.with(|filters| filters.sort);
        sort.map_or(String::new(), |sort| sort.name().to_owned())
    };
    let clear = move || {
        (count.get() > 0).then(|| {
            let node = node.clone();
            button("button-quiet filter-clear", move || {
                wish.change(Filters::clear);
                focus_first_soon(node.clone(), ".filter-button");
            })
            .child(texts.get(Key::ClearFilters))
        })
    };
    let opened = RwSignal::new(None::<Panel>);
    let toggle = move |panel: Panel, words: &str| {
        button("button filter-button", move || {
            opened.update(|opened| *opened = (*opened != Some(panel)).then_some(panel));
        })
        .attr("part", "filter-button")
        .attr("aria-controls", panel.id())
        .attr_with("aria-expanded", move || {
            Some((opened.get() == Some(panel)).to_string())
        })
        .child(icon(panel.shape()))
        .child(words)
    };
    let place = move |panel: Panel| {
        let is_open = move || opened.get() == Some(panel);
        let content = once_needed(after, is_open, move |exports| match panel {
            Panel::Filters => (exports.filters)(wish, event_types),
            Panel::View => (exports.columns)(wish),
            Panel::Views => (exports.views)(),
        });
        el("div")
            .class("filters")
            .attr("id", panel.id())
            .attr("part", "filters")
            .flag_with("hidden", move || !is_open())
            .child(content)
    };
    let view_held = move || match after.exports() {
        Some(exports) => (exports.view_held)(),
        None => fragment().child(texts.get(Key::Views)),
    };
    let sort = view! {
        <SelectField
            id="sort"
            label=texts.get(Key::SortBy)
            options=orders
            value=Signal::derive(order)
            on_pick=move |name: String| wish.change(|filters| filters.sort = Sort::parse(&name))
        />
    };
    let bar = tools.element();
    let tools = tools
        .child(toggle(Panel::Filters, texts.get(Key::Filters)).child_with(badge))
        .child(toggle(Panel::View, texts.get(Key::ViewOptions)))
        .child(toggle(Panel::Views, "").child(el("span").class("view-now").child_with(view_held)))
        .child(export)
        .child(chips(wish, event_types, bar))
        .child_with(clear)
        .child(el("div").class("list-order").child(sort));
    fragment()
        .child(tools)
        .child(place(Panel::Filters))
        .child(place(Panel::View))
        .child(place(Panel::Views))
}

/// Button that starts an export of the current `scope`.
pub(super) fn export_button(list: List, scope: impl Fn() -> Option<Scope> + 'static) -> Node {
    let press = move || {
        if let Some(scope) = untrack(&scope) {
            list.exported.set(Some(scope));
        }
    };
    button("button export-button", press)
        .attr("part", "export-button")
        .child(icon(Shape::Download))
        .child(list.texts.get(Key::Export))
}

/// Panels below the bar; at most one is open.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Panel {
    Filters,
    View,
    Views,
}

impl Panel {
    fn id(self) -> &'static str {
        match self {
            Self::Filters => "filters",
            Self::View => "view-options",
            Self::Views => "views",
        }
    }

    fn shape(self) -> Shape {
        match self {
            Self::Filters => Shape::Search,
            Self::View => Shape::Columns,
            Self::Views => Shape::Bookmark,
        }
    }
}

fn sort_key(sort: Sort) -> Key {
    use booking_wire::SortOrder::{Asc, Desc};
    match (sort.by, sort.order) {
        (SortBy::Start, Asc) => Key::SortStartAsc,
        (SortBy::Start, Desc) => Key::SortStartDesc,
        (SortBy::End, Asc) => Key::SortEndAsc,
        (SortBy::End, Desc) => Key::SortEndDesc,
        (SortBy::Created, Asc) => Key::SortCreatedAsc,
        (SortBy::Created, Desc) => Key::SortCreatedDesc,
    }
}

/// Active filters, each with a remove button.
fn chips(wish: ListQuery, event_types: Latest<Vec<PublicEventType>>, bar: HtmlElement) -> Node {
    let texts = use_texts();
    let formats = use_formats();
    let known = event_types.signal();

    let date = move |text: &str| day(text).map_or(String::new(), |day| formats.short_day(day));
    let value = move |filters: &Filters, facet: Facet| match facet {
        Facet::FirstDay | Facet::LastDay => date(text_of(filters, facet)),
        Facet::Range => texts.get(range_key(filters.range)).to_owned(),
        Facet::EventTypes => known.with(|known| {
            let known = known.ready().map(Vec::as_slice).unwrap_or_default();
            let titles = filters.event_types.iter().map(|id| title_of(*id, known));
            titles.collect::<Vec<_>>().join(", ")
        }),
        facet => text_of(filters, facet).trim().to_owned(),
    };
    let chip = move |filters: &Filters, facet: Facet| {
        let words = |class: &str, words: &str| el("span").class(class).child(words);
        let bar = bar.clone();
        let chip = button("facet", move || {
            wish.change(|filters| filters.release(facet));
            let is_last = wish
                .typed
                .with_untracked(|filters| filters.held().is_empty());
            let next = if is_last { ".filter-button" } else { ".facet" };
            focus_first_soon(bar.clone(), next);
        })
        .attr("part", "chip")
        .child(words("visually-hidden", texts.get(Key::RemoveFilter)))
        .child(words("facet-name", texts.get(facet_key(facet))))
        .child(words("facet-value", &value(filters, facet)))
        .child(el("span").attr("aria-hidden", "true").child("×"));
        el("li").child(chip)
    };
    let chips = move || {
        wish.typed.with(|filters| {
            fragment_of(filters.held().into_iter().map(|facet| chip(filters, facet)))
        })
    };
    el("ul")
        .class("facets")
        .attr("aria-label", texts.get(Key::ActiveFilters))
        .child_with(chips)
}

pub(super) fn title_of(id: i64, known: &[PublicEventType]) -> String {
    known
        .iter()
        .find(|event_type| event_type.id == id)
        .map(|event_type| event_type.title.clone())
        .filter(|title| !title.is_empty())
        .unwrap_or_else(|| id.to_string())
}

pub(super) fn facet_key(facet: Facet) -> Key {
    match facet {
        Facet::Email => Key::AttendeeEmail,
        Facet::Name => Key::AttendeeName,
        Facet::Uid => Key::BookingReference,
        Facet::EventTypes => Key::EventTypes,
        Facet::Range => Key::WhichDays,
        Facet::FirstDay => Key::FirstDay,
        Facet::LastDay => Key::LastDay,
    }
}

/// Label of a date range.
pub(super) fn range_key(range: Range) -> Key {
    match range {
        Range::Any => Key::AnyDay,
        Range::Today => Key::Today,
        Range::ThisWeek => Key::ThisWeek,
        Range::Next30Days => Key::Next30Days,
        Range::Days => Key::BetweenDays,
    }
}

/// Text value of `facet`. `EventTypes` and `Range` have none.
pub(super) fn text_of(filters: &Filters, facet: Facet) -> &String {
    match facet {
        Facet::Email => &filters.email,
        Facet::Uid => &filters.uid,
        Facet::FirstDay => &filters.first_day,
        Facet::LastDay => &filters.last_day,
        Facet::Name | Facet::EventTypes | Facet::Range => &filters.name,
    }
}
