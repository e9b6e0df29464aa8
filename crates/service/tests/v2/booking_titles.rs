//! Titles that the service gives to bookings.

use serde_json::json;

use crate::common::{HOST, OTHER_HOST, Service, booking};
use crate::event_type_changes::body;

const START: &str = "2027-03-02T15:00:00Z";

#[tokio::test]
async fn custom_name_of_an_event_type_titles_its_bookings() {
    let service = Service::start().await;
    let topic = json!({"type": "textarea", "slug": "topic", "label": "Topic"});
    let more = json!({
        "customName": "{Event type title} of {Organiser first name} with {Scheduler}: {topic} ({Event duration}, {Location})",
        "bookingFields": [topic],
    });
    let made = service.make(body("talk", more)).await;
    let id = made.data()["id"].as_i64().unwrap();
    let mut asked = booking(id, START);
    asked["bookingFieldsResponses"] = json!({"topic": "Plans\nand {HOST}"});
    let booked = service.post("/v2/bookings", asked).await;
    assert_eq!(
        booked.data()["title"],
        "Talk of Host with Zoë Łukasik: Plans and {HOST} (30 mins, Video call)",
        "{}",
        booked.text
    );
}

#[tokio::test]
async fn custom_name_that_says_nothing_leaves_the_usual_title() {
    let service = Service::start().await;
    for (slug, name) in [
        ("a", json!(" ")),
        ("b", json!("{nothing}")),
        ("c", json!(null)),
    ] {
        let made = service.make(body(slug, json!({"customName": name}))).await;
        let id = made.data()["id"].as_i64().unwrap();
        let start = format!(
            "2027-03-02T{}:00:00Z",
            9 + i64::from(slug.as_bytes()[0] - b'a')
        );
        let booked = service.post("/v2/bookings", booking(id, &start)).await;
        assert_eq!(
            booked.data()["title"],
            "Talk between Host 100 and Zoë Łukasik",
            "{name}"
        );
    }
}

#[tokio::test]
async fn custom_name_names_the_new_host_after_a_reassignment() {
    let service = Service::start().await;
    let id = service
        .event_type_of(
            "talk",
            Some("roundRobin"),
            &[HOST, OTHER_HOST],
            json!({"customName": "{Organiser} <> {Scheduler}"}),
        )
        .await;
    let booked = service.post("/v2/bookings", booking(id, START)).await;
    let data = booked.data();
    let (old, new) = match data["hosts"][0]["id"].as_i64() {
        Some(HOST) => ("Host 100", "Host 101"),
        _ => ("Host 101", "Host 100"),
    };
    assert_eq!(data["title"], format!("{old} <> Zoë Łukasik"));
    let target = format!("/v2/bookings/{}/reassign", data["uid"].as_str().unwrap());
    let moved = service.post_as(&target, service.manager(), json!({})).await;
    assert_eq!(moved.data()["title"], format!("{new} <> Zoë Łukasik"));
}

#[tokio::test]
async fn custom_name_survives_a_reschedule() {
    let service = Service::start().await;
    let made = service
        .make(body("talk", json!({"customName": "With {Organiser}"})))
        .await;
    let id = made.data()["id"].as_i64().unwrap();
    let booked = service.post("/v2/bookings", booking(id, START)).await;
    let uid = booked.data()["uid"].as_str().unwrap();
    let target = format!("/v2/bookings/{uid}/reschedule");
    let moved = service
        .post(&target, json!({"start": "2027-03-03T10:00:00Z"}))
        .await;
    assert_eq!(moved.data()["title"], "With Host 100", "{}", moved.text);
}
