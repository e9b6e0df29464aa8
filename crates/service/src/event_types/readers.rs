//! Readers of settings: each returns the value to store, or adds a violation.

use booking_wire::JsonMap;
use serde_json::{Value, json};

use crate::validate::{Checks, is_url, whole};

/// Reads the value of the property with that path, complains, or both.
pub(super) type Rule = fn(&str, &Value, &mut Checks) -> Option<Value>;

/// An array of so many elements.
pub(super) fn array<'a>(
    path: &str,
    value: &'a Value,
    size: std::ops::RangeInclusive<usize>,
    checks: &mut Checks,
) -> Option<&'a [Value]> {
    let Some(items) = value.as_array() else {
        checks.complain(path, value, "isArray", "must be an array");
        return None;
    };
    if !size.contains(&items.len()) {
        let complaint = format!("must hold {} to {} elements", size.start(), size.end());
        checks.complain(path, value, "arraySize", &complaint);
        return None;
    }
    Some(items)
}

/// An object.
pub(super) fn object<'a>(path: &str, value: &'a Value, checks: &mut Checks) -> Option<&'a JsonMap> {
    let map = value.as_object();
    if map.is_none() {
        checks.complain(path, value, "isObject", "must be an object");
    }
    map
}

/// One of a few words.
pub(super) fn word<'w>(
    words: &[&'w str],
    path: &str,
    value: &Value,
    checks: &mut Checks,
) -> Option<&'w str> {
    let found = value
        .as_str()
        .and_then(|given| words.iter().find(|word| **word == given));
    if found.is_none() {
        let complaint = format!("must be one of: {}", words.join(", "));
        checks.complain(path, value, "isEnum", &complaint);
    }
    found.copied()
}

/// A whole number within bounds.
pub(super) fn whole_between<const MIN: i64, const MAX: i64>(
    path: &str,
    value: &Value,
    checks: &mut Checks,
) -> Option<Value> {
    let Some(number) = whole(value) else {
        checks.complain(path, value, "isInt", "must be a whole number");
        return None;
    };
    if (MIN..=MAX).contains(&number) {
        return Some(json!(number));
    }
    let complaint = if MAX == i64::MAX {
        format!("must not be less than {MIN}")
    } else {
        format!("must be from {MIN} to {MAX}")
    };
    let rule = if number < MIN { "min" } else { "max" };
    checks.complain(path, value, rule, &complaint);
    None
}

/// `true` or `false`.
pub(super) fn flag(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    if !value.is_boolean() {
        checks.complain(path, value, "isBoolean", "must be a boolean value");
        return None;
    }
    Some(value.clone())
}

/// A text of limited length.
pub(super) fn text<const MAX: usize>(
    path: &str,
    value: &Value,
    checks: &mut Checks,
) -> Option<Value> {
    let Some(text) = value.as_str() else {
        checks.complain(path, value, "isString", "must be a string");
        return None;
    };
    if text.chars().count() > MAX {
        let complaint = format!("must be at most {MAX} characters long");
        checks.complain(path, value, "maxLength", &complaint);
        return None;
    }
    Some(json!(text))
}

/// A text of limited length that is not blank, without the blanks around it.
pub(super) fn words<const MAX: usize>(
    path: &str,
    value: &Value,
    checks: &mut Checks,
) -> Option<Value> {
    let read = text::<MAX>(path, value, checks)?;
    let trimmed = read.as_str().unwrap_or_default().trim();
    if trimmed.is_empty() {
        checks.complain(path, value, "isNotEmpty", "should not be empty");
        return None;
    }
    Some(json!(trimmed))
}

pub(super) fn url(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    let read = value.as_str().filter(|text| is_url(text));
    if read.is_none() {
        checks.complain(
            path,
            value,
            "isUrl",
            "must be an address that begins with https:// or http://",
        );
    }
    read.map(|text| json!(text))
}
