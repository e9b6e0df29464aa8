//! Booking form: every field type, prefilled values, and validation errors.

use crate::common::{
    Engine, Fault, Faults, FreeSlot, Key, Page, Service, containing, fill_in, free_slots,
    is_cal_dialect, select_slot, starting,
};
use serde_json::{Value, json};

/// Owner of the event types in these tests.
const OWNER: &str = "ingrid";

/// Creates an event type for this test, and returns its id.
fn event_type(service: &Service, slug: &str, settings: &Value) -> i64 {
    let hours = json!({ "name": "Hours", "timeZone": "Europe/London", "isDefault": true });
    let answer = service.owner().post("/v2/schedules", &hours);
    assert_eq!(answer.status, 201, "{answer:?}");
    let mut body = json!({ "title": "Test", "slug": slug, "lengthInMinutes": 30 });
    for (key, value) in settings.as_object().into_iter().flatten() {
        body[key] = value.clone();
    }
    let answer = service.owner().post("/v2/event-types", &body);
    assert_eq!(answer.status, 201, "{answer:?}");
    answer.data()["id"].as_i64().expect("an id")
}

/// Returns an embedding page with a picker; `script` sets its properties on `picker`.
fn page_of(slug: &str, attributes: &str, script: &str) -> String {
    format!(
        r#"<!doctype html><html lang="en"><meta charset="utf-8"><title>Somebody’s page</title>
        <script type="module" src="/embed/embed.js"></script>
        <body><booking-picker username="{OWNER}" event-slug="{slug}" {attributes}></booking-picker>
        <script>const picker = document.querySelector("booking-picker"); {script}</script>
        </body></html>"#
    )
}

/// Opens [`page_of`].
fn open(faults: &Faults, slug: &str, attributes: &str, query: &str, script: &str) -> Page {
    faults.page("/page.html", &[], &page_of(slug, attributes, script));
    let page = Page::open(&faults.url(&format!("/page.html{query}")));
    page.record_errors();
    page
}

/// Selects a free slot, which leads to the form.
fn fill_step(service: &Service, page: &Page, id: i64) -> FreeSlot {
    let free = free_slots(service, page, id)[3].clone();
    select_slot(page, &page.css("booking-picker"), &free);
    free
}

/// Submits the form and returns the booking as the service stored it.
fn booked(service: &Service, page: &Page) -> Value {
    let picker = page.css("booking-picker");
    picker.button("Confirm booking").click();
    picker.heading(starting("You’re booked for")).wait();
    let reference = picker.read_reference();
    let path = format!("/v2/bookings/{reference}");
    service.owner().get(&path).data()
}

#[test]
fn unusual_labels_are_text_and_every_answer_type_is_stored() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let long = "Wort ".repeat(99).trim().to_owned();
    let markup = "<b onclick=alert(1)>Bold</b> & \u{202e}right to left 🎉";
    let custom = |kind: &str, slug: &str, label: &str| json!({ "type": kind, "slug": slug, "label": label, "required": true });
    let with_options = |kind: &str, slug: &str, label: &str| {
        let mut field = custom(kind, slug, label);
        field["options"] = json!(["One", markup, "Three"]);
        field
    };
    let id = event_type(
        &service,
        "all-kinds",
        &json!({ "bookingFields": [
            custom("text", "topic", &long),
            custom("textarea", "story", markup),
            custom("number", "size", "Size"),
            custom("url", "site", "Site"),
            custom("address", "home", "Home"),
            custom("phone", "mobile", "Mobile"),
            custom("multiemail", "team", "Team"),
            custom("boolean", "terms", "Terms"),
            with_options("select", "plan", "Plan"),
            with_options("radio", "way", "Way"),
            with_options("multiselect", "parts", "Parts"),
            with_options("checkbox", "days", "Days"),
        ]}),
    );
    let page = open(&faults, "all-kinds", "", "", "");
    let picker = page.css("booking-picker");
    fill_step(&service, &page, id);
    page.wait_for_text("<b onclick=alert(1)>Bold</b>");
    let overflow = "const form = document.querySelector('booking-picker').shadowRoot \
                    .querySelector('form'); return form.scrollWidth - form.clientWidth";
    assert_eq!(page.run(overflow, &[]), 0, "the form does not overflow");

    fill_in(&picker);
    picker.field(starting("Wort")).fill("Demo");
    picker.role("textbox", starting("<b")).fill("Once");
    picker.field("Size").fill("2,5");
    picker.button("Continue").click();
    picker.field("Site").fill("example.org/x");
    picker.field("Home").fill("1 Main Street");
    picker.field("Mobile").fill("+44 20 7946 0018");
    picker.field("Team").fill("ada@example.org");
    picker.field("Terms").click();
    picker.button("Continue").click();
    picker.field("Plan").choose(starting("<b"));
    let group = |name: &str| picker.role("group", name);
    group("Way").field("Three").click();
    group("Days").field("Three").click();
    group("Days").field("One").click();

    // The multi-select is opened, navigated and closed by keyboard.
    group("Parts").button(starting("Parts")).click();
    page.press(Key::Down);
    page.wait_until("the focus on the first part", || {
        page.focus() == "checkbox \"One\""
    });
    page.press(Key::Space);
    page.press(Key::End);
    page.wait_until("the focus on the last part", || {
        page.focus() == "checkbox \"Three\""
    });
    page.press(Key::Space);
    page.press(Key::Escape);
    group("Parts").field("One").wait_gone();
    page.wait_until("the focus on the button again", || {
        page.focus() == "button \"Parts One Three\""
    });

    let booking = booked(&service, &page);
    let answers = &booking["bookingFieldsResponses"];
    for (slug, answer) in [
        ("topic", json!("Demo")),
        ("story", json!("Once")),
        ("size", json!(2.5)),
        ("site", json!("https://example.org/x")),
        ("home", json!("1 Main Street")),
        ("mobile", json!("+442079460018")),
        ("team", json!(["ada@example.org"])),
        ("terms", json!(true)),
        ("plan", json!(markup)),
        ("way", json!("Three")),
        ("parts", json!(["One", "Three"])),
        ("days", json!(["One", "Three"])),
    ] {
        assert_eq!(answers[slug], answer, "{slug} of {answers}");
    }
    page.assert_no_errors();
}

#[test]
fn guests_become_removable_chips_and_invalid_ones_are_marked() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let id = event_type(&service, "with-guests", &json!({}));
    let page = open(&faults, "with-guests", "", "", "");
    let picker = page.css("booking-picker");
    fill_step(&service, &page, id);
    fill_in(&picker);
    let taken = |address: &str| picker.button(format!("Remove {address}"));

    // Folded, until the visitor wants to add some.
    assert!(!picker.field("Guests").exists());
    picker.button("Add guests").click();
    page.wait_until("the focus in the field", || {
        picker.field("Guests").has_focus()
    });
    page.type_text("ada@example.org,bo@example.org cy@example.org");
    page.press(Key::Enter);
    for address in ["ada@example.org", "bo@example.org", "cy@example.org"] {
        taken(address).wait();
    }
    assert_eq!(picker.field("Guests").value(), "");
    picker.heading("Your details").wait();

    taken("bo@example.org").click();
    taken("bo@example.org").wait_gone();
    page.wait_until("the focus in the field", || {
        picker.field("Guests").has_focus()
    });
    page.type_text("dee at example");
    page.press(Key::Enter);
    taken("example").wait();
    picker.button("Confirm booking").click();
    page.wait_for_text("“dee” is not an email address.");
    for address in ["dee", "at", "example"] {
        taken(address).click();
        taken(address).wait_gone();
    }
    page.wait_for_no_text("is not an email address");

    let paste = "const at = document.querySelector('booking-picker').shadowRoot.activeElement; \
                 const event = new Event('paste', { bubbles: true, cancelable: true }); \
                 event.clipboardData = { getData: () => arguments[0] }; at.dispatchEvent(event)";
    let list = "Ed Doe <ed@example.org>\nada@example.org\nflo@example.org";
    page.run(paste, &[json!(list)]);
    taken("flo@example.org").wait();
    // Text still in the input on submit is added, too.
    picker.field("Guests").fill("gus@example.org");
    let booking = booked(&service, &page);
    assert_eq!(
        booking["guests"],
        json!([
            "ada@example.org",
            "cy@example.org",
            "ed@example.org",
            "flo@example.org",
            "gus@example.org"
        ])
    );
    page.assert_no_errors();
}

#[test]
fn phone_number_is_accepted_with_and_without_country_code() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let fields = json!({ "bookingFields": [
        { "type": "phone", "slug": "attendeePhoneNumber", "label": "Mobile", "required": true },
        { "type": "phone", "slug": "office", "label": "Office", "required": true },
    ]});
    let id = event_type(&service, "by-phone", &fields);
    let page = open(&faults, "by-phone", "default-phone-country=DE", "", "");
    let picker = page.css("booking-picker");
    fill_step(&service, &page, id);
    fill_in(&picker);
    let country = |index: usize| picker.field("Country code").nth(index);
    assert_eq!(country(0).value(), "DE");
    picker.field("Mobile").fill("030 1234");
    page.press(Key::Tab);
    picker.field("Mobile").fill("030 123456 (Ada)");
    page.press(Key::Tab);
    page.wait_for_text("Enter a complete phone number.");
    picker.field("Mobile").fill("030 1234567");
    page.wait_for_no_text("Enter a complete phone number");

    picker.field("Office").fill("+44 20 7946 0018");
    country(1).wait_for_value("GB");
    country(1).click();
    page.press(Key::Escape);
    country(1).choose(starting("France"));
    picker.field("Office").wait_for_value("20 7946 0018");
    picker.field("Office").fill("06 12 34 56 78");

    let booking = booked(&service, &page);
    assert_eq!(booking["attendees"][0]["phoneNumber"], "+49301234567");
    assert_eq!(booking["bookingFieldsResponses"]["office"], "+33612345678");
    page.assert_no_errors();
}

#[test]
fn phone_country_defaults_to_the_country_of_the_time_zone() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let places = json!({ "locations": [{ "type": "attendeePhone" }] });
    let id = event_type(&service, "call-me", &places);
    // The time zone is London; none of the languages has the region GB.
    let languages =
        r#"Object.defineProperty(navigator, "languages", { value: ["de-DE", "en-US"] });"#;
    let page = open(&faults, "call-me", "", "", languages);
    let picker = page.css("booking-picker");
    fill_step(&service, &page, id);
    fill_in(&picker);
    let knows = "return !!new Intl.Locale('und-GB').getTimeZones";
    let knows_zones = page.run(knows, &[]) == true;
    let expected = if knows_zones { "GB" } else { "DE" };
    assert_eq!(picker.field("Country code").value(), expected);
    page.assert_no_errors();
}

#[test]
fn form_without_phone_field_looks_up_no_country() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let id = event_type(&service, "plain", &json!({}));
    // Each call is slow, and there are hundreds of regions.
    let count = "window.lookups = 0;
        const ask = Intl.Locale.prototype.getTimeZones;
        if (ask) Intl.Locale.prototype.getTimeZones = function () {
          window.lookups += 1;
          return ask.call(this);
        };
        Object.defineProperty(navigator, 'languages', { value: ['de-DE', 'en-US'] });";
    let page = open(&faults, "plain", "", "", count);
    let picker = page.css("booking-picker");
    fill_step(&service, &page, id);
    fill_in(&picker);
    assert_eq!(page.run("return window.lookups", &[]), 0);
    page.assert_no_errors();
}

/// Returns whether an unchecked radio button is as empty as the card, and the contrast of its border.
const UNCHECKED_RADIO: &str = "const root = document.querySelector('booking-picker').shadowRoot; \
    const radio = getComputedStyle(root.querySelector('.form [type=radio]:not(:checked)')); \
    const surface = getComputedStyle(root.querySelector('.card')).backgroundColor; \
    const context = document.createElement('canvas').getContext('2d'); \
    const luminance = (color) => { \
      context.fillStyle = color; context.fillRect(0, 0, 1, 1); \
      const [red, green, blue] = [...context.getImageData(0, 0, 1, 1).data].map((value) => \
        value / 255 <= .04045 ? value / 255 / 12.92 : ((value / 255 + .055) / 1.055) ** 2.4); \
      return .2126 * red + .7152 * green + .0722 * blue }; \
    const [dark, light] = [luminance(radio.borderTopColor), luminance(surface)].sort((a, b) => a - b); \
    return [radio.appearance === 'none' && radio.backgroundColor === surface, (light + .05) / (dark + .05)]";

#[test]
fn location_details_are_kept_when_another_location_is_selected() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let places = json!({ "locations": [
        { "type": "integration", "integration": "svc-video" },
        { "type": "attendeePhone" },
        { "type": "attendeeAddress" },
    ]});
    let id = event_type(&service, "anywhere", &places);
    let page = open(&faults, "anywhere", "default-phone-country=GB", "", "");
    let picker = page.css("booking-picker");
    fill_step(&service, &page, id);
    fill_in(&picker);
    let place = picker.role("group", "Where should it take place?");
    for theme in ["dark", "light"] {
        page.run(
            "document.querySelector('booking-picker').style.colorScheme = arguments[0]",
            &[json!(theme)],
        );
        let looks = page.run(UNCHECKED_RADIO, &[]);
        assert_eq!(looks[0], json!(true), "{theme}: filled as its surface");
        assert!(looks[1].as_f64() >= Some(3.0), "{theme}: border: {looks}");
    }
    // Told below the question, so without it, like those of other fields.
    picker.button("Confirm booking").click();
    page.wait_for_text("This needs an answer.");
    assert!(!page.shows("Please choose an answer"));
    place.field("We’ll call you").click();
    assert!(place.field("We’ll call you").has_focus());
    place.field("Number to call").fill("020 7946 0018");
    place.field("Your address").click();
    place.field("Number to call").wait_gone();
    place.field("Full address").fill("1 Main Street");
    place.field("Video call").click();
    place.field("Full address").wait_gone();
    place.field("Your address").click();
    place.field("Full address").wait_for_value("1 Main Street");
    place.field("We’ll call you").click();
    place
        .field("Number to call")
        .wait_for_value("020 7946 0018");

    let booking = booked(&service, &page);
    assert_eq!(booking["location"], "+442079460018");
    page.assert_no_errors();
}

#[test]
fn invalid_form_lists_all_errors_with_links() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let fields = json!({ "bookingFields": [
        { "type": "radio", "slug": "size", "label": "Size", "required": true,
          "options": ["Small", "Large"] },
    ]});
    let id = event_type(&service, "strict", &fields);
    let record_events = "window.events = []; \
                for (const name of ['form-invalid', 'form-changed', 'form-back']) { \
                  document.addEventListener(name, (event) => events.push([name, event.detail])); \
                }";
    let page = open(&faults, "strict", "", "", record_events);
    let picker = page.css("booking-picker");
    fill_step(&service, &page, id);
    picker.field("Email address").fill("grace at example");
    picker.button("Confirm booking").click();
    page.wait_until("the focus on the first field", || {
        page.focus() == "textbox \"Your name\""
    });
    let list = picker.role("group", "3 fields need your attention.");
    assert_eq!(
        list.each("link").names(),
        [
            "Your name is missing.",
            "Enter a full email address, like name@example.com.",
            "Please choose an answer to “Size”.",
        ]
    );
    let invalid = page.run(
        "return events.find(([name]) => name === 'form-invalid')[1]",
        &[],
    );
    assert_eq!(invalid["fields"], json!(["name", "email", "size"]));
    assert_eq!(invalid["codes"], json!(["required", "email", "required"]));

    list.role("link", "Please choose an answer to “Size”.")
        .click();
    page.wait_until("the focus on the first size", || {
        page.focus() == "radio \"Small\""
    });
    page.press(Key::Space);
    picker.role("group", "2 fields need your attention.").wait();
    fill_in(&picker);
    page.wait_for_text("Everything is filled in.");

    picker.button("Change time").click();
    let back = "return events.some(([name]) => name === 'form-back')";
    page.wait_until("the form-back event", || page.run(back, &[]) == true);
    let recorded = page.run("return JSON.stringify(events)", &[]).to_string();
    assert!(!recorded.contains("Grace"), "no personal data: {recorded}");
    page.assert_no_errors();
}

#[test]
fn prefilled_values_are_shown_locked_or_hidden_and_sent() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let fields = json!({ "bookingFields": [
        { "type": "text", "slug": "account", "label": "Account", "required": true },
        { "type": "select", "slug": "plan", "label": "Plan", "required": true,
          "options": ["Free", "Team"] },
        { "type": "number", "slug": "seats", "label": "Seats", "required": true },
    ]});
    let id = event_type(&service, "known", &fields);
    let script = r#"picker.prefill = {
        firstName: "Grace", lastName: "Hopper",
        email: { value: "grace@example.org", readOnly: true },
        guests: ["ada@example.org"],
        notes: "<img src=x onerror=alert(1)>",
        answers: {
          account: { value: "A-1", hidden: true },
          plan: { value: "Team", readOnly: true },
          seats: { value: "many", hidden: true, readOnly: true },
        },
      };
      picker.metadata = { plan: "team", size: 7, nested: {}, long: "x".repeat(600) };
      picker.utm = { source: "own" };"#;
    let query = "?utm_source=address&utm_campaign=spring%20sale&email=evil%40example.org";
    let page = open(&faults, "known", r#"utm="auto""#, query, script);
    let picker = page.css("booking-picker");
    fill_step(&service, &page, id);
    assert_eq!(picker.field("Your name").value(), "Grace Hopper");
    let email = picker.field("Email address");
    assert_eq!(email.value(), "grace@example.org");
    assert_eq!(email.attribute("readonly").as_deref(), Some(""));
    assert!(!picker.field("Account").exists());
    assert!(!picker.field("Plan").is_enabled());
    // A hidden field with an invalid value is shown after all.
    assert_eq!(picker.field("Seats").attribute("readonly"), None);
    picker.field("Seats").fill("25");

    let booking = booked(&service, &page);
    assert_eq!(booking["attendees"][0]["name"], "Grace Hopper");
    assert_eq!(booking["attendees"][0]["email"], "grace@example.org");
    assert_eq!(booking["guests"], json!(["ada@example.org"]));
    let answers = &booking["bookingFieldsResponses"];
    assert_eq!(answers["account"], "A-1");
    assert_eq!(answers["plan"], "Team");
    assert_eq!(answers["seats"], 25);
    assert_eq!(answers["notes"], "<img src=x onerror=alert(1)>");
    let size = match is_cal_dialect() {
        true => json!("7"),
        false => json!(7),
    };
    assert_eq!(
        booking["metadata"],
        json!({ "plan": "team", "size": size, "long": "x".repeat(500), "utm_source": "own",
                "utm_campaign": "spring sale" })
    );
    page.assert_no_errors();
}

#[test]
fn device_remembers_the_visitor_only_on_request() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let id = event_type(&service, "remembered", &json!({}));
    let stored = "return localStorage.length";
    let box_name = "Remember my name and email on this device";

    let page = open(&faults, "remembered", r#"remember="ask""#, "", "");
    let picker = page.css("booking-picker");
    fill_step(&service, &page, id);
    fill_in(&picker);
    booked(&service, &page);
    assert_eq!(page.run(stored, &[]), 0);
    picker.button("Book another meeting").click();
    fill_step(&service, &page, id);
    fill_in(&picker);
    picker.field(box_name).click();
    booked(&service, &page);

    page.reload();
    page.record_errors();
    fill_step(&service, &page, id);
    page.wait_for_text("Booking as Grace Hopper");
    assert_eq!(picker.field("Email address").value(), "grace@example.org");
    picker.button("Not you?").click();
    page.wait_until("the focus on the name", || {
        page.focus() == "textbox \"Your name\""
    });
    assert_eq!(picker.field("Email address").value(), "");
    assert_eq!(page.run(stored, &[]), 0);
    page.wait_for_no_text("Booking as");

    // A page that does not offer it has nothing filled in.
    page.run(
        "localStorage.setItem('booking-visitor', 'Grace\\ng@example.org')",
        &[],
    );
    faults.page("/page.html", &[], &page_of("remembered", "", ""));
    page.reload();
    page.record_errors();
    fill_step(&service, &page, id);
    assert_eq!(picker.field("Your name").value(), "");
    assert!(!page.shows(box_name));
    page.run("localStorage.clear()", &[]);
    page.assert_no_errors();
}

#[test]
fn confirm_disabled_form_is_not_sent() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let id = event_type(&service, "closed", &json!({}));
    let page = open(&faults, "closed", "confirm-disabled", "", "");
    let picker = page.css("booking-picker");
    fill_step(&service, &page, id);
    page.wait_for_text("Booking is disabled on this page.");
    assert!(!picker.button("Confirm booking").is_enabled());
    fill_in(&picker);
    page.press(Key::Enter);
    assert_eq!(faults.count("POST", "/v2/bookings"), 0);
    picker.heading("Your details").wait();
    page.assert_no_errors();
}

#[test]
fn answer_rejected_by_the_service_is_marked_at_its_field() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let with = |options: &Value| {
        json!({ "bookingFields": [{ "type": "select", "slug": "plan", "label": "Plan",
                                    "required": true, "options": options }] })
    };
    let id = event_type(&service, "changing", &with(&json!(["Free", "Team"])));
    let page = open(&faults, "changing", "", "", "");
    let picker = page.css("booking-picker");
    fill_step(&service, &page, id);
    fill_in(&picker);
    picker.field("Plan").choose("Free");
    service.update_event_type(id, &with(&json!(["Team"])));
    picker.button("Confirm booking").click();
    page.wait_for_text("Must be one of: Team");
    page.wait_until("the focus on the plan", || picker.field("Plan").has_focus());
    picker.field("Plan").choose("Team");
    page.wait_for_no_text("Must be one of");
    let booking = booked(&service, &page);
    assert_eq!(booking["bookingFieldsResponses"]["plan"], "Team");
    page.assert_no_errors();
}

/// Typed values survive every change of the page until they are booked.
#[test]
fn draft_survives_reload_and_navigation_until_booked() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let custom = |kind: &str, slug: &str| json!({ "type": kind, "slug": slug, "label": slug, "required": false });
    let mut plan = custom("select", "plan");
    plan["options"] = json!(["Free", "Team"]);
    let mut days = custom("checkbox", "days");
    days["options"] = json!(["One", "Two", "Three"]);
    let id = event_type(
        &service,
        "kept",
        &json!({
            "locations": [
                { "type": "attendeePhone" },
                { "type": "integration", "integration": "svc-video" },
            ],
            "bookingFields": [
                custom("textarea", "story"), custom("multiemail", "team"),
                custom("boolean", "terms"), plan, days,
            ],
        }),
    );
    let other = event_type(&service, "other", &json!({}));
    let own_state = "history.state ?? history.replaceState({ own: 7 }, '');";
    let page = open(&faults, "kept", "default-phone-country=GB", "", own_state);
    let picker = page.css("booking-picker");
    let drafts = || {
        page.run(
            "return Object.keys(history.state.bookingDrafts ?? {}).length",
            &[],
        )
    };
    // Another slot each time: the one of the last visit may still be reserved.
    let pick_slot = |index: usize| {
        page.record_errors();
        select_slot(&page, &picker, &free_slots(&service, &page, id)[index]);
    };
    let assert_typed = |after: &str| {
        for (label, text) in [
            ("Your name", "Grace Hopper"),
            ("Email address", "grace@"),
            ("story", "Once upon a time"),
            ("plan", "Team"),
            ("Number to call", "020 7946 0018"),
        ] {
            assert_eq!(picker.field(label).value(), text, "{label} after {after}");
        }
        for label in ["terms", "We’ll call you", "Two"] {
            assert!(picker.field(label).is_checked(), "{label} after {after}");
        }
        picker.button("Remove ada@example.org").wait();
        assert!(!picker.field("One").is_checked());
    };

    pick_slot(2);
    assert_eq!(drafts(), 0);
    fill_in(&picker);
    picker.field("We’ll call you").click();
    picker.field("Number to call").fill("020 7946 0018");
    picker.field("story").fill("Once upon a time");
    picker.field("team").fill("ada@example.org");
    picker.field("terms").click();
    picker.button("Remove ada@example.org").wait();
    picker.field("plan").choose("Team");
    picker.field("Two").click();
    // Incomplete, as typed so far.
    picker.field("Email address").fill("grace@");
    page.wait_until("the draft in the history", || {
        page.run(
            "return JSON.stringify(history.state).includes('\"grace@\"')",
            &[],
        ) == true
    });
    page.reload();
    pick_slot(4);
    assert_typed("a reload");

    // Another event type does not get the draft, and with `draft=off` none is stored.
    faults.page("/other.html", &[], &page_of("other", "draft=off", ""));
    page.go(&faults.url("/other.html"));
    page.record_errors();
    select_slot(&page, &picker, &free_slots(&service, &page, other)[2]);
    assert_eq!(picker.field("Your name").value(), "");
    fill_in(&picker);
    page.run(
        "document.querySelector('booking-picker').weekStart = 'sunday'",
        &[],
    );
    page.wait_for_quiet();
    picker.field("Your name").wait_for_value("Grace Hopper");
    assert_eq!(page.run("return history.state", &[]), Value::Null);
    page.back();
    page.wait_until("the first page", || page.address().ends_with("/page.html"));
    page.record_errors();
    page.wait_until("the form or the slots", || {
        picker.heading("Your details").exists() || picker.css(".time").exists()
    });
    if !picker.heading("Your details").exists() {
        pick_slot(6);
    }
    assert_typed("the back button");

    page.run(
        "document.querySelector('booking-picker').weekStart = 'sunday'",
        &[],
    );
    page.wait_for_quiet();
    assert_typed("a change of an attribute");

    picker.field("Email address").fill("grace@example.org");
    let booking = booked(&service, &page);
    assert_eq!(booking["bookingFieldsResponses"]["days"], json!(["Two"]));
    assert_eq!(page.run("return history.state", &[]), json!({ "own": 7 }));
    page.reload();
    pick_slot(10);
    assert_eq!(picker.field("Your name").value(), "");

    picker.field("Your name").fill("Grace Hopper");
    page.wait_until("another draft", || drafts() == 1);
    page.run("document.querySelector('booking-picker').reset()", &[]);
    picker.heading("Your details").wait_gone();
    assert_eq!(drafts(), 0);
    pick_slot(12);
    assert_eq!(picker.field("Your name").value(), "");
    page.assert_no_errors();
}

/// Services answer in English: in other languages, the visitor sees which field is meant, in the own language.
#[test]
fn service_error_is_shown_at_its_field_in_the_visitors_language() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let fields = json!({ "bookingFields": [
        { "type": "text", "slug": "scene", "label": "Scene", "required": true },
    ]});
    event_type(&service, "refusing", &fields);
    for (lang, email, button, refused, refusal) in [
        (
            "en",
            "Email address",
            "Confirm booking",
            "Must be one of your company",
            "bookingFieldsResponses.scene must be a hologram",
        ),
        (
            "de",
            "E-Mail-Adresse",
            "Termin buchen",
            "Nicht angenommen. Bitte prüfen Sie die Angabe.",
            "scene: hologram expected",
        ),
    ] {
        faults.rewrite("/v2/event-types", |answer| {
            let data = &mut answer["data"];
            let event_type = if data.is_array() { &mut data[0] } else { data };
            event_type["bookingUrl"] = json!("https://book.example/refusing");
            for field in event_type["bookingFields"]
                .as_array_mut()
                .into_iter()
                .flatten()
            {
                match field["slug"].as_str() {
                    Some("scene") => field["type"] = json!("hologram"),
                    Some("notes") => field["label"] = json!("Company and topic"),
                    _ => {}
                }
            }
        });
        let page = open(&faults, "refusing", &format!("lang={lang}"), "", "");
        if page.engine() != Engine::Chromium {
            return;
        }
        let picker = page.css("booking-picker");
        picker.css(".time").first().wait();
        picker.css(".time").first().click();
        picker.field("Company and topic").wait();
        picker.field(email).fill("grace@example.org");
        picker
            .field(starting(if lang == "de" {
                "Ihr Name"
            } else {
                "Your name"
            }))
            .fill("Grace");
        picker.field("Scene").fill("One");
        faults.next(
            "POST",
            "/v2/bookings",
            Fault::Status(400, "attendee.email must be one of your company"),
        );
        picker.button(button).click();
        page.wait_for_text(refused);
        page.wait_until("the focus", || picker.field(email).has_focus());
        assert_eq!(page.shows("Must be one of your company"), lang == "en");
        assert!(!page.shows("attendee.email"));
        assert!(!picker.role("link", containing("book.example")).exists());

        // A field that the form cannot show correctly is left to the service's own page.
        picker.field(email).fill("grace@company.example");
        faults.next("POST", "/v2/bookings", Fault::Status(400, refusal));
        picker.button(button).click();
        picker.role("link", containing("book.example")).wait();
        page.assert_no_errors();
    }
}
