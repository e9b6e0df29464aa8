//! Scenes of an existing booking.

use crate::common::{Fault, Page, wait_for_slots};

use super::{Scene, html};

const MANAGE: &str = r#"<booking-picker booking-uid="{uid}"></booking-picker>"#;
const CANCEL: &str = r#"<booking-picker booking-uid="{uid}" mode="cancel"></booking-picker>"#;
const MOVE: &str = r#"<booking-picker booking-uid="{uid}" mode="reschedule"></booking-picker>"#;
const UNKNOWN: &str = r#"<booking-picker booking-uid="nobody-knows-it"></booking-picker>"#;

pub(super) fn scenes() -> Vec<Scene> {
    vec![
        html("manage", "booking", MANAGE).after(wait_for_booking),
        html("manage", "loading", MANAGE)
            .with(|faults| faults.always("GET", "/v2/bookings/", Fault::Hang)),
        html("manage", "unreachable", MANAGE)
            .with(|faults| faults.always("GET", "/v2/bookings/", Fault::Drop))
            .after(|page| page.button("Try again").wait()),
        html("manage", "unknown", UNKNOWN)
            .after(|page| page.wait_for_text("We can’t find this booking")),
        html("manage", "cancel", CANCEL).after(wait_for_cancel_form),
        html("manage", "not-cancelled", CANCEL)
            .with(|faults| faults.next("POST", "/v2/bookings/", Fault::Drop))
            .after(|page| {
                wait_for_cancel_form(page);
                page.button("Cancel booking").click();
                page.wait_for_quiet();
            }),
        html("manage", "cancelled", CANCEL).after(|page| {
            wait_for_cancel_form(page);
            page.field("Reason for cancelling (optional)")
                .fill("We have found a solution ourselves.");
            page.button("Cancel booking").click();
            page.heading("This booking is cancelled").wait();
        }),
        html("manage", "move", MOVE).after(|page| {
            page.wait_for_text("Current time");
            wait_for_slots(page);
        }),
        html("manage", "move-form", MOVE).after(select_other_slot),
        html("manage", "moved", MOVE).after(|page| {
            select_other_slot(page);
            page.button("Reschedule").click();
            page.heading(crate::common::starting("Rescheduled to"))
                .wait();
        }),
    ]
}

fn wait_for_booking(page: &Page) {
    page.heading("Your booking").wait();
}

fn wait_for_cancel_form(page: &Page) {
    page.heading("Cancel this booking?").wait();
}

fn select_other_slot(page: &Page) {
    page.wait_for_text("Current time");
    wait_for_slots(page);
    page.css(".time:not([data-current])").first().click();
    page.heading(crate::common::starting("Reschedule to "))
        .wait();
}
