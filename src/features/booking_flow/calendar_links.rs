//! Links that add a booking to the visitor's own calendar.

use booking_wire::PublicBooking;
use booking_wire::calendar::{CalendarEvent, WebCalendar, calendar_file, web_calendar_url};
use js_sys::Array;
use leptos::prelude::*;
use wasm_bindgen::JsValue;
use web_sys::{Blob, BlobPropertyBag, Url};

use crate::components::{Shape, icon};
use crate::features::shared::location::booked_location_text;
use crate::i18n::{Key, use_texts};
use crate::time::Instant;
use crate::ui::dom::{Node, el, fragment};

/// Links to a file for any calendar, and to web calendars; `notes` describe the event type. A series has the file only: web links take one event.
pub(super) fn calendar_links(bookings: &[PublicBooking], notes: &str, now: Instant) -> Node {
    let texts = use_texts();
    let locations: Vec<String> = bookings
        .iter()
        .map(|booking| booked_location_text(booking.location.as_deref(), texts))
        .collect();
    let events: Vec<CalendarEvent<'_>> = bookings
        .iter()
        .zip(&locations)
        .map(|(booking, location)| CalendarEvent::of(booking, notes, location))
        .collect();
    let file = object_url(&calendar_file(&events, now)).map(|url| {
        el("a")
            .class("link")
            .attr("part", "calendar-file")
            .attr("href", &url)
            .attr("download", "booking.ics")
            .child(texts.get(Key::CalendarFile))
    });
    let link = |calendar: WebCalendar, key: Key| {
        let event = events.first().filter(|_| events.len() == 1)?;
        let url = web_calendar_url(calendar, event, |text| {
            js_sys::encode_uri_component(text).into()
        });
        Some(
            el("a")
                .class("link")
                .attr("href", &url)
                .attr("target", "_blank")
                .attr("rel", "noopener noreferrer")
                .child(texts.get(key)),
        )
    };
    let links = fragment()
        .child(file)
        .child(link(WebCalendar::Google, Key::GoogleCalendar))
        .child(link(WebCalendar::Outlook, Key::OutlookCalendar))
        .child(link(WebCalendar::Office, Key::OfficeCalendar));
    el("div")
        .class("calendars")
        .attr("role", "group")
        .attr("aria-label", texts.get(Key::AddToCalendar))
        .attr("part", "calendars")
        .child(icon(Shape::Calendar))
        .child(
            el("span")
                .attr("aria-hidden", "true")
                .child(texts.get(Key::AddToCalendar)),
        )
        .child(links)
}

/// Object URL of the file, valid as long as the view lives.
fn object_url(file: &str) -> Option<String> {
    let kind = BlobPropertyBag::new();
    kind.set_type("text/calendar;charset=utf-8");
    let parts = Array::of1(&JsValue::from_str(file));
    let blob = Blob::new_with_str_sequence_and_options(&parts, &kind).ok()?;
    let url = Url::create_object_url_with_blob(&blob).ok()?;
    let revoked = url.clone();
    on_cleanup(move || {
        // Cannot fail: the URL was created here.
        let _ = Url::revoke_object_url(&revoked);
    });
    Some(url)
}
