//! Accessibility: axe-core finds no violation in any state, a booking takes few keys, the focus is never
//! lost, and forced colours and narrow pages keep all content.

use super::visitor::fill_in_onboarding;
use crate::common::{
    Engine, Fault, Faults, GROUP_TRAINING, INTRO_CALL, Key, PARTNER_CALL, Page, SLOTS, Service,
    TEAM_BOOKINGS, WEEKLY_COACHING, booking_at, containing, create_booking,
    create_booking_of_grace, fill_in, free_slots, select_first_series, select_first_slot,
    select_slot, starting, tab_to, wait_for_slots,
};
use serde_json::{Value, json};

/// Opens a page with a picker of this event type, `width` wide.
fn open(faults: &Faults, attributes: &str, width: &str) -> Page {
    let page = Page::open("about:blank");
    open_picker(&page, faults, attributes, width);
    page
}

fn open_picker(page: &Page, faults: &Faults, attributes: &str, width: &str) {
    let picker = format!("<booking-picker {attributes}></booking-picker>");
    go_to(page, faults, &picker, width);
}

/// Opens the list of the demo's team, with the session of the demo account if `is_known`.
fn go_to_list(page: &Page, faults: &Faults, attributes: &str, width: &str, is_known: bool) {
    let session = r#"<script type="module">
        const answer = await fetch("/demo/token", { method: "POST" });
        const { accessToken } = await answer.json();
        document.querySelector("booking-list").session = { baseUrl: location.origin, token: accessToken };
        </script>"#;
    let session = if is_known { session } else { "" };
    let list = format!(r#"<booking-list heading-level="2" {attributes}></booking-list>{session}"#);
    go_to(page, faults, &list, width);
}

fn go_to(page: &Page, faults: &Faults, element: &str, width: &str) {
    let html = format!(
        r#"<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title>
        <meta name="viewport" content="width=device-width">
        <script type="module" src="/embed/embed.js"></script>
        <body><main><h1>Book a time</h1><div style="inline-size: {width}">
        {element}</div></main></body></html>"#
    );
    // A new path each time: data that a browser stores for a page must not affect the next test.
    let path = format!("/page-{}.html", faults.count("GET", "/page-"));
    faults.page(&path, &[], &html);
    page.go(&faults.url(&path));
    page.record_errors();
}

const INTRO_ATTRIBUTES: &str = r#"username="ada" event-slug="intro-call""#;
const ONBOARDING_ATTRIBUTES: &str = r#"team-id="1" event-slug="onboarding""#;
const REVIEW_ATTRIBUTES: &str = r#"team-id="1" event-slug="design-review""#;

#[test]
fn slot_states_have_no_axe_violations() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.always("GET", "/v2/teams/1/event-types", Fault::Hang);
    // The slots of a team are requested once the event type is known.
    let page = open(&faults, ONBOARDING_ATTRIBUTES, "100%");
    page.wait_until("the event type request", || faults.hanging() > 0);
    page.wait_for_quiet();
    page.assert_accessible("loading the event type");
    faults.clear();
    faults.always("GET", SLOTS, Fault::Hang);
    faults.release();
    page.wait_until("the slots request", || faults.hanging() > 0);
    page.wait_for_quiet();
    page.assert_accessible("loading slots");
    faults.clear();
    faults.release();
    wait_for_slots(&page);
    page.assert_accessible("times");

    faults.always("GET", SLOTS, Fault::Drop);
    open_picker(&page, &faults, INTRO_ATTRIBUTES, "100%");
    page.button("Try again").wait();
    page.assert_accessible("slots with a network error");
    faults.clear();
    open_picker(
        &page,
        &faults,
        r#"username="ada" event-slug="nothing""#,
        "100%",
    );
    page.wait_for_quiet();
    page.assert_accessible("an unknown event type");
    open_picker(&page, &faults, "", "100%");
    page.wait_for_text("Nothing to book yet");
    page.assert_accessible("no event type");
}

#[test]
fn form_and_confirmation_have_no_axe_violations() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open(&faults, ONBOARDING_ATTRIBUTES, "100%");
    select_first_slot(&page);
    let picker = page.css("booking-picker");
    page.button("Continue").click();
    page.wait_for_text("answers missing");
    page.assert_accessible("a form with errors");
    for part in 1..=3 {
        page.assert_accessible(&format!("part {part} of a form with every kind of field"));
        fill_in_onboarding(&page, &picker, part);
        if part < 3 {
            page.button("Continue").click();
        }
    }
    page.assert_accessible("a form that is filled in");

    open_picker(&page, &faults, REVIEW_ATTRIBUTES, "100%");
    select_first_slot(&page);
    page.field("Which project is it about?").fill("Checkout");
    fill_in(&page.css("booking-picker"));
    faults.next("POST", "/v2/bookings", Fault::Hang);
    page.button("Request booking").click();
    page.wait_until("the booking request", || faults.hanging() > 0);
    page.assert_accessible("a booking in flight");
    faults.release();
    page.heading(starting("Requested for")).wait();
    page.assert_accessible("a request");

    open_picker(&page, &faults, INTRO_ATTRIBUTES, "100%");
    select_first_slot(&page);
    fill_in(&page.css("booking-picker"));
    faults.always("POST", "/v2/bookings", Fault::Drop);
    page.button("Confirm booking").click();
    page.wait_for_text("We couldn’t reach the service");
    page.assert_accessible("an unknown outcome");
    faults.clear();
    page.button("Confirm booking").click();
    page.heading(starting("You’re booked for")).wait();
    page.assert_accessible("a booking");

    if page.engine() == Engine::Chromium {
        assert_prints_in_dark_letters(&page);
    }

    // At a new origin: the browser has cached the chunk of the old one.
    let faults = Faults::before(&service);
    faults.always("GET", "/embed/picker_form-", Fault::Drop);
    open_picker(&page, &faults, INTRO_ATTRIBUTES, "100%");
    let wait_for_slots = page.role("list", starting("Times on"));
    wait_for_slots.each("button").first().click();
    page.button("Try again").wait();
    page.assert_accessible("a failed form chunk");
}

/// Asserts that a dark element is printed in dark letters, as its background is not printed, and without buttons.
#[track_caller]
fn assert_prints_in_dark_letters(page: &Page) {
    page.run(
        "document.querySelector('booking-picker').setAttribute('theme', 'dark')",
        &[],
    );
    page.devtools("Emulation.setEmulatedMedia", json!({ "media": "print" }));
    let script = "const root = document.querySelector('booking-picker').shadowRoot; \
                  const [red] = getComputedStyle(root.querySelector('h2')).color.match(/[0-9.]+/g).map(Number); \
                  return [red, root.querySelectorAll('[part~=cancel]').length, \
                    [...root.querySelectorAll('[part~=cancel], [part~=calendars]')].some((each) => each.offsetWidth)]";
    let look = page.run(script, &[]);
    assert!(look[0].as_f64() < Some(100.0), "{look}");
    assert_eq!((&look[1], &look[2]), (&json!(1), &json!(false)), "{look}");
    page.devtools("Emulation.setEmulatedMedia", json!({ "media": "" }));
}

#[test]
fn picker_layouts_and_dialogs_have_no_axe_violations() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = Page::open("about:blank");
    for (view, width) in [("week", "100%"), ("column", "100%"), ("column", "280px")] {
        open_picker(
            &page,
            &faults,
            &format!(r#"{INTRO_ATTRIBUTES} view="{view}""#),
            width,
        );
        page.role("list", starting("Times on")).first().wait();
        page.assert_accessible(&format!("{view} in {width}"));
    }
    page.button(starting("Time zone:")).click();
    page.role("option", starting("")).first().wait();
    page.assert_accessible("the time zone dialog");
    page.role("combobox", "Time zone").fill("東京");
    page.role("option", starting("Tokyo")).wait();
    page.role("combobox", "Time zone").fill("nowhere");
    page.wait_for_text("No matching time zone.");
    page.assert_accessible("the time zone dialog without results");
    page.press(Key::Escape);

    open_picker(&page, &faults, r#"username="ada""#, "100%");
    page.button(starting("Intro call")).wait();
    page.assert_accessible("the event type list");
    page.button(starting("Consultation")).click();
    wait_for_slots(&page);
    page.assert_accessible("a selected event type with lengths");

    open_picker(
        &page,
        &faults,
        &format!(r#"{INTRO_ATTRIBUTES} step-mode="confirm""#),
        "100%",
    );
    wait_for_slots(&page);
    let free = page.role("list", starting("Times on"));
    free.each("button").first().click();
    page.button(starting("Continue with")).wait();
    page.assert_accessible("a slot to be confirmed");

    let arabic = format!(r#"{INTRO_ATTRIBUTES} lang="ar" theme="dark""#);
    open_picker(&page, &faults, &arabic, "100%");
    page.css("booking-picker").css(".time").first().wait();
    page.assert_accessible("slots right to left, dark");
    page.css("booking-picker").css(".time").first().click();
    page.css("booking-picker").css(".flow-form form").wait();
    page.assert_accessible("a form right to left, dark");

    let nothing = json!({ "status": "success", "data": {} });
    faults.page("/v2/slots", &[], &nothing.to_string());
    open_picker(&page, &faults, INTRO_ATTRIBUTES, "100%");
    page.css(".flow-pick .notice").wait();
    page.assert_accessible("no slots");
}

#[test]
fn reservation_series_and_seats_have_no_axe_violations() {
    let service = Service::start();
    let faults = Faults::before(&service);
    for id in [WEEKLY_COACHING, GROUP_TRAINING] {
        service.unhide_event_type(id);
    }
    let page = open(&faults, INTRO_ATTRIBUTES, "100%");
    select_first_slot(&page);
    page.wait_for_text("Held for you:");
    page.assert_accessible("a reserved slot");
    let later = "window.later ??= Date.now; const now = window.later; \
                 window.Date.now = () => now() + arguments[0] * 1000";
    page.run(later, &[json!(270)]);
    page.css("[data-urgent]").wait();
    page.assert_accessible("a reservation about to expire");
    page.run(later, &[json!(301)]);
    page.wait_for_text("Your time is no longer held");
    page.assert_accessible("an expired reservation");

    open_picker(
        &page,
        &faults,
        &format!(r#"{INTRO_ATTRIBUTES} reserve="off""#),
        "100%",
    );
    let all = free_slots(&service, &page, INTRO_CALL);
    let picker = page.css("booking-picker");
    select_slot(&page, &picker, &all[1]);
    fill_in(&page.css("booking-picker"));
    let rival = ("Rival", "rival@example.org");
    let booked = create_booking(&service, INTRO_CALL, all[1].start, rival, &json!({}));
    assert_eq!(booked.status, 201, "{booked:?}");
    page.button("Confirm booking").click();
    page.role("group", "Nearby available times").wait();
    page.assert_accessible("a lost slot");

    open_picker(&page, &faults, r#"event-type-id="7""#, "100%");
    select_first_series(&page);
    page.assert_accessible("a series");
    page.button("Continue with 8 sessions").click();
    fill_in(&page.css("booking-picker"));
    let words = "the meeting of the series at 2027-01-05T14:00:00.000Z is no longer available";
    faults.next("POST", "/v2/bookings", Fault::Status(409, words));
    page.button("Book 8 sessions").click();
    page.wait_for_text("Nothing is booked yet.");
    page.assert_accessible("a series with a taken date");

    open_picker(&page, &faults, r#"event-type-id="8""#, "100%");
    select_first_slot(&page);
    page.assert_accessible("a seat");
}

#[test]
fn existing_booking_has_no_axe_violations() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = Page::open(&service.url("/"));
    let all = free_slots(&service, &page, INTRO_CALL);
    let uid = create_booking_of_grace(&service, INTRO_CALL, all[2].start);
    let back = |mode: &str| format!(r#"booking-uid="{uid}" mode="{mode}""#);

    open_picker(&page, &faults, &back("reschedule"), "100%");
    page.wait_for_text("Current time");
    wait_for_slots(&page);
    page.assert_accessible("rescheduling");
    page.css(".time:not([data-current])").first().click();
    page.heading(starting("Reschedule to ")).wait();
    page.assert_accessible("the new slot");
    page.button("Reschedule").click();
    page.heading(starting("Rescheduled to")).wait();
    page.assert_accessible("a rescheduled booking");

    open_picker(&page, &faults, &back("manage"), "100%");
    page.heading("Your booking").wait();
    page.assert_accessible("an existing booking");
    page.button("Add to calendar").click();
    page.assert_accessible("links to calendars");
    page.press(crate::common::Key::Escape);
    page.button("Cancel booking").click();
    page.heading("Cancel this booking?").wait();
    page.assert_accessible("the cancellation form");
    page.button("Cancel booking").click();
    page.heading("This booking is cancelled").wait();
    page.assert_accessible("a cancelled booking");
    open_picker(&page, &faults, r#"booking-uid="nobody-knows-it""#, "100%");
    page.wait_for_text("We can’t find this booking");
    page.assert_accessible("an unknown booking");
}

#[test]
fn staff_screens_have_no_axe_violations() {
    let service = Service::start();
    let page = Page::open(&service.url("/connect"));
    page.button("Use the demo account").wait();
    page.assert_accessible("connect");
    page.button("Use the demo account").click();
    page.link("Bookings").click();
    page.css("tr.booking").first().wait();
    page.assert_accessible("the bookings");
    page.button(starting("Filters")).click();
    page.css(".booking-open").first().click();
    page.css(".details").wait();
    page.assert_accessible("filters and details");
    page.link("Team & roles").click();
    page.button("Owner").click();
    page.wait_for_text("Change members’ roles");
    page.assert_accessible("the roles");
    page.button("New role").click();
    page.field("Name").wait();
    page.assert_accessible("a new role");
    page.go(&service.url("/"));
    page.link(starting("Intro call")).wait();
    page.assert_accessible("event types in the app");
    page.go(&service.url("/one/two/three/four"));
    page.heading("Page not found").wait();
    page.assert_accessible("an unknown URL");
    page.go(&service.url("/embed/demo.html"));
    wait_for_slots(&page);
    page.css("tr.booking").first().wait();
    page.css("li.role").first().wait();
    page.assert_accessible("all elements on one page");
}

/// Chromium checks many more states in the journeys above.
#[test]
fn main_screens_have_no_barriers_in_other_engines() {
    if Engine::of_test_run() == Engine::Chromium {
        return;
    }
    let service = Service::start();
    let page = Page::open(&service.url("/ada/consultation"));
    check_visitor_screens(&service, &page);
    check_own_booking(&service, &page);
    check_staff_screens(&service, &page);
}

fn check_visitor_screens(service: &Service, page: &Page) {
    wait_for_slots(page);
    page.assert_accessible("the month");
    for view in ["Week", "Days"] {
        page.field(view).click();
        wait_for_slots(page);
        page.assert_accessible(view);
    }
    page.button(starting("Time zone:")).click();
    page.role("option", starting("")).first().wait();
    page.role("combobox", "Time zone").fill("lisbon");
    page.role("option", containing("Lisbon")).wait();
    page.assert_accessible("the time zone dialog");
    page.press(Key::Escape);

    page.go(&service.url("/team/1/onboarding"));
    select_first_slot(page);
    page.button("Continue").click();
    page.wait_for_text("answers missing");
    page.assert_accessible("a form with errors");
    page.go(&service.url("/ada/intro-call"));
    select_first_slot(page);
    page.field("Your name").fill("Grace Hopper");
    page.field("Email address").fill("grace@example.org");
    page.button("Confirm booking").click();
    page.heading(starting("You’re booked for")).wait();
    page.assert_accessible("the confirmation");
    page.css("[part~=reschedule]").click();
    page.css(".moving").wait();
    wait_for_slots(page);
    page.assert_accessible("rescheduling");
}

fn check_own_booking(service: &Service, page: &Page) {
    let uid = booking_at(service, INTRO_CALL, 6);
    let faults = Faults::before(service);
    let booking = format!(r#"booking-uid="{uid}" mode="manage""#);
    open_picker(page, &faults, &booking, "390px");
    page.button("Cancel booking").click();
    page.heading("Cancel this booking?").wait();
    page.assert_accessible("the cancellation form");
    page.button("Cancel booking").click();
    page.heading("This booking is cancelled").wait();
    page.assert_accessible("a cancelled booking");
}

fn check_staff_screens(service: &Service, page: &Page) {
    page.go(&service.url("/connect"));
    page.button("Use the demo account").wait();
    page.assert_accessible("the sign-in");
    page.button("Use the demo account").click();
    page.link("Bookings").click();
    page.css("tr.booking:not(.booking-ghost)").first().wait();
    page.button("View").click();
    page.field("Sort by").wait();
    page.assert_accessible("options of the list");
    page.button(starting("Filters")).click();
    page.css(".booking-open").first().click();
    page.css(".details").wait();
    page.assert_accessible("filters and details");
    page.link("Team & roles").click();
    page.button("New role").click();
    page.field("Name").wait();
    page.assert_accessible("the role editor");
}

#[test]
fn booking_list_has_no_axe_violations() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = Page::open("about:blank");
    let rows = page.css("tr.booking:not(.booking-ghost)");
    let team = r#"team-id="1" page-size="10""#;
    go_to_list(&page, &faults, team, "100%", false);
    page.wait_until("a notice", || page.css(".notice").exists());
    page.assert_accessible("a list without a session");
    go_to_list(&page, &faults, r#"team-id="987""#, "100%", true);
    page.wait_until("an unknown team", || {
        faults.count("GET", "/v2/teams/987/bookings") > 0 && page.css(".notice").exists()
    });
    page.assert_accessible("an unknown team");

    faults.always("GET", TEAM_BOOKINGS, Fault::Hang);
    go_to_list(&page, &faults, team, "100%", true);
    page.css(".booking-ghost").first().wait();
    page.assert_accessible("bookings loading");
    faults.clear();
    faults.release();
    rows.first().wait();

    // Panels above the rows, and every column.
    page.button("View").click();
    for column in ["Hosts", "Event type", "Booked"] {
        page.role("group", "Columns").field(column).click();
    }
    page.role("columnheader", "Booked").wait();
    page.assert_accessible("the column settings");
    page.button(starting("Saved views")).click();
    page.wait_for_text("No saved views yet.");
    page.assert_accessible("no saved views");
    page.button(starting("Filters")).click();
    page.field("Search bookings").fill("nobody");
    page.wait_for_text("No bookings match");
    page.assert_accessible("filters without results");
    page.button("Clear filters").first().click();
    rows.first().wait();

    // An export in progress.
    let walked = format!("{TEAM_BOOKINGS}?status=upcoming&take=250");
    faults.always("GET", &walked, Fault::Hang);
    page.button("Export").click();
    page.button(containing("CSV")).click();
    page.wait_until("the bookings request", || faults.hanging() > 0);
    page.assert_accessible("an export in progress");
    faults.clear();
    page.button("Cancel export").click();
    faults.release();

    // New bookings since the list was loaded.
    go_to_list(
        &page,
        &faults,
        r#"team-id="1" page-size="250" stale-after="1""#,
        "100%",
        true,
    );
    rows.first().wait();
    let free = free_slots(&service, &page, PARTNER_CALL);
    create_booking_of_grace(&service, PARTNER_CALL, free[3].start);
    page.button(starting("Show 1 new booking")).wait();
    page.assert_accessible("new bookings");
    page.button(starting("Show 1 new booking")).click();

    // Cards, dark theme, right to left.
    for (language, width) in [("en", "320px"), ("ar", "320px"), ("ar", "100%")] {
        let dark = format!(r#"{team} lang="{language}" theme="dark""#);
        go_to_list(&page, &faults, &dark, width, true);
        rows.first().wait();
        page.css(".booking-open").first().click();
        page.css(".details").wait();
        page.css(".booking-select input").nth(1).click();
        page.css("[part=selection] [data-act=cancel]").click();
        page.css(".bulk form").wait();
        page.assert_accessible(&format!("a dark list in {language}, {width} wide"));
    }
    let begins_at_the_right = "const root = document.querySelector('booking-list').shadowRoot; \
        const [start, end] = ['.booking-start', '.booking-heading'].map((part) => \
          root.querySelector(`tr.booking ${part}`).getBoundingClientRect().right); \
        return start > end";
    assert_eq!(page.run(begins_at_the_right, &[]), json!(true));
    page.assert_no_errors();
}

#[test]
fn booking_by_keyboard_takes_at_most_25_keys() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open(&faults, INTRO_ATTRIBUTES, "100%");
    wait_for_slots(&page);
    page.wait_for_quiet();
    // Keyboard users reach the first slot before they book.
    let first = page
        .role("list", starting("Times on"))
        .each("button")
        .names();
    tab_to(&page, &format!("button \"{}\"", first[0]));

    let mut presses = 1;
    page.press(Key::Enter);
    page.wait_until("the focus on the form", || {
        page.focus() == "heading \"Your details\""
    });
    for (label, text) in [
        ("Your name", "Grace Hopper"),
        ("Email address", "grace@example.org"),
    ] {
        presses += tab_to(&page, &format!("textbox \"{label}\""));
        page.type_text(text);
    }
    presses += tab_to(&page, "button \"Confirm booking\"");
    presses += 1;
    page.press(Key::Enter);
    page.wait_until("the focus on the confirmation", || {
        page.focus().starts_with("heading \"You’re booked for")
    });
    assert!(presses <= 25, "{presses} keys");
    page.assert_no_errors();
}

#[test]
fn forced_colors_keep_selected_day_and_focus_visible() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open(&faults, INTRO_ATTRIBUTES, "100%");
    if page.engine() != Engine::Chromium {
        return;
    }
    let features = json!([{ "name": "forced-colors", "value": "active" }]);
    page.devtools(
        "Emulation.setEmulatedMedia",
        json!({ "features": features }),
    );
    wait_for_slots(&page);
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

/// Script that returns elements wider than the container which cannot be scrolled to.
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
fn picker_at_400_percent_zoom_does_not_overflow() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open(&faults, ONBOARDING_ATTRIBUTES, "280px");
    let fits = |state: &str| {
        page.wait_for_quiet();
        let wide: Value = page.run(OVERFLOW, &[]);
        assert_eq!(wide, json!([]), "{state}");
    };
    wait_for_slots(&page);
    fits("times");
    select_first_slot(&page);
    fits("form");
    page.button("Continue").click();
    page.wait_for_text("answers missing");
    fits("form with complaints");
    open_picker(&page, &faults, INTRO_ATTRIBUTES, "280px");
    select_first_slot(&page);
    fill_in(&page.css("booking-picker"));
    page.button("Confirm booking").click();
    page.heading(starting("You’re booked for")).wait();
    fits("confirmation");
}
