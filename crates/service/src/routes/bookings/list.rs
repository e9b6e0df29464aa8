//! The bookings that concern the caller (contract 3.5.2).

use axum::Json;
use axum::extract::State;
use axum::http::Uri;
use booking_wire::{Booking, Envelope, Instant};

use super::disclosure::{Reader, disclose};
use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::{self, Subject};
use crate::error::{Error, Result};
use crate::routes::booking_query;
use crate::store::booking_list::{self, Whose};
use crate::store::{Db, users};
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
    uri: Uri,
) -> Result<Json<Envelope<Vec<Booking>>>> {
    let query = booking_query::of_caller(&Query::of(&uri))?;
    let mut db = app.store.read().await?;
    let whose = concerns(&mut db, caller.user_id).await?;
    let filter = booking_query::filter(&mut db, &caller, &whose, query).await?;
    let (mut bookings, pagination) =
        booking_list::page(&mut db, &whose, &filter, app.clock.now()).await?;
    let reader = Reader {
        caller: Some(&caller),
        seat_uid: None,
    };
    disclose(&mut db, reader, &mut bookings).await?;
    Ok(Json(Envelope::page(bookings, pagination)))
}

/// What makes a booking concern somebody.
async fn concerns(db: &mut Db, user_id: i64) -> Result<Whose> {
    let email = users::proven_email(db, user_id)
        .await?
        .ok_or_else(|| Error::not_found("User", user_id))?;
    let reach = booking_list::reach(db, user_id).await?;
    let mut team_ids = reach.teams;
    for team_id in reach.perhaps {
        let team = Subject::of_team(team_id);
        if access::holds(db, user_id, "booking.readTeamBookings", &team).await? {
            team_ids.push(team_id);
        }
    }
    Ok(Whose::User {
        user_id,
        email,
        team_ids,
    })
}
