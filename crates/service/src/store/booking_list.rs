//! Lists of bookings: filters, sorts and pages (contract 3.1, 6.4).

use booking_wire::{Booking, Instant, OwnBookingsQuery, Pagination, SortOrder, StatusFilter};
use sqlx::{QueryBuilder, Sqlite};

use crate::error::Result;
use crate::store::bookings;
use crate::store::connection::Db;

/// Whose bookings are listed.
#[derive(Clone, Debug)]
pub enum Whose {
    /// A team's.
    Team(i64),
    /// Those that somebody hosts, attends, owns or administers.
    User {
        /// Hosts them, or owns what was booked.
        user_id: i64,
        /// Attends them, or comes along as a guest.
        email: String,
        /// Administers these teams.
        team_ids: Vec<i64>,
    },
}

/// What is asked for. `take` and `skip` are within their limits.
#[derive(Clone, Debug)]
pub struct Filter {
    /// As it was asked.
    pub query: OwnBookingsQuery,
    /// Sets of event types; a booking is in all of them. These stand in for the query's own.
    pub event_types: Vec<Vec<i64>>,
}

/// No booking is longer than a day (see `booking_hosts`): what ends after a moment starts after
/// the day before it. Said to the database, it finds by their start what is asked for by its end.
const LONGEST_MS: i64 = 86_400_000;

/// Reads one page.
pub async fn page(
    db: &mut Db,
    whose: &Whose,
    filter: &Filter,
    now: Instant,
) -> Result<(Vec<Booking>, Pagination)> {
    let list = &filter.query.list;
    let (take, skip) = (list.take.unwrap_or(100), list.skip.unwrap_or(0));
    let mut count = QueryBuilder::new("SELECT count(*) FROM bookings b");
    // To be counted, bookings need not come in order: what is rarest may lead to them.
    let few = Lead::Few {
        event_types: !filter.event_types.is_empty(),
    };
    push_filter(&mut count, whose, filter, now, few);
    let total: i64 = count.build_query_scalar().fetch_one(&mut *db).await?;
    if skip >= total {
        return Ok((Vec::new(), Pagination::new(total, take, skip)));
    }

    let mut select = QueryBuilder::new("SELECT b.id FROM bookings b");
    let (column, order) = sort(&filter.query);
    let lead = if column == "b.end_ms" {
        Lead::End
    } else {
        Lead::Few { event_types: false }
    };
    push_filter(&mut select, whose, filter, now, lead);
    // Ties are broken by id, so that pages never repeat or skip a booking.
    select.push(format!(" ORDER BY {column} {order}, b.id {order} LIMIT "));
    select.push_bind(take);
    select.push(" OFFSET ").push_bind(skip);
    let ids: Vec<i64> = select.build_query_scalar().fetch_all(&mut *db).await?;
    Ok((
        bookings::load(db, &ids).await?,
        Pagination::new(total, take, skip),
    ))
}

/// Returns true if there is a booking of these event types.
pub async fn has_any(db: &mut Db, whose: &Whose, event_type_ids: &[i64]) -> Result<bool> {
    let mut query = QueryBuilder::new("SELECT b.id FROM bookings b WHERE ");
    push_whose(&mut query, whose, true);
    query.push(" AND b.event_type_id IN (");
    push_ids(&mut query, event_type_ids);
    query.push(") LIMIT 1");
    let found: Option<i64> = query.build_query_scalar().fetch_optional(db).await?;
    Ok(found.is_some())
}

/// What should lead the database to the bookings. A `+` before a column keeps an index on it
/// from being used; without statistics, SQLite would often take the wrong one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Lead {
    /// Their end, because they are sorted by it.
    End,
    /// The attendee or the uid if asked for, the event types if they are rare enough to matter,
    /// else the start.
    Few {
        /// Whether event types lead.
        event_types: bool,
    },
}

/// Teams whose bookings somebody may see as one who runs their organisation, and teams and
/// organisations where it depends on a role.
#[derive(Clone, Debug, Default)]
pub struct Reach {
    /// All of these.
    pub teams: Vec<i64>,
    /// These if their role allows it.
    pub perhaps: Vec<i64>,
}

/// Where somebody could administer bookings.
pub async fn reach(db: &mut Db, user_id: i64) -> Result<Reach> {
    let rows: Vec<(i64, i64)> = sqlx::query_as(
        "SELECT t.id, max(CASE WHEN m.role IN ('ADMIN', 'OWNER') THEN 1 ELSE 0 END)
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
    let mut reach = Reach::default();
    for (team_id, surely) in rows {
        if surely == 1 {
            reach.teams.push(team_id);
        } else {
            reach.perhaps.push(team_id);
        }
    }
    reach.perhaps.sort_unstable();
    reach.perhaps.dedup();
    reach.perhaps.retain(|id| !reach.teams.contains(id));
    Ok(reach)
}

fn sort(query: &OwnBookingsQuery) -> (&'static str, &'static str) {
    let wanted = [
        (query.list.sort_start, "b.start_ms"),
        (query.list.sort_end, "b.end_ms"),
        (query.list.sort_created, "b.created_ms"),
        (query.sort_updated_at, "b.updated_ms"),
    ];
    // The first of several wins (contract 3.1).
    for (order, column) in wanted {
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
    sql: &mut QueryBuilder<'_, Sqlite>,
    whose: &Whose,
    filter: &Filter,
    now: Instant,
    lead: Lead,
) {
    let query = &filter.query;
    let list = &query.list;
    let by_person = list.attendee_email.is_some() || list.attendee_name.is_some();
    let few = by_person || list.booking_uid.is_some() || lead == Lead::Few { event_types: true };
    sql.push(" WHERE ");
    push_whose(sql, whose, few);
    for (index, status) in list.status.iter().enumerate() {
        sql.push(if index == 0 { " AND (" } else { " OR " });
        push_status(sql, *status, now, lead);
    }
    if !list.status.is_empty() {
        sql.push(")");
    }
    // What all the statuses have in common about the start.
    if !list.status.is_empty() && lead != Lead::End {
        if list.status.iter().all(|status| is_open(*status)) {
            sql.push(" AND b.start_ms >= ")
                .push_bind(now.0 - LONGEST_MS);
        } else if list.status == [StatusFilter::Past] {
            sql.push(" AND b.start_ms < ").push_bind(now.0);
        }
    }
    for (column, value) in [
        ("email", &list.attendee_email),
        ("name", &list.attendee_name),
    ] {
        if let Some(value) = value {
            sql.push(format!(
                " AND b.id IN (SELECT booking_id FROM attendees WHERE guest = 0 AND {column} = "
            ));
            sql.push_bind(value.clone()).push(")");
        }
    }
    if let Some(uid) = &list.booking_uid {
        sql.push(" AND b.uid = ").push_bind(uid.clone());
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
    let before_end = if lead == Lead::End {
        "b.end_ms <= "
    } else {
        "+b.end_ms <= "
    };
    for (claim, bound) in [
        ("b.start_ms >= ", list.after_start),
        (before_end, list.before_end),
        ("b.created_ms >= ", query.after_created_at),
        ("b.created_ms <= ", query.before_created_at),
        ("b.updated_ms >= ", query.after_updated_at),
        ("b.updated_ms <= ", query.before_updated_at),
    ] {
        if let Some(bound) = bound {
            sql.push(" AND ").push(claim).push_bind(bound.0);
        }
    }
    if let Some(end) = list.before_end {
        sql.push(" AND b.start_ms < ").push_bind(end.0);
    }
}

/// Whether the filter finds only what is not over.
fn is_open(status: StatusFilter) -> bool {
    matches!(
        status,
        StatusFilter::Upcoming | StatusFilter::Recurring | StatusFilter::Unconfirmed
    )
}

fn push_whose(sql: &mut QueryBuilder<'_, Sqlite>, whose: &Whose, few: bool) {
    let plus = if few { "+" } else { "" };
    match whose {
        Whose::Team(id) => {
            sql.push(format!("{plus}b.team_id = ")).push_bind(*id);
        }
        Whose::User {
            user_id,
            email,
            team_ids,
        } => {
            sql.push("(b.id IN (SELECT booking_id FROM booking_hosts WHERE user_id = ");
            sql.push_bind(*user_id);
            sql.push(" UNION SELECT booking_id FROM attendees WHERE lower(email) = lower(");
            sql.push_bind(email.clone()).push(")");
            sql.push(
                " UNION SELECT x.id FROM event_types e JOIN bookings x ON x.event_type_id = e.id
                  WHERE e.owner_id = ",
            );
            sql.push_bind(*user_id).push(")");
            if !team_ids.is_empty() {
                sql.push(format!(" OR {plus}b.team_id IN ("));
                push_ids(sql, team_ids);
                sql.push(")");
            }
            sql.push(")");
        }
    }
}

fn push_status(sql: &mut QueryBuilder<'_, Sqlite>, status: StatusFilter, now: Instant, lead: Lead) {
    let end = if lead == Lead::End {
        "(b.end_ms"
    } else {
        "(+b.end_ms"
    };
    // Two comparisons are cheaper than a look into a list.
    const STANDS: &str = " AND b.status <> 'cancelled' AND b.status <> 'rejected'";
    match status {
        StatusFilter::Upcoming => {
            sql.push(end).push(" >= ").push_bind(now.0).push(STANDS);
            sql.push(" AND (b.series_uid IS NULL OR b.status = 'accepted'))");
        }
        StatusFilter::Recurring => {
            sql.push(end).push(" >= ").push_bind(now.0).push(STANDS);
            sql.push(" AND b.series_uid IS NOT NULL)");
        }
        StatusFilter::Past => {
            sql.push(end).push(" <= ").push_bind(now.0).push(STANDS);
            sql.push(")");
        }
        StatusFilter::Cancelled => {
            sql.push("(b.status = 'cancelled' OR b.status = 'rejected')");
        }
        StatusFilter::Unconfirmed => {
            sql.push(end).push(" >= ").push_bind(now.0);
            sql.push(" AND b.status = 'pending')");
        }
    }
}

fn push_ids(sql: &mut QueryBuilder<'_, Sqlite>, ids: &[i64]) {
    let mut list = sql.separated(", ");
    for id in ids {
        list.push_bind(*id);
    }
}
