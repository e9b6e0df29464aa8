//! Pages that bundle the npm package, in a browser.
//!
//! The build needs Node: `cargo xtask test --all`.

use std::fs;
use std::path::Path;

use super::common::{BOOKINGS, Fault, Faults, Page, Service, fill_in, starting};

/// Serves a bundled script and a page with it and `body`, and opens the page.
fn open(faults: &Faults, script: &str, body: &str) -> Page {
    let pages = std::env::var("BOOKING_E2E_PACKAGE").expect("where the bundled pages are");
    let path = Path::new(&pages).join(script);
    let text = fs::read_to_string(&path).expect(script);
    faults.page(&format!("/{script}"), &[], &text);
    let html = format!(
        "<!doctype html><html lang=en><meta charset=utf-8><title>{script}</title>\
         <script type=module src=/{script}></script>{body}"
    );
    let address = format!("/{script}.html");
    faults.page(&address, &[], &html);
    let page = Page::open(&faults.url(&address));
    page.record_errors();
    page
}

#[test]
fn bundled_package_finds_its_files() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let picker = r#"<booking-picker username="ada" event-slug="intro-call"></booking-picker>"#;
    for bundle in [
        "esbuild.js",
        "vite.js",
        "webpack.js",
        "webpack575.js",
        "rollup.js",
        "parcel/app.js",
    ] {
        let page = open(&faults, bundle, picker);
        page.role("list", starting("Times on")).wait();
        page.assert_no_errors();
    }
}

#[test]
fn react_strict_mode_sets_properties_hears_events_and_removes_elements() {
    let service = Service::start();
    let faults = Faults::before(&service);
    for bundle in ["react18.js", "react19.js"] {
        let page = open(&faults, bundle, "<div id=root></div>");
        page.role("list", starting("Times on")).wait();
        page.button("Onwards").wait();
        page.button(starting("Time zone: Asia/Tokyo")).wait();
        let given = page.run(
            "const { current } = window.picker;
             return [current.localName, current.className, current.hasAttribute('lock-time-zone')]",
            &[],
        );
        assert_eq!(given, serde_json::json!(["booking-picker", "ours", false]));
        page.wait_until("the page to be told once", || {
            page.run("return window.told.length", &[]) == 1
        });
        page.run("window.setZone('Europe/Paris')", &[]);
        page.button(starting("Time zone: Europe/Paris")).wait();
        page.run("window.setShown(false)", &[]);
        page.wait_for_text("Nothing here");
        assert_eq!(
            page.run("return window.picker.current", &[]),
            serde_json::Value::Null
        );
        page.assert_no_errors();
    }
}

#[test]
fn react_component_hears_the_outcome_after_it_was_removed() {
    let service = Service::start();
    let faults = Faults::before(&service);
    for bundle in ["react18.js", "react19.js"] {
        let page = open(&faults, bundle, "<div id=root></div>");
        page.role("list", starting("Times on")).wait();
        page.css(".time").first().click();
        fill_in(&page.css("booking-picker"));
        faults.next("POST", BOOKINGS, Fault::Hang);
        page.button("Confirm booking").click();
        page.wait_until("the request to be in flight", || faults.hanging() == 1);
        page.run("window.setShown(false)", &[]);
        page.wait_for_text("Nothing here");
        faults.release();
        page.wait_until("the page to be told once", || {
            page.run("return window.booked.length", &[]) == 1
        });
        page.assert_no_errors();
    }
}

#[test]
fn server_rendered_page_hydrates_without_changes() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let pages = std::env::var("BOOKING_E2E_PACKAGE").expect("where the bundled pages are");
    for version in ["18", "19"] {
        let rendered = Path::new(&pages).join(format!("rendered{version}.html"));
        let rendered = fs::read_to_string(rendered).expect("what the server has rendered");
        let root = format!("<div id=root>{rendered}</div>");
        let page = open(&faults, &format!("hydrated{version}.js"), &root);
        page.role("list", starting("Times on")).wait();
        page.css(".time").first().click();
        page.field("Your name").wait_for_value("Grace Hopper");
        page.button("Confirm booking").click();
        page.heading(starting("You’re booked for")).wait();
        page.wait_until("the page to be told", || {
            page.run("return window.told.length", &[]) == 1
        });
        // React does not re-render anything either.
        let state = "return [differences, document.querySelectorAll('booking-picker').length]";
        assert_eq!(page.run(state, &[]), serde_json::json!([[], 1]));
        page.assert_no_errors();
    }
}
