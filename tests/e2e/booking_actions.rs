//! Booking actions of a team: everything that the details offer, and its effects.

use crate::common::{
    DESIGN_REVIEW, Fault, Faults, GROUP_TRAINING, Key, Locator, PARTNER_CALL, Page, SITE_VISIT,
    Service, TEAM_BOOKINGS, WEEKLY_COACHING, booking_at, create_booking_of_grace, free_start,
    instant, query_value, starting,
};
use serde_json::{Value, json};

/// Label of the search field.
const SEARCH: &str = "Search bookings";

/// Page with the list of the demo's team, which records events.
pub(super) struct TeamList {
    pub(super) service: Service,
    pub(super) faults: Faults,
    pub(super) page: Page,
}

impl TeamList {
    pub(super) fn new() -> TeamList {
        TeamList::with("")
    }

    /// Opens the page with more attributes of the list.
    fn with(attributes: &str) -> TeamList {
        let service = Service::start();
        let faults = Faults::before(&service);
        let html = r#"<!doctype html><html lang="en-US"><meta charset="utf-8"><title>Staff</title>
            <script type="module" src="/embed/embed.js"></script>
            <body><main><h1>Staff</h1>
            <booking-list team-id="1" time-zone="Europe/London" ATTRIBUTES></booking-list></main>
            <script>
              window.events = [];
              for (const name of ["booking-confirmed", "booking-declined", "booking-cancelled",
                "booking-changed", "booking-rescheduled", "booking-kept"])
                document.addEventListener(name, ({ type, detail: { uid, what } }) =>
                  events.push([type, uid, what].filter(Boolean).join(" ")));
              document.querySelector("booking-list").session = {
                baseUrl: location.origin,
                async getToken() {
                  const answer = await fetch("/demo/token", { method: "POST" });
                  return (await answer.json()).accessToken;
                },
              };
            </script>"#;
        let html = html.replace("ATTRIBUTES", attributes);
        faults.page("/staff.html", &[], &html);
        let page = Page::open(&faults.url("/staff.html"));
        page.record_errors();
        page.field(SEARCH).wait();
        TeamList {
            service,
            faults,
            page,
        }
    }

    /// Shows the details of one booking, with any status.
    #[track_caller]
    fn open(&self, uid: &str) {
        let page = &self.page;
        let before = self.faults.count("GET", TEAM_BOOKINGS);
        page.role("group", "Status").button("All").click();
        page.field(SEARCH).fill(uid);
        page.wait_until("the booking alone", || {
            let seen = self.faults.seen("GET", TEAM_BOOKINGS);
            let last = seen.last().cloned().unwrap_or_default();
            seen.len() > before
                && query_value(&last, "search").as_deref() == Some(uid)
                && query_value(&last, "status").is_none()
        });
        let title = self.stored(uid)["title"].as_str().unwrap_or("").to_owned();
        page.wait_until("its row", || page.button(title.as_str()).count() == 1);
        page.button(title.as_str()).click();
        page.role("group", "Actions").wait();
    }

    /// Finds the button of a booking action.
    fn action(&self, name: &str) -> Locator<'_> {
        self.page.css(".acts-row").button(name)
    }

    /// Finds the form of a booking action.
    fn form(&self, name: &str) -> Locator<'_> {
        self.page.role("form", name)
    }

    /// Returns the booking from the service.
    #[track_caller]
    pub(super) fn stored(&self, uid: &str) -> Value {
        let path = format!("/v2/bookings/{uid}");
        self.service.owner().get(&path).data()
    }

    /// Selects all of Grace's bookings as a query: the page shows only some of them.
    #[track_caller]
    fn select_all_of_grace(&self, count: usize) {
        let page = &self.page;
        page.role("group", "Status").button("All").click();
        page.field(SEARCH).fill("grace@example.org");
        page.wait_for_text(&format!("1–2 of {count}"));
        page.field("Select all on this page").click();
        page.button(format!("Select all {count} matching bookings").as_str())
            .click();
        page.wait_for_text(&format!("All {count} matching bookings selected"));
    }

    pub(super) fn sent(&self, uid: &str, action: &str) -> usize {
        self.faults
            .count("POST", &format!("/v2/bookings/{uid}/{action}"))
    }
}

/// Returns a past booking of the demo that took place.
#[track_caller]
fn past_booking(service: &Service) -> Value {
    let query = format!("{TEAM_BOOKINGS}?status=past&take=250");
    let bookings = service.owner().get(&query).data();
    let mut bookings = bookings.as_array().cloned().unwrap_or_default().into_iter();
    bookings
        .find(|booking| {
            booking["status"] == "accepted"
                && booking["absentHost"] == false
                && booking["attendees"][0]["absent"] == false
                && booking["attendees"].as_array().map(Vec::len) == Some(1)
        })
        .expect("a past booking")
}

#[test]
fn pending_booking_is_confirmed_or_declined() {
    let list = TeamList::new();
    let page = &list.page;
    let uid = booking_at(&list.service, DESIGN_REVIEW, 0);
    assert_eq!(list.stored(&uid)["status"], "pending");
    list.open(&uid);
    page.assert_accessible("details of a pending booking");
    // Each answer is there once: not in the row too.
    for answer in ["Confirm", "Decline"] {
        assert_eq!(page.button(starting(answer)).count(), 1, "{answer}");
    }
    // A second click while the request is in flight does nothing.
    let path = format!("/v2/bookings/{uid}/confirm");
    list.faults.next("POST", &path, Fault::Hang);
    list.action("Confirm").click();
    page.wait_until("the request", || list.faults.hanging() == 1);
    page.run(
        "document.querySelector('booking-list').shadowRoot \
           .querySelector(\"[data-act='confirm']\").click()",
        &[],
    );
    list.faults.release();
    page.wait_for_text("The booking is confirmed.");
    assert_eq!(list.stored(&uid)["status"], "accepted");
    assert_eq!(list.sent(&uid, "confirm"), 1);
    list.page
        .wait_for_event(&format!("booking-confirmed {uid}"));
    // A confirmed booking cannot be confirmed again.
    list.action("Confirm").wait_gone();
    list.action("Reschedule").wait();

    let uid = booking_at(&list.service, DESIGN_REVIEW, 40);
    list.open(&uid);
    list.action("Decline").click();
    let reason = list.form("Decline").field(starting("Reason for declining"));
    page.wait_until("the focus in the form", || reason.has_focus());
    page.assert_accessible("the decline form");
    // Escape closes the form and returns the focus.
    page.press(Key::Escape);
    list.form("Decline").wait_gone();
    page.wait_until("the focus on the button", || {
        list.action("Decline").has_focus()
    });
    list.action("Decline").click();
    reason.fill("No room is free");
    list.form("Decline").button("Decline").click();
    page.wait_for_text("The booking is declined.");
    let stored = list.stored(&uid);
    assert_eq!(stored["status"], "rejected");
    assert_eq!(stored["cancellationReason"], "No room is free");
    list.page.wait_for_event(&format!("booking-declined {uid}"));
    page.wait_for_text("No room is free");

    page.assert_no_errors();
}

#[test]
fn pending_booking_is_confirmed_or_declined_in_its_row() {
    let list = TeamList::new();
    let page = &list.page;
    let confirmed = booking_at(&list.service, DESIGN_REVIEW, 0);
    let declined = booking_at(&list.service, DESIGN_REVIEW, 40);
    page.role("group", "Status").button("All").click();
    page.field("Search bookings").fill("grace@example.org");
    page.wait_for_text("1–2 of 2");
    let rows = page.css("tr.booking");
    page.wait_until("both rows", || rows.count() == 2);
    let acts = |place: usize| rows.nth(place).css(".row-acts");
    acts(0).wait();
    page.assert_accessible("rows of pending bookings");
    // The name says which booking it is.
    let title = list.stored(&confirmed)["title"].clone();
    let title = title.as_str().unwrap_or("");
    assert_eq!(
        acts(0).each("button").names(),
        [format!("Decline: {title}"), format!("Confirm: {title}")]
    );

    // Shown at once, and not sent while it can be taken back.
    let notice = page.css(".answer");
    acts(0).button(starting("Decline")).click();
    notice.text("Declined: Grace Hopper, ").wait();
    assert_eq!(acts(0).css(".badge").read_text(), "Declined");
    page.assert_accessible("an answer that can be taken back");
    page.wait_until("the focus on the row", || {
        rows.nth(0).css(".booking-open").has_focus()
    });
    notice.button("Undo").click();
    notice.wait_gone();
    acts(0).button(starting("Decline")).wait();
    assert_eq!(list.sent(&confirmed, "decline"), 0);

    // Refused: the details of the row say why, and have the buttons.
    let path = format!("/v2/bookings/{confirmed}/confirm");
    list.faults
        .next("POST", &path, Fault::Status(400, "a host is away"));
    acts(0).button(starting("Confirm")).click();
    notice.button("Close").click();
    page.css(".details").text("a host is away").wait();
    assert_eq!(page.button(starting("Confirm")).count(), 2, "one per row");
    // In the row again when its details are closed. The row shows the answer while the request is in flight.
    rows.nth(0).css(".booking-open").click();
    page.css(".details").wait_gone();
    list.faults.next("POST", &path, Fault::Hang);
    acts(0).button(starting("Confirm")).click();
    // Sent when the page is left.
    page.run("window.dispatchEvent(new Event('pagehide'))", &[]);
    page.wait_until("the request", || list.faults.hanging() == 1);
    assert_eq!(acts(0).css(".badge").read_text(), "Confirmed");
    list.faults.release();
    page.wait_for_text("The booking is confirmed.");
    assert_eq!(list.stored(&confirmed)["status"], "accepted");
    assert_eq!(list.sent(&confirmed, "confirm"), 2);
    acts(0).wait_gone();
    // The row shows the outcome where its buttons were.
    assert_eq!(rows.nth(0).css(".badge").read_text(), "Confirmed");
    page.wait_until("the focus not to be lost", || page.focus() != "nothing");

    // The form of another action sends the answer first.
    acts(1).button(starting("Decline")).click();
    rows.nth(1).css(".booking-open").click();
    list.action("Change location").click();
    page.wait_for_text("The booking is declined.");
    notice.wait_gone();
    assert_eq!(list.stored(&declined)["status"], "rejected");
    acts(1).wait_gone();
    assert_eq!(rows.nth(1).css(".badge").read_text(), "Declined");
    page.assert_no_errors();
}

#[test]
fn pending_row_is_answered_by_keyboard() {
    let list = TeamList::new();
    let page = &list.page;
    let uid = booking_at(&list.service, DESIGN_REVIEW, 0);
    booking_at(&list.service, DESIGN_REVIEW, 40);
    page.role("group", "Status").button("All").click();
    page.field("Search bookings").fill("grace@example.org");
    page.wait_for_text("1–2 of 2");
    let buttons = page.css(".booking-open");
    let confirm = page.css(".row-act[data-act='confirm']");
    page.wait_until("both rows", || confirm.count() == 2);
    // One row is in the tab order.
    assert_eq!(page.css(".row-act[tabindex='0']").count(), 2);
    page.css(".booking-select input").nth(1).click();
    page.press(Key::Up);
    page.press(Key::Tab);
    assert!(buttons.nth(0).has_focus());
    page.press(Key::Down);
    assert!(buttons.nth(1).has_focus());
    page.press(Key::Up);
    // A link to the meeting may be between them.
    for _ in 0..3 {
        if !confirm.nth(0).has_focus() {
            page.press(Key::Tab);
        }
    }
    page.wait_until("the focus on the button", || confirm.nth(0).has_focus());
    page.press(Key::Enter);
    page.css(".answer").button("Close").click();
    page.wait_for_text("The booking is confirmed.");
    assert_eq!(list.stored(&uid)["status"], "accepted");
    page.assert_no_errors();
}

#[test]
fn unconfirmed_tab_shows_its_number_after_each_action() {
    let list = TeamList::new();
    let page = &list.page;
    let uid = booking_at(&list.service, DESIGN_REVIEW, 0);
    let waiting = || {
        let path = format!("{TEAM_BOOKINGS}?status=unconfirmed&take=1");
        let pagination = list.service.owner().get(&path).json()["pagination"].clone();
        pagination["totalItems"].as_u64().unwrap_or_default()
    };
    page.button("Reload bookings").wait();
    list.open(&uid);
    list.action("Confirm").click();
    page.wait_for_text("The booking is confirmed.");
    let shown = |count: u64| {
        let name = format!("Requests {count}");
        let tab = page.role("group", "Status").button(name.as_str());
        page.wait_until("the number", || tab.exists());
    };
    let count = waiting();
    assert!(count > 0 && count < 100, "{count}");
    shown(count);

    // A failed request shows none.
    let uid = booking_at(&list.service, DESIGN_REVIEW, 40);
    let path = format!("{TEAM_BOOKINGS}?status=unconfirmed&take=1");
    list.faults.always("GET", &path, Fault::Status(500, "boom"));
    list.open(&uid);
    list.action("Confirm").click();
    page.wait_until("no number", || {
        page.role("group", "Status").button("Requests").exists()
    });
    page.assert_no_errors();
}

#[test]
fn booking_changed_by_another_host_shows_its_current_status() {
    let list = TeamList::new();
    let page = &list.page;
    let uid = booking_at(&list.service, DESIGN_REVIEW, 0);
    list.open(&uid);
    page.run("document.querySelector('booking-list').lang = 'de'", &[]);
    page.css(".acts-row").button("Bestätigen").wait();
    let rival = |uid: &str, action: &str, body: &Value| {
        let path = format!("/v2/bookings/{uid}/{action}");
        let answer = list.service.owner().post(&path, body);
        assert!(answer.status < 300, "{answer:?}");
    };
    rival(&uid, "decline", &json!({ "reason": "Away" }));
    page.css(".acts-row").button("Bestätigen").click();
    page.wait_for_text("Jemand anderes war schneller. Status der Buchung jetzt: Abgelehnt.");
    page.css(".acts-row").wait_gone();
    let row = page.css("tr.booking");
    assert!(row.read_text().contains("Abgelehnt"), "{}", row.read_text());
    page.wait_until("the focus not to be lost", || page.focus() != "nothing");
    page.run("document.querySelector('booking-list').lang = 'en'", &[]);
    page.button(starting("Filters")).click();

    // A form closes when its action is no longer allowed.
    let uid = booking_at(&list.service, PARTNER_CALL, 4);
    list.open(&uid);
    list.action("Change location").click();
    let form = list.form("Change location");
    form.field("New location").fill("meet.example.org/room");
    rival(&uid, "cancel", &json!({ "cancellationReason": "Rain" }));
    form.button("Change location").click();
    page.wait_for_text(
        "Someone else changed this booking before you. Its status is now: Cancelled.",
    );
    form.wait_gone();
    page.assert_accessible("a booking cancelled by another host");
    page.assert_no_errors();
}

#[test]
fn booking_or_rest_of_series_is_cancelled_with_a_reason() {
    let list = TeamList::new();
    let page = &list.page;
    let uid = booking_at(&list.service, SITE_VISIT, 3);
    list.open(&uid);
    list.action("Cancel booking").click();
    let form = list.form("Cancel booking");
    page.assert_accessible("the cancel form");
    form.button("Cancel booking").click();
    form.text("Required").wait();
    assert_eq!(list.sent(&uid, "cancel"), 0);
    let reason = form.field("Reason for cancelling");
    page.wait_until("the focus on what is missing", || reason.has_focus());

    // Rejected: the reason is shown at the form, and the input is kept.
    let path = format!("/v2/bookings/{uid}/cancel");
    reason.fill("The van broke down");
    list.faults
        .next("POST", &path, Fault::Status(403, "Forbidden"));
    form.button("Cancel booking").click();
    page.wait_for_text("Only the host or a team admin can do this");
    reason.wait_for_value("The van broke down");
    list.faults.next(
        "POST",
        &path,
        Fault::Status(400, "bookings of this kind stay"),
    );
    form.button("Cancel booking").click();
    page.wait_for_text("bookings of this kind stay");
    // Response lost, action not done: the booking is fetched again.
    list.faults.next("POST", &path, Fault::Drop);
    form.button("Cancel booking").click();
    page.wait_for_text("has not changed");
    assert_eq!(list.stored(&uid)["status"], "accepted");
    // Response lost, action done.
    reason.wait_for_value("The van broke down");
    list.faults.next("POST", &path, Fault::ResponseLost);
    form.button("Cancel booking").click();
    page.wait_for_text("The booking is cancelled.");
    let stored = list.stored(&uid);
    assert_eq!(stored["status"], "cancelled");
    assert_eq!(stored["cancellationReason"], "The van broke down");
    list.page
        .wait_for_event(&format!("booking-cancelled {uid}"));

    // A series: the second booking and all that follow.
    let start = free_start(&list.service, WEEKLY_COACHING, 2);
    let body = json!({
        "eventTypeId": WEEKLY_COACHING, "start": start.to_string(), "recurrenceCount": 3,
        "attendee": { "name": "Grace Hopper", "email": "grace@example.org", "timeZone": "Europe/London" },
    });
    let booker = list.service.booker(WEEKLY_COACHING);
    let series = booker.post("/v2/bookings", &body).data();
    let uids: Vec<&str> = (0..3)
        .map(|index| series[index]["uid"].as_str().unwrap_or(""))
        .collect();
    list.open(uids[1]);
    page.button("Show all meetings").click();
    page.wait_until("the meetings", || page.css(".meetings > li").count() == 3);
    list.action("Cancel booking").click();
    form.field("This and all later meetings").click();
    reason.fill("The coach is away");
    form.button("Cancel booking").click();
    page.wait_for_text("2 bookings cancelled.");
    let status = |uid: &str| list.stored(uid)["status"].clone();
    let statuses: Vec<Value> = uids.into_iter().map(status).collect();
    assert_eq!(statuses, ["accepted", "cancelled", "cancelled"]);
    page.assert_no_errors();
}

#[test]
fn no_show_is_marked_at_once_and_rolled_back_if_rejected() {
    let list = TeamList::new();
    let page = &list.page;
    let booking = past_booking(&list.service);
    let uid = booking["uid"].as_str().unwrap_or("").to_owned();
    let name = booking["attendees"][0]["name"].as_str().unwrap_or("");
    list.open(&uid);
    list.action("Mark as no-show").click();
    let form = list.form("Mark as no-show");
    let attendee = form.field(name);
    page.assert_accessible("no-show checkboxes");
    let top_of_form = || {
        let script = "const root = document.querySelector('booking-list').shadowRoot; \
            const top = (selector) => root.querySelector(selector).getBoundingClientRect().top; \
            return top('.act-form [data-who]') - top('.acts-row')";
        page.run(script, &[])
    };
    let top = top_of_form();
    let path = format!("/v2/bookings/{uid}/mark-absent");
    list.faults.next("POST", &path, Fault::Hang);
    attendee.click();
    page.wait_until("the request", || list.faults.hanging() == 1);
    assert!(attendee.is_checked(), "before the answer");
    list.faults.release();
    page.wait_for_text("Attendance was recorded.");
    assert_eq!(list.stored(&uid)["attendees"][0]["absent"], true);
    page.wait_until("the checkbox to stay checked", || attendee.is_checked());
    // The notice moves no box, and takes the mark back.
    assert_eq!(top_of_form(), top, "below the buttons, as before");
    form.button("Undo").click();
    page.wait_until("the mark to be taken back", || {
        list.stored(&uid)["attendees"][0]["absent"] == false && !attendee.is_checked()
    });
    assert_eq!(top_of_form(), top);
    page.wait_until("the focus not to be lost", || page.focus() != "nothing");
    page.wait_until("the response", || attendee.is_enabled());
    assert!(!form.button("Undo").exists(), "nothing is marked");
    attendee.click();
    page.wait_until("the mark again", || {
        list.stored(&uid)["attendees"][0]["absent"] == true
    });
    list.page
        .wait_for_event(&format!("booking-changed {uid} absence"));

    // Marks the host, unmarks the attendee.
    let host = form.field(crate::common::containing("(host)"));
    host.click();
    page.wait_until("the host to be marked", || {
        list.stored(&uid)["absentHost"] == true
    });
    page.wait_until("the response", || {
        attendee.is_enabled() && host.is_checked()
    });
    list.faults
        .next("POST", &path, Fault::Status(403, "Forbidden"));
    attendee.click();
    page.wait_for_text("Only the host or a team admin can do this");
    page.wait_until("the rollback", || attendee.is_checked());
    attendee.click();
    page.wait_until("the mark to go", || {
        list.stored(&uid)["attendees"][0]["absent"] == false
    });
    page.assert_no_errors();
}

#[test]
fn guests_location_and_host_are_changed() {
    let list = TeamList::new();
    let page = &list.page;
    let uid = booking_at(&list.service, PARTNER_CALL, 4);
    list.open(&uid);

    list.action("Add guests").click();
    let form = list.form("Add guests");
    let guests = form.field("Guests’ email addresses");
    guests.fill("ada@example");
    page.press(Key::Enter);
    form.button("Add guests").click();
    form.text("One of these is not a valid email address.")
        .wait();
    page.assert_accessible("the guests form");
    form.button("Remove ada@example").click();
    guests.type_text("ada@example.org, bo@example.org");
    page.press(Key::Enter);
    // The button above the form closes it, and opens it again with what was typed.
    list.action("Add guests").first().click();
    form.wait_gone();
    list.action("Add guests").first().click();
    form.button("Remove bo@example.org").wait();
    form.button("Add guests").click();
    page.wait_for_text("2 guests were added.");
    let stored = list.stored(&uid);
    assert_eq!(
        stored["guests"],
        json!(["ada@example.org", "bo@example.org"])
    );
    page.link("bo@example.org").wait();
    list.page
        .wait_for_event(&format!("booking-changed {uid} guests"));

    list.action("Change location").click();
    let form = list.form("Change location");
    let place = form.field("New location");
    place.fill("javascript:alert(1)");
    form.button("Change location").click();
    form.text("Please enter a complete web address").wait();
    page.assert_accessible("the location form");
    place.fill("meet.example.org/room");
    form.button("Change location").click();
    page.wait_for_text("The location is changed.");
    assert_eq!(
        list.stored(&uid)["location"],
        "https://meet.example.org/room"
    );
    list.action("Change location").click();
    form.field("Location type")
        .choose("Host calls the attendee");
    place.fill("+39 06 1234567");
    form.button("Change location").click();
    page.wait_until("the number", || {
        list.stored(&uid)["location"] == "+39061234567"
    });
    page.link("+39061234567").first().wait();

    // Another host of the round robin; the current one is not offered.
    let host = list.stored(&uid)["hosts"][0].clone();
    list.action("Reassign").click();
    let form = list.form("Reassign");
    let hosts = form.field("New host");
    page.wait_until("the other hosts", || {
        hosts.role("option", starting("")).count() == 2
    });
    let names = hosts.role("option", starting("")).names();
    assert!(!names.iter().any(|name| host["name"] == *name), "{names:?}");
    page.assert_accessible("the reassign form");
    hosts.choose(names[1].as_str());
    form.field(starting("Reason for reassigning"))
        .fill("On holiday");
    form.button("Reassign").click();
    page.wait_until("another host", || {
        list.stored(&uid)["hosts"][0]["name"] == names[1]
    });
    page.wait_for_text(&format!("{} is now the host.", names[1]));
    list.page
        .wait_for_event(&format!("booking-changed {uid} host"));
    page.assert_no_errors();
}

#[test]
fn single_seat_is_rescheduled_or_cancelled() {
    let list = TeamList::new();
    let page = &list.page;
    let start = free_start(&list.service, GROUP_TRAINING, 1);
    let uid = create_booking_of_grace(&list.service, GROUP_TRAINING, start);
    for other in [
        ("Alan Turing", "alan@example.org"),
        ("Bo Diddley", "bo@example.org"),
    ] {
        let other =
            crate::common::create_booking(&list.service, GROUP_TRAINING, start, other, &json!({}));
        assert_eq!(other.status, 201, "{other:?}");
    }
    let attendees = |uid: &str| {
        let stored = list.stored(uid);
        let attendees = stored["attendees"].as_array().cloned().unwrap_or_default();
        let emails = attendees.iter().filter_map(|each| each["email"].as_str());
        let mut emails: Vec<String> = emails.map(str::to_owned).collect();
        emails.sort();
        emails
    };
    list.open(&uid);
    list.action("Reschedule").click();
    let form = list.form("Reschedule");
    form.field("Cancel for").choose("Bo Diddley");
    page.assert_accessible("the form with a choice of seats");
    form.button("Reschedule").click();
    let dialog = page.role("dialog", "Reschedule");
    dialog.text("Bo Diddley").wait();
    dialog.css(".time:not([data-current])").first().click();
    let send = dialog.button("Reschedule");
    page.wait_until("the form", || send.exists());
    send.click();
    page.wait_for_text("Rescheduled to ");
    page.wait_until("the dialog to close", || !dialog.exists());
    assert_eq!(
        attendees(&uid),
        ["alan@example.org", "grace@example.org"],
        "the others stay"
    );
    let body = list
        .faults
        .bodies("POST", &format!("/v2/bookings/{uid}/reschedule"));
    assert!(body[0].contains("seatUid"), "{body:?}");

    list.action("Cancel booking").click();
    let form = list.form("Cancel booking");
    form.field("Cancel for").choose("Grace Hopper");
    form.field("Reason for cancelling").fill("She is ill");
    form.button("Cancel booking").click();
    page.wait_for_text("The seat is free again.");
    assert_eq!(list.stored(&uid)["status"], "accepted");
    assert_eq!(attendees(&uid), ["alan@example.org"]);
    page.assert_no_errors();
}

#[test]
fn rescheduled_booking_shows_its_history() {
    let list = TeamList::new();
    let page = &list.page;
    let first = booking_at(&list.service, SITE_VISIT, 3);
    let start = free_start(&list.service, SITE_VISIT, 9);
    let change = json!({ "start": start.to_string(), "reschedulingReason": "Rain" });
    let path = format!("/v2/bookings/{first}/reschedule");
    let second = list.service.owner().post(&path, &change).data();
    let second = second["uid"].as_str().unwrap_or("").to_owned();
    list.open(&second);

    let opener = list.action("Reschedule");
    opener.click();
    let dialog = page.role("dialog", "Reschedule");
    dialog.role("list", starting("Times on")).wait();
    page.assert_accessible("the picker in the dialog");
    page.press(Key::Escape);
    page.wait_until("the dialog to close", || !dialog.exists());
    page.wait_until("the focus on the button", || opener.has_focus());
    opener.click();
    dialog.button("Keep current time").click();
    page.wait_until("the dialog to close", || !dialog.exists());
    page.wait_until("the focus on the button", || opener.has_focus());
    list.page.wait_for_event(&format!("booking-kept {second}"));
    opener.click();
    dialog.css(".time:not([data-current])").first().click();
    let send = dialog.button("Reschedule");
    page.wait_until("the form", || send.exists());
    send.click();
    page.wait_for_text("Rescheduled to ");
    page.wait_until("the dialog to close", || !dialog.exists());
    let old = list.stored(&second);
    assert_eq!(old["status"], "cancelled");
    let third = old["rescheduledToUid"].as_str().unwrap_or("").to_owned();
    assert_eq!(
        list.stored(&third)["status"],
        "accepted",
        "a host has moved it"
    );
    list.page
        .wait_for_event(&format!("booking-rescheduled {third}"));

    // The whole chain, oldest first, from each booking.
    for uid in [&first, &third] {
        list.open(uid);
        let moves = page.css(".meetings > li");
        page.wait_until("the three bookings", || moves.count() == 3);
        let own = page.css(".meetings > li[aria-current]").read_text();
        assert!(own.contains("(this booking)"), "{own}");
    }
    // The reason is shown only with the booking that was rescheduled for it.
    let reasons = page.css(".meetings > li .person-note");
    page.wait_until("the reason", || reasons.count() == 1);
    let first_move = page.css(".meetings > li").nth(0).read_text();
    assert!(first_move.contains("Rain"), "{first_move}");
    // Each one can be opened.
    page.css(".meetings > li").nth(0).each("button").click();
    let chip = page.button(starting("Remove filter"));
    page.wait_until("a filter by its reference", || chip.name().contains(&first));
    page.assert_no_errors();
}

#[test]
fn details_show_local_times_and_only_safe_links() {
    let list = TeamList::new();
    let page = &list.page;
    let start = free_start(&list.service, SITE_VISIT, 5);
    let body = json!({
        "eventTypeId": SITE_VISIT, "start": start.to_string(),
        "attendee": { "name": "Noor", "email": "noor@example.org", "timeZone": "Asia/Kolkata",
            "language": "it", "phoneNumber": "+919812345678" },
        "location": { "type": "attendeeAddress", "address": "1 Road" },
        "metadata": { "campaign": "<b>spring</b>" },
    });
    let booking_at = list.service.visitor().post("/v2/bookings", &body).data();
    let uid = booking_at["uid"].as_str().unwrap_or("").to_owned();
    let place =
        json!({ "location": { "type": "attendeeDefined", "location": "javascript:alert(1)" } });
    let path = format!("/v2/bookings/{uid}/location");
    let moved = list.service.owner().call("PATCH", &path, Some(&place));
    assert_eq!(moved.expect("an answer").status, 200);

    list.open(&uid);
    let script = "const [start, end] = arguments; \
        const format = new Intl.DateTimeFormat('en-US', { timeZone: 'Asia/Kolkata', hour: 'numeric', minute: '2-digit' }); \
        return [start, end].map((each) => format.format(new Date(each)).replace(/\\s/g, ' '))";
    let times = page.run(
        script,
        &[json!(start.0), json!(instant(&booking_at["end"]).0)],
    );
    let (first, last) = (
        times[0].as_str().unwrap_or(""),
        times[1].as_str().unwrap_or(""),
    );
    page.wait_for_text(&format!("{first} – {last} their time"));
    page.wait_for_text("Language: Italian");
    page.wait_for_text("javascript:alert(1)");
    let links = page.run(
        "return [...document.querySelector('booking-list').shadowRoot.querySelectorAll('.details a')] \
           .map((link) => link.href)",
        &[],
    );
    let links: Vec<&str> = links
        .as_array()
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    assert!(links.contains(&"tel:+919812345678"), "{links:?}");
    assert!(links.contains(&"mailto:noor@example.org"), "{links:?}");
    assert!(
        !links.iter().any(|link| link.contains("javascript")),
        "{links:?}"
    );
    page.text("More").first().click();
    page.wait_for_text("<b>spring</b>");

    // Copied if the browser permits it, otherwise selected. The mock is set by a script of the page:
    // Firefox isolates objects of tests from pages.
    let clipboard = |write: &str| {
        let script = "const script = document.createElement('script'); \
                      script.textContent = `Object.defineProperty(navigator, 'clipboard', { \
                        configurable: true, value: { writeText: ${arguments[0]} } })`; \
                      document.head.append(script)";
        page.run(script, &[json!(write)]);
    };
    clipboard("(text) => { document.title = text; return Promise.resolve(); }");
    page.button("Copy: Reference").click();
    page.button("Copied").wait();
    assert_eq!(page.run("return document.title", &[]), json!(uid));
    clipboard("() => Promise.reject(new Error('no'))");
    page.button("Copy: Email address of Noor").click();
    page.button("Selected, please copy it manually").wait();
    page.assert_accessible("the details of a booking");
    page.assert_no_errors();
}

#[test]
fn bulk_confirm_reports_each_result() {
    let list = TeamList::new();
    let page = &list.page;
    let pending: Vec<String> = [0, 14, 28]
        .map(|index| booking_at(&list.service, DESIGN_REVIEW, index))
        .into();
    let accepted = booking_at(&list.service, PARTNER_CALL, 30);
    page.role("group", "Status").button("All").click();
    page.field(SEARCH).fill("grace@example.org");
    page.wait_for_text("1–4 of 4");
    page.field("Select all on this page").click();
    let bar = page.role("group", "Selected bookings");
    // Actions that no booking allows are hidden; those that some allow show their number.
    assert_eq!(
        bar.css(".acts-row").each("button").names(),
        ["Confirm (3)", "Decline (3)", "Cancel booking"]
    );
    bar.button("Confirm (3)").click();
    page.wait_for_text("Confirm 3 bookings? 1 is already confirmed.");
    page.assert_accessible("the form of a bulk confirm");
    // Another user confirms one of them first: that counts as done, not as rejected.
    let path = format!("/v2/bookings/{}/confirm", pending[2]);
    let confirmed = list.service.owner().post(&path, &json!({}));
    assert!(confirmed.status < 300, "{confirmed:?}");

    // The service rejects one of them.
    let paused = format!("/v2/bookings/{}/confirm", pending[0]);
    let refused = format!("/v2/bookings/{}/confirm", pending[1]);
    list.faults
        .next("POST", &refused, Fault::Status(400, "a host is away"));
    bar.role("form", "Confirm").button("Confirm 3").click();
    page.wait_for_text("Done: 2. Failed: 1.");
    page.wait_for_text("a host is away");
    page.assert_accessible("results of a bulk action");
    let status = |uid: &String| list.stored(uid)["status"].clone();
    assert_eq!(status(&pending[0]), "accepted");
    assert_eq!(status(&pending[1]), "pending");
    assert_eq!(status(&pending[2]), "accepted");
    assert_eq!(status(&accepted), "accepted");
    assert_eq!(list.faults.count("POST", &paused), 1);
    bar.button("Select failed bookings").click();
    page.wait_for_text("1 selected");

    // All matches, as a query: cancelled with one reason.
    page.field("Select all on this page").click();
    bar.button("Cancel booking").click();
    page.wait_for_text("Cancel 4 bookings?");
    let form = bar.role("form", "Cancel booking");
    form.button("Cancel booking").click();
    form.text("Required").wait();
    form.field("Reason for cancelling")
        .fill("The office is closed");
    form.button("Cancel booking").click();
    page.wait_for_text("Done: 4.");
    for uid in pending.iter().chain([&accepted]) {
        let stored = list.stored(uid);
        assert_eq!(stored["status"], "cancelled");
        assert_eq!(stored["cancellationReason"], "The office is closed");
    }
    page.assert_no_errors();
}

#[test]
fn bulk_action_on_all_matches_shows_progress_and_can_be_stopped() {
    let list = TeamList::with(r#"page-size="2""#);
    let page = &list.page;
    let pending: Vec<String> = [0, 8, 16, 24, 32]
        .map(|index| booking_at(&list.service, DESIGN_REVIEW, index))
        .into();
    let confirm = |uid: &String| format!("/v2/bookings/{uid}/confirm");
    list.select_all_of_grace(5);

    // All pages are fetched before the form is shown; a failed request can be retried.
    let read = format!("{TEAM_BOOKINGS}?take=250&skip=0&search=grace%40example.org");
    list.faults
        .next("GET", &read, Fault::Status(403, "Forbidden"));
    let bar = page.role("group", "Selected bookings");
    bar.button("Confirm").click();
    bar.button("Try again").wait();
    page.assert_accessible("failed bookings");
    bar.button("Try again").click();
    page.wait_for_text("Confirm 5 bookings?");

    // A new selection replaces the one that the form was opened for.
    page.button("Clear selection").click();
    bar.wait_gone();
    list.select_all_of_grace(5);
    bar.button("Confirm").click();
    page.wait_for_text("Confirm 5 bookings?");

    // After a status 429 it shows the wait and continues automatically.
    list.faults
        .next("POST", &confirm(&pending[1]), Fault::RateLimited(4));
    list.faults.next("POST", &confirm(&pending[3]), Fault::Hang);
    bar.role("form", "Confirm").button("Confirm 5").click();
    page.wait_for_text("Continuing in");
    page.assert_accessible("a rate-limited bulk action");
    page.wait_for_no_text("Continuing in");
    page.wait_until("all but one", || page.shows("4 of 5"));

    // Changing the query and the language does not affect the running action.
    page.field(SEARCH).fill("nobody@example.org");
    page.wait_for_no_text("matching bookings selected");
    page.run("document.querySelector('booking-list').lang = 'de'", &[]);
    page.wait_for_text("4 von 5");
    page.run("document.querySelector('booking-list').lang = 'en'", &[]);
    page.wait_for_text("4 of 5");
    list.faults.release();
    page.wait_for_text("Done: 5.");
    for uid in &pending {
        assert_eq!(list.stored(uid)["status"], "accepted");
        list.page
            .wait_for_event(&format!("booking-confirmed {uid}"));
    }
    page.assert_accessible("results without a selection");
    bar.button("Close").click();
    bar.wait_gone();

    // When stopped, it reports its progress and waits for requests in flight.
    list.select_all_of_grace(5);
    bar.button("Cancel booking").click();
    let form = bar.role("form", "Cancel booking");
    form.field("Reason for cancelling")
        .fill("The office is closed");
    list.faults.always("POST", "/v2/bookings/", Fault::Hang);
    form.button("Cancel booking").click();
    page.wait_until("four requests", || list.faults.hanging() == 4);
    page.assert_accessible("a bulk action in progress");
    bar.button("Stop").click();
    list.faults.clear();
    list.faults.release();
    page.wait_for_text("Done: 4. Not attempted: 1.");
    let left = pending.iter();
    let left = left.filter(|uid| list.stored(uid)["status"] == "accepted");
    assert_eq!(left.count(), 1);
    page.assert_no_errors();
}

#[test]
fn bulk_no_show_marks_all_selected_bookings() {
    let list = TeamList::with(r#"page-size="2""#);
    let page = &list.page;
    page.role("group", "Status").button("Past").click();
    page.wait_for_text("1–2 of ");
    page.field("Select all on this page").click();
    let bar = page.role("group", "Selected bookings");
    bar.button(starting("Mark as no-show")).click();
    let form = bar.role("form", "Mark as no-show");
    let who = form.role("group", "Who didn’t show up?");
    assert!(who.field("Attendees").is_checked());
    page.assert_accessible("the form of a bulk no-show");
    who.field("Everyone").click();
    form.button("Mark as no-show").click();
    page.wait_for_text("Done: ");
    let sent = list.faults.bodies("POST", "/v2/bookings/");
    assert!(!sent.is_empty());
    for body in &sent {
        let body: Value = serde_json::from_str(body).expect("JSON");
        assert_eq!(body["host"], true);
        assert_eq!(body["attendees"][0]["absent"], true);
    }
    page.wait_for_text(&format!("Done: {}.", sent.len()));
    // Marks can be taken back.
    bar.button("Undo").click();
    page.wait_until("the marks to be taken back", || {
        list.faults.bodies("POST", "/v2/bookings/").len() == 2 * sent.len()
    });
    for body in list
        .faults
        .bodies("POST", "/v2/bookings/")
        .iter()
        .skip(sent.len())
    {
        let body: Value = serde_json::from_str(body).expect("JSON");
        assert_eq!(body["host"], false);
        assert_eq!(body["attendees"][0]["absent"], false);
    }
    bar.button("Undo").wait_gone();
    page.wait_for_text(&format!("Done: {}.", sent.len()));
    page.assert_no_errors();
}
