//! The caller's bookings (contract 3.5.2).

use axum::Json;
use axum::extract::State;
use booking_wire::{Booking, Envelope, Instant};

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::{Requirement, access};
use crate::auth::scope::BOOKING_READ;
use crate::bookings::list;
use crate::extract::params::BookingFilters;
use crate::v2::response::Success;
use crate::validate::Query;

/// Lists the bookings that the caller hosts, attends or administers.
#[utoipa::path(
    get,
    path = "/v2/bookings",
    extensions(("x-access" = json!(access(BOOKING_READ, Requirement::Caller)))),
    tag = "Bookings",
    params(
        BookingFilters,
        ("teamsIds" = Option<Vec<i64>>, Query, explode = false, description = "Of any of these teams"),
        ("teamId" = Option<i64>, Query, description = "Of this team"),
        ("afterCreatedAt" = Option<Instant>, Query, description = "Made at or after"),
        ("beforeCreatedAt" = Option<Instant>, Query, description = "Made at or before"),
        ("afterUpdatedAt" = Option<Instant>, Query, description = "Last changed at or after"),
        ("beforeUpdatedAt" = Option<Instant>, Query, description = "Last changed at or before"),
        ("sortUpdatedAt" = Option<String>, Query, description = "asc or desc"),
    ),
    responses((status = 200, body = Envelope<Vec<Booking>>)),
)]
pub async fn list(
    State(app): State<AppState>,
    caller: Caller,
    query: Query,
) -> Success<Vec<Booking>> {
    let (data, pagination) = list::list(&app, &caller, &query).await?;
    Ok(Json(Envelope::page(data, pagination)))
}
