//! Moving a booking to another place (contract 3.5.2).

use booking_wire::{Booking, JsonMap};
use serde_json::{Value, json};

use crate::app::AppState;
use crate::auth::Caller;
use crate::auth::access::Subject;
use crate::bookings::read::read_one;
use crate::error::Result;
use crate::input_limits::MAX_LOCATION_CHARS;
use crate::lifecycle::{self, Event};
use crate::store::booking_acts;
use crate::validate::{Checks, Object, is_phone, is_url};

/// Gives a booking another place, if the body names one.
pub async fn update_location(
    app: &AppState,
    caller: &Caller,
    uid: &str,
    body: &JsonMap,
) -> Result<Booking> {
    let place = read(body)?;
    let mut transaction = app.store.begin().await?;
    let db = &mut *transaction;
    let now = app.clock.now();
    let booking = booking_acts::one(db, uid).await?;
    caller.authorise(db, &Subject::of_booking(&booking)).await?;
    if let Some(Place { text, response }) = place {
        lifecycle::next(booking.standing(now), Event::Change)?;
        booking_acts::set_location(db, booking.id, &text, &response).await?;
        booking_acts::touch(db, booking.id, now).await?;
    }
    let data = read_one(db, booking.id).await?;
    transaction.commit().await?;
    Ok(data)
}

/// What a kind of place is named by, and how that is checked.
const KINDS: [(&str, &str); 6] = [
    ("address", "address"),
    ("link", "link"),
    ("phone", "phone"),
    ("attendeeAddress", "address"),
    ("attendeePhone", "phone"),
    ("attendeeDefined", "location"),
];

struct Place {
    text: String,
    /// As it stands among the answers.
    response: Value,
}

fn read(body: &JsonMap) -> Result<Option<Place>> {
    let mut checks = Checks::default();
    let object = Object::new(body, "");
    object.allow(&["location"], &mut checks);
    let map = object.object("location", &mut checks);
    let place = map.and_then(|map| place(map, &mut checks));
    checks.finish()?;
    Ok(place)
}

fn place(map: &JsonMap, checks: &mut Checks) -> Option<Place> {
    let object = Object::new(map, "location.");
    let kind = object.required_text("type", checks)?;
    let Some((_, key)) = KINDS.iter().find(|(name, _)| *name == kind) else {
        let names: Vec<&str> = KINDS.iter().map(|(name, _)| *name).collect();
        let complaint = format!("must be one of: {}", names.join(", "));
        checks.complain("location.type", &json!(kind), "isIn", &complaint);
        return None;
    };
    object.allow(&["type", key], checks);
    let text = object.required_text(key, checks)?.trim();
    let complaint = match *key {
        _ if text.chars().count() > MAX_LOCATION_CHARS => Some(("maxLength", "is too long")),
        "phone" if !is_phone(text) => Some((
            "isPhoneNumber",
            "must be a phone number with country code, like +390612345678",
        )),
        "link" if !is_url(text) => Some(("isUrl", "must be a URL that begins with https://")),
        _ => None,
    };
    if let Some((rule, complaint)) = complaint {
        checks.complain(&object.path(key), &json!(text), rule, complaint);
        return None;
    }
    Some(Place {
        text: text.to_owned(),
        response: json!({"type": kind, *key: text}),
    })
}
