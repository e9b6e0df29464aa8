//! Event type settings and their effect on the booking flow: common, unusual and invalid ones.

use crate::common::{
    Faults, INTRO_CALL, Page, Service, ZONE, fill_in, free_slots, instant, now, open_page,
    picker_overflow, query_value, select_slot, starting,
};
use booking_wire::Instant;
use serde_json::{Value, json};

const DAY_MINUTES: i64 = 24 * 60;

/// Changes settings of the first event type in the service's response only.
fn override_settings(service: &Service, faults: &Faults, settings: &Value) {
    let path = format!("/v2/event-types/{INTRO_CALL}");
    let mut event_type = service.owner().get(&path).data();
    for (key, value) in settings.as_object().into_iter().flatten() {
        event_type[key] = value.clone();
    }
    let answer = json!({ "status": "success", "data": event_type });
    faults.page(&path, &[], &answer.to_string());
}

/// Opens an embedding page with a picker of the first event type.
fn open(faults: &Faults, before: &str, attributes: &str) -> Page {
    let picker = format!(
        r#"<main><h1>Somebody’s page</h1>
        <booking-picker event-type-id="{INTRO_CALL}" {attributes}></booking-picker></main>"#
    );
    open_page(faults, before, &picker)
}

fn days_from_now(days: i64) -> Instant {
    now().plus_minutes(days * DAY_MINUTES)
}

fn date(instant: Instant) -> String {
    instant.to_string().chars().take(10).collect()
}

#[test]
fn slots_outside_the_booking_window_are_not_requested() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let (from, to) = (date(days_from_now(2)), date(days_from_now(8)));
    let window = json!({ "type": "range", "value": [from, to] });
    override_settings(&service, &faults, &json!({ "bookingWindow": window }));
    let page = open(&faults, "", "");
    let picker = page.css("booking-picker");
    picker.role("list", starting("Times on")).wait();
    let next = picker.button("Next month");
    // Late in a month the booking window extends into the next one.
    if next.is_enabled() {
        next.click();
    }
    page.wait_until("the end", || !next.is_enabled());
    assert_eq!(
        next.attribute("title").as_deref(),
        Some("No later dates can be booked.")
    );
    let title = picker.css(".picker-title").read_text();
    page.run(
        "document.querySelector('booking-picker').shadowRoot \
           .querySelector('[part=month-button][title]').click()",
        &[],
    );
    assert_eq!(picker.css(".picker-title").read_text(), title);
    // The first request is sent before the window is known.
    for request in faults.seen("GET", "/v2/slots").iter().skip(1) {
        let [start, end] = ["start", "end"].map(|name| {
            let text = query_value(request, name).expect("a bound");
            instant(&json!(text))
        });
        assert!(start >= days_from_now(-5), "{request}");
        assert!(end <= days_from_now(10), "{request}");
    }
    page.assert_no_errors();
}

#[test]
fn hidden_parts_are_removed_and_required_parts_stay() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open(
        &faults,
        "",
        r#"hide="summary hosts description zone" reserve="off""#,
    );
    let picker = page.css("booking-picker");
    picker.role("list", starting("Times on")).wait();
    let hidden = ["Intro call", "Ada Brandt", "Half an hour"];
    for words in hidden {
        assert!(!page.shows(words), "{words}: {}", page.visible_text());
    }
    assert!(!picker.button(starting("Time zone:")).exists());
    let edges = page.run(
        "const root = document.querySelector('booking-picker').shadowRoot; \
         const left = (selector) => root.querySelector(selector).getBoundingClientRect().left; \
         return left('.picker-head') - left('.card')",
        &[],
    );
    assert!(edges.as_f64().is_some_and(|gap| gap < 3.0), "{edges}");
    let free = free_slots(&service, &page, INTRO_CALL)[2].clone();
    select_slot(&page, &picker, &free);
    page.wait_for_text(free.title());
    assert!(!page.shows("Intro call"), "{}", page.visible_text());
    page.assert_no_errors();
}

#[test]
fn locked_answers_of_every_type_say_so() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let field = |kind: &str, slug: &str| json!({ "type": kind, "slug": slug, "label": slug, "required": false, "options": ["A", "B"] });
    let kinds = [
        "radio",
        "checkbox",
        "select",
        "multiselect",
        "boolean",
        "text",
    ];
    let fields: Vec<Value> = kinds
        .iter()
        .map(|kind| field(kind, &format!("the {kind}")))
        .collect();
    override_settings(&service, &faults, &json!({ "bookingFields": fields }));
    let page = open(&faults, "", r#"reserve="off""#);
    let picker = page.css("booking-picker");
    picker.role("list", starting("Times on")).wait();
    let free = free_slots(&service, &page, INTRO_CALL)[2].clone();
    page.run(
        "const locked = (value) => ({ value, readOnly: true }); \
         const answers = {}; \
         for (const kind of arguments[0]) answers[`the ${kind}`] = \
           locked(kind === 'boolean' ? true : kind === 'text' ? 'A' : ['A']); \
         document.querySelector('booking-picker').prefill = { answers }",
        &[json!(kinds)],
    );
    select_slot(&page, &picker, &free);
    page.wait_until("a word about each", || {
        page.visible_text()
            .matches("This cannot be changed.")
            .count()
            == kinds.len()
    });
    page.assert_accessible("locked answers");
    page.assert_no_errors();
}

/// Returns the days with free slots, from the service.
fn free_days(service: &Service) -> Vec<(String, Vec<Instant>)> {
    let path = format!(
        "/v2/slots?eventTypeId={INTRO_CALL}&start={}&end={}&timeZone=Europe/London",
        days_from_now(0),
        days_from_now(35)
    );
    let days = service.visitor().get(&path).data();
    let times = |slots: &Value| {
        let slots = slots.as_array().cloned().unwrap_or_default();
        slots.iter().map(|slot| instant(&slot["start"])).collect()
    };
    let days = days.as_object().expect("days");
    days.iter()
        .map(|(day, slots)| (day.clone(), times(slots)))
        .collect()
}

#[test]
fn locked_zone_is_that_of_the_schedule_beside_the_visitors_own() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let locked = json!({
        "lockTimeZoneToggleOnBookingPage": true,
        // An hour ahead of the visitor.
        "lockedTimeZone": "Europe/Berlin",
    });
    override_settings(&service, &faults, &locked);
    let page = open(&faults, "", "");
    let picker = page.css("booking-picker");
    picker.role("list", starting("Times on")).wait();
    assert!(picker.css(".zone-locked").read_text().starts_with("Berlin"));
    assert!(!picker.button(starting("Time zone:")).exists());
    let slot = picker.css(".time-row").first();
    let times = slot.css("button").first().name();
    assert!(times.ends_with("your time"), "{times}");
    slot.css("button").first().click();
    picker.heading("Your details").wait();
    page.wait_for_text("your time");
    fill_in(&picker);
    picker.button("Confirm booking").click();
    picker.heading(starting("You’re booked for")).wait();
    let reference = picker.read_reference();
    let booking = service.visitor().get(&format!("/v2/bookings/{reference}"));
    assert_eq!(booking.data()["attendees"][0]["timeZone"], ZONE);
    page.assert_no_errors();
}

/// Script that shifts the page's clock by `days`.
fn wrong_clock(days: i64) -> String {
    format!(
        "<script>{{ const Right = Date, wrong = {days} * 86_400_000; \
           window.Date = class extends Right {{ \
             constructor(...given) {{ \
               given.length ? super(...given) : super(Right.now() + wrong); \
             }} \
             static now() {{ return Right.now() + wrong; }} \
           }}; }}</script>"
    )
}

#[test]
fn wrong_browser_clock_shows_the_first_free_slot() {
    let service = Service::start();
    let faults = Faults::before(&service);
    // The service's time is known from the event type, or only from its slots.
    for (days, has_service_time) in [(2, true), (2, false), (-2, true), (-2, false)] {
        if has_service_time {
            faults.remove_page(&format!("/v2/event-types/{INTRO_CALL}"));
        } else {
            override_settings(&service, &faults, &json!({}));
        }
        let (day, times) = free_days(&service).into_iter().next().expect("a day");
        let page = open(&faults, &wrong_clock(days), "");
        let picker = page.css("booking-picker");
        picker.role("list", starting("Times on")).wait();
        let chosen = picker.css("[aria-selected='true'] .day");
        page.wait_until("the first free day", || {
            chosen.exists() && day.ends_with(&format!("{:0>2}", chosen.read_text()))
        });
        picker.css(".time").first().click();
        picker.heading("Your details").wait();
        picker.field("Your name").fill("Grace Hopper");
        picker.field("Email address").fill("grace@example.org");
        picker.button("Confirm booking").click();
        picker.heading(starting("You’re booked for")).wait();
        let sent = faults
            .bodies("POST", "/v2/bookings")
            .pop()
            .expect("a booking");
        let sent: Value = serde_json::from_str(&sent).expect("JSON");
        assert!(times.contains(&instant(&sent["start"])), "{days}: {sent}");
        page.assert_no_errors();
    }
}

#[test]
fn long_texts_with_markup_stay_text_and_fit() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let odd = |start: &str| {
        let long = "Donaudampfschiff".repeat(30);
        format!("{start} <img src=x onerror='hit=1'><b>{long}</b> \u{202e}desrever\u{202c} 🦀👩‍👩‍👧‍👦")
    };
    let field = |kind: &str| {
        json!({
            "type": kind, "slug": format!("the-{kind}"), "label": odd(kind), "required": false,
            "placeholder": odd(kind), "options": [odd("A"), odd("B")],
        })
    };
    let kinds = [
        "radio",
        "checkbox",
        "select",
        "multiselect",
        "boolean",
        "text",
        "phone",
    ];
    let fields: Vec<Value> = kinds.iter().map(|kind| field(kind)).collect();
    let settings = json!({
        "title": odd("Call"), "description": odd("About"), "bookingFields": fields,
        "users": [{ "name": odd("Ada") }],
        "locations": [
            { "type": "address", "address": odd("There"), "public": true },
            { "type": "attendeeDefined" },
        ],
    });
    override_settings(&service, &faults, &settings);
    let narrow = "<style>main { inline-size: 304px }</style>";
    let page = open(&faults, narrow, r#"reserve="off" dry-run"#);
    let picker = page.css("booking-picker");
    picker.role("list", starting("Times on")).wait();
    assert!(
        picker_overflow(&page) < 1.0,
        "times: {}",
        picker_overflow(&page)
    );
    picker.css(".time").first().click();
    picker.heading("Your details").wait();
    page.wait_for_text("<img src=x onerror='hit=1'>");
    assert!(
        picker_overflow(&page) < 1.0,
        "form: {}",
        picker_overflow(&page)
    );
    page.assert_accessible("odd labels");
    picker.field("Your name").fill("Grace Hopper");
    picker.field("Email address").fill("grace@example.org");
    picker.button("Continue").click();
    // The location must be selected: the error truncates a long label.
    page.wait_for_text("needs your attention");
    assert!(
        picker_overflow(&page) < 1.0,
        "complaints: {}",
        picker_overflow(&page)
    );
    picker.css("[type='radio']").nth(0).click();
    picker.button("Continue").click();
    picker.role("group", "Part 2 of 2").wait();
    assert!(
        picker_overflow(&page) < 1.0,
        "part 2: {}",
        picker_overflow(&page)
    );
    page.assert_accessible("odd labels of the second part");
    picker.button("Confirm booking").click();
    picker.heading("Test complete").wait();
    assert!(
        picker_overflow(&page) < 1.0,
        "ending: {}",
        picker_overflow(&page)
    );
    assert_eq!(page.run("return typeof window.hit", &[]), "undefined");
    page.assert_no_errors();
}
