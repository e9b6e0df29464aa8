//! Attendees and guests of a booking that is made already (contract 3.5.2).

use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use booking_wire::{AddAttendee, AddGuests, Booking, BookingAttendee, Envelope};

use crate::app::AppState;
use crate::auth::Caller;
use crate::bookings::attendees;
use crate::error::Result;
use crate::extract::json::JsonObject;
use crate::extract::path::PathParams;

/// Adds guests to a booking. Those who are invited already stay as they are.
#[utoipa::path(
    post,
    path = "/v2/bookings/{bookingUid}/guests",
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
) -> Result<Json<Envelope<Booking>>> {
    let data = attendees::add_guests(&app, &caller, path.text("bookingUid"), &body).await?;
    Ok(Json(Envelope::success(data)))
}

/// Who attends a booking.
#[utoipa::path(
    get,
    path = "/v2/bookings/{bookingUid}/attendees",
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking or an occurrence")),
    responses((status = 200, body = Envelope<Vec<BookingAttendee>>)),
)]
pub async fn attendees(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Result<Json<Envelope<Vec<BookingAttendee>>>> {
    let data = attendees::attendees(&app, &caller, path.text("bookingUid")).await?;
    Ok(Json(Envelope::success(data)))
}

/// One of those who attend.
#[utoipa::path(
    get,
    path = "/v2/bookings/{bookingUid}/attendees/{attendeeId}",
    tag = "Bookings",
    params(
        ("bookingUid" = String, Path, description = "Of a booking or an occurrence"),
        ("attendeeId" = i64, Path),
    ),
    responses((status = 200, body = Envelope<BookingAttendee>)),
)]
pub async fn attendee(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Result<Json<Envelope<BookingAttendee>>> {
    let data = attendees::attendee(
        &app,
        &caller,
        path.id("attendeeId")?,
        path.text("bookingUid"),
    )
    .await?;
    Ok(Json(Envelope::success(data)))
}

/// Adds an attendee to a booking; in one with seats, they take one.
#[utoipa::path(
    post,
    path = "/v2/bookings/{bookingUid}/attendees",
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
) -> Result<(StatusCode, Json<Envelope<BookingAttendee>>)> {
    let data = attendees::add_attendee(&app, &caller, path.text("bookingUid"), &body).await?;
    Ok((StatusCode::CREATED, Json(Envelope::success(data))))
}
