//! Every screen at the width of a phone and with text of twice the size: nothing is cut off or overlaps, there are
//! no barriers, and the browser's console stays empty.

use std::cell::RefCell;

use serde_json::json;

use crate::common::{
    DESKTOP, Engine, Faults, Key, PHONE, Page, Service, select_first_slot, starting, wait_for_slots,
};

/// Widths of the viewport and font sizes, in CSS pixels.
const SIZES: [(u32, u32); 3] = [(320, 16), (PHONE.0, 32), (320, 32)];

/// Findings of a walk.
struct ScreenCheck<'page> {
    page: &'page Page,
    layout_problems: RefCell<Vec<String>>,
    barriers: RefCell<Vec<String>>,
    messages: RefCell<Vec<String>>,
}

impl ScreenCheck<'_> {
    /// Checks the layout of the current screen at every size, and its barriers at the first.
    #[track_caller]
    fn check_sizes(&self, screen: &str) {
        for (width, text) in SIZES {
            self.page.emulate_viewport((width, PHONE.1), text);
            let found = self.page.layout_problems().into_iter();
            let found =
                found.map(|misfit| format!("{screen}, {width} px, text {text} px: {misfit}"));
            self.layout_problems.borrow_mut().extend(found);
            if (width, text) == SIZES[0] {
                let found = self.page.barriers().into_iter();
                let found = found.map(|barrier| format!("{screen}: {barrier}"));
                self.barriers.borrow_mut().extend(found);
            }
        }
        self.page.emulate_viewport(DESKTOP, 16);
        self.collect_messages(screen);
    }

    /// Collects the new messages of the console.
    fn collect_messages(&self, screen: &str) {
        let entries = self.page.console().into_iter();
        let counts = |(level, message): &(String, String)| {
            ["SEVERE", "WARNING"].contains(&level.as_str()) || message.contains("[DOM]")
        };
        let messages_of_screen = entries.filter(counts);
        let messages_of_screen =
            messages_of_screen.map(|(level, message)| format!("{screen}: {level} {message}"));
        self.messages.borrow_mut().extend(messages_of_screen);
    }
}

/// Checks that head and foot of the visitors' pages are aligned with the content.
#[track_caller]
fn assert_public_frame(page: &Page) {
    page.css("a.host, .app-brand").wait();
    for width in [1600, 1280, 1000, 320] {
        page.emulate_viewport((width, PHONE.1), 16);
        page.wait_for_quiet();
        let script = "const find = (selector) => document.getElementById('app').shadowRoot.querySelector(selector); \
                      const edges = (selector) => { \
                        const { paddingInlineStart, paddingInlineEnd } = getComputedStyle(find(selector)); \
                        const { left, right } = find(selector).getBoundingClientRect(); \
                        return [Math.round(left + parseFloat(paddingInlineStart)), \
                          Math.round(right - parseFloat(paddingInlineEnd))]; \
                      }; \
                      const main = edges('.app-main').join(); \
                      return ['.public-head', '.app-foot'].filter((part) => edges(part).join() !== main)";
        assert_eq!(page.run(script, &[]), json!([]), "{width} px");
    }
    page.emulate_viewport(DESKTOP, 16);
}

/// Checks that the team's navigation is at the side of a wide window and at the lower edge of a narrow one, shows
/// the current link and, with larger text, all links, and covers no focused control.
#[track_caller]
fn assert_staff_frame(page: &Page) {
    page.css(".app-nav [aria-current]").wait();
    let measure = || {
        page.wait_for_quiet();
        let script = "const find = (selector) => document.getElementById('app').shadowRoot.querySelector(selector); \
                      const box = (selector) => find(selector).getBoundingClientRect(); \
                      const [head, link, main] = ['.staff-head', '.app-nav [aria-current]', '.app-main'].map(box); \
                      const isSide = head.left === 0 && head.right <= main.left && head.height === innerHeight; \
                      const isBar = Math.round(head.bottom) === innerHeight && head.height < 80 && head.width === innerWidth; \
                      return [isSide ? 'side' : isBar ? 'bar' : 'neither', \
                        link.left > head.left - 1 && link.right < head.right + 1, \
                        document.documentElement.scrollWidth <= innerWidth]";
        page.run(script, &[])
    };
    for (width, place) in [
        (1600, "side"),
        (1000, "side"),
        (999, "bar"),
        (PHONE.0, "bar"),
        (320, "bar"),
    ] {
        page.emulate_viewport((width, PHONE.1), 16);
        assert_eq!(measure(), json!([place, true, true]), "{width} px");
    }
    // Larger text: all links stay in view, with their whole names as long as these are shown.
    for (width, text) in [(PHONE.0, 24), (PHONE.0, 32), (320, 18), (320, 32)] {
        page.emulate_viewport((width, PHONE.1), text);
        page.wait_for_quiet();
        let script = "const bar = document.getElementById('app').shadowRoot.querySelector('.app-nav'); \
                      const links = [...bar.querySelectorAll('a')].filter((each) => each.checkVisibility()); \
                      return links.filter((each) => { \
                        const { left, right } = each.getBoundingClientRect(); \
                        const name = each.querySelector('.nav-name'); \
                        const isCut = name.clientWidth > 1 && name.scrollWidth > name.clientWidth + 1; \
                        return left >= 0 && right <= innerWidth && !isCut; \
                      }).length";
        assert_eq!(
            page.run(script, &[]),
            json!(4),
            "{width} px, text of {text} px"
        );
    }
    page.emulate_viewport((320, PHONE.1), 16);
    // The last control of the content scrolls clear of the bar.
    let focus = "const root = document.getElementById('app').shadowRoot; \
                 const controls = [...root.querySelectorAll('.app-main :is(a[href], button, input, select)')]; \
                 const last = controls.filter((each) => each.checkVisibility() && !each.disabled).pop(); \
                 last.focus(); \
                 return last.getBoundingClientRect().bottom <= root.querySelector('.staff-head').getBoundingClientRect().top";
    assert_eq!(page.run(focus, &[]), json!(true));
    page.emulate_viewport(DESKTOP, 16);
}

fn visitor(check: &ScreenCheck, url: &dyn Fn(&str) -> String) {
    let page = check.page;
    page.go(&url("/"));
    page.link(starting("Intro call")).wait();
    check.check_sizes("offers");
    assert_public_frame(page);
    page.go(&url("/one/two/three/four"));
    page.heading("Page not found").wait();
    check.check_sizes("not found");
    page.go(&url("/ada/no-such-event"));
    page.link(starting("Intro call")).wait();
    // The browser logs the response to the early request of its slots.
    let logged = page.console();
    assert!(
        logged
            .iter()
            .all(|(_, text)| text.contains("/v2/slots?") && text.contains("404")),
        "{logged:?}"
    );
    check.check_sizes("other event types");
    page.go(&url("/nobody"));
    page.link("Book a time").wait();
    check.check_sizes("unknown user");

    page.go(&url("/ada/consultation"));
    wait_for_slots(page);
    assert_public_frame(page);
    check.check_sizes("month");
    page.field("Week").click();
    wait_for_slots(page);
    check.check_sizes("week");
    page.field("Days").click();
    wait_for_slots(page);
    check.check_sizes("days");
    page.button(starting("Time zone:")).click();
    // Rendered in parts.
    page.wait_until("all zones", || page.css(".zone-option").count() > 400);
    check.check_sizes("zones");
    page.press(Key::Escape);

    page.go(&url("/team/1/onboarding"));
    select_first_slot(page);
    check.check_sizes("form");
    page.button("Continue").click();
    page.wait_for_text("answers missing");
    check.check_sizes("form with errors");

    page.go(&url("/team/1/site-visit"));
    select_first_slot(page);
    page.field("Your address").click();
    page.field("Full address").wait();
    check.check_sizes("locations");
    let places = "const find = (selector) => document.getElementById('app').shadowRoot.querySelector(selector); \
                  const detail = find('.place-detail'); \
                  const [row, next] = [detail.previousElementSibling, detail.nextElementSibling]; \
                  const box = (element) => element.getBoundingClientRect(); \
                  return [row.innerText.trim(), row.localName, next.localName, \
                    Math.abs(box(detail).left - box(row.querySelector('.choice-words')).left) < 1, \
                    Math.abs(box(detail).right - box(row.parentElement).right) < 1]";
    let found = page.run(places, &[]);
    assert_eq!(
        found,
        json!(["Your address", "label", "label", true, true]),
        "the field of a location is below it"
    );

    page.go(&url("/ada/intro-call"));
    select_first_slot(page);
    page.field("Your name").fill("Grace Hopper");
    page.field("Email address").fill("grace@example.org");
    page.button("Confirm booking").click();
    page.heading(starting("You’re booked for")).wait();
    check.check_sizes("confirmation");
    page.css("[part~=cancel]").click();
    page.heading("Cancel this booking?").wait();
    check.check_sizes("cancelling");
    page.button("Keep booking").click();
    page.css("[part~=reschedule]").click();
    page.css(".moving").wait();
    wait_for_slots(page);
    check.check_sizes("rescheduling");
}

fn staff(check: &ScreenCheck, url: &dyn Fn(&str) -> String) {
    let page = check.page;
    page.go(&url("/bookings"));
    page.link("Sign in").first().wait();
    check.check_sizes("bookings without an account");
    page.go(&url("/connect"));
    page.button("Use the demo account").wait();
    check.check_sizes("sign-in");
    assert_staff_frame(page);
    page.button("Use an access token").click();
    page.field("Access token or API key").wait();
    check.check_sizes("sign-in with a token");
    page.button("Use the demo account").click();
    let rows = page.css("tr.booking:not(.booking-ghost)");
    rows.first().wait();
    check.check_sizes("bookings");
    assert_staff_frame(page);
    // One at a time.
    for panel in ["View", "Saved views", "Filters"] {
        page.button(starting(panel)).click();
        check.check_sizes(panel);
    }
    page.button(starting("Filters")).click();
    page.button("Export").click();
    check.check_sizes("export");
    page.css(".booking-open").first().click();
    page.css(".details").wait();
    check.check_sizes("details");
    page.css(".booking-select input").nth(1).click();
    page.css("[part=selection] [data-act=cancel]").click();
    page.css(".bulk form").wait();
    check.check_sizes("acting on several");

    page.link("Team & roles").click();
    page.button("Scheduler").click();
    page.wait_for_text("View the whole team’s bookings");
    check.check_sizes("roles");
    for name in ["Admin", "Scheduler", "Integrations"] {
        page.field(format!("Select {name}").as_str()).click();
    }
    page.button("Compare").click();
    page.heading("Roles side by side").wait();
    check.check_sizes("roles compared");
    page.go(&url("/connect"));
    page.button("Use the demo account").click();
    page.link("Team & roles").click();
    page.button("Delete: Scheduler").click();
    page.wait_for_text("This cannot be undone");
    check.check_sizes("deleting a role");
    page.press(Key::Escape);
    page.button("New role").click();
    page.field("Name").wait();
    check.check_sizes("role editor");
    page.field("Individually").click();
    page.button("Create role").click();
    page.wait_for_text("Required");
    check.check_sizes("role editor with single permissions");
    page.link(starting("Account")).click();
    page.button("Sign out").wait();
    check.check_sizes("account");
}

/// Checks the elements, whose style sheets differ from those of the app.
fn elements(check: &ScreenCheck, service: &Service) {
    let page = check.page;
    let faults = Faults::before(service);
    let html = r#"<!doctype html><html lang="en-US"><meta charset="utf-8"><title>Somebody’s page</title>
        <link rel="icon" href="data:,"><meta name="viewport" content="width=device-width">
        <script type="module" src="/embed/embed.js"></script><body style="margin: 8px">
        <main><h1>Somebody’s page</h1>
        <booking-picker placement="popup" username="ada" event-slug="intro-call"></booking-picker>
        <booking-picker team-id="1" event-slug="site-visit"></booking-picker>
        <booking-picker username="ada"></booking-picker>
        <booking-list team-id="1" page-size="5" load="eager"></booking-list>
        <booking-roles org-id="1" team-id="1" load="eager"></booking-roles>
        </main>
        <script>
          const getToken = async () =>
            (await (await fetch("/demo/token", { method: "POST" })).json()).accessToken;
          for (const element of document.querySelectorAll("booking-list, booking-roles"))
            element.session = { baseUrl: location.origin, getToken };
        </script></body></html>"#;
    faults.page("/page.html", &[], html);
    page.go(&faults.url("/page.html"));
    page.button(starting("Intro call")).wait();
    page.css("tr.booking:not(.booking-ghost)").first().wait();
    page.css("li.role").first().wait();
    wait_for_slots(page);
    check.check_sizes("elements");
    let visit = page.css("booking-picker").nth(1);
    visit.role("list", starting("Times on")).first().wait();
    visit.css(".time").first().click();
    visit.field("Your address").click();
    page.css(".booking-open").first().click();
    page.css(".details").wait();
    page.button("Scheduler").click();
    visit.field("Full address").wait();
    check.check_sizes("elements in use");
    page.button("Book a time").click();
    page.button("Close").wait();
    wait_for_slots(page);
    check.check_sizes("popup");
    select_first_slot(page);
    check.check_sizes("form in a popup");
}

#[test]
fn app_and_element_have_the_same_typography() {
    let service = Service::start();
    let page = Page::open(&service.url("/"));
    let typography = |selector: &str| {
        page.css(selector).first().wait();
        let check_sizes = "const root = [...document.querySelectorAll('*')].map((host) => \
                      host.shadowRoot?.querySelector(arguments[0])).find(Boolean) ?? document.body; \
                    const { fontFamily, fontSize, lineHeight, color, direction } = getComputedStyle(root); \
                    return [fontFamily, fontSize, parseFloat(lineHeight).toFixed(1), color, direction]";
        page.run(check_sizes, &[json!(selector)])
    };
    let app = typography(".app");
    // Text of the page before the app starts, or without it.
    let page_itself = typography("body");
    page.go(&service.url("/embed/demo.html"));
    let element = typography(".base");
    assert_eq!(app, element);
    assert_eq!(page_itself, element);
    let family = element[0].as_str().unwrap_or_default();
    assert!(family.starts_with("system-ui"), "{element}");
    assert_eq!(element[1], "16px");
    assert_eq!(element[2], "24.0");
}

#[test]
fn every_screen_fits_a_narrow_window_without_barriers_and_logs_nothing() {
    let service = Service::start();
    let page = Page::open("about:blank");
    if page.engine() != Engine::Chromium {
        return;
    }
    let check = ScreenCheck {
        page: &page,
        layout_problems: RefCell::default(),
        barriers: RefCell::default(),
        messages: RefCell::default(),
    };
    page.emulate_viewport(DESKTOP, 16);
    let url = |path: &str| service.url(path);
    visitor(&check, &url);
    staff(&check, &url);
    elements(&check, &service);

    let layout_problems = check.layout_problems.into_inner();
    assert!(layout_problems.is_empty(), "{layout_problems:#?}");
    let barriers = check.barriers.into_inner();
    assert!(barriers.is_empty(), "{barriers:#?}");
    let messages = check.messages.into_inner();
    assert!(messages.is_empty(), "{messages:#?}");
}
