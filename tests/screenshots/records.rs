//! Scenes of the API version 1 records.

use std::sync::OnceLock;

use serde_json::json;

use crate::common::{Fault, Page, starting};

use super::{Scene, at};

/// API key for the records of the service in the screenshots.
pub(crate) static KEY: OnceLock<String> = OnceLock::new();

fn enter_key(page: &Page) {
    let key = KEY.get().map(String::as_str).unwrap_or_default();
    page.field("API key").fill(key);
    page.button("Show records").click();
    page.field("API key").wait_gone();
}

fn wait_for_list(page: &Page) {
    enter_key(page);
    page.css(".records-table").wait();
}

fn wait_for_record(page: &Page) {
    enter_key(page);
    page.button("Edit").wait();
}

/// Opens a booking of the key's user: which ones those are depends on the day.
fn open_own_booking(page: &Page) {
    let key = KEY.get().map(String::as_str).unwrap_or_default();
    let script = "return fetch('/v2/bookings?take=1', { headers: { authorization: 'Bearer ' + arguments[0], \
                    'cal-api-version': '2024-08-13' } }) \
                  .then((response) => response.json()).then(({ data }) => data[0].id)";
    let id = page.run(script, &[json!(key)]);
    page.field("API key").wait();
    page.run(
        "location.pathname = arguments[0]",
        &[json!(format!("/records/bookings/{id}"))],
    );
    wait_for_record(page);
}

pub(super) fn scenes() -> Vec<Scene> {
    vec![
        at("records", "key", "/records"),
        at("records", "key-refused", "/records/teams").after(|page| {
            page.field("API key").fill("svc_of_nobody");
            page.button("Show records").click();
            page.wait_for_text("is unknown or has expired");
        }),
        at("records", "resources", "/records").after(wait_for_list),
        at("records", "event-types", "/records/event-types").after(wait_for_list),
        at("records", "attendees", "/records/attendees").after(wait_for_list),
        at("records", "filters", "/records/event-types?slug=intro-call").after(wait_for_list),
        at("records", "slots", "/records/slots").after(enter_key),
        at("records", "by-id-only", "/records/bookings").after(enter_key),
        at("records", "nothing", "/records/webhooks").after(|page| {
            enter_key(page);
            page.wait_for_text("No records");
        }),
        at("records", "unreachable", "/records/teams")
            .with(|faults| faults.always("GET", "/v1/teams", Fault::Drop))
            .after(|page| {
                enter_key(page);
                page.button("Try again").wait();
            }),
        at("records", "event-type", "/records/event-types/3").after(wait_for_record),
        at("records", "booking", "/records/bookings").after(open_own_booking),
        at("records", "schedule", "/records/schedules/1").after(wait_for_record),
        at("records", "edit", "/records/event-types/1").after(|page| {
            wait_for_record(page);
            page.button("Edit").click();
            page.field("metadata").wait();
        }),
        at("records", "delete", "/records/bookings").after(|page| {
            open_own_booking(page);
            page.button("Cancel booking").click();
            page.heading("Delete this record?").wait();
        }),
        at("records", "new", "/records/webhooks/new").after(|page| {
            enter_key(page);
            page.button("Create").click();
            page.wait_for_text("Required");
        }),
        at("records", "complaint", "/records/schedules/new").after(|page| {
            enter_key(page);
            page.field(starting("name")).fill("Late shift");
            page.field(starting("timeZone")).fill("Mars/Base");
            page.button("Create").click();
            page.wait_for_text("The service did not accept this");
        }),
    ]
}
