//! Controls for the filters and for the display of the list.

use booking_ui::prelude::*;
use booking_wire::TeamEventType;

use crate::client::query::{Latest, Load};
use crate::components::{ChoiceField, Choices, SelectField, SwitchField, TextField, TextKind};
use crate::features::shared::error_notice::error_notice;
use crate::i18n::{Key, Translations, use_texts};
use crate::time::format::lower_case;

use super::super::query::model::{Column, DateFilter, Facet, Filters, column_key};
use super::{date_filter_key, hosts_of, title_of};
use crate::features::booking_list::query::query_state::ListQuery;

/// Returns a control for each filter. Exact names, addresses and references are only for services that cannot
/// search.
pub(crate) fn filter_fields(query: ListQuery, event_types: Latest<Vec<TeamEventType>>) -> Node {
    let texts = use_texts();

    let field = move |facet: Facet, id: &'static str, kind: TextKind| {
        let value = move || query.form.with(|filters| filters.typed_text(facet));
        let error = move || {
            let is_reversed = query.form.with(Filters::is_reversed);
            let is_shown = facet == Facet::LastDay && is_reversed;
            is_shown.then(|| texts.get(Key::DaysReversed).to_owned())
        };
        view! {
            <TextField
                id
                label=texts.get(facet.label())
                kind
                value=Signal::derive(value)
                on_input=move |text: String| query.change_debounced(|filters| {
                    if let Some(typed) = filters.typed(facet) {
                        *typed = text;
                    }
                })
                error=Signal::derive(error)
            />
        }
    };
    let is_by_days = Signal::memo(move || {
        query
            .form
            .with(|filters| filters.dates == DateFilter::Custom)
    });
    let ranges = DateFilter::ALL
        .map(|(name, dates)| {
            (
                name.to_owned(),
                texts.get(date_filter_key(dates)).to_owned(),
            )
        })
        .to_vec();
    let dates = view! {
        <SelectField
            id="filter-range"
            label=texts.get(Key::WhichDays)
            options=ranges
            value=Signal::derive(move || {
                query.form.with(|filters| filters.dates.name().to_owned())
            })
            on_pick=move |name: String| {
                query.change(|filters| filters.dates = DateFilter::parse(&name).unwrap_or_default());
            }
        />
    };
    let is_exact = move || query.is_searchable.get() == Some(false);
    let exact_fields = move || {
        is_exact().then(|| {
            fragment()
                .child(field(Facet::Name, "filter-name", TextKind::Line))
                .child(field(Facet::Email, "filter-email", TextKind::Email))
                .child(field(Facet::Uid, "filter-uid", TextKind::Line))
        })
    };
    let exact_note = move || {
        is_exact().then(|| {
            el("p")
                .class("filter-note")
                .child(texts.get(Key::FiltersAreExact))
        })
    };
    let fields = el("div")
        .class("filter-fields")
        .child_with(exact_fields)
        .child(dates)
        .child_with(move || {
            is_by_days.get().then(|| {
                fragment()
                    .child(field(Facet::FirstDay, "filter-first", TextKind::Date))
                    .child(field(Facet::LastDay, "filter-last", TextKind::Date))
            })
        });
    let choices = el("div")
        .class("filter-choices")
        .child_with(move || event_type_field(query, event_types, texts))
        .child_with(move || host_field(query, event_types, texts));
    fragment()
        .child(fields)
        .child(choices)
        .child_with(exact_note)
}

/// Maximum number of event types without a search field.
const MAX_WITHOUT_SEARCH: usize = 8;

fn event_type_field(
    query: ListQuery,
    event_types: Latest<Vec<TeamEventType>>,
    texts: Translations,
) -> Node {
    let loaded = match event_types.signal().get() {
        Load::Pending => return el("p").class("filter-note").child(texts.get(Key::Loading)),
        Load::Failed(error) => return error_notice(&error, move || event_types.reload()),
        Load::Ready(loaded) if loaded.is_empty() => return fragment(),
        Load::Ready(loaded) => loaded,
    };
    let options: Vec<(String, String)> = loaded
        .iter()
        .map(|event_type| (event_type.id.to_string(), title_of(event_type.id, &loaded)))
        .collect();
    let search = RwSignal::new(String::new());
    let has_many = options.len() > MAX_WITHOUT_SEARCH;
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
        let search = lower_case(&search.get());
        let selected = query
            .form
            .with_untracked(|filters| filters.event_types.clone());
        // Selected types must stay deselectable.
        let matches = options.iter().filter(|(id, title)| {
            lower_case(title).contains(search.trim())
                || selected.iter().any(|selected| selected.to_string() == *id)
        });
        event_type_boxes(query, matches.cloned().collect(), texts)
    };
    el("div")
        .class("filter-types")
        .attr_if("data-many", has_many.then_some(""))
        .child(field)
        .child_with(boxes)
}

/// Hosts to choose from, for services that can search: others have no such filter.
fn host_field(
    query: ListQuery,
    event_types: Latest<Vec<TeamEventType>>,
    texts: Translations,
) -> Option<Node> {
    let hosts = event_types
        .signal()
        .with(|loaded| Some(hosts_of(loaded.ready()?)))?;
    let is_possible = query.is_searchable.get() == Some(true) && hosts.len() > 1;
    let options = hosts.into_iter().map(|(id, name)| (id.to_string(), name));
    is_possible.then(|| {
        let boxes = id_boxes(
            query,
            "filter-hosts",
            texts.get(Key::Hosts),
            options.collect(),
            |filters| &mut filters.hosts,
        );
        el("div").class("filter-types").child(boxes)
    })
}

fn event_type_boxes(query: ListQuery, options: Vec<(String, String)>, texts: Translations) -> Node {
    id_boxes(
        query,
        "filter-types",
        texts.get(Key::EventTypes),
        options,
        |filters| &mut filters.event_types,
    )
}

/// Boxes for the ids of a filter.
fn id_boxes(
    query: ListQuery,
    id: &'static str,
    label: &'static str,
    options: Vec<(String, String)>,
    ids_of: fn(&mut Filters) -> &mut Vec<i64>,
) -> Node {
    let selected = move || {
        let mut filters = query.form.get();
        ids_of(&mut filters)
            .iter()
            .map(i64::to_string)
            .collect::<Vec<_>>()
    };
    let pick = move |ids: Vec<String>| {
        let ids = ids.iter().filter_map(|id| id.parse().ok()).collect();
        query.change(|filters| *ids_of(filters) = ids);
    };
    let field = view! {
        <ChoiceField
            id
            label
            choices=Choices::Many
            options
            value=Signal::derive(selected)
            on_pick=pick
        />
    };
    fragment().child(field)
}

/// Controls for columns and series.
pub(crate) fn view_fields(query: ListQuery) -> Node {
    let texts = use_texts();
    let options = Column::ALL
        .map(|column| {
            let name = texts.get(column_key(column)).to_owned();
            (column.name().to_owned(), name)
        })
        .to_vec();
    let selected = move || {
        let columns = query.form.with(|filters| filters.columns.clone());
        let names = columns.iter().map(|column| column.name().to_owned());
        names.collect::<Vec<_>>()
    };
    let set = move |names: Vec<String>| {
        let columns = Column::named(names.iter().map(String::as_str));
        query.change_display(|filters| filters.columns = columns);
    };
    let columns = view! {
        <ChoiceField
            id="view-columns"
            label=texts.get(Key::Columns)
            choices=Choices::Many
            options
            value=Signal::derive(selected)
            on_pick=set
        />
    };
    let series = view! {
        <SwitchField
            id="view-series"
            label=texts.get(Key::GroupSeries)
            value=Signal::derive(move || query.form.with(|filters| filters.groups_series))
            on_change=move |is_on| query.change_display(|filters| filters.groups_series = is_on)
        />
    };
    el("div")
        .class("filter-choices")
        .child(columns)
        .child(series)
}
