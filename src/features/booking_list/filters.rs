//! Filter bar: statuses always visible, all other filters in a panel.

pub(super) mod filter_fields;
pub(super) mod search_field;

use booking_ui::prelude::*;
use booking_wire::{StatusFilter, TeamEventType};
use wasm_bindgen::JsCast;
use web_sys::{HtmlElement, MouseEvent};

use crate::client::query::Latest;
use crate::components::focus::focus_first_soon;
use crate::components::{SelectField, Shape, button, icon};
use crate::i18n::{Key, Translations, use_formats, use_texts};

use super::chunk_exports::{ChunkExports, once_needed};
use super::query::model::{DateFilter, Facet, Filters, Sort, SortBy, parse_day};
use super::query::query_state::ListQuery;
use super::state::list_state::Panel;
use super::state::selection::ScopeSignal;
use search_field::search_field;

/// Largest count shown in full.
const MAX_COUNT: i64 = 99;

/// Status buttons. A click shows one status; with Ctrl, Command or Shift it adds or removes it.
/// `unconfirmed` is the number of bookings to be answered.
pub(super) fn status_tabs(
    query: ListQuery,
    texts: Translations,
    unconfirmed: Signal<Option<i64>>,
) -> Node {
    // Keeps its width while the number is unknown, so that no other tab moves.
    let count = move || {
        let count = unconfirmed.get().filter(|count| *count > 0);
        count.map_or(String::new(), |count| {
            let number = texts.number(count.min(MAX_COUNT));
            let more = if count > MAX_COUNT { "+" } else { "" };
            [&number, more].concat()
        })
    };
    let tab = move |status: Option<StatusFilter>| {
        let is_selected = move || {
            query.form.with(|filters| match status {
                Some(status) => filters.statuses.contains(&status),
                None => filters.statuses.is_empty(),
            })
        };
        let press = move |event: web_sys::Event| {
            let press: &MouseEvent = event.unchecked_ref();
            let adds = press.ctrl_key() || press.meta_key() || press.shift_key();
            query.change(|filters| match status {
                Some(status) if adds => filters.toggle(status),
                status => filters.show_only(status),
            });
        };
        let count = (status == Some(StatusFilter::Unconfirmed)).then(|| {
            fragment()
                .child(" ")
                .child(el("span").class("tab-count").text_with(count))
        });
        el("button")
            .class("tab")
            .attr("part", "tab")
            .attr("type", "button")
            .attr_with("aria-pressed", move || Some(is_selected().to_string()))
            .on("click", press)
            .child(texts.get(status_key(status)))
            .child(count)
    };
    let tabs = el("div")
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
        ));
    let bar = tabs.element();
    let statuses = Signal::memo(move || query.form.with(|filters| filters.statuses.clone()));
    effect(move || {
        statuses.get();
        let bar = bar.clone();
        // After the tab is marked and laid out.
        request_animation_frame(move || scroll_to_selected_tab(&bar));
    });
    tabs
}

/// Scrolls the tabs, if they overflow, to the selected one.
fn scroll_to_selected_tab(bar: &HtmlElement) {
    let Ok(Some(selected)) = bar.query_selector("[aria-pressed='true']") else {
        return;
    };
    let selected: HtmlElement = selected.unchecked_into();
    // The browser limits the scroll position. In right-to-left text all of these are negative.
    let middle = selected.offset_left() + selected.offset_width() / 2;
    bar.set_scroll_left(middle - bar.client_width() / 2);
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

/// Buttons that open the panels, active filters and sort order, with the `export` button next
/// to them.
pub(super) fn filter_bar(
    query: ListQuery,
    event_types: Latest<Vec<TeamEventType>>,
    chunk: LazyChunk<ChunkExports>,
    open_panel: RwSignal<Option<Panel>>,
    export: Node,
) -> Node {
    let texts = use_texts();
    let tools = el("div").class("list-tools");
    let bar = tools.element();
    let count = Signal::memo(move || query.form.with(|filters| panel_facets(filters).len()));
    let badge = move || {
        let count = count.get();
        (count > 0).then(|| el("span").class("filter-count").child(count.to_string()))
    };
    let sort_options = Sort::ALL
        .map(|(name, sort)| (name.to_owned(), texts.get(sort_key(sort)).to_owned()))
        .to_vec();
    let sort_name = move || query.form.with(Filters::shown_sort).name().to_owned();
    let clear = {
        let bar = bar.clone();
        button("button-quiet filter-clear", move || {
            query.change(Filters::clear);
            focus_first_soon(bar.clone(), ".filter-button");
        })
    };
    // A line of its own, below the panels: a filter moves no button.
    let active_filters = el("div")
        .class("active-filters")
        .flag_with("hidden", move || count.get() == 0)
        .child(chips(query, event_types, bar))
        .child(clear.child(texts.get(Key::ClearFilters)));
    let toggle = move |panel: Panel, label: &str| {
        button("button filter-button", move || {
            open_panel.update(|open| *open = (*open != Some(panel)).then_some(panel));
        })
        .attr("part", "filter-button")
        .attr("aria-controls", panel.id())
        .attr_with("aria-expanded", move || {
            Some((open_panel.get() == Some(panel)).to_string())
        })
        .child(icon(panel.shape()))
        .child((!label.is_empty()).then(|| tool_label(label)))
    };
    let panel_view = move |panel: Panel| {
        let is_open = move || open_panel.get() == Some(panel);
        let content = once_needed(chunk, is_open, move |exports| match panel {
            Panel::Filters => (exports.filters)(query, event_types),
            Panel::View => (exports.columns)(query),
            Panel::Views => (exports.views)(),
        });
        el("div")
            .class("filters")
            .attr("id", panel.id())
            .attr("part", "filters")
            .flag_with("hidden", move || !is_open())
            .child(content)
    };
    let active_view = move || match chunk.exports() {
        Some(exports) => (exports.active_view)(),
        None => fragment().child(texts.get(Key::Views)),
    };
    let sort = view! {
        <SelectField
            id="sort"
            label=texts.get(Key::SortBy)
            options=sort_options
            value=Signal::derive(sort_name)
            on_pick=move |name: String| query.change(|filters| filters.sort_by(Sort::parse(&name)))
        />
    };
    let search = move || match query.is_searchable.get() {
        Some(true) => search_field(query, texts),
        Some(false) => fragment(),
        // Its frame, so that the buttons do not move.
        None => el("div").class("list-search").child(icon(Shape::Search)),
    };
    let tools = tools
        .child_with(search)
        .child(toggle(Panel::Filters, texts.get(Key::Filters)).child_with(badge))
        .child(toggle(Panel::View, texts.get(Key::ViewOptions)))
        .child(
            toggle(Panel::Views, "").child(
                el("span")
                    .class("tool-label view-now")
                    .child_with(active_view),
            ),
        )
        .child(export)
        .child(el("div").class("list-order").child(sort));
    fragment()
        .child(tools)
        .child(panel_view(Panel::Filters))
        .child(panel_view(Panel::View))
        .child(panel_view(Panel::Views))
        .child(active_filters)
}

/// Button that requests an export of `scope`.
pub(super) fn export_button(
    requested: RwSignal<Option<ScopeSignal>>,
    texts: Translations,
    scope: ScopeSignal,
) -> Node {
    button("button export-button", move || requested.set(Some(scope)))
        .attr("part", "export-button")
        .child(icon(Shape::Download))
        .child(tool_label(texts.get(Key::Export)))
}

/// Label that narrow containers show to assistive technology only.
fn tool_label(label: &str) -> Node {
    el("span").class("tool-label").child(label)
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

/// Active filters, each with a remove button. The last one gives the focus to the first button of `bar`.
fn chips(query: ListQuery, event_types: Latest<Vec<TeamEventType>>, bar: HtmlElement) -> Node {
    let texts = use_texts();
    let formats = use_formats();
    let event_types = event_types.signal();

    let date =
        move |text: &str| parse_day(text).map_or(String::new(), |day| formats.short_day(day));
    let value = move |filters: &Filters, facet: Facet| match facet {
        Facet::FirstDay | Facet::LastDay => date(&filters.typed_text(facet)),
        Facet::Dates => texts.get(date_filter_key(filters.dates)).to_owned(),
        Facet::EventTypes => event_types.with(|event_types| {
            let event_types = event_types.ready().map(Vec::as_slice).unwrap_or_default();
            let titles = filters
                .event_types
                .iter()
                .map(|id| title_of(*id, event_types));
            titles.collect::<Vec<_>>().join(texts.list_separator())
        }),
        Facet::Hosts => event_types.with(|event_types| {
            let known = hosts_of(event_types.ready().map(Vec::as_slice).unwrap_or_default());
            let name = |id: &i64| {
                let found = known.iter().find(|(known, _)| known == id);
                found.map_or_else(|| id.to_string(), |(_, name)| name.clone())
            };
            let names: Vec<String> = filters.hosts.iter().map(name).collect();
            names.join(texts.list_separator())
        }),
        facet => filters.typed_text(facet).trim().to_owned(),
    };
    let list = el("ul").class("facets");
    let list_element = list.element();
    let chip = move |filters: &Filters, facet: Facet| {
        let span = |class: &str, text: &str| el("span").class(class).child(text);
        let (bar, list) = (bar.clone(), list_element.clone());
        let chip = button("facet", move || {
            query.change(|filters| filters.remove(facet));
            let is_last = query
                .form
                .with_untracked(|filters| panel_facets(filters).is_empty());
            let (root, next) = if is_last {
                (&bar, ".filter-button")
            } else {
                (&list, ".facet")
            };
            focus_first_soon(root.clone(), next);
        })
        .attr("part", "chip")
        .child(span("visually-hidden", texts.get(Key::RemoveFilter)))
        .child(span("facet-name", texts.get(facet.label())))
        .child(span("facet-value", &value(filters, facet)))
        .child(el("span").attr("aria-hidden", "true").child("×"));
        el("li").child(chip)
    };
    let chips = move || {
        query.form.with(|filters| {
            fragment_of(
                panel_facets(filters)
                    .into_iter()
                    .map(|facet| chip(filters, facet)),
            )
        })
    };
    list.attr("aria-label", texts.get(Key::ActiveFilters))
        .child_with(chips)
}

/// Active filters of the panel: the search text stands in its own field.
fn panel_facets(filters: &Filters) -> Vec<Facet> {
    let mut facets = filters.active_facets();
    facets.retain(|facet| *facet != Facet::Search);
    facets
}

pub(super) fn title_of(id: i64, event_types: &[TeamEventType]) -> String {
    event_types
        .iter()
        .find(|event_type| event_type.id == id)
        .map(|event_type| event_type.title.clone())
        .filter(|title| !title.is_empty())
        .unwrap_or_else(|| id.to_string())
}

/// Ids and names of the hosts of these event types, by name.
pub(super) fn hosts_of(event_types: &[TeamEventType]) -> Vec<(i64, String)> {
    let mut hosts: Vec<(i64, String)> = Vec::new();
    for (id, name) in event_types
        .iter()
        .flat_map(|event_type| &event_type.host_names)
    {
        if !hosts.iter().any(|(known, _)| known == id) {
            hosts.push((*id, name.clone()));
        }
    }
    hosts.sort_by(|one, other| one.1.cmp(&other.1));
    hosts
}

/// Label of a date range.
pub(super) fn date_filter_key(filter: DateFilter) -> Key {
    match filter {
        DateFilter::Any => Key::AnyDay,
        DateFilter::Today => Key::Today,
        DateFilter::ThisWeek => Key::ThisWeek,
        DateFilter::ThisMonth => Key::ThisMonth,
        DateFilter::LastMonth => Key::LastMonth,
        DateFilter::Next30Days => Key::Next30Days,
        DateFilter::Custom => Key::BetweenDays,
    }
}
