//! Layout shift over the whole booking flow, and main thread time of the most frequent actions of
//! visitors.

use crate::common::{
    Engine, Fault, Faults, PHONE, Page, Service, TEAM_BOOKINGS, now, open_page, starting,
    wait_for_slots,
};
use booking_wire::Instant;
use serde_json::{Value, json};

/// Maximum cumulative layout shift.
const MAX_SHIFT: f64 = 0.01;

/// Maximum main thread time of one action, in seconds of CPU time: other programs on the machine do
/// not count.
const MAX_ACTION: f64 = 0.05;

/// Script that sums up layout shifts from page load on.
const OBSERVER: &str = "<script>window.shift = 0; window.shifts = [];
    if (PerformanceObserver.supportedEntryTypes.includes('layout-shift')) {
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          if (entry.hadRecentInput) continue;
          window.shift += entry.value;
          for (const { node, previousRect: from, currentRect: to } of entry.sources) {
            const name = node?.className || node?.nodeName || 'removed';
            const text = node?.textContent.trim().slice(0, 30) ?? '';
            const rect = ({ x, y, width, height }) => [x, y, width, height].map(Math.round).join(' ');
            window.shifts.push([name, text, rect(from), rect(to)].join(', '));
          }
        }
      }).observe({ type: 'layout-shift', buffered: true });
    }</script>";

fn go(page: &Page, faults: &Faults, width: u32) {
    let html = format!(
        r#"<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title>{OBSERVER}
        <script type="module" src="/embed/embed.js"></script>
        <body style="margin: 0"><div style="inline-size: {width}px">
        <booking-picker username="ada" event-slug="intro-call"></booking-picker></div></body></html>"#
    );
    let path = format!("/page-{}.html", faults.count("GET", "/page-"));
    faults.page(&path, &[], &html);
    page.go(&faults.url(&path));
}

#[test]
fn booking_flow_has_no_layout_shift_at_any_width() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = Page::open("about:blank");
    for width in [280, 320, 480, 768, 1200] {
        go(&page, &faults, width);
        wait_for_slots(&page);
        page.wait_for_quiet();
        let at_rest = page.run("return window.shift", &[]);
        page.button("Next month").click();
        page.wait_for_quiet();
        wait_for_slots(&page);
        page.role("list", starting("Times on"))
            .each("button")
            .nth(1)
            .click();
        page.heading("Your details").wait();
        page.field("Your name").fill("Grace Hopper");
        page.field("Email address").fill("grace@example.org");
        page.button("Confirm booking").click();
        page.heading(starting("You’re booked for")).wait();
        page.wait_for_quiet();
        let shift = page.run("return [window.shift, window.shifts]", &[]);
        let total = shift[0].as_f64().expect("a number");
        assert!(
            total < MAX_SHIFT,
            "{width} px: {at_rest} at rest, then {shift}"
        );
        let sideways = "const page = document.scrollingElement; \
                        return page.scrollWidth - Math.max(page.clientWidth, arguments[0])";
        let sideways = page.run(sideways, &[json!(width)]);
        assert!(sideways.as_i64() <= Some(0), "{width} px: {sideways}");
    }
}

#[test]
fn footer_below_the_slots_does_not_shift_when_they_load() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = Page::open("about:blank");
    // The whole picker is in view, and its day has more times than the skeleton.
    page.resize(700, 1800);
    let slots = three_thousand().to_string();
    for width in [320, 480] {
        faults.page("/v2/slots", &[], &slots);
        faults.always("GET", "/v2/slots", Fault::Hang);
        go(&page, &faults, width);
        page.css(".day").first().wait();
        faults.clear();
        faults.release();
        wait_for_slots(&page);
        page.wait_for_quiet();
        let shift = page.run("return [window.shift, window.shifts]", &[]);
        let total = shift[0].as_f64().expect("a number");
        assert!(total < 0.001, "{width} px: {shift}");
    }
}

/// Style sheet that the documentation recommends to pages.
fn recommended_style() -> &'static str {
    let text = include_str!("../../docs/embedding.md");
    let mut blocks = text.split("```css").skip(1);
    let style = blocks.find_map(|block| {
        let (style, _) = block.split_once("```")?;
        style.contains(":not(:defined)").then_some(style)
    });
    style.expect("a style sheet for undefined elements")
}

/// Opens a page with all elements, which are defined after its first paint, and returns its layout shift.
fn shift_of_all_elements(page: &Page, faults: &Faults, style: &str) -> Value {
    let html = format!(
        r#"<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title>{OBSERVER}
        <meta name="viewport" content="width=device-width"><style>{style}</style>
        <script type="module">
          await new Promise((done) => requestAnimationFrame(() => setTimeout(done, 100)));
          await import("/embed/embed.js");
        </script>
        <body><h1>Our page</h1>
        <booking-picker username="ada" event-slug="intro-call"></booking-picker>
        <h2>Bookings</h2><booking-list team-id="1"></booking-list>
        <h2>Roles</h2><booking-roles team-id="1"></booking-roles><p>End of the page</p>
        <script>
          const getToken = async () =>
            (await (await fetch("/demo/token", {{ method: "POST" }})).json()).accessToken;
          const session = {{ baseUrl: location.origin, getToken }};
          for (const each of document.querySelectorAll("booking-list, booking-roles")) each.session = session;
        </script></body></html>"#
    );
    let path = format!("/page-{}.html", faults.count("GET", "/page-"));
    faults.page(&path, &[], &html);
    page.go(&faults.url(&path));
    wait_for_slots(page);
    page.css("tr.booking").first().wait();
    page.wait_for_quiet();
    page.run("return [window.shift, window.shifts]", &[])
}

#[test]
fn page_with_all_elements_and_the_recommended_style_does_not_shift() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = Page::open("about:blank");
    if page.engine() != Engine::Chromium {
        return;
    }
    for (width, height) in [PHONE, (1280, 900)] {
        page.emulate_viewport((width, height), 16);
        let total = |shift: &Value| shift[0].as_f64().expect("a number");
        let shift = shift_of_all_elements(&page, &faults, recommended_style());
        assert!(total(&shift) < 0.02, "{width} px: {shift}");
        // The measurement finds the shift that the style avoids.
        let shift = shift_of_all_elements(&page, &faults, "");
        assert!(total(&shift) > 0.02, "{width} px: {shift}");
    }
}

/// Returns a response with a hundred slots on each day of the next two months.
fn three_thousand() -> Value {
    let first = Instant(now().0 / 86_400_000 * 86_400_000);
    let mut days = json!({});
    for day in 1..60 {
        let midnight = first.plus_minutes(day * 1440);
        let slots =
            (0..100).map(|slot| json!({ "start": midnight.plus_minutes(slot * 10).to_string() }));
        let date = midnight.to_string();
        days[date.split('T').next().unwrap_or("")] = slots.collect();
    }
    json!({ "status": "success", "data": days })
}

/// Returns the main thread's total task time, in seconds.
fn main_thread_seconds(page: &Page) -> f64 {
    let metrics = page.devtools("Performance.getMetrics", json!({}));
    let metrics = metrics["metrics"].as_array().expect("metrics");
    let task = metrics
        .iter()
        .find(|metric| metric["name"] == "TaskDuration");
    task.and_then(|metric| metric["value"].as_f64())
        .expect("the time of tasks")
}

/// Returns the median main thread time of one of `actions` and the paint that follows.
fn cost(page: &Page, actions: &[&str]) -> f64 {
    let mut costs = Vec::new();
    for round in 0..9 {
        page.wait_for_quiet();
        let script = format!(
            "{}; return new Promise((done) => requestAnimationFrame(() => setTimeout(done)))",
            actions[round % actions.len()]
        );
        let before = main_thread_seconds(page);
        page.run(&script, &[]);
        costs.push(main_thread_seconds(page) - before);
    }
    costs.sort_by(f64::total_cmp);
    costs[costs.len() / 2]
}

/// Returns a script that clicks a button or choice of the picker by name.
fn press(name: &str) -> String {
    format!(
        "[...document.querySelector('booking-picker').shadowRoot.querySelectorAll('button, input')] \
         .find((each) => (each.ariaLabel ?? each.labels?.[0]?.textContent ?? each.textContent) \
           .trim() === '{name}').click()"
    )
}

fn set_zone(zone: &str) -> String {
    format!("document.querySelector('booking-picker').setAttribute('time-zone', '{zone}')")
}

/// Asserts that the cost of switching, with all responses cached, stays below `most` seconds, and prints it.
#[track_caller]
fn assert_cheap(page: &Page, what: &str, most: f64) {
    let pairs = [
        ("month", press("Next month"), press("Previous month")),
        ("clock", press("24h"), press("12h")),
        ("zone", set_zone("Asia/Tokyo"), set_zone("America/New_York")),
        ("week", press("Week"), press("Month")),
        ("days", press("Days"), press("Month")),
        ("week and days", press("Week"), press("Days")),
    ];
    let mut costly = Vec::new();
    for (action, there, back) in &pairs {
        // Once there and back, so that both responses are cached.
        for script in [there, back] {
            page.run(script, &[]);
            page.wait_for_quiet();
        }
        let cost = cost(page, &[there, back]);
        println!("{what}, {action}: {:.1} ms", cost * 1e3);
        if cost >= most {
            costly.push(format!("{action} takes {cost} s"));
        }
    }
    assert!(costly.is_empty(), "{what}: {costly:?}");
}

#[test]
fn month_zone_and_layout_changes_stay_within_the_time_limit() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = Page::open("about:blank");
    if page.engine() != Engine::Chromium {
        return;
    }
    page.devtools("Performance.enable", json!({ "timeDomain": "threadTicks" }));
    go(&page, &faults, 1000);
    wait_for_slots(&page);
    assert_cheap(&page, "a usual month", MAX_ACTION);
    faults.page("/v2/slots", &[], &three_thousand().to_string());
    go(&page, &faults, 1000);
    wait_for_slots(&page);
    // Two frames are measured: the first renders what is in view, the next one the rest.
    assert_cheap(&page, "three thousand times", 2.0 * MAX_ACTION);
}

/// Script that records long tasks from page load on, and performs the visitor's steps itself: commands of a
/// driver would take time of the page, too.
const VISITOR: &str = r#"<script>
    window.long = [];
    const hear = (list) => {
      for (const { startTime, duration } of list.getEntries()) long.push([Math.round(startTime), duration]);
    };
    const observer = new PerformanceObserver(hear);
    observer.observe({ type: "longtask", buffered: true });
    (async () => {
      const frame = () => new Promise((done) => requestAnimationFrame(done));
      const found = async (selector) => {
        for (;;) {
          const all = document.querySelector("booking-picker")?.shadowRoot?.querySelectorAll(selector);
          if (all?.length) return [...all];
          await frame();
        }
      };
      const rest = () => new Promise((done) => setTimeout(done, 300));
      const last = (await found(".time")).at(-1);
      window.shownAt = Math.round(performance.now());
      await rest();
      last.click();
      const [name, email] = await found("form input[type=text], form input[type=email]");
      await rest();
      for (const [field, text] of [[name, "Grace Hopper"], [email, "grace@example.org"]]) {
        field.focus();
        for (let length = 1; length <= text.length; length++) {
          field.value = text.slice(0, length);
          field.dispatchEvent(new InputEvent("input", { bubbles: true, composed: true }));
          await frame();
        }
      }
      (await found("form button[type=submit]"))[0].click();
      await found("[part~=confirmation]");
      await rest();
      hear({ getEntries: () => observer.takeRecords() });
      window.isDone = true;
    })();
  </script>"#;

/// Tolerance factor for the fastest of five runs on a busy machine.
const BUSY_MACHINE_FACTOR: f64 = 2.5;

#[test]
fn booking_flow_has_no_long_task() {
    let service = Service::start();
    let mut longest = Vec::new();
    for run in 1..=5 {
        // A new browser each time, without caches of an earlier run.
        let page = Page::open_recording_tasks("about:blank");
        if page.engine() != Engine::Chromium {
            return;
        }
        let faults = Faults::before(&service);
        let html = format!(
            r#"<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title>{VISITOR}
            <script type="module" src="/embed/embed.js"></script><main>
            <booking-picker username="ada" event-slug="intro-call"></booking-picker></main>"#
        );
        faults.page("/page.html", &[], &html);
        page.go(&faults.url("/page.html"));
        page.wait_until("the booking", || {
            page.run("return window.isDone === true", &[]) == true
        });
        let main_thread_seconds = page.longest_task();
        assert!(main_thread_seconds > 3.0, "the trace is almost empty");
        let measured = page.run("return [long, shownAt]", &[]);
        let long = measured[0].as_array().into_iter().flatten();
        let long = long.filter_map(|task| task[1].as_f64());
        let lasted = long.fold(1e3 * MAX_ACTION, f64::max);
        // Wall time of the page's own tasks is an upper bound: the trace also includes other pages of the browser,
        // which have threads of their own.
        let task = main_thread_seconds.min(lasted);
        println!(
            "run {run}: the longest task works {main_thread_seconds:.1} ms at most; times after {} ms; long tasks by \
             the clock on the wall: {}",
            measured[1], measured[0]
        );
        longest.push(task);
        if task <= 1e3 * MAX_ACTION {
            return;
        }
    }
    // On a busy machine the same work takes more CPU time, too; on an idle machine, a run within the limit
    // returns above.
    let least = longest.iter().copied().fold(f64::MAX, f64::min);
    println!("no run within {} ms: {longest:?}", 1e3 * MAX_ACTION);
    assert!(
        least <= 1e3 * MAX_ACTION * BUSY_MACHINE_FACTOR,
        "the longest task of each run works too long: {longest:?} ms"
    );
}

/// Script that delays the list's rendering after the first paint, and records that paint.
const FIRST_PAINT: &str = "
    const frame = window.requestAnimationFrame.bind(window);
    const held = [];
    window.requestAnimationFrame = (act) => held.push(act);
    window.goOn = () => {
      window.requestAnimationFrame = frame;
      held.splice(0).forEach((act) => frame(act));
    };
    window.hasPainted = false;
    const painted = () => {
      const channel = new MessageChannel();
      channel.port1.onmessage = () => { window.hasPainted = true; };
      channel.port2.postMessage(0);
    };
    const watcher = new MutationObserver(() => {
      if (rows() === 0) return;
      watcher.disconnect();
      frame(painted);
    });
    watcher.observe(list.shadowRoot, { childList: true, subtree: true })";

#[test]
fn visible_rows_of_250_bookings_are_painted_first() {
    let service = Service::with_bookings(600);
    let faults = Faults::before(&service);
    let body = r#"<main><booking-list team-id="1" page-size="10"></booking-list></main>
        <script>
          window.list = document.querySelector("booking-list");
          window.rows = () => list.shadowRoot.querySelectorAll("tr.booking").length;
          const getToken = async () =>
            (await (await fetch("/demo/token", { method: "POST" })).json()).accessToken;
          list.session = { baseUrl: location.origin, getToken };
        </script>"#;
    let page = open_page(&faults, "", body);
    let rows = || page.run("return rows()", &[]).as_i64().unwrap_or(0);
    let ask = |query: &str| {
        page.run("list.query = arguments[0]", &[json!(query)]);
    };
    let measures = page.engine() == Engine::Chromium;
    if measures {
        page.devtools("Performance.enable", json!({ "timeDomain": "threadTicks" }));
    }
    let mut costs = Vec::new();
    for order in ["asc", "desc", "asc", "desc", "asc"] {
        ask("status=all");
        page.wait_until("the short page", || rows() == 10);
        page.wait_for_quiet();
        faults.always("GET", TEAM_BOOKINGS, Fault::Hang);
        ask(&format!("status=all&take=250&sort=start-{order}"));
        page.wait_until("the request", || faults.hanging() > 0 && rows() == 0);
        page.run(FIRST_PAINT, &[]);
        let before = measures.then(|| main_thread_seconds(&page));
        faults.clear();
        faults.release();
        let has_painted = || page.run("return hasPainted", &[]) == json!(true);
        page.wait_until("the first rows", has_painted);
        costs.extend(before.map(|before| main_thread_seconds(&page) - before));
        let first = rows();
        assert!((10..=60).contains(&first), "{first} rows at first");
        page.run("goOn()", &[]);
        page.wait_until("all rows", || rows() == 250);
    }
    // The table header is sticky.
    let head = "scrollTo(0, 4000); const head = list.shadowRoot.querySelector('thead'); \
                return head.getBoundingClientRect().top";
    let top = page.run(head, &[]).as_f64().unwrap_or(-1.0);
    assert!((0.0..2.0).contains(&top), "the head is at {top}");

    costs.sort_by(f64::total_cmp);
    if let Some(median) = costs.get(costs.len() / 2) {
        println!(
            "250 bookings, answer to first paint: {:.1} ms",
            median * 1e3
        );
        // Half of it is work of the browser, which is slower while other browsers run.
        assert!(*median < 2.0 * MAX_ACTION, "250 bookings take {costs:?} s");
    }
    page.assert_no_errors();
}
