//! Choice of an event type, on pages that name only a user or a team.

use crate::common::{
    Fault, Faults, INTRO_CALL, Key, Page, Service, free_slots, open_page, picker_overflow,
    select_slot, starting,
};
use serde_json::json;

const ADA: &str = r#"<booking-picker username="ada"></booking-picker>"#;

fn open(faults: &Faults, body: &str) -> Page {
    let head = r#"<script>
          window.events = [];
          document.addEventListener("event-type-selected", (event) => events.push(event.detail.slug));
        </script>"#;
    open_page(faults, head, body)
}

#[test]
fn users_event_type_is_selected_and_booked() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open(&faults, ADA);
    page.heading("Book a time").wait();
    page.button(starting("Intro call")).click();
    page.heading("Intro call").wait();
    assert_eq!(page.run("return events", &[]), json!(["intro-call"]));

    // Back at the list, the same card has the focus.
    page.button("All meetings").click();
    let card = page.button(starting("Intro call"));
    card.wait();
    page.wait_until("the focus", || card.has_focus());
    page.press(Key::Enter);
    page.heading("Intro call").wait();
    let back = page.button("All meetings");
    page.wait_until("the focus", || back.has_focus());

    let picker = page.css("booking-picker");
    let free = free_slots(&service, &page, INTRO_CALL)[0].clone();
    select_slot(&page, &picker, &free);
    picker.field("Your name").fill("Grace Hopper");
    picker.field("Email address").fill("grace@example.org");
    picker.button("Confirm booking").click();
    picker.heading(starting("You’re booked for")).wait();
    page.assert_no_errors();
}

#[test]
fn team_lists_its_event_types() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open(&faults, r#"<booking-picker team-id="1"></booking-picker>"#);
    page.button(starting("Design review")).click();
    page.heading("Design review").wait();
    page.assert_no_errors();
}

#[test]
fn single_event_type_is_selected_and_an_empty_list_is_reported() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let one = r#"{"status":"success","data":[{"id":1,"title":"Only this","slug":"only","lengthInMinutes":30},
        {"id":2,"title":"Not this","slug":"hidden","lengthInMinutes":30,"hidden":true}]}"#;
    faults.page("/v2/event-types", &[], one);
    let page = open(&faults, ADA);
    page.heading("Only this").wait();
    assert!(!page.button("All meetings").exists());

    let none = r#"{"status":"success","data":[]}"#;
    faults.page("/v2/event-types", &[], none);
    page.reload();
    page.wait_for_text("Nothing to book here yet");
}

#[test]
fn failed_list_is_retried() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.always("GET", "/v2/event-types", Fault::Drop);
    let page = open(&faults, ADA);
    page.wait_for_text("The service cannot be reached");
    faults.clear();
    page.button("Try again").click();
    page.button(starting("Intro call")).wait();
}

#[test]
fn cards_show_settings_and_fit_long_titles() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let odd = format!(
        "<b>{}</b> \u{202e}desrever\u{202c} 🦀",
        "Donaudampf".repeat(48)
    );
    let pixel = "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    let hosts = json!([
        { "name": "Ada Brandt", "avatarUrl": pixel },
        { "name": "Plato", "avatarUrl": faults.url("/embed/none.png") },
        { "name": "Zeno", "avatarUrl": "data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg'/>" },
    ]);
    let offers = json!({ "status": "success", "data": [
        {
            "id": 41, "slug": "group", "title": "Group session", "lengthInMinutes": 90,
            "seats": { "seatsPerTimeSlot": 8 }, "price": 2500, "currency": "eur",
            "recurrence": { "interval": 1, "occurrences": 6, "frequency": "weekly" },
            "confirmationPolicy": { "type": "always" },
        },
        {
            "id": 43, "slug": "lengths", "title": "Any length", "lengthInMinutes": 30,
            "lengthInMinutesOptions": [15, 30, 45], "hosts": hosts,
            "color": { "lightThemeHex": "#7c3aed", "darkThemeHex": "#c4b5fd" },
        },
        {
            "id": 42, "slug": "odd", "title": odd, "description": odd, "users": [odd],
            "recurrence": { "interval": 2, "occurrences": 6, "frequency": "monthly" },
        },
    ]});
    faults.page("/v2/event-types", &[], &offers.to_string());
    let page = open(
        &faults,
        &format!("<main style='inline-size: 304px'><h1>Book</h1>{ADA}</main>"),
    );
    let card = page.button(starting("Group session"));
    card.wait();
    let name = card.name();
    for words in [
        "1 h 30 min",
        "Group of up to 8",
        "€25.00",
        "Weekly, up to 6 sessions",
        "Needs approval",
    ] {
        assert!(name.contains(words), "{words}: {name}");
    }
    let card = page.button(starting("Any length"));
    assert!(card.name().contains("From 15 min"), "{}", card.name());
    assert!(!card.name().contains("AB"), "initials repeat the names");
    let edge = "const cards = [...document.querySelector('booking-picker').shadowRoot.querySelectorAll('.offer')]; \
        const card = cards.find((each) => each.textContent.includes('Any length')); \
        const box = (each) => [each.getBoundingClientRect().width, each.getBoundingClientRect().height].join(); \
        const avatars = [...card.querySelectorAll('.avatar')]; \
        const [image] = avatars.map((each) => each.firstElementChild); \
        const { alt, referrerPolicy } = image; \
        return [getComputedStyle(card).getPropertyValue('--_event-light'), avatars.map((each) => each.textContent), \
          alt + referrerPolicy, new Set([image, ...avatars].map(box)).size]";
    page.css(".avatar img").wait();
    page.wait_until("a failed picture", || {
        faults.count("GET", "/embed/none.png") > 0
    });
    page.wait_for_quiet();
    // A picture replaces the initials. They stay, in the same size, if it cannot be loaded or is not of a safe format.
    let looks = json!(["#7c3aed", ["", "P", "Z"], "no-referrer", 1]);
    assert_eq!(page.run(edge, &[]), looks, "color and hosts");
    assert_eq!(page.css(".avatar img").count(), 1);
    let card = page.button(starting("<b>Donau"));
    card.wait();
    assert!(card.name().contains("Repeats every 2 months"));
    assert!(picker_overflow(&page) < 1.0, "{}", picker_overflow(&page));
    page.assert_accessible("cards");
    page.assert_no_errors();
}
