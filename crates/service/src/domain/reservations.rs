//! Reservations of slots while a visitor fills in the form.

use std::sync::Arc;

use booking_rules::availability::{MINUTE, UnavailableReason};
use booking_wire::slots::DEFAULT_RESERVATION_MINUTES;
use booking_wire::{Instant, JsonMap, Reservation};
use booking_zones::UTC;
use serde_json::Value;

use crate::app::AppState;
use crate::auth::{Caller, secret};
use crate::domain::concurrent_change::Attempts;
use crate::domain::event_types::access::authorise_booker;
use crate::domain::event_types::current::find_current;
use crate::domain::event_types::names::EventTypeNames;
use crate::domain::slots::rules::{known_hosts, reject_managed, resolve_length};
use crate::domain::slots::starts::{self, StartsQuery};
use crate::error::{Error, Result};
use crate::input_limits::{
    MAX_RESERVATIONS, MAX_RESERVATIONS_PER_EVENT_TYPE, MAX_RESERVATIONS_PER_HOST,
    MAX_RESERVED_MINUTES,
};
use crate::limits::Client;
use crate::limits::client_ip::Network;
use crate::store::bookings::round_robin::{self, Ranks};
use crate::store::busy::KnownHosts;
use crate::store::busy::reservations::{self, ReservationRow};
use crate::store::event_types::{StoredEventType, lock_times};
use crate::store::{Db, Locks, Resource};
use crate::validate::{Checks, Object, integer};

/// Reserves a slot for some minutes.
pub async fn create(
    app: &AppState,
    caller: Option<&Caller>,
    network: Option<Network>,
    body: &JsonMap,
) -> Result<Reservation> {
    let request = ReserveRequest::read(body)?;
    let context = ReservationContext::of(app, caller, network);
    let mut attempts = Attempts::default();
    loop {
        let checked = request.check(&context).await?;
        let locks = checked.locks(&context);
        let (context, uid) = (context.clone(), secret::random_uuid()?);
        let reserve = app.store.write(locks, move |db| {
            Box::pin(async move { checked.reserve(db, &context, uid, None).await })
        });
        let reserved = reserve.await;
        if !attempts.repeat_after(&reserved) {
            return reserved;
        }
    }
}

/// Returns a reservation; none if it does not exist or has expired.
pub async fn show(app: &AppState, uid: &str) -> Result<Option<Reservation>> {
    let mut db = app.store.read().await?;
    let row = reservations::find(&mut db, uid, app.clock.now()).await?;
    Ok(row.map(|row| to_response(&row, None)))
}

/// Moves a reservation to another slot, or renews it for the same slot.
pub async fn replace(
    app: &AppState,
    caller: Option<&Caller>,
    network: Option<Network>,
    uid: &str,
    body: &JsonMap,
) -> Result<Reservation> {
    let request = ReserveRequest::read(body)?;
    let context = ReservationContext::of(app, caller, network);
    let mut attempts = Attempts::default();
    loop {
        let replaced = try_replace(&request, &context, uid).await;
        if !attempts.repeat_after(&replaced) {
            return replaced;
        }
    }
}

async fn try_replace(
    request: &ReserveRequest,
    context: &ReservationContext,
    uid: &str,
) -> Result<Reservation> {
    let (store, now) = (&context.app.store, context.now);
    let missing = || Error::not_found("Reservation", uid);
    let mut db = store.read().await?;
    let found = reservations::find(&mut db, uid, now).await?;
    drop(db);
    let found = found.ok_or_else(missing)?;
    let checked = request.check(context).await?;
    let locks = checked.locks(context);
    let locks = lock_times(locks, found.event_type_id, &found.host_ids);
    let (context, uid) = (context.clone(), uid.to_owned());
    store
        .write(locks, move |db| {
            Box::pin(async move {
                let previous = reservations::find(db, &uid, now).await?;
                let previous = previous.ok_or_else(|| Error::not_found("Reservation", &uid))?;
                if previous.event_type_id != found.event_type_id
                    || previous.host_ids != found.host_ids
                {
                    // Its locks are missing.
                    return Err(Error::ConcurrentChange);
                }
                checked.reserve(db, &context, uid, Some(previous)).await
            })
        })
        .await
}

/// Deletes a reservation. Succeeds if it does not exist.
pub async fn remove(app: &AppState, uid: &str) -> Result<()> {
    let (now, uid) = (app.clock.now(), uid.to_owned());
    let mut db = app.store.read().await?;
    let Some(found) = reservations::find(&mut db, &uid, now).await? else {
        return Ok(());
    };
    drop(db);
    let locks = lock_times(Locks::none(), found.event_type_id, &found.host_ids);
    app.store
        .write(locks, move |db| {
            Box::pin(async move { reservations::cancel(db, &uid, now).await })
        })
        .await
}

/// `Retry-After` in seconds for a client that has reserved a slot for the maximum total time.
const RETRY_RESERVED_SLOT_AFTER_S: u64 = 60 * 60;

/// Durations that authenticated callers may request, in minutes.
const ALLOWED_MINUTES: std::ops::RangeInclusive<i64> = 1..=60;

/// Request to reserve a slot.
struct ReserveRequest {
    event_type_id: i64,
    start: Instant,
    /// Length of the meeting.
    length_minutes: Option<i64>,
    /// Duration of the reservation.
    duration_minutes: Option<i64>,
}

impl ReserveRequest {
    fn read(body: &JsonMap) -> Result<Self> {
        let mut checks = Checks::default();
        let object = Object::new(body, "");
        let event_type_id = object.positive("eventTypeId", &mut checks);
        if object.value("eventTypeId").is_none() {
            checks.report(
                "eventTypeId",
                &Value::Null,
                "isNumber",
                "must be a whole number not less than 1",
            );
        }
        let request = Self {
            event_type_id: event_type_id.unwrap_or_default(),
            start: object.instant("slotStart", &mut checks),
            // The example of the real service sends a string.
            length_minutes: object.read(
                "slotDuration",
                "min",
                "must be a whole number not less than 1",
                &mut checks,
                |value| {
                    integer(value)
                        .or_else(|| value.as_str()?.parse().ok())
                        .filter(|minutes| *minutes >= 1)
                },
            ),
            duration_minutes: object.read(
                "reservationDuration",
                "range",
                &format!(
                    "must be a whole number from {} to {}",
                    ALLOWED_MINUTES.start(),
                    ALLOWED_MINUTES.end()
                ),
                &mut checks,
                |value| integer(value).filter(|minutes| ALLOWED_MINUTES.contains(minutes)),
            ),
        };
        object.reject_unread(&mut checks);
        checks.finish()?;
        Ok(request)
    }

    /// Checks everything that needs no write transaction.
    async fn check(&self, context: &ReservationContext) -> Result<CheckedRequest> {
        if self.duration_minutes.is_some() && context.caller.is_none() {
            return Err(Error::Unauthorized(
                "only callers with credentials may say how long a reservation lasts",
            ));
        }
        let app = &context.app;
        let mut db = app.store.read().await?;
        let names = EventTypeNames {
            id: Some(self.event_type_id),
            ..EventTypeNames::default()
        };
        let current = find_current(app, &mut db, &names, None).await?;
        let stored = current.stored.clone();
        let caller = context.caller.as_ref();
        let has_host_access =
            authorise_booker(&mut db, &stored, caller, || names.missing()).await?;
        if self.duration_minutes.is_some() && !has_host_access {
            return Err(Error::Forbidden(
                "only those who own, host or run the event type may say how long a reservation lasts"
                    .into(),
            ));
        }
        reject_managed(&stored)?;
        let length_minutes = resolve_length(&stored.wire, self.length_minutes, "slotDuration")?;
        let start = self.start.0;
        let starts = (start, start);
        let known = known_hosts(app, &mut db, &current, length_minutes, starts, context.now);
        Ok(CheckedRequest {
            known: known.await?,
            stored,
            start,
            end: start + length_minutes * MINUTE,
            length_minutes,
            duration_ms: self.duration_minutes.unwrap_or(DEFAULT_RESERVATION_MINUTES) * MINUTE,
            // Owners, hosts and managers of the event type are not limited.
            is_limited: context.is_limited && !has_host_access,
        })
    }
}

/// A request that has passed every check that needs no transaction.
struct CheckedRequest {
    stored: Arc<StoredEventType>,
    known: KnownHosts,
    /// Epoch milliseconds.
    start: i64,
    /// Epoch milliseconds.
    end: i64,
    length_minutes: i64,
    /// Duration of the reservation.
    duration_ms: i64,
    /// True if the reservations of the client are limited.
    is_limited: bool,
}

impl CheckedRequest {
    fn locks(&self, context: &ReservationContext) -> Locks {
        let locks = self.stored.locks();
        if self.is_limited {
            locks.and(Resource::Client(&context.client_hash))
        } else {
            locks
        }
    }

    /// Stores the reservation under `uid` if the slot is available, replacing `previous`. On an
    /// error, the transaction must not be committed, so that `previous` is unchanged.
    async fn reserve(
        &self,
        db: &mut Db,
        context: &ReservationContext,
        uid: String,
        previous: Option<ReservationRow>,
    ) -> Result<Reservation> {
        let (now, event_type_id) = (context.now, self.stored.wire.id);
        let is_replacing = previous.is_some();
        let previous = previous.filter(|row| {
            // The same slot is renewed; a different one is released.
            row.event_type_id == event_type_id
                && row.start_ms == self.start
                && row.end_ms == self.end
        });
        let until_ms = if self.is_limited {
            let remaining_ms = context.remaining_ms(db, event_type_id, self.start).await?;
            now.0 + self.duration_ms.min(remaining_ms)
        } else {
            now.0 + self.duration_ms
        };
        match &previous {
            Some(_) => reservations::remove(db, &uid).await?,
            None if is_replacing => reservations::cancel(db, &uid, now).await?,
            None => {}
        }
        let query = StartsQuery {
            stored: &self.stored,
            known: Some(&self.known),
            length_minutes: self.length_minutes,
            zone: &UTC,
            now,
            moved: None,
            starts: &[Instant(self.start)],
            off_rule: &[],
            has_reservation: previous.is_some(),
            from_any_zone: true,
        };
        let decision =
            starts::decide_one(db, query)
                .await?
                .map_err(|unavailable| match unavailable.reason {
                    UnavailableReason::Taken => Error::Unprocessable(
                        "this slot is no longer available: it is booked or held by somebody else"
                            .into(),
                    ),
                    UnavailableReason::Full => Error::Unprocessable(
                        "this slot is no longer available: all its seats are taken".into(),
                    ),
                    _ => unavailable.into(),
                })?;
        let host_ids = if decision.joined_uid.is_some() {
            // The existing booking already occupies the hosts' time.
            Vec::new()
        } else {
            let ranks = match decision.rotating.len() {
                0 | 1 => Ranks::default(),
                _ => round_robin::ranks(db, event_type_id, self.start).await?,
            };
            decision.hosts(&[], |id| ranks.of(id))
        };
        if self.is_limited {
            context
                .reject_too_many(db, event_type_id, &host_ids)
                .await?;
        }
        let row = ReservationRow {
            uid,
            client_hash: context.client_hash.clone(),
            event_type_id,
            start_ms: self.start,
            end_ms: self.end,
            until_ms,
            created_ms: previous.map_or(now.0, |previous| previous.created_ms),
            seated: self.stored.is_seated(),
            host_ids,
        };
        reservations::insert(db, &row).await?;
        let minutes = (until_ms - now.0).div_euclid(MINUTE);
        Ok(to_response(&row, Some(minutes)))
    }
}

/// Caller of a reservation and their limits.
#[derive(Clone)]
struct ReservationContext {
    app: AppState,
    caller: Option<Caller>,
    client_hash: String,
    /// True if the reservations of the client are limited.
    is_limited: bool,
    now: Instant,
}

impl ReservationContext {
    fn of(app: &AppState, caller: Option<&Caller>, network: Option<Network>) -> Self {
        let client_hash = Client::of(caller, network).hash(&app.signing_key);
        Self {
            app: app.clone(),
            caller: caller.cloned(),
            is_limited: app.settings.limits.rate.is_some() && !client_hash.is_empty(),
            client_hash,
            now: app.clock.now(),
        }
    }

    /// Returns the remaining time for which the client may reserve the slot.
    async fn remaining_ms(&self, db: &mut Db, event_type: i64, start: i64) -> Result<i64> {
        let reserved_ms =
            reservations::reserved_ms(db, &self.client_hash, event_type, start, self.now).await?;
        let remaining_ms = MAX_RESERVED_MINUTES * MINUTE - reserved_ms;
        if remaining_ms < MINUTE {
            return Err(self.rate_limit_error("reserved_minutes", RETRY_RESERVED_SLOT_AFTER_S));
        }
        Ok(remaining_ms)
    }

    /// Rejects a client that has the maximum number of active reservations.
    async fn reject_too_many(
        &self,
        db: &mut Db,
        event_type_id: i64,
        host_ids: &[i64],
    ) -> Result<()> {
        let hash = &self.client_hash;
        let active = reservations::active_counts(db, hash, event_type_id, self.now).await?;
        let max_per_host = reservations::max_active_per_host(db, hash, host_ids, self.now).await?;
        if active.total >= MAX_RESERVATIONS
            || active.of_event_type >= MAX_RESERVATIONS_PER_EVENT_TYPE
            || max_per_host >= MAX_RESERVATIONS_PER_HOST
        {
            // At least one reservation expires by then.
            return Err(self.rate_limit_error(
                "reservations",
                DEFAULT_RESERVATION_MINUTES.unsigned_abs() * 60,
            ));
        }
        Ok(())
    }

    fn rate_limit_error(&self, limit: &'static str, retry_after_s: u64) -> Error {
        self.app.metrics.record_limit_refusal(limit);
        Error::TooManyRequests { retry_after_s }
    }
}

fn to_response(row: &ReservationRow, duration_minutes: Option<i64>) -> Reservation {
    Reservation {
        event_type_id: row.event_type_id,
        slot_start: Instant(row.start_ms),
        slot_end: Instant(row.end_ms),
        slot_duration: (row.end_ms - row.start_ms) / MINUTE,
        reservation_uid: row.uid.clone(),
        reservation_duration: duration_minutes,
        reservation_until: Instant(row.until_ms),
    }
}
