//! Calendars to which bookings are written.

use booking_wire::v1::{DestinationCalendar, DestinationCalendarInput};
use serde_json::{Value, json};

use super::credentials::check_credential;
use crate::auth::access::Requirement::Caller;
use crate::auth::access::Resource;
use crate::error::{Error, Result};
use crate::http::v1::call::{Call, validation_error};
use crate::http::v1::operation::{Operation, delete, get, handler, patch, post};
use crate::store::bookings::actions;
use crate::store::event_types::record::{self, Owner};
use crate::store::hours::calendars;
use crate::store::{Db, Subject};
use crate::validate::changes::Changes;

const LINK_KEYS: [&str; 3] = ["eventTypeId", "bookingId", "userId"];

/// Operations of this resource.
pub(crate) const OPERATIONS: &[Operation] = &[
    get("/v1/destination-calendars", handler!(list))
        .summary("The caller's destination calendars.")
        .requires(Caller)
        .query(&[super::users::USER_ID_FILTER])
        .returns_list::<DestinationCalendar>("destinationCalendars"),
    post("/v1/destination-calendars", handler!(create))
        .summary("Adds a calendar to which bookings are written.")
        .requires(Caller)
        .input::<DestinationCalendarInput>(
            &["integration", "externalId", "credentialId"],
            &LINK_KEYS,
        )
        .returns_created::<DestinationCalendar>(
            "destinationCalendar",
            "Destination calendar created successfully",
        ),
    get("/v1/destination-calendars/{id}", handler!(show))
        .summary("One destination calendar.")
        .requires(Caller)
        .returns::<DestinationCalendar>("destinationCalendar"),
    patch("/v1/destination-calendars/{id}", handler!(edit))
        .summary("Changes a destination calendar.")
        .requires(Caller)
        .input::<DestinationCalendarInput>(
            &[],
            &[
                "integration",
                "externalId",
                "credentialId",
                "eventTypeId",
                "bookingId",
            ],
        )
        .returns::<DestinationCalendar>("destinationCalendar"),
    delete("/v1/destination-calendars/{id}", handler!(remove))
        .summary("Deletes a destination calendar.")
        .requires(Caller),
];

async fn list(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    let user_filter = call.user_filter(&mut db).await?;
    Ok(json!(calendars::destinations(&mut db, &user_filter).await?))
}

async fn show(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    Ok(json!(load_authorised(&call, &mut db).await?))
}

async fn create(call: Call) -> Result<Value> {
    let mut transaction = call
        .begin(&[Subject::Person(call.target_user("userId"))])
        .await?;
    let db = &mut *transaction;
    let empty = DestinationCalendar {
        user_id: call.target_user_id(db).await?,
        ..DestinationCalendar::default()
    };
    let mut calendar = read(&call, db, empty).await?;
    calendar.id = calendars::insert_destination(db, &calendar).await?;
    transaction.commit().await?;
    Ok(json!(calendar))
}

async fn edit(call: Call) -> Result<Value> {
    let mut transaction = call
        .begin(&[Subject::DestinationCalendar(call.id("id")?)])
        .await?;
    let db = &mut *transaction;
    let before = load_authorised(&call, db).await?;
    let calendar = read(&call, db, before).await?;
    calendars::update_destination(db, &calendar).await?;
    transaction.commit().await?;
    Ok(json!(calendar))
}

async fn remove(call: Call) -> Result<Value> {
    let mut transaction = call
        .begin(&[Subject::DestinationCalendar(call.id("id")?)])
        .await?;
    let calendar = load_authorised(&call, &mut transaction).await?;
    calendars::delete_destination(&mut transaction, calendar.id).await?;
    transaction.commit().await?;
    Ok(json!(format!(
        "Destination calendar {} deleted",
        calendar.id
    )))
}

async fn load_authorised(call: &Call, db: &mut Db) -> Result<DestinationCalendar> {
    let id = call.id("id")?;
    let calendar = calendars::destination(db, id)
        .await?
        .ok_or_else(|| Error::not_found("Destination calendar", id))?;
    call.authorise(db, &Resource::of_user(calendar.user_id))
        .await?;
    Ok(calendar)
}

/// Parses the body into changes of `calendar`. Everything it refers to must belong to its owner.
async fn read(
    call: &Call,
    db: &mut Db,
    mut calendar: DestinationCalendar,
) -> Result<DestinationCalendar> {
    let mut changes = Changes::new(&call.body);
    changes.name("integration", &mut calendar.integration);
    changes.name("externalId", &mut calendar.external_id);
    changes.id("eventTypeId", &mut calendar.event_type_id);
    changes.id("bookingId", &mut calendar.booking_id);
    changes.id("credentialId", &mut calendar.credential_id);
    changes.finish()?;
    if call.body.contains_key("credentialId") {
        check_credential(db, calendar.user_id, calendar.credential_id).await?;
    }
    if let (Some(id), true) = (
        calendar.event_type_id,
        call.body.contains_key("eventTypeId"),
    ) {
        let event_type = record::get(db, id).await?;
        if event_type.is_none_or(|event_type| event_type.owner != Owner::User(calendar.user_id)) {
            return Err(validation_error(
                "eventTypeId",
                "is no event type of this user",
            ));
        }
    }
    if let (Some(id), true) = (calendar.booking_id, call.body.contains_key("bookingId")) {
        let booking = actions::by_id(db, id).await?;
        if booking.is_none_or(|booking| {
            !Resource::of_booking(&booking)
                .user_ids
                .contains(&calendar.user_id)
        }) {
            return Err(validation_error("bookingId", "is no booking of this user"));
        }
    }
    Ok(calendar)
}
