//! Changes the location of a booking.

pub mod chosen;

use booking_rules::{Transition, transitions};
use booking_wire::{Booking, JsonMap};
use serde_json::{Value, json};

use crate::app::AppState;
use crate::auth::Caller;
use crate::domain::bookings::read::{find_authorised, read_one};
use crate::error::Result;
use crate::input_limits::MAX_LOCATION_CHARS;
use crate::messages::mail::events as mail;
use crate::store::Subject;
use crate::store::bookings::actions;
use crate::validate::{Checks, Object, is_phone, is_url};

/// Sets the location of a booking, if the body has one.
pub async fn update_location(
    app: &AppState,
    caller: &Caller,
    uid: &str,
    body: &JsonMap,
) -> Result<Booking> {
    let location = read(body)?;
    let mut transaction = app.store.begin(&[Subject::Booking(uid)]).await?;
    let db = &mut *transaction;
    let now = app.clock.now();
    let booking = find_authorised(db, caller, uid).await?;
    if let Some(NewLocation { text, response }) = location {
        transitions::next_status(booking.context(now), Transition::Change)?;
        let before = read_one(db, booking.id).await?.location;
        actions::set_location(db, booking.id, &text, &response).await?;
        actions::set_updated(db, booking.id, now).await?;
        if before.as_deref() != Some(text.as_str()) {
            let details = mail::Details {
                previous_location: Some(before.unwrap_or_default()),
                ..mail::Details::default()
            };
            mail::record_one(db, now, mail::Kind::LocationChanged, booking.id, details).await?;
        }
    }
    let data = read_one(db, booking.id).await?;
    transaction.commit().await?;
    Ok(data)
}

/// Location types, with the key of their value.
const LOCATION_KEYS: [(&str, &str); 6] = [
    ("address", "address"),
    ("link", "link"),
    ("phone", "phone"),
    ("attendeeAddress", "address"),
    ("attendeePhone", "phone"),
    ("attendeeDefined", "location"),
];

struct NewLocation {
    text: String,
    /// Value of `location` in `bookingFieldsResponses`.
    response: Value,
}

fn read(body: &JsonMap) -> Result<Option<NewLocation>> {
    let mut checks = Checks::default();
    let object = Object::new(body, "");
    let map = object.object("location", &mut checks);
    object.reject_unread(&mut checks);
    let location = map.and_then(|map| location(map, &mut checks));
    checks.finish()?;
    Ok(location)
}

fn location(map: &JsonMap, checks: &mut Checks) -> Option<NewLocation> {
    let object = Object::new(map, "location.");
    let location_type = object.required_text("type", checks)?;
    let Some((_, key)) = LOCATION_KEYS
        .iter()
        .find(|(name, _)| *name == location_type)
    else {
        let names: Vec<&str> = LOCATION_KEYS.iter().map(|(name, _)| *name).collect();
        let message = format!("must be one of: {}", names.join(", "));
        return checks.reject("location.type", &json!(location_type), "isIn", &message);
    };
    object.allow(&["type", key], checks);
    let text = object.required_text(key, checks)?.trim();
    let message = match *key {
        _ if text.chars().count() > MAX_LOCATION_CHARS => Some(("maxLength", "is too long")),
        "phone" if !is_phone(text) => Some((
            "isPhoneNumber",
            "must be a phone number with country code, like +390612345678",
        )),
        "link" if !is_url(text) => Some(("isUrl", "must be a URL that begins with https://")),
        _ => None,
    };
    if let Some((rule, message)) = message {
        return checks.reject(&object.path(key), &json!(text), rule, message);
    }
    Some(NewLocation {
        text: text.to_owned(),
        response: json!({"type": location_type, *key: text}),
    })
}
