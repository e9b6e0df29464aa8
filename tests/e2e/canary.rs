//! Credentials that a page gives an element: only the service gets them.

use crate::common::{
    Fault, Faults, INTRO_CALL, Page, Service, TEAM_BOOKINGS, fill_in, free_slots, open_page,
    select_slot, starting,
};
use crate::loader::TRAPS;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

/// Script that observes everything that scripts of a page can observe.
const SPY: &str = include_str!("spy.js");

/// Page with the elements of `body`, their service at an origin of its own, and a third origin without
/// expected requests.
struct SpiedPage {
    service: Service,
    /// Origin of the page and the files.
    page_origin: Faults,
    /// Origin of the service.
    service_origin: Faults,
    /// Origin that must not get requests.
    third_origin: Faults,
    key: String,
    secret: String,
}

impl SpiedPage {
    fn new() -> SpiedPage {
        let service = Service::start();
        let [page_origin, service_origin, third_origin] =
            [0, 1, 2].map(|_| Faults::before(&service));
        let (key, secret) = (
            service.demo_text("apiKey"),
            service.demo_text("clientSecret"),
        );
        SpiedPage {
            service,
            page_origin,
            service_origin,
            third_origin,
            key,
            secret,
        }
    }

    /// Opens the page. Arguments of a driver pass through functions of the page, so the secrets are in the
    /// page's script and nowhere else.
    fn open(&self, body: &str) -> Page {
        let head = format!(
            r#"<script>{SPY}</script>{TRAPS}<script>
              spy.canaries.push("{key}", "{secret}");
              spy.events = [];
              for (const name of ["token-refresh-success", "token-refresh-error", "auth-required", "booking-error",
                "booking-created", "booking-cancelled", "popup-opened", "popup-closed", "role-created"]) {{
                addEventListener(name, (event) => spy.events.push(name));
              }}
              // Each token that comes must be seen nowhere from then on.
              spy.token = async () => {{
                const answer = await fetch("/demo/token", {{ method: "POST" }});
                const {{ accessToken }} = await answer.json();
                spy.canaries.push(accessToken);
                return accessToken;
              }};
              spy.isSignedOut = false;
              const getToken = () => {{
                if (spy.isSignedOut) return null;
                if (spy.isOffline) throw new TypeError(`Failed to fetch ${{spy.canaries.at(-1)}}`);
                return spy.token();
              }};
              const headers = {{ "x-svc-client-id": "{id}", "x-svc-secret-key": "{secret}" }};
              spy.give = () => {{
                for (const each of document.querySelectorAll("booking-picker, booking-list, booking-roles")) {{
                  each.session = each.localName === "booking-roles"
                    ? {{ baseUrl: "{base}", headers: async () => headers }}
                    : {{ baseUrl: "{base}", token: "{key}", headers: {{ "x-svc-secret-key": "{secret}" }}, getToken }};
                }}
              }};
              spy.arm = () => addEventListener("click", () => {{ window.armed = true; }}, {{ capture: true, once: true }});
              addEventListener("DOMContentLoaded", spy.give);
            </script>"#,
            id = self.service.demo_text("clientId"),
            key = self.key,
            secret = self.secret,
            base = self.service_origin.url(""),
        );
        let body = body.replace("BASE", &self.service_origin.url(""));
        open_page(&self.page_origin, &head, &body)
    }

    /// Asserts that secrets were only in headers of requests to the pinned origin.
    #[track_caller]
    fn assert_not_leaked(&self, page: &Page, after: &str) {
        let leaks = page.run("return spy.look()", &[]);
        if leaks != json!([]) {
            page.fail(&format!("seen after {after}: {leaks:#}"));
        }
        let carried = page.run("return [...new Set(spy.carried)]", &[]);
        let carried = carried.as_array().cloned().unwrap_or_default();
        for each in &carried {
            let each = each.as_str().unwrap_or_default();
            let allowed = ["authorization", "x-svc-secret-key"]
                .map(|name| format!("{} {name}", self.service_origin.url("")));
            assert!(allowed.contains(&each.to_owned()), "after {after}: {each}");
        }
        // A driver serialises results with the page's own `JSON.stringify`.
        let canaries = page.run("return spy.canaries.map((canary) => btoa(canary))", &[]);
        let canaries = canaries.as_array().into_iter().flatten();
        for canary in canaries.filter_map(Value::as_str) {
            let canary = BASE64_STANDARD.decode(canary).expect("base64");
            let canary = std::str::from_utf8(&canary).expect("a text");
            for faults in [&self.page_origin, &self.third_origin] {
                assert_eq!(faults.requests_containing(canary), [""; 0], "after {after}");
            }
            for place in self.service_origin.requests_containing(canary) {
                let is_header = [" authorization", " x-svc-secret-key"]
                    .iter()
                    .any(|name| place.ends_with(name));
                assert!(is_header, "after {after}: {place}");
            }
        }
    }

    /// Asserts that the spy observes its channels, and that the secrets were sent to the service.
    #[track_caller]
    fn assert_spy_works(&self, page: &Page) {
        for (canary, header) in [
            (&self.key, "authorization"),
            (&self.secret, "x-svc-secret-key"),
        ] {
            let places = self.service_origin.requests_containing(canary);
            assert!(
                places.iter().any(|place| place.ends_with(header)),
                "{header}"
            );
        }
        let observed = page.run("return spy.prove()", &[]);
        let all = [
            "a node",
            "a text",
            "an attribute",
            "cookie",
            "dispatchEvent",
            "error",
            "fetch",
            "info",
            "message",
            "open",
            "postMessage",
            "pushState",
            "replaceState",
            "setItem",
            "setRequestHeader",
            "stringify",
            "the address",
            "the page",
            "the storage",
            "the timeline",
            "window.proof",
        ];
        for place in all {
            let is_heard = observed
                .as_array()
                .into_iter()
                .flatten()
                .any(|each| each == place);
            assert!(is_heard, "{place} is not heard: {observed}");
        }
    }

    /// Asserts that the visitor's input is stored in these places only, of all that outlive a view.
    #[track_caller]
    fn assert_input_stored_only_in(&self, page: &Page, places: &[&str]) {
        let script = "const kept = { history: history.state, local: { ...localStorage }, \
                        session: { ...sessionStorage }, cookie: document.cookie, \
                        address: location.href, name: window.name }; \
                      return Object.keys(kept).filter((place) => \
                        JSON.stringify(kept[place])?.includes('Grace'))";
        page.wait_until(&format!("what was typed in {places:?}"), || {
            page.run(script, &[]) == json!(places)
        });
    }

    fn wait_for_event(&self, page: &Page, event: &str) {
        page.wait_until(event, || {
            page.run("return spy.events.splice(0)", &[])
                .as_array()
                .into_iter()
                .flatten()
                .any(|each| each == event)
        });
    }
}

#[test]
fn staff_credentials_reach_only_the_service() {
    let spied = SpiedPage::new();
    let page = spied.open(
        r#"<main><booking-list team-id="1" base-url="BASE"></booking-list>
        <booking-roles org-id="1" team-id="1" base-url="BASE"></booking-roles></main>"#,
    );
    let [list, roles] = ["booking-list", "booking-roles"].map(|name| page.css(name));
    let rows = || list.css("tr.booking").first().wait();
    let reload = || list.button("Reload bookings").click();
    let service_origin = &spied.service_origin;

    list.css("tr.booking button").first().click();
    page.css(".details").wait();
    roles.button("New role").click();
    roles.field("Name").fill("Canary");
    roles.button("Create role").click();
    roles.button("Canary").wait();
    spied.wait_for_event(&page, "role-created");
    spied.assert_not_leaked(&page, "successful requests");

    // Error paths: a message could include a secret.
    for (fault, words) in [
        (
            Fault::Status(500, "boom"),
            "Something went wrong on our side",
        ),
        (Fault::Html, "Something went wrong on our side"),
        (Fault::Drop, "The service cannot be reached"),
    ] {
        service_origin.always("GET", TEAM_BOOKINGS, fault.clone());
        reload();
        page.wait_for_text(words);
        spied.assert_not_leaked(&page, &format!("{fault:?}"));
        service_origin.clear();
        reload();
        page.wait_for_no_text(words);
    }

    // A service that redirects its callers.
    let away = spied.third_origin.url("/v2/elsewhere");
    for method in ["GET", "POST"] {
        service_origin.always(method, "/v2/", Fault::Redirect(away.clone()));
    }
    reload();
    page.wait_for_text("The service cannot be reached");
    roles.button("New role").click();
    roles.field("Name").fill("Moved");
    roles.button("Create role").click();
    page.wait_until("the role to be sent", || {
        service_origin.count("POST", "/v2/organizations/1/teams/1/roles") == 2
    });
    roles.button("Create role").wait();
    assert_eq!(spied.third_origin.count("GET", "/"), 0);
    spied.assert_not_leaked(&page, "a redirect");
    service_origin.clear();
    reload();
    rows();

    // Renewed, set by the page, and rejected until a new one.
    service_origin.next("GET", TEAM_BOOKINGS, Fault::Status(498, "expired"));
    reload();
    spied.wait_for_event(&page, "token-refresh-success");
    rows();
    spied.assert_not_leaked(&page, "a renewal");
    let set = "return spy.token().then((token) => \
               document.querySelector('booking-list').setToken(token))";
    page.run(set, &[]);
    reload();
    rows();
    // The page's own error contains a secret: it must not be repeated.
    page.run("spy.isOffline = true", &[]);
    service_origin.next("GET", TEAM_BOOKINGS, Fault::Status(401, "revoked"));
    reload();
    list.text("You may need to sign in again").wait();
    spied.assert_not_leaked(&page, "a renewal without a network");
    page.run("spy.isOffline = false", &[]);
    page.run(set, &[]);
    rows();
    page.run("spy.isSignedOut = true", &[]);
    service_origin.next("GET", TEAM_BOOKINGS, Fault::Status(401, "revoked"));
    reload();
    spied.wait_for_event(&page, "auth-required");
    list.text("Please sign in again").wait();
    spied.assert_not_leaked(&page, "a renewal that failed");
    page.run(set, &[]);
    rows();
    let canaries = page.run("return spy.canaries.length", &[]);
    assert_eq!(canaries, 6, "two given at first, and four tokens since");
    spied.assert_not_leaked(&page, "another token");

    // A trap in the instance that holds them.
    page.run("spy.arm()", &[]);
    list.button("All").click();
    list.text("This could not be shown").wait();
    spied.wait_for_event(&page, "booking-error");
    spied.assert_not_leaked(&page, "a crash");
    list.button("Try again").click();
    rows();
    let away = "const list = document.querySelector('booking-list'); list.remove(); \
                return new Promise((done) => setTimeout(done)).then(() => \
                  document.querySelector('main').prepend(list))";
    page.run(away, &[]);
    rows();
    spied.assert_not_leaked(&page, "a removal");
    spied.assert_spy_works(&page);
}

#[test]
fn picker_credentials_reach_only_the_service() {
    let spied = SpiedPage::new();
    let service_origin = &spied.service_origin;
    let intro = r#"username="ada" event-slug="intro-call" base-url="BASE""#;
    let page = spied.open(&format!(
        r#"<main><booking-picker event-detail="full" {intro}></booking-picker>
        <booking-picker placement="popup" {intro}></booking-picker></main>"#
    ));
    let picker = page.css("booking-picker").nth(0);
    let free = free_slots(&spied.service, &page, INTRO_CALL);
    picker.role("list", starting("Times on")).wait();
    let asked = service_origin.count("GET", "/v2/slots");
    page.run("document.querySelector('booking-picker').refresh()", &[]);
    page.wait_until("the second request", || {
        service_origin.count("GET", "/v2/slots") > asked
    });
    spied.assert_not_leaked(&page, "a refresh");

    // A booking that fails, is redirected, and succeeds.
    select_slot(&page, &picker, &free[0]);
    spied.assert_input_stored_only_in(&page, &[]);
    fill_in(&picker);
    spied.assert_input_stored_only_in(&page, &["history"]);
    let away = spied.third_origin.url("/v2/elsewhere");
    let failures = [Fault::Status(500, "boom"), Fault::Redirect(away)];
    for (round, failure) in failures.into_iter().enumerate() {
        service_origin.always("POST", "/v2/bookings", failure);
        picker.button("Confirm booking").click();
        page.wait_until("the answer", || {
            service_origin.count("POST", "/v2/bookings") == 3 * (round + 1)
                && picker.button("Confirm booking").exists()
        });
        service_origin.clear();
        spied.assert_not_leaked(&page, "a booking that failed");
    }
    picker.button("Confirm booking").click();
    picker.heading(starting("You’re booked for")).wait();
    spied.wait_for_event(&page, "booking-created");
    spied.assert_input_stored_only_in(&page, &[]);
    spied.assert_not_leaked(&page, "a booking");
    picker.button("Cancel booking").click();
    picker.field("Reason for cancelling (optional)").wait();
    picker.button("Cancel booking").click();
    spied.wait_for_event(&page, "booking-cancelled");
    spied.assert_not_leaked(&page, "a cancellation");

    // In a popup, which has a history entry.
    service_origin.next("GET", "/v2/slots", Fault::Status(498, "expired"));
    page.button("Book a time").click();
    let dialog = page.role("dialog", "Book a time");
    dialog.role("list", starting("Times on")).wait();
    spied.wait_for_event(&page, "token-refresh-success");
    spied.assert_not_leaked(&page, "a popup");
    page.back();
    spied.wait_for_event(&page, "popup-closed");
    dialog.wait_gone();

    page.button("Book a time").click();
    dialog.role("list", starting("Times on")).wait();
    page.run("spy.arm()", &[]);
    dialog.button("Next month").click();
    dialog.text("This could not be shown").wait();
    spied.assert_not_leaked(&page, "a crash");
    dialog.button("Close").click();
    dialog.wait_gone();
    // Leaving the popup's history entry takes a moment; it would undo the spy's change of the address.
    page.wait_until("the history entry before the popup", || {
        page.run(
            "return history.state?.[arguments[0]] ?? null",
            &[json!("bookingPopups")],
        ) == json!(null)
    });
    assert_eq!(spied.third_origin.count("GET", "/"), 0);
    spied.assert_spy_works(&page);
}
