//! Days of clock changes in five time zones: each day shows the slots that the browser's calendar has on
//! it, ambiguous times are distinguished, and the booking has the instant that the service offered. And the
//! groups of the time zone chooser.

use crate::common::{Faults, Key, Page, Service, select_time_zone, starting};
use booking_wire::Instant;
use serde_json::{Value, json};

/// Time zones, each with the ids under which browsers know it.
const ZONES: [&[&str]; 5] = [
    &["UTC", "Etc/UTC"],
    &["America/New_York"],
    &["Asia/Kolkata", "Asia/Calcutta"],
    &["Australia/Lord_Howe"],
    &["Pacific/Apia"],
];

/// Script that returns the days with a clock change within a year, each with its instant; without any,
/// a day six weeks from now and its noon.
const CHANGES: &str = "
    const offset = (time) => new Date(time).getTimezoneOffset();
    const hour = 3600e3, found = [];
    const start = Math.ceil(Date.now() / hour) * hour + 48 * hour;
    for (let time = start; time < start + 360 * 24 * hour; time += 24 * hour) {
      if (offset(time) === offset(time + 24 * hour)) continue;
      let turned = time;
      while (offset(turned) === offset(time)) turned += hour / 2;
      found.push(turned);
    }
    if (!found.length) found.push(new Date(start + 42 * 24 * hour).setHours(12, 0, 0, 0));
    const two = (number) => String(number).padStart(2, '0');
    return found.map((time) => {
      const date = new Date(time);
      return [time, `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`];
    });";

/// Script that filters `starts` by day in the browser's calendar, with the local time of each: those of the night last.
const OF_DAY: &str = "
    const [starts, day] = arguments;
    const format = (options) => new Intl.DateTimeFormat('en-US', options);
    const [year, month, date] = day.split('-').map(Number);
    const is = (start) => start.getFullYear() === year && start.getMonth() === month - 1
      && start.getDate() === date;
    const clock = format({ hour: 'numeric', minute: '2-digit', hour12: true });
    const noon = new Date(year, month - 1, date, 12);
    const weekday = 'long', long = { month: 'long', day: 'numeric' };
    const ofDay = starts.filter((start) => is(new Date(start)));
    const isNight = (start) => new Date(start).getHours() < 7 || new Date(start).getHours() > 21;
    return {
      words: format(long).format(noon),
      name: format({ weekday, year: 'numeric', ...long }).format(noon),
      times: [...ofDay.filter((start) => !isNight(start)), ...ofDay.filter(isNight)]
        .map((start) => [start, clock.format(new Date(start)).replace(/\\s/g, ' ')]),
    };";

/// Creates an event type with slots every half hour around the clock.
fn around_the_clock(service: &Service) -> i64 {
    let owner = service.owner();
    let days = [
        "Monday",
        "Tuesday",
        "Wednesday",
        "Thursday",
        "Friday",
        "Saturday",
        "Sunday",
    ];
    let schedule = json!({
        "name": "Always", "timeZone": "UTC", "isDefault": false,
        "availability": [{ "days": days, "startTime": "00:00", "endTime": "23:59" }],
    });
    let schedule = owner.post("/v2/schedules", &schedule).data();
    let event_type = json!({
        "title": "Any time", "slug": "any-time", "lengthInMinutes": 15, "slotInterval": 30,
        "scheduleId": schedule["id"],
    });
    let event_type = owner.post("/v2/event-types", &event_type).data();
    event_type["id"].as_i64().expect("an event type")
}

/// Returns every slot of the service within two days of `change_millis`, in milliseconds.
fn slot_starts(service: &Service, event_type: i64, change_millis: i64) -> Vec<i64> {
    let bound = |days: i64| Instant(change_millis + days * 86_400_000);
    let path = format!(
        "/v2/slots?eventTypeId={event_type}&start={}&end={}&timeZone=UTC",
        bound(-2),
        bound(2)
    );
    let days = service.visitor().get(&path).data();
    let slots = days.as_object().expect("days").values();
    let slots = slots.flat_map(|day| day.as_array().cloned().unwrap_or_default());
    slots
        .map(|slot| crate::common::instant(&slot["start"]).millis())
        .collect()
}

fn check(zone: &[&str]) {
    let service = Service::start();
    let faults = Faults::before(&service);
    let event_type = around_the_clock(&service);
    let page = Page::open_in(zone[0], "about:blank");
    let own = page.run(
        "return Intl.DateTimeFormat().resolvedOptions().timeZone",
        &[],
    );
    assert!(zone.contains(&own.as_str().unwrap_or("")), "it is {own}");
    for change in page.run(CHANGES, &[]).as_array().expect("changes") {
        let change_millis = change[0].as_i64().expect("a moment");
        let day = change[1].as_str().expect("a day");
        book_first_after(&service, &faults, &page, event_type, (change_millis, day));
    }
}

/// Books the first slot after `change_millis` on its `day`.
fn book_first_after(
    service: &Service,
    faults: &Faults,
    page: &Page,
    event_type: i64,
    (change_millis, day): (i64, &str),
) {
    let slot_starts = slot_starts(service, event_type, change_millis);
    let expected = page.run(OF_DAY, &[json!(slot_starts), json!(day)]);
    let times = expected["times"].as_array().expect("times");
    assert!(times.len() > 40, "{day}: {times:?}");

    let path = format!("/{day}.html");
    faults.page(
        &path,
        &[],
        &format!(
            r#"<!doctype html><html lang="en-US"><meta charset="utf-8"><title>A page</title>
            <script type="module" src="/embed/embed.js"></script>
            <body><booking-picker event-type-id="{event_type}" start-date="{day}" hour-cycle="h12">
            </booking-picker></body></html>"#
        ),
    );
    page.go(&faults.url(&path));
    let words = expected["words"].as_str().unwrap_or("");
    let name = expected["name"].as_str().unwrap_or("");
    page.role("list", crate::common::starting("Times on"))
        .wait();
    let in_month = page.button(crate::common::starting(&format!("{name},")));
    page.wait_until(&format!("the month of {day}"), || {
        if !in_month.exists() {
            page.button("Next month").click();
            page.wait_for_quiet();
        }
        in_month.exists()
    });
    page.wait_until(&format!("{day} to be free"), || in_month.is_enabled());
    in_month.click();
    let list = page.role("list", crate::common::containing(words));
    list.wait();
    page.css(".times[data-folded] .times-night").click();
    let shown = list.css(".time");
    page.wait_until(&format!("{} times on {day}", times.len()), || {
        shown.count() == times.len()
    });
    let names = shown.names();
    for (name, time) in names.iter().zip(times) {
        let time = time[1].as_str().unwrap_or("");
        assert!(name.starts_with(time), "{day}: {name} for {time}");
    }
    let mut apart = names.clone();
    apart.sort();
    apart.dedup();
    assert_eq!(apart.len(), names.len(), "{day}: distinct names: {names:?}");

    let starts = times.iter().enumerate();
    let starts = starts.filter_map(|(index, time)| Some((time[0].as_i64()?, index)));
    let after = starts.filter(|(start, _)| *start >= change_millis);
    let (start, index) = after.min().expect("a time after it");
    shown.nth(index).click();
    page.field("Your name").fill("Grace Hopper");
    page.field("Email address").fill("grace@example.org");
    page.button("Confirm booking").click();
    page.heading(crate::common::starting("You’re booked for"))
        .wait();
    let sent = faults.bodies("POST", "/v2/bookings").pop();
    let sent: Value = serde_json::from_str(&sent.expect("a request")).expect("JSON");
    let instant = Instant(start).to_string();
    assert_eq!(sent["start"].as_str(), Some(instant.as_str()), "{day}");
}

#[test]
fn utc_day_has_its_slots() {
    check(ZONES[0]);
}

#[test]
fn new_york_days_of_23_and_25_hours_have_their_slots() {
    check(ZONES[1]);
}

#[test]
fn kolkata_half_hour_offset_keeps_days_whole() {
    check(ZONES[2]);
}

#[test]
fn lord_howe_half_hour_clock_change_has_its_slots() {
    check(ZONES[3]);
}

#[test]
fn apia_across_the_date_line_has_its_slots() {
    check(ZONES[4]);
}

/// A law that the browser does not know: clocks in Lagos are an hour ahead.
#[test]
fn times_are_those_of_the_service_where_the_browser_has_other_rules() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let html = r#"<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title>
        <script type="module" src="/embed/embed.js"></script>
        <body><booking-picker username="ada" event-slug="intro-call" hour-cycle="h23"></booking-picker>"#;
    faults.page("/law.html", &[], html);
    let later = |start: &Value| {
        let start = crate::common::instant(start).plus_minutes(120).to_string();
        start.replace('Z', "+02:00")
    };
    faults.rewrite("/v2/slots", move |answer| {
        let days = answer["data"].as_object_mut().into_iter().flatten();
        for slot in days.flat_map(|(_, slots)| slots.as_array_mut().into_iter().flatten()) {
            slot["start"] = json!(later(&slot["start"]));
        }
    });
    let page = Page::open_in("Africa/Lagos", &faults.url("/law.html"));
    page.record_errors();
    let picker = page.css("booking-picker");
    let list = page.role("list", starting("Times on"));
    list.wait();
    picker.button("Time zone: Africa/Lagos, GMT+2").wait();
    assert!(page.shows("The rules for clocks in Lagos have changed."));
    let shown = list.css(".time").names();
    let slots = service
        .visitor()
        .get("/v2/event-types?username=ada&eventSlug=intro-call")
        .data();
    let id = &slots[0]["id"];
    list.css(".time").nth(0).click();
    page.field("Your name").wait();
    assert!(page.shows(&shown[0]), "the form has {}", shown[0]);
    page.field("Your name").fill("Grace Hopper");
    page.field("Email address").fill("grace@example.org");
    page.button("Confirm booking").click();
    page.heading(starting("You’re booked for")).wait();
    assert!(page.shows(&shown[0]), "the confirmation has {}", shown[0]);
    let sent = faults.bodies("POST", "/v2/bookings").pop();
    let sent: Value = serde_json::from_str(&sent.expect("a request")).expect("JSON");
    assert_eq!(&sent["eventTypeId"], id);
    let start = crate::common::instant(&sent["start"])
        .plus_minutes(120)
        .to_string();
    assert_eq!(&start[11..16], &shown[0][..5], "{shown:?} {sent}");

    // Zones with the same rules are as before.
    page.assert_no_errors();
    faults.clear();
    page.go(&faults.url("/law.html"));
    picker.button("Time zone: Africa/Lagos, GMT+1").wait();
    assert!(!page.shows("have changed"));
}

/// Script that returns the time of the browser, as the 24-hour clock shows it.
const CLOCK: &str = "
    const format = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' };
    return new Date().toLocaleTimeString('en-GB', format);";

#[test]
fn chooser_groups_zones_with_the_local_time_of_each() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let html = r#"<!doctype html><html lang="en"><meta charset="utf-8"><title>A page</title>
        <script type="module" src="/embed/embed.js"></script>
        <body><booking-picker username="ada" event-slug="intro-call" hour-cycle="h23"></booking-picker>"#;
    faults.page("/zones.html", &[], html);
    // Our own service does not publish the zones of hosts.
    faults.rewrite("/v2/event-types", |answer| {
        for event_type in answer["data"].as_array_mut().into_iter().flatten() {
            event_type["users"][0]["timeZone"] = json!("Europe/Berlin");
        }
    });
    let page = Page::open_in("Africa/Lagos", &faults.url("/zones.html"));
    page.record_errors();
    let picker = page.css("booking-picker");
    page.role("list", starting("Times on")).wait();
    picker.button(starting("Time zone: Africa/Lagos")).wait();
    assert!(page.shows("Lagos") && !page.shows("Africa/Lagos"));

    let clock = || page.run(CLOCK, &[]).as_str().unwrap_or("").to_owned();
    let open = || {
        picker.button(starting("Time zone:")).click();
        page.role("group", "By time difference").wait();
    };
    let before = clock();
    open();
    let own = page.role("group", "Your time zone").each("option").names();
    let [own] = own.as_slice() else {
        panic!("one own zone: {own:?}");
    };
    assert!(own.starts_with("Lagos"), "{own}");
    assert!(own.contains(&before) || own.contains(&clock()), "{own}");
    let host = page.role("group", "Host’s time zone").each("option");
    assert!(host.name().starts_with("Berlin"), "{}", host.name());
    assert!(!page.role("group", "Recently used").exists());
    let others = page.role("group", "By time difference").each("option");
    let others = others.names();
    let offset = |name: &str| name.rsplit(' ').next().map(str::to_owned);
    let nearest = others.first().map(String::as_str).unwrap_or_default();
    assert_eq!(offset(nearest), offset(own), "{nearest}");
    let farthest = others.last().map(String::as_str).unwrap_or_default();
    assert!(farthest.starts_with("Kiritimati"), "{farthest}");
    page.press(Key::Escape);

    select_time_zone(&page, &picker, "tokyo");
    open();
    let recent = page.role("group", "Recently used").each("option").names();
    assert_eq!(recent.len(), 1, "{recent:?}");
    // The own zone comes first, so Enter selects it.
    page.press(Key::Enter);
    picker.button(starting("Time zone: Africa/Lagos")).wait();
    // The host's zone is next, and then the last used.
    for (presses, zone) in [(1, "Europe/Berlin"), (2, "Asia/Tokyo")] {
        open();
        for _ in 0..presses {
            page.press(Key::Down);
        }
        page.press(Key::Enter);
        let button = format!("Time zone: {zone}");
        picker.button(starting(&button)).wait();
    }
    page.assert_no_errors();
}
