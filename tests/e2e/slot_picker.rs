//! Slot selection: layouts, time zones, days without slots, and slots that change while shown.

use crate::common::{
    DESKTOP, Fault, Faults, FreeSlot, INTRO_CALL, Key, Locator, PHONE, Page, Service, containing,
    create_booking, free_slots, free_slots_in, is_cal_dialect, query_value, select_slot,
    select_time_zone, slot_lists, slots_of_day, starting,
};
use serde_json::{Value, json};

/// Opens an embedding page with a picker of the intro call.
fn open(faults: &Faults, attributes: &str) -> Page {
    open_with(faults, &format!(r#"event-slug="intro-call" {attributes}"#))
}

fn open_with(faults: &Faults, attributes: &str) -> Page {
    let html = format!(
        r#"<!doctype html><html lang="en"><meta charset="utf-8"><title>Somebody’s page</title>
        <script type="module" src="/embed/embed.js"></script>
        <body><booking-picker username="ada" {attributes}></booking-picker></body></html>"#
    );
    let name = attributes.replace(|letter: char| !letter.is_ascii_alphanumeric(), "");
    let path = format!("/{name}.html");
    faults.page(&path, &[], &html);
    let page = Page::open(&faults.url(&path));
    page.record_errors();
    page
}

fn picker(page: &Page) -> Locator<'_> {
    page.css("booking-picker")
}

fn slot_requests(faults: &Faults) -> usize {
    faults.count("GET", "/v2/slots")
}

/// Opens a page with a new event type whose setting the service applies but hides from the response: a
/// picker that knows the setting would not search in vain.
fn open_new_event_type(service: &Service, faults: &Faults, setting: &str, value: Value) -> Page {
    let days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"];
    let hours = json!({
        "name": "Hours", "timeZone": "Europe/London", "isDefault": true,
        "availability": [{ "days": days, "startTime": "09:00", "endTime": "17:00" }],
    });
    let schedule = service.owner().post("/v2/schedules", &hours);
    assert_eq!(schedule.status, 201, "{schedule:?}");
    let mut body = json!({
        "title": "Far away", "slug": "far-away", "lengthInMinutes": 30,
        "scheduleId": schedule.data()["id"],
    });
    body[setting] = value;
    let made = service.owner().post("/v2/event-types", &body);
    assert_eq!(made.status, 201, "{made:?}");
    let id = made.data()["id"].to_string();
    let path = format!("/v2/event-types/{id}");
    let mut last_event = service.owner().get(&path).data();
    last_event[setting] = Value::Null;
    // A query by name returns a list.
    let (path, data) = match is_cal_dialect() {
        true => ("/v2/event-types", json!([last_event])),
        false => (path.as_str(), last_event),
    };
    let answer = json!({ "status": "success", "data": data });
    faults.page(path, &[], &answer.to_string());
    open_with(faults, &format!(r#"event-type-id="{id}""#))
}

/// Pages forward until the times of that day are shown.
fn page_forward_to<'page>(page: &'page Page, free: &FreeSlot, next: &str) -> Locator<'page> {
    let picker = picker(page);
    let list = slots_of_day(&picker, free);
    for _ in 0..12 {
        page.wait_for_quiet();
        if list.exists() {
            return list;
        }
        picker.button(next).click();
    }
    page.fail("the day does not come into view")
}

#[test]
fn swipe_over_the_times_shows_the_next_day_that_has_times() {
    let service = Service::start();
    let faults = Faults::before(&service);
    for (direction, forward) in [("ltr", -120), ("rtl", 120)] {
        let page = open(&faults, &format!(r#"dir="{direction}""#));
        page.emulate_viewport(PHONE, 16);
        let picker = picker(&page);
        picker.css(".time").first().wait();
        let days = "return [...document.querySelector('booking-picker').shadowRoot \
            .querySelectorAll('.day:not([aria-disabled])')].map((day) => Number(day.textContent))";
        let days = page.run(days, &[]);
        let selected = || {
            let text = picker.css("td[aria-selected=true] .day").read_text();
            text.parse::<u32>().expect("a day")
        };
        let swipe = |way: i64| {
            let place = "const time = document.querySelector('booking-picker').shadowRoot \
                .querySelector('.time'); time.scrollIntoView({ block: 'center' }); \
                const box = time.getBoundingClientRect(); \
                return [box.left + box.width / 2, box.top + box.height / 2]";
            let place = page.run(place, &[]);
            let x = place[0].as_f64().unwrap_or_default();
            for (kind, x) in [
                ("touchStart", Some(x)),
                ("touchMove", Some(x + way as f64 / 2.0)),
                ("touchMove", Some(x + way as f64)),
                ("touchEnd", None),
            ] {
                let points = x.map(|x| json!({ "x": x, "y": place[1] }));
                let points: Vec<_> = points.into_iter().collect();
                page.devtools(
                    "Input.dispatchTouchEvent",
                    json!({ "type": kind, "touchPoints": points }),
                );
            }
        };
        let day = |place: usize| days[place].as_u64();
        swipe(forward);
        page.wait_until("the second day", || Some(u64::from(selected())) == day(1));
        swipe(forward);
        page.wait_until("the third day", || Some(u64::from(selected())) == day(2));
        swipe(-forward);
        page.wait_until("the second day again", || {
            Some(u64::from(selected())) == day(1)
        });
        // A short movement is none, and no time was chosen.
        swipe(-forward / 5);
        page.wait_for_quiet();
        assert_eq!(Some(u64::from(selected())), day(1));
        assert!(!picker.css(".flow-form").exists());
        page.assert_no_errors();
    }
}

#[test]
fn slot_is_selected_in_week_and_column_layouts() {
    let service = Service::start();
    let faults = Faults::before(&service);
    for (view, attribute, next) in [
        ("Week", "week", "Next week"),
        ("Days", "column", "Later days"),
    ] {
        let before = slot_requests(&faults);
        let page = open(&faults, &format!(r#"view="{attribute}""#));
        page.resize(DESKTOP.0, DESKTOP.1);
        let free = free_slots(&service, &page, INTRO_CALL)[2].clone();
        slot_lists(&page).first().wait();
        assert!(page.field(view).is_checked());
        page_forward_to(&page, &free, next)
            .button(free.time.as_str())
            .click();
        page.heading("Your details").wait();
        page.wait_for_text(free.title());

        // Going back restores the layout, the days and the selected time.
        page.button("Change time").click();
        assert!(page.field(view).is_checked());
        page.button(starting("Continue with")).wait();
        // Another layout shows the same day, and fetches only unknown ranges.
        page.field("Month").click();
        slots_of_day(&picker(&page), &free).wait();
        page.button(starting("Continue with")).click();
        page.heading("Your details").wait();
        // The search, the days in view, and those after them if the pointer is on the button that leads to them.
        let mut requests = faults.seen("GET", "/v2/slots").split_off(before);
        let count = requests.len();
        assert!(count <= 3, "{requests:?}");
        requests.sort();
        requests.dedup();
        assert_eq!(requests.len(), count, "{requests:?}");
        page.assert_no_errors();
    }
}

#[test]
fn arrow_keys_move_between_slots_of_several_days() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open(&faults, r#"view="column""#);
    page.resize(DESKTOP.0, DESKTOP.1);
    slot_lists(&page).nth(1).wait();
    let first = slot_lists(&page).nth(0).each("button").names();
    let second = slot_lists(&page).nth(1).each("button").names();
    page.run(
        "document.querySelector('booking-picker').shadowRoot.querySelector('.time').focus()",
        &[],
    );
    let focus = |name: &str| {
        let wanted = format!("button \"{name}\"");
        page.wait_until(&wanted, || page.focus() == wanted);
    };
    page.press(Key::Down);
    focus(&first[1]);
    page.press(Key::Right);
    focus(&second[1]);
    page.press(Key::Up);
    focus(&second[0]);
    page.press(Key::Enter);
    page.heading("Your details").wait();
    page.assert_no_errors();
}

#[test]
fn month_without_slots_offers_the_next_available_day() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let minutes = 150 * 24 * 60;
    let page = open_new_event_type(&service, &faults, "minimumBookingNotice", minutes.into());
    page.wait_for_text("No times in");
    let next = page.button(starting("Next available:"));
    next.wait();
    let day = next.name().replace("Next available: ", "");
    // First one month, then a few requests for long ranges.
    assert!(
        (2..=4).contains(&slot_requests(&faults)),
        "{:?}",
        faults.seen("GET", "/v2/slots")
    );
    next.click();
    page.role("list", starting(&format!("Times on {day},")))
        .wait();
    slot_lists(&page).each("button").first().click();
    page.heading("Your details").wait();
    page.assert_no_errors();
}

#[test]
fn picker_opens_at_the_month_of_the_first_slot() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.always("GET", "/v2/slots", Fault::Hang);
    let minutes = 45 * 24 * 60;
    let page = open_new_event_type(&service, &faults, "minimumBookingNotice", minutes.into());
    // The current month, the search, and the month of the first slot: none of them is shown as empty.
    for request in 1..=3 {
        page.wait_until("the request", || faults.hanging() == 1);
        assert_eq!(slot_requests(&faults), request);
        assert!(!page.shows("No times in"), "{request}");
        faults.release();
    }
    slot_lists(&page).wait();
    page.wait_for_quiet();
    faults.clear();
    assert_eq!(slot_requests(&faults), 3);
    let (picker, title) = (picker(&page), page.css(".picker-title"));
    let selected = picker.css("td[aria-selected=true] .day").name();
    let months = title.read_text();
    let month = months.split(' ').next().unwrap_or_default();
    assert!(selected.contains(month), "{selected}, {months}");

    // The visitor can still look at the current month.
    while page.button("Previous month").is_enabled() {
        page.button("Previous month").click();
        page.wait_for_quiet();
    }
    page.wait_for_text("No times in");
    page.button(starting("Next available:")).wait();
    page.wait_for_quiet();
    assert!(page.shows("No times in"));
    page.assert_no_errors();

    // A day that the page has chosen stays in view.
    let script = "const day = (later) => new Date(Date.now() + later * 864e5).toISOString().slice(0, 10); \
        return [document.querySelector('booking-picker').getAttribute('event-type-id'), day(0), day(75)]";
    let values = page.run(script, &[]);
    let text = |index: usize| values[index].as_str().unwrap_or_default();
    let chosen = format!(r#"event-type-id="{}" start-date="{}""#, text(0), text(1));
    let page = open_with(&faults, &chosen);
    page.button(starting("Next available:")).wait();
    page.wait_for_quiet();
    assert!(page.shows("No times in"));
    page.assert_no_errors();

    // A later month waits for no slots of the first one.
    let later = format!(r#"event-type-id="{}" start-date="{}""#, text(0), text(2));
    let page = open_with(&faults, &later);
    page.css(".picker-title").wait();
    page.wait_for_quiet();
    assert_eq!(page.css(".soonest .ghost").count(), 0);

    // A past one does not.
    let past = format!(r#"event-type-id="{}" start-date="2026-01-05""#, text(0));
    let page = open_with(&faults, &past);
    slot_lists(&page).wait();
    assert!(!page.shows("No times in"));
    page.assert_no_errors();
}

#[test]
fn year_without_slots_differs_from_an_unreachable_service() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let over = json!({ "type": "range", "value": ["2020-01-06", "2020-01-10"] });
    let page = open_new_event_type(&service, &faults, "bookingWindow", over);
    page.wait_for_text("Fully booked for the next 12 months");
    assert!(!page.button(starting("Next available")).exists());
    assert_eq!(slot_requests(&faults), 5);

    faults.always("GET", "/v2/slots", Fault::Drop);
    page.button("Next month").click();
    page.wait_for_text("The service cannot be reached");
    faults.clear();
    page.button("Try again").click();
    page.wait_for_text("No times in");
}

#[test]
fn time_zone_is_found_by_city_country_and_offset() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open(&faults, "");
    slot_lists(&page).wait();
    let picker = picker(&page);
    for (typed, first) in [
        ("new york", "New York"),
        ("india", "Kolkata"),
        ("+05:45", "Kathmandu"),
        ("germany", "Berlin"),
        ("United States", "New York"),
        ("USA", "New York"),
        ("uk", "London"),
        ("munich", "Berlin"),
        ("München", "Berlin"),
        ("san francisco", "Los Angeles"),
        ("Mumbai", "Kolkata"),
        ("EST", "New York"),
    ] {
        picker.button(starting("Time zone:")).click();
        page.role("combobox", "Time zone").fill(typed);
        page.role("option", starting(first)).first().wait();
        page.press(Key::Escape);
        page.role("option", starting(first)).wait_gone();
        page.wait_until("the focus to be back", || {
            page.focus()
                .starts_with("button \"Time zone: Europe/London")
        });
    }
    picker.button(starting("Time zone:")).click();
    page.role("combobox", "Time zone").fill("nowhere at all");
    page.wait_for_text("No matching time zone.");
    page.press(Key::Escape);

    select_time_zone(&page, &picker, "tokyo");
    picker.button("Time zone: Asia/Tokyo, GMT+9").wait();
    let free = free_slots_in("Asia/Tokyo", &service, &page, INTRO_CALL)[0].clone();
    select_slot(&page, &picker, &free);
    page.wait_for_text("Tokyo · GMT+9");
    page.assert_no_errors();
}

#[test]
fn next_month_is_prefetched_on_focus() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open(&faults, "");
    slot_lists(&page).wait();
    page.wait_for_quiet();
    assert_eq!(slot_requests(&faults), 1, "one month is requested");
    page.run(
        "document.querySelector('booking-picker').shadowRoot \
         .querySelectorAll('.picker-head button')[1].focus()",
        &[],
    );
    page.wait_until("the next month", || slot_requests(&faults) == 2);
    page.wait_for_quiet();
    let before = page.each("grid").name();
    page.press(Key::Enter);
    page.wait_until("another month", || page.each("grid").name() != before);
    slot_lists(&page).wait();
    page.button("Previous month").click();
    page.wait_until("the month before", || page.each("grid").name() == before);
    slot_lists(&page).wait();
    assert_eq!(
        slot_requests(&faults),
        2,
        "cached months are not requested again"
    );
    page.assert_no_errors();
}

#[test]
fn stale_slots_are_refreshed_without_moving_the_focus() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open(&faults, r#"stale-after="1""#);
    let picker = picker(&page);
    let free = free_slots(&service, &page, INTRO_CALL);
    let (taken, kept) = (free[0].clone(), free[1].clone());
    assert_eq!(taken.day, kept.day);
    page.wait_until("slots", || slot_lists(&page).exists());
    let day = picker.button(starting(&format!("{},", taken.day)));
    page.wait_until("the day to be free", || day.is_enabled());
    day.click();
    let list = slots_of_day(&picker, &taken);
    list.button(taken.time.as_str()).wait();
    page.run(
        "const [time] = arguments; \
         const all = [...document.querySelector('booking-picker').shadowRoot.querySelectorAll('.time')]; \
         all.find((each) => each.textContent.replace(/\\s/g, ' ') === time).focus()",
        &[json!(kept.time)],
    );
    let focus = page.focus();
    let somebody = ("Grace Hopper", "grace@example.org");
    let answer = create_booking(&service, INTRO_CALL, taken.start, somebody, &json!({}));
    assert_eq!(answer.status, 201);
    page.wait_until("the slot to be removed", || {
        !list.button(taken.time.as_str()).exists()
    });
    page.wait_until("the focus to stay", || page.focus() == focus);

    // A failed refresh keeps the known slots.
    faults.always("GET", "/v2/slots", Fault::Drop);
    let before = slot_requests(&faults);
    page.wait_until("another request", || slot_requests(&faults) > before);
    assert!(list.button(kept.time.as_str()).exists());
    page.assert_no_errors();
}

#[test]
fn visible_tab_refreshes_its_slots() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open(&faults, "");
    slot_lists(&page).wait();
    // The first request came from the loader, for more days than are shown.
    for before in [1, 2] {
        page.wait_until("another request", || {
            page.run("document.dispatchEvent(new Event('visibilitychange'))", &[]);
            slot_requests(&faults) > before
        });
    }
    let seen = faults.seen("GET", "/v2/slots");
    let ends: Vec<_> = seen
        .iter()
        .map(|slot_requests| query_value(slot_requests, "end"))
        .collect();
    assert_eq!(ends[1], ends[2], "the same days");
    page.assert_no_errors();
}

#[test]
fn step_mode_confirm_needs_a_second_press() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open(&faults, r#"step-mode="confirm""#);
    slot_lists(&page).wait();
    let first = slot_lists(&page).each("button").first().name();
    slot_lists(&page).each("button").first().click();
    let go_on = page.button(format!("Continue with {first}").as_str());
    go_on.wait();
    assert!(!page.heading("Your details").exists());
    // Another selection moves the button.
    let other = slot_lists(&page)
        .each("button")
        .names()
        .into_iter()
        .next_back()
        .expect("a time");
    page.button(other.as_str()).click();
    go_on.wait_gone();
    page.button(starting("Continue with")).click();
    page.heading("Your details").wait();
    page.assert_no_errors();
}

#[test]
fn locked_time_zone_also_shows_the_visitors_time() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open(&faults, r#"lock-time-zone time-zone="Asia/Tokyo""#);
    slot_lists(&page).wait();
    page.wait_for_text("Tokyo");
    assert!(!page.button(starting("Time zone")).exists());
    slot_lists(&page).each("button").first().wait();
    assert!(slot_lists(&page).button(containing("your time")).exists());
    let overflow = "const times = document.querySelector('booking-picker').shadowRoot.querySelectorAll('.time'); \
        return [...times].filter((time) => time.scrollHeight > time.offsetHeight).length";
    assert_eq!(page.run(overflow, &[]), 0);
    page.assert_no_errors();
}

#[test]
fn start_date_and_week_start_are_applied() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open(&faults, "");
    let free = free_slots(&service, &page, INTRO_CALL);
    let day = page.run(
        "return new Date(arguments[0]).toISOString().slice(0, 10)",
        &[Value::from(free[free.len() / 2].start.0)],
    );
    let day = day.as_str().expect("a day").to_owned();
    let page = open(
        &faults,
        &format!(r#"start-date="{day}" week-start="wednesday""#),
    );
    slots_of_day(&picker(&page), &free[free.len() / 2]).wait();
    assert_eq!(page.each("columnheader").first().read_text(), "Wed");
    page.assert_no_errors();
}

/// Defines functions for the contrast of colors and for the style of the picker's elements.
const CONTRAST: &str = "const root = document.querySelector('booking-picker').shadowRoot; \
    const context = document.createElement('canvas').getContext('2d'); \
    const luminance = (color) => { \
      context.fillStyle = color; context.fillRect(0, 0, 1, 1); \
      const [red, green, blue] = [...context.getImageData(0, 0, 1, 1).data].map((value) => \
        value / 255 <= .04045 ? value / 255 / 12.92 : ((value / 255 + .055) / 1.055) ** 2.4); \
      return .2126 * red + .7152 * green + .0722 * blue }; \
    const contrast = (one, other) => { \
      const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b); \
      return (light + .05) / (dark + .05) }; \
    const style = (selector) => getComputedStyle(root.querySelector(selector));";

/// Returns contrasts and styles of bookable days, of the others and of the surface: text of the others against the
/// surface, texts against each other, weights, if only bookable days are filled, and if the pane of times has another
/// color.
const DAY_STYLES: &str = "const free = style('td[aria-selected=false] .day:not([aria-disabled])'); \
    const other = style('.day[aria-disabled]'); \
    const surface = style('.card').backgroundColor; \
    const isClear = (each) => /, 0\\)|transparent/.test(each.backgroundColor); \
    return [contrast(other.color, surface), contrast(free.color, other.color), \
      Number(free.fontWeight) - Number(other.fontWeight), isClear(other) && !isClear(free), \
      style('.picker-times').backgroundColor !== surface]";

#[test]
fn bookable_days_differ_from_others_without_color() {
    let service = Service::start();
    let faults = Faults::before(&service);
    for theme in ["light", "dark"] {
        let page = open(&faults, &format!(r#"theme="{theme}""#));
        slot_lists(&page).wait();
        page.wait_for_quiet();
        let styles = page.run(&format!("{CONTRAST} {DAY_STYLES}"), &[]);
        let number = |index: usize| styles[index].as_f64().unwrap_or_default();
        assert!(number(0) >= 4.5, "{theme}: text of other days: {styles}");
        assert!(number(1) >= 3.0, "{theme}: bookable or not: {styles}");
        assert!(number(2) >= 200.0, "{theme}: weights: {styles}");
        assert_eq!(styles[3], json!(true), "{theme}: fill: {styles}");
        assert_eq!(styles[4], json!(true), "{theme}: times: {styles}");
        page.assert_no_errors();
    }
}

#[test]
fn color_of_event_type_is_readable_accent() {
    let service = Service::start();
    let faults = Faults::before(&service);
    // Too light for text in the light theme, too dark in the dark one.
    let color = json!({ "lightThemeHex": "#ffe600", "darkThemeHex": "#00008b" });
    let colored = |color: Value, brand: &'static str| {
        faults.rewrite("/v2/event-types", move |answer| {
            let change = |each: &mut Value| {
                each["color"] = color.clone();
                each["users"][0]["brandColor"] = json!(brand);
            };
            match &mut answer["data"] {
                Value::Array(all) => all.iter_mut().for_each(change),
                one => change(one),
            }
        });
    };
    let chosen = "const chosen = style('td[aria-selected=true] .day'); \
        return [contrast(chosen.backgroundColor, style('.card').backgroundColor), \
          contrast(chosen.backgroundColor, chosen.color), chosen.backgroundColor]";
    // The color of the event type takes precedence over the brand color of its host.
    for (theme, accent, color, brand, used) in [
        ("light", "rgb(11, 87, 208)", &color, "#0f766e", "#ffe600"),
        ("dark", "rgb(168, 199, 250)", &color, "#0f766e", "#ffe600"),
        (
            "light",
            "rgb(11, 87, 208)",
            &json!(null),
            "#fde68a",
            "#fde68a",
        ),
    ] {
        colored(color.clone(), brand);
        let page = open(&faults, &format!(r#"theme="{theme}""#));
        slot_lists(&page).wait();
        page.wait_for_quiet();
        let looks = page.run(&format!("{CONTRAST} {chosen}"), &[]);
        let contrast = |index: usize| looks[index].as_f64().unwrap_or_default();
        assert!(contrast(0) >= 4.5 && contrast(1) >= 4.5, "{theme}: {looks}");
        assert_ne!(looks[2], json!(accent), "{theme}");
        let property = "return style('.flow') && root.querySelector('.flow').style.getPropertyValue('--_event-light')";
        let property = page.run(&format!("{CONTRAST} {property}"), &[]);
        assert_eq!(property, json!(used), "{theme}");
        // The page's own accent takes precedence.
        page.run(
            "document.body.style.setProperty('--booking-accent', arguments[0])",
            &[json!(accent)],
        );
        page.wait_until("the page's accent", || {
            page.run(&format!("{CONTRAST} {chosen}"), &[])[2] == json!(accent)
        });
        page.assert_no_errors();
    }
}

#[test]
fn narrow_picker_has_one_line_of_head_and_foot_and_shows_week_as_days() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open(&faults, r#"view="week" style="inline-size: 304px""#);
    slot_lists(&page).first().wait();
    let script = "const root = document.querySelector('booking-picker').shadowRoot; \
        const height = (selector) => root.querySelector(selector).getBoundingClientRect().height; \
        const days = root.querySelector('.layout-switch [value=column] + span'); \
        return [height('.picker-head'), height('.picker-zone'), getComputedStyle(days).boxShadow !== 'none']";
    let looks = page.run(script, &[]);
    let height = |index: usize| looks[index].as_f64().unwrap_or_default();
    assert!(height(0) < 66.0 && height(1) < 60.0, "{looks}");
    assert_eq!(looks[2], json!(true));
    // In the month view, weekdays have narrow names.
    page.field("Month").click();
    page.css("th").first().wait();
    let narrow = "const head = document.querySelector('booking-picker').shadowRoot.querySelector('th'); \
        return [getComputedStyle(head, '::after').content !== 'none', head.dataset.narrow.length]";
    assert_eq!(page.run(narrow, &[]), json!([true, 1]), "one letter");
    page.assert_no_errors();
}

#[test]
fn wide_picker_names_its_views_and_aligns_its_bands() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open(&faults, "");
    page.resize(1280, 900);
    slot_lists(&page).wait();
    assert!(page.text("Days").exists(), "name of a view");
    let edges = "const root = document.querySelector('booking-picker').shadowRoot; \
        return ['.picker-title', 'td', '.soonest'].map((selector) => \
          Math.round(root.querySelector(selector).getBoundingClientRect().left))";
    let edges = page.run(edges, &[]);
    assert!(edges[0] == edges[1] && edges[1] == edges[2], "{edges}");
    // Zone and hours are above a week, also without the summary.
    let is_above = "const root = document.querySelector('booking-picker').shadowRoot; \
        const [week, zone] = ['.picker-wide', '.picker-zone'].map((part) => \
          root.querySelector(part)?.getBoundingClientRect()); \
        return week && zone.bottom <= week.top + 1";
    for hidden in ["", "summary"] {
        let hide = "document.querySelector('booking-picker').setAttribute('hide', arguments[0])";
        page.run(hide, &[json!(hidden)]);
        slot_lists(&page).first().wait();
        page.field("Week").click();
        page.wait_until("the zone above the week", || {
            page.run(is_above, &[]) == true
        });
    }
    page.resize(700, 900);
    page.wait_until("icons only", || !page.text("Days").exists());
    page.assert_no_errors();
}

#[test]
fn range_day_and_zone_events_are_dispatched() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open(&faults, "");
    slot_lists(&page).wait();
    let listen = "window.events = []; \
        for (const name of ['range-changed', 'slots-loaded', 'date-selected', \
          'hour-cycle-changed', 'time-zone-changed']) \
          document.addEventListener(name, (event) => events.push([name, event.detail]));";
    page.run(listen, &[]);
    let last_event = |name: &str| {
        let recorded = page.run("return events", &[]);
        let recorded = recorded.as_array().cloned().unwrap_or_default();
        recorded
            .into_iter()
            .rfind(|each| each[0] == name)
            .map(|each| each[1].clone())
    };
    page.button("Next month").click();
    page.wait_until("the range", || last_event("range-changed").is_some());
    page.wait_until("the times", || {
        last_event("slots-loaded").is_some_and(|detail| detail["count"] != 0)
    });
    picker(&page)
        .css(".day:not([aria-disabled])")
        .nth(3)
        .click();
    page.wait_until("the day", || {
        last_event("date-selected").is_some_and(|detail| detail["timeZone"] == "Europe/London")
    });
    page.field("24h").click();
    page.wait_until("the hours", || {
        last_event("hour-cycle-changed").is_some_and(|detail| detail["hourCycle"] == "h23")
    });
    select_time_zone(&page, &picker(&page), "tokyo");
    page.wait_until("the zone", || {
        last_event("time-zone-changed").is_some_and(|detail| detail["timeZone"] == "Asia/Tokyo")
    });
    page.assert_no_errors();
}
