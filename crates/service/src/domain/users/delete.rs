//! Deletion of users, and reassignment or cancellation of the bookings that they host.

use std::collections::BTreeMap;

use booking_wire::{BookingStatus, Instant, JsonMap, ReleasedBookings};

use crate::domain::bookings::reassign::{change_of_hosts, reassign_from};
use crate::error::{Error, Result};
use crate::messages::mail::events as mail;
use crate::messages::webhooks::events::{self, Trigger};
use crate::store::Db;
use crate::store::bookings::actions::{self, BookingSnapshot};
use crate::store::people::{credentials, teams, users};

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
        let mut events = MailEvents::default();
        for booking in actions::open_of_host(db, *user_id, now).await? {
            let (kind, change) = release(db, &booking, *user_id, user_ids, now).await?;
            match kind {
                mail::Kind::Cancelled => released.cancelled += 1,
                _ => released.handed_over += 1,
            }
            events.add(&booking, kind, change);
        }
        // The rows of the user are part of them.
        events.record(db, now).await?;
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

/// E-mail events of bookings: one for all occurrences of a series.
#[derive(Default)]
struct MailEvents(BTreeMap<(String, &'static str), (mail::Kind, Changes)>);

type Changes = Vec<(i64, mail::Change)>;

impl MailEvents {
    fn add(&mut self, booking: &BookingSnapshot, kind: mail::Kind, change: mail::Change) {
        let key = booking.series_uid.as_ref().unwrap_or(&booking.uid);
        let event = self.0.entry((key.clone(), kind.name()));
        let (_, changes) = event.or_insert_with(|| (kind, Vec::new()));
        changes.push((booking.id, change));
    }

    async fn record(self, db: &mut Db, now: Instant) -> Result<()> {
        for (kind, changes) in self.0.into_values() {
            let details = mail::Details {
                reason: Some(REASON.to_owned()),
                ..mail::Details::default()
            };
            mail::record(db, now, kind, changes, details).await?;
        }
        Ok(())
    }
}

/// Removes a host from a booking. Returns what people are told: another host has it, or it is cancelled.
async fn release(
    db: &mut Db,
    booking: &BookingSnapshot,
    user_id: i64,
    leaving: &[i64],
    now: Instant,
) -> Result<(mail::Kind, mail::Change)> {
    let kind = mail::Kind::HostReassigned;
    if let Some(new) = reassign_from(db, booking, user_id, leaving, REASON, now).await? {
        return Ok((kind, change_of_hosts(user_id, Some(new))));
    }
    let has_others = booking.host_ids.iter().any(|id| !leaving.contains(id));
    if has_others {
        actions::remove_host(db, booking.id, user_id, now).await?;
        return Ok((kind, change_of_hosts(user_id, None)));
    }
    actions::set_status(db, booking, &BookingStatus::Cancelled, now).await?;
    actions::set_reason(db, booking.id, Some(REASON), None).await?;
    let mut extras = JsonMap::new();
    extras.insert("cancellationReason".into(), REASON.into());
    events::booking(db, now, Trigger::BookingCancelled, booking.id, extras).await?;
    let change = mail::Change {
        was_pending: booking.status != BookingStatus::Accepted,
        ..mail::Change::default()
    };
    Ok((mail::Kind::Cancelled, change))
}
