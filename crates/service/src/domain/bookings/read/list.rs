//! Lists of bookings.

use booking_wire::{Booking, Pagination};

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::{self, Resource};
use crate::domain::bookings::read::list_query;
use crate::domain::bookings::read::visibility::{Viewer, hide_private_fields};
use crate::error::{Error, Result};
use crate::store::Db;
use crate::store::bookings::list;
use crate::store::bookings::scope::BookingScope;
use crate::store::people::{accounts, users};
use crate::validate::Query;

/// Lists the bookings that the caller hosts, attends or administers.
pub async fn list(
    app: &AppState,
    caller: &Caller,
    query: &Query,
) -> Result<(Vec<Booking>, Pagination)> {
    let query = list_query::read_own_query(query)?;
    let mut db = app.store.read().await?;
    let scope = caller_scope(&mut db, caller.user_id).await?;
    let filter = list_query::build_filter(&mut db, caller, &scope, query).await?;
    // The rights of the caller are those of the primary server, as is what they hide.
    drop(db);
    let (mut bookings, pagination) = page(app, &scope, &filter).await?;
    let viewer = Viewer::new(Some(caller), None);
    hide_private_fields(&mut *app.store.read().await?, viewer, &mut bookings).await?;
    Ok((bookings, pagination))
}

/// Lists the bookings of a team; with `organization_id`, the team must belong to it.
pub async fn list_of_team(
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
    drop(db);
    page(app, &scope, &filter).await
}

/// Reads a page, of the read replica if there is one.
async fn page(
    app: &AppState,
    scope: &BookingScope,
    filter: &list::Filter,
) -> Result<(Vec<Booking>, Pagination)> {
    let now = app.clock.now();
    app.store
        .read_with_lag(move |mut db| async move { list::page(&mut db, scope, filter, now).await })
        .await
}

/// Returns the scope of a user's own list.
async fn caller_scope(db: &mut Db, user_id: i64) -> Result<BookingScope> {
    let email = users::verified_email(db, user_id)
        .await?
        .ok_or_else(|| Error::not_found("User", user_id))?;
    let teams = list::administered_teams(db, user_id).await?;
    let mut team_ids = teams.team_ids;
    for team_id in teams.role_dependent_ids {
        let team = Resource::of_team(team_id);
        if access::has_permission(db, user_id, "booking.readTeamBookings", &team).await? {
            team_ids.push(team_id);
        }
    }
    Ok(BookingScope::User {
        user_id,
        email,
        team_ids,
    })
}
