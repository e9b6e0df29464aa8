//! Bookings. What happens to them is decided as in version 2: by [`crate::lifecycle`], by
//! [`crate::availability`], and in the end by the database.

pub(super) mod access;
mod changed;
mod made;
mod shown;

use access::{authorise, by_id, found};
use booking_wire::v1::{Booking, BookingChanges, Cancelled, NewBooking, Recording};
use booking_wire::{BookingStatus, CancelBooking};
use serde_json::{Value, json};

use super::call::{Call, complaint};
use super::operation::Kind::{Claim, Text};
use super::operation::{Operation, Parameter, delete, get, patch, post, run};
use crate::auth::access::Needs::{Caller, Host};
use crate::bookings::cancel;
use crate::error::{Error, Result};
use crate::input_limits::MAX_REASON_CHARS;
use crate::store::booking_acts::Known;
use crate::store::{Db, booking_people, users};
use crate::validate::{Checks, is_email};

/// Operations of this resource.
pub(super) const OPERATIONS: &[Operation] = &[
    post("/v1/bookings", run!(made::create))
        .about("Books a slot, or moves a booking there.")
        .needs(Caller)
        .takes::<NewBooking>(
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
        .gives::<Booking>("booking")
        .replaced_by("/v2/bookings"),
    get("/v1/bookings/{id}", run!(show))
        .about("One booking, for those who host, attend, own or run it.")
        .needs(Host("booking.readTeamBookings"))
        .gives::<Booking>("booking")
        .replaced_by("/v2/bookings/{bookingUid}"),
    patch("/v1/bookings/{id}", run!(changed::edit))
        .about("Changes the words of a booking, answers it, or moves it.")
        .needs(Host("booking.update"))
        .takes::<BookingChanges>(
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
        .gives::<Booking>("booking")
        .replaced_by("/v2/bookings/{bookingUid}"),
    delete("/v1/bookings/{id}/cancel", run!(call_off))
        .about("Cancels a booking; for who attends one with seats, gives back their own.")
        .needs(Host("booking.update"))
        .asks(&[
            Parameter::new("cancellationReason", Text, "Required of hosts"),
            Parameter::new(
                "allRemainingBookings",
                Claim,
                "Whether all that remains of the series goes, too",
            ),
            Parameter::new(
                "cancelledBy",
                Text,
                "Whose e-mail address is noted; the caller's unless told",
            ),
        ])
        .gives_bare::<Cancelled>()
        .replaced_by("/v2/bookings"),
    get("/v1/bookings/{id}/recordings", run!(recordings))
        .about("Recordings of a meeting. This service records nothing, so there are none.")
        .needs(Host("booking.readRecordings"))
        .lists_bare::<Recording>()
        .replaced_by("/v2/bookings"),
    get("/v1/bookings/{id}/transcripts", run!(transcripts))
        .about("Transcripts of a meeting. This service records nothing, so there are none.")
        .needs(Host("booking.readRecordings"))
        .lists_bare::<String>()
        .replaced_by("/v2/bookings"),
    get(
        "/v1/bookings/{id}/transcripts/{recordingId}",
        run!(transcripts),
    )
    .about("Transcripts of a recording. This service records nothing, so there are none.")
    .needs(Host("booking.readRecordings"))
    .lists_bare::<String>()
    .replaced_by("/v2/bookings"),
];

async fn show(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    let known = by_id(&mut db, call.id("id")?).await?;
    if attended_as(&call, &mut db, &known).await?.is_none() {
        authorise(&call, &mut db, &known).await?;
    }
    Ok(json!(
        shown::booking(&mut db, &call.caller, known.id).await?
    ))
}

async fn call_off(call: Call) -> Result<Value> {
    let (reason, by) = (reason(&call)?, address(&call, "cancelledBy")?);
    let all = call.claim("allRemainingBookings")?.unwrap_or(false);
    let mut transaction = call.begin().await?;
    let db = &mut *transaction;
    let known = by_id(db, call.id("id")?).await?;
    let seat_uid = match authorise(&call, db, &known).await {
        Err(Error::Forbidden(text)) => match attended_as(&call, db, &known).await? {
            Some(email) => seat_of(db, known.id, &email).await?,
            None => return Err(Error::Forbidden(text)),
        },
        verdict => verdict.map(|()| None)?,
    };
    let uid = match &known.series_uid {
        Some(series_uid) if all => series_uid.clone(),
        _ => known.uid.clone(),
    };
    let asked = CancelBooking {
        cancellation_reason: reason,
        cancel_subsequent_bookings: None,
        seat_uid,
    };
    let done = cancel::carry_out(db, Some(&call.caller), &uid, &asked, by, call.now()).await?;
    // What is still there has only lost a seat.
    let mut stands = false;
    for id in done.ids {
        stands |= by_id(db, id).await?.status != BookingStatus::Cancelled;
    }
    transaction.commit().await?;
    Ok(json!(Cancelled {
        success: true,
        message: if stands {
            "Attendee successfully removed."
        } else {
            "Booking successfully cancelled."
        }
        .to_owned(),
        only_removed_attendee: stands,
        booking_id: known.id,
        booking_uid: known.uid,
    }))
}

async fn recordings(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    found(&call, &mut db, call.id("id")?).await?;
    Ok(json!(Vec::<Recording>::new()))
}

async fn transcripts(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    found(&call, &mut db, call.id("id")?).await?;
    Ok(json!(Vec::<String>::new()))
}

/// The address under which the caller attends a booking, if they do.
async fn attended_as(call: &Call, db: &mut Db, known: &Known) -> Result<Option<String>> {
    let Some(email) = users::proven_email(db, call.caller.user_id).await? else {
        return Ok(None);
    };
    let attends = booking_people::is_invited(db, known.id, &email).await?;
    Ok(attends.then_some(email))
}

/// The seat that somebody has; none where there are no seats.
async fn seat_of(db: &mut Db, booking_id: i64, email: &str) -> Result<Option<String>> {
    let attendees = booking_people::attendees(db, booking_id).await?;
    let own = attendees
        .into_iter()
        .find(|attendee| attendee.email.eq_ignore_ascii_case(email));
    Ok(own.and_then(|attendee| attendee.seat_uid))
}

pub(super) fn reason(call: &Call) -> Result<Option<String>> {
    let text = call
        .query
        .get("cancellationReason")
        .unwrap_or_default()
        .trim();
    if text.chars().count() > MAX_REASON_CHARS {
        let text = format!("must be at most {MAX_REASON_CHARS} characters long");
        return Err(complaint("cancellationReason", &text));
    }
    Ok((!text.is_empty()).then(|| text.to_owned()))
}

/// An e-mail address in the query.
fn address(call: &Call, name: &str) -> Result<Option<String>> {
    // A "+" that was not escaped arrived as a space.
    let email = call.query.get(name).map(|text| text.replace(' ', "+"));
    match email {
        Some(email) if !is_email(&email) => {
            let mut checks = Checks::default();
            checks.complain(name, &json!(email), "isEmail", "must be an email");
            Err(checks.finish().err().unwrap_or(Error::Internal))
        }
        email => Ok(email),
    }
}
