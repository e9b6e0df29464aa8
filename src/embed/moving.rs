//! The picker inside the list: an element of its own, so that the list's file need not hold it.

use js_sys::Reflect;
use wasm_bindgen::prelude::*;
use web_sys::{CustomEvent, EventTarget};

use super::events::{Page, use_page};
use crate::dom::{Html, el};
use crate::features::booking_list::{RescheduleOf, Rescheduler};

/// Events that tell what came of moving a booking.
const OUTCOMES: [&str; 2] = ["booking-rescheduled", "booking-failed"];

/// Moves bookings with a `<booking-picker>` that asks as its list does.
pub fn rescheduler() -> Rescheduler {
    let page = use_page();
    Rescheduler::new(move |of| picker(&page, &of))
}

fn picker(page: &Page, of: &RescheduleOf) -> Html {
    let host = page.element();
    let given = |name: &str| {
        let host = host.as_ref()?;
        host.get_attribute(name)
    };
    let hours = if of.uses_12_hours { "h12" } else { "h23" };
    let picker = el("booking-picker")
        .attr("mode", "reschedule")
        .attr("booking-uid", &of.uid)
        .attr_if("seat-uid", of.seat_uid.as_deref())
        .attr("base-url", &of.base_url)
        .attr("dialect", of.dialect.name())
        .attr("time-zone", &of.zone)
        .attr("hour-cycle", hours)
        .attr_if("lang", given("lang").as_deref())
        .attr_if("theme", given("theme").as_deref());
    let picker_element: &JsValue = &picker.element();
    if let Some(host) = &host {
        // Handed over as the value that it is: no attribute ever holds a secret.
        for name in ["session", "messages"] {
            let value = Reflect::get(host, &name.into()).unwrap_or_default();
            if !value.is_null() && !value.is_undefined() {
                // A property of an element takes any value.
                let _ = Reflect::set(picker_element, &name.into(), &value);
            }
        }
    }
    tell_late(&picker.element(), page);
    picker
}

/// Events of the picker bubble to the list's element as long as they are connected. An answer that comes after the
/// page has ended the list is passed on.
fn tell_late(picker: &EventTarget, page: &Page) {
    let page = page.clone();
    let hear = Closure::<dyn Fn(CustomEvent)>::new(move |event: CustomEvent| {
        let host = page.element().map(JsValue::from).unwrap_or_default();
        if !event.composed_path().includes(&host, 0) {
            page.pass_on(&event);
        }
    });
    // Lives as long as the picker, which the view does not end.
    let hear = hear.into_js_value();
    for name in OUTCOMES {
        // Refused only for a missing callback.
        let _ = picker.add_event_listener_with_callback(name, hear.unchecked_ref());
    }
}
