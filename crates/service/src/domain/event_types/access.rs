//! Access to event types: callers who may book one, and fields that they see.

use booking_wire::{EventType, Location};

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::Resource;
use crate::error::{Error, Result};
use crate::store::Db;
use crate::store::event_types::StoredEventType;

pub use crate::domain::event_types::form::{FIELD_KEYS, integration_name};
pub use crate::domain::event_types::input::{setting_keys, unsupported_keys};

/// Rejects callers who may not book an event type, for slots, reservations and bookings alike. Returns true if the
/// caller has host access.
///
/// A closed event type is reported as missing. One that requires authentication is open to its
/// owner, its hosts and callers who may update it. `missing` returns the error for an event type
/// that does not exist.
pub async fn authorise_booker(
    db: &mut Db,
    stored: &StoredEventType,
    caller: Option<&Caller>,
    missing: impl FnOnce() -> Error,
) -> Result<bool> {
    if let Some(caller) = caller
        && has_host_access(db, caller, stored).await?
    {
        return Ok(true);
    }
    if stored.wire.closed {
        return Err(missing());
    }
    if stored.wire.booking_requires_authentication {
        return Err(match caller {
            None => Error::Unauthorized("this event type can be booked by signed-in callers only"),
            Some(_) => Error::Forbidden(
                "this event type can be booked by its owner, its hosts and those who run its team only"
                    .into(),
            ),
        });
    }
    Ok(false)
}

/// Returns true if the caller owns, hosts or may update the event type.
pub async fn has_host_access(
    db: &mut Db,
    caller: &Caller,
    stored: &StoredEventType,
) -> Result<bool> {
    Ok(is_owner_or_host(caller, stored) || can_update(db, caller, stored).await?)
}

/// Returns true if the caller owns or hosts the event type.
pub fn is_owner_or_host(caller: &Caller, stored: &StoredEventType) -> bool {
    stored.wire.owner_id == Some(caller.user_id) || stored.host_ids().contains(&caller.user_id)
}

/// Returns true if the caller may update the event types of the event type's team.
pub async fn can_update(db: &mut Db, caller: &Caller, stored: &StoredEventType) -> Result<bool> {
    let Some(team_id) = stored.wire.team_id else {
        return Ok(false);
    };
    let team = Resource::of_team(team_id);
    caller.has_permission(db, "eventType.update", &team).await
}

/// The event type as a response. Without host access, private values are left out.
pub fn event_type_response(
    app: &AppState,
    stored: StoredEventType,
    has_host_access: bool,
) -> EventType {
    let base = &app.settings.base_url;
    let mut wire = stored.wire;
    let tells_attendees = wire.sends_email.unwrap_or(true);
    let sends_email = tells_attendees && app.settings.mail_is_available;
    wire.sends_email = Some(sends_email);
    // A verified address needs no correction.
    wire.allows_email_correction = Some(sends_email && !wire.requires_booker_email_verification);
    wire.booking_url = match wire.team_id {
        Some(team_id) => {
            let team_slug = wire.team.as_ref().and_then(|team| team.slug.clone());
            let team = team_slug.unwrap_or_else(|| team_id.to_string());
            format!("{base}/team/{team}/{}", wire.slug)
        }
        None => format!("{base}/{}/{}", stored.owner_slug, wire.slug),
    };
    if !has_host_access {
        wire.destination_calendar = None;
        wire.booking_fields.retain(|field| !field.hidden);
        wire.locations.iter_mut().for_each(clear_private_value);
    }
    wire
}

/// Clears the value of a location that is not public: it is part of the booking only.
fn clear_private_value(location: &mut Location) {
    match location {
        Location::Address {
            address: value,
            public: false,
        }
        | Location::Link {
            link: value,
            public: false,
        }
        | Location::Phone {
            phone: value,
            public: false,
        } => value.clear(),
        _ => {}
    }
}
