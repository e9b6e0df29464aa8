//! Reassigns round-robin bookings to another host.

use booking_rules::availability::{Host, MINUTE, Rules};
use booking_rules::{Transition, transitions};
use booking_wire::{Booking, Instant, JsonMap, ReassignedBooking, ReassignedTo};

use crate::app::AppState;
use crate::auth::Caller;
use crate::domain::bookings::cancel::read_reason_body;
use crate::domain::bookings::read::{find_authorised, read_one};
use crate::domain::bookings::title::{TitleValues, booking_title};
use crate::domain::slots::rules::rules;
use crate::error::{Error, Result};
use crate::messages::mail::events as mail;
use crate::store::bookings::actions::{self, BookingSnapshot};
use crate::store::bookings::round_robin;
use crate::store::busy::{self, BusyQuery, MovedBooking};
use crate::store::event_types::{self, StoredEventType};
use crate::store::people::accounts;
use crate::store::{self, Db, Subject};

/// Choice of the new host.
#[derive(Clone, Copy, Debug)]
pub enum NewHost {
    /// The available host with the highest priority; among equals the one with the fewest bookings.
    NextInRotation,
    /// The user with this id.
    User(i64),
}

/// Reassigns a booking to another rotating host of its event type.
pub async fn reassign_booking(
    app: &AppState,
    caller: &Caller,
    uid: &str,
    new_host: NewHost,
    body: &JsonMap,
) -> Result<ReassignedBooking> {
    let reason = read_reason_body(body)?;
    let mut transaction = app.store.begin(&[Subject::BookingOfAnyHost(uid)]).await?;
    let db = &mut *transaction;
    let now = app.clock.now();
    let booking = find_authorised(db, caller, uid).await?;
    transitions::next_status(booking.context(now), Transition::Change)?;

    let Candidates {
        stored,
        old,
        others,
        rules,
    } = candidates(db, &booking, now).await?;
    let new = match new_host {
        NewHost::User(id) if booking.host_ids.contains(&id) => {
            return reject("the booking is hosted by this user already");
        }
        NewHost::User(id) => match others.iter().find(|host| host.id == id) {
            Some(host) if host.has_no_conflict(booking.range()) => id,
            Some(_) => {
                return reject("the host is not available at this time: they have another booking");
            }
            None => return reject("the user is no rotating host of this event type"),
        },
        NewHost::NextInRotation => match next_in_rotation(db, &booking, &others, &rules).await? {
            Some(id) => id,
            None => return reject("no other host is available at this time"),
        },
    };
    actions::replace_host(db, booking.id, old, new)
        .await
        .map_err(|error| {
            if store::is_host_taken(&error) {
                Error::BadRequest(
                    "the host is not available at this time: they have another booking".into(),
                )
            } else {
                error.into()
            }
        })?;
    let title = updated_title(db, &stored, &booking, (old, new)).await?;
    actions::set_reassignment(db, booking.id, reason.as_deref(), title.as_deref(), now).await?;
    let change = change_of_hosts(old, Some(new));
    let details = mail::Details {
        reason,
        ..mail::Details::default()
    };
    mail::record(
        db,
        now,
        mail::Kind::HostReassigned,
        [(booking.id, change)],
        details,
    )
    .await?;
    let booking = read_one(db, booking.id).await?;
    transaction.commit().await?;
    let reassigned_to = reassigned_to(&booking, new)?;
    Ok(ReassignedBooking {
        booking_uid: booking.uid.to_string(),
        reassigned_to,
        booking,
    })
}

/// Returns the available host who is first in the round-robin order.
async fn next_in_rotation(
    db: &mut Db,
    booking: &BookingSnapshot,
    others: &[Host],
    rules: &Rules,
) -> Result<Option<i64>> {
    let ranks = match booking.event_type_id {
        Some(id) => round_robin::ranks(db, id, booking.start.0).await?,
        None => Default::default(),
    };
    Ok(others
        .iter()
        .filter(|host| host.is_available_for(booking.range(), rules))
        .map(|host| host.id)
        .min_by_key(|id| (ranks.of(*id), *id)))
}

/// Reassigns a booking of the rotating host `old` to another available host who is not in `excluded`, and returns the new
/// host. None if no other host is available, or the event type has no rotating hosts. The caller records the e-mail event.
pub async fn reassign_from(
    db: &mut Db,
    booking: &BookingSnapshot,
    old: i64,
    excluded: &[i64],
    reason: &str,
    now: Instant,
) -> Result<Option<i64>> {
    let candidates = match candidates(db, booking, now).await {
        Ok(candidates) => candidates,
        Err(Error::BadRequest(_)) => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut others = candidates.others;
    others.retain(|host| !excluded.contains(&host.id));
    if candidates.old != old {
        return Ok(None);
    }
    let Some(new) = next_in_rotation(db, booking, &others, &candidates.rules).await? else {
        return Ok(None);
    };
    actions::replace_host(db, booking.id, old, new).await?;
    let title = updated_title(db, &candidates.stored, booking, (old, new)).await?;
    actions::set_reassignment(db, booking.id, Some(reason), title.as_deref(), now).await?;
    Ok(Some(new))
}

/// Change of a booking in the e-mail event of a host who is replaced, or who leaves the others.
pub fn change_of_hosts(old: i64, new: Option<i64>) -> mail::Change {
    mail::Change {
        new_host_ids: new.into_iter().collect(),
        former_host_ids: vec![old],
        ..mail::Change::default()
    }
}

/// Returns the host of the booking with the id `new`.
fn reassigned_to(booking: &Booking, new: i64) -> Result<ReassignedTo> {
    let id = new.to_string();
    let host = booking.hosts.iter().find(|host| host.id == id);
    let host = host.ok_or_else(|| Error::internal("the new host cannot be read"))?;
    Ok(ReassignedTo {
        id: new,
        name: host.name.clone(),
        email: host.email.clone(),
        display_email: host.display_email.clone(),
    })
}

fn reject<T>(text: &str) -> Result<T> {
    Err(Error::BadRequest(text.to_owned()))
}

/// Hosts for a reassignment: `old` can be replaced by one of `others`.
struct Candidates {
    stored: StoredEventType,
    old: i64,
    others: Vec<Host>,
    rules: Rules,
}

async fn candidates(db: &mut Db, booking: &BookingSnapshot, now: Instant) -> Result<Candidates> {
    let stored = match booking.event_type_id {
        Some(id) => event_types::get(db, id).await?,
        None => None,
    };
    let Some(stored) =
        stored.filter(|stored| stored.wire.scheduling_type.as_deref() == Some("roundRobin"))
    else {
        return reject("only bookings of round-robin event types can be reassigned");
    };
    let rules = rules(&stored, (booking.end.0 - booking.start.0) / MINUTE);
    let moved = MovedBooking {
        free_id: Some(booking.id),
        ..MovedBooking::default()
    };
    let busy_query = BusyQuery {
        window: booking.range(),
        now: now.0,
        moved: Some(&moved),
    };
    let hosts = busy::calendar(db, &stored, &rules, busy_query, None)
        .await?
        .hosts;
    let is_fixed = |id: i64| hosts.iter().any(|host| host.id == id && host.fixed);
    let Some(old) = booking.host_ids.iter().copied().find(|id| !is_fixed(*id)) else {
        return reject("no host of the booking can be replaced: all of them are fixed");
    };
    let others = hosts
        .into_iter()
        .filter(|host| !host.fixed && !booking.host_ids.contains(&host.id))
        .collect();
    Ok(Candidates {
        stored,
        old,
        others,
        rules,
    })
}

/// Returns the title with the name of the new host, if the title was generated.
async fn updated_title(
    db: &mut Db,
    stored: &StoredEventType,
    booking: &BookingSnapshot,
    (old, new): (i64, i64),
) -> Result<Option<String>> {
    let before = read_one(db, booking.id).await?;
    let no_responses = JsonMap::new();
    let attendee = before.attendees.first();
    let title = |host: i64| {
        let values = TitleValues {
            host_ids: &[host],
            attendee: attendee.map_or("", |attendee| attendee.name.as_str()),
            minutes: booking.end.minutes_since(booking.start),
            responses: before
                .booking_fields_responses
                .as_ref()
                .unwrap_or(&no_responses),
        };
        booking_title(stored, &values)
    };
    if before.title == title(old) {
        return Ok(Some(title(new)));
    }
    // The title of the event type may have changed since the booking was created.
    let (Some(old), Some(new)) = (
        accounts::me(db, old).await?.and_then(|me| me.name),
        accounts::me(db, new).await?.and_then(|me| me.name),
    ) else {
        return Ok(None);
    };
    let (old, new) = (format!("between {old} and "), format!("between {new} and "));
    let has_old_name = before.title.contains(&old);
    Ok(has_old_name.then(|| before.title.replace(&old, &new)))
}
