//! Moving bookings to another time (contract 3.5.2).

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use booking_wire::{Booking, Envelope, Instant, JsonMap, RescheduleBooking};
use serde_json::json;

use super::create::answer;
use super::form::{MAX_TEXT, start};
use super::moving;
use crate::auth::Visitor;
use crate::error::{Error, Result};
use crate::router::App;
use crate::routes::PathParams;
use crate::validate::{Checks, JsonObject, Object, is_email};

const KEYS: [&str; 6] = [
    "start",
    "reschedulingReason",
    "rescheduledBy",
    "seatUid",
    "emailVerificationCode",
    "reservedSlotUid",
];

/// A move as it was asked for.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// The new slot.
    pub start: Instant,
    /// Why.
    pub reason: Option<String>,
    /// Whose e-mail address is noted as that of the mover.
    pub by: Option<String>,
    /// The seat to move.
    pub seat_uid: Option<String>,
    /// The visitor's own reservation of the new slot.
    pub reservation: Option<String>,
}

impl Wanted {
    fn read(body: &JsonMap) -> Result<Self> {
        let mut checks = Checks::default();
        let object = Object::new(body, "");
        object.allow(&KEYS, &mut checks);
        let text = |key: &str, checks: &mut Checks| object.text(key, checks).map(str::to_owned);
        let reason = text("reschedulingReason", &mut checks);
        if let Some(reason) = reason
            .as_ref()
            .filter(|reason| reason.chars().count() > MAX_TEXT)
        {
            let complaint = format!("must be at most {MAX_TEXT} characters long");
            checks.complain(
                "reschedulingReason",
                &json!(reason),
                "maxLength",
                &complaint,
            );
        }
        let by = text("rescheduledBy", &mut checks);
        if let Some(by) = by.as_ref().filter(|by| !is_email(by)) {
            checks.complain("rescheduledBy", &json!(by), "isEmail", "must be an email");
        }
        text("emailVerificationCode", &mut checks);
        let wanted = Self {
            start: start(object, &mut checks),
            reason: reason.filter(|reason| !reason.trim().is_empty()),
            by,
            seat_uid: text("seatUid", &mut checks),
            reservation: text("reservedSlotUid", &mut checks),
        };
        checks.finish()?;
        Ok(wanted)
    }
}

/// Moves a booking to another time.
///
/// The answer is a new booking with a uid of its own; the old one is cancelled and names it. A
/// visitor of a shared booking moves their own seat only.
#[utoipa::path(
    post,
    path = "/v2/bookings/{bookingUid}/reschedule",
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking or an occurrence")),
    request_body = RescheduleBooking,
    responses((status = 201, body = Envelope<Booking>)),
)]
pub async fn reschedule(
    State(app): State<App>,
    Visitor(caller): Visitor,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Result<(StatusCode, Json<Envelope<Booking>>)> {
    let wanted = Wanted::read(&body)?;
    let uid = path.text("bookingUid").to_owned();
    let (mover, clock) = (caller.clone(), app.clock.clone());
    let made = app
        .store
        .write(move |db| {
            Box::pin(async move {
                moving::carry_out(db, mover.as_ref(), &uid, &wanted, clock.now()).await
            })
        })
        .await?;
    let booking = answer(&app, caller.as_ref(), &[made]).await?.pop();
    let booking = booking.ok_or(Error::Internal)?;
    Ok((StatusCode::CREATED, Json(Envelope::success(booking))))
}
