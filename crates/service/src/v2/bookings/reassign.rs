//! Reassigns round-robin bookings to another host (contract 3.5.2).

use axum::extract::State;
use booking_wire::{Envelope, ReassignBooking, ReassignedBooking};

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::{Requirement, access};
use crate::auth::scope::BOOKING_WRITE;
use crate::bookings::cancel::read_reason;
use crate::bookings::reassign::{NewHost, reassign_booking};
use crate::extract::json::OptionalJsonObject;
use crate::extract::path::PathParams;
use crate::v2::response::{Success, success};
use crate::validate::{Checks, Object};

/// Reassigns a booking to the available host with the highest priority; among equals to the one
/// with the fewest upcoming bookings.
#[utoipa::path(
    post,
    path = "/v2/bookings/{bookingUid}/reassign",
    extensions(("x-access" = json!(access(BOOKING_WRITE, Requirement::Host("booking.update"))))),
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking or an occurrence")),
    responses((status = 200, body = Envelope<ReassignedBooking>)),
)]
pub async fn reassign(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Success<ReassignedBooking> {
    let uid = path.text("bookingUid");
    success(reassign_booking(&app, &caller, uid, NewHost::NextInRotation, None).await?)
}

/// Reassigns a booking to the given host.
#[utoipa::path(
    post,
    path = "/v2/bookings/{bookingUid}/reassign/{userId}",
    extensions(("x-access" = json!(access(BOOKING_WRITE, Requirement::Host("booking.update"))))),
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
) -> Success<ReassignedBooking> {
    let mut checks = Checks::default();
    let object = Object::new(&body, "");
    object.allow(&["reason"], &mut checks);
    let reason = read_reason(object, "reason", &mut checks);
    checks.finish()?;
    let new_host = NewHost::User(path.id("userId")?);
    let uid = path.text("bookingUid");
    success(reassign_booking(&app, &caller, uid, new_host, reason.as_deref()).await?)
}
