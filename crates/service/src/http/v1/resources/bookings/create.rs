//! Creates bookings: translates the body to version 2, whose rules then apply.

use booking_wire::formats::instant::MINUTE_MS;
use booking_wire::{Instant, JsonMap};
use serde_json::{Value, json};

use super::response::{self, LOCATION_TYPES};
use crate::auth::Caller;
use crate::domain::bookings::create::book;
use crate::domain::bookings::create::request::CreateBooking;
use crate::domain::bookings::read::OneOrSeries;
use crate::domain::bookings::reschedule;
use crate::domain::bookings::reschedule::request::RescheduleRequest;
use crate::domain::event_types::access::has_host_access;
use crate::error::{Error, Result};
use crate::http::v1::call::{Call, validation_error};
use crate::http::v1::failure::renamed;
use crate::input_limits::{MAX_ANSWER_CHARS, MAX_REASON_CHARS};
use crate::store::bookings::actions;
use crate::store::{Subject, bookings, event_types};
use crate::validate::{Checks, Object, date_time, in_range};

/// Properties with different names in version 2 and version 1.
const NAMES: [(&str, &str); 9] = [
    ("attendee.timeZone", "timeZone"),
    ("attendee.language", "language"),
    ("attendee.phoneNumber", "responses.smsReminderNumber"),
    ("attendee", "responses"),
    ("bookingFieldsResponses", "responses"),
    ("location", "responses.location"),
    ("guests", "responses.guests"),
    ("lengthInMinutes", "end"),
    ("recurrenceCount", "recurringCount"),
];

/// Statuses that can be requested.
pub(super) const STATUSES: [&str; 4] = ["ACCEPTED", "PENDING", "CANCELLED", "REJECTED"];

/// Creates or reschedules a booking. For a series, responds with the first booking.
pub(super) async fn create(call: Call) -> Result<Value> {
    let request = parse(&call.body)?;
    let mut db = call.read().await?;
    let caller = call.acting_caller(&mut db).await?;
    let id = call.positive_integer("eventTypeId")?.unwrap_or_default();
    let unknown = || validation_error("eventTypeId", "is no event type");
    let event_type = event_types::get(&mut db, id).await?.ok_or_else(unknown)?;
    if event_type.wire.closed && !has_host_access(&mut db, &caller, &event_type).await? {
        let booked_id = match &request.reschedule_uid {
            Some(uid) => bookings::event_type_id_of(&mut db, uid).await?,
            None => None,
        };
        // A caller who reschedules a booking knows its event type.
        if booked_id != Some(id) {
            return Err(unknown());
        }
    }
    drop(db);
    let booking_id = match &request.reschedule_uid {
        Some(uid) => reschedule(&call, &caller, id, uid, &request).await,
        None => {
            let is_series = event_type.wire.recurrence.is_some();
            if is_series && call.positive_integer("recurringCount")?.is_none() {
                return Err(validation_error(
                    "recurringCount",
                    "is required by this event type",
                ));
            }
            create_booking(&call, &caller, &request).await
        }
    }
    .map_err(as_invalid)?;
    let mut db = call.read().await?;
    Ok(json!(
        response::booking(&mut db, &caller, booking_id).await?
    ))
}

async fn create_booking(call: &Call, caller: &Caller, request: &BookingRequest) -> Result<i64> {
    let created = book(&call.app, Some(caller), None, &request.v2_body).await?;
    let first = match created {
        OneOrSeries::One(booking) => Some(booking.id),
        OneOrSeries::Series(all) => all.first().map(|booking| booking.id),
    };
    first.ok_or_else(|| Error::internal("a new booking cannot be read"))
}

async fn reschedule(
    call: &Call,
    caller: &Caller,
    event_type_id: i64,
    uid: &str,
    request: &BookingRequest,
) -> Result<i64> {
    // The other properties are validated, too.
    let form = CreateBooking::read(&request.v2_body)?;
    let mut transaction = call.begin(&[Subject::BookingOfAnyHost(uid)]).await?;
    let db = &mut *transaction;
    let old = actions::find_one(db, uid).await?;
    if old.event_type_id != Some(event_type_id) {
        return Err(validation_error(
            "rescheduleUid",
            "is a booking of another event type",
        ));
    }
    let length = old.end.minutes_since(old.start);
    if form
        .length_minutes
        .is_some_and(|requested| requested != length)
    {
        return Err(validation_error(
            "end",
            "must lie as long after start as before: a booking keeps its length",
        ));
    }
    let reschedule_request = RescheduleRequest {
        start: request.start,
        reason: request.reason.clone(),
        by: None,
        seat_uid: None,
        reservation: None,
        client_hash: String::new(),
        allowance: None,
    };
    let created =
        reschedule::move_booking(db, Some(caller), uid, &reschedule_request, call.now()).await?;
    transaction.commit().await?;
    Ok(created.id)
}

/// Maps every reason why a slot cannot be booked to 400.
pub(super) fn as_invalid(error: Error) -> Error {
    match renamed(error, &NAMES) {
        Error::Conflict(text) | Error::NotFound(text) | Error::Unprocessable(text) => {
            Error::BadRequest(text)
        }
        other => other,
    }
}

/// Parsed request body.
struct BookingRequest {
    /// Body in the format of version 2.
    v2_body: JsonMap,
    start: Instant,
    /// Uid of the booking to reschedule.
    reschedule_uid: Option<String>,
    /// Reason for the reschedule.
    reason: Option<String>,
}

fn parse(body: &JsonMap) -> Result<BookingRequest> {
    let mut checks = Checks::default();
    let object = Object::new(body, "");
    let responses = object.object("responses", &mut checks).cloned();
    let mut responses = responses.unwrap_or_default();
    let start = instant(&object, "start", &mut checks).unwrap_or_default();
    let mut v2_body = JsonMap::new();
    for key in ["eventTypeId", "start", "metadata"] {
        v2_body.extend(body.get(key).map(|value| (key.to_owned(), value.clone())));
    }
    let mut attendee = JsonMap::new();
    for key in ["timeZone", "language"] {
        attendee.extend(body.get(key).map(|value| (key.to_owned(), value.clone())));
    }
    for (v1_key, v2_key) in [
        ("name", "name"),
        ("email", "email"),
        ("smsReminderNumber", "phoneNumber"),
    ] {
        let value = responses.remove(v1_key);
        if v1_key != "smsReminderNumber" && value.as_ref().is_none_or(Value::is_null) {
            let path = format!("responses.{v1_key}");
            checks.report(&path, &Value::Null, "isDefined", "is required");
        }
        attendee.extend(value.map(|value| (v2_key.to_owned(), value)));
    }
    v2_body.insert("attendee".into(), attendee.into());
    let location = location(responses.remove("location").as_ref(), &mut checks);
    v2_body.extend(location.map(|location| ("location".to_owned(), location)));
    let guests = responses.remove("guests");
    v2_body.extend(guests.map(|guests| ("guests".to_owned(), guests)));
    if let Some(end) = instant(&object, "end", &mut checks) {
        let minutes = end.minutes_since(start);
        if end.0 - start.0 != minutes * MINUTE_MS || minutes < 1 {
            let message = "must lie whole minutes after start";
            checks.report("end", &json!(end), "isAfter", message);
        }
        v2_body.insert("lengthInMinutes".into(), json!(minutes));
    }
    for (v1_key, v2_key) in [("title", "title"), ("description", "notes")] {
        let text = object.text(v1_key, &mut checks);
        if let Some(text) = text.filter(|text| text.chars().count() > MAX_ANSWER_CHARS) {
            let message = format!("must be at most {MAX_ANSWER_CHARS} characters long");
            checks.report(v1_key, &json!(text), "maxLength", &message);
        }
        responses.extend(text.map(|text| (v2_key.to_owned(), json!(text))));
    }
    let reschedule_uid = object.text("rescheduleUid", &mut checks).map(str::to_owned);
    let reason = match &reschedule_uid {
        Some(_) => reason(&responses, &mut checks),
        None => None,
    };
    v2_body.insert("bookingFieldsResponses".into(), responses.into());
    let count = object.positive("recurringCount", &mut checks);
    v2_body.extend(count.map(|count| ("recurrenceCount".to_owned(), json!(count))));
    // The event type defines these: they are only validated.
    object.text("recurringEventId", &mut checks);
    object.positive("seatsPerTimeSlot", &mut checks);
    for key in ["seatsShowAttendees", "seatsShowAvailabilityCount"] {
        object.read(
            key,
            "isBoolean",
            "must be a boolean value",
            &mut checks,
            Value::as_bool,
        );
    }
    status(&object, &mut checks);
    checks.finish()?;
    Ok(BookingRequest {
        v2_body,
        start,
        reschedule_uid,
        reason,
    })
}

/// Reason for a reschedule; none if it is blank.
fn reason(responses: &JsonMap, checks: &mut Checks) -> Option<String> {
    let object = Object::new(responses, "responses.");
    let text = object.text("rescheduleReason", checks)?.trim();
    if text.chars().count() > MAX_REASON_CHARS {
        let message = format!("must be at most {MAX_REASON_CHARS} characters long");
        let path = object.path("rescheduleReason");
        checks.report(&path, &json!(text), "maxLength", &message);
    }
    (!text.is_empty()).then(|| text.to_owned())
}

/// Requested status.
pub(super) fn status(object: &Object<'_>, checks: &mut Checks) -> Option<&'static str> {
    let rule = format!("must be one of: {}", STATUSES.join(", "));
    object.read("status", "isEnum", &rule, checks, |value| {
        STATUSES.into_iter().find(|status| value == status)
    })
}

/// Instant with date and time.
pub(super) fn instant(object: &Object<'_>, key: &str, checks: &mut Checks) -> Option<Instant> {
    let rule = "must be a valid ISO 8601 date string";
    object.read(key, "isDateString", rule, checks, |value| {
        date_time(value).filter(|instant| in_range(*instant))
    })
}

/// Location in the format of version 2; none if the event type determines it.
fn location(value: Option<&Value>, checks: &mut Checks) -> Option<Value> {
    let Some(map) = value.and_then(Value::as_object) else {
        let message = "must be an object with optionValue and value";
        let value = value.unwrap_or(&Value::Null);
        checks.report("responses.location", value, "isObject", message);
        return None;
    };
    let object = Object::new(map, "responses.location.");
    let mut text = |key: &str| {
        if object.value(key).is_none() {
            checks.report(
                &object.path(key),
                &Value::Null,
                "isString",
                "must be a string",
            );
        }
        object.text(key, checks).unwrap_or_default()
    };
    let (option_value, kind) = (text("optionValue").trim(), text("value"));
    object.reject_unread(checks);
    if kind.is_empty() {
        return None;
    }
    if let Some(slug) = kind.strip_prefix("integrations:") {
        return Some(json!({"type": "integration", "integration": slug}));
    }
    let types = LOCATION_TYPES.iter().find(|(v1_type, _)| *v1_type == kind);
    let kind = types.map_or(kind, |(_, v2_type)| v2_type);
    Some(match kind {
        "attendeePhone" => json!({"type": kind, "phone": option_value}),
        "attendeeAddress" => json!({"type": kind, "address": option_value}),
        "attendeeDefined" => json!({"type": kind, "location": option_value}),
        other => json!({"type": other}),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn body_is_translated_to_version_2() {
        let body = json!({
            "eventTypeId": 4,
            "start": "2027-03-29T07:00:00Z",
            "end": "2027-03-29T07:30:00Z",
            "responses": {
                "name": "Zoë", "email": "zoe@example.org", "topic": "Demo", "guests": ["a@example.org"],
                "location": {"optionValue": "+390612345678", "value": "phone"},
            },
            "timeZone": "Europe/Rome", "language": "it", "metadata": {}, "description": "Notes",
        });
        let request = parse(body.as_object().unwrap()).unwrap();
        assert_eq!(
            Value::Object(request.v2_body),
            json!({
                "eventTypeId": 4,
                "start": "2027-03-29T07:00:00Z",
                "lengthInMinutes": 30,
                "attendee": {
                    "name": "Zoë", "email": "zoe@example.org", "timeZone": "Europe/Rome", "language": "it",
                },
                "location": {"type": "attendeePhone", "phone": "+390612345678"},
                "guests": ["a@example.org"],
                "bookingFieldsResponses": {"topic": "Demo", "notes": "Notes"},
                "metadata": {},
            })
        );
    }
}
