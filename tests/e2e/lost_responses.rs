//! Booking requests whose response is lost: at most one booking, and no false message.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::common::{Engine, Fault, Faults, Page, Service, open_page};

const BOOKINGS: &str = "/v2/bookings";
const KEY: &str = "idempotency-key";

/// Personal event type, whose settings stay unchanged.
const PERSONAL: i64 = 1;

/// Event type: description, id, and settings.
struct Kind {
    name: &'static str,
    id: i64,
    settings: Value,
    /// True if a booking occupies its slot, so that a free slot proves that there is none.
    takes_slot: bool,
}

fn kinds() -> Vec<Kind> {
    let waits =
        |blocks: bool| json!({ "type": "always", "blockUnconfirmedBookingsInBooker": blocks });
    let kind = |name, id, settings, takes_slot| Kind {
        name,
        id,
        settings,
        takes_slot,
    };
    vec![
        kind("personal", PERSONAL, json!({}), true),
        kind(
            "that blocks while it waits",
            4,
            json!({ "confirmationPolicy": waits(true) }),
            true,
        ),
        kind(
            "that waits",
            4,
            json!({ "confirmationPolicy": waits(false) }),
            false,
        ),
        kind(
            "collective",
            4,
            json!({ "confirmationPolicy": { "disabled": true } }),
            true,
        ),
        kind("round robin", 3, json!({}), false),
        kind(
            "series",
            7,
            json!({ "hidden": false, "recurrence": { "interval": 1, "occurrences": 1, "frequency": "weekly" } }),
            false,
        ),
        kind("seats", 8, json!({ "hidden": false }), false),
    ]
}

fn prepare(service: &Service, kind: &Kind) {
    if kind.id == PERSONAL {
        return;
    }
    let mut settings = kind.settings.clone();
    settings["bookingFields"] = json!([]);
    let path = format!("/v2/event-types/{}", kind.id);
    let changed = service.owner().call("PATCH", &path, Some(&settings));
    let changed = changed.expect("an answer");
    assert_eq!(changed.status, 200, "{}: {changed:?}", kind.name);
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
        "window.told = []; window.element = document.querySelector('booking-picker'); \
         for (const name of ['booking-submitted', 'booking-created', 'booking-failed']) \
           element.addEventListener(name, ({ type }) => told.push(type))",
        &[],
    );
    let picker = page.css("booking-picker");
    picker.css(".time").first().wait();
    picker.css(".time").first().click();
    picker.heading("Your details").wait();
    picker.field("Your name").fill("Grace Hopper");
    picker.field("Email address").fill(email);
}

fn press(page: &Page) {
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
    let key = service.demo_text("userKey");
    let person = service
        .visitor()
        .with("authorization", &format!("Bearer {key}"));
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

fn told(page: &Page) -> Vec<String> {
    let told = page.run("return told", &[]);
    let names = told.as_array().into_iter().flatten();
    names
        .filter_map(|name| name.as_str().map(str::to_owned))
        .collect()
}

/// Retries carry the key of the first request, so nothing is booked twice, whenever the response was lost.
#[test]
fn lost_response_is_retried_and_books_once() {
    let losses = [
        ("before the service got it", Fault::Drop, 1),
        ("and it arrives late", Fault::Delayed, 1),
        ("after it was booked", Fault::AnswerLost, 1),
        ("in its second half", Fault::HalfJson, 1),
        ("three times", Fault::AnswerLost, 3),
    ];
    let mut page = None;
    let service = Service::start();
    let faults = Faults::before(&service);
    let mut tried = 0;
    for (number, kind) in kinds().iter().enumerate() {
        prepare(&service, kind);
        let picker = format!(
            "<booking-picker event-type-id={}></booking-picker>",
            kind.id
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
            let name = format!("{}, lost {when}", kind.name);
            let email = format!("grace-{number}-{place}@example.org");
            fill_in_form(&faults, &mut page, &picker, &email);
            let page = page.as_ref().expect("a page");
            let before = faults.count("POST", BOOKINGS);
            for _ in 0..*times {
                faults.next("POST", BOOKINGS, fault.clone());
            }
            press(page);
            if *times == 3 {
                page.wait_for_text("Please try again: it will not be booked twice.");
                assert_eq!(
                    told(page),
                    ["booking-submitted", "booking-failed"],
                    "{name}"
                );
                assert_eq!(bookings_of(&service, &email), 1, "{name}");
                page.css("booking-picker").button("Try again").click();
            }
            wait_until_booked(page, &name);
            if *fault == Fault::Delayed {
                let arrived = faults.arrived();
                faults.release();
                page.wait_until("the delayed request", || faults.arrived() > arrived);
            }
            let created = told(page)
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
            tried += 1;
        }
    }
    let page = page.expect("a page");
    let expected = match page.engine() {
        Engine::Chromium => kinds().len() * losses.len(),
        _ => losses.len() + kinds().len() - 1,
    };
    assert_eq!(tried, expected);
    page.assert_sound();
}

/// A visitor who changes the details after a lost response sees the booking that was made.
#[test]
fn changed_request_after_lost_response_shows_the_first_booking() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let mut page = None;
    let picker = r#"<booking-picker event-type-id="3"></booking-picker>"#;
    prepare(&service, &kinds()[4]);
    fill_in_form(&faults, &mut page, picker, "first@example.org");
    let page = page.expect("a page");
    faults.always("POST", BOOKINGS, Fault::AnswerLost);
    press(&page);
    page.wait_for_text("it will not be booked twice");
    faults.clear();
    let picker = page.css("booking-picker");
    picker.field("Email address").fill("second@example.org");
    press(&page);
    wait_until_booked(&page, "the first request");
    page.wait_for_text("first@example.org");
    assert_eq!(bookings_of(&service, "first@example.org"), 1);
    assert_eq!(bookings_of(&service, "second@example.org"), 0);
    page.assert_sound();
}

/// The other dialect has no keys: nothing is sent again, and messages only say what is certain.
#[test]
fn lost_response_in_the_cal_dialect_shows_only_known_facts() {
    let free = "The time is still free, so nothing was booked.";
    let taken = "We cannot tell whether it was booked: the time is no longer free.";
    let unknown = "We cannot tell whether it was booked. Your details are kept.";
    let likely = "It was probably booked.";
    let service = Service::start();
    let faults = Faults::before(&service);
    let mut page = None;
    for (number, kind) in kinds().iter().enumerate() {
        prepare(&service, kind);
        let picker = format!(
            "<booking-picker dialect=cal event-type-id={}></booking-picker>",
            kind.id
        );
        let losses = [
            (Fault::Drop, if kind.takes_slot { free } else { unknown }, 0),
            (
                Fault::AnswerLost,
                if kind.takes_slot { taken } else { unknown },
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
            let name = format!("{}, {fault:?}", kind.name);
            let email = format!("grace-{number}-{place}@example.org");
            fill_in_form(&faults, &mut page, &picker, &email);
            let page = page.as_ref().expect("a page");
            let before = faults.count("POST", BOOKINGS);
            faults.next("POST", BOOKINGS, fault);
            press(page);
            page.wait_for_text(sentence);
            for other in [free, taken, unknown, likely] {
                assert!(other == sentence || !page.shows(other), "{name}: {other}");
            }
            assert_eq!(bookings_of(&service, &email), booked, "{name}");
            let keys = faults.headers("POST", BOOKINGS, KEY).split_off(before);
            assert_eq!(keys, [""], "{name}: one request, without a key");
            assert_eq!(
                told(page),
                ["booking-submitted", "booking-failed"],
                "{name}"
            );
        }
    }
    page.expect("a page").assert_sound();
}
