//! Returning to a booking: to view it, add it to a calendar, reschedule or cancel it.

use crate::common::{
    Faults, FreeSlot, INTRO_CALL, Key, Page, Service, create_booking_of_grace, free_slots, instant,
};
use serde_json::{Value, json};

/// Service with one booking, and a page to return to it.
struct ExistingBooking {
    service: Service,
    faults: Faults,
    page: Page,
    all: Vec<FreeSlot>,
    uid: String,
}

impl ExistingBooking {
    fn new() -> ExistingBooking {
        let service = Service::start();
        let faults = Faults::before(&service);
        let page = Page::open(&service.url("/"));
        let all = free_slots(&service, &page, INTRO_CALL);
        let uid = create_booking_of_grace(&service, INTRO_CALL, all[2].start);
        ExistingBooking {
            service,
            faults,
            page,
            all,
            uid,
        }
    }

    /// Opens a page with the booking of that uid.
    fn open(&self, uid: &str, more: &str) {
        let html = format!(
            r#"<!doctype html><html lang="en-US"><meta charset="utf-8"><title>Your booking</title>
            <script type="module" src="/embed/embed.js"></script>
            <body><booking-picker booking-uid="{uid}" {more}></booking-picker></body></html>"#
        );
        let path = format!("/{uid}{}.html", more.len());
        self.faults.page(&path, &[], &html);
        self.page.go(&self.faults.url(&path));
        self.page.record_errors();
    }

    fn stored(&self, uid: &str) -> Value {
        let path = format!("/v2/bookings/{uid}");
        self.service.visitor().get(&path).data()
    }
}

#[test]
fn rescheduled_booking_is_found_by_its_old_uid() {
    let existing = ExistingBooking::new();
    let page = &existing.page;
    existing.open(&existing.uid, "");
    let picker = page.css("booking-picker");
    picker.heading("Your booking").wait();
    page.wait_for_text(existing.all[2].title());
    picker.button("Reschedule").click();
    page.wait_for_text("Current time");
    let target = existing
        .all
        .iter()
        .rfind(|free| free.start != existing.all[2].start)
        .expect("another time")
        .clone();
    let day = picker.button(crate::common::starting(&format!("{},", target.day)));
    picker
        .role("list", crate::common::starting("Times on"))
        .wait();
    if !day.exists() {
        picker.button("Next month").click();
    }
    page.wait_until("the day to be free", || day.is_enabled());
    day.click();
    crate::common::slots_of_day(&picker, &target)
        .button(target.time.as_str())
        .click();
    let question = picker.heading(crate::common::starting("Reschedule to "));
    question.wait();
    for (text, time) in [
        (question.read_text(), &target.time),
        (
            picker.css(".form-change").read_text(),
            &existing.all[2].time,
        ),
    ] {
        assert!(text.contains(time.as_str()), "{time} in {text}");
    }
    picker.field("Reason (optional)").fill("A train strike");
    picker.button("Reschedule").click();
    let moved = picker.heading(crate::common::starting("Rescheduled to"));
    moved.wait();
    assert!(moved.read_text().contains(&target.time), "the new time");
    page.wait_for_text("We’ve sent you an updated invitation.");
    page.wait_for_text("Previous time");
    let lost = picker.css("s.lost").first().read_text();
    assert!(lost.contains(&existing.all[2].time), "{lost}");
    let fresh = picker.read_reference();
    let stored = existing.stored(&fresh);
    assert_eq!(instant(&stored["start"]), target.start);
    assert_eq!(stored["rescheduledFromUid"], json!(existing.uid));
    let old = existing.stored(&existing.uid);
    assert_eq!(old["reschedulingReason"], "A train strike");

    existing.open(&existing.uid, "mode=manage");
    picker.heading("Your booking").wait();
    assert_eq!(picker.read_reference(), fresh);
    page.assert_no_errors();
}

#[test]
fn reschedule_reason_is_prefilled_by_the_page() {
    let existing = ExistingBooking::new();
    let page = &existing.page;
    existing.open(&existing.uid, r#"mode="reschedule" reserve="off""#);
    page.wait_for_text("Current time");
    page.run(
        "document.querySelector('booking-picker').prefill = \
           { rescheduleReason: { value: 'A train strike', readOnly: true } }",
        &[],
    );
    let picker = page.css("booking-picker");
    picker
        .role("list", crate::common::starting("Times on"))
        .wait();
    picker.css(".time:not([data-current])").first().click();
    picker
        .heading(crate::common::starting("Reschedule to "))
        .wait();
    let reason = picker.field("Reason (optional)");
    assert_eq!(reason.value(), "A train strike");
    assert!(reason.attribute("readonly").is_some());
    page.wait_for_text("This cannot be changed.");
    picker.button("Reschedule").click();
    picker
        .heading(crate::common::starting("Rescheduled to"))
        .wait();
    let old = existing.stored(&existing.uid);
    assert_eq!(old["reschedulingReason"], "A train strike");
    page.assert_no_errors();
}

#[test]
fn confirmation_shows_answers_and_a_link_to_the_booking() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let html = r#"<!doctype html><html lang="en-US"><meta charset="utf-8"><title>Somebody’s page</title>
        <script type="module" src="/embed/embed.js"></script>
        <body><booking-picker username="ada" event-slug="intro-call"></booking-picker></body></html>"#;
    faults.page("/page.html", &[], html);
    let page = Page::open(&faults.url("/page.html"));
    page.record_errors();
    let picker = page.css("booking-picker");
    let free = free_slots(&service, &page, INTRO_CALL)[2].clone();
    crate::common::select_slot(&page, &picker, &free);
    // Who just types, types the name.
    page.wait_until("the focus on the form", || {
        page.focus() == "heading \"Your details\""
    });
    page.type_text("Grace Hopper");
    assert_eq!(picker.field("Your name").value(), "Grace Hopper");
    picker.field("Email address").fill("grace@example.org");
    picker.button("Add a note").click();
    picker
        .field("Anything we should know?")
        .fill("I bring a cat.");
    picker.button("Confirm booking").click();
    picker
        .heading(crate::common::starting("You’re booked for"))
        .wait();
    page.wait_for_text("I bring a cat.");
    let uid = picker.read_reference();
    page.wait_for_text("Link to this booking");
    // Not the title that the service composes in English.
    assert!(!page.shows("Intro call between"));
    page.wait_for_text("We’ve emailed the details to grace@example.org.");
    page.wait_for_text("You’ll get the link by email and here.");
    let link = page.link(crate::common::starting("Link to this booking: "));
    let address = link.attribute("href").expect("an address");
    assert_eq!(address, service.url(&format!("/booking/{uid}")));
    // By a script of the page: Firefox isolates objects of tests from pages.
    page.run(
        "const script = document.createElement('script'); \
         script.textContent = `Object.defineProperty(navigator, 'clipboard', { \
           value: { writeText: async (text) => { document.title = text; } } })`; \
         document.head.append(script)",
        &[],
    );
    page.button("Copy: Link to this booking").click();
    page.button("Copied").wait();
    assert_eq!(page.run("return document.title", &[]), address);

    page.go(&address);
    page.record_errors();
    page.heading("Your booking").wait();
    page.wait_for_text("I bring a cat.");
    page.wait_for_text(free.title());
    page.wait_for_text("You’ll get the link by email and here.");
    // Its own page does not link to itself.
    assert!(!page.css("[part~=booking-link]").exists());
    assert!(!page.shows("Link to this booking"));
    let title = page.run("return document.title", &[]);
    assert_eq!(title, "Intro call · Ada Brandt · Booking");

    // Another booking begins with what is known of the visitor.
    page.button("Book again").click();
    let other = free_slots(&service, &page, INTRO_CALL)[4].clone();
    crate::common::select_slot(&page, &page.css("main"), &other);
    assert_eq!(page.field("Your name").value(), "Grace Hopper");
    assert_eq!(page.field("Email address").value(), "grace@example.org");
    page.assert_no_errors();
}

/// Script that advances the clock of the page's realm by a minute, and the page becomes visible.
const RETURN_LATER: &str = "const now = window.Date.now; window.Date.now = () => now() + 61_000; \
    document.dispatchEvent(new Event('visibilitychange'))";

#[test]
fn booking_that_changed_elsewhere_is_shown_as_it_stands() {
    let existing = ExistingBooking::new();
    let page = &existing.page;
    existing.open(&existing.uid, r#"mode="reschedule" reserve="off""#);
    let picker = page.css("booking-picker");
    picker.css(".time:not([data-current])").first().click();
    picker
        .heading(crate::common::starting("Reschedule to "))
        .wait();
    // In another tab.
    let act = |uid: &str, action: &str, body: Value| {
        let path = format!("/v2/bookings/{uid}/{action}");
        let done = existing.service.visitor().post(&path, &body);
        assert!(done.status < 300, "{done:?}");
        done.data()
    };
    let start = existing.all[4].start.to_string();
    let moved = act(&existing.uid, "reschedule", json!({ "start": start }));
    let uid = moved["uid"].as_str().expect("a uid");
    picker.button("Reschedule").click();
    page.wait_for_text("This booking has changed in the meantime.");
    picker.heading("Your booking").wait();
    assert_eq!(picker.read_reference(), uid);

    // The page becomes visible again: nothing happens to typed text.
    picker.button("Cancel booking").click();
    let reason = picker.field("Reason for cancelling (optional)");
    reason.fill("Ill");
    act(uid, "cancel", json!({}));
    page.run(RETURN_LATER, &[]);
    page.wait_for_quiet();
    reason.wait_for_value("Ill");
    picker.button("Keep booking").click();
    picker.button("Reschedule").wait();
    page.run(RETURN_LATER, &[]);
    picker.heading("This booking is cancelled").wait();
    page.wait_for_text("This booking has changed in the meantime.");
    page.assert_no_errors();
}

#[test]
fn link_of_a_cancelled_booking_is_not_shown() {
    let existing = ExistingBooking::new();
    let path = format!("/v2/bookings/{}", existing.uid);
    existing.faults.rewrite(&path, |answer| {
        answer["data"]["location"] = json!("https://meet.example/room");
    });
    existing.open(&existing.uid, "");
    let picker = existing.page.css("booking-picker");
    picker.role("link", "meet.example").wait();
    let cancel = format!("{path}/cancel");
    let done = existing.service.visitor().post(&cancel, &json!({}));
    assert!(done.status < 300, "{done:?}");
    existing.page.reload();
    existing.page.record_errors();
    picker.heading("This booking is cancelled").wait();
    existing.page.wait_for_text("Online");
    assert!(!picker.role("link", "meet.example").exists());
    existing.page.assert_no_errors();
}

#[test]
fn booking_is_cancelled_with_a_reason() {
    let existing = ExistingBooking::new();
    let page = &existing.page;
    existing.open(&existing.uid, r#"mode="cancel""#);
    let picker = page.css("booking-picker");
    picker.heading("Cancel this booking?").wait();
    picker.button("Keep booking").click();
    page.wait_until("the focus on the way back", || {
        page.focus() == "button \"Cancel booking\""
    });
    assert_eq!(existing.stored(&existing.uid)["status"], "accepted");

    picker.button("Cancel booking").click();
    picker.heading("Cancel this booking?").wait();
    let reason = || picker.field("Reason for cancelling (optional)");
    reason().fill("Not needed any more");
    page.wait_until("the reason in the history", || {
        let drafts = page.run(
            "return JSON.stringify(history.state?.bookingDrafts) ?? ''",
            &[],
        );
        drafts.to_string().contains("Not needed any more")
    });
    page.reload();
    page.record_errors();
    reason().wait_for_value("Not needed any more");
    // Another language or time zone keeps the form, its text and the focus.
    let field = picker.css(".cancel-form textarea");
    field.click();
    page.run("document.documentElement.lang = 'de'", &[]);
    picker.heading("Diese Buchung absagen?").wait();
    page.wait_until("the focus", || field.has_focus());
    assert_eq!(field.value(), "Not needed any more");
    page.run(
        "document.querySelector('booking-picker').setAttribute('time-zone', 'Asia/Tokyo')",
        &[],
    );
    picker.text("Tokyo").wait();
    assert!(field.has_focus());
    page.run("document.documentElement.lang = 'en'", &[]);
    picker.heading("Cancel this booking?").wait();
    reason().wait_for_value("Not needed any more");
    picker.button("Keep booking").click();
    page.wait_until("the focus on the way back", || {
        page.focus() == "button \"Cancel booking\""
    });
    // Closed, it stays closed in another language.
    page.run("document.documentElement.lang = 'de'", &[]);
    picker.button("Buchung absagen").wait();
    assert!(!field.exists());
    page.run("document.documentElement.lang = 'en'", &[]);
    picker.button("Cancel booking").click();
    reason().wait_for_value("Not needed any more");
    // Nothing is sent offline, nor later by itself.
    let set_online =
        "Object.defineProperty(navigator, 'onLine', { value: arguments[0], configurable: true })";
    page.run(set_online, &[json!(false)]);
    picker.button("Cancel booking").click();
    page.wait_for_text("Nothing was sent.");
    page.run(set_online, &[json!(true)]);
    picker.button("Cancel booking").click();
    picker.heading("This booking is cancelled").wait();
    assert_eq!(
        page.run("return !!history.state?.bookingDrafts", &[]),
        false
    );
    page.wait_for_text("Not needed any more");
    let stored = existing.stored(&existing.uid);
    assert_eq!(stored["status"], "cancelled");
    assert_eq!(stored["cancellationReason"], "Not needed any more");

    // Opened again, it shows the status and offers neither action, but another booking.
    existing.open(&existing.uid, "");
    picker.heading("This booking is cancelled").wait();
    picker.css(".confirmation-facts s.lost").wait();
    picker.button("Book again").wait();
    let link = picker.role("link", crate::common::starting("Link to this booking"));
    assert!(!link.exists());
    assert!(!picker.button("Cancel booking").exists());
    assert!(!picker.button("Reschedule").exists());
    page.assert_no_errors();
}

#[test]
fn booking_is_added_to_calendars() {
    let existing = ExistingBooking::new();
    let page = &existing.page;
    existing.open(&existing.uid, "");
    let picker = page.css("booking-picker");
    let add = picker.button("Add to calendar");
    add.wait();
    let links = || picker.css(".calendar-list").each("link").count();
    assert_eq!(links(), 0, "closed");
    // By keyboard.
    crate::common::tab_to(page, r#"button "Add to calendar""#);
    page.press(Key::Down);
    let file_link = "Apple and others (calendar file)";
    page.wait_until("the focus on the first link", || {
        page.focus() == format!("link \"{file_link}\"")
    });
    assert_eq!(links(), 4);
    page.press(Key::Escape);
    page.wait_until("the focus back on the button", || add.has_focus());
    assert_eq!(links(), 0, "closed again");
    page.press(Key::Enter);
    picker.role("link", file_link).wait();
    let file = "const roots = [document]; let link; \
                for (const root of roots) for (const each of root.querySelectorAll('*')) { \
                  if (each.shadowRoot) roots.push(each.shadowRoot); \
                  if (each.matches('a[download]')) link = each; \
                } \
                return fetch(link.href).then((answer) => answer.text())";
    let file = page.run(file, &[]);
    let file = file.as_str().expect("a file");
    let stamp: String = existing.all[2]
        .start
        .to_string()
        .chars()
        .take(19)
        .filter(|sign| !"-:".contains(*sign))
        .collect();
    for line in [
        "BEGIN:VCALENDAR\r\n".to_owned(),
        // As in the invitations of the service.
        format!(
            "\r\nUID:{}\r\n",
            existing.stored(&existing.uid)["icsUid"]
                .as_str()
                .expect("a uid for calendars")
        ),
        "\r\nSEQUENCE:".to_owned(),
        "\r\nURL:".to_owned(),
        format!("\r\nDTSTART:{stamp}Z\r\n"),
        "\r\nSTATUS:CONFIRMED\r\n".to_owned(),
        "\r\nEND:VCALENDAR\r\n".to_owned(),
    ] {
        assert!(file.contains(&line), "{line:?} in {file}");
    }
    picker.role("link", "Google").wait();
    picker.role("link", "Outlook").wait();
    // A choice closes the list; nothing is downloaded here.
    page.run(
        "document.addEventListener('click', (event) => event.preventDefault(), { once: true })",
        &[],
    );
    picker.role("link", file_link).click();
    page.wait_until("the list to close", || links() == 0);
    page.wait_until("the focus back on the button", || add.has_focus());
    let says_it = "return [...document.querySelector('booking-picker').shadowRoot \
        .querySelectorAll('[role=status]')] \
        .some((status) => status.textContent === 'The calendar file was downloaded.')";
    page.wait_until("the status", || page.run(says_it, &[]) == true);
    // It opens in view, and closes before the question.
    page.resize(600, 500);
    add.click();
    let is_in_view = "const list = document.querySelector('booking-picker').shadowRoot \
        .querySelector('.calendar-list').getBoundingClientRect(); \
        return list.height > 0 && list.top >= 0 && list.bottom <= innerHeight";
    page.wait_until("the list in view", || page.run(is_in_view, &[]) == true);
    picker.button("Cancel booking").click();
    picker.heading("Cancel this booking?").wait();
    assert_eq!(links(), 0);
    page.assert_no_errors();
}

#[test]
fn unknown_booking_is_reported() {
    let existing = ExistingBooking::new();
    existing.open("nobody-knows-it", "");
    existing.page.wait_for_text("We can’t find this booking");
    let picker = existing.page.css("booking-picker");
    assert!(!picker.button("Book a time").exists(), "nothing to book");

    // A page that names an event type offers a new booking.
    let event_type = r#"username="ada" event-slug="intro-call""#;
    existing.open("nobody-knows-it", event_type);
    picker.button("Book a time").click();
    picker.heading("Intro call").wait();
    picker
        .role("list", crate::common::starting("Times on"))
        .wait();
    existing.page.assert_no_errors();
}

#[test]
fn forbidden_actions_are_hidden_and_explained() {
    let existing = ExistingBooking::new();
    let path = format!("/v2/event-types/{INTRO_CALL}");
    let mut event_type = existing.service.visitor().get(&path).data();
    event_type["disableCancelling"] = json!({ "disabled": true });
    event_type["disableRescheduling"] = json!({ "disabled": true });
    let answer = json!({ "status": "success", "data": event_type });
    existing.faults.page(&path, &[], &answer.to_string());
    existing.open(&existing.uid, r#"mode="reschedule""#);
    let picker = existing.page.css("booking-picker");
    picker.heading("Your booking").wait();
    existing
        .page
        .wait_for_text("This booking cannot be rescheduled.");
    existing
        .page
        .wait_for_text("This booking cannot be cancelled here.");
    assert!(!picker.button("Reschedule").exists());
    existing.page.assert_no_errors();
}

/// The current time is free for its own visitor.
#[test]
fn own_slot_is_free_and_marked_when_rescheduling() {
    let existing = ExistingBooking::new();
    existing.open(&existing.uid, r#"mode="reschedule""#);
    let picker = existing.page.css("booking-picker");
    existing.page.wait_for_text("Current time");
    picker.heading("Choose a new time").wait();
    let own = existing.all[2].clone();
    let day = picker.button(crate::common::starting(&format!("{},", own.day)));
    existing
        .page
        .wait_until("the day to be free", || day.is_enabled());
    assert!(day.attribute("data-current").is_some());
    // Its day is shown, with its time marked.
    let time =
        crate::common::slots_of_day(&picker, &own).button(crate::common::starting(&own.time));
    time.wait();
    assert!(time.attribute("data-current").is_some());
    assert_eq!(picker.css(".time[data-current]").count(), 1);
    assert!(!picker.css(".moving s").exists(), "not struck through yet");
    picker.button("Keep current time").click();
    picker.heading("Your booking").wait();
    existing.page.assert_no_errors();
}

#[test]
fn rescheduling_starts_in_the_month_of_the_booking() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = Page::open(&service.url("/"));
    let all = free_slots(&service, &page, INTRO_CALL);
    // At least a month ahead: the next month is in view only after paging.
    let far = all.last().expect("a time").clone();
    let uid = create_booking_of_grace(&service, INTRO_CALL, far.start);
    let existing = ExistingBooking {
        service,
        faults,
        page,
        all,
        uid,
    };
    existing.open(&existing.uid, r#"mode="reschedule""#);
    let picker = existing.page.css("booking-picker");
    let time = crate::common::slots_of_day(&picker, &far).css(".time[data-current]");
    time.first().wait();
    let day = picker.css("td[aria-selected=true] .day[data-current]");
    assert_eq!(day.count(), 1);
    existing.page.assert_no_errors();
}
