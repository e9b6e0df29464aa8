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
        all.push(html("language", &format!("{language}-times"), &body).after(times));
        all.push(html("language", &format!("{language}-week"), &week).after(times));
        all.push(html("language", &format!("{language}-zones"), &body).after(zones));
        all.push(html("language", &format!("{language}-complaints"), &body).after(complaints));
        all.push(html("language", &format!("{language}-places"), &short).after(choose));
        let intro = body.replace(
            r#"team-id="1" event-slug="onboarding""#,
            r#"username="ada" event-slug="intro-call""#,
        );
        all.push(html("language", &format!("{language}-booked"), &intro).after(booked));
    }
    all
}

fn times(page: &Page) {
    page.css(".time").first().wait();
}

fn zones(page: &Page) {
    times(page);
    page.css(".zone-button").click();
    page.css(".zone-option").first().wait();
}

fn choose(page: &Page) {
    page.css(".time").first().click();
    page.css(".flow-form form").wait();
}

fn complaints(page: &Page) {
    choose(page);
    page.css(".flow-form form .button-primary").click();
    page.css("[role=alert], .error-summary, [aria-invalid=true]")
        .first()
        .wait();
}

fn booked(page: &Page) {
    choose(page);
    page.css("input[autocomplete=name]").fill("Grace Hopper");
    page.css("input[autocomplete=email]")
        .fill("grace@example.org");
    page.css(".flow-form form .button-primary").click();
    page.css(".confirmation").wait();
}
