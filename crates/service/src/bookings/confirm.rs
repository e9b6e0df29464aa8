//! A host's answer to a booking that waits for it (contract 3.5.2, 6.3).

use booking_wire::{BookingStatus, Instant, JsonMap};

use crate::app::AppState;
use crate::auth::Caller;
use crate::bookings::cancel::reason;
use crate::bookings::read::{OneOrSeries, subject_for};
use crate::error::{Error, Result};
use crate::lifecycle::{self, Event};
use crate::store::booking_acts::{self, Known, Named};
use crate::store::{self, Db, bookings};
use crate::validate::{Checks, Object};
use crate::webhooks::events::{self, Trigger};

/// Accepts a booking that waits for confirmation; of a series, all occurrences that do. A host of
/// an instant event type joins the booking with it.
pub async fn confirm(app: &AppState, caller: &Caller, uid: &str) -> Result<OneOrSeries> {
    let mut transaction = app.store.begin().await?;
    let db = &mut *transaction;
    let (shown, is_series) = agree(db, caller, uid, app.clock.now()).await?;
    let data = answer(db, &shown, is_series).await?;
    transaction.commit().await?;
    Ok(data)
}

/// Declines a booking that waits for confirmation; by the uid of a series, all occurrences that do.
pub async fn decline(
    app: &AppState,
    caller: &Caller,
    uid: &str,
    body: &JsonMap,
) -> Result<OneOrSeries> {
    let mut checks = Checks::default();
    let object = Object::new(body, "");
    object.allow(&["reason"], &mut checks);
    let reason = reason(object, "reason", &mut checks);
    checks.finish()?;

    let mut transaction = app.store.begin().await?;
    let db = &mut *transaction;
    let (shown, is_series) = refuse(db, caller, uid, reason.as_deref(), app.clock.now()).await?;
    let data = answer(db, &shown, is_series).await?;
    transaction.commit().await?;
    Ok(data)
}

/// Accepts what `uid` names. Gives what is to be shown, and whether it is a series.
pub async fn agree(
    db: &mut Db,
    caller: &Caller,
    uid: &str,
    now: Instant,
) -> Result<(Vec<i64>, bool)> {
    let named = waiting(db, caller, uid).await?;
    // A series is one request: a host agrees to it as a whole.
    let (shown, targets) = match named.bookings.as_slice() {
        [only] if !named.is_series => {
            lifecycle::next(only.standing(now), Event::Confirm)?;
            let mut targets = vec![only.clone()];
            if let Some(series_uid) = &only.series_uid {
                let others = booking_acts::series(db, series_uid).await?;
                targets.extend(others.into_iter().filter(|other| {
                    other.id != only.id
                        && other.status == BookingStatus::Pending
                        && lifecycle::next(other.standing(now), Event::Confirm).is_ok()
                }));
            }
            (vec![only.id], targets)
        }
        all => {
            let targets = that_allow(all, |booking| {
                lifecycle::next(booking.standing(now), Event::Confirm)
            })?;
            (targets.iter().map(|booking| booking.id).collect(), targets)
        }
    };
    for booking in &targets {
        if booking.status == BookingStatus::AwaitingHost {
            join(db, caller, booking).await?;
        }
        let status = lifecycle::next(booking.standing(now), Event::Confirm)?;
        booking_acts::set_status(db, booking, &status, now)
            .await
            .map_err(|error| {
                if store::is_host_taken(&error) {
                    taken(booking)
                } else {
                    error.into()
                }
            })?;
        events::booking(db, now, Trigger::BookingCreated, booking.id, JsonMap::new()).await?;
    }
    Ok((shown, named.is_series))
}

/// Declines what `uid` names. Gives what is to be shown, and whether it is a series.
pub async fn refuse(
    db: &mut Db,
    caller: &Caller,
    uid: &str,
    reason: Option<&str>,
    now: Instant,
) -> Result<(Vec<i64>, bool)> {
    let named = waiting(db, caller, uid).await?;
    let targets = that_allow(&named.bookings, |booking| {
        lifecycle::next(booking.standing(now), Event::Decline)
    })?;
    let mut extras = JsonMap::new();
    if let Some(reason) = reason {
        extras.insert("rejectionReason".into(), reason.into());
    }
    for booking in &targets {
        let status = lifecycle::next(booking.standing(now), Event::Decline)?;
        booking_acts::set_status(db, booking, &status, now).await?;
        booking_acts::set_reason(db, booking.id, reason, None).await?;
        events::booking(
            db,
            now,
            Trigger::BookingRejected,
            booking.id,
            extras.clone(),
        )
        .await?;
    }
    let shown: Vec<i64> = targets.iter().map(|booking| booking.id).collect();
    Ok((shown, named.is_series))
}

/// What the uid names, if the caller may answer it: every host of the event type may.
async fn waiting(db: &mut Db, caller: &Caller, uid: &str) -> Result<Named> {
    let named = booking_acts::named(db, uid).await?;
    let first = named.bookings.first().ok_or(Error::Internal)?;
    let mut subject = subject_for(db, caller, first).await?;
    let hosts = booking_acts::event_type_hosts(db, first.event_type_id).await?;
    subject.user_ids.extend(hosts);
    caller.authorise(db, &subject).await?;
    Ok(named)
}

/// The bookings to which it can be done; the refusal of the first if there are none.
fn that_allow(
    bookings: &[Known],
    ask: impl Fn(&Known) -> Result<BookingStatus, lifecycle::Refusal>,
) -> Result<Vec<Known>> {
    let mut refusal = None;
    let mut allowed = Vec::new();
    for booking in bookings {
        match ask(booking) {
            Ok(_) => allowed.push(booking.clone()),
            Err(error) => refusal = refusal.or(Some(error)),
        }
    }
    match refusal {
        Some(refusal) if allowed.is_empty() => Err(refusal.into()),
        _ => Ok(allowed),
    }
}

/// The first host who agrees hosts an instant booking.
async fn join(db: &mut Db, caller: &Caller, booking: &Known) -> Result<()> {
    let hosts = booking_acts::event_type_hosts(db, booking.event_type_id).await?;
    if !hosts.contains(&caller.user_id) && booking.owner_id != Some(caller.user_id) {
        return Err(Error::BadRequest(
            "an instant booking is joined by one of the event type's hosts".into(),
        ));
    }
    Ok(booking_acts::join(db, booking, caller.user_id).await?)
}

fn taken(booking: &Known) -> Error {
    Error::Conflict(format!(
        "the time of {} is no longer available: a host has another booking then",
        booking.uid
    ))
}

async fn answer(db: &mut Db, ids: &[i64], is_series: bool) -> Result<OneOrSeries> {
    let mut data = bookings::load(db, ids).await?;
    Ok(if is_series {
        OneOrSeries::Series(data)
    } else {
        OneOrSeries::One(Box::new(data.pop().ok_or(Error::Internal)?))
    })
}
