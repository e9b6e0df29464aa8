//! Who attends bookings.

use booking_wire::v1::{Attendee, AttendeeInput};
use booking_wire::{BookingAttendee, CancelBooking, NewGuest};
use serde_json::{Value, json};

use super::bookings;
use super::call::{Call, complaint};
use super::operation::Kind::Text;
use super::operation::{Operation, Parameter, delete, get, patch, post, run};
use crate::auth::access::Needs::{Caller, Host};
use crate::bookings::attendees::{invite, signed_up_already};
use crate::bookings::cancel;
use crate::bookings::guest_input::{self, Detail};
use crate::error::{Error, Result};
use crate::lifecycle::{self, Event};
use crate::store::booking_acts::{self, Known};
use crate::store::{Db, booking_people};
use crate::validate::{Checks, Object};

const PERSON: [&str; 3] = ["name", "email", "timeZone"];

/// Operations of this resource.
pub(super) const OPERATIONS: &[Operation] = &[
    get("/v1/attendees", run!(list))
        .about("Attendees of bookings that the caller hosts or whose event type they own.")
        .needs(Caller)
        .asks(&[super::users::WHOSE])
        .lists::<Attendee>("attendees")
        .replaced_by("/v2/bookings"),
    post("/v1/attendees", run!(create))
        .about("Adds an attendee to a booking; in one with seats, they take one.")
        .needs(Host("booking.update"))
        .takes::<AttendeeInput>(&["bookingId", "name", "email", "timeZone"], &[])
        .makes::<Attendee>("attendee", "Attendee created successfully")
        .replaced_by("/v2/bookings"),
    get("/v1/attendees/{id}", run!(show))
        .about("One attendee.")
        .needs(Host("booking.readTeamBookings"))
        .gives::<Attendee>("attendee")
        .replaced_by("/v2/bookings"),
    patch("/v1/attendees/{id}", run!(edit))
        .about("Changes an attendee.")
        .needs(Host("booking.update"))
        .takes::<AttendeeInput>(&[], &PERSON)
        .gives::<Attendee>("attendee")
        .replaced_by("/v2/bookings"),
    delete("/v1/attendees/{id}", run!(remove))
        .about("Takes an attendee from a booking that others attend, too; a seat is given back.")
        .needs(Host("booking.update"))
        .asks(&[Parameter::new(
            "cancellationReason",
            Text,
            "Required where attendees have seats",
        )])
        .replaced_by("/v2/bookings"),
];

async fn list(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    let whose = call.whose(&mut db).await?;
    let found = booking_people::attendees_of(&mut db, &whose).await?;
    Ok(found.into_iter().map(|one| json!(written(one))).collect())
}

async fn show(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    let (attendee, _) = own(&call, &mut db).await?;
    Ok(json!(written(attendee)))
}

async fn create(call: Call) -> Result<Value> {
    let booking_id = call.number("bookingId")?.unwrap_or_default();
    let mut transaction = call.begin().await?;
    let db = &mut *transaction;
    let booking = bookings::access::found(&call, db, booking_id).await?;
    let mut checks = Checks::default();
    let body = call.only(&PERSON);
    let person = guest_input::read(Object::new(&body, ""), Detail::Full, &mut checks);
    checks.finish()?;
    lifecycle::next(booking.standing(call.now()), Event::Change)?;
    let made = invite(db, &call.caller, &booking, &person, call.now()).await?;
    transaction.commit().await?;
    Ok(json!(written(made)))
}

async fn edit(call: Call) -> Result<Value> {
    let mut transaction = call.begin().await?;
    let db = &mut *transaction;
    let (before, booking) = own(&call, db).await?;
    let said = call.only(&PERSON);
    let mut checks = Checks::default();
    let mut person: NewGuest =
        guest_input::read(Object::new(&said, ""), Detail::Changes, &mut checks);
    checks.finish()?;
    person.name.get_or_insert_with(|| before.name.clone());
    if !said.contains_key("email") {
        person.email.clone_from(&before.email);
    }
    lifecycle::next(booking.standing(call.now()), Event::Change)?;
    let is_same = person.email.eq_ignore_ascii_case(&before.email);
    if !is_same && booking_people::is_invited(db, booking.id, &person.email).await? {
        return Err(signed_up_already());
    }
    booking_people::set_person(db, &before, &person).await?;
    booking_acts::touch(db, booking.id, call.now()).await?;
    let (after, _) = own(&call, db).await?;
    transaction.commit().await?;
    Ok(json!(written(after)))
}

async fn remove(call: Call) -> Result<Value> {
    let mut transaction = call.begin().await?;
    let db = &mut *transaction;
    let (attendee, booking) = own(&call, db).await?;
    let everybody = booking_people::attendees(db, booking.id).await?;
    if everybody.len() <= 1 {
        return Err(complaint(
            "id",
            "is the booking's only attendee: cancel the booking instead",
        ));
    }
    if attendee.seat_uid.is_some() {
        // The booking's rules decide, and subscribers are told.
        let asked = CancelBooking {
            cancellation_reason: bookings::reason(&call)?,
            seat_uid: attendee.seat_uid.clone(),
            ..CancelBooking::default()
        };
        let (caller, now) = (Some(&call.caller), call.now());
        cancel::carry_out(db, caller, &booking.uid, &asked, None, now).await?;
    } else {
        lifecycle::next(booking.standing(call.now()), Event::Change)?;
        booking_people::remove(db, attendee.id).await?;
        if let [first, second, ..] = everybody.as_slice()
            && first.id == attendee.id
        {
            booking_people::set_booker(db, second).await?;
        }
        booking_acts::touch(db, booking.id, call.now()).await?;
    }
    transaction.commit().await?;
    Ok(json!(format!("Attendee {} deleted", attendee.id)))
}

/// The attendee in the path with their booking, once the caller may do with them what they ask.
async fn own(call: &Call, db: &mut Db) -> Result<(BookingAttendee, Known)> {
    let id = call.id("id")?;
    let attendee = booking_people::attendee_by_id(db, id)
        .await?
        .ok_or_else(|| Error::not_found("Attendee", id))?;
    let booking = bookings::access::found(call, db, attendee.booking_id).await?;
    Ok((attendee, booking))
}

fn written(attendee: BookingAttendee) -> Attendee {
    Attendee {
        id: attendee.id,
        booking_id: attendee.booking_id,
        name: attendee.name,
        email: attendee.email,
        time_zone: attendee.time_zone,
    }
}
