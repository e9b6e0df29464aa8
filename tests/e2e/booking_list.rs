//! Booking list of a team: its query is kept in the URL, the selection is exact, and concurrent changes
//! are shown in place.

use crate::common::{
    DESKTOP, Fault, Faults, Key, ORGANIZATION_TEAM_BOOKINGS, PARTNER_CALL, PHONE, Page, Service,
    TEAM_BOOKINGS, create_booking_of_grace, free_slots, open_page, open_signed_in, query_value,
    starting,
};
use serde_json::{Value, json};

/// Opens the app, connected to the demo account.
fn open_app(faults: &Faults, path: &str) -> Page {
    let page = open_signed_in(&faults.url("/sign-in"));
    page.heading("Bookings").wait();
    if path != "/bookings" {
        // Within the app: a reload would lose the connection.
        let go = "history.pushState(null, '', arguments[0]); dispatchEvent(new PopStateEvent('popstate'))";
        page.run(go, &[json!(path)]);
    }
    page
}

/// Opens the list alone, with the demo account.
fn open_element(faults: &Faults, attributes: &str) -> Page {
    let body = format!(
        r#"<main><h1>Staff</h1><booking-list heading-level="2" {attributes}></booking-list></main>
        <script>
          window.events = [];
          const list = document.querySelector("booking-list");
          for (const name of ["query-changed", "selection-changed", "booking-opened"]) {{
            list.addEventListener(name, (event) => events.push([name, event.detail]));
          }}
          const getToken = async () => (await (await fetch("/demo/token", {{ method: "POST" }})).json()).accessToken;
          list.session = {{ baseUrl: location.origin, getToken }};
        </script>"#
    );
    open_page(faults, "", &body)
}

fn recorded(page: &Page, name: &str) -> Vec<Value> {
    let script =
        "return events.filter(([name]) => name === arguments[0]).map(([, detail]) => detail)";
    let recorded = page.run(script, &[json!(name)]);
    recorded.as_array().cloned().unwrap_or_default()
}

fn query_in(page: &Page) -> String {
    let address = page.address();
    address
        .split_once('?')
        .map_or(String::new(), |(_, query)| query.to_owned())
}

#[track_caller]
fn wait_for_query(page: &Page, query: &str) {
    page.wait_until(&format!("the address to say {query:?}"), || {
        query_in(page) == query
    });
}

/// Returns the last request for a path.
fn last_request(faults: &Faults, path: &str) -> String {
    faults.seen("GET", path).last().cloned().unwrap_or_default()
}

#[track_caller]
fn wait_for_parameter(page: &Page, faults: &Faults, name: &str, value: Option<&str>) {
    page.wait_until(&format!("a request with {name} = {value:?}"), || {
        query_value(&last_request(faults, ORGANIZATION_TEAM_BOOKINGS), name).as_deref() == value
    });
}

#[test]
fn query_is_kept_in_url_and_history() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_app(&faults, "/bookings");
    assert_eq!(query_in(&page), "");

    page.button("Past").click();
    wait_for_query(&page, "status=past");
    page.field("Sort by").choose("Start, earliest first");
    wait_for_query(&page, "status=past&sort=start-asc");
    page.field("Per page").choose("10");
    wait_for_query(&page, "status=past&sort=start-asc&take=10");
    page.button("Next page").click();
    wait_for_query(&page, "status=past&sort=start-asc&take=10&page=2");
    wait_for_parameter(&page, &faults, "skip", Some("10"));
    page.css("tr.booking").first().wait();

    // Back and forward restore the list.
    page.back();
    wait_for_query(&page, "status=past&sort=start-asc&take=10");
    wait_for_parameter(&page, &faults, "skip", Some("0"));
    page.back();
    page.back();
    wait_for_query(&page, "status=past");
    wait_for_parameter(&page, &faults, "sortStart", None);
    assert_eq!(
        query_value(&last_request(&faults, ORGANIZATION_TEAM_BOOKINGS), "take").as_deref(),
        Some("20")
    );
    page.run("history.forward()", &[]);
    wait_for_query(&page, "status=past&sort=start-asc");
    wait_for_parameter(&page, &faults, "sortStart", Some("asc"));
    assert_eq!(page.field("Sort by").value(), "start-asc");

    // Typing is one history entry, however often it pauses.
    let before = page.run("return history.length", &[]);
    let search = page.field("Search bookings");
    search.fill("Ada ");
    wait_for_parameter(&page, &faults, "search", Some("Ada"));
    wait_for_query(&page, "status=past&search=Ada&sort=start-asc");
    // A trailing space is trimmed, as more text may follow.
    search.type_text("Lovelace");
    wait_for_parameter(&page, &faults, "search", Some("Ada Lovelace"));
    wait_for_query(&page, "status=past&search=Ada%20Lovelace&sort=start-asc");
    let after = page.run("return history.length", &[]);
    let steps = after.as_i64().unwrap_or(0) - before.as_i64().unwrap_or(0);
    // Going back has dropped one or two forward entries.
    assert!(steps <= 1, "{steps} steps");
    page.back();
    wait_for_query(&page, "status=past&sort=start-asc");
    search.wait_for_value("");
    page.assert_no_errors();
}

#[test]
fn copied_url_shows_the_same_list() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let link = "/bookings?status=all&eventTypeIds=3%2C5&days=2020-01-01..2099-12-31\
                &sort=created-desc&take=50&columns=attendees%2Chosts%2Cmade&series=grouped";
    let page = open_app(&faults, link);
    wait_for_parameter(&page, &faults, "eventTypeIds", Some("3,5"));
    let seen = last_request(&faults, ORGANIZATION_TEAM_BOOKINGS);
    for (name, value) in [
        ("status", None),
        ("sortCreated", Some("desc")),
        ("take", Some("50")),
        ("skip", Some("0")),
        ("afterStart", Some("2020-01-01T00:00:00.000Z")),
        ("beforeEnd", Some("2100-01-01T00:00:00.000Z")),
    ] {
        assert_eq!(
            query_value(&seen, name).as_deref(),
            value,
            "{name} in {seen}"
        );
    }
    page.css("tr.booking").first().wait();
    let heads = page.each("columnheader").names();
    assert_eq!(
        heads,
        [
            "Select all on this page",
            "When",
            "What",
            "Attendees",
            "Hosts",
            "Booked"
        ]
    );
    page.button(crate::common::starting("Filters")).click();
    assert_eq!(page.field("Dates").value(), "days");
    assert_eq!(page.field("From date").value(), "2020-01-01");
    assert!(
        page.role("group", "Event types")
            .field("Site visit")
            .is_checked()
    );
    page.button("View").click();
    assert!(page.field("Hosts").is_checked());
    assert!(!page.field("Status").is_checked());
    assert!(page.field("Group recurring meetings").is_checked());
    assert_eq!(
        query_in(&page),
        link.split_once('?').map_or("", |(_, query)| query)
    );

    // Columns and grouping change the display, not the query.
    let count = faults.count("GET", ORGANIZATION_TEAM_BOOKINGS);
    page.field("Hosts").click();
    wait_for_columns(&page, 5);
    page.field("Group recurring meetings").click();
    page.wait_until("the address to follow", || {
        !query_in(&page).contains("series")
    });
    assert_eq!(faults.count("GET", ORGANIZATION_TEAM_BOOKINGS), count);
    page.assert_no_errors();
}

#[track_caller]
fn wait_for_columns(page: &Page, count: usize) {
    page.wait_until(&format!("{count} columns"), || {
        page.each("columnheader").count() == count
    });
}

#[test]
fn named_date_ranges_are_requested_in_the_selected_zone() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_app(&faults, "/bookings");
    page.button("Filters").click();
    let zone_day = "const day = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/London' }); \
                    return day.format(new Date(arguments[0]))";
    let day_of = |text: &str| {
        let moment = crate::common::parse_instant(text).0;
        let day = page.run(zone_day, &[json!(moment)]);
        day.as_str().unwrap_or_default().to_owned()
    };
    let today = page.run(zone_day, &[page.run("return Date.now()", &[])]);
    let today = today.as_str().unwrap_or_default().to_owned();
    for (range, days) in [("Today", 1), ("This week", 7), ("Next 30 days", 30)] {
        let before = faults.count("GET", ORGANIZATION_TEAM_BOOKINGS);
        page.field("Dates").choose(range);
        page.wait_until(&format!("a request for {range}"), || {
            faults.count("GET", ORGANIZATION_TEAM_BOOKINGS) > before
        });
        let seen = last_request(&faults, ORGANIZATION_TEAM_BOOKINGS);
        let (first, last) = (
            query_value(&seen, "afterStart").expect("a first moment"),
            query_value(&seen, "beforeEnd").expect("a last moment"),
        );
        let length = crate::common::parse_instant(&last).0 - crate::common::parse_instant(&first).0;
        let off = (length - days * 86_400_000).abs();
        assert!(off <= 3_600_000, "{range}: {first} to {last}");
        let (first, last) = (day_of(&first), day_of(&last));
        assert!(first <= today && today < last, "{range}: {first} to {last}");
        page.button(crate::common::containing(range)).wait();
    }
    page.field("Dates").choose("Any date");
    wait_for_parameter(&page, &faults, "afterStart", None);
    page.assert_no_errors();
}

#[test]
fn rows_are_selected_by_keyboard_and_shift_click() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_element(&faults, r#"org-id="1" team-id="1" page-size="10""#);
    page.record_errors();
    page.css("tr.booking").first().wait();
    let rows = page.css("tr.booking").count();
    assert_eq!(rows, 10);
    let selected = || page.css("tr.booking[data-selected]").count();
    let wait_for_selected = |count| {
        page.wait_until(&format!("{count} selected rows"), || selected() == count);
    };

    // One row is in the tab order; arrow keys move to the others.
    assert_eq!(page.css(".booking-open[tabindex='0']").count(), 1);
    // J and K lead to the rows from the tabs, and from row to row.
    let openers = page.css("tr.booking .booking-open");
    page.run(
        "document.querySelector('booking-list').shadowRoot.querySelector('.tab').focus()",
        &[],
    );
    page.type_text("j");
    page.wait_until("the focus on the first row", || openers.nth(0).has_focus());
    page.type_text("j");
    page.wait_until("the focus on the second row", || openers.nth(1).has_focus());
    page.type_text("k");
    page.wait_until("the focus on the first row", || openers.nth(0).has_focus());
    let boxes = page.css("tr.booking .booking-select input");
    boxes.nth(1).click();
    wait_for_selected(1);
    page.press(Key::Down);
    assert!(boxes.nth(2).has_focus());
    page.press(Key::Space);
    wait_for_selected(2);
    page.press(Key::ShiftDown);
    page.press(Key::ShiftDown);
    assert!(boxes.nth(4).has_focus());
    wait_for_selected(4);
    page.press(Key::End);
    assert!(boxes.nth(9).has_focus());
    page.press(Key::Home);
    assert!(boxes.nth(0).has_focus());
    page.wait_for_text("4 selected");
    page.press(Key::Escape);
    page.wait_for_no_text("4 selected");
    wait_for_selected(0);

    // Range selection with the pointer.
    boxes.nth(2).click();
    let shift_click = "const root = document.querySelector('booking-list').shadowRoot; \
        const target = root.querySelectorAll('tr.booking .booking-select ' + arguments[1])[arguments[0]]; \
        target.dispatchEvent(new MouseEvent('click', { bubbles: true, composed: true, cancelable: true, shiftKey: true, detail: 1 }))";
    page.run(shift_click, &[json!(6), json!("input")]);
    page.wait_until("a range of five", || selected() == 5);
    // Also around the check box.
    page.run(shift_click, &[json!(8), json!("label")]);
    page.wait_until("a range of seven", || selected() == 7);

    // The whole page, then all matches: a query, not a list of ids.
    page.field("Select all on this page").click();
    page.wait_until("the page to be selected", || selected() == 10);
    page.wait_for_text("10 selected");
    page.button(crate::common::starting("Select all ")).click();
    page.wait_for_text("matching bookings selected");
    let recorded_events = recorded(&page, "selection-changed");
    let last = recorded_events.last().cloned().unwrap_or_default();
    assert_eq!((&last["all"], &last["uids"]), (&json!(true), &json!([])));
    page.assert_accessible("everything selected");

    // It includes other pages; a new query clears it.
    page.button("Next page").click();
    page.wait_until("the next page to be selected", || {
        faults
            .seen("GET", ORGANIZATION_TEAM_BOOKINGS)
            .last()
            .is_some_and(|seen| query_value(seen, "skip").as_deref() == Some("10"))
            && selected() == page.css("tr.booking").count()
            && selected() > 0
    });
    page.button("Past").click();
    page.wait_for_no_text("matching bookings selected");
    page.assert_no_errors();
}

#[test]
fn concurrent_changes_are_marked_in_place() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_element(&faults, r#"team-id="1" page-size="10" stale-after="1""#);
    page.record_errors();
    page.css("tr.booking").first().wait();
    let titles = || page.css("tr.booking .booking-open").names();
    let before = titles();
    let query = "status=upcoming&take=10&skip=0";
    let bookings = service
        .owner()
        .get(&format!("{TEAM_BOOKINGS}?{query}"))
        .data();
    let victim = bookings
        .as_array()
        .into_iter()
        .flatten()
        .enumerate()
        .skip(2)
        .find(|(_, booking)| {
            booking["recurringBookingUid"].is_null()
                && booking["bookingFieldsResponses"].is_object()
        })
        .map(|(place, booking)| {
            (
                place,
                booking["uid"].as_str().unwrap_or_default().to_owned(),
            )
        })
        .expect("a plain booking");
    let (place, uid) = victim;
    page.css(".booking-open").nth(place).click();
    page.css("tr.details-row").wait();

    let path = format!("/v2/bookings/{uid}/cancel");
    let reason = json!({"cancellationReason": "The room is flooded"});
    let cancelled = service.owner().post(&path, &reason);
    assert!(cancelled.status < 300, "{cancelled:?}");
    page.wait_for_text("No longer in this view");
    assert_eq!(titles(), before, "rows keep their order");
    assert_eq!(
        page.css("tr.details-row").count(),
        1,
        "open details stay open"
    );
    // After a reload, the row is gone.
    page.button("Reload bookings").click();
    page.wait_for_no_text("No longer in this view");
    page.wait_until("the row to go", || titles() != before);

    // The first match waits for a click, like others.
    let alone = "document.querySelector('booking-list').query = 'attendeeEmail=new@example.org'";
    page.run(alone, &[]);
    page.wait_for_text("No bookings match");
    let newcomer = ("Mary Shelley", "new@example.org");
    let start = crate::common::free_start(&service, PARTNER_CALL, 3);
    let made = crate::common::create_booking(&service, PARTNER_CALL, start, newcomer, &json!({}));
    assert_eq!(made.status, 201, "{made:?}");
    let notice = page.button("Show 1 new booking");
    notice.wait();
    // Over the list, whose place does not change.
    let place =
        "document.querySelector('booking-list').shadowRoot.querySelector('[data-place=waiting]')";
    assert_eq!(page.run(&format!("return {place}.offsetHeight"), &[]), 0);
    notice.click();
    page.css("tr.booking").wait();
    page.wait_until("the focus on it", || page.css(".booking-open").has_focus());
    page.wait_for_text("1 of 1");
    page.assert_no_errors();
}

#[test]
fn query_property_follows_the_element() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_element(&faults, r#"team-id="1" page-size="10""#);
    page.record_errors();
    page.css("tr.booking").first().wait();
    let query = || {
        let query = page.run("return document.querySelector('booking-list').query", &[]);
        query.as_str().unwrap_or_default().to_owned()
    };
    let set = |query: &str| {
        let script = "document.querySelector('booking-list').query = arguments[0]";
        page.run(script, &[json!(query)]);
    };
    let wait = |name: &str, value: Option<&str>| {
        page.wait_until(&format!("a request with {name} = {value:?}"), || {
            query_value(&last_request(&faults, TEAM_BOOKINGS), name).as_deref() == value
        });
    };
    assert!(recorded(&page, "query-changed").is_empty());
    set("status=past&page=2");
    wait("status", Some("past"));
    assert_eq!(
        query_value(&last_request(&faults, TEAM_BOOKINGS), "skip").as_deref(),
        Some("10")
    );
    assert!(
        recorded(&page, "query-changed").is_empty(),
        "no event for a query set by the page"
    );

    page.button("Cancelled").click();
    wait("status", Some("cancelled"));
    page.wait_until("the query property", || query() == "status=cancelled");
    let recorded_events = recorded(&page, "query-changed");
    assert_eq!(recorded_events.len(), 1, "{recorded_events:?}");
    assert_eq!(recorded_events[0]["query"], json!("status=cancelled"));
    // An earlier value applies again.
    set("status=past&page=2");
    wait("status", Some("past"));
    assert_eq!(
        page.button("Past").attribute("aria-pressed").as_deref(),
        Some("true")
    );
    // The element does not change the page's URL.
    assert_eq!(query_in(&page), "");
    page.assert_no_errors();
}

#[test]
fn stale_response_is_not_shown() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_app(&faults, "/bookings");
    faults.always("GET", ORGANIZATION_TEAM_BOOKINGS, Fault::Hang);
    page.button("Past").click();
    page.wait_until("the first request", || faults.hanging() == 1);
    page.button("Cancelled").click();
    page.wait_until("the second request", || faults.hanging() == 2);
    faults.clear();
    faults.release();
    page.css("tr.booking").first().wait();
    page.wait_for_quiet();
    let badges = page.css("tr.booking .badge");
    assert!(badges.exists());
    for place in 0..badges.count() {
        let status = badges.nth(place).read_text();
        assert!(
            ["Cancelled", "Declined", "Rescheduled"].contains(&status.as_str()),
            "{status}"
        );
    }
    page.assert_no_errors();
}

#[test]
fn malformed_list_is_shown_as_far_as_possible() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_element(&faults, r#"team-id="1" page-size="10""#);
    page.record_errors();
    page.css("tr.booking").first().wait();
    let real = service
        .owner()
        .get(&format!("{TEAM_BOOKINGS}?status=upcoming&take=10"))
        .json();
    let items = real["data"].as_array().cloned().expect("bookings");
    let reload = |answer: &Value| {
        faults.page(TEAM_BOOKINGS, &[], &answer.to_string());
        page.button("Reload bookings").click();
    };

    // One invalid booking among valid ones.
    let mut odd = items.clone();
    odd[1] = json!({"uid": 7, "start": "soon"});
    reload(&json!({"status": "success", "data": odd, "pagination": real["pagination"]}));
    page.wait_for_text("1 booking could not be shown");
    assert_eq!(page.css("tr.booking").count(), items.len() - 1);

    // Without a count, the number of pages is unknown.
    reload(&json!({"status": "success", "data": items}));
    page.wait_for_text("1–10");
    page.wait_for_text("Page 1");
    assert!(page.button("Next page").is_enabled());
    assert!(!page.button("Last page").is_enabled());

    // An impossible count is corrected from the number of items.
    let wrong = json!({"totalItems": 3, "totalPages": 0, "currentPage": 9, "hasNextPage": true});
    reload(&json!({"status": "success", "data": items, "pagination": wrong}));
    page.wait_for_text("1–10 of 10");
    assert!(!page.button("Next page").is_enabled());

    // Long texts are truncated, and the attendees of a seated event may be hidden.
    let words = "Long words ".repeat(180);
    let mut long = items.clone();
    // Depending on the hour, one booking has several attendees, which would be shown as a count.
    for booking in &mut long {
        if let Some(attendees) = booking["attendees"].as_array_mut() {
            attendees.truncate(1);
        }
    }
    for (key, value) in [
        ("title", json!(words)),
        ("location", json!(words)),
        ("attendees", json!([])),
        ("bookingFieldsResponses", Value::Null),
        (
            "hosts",
            json!([{"id": "1", "name": words, "email": "host@example.org"}]),
        ),
    ] {
        long[0][key] = value;
    }
    long[1]["attendees"][0]["name"] = json!(words);
    reload(&json!({"status": "success", "data": long}));
    page.wait_for_text("Long words");
    for width in ["", "320px"] {
        page.run(
            "document.querySelector('main').style.width = arguments[0]",
            &[json!(width)],
        );
        let heights = "return [...document.querySelector('booking-list').shadowRoot \
            .querySelectorAll('tr.booking')].map((row) => row.getBoundingClientRect().height)";
        let heights = page.run(heights, &[]);
        let heights = heights
            .as_array()
            .into_iter()
            .flatten()
            .filter_map(Value::as_f64);
        let highest = heights.fold(0.0, f64::max);
        assert!(highest < 420.0, "{highest} px at {width}");
    }
    page.run("document.querySelector('main').style.width = ''", &[]);
    assert!(!page.shows("attendees"), "no count without attendees");
    page.css(".booking-open").first().click();
    page.wait_until("the whole title", || {
        page.css(".details").exists() && page.css(".details").read_text().contains(words.trim())
    });
    page.css(".booking-open").first().click();

    // The total has become less than the offset of the current page.
    faults.remove_page(TEAM_BOOKINGS);
    page.button("Reload bookings").click();
    page.button("Last page").click();
    page.wait_until("the last page", || !page.button("Next page").is_enabled());
    let few = json!({"totalItems": 0});
    faults.page(
        TEAM_BOOKINGS,
        &[],
        &json!({"status": "success", "data": [], "pagination": few}).to_string(),
    );
    page.button("Reload bookings").click();
    page.wait_for_text("No bookings here");
    assert_eq!(
        query_value(&last_request(&faults, TEAM_BOOKINGS), "skip").as_deref(),
        Some("0")
    );
    assert!(!page.button("Next page").exists(), "a single page");
    page.assert_no_errors();
}

#[test]
fn forbidden_list_explains_why_and_rate_limited_list_retries() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_element(&faults, r#"team-id="1" page-size="10""#);
    page.record_errors();
    page.css("tr.booking").first().wait();
    page.button("Past").click();
    page.css("tr.booking").first().wait();

    faults.always("GET", TEAM_BOOKINGS, Fault::Status(403, "Forbidden"));
    let next = page.button("Next page");
    next.click();
    page.wait_for_text("You do not have access to this team’s bookings");
    assert!(next.has_focus());
    page.wait_for_text("Only admins and owners of the team have access.");
    page.assert_accessible("a forbidden list");
    faults.clear();

    faults.next("GET", TEAM_BOOKINGS, Fault::RateLimited(4));
    let count = faults.count("GET", TEAM_BOOKINGS);
    page.button("Reload bookings").click();
    page.wait_for_text("Continuing in");
    page.assert_accessible("a rate-limited list");
    // The same query is retried automatically.
    page.css("tr.booking").first().wait();
    assert_eq!(faults.count("GET", TEAM_BOOKINGS), count + 2);
    assert_eq!(
        query_value(&last_request(&faults, TEAM_BOOKINGS), "status").as_deref(),
        Some("past")
    );
    page.assert_no_errors();
}

#[test]
fn booking_is_rescheduled_within_the_app() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = Page::open(&faults.url("/"));
    let free = free_slots(&service, &page, PARTNER_CALL);
    let uid = create_booking_of_grace(&service, PARTNER_CALL, free[4].start);
    drop(page);
    let page = open_app(
        &faults,
        "/bookings?status=all&attendeeEmail=grace%40example.org",
    );
    page.wait_for_text("1 of 1");
    let rows = page.css("tr.booking");
    page.wait_until("the row", || rows.count() == 1);
    assert!(rows.first().read_text().contains(&free[4].time));
    page.css(".booking-open").click();
    let opener = page.css(".acts-row").button("Reschedule");
    opener.click();
    let dialog = page.role("dialog", "Reschedule");
    dialog.button("Keep current time").click();
    page.wait_until("the dialog to close", || !dialog.exists());
    page.wait_until("the focus on the button", || opener.has_focus());

    opener.click();
    let times = dialog.role("list", starting("Times on"));
    let time = times.css(".time:not([data-current])").first();
    time.wait();
    // The time formats of the dialog and of the list behind it are marked, each by itself.
    let marked = "return document.querySelector('#app').shadowRoot \
                    .querySelectorAll('.zone-bar .segment > input:checked').length";
    assert_eq!(page.run(marked, &[]), 2);
    let recorded = time.name();
    time.click();
    let send = dialog.button("Reschedule");
    page.wait_until("the form", || send.exists());
    send.click();
    page.wait_for_text("Rescheduled to ");
    page.wait_until("the dialog to close", || !dialog.exists());
    // The new booking takes the row and the details of the old one, and is not announced as new.
    page.wait_until("both in the chain", || {
        page.css(".meetings > li").count() == 2
    });
    let chain = page.css(".meetings > li");
    assert!(chain.nth(0).read_text().contains("Rescheduled"));
    assert!(chain.nth(1).read_text().contains("(this booking)"));
    page.wait_for_quiet();
    assert_eq!(rows.count(), 1);
    assert!(!page.button(starting("Show 1 new booking")).exists());
    page.wait_until("the focus in its details", || page.css(".acts").has_focus());
    page.button("Reload bookings").click();
    page.wait_until("both rows", || rows.count() == 2);
    let now = service.owner().get(&format!("/v2/bookings/{uid}")).data();
    let new = now["rescheduledToUid"].as_str().unwrap_or_default();
    let new = service.owner().get(&format!("/v2/bookings/{new}")).data();
    assert_eq!(new["status"], "accepted");
    let texts = [0, 1].map(|place| rows.nth(place).read_text());
    let time = recorded.split(',').next_back().unwrap_or_default().trim();
    assert!(
        texts
            .iter()
            .any(|text| text.contains("Rescheduled from another time") && text.contains(time)),
        "{time} in {texts:?}"
    );
    page.assert_no_errors();
}

#[test]
fn row_names_event_type_host_and_what_deviates() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_element(&faults, r#"team-id="1" page-size="10""#);
    page.record_errors();
    page.css("tr.booking").first().wait();
    let real = service
        .owner()
        .get(&format!("{TEAM_BOOKINGS}?status=upcoming&take=2"))
        .json();
    let mut bookings = real["data"].as_array().cloned().expect("bookings");
    let person = |name: &str, email: &str, is_absent: bool| json!({"name": name, "email": email, "timeZone": "Europe/London", "absent": is_absent});
    for (booking, attendees) in bookings.iter_mut().zip([
        json!([person("Grace Hopper", "grace@example.org", false)]),
        json!([
            person("Bo Diddley", "bo@example.org", false),
            person("Alan Turing", "alan@example.org", true)
        ]),
    ]) {
        booking["eventTypeId"] = json!(PARTNER_CALL);
        booking["title"] = json!("Partner call between Priya Raman and Grace Hopper");
        booking["status"] = json!("accepted");
        booking["absentHost"] = json!(false);
        for key in [
            "recurringBookingUid",
            "rescheduledFromUid",
            "rescheduledToUid",
        ] {
            booking[key] = Value::Null;
        }
        booking["attendees"] = attendees;
        booking["hosts"] = json!([{"id": 2, "name": "Priya Raman", "email": "priya@example.org"}]);
    }
    let answer = json!({"status": "success", "data": bookings});
    faults.page(TEAM_BOOKINGS, &[], &answer.to_string());
    page.button("Reload bookings").click();
    let rows = page.css("tr.booking");
    page.wait_until("the two rows", || rows.count() == 2);
    let text = |place: usize, part: &str| rows.nth(place).css(part).read_text();
    for place in 0..2 {
        assert_eq!(text(place, ".booking-open"), "Partner call");
        assert_eq!(
            rows.nth(place).css(".booking-open").name(),
            "Partner call between Priya Raman and Grace Hopper"
        );
        assert!(text(place, ".booking-hosts").ends_with("Priya Raman"));
    }
    assert_eq!(text(0, ".person"), "Grace Hopper");
    assert_eq!(text(0, ".person-note"), "grace@example.org");
    assert!(text(1, ".person").starts_with("Bo Diddley"));
    assert!(text(1, ".person").ends_with("and 1 more"));
    assert_eq!(text(1, ".person-note"), "bo@example.org");
    // An accepted booking has no visible mark.
    assert!(!rows.nth(0).css(".badge").exists());
    assert_eq!(text(1, ".badge"), "No-show");
    let heights = "return [...document.querySelector('booking-list').shadowRoot \
        .querySelectorAll('tr.booking')].map((row) => row.getBoundingClientRect().height)";
    let heights = page.run(heights, &[]);
    for height in heights.as_array().into_iter().flatten() {
        let height = height.as_f64().unwrap_or_default();
        assert!(height <= 60.0, "{height} px");
    }
    page.assert_no_errors();
}

#[test]
fn details_beside_rows_show_one_booking_and_are_closed_by_escape() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_element(&faults, r#"team-id="1" page-size="10""#);
    page.record_errors();
    let rows = page.css("tr.booking");
    rows.first().wait();
    let buttons = page.css(".booking-open");
    let place = |selector: &str, edge: &str| {
        let script = "const root = document.querySelector('booking-list').shadowRoot; \
            return [...root.querySelectorAll(arguments[0])].at(-1).getBoundingClientRect()[arguments[1]]";
        let value = page.run(script, &[json!(selector), json!(edge)]);
        value.as_f64().unwrap_or_default()
    };
    let top = place("tr.booking", "top");
    buttons.nth(1).click();
    page.css(".details").wait();
    // No row moves down, and the details are at the end side.
    let moved = (place("tr.booking", "top") - top).abs();
    assert!(moved < 1.0, "{moved} px");
    assert!(place(".details", "left") >= place("tr.booking", "right") - 1.0);
    let title = page.css(".details-title").read_text();
    assert_eq!(title, buttons.nth(1).name());
    page.assert_accessible("details beside the rows");

    // Another booking replaces it.
    buttons.nth(2).click();
    page.wait_until("the other details", || {
        page.css(".details").count() == 1
            && buttons.nth(2).attribute("aria-expanded").as_deref() == Some("true")
            && buttons.nth(1).attribute("aria-expanded").as_deref() == Some("false")
    });

    // Escape closes it, from the row and from within.
    page.press(Key::Escape);
    page.css(".details").wait_gone();
    assert!(buttons.nth(2).has_focus());
    buttons.nth(2).click();
    let copy = page.css(".details .copy-button").first();
    copy.click();
    page.press(Key::Escape);
    page.css(".details").wait_gone();
    page.wait_until("the focus on the row", || buttons.nth(2).has_focus());
    buttons.nth(2).click();
    page.css(".details").button(starting("Close: ")).click();
    page.css(".details").wait_gone();
    page.wait_until("the focus on the row", || buttons.nth(2).has_focus());

    // On a narrow list they are between the rows, and several may be open.
    page.run("document.querySelector('main').style.width = '600px'", &[]);
    buttons.nth(1).click();
    buttons.nth(2).click();
    page.wait_until("both details", || page.css(".details").count() == 2);
    // Beside the rows again, there is room for the last one.
    page.run("document.querySelector('main').style.width = ''", &[]);
    page.wait_until("the last details", || page.css(".details").count() == 1);
    assert_eq!(
        buttons.nth(1).attribute("aria-expanded").as_deref(),
        Some("false")
    );
    assert_eq!(
        buttons.nth(2).attribute("aria-expanded").as_deref(),
        Some("true")
    );
    // Or for those with the focus.
    page.run("document.querySelector('main').style.width = '600px'", &[]);
    buttons.nth(1).click();
    page.wait_until("both details", || page.css(".details").count() == 2);
    page.css(".details")
        .nth(1)
        .css(".copy-button")
        .first()
        .click();
    page.run("document.querySelector('main').style.width = ''", &[]);
    page.wait_until("one booking's details", || {
        page.css(".details").count() == 1
    });
    assert_eq!(
        buttons.nth(2).attribute("aria-expanded").as_deref(),
        Some("true")
    );
    assert!(copy.has_focus());

    // All tools are in one line, also those of a language with long words.
    page.run(
        "document.querySelector('booking-list').lang = 'de'; \
         document.querySelector('main').style.width = '1000px'",
        &[],
    );
    page.button("Exportieren").wait();
    let height = "return document.querySelector('booking-list').shadowRoot \
        .querySelector('.list-tools').offsetHeight";
    page.wait_until("one line of tools", || {
        page.run(height, &[])
            .as_i64()
            .is_some_and(|height| height <= 72)
    });
    page.assert_no_errors();
}

#[test]
fn selected_tab_of_narrow_list_is_in_sight() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_app(&faults, "/bookings");
    page.emulate_viewport(PHONE, 16);
    page.wait_for_quiet();
    // Selected by the address: no click brings it into sight.
    let go = "history.pushState(null, '', '/bookings?status=cancelled'); \
        dispatchEvent(new PopStateEvent('popstate'))";
    page.run(go, &[]);
    let script = "const root = document.getElementById('app').shadowRoot; \
        const bar = root.querySelector('.tabs').getBoundingClientRect(); \
        const tab = root.querySelector('.tab[aria-pressed=true]'); \
        const { left, right } = tab.getBoundingClientRect(); \
        return tab.textContent === 'Cancelled' && left >= bar.left && right <= bar.right";
    page.wait_until("the tab in sight", || page.run(script, &[]) == true);

    // The address of an email for a host: one booking, with its details.
    let bookings = service.owner().get(&format!("{TEAM_BOOKINGS}?take=1"));
    let bookings = bookings.json();
    let uid = bookings["data"][0]["uid"].as_str().expect("a uid");
    let go =
        "history.pushState(null, '', arguments[0]); dispatchEvent(new PopStateEvent('popstate'))";
    page.run(go, &[json!("/ada")]);
    page.css("tr.booking").first().wait_gone();
    let address = format!("/bookings?status=all&bookingUid={uid}");
    page.run(go, &[json!(address)]);
    page.css(".details").wait();
    assert_eq!(page.css("tr.booking").count(), 1);
    page.emulate_viewport(DESKTOP, 16);
    page.assert_no_errors();
}

#[test]
fn first_row_of_narrow_list_is_near_its_top() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open_app(&faults, "/bookings");
    page.emulate_viewport(PHONE, 16);
    page.wait_for_quiet();
    let script = "const root = document.getElementById('app').shadowRoot; \
        const top = (selector) => root.querySelector(selector).getBoundingClientRect().top; \
        return [top('tr.booking') - top('.list'), top('tr.booking')]";
    let found = page.run(script, &[]);
    let is_at_most = |index: usize, most: f64| found[index].as_f64().is_some_and(|top| top <= most);
    assert!(is_at_most(0, 206.0) && is_at_most(1, 220.0), "{found}");
    // The box that selects the page has its label beside it, above the first day.
    let label = "const root = document.getElementById('app').shadowRoot; \
        const box = (selector) => root.querySelector(selector).getBoundingClientRect(); \
        return box('.select-page > span').width > 60 \
          && box('.select-page').bottom <= box('.day-heading').top + 1";
    assert_eq!(page.run(label, &[]), true);
    // About six bookings fit on the screen; the buttons of those that wait can be touched.
    let measured = |selector: &str| {
        let script = "const root = document.getElementById('app').shadowRoot; \
            return [...root.querySelectorAll(arguments[0])].map((element) => element.offsetHeight)";
        let heights = page.run(script, &[json!(selector)]);
        let heights = heights.as_array().cloned().unwrap_or_default();
        heights.iter().filter_map(Value::as_i64).collect::<Vec<_>>()
    };
    let rows = measured("tr.booking:not([data-pending])");
    let height = rows.iter().take(6).sum::<i64>() / 6;
    assert!(height <= 100, "{rows:?}");
    let status = page.role("group", "Status");
    status.button(starting("Requests")).click();
    page.css(".row-act").first().wait();
    let buttons = measured(".row-act");
    assert!(buttons.iter().all(|height| *height >= 44), "{buttons:?}");
    status.button("Upcoming").click();
    wait_for_query(&page, "");
    page.css("tr.booking").first().wait();
    // Icons keep their names, and the order is among the options of the view.
    for name in ["Filters", "View", "Saved views", "Export"] {
        page.button(starting(name)).wait();
    }
    assert!(!page.field("Sort by").exists());
    page.button("View").click();
    page.field("Sort by").choose("Start, latest first");
    wait_for_query(&page, "sort=start-desc");
    page.emulate_viewport(DESKTOP, 16);
    page.assert_no_errors();
}
