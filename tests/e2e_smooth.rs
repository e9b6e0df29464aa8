//! Nothing jumps: the shift of the layout over the whole flow, at every width.

#![allow(clippy::expect_used, clippy::indexing_slicing)]

mod common;

use common::{Faults, Page, Service, starting};
use serde_json::json;

/// The most that the layout may shift, by the measure of browsers.
const SHIFT: f64 = 0.01;

/// Adds up, from the first moment on, what browsers count as shifts of the layout.
const OBSERVER: &str = "<script>window.shift = 0; window.shifts = [];
    if (PerformanceObserver.supportedEntryTypes.includes('layout-shift')) {
      new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) {
          if (entry.hadRecentInput) continue;
          window.shift += entry.value;
          window.shifts.push(entry.sources.map((source) => source.node?.className ?? '?').join(' '));
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

fn times(page: &Page) {
    page.role("list", starting("Times on")).wait();
}

#[test]
fn nothing_shifts_from_the_first_paint_to_the_confirmation_at_any_width() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = Page::open("about:blank");
    for width in [280, 320, 480, 768, 1200] {
        go(&page, &faults, width);
        times(&page);
        page.wait_for_quiet();
        let at_rest = page.run("return window.shift", &[]);
        page.button("Next month").click();
        page.wait_for_quiet();
        times(&page);
        page.role("list", starting("Times on"))
            .each("button")
            .nth(1)
            .click();
        page.heading("Your details").wait();
        page.field("Your name").fill("Grace Hopper");
        page.field("Email address").fill("grace@example.org");
        page.button("Confirm booking").click();
        page.heading("You are booked").wait();
        page.wait_for_quiet();
        let shift = page.run("return [window.shift, window.shifts]", &[]);
        let total = shift[0].as_f64().expect("a number");
        assert!(total < SHIFT, "{width} px: {at_rest} at rest, then {shift}");
        let sideways = "const page = document.scrollingElement; \
                        return page.scrollWidth - Math.max(page.clientWidth, arguments[0])";
        let sideways = page.run(sideways, &[json!(width)]);
        assert!(sideways.as_i64() <= Some(0), "{width} px: {sideways}");
    }
}
