//! Telephone numbers: rejected if no number of their calling code has that length, and read as they are stored.

use axum::http::Method;
use serde_json::{Value, json};

use crate::bookings::fixture::BookingFixture;
use crate::common::{HOST, Service, booking};

const POSSIBLE: &str = "+442079460018";

const IMPOSSIBLE: [&str; 4] = ["+44123456", "+4412345678901", "+999123456789", "+15550100"];

/// Requests that send `number`, each with the path of the number.
fn requests(
    event_type_id: i64,
    uid: &str,
    number: &str,
) -> Vec<(Method, String, Value, &'static str)> {
    let new_booking = |hour: i64, key: &str, value: Value| {
        let mut body = booking(event_type_id, &format!("2027-03-03T{hour}:00:00Z"));
        body["location"] = json!({"type": "attendeeAddress", "address": "Via Roma 1"});
        body[key] = value;
        body
    };
    let person = |name: &str| {
        json!({
            "name": name,
            "email": format!("{name}@example.org"),
            "timeZone": "Europe/Rome",
            "phoneNumber": number,
        })
    };
    let phone = json!({"type": "phone", "phone": number, "public": true});
    let locations = json!([phone, {"type": "attendeePhone"}, {"type": "attendeeAddress"}]);
    let bookings = "/v2/bookings".to_owned();
    [
        (
            Method::POST,
            bookings.clone(),
            new_booking(10, "attendee", person("zoe")),
            "attendee.phoneNumber",
        ),
        (
            Method::POST,
            bookings.clone(),
            new_booking(
                11,
                "location",
                json!({"type": "attendeePhone", "phone": number}),
            ),
            "location.phone",
        ),
        (
            Method::POST,
            bookings.clone(),
            new_booking(12, "location", json!(number)),
            "location.phone",
        ),
        (
            Method::POST,
            bookings,
            new_booking(13, "bookingFieldsResponses", json!({"mobile": number})),
            "bookingFieldsResponses.mobile",
        ),
        (
            Method::PATCH,
            format!("/v2/bookings/{uid}/location"),
            json!({"location": {"type": "phone", "phone": number}}),
            "location.phone",
        ),
        (
            Method::POST,
            format!("/v2/bookings/{uid}/attendees"),
            person("bo"),
            "phoneNumber",
        ),
        (
            Method::PATCH,
            format!("/v2/event-types/{event_type_id}"),
            json!({"locations": locations}),
            "locations.0.phone",
        ),
    ]
    .into()
}

#[tokio::test]
async fn impossible_number_is_rejected_wherever_one_is_sent() {
    let service = Service::start().await;
    let field = json!({"type": "phone", "slug": "mobile", "label": "Mobile", "required": false});
    let settings = json!({
        "locations": [{"type": "attendeePhone"}, {"type": "attendeeAddress"}],
        "bookingFields": [field],
    });
    let id = service.event_type("talk", settings).await;
    let uid = BookingFixture::new(id).store(&service).await;
    let bearer = service.bearer_of(HOST).await;
    for number in IMPOSSIBLE {
        for (method, target, body, property) in requests(id, &uid, number) {
            let credentials = std::slice::from_ref(&bearer);
            let response = service.call(method, &target, credentials, Some(body)).await;
            response.assert_error(400, "BadRequestException");
            let constraints = response.constraints();
            assert_eq!(constraints[0].0, property, "{number}: {}", response.text);
        }
    }
    for (method, target, body, _) in requests(id, &uid, POSSIBLE) {
        let credentials = std::slice::from_ref(&bearer);
        let response = service.call(method, &target, credentials, Some(body)).await;
        assert!(matches!(response.status, 200 | 201), "{}", response.text);
    }
}

#[tokio::test]
async fn stored_impossible_number_is_read_and_kept_by_a_reschedule() {
    let service = Service::start().await;
    let id = service.event_type("talk", json!({})).await;
    let mut body = booking(id, "2027-03-02T09:00:00Z");
    body["attendee"]["phoneNumber"] = json!(POSSIBLE);
    let created = service.post("/v2/bookings", body).await;
    let target = format!("/v2/bookings/{}", created.data()["uid"].as_str().unwrap());
    let [old, ..] = IMPOSSIBLE;
    service
        .sql(&format!("UPDATE attendees SET phone_number = '{old}'"))
        .await;
    let stored = service.get(&target).await;
    assert_eq!(stored.data()["attendees"][0]["phoneNumber"], old);
    let moved = json!({"start": "2027-03-02T11:00:00Z"});
    let moved = service.post(&format!("{target}/reschedule"), moved).await;
    assert_eq!(moved.status, 201, "{}", moved.text);
    assert_eq!(moved.data()["attendees"][0]["phoneNumber"], old);
}
