//! Record lists: those of a resource, and those that belong to a record.

use std::rc::Rc;

use booking_wire::{JsonMap, Read};
use leptos::prelude::*;
use serde_json::Value;
use web_sys::UrlSearchParams;

use super::controls::{Draft, query};
use super::input::typed;
use super::record::{named, replaced};
use super::resources::{self, Asked, Field, Kind, ParentRecord, Shown};
use super::{RecordsContext, code, framed, none, value};
use crate::app::shell::encode;
use crate::client::query::Latest;
use crate::client::v1::Records;
use crate::components::focus::focus_soon;
use crate::components::{TextField, button};
use crate::i18n::Key;
use crate::ui::dom::{Node, el, fragment, fragment_of};
use crate::ui::signal::{RwSignal, Signal, effect};

/// Number of rows that are rendered at once.
const ROWS: usize = 100;

/// Default page size, if the query has none.
const PAGE: i64 = 10;

/// Query parameters of a list.
type Asking = Vec<(&'static str, String)>;

/// List of a resource's records, with a search by id and a link to the create form.
pub(super) fn list(desk: RecordsContext, kind: &'static Kind) -> Node {
    let texts = desk.texts;
    let name = kind.resource.name;
    let title = el("div")
        .class("records-head")
        .child(desk.title(texts.get(kind.title)))
        .child(kind.is_made().then(|| {
            desk.way(&[name, "new"])
                .class("button-primary")
                .child(texts.get(Key::NewRecord))
        }));
    let found = (kind.shown != Shown::Listed).then(|| find(desk, kind));
    let listed = match kind.shown {
        Shown::Alone => el("p")
            .class("app-lead")
            .child(texts.get(Key::RecordsNotListed)),
        Shown::Both | Shown::Listed => rows(desk, kind),
    };
    fragment()
        .child(title)
        .child(replaced(desk, kind))
        .child(found)
        .child(listed)
}

/// Form that opens the record with the typed id.
fn find(desk: RecordsContext, kind: &'static Kind) -> Node {
    let texts = desk.texts;
    let id = RwSignal::new(String::new());
    let complaint = RwSignal::new(None::<String>);
    let go = move |event: web_sys::Event| {
        event.prevent_default();
        match id.get_untracked().trim() {
            "" => complaint.set(Some(texts.get(Key::Required).to_owned())),
            id => desk.go(&[kind.resource.name, id]),
        }
    };
    el("form")
        .class("records-find")
        .on("submit", go)
        .child(view! {
            <TextField
                id="record-id"
                label=texts.get(Key::RecordId)
                value=id
                hint=kind.resource.id_parts()
                error=Signal::derive(move || complaint.get())
                on_input=move |text| {
                    complaint.set(None);
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
fn rows(desk: RecordsContext, kind: &'static Kind) -> Node {
    let texts = desk.texts;
    let asked = Signal::memo(move || {
        let asked = desk.navigation.query.with(|query| given(kind, query));
        let is_told = |name: &str| asked.iter().any(|(given, _)| *given == name);
        let mut needed = kind
            .filters
            .iter()
            .filter(|field| field.made == Asked::Always);
        needed.all(|field| is_told(field.name)).then_some(asked)
    });
    let answer = desk.ask(
        move || asked.get(),
        move |records: Rc<Records>, query: Asking, abort| async move {
            records.list(kind.resource, &query, abort).await
        },
    );
    let shown =
        move || match asked.get() {
            None => el("p").class("app-lead").child(texts.get(Key::AskFirst)),
            Some(asked) => {
                desk.answered(answer, move |records: &Vec<JsonMap>| {
                    let within = ParentRecord::Resource(kind.resource.name);
                    table(desk, within, Some(kind), columns(kind), records.clone())
                        .with_sibling(pages(desk, kind, &asked, records.len()))
                })
            }
        };
    fragment()
        .child((!kind.filters.is_empty()).then(|| filters(desk, kind, answer)))
        .child_with(shown)
}

/// Buttons to the previous and the next page, for paginated resources.
fn pages(desk: RecordsContext, kind: &Kind, asked: &Asking, count: usize) -> Node {
    if !kind.filters.iter().any(|field| field.name == "page") {
        return fragment();
    }
    let number = |name: &str, usual: i64| {
        let given = asked.iter().find(|(given, _)| *given == name);
        given
            .and_then(|(_, value)| value.parse().ok())
            .unwrap_or(usual)
    };
    let (page, size) = (number("page", 1), number("take", PAGE));
    let others: Asking = asked
        .iter()
        .filter(|(name, _)| *name != "page")
        .cloned()
        .collect();
    let way = |key: Key, page: i64| {
        let mut asked = others.clone();
        asked.push(("page", page.to_string()));
        button("button", move || desk.navigation.ask(&address(&asked))).child(desk.texts.get(key))
    };
    el("div")
        .class("record-acts records-pages")
        .child((page > 1).then(|| way(Key::PreviousPage, page - 1)))
        .child((count as i64 >= size).then(|| way(Key::NextPage, page + 1)))
}

/// Returns the URL query of the list parameters.
fn address(asked: &Asking) -> String {
    let pairs = asked
        .iter()
        .map(|(name, value)| format!("{name}={}", encode(value)));
    pairs.collect::<Vec<_>>().join("&")
}

fn columns(kind: &Kind) -> Vec<String> {
    kind.columns.iter().map(|key| (*key).to_owned()).collect()
}

/// Parses the list parameters from a URL query.
fn given(kind: &Kind, query: &str) -> Asking {
    let Ok(query) = UrlSearchParams::new_with_str(query) else {
        return Vec::new();
    };
    let names = kind.filters.iter().map(|field| field.name);
    names
        .filter_map(|name| Some((name, query.get(name)?)))
        .collect()
}

/// Filter form. Its values are kept in the URL, so that the back button restores them.
fn filters(desk: RecordsContext, kind: &'static Kind, answer: Latest<Vec<JsonMap>>) -> Node {
    let texts = desk.texts;
    let draft = Draft::new(desk, kind.filters.iter().copied(), |_, _| String::new());
    let filled = draft.clone();
    effect(move || {
        let asked = desk.navigation.query.with(|query| given(kind, query));
        filled.fill(|field, place| {
            let value = asked.iter().find(|(name, _)| *name == field.name);
            value.map_or_else(String::new, |(_, value)| {
                typed(field.input, &Value::String(value.clone()), place)
            })
        });
    });
    let needs = |field: &Field| field.made == Asked::Always;
    let form = el("form").class("card record-form");
    let (asked, shown) = (draft.clone(), form.clone());
    let ask = move |event: web_sys::Event| {
        event.prevent_default();
        let Some(said) = asked.made() else {
            asked.focus_first(&shown);
            return;
        };
        let query = address(&query(kind.filters, &said));
        let before = desk.navigation.query.get_untracked();
        match before == query {
            // The same query again is a reload.
            true => answer.reload(),
            false => desk.navigation.ask(&query),
        }
    };
    let send = el("button")
        .class("button")
        .attr("type", "submit")
        .child(texts.get(Key::ShowRecord));
    let form = form
        .on("submit", ask)
        .child(draft.view("filter", needs))
        .child(el("div").class("record-acts").child(send));
    let is_needed = kind.filters.iter().any(needs);
    let is_asked = desk
        .navigation
        .query
        .with_untracked(|query| !query.is_empty());
    el("details")
        .class("records-filters")
        .attr_if("open", (is_needed || is_asked).then_some(""))
        .child(el("summary").child(texts.get(Key::Filters)))
        .child(form)
}

/// Table of records. `within` is their context, `kind` their resource, if it is known.
fn table(
    desk: RecordsContext,
    within: ParentRecord<'static>,
    kind: Option<&'static Kind>,
    columns: Vec<String>,
    records: Vec<JsonMap>,
) -> Node {
    let texts = desk.texts;
    let total = records.len();
    if total == 0 {
        return none(texts);
    }
    let has_ids = kind.is_some_and(|kind| kind.shown != Shown::Listed);
    let head = has_ids
        .then(|| texts.get(Key::RecordId).to_owned())
        .into_iter()
        .chain(columns.iter().cloned())
        .map(|name| el("th").attr("scope", "col").child(name));
    let head = el("thead").child(el("tr").child(fragment_of(head)));
    let count = RwSignal::new(ROWS);
    let body = move || {
        let rows = records.iter().take(count.get()).map(|record| {
            let id = kind.and_then(|kind| Some((kind, kind.resource.id_of(record)?)));
            let id = id.filter(|_| has_ids).map(|(kind, id)| {
                let way = desk
                    .way(&[kind.resource.name, &id])
                    .child(el("bdi").child(id.as_str()));
                el("th").attr("scope", "row").child(way)
            });
            let cells = columns.iter().map(|key| {
                let cell = value::value(desk, within, key, record);
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
    let left = move || total.saturating_sub(count.get());
    let frame = framed(texts.get(Key::Records), table);
    let seen = frame.clone();
    let more = button("button", move || {
        count.update(|count| *count += ROWS);
        if count.get_untracked() >= total {
            // The button is hidden now.
            focus_soon(&seen);
        }
    });
    let words = move || texts.count(Key::ShowMoreRecords, left().min(ROWS));
    let more = more
        .attr_with("hidden", move || (left() == 0).then(String::new))
        .text_with(words);
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
pub(super) fn belonging(
    desk: RecordsContext,
    kind: &'static Kind,
    id: &str,
    path: &[&str],
) -> Node {
    let Some((list, rest)) = path.split_first() else {
        return fragment();
    };
    let known = kind.lists.iter().find(|(name, _)| name == list);
    let Some((_, key)) = known.filter(|_| rest.len() < 2) else {
        return super::not_found(desk);
    };
    let encoded: Vec<String> = path.iter().map(|part| encode(part)).collect();
    let asked = (id.to_owned(), encoded.join("/"));
    let answer = desk.ask(
        move || Some(asked.clone()),
        move |records: Rc<Records>, (id, path): (String, String), abort| async move {
            records
                .belonging(kind.resource, &id, &path, key, abort)
                .await
        },
    );
    let title = named(desk, kind, id)
        .child(" · ")
        .child(code(&path.join("/")));
    let of = resources::kind(list);
    let within = ParentRecord::Resource(of.map_or("", |kind| kind.resource.name));
    let is_recorded = *list == "recordings";
    let id = id.to_owned();
    let shown = desk.answered(answer, move |items: &Vec<Value>| {
        let records: Vec<JsonMap> = items.iter().map(as_record).collect();
        let columns = match of {
            Some(kind) => columns(kind),
            None => records
                .first()
                .map(|first| first.keys().cloned().collect())
                .unwrap_or_default(),
        };
        let ways = is_recorded.then(|| transcripts(desk, kind, &id, &records));
        table(desk, within, of, columns, records).with_sibling(ways.unwrap_or_else(fragment))
    });
    fragment().child(desk.title(title)).child(shown)
}

/// Links from recordings to their transcripts.
fn transcripts(desk: RecordsContext, kind: &Kind, id: &str, recordings: &[JsonMap]) -> Node {
    let ways = recordings.iter().filter_map(|recording| {
        let recording = recording.get("id").and_then(String::read)?;
        let path = [kind.resource.name, id, "transcripts", &recording];
        let name = code(&format!("transcripts/{recording}"));
        Some(desk.way(&path).class("button").child(name))
    });
    el("div").class("record-acts").child(fragment_of(ways))
}

/// Wraps a value that is no object in a record.
fn as_record(item: &Value) -> JsonMap {
    match item {
        Value::Object(record) => record.clone(),
        other => JsonMap::from_iter([("value".to_owned(), other.clone())]),
    }
}
