//! Links that add a booking to a calendar (contract 3.5.2).

use axum::extract::State;
use booking_wire::{CalendarLink, Envelope};

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::{Requirement, access};
use crate::auth::scope::BOOKING_READ;
use crate::bookings::calendar_links;
use crate::extract::path::PathParams;
use crate::v2::response::{Success, success};

/// Returns links that add a booking to the calendars of Google and Microsoft, and a calendar file.
#[utoipa::path(
    get,
    path = "/v2/bookings/{bookingUid}/calendar-links",
    extensions(("x-access" = json!(access(BOOKING_READ, Requirement::Host("booking.readTeamBookings"))))),
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking or an occurrence")),
    responses((status = 200, body = Envelope<Vec<CalendarLink>>)),
)]
pub async fn calendar_links(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Success<Vec<CalendarLink>> {
    success(calendar_links::calendar_links(&app, &caller, path.text("bookingUid")).await?)
}
