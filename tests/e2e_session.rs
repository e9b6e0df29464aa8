//! Credentials: renewed once, and seen nowhere.

#![allow(clippy::expect_used, clippy::indexing_slicing)]

mod common;

use common::{Fault, Faults, Page, Service};
use serde_json::{Value, json};

const BOOKINGS: &str = "/v2/teams/1/bookings";
const EVENT_TYPES: &str = "/v2/teams/1/event-types";

/// A page with the list alone. `session` is JavaScript; `asked` notes why `renewed` was called.
fn list_page(faults: &Faults, session: &str) -> Page {
    let html = format!(
        r#"<!doctype html><html lang="en"><meta charset="utf-8"><title>Staff</title>
        <script type="module" src="/embed/embed.js"></script>
        <booking-list team-id="1"></booking-list>
        <script>
          window.asked = [];
          async function fresh() {{
            const answer = await fetch("/demo/token", {{ method: "POST" }});
            return (await answer.json()).accessToken;
          }}
          document.querySelector("booking-list").session = {{ baseUrl: location.origin, {session} }};
        </script>"#
    );
    faults.page("/staff.html", &[], &html);
    let page = Page::open(&faults.url("/staff.html"));
    page.watch();
    page
}

/// A service whose tokens have expired when they are given out, renewed ones excepted.
fn service_with_expired_tokens() -> (Service, Faults, String) {
    let service = Service::start_with(&["--access-token-minutes", "0"]);
    let faults = Faults::before(&service);
    let expired = service.demo_text("accessToken");
    let answer = service
        .visitor()
        .with("authorization", &format!("Bearer {expired}"))
        .get(BOOKINGS);
    assert_eq!(answer.status, 498, "{answer:?}");
    (service, faults, expired)
}

#[test]
fn an_expired_token_is_renewed_once_for_all_calls_that_meet_it() {
    let (_service, faults, expired) = service_with_expired_tokens();
    let renew = "getToken({ reason }) { asked.push(reason); return fresh(); }";
    let page = list_page(&faults, &format!("token: '{expired}', {renew}"));
    page.css("tr.booking").first().wait();
    page.button("Filters").click();
    page.role("group", "Event types").wait();
    assert_eq!(page.run("return asked", &[]), json!(["expired"]));
    assert_eq!(
        faults.count("GET", BOOKINGS),
        2,
        "once refused, once answered"
    );
    assert_eq!(
        faults.count("GET", EVENT_TYPES),
        2,
        "once refused, once answered"
    );

    // The fresh token serves from now on.
    page.button("All").click();
    page.wait_until("the third request", || faults.count("GET", BOOKINGS) == 3);
    page.css("tr.booking").first().wait();
    assert_eq!(page.run("return asked", &[]), json!(["expired"]));
    page.assert_sound();
}

#[test]
fn a_refusal_that_comes_after_the_renewal_asks_for_no_second_one() {
    let (_service, faults, expired) = service_with_expired_tokens();
    faults.next("GET", EVENT_TYPES, Fault::Hang);
    let renew = "getToken({ reason }) { asked.push(reason); return fresh(); }";
    let page = list_page(&faults, &format!("token: '{expired}', {renew}"));
    page.css("tr.booking").first().wait();
    assert_eq!(faults.hanging(), 1);
    faults.release();
    page.button("Filters").click();
    page.role("group", "Event types").wait();
    assert_eq!(page.run("return asked", &[]), json!(["expired"]));
    assert_eq!(faults.count("GET", EVENT_TYPES), 2);
    page.assert_sound();
}

#[test]
fn a_renewal_that_fails_asks_to_sign_in_again() {
    let (_service, faults, expired) = service_with_expired_tokens();
    for give in [
        "return Promise.reject(new Error('signed out'));",
        "throw new Error('signed out');",
        "return null;",
        "return '';",
        "return 42;",
        // No better than the one before: no reason to ask again and again.
        "return token;",
    ] {
        let before = faults.count("GET", BOOKINGS);
        let session =
            format!("token: '{expired}', getToken({{ reason }}) {{ asked.push(reason); {give} }}")
                .replace("token;", &format!("'{expired}';"));
        let page = list_page(&faults, &session);
        page.wait_for_text("Please sign in again");
        page.wait_for_text("Nothing you typed is lost.");
        assert_eq!(page.run("return asked", &[]), json!(["expired"]), "{give}");
        let asked = faults.count("GET", BOOKINGS) - before;
        assert!(asked <= 2, "{asked} requests with {give}");
        page.assert_sound();
    }
}

#[test]
fn without_a_token_the_page_is_asked_for_the_first_one() {
    let (_service, faults, _) = service_with_expired_tokens();
    let page = list_page(
        &faults,
        "getToken({ reason }) { asked.push(reason); return fresh(); }",
    );
    page.css("tr.booking").first().wait();
    page.button("Filters").click();
    page.role("group", "Event types").wait();
    assert_eq!(page.run("return asked", &[]), json!(["initial"]));
    assert_eq!(faults.count("GET", BOOKINGS), 1);
    page.assert_sound();
}

#[test]
fn another_session_replaces_the_first_and_none_says_so() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = list_page(&faults, "token: 'not a token'");
    page.wait_for_text("Please sign in again");
    let key = service.demo_text("apiKey");
    let give = "document.querySelector('booking-list').session = \
                  arguments[0] && { baseUrl: location.origin, token: arguments[0] }";
    page.run(give, &[json!(key)]);
    page.css("tr.booking").first().wait();
    page.run(give, &[Value::Null]);
    page.wait_for_text("Not connected");
    assert_eq!(page.css("tr.booking").count(), 0);
    page.assert_sound();
}

/// Everything that a page, its address, its storage, its console and its events hold, in one text.
const EVERYTHING: &str = r#"
    const parts = [location.href, document.cookie, document.title, document.referrer, window.name,
      JSON.stringify(history.state), JSON.stringify(localStorage), JSON.stringify(sessionStorage),
      ...performance.getEntries().map((entry) => entry.name), ...(window.told ?? [])];
    const walk = (node) => {
      if (node.localName === "script") return;
      for (const { name, value } of node.attributes ?? []) parts.push(`${name}=${value}`);
      if (node.nodeType !== 1) parts.push(node.data ?? "");
      if ("value" in node) parts.push(String(node.value));
      for (const child of node.childNodes) walk(child);
      if (node.shadowRoot) walk(node.shadowRoot);
    };
    walk(document);
    return parts.join("\n");
"#;

/// Notes what scripts write to the console and tell in events.
const LISTEN: &str = r#"
    window.told = [];
    for (const level of ["log", "info", "warn", "error", "debug"]) {
      const write = console[level];
      console[level] = (...words) => { told.push(words.map(String).join(" ")); write(...words); };
    }
    const dispatch = EventTarget.prototype.dispatchEvent;
    // The page's own start-up script calls it bare; then `this` is the window, even from here.
    EventTarget.prototype.dispatchEvent = function (event) {
      "use strict";
      told.push(`${event.type} ${JSON.stringify(event.detail ?? null)}`);
      return dispatch.call(this ?? window, event);
    };
"#;

fn everything(page: &Page) -> String {
    let text = page.run(EVERYTHING, &[]);
    text.as_str().expect("a text").to_owned()
}

#[test]
fn a_secret_given_to_an_element_is_in_no_place_where_others_look() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let key = service.demo_text("apiKey");
    let secret = service.demo_text("clientSecret");
    let id = service.demo_text("clientId");
    let html = format!(
        r#"<!doctype html><html lang="en"><meta charset="utf-8"><title>Staff</title>
        <script>{LISTEN}</script>
        <script type="module" src="/embed/embed.js"></script>
        <booking-list team-id="1"></booking-list>
        <booking-roles org-id="1" team-id="1"></booking-roles>
        <script>
          document.querySelector("booking-list").session =
            {{ baseUrl: location.origin, token: "{key}" }};
          document.querySelector("booking-roles").session = {{ baseUrl: location.origin,
            headers: async () => ({{ "x-svc-client-id": "{id}", "x-svc-secret-key": "{secret}" }}) }};
        </script>"#
    );
    faults.page("/staff.html", &[], &html);
    let page = Page::open(&faults.url("/staff.html"));
    page.watch();
    page.css("tr.booking button").first().click();
    page.css(".details").wait();
    page.button("New role").click();
    page.field("Name").wait();
    page.field("Name").fill("Canary");
    page.button("Create role").click();
    page.button("Canary").wait();
    // A failure is where texts are put together in a hurry.
    faults.always("GET", BOOKINGS, Fault::Status(500, "boom"));
    page.button("Reload bookings").click();
    page.wait_for_text("The service gave an answer we do not understand");

    let found = everything(&page);
    assert!(found.contains("role-created"), "events are heard: {found}");
    for canary in [&key, &secret] {
        assert!(!found.contains(canary.as_str()), "{canary} in {found}");
        for request in [faults.seen("GET", "/"), faults.seen("POST", "/")].concat() {
            assert!(!request.contains(canary.as_str()), "{request}");
        }
    }
    // The search finds what is there.
    let hide = "document.querySelector('booking-list').shadowRoot.querySelector('input').value \
                = arguments[0]";
    page.run(hide, &[json!(key)]);
    assert!(everything(&page).contains(&key));
    page.assert_sound();
}

#[test]
fn a_secret_typed_into_the_app_is_gone_from_the_page_once_it_connects() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = Page::open(&faults.url("/connect"));
    page.watch();
    page.run(LISTEN, &[]);
    let key = service.demo_text("apiKey");
    page.button("Use the demo account").wait();
    page.button("Connect").click();
    page.wait_for_text("Please give a token or key");
    page.field("Access token or API key").fill(&key);
    assert!(
        everything(&page).contains(&key),
        "the search finds what is typed"
    );
    page.field("Organisation id").fill("1");
    page.field("Team id").fill("1");
    page.button("Connect").click();
    page.css("tr.booking").first().wait();
    assert!(!everything(&page).contains(&key));
    page.link("Connect").click();
    page.button("Disconnect").click();
    page.field("Access token or API key").wait();
    assert_eq!(page.field("Access token or API key").value(), "");
    assert!(!everything(&page).contains(&key));
    page.link("Bookings").click();
    page.wait_for_text("Connect first");
    for request in [faults.seen("GET", "/"), faults.seen("POST", "/")].concat() {
        assert!(!request.contains(&key), "{request}");
    }
    page.assert_sound();
}
