//! Acting on bookings: what has to be known of one to decide, and the changes themselves.

use std::collections::HashMap;

use booking_wire::{BookingStatus, Instant, Read};
use serde_json::Value;
use sqlx::QueryBuilder;

use crate::availability::Span;
use crate::error::{Error, Result};
use crate::lifecycle::{self, Policy, Standing};
use crate::store::connection::Db;

/// A booking as far as decisions about it need it.
#[derive(Clone, Debug)]
pub struct Known {
    /// Identifier.
    pub id: i64,
    /// Public identifier.
    pub uid: String,
    /// The series it belongs to.
    pub series_uid: Option<String>,
    /// What was booked; none if the event type is gone.
    pub event_type_id: Option<i64>,
    /// The team that it belongs to.
    pub team_id: Option<i64>,
    /// Where it stands.
    pub status: BookingStatus,
    /// When it starts.
    pub start: Instant,
    /// When it ends.
    pub end: Instant,
    /// Whether attendees have seats.
    pub is_seated: bool,
    /// Whether its price was asked for and has not been paid.
    pub is_unpaid: bool,
    /// Uid of the booking that has replaced it.
    pub replaced_by: Option<String>,
    /// Who hosts it.
    pub host_ids: Vec<i64>,
    /// Who owns what was booked.
    pub owner_id: Option<i64>,
    /// What its event type asks of it.
    pub policy: Policy,
    /// The settings of its event type, which are fields of the interface; empty if it is gone.
    pub settings: Value,
}

impl Known {
    /// How it stands at `now`.
    pub fn standing(&self, now: Instant) -> Standing<'_> {
        Standing {
            status: &self.status,
            start: self.start,
            end: self.end,
            now,
            is_unpaid: self.is_unpaid,
            replaced_by: self.replaced_by.as_deref(),
            policy: &self.policy,
        }
    }

    /// When it takes place.
    pub fn span(&self) -> Span {
        Span::new(self.start.0, self.end.0)
    }

    /// Whether it is neither cancelled nor declined nor over.
    pub fn is_open(&self, now: Instant) -> bool {
        !matches!(
            self.status,
            BookingStatus::Cancelled | BookingStatus::Rejected
        ) && self.end > now
    }
}

/// What a uid names.
#[derive(Clone, Debug)]
pub struct Named {
    /// One booking, or all occurrences of a series by start; never empty.
    pub bookings: Vec<Known>,
    /// Whether the uid is that of a series.
    pub is_series: bool,
}

#[derive(sqlx::FromRow)]
struct Row {
    id: i64,
    uid: String,
    series_uid: Option<String>,
    event_type_id: Option<i64>,
    team_id: Option<i64>,
    status: String,
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
    "SELECT b.id, b.uid, b.series_uid, b.event_type_id, b.team_id, b.status, b.start_ms, b.end_ms,
        b.seated, b.paid, b.rescheduled_to_uid, e.owner_id, e.blocks_unconfirmed, e.settings
    FROM bookings b LEFT JOIN event_types e ON e.id = b.event_type_id WHERE ";

/// Finds what `uid` names: a booking, one occurrence, or a series.
pub async fn named(db: &mut Db, uid: &str) -> Result<Named> {
    let one = select(db, "b.uid = ", uid).await?;
    if !one.is_empty() {
        return Ok(Named {
            bookings: one,
            is_series: false,
        });
    }
    let bookings = series(db, uid).await?;
    if bookings.is_empty() {
        return Err(Error::not_found("Booking", uid));
    }
    Ok(Named {
        bookings,
        is_series: true,
    })
}

/// Finds the one booking that `uid` names; refuses a series.
pub async fn one(db: &mut Db, uid: &str) -> Result<Known> {
    let mut named = named(db, uid).await?;
    match named.bookings.pop() {
        Some(booking) if !named.is_series => Ok(booking),
        _ => Err(Error::BadRequest(
            "bookingUid names a series: name one of its occurrences".into(),
        )),
    }
}

/// Finds the booking with that id.
pub async fn by_id(db: &mut Db, id: i64) -> Result<Option<Known>> {
    let uid: Option<String> = sqlx::query_scalar("SELECT uid FROM bookings WHERE id = ?")
        .bind(id)
        .fetch_optional(&mut *db)
        .await?;
    match uid {
        Some(uid) => one(db, &uid).await.map(Some),
        None => Ok(None),
    }
}

/// All occurrences of a series, by start.
pub async fn series(db: &mut Db, series_uid: &str) -> Result<Vec<Known>> {
    select(db, "b.series_uid = ", series_uid).await
}

async fn select(db: &mut Db, condition: &str, value: &str) -> Result<Vec<Known>> {
    let mut query = QueryBuilder::new(SELECT);
    query.push(condition).push_bind(value.to_owned());
    query.push(" ORDER BY b.start_ms, b.id");
    let rows: Vec<Row> = query.build_query_as().fetch_all(&mut *db).await?;
    let ids: Vec<i64> = rows.iter().map(|row| row.id).collect();
    let mut hosts = host_ids(db, &ids).await?;
    rows.into_iter()
        .map(|row| {
            let host_ids = hosts.remove(&row.id).unwrap_or_default();
            known(row, host_ids)
        })
        .collect()
}

/// Bookings of a host that are neither cancelled nor declined nor over, by start.
pub async fn open_of_host(db: &mut Db, user_id: i64, now: Instant) -> Result<Vec<Known>> {
    let ids: Vec<i64> = sqlx::query_scalar(
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
    let mut query =
        QueryBuilder::new("SELECT booking_id, user_id FROM booking_hosts WHERE booking_id IN (");
    let mut list = query.separated(", ");
    for id in booking_ids {
        list.push_bind(*id);
    }
    query.push(") ORDER BY user_id");
    let rows: Vec<(i64, i64)> = query.build_query_as().fetch_all(db).await?;
    for (booking_id, user_id) in rows {
        found.entry(booking_id).or_default().push(user_id);
    }
    Ok(found)
}

fn known(row: Row, host_ids: Vec<i64>) -> Result<Known> {
    let settings: Value = match &row.settings {
        Some(text) => serde_json::from_str(text)?,
        None => Value::Null,
    };
    Ok(Known {
        id: row.id,
        uid: row.uid,
        series_uid: row.series_uid,
        event_type_id: row.event_type_id,
        team_id: row.team_id,
        status: BookingStatus::read(&Value::String(row.status)).unwrap_or_default(),
        start: Instant(row.start_ms),
        end: Instant(row.end_ms),
        is_seated: row.seated == 1,
        is_unpaid: row.paid == Some(0),
        replaced_by: row.rescheduled_to_uid,
        host_ids,
        owner_id: row.owner_id,
        policy: Policy {
            blocks_unconfirmed: row.blocks_unconfirmed == Some(1),
            ..Policy::read(&settings)
        },
        settings,
    })
}

/// People who host what was booked, whether or not they host this booking.
pub async fn event_type_hosts(db: &mut Db, event_type_id: Option<i64>) -> Result<Vec<i64>> {
    Ok(
        sqlx::query_scalar("SELECT user_id FROM event_type_hosts WHERE event_type_id = ?")
            .bind(event_type_id)
            .fetch_all(db)
            .await?,
    )
}

/// The e-mail address of a user.
pub async fn email_of(db: &mut Db, user_id: i64) -> Result<Option<String>> {
    Ok(sqlx::query_scalar("SELECT email FROM users WHERE id = ?")
        .bind(user_id)
        .fetch_optional(db)
        .await?)
}

/// Gives a booking its new status, and its hosts' time accordingly. The database itself refuses
/// to take time that is taken already (see [`super::is_host_taken`]).
pub async fn set_status(
    db: &mut Db,
    booking: &Known,
    status: &BookingStatus,
    now: Instant,
) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE bookings SET status = ?, updated_ms = ? WHERE id = ?")
        .bind(status.as_str())
        .bind(now.0)
        .bind(booking.id)
        .execute(&mut *db)
        .await?;
    sqlx::query("UPDATE booking_hosts SET holds = ? WHERE booking_id = ?")
        .bind(i64::from(lifecycle::holds(status, &booking.policy)))
        .bind(booking.id)
        .execute(db)
        .await?;
    Ok(())
}

/// Notes why a booking was cancelled or declined, and who cancelled it.
pub async fn set_reason(
    db: &mut Db,
    booking_id: i64,
    reason: Option<&str>,
    cancelled_by_email: Option<&str>,
) -> Result<()> {
    sqlx::query("UPDATE bookings SET cancellation_reason = ?, cancelled_by_email = ? WHERE id = ?")
        .bind(reason)
        .bind(cancelled_by_email)
        .bind(booking_id)
        .execute(db)
        .await?;
    Ok(())
}

/// Makes `user_id` the only host of a booking whose time nobody has taken yet.
pub async fn join(db: &mut Db, booking: &Known, user_id: i64) -> Result<(), sqlx::Error> {
    sqlx::query("DELETE FROM booking_hosts WHERE booking_id = ?")
        .bind(booking.id)
        .execute(&mut *db)
        .await?;
    sqlx::query(
        "INSERT INTO booking_hosts (booking_id, user_id, start_ms, end_ms, holds) VALUES (?, ?, ?, ?, 0)",
    )
    .bind(booking.id)
    .bind(user_id)
    .bind(booking.start.0)
    .bind(booking.end.0)
    .execute(db)
    .await?;
    Ok(())
}

/// Puts one host in the place of another.
pub async fn replace_host(
    db: &mut Db,
    booking_id: i64,
    old: i64,
    new: i64,
) -> Result<(), sqlx::Error> {
    sqlx::query("UPDATE booking_hosts SET user_id = ? WHERE booking_id = ? AND user_id = ?")
        .bind(new)
        .bind(booking_id)
        .bind(old)
        .execute(db)
        .await?;
    Ok(())
}

/// Takes a host out of a booking that others host, too.
pub async fn remove_host(db: &mut Db, booking_id: i64, user_id: i64, now: Instant) -> Result<()> {
    sqlx::query("DELETE FROM booking_hosts WHERE booking_id = ? AND user_id = ?")
        .bind(booking_id)
        .bind(user_id)
        .execute(&mut *db)
        .await?;
    touch(db, booking_id, now).await
}

/// Notes why a booking has another host, and since when it is changed.
pub async fn set_reassignment(
    db: &mut Db,
    booking_id: i64,
    reason: Option<&str>,
    title: Option<&str>,
    now: Instant,
) -> Result<()> {
    sqlx::query(
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

/// Notes whether the host came.
pub async fn set_absent_host(db: &mut Db, booking_id: i64, absent: bool) -> Result<()> {
    sqlx::query("UPDATE bookings SET absent_host = ? WHERE id = ?")
        .bind(i64::from(absent))
        .bind(booking_id)
        .execute(db)
        .await?;
    Ok(())
}

/// Gives a booking its place, and the answer that says so.
pub async fn set_location(
    db: &mut Db,
    booking_id: i64,
    location: &str,
    response: &Value,
) -> Result<()> {
    let responses: String = sqlx::query_scalar("SELECT responses FROM bookings WHERE id = ?")
        .bind(booking_id)
        .fetch_one(&mut *db)
        .await?;
    let mut responses: Value = serde_json::from_str(&responses)?;
    if let Some(map) = responses.as_object_mut() {
        map.insert("location".into(), response.clone());
    }
    sqlx::query("UPDATE bookings SET location = ?, responses = ? WHERE id = ?")
        .bind(location)
        .bind(responses.to_string())
        .bind(booking_id)
        .execute(db)
        .await?;
    Ok(())
}

/// Notes when a booking was last changed.
pub async fn touch(db: &mut Db, booking_id: i64, now: Instant) -> Result<()> {
    sqlx::query("UPDATE bookings SET updated_ms = ? WHERE id = ?")
        .bind(now.0)
        .bind(booking_id)
        .execute(db)
        .await?;
    Ok(())
}
