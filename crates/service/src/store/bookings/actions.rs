//! Booking actions: the snapshot that decisions are based on, and the updates.

use std::collections::HashMap;

use booking_rules::availability::TimeRange;
use booking_rules::{BookingContext, Policy, transitions};
use booking_store_engine::connection::Db;
use booking_store_engine::sql::{self, QueryBuilder};
use booking_wire::{BookingStatus, Instant, JsonMap};
use serde_json::Value;

use crate::error::{Error, Result};
use crate::store::rows::push_ids;

/// The data of a booking that decisions about actions need.
#[derive(Clone, Debug)]
pub struct BookingSnapshot {
    /// Identifier.
    pub id: i64,
    /// Public identifier.
    pub uid: String,
    /// Uid of its series.
    pub series_uid: Option<String>,
    /// True if a seat was moved away from an occurrence of the series: it has a calendar entry for itself.
    pub is_apart: bool,
    /// Booked event type; none if it was deleted.
    pub event_type_id: Option<i64>,
    /// Id of its team.
    pub team_id: Option<i64>,
    /// Status.
    pub status: BookingStatus,
    /// Start.
    pub start: Instant,
    /// End.
    pub end: Instant,
    /// True if attendees have seats.
    pub is_seated: bool,
    /// True if it has a price that has not been paid.
    pub is_unpaid: bool,
    /// Uid of the booking that replaces it.
    pub replaced_by: Option<String>,
    /// User ids of its hosts.
    pub host_ids: Vec<i64>,
    /// User id of the owner of the event type.
    pub owner_id: Option<i64>,
    /// Policy of its event type.
    pub policy: Policy,
    /// Settings of its event type, keyed as on the wire; null if the event type was deleted.
    pub settings: Value,
}

impl BookingSnapshot {
    /// Returns the context of the rules at `now`.
    pub fn context(&self, now: Instant) -> BookingContext<'_> {
        BookingContext {
            status: &self.status,
            start: self.start,
            end: self.end,
            now,
            is_unpaid: self.is_unpaid,
            replaced_by: self.replaced_by.as_deref(),
            policy: &self.policy,
        }
    }

    /// Returns its time range.
    pub fn range(&self) -> TimeRange {
        TimeRange::new(self.start.0, self.end.0)
    }

    /// Returns true if it is not cancelled, declined or over.
    pub fn is_open(&self, now: Instant) -> bool {
        !matches!(
            self.status,
            BookingStatus::Cancelled | BookingStatus::Rejected
        ) && self.end > now
    }
}

/// The bookings that a uid identifies.
#[derive(Clone, Debug)]
pub struct NamedBookings {
    /// One booking, or all occurrences of a series by start; never empty.
    pub bookings: Vec<BookingSnapshot>,
    /// True if the uid is that of a series.
    pub is_series: bool,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: i64,
    uid: String,
    series_uid: Option<String>,
    is_apart: i64,
    event_type_id: Option<i64>,
    team_id: Option<i64>,
    #[sqlx(try_from = "String")]
    status: BookingStatus,
    start_ms: i64,
    end_ms: i64,
    seated: i64,
    paid: Option<i64>,
    rescheduled_to_uid: Option<String>,
    owner_id: Option<i64>,
    blocks_unconfirmed: Option<i64>,
    settings: Option<String>,
}

const SELECT: &str =
    "SELECT b.id, b.uid, b.series_uid, b.is_apart, b.event_type_id, b.team_id, b.status, b.start_ms, b.end_ms,
        b.seated, b.paid, b.rescheduled_to_uid, e.owner_id, e.blocks_unconfirmed, e.settings
    FROM bookings b LEFT JOIN event_types e ON e.id = b.event_type_id WHERE ";

/// Finds the booking, the occurrence or the series with this uid.
pub async fn find_by_uid(db: &mut Db, uid: &str) -> Result<NamedBookings> {
    let bookings = select(db, "b.uid = ", uid.to_owned()).await?;
    if !bookings.is_empty() {
        return Ok(NamedBookings {
            bookings,
            is_series: false,
        });
    }
    let bookings = series(db, uid).await?;
    if bookings.is_empty() {
        return Err(Error::not_found("Booking", uid));
    }
    Ok(NamedBookings {
        bookings,
        is_series: true,
    })
}

impl NamedBookings {
    /// Returns the first booking.
    pub fn first(&self) -> Result<&BookingSnapshot> {
        let first = self.bookings.first();
        first.ok_or_else(|| Error::internal("no booking for a uid that was found"))
    }
}

/// Finds the booking with this uid; rejects the uid of a series.
pub async fn find_one(db: &mut Db, uid: &str) -> Result<BookingSnapshot> {
    let mut found = find_by_uid(db, uid).await?;
    match found.bookings.pop() {
        Some(booking) if !found.is_series => Ok(booking),
        _ => Err(Error::BadRequest(
            "bookingUid names a series: name one of its occurrences".into(),
        )),
    }
}

/// Finds the booking with that id.
pub async fn by_id(db: &mut Db, id: i64) -> Result<Option<BookingSnapshot>> {
    Ok(select(db, "b.id = ", id).await?.pop())
}

/// Lists all occurrences of a series, by start.
pub async fn series(db: &mut Db, series_uid: &str) -> Result<Vec<BookingSnapshot>> {
    select(db, "b.series_uid = ", series_uid.to_owned()).await
}

async fn select(
    db: &mut Db,
    condition: &str,
    value: impl Into<sql::Value<'static>>,
) -> Result<Vec<BookingSnapshot>> {
    let mut query: QueryBuilder<'static> = QueryBuilder::new(db.database(), SELECT);
    query.push(condition).push_bind(value);
    query.push(" ORDER BY b.start_ms, b.id");
    let rows: Vec<Row> = query.build_query_as().fetch_all(&mut *db).await?;
    let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
    let mut hosts = host_ids(db, &ids).await?;
    rows.into_iter()
        .map(|row| {
            let host_ids = hosts.remove(&row.id).unwrap_or_default();
            snapshot(row, host_ids)
        })
        .collect()
}

/// Lists bookings of a host that are not cancelled, declined or over, by start.
pub async fn open_of_host(db: &mut Db, user_id: i64, now: Instant) -> Result<Vec<BookingSnapshot>> {
    let ids: Vec<i64> = sql::query_scalar(
        "SELECT b.id FROM booking_hosts h JOIN bookings b ON b.id = h.booking_id
         WHERE h.user_id = ? AND h.end_ms > ? AND b.status NOT IN ('cancelled', 'rejected')
         ORDER BY b.start_ms, b.id",
    )
    .bind(user_id)
    .bind(now.0)
    .fetch_all(&mut *db)
    .await?;
    let mut bookings = Vec::with_capacity(ids.len());
    for id in ids {
        bookings.extend(by_id(db, id).await?);
    }
    Ok(bookings)
}

async fn host_ids(db: &mut Db, booking_ids: &[i64]) -> Result<HashMap<i64, Vec<i64>>> {
    let mut found: HashMap<i64, Vec<i64>> = HashMap::new();
    if booking_ids.is_empty() {
        return Ok(found);
    }
    let mut query = QueryBuilder::new(
        db.database(),
        "SELECT booking_id, user_id FROM booking_hosts WHERE booking_id IN (",
    );
    push_ids(&mut query, booking_ids);
    query.push(") ORDER BY user_id");
    let rows: Vec<(i64, i64)> = query.build_query_as().fetch_all(db).await?;
    for (booking_id, user_id) in rows {
        found.entry(booking_id).or_default().push(user_id);
    }
    Ok(found)
}

fn snapshot(row: Row, host_ids: Vec<i64>) -> Result<BookingSnapshot> {
    let settings: Value = match &row.settings {
        Some(text) => serde_json::from_str(text)?,
        None => Value::Null,
    };
    Ok(BookingSnapshot {
        id: row.id,
        uid: row.uid,
        series_uid: row.series_uid,
        is_apart: row.is_apart == 1,
        event_type_id: row.event_type_id,
        team_id: row.team_id,
        status: row.status,
        start: Instant(row.start_ms),
        end: Instant(row.end_ms),
        is_seated: row.seated == 1,
        is_unpaid: row.paid == Some(0),
        replaced_by: row.rescheduled_to_uid,
        host_ids,
        owner_id: row.owner_id,
        policy: Policy {
            pending_blocks_time: row.blocks_unconfirmed == Some(1),
            ..Policy::of_settings(&settings)
        },
        settings,
    })
}

/// Lists the hosts of the event type, also those who do not host this booking.
pub async fn event_type_hosts(db: &mut Db, event_type_id: Option<i64>) -> Result<Vec<i64>> {
    Ok(
        sql::query_scalar("SELECT user_id FROM event_type_hosts WHERE event_type_id = ?")
            .bind(event_type_id)
            .fetch_all(db)
            .await?,
    )
}

/// Returns the e-mail address of a user.
pub async fn user_email(db: &mut Db, user_id: i64) -> Result<Option<String>> {
    Ok(sql::query_scalar("SELECT email FROM users WHERE id = ?")
        .bind(user_id)
        .fetch_optional(db)
        .await?)
}

/// Updates the status of a booking and blocks or releases its hosts' time accordingly. A trigger
/// rejects time that is taken already (see [`crate::store::is_host_taken`]).
pub async fn set_status(
    db: &mut Db,
    booking: &BookingSnapshot,
    status: &BookingStatus,
    now: Instant,
) -> Result<(), sqlx::Error> {
    sql::query("UPDATE bookings SET status = ?, updated_ms = ? WHERE id = ?")
        .bind(status.as_str())
        .bind(now.0)
        .bind(booking.id)
        .execute(&mut *db)
        .await?;
    // `holds`: see `transitions::blocks_time`.
    sql::query("UPDATE booking_hosts SET holds = ? WHERE booking_id = ?")
        .bind(i64::from(transitions::blocks_time(status, &booking.policy)))
        .bind(booking.id)
        .execute(db)
        .await?;
    Ok(())
}

/// Stores the reason for which a booking was cancelled or declined, and the e-mail address of the
/// user who cancelled it.
pub async fn set_reason(
    db: &mut Db,
    booking_id: i64,
    reason: Option<&str>,
    cancelled_by_email: Option<&str>,
) -> Result<()> {
    sql::query("UPDATE bookings SET cancellation_reason = ?, cancelled_by_email = ? WHERE id = ?")
        .bind(reason)
        .bind(cancelled_by_email)
        .bind(booking_id)
        .execute(db)
        .await?;
    Ok(())
}

/// Makes `user_id` the only host of a booking that waits for a host.
pub async fn set_only_host(
    db: &mut Db,
    booking: &BookingSnapshot,
    user_id: i64,
) -> Result<(), sqlx::Error> {
    sql::query("DELETE FROM booking_hosts WHERE booking_id = ?")
        .bind(booking.id)
        .execute(&mut *db)
        .await?;
    // `holds`: see `transitions::blocks_time`.
    sql::query(
        "INSERT INTO booking_hosts (booking_id, organization_id, user_id, start_ms, end_ms, holds)
         SELECT id, organization_id, ?2, ?3, ?4, 0 FROM bookings WHERE id = ?1",
    )
    .bind(booking.id)
    .bind(user_id)
    .bind(booking.start.0)
    .bind(booking.end.0)
    .execute(db)
    .await?;
    Ok(())
}

/// Replaces one host by another.
pub async fn replace_host(
    db: &mut Db,
    booking_id: i64,
    old: i64,
    new: i64,
) -> Result<(), sqlx::Error> {
    sql::query("UPDATE booking_hosts SET user_id = ? WHERE booking_id = ? AND user_id = ?")
        .bind(new)
        .bind(booking_id)
        .bind(old)
        .execute(db)
        .await?;
    Ok(())
}

/// Removes one of several hosts of a booking.
pub async fn remove_host(db: &mut Db, booking_id: i64, user_id: i64, now: Instant) -> Result<()> {
    sql::query("DELETE FROM booking_hosts WHERE booking_id = ? AND user_id = ?")
        .bind(booking_id)
        .bind(user_id)
        .execute(&mut *db)
        .await?;
    set_updated(db, booking_id, now).await
}

/// Stores the reason for a change of host, the new title and the time of the update.
pub async fn set_reassignment(
    db: &mut Db,
    booking_id: i64,
    reason: Option<&str>,
    title: Option<&str>,
    now: Instant,
) -> Result<()> {
    sql::query(
        "UPDATE bookings SET reassignment_reason = ?, title = coalesce(?, title), updated_ms = ? WHERE id = ?",
    )
    .bind(reason)
    .bind(title)
    .bind(now.0)
    .bind(booking_id)
    .execute(db)
    .await?;
    Ok(())
}

/// Stores if the host was absent.
pub async fn set_absent_host(db: &mut Db, booking_id: i64, absent: bool) -> Result<()> {
    sql::query("UPDATE bookings SET absent_host = ? WHERE id = ?")
        .bind(i64::from(absent))
        .bind(booking_id)
        .execute(db)
        .await?;
    Ok(())
}

/// Changes the form responses of a booking.
pub(crate) async fn change_responses(
    db: &mut Db,
    booking_id: i64,
    change: impl FnOnce(&mut JsonMap),
) -> Result<()> {
    let text: Option<String> = sql::query_scalar("SELECT responses FROM bookings WHERE id = ?")
        .bind(booking_id)
        .fetch_optional(&mut *db)
        .await?;
    let Some(text) = text else {
        return Ok(());
    };
    let mut responses: JsonMap = serde_json::from_str(&text)?;
    change(&mut responses);
    sql::query("UPDATE bookings SET responses = ? WHERE id = ?")
        .bind(Value::from(responses).to_string())
        .bind(booking_id)
        .execute(db)
        .await?;
    Ok(())
}

/// Updates the location of a booking, also in its form responses.
pub async fn set_location(
    db: &mut Db,
    booking_id: i64,
    location: &str,
    response: &Value,
) -> Result<()> {
    sql::query("UPDATE bookings SET location = ? WHERE id = ?")
        .bind(location)
        .bind(booking_id)
        .execute(&mut *db)
        .await?;
    change_responses(db, booking_id, |responses| {
        responses.insert("location".to_owned(), response.clone());
    })
    .await
}

/// Stores the time of the last update of a booking.
pub async fn set_updated(db: &mut Db, booking_id: i64, now: Instant) -> Result<()> {
    sql::query("UPDATE bookings SET updated_ms = ? WHERE id = ?")
        .bind(now.0)
        .bind(booking_id)
        .execute(db)
        .await?;
    Ok(())
}
