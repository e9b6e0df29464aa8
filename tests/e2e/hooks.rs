//! Cancelable events and `respondWith`, and the page's own content in place of ours.

use crate::common::{
    BOOKINGS, Fault, Faults, INTRO_CALL, Page, RESERVATIONS, Service, fill_in, free_slots,
    open_page, select_slot, starting,
};
use serde_json::{Value, json};

/// Script that records these events and responds with the entry in `answers`: `stop` cancels the event,
/// other texts are scripts.
const RECORD_AND_ANSWER: &str = r#"
    window.events = [];
    window.answers = {};
    for (const name of arguments[0]) {
      document.addEventListener(name, (event) => {
        events.push({ name, ...event.detail });
        const answer = answers[name];
        if (answer === "stop") event.preventDefault();
        else if (answer) event.respondWith(window.eval(answer));
      });
    }
"#;

fn set_answer(page: &Page, name: &str, set_answer: &str) {
    page.run(
        "answers[arguments[0]] = arguments[1]",
        &[json!(name), json!(set_answer)],
    );
}

/// Returns the recorded events of a name, oldest first.
pub(crate) fn recorded(page: &Page, name: &str) -> Vec<Value> {
    let recorded = page.run("return events", &[]);
    let recorded = recorded.as_array().into_iter().flatten();
    recorded
        .filter(|each| each["name"] == name)
        .cloned()
        .collect()
}

#[test]
fn page_stops_a_booking_adds_metadata_and_fills_slots() {
    let service = Service::start();
    let faults = Faults::strictly_before(&service);
    let page = open_page(
        &faults,
        "",
        r#"<booking-picker username="ada" event-slug="intro-call" dialect="cal" event-detail="full">
          <p slot="header">Ada’s own words</p>
          <p slot="confirmation">See you soon</p>
        </booking-picker>"#,
    );
    page.run(
        RECORD_AND_ANSWER,
        &[json!([
            "before-reserve",
            "before-submit",
            "booking-created",
            "booking-submitted"
        ])],
    );
    let picker = page.css("booking-picker");
    let free = free_slots(&service, &page, INTRO_CALL)[0].clone();
    page.wait_for_text("Ada’s own words");
    assert!(!page.shows("See you soon"));

    // No reservation is made, and the form works without one.
    set_answer(&page, "before-reserve", "stop");
    select_slot(&page, &picker, &free);
    fill_in(&picker);
    page.wait_until("the first event", || {
        recorded(&page, "before-reserve").len() == 1
    });
    assert_eq!(
        recorded(&page, "before-reserve")[0]["start"],
        json!(free.start.to_string())
    );
    assert_eq!(faults.count("POST", RESERVATIONS), 0);

    // No booking is sent while the page cancels the event.
    set_answer(&page, "before-submit", "stop");
    picker.button("Confirm booking").click();
    page.wait_until("the second event", || {
        recorded(&page, "before-submit").len() == 1
    });
    let question = &recorded(&page, "before-submit")[0];
    assert_eq!(question["action"], "book");
    assert_eq!(
        question["booking"]["attendee"]["name"], "Grace Hopper",
        "{question}"
    );
    set_answer(
        &page,
        "before-submit",
        "Promise.reject(new Error('Are you a robot?'))",
    );
    picker.button("Confirm booking").click();
    page.wait_for_text("Are you a robot?");
    assert_eq!(faults.count("POST", BOOKINGS), 0);
    assert_eq!(recorded(&page, "booking-submitted"), Vec::<Value>::new());
    assert_eq!(picker.field("Your name").value(), "Grace Hopper");

    // The response of the page is added to the request.
    set_answer(
        &page,
        "before-submit",
        "Promise.resolve({ metadata: { proof: 'human' } })",
    );
    picker.button("Confirm booking").click();
    picker.heading(starting("You’re booked for")).wait();
    page.wait_for_text("See you soon");
    let sent = faults.bodies("POST", BOOKINGS);
    assert!(
        sent[0].contains(r#""metadata":{"proof":"human"}"#),
        "{sent:?}"
    );
    let made = &recorded(&page, "booking-created")[0];
    assert_eq!(made["booking"]["email"], "grace@example.org", "{made}");
    assert_eq!(made["paymentRequired"], false);

    // Each group of operations has a version, and the request has no unknown keys.
    for (method, path, version) in [
        ("GET", "/v2/slots", "2024-09-04"),
        ("GET", "/v2/event-types", "2024-06-14"),
        ("POST", BOOKINGS, "2024-08-13"),
    ] {
        let versions = faults.headers(method, path, "cal-api-version");
        assert!(
            !versions.is_empty() && versions.iter().all(|sent| sent == version),
            "{path}"
        );
    }
    assert!(!sent[0].contains("reservedSlotUid"), "{sent:?}");

    // A cancellation dispatches the event, too.
    set_answer(&page, "before-submit", "stop");
    picker.button("Cancel booking").click();
    picker.field("Reason for cancelling (optional)").wait();
    picker.button("Cancel booking").click();
    page.wait_until("the last event", || {
        recorded(&page, "before-submit").len() == 4
    });
    assert_eq!(recorded(&page, "before-submit")[3]["action"], "cancel");
    assert_eq!(faults.count("POST", &format!("{BOOKINGS}/")), 0);
    page.assert_no_errors();
}

#[test]
fn page_stops_a_role_change_and_hears_permission_changes() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_page(
        &faults,
        "",
        r#"<booking-roles org-id="1" team-id="1"></booking-roles>"#,
    );
    page.run(
        RECORD_AND_ANSWER,
        &[json!([
            "before-role-save",
            "permission-changed",
            "role-save-failed",
            "role-created"
        ])],
    );
    let give = "document.querySelector('booking-roles').session = { baseUrl: location.origin, token: arguments[0] }";
    page.run(give, &[json!(service.demo_text("apiKey"))]);
    page.button("New role").click();
    page.field("Name").fill("Desk");
    page.field("Select all").click();
    page.wait_until("the permission event", || {
        !recorded(&page, "permission-changed").is_empty()
    });
    let change = recorded(&page, "permission-changed")
        .pop()
        .expect("a change");
    assert!(
        change["added"]
            .as_array()
            .is_some_and(|added| !added.is_empty()),
        "{change}"
    );

    let path = "/v2/organizations/1/teams/1/roles";
    set_answer(
        &page,
        "before-role-save",
        "Promise.reject(new Error('Ask Ada first'))",
    );
    page.button("Create role").click();
    page.wait_for_text("Ask Ada first");
    assert_eq!(faults.count("POST", path), 0);
    set_answer(&page, "before-role-save", "true");
    faults.next("POST", path, Fault::Status(400, "no"));
    page.button("Create role").click();
    page.wait_until("the failure event", || {
        recorded(&page, "role-save-failed").len() == 1
    });
    assert_eq!(recorded(&page, "role-save-failed")[0]["code"], "invalid");
    page.wait_for_text("This role could not be created");
    let changes = recorded(&page, "permission-changed").len();
    page.button("Create role").click();
    page.button("Desk").wait();
    // Clearing the form is no input of the user.
    assert_eq!(recorded(&page, "role-created").len(), 1);
    assert_eq!(recorded(&page, "permission-changed").len(), changes);
    assert_eq!(
        recorded(&page, "before-role-save")
            .last()
            .map(|recorded| recorded["added"].clone()),
        Some(change["added"].clone())
    );
    page.assert_no_errors();
}

#[test]
fn reservation_of_the_page_is_used_and_released() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_page(
        &faults,
        "",
        r#"<booking-picker username="ada" event-slug="intro-call"></booking-picker>"#,
    );
    page.run(
        RECORD_AND_ANSWER,
        &[json!(["before-reserve", "slot-reserved", "slot-released"])],
    );
    let picker = page.css("booking-picker");
    let all = free_slots(&service, &page, INTRO_CALL);
    // As a page's own server would: under an id that the picker has no part in.
    let own = r#"fetch("/v2/slots/reservations?by=page", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: `{"eventTypeId":1,"slotStart":"${events.at(-1).start}"}`,
      }).then((answer) => answer.json()).then(({ data }) =>
        ({ reservationUid: data.reservationUid, until: data.reservationUntil }))"#;
    set_answer(&page, "before-reserve", own);
    let by_page = || faults.count("POST", &format!("{RESERVATIONS}?by=page"));
    select_slot(&page, &picker, &all[0]);
    page.wait_for_text("Held for you");
    assert_eq!((by_page(), faults.count("POST", RESERVATIONS)), (1, 1));
    let reserved = recorded(&page, "slot-reserved");
    assert_eq!(reserved[0]["start"], json!(all[0].start.to_string()));

    // It is released like a reservation of the picker, and the next slot asks the page again.
    picker.button("Change time").click();
    page.wait_until("the release of the reservation", || {
        faults.count("DELETE", RESERVATIONS) == 1
    });
    assert_eq!(recorded(&page, "slot-released").len(), 1);
    select_slot(&page, &picker, &all[1]);
    page.wait_for_text("Held for you");
    assert_eq!((by_page(), faults.count("POST", RESERVATIONS)), (2, 2));
    fill_in(&picker);
    picker.button("Confirm booking").click();
    picker.heading(starting("You’re booked for")).wait();
    let sent = faults.bodies("POST", BOOKINGS).pop().expect("a booking");
    assert!(sent.contains("reservedSlotUid"), "{sent}");
    assert_eq!(
        faults.count("DELETE", RESERVATIONS),
        1,
        "the booking has consumed it"
    );

    // An invalid response of the page is no reservation: the picker makes its own.
    set_answer(
        &page,
        "before-reserve",
        "Promise.resolve({ reservationUid: 7, until: 'soon' })",
    );
    picker.button("Book another meeting").click();
    select_slot(&page, &picker, &all[2]);
    page.wait_for_text("Held for you");
    assert_eq!((by_page(), faults.count("POST", RESERVATIONS)), (2, 3));
    page.assert_no_errors();
}

#[test]
fn empty_slot_content_replaces_the_message() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let none = r#"{"status":"success","data":{}}"#;
    faults.page("/v2/slots", &[], none);
    let page = open_page(
        &faults,
        "",
        r#"<main><h1>Ada</h1><booking-picker username="ada" event-slug="intro-call">
          <p slot="empty">Ada is at sea: <a href="/list">join the waiting list</a></p>
        </booking-picker></main>"#,
    );
    page.run(RECORD_AND_ANSWER, &[json!(["no-slots", "slots-loaded"])]);
    let (own, times) = (page.link("join the waiting list"), starting("Times on"));
    own.wait();
    let picker = page.css("booking-picker");
    page.wait_for_text("Ada is at sea");
    page.wait_until("the search for the next available day", || {
        faults.count("GET", "/v2/slots") > 1
    });
    page.wait_for_quiet();
    let ours = picker.css(".notice");
    assert!(!ours.exists(), "only the page's own content");
    page.assert_accessible("no slots, with content of the page");

    // As soon as there are slots again, they are shown instead.
    faults.remove_page("/v2/slots");
    page.run("document.querySelector('booking-picker').refresh()", &[]);
    picker.role("list", times).wait();
    own.wait_gone();
    faults.page("/v2/slots", &[], none);
    page.run("document.querySelector('booking-picker').refresh()", &[]);
    own.wait();
    page.run("document.querySelector('p').remove()", &[]);
    ours.wait();
    page.assert_no_errors();
}
