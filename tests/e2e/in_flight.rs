//! Elements that change or are removed while a booking is in flight, and listeners that call their methods.

use crate::common::{
    BOOKINGS, Engine, Fault, Faults, Locator, Page, Service, fill_in, is_cal_dialect, is_included,
    open_page,
};
use serde_json::json;
use std::collections::BTreeSet;

/// Picker that starts each time with an empty form.
const PICKER: &str =
    r#"<booking-picker username="ada" event-slug="intro-call" draft="off"></booking-picker>"#;

/// Changes of an element by its page, as scripts; `element` is the element.
const CHANGES: [(&str, &str); 6] = [
    ("remove", "element.remove()"),
    ("destroy", "element.destroy()"),
    ("reset", "element.reset()"),
    (
        "attribute",
        "element.setAttribute('event-slug', 'portfolio-review')",
    ),
    ("session", "element.session = null"),
    ("move", "document.querySelector('aside').append(element)"),
];

/// Waits for the slots of a picker, selects one and fills in the form.
fn fill_in_form(picker: &Locator) {
    picker.css(".time").first().wait();
    picker.css(".time").first().click();
    picker.heading("Your details").wait();
    picker.text("Held for you").wait();
    fill_in(picker);
}

fn assert_works(page: &Page, picker: &Locator) {
    // The last slot: the first ones may just have been booked.
    let slots = picker.css(".time");
    slots.first().wait();
    slots.nth(slots.count() - 1).click();
    picker.heading("Your details").wait();
    page.assert_no_errors();
}

/// The page gets the events of a booking even if its element was removed or changed in flight, and other
/// elements keep working.
#[test]
fn booking_in_flight_is_reported_after_its_element_changes() {
    // Faults of the request and of its retries, and the last event.
    // The cal dialect has no retries.
    let repeated = match is_cal_dialect() {
        true => "booking-failed",
        false => "booking-created",
    };
    let outcomes = [
        (Fault::Hang, None, "booking-created"),
        (Fault::LateStatus(409, "taken"), None, "booking-failed"),
        (Fault::LateStatus(500, "broken"), None, repeated),
        (
            Fault::LateStatus(500, "broken"),
            Some(Fault::Status(500, "broken")),
            "booking-failed",
        ),
        (Fault::ResponseLostLate, None, repeated),
    ];
    for (number, (change, script)) in CHANGES.iter().enumerate() {
        for (place, (fault, of_repeats, expected)) in outcomes.iter().enumerate() {
            let is_tried = match Engine::of_test_run() {
                Engine::Chromium => is_included(number, place),
                // Engines do not differ here.
                Engine::Firefox | Engine::Webkit => number == place,
            };
            if !is_tried {
                continue;
            }
            let service = Service::start();
            let faults = Faults::before(&service);
            let body = format!("<main>{PICKER}</main><aside>{PICKER}</aside>");
            let page = open_page(&faults, "", &body);
            page.run(
                "window.events = []; window.element = document.querySelector('main booking-picker'); \
                 for (const name of ['booking-submitted', 'booking-created', 'booking-failed', 'booking-error']) \
                   element.addEventListener(name, ({ type }) => events.push(type))",
                &[],
            );
            let picker = page.css("main booking-picker");
            fill_in_form(&picker);
            faults.next("POST", BOOKINGS, fault.clone());
            if let Some(fault) = of_repeats {
                faults.always("POST", BOOKINGS, fault.clone());
            }
            picker.button("Confirm booking").click();
            page.wait_until("the request to be in flight", || faults.hanging() == 1);
            page.run(script, &[]);
            faults.release();
            page.wait_until(&format!("{expected} after {change}"), || {
                page.events().iter().any(|name| name == *expected)
            });
            assert_eq!(
                page.events(),
                ["booking-submitted", *expected],
                "{change}, {fault:?}"
            );
            page.wait_for_quiet();
            assert_works(&page, &page.css("aside booking-picker").first());
        }
    }
}

/// Calls of an element by its page, as scripts.
pub(super) const CALLS: [(&str, &str); 12] = [
    ("reset", "element.reset()"),
    ("destroy", "element.destroy()"),
    ("remove", "element.remove()"),
    ("refresh", "element.refresh()"),
    ("goTo", "element.goTo('2030-01-07')"),
    ("selectSlot", "element.selectSlot('2030-01-07T09:00:00Z')"),
    (
        "event-slug",
        "element.setAttribute('event-slug', 'portfolio-review')",
    ),
    (
        "time-zone",
        "element.setAttribute('time-zone', 'Asia/Tokyo')",
    ),
    ("session", "element.session = null"),
    ("setToken", "element.setToken('token')"),
    ("lang", "element.lang = 'fr'"),
    ("prefill", "element.prefill = { name: { value: 'Ada' } }"),
];

/// Events of a picker, with the step that causes them.
const EVENTS: [(&str, Step); 14] = [
    ("ready", Step::Slots),
    ("slots-loaded", Step::Slots),
    ("date-selected", Step::Day),
    ("range-changed", Step::Month),
    ("slot-selected", Step::Form),
    ("before-reserve", Step::Form),
    ("slot-reserved", Step::Form),
    ("form-changed", Step::Typed),
    ("form-back", Step::Back),
    ("slot-released", Step::Back),
    ("language-changed", Step::Language),
    ("before-submit", Step::Booked),
    ("booking-submitted", Step::Booked),
    ("booking-created", Step::Booked),
];

#[derive(Clone, Copy, PartialEq, PartialOrd)]
enum Step {
    Slots,
    Day,
    Month,
    Form,
    Language,
    Typed,
    Back,
    Booked,
}

/// Script that performs a visitor's steps up to the given one: each waits for its element, and ends silently
/// if the listener has removed it.
const RUN_STEPS: &str = r#"
    const [until, done] = arguments;
    const root = () => element.shadowRoot;
    const wait = async (find) => {
      for (let tries = 0; tries < 60; tries++) {
        const found = element.isConnected && find();
        if (found) return found;
        if (window.called) return undefined;
        await new Promise((next) => setTimeout(next, 50));
      }
      return undefined;
    };
    const type = (selector, text) => {
      const field = root().querySelector(selector);
      if (!field) return;
      field.value = text;
      field.dispatchEvent(new Event("input", { bubbles: true }));
    };
    const steps = {
      async Day() {
        [...root().querySelectorAll("[role=gridcell] button, td button")]
          .filter((day) => !day.disabled && day.ariaDisabled !== "true").at(-1)?.click();
      },
      async Month() {
        root().querySelectorAll(".picker-head button").forEach((button) => button.click());
      },
      async Form() {
        (await wait(() => root()?.querySelector(".time")))?.click();
        await wait(() => root()?.querySelector("form"));
        await new Promise((next) => setTimeout(next, 200));
      },
      async Language() {
        element.lang = "de";
        await wait(() => window.called);
      },
      async Typed() {
        await steps.Form();
        type("input[autocomplete=name]", "Grace Hopper");
      },
      async Back() {
        await steps.Form();
        await wait(() => root()?.querySelector(".flow-hold")?.textContent.includes("Held"));
        root()?.querySelector("[part~=back]")?.click();
      },
      async Booked() {
        await steps.Typed();
        type("input[autocomplete=email]", "grace@example.org");
        root()?.querySelector("form [type=submit], form .button-primary")?.click();
      },
    };
    (async () => {
      await wait(() => root()?.querySelector(".time"));
      await steps[until]?.();
      await wait(() => window.called);
      await new Promise((next) => setTimeout(next, 100));
      const text = root()?.textContent ?? "";
      done({ called: window.called ?? false, text, errors: window.errors, log: window.log });
    })();
"#;

/// A listener may call any method of its element, set any attribute and remove it.
#[test]
fn method_call_in_event_listeners_is_safe() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let body = format!(
        "<main></main><aside>{PICKER}</aside><script>window.errors = []; \
           addEventListener('booking-error', ({{ detail }}) => window.errors.push(detail.code))</script>"
    );
    let page = open_page(&faults, "", &body);
    let is_chromium = page.engine() == Engine::Chromium;
    let (mut tried_events, mut tried_calls) = (BTreeSet::new(), BTreeSet::new());
    for (row, (event, step)) in EVENTS.into_iter().enumerate() {
        for (column, (call, script)) in CALLS.into_iter().enumerate() {
            // Engines do not differ here.
            let is_tried = match is_chromium {
                true => is_included(row, column),
                false => call == "reset" || event == "ready",
            };
            if !is_tried {
                continue;
            }
            let prepare = format!(
                "document.querySelector('main').innerHTML = arguments[0]; \
                 window.element = document.querySelector('booking-picker'); \
                 window.called = false; window.errors = []; window.log = []; for (const name of ['slot-reserve-failed', 'slot-released', 'slot-selected']) element.addEventListener(name, ({{ type, detail }}) => log.push(type, detail.code)); \
                 element.addEventListener({event:?}, () => {{ \
                   if (window.called) return; window.called = true; {script}; }})"
            );
            // In a task, as scripts of pages run: WebKit lets an element start between the statements of a driver's
            // script, and `ready` would be dispatched before there is a listener.
            let prepare = format!(
                "const given = arguments; return new Promise((done) => setTimeout(() => {{ \
                   (function () {{ {prepare} }})(...given); done(); }}))"
            );
            page.run(&prepare, &[json!(PICKER)]);
            let name = match step {
                Step::Slots => "Slots",
                Step::Day => "Day",
                Step::Month => "Month",
                Step::Form => "Form",
                Step::Language => "Language",
                Step::Typed => "Typed",
                Step::Back => "Back",
                Step::Booked => "Booked",
            };
            let script = format!(
                "return new Promise((done) => ((...values) => {{ \
                   const go = function () {{ {RUN_STEPS} }}; go(...values, done); }})({name:?}))"
            );
            let outcome = page.run(&script, &[]);
            assert_eq!(
                outcome["called"], true,
                "{event} -> {call} was not dispatched: {outcome}"
            );
            assert_eq!(outcome["errors"], json!([]), "{event} -> {call}: {outcome}");
            let text = outcome["text"].as_str().unwrap_or_default();
            assert!(
                !text.contains("This could not be shown"),
                "{event} -> {call}: {text}"
            );
            page.assert_no_errors();
            tried_events.insert(event);
            tried_calls.insert(call);
        }
    }
    assert_eq!(tried_events.len(), EVENTS.len(), "{tried_events:?}");
    assert_eq!(tried_calls.len(), CALLS.len(), "{tried_calls:?}");
    // The WebAssembly instance is intact, and the other element works.
    let refresh = "document.querySelector('main').replaceChildren(); \
                   document.querySelector('aside booking-picker').refresh()";
    page.run(refresh, &[]);
    page.wait_for_quiet();
    assert_works(&page, &page.css("aside booking-picker"));
}
