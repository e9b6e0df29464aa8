//! Loader: its work before the WebAssembly module is ready, and without one.

use std::fs;

use crate::common::{
    Engine, Fault, Faults, INTRO_CALL, INTRO_CALL_PICKER, Key, Page, Service, embed_folder,
    fill_in, free_slots, open_page, picker_files, select_slot, starting,
};
use serde_json::{Value, json};

const MODULE: &str = "/embed/picker_bg-";
const SCRIPT: &str = "/embed/picker-";

/// Script that records the codes of `booking-error`.
const RECORD_ERRORS: &str = "<script>window.events = []; document.addEventListener('booking-error', \
                    (event) => events.push(event.detail.code));</script>";

/// Returns a picker whose light DOM content is a link.
fn picker_with_link(attributes: &str) -> String {
    format!(
        "<booking-picker username='ada' event-slug='intro-call' {attributes}>\
         <a href='/ada/intro-call'>Our page</a></booking-picker>"
    )
}

/// Returns width and height of the picker's outermost box.
fn size(page: &Page) -> (f64, f64) {
    let script = "const root = document.querySelector('booking-picker').shadowRoot; \
                  const box = (root.querySelector('.card') ?? root.firstElementChild) \
                    .getBoundingClientRect(); \
                  return [box.width, box.height]";
    let size = page.run(script, &[]);
    let number = |index: usize| size[index].as_f64().expect("a number");
    (number(0), number(1))
}

#[test]
fn skeleton_matches_the_view_and_early_requests_are_used() {
    let service = Service::start();
    // Weeks from Sunday, Monday and Saturday, digits of another script, and right to left.
    for (width, language) in [(1200, "en-US"), (800, "de"), (500, "ar-EG"), (400, "pt-BR")] {
        // A new origin each time: browsers cache files that have loaded.
        let faults = Faults::before(&service);
        faults.always("GET", MODULE, Fault::Hang);
        // The number of slots left depends on the time of day.
        faults.rewrite("/v2/slots", |answer| {
            let days = answer["data"].as_object_mut().expect("days");
            let today = days.keys().next().cloned().expect("a day");
            days.remove(&today);
            for (day, slots) in days {
                let start = |half: u32| {
                    let minute = if half.is_multiple_of(2) { 0 } else { 30 };
                    json!({ "start": format!("{day}T{:02}:{minute:02}:00.000Z", half / 2) })
                };
                *slots = (16..32).map(start).collect();
            }
        });
        let body = format!(
            "<div style='width: {width}px'>{}</div>",
            picker_with_link(&format!("lang='{language}'"))
        );
        let page = open_page(&faults, RECORD_ERRORS, &body);
        page.css("[part=skeleton]").wait();
        let texts = |selectors: [&str; 3]| {
            let script = "const root = document.querySelector('booking-picker').shadowRoot; \
                          return [...arguments[0]].map((each) => [...root.querySelectorAll(each)] \
                            .map((found) => found.textContent.trim()).filter(Boolean).join(' '))";
            page.run(script, &[json!(selectors)])
        };
        let month = texts(["a > b", "em", "a > :not(b, em)"]);
        let direction = "return getComputedStyle(document.querySelector('booking-picker').shadowRoot.firstElementChild).direction";
        let direction_before = page.run(direction, &[]);
        page.wait_until("the early requests", || {
            faults.count("GET", "/v2/slots") > 0
        });
        assert!(
            !page.link("Our page").exists(),
            "the skeleton replaces the light DOM"
        );
        let (wide, high) = size(&page);
        assert_eq!(
            faults.count("GET", "/v2/"),
            2,
            "{:?}",
            faults.seen("GET", "/v2/")
        );
        faults.clear();
        faults.release();
        page.css(".times").wait();
        assert_eq!(
            month,
            texts([".picker-title", ".calendar-grid th", ".calendar-grid td"]),
            "{language}"
        );
        assert_eq!(direction_before, page.run(direction, &[]), "{language}");
        let (wide_then, high_then) = size(&page);
        assert!(
            (wide - wide_then).abs() < 1.0,
            "{width}: {wide} became {wide_then}"
        );
        // Side by side, the height does not depend on the text; stacked, it does.
        let slack = if width == 1200 { 1.0 } else { 90.0 };
        assert!(
            (high - high_then).abs() <= slack,
            "{width}: {high} became {high_then}"
        );
        // Both early responses were used: neither request was repeated.
        assert_eq!(
            faults.count("GET", "/v2/"),
            2,
            "{:?}",
            faults.seen("GET", "/v2/")
        );
        page.assert_no_errors();
    }
}

/// Languages and zones of the first slots: both hour cycles, digits of other scripts, zones half an hour off.
const VISITORS: [(&str, &str); 14] = [
    ("en-US", "America/New_York"),
    ("en-GB", "Europe/London"),
    ("ar-EG", "Africa/Cairo"),
    ("de-AT", "Europe/Vienna"),
    ("es-MX", "America/Mexico_City"),
    ("fr-CA", "America/St_Johns"),
    ("he", "Asia/Jerusalem"),
    ("hi-IN", "Asia/Kolkata"),
    ("ja", "Asia/Tokyo"),
    ("nl", "Pacific/Chatham"),
    ("pl", "Europe/Warsaw"),
    ("pt-BR", "America/Sao_Paulo"),
    ("tr", "Europe/Istanbul"),
    ("zh-CN", "Asia/Shanghai"),
];

/// Script that returns title, day, slots, days with slots and the selected day; from a skeleton or a view. The last two are
/// positions in the month.
const SHOWN_SLOTS: &str = "\
    const root = document.querySelector('booking-picker').shadowRoot; \
    const all = (selector) => [...root.querySelectorAll(selector)]; \
    const texts = (selector) => all(selector).map((found) => found.textContent); \
    const isSkeleton = !!root.querySelector('[part=skeleton]'); \
    const cells = all(isSkeleton ? 'a > :not(b, em)' : '.calendar-grid td'); \
    const positions = (matches) => cells.flatMap((cell, index) => matches(cell) ? [index] : []); \
    return isSkeleton \
      ? [texts('a > b'), texts('span > b'), texts('[part=slot]'), \
         positions((cell) => cell.localName === 'button'), positions((cell) => cell.matches('[aria-current]'))] \
      : [texts('.picker-title'), texts('.times-title'), all('.time-text').filter((found) => found.offsetParent).map((found) => found.textContent).slice(0, 40), \
         positions((cell) => cell.querySelector('.day:not([aria-disabled])')), \
         positions((cell) => cell.matches('[aria-selected=true]'))];";

#[test]
fn first_slots_in_the_skeleton_are_those_of_the_view() {
    let service = Service::start();
    for (language, zone) in VISITORS {
        let faults = Faults::before(&service);
        faults.always("GET", MODULE, Fault::Hang);
        let body = picker_with_link(&format!("lang='{language}' time-zone='{zone}'"));
        let page = open_page(&faults, "", &body);
        page.css("[part=skeleton] [part=slot]").first().wait();
        let in_skeleton = page.run(SHOWN_SLOTS, &[]);
        faults.clear();
        faults.release();
        page.css(".times").wait();
        assert_eq!(in_skeleton, page.run(SHOWN_SLOTS, &[]), "{language} {zone}");
        page.assert_no_errors();
    }
}

#[test]
fn first_slots_are_where_the_view_has_them() {
    let service = Service::start();
    let positions = "const root = document.querySelector('booking-picker').shadowRoot; \
        const at = (selector) => { const box = root.querySelector(selector).getBoundingClientRect(); \
          return [box.left, box.top, box.width, box.height]; }; \
        return root.querySelector('[part=skeleton]') \
          ? [at('[part=slot]'), at('[part=day][aria-current]')] : [at('.time'), at('td[aria-selected=true] .day')]";
    for width in [1200, 900, 700] {
        let faults = Faults::before(&service);
        faults.always("GET", MODULE, Fault::Hang);
        let body = format!(
            "<div style='width: {width}px'>{}</div>",
            picker_with_link("")
        );
        let page = open_page(&faults, "", &body);
        page.css("[part=skeleton] [part=slot]").first().wait();
        let in_skeleton = page.run(positions, &[]);
        faults.clear();
        faults.release();
        page.css(".times").wait();
        let in_view = page.run(positions, &[]);
        for (skeleton, view) in [0, 1].map(|index| (&in_skeleton[index], &in_view[index])) {
            for side in 0..4 {
                let distance = skeleton[side].as_f64().unwrap() - view[side].as_f64().unwrap();
                assert!(distance.abs() <= 8.0, "{width}: {in_skeleton} {in_view}");
            }
        }
    }
}

#[test]
fn view_waits_for_a_slot_that_is_held_down_and_has_all_slots_then() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.always("GET", MODULE, Fault::Hang);
    // More slots than are rendered in one frame.
    faults.rewrite("/v2/slots", |answer| {
        for (date, slots) in answer["data"].as_object_mut().into_iter().flatten() {
            let start = |quarter| {
                let (hour, minute) = (quarter / 4, quarter % 4 * 15);
                json!({ "start": format!("{date}T{hour:02}:{minute:02}:00.000Z") })
            };
            *slots = (28..88).map(start).collect();
        }
    });
    let page = open_page(&faults, "", INTRO_CALL_PICKER);
    page.css("[part=skeleton] [part=slot]").first().wait();
    let hold = "const root = document.querySelector('booking-picker').shadowRoot; \
                root.querySelector('[part=slot]').dispatchEvent(new PointerEvent('pointerdown', { bubbles: true }))";
    page.run(hold, &[]);
    faults.release();
    // Requested just before the first rendering.
    page.wait_until("the form's chunk", || {
        faults.count("GET", "/embed/picker_form-") > 0
    });
    let frames =
        "for (let count = 0; count < 60; count++) await new Promise(requestAnimationFrame)";
    page.run(&format!("return (async () => {{ {frames} }})()"), &[]);
    assert!(page.css("[part=skeleton]").exists());
    page.run("document.dispatchEvent(new PointerEvent('pointerup'))", &[]);
    page.css(".times").wait();
    page.wait_until("all slots", || page.css(".time").count() == 60);
    page.assert_no_errors();
}

#[test]
fn click_on_a_first_slot_or_day_is_repeated_in_the_view() {
    let service = Service::start();
    let open = |attributes: &str| {
        let faults = Faults::before(&service);
        faults.always("GET", MODULE, Fault::Hang);
        let body = format!("<main><h1>Book</h1>{}</main>", picker_with_link(attributes));
        let page = open_page(&faults, RECORD_ERRORS, &body);
        page.css("[part=skeleton] [part=slot]").first().wait();
        (faults, page)
    };
    let start = |faults: &Faults| {
        faults.clear();
        faults.release();
    };

    // The last of two presses counts.
    let (faults, page) = open("");
    let day = page.css("[part=skeleton] span > b").read_text();
    page.css("[part=skeleton] [part=slot]").nth(2).click();
    let slot = page.css("[part=skeleton] [part=slot]").nth(1);
    let time = slot.read_text();
    slot.click();
    let pressed = page.css("[part=skeleton] [aria-pressed=true]");
    assert_eq!(pressed.read_text(), time);
    page.assert_accessible("first slots");
    start(&faults);
    page.wait_for_text("Held for you");
    let summary = page.css(".flow-summary").read_text();
    assert!(summary.contains(&time), "{day} {time}: {summary}");
    page.assert_no_errors();

    // Another day.
    let (faults, page) = open("");
    let days = "[part=skeleton] [part=day]";
    let day = page.css(days).nth(1);
    let number = day.read_text();
    day.click();
    start(&faults);
    page.css(".times").wait();
    page.wait_until("the other day", || {
        page.css("td[aria-selected=true]").read_text() == number
    });

    // The focus stays, and nothing is pressed.
    let (faults, page) = open("step-mode='confirm'");
    let focus = "document.querySelector('booking-picker').shadowRoot.querySelectorAll('[part=slot]')[1].focus()";
    page.run(focus, &[]);
    start(&faults);
    page.css(".times").wait();
    let focused = "return document.querySelector('booking-picker').shadowRoot.activeElement?.matches('.times > :nth-child(3) > .time')";
    page.wait_until("the focus", || page.run(focused, &[]) == json!(true));
    assert!(!page.css(".time[aria-pressed]").exists());

    // The page's own content does not replace the slots.
    let faults = Faults::before(&service);
    faults.always("GET", MODULE, Fault::Hang);
    // Timers of eight seconds take two.
    let hurry = "<script>{ const real = setTimeout; window.setTimeout = (work, ms, ...rest) => \
                 real(work, ms === 8000 ? 2000 : ms, ...rest); }</script>";
    let page = open_page(&faults, hurry, &picker_with_link(""));
    page.css("[part=skeleton] [part=slot]").first().wait();
    std::thread::sleep(std::time::Duration::from_millis(2200));
    assert!(!page.link("Our page").exists());
    page.css("[part=skeleton] [part=slot]").first().click();
    start(&faults);
    page.wait_for_text("Held for you");

    // Slots of an earlier time zone disappear, and with them the press.
    let (faults, page) = open("");
    page.css("[part=skeleton] [part=slot]").first().click();
    page.run(
        "document.querySelector('booking-picker').setAttribute('time-zone', 'Asia/Tokyo')",
        &[],
    );
    assert!(!page.css("[part=slot]").exists());
    start(&faults);
    page.css(".times").wait();
    page.wait_for_quiet();
    assert!(!page.css("form").exists());
    page.assert_no_errors();
}

#[test]
fn first_slots_of_the_service_s_own_page_are_continued_by_the_app() {
    let service = Service::start();
    for path in ["/ada/intro-call", "/event/1", "/ada/intro-call?lang=de"] {
        let faults = Faults::before(&service);
        faults.always("GET", "/app_bg.wasm", Fault::Hang);
        let page = Page::open(&faults.url(path));
        page.record_errors();
        let slot = page.css("[part=skeleton] [part=slot]").nth(1);
        slot.wait();
        let time = slot.read_text();
        slot.click();
        faults.clear();
        faults.release();
        page.css(".form-title").wait();
        let summary = page.css(".flow-summary").read_text();
        assert!(summary.contains(&time), "{path} {time}: {summary}");
        assert_eq!(faults.count("GET", "/v2/event-types"), 1, "{path}");
        assert!(!page.css("[part=skeleton]").exists());
        page.assert_no_errors();
    }

    // Other steps, screens and owners show no slots.
    let faults = Faults::before(&service);
    faults.always("GET", "/app_bg.wasm", Fault::Hang);
    let page = Page::open("about:blank");
    for path in [
        "/ada/intro-call?view=week",
        "/ada",
        "/bookings",
        "/booking/x",
        "/%ff/x",
    ] {
        page.go(&faults.url(path));
        page.css(".page-wait, .page-start").wait();
        page.wait_for_quiet();
        assert_eq!(faults.count("GET", "/v2/"), 0, "{path}");
    }
}

#[test]
fn app_waits_for_a_slot_that_is_held_down() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.always("GET", "/app_bg.wasm", Fault::Hang);
    let page = Page::open(&faults.url("/ada/intro-call"));
    page.record_errors();
    page.css("[part=skeleton] [part=slot]").first().wait();
    let hold = "const slot = document.querySelector('.page-start').shadowRoot.querySelector('[part=slot]'); \
                slot.dispatchEvent(new PointerEvent('pointerdown', { bubbles: true })); window.slot = slot; \
                document.getElementById('app').addEventListener('booking-mount', () => window.isMounted = true)";
    page.run(hold, &[]);
    faults.release();
    page.wait_until("the first rendering", || {
        page.run("return window.isMounted", &[]) == json!(true)
    });
    let frames =
        "for (let count = 0; count < 60; count++) await new Promise(requestAnimationFrame)";
    page.run(&format!("return (async () => {{ {frames} }})()"), &[]);
    assert!(page.css("[part=skeleton]").exists());
    page.run(
        "document.dispatchEvent(new PointerEvent('pointerup')); window.slot.click()",
        &[],
    );
    page.wait_for_text("Held for you");
    page.assert_no_errors();
}

#[test]
fn early_downloads_of_the_page_are_used_without_warnings() {
    let service = Service::start();
    let [script, module] = picker_files();
    let by_script = format!(
        "<script>const url = new URL('/embed/{module}', location).href; \
         window.bookingDownloads = {{ [url]: fetch(url) }}</script>"
    );
    let by_link = format!("<link rel='preload' href='/embed/{module}' as='fetch' crossorigin>");
    // WebKit downloads a preloaded file again.
    let heads = [
        Some(by_script),
        Some(by_link).filter(|_| Engine::of_test_run() != Engine::Webkit),
    ];
    for head in heads.into_iter().flatten() {
        let faults = Faults::before(&service);
        let head = format!("<link rel='modulepreload' href='/embed/{script}'>{head}");
        let page = open_page(&faults, &head, INTRO_CALL_PICKER);
        page.css(".time").first().wait();
        assert_eq!(
            faults.count("GET", &format!("/embed/{module}")),
            1,
            "{head}"
        );
        // Chromium reports an unused preload 3 s after the page has loaded.
        std::thread::sleep(std::time::Duration::from_secs(4));
        let console = page.console();
        assert!(
            !console.iter().any(|(_, text)| text.contains("preload")),
            "{head}: {console:?}"
        );
    }
}

#[test]
fn form_is_prepared_without_effects() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let head = "<script>window.said = []; window.events = []; \
                console.warn = (...words) => said.push(words.join(' ')); \
                for (const name of ['ready', 'draft-saved', 'form-changed', 'form-invalid', 'slot-reserved', \
                  'slot-selected']) document.addEventListener(`booking-${name}`, () => events.push(name)); \
                addEventListener('DOMContentLoaded', () => { \
                  document.querySelector('booking-picker').prefill = { nonsense: 'x', name: 'Grace' }; });</script>";
    let page = open_page(&faults, head, INTRO_CALL_PICKER);
    page.css(".time").first().wait();
    page.wait_until("the form's chunk", || {
        faults.count("GET", "/embed/picker_form-") == 1
    });
    // The preparation follows within a tenth of a second.
    std::thread::sleep(std::time::Duration::from_secs(1));
    let before = page.run("return [said, history.state, sessionStorage.length]", &[]);
    assert_eq!(before, json!([[], null, 0]));
    let events = "return events.filter((name) => name !== 'ready')";
    assert_eq!(page.run(events, &[]), json!([]));
    assert_eq!(faults.count("POST", "/v2/slots/reservations"), 0);
    page.css(".time").first().click();
    page.wait_for_text("Held for you");
    assert_eq!(page.field("Your name").value(), "Grace");
    let said = page.run("return said.length", &[]);
    assert_eq!(said, json!(1), "one warning about the unknown field");
    assert_eq!(faults.count("POST", "/v2/slots/reservations"), 1);
}

#[test]
fn early_response_is_not_used_for_another_query() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.always("GET", MODULE, Fault::Hang);
    let page = open_page(&faults, "", INTRO_CALL_PICKER);
    let slots = |name: &str| {
        let asked = faults.seen("GET", "/v2/slots");
        asked.iter().filter(|each| each.contains(name)).count()
    };
    page.wait_until("the early request", || slots("Europe%2FLondon") == 1);
    // Slots of other days are needed now.
    page.run(
        "document.querySelector('booking-picker').setAttribute('time-zone', 'Asia/Tokyo')",
        &[],
    );
    faults.clear();
    faults.release();
    page.button(starting("Time zone: Asia/Tokyo")).wait();
    page.role("list", starting("Times on")).wait();
    assert_eq!((slots("Europe%2FLondon"), slots("Asia%2FTokyo")), (1, 1));
    // A refresh queries the service.
    page.run("document.querySelector('booking-picker').refresh()", &[]);
    page.wait_until("another request", || slots("Asia%2FTokyo") == 2);
    page.assert_no_errors();

    // With a session the early public response is not used, only that for the session.
    let session = format!(
        "<script>document.querySelector('booking-picker').session = \
           {{ baseUrl: location.origin, token: '{}' }}</script>",
        service.demo_text("apiKey")
    );
    let before = faults.count("GET", "/v2/event-types");
    let page = open_page(&faults, "", &format!("{INTRO_CALL_PICKER}{session}"));
    page.role("list", starting("Times on")).wait();
    assert_eq!(faults.count("GET", "/v2/event-types"), before + 1);
}

#[test]
fn tampered_and_truncated_files_are_rejected() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let script = embed_file("picker-", ".js");
    let genuine = fs::read_to_string(&script.0).expect("the script");
    let body = format!("{RECORD_ERRORS}{}", picker_with_link(""));
    // A script with one more line, as a tampering proxy would inject it.
    let tampered = format!("window.tampered = true;\n{genuine}");
    let kind = ["Content-Type: text/javascript"];
    faults.page(&format!("/embed/{}", script.1), &kind, &tampered);
    let page = open_page(&faults, "", &body);
    page.wait_until("the rejected file", || {
        page.run("return events", &[]) == json!(["load-failed"])
    });
    page.link("Our page").wait();
    assert_eq!(page.run("return window.tampered", &[]), Value::Null);

    // The same line does run without an integrity check.
    page.run(
        "return import(arguments[0] + '?unchecked').then(() => null, () => null)",
        &[json!(format!("/embed/{}", script.1))],
    );
    page.wait_until("the script to run", || {
        page.run("return window.tampered", &[]) == json!(true)
    });

    // Truncated WebAssembly module.
    let faults = Faults::before(&service);
    faults.always("GET", MODULE, Fault::HalfJson);
    let page = open_page(&faults, "", &body);
    page.wait_until("the rejected file", || {
        page.run("return events", &[]) == json!(["load-failed"])
    });
    page.link("Our page").wait();

    // Without a link, the element shows the failure itself, and retries on a press.
    let body = format!("<main><h1>Book</h1>{INTRO_CALL_PICKER}</main>");
    let page = open_page(&faults, RECORD_ERRORS, &body);
    page.text("This could not be shown").wait();
    page.assert_accessible("not shown");
    faults.clear();
    page.button("Try again").click();
    page.role("list", starting("Times on")).wait();
}

#[test]
fn stalled_download_times_out_and_shows_the_light_dom() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.always("GET", MODULE, Fault::Hang);
    // Timers of eight seconds or more run twenty times as fast.
    let hurry = "<script>{ const real = setTimeout; window.setTimeout = (work, ms, ...rest) => \
                 real(work, ms >= 8000 ? ms / 20 : ms, ...rest); }</script>";
    let page = open_page(
        &faults,
        hurry,
        &format!("{RECORD_ERRORS}{}", picker_with_link("")),
    );
    page.link("Our page").wait();
    page.wait_until("the timeout", || {
        page.run("return events", &[]) == json!(["load-timeout"])
    });
    page.link("Our page").wait();
    // Another element does not wait for the first, which still hangs.
    faults.clear();
    page.run(
        "document.body.innerHTML = arguments[0]",
        &[json!(INTRO_CALL_PICKER)],
    );
    page.role("list", starting("Times on")).wait();
    assert_eq!(page.run("return events", &[]), json!(["load-timeout"]));
}

#[test]
fn load_attribute_controls_the_start() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let far = "<div style='height: 5000px'></div>";
    let body = format!(
        "{RECORD_ERRORS}{}{far}{INTRO_CALL_PICKER}",
        picker_with_link("load=manual")
    );
    let page = open_page(&faults, "", &body);
    page.wait_until("the elements", || {
        page.run("return !!customElements.get('booking-picker')", &[]) == json!(true)
    });
    page.link("Our page").wait();
    page.wait_for_quiet();
    assert_eq!(faults.count("GET", SCRIPT) + faults.count("GET", MODULE), 0);
    assert_eq!(faults.count("GET", "/v2/"), 0);

    // Preloads without showing anything.
    let preload = "return document.querySelector('booking-picker').preload().then(() => 'there')";
    assert_eq!(page.run(preload, &[]), json!("there"));
    assert_eq!(faults.count("GET", MODULE), 1);
    // WebKit fetches the script a second time, which is another request here.
    let scripts = faults.count("GET", SCRIPT);
    let most = if page.engine() == Engine::Webkit {
        3
    } else {
        1
    };
    assert!(scripts <= most, "{scripts}");
    page.link("Our page").wait();
    assert_eq!(faults.count("GET", "/v2/"), 0);

    // Almost in view.
    page.run("window.scrollTo(0, 4200)", &[]);
    let [first, second] = [0, 1].map(|place| page.css("booking-picker").nth(place));
    second.role("list", starting("Times on")).wait();
    assert!(page.link("Our page").exists());
    page.run("document.querySelector('booking-picker').start()", &[]);
    first.role("list", starting("Times on")).wait();
    assert_eq!(
        (faults.count("GET", SCRIPT), faults.count("GET", MODULE)),
        (scripts, 1),
        "loaded once for both"
    );

    // Interaction, idle, eager.
    page.run(
        "window.scrollTo(0, 0); document.body.innerHTML = arguments[0]",
        &[json!(picker_with_link("load=interaction"))],
    );
    // A window in the background does not dispatch focus events.
    page.run(
        "document.querySelector('a').dispatchEvent(new FocusEvent('focusin', { bubbles: true }))",
        &[],
    );
    page.role("list", starting("Times on")).wait();
    for load in ["idle", "eager", "nonsense"] {
        page.run(
            "document.body.innerHTML = arguments[0]",
            &[json!(picker_with_link(&format!("load={load}")))],
        );
        page.role("list", starting("Times on")).wait();
    }
    assert_eq!(page.run("return events", &[]), json!([]));
    page.assert_no_errors();
}

#[test]
fn attributes_are_available_as_properties() {
    let service = Service::start();
    let faults = Faults::before(&service);
    // Set before the class is defined, as frameworks do.
    let early = "<booking-picker></booking-picker><script>{ \
                 const picker = document.querySelector('booking-picker'); \
                 picker.username = 'ada'; picker.eventSlug = 'intro-call'; \
                 picker.timeZone = 'Asia/Tokyo'; picker.lockTimeZone = true; \
                 picker.prefill = { name: 'Grace Hopper' }; }</script>";
    let page = open_page(&faults, "", early);
    page.role("list", starting("Times on")).wait();
    let script = "const picker = document.querySelector('booking-picker'); \
                  const before = [picker.getAttribute('time-zone'), picker.lockTimeZone, picker.dryRun, picker.view]; \
                  picker.lockTimeZone = false; picker.dryRun = true; picker.view = 'week'; \
                  picker.headingLevel = 3; picker.timeZone = null; \
                  return [...before, picker.outerHTML, picker.prefill.name]";
    assert_eq!(
        page.run(script, &[]),
        json!([
            "Asia/Tokyo",
            true,
            false,
            null,
            "<booking-picker username=\"ada\" event-slug=\"intro-call\" dry-run=\"\" view=\"week\" heading-level=\"3\"></booking-picker>",
            "Grace Hopper",
        ])
    );
    page.css("h3.summary-title").wait();
    // Created by script, and adopted by another document and back.
    let made = "const made = document.createElement('booking-picker'); \
                Object.assign(made, { username: 'ada', eventSlug: 'intro-call' }); \
                window.made = made; document.body.replaceChildren(made)";
    page.run(made, &[]);
    page.role("list", starting("Times on")).wait();
    let styled =
        "return getComputedStyle(made.shadowRoot.querySelector('.visually-hidden')).position";
    assert_eq!(page.run(styled, &[]), json!("absolute"));
    page.run(
        "const other = document.implementation.createHTMLDocument(''); \
         other.body.append(made); document.body.append(made)",
        &[],
    );
    page.role("list", starting("Times on")).wait();
    page.wait_until("its styles", || page.run(styled, &[]) == json!("absolute"));
    page.assert_no_errors();
}

/// Script that makes the next imported call of a module trap, once it is armed: no input makes the
/// modules trap.
pub(crate) const TRAPS: &str = "<script>{ \
    window.armed = false; \
    const trapping = (imports) => { for (const each of Object.keys(imports).filter((name) => name !== '__wasm_split').map((name) => imports[name])) \
      for (const [name, work] of Object.entries(each)) if (typeof work === 'function') \
        each[name] = (...values) => { \
          if (window.armed) { window.armed = false; throw new WebAssembly.RuntimeError('unreachable'); } \
          return work(...values); }; \
      return imports; }; \
    for (const name of ['instantiate', 'instantiateStreaming']) { \
      const real = WebAssembly[name]; \
      WebAssembly[name] = (program, imports, ...rest) => real.call(WebAssembly, program, trapping(imports), ...rest); \
    } }</script>";

#[test]
fn trap_ends_only_its_own_view() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_page(
        &faults,
        TRAPS,
        &format!("{RECORD_ERRORS}{INTRO_CALL_PICKER}{INTRO_CALL_PICKER}"),
    );
    let [first, second] = [0, 1].map(|place| page.css("booking-picker").nth(place));
    first.role("list", starting("Times on")).wait();
    second.role("list", starting("Times on")).wait();
    page.run(
        "addEventListener('click', () => { window.armed = true; }, { capture: true, once: true })",
        &[],
    );
    first.button("Next month").click();
    first.text("This could not be shown").wait();
    page.wait_until("the event", || {
        page.run("return events[0]", &[]) == json!("crashed")
    });
    // The other one continues, or reports that it cannot: it never fails silently.
    page.run("return new Promise((done) => setTimeout(done, 500))", &[]);
    page.wait_until("the other element to respond", || {
        if second.text("This could not be shown").exists() {
            second.button("Try again").click();
            return second.role("list", starting("Times on")).exists();
        }
        true
    });
    let free = free_slots(&service, &page, INTRO_CALL)[0].clone();
    select_slot(&page, &second, &free);
    fill_in(&second);
    second.button("Confirm booking").click();
    second.heading(starting("You’re booked for")).wait();
    // The first restarts in a new instance.
    first.button("Try again").click();
    first.role("list", starting("Times on")).wait();
    // A method call of the page does not throw a trap of ours.
    let called = "window.armed = true; \
                  const before = document.querySelector('booking-picker'); \
                  before.refresh(); before.goTo('2027-01-01'); return 'fine'";
    assert_eq!(page.run(called, &[]), json!("fine"));
    first.button("Try again").click();
    first.role("list", starting("Times on")).wait();
}

#[test]
fn trap_during_mount_is_reported() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let body = format!("{RECORD_ERRORS}{INTRO_CALL_PICKER}<div id=late></div>");
    let page = open_page(&faults, TRAPS, &body);
    let first = page.css("booking-picker").first();
    first.role("list", starting("Times on")).wait();
    page.wait_for_quiet();
    // The trap is armed when the element's attributes are read, just before it mounts.
    let script = "const made = document.createElement('booking-picker'); \
                  made.innerHTML = '<a href=\"/ada/intro-call\">Our page</a>'; \
                  Object.assign(made, { load: 'eager', username: 'ada', eventSlug: 'intro-call' }); \
                  const { attributes } = made; \
                  Object.defineProperty(made, 'attributes', { get: () => (window.armed = true, attributes) }); \
                  late.append(made)";
    page.run(script, &[]);
    page.link("Our page").wait();
    page.wait_until("the event", || {
        page.run("return events[0]", &[]) == json!("load-failed")
    });
    page.run("return new Promise((done) => setTimeout(done, 500))", &[]);
    if first.text("This could not be shown").exists() {
        first.button("Try again").click();
        first.role("list", starting("Times on")).wait();
    }
    let free = free_slots(&service, &page, INTRO_CALL)[0].clone();
    select_slot(&page, &first, &free);
    // The next one starts in a new instance.
    page.run(
        "late.innerHTML = arguments[0]",
        &[json!(INTRO_CALL_PICKER.replace("></", " load=eager></"))],
    );
    let next = page.css("#late booking-picker");
    next.role("list", starting("Times on")).wait();
}

#[test]
fn trap_in_a_later_task_of_the_first_rendering_is_reported() {
    let service = Service::start();
    let faults = Faults::before(&service);
    // The first timer without delay that the WebAssembly starts is that of the next task.
    let script = "<script> \
        const timer = setTimeout; \
        window.isFirst = true; \
        window.setTimeout = (run, delay, ...others) => { \
          const isNext = window.isFirst && delay === 0 && /wasm/.test(new Error().stack); \
          if (!isNext) return timer(run, delay, ...others); \
          window.isFirst = false; \
          return timer(() => { window.armed = true; run(); }); \
        }; \
        </script>";
    let body = format!("{script}{RECORD_ERRORS}{INTRO_CALL_PICKER}");
    let page = open_page(&faults, TRAPS, &body);
    page.text("This could not be shown").wait();
    assert_eq!(
        page.run("return [events[0], window.isFirst]", &[]),
        json!(["crashed", false])
    );
    page.button("Try again").click();
    page.role("list", starting("Times on")).wait();
}

#[test]
fn load_interaction_starts_on_focus_and_keeps_it() {
    let service = Service::start();
    let faults = Faults::before(&service);
    // Nothing to interact with: starts once visible.
    let waits = |content: &str| {
        let element = INTRO_CALL_PICKER.replace("></", &format!(" load=interaction>{content}</"));
        format!("<main><h1>Book</h1>{element}</main>")
    };
    for content in ["", "Soon"] {
        let page = open_page(&faults, "", &waits(content));
        page.role("list", starting("Times on")).wait();
    }
    let page = open_page(
        &faults,
        "",
        &waits("<a href='/ada/intro-call'>Our page</a>"),
    );
    page.link("Our page").wait();
    page.press(Key::Tab);
    page.role("list", starting("Times on")).wait();
    let focused = "const picker = document.querySelector('booking-picker'); \
                   return [document.activeElement === picker, picker.shadowRoot.activeElement?.part.value]";
    page.wait_until("the view to have the focus", || {
        page.run(focused, &[]) == json!([true, "base"])
    });
    // The next Tab moves to the first control.
    page.press(Key::Tab);
    let inside = "const root = document.querySelector('booking-picker').shadowRoot; \
                  return root.activeElement === root.querySelector('button:not([disabled]), input')";
    page.wait_until("the first control to have the focus", || {
        page.run(inside, &[]) == json!(true)
    });
    page.assert_no_errors();

    // Also with the button of a popup.
    let body = waits("<a href='/ada/intro-call'>Our page</a>").replace("load=interaction", "");
    let hold = "<script>window.go = new Promise((done) => window.begin = done)</script>";
    let late = "<script type=module>await go; await import('/embed/embed.js')</script>";
    let html = format!(
        "<!doctype html><html lang=en-US><meta charset=utf-8><title>Late</title>{hold}{late}{}</html>",
        body.replace("<booking-picker", "<booking-picker placement=popup")
    );
    faults.page("/late.html", &[], &html);
    page.go(&faults.url("/late.html"));
    page.record_errors();
    page.link("Our page").wait();
    page.press(Key::Tab);
    page.run("begin()", &[]);
    page.button("Book a time").wait();
    page.wait_until("the button to have the focus", || {
        page.focus() == r#"button "Book a time""#
    });
    page.assert_no_errors();
}

/// Script that counts what is still running: intersection observers, timers by their lengths, and requests
/// that were not aborted.
const COUNT_RUNNING: &str = "<script>{ \
    window.watching = 0; \
    const Observer = IntersectionObserver; \
    window.IntersectionObserver = class extends Observer { \
      observe(each) { watching += 1; super.observe(each); } \
      disconnect() { watching -= 1; super.disconnect(); } }; \
    const timers = new Map(), [start, stop] = [setTimeout, clearTimeout]; \
    window.setTimeout = (work, ms, ...rest) => { \
      const timer = start(() => { timers.delete(timer); work(...rest); }, ms); \
      if (new Error().stack.includes('/embed/')) timers.set(timer, ms); \
      return timer; }; \
    window.clearTimeout = (timer) => { timers.delete(timer); stop(timer); }; \
    window.waiting = () => [1000, 8000, 30000].filter((ms) => [...timers.values()].includes(ms)); \
    window.signals = []; \
    const real = fetch; \
    window.fetch = (url, init) => { \
      if (String(url).includes('/v2/')) signals.push(init.signal); \
      return real(url, init); }; \
    window.open = () => signals.filter((signal) => !signal.aborted).length; \
    }</script>";

#[test]
fn element_removed_before_its_start_leaves_nothing_running() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let far = "<div style='height: 5000px'></div><main></main>";
    let page = open_page(&faults, COUNT_RUNNING, far);
    page.wait_until("the elements", || {
        page.run("return !!customElements.get('booking-picker')", &[]) == json!(true)
    });
    // Far below, removed and inserted several times: one observer.
    let script = "const main = document.querySelector('main'); \
                  main.innerHTML = arguments[0]; \
                  const { firstChild } = main; \
                  for (let count = 0; count < 5; count++) { firstChild.remove(); main.append(firstChild); }";
    page.run(script, &[json!(INTRO_CALL_PICKER)]);
    assert_eq!(page.run("return watching", &[]), json!(1));
    page.run("document.querySelector('booking-picker').remove()", &[]);
    page.wait_until("the observer to be disconnected", || {
        page.run("return watching", &[]) == 0
    });

    // While its module is loading.
    faults.always("GET", MODULE, Fault::Hang);
    faults.always("GET", "/v2/", Fault::Hang);
    let eager = json!(INTRO_CALL_PICKER.replace("></", " load=eager></"));
    let begin = "document.querySelector('main').innerHTML = arguments[0]";
    page.run(begin, &[eager]);
    page.wait_until("the first requests", || {
        page.run("return open()", &[]) == json!(2)
    });
    assert_eq!(page.run("return waiting()", &[]), json!([8000, 30000]));
    page.run("document.querySelector('booking-picker').remove()", &[]);
    page.wait_until("timers and requests to end", || {
        page.run("return [...waiting(), open()]", &[]) == json!([0])
    });

    // While its language is loading.
    faults.clear();
    faults.release();
    let sentences = "const names = performance.getEntriesByType('resource').map((each) => each.name); \
                     return names.some((name) => name.endsWith('/de.json'))";
    faults.always("GET", "/embed/lang-", Fault::Hang);
    let german = json!(INTRO_CALL_PICKER.replace("></", " load=eager lang=de></"));
    let script = "document.querySelector('main').innerHTML = arguments[0]; \
                  return (async () => { \
                    while (!waiting().includes(1000)) await new Promise((done) => setTimeout(done)); \
                    document.querySelector('booking-picker').remove(); \
                    await new Promise((done) => setTimeout(done)); \
                    return waiting(); })()";
    assert_eq!(page.run(script, &[german]), json!([]));
    assert_eq!(
        page.run(sentences, &[]),
        json!(false),
        "the translation is not loaded"
    );
    faults.clear();
    faults.release();
    page.assert_no_errors();
}

/// Finds a file of `dist/embed` by start and end of its name; returns path and name.
fn embed_file(start: &str, end: &str) -> (std::path::PathBuf, String) {
    let folder = embed_folder();
    let names = fs::read_dir(&folder)
        .expect("the files")
        .filter_map(Result::ok);
    let mut names = names.map(|entry| entry.file_name().to_string_lossy().into_owned());
    let name = names
        .find(|name| name.starts_with(start) && name.ends_with(end))
        .expect("such a file");
    (std::path::Path::new(&folder).join(&name), name)
}

#[test]
fn page_with_code_to_copy_has_code_that_works() {
    let service = Service::start();
    let snippets = Page::open(&service.url("/embed/snippet.html"));
    snippets.record_errors();
    snippets.button("Copy").nth(1).wait();
    let codes = "return [...document.querySelectorAll('pre')].map((code) => code.textContent)";
    let codes = snippets.run(codes, &[]);
    snippets.assert_no_errors();
    for code in codes.as_array().expect("codes") {
        let faults = Faults::before(&service);
        let code = code.as_str().expect("a text");
        assert!(!code.contains('%'), "{code}");
        // From the origin of this page, so that its requests are counted.
        let code = code.replace(&service.url(""), &faults.url(""));
        let html = format!("<!doctype html><meta charset='utf-8'><title>A page</title>{code}");
        faults.page("/copied.html", &[], &html);
        let page = Page::open(&faults.url("/copied.html"));
        page.record_errors();
        page.css(".time").first().wait();
        assert_eq!(faults.count("GET", MODULE), 1, "{code}");
        page.assert_no_errors();
    }
}
