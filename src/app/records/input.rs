//! Converts form texts to API values and back.

use booking_wire::{Instant, JsonMap, Read};
use serde_json::Value;
use wasm_bindgen::JsValue;

use super::resources::{Field, Input, Presence};
use crate::client::http::json;
use crate::i18n::Key;
use crate::time::{Formats, Zone};

/// Separator between the selected values of a multiple choice.
const SEPARATOR: char = '\n';

/// Typed text that removes a secret: the form cannot show if there is a stored one.
pub(super) const REMOVE_SECRET: &str = "\0";

/// Date part of a time of day, which the API writes as an instant.
const FIRST_DAY: &str = "1970-01-01T";

/// Half a day in minutes. Clocks change at most once within half a day of an instant.
const HALF_A_DAY: i64 = 12 * 60;

/// Formats and time zone of typed instants.
#[derive(Clone)]
pub(super) struct ZonedFormats {
    pub(super) formats: Formats,
    pub(super) zone: Zone,
}

impl ZonedFormats {
    /// Formats an instant as `2027-03-08T09:30`, the value of date and time inputs.
    fn to_local(&self, instant: Instant) -> String {
        let local = instant.plus_minutes(self.formats.offset(instant, &self.zone));
        to_the_minute(&local.to_string())
    }

    /// Parses a local time; the earlier instant if clocks show it twice.
    fn parse_local(&self, text: &str) -> Result<Instant, Key> {
        let text = to_the_minute(text);
        let utc = Instant::parse(&format!("{text}:00Z")).ok_or(Key::NotAMoment)?;
        let offsets = [-HALF_A_DAY, HALF_A_DAY]
            .map(|minutes| self.formats.offset(utc.plus_minutes(minutes), &self.zone));
        let instants = offsets.map(|offset| utc.plus_minutes(-offset));
        let matching = instants
            .into_iter()
            .filter(|instant| self.to_local(*instant) == text);
        matching
            .min_by_key(|instant| instant.0)
            .ok_or(Key::SkippedMoment)
    }
}

fn to_the_minute(text: &str) -> String {
    text.chars().take("2027-03-08T09:30".len()).collect()
}

/// Returns a value as input text; empty for `null`.
pub(super) fn to_text(input: Input, value: &Value, formats: &ZonedFormats) -> String {
    match (input, value) {
        (_, Value::Null) => String::new(),
        (Input::Json, value) => serde_json::to_string_pretty(value).unwrap_or_default(),
        (Input::Instant, value) => {
            let instant = String::read(value).and_then(|text| Instant::parse(&text));
            instant.map_or_else(String::new, |instant| formats.to_local(instant))
        }
        (Input::Time, value) => clock(&String::read(value).unwrap_or_default()).to_owned(),
        (Input::MultiChoice(_), Value::Array(values)) => join(values, &SEPARATOR.to_string()),
        (_, Value::Array(values)) => join(values, ", "),
        (_, Value::Bool(value)) => value.to_string(),
        (_, value) => String::read(value).unwrap_or_default(),
    }
}

/// Returns hour and minute of a time of day, written alone or as an instant.
pub(super) fn clock(text: &str) -> &str {
    let bare = text.strip_prefix(FIRST_DAY).unwrap_or(text);
    bare.get(.."09:30".len()).unwrap_or_default()
}

/// Returns true if a text is an instant that encodes a time of day.
pub(super) fn is_clock(text: &str) -> bool {
    text.starts_with(FIRST_DAY)
}

fn join(values: &[Value], separator: &str) -> String {
    let texts: Vec<String> = values.iter().filter_map(String::read).collect();
    texts.join(separator)
}

/// Splits a multiple choice into its values.
pub(super) fn split_choices(text: &str) -> Vec<String> {
    let values = text.split(SEPARATOR).filter(|value| !value.is_empty());
    values.map(str::to_owned).collect()
}

/// Joins values to a multiple choice.
pub(super) fn join_choices(values: &[String]) -> String {
    values.join(&SEPARATOR.to_string())
}

/// Parses typed text: `None` if it is empty, the message key if it is invalid.
pub(super) fn parse(
    input: Input,
    text: &str,
    formats: &ZonedFormats,
) -> Result<Option<Value>, Key> {
    // Multi-line text and secrets are not trimmed.
    let bare = text.trim();
    if bare.is_empty() {
        return Ok(None);
    }
    let integer = |text: &str| text.trim().parse::<i64>().map_err(|_| Key::NotAWhole);
    Ok(Some(match input {
        Input::Multiline | Input::Secret => Value::from(text),
        Input::Text | Input::Date | Input::Zone | Input::Choice(_) => Value::from(bare),
        Input::Time => Value::from(format!("{FIRST_DAY}{}:00.000Z", clock(bare))),
        Input::Integer => Value::from(integer(bare)?),
        Input::Integers => {
            let parts = bare.split(',').filter(|part| !part.trim().is_empty());
            Value::from(parts.map(integer).collect::<Result<Vec<_>, _>>()?)
        }
        Input::Boolean => Value::from(bare == "true"),
        Input::Instant => Value::from(formats.parse_local(bare)?.to_string()),
        Input::MultiChoice(_) => Value::from(split_choices(bare)),
        Input::Json => json::parse(&JsValue::from_str(bare)).ok_or(Key::NotJson)?,
    }))
}

/// Message keys by field name.
pub(super) type FieldErrors = Vec<(&'static str, Key)>;

/// Returns the values of a create request or a query.
pub(super) fn create_values(
    fields: &[(Field, String)],
    formats: &ZonedFormats,
) -> Result<JsonMap, FieldErrors> {
    collect(fields, |field, text| {
        match (parse(field.input, text, formats)?, field.on_create) {
            (None, Presence::Required) => Err(Key::Required),
            (value, _) => Ok(value),
        }
    })
}

/// Returns the values that differ from their initial text, the last part of each of `fields`.
pub(super) fn changed_values(
    fields: &[(Field, String, String)],
    formats: &ZonedFormats,
) -> Result<JsonMap, FieldErrors> {
    let changes: Vec<_> = fields
        .iter()
        .filter(|(_, text, before)| text != before)
        .map(|(field, text, _)| (*field, text.clone()))
        .collect();
    collect(&changes, |field, text| {
        if text == REMOVE_SECRET {
            return Ok(Some(Value::Null));
        }
        let is_text = matches!(field.input, Input::Text | Input::Multiline | Input::Secret);
        match parse(field.input, text, formats)? {
            None if field.is_nullable => Ok(Some(Value::Null)),
            None if matches!(field.input, Input::MultiChoice(_) | Input::Integers) => {
                Ok(Some(Value::Array(Vec::new())))
            }
            None if is_text => Ok(Some(Value::from(""))),
            None => Err(Key::Required),
            value => Ok(value),
        }
    })
}

fn collect(
    fields: &[(Field, String)],
    value: impl Fn(&Field, &str) -> Result<Option<Value>, Key>,
) -> Result<JsonMap, FieldErrors> {
    let mut map = JsonMap::new();
    let mut errors = FieldErrors::new();
    for (field, text) in fields {
        match value(field, text) {
            Ok(Some(value)) => {
                map.insert(field.name.to_owned(), value);
            }
            Ok(None) => {}
            Err(key) => errors.push((field.name, key)),
        }
    }
    match errors.is_empty() {
        true => Ok(map),
        false => Err(errors),
    }
}
