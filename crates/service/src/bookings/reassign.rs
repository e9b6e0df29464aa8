//! Handing a round-robin booking to another host (contract 3.5.2).

use booking_wire::{Booking, Instant, JsonMap, ReassignedBooking, ReassignedTo};

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::Subject;
use crate::availability::{Host, MINUTE, Rules};
use crate::bookings::read::read_one;
use crate::bookings::title::{TitleFacts, booking_title};
use crate::error::{Error, Result};
use crate::lifecycle::{self, Event};
use crate::slots::rules::rules;
use crate::store::booking_acts::{self, Known};
use crate::store::busy::{self, Asked};
use crate::store::event_types::{self, Stored};
use crate::store::{self, Db, accounts};

/// The host who takes over.
#[derive(Clone, Copy, Debug)]
pub enum Choice {
    /// The free host with the highest priority; among equals the one with the fewest bookings.
    Fairest,
    /// This user.
    User(i64),
}

/// Hands a booking to another of its event type's rotating hosts.
pub async fn hand_over(
    app: &AppState,
    caller: &Caller,
    uid: &str,
    choice: Choice,
    reason: Option<&str>,
) -> Result<ReassignedBooking> {
    let mut transaction = app.store.begin().await?;
    let db = &mut *transaction;
    let now = app.clock.now();
    let booking = booking_acts::one(db, uid).await?;
    caller.authorise(db, &Subject::of_booking(&booking)).await?;
    lifecycle::next(booking.standing(now), Event::Change)?;

    let Candidates {
        stored,
        old,
        others,
        rules,
    } = candidates(db, &booking, now).await?;
    let new = match choice {
        Choice::User(id) if booking.host_ids.contains(&id) => {
            return refuse("the booking is hosted by this user already");
        }
        Choice::User(id) => match others.iter().find(|host| host.id == id) {
            Some(host) if host.is_idle(booking.span()) => id,
            Some(_) => {
                return refuse("the host is not available at this time: they have another booking");
            }
            None => return refuse("the user is no rotating host of this event type"),
        },
        Choice::Fairest => match fairest(db, &booking, &others, &rules).await? {
            Some(id) => id,
            None => return refuse("no other host is available at this time"),
        },
    };
    booking_acts::replace_host(db, booking.id, old, new)
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
    let title = retitled(db, &stored, &booking, (old, new)).await?;
    booking_acts::set_reassignment(db, booking.id, reason, title.as_deref(), now).await?;
    let booking = read_one(db, booking.id).await?;
    transaction.commit().await?;
    let reassigned_to = reassigned_to(&booking, new)?;
    Ok(ReassignedBooking {
        booking_uid: booking.uid.to_string(),
        reassigned_to,
        booking,
    })
}

/// Of the hosts who are free, the one whose turn it is.
async fn fairest(
    db: &mut Db,
    booking: &Known,
    others: &[Host],
    rules: &Rules,
) -> Result<Option<i64>> {
    let turns = match booking.event_type_id {
        Some(id) => busy::turns(db, id, booking.start.0).await?,
        None => Default::default(),
    };
    Ok(others
        .iter()
        .filter(|host| host.could_take(booking.span(), rules))
        .map(|host| host.id)
        .min_by_key(|id| (turns.of(*id), *id)))
}

/// Result of looking for another host.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Substitute {
    /// The booking is theirs.
    Found,
    /// Nothing has changed.
    None,
}

/// Hands a booking of the rotating host `old` to another one who is free and not among `leaving`.
/// Bookings of event types without rotating hosts are left as they are.
pub async fn hand_over_from(
    db: &mut Db,
    booking: &Known,
    old: i64,
    leaving: &[i64],
    reason: &str,
    now: Instant,
) -> Result<Substitute> {
    let candidates = match candidates(db, booking, now).await {
        Ok(candidates) => candidates,
        Err(Error::BadRequest(_)) => return Ok(Substitute::None),
        Err(error) => return Err(error),
    };
    let mut others = candidates.others;
    others.retain(|host| !leaving.contains(&host.id));
    if candidates.old != old {
        return Ok(Substitute::None);
    }
    let Some(new) = fairest(db, booking, &others, &candidates.rules).await? else {
        return Ok(Substitute::None);
    };
    booking_acts::replace_host(db, booking.id, old, new).await?;
    let title = retitled(db, &candidates.stored, booking, (old, new)).await?;
    booking_acts::set_reassignment(db, booking.id, Some(reason), title.as_deref(), now).await?;
    Ok(Substitute::Found)
}

/// The host of the booking with the id `new`.
fn reassigned_to(booking: &Booking, new: i64) -> Result<ReassignedTo> {
    let id = new.to_string();
    let host = booking.hosts.iter().find(|host| host.id == id);
    let host = host.ok_or(Error::Internal)?;
    Ok(ReassignedTo {
        id: new,
        name: host.name.clone(),
        email: host.email.clone(),
        display_email: host.display_email.clone(),
    })
}

fn refuse<T>(text: &str) -> Result<T> {
    Err(Error::BadRequest(text.to_owned()))
}

/// Who hosts the booking and can be replaced, and who could be in their place.
struct Candidates {
    stored: Stored,
    old: i64,
    others: Vec<Host>,
    rules: Rules,
}

async fn candidates(db: &mut Db, booking: &Known, now: Instant) -> Result<Candidates> {
    let stored = match booking.event_type_id {
        Some(id) => event_types::get(db, id).await?,
        None => None,
    };
    let Some(stored) =
        stored.filter(|stored| stored.wire.scheduling_type.as_deref() == Some("roundRobin"))
    else {
        return refuse("only bookings of round-robin event types can be reassigned");
    };
    let rules = rules(&stored, (booking.end.0 - booking.start.0) / MINUTE);
    let asked = Asked {
        window: booking.span(),
        now: now.0,
        moved: Some(&booking.uid),
    };
    let hosts = busy::calendar(db, &stored, &rules, asked).await?.hosts;
    let is_fixed = |id: i64| hosts.iter().any(|host| host.id == id && host.fixed);
    let Some(old) = booking.host_ids.iter().copied().find(|id| !is_fixed(*id)) else {
        return refuse("no host of the booking can be replaced: all of them are fixed");
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

/// Title of the booking with the name of the new host, if the service has made it.
async fn retitled(
    db: &mut Db,
    stored: &Stored,
    booking: &Known,
    (old, new): (i64, i64),
) -> Result<Option<String>> {
    let before = read_one(db, booking.id).await?;
    let nothing = JsonMap::new();
    let attendee = before.attendees.first();
    let title = |host: i64| {
        let facts = TitleFacts {
            host_ids: &[host],
            attendee: attendee.map_or("", |attendee| attendee.name.as_str()),
            minutes: booking.end.minutes_since(booking.start),
            responses: before.booking_fields_responses.as_ref().unwrap_or(&nothing),
        };
        booking_title(stored, &facts)
    };
    if before.title == title(old) {
        return Ok(Some(title(new)));
    }
    // The event type may have had another title when the booking was made.
    let (Some(old), Some(new)) = (
        accounts::me(db, old).await?.and_then(|me| me.name),
        accounts::me(db, new).await?.and_then(|me| me.name),
    ) else {
        return Ok(None);
    };
    let (old, new) = (format!("between {old} and "), format!("between {new} and "));
    let names_old = before.title.contains(&old);
    Ok(names_old.then(|| before.title.replace(&old, &new)))
}
