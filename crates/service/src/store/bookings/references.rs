//! References of bookings in other systems.

use booking_store_engine::connection::Db;
use booking_store_engine::sql::{self, QueryBuilder};
use booking_wire::v1::BookingReference;

use crate::error::Result;
use crate::input_limits::MAX_LIST_ENTRIES;
use crate::store::rows;
use crate::store::user_filter::UserFilter;

#[derive(sqlx::FromRow)]
struct Row {
    id: i64,
    booking_id: Option<i64>,
    r#type: String,
    uid: String,
    meeting_id: Option<String>,
    meeting_password: Option<String>,
    meeting_url: Option<String>,
    destination_calendar_id: Option<String>,
    credential_id: Option<i64>,
    deleted: i64,
}

impl From<Row> for BookingReference {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            kind: row.r#type,
            uid: row.uid,
            booking_id: row.booking_id,
            meeting_id: row.meeting_id,
            meeting_password: row.meeting_password,
            meeting_url: row.meeting_url,
            external_calendar_id: row.destination_calendar_id,
            deleted: row.deleted == 1,
            credential_id: row.credential_id,
        }
    }
}

const SELECT: &str = "SELECT id, booking_id, type, uid, meeting_id, meeting_password, meeting_url, \
     destination_calendar_id, credential_id, deleted FROM booking_references WHERE ";

/// Lists the references of users' bookings, oldest first, without those that have no booking.
pub async fn list(db: &mut Db, users: &UserFilter) -> Result<Vec<BookingReference>> {
    let mut query = QueryBuilder::new(db.database(), SELECT);
    users.push_booking_condition(&mut query, "booking_id");
    query.push(" ORDER BY id");
    let rows: Vec<Row> = rows::unpaged(db, query, MAX_LIST_ENTRIES).await?;
    Ok(rows.into_iter().map(Into::into).collect())
}

/// Lists the references of a booking, oldest first.
pub async fn list_of_booking(
    db: &mut Db,
    booking_id: i64,
) -> Result<Vec<booking_wire::BookingReference>> {
    let rows: Vec<(i64, String, String, Option<String>)> = sql::query_as(
        "SELECT id, type, uid, destination_calendar_id FROM booking_references
         WHERE booking_id = ? AND deleted = 0 ORDER BY id",
    )
    .bind(booking_id)
    .fetch_all(db)
    .await?;
    Ok(rows
        .into_iter()
        .map(
            |(id, kind, event_uid, calendar)| booking_wire::BookingReference {
                id,
                kind,
                event_uid,
                destination_calendar_id: calendar,
            },
        )
        .collect())
}

/// Returns one reference.
pub async fn get(db: &mut Db, id: i64) -> Result<Option<BookingReference>> {
    let row: Option<Row> = sql::query_as(format!("{SELECT} id = ?"))
        .bind(id)
        .fetch_optional(db)
        .await?;
    Ok(row.map(Into::into))
}

/// Stores a new reference and returns its id.
pub async fn insert(db: &mut Db, reference: &BookingReference) -> Result<i64> {
    Ok(sql::query_scalar(
        "INSERT INTO booking_references (booking_id, type, uid, meeting_id, meeting_password, meeting_url,
             destination_calendar_id, credential_id, deleted)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
    )
    .bind(reference.booking_id)
    .bind(&reference.kind)
    .bind(&reference.uid)
    .bind(&reference.meeting_id)
    .bind(&reference.meeting_password)
    .bind(&reference.meeting_url)
    .bind(&reference.external_calendar_id)
    .bind(reference.credential_id)
    .bind(i64::from(reference.deleted))
    .fetch_one(db)
    .await?)
}

/// Updates a reference. Its booking and its uid never change.
pub async fn update(db: &mut Db, reference: &BookingReference) -> Result<()> {
    sql::query(
        "UPDATE booking_references SET type = ?, meeting_id = ?, meeting_password = ?,
             destination_calendar_id = ?, credential_id = ?, deleted = ?
         WHERE id = ?",
    )
    .bind(&reference.kind)
    .bind(&reference.meeting_id)
    .bind(&reference.meeting_password)
    .bind(&reference.external_calendar_id)
    .bind(reference.credential_id)
    .bind(i64::from(reference.deleted))
    .bind(reference.id)
    .execute(db)
    .await?;
    Ok(())
}

/// Deletes a reference.
pub async fn delete(db: &mut Db, id: i64) -> Result<()> {
    sql::query("DELETE FROM booking_references WHERE id = ?")
        .bind(id)
        .execute(db)
        .await?;
    Ok(())
}
