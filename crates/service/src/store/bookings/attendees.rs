//! Attendees, seats and guests of bookings.

use booking_mail::data::Person;
use booking_store_engine::connection::Db;
use booking_store_engine::sql::{self, QueryBuilder};
use booking_wire::{Attendee, BookingAttendee, Instant, JsonMap, NewGuest};
use serde_json::Value;

use crate::error::Result;
use crate::input_limits::MAX_LIST_ENTRIES;
use crate::store::bookings::actions::change_responses;
use crate::store::people::users::display_email;
use crate::store::rows;
use crate::store::user_filter::UserFilter;

/// A seat of a shared booking.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Seat {
    /// Id of the attendee.
    pub id: i64,
    /// Id of the booking.
    pub booking_id: i64,
    /// Name of the attendee.
    pub name: String,
    /// E-mail address of the attendee.
    pub email: String,
    /// Time zone of the attendee.
    pub time_zone: String,
    /// Language code.
    pub language: Option<String>,
    /// Phone number, E.164.
    pub phone_number: Option<String>,
    /// Its uid.
    pub seat_uid: Option<String>,
    /// 1 if its holder has shown that the address is theirs.
    pub is_proven: i64,
}

impl Seat {
    /// Returns its holder as a recipient of e-mail.
    pub fn person(&self) -> Person {
        Person {
            name: self.name.clone(),
            email: display_email(&self.email),
            time_zone: self.time_zone.clone(),
            language: self.language.clone().unwrap_or_default(),
            seat_uid: self.seat_uid.clone(),
            is_proven: self.is_proven == 1,
            ..Person::default()
        }
    }
}

/// Returns the seat with that uid.
pub async fn seat(db: &mut Db, seat_uid: &str) -> Result<Option<Seat>> {
    Ok(sql::query_as(
        "SELECT id, booking_id, name, email, time_zone, language, phone_number, seat_uid, is_proven FROM attendees WHERE seat_uid = ?",
    )
    .bind(seat_uid)
    .fetch_optional(db)
    .await?)
}

/// Returns the seat of the attendee with that e-mail address.
pub async fn seat_by_email(db: &mut Db, booking_id: i64, email: &str) -> Result<Option<Seat>> {
    Ok(sql::query_as(
        "SELECT id, booking_id, name, email, time_zone, language, phone_number, seat_uid, is_proven FROM attendees
         WHERE booking_id = ? AND lower(email) = lower(?) AND email <> '' AND seat_uid IS NOT NULL",
    )
    .bind(booking_id)
    .bind(email)
    .fetch_optional(db)
    .await?)
}

/// Links an attendee to a user, so that the booking blocks the user's time. Only for users who have
/// booked it themselves or were added by a colleague.
pub async fn set_user_id(db: &mut Db, booking_id: i64, email: &str, user_id: i64) -> Result<()> {
    sql::query(
        "UPDATE attendees SET user_id = ? WHERE booking_id = ? AND guest = 0 AND lower(email) = lower(?)",
    )
    .bind(user_id)
    .bind(booking_id)
    .bind(email)
    .execute(db)
    .await?;
    Ok(())
}

/// Returns the id of the user who has a seat.
pub async fn seat_user_id(db: &mut Db, seat_uid: &str) -> Result<Option<i64>> {
    let found: Option<Option<i64>> =
        sql::query_scalar("SELECT user_id FROM attendees WHERE seat_uid = ?")
            .bind(seat_uid)
            .fetch_optional(db)
            .await?;
    Ok(found.flatten())
}

/// Copies the links between attendees and users to the booking that replaces another one.
pub async fn copy_user_ids(db: &mut Db, from_id: i64, to_id: i64) -> Result<()> {
    sql::query(
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

/// Copies who wants no reminders, and whose address is proven, from a booking to the one that replaces it.
pub async fn copy_marks(db: &mut Db, from_id: i64, to_id: i64) -> Result<()> {
    sql::query(
        "UPDATE attendees SET reminders_stopped = o.reminders_stopped, is_proven = o.is_proven
         FROM (SELECT lower(email) AS email, max(reminders_stopped) AS reminders_stopped, max(is_proven) AS is_proven
               FROM attendees WHERE booking_id = ?1 GROUP BY lower(email)) AS o
         WHERE booking_id = ?2 AND lower(attendees.email) = o.email AND (o.reminders_stopped = 1 OR o.is_proven = 1)",
    )
    .bind(from_id)
    .bind(to_id)
    .execute(db)
    .await?;
    Ok(())
}

/// Marks the address of an attendee of bookings as proven.
pub async fn set_proven(db: &mut Db, booking_ids: &[i64], email: &str) -> Result<()> {
    sql::query(
        "UPDATE attendees SET is_proven = 1
         WHERE booking_id IN (SELECT value FROM json_each(?)) AND guest = 0 AND lower(email) = lower(?)",
    )
    .bind(Value::from(booking_ids).to_string())
    .bind(email)
    .execute(db)
    .await?;
    Ok(())
}

/// Counts the seats of a booking that are taken.
pub async fn count_seats_taken(db: &mut Db, booking_id: i64) -> Result<i64> {
    Ok(sql::query_scalar(
        "SELECT count(*) FROM attendees WHERE booking_id = ? AND seat_uid IS NOT NULL",
    )
    .bind(booking_id)
    .fetch_one(db)
    .await?)
}

/// Deletes an attendee.
pub async fn remove(db: &mut Db, attendee_id: i64) -> Result<()> {
    sql::query("DELETE FROM attendees WHERE id = ?")
        .bind(attendee_id)
        .execute(db)
        .await?;
    Ok(())
}

/// Returns the e-mail address of the visitor who made a booking: its first attendee.
pub async fn booker_email(db: &mut Db, booking_id: i64) -> Result<Option<String>> {
    Ok(sql::query_scalar(
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

/// Lists the attendees of a booking, oldest first, without guests.
pub async fn list(db: &mut Db, booking_id: i64) -> Result<Vec<BookingAttendee>> {
    let sql = format!("{COLUMNS} WHERE booking_id = ? AND guest = 0 ORDER BY id");
    let rows: Vec<Row> = sql::query_as(sql).bind(booking_id).fetch_all(db).await?;
    Ok(rows.into_iter().map(Into::into).collect())
}

/// Returns one attendee of a booking.
pub async fn get(
    db: &mut Db,
    booking_id: i64,
    attendee_id: i64,
) -> Result<Option<BookingAttendee>> {
    let sql = format!("{COLUMNS} WHERE booking_id = ? AND id = ? AND guest = 0");
    let row: Option<Row> = sql::query_as(sql)
        .bind(booking_id)
        .bind(attendee_id)
        .fetch_optional(db)
        .await?;
    Ok(row.map(Into::into))
}

/// Lists the attendees of users' bookings, without guests.
pub async fn list_of_users(db: &mut Db, users: &UserFilter) -> Result<Vec<BookingAttendee>> {
    let mut query = QueryBuilder::new(db.database(), format!("{COLUMNS} WHERE guest = 0 AND "));
    users.push_booking_condition(&mut query, "booking_id");
    query.push(" ORDER BY id");
    let rows: Vec<Row> = rows::unpaged(db, query, MAX_LIST_ENTRIES).await?;
    Ok(rows.into_iter().map(Into::into).collect())
}

/// Returns one attendee of any booking.
pub async fn by_id(db: &mut Db, id: i64) -> Result<Option<BookingAttendee>> {
    let sql = format!("{COLUMNS} WHERE id = ? AND guest = 0");
    let row: Option<Row> = sql::query_as(sql).bind(id).fetch_optional(db).await?;
    Ok(row.map(Into::into))
}

/// Updates an attendee; for the visitor who booked, also the name and the e-mail address in the
/// form responses.
pub async fn update(db: &mut Db, before: &BookingAttendee, attendee: &NewGuest) -> Result<()> {
    let name = attendee.name.as_deref().unwrap_or_default();
    sql::query(
        "UPDATE attendees SET name = ?1, email = ?2, time_zone = ?3,
             user_id = CASE WHEN lower(email) = lower(?2) THEN user_id END,
             reminders_stopped = CASE WHEN lower(email) = lower(?2) THEN reminders_stopped ELSE 0 END
         WHERE id = ?4",
    )
    .bind(name)
    .bind(&attendee.email)
    .bind(attendee.time_zone.as_deref().unwrap_or(&before.time_zone))
    .bind(before.id)
    .execute(&mut *db)
    .await?;
    change_responses(db, before.booking_id, |responses| {
        if responses.get("email").and_then(Value::as_str) == Some(&before.email) {
            set_name_and_email(responses, name, &attendee.email);
        }
    })
    .await
}

/// Replaces the visitor who booked, and no longer attends, in the form responses.
pub async fn set_booker(db: &mut Db, attendee: &BookingAttendee) -> Result<()> {
    change_responses(db, attendee.booking_id, |responses| {
        set_name_and_email(responses, &attendee.name, &attendee.email);
        responses.remove("attendeePhoneNumber");
    })
    .await
}

fn set_name_and_email(responses: &mut JsonMap, name: &str, email: &str) {
    responses.insert("name".to_owned(), name.into());
    responses.insert("email".to_owned(), email.into());
}

/// Returns true if the address, in any case, is that of an attendee or guest of a booking.
pub async fn is_invited(db: &mut Db, booking_id: i64, email: &str) -> Result<bool> {
    let found: Option<i64> = sql::query_scalar(
        "SELECT id FROM attendees WHERE booking_id = ? AND lower(email) = lower(?) LIMIT 1",
    )
    .bind(booking_id)
    .bind(email)
    .fetch_optional(db)
    .await?;
    Ok(found.is_some())
}

/// Stores if an attendee was absent. Returns false if none has that address.
pub async fn set_absent(db: &mut Db, booking_id: i64, email: &str, absent: bool) -> Result<bool> {
    let result = sql::query(
        "UPDATE attendees SET absent = ? WHERE booking_id = ? AND lower(email) = lower(?)",
    )
    .bind(i64::from(absent))
    .bind(booking_id)
    .bind(email)
    .execute(db)
    .await?;
    Ok(result.rows_affected() > 0)
}

/// Adds an attendee or guest to a booking, with a seat if `seat_uid` is given. A trigger rejects
/// more attendees than seats (see [`crate::store::is_out_of_seats`]).
pub async fn add(
    db: &mut Db,
    booking_id: i64,
    attendee: &NewGuest,
    seat_uid: Option<&str>,
    is_guest: bool,
) -> Result<i64, sqlx::Error> {
    sql::query_scalar(
        "INSERT INTO attendees (booking_id, organization_id, name, email, phone_number, time_zone, language, seat_uid,
             responses, metadata, guest)
         VALUES (?1, (SELECT organization_id FROM bookings WHERE id = ?1), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)
         RETURNING id",
    )
    .bind(booking_id)
    .bind(attendee.name.as_deref().unwrap_or_default())
    .bind(&attendee.email)
    .bind(&attendee.phone_number)
    .bind(attendee.time_zone.as_deref().unwrap_or("UTC"))
    .bind(attendee.language.as_deref().unwrap_or("en"))
    .bind(seat_uid)
    .bind(seat_uid.map(|_| "{}"))
    .bind(seat_uid.map(|_| "{}"))
    .bind(i64::from(is_guest))
    .fetch_one(db)
    .await
}

/// Lists the e-mail addresses of a booking's guests.
pub async fn guests(db: &mut Db, booking_id: i64) -> Result<Vec<String>> {
    let text: String = sql::query_scalar("SELECT guests FROM bookings WHERE id = ?")
        .bind(booking_id)
        .fetch_one(db)
        .await?;
    Ok(serde_json::from_str(&text)?)
}

/// Replaces the e-mail addresses of a booking's guests, also in the form responses.
pub async fn set_guests(db: &mut Db, booking_id: i64, guests: &[String]) -> Result<()> {
    let guests = Value::from(guests);
    sql::query("UPDATE bookings SET guests = ? WHERE id = ?")
        .bind(guests.to_string())
        .bind(booking_id)
        .execute(&mut *db)
        .await?;
    change_responses(db, booking_id, |responses| {
        responses.insert("guests".to_owned(), guests);
    })
    .await
}

/// Removes the guest with that address, in any case, from a booking.
pub async fn remove_guest(db: &mut Db, booking_id: i64, email: &str) -> Result<()> {
    sql::query(
        "DELETE FROM attendees WHERE booking_id = ? AND guest = 1 AND lower(email) = lower(?)",
    )
    .bind(booking_id)
    .bind(email)
    .execute(db)
    .await?;
    Ok(())
}

/// Counts the upcoming bookings of an event type that the visitor has made. A series counts once.
/// Visitors are identified by their e-mail address in any case, or by their phone number if they
/// have given no address.
pub async fn count_upcoming_bookings(
    db: &mut Db,
    event_type_id: i64,
    attendee: &Attendee,
    now: Instant,
) -> Result<i64> {
    Ok(sql::query_scalar(
        "SELECT count(DISTINCT coalesce(b.series_uid, b.uid)) FROM bookings b JOIN attendees a ON a.booking_id = b.id
         WHERE b.event_type_id = ? AND b.start_ms > ? AND b.status NOT IN ('cancelled', 'rejected')
           AND ((? <> '' AND lower(a.email) = lower(?)) OR (? = '' AND a.email = '' AND a.phone_number = ?))",
    )
    .bind(event_type_id)
    .bind(now.0)
    .bind(&attendee.email)
    .bind(&attendee.email)
    .bind(&attendee.email)
    .bind(&attendee.phone_number)
    .fetch_one(db)
    .await?)
}

/// Returns true if the visitor has a seat in a booking.
pub async fn has_seat(db: &mut Db, booking_id: i64, attendee: &Attendee) -> Result<bool> {
    let found: Option<i64> = sql::query_scalar(
        "SELECT id FROM attendees
         WHERE booking_id = ? AND seat_uid IS NOT NULL
           AND ((? <> '' AND lower(email) = lower(?)) OR (? = '' AND email = '' AND phone_number = ?)) LIMIT 1",
    )
    .bind(booking_id)
    .bind(&attendee.email)
    .bind(&attendee.email)
    .bind(&attendee.email)
    .bind(&attendee.phone_number)
    .fetch_optional(db)
    .await?;
    Ok(found.is_some())
}

/// Stores that the attendees and guests with an address want no reminders of a booking.
pub async fn stop_reminders(db: &mut Db, booking_id: i64, email: &str) -> Result<()> {
    sql::query(
        "UPDATE attendees SET reminders_stopped = 1
         WHERE booking_id = ? AND lower(email) = lower(?) AND reminders_stopped = 0",
    )
    .bind(booking_id)
    .bind(email)
    .execute(db)
    .await?;
    Ok(())
}

/// Returns true if the attendee or guest with that address wants no reminders of a booking.
pub async fn has_stopped_reminders(db: &mut Db, booking_id: i64, email: &str) -> Result<bool> {
    let found: Option<i64> = sql::query_scalar(
        "SELECT id FROM attendees
         WHERE booking_id = ? AND lower(email) = lower(?) AND reminders_stopped = 1 LIMIT 1",
    )
    .bind(booking_id)
    .bind(email)
    .fetch_optional(db)
    .await?;
    Ok(found.is_some())
}
