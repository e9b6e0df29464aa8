//! Invalid attribute values and unexpected responses: neither causes repeated requests.

use booking_wire::JsonMap;
use chrono::{DateTime, SecondsFormat, TimeDelta};
use serde_json::json;

use crate::common::{Engine, Faults, Locator, Page, Service, open_page, starting};

/// An invalid value of each attribute that has one. They count as absent.
const INVALID: &str = include_str!("../scripts/invalid-attributes.json");

/// Script that sets properties whose values throw when they are read, or have no end.
const UNREADABLE: &str = r#"
    const cyclic = {};
    cyclic.self = cyclic;
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const getter = { get name() { throw new Error("no"); } };
    for (const picker of document.querySelectorAll("booking-picker")) {
      for (const name of ["messages", "metadata", "prefill", "utm", "query"]) {
        for (const value of [cyclic, proxy, getter]) picker[name] = value;
      }
    }
"#;

/// Files of the picker's bundle: its script and its WebAssembly module.
const FILES: [&str; 2] = ["/embed/picker-", "/embed/picker_bg-"];

fn picker(attributes: &str) -> String {
    format!("<booking-picker username=ada event-slug=intro-call {attributes}></booking-picker>")
}

/// Fails if a file of the bundle was fetched more than once, or if event type and slots were not fetched
/// exactly once for each of `count` elements.
#[track_caller]
fn assert_fetched_once(faults: &Faults, count: usize) {
    for path in FILES {
        let seen = faults.seen("GET", path);
        assert_eq!(seen.len(), 1, "{seen:#?}");
    }
    for path in ["/v2/event-types", "/v2/slots"] {
        let seen = faults.seen("GET", path);
        assert_eq!(seen.len(), count, "{seen:#?}");
    }
    // Paths that a value could be mistaken for.
    assert_eq!(faults.seen("GET", "/book.example"), [""; 0]);
}

fn assert_works(picker: &Locator<'_>) {
    picker.css("button.time").first().click();
    picker.heading("Your details").wait();
    picker.button("Change time").click();
    picker.css("button.time").first().wait();
}

/// Opens a page with this body, in one engine only: engines do not differ in reading attributes and
/// responses.
fn open(faults: &Faults, body: &str) -> Option<Page> {
    let page = open_page(faults, "", &format!("<main>{body}</main>"));
    (page.engine() == Engine::Chromium).then_some(page)
}

#[test]
fn invalid_attribute_values_are_logged_and_cause_no_repeated_requests() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let invalid: JsonMap = serde_json::from_str(INVALID).expect("JSON");
    let invalid = invalid
        .iter()
        .filter_map(|(name, value)| Some((name, value.as_str()?)));
    let attributes = invalid
        .clone()
        .map(|(name, value)| format!("{name}=\"{value}\" "));
    let all = picker(&attributes.collect::<String>());
    // Only the event type says that this one is invalid.
    let body = [all, picker("duration=45")].concat();
    let Some(page) = open(&faults, &body) else {
        return;
    };
    let pickers = || (0..2).map(|place| page.css("booking-picker").nth(place));
    for picker in pickers() {
        picker.role("list", starting("Times on")).wait();
    }
    page.wait_for_quiet();
    assert_fetched_once(&faults, 2);
    let logged = page.console();
    for (name, _) in invalid {
        let is_logged =
            |(_, text): &(String, String)| text.contains(&format!("booking-picker>: {name}"));
        assert!(logged.iter().any(is_logged), "{name}: {logged:#?}");
    }
    assert!(
        logged
            .iter()
            .any(|(_, text)| text.contains("duration is none of")),
        "{logged:#?}"
    );
    page.run(UNREADABLE, &[]);
    page.wait_until("the warning", || {
        let is_warning = |(_, text): &(String, String)| text.contains("prefill cannot be read");
        page.console().iter().any(is_warning)
    });
    for picker in pickers() {
        assert_works(&picker);
    }
    let fetched = FILES.map(|path| faults.count("GET", path));
    assert_eq!(fetched, [1; 2], "nothing starts a second time");
    page.assert_no_errors();
}

#[test]
fn large_and_deep_responses_cause_no_repeated_requests() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.rewrite("/v2/slots", |answer| {
        // The response to a reservation has no days.
        let days = answer["data"].as_object_mut();
        for (_, slots) in days.into_iter().flatten() {
            let first = slots[0]["start"].as_str().expect("the start of a slot");
            let first = DateTime::parse_from_rfc3339(first)
                .expect("a time")
                .to_utc();
            // The first slot stays, so that it can be reserved.
            let slot = |count: i64| {
                let start = first + TimeDelta::seconds(10 * count);
                json!({ "start": start.to_rfc3339_opts(SecondsFormat::Millis, true) })
            };
            *slots = (0..1440).map(slot).collect();
        }
    });
    let Some(page) = open(&faults, &picker("time-zone=UTC")) else {
        return;
    };
    let shown = page.css("booking-picker");
    shown.css("button.time").first().wait();
    page.wait_for_quiet();
    assert_fetched_once(&faults, 1);
    assert_works(&shown);

    // Nested deeper than the parser reads.
    let faults = Faults::before(&service);
    let (open_list, end) = ("[".repeat(5000), "]".repeat(5000));
    let deep = format!(r#"{{"status":"success","data":{{}},"deep":{open_list}{end}}}"#);
    faults.page("/v2/slots", &[], &deep);
    let Some(page) = open(&faults, &picker("")) else {
        return;
    };
    page.css("booking-picker").css(".notice").first().wait();
    page.wait_for_quiet();
    assert_fetched_once(&faults, 1);
    faults.remove_page("/v2/slots");
    page.css("booking-picker").button("Try again").click();
    assert_works(&page.css("booking-picker"));
    page.assert_no_errors();
}
