//! Nobody is left out: axe-core finds no barrier in any state, a booking takes few keys, the focus is
//! handed on, and forced colours and narrow pages lose nothing.

#![allow(clippy::expect_used, clippy::indexing_slicing)]

mod common;

use common::{Engine, Fault, Faults, Key, Page, Service, starting};
use serde_json::{Value, json};

const SLOTS: &str = "/v2/slots";

/// Opens a page with a picker of this event type, `width` wide.
fn open(faults: &Faults, attributes: &str, width: &str) -> Page {
    let page = Page::open("about:blank");
    go(&page, faults, attributes, width);
    page
}

fn go(page: &Page, faults: &Faults, attributes: &str, width: &str) {
    let html = format!(
        r#"<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title>
        <meta name="viewport" content="width=device-width">
        <script type="module" src="/embed/embed.js"></script>
        <body><main><h1>Book a time</h1><div style="inline-size: {width}">
        <booking-picker {attributes}></booking-picker></div></main></body></html>"#
    );
    // Another page each time: what a browser keeps of the last one is no part of a test.
    let path = format!("/page-{}.html", faults.count("GET", "/page-"));
    faults.page(&path, &[], &html);
    page.go(&faults.url(&path));
    page.watch();
}

const INTRO: &str = r#"username="ada" event-slug="intro-call""#;
const ONBOARDING: &str = r#"team-id="1" event-slug="onboarding""#;
const REVIEW: &str = r#"team-id="1" event-slug="design-review""#;

fn times(page: &Page) {
    page.role("list", starting("Times on")).wait();
}

fn choose(page: &Page) {
    let times = page.role("list", starting("Times on"));
    times.each("button").first().click();
    page.heading("Your details").wait();
}

fn fill_in(page: &Page) {
    page.field("Your name").fill("Grace Hopper");
    page.field("Email address").fill("grace@example.org");
}

#[test]
fn no_state_before_the_pick_has_a_barrier() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.always("GET", "/v2/event-types", Fault::Hang);
    let page = open(&faults, INTRO, "100%");
    page.wait_until("the event type to be awaited", || faults.hanging() > 0);
    page.wait_for_quiet();
    page.assert_accessible("opening");
    faults.clear();
    faults.always("GET", SLOTS, Fault::Hang);
    faults.release();
    page.wait_until("the times to be awaited", || faults.hanging() > 0);
    page.wait_for_quiet();
    page.assert_accessible("looking for times");
    faults.clear();
    faults.release();
    times(&page);
    page.assert_accessible("times");

    faults.always("GET", SLOTS, Fault::Drop);
    go(&page, &faults, INTRO, "100%");
    page.button("Try again").wait();
    page.assert_accessible("times that cannot be reached");
    faults.clear();
    go(
        &page,
        &faults,
        r#"username="ada" event-slug="nothing""#,
        "100%",
    );
    page.wait_for_quiet();
    page.assert_accessible("nothing of this name");
    go(&page, &faults, "", "100%");
    page.wait_for_text("Nothing to book yet");
    page.assert_accessible("nothing named");
}

#[test]
fn no_state_after_the_pick_has_a_barrier() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open(&faults, ONBOARDING, "100%");
    choose(&page);
    page.assert_accessible("a form with every kind of field");
    page.button("Confirm booking").click();
    page.wait_for_text("need your attention");
    page.assert_accessible("a form with complaints");

    go(&page, &faults, REVIEW, "100%");
    choose(&page);
    page.field("Which project is it about?").fill("Checkout");
    fill_in(&page);
    faults.next("POST", "/v2/bookings", Fault::Hang);
    page.button("Request booking").click();
    page.wait_until("the booking to be awaited", || faults.hanging() > 0);
    page.assert_accessible("a booking on its way");
    faults.release();
    page.heading("Your request was sent").wait();
    page.assert_accessible("a request");

    go(&page, &faults, INTRO, "100%");
    choose(&page);
    fill_in(&page);
    faults.next("POST", "/v2/bookings", Fault::Drop);
    page.button("Confirm booking").click();
    page.wait_for_text("We could not reach the service");
    page.assert_accessible("an unknown outcome");
    page.button("Confirm booking").click();
    page.heading("You are booked").wait();
    page.assert_accessible("a booking");

    faults.always("GET", "/embed/picker_after-", Fault::Drop);
    go(&page, &faults, INTRO, "100%");
    let times = page.role("list", starting("Times on"));
    times.each("button").first().click();
    page.button("Try again").wait();
    page.assert_accessible("a form that did not arrive");
}

#[test]
fn a_booking_takes_at_most_25_keys_from_the_first_free_time_on() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open(&faults, INTRO, "100%");
    times(&page);
    page.wait_for_quiet();
    // The first time is where a visitor who came by keyboard has arrived.
    let first = page
        .role("list", starting("Times on"))
        .each("button")
        .names();
    let mut unseen = 0;
    tab_to(&page, &format!("button \"{}\"", first[0]), &mut unseen);

    let mut presses = 1;
    page.press(Key::Enter);
    page.wait_until("the focus on the form", || {
        page.focus() == "heading \"Your details\""
    });
    for (label, text) in [
        ("Your name", "Grace Hopper"),
        ("Email address", "grace@example.org"),
    ] {
        tab_to(&page, &format!("textbox \"{label}\""), &mut presses);
        page.type_text(text);
    }
    tab_to(&page, "button \"Confirm booking\"", &mut presses);
    presses += 1;
    page.press(Key::Enter);
    page.wait_until("the focus on the confirmation", || {
        page.focus() == "heading \"You are booked\""
    });
    assert!(presses <= 25, "{presses} keys");
    page.assert_sound();
}

/// Presses Tab until the focus is there.
fn tab_to(page: &Page, what: &str, presses: &mut usize) {
    for _ in 0..60 {
        if page.focus() == what {
            return;
        }
        page.press(Key::Tab);
        *presses += 1;
    }
    page.fail(&format!("Tab does not lead to {what}"));
}

#[test]
fn forced_colours_keep_chosen_days_apart_and_the_focus_visible() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open(&faults, INTRO, "100%");
    if page.engine() != Engine::Chromium {
        return;
    }
    let features = json!([{ "name": "forced-colors", "value": "active" }]);
    page.devtools(
        "Emulation.setEmulatedMedia",
        json!({ "features": features }),
    );
    times(&page);
    page.wait_for_quiet();
    let script = "
        const root = document.querySelector('booking-picker').shadowRoot;
        const look = (element) => {
          const style = getComputedStyle(element);
          return [style.backgroundColor, style.borderColor, style.outlineStyle, style.color].join();
        };
        const days = [...root.querySelectorAll('td button')];
        const free = days.filter((day) => day.ariaDisabled !== 'true' && !day.disabled);
        const chosen = days.find((day) => day.ariaPressed === 'true' || day.ariaSelected === 'true'
          || day.closest('td').ariaSelected === 'true' || day.ariaCurrent === 'true') ?? free[0];
        const other = free.find((day) => day !== chosen);
        other.focus();
        const outline = getComputedStyle(other).outlineStyle;
        return { same: look(chosen) === look(other), outline, count: free.length };";
    let look = page.run(script, &[]);
    assert!(look["count"].as_u64() > Some(1), "{look}");
    assert_eq!(look["same"], json!(false), "{look}");
    page.press(Key::Right);
    let outline = "const focused = document.querySelector('booking-picker').shadowRoot.activeElement; \
                   return getComputedStyle(focused).outlineStyle";
    assert_ne!(page.run(outline, &[]), json!("none"));
}

/// How much wider than the place something is that nobody can scroll to, and what.
const OVERFLOW: &str = "
    const host = document.querySelector('booking-picker');
    const place = host.parentElement.getBoundingClientRect();
    const wide = [...host.shadowRoot.querySelectorAll('*')].filter((element) => {
      const box = element.getBoundingClientRect();
      const style = getComputedStyle(element);
      const hidden = element.closest('.visually-hidden') || style.position === 'absolute';
      return box.width > 0 && !hidden && (box.right > place.right + 1 || box.left < place.left - 1);
    });
    return wide.map((element) => element.localName + '.' + element.className);";

#[test]
fn at_400_percent_nothing_is_cut_off_and_nothing_scrolls_sideways() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open(&faults, ONBOARDING, "280px");
    let fits = |state: &str| {
        page.wait_for_quiet();
        let wide: Value = page.run(OVERFLOW, &[]);
        assert_eq!(wide, json!([]), "{state}");
    };
    times(&page);
    fits("times");
    choose(&page);
    fits("form");
    page.button("Confirm booking").click();
    page.wait_for_text("need your attention");
    fits("form with complaints");
    go(&page, &faults, INTRO, "280px");
    choose(&page);
    fill_in(&page);
    page.button("Confirm booking").click();
    page.heading("You are booked").wait();
    fits("confirmation");
}
