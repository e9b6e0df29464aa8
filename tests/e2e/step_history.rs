//! Steps of a booking in the history of the page: back, forward, reload and shared links.

use serde_json::{Value, json};

use crate::common::{
    BOOKINGS, Fault, Faults, FreeSlot, INTRO_CALL, Locator, Page, Service, create_booking_of_grace,
    fill_in, free_slots, open_page, select_day, select_slot, slots_of_day, starting,
    wait_for_slots,
};

/// Page state and listener of an embedding page's own router.
const ROUTER: &str = r#"<script>
    window.events = [];
    window.popped = [];
    addEventListener("popstate", (event) => popped.push(event.state?.page ?? null));
    document.addEventListener("popup-closed", (event) => events.push("closed by " + event.detail.reason));
    if (!history.state) history.replaceState({ page: "own" }, "");
  </script>"#;

/// Path of an app page with that query.
fn path(query: &str) -> String {
    format!("/ada/intro-call{query}")
}

/// `2026-11-27T08:00:00Z`.
fn start(free: &FreeSlot) -> String {
    free.start.to_string().replace(".000Z", "Z")
}

#[track_caller]
fn wait_for_address(page: &Page, end: &str) {
    page.wait_until(&format!("the address to end with {end}"), || {
        page.address().ends_with(end)
    });
}

fn go_forward(page: &Page) {
    page.run("history.forward()", &[]);
}

fn history_length(page: &Page) -> Value {
    page.run("return history.length", &[])
}

/// Waits until the current history entry has the name that was typed.
#[track_caller]
fn wait_for_draft(page: &Page) {
    let script = "return JSON.stringify(history.state).includes('Grace Hopper')";
    page.wait_until("the draft in the history", || page.run(script, &[]) == true);
}

/// Opens the form of a slot in the app.
#[track_caller]
fn open_form(service: &Service) -> (Page, FreeSlot) {
    let page = Page::open(&service.url(&path("")));
    page.record_errors();
    let free = free_slots(service, &page, INTRO_CALL)[2].clone();
    select_slot(&page, &page.css("main"), &free);
    (page, free)
}

/// Waits until the current entry has not been written for longer than its delay: WebKit drops a step that begins
/// meanwhile.
fn wait_for_written_entry(page: &Page) {
    let state = || page.run("return JSON.stringify(history.state)", &[]);
    let mut last = state();
    page.wait_until("the entry to be written", || {
        std::thread::sleep(std::time::Duration::from_millis(700));
        let now = state();
        std::mem::replace(&mut last, now.clone()) == now
    });
}

/// Reloads a form once its slot is reserved: a response on its way would be lost, and with it the uid by which the page
/// releases the slot.
#[track_caller]
fn reload_form(page: &Page) {
    page.wait_for_text("Held for you");
    page.reload();
}

#[track_caller]
fn wait_for_times(picker: &Locator, free: &FreeSlot) {
    slots_of_day(picker, free).wait();
    picker.heading("Your details").wait_gone();
}

#[test]
fn app_form_is_left_by_back_and_kept_for_forward_and_reload() {
    let service = Service::start();
    let (page, free) = open_form(&service);
    let picker = page.css("main");
    wait_for_address(&page, &path(&format!("?slot={}", start(&free))));
    picker.field("Your name").fill("Grace Hopper");

    page.back();
    wait_for_times(&picker, &free);
    wait_for_address(&page, &path(&format!("?date={}", free.iso_date())));
    go_forward(&page);
    picker.heading("Your details").wait();
    assert_eq!(picker.field("Your name").value(), "Grace Hopper");
    wait_for_draft(&page);
    page.assert_no_errors();

    reload_form(&page);
    page.record_errors();
    picker.heading("Your details").wait();
    assert_eq!(picker.field("Your name").value(), "Grace Hopper");
    wait_for_address(&page, &path(&format!("?slot={}", start(&free))));
    page.back();
    wait_for_times(&picker, &free);
    page.assert_no_errors();
}

/// Drafts are written to the history with a delay, so a visitor who goes back at once leaves an older one in the entry.
#[test]
fn app_form_that_was_left_before_its_draft_was_written_keeps_all_input() {
    let service = Service::start();
    let (page, free) = open_form(&service);
    let picker = page.css("main");
    picker.field("Your name").fill("Grace Hopper");
    wait_for_draft(&page);
    let older = "const text = JSON.stringify(history.state).replace('Grace Hopper', 'Grace H'); \
                 history.replaceState(JSON.parse(text), '')";
    page.run(older, &[]);

    page.back();
    wait_for_times(&picker, &free);
    go_forward(&page);
    picker.heading("Your details").wait();
    wait_for_draft(&page);
    reload_form(&page);
    picker.heading("Your details").wait();
    assert_eq!(picker.field("Your name").value(), "Grace Hopper");
}

#[test]
fn app_change_time_adds_no_history_entries() {
    let service = Service::start();
    let (page, free) = open_form(&service);
    let picker = page.css("main");
    let before = history_length(&page);
    for _ in 0..3 {
        page.button("Change time").click();
        wait_for_times(&picker, &free);
        wait_for_address(&page, &path(&format!("?date={}", free.iso_date())));
        select_slot(&page, &picker, &free);
        wait_for_address(&page, &path(&format!("?slot={}", start(&free))));
    }
    assert_eq!(history_length(&page), before);
    page.assert_no_errors();
}

#[test]
fn app_confirmation_has_the_address_of_the_booking() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let page = Page::open(&faults.url(&path("")));
    page.record_errors();
    let picker = page.css("main");
    let free = free_slots(&service, &page, INTRO_CALL)[2].clone();
    select_slot(&page, &picker, &free);
    fill_in(&picker);
    picker.button("Confirm booking").click();
    picker.heading(starting("You’re booked for")).wait();
    let uid = picker.read_reference();
    wait_for_address(&page, &format!("/booking/{uid}"));

    // Back leads to the slots, of which this one is no longer free.
    page.back();
    wait_for_times(&picker, &free);
    page.wait_for_quiet();
    assert!(page.focus().starts_with("heading"), "{}", page.focus());
    assert!(!picker.heading(starting("You’re booked for")).exists());
    slots_of_day(&picker, &free)
        .button(free.time.as_str())
        .wait_gone();
    go_forward(&page);
    picker.heading(starting("You’re booked for")).wait();
    page.assert_no_errors();

    page.reload();
    page.record_errors();
    picker.heading("Your booking").wait();
    page.wait_for_text(free.title());
    page.back();
    wait_for_times(&picker, &free);
    assert_eq!(faults.count("POST", BOOKINGS), 1);
    page.assert_no_errors();
}

#[test]
fn app_booking_forms_are_left_by_back() {
    let service = Service::start();
    let page = Page::open(&service.url("/"));
    let free = free_slots(&service, &page, INTRO_CALL);
    let uid = create_booking_of_grace(&service, INTRO_CALL, free[2].start);
    let booking = format!("/booking/{uid}");
    page.go(&service.url(&booking));
    page.record_errors();
    let picker = page.css("main");

    picker.button("Reschedule").click();
    page.button("Keep current time").wait();
    page.wait_until("the focus on the task", || {
        page.focus() == "heading \"Choose a new time\""
    });
    page.wait_until("the step in the address", || {
        page.address().contains("?step=reschedule")
    });
    page.back();
    picker.heading("Your booking").wait();
    wait_for_address(&page, &booking);

    picker.button("Cancel booking").click();
    picker.field("Reason for cancelling (optional)").wait();
    wait_for_address(&page, &format!("{booking}?step=cancel"));
    page.reload();
    page.record_errors();
    picker.field("Reason for cancelling (optional)").wait();
    page.back();
    picker.heading("Your booking").wait();
    picker.field("Reason for cancelling (optional)").wait_gone();
    wait_for_address(&page, &booking);

    // The next booking has the public address of its event type, although the visitor came to a booking.
    picker.button("Cancel booking").click();
    picker.field("Reason for cancelling (optional)").wait();
    picker.button("Cancel booking").click();
    picker.heading("This booking is cancelled").wait();
    picker.button("Book again").click();
    wait_for_slots(&page);
    page.wait_until("the address of the event type", || {
        page.address().contains("/ada/intro-call")
    });
    page.assert_no_errors();
}

#[test]
fn app_rescheduled_booking_has_the_address_of_the_new_one() {
    let service = Service::start();
    let page = Page::open(&service.url("/"));
    let free = free_slots(&service, &page, INTRO_CALL);
    let uid = create_booking_of_grace(&service, INTRO_CALL, free[2].start);
    page.go(&service.url(&format!("/booking/{uid}")));
    page.record_errors();
    let picker = page.css("main");
    picker.button("Reschedule").click();
    page.button("Keep current time").wait();
    select_day(&page, &picker, &free[5])
        .button(free[5].time.as_str())
        .click();
    picker.button("Reschedule").wait();
    page.wait_until("the slot in the address", || {
        page.address()
            .contains(&format!("slot={}", start(&free[5])))
    });
    // A reload keeps both the booking to move and the slot.
    reload_form(&page);
    page.record_errors();
    picker.button("Reschedule").click();
    picker.heading(starting("Rescheduled to")).wait();
    let new = picker.read_reference();
    assert_ne!(new, uid);
    wait_for_address(&page, &format!("/booking/{new}"));
    // One step back leads to the booking that the visitor came to, at its new time: the steps of the change are over.
    page.back();
    picker.heading("Your booking").wait();
    wait_for_address(&page, &format!("/booking/{new}"));
    page.wait_for_text(free[5].title());
    page.assert_no_errors();
    page.back();
    wait_for_address(&page, &service.url("/"));
}

#[test]
fn shared_link_opens_its_day_or_slot() {
    let service = Service::start();
    let page = Page::open(&service.url("/"));
    let all = free_slots(&service, &page, INTRO_CALL);
    let free = all[all.len() / 2].clone();
    page.go(&service.url(&path(&format!(
        "?event-type=5&utm_source=news&date={}",
        free.iso_date()
    ))));
    page.record_errors();
    let picker = page.css("main");
    wait_for_times(&picker, &free);
    assert!(
        page.address()
            .contains("?event-type=5&utm_source=news&date=")
    );
    page.assert_no_errors();

    page.go(&service.url(&path(&format!(
        "?slot={}",
        start(&free).replace(':', "%3A")
    ))));
    page.record_errors();
    picker.heading("Your details").wait();
    page.wait_for_text(free.title());
    // There is no entry of the slots before this one: it becomes theirs.
    page.button("Change time").click();
    wait_for_times(&picker, &free);
    wait_for_address(&page, &path(&format!("?date={}", free.iso_date())));
    page.assert_no_errors();
}

#[test]
fn shared_link_of_a_taken_slot_shows_the_other_times_of_its_day() {
    let service = Service::start();
    let page = Page::open(&service.url("/"));
    let free = free_slots(&service, &page, INTRO_CALL)[2].clone();
    create_booking_of_grace(&service, INTRO_CALL, free.start);
    page.go(&service.url(&path(&format!("?slot={}", start(&free)))));
    page.record_errors();
    let picker = page.css("main");
    page.wait_for_text("That time has just been taken");
    wait_for_times(&picker, &free);
    wait_for_address(&page, &path(&format!("?date={}", free.iso_date())));
    page.assert_no_errors();
}

#[test]
fn hostile_values_are_removed_from_the_address() {
    let service = Service::start();
    let page = Page::open(&service.url("/"));
    let long = "9".repeat(3000);
    for query in [
        "?date=9999-12-31&slot=tomorrow&view=year&step=delete",
        "?date=2020-01-01&slot=2020-01-01T09:00:00Z",
        "?slot=9999-12-31T00:00:00Z&step=cancel&booking=b1",
        "?date=%00&slot=%",
        &format!("?date={long}"),
    ] {
        page.go(&service.url(&path(query)));
        page.record_errors();
        page.heading("Intro call").wait();
        wait_for_address(&page, &path(""));
        assert!(!page.shows("Your details"), "{query}");
        page.assert_no_errors();
    }
}

#[test]
fn reloaded_form_and_shared_slot_keep_the_chosen_length() {
    let service = Service::start();
    let page = Page::open(&service.url("/ada/consultation"));
    page.record_errors();
    wait_for_slots(&page);
    page.field("1 h").click();
    wait_for_slots(&page);
    page.css(".time").first().click();
    let picker = page.css("main");
    picker.heading("Your details").wait();
    page.wait_until("the length in the address", || {
        page.address().contains("length=60&slot=")
    });
    reload_form(&page);
    page.record_errors();
    picker.heading("Your details").wait();
    page.wait_for_text("1 h");
    page.back();
    wait_for_slots(&page);
    assert!(page.field("1 h").is_checked());
    page.assert_no_errors();
}

#[test]
fn back_leads_to_each_booking_that_was_made() {
    let service = Service::start();
    let page = Page::open(&service.url(&path("")));
    page.record_errors();
    let picker = page.css("main");
    let free = free_slots(&service, &page, INTRO_CALL);
    let mut uids = Vec::new();
    for (index, slot) in [&free[2], &free[4]].into_iter().enumerate() {
        if index > 0 {
            picker.button("Book another meeting").click();
        }
        select_slot(&page, &picker, slot);
        fill_in(&picker);
        picker.button("Confirm booking").click();
        picker.heading(starting("You’re booked for")).wait();
        uids.push(picker.read_reference());
        wait_for_address(&page, &format!("/booking/{}", uids[index]));
    }
    page.back();
    wait_for_slots(&page);
    page.back();
    picker.heading(starting("You’re booked for")).wait();
    wait_for_address(&page, &format!("/booking/{}", uids[0]));
    assert_eq!(picker.read_reference(), uids[0]);
    page.assert_no_errors();
}

#[test]
fn many_changes_of_the_day_are_one_change_of_the_address() {
    let service = Service::start();
    let page = Page::open(&service.url(&path("")));
    page.record_errors();
    wait_for_slots(&page);
    page.run(
        "window.writes = 0; \
         const { replaceState, pushState } = history; \
         history.replaceState = (...all) => { writes++; replaceState.apply(history, all) }; \
         history.pushState = (...all) => { writes++; pushState.apply(history, all) }",
        &[],
    );
    for _ in 0..6 {
        page.button("Next month").click();
        page.button("Previous month").click();
    }
    page.button("Next month").click();
    page.wait_until("the month in the address", || {
        page.address().contains("?date=")
    });
    page.wait_for_quiet();
    let writes = page.run("return writes", &[]).as_i64().unwrap_or_default();
    // Each takes at least 600 ms.
    assert!((1..=12).contains(&writes), "{writes}");
    page.assert_no_errors();
}

#[test]
fn element_keeps_the_history_of_the_page_by_default() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let body = r#"<booking-picker username="ada" event-slug="intro-call"></booking-picker>"#;
    let page = open_page(&faults, ROUTER, body);
    let picker = page.css("booking-picker");
    let free = free_slots(&service, &page, INTRO_CALL)[2].clone();
    let before = history_length(&page);
    select_slot(&page, &picker, &free);
    page.button("Change time").click();
    wait_for_times(&picker, &free);
    assert_eq!(history_length(&page), before);
    assert_eq!(
        page.run("return history.state", &[]),
        json!({ "page": "own" })
    );
    page.assert_no_errors();
}

#[test]
fn element_with_history_steps_returns_by_back_and_keeps_the_pages_state() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let body = r#"<booking-picker history="steps" username="ada" event-slug="intro-call">
        </booking-picker>"#;
    let page = open_page(&faults, ROUTER, body);
    let picker = page.css("booking-picker");
    let free = free_slots(&service, &page, INTRO_CALL)[2].clone();
    let own = "return history.state.page";
    select_slot(&page, &picker, &free);
    picker.field("Your name").fill("Grace Hopper");
    assert_eq!(page.run(own, &[]), json!("own"));
    wait_for_address(&page, "/page.html");

    page.back();
    wait_for_times(&picker, &free);
    assert_eq!(page.run(own, &[]), json!("own"));
    go_forward(&page);
    picker.heading("Your details").wait();
    assert_eq!(picker.field("Your name").value(), "Grace Hopper");
    assert_eq!(page.run("return popped", &[]), json!(["own", "own"]));

    wait_for_draft(&page);
    page.assert_no_errors();
    reload_form(&page);
    page.record_errors();
    picker.heading("Your details").wait();
    assert_eq!(picker.field("Your name").value(), "Grace Hopper");

    // Booked once: back leads to the slots, forward to the confirmation.
    fill_in(&picker);
    picker.button("Confirm booking").click();
    picker.heading(starting("You’re booked for")).wait();
    page.back();
    wait_for_times(&picker, &free);
    assert!(!page.shows("You’re booked"));
    go_forward(&page);
    picker.heading(starting("You’re booked for")).wait();
    assert_eq!(faults.count("POST", BOOKINGS), 1);

    // Entries of a removed element do nothing.
    page.run("document.querySelector('booking-picker').remove()", &[]);
    page.back();
    page.wait_until("the entry of the slots", || {
        page.run("return popped.length", &[]) == json!(3)
    });
    wait_for_address(&page, "/page.html");
    page.assert_no_errors();
}

/// A reload, or a return from another page, shows the step that was left: a move never becomes a second booking.
#[test]
fn element_with_history_steps_keeps_each_step_of_a_booking_over_a_reload() {
    let service = Service::start();
    let faults = Faults::before(&service);
    faults.page(
        "/other.html",
        &["Cache-Control: no-store"],
        "<title>Other</title>",
    );
    let body = r#"<booking-picker history="steps" username="ada" event-slug="intro-call">
        </booking-picker>"#;
    let page = open_page(&faults, ROUTER, body);
    let picker = page.css("booking-picker");
    let free = free_slots(&service, &page, INTRO_CALL);
    select_slot(&page, &picker, &free[2]);
    fill_in(&picker);
    picker.button("Confirm booking").click();
    picker.heading(starting("You’re booked for")).wait();
    let return_to = |is_reload: bool| {
        wait_for_written_entry(&page);
        page.assert_no_errors();
        if is_reload {
            page.reload();
        } else {
            page.run("location.href = '/other.html'", &[]);
            page.wait_until("the other page", || {
                page.run("return document.title", &[]) == "Other"
            });
            page.back();
        }
        page.record_errors();
    };
    for is_reload in [true, false] {
        return_to(is_reload);
        picker.button("Reschedule").wait();
        picker.button("Cancel booking").click();
        picker.button("Keep booking").wait();
        return_to(is_reload);
        picker.button("Keep booking").click();
        picker.button("Reschedule").click();
        page.wait_for_text("Current time");
        return_to(is_reload);
        page.wait_for_text("Current time");
        wait_for_written_entry(&page);
        page.back();
        picker.button("Reschedule").wait();
    }
    picker.button("Reschedule").click();
    page.wait_for_text("Current time");
    return_to(true);
    select_day(&page, &picker, &free[4])
        .button(free[4].time.as_str())
        .click();
    picker.heading(starting("Reschedule to ")).wait();
    reload_form(&page);
    page.record_errors();
    picker.heading(starting("Reschedule to ")).wait();
    picker.button("Reschedule").click();
    picker.heading(starting("Rescheduled to")).wait();
    let changes = faults.seen("POST", BOOKINGS);
    let moves = changes.iter().filter(|path| path.ends_with("/reschedule"));
    assert_eq!((changes.len(), moves.count()), (2, 1), "{changes:?}");
    page.assert_no_errors();
}

#[test]
fn element_with_history_steps_returns_to_the_chosen_event_type_and_to_the_list() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let body = r#"<booking-picker history="steps" username="ada"></booking-picker>"#;
    let page = open_page(&faults, ROUTER, body);
    let picker = page.css("booking-picker");
    let free = free_slots(&service, &page, INTRO_CALL)[2].clone();
    let card = page.button(starting("Intro call"));
    let before = history_length(&page).as_i64().unwrap_or_default();
    card.click();
    page.heading("Intro call").wait();
    page.button("All meetings").click();
    page.wait_until("the focus", || card.has_focus());
    let is_list = "return !JSON.stringify(history.state).includes('event-type=')";
    page.wait_until("the entry of the list", || page.run(is_list, &[]) == true);
    card.click();
    page.heading("Intro call").wait();
    assert_eq!(history_length(&page), json!(before + 1));
    select_slot(&page, &picker, &free);
    picker.field("Your name").fill("Grace Hopper");
    wait_for_draft(&page);
    page.assert_no_errors();

    reload_form(&page);
    page.record_errors();
    picker.heading("Your details").wait();
    assert_eq!(picker.field("Your name").value(), "Grace Hopper");
    page.back();
    wait_for_times(&picker, &free);
    page.reload();
    page.record_errors();
    wait_for_times(&picker, &free);
    // A reload takes no focus.
    assert_eq!(page.focus(), "nothing");
    wait_for_written_entry(&page);
    page.back();
    page.heading("Book a time").wait();
    page.wait_until("the focus", || card.has_focus());
    wait_for_written_entry(&page);
    go_forward(&page);
    wait_for_times(&picker, &free);

    // From a form, the list is a further step. WebKit drops a step forward while the entry is written.
    page.wait_until("the form", || {
        go_forward(&page);
        picker.heading("Your details").exists()
    });
    page.button("All meetings").click();
    page.heading("Book a time").wait();
    page.back();
    picker.heading("Your details").wait();
    assert_eq!(picker.field("Your name").value(), "Grace Hopper");

    // The booking stays, with the way back to the list.
    fill_in(&picker);
    picker.button("Confirm booking").click();
    picker.heading(starting("You’re booked for")).wait();
    page.reload();
    page.record_errors();
    picker.button("Reschedule").wait();
    page.button("All meetings").click();
    page.heading("Book a time").wait();
    page.assert_no_errors();
}

#[test]
fn element_with_history_steps_loads_a_failed_history_chunk_again() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let chunk = "/embed/picker_history-";
    faults.next("GET", chunk, Fault::Status(404, "gone"));
    let body = r#"<booking-picker history="steps" username="ada"></booking-picker>"#;
    let page = open_page(&faults, "", body);
    let card = page.button(starting("Intro call"));
    card.wait();
    page.wait_until("the failed history chunk", || {
        faults.count("GET", chunk) > 0
    });
    card.click();
    page.heading("Intro call").wait();
    page.button("All meetings").click();
    page.wait_until("the focus", || card.has_focus());
    card.click();
    page.heading("Intro call").wait();
    page.wait_for_quiet();
    page.back();
    page.heading("Book a time").wait();
    // The flow that followed the visitor has ended.
    go_forward(&page);
    page.heading("Intro call").wait();
    page.assert_no_errors();
}

#[test]
fn element_reset_forgets_the_step_of_its_history_entry() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let body = r#"<booking-picker history="steps" username="ada" event-slug="intro-call">
        </booking-picker>"#;
    let page = open_page(&faults, "", body);
    let picker = page.css("booking-picker");
    let free = free_slots(&service, &page, INTRO_CALL)[2].clone();
    select_slot(&page, &picker, &free);
    page.run("document.querySelector('booking-picker').reset()", &[]);
    picker.heading("Your details").wait_gone();
    wait_for_slots(&page);
    page.wait_for_quiet();
    assert!(!picker.heading("Your details").exists());
    page.assert_no_errors();
}

#[test]
fn page_that_removes_or_resets_the_element_on_popstate_gets_no_error() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let body = r#"<booking-picker history="steps" username="ada" event-slug="intro-call">
        </booking-picker>"#;
    for action in ["reset", "remove"] {
        let page = open_page(&faults, ROUTER, body);
        let picker = page.css("booking-picker");
        let free = free_slots(&service, &page, INTRO_CALL)[2].clone();
        select_slot(&page, &picker, &free);
        let listen = "const [action] = arguments; \
                      addEventListener('popstate', () => document.querySelector('booking-picker')[action]())";
        page.run(listen, &[json!(action)]);
        page.back();
        picker.heading("Your details").wait_gone();
        page.wait_for_quiet();
        page.assert_no_errors();
    }
}

#[test]
fn two_elements_have_their_own_steps() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let picker = |id: &str| {
        format!(
            r#"<booking-picker id="{id}" load="eager" history="steps" username="ada"
            event-slug="intro-call"></booking-picker>"#
        )
    };
    let body = format!("{}{}", picker("first"), picker("second"));
    let page = open_page(&faults, ROUTER, &body);
    let (first, second) = (page.css("#first"), page.css("#second"));
    let free = free_slots(&service, &page, INTRO_CALL);
    select_slot(&page, &first, &free[2]);
    first.field("Your name").fill("Grace Hopper");
    select_slot(&page, &second, &free[5]);

    page.back();
    wait_for_times(&second, &free[5]);
    assert_eq!(first.field("Your name").value(), "Grace Hopper");
    page.back();
    wait_for_times(&first, &free[2]);
    go_forward(&page);
    first.heading("Your details").wait();
    assert!(!second.heading("Your details").exists());
    assert_eq!(first.field("Your name").value(), "Grace Hopper");
    page.assert_no_errors();
}

#[test]
fn links_within_the_page_do_not_close_the_form() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let body = r##"<a href="#terms">Terms</a>
        <booking-picker history="steps" username="ada" event-slug="intro-call"></booking-picker>
        <h2 id="terms">Terms of Northwind</h2>"##;
    let page = open_page(&faults, ROUTER, body);
    let picker = page.css("booking-picker");
    let free = free_slots(&service, &page, INTRO_CALL)[2].clone();
    select_slot(&page, &picker, &free);
    page.link("Terms").click();
    wait_for_address(&page, "#terms");
    page.wait_for_quiet();
    picker.heading("Your details").wait();
    page.back();
    wait_for_address(&page, "/page.html");
    page.wait_for_quiet();
    picker.heading("Your details").wait();
    page.back();
    wait_for_times(&picker, &free);
    page.assert_no_errors();
}

#[test]
fn popup_with_history_steps_is_closed_by_the_second_back() {
    let service = Service::start();
    let faults = Faults::before(&service);
    let body = r#"<h1>Northwind</h1><booking-picker placement="popup" history="steps" username="ada"
        event-slug="intro-call"></booking-picker>"#;
    let page = open_page(&faults, ROUTER, body);
    let dialog = page.role("dialog", "Book a time");
    let free = free_slots(&service, &page, INTRO_CALL)[2].clone();
    page.button("Book a time").click();
    select_slot(&page, &dialog, &free);
    dialog.field("Your name").fill("Grace Hopper");
    page.back();
    wait_for_times(&dialog, &free);
    page.back();
    page.wait_for_event("closed by back");
    dialog.wait_gone();
    let own_state = || {
        page.wait_until("the history to be the page's own", || {
            let script =
                "const { bookingDrafts, bookingSteps, ...own } = history.state; return own";
            page.run(script, &[]) == json!({ "page": "own" })
        });
    };
    own_state();

    // Closed two entries after the page's.
    page.button("Book a time").click();
    select_slot(&page, &dialog, &free);
    assert_eq!(dialog.field("Your name").value(), "Grace Hopper");
    dialog.button("Close").click();
    page.wait_for_event("closed by button");
    own_state();
    page.assert_no_errors();
}
