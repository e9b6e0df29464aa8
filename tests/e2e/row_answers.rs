//! Answers to requests in their rows: sent some seconds after they are shown, or as soon as the list is left.

use super::booking_actions::TeamList;
use crate::common::{DESIGN_REVIEW, Fault, Locator, PHONE, booking_at, starting};
use serde_json::json;

/// List of two pending bookings, with their uids.
fn two_requests() -> (TeamList, [String; 2]) {
    let list = TeamList::new();
    let uids = [0, 40].map(|index| booking_at(&list.service, DESIGN_REVIEW, index));
    show_requests(&list);
    (list, uids)
}

/// Shows Grace's bookings.
#[track_caller]
fn show_requests(list: &TeamList) {
    let page = &list.page;
    page.role("group", "Status").button("All").click();
    page.field("Search bookings").fill("grace@example.org");
    page.wait_for_text("1–2 of 2");
    page.wait_until("both rows", || page.css(".row-acts button").count() == 4);
}

fn answer<'page>(list: &'page TeamList, row: usize, name: &str) -> Locator<'page> {
    let row = list.page.css("tr.booking").nth(row);
    row.css(".row-acts").button(starting(name))
}

#[track_caller]
fn wait_for_status(list: &TeamList, uid: &str, status: &str) {
    let what = format!("{uid} to be {status}");
    list.page
        .wait_until(&what, || list.stored(uid)["status"] == status);
}

#[test]
fn answer_is_sent_once_and_undone_one_never_when_the_page_is_left() {
    let (list, [first, second]) = two_requests();
    let page = &list.page;
    let notices = page.css(".answer");
    answer(&list, 0, "Decline").click();
    answer(&list, 1, "Confirm").click();
    page.wait_until("both notices", || notices.count() == 2);
    notices.nth(0).button("Undo").click();
    page.wait_until("one notice", || notices.count() == 1);
    answer(&list, 0, "Decline").wait();
    assert_eq!(list.sent(&second, "confirm"), 0);

    let html = "<!doctype html><title>Elsewhere</title><p>Elsewhere</p>";
    list.faults.page("/elsewhere.html", &[], html);
    page.go(&list.faults.url("/elsewhere.html"));
    wait_for_status(&list, &second, "accepted");
    page.back();
    page.field("Search bookings").wait();
    assert_eq!(list.sent(&second, "confirm"), 1);
    assert_eq!(list.sent(&first, "decline"), 0);
    assert_eq!(list.stored(&first)["status"], "pending");
}

#[test]
fn answers_are_sent_once_when_the_list_is_removed() {
    let (list, [first, second]) = two_requests();
    let page = &list.page;
    answer(&list, 0, "Confirm").click();
    answer(&list, 1, "Decline").click();
    page.wait_until("both notices", || page.css(".answer").count() == 2);
    let remove = "const list = document.querySelector('booking-list'); window.removed = []; \
        for (const name of ['booking-confirmed', 'booking-declined']) \
          list.addEventListener(name, () => removed.push(name)); \
        list.remove()";
    page.run(remove, &[]);
    wait_for_status(&list, &first, "accepted");
    wait_for_status(&list, &second, "rejected");
    page.wait_until("both events", || {
        page.run("return removed.sort().join(' ')", &[]) == "booking-confirmed booking-declined"
    });
    page.run("dispatchEvent(new Event('pagehide'))", &[]);
    assert_eq!(list.sent(&first, "confirm"), 1);
    assert_eq!(list.sent(&second, "decline"), 1);
    page.assert_no_errors();
}

#[test]
fn answers_of_two_rows_are_undone_last_first() {
    let (list, [first, second]) = two_requests();
    let page = &list.page;
    let notices = page.css(".answer");
    page.emulate_viewport(PHONE, 16);
    answer(&list, 0, "Confirm").click();
    page.emulate_viewport((1280, 900), 16);
    answer(&list, 1, "Decline").click();
    page.wait_until("both notices", || notices.count() == 2);
    page.assert_accessible("two answers that can be taken back");
    page.wait_until("the focus on the row", || {
        page.css(".booking-open").nth(1).has_focus()
    });
    page.press_with_control('z');
    answer(&list, 1, "Decline").wait();
    notices.text("Confirmed: Grace Hopper").wait();
    assert_eq!(notices.count(), 1);
    // Answered again, in the other way.
    answer(&list, 1, "Confirm").click();
    page.wait_until("both notices", || notices.count() == 2);
    page.run("dispatchEvent(new Event('pagehide'))", &[]);
    notices.wait_gone();
    for uid in [&first, &second] {
        wait_for_status(&list, uid, "accepted");
        assert_eq!(list.sent(uid, "confirm"), 1);
    }
    assert_eq!(list.sent(&second, "decline"), 0);
    page.assert_no_errors();
}

#[test]
fn answer_of_unknown_result_is_not_repeated_and_can_be_checked() {
    let (list, [first, second]) = two_requests();
    let page = &list.page;
    let details = page.css(".details");
    let send = |row: usize| {
        answer(&list, row, "Confirm").click();
        page.css(".answer").button("Close").click();
    };
    let confirm = format!("/v2/bookings/{first}/confirm");
    list.faults
        .next("POST", &confirm, Fault::Status(504, "late"));
    send(0);
    details.text("The service did not respond").wait();
    details.text("has not changed").wait();
    assert_eq!(list.sent(&first, "confirm"), 1);
    assert!(!page.button("Check again").exists());
    page.css(".booking-open").nth(0).click();
    details.wait_gone();

    // Neither the action nor a look at the booking is answered.
    let path = format!("/v2/bookings/{first}");
    list.faults
        .always("POST", &confirm, Fault::Status(502, "down"));
    list.faults.always("GET", &path, Fault::Status(502, "down"));
    send(0);
    details.text("We do not know whether it was done").wait();
    page.assert_accessible("an answer of unknown result");
    let reads = list.faults.count("GET", &path);
    page.button("Check again").click();
    page.wait_until("another look", || list.faults.count("GET", &path) > reads);
    details.text("We do not know whether it was done").wait();
    // Done after all.
    let confirmed = list.service.owner().post(&confirm, &json!({}));
    assert!(confirmed.status < 300, "{confirmed:?}");
    list.faults.clear();
    page.button("Check again").click();
    details.text("The booking is confirmed.").wait();
    assert_eq!(list.sent(&first, "confirm"), 2, "one for each press");
    page.wait_for_event(&format!("booking-confirmed {first}"));
    page.css(".booking-open").nth(0).click();

    // A failure is seen although the row is gone.
    let confirm = format!("/v2/bookings/{second}/confirm");
    list.faults
        .next("POST", &confirm, Fault::Status(504, "late"));
    answer(&list, 1, "Confirm").click();
    page.field("Search bookings").fill("nobody at all");
    page.wait_for_text("No bookings");
    page.css(".answer").button("Close").click();
    let notice = page.css(".answer-failed");
    notice.text("Confirm: Grace Hopper").wait();
    notice.text("has not changed").wait();
    page.assert_accessible("a failure without a row");
    notice.button("Close").click();
    notice.wait_gone();
    assert_eq!(list.sent(&second, "confirm"), 1);
    page.assert_no_errors();
}
