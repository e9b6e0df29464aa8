//! The people of one booking: attendees, seats and guests; and what it is called elsewhere.

use booking_wire::{BookingAttendee, BookingReference, NewGuest};
use sqlx::QueryBuilder;

use crate::error::Result;
use crate::input_limits::MAX_LIST_ENTRIES;
use crate::store::connection::Db;
use crate::store::people::People;
use crate::store::rows;

/// A seat of a shared booking.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Seat {
    /// The attendee's id.
    pub id: i64,
    /// The booking.
    pub booking_id: i64,
    /// Who sits there.
    pub name: String,
    /// Their e-mail address.
    pub email: String,
    /// Their zone.
    pub time_zone: String,
    /// Language code.
    pub language: Option<String>,
    /// E.164.
    pub phone_number: Option<String>,
}

/// A seat by its uid.
pub async fn seat(db: &mut Db, seat_uid: &str) -> Result<Option<Seat>> {
    Ok(sqlx::query_as(
        "SELECT id, booking_id, name, email, time_zone, language, phone_number FROM attendees WHERE seat_uid = ?",
    )
    .bind(seat_uid)
    .fetch_optional(db)
    .await?)
}

/// The seat that somebody has in a booking, by their address.
pub async fn seat_of(db: &mut Db, booking_id: i64, email: &str) -> Result<Option<Seat>> {
    Ok(sqlx::query_as(
        "SELECT id, booking_id, name, email, time_zone, language, phone_number FROM attendees
         WHERE booking_id = ? AND lower(email) = lower(?) AND email <> '' AND seat_uid IS NOT NULL",
    )
    .bind(booking_id)
    .bind(email)
    .fetch_optional(db)
    .await?)
}

/// Notes that an attendee is a person of this service, so that the booking takes their time.
/// Only for those who have booked it themselves or were added by a colleague.
pub async fn set_user(db: &mut Db, booking_id: i64, email: &str, user_id: i64) -> Result<()> {
    sqlx::query(
        "UPDATE attendees SET user_id = ? WHERE booking_id = ? AND guest = 0 AND lower(email) = lower(?)",
    )
    .bind(user_id)
    .bind(booking_id)
    .bind(email)
    .execute(db)
    .await?;
    Ok(())
}

/// The person of this service who has a seat.
pub async fn user_of_seat(db: &mut Db, seat_uid: &str) -> Result<Option<i64>> {
    let found: Option<Option<i64>> =
        sqlx::query_scalar("SELECT user_id FROM attendees WHERE seat_uid = ?")
            .bind(seat_uid)
            .fetch_optional(db)
            .await?;
    Ok(found.flatten())
}

/// Notes about the attendees of a booking that was moved which persons of this service they are.
pub async fn carry_users(db: &mut Db, from_id: i64, to_id: i64) -> Result<()> {
    sqlx::query(
        "UPDATE attendees SET user_id = (
             SELECT o.user_id FROM attendees o
             WHERE o.booking_id = ? AND o.user_id IS NOT NULL AND lower(o.email) = lower(attendees.email) LIMIT 1)
         WHERE booking_id = ? AND guest = 0 AND user_id IS NULL",
    )
    .bind(from_id)
    .bind(to_id)
    .execute(db)
    .await?;
    Ok(())
}

/// How many seats of a booking are taken.
pub async fn seats_taken(db: &mut Db, booking_id: i64) -> Result<i64> {
    Ok(sqlx::query_scalar(
        "SELECT count(*) FROM attendees WHERE booking_id = ? AND seat_uid IS NOT NULL",
    )
    .bind(booking_id)
    .fetch_one(db)
    .await?)
}

/// Takes an attendee from their booking.
pub async fn remove(db: &mut Db, attendee_id: i64) -> Result<()> {
    sqlx::query("DELETE FROM attendees WHERE id = ?")
        .bind(attendee_id)
        .execute(db)
        .await?;
    Ok(())
}

/// The e-mail address of who made a booking.
pub async fn booker(db: &mut Db, booking_id: i64) -> Result<Option<String>> {
    Ok(sqlx::query_scalar(
        "SELECT email FROM attendees WHERE booking_id = ? AND guest = 0 ORDER BY id LIMIT 1",
    )
    .bind(booking_id)
    .fetch_optional(db)
    .await?)
}

#[derive(sqlx::FromRow)]
struct Row {
    id: i64,
    booking_id: i64,
    name: String,
    email: String,
    phone_number: Option<String>,
    time_zone: String,
    language: Option<String>,
    absent: i64,
    seat_uid: Option<String>,
}

impl From<Row> for BookingAttendee {
    fn from(row: Row) -> Self {
        Self {
            id: row.id,
            booking_id: row.booking_id,
            name: row.name,
            display_email: row.email.clone(),
            email: row.email,
            time_zone: row.time_zone,
            absent: row.absent == 1,
            language: row.language,
            phone_number: row.phone_number,
            seat_uid: row.seat_uid,
        }
    }
}

const COLUMNS: &str = "SELECT id, booking_id, name, email, phone_number, time_zone, language, absent, seat_uid FROM attendees";

/// Who attends, in the order in which they came. Guests are no attendees.
pub async fn attendees(db: &mut Db, booking_id: i64) -> Result<Vec<BookingAttendee>> {
    let sql = format!("{COLUMNS} WHERE booking_id = ? AND guest = 0 ORDER BY id");
    let rows: Vec<Row> = sqlx::query_as(&sql).bind(booking_id).fetch_all(db).await?;
    Ok(rows.into_iter().map(Into::into).collect())
}

/// One attendee of a booking.
pub async fn attendee(
    db: &mut Db,
    booking_id: i64,
    attendee_id: i64,
) -> Result<Option<BookingAttendee>> {
    let sql = format!("{COLUMNS} WHERE booking_id = ? AND id = ? AND guest = 0");
    let row: Option<Row> = sqlx::query_as(&sql)
        .bind(booking_id)
        .bind(attendee_id)
        .fetch_optional(db)
        .await?;
    Ok(row.map(Into::into))
}

/// Who attends people's bookings. Guests are no attendees.
pub async fn attendees_of(db: &mut Db, whose: &People) -> Result<Vec<BookingAttendee>> {
    let mut query = QueryBuilder::new(format!("{COLUMNS} WHERE guest = 0 AND "));
    whose.narrow_bookings(&mut query, "booking_id");
    query.push(" ORDER BY id");
    let rows: Vec<Row> = rows::unpaged(db, query, MAX_LIST_ENTRIES).await?;
    Ok(rows.into_iter().map(Into::into).collect())
}

/// One attendee of whatever booking.
pub async fn attendee_by_id(db: &mut Db, id: i64) -> Result<Option<BookingAttendee>> {
    let sql = format!("{COLUMNS} WHERE id = ? AND guest = 0");
    let row: Option<Row> = sqlx::query_as(&sql).bind(id).fetch_optional(db).await?;
    Ok(row.map(Into::into))
}

/// Stores what has changed about an attendee. What the person who booked has answered about
/// themselves changes with it.
pub async fn set_person(db: &mut Db, before: &BookingAttendee, person: &NewGuest) -> Result<()> {
    let name = person.name.as_deref().unwrap_or_default();
    sqlx::query(
        "UPDATE attendees SET name = ?1, email = ?2, time_zone = ?3,
             user_id = CASE WHEN lower(email) = lower(?2) THEN user_id END
         WHERE id = ?4",
    )
    .bind(name)
    .bind(&person.email)
    .bind(person.time_zone.as_deref().unwrap_or(&before.time_zone))
    .bind(before.id)
    .execute(&mut *db)
    .await?;
    sqlx::query(
        "UPDATE bookings SET responses = json_set(responses, '$.name', ?, '$.email', ?)
         WHERE id = ? AND json_extract(responses, '$.email') = ?",
    )
    .bind(name)
    .bind(&person.email)
    .bind(before.booking_id)
    .bind(&before.email)
    .execute(db)
    .await?;
    Ok(())
}

/// Puts somebody into the answers in the place of who booked, who does not come.
pub async fn set_booker(db: &mut Db, attendee: &BookingAttendee) -> Result<()> {
    sqlx::query(
        "UPDATE bookings SET responses = json_remove(
             json_set(responses, '$.name', ?, '$.email', ?), '$.attendeePhoneNumber')
         WHERE id = ?",
    )
    .bind(&attendee.name)
    .bind(&attendee.email)
    .bind(attendee.booking_id)
    .execute(db)
    .await?;
    Ok(())
}

/// Whether somebody attends a booking or comes as a guest, by their address in any spelling.
pub async fn is_invited(db: &mut Db, booking_id: i64, email: &str) -> Result<bool> {
    let found: Option<i64> = sqlx::query_scalar(
        "SELECT id FROM attendees WHERE booking_id = ? AND lower(email) = lower(?) LIMIT 1",
    )
    .bind(booking_id)
    .bind(email)
    .fetch_optional(db)
    .await?;
    Ok(found.is_some())
}

/// Notes whether somebody came; false if nobody has that address.
pub async fn set_absent(db: &mut Db, booking_id: i64, email: &str, absent: bool) -> Result<bool> {
    let done = sqlx::query(
        "UPDATE attendees SET absent = ? WHERE booking_id = ? AND lower(email) = lower(?)",
    )
    .bind(i64::from(absent))
    .bind(booking_id)
    .bind(email)
    .execute(db)
    .await?;
    Ok(done.rows_affected() > 0)
}

/// Adds somebody to a booking, in a seat if one is named. The database itself refuses to give a
/// seat twice (see [`super::is_out_of_seats`]).
pub async fn add(
    db: &mut Db,
    booking_id: i64,
    person: &NewGuest,
    seat_uid: Option<&str>,
    is_guest: bool,
) -> Result<i64, sqlx::Error> {
    sqlx::query_scalar(
        "INSERT INTO attendees (booking_id, name, email, phone_number, time_zone, language, seat_uid, responses,
             metadata, guest)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id",
    )
    .bind(booking_id)
    .bind(person.name.as_deref().unwrap_or_default())
    .bind(&person.email)
    .bind(&person.phone_number)
    .bind(person.time_zone.as_deref().unwrap_or("UTC"))
    .bind(person.language.as_deref().unwrap_or("en"))
    .bind(seat_uid)
    .bind(seat_uid.map(|_| "{}"))
    .bind(seat_uid.map(|_| "{}"))
    .bind(i64::from(is_guest))
    .fetch_one(db)
    .await
}

/// The addresses of a booking's guests.
pub async fn guests(db: &mut Db, booking_id: i64) -> Result<Vec<String>> {
    let text: String = sqlx::query_scalar("SELECT guests FROM bookings WHERE id = ?")
        .bind(booking_id)
        .fetch_one(db)
        .await?;
    Ok(serde_json::from_str(&text)?)
}

/// Replaces the addresses of a booking's guests, also among the answers.
pub async fn set_guests(db: &mut Db, booking_id: i64, guests: &[String]) -> Result<()> {
    let responses: String = sqlx::query_scalar("SELECT responses FROM bookings WHERE id = ?")
        .bind(booking_id)
        .fetch_one(&mut *db)
        .await?;
    let mut responses: serde_json::Value = serde_json::from_str(&responses)?;
    if let Some(map) = responses.as_object_mut() {
        map.insert("guests".into(), guests.into());
    }
    sqlx::query("UPDATE bookings SET guests = ?, responses = ? WHERE id = ?")
        .bind(serde_json::Value::from(guests).to_string())
        .bind(responses.to_string())
        .bind(booking_id)
        .execute(db)
        .await?;
    Ok(())
}

/// What a booking is called in other systems, oldest first.
pub async fn references(db: &mut Db, booking_id: i64) -> Result<Vec<BookingReference>> {
    let rows: Vec<(i64, String, String, Option<String>)> = sqlx::query_as(
        "SELECT id, type, uid, destination_calendar_id FROM booking_references
         WHERE booking_id = ? AND deleted = 0 ORDER BY id",
    )
    .bind(booking_id)
    .fetch_all(db)
    .await?;
    Ok(rows
        .into_iter()
        .map(|(id, kind, event_uid, calendar)| BookingReference {
            id,
            kind,
            event_uid,
            destination_calendar_id: calendar,
        })
        .collect())
}

/// Takes a guest from a booking, by their address in any spelling.
pub async fn remove_guest(db: &mut Db, booking_id: i64, email: &str) -> Result<()> {
    sqlx::query(
        "DELETE FROM attendees WHERE booking_id = ? AND guest = 1 AND lower(email) = lower(?)",
    )
    .bind(booking_id)
    .bind(email)
    .execute(db)
    .await?;
    Ok(())
}
