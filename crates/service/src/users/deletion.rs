//! Deletion of people, and what becomes of the bookings that they host.

use booking_wire::{BookingStatus, Instant, JsonMap, ReleasedBookings};

use crate::bookings::reassign::{Substitute, hand_over_from};
use crate::error::{Error, Result};
use crate::store::booking_acts::{self, Known};
use crate::store::{Db, credentials, teams, users};
use crate::webhooks::events::{self, Trigger};

/// Reason that bookings have when nobody is left to host them.
const REASON: &str = "The host's account was deleted";

/// Words for messages, to be appended; none if there were no bookings.
pub fn summary(released: ReleasedBookings) -> String {
    let ReleasedBookings {
        handed_over,
        cancelled,
    } = released;
    match (handed_over, cancelled) {
        (0, 0) => String::new(),
        _ => format!(", upcoming bookings: {handed_over} handed over, {cancelled} cancelled"),
    }
}

/// Deletes people with what is theirs alone: schedules, event types, tokens, memberships, and teams
/// without other members.
///
/// Their upcoming bookings go to another host of the event type who is free, stay with the
/// remaining hosts, or are cancelled, which webhooks are told. Everything happens in the
/// transaction of `db`.
///
/// # Errors
///
/// [`Error::BadRequest`] for somebody who owns an OAuth client, or is the last owner of a team that
/// has other members.
pub async fn delete_users(db: &mut Db, user_ids: &[i64], now: Instant) -> Result<ReleasedBookings> {
    let mut released = ReleasedBookings::default();
    for user_id in user_ids {
        refuse_owner(db, *user_id).await?;
        for booking in booking_acts::open_of_host(db, *user_id, now).await? {
            if release(db, &booking, *user_id, user_ids, now).await? {
                released.handed_over += 1;
            } else {
                released.cancelled += 1;
            }
        }
        for team in users::teams_owned_alone(db, *user_id).await? {
            teams::delete(db, team.id).await?;
        }
        users::delete(db, *user_id).await?;
    }
    Ok(released)
}

async fn refuse_owner(db: &mut Db, user_id: i64) -> Result<()> {
    let clients = credentials::clients_of(db, user_id).await?;
    if !clients.is_empty() {
        return Err(Error::BadRequest(format!(
            "the user owns OAuth clients, which act as them: transfer or delete them first: {}",
            clients.join(", ")
        )));
    }
    let teams = users::teams_owned_alone(db, user_id).await?;
    if let Some(team) = teams.iter().find(|team| team.others > 0) {
        return Err(Error::BadRequest(format!(
            "the user is the last owner of the team \"{}\" ({}): make somebody else an owner first",
            team.name, team.id
        )));
    }
    Ok(())
}

/// Frees a booking of one of its hosts. True if it takes place all the same.
async fn release(
    db: &mut Db,
    booking: &Known,
    user_id: i64,
    leaving: &[i64],
    now: Instant,
) -> Result<bool> {
    let substitute = hand_over_from(db, booking, user_id, leaving, REASON, now).await?;
    if substitute == Substitute::Found {
        return Ok(true);
    }
    let has_others = booking.host_ids.iter().any(|id| !leaving.contains(id));
    if has_others {
        booking_acts::remove_host(db, booking.id, user_id, now).await?;
        return Ok(true);
    }
    booking_acts::set_status(db, booking, &BookingStatus::Cancelled, now).await?;
    booking_acts::set_reason(db, booking.id, Some(REASON), None).await?;
    let mut extras = JsonMap::new();
    extras.insert("cancellationReason".into(), REASON.into());
    events::booking(db, now, Trigger::BookingCancelled, booking.id, extras).await?;
    Ok(false)
}
