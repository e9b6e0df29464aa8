//! Bookings. The rules are those of version 2: [`booking_rules::transitions`], [`booking_rules::availability`] and
//! the constraints of the database.

pub(crate) mod access;
mod create;
mod response;
mod update;

use access::{authorise, by_id, load_authorised};
use booking_wire::v1::{Booking, BookingChanges, Cancelled, NewBooking, Recording};
use booking_wire::{BookingStatus, CancelBooking};
use serde_json::{Value, json};

use crate::auth::access::Requirement::{Caller, Host};
use crate::domain::bookings::cancel;
use crate::error::{Error, Result};
use crate::http::v1::call::{Call, validation_error};
use crate::http::v1::operation::ParameterKind::{Boolean, Text};
use crate::http::v1::operation::{Operation, Parameter, delete, get, handler, patch, post};
use crate::input_limits::MAX_REASON_CHARS;
use crate::store::bookings::actions::BookingSnapshot;
use crate::store::bookings::attendees;
use crate::store::people::users;
use crate::store::{Db, Subject};
use crate::validate::{Checks, is_email};

/// Operations of this resource.
pub(crate) const OPERATIONS: &[Operation] = &[
    post("/v1/bookings", handler!(create::create))
        .summary("Books a slot, or reschedules a booking to it.")
        .requires(Caller)
        .input::<NewBooking>(
            &[
                "eventTypeId",
                "start",
                "responses",
                "timeZone",
                "language",
                "metadata",
            ],
            &[
                "end",
                "title",
                "description",
                "status",
                "recurringEventId",
                "recurringCount",
                "rescheduleUid",
                "seatsPerTimeSlot",
                "seatsShowAttendees",
                "seatsShowAvailabilityCount",
                "userId",
            ],
        )
        .returns::<Booking>("booking")
        .replaced_by("/v2/bookings"),
    get("/v1/bookings/{id}", handler!(show))
        .summary("One booking, for its hosts, attendees, owners and administrators.")
        .requires(Host("booking.readTeamBookings"))
        .returns::<Booking>("booking")
        .replaced_by("/v2/bookings/{bookingUid}"),
    patch("/v1/bookings/{id}", handler!(update::update))
        .summary("Changes title, description, status or time of a booking.")
        .requires(Host("booking.update"))
        .input::<BookingChanges>(
            &[],
            &[
                "title",
                "description",
                "start",
                "end",
                "startTime",
                "endTime",
                "status",
                "cancelledBy",
                "rescheduledBy",
            ],
        )
        .returns::<Booking>("booking")
        .replaced_by("/v2/bookings/{bookingUid}"),
    delete("/v1/bookings/{id}/cancel", handler!(cancel_booking))
        .summary("Cancels a booking; for an attendee with a seat, only releases that seat.")
        .requires(Host("booking.update"))
        .query(&[
            Parameter::new("cancellationReason", Text, "Required of hosts"),
            Parameter::new(
                "allRemainingBookings",
                Boolean,
                "True to cancel all remaining bookings of the series",
            ),
            Parameter::new(
                "cancelledBy",
                Text,
                "E-mail address to record as the canceller; default: the caller's",
            ),
        ])
        .returns_bare::<Cancelled>()
        .replaced_by("/v2/bookings"),
    get("/v1/bookings/{id}/recordings", handler!(recordings))
        .summary("Recordings of a meeting. This service records nothing, so there are none.")
        .requires(Host("booking.readRecordings"))
        .returns_bare_list::<Recording>()
        .replaced_by("/v2/bookings"),
    get("/v1/bookings/{id}/transcripts", handler!(transcripts))
        .summary("Transcripts of a meeting. This service records nothing, so there are none.")
        .requires(Host("booking.readRecordings"))
        .returns_bare_list::<String>()
        .replaced_by("/v2/bookings"),
    get(
        "/v1/bookings/{id}/transcripts/{recordingId}",
        handler!(transcripts),
    )
    .summary("Transcripts of a recording. This service records nothing, so there are none.")
    .requires(Host("booking.readRecordings"))
    .returns_bare_list::<String>()
    .replaced_by("/v2/bookings"),
];

async fn show(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    let booking = by_id(&mut db, call.id("id")?).await?;
    if attendee_email(&call, &mut db, &booking).await?.is_none() {
        authorise(&call, &mut db, &booking).await?;
    }
    Ok(json!(
        response::booking(&mut db, &call.caller, booking.id).await?
    ))
}

async fn cancel_booking(call: Call) -> Result<Value> {
    let (reason, by) = (reason(&call)?, email_parameter(&call, "cancelledBy")?);
    let all = call.boolean("allRemainingBookings")?.unwrap_or(false);
    let mut transaction = call.begin(&[Subject::BookingId(call.id("id")?)]).await?;
    let db = &mut *transaction;
    let booking = by_id(db, call.id("id")?).await?;
    let seat_uid = match authorise(&call, db, &booking).await {
        Err(Error::Forbidden(text)) => match attendee_email(&call, db, &booking).await? {
            Some(email) => seat_of(db, booking.id, &email).await?,
            None => return Err(Error::Forbidden(text)),
        },
        verdict => verdict.map(|()| None)?,
    };
    let uid = match &booking.series_uid {
        Some(series_uid) if all => series_uid.clone(),
        _ => booking.uid.clone(),
    };
    let request = CancelBooking {
        cancellation_reason: reason,
        cancel_subsequent_bookings: None,
        seat_uid,
    };
    let cancelled =
        cancel::cancel_bookings(db, Some(&call.caller), &uid, &request, by, call.now()).await?;
    // A booking that is not cancelled has only lost a seat.
    let mut lost_only_a_seat = false;
    for id in cancelled.ids {
        lost_only_a_seat |= by_id(db, id).await?.status != BookingStatus::Cancelled;
    }
    transaction.commit().await?;
    Ok(json!(Cancelled {
        success: true,
        message: if lost_only_a_seat {
            "Attendee successfully removed."
        } else {
            "Booking successfully cancelled."
        }
        .to_owned(),
        only_removed_attendee: lost_only_a_seat,
        booking_id: booking.id,
        booking_uid: booking.uid,
    }))
}

async fn recordings(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    load_authorised(&call, &mut db, call.id("id")?).await?;
    Ok(json!(Vec::<Recording>::new()))
}

async fn transcripts(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    load_authorised(&call, &mut db, call.id("id")?).await?;
    Ok(json!(Vec::<String>::new()))
}

/// E-mail address with which the caller attends a booking, if any.
async fn attendee_email(
    call: &Call,
    db: &mut Db,
    booking: &BookingSnapshot,
) -> Result<Option<String>> {
    let Some(email) = users::verified_email(db, call.caller.user_id).await? else {
        return Ok(None);
    };
    let attends = attendees::is_invited(db, booking.id, &email).await?;
    Ok(attends.then_some(email))
}

/// Seat uid of the attendee with this e-mail address; none in bookings without seats.
async fn seat_of(db: &mut Db, booking_id: i64, email: &str) -> Result<Option<String>> {
    let attendees = attendees::list(db, booking_id).await?;
    let attendee = attendees
        .into_iter()
        .find(|attendee| attendee.email.eq_ignore_ascii_case(email));
    Ok(attendee.and_then(|attendee| attendee.seat_uid))
}

pub(crate) fn reason(call: &Call) -> Result<Option<String>> {
    let text = call
        .query
        .get("cancellationReason")
        .unwrap_or_default()
        .trim();
    if text.chars().count() > MAX_REASON_CHARS {
        let text = format!("must be at most {MAX_REASON_CHARS} characters long");
        return Err(validation_error("cancellationReason", &text));
    }
    Ok((!text.is_empty()).then(|| text.to_owned()))
}

/// E-mail address in the query.
fn email_parameter(call: &Call, name: &str) -> Result<Option<String>> {
    // An unescaped "+" arrives as a space.
    let email = call.query.get(name).map(|text| text.replace(' ', "+"));
    match email {
        Some(email) if !is_email(&email) => Err(Checks::error(
            name,
            &json!(email),
            "isEmail",
            "must be an email",
        )),
        email => Ok(email),
    }
}
