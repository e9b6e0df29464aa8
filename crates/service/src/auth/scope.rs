//! Scopes that limit API keys and access tokens, as operations name them. Options of commands:
//! `cli/scopes.rs`.
//!
//! Teams, members and roles have the scopes of the profile, webhooks those of apps: the API has
//! no separate scopes for them.

/// No scope: every key and token may call the operation.
pub const NO_SCOPE: Option<&str> = None;
/// `EVENT_TYPE_READ`.
pub const EVENT_TYPE_READ: Option<&str> = Some("EVENT_TYPE_READ");
/// `EVENT_TYPE_WRITE`.
pub const EVENT_TYPE_WRITE: Option<&str> = Some("EVENT_TYPE_WRITE");
/// `BOOKING_READ`.
pub const BOOKING_READ: Option<&str> = Some("BOOKING_READ");
/// `BOOKING_WRITE`.
pub const BOOKING_WRITE: Option<&str> = Some("BOOKING_WRITE");
/// `SCHEDULE_READ`.
pub const SCHEDULE_READ: Option<&str> = Some("SCHEDULE_READ");
/// `SCHEDULE_WRITE`.
pub const SCHEDULE_WRITE: Option<&str> = Some("SCHEDULE_WRITE");
/// `PROFILE_READ`.
pub const PROFILE_READ: Option<&str> = Some("PROFILE_READ");
/// `PROFILE_WRITE`.
pub const PROFILE_WRITE: Option<&str> = Some("PROFILE_WRITE");
/// `APPS_READ`.
pub const APPS_READ: Option<&str> = Some("APPS_READ");
/// `APPS_WRITE`.
pub const APPS_WRITE: Option<&str> = Some("APPS_WRITE");
