//! Absence of hosts and attendees (contract 3.5.2).

use axum::extract::State;
use booking_wire::{Booking, Envelope, MarkAbsent};

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::{Requirement, access};
use crate::auth::scope::BOOKING_WRITE;
use crate::bookings::attendance;
use crate::extract::json::JsonObject;
use crate::extract::path::PathParams;
use crate::v2::response::{Success, success};

/// Records the absence of the host or of attendees of a booking that has started.
#[utoipa::path(
    post,
    path = "/v2/bookings/{bookingUid}/mark-absent",
    extensions(("x-access" = json!(access(BOOKING_WRITE, Requirement::Host("booking.update"))))),
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking or an occurrence")),
    request_body = MarkAbsent,
    responses((status = 200, body = Envelope<Booking>)),
)]
pub async fn mark_absent(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Success<Booking> {
    success(attendance::mark_absent(&app, &caller, path.text("bookingUid"), &body).await?)
}
