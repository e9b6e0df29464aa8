//! What comes after a time is picked arrives on its own: not before the first times are shown, and
//! again if it was lost on the way.

#![allow(clippy::expect_used, clippy::indexing_slicing)]

mod common;

use common::{Fault, Faults, Key, Page, Service, starting};

const PAGE: &str = r#"<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title>
    <script type="module" src="/embed/embed.js"></script>
    <body><booking-picker username="ada" event-slug="intro-call"></booking-picker></body></html>"#;

/// The file with the second half.
const AFTER: &str = "/embed/picker_after-";

fn open(faults: &Faults) -> Page {
    faults.page("/page.html", &[], PAGE);
    let page = Page::open(&faults.url("/page.html"));
    page.watch();
    page
}

/// Chooses the first free time that is shown.
fn choose(page: &Page) {
    let times = page.role("list", starting("Times on"));
    times.each("button").first().click();
}

fn book(page: &Page) {
    page.field("Your name").fill("Grace Hopper");
    page.field("Email address").fill("grace@example.org");
    page.button("Confirm booking").click();
    page.heading("You are booked").wait();
}

#[test]
fn what_comes_after_the_pick_is_fetched_once_times_are_shown_and_before_one_is_picked() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.always("GET", "/v2/slots", Fault::Hang);
    let page = open(&faults);
    page.wait_until("the times to be awaited", || faults.hanging() > 0);
    assert_eq!(faults.count("GET", AFTER), 0);
    faults.clear();
    faults.release();
    page.wait_until("the second half", || faults.count("GET", AFTER) == 1);
    choose(&page);
    page.heading("Your details").wait();
    book(&page);
    assert_eq!(faults.count("GET", AFTER), 1);
    page.assert_sound();
}

#[test]
fn a_second_half_that_was_lost_is_told_once_it_is_needed_and_fetched_again() {
    let service = Service::start();
    let faults = Faults::before(&service);
    for (lost, sentence) in [
        (Fault::Drop, "cannot be reached"),
        (Fault::Status(404, "gone"), "cannot be reached"),
        (Fault::Html, "cannot be reached"),
    ] {
        faults.always("GET", AFTER, lost);
        let page = open(&faults);
        page.role("list", starting("Times on")).wait();
        page.wait_until("the second half to be lost", || {
            faults.count("GET", AFTER) > 0
        });
        assert!(!page.shows(sentence), "it is not needed yet");
        choose(&page);
        page.wait_for_text(sentence);
        page.button("Change time").click();
        choose(&page);
        page.wait_for_text(sentence);
        faults.clear();
        page.button("Try again").click();
        page.heading("Your details").wait();
        book(&page);
        page.assert_sound();
    }
}

#[test]
fn the_list_of_zones_comes_with_the_second_half_and_takes_the_focus() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.always("GET", AFTER, Fault::Hang);
    let page = open(&faults);
    page.role("list", starting("Times on")).wait();
    page.button(starting("Time zone:")).click();
    page.role("dialog", "Time zone").wait();
    page.wait_until("the second half to be awaited", || faults.hanging() > 0);
    faults.clear();
    faults.release();
    page.wait_until("the field to have the focus", || {
        page.focus().starts_with("combobox")
    });
    page.type_text("Tokyo");
    page.role("option", starting("Tokyo")).wait();
    page.press(Key::Enter);
    page.button(starting("Time zone: Asia/Tokyo")).wait();
    page.assert_sound();
}
