//! Steps of visitors, and queries for what the service knows of them.

use std::time::{SystemTime, UNIX_EPOCH};

use booking_wire::Instant;
use serde_json::{Value, json};

use super::ZONE;
use super::demo::{DESIGN_REVIEW, SITE_VISIT, TEAM_ROLES};
use super::faults::Faults;
use super::http::Response;
use super::page::{Locator, Page, containing, starting};
use super::service::Service;
use super::webdriver::Key;

/// Opens the sign-in screen of the app at `url`, signs in to the demo account and waits for the bookings. Records errors.
#[track_caller]
pub(crate) fn open_signed_in(url: &str) -> Page {
    let page = Page::open(url);
    page.record_errors();
    page.button("Use the demo account").click();
    page.css("tr.booking").first().wait();
    page
}

/// Free slot, from the service and as a page in American English shows it.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct FreeSlot {
    pub(crate) start: Instant,
    /// `Tuesday, November 24, 2026`.
    pub(crate) day: String,
    /// `November 24`, a part of every format of the date.
    pub(crate) date: String,
    /// `9:30 AM`.
    pub(crate) time: String,
}

impl FreeSlot {
    /// `Tuesday, November 24`, as in the title of a day that is near.
    pub(crate) fn title(&self) -> &str {
        let parts = self.day.rsplit_once(", ");
        parts.map_or(&self.day, |(title, _)| title)
    }

    /// `2026-11-27`, in UTC, which no offered time of the tests' zones leaves.
    pub(crate) fn iso_date(&self) -> String {
        self.start.to_string().chars().take(10).collect()
    }
}

/// First slot of the first day that has at least `count` of them.
#[track_caller]
pub(crate) fn first_of_day_with(count: usize, free: &[FreeSlot]) -> &FreeSlot {
    let mut runs = free.windows(count);
    let run = runs.find(|slots| slots[0].day == slots[count - 1].day);
    &run.expect("a day with enough free slots")[0]
}

/// Parses an instant; panics if the text is invalid.
#[track_caller]
pub(crate) fn parse_instant(text: &str) -> Instant {
    Instant::parse(text).unwrap_or_else(|| panic!("`{text}` is no moment"))
}

/// Parses an instant from a JSON string.
#[track_caller]
pub(crate) fn instant(value: &Value) -> Instant {
    parse_instant(value.as_str().unwrap_or_default())
}

/// Opens an embedding page in American English. `head` is placed before the script of the elements,
/// `body` holds the elements.
#[track_caller]
pub(crate) fn open_page(faults: &Faults, head: &str, body: &str) -> Page {
    let html = format!(
        r#"<!doctype html><html lang="en-US"><meta charset="utf-8"><title>Somebody’s page</title>
        {head}<script type="module" src="/embed/embed.js"></script><body>{body}</body></html>"#
    );
    faults.page("/page.html", &[], &html);
    let page = Page::open(&faults.url("/page.html"));
    page.record_errors();
    page
}

/// Current instant.
pub(crate) fn now() -> Instant {
    let now = SystemTime::now().duration_since(UNIX_EPOCH);
    Instant(now.map_or(0, |now| now.as_millis() as i64))
}

/// Finds the lists of slots, one for each day shown.
pub(crate) fn slot_lists(page: &Page) -> Locator<'_> {
    page.role("list", starting("Times on"))
}

/// Waits until slots are shown.
#[track_caller]
pub(crate) fn wait_for_slots(page: &Page) {
    slot_lists(page).first().wait();
}

/// Selects the first slot shown and waits for the form.
#[track_caller]
pub(crate) fn select_first_slot(page: &Page) {
    slot_lists(page).each("button").first().click();
    page.heading("Your details").wait();
}

/// Selects the first slot of an event type with a series, and waits for its dates.
pub(crate) fn select_first_series(page: &Page) {
    slot_lists(page).each("button").first().click();
    page.heading("Your dates").wait();
}

/// Presses Tab until the element has the focus, as [`Page::focus`] describes it. Returns the number of presses.
#[track_caller]
pub(crate) fn tab_to(page: &Page, element: &str) -> usize {
    for presses in 0..60 {
        if page.focus() == element {
            return presses;
        }
        page.press(Key::Tab);
    }
    page.fail(&format!("Tab does not lead to {element}"));
}

/// Fills in the attendee.
#[track_caller]
pub(crate) fn fill_in(picker: &Locator) {
    picker.field("Your name").fill("Grace Hopper");
    picker.field("Email address").fill("grace@example.org");
}

/// Returns by how many CSS pixels content overflows the picker.
#[track_caller]
pub(crate) fn picker_overflow(page: &Page) -> f64 {
    let script = "const host = document.querySelector('booking-picker'); \
                  const edge = host.getBoundingClientRect(); \
                  const all = [...host.shadowRoot.querySelectorAll('.base *')] \
                    .filter((each) => !each.closest('.visually-hidden, dialog')); \
                  const beyond = all.map((each) => each.getBoundingClientRect()) \
                    .filter((box) => box.width > 0) \
                    .map((box) => Math.max(box.right - edge.right, edge.left - box.left)); \
                  return Math.max(...beyond)";
    page.run(script, &[]).as_f64().expect("a width")
}

/// Returns the free slots of an event type within five weeks, from the second day on: the picker
/// selects the first by itself. The browser formats them.
#[track_caller]
pub(crate) fn free_slots(service: &Service, page: &Page, event_type_id: i64) -> Vec<FreeSlot> {
    free_slots_in(ZONE, service, page, event_type_id)
}

/// [`free_slots`] in another zone.
#[track_caller]
pub(crate) fn free_slots_in(
    zone: &str,
    service: &Service,
    page: &Page,
    event_type_id: i64,
) -> Vec<FreeSlot> {
    let starts = starts_in(zone, service, event_type_id);
    let script = "const [starts, timeZone] = arguments; \
                  const write = (options) => { \
                    const format = new Intl.DateTimeFormat('en-US', { timeZone, ...options }); \
                    return (start) => format.format(new Date(start)); \
                  }; \
                  const weekday = 'long', year = 'numeric', month = 'long', day = 'numeric'; \
                  const all = [write({ weekday, year, month, day }), write({ month, day }), \
                    write({ hour: 'numeric', minute: '2-digit', hour12: true })]; \
                  return starts.map((start) => all.map((format) => format(start).replace(/\\s/g, ' ')))";
    let millis: Vec<i64> = starts.iter().map(|start| start.0).collect();
    let written = page.run(script, &[json!(millis), json!(zone)]);
    let word = |words: &Value, index: usize| words[index].as_str().unwrap_or("").to_owned();
    let free: Vec<FreeSlot> = starts
        .into_iter()
        .zip(written.as_array().into_iter().flatten())
        .map(|(start, words)| FreeSlot {
            start,
            day: word(words, 0),
            date: word(words, 1),
            time: word(words, 2),
        })
        .collect();
    assert!(free.len() > 10, "hardly any free times: {free:?}");
    free
}

/// Selects a day and a time in a picker.
#[track_caller]
pub(crate) fn select_slot(page: &Page, picker: &Locator, free: &FreeSlot) {
    select_day(page, picker, free)
        .button(free.time.as_str())
        .click();
    picker.heading("Your details").wait();
}

/// Selects the day of a free slot in a picker and returns the list of its times. The day that a
/// picker selects itself may have a single slot left, as tests run at any time of day.
#[track_caller]
pub(crate) fn select_day<'page>(
    page: &Page,
    picker: &Locator<'page>,
    free: &FreeSlot,
) -> Locator<'page> {
    let day = picker.button(starting(&format!("{},", free.day)));
    page.wait_until("times", || {
        picker.role("list", starting("Times on")).exists()
    });
    if !day.exists() {
        picker.button("Next month").click();
    }
    page.wait_until(&format!("{} to be free", free.day), || day.is_enabled());
    day.click();
    let slots = slots_of_day(picker, free);
    slots.wait();
    let night = page.css(".times[data-folded] .times-night");
    if night.exists() {
        night.click();
    }
    slots
}

/// Searches for a time zone by a part of its name and selects the first result.
#[track_caller]
pub(crate) fn select_time_zone(page: &Page, picker: &Locator, typed: &str) {
    let before = picker.button(starting("Time zone:")).name();
    picker.button(starting("Time zone:")).click();
    page.role("combobox", "Time zone").fill(typed);
    let found = page.role("option", starting(""));
    page.wait_until(&format!("{typed} to be found"), || {
        let first = found.names().into_iter().next().unwrap_or_default();
        first.to_lowercase().contains(typed)
    });
    page.press(Key::Enter);
    page.wait_until("the zone to be set", || {
        let button = picker.button(starting("Time zone:"));
        button.exists() && button.name() != before
    });
}

/// List of times of that day, once it is selected.
pub(crate) fn slots_of_day<'page>(picker: &Locator<'page>, free: &FreeSlot) -> Locator<'page> {
    picker.role("list", containing(&format!("{},", free.date)))
}

/// Returns a free slot of an event type within five weeks, counted from the second day on.
#[track_caller]
pub(crate) fn free_start(service: &Service, event_type_id: i64, index: usize) -> Instant {
    let starts = starts_in("UTC", service, event_type_id);
    *starts.get(index).expect("so many free times")
}

/// Returns the free slots of an event type within five weeks, from the second day in `zone` on.
#[track_caller]
fn starts_in(zone: &str, service: &Service, event_type_id: i64) -> Vec<Instant> {
    let now = now();
    let path = format!(
        "/v2/slots?eventTypeId={event_type_id}&start={now}&end={}&timeZone={zone}",
        now.plus_minutes(35 * 24 * 60)
    );
    let days = service.booker(event_type_id).get(&path).data();
    let days = days.as_object().expect("days").values().skip(1);
    days.flat_map(|slots| slots.as_array().cloned().unwrap_or_default())
        .map(|slot| instant(&slot["start"]))
        .collect()
}

/// Sends a booking of another visitor, without a browser.
#[track_caller]
pub(crate) fn create_booking(
    service: &Service,
    event_type_id: i64,
    start: Instant,
    (name, email): (&str, &str),
    more: &Value,
) -> Response {
    let mut body = json!({
        "eventTypeId": event_type_id,
        "start": start.to_string(),
        "attendee": { "name": name, "email": email, "timeZone": ZONE },
    });
    for (key, value) in more.as_object().into_iter().flatten() {
        body[key] = value.clone();
    }
    service.booker(event_type_id).post("/v2/bookings", &body)
}

/// Makes a booking for Grace and returns its uid.
#[track_caller]
pub(crate) fn create_booking_of_grace(
    service: &Service,
    event_type_id: i64,
    start: Instant,
) -> String {
    let grace = ("Grace Hopper", "grace@example.org");
    let made = create_booking(service, event_type_id, start, grace, &json!({}));
    assert_eq!(made.status, 201, "{made:?}");
    made.data()["uid"].as_str().expect("a uid").to_owned()
}

/// Makes a booking for Grace with the answers that the demo's event type requires, at the free slot with this
/// index, and returns its uid.
#[track_caller]
pub(crate) fn booking_at(service: &Service, event_type_id: i64, index: usize) -> String {
    let grace = ("Grace Hopper", "grace@example.org");
    booking_by(service, event_type_id, index, grace)
}

/// Makes the booking for a person with this name and address. A caller of many names several addresses: one mailbox gets a
/// limited number of messages.
pub(crate) fn booking_by(
    service: &Service,
    event_type_id: i64,
    index: usize,
    person: (&str, &str),
) -> String {
    let more = match event_type_id {
        DESIGN_REVIEW => json!({ "bookingFieldsResponses": { "project": "Checkout" } }),
        SITE_VISIT => json!({ "location": { "type": "address" } }),
        _ => json!({}),
    };
    let start = free_start(service, event_type_id, index);
    let created = create_booking(service, event_type_id, start, person, &more);
    assert_eq!(created.status, 201, "{created:?}");
    created.data()["uid"].as_str().expect("a uid").to_owned()
}

/// Returns the role of that name of the demo's team, from the service.
pub(crate) fn stored_role(service: &Service, name: &str) -> Option<Value> {
    let roles = service.owner().get(TEAM_ROLES).data();
    let roles = roles.as_array().cloned().unwrap_or_default();
    roles.into_iter().find(|role| role["name"] == name)
}

/// Decodes names and values of the query in `METHOD path?query`.
pub(crate) fn query_pairs(request: &str) -> Vec<(String, String)> {
    let query = request.split_once('?').map_or("", |(_, query)| query);
    query
        .split('&')
        .filter_map(|pair| pair.split_once('='))
        .map(|(name, value)| (decoded(name), decoded(value)))
        .collect()
}

/// Returns the value of one name in the query.
pub(crate) fn query_value(request: &str, name: &str) -> Option<String> {
    let found = query_pairs(request)
        .into_iter()
        .find(|(known, _)| known == name);
    found.map(|(_, value)| value)
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'+' => b' ',
            b'%' => {
                let digits: String = rest.by_ref().take(2).map(char::from).collect();
                u8::from_str_radix(&digits, 16).expect("a percent code")
            }
            byte => byte,
        });
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
