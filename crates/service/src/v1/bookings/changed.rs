//! Changing bookings: their words, a host's answer, and their time. Every change is one that
//! version 2 would allow.

use booking_wire::{BookingStatus, CancelBooking, Instant};
use serde_json::{Value, json};

use super::access::{by_id, found};
use super::made::{as_invalid, moment, status};
use super::shown;
use crate::bookings::reschedule_request::RescheduleRequest;
use crate::bookings::{cancel, confirm, reschedule};
use crate::error::Result;
use crate::input_limits::{MAX_ANSWER_CHARS, MAX_BOOKING_TITLE_CHARS};
use crate::lifecycle::{self, Event};
use crate::store::booking_acts::{self, Known};
use crate::store::{Db, booking_notes};
use crate::v1::call::{Call, complaint};
use crate::validate::changes::Changes;
use crate::validate::{Checks, Object, is_line};

/// What is to change.
#[derive(Default)]
struct Wish {
    title: Option<String>,
    description: Option<String>,
    start: Option<Instant>,
    end: Option<Instant>,
    status: Option<&'static str>,
    cancelled_by: Option<String>,
    rescheduled_by: Option<String>,
}

/// Changes a booking. One that is moved is replaced by another, which is answered.
pub(super) async fn edit(call: Call) -> Result<Value> {
    let id = call.id("id")?;
    let mut transaction = call.begin().await?;
    let db = &mut *transaction;
    let known = found(&call, db, id).await?;
    let wish = read(&call)?;
    let (title, description) = (wish.title.as_deref(), wish.description.as_deref());
    if title.is_some() || description.is_some() {
        lifecycle::next(known.standing(call.now()), Event::Change)?;
        booking_notes::set_words(db, known.id, title, description).await?;
        booking_acts::touch(db, known.id, call.now()).await?;
    }
    if let Some(status) = wish.status {
        settle(&call, db, &known, status, &wish).await?;
    }
    let id = move_to(&call, db, &known, &wish).await?;
    if id == known.id {
        note_actors(db, id, &wish).await?;
    }
    let changed = shown::booking(db, &call.caller, id).await?;
    transaction.commit().await?;
    Ok(json!(changed))
}

fn read(call: &Call) -> Result<Wish> {
    let object = Object::new(&call.body, "");
    let mut checks = Checks::default();
    let mut wish = Wish {
        start: twice(object, ["start", "startTime"], &mut checks),
        end: twice(object, ["end", "endTime"], &mut checks),
        status: status(object, &mut checks),
        ..Wish::default()
    };
    let description = object.text("description", &mut checks);
    if let Some(text) = description.filter(|text| text.chars().count() > MAX_ANSWER_CHARS) {
        let complaint = format!("must be at most {MAX_ANSWER_CHARS} characters long");
        checks.complain("description", &json!(text), "maxLength", &complaint);
    }
    // Without one it is empty.
    wish.description = match object.is_null("description") {
        true => Some(String::new()),
        false => description.map(str::to_owned),
    };
    for key in ["start", "startTime", "end", "endTime", "status"] {
        if object.is_null(key) {
            checks.complain(key, &Value::Null, "isDefined", "must not be null");
        }
    }
    let is_moved = wish.start.is_some() || wish.end.is_some();
    if is_moved && wish.status.is_some() {
        let complaint = "cannot be changed together with the time";
        checks.complain("status", &json!(wish.status), "oneChange", complaint);
    }
    let mut changes = Changes::any(&call.body);
    changes.checks = checks;
    let complaint = format!("must be one line of 1 to {MAX_BOOKING_TITLE_CHARS} characters");
    changes.set("title", &mut wish.title, "maxLength", &complaint, |value| {
        title(value).map(Some)
    });
    let mut text = String::new();
    for (key, field) in [
        ("cancelledBy", &mut wish.cancelled_by),
        ("rescheduledBy", &mut wish.rescheduled_by),
    ] {
        changes.email(key, &mut text);
        if changes.has(key) {
            *field = Some(std::mem::take(&mut text));
        }
    }
    changes.finish()?;
    Ok(wish)
}

/// A booking's title, without blanks around it.
fn title(value: &Value) -> Option<String> {
    let title = value.as_str()?.trim();
    let fits = 1..=MAX_BOOKING_TITLE_CHARS;
    (fits.contains(&title.chars().count()) && is_line(title)).then(|| title.to_owned())
}

/// A moment that has two names, of which one is given, or both with the same.
fn twice(object: Object<'_>, names: [&str; 2], checks: &mut Checks) -> Option<Instant> {
    let [first, second] = names.map(|name| moment(object, name, checks));
    if let (Some(one), Some(other)) = (first, second)
        && one != other
    {
        let complaint = format!("must be the same as {}", names[0]);
        checks.complain(names[1], &json!(other), "isSame", &complaint);
    }
    first.or(second)
}

/// Brings a booking into the status that is asked for, if there is a way there.
async fn settle(call: &Call, db: &mut Db, known: &Known, status: &str, wish: &Wish) -> Result<()> {
    if known.status.as_str().eq_ignore_ascii_case(status) {
        return Ok(());
    }
    let now = call.now();
    match status {
        "ACCEPTED" => {
            confirm::agree(db, &call.caller, &known.uid, now).await?;
        }
        "REJECTED" => {
            confirm::refuse(db, &call.caller, &known.uid, None, now).await?;
        }
        "CANCELLED" => {
            let (asked, by) = (CancelBooking::default(), wish.cancelled_by.clone());
            cancel::carry_out(db, Some(&call.caller), &known.uid, &asked, by, now).await?;
        }
        _ => return Err(complaint("status", "cannot be taken back to PENDING")),
    }
    Ok(())
}

/// Moves a booking if another time is asked for; gives the id of what stands then.
async fn move_to(call: &Call, db: &mut Db, known: &Known, wish: &Wish) -> Result<i64> {
    let start = match (wish.start, wish.end) {
        (Some(start), _) => start,
        (None, Some(end)) if end == known.end => known.start,
        (None, Some(_)) => return Err(complaint("start", "is required with another end")),
        (None, None) => return Ok(known.id),
    };
    let length = known.end.0 - known.start.0;
    if wish.end.is_some_and(|end| end.0 - start.0 != length) {
        return Err(complaint(
            "end",
            "must lie as long after start as before: a booking keeps its length",
        ));
    }
    if start == known.start {
        return Ok(known.id);
    }
    let wanted = RescheduleRequest {
        start,
        reason: None,
        by: wish.rescheduled_by.clone(),
        seat_uid: None,
        reservation: None,
        client_hash: String::new(),
    };
    let moved =
        reschedule::carry_out(db, Some(&call.caller), &known.uid, &wanted, call.now()).await;
    Ok(moved.map_err(as_invalid)?.id)
}

/// Notes who has cancelled or moved a booking, where that has happened.
async fn note_actors(db: &mut Db, id: i64, wish: &Wish) -> Result<()> {
    if wish.cancelled_by.is_none() && wish.rescheduled_by.is_none() {
        return Ok(());
    }
    let known = by_id(db, id).await?;
    if wish.cancelled_by.is_some() && known.status != BookingStatus::Cancelled {
        return Err(complaint(
            "cancelledBy",
            "is for bookings that are cancelled",
        ));
    }
    if wish.rescheduled_by.is_some() && !booking_notes::is_moved(db, id).await? {
        return Err(complaint("rescheduledBy", "is for bookings that are moved"));
    }
    let (cancelled, rescheduled) = (wish.cancelled_by.as_deref(), wish.rescheduled_by.as_deref());
    booking_notes::set_actors(db, id, cancelled, rescheduled).await
}
