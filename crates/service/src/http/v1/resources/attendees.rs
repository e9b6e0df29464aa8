//! Attendees of bookings.

use booking_mail::data::Person;
use booking_rules::{Transition, transitions};
use booking_wire::v1::{Attendee, AttendeeInput};
use booking_wire::{BookingAttendee, CancelBooking, Instant, NewGuest};
use serde_json::{Value, json};

use super::bookings;
use crate::auth::access::Requirement::{Caller, Host};
use crate::domain::bookings::added_people;
use crate::domain::bookings::added_people::RequiredKeys;
use crate::domain::bookings::attendees::{duplicate_attendee_error, insert_attendee};
use crate::domain::bookings::cancel;
use crate::error::{Error, Result};
use crate::http::v1::call::{Call, validation_error};
use crate::http::v1::operation::ParameterKind::Text;
use crate::http::v1::operation::{Operation, Parameter, delete, get, handler, patch, post};
use crate::messages::mail::events as mail;
use crate::store::bookings::actions::{self, BookingSnapshot};
use crate::store::bookings::attendees;
use crate::store::{Db, Subject};
use crate::validate::{Checks, Object};

const PERSON_KEYS: [&str; 3] = ["name", "email", "timeZone"];

/// Operations of this resource.
pub(crate) const OPERATIONS: &[Operation] = &[
    get("/v1/attendees", handler!(list))
        .summary("Attendees of bookings that the caller hosts or whose event type they own.")
        .requires(Caller)
        .query(&[super::users::USER_ID_FILTER])
        .returns_list::<Attendee>("attendees")
        .replaced_by("/v2/bookings"),
    post("/v1/attendees", handler!(create))
        .summary("Adds an attendee to a booking; if the booking has seats, they take one.")
        .requires(Host("booking.update"))
        .input::<AttendeeInput>(&["bookingId", "name", "email", "timeZone"], &[])
        .returns_created::<Attendee>("attendee", "Attendee created successfully")
        .replaced_by("/v2/bookings"),
    get("/v1/attendees/{id}", handler!(show))
        .summary("One attendee.")
        .requires(Host("booking.readTeamBookings"))
        .returns::<Attendee>("attendee")
        .replaced_by("/v2/bookings"),
    patch("/v1/attendees/{id}", handler!(edit))
        .summary("Changes an attendee.")
        .requires(Host("booking.update"))
        .input::<AttendeeInput>(&[], &PERSON_KEYS)
        .returns::<Attendee>("attendee")
        .replaced_by("/v2/bookings"),
    delete("/v1/attendees/{id}", handler!(remove))
        .summary("Removes an attendee from a booking that has others; a seat is released.")
        .requires(Host("booking.update"))
        .query(&[Parameter::new(
            "cancellationReason",
            Text,
            "Required if attendees have seats",
        )])
        .replaced_by("/v2/bookings"),
];

async fn list(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    let user_filter = call.user_filter(&mut db).await?;
    let attendees = attendees::list_of_users(&mut db, &user_filter).await?;
    Ok(attendees
        .into_iter()
        .map(|attendee| json!(response(attendee)))
        .collect())
}

async fn show(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    let (attendee, _) = load_authorised(&call, &mut db).await?;
    Ok(json!(response(attendee)))
}

async fn create(call: Call) -> Result<Value> {
    let booking_id = call.positive_integer("bookingId")?.unwrap_or_default();
    let mut transaction = call.begin(&[Subject::BookingId(booking_id)]).await?;
    let db = &mut *transaction;
    let booking = bookings::access::load_authorised(&call, db, booking_id).await?;
    let mut checks = Checks::default();
    let body = call.body_subset(&PERSON_KEYS);
    let person = added_people::read(&Object::new(&body, ""), RequiredKeys::All, &mut checks);
    checks.finish()?;
    transitions::next_status(booking.context(call.now()), Transition::Change)?;
    let created = insert_attendee(db, &call.caller, &booking, &person, call.now()).await?;
    transaction.commit().await?;
    Ok(json!(response(created)))
}

async fn edit(call: Call) -> Result<Value> {
    let mut transaction = call
        .begin(&[Subject::BookingOfAttendee(call.id("id")?)])
        .await?;
    let db = &mut *transaction;
    let (before, booking) = load_authorised(&call, db).await?;
    let changes = call.body_subset(&PERSON_KEYS);
    let mut checks = Checks::default();
    let mut person: NewGuest = added_people::read(
        &Object::new(&changes, ""),
        RequiredKeys::Changed,
        &mut checks,
    );
    checks.finish()?;
    person.name.get_or_insert_with(|| before.name.clone());
    if !changes.contains_key("email") {
        person.email.clone_from(&before.email);
    }
    transitions::next_status(booking.context(call.now()), Transition::Change)?;
    let is_same = person.email.eq_ignore_ascii_case(&before.email);
    if !is_same && attendees::is_invited(db, booking.id, &person.email).await? {
        return Err(duplicate_attendee_error());
    }
    attendees::update(db, &before, &person).await?;
    actions::set_updated(db, booking.id, call.now()).await?;
    if !is_same {
        // Another person attends: the former one gets a cancellation.
        record_leaving(db, call.now(), booking.id, &before).await?;
        // As in `insert_attendee`.
        let (kind, new_guests) = match before.seat_uid {
            Some(_) => (mail::Kind::Booked, Vec::new()),
            None => (mail::Kind::GuestsAdded, vec![person.email.clone()]),
        };
        let details = mail::Details {
            new_guests,
            ..mail::Details::default()
        };
        let change = mail::Change {
            seat_uid: before.seat_uid.clone(),
            ..mail::Change::default()
        };
        mail::record(db, call.now(), kind, [(booking.id, change)], details).await?;
    }
    let (after, _) = load_authorised(&call, db).await?;
    transaction.commit().await?;
    Ok(json!(response(after)))
}

async fn remove(call: Call) -> Result<Value> {
    let mut transaction = call
        .begin(&[Subject::BookingOfAttendee(call.id("id")?)])
        .await?;
    let db = &mut *transaction;
    let (attendee, booking) = load_authorised(&call, db).await?;
    let attendees = attendees::list(db, booking.id).await?;
    if attendees.len() <= 1 {
        return Err(validation_error(
            "id",
            "is the booking's only attendee: cancel the booking instead",
        ));
    }
    if attendee.seat_uid.is_some() {
        // As a cancellation of the seat, with its rules and webhooks.
        let request = CancelBooking {
            cancellation_reason: bookings::reason(&call)?,
            seat_uid: attendee.seat_uid.clone(),
            ..CancelBooking::default()
        };
        let (caller, now) = (Some(&call.caller), call.now());
        cancel::cancel_bookings(db, caller, &booking.uid, &request, None, now).await?;
    } else {
        transitions::next_status(booking.context(call.now()), Transition::Change)?;
        attendees::remove(db, attendee.id).await?;
        if let [first, second, ..] = attendees.as_slice()
            && first.id == attendee.id
        {
            attendees::set_booker(db, second).await?;
        }
        actions::set_updated(db, booking.id, call.now()).await?;
        record_leaving(db, call.now(), booking.id, &attendee).await?;
    }
    transaction.commit().await?;
    Ok(json!(format!("Attendee {} deleted", attendee.id)))
}

/// Loads the attendee in the path and their booking; rejects callers without access.
async fn load_authorised(call: &Call, db: &mut Db) -> Result<(BookingAttendee, BookingSnapshot)> {
    let id = call.id("id")?;
    let attendee = attendees::by_id(db, id)
        .await?
        .ok_or_else(|| Error::not_found("Attendee", id))?;
    let booking = bookings::access::load_authorised(call, db, attendee.booking_id).await?;
    Ok((attendee, booking))
}

fn response(attendee: BookingAttendee) -> Attendee {
    Attendee {
        id: attendee.id,
        booking_id: attendee.booking_id,
        name: attendee.name,
        email: attendee.email,
        time_zone: attendee.time_zone,
    }
}

/// Records the e-mail event of an attendee who leaves a booking.
async fn record_leaving(
    db: &mut Db,
    now: Instant,
    booking_id: i64,
    attendee: &BookingAttendee,
) -> Result<()> {
    let change = mail::Change {
        leaving: Some(person_of(attendee)),
        ..mail::Change::default()
    };
    let details = mail::Details::default();
    mail::record(
        db,
        now,
        mail::Kind::Cancelled,
        [(booking_id, change)],
        details,
    )
    .await
}

/// An attendee as a recipient of e-mail.
fn person_of(attendee: &BookingAttendee) -> Person {
    Person {
        name: attendee.name.clone(),
        email: attendee.display_email.clone(),
        time_zone: attendee.time_zone.clone(),
        language: attendee.language.clone().unwrap_or_default(),
        seat_uid: attendee.seat_uid.clone(),
        ..Person::default()
    }
}
