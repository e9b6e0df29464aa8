//! Views are there before all of their program is. What is done with them meanwhile is done once it is.

use serde_json::json;

use super::loader::TRAPS;
use super::parts::{TEAM_PATH, open_staff};
use crate::common::{
    Engine, Fault, Faults, Key, Locator, Page, Service, free_times, open_page, starting,
};

/// The file with what no first view calls.
pub(super) const REST: &str = "/embed/picker_rest-";
/// The script of the program.
pub(super) const SCRIPT: &str = "/embed/picker-";
pub(super) const STAFF_REST: &str = "/embed/staff_rest-";
pub(super) const STAFF_SCRIPT: &str = "/embed/staff-";
/// What follows its address where a program begins anew.
const ANEW: &str = ".js?";
const SLOTS: &str = "/v2/slots";

const PICKER: &str = "<main><h1>Book</h1>\
    <booking-picker username=ada event-slug=intro-call></booking-picker></main>";

fn times(page: &Page) -> Locator<'_> {
    page.role("list", starting("Times on"))
}

/// Shows a picker whose program lacks the rest until `faults` release it.
fn open_early(faults: &Faults, head: &str) -> Page {
    faults.always("GET", REST, Fault::Hang);
    let page = open_page(faults, head, PICKER);
    page.watch();
    times(&page).wait();
    page.wait_until("the rest to be asked for", || {
        faults.count("GET", REST) == 1
    });
    page
}

pub(super) fn began_anew(faults: &Faults, script: &str) -> bool {
    let scripts = faults.seen("GET", script);
    assert_ne!(scripts, [""; 0]);
    scripts.iter().any(|script| script.contains(ANEW))
}

fn come(faults: &Faults) {
    faults.clear();
    faults.release();
}

#[test]
fn times_are_there_before_the_rest_and_a_press_waits_for_it() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_early(&faults, "");
    times(&page).each("button").first().click();
    // What a page says waits as well, and keeps its order.
    let says = "const picker = document.querySelector('booking-picker'); \
                picker.setAttribute('hour-cycle', 'h12'); picker.hourCycle = 'h23'; \
                return new Promise((done) => setTimeout(done, 300))";
    page.run(says, &[]);
    assert!(!page.heading("Your details").exists());
    come(&faults);
    page.heading("Your details").wait();
    page.wait_until("the last that was said", || {
        !page.shows("AM") && !page.shows("PM")
    });
    assert_eq!(faults.count("GET", SLOTS), 1, "nothing began anew");
    page.assert_sound();
}

#[test]
fn what_takes_long_is_told_before_the_rest_is_there() {
    let service = Service::start();
    for path in ["/v2/event-types", SLOTS] {
        let faults = Faults::before(&service);
        faults.always("GET", REST, Fault::Hang);
        faults.always("GET", path, Fault::Hang);
        let page = open_page(&faults, "", PICKER);
        page.watch();
        page.wait_for_text("This takes longer than usual…");
        assert!(!began_anew(&faults, SCRIPT), "{path}");
        come(&faults);
        times(&page).wait();
        assert!(!began_anew(&faults, SCRIPT), "{path}");
        page.assert_sound();
    }
}

#[test]
fn rows_that_take_long_do_not_begin_anew() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.always("GET", STAFF_REST, Fault::Hang);
    faults.always("GET", TEAM_PATH, Fault::Hang);
    let page = open_staff(&faults, "booking-list");
    page.wait_until("the rows to be awaited", || {
        faults.count("GET", TEAM_PATH) == 1
    });
    // Longer than it may take without a word.
    page.wait_until("six seconds", || {
        page.run("return performance.now() > 6000", &[]) == json!(true)
    });
    assert!(!began_anew(&faults, STAFF_SCRIPT));
    come(&faults);
    page.css("tr.booking").first().wait();
    assert!(!began_anew(&faults, STAFF_SCRIPT));
    page.assert_sound();
}

#[test]
fn keys_that_come_before_the_rest_move_when_it_is_there() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_early(&faults, "<style>body { height: 9000px }</style>");
    page.run(
        "const root = document.querySelector('booking-picker').shadowRoot; \
         root.querySelector('[role=grid] button[tabindex=\"0\"]').focus()",
        &[],
    );
    let before = page.focus();
    page.press(Key::Down);
    assert_eq!(page.focus(), before);
    assert_eq!(page.run("return scrollY", &[]), json!(0));
    come(&faults);
    page.wait_until("the focus to move", || page.focus() != before);
    page.assert_sound();
}

#[test]
fn a_page_steers_as_soon_as_the_view_is_ready() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_early(&faults, "");
    let free = &free_times(&service, &page, 1)[0];
    let steers = "const picker = document.querySelector('booking-picker'); \
                  const start = new Date(arguments[0]); \
                  return [picker.goTo(start), picker.goTo('soon'), picker.selectSlot(start)]";
    let answers = page.run(steers, &[json!(free.start.0)]);
    assert_eq!(answers, json!([true, false, true]));
    come(&faults);
    page.heading("Your details").wait();
    assert!(page.shows(&free.day), "{free:?}");
    page.assert_sound();
}

#[test]
fn a_rest_that_was_lost_is_fetched_again_when_it_is_needed_and_told_if_it_does_not_come() {
    let service = Service::start();
    for fault in [Fault::Drop, Fault::Status(404, "gone")] {
        let faults = Faults::before(&service);
        faults.always("GET", REST, fault);
        let page = open_page(&faults, "", PICKER);
        page.watch();
        times(&page).wait();
        page.wait_until("the rest to be lost", || faults.count("GET", REST) > 0);
        assert!(!page.shows("could not be shown"), "it is not needed yet");
        times(&page).each("button").first().click();
        page.wait_for_text("This could not be shown");
        faults.clear();
        page.button("Try again").click();
        times(&page).wait();
        times(&page).each("button").first().click();
        page.heading("Your details").wait();
    }
}

#[test]
fn what_is_called_too_early_begins_anew_when_everything_is_there() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.always("GET", REST, Fault::Hang);
    // As a function would that is in the rest: the program stops in the middle.
    let told = "<script>window.told = []; \
                addEventListener('booking-error', ({ detail }) => told.push(detail.code)); \
                addEventListener('ready', () => window.armed = true, { once: true })</script>";
    let page = open_page(&faults, &format!("{TRAPS}{told}"), PICKER);
    page.watch();
    page.wait_until("the program to be asked for again", || {
        page.run("return armed", &[]) == json!(false) && began_anew(&faults, SCRIPT)
    });
    come(&faults);
    times(&page).each("button").first().click();
    page.heading("Your details").wait();
    assert_eq!(page.run("return told", &[]), json!([]));
    page.assert_sound();
}

#[test]
fn a_rest_that_does_not_come_ends_nothing_but_what_needs_it() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.always("GET", REST, Fault::Drop);
    let page = open_page(&faults, "", &PICKER.repeat(3));
    page.watch();
    let pickers = [0, 1, 2].map(|place| page.css("booking-picker").nth(place));
    for picker in &pickers {
        picker.role("list", starting("Times on")).wait();
    }
    // One goes, one is pressed, one is looked at.
    page.run("document.querySelector('booking-picker').remove()", &[]);
    let [seen, pressed, _] = pickers;
    // What a page says to it, a swipe across it and a way through it by keys cannot be lost.
    let passes = "const seen = document.querySelector('booking-picker'); \
        const button = seen.shadowRoot.querySelector('button.time'); \
        seen.setAttribute('hour-cycle', 'h23'); \
        const given = { bubbles: true, composed: true, key: 'Tab' }; \
        button.dispatchEvent(new PointerEvent('pointerdown', given)); \
        button.dispatchEvent(new KeyboardEvent('keydown', given)); \
        return new Promise((done) => setTimeout(done, 500))";
    page.run(passes, &[]);
    assert!(seen.role("list", starting("Times on")).exists());
    // The pointer goes past the one that is looked at, which also moves when this one gets smaller.
    pressed.css("button.time").first().click();
    pressed.text("This could not be shown").wait();
    page.run("return new Promise((done) => setTimeout(done, 500))", &[]);
    assert!(seen.role("list", starting("Times on")).exists());
    faults.clear();
    // Comes a little later, without anybody asking.
    page.wait_until("what the page has said", || {
        !seen.css("button.time").first().read_text().contains('M')
    });
    pressed.button("Try again").click();
    pressed.role("list", starting("Times on")).wait();
    let times = seen.role("list", starting("Times on"));
    times.each("button").first().click();
    seen.heading("Your details").wait();
}

#[test]
fn browsers_that_clear_up_before_the_rest_end_nothing() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.always("GET", REST, Fault::Drop);
    let page = open_page(&faults, "", &PICKER.repeat(2));
    page.watch();
    let shown = page.css("booking-picker").nth(1);
    shown.role("list", starting("Times on")).wait();
    // Garbage until something goes that nobody knows: in WebKit within this time, in others perhaps later.
    let clears_up = "document.querySelector('booking-picker').remove(); \
        const later = (ms) => new Promise((done) => setTimeout(done, ms)); \
        return (async () => { \
          await later(300); \
          const unknown = new WeakRef({}); \
          for (let round = 0; unknown.deref() && round < 150; round++) { \
            window.kept = [new Array(500000).fill({ round }), new ArrayBuffer(3e7)]; \
            await later(10); \
          } \
          await later(500); \
          return !unknown.deref(); \
        })()";
    let has_cleared_up = page.run(clears_up, &[]) == json!(true);
    assert!(has_cleared_up || page.engine() != Engine::Webkit);
    let shown = page.css("booking-picker").first();
    assert!(shown.role("list", starting("Times on")).exists());
    assert!(!began_anew(&faults, SCRIPT));
    faults.clear();
    shown
        .role("list", starting("Times on"))
        .each("button")
        .first()
        .click();
    shown.heading("Your details").wait();
}

#[test]
fn a_press_is_noticed_and_waits_for_as_long_as_there_is_no_network() {
    let service = Service::start();
    let faults = Faults::before(&service);
    for path in [REST, "/embed/trouble"] {
        faults.always("GET", path, Fault::Drop);
    }
    let page = open_page(&faults, "", PICKER);
    page.watch();
    times(&page).wait();
    times(&page).each("button").first().click();
    page.wait_until("words that do not come", || {
        faults.count("GET", "/embed/trouble") > 0
    });
    let look = "return getComputedStyle(document.querySelector('booking-picker').shadowRoot\
                .querySelector('button.time')).opacity";
    page.wait_until("a paler button", || page.run(look, &[]) == json!("0.5"));
    faults.clear();
    page.heading("Your details").wait();
    assert_eq!(faults.count("GET", SLOTS), 1, "nothing began anew");
    // What was pressed looks as before when one comes back to it.
    page.button("Change time").click();
    times(&page).wait();
    assert_eq!(page.run(look, &[]), json!("1"));
}

#[test]
fn what_a_page_has_put_into_a_view_does_what_it_does() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let own = "<form slot=header onsubmit='event.preventDefault(); window.sent = event.isTrusted'>\
               <button>Ask us</button></form></booking-picker>";
    faults.always("GET", REST, Fault::Hang);
    let page = open_page(&faults, "", &PICKER.replace("</booking-picker>", own));
    page.watch();
    times(&page).wait();
    page.button("Ask us").click();
    page.wait_until("the page's form", || {
        page.run("return window.sent", &[]) == json!(true)
    });
    come(&faults);
    page.assert_sound();
}

#[test]
fn what_goes_before_the_rest_comes_is_gone_for_good() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let heard = "<script>window.heard = []; \
                 addEventListener('slot-selected', () => heard.push('selected'))</script>";
    let page = open_early(&faults, heard);
    times(&page).each("button").first().click();
    page.run("document.querySelector('booking-picker').destroy()", &[]);
    come(&faults);
    page.run("return new Promise((done) => setTimeout(done, 500))", &[]);
    assert_eq!(page.run("return heard", &[]), json!([]));
    page.assert_sound();
}

#[test]
fn a_session_that_comes_before_the_rest_is_taken_with_its_token() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_early(&faults, "");
    let says = "const picker = document.querySelector('booking-picker'); \
                picker.session = { baseUrl: location.origin, token: 'stale' }; \
                picker.setToken(arguments[0])";
    let key = service.demo_text("apiKey");
    page.run(says, &[json!(key)]);
    come(&faults);
    let bearers = || faults.headers("GET", "/v2/", "authorization");
    let right = format!("Bearer {key}");
    page.wait_until("a signed question", || bearers().contains(&right));
    times(&page).wait();
    // The first ones were asked before anybody was known.
    let wrong = bearers().into_iter();
    let wrong: Vec<String> = wrong
        .filter(|each| !each.is_empty() && *each != right)
        .collect();
    assert_eq!(wrong, [""; 0]);
    page.assert_sound();
}

#[test]
fn what_browsers_refuse_is_no_reason_to_begin_anew() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let zone = PICKER.replace(
        "event-slug",
        "time-zone=Mars/Base lang=xx-invalid event-slug",
    );
    let page = open_page(&faults, "", &zone);
    page.watch();
    times(&page).wait();
    times(&page).each("button").first().click();
    page.heading("Your details").wait();
    assert!(!began_anew(&faults, SCRIPT));
    page.assert_sound();
}
