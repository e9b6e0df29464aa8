//! Short holds on slots while a visitor fills in the form (contract 3.4.2).

use booking_wire::{Instant, JsonMap, Reservation};
use chrono_tz::Tz;
use serde_json::Value;

use crate::app::AppState;
use crate::auth::{Caller, secret};
use crate::availability::{MINUTE, Refusal};
use crate::client_ip::Network;
use crate::error::{Error, Result};
use crate::event_types::access::{is_insider, refuse_outsider};
use crate::input_limits::{
    MAX_RESERVATIONS, MAX_RESERVATIONS_PER_EVENT_TYPE, MAX_RESERVATIONS_PER_HOST,
    MAX_RESERVED_MINUTES,
};
use crate::limits::Client;
use crate::slots::rules::{Candidate, decide, length, refusal, refuse_managed};
use crate::store::reservations::{self, Held};
use crate::store::{Db, busy, event_types};
use crate::validate::{Checks, Object, in_range, whole};

/// Holds a slot for some minutes.
pub async fn create(
    app: &AppState,
    caller: Option<&Caller>,
    network: Option<Network>,
    body: &JsonMap,
) -> Result<Reservation> {
    let wanted = Wanted::read(body)?;
    let reserver = Reserver::of(app, caller, network);
    let uid = secret::random_uuid()?;
    let mut transaction = app.store.begin().await?;
    let reservation = wanted
        .reserve(&mut transaction, &reserver, uid, None)
        .await?;
    transaction.commit().await?;
    Ok(reservation)
}

/// A hold; `null` if there is none, or no more.
pub async fn show(app: &AppState, uid: &str) -> Result<Option<Reservation>> {
    let mut db = app.store.read().await?;
    let held = reservations::find(&mut db, uid, app.clock.now()).await?;
    Ok(held.map(|held| written(&held, None)))
}

/// Moves a hold to another slot, or the same one, and renews it.
pub async fn replace(
    app: &AppState,
    caller: Option<&Caller>,
    network: Option<Network>,
    uid: &str,
    body: &JsonMap,
) -> Result<Reservation> {
    let wanted = Wanted::read(body)?;
    let reserver = Reserver::of(app, caller, network);
    let mut transaction = app.store.begin().await?;
    let before = reservations::find(&mut transaction, uid, reserver.now)
        .await?
        .ok_or_else(|| Error::not_found("Reservation", uid))?;
    let reservation = wanted
        .reserve(&mut transaction, &reserver, uid.to_owned(), Some(before))
        .await?;
    transaction.commit().await?;
    Ok(reservation)
}

/// Ends a hold. It is no mistake if there is none.
pub async fn remove(app: &AppState, uid: &str) -> Result<()> {
    let mut transaction = app.store.begin().await?;
    reservations::end(&mut transaction, uid, app.clock.now()).await?;
    transaction.commit().await?;
    Ok(())
}

/// How long a hold lasts, in minutes.
const DEFAULT_MINUTES: i64 = 5;

/// Seconds after which a slot can be reserved again by a client that has held it for as long as it
/// may.
const RESERVED_AGAIN_S: u64 = 60 * 60;

/// How long callers with credentials may let it last.
const MINUTES: std::ops::RangeInclusive<i64> = 1..=60;

/// A hold as it was asked for.
struct Wanted {
    event_type_id: i64,
    start: Instant,
    /// Minutes of the meeting.
    length: Option<i64>,
    /// Minutes of the hold.
    lasts: Option<i64>,
}

impl Wanted {
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
            checks.complain(
                "eventTypeId",
                &Value::Null,
                "isNumber",
                "must be a whole number not less than 1",
            );
        }
        let wanted = Self {
            event_type_id: event_type_id.unwrap_or_default(),
            start: start(object, &mut checks),
            // The real service's own example sends a text.
            length: object.read(
                "slotDuration",
                "min",
                "must be a whole number not less than 1",
                &mut checks,
                |value| {
                    whole(value)
                        .or_else(|| value.as_str()?.parse().ok())
                        .filter(|minutes| *minutes >= 1)
                },
            ),
            lasts: object.read(
                "reservationDuration",
                "range",
                &format!(
                    "must be a whole number from {} to {}",
                    MINUTES.start(),
                    MINUTES.end()
                ),
                &mut checks,
                |value| whole(value).filter(|minutes| MINUTES.contains(minutes)),
            ),
        };
        checks.finish()?;
        Ok(wanted)
    }

    /// Stores the reservation under `uid` if the slot is available, in the place of `before`. If it
    /// is refused, the transaction must not be committed: then `before` is as it was.
    async fn reserve(
        &self,
        db: &mut Db,
        reserver: &Reserver<'_>,
        uid: String,
        before: Option<Held>,
    ) -> Result<Reservation> {
        let now = reserver.now;
        if self.lasts.is_some() && reserver.caller.is_none() {
            return Err(Error::Unauthorized(
                "only callers with credentials may say how long a reservation lasts",
            ));
        }
        let missing = || Error::not_found("Event type", self.event_type_id);
        let stored = event_types::get(db, self.event_type_id)
            .await?
            .ok_or_else(missing)?;
        let is_insider = match reserver.caller {
            Some(caller) => is_insider(db, caller, &stored).await?,
            None => false,
        };
        refuse_outsider(&stored, reserver.caller, is_insider, missing)?;
        if self.lasts.is_some() && !is_insider {
            return Err(Error::Forbidden(
                "only those who own, host or run the event type may say how long a reservation lasts"
                    .into(),
            ));
        }
        refuse_managed(&stored)?;
        let length = length(&stored.wire, self.length, "slotDuration")?;
        let before = before.filter(|held| {
            // Its own slot is renewed; another one is given back for the new one.
            held.event_type_id == self.event_type_id
                && held.start_ms == self.start.0
                && held.end_ms == self.start.0 + length * MINUTE
        });
        let lasts = self.lasts.unwrap_or(DEFAULT_MINUTES) * MINUTE;
        // Whoever offers the event type answers for their own reservations.
        let is_limited = reserver.is_limited && !is_insider;
        let until_ms = if is_limited {
            now.0 + lasts.min(reserver.time_left(db, self).await?)
        } else {
            now.0 + lasts
        };
        match &before {
            Some(_) => reservations::remove(db, &uid).await?,
            None => reservations::end(db, &uid, now).await?,
        }
        let candidate = Candidate {
            start: self.start.0,
            length,
            zone: Tz::UTC,
            now,
            moved: None,
            is_held: before.is_some(),
        };
        let decision = decide(db, &stored, candidate)
            .await?
            .map_err(|verdict| match verdict {
                Refusal::Taken => Error::Unprocessable(
                    "this slot is no longer available: it is booked or held by somebody else"
                        .into(),
                ),
                Refusal::Full => Error::Unprocessable(
                    "this slot is no longer available: all its seats are taken".into(),
                ),
                other => refusal(other),
            })?;
        let host_ids = if decision.joins.is_some() {
            // Their time is taken by the booking already.
            Vec::new()
        } else {
            let turns = busy::turns(db, stored.wire.id, self.start.0).await?;
            decision.hosts(&[], |id| turns.of(id))
        };
        if is_limited {
            reserver
                .refuse_too_many(db, stored.wire.id, &host_ids)
                .await?;
        }
        let held = Held {
            uid,
            client_hash: reserver.client_hash.clone(),
            event_type_id: stored.wire.id,
            start_ms: self.start.0,
            end_ms: self.start.0 + length * MINUTE,
            until_ms,
            created_ms: before.map_or(now.0, |before| before.created_ms),
            seated: stored.is_seated(),
            host_ids,
        };
        reservations::insert(db, &held, now).await?;
        let minutes = (until_ms - now.0).div_euclid(MINUTE);
        Ok(written(&held, Some(minutes)))
    }
}

/// Whoever reserves, and the limits that hold for them.
struct Reserver<'a> {
    app: &'a AppState,
    caller: Option<&'a Caller>,
    client_hash: String,
    /// True if this client's reservations are counted.
    is_limited: bool,
    now: Instant,
}

impl<'a> Reserver<'a> {
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

    /// Milliseconds for which the client may still hold the slot.
    async fn time_left(&self, db: &mut Db, wanted: &Wanted) -> Result<i64> {
        let (event_type, start) = (wanted.event_type_id, wanted.start.0);
        let held =
            reservations::held_ms(db, &self.client_hash, event_type, start, self.now).await?;
        let left = MAX_RESERVED_MINUTES * MINUTE - held;
        if left < MINUTE {
            return Err(self.refusal("reserved_minutes", RESERVED_AGAIN_S));
        }
        Ok(left)
    }

    /// Refuses one more live reservation of a client that has as many as it may.
    async fn refuse_too_many(
        &self,
        db: &mut Db,
        event_type_id: i64,
        host_ids: &[i64],
    ) -> Result<()> {
        let hash = &self.client_hash;
        let live = reservations::live(db, hash, event_type_id, self.now).await?;
        let of_hosts = reservations::live_of_hosts(db, hash, host_ids, self.now).await?;
        if live.total >= MAX_RESERVATIONS
            || live.of_event_type >= MAX_RESERVATIONS_PER_EVENT_TYPE
            || of_hosts >= MAX_RESERVATIONS_PER_HOST
        {
            // The next one ends at the latest then.
            return Err(self.refusal("reservations", DEFAULT_MINUTES.unsigned_abs() * 60));
        }
        Ok(())
    }

    fn refusal(&self, limit: &'static str, retry_after_s: u64) -> Error {
        self.app.metrics.refused_by_limit(limit);
        Error::TooManyRequests { retry_after_s }
    }
}

fn start(object: Object<'_>, checks: &mut Checks) -> Instant {
    let complaint = "must be a valid ISO 8601 date string";
    if object.value("slotStart").is_none() {
        checks.complain("slotStart", &Value::Null, "isDateString", complaint);
    }
    let read = |value: &Value| {
        value
            .as_str()
            // A bare date is no start.
            .filter(|text| text.len() > 10)
            .and_then(Instant::parse)
            .filter(|start| in_range(*start))
    };
    object
        .read("slotStart", "isDateString", complaint, checks, read)
        .unwrap_or_default()
}

fn written(held: &Held, lasts: Option<i64>) -> Reservation {
    Reservation {
        event_type_id: held.event_type_id,
        slot_start: Instant(held.start_ms),
        slot_end: Instant(held.end_ms),
        slot_duration: (held.end_ms - held.start_ms) / MINUTE,
        reservation_uid: held.uid.clone(),
        reservation_duration: lasts,
        reservation_until: Instant(held.until_ms),
    }
}
