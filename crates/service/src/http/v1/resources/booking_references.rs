//! References of bookings to records in other systems.

use booking_wire::v1::{BookingReference, BookingReferenceInput};
use serde_json::{Value, json};

use super::bookings;
use crate::auth::access::Requirement::{Caller, Host};
use crate::error::{Error, Result};
use crate::http::v1::call::{Call, validation_error};
use crate::http::v1::operation::{Operation, delete, get, handler, patch, post};
use crate::store::bookings::references;
use crate::store::hours::calendars;
use crate::store::{Db, Subject};
use crate::validate::changes::Changes;

/// Operations of this resource.
pub(crate) const OPERATIONS: &[Operation] = &[
    get("/v1/booking-references", handler!(list))
        .summary("References of bookings that the caller hosts or whose event type they own.")
        .requires(Caller)
        .query(&[super::users::USER_ID_FILTER])
        .returns_list::<BookingReference>("booking_references")
        .replaced_by("/v2/bookings"),
    post("/v1/booking-references", handler!(create))
        .summary("Adds a reference of a booking to another system.")
        .requires(Host("booking.update"))
        .input::<BookingReferenceInput>(
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
        .returns_created::<BookingReference>(
            "booking_reference",
            "Booking reference created successfully",
        )
        .replaced_by("/v2/bookings"),
    get("/v1/booking-references/{id}", handler!(show))
        .summary("One reference.")
        .requires(Host("booking.readTeamBookings"))
        .returns::<BookingReference>("booking_reference")
        .replaced_by("/v2/bookings"),
    patch("/v1/booking-references/{id}", handler!(edit))
        .summary("Changes a reference. Its `uid` cannot be changed.")
        .requires(Host("booking.update"))
        .input::<BookingReferenceInput>(
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
        .returns::<BookingReference>("booking_reference")
        .replaced_by("/v2/bookings"),
    delete("/v1/booking-references/{id}", handler!(remove))
        .summary("Deletes a reference.")
        .requires(Host("booking.update"))
        .replaced_by("/v2/bookings"),
];

async fn list(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    let user_filter = call.user_filter(&mut db).await?;
    Ok(json!(references::list(&mut db, &user_filter).await?))
}

async fn show(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    let (reference, _) = load_authorised(&call, &mut db).await?;
    Ok(json!(reference))
}

async fn create(call: Call) -> Result<Value> {
    let booking_id = call.positive_integer("bookingId")?;
    let subject = booking_id.map_or(Subject::Rows, Subject::BookingId);
    let mut transaction = call.begin(&[subject]).await?;
    let db = &mut *transaction;
    let host_ids = match booking_id {
        Some(id) => {
            bookings::access::load_authorised(&call, db, id)
                .await?
                .host_ids
        }
        None if !call.is_operator(db).await? => {
            return Err(validation_error("bookingId", "is required"));
        }
        None => Vec::new(),
    };
    let empty = BookingReference {
        booking_id,
        ..BookingReference::default()
    };
    let mut reference = read(&call, empty)?;
    check_credential(&call, db, &reference, &host_ids).await?;
    reference.id = references::insert(db, &reference).await?;
    transaction.commit().await?;
    Ok(json!(reference))
}

async fn edit(call: Call) -> Result<Value> {
    let mut transaction = call
        .begin(&[Subject::BookingOfReference(call.id("id")?)])
        .await?;
    let db = &mut *transaction;
    let (before, host_ids) = load_authorised(&call, db).await?;
    let reference = read(&call, before)?;
    check_credential(&call, db, &reference, &host_ids).await?;
    references::update(db, &reference).await?;
    transaction.commit().await?;
    Ok(json!(reference))
}

async fn remove(call: Call) -> Result<Value> {
    let mut transaction = call
        .begin(&[Subject::BookingOfReference(call.id("id")?)])
        .await?;
    let (reference, _) = load_authorised(&call, &mut transaction).await?;
    references::delete(&mut transaction, reference.id).await?;
    transaction.commit().await?;
    Ok(json!(format!("Booking reference {} deleted", reference.id)))
}

/// Loads the reference in the path and the hosts of its booking; rejects callers without access.
async fn load_authorised(call: &Call, db: &mut Db) -> Result<(BookingReference, Vec<i64>)> {
    let id = call.id("id")?;
    let reference = references::get(db, id)
        .await?
        .ok_or_else(|| Error::not_found("Booking reference", id))?;
    let host_ids = match reference.booking_id {
        Some(booking_id) => {
            bookings::access::load_authorised(call, db, booking_id)
                .await?
                .host_ids
        }
        None => {
            call.require_operator(db).await?;
            Vec::new()
        }
    };
    Ok((reference, host_ids))
}

/// Rejects a credential of other people than the booking's hosts, unless the caller is an operator.
async fn check_credential(
    call: &Call,
    db: &mut Db,
    reference: &BookingReference,
    host_ids: &[i64],
) -> Result<()> {
    let Some(id) = reference.credential_id else {
        return Ok(());
    };
    if !call.body.contains_key("credentialId") || call.is_operator(db).await? {
        return Ok(());
    }
    match calendars::credential(db, id).await? {
        Some(credential) if host_ids.contains(&credential.user_id) => Ok(()),
        _ => Err(validation_error(
            "credentialId",
            "is no credential of the booking's hosts",
        )),
    }
}

fn read(call: &Call, mut reference: BookingReference) -> Result<BookingReference> {
    let mut changes = Changes::new(&call.body);
    changes.name("type", &mut reference.kind);
    changes.name("uid", &mut reference.uid);
    changes.text("meetingId", &mut reference.meeting_id);
    changes.text("meetingPassword", &mut reference.meeting_password);
    changes.url("meetingUrl", &mut reference.meeting_url);
    changes.text("externalCalendarId", &mut reference.external_calendar_id);
    changes.flag("deleted", &mut reference.deleted);
    changes.id("credentialId", &mut reference.credential_id);
    changes.finish()?;
    Ok(reference)
}
