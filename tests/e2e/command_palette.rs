//! Command palette of the list and of the app: opened by a key, used from the keyboard.

use super::booking_actions::TeamList;
use crate::common::{DESIGN_REVIEW, Key, Locator, Page, Service, booking_at};

fn palette(page: &Page) -> Locator<'_> {
    page.role("combobox", "Find bookings and commands")
}

/// Opens the palette from the focused element.
#[track_caller]
fn open(page: &Page) {
    page.press_with_control('k');
    page.wait_until("the focus in the palette", || palette(page).has_focus());
}

/// Types into the palette and waits until `option` is the one that Enter runs.
#[track_caller]
fn find(page: &Page, typed: &str, option: &str) {
    palette(page).fill(typed);
    let what = format!("“{option}” for “{typed}”");
    page.wait_until(&what, || active(page).starts_with(option));
}

/// Text of the option that Enter runs.
fn active(page: &Page) -> String {
    let option = page.css("[role='option'][aria-selected='true']");
    match option.count() {
        1 => option.read_text(),
        _ => String::new(),
    }
}

fn query(page: &Page) -> String {
    let query = page.run("return document.querySelector('booking-list').query", &[]);
    query.as_str().unwrap_or_default().to_owned()
}

#[test]
fn palette_of_the_element_opens_inside_it_alone_and_runs_commands() {
    let list = TeamList::new();
    let page = &list.page;
    page.css("tr.booking").first().wait();
    // The page has a use of its own for the key.
    let field = "const field = document.createElement('input'); field.id = 'own'; \
                 document.body.prepend(field); field.focus(); window.taken = []; \
                 addEventListener('keydown', (event) => taken.push(event.defaultPrevented))";
    page.run(field, &[]);
    page.press_with_control('k');
    assert_eq!(page.run("return taken.includes(true)", &[]), false);
    assert!(!palette(page).exists());
    page.run("document.getElementById('own').remove()", &[]);

    let search = page.field("Search bookings");
    search.click();
    open(page);
    page.assert_accessible("the command palette");
    assert!(active(page).starts_with("Upcoming"));
    page.press(Key::Up);
    assert!(active(page).starts_with("Keyboard shortcuts"));
    page.press(Key::Down);
    assert!(active(page).starts_with("Upcoming"));
    // Escape closes it, and the focus returns.
    page.press(Key::Escape);
    palette(page).wait_gone();
    page.wait_until("the focus in the search field", || search.has_focus());

    open(page);
    find(page, "all", "All");
    page.press(Key::Enter);
    palette(page).wait_gone();
    page.wait_for_text("1–20 of");
    open(page);
    find(page, "next page", "Next page");
    page.press(Key::Enter);
    page.wait_for_text("21–40 of");
    open(page);
    find(page, "filters", "Filters");
    page.press(Key::Enter);
    page.role("group", "Event types").wait();
    open(page);
    find(page, "export", "Export");
    page.press(Key::Enter);
    page.css(".export").wait();

    // A day, in any order, nearest first.
    search.click();
    open(page);
    find(page, "go to dec 14 2027", "Go to Tue, Dec 14, 2027");
    page.press(Key::Enter);
    page.wait_until("the day", || {
        query(page).contains("days=2027-12-14..2027-12-14")
    });
    assert!(query(page).contains("status=all"));
    page.assert_no_errors();
}

#[test]
fn palette_finds_people_and_opens_their_booking() {
    let list = TeamList::new();
    let page = &list.page;
    let uid = booking_at(&list.service, DESIGN_REVIEW, 0);
    page.field("Search bookings").click();
    open(page);
    find(page, "grace hop", "Search bookings: grace hop");
    page.css("[role='option']").text("Grace Hopper").wait();
    page.assert_accessible("bookings in the command palette");
    page.press(Key::Down);
    assert!(active(page).starts_with("Grace Hopper"));
    page.press(Key::Enter);
    palette(page).wait_gone();
    page.css(".details").wait();
    assert!(query(page).contains(&uid), "{}", query(page));
    page.wait_until("the focus on the booking", || {
        page.css(".booking-open").nth(0).has_focus()
    });
    // Found again, it is in its row.
    page.field("Search bookings").click();
    open(page);
    find(page, "grace hop", "Search bookings: grace hop");
    page.press(Key::Enter);
    page.wait_until("the search", || query(page).contains("search=grace%20hop"));

    page.field("Search bookings").fill("");
    page.press(Key::Escape);
    page.css("h1, h2").first().click();
    page.button("Keyboard shortcuts").click();
    page.wait_for_text("Find bookings and commands");
    page.assert_no_errors();
}

#[test]
fn palette_of_the_app_goes_to_its_screens() {
    let service = Service::start();
    let page = Page::open(&service.url("/connect"));
    page.record_errors();
    page.button("Use the demo account").click();
    page.link("Bookings").click();
    page.css("tr.booking").first().wait();
    // The whole page is the app's.
    page.run("document.activeElement?.blur()", &[]);
    open(&page);
    find(&page, "team", "Team & roles");
    page.press(Key::Enter);
    page.button("New role").wait();
    open(&page);
    page.assert_accessible("the command palette of a screen");
    palette(&page).fill("nothing of this kind");
    page.wait_for_text("Nothing found.");
    find(&page, "book", "Bookings");
    page.press(Key::Enter);
    page.css("tr.booking").first().wait();
    assert!(page.address().ends_with("/bookings"), "{}", page.address());
    page.assert_no_errors();
}
