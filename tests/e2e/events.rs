//! Events of every element, and the parts that a page can style.

use crate::common::{
    BOOKINGS, Fault, Faults, INTRO_CALL, Page, RESERVATIONS, Service, fill_in, free_slots,
    open_page, select_slot, starting,
};
use crate::hooks::recorded;
use serde_json::{Value, json};

/// Script for elements with a class but no part: unstylable for pages.
const WITHOUT_PARTS: &str = "
    const root = document.querySelector(arguments[0]).shadowRoot;
    const all = [...root.querySelectorAll('[class]')];
    return [all.length, all.filter((each) => !each.part.length).map((each) => each.className)];
";

/// Asserts that every element with a class has a part, and that there are some.
fn assert_parts(page: &Page, element: &str) {
    let found = page.run(WITHOUT_PARTS, &[json!(element)]);
    assert!(found[0].as_u64() > Some(10), "{found}");
    assert_eq!(found[1], json!([]), "without a part");
}

#[test]
fn ready_is_dispatched_once_and_ids_survive_a_reset() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_page(
        &faults,
        "",
        r#"<script>
          window.events = [];
          for (const name of ["ready", "range-changed", "slots-loaded", "slot-selected", "form-back"]) {
            document.addEventListener(name, (event) => {
              events.push({ name, ...event.detail });
              // What is called on an element that is ready is obeyed.
              if (name === "ready") events.push({ name: "obeyed", is: event.target.goTo("2027-01-12") });
            });
          }
        </script>
        <booking-picker username="ada" event-slug="intro-call"></booking-picker>"#,
    );
    page.wait_until("the first times", || {
        !recorded(&page, "slots-loaded").is_empty()
    });
    assert_eq!(recorded(&page, "ready").len(), 1);
    assert_eq!(
        recorded(&page, "obeyed"),
        [json!({ "name": "obeyed", "is": true })]
    );
    page.wait_for_text("January 2027");

    let first = recorded(&page, "slots-loaded")[0].clone();
    page.run("document.querySelector('booking-picker').reset()", &[]);
    page.wait_until("slots after the reset", || {
        recorded(&page, "slots-loaded").len() >= 2
    });
    page.run(
        "document.querySelector('booking-picker').session = { baseUrl: location.origin }",
        &[],
    );
    page.wait_until("times of the session", || {
        recorded(&page, "slots-loaded").len() >= 3
    });
    let last = recorded(&page, "slots-loaded").pop().expect("an event");
    assert_eq!(last["instanceId"], first["instanceId"], "{last}");
    assert_ne!(last["flowId"], first["flowId"], "{last}");
    let all = page.run("return events.filter(({ seq }) => seq)", &[]);
    let all: Vec<u64> = all
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(|each| each["seq"].as_u64())
        .collect();
    assert!(
        all.len() >= 4 && all.is_sorted_by(|one, next| one < next),
        "{all:?}"
    );
    assert_eq!(recorded(&page, "ready").len(), 1, "one ready event");
    page.assert_no_errors();
}

#[test]
fn every_class_has_a_part() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_page(
        &faults,
        "",
        r#"<style>booking-picker::part(picker-zone) { outline: 3px solid rgb(1, 2, 3) }</style>
           <booking-picker username="ada" event-slug="consultation"></booking-picker>
           <booking-list org-id="1" team-id="1"></booking-list>
           <booking-roles org-id="1" team-id="1"></booking-roles>"#,
    );
    let give = "for (const each of document.querySelectorAll('booking-list, booking-roles')) \
                each.session = { baseUrl: location.origin, token: arguments[0] }";
    page.run(give, &[json!(service.demo_text("apiKey"))]);
    let picker = page.css("booking-picker");
    picker.role("list", starting("Times on")).wait();
    let outline = "return getComputedStyle(document.querySelector('booking-picker').shadowRoot\
                   .querySelector('.picker-zone')).outlineColor";
    assert_eq!(page.run(outline, &[]), "rgb(1, 2, 3)");
    assert_parts(&page, "booking-picker");
    picker
        .role("list", starting("Times on"))
        .each("button")
        .first()
        .click();
    picker.button("Confirm booking").wait();
    assert_parts(&page, "booking-picker");
    page.run(
        "document.querySelector('booking-list').scrollIntoView()",
        &[],
    );
    page.css("booking-list").button("Export").wait();
    page.wait_for_quiet();
    assert_parts(&page, "booking-list");
    page.run(
        "document.querySelector('booking-roles').scrollIntoView()",
        &[],
    );
    page.css("booking-roles").button("New role").click();
    page.css("booking-roles").field("Name").wait();
    assert_parts(&page, "booking-roles");
    page.assert_no_errors();
}

const ANSWER_EVENTS: &str = r#"
    window.events = [];
    for (const name of ["before-reserve", "slot-reserve-failed", "booking-created", "booking-cancel-failed"]) {
      document.addEventListener(name, (event) => {
        events.push({ name, ...event.detail });
        if (name === "before-reserve") event.respondWith(new Promise((done) => window.agree = done));
      });
    }
    document.addEventListener("before-submit", (event) => event.respondWith({
      metadata: { ["k".repeat(41)]: "dropped", long: "ä".repeat(600), nested: { a: 1 } },
      utm: { source: "letter" },
    }));
"#;

#[test]
fn unanswered_event_does_not_block_booking_and_metadata_is_limited() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_page(
        &faults,
        "",
        r#"<booking-picker username="ada" event-slug="intro-call"></booking-picker>"#,
    );
    page.run(ANSWER_EVENTS, &[]);
    let picker = page.css("booking-picker");
    let free = free_slots(&service, &page, INTRO_CALL);

    // Going back before the page has responded makes no reservation.
    select_slot(&page, &picker, &free[0]);
    page.wait_until("the event", || recorded(&page, "before-reserve").len() == 1);
    picker.button("Change time").click();
    picker.role("list", starting("Times on")).wait();
    page.run("agree(true)", &[]);
    page.wait_for_quiet();
    assert_eq!(faults.count("POST", RESERVATIONS), 0);

    select_slot(&page, &picker, &free[0]);
    fill_in(&picker);
    page.wait_until("the next event", || {
        recorded(&page, "before-reserve").len() == 2
    });
    picker.button("Confirm booking").click();
    picker.heading(starting("You’re booked for")).wait();
    assert_eq!(faults.count("POST", RESERVATIONS), 0);
    assert_eq!(recorded(&page, "slot-reserve-failed").len(), 1);
    let sent: Value = serde_json::from_str(&faults.bodies("POST", BOOKINGS)[0]).expect("JSON");
    assert_eq!(
        sent["metadata"],
        json!({ "long": "ä".repeat(500), "utm_source": "letter" })
    );

    // A failed cancellation dispatches an event.
    picker.button("Cancel booking").click();
    picker.field("Reason for cancelling (optional)").wait();
    faults.next("POST", &format!("{BOOKINGS}/"), Fault::Status(400, "no"));
    picker.button("Cancel booking").click();
    page.wait_until("the failure", || {
        recorded(&page, "booking-cancel-failed").len() == 1
    });
    let failure = &recorded(&page, "booking-cancel-failed")[0];
    assert_eq!(failure["code"], "invalid");
    assert_eq!(failure["uid"], recorded(&page, "booking-created")[0]["uid"]);
    assert_eq!(
        failure["flowId"].as_str().map(|id| id.ends_with("-2")),
        Some(true),
        "{failure}"
    );
}
