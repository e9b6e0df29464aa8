//! Short holds on slots while a visitor fills in the form (contract 3.4.2).

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use booking_wire::{Envelope, Instant, JsonMap, NewReservation, Reservation};
use chrono_tz::Tz;
use serde::Serialize;
use serde_json::Value;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use super::PathParams;
use super::event_types::is_insider;
use super::rules::{Candidate, decide, length, refusal, refuse_managed};
use crate::auth::{Caller, Visitor, secret};
use crate::availability::{MINUTE, Refusal};
use crate::error::{Error, Result};
use crate::router::App;
use crate::store::reservations::Held;
use crate::store::{Db, busy, event_types, reservations};
use crate::validate::{Checks, JsonObject, Object, in_range, whole};

/// How long a hold lasts, in minutes.
const DEFAULT_MINUTES: i64 = 5;
/// How long callers with credentials may let it last.
const MINUTES: std::ops::RangeInclusive<i64> = 1..=60;

/// The answer to the end of a hold.
#[derive(Debug, Serialize, utoipa::ToSchema)]
pub struct Done {
    status: &'static str,
}

/// Operations of this family.
pub fn routes() -> OpenApiRouter<App> {
    OpenApiRouter::new()
        .routes(routes!(create))
        .routes(routes!(show, replace, remove))
}

/// Holds a slot for some minutes.
///
/// Nobody else is offered it meanwhile, or one seat less. A booking that names the hold as its
/// `reservedSlotUid` takes its place.
#[utoipa::path(
    post,
    path = "/v2/slots/reservations",
    tag = "Slots",
    request_body = NewReservation,
    responses((status = 201, body = Envelope<Reservation>)),
)]
pub async fn create(
    State(app): State<App>,
    Visitor(caller): Visitor,
    JsonObject(body): JsonObject,
) -> Result<(StatusCode, Json<Envelope<Reservation>>)> {
    let wanted = Wanted::read(&body)?;
    let uid = secret::random_uid()?;
    let mut transaction = app.store.begin().await?;
    let now = app.clock.now();
    let reservation = wanted
        .hold(&mut transaction, caller.as_ref(), uid, now)
        .await?;
    transaction.commit().await?;
    Ok((StatusCode::CREATED, Json(Envelope::success(reservation))))
}

/// A hold; `null` if there is none, or no more.
#[utoipa::path(
    get,
    path = "/v2/slots/reservations/{reservationUid}",
    tag = "Slots",
    params(("reservationUid" = String, Path)),
    responses((status = 200, body = Envelope<Option<Reservation>>)),
)]
pub async fn show(
    State(app): State<App>,
    Visitor(_caller): Visitor,
    path: PathParams,
) -> Result<Json<Envelope<Option<Reservation>>>> {
    let mut db = app.store.read().await?;
    let held = reservations::find(&mut db, path.text("reservationUid"), app.clock.now()).await?;
    Ok(Json(Envelope::success(
        held.map(|held| written(&held, None)),
    )))
}

/// Moves a hold to another slot, or the same one, and renews it.
#[utoipa::path(
    patch,
    path = "/v2/slots/reservations/{reservationUid}",
    tag = "Slots",
    params(("reservationUid" = String, Path)),
    request_body = NewReservation,
    responses((status = 200, body = Envelope<Reservation>)),
)]
pub async fn replace(
    State(app): State<App>,
    Visitor(caller): Visitor,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Result<Json<Envelope<Reservation>>> {
    let wanted = Wanted::read(&body)?;
    let uid = path.text("reservationUid");
    let mut transaction = app.store.begin().await?;
    let now = app.clock.now();
    if reservations::find(&mut transaction, uid, now)
        .await?
        .is_none()
    {
        return Err(Error::not_found("Reservation", uid));
    }
    // The hold does not stand in its own way. If the new slot is refused, it is as if it had
    // never been ended.
    reservations::remove(&mut transaction, uid).await?;
    let reservation = wanted
        .hold(&mut transaction, caller.as_ref(), uid.to_owned(), now)
        .await?;
    transaction.commit().await?;
    Ok(Json(Envelope::success(reservation)))
}

/// Ends a hold. It is no mistake if there is none.
#[utoipa::path(
    delete,
    path = "/v2/slots/reservations/{reservationUid}",
    tag = "Slots",
    params(("reservationUid" = String, Path)),
    responses((status = 200, body = Done)),
)]
pub async fn remove(
    State(app): State<App>,
    Visitor(_caller): Visitor,
    path: PathParams,
) -> Result<Json<Done>> {
    let mut transaction = app.store.begin().await?;
    reservations::remove(&mut transaction, path.text("reservationUid")).await?;
    transaction.commit().await?;
    Ok(Json(Done { status: "success" }))
}

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
            length: object.positive("slotDuration", &mut checks),
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

    /// Stores the hold under `uid` if the slot can be had.
    async fn hold(
        &self,
        db: &mut Db,
        caller: Option<&Caller>,
        uid: String,
        now: Instant,
    ) -> Result<Reservation> {
        if self.lasts.is_some() && caller.is_none() {
            return Err(Error::Unauthorized(
                "only callers with credentials may say how long a reservation lasts",
            ));
        }
        let stored = event_types::get(db, self.event_type_id)
            .await?
            .ok_or_else(|| Error::not_found("Event type", self.event_type_id))?;
        if let (Some(_), Some(caller)) = (self.lasts, caller)
            && !is_insider(db, caller, &stored).await?
        {
            return Err(Error::Forbidden(
                "only those who own, host or run the event type may say how long a reservation lasts"
                    .into(),
            ));
        }
        refuse_managed(&stored)?;
        let length = length(&stored.wire, self.length, "slotDuration")?;
        let candidate = Candidate {
            start: self.start.0,
            length,
            zone: Tz::UTC,
            now,
            moved: None,
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
        let lasts = self.lasts.unwrap_or(DEFAULT_MINUTES);
        let held = Held {
            uid,
            event_type_id: stored.wire.id,
            start_ms: self.start.0,
            end_ms: self.start.0 + length * MINUTE,
            until_ms: now.0 + lasts * MINUTE,
            seated: stored.is_seated(),
            host_ids,
        };
        reservations::insert(db, &held, now).await?;
        Ok(written(&held, Some(lasts)))
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
