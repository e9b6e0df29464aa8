//! Absence of hosts and attendees.

use booking_rules::{Transition, transitions};
use booking_wire::{Absence, Booking, JsonMap, MarkAbsent};
use serde_json::{Value, json};

use crate::app::AppState;
use crate::auth::Caller;
use crate::domain::bookings::read::{find_authorised, read_one};
use crate::error::Result;
use crate::messages::webhooks::events::{self, Trigger};
use crate::store::Subject;
use crate::store::bookings::{actions, attendees};
use crate::validate::{Checks, Object};

/// Records the absence of the host or of attendees of a booking that has started.
pub async fn mark_absent(
    app: &AppState,
    caller: &Caller,
    uid: &str,
    body: &JsonMap,
) -> Result<Booking> {
    let request = read(body)?;
    let mut transaction = app.store.begin(&[Subject::Booking(uid)]).await?;
    let db = &mut *transaction;
    let now = app.clock.now();
    let booking = find_authorised(db, caller, uid).await?;
    transitions::next_status(booking.context(now), Transition::MarkAbsent)?;

    let mut checks = Checks::default();
    let mut payload_attendees = Vec::new();
    for (index, absence) in request.attendees.iter().flatten().enumerate() {
        let Absence { email, absent } = absence;
        if attendees::set_absent(db, booking.id, email, *absent).await? {
            payload_attendees.push(json!({"email": email, "noShow": absent}));
        } else {
            checks.report(
                &format!("attendees.{index}.email"),
                &json!(email),
                "exists",
                "is no attendee of this booking",
            );
        }
    }
    checks.finish()?;
    if let Some(absent) = request.host {
        actions::set_absent_host(db, booking.id, absent).await?;
    }
    actions::set_updated(db, booking.id, now).await?;
    let mut extras = JsonMap::new();
    extras.insert("message".into(), message(&request).into());
    extras.insert("bookingUid".into(), booking.uid.as_str().into());
    extras.insert("bookingId".into(), booking.id.into());
    extras.insert("attendees".into(), payload_attendees.into());
    events::booking(db, now, Trigger::BookingNoShowUpdated, booking.id, extras).await?;
    let data = read_one(db, booking.id).await?;
    transaction.commit().await?;
    Ok(data)
}

/// Maximum of attendees in one request; more than any booking has.
const MAX_ABSENCES: usize = 1_000;

fn read(body: &JsonMap) -> Result<MarkAbsent> {
    let mut checks = Checks::default();
    let object = Object::new(body, "");
    let host = object.boolean("host", &mut checks);
    let values = object.array("attendees", &mut checks);
    let attendees = values.map(|values| absences(values, &mut checks));
    object.reject_unread(&mut checks);
    if checks.is_clean() && host.is_none() && attendees.as_ref().is_none_or(Vec::is_empty) {
        checks.report(
            "attendees",
            &Value::Null,
            "isDefined",
            "or host must be given",
        );
    }
    checks.finish()?;
    Ok(MarkAbsent { host, attendees })
}

fn absences(values: &[Value], checks: &mut Checks) -> Vec<Absence> {
    if values.len() > MAX_ABSENCES {
        checks.report(
            "attendees",
            &Value::Null,
            "arrayMaxSize",
            &format!("must be at most {MAX_ABSENCES}"),
        );
        return Vec::new();
    }
    let mut absences = Vec::new();
    for (index, value) in values.iter().enumerate() {
        let Some(map) = value.as_object() else {
            let property = format!("attendees.{index}");
            checks.report(&property, value, "isObject", "must be an object");
            continue;
        };
        let prefix = format!("attendees.{index}.");
        let object = Object::new(map, &prefix);
        let email = object.required_text("email", checks).map(str::trim);
        let absent = match object.value("absent") {
            Some(Value::Bool(absent)) => Some(*absent),
            other => {
                let value = other.unwrap_or(&Value::Null);
                checks.reject(
                    &object.path("absent"),
                    value,
                    "isBoolean",
                    "must be a boolean",
                )
            }
        };
        object.reject_unread(checks);
        if let (Some(email), Some(absent)) = (email, absent) {
            absences.push(Absence {
                email: email.to_owned(),
                absent,
            });
        }
    }
    absences
}

/// Persons that the message of the webhook event names.
const MAX_NAMED: usize = 10;

/// Returns the message of the webhook event.
fn message(request: &MarkAbsent) -> String {
    let host = request.host.map(|absent| ("The host", absent));
    let attendees = request.attendees.iter().flatten();
    let mut sentences: Vec<String> = host
        .into_iter()
        .chain(attendees.map(|absence| (absence.email.as_str(), absence.absent)))
        .map(|(name, absent)| {
            let state = if absent { "marked" } else { "no longer marked" };
            format!("{name} is {state} as absent")
        })
        .collect();
    sentences.truncate(MAX_NAMED);
    sentences.join(". ")
}
