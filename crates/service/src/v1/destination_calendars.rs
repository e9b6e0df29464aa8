//! Calendars into which bookings are to be written.

use booking_wire::v1::{DestinationCalendar, DestinationCalendarInput};
use serde_json::{Value, json};

use super::call::{Call, complaint};
use super::credentials::refuse_foreign;
use super::operation::{Operation, delete, get, patch, post, run};
use crate::auth::access::Needs::Caller;
use crate::auth::access::Subject;
use crate::error::{Error, Result};
use crate::store::event_types::record::{self, Owner};
use crate::store::{Db, booking_acts, calendars};
use crate::validate::changes::Changes;
use crate::validate::whole;

const LINKS: [&str; 3] = ["eventTypeId", "bookingId", "userId"];

/// Operations of this resource.
pub(super) const OPERATIONS: &[Operation] = &[
    get("/v1/destination-calendars", run!(list))
        .about("The caller's destination calendars.")
        .needs(Caller)
        .asks(&[super::users::WHOSE])
        .lists::<DestinationCalendar>("destinationCalendars"),
    post("/v1/destination-calendars", run!(create))
        .about("Names a calendar into which bookings are to be written.")
        .needs(Caller)
        .takes::<DestinationCalendarInput>(&["integration", "externalId", "credentialId"], &LINKS)
        .makes::<DestinationCalendar>(
            "destinationCalendar",
            "Destination calendar created successfully",
        ),
    get("/v1/destination-calendars/{id}", run!(show))
        .about("One destination calendar.")
        .needs(Caller)
        .gives::<DestinationCalendar>("destinationCalendar"),
    patch("/v1/destination-calendars/{id}", run!(edit))
        .about("Changes a destination calendar.")
        .needs(Caller)
        .takes::<DestinationCalendarInput>(
            &[],
            &[
                "integration",
                "externalId",
                "credentialId",
                "eventTypeId",
                "bookingId",
            ],
        )
        .gives::<DestinationCalendar>("destinationCalendar"),
    delete("/v1/destination-calendars/{id}", run!(remove))
        .about("Forgets a destination calendar.")
        .needs(Caller),
];

async fn list(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    let whose = call.whose(&mut db).await?;
    Ok(json!(calendars::destinations(&mut db, &whose).await?))
}

async fn show(call: Call) -> Result<Value> {
    let mut db = call.read().await?;
    Ok(json!(own(&call, &mut db).await?))
}

async fn create(call: Call) -> Result<Value> {
    let mut transaction = call.begin().await?;
    let db = &mut *transaction;
    let blank = DestinationCalendar {
        user_id: call.beneficiary(db).await?,
        ..DestinationCalendar::default()
    };
    let mut calendar = read(&call, db, blank).await?;
    calendar.id = calendars::insert_destination(db, &calendar).await?;
    transaction.commit().await?;
    Ok(json!(calendar))
}

async fn edit(call: Call) -> Result<Value> {
    let mut transaction = call.begin().await?;
    let db = &mut *transaction;
    let before = own(&call, db).await?;
    let calendar = read(&call, db, before).await?;
    calendars::update_destination(db, &calendar).await?;
    transaction.commit().await?;
    Ok(json!(calendar))
}

async fn remove(call: Call) -> Result<Value> {
    let mut transaction = call.begin().await?;
    let calendar = own(&call, &mut transaction).await?;
    calendars::delete_destination(&mut transaction, calendar.id).await?;
    transaction.commit().await?;
    Ok(json!(format!(
        "Destination calendar {} deleted",
        calendar.id
    )))
}

async fn own(call: &Call, db: &mut Db) -> Result<DestinationCalendar> {
    let id = call.id("id")?;
    let calendar = calendars::destination(db, id)
        .await?
        .ok_or_else(|| Error::not_found("Destination calendar", id))?;
    call.authorise(db, &Subject::of_user(calendar.user_id))
        .await?;
    Ok(calendar)
}

/// Changes in `calendar` what the body names. All that it refers to has to be its owner's.
async fn read(
    call: &Call,
    db: &mut Db,
    mut calendar: DestinationCalendar,
) -> Result<DestinationCalendar> {
    let mut changes = Changes::any(&call.body);
    changes.name("integration", &mut calendar.integration);
    changes.name("externalId", &mut calendar.external_id);
    for (key, field) in [
        ("eventTypeId", &mut calendar.event_type_id),
        ("bookingId", &mut calendar.booking_id),
    ] {
        changes.set_or_clear(key, field, "min", ID, id);
    }
    changes.set(
        "credentialId",
        &mut calendar.credential_id,
        "min",
        ID,
        |value| id(value).map(Some),
    );
    changes.finish()?;
    if call.body.contains_key("credentialId") {
        refuse_foreign(db, calendar.user_id, calendar.credential_id).await?;
    }
    if let (Some(id), true) = (
        calendar.event_type_id,
        call.body.contains_key("eventTypeId"),
    ) {
        let known = record::get(db, id).await?;
        if known.is_none_or(|known| known.owner != Owner::User(calendar.user_id)) {
            return Err(complaint("eventTypeId", "is no event type of this user"));
        }
    }
    if let (Some(id), true) = (calendar.booking_id, call.body.contains_key("bookingId")) {
        let known = booking_acts::by_id(db, id).await?;
        if known.is_none_or(|known| {
            !Subject::of_booking(&known)
                .user_ids
                .contains(&calendar.user_id)
        }) {
            return Err(complaint("bookingId", "is no booking of this user"));
        }
    }
    Ok(calendar)
}

const ID: &str = "must be a whole number not less than 1";

fn id(value: &Value) -> Option<i64> {
    whole(value).filter(|id| *id >= 1)
}
