//! Many elements on a page: side by side, and one after the other.

use super::export::KEEP_MEMORY;
use crate::common::{
    DESIGN_REVIEW, Engine, Faults, INTRO_CALL_PICKER, Page, Service, fill_in, free_slots,
    open_page, select_day, starting,
};
use serde_json::{Value, json};

const LIST: &str = r#"<booking-list org-id="1" team-id="1"></booking-list>"#;
const ROLES: &str = r#"<booking-roles org-id="1" team-id="1"></booking-roles>"#;

#[test]
fn ten_pickers_have_their_own_slots_and_reservations() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let intro = r#"username="ada" event-slug="intro-call""#;
    let all = [
        intro.to_owned(),
        r#"username="ada" event-slug="consultation" duration="60""#.to_owned(),
        r#"team-id="1" event-slug="onboarding""#.to_owned(),
        r#"team-id="1" event-slug="design-review""#.to_owned(),
        r#"team-id="1" event-slug="site-visit" view="column""#.to_owned(),
        r#"team-id="1" event-slug="onboarding" view="week""#.to_owned(),
        format!(r#"{intro} lang="de""#),
        format!(r#"{intro} hour-cycle="h23""#),
        format!(r#"{intro} time-zone="Asia/Tokyo""#),
        format!(r#"{intro} theme="dark" step-mode="confirm""#),
    ];
    // All start at once, including those far below the viewport.
    let pickers =
        all.map(|attributes| format!("<booking-picker load=eager {attributes}></booking-picker>"));
    let body = format!("<main><h1>Ten of them</h1>{}</main>", pickers.concat());
    let page = open_page(&faults, "", &body);
    let picker = |place: usize| page.css("booking-picker").nth(place);
    for place in 0..10 {
        picker(place).css(".time").first().wait();
    }
    picker(1).heading("Consultation").wait();
    picker(6).button(starting("Zeitzone:")).wait();
    picker(8).button(starting("Time zone: Asia/Tokyo")).wait();
    assert!(picker(7).field("24h").is_checked());
    assert!(!picker(0).field("24h").is_checked());
    assert!(picker(5).field("Week").is_checked());
    page.assert_accessible("ten pickers");

    let held = "/v2/slots/reservations";
    picker(0).css(".time").first().click();
    picker(0).text("Held for you").wait();
    let day = &free_slots(&service, &page, DESIGN_REVIEW)[0];
    select_day(&page, &picker(3), day)
        .each("button")
        .first()
        .click();
    picker(3).text("Held for you").wait();
    assert_eq!(faults.count("POST", held), 2);
    picker(3).button("Change time").click();
    page.wait_until("the release of one reservation", || {
        faults.count("DELETE", held) == 1
    });
    picker(0).field("Your name").fill("Grace Hopper");
    picker(0).field("Email address").fill("grace@example.org");
    picker(0).button("Confirm booking").click();
    picker(0).heading(starting("You’re booked for")).wait();
    for place in 1..10 {
        assert!(picker(place).css(".time").exists(), "picker {place}");
    }
    assert_eq!(
        faults.count("DELETE", held),
        1,
        "the booking has consumed the other reservation"
    );
    page.assert_no_errors();
}

/// Bytes of the stack: `SMALL_STACK` in `xtask/src/wasm/build.rs`.
const STACK_BYTES: u64 = 65_536;

/// Asserts that the elements of a page have used less than half of their stack so far. It is the begin of the memory,
/// and grows towards address 0.
fn assert_shallow_stack(page: &Page, what: &str) {
    let script = "const words = new Uint32Array(memory.buffer, 0, arguments[0] / 4); \
                  const lowest = words.findIndex(Boolean); \
                  return arguments[0] - 4 * lowest";
    let used = page.run(script, &[json!(STACK_BYTES)]);
    println!("{what}: {used} bytes of the stack");
    let used = used.as_u64().expect("bytes");
    assert!(
        (1_000..STACK_BYTES / 2).contains(&used),
        "{what}: {used} bytes"
    );
}

#[test]
fn deepest_stack_use_leaves_half_of_it() {
    let service = Service::with_bookings(600);
    let faults = Faults::before(&service);
    let page = open_page(&faults, KEEP_MEMORY, INTRO_CALL_PICKER);
    page.css(".time").first().wait();
    assert_shallow_stack(&page, "slots");
    page.css(".time").first().click();
    fill_in(&page.css("booking-picker"));
    page.button("Confirm booking").click();
    page.heading(starting("You’re booked for")).wait();
    assert_shallow_stack(&page, "booking");

    let page = open_page(&faults, KEEP_MEMORY, &format!("{LIST}{ROLES}"));
    let give = "for (const element of document.querySelectorAll('booking-list,booking-roles')) \
                  element.session = { baseUrl: location.origin, token: arguments[0] };";
    page.run(give, &[json!(service.demo_text("apiKey"))]);
    page.css("tr.booking").first().wait();
    page.css(".roles-new").first().click();
    page.css("[id=role-name]").first().wait();
    page.run(
        "document.querySelector('booking-list').query = 'status=all&take=250'",
        &[],
    );
    page.wait_until("all rows", || page.css("tr.booking").count() >= 250);
    assert_shallow_stack(&page, "list and roles");

    let page = Page::open("about:blank");
    page.devtools(
        "Page.addScriptToEvaluateOnNewDocument",
        json!({ "source": KEEP_MEMORY.replace("<script>", "").replace("</script>", "") }),
    );
    page.go(&service.url("/ada/intro-call"));
    page.css(".time").first().wait();
    page.css(".time").first().click();
    fill_in(&page.css("[id=app]"));
    assert_shallow_stack(&page, "app");
}

/// Script that counts pending timers and callbacks of a page.
const COUNT_TIMERS: &str = "<script>\
    window.timers = { made: 0, waiting: new Map() };\
    for (const [make, clear, repeats] of [['setTimeout', 'clearTimeout'], ['setInterval', 'clearInterval', true],\
        ['requestAnimationFrame', 'cancelAnimationFrame'], ['requestIdleCallback', 'cancelIdleCallback']]) {\
      if (!window[make]) continue;\
      const [making, clearing] = [window[make], window[clear]];\
      window[make] = (call, ...rest) => {\
        const id = making.call(window, (...values) => {\
          if (!repeats) timers.waiting.delete(make + id);\
          call(...values);\
        }, ...rest);\
        timers.made++;\
        timers.waiting.set(make + id, `${make} ${rest[0]} ${new Error().stack}`);\
        return id;\
      };\
      window[clear] = (id) => { timers.waiting.delete(make + id); clearing.call(window, id); };\
    }\
    const isDrivers = (stack) => stack.includes('_execute') && !stack.includes('/embed/');\
    window.pending = () => [...timers.waiting.values()].filter((stack) => !isDrivers(stack));</script>";

/// Script that mounts and removes many elements, one after the other, in one page.
const MOUNT_MANY: &str = r#"
    const [count, html, shown] = arguments;
    const place = document.getElementById("place");
    const soon = () => new Promise((done) => setTimeout(done));
    return (async () => {
      for (let made = 0; made < count; made++) {
        place.innerHTML = html;
        const element = place.firstElementChild;
        if (element.localName !== "booking-picker") element.session = window.session;
        for (let waits = 0; !element.shadowRoot?.querySelector(shown); waits++) {
          if (waits > 1000) throw new Error("it does not mount");
          await soon();
        }
        element.remove();
        await soon();
      }
      return document.querySelectorAll("*").length;
    })()
"#;

#[test]
fn hundreds_of_removed_elements_leak_nothing() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let count_listeners = "<script>\
        window.listening = 0;\
        for (const target of [window, document]) {\
          const [add, remove] = [target.addEventListener, target.removeEventListener];\
          target.addEventListener = function (...given) { listening++; return add.apply(this, given); };\
          target.removeEventListener = function (...given) { listening--; return remove.apply(this, given); };\
        }</script>";
    let page = open_page(
        &faults,
        "",
        &format!("{KEEP_MEMORY}{count_listeners}{COUNT_TIMERS}<div id=place></div>"),
    );
    let session = "window.session = { baseUrl: location.origin, token: arguments[0] }";
    page.run(session, &[json!(service.demo_text("apiKey"))]);
    let mount = |count: usize, html: &str, shown: &str| {
        let nodes = page.run(MOUNT_MANY, &[json!(count), json!(html), json!(shown)]);
        nodes.as_u64().expect("a count of nodes")
    };
    // Removed while they load, as when a visitor switches pages quickly.
    let hasty = |count: usize| mount(count, INTRO_CALL_PICKER, ".card");
    // Removed once they show the response of the service.
    let settled = |count: usize| {
        mount(count, INTRO_CALL_PICKER, ".time");
        mount(count, LIST, "tr.booking");
        mount(count, ROLES, "li.role")
    };
    let memory = || {
        let size = page.run("return window.memory.buffer.byteLength", &[]);
        size.as_u64().expect("bytes")
    };
    // Memory grows in steps: the first mounts reserve what one mount needs.
    for _ in 0..4 {
        hasty(25);
        settled(3);
    }
    let nodes = hasty(1);
    // In Firefox, a driver's import loads a second module, which adds listeners, too.
    let (bytes, before) = (memory(), counters(&page));
    let listening = page.run("return listening", &[]);
    let pending = || page.run("return pending()", &[]);
    page.wait_until("the first ones' timers to end", || pending() == json!([]));
    for _ in 0..10 {
        assert_eq!(hasty(50), nodes, "the page has as many nodes as before");
        assert_eq!(settled(3), nodes);
    }
    assert_eq!(page.run("return listening", &[]), listening);
    // Short timers may still be pending; a leak would leave hundreds.
    page.wait_until("all timers to end", || pending() == json!([]));
    let made = page.run("return timers.made", &[]);
    assert!(made.as_u64() > Some(500), "timers are counted: {made}");
    // One step of growth may occur in these mounts; a leak per mount would cause several.
    assert!(
        memory() <= bytes + 65_536,
        "{bytes} bytes grew to {}",
        memory()
    );
    if let (Some(before), Some(after)) = (before, counters(&page)) {
        for kind in ["nodes", "jsEventListeners", "documents"] {
            let [before, after] = [&before, &after].map(|all| all[kind].as_i64().unwrap_or(0));
            // A mount has hundreds of nodes and dozens of listeners: a leak of one exceeds this limit.
            assert!(
                after <= before + 20,
                "{kind}: {before} before, {after} after"
            );
        }
    }
    page.assert_no_errors();
}

/// Returns DOM counters after garbage collection; only Chromium has them.
fn counters(page: &Page) -> Option<Value> {
    (page.engine() == Engine::Chromium).then(|| {
        for _ in 0..3 {
            page.devtools("HeapProfiler.collectGarbage", json!({}));
        }
        page.devtools("Memory.getDOMCounters", json!({}))
    })
}
