//! Converts typed text to values of the API and back.

use booking_wire::{Instant, JsonMap, Read};
use serde_json::Value;
use wasm_bindgen::JsValue;

use super::resources::{Asked, Field, Input};
use crate::client::json;
use crate::i18n::Key;
use crate::time::{Formats, Zone};

/// Separator between the selected values of a multiple choice.
const BETWEEN: char = '\n';

/// Typed text that removes a secret: the form cannot show if there is a stored one.
pub(super) const REMOVED: &str = "\0";

/// Date part of a time of day, which the API writes as an instant.
const FIRST_DAY: &str = "1970-01-01T";

/// Half a day in minutes. Clocks change at most once within half a day of an instant.
const HALF_A_DAY: i64 = 12 * 60;

/// Formats and time zone of typed instants.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) formats: Formats,
    pub(super) zone: Zone,
}

impl Place {
    /// Formats an instant as `2027-03-08T09:30`, the value of date and time inputs.
    fn written(&self, moment: Instant) -> String {
        let there = moment.plus_minutes(self.formats.offset(moment, &self.zone));
        to_the_minute(&there.to_string())
    }

    /// Parses a local time; the earlier instant if clocks show it twice.
    fn read(&self, text: &str) -> Result<Instant, Key> {
        let text = to_the_minute(text);
        let utc = Instant::parse(&format!("{text}:00Z")).ok_or(Key::NotAMoment)?;
        let shifts = [-HALF_A_DAY, HALF_A_DAY]
            .map(|minutes| self.formats.offset(utc.plus_minutes(minutes), &self.zone));
        let moments = shifts.map(|shift| utc.plus_minutes(-shift));
        let shown = moments
            .into_iter()
            .filter(|moment| self.written(*moment) == text);
        shown
            .min_by_key(|moment| moment.0)
            .ok_or(Key::SkippedMoment)
    }
}

fn to_the_minute(text: &str) -> String {
    text.chars().take("2027-03-08T09:30".len()).collect()
}

/// Returns a value as input text; empty for `null`.
pub(super) fn typed(input: Input, value: &Value, place: &Place) -> String {
    match (input, value) {
        (_, Value::Null) => String::new(),
        (Input::Json, value) => serde_json::to_string_pretty(value).unwrap_or_default(),
        (Input::Moment, value) => {
            let moment = String::read(value).and_then(|text| Instant::parse(&text));
            moment.map_or_else(String::new, |moment| place.written(moment))
        }
        (Input::Time, value) => clock(&String::read(value).unwrap_or_default()).to_owned(),
        (Input::Many(_), Value::Array(values)) => joined(values, &BETWEEN.to_string()),
        (_, Value::Array(values)) => joined(values, ", "),
        (_, Value::Bool(holds)) => holds.to_string(),
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

fn joined(values: &[Value], between: &str) -> String {
    let texts: Vec<String> = values.iter().filter_map(String::read).collect();
    texts.join(between)
}

/// Splits a multiple choice into its values.
pub(super) fn chosen(text: &str) -> Vec<String> {
    let values = text.split(BETWEEN).filter(|value| !value.is_empty());
    values.map(str::to_owned).collect()
}

/// Joins values to a multiple choice.
pub(super) fn together(values: &[String]) -> String {
    values.join(&BETWEEN.to_string())
}

/// Parses typed text: `None` if it is empty, the message key if it is invalid.
pub(super) fn value(input: Input, text: &str, place: &Place) -> Result<Option<Value>, Key> {
    // Multi-line text and secrets are not trimmed.
    let bare = text.trim();
    if bare.is_empty() {
        return Ok(None);
    }
    let whole = |text: &str| text.trim().parse::<i64>().map_err(|_| Key::NotAWhole);
    Ok(Some(match input {
        Input::Lines | Input::Secret => Value::from(text),
        Input::Text | Input::Day | Input::Zone | Input::One(_) => Value::from(bare),
        Input::Time => Value::from(format!("{FIRST_DAY}{}:00.000Z", clock(bare))),
        Input::Whole => Value::from(whole(bare)?),
        Input::Wholes => {
            let parts = bare.split(',').filter(|part| !part.trim().is_empty());
            Value::from(parts.map(whole).collect::<Result<Vec<_>, _>>()?)
        }
        Input::Flag => Value::from(bare == "true"),
        Input::Moment => Value::from(place.read(bare)?.to_string()),
        Input::Many(_) => Value::from(chosen(bare)),
        Input::Json => json::parse(&JsValue::from_str(bare)).ok_or(Key::NotJson)?,
    }))
}

/// Message keys by field name.
pub(super) type Complaints = Vec<(&'static str, Key)>;

/// Returns the values of a create request or a query.
pub(super) fn made(fields: &[(Field, String)], place: &Place) -> Result<JsonMap, Complaints> {
    gathered(fields, |field, text| {
        match (value(field.input, text, place)?, field.made) {
            (None, Asked::Always) => Err(Key::Required),
            (value, _) => Ok(value),
        }
    })
}

/// Returns the values that differ from their initial text, the last part of each of `fields`.
pub(super) fn changed(
    fields: &[(Field, String, String)],
    place: &Place,
) -> Result<JsonMap, Complaints> {
    let news: Vec<_> = fields
        .iter()
        .filter(|(_, text, before)| text != before)
        .map(|(field, text, _)| (*field, text.clone()))
        .collect();
    gathered(&news, |field, text| {
        if text == REMOVED {
            return Ok(Some(Value::Null));
        }
        let is_text = matches!(field.input, Input::Text | Input::Lines | Input::Secret);
        match value(field.input, text, place)? {
            None if field.takes_null => Ok(Some(Value::Null)),
            None if matches!(field.input, Input::Many(_) | Input::Wholes) => {
                Ok(Some(Value::Array(Vec::new())))
            }
            None if is_text => Ok(Some(Value::from(""))),
            None => Err(Key::Required),
            value => Ok(value),
        }
    })
}

fn gathered(
    fields: &[(Field, String)],
    value: impl Fn(&Field, &str) -> Result<Option<Value>, Key>,
) -> Result<JsonMap, Complaints> {
    let mut map = JsonMap::new();
    let mut complaints = Vec::new();
    for (field, text) in fields {
        match value(field, text) {
            Ok(Some(value)) => {
                map.insert(field.name.to_owned(), value);
            }
            Ok(None) => {}
            Err(key) => complaints.push((field.name, key)),
        }
    }
    match complaints.is_empty() {
        true => Ok(map),
        false => Err(complaints),
    }
}
