//! Elements on embedding pages: moved, removed, under a strict CSP, and without WebAssembly.

use crate::common::{
    Faults, INTRO_CALL, INTRO_CALL_PICKER, Page, Service, create_booking_of_grace, free_slots,
    open_page, select_slot, slots_of_day, starting,
};
use serde_json::{Value, json};

#[test]
fn moved_element_keeps_its_state_and_reinserted_element_restarts() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_page(
        &faults,
        "",
        &format!("<div id=a>{INTRO_CALL_PICKER}</div><div id=b></div>"),
    );
    let picker = page.css("booking-picker");
    let free = free_slots(&service, &page, INTRO_CALL)[0].clone();
    select_slot(&page, &picker, &free);
    picker.field("Your name").fill("Grace Hopper");
    let asked = faults.count("GET", "/v2/");

    page.run(
        "document.querySelector('#b').append(document.querySelector('booking-picker'))",
        &[],
    );
    page.css("#b booking-picker").wait();
    assert_eq!(picker.field("Your name").value(), "Grace Hopper");
    assert_eq!(
        faults.count("GET", "/v2/"),
        asked,
        "moving sends no request"
    );

    page.run(
        "window.kept = document.querySelector('booking-picker'); kept.remove()",
        &[],
    );
    page.wait_until("the view to be removed", || {
        page.run(
            "return kept.shadowRoot.querySelector('.base').childNodes.length",
            &[],
        ) == 0
    });
    page.run("document.querySelector('#a').append(kept)", &[]);
    picker.role("list", starting("Times on")).wait();
    assert!(!picker.field("Your name").exists());
    select_slot(&page, &picker, &free);
    // The draft is in the history entry of the page.
    assert_eq!(picker.field("Your name").value(), "Grace Hopper");
    page.assert_no_errors();
}

#[test]
fn changed_attributes_are_applied() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_page(&faults, "", "<booking-picker></booking-picker>");
    page.wait_for_text("Nothing to book yet");
    let set = |name: &str, value: &str| {
        let script = "document.querySelector('booking-picker').setAttribute(...arguments)";
        page.run(script, &[json!(name), json!(value)]);
    };
    set("team-id", "1");
    set("event-slug", "site-visit");
    page.heading("Site visit").wait();
    set("event-type-id", "1");
    page.heading("Intro call").wait();
    assert_eq!(page.css("h2").first().read_text(), "Intro call");
    set("heading-level", "4");
    page.css("h4.summary-title").wait();
    page.css("h5.picker-title").wait();
    set("hour-cycle", "h23");
    set("time-zone", "Asia/Tokyo");
    page.role("list", starting("Times on")).wait();
    page.button(starting("Time zone: Asia/Tokyo")).wait();
    assert!(page.field("24h").is_checked());
    page.assert_no_errors();
}

#[test]
fn two_pickers_are_independent() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let other = r#"<booking-picker team-id="1" event-slug="design-review"></booking-picker>"#;
    let page = open_page(&faults, "", &format!("{INTRO_CALL_PICKER}{other}"));
    let (first, second) = (
        page.css("booking-picker").nth(0),
        page.css("booking-picker").nth(1),
    );
    let free = free_slots(&service, &page, INTRO_CALL)[0].clone();
    second.role("list", starting("Times on")).wait();
    select_slot(&page, &first, &free);
    first.field("Your name").fill("Grace Hopper");
    second.heading("Design review").wait();
    assert!(!second.heading("Your details").exists());
    second.field("24h").click();
    assert!(second.field("24h").is_checked());
    page.wait_for_text(&free.time);
    page.run(
        "document.querySelectorAll('booking-picker')[1].remove()",
        &[],
    );
    first.field("Email address").fill("grace@example.org");
    first.button("Confirm booking").click();
    first.heading(starting("You’re booked for")).wait();
    page.assert_no_errors();
}

#[test]
fn element_removed_during_a_request_has_no_effect() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.always("GET", "/v2/slots", crate::common::Fault::Hang);
    let page = open_page(&faults, "", INTRO_CALL_PICKER);
    page.wait_until("the request to hang", || faults.hanging() == 1);
    page.run("document.querySelector('booking-picker').remove()", &[]);
    faults.clear();
    faults.release();
    // Another element works, and the first request has no effect.
    page.run(
        "document.body.innerHTML = arguments[0]",
        &[json!(INTRO_CALL_PICKER)],
    );
    page.role("list", starting("Times on")).wait();
    page.assert_no_errors();
}

#[test]
fn strict_csp_and_trusted_types_are_not_violated() {
    let service = Service::start();
    let faults = Faults::before(&service);
    // Pictures of hosts are at the service's own address.
    let policy = format!(
        "Content-Security-Policy: default-src 'none'; connect-src 'self'; \
         script-src 'self' 'wasm-unsafe-eval'; style-src 'self'; img-src 'self' {}; \
         require-trusted-types-for 'script'; trusted-types 'none'; base-uri 'none'; form-action 'none'",
        service.url("")
    );
    let script = format!(
        r#"window.violations = [];
        document.addEventListener("securitypolicyviolation", (event) => violations.push(
          `${{event.effectiveDirective}} ${{event.blockedURI}} ${{event.sourceFile}} ${{event.sample}}`));
        const session = {{ baseUrl: location.origin, token: "{}" }};
        for (const name of ["booking-list", "booking-roles"]) {{
          document.querySelector(name).session = session;
        }}"#,
        service.demo_text("apiKey")
    );
    let html = format!(
        r#"<!doctype html><html lang="en"><meta charset="utf-8"><title>Strict</title>
        <link rel="icon" href="/embed/demo.css">
        <script src="/strict.js" defer></script>
        <script type="module" src="/embed/embed.js"></script>
        {INTRO_CALL_PICKER}
        <booking-list org-id="1" team-id="1"></booking-list>
        <booking-roles org-id="1" team-id="1"></booking-roles>"#
    );
    faults.page("/strict.js", &[], &script);
    faults.page("/strict.html", &[&policy], &html);
    let page = Page::open(&faults.url("/strict.html"));
    let picker = page.css("booking-picker");
    picker.css(".avatar img").wait();
    let free = free_slots(&service, &page, INTRO_CALL)[0].clone();
    select_slot(&page, &picker, &free);
    picker.field("Your name").fill("Grace Hopper");
    picker.field("Email address").fill("grace@example.org");
    picker.button("Confirm booking").click();
    picker.heading(starting("You’re booked for")).wait();
    page.css("tr.booking button").first().click();
    page.css(".details").wait();
    page.button("New role").click();
    page.field("Name").wait();
    page.field("Name").fill("Strict");
    page.field("Green").click();
    page.button("Create role").click();
    page.button("Strict").wait();
    // The style sheet applies, too: content for screen readers takes no space.
    let script = "const base = document.querySelector('booking-picker').shadowRoot; \
                  return getComputedStyle(base.querySelector('.visually-hidden')).position";
    assert_eq!(page.run(script, &[]), "absolute");
    assert_eq!(page.run("return violations", &[]), json!([]));

    // The policy is in force.
    page.run(
        "const image = new Image(); image.src = 'data:image/gif;base64,R0lGODlhAQABAAAAACw='",
        &[],
    );
    let wait_for_violation = || {
        page.wait_until("a violation", || {
            page.run("return violations.length", &[]).as_u64() > Some(0)
        });
    };
    wait_for_violation();

    // Initials stay if the policy forbids the pictures.
    let policy = policy.replace(&service.url(""), "");
    faults.page("/initials.html", &[&policy], &html);
    page.go(&faults.url("/initials.html"));
    picker.css(".avatar").first().wait();
    wait_for_violation();
    let script = "const base = document.querySelector('booking-picker').shadowRoot; \
                  const avatar = base.querySelector('.avatar'); \
                  return [violations[0].startsWith('img-src'), avatar.textContent, avatar.children.length]";
    assert_eq!(page.run(script, &[]), json!([true, "AB", 0]));
}

#[test]
fn missing_webassembly_keeps_light_dom_and_dispatches_one_event() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let html = r#"<!doctype html><html lang="en"><meta charset="utf-8"><title>Old</title>
        <script>
          delete window.WebAssembly;
          window.events = [];
          document.addEventListener("booking-error", (event) => events.push(event.detail));
        </script>
        <script type="module" src="/embed/embed.js"></script>
        <booking-picker username="ada" event-slug="intro-call">
          <a href="/ada/intro-call">Book on our scheduling page</a>
        </booking-picker>"#;
    faults.page("/old.html", &[], html);
    let page = Page::open(&faults.url("/old.html"));
    page.record_errors();
    page.wait_until("the event", || page.run("return events.length", &[]) == 1);
    assert_eq!(
        page.run("return events", &[]),
        json!([{ "code": "wasm-blocked" }])
    );
    page.link("Book on our scheduling page").wait();
    assert_eq!(
        faults.count("GET", "/embed/picker_bg-"),
        0,
        "nothing is downloaded"
    );
    let preload = "return document.querySelector('booking-picker').preload() \
                     .then(() => 'there', (error) => error.message)";
    assert_eq!(page.run(preload, &[]), json!("wasm-blocked"));
    assert_eq!(faults.count("GET", "/embed/picker"), 0);
    // An element that cannot start must not affect the page around it.
    page.run("document.querySelector('booking-picker').remove()", &[]);
    assert_eq!(
        page.run("return events", &[]).as_array().map(Vec::len),
        Some(1)
    );
    page.assert_no_errors();
}

#[test]
fn csp_without_wasm_keeps_light_dom_and_reports_the_cause() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let policy = "Content-Security-Policy: default-src 'none'; connect-src 'self'; \
                  script-src 'self'; style-src 'self'";
    let script = r#"window.events = [];
        document.addEventListener("booking-error", (event) => events.push(event.detail));"#;
    let html = r#"<!doctype html><html lang="en"><meta charset="utf-8"><title>No wasm</title>
        <script src="/events.js"></script>
        <script type="module" src="/embed/embed.js"></script>
        <booking-picker username="ada" event-slug="intro-call">
          <a href="/ada/intro-call">Book on our scheduling page</a>
        </booking-picker>"#;
    faults.page("/events.js", &[], script);
    faults.page("/no-wasm.html", &[policy], html);
    let page = Page::open(&faults.url("/no-wasm.html"));
    page.wait_until("the event", || page.run("return events.length", &[]) == 1);
    assert_eq!(
        page.run("return events", &[]),
        json!([{ "code": "wasm-blocked" }])
    );
    page.link("Book on our scheduling page").wait();
}

#[test]
fn failed_download_is_reported_and_retried_by_the_next_element() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.always(
        "GET",
        "/embed/picker_bg-",
        crate::common::Fault::Status(503, "gone"),
    );
    let fallback = INTRO_CALL_PICKER.replace("></", "><a href='/ada/intro-call'>Our page</a></");
    let body = format!(
        "<script>window.events = []; document.addEventListener('booking-error', \
           (event) => events.push(event.detail.code));</script>{fallback}"
    );
    let page = open_page(&faults, "", &body);
    page.wait_until("the event", || {
        page.run("return events", &[]) == json!(["load-failed"])
    });
    page.link("Our page").wait();
    faults.clear();
    page.run(
        "document.querySelector('booking-picker').outerHTML = arguments[0]",
        &[json!(INTRO_CALL_PICKER)],
    );
    page.role("list", starting("Times on")).wait();
    assert_eq!(page.run("return events", &[]), json!(["load-failed"]));
    page.assert_no_errors();
}

#[test]
fn language_and_direction_follow_the_page() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_page(
        &faults,
        "",
        &format!("<div lang='en-GB' dir='rtl'>{INTRO_CALL_PICKER}</div>"),
    );
    page.role("list", starting("Times on")).wait();
    // British English has a 24-hour clock and weeks that begin on Monday.
    assert!(page.field("24h").is_checked());
    // In right-to-left pages, the left arrow moves to the next day.
    let tab_stop = "return document.querySelector('booking-picker').shadowRoot\
                    .querySelector('td button[tabindex=\"0\"]').textContent";
    let before = page.run(tab_stop, &[]);
    page.run(
        "document.querySelector('booking-picker').shadowRoot\
         .querySelector('td button[tabindex=\"0\"]').focus()",
        &[],
    );
    page.press(crate::common::Key::Left);
    page.wait_until("the next day", || {
        let number = |value: &Value| value.as_str().unwrap_or("").parse::<u32>().unwrap_or(0);
        let (now, then) = (number(&page.run(tab_stop, &[])), number(&before));
        now == then + 1 || (now == 1 && then >= 28)
    });
    page.assert_no_errors();
}

/// Leaves the page and returns to it through the back/forward cache.
#[track_caller]
fn leave_and_return(faults: &Faults, page: &Page, meanwhile: impl FnOnce()) {
    page.run("window.returns = []", &[]);
    page.run(
        "addEventListener('pageshow', ({ persisted }) => window.returns.push(persisted), { once: true })",
        &[],
    );
    page.go(&faults.url("/embed/demo.css"));
    meanwhile();
    page.back();
    // A reloaded page would have lost `returns`.
    page.wait_until("the page as it was left", || {
        page.run("return window.returns ?? []", &[]) == json!([true])
    });
}

#[test]
fn page_restored_from_bfcache_shows_current_slots() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_page(&faults, "", INTRO_CALL_PICKER);
    let picker = page.css("booking-picker");
    let all = free_slots(&service, &page, INTRO_CALL);
    let [taken, free] = [0, 1].map(|place| all[place].clone());
    assert_eq!(taken.day, free.day);
    picker.role("list", starting("Times on")).wait();
    picker.button(starting(&format!("{},", free.day))).click();
    let times = || slots_of_day(&picker, &free);
    times().button(taken.time.as_str()).wait();
    page.wait_for_quiet();

    // Another visitor takes one of the slots.
    let asked = faults.count("GET", "/v2/slots");
    leave_and_return(&faults, &page, || {
        create_booking_of_grace(&service, INTRO_CALL, taken.start);
    });
    times().button(taken.time.as_str()).wait_gone();
    assert!(faults.count("GET", "/v2/slots") > asked);

    // A reservation is released when the visitor leaves, and made again on return.
    let held = "/v2/slots/reservations";
    times().button(free.time.as_str()).click();
    page.wait_for_text("Held for you");
    picker.field("Your name").fill("Grace Hopper");
    leave_and_return(&faults, &page, || {});
    page.wait_until("the second reservation", || faults.count("POST", held) == 2);
    assert_eq!(faults.count("DELETE", held), 1);
    page.wait_for_text("Held for you");
    assert_eq!(picker.field("Your name").value(), "Grace Hopper");
    picker.field("Email address").fill("grace@example.org");
    picker.button("Confirm booking").click();
    picker.heading(starting("You’re booked for")).wait();
    page.assert_no_errors();
}

#[test]
fn prerendered_page_shows_current_slots() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let rules = r#"<script type="speculationrules">
        { "prerender": [{ "urls": ["/next.html"], "eagerness": "immediate" }] }</script>"#;
    faults.page(
        "/next.html",
        &[],
        &format!(
            r#"<!doctype html><html lang="en"><meta charset="utf-8"><title>Next</title>
            <script type="module" src="/embed/embed.js"></script><main>{INTRO_CALL_PICKER}</main>"#
        ),
    );
    let page = open_page(&faults, rules, "<main><h1>A page</h1></main>");
    // Requested just before the first rendering.
    page.wait_until("the form's chunk of the prerendered page", || {
        faults.count("GET", "/embed/picker_form-") > 0
    });
    let all = free_slots(&service, &page, INTRO_CALL);
    let [taken, free] = [0, 1].map(|place| all[place].clone());
    assert_eq!(taken.day, free.day);
    // Another visitor takes one of its slots.
    create_booking_of_grace(&service, INTRO_CALL, taken.start);
    // Slots that are younger than two seconds are not loaded again (`REFRESH_ON_RETURN_AFTER_MS`).
    page.run("return new Promise((done) => setTimeout(done, 2500))", &[]);
    page.run("location.href = '/next.html'", &[]);
    page.wait_until("the next page", || {
        page.run("return document.title", &[]) == json!("Next")
    });
    let activation = "return performance.getEntriesByType('navigation')[0].activationStart > 0";
    assert_eq!(page.run(activation, &[]), json!(true), "it was prerendered");
    let picker = page.css("booking-picker");
    picker.button(starting(&format!("{},", free.day))).click();
    let times = || slots_of_day(&picker, &free);
    times().button(free.time.as_str()).wait();
    times().button(taken.time.as_str()).wait_gone();
}

#[test]
fn move_before_applies_the_new_language() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let body = format!("<div lang=en>{INTRO_CALL_PICKER}</div><div id=german lang=de></div>");
    let page = open_page(&faults, "", &body);
    page.button(starting("Time zone:")).wait();
    if page.run("return !document.body.moveBefore", &[]) == json!(true) {
        return;
    }
    page.run(
        "german.moveBefore(document.querySelector('booking-picker'), null)",
        &[],
    );
    page.button(starting("Zeitzone:")).wait();
    page.assert_no_errors();
}

#[test]
fn pageshow_refreshes_each_picker_once() {
    let service = Service::start();
    let faults = Faults::before(&service);
    // Two bundles are on the page, and one picker in a closed shadow root, which queries do not reach.
    let body = format!(
        "{INTRO_CALL_PICKER}<div id=outer></div><booking-list team-id=1></booking-list><script> \
           window.hidden = document.createElement('booking-picker'); \
           hidden.setAttribute('username', 'ada'); hidden.setAttribute('event-slug', 'intro-call'); \
           outer.attachShadow({{ mode: 'closed' }}).append(hidden); \
           document.querySelector('booking-list').session = \
             {{ baseUrl: location.origin, token: '{}' }};</script>",
        service.demo_text("apiKey")
    );
    let page = open_page(&faults, "", &body);
    page.css("tr.booking").first().wait();
    page.wait_until("both pickers", || {
        let script = "return [document.querySelector('booking-picker'), hidden] \
                        .every((each) => each.shadowRoot?.querySelector('.time'))";
        page.run(script, &[]) == json!(true)
    });
    page.wait_for_quiet();
    let asked = faults.count("GET", "/v2/slots");
    let back = "dispatchEvent(new PageTransitionEvent('pageshow', { persisted: arguments[0] }))";
    page.run(back, &[json!(true)]);
    page.wait_until("a request of each", || {
        faults.count("GET", "/v2/slots") == asked + 2
    });
    page.wait_for_quiet();
    // A removed picker does not refresh, nor does any when the page was reloaded.
    page.run("hidden.remove()", &[]);
    page.run(back, &[json!(false)]);
    page.run(back, &[json!(true)]);
    page.wait_until("a request of the other", || {
        faults.count("GET", "/v2/slots") == asked + 3
    });
    page.wait_for_quiet();
    assert_eq!(faults.count("GET", "/v2/slots"), asked + 3);
    page.assert_no_errors();
}

#[test]
fn token_set_before_mount_applies_to_the_whole_session() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let list = "<booking-list team-id=1 load=manual></booking-list>";
    let page = open_page(&faults, "", &list.repeat(2));
    page.wait_until("the elements", || {
        page.run("return !!customElements.get('booking-list')", &[]) == json!(true)
    });
    let script = "const lists = document.querySelectorAll('booking-list'); \
                  const session = Object.freeze({ baseUrl: location.origin, token: 'stale' }); \
                  for (const list of lists) list.session = session; \
                  lists[0].setToken(arguments[0]); \
                  const isSame = [...lists].every((list) => list.session === session); \
                  for (const list of lists) list.start(); \
                  return isSame";
    let key = service.demo_text("apiKey");
    assert_eq!(page.run(script, &[json!(key)]), json!(true));
    for place in [0, 1] {
        let list = page.css("booking-list").nth(place);
        list.css("tr.booking").first().wait();
    }
    let mut bearers = faults.headers("GET", "/v2/", "authorization");
    bearers.sort();
    bearers.dedup();
    assert_eq!(
        bearers,
        [format!("Bearer {key}")],
        "the old token is not sent"
    );
    page.assert_no_errors();
}

/// Boxes of pages around an element, which is put at `ELEMENT`, and its own style.
const CONTAINERS: [(&str, &str, &str); 18] = [
    ("block", "<div>ELEMENT</div>", ""),
    ("flex row", "<div style='display:flex'>ELEMENT</div>", ""),
    (
        "centred flex row",
        "<div style='display:flex;justify-content:center'>ELEMENT</div>",
        "",
    ),
    (
        "centred flex column",
        "<div style='display:flex;flex-direction:column;align-items:center'>ELEMENT</div>",
        "",
    ),
    (
        "flex row with a wide neighbour",
        "<div style='display:flex'>ELEMENT<p style='inline-size:60vw'>Text</p></div>",
        "",
    ),
    (
        "flexible in a flex row",
        "<div style='display:flex'>ELEMENT</div>",
        "flex:1",
    ),
    (
        "centred grid",
        "<div style='display:grid;place-items:center'>ELEMENT</div>",
        "",
    ),
    (
        "grid column by content",
        "<div style='display:grid;grid-template-columns:auto'>ELEMENT</div>",
        "",
    ),
    ("modal dialog", "<dialog data-modal>ELEMENT</dialog>", ""),
    (
        "dialog",
        "<dialog open style='box-sizing:border-box;max-inline-size:100%'>ELEMENT</dialog>",
        "",
    ),
    ("popover", "<div popover>ELEMENT</div>", ""),
    ("table cell", "<table><tr><td>ELEMENT</table>", ""),
    (
        "in an inline block",
        "<div style='display:inline-block'>ELEMENT</div>",
        "",
    ),
    ("inline block", "<div>ELEMENT</div>", "display:inline-block"),
    ("float", "<div style='float:left'>ELEMENT</div>", ""),
    (
        "absolute box",
        "<div style='position:relative'><div style='position:absolute'>ELEMENT</div></div>",
        "",
    ),
    (
        "absolute",
        "<div style='position:relative'>ELEMENT</div>",
        "position:absolute",
    ),
    (
        "fit-content",
        "<div style='inline-size:fit-content'>ELEMENT</div>",
        "",
    ),
];

/// Every element has a usable width in every box of a page, and none makes a narrow page
/// scroll sideways.
#[test]
fn element_has_a_width_in_every_container() {
    let service = Service::start();
    let faults = Faults::before(&service);
    for (name, attributes) in [
        ("booking-picker", "username=ada event-slug=intro-call"),
        ("booking-list", ""),
        ("booking-roles", ""),
    ] {
        let boxes: String = (CONTAINERS.iter())
            .map(|(_, container, own)| {
                let element = format!("<{name} {attributes} load=eager style='{own}'></{name}>");
                format!(
                    "<section>{}</section>",
                    container.replace("ELEMENT", &element)
                )
            })
            .collect();
        let page = open_page(&faults, "", &boxes);
        page.run(
            "for (const dialog of document.querySelectorAll('[data-modal]')) dialog.showModal();
             for (const box of document.querySelectorAll('[popover]')) box.showPopover()",
            &[],
        );
        let widths = |page: &Page| -> Vec<f64> {
            let all = "return [...document.querySelectorAll('section')].map((section) => \
                       section.querySelector('booking-picker, booking-list, booking-roles').getBoundingClientRect().width)";
            serde_json::from_value(page.run(all, &[])).expect("widths")
        };
        page.wait_until("all elements to be shown", || {
            let shown = format!(
                "return [...document.querySelectorAll('{name}')].filter((each) => \
                 each.shadowRoot?.querySelector('.base')?.childElementCount).length"
            );
            page.run(&shown, &[]) == CONTAINERS.len()
        });
        for (width, least) in [(1280, 480.0), (500, 350.0)] {
            page.resize(width, 900);
            for ((container, ..), is) in CONTAINERS.iter().zip(widths(&page)) {
                // The neighbour takes more than half of the window.
                let least = if container.contains("neighbour") {
                    100.0
                } else {
                    least
                };
                assert!(is >= least, "{name} in {container} at {width} px: {is} px");
                assert!(
                    is <= f64::from(width),
                    "{name} in {container} at {width} px: {is} px"
                );
            }
            let beyond = "const root = document.scrollingElement; return root.scrollWidth - root.clientWidth";
            assert_eq!(page.run(beyond, &[]), 0, "{name} at {width} px");
        }
    }
}

/// Values of a page that do not change what the picker is about, as scripts; `element` is the picker.
const LATE_VALUES: [(&str, &str); 19] = [
    ("prefill", "element.prefill = { name: 'Ada Lovelace' }"),
    ("metadata", "element.metadata = { source: 'late' }"),
    ("utm", "element.utm = { source: 'letter' }"),
    ("utm, automatic", "element.setAttribute('utm', 'auto')"),
    (
        "event-detail",
        "element.setAttribute('event-detail', 'full')",
    ),
    (
        "redirect-url",
        "element.setAttribute('redirect-url', '/thanks')",
    ),
    (
        "redirect-origins",
        "element.setAttribute('redirect-origins', 'https://example.org')",
    ),
    (
        "prevent-redirect",
        "element.setAttribute('prevent-redirect', '')",
    ),
    (
        "after-booking",
        "element.setAttribute('after-booking', 'none')",
    ),
    (
        "booking-page",
        "element.setAttribute('booking-page', '/mine/{uid}')",
    ),
    ("hide", "element.setAttribute('hide', 'hosts description')"),
    ("dry-run", "element.setAttribute('dry-run', '')"),
    (
        "confirm-disabled",
        "element.setAttribute('confirm-disabled', '')",
    ),
    (
        "default-phone-country",
        "element.setAttribute('default-phone-country', 'it')",
    ),
    ("theme", "element.setAttribute('theme', 'dark')"),
    ("lang", "element.setAttribute('lang', 'de')"),
    (
        "time-zone",
        "element.setAttribute('time-zone', 'Asia/Tokyo')",
    ),
    ("hour-cycle", "element.setAttribute('hour-cycle', 'h23')"),
    ("messages", "element.messages = { confirm: 'Book it' }"),
];

/// A page may set the visitor's data, and what follows a booking, at any time: the visitor stays in the form, with the time
/// that is held and what was typed.
#[test]
fn values_set_by_the_page_throw_nobody_out_of_the_form() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_page(&faults, "", INTRO_CALL_PICKER);
    page.run(
        "window.element = document.querySelector('booking-picker'); window.released = 0; \
         element.addEventListener('slot-released', () => released++)",
        &[],
    );
    let picker = page.css("booking-picker");
    picker.css(".time").first().click();
    picker.text("Held for you").wait();
    picker.field("Email address").fill("grace@example.org");
    let asked = faults.count("GET", "/v2/event-types");
    let email = "return element.shadowRoot.querySelector('.form input[type=email]')?.value ?? ''";
    for (name, script) in LATE_VALUES {
        page.run(script, &[]);
        page.wait_for_quiet();
        assert_eq!(page.run(email, &[]), "grace@example.org", "{name}");
        assert_eq!(page.run("return released", &[]), 0, "{name}");
    }
    assert_eq!(faults.count("GET", "/v2/event-types"), asked);

    // They count. What the visitor has typed wins.
    page.run(
        "for (const name of ['lang', 'confirm-disabled', 'dry-run', 'after-booking', 'redirect-url']) \
           element.removeAttribute(name); \
         element.messages = null; element.prefill = { name: 'Mary Shelley', email: 'mary@example.org' }",
        &[],
    );
    picker.field("Your name").wait_for_value("Mary Shelley");
    assert_eq!(picker.field("Email address").value(), "grace@example.org");
    picker.button("Confirm booking").click();
    page.heading(starting("You’re booked for")).wait();
    let bodies = faults.bodies("POST", "/v2/bookings");
    let sent: Value = serde_json::from_str(&bodies[0]).expect("a booking");
    assert_eq!(sent["attendee"]["name"], "Mary Shelley");
    assert_eq!(sent["metadata"]["source"], "late");
    assert_eq!(sent["metadata"]["utm_source"], "letter");
    page.assert_no_errors();
}

/// Values of a page that start the view again, as scripts.
const RESTARTS: [(&str, &str); 11] = [
    ("session", "element.session = { baseUrl: location.origin }"),
    ("another session", "element.session = null"),
    (
        "week-start",
        "element.setAttribute('week-start', 'saturday')",
    ),
    ("view", "element.setAttribute('view', 'column')"),
    (
        "start-date",
        "element.setAttribute('start-date', '2040-01-01')",
    ),
    ("reserve", "element.setAttribute('reserve', 'off')"),
    ("draft", "element.setAttribute('draft', 'off')"),
    ("step-mode", "element.setAttribute('step-mode', 'confirm')"),
    ("stale-after", "element.setAttribute('stale-after', '60')"),
    (
        "heading-level",
        "element.setAttribute('heading-level', '3')",
    ),
    ("history", "element.setAttribute('history', 'steps')"),
];

/// A view that starts again keeps the visitor's step: event type, form with its input, confirmation, change of a booking.
#[test]
fn view_that_the_page_starts_again_shows_the_same_step() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_page(
        &faults,
        "",
        r#"<booking-picker username="ada"></booking-picker>"#,
    );
    page.run(
        "window.element = document.querySelector('booking-picker')",
        &[],
    );
    let picker = page.css("booking-picker");
    let restart = |script: &str| {
        page.run(
            "window.before = element.shadowRoot.querySelector('.base > :not(slot)')",
            &[],
        );
        page.run(script, &[]);
        page.wait_for_quiet();
        let is_new = page.run(
            "return element.shadowRoot.querySelector('.base > :not(slot)') !== before",
            &[],
        );
        assert_eq!(is_new, true, "{script}");
    };
    picker.css(".offer").first().click();
    picker.css(".time").first().wait();
    let title = picker.css(".summary-title").read_text();
    restart(RESTARTS[0].1);
    picker.css(".time").first().wait();
    assert_eq!(picker.css(".summary-title").read_text(), title);

    picker.css(".time").first().click();
    picker.text("Held for you").wait();
    picker.field("Email address").fill("grace@example.org");
    picker.field("Your name").fill("Grace Hopper");
    let time = "return element.shadowRoot.querySelector('.brief-when')?.textContent";
    let chosen = page.run(time, &[]);
    for (name, script) in RESTARTS {
        restart(script);
        picker
            .field("Email address")
            .wait_for_value("grace@example.org");
        assert_eq!(page.run(time, &[]), chosen, "{name}");
    }
    page.run("element.removeAttribute('history')", &[]);
    picker.field("Your name").wait_for_value("Grace Hopper");
    picker.button("Confirm booking").click();
    page.heading(starting("You’re booked for")).wait();
    restart(RESTARTS[0].1);
    page.heading(starting("You’re booked for")).wait();
    assert_eq!(faults.count("POST", "/v2/bookings"), 1);

    picker.button("Reschedule").click();
    picker.css(".time").first().wait();
    restart(RESTARTS[1].1);
    picker.css(".moving-task").wait();

    // Another event type is another flow.
    page.run("element.setAttribute('event-slug', 'consultation')", &[]);
    page.wait_for_text("Bring one question");
    assert!(!picker.css(".moving-task").exists());
    page.assert_no_errors();
}

#[test]
fn listener_that_sets_a_value_does_not_stop_the_selection() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_page(&faults, "", INTRO_CALL_PICKER);
    page.run(
        "window.element = document.querySelector('booking-picker'); \
         element.addEventListener('slot-selected', ({ detail }) => { element.metadata = { chosen: detail.start } })",
        &[],
    );
    let picker = page.css("booking-picker");
    picker.css(".time").first().click();
    picker.heading("Your details").wait();
    picker.text("Held for you").wait();
    page.assert_no_errors();
}
