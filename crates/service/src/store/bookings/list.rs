//! Lists of bookings: filters, sorts and pages.

use booking_store_engine::connection::{Database, Db};
use booking_store_engine::sql::{self, QueryBuilder, by_database};
use booking_wire::{Booking, Instant, OwnBookingsQuery, Pagination, SortOrder, StatusFilter};

use crate::error::Result;
use crate::store::bookings;
use crate::store::bookings::scope::BookingScope;
use crate::store::bookings::search::push_search;
use crate::store::rows::push_ids;

/// Bookings of one page, unless the query has `take`.
pub const DEFAULT_BOOKINGS: i64 = 100;

/// Filter, sort order and page. `take` and `skip` are within their limits.
#[derive(Clone, Debug)]
pub struct Filter {
    /// The query as requested.
    pub query: OwnBookingsQuery,
    /// Sets of event type ids; a booking matches if its event type is in each of them. They replace
    /// the event types of the query.
    pub event_types: Vec<Vec<i64>>,
}

/// Reads one page.
pub async fn page(
    db: &mut Db,
    scope: &BookingScope,
    filter: &Filter,
    now: Instant,
) -> Result<(Vec<Booking>, Pagination)> {
    let list = &filter.query.list;
    let (take, skip) = (
        list.take.unwrap_or(DEFAULT_BOOKINGS),
        list.skip.unwrap_or(0),
    );
    if list.search.is_some() {
        return search_page(db, scope, filter, now, (take, skip)).await;
    }
    let mut count = QueryBuilder::new(db.database(), "SELECT count(*) FROM bookings b");
    // A count needs no order, so the most selective index can be used.
    let driving_index = DrivingIndex::Selective {
        event_types: !filter.event_types.is_empty(),
    };
    push_filter(&mut count, scope, filter, now, driving_index);
    let total: i64 = count.build_query_scalar().fetch_one(&mut *db).await?;
    if skip >= total {
        return Ok((Vec::new(), Pagination::new(total, take, skip)));
    }

    let mut select = select_ids(db.database(), scope, filter, now);
    select.push(" LIMIT ").push_bind(take);
    select.push(" OFFSET ").push_bind(skip);
    let ids: Vec<i64> = select.build_query_scalar().fetch_all(&mut *db).await?;
    load_page(db, &ids, Pagination::new(total, take, skip)).await
}

/// Reads one page of a search. Reads the ids of all matches once: a search takes longer than the
/// sorting of its matches.
async fn search_page(
    db: &mut Db,
    scope: &BookingScope,
    filter: &Filter,
    now: Instant,
    (take, skip): (i64, i64),
) -> Result<(Vec<Booking>, Pagination)> {
    let mut select = select_ids(db.database(), scope, filter, now);
    let ids: Vec<i64> = select.build_query_scalar().fetch_all(&mut *db).await?;
    let bounded = |count: i64| usize::try_from(count).unwrap_or(usize::MAX);
    let page: Vec<i64> = ids
        .iter()
        .skip(bounded(skip))
        .take(bounded(take))
        .copied()
        .collect();
    let total = i64::try_from(ids.len()).unwrap_or(i64::MAX);
    load_page(db, &page, Pagination::new(total, take, skip)).await
}

/// Reads the bookings of a page: fewer, if they are too large for one response.
async fn load_page(
    db: &mut Db,
    ids: &[i64],
    pagination: Pagination,
) -> Result<(Vec<Booking>, Pagination)> {
    let bookings = bookings::load_fitting(db, ids).await?;
    let missing = i64::try_from(ids.len() - bookings.len()).unwrap_or_default();
    Ok((bookings, pagination.with_fewer(missing)))
}

/// Returns the query for the ids of all bookings that match, in their order.
fn select_ids(
    database: Database,
    scope: &BookingScope,
    filter: &Filter,
    now: Instant,
) -> QueryBuilder<'static> {
    let mut select = QueryBuilder::new(database, "");
    if let (Some(_), BookingScope::User { user_id, email, .. }) = (&filter.query.list.search, scope)
        && scope.reads_own_first()
    {
        select.push("WITH own(id) AS MATERIALIZED (");
        push_own_bookings(&mut select, *user_id, email);
        select.push(") ");
    }
    select.push("SELECT b.id FROM bookings b");
    let (column, order) = sort(&filter.query);
    let driving_index = if column == "b.end_ms" {
        DrivingIndex::End
    } else {
        DrivingIndex::Selective { event_types: false }
    };
    push_filter(&mut select, scope, filter, now, driving_index);
    // Ties are broken by id, so that pages never repeat or skip a booking.
    select.push(format!(" ORDER BY {column} {order}, b.id {order}"));
    select
}

/// Returns true if there is a booking of these event types.
pub async fn has_any(db: &mut Db, scope: &BookingScope, event_type_ids: &[i64]) -> Result<bool> {
    let mut query = QueryBuilder::new(db.database(), "SELECT b.id FROM bookings b WHERE ");
    push_scope(&mut query, scope, true);
    query.push(" AND b.event_type_id IN (");
    push_ids(&mut query, event_type_ids);
    query.push(") LIMIT 1");
    let found: Option<i64> = query.build_query_scalar().fetch_optional(db).await?;
    Ok(found.is_some())
}

/// Index that the query should use. A `+` before a column disables the indexes on it: without
/// statistics, SQLite often chooses the wrong one. PostgreSQL has statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum DrivingIndex {
    /// The index on the end, which the list is sorted by.
    End,
    /// The index on the attendee or the uid if the query has them, else on the event types if
    /// `event_types` is set, else on the start.
    Selective {
        /// True if the index on event types can be used.
        event_types: bool,
    },
}

/// Teams whose bookings a user may be allowed to read.
#[derive(Clone, Debug, Default)]
pub struct AdministeredTeams {
    /// Teams of organisations that the user is an owner or administrator of.
    pub team_ids: Vec<i64>,
    /// Other teams, where the permissions of the user's role decide.
    pub role_dependent_ids: Vec<i64>,
}

/// Lists the teams in which a user could administer bookings.
pub async fn administered_teams(db: &mut Db, user_id: i64) -> Result<AdministeredTeams> {
    let rows: Vec<(i64, i64)> = sql::query_as(
        "SELECT t.id, CAST(max(CASE WHEN m.role IN ('ADMIN', 'OWNER') THEN 1 ELSE 0 END) AS BIGINT)
         FROM organization_members m JOIN teams t ON t.organization_id = m.organization_id
         WHERE m.user_id = ? AND (m.role IN ('ADMIN', 'OWNER') OR m.role_id IS NOT NULL)
         GROUP BY t.id
         UNION ALL
         SELECT team_id, 0 FROM memberships WHERE user_id = ? AND accepted = 1",
    )
    .bind(user_id)
    .bind(user_id)
    .fetch_all(db)
    .await?;
    let mut teams = AdministeredTeams::default();
    for (team_id, is_certain) in rows {
        if is_certain == 1 {
            teams.team_ids.push(team_id);
        } else {
            teams.role_dependent_ids.push(team_id);
        }
    }
    teams.role_dependent_ids.sort_unstable();
    teams.role_dependent_ids.dedup();
    teams
        .role_dependent_ids
        .retain(|id| !teams.team_ids.contains(id));
    Ok(teams)
}

fn sort(query: &OwnBookingsQuery) -> (&'static str, &'static str) {
    let sort_options = [
        (query.list.sort_start, "b.start_ms"),
        (query.list.sort_end, "b.end_ms"),
        (query.list.sort_created, "b.created_ms"),
        (query.sort_updated_at, "b.updated_ms"),
    ];
    // The first of several wins.
    for (order, column) in sort_options {
        match order {
            Some(SortOrder::Asc) => return (column, "ASC"),
            Some(SortOrder::Desc) => return (column, "DESC"),
            None => {}
        }
    }
    match query.list.status.as_slice() {
        [StatusFilter::Past | StatusFilter::Cancelled] => ("b.start_ms", "DESC"),
        _ => ("b.start_ms", "ASC"),
    }
}

fn push_filter(
    sql: &mut QueryBuilder<'_>,
    scope: &BookingScope,
    filter: &Filter,
    now: Instant,
    driving_index: DrivingIndex,
) {
    let query = &filter.query;
    let list = &query.list;
    let by_attendee = list.attendee_email.is_some() || list.attendee_name.is_some();
    let is_selective = by_attendee
        || list.booking_uid.is_some()
        || list.search.is_some()
        || driving_index == DrivingIndex::Selective { event_types: true };
    sql.push(" WHERE ");
    if list.search.is_some() && scope.reads_own_first() {
        sql.push("b.id IN (SELECT id FROM own)");
    } else {
        push_scope(sql, scope, is_selective);
    }
    for (index, status) in list.status.iter().enumerate() {
        sql.push(if index == 0 { " AND (" } else { " OR " });
        push_status(sql, *status, now, driving_index);
    }
    if !list.status.is_empty() {
        sql.push(")");
    }
    // Bounds of the start that follow from the statuses.
    if !list.status.is_empty() && driving_index != DrivingIndex::End {
        if list.status.iter().all(|status| is_open(*status)) {
            sql.push(" AND b.start_ms >= ")
                .push_bind(now.0 - bookings::MAX_LENGTH_MS);
        } else if list.status == [StatusFilter::Past] {
            sql.push(" AND b.start_ms < ").push_bind(now.0);
        }
    }
    for (column, parameter, value) in [
        ("lower(email)", "lower(", &list.attendee_email),
        ("name", "(", &list.attendee_name),
    ] {
        if let Some(value) = value {
            sql.push(format!(
                " AND b.id IN (SELECT booking_id FROM attendees WHERE guest = 0 AND {column} = {parameter}"
            ));
            sql.push_bind(value.clone()).push("))");
        }
    }
    if let Some(uid) = &list.booking_uid {
        sql.push(" AND b.uid = ").push_bind(uid.clone());
    }
    if let Some(search) = &list.search {
        push_search(sql, scope, search);
    }
    if !list.host_ids.is_empty() {
        sql.push(" AND EXISTS (SELECT 1 FROM booking_hosts h WHERE h.booking_id = b.id AND h.user_id IN (");
        push_ids(sql, &list.host_ids);
        sql.push("))");
    }
    for ids in &filter.event_types {
        sql.push(" AND b.event_type_id IN (");
        push_ids(sql, ids);
        sql.push(")");
    }
    if !query.teams_ids.is_empty() {
        sql.push(" AND b.team_id IN (");
        push_ids(sql, &query.teams_ids);
        sql.push(")");
    }
    if let Some(id) = query.team_id {
        sql.push(" AND b.team_id = ").push_bind(id);
    }
    if let Some(end) = list.before_end {
        sql.push(" AND ");
        push_column(sql, "b.end_ms", driving_index == DrivingIndex::End);
        sql.push(" <= ").push_bind(end.0);
    }
    for (condition, bound) in [
        ("b.start_ms >= ", list.after_start),
        ("b.created_ms >= ", query.after_created_at),
        ("b.created_ms <= ", query.before_created_at),
        ("b.updated_ms >= ", query.after_updated_at),
        ("b.updated_ms <= ", query.before_updated_at),
    ] {
        if let Some(bound) = bound {
            sql.push(" AND ").push(condition).push_bind(bound.0);
        }
    }
    if let Some(end) = list.before_end {
        sql.push(" AND b.start_ms < ").push_bind(end.0);
    }
}

/// Returns true if the filter matches only bookings that are not over.
fn is_open(status: StatusFilter) -> bool {
    matches!(
        status,
        StatusFilter::Upcoming | StatusFilter::Recurring | StatusFilter::Unconfirmed
    )
}

fn push_scope(sql: &mut QueryBuilder<'_>, scope: &BookingScope, is_selective: bool) {
    match scope {
        BookingScope::Team(id) => {
            push_column(sql, "b.team_id", !is_selective);
            sql.push(" = ").push_bind(*id);
        }
        BookingScope::User {
            user_id,
            email,
            team_ids,
        } => {
            sql.push("(b.id IN (");
            push_own_bookings(sql, *user_id, email);
            match sql.database() {
                _ if team_ids.is_empty() => {}
                Database::Sqlite => {
                    sql.push(") OR ");
                    push_column(sql, "b.team_id", !is_selective);
                    sql.push(" IN (");
                    push_ids(sql, team_ids);
                }
                // One set of ids: with OR, all bookings would be read.
                Database::Postgres => {
                    sql.push(" UNION SELECT id FROM bookings WHERE team_id IN (");
                    push_ids(sql, team_ids);
                    sql.push(")");
                }
            }
            sql.push(")");
            sql.push(")");
        }
    }
}

/// Adds a column. Its index is not used by SQLite unless `is_driving` is set.
fn push_column(sql: &mut QueryBuilder<'_>, column: &str, is_driving: bool) {
    if !is_driving {
        sql.push_sql(&by_database("+", ""));
    }
    sql.push(column);
}

/// Adds the query for the ids of the bookings that a user hosts, attends or owns.
fn push_own_bookings(sql: &mut QueryBuilder<'_>, user_id: i64, email: &str) {
    sql.push("SELECT booking_id FROM booking_hosts WHERE user_id = ");
    sql.push_bind(user_id);
    sql.push(" UNION SELECT booking_id FROM attendees WHERE lower(email) = lower(");
    sql.push_bind(email.to_owned()).push(")");
    sql.push(
        " UNION SELECT x.id FROM event_types e JOIN bookings x ON x.event_type_id = e.id
          WHERE e.owner_id = ",
    );
    sql.push_bind(user_id);
}

fn push_status(
    sql: &mut QueryBuilder<'_>,
    status: StatusFilter,
    now: Instant,
    driving_index: DrivingIndex,
) {
    // Two comparisons are cheaper than `NOT IN`.
    const NOT_CANCELLED: &str = "b.status <> 'cancelled' AND b.status <> 'rejected'";
    let (operator, condition) = match status {
        StatusFilter::Upcoming => (
            ">=",
            format!("{NOT_CANCELLED} AND (b.series_uid IS NULL OR b.status = 'accepted')"),
        ),
        StatusFilter::Recurring => (
            ">=",
            format!("{NOT_CANCELLED} AND b.series_uid IS NOT NULL"),
        ),
        StatusFilter::Past => ("<=", NOT_CANCELLED.to_owned()),
        StatusFilter::Unconfirmed => (">=", "b.status = 'pending'".to_owned()),
        StatusFilter::Cancelled => {
            sql.push("(b.status = 'cancelled' OR b.status = 'rejected')");
            return;
        }
    };
    let plus = if driving_index == DrivingIndex::End {
        ""
    } else {
        "+"
    };
    sql.push(format!("({plus}b.end_ms {operator} "))
        .push_bind(now.0);
    sql.push(format!(" AND {condition})"));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn search_of_own_bookings_reads_them_first() {
        let mut filter = Filter {
            query: OwnBookingsQuery::default(),
            event_types: Vec::new(),
        };
        let scope = |team_ids: &[i64]| BookingScope::User {
            user_id: 1,
            email: "ada@example.org".to_owned(),
            team_ids: team_ids.to_vec(),
        };
        let sql = |filter: &Filter, scope: &BookingScope| {
            select_ids(Database::Sqlite, scope, filter, Instant(0))
                .sql()
                .to_owned()
        };
        let own = "WITH own(id) AS MATERIALIZED";
        assert!(!sql(&filter, &scope(&[])).contains(" own"));
        filter.query.list.search = Some("chl".to_owned());
        let searched = sql(&filter, &scope(&[]));
        assert!(searched.starts_with(own), "{searched}");
        // Titles and attendees of bookings, guests among them, and hosts.
        assert_eq!(
            searched.matches(" IN (SELECT id FROM own)").count(),
            4,
            "{searched}"
        );
        for scope in [scope(&[1]), BookingScope::Team(1)] {
            let searched = sql(&filter, &scope);
            assert!(!searched.contains(" own"), "{searched}");
        }
        // Nothing is looked up for each match.
        assert!(!sql(&filter, &scope(&[1])).contains("EXISTS"));
    }
}
