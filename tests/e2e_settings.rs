//! What the settings of an event type do to a visitor's way: usual ones, odd ones and bad ones.

#![allow(clippy::expect_used, clippy::indexing_slicing)]

mod common;

use std::time::{SystemTime, UNIX_EPOCH};

use booking_wire::Instant;
use common::{Faults, Page, Service, given, instant, starting};
use serde_json::{Value, json};

const INTRO_CALL: i64 = 1;
const DAY_MINUTES: i64 = 24 * 60;

/// Lets the service say something else about the first event type.
fn set(service: &Service, faults: &Faults, settings: &Value) {
    let path = format!("/v2/event-types/{INTRO_CALL}");
    let mut event_type = service.owner().get(&path).data();
    for (key, value) in settings.as_object().into_iter().flatten() {
        event_type[key] = value.clone();
    }
    let answer = json!({ "status": "success", "data": event_type });
    faults.page(&path, &[], &answer.to_string());
}

/// Opens a page of the test's own with a picker of the first event type.
fn open(faults: &Faults, before: &str) -> Page {
    let html = format!(
        r#"<!doctype html><html lang="en-US"><meta charset="utf-8"><title>Somebody’s page</title>
        {before}<script type="module" src="/embed/embed.js"></script>
        <body><booking-picker event-type-id="{INTRO_CALL}"></booking-picker></body></html>"#
    );
    faults.page("/page.html", &[], &html);
    let page = Page::open(&faults.url("/page.html"));
    page.watch();
    page
}

fn days_from_now(days: i64) -> Instant {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    let now = Instant(now.map_or(0, |now| now.as_millis() as i64));
    now.plus_minutes(days * DAY_MINUTES)
}

fn date(instant: Instant) -> String {
    instant.to_string().chars().take(10).collect()
}

#[test]
fn nothing_is_asked_for_where_nothing_can_be_booked() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let (from, to) = (date(days_from_now(2)), date(days_from_now(8)));
    let window = json!({ "type": "range", "value": [from, to] });
    set(&service, &faults, &json!({ "bookingWindow": window }));
    let page = open(&faults, "");
    let picker = page.css("booking-picker");
    picker.role("list", starting("Times on")).wait();
    let next = picker.button("Next month");
    // Late in a month the window reaches into the next one.
    if next.is_enabled() {
        next.click();
    }
    page.wait_until("the end", || !next.is_enabled());
    assert_eq!(
        next.attribute("title").as_deref(),
        Some("Nothing later can be booked.")
    );
    let title = picker.css(".picker-title").read_text();
    page.run(
        "document.querySelector('booking-picker').shadowRoot \
           .querySelector('[part=month-button][title]').click()",
        &[],
    );
    assert_eq!(picker.css(".picker-title").read_text(), title);
    for request in faults.seen("GET", "/v2/slots") {
        let [start, end] = ["start", "end"].map(|name| {
            let text = given(&request, name).expect("a bound");
            instant(&json!(text))
        });
        assert!(start >= days_from_now(-1), "{request}");
        assert!(end <= days_from_now(10), "{request}");
    }
    page.assert_sound();
}
