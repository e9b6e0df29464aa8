//! The picker inside the list: a separate element, which keeps it out of the list's bundle.

use booking_ui::prelude::*;
use js_sys::Reflect;
use wasm_bindgen::prelude::*;
use web_sys::{CustomEvent, EventTarget};

use super::reschedule::{RescheduleOf, Rescheduler};
use crate::page::events::{Page, use_page};

/// Events with the outcome of a reschedule.
const OUTCOMES: [&str; 2] = ["booking-rescheduled", "booking-failed"];

/// Reschedules with a `<booking-picker>` that has its list's settings.
pub fn rescheduler() -> Rescheduler {
    let page = use_page();
    Rescheduler::new(move |of| picker(&page, &of))
}

fn picker(page: &Page, of: &RescheduleOf) -> Node {
    let host = page.element();
    let attribute = |name: &str| {
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
        .attr_if("lang", attribute("lang").as_deref())
        .attr_if("theme", attribute("theme").as_deref());
    let picker_element: &JsValue = &picker.element();
    if let Some(host) = &host {
        // Passed as a value: no attribute ever contains a secret.
        for name in ["session", "messages"] {
            let value = Reflect::get(host, &name.into()).unwrap_or_default();
            if !value.is_null() && !value.is_undefined() {
                // An element's property accepts any value.
                let _ = Reflect::set(picker_element, &name.into(), &value);
            }
        }
    }
    forward_late_events(&picker.element(), page);
    picker
}

/// Forwards late outcomes: the picker's events bubble to the list's element only while both are connected, and the
/// page may have ended the list.
fn forward_late_events(picker: &EventTarget, page: &Page) {
    let page = page.clone();
    let listener = Closure::<dyn Fn(CustomEvent)>::new(move |event: CustomEvent| {
        let host = page.element().map(JsValue::from).unwrap_or_default();
        if !event.composed_path().includes(&host, 0) {
            page.forward(&event);
        }
    });
    // Lives as long as the picker, which may outlive the view.
    let listener = listener.into_js_value();
    for name in OUTCOMES {
        // Fails only without a callback.
        let _ = picker.add_event_listener_with_callback(name, listener.unchecked_ref());
    }
}
