//! The visitor's language: found, fetched, changed while something is typed, and missing.

#![allow(clippy::expect_used, clippy::indexing_slicing)]

mod common;

use common::{Fault, Faults, Page, Service, free_times, pick, starting};
use serde_json::json;

const INTRO_CALL: i64 = 1;
const PICKER: &str = r#"<booking-picker username="ada" event-slug="intro-call"></booking-picker>"#;

fn open(faults: &Faults, language: &str, body: &str) -> Page {
    let html = format!(
        r#"<!doctype html><html lang="{language}"><meta charset="utf-8"><title>Somebody’s page</title>
        <script type="module" src="/embed/embed.js"></script><body>{body}</body></html>"#
    );
    faults.page("/page.html", &[], &html);
    let page = Page::open(&faults.url("/page.html"));
    page.watch();
    page
}

fn set_language(page: &Page, language: &str) {
    let script = "document.documentElement.lang = arguments[0]";
    page.run(script, &[json!(language)]);
}

#[test]
fn the_language_of_the_page_is_spoken_and_a_change_of_it_loses_nothing() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open(&faults, "en-US", PICKER);
    let picker = page.css("booking-picker");
    let free = free_times(&service, &page, INTRO_CALL)[0].clone();
    pick(&page, &picker, &free);
    picker.field("Your name").fill("Grace Hopper");
    assert_eq!(faults.count("GET", "/embed/lang/"), 0);
    let asked = faults.count("GET", "/v2/event-types");

    set_language(&page, "de-AT");
    picker.heading("Ihre Angaben").wait();
    assert_eq!(picker.field("Ihr Name").value(), "Grace Hopper");
    let name = picker.field("Ihr Name");
    page.wait_until("the focus", || name.has_focus());
    // Times may be asked for again, because weeks begin on another day; the rest goes on.
    assert_eq!(faults.count("GET", "/v2/event-types"), asked);

    set_language(&page, "ar");
    let direction = "return getComputedStyle(document.querySelector('booking-picker').shadowRoot\
                     .querySelector('.base')).direction";
    page.wait_until("right to left", || page.run(direction, &[]) == "rtl");

    // What nobody has translated is told in English.
    set_language(&page, "sv");
    picker.heading("Your details").wait();
    assert_eq!(page.run(direction, &[]), "ltr");
    assert_eq!(picker.field("Your name").value(), "Grace Hopper");
    page.assert_sound();
}

#[test]
fn each_element_speaks_its_own_language() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let other = PICKER.replace("username", "lang=fr username");
    let page = open(&faults, "de", &format!("{PICKER}{other}"));
    let [german, french] = [0, 1].map(|place| page.css("booking-picker").nth(place));
    german.role("list", starting("Zeiten am")).wait();
    french.role("list", starting("Horaires du")).wait();
    page.assert_sound();
}

#[test]
fn sentences_that_cannot_be_had_are_told_in_english() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.always("GET", "/embed/lang/de.json", Fault::Status(503, "gone"));
    let page = open(&faults, "de", PICKER);
    page.role("list", starting("Times on")).wait();
}

#[test]
fn late_sentences_replace_the_english_ones() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.always("GET", "/embed/lang/de.json", Fault::Hang);
    let page = open(&faults, "de", PICKER);
    page.role("list", starting("Times on")).wait();
    faults.clear();
    faults.release();
    // The request that hung is over and was told on the console; the next element asks again.
    page.run(
        "document.querySelector('booking-picker').outerHTML = arguments[0]",
        &[json!(PICKER)],
    );
    page.role("list", starting("Zeiten am")).wait();
}

#[test]
fn a_page_says_things_in_its_own_words() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open(&faults, "en", PICKER);
    let picker = page.css("booking-picker");
    let free = free_times(&service, &page, INTRO_CALL)[0].clone();
    pick(&page, &picker, &free);
    picker.field("Your name").fill("Grace Hopper");
    page.run(
        "document.querySelector('booking-picker').messages = { confirm: 'Do it', de: { confirm: 'Los' } }",
        &[],
    );
    picker.button("Do it").wait();
    assert_eq!(picker.field("Your name").value(), "Grace Hopper");
    set_language(&page, "de");
    picker.heading("Ihre Angaben").wait();
    page.assert_sound();
}
