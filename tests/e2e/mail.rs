//! Messages of the demo's outbox: their links move, cancel and confirm bookings.

use crate::common::{
    DESIGN_REVIEW, FreeSlot, INTRO_CALL, Page, Service, booking_at, fill_in, free_slots,
    select_slot, slots_of_day, starting,
};
use serde_json::Value;

/// Messages, oldest first.
fn messages(service: &Service) -> Vec<Value> {
    let listed = service.visitor().get("/demo/mail.json").json();
    let mut messages = listed.as_array().expect("messages").clone();
    messages.reverse();
    messages
}

/// Waits for the latest message of a kind to a role.
fn message(page: &Page, service: &Service, kind: &str, role: &str) -> Value {
    let mut found = None;
    page.wait_until(&format!("a message: {kind} to {role}"), || {
        let is_wanted = |message: &Value| message["kind"] == kind && message["role"] == role;
        found = messages(service).into_iter().rfind(is_wanted);
        found.is_some()
    });
    found.expect("a message")
}

/// Opens a message as a mail program shows it.
fn open(page: &Page, service: &Service, message: &Value) {
    page.go(&service.url(&format!("/demo/mail/{}/html", message["id"])));
}

/// Returns the value of a property in the invitation.
fn property(message: &Value, name: &str) -> String {
    let invitation = message["invitation"].as_str().expect("an invitation");
    let unfolded = invitation.replace("\r\n ", "");
    let start = format!("{name}:");
    let line = unfolded.lines().find_map(|line| line.strip_prefix(&*start));
    line.expect(name).to_owned()
}

fn sequence(message: &Value) -> i64 {
    property(message, "SEQUENCE").parse().expect("a number")
}

fn status(service: &Service, uid: &str) -> Value {
    let path = format!("/v2/bookings/{uid}");
    service.visitor().get(&path).data()["status"].clone()
}

/// Books in the app, so that the message is in the visitor's zone, and returns the slots.
fn book(service: &Service, page: &Page) -> Vec<FreeSlot> {
    let all = free_slots(service, page, INTRO_CALL);
    let picker = page.css("main");
    select_slot(page, &picker, &all[2]);
    fill_in(&picker);
    picker.button("Confirm booking").click();
    picker.heading(starting("You’re booked for")).wait();
    all
}

#[test]
fn visitor_reschedules_and_cancels_by_links_of_messages() {
    let service = Service::start();
    let page = Page::open(&service.url("/ada/intro-call"));
    let all = book(&service, &page);

    // As a newcomer finds it.
    let booked = message(&page, &service, "booked", "attendee");
    page.go(&service.url("/demo/mail"));
    let subject = booked["subject"].as_str().expect("a subject");
    assert!(subject.contains(&all[2].time), "{subject}");
    page.link(starting(subject)).click();
    page.heading(subject).wait();
    page.css("iframe").wait();
    assert_eq!(property(&booked, "METHOD"), "REQUEST");

    open(&page, &service, &booked);
    page.heading("You’re booked").wait();
    page.assert_accessible("message");
    page.link("Reschedule").click();
    page.wait_for_text("Current time");
    let picker = page.css("main");
    let target = all
        .iter()
        .rfind(|free| free.start != all[2].start)
        .expect("another time")
        .clone();
    let day = picker.button(starting(&format!("{},", target.day)));
    picker.role("list", starting("Times on")).wait();
    if !day.exists() {
        picker.button("Next month").click();
    }
    page.wait_until("the day to be free", || day.is_enabled());
    day.click();
    slots_of_day(&picker, &target)
        .button(target.time.as_str())
        .click();
    picker.heading(starting("Reschedule to ")).wait();
    picker.button(starting("Reschedule")).click();
    picker.heading(starting("Rescheduled to")).wait();

    let rescheduled = message(&page, &service, "rescheduled", "attendee");
    assert_eq!(property(&rescheduled, "UID"), property(&booked, "UID"));
    assert!(sequence(&rescheduled) > sequence(&booked));

    // The link of the earlier message does nothing any more.
    open(&page, &service, &booked);
    page.link("Cancel booking").click();
    page.heading("This link is out of date").wait();

    open(&page, &service, &rescheduled);
    page.link("Cancel booking").click();
    page.heading("Cancel this booking?").wait();
    // The app's page of the booking.
    page.button("Keep booking").wait();
    page.assert_accessible("question");
    page.field(starting("Reason for cancelling"))
        .fill("A train strike");
    page.button("Cancel booking").click();
    page.heading("This booking is cancelled").wait();
    let cancelled = message(&page, &service, "cancelled", "attendee");
    assert_eq!(property(&cancelled, "METHOD"), "CANCEL");
    assert_eq!(property(&cancelled, "UID"), property(&booked, "UID"));
    assert!(sequence(&cancelled) > sequence(&rescheduled));
    let host = message(&page, &service, "cancelled", "host");
    let text = host["text"].as_str().expect("a text");
    assert!(text.contains("A train strike"), "{text}");
}

#[test]
fn visitor_corrects_a_mistyped_address() {
    let service = Service::start();
    let page = Page::open(&service.url("/ada/intro-call"));
    book(&service, &page);
    let picker = page.css("main");
    page.wait_for_text("We’ve emailed the details to grace@example.org.");
    picker.button("Wrong address?").click();
    let field = picker.field("Email address");
    field.wait();
    page.wait_until("the focus on the field", || {
        page.focus().contains("Email address")
    });
    assert_eq!(field.value(), "grace@example.org");
    picker.button("Keep").click();
    page.wait_until("the focus on the button", || {
        page.focus().contains("Wrong address?")
    });

    picker.button("Wrong address?").click();
    picker.button("Send again").click();
    page.wait_for_text("This is the address you entered.");
    field.fill("grace@example");
    picker.button("Send again").click();
    page.wait_for_text("Enter a full email address, like name@example.com.");
    assert!(field.attribute("aria-describedby").is_some());
    page.assert_accessible("mistyped address");
    page.resize(320, 700);
    assert_eq!(page.layout_problems(), Vec::<String>::new());
    field.fill("hopper@example.org");
    picker.button("Send again").click();
    page.wait_for_text("We’ve emailed the details to hopper@example.org.");
    page.wait_for_text("Sent again to hopper@example.org.");
    page.wait_until("the focus on the button", || {
        page.focus().contains("Wrong address?")
    });
    page.assert_accessible("corrected address");
    let is_booked = |message: &Value| message["kind"] == "booked" && message["role"] == "attendee";
    let corrected = messages(&service).into_iter().rfind(is_booked);
    let corrected = corrected.expect("a message");
    assert!(
        corrected.to_string().contains("hopper@example.org"),
        "{corrected}"
    );
    assert_eq!(property(&corrected, "METHOD"), "REQUEST");

    // Another booking begins with the correct address.
    picker.button("Book another meeting").click();
    let free = free_slots(&service, &page, INTRO_CALL)[3].clone();
    select_slot(&page, &picker, &free);
    let email = picker.field("Email address");
    email.wait();
    assert_eq!(email.value(), "hopper@example.org");
    picker.button("Confirm booking").click();
    picker.heading(starting("You’re booked for")).wait();
    // Ten minutes later, nothing can be corrected.
    page.run("const now = Date.now; Date.now = () => now() + 600000", &[]);
    picker.button("Wrong address?").click();
    page.wait_until("the button to go", || {
        !picker.button("Wrong address?").exists()
    });
}

#[test]
fn host_confirms_by_link_of_message() {
    let service = Service::start();
    let page = Page::open(&service.url("/"));
    let uid = booking_at(&service, DESIGN_REVIEW, 3);
    assert_eq!(status(&service, &uid), "pending");
    let requested = message(&page, &service, "requested", "host");
    open(&page, &service, &requested);
    page.link("Confirm").click();
    page.heading("Confirm this booking?").wait();
    // Opening the link has changed nothing.
    assert_eq!(status(&service, &uid), "pending");
    page.button("Confirm").click();
    page.heading("Booking confirmed").wait();
    assert_eq!(status(&service, &uid), "accepted");
    let confirmed = message(&page, &service, "confirmed", "attendee");
    assert_eq!(property(&confirmed, "METHOD"), "REQUEST");
    open(&page, &service, &requested);
    page.link("Decline").click();
    page.heading("This booking is already confirmed").wait();
    page.link("Open booking").wait();
    assert_eq!(status(&service, &uid), "accepted");
}
