//! Less common bookings: paid on another page, instant, with seats, or made with a service of
//! the cal dialect.

use crate::common::{
    Fault, Faults, GROUP_TRAINING, INTRO_CALL, Locator, PARTNER_CALL, Page, RESERVATIONS, Service,
    create_booking, each_event_type, fill_in, free_slots, is_cal_dialect, open_page, select_slot,
    starting,
};
use serde_json::{Value, json};

/// Opens an embedding page with a picker that has these attributes.
fn open(faults: &Faults, attributes: &str) -> Page {
    let picker = format!(
        "<main><h1>Somebody’s page</h1><booking-picker {attributes}></booking-picker></main>"
    );
    open_page(faults, "", &picker)
}

/// Returns the booking on screen, from the service.
fn stored(service: &Service, picker: &Locator) -> Value {
    let uid = picker.read_reference();
    service.owner().get(&format!("/v2/bookings/{uid}")).data()
}

#[test]
fn paid_booking_links_to_the_payment_page() {
    let service = Service::start();
    // Without a payment provider the service rejects a price: it is added to the response for the page.
    let policy = json!({ "type": "always", "blockUnconfirmedBookingsInBooker": true });
    let settings = json!({ "hidden": false, "confirmationPolicy": policy });
    service.update_event_type(PARTNER_CALL, &settings);
    let faults = Faults::before(&service);
    let path = match is_cal_dialect() {
        true => "/v2/teams/1/event-types",
        false => "/v2/event-types",
    };
    faults.rewrite(path, |answer| {
        each_event_type(answer, |event_type| {
            event_type["price"] = json!(2500);
            event_type["currency"] = json!("eur");
            event_type["confirmationPolicy"] = json!({ "disabled": true });
        });
    });
    let page = open(&faults, r#"event-type-id="6""#);
    let picker = page.css("booking-picker");
    page.wait_for_text("€25.00");
    let free = free_slots(&service, &page, PARTNER_CALL)[2].clone();
    select_slot(&page, &picker, &free);
    fill_in(&picker);
    picker.button("Confirm booking").click();
    picker.heading("One step left: payment").wait();
    let pay = page.link(starting("Pay at "));
    let path = format!("/v2/event-types/{PARTNER_CALL}");
    let event_type = service.owner().get(&path).data();
    assert_eq!(
        pay.attribute("href").as_deref(),
        event_type["bookingUrl"].as_str()
    );
    assert_eq!(stored(&service, &picker)["status"], "pending");
    page.assert_accessible("payment");
    page.assert_no_errors();
}

#[test]
fn instant_meeting_waits_for_a_host() {
    let service = Service::start();
    let settings = json!({ "hidden": false, "isInstantEvent": true });
    service.update_event_type(PARTNER_CALL, &settings);
    let faults = Faults::before(&service);
    let page = open(&faults, r#"event-type-id="6""#);
    let picker = page.css("booking-picker");
    picker.button("Meet now").click();
    picker.heading("Your details").wait();
    fill_in(&picker);
    picker.button("Confirm booking").click();
    picker.heading("Waiting for a host").wait();
    let sent = faults.bodies("POST", "/v2/bookings").pop().expect("a call");
    let sent: Value = serde_json::from_str(&sent).expect("JSON");
    assert_eq!(sent["instant"], true);
    assert_eq!(faults.count("POST", RESERVATIONS), 0, "no slot to reserve");
    assert_eq!(stored(&service, &picker)["status"], "awaiting_host");
    page.assert_accessible("waiting for a host");
    page.assert_no_errors();
}

#[test]
fn seat_is_found_by_its_uid_and_cancelled_alone() {
    let service = Service::start();
    service.update_event_type(GROUP_TRAINING, &json!({ "hidden": false }));
    let faults = Faults::before(&service);
    let page = Page::open(&service.url("/"));
    let all = free_slots(&service, &page, GROUP_TRAINING);
    let free = all.last().expect("a time").clone();
    let seat = |person| {
        let made = create_booking(&service, GROUP_TRAINING, free.start, person, &json!({}));
        assert_eq!(made.status, 201, "{made:?}");
        made.data()
    };
    let first = seat(("Ada Lovelace", "lovelace@example.org"));
    let second = seat(("Grace Hopper", "grace@example.org"));
    assert_eq!(first["uid"], second["uid"]);
    let uid = second["seatUid"].as_str().expect("a seat");
    let html = format!(
        r#"<!doctype html><html lang="en-US"><meta charset="utf-8"><title>Your seat</title>
        <script type="module" src="/embed/embed.js"></script>
        <body><booking-picker seat-uid="{uid}"></booking-picker></body></html>"#
    );
    faults.page("/seat.html", &[], &html);
    page.go(&faults.url("/seat.html"));
    page.record_errors();
    let picker = page.css("booking-picker");
    picker.heading("Your booking").wait();
    page.wait_for_text(free.title());
    let references = "return document.querySelector('booking-picker').shadowRoot\
                      .querySelector('.confirmation-references').textContent.includes(arguments[0])";
    assert_eq!(page.run(references, &[json!(uid)]), json!(true));
    picker.button("Cancel booking").click();
    picker.heading("Cancel this booking?").wait();
    picker.button("Cancel booking").click();
    picker.heading("This booking is cancelled").wait();
    let path = format!("/v2/bookings/{}", first["uid"].as_str().expect("a uid"));
    let left = service.owner().get(&path).data();
    assert_eq!(left["status"], "accepted");
    let emails: Vec<&Value> = left["attendees"]
        .as_array()
        .into_iter()
        .flatten()
        .map(|attendee| &attendee["email"])
        .collect();
    assert_eq!(emails, ["lovelace@example.org"]);
    page.assert_no_errors();
}

/// Services of the cal dialect may count the visitor's own reservation as another visitor's.
#[test]
fn reservation_is_released_before_the_booking_in_the_cal_dialect() {
    let service = Service::start();
    let faults = Faults::strictly_before(&service);
    let page = open(
        &faults,
        r#"username="ada" event-slug="intro-call" dialect="cal""#,
    );
    let picker = page.css("booking-picker");
    let free = free_slots(&service, &page, INTRO_CALL)[2].clone();
    select_slot(&page, &picker, &free);
    page.wait_for_text("Held for you:");
    fill_in(&picker);
    // A rejected form keeps the slot.
    let refusal = Fault::Status(400, "email is too plain");
    faults.next("POST", "/v2/bookings", refusal);
    picker.button("Confirm booking").click();
    page.wait_for_text("We couldn’t make this booking");
    page.button("Details").click();
    page.wait_for_text("email is too plain");
    page.wait_until("another reservation", || {
        faults.count("POST", RESERVATIONS) == 2
    });
    page.wait_for_text("Held for you:");
    picker.button("Confirm booking").click();
    picker.heading(starting("You’re booked for")).wait();
    // Only services of the svc dialect correct an address.
    assert!(!picker.button("Wrong address?").exists());
    let calls: Vec<String> = ["POST", "DELETE"]
        .iter()
        .flat_map(|method| faults.seen(method, "/v2/"))
        .map(|call| call.split('?').next().unwrap_or_default().to_owned())
        .collect();
    let deleted = calls.iter().filter(|call| call.starts_with("DELETE"));
    assert_eq!(deleted.count(), 2, "{calls:?}");
    let bodies = faults.bodies("POST", "/v2/bookings");
    assert_eq!(bodies.len(), 2);
    assert!(
        bodies.iter().all(|body| !body.contains("reservedSlotUid")),
        "{bodies:?}"
    );
    page.assert_no_errors();
}
