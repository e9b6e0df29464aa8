//! `location` of a new booking as a string, the format of older clients.

use serde_json::{Value, json};

use crate::common::{Service, TestResponse, booking};

const LINK: &str = "https://meet.northwind.example/ada";
const ADDRESS: &str = "Torstraße 140, Berlin";
const PHONE: &str = "+390612345678";

/// Books the event type with a location. `index` selects the start.
async fn book(service: &Service, id: i64, index: usize, location: &Value) -> TestResponse {
    let mut body = booking(
        id,
        &format!("2027-03-{:02}T{:02}:00:00Z", 2 + index / 6, 9 + index % 6),
    );
    body["location"] = location.clone();
    service.post("/v2/bookings", body).await
}

#[tokio::test]
async fn location_text_selects_an_offered_location() {
    let service = Service::start().await;
    let offered = json!([
        {"type": "integration", "integration": "svc-video"},
        {"type": "address", "address": "Somewhere else", "public": true},
        {"type": "address", "address": ADDRESS, "public": false},
        {"type": "link", "link": LINK, "public": false},
        {"type": "phone", "phone": PHONE, "public": true},
    ]);
    let id = service
        .event_type("talk", json!({"locations": offered}))
        .await;
    let video = "integrations:svc-video";
    let cases = [
        (json!("link"), LINK),
        (json!("integration"), video),
        (json!("svc-video"), video),
        (json!("cal-video"), video),
        (json!("integrations:cal-video"), video),
        (
            json!({"type": "integration", "integration": "cal-video"}),
            video,
        ),
        (json!({"type": "integration"}), video),
        (json!(LINK), LINK),
        (json!(format!(" {ADDRESS} ")), ADDRESS),
        (json!(PHONE), PHONE),
    ];
    for (index, (sent, expected)) in cases.iter().enumerate() {
        let created = book(&service, id, index, sent).await;
        assert_eq!(created.data()["location"], *expected, "{sent}");
    }
    for wrong in [
        json!("https://evil.example/room"),
        json!("www.evil.example"),
        json!("Via Appia 1"),
        json!("+12125550188"),
        json!("zoom"),
        json!("attendeeDefined"),
        json!({"type": "attendeeDefined", "location": LINK}),
    ] {
        let rejected = book(&service, id, 20, &wrong).await;
        rejected.assert_error(400, "BadRequestException");
        assert!(
            rejected.constraints()[0].0.starts_with("location"),
            "{wrong}"
        );
    }
}

#[tokio::test]
async fn free_location_text_needs_an_attendee_defined_type() {
    let service = Service::start().await;
    let location_types = |names: &[&str]| -> Value {
        let location_types: Vec<Value> = names.iter().map(|name| json!({"type": name})).collect();
        json!({"locations": location_types})
    };
    let all = ["attendeePhone", "attendeeAddress", "attendeeDefined"];
    let mut slug = 0;
    for (offered, location, kind) in [
        (&all[..], PHONE, Some("attendeePhone")),
        (&all, LINK, Some("attendeeDefined")),
        (&all, "Via Appia 1", Some("attendeeDefined")),
        (&all[..2], "Via Appia 1", Some("attendeeAddress")),
        (&all[..2], LINK, None),
        (&all[..2], "www.evil.example", None),
        (&all[..1], "Via Appia 1", None),
        (&all[1..2], PHONE, None),
        (&all[2..], PHONE, Some("attendeeDefined")),
        (&all[2..], " ", None),
    ] {
        slug += 1;
        let id = service
            .event_type(&format!("talk-{slug}"), location_types(offered))
            .await;
        let created = book(&service, id, slug, &json!(location)).await;
        match kind {
            Some(kind) => {
                assert_eq!(created.data()["location"], location, "{offered:?}");
                let response = &created.data()["bookingFieldsResponses"]["location"];
                assert_eq!(response["type"], kind, "{offered:?} {location}");
            }
            None => {
                created.assert_error(400, "BadRequestException");
            }
        }
    }
}

#[tokio::test]
async fn attendee_address_with_link_returns_400() {
    let service = Service::start().await;
    let offered = json!({"locations": [{"type": "attendeeAddress"}]});
    let id = service.event_type("talk", offered).await;
    let location = json!({"type": "attendeeAddress", "address": "https://evil.example/room"});
    let rejected = book(&service, id, 0, &location).await;
    rejected.assert_error(400, "BadRequestException");
    assert_eq!(rejected.constraints()[0].0, "location.address");
}

#[tokio::test]
async fn location_of_empty_text_counts_as_absent() {
    let service = Service::start().await;
    let id = service
        .event_type(
            "talk",
            json!({"locations": [{"type": "link", "link": LINK}]}),
        )
        .await;
    let created = book(&service, id, 0, &json!("")).await;
    assert_eq!(created.data()["location"], LINK, "{}", created.text);
}
