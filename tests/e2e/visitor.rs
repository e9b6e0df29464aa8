//! Visitors: from free slots to a confirmed booking.

use crate::common::{
    DESIGN_REVIEW, Fault, Faults, FreeSlot, INTRO_CALL, Key, Locator, ONBOARDING, PHONE, Page,
    Service, create_booking, free_slots, free_slots_in, instant, is_cal_dialect, select_slot,
    select_time_zone, slots_of_day, starting, tab_to,
};
use serde_json::{Value, json};

/// Returns the app's picker: its whole main element.
fn app_picker(page: &Page) -> Locator<'_> {
    page.css("main")
}

fn fill_in(picker: &Locator, name: &str, email: &str) {
    picker.field("Your name").fill(name);
    picker.field("Email address").fill(email);
}

/// Returns the booking of the confirmation, from the service.
fn stored(service: &Service, picker: &Locator) -> Value {
    let reference = picker.read_reference();
    assert!(!reference.is_empty());
    service
        .visitor()
        .get(&format!("/v2/bookings/{reference}"))
        .data()
}

fn assert_booked(booking: &Value, free: &FreeSlot, name: &str, email: &str) {
    assert_eq!(instant(&booking["start"]), free.start);
    assert_eq!(booking["attendees"][0]["name"], name);
    assert_eq!(booking["attendees"][0]["email"], email);
    assert_eq!(booking["attendees"][0]["timeZone"], "Europe/London");
}

#[test]
fn visitor_books_on_an_embedding_page() {
    let service = Service::start();
    let page = Page::open(&service.url("/embed/demo.html"));
    page.record_errors();
    let recorded = "window.events = []; \
                for (const name of ['slot-selected', 'booking-created']) { \
                  document.addEventListener(name, (event) => events.push([name, event.detail])); \
                }";
    page.run(recorded, &[]);
    let picker = page.css("booking-picker");
    let free = free_slots(&service, &page, INTRO_CALL)[2].clone();

    picker.heading("Intro call").wait();
    select_slot(&page, &picker, &free);
    page.wait_for_text(free.title());
    fill_in(&picker, "Grace Hopper", "grace@example.org");
    picker.button("Confirm booking").click();
    picker.heading(starting("You’re booked for")).wait();
    page.wait_for_text("grace@example.org");
    page.wait_until("the focus on the confirmation", || {
        page.focus().starts_with("heading \"You’re booked for")
    });

    let booking = stored(&service, &picker);
    assert_booked(&booking, &free, "Grace Hopper", "grace@example.org");
    assert_eq!(booking["status"], "accepted");
    let recorded = page.run("return events", &[]);
    assert_eq!(recorded[0][0], "slot-selected");
    assert_eq!(recorded[0][1]["start"], free.start.to_string());
    assert_eq!(recorded[1][0], "booking-created");
    for name in ["instanceId", "flowId", "schema"] {
        assert_eq!(recorded[0][1][name], recorded[1][1][name], "{name}");
        assert!(!recorded[0][1][name].is_null(), "{name}");
    }
    assert!(
        !recorded.to_string().contains("race"),
        "no personal data: {recorded}"
    );
    assert_eq!(recorded[1][1]["uid"], booking["uid"]);
    assert_eq!(instant(&recorded[1][1]["start"]), free.start);
    assert_eq!(recorded.as_array().map(Vec::len), Some(2));

    // The slot is no longer free.
    picker.button("Book another meeting").click();
    let list = slots_of_day(&picker, &free);
    list.wait();
    page.wait_until("the slot to be removed", || {
        !list.button(free.time.as_str()).exists()
    });
    page.assert_no_errors();
}

#[test]
fn visitor_books_in_the_app() {
    let service = Service::start();
    let page = Page::open(&service.url("/"));
    page.record_errors();
    page.link(starting("Intro call")).click();
    assert!(
        page.address().ends_with("/ada/intro-call"),
        "{}",
        page.address()
    );
    let free = free_slots(&service, &page, INTRO_CALL)[5].clone();
    let picker = app_picker(&page);
    select_slot(&page, &picker, &free);
    fill_in(&picker, "Alan Turing", "alan@example.org");
    picker.button("Add a note").click();
    picker
        .field(starting("Anything we should know"))
        .fill("A projector, please");
    picker.button("Confirm booking").click();
    picker.heading(starting("You’re booked for")).wait();

    let booking = stored(&service, &picker);
    assert_booked(&booking, &free, "Alan Turing", "alan@example.org");
    assert_eq!(
        booking["bookingFieldsResponses"]["notes"],
        "A projector, please"
    );
    page.assert_no_errors();
}

#[test]
fn app_url_is_opened_directly_and_left_by_back() {
    let service = Service::start();
    let page = Page::open(&service.url("/ada/intro-call"));
    page.heading("Intro call").wait();
    page.css("a.host .avatar img[src$='/demo/ada.svg']").wait();
    page.link("Ada Brandt").click();
    page.heading("Ada Brandt").wait();
    page.back();
    page.heading("Intro call").wait();
    page.reload();
    page.heading("Intro call").wait();
    page.go(&service.url("/nobody/nothing"));
    page.wait_for_text("We can’t find this person");
    assert!(!page.button("Try again").exists(), "a retry is not offered");
}

#[test]
fn booking_request_shows_that_it_needs_confirmation() {
    let service = Service::start();
    let page = Page::open(&service.url("/team/1/design-review"));
    let picker = app_picker(&page);
    page.wait_for_text("Needs approval");
    let free = free_slots(&service, &page, DESIGN_REVIEW)[0].clone();
    select_slot(&page, &picker, &free);
    fill_in(&picker, "Katherine Johnson", "katherine@example.org");
    picker.field("Which project is it about?").fill("Orbits");
    assert!(!picker.button("Confirm booking").exists());
    picker.button("Request booking").click();
    picker.heading(starting("Requested for")).wait();
    // Two hosts.
    page.wait_for_text("The host will confirm or decline.");
    assert!(!page.shows("You’re booked"));

    let booking = stored(&service, &picker);
    assert_booked(
        &booking,
        &free,
        "Katherine Johnson",
        "katherine@example.org",
    );
    assert_eq!(booking["status"], "pending");
    assert_eq!(booking["bookingFieldsResponses"]["project"], "Orbits");
}

/// Fills in a part of the form that has every kind of field.
pub(super) fn fill_in_onboarding(page: &Page, picker: &Locator, part: usize) {
    let fill = |fields: &[(&str, &str)]| {
        for (label, text) in fields {
            picker.field(*label).fill(text);
        }
    };
    let group = |name: &str| picker.role("group", name);
    match part {
        1 => fill(&[
            ("Your name", "Mary Jackson"),
            ("Email address", "mary@example.org"),
            ("Company", "Langley"),
            ("How many people will use it?", "25"),
            ("Phone on the day", "+44 20 7946 0018"),
        ]),
        2 => {
            fill(&[
                ("Website", "https://example.org/about"),
                ("Office address", "1 Main Street, Hampton"),
                ("What should work when we are done?", "Everything"),
            ]);
            picker.field("Plan").choose("Team");
            group("Are you coming from another tool?")
                .field("Not sure yet")
                .click();
        }
        _ => {
            group("Modules").button(starting("Modules")).click();
            group("Modules").field("Routing").click();
            group("Modules").field("Reports").click();
            group("What shall we cover?").field("Import").click();
            group("What shall we cover?").field("Permissions").click();
            group("What shall we cover?").field("Import").click();
            picker.field("Colleagues who take part").click();
            page.type_text("dorothy@example.org, christine@example.org");
            picker.field("I agree that the session is recorded").click();
        }
    }
}

#[test]
fn every_field_type_is_shown_and_its_answer_stored() {
    let service = Service::start();
    let page = Page::open(&service.url("/team/1/onboarding"));
    page.record_errors();
    let picker = app_picker(&page);
    let free = free_slots(&service, &page, ONBOARDING)[3].clone();
    select_slot(&page, &picker, &free);

    // An empty part shows an error at each required question and focuses the first.
    picker.role("group", "Part 1 of 3").wait();
    picker.button("Continue").click();
    page.wait_for_text("5 answers missing");
    // So many are not listed: a button leads from one to the next.
    let summary = picker.role("group", "5 answers missing");
    assert_eq!(summary.each("link").count(), 0);
    let first = picker.css(".complaint").first().read_text();
    assert_eq!(first, "Your name is missing.");
    let is_first = |name: &str| page.focus() == format!("textbox \"{name}\"");
    page.wait_until("the focus on the first field", || is_first("Your name"));
    picker.field("Your name").fill("Mary");
    picker.button("Go to the first").click();
    page.wait_until("the focus on the next field", || is_first("Email address"));
    fill_in_onboarding(&page, &picker, 1);
    picker.field("Email address").fill("mary at example");
    picker.field("Company").fill("Langley");
    page.wait_for_text("Enter a full email address");
    picker.field("Email address").fill("mary@example.org");
    page.wait_for_no_text("Enter a full email address");
    page.wait_for_text("Everything is filled in.");
    picker.button("Continue").click();
    let second = picker.role("group", "Part 2 of 3");
    second.wait();
    page.wait_until("the focus on the part", || second.has_focus());
    fill_in_onboarding(&page, &picker, 2);
    // What was typed stays in either direction, and after a reload the form goes on where it was.
    picker.button("Back").click();
    assert_eq!(picker.field("Company").value(), "Langley");
    picker.button("Continue").click();
    second.wait();
    assert!(picker.field("Not sure yet").is_checked());
    page.wait_until("the answers in the history", || {
        let stored = "return JSON.stringify(history.state.bookingDrafts ?? {})";
        page.run(stored, &[]).to_string().contains("Not sure yet")
    });
    page.reload();
    page.record_errors();
    // There, the address does not name the slot.
    if is_cal_dialect() {
        select_slot(&page, &picker, &free);
    }
    picker.role("group", "Part 3 of 3").wait();
    fill_in_onboarding(&page, &picker, 3);
    picker.button("Add guests").click();
    picker.field("Guests").fill("guest@example.org");
    picker.button("Confirm booking").click();
    picker.heading(starting("You’re booked for")).wait();

    let booking = stored(&service, &picker);
    assert_booked(&booking, &free, "Mary Jackson", "mary@example.org");
    let answers = &booking["bookingFieldsResponses"];
    for (slug, answer) in [
        ("company", json!("Langley")),
        ("team-size", json!(25)),
        ("mobile", json!("+442079460018")),
        ("website", json!("https://example.org/about")),
        ("office", json!("1 Main Street, Hampton")),
        ("goals", json!("Everything")),
        ("plan", json!("Team")),
        ("migration", json!("Not sure yet")),
        ("modules", json!(["Routing", "Reports"])),
        ("topics", json!(["Permissions"])),
        (
            "colleagues",
            json!(["dorothy@example.org", "christine@example.org"]),
        ),
        ("recording", json!(true)),
    ] {
        assert_eq!(answers[slug], answer, "{slug} of {answers}");
    }
    assert_eq!(booking["guests"], json!(["guest@example.org"]));
    page.assert_no_errors();
}

/// On a phone, two lines with time and countdown stay at the top, and the form begins below them.
#[test]
fn form_on_a_phone_begins_near_the_top() {
    let service = Service::start();
    let page = Page::open(&service.url("/ada/intro-call"));
    page.record_errors();
    page.emulate_viewport(PHONE, 16);
    let picker = app_picker(&page);
    let free = free_slots(&service, &page, INTRO_CALL)[2].clone();
    select_slot(&page, &picker, &free);
    picker.heading("Your details").wait();
    page.wait_for_text("Held for you: 4:5");
    let measure = "const root = document.getElementById('app').shadowRoot; \
        const box = (selector) => root.querySelector(selector).getBoundingClientRect(); \
        return [box('.form input').top, box('.flow-brief').top, box('.flow-brief').height, \
          box('.form .button-primary').bottom]";
    let found = page.run(measure, &[]);
    let found: Vec<f64> = found
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_f64)
        .collect();
    let [field, brief, height, submit] = *found.as_slice() else {
        panic!("{found:?}")
    };
    assert!(field <= 320.0, "the first field is at {field}");
    assert!((0.0..320.0).contains(&brief), "the summary is at {brief}");
    assert!(height <= 100.0, "the summary has a height of {height}");
    assert!(submit <= f64::from(PHONE.1), "the button ends at {submit}");

    // The whole summary is behind a button.
    assert!(!page.shows("No preparation needed"));
    picker.button("Details").click();
    page.wait_for_text("No preparation needed");
    picker.button("Details").click();
    page.wait_for_no_text("No preparation needed");
    page.assert_accessible("the form on a phone");

    // A long form keeps summary and button in view.
    page.go(&service.url("/team/1/onboarding"));
    page.record_errors();
    page.emulate_viewport(PHONE, 16);
    let free = free_slots(&service, &page, ONBOARDING)[3].clone();
    select_slot(&page, &picker, &free);
    picker.field("Phone on the day").click();
    let found = page.run(
        "const root = document.getElementById('app').shadowRoot; \
         const box = (selector) => root.querySelector(selector).getBoundingClientRect(); \
         const field = root.activeElement.getBoundingClientRect(); \
         const [above, below] = [box('.flow-summary'), box('.form-end')]; \
         return [above.top >= -1, below.bottom <= innerHeight + 1, \
           field.top >= above.bottom - 1, field.bottom <= below.top + 1]",
        &[],
    );
    assert_eq!(found, json!([true, true, true, true]));
    picker.button("Change time").click();
    picker.heading("Your details").wait_gone();
    page.assert_no_errors();
}

#[test]
fn visitor_books_by_keyboard() {
    let service = Service::start();
    let page = Page::open(&service.url("/ada/intro-call"));
    let picker = app_picker(&page);
    let free = free_slots(&service, &page, INTRO_CALL)[4].clone();
    picker.role("list", starting("Times on")).wait();

    // The selected day is in the tab order; arrow keys move to the others.
    let days = "const roots = [document]; let all = []; \
                for (const root of roots) for (const each of root.querySelectorAll('*')) { \
                  if (each.shadowRoot) roots.push(each.shadowRoot); \
                  if (each.matches('td button')) all.push(each); \
                } \
                return all.findIndex((day) => day.ariaLabel.startsWith(arguments[0])) \
                  - all.findIndex((day) => day.tabIndex === 0)";
    let away = page
        .run(days, &[json!(free.day)])
        .as_i64()
        .expect("days away");
    tab_to(&page, "radio \"Month\"");
    page.press(Key::Tab);
    for step in 1..=away {
        page.press(Key::Right);
        page.wait_until("the arrow key to move the focus", || {
            page.run(days, &[json!(free.day)]) == away - step
        });
    }
    page.wait_until("the focus on the day", || {
        page.focus().starts_with(&format!("button \"{},", free.day))
    });
    page.press(Key::Enter);
    slots_of_day(&picker, &free).wait();
    tab_to(&page, &format!("button \"{}\"", free.time));
    page.press(Key::Enter);
    page.wait_until("the focus on the form", || {
        page.focus() == "heading \"Your details\""
    });
    tab_to(&page, "textbox \"Your name\"");
    page.type_text("Ada Lovelace");
    page.press(Key::Tab);
    assert_eq!(page.focus(), "textbox \"Email address\"");
    page.type_text("ada@example.org");
    page.press(Key::Enter);
    page.wait_until("the focus on the confirmation", || {
        page.focus().starts_with("heading \"You’re booked for")
    });
    let booking = stored(&service, &picker);
    assert_booked(&booking, &free, "Ada Lovelace", "ada@example.org");
}

#[test]
fn slot_lost_to_another_visitor_keeps_the_form_and_offers_others() {
    let service = Service::start();
    // Without reservations, another visitor can be faster.
    let faults = Faults::before(&service);
    faults.always(
        "POST",
        "/v2/slots/reservations",
        Fault::Status(404, "Not Found"),
    );
    let page = Page::open(&faults.url("/embed/demo.html"));
    page.record_errors();
    let picker = page.css("booking-picker");
    let all = free_slots(&service, &page, INTRO_CALL);
    let lost = all[0].clone();
    let other = all
        .iter()
        .rfind(|free| free.day == lost.day && *free != &lost)
        .expect("another time of that day")
        .clone();
    select_slot(&page, &picker, &lost);
    fill_in(&picker, "Grace Hopper", "grace@example.org");

    let rival = create_booking(
        &service,
        INTRO_CALL,
        lost.start,
        ("Rival", "rival@example.org"),
        &json!({}),
    );
    assert_eq!(rival.status, 201, "{rival:?}");
    picker.button("Confirm booking").click();
    page.wait_for_text("That time has just been taken");
    page.wait_for_text("Your details are kept.");
    let times = slots_of_day(&picker, &lost);
    times.button(other.time.as_str()).wait();
    page.wait_until("the lost slot to be removed", || {
        !times.button(lost.time.as_str()).exists()
    });

    times.button(other.time.as_str()).click();
    picker.heading("Your details").wait();
    assert_eq!(picker.field("Your name").value(), "Grace Hopper");
    assert_eq!(picker.field("Email address").value(), "grace@example.org");
    assert!(!page.shows("That time has just been taken"));
    picker.button("Confirm booking").click();
    picker.heading(starting("You’re booked for")).wait();
    let booking = stored(&service, &picker);
    assert_booked(&booking, &other, "Grace Hopper", "grace@example.org");
    page.assert_no_errors();
}

#[test]
fn slots_follow_the_selected_zone_and_hour_cycle() {
    let service = Service::start();
    let page = Page::open(&service.url("/ada/intro-call"));
    let picker = app_picker(&page);
    let zone = "Pacific/Chatham";
    // UTC+12:45 or +13:45: in the morning it is still the previous day in UTC.
    let free = free_slots_in(zone, &service, &page, INTRO_CALL)
        .into_iter()
        .rfind(|free| free.time.ends_with("AM"))
        .expect("a time before noon");
    picker.role("list", starting("Times on")).wait();
    select_time_zone(&page, &picker, "chatham");
    select_slot(&page, &picker, &free);
    page.wait_for_text("Chatham · GMT+1");
    page.wait_for_text(free.title());
    page.button("Change time").click();

    let (hour, minute) = free.time.split_once(':').expect("an hour");
    let hour: u32 = hour.parse().expect("an hour");
    let in_24_hours = format!("{:02}:{}", hour % 12, &minute[..2]);
    picker.field("24h").click();
    slots_of_day(&picker, &free)
        .button(in_24_hours.as_str())
        .click();
    picker.heading("Your details").wait();
    page.wait_for_text(&in_24_hours);
    fill_in(&picker, "Maui Solomon", "maui@example.org");
    picker.button("Confirm booking").click();
    picker.heading(starting("You’re booked for")).wait();
    let booking = stored(&service, &picker);
    assert_eq!(instant(&booking["start"]), free.start);
    assert_eq!(booking["attendees"][0]["timeZone"], zone);
}
