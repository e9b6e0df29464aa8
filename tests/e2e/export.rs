//! Export of the list to a file: all bookings, each once, despite faults.

use std::collections::{BTreeMap, BTreeSet};

use crate::common::{
    Fault, Faults, Page, Service, TEAM_BOOKINGS, containing, free_slots, instant, open_page,
};
use serde_json::{Value, json};

const LIST: &str =
    r#"<main><h1>Our team</h1><booking-list team-id="1" heading-level="2"></booking-list></main>"#;
/// Request for the second page of all bookings, and of upcoming ones.
const SECOND_PAGE: &str = "/v2/teams/1/bookings?take=250&skip=240";
const SECOND_PAGE_UPCOMING: &str = "/v2/teams/1/bookings?status=upcoming&take=250&skip=240";

/// Script that keeps the memory of the first WebAssembly instance; lazy chunks share it.
pub(crate) const KEEP_MEMORY: &str = r#"<script>
    for (const name of ["instantiate", "instantiateStreaming"]) {
        const make = WebAssembly[name];
        WebAssembly[name] = async (...given) => {
            const made = await make.apply(WebAssembly, given);
            window.memory ??= (made.instance ?? made).exports.memory;
            return made;
        };
    }
</script>"#;

/// Script that records saved files instead of downloading them; one test uses real downloads.
const HOOKS: &str = r#"<script>
    window.files = [];
    window.events = [];
    const address = URL.createObjectURL;
    URL.createObjectURL = (file) => {
        const made = address.call(URL, file);
        files.push({ file, made });
        return made;
    };
    const revoke = URL.revokeObjectURL;
    URL.revokeObjectURL = (made) => {
        files.filter((each) => each.made === made).forEach((each) => { each.isGone = true; });
        revoke.call(URL, made);
    };
    HTMLAnchorElement.prototype.click = function () {
        files.filter((each) => each.made === this.href).forEach((each) => { each.name = this.download; });
    };
    addEventListener("export", (event) => events.push([event.detail.format, event.detail.count]));
</script>"#;

/// Booking list of a manager on an embedding page.
struct ExportedList {
    service: Service,
    faults: Faults,
    page: Page,
}

impl ExportedList {
    fn new(service: Service) -> ExportedList {
        ExportedList::with(service, &format!("{KEEP_MEMORY}{HOOKS}"))
    }

    /// Opens the list with `head` in the page's head.
    fn with(service: Service, head: &str) -> ExportedList {
        let faults = Faults::before(&service);
        let page = open_page(&faults, head, LIST);
        let key = service.demo_text("apiKey");
        let give =
            "document.querySelector('booking-list').session = { token: arguments[0] }; return 1";
        page.run(give, &[json!(key)]);
        let list = ExportedList {
            service,
            faults,
            page,
        };
        list.page.heading("Bookings").wait();
        list
    }

    fn tab(&self, name: &str) {
        self.page.role("group", "Status").button(name).click();
        self.page
            .wait_for_text(if name == "Past" { "Past" } else { "1–20 of" });
    }

    /// Clicks the button beside the filters.
    fn open_export(&self) {
        self.page.button("Export").first().click();
        self.page.heading(containing("Export ")).wait();
    }

    fn select_format(&self, kind: &str) {
        self.page.button(containing(kind)).click();
    }

    fn progress(&self) -> String {
        let script = "const bar = document.querySelector('booking-list').shadowRoot \
                        .querySelector('.export-count'); \
                      return bar?.textContent ?? ''";
        let recorded = self.page.run(script, &[]);
        recorded.as_str().unwrap_or_default().to_owned()
    }

    /// Waits as long as the export progresses, however slow the machine is.
    #[track_caller]
    fn done(&self) {
        let is_done = || self.page.button("Close").exists();
        while !is_done() {
            let before = self.progress();
            self.page.wait_until("the export to go on", || {
                is_done() || self.progress() != before
            });
        }
    }

    /// Returns name and content of the last file.
    #[track_caller]
    fn file(&self) -> (String, String) {
        let script = "const { file, name } = files.at(-1); \
                      return file.arrayBuffer().then((bytes) => [name ?? '', file.type, \
                        new TextDecoder('utf-8', { ignoreBOM: true, fatal: true }).decode(bytes)])";
        let read = self.page.run(script, &[]);
        let text = |index: usize| read[index].as_str().unwrap_or_default().to_owned();
        let kind = if text(0).ends_with(".csv") {
            "text/csv;charset=utf-8"
        } else {
            "text/calendar;charset=utf-8"
        };
        assert_eq!(text(1), kind);
        (text(0), text(2))
    }

    /// Returns the uids in the last file, in its order.
    #[track_caller]
    fn uids(&self) -> Vec<String> {
        uids_in(&self.file().1)
    }

    /// Returns the bookings of a query, from the service.
    fn all_bookings(&self, query: &str) -> Vec<Value> {
        let mut all = Vec::new();
        loop {
            let path = format!("{TEAM_BOOKINGS}?take=250&skip={}{query}", all.len());
            let page = self.service.owner().get(&path).data();
            let page = page.as_array().cloned().unwrap_or_default();
            if page.is_empty() {
                return all;
            }
            all.extend(page);
        }
    }

    fn all_uids(&self, query: &str) -> Vec<String> {
        self.all_bookings(query).iter().map(uid).collect()
    }

    /// Counts the requests of exports for a page: the list itself fetches smaller ones.
    fn page_requests(&self, skip: usize) -> usize {
        let end = format!("take=250&skip={skip}");
        let seen = self.faults.seen("GET", TEAM_BOOKINGS);
        seen.iter()
            .filter(|page_requests| page_requests.ends_with(&end))
            .count()
    }

    fn has_status(&self, what: &str) -> bool {
        let script = "return [...document.querySelector('booking-list').shadowRoot \
                        .querySelectorAll('[role=status]')].map((each) => each.textContent).join('\\n')";
        let has_status = self.page.run(script, &[]);
        has_status.as_str().unwrap_or_default().contains(what)
    }
}

/// Returns the uids in a CSV text, in its order.
#[track_caller]
fn uids_in(table: &str) -> Vec<String> {
    let table = read_table(table);
    let column = column_of(&table[0], "Reference");
    table[1..].iter().map(|line| line[column].clone()).collect()
}

fn uid(booking: &Value) -> String {
    text(&booking["uid"])
}

fn text(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}

/// Parses CSV by RFC 4180.
fn read_table(table: &str) -> Vec<Vec<String>> {
    let table = table.strip_prefix('\u{feff}').expect("a byte order mark");
    let (mut lines, mut line, mut cell) = (Vec::new(), Vec::new(), String::new());
    let (mut is_quoted, mut characters) = (false, table.chars().peekable());
    while let Some(character) = characters.next() {
        match character {
            '"' if is_quoted && characters.peek() == Some(&'"') => {
                characters.next();
                cell.push('"');
            }
            '"' => is_quoted = !is_quoted,
            ',' if !is_quoted => line.push(std::mem::take(&mut cell)),
            '\r' if !is_quoted => {
                assert_eq!(characters.next(), Some('\n'));
                line.push(std::mem::take(&mut cell));
                lines.push(std::mem::take(&mut line));
            }
            character => cell.push(character),
        }
    }
    assert!(!is_quoted && cell.is_empty() && line.is_empty());
    lines
}

fn column_of(head: &[String], name: &str) -> usize {
    let index = head.iter().position(|heading| heading == name);
    assert!(index.is_some(), "no {name} in {head:?}");
    index.unwrap_or_default()
}

/// Removes the apostrophes that guard the lines of a cell against being formulas.
fn unguarded(cell: &str) -> String {
    let lines = cell.split('\n').map(|line| match line.strip_prefix('\'') {
        Some(rest) if rest.starts_with(['=', '+', '-', '@', '\t', '\r']) => rest,
        _ => line,
    });
    lines.collect::<Vec<&str>>().join("\n")
}

fn joined(values: &Value, key: &str) -> String {
    let values = values.as_array().into_iter().flatten();
    let texts: Vec<String> = values
        .map(|value| text(if key.is_empty() { value } else { &value[key] }))
        .filter(|text| !text.is_empty())
        .collect();
    texts.join(" | ")
}

/// Formats a response.
fn answer(value: &Value) -> String {
    match value {
        Value::Bool(true) => "Yes".to_owned(),
        Value::Bool(false) => "No".to_owned(),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(answer).collect();
            items.join(", ")
        }
        other => text(other).trim().to_owned(),
    }
}

/// Returns local times in London, as the CSV has them, by instant in milliseconds.
fn wall_times(page: &Page, bookings: &[Value]) -> BTreeMap<i64, String> {
    let moments = bookings
        .iter()
        .flat_map(|booking| [instant(&booking["start"]).0, instant(&booking["end"]).0]);
    let moments: Vec<i64> = moments.collect::<BTreeSet<_>>().into_iter().collect();
    let script = "const format = new Intl.DateTimeFormat('sv-SE', { timeZone: 'Europe/London', \
                    dateStyle: 'short', timeStyle: 'short' }); \
                  return arguments[0].map((moment) => format.format(moment))";
    let written = page.run(script, &[json!(moments)]);
    let written = written.as_array().cloned().unwrap_or_default();
    moments.into_iter().zip(written.iter().map(text)).collect()
}

/// Makes bookings whose texts are spreadsheet formulas.
fn book_formulas(service: &Service) -> Vec<String> {
    let page = Page::open("about:blank");
    let free = free_slots(service, &page, 5);
    ["=HYPERLINK(\"http://evil.example\")", "+1", "-1", "@SUM(1)"]
        .iter()
        .zip(free.iter().step_by(10))
        .map(|(name, free)| {
            let more =
                json!({ "location": { "type": "attendeeAddress", "address": "=A1, \"B\"\r\n+1" } });
            let made = crate::common::create_booking(
                service,
                5,
                free.start,
                (*name, "eve@example.org"),
                &more,
            );
            assert_eq!(made.status, 201, "{made:?}");
            uid(&made.data())
        })
        .collect()
}

#[test]
fn ten_thousand_bookings_are_exported_as_csv_and_ics() {
    let service = Service::with_bookings(10_000 - 4);
    let formulas = book_formulas(&service);
    let list = ExportedList::new(service);
    let page = &list.page;
    list.tab("All");
    let all_bookings = list.all_bookings("");
    assert_eq!(all_bookings.len(), 10_000);
    // Measured after the dialog is open, so that its memory does not count.
    let size = |page: &Page| {
        let size = page.run("return window.memory.buffer.byteLength", &[]);
        size.as_u64().expect("the size of the memory")
    };

    list.open_export();
    page.heading("Export 10,000 bookings").wait();
    page.assert_accessible("choosing a file");
    let before = size(page);
    list.select_format("CSV");
    list.done();
    page.wait_for_text("10,000 bookings were exported.");
    page.assert_accessible("an export that is done");
    let grown = size(page) - before;
    println!("memory of WebAssembly: {before} bytes, and {grown} more after the export");
    assert!(grown <= 4 << 20, "{grown} bytes more for 10,000 bookings");
    let (name, table) = list.file();
    assert!(
        name.starts_with("bookings-20") && name.ends_with(".csv"),
        "{name}"
    );
    compare(&list, &all_bookings, &read_table(&table));
    for uid in &formulas {
        let line = table.lines().find(|line| line.contains(uid.as_str()));
        assert!(
            line.is_some_and(|line| line.contains("'=A1, \"\"B\"\"")),
            "{line:?}"
        );
    }

    page.button("Close").click();
    page.wait_until("the file to be released", || {
        page.run("return files.every((each) => each.isGone)", &[]) == true
    });
    let grown = size(page);
    list.open_export();
    list.select_format("ICS");
    list.done();
    let again = size(page) - grown;
    assert!(again <= 2 << 20, "{again} bytes more for the second time");
    let (name, calendar) = list.file();
    assert!(name.ends_with(".ics"), "{name}");
    compare_calendar(&all_bookings, &calendar);
    let recorded = page.run("return events", &[]);
    assert_eq!(recorded, json!([["csv", 10_000], ["ics", 10_000]]));
    page.assert_no_errors();
}

fn compare(list: &ExportedList, all_bookings: &[Value], table: &[Vec<String>]) {
    let head = &table[0];
    assert_eq!(table.len(), all_bookings.len() + 1);
    let walls = wall_times(&list.page, all_bookings);
    let types = list.service.owner().get("/v2/teams/1/event-types").data();
    let types = types.as_array().cloned().unwrap_or_default();
    // Columns are by slug, with the first label as heading.
    let mut labels: Vec<(String, String)> = Vec::new();
    for field in types.iter().flat_map(|kind| {
        kind["bookingFields"]
            .as_array()
            .cloned()
            .unwrap_or_default()
    }) {
        let (slug, label) = (text(&field["slug"]), text(&field["label"]));
        // These fields have columns of their own.
        let is_own = ![
            "name",
            "email",
            "title",
            "guests",
            "location",
            "rescheduleReason",
        ]
        .contains(&slug.as_str());
        if is_own && !labels.iter().any(|(known, _)| *known == slug) {
            let heading = match slug.as_str() {
                "notes" if label.is_empty() => "Anything we should know?".to_owned(),
                _ if label.is_empty() => slug.clone(),
                _ => label,
            };
            labels.push((slug, heading));
        }
    }
    assert!(labels.len() > 3, "{labels:?}");
    let wall = |moment: &Value| walls[&instant(moment).0].clone();
    for (booking, line) in all_bookings.iter().zip(&table[1..]) {
        let attendees = &booking["attendees"];
        let kind = types
            .iter()
            .find(|kind| kind["id"] == booking["eventTypeId"]);
        let mut expected = vec![
            ("Reference", uid(booking)),
            ("Title", text(&booking["title"])),
            ("Status", status_word(booking).to_owned()),
            ("Status (code)", text(&booking["status"])),
            ("Start (UTC)", text(&booking["start"])),
            ("End (UTC)", text(&booking["end"])),
            ("Time zone", "Europe/London".to_owned()),
            ("Start", wall(&booking["start"])),
            ("End", wall(&booking["end"])),
            ("Duration in minutes", text(&booking["duration"])),
            ("Event type ID", text(&booking["eventTypeId"])),
            ("Hosts", joined(&booking["hosts"], "name")),
            ("Hosts’ email addresses", joined(&booking["hosts"], "email")),
            ("Attendees", joined(attendees, "name")),
            ("Attendees’ email addresses", joined(attendees, "email")),
            ("Attendees’ phone numbers", joined(attendees, "phoneNumber")),
            ("Attendees’ time zones", joined(attendees, "timeZone")),
            ("Guests", joined(&booking["guests"], "")),
            ("Location (code)", text(&booking["location"])),
            ("Description", text(&booking["description"])),
            ("Series", text(&booking["recurringBookingUid"])),
            ("Seats", joined(attendees, "seatUid")),
            ("Reason", text(&booking["cancellationReason"])),
            ("Cancelled by", text(&booking["cancelledByEmail"])),
            (
                "Reason for rescheduling",
                text(&booking["reschedulingReason"]),
            ),
            ("Rescheduled by", text(&booking["rescheduledByEmail"])),
            ("Replaces", text(&booking["rescheduledFromUid"])),
            ("Replaced by", text(&booking["rescheduledToUid"])),
            ("Booked", text(&booking["createdAt"])),
            ("Changed", text(&booking["updatedAt"])),
            ("Rating", text(&booking["rating"])),
        ];
        if let Some(kind) = kind {
            expected.push(("Event type", text(&kind["title"])));
        }
        let location = text(&booking["location"]);
        let location = match location.as_str() {
            call if call.starts_with("integrations:") => "Video call".to_owned(),
            place => place.trim().to_owned(),
        };
        expected.push(("Where", location));
        let answers = &booking["bookingFieldsResponses"];
        if answers.is_object() {
            for (slug, label) in &labels {
                expected.push((label, answer(&answers[slug])));
            }
        }
        for (heading, value) in expected {
            let cell = &line[column_of(head, heading)];
            assert_eq!(unguarded(cell), value, "{heading} of {booking}");
        }
    }
}

/// Status as the list shows it.
fn status_word(booking: &Value) -> &'static str {
    match booking["status"].as_str().unwrap_or_default() {
        "accepted" => "Confirmed",
        "pending" => "Requested",
        "rejected" => "Declined",
        "cancelled" if booking["rescheduledToUid"].is_string() => "Rescheduled",
        "cancelled" => "Cancelled",
        _ => "an unknown status",
    }
}

fn compare_calendar(all_bookings: &[Value], calendar: &str) {
    assert!(calendar.split("\r\n").all(|line| line.len() <= 75));
    let unfolded = calendar.replace("\r\n ", "");
    let events: Vec<&str> = unfolded.split("BEGIN:VEVENT\r\n").skip(1).collect();
    assert_eq!(events.len(), all_bookings.len());
    assert!(unfolded.ends_with("END:VEVENT\r\nEND:VCALENDAR\r\n"));
    let stamp = |moment: &Value| {
        let digits: String = text(moment)
            .chars()
            .take(19)
            .filter(|character| !"-:".contains(*character))
            .collect();
        digits + "Z"
    };
    let escaped = |text: &str| {
        let text = text
            .replace('\\', "\\\\")
            .replace(';', "\\;")
            .replace(',', "\\,");
        text.replace('\n', "\\n")
    };
    for (booking, event) in all_bookings.iter().zip(events) {
        let status = match booking["status"].as_str() {
            Some("accepted") => "CONFIRMED",
            Some("cancelled" | "rejected") => "CANCELLED",
            _ => "TENTATIVE",
        };
        // The booking that replaced it has the same one for calendars.
        let uid = match booking["rescheduledToUid"].is_string() {
            true => booking["uid"].as_str(),
            false => booking["icsUid"].as_str(),
        };
        let mut lines = vec![
            format!("UID:{}", uid.expect("a uid for calendars")),
            format!("DTSTART:{}", stamp(&booking["start"])),
            format!("DTEND:{}", stamp(&booking["end"])),
            format!("SUMMARY:{}", escaped(&text(&booking["title"]))),
            format!("STATUS:{status}"),
            format!("LAST-MODIFIED:{}", stamp(&booking["updatedAt"])),
        ];
        for attendee in booking["attendees"].as_array().into_iter().flatten() {
            lines.push(format!(":mailto:{}", text(&attendee["email"])));
        }
        for line in lines {
            assert!(event.contains(&format!("{line}\r\n")), "{line} in {event}");
        }
    }
}

#[test]
fn rate_limited_export_shows_a_countdown_and_continues() {
    let list = ExportedList::new(Service::with_bookings(600));
    let page = &list.page;
    list.tab("All");
    list.faults.next("GET", SECOND_PAGE, Fault::RateLimited(4));
    list.open_export();
    list.select_format("CSV");
    page.wait_for_text("Continuing in");
    page.assert_accessible("a rate-limited export");
    assert!(
        list.progress().contains("250 of 600"),
        "{}",
        list.progress()
    );
    list.done();
    assert_eq!(list.uids(), list.all_uids(""));
    assert_eq!((list.page_requests(0), list.page_requests(240)), (1, 2));
    page.assert_no_errors();
}

#[test]
fn failed_export_resumes_where_it_stopped() {
    let list = ExportedList::new(Service::with_bookings(600));
    let page = &list.page;
    list.tab("All");
    list.faults
        .always("GET", SECOND_PAGE, Fault::Status(503, "Busy"));
    list.open_export();
    list.select_format("CSV");
    page.button("Continue").wait();
    page.wait_for_text("250 of 600");
    page.assert_accessible("a stopped export");
    assert_eq!(page.focus(), r#"button "Continue""#);
    // A few automatic retries, then none.
    assert_eq!(list.page_requests(240), 4);
    assert_eq!(page.run("return files.length", &[]), json!(0));
    list.faults.clear();
    page.button("Continue").click();
    list.done();
    assert_eq!(list.uids(), list.all_uids(""));
    assert_eq!(list.page_requests(0), 1, "the first page is requested once");
    page.assert_no_errors();
}

#[test]
fn export_is_cancelled_in_any_state() {
    let list = ExportedList::new(Service::with_bookings(600));
    let page = &list.page;
    list.tab("All");
    for fault in [
        Fault::Hang,
        Fault::RateLimited(300),
        Fault::Status(503, "Busy"),
    ] {
        list.faults.always("GET", SECOND_PAGE, fault.clone());
        list.open_export();
        list.select_format("CSV");
        match fault {
            Fault::Hang => page.wait_until("the page request", || list.faults.hanging() > 0),
            Fault::RateLimited(_) => page.wait_for_text("Continuing in"),
            _ => page.button("Continue").wait(),
        }
        page.button("Cancel export").click();
        page.button("Cancel export").wait_gone();
        page.wait_until("the status message", || {
            list.has_status("The export was cancelled.")
        });
        list.faults.clear();
        list.faults.release();
    }
    assert_eq!(page.run("return files.length", &[]), json!(0));
    assert_eq!(page.run("return events", &[]), json!([]));
    // A new export starts from the beginning.
    list.open_export();
    list.select_format("CSV");
    list.done();
    assert_eq!(list.uids(), list.all_uids(""));
    page.assert_no_errors();
}

#[test]
fn bookings_cancelled_during_export_hide_no_others() {
    let list = ExportedList::new(Service::with_bookings(1_500));
    let page = &list.page;
    let before = list.all_uids("&status=upcoming");
    assert!(before.len() > 300, "{}", before.len());
    list.faults.next("GET", SECOND_PAGE_UPCOMING, Fault::Hang);
    list.open_export();
    list.select_format("CSV");
    page.wait_until("the request for the second page", || {
        list.faults.hanging() > 0
    });
    // More than the overlap of two pages: the following bookings move forward by that number.
    let reason = json!({ "cancellationReason": "Storm" });
    let gone: Vec<&String> = before
        .iter()
        .filter(|uid| {
            let path = format!("/v2/bookings/{uid}/cancel");
            list.service.owner().post(&path, &reason).status == 200
        })
        .take(25)
        .collect();
    assert_eq!(gone.len(), 25);
    list.faults.release();
    list.done();
    let written = list.uids();
    let once: BTreeSet<&String> = written.iter().collect();
    assert_eq!(once.len(), written.len(), "no duplicates");
    let missing: Vec<_> = before.iter().filter(|uid| !once.contains(uid)).collect();
    assert_eq!(missing, Vec::<&String>::new());
    page.assert_no_errors();
}

#[test]
fn only_filtered_or_selected_bookings_are_exported() {
    let list = ExportedList::new(Service::start());
    let page = &list.page;
    list.tab("Cancelled");
    list.open_export();
    list.select_format("CSV");
    list.done();
    let cancelled = list.all_uids("&status=cancelled");
    assert_eq!(list.uids(), cancelled);
    page.button("Close").click();

    // Two rows, and no others.
    let boxes = page.css("tr.booking").each("checkbox");
    boxes.nth(0).click();
    boxes.nth(1).click();
    let bar = page.role("group", "Selected bookings");
    bar.button("Export").click();
    page.heading("Export 2 bookings").wait();
    list.select_format("CSV");
    list.done();
    assert_eq!(list.uids(), cancelled[..2]);
    page.wait_for_text("2 bookings were exported.");
    page.assert_no_errors();
}

/// What is exported, and counted in the title, is what the list shows at that moment, however long the panel was open.
#[test]
fn open_export_follows_tab_search_and_order_of_the_list() {
    let list = ExportedList::new(Service::start());
    let page = &list.page;
    let export = |query: &str| {
        let expected = list.all_uids(query);
        assert!(!expected.is_empty(), "{query}");
        page.heading(&*format!("Export {} bookings", expected.len()))
            .wait();
        list.select_format("CSV");
        list.done();
        assert_eq!(list.uids(), expected, "{query}");
    };
    list.tab("Cancelled");
    list.open_export();
    page.role("group", "Status").button("All").click();
    export("");
    // What was exported is no longer what is shown.
    list.tab("Cancelled");
    page.wait_until("the panel of the finished export to close", || {
        !page.css(".export").exists()
    });
    list.open_export();
    page.role("group", "Status").button("All").click();
    let bookings = list.all_bookings("&status=cancelled");
    let name = text(&bookings[0]["attendees"][0]["name"]);
    let name = name.split(' ').next().expect("a name");
    page.field("Search bookings").fill(name);
    export(&format!("&search={name}"));
    page.field("Search bookings").fill("");
    page.wait_until("the panel of the finished export to close", || {
        !page.css(".export").exists()
    });

    // A selection that shrinks, and ends.
    let boxes = page.css("tr.booking").each("checkbox");
    boxes.nth(0).click();
    boxes.nth(1).click();
    let bar = page.role("group", "Selected bookings");
    bar.button("Export").click();
    page.heading("Export 2 bookings").wait();
    boxes.nth(1).click();
    page.heading("Export 1 booking").wait();
    bar.button("Clear selection").click();
    page.wait_until("the panel without bookings to close", || {
        !page.css(".export").exists()
    });
    page.assert_no_errors();
}

#[test]
fn exported_file_is_downloaded() {
    let list = ExportedList::with(Service::start(), "");
    let page = &list.page;
    list.tab("Cancelled");
    let bookings = list.all_bookings("&status=cancelled");
    let cancelled: Vec<String> = bookings.iter().map(uid).collect();
    list.open_export();
    list.select_format("CSV");
    let (name, table) = page.downloaded_file("bookings-20", ".csv");
    // From the first to the last day.
    let length = "bookings-2027-01-31--2027-02-01.csv".len();
    assert!(name.len() <= length, "{name}");
    assert_eq!(uids_in(&table), cancelled);
    // The other format is offered at once.
    list.select_format("ICS");
    let (_, calendar) = page.downloaded_file("bookings-20", ".ics");
    assert!(
        calendar.ends_with("END:VCALENDAR\r\n"),
        "the file is complete"
    );
    for booking in &bookings {
        // A booking that was moved has a calendar entry of its own.
        let is_moved = booking["rescheduledToUid"].is_string();
        let name = if is_moved { "uid" } else { "icsUid" };
        let uid = booking[name].as_str().expect(name);
        assert!(calendar.contains(uid), "{uid} in the calendar");
    }
    page.assert_no_errors();
}

#[test]
fn saved_views_are_renamed_deleted_and_restored() {
    let list = ExportedList::new(Service::start());
    let page = &list.page;
    page.run(
        "addEventListener('views-changed', (event) => { window.views = event.detail.views; })",
        &[],
    );
    let views = || page.run("return window.views ?? null", &[]);
    let own = || page.run("return document.querySelector('booking-list').views", &[]);
    let save = |name: &str| {
        page.field("View name").fill(name);
        page.button("Save view").click();
    };
    page.role("group", "Status").button("Past").click();
    page.button("Saved views").click();
    page.wait_for_text("No saved views yet.");
    save("Over  and done");
    page.button("View: Over and done").wait();
    let over = json!({ "name": "Over and done", "query": "status=past" });
    assert_eq!(views(), json!([over]));
    assert_eq!(own(), views(), "the property has the same value");
    page.assert_accessible("a saved view");

    // Invalid names are reported, and the input is kept.
    for (name, complaint) in [
        ("Over and done", "A view with this name already exists."),
        (" ", "Please enter a name for the view."),
    ] {
        save(name);
        page.wait_for_text(complaint);
        assert_eq!(page.field("View name").value(), name);
    }
    let long = "long ".repeat(100);
    page.role("group", "Status").button("All").click();
    page.button("View: Over and done, changed").wait();
    save(&long);
    page.wait_until("a second view", || views()[1]["query"] == "status=all");

    // The first view is selected again, changed, and saved.
    let lines = page.role("list", "Saved views");
    let past = ("status", Some("past"));
    let asks = |wanted: (&str, Option<&str>)| {
        let seen = list.faults.seen("GET", TEAM_BOOKINGS);
        let last = seen.last().cloned().unwrap_or_default();
        crate::common::query_value(&last, wanted.0).as_deref() == wanted.1
    };
    lines.button("Over and done").click();
    page.wait_until("the request of the view", || asks(past));
    assert_eq!(
        lines
            .button("Over and done")
            .attribute("aria-pressed")
            .as_deref(),
        Some("true")
    );
    page.role("group", "Status").button("Cancelled").click();
    lines.button("Save changes").click();
    page.wait_until("the changed view", || {
        views()[0]["query"] == "status=cancelled"
    });

    lines.button("Rename").first().click();
    page.field("View name").wait_for_value("Over and done");
    page.field("View name").fill("Off");
    page.css(".view-form").button("Rename").click();
    page.button("View: Off").wait();
    lines.button("Delete").nth(1).click();
    let off = json!([{ "name": "Off", "query": "status=cancelled" }]);
    page.wait_until("the view to be deleted", || views() == off);

    // After a reload the page sets the views that it stored, among invalid entries.
    page.go(&list.faults.url("/page.html"));
    page.record_errors();
    let key = list.service.demo_text("apiKey");
    let give = "const list = document.querySelector('booking-list'); \
                list.views = [null, ...arguments[1], { name: ' ' }, 'x', ...arguments[1]]; \
                list.session = { token: arguments[0] }";
    page.run(give, &[json!(key), off]);
    page.button("Saved views").click();
    lines.button("Off").wait();
    assert_eq!(lines.each("listitem").count(), 1);
    lines.button("Off").click();
    page.wait_until("the request of the view", || {
        asks(("status", Some("cancelled")))
    });
    page.button("View: Off").wait();
    page.run(
        "document.querySelector('booking-list').views = 'nonsense'",
        &[],
    );
    page.wait_for_text("No saved views yet.");
    page.assert_no_errors();
}
