//! `doctor()`: its report on pages with missing, wrong and correct settings.

use serde_json::{Value, json};

use crate::common::{Fault, Faults, Key, Page, Service, open_page, starting};

/// Runs the doctor of the first element; returns the codes of errors and warnings, and the report.
#[track_caller]
fn run_doctor(page: &Page) -> (Vec<String>, Value) {
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
    let strict = format!(
        "default-src 'none'; style-src 'self'; img-src 'self' {}; base-uri 'none'; form-action 'none'; \
         connect-src 'self'; script-src 'self'",
        service.url("")
    );

    // No findings under the strictest policy, in a popup too.
    show(&format!("{strict} 'wasm-unsafe-eval'"), popup);
    page.button("Book a time").click();
    page.role("list", starting("Times on")).wait();
    let (codes, report) = run_doctor(&page);
    assert!(codes == ["insecure-page"] || codes.is_empty(), "{report}");
    page.press(Key::Escape);
    page.each("dialog").wait_gone();
    assert_eq!(page.run("return violations", &[]), json!([]));

    // Without WebAssembly, with misspelt attributes, and for an unknown event type.
    show(
        &strict,
        r#"<booking-picker username="ada" event-slug="intro-cal" hour-cylce="h12" theme="drak"></booking-picker>"#,
    );
    let (codes, report) = run_doctor(&page);
    for code in ["wasm-blocked", "event-type-not-found", "attribute-unknown"] {
        assert!(codes.contains(&code.to_owned()), "{code}: {report}");
    }
    let text = report.to_string();
    assert!(text.contains("'wasm-unsafe-eval'"), "{text}");
    for meant in ["hour-cycle", "dark"] {
        assert!(text.contains(&format!("did you mean {meant}?")), "{text}");
    }

    // A service that the policy does not allow.
    let away = format!(
        r#"<booking-picker username="ada" event-slug="intro-call" base-url="{}"></booking-picker>"#,
        other.url("")
    );
    show(&format!("{strict} 'wasm-unsafe-eval'"), &away);
    let (codes, report) = run_doctor(&page);
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
    let (codes, report) = run_doctor(&page);
    let text = report.to_string();
    assert!(
        text.contains("the header Authorization.") && text.contains("session.tokn is unknown"),
        "{text}"
    );
    assert_eq!(
        codes
            .iter()
            .filter(|code| *code == "header-forbidden")
            .count(),
        1,
        "{text}"
    );

    // One that allows no origin, and a base URL that is wrong.
    other.page("/v2/event-types", &[], answer);
    let (codes, report) = run_doctor(&page);
    assert!(codes.contains(&"service-cors".to_owned()), "{report}");
    other.page(
        "/v2/event-types",
        &[origin],
        "<!doctype html><title>Shop</title>",
    );
    let script = "document.querySelector('booking-list').session = { baseUrl: arguments[0] + '/v2/..', headers: {} }";
    page.run(script, &[json!(other.url(""))]);
    let (codes, report) = run_doctor(&page);
    assert!(
        codes.contains(&"header-forbidden".to_owned())
            && codes.contains(&"base-url-wrong".to_owned()),
        "{report}"
    );
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

    // What the service says of itself.
    let picker = r#"<booking-picker username="ada" event-slug="intro-call"></booking-picker>"#;
    let page = open_page(&faults, "", picker);
    let (_, report) = run_doctor(&page);
    assert_eq!(finding(&report, "zone-data"), "info", "{report}");
    assert!(report.to_string().contains("time zone data 20"), "{report}");
    let said =
        "ready\ntime zone data 2025b (built in), 200 days old: renew them\ne-mail is not sent: …\n";
    faults.page("/readyz", &[], said);
    let (codes, report) = run_doctor(&page);
    for code in ["zone-data", "mail-missing"] {
        assert!(codes.contains(&code.to_owned()), "{code}: {report}");
    }
    let faults = Faults::before(&service);

    // Another product's script of the same name, and one of ours.
    faults.page("/shop/embed.js", &[], "window.shop = true;");
    let list = r#"<booking-list team-id="1" load="manual" id-token="x"></booking-list>"#;
    let page = open_page(&faults, r#"<script src="/shop/embed.js"></script>"#, list);
    let session = "document.querySelector('booking-list').session = arguments[0]";
    let key = json!({ "baseUrl": "", "token": "svc_x", "trustedContext": true });
    page.run(session, &[key]);
    let (codes, report) = run_doctor(&page);
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
    let (codes, report) = run_doctor(&page);
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
    let (codes, report) = run_doctor(&page);
    let methods = codes.iter().filter(|code| *code == "method-forbidden");
    assert_eq!(methods.count(), 2, "{report}");
    let mut headers = headers.to_vec();
    headers.push("Access-Control-Allow-Methods: PATCH, DELETE");
    other.page("/v2/organizations/0/teams/0/roles/doctor", &headers, answer);
    page.run(session, &[away]);
    let (codes, report) = run_doctor(&page);
    assert!(!codes.contains(&"method-forbidden".to_owned()), "{report}");

    // A status 401 without a session is no finding for an element with a session.
    let picker = r#"<booking-picker username="ada" event-slug="intro-call"></booking-picker>"#;
    faults.always("GET", "/v2/event-types", Fault::Status(401, "who?"));
    let page = open_page(&faults, "", picker);
    let (codes, report) = run_doctor(&page);
    assert!(codes.contains(&"event-type-guarded".to_owned()), "{report}");
    assert!(!report.to_string().contains("by its id"), "{report}");
    let script = "document.querySelector('booking-picker').session = { token: 'token' }";
    page.run(script, &[]);
    let (codes, report) = run_doctor(&page);
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
    let (codes, report) = run_doctor(&page);
    assert!(codes.contains(&"operation-unknown".to_owned()), "{report}");
    faults.clear();

    // In the cal dialect, visitors cannot query an event type by id.
    let by_number = r#"<booking-picker event-type-id="1" dialect="cal"></booking-picker>"#;
    let page = open_page(&faults, "", by_number);
    let (codes, report) = run_doctor(&page);
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
    let (codes, report) = run_doctor(&page);
    assert_eq!(finding(&report, "files-redirects"), "info", "{report}");
    assert!(codes == ["insecure-page"] || codes.is_empty(), "{report}");
    page.assert_no_errors();
}
