//! Corrected addresses of people who booked, and their messages that are not sent yet.

use std::collections::BTreeSet;

use booking_mail::message::Kind;
use booking_store_engine::connection::Db;
use booking_store_engine::sql;
use booking_wire::Instant;
use serde_json::Value;

use crate::error::Result;
use crate::store::bookings::actions::{BookingSnapshot, change_responses, set_updated};
use crate::store::bookings::calendar_uid;
use crate::store::people::users::display_email;

/// A person who attends a booking.
#[derive(Clone, Debug, sqlx::FromRow)]
pub struct Booker {
    /// Id of the attendee.
    pub id: i64,
    /// Id of the booking.
    pub booking_id: i64,
    /// E-mail address.
    pub email: String,
    /// Uid of the seat.
    pub seat_uid: Option<String>,
    /// Time at which they booked; none if they were added, or the booking replaces another one.
    pub booked_ms: Option<i64>,
    /// Corrections so far.
    pub email_corrections: i64,
    /// Keyed hash of the address before the latest correction.
    pub corrected_from: Option<String>,
}

/// Returns the people who can have booked: the first attendee, or of a booking with seats all of them.
pub async fn bookers(db: &mut Db, booking: &BookingSnapshot) -> Result<Vec<Booker>> {
    let mut bookers: Vec<Booker> = sql::query_as(
        "SELECT id, booking_id, email, seat_uid, booked_ms, email_corrections, corrected_from FROM attendees
         WHERE booking_id = ? AND guest = 0 ORDER BY id",
    )
    .bind(booking.id)
    .fetch_all(db)
    .await?;
    if !booking.is_seated {
        bookers.truncate(1);
    }
    Ok(bookers)
}

/// A correction to store.
#[derive(Clone, Copy, Debug)]
pub struct Correction<'a> {
    /// New address.
    pub email: &'a str,
    /// Keyed hash of the former one.
    pub corrected_from: &'a str,
    /// User who attends with the new address.
    pub user_id: Option<i64>,
    /// True if the caller has credentials: others may read what was typed.
    pub is_proven: bool,
    /// Current instant.
    pub now: Instant,
}

/// Stores a corrected address, also in the form responses of a booking without seats.
pub async fn correct(db: &mut Db, booker: &Booker, correction: Correction<'_>) -> Result<()> {
    sql::query(
        "UPDATE attendees SET email = ?, corrected_from = ?, email_corrections = email_corrections + 1, user_id = ?,
             is_proven = ?, reminders_stopped = 0 WHERE id = ?",
    )
    .bind(correction.email)
    .bind(correction.corrected_from)
    .bind(correction.user_id)
    .bind(i64::from(correction.is_proven))
    .bind(booker.id)
    .execute(&mut *db)
    .await?;
    if booker.seat_uid.is_none() {
        change_responses(db, booker.booking_id, |responses| {
            responses.insert("email".to_owned(), correction.email.into());
        })
        .await?;
    }
    set_updated(db, booker.booking_id, correction.now).await
}

/// Returns the keys of the messages about bookings: the uids of their calendar entries.
pub async fn order_keys(db: &mut Db, bookings: &[BookingSnapshot]) -> Result<BTreeSet<String>> {
    let mut keys = BTreeSet::new();
    for booking in bookings {
        let shared = booking.series_uid.as_deref().filter(|_| !booking.is_apart);
        keys.insert(match shared {
            Some(series_uid) => calendar_uid(series_uid),
            None => {
                let ics_uid: Option<String> =
                    sql::query_scalar("SELECT ics_uid FROM bookings WHERE id = ?")
                        .bind(booking.id)
                        .fetch_one(&mut *db)
                        .await?;
                ics_uid.unwrap_or_else(|| calendar_uid(&booking.uid))
            }
        });
    }
    Ok(keys)
}

/// Deletes the messages to the former address that are not sent, also those that were given up, which an operator could
/// send again. Messages that wait for other people name the new address.
pub async fn redirect_messages(
    db: &mut Db,
    order_keys: &BTreeSet<String>,
    before: &str,
    after: &str,
) -> Result<()> {
    let before = display_email(before);
    for order_key in order_keys {
        sql::query(
            "DELETE FROM mail_messages
             WHERE order_key = ? AND lower(email) = lower(?) AND role = 'attendee' AND status <> 'sent'",
        )
        .bind(order_key)
        .bind(&before)
        .execute(&mut *db)
        .await?;
        let events: Vec<(i64, String)> = sql::query_as(
            "SELECT id, data FROM mail_events WHERE id IN (SELECT event_id FROM mail_messages WHERE order_key = ?)",
        )
        .bind(order_key)
        .fetch_all(&mut *db)
        .await?;
        for (id, data) in events {
            let mut data: Value = serde_json::from_str(&data)?;
            let mut is_changed = false;
            for list in ["attendees", "remaining_attendees"] {
                for person in items(&mut data[list]) {
                    let is_booker = person["email"]
                        .as_str()
                        .is_some_and(|email| email.eq_ignore_ascii_case(&before));
                    if is_booker {
                        person["email"] = after.into();
                        is_changed = true;
                    }
                }
            }
            if is_changed {
                sql::query("UPDATE mail_events SET data = ? WHERE id = ?")
                    .bind(data.to_string())
                    .bind(id)
                    .execute(&mut *db)
                    .await?;
            }
        }
    }
    Ok(())
}

#[derive(sqlx::FromRow)]
struct NewEvent {
    id: i64,
    kind: String,
    booking_uid: String,
    data: String,
    minutes_before: Option<i64>,
    created_ms: i64,
}

/// Changes the address in events whose messages are not made yet. Returns the ids of the bookings of which the person gets
/// a confirmation by one of them.
///
/// A changed event is stored under a new id: messages of the former one may be in the making, with the former address, and
/// are not stored for an event that is gone.
pub async fn redirect_events(
    db: &mut Db,
    bookers: &[Booker],
    bookings: &[BookingSnapshot],
    correction: Correction<'_>,
) -> Result<BTreeSet<i64>> {
    let mut events = Vec::new();
    for booking in bookings {
        let found: Vec<NewEvent> = sql::query_as(
            "SELECT id, kind, booking_uid, data, minutes_before, created_ms FROM mail_events
             WHERE expanded = 0 AND data LIKE '%' || ? || '%' ORDER BY id",
        )
        .bind(&booking.uid)
        .fetch_all(&mut *db)
        .await?;
        events.extend(found);
    }
    events.sort_by_key(|event| event.id);
    events.dedup_by_key(|event| event.id);
    let mut confirmed = BTreeSet::new();
    for event in events {
        let mut data: Value = serde_json::from_str(&event.data)?;
        // `mail::events::Details`.
        let details = data["details"].as_str().unwrap_or_default();
        let details: Value = serde_json::from_str(details).unwrap_or_default();
        let mut is_changed = false;
        for rows in items(&mut data["bookings"]) {
            let booking_id = rows["booking"]["id"].as_i64();
            for row in items(&mut rows["attendees"]) {
                let booker = bookers
                    .iter()
                    .find(|booker| row["id"].as_i64() == Some(booker.id));
                let Some(booker) = booker.filter(|it| booking_id == Some(it.booking_id)) else {
                    continue;
                };
                row["email"] = correction.email.into();
                row["is_proven"] = i64::from(correction.is_proven).into();
                is_changed = true;
                let change = &details["changes"][booker.booking_id.to_string()];
                let seat_uid = change["seat_uid"].as_str();
                let is_told = seat_uid.is_none() || seat_uid == booker.seat_uid.as_deref();
                if is_told && event.kind == Kind::Booked.name() {
                    confirmed.insert(booker.booking_id);
                }
            }
        }
        if is_changed {
            replace_event(db, &event, &data).await?;
        }
    }
    Ok(confirmed)
}

async fn replace_event(db: &mut Db, event: &NewEvent, data: &Value) -> Result<()> {
    // A booking has one event of a reminder.
    sql::query("UPDATE mail_events SET minutes_before = NULL WHERE id = ?")
        .bind(event.id)
        .execute(&mut *db)
        .await?;
    // Before the former one is deleted, whose id SQLite would use again.
    sql::query(
        "INSERT INTO mail_events (organization_id, kind, booking_uid, data, minutes_before, created_ms, trace_parent)
         SELECT organization_id, ?2, ?3, ?4, ?5, ?6, trace_parent FROM mail_events WHERE id = ?1",
    )
    .bind(event.id)
    .bind(&event.kind)
    .bind(&event.booking_uid)
    .bind(data.to_string())
    .bind(event.minutes_before)
    .bind(event.created_ms)
    .execute(&mut *db)
    .await?;
    sql::query("DELETE FROM mail_events WHERE id = ?")
        .bind(event.id)
        .execute(db)
        .await?;
    Ok(())
}

/// Elements of a JSON array; none of another value.
fn items(value: &mut Value) -> impl Iterator<Item = &mut Value> {
    value.as_array_mut().into_iter().flatten()
}
