//! Reservations of slots while a visitor fills in the form (contract 3.4.2).

use booking_wire::slots::DEFAULT_RESERVATION_MINUTES;
use booking_wire::{Instant, JsonMap, Reservation};
use chrono_tz::Tz;
use serde_json::Value;

use crate::app::AppState;
use crate::auth::{Caller, secret};
use crate::availability::{MINUTE, UnavailableReason};
use crate::client_ip::Network;
use crate::error::{Error, Result};
use crate::event_types::access::{has_host_access, reject_unauthorised_booker};
use crate::input_limits::{
    MAX_RESERVATIONS, MAX_RESERVATIONS_PER_EVENT_TYPE, MAX_RESERVATIONS_PER_HOST,
    MAX_RESERVED_MINUTES,
};
use crate::limits::Client;
use crate::slots::rules::{StartQuery, decide, reject_managed, resolve_length};
use crate::slots::unavailable::unavailable_error;
use crate::store::reservations::{self, ReservationRow};
use crate::store::{Db, event_types, round_robin};
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
    let uid = secret::random_uuid()?;
    let mut transaction = app.store.begin().await?;
    let reservation = request
        .reserve(&mut transaction, &context, uid, None)
        .await?;
    transaction.commit().await?;
    Ok(reservation)
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
    let mut transaction = app.store.begin().await?;
    let previous = reservations::find(&mut transaction, uid, context.now)
        .await?
        .ok_or_else(|| Error::not_found("Reservation", uid))?;
    let reservation = request
        .reserve(&mut transaction, &context, uid.to_owned(), Some(previous))
        .await?;
    transaction.commit().await?;
    Ok(reservation)
}

/// Deletes a reservation. Succeeds if it does not exist.
pub async fn remove(app: &AppState, uid: &str) -> Result<()> {
    let mut transaction = app.store.begin().await?;
    reservations::cancel(&mut transaction, uid, app.clock.now()).await?;
    transaction.commit().await?;
    Ok(())
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
        object.allow(
            &[
                "eventTypeId",
                "slotStart",
                "slotDuration",
                "reservationDuration",
            ],
            &mut checks,
        );
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
        checks.finish()?;
        Ok(request)
    }

    /// Stores the reservation under `uid` if the slot is available, replacing `previous`. On an
    /// error, the transaction must not be committed, so that `previous` is unchanged.
    async fn reserve(
        &self,
        db: &mut Db,
        context: &ReservationContext<'_>,
        uid: String,
        previous: Option<ReservationRow>,
    ) -> Result<Reservation> {
        let now = context.now;
        if self.duration_minutes.is_some() && context.caller.is_none() {
            return Err(Error::Unauthorized(
                "only callers with credentials may say how long a reservation lasts",
            ));
        }
        let missing = || Error::not_found("Event type", self.event_type_id);
        let stored = event_types::get(db, self.event_type_id)
            .await?
            .ok_or_else(missing)?;
        let has_host_access = match context.caller {
            Some(caller) => has_host_access(db, caller, &stored).await?,
            None => false,
        };
        reject_unauthorised_booker(&stored, context.caller, has_host_access, missing)?;
        if self.duration_minutes.is_some() && !has_host_access {
            return Err(Error::Forbidden(
                "only those who own, host or run the event type may say how long a reservation lasts"
                    .into(),
            ));
        }
        reject_managed(&stored)?;
        let length_minutes = resolve_length(&stored.wire, self.length_minutes, "slotDuration")?;
        let previous = previous.filter(|row| {
            // The same slot is renewed; a different one is released.
            row.event_type_id == self.event_type_id
                && row.start_ms == self.start.0
                && row.end_ms == self.start.0 + length_minutes * MINUTE
        });
        let duration_ms = self.duration_minutes.unwrap_or(DEFAULT_RESERVATION_MINUTES) * MINUTE;
        // Owners, hosts and managers of the event type are not limited.
        let is_limited = context.is_limited && !has_host_access;
        let until_ms = if is_limited {
            now.0 + duration_ms.min(context.remaining_ms(db, self).await?)
        } else {
            now.0 + duration_ms
        };
        match &previous {
            Some(_) => reservations::remove(db, &uid).await?,
            None => reservations::cancel(db, &uid, now).await?,
        }
        let query = StartQuery {
            start: self.start.0,
            length_minutes,
            zone: Tz::UTC,
            now,
            has_reservation: previous.is_some(),
        };
        let decision = decide(db, &stored, query)
            .await?
            .map_err(|reason| match reason {
                UnavailableReason::Taken => Error::Unprocessable(
                    "this slot is no longer available: it is booked or held by somebody else"
                        .into(),
                ),
                UnavailableReason::Full => Error::Unprocessable(
                    "this slot is no longer available: all its seats are taken".into(),
                ),
                other => unavailable_error(other),
            })?;
        let host_ids = if decision.joined_uid.is_some() {
            // The existing booking already occupies the hosts' time.
            Vec::new()
        } else {
            let ranks = round_robin::ranks(db, stored.wire.id, self.start.0).await?;
            decision.hosts(&[], |id| ranks.of(id))
        };
        if is_limited {
            context
                .reject_too_many(db, stored.wire.id, &host_ids)
                .await?;
        }
        let row = ReservationRow {
            uid,
            client_hash: context.client_hash.clone(),
            event_type_id: stored.wire.id,
            start_ms: self.start.0,
            end_ms: self.start.0 + length_minutes * MINUTE,
            until_ms,
            created_ms: previous.map_or(now.0, |previous| previous.created_ms),
            seated: stored.is_seated(),
            host_ids,
        };
        reservations::insert(db, &row, now).await?;
        let minutes = (until_ms - now.0).div_euclid(MINUTE);
        Ok(to_response(&row, Some(minutes)))
    }
}

/// Caller of a reservation and their limits.
struct ReservationContext<'a> {
    app: &'a AppState,
    caller: Option<&'a Caller>,
    client_hash: String,
    /// True if the reservations of the client are limited.
    is_limited: bool,
    now: Instant,
}

impl<'a> ReservationContext<'a> {
    fn of(app: &'a AppState, caller: Option<&'a Caller>, network: Option<Network>) -> Self {
        let client_hash = Client::of(caller, network).hash(&app.signing_key);
        Self {
            app,
            caller,
            is_limited: app.settings.limits.rate.is_some() && !client_hash.is_empty(),
            client_hash,
            now: app.clock.now(),
        }
    }

    /// Returns the remaining time for which the client may reserve the slot.
    async fn remaining_ms(&self, db: &mut Db, request: &ReserveRequest) -> Result<i64> {
        let (event_type, start) = (request.event_type_id, request.start.0);
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
