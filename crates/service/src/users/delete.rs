//! Deletion of users, and reassignment or cancellation of the bookings that they host.

use booking_wire::{BookingStatus, Instant, JsonMap, ReleasedBookings};

use crate::bookings::reassign::{
    ReassignResult, reassign_from, record_mail as record_reassignment,
};
use crate::error::{Error, Result};
use crate::mail::events as mail;
use crate::store::booking_actions::{self, BookingSnapshot};
use crate::store::{Db, credentials, teams, users};
use crate::webhooks::events::{self, Trigger};

/// Reason for the reassignment or cancellation of a booking.
const REASON: &str = "The host's account was deleted";

/// Returns a suffix for messages; empty if there were no bookings.
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

/// Deletes users with their schedules, event types, tokens, memberships, and teams without other
/// members.
///
/// Upcoming bookings are reassigned to another available host of the event type, kept by the
/// remaining hosts, or cancelled, with events to webhooks. Everything happens in the transaction
/// of `db`.
///
/// # Errors
///
/// [`Error::BadRequest`] for an owner of an OAuth client, and for the last owner of a team with
/// other members.
pub async fn delete_users(db: &mut Db, user_ids: &[i64], now: Instant) -> Result<ReleasedBookings> {
    let mut released = ReleasedBookings::default();
    for user_id in user_ids {
        reject_owner(db, *user_id).await?;
        for booking in booking_actions::open_of_host(db, *user_id, now).await? {
            if release(db, &booking, *user_id, user_ids, now).await? {
                released.handed_over += 1;
            } else {
                released.cancelled += 1;
            }
        }
        for team in users::solely_owned_teams(db, *user_id).await? {
            teams::delete(db, team.id).await?;
        }
        users::delete(db, *user_id).await?;
    }
    Ok(released)
}

async fn reject_owner(db: &mut Db, user_id: i64) -> Result<()> {
    let clients = credentials::clients_of(db, user_id).await?;
    if !clients.is_empty() {
        return Err(Error::BadRequest(format!(
            "the user owns OAuth clients, which act as them: transfer or delete them first: {}",
            clients.join(", ")
        )));
    }
    let teams = users::solely_owned_teams(db, user_id).await?;
    if let Some(team) = teams.iter().find(|team| team.others > 0) {
        return Err(Error::BadRequest(format!(
            "the user is the last owner of the team \"{}\" ({}): make somebody else an owner first",
            team.name, team.id
        )));
    }
    Ok(())
}

/// Removes a host from a booking. Returns false if the booking is cancelled.
async fn release(
    db: &mut Db,
    booking: &BookingSnapshot,
    user_id: i64,
    leaving: &[i64],
    now: Instant,
) -> Result<bool> {
    let substitute = reassign_from(db, booking, user_id, leaving, REASON, now).await?;
    if substitute == ReassignResult::Reassigned {
        return Ok(true);
    }
    let has_others = booking.host_ids.iter().any(|id| !leaving.contains(id));
    if has_others {
        booking_actions::remove_host(db, booking.id, user_id, now).await?;
        record_reassignment(db, now, booking.id, (user_id, None), Some(REASON)).await?;
        return Ok(true);
    }
    booking_actions::set_status(db, booking, &BookingStatus::Cancelled, now).await?;
    booking_actions::set_reason(db, booking.id, Some(REASON), None).await?;
    let mut extras = JsonMap::new();
    extras.insert("cancellationReason".into(), REASON.into());
    events::booking(db, now, Trigger::BookingCancelled, booking.id, extras).await?;
    let details = mail::Details {
        was_pending: booking.status != BookingStatus::Accepted,
        reason: Some(REASON.to_owned()),
        ..mail::Details::default()
    };
    mail::record(db, now, mail::Kind::Cancelled, booking.id, &details).await?;
    Ok(false)
}
