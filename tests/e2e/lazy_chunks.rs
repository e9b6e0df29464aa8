//! Lazy chunks: loaded only after the first view is shown, and loaded again after a failed
//! download.

use crate::common::{
    Fault, Faults, Key, ORGANIZATION_TEAM_BOOKINGS, Page, Service, open_page, starting,
};
use serde_json::json;

const PAGE: &str = r#"<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title>
    <script type="module" src="/embed/embed.js"></script>
    <body><booking-picker username="ada" event-slug="intro-call"></booking-picker></body></html>"#;

/// Chunk for the steps after a slot is selected.
const FORM_CHUNK: &str = "/embed/picker_form-";

/// Chunks for the steps after the booking list, and for roles.
const LIST_CHUNK: &str = "/embed/staff_actions-";
const ROLES_CHUNK: &str = "/embed/staff_roles-";
/// Chunk of the app for the screens of the team.
const APP_STAFF_CHUNK: &str = "/app_staff-";
/// Chunk for actions on roles.
const ROLE_TOOLS_CHUNK: &str = "/embed/staff_role_tools-";

fn open(faults: &Faults) -> Page {
    faults.page("/page.html", &[], PAGE);
    let page = Page::open(&faults.url("/page.html"));
    page.record_errors();
    page
}

/// Opens a team element with the demo account.
fn open_staff(faults: &Faults, element: &str) -> Page {
    let body = format!(
        r#"<main><h1>Staff</h1><{element} heading-level="2" org-id="1" team-id="1"></{element}></main>
        <script>
          const getToken = async () => (await (await fetch("/demo/token", {{ method: "POST" }})).json()).accessToken;
          document.querySelector("{element}").session = {{ baseUrl: location.origin, getToken }};
        </script>"#
    );
    let page = open_page(faults, "", &body);
    page.record_errors();
    page
}

/// Selects the first free slot shown.
fn select_slot_shown(page: &Page) {
    let times = page.role("list", starting("Times on"));
    times.each("button").first().click();
}

fn fill_in_and_book(page: &Page) {
    page.field("Your name").fill("Grace Hopper");
    page.field("Email address").fill("grace@example.org");
    page.button("Confirm booking").click();
    page.heading(starting("You’re booked for")).wait();
}

#[test]
fn form_chunk_is_loaded_after_slots_are_shown() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.always("GET", "/v2/slots", Fault::Hang);
    let page = open(&faults);
    page.wait_until("the slots request", || faults.hanging() > 0);
    assert_eq!(faults.count("GET", FORM_CHUNK), 0);
    faults.clear();
    faults.release();
    page.wait_until("the form chunk", || faults.count("GET", FORM_CHUNK) == 1);
    select_slot_shown(&page);
    page.heading("Your details").wait();
    fill_in_and_book(&page);
    assert_eq!(faults.count("GET", FORM_CHUNK), 1);
    page.assert_no_errors();
}

#[test]
fn failed_form_chunk_is_reported_when_needed_and_loaded_again() {
    let service = Service::start();
    for (lost, sentence) in [
        (Fault::Drop, "cannot be reached"),
        (Fault::Status(404, "gone"), "cannot be reached"),
        (Fault::Html, "cannot be reached"),
    ] {
        // A new origin each time: browsers cache chunks that have loaded.
        let faults = Faults::before(&service);
        faults.always("GET", FORM_CHUNK, lost);
        let page = open(&faults);
        page.role("list", starting("Times on")).wait();
        page.wait_until("the failed form chunk", || {
            faults.count("GET", FORM_CHUNK) > 0
        });
        assert!(!page.shows(sentence), "the chunk is not needed yet");
        select_slot_shown(&page);
        page.wait_for_text(sentence);
        page.button("Change time").click();
        select_slot_shown(&page);
        page.wait_for_text(sentence);
        faults.clear();
        page.button("Try again").click();
        page.heading("Your details").wait();
        fill_in_and_book(&page);
        page.assert_no_errors();
    }
}

#[test]
fn time_zone_dialog_loads_with_the_form_chunk_and_takes_focus() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.always("GET", FORM_CHUNK, Fault::Hang);
    let page = open(&faults);
    page.role("list", starting("Times on")).wait();
    page.button(starting("Time zone:")).click();
    page.role("dialog", "Time zone").wait();
    page.wait_until("the form chunk request", || faults.hanging() > 0);
    faults.clear();
    faults.release();
    page.wait_until("the field to have the focus", || {
        page.focus().starts_with("combobox")
    });
    page.type_text("Tokyo");
    page.role("option", starting("Tokyo")).wait();
    page.press(Key::Enter);
    page.button(starting("Time zone: Asia/Tokyo")).wait();
    page.assert_no_errors();
}

#[test]
fn list_chunk_is_loaded_after_rows_are_shown_without_roles() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.always("GET", ORGANIZATION_TEAM_BOOKINGS, Fault::Hang);
    let page = open_staff(&faults, "booking-list");
    page.wait_until("the list request", || faults.hanging() > 0);
    assert_eq!(faults.count("GET", LIST_CHUNK), 0);
    faults.clear();
    faults.release();
    page.wait_until("the list chunk", || faults.count("GET", LIST_CHUNK) == 1);
    page.css(".booking-open").first().click();
    page.css(".details").wait();
    assert_eq!(faults.count("GET", LIST_CHUNK), 1);
    assert_eq!(faults.count("GET", ROLES_CHUNK), 0);
    page.assert_no_errors();
}

#[test]
fn failed_list_chunk_is_reported_when_needed_and_loaded_again() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.always("GET", LIST_CHUNK, Fault::Drop);
    let page = open_staff(&faults, "booking-list");
    page.css("tr.booking").first().wait();
    page.wait_until("the failed list chunk", || {
        faults.count("GET", LIST_CHUNK) > 0
    });
    let sentence = "cannot be reached";
    assert!(!page.shows(sentence), "the chunk is not needed yet");
    page.css(".booking-open").first().click();
    page.wait_for_text(sentence);
    page.button("Filters").click();
    page.css("#filters").button("Try again").wait();
    page.assert_accessible("a failed list chunk");
    faults.clear();
    page.css("#filters").button("Try again").click();
    page.field("Dates").wait();
    page.css(".details").wait();
    page.assert_no_errors();
}

#[test]
fn app_loads_its_page_again_when_a_chunk_is_gone() {
    let service = Service::start();
    let faults = Faults::before(&service);
    // As after an update: the page still names the old file.
    faults.always("GET", APP_STAFF_CHUNK, Fault::Status(404, "gone"));
    let page = Page::open(&faults.url("/sign-in"));
    page.button("Try again").wait();
    page.run("window.isOldPage = true", &[]);
    page.button("Try again").click();
    page.button("Try again").wait();
    assert_eq!(page.run("return window.isOldPage", &[]), json!(true));
    // While the service is down, the page stays.
    faults.always("GET", "/sign-in", Fault::Status(503, "busy"));
    let chunks = faults.count("GET", APP_STAFF_CHUNK);
    page.button("Try again").click();
    page.wait_until("another request for the chunk", || {
        faults.count("GET", APP_STAFF_CHUNK) > chunks
    });
    page.button("Try again").wait();
    assert_eq!(page.run("return window.isOldPage", &[]), json!(true));
    faults.clear();
    page.button("Try again").click();
    page.button("Use the demo account").wait();
    assert_eq!(page.run("return window.isOldPage", &[]), json!(null));
}

#[test]
fn app_that_cannot_be_loaded_says_so() {
    let service = Service::start();
    let faults = Faults::before(&service);
    for path in ["/ada/intro-call", "/sign-in"] {
        faults.always("GET", "/app_bg.wasm", Fault::Status(503, "busy"));
        let page = Page::open(&faults.url(path));
        page.text("This could not be shown").wait();
        faults.clear();
        page.button("Try again").click();
        page.heading(starting("")).wait();
        page.text("This could not be shown").wait_gone();
    }
}

#[test]
fn failed_role_chunks_are_loaded_again() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.always("GET", ROLES_CHUNK, Fault::Status(404, "gone"));
    faults.always("GET", ROLE_TOOLS_CHUNK, Fault::Status(404, "gone"));
    let page = open_staff(&faults, "booking-roles");
    page.wait_for_text("cannot be reached");
    assert_eq!(
        faults.count("GET", ROLE_TOOLS_CHUNK),
        0,
        "role actions are not loaded"
    );
    faults.clear();
    faults.always("GET", ROLE_TOOLS_CHUNK, Fault::Status(404, "gone"));
    page.button("Try again").click();
    page.heading("Roles").wait();
    page.wait_until("the failed chunk of role actions", || {
        faults.count("GET", ROLE_TOOLS_CHUNK) > 0
    });
    assert!(
        !page.shows("cannot be reached"),
        "the chunk is not needed yet"
    );
    page.button("New role").click();
    page.wait_for_text("cannot be reached");
    page.button("Back to roles").click();
    page.button("Scheduler").wait();
    page.button("New role").click();
    // A new download of the chunk fails, too.
    page.button("Try again").wait();
    faults.clear();
    page.button("Try again").click();
    page.wait_until("the focus on the name", || {
        page.focus() == "textbox \"Name\""
    });
    page.assert_no_errors();
}
