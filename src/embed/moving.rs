//! The picker inside the list: an element of its own, so that the list's file need not hold it.

use js_sys::Reflect;
use wasm_bindgen::JsValue;

use super::events::{Page, use_page};
use crate::dom::{Html, el};
use crate::features::booking_list::{RescheduleOf, Rescheduler};

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
    picker
}
