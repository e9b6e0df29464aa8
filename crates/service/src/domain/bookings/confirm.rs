//! Confirms and declines pending bookings.

use booking_rules::{Transition, transitions};
use booking_wire::{BookingStatus, Instant, JsonMap};

use crate::app::AppState;
use crate::auth::Caller;
use crate::domain::bookings::cancel::read_reason_body;
use crate::domain::bookings::read::{OneOrSeries, resource_for};
use crate::error::{Error, Result};
use crate::messages::mail::events as mail;
use crate::messages::webhooks::events::{self, Trigger};
use crate::store::bookings::actions::{self, BookingSnapshot, NamedBookings};
use crate::store::{self, Db, Subject, bookings};

/// Confirms a pending booking, or all pending occurrences of a series. A host of an instant event
/// type also joins the booking.
pub async fn confirm(app: &AppState, caller: &Caller, uid: &str) -> Result<OneOrSeries> {
    let mut transaction = app.store.begin(&[Subject::Booking(uid)]).await?;
    let db = &mut *transaction;
    let (response_ids, is_series) = confirm_bookings(db, caller, uid, app.clock.now()).await?;
    let data = OneOrSeries::new(bookings::load(db, &response_ids).await?, is_series)?;
    transaction.commit().await?;
    Ok(data)
}

/// Declines a pending booking; by the uid of a series, all its pending occurrences.
pub async fn decline(
    app: &AppState,
    caller: &Caller,
    uid: &str,
    body: &JsonMap,
) -> Result<OneOrSeries> {
    let reason = read_reason_body(body)?;
    let mut transaction = app.store.begin(&[Subject::Booking(uid)]).await?;
    let db = &mut *transaction;
    let (response_ids, is_series) =
        decline_bookings(db, caller, uid, reason.as_deref(), app.clock.now()).await?;
    let data = OneOrSeries::new(bookings::load(db, &response_ids).await?, is_series)?;
    transaction.commit().await?;
    Ok(data)
}

/// Confirms the booking or series `uid`. Returns the ids for the response, and true for a series.
pub async fn confirm_bookings(
    db: &mut Db,
    caller: &Caller,
    uid: &str,
    now: Instant,
) -> Result<(Vec<i64>, bool)> {
    let named = find_for_confirmation(db, caller, uid).await?;
    confirm_named(db, named, caller.user_id, now).await
}

/// Confirms bookings for a user whose access to them was checked; see [`confirm_bookings`].
pub async fn confirm_named(
    db: &mut Db,
    named: NamedBookings,
    user_id: i64,
    now: Instant,
) -> Result<(Vec<i64>, bool)> {
    // Confirming one occurrence confirms all pending occurrences of its series.
    let (response_ids, targets) = match named.bookings.as_slice() {
        [only] if !named.is_series => {
            transitions::next_status(only.context(now), Transition::Confirm)?;
            let mut targets = vec![only.clone()];
            if let Some(series_uid) = &only.series_uid {
                let others = actions::series(db, series_uid).await?;
                targets.extend(others.into_iter().filter(|other| {
                    other.id != only.id
                        && other.status == BookingStatus::Pending
                        && transitions::next_status(other.context(now), Transition::Confirm).is_ok()
                }));
            }
            (vec![only.id], targets)
        }
        all => {
            let targets = filter_allowed(all, |booking| {
                transitions::next_status(booking.context(now), Transition::Confirm)
            })?;
            (targets.iter().map(|booking| booking.id).collect(), targets)
        }
    };
    let mut changes = Vec::new();
    for booking in &targets {
        let mut change = pending_change();
        if booking.status == BookingStatus::AwaitingHost {
            join(db, user_id, booking).await?;
            let others = booking.host_ids.iter().filter(|id| **id != user_id);
            change.former_host_ids.extend(others);
        }
        changes.push((booking.id, change));
        let status = transitions::next_status(booking.context(now), Transition::Confirm)?;
        actions::set_status(db, booking, &status, now)
            .await
            .map_err(|error| {
                if store::is_host_taken(&error) {
                    host_taken_error(booking)
                } else {
                    error.into()
                }
            })?;
        events::booking(db, now, Trigger::BookingCreated, booking.id, JsonMap::new()).await?;
    }
    let details = mail::Details::default();
    mail::record(db, now, mail::Kind::Confirmed, changes, details).await?;
    Ok((response_ids, named.is_series))
}

/// Declines the booking or series `uid`. Returns the ids for the response, and true for a series.
pub async fn decline_bookings(
    db: &mut Db,
    caller: &Caller,
    uid: &str,
    reason: Option<&str>,
    now: Instant,
) -> Result<(Vec<i64>, bool)> {
    let named = find_for_confirmation(db, caller, uid).await?;
    decline_named(db, named, reason, now).await
}

/// Declines bookings for a user whose access to them was checked; see [`decline_bookings`].
pub async fn decline_named(
    db: &mut Db,
    named: NamedBookings,
    reason: Option<&str>,
    now: Instant,
) -> Result<(Vec<i64>, bool)> {
    let targets = filter_allowed(&named.bookings, |booking| {
        transitions::next_status(booking.context(now), Transition::Decline)
    })?;
    let mut extras = JsonMap::new();
    if let Some(reason) = reason {
        extras.insert("rejectionReason".into(), reason.into());
    }
    for booking in &targets {
        let status = transitions::next_status(booking.context(now), Transition::Decline)?;
        actions::set_status(db, booking, &status, now).await?;
        actions::set_reason(db, booking.id, reason, None).await?;
        events::booking(
            db,
            now,
            Trigger::BookingRejected,
            booking.id,
            extras.clone(),
        )
        .await?;
    }
    let details = mail::Details {
        reason: reason.map(str::to_owned),
        ..mail::Details::default()
    };
    let changes = targets.iter().map(|booking| (booking.id, pending_change()));
    mail::record(db, now, mail::Kind::Declined, changes, details).await?;
    let response_ids: Vec<i64> = targets.iter().map(|booking| booking.id).collect();
    Ok((response_ids, named.is_series))
}

/// Change of a booking that waited for a host.
fn pending_change() -> mail::Change {
    mail::Change {
        was_pending: true,
        ..mail::Change::default()
    }
}

/// Finds the booking or series `uid`, if the caller may confirm or decline it; every host of the
/// event type may.
async fn find_for_confirmation(db: &mut Db, caller: &Caller, uid: &str) -> Result<NamedBookings> {
    let named = actions::find_by_uid(db, uid).await?;
    let first = named.first()?;
    let mut resource = resource_for(db, caller, first).await?;
    let hosts = actions::event_type_hosts(db, first.event_type_id).await?;
    resource.user_ids.extend(hosts);
    caller.authorise(db, &resource).await?;
    Ok(named)
}

/// Returns the bookings for which `transition` succeeds.
///
/// # Errors
///
/// The error of the first booking, if there are none.
fn filter_allowed(
    bookings: &[BookingSnapshot],
    transition: impl Fn(&BookingSnapshot) -> Result<BookingStatus, transitions::TransitionError>,
) -> Result<Vec<BookingSnapshot>> {
    let mut first_error = None;
    let mut allowed = Vec::new();
    for booking in bookings {
        match transition(booking) {
            Ok(_) => allowed.push(booking.clone()),
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    match first_error {
        Some(first_error) if allowed.is_empty() => Err(first_error.into()),
        _ => Ok(allowed),
    }
}

/// Makes the user the host of an instant booking: the first host to confirm it.
async fn join(db: &mut Db, user_id: i64, booking: &BookingSnapshot) -> Result<()> {
    let hosts = actions::event_type_hosts(db, booking.event_type_id).await?;
    if !hosts.contains(&user_id) && booking.owner_id != Some(user_id) {
        return Err(Error::BadRequest(
            "an instant booking is joined by one of the event type's hosts".into(),
        ));
    }
    Ok(actions::set_only_host(db, booking, user_id).await?)
}

fn host_taken_error(booking: &BookingSnapshot) -> Error {
    Error::Conflict(format!(
        "the time of {} is no longer available: a host has another booking then",
        booking.uid
    ))
}
