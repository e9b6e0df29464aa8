//! Scenes of a visitor, from event type to confirmation.

use crate::common::{Fault, Key, Page, starting};

use super::{Scene, at, html};

const INTRO: &str = "/ada/intro-call";
const REVIEW: &str = "/team/1/design-review";
const ONBOARDING: &str = "/team/1/onboarding";
const VISIT: &str = "/team/1/site-visit";

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
    "lengthInMinutes":30,"requiresBookerEmailVerification":true,
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

pub(super) fn finding() -> Vec<Scene> {
    vec![
        html("find", "choices", PERSON).after(|page| page.button(starting("Intro call")).wait()),
        html("find", "chosen", PERSON).after(|page| {
            page.button(starting("Consultation")).click();
            times(page);
        }),
        html("find", "unreachable", PERSON)
            .with(|faults| faults.always("GET", "/v2/event-types", Fault::Drop))
            .after(|page| page.button("Try again").wait()),
        html("find", "none", NOBODY)
            .after(|page| page.wait_for_text("There are no public event types.")),
    ]
}

pub(super) fn picking() -> Vec<Scene> {
    vec![
        at("picker", "opening", INTRO)
            .with(|faults| faults.always("GET", "/v2/event-types", Fault::Hang)),
        at("picker", "loading", INTRO)
            .with(|faults| faults.always("GET", "/v2/slots", Fault::Hang)),
        at("picker", "slow", INTRO)
            .with(|faults| faults.always("GET", "/v2/slots", Fault::Hang))
            .after(|page| page.wait_for_text("This takes longer than usual")),
        at("picker", "times", INTRO).after(times),
        at("picker", "times-24h", INTRO).after(|page| {
            times(page);
            page.field("24 h").click();
        }),
        at("picker", "lengths", "/ada/consultation").after(times),
        at("picker", "last-month", INTRO).after(|page| {
            times(page);
            // The booking window is 90 days: no month after that.
            for _ in 0..3 {
                page.button("Next month").click();
                page.wait_for_quiet();
            }
        }),
        at("picker", "unreachable", INTRO)
            .with(|faults| faults.always("GET", "/v2/slots", Fault::Drop))
            .after(|page| page.button("Try again").wait()),
        html("picker", "load-failed-with-content", WITH_CONTENT)
            .with(|faults| faults.always("GET", "/v2/event-types", Fault::Drop))
            .after(|page| page.wait_for_text("Call us")),
        at("picker", "nonsense", INTRO)
            .with(|faults| faults.always("GET", "/v2/event-types", Fault::Html))
            .after(|page| page.button("Try again").wait()),
        at("picker", "not-found", "/ada/nothing-here")
            .after(|page| page.wait_for_text("This cannot be booked here")),
        html("picker", "week", WEEK).after(some_times),
        html("picker", "week-loading", WEEK)
            .with(|faults| faults.always("GET", "/v2/slots", Fault::Hang)),
        html("picker", "column", COLUMN).after(some_times),
        html("picker", "column-24h", COLUMN).after(|page| {
            some_times(page);
            page.field("24 h").click();
        }),
        html("picker", "zones", UNHELD).after(|page| {
            times(page);
            page.button(starting("Time zone:")).click();
            page.role("option", starting("")).first().wait();
        }),
        html("picker", "zones-found", UNHELD).after(|page| {
            times(page);
            page.button(starting("Time zone:")).click();
            page.role("combobox", "Time zone").fill("new");
            page.wait_for_text("New York");
        }),
        html("picker", "zones-none", UNHELD).after(|page| {
            times(page);
            page.button(starting("Time zone:")).click();
            page.role("combobox", "Time zone").fill("xyz");
            page.wait_for_text("No time zone is called so.");
        }),
        html("picker", "locked-zone", ABROAD).after(times),
        html("picker", "second-press", CONFIRMED).after(|page| {
            times(page);
            let times = page.role("list", starting("Times on"));
            times.each("button").nth(1).click();
            page.button(starting("Continue with")).wait();
        }),
        html("picker", "focus", UNHELD).after(|page| {
            times(page);
            page.css("td button[tabindex=\"0\"]").click();
            page.press(Key::Right);
        }),
        html("picker", "series", SERIES).after(times),
        html("picker", "seats", SEATS).after(times),
        html("picker", "everything", ODD)
            .with(|faults| faults.page("/v2/event-types/101", &[], EVERYTHING))
            .after(times),
        html("picker", "own-page", ODD)
            .with(|faults| faults.page("/v2/event-types/101", &[], OWN_PAGE))
            .after(|page| page.wait_for_text("This is booked on a page of its own")),
        html("picker", "lost-nearest", UNHELD)
            .with(|faults| faults.next("POST", "/v2/bookings", Fault::Status(409, "taken")))
            .after(|page| {
                book(page, "Confirm booking");
                page.role("group", "Free times close to it").wait();
            }),
        at("picker", "lost-slot", INTRO)
            .with(|faults| faults.next("POST", "/v2/bookings", Fault::Status(409, "taken")))
            .after(|page| {
                book(page, "Confirm booking");
                page.wait_for_text("That time has just been taken");
            }),
        at("picker", "chosen-before", INTRO).after(|page| {
            choose(page);
            page.button("Change time").click();
            page.button(starting("Continue with")).wait();
        }),
    ]
}

pub(super) fn filling() -> Vec<Scene> {
    vec![
        at("form", "plain", INTRO).after(choose),
        at("form", "plain-24h", INTRO).after(|page| {
            page.field("24 h").click();
            choose(page);
        }),
        at("form", "every-kind", ONBOARDING).after(choose),
        at("form", "every-kind-errors", ONBOARDING).after(|page| {
            choose(page);
            page.button("Confirm booking").click();
            page.wait_for_text("need your attention");
        }),
        html("form", "held-briefly", HELD).after(|page| {
            choose(page);
            page.wait_for_text("Held for you");
            page.run(LATER, &[270.into()]);
            page.css("[data-urgent]").wait();
        }),
        html("form", "no-longer-held", HELD).after(|page| {
            choose(page);
            page.wait_for_text("Held for you");
            page.run(LATER, &[301.into()]);
            page.wait_for_text("Your time is no longer held");
        }),
        html("form", "prefilled", PREFILLED).after(choose),
        html("form", "series", SERIES).after(choose),
        html("form", "series-taken", SERIES)
            .with(|faults| {
                let words =
                    "the meeting of the series at 2027-01-05T14:00:00.000Z is no longer available";
                faults.next("POST", "/v2/bookings", Fault::Status(409, words));
            })
            .after(|page| {
                book(page, "Confirm booking");
                page.wait_for_text("One date of the series is taken");
            }),
        html("form", "seats", SEATS).after(choose),
        html("form", "everything", ODD)
            .with(|faults| faults.page("/v2/event-types/101", &[], EVERYTHING))
            .after(choose),
        html("form", "offline", UNHELD).after(|page| {
            choose(page);
            fill_in(page);
            page.run(
                "Object.defineProperty(navigator, 'onLine', { get: () => false })",
                &[],
            );
            page.button("Confirm booking").click();
            page.wait_for_text("You are offline");
        }),
        at("form", "places", VISIT).after(|page| {
            choose(page);
            page.field("At your address").click();
            page.field("Your address").wait();
        }),
        at("form", "busy", INTRO)
            .with(|faults| faults.next("POST", "/v2/bookings", Fault::Hang))
            .after(|page| {
                book(page, "Confirm booking");
                page.button("Booking…").wait();
            }),
        at("form", "no-answer", INTRO)
            .with(|faults| faults.always("POST", "/v2/bookings", Fault::Drop))
            .after(|page| {
                book(page, "Confirm booking");
                page.wait_for_text("it will not be booked twice");
            }),
        html("form", "unknown-outcome", OTHER_DIALECT)
            .with(|faults| faults.always("POST", "/v2/bookings", Fault::ResponseLost))
            .after(|page| {
                book(page, "Confirm booking");
                page.wait_for_text("We cannot tell whether it was booked");
            }),
        at("form", "refused", INTRO)
            .with(|faults| {
                let words = "attendee.email must be an email address of your company";
                faults.next("POST", "/v2/bookings", Fault::Status(400, words));
            })
            .after(|page| {
                book(page, "Confirm booking");
                page.wait_for_text("1 field needs your attention");
            }),
    ]
}

pub(super) fn endings() -> Vec<Scene> {
    vec![
        at("confirmation", "booked", INTRO).after(|page| {
            book(page, "Confirm booking");
            page.heading("You are booked").wait();
        }),
        html("confirmation", "series", SERIES).after(|page| {
            // Months ahead, without bookings yet.
            times(page);
            for _ in 0..2 {
                page.button("Next month").click();
                page.wait_for_quiet();
            }
            choose(page);
            page.field("Number of meetings").choose("3");
            fill_in(page);
            page.button("Confirm booking").click();
            page.heading("You are booked").wait();
        }),
        html("confirmation", "seat", SEATS).after(|page| {
            book(page, "Confirm booking");
            page.heading("You are booked").wait();
        }),
        html("confirmation", "trial", TRIAL).after(|page| {
            book(page, "Confirm booking");
            page.heading("This was a trial").wait();
        }),
        html("confirmation", "unpaid", ODD)
            .with(|faults| faults.page("/v2/event-types/101", &[], PAID))
            .after(|page| {
                choose(page);
                page.field("Which project is it about?").fill("Checkout");
                fill_in(page);
                page.button("Request booking").click();
                page.heading("One step left: payment").wait();
            }),
        at("confirmation", "requested", REVIEW).after(|page| {
            choose(page);
            page.field("Which project is it about?")
                .fill("Checkout redesign");
            fill_in(page);
            page.button("Request booking").click();
            page.heading("Your request was sent").wait();
        }),
    ]
}

pub(super) fn times(page: &Page) {
    page.role("list", starting("Times on")).wait();
}

fn some_times(page: &Page) {
    page.role("list", starting("Times on")).first().wait();
}

/// Selects the first slot and waits for the form.
pub(super) fn choose(page: &Page) {
    times(page);
    page.role("list", starting("Times on"))
        .each("button")
        .first()
        .click();
    page.heading("Your details").wait();
}

pub(super) fn fill_in(page: &Page) {
    page.field("Your name").fill("Grace Hopper");
    page.field("Email address").fill("grace@example.org");
}

fn book(page: &Page, press: &str) {
    choose(page);
    fill_in(page);
    page.button(press).click();
}
