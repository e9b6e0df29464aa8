//! From a selected slot to the booking: reservations, lost slots, series, seats and confirmations.

use crate::common::{
    Fault, Faults, FreeSlot, GROUP_TRAINING, INTRO_CALL, Key, Page, RESERVATIONS, Service,
    WEEKLY_COACHING, containing, create_booking, create_booking_of_grace, fill_in, free_slots,
    instant, is_cal_dialect, open_page, picker_overflow, select_day, select_slot, slots_of_day,
    starting,
};
use booking_wire::Instant;
use serde_json::{Value, json};

/// Opens an embedding page with a picker that has these attributes.
fn open(faults: &Faults, attributes: &str) -> Page {
    let picker = format!("<booking-picker {attributes}></booking-picker>");
    open_page(faults, "", &picker)
}

/// True if the service offers a slot to other visitors.
fn is_free(service: &Service, event_type_id: i64, free: &FreeSlot) -> bool {
    let path = format!(
        "/v2/slots?eventTypeId={event_type_id}&start={}&end={}",
        free.start,
        free.start.plus_minutes(1)
    );
    let days = service.visitor().get(&path).data();
    let mut slots = days.as_object().expect("days").values().flat_map(|slots| {
        let slots = slots.as_array().cloned().unwrap_or_default();
        slots.into_iter().map(|slot| instant(&slot["start"]))
    });
    slots.any(|start| start == free.start)
}

/// Records the names of dispatched events.
fn listen(page: &Page, names: &[&str]) {
    page.run(
        "window.events = []; \
         for (const name of arguments[0]) document.addEventListener(name, () => events.push(name))",
        &[json!(names)],
    );
}

fn recorded(page: &Page) -> Value {
    page.run("return events", &[])
}

#[test]
fn selected_slot_is_reserved_and_released_on_going_back() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open(&faults, r#"username="ada" event-slug="intro-call""#);
    listen(&page, &["slot-reserved", "slot-released"]);
    let picker = page.css("booking-picker");
    let free = free_slots(&service, &page, INTRO_CALL)[2].clone();
    select_slot(&page, &picker, &free);
    page.wait_for_text("Held for you: 4:5");
    assert!(!is_free(&service, INTRO_CALL, &free), "reserved");

    page.button("Change time").click();
    page.wait_until("the time to be free again", || {
        is_free(&service, INTRO_CALL, &free)
    });
    assert_eq!(recorded(&page), json!(["slot-reserved", "slot-released"]));

    // Selected again and booked: the reservation does not block its own booking.
    select_slot(&page, &picker, &free);
    page.wait_for_text("Held for you:");
    fill_in(&picker);
    picker.button("Confirm booking").click();
    picker.heading(starting("You’re booked for")).wait();
    // The booking uses up its reservation; in the cal dialect it is released before the booking.
    let ended = if is_cal_dialect() { 2 } else { 1 };
    assert_eq!(faults.count("DELETE", RESERVATIONS), ended);
    page.assert_no_errors();
}

#[test]
fn slot_is_released_when_element_or_page_is_removed() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let leave: [&dyn Fn(&Page); 2] = [
        &|page| {
            page.run("document.querySelector('booking-picker').remove()", &[]);
        },
        &|page| page.go("about:blank"),
    ];
    for leave in leave {
        let page = open(&faults, r#"username="ada" event-slug="intro-call""#);
        let picker = page.css("booking-picker");
        let free = free_slots(&service, &page, INTRO_CALL)[2].clone();
        select_slot(&page, &picker, &free);
        page.wait_for_text("Held for you:");
        assert!(!is_free(&service, INTRO_CALL, &free), "reserved");
        leave(&page);
        page.wait_until("the time to be free again", || {
            is_free(&service, INTRO_CALL, &free)
        });
    }
}

#[test]
fn expired_reservation_is_renewed() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open(&faults, r#"username="ada" event-slug="intro-call""#);
    let picker = page.css("booking-picker");
    let free = free_slots(&service, &page, INTRO_CALL)[2].clone();
    select_slot(&page, &picker, &free);
    page.wait_for_text("Held for you:");
    fill_in(&picker);
    // The clock of the page's realm: a bare `Date` may be that of the driver's.
    page.run(
        "const now = window.Date.now; window.Date.now = () => now() + 6 * 60_000",
        &[],
    );
    page.wait_for_text("Your time is no longer held");
    assert_eq!(picker.field("Your name").value(), "Grace Hopper");
    picker.button("Hold it again").click();
    page.wait_for_no_text("Your time is no longer held");
    page.wait_until("another reservation", || {
        faults.count("POST", RESERVATIONS) == 2
    });
    page.assert_no_errors();
}

/// Script that advances the clock of the page's realm by this many seconds.
const ADVANCE: &str =
    "const now = window.Date.now; window.Date.now = () => now() + arguments[0] * 1000";

#[test]
fn reservation_is_renewed_while_the_visitor_types() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open(&faults, r#"username="ada" event-slug="intro-call""#);
    let picker = page.css("booking-picker");
    let free = free_slots(&service, &page, INTRO_CALL)[2].clone();
    select_slot(&page, &picker, &free);
    page.wait_for_text("Held for you: 4:5");
    let renewed = || faults.count("PATCH", RESERVATIONS);

    // Without input, it ends as announced.
    page.run(ADVANCE, &[json!(200)]);
    page.wait_for_text("Held for you: 1:");
    assert_eq!(renewed(), 0);
    fill_in(&picker);
    page.wait_for_text("Held for you: 4:5");
    assert_eq!(renewed(), 1);

    // Input at any time since the last renewal counts, once.
    picker.field("Your name").fill("Grace Brewster Hopper");
    page.run(ADVANCE, &[json!(200)]);
    page.wait_until("another renewal", || renewed() == 2);
    page.wait_for_text("Held for you: 4:5");
    page.run(ADVANCE, &[json!(200)]);
    page.wait_for_text("Held for you: 1:");
    assert_eq!(renewed(), 2);
    assert_eq!(faults.count("POST", RESERVATIONS), 1);
    picker.button("Confirm booking").click();
    picker.heading(starting("You’re booked for")).wait();
    page.assert_no_errors();
}

#[test]
fn reservation_that_cannot_be_renewed_lasts_until_its_end() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.always("PATCH", RESERVATIONS, Fault::Status(422, "no"));
    let page = open(&faults, r#"username="ada" event-slug="intro-call""#);
    let picker = page.css("booking-picker");
    let free = free_slots(&service, &page, INTRO_CALL)[2].clone();
    select_slot(&page, &picker, &free);
    page.wait_for_text("Held for you: 4:5");
    page.run(ADVANCE, &[json!(200)]);
    page.wait_for_text("Held for you: 1:");
    fill_in(&picker);
    page.wait_until("an attempt", || faults.count("PATCH", RESERVATIONS) == 1);
    picker.field("Your name").fill("Grace Brewster Hopper");
    page.wait_for_text("Held for you: 1:");
    page.run(ADVANCE, &[json!(100)]);
    page.wait_for_text("Your time is no longer held");
    assert_eq!(faults.count("PATCH", RESERVATIONS), 1);
    assert_eq!(faults.count("POST", RESERVATIONS), 1);
    picker.button("Hold it again").wait();
    page.assert_no_errors();
}

#[test]
fn booking_succeeds_without_reservation_support() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.always("POST", RESERVATIONS, Fault::Status(404, "Not Found"));
    let page = open(&faults, r#"username="ada" event-slug="intro-call""#);
    let picker = page.css("booking-picker");
    let free = free_slots(&service, &page, INTRO_CALL)[2].clone();
    select_slot(&page, &picker, &free);
    fill_in(&picker);
    picker.button("Confirm booking").click();
    picker.heading(starting("You’re booked for")).wait();
    assert_eq!(faults.count("POST", RESERVATIONS), 1);
    page.assert_no_errors();
}

#[test]
fn lost_slot_offers_the_nearest_free_slots() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open(
        &faults,
        r#"username="ada" event-slug="intro-call" reserve="off""#,
    );
    let picker = page.css("booking-picker");
    let all = free_slots(&service, &page, INTRO_CALL);
    let at = (1..all.len() - 1)
        .find(|at| all[at - 1].day == all[*at].day && all[at + 1].day == all[*at].day)
        .expect("a time between two others");
    select_slot(&page, &picker, &all[at]);
    fill_in(&picker);
    let rival = ("Rival", "rival@example.org");
    let booked = create_booking(&service, INTRO_CALL, all[at].start, rival, &json!({}));
    assert_eq!(booked.status, 201, "{booked:?}");
    picker.button("Confirm booking").click();
    page.wait_for_text("That time has just been taken");
    // Shown in its place, struck through and disabled.
    let gone = slots_of_day(&picker, &all[at]).button(containing("just taken"));
    gone.wait();
    assert!(gone.name().starts_with(&all[at].time) && !gone.is_enabled());
    let near = picker.role("group", "Nearby available times");
    near.wait();
    assert_eq!(near.each("button").count(), 3);
    let later = all[at + 1].time.as_str();
    near.button(containing(later)).click();
    picker.heading("Your details").wait();
    assert_eq!(picker.field("Your name").value(), "Grace Hopper");
    picker.button("Confirm booking").click();
    picker.heading(starting("You’re booked for")).wait();
    page.wait_for_text(later);
    page.assert_no_errors();
}

/// Date of a series at the time of day of its first one, `weeks` after it.
fn date_of_series(service: &Service, first: Instant, weeks: usize) -> Instant {
    let path = format!(
        "/v2/slots?eventTypeId={WEEKLY_COACHING}&start={first}&end={first}&timeZone=UTC&recurrenceCount=8"
    );
    let days = service.visitor().get(&path).data();
    let day = days
        .as_object()
        .and_then(|days| days.values().nth(weeks - 1));
    let slots = day.and_then(Value::as_array).expect("a free day").iter();
    // Clocks may change in between.
    let target = first.0 + weeks as i64 * 7 * 24 * 3_600_000;
    let starts = slots.map(|slot| instant(&slot["start"]));
    starts
        .min_by_key(|start| (start.0 - target).abs())
        .expect("a slot")
}

/// Lets others book the slot until none of the hosts is free.
fn take_all(service: &Service, start: Instant) {
    let rival = ("Rival", "rival@example.org");
    let more = json!({ "recurrenceCount": 1 });
    let statuses =
        (0..4).map(|_| create_booking(service, WEEKLY_COACHING, start, rival, &more).status);
    let statuses: Vec<u16> = statuses.collect();
    assert_eq!(statuses.last(), Some(&409), "{statuses:?}");
}

#[test]
fn series_replaces_taken_dates_before_and_while_it_is_booked() {
    let service = Service::start();
    let faults = Faults::before(&service);
    // An unlisted event type.
    let page = open(&faults, r#"event-type-id="7""#);
    page.resize(320, 800);
    let picker = page.css("booking-picker");
    page.wait_for_text("Weekly, up to 8 sessions");
    let free = free_slots(&service, &page, WEEKLY_COACHING)[3].clone();
    let taken = date_of_series(&service, free.start, 2);
    if !is_cal_dialect() {
        take_all(&service, taken);
    }
    select_day(&page, &picker, &free)
        .button(free.time.as_str())
        .click();
    picker.heading("Your dates").wait();
    let dates = picker.role("list", "All dates");
    if is_cal_dialect() {
        // The series is booked by its rule.
        assert_eq!(dates.each("checkbox").count(), 0);
        picker.button("One fewer").click();
        picker.button("Continue with 7 sessions").click();
        fill_in(&picker);
        picker.button("Book 7 sessions").click();
        picker.heading("You’re booked").wait();
        return page.assert_no_errors();
    }
    let others = dates.role("combobox", starting("Time on"));
    page.wait_until("the taken date", || others.count() == 1);
    assert_eq!(dates.each("listitem").count(), 8);
    page.wait_for_text(&format!("instead of {}", free.time));
    assert!(picker_overflow(&page) <= 0.0);
    assert_eq!(picker.css("[part=error]").count(), 0);
    // The heading has the focus. The first date is the selected slot.
    page.press(Key::Tab);
    page.press(Key::Enter);
    picker.button("Continue with 7 sessions").wait();
    for key in [Key::Tab, Key::Tab, Key::Space] {
        page.press(key);
    }
    picker.button("Continue with 6 sessions").click();
    picker.heading("Your details").wait();
    fill_in(&picker);

    let lost = date_of_series(&service, free.start, 4);
    take_all(&service, lost);
    picker.button("Book 6 sessions").click();
    page.wait_for_text("Nothing is booked yet.");
    picker.heading("Your dates").wait();
    page.wait_until("the lost date", || others.count() == 2);
    assert!(picker_overflow(&page) <= 0.0);
    let times = others.first().css("option").names();
    let last = times.last().expect("a time").as_str();
    others.first().choose(last);
    picker.button("Continue with 6 sessions").click();
    assert_eq!(picker.field("Your name").value(), "Grace Hopper");
    picker.button("Book 6 sessions").click();
    picker.heading("You’re booked").wait();

    let reference = picker.read_reference();
    let path = |uid: &str| format!("/v2/bookings/{uid}");
    let first = service.visitor().get(&path(&reference)).data();
    let series = first["recurringBookingUid"].as_str().expect("a series");
    let all = service.visitor().get(&path(series)).data();
    let starts = all.as_array().expect("a series").iter();
    let starts: Vec<Instant> = starts.map(|booking| instant(&booking["start"])).collect();
    // The second date was skipped, the third and the fifth have other times.
    assert_eq!(starts.len(), 6);
    assert_eq!(starts[0], free.start);
    let day = |start: Instant| start.to_string()[..10].to_owned();
    for (start, taken) in [(starts[1], taken), (starts[3], lost)] {
        assert_eq!(day(start), day(taken));
        assert_ne!(start, taken);
    }
    page.assert_no_errors();
}

#[test]
fn seat_is_booked_and_cancelled() {
    let service = Service::start();
    service.unhide_event_type(GROUP_TRAINING);
    let faults = Faults::before(&service);
    let page = open(&faults, r#"event-type-id="8""#);
    let picker = page.css("booking-picker");
    let all = free_slots(&service, &page, GROUP_TRAINING);
    let free = all.last().expect("a time").clone();
    create_booking_of_grace(&service, GROUP_TRAINING, free.start);
    // The button's name continues with the number of seats left.
    select_day(&page, &picker, &free)
        .button(starting(&free.time))
        .click();
    picker.heading("Your details").wait();
    page.wait_for_text("left");
    // Her seat is no reason to look for another time.
    fill_in(&picker);
    picker.button("Confirm booking").click();
    page.wait_for_text("You’ve already signed up for this time.");
    picker.field("Email address").fill("katherine@example.org");
    picker.button("Confirm booking").click();
    picker.heading(starting("You’re booked for")).wait();
    let references = "return document.querySelector('booking-picker').shadowRoot\
                      .querySelector('.confirmation-references').textContent.includes('Your seat')";
    assert_eq!(page.run(references, &[]), json!(true));
    picker.button("Cancel booking").click();
    picker.heading("Cancel this booking?").wait();
    picker.button("Cancel booking").click();
    picker.heading("This booking is cancelled").wait();
    page.assert_no_errors();
}

#[test]
fn dry_run_sends_no_booking() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = open(&faults, r#"username="ada" event-slug="intro-call" dry-run"#);
    listen(&page, &["booking-created", "dry-run-success"]);
    let picker = page.css("booking-picker");
    let free = free_slots(&service, &page, INTRO_CALL)[2].clone();
    select_slot(&page, &picker, &free);
    fill_in(&picker);
    picker.button("Confirm booking").click();
    picker.heading("Test complete").wait();
    assert_eq!(faults.count("POST", "/v2/bookings"), 0);
    assert_eq!(recorded(&page), json!(["dry-run-success"]));
    page.wait_until("the time to be free again", || {
        is_free(&service, INTRO_CALL, &free)
    });
    page.assert_no_errors();
}

#[test]
fn redirect_after_booking_goes_to_trusted_origins_only() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.page(
        "/thanks.html",
        &[],
        "<!doctype html><title>Thanks</title><h1>Thanks</h1>",
    );
    for (ending, shown) in [
        (
            r#"after-booking="redirect" redirect-url="javascript:document.title='hit'""#,
            "You’re booked for",
        ),
        (
            r#"after-booking="redirect" redirect-url="https://elsewhere.example/""#,
            "You’re booked for",
        ),
        (
            r#"after-booking="redirect" redirect-url="/thanks.html""#,
            "Thanks",
        ),
    ] {
        let attributes = format!(r#"username="ada" event-slug="intro-call" {ending}"#);
        let page = open(&faults, &attributes);
        let picker = page.css("booking-picker");
        let free = free_slots(&service, &page, INTRO_CALL)[2].clone();
        select_slot(&page, &picker, &free);
        fill_in(&picker);
        picker.button("Confirm booking").click();
        page.heading(starting(shown)).wait();
    }

    // The redirect goes to the URL that was checked, even if the page changes its base URL.
    let attributes = format!(
        r#"base-url="{}" username="ada" event-slug="intro-call" redirect-url="/thanks.html" after-booking="redirect""#,
        faults.url("")
    );
    let page = open(&faults, &attributes);
    let picker = page.css("booking-picker");
    let free = free_slots(&service, &page, INTRO_CALL)[2].clone();
    select_slot(&page, &picker, &free);
    fill_in(&picker);
    page.run(
        "document.head.append(Object.assign(document.createElement('base'), { href: 'http://evil.invalid/' }))",
        &[],
    );
    picker.button("Confirm booking").click();
    page.heading("Thanks").wait();
    assert!(page.address().starts_with(&faults.url("/thanks.html")));

    let page = open(&faults, r#"username="ada" event-slug="intro-call""#);
    page.run(
        "document.addEventListener('booking-created', (event) => { \
           event.preventDefault(); window.uid = event.detail.uid; \
         })",
        &[],
    );
    let picker = page.css("booking-picker");
    let free = free_slots(&service, &page, INTRO_CALL)[2].clone();
    select_slot(&page, &picker, &free);
    fill_in(&picker);
    picker.button("Confirm booking").click();
    page.wait_until("the event", || {
        page.run("return typeof window.uid", &[]) == "string"
    });
    picker.button("Confirm booking").wait_gone();
    assert!(!page.shows("You’re booked"));
    page.assert_no_errors();
}
