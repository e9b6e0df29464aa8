//! Test cases for every operation of version 1: a valid request and the requests that fail.

// Defined before the modules that use it.
macro_rules! target {
    ($($part:expr),+) => {
        |app: &TestApp| { let _ = app; let parts: Vec<String> = vec![$($part(app)),+]; parts.concat() }
    };
}

mod bookings;
mod calendars;
mod event_types;
mod schedules;
mod users_and_teams;

use serde_json::{Value, json};

use crate::app::{
    FREE_SLOT, MEMBER, OPERATOR, OWNER, STRANGER, TestApp, UNKNOWN_ID, booking_body, webhook_body,
};

/// Returns the request target.
pub type Target = fn(&TestApp) -> String;
/// Returns the request body; null for none.
pub type Body = fn(&TestApp) -> Value;

/// Failing request and its expected status.
pub type FailingRequest = (Target, Body, u16);

/// Test case of one operation.
pub struct Case {
    /// Method and path.
    pub name: &'static str,
    /// User id of a permitted caller.
    pub caller_id: i64,
    /// Valid request.
    pub target: Target,
    pub body: Body,
    /// Key of the resource in a successful response; empty if the body is an array.
    pub wrapper: &'static str,
    /// Request that `STRANGER` may not make.
    pub forbidden: Option<FailingRequest>,
    /// Request for a resource that does not exist.
    pub not_found: Option<FailingRequest>,
    /// Invalid bodies.
    pub invalid_bodies: fn(&TestApp) -> Vec<Value>,
}

const fn no_body(_: &TestApp) -> Value {
    Value::Null
}

const fn no_bodies(_: &TestApp) -> Vec<Value> {
    Vec::new()
}

macro_rules! paths {
    ($($name:ident = $text:literal $(, $field:ident)?;)*) => {
        $(fn $name(app: &TestApp) -> String {
            let _ = app;
            format!($text $(, app.$field)?)
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
    recording_transcript = "/transcripts/r1";
    owner_filter = "?userId=100";
    unknown_id = "/999999";
}

fn team_event_types(app: &TestApp) -> String {
    format!("/v1/teams/{}/event-types", app.team)
}

fn membership(app: &TestApp) -> String {
    format!("/v1/memberships/{MEMBER}_{}", app.team)
}

fn selected_calendar(_: &TestApp) -> String {
    format!("/v1/selected-calendars/{OWNER}_google_calendar_a_b%40example.org")
}

fn selected_calendars(_: &TestApp) -> String {
    "/v1/selected-calendars".to_owned()
}

fn credentials(_: &TestApp) -> String {
    format!("/v1/credential-sync?userId={OWNER}")
}

fn credential(app: &TestApp) -> String {
    format!(
        "/v1/credential-sync?userId={OWNER}&credentialId={}",
        app.credential
    )
}

fn users(_: &TestApp) -> String {
    "/v1/users".to_owned()
}

fn owner(_: &TestApp) -> String {
    format!("/v1/users/{OWNER}")
}

fn slots(app: &TestApp) -> String {
    format!(
        "/v1/slots?eventTypeId={}&startTime=2027-03-04T00:00:00Z&endTime=2027-03-05T00:00:00Z",
        app.event_type
    )
}

fn new_attendee(app: &TestApp) -> Value {
    json!({"bookingId": app.booking, "name": "Kim", "email": "kim@example.org", "timeZone": "UTC"})
}

fn new_availability(app: &TestApp) -> Value {
    json!({
        "scheduleId": app.schedule, "days": [6],
        "startTime": "1970-01-01T10:00:00.000Z", "endTime": "1970-01-01T12:00:00.000Z",
    })
}

fn new_reference(app: &TestApp) -> Value {
    json!({"type": "zoom", "uid": "m1", "bookingId": app.booking, "meetingUrl": "https://zoom.example/m1"})
}

fn new_booking(app: &TestApp) -> Value {
    booking_body(app.event_type, FREE_SLOT)
}

fn new_destination(app: &TestApp) -> Value {
    json!({
        "integration": "google_calendar", "externalId": "y", "credentialId": app.credential,
        "eventTypeId": app.event_type,
    })
}

fn new_event_type(_: &TestApp) -> Value {
    json!({"title": "Chat", "slug": "Chat", "length": 15, "metadata": {}})
}

fn new_membership(app: &TestApp) -> Value {
    json!({"userId": OPERATOR, "teamId": app.team})
}

fn new_user(_: &TestApp) -> Value {
    json!({"email": "new@example.org", "username": "new"})
}

fn new_webhook(_: &TestApp) -> Value {
    webhook_body("https://example.org/two")
}

/// Returns copies of the body with one invalid property each.
fn invalid_variants(body: &Value, invalid_values: &[(&str, Value)]) -> Vec<Value> {
    let mut bodies = vec![
        with_property(body, "unheardOf", json!(1)),
        json!({"unheardOf": 1}),
    ];
    bodies.extend(
        invalid_values
            .iter()
            .map(|(key, value)| with_property(body, key, value.clone())),
    );
    bodies
}

fn with_property(body: &Value, key: &str, value: Value) -> Value {
    let mut body = body.clone();
    body[key] = value;
    body
}

/// Adds the owner's `userId`, which only operators may do.
fn with_owner_id(body: Value) -> Value {
    with_property(&body, "userId", json!(OWNER))
}

const fn get(
    name: &'static str,
    wrapper: &'static str,
    target: Target,
    not_found: Option<Target>,
    forbidden: Option<(Target, u16)>,
) -> Case {
    Case {
        name,
        caller_id: OWNER,
        target,
        body: no_body,
        wrapper,
        forbidden: match forbidden {
            Some((target, status)) => Some((target, no_body, status)),
            None => None,
        },
        not_found: match not_found {
            Some(target) => Some((target, no_body, 404)),
            None => None,
        },
        invalid_bodies: no_bodies,
    }
}

const fn delete(name: &'static str, target: Target, not_found: Target) -> Case {
    get(
        name,
        "message",
        target,
        Some(not_found),
        Some((target, 403)),
    )
}

/// All test cases.
pub fn cases() -> impl Iterator<Item = &'static Case> {
    let tables = [
        bookings::CASES,
        calendars::CASES,
        event_types::CASES,
        schedules::CASES,
        users_and_teams::CASES,
    ];
    tables.into_iter().flatten()
}
