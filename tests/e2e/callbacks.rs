//! Method calls in listeners of rare events: failures, popups, expired reservations, renewed tokens.

use super::staff_in_flight::{LIST, check_call, open_beside};
use super::{in_flight, staff_in_flight};
use crate::common::{
    BOOKINGS, Engine, Fault, Faults, INTRO_CALL_PICKER, PARTNER_CALL, Page, RESERVATIONS, SLOTS,
    Service, TEAM_BOOKINGS, booking_at, is_included,
};
use serde_json::json;

/// Event of an element, and the steps that cause it.
struct Case {
    event: &'static str,
    html: String,
    /// Script of the steps.
    go: &'static str,
    /// Fault of a request on the way.
    fault: Option<(&'static str, String, Fault)>,
}

impl Case {
    fn with_fault(mut self, method: &'static str, path: &str, fault: Fault) -> Case {
        self.fault = Some((method, path.to_owned(), fault));
        self
    }
}

/// Returns a case without a fault.
fn case(event: &'static str, html: impl Into<String>, go: &'static str) -> Case {
    Case {
        event,
        html: html.into(),
        go,
        fault: None,
    }
}

/// Picker of the demo's first event type with more attributes.
fn picker(event: &'static str, attributes: &str, go: &'static str) -> Case {
    let html = format!(
        r#"<booking-picker username="ada" event-slug="intro-call" draft="off" {attributes}></booking-picker>"#
    );
    case(event, html, go)
}

/// Picker that shows an existing booking.
fn managed(event: &'static str, uid: &str, go: &'static str) -> Case {
    let html = format!(r#"<booking-picker booking-uid="{uid}" mode="cancel"></booking-picker>"#);
    case(event, html, go)
}

/// Script that fills in the form and submits it.
const BOOK: &str = "await press('.time'); await type('input[autocomplete=name]', 'Grace Hopper'); \
    await type('input[autocomplete=email]', 'grace@example.org'); await press('form [type=submit]')";

const NO_RENEWAL: &str = "element.session = { baseUrl: location.origin, token: 'old', \
    getToken: () => Promise.reject(new TypeError('Failed to fetch')) }";

fn cases(service: &Service) -> Vec<Case> {
    let uid = booking_at(service, PARTNER_CALL, 3);
    let cancel = format!("{BOOKINGS}/{uid}/cancel");
    let expired = || Fault::Status(498, "expired");
    vec![
        case(
            "event-type-selected",
            r#"<booking-picker username="ada"></booking-picker>"#,
            "await press('.offer:not(.offer-ghost)')",
        ),
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
        case("token-refresh-start", LIST, "").with_fault("GET", TEAM_BOOKINGS, expired()),
        case("token-refresh-success", LIST, "").with_fault("GET", TEAM_BOOKINGS, expired()),
        case("token-refresh-error", LIST, NO_RENEWAL).with_fault("GET", TEAM_BOOKINGS, expired()),
    ]
}

/// Checks a call at the case's event.
#[track_caller]
fn check(page: &Page, faults: &Faults, case: &Case, call: (&str, &str)) {
    if case.event == "no-slots" {
        faults.rewrite(SLOTS, |response| response["data"] = json!({}));
    }
    if let Some((method, path, fault)) = &case.fault {
        faults.always(method, path, fault.clone());
    }
    check_call(page, (case.event, &case.html, case.go), call);
    faults.clear();
}

/// A listener may call any method of its element, set any attribute and remove it.
#[test]
fn method_call_in_rare_event_listeners_is_safe() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_beside(&faults, INTRO_CALL_PICKER);
    let is_chromium = page.engine() == Engine::Chromium;
    for (row, case) in cases(&service).into_iter().enumerate() {
        let calls: &[_] = match case.html == LIST {
            true => &staff_in_flight::CALLS,
            false => &in_flight::CALLS,
        };
        for (column, call) in calls.iter().enumerate() {
            // Engines do not differ here.
            let is_tried = match is_chromium {
                true => is_included(row, column),
                false => column == 0,
            };
            if is_tried {
                check(&page, &faults, &case, *call);
            }
        }
    }
}

/// Same check for an expired reservation. Each call has a service of its own, which limits the reservations of
/// one visitor, and a page of its own, whose clock is changed.
#[test]
fn method_call_on_slot_expired_is_safe() {
    let go = "await press('.time'); \
              await wait(() => element.shadowRoot.textContent.includes('Held for')); \
              const now = window.Date.now; window.Date.now = () => now() + 301_000";
    let case = picker("slot-expired", "", go);
    for (column, call) in in_flight::CALLS.into_iter().enumerate() {
        if !is_included(0, column) {
            continue;
        }
        let service = Service::start();
        let faults = Faults::before(&service);
        let page = open_beside(&faults, INTRO_CALL_PICKER);
        check(&page, &faults, &case, call);
        if page.engine() != Engine::Chromium {
            break;
        }
    }
}
