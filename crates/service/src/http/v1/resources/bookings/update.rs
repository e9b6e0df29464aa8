//! Changes title, description, status or time of bookings, with the rules of version 2.

use booking_rules::{Transition, transitions};
use booking_wire::{BookingStatus, CancelBooking, Instant};
use serde_json::{Value, json};

use super::access::{by_id, load_authorised};
use super::create::{as_invalid, instant, status};
use super::response;
use crate::domain::bookings::reschedule::request::RescheduleRequest;
use crate::domain::bookings::{cancel, confirm, reschedule};
use crate::error::Result;
use crate::http::v1::call::{Call, validation_error};
use crate::input_limits::{MAX_ANSWER_CHARS, MAX_BOOKING_TITLE_CHARS};
use crate::store::bookings::actions::{self, BookingSnapshot};
use crate::store::bookings::v1;
use crate::store::{Db, Subject};
use crate::validate::changes::Changes;
use crate::validate::{Checks, Object, is_line};

/// Parsed request body.
#[derive(Default)]
struct BookingUpdate {
    title: Option<String>,
    description: Option<String>,
    start: Option<Instant>,
    end: Option<Instant>,
    status: Option<&'static str>,
    cancelled_by: Option<String>,
    rescheduled_by: Option<String>,
}

/// Changes a booking. A reschedule replaces it by a new booking, which is the response.
pub(super) async fn update(call: Call) -> Result<Value> {
    let id = call.id("id")?;
    let mut transaction = call.begin(&[Subject::BookingId(id)]).await?;
    let db = &mut *transaction;
    let booking = load_authorised(&call, db, id).await?;
    let update = parse(&call)?;
    let (title, description) = (update.title.as_deref(), update.description.as_deref());
    if title.is_some() || description.is_some() {
        transitions::next_status(booking.context(call.now()), Transition::Change)?;
        v1::set_title_and_description(db, booking.id, title, description).await?;
        actions::set_updated(db, booking.id, call.now()).await?;
    }
    if let Some(status) = update.status {
        set_status(&call, db, &booking, status, &update).await?;
    }
    let id = apply_time(&call, db, &booking, &update).await?;
    if id == booking.id {
        store_actors(db, id, &update).await?;
    }
    let changed = response::booking(db, &call.caller, id).await?;
    transaction.commit().await?;
    Ok(json!(changed))
}

fn parse(call: &Call) -> Result<BookingUpdate> {
    let object = Object::new(&call.body, "");
    let mut checks = Checks::default();
    let mut update = BookingUpdate {
        start: aliased_instant(&object, ["start", "startTime"], &mut checks),
        end: aliased_instant(&object, ["end", "endTime"], &mut checks),
        status: status(&object, &mut checks),
        ..BookingUpdate::default()
    };
    let description = object.text("description", &mut checks);
    if let Some(text) = description.filter(|text| text.chars().count() > MAX_ANSWER_CHARS) {
        let message = format!("must be at most {MAX_ANSWER_CHARS} characters long");
        checks.report("description", &json!(text), "maxLength", &message);
    }
    // `null` clears it.
    update.description = match object.is_null("description") {
        true => Some(String::new()),
        false => description.map(str::to_owned),
    };
    for key in ["start", "startTime", "end", "endTime", "status"] {
        if object.is_null(key) {
            checks.report(key, &Value::Null, "isDefined", "must not be null");
        }
    }
    let is_moved = update.start.is_some() || update.end.is_some();
    if is_moved && update.status.is_some() {
        let message = "cannot be changed together with the time";
        checks.report("status", &json!(update.status), "oneChange", message);
    }
    let mut changes = Changes::new(&call.body);
    changes.checks = checks;
    let message = format!("must be one line of 1 to {MAX_BOOKING_TITLE_CHARS} characters");
    changes.set("title", &mut update.title, "maxLength", &message, |value| {
        title(value).map(Some)
    });
    let mut text = String::new();
    for (key, field) in [
        ("cancelledBy", &mut update.cancelled_by),
        ("rescheduledBy", &mut update.rescheduled_by),
    ] {
        changes.email(key, &mut text);
        if changes.has(key) {
            *field = Some(std::mem::take(&mut text));
        }
    }
    changes.finish()?;
    Ok(update)
}

/// Trimmed title of a booking.
fn title(value: &Value) -> Option<String> {
    let title = value.as_str()?.trim();
    let lengths = 1..=MAX_BOOKING_TITLE_CHARS;
    (lengths.contains(&title.chars().count()) && is_line(title)).then(|| title.to_owned())
}

/// Instant with two names, of which one is present, or both with the same value.
fn aliased_instant(object: &Object<'_>, names: [&str; 2], checks: &mut Checks) -> Option<Instant> {
    let [first, second] = names.map(|name| instant(object, name, checks));
    if let (Some(first), Some(second)) = (first, second)
        && first != second
    {
        let message = format!("must be the same as {}", names[0]);
        checks.report(names[1], &json!(second), "isSame", &message);
    }
    first.or(second)
}

/// Sets the requested status, if the transition is allowed.
async fn set_status(
    call: &Call,
    db: &mut Db,
    booking: &BookingSnapshot,
    status: &str,
    update: &BookingUpdate,
) -> Result<()> {
    if booking.status.as_str().eq_ignore_ascii_case(status) {
        return Ok(());
    }
    let now = call.now();
    match status {
        "ACCEPTED" => {
            confirm::confirm_bookings(db, &call.caller, &booking.uid, now).await?;
        }
        "REJECTED" => {
            confirm::decline_bookings(db, &call.caller, &booking.uid, None, now).await?;
        }
        "CANCELLED" => {
            let (request, by) = (CancelBooking::default(), update.cancelled_by.clone());
            cancel::cancel_bookings(db, Some(&call.caller), &booking.uid, &request, by, now)
                .await?;
        }
        _ => {
            return Err(validation_error(
                "status",
                "cannot be taken back to PENDING",
            ));
        }
    }
    Ok(())
}

/// Reschedules a booking if another time is requested. Returns the id of the resulting booking.
async fn apply_time(
    call: &Call,
    db: &mut Db,
    booking: &BookingSnapshot,
    update: &BookingUpdate,
) -> Result<i64> {
    let start = match (update.start, update.end) {
        (Some(start), _) => start,
        (None, Some(end)) if end == booking.end => booking.start,
        (None, Some(_)) => return Err(validation_error("start", "is required with another end")),
        (None, None) => return Ok(booking.id),
    };
    let length = booking.end.0 - booking.start.0;
    if update.end.is_some_and(|end| end.0 - start.0 != length) {
        return Err(validation_error(
            "end",
            "must lie as long after start as before: a booking keeps its length",
        ));
    }
    if start == booking.start {
        return Ok(booking.id);
    }
    let request = RescheduleRequest {
        start,
        reason: None,
        by: update.rescheduled_by.clone(),
        seat_uid: None,
        reservation: None,
        client_hash: String::new(),
        allowance: None,
    };
    let moved =
        reschedule::move_booking(db, Some(&call.caller), &booking.uid, &request, call.now()).await;
    Ok(moved.map_err(as_invalid)?.id)
}

/// Records the users who cancelled or rescheduled a booking, if it is cancelled or rescheduled.
async fn store_actors(db: &mut Db, id: i64, update: &BookingUpdate) -> Result<()> {
    if update.cancelled_by.is_none() && update.rescheduled_by.is_none() {
        return Ok(());
    }
    let booking = by_id(db, id).await?;
    if update.cancelled_by.is_some() && booking.status != BookingStatus::Cancelled {
        return Err(validation_error(
            "cancelledBy",
            "is for bookings that are cancelled",
        ));
    }
    if update.rescheduled_by.is_some() && !v1::is_rescheduled(db, id).await? {
        return Err(validation_error(
            "rescheduledBy",
            "is for bookings that are moved",
        ));
    }
    let (cancelled, rescheduled) = (
        update.cancelled_by.as_deref(),
        update.rescheduled_by.as_deref(),
    );
    v1::set_actors(db, id, cancelled, rescheduled).await
}
