//! Controls for the filters and for the display of the list.

use booking_wire::{PublicEventType, StatusFilter};
use leptos::prelude::*;

use crate::client::query::{Latest, Load};
use crate::components::{ChoiceField, Choices, SelectField, SwitchField, TextField, TextKind};
use crate::features::shared::error_notice::problem;
use crate::i18n::{Key, Translations, use_texts};
use crate::time::format::lower_case;
use crate::ui::dom::{Node, el, fragment};
use crate::ui::signal::{RwSignal, Signal};

use super::columns::{Column, column_key};
use super::filters::{facet_key, range_key, status_key, text_of, title_of};
use super::list_query::ListQuery;
use super::model::{Facet, Filters, Range};

/// Returns a control for each filter.
pub(super) fn filter_fields(wish: ListQuery, event_types: Latest<Vec<PublicEventType>>) -> Node {
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
    let is_by_days = Signal::memo(move || wish.typed.with(|filters| filters.range == Range::Days));
    let ranges = Range::ALL
        .map(|(name, range)| (name.to_owned(), texts.get(range_key(range)).to_owned()))
        .to_vec();
    let range = view! {
        <SelectField
            id="filter-range"
            label=texts.get(Key::WhichDays)
            options=ranges
            value=Signal::derive(move || {
                wish.typed.with(|filters| filters.range.name().to_owned())
            })
            on_pick=move |name: String| {
                wish.change(|filters| filters.range = Range::parse(&name).unwrap_or_default());
            }
        />
    };
    let fields = el("div")
        .class("filter-fields")
        .child(field(Facet::Name, "filter-name", TextKind::Line))
        .child(field(Facet::Email, "filter-email", TextKind::Email))
        .child(field(Facet::Uid, "filter-uid", TextKind::Line))
        .child(range)
        .child_with(move || {
            is_by_days.get().then(|| {
                fragment()
                    .child(field(Facet::FirstDay, "filter-first", TextKind::Date))
                    .child(field(Facet::LastDay, "filter-last", TextKind::Date))
            })
        });
    let choices = el("div")
        .class("filter-choices")
        .child_with(move || event_type_field(wish, event_types, texts))
        .child(status);
    let note = el("p")
        .class("filter-note")
        .child(texts.get(Key::FiltersAreExact));
    fragment().child(fields).child(choices).child(note)
}

fn text_of_mut(filters: &mut Filters, facet: Facet) -> &mut String {
    match facet {
        Facet::Email => &mut filters.email,
        Facet::Uid => &mut filters.uid,
        Facet::FirstDay => &mut filters.first_day,
        Facet::LastDay => &mut filters.last_day,
        Facet::Name | Facet::EventTypes | Facet::Range => &mut filters.name,
    }
}

/// Most event types without a search field.
const MANY_TYPES: usize = 8;

fn event_type_field(
    wish: ListQuery,
    event_types: Latest<Vec<PublicEventType>>,
    texts: Translations,
) -> Node {
    let known = match event_types.signal().get() {
        Load::Pending => return el("p").class("filter-note").child(texts.get(Key::Loading)),
        Load::Failed(error) => return problem(&error, move || event_types.reload()),
        Load::Ready(known) if known.is_empty() => return fragment(),
        Load::Ready(known) => known,
    };
    let options: Vec<(String, String)> = known
        .iter()
        .map(|event_type| (event_type.id.to_string(), title_of(event_type.id, &known)))
        .collect();
    let search = RwSignal::new(String::new());
    let has_many = options.len() > MANY_TYPES;
    let field = has_many.then(|| {
        view! {
            <TextField
                id="filter-types-search"
                label=texts.get(Key::SearchEventTypes)
                value=search
                on_input=move |text: String| search.set(text)
            />
        }
    });
    let boxes = move || {
        let sought = lower_case(&search.get());
        let held = wish
            .typed
            .with_untracked(|filters| filters.event_types.clone());
        // Selected types must stay deselectable.
        let found = options.iter().filter(|(id, title)| {
            lower_case(title).contains(sought.trim())
                || held.iter().any(|held| held.to_string() == *id)
        });
        event_type_boxes(wish, found.cloned().collect(), texts)
    };
    el("div")
        .class("filter-types")
        .attr_if("data-many", has_many.then_some(""))
        .child(field)
        .child_with(boxes)
}

fn event_type_boxes(wish: ListQuery, options: Vec<(String, String)>, texts: Translations) -> Node {
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
    fragment().child(field)
}

/// Controls for columns and series.
pub(super) fn view_fields(wish: ListQuery) -> Node {
    let texts = use_texts();
    let options = Column::ALL
        .map(|column| {
            let name = texts.get(column_key(column)).to_owned();
            (column.name().to_owned(), name)
        })
        .to_vec();
    let held = move || {
        let columns = wish.typed.with(|filters| filters.columns.clone());
        let names = columns.iter().map(|column| column.name().to_owned());
        names.collect::<Vec<_>>()
    };
    let show = move |names: Vec<String>| {
        let columns = Column::named(names.iter().map(String::as_str));
        wish.tell(|filters| filters.columns = columns);
    };
    let columns = view! {
        <ChoiceField
            id="view-columns"
            label=texts.get(Key::Columns)
            choices=Choices::Many
            options
            value=Signal::derive(held)
            on_pick=show
        />
    };
    let series = view! {
        <SwitchField
            id="view-series"
            label=texts.get(Key::GroupSeries)
            value=Signal::derive(move || wish.typed.with(|filters| filters.groups_series))
            on_change=move |holds| wish.tell(|filters| filters.groups_series = holds)
        />
    };
    el("div")
        .class("filter-choices")
        .child(columns)
        .child(series)
}
