//! The two frames of the app: pages of visitors show the host and no navigation of the team; the team's screens
//! have theirs.

use serde_json::json;

use crate::common::{
    Engine, Fault, Faults, INTRO_CALL, Key, Page, Service, booking_at, open_signed_in, starting,
};

/// Names of the links in the team's navigation, in a wide window.
const STAFF_LINKS: [&str; 4] = ["Bookings", "Team & roles", "Booking page", "Sign in"];

/// Script that returns the visible placeholders of the page.
const PLACEHOLDERS: &str = "return [...document.querySelectorAll('.page-wait, .page-start')] \
    .filter((each) => each.getClientRects().length).map((each) => each.className)";

#[test]
fn visitor_page_shows_the_host_and_no_staff_navigation() {
    let service = Service::start();
    let booking = format!("/booking/{}", booking_at(&service, INTRO_CALL, 0));
    let page = Page::open("about:blank");
    for (path, host) in [
        ("/ada", "Ada Brandt"),
        ("/ada/intro-call", "Ada Brandt"),
        ("/team/1", "Customer Success"),
        ("/team/1/design-review", "Customer Success"),
        ("/team/customer-success/design-review", "Customer Success"),
        ("/event/1", "Ada Brandt"),
        (booking.as_str(), "Ada Brandt"),
        ("/", "Booking"),
        ("/one/two/three/four", "Booking"),
    ] {
        page.go(&service.url(path));
        page.record_errors();
        let head = page.css(".public-head");
        head.wait();
        // A list of event types is headed by the host.
        page.wait_until(&format!("{host} above {path}"), || {
            head.read_text().contains(host) || page.heading(host).exists()
        });
        assert!(!page.each("navigation").exists(), "{path}");
        let frame_part = match path {
            "/" => ".public-head",
            _ => ".app-foot",
        };
        page.css(frame_part).role("link", "Sign in").wait();
        page.field("Language").wait();
        // The placeholder that the page shows while the program loads is gone.
        assert_eq!(page.run(PLACEHOLDERS, &[]), json!([]), "{path}");
        page.assert_no_errors();
    }
}

#[test]
fn placeholder_of_the_page_stays_hidden_below_an_error() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.always("GET", "/v2/event-types", Fault::Html);
    let page = Page::open(&faults.url("/ada/intro-call"));
    page.button("Try again").wait();
    assert_eq!(page.run(PLACEHOLDERS, &[]), json!([]));
}

#[test]
fn staff_navigation_is_used_by_keyboard() {
    let service = Service::start();
    let page = Page::open(&service.url("/bookings"));
    page.record_errors();
    let nav = page.role("navigation", "Screens");
    nav.wait();
    assert_eq!(nav.each("link").names(), STAFF_LINKS);
    if page.engine() == Engine::Webkit {
        // Safari moves the focus to links only with another setting.
        return;
    }
    page.run("document.activeElement.blur()", &[]);
    page.press(Key::Tab);
    page.wait_until("the focus on the link that skips the navigation", || {
        page.focus() == "link \"Skip to content\""
    });
    page.press(Key::Enter);
    page.wait_until("the focus on the content", || page.focus() == "main \"\"");
    page.press(Key::ShiftTab);
    page.wait_until("the focus on the last entry", || {
        page.focus() == "link \"Sign in\""
    });
    for _ in 1..STAFF_LINKS.len() {
        page.press(Key::ShiftTab);
    }
    page.wait_until("the focus on the first entry", || {
        page.focus() == "link \"Bookings\""
    });
    page.press(Key::Tab);
    page.press(Key::Enter);
    page.heading("Team & roles").wait();
    page.wait_for_text("Sign in to see roles");
    assert!(page.address().ends_with("/roles"), "{}", page.address());
    let title = page.run("return document.title", &[]);
    assert_eq!(title, json!("Team & roles · Booking"));
    page.assert_no_errors();
}

#[test]
fn staff_navigation_leads_to_the_booking_page_and_back() {
    let service = Service::start();
    let page = open_signed_in(&service.url("/sign-in"));
    // The pressed button is gone, here and after signing out; the content has the focus.
    let wait_for_focus =
        || page.wait_until("the focus on the content", || page.focus() == "main \"\"");
    wait_for_focus();
    page.link("Booking page").click();
    page.link(starting("Intro call")).wait();
    assert!(!page.each("navigation").exists());
    // The link that was followed is gone; the content has the focus.
    wait_for_focus();
    page.css(".public-head").role("link", "Bookings").click();
    page.css("tr.booking").first().wait();
    // The account has the name and the picture of who is signed in.
    page.resize(1280, 900);
    page.css(".nav-item-account .avatar img").wait();
    assert_eq!(page.css(".nav-detail").read_text(), "Sofia Marchetti");
    page.link(starting("Account")).click();
    page.wait_for_text("Demo account");
    page.css(".connected-person").wait();
    assert_eq!(page.css(".connected-person").read_text(), "Sofia Marchetti");
    page.button("Sign out").click();
    page.button("Use the demo account").wait();
    wait_for_focus();
    page.assert_no_errors();
}

#[test]
fn each_staff_screen_leads_to_each_other_and_to_the_booking_page() {
    let service = Service::start();
    let page = open_signed_in(&service.url("/sign-in"));
    page.resize(1280, 900);
    let names = ["Bookings", "Team & roles", "Account"];
    let wait_for_screen = |name: &str| match name {
        "Bookings" => page.css("tr.booking").first().wait(),
        "Team & roles" => page.button("New role").wait(),
        _ => page.button("Sign out").wait(),
    };
    let open = |name: &str| {
        page.link(starting(name)).click();
        wait_for_screen(name);
    };
    for from in names {
        for to in names.into_iter().filter(|to| *to != from) {
            open(from);
            open(to);
        }
        open(from);
        page.link("Booking page").click();
        page.link(starting("Intro call")).wait();
        page.back();
        wait_for_screen(from);
        page.assert_no_errors();
    }
}

#[test]
fn trap_of_the_app_offers_a_reload() {
    let service = Service::start();
    let faults = Faults::before(&service);
    // The app's page, with a script of its own that fails as the program would.
    let html = r#"<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title><div id="app"></div>
        <script>
          addEventListener("trap", () => { throw new WebAssembly.RuntimeError("unreachable"); });
        </script>
        <script type="module">
          import init from "/app.js";
          await init({ module_or_path: "/app_bg.wasm" });
        </script></html>"#;
    faults.page("/nobody.html", &[], html);
    let page = Page::open(&faults.url("/nobody.html"));
    page.heading("We can’t find this person").wait();
    page.run("dispatchEvent(new Event('trap'))", &[]);
    page.heading("Something went wrong on our side").wait();
    assert!(!page.heading("We can’t find this person").exists());
    page.link("Reload the page").click();
    page.heading("We can’t find this person").wait();
}

#[test]
fn sign_in_offers_the_demo_account_first_and_a_token_folded() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = Page::open(&faults.url("/connect"));
    page.record_errors();
    page.heading("Sign in").wait();
    page.button("Use the demo account").wait();
    page.wait_until("the path of the sign-in", || {
        page.address().ends_with("/sign-in")
    });
    assert!(!page.field("Access token or API key").exists());
    assert!(!page.field("Organisation ID").exists());
    assert!(!page.field("Client secret").exists());
    page.button("Use an access token").click();
    page.field("Access token or API key").wait();
    page.field("Organisation ID").wait();
    page.field("Client secret").wait();
    // The form waits for the demo account, which would move it.
    faults.always("GET", "/demo.json", Fault::Hang);
    page.go(&faults.url("/sign-in"));
    page.heading("Sign in").wait();
    page.wait_until("the request", || faults.hanging() > 0);
    assert!(!page.button("Use an access token").exists());
    faults.clear();
    faults.release();
    page.button("Use the demo account").wait();
    page.button("Use an access token").wait();
    // A service without a demo account shows the form at once.
    faults.always("GET", "/demo.json", Fault::Status(404, "none"));
    page.go(&faults.url("/sign-in"));
    page.field("Access token or API key").wait();
    assert!(!page.button("Use the demo account").exists());
}

#[test]
fn language_choice_changes_texts_direction_and_address_and_is_remembered() {
    let service = Service::start();
    let page = Page::open(&service.url("/ada/intro-call"));
    page.record_errors();
    page.heading("Intro call").wait();
    page.run("window.isSamePage = true", &[]);
    let language = || {
        page.run(
            "const { lang, dir } = document.documentElement; \
             return [lang, dir, getComputedStyle(document.getElementById('app').shadowRoot \
               .querySelector('.app-main')).direction, location.search, window.isSamePage ?? false]",
            &[],
        )
    };
    page.field("Language").choose("Deutsch");
    page.css(".app-foot").role("link", "Anmelden").wait();
    assert_eq!(language(), json!(["de", "ltr", "ltr", "?lang=de", true]));
    page.field("Sprache").choose("العربية");
    page.css(".app-foot").role("link", "تسجيل الدخول").wait();
    assert_eq!(language(), json!(["ar", "rtl", "rtl", "?lang=ar", true]));
    // In the tab, also without the address.
    page.go(&service.url("/ada"));
    page.css(".app-foot").role("link", "تسجيل الدخول").wait();
    // The address precedes it.
    page.go(&service.url("/ada?lang=en"));
    page.css(".app-foot").role("link", "Sign in").wait();
    assert_eq!(page.field("Language").value(), "en");

    // Beside a form, whose heading takes the focus at first, it does not take it from the choice.
    page.link(starting("Intro call")).click();
    page.css(".time").first().click();
    page.wait_until("the focus on the form", || {
        page.focus() == "heading \"Your details\""
    });
    page.field("Your name").fill("Grace Hopper");
    page.field("Language").choose("Deutsch");
    page.heading("Ihre Angaben").wait();
    page.wait_for_quiet();
    let title = page.run("return document.title", &[]);
    assert_eq!(title, json!("Intro call · Ada Brandt · Buchung"));
    // Firefox's driver takes the focus from a select whose option it has chosen.
    let expected = match page.engine() {
        Engine::Firefox => "nothing",
        _ => "combobox \"Sprache\"",
    };
    assert_eq!(page.focus(), expected);
    assert_eq!(page.field("Ihr Name").value(), "Grace Hopper");
}

#[test]
fn language_is_chosen_on_the_screen_of_the_account() {
    let service = Service::start();
    // A language of the address applies to the other screens too, which have none in theirs.
    let page = Page::open(&service.url("/ada?lang=de"));
    page.record_errors();
    page.css(".app-foot").role("link", "Anmelden").click();
    page.heading("Anmelden").wait();
    page.go(&service.url("/sign-in"));
    page.heading("Anmelden").wait();
    page.record_errors();
    // What was typed outlives the change.
    page.css("summary").click();
    page.css("#token").fill("typed");
    page.field("Sprache").choose("English");
    page.heading("Sign in").wait();
    page.field("Access token or API key")
        .wait_for_value("typed");
    page.link("Bookings").wait();
    page.button("Use the demo account").click();
    page.css("tr.booking").first().wait();
    page.link(starting("Account")).click();
    page.field("Language").choose("Deutsch");
    page.button("Abmelden").wait();
    page.link("Buchungen").click();
    page.heading("Buchungen").wait();
    page.assert_no_errors();
}

#[test]
fn unsaved_role_is_asked_about_before_its_screen_is_left() {
    let service = Service::start();
    let page = open_signed_in(&service.url("/sign-in"));
    page.link("Team & roles").click();
    page.button("Edit: Scheduler").click();
    page.field("Name").fill("Reception");
    // A step back leads to the list, which keeps the input.
    page.back();
    page.button("Edit: Scheduler").wait();
    page.wait_for_text("unsaved changes");
    let question = page.role("dialog", "Leave without saving?");
    page.link("Bookings").click();
    question.wait();
    page.button("Stay").click();
    question.wait_gone();
    page.button("Edit: Scheduler").wait();
    page.back();
    question.wait();
    assert!(page.address().ends_with("/roles"), "{}", page.address());
    page.button("Leave without saving").click();
    page.css("tr.booking").first().wait();

    // Nothing is asked after saving, which the row of the role shows.
    page.link("Team & roles").click();
    page.button("Edit: Scheduler").click();
    page.field("Name").fill("Reception");
    page.button("Save changes").click();
    page.button("Edit: Reception").wait();
    page.css(".role-saved").wait();
    page.link("Bookings").click();
    page.css("tr.booking").first().wait();
    page.assert_no_errors();
}

#[test]
fn organization_without_access_offers_no_roles() {
    let service = Service::start();
    let page = open_signed_in(&service.url("/sign-in"));
    page.link("Team & roles").click();
    page.button("New role").wait();
    page.link("Organisation").click();
    page.wait_for_text("You do not have access");
    page.button("New role").wait_gone();
    page.link("Organisation").wait_gone();
    page.link("Team").click();
    page.button("New role").wait();
    assert!(!page.link("Organisation").exists());
}

#[test]
fn unknown_event_type_offers_those_of_its_owner() {
    let service = Service::start();
    let page = Page::open(&service.url("/ada/no-such-event"));
    page.record_errors();
    page.heading("Ada Brandt offers these instead").wait();
    page.wait_for_text("This event isn’t available any more");
    page.link(starting("Intro call")).click();
    page.heading("Intro call").wait();
    assert!(
        page.address().ends_with("/ada/intro-call"),
        "{}",
        page.address()
    );
    page.go(&service.url("/team/1/no-such-event"));
    page.heading("Customer Success offers these instead").wait();
    // By name, and its links as well.
    page.go(&service.url("/team/customer-success/no-such-event"));
    page.heading("Customer Success offers these instead").wait();
    page.link("Customer Success").click();
    page.link(starting("Design review")).click();
    page.heading("Design review").wait();
    let path = "/team/customer-success/design-review";
    assert!(page.address().ends_with(path), "{}", page.address());
    page.go(&service.url("/event/4711"));
    page.wait_for_text("This event isn’t available any more");
    page.css(".public-head .app-brand").wait();
    page.link("Book a time").wait();
}

#[test]
fn unknown_owner_or_booking_leads_to_the_first_page() {
    let service = Service::start();
    let page = Page::open("about:blank");
    for (path, text) in [
        ("/nobody", "We can’t find this person"),
        ("/nobody/nothing", "We can’t find this person"),
        ("/team/4711", "Page not found"),
        ("/team/4711/nothing", "Page not found"),
        ("/team/nobody/nothing", "Page not found"),
    ] {
        page.go(&service.url(path));
        page.wait_for_text(text);
        page.css(".public-head .app-brand").wait();
        page.link("Book a time").click();
        page.link(starting("Intro call")).wait();
    }
    page.go(&service.url("/booking/nobody-knows-it"));
    page.wait_for_text("We can’t find this booking");
    page.wait_for_text("Are you one of the hosts?");
    page.css(".notice").role("link", "Sign in").click();
    page.heading("Sign in").wait();
    page.back();
    page.wait_for_text("Check that the whole link was copied");
    page.link("Book a time").click();
    page.link(starting("Intro call")).wait();
    page.go(&service.url("/one/two/three/four"));
    page.heading("Page not found").wait();
    page.link("Book a time").click();
    page.link(starting("Intro call")).wait();
    // A service that finds teams by id only.
    let faults = Faults::before(&service);
    let message = "Validation failed (numeric string is expected)";
    faults.always("GET", "/v2/teams/", Fault::Status(400, message));
    for path in ["/team/nobody", "/team/nobody/nothing"] {
        page.go(&faults.url(path));
        page.wait_for_text("Page not found");
    }
}
