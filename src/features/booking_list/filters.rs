//! What restricts the list: statuses in sight, everything else behind one button.

use booking_wire::{Offer, StatusFilter};
use leptos::prelude::*;
use wasm_bindgen::JsCast;
use web_sys::MouseEvent;

use crate::components::{
    ChoiceField, Choices, SelectField, Shape, TextField, TextKind, button, icon,
};
use crate::dom::{Html, el, nothing, row};
use crate::i18n::{Key, Texts, use_formats, use_texts};
use crate::load::{Latest, Load};
use crate::problem::problem;
use crate::signal::{RwSignal, Signal};

use super::Wish;
use super::model::{Facet, Filters, Sort, SortBy, day};

/// One press shows one status; with Ctrl, Command or Shift it is added or taken away. The filters
/// below offer the same by plain ticking.
pub(super) fn status_tabs(wish: Wish, texts: Texts) -> Html {
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
            .add(texts.get(status_key(status)))
    };
    el("div")
        .class("tabs")
        .attr("role", "group")
        .attr("part", "tabs")
        .attr("aria-label", texts.get(Key::Status))
        .add(row(StatusFilter::ALL
            .into_iter()
            .map(Some)
            .chain([None])
            .map(tab)))
}

fn status_key(status: Option<StatusFilter>) -> Key {
    match status {
        Some(StatusFilter::Upcoming) => Key::Upcoming,
        Some(StatusFilter::Unconfirmed) => Key::Unconfirmed,
        Some(StatusFilter::Recurring) => Key::Recurring,
        Some(StatusFilter::Past) => Key::Past,
        Some(StatusFilter::Cancelled) => Key::Cancelled,
        None => Key::AllBookings,
    }
}

/// The button that opens the filters, the filters that hold, and the order.
pub(super) fn filter_bar(wish: Wish, event_types: Latest<Vec<Offer>>) -> Html {
    let texts = use_texts();

    let is_open = RwSignal::new(false);
    let count = Signal::memo(move || wish.typed.with(|filters| filters.held().len()));
    let badge = move || {
        let count = count.get();
        (count > 0).then(|| el("span").class("filter-count").add(count.to_string()))
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
            button("button-quiet filter-clear", move || {
                wish.change(Filters::clear)
            })
            .add(texts.get(Key::ClearFilters))
        })
    };
    let toggle = button("button filter-button", move || {
        is_open.update(|is_open| *is_open = !*is_open)
    })
    .attr("part", "filter-button")
    .attr("aria-controls", "filters")
    .attr_with("aria-expanded", move || Some(is_open.get().to_string()))
    .add(icon(Shape::Search))
    .add(texts.get(Key::Filters))
    .show(badge);
    let sort = view! {
        <SelectField
            id="sort"
            label=texts.get(Key::SortBy)
            options=orders
            value=Signal::derive(order)
            on_pick=move |name: String| wish.change(|filters| filters.sort = Sort::parse(&name))
        />
    };
    let tools = el("div")
        .class("list-tools")
        .add(toggle)
        .add(chips(wish, event_types))
        .show(clear)
        .add(el("div").class("list-order").add(sort));
    let panel = el("div")
        .class("filters")
        .attr("id", "filters")
        .attr("part", "filters")
        .flag_with("hidden", move || !is_open.get())
        .add(filter_fields(wish, event_types));
    nothing().add(tools).add(panel)
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

/// The filters that hold, each with a way to take it away.
fn chips(wish: Wish, event_types: Latest<Vec<Offer>>) -> Html {
    let texts = use_texts();
    let formats = use_formats();
    let known = event_types.signal();

    let date = move |text: &str| day(text).map_or(String::new(), |day| formats.short_day(day));
    let value = move |filters: &Filters, facet: Facet| match facet {
        Facet::FirstDay | Facet::LastDay => date(text_of(filters, facet)),
        Facet::EventTypes => known.with(|known| {
            let known = known.ready().map(Vec::as_slice).unwrap_or_default();
            let titles = filters.event_types.iter().map(|id| title_of(*id, known));
            titles.collect::<Vec<_>>().join(", ")
        }),
        facet => text_of(filters, facet).trim().to_owned(),
    };
    let chip = move |filters: &Filters, facet: Facet| {
        let words = |class: &str, words: &str| el("span").class(class).add(words);
        let chip = button("facet", move || {
            wish.change(|filters| filters.release(facet))
        })
        .attr("part", "chip")
        .add(words("visually-hidden", texts.get(Key::RemoveFilter)))
        .add(words("facet-name", texts.get(facet_key(facet))))
        .add(words("facet-value", &value(filters, facet)))
        .add(el("span").attr("aria-hidden", "true").add("×"));
        el("li").add(chip)
    };
    let chips = move || {
        wish.typed
            .with(|filters| row(filters.held().into_iter().map(|facet| chip(filters, facet))))
    };
    el("ul")
        .class("facets")
        .attr("aria-label", texts.get(Key::ActiveFilters))
        .show(chips)
}

fn title_of(id: i64, known: &[Offer]) -> String {
    known
        .iter()
        .find(|event_type| event_type.id == id)
        .map(|event_type| event_type.title.clone())
        .filter(|title| !title.is_empty())
        .unwrap_or_else(|| id.to_string())
}

fn facet_key(facet: Facet) -> Key {
    match facet {
        Facet::Email => Key::AttendeeEmail,
        Facet::Name => Key::AttendeeName,
        Facet::Uid => Key::BookingReference,
        Facet::EventTypes => Key::EventTypes,
        Facet::FirstDay => Key::FirstDay,
        Facet::LastDay => Key::LastDay,
    }
}

fn filter_fields(wish: Wish, event_types: Latest<Vec<Offer>>) -> Html {
    let texts = use_texts();

    let field = move |facet: Facet, id: &'static str, kind: TextKind| {
        let value = move || wish.typed.with(|filters| text_of(filters, facet).clone());
        let error = move || {
            let is_reversed = wish.typed.with(Filters::is_reversed);
            let is_told = facet == Facet::LastDay && is_reversed;
            is_told.then(|| texts.get(Key::DaysReversed).to_owned())
        };
        view! {
            <TextField
                id
                label=texts.get(facet_key(facet))
                kind
                value=Signal::derive(value)
                on_input=move |text: String| wish.typing(|filters| *text_of_mut(filters, facet) = text)
                error=Signal::derive(error)
            />
        }
    };
    let statuses = StatusFilter::ALL
        .map(|status| {
            let name = texts.get(status_key(Some(status)));
            (status.as_str().to_owned(), name.to_owned())
        })
        .to_vec();
    let held = move || {
        let statuses = wish.typed.with(|filters| filters.statuses.clone());
        statuses
            .iter()
            .map(|status| status.as_str().to_owned())
            .collect::<Vec<_>>()
    };
    let show = move |names: Vec<String>| {
        let statuses: Vec<_> = names
            .iter()
            .filter_map(|name| StatusFilter::parse(name))
            .collect();
        wish.change(|filters| filters.show(&statuses));
    };
    let status = view! {
        <ChoiceField
            id="filter-status"
            label=texts.get(Key::StatusAnyOf)
            choices=Choices::Many
            options=statuses
            value=Signal::derive(held)
            on_pick=show
        />
    };
    let fields = el("div")
        .class("filter-fields")
        .add(field(Facet::Name, "filter-name", TextKind::Line))
        .add(field(Facet::Email, "filter-email", TextKind::Email))
        .add(field(Facet::Uid, "filter-uid", TextKind::Line))
        .add(field(Facet::FirstDay, "filter-first", TextKind::Date))
        .add(field(Facet::LastDay, "filter-last", TextKind::Date));
    let choices = el("div")
        .class("filter-choices")
        .show(move || event_type_field(wish, event_types, texts))
        .add(status);
    let note = el("p")
        .class("filter-note")
        .add(texts.get(Key::FiltersAreExact));
    nothing().add(fields).add(choices).add(note)
}

/// The text that `facet` is about. Event types have none.
fn text_of(filters: &Filters, facet: Facet) -> &String {
    match facet {
        Facet::Email => &filters.email,
        Facet::Uid => &filters.uid,
        Facet::FirstDay => &filters.first_day,
        Facet::LastDay => &filters.last_day,
        Facet::Name | Facet::EventTypes => &filters.name,
    }
}

fn text_of_mut(filters: &mut Filters, facet: Facet) -> &mut String {
    match facet {
        Facet::Email => &mut filters.email,
        Facet::Uid => &mut filters.uid,
        Facet::FirstDay => &mut filters.first_day,
        Facet::LastDay => &mut filters.last_day,
        Facet::Name | Facet::EventTypes => &mut filters.name,
    }
}

fn event_type_field(wish: Wish, event_types: Latest<Vec<Offer>>, texts: Texts) -> Html {
    let known = match event_types.signal().get() {
        Load::Pending => return el("p").class("filter-note").add(texts.get(Key::Loading)),
        Load::Failed(error) => return problem(&error, move || event_types.again()),
        Load::Ready(known) if known.is_empty() => return nothing(),
        Load::Ready(known) => known,
    };
    let options: Vec<_> = known
        .iter()
        .map(|event_type| (event_type.id.to_string(), title_of(event_type.id, &known)))
        .collect();
    let held = move || {
        let ids = wish.typed.with(|filters| filters.event_types.clone());
        ids.iter().map(i64::to_string).collect::<Vec<_>>()
    };
    let pick = move |ids: Vec<String>| {
        let ids = ids.iter().filter_map(|id| id.parse().ok()).collect();
        wish.change(|filters| filters.event_types = ids);
    };
    let field = view! {
        <ChoiceField
            id="filter-types"
            label=texts.get(Key::EventTypes)
            choices=Choices::Many
            options
            value=Signal::derive(held)
            on_pick=pick
        />
    };
    nothing().add(field)
}
