//! Event types whose visitors verify their e-mail address by a code.

use crate::common::{
    Engine, Fault, Faults, Locator, PARTNER_CALL, Page, Service, fill_in, free_slots, open_page,
    picker_overflow, select_slot, starting,
};
use serde_json::json;

const REQUEST: &str = "/v2/verified-resources/emails/verification-code/request";

fn service() -> Service {
    let service = Service::start();
    service.update_event_type(
        PARTNER_CALL,
        &json!({ "hidden": false, "requiresBookerEmailVerification": true }),
    );
    service
}

fn open(faults: &Faults) -> Page {
    let picker =
        r#"<main><h1>Book a call</h1><booking-picker event-type-id="6"></booking-picker></main>"#;
    open_page(faults, "", picker)
}

/// Fills in the form of a free slot and submits it.
fn submit<'page>(service: &Service, page: &'page Page) -> Locator<'page> {
    let picker = page.css("booking-picker");
    let free = free_slots(service, page, PARTNER_CALL)[2].clone();
    select_slot(page, &picker, &free);
    fill_in(&picker);
    picker.button("Confirm booking").click();
    picker
}

/// Returns the code of the latest message, which the demo shows.
fn latest_code(service: &Service) -> String {
    let messages = service.visitor().get("/demo/mail.json").json();
    let messages = messages.as_array().expect("messages");
    let codes = messages
        .iter()
        .filter(|message| message["kind"] == "verification_code");
    let latest = codes.max_by_key(|message| message["id"].as_i64());
    let text = latest.expect("a message")["text"].as_str().expect("a text");
    let mut words = text.split(|letter: char| !letter.is_ascii_digit());
    words
        .rfind(|word| word.len() == 6)
        .expect("a code")
        .to_owned()
}

fn wrong(code: &str) -> String {
    let number: u32 = code.parse().expect("a number");
    format!("{:06}", (number + 1) % 1_000_000)
}

#[test]
fn visitor_enters_code_of_message_and_books() {
    let service = service();
    let faults = Faults::before(&service);
    let page = open(&faults);
    let picker = submit(&service, &page);
    picker.heading("Check your email").wait();
    page.wait_for_text("grace@example.org");
    let code = picker.field("Code");
    assert_eq!(
        code.attribute("autocomplete").as_deref(),
        Some("one-time-code")
    );
    assert_eq!(code.attribute("inputmode").as_deref(), Some("numeric"));
    page.wait_until("the focus on the code", || page.focus().contains("Code"));
    page.assert_accessible("code");
    // Windows of other browsers cannot be as narrow.
    if page.engine() == Engine::Chromium {
        page.resize(320, 700);
        assert!(picker_overflow(&page) < 1.0, "{}", picker_overflow(&page));
    }

    picker.button("Confirm booking").click();
    page.wait_for_text("Enter the 6 digits of the code.");
    let sent = latest_code(&service);
    code.fill(&wrong(&sent));
    page.wait_for_text("This code is not correct.");
    // As people paste it.
    let (first, last) = sent.split_at(3);
    code.replace(&format!(" {first} {last}"));
    picker.heading(starting("You’re booked for")).wait();
    assert_eq!(faults.count("POST", REQUEST), 1);
    page.assert_no_errors();
}

#[test]
fn changed_address_keeps_the_form_and_gets_its_own_code() {
    let service = service();
    let faults = Faults::before(&service);
    let page = open(&faults);
    let picker = submit(&service, &page);
    picker.field("Code").wait();
    assert!(
        picker
            .button(starting("Resend in"))
            .attribute("aria-disabled")
            .is_some()
    );
    picker.button("Change email address").click();
    let email = picker.field("Email address");
    email.wait();
    assert_eq!(picker.field("Your name").value(), "Grace Hopper");
    // The code of the same address can be entered without another message.
    picker.button("Confirm booking").click();
    picker.field("Code").wait();
    assert_eq!(faults.count("POST", REQUEST), 1);
    picker.button("Change email address").click();
    email.fill("hopper@example.org");
    picker.button("Confirm booking").click();
    page.wait_for_text("hopper@example.org");
    let code = latest_code(&service);
    picker.field("Code").replace(&code);
    picker.heading(starting("You’re booked for")).wait();
    assert_eq!(faults.count("POST", REQUEST), 2);
    page.assert_no_errors();
}

/// Opens the picker with a key of `demo.json` as token.
fn open_with_token(service: &Service, faults: &Faults, key: &str) -> Page {
    let page = open(faults);
    let token = service.demo_text(key);
    page.run(
        "document.querySelector('booking-picker').session = { baseUrl: location.origin, token: arguments[0] }",
        &[json!(token)],
    );
    page
}

#[test]
fn host_who_books_for_a_customer_needs_no_code() {
    let service = service();
    let faults = Faults::before(&service);
    let page = open_with_token(&service, &faults, "apiKey");
    let picker = submit(&service, &page);
    picker.heading(starting("You’re booked for")).wait();
    assert_eq!(faults.count("POST", REQUEST), 0);
    page.assert_no_errors();
}

#[test]
fn signed_in_visitor_is_asked_for_a_code_once_the_service_requires_it() {
    let service = service();
    let faults = Faults::before(&service);
    let page = open_with_token(&service, &faults, "userKey");
    let picker = submit(&service, &page);
    picker.heading("Check your email").wait();
    assert_eq!(faults.count("POST", "/v2/bookings"), 1);
    picker.field("Code").replace(&latest_code(&service));
    picker.heading(starting("You’re booked for")).wait();
    assert_eq!(faults.count("POST", REQUEST), 1);
    assert_eq!(faults.count("POST", "/v2/bookings"), 2);
    page.assert_no_errors();
}

#[test]
fn service_without_codes_is_left_for_its_own_page() {
    let service = service();
    let faults = Faults::before(&service);
    faults.always("POST", REQUEST, Fault::Status(401, "no credentials"));
    let page = open(&faults);
    submit(&service, &page);
    page.wait_for_text("This is booked on a separate page");
}

#[test]
fn code_that_was_not_sent_is_not_said_to_be() {
    let service = service();
    let faults = Faults::before(&service);
    faults.next("POST", REQUEST, Fault::Status(429, "Too Many Requests"));
    let page = open(&faults);
    submit(&service, &page);
    page.wait_for_text("No more codes can be sent at the moment.");
    assert!(!page.shows("code we sent"));
    page.assert_no_errors();
}
