//! Who did not come (contract 3.5.2).

use booking_wire::{Absence, Booking, JsonMap, MarkAbsent};
use serde_json::{Value, json};

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::Subject;
use crate::bookings::read::read_one;
use crate::error::Result;
use crate::lifecycle::{self, Event};
use crate::store::{booking_acts, booking_people};
use crate::validate::{Checks, Object};
use crate::webhooks::events::{self, Trigger};

/// Notes who did not come to a booking that has started.
pub async fn mark_absent(
    app: &AppState,
    caller: &Caller,
    uid: &str,
    body: &JsonMap,
) -> Result<Booking> {
    let asked = read(body)?;
    let mut transaction = app.store.begin().await?;
    let db = &mut *transaction;
    let now = app.clock.now();
    let booking = booking_acts::one(db, uid).await?;
    caller.authorise(db, &Subject::of_booking(&booking)).await?;
    lifecycle::next(booking.standing(now), Event::MarkAbsent)?;

    let mut checks = Checks::default();
    let mut told = Vec::new();
    for (index, absence) in asked.attendees.iter().flatten().enumerate() {
        let Absence { email, absent } = absence;
        if booking_people::set_absent(db, booking.id, email, *absent).await? {
            told.push(json!({"email": email, "noShow": absent}));
        } else {
            checks.complain(
                &format!("attendees.{index}.email"),
                &json!(email),
                "exists",
                "is no attendee of this booking",
            );
        }
    }
    checks.finish()?;
    if let Some(absent) = asked.host {
        booking_acts::set_absent_host(db, booking.id, absent).await?;
    }
    booking_acts::touch(db, booking.id, now).await?;
    let mut extras = JsonMap::new();
    extras.insert("message".into(), message(&asked).into());
    extras.insert("bookingUid".into(), booking.uid.as_str().into());
    extras.insert("bookingId".into(), booking.id.into());
    extras.insert("attendees".into(), told.into());
    events::booking(db, now, Trigger::BookingNoShowUpdated, booking.id, extras).await?;
    let data = read_one(db, booking.id).await?;
    transaction.commit().await?;
    Ok(data)
}

/// Far more than any booking has.
const MAX_ABSENCES: usize = 1_000;

fn read(body: &JsonMap) -> Result<MarkAbsent> {
    let mut checks = Checks::default();
    let object = Object::new(body, "");
    object.allow(&["host", "attendees"], &mut checks);
    let host = object.read(
        "host",
        "isBoolean",
        "must be a boolean",
        &mut checks,
        Value::as_bool,
    );
    let given = object.read(
        "attendees",
        "isArray",
        "must be an array",
        &mut checks,
        Value::as_array,
    );
    let attendees = given.map(|given| absences(given, &mut checks));
    if checks.is_clean() && host.is_none() && attendees.as_ref().is_none_or(Vec::is_empty) {
        checks.complain(
            "attendees",
            &Value::Null,
            "isDefined",
            "or host must be given",
        );
    }
    checks.finish()?;
    Ok(MarkAbsent { host, attendees })
}

fn absences(given: &[Value], checks: &mut Checks) -> Vec<Absence> {
    if given.len() > MAX_ABSENCES {
        checks.complain(
            "attendees",
            &Value::Null,
            "arrayMaxSize",
            &format!("must be at most {MAX_ABSENCES}"),
        );
        return Vec::new();
    }
    let mut absences = Vec::new();
    for (index, value) in given.iter().enumerate() {
        let Some(map) = value.as_object() else {
            let property = format!("attendees.{index}");
            checks.complain(&property, value, "isObject", "must be an object");
            continue;
        };
        let prefix = format!("attendees.{index}.");
        let object = Object::new(map, &prefix);
        object.allow(&["email", "absent"], checks);
        let email = object.required_text("email", checks).map(str::trim);
        let absent = match object.value("absent") {
            Some(Value::Bool(absent)) => Some(*absent),
            other => {
                let value = other.unwrap_or(&Value::Null);
                checks.complain(
                    &object.path("absent"),
                    value,
                    "isBoolean",
                    "must be a boolean",
                );
                None
            }
        };
        if let (Some(email), Some(absent)) = (email, absent) {
            absences.push(Absence {
                email: email.to_owned(),
                absent,
            });
        }
    }
    absences
}

/// For people: who came and who did not.
fn message(asked: &MarkAbsent) -> String {
    let host = asked.host.map(|absent| ("The host", absent));
    let attendees = asked.attendees.iter().flatten();
    let mut sentences: Vec<String> = host
        .into_iter()
        .chain(attendees.map(|absence| (absence.email.as_str(), absence.absent)))
        .map(|(who, absent)| {
            let what = if absent { "marked" } else { "no longer marked" };
            format!("{who} is {what} as absent")
        })
        .collect();
    sentences.truncate(10);
    sentences.join(". ")
}
