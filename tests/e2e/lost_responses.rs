//! Booking requests whose response is lost: at most one booking, and no false message.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::common::{BOOKINGS, Engine, Fault, Faults, INTRO_CALL, Page, Service, open_page};

const KEY: &str = "idempotency-key";

/// Event type: description, id, and settings.
struct Case {
    name: &'static str,
    id: i64,
    settings: Value,
    /// True if a booking occupies its slot, so that a free slot proves that there is none.
    takes_slot: bool,
}

fn cases() -> Vec<Case> {
    let waits =
        |blocks: bool| json!({ "type": "always", "blockUnconfirmedBookingsInBooker": blocks });
    let case = |name, id, settings, takes_slot| Case {
        name,
        id,
        settings,
        takes_slot,
    };
    vec![
        case("personal", INTRO_CALL, json!({}), true),
        case(
            "that blocks while it waits",
            4,
            json!({ "confirmationPolicy": waits(true) }),
            true,
        ),
        case(
            "that waits",
            4,
            json!({ "confirmationPolicy": waits(false) }),
            false,
        ),
        case(
            "collective",
            4,
            json!({ "confirmationPolicy": { "disabled": true } }),
            true,
        ),
        case("round robin", 3, json!({}), false),
        case(
            "series",
            7,
            json!({ "hidden": false, "recurrence": { "interval": 1, "occurrences": 1, "frequency": "weekly" } }),
            false,
        ),
        case("seats", 8, json!({ "hidden": false }), false),
    ]
}

fn apply_settings(service: &Service, case: &Case) {
    if case.id == INTRO_CALL {
        return;
    }
    let mut settings = case.settings.clone();
    settings["bookingFields"] = json!([]);
    service.update_event_type(case.id, &settings);
}

/// Opens a picker and fills in its form for `email`.
fn fill_in_form(faults: &Faults, page: &mut Option<Page>, picker: &str, email: &str) {
    if let Some(page) = page {
        let body = format!("document.querySelector('main').innerHTML = {picker:?}");
        page.run(&body, &[]);
    } else {
        *page = Some(open_page(faults, "", &format!("<main>{picker}</main>")));
    }
    let page = page.as_ref().expect("a page");
    page.run(
        "window.events = []; window.element = document.querySelector('booking-picker'); \
         for (const name of ['booking-submitted', 'booking-created', 'booking-failed']) \
           element.addEventListener(name, ({ type }) => events.push(type))",
        &[],
    );
    let picker = page.css("booking-picker");
    picker.css(".time").first().wait();
    picker.css(".time").first().click();
    picker.heading("Your details").wait();
    picker.field("Your name").fill("Grace Hopper");
    picker.field("Email address").fill(email);
}

fn submit(page: &Page) {
    page.css("booking-picker").css("form [type=submit]").click();
}

fn wait_until_booked(page: &Page, name: &str) {
    page.wait_until(&format!("the confirmation of {name}"), || {
        page.css("booking-picker").css(".flow-done").exists()
    });
}

/// Counts the bookings of `email` at the service, each series once.
fn bookings_of(service: &Service, email: &str) -> usize {
    let query = format!("attendeeEmail={email}&take=100");
    let person = service.host();
    let found = [
        service
            .owner()
            .get(&format!("/v2/teams/1/bookings?{query}")),
        person.get(&format!("{BOOKINGS}?{query}")),
    ];
    let found = found.map(|answer| answer.data());
    let mut uids = BTreeSet::new();
    for booking in found.iter().filter_map(Value::as_array).flatten() {
        let series = booking["recurringBookingUid"].as_str();
        uids.insert(
            series
                .or(booking["uid"].as_str())
                .unwrap_or_default()
                .to_owned(),
        );
    }
    uids.len()
}

/// Retries carry the key of the first request, so nothing is booked twice, whenever the response was lost.
#[test]
fn lost_response_is_retried_and_books_once() {
    let losses = [
        ("before the service got it", Fault::Drop, 1),
        ("and it arrives late", Fault::DelayedRequest, 1),
        ("after it was booked", Fault::ResponseLost, 1),
        ("in its second half", Fault::HalfJson, 1),
        ("three times", Fault::ResponseLost, 3),
    ];
    let mut page = None;
    let service = Service::start();
    let faults = Faults::before(&service);
    let mut count = 0;
    for (number, case) in cases().iter().enumerate() {
        apply_settings(&service, case);
        let picker = format!(
            "<booking-picker event-type-id={}></booking-picker>",
            case.id
        );
        for (place, (when, fault, times)) in losses.iter().enumerate() {
            let is_sample = number == 0 || place == 2;
            if page
                .as_ref()
                .is_some_and(|page: &Page| page.engine() != Engine::Chromium)
                && !is_sample
            {
                continue;
            }
            let name = format!("{}, lost {when}", case.name);
            let email = format!("grace-{number}-{place}@example.org");
            fill_in_form(&faults, &mut page, &picker, &email);
            let page = page.as_ref().expect("a page");
            let before = faults.count("POST", BOOKINGS);
            for _ in 0..*times {
                faults.next("POST", BOOKINGS, fault.clone());
            }
            submit(page);
            if *times == 3 {
                page.wait_for_text("Please try again: you won’t be booked twice.");
                assert_eq!(
                    page.events(),
                    ["booking-submitted", "booking-failed"],
                    "{name}"
                );
                assert_eq!(bookings_of(&service, &email), 1, "{name}");
                page.css("booking-picker").button("Try again").click();
            }
            wait_until_booked(page, &name);
            if *fault == Fault::DelayedRequest {
                let arrived = faults.arrived();
                faults.release();
                page.wait_until("the delayed request", || faults.arrived() > arrived);
            }
            let created = page
                .events()
                .into_iter()
                .filter(|name| name == "booking-created");
            assert_eq!(created.count(), 1, "{name}");
            assert_eq!(bookings_of(&service, &email), 1, "{name}");
            let keys = faults.headers("POST", BOOKINGS, KEY).split_off(before);
            assert_eq!(keys.len(), times + 1, "{name}");
            assert!(
                keys[0].len() == 32 && keys.iter().all(|key| *key == keys[0]),
                "{keys:?}"
            );
            count += 1;
        }
    }
    let page = page.expect("a page");
    let expected = match page.engine() {
        Engine::Chromium => cases().len() * losses.len(),
        _ => losses.len() + cases().len() - 1,
    };
    assert_eq!(count, expected);
    page.assert_no_errors();
}

/// A visitor who changes the details after a lost response sees the booking that was made.
#[test]
fn changed_request_after_lost_response_shows_the_first_booking() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let mut page = None;
    let picker = r#"<booking-picker event-type-id="3"></booking-picker>"#;
    apply_settings(&service, &cases()[4]);
    fill_in_form(&faults, &mut page, picker, "first@example.org");
    let page = page.expect("a page");
    faults.always("POST", BOOKINGS, Fault::ResponseLost);
    submit(&page);
    page.wait_for_text("you won’t be booked twice");
    faults.clear();
    let picker = page.css("booking-picker");
    picker.field("Email address").fill("second@example.org");
    submit(&page);
    wait_until_booked(&page, "the first request");
    page.wait_for_text("first@example.org");
    assert_eq!(bookings_of(&service, "first@example.org"), 1);
    assert_eq!(bookings_of(&service, "second@example.org"), 0);
    page.assert_no_errors();
}

/// The cal dialect has no keys: nothing is sent again, and messages only say what is certain.
#[test]
fn lost_response_in_the_cal_dialect_shows_only_known_facts() {
    let free = "The time is still available, so nothing was booked.";
    let taken = "We don’t know if your booking went through: the time is no longer available.";
    let unknown = "We don’t know if your booking went through. Your details are kept.";
    let likely = "Your booking probably went through.";
    let service = Service::start();
    let faults = Faults::before(&service);
    let mut page = None;
    for (number, case) in cases().iter().enumerate() {
        apply_settings(&service, case);
        let picker = format!(
            "<booking-picker dialect=cal event-type-id={}></booking-picker>",
            case.id
        );
        let losses = [
            (Fault::Drop, if case.takes_slot { free } else { unknown }, 0),
            (
                Fault::ResponseLost,
                if case.takes_slot { taken } else { unknown },
                1,
            ),
            (Fault::HalfJson, likely, 1),
        ];
        for (place, (fault, sentence, booked)) in losses.into_iter().enumerate() {
            if page
                .as_ref()
                .is_some_and(|page: &Page| page.engine() != Engine::Chromium)
                && number > 0
            {
                continue;
            }
            let name = format!("{}, {fault:?}", case.name);
            let email = format!("grace-{number}-{place}@example.org");
            fill_in_form(&faults, &mut page, &picker, &email);
            let page = page.as_ref().expect("a page");
            let before = faults.count("POST", BOOKINGS);
            faults.next("POST", BOOKINGS, fault);
            submit(page);
            page.wait_for_text(sentence);
            for other in [free, taken, unknown, likely] {
                assert!(other == sentence || !page.shows(other), "{name}: {other}");
            }
            assert_eq!(bookings_of(&service, &email), booked, "{name}");
            let keys = faults.headers("POST", BOOKINGS, KEY).split_off(before);
            assert_eq!(keys, [""], "{name}: one request, without a key");
            assert_eq!(
                page.events(),
                ["booking-submitted", "booking-failed"],
                "{name}"
            );
        }
    }
    page.expect("a page").assert_no_errors();
}
