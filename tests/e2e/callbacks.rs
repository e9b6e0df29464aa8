//! Listeners that call back into their element at events that neither a plain booking nor a team's work brings.

use super::staff_in_flight::{BOOKINGS, LIST, PARTNER_CALL, assert_other_works, made, scene};
use crate::common::{Engine, Fault, Faults, Page, Service};
use serde_json::json;

const SLOTS: &str = "/v2/slots";
const RESERVATIONS: &str = "/v2/slots/reservations";
const LIST_PATH: &str = "/v2/teams/1/bookings";

/// Calls of an element by its page, as scripts.
const CALLS: [(&str, &str); 12] = [
    ("remove", "element.remove()"),
    ("reset", "element.reset()"),
    ("destroy", "element.destroy()"),
    ("refresh", "element.refresh?.()"),
    ("goTo", "element.goTo?.('2030-01-07')"),
    ("selectSlot", "element.selectSlot?.('2030-01-07T09:00:00Z')"),
    ("attribute", "element.setAttribute('heading-level', '3')"),
    (
        "time-zone",
        "element.setAttribute('time-zone', 'Asia/Tokyo')",
    ),
    ("session", "element.session = null"),
    ("setToken", "element.setToken('token')"),
    ("lang", "element.lang = 'fr'"),
    ("prefill", "element.prefill = { name: { value: 'Ada' } }"),
];

/// An event of an element, and what brings the element to it.
struct Case {
    event: &'static str,
    html: String,
    /// A script.
    go: &'static str,
    /// What becomes of a request on the way.
    fault: Option<(&'static str, String, Fault)>,
}

impl Case {
    fn with_fault(mut self, method: &'static str, path: &str, fault: Fault) -> Case {
        self.fault = Some((method, path.to_owned(), fault));
        self
    }
}

/// A picker of the demo's first event type with more attributes.
fn picker(event: &'static str, attributes: &str, go: &'static str) -> Case {
    Case {
        event,
        html: format!(
            r#"<booking-picker username="ada" event-slug="intro-call" draft="off" {attributes}></booking-picker>"#
        ),
        go,
        fault: None,
    }
}

/// A picker that shows a booking which was made.
fn managed(event: &'static str, uid: &str, go: &'static str) -> Case {
    Case {
        event,
        html: format!(r#"<booking-picker booking-uid="{uid}" mode="cancel"></booking-picker>"#),
        go,
        fault: None,
    }
}

fn list(event: &'static str, go: &'static str) -> Case {
    Case {
        event,
        html: LIST.to_owned(),
        go,
        fault: None,
    }
}

/// Fills in the form and sends it.
const BOOK: &str = "await press('.time'); await type('input[autocomplete=name]', 'Grace Hopper'); \
    await type('input[autocomplete=email]', 'grace@example.org'); await press('form [type=submit]')";

const NO_RENEWAL: &str = "element.session = { baseUrl: location.origin, token: 'old', \
    getToken: () => Promise.reject(new TypeError('Failed to fetch')) }";

fn cases(service: &Service) -> Vec<Case> {
    let uid = made(service, PARTNER_CALL);
    let cancel = format!("{BOOKINGS}/{uid}/cancel");
    let expired = || Fault::Status(498, "expired");
    vec![
        Case {
            event: "event-type-selected",
            html: r#"<booking-picker username="ada"></booking-picker>"#.to_owned(),
            go: "await press('.offer:not(.offer-ghost)')",
            fault: None,
        },
        picker("load-failed", "", "").with_fault("GET", SLOTS, Fault::Status(400, "no")),
        picker("no-slots", "", ""),
        picker(
            "time-zone-changed",
            "",
            "await press('.zone-button'); await press('.zone-option:not([aria-selected=true])')",
        ),
        picker(
            "hour-cycle-changed",
            "",
            "await find('.time'); await press('.zone-bar .segmented input:not(:checked)')",
        ),
        picker("slot-reserve-failed", "", "await press('.time')").with_fault(
            "POST",
            RESERVATIONS,
            Fault::Status(409, "taken"),
        ),
        picker(
            "form-invalid",
            "",
            "await press('.time'); await press('form [type=submit]')",
        ),
        picker("dry-run-success", "dry-run", BOOK),
        picker(
            "popup-opened",
            r#"placement="popup""#,
            "await press('.opener')",
        ),
        picker(
            "popup-closed",
            r#"placement="popup""#,
            "await press('.opener'); await find('.time'); await press('[part~=popup-close]')",
        ),
        picker(
            "security-warning",
            "",
            "element.session = { baseUrl: location.origin, headers: { host: 'example.org' } }",
        ),
        managed(
            "before-submit",
            &uid,
            "await press('.cancel-form [type=submit]')",
        )
        .with_fault("POST", &cancel, Fault::Status(400, "no")),
        managed(
            "booking-cancel-failed",
            &uid,
            "await press('.cancel-form [type=submit]')",
        )
        .with_fault("POST", &cancel, Fault::Status(400, "no")),
        managed(
            "booking-kept",
            &uid,
            "await press('.cancel-form .action-row [type=button]')",
        ),
        list("token-refresh-start", "").with_fault("GET", LIST_PATH, expired()),
        list("token-refresh-success", "").with_fault("GET", LIST_PATH, expired()),
        list("token-refresh-error", NO_RENEWAL).with_fault("GET", LIST_PATH, expired()),
    ]
}

/// Brings an element to an event whose listener makes a call, and looks at what became of both.
#[track_caller]
fn check(page: &Page, faults: &Faults, case: &Case, (call, script): (&str, &str)) {
    let Case {
        event,
        html,
        go,
        fault,
    } = case;
    if *event == "no-slots" {
        faults.rewrite(SLOTS, |response| response["data"] = json!({}));
    }
    if let Some((method, path, fault)) = fault {
        faults.always(method, path, fault.clone());
    }
    let run = format!(
        // In a task: WebKit lets the element start between the lines of a driver's script.
        "return new Promise((next) => setTimeout(next)).then(() => {{ \
           put(arguments[0], []); window.called = false; \
           element.addEventListener({event:?}, () => {{ \
             if (window.called) return; window.called = true; {script}; }}); \
         }}).then(async () => {{ {go} }}).then(async () => {{ \
           await wait(() => window.called); \
           await new Promise((next) => setTimeout(next, 60)); \
           return [called, told, element.shadowRoot?.textContent ?? '']; \
         }}, (error) => [called, told, String(error)])"
    );
    let outcome = page.run(&run, &[json!(html)]);
    faults.clear();
    assert_eq!(
        outcome[0], true,
        "{event} -> {call} was not told: {outcome}"
    );
    assert_eq!(outcome[1], json!([]), "{event} -> {call}: {outcome}");
    let text = outcome[2].as_str().unwrap_or_default();
    assert!(
        !text.contains("This could not be shown"),
        "{event} -> {call}: {text}"
    );
    page.assert_sound();
    assert_other_works(page);
}

const BESIDE: &str = r#"<booking-picker username="ada" event-slug="intro-call"></booking-picker>"#;

/// All calls in one engine, one in the others: what no engine does differently.
fn calls(page: &Page) -> impl Iterator<Item = (&'static str, &'static str)> {
    let count = match page.engine() {
        Engine::Chromium => CALLS.len(),
        _ => 1,
    };
    CALLS.into_iter().take(count)
}

/// A listener may call any method of its element, set any attribute and remove it.
#[test]
fn listener_may_call_back_into_its_element_at_rare_events() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = scene(&faults, BESIDE);
    for case in cases(&service) {
        for call in calls(&page) {
            check(&page, &faults, &case, call);
        }
    }
}

/// The same when a reservation has expired. Each time with another service, which has room for few reservations
/// of one visitor, and in another page, whose clock is turned.
#[test]
fn listener_may_call_back_into_its_element_when_its_reservation_has_expired() {
    let mut tried = 0;
    loop {
        let service = Service::start();
        let faults = Faults::before(&service);
        let page = scene(&faults, BESIDE);
        let Some(call) = calls(&page).nth(tried) else {
            break;
        };
        let go = "await press('.time'); \
                  await wait(() => element.shadowRoot.textContent.includes('Held for')); \
                  const now = window.Date.now; window.Date.now = () => now() + 301_000";
        check(&page, &faults, &picker("slot-expired", "", go), call);
        tried += 1;
    }
    assert!(tried > 0);
}
