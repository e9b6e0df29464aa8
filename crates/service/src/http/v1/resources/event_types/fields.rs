//! Helpers to parse fields of event types.

use serde_json::{Value, json};

use crate::validate::Object;

/// Message for values that are not booleans.
pub(super) const BOOLEAN_RULE: &str = "must be a boolean value";

/// Value of version 2 for a disabled setting.
pub(super) fn disabled() -> Value {
    json!({"disabled": true})
}

/// Returns true if the key is present, also with `null`.
pub(super) fn is_present(object: &Object<'_>, key: &str) -> bool {
    object.value(key).is_some() || object.is_null(key)
}
