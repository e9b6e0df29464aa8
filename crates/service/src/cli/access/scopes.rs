//! Scopes as options of commands, and as they print them. Operations: `auth/scope.rs`.

use crate::error::Result;

/// Scopes of API keys and of an OAuth client's tokens.
pub(crate) const SCOPES: [&str; 11] = [
    "*",
    "EVENT_TYPE_READ",
    "EVENT_TYPE_WRITE",
    "BOOKING_READ",
    "BOOKING_WRITE",
    "SCHEDULE_READ",
    "SCHEDULE_WRITE",
    "APPS_READ",
    "APPS_WRITE",
    "PROFILE_READ",
    "PROFILE_WRITE",
];

/// Scopes from their JSON array, separated by commas; `*` for `None`.
pub(crate) fn scope_names(json: Option<&str>) -> Result<String> {
    let Some(json) = json else {
        return Ok("*".into());
    };
    let scopes: Vec<String> = serde_json::from_str(json)?;
    Ok(scopes.join(","))
}
