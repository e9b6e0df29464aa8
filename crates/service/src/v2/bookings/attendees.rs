//! Attendees and guests of an existing booking (contract 3.5.2).

use axum::extract::State;
use booking_wire::{AddAttendee, AddGuests, Booking, BookingAttendee, Envelope};

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::{Requirement, access};
use crate::auth::scope::{BOOKING_READ, BOOKING_WRITE};
use crate::bookings::attendees;
use crate::extract::json::JsonObject;
use crate::extract::path::PathParams;
use crate::v2::response::{Created, Success, created, success};

/// Adds guests to a booking. Email addresses that are already invited are skipped.
#[utoipa::path(
    post,
    path = "/v2/bookings/{bookingUid}/guests",
    extensions(("x-access" = json!(access(BOOKING_WRITE, Requirement::Host("booking.update"))))),
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking or an occurrence")),
    request_body = AddGuests,
    responses((status = 200, body = Envelope<Booking>)),
)]
pub async fn add_guests(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Success<Booking> {
    success(attendees::add_guests(&app, &caller, path.text("bookingUid"), &body).await?)
}

/// Lists the attendees of a booking.
#[utoipa::path(
    get,
    path = "/v2/bookings/{bookingUid}/attendees",
    extensions(("x-access" = json!(access(BOOKING_READ, Requirement::Host("booking.readTeamBookings"))))),
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking or an occurrence")),
    responses((status = 200, body = Envelope<Vec<BookingAttendee>>)),
)]
pub async fn attendees(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Success<Vec<BookingAttendee>> {
    success(attendees::attendees(&app, &caller, path.text("bookingUid")).await?)
}

/// Returns one attendee of a booking.
#[utoipa::path(
    get,
    path = "/v2/bookings/{bookingUid}/attendees/{attendeeId}",
    extensions(("x-access" = json!(access(BOOKING_READ, Requirement::Host("booking.readTeamBookings"))))),
    tag = "Bookings",
    params(
        ("bookingUid" = String, Path, description = "Of a booking or an occurrence"),
    ),
    responses((status = 200, body = Envelope<BookingAttendee>)),
)]
pub async fn attendee(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Success<BookingAttendee> {
    success(
        attendees::attendee(
            &app,
            &caller,
            path.id("attendeeId")?,
            path.text("bookingUid"),
        )
        .await?,
    )
}

/// Adds an attendee to a booking; in a seated booking, the attendee takes a seat.
#[utoipa::path(
    post,
    path = "/v2/bookings/{bookingUid}/attendees",
    extensions(("x-access" = json!(access(BOOKING_WRITE, Requirement::Host("booking.update"))))),
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking or an occurrence")),
    request_body = AddAttendee,
    responses((status = 201, body = Envelope<BookingAttendee>)),
)]
pub async fn add_attendee(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
    JsonObject(body): JsonObject,
) -> Created<BookingAttendee> {
    created(attendees::add_attendee(&app, &caller, path.text("bookingUid"), &body).await?)
}
