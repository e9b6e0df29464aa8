//! Limits the size of payloads.

use std::io;

use booking_wire::JsonMap;
use serde_json::Value;

/// Longest texts of a payload above its limit, in characters; halved until the payload fits.
const LONGEST_TEXT: usize = 8_192;

/// Length in characters to which texts of a payload are shortened at most.
const SHORTEST_TEXT: usize = 64;

/// Most elements of its lists; halved until the payload fits.
const LONGEST_LIST: usize = 64;

/// Deepest nesting.
const DEPTH: usize = 8;

/// Shortens texts, then lists, until the payload has at most `limit` bytes. A shortened payload
/// has `"truncated": true`.
pub(super) fn fit(fields: &mut JsonMap, limit: usize) {
    if size(fields) <= limit {
        return;
    }
    fields.insert("truncated".to_owned(), true.into());
    let mut max_text = LONGEST_TEXT;
    while max_text >= SHORTEST_TEXT && size(fields) > limit {
        fields
            .values_mut()
            .for_each(|value| shorten(value, max_text, usize::MAX, DEPTH));
        max_text /= 2;
    }
    let mut max_list = LONGEST_LIST;
    while max_list > 0 && size(fields) > limit {
        fields
            .values_mut()
            .for_each(|value| shorten(value, SHORTEST_TEXT, max_list, DEPTH));
        max_list /= 2;
    }
}

fn shorten(value: &mut Value, max_text: usize, max_list: usize, depth: usize) {
    let Some(depth) = depth.checked_sub(1) else {
        *value = Value::Null;
        return;
    };
    match value {
        Value::String(long) => {
            if let Some((end, _)) = long.char_indices().nth(max_text) {
                long.truncate(end);
                long.push('…');
            }
        }
        Value::Array(items) => {
            items.truncate(max_list);
            for item in items {
                shorten(item, max_text, max_list, depth);
            }
        }
        Value::Object(fields) => {
            for field in fields.values_mut() {
                shorten(field, max_text, max_list, depth);
            }
        }
        _ => {}
    }
}

/// Bytes of a payload as JSON.
fn size(fields: &JsonMap) -> usize {
    struct Counter(usize);
    impl io::Write for Counter {
        fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
            self.0 += bytes.len();
            Ok(bytes.len())
        }

        fn flush(&mut self) -> io::Result<()> {
            Ok(())
        }
    }
    let mut counter = Counter(0);
    match serde_json::to_writer(&mut counter, fields) {
        Ok(()) => counter.0,
        Err(_) => usize::MAX,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn fitted(payload: Value, limit: usize) -> Value {
        let Value::Object(mut fields) = payload else {
            panic!("an object");
        };
        fit(&mut fields, limit);
        assert!(size(&fields) <= limit, "{}", size(&fields));
        Value::Object(fields)
    }

    #[test]
    fn payload_within_the_limit_is_unchanged() {
        let payload = json!({"notes": "n".repeat(10_000), "list": [1, 2, 3]});
        assert_eq!(fitted(payload.clone(), 20_000), payload);
    }

    #[test]
    fn longest_texts_are_shortened_first() {
        let payload = json!({"notes": "é".repeat(10_000), "title": "t".repeat(4_000)});
        let fitted = fitted(payload, 15_000);
        assert_eq!(fitted["truncated"], true);
        assert_eq!(fitted["title"], "t".repeat(4_000));
        let notes = fitted["notes"].as_str().unwrap();
        assert_eq!(notes.chars().count(), 4_097);
        assert!(notes.ends_with('…'));
    }

    #[test]
    fn lists_and_depth_are_limited_last() {
        let mut nested = json!("deep");
        for _ in 0..100 {
            nested = json!([nested]);
        }
        let payload = json!({"modules": vec!["Calendar"; 80_000], "nested": nested});
        let fitted = fitted(payload, 2_000);
        assert_eq!(fitted["modules"].as_array().unwrap().len(), 64);
        assert_eq!(fitted["nested"].to_string(), "[[[[[[[[null]]]]]]]]");
    }
}
