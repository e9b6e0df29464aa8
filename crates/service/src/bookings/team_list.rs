//! The bookings of a team (contract 3.1).

use booking_wire::{Booking, Pagination};

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::Subject;
use crate::bookings::list_query;
use crate::error::{Error, Result};
use crate::store::accounts;
use crate::store::booking_list::{self, Whose};
use crate::validate::Query;

/// Returns one page of the bookings of a team, in an organisation if that is given.
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
        .authorise(&mut db, &Subject::of_team(team.id))
        .await?;

    let whose = Whose::Team(team.id);
    let query = list_query::of_team(query)?;
    let filter = list_query::filter(&mut db, caller, &whose, query).await?;
    booking_list::page(&mut db, &whose, &filter, app.clock.now()).await
}
