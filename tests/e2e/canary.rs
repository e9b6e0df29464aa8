//! Credentials that a page gives an element: only the service gets them.

use crate::common::{Fault, Faults, Page, Service, fill_in, free_times, open_page, pick, starting};
use crate::loader::TRAPS;
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use serde_json::{Value, json};

const INTRO_CALL: i64 = 1;
const BOOKINGS: &str = "/v2/teams/1/bookings";

/// Script that observes everything that scripts of a page can observe.
const SPY: &str = include_str!("spy.js");

/// Page with the elements of `body`, their service at an origin of its own, and a third origin without
/// expected requests.
struct Watched {
    service: Service,
    /// Origin of the page and the files.
    own: Faults,
    /// Origin of the service.
    pinned: Faults,
    /// Origin that must not get requests.
    elsewhere: Faults,
    key: String,
    secret: String,
}

impl Watched {
    fn new() -> Watched {
        let service = Service::start();
        let [own, pinned, elsewhere] = [0, 1, 2].map(|_| Faults::before(&service));
        let (key, secret) = (
            service.demo_text("apiKey"),
            service.demo_text("clientSecret"),
        );
        Watched {
            service,
            own,
            pinned,
            elsewhere,
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
              spy.news = [];
              for (const name of ["token-refresh-success", "token-refresh-error", "auth-required", "booking-error",
                "booking-created", "booking-cancelled", "popup-opened", "popup-closed", "role-created"]) {{
                addEventListener(name, (event) => spy.news.push(name));
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
            base = self.pinned.url(""),
        );
        let body = body.replace("BASE", &self.pinned.url(""));
        open_page(&self.own, &head, &body)
    }

    /// Asserts that secrets were only in headers of requests to the pinned origin.
    #[track_caller]
    fn assert_unseen(&self, page: &Page, after: &str) {
        let leaks = page.run("return spy.look()", &[]);
        if leaks != json!([]) {
            page.fail(&format!("seen after {after}: {leaks:#}"));
        }
        let carried = page.run("return [...new Set(spy.carried)]", &[]);
        let carried = carried.as_array().cloned().unwrap_or_default();
        for each in &carried {
            let each = each.as_str().unwrap_or_default();
            let allowed = ["authorization", "x-svc-secret-key"]
                .map(|name| format!("{} {name}", self.pinned.url("")));
            assert!(allowed.contains(&each.to_owned()), "after {after}: {each}");
        }
        // A driver serialises results with the page's own `JSON.stringify`.
        let canaries = page.run("return spy.canaries.map((canary) => btoa(canary))", &[]);
        let canaries = canaries.as_array().into_iter().flatten();
        for canary in canaries.filter_map(Value::as_str) {
            let canary = BASE64_STANDARD.decode(canary).expect("base64");
            let canary = std::str::from_utf8(&canary).expect("a text");
            for faults in [&self.own, &self.elsewhere] {
                assert_eq!(faults.carrying(canary), [""; 0], "after {after}");
            }
            for place in self.pinned.carrying(canary) {
                let is_header = [" authorization", " x-svc-secret-key"]
                    .iter()
                    .any(|name| place.ends_with(name));
                assert!(is_header, "after {after}: {place}");
            }
        }
    }

    /// Asserts that the spy observes its channels, and that the secrets were sent to the service.
    #[track_caller]
    fn assert_heard(&self, page: &Page) {
        for (canary, header) in [
            (&self.key, "authorization"),
            (&self.secret, "x-svc-secret-key"),
        ] {
            let places = self.pinned.carrying(canary);
            assert!(
                places.iter().any(|place| place.ends_with(header)),
                "{header}"
            );
        }
        let heard = page.run("return spy.prove()", &[]);
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
            let is_heard = heard
                .as_array()
                .into_iter()
                .flatten()
                .any(|each| each == place);
            assert!(is_heard, "{place} is not heard: {heard}");
        }
    }

    /// Asserts that the visitor's input is stored in these places only, of all that outlive a view.
    #[track_caller]
    fn assert_typed_kept_in(&self, page: &Page, places: &[&str]) {
        let script = "const kept = { history: history.state, local: { ...localStorage }, \
                        session: { ...sessionStorage }, cookie: document.cookie, \
                        address: location.href, name: window.name }; \
                      return Object.keys(kept).filter((place) => \
                        JSON.stringify(kept[place])?.includes('Grace'))";
        page.wait_until(&format!("what was typed in {places:?}"), || {
            page.run(script, &[]) == json!(places)
        });
    }

    fn is_told(&self, page: &Page, news: &str) {
        page.wait_until(news, || {
            page.run("return spy.news.splice(0)", &[])
                .as_array()
                .into_iter()
                .flatten()
                .any(|each| each == news)
        });
    }
}

#[test]
fn staff_credentials_reach_only_the_service() {
    let watched = Watched::new();
    let page = watched.open(
        r#"<main><booking-list team-id="1" base-url="BASE"></booking-list>
        <booking-roles org-id="1" team-id="1" base-url="BASE"></booking-roles></main>"#,
    );
    let [list, roles] = ["booking-list", "booking-roles"].map(|name| page.css(name));
    let rows = || list.css("tr.booking").first().wait();
    let reload = || list.button("Reload bookings").click();
    let pinned = &watched.pinned;

    list.css("tr.booking button").first().click();
    page.css(".details").wait();
    roles.button("New role").click();
    roles.field("Name").fill("Canary");
    roles.button("Create role").click();
    roles.button("Canary").wait();
    watched.is_told(&page, "role-created");
    watched.assert_unseen(&page, "all went well");

    // Error paths: a message could include a secret.
    for (fault, words) in [
        (
            Fault::Status(500, "boom"),
            "The service gave an answer we do not understand",
        ),
        (
            Fault::Html,
            "The service gave an answer we do not understand",
        ),
        (Fault::Drop, "The service cannot be reached"),
    ] {
        pinned.always("GET", BOOKINGS, fault.clone());
        reload();
        page.wait_for_text(words);
        watched.assert_unseen(&page, &format!("{fault:?}"));
        pinned.clear();
        reload();
        page.wait_for_no_text(words);
    }

    // A service that redirects its callers.
    let away = watched.elsewhere.url("/v2/elsewhere");
    for method in ["GET", "POST"] {
        pinned.always(method, "/v2/", Fault::Redirect(away.clone()));
    }
    reload();
    page.wait_for_text("The service cannot be reached");
    roles.button("New role").click();
    roles.field("Name").fill("Moved");
    roles.button("Create role").click();
    page.wait_until("the role to be sent", || {
        pinned.count("POST", "/v2/organizations/1/teams/1/roles") == 2
    });
    roles.button("Create role").wait();
    assert_eq!(watched.elsewhere.count("GET", "/"), 0);
    watched.assert_unseen(&page, "a redirect");
    pinned.clear();
    reload();
    rows();

    // Renewed, set by the page, and rejected until a new one.
    pinned.next("GET", BOOKINGS, Fault::Status(498, "expired"));
    reload();
    watched.is_told(&page, "token-refresh-success");
    rows();
    watched.assert_unseen(&page, "a renewal");
    let set = "return spy.token().then((token) => \
               document.querySelector('booking-list').setToken(token))";
    page.run(set, &[]);
    reload();
    rows();
    // The page's own error contains a secret: it must not be repeated.
    page.run("spy.isOffline = true", &[]);
    pinned.next("GET", BOOKINGS, Fault::Status(401, "revoked"));
    reload();
    list.text("The session cannot be renewed at the moment")
        .wait();
    watched.assert_unseen(&page, "a renewal without a network");
    page.run("spy.isOffline = false", &[]);
    page.run(set, &[]);
    rows();
    page.run("spy.isSignedOut = true", &[]);
    pinned.next("GET", BOOKINGS, Fault::Status(401, "revoked"));
    reload();
    watched.is_told(&page, "auth-required");
    list.text("Please sign in again").wait();
    watched.assert_unseen(&page, "a renewal that failed");
    page.run(set, &[]);
    rows();
    let canaries = page.run("return spy.canaries.length", &[]);
    assert_eq!(canaries, 6, "two given at first, and four tokens since");
    watched.assert_unseen(&page, "another token");

    // A trap in the instance that holds them.
    page.run("spy.arm()", &[]);
    list.button("All").click();
    list.text("This could not be shown").wait();
    watched.is_told(&page, "booking-error");
    watched.assert_unseen(&page, "a crash");
    list.button("Try again").click();
    rows();
    let away = "const list = document.querySelector('booking-list'); list.remove(); \
                return new Promise((done) => setTimeout(done)).then(() => \
                  document.querySelector('main').prepend(list))";
    page.run(away, &[]);
    rows();
    watched.assert_unseen(&page, "a removal");
    watched.assert_heard(&page);
}

#[test]
fn picker_credentials_reach_only_the_service() {
    let watched = Watched::new();
    let pinned = &watched.pinned;
    let intro = r#"username="ada" event-slug="intro-call" base-url="BASE""#;
    let page = watched.open(&format!(
        r#"<main><booking-picker event-detail="full" {intro}></booking-picker>
        <booking-picker placement="popup" {intro}></booking-picker></main>"#
    ));
    let picker = page.css("booking-picker").nth(0);
    let free = free_times(&watched.service, &page, INTRO_CALL);
    picker.role("list", starting("Times on")).wait();
    let asked = pinned.count("GET", "/v2/slots");
    page.run("document.querySelector('booking-picker').refresh()", &[]);
    page.wait_until("the second question", || {
        pinned.count("GET", "/v2/slots") > asked
    });
    watched.assert_unseen(&page, "a refresh");

    // A booking that fails, is redirected, and succeeds.
    pick(&page, &picker, &free[0]);
    watched.assert_typed_kept_in(&page, &[]);
    fill_in(&picker);
    watched.assert_typed_kept_in(&page, &["history"]);
    let away = watched.elsewhere.url("/v2/elsewhere");
    let failures = [Fault::Status(500, "boom"), Fault::Redirect(away)];
    for (round, failure) in failures.into_iter().enumerate() {
        pinned.always("POST", "/v2/bookings", failure);
        picker.button("Confirm booking").click();
        page.wait_until("the answer", || {
            pinned.count("POST", "/v2/bookings") == 3 * (round + 1)
                && picker.button("Confirm booking").exists()
        });
        pinned.clear();
        watched.assert_unseen(&page, "a booking that failed");
    }
    picker.button("Confirm booking").click();
    picker.heading("You are booked").wait();
    watched.is_told(&page, "booking-created");
    watched.assert_typed_kept_in(&page, &[]);
    watched.assert_unseen(&page, "a booking");
    picker.button("Cancel booking").click();
    picker.field("Why is it cancelled? (optional)").wait();
    picker.button("Cancel booking").click();
    watched.is_told(&page, "booking-cancelled");
    watched.assert_unseen(&page, "a cancellation");

    // In a popup, which has a history entry.
    page.button("Book a time").click();
    let dialog = page.role("dialog", "Book a time");
    pinned.next("GET", "/v2/slots", Fault::Status(498, "expired"));
    dialog.role("list", starting("Times on")).wait();
    watched.is_told(&page, "token-refresh-success");
    watched.assert_unseen(&page, "a popup");
    page.back();
    watched.is_told(&page, "popup-closed");
    dialog.wait_gone();

    page.button("Book a time").click();
    dialog.role("list", starting("Times on")).wait();
    page.run("spy.arm()", &[]);
    dialog.button("Next month").click();
    dialog.text("This could not be shown").wait();
    watched.assert_unseen(&page, "a crash");
    dialog.button("Close").click();
    dialog.wait_gone();
    assert_eq!(watched.elsewhere.count("GET", "/"), 0);
    watched.assert_heard(&page);
}
