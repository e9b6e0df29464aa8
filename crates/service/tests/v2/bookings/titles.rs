//! Generated titles of bookings.

use serde_json::json;

use crate::common::{HOST, OTHER_HOST, Service, booking};
use crate::event_types::changes::event_type_body;

const START: &str = "2027-03-02T15:00:00Z";

#[tokio::test]
async fn custom_name_of_event_type_sets_booking_title() {
    let service = Service::start().await;
    let topic = json!({"type": "textarea", "slug": "topic", "label": "Topic"});
    let settings = json!({
        "customName": "{Event type title} of {Organiser first name} with {Scheduler}: {topic} ({Event duration}, {Location})",
        "bookingFields": [topic],
    });
    let created = service
        .create_event_type(event_type_body("talk", settings))
        .await;
    let id = created.data()["id"].as_i64().unwrap();
    let mut body = booking(id, START);
    body["bookingFieldsResponses"] = json!({"topic": "Plans\nand {HOST}"});
    let response = service.post("/v2/bookings", body).await;
    assert_eq!(
        response.data()["title"],
        "Talk of Host with Zoë Łukasik: Plans and {HOST} (30 mins, Video call)",
        "{}",
        response.text
    );
}

#[tokio::test]
async fn empty_custom_name_yields_default_title() {
    let service = Service::start().await;
    for (slug, name) in [
        ("a", json!(" ")),
        ("b", json!("{nothing}")),
        ("c", json!(null)),
    ] {
        let created = service
            .create_event_type(event_type_body(slug, json!({"customName": name})))
            .await;
        let id = created.data()["id"].as_i64().unwrap();
        let start = format!(
            "2027-03-02T{}:00:00Z",
            9 + i64::from(slug.as_bytes()[0] - b'a')
        );
        let response = service.post("/v2/bookings", booking(id, &start)).await;
        assert_eq!(
            response.data()["title"],
            "Talk between Host 100 and Zoë Łukasik",
            "{name}"
        );
    }
}

#[tokio::test]
async fn custom_name_uses_new_host_after_reassignment() {
    let service = Service::start().await;
    let id = service
        .event_type_of(
            "talk",
            Some("roundRobin"),
            &[HOST, OTHER_HOST],
            json!({"customName": "{Organiser} <> {Scheduler}"}),
        )
        .await;
    let response = service.post("/v2/bookings", booking(id, START)).await;
    let data = response.data();
    let (old, new) = match data["hosts"][0]["id"].as_i64() {
        Some(HOST) => ("Host 100", "Host 101"),
        _ => ("Host 101", "Host 100"),
    };
    assert_eq!(data["title"], format!("{old} <> Zoë Łukasik"));
    let target = format!("/v2/bookings/{}/reassign", data["uid"].as_str().unwrap());
    let response = service.post_as(&target, service.manager(), json!({})).await;
    assert_eq!(response.data()["title"], format!("{new} <> Zoë Łukasik"));
}

#[tokio::test]
async fn custom_name_is_kept_after_reschedule() {
    let service = Service::start().await;
    let created = service
        .create_event_type(event_type_body(
            "talk",
            json!({"customName": "With {Organiser}"}),
        ))
        .await;
    let id = created.data()["id"].as_i64().unwrap();
    let response = service.post("/v2/bookings", booking(id, START)).await;
    let uid = response.data()["uid"].as_str().unwrap();
    let target = format!("/v2/bookings/{uid}/reschedule");
    let response = service
        .post(&target, json!({"start": "2027-03-03T10:00:00Z"}))
        .await;
    assert_eq!(
        response.data()["title"],
        "With Host 100",
        "{}",
        response.text
    );
}
