//! Every operation of version 1: how it is called well, and in which ways it is called badly.

// First, for the modules to know it.
macro_rules! target {
    ($($part:expr),+) => {
        |world: &World| { let _ = world; let parts: Vec<String> = vec![$($part(world)),+]; parts.concat() }
    };
}

mod bookings;
mod calendars;
mod event_types;
mod hours;
mod people;

use serde_json::{Value, json};

use crate::world::{
    FREE, MEMBER, NONE, OPERATOR, OWNER, STRANGER, World, new_booking, new_webhook,
};

/// Where to send it.
pub type Target = fn(&World) -> String;
/// What to send.
pub type Body = fn(&World) -> Value;

/// A call, and the status of its refusal.
pub type Refused = (Target, Body, u16);

/// One operation.
pub struct Case {
    /// Its method and path.
    pub name: &'static str,
    /// Who may call it.
    pub by: i64,
    /// A sound call.
    pub target: Target,
    pub body: Body,
    /// The key under which a success stands; empty where there is none.
    pub wrapper: &'static str,
    /// A call that a stranger must not make, and the status of its refusal.
    pub foreign: Option<Refused>,
    /// A call about what is not there, and the status of its refusal.
    pub missing: Option<Refused>,
    /// Bodies that are refused.
    pub invalid: fn(&World) -> Vec<Value>,
}

const fn nothing(_: &World) -> Value {
    Value::Null
}

const fn none(_: &World) -> Vec<Value> {
    Vec::new()
}

macro_rules! paths {
    ($($name:ident = $text:literal $(, $field:ident)?;)*) => {
        $(fn $name(world: &World) -> String {
            let _ = world;
            format!($text $(, world.$field)?)
        })*
    };
}

paths! {
    attendees = "/v1/attendees";
    attendee = "/v1/attendees/{}", second_attendee;
    availability = "/v1/availabilities/{}", availability;
    references = "/v1/booking-references";
    reference = "/v1/booking-references/{}", reference;
    bookings = "/v1/bookings";
    booking = "/v1/bookings/{}", booking;
    destinations = "/v1/destination-calendars";
    destination = "/v1/destination-calendars/{}", destination;
    event_types = "/v1/event-types";
    event_type = "/v1/event-types/{}", event_type;
    memberships = "/v1/memberships";
    payment = "/v1/payments/{}", payment;
    schedules = "/v1/schedules";
    schedule = "/v1/schedules/{}", schedule;
    teams = "/v1/teams";
    team = "/v1/teams/{}", team;
    webhooks = "/v1/webhooks";
    webhook = "/v1/webhooks/{}", webhook;
    cancel = "/cancel?cancellationReason=ill";
    recordings = "/recordings";
    transcripts = "/transcripts";
    of_recording = "/transcripts/r1";
    of_owner = "?userId=100";
    nowhere = "/999999";
}

fn of_team(world: &World) -> String {
    format!("/v1/teams/{}/event-types", world.team)
}

fn membership(world: &World) -> String {
    format!("/v1/memberships/{MEMBER}_{}", world.team)
}

fn selected(_: &World) -> String {
    format!("/v1/selected-calendars/{OWNER}_google_calendar_a_b%40example.org")
}

fn selected_all(_: &World) -> String {
    "/v1/selected-calendars".to_owned()
}

fn credentials(_: &World) -> String {
    format!("/v1/credential-sync?userId={OWNER}")
}

fn credential(world: &World) -> String {
    format!(
        "/v1/credential-sync?userId={OWNER}&credentialId={}",
        world.credential
    )
}

fn users(_: &World) -> String {
    "/v1/users".to_owned()
}

fn owner(_: &World) -> String {
    format!("/v1/users/{OWNER}")
}

fn slots(world: &World) -> String {
    format!(
        "/v1/slots?eventTypeId={}&startTime=2027-03-04T00:00:00Z&endTime=2027-03-05T00:00:00Z",
        world.event_type
    )
}

fn new_attendee(world: &World) -> Value {
    json!({"bookingId": world.booking, "name": "Kim", "email": "kim@example.org", "timeZone": "UTC"})
}

fn new_availability(world: &World) -> Value {
    json!({
        "scheduleId": world.schedule, "days": [6],
        "startTime": "1970-01-01T10:00:00.000Z", "endTime": "1970-01-01T12:00:00.000Z",
    })
}

fn new_reference(world: &World) -> Value {
    json!({"type": "zoom", "uid": "m1", "bookingId": world.booking, "meetingUrl": "https://zoom.example/m1"})
}

fn booked(world: &World) -> Value {
    new_booking(world.event_type, FREE)
}

fn new_destination(world: &World) -> Value {
    json!({
        "integration": "google_calendar", "externalId": "y", "credentialId": world.credential,
        "eventTypeId": world.event_type,
    })
}

fn new_event_type(_: &World) -> Value {
    json!({"title": "Chat", "slug": "Chat", "length": 15, "metadata": {}})
}

fn new_membership(world: &World) -> Value {
    json!({"userId": OPERATOR, "teamId": world.team})
}

fn new_user(_: &World) -> Value {
    json!({"email": "new@example.org", "username": "new"})
}

fn hook(_: &World) -> Value {
    new_webhook("https://example.org/two")
}

/// The body with one property changed in ways that nobody means.
fn spoilt(body: &Value, spoils: &[(&str, Value)]) -> Vec<Value> {
    let mut all = vec![with(body, "unheardOf", json!(1)), json!({"unheardOf": 1})];
    all.extend(
        spoils
            .iter()
            .map(|(key, value)| with(body, key, value.clone())),
    );
    all
}

fn with(body: &Value, key: &str, value: Value) -> Value {
    let mut body = body.clone();
    body[key] = value;
    body
}

/// For somebody else, which is not for everybody.
fn for_owner(body: Value) -> Value {
    with(&body, "userId", json!(OWNER))
}

const fn get(
    name: &'static str,
    wrapper: &'static str,
    target: Target,
    missing: Option<Target>,
    foreign: Option<(Target, u16)>,
) -> Case {
    Case {
        name,
        by: OWNER,
        target,
        body: nothing,
        wrapper,
        foreign: match foreign {
            Some((target, status)) => Some((target, nothing, status)),
            None => None,
        },
        missing: match missing {
            Some(target) => Some((target, nothing, 404)),
            None => None,
        },
        invalid: none,
    }
}

const fn delete(name: &'static str, target: Target, missing: Target) -> Case {
    get(name, "message", target, Some(missing), Some((target, 403)))
}

/// Every operation.
pub fn cases() -> impl Iterator<Item = &'static Case> {
    let all = [
        bookings::CASES,
        calendars::CASES,
        event_types::CASES,
        hours::CASES,
        people::CASES,
    ];
    all.into_iter().flatten()
}
