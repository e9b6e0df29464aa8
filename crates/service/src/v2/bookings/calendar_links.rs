//! Links that add a booking to somebody's calendar (contract 3.5.2).

use axum::Json;
use axum::extract::State;
use booking_wire::{CalendarLink, Envelope};

use crate::app::AppState;
use crate::auth::Caller;
use crate::bookings::calendar_links;
use crate::error::Result;
use crate::extract::path::PathParams;

/// Links that add a booking to the calendars of Google and Microsoft, and a calendar file.
#[utoipa::path(
    get,
    path = "/v2/bookings/{bookingUid}/calendar-links",
    tag = "Bookings",
    params(("bookingUid" = String, Path, description = "Of a booking or an occurrence")),
    responses((status = 200, body = Envelope<Vec<CalendarLink>>)),
)]
pub async fn calendar_links(
    State(app): State<AppState>,
    caller: Caller,
    path: PathParams,
) -> Result<Json<Envelope<Vec<CalendarLink>>>> {
    let data = calendar_links::calendar_links(&app, &caller, path.text("bookingUid")).await?;
    Ok(Json(Envelope::success(data)))
}
