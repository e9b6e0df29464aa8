//! What bookings are called in other systems.

use booking_wire::v1::{BookingReference, BookingReferenceInput};
use serde_json::{Value, json};

use super::bookings;
use super::call::{Call, complaint};
use super::operation::{Operation, delete, get, patch, post, run};
use crate::auth::access::Needs::{Caller, Host};
use crate::error::{Error, Result};
use crate::store::{Db, booking_references, calendars};
use crate::validate::changes::Changes;
use crate::validate::whole;

/// Operations of this resource.
pub(super) const OPERATIONS: &[Operation] = &[
    get("/v1/booking-references", run!(list))
        .about("References of bookings that the caller hosts or whose event type they own.")
        .needs(Caller)
        .asks(&[super::users::WHOSE])
        .lists::<BookingReference>("booking_references")
        .replaced_by("/v2/bookings"),
    post("/v1/booking-references", run!(create))
        .about("Notes what a booking is called in another system.")
        .needs(Host("booking.update"))
        .takes::<BookingReferenceInput>(
            &["type", "uid"],
            &[
                "bookingId",
                "meetingId",
                "meetingPassword",
                "meetingUrl",
                "externalCalendarId",
                "deleted",
                "credentialId",
            ],
        )
        .makes::<BookingReference>(
            "booking_reference",
            "Booking reference created successfully",
        )
        .replaced_by("/v2/bookings"),
    get("/v1/booking-references/{id}", run!(show))
        .about("One reference.")
        .needs(Host("booking.readTeamBookings"))
        .gives::<BookingReference>("booking_reference")
        .replaced_by("/v2/bookings"),
    patch("/v1/booking-references/{id}", run!(edit))
        .about("Changes a reference; what names it stays as it is.")
        .needs(Host("booking.update"))
        .takes::<BookingReferenceInput>(
            &[],
            &[
                "type",
                "meetingId",
                "meetingPassword",
                "externalCalendarId",
                "deleted",
                "credentialId",
            ],
        )
        .gives::<BookingReference>("booking_reference")
        .replaced_by("/v2/bookings"),
    delete("/v1/booking-references/{id}", run!(remove))
        .about("Forgets a reference.")
        .needs(Host("booking.update"))
        .replaced_by("/v2/bookings"),
];

async fn list(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    let whose = call.whose(&mut db).await?;
    Ok(json!(booking_references::list(&mut db, &whose).await?))
}

async fn show(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    let (reference, _) = own(&call, &mut db).await?;
    Ok(json!(reference))
}

async fn create(call: Call) -> Result<Value> {
    let booking_id = call.number("bookingId")?;
    let mut transaction = call.begin().await?;
    let db = &mut *transaction;
    let host_ids = match booking_id {
        Some(id) => bookings::access::found(&call, db, id).await?.host_ids,
        None if !call.runs_the_service(db).await? => {
            return Err(complaint("bookingId", "is required"));
        }
        None => Vec::new(),
    };
    let blank = BookingReference {
        booking_id,
        ..BookingReference::default()
    };
    let mut reference = read(&call, blank)?;
    refuse_foreign(&call, db, &reference, &host_ids).await?;
    reference.id = booking_references::insert(db, &reference).await?;
    transaction.commit().await?;
    Ok(json!(reference))
}

async fn edit(call: Call) -> Result<Value> {
    let mut transaction = call.begin().await?;
    let db = &mut *transaction;
    let (before, host_ids) = own(&call, db).await?;
    let reference = read(&call, before)?;
    refuse_foreign(&call, db, &reference, &host_ids).await?;
    booking_references::update(db, &reference).await?;
    transaction.commit().await?;
    Ok(json!(reference))
}

async fn remove(call: Call) -> Result<Value> {
    let mut transaction = call.begin().await?;
    let (reference, _) = own(&call, &mut transaction).await?;
    booking_references::delete(&mut transaction, reference.id).await?;
    transaction.commit().await?;
    Ok(json!(format!("Booking reference {} deleted", reference.id)))
}

/// The reference in the path with the hosts of its booking, once the caller may do with it what
/// they ask.
async fn own(call: &Call, db: &mut Db) -> Result<(BookingReference, Vec<i64>)> {
    let id = call.id("id")?;
    let reference = booking_references::get(db, id)
        .await?
        .ok_or_else(|| Error::not_found("Booking reference", id))?;
    let host_ids = match reference.booking_id {
        Some(booking_id) => {
            bookings::access::found(call, db, booking_id)
                .await?
                .host_ids
        }
        None => {
            call.refuse_others(db).await?;
            Vec::new()
        }
    };
    Ok((reference, host_ids))
}

/// Refuses a credential that none of the booking's hosts has, unless the caller runs the service.
async fn refuse_foreign(
    call: &Call,
    db: &mut Db,
    reference: &BookingReference,
    host_ids: &[i64],
) -> Result<()> {
    let Some(id) = reference.credential_id else {
        return Ok(());
    };
    if !call.body.contains_key("credentialId") || call.runs_the_service(db).await? {
        return Ok(());
    }
    match calendars::credential(db, id).await? {
        Some(credential) if host_ids.contains(&credential.user_id) => Ok(()),
        _ => Err(complaint(
            "credentialId",
            "is no credential of the booking's hosts",
        )),
    }
}

fn read(call: &Call, mut reference: BookingReference) -> Result<BookingReference> {
    let body = call.body.clone();
    let mut changes = Changes::any(&body);
    changes.name("type", &mut reference.kind);
    changes.name("uid", &mut reference.uid);
    changes.text("meetingId", &mut reference.meeting_id);
    changes.text("meetingPassword", &mut reference.meeting_password);
    changes.url("meetingUrl", &mut reference.meeting_url);
    changes.text("externalCalendarId", &mut reference.external_calendar_id);
    changes.flag("deleted", &mut reference.deleted);
    changes.set_or_clear(
        "credentialId",
        &mut reference.credential_id,
        "min",
        "must be a whole number not less than 1",
        |value| whole(value).filter(|id| *id >= 1),
    );
    changes.finish()?;
    Ok(reference)
}
