//! Elements in a popup: ways to open and close it, and the state of the page afterwards.

use serde_json::json;

use crate::common::{
    Faults, INTRO_CALL, Key, Page, Service, free_slots, open_page, select_slot, starting,
};

/// Script that records popup events, and the history states that a router of the page would get.
const RECORD_EVENTS: &str = r#"<script>
    window.events = [];
    window.poppedPages = [];
    addEventListener("popstate", (event) => poppedPages.push(event.state?.page));
    document.addEventListener("popup-opened", () => events.push("opened"));
    document.addEventListener("popup-closed", (event) => events.push("closed by " + event.detail.reason));
    history.replaceState({ page: "own" }, "");
  </script>
  <style>body { min-block-size: 300vh; padding-block-start: 10em }</style>"#;

fn page_body(element: &str) -> String {
    format!("<main><h1>Northwind</h1>{element}</main>")
}

/// Asserts that scrolling and history are restored.
#[track_caller]
fn assert_page_restored(page: &Page) {
    page.each("dialog").wait_gone();
    page.wait_until("the history to be the page's own", || {
        // A draft may be written after the popup is closed.
        let script = "const { bookingDrafts, ...own } = history.state; return own";
        page.run(script, &[]) == json!({ "page": "own" })
    });
    let script = "return [document.adoptedStyleSheets.length, scrollY, poppedPages.every((page) => page === 'own')]";
    assert_eq!(page.run(script, &[]), json!([0, 40, true]));
}

#[test]
fn popup_keeps_input_however_it_is_closed() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let popup = r#"<booking-picker placement="popup" username="ada" event-slug="intro-call">
        </booking-picker>"#;
    let page = open_page(&faults, RECORD_EVENTS, &page_body(popup));
    let open = page.button("Book a time");
    let dialog = page.role("dialog", "Book a time");
    open.wait();
    assert_eq!(
        faults.count("GET", "/v2/"),
        0,
        "no request before it is opened"
    );
    page.run("scrollTo(0, 40)", &[]);

    // By keyboard.
    page.press(Key::Tab);
    assert_eq!(page.focus(), r#"button "Book a time""#);
    page.press(Key::Enter);
    dialog.role("list", starting("Times on")).wait();
    let title = dialog.css(".name");
    assert!(title.has_focus(), "{}", page.focus());
    page.wait_until("the event's name", || title.read_text() == "Intro call");
    page.press(Key::Tab);
    assert_eq!(page.focus(), r#"button "Close""#);
    page.assert_accessible("an open popup");
    let script = "const element = document.scrollingElement; \
                  return [element.scrollTop, getComputedStyle(document.body).overflowY]";
    assert_eq!(page.run(script, &[]), json!([40, "hidden"]));
    page.press(Key::Escape);
    page.wait_for_event("closed by escape");
    assert_page_restored(&page);
    assert_eq!(page.focus(), r#"button "Book a time""#);

    // By mouse.
    let free = free_slots(&service, &page, INTRO_CALL)[0].clone();
    open.click();
    select_slot(&page, &dialog, &free);
    dialog.field("Your name").fill("Grace Hopper");
    dialog.button("Close").click();
    page.wait_for_event("closed by button");
    assert_page_restored(&page);

    // By the back button; the form still has its values.
    open.click();
    assert_eq!(dialog.field("Your name").value(), "Grace Hopper");
    page.back();
    page.wait_for_event("closed by back");
    assert_page_restored(&page);

    // By a click on the backdrop, by the page, and by removal of the element.
    page.run("document.querySelector('booking-picker').open()", &[]);
    dialog.wait();
    let script = "const dialog = document.querySelector('booking-picker').shadowRoot.querySelector('dialog'); \
                  dialog.dispatchEvent(new PointerEvent('pointerdown')); dialog.click()";
    page.run(script, &[]);
    page.wait_for_event("closed by backdrop");
    assert_page_restored(&page);
    // Reopened at once: the history is still navigating back.
    page.run(
        "const picker = document.querySelector('booking-picker'); \
         picker.open(); picker.close(); picker.open()",
        &[],
    );
    dialog.wait();
    assert_eq!(dialog.field("Your name").value(), "Grace Hopper");
    page.wait_for_event("closed by script");
    page.run("document.querySelector('booking-picker').remove()", &[]);
    assert_page_restored(&page);
    page.assert_no_errors();
}

#[test]
fn links_and_floating_buttons_open_popups() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let floating = r#"<booking-picker placement="floating" username="ada" event-slug="intro-call">
        </booking-picker>"#;
    let page = open_page(&faults, RECORD_EVENTS, &page_body(floating));
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
    page.wait_for_event("closed by button");
    assert_eq!(page.focus(), r#"link "Book a review""#);
    // A page that hides the element, by a media query for example, does not stay inert.
    link.click();
    dialog.wait();
    page.run(
        "document.querySelector('[data-opened-by]').hidden = true",
        &[],
    );
    page.wait_for_event("closed by script");
    page.run(
        "document.querySelector('[data-opened-by]').hidden = false",
        &[],
    );
    dialog.wait_gone();
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
    page.assert_no_errors();
    page.run("delete window.WebAssembly", &[]);
    link.click();
    page.wait_until("the link to be followed", || {
        page.address().ends_with("/embed/demo.html")
    });
}

#[test]
fn removed_popup_keeps_scroll_focus_and_history_of_a_new_route() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let popup = r#"<a id="home" href="/embed/demo.css">Home</a>
        <booking-picker placement="popup" username="ada" event-slug="intro-call"></booking-picker>
        <h2 id="headline" tabindex="-1">News</h2>"#;
    let page = open_page(&faults, RECORD_EVENTS, &page_body(popup));
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
    page.wait_until("the dialog to be removed", || {
        page.run("return document.adoptedStyleSheets.length", &[]) == 0
    });
    page.wait_for_quiet();
    let script =
        "return [scrollY, document.activeElement.id, history.state.page, location.pathname]";
    assert_eq!(
        page.run(script, &[]),
        json!([300, "headline", "other", "/other.html"])
    );
    page.assert_no_errors();
}

#[test]
fn popup_follows_right_to_left_pages() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let elements = r#"<div dir="rtl"><booking-picker username="ada" event-slug="intro-call"></booking-picker>
        <booking-picker placement="popup" username="ada" event-slug="intro-call"></booking-picker></div>"#;
    let page = open_page(&faults, RECORD_EVENTS, &page_body(elements));
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
    page.assert_no_errors();
}
