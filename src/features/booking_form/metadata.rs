//! Metadata of a booking: the page's own values and campaign parameters.

use booking_rules::limits::{MAX_METADATA_KEY_CHARS, MAX_METADATA_KEYS, MAX_METADATA_TEXT_CHARS};
use booking_ui::prelude::*;
use booking_wire::JsonMap;
use serde_json::Value;

use crate::page::attributes::Config;

/// Campaign parameters, as named in URLs.
const CAMPAIGN: [&str; 5] = [
    "utm_source",
    "utm_medium",
    "utm_campaign",
    "utm_term",
    "utm_content",
];

/// Collects the page's own values, then its campaign, then that of the page's URL (`search`, with
/// its question mark; empty to ignore it). Earlier ones win. The second part lists the values that
/// were cut or dropped.
pub fn collect(own: &JsonMap, utm: &JsonMap, search: &str) -> (JsonMap, Vec<String>) {
    let mut collected = Collected::default();
    for (key, value) in own {
        collected.add(key.clone(), value);
    }
    for (key, value) in utm {
        collected.add(campaign_key(key), value);
    }
    for (key, value) in pairs(search) {
        if CAMPAIGN.contains(&key.as_str()) && !value.is_empty() {
            collected.add(key, &Value::String(value));
        }
    }
    (collected.map, collected.warnings)
}

/// Metadata that the page gives to a booking.
pub fn of_page(config: &Config) -> JsonMap {
    let search = match config.reads_utm {
        true => window().location().search().unwrap_or_default(),
        false => String::new(),
    };
    let (metadata, warnings) = collect(&config.metadata, &config.utm, &search);
    warn(&warnings);
    metadata
}

/// Metadata with values and a campaign that a page adds at the last moment: these win over those
/// collected `before`.
pub fn amend(before: &JsonMap, own: &JsonMap, utm: &JsonMap) -> JsonMap {
    let (mut amended, warnings) = collect(own, utm, "");
    warn(&warnings);
    for (key, value) in before {
        if amended.len() < MAX_METADATA_KEYS && !amended.contains_key(key) {
            amended.insert(key.clone(), value.clone());
        }
    }
    amended
}

/// Metadata with texts only: services of the other dialect accept nothing else.
pub fn as_texts(map: &JsonMap) -> JsonMap {
    let text = |value: &Value| match value {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    };
    let texts = map.iter();
    texts
        .map(|(key, value)| (key.clone(), Value::String(text(value))))
        .collect()
}

/// Warns the page's developer of values that were cut or dropped.
pub(super) fn warn(warnings: &[String]) {
    if !warnings.is_empty() {
        console_warn(&format!(
            "<booking-picker>: metadata is not sent as it was given: {}",
            warnings.join(", ")
        ));
    }
}

/// Expands `source` to `utm_source`.
fn campaign_key(key: &str) -> String {
    let long = CAMPAIGN
        .into_iter()
        .find(|long| long.strip_prefix("utm_") == Some(key));
    long.unwrap_or(key).to_owned()
}

#[derive(Default)]
struct Collected {
    map: JsonMap,
    warnings: Vec<String>,
}

impl Collected {
    fn add(&mut self, key: String, value: &Value) {
        if self.map.contains_key(&key) {
            return;
        }
        let warning = match value {
            _ if key.is_empty() || key.chars().count() > MAX_METADATA_KEY_CHARS => {
                "its name is too long"
            }
            Value::Null => return,
            Value::Array(_) | Value::Object(_) => "it is no text, number or claim",
            _ if self.map.len() >= MAX_METADATA_KEYS => "there are too many",
            Value::String(text) if text.chars().count() > MAX_METADATA_TEXT_CHARS => {
                let start = text.chars().take(MAX_METADATA_TEXT_CHARS).collect();
                self.map.insert(key.clone(), Value::String(start));
                return self.add_warning(&key, "it was cut to 500 characters");
            }
            value => {
                self.map.insert(key, value.clone());
                return;
            }
        };
        self.add_warning(&key, warning);
    }

    fn add_warning(&mut self, key: &str, warning: &str) {
        let mut text: String = key.chars().take(60).collect();
        text.push_str(" (");
        text.push_str(warning);
        text.push(')');
        self.warnings.push(text);
    }
}

/// Decoded names and values of a query.
fn pairs(search: &str) -> impl Iterator<Item = (String, String)> {
    search
        .strip_prefix('?')
        .unwrap_or(search)
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| (decoded(name), decoded(value)))
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let [first, tail @ ..] = rest {
        rest = tail;
        let code = match (first, tail) {
            (b'%', [high, low, after @ ..]) => digit(*high).zip(digit(*low)).map(|(high, low)| {
                rest = after;
                high * 16 + low
            }),
            _ => None,
        };
        bytes.push(match first {
            b'+' => b' ',
            first => code.unwrap_or(*first),
        });
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn digit(byte: u8) -> Option<u8> {
    let value = char::from(byte).to_digit(16)?;
    u8::try_from(value).ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn map(value: Value) -> JsonMap {
        value.as_object().cloned().unwrap()
    }

    fn collected(own: Value, utm: Value, search: &str) -> (Value, Vec<String>) {
        let (map, warnings) = collect(&map(own), &map(utm), search);
        (Value::Object(map), warnings)
    }

    #[test]
    fn collect_url_takes_campaign_parameters_only() {
        let search = "?utm_source=news%20letter&utm_medium=e+mail&gclid=1&utm_campaign=fr%C3%BChling\
                      &utm_term=&utm_content=100%&utm_source=second&name=Ada";
        assert_eq!(
            collected(json!({}), json!({}), search),
            (
                json!({"utm_source": "news letter", "utm_medium": "e mail", "utm_campaign": "frühling",
                       "utm_content": "100%"}),
                vec![]
            )
        );
        assert_eq!(collected(json!({}), json!({}), "").0, json!({}));
    }

    #[test]
    fn collect_page_values_win() {
        assert_eq!(
            collected(
                json!({"utm_source": "own", "plan": 7, "vip": true}),
                json!({"source": "object", "medium": "object", "salesforce_uuid": "x"}),
                "?utm_source=address&utm_medium=address&utm_term=address"
            ),
            (
                json!({"utm_source": "own", "plan": 7, "vip": true, "utm_medium": "object",
                       "salesforce_uuid": "x", "utm_term": "address"}),
                vec![]
            )
        );
    }

    #[test]
    fn amend_late_values_win_within_limits() {
        let before = map(json!({"source": "own", "utm_source": "address", "plan": 7}));
        let own = map(json!({"plan": 8, "lead": "x"}));
        let utm = map(json!({"source": "late"}));
        let amended = amend(&before, &own, &utm);
        let expected = json!({"source": "own", "utm_source": "late", "plan": 8, "lead": "x"});
        assert_eq!(Value::Object(amended), expected);
        let many: JsonMap = (0..50)
            .map(|key| (key.to_string(), Value::from(key)))
            .collect();
        let amended = amend(&many, &own, &utm);
        assert_eq!(amended.len(), 50);
        assert_eq!(amended.get("lead"), own.get("lead"));
    }

    #[test]
    fn as_texts_converts_numbers_and_booleans() {
        let values = json!({"plan": "team", "size": 7, "share": 2.5, "vip": true});
        let expected = json!({"plan": "team", "size": "7", "share": "2.5", "vip": "true"});
        assert_eq!(Value::Object(as_texts(&map(values))), expected);
    }

    #[test]
    fn collect_values_beyond_limits_are_cut_with_warning() {
        let (kept, warnings) = collected(
            json!({"nested": {"a": 1}, "list": [], "nothing": null, "k".repeat(41): 1, "long": "ä".repeat(501)}),
            json!({}),
            "",
        );
        assert_eq!(kept, json!({"long": "ä".repeat(500)}));
        assert_eq!(warnings.len(), 4, "{warnings:?}");
        let many: JsonMap = (0..60)
            .map(|key| (key.to_string(), Value::from(key)))
            .collect();
        let (kept, warnings) = collect(&many, &JsonMap::new(), "?utm_source=late");
        assert_eq!((kept.len(), warnings.len()), (50, 11));
    }
}
