//! Bookings of a team (contract 3.1).

use booking_wire::{Booking, Pagination};

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::Resource;
use crate::bookings::list_query;
use crate::error::{Error, Result};
use crate::store::accounts;
use crate::store::booking_list::{self, BookingScope};
use crate::validate::Query;

/// Returns one page of the bookings of a team; with `organization_id`, the team must belong to it.
pub async fn page(
    app: &AppState,
    caller: &Caller,
    team_id: i64,
    organization_id: Option<i64>,
    query: &Query,
) -> Result<(Vec<Booking>, Pagination)> {
    let mut db = app.store.read().await?;
    let team = accounts::team(&mut db, team_id)
        .await?
        .filter(|team| organization_id.is_none_or(|id| team.organization_id == Some(id)))
        .ok_or_else(|| Error::not_found("Team", team_id))?;
    caller
        .authorise(&mut db, &Resource::of_team(team.id))
        .await?;

    let scope = BookingScope::Team(team.id);
    let query = list_query::read_team_query(query)?;
    let filter = list_query::build_filter(&mut db, caller, &scope, query).await?;
    booking_list::page(&mut db, &scope, &filter, app.clock.now()).await
}
