//! Scenes of elements on an embedding page: slotted content, skeletons, blocked WebAssembly, popup and
//! floating button.

use serde_json::json;

use crate::common::{Faults, Page, select_first_slot, starting, wait_for_slots};

use super::visitor::fill_in;
use super::{Scene, html};

/// Picker with slotted content of the page.
const SLOTS: &str = r#"<booking-picker username="ada" event-slug="intro-call">
    <p slot="header">Ada answers <b>within a day</b>. <a href="/help">How this works</a></p>
    <div slot="empty"><h3>Ada is at sea</h3><p>She is back in spring.
      <a href="/list">Join the waiting list</a></p></div>
    <p slot="confirmation">Please bring your passport. <a href="/way">The way to us</a></p>
  </booking-picker>"#;

/// Skeletons, kept by `load="manual"`.
const PICKER_BOXES: &str =
    r#"<booking-picker load="manual" username="ada" event-slug="intro-call"></booking-picker>"#;
const STAFF_BOXES: &str = r#"<booking-list load="manual" team-id="1"></booking-list><br>
    <booking-roles load="manual" team-id="1"></booking-roles>"#;

/// Page without WebAssembly.
const BLOCKED: &str = r#"<script>delete window.WebAssembly</script>
    <booking-picker username="ada" event-slug="intro-call"></booking-picker><br>
    <booking-list team-id="1"></booking-list><br>
    <booking-picker username="ada" event-slug="intro-call"><a href="/ada">Book a call</a></booking-picker>"#;

/// Pages with content behind the overlay.
const POPUP: &str = r#"<h1>Northwind</h1><p>We build boats.</p>
    <booking-picker placement="popup" username="ada" event-slug="intro-call"></booking-picker>
    <div style="block-size: 40em"></div><p>Since 1904.</p>"#;
const FLOATING: &str = r#"<h1>Northwind</h1><p>We build boats.</p>
    <booking-picker placement="floating" username="ada" event-slug="intro-call"></booking-picker>
    <div style="block-size: 40em"></div><p>Since 1904.</p>"#;
const FLOATING_LONG: &str = r#"<h1>Northwind</h1><p>We build boats.</p>
    <booking-picker placement="floating" username="ada" event-slug="intro-call" button-position="top-start"
      button-text="Talk to somebody who knows all about boats and their prices"></booking-picker>
    <div style="block-size: 40em"></div><p>Since 1904.</p>"#;

fn remove_slots(faults: &Faults) {
    faults.rewrite("/v2/slots", |answer| answer["data"] = json!({}));
}

fn open_popup(page: &Page) {
    page.button("Book a time").click();
    wait_for_slots(page);
}

pub(super) fn scenes() -> Vec<Scene> {
    vec![
        html("slots", "header", SLOTS).after(wait_for_slots),
        html("slots", "empty", SLOTS)
            .with(remove_slots)
            .after(|page| page.wait_for_text("Ada is at sea")),
        html("slots", "confirmation", SLOTS).after(|page| {
            select_first_slot(page);
            fill_in(page);
            page.button("Confirm booking").click();
            page.heading(starting("You’re booked for")).wait();
        }),
        html("boxes", "picker", PICKER_BOXES),
        html("boxes", "staff", STAFF_BOXES),
        html("blocked", "page", BLOCKED)
            .after(|page| page.wait_for_text("This could not be shown")),
        html("popup", "closed", POPUP).after(|page| page.button("Book a time").wait()),
        html("popup", "times", POPUP).after(open_popup),
        html("popup", "form", POPUP).after(|page| {
            open_popup(page);
            select_first_slot(page);
        }),
        html("popup", "nothing-free", POPUP)
            .with(remove_slots)
            .after(|page| {
                page.button("Book a time").click();
                page.wait_for_text("No times in");
            }),
        html("floating", "button", FLOATING).after(|page| page.button("Book a time").wait()),
        html("floating", "long-words", FLOATING_LONG)
            .after(|page| page.button(starting("Talk to somebody")).wait()),
        html("floating", "open", FLOATING).after(open_popup),
    ]
}
