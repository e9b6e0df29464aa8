//! Shows values: references as links, instants in the selected time zone.

use booking_ui::prelude::*;
use booking_wire::{Instant, JsonMap, Read};
use serde_json::Value;

use super::context::RecordsContext;
use super::input::{clock, is_clock};
use super::resources::{ParentRecord, info_of, referenced_resource};
use crate::i18n::Key;

/// Renders the value of `key` in `record`.
pub(super) fn value(
    context: RecordsContext,
    parent: ParentRecord<'_>,
    key: &str,
    record: &JsonMap,
) -> Node {
    let Some(value) = record.get(key) else {
        return fragment();
    };
    let user_id = record.get("userId").and_then(String::read);
    if let ("credentialId", Some(id), Some(user_id)) = (key, String::read(value), user_id) {
        let name = format!("{user_id}_{id}");
        return context
            .link(&["credential-sync", &name])
            .class("record-link")
            .child(id);
    }
    if let (Some(resource), Some(id)) = (referenced_resource(key, parent), String::read(value)) {
        return context
            .link(&[resource, &id])
            .class("record-link")
            .child(id);
    }
    match value {
        Value::Number(number) if ["amount", "fee"].contains(&key) => {
            let currency = record.get("currency").and_then(String::read);
            let amount = i64::read(value).zip(currency);
            let money = amount.map(|(minor, currency)| context.formats.money(minor, &currency));
            let money = money.filter(|money| !money.is_empty());
            fragment()
                .child(text(&number.to_string()))
                .child(money.map(|money| {
                    el("span")
                        .class("record-aside")
                        .child(format!(" ({money})"))
                }))
        }
        value => plain_value(context, key, value),
    }
}

fn plain_value(context: RecordsContext, key: &str, value: &Value) -> Node {
    match value {
        Value::Null => literal("null"),
        Value::Bool(true) => literal("true"),
        Value::Bool(false) => literal("false"),
        Value::Number(number) => text(&number.to_string()),
        Value::String(text) if text.is_empty() => literal("\"\""),
        Value::String(value) if is_clock(value) => text(clock(value)),
        Value::String(text) => match parse_instant(text) {
            Some(instant) => time(context, instant, text),
            None => el("bdi").child(text.as_str()),
        },
        Value::Array(items) if items.is_empty() => literal("[]"),
        Value::Array(items) if items.iter().any(Value::is_object) => {
            let items = items.iter().map(|item| match item {
                Value::Object(item) => el("li").child(list(context, ParentRecord::Key(key), item)),
                other => el("li").child(plain_value(context, key, other)),
            });
            el("ol").class("record-items").child(fragment_of(items))
        }
        Value::Array(items) => {
            let texts: Vec<String> = items.iter().filter_map(String::read).collect();
            el("bdi").child(texts.join(context.texts.list_separator()))
        }
        Value::Object(map) if map.is_empty() => literal("{}"),
        Value::Object(map) => list(context, ParentRecord::Key(key), map),
    }
}

/// Renders a record's keys and values: the id first, then the writable fields, then the rest.
pub(super) fn list(context: RecordsContext, parent: ParentRecord<'_>, record: &JsonMap) -> Node {
    let fields = match parent {
        ParentRecord::Resource(name) => info_of(name).map_or(&[][..], |info| info.fields),
        ParentRecord::Key(_) => &[],
    };
    let position = |key: &str| match key {
        "id" => 0,
        key => fields
            .iter()
            .position(|field| field.name == key)
            .map_or(usize::MAX, |index| index + 1),
    };
    let mut keys: Vec<&String> = record.keys().collect();
    keys.sort_by_key(|key| position(key));
    let pairs = keys.into_iter().map(|key| {
        el("div")
            .class("record-pair")
            .child(el("dt").class("record-key").child(key.as_str()))
            .child(
                el("dd")
                    .class("record-value")
                    .child(value(context, parent, key, record)),
            )
    });
    el("dl").class("record").child(fragment_of(pairs))
}

/// Renders a JSON literal.
fn literal(literal: &str) -> Node {
    el("code").class("record-word").child(literal)
}

/// Parses full instants, not dates or times alone.
fn parse_instant(text: &str) -> Option<Instant> {
    let is_full = text.as_bytes().get(10) == Some(&b'T') && text.len() > "2027-03-08T09:30".len();
    is_full.then(|| Instant::parse(text)).flatten()
}

fn time(context: RecordsContext, instant: Instant, text: &str) -> Node {
    let formatted = move || {
        let day = context
            .settings
            .zone
            .with(|zone| context.formats.day_of(instant, zone));
        let day = context.formats.medium_day(day);
        let time = context.settings.time(context.formats, instant);
        let values = [("day", &*day), ("time", &*time)];
        context.texts.fill(Key::DateAndTime, &values)
    };
    el("time")
        .attr("datetime", text)
        .attr("title", text)
        .text_with(formatted)
}
