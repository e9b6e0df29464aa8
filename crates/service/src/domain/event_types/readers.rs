//! Readers of settings: each returns the value to store, or adds a validation error.

use booking_wire::JsonMap;
use serde_json::{Value, json};

use crate::validate::{Checks, LINE_MESSAGE, TEXT_MESSAGE, integer, is_line, is_text, is_url};

/// Reads the value of the property at a path. Adds a validation error if it is invalid.
pub(super) type Rule = fn(&str, &Value, &mut Checks) -> Option<Value>;

/// An array with a number of elements within `size`.
pub(super) fn array<'a>(
    path: &str,
    value: &'a Value,
    size: std::ops::RangeInclusive<usize>,
    checks: &mut Checks,
) -> Option<&'a [Value]> {
    let Some(items) = value.as_array() else {
        return checks.reject(path, value, "isArray", "must be an array");
    };
    if !size.contains(&items.len()) {
        let message = format!("must hold {} to {} elements", size.start(), size.end());
        return checks.reject(path, value, "arraySize", &message);
    }
    Some(items)
}

/// An object.
pub(super) fn object<'a>(path: &str, value: &'a Value, checks: &mut Checks) -> Option<&'a JsonMap> {
    let map = value.as_object();
    if map.is_none() {
        checks.report(path, value, "isObject", "must be an object");
    }
    map
}

/// One of the strings in `allowed`.
pub(super) fn one_of<'w>(
    allowed: &[&'w str],
    path: &str,
    value: &Value,
    checks: &mut Checks,
) -> Option<&'w str> {
    let found = value
        .as_str()
        .and_then(|text| allowed.iter().find(|name| **name == text));
    if found.is_none() {
        let message = format!("must be one of: {}", allowed.join(", "));
        checks.report(path, value, "isEnum", &message);
    }
    found.copied()
}

/// An integer from `MIN` to `MAX`.
pub(super) fn integer_between<const MIN: i64, const MAX: i64>(
    path: &str,
    value: &Value,
    checks: &mut Checks,
) -> Option<Value> {
    let Some(number) = integer(value) else {
        return checks.reject(path, value, "isInt", "must be a whole number");
    };
    if (MIN..=MAX).contains(&number) {
        return Some(json!(number));
    }
    let message = if MAX == i64::MAX {
        format!("must not be less than {MIN}")
    } else {
        format!("must be from {MIN} to {MAX}")
    };
    let rule = if number < MIN { "min" } else { "max" };
    checks.reject(path, value, rule, &message)
}

/// `true` or `false`.
pub(super) fn flag(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    if !value.is_boolean() {
        return checks.reject(path, value, "isBoolean", "must be a boolean value");
    }
    Some(value.clone())
}

/// A text of at most `MAX` characters.
pub(super) fn text<const MAX: usize>(
    path: &str,
    value: &Value,
    checks: &mut Checks,
) -> Option<Value> {
    let Some(text) = value.as_str() else {
        return checks.reject(path, value, "isString", "must be a string");
    };
    if text.chars().count() > MAX {
        let message = format!("must be at most {MAX} characters long");
        return checks.reject(path, value, "maxLength", &message);
    }
    if !is_text(text) {
        return checks.reject(path, value, "isText", TEXT_MESSAGE);
    }
    Some(json!(text))
}

/// A line of at most `MAX` characters that is not blank, trimmed: a name.
pub(super) fn line<const MAX: usize>(
    path: &str,
    value: &Value,
    checks: &mut Checks,
) -> Option<Value> {
    let read = non_blank_text::<MAX>(path, value, checks)?;
    if !read.as_str().is_some_and(is_line) {
        return checks.reject(path, value, "isLine", LINE_MESSAGE);
    }
    Some(read)
}

/// A text of at most `MAX` characters that is not blank, trimmed.
pub(super) fn non_blank_text<const MAX: usize>(
    path: &str,
    value: &Value,
    checks: &mut Checks,
) -> Option<Value> {
    let read = text::<MAX>(path, value, checks)?;
    let trimmed = read.as_str().unwrap_or_default().trim();
    if trimmed.is_empty() {
        return checks.reject(path, value, "isNotEmpty", "should not be empty");
    }
    Some(json!(trimmed))
}

pub(super) fn url(path: &str, value: &Value, checks: &mut Checks) -> Option<Value> {
    let read = value.as_str().filter(|text| is_url(text));
    if read.is_none() {
        checks.report(
            path,
            value,
            "isUrl",
            "must be an address that begins with https:// or http://",
        );
    }
    read.map(|text| json!(text))
}
