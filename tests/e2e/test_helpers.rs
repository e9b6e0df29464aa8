//! Test helpers themselves, on a small page: their functions work in this browser.

use std::io::{Read, Write};
use std::net::TcpListener;
use std::thread;

use crate::common::{Client, Fault, Faults, Key, Page, Service, containing, starting};
use serde_json::json;

/// Page with a form in nested shadow roots, built like the widget's: a text field, a select, a button that
/// replaces itself, a dialog, a hidden element.
const PAGE: &str = r##"<!doctype html><meta charset="utf-8"><title>Harness</title>
<p>Outside</p><outer-box></outer-box>
<script>
class Outer extends HTMLElement {
  connectedCallback() {
    this.attachShadow({ mode: "open" }).innerHTML = `
      <h2>Pick <b>a time</b></h2>
      <div role="grid" aria-label="March 2027">
        <button role="gridcell" aria-label="Tuesday, March 2, 2027, 5 times">2</button>
        <button role="gridcell" aria-label="Wednesday, March 3, 2027, no times" disabled>3</button>
      </div>
      <inner-box></inner-box>
      <p hidden>Never shown</p><div aria-hidden="true"><button>Silent</button></div>`;
    const day = this.shadowRoot.querySelector("[role=gridcell]");
    day.onclick = () => setTimeout(() => day.setAttribute("aria-selected", "true"), 100);
  }
}
class Inner extends HTMLElement {
  connectedCallback() {
    this.attachShadow({ mode: "open" }).innerHTML = `
      <label for="n">Your name <span aria-hidden="true">*</span></label><input id="n">
      <label>Length <select><option>15 min</option><option>30 min</option></select></label>
      <label><input type="checkbox"> Remind me</label>
      <button id="go">Continue</button><output></output>
      <dialog aria-label="Sure?"><p>Really?</p><button>Yes</button></dialog>`;
    const root = this.shadowRoot, out = root.querySelector("output");
    const name = root.querySelector("#n"), dialog = root.querySelector("dialog");
    let typed = 0;
    name.oninput = () => typed++;
    root.querySelector("select").onchange = (event) => { out.append(event.target.value + " chosen. "); };
    root.querySelector("#go").onclick = () => setTimeout(() => {
      const next = document.createElement("button");
      next.textContent = "Confirm";
      next.onclick = () => dialog.showModal();
      root.querySelector("#go").replaceWith(next);
    }, 100);
    dialog.querySelector("button").onclick = async () => {
      dialog.close();
      out.append("Dear ", name.value, typed ? ", you are " : "", "booked. ");
      try {
        const answer = await (await fetch("/data")).json();
        out.append("The service says " + answer.data + ".");
      } catch (error) { out.append("The service does not answer."); }
    };
  }
}
customElements.define("inner-box", Inner);
customElements.define("outer-box", Outer);
</script>"##;

/// Serves the page, and JSON at `/data`; returns `host:port`.
fn serve() -> String {
    let listener = TcpListener::bind(("127.0.0.1", 0)).expect("a port");
    let address = listener.local_addr().expect("its address").to_string();
    thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut head = [0; 4096];
            let length = stream.read(&mut head).unwrap_or(0);
            let data = String::from_utf8_lossy(&head[..length]).starts_with("GET /data");
            let (kind, body) = match data {
                true => ("application/json", r#"{"status":"success","data":"fine"}"#),
                false => ("text/html", PAGE),
            };
            let answer = format!(
                "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Length: {}\r\n\
                 Connection: close\r\n\r\n{body}",
                body.len()
            );
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    address
}

fn open() -> Page {
    Page::open(&format!("http://{}/", serve()))
}

#[test]
fn elements_in_nested_shadow_roots_are_found_by_role_and_name() {
    let page = open();
    page.heading("Pick a time").wait();
    assert_eq!(page.each("gridcell").count(), 2);
    let grid = page.role("grid", "March 2027");
    let day = grid.role("gridcell", starting("Tuesday, March 2"));
    day.click();
    page.wait_until("the day to be selected", || {
        day.attribute("aria-selected").as_deref() == Some("true")
    });
    assert!(!grid.role("gridcell", containing("no times")).is_enabled());
    assert_eq!(
        page.each("gridcell").first().name(),
        "Tuesday, March 2, 2027, 5 times"
    );
    assert!(
        !page.button("Silent").exists(),
        "content hidden from screen readers"
    );
    assert!(!page.shows("Never shown"));
    assert_eq!(page.css("outer-box").css("inner-box").count(), 1);
    assert!(page.text("Pick a time").read_text().contains("a time"));
}

#[test]
fn form_is_filled_in_and_sent_with_the_mouse() {
    let page = open();
    page.field("Your name").fill("Grace");
    page.field("Your name").fill("Ada Lovelace");
    page.field("Your name").type_text(" é");
    assert_eq!(page.field("Your name").value(), "Ada Lovelace é");
    page.field("Your name").fill("");
    page.field("Your name").fill("Ada Lovelace");
    page.field("Length").choose("30 min");
    page.wait_for_text("30 min chosen");
    assert_eq!(page.field("Length").value(), "30 min");
    page.field("Remind me").click();
    assert!(page.field("Remind me").is_checked());
    page.button("Continue").click();
    page.button("Confirm").click();
    page.wait_for_text("Really?");
    assert!(
        !page.button("Confirm").exists(),
        "content behind a modal dialog"
    );
    page.role("dialog", "Sure?").button("Yes").click();
    page.wait_for_text("Dear Ada Lovelace, you are booked. The service says fine.");
    page.wait_for_no_text("Really?");
}

#[test]
fn keyboard_reaches_every_control() {
    let page = open();
    page.field("Your name").click();
    assert!(page.field("Your name").has_focus());
    page.press(Key::Tab);
    assert_eq!(page.focus(), "combobox \"Length\"");
    page.press(Key::ShiftTab);
    assert_eq!(page.focus(), "textbox \"Your name\"");
    page.press(Key::Tab);
    page.press(Key::Tab);
    page.press(Key::Space);
    assert!(page.field("Remind me").is_checked());
    page.press(Key::Tab);
    assert_eq!(page.focus(), "button \"Continue\"");
    page.press(Key::Enter);
    page.button("Confirm").wait();
}

#[test]
fn window_is_resized_and_screenshot_taken() {
    let page = Page::open_for_screenshots(&format!("http://{}/", serve()));
    page.resize(700, 600);
    let width = page.run("return window.innerWidth", &[]);
    assert!(width.as_u64().is_some_and(|width| width <= 700), "{width}");
    let png = page.screenshot().expect("a picture");
    assert_eq!(&png[1..4], b"PNG");
}

#[test]
fn failure_report_contains_reason_page_text_and_screenshot() {
    let page = Page::open_for_screenshots(&format!("http://{}/", serve()));
    let page = std::panic::AssertUnwindSafe(&page);
    let outcome = std::panic::catch_unwind(|| page.fail("no reason"));
    let report = outcome.expect_err("a panic");
    let report = report.downcast_ref::<String>().expect("a message");
    for part in ["no reason", "| Pick a time", "picture: ", ".png"] {
        assert!(report.contains(part), "{report}");
    }
}

#[test]
fn fault_applies_to_its_requests_only() {
    let upstream = serve();
    let faults = Faults::before_address(&upstream);
    let client = Client::new(&faults.url(""));
    let fine = r#"{"status":"success","data":"fine"}"#;

    faults.next("GET", "/data", Fault::Status(409, "already booked"));
    let answer = client.get("/data");
    assert_eq!(answer.status, 409);
    assert_eq!(answer.json()["error"]["message"], "already booked");
    assert_eq!(client.get("/data").text, fine);

    faults.always("GET", "/data", Fault::HalfJson);
    let half = client.get("/data").text;
    assert!(fine.starts_with(&half) && half.len() < fine.len(), "{half}");
    faults.clear();
    faults.next("GET", "/data", Fault::Truncated);
    client
        .call("GET", "/data", None)
        .expect_err("a broken connection");
    faults.next("GET", "/data", Fault::Drop);
    client.call("GET", "/data", None).expect_err("no answer");
    faults.next("GET", "/data", Fault::Html);
    assert!(client.get("/data").text.starts_with("<!doctype html>"));

    faults.next("GET", "/data", Fault::Hang);
    let waiting = thread::spawn(move || client.get("/data").text);
    while faults.hanging() == 0 {
        thread::yield_now();
    }
    faults.release();
    assert_eq!(waiting.join().expect("an answer"), fine);
    assert_eq!(faults.count("GET", "/data"), 7);
}

#[test]
fn strict_proxy_rejects_requests_unknown_to_the_cal_dialect() {
    let service = Service::start();
    let faults = Faults::strictly_before(&service);
    let client = Client::new(&faults.url("")).with_header("cal-api-version", "2024-06-14");
    let known = "/v2/event-types?username=ada&eventSlug=intro-call";
    assert_eq!(client.get(known).data()[0]["slug"], "intro-call");
    assert_eq!(faults.violations(), [""; 0]);

    let answer = client.get("/v2/event-types?slug=intro-call");
    assert_eq!(answer.status, 400);
    assert_eq!(answer.json()["error"]["code"], "BadRequestException");
    let answer = client
        .clone()
        .with_header("idempotency-key", "k")
        .get(known);
    assert_eq!(answer.status, 400);
    let body = json!({ "eventTypeId": 1 });
    assert_eq!(client.post("/v2/bookings", &body).status, 400);
    assert_eq!(client.get("/v2/me").status, 404);
    assert_eq!(client.get("/v2/event-types/1").status, 401);
    let violations = faults.violations();
    assert_eq!(violations.len(), 5, "{violations:#?}");
    assert!(
        violations[0].contains("query slug should not exist"),
        "{violations:#?}"
    );
    // Requests with an injected fault are checked, too; a test with unread violations fails.
    faults.next("GET", "/v2/slots", Fault::Status(500, "broken"));
    assert_eq!(client.get("/v2/slots").status, 400);
    let end = std::panic::AssertUnwindSafe(move || drop(faults));
    std::panic::catch_unwind(end).expect_err("an unread violation");
}

#[test]
fn page_receives_injected_faults() {
    let upstream = serve();
    let faults = Faults::before_address(&upstream);
    let page = Page::open(&faults.url("/"));
    faults.always("GET", "/data", Fault::HalfJson);
    page.button("Continue").click();
    page.button("Confirm").click();
    page.button("Yes").click();
    page.wait_for_text("The service does not answer.");
    faults.clear();
    page.button("Confirm").click();
    page.button("Yes").click();
    page.wait_for_text("The service says fine.");
}

/// Later tests reuse the browsers of earlier ones.
#[test]
fn reused_browser_has_no_state_of_the_previous_test() {
    let upstream = serve();
    let state = "return [document.cookie, sessionStorage.length, history.length, scrollY, \
                 window.name, String(navigator.webdriver), innerWidth]";
    let page = Page::open(&format!("http://{upstream}/"));
    let fresh = page.run(state, &[]);
    page.run(
        "document.cookie = 'left=behind'; sessionStorage.setItem('left', 'behind'); \
         history.pushState(null, '', '#left'); window.name = 'left'; \
         onbeforeunload = (event) => event.preventDefault(); \
         open('/'); console.error('left behind'); setTimeout(() => alert('left behind'), 0)",
        &[],
    );
    drop(page);
    let page = Page::open(&format!("http://{upstream}/"));
    assert_eq!(page.run(state, &[]), fresh);
    assert_eq!(page.console_errors(), [""; 0]);
    page.button("Continue").click();
    page.heading("Pick a time").wait();
}
