//! Making bookings: the body in the words of version 2, whose rules then decide.

use booking_wire::{Instant, JsonMap};
use serde_json::{Value, json};

use super::shown::{self, PLACES};
use crate::auth::Caller;
use crate::bookings::create::book;
use crate::bookings::create_request::Wanted as Form;
use crate::bookings::read::OneOrSeries;
use crate::bookings::reschedule;
use crate::bookings::reschedule_request::RescheduleRequest;
use crate::error::{Error, Result};
use crate::event_types::access::is_insider;
use crate::input_limits::{MAX_ANSWER_CHARS, MAX_REASON_CHARS};
use crate::store::{booking_acts, bookings, event_types};
use crate::v1::call::{Call, complaint};
use crate::v1::failure::renamed;
use crate::validate::{Checks, Object, in_range};

/// Properties that version 2 names otherwise, with our names for them.
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

/// The statuses that can be asked for.
pub(super) const STATUSES: [&str; 4] = ["ACCEPTED", "PENDING", "CANCELLED", "REJECTED"];

/// Makes a booking, or moves one. Of a series the first meeting is answered.
pub(super) async fn create(call: Call) -> Result<Value> {
    let said = read(&call.body)?;
    let mut db = call.read().await?;
    let caller = call.on_behalf(&mut db).await?;
    let id = call.number("eventTypeId")?.unwrap_or_default();
    let unknown = || complaint("eventTypeId", "is no event type");
    let known = event_types::get(&mut db, id).await?.ok_or_else(unknown)?;
    if known.wire.hidden && !is_insider(&mut db, &caller, &known).await? {
        let booked = match &said.moved {
            Some(uid) => bookings::event_type_of(&mut db, uid).await?,
            None => None,
        };
        // Whoever moves a booking knows its event type.
        if booked != Some(id) {
            return Err(unknown());
        }
    }
    drop(db);
    let booking_id = match &said.moved {
        Some(uid) => reschedule(&call, &caller, id, uid, &said).await,
        None => {
            let is_series = known.wire.recurrence.is_some();
            if is_series && call.number("recurringCount")?.is_none() {
                return Err(complaint(
                    "recurringCount",
                    "is required by this event type",
                ));
            }
            make(&call, &caller, &said).await
        }
    }
    .map_err(as_invalid)?;
    let mut db = call.read().await?;
    Ok(json!(shown::booking(&mut db, &caller, booking_id).await?))
}

async fn make(call: &Call, caller: &Caller, said: &Said) -> Result<i64> {
    let made = book(&call.app, Some(caller), None, &said.shared).await?;
    let first = match made {
        OneOrSeries::One(booking) => Some(booking.id),
        OneOrSeries::Series(all) => all.first().map(|booking| booking.id),
    };
    first.ok_or(Error::Internal)
}

async fn reschedule(
    call: &Call,
    caller: &Caller,
    event_type_id: i64,
    uid: &str,
    said: &Said,
) -> Result<i64> {
    // What else is said must be sound, too.
    let form = Form::read(&said.shared)?;
    let mut transaction = call.begin().await?;
    let db = &mut *transaction;
    let old = booking_acts::one(db, uid).await?;
    if old.event_type_id != Some(event_type_id) {
        return Err(complaint(
            "rescheduleUid",
            "is a booking of another event type",
        ));
    }
    let length = old.end.minutes_since(old.start);
    if form.length.is_some_and(|asked| asked != length) {
        return Err(complaint(
            "end",
            "must lie as long after start as before: a booking keeps its length",
        ));
    }
    let wanted = RescheduleRequest {
        start: said.start,
        reason: said.reason.clone(),
        by: None,
        seat_uid: None,
        reservation: None,
        client_hash: String::new(),
    };
    let made = reschedule::carry_out(db, Some(caller), uid, &wanted, call.now()).await?;
    transaction.commit().await?;
    Ok(made.id)
}

/// Whatever stands in the way of a booking is the request's fault here (contract 5).
pub(super) fn as_invalid(error: Error) -> Error {
    match renamed(error, &NAMES) {
        Error::Conflict(text) | Error::NotFound(text) | Error::Unprocessable(text) => {
            Error::BadRequest(text)
        }
        other => other,
    }
}

/// What was said.
struct Said {
    /// In the words of version 2.
    shared: JsonMap,
    start: Instant,
    /// The uid of the booking that is to be moved.
    moved: Option<String>,
    /// Why it is.
    reason: Option<String>,
}

fn read(body: &JsonMap) -> Result<Said> {
    let mut checks = Checks::default();
    let object = Object::new(body, "");
    let answers = object.object("responses", &mut checks).cloned();
    let mut answers = answers.unwrap_or_default();
    let start = moment(object, "start", &mut checks).unwrap_or_default();
    let mut shared = JsonMap::new();
    for key in ["eventTypeId", "start", "metadata"] {
        shared.extend(body.get(key).map(|value| (key.to_owned(), value.clone())));
    }
    let mut attendee = JsonMap::new();
    for key in ["timeZone", "language"] {
        attendee.extend(body.get(key).map(|value| (key.to_owned(), value.clone())));
    }
    for (ours, theirs) in [
        ("name", "name"),
        ("email", "email"),
        ("smsReminderNumber", "phoneNumber"),
    ] {
        let answer = answers.remove(ours);
        if ours != "smsReminderNumber" && answer.as_ref().is_none_or(Value::is_null) {
            let path = format!("responses.{ours}");
            checks.complain(&path, &Value::Null, "isDefined", "is required");
        }
        attendee.extend(answer.map(|answer| (theirs.to_owned(), answer)));
    }
    shared.insert("attendee".into(), attendee.into());
    let place = place(answers.remove("location").as_ref(), &mut checks);
    shared.extend(place.map(|place| ("location".to_owned(), place)));
    let guests = answers.remove("guests");
    shared.extend(guests.map(|guests| ("guests".to_owned(), guests)));
    if let Some(end) = moment(object, "end", &mut checks) {
        let minutes = end.minutes_since(start);
        if end.0 - start.0 != minutes * 60_000 || minutes < 1 {
            let complaint = "must lie whole minutes after start";
            checks.complain("end", &json!(end), "isAfter", complaint);
        }
        shared.insert("lengthInMinutes".into(), json!(minutes));
    }
    for (ours, theirs) in [("title", "title"), ("description", "notes")] {
        let text = object.text(ours, &mut checks);
        if let Some(text) = text.filter(|text| text.chars().count() > MAX_ANSWER_CHARS) {
            let complaint = format!("must be at most {MAX_ANSWER_CHARS} characters long");
            checks.complain(ours, &json!(text), "maxLength", &complaint);
        }
        answers.extend(text.map(|text| (theirs.to_owned(), json!(text))));
    }
    let moved = object.text("rescheduleUid", &mut checks).map(str::to_owned);
    let reason = match &moved {
        Some(_) => reason(&answers, &mut checks),
        None => None,
    };
    shared.insert("bookingFieldsResponses".into(), answers.into());
    let count = object.positive("recurringCount", &mut checks);
    shared.extend(count.map(|count| ("recurrenceCount".to_owned(), json!(count))));
    // The event type decides about these: they are only looked at.
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
    status(object, &mut checks);
    checks.finish()?;
    Ok(Said {
        shared,
        start,
        moved,
        reason,
    })
}

/// Why a booking is moved; a blank reason is none.
fn reason(answers: &JsonMap, checks: &mut Checks) -> Option<String> {
    let object = Object::new(answers, "responses.");
    let text = object.text("rescheduleReason", checks)?.trim();
    if text.chars().count() > MAX_REASON_CHARS {
        let complaint = format!("must be at most {MAX_REASON_CHARS} characters long");
        let path = object.path("rescheduleReason");
        checks.complain(&path, &json!(text), "maxLength", &complaint);
    }
    (!text.is_empty()).then(|| text.to_owned())
}

/// A status that is asked for.
pub(super) fn status(object: Object<'_>, checks: &mut Checks) -> Option<&'static str> {
    let rule = format!("must be one of: {}", STATUSES.join(", "));
    object.read("status", "isEnum", &rule, checks, |value| {
        STATUSES.into_iter().find(|status| value == status)
    })
}

/// A date and a time.
pub(super) fn moment(object: Object<'_>, key: &str, checks: &mut Checks) -> Option<Instant> {
    let rule = "must be a valid ISO 8601 date string";
    object.read(key, "isDateString", rule, checks, |value| {
        value
            .as_str()
            // A bare date is no moment.
            .filter(|text| text.len() > 10)
            .and_then(Instant::parse)
            .filter(|moment| in_range(*moment))
    })
}

/// The place in the words of version 2; none if the kind is left to the event type.
fn place(given: Option<&Value>, checks: &mut Checks) -> Option<Value> {
    let Some(map) = given.and_then(Value::as_object) else {
        let complaint = "must be an object with optionValue and value";
        let given = given.unwrap_or(&Value::Null);
        checks.complain("responses.location", given, "isObject", complaint);
        return None;
    };
    let object = Object::new(map, "responses.location.");
    object.allow(&["optionValue", "value"], checks);
    let mut text = |key: &str| {
        if object.value(key).is_none() {
            checks.complain(
                &object.path(key),
                &Value::Null,
                "isString",
                "must be a string",
            );
        }
        object.text(key, checks).unwrap_or_default()
    };
    let (own, kind) = (text("optionValue").trim(), text("value"));
    if kind.is_empty() {
        return None;
    }
    if let Some(slug) = kind.strip_prefix("integrations:") {
        return Some(json!({"type": "integration", "integration": slug}));
    }
    let known = PLACES.iter().find(|(ours, _)| *ours == kind);
    let kind = known.map_or(kind, |(_, theirs)| theirs);
    Some(match kind {
        "attendeePhone" => json!({"type": kind, "phone": own}),
        "attendeeAddress" => json!({"type": kind, "address": own}),
        "attendeeDefined" => json!({"type": kind, "location": own}),
        other => json!({"type": other}),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_body_is_brought_into_the_words_of_version_2() {
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
        let said = read(body.as_object().unwrap()).unwrap();
        assert_eq!(
            Value::Object(said.shared),
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
