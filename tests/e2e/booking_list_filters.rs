//! A manager finds a booking in the team's list, by every filter, in every order, page by page.

use crate::common::{
    Faults, Key, Locator, ORGANIZATION_TEAM_BOOKINGS, Page, SITE_VISIT, Service, free_slots,
    instant, open_signed_in, query_value, select_slot, starting,
};
use booking_wire::Instant;
use serde_json::{Value, json};

/// Label of the search field.
const SEARCH: &str = "Search bookings";

/// Booking list of a manager, at a service with a new booking.
struct ManagerList {
    service: Service,
    faults: Faults,
    page: Page,
    booking: Value,
}

impl ManagerList {
    fn new() -> ManagerList {
        let service = Service::start();
        let faults = Faults::before(&service);
        let page = Page::open(&faults.url("/team/1/site-visit"));
        page.record_errors();
        let booking = book_site_visit(&service, &page);
        page.link("Sign in").click();
        page.button("Use the demo account").click();
        page.heading("Bookings").wait();
        ManagerList {
            service,
            faults,
            page,
            booking,
        }
    }

    fn field(&self, label: &str) -> Locator<'_> {
        self.page.field(label)
    }

    fn tab(&self, name: &str) {
        let tabs = self.page.role("group", "Status");
        // A number follows the name of the tab of unconfirmed bookings.
        match name {
            "Requests" => tabs.button(starting(name)).click(),
            name => tabs.button(name).click(),
        }
    }

    /// Runs an action that sends a query with the parameters `parameters`, waits until the list shows the
    /// response, and returns it. `None` marks a parameter that must be absent.
    #[track_caller]
    fn request(&self, parameters: &[(&str, Option<&str>)], act: impl FnOnce()) -> Value {
        let before = self.faults.count("GET", ORGANIZATION_TEAM_BOOKINGS);
        act();
        let mut request_line = String::new();
        self.page
            .wait_until(&format!("a request with {parameters:?}"), || {
                let seen = self.faults.seen("GET", ORGANIZATION_TEAM_BOOKINGS);
                request_line = seen.last().cloned().unwrap_or_default();
                let fits = |(name, value): &(&str, Option<&str>)| {
                    query_value(&request_line, name).as_deref() == *value
                };
                seen.len() > before && parameters.iter().all(fits)
            });
        self.assert_shows_response_of(request_line.trim_start_matches("GET "))
    }

    /// Compares the rows with the service's response to another client with the same query.
    #[track_caller]
    fn assert_shows_response_of(&self, query: &str) -> Value {
        let answer = self.service.owner().get(query);
        assert_eq!(answer.status, 200, "{answer:?}");
        let answer = answer.json();
        let expected = self.rows_of(&answer["data"]);
        self.page
            .wait_until(&format!("the list to show {expected:#?}"), || {
                self.rows() == expected
            });
        answer
    }

    /// Returns time and title of each booking in a response, as the list formats them.
    fn rows_of(&self, bookings: &Value) -> Vec<String> {
        let empty = Vec::new();
        let bookings = bookings.as_array().unwrap_or(&empty);
        let starts: Vec<i64> = bookings
            .iter()
            .map(|booking| instant(&booking["start"]).0)
            .collect();
        let script = "const format = new Intl.DateTimeFormat('en-US', \
                        { timeZone: 'Europe/London', hour: 'numeric', minute: '2-digit' }); \
                      return arguments[0].map((start) => format.format(new Date(start)))";
        let times = self.page.run(script, &[json!(starts)]);
        let times = times.as_array().cloned().unwrap_or_default();
        let row = |(booking, time): (&Value, Value)| {
            let row = format!(
                "{} {}",
                time.as_str().unwrap_or(""),
                booking["title"].as_str().unwrap_or("")
            );
            row.split_whitespace().collect::<Vec<_>>().join(" ")
        };
        bookings.iter().zip(times).map(row).collect()
    }

    fn rows(&self) -> Vec<String> {
        let script = "const list = document.querySelector('#app').shadowRoot; \
                      const text = (row, part) => row.querySelector(part)?.textContent ?? ''; \
                      const title = (button) => button.getAttribute('aria-label') ?? button.textContent; \
                      return [...list.querySelectorAll('tr.booking')].map((row) => \
                        `${text(row, '.booking-start')} ${title(row.querySelector('.booking-open'))}` \
                          .replace(/\\s+/g, ' ').trim())";
        let rows = self.page.run(script, &[]);
        let rows = rows.as_array().into_iter().flatten();
        rows.filter_map(Value::as_str).map(str::to_owned).collect()
    }

    fn uid(&self) -> &str {
        self.booking["uid"].as_str().unwrap_or_default()
    }

    /// True if a response contains the booking.
    fn is_in(&self, answer: &Value) -> bool {
        let bookings = answer["data"].as_array().into_iter().flatten();
        bookings
            .into_iter()
            .any(|booking| booking["uid"] == self.booking["uid"])
    }
}

/// Books a site visit through the app.
fn book_site_visit(service: &Service, page: &Page) -> Value {
    let picker = page.css("main");
    let free = free_slots(service, page, SITE_VISIT)[1].clone();
    select_slot(page, &picker, &free);
    picker.field("Your name").fill("Dorothy Vaughan");
    picker
        .field("Email address")
        .fill("dorothy+visit@example.org");
    picker
        .role("group", "Where should it take place?")
        .field("Your address")
        .click();
    picker.field("Full address").fill("12 Langley Road");
    picker.button("Confirm booking").click();
    picker
        .heading(crate::common::starting("You’re booked for"))
        .wait();
    let uid = picker.read_reference();
    let booking = service.visitor().get(&format!("/v2/bookings/{uid}")).data();
    assert_eq!(instant(&booking["start"]), free.start);
    booking
}

#[test]
fn new_booking_is_found_by_each_filter() {
    let list = ManagerList::new();
    let page = &list.page;
    // By status: the booking is upcoming, neither past nor cancelled.
    for (tab, status, holds) in [
        ("Past", Some("past"), false),
        ("Cancelled", Some("cancelled"), false),
        ("Requests", Some("unconfirmed"), false),
        ("Recurring", Some("recurring"), false),
        ("All", None, true),
    ] {
        list.request(&[("status", status), ("take", Some("20"))], || {
            list.tab(tab)
        });
        let answer = list.request(&[("status", status), ("take", Some("250"))], || {
            list.field("Per page").choose("250")
        });
        // Only a total within one page of 250 shows all bookings.
        let total = answer["pagination"]["totalItems"].as_u64().unwrap_or(0);
        assert!(total > 0, "the demo has some of each: {tab}");
        if total <= 250 {
            assert_eq!(list.is_in(&answer), holds, "{tab}");
        }
        list.request(&[("take", Some("20"))], || {
            list.field("Per page").choose("20")
        });
    }

    // By the beginnings of name, address, title and reference.
    for text in [
        "doro",
        "VAUGHAN dorothy",
        "dorothy+vis",
        "site vaug",
        list.uid(),
    ] {
        let answer = list.request(&[("search", Some(text)), ("status", None)], || {
            list.field(SEARCH).fill(text)
        });
        assert_eq!(answer["data"].as_array().map(Vec::len), Some(1), "{text}");
        assert!(list.is_in(&answer), "{text}");
        list.request(&[("search", None)], || page.press(Key::Escape));
        list.field(SEARCH).wait_for_value("");
    }
    // A search of one tab that finds nothing goes on in all bookings.
    list.request(&[("status", Some("past")), ("search", None)], || {
        list.tab("Past")
    });
    list.request(
        &[("status", Some("past")), ("search", Some("doro"))],
        || list.field(SEARCH).fill("doro"),
    );
    let answer = list.request(&[("status", None), ("search", Some("doro"))], || {
        page.button("Search all bookings").click()
    });
    assert!(list.is_in(&answer));
    // If it finds nothing either, the focus is on the next step; corrections keep it in the field.
    list.request(&[("status", Some("past"))], || list.tab("Past"));
    list.request(&[("search", Some("zzzz"))], || {
        list.field(SEARCH).fill("zzzz")
    });
    list.request(&[("status", None), ("search", Some("zzzz"))], || {
        page.button("Search all bookings").click()
    });
    page.wait_until("the focus on the next step", || {
        page.css(".notice button").first().has_focus()
    });
    let answer = list.request(&[("search", Some("doro"))], || {
        list.field(SEARCH).fill("doro")
    });
    assert!(list.is_in(&answer));
    page.css("tr.booking").first().wait();
    page.wait_for_quiet();
    assert!(list.field(SEARCH).has_focus());
    let answer = list.request(&[("search", Some("orothy"))], || {
        list.field(SEARCH).fill("orothy")
    });
    assert_eq!(answer["data"], json!([]), "not the beginning of a word");
    page.wait_for_text("No bookings match");
    list.request(&[("search", None)], || {
        page.button("Clear filters").first().click()
    });

    // By event type: one, then several.
    page.button("Filters").click();
    assert!(!list.field("Attendee’s name").exists());
    let types = page.role("group", "Event types");
    list.request(&[("status", Some("upcoming"))], || list.tab("Upcoming"));
    let only = |answer: &Value, ids: &[i64]| {
        let bookings = answer["data"].as_array().cloned().unwrap_or_default();
        assert!(!bookings.is_empty());
        for booking in bookings {
            let id = booking["eventTypeId"].as_i64().unwrap_or_default();
            assert!(ids.contains(&id), "{booking}");
        }
    };
    let one = [("eventTypeId", Some("5")), ("eventTypeIds", None)];
    let answer = list.request(&one, || types.field("Site visit").click());
    only(&answer, &[5]);
    let two = [("eventTypeId", None), ("eventTypeIds", Some("5,3"))];
    let answer = list.request(&two, || types.field("Onboarding session").click());
    only(&answer, &[3, 5]);
    list.request(&one, || types.field("Onboarding session").click());

    // By date: the day of the booking in London; both ends are inclusive.
    let start = instant(&list.booking["start"]);
    let script =
        "return new Date(arguments[0]).toLocaleDateString('sv-SE', { timeZone: 'Europe/London' })";
    let day = page.run(script, &[json!(start.0)]);
    let day = day.as_str().unwrap_or_default().to_owned();
    list.field("Dates").choose("Custom range");
    let before = list.faults.count("GET", ORGANIZATION_TEAM_BOOKINGS);
    list.field("From date").set_value(&day);
    list.field("To date").set_value(&day);
    page.wait_until("a request for the day", || {
        let seen = list.faults.seen("GET", ORGANIZATION_TEAM_BOOKINGS);
        let request_line = seen.last().cloned().unwrap_or_default();
        seen.len() > before
            && query_value(&request_line, "afterStart").is_some()
            && query_value(&request_line, "beforeEnd").is_some()
    });
    let seen = list.faults.seen("GET", ORGANIZATION_TEAM_BOOKINGS);
    let request_line = seen.last().cloned().unwrap_or_default();
    let moment = |name: &str| -> Instant {
        crate::common::parse_instant(&query_value(&request_line, name).unwrap_or_default())
    };
    let (first, last) = (moment("afterStart"), moment("beforeEnd"));
    // 23 or 25 hours on days of a clock change.
    let length = last.0 - first.0;
    assert!(
        [23, 24, 25]
            .map(|hours| hours * 3_600_000)
            .contains(&length),
        "{length}"
    );
    let answer = list.assert_shows_response_of(request_line.trim_start_matches("GET "));
    assert!(list.is_in(&answer), "{day}: {answer}");

    // A reversed date range is reported, and no longer limits the list once the filters are cleared.
    list.field("To date").set_value("2020-01-01");
    page.wait_for_text("The end date is before the start date.");
    list.request(
        &[
            ("eventTypeId", None),
            ("afterStart", None),
            ("beforeEnd", None),
        ],
        || page.button("Clear filters").first().click(),
    );
    page.assert_no_errors();
}

#[test]
fn every_sort_order_and_page_matches_the_service() {
    let list = ManagerList::new();
    let page = &list.page;
    list.request(&[("status", None)], || list.tab("All"));
    for (order, name, value) in [
        ("Start, latest first", "sortStart", Some("desc")),
        // The default order is left to the service.
        ("Start, earliest first", "sortStart", None),
        ("End, earliest first", "sortEnd", Some("asc")),
        ("End, latest first", "sortEnd", Some("desc")),
        ("Oldest first", "sortCreated", Some("asc")),
        ("Newest first", "sortCreated", Some("desc")),
    ] {
        let mut parameters = vec![(name, value)];
        for other in ["sortStart", "sortEnd", "sortCreated"] {
            if other != name {
                parameters.push((other, None));
            }
        }
        list.request(&parameters, || list.field("Sort by").choose(order));
        if value.is_none() {
            // The service's order is the one shown.
            let path = format!("{ORGANIZATION_TEAM_BOOKINGS}?take=20&sortStart=asc");
            list.assert_shows_response_of(&path);
        }
    }
    // The newest booking is the one just made.
    let first = list.rows().into_iter().next().unwrap_or_default();
    assert!(first.contains("Dorothy Vaughan"), "{first}");

    let answer = list.request(&[("take", Some("50")), ("skip", Some("0"))], || {
        list.field("Per page").choose("50")
    });
    let total = answer["pagination"]["totalItems"]
        .as_u64()
        .unwrap_or_default();
    let pages = total.div_ceil(50);
    assert!(pages >= 4, "{total} bookings");
    page.wait_for_text(&format!("1–50 of {total}"));
    page.wait_for_text(&format!("Page 1 of {pages}"));
    assert!(!page.button("Previous page").is_enabled());
    list.request(&[("skip", Some("50"))], || page.button("Next page").click());
    page.wait_for_text(&format!("51–100 of {total}"));
    let last = ((pages - 1) * 50).to_string();
    list.request(&[("skip", Some(&last))], || {
        page.button("Last page").click()
    });
    assert!(!page.button("Next page").is_enabled());
    let before_last = ((pages - 2) * 50).to_string();
    list.request(&[("skip", Some(&before_last))], || {
        page.button("Previous page").click()
    });
    list.request(&[("skip", Some("0"))], || page.button("First page").click());
    // A changed filter resets the page to the first.
    list.request(&[("skip", Some("50"))], || page.button("Next page").click());
    list.request(&[("skip", Some("0")), ("status", Some("past"))], || {
        list.tab("Past")
    });
    page.assert_no_errors();
}

#[test]
fn details_show_the_visitors_answers() {
    let list = ManagerList::new();
    let page = &list.page;
    list.request(&[("search", Some(list.uid()))], || {
        list.field(SEARCH).fill(list.uid())
    });
    let title = list.booking["title"].as_str().unwrap_or_default();
    let row = page.button(title);
    assert_eq!(row.attribute("aria-expanded").as_deref(), Some("false"));
    row.click();
    for words in [
        list.uid(),
        "12 Langley Road",
        "dorothy+visit@example.org",
        "90 min",
    ] {
        page.wait_for_text(words);
    }
    assert_eq!(row.attribute("aria-expanded").as_deref(), Some("true"));
    row.click();
    page.wait_for_no_text("90 min");
    // Each active filter can be removed by itself.
    page.button("Filters").click();
    let types = page.role("group", "Event types");
    let tops = || {
        let script = "return ['.list-tools', '.export-button', '#filters'].map((selector) => \
            [...document.querySelectorAll('*')].map((element) => element.shadowRoot?.querySelector(selector)) \
              .find(Boolean).getBoundingClientRect().top + scrollY)";
        page.run(script, &[])
    };
    let before = tops();
    list.request(&[("eventTypeId", Some("5"))], || {
        types.field("Site visit").click()
    });
    // The active filter has a line of its own below them, so that no button moves.
    page.button(crate::common::starting("Remove filter")).wait();
    assert_eq!(tops(), before);
    list.request(&[("eventTypeId", None)], || {
        page.button(crate::common::starting("Remove filter"))
            .click()
    });
    page.assert_no_errors();
}

#[test]
fn slash_focuses_search_unless_a_field_has_focus() {
    let list = ManagerList::new();
    let page = &list.page;
    let search = list.field(SEARCH);
    search.wait();
    page.type_text("/");
    page.wait_until("the focus", || search.has_focus());
    assert_eq!(search.value(), "");
    page.type_text("/");
    search.wait_for_value("/");
    page.press(Key::Escape);
    search.wait_for_value("");
    assert!(search.has_focus());
    page.assert_no_errors();
}

/// Other services do not announce the search: they have exact filters, and a stored search is dropped.
#[test]
fn service_without_search_has_exact_filters() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.rewrite(ORGANIZATION_TEAM_BOOKINGS, |body| {
        if let Some(fields) = body.as_object_mut() {
            fields.remove("extensions");
        }
    });
    let page = open_signed_in(&faults.url("/sign-in"));
    assert!(!page.field(SEARCH).exists());
    let stored = "history.pushState(null, '', '/bookings?status=all&search=nobody'); \
                  dispatchEvent(new PopStateEvent('popstate'))";
    page.run(stored, &[]);
    page.wait_until("a request without the search", || {
        let seen = faults.seen("GET", ORGANIZATION_TEAM_BOOKINGS);
        let last = seen.last().cloned().unwrap_or_default();
        query_value(&last, "status").is_none() && query_value(&last, "search").is_none()
    });
    page.wait_until("a URL without the search", || {
        page.address().ends_with("status=all")
    });
    page.button("Filters").click();
    page.field("Attendee’s name").fill("Nobody at all");
    page.wait_for_text("No bookings match");
    page.assert_no_errors();
}
