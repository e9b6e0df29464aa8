//! Handing a round-robin booking to another host (contract 3.5.2).

use axum::Json;
use axum::extract::State;
use booking_wire::{Envelope, ReassignBooking, ReassignedBooking};

use crate::app::AppState;
use crate::auth::Caller;
use crate::bookings::cancel::reason;
use crate::bookings::reassign::{Choice, hand_over};
use crate::error::Result;
use crate::extract::json::OptionalJsonObject;
use crate::extract::path::PathParams;
use crate::validate::{Checks, Object};

/// Hands a booking to the free host with the highest priority; among equals to the one with the
/// fewest bookings ahead.
#[utoipa::path(
    post,
    path = "/v2/bookings/{bookingUid}/reassign",
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking or an occurrence")),
    responses((status = 200, body = Envelope<ReassignedBooking>)),
)]
pub async fn reassign(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Result<Json<Envelope<ReassignedBooking>>> {
    let uid = path.text("bookingUid");
    let data = hand_over(&app, &caller, uid, Choice::Fairest, None).await?;
    Ok(Json(Envelope::success(data)))
}

/// Hands a booking to a host of one's choice.
#[utoipa::path(
    post,
    path = "/v2/bookings/{bookingUid}/reassign/{userId}",
    tag = "Bookings",
    params(
        ("bookingUid" = String, Path, description = "Of a booking or an occurrence"),
        ("userId" = i64, Path, description = "Who takes over"),
    ),
    request_body = Option<ReassignBooking>,
    responses((status = 200, body = Envelope<ReassignedBooking>)),
)]
pub async fn reassign_to(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    OptionalJsonObject(body): OptionalJsonObject,
) -> Result<Json<Envelope<ReassignedBooking>>> {
    let mut checks = Checks::default();
    let object = Object::new(&body, "");
    object.allow(&["reason"], &mut checks);
    let reason = reason(object, "reason", &mut checks);
    checks.finish()?;
    let choice = Choice::User(path.id("userId")?);
    let uid = path.text("bookingUid");
    let data = hand_over(&app, &caller, uid, choice, reason.as_deref()).await?;
    Ok(Json(Envelope::success(data)))
}
