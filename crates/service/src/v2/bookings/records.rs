//! References, recordings and transcripts of a booking in other systems (contract 3.5.2).

use axum::extract::State;
use booking_wire::{BookingReference, Envelope, Recording};

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::{Requirement, access};
use crate::auth::scope::BOOKING_READ;
use crate::bookings::records;
use crate::extract::path::PathParams;
use crate::v2::response::{Success, success};

/// Lists the references to a booking in other systems, such as calendars.
#[utoipa::path(
    get,
    path = "/v2/bookings/{bookingUid}/references",
    extensions(("x-access" = json!(access(BOOKING_READ, Requirement::Host("booking.readTeamBookings"))))),
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking or an occurrence")),
    responses((status = 200, body = Envelope<Vec<BookingReference>>)),
)]
pub async fn references(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Success<Vec<BookingReference>> {
    success(records::references(&app, &caller, path.text("bookingUid")).await?)
}

/// Lists the recordings of a meeting. The service records nothing, so the list is empty.
#[utoipa::path(
    get,
    path = "/v2/bookings/{bookingUid}/recordings",
    extensions(("x-access" = json!(access(BOOKING_READ, Requirement::Host("booking.readRecordings"))))),
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking or an occurrence")),
    responses((status = 200, body = Envelope<Vec<Recording>>)),
)]
pub async fn recordings(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Success<Vec<Recording>> {
    success(records::recordings(&app, &caller, path.text("bookingUid")).await?)
}

/// Lists links to transcripts of a meeting. The service records nothing, so the list is empty.
#[utoipa::path(
    get,
    path = "/v2/bookings/{bookingUid}/transcripts",
    extensions(("x-access" = json!(access(BOOKING_READ, Requirement::Host("booking.readRecordings"))))),
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking or an occurrence")),
    responses((status = 200, body = Envelope<Vec<String>>)),
)]
pub async fn transcripts(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Success<Vec<String>> {
    success(records::transcripts(&app, &caller, path.text("bookingUid")).await?)
}
