//! Attendees and guests of a booking that is made already (contract 3.5.2).

use std::time::Duration;

use booking_wire::{Booking, BookingAttendee, Instant, JsonMap, NewGuest};
use serde_json::Value;

use crate::app::AppState;
use crate::auth::access::Subject;
use crate::auth::{Caller, secret};
use crate::bookings::guest_input::{self, Detail};
use crate::bookings::read::{is_host, read_one};
use crate::error::{Error, Result};
use crate::input_limits::{MAX_ATTENDEES, MAX_GUESTS, MAX_GUESTS_PER_CALL};
use crate::lifecycle::{self, Event};
use crate::store::booking_acts::{self, Known};
use crate::store::{self, Db, booking_people, users};
use crate::validate::{Checks, Object};

/// Adds guests to a booking. Those who are invited already stay as they are.
pub async fn add_guests(
    app: &AppState,
    caller: &Caller,
    uid: &str,
    body: &JsonMap,
) -> Result<Booking> {
    let people = read_guests(body)?;
    let mut transaction = app.store.begin().await?;
    let db = &mut *transaction;
    let now = app.clock.now();
    let booking = changeable(db, app, caller, uid).await?;
    app.limiter
        .check("guests", &booking.uid, GUEST_CALLS, MINUTE)?;
    if booking.is_seated {
        return Err(Error::BadRequest(
            "a booking with seats has no guests: add attendees".into(),
        ));
    }
    let mut guests = booking_people::guests(db, booking.id).await?;
    let zone = booking_people::attendees(db, booking.id)
        .await?
        .into_iter()
        .next()
        .map(|attendee| attendee.time_zone);
    for person in people {
        if booking_people::is_invited(db, booking.id, &person.email).await? {
            continue;
        }
        guests.push(person.email.clone());
        let person = NewGuest {
            time_zone: person.time_zone.or_else(|| zone.clone()),
            ..person
        };
        booking_people::add(db, booking.id, &person, None, true).await?;
    }
    if guests.len() > MAX_GUESTS {
        let mut checks = Checks::default();
        checks.complain(
            "guests",
            &guests.len().into(),
            "arrayMaxSize",
            &format!("must be at most {MAX_GUESTS} for one booking"),
        );
        checks.finish()?;
    }
    booking_people::set_guests(db, booking.id, &guests).await?;
    booking_acts::touch(db, booking.id, now).await?;
    let data = read_one(db, booking.id).await?;
    transaction.commit().await?;
    Ok(data)
}

/// Who attends a booking.
pub async fn attendees(app: &AppState, caller: &Caller, uid: &str) -> Result<Vec<BookingAttendee>> {
    let mut db = app.store.read().await?;
    let booking = booking_acts::one(&mut db, uid).await?;
    caller
        .authorise(&mut db, &Subject::of_booking(&booking))
        .await?;
    let mut attendees = booking_people::attendees(&mut db, booking.id).await?;
    withhold_seats(&mut db, caller, &booking, &mut attendees).await?;
    Ok(attendees)
}

/// One of those who attend.
pub async fn attendee(
    app: &AppState,
    caller: &Caller,
    id: i64,
    uid: &str,
) -> Result<BookingAttendee> {
    let mut db = app.store.read().await?;
    let booking = booking_acts::one(&mut db, uid).await?;
    caller
        .authorise(&mut db, &Subject::of_booking(&booking))
        .await?;
    let attendee = booking_people::attendee(&mut db, booking.id, id).await?;
    let mut attendee = attendee.ok_or_else(|| Error::not_found("Attendee", id))?;
    let only = std::slice::from_mut(&mut attendee);
    withhold_seats(&mut db, caller, &booking, only).await?;
    Ok(attendee)
}

/// Adds an attendee to a booking; in one with seats, they take one.
pub async fn add_attendee(
    app: &AppState,
    caller: &Caller,
    uid: &str,
    body: &JsonMap,
) -> Result<BookingAttendee> {
    let mut checks = Checks::default();
    let person = guest_input::read(Object::new(body, ""), Detail::Full, &mut checks);
    checks.finish()?;
    let mut transaction = app.store.begin().await?;
    let booking = changeable(&mut transaction, app, caller, uid).await?;
    let now = app.clock.now();
    let attendee = invite(&mut transaction, caller, &booking, &person, now).await?;
    transaction.commit().await?;
    Ok(attendee)
}

/// Calls in a minute that may add guests to one booking.
const GUEST_CALLS: u32 = 5;

const MINUTE: Duration = Duration::from_secs(60);

/// Takes the uids of seats from attendees unless the caller hosts or manages the booking: whoever
/// knows one can move and cancel the seat.
async fn withhold_seats(
    db: &mut Db,
    caller: &Caller,
    booking: &Known,
    attendees: &mut [BookingAttendee],
) -> Result<()> {
    if booking.is_seated && !is_host(db, Some(caller), booking).await? {
        for attendee in attendees {
            attendee.seat_uid = None;
        }
    }
    Ok(())
}

/// Adds somebody to a booking that may be changed. It takes the time of a colleague of the caller.
pub async fn invite(
    db: &mut Db,
    caller: &Caller,
    booking: &Known,
    person: &NewGuest,
    now: Instant,
) -> Result<BookingAttendee> {
    let present = booking_people::attendees(db, booking.id).await?;
    if present
        .iter()
        .any(|attendee| attendee.email.eq_ignore_ascii_case(&person.email))
    {
        return Err(signed_up_already());
    }
    if present.len() >= MAX_ATTENDEES {
        return Err(Error::BadRequest(format!(
            "a booking has at most {MAX_ATTENDEES} attendees"
        )));
    }
    let seat_uid = if booking.is_seated {
        Some(secret::random_uuid()?)
    } else {
        None
    };
    let id = booking_people::add(db, booking.id, person, seat_uid.as_deref(), false)
        .await
        .map_err(|error| {
            if store::is_out_of_seats(&error) {
                Error::Conflict("all seats of this booking are taken".into())
            } else {
                error.into()
            }
        })?;
    if let Some(user_id) = users::colleague_by_email(db, caller.user_id, &person.email).await? {
        booking_people::set_user(db, booking.id, &person.email, user_id).await?;
    }
    // Whoever attends is no guest any more.
    let guests = booking_people::guests(db, booking.id).await?;
    let others: Vec<String> = guests
        .iter()
        .filter(|guest| !guest.eq_ignore_ascii_case(&person.email))
        .cloned()
        .collect();
    if others.len() < guests.len() {
        booking_people::remove_guest(db, booking.id, &person.email).await?;
        booking_people::set_guests(db, booking.id, &others).await?;
    }
    booking_acts::touch(db, booking.id, now).await?;
    booking_people::attendee(db, booking.id, id)
        .await?
        .ok_or(Error::Internal)
}

/// The refusal of an address that somebody in the booking has.
pub fn signed_up_already() -> Error {
    Error::Conflict("email is already signed up for this booking".into())
}

/// The booking in the path, if the caller may change it and it can still be changed.
async fn changeable(db: &mut Db, app: &AppState, caller: &Caller, uid: &str) -> Result<Known> {
    let booking = booking_acts::one(db, uid).await?;
    caller.authorise(db, &Subject::of_booking(&booking)).await?;
    lifecycle::next(booking.standing(app.clock.now()), Event::Change)?;
    Ok(booking)
}

fn read_guests(body: &JsonMap) -> Result<Vec<NewGuest>> {
    let mut checks = Checks::default();
    let object = Object::new(body, "");
    object.allow(&["guests"], &mut checks);
    let list = object.read(
        "guests",
        "isArray",
        "must be an array",
        &mut checks,
        Value::as_array,
    );
    let mut people: Vec<NewGuest> = Vec::new();
    match list.map(Vec::as_slice) {
        None if checks.is_clean() => {
            checks.complain("guests", &Value::Null, "isArray", "must be an array");
        }
        None => {}
        Some([]) => checks.complain("guests", &Value::Null, "arrayNotEmpty", "must not be empty"),
        Some(list) if list.len() > MAX_GUESTS_PER_CALL => {
            let complaint = format!("must be at most {MAX_GUESTS_PER_CALL} at once");
            checks.complain("guests", &list.len().into(), "arrayMaxSize", &complaint);
        }
        Some(list) => people = guest_input::read_list(list, "guests", &mut checks),
    }
    checks.finish()?;
    Ok(people)
}
