//! Visitor scenes in other languages: long words, other scripts and directions.

use crate::common::Page;

use super::{Scene, html};

pub(super) fn scenes() -> Vec<Scene> {
    let mut all = Vec::new();
    for language in ["ar", "de", "he", "hi", "ja", "pl"] {
        let body = format!(
            r#"<div lang="{language}"><booking-picker team-id="1" event-slug="onboarding">
            </booking-picker></div>"#
        );
        let week = body.replace("team-id", r#"view="week" team-id"#);
        let short = body.replace("onboarding", "site-visit");
        all.push(html("language", &format!("{language}-times"), &body).after(wait_for_slots));
        all.push(html("language", &format!("{language}-week"), &week).after(wait_for_slots));
        all.push(html("language", &format!("{language}-zones"), &body).after(open_time_zones));
        all.push(
            html("language", &format!("{language}-complaints"), &body).after(submit_empty_form),
        );
        all.push(html("language", &format!("{language}-places"), &short).after(open_form));
        let intro = body.replace(
            r#"team-id="1" event-slug="onboarding""#,
            r#"username="ada" event-slug="intro-call""#,
        );
        all.push(html("language", &format!("{language}-booked"), &intro).after(book));
    }
    all
}

fn wait_for_slots(page: &Page) {
    page.css(".time").first().wait();
}

fn open_time_zones(page: &Page) {
    wait_for_slots(page);
    page.css(".zone-button").click();
    page.css(".zone-option").first().wait();
}

fn open_form(page: &Page) {
    page.css(".time").first().click();
    page.css(".flow-form form").wait();
}

fn submit_empty_form(page: &Page) {
    open_form(page);
    page.css(".flow-form form .button-primary").click();
    page.css("[role=alert], .error-summary, [aria-invalid=true]")
        .first()
        .wait();
}

fn book(page: &Page) {
    open_form(page);
    page.css("input[autocomplete=name]").fill("Grace Hopper");
    page.css("input[autocomplete=email]")
        .fill("grace@example.org");
    page.css(".flow-form form .button-primary").click();
    page.css(".confirmation").wait();
}
