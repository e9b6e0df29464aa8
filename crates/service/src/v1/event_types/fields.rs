//! Helpers that read fields of event types.

use serde_json::{Value, json};

use crate::validate::Object;

/// Message for a value that is no boolean.
pub(super) const CLAIM: &str = "must be a boolean value";

/// Returns the value of version 2 for a setting that is off.
pub(super) fn off() -> Value {
    json!({"disabled": true})
}

/// Returns true if the key is present, also with `null`.
pub(super) fn is_said(object: Object<'_>, key: &str) -> bool {
    object.value(key).is_some() || object.is_null(key)
}
