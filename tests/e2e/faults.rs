//! A service that is down, slow or invalid: errors are shown, and no input is lost.

use std::sync::atomic::{AtomicI64, Ordering};

use booking_wire::Instant;

use crate::common::{
    DESIGN_REVIEW, Engine, Fault, Faults, FreeSlot, INTRO_CALL, INTRO_CALL_PICKER, Locator, Page,
    Service, create_booking_of_grace, free_slots, free_start, is_cal_dialect, now, open_page,
    open_signed_in, query_value, select_slot, slots_of_day, starting, wait_for_slots,
};
use serde_json::json;

const EMAIL: &str = "grace@example.org";
const UNREACHABLE: &str = "The service cannot be reached";
const UNEXPECTED: &str = "Something went wrong on our side";

/// Returns the faults of a read, with the messages that the page shows.
fn read_faults(page: &Page) -> [(Fault, &'static str); 6] {
    // WebKit takes a truncated response for a complete one.
    let cut = match page.engine() {
        Engine::Webkit => UNEXPECTED,
        _ => UNREACHABLE,
    };
    [
        (Fault::Drop, UNREACHABLE),
        (Fault::Truncated, cut),
        (Fault::Html, UNEXPECTED),
        (Fault::HalfJson, UNEXPECTED),
        (Fault::Status(500, "Internal Server Error"), UNEXPECTED),
        (Fault::Status(429, "Too Many Requests"), "Too many requests"),
    ]
}

#[test]
fn failed_event_type_or_slots_show_the_cause_and_a_retry() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = Page::open("about:blank");
    for path in ["/v2/event-types", "/v2/slots"] {
        for (fault, message) in read_faults(&page) {
            faults.always("GET", path, fault);
            page.go("about:blank");
            page.go(&faults.url("/ada/intro-call"));
            page.record_errors();
            page.wait_for_text(message);
            faults.clear();
            page.button("Try again").click();
            page.role("list", starting("Times on")).wait();
            assert!(!page.shows(message), "{message}");
            page.assert_no_errors();
        }
    }
}

/// Script that records `load-failed` events.
const RECORD_LOAD_FAILED: &str = "<script>window.events = []; document.addEventListener('load-failed', \
    ({ detail: { code, what } }) => events.push([code, what]))</script>";

#[test]
fn failed_load_is_reported_once_and_shows_the_light_dom() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let picker = r#"<main><h1>A page</h1><booking-picker username="ada" event-slug="intro-call">
        <a href="/elsewhere">Book elsewhere</a></booking-picker></main>"#;
    let hidden = "This event isn’t available any more";
    let mut page = open_page(&faults, RECORD_LOAD_FAILED, picker);
    if page.engine() != Engine::Chromium {
        return;
    }
    let (types, slots) = ("/v2/event-types", "/v2/slots");
    for (path, fault, recorded, message) in [
        (
            types,
            Fault::Drop,
            ["unreachable", "event-type"],
            UNREACHABLE,
        ),
        (
            types,
            Fault::Status(401, "who?"),
            ["sign-in-needed", "event-type"],
            hidden,
        ),
        (
            types,
            Fault::Status(403, "no"),
            ["forbidden", "event-type"],
            hidden,
        ),
        (
            slots,
            Fault::Status(503, "Busy"),
            ["unexpected", "slots"],
            UNEXPECTED,
        ),
        (
            slots,
            Fault::Status(401, "who?"),
            ["sign-in-needed", "slots"],
            hidden,
        ),
    ] {
        faults.always("GET", path, fault.clone());
        page = open_page(&faults, RECORD_LOAD_FAILED, picker);
        page.wait_for_text(message);
        assert_eq!(
            page.run("return events", &[]),
            json!([recorded]),
            "{path} {fault:?}"
        );
        assert_eq!(
            page.link("Book elsewhere").exists(),
            path == types,
            "{path} {fault:?}"
        );
        assert!(!page.shows("sign in"), "{path} {fault:?}");
        page.assert_accessible("a failed load");
        faults.clear();
        if matches!(fault, Fault::Drop | Fault::Status(503, _)) {
            page.button("Try again").click();
            page.role("list", starting("Times on")).wait();
            assert!(!page.link("Book elsewhere").exists());
        }
    }
    page.assert_no_errors();

    // Reasons of the service are in English, and shown only to English readers.
    faults.always("GET", slots, Fault::Status(400, "start is wrong"));
    let german = picker.replace("<booking-picker", r#"<booking-picker lang="de""#);
    page = open_page(&faults, RECORD_LOAD_FAILED, &german);
    page.wait_for_text("Bitte prüfen Sie Ihre Angaben oder versuchen Sie es später noch einmal.");
    assert!(!page.shows("start is wrong"));
    faults.clear();

    // A session without credentials does not ask the visitor to sign in again.
    faults.always("GET", types, Fault::Status(401, "who?"));
    page.run(
        "document.querySelector('booking-picker').session = { baseUrl: location.origin }",
        &[],
    );
    page.wait_for_text("Diese Terminart ist nicht mehr verfügbar");
    faults.clear();

    // The user is looked up in the named organisation, with one request.
    let before = faults.count("GET", types);
    let of_nobody = picker.replace("event-slug", r#"org-slug="nowhere" event-slug"#);
    page = open_page(&faults, RECORD_LOAD_FAILED, &of_nobody);
    page.wait_for_text(hidden);
    let asked = faults.seen("GET", types).split_off(before);
    let address = "GET /v2/event-types?username=ada&eventSlug=intro-call&orgSlug=nowhere";
    assert_eq!(asked, [address]);

    // A temporary failure dispatches no event.
    for path in [types, slots] {
        faults.next("GET", path, Fault::Status(502, "Bad Gateway"));
        faults.next("GET", path, Fault::RateLimited(1));
    }
    page = open_page(&faults, RECORD_LOAD_FAILED, picker);
    page.role("list", starting("Times on")).wait();
    assert_eq!(page.run("return events", &[]), json!([]));
    page.assert_no_errors();
}

#[test]
fn stopped_service_is_reported_on_every_screen() {
    let mut service = Service::start();
    let faults = Faults::before(&service);
    let page = open_signed_in(&faults.url("/sign-in"));
    service.stop();
    page.button("Past").click();
    page.wait_for_text(UNREACHABLE);
    page.button("Try again").wait();
    page.link("Team & roles").click();
    page.wait_for_text(UNREACHABLE);
    page.link("Booking page").click();
    page.wait_for_text(UNREACHABLE);
    page.assert_no_errors();
}

#[test]
fn failed_list_shows_the_cause_and_a_retry_if_it_helps() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_signed_in(&faults.url("/sign-in"));
    let path = "/v2/organizations/1/teams/1/bookings";
    let reads = read_faults(&page).map(|(fault, message)| (fault, message, true));
    let refusals = [
        (
            Fault::Status(403, "Forbidden"),
            "You do not have access",
            false,
        ),
        (
            Fault::Status(404, "Not Found"),
            "This team was not found",
            false,
        ),
        (Fault::Status(400, "take is wrong"), "take is wrong", false),
    ];
    for (fault, message, helps) in reads.into_iter().chain(refusals) {
        faults.always("GET", path, fault.clone());
        page.button("Reload bookings").click();
        page.wait_for_text(message);
        // After a status 429 it retries automatically.
        let helps = helps && !matches!(fault, Fault::Status(429, _));
        assert_eq!(page.button("Try again").exists(), helps, "{fault:?}");
        faults.clear();
        page.button("Reload bookings").click();
        page.css("tr.booking").first().wait();
        assert!(!page.shows(message), "{message}");
    }
    page.assert_no_errors();
}

#[test]
fn slow_slots_keep_the_page_usable_and_the_newest_query_wins() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.always("GET", "/v2/slots", Fault::Hang);
    let page = Page::open(&faults.url("/ada/intro-call"));
    page.record_errors();
    page.heading("Looking for available times…").wait();
    page.button("Next month").click();
    page.wait_until("two requests", || faults.count("GET", "/v2/slots") == 2);
    page.button("Next month").click();
    page.wait_until("three requests", || faults.count("GET", "/v2/slots") == 3);
    let seen = faults.seen("GET", "/v2/slots");
    let first = |index: usize| query_value(&seen[index], "start").expect("a start");
    assert!(first(0) < first(1) && first(1) < first(2), "{seen:?}");
    page.wait_until("all of them to hang", || faults.hanging() == 3);
    faults.clear();
    faults.release();
    page.role("list", starting("Times on")).wait();
    let shown = page.each("grid").name();
    let month = page.run(
        "return new Date(arguments[0]).toLocaleDateString('en-US', \
           { timeZone: 'Europe/London', year: 'numeric', month: 'long' })",
        &[first(2).into()],
    );
    assert_eq!(shown, month.as_str().unwrap_or(""));
    page.assert_no_errors();
}

/// Visitor with a complete form, and a service behind a fault-injecting proxy.
struct FilledForm {
    service: Service,
    faults: Faults,
    page: Page,
    free: FreeSlot,
}

impl FilledForm {
    fn new() -> FilledForm {
        let service = Service::start();
        let faults = Faults::before(&service);
        let page = Page::open(&faults.url("/team/1/design-review"));
        page.record_errors();
        let free = free_slots(&service, &page, DESIGN_REVIEW)[0].clone();
        let form = FilledForm {
            service,
            faults,
            page,
            free,
        };
        select_slot(&form.page, &form.picker(), &form.free);
        form.picker().field("Your name").fill("Grace Hopper");
        form.picker().field("Email address").fill(EMAIL);
        form.picker()
            .field("Which project is it about?")
            .fill("COBOL");
        form
    }

    fn picker(&self) -> Locator<'_> {
        self.page.css("main")
    }

    fn submit(&self) {
        self.picker().button("Request booking").click();
    }

    #[track_caller]
    fn assert_input_kept(&self) {
        let picker = self.picker();
        for (label, text) in [
            ("Your name", "Grace Hopper"),
            ("Email address", EMAIL),
            ("Which project is it about?", "COBOL"),
        ] {
            assert_eq!(picker.field(label).value(), text, "{label}");
        }
    }

    /// Returns the number of this visitor's bookings at the service.
    fn booking_count(&self) -> usize {
        let path = format!("/v2/teams/1/bookings?attendeeEmail={EMAIL}");
        let bookings = self.service.owner().get(&path).data();
        bookings.as_array().map_or(0, Vec::len)
    }

    fn request_count(&self) -> usize {
        self.faults.count("POST", "/v2/bookings")
    }
}

#[test]
fn failed_booking_keeps_the_form_and_is_sent_again() {
    let form = FilledForm::new();
    let page = &form.page;
    let faults = [
        Fault::Drop,
        Fault::Html,
        Fault::Status(500, "Internal Server Error"),
        Fault::Status(502, "Bad Gateway"),
    ];
    let presses = faults.len();
    for (count, fault) in faults.into_iter().enumerate() {
        form.faults.always("POST", "/v2/bookings", fault);
        form.submit();
        page.wait_until("three requests", || form.request_count() == 3 * (count + 1));
        page.wait_for_text("Please try again: you won’t be booked twice.");
        form.assert_input_kept();
        assert_eq!(form.booking_count(), 0);
        form.faults.clear();
    }
    page.button("Try again").click();
    page.heading(starting("Requested for")).wait();
    assert_eq!(form.booking_count(), 1);
    assert_eq!(form.request_count(), 3 * presses + 1);
    page.assert_no_errors();
}

/// Rescheduling is retried with its key; in the cal dialect, the result is read from the old booking.
#[test]
fn lost_reschedule_response_is_recovered() {
    let dialects = [("svc", 2), ("cal", 1)].into_iter();
    for (dialect, requests) in dialects.skip(usize::from(is_cal_dialect())) {
        let service = Service::start();
        let faults = Faults::before(&service);
        let uid =
            create_booking_of_grace(&service, INTRO_CALL, free_start(&service, INTRO_CALL, 3));
        let body =
            format!(r#"<booking-picker dialect="{dialect}" booking-uid="{uid}"></booking-picker>"#);
        let page = open_page(&faults, "", &body);
        page.run(
            "window.events = []; document.addEventListener('booking-rescheduled', ({ detail }) => events.push(detail))",
            &[],
        );
        let picker = page.css("booking-picker");
        picker.button("Reschedule").click();
        page.wait_for_text("Current time");
        picker.css(".time:not([data-current])").first().click();
        picker.heading(starting("Reschedule to ")).wait();
        let path = format!("/v2/bookings/{uid}/reschedule");
        faults.next("POST", path.as_str(), Fault::ResponseLost);
        picker.button("Reschedule").click();
        page.wait_until("the event of the rescheduling", || {
            page.run("return events.length", &[]) == 1
        });
        let recorded = page.run("return events[0]", &[]);
        assert_eq!(recorded["fromUid"], uid.as_str(), "{dialect}: {recorded}");
        let new_uid = recorded["uid"].as_str().unwrap_or_default();
        let new = service
            .visitor()
            .get(&format!("/v2/bookings/{new_uid}"))
            .data();
        assert_eq!(new["rescheduledFromUid"], uid.as_str(), "{dialect}: {new}");
        assert_eq!(faults.count("POST", &path), requests, "{dialect}");
        page.assert_no_errors();
    }
}

#[test]
fn second_submit_in_flight_books_nothing() {
    let form = FilledForm::new();
    let page = &form.page;
    form.faults.next("POST", "/v2/bookings", Fault::Hang);
    form.submit();
    let button = form.picker().button("Booking…");
    button.wait();
    assert!(!button.is_enabled());
    page.wait_until("the request to hang", || form.faults.hanging() == 1);
    let top = || {
        let script = "const host = [...document.querySelectorAll('*')].find((each) => each.shadowRoot); \
                      const button = host.shadowRoot.querySelector('[type=submit]'); \
                      return button.getBoundingClientRect().top + scrollY";
        page.run(script, &[])
    };
    let before = top();
    page.wait_for_text("This is taking longer than usual…");
    assert_eq!(top(), before, "the button stays where it is");
    button.click();
    page.press(crate::common::Key::Enter);
    form.assert_input_kept();
    form.faults.release();
    page.heading(starting("Requested for")).wait();
    assert_eq!((form.booking_count(), form.request_count()), (1, 1));
    page.assert_no_errors();
}

#[test]
fn rejection_shows_the_message_of_the_service() {
    let form = FilledForm::new();
    let page = &form.page;
    let words = "project is too secret";
    form.faults
        .next("POST", "/v2/bookings", Fault::Status(400, words));
    form.submit();
    page.wait_for_text("We couldn’t make this booking");
    page.wait_for_text("Please check what you entered, or try again later.");
    // The service's own text is for those who want to report it.
    assert!(!page.shows(words));
    page.button("Details").click();
    page.wait_for_text(words);
    form.assert_input_kept();
    // Going back to change the time keeps everything, too.
    page.button("Change time").click();
    slots_of_day(&form.picker(), &form.free)
        .button(starting("Continue with"))
        .click();
    form.picker().heading("Your details").wait();
    form.assert_input_kept();
    form.submit();
    page.heading(starting("Requested for")).wait();
    assert_eq!(form.booking_count(), 1);
    page.assert_no_errors();
}

/// A service or a cache that returns past slots does not lead the picker back, day by day.
#[test]
fn slots_of_past_days_end_the_requests_and_are_left_out() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let answers = AtomicI64::new(0);
    faults.rewrite("/v2/slots", move |answer| {
        let days = 3 * answers.fetch_add(1, Ordering::Relaxed) + 2;
        let start = Instant(now().0 - days * 86_400_000).to_string();
        answer["data"][&start[..10]] = json!([{ "start": start }]);
    });
    let page = open_page(&faults, "", INTRO_CALL_PICKER);
    let picker = page.css("booking-picker");
    wait_for_slots(&page);
    page.wait_for_quiet();
    let asked = faults.count("GET", "/v2/slots");
    assert!(asked < 15, "{asked} requests");
    std::thread::sleep(std::time::Duration::from_secs(2));
    assert_eq!(faults.count("GET", "/v2/slots"), asked);
    picker.css(".time").first().click();
    picker.text("Held for you").wait();
    page.assert_no_errors();
}
