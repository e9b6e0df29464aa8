//! Record lists: those of a resource, and those that belong to a record.

use std::rc::Rc;

use booking_ui::prelude::*;
use booking_wire::{JsonMap, Read};
use serde_json::Value;
use web_sys::UrlSearchParams;

use super::context::RecordsContext;
use super::fields::{Draft, query_params};
use super::input::to_text;
use super::layout::{code, framed, no_records, not_found, record_title, successor_note};
use super::resources::{self, Field, ParentRecord, Presence, ResourceInfo, ResourceViews};
use super::value;
use crate::app::navigation::encode;
use crate::client::operations::v1::Records;
use crate::client::query::Latest;
use crate::components::focus::focus_soon;
use crate::components::{TextField, button};
use crate::i18n::Key;

/// Number of rows that are rendered at once.
const ROWS: usize = 100;

/// Default page size, if the query has none.
const DEFAULT_PAGE_SIZE: i64 = 10;

/// Query parameters of a list.
type ListParams = Vec<(&'static str, String)>;

/// List of a resource's records, with a search by id and a link to the create form.
pub(super) fn list(context: RecordsContext, info: &'static ResourceInfo) -> Node {
    let texts = context.texts;
    let name = info.resource.name;
    let title = el("div")
        .class("records-head")
        .child(context.title(texts.get(info.title)))
        .child(info.can_create().then(|| {
            context
                .link(&[name, "new"])
                .class("button-primary")
                .child(texts.get(Key::NewRecord))
        }));
    let id_form = (info.views != ResourceViews::ListOnly).then(|| id_form(context, info));
    let records = match info.views {
        ResourceViews::RecordOnly => el("p")
            .class("app-lead")
            .child(texts.get(Key::RecordsNotListed)),
        ResourceViews::Both | ResourceViews::ListOnly => rows(context, info),
    };
    fragment()
        .child(title)
        .child(successor_note(info, texts))
        .child(id_form)
        .child(records)
}

/// Form that opens the record with the typed id.
fn id_form(context: RecordsContext, info: &'static ResourceInfo) -> Node {
    let texts = context.texts;
    let id = RwSignal::new(String::new());
    let error = RwSignal::new(None::<String>);
    let submit = move |event: web_sys::Event| {
        event.prevent_default();
        match id.get_untracked().trim() {
            "" => error.set(Some(texts.get(Key::Required).to_owned())),
            id => context.go(&[info.resource.name, id]),
        }
    };
    el("form")
        .class("records-find")
        .on("submit", submit)
        .child(view! {
            <TextField
                id="record-id"
                label=texts.get(Key::RecordId)
                value=id
                hint=info.resource.id_parts()
                error=Signal::derive(move || error.get())
                on_input=move |text| {
                    error.set(None);
                    id.set(text);
                }
            />
        })
        .child(
            el("button")
                .class("button")
                .attr("type", "submit")
                .child(texts.get(Key::ShowRecord)),
        )
}

/// List for the query in the URL.
fn rows(context: RecordsContext, info: &'static ResourceInfo) -> Node {
    let texts = context.texts;
    let params = Signal::memo(move || {
        let params = context
            .navigation
            .query
            .with(|query| parse_params(info, query));
        let is_set = |name: &str| params.iter().any(|(param, _)| *param == name);
        let mut required = info
            .filters
            .iter()
            .filter(|field| field.on_create == Presence::Required);
        required.all(|field| is_set(field.name)).then_some(params)
    });
    let response = context.query(
        move || params.get(),
        move |records: Rc<Records>, query: ListParams, abort| async move {
            records.list(info.resource, &query, abort).await
        },
    );
    let content = move || match params.get() {
        None => el("p").class("app-lead").child(texts.get(Key::AskFirst)),
        Some(params) => context.loaded(response, move |records: &Vec<JsonMap>| {
            let parent = ParentRecord::Resource(info.resource.name);
            table(context, parent, Some(info), columns(info), records.clone())
                .with_sibling(page_buttons(context, info, &params, records.len()))
        }),
    };
    fragment()
        .child((!info.filters.is_empty()).then(|| filters(context, info, response)))
        .child_with(content)
}

/// Buttons to the previous and the next page, for paginated resources.
fn page_buttons(
    context: RecordsContext,
    info: &ResourceInfo,
    params: &ListParams,
    count: usize,
) -> Node {
    if !info.filters.iter().any(|field| field.name == "page") {
        return fragment();
    }
    let number = |name: &str, default: i64| {
        let value = params.iter().find(|(param, _)| *param == name);
        value
            .and_then(|(_, value)| value.parse().ok())
            .unwrap_or(default)
    };
    let (page, size) = (number("page", 1), number("take", DEFAULT_PAGE_SIZE));
    let others: ListParams = params
        .iter()
        .filter(|(name, _)| *name != "page")
        .cloned()
        .collect();
    let page_button = |key: Key, page: i64| {
        let mut params = others.clone();
        params.push(("page", page.to_string()));
        button("button", move || {
            context.navigation.set_query(&format_params(&params))
        })
        .child(context.texts.get(key))
    };
    el("div")
        .class("record-acts records-pages")
        .child((page > 1).then(|| page_button(Key::PreviousPage, page - 1)))
        .child((count as i64 >= size).then(|| page_button(Key::NextPage, page + 1)))
}

/// Returns the URL query of the list parameters.
fn format_params(params: &ListParams) -> String {
    let pairs = params
        .iter()
        .map(|(name, value)| format!("{name}={}", encode(value)));
    pairs.collect::<Vec<_>>().join("&")
}

fn columns(info: &ResourceInfo) -> Vec<String> {
    info.columns.iter().map(|key| (*key).to_owned()).collect()
}

/// Parses the list parameters from a URL query.
fn parse_params(info: &ResourceInfo, query: &str) -> ListParams {
    let Ok(query) = UrlSearchParams::new_with_str(query) else {
        return Vec::new();
    };
    let names = info.filters.iter().map(|field| field.name);
    names
        .filter_map(|name| Some((name, query.get(name)?)))
        .collect()
}

/// Filter form. Its values are kept in the URL, so that the back button restores them.
fn filters(
    context: RecordsContext,
    info: &'static ResourceInfo,
    response: Latest<Vec<JsonMap>>,
) -> Node {
    let texts = context.texts;
    let draft = Draft::new(context, info.filters.iter().copied(), |_, _| String::new());
    let filled_draft = draft.clone();
    effect(move || {
        let params = context
            .navigation
            .query
            .with(|query| parse_params(info, query));
        filled_draft.fill(|field, formats| {
            let value = params.iter().find(|(name, _)| *name == field.name);
            value.map_or_else(String::new, |(_, value)| {
                to_text(field.input, &Value::String(value.clone()), formats)
            })
        });
    });
    let is_required = |field: &Field| field.on_create == Presence::Required;
    let form = el("form").class("card record-form");
    let (submitted, form_node) = (draft.clone(), form.clone());
    let submit = move |event: web_sys::Event| {
        event.prevent_default();
        let Some(values) = submitted.create_values() else {
            submitted.focus_first_error(&form_node);
            return;
        };
        let query = format_params(&query_params(info.filters, &values));
        let before = context.navigation.query.get_untracked();
        match before == query {
            // The same query again is a reload.
            true => response.reload(),
            false => context.navigation.set_query(&query),
        }
    };
    let send = el("button")
        .class("button")
        .attr("type", "submit")
        .child(texts.get(Key::ShowRecord));
    let form = form
        .on("submit", submit)
        .child(draft.view("filter", is_required))
        .child(el("div").class("record-acts").child(send));
    let has_required = info.filters.iter().any(is_required);
    let has_query = context
        .navigation
        .query
        .with_untracked(|query| !query.is_empty());
    el("details")
        .class("records-filters")
        .attr_if("open", (has_required || has_query).then_some(""))
        .child(el("summary").child(texts.get(Key::Filters)))
        .child(form)
}

/// Table of records. `parent` is their context, `info` their resource, if it is known.
fn table(
    context: RecordsContext,
    parent: ParentRecord<'static>,
    info: Option<&'static ResourceInfo>,
    columns: Vec<String>,
    records: Vec<JsonMap>,
) -> Node {
    let texts = context.texts;
    let total = records.len();
    if total == 0 {
        return no_records(texts);
    }
    let has_ids = info.is_some_and(|info| info.views != ResourceViews::ListOnly);
    let head = has_ids
        .then(|| texts.get(Key::RecordId).to_owned())
        .into_iter()
        .chain(columns.iter().cloned())
        .map(|name| el("th").attr("scope", "col").child(name));
    let head = el("thead").child(el("tr").child(fragment_of(head)));
    let count = RwSignal::new(ROWS);
    let body = move || {
        let rows = records.iter().take(count.get()).map(|record| {
            let id = info.and_then(|info| Some((info, info.resource.id_of(record)?)));
            let id = id.filter(|_| has_ids).map(|(info, id)| {
                let link = context
                    .link(&[info.resource.name, &id])
                    .child(el("bdi").child(id.as_str()));
                el("th").attr("scope", "row").child(link)
            });
            let cells = columns.iter().map(|key| {
                let cell = value::value(context, parent, key, record);
                el("td").child(el("div").class("records-cell").child(cell))
            });
            el("tr").child(id).child(fragment_of(cells))
        });
        fragment_of(rows)
    };
    let table = el("table")
        .class("records-table")
        .child(head)
        .child(el("tbody").child_with(body));
    let remaining = move || total.saturating_sub(count.get());
    let frame = framed(texts.get(Key::Records), table);
    let frame_node = frame.clone();
    let more = button("button", move || {
        count.update(|count| *count += ROWS);
        if count.get_untracked() >= total {
            // The button is hidden now.
            focus_soon(&frame_node);
        }
    });
    let label = move || texts.count(Key::ShowMoreRecords, remaining().min(ROWS));
    let more = more
        .attr_with("hidden", move || (remaining() == 0).then(String::new))
        .text_with(label);
    fragment()
        .child(
            el("p")
                .class("records-count")
                .child(texts.count(Key::RecordCount, total)),
        )
        .child(frame)
        .child(more)
}

/// List that belongs to a record; `path` follows the record's path.
pub(super) fn sublist(
    context: RecordsContext,
    info: &'static ResourceInfo,
    id: &str,
    path: &[&str],
) -> Node {
    let Some((list, rest)) = path.split_first() else {
        return fragment();
    };
    let entry = info.lists.iter().find(|(name, _)| name == list);
    let Some((_, key)) = entry.filter(|_| rest.len() < 2) else {
        return not_found(context);
    };
    let encoded: Vec<String> = path.iter().map(|part| encode(part)).collect();
    let query = (id.to_owned(), encoded.join("/"));
    let response = context.query(
        move || Some(query.clone()),
        move |records: Rc<Records>, (id, path): (String, String), abort| async move {
            records
                .belonging(info.resource, &id, &path, key, abort)
                .await
        },
    );
    let title = record_title(info, id, context.texts)
        .child(" · ")
        .child(code(&path.join("/")));
    let listed = resources::info_of(list);
    let parent = ParentRecord::Resource(listed.map_or("", |info| info.resource.name));
    let has_transcripts = *list == "recordings";
    let id = id.to_owned();
    let content = context.loaded(response, move |items: &Vec<Value>| {
        let records: Vec<JsonMap> = items.iter().map(as_record).collect();
        let columns = match listed {
            Some(info) => columns(info),
            None => records
                .first()
                .map(|first| first.keys().cloned().collect())
                .unwrap_or_default(),
        };
        let links = has_transcripts.then(|| transcript_links(context, info, &id, &records));
        table(context, parent, listed, columns, records)
            .with_sibling(links.unwrap_or_else(fragment))
    });
    fragment().child(context.title(title)).child(content)
}

/// Links from recordings to their transcripts.
fn transcript_links(
    context: RecordsContext,
    info: &ResourceInfo,
    id: &str,
    recordings: &[JsonMap],
) -> Node {
    let links = recordings.iter().filter_map(|recording| {
        let recording = recording.get("id").and_then(String::read)?;
        let path = [info.resource.name, id, "transcripts", &recording];
        let name = code(&format!("transcripts/{recording}"));
        Some(context.link(&path).class("button").child(name))
    });
    el("div").class("record-acts").child(fragment_of(links))
}

/// Wraps a value that is no object in a record.
fn as_record(item: &Value) -> JsonMap {
    match item {
        Value::Object(record) => record.clone(),
        other => JsonMap::from_iter([("value".to_owned(), other.clone())]),
    }
}
