//! The bookings that concern the caller (contract 3.5.2).

use axum::Json;
use axum::extract::State;
use booking_wire::{Booking, Envelope, Instant};

use crate::app::AppState;
use crate::auth::Caller;
use crate::bookings::list;
use crate::error::Result;
use crate::validate::Query;

/// The bookings that the caller hosts, attends or administers.
#[utoipa::path(
    get,
    path = "/v2/bookings",
    tag = "Bookings",
    params(
        ("status" = Option<Vec<String>>, Query, explode = false, description = "Any of upcoming, recurring, past, cancelled, unconfirmed"),
        ("attendeeEmail" = Option<String>, Query, description = "Exact"),
        ("attendeeName" = Option<String>, Query, description = "Exact"),
        ("bookingUid" = Option<String>, Query, description = "Exact"),
        ("eventTypeIds" = Option<Vec<i64>>, Query, explode = false),
        ("eventTypeId" = Option<i64>, Query),
        ("teamsIds" = Option<Vec<i64>>, Query, explode = false, description = "Of any of these teams"),
        ("teamId" = Option<i64>, Query, description = "Of this team"),
        ("afterStart" = Option<Instant>, Query, description = "Starts at or after"),
        ("beforeEnd" = Option<Instant>, Query, description = "Ends at or before"),
        ("afterCreatedAt" = Option<Instant>, Query, description = "Made at or after"),
        ("beforeCreatedAt" = Option<Instant>, Query, description = "Made at or before"),
        ("afterUpdatedAt" = Option<Instant>, Query, description = "Last changed at or after"),
        ("beforeUpdatedAt" = Option<Instant>, Query, description = "Last changed at or before"),
        ("sortStart" = Option<String>, Query, description = "asc or desc"),
        ("sortEnd" = Option<String>, Query, description = "asc or desc"),
        ("sortCreated" = Option<String>, Query, description = "asc or desc"),
        ("sortUpdatedAt" = Option<String>, Query, description = "asc or desc"),
        ("take" = Option<i64>, Query, description = "How many, 100 unless told", minimum = 1, maximum = 250),
        ("skip" = Option<i64>, Query, description = "How many to leave out", minimum = 0),
    ),
    responses((status = 200, body = Envelope<Vec<Booking>>)),
)]
pub async fn list(
    State(app): State<AppState>,
    caller: Caller,
    query: Query,
) -> Result<Json<Envelope<Vec<Booking>>>> {
    let (data, pagination) = list::list(&app, &caller, &query).await?;
    Ok(Json(Envelope::page(data, pagination)))
}
