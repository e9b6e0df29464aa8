//! Calendar grid: accessible names and keyboard navigation.

#![cfg(target_arch = "wasm32")]

mod mounted;

use booking_ui::prelude::*;
use booking_widget::components::CalendarGrid;
use booking_widget::time::{CivilDate, Month, MonthGrid, Weekday};
use mounted::{Mounted, Recorded, day, focus, mount, name, press, tick};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

/// Mounts March 2027 as of the 9th, with a few free days. Selected months and days are applied and recorded.
fn calendar(months: &Recorded<Month>, days: &Recorded<CivilDate>) -> Mounted {
    calendar_on("2027-03-09", months, days)
}

fn calendar_on(
    today: &'static str,
    months: &Recorded<Month>,
    days: &Recorded<CivilDate>,
) -> Mounted {
    let months = months.clone();
    let days = days.clone();
    mount(move || -> Node {
        let month = RwSignal::new(Month::of(day("2027-03-01")));
        let selected = RwSignal::new(None::<CivilDate>);
        let free = RwSignal::new(vec![
            (day("2027-03-11"), 3),
            (day("2027-03-12"), 1),
            (day("2027-04-08"), 2),
        ]);
        let (months, days) = (StoredValue::new(months), StoredValue::new(days));
        let turn = move |day: CivilDate| {
            let target = Month::of(day);
            months.with_value(|months| months.borrow_mut().push(target));
            month.set(target);
        };
        let choose = move |chosen: CivilDate| {
            days.with_value(|days| days.borrow_mut().push(chosen));
            selected.set(Some(chosen));
        };
        let grid = move || MonthGrid::of(month.get(), day(today), Weekday::Sun);
        view! {
            <CalendarGrid
                labelled_by="title"
                grid=Signal::derive(grid)
                today=RwSignal::new(day(today))
                selected
                booked=RwSignal::new(None)
                free
                is_busy=RwSignal::new(false)
                on_leave=turn
                on_edge=|_| {}
                on_day=choose
            />
        }
        .into_inner()
    })
}

/// Name of the only day in the tab order.
fn tab_stop(page: &Mounted) -> String {
    name(&page.one("td button[tabindex='0']"))
}

#[wasm_bindgen_test]
async fn day_names_contain_date_and_slot_count() {
    let page = calendar(&Recorded::default(), &Recorded::default());
    tick().await;
    for (name, is_free) in [
        ("Thursday, March 11, 2027, 3 times available", true),
        ("Friday, March 12, 2027, 1 time available", true),
        ("Wednesday, March 10, 2027, no times", false),
        ("Thursday, April 8, 2027, 2 times available", true),
    ] {
        let button = page.button(name);
        let is_disabled = button.get_attribute("aria-disabled").is_some();
        assert_eq!(!is_disabled, is_free, "{name}");
    }
    let heads: Vec<String> = page
        .all("th")
        .iter()
        .map(|head| head.get_attribute("abbr").unwrap_or_default())
        .collect();
    assert_eq!(heads.first().map(String::as_str), Some("Sunday"));
    assert_eq!(heads.len(), 7);
    // For narrow grids.
    let narrow = page.one("th:first-child").get_attribute("data-narrow");
    assert_eq!(narrow.as_deref(), Some("S"));
    let today = page.one("[aria-current='date']");
    assert_eq!(name(&today), "Tuesday, March 9, 2027, no times");
}

#[wasm_bindgen_test]
async fn day_without_slots_cannot_be_selected() {
    let chosen = Recorded::default();
    let page = calendar(&Recorded::default(), &chosen);
    tick().await;
    page.button("Wednesday, March 10, 2027, no times").click();
    tick().await;
    assert_eq!(*chosen.borrow(), []);
    page.button("Friday, March 12, 2027, 1 time available")
        .click();
    tick().await;
    assert_eq!(*chosen.borrow(), [day("2027-03-12")]);
    let cell = page.one("[role='gridcell'][aria-selected='true']");
    assert_eq!(cell.text_content().as_deref(), Some("12"));
    assert_eq!(tab_stop(&page), "Friday, March 12, 2027, 1 time available");
}

#[wasm_bindgen_test]
async fn arrow_keys_move_focus_within_and_between_months() {
    let months = Recorded::default();
    let page = calendar(&months, &Recorded::default());
    tick().await;
    assert_eq!(
        tab_stop(&page),
        "Thursday, March 11, 2027, 3 times available"
    );
    let grid = page.one("[role='grid']");
    for (key, landed) in [
        ("ArrowRight", "Friday, March 12, 2027, 1 time available"),
        ("ArrowDown", "Friday, March 19, 2027, no times"),
        ("Home", "Sunday, March 14, 2027, no times"),
        ("ArrowUp", "Tuesday, March 9, 2027, no times"),
        // Past days cannot be focused.
        ("ArrowLeft", "Tuesday, March 9, 2027, no times"),
        ("PageUp", "Tuesday, March 9, 2027, no times"),
        ("PageDown", "Friday, April 9, 2027, no times"),
        ("x", "Friday, April 9, 2027, no times"),
    ] {
        press(&grid, key);
        tick().await;
        assert_eq!(tab_stop(&page), landed, "{key}");
        assert_eq!(focus(), landed, "{key}");
        assert_eq!(page.all("td button[tabindex='0']").len(), 1);
    }
    // April 9 is among the six weeks of March: the month changes only if it must.
    assert_eq!(*months.borrow(), []);
    press(&grid, "PageDown");
    tick().await;
    assert_eq!(*months.borrow(), [Month::of(day("2027-05-01"))]);
    assert_eq!(focus(), "Sunday, May 9, 2027, no times");
}

#[wasm_bindgen_test]
async fn calendar_late_in_month_shows_coming_weeks() {
    let (months, chosen) = (Recorded::default(), Recorded::default());
    let page = calendar_on("2027-03-25", &months, &chosen);
    tick().await;
    // The current week is the first, and the first of April names its month.
    assert_eq!(page.all("tbody tr:first-child button").len(), 7);
    let first = page.button("Thursday, April 1, 2027, no times");
    assert_eq!(first.text_content().as_deref(), Some("1"));
    assert_eq!(first.get_attribute("data-month").as_deref(), Some("Apr"));
    page.button("Thursday, April 8, 2027, 2 times available")
        .click();
    tick().await;
    assert_eq!(*chosen.borrow(), [day("2027-04-08")]);
    let grid = page.one("[role='grid']");
    press(&grid, "ArrowUp");
    tick().await;
    assert_eq!(focus(), "Thursday, April 1, 2027, no times");
    assert_eq!(*months.borrow(), []);
}
