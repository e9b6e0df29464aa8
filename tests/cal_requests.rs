//! Tests of the request check for the cal dialect: correct requests of the browser pass, and each broken
//! rule is reported.

#![allow(clippy::expect_used, clippy::indexing_slicing)]

#[path = "common/cal_requests.rs"]
#[allow(dead_code)]
mod cal_requests;

use cal_requests::{Rejection, Request, check};
use serde_json::{Value, json};

const SLOTS: (&str, &str) = ("cal-api-version", "2024-09-04");
const BOOKINGS: (&str, &str) = ("cal-api-version", "2024-08-13");
const EVENT_TYPES: (&str, &str) = ("cal-api-version", "2024-06-14");
const KEY: (&str, &str) = ("authorization", "Bearer cal_x");
const RESERVATIONS: &str = "/v2/slots/reservations";

fn send(
    method: &str,
    target: &str,
    headers: &[(&str, &str)],
    body: &Value,
) -> Result<(), Rejection> {
    let own = [("host", "api.example"), ("sec-fetch-mode", "cors")];
    let json = [("content-type", "application/json")];
    let kind = json.iter().filter(|_| !body.is_null());
    let headers: Vec<(String, String)> = own
        .iter()
        .chain(kind)
        .chain(headers)
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
        .collect();
    let body = match body {
        Value::Null => String::new(),
        body => body.to_string(),
    };
    check(&Request {
        method,
        target,
        headers: &headers,
        body: body.as_bytes(),
    })
}

/// Returns a booking as the picker sends it.
fn booking() -> Value {
    json!({
        "start": "2027-03-29T07:00:00.000Z", "eventTypeId": 1, "lengthInMinutes": 30,
        "attendee": { "name": "Zoë", "email": "zoe@example.org", "timeZone": "Europe/Rome", "language": "it" },
        "bookingFieldsResponses": { "notes": "Hello" },
        "location": { "type": "attendeePhone", "phone": "+390612345678" },
        "guests": ["ada@example.org"], "metadata": { "plan": "team" },
    })
}

/// Changes one value of a booking by its JSON pointer; `Value::Null` removes it.
fn booking_with(pointer: &str, value: Value) -> Value {
    let (parent, key) = pointer.rsplit_once('/').expect("a pointer");
    let mut body = booking();
    let place = body.pointer_mut(parent).and_then(Value::as_object_mut);
    let place = place.expect("an object");
    match value {
        Value::Null => place.remove(key),
        value => place.insert(key.to_owned(), value),
    };
    body
}

#[test]
fn visitor_requests_pass() {
    let none = Value::Null;
    let hold =
        json!({ "eventTypeId": 1, "slotStart": "2027-03-29T07:00:00.000Z", "slotDuration": 30 });
    let range = "start=2027-03-01T00%3A00%3A00.000Z&end=2027-04-01&timeZone=Europe%2FRome";
    let start = "2027-03-29T07:00:00Z";
    for (method, target, version, body) in [
        (
            "GET",
            "/v2/event-types?username=ada&eventSlug=intro-call",
            EVENT_TYPES,
            none.clone(),
        ),
        (
            "GET",
            "/v2/teams/1/event-types?eventSlug=review",
            ("accept", "application/json"),
            none.clone(),
        ),
        (
            "GET",
            &format!("/v2/slots?eventTypeId=1&{range}"),
            SLOTS,
            none.clone(),
        ),
        (
            "GET",
            &format!("/v2/slots?eventTypeSlug=intro&username=ada&{range}&duration=30"),
            SLOTS,
            none.clone(),
        ),
        ("POST", RESERVATIONS, SLOTS, hold.clone()),
        ("GET", "/v2/slots/reservations/r1", SLOTS, none.clone()),
        ("PATCH", "/v2/slots/reservations/r1", SLOTS, hold),
        ("DELETE", "/v2/slots/reservations/r1", SLOTS, none.clone()),
        ("POST", "/v2/bookings", BOOKINGS, booking()),
        (
            "POST",
            "/v2/bookings",
            BOOKINGS,
            booking_with("/recurrenceCount", json!(3)),
        ),
        (
            "POST",
            "/v2/bookings",
            BOOKINGS,
            booking_with("/instant", json!(true)),
        ),
        ("GET", "/v2/bookings/bk1", BOOKINGS, none.clone()),
        ("GET", "/v2/bookings/by-seat/s1", BOOKINGS, none.clone()),
        (
            "POST",
            "/v2/bookings/bk1/reschedule",
            BOOKINGS,
            json!({ "start": start, "reschedulingReason": "Ill" }),
        ),
        (
            "POST",
            "/v2/bookings/bk1/reschedule",
            BOOKINGS,
            json!({ "start": start, "seatUid": "s1" }),
        ),
        (
            "POST",
            "/v2/bookings/bk1/cancel",
            BOOKINGS,
            json!({ "cancelSubsequentBookings": true }),
        ),
        (
            "POST",
            "/v2/bookings/bk1/cancel",
            BOOKINGS,
            json!({ "seatUid": "s1", "cancellationReason": "Ill" }),
        ),
    ] {
        assert_eq!(
            send(method, target, &[version], &body),
            Ok(()),
            "{method} {target}"
        );
    }
    let by_id = send("GET", "/v2/event-types/1", &[EVENT_TYPES, KEY], &none);
    assert_eq!(by_id, Ok(()), "with credentials");
}

/// Returns the only problem of a request that is rejected with `status`.
#[track_caller]
fn problem(status: u16, outcome: Result<(), Rejection>) -> String {
    let rejection = outcome.expect_err("a refusal");
    assert_eq!(rejection.status, status, "{rejection:?}");
    assert_eq!(rejection.problems.len(), 1, "{rejection:?}");
    rejection.problems[0].clone()
}

#[test]
fn unknown_operation_is_not_found() {
    for (method, path) in [
        ("GET", "/v2/me"),
        ("PUT", "/v2/bookings"),
        ("GET", "/v2/bookings/"),
        ("GET", "/v2/v2/slots"),
        ("POST", "/v2/bookings/bk1/confirm"),
        ("GET", "/v1/bookings"),
    ] {
        let problem = problem(404, send(method, path, &[BOOKINGS], &Value::Null));
        assert_eq!(problem, format!("Cannot {method} {path}"));
    }
}

#[test]
fn guarded_operation_needs_credentials() {
    let outcome = send("GET", "/v2/event-types/1", &[EVENT_TYPES], &Value::Null);
    assert!(problem(401, outcome).contains("needs credentials"));
}

#[test]
fn wrong_version_and_headers_blocked_by_cors_are_rejected() {
    let slots = "/v2/slots?start=2027-03-01&end=2027-04-01&eventTypeId=1";
    for (headers, expected) in [
        (&[][..], "cal-api-version is None"),
        (&[BOOKINGS], "not 2024-09-04"),
        (&[SLOTS, ("idempotency-key", "k")], "header idempotency-key"),
        (&[SLOTS, ("x-svc-client-id", "c")], "header x-svc-client-id"),
        (
            &[SLOTS, ("x-cal-secret-key", "s")],
            "header x-cal-secret-key",
        ),
        (&[SLOTS, ("cookie", "a=b")], "header cookie"),
    ] {
        let problem = problem(400, send("GET", slots, headers, &Value::Null));
        assert!(problem.contains(expected), "{expected}: {problem}");
    }
    let outcome = send("DELETE", &format!("{RESERVATIONS}/r1"), &[], &Value::Null);
    assert!(problem(400, outcome).contains("cal-api-version is None"));
}

#[test]
fn invalid_query_is_rejected() {
    for (query, expected) in [
        ("end=2027-04-01", "the event type is named by {}"),
        (
            "end=2027-04-01&eventTypeId=1&username=ada",
            "is named by {\"eventTypeId\", \"username\"}",
        ),
        (
            "end=2027-04-01&eventTypeSlug=intro",
            "is named by {\"eventTypeSlug\"}",
        ),
        (
            "end=2027-04-01&eventTypeId=1&seats=2",
            "query seats should not exist",
        ),
        (
            "end=2027-04-01&eventTypeId=1&duration=long",
            "query duration is \"long\"",
        ),
        (
            "end=2027-04-01&eventTypeId=1&format=days",
            "query format is \"days\"",
        ),
        (
            "end=2027-04-01&eventTypeId=1&duration=15&duration=30",
            "came twice",
        ),
        ("eventTypeId=1", "query lacks end"),
        (
            "eventTypeId=1&end=2027-04-01T00:00:00%2B01:00",
            "query end is",
        ),
    ] {
        let target = format!("/v2/slots?start=2027-03-01&{query}");
        let problem = problem(400, send("GET", &target, &[SLOTS], &Value::Null));
        assert!(problem.contains(expected), "{query}: {problem}");
    }
    let slug = send(
        "GET",
        "/v2/event-types?eventSlug=intro",
        &[EVENT_TYPES],
        &Value::Null,
    );
    assert!(problem(400, slug).contains("needs username"));
}

#[test]
fn invalid_booking_is_rejected() {
    let many = (0..51).map(|number| (format!("k{number}"), json!("x")));
    let many = Value::Object(many.collect());
    for (pointer, value, expected) in [
        (
            "/reservedSlotUid",
            json!("r1"),
            "body reservedSlotUid should not exist",
        ),
        ("/start", Value::Null, "body lacks start"),
        (
            "/start",
            json!("2027-03-29T09:00:00+02:00"),
            "body start is",
        ),
        ("/eventTypeId", Value::Null, "is named by {}"),
        ("/eventTypeId", json!("1"), "body eventTypeId is \"1\""),
        ("/username", json!("ada"), "is named by"),
        ("/guests", json!("ada@example.org"), "body guests"),
        ("/instant", json!(false), "body instant is false"),
        (
            "/attendee/language",
            json!("zh"),
            "body attendee language is \"zh\"",
        ),
        ("/attendee/email", Value::Null, "neither email"),
        ("/attendee/name", Value::Null, "body attendee lacks name"),
        (
            "/attendee/locale",
            json!("it"),
            "body attendee locale should not exist",
        ),
        ("/location", json!("link"), "body location is"),
        (
            "/location/type",
            json!("unknown"),
            "body location type is \"unknown\"",
        ),
        ("/location/phone", Value::Null, "body location lacks phone"),
        ("/metadata/size", json!(7), "body metadata is"),
        ("/metadata/long", json!("x".repeat(501)), "body metadata is"),
        ("/metadata", many, "body metadata is"),
    ] {
        let body = booking_with(pointer, value);
        let problem = problem(400, send("POST", "/v2/bookings", &[BOOKINGS], &body));
        assert!(problem.contains(expected), "{pointer}: {problem}");
    }
}

#[test]
fn other_invalid_bodies_are_rejected() {
    let start = "2027-03-29T07:00:00.000Z";
    let held = format!("{RESERVATIONS}/r1");
    let (moved, cancelled) = ("/v2/bookings/bk1/reschedule", "/v2/bookings/bk1/cancel");
    let long = json!({ "eventTypeId": 1, "slotStart": start, "reservationDuration": 10 });
    let later = json!({ "seatUid": "s1", "cancelSubsequentBookings": true });
    let seat = json!({ "start": start, "seatUid": "s1", "reschedulingReason": "Ill" });
    for (method, path, version, body, expected) in [
        ("POST", RESERVATIONS, SLOTS, json!([]), "no JSON object"),
        (
            "POST",
            RESERVATIONS,
            SLOTS,
            json!({ "eventTypeId": 1 }),
            "body lacks slotStart",
        ),
        (
            "PATCH",
            &held,
            SLOTS,
            long,
            "reservationDuration needs credentials",
        ),
        (
            "DELETE",
            &held,
            SLOTS,
            json!({}),
            "a body where none is known",
        ),
        (
            "POST",
            moved,
            BOOKINGS,
            json!({ "reschedulingReason": "Ill" }),
            "body lacks start",
        ),
        (
            "POST",
            moved,
            BOOKINGS,
            seat,
            "body reschedulingReason should not exist",
        ),
        (
            "POST",
            cancelled,
            BOOKINGS,
            json!({ "reason": "Ill" }),
            "body reason should not exist",
        ),
        (
            "POST",
            cancelled,
            BOOKINGS,
            later,
            "body cancelSubsequentBookings should not exist",
        ),
    ] {
        let problem = problem(400, send(method, path, &[version], &body));
        assert!(problem.contains(expected), "{method} {path}: {problem}");
    }
}

#[test]
fn rejection_has_the_error_format_of_the_service() {
    let rejection = send("GET", "/v2/me?x=1", &[], &Value::Null).expect_err("a refusal");
    let body = rejection.body("/v2/me?x=1");
    assert_eq!(body["status"], "error");
    assert_eq!(body["path"], "/v2/me?x=1");
    assert_eq!(body["error"]["code"], "NotFoundException");
    assert_eq!(body["error"]["message"], "Cannot GET /v2/me");
    assert_eq!(body["error"]["details"]["statusCode"], 404);
}
