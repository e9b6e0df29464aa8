//! Shows values: references as links, instants in the selected time zone.

use booking_wire::{Instant, JsonMap, Read};
use serde_json::Value;

use super::RecordsContext;
use super::input::{clock, is_clock};
use super::resources::{ParentRecord, kind, referred};
use crate::ui::dom::{Node, el, fragment, fragment_of, text};

/// Renders the value of `key` in `record`.
pub(super) fn value(
    desk: RecordsContext,
    within: ParentRecord<'_>,
    key: &str,
    record: &JsonMap,
) -> Node {
    let Some(value) = record.get(key) else {
        return fragment();
    };
    let whose = record.get("userId").and_then(String::read);
    if let ("credentialId", Some(id), Some(whose)) = (key, String::read(value), whose) {
        let name = format!("{whose}_{id}");
        return desk.way(&["credential-sync", &name]).child(id);
    }
    if let (Some(resource), Some(id)) = (referred(key, within), String::read(value)) {
        return desk.way(&[resource, &id]).child(id);
    }
    match value {
        Value::Number(number) if ["amount", "fee"].contains(&key) => {
            let currency = record.get("currency").and_then(String::read);
            let amount = i64::read(value).zip(currency);
            let money = amount.map(|(minor, currency)| desk.formats.money(minor, &currency));
            let money = money.filter(|money| !money.is_empty());
            fragment()
                .child(text(&number.to_string()))
                .child(money.map(|money| {
                    el("span")
                        .class("record-aside")
                        .child(format!(" ({money})"))
                }))
        }
        value => plain(desk, key, value),
    }
}

fn plain(desk: RecordsContext, key: &str, value: &Value) -> Node {
    match value {
        Value::Null => word("null"),
        Value::Bool(true) => word("true"),
        Value::Bool(false) => word("false"),
        Value::Number(number) => text(&number.to_string()),
        Value::String(words) if words.is_empty() => word("\"\""),
        Value::String(words) if is_clock(words) => text(clock(words)),
        Value::String(words) => match moment(words) {
            Some(moment) => time(desk, moment, words),
            None => el("bdi").child(words.as_str()),
        },
        Value::Array(items) if items.is_empty() => word("[]"),
        Value::Array(items) if items.iter().any(Value::is_object) => {
            let items = items.iter().map(|item| match item {
                Value::Object(item) => el("li").child(list(desk, ParentRecord::Key(key), item)),
                other => el("li").child(plain(desk, key, other)),
            });
            el("ol").class("record-items").child(fragment_of(items))
        }
        Value::Array(items) => {
            let texts: Vec<String> = items.iter().filter_map(String::read).collect();
            el("bdi").child(texts.join(", "))
        }
        Value::Object(map) if map.is_empty() => word("{}"),
        Value::Object(map) => list(desk, ParentRecord::Key(key), map),
    }
}

/// Renders a record's keys and values: the id first, then the writable fields, then the rest.
pub(super) fn list(desk: RecordsContext, within: ParentRecord<'_>, record: &JsonMap) -> Node {
    let told = match within {
        ParentRecord::Resource(name) => kind(name).map_or(&[][..], |kind| kind.fields),
        ParentRecord::Key(_) => &[],
    };
    let place = |key: &str| match key {
        "id" => 0,
        key => told
            .iter()
            .position(|field| field.name == key)
            .map_or(usize::MAX, |place| place + 1),
    };
    let mut keys: Vec<&String> = record.keys().collect();
    keys.sort_by_key(|key| place(key));
    let pairs = keys.into_iter().map(|key| {
        el("div")
            .class("record-pair")
            .child(el("dt").class("record-key").child(key.as_str()))
            .child(
                el("dd")
                    .class("record-value")
                    .child(value(desk, within, key, record)),
            )
    });
    el("dl").class("record").child(fragment_of(pairs))
}

/// Renders a JSON literal.
fn word(word: &str) -> Node {
    el("code").class("record-word").child(word)
}

/// Parses full instants, not dates or times alone.
fn moment(words: &str) -> Option<Instant> {
    let is_full = words.as_bytes().get(10) == Some(&b'T') && words.len() > "2027-03-08T09:30".len();
    is_full.then(|| Instant::parse(words)).flatten()
}

fn time(desk: RecordsContext, moment: Instant, words: &str) -> Node {
    let shown = move || {
        let day = desk
            .settings
            .zone
            .with(|zone| desk.formats.day_of(moment, zone));
        let day = desk.formats.medium_day(day);
        format!("{day}, {}", desk.settings.time(desk.formats, moment))
    };
    el("time")
        .attr("datetime", words)
        .attr("title", words)
        .text_with(shown)
}
