//! Attendees and guests of an existing booking.

use booking_rules::{Transition, transitions};
use booking_wire::{Booking, BookingAttendee, Instant, JsonMap, NewGuest};
use serde_json::Value;

use crate::app::AppState;
use crate::auth::{Caller, secret};
use crate::domain::bookings::added_people;
use crate::domain::bookings::added_people::RequiredKeys;
use crate::domain::bookings::read::{find_authorised, is_host, read_one};
use crate::error::{Error, Result};
use crate::input_limits::{MAX_ATTENDEES, MAX_GUESTS, MAX_GUESTS_PER_CALL};
use crate::limits::{Allowance, Client, MINUTE};
use crate::messages::mail::events as mail;
use crate::store::bookings::actions::{self, BookingSnapshot};
use crate::store::bookings::attendees;
use crate::store::people::users;
use crate::store::{self, Db, Subject};
use crate::validate::{Checks, Object};

/// Adds guests to a booking. Email addresses that are already invited are skipped.
pub async fn add_guests(
    app: &AppState,
    caller: &Caller,
    uid: &str,
    body: &JsonMap,
) -> Result<Booking> {
    let new_guests = read_guests(body)?;
    let mut transaction = app.store.begin(&[Subject::Booking(uid)]).await?;
    let db = &mut *transaction;
    let now = app.clock.now();
    let booking = find_changeable(db, app, caller, uid).await?;
    app.limiter
        .check("guests", &booking.uid, GUEST_CALLS, MINUTE)?;
    if booking.is_seated {
        return Err(Error::BadRequest(
            "a booking with seats has no guests: add attendees".into(),
        ));
    }
    let mut guests = attendees::guests(db, booking.id).await?;
    let zone = attendees::list(db, booking.id)
        .await?
        .into_iter()
        .next()
        .map(|attendee| attendee.time_zone);
    let mut added = Vec::new();
    for guest in new_guests {
        if attendees::is_invited(db, booking.id, &guest.email).await? {
            continue;
        }
        guests.push(guest.email.clone());
        added.push(guest.email.clone());
        let guest = NewGuest {
            time_zone: guest.time_zone.or_else(|| zone.clone()),
            ..guest
        };
        attendees::add(db, booking.id, &guest, None, true).await?;
    }
    if guests.len() > MAX_GUESTS {
        let count = Value::from(guests.len());
        let message = format!("must be at most {MAX_GUESTS} for one booking");
        return Err(Checks::error("guests", &count, "arrayMaxSize", &message));
    }
    let client = Client::of(Some(caller), None);
    if let Some(allowance) = Allowance::of(&app.signing_key, app.settings.limits.rate, &client) {
        let messages = guests.iter().map(String::as_str);
        allowance.deduct().messages(messages).take(db, now).await?;
    }
    attendees::set_guests(db, booking.id, &guests).await?;
    actions::set_updated(db, booking.id, now).await?;
    if !added.is_empty() {
        let details = mail::Details {
            new_guests: added,
            ..mail::Details::default()
        };
        mail::record_one(db, now, mail::Kind::GuestsAdded, booking.id, details).await?;
    }
    let data = read_one(db, booking.id).await?;
    transaction.commit().await?;
    Ok(data)
}

/// Lists the attendees of a booking.
pub async fn attendees(app: &AppState, caller: &Caller, uid: &str) -> Result<Vec<BookingAttendee>> {
    let mut db = app.store.read().await?;
    let booking = find_authorised(&mut db, caller, uid).await?;
    let mut attendees = attendees::list(&mut db, booking.id).await?;
    hide_seat_uids(&mut db, caller, &booking, &mut attendees).await?;
    Ok(attendees)
}

/// Returns one attendee of a booking.
pub async fn attendee(
    app: &AppState,
    caller: &Caller,
    id: i64,
    uid: &str,
) -> Result<BookingAttendee> {
    let mut db = app.store.read().await?;
    let booking = find_authorised(&mut db, caller, uid).await?;
    let attendee = attendees::get(&mut db, booking.id, id).await?;
    let mut attendee = attendee.ok_or_else(|| Error::not_found("Attendee", id))?;
    let only = std::slice::from_mut(&mut attendee);
    hide_seat_uids(&mut db, caller, &booking, only).await?;
    Ok(attendee)
}

/// Adds an attendee to a booking; in a seated booking, the attendee takes a seat.
pub async fn add_attendee(
    app: &AppState,
    caller: &Caller,
    uid: &str,
    body: &JsonMap,
) -> Result<BookingAttendee> {
    let mut checks = Checks::default();
    let new_attendee = added_people::read(&Object::new(body, ""), RequiredKeys::All, &mut checks);
    checks.finish()?;
    let mut transaction = app.store.begin(&[Subject::Booking(uid)]).await?;
    let booking = find_changeable(&mut transaction, app, caller, uid).await?;
    let now = app.clock.now();
    let attendee = insert_attendee(&mut transaction, caller, &booking, &new_attendee, now).await?;
    transaction.commit().await?;
    Ok(attendee)
}

/// Rate limit: requests per minute that add guests to one booking.
const GUEST_CALLS: u32 = 5;

/// Removes the uids of seats unless the caller hosts or manages the booking: the uid is sufficient
/// to move or cancel the seat.
async fn hide_seat_uids(
    db: &mut Db,
    caller: &Caller,
    booking: &BookingSnapshot,
    attendees: &mut [BookingAttendee],
) -> Result<()> {
    if booking.is_seated && !is_host(db, Some(caller), booking).await? {
        for attendee in attendees {
            attendee.seat_uid = None;
        }
    }
    Ok(())
}

/// Adds an attendee to a booking that may be changed. If the email address is that of a colleague
/// of the caller, the booking also occupies the colleague's time.
pub async fn insert_attendee(
    db: &mut Db,
    caller: &Caller,
    booking: &BookingSnapshot,
    new_attendee: &NewGuest,
    now: Instant,
) -> Result<BookingAttendee> {
    let present = attendees::list(db, booking.id).await?;
    if present
        .iter()
        .any(|attendee| attendee.email.eq_ignore_ascii_case(&new_attendee.email))
    {
        return Err(duplicate_attendee_error());
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
    let id = attendees::add(db, booking.id, new_attendee, seat_uid.as_deref(), false)
        .await
        .map_err(|error| {
            if store::is_out_of_seats(&error) {
                Error::Conflict("all seats of this booking are taken".into())
            } else {
                error.into()
            }
        })?;
    if let Some(user_id) =
        users::colleague_by_email(db, caller.user_id, &new_attendee.email).await?
    {
        attendees::set_user_id(db, booking.id, &new_attendee.email, user_id).await?;
    }
    // An attendee is no longer a guest.
    let guests = attendees::guests(db, booking.id).await?;
    let others: Vec<String> = guests
        .iter()
        .filter(|email| !email.eq_ignore_ascii_case(&new_attendee.email))
        .cloned()
        .collect();
    if others.len() < guests.len() {
        attendees::remove_guest(db, booking.id, &new_attendee.email).await?;
        attendees::set_guests(db, booking.id, &others).await?;
    }
    actions::set_updated(db, booking.id, now).await?;
    // One who takes a seat books; another attendee is added to the meeting.
    let (kind, new_guests) = match seat_uid {
        Some(_) => (mail::Kind::Booked, Vec::new()),
        None => (mail::Kind::GuestsAdded, vec![new_attendee.email.clone()]),
    };
    let details = mail::Details {
        new_guests,
        ..mail::Details::default()
    };
    let change = mail::Change {
        seat_uid,
        ..mail::Change::default()
    };
    mail::record(db, now, kind, [(booking.id, change)], details).await?;
    attendees::get(db, booking.id, id)
        .await?
        .ok_or_else(|| Error::internal("an attendee that was just stored cannot be read"))
}

/// Returns the error for an email address that the booking already has.
pub fn duplicate_attendee_error() -> Error {
    Error::Conflict("email is already signed up for this booking".into())
}

/// Finds the booking, if the caller may change it and its status allows changes.
async fn find_changeable(
    db: &mut Db,
    app: &AppState,
    caller: &Caller,
    uid: &str,
) -> Result<BookingSnapshot> {
    let booking = find_authorised(db, caller, uid).await?;
    transitions::next_status(booking.context(app.clock.now()), Transition::Change)?;
    Ok(booking)
}

fn read_guests(body: &JsonMap) -> Result<Vec<NewGuest>> {
    let mut checks = Checks::default();
    let object = Object::new(body, "");
    let list = object.array("guests", &mut checks);
    object.reject_unread(&mut checks);
    let mut new_guests: Vec<NewGuest> = Vec::new();
    match list.map(Vec::as_slice) {
        None if checks.is_clean() => {
            checks.report("guests", &Value::Null, "isArray", "must be an array");
        }
        None => {}
        Some([]) => checks.report("guests", &Value::Null, "arrayNotEmpty", "must not be empty"),
        Some(list) if list.len() > MAX_GUESTS_PER_CALL => {
            let message = format!("must be at most {MAX_GUESTS_PER_CALL} at once");
            checks.report("guests", &list.len().into(), "arrayMaxSize", &message);
        }
        Some(list) => new_guests = added_people::read_list(list, "guests", &mut checks),
    }
    checks.finish()?;
    Ok(new_guests)
}
