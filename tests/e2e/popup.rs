//! Elements in a popup, and the doctor's reports on pages with missing or wrong settings.

use serde_json::{Value, json};

use crate::common::{Fault, Faults, Key, Page, Service, free_times, open_page, pick, starting};

const INTRO_CALL: i64 = 1;

/// Script that records popup events, and the history states that a router of the page would get.
const HEARING: &str = r#"<script>
    window.news = [];
    window.met = [];
    addEventListener("popstate", (event) => met.push(event.state?.page));
    document.addEventListener("popup-opened", () => news.push("opened"));
    document.addEventListener("popup-closed", (event) => news.push("closed by " + event.detail.reason));
    history.replaceState({ page: "own" }, "");
  </script>
  <style>body { min-block-size: 300vh; padding-block-start: 10em }</style>"#;

fn on_page(element: &str) -> String {
    format!("<main><h1>Northwind</h1>{element}</main>")
}

/// Asserts that scrolling and history are restored.
#[track_caller]
fn assert_left(page: &Page) {
    page.each("dialog").wait_gone();
    page.wait_until("the history to be the page's own", || {
        // A draft may be written after the popup is closed.
        let script = "const { bookingDrafts, ...own } = history.state; return own";
        page.run(script, &[]) == json!({ "page": "own" })
    });
    let script =
        "return [document.adoptedStyleSheets.length, scrollY, met.every((page) => page === 'own')]";
    assert_eq!(page.run(script, &[]), json!([0, 40, true]));
}

#[test]
fn popup_keeps_input_however_it_is_closed() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let popup = r#"<booking-picker placement="popup" username="ada" event-slug="intro-call">
        </booking-picker>"#;
    let page = open_page(&faults, HEARING, &on_page(popup));
    let open = page.button("Book a time");
    let dialog = page.role("dialog", "Book a time");
    open.wait();
    assert_eq!(
        faults.count("GET", "/v2/"),
        0,
        "nothing is asked before it is opened"
    );
    page.run("scrollTo(0, 40)", &[]);

    // By keyboard.
    page.press(Key::Tab);
    assert_eq!(page.focus(), r#"button "Book a time""#);
    page.press(Key::Enter);
    dialog.role("list", starting("Times on")).wait();
    assert_eq!(page.focus(), r#"button "Close""#);
    page.assert_accessible("an open popup");
    let script = "const element = document.scrollingElement; \
                  return [element.scrollTop, getComputedStyle(document.body).overflowY]";
    assert_eq!(page.run(script, &[]), json!([40, "hidden"]));
    page.press(Key::Escape);
    page.is_told("closed by escape");
    assert_left(&page);
    assert_eq!(page.focus(), r#"button "Book a time""#);

    // By mouse.
    let free = free_times(&service, &page, INTRO_CALL)[0].clone();
    open.click();
    pick(&page, &dialog, &free);
    dialog.field("Your name").fill("Grace Hopper");
    dialog.button("Close").click();
    page.is_told("closed by button");
    assert_left(&page);

    // By the back button; the form still has its values.
    open.click();
    assert_eq!(dialog.field("Your name").value(), "Grace Hopper");
    page.back();
    page.is_told("closed by back");
    assert_left(&page);

    // By a click on the backdrop, by the page, and by removal of the element.
    page.run("document.querySelector('booking-picker').open()", &[]);
    dialog.wait();
    let script = "const dialog = document.querySelector('booking-picker').shadowRoot.querySelector('dialog'); \
                  dialog.dispatchEvent(new PointerEvent('pointerdown')); dialog.click()";
    page.run(script, &[]);
    page.is_told("closed by backdrop");
    assert_left(&page);
    // Reopened at once: the history is still navigating back.
    page.run(
        "const picker = document.querySelector('booking-picker'); \
         picker.open(); picker.close(); picker.open()",
        &[],
    );
    dialog.wait();
    assert_eq!(dialog.field("Your name").value(), "Grace Hopper");
    page.is_told("closed by script");
    page.run("document.querySelector('booking-picker').remove()", &[]);
    assert_left(&page);
    page.assert_sound();
}

#[test]
fn links_and_floating_buttons_open_popups() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let floating = r#"<booking-picker placement="floating" username="ada" event-slug="intro-call">
        </booking-picker>"#;
    let page = open_page(&faults, HEARING, &on_page(floating));
    page.resize(500, 700);
    let button = page.button("Book a time");
    button.wait();
    let distances = || {
        let script = "const button = document.querySelector('booking-picker').shadowRoot.querySelector('button'); \
                      const box = button.getBoundingClientRect(), root = document.documentElement; \
                      return [box.left, box.top, root.clientWidth - box.right, innerHeight - box.bottom].map(Math.round)";
        page.run(script, &[])
    };
    let set = |name: &str, value: &str| {
        let script = "document.querySelector('booking-picker').setAttribute(...arguments)";
        page.run(script, &[json!(name), json!(value)]);
    };
    assert_eq!((&distances()[2], &distances()[3]), (&json!(16), &json!(16)));
    set("button-position", "top-start");
    assert_eq!((&distances()[0], &distances()[1]), (&json!(16), &json!(16)));
    page.run("document.documentElement.dir = 'rtl'", &[]);
    assert_eq!((&distances()[2], &distances()[1]), (&json!(16), &json!(16)));
    page.run(
        "document.documentElement.dir = ''; document.documentElement.lang = 'de'",
        &[],
    );
    page.button("Termin buchen").wait();
    set("button-text", "Talk to Ada");
    page.button("Talk to Ada").wait();
    page.assert_accessible("a floating button");

    // A link that is added later.
    page.run(
        "document.documentElement.lang = 'en'; const link = document.createElement('a'); \
         link.href = '/embed/demo.html'; link.textContent = 'Book a review'; \
         link.dataset.bookingTeamId = '1'; link.dataset.bookingEventSlug = 'design-review'; \
         document.querySelector('main').append(link)",
        &[],
    );
    let link = page.link("Book a review");
    let dialog = page.role("dialog", "Book a review");
    link.click();
    dialog.heading("Design review").wait();
    // On a narrow screen it covers the whole page, without a backdrop to click.
    let wide = "return document.querySelector('[data-opened-by]').shadowRoot.querySelector('.window').offsetWidth";
    assert!(page.run(wide, &[]).as_u64() > Some(400));
    dialog.button("Close").click();
    page.is_told("closed by button");
    assert_eq!(page.focus(), r#"link "Book a review""#);
    page.run(
        "window.first = document.querySelector('[data-opened-by]')",
        &[],
    );
    link.click();
    dialog.wait();
    page.back();
    dialog.wait_gone();
    let script = "return first.isConnected && document.querySelectorAll('[data-opened-by]').length";
    assert_eq!(page.run(script, &[]), 1, "one for each link");

    // Other clicks are left to the browser; without WebAssembly, all are.
    let script = "const press = new MouseEvent('click', \
                    { bubbles: true, cancelable: true, composed: true, ctrlKey: true }); \
                  addEventListener('click', (event) => { \
                    window.isOurs = event.defaultPrevented; event.preventDefault(); }, { once: true }); \
                  document.querySelector('a').dispatchEvent(press); \
                  return isOurs";
    assert_eq!(page.run(script, &[]), false);
    page.assert_sound();
    page.run("delete window.WebAssembly", &[]);
    link.click();
    page.wait_until("the link to be followed", || {
        page.address().ends_with("/embed/demo.html")
    });
}

/// Runs the doctor of the first element; returns the codes of errors and warnings, and the report.
#[track_caller]
fn examined(page: &Page) -> (Vec<String>, Value) {
    page.wait_until("the elements", || {
        page.run(
            "return Boolean(window.customElements.get('booking-picker'))",
            &[],
        ) == true
    });
    let report = page.run(
        "return document.querySelector('booking-picker, booking-list').doctor()",
        &[],
    );
    let findings = report["findings"].as_array().expect("findings").clone();
    let wrong = findings.iter().filter(|each| each["level"] != "info");
    let codes = wrong.map(|each| each["code"].as_str().unwrap_or("").to_owned());
    let codes: Vec<String> = codes.collect();
    let has_errors = findings.iter().any(|each| each["level"] == "error");
    assert_eq!(report["ok"], !has_errors, "{report}");
    (codes, report)
}

#[test]
fn missing_and_wrong_settings_are_reported() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let other = Faults::before(&service);
    let page = Page::open(&faults.url("/embed/demo.css"));
    let show = |policy: &str, body: &str| {
        let policy = format!(
            "Content-Security-Policy: {policy}; require-trusted-types-for 'script'; trusted-types 'none'"
        );
        let html = format!(
            r#"<!doctype html><html lang="en"><meta charset="utf-8"><title>Ill</title>
            <link rel="icon" href="/embed/demo.css">
            <script src="/hearing.js"></script><script type="module" src="/embed/embed.js"></script>{body}"#
        );
        faults.page("/ill.html", &[&policy], &html);
        page.go(&faults.url("/ill.html"));
    };
    let hearing = r#"window.violations = [];
        document.addEventListener("securitypolicyviolation", (event) => violations.push(
          `${event.effectiveDirective} ${event.blockedURI} ${event.sourceFile} ${event.sample}`));"#;
    faults.page("/hearing.js", &[], hearing);
    let popup = r#"<booking-picker placement="popup" username="ada" event-slug="intro-call">
        </booking-picker>"#;
    let strict = "default-src 'none'; style-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; \
                  connect-src 'self'; script-src 'self'";

    // No findings under the strictest policy, in a popup too.
    show(&format!("{strict} 'wasm-unsafe-eval'"), popup);
    page.button("Book a time").click();
    page.role("list", starting("Times on")).wait();
    let (codes, report) = examined(&page);
    assert!(codes == ["insecure-page"] || codes.is_empty(), "{report}");
    page.press(Key::Escape);
    page.each("dialog").wait_gone();
    assert_eq!(page.run("return violations", &[]), json!([]));

    // Without WebAssembly, with misspelt attributes, and for an unknown event type.
    show(
        strict,
        r#"<booking-picker username="ada" event-slug="intro-cal" hour-cylce="h12" theme="drak"></booking-picker>"#,
    );
    let (codes, report) = examined(&page);
    for code in ["wasm-blocked", "event-type-not-found", "attribute-unknown"] {
        assert!(codes.contains(&code.to_owned()), "{code}: {report}");
    }
    let told = report.to_string();
    assert!(told.contains("'wasm-unsafe-eval'"), "{told}");
    for meant in ["hour-cycle", "dark"] {
        assert!(told.contains(&format!("did you mean {meant}?")), "{told}");
    }

    // A service that the policy does not allow.
    let away = format!(
        r#"<booking-picker username="ada" event-slug="intro-call" base-url="{}"></booking-picker>"#,
        other.url("")
    );
    show(&format!("{strict} 'wasm-unsafe-eval'"), &away);
    let (codes, report) = examined(&page);
    assert!(codes.contains(&"service-forbidden".to_owned()), "{report}");
    assert!(report.to_string().contains(&other.url("")), "{report}");

    // A service whose CORS does not allow every header of the page.
    let answer = r#"{"status":"success","data":[]}"#;
    let origin = "Access-Control-Allow-Origin: *";
    let headers = "Access-Control-Allow-Headers: content-type, x-svc-client-id";
    other.page("/v2/event-types", &[origin, headers], answer);
    let policy = format!(
        "{strict} 'wasm-unsafe-eval'; connect-src 'self' {}",
        other.url("")
    )
    .replacen("connect-src 'self'; ", "", 1);
    show(&policy, "<booking-list></booking-list>");
    let script = "document.querySelector('booking-list').session = \
                  { baseUrl: arguments[0], clientId: 'c', tokn: 'x', getToken: () => 'token' }";
    page.run(script, &[json!(other.url(""))]);
    let (codes, report) = examined(&page);
    let told = report.to_string();
    assert!(
        told.contains("the header Authorization.") && told.contains("session.tokn is unknown"),
        "{told}"
    );
    assert_eq!(
        codes
            .iter()
            .filter(|code| *code == "header-forbidden")
            .count(),
        1,
        "{told}"
    );

    // One that allows no origin, and a base URL that is wrong.
    other.page("/v2/event-types", &[], answer);
    let (codes, report) = examined(&page);
    assert!(codes.contains(&"service-cors".to_owned()), "{report}");
    other.page(
        "/v2/event-types",
        &[origin],
        "<!doctype html><title>Shop</title>",
    );
    let script = "document.querySelector('booking-list').session = { baseUrl: arguments[0] + '/v2/..', headers: {} }";
    page.run(script, &[json!(other.url(""))]);
    let (codes, report) = examined(&page);
    assert!(
        codes.contains(&"header-forbidden".to_owned())
            && codes.contains(&"base-url-wrong".to_owned()),
        "{report}"
    );
}

#[test]
fn removed_popup_keeps_scroll_focus_and_history_of_a_new_route() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let popup = r#"<a id="home" href="/embed/demo.css">Home</a>
        <booking-picker placement="popup" username="ada" event-slug="intro-call"></booking-picker>
        <h2 id="headline" tabindex="-1">News</h2>"#;
    let page = open_page(&faults, HEARING, &on_page(popup));
    page.button("Book a time").wait();
    page.run("scrollTo(0, 40); home.focus()", &[]);
    // By script: closing would restore the earlier focus.
    page.run("document.querySelector('booking-picker').open()", &[]);
    page.role("dialog", "Book a time").wait();
    // Navigation by a router.
    page.run(
        "history.pushState({ page: 'other' }, '', '/other.html'); \
         document.querySelector('booking-picker').remove(); \
         headline.focus({ preventScroll: true }); \
         scrollTo(0, 300)",
        &[],
    );
    page.wait_until("the window to be gone", || {
        page.run("return document.adoptedStyleSheets.length", &[]) == 0
    });
    page.wait_for_quiet();
    let script =
        "return [scrollY, document.activeElement.id, history.state.page, location.pathname]";
    assert_eq!(
        page.run(script, &[]),
        json!([300, "headline", "other", "/other.html"])
    );
    page.assert_sound();
}

#[test]
fn correct_settings_cause_no_findings() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let other = Faults::before(&service);
    let finding = |report: &Value, code: &str| {
        let findings = report["findings"].as_array().expect("findings");
        let found = findings.iter().find(|each| each["code"] == code);
        found.map_or(Value::Null, |found| found["level"].clone())
    };

    // Another product's script of the same name, and one of ours.
    faults.page("/shop/embed.js", &[], "window.shop = true;");
    let list = r#"<booking-list team-id="1" load="manual" id-token="x"></booking-list>"#;
    let page = open_page(&faults, r#"<script src="/shop/embed.js"></script>"#, list);
    let session = "document.querySelector('booking-list').session = arguments[0]";
    let key = json!({ "baseUrl": "", "token": "svc_x", "trustedContext": true });
    page.run(session, &[key]);
    let (codes, report) = examined(&page);
    assert_eq!(finding(&report, "secret-exposed"), "info", "{report}");
    for code in ["loader-twice", "base-url-odd", "method-forbidden"] {
        assert!(!codes.contains(&code.to_owned()), "{code}: {report}");
    }
    // Reported although it resembles a global attribute.
    assert_eq!(finding(&report, "secret-in-attribute"), "error", "{report}");
    let script = "return fetch('/embed/embed.js').then((answer) => answer.text())";
    let loader = page.run(script, &[]);
    faults.page("/copy/embed.js", &[], loader.as_str().expect("the loader"));
    let twice = r#"<script type="module" src="/copy/embed.js"></script>"#;
    let page = open_page(&faults, "", &format!("{list}{twice}"));
    let (codes, report) = examined(&page);
    assert!(codes.contains(&"loader-twice".to_owned()), "{report}");

    // A service that allows other origins only to read.
    let headers = [
        "Access-Control-Allow-Origin: *",
        "Access-Control-Allow-Headers: *, authorization",
    ];
    let answer = r#"{"status":"success","data":[]}"#;
    other.page("/v2/event-types", &headers, answer);
    other.page("/v2/organizations/0/teams/0/roles/doctor", &headers, answer);
    let away = json!({ "baseUrl": other.url(""), "token": "token" });
    page.run(session, std::slice::from_ref(&away));
    let (codes, report) = examined(&page);
    let methods = codes.iter().filter(|code| *code == "method-forbidden");
    assert_eq!(methods.count(), 2, "{report}");
    let mut headers = headers.to_vec();
    headers.push("Access-Control-Allow-Methods: PATCH, DELETE");
    other.page("/v2/organizations/0/teams/0/roles/doctor", &headers, answer);
    page.run(session, &[away]);
    let (codes, report) = examined(&page);
    assert!(!codes.contains(&"method-forbidden".to_owned()), "{report}");

    // A status 401 without a session is no finding for an element with a session.
    let picker = r#"<booking-picker username="ada" event-slug="intro-call"></booking-picker>"#;
    faults.always("GET", "/v2/event-types", Fault::Status(401, "who?"));
    let page = open_page(&faults, "", picker);
    let (codes, report) = examined(&page);
    assert!(codes.contains(&"event-type-guarded".to_owned()), "{report}");
    assert!(!report.to_string().contains("by its number"), "{report}");
    let script = "document.querySelector('booking-picker').session = { token: 'token' }";
    page.run(script, &[]);
    let (codes, report) = examined(&page);
    assert!(
        !codes.contains(&"event-type-guarded".to_owned()),
        "{report}"
    );
    faults.clear();

    // A service that expects another version does not know the operation.
    faults.always(
        "GET",
        "/v2/slots",
        Fault::Status(404, "Cannot GET /v2/slots"),
    );
    let page = open_page(&faults, "", picker);
    let (codes, report) = examined(&page);
    assert!(codes.contains(&"operation-unknown".to_owned()), "{report}");
    faults.clear();

    // In the other dialect, visitors cannot query an event type by id.
    let by_number = r#"<booking-picker event-type-id="1" dialect="cal"></booking-picker>"#;
    let page = open_page(&faults, "", by_number);
    let (codes, report) = examined(&page);
    assert!(
        codes.contains(&"event-type-by-number".to_owned()),
        "{report}"
    );

    // Redirected files still load.
    let script = "return performance.getEntriesByType('resource').map((each) => each.name) \
                    .find((name) => /\\/picker-[^/]*\\.js$/.test(name)).split('/').pop()";
    let name = page.run(script, &[]);
    let moved = format!("/embed/{}", name.as_str().expect("a name"));
    let faults = Faults::before(&service);
    faults.always("GET", "/embed/picker-", Fault::Redirect(other.url(&moved)));
    let page = open_page(&faults, "", picker);
    page.role("list", starting("Times on")).wait();
    let (codes, report) = examined(&page);
    assert_eq!(finding(&report, "files-redirects"), "info", "{report}");
    assert!(codes == ["insecure-page"] || codes.is_empty(), "{report}");
    page.assert_sound();
}

#[test]
fn popup_follows_right_to_left_pages() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let elements = r#"<div dir="rtl"><booking-picker username="ada" event-slug="intro-call"></booking-picker>
        <booking-picker placement="popup" username="ada" event-slug="intro-call"></booking-picker></div>"#;
    let page = open_page(&faults, HEARING, &on_page(elements));
    page.button("Book a time").click();
    let dialog = page.role("dialog", "Book a time");
    dialog.role("list", starting("Times on")).wait();
    // On the page, in the popup's header, and in its content.
    let directions = "const directions = []; \
                      const look = (root) => { for (const each of root.querySelectorAll('*')) { \
                        if (each.matches('.base, dialog')) directions.push(getComputedStyle(each).direction); \
                        if (each.shadowRoot) look(each.shadowRoot); \
                      } }; \
                      look(document); \
                      return directions";
    let directions = page.run(directions, &[]);
    let all = directions.as_array().expect("directions");
    assert!(
        all.len() >= 3 && all.iter().all(|direction| direction == "rtl"),
        "{directions}"
    );
    page.assert_sound();
}
