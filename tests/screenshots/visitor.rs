//! Scenes of a visitor, from event type to confirmation.

use crate::common::{
    Fault, Key, Page, select_first_series, select_first_slot, slot_lists, starting, wait_for_slots,
};

use super::{Scene, at, html};

const INTRO_CALL_PATH: &str = "/ada/intro-call";
const DESIGN_REVIEW_PATH: &str = "/team/1/design-review";
const ONBOARDING_PATH: &str = "/team/1/onboarding";
const SITE_VISIT_PATH: &str = "/team/1/site-visit";

/// Contents of embedding pages.
const WEEK: &str = r#"<booking-picker username="ada" event-slug="intro-call" view="week">
</booking-picker>"#;
const COLUMN: &str = r#"<booking-picker username="ada" event-slug="intro-call" view="column">
</booking-picker>"#;
const ABROAD: &str = r#"<booking-picker username="ada" event-slug="intro-call" lock-time-zone
    time-zone="Asia/Kathmandu"></booking-picker>"#;
const CONFIRMED: &str = r#"<booking-picker username="ada" event-slug="intro-call"
    step-mode="confirm"></booking-picker>"#;
const SERIES: &str = r#"<booking-picker event-type-id="7"></booking-picker>"#;
/// The visitor's address is verified by a code.
const CODE: &str = r#"<booking-picker event-type-id="6"></booking-picker>"#;
const SEATS: &str = r#"<booking-picker event-type-id="8"></booking-picker>"#;
const TRIAL: &str = r#"<booking-picker username="ada" event-slug="intro-call" dry-run>
</booking-picker>"#;
const UNHELD: &str = r#"<booking-picker username="ada" event-slug="intro-call" reserve="off">
</booking-picker>"#;
const HELD: &str = r#"<booking-picker username="ada" event-slug="intro-call"></booking-picker>"#;
const PERSON: &str = r#"<booking-picker username="ada"></booking-picker>"#;
const NOBODY: &str = r#"<booking-picker username="marcus"></booking-picker>"#;
const ODD: &str = r#"<booking-picker event-type-id="101"></booking-picker>"#;
const PREFILLED: &str = r#"<booking-picker team-id="1" event-slug="onboarding"></booking-picker>
    <script>document.querySelector("booking-picker").prefill = {
      name: { value: "Grace Hopper", readOnly: true },
      email: "grace@example.org",
      guests: ["ada@example.org", "not an address", "somebody-with-a-long-name@a-long-domain.example"],
    }</script>"#;

/// Moves the page's clock forward by `arguments[0]` seconds.
const LATER: &str = "const now = window.Date.now; \
    window.Date.now = () => now() + arguments[0] * 1000";

/// Event type with long texts, many durations and hosts.
const EVERYTHING: &str = r#"{"status":"success","data":{"id":1,"slug":"intro-call",
    "title":"Donaudampfschifffahrtsgesellschaftskapitänsbesprechung <b>mit Übergabeprotokoll</b> 🚢",
    "lengthInMinutes":30,"lengthInMinutesOptions":[15,20,30,45,60,90,120,240],
    "description":"A first line.\n\nA second paragraph, with an address that is longer than most columns: https://northwind.example/a/very/long/path/that/goes/on/and/on/and/on/index.html\n- one\n- two",
    "hosts":[{"name":"Ada Lovelace"},{"name":"Grace Brewster Murray Hopper"},{"name":"Al-Khwarizmi"}],
    "price":2500,"currency":"eur","recurrence":{"interval":2,"occurrences":12,"frequency":"weekly"},
    "seats":{"seatsPerTimeSlot":3,"showAvailabilityCount":true},"isInstantEvent":true,
    "bookingUrl":"https://northwind.example/ada/intro-call",
    "locations":[{"type":"address","address":"Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch, Ynys Môn","public":true},{"type":"attendeePhone"}]}}"#;

/// Event type booked on its own page.
const OWN_PAGE: &str = r#"{"status":"success","data":{"id":1,"slug":"intro-call","title":"Intro call",
    "lengthInMinutes":30,"bookingRequiresAuthentication":true,
    "bookingUrl":"https://northwind.example/ada/intro-call"}}"#;

/// Paid event type.
const PAID: &str = r#"{"status":"success","data":{"id":4,"slug":"design-review",
    "title":"Design review","lengthInMinutes":45,"price":4900,"currency":"eur",
    "confirmationPolicy":{"type":"always"},
    "bookingUrl":"https://northwind.example/team/design-review",
    "bookingFields":[{"type":"name","slug":"name","required":true,"isDefault":true},
      {"type":"email","slug":"email","required":true,"isDefault":true},
      {"type":"text","slug":"project","label":"Which project is it about?","required":true}]}}"#;

/// Picker with fallback content, shown if it does not load.
const WITH_CONTENT: &str = r#"<booking-picker username="ada" event-slug="intro-call">
    <p>Call us: <a href="tel:+15550100">+1 555 0100</a></p></booking-picker>"#;

/// Dialect without idempotency keys.
const OTHER_DIALECT: &str =
    r#"<booking-picker dialect="cal" username="ada" event-slug="intro-call"></booking-picker>"#;

pub(super) fn event_types() -> Vec<Scene> {
    vec![
        html("find", "choices", PERSON).after(|page| page.button(starting("Intro call")).wait()),
        html("find", "chosen", PERSON).after(|page| {
            page.button(starting("Consultation")).click();
            wait_for_slots(page);
        }),
        html("find", "unreachable", PERSON)
            .with(|faults| faults.always("GET", "/v2/event-types", Fault::Drop))
            .after(|page| page.button("Try again").wait()),
        html("find", "none", NOBODY).after(|page| page.wait_for_text("Nothing to book here yet")),
    ]
}

pub(super) fn slot_picker() -> Vec<Scene> {
    vec![
        at("picker", "opening", INTRO_CALL_PATH)
            .with(|faults| faults.always("GET", "/v2/event-types", Fault::Hang)),
        at("picker", "loading", INTRO_CALL_PATH)
            .with(|faults| faults.always("GET", "/v2/slots", Fault::Hang)),
        at("picker", "slow", INTRO_CALL_PATH)
            .with(|faults| faults.always("GET", "/v2/slots", Fault::Hang))
            .after(|page| page.wait_for_text("This is taking longer than usual")),
        at("picker", "times", INTRO_CALL_PATH).after(wait_for_slots),
        at("picker", "times-24h", INTRO_CALL_PATH).after(|page| {
            wait_for_slots(page);
            page.field("24h").click();
        }),
        at("picker", "lengths", "/ada/consultation").after(wait_for_slots),
        at("picker", "last-month", INTRO_CALL_PATH).after(|page| {
            wait_for_slots(page);
            // The booking window is 90 days: no month after that.
            for _ in 0..3 {
                page.button("Next month").click();
                page.wait_for_quiet();
            }
        }),
        at("picker", "unreachable", INTRO_CALL_PATH)
            .with(|faults| faults.always("GET", "/v2/slots", Fault::Drop))
            .after(|page| page.button("Try again").wait()),
        html("picker", "load-failed-with-content", WITH_CONTENT)
            .with(|faults| faults.always("GET", "/v2/event-types", Fault::Drop))
            .after(|page| page.wait_for_text("Call us")),
        at("picker", "nonsense", INTRO_CALL_PATH)
            .with(|faults| faults.always("GET", "/v2/event-types", Fault::Html))
            .after(|page| page.button("Try again").wait()),
        at("picker", "not-found", "/ada/nothing-here")
            .after(|page| page.wait_for_text("This event isn’t available any more")),
        html("picker", "week", WEEK).after(wait_for_slots),
        html("picker", "week-loading", WEEK)
            .with(|faults| faults.always("GET", "/v2/slots", Fault::Hang)),
        html("picker", "column", COLUMN).after(wait_for_slots),
        html("picker", "column-24h", COLUMN).after(|page| {
            wait_for_slots(page);
            page.field("24h").click();
        }),
        html("picker", "zones", UNHELD).after(|page| {
            wait_for_slots(page);
            page.button(starting("Time zone:")).click();
            page.role("option", starting("")).first().wait();
        }),
        html("picker", "zones-found", UNHELD).after(|page| {
            wait_for_slots(page);
            page.button(starting("Time zone:")).click();
            page.role("combobox", "Time zone").fill("new");
            page.wait_for_text("New York");
        }),
        html("picker", "zones-none", UNHELD).after(|page| {
            wait_for_slots(page);
            page.button(starting("Time zone:")).click();
            page.role("combobox", "Time zone").fill("xyz");
            page.wait_for_text("No matching time zone.");
        }),
        html("picker", "locked-zone", ABROAD).after(wait_for_slots),
        html("picker", "second-press", CONFIRMED).after(|page| {
            wait_for_slots(page);
            slot_lists(page).each("button").nth(1).click();
            page.button(starting("Continue with")).wait();
        }),
        html("picker", "focus", UNHELD).after(|page| {
            wait_for_slots(page);
            page.css("td button[tabindex=\"0\"]").click();
            page.press(Key::Right);
        }),
        html("picker", "series", SERIES).after(wait_for_slots),
        html("picker", "seats", SEATS).after(wait_for_slots),
        html("picker", "everything", ODD)
            .with(|faults| faults.page("/v2/event-types/101", &[], EVERYTHING))
            .after(wait_for_slots),
        html("picker", "own-page", ODD)
            .with(|faults| faults.page("/v2/event-types/101", &[], OWN_PAGE))
            .after(|page| page.wait_for_text("This is booked on a separate page")),
        html("picker", "lost-nearest", UNHELD)
            .with(|faults| faults.next("POST", "/v2/bookings", Fault::Status(409, "taken")))
            .after(|page| {
                submit_booking(page, "Confirm booking");
                page.role("group", "Nearby available times").wait();
            }),
        at("picker", "lost-slot", INTRO_CALL_PATH)
            .with(|faults| faults.next("POST", "/v2/bookings", Fault::Status(409, "taken")))
            .after(|page| {
                submit_booking(page, "Confirm booking");
                page.wait_for_text("That time has just been taken");
            }),
        at("picker", "chosen-before", INTRO_CALL_PATH).after(|page| {
            select_first_slot(page);
            page.button("Change time").click();
            page.button(starting("Continue with")).wait();
        }),
    ]
}

pub(super) fn booking_form() -> Vec<Scene> {
    vec![
        at("form", "plain", INTRO_CALL_PATH).after(select_first_slot),
        at("form", "plain-24h", INTRO_CALL_PATH).after(|page| {
            page.field("24h").click();
            select_first_slot(page);
        }),
        at("form", "every-kind", ONBOARDING_PATH).after(select_first_slot),
        at("form", "every-kind-errors", ONBOARDING_PATH).after(|page| {
            select_first_slot(page);
            page.button("Confirm booking").click();
            page.wait_for_text("answers missing");
        }),
        html("form", "held-briefly", HELD).after(|page| {
            select_first_slot(page);
            page.wait_for_text("Held for you");
            page.run(LATER, &[270.into()]);
            page.css("[data-urgent]").wait();
        }),
        html("form", "no-longer-held", HELD).after(|page| {
            select_first_slot(page);
            page.wait_for_text("Held for you");
            page.run(LATER, &[301.into()]);
            page.wait_for_text("Your time is no longer held");
        }),
        html("form", "prefilled", PREFILLED).after(select_first_slot),
        html("form", "series", SERIES).after(select_first_series),
        html("form", "series-form", SERIES).after(|page| {
            select_first_series(page);
            page.button("Continue with 8 sessions").click();
        }),
        html("form", "series-taken", SERIES)
            .with(|faults| {
                let words =
                    "the meeting of the series at 2027-01-05T14:00:00.000Z is no longer available";
                faults.next("POST", "/v2/bookings", Fault::Status(409, words));
            })
            .after(|page| {
                select_first_series(page);
                page.button("Continue with 8 sessions").click();
                fill_in(page);
                page.button("Book 8 sessions").click();
                page.wait_for_text("Nothing is booked yet.");
            }),
        html("form", "seats", SEATS).after(select_first_slot),
        html("form", "everything", ODD)
            .with(|faults| faults.page("/v2/event-types/101", &[], EVERYTHING))
            .after(select_first_slot),
        html("form", "offline", UNHELD).after(|page| {
            select_first_slot(page);
            fill_in(page);
            page.run(
                "Object.defineProperty(navigator, 'onLine', { get: () => false })",
                &[],
            );
            page.button("Confirm booking").click();
            page.wait_for_text("You are offline");
        }),
        at("form", "places", SITE_VISIT_PATH).after(|page| {
            select_first_slot(page);
            page.field("Your address").click();
            page.field("Full address").wait();
        }),
        at("form", "busy", INTRO_CALL_PATH)
            .with(|faults| faults.next("POST", "/v2/bookings", Fault::Hang))
            .after(|page| {
                submit_booking(page, "Confirm booking");
                page.button("Booking…").wait();
            }),
        at("form", "no-answer", INTRO_CALL_PATH)
            .with(|faults| faults.always("POST", "/v2/bookings", Fault::Drop))
            .after(|page| {
                submit_booking(page, "Confirm booking");
                page.wait_for_text("you won’t be booked twice");
            }),
        html("form", "unknown-outcome", OTHER_DIALECT)
            .with(|faults| faults.always("POST", "/v2/bookings", Fault::ResponseLost))
            .after(|page| {
                submit_booking(page, "Confirm booking");
                page.wait_for_text("We don’t know if your booking went through");
            }),
        html("form", "code", CODE).after(ask_for_code),
        html("form", "code-wrong", CODE).after(|page| {
            ask_for_code(page);
            page.field("Code").fill("000000");
            page.button("Confirm booking").click();
            page.wait_for_text("This code is not correct.");
        }),
        at("form", "refused", INTRO_CALL_PATH)
            .with(|faults| {
                let words = "attendee.email must be an email address of your company";
                faults.next("POST", "/v2/bookings", Fault::Status(400, words));
            })
            .after(|page| {
                submit_booking(page, "Confirm booking");
                page.wait_for_text("1 field needs your attention");
            }),
    ]
}

pub(super) fn outcomes() -> Vec<Scene> {
    vec![
        at("confirmation", "booked", INTRO_CALL_PATH).after(|page| {
            submit_booking(page, "Confirm booking");
            page.heading(starting("You’re booked for")).wait();
        }),
        html("confirmation", "series", SERIES).after(|page| {
            // Months ahead, without bookings yet.
            wait_for_slots(page);
            for _ in 0..4 {
                page.button("Next month").click();
                page.wait_for_quiet();
            }
            select_first_series(page);
            for _ in 0..5 {
                page.button("One fewer").click();
            }
            page.button("Continue with 3 sessions").click();
            fill_in(page);
            page.button("Book 3 sessions").click();
            page.heading("You’re booked").wait();
        }),
        html("confirmation", "seat", SEATS).after(|page| {
            submit_booking(page, "Confirm booking");
            page.heading(starting("You’re booked for")).wait();
        }),
        html("confirmation", "trial", TRIAL).after(|page| {
            submit_booking(page, "Confirm booking");
            page.heading("Test complete").wait();
        }),
        html("confirmation", "unpaid", ODD)
            .with(|faults| faults.page("/v2/event-types/101", &[], PAID))
            .after(|page| {
                select_first_slot(page);
                page.field("Which project is it about?").fill("Checkout");
                fill_in(page);
                page.button("Request booking").click();
                page.heading("One step left: payment").wait();
            }),
        at("confirmation", "requested", DESIGN_REVIEW_PATH).after(|page| {
            select_first_slot(page);
            page.field("Which project is it about?")
                .fill("Checkout redesign");
            fill_in(page);
            page.button("Request booking").click();
            page.heading(starting("Requested for")).wait();
        }),
    ]
}

/// The messages that a demo keeps.
pub(super) fn outbox() -> Vec<Scene> {
    vec![
        at("outbox", "list", "/demo/mail"),
        at("outbox", "message", "/demo/mail").after(|page| {
            page.css("a[href^='/demo/mail/']").first().click();
            page.css("iframe").wait();
            page.wait_for_quiet();
        }),
    ]
}

fn ask_for_code(page: &Page) {
    submit_booking(page, "Confirm booking");
    page.heading("Check your email").wait();
}

pub(super) fn fill_in(page: &Page) {
    page.field("Your name").fill("Grace Hopper");
    page.field("Email address").fill("grace@example.org");
}

fn submit_booking(page: &Page, press: &str) {
    select_first_slot(page);
    fill_in(page);
    page.button(press).click();
}
