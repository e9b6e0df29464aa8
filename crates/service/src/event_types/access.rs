//! What can be booked (contract 3.3).

use booking_wire::{EventType, Location};

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::{Subject, holds};
use crate::error::{Error, Result};
use crate::store::Db;
use crate::store::event_types::Stored;

pub use crate::event_types::form::{FIELD_KEYS, integration_name};

/// Keys of the settings of an event type, of a team or of a person.
pub fn setting_keys(is_team: bool) -> Vec<&'static str> {
    crate::event_types::input::setting_keys(is_team)
}

/// Keys of settings that cannot be switched on in this installation.
pub fn unsupported_keys() -> Vec<&'static str> {
    crate::event_types::input::unsupported_keys()
}

/// Refuses whoever may not book an event type: one that is hidden is not admitted to exist, and one
/// that asks for it is for those who own, host or run it. Free times, reservations and bookings ask
/// alike. `missing` is the error for an event type that does not exist, named as the request does.
pub fn refuse_outsider(
    stored: &Stored,
    caller: Option<&Caller>,
    is_insider: bool,
    missing: impl FnOnce() -> Error,
) -> Result<()> {
    if is_insider {
        return Ok(());
    }
    if stored.wire.hidden {
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
    Ok(())
}

/// Whether the caller owns, hosts or runs the event type.
pub async fn is_insider(db: &mut Db, caller: &Caller, stored: &Stored) -> Result<bool> {
    Ok(is_own(caller, stored) || runs_it(db, caller, stored).await?)
}

/// Returns true if the caller owns or hosts the event type.
pub fn is_own(caller: &Caller, stored: &Stored) -> bool {
    stored.wire.owner_id == Some(caller.user_id) || stored.host_ids().contains(&caller.user_id)
}

/// Returns true if the caller runs the event type's team.
pub async fn runs_it(db: &mut Db, caller: &Caller, stored: &Stored) -> Result<bool> {
    let Some(team_id) = stored.wire.team_id else {
        return Ok(false);
    };
    holds(
        db,
        caller.user_id,
        "eventType.update",
        &Subject::of_team(team_id),
    )
    .await
}

/// As it is written to those who host or run it, or to anybody else.
pub fn written(app: &AppState, stored: Stored, insider: bool) -> EventType {
    let base = &app.settings.base_url;
    let mut wire = stored.wire;
    // The addresses under which the app offers it.
    wire.booking_url = match wire.team_id {
        Some(team_id) => format!("{base}/team/{team_id}/{}", wire.slug),
        None => format!("{base}/{}/{}", stored.place, wire.slug),
    };
    if !insider {
        wire.destination_calendar = None;
        wire.booking_fields.retain(|field| !field.hidden);
        wire.locations.iter_mut().for_each(withhold);
    }
    wire
}

/// A place that is not public is told once a booking is made.
fn withhold(location: &mut Location) {
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
