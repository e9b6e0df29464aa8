//! Scenes of the API version 1 records.

use std::sync::OnceLock;

use crate::common::{Fault, Page, starting};

use super::{Scene, at};

/// API key for the records of the service in the screenshots.
pub(crate) static KEY: OnceLock<String> = OnceLock::new();

fn opened(page: &Page) {
    let key = KEY.get().map(String::as_str).unwrap_or_default();
    page.field("API key").fill(key);
    page.button("Show records").click();
    page.field("API key").wait_gone();
}

fn listed(page: &Page) {
    opened(page);
    page.css(".records-table").wait();
}

fn shown(page: &Page) {
    opened(page);
    page.button("Edit").wait();
}

pub(super) fn scenes() -> Vec<Scene> {
    vec![
        at("records", "key", "/records"),
        at("records", "key-refused", "/records/teams").after(|page| {
            page.field("API key").fill("svc_of_nobody");
            page.button("Show records").click();
            page.wait_for_text("does not know this key");
        }),
        at("records", "resources", "/records").after(listed),
        at("records", "event-types", "/records/event-types").after(listed),
        at("records", "attendees", "/records/attendees").after(listed),
        at("records", "filters", "/records/event-types?slug=intro-call").after(listed),
        at("records", "slots", "/records/slots").after(opened),
        at("records", "by-id-only", "/records/bookings").after(opened),
        at("records", "nothing", "/records/webhooks").after(|page| {
            opened(page);
            page.wait_for_text("Nothing here");
        }),
        at("records", "unreachable", "/records/teams")
            .with(|faults| faults.always("GET", "/v1/teams", Fault::Drop))
            .after(|page| {
                opened(page);
                page.button("Try again").wait();
            }),
        at("records", "event-type", "/records/event-types/3").after(shown),
        at("records", "booking", "/records/bookings/1").after(shown),
        at("records", "schedule", "/records/schedules/1").after(shown),
        at("records", "edit", "/records/event-types/1").after(|page| {
            shown(page);
            page.button("Edit").click();
            page.field("metadata").wait();
        }),
        at("records", "delete", "/records/bookings/1").after(|page| {
            shown(page);
            page.button("Cancel booking").click();
            page.heading("Are you sure?").wait();
        }),
        at("records", "new", "/records/webhooks/new").after(|page| {
            opened(page);
            page.button("Create").click();
            page.wait_for_text("Please fill this in.");
        }),
        at("records", "complaint", "/records/schedules/new").after(|page| {
            opened(page);
            page.field(starting("name")).fill("Late shift");
            page.field(starting("timeZone")).fill("Mars/Base");
            page.button("Create").click();
            page.wait_for_text("The service did not accept this");
        }),
    ]
}
