//! The bookings that concern the caller (contract 3.5.2).

use booking_wire::{Booking, Pagination};

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::{self, Subject};
use crate::bookings::list_query;
use crate::bookings::visibility::{Reader, disclose};
use crate::error::{Error, Result};
use crate::store::booking_list::{self, Whose};
use crate::store::{Db, users};
use crate::validate::Query;

/// The bookings that the caller hosts, attends or administers.
pub async fn list(
    app: &AppState,
    caller: &Caller,
    query: &Query,
) -> Result<(Vec<Booking>, Pagination)> {
    let query = list_query::of_caller(query)?;
    let mut db = app.store.read().await?;
    let whose = concerns(&mut db, caller.user_id).await?;
    let filter = list_query::filter(&mut db, caller, &whose, query).await?;
    let (mut bookings, pagination) =
        booking_list::page(&mut db, &whose, &filter, app.clock.now()).await?;
    let reader = Reader {
        caller: Some(caller),
        seat_uid: None,
    };
    disclose(&mut db, reader, &mut bookings).await?;
    Ok((bookings, pagination))
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
