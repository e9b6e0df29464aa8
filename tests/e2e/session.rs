//! Credentials: renewed once, and kept secret (`canary` tests what others could observe of them).

use crate::common::{Fault, Faults, Page, Service, TEAM_BOOKINGS, starting};
use serde_json::{Value, json};

/// Summary that unfolds the form for a token on the sign-in screen.
const TOKEN_FORM: &str = "Use an access token";

const TEAM_EVENT_TYPES: &str = "/v2/teams/1/event-types";

/// Opens a page with the list alone. `session` is JavaScript; it adds the reasons of renewals to `calls`.
fn open_list(faults: &Faults, session: &str) -> Page {
    let html = format!(
        r#"<!doctype html><html lang="en"><meta charset="utf-8"><title>Staff</title>
        <script type="module" src="/embed/embed.js"></script>
        <booking-list team-id="1"></booking-list>
        <script>
          window.calls = [];
          async function fresh() {{
            const answer = await fetch("/demo/token", {{ method: "POST" }});
            return (await answer.json()).accessToken;
          }}
          document.querySelector("booking-list").session = {{ baseUrl: location.origin, {session} }};
        </script>"#
    );
    faults.page("/staff.html", &[], &html);
    let page = Page::open(&faults.url("/staff.html"));
    page.record_errors();
    page
}

/// Starts a service whose tokens are expired when issued, except renewed ones.
fn service_with_expired_tokens() -> (Service, Faults, String) {
    let service = Service::start_with(&["--access-token-minutes", "0"]);
    let faults = Faults::before(&service);
    let expired = service.demo_text("accessToken");
    let answer = service
        .visitor()
        .with_header("authorization", &format!("Bearer {expired}"))
        .get(TEAM_BOOKINGS);
    assert_eq!(answer.status, 498, "{answer:?}");
    (service, faults, expired)
}

#[test]
fn expired_token_is_renewed_once_for_all_requests() {
    let (_service, faults, expired) = service_with_expired_tokens();
    let renew = "getToken({ reason }) { calls.push(reason); return fresh(); }";
    let page = open_list(&faults, &format!("token: '{expired}', {renew}"));
    page.css("tr.booking").first().wait();
    page.button("Filters").click();
    page.role("group", "Event types").wait();
    assert_eq!(page.run("return calls", &[]), json!(["expired"]));
    assert_eq!(
        faults.count("GET", TEAM_BOOKINGS),
        2,
        "one rejected and one successful request"
    );
    assert_eq!(
        faults.count("GET", TEAM_EVENT_TYPES),
        2,
        "one rejected and one successful request"
    );

    // The new token is used from now on.
    page.button("All").click();
    page.wait_until("the third request", || {
        faults.count("GET", TEAM_BOOKINGS) == 3
    });
    page.css("tr.booking").first().wait();
    assert_eq!(page.run("return calls", &[]), json!(["expired"]));
    page.assert_no_errors();
}

#[test]
fn token_past_its_expiry_is_renewed_before_the_request() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let renew = "getToken({ reason }) { calls.push(reason); return fresh(); }";
    let page = open_list(&faults, renew);
    page.css("tr.booking").first().wait();
    assert_eq!(page.run("return calls", &[]), json!(["initial"]));
    let bearers = || faults.headers("GET", TEAM_BOOKINGS, "authorization");
    let first = bearers().pop();

    // The page's clock advances by a year; the service's does not, and would still accept the token.
    let later = "const script = document.createElement('script'); \
                 script.textContent = 'const now = Date.now; Date.now = () => now() + 365 * 864e5'; \
                 document.body.append(script)";
    page.run(later, &[]);
    page.button("All").click();
    page.wait_until("the second request", || bearers().len() == 2);
    page.css("tr.booking").first().wait();
    assert_eq!(page.run("return calls", &[]), json!(["initial", "expired"]));
    assert_ne!(bearers().pop(), first, "the request has the new token");

    // A new token that is already expired indicates a wrong clock: no endless renewals.
    page.button("Upcoming").click();
    page.wait_until("the third request", || bearers().len() == 3);
    page.css("tr.booking").first().wait();
    assert_eq!(page.run("return calls", &[]), json!(["initial", "expired"]));
    page.assert_no_errors();
}

#[test]
fn rejection_after_the_renewal_causes_no_second_one() {
    let (_service, faults, expired) = service_with_expired_tokens();
    faults.next("GET", TEAM_EVENT_TYPES, Fault::Hang);
    let renew = "getToken({ reason }) { calls.push(reason); return fresh(); }";
    let page = open_list(&faults, &format!("token: '{expired}', {renew}"));
    page.css("tr.booking").first().wait();
    assert_eq!(faults.hanging(), 1);
    faults.release();
    page.button("Filters").click();
    page.role("group", "Event types").wait();
    assert_eq!(page.run("return calls", &[]), json!(["expired"]));
    assert_eq!(faults.count("GET", TEAM_EVENT_TYPES), 2);
    page.assert_no_errors();
}

#[test]
fn missing_token_is_requested_from_the_page() {
    let (_service, faults, _) = service_with_expired_tokens();
    let page = open_list(
        &faults,
        "getToken({ reason }) { calls.push(reason); return fresh(); }",
    );
    page.css("tr.booking").first().wait();
    page.button("Filters").click();
    page.role("group", "Event types").wait();
    assert_eq!(page.run("return calls", &[]), json!(["initial"]));
    assert_eq!(faults.count("GET", TEAM_BOOKINGS), 1);
    page.assert_no_errors();
}

#[test]
fn new_session_replaces_the_old_one_and_null_disconnects() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_list(&faults, "token: 'not a token'");
    page.wait_for_text("Please sign in again");
    let key = service.demo_text("apiKey");
    let give = "document.querySelector('booking-list').session = \
                  arguments[0] && { baseUrl: location.origin, token: arguments[0] }";
    page.run(give, &[json!(key)]);
    page.css("tr.booking").first().wait();
    page.run(give, &[Value::Null]);
    page.wait_for_text("Not signed in");
    assert_eq!(page.css("tr.booking").count(), 0);
    page.assert_no_errors();
}

/// Opens a page with list and roles, which records session events. `script` sets the session.
fn open_list_and_roles(faults: &Faults, script: &str) -> Page {
    let html = format!(
        r#"<!doctype html><html lang="en"><meta charset="utf-8"><title>Staff</title>
        <script type="module" src="/embed/embed.js"></script>
        <booking-list team-id="1"></booking-list>
        <booking-roles org-id="1" team-id="1"></booking-roles>
        <script>
          window.calls = [];
          window.events = [];
          window.warnings = [];
          for (const name of ["auth-required", "token-refresh-start", "token-refresh-success",
            "token-refresh-error", "security-warning"]) {{
            addEventListener(name, ({{ target, detail }}) =>
              events.push(`${{target.localName}} ${{name}} ${{detail.reason ?? detail.code ?? detail.schema}}`));
          }}
          const warn = console.warn;
          console.warn = (...words) => {{ warnings.push(words.join(" ")); warn(...words); }};
          // What takes half a minute for people takes seconds here; downloads have all their time.
          const later = setTimeout;
          window.setTimeout = (call, ms, ...more) => {{
            const isOfSession = new Error().stack.includes("/session-");
            const shorter = ms === 30000 ? 3000 : ms >= 5000 ? window.backoff : ms;
            return later(call, isOfSession ? shorter : ms, ...more);
          }};
          // After how long a renewal that failed is tried again by itself: not unless a journey wants it.
          window.backoff = 600000;
          window.fresh = async () => {{
            const answer = await fetch("/demo/token", {{ method: "POST" }});
            return (await answer.json()).accessToken;
          }};
          window.answer = fresh;
          window.getToken = ({{ reason }}) => {{ calls.push(reason); return answer(); }};
          window.give = (session) => {{
            for (const each of document.querySelectorAll("booking-list, booking-roles")) {{
              each.session = session;
            }}
          }};
          window.list = document.querySelector("booking-list");
          {script}
        </script>"#
    );
    faults.page("/staff.html", &[], &html);
    let page = Page::open(&faults.url("/staff.html"));
    page.record_errors();
    page
}

/// Counts the recorded events that equal `event`.
fn event_count(page: &Page, event: &str) -> usize {
    let recorded = page.run("return events", &[]);
    let recorded = recorded.as_array().into_iter().flatten();
    recorded.filter(|each| *each == event).count()
}

#[test]
fn shared_session_is_renewed_once_and_resumes_with_the_next_token() {
    let (service, faults, expired) = service_with_expired_tokens();
    let fresh = || service.visitor().post("/demo/token", &json!({})).json()["accessToken"].clone();
    let page = open_list_and_roles(
        &faults,
        &format!(
            "give({{ baseUrl: location.origin, token: '{expired}', \
             getToken({{ reason }}) {{ calls.push(reason); return null; }} }});"
        ),
    );
    let [list, roles] = ["booking-list", "booking-roles"].map(|name| page.css(name));
    for element in [&list, &roles] {
        element.text("Please sign in again").wait();
    }
    assert_eq!(page.run("return calls", &[]), json!(["expired"]));
    let both = ["booking-list", "booking-roles"];
    let count = |name: &str, event: &str| event_count(&page, &format!("{name} {event}"));
    for name in both {
        page.wait_for_event(&format!("{name} auth-required expired"));
        assert_eq!(count(name, "auth-required expired"), 1, "{name}");
    }
    // An element that joins after the failure gets only its result.
    for event in ["token-refresh-start expired", "token-refresh-error empty"] {
        let counts = both.map(|name| count(name, event));
        assert!(
            counts.contains(&1) && counts.iter().all(|count| *count < 2),
            "{event}"
        );
    }

    // No more requests are sent, whatever is clicked.
    let calls = faults.count("GET", "/v2/");
    list.button("All").click();
    list.text("Please sign in again").wait();
    assert_eq!(faults.count("GET", "/v2/"), calls);

    // One new token resumes all elements, and the list keeps its query.
    page.run("list.setToken(arguments[0])", &[fresh()]);
    list.css("tr.booking").first().wait();
    roles.button("New role").click();
    roles.field("Name").fill("Canary");
    assert!(
        faults
            .seen("GET", TEAM_BOOKINGS)
            .last()
            .is_some_and(|last| !last.contains("status"))
    );

    // A rejected change keeps the input, and can be sent again with a new token.
    let path = "/v2/organizations/1/teams/1/roles";
    faults.always("POST", path, Fault::Status(498, "expired"));
    roles.button("Create role").click();
    page.wait_until("the second event", || {
        event_count(&page, "booking-roles auth-required expired") == 2
    });
    assert_eq!(faults.count("POST", path), 1);
    assert_eq!(roles.field("Name").value(), "Canary");
    faults.clear();
    page.run("list.setToken(arguments[0])", &[fresh()]);
    roles.button("Create role").click();
    roles.button("Canary").wait();

    // A `getToken` that never settles times out.
    page.run(
        "list.session = { baseUrl: location.origin, token: arguments[0], getToken() { return new Promise(() => {}) } }",
        &[json!(expired)],
    );
    page.wait_for_event("booking-list token-refresh-error timeout");
    page.wait_for_event("booking-list auth-required unavailable");
    page.assert_no_errors();
}

/// Notices of a session that has ended, and of one that cannot be renewed at the moment.
const ENDED: &str = "Please sign in again";
const PAUSED: &str = "You may need to sign in again";

/// Causes of a renewal without a new token.
enum Cause {
    /// Result of `getToken`, as a script.
    Page(String),
    /// Fault of the request to `refreshUrl`.
    Server(Fault),
}

#[test]
fn failed_renewal_pauses_or_ends_the_session_and_is_retried() {
    let (_service, faults, expired) = service_with_expired_tokens();
    let page = open_list_and_roles(&faults, "");
    let list = page.css("booking-list");
    let by_page = |script: &str| Cause::Page(script.to_owned());
    let same = format!("'{expired}'");
    for (cause, reason) in [
        (
            by_page("Promise.reject(new TypeError('Failed to fetch'))"),
            "unavailable",
        ),
        (by_page("null"), "expired"),
        (by_page("window.thrown()"), "unavailable"),
        (by_page("new Promise(() => {})"), "unavailable"),
        (by_page("42"), "unavailable"),
        (by_page("'<!doctype html>'"), "unavailable"),
        (by_page("undefined"), "expired"),
        (by_page("''"), "expired"),
        // The same token again: no reason for more renewals.
        (by_page(&same), "refused"),
        (Cause::Server(Fault::Status(500, "down")), "unavailable"),
        (Cause::Server(Fault::Drop), "unavailable"),
        (Cause::Server(Fault::Html), "unavailable"),
        (Cause::Server(Fault::Status(401, "who?")), "expired"),
        (Cause::Server(Fault::Status(403, "no")), "expired"),
    ] {
        page.run("events.length = calls.length = 0", &[]);
        let before = faults.count("GET", TEAM_BOOKINGS);
        let session = "list.session = { baseUrl: location.origin, token: arguments[0], ";
        let name = match cause {
            Cause::Page(script) => {
                page.run(&format!("window.answer = () => {script}"), &[]);
                page.run(&format!("{session} getToken }}"), &[json!(expired)]);
                script
            }
            Cause::Server(fault) => {
                let name = format!("{fault:?}");
                faults.always("POST", "/demo/token", fault);
                let session = format!("{session} refreshUrl: '/demo/token' }}");
                page.run(&session, &[json!(expired)]);
                name
            }
        };
        page.wait_for_event(&format!("booking-list auth-required {reason}"));
        let title = if reason == "unavailable" {
            PAUSED
        } else {
            ENDED
        };
        list.text(title).wait();
        list.text("Nothing you typed is lost.").wait();
        assert_eq!(list.button("Try again").count(), 1, "{name}");
        // Both requests of the list waited for the same renewal, and neither is retried automatically.
        let count = event_count(&page, &format!("booking-list auth-required {reason}"));
        assert_eq!(count, 1, "{name}");
        let calls = page.run("return calls.length", &[]);
        assert!(calls.as_i64() <= Some(1), "{calls} {name}");
        let seen = faults.count("GET", TEAM_BOOKINGS) - before;
        assert!(seen <= 2, "{seen} requests: {name}");

        faults.clear();
        page.run("window.answer = fresh", &[]);
        list.button("Try again").click();
        list.css("tr.booking").first().wait();
        list.text(title).wait_gone();
    }
    page.assert_no_errors();
}

#[test]
fn paused_session_keeps_data_and_input_and_resumes() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_list_and_roles(&faults, "give({ baseUrl: location.origin, getToken });");
    let [list, roles] = ["booking-list", "booking-roles"].map(|name| page.css(name));
    list.css("tr.booking").first().wait();
    roles.button("New role").click();
    roles.field("Name").fill("Canary");
    let rows = list.css("tr.booking").count();
    let calls = || {
        page.run("return calls.length", &[])
            .as_i64()
            .unwrap_or_default()
    };
    let reads = || faults.count("GET", TEAM_BOOKINGS);
    assert_eq!(calls(), 1);

    let reload = || list.button("Reload bookings").click();
    let retry = || list.button("Try again").click();
    let run = |script: &str| {
        page.run(script, &[]);
    };
    let ways: [(&str, &dyn Fn()); 6] = [
        ("online", &|| run("dispatchEvent(new Event('online'))")),
        ("visible", &|| {
            run("document.dispatchEvent(new Event('visibilitychange'))")
        }),
        ("reload", &reload),
        ("try again", &retry),
        ("setToken", &|| run("list.setToken()")),
        ("later", &|| ()),
    ];
    for (way, go_on) in ways {
        run(
            "events.length = 0; window.answer = () => Promise.reject(new TypeError('Failed to fetch'))",
        );
        let is_later = way == "later";
        run(if is_later {
            "window.backoff = 1000"
        } else {
            ""
        });
        let before = calls();
        faults.next("GET", TEAM_BOOKINGS, Fault::Status(498, "expired"));
        reload();
        for element in [&list, &roles] {
            element.text(PAUSED).wait();
        }
        page.wait_for_event("booking-list auth-required unavailable");
        page.wait_for_event("booking-roles auth-required unavailable");
        assert_eq!(list.css("tr.booking").count(), rows, "{way}");
        assert_eq!(roles.field("Name").value(), "Canary", "{way}");
        if !is_later {
            assert_eq!(calls(), before + 1, "{way}");
            // Renewal still fails.
            reload();
            page.wait_until("another attempt", || calls() == before + 2);
            list.text(PAUSED).wait();
            assert_eq!(list.css("tr.booking").count(), rows, "{way}");
        }
        let seen = reads();
        run("window.answer = fresh");
        go_on();
        for element in [&list, &roles] {
            element.text(PAUSED).wait_gone();
        }
        page.wait_until("the rows to be read again", || reads() > seen);
        page.wait_for_event("booking-list token-refresh-success 1");
        assert_eq!(
            event_count(&page, "booking-list auth-required unavailable"),
            1,
            "{way}"
        );
        assert_eq!(list.css("tr.booking").count(), rows, "{way}");
    }

    // A change that cannot be sent keeps the input, and is sent with the next click.
    let path = "/v2/organizations/1/teams/1/roles";
    run(
        "window.backoff = 600000; window.answer = () => Promise.reject(new TypeError('Failed to fetch'))",
    );
    faults.next("POST", path, Fault::Status(498, "expired"));
    roles.button("Create role").click();
    roles.text("This role could not be created").wait();
    assert_eq!(roles.field("Name").value(), "Canary");
    run("window.answer = fresh");
    roles.button("Create role").click();
    roles.button("Canary").wait();
    assert_eq!(faults.count("POST", path), 2);

    // Headers that the page cannot provide at the moment do not end the session either.
    let headers = "window.headers = () => Promise.reject(new TypeError('Failed to fetch')); \
                   give({ baseUrl: location.origin, headers: (request) => headers(request) })";
    run(headers);
    list.text(PAUSED).wait();
    let key = service.demo_text("apiKey");
    let given = "window.headers = () => ({ Authorization: `Bearer ${arguments[0]}` })";
    page.run(
        given.replace("arguments[0]", &format!("'{key}'")).as_str(),
        &[],
    );
    list.button("Try again").click();
    list.css("tr.booking").first().wait();
    list.text(PAUSED).wait_gone();
    page.assert_no_errors();
}

#[test]
fn session_is_renewed_by_refresh_url_or_refresh_token() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let expired = service.demo_text("accessToken");
    let expire = || faults.next("GET", TEAM_BOOKINGS, Fault::Status(498, "expired"));
    expire();
    let page = open_list_and_roles(
        &faults,
        &format!(
            "list.session = {{ baseUrl: location.origin, token: '{expired}', refreshUrl: '/demo/token' }};"
        ),
    );
    let list = page.css("booking-list");
    list.css("tr.booking").first().wait();
    let bearer = faults.headers("POST", "/demo/token", "authorization");
    assert_eq!(bearer, [format!("Bearer {expired}")]);
    page.wait_for_event("booking-list token-refresh-success 1");

    // The service's refresh operation takes a secret and a refresh token: each token is used once.
    let (id, secret) = (
        service.demo_text("clientId"),
        service.demo_text("clientSecret"),
    );
    let session = json!({
        "token": expired, "clientId": id, "refreshToken": service.demo_text("refreshToken"),
        "trustedContext": true,
    });
    let give = "const [session, secret] = arguments; \
                list.session = { ...session, baseUrl: location.origin, headers({ baseUrl, method, path }) { \
                  calls.push(`${baseUrl === location.origin} ${method} ${path}`); \
                  return path.endsWith('/refresh') ? { 'x-svc-secret-key': secret } : {}; \
                } }";
    expire();
    page.run(give, &[session.clone(), json!(secret)]);
    let refresh = format!("/v2/oauth/{id}/refresh");
    page.wait_until("the renewal", || faults.count("POST", &refresh) == 1);
    list.css("tr.booking").first().wait();
    let calls = page.run("return calls", &[]).to_string();
    for call in [
        format!("true POST {refresh}"),
        format!("true GET {TEAM_BOOKINGS}"),
    ] {
        assert!(calls.contains(&call), "{call} in {calls}");
    }
    // A server error does not invalidate the token.
    faults.next("POST", &refresh, Fault::Status(503, "busy"));
    faults.next("GET", TEAM_BOOKINGS, Fault::Status(401, "revoked"));
    list.button("All").click();
    page.wait_until("the second renewal", || faults.count("POST", &refresh) == 3);
    list.css("tr.booking").first().wait();
    let sent = faults.bodies("POST", &refresh);
    assert_ne!(sent[0], sent[1], "a refresh token is used once");
    assert_eq!(sent[1], sent[2], "the second attempt repeats the token");
    assert!(
        !faults
            .headers("GET", TEAM_BOOKINGS, "x-svc-secret-key")
            .contains(&secret)
    );

    // Without `trustedContext` there is no renewal with secrets.
    let mut session = session;
    session["trustedContext"] = json!(false);
    expire();
    page.run(give, &[session, json!(secret)]);
    page.wait_for_event("booking-list security-warning refresh-token");
    page.wait_for_event("booking-list auth-required expired");
    assert_eq!(faults.count("POST", &refresh), 3);
    page.assert_no_errors();
}

#[test]
fn forbidden_headers_are_dropped_and_exposed_secrets_reported() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let key = service.demo_text("apiKey");
    let page = open_list_and_roles(
        &faults,
        &format!(
            r#"list.session = {{ baseUrl: location.origin, token: "{key}", headers: {{
              "x-fine": "fine", "x bad": "canary", "x-split": "canary\r\nx-more: canary", "Sec-Fake": "canary",
              "x-long": "canary".repeat(2000), "x-number": 1 }} }};"#
        ),
    );
    page.css("tr.booking").first().wait();
    assert_eq!(faults.headers("GET", TEAM_BOOKINGS, "x-fine"), ["fine"]);
    for name in ["x-split", "x-more", "sec-fake", "x-long", "x-number"] {
        assert_eq!(faults.headers("GET", TEAM_BOOKINGS, name), [""], "{name}");
    }
    page.wait_for_event("booking-list security-warning bad-header");
    let warnings = page.run("return warnings", &[]);
    assert_eq!(warnings.as_array().map(Vec::len), Some(1), "{warnings}");
    assert!(!warnings.to_string().contains("canary"), "{warnings}");

    // The same machine by an address that is not recognised as local: as on a public page.
    let own = faults.url("");
    page.go(&faults
        .url("/staff.html")
        .replace("127.0.0.1", "[::ffff:127.0.0.1]"));
    page.record_errors();
    // Plain HTTP is not confidential.
    page.wait_for_event("booking-list security-warning insecure-origin");
    page.wait_for_text("Please sign in again");
    assert_eq!(
        faults.headers("GET", TEAM_BOOKINGS, "authorization").last(),
        Some(&String::new())
    );
    let give = "list.session = { baseUrl: arguments[0], ...arguments[1] }";
    page.run(give, &[json!(own), json!({ "token": key })]);
    page.wait_for_event("booking-list security-warning api-key");
    let secret = service.demo_text("clientSecret");
    let headers =
        json!({ "x-svc-client-id": service.demo_text("clientId"), "x-svc-secret-key": secret });
    page.run(give, &[json!(own), json!({ "headers": headers })]);
    page.wait_for_event("booking-list security-warning secret-header");
    page.run("events.length = 0", &[]);
    page.run(
        give,
        &[
            json!(own),
            json!({ "headers": headers, "trustedContext": true }),
        ],
    );
    page.css("tr.booking").first().wait();
    assert_eq!(page.run("return events", &[]), json!([]));
    let warnings = page.run("return warnings", &[]).to_string();
    for canary in [&key, &secret] {
        assert!(!warnings.contains(canary.as_str()), "{warnings}");
    }
    page.assert_no_errors();
}

/// Script that returns the content of a page, its URL, storage, console and events, in one text.
const PAGE_CONTENT: &str = r#"
    const parts = [location.href, document.cookie, document.title, document.referrer, window.name,
      JSON.stringify(history.state), JSON.stringify(localStorage), JSON.stringify(sessionStorage),
      ...performance.getEntries().map((entry) => entry.name), ...(window.output ?? [])];
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

/// Script that records console output and dispatched events.
const RECORD_OUTPUT: &str = r#"
    window.output = [];
    for (const level of ["log", "info", "warn", "error", "debug"]) {
      const write = console[level];
      console[level] = (...words) => { output.push(words.map(String).join(" ")); write(...words); };
    }
    const dispatch = EventTarget.prototype.dispatchEvent;
    // The page's own start-up script calls it bare; then `this` is the window, even from here.
    EventTarget.prototype.dispatchEvent = function (event) {
      "use strict";
      output.push(`${event.type} ${JSON.stringify(event.detail ?? null)}`);
      return dispatch.call(this ?? window, event);
    };
"#;

fn page_content(page: &Page) -> String {
    let text = page.run(PAGE_CONTENT, &[]);
    text.as_str().expect("a text").to_owned()
}

#[test]
fn key_typed_into_the_app_is_removed_after_connecting() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = Page::open(&faults.url("/connect"));
    page.record_errors();
    page.run(RECORD_OUTPUT, &[]);
    let key = service.demo_text("apiKey");
    page.button("Use the demo account").wait();
    page.button(TOKEN_FORM).click();
    page.button("Sign in").click();
    page.wait_for_text("Please enter a token or key");
    page.field("Access token or API key").fill("svc_wrong");
    page.button("Sign in").click();
    page.wait_for_text("The service did not accept this token or key.");
    page.field("Access token or API key").fill(&key);
    assert!(
        page_content(&page).contains(&key),
        "the search finds what is typed"
    );
    page.field("Organisation ID").fill("1");
    page.field("Team ID").fill("1");
    let address = page.field("Service address (this site if empty)");
    address.fill("http://book.example");
    page.button("Sign in").click();
    page.wait_for_text("Use an https address.");
    address.fill("");
    page.button("Sign in").click();
    page.css("tr.booking").first().wait();
    assert!(!page_content(&page).contains(&key));
    page.link(starting("Account")).click();
    let has_title = |title: &str| {
        let found = page.run("return document.title", &[]);
        found.as_str().is_some_and(|found| found.starts_with(title))
    };
    page.wait_until("the title of the account", || has_title("Account"));
    page.button("Sign out").click();
    page.wait_until("the title of the form", || has_title("Sign in"));
    page.button(TOKEN_FORM).click();
    assert_eq!(page.field("Access token or API key").value(), "");
    assert!(!page_content(&page).contains(&key));
    page.link("Bookings").click();
    page.wait_for_text("Sign in to see bookings");
    assert_eq!(
        page.run(STORED, &[]),
        json!({}),
        "no key is stored by default"
    );
    for request in [faults.seen("GET", "/"), faults.seen("POST", "/")].concat() {
        assert!(!request.contains(&key), "{request}");
    }
    page.assert_no_errors();
}

/// Script for the content of both storages.
const STORED: &str = "return { ...localStorage, ...sessionStorage }";

#[test]
fn connected_tab_stores_one_key_until_disconnected_or_rejected() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = Page::open(&faults.url("/connect"));
    page.record_errors();
    let key = service.demo_text("apiKey");
    let connect = |stays: bool| {
        // Its card moves the form down.
        page.button("Use the demo account").wait();
        page.button(TOKEN_FORM).click();
        page.field("Access token or API key").fill(&key);
        page.field("Team ID").fill("1");
        if stays {
            page.role("checkbox", "Stay signed in until this tab closes")
                .click();
        }
        page.button("Sign in").click();
        page.css("tr.booking").first().wait();
    };
    // Off by default.
    connect(false);
    assert_eq!(page.run(STORED, &[]), json!({}));
    page.go(&faults.url("/bookings?status=all"));
    page.wait_for_text("Sign in to see bookings");
    page.record_errors();

    // Leads back to what was asked for.
    page.link("Sign in").first().click();
    connect(true);
    assert_eq!(
        page.run("return location.pathname + location.search", &[]),
        "/bookings?status=all"
    );
    page.button("Saved views").click();
    page.field("View name").fill("Mine");
    page.button("Save view").click();
    let kept = || page.run(STORED, &[]);
    page.wait_until("the view to be kept", || {
        let text = kept()["booking-app"].to_string();
        text.contains("Mine") && text.contains(&key)
    });
    let all = kept();
    assert_eq!(all.as_object().map(|all| all.len()), Some(1), "{all}");
    page.reload();
    page.record_errors();
    page.css("tr.booking").first().wait();
    page.button("View: Mine").click();
    page.button("Mine").wait();
    assert_eq!(kept(), all);
    // The key is nowhere else.
    page.run("sessionStorage.clear()", &[]);
    assert!(!page_content(&page).contains(&key));
    page.run("Object.assign(sessionStorage, arguments[0])", &[all]);
    page.reload();
    page.record_errors();
    page.css("tr.booking").first().wait();
    page.link(starting("Account")).click();
    page.button("Sign out").click();
    page.button(TOKEN_FORM).wait();
    assert_eq!(kept(), json!({}));

    // A rejected key is deleted from the tab's storage.
    connect(true);
    assert_ne!(kept(), json!({}));
    faults.always("GET", TEAM_BOOKINGS, Fault::Status(401, "revoked"));
    page.button("Reload bookings").click();
    page.wait_for_text(ENDED);
    assert_eq!(kept(), json!({}));
    page.button("Sign in").click();
    page.button(TOKEN_FORM).wait();
    page.assert_no_errors();
}
