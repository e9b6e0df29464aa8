//! Links that add a booking to the visitor's own calendar.

use booking_calendar::{CalendarEvent, WebCalendar, calendar_file, web_calendar_url};
use booking_ui::prelude::*;
use js_sys::Array;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{Blob, BlobPropertyBag, Event, HtmlElement, KeyboardEvent, Url};

use super::shown_booking::ShownBooking;
use crate::components::live_region::use_status_line;
use crate::components::{Shape, button, icon};
use crate::features::shared::location::booked_location_text;
use crate::i18n::{Key, Translations};
use crate::time::Instant;

/// Id of the list of calendars.
const LIST: &str = "calendar-list";

/// Button that shows links to a file for any calendar and to web calendars. A series has the file only, because web
/// links take one event. The list closes when `is_cancelling`: the question is below it.
pub(super) fn calendar_links(
    shown: &ShownBooking<'_>,
    is_cancelling: RwSignal<bool>,
    now: Instant,
) -> Node {
    let texts = shown.locale.texts;
    let bookings = &shown.outcome.bookings;
    let page_url = shown.url.as_deref().unwrap_or_default();
    let notes = notes(&shown.context.event_type.description, page_url, texts);
    let locations: Vec<String> = bookings
        .iter()
        .map(|booking| booked_location_text(booking.location.as_deref(), texts))
        .collect();
    let events: Vec<CalendarEvent<'_>> = bookings
        .iter()
        .zip(&locations)
        .map(|(booking, location)| CalendarEvent::of(booking, &notes, location, page_url))
        .collect();
    let line = use_status_line();
    let file = object_url(&calendar_file(&events, now)).map(|url| {
        el("a")
            .attr("part", "calendar-file")
            .attr("href", &url)
            .attr("download", "booking.ics")
            .on("click", move |_| {
                line.set_text(texts.get(Key::CalendarFileSaved).to_owned());
            })
    });
    let class = if shown.is_complete() {
        "button-primary"
    } else {
        "button"
    };
    let label = texts.get(Key::AddToCalendar);
    let root = el("div").class("calendars").attr("part", "calendars");
    let [event] = events.as_slice() else {
        let file = file.map(|file| file.class(class).child(icon(Shape::Calendar)).child(label));
        return root.child(file);
    };
    let file = file.map(|file| file.child(texts.get(Key::CalendarFile)));
    let links = file.into_iter().chain(web_links(event, texts));
    menu(root, class, label, links.collect(), is_cancelling)
}

/// Description of the event type, and the link to the booking.
fn notes(description: &str, page_url: &str, texts: Translations) -> String {
    let description = description.trim();
    if page_url.is_empty() {
        return description.to_owned();
    }
    let gap = if description.is_empty() { "" } else { "\n\n" };
    let name = texts.get(Key::BookingLink);
    [description, gap, name, ": ", page_url].concat()
}

fn web_links(event: &CalendarEvent<'_>, texts: Translations) -> [Node; 3] {
    [
        (WebCalendar::Google, Key::GoogleCalendar),
        (WebCalendar::Outlook, Key::OutlookCalendar),
        (WebCalendar::Office, Key::OfficeCalendar),
    ]
    .map(|(calendar, name)| {
        let url = web_calendar_url(calendar, event, |text| {
            js_sys::encode_uri_component(text).into()
        });
        el("a")
            .attr("href", &url)
            .attr("target", "_blank")
            .attr("rel", "noopener noreferrer")
            .child(texts.get(name))
    })
}

/// Fills `root` with a button and a list of links, which the button shows and hides. Arrow keys move between them; Escape,
/// a choice and `is_cancelling` close the list.
fn menu(
    root: Node,
    class: &str,
    label: &str,
    links: Vec<Node>,
    is_cancelling: RwSignal<bool>,
) -> Node {
    let is_open = RwSignal::new(false);
    let toggle = button(class, move || {
        is_open.update(|is_open| *is_open = !*is_open)
    })
    .attr_with("aria-expanded", move || Some(is_open.get().to_string()))
    .attr("aria-controls", LIST)
    .child(icon(Shape::Calendar))
    .child(label)
    .child(icon(Shape::Expand));
    let stops: Vec<HtmlElement> = std::iter::once(&toggle)
        .chain(&links)
        .map(Node::element)
        .collect();
    let on_keydown = move |event: Event| {
        let key = event.unchecked_ref::<KeyboardEvent>().key();
        let at = event.target().and_then(|target| {
            let target = target.dyn_ref();
            stops.iter().position(|stop| stop.is_same_node(target))
        });
        let next = match (key.as_str(), at) {
            ("Escape", _) if is_open.get_untracked() => {
                // A dialog around it stays open.
                event.stop_propagation();
                is_open.set(false);
                0
            }
            ("ArrowDown", Some(at)) => {
                is_open.set(true);
                at + 1
            }
            ("ArrowUp", Some(at)) => at.saturating_sub(1),
            _ => return,
        };
        event.prevent_default();
        if let Some(stop) = stops.get(next).cloned() {
            // A list that is just opening cannot take the focus before the next frame.
            request_animation_frame(move || {
                let _ = stop.focus();
            });
        }
    };
    let button = toggle.element();
    let on_choice = move |_| {
        is_open.set(false);
        // The link, which had the focus, is hidden.
        let _ = button.focus();
    };
    let items = links.into_iter().map(|link| el("li").child(link));
    let list = el("ul")
        .class("calendar-list")
        .attr("id", LIST)
        .attr("aria-label", label)
        .attr_with("hidden", move || (!is_open.get()).then(String::new))
        .child(fragment_of(items))
        .on("click", on_choice);
    let element = list.element();
    effect(move || {
        if is_open.get() {
            let element = element.clone();
            request_animation_frame(move || scroll_into_view(&element));
        }
    });
    effect(move || {
        if is_cancelling.get() {
            is_open.set(false);
        }
    });
    root.on("keydown", on_keydown).child(toggle).child(list)
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
