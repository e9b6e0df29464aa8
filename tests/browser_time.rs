//! Days and times in time zones with special rules, from the data of this browser.

#![cfg(target_arch = "wasm32")]

mod mounted;

use booking_ui::prelude::*;
use booking_widget::time::{Clock, DateRange, Formats, Zone};
use mounted::{at, day};
use wasm_bindgen_test::{wasm_bindgen_test, wasm_bindgen_test_configure};

wasm_bindgen_test_configure!(run_in_browser);

fn zone(name: &str) -> Zone {
    Zone(name.to_owned())
}

/// Calls `test` with formats, which need a reactive owner.
fn with_formats(test: impl FnOnce(Formats)) {
    let owner = Owner::new();
    owner.with(|| {
        test(Formats::new(
            "en-US",
            Clock::of(|| at("2026-11-28T12:00:00Z")),
        ))
    });
    owner.cleanup();
}

#[wasm_bindgen_test]
fn start_of_day_in_zone_is_first_instant_of_day() {
    with_formats(|formats| {
        for (name, date, start) in [
            // Daylight saving time of half an hour.
            ("Australia/Lord_Howe", "2027-04-04", "2027-04-03T13:00:00Z"),
            ("Australia/Lord_Howe", "2027-04-05", "2027-04-04T13:30:00Z"),
            // 30 December 2011 was skipped.
            ("Pacific/Apia", "2011-12-29", "2011-12-29T10:00:00Z"),
            ("Pacific/Apia", "2011-12-30", "2011-12-30T10:00:00Z"),
            ("Pacific/Apia", "2011-12-31", "2011-12-30T10:00:00Z"),
            ("Asia/Kathmandu", "2027-03-11", "2027-03-10T18:15:00Z"),
            // Clocks change at 2:00, forward in spring and back in autumn.
            ("America/New_York", "2027-03-14", "2027-03-14T05:00:00Z"),
            ("America/New_York", "2027-03-15", "2027-03-15T04:00:00Z"),
            ("America/New_York", "2027-11-07", "2027-11-07T04:00:00Z"),
            ("America/New_York", "2027-11-08", "2027-11-08T05:00:00Z"),
            // Clocks go forward at midnight: the day begins at 1:00.
            ("Africa/Cairo", "2027-04-30", "2027-04-29T22:00:00Z"),
            ("America/Santiago", "2027-09-05", "2027-09-05T04:00:00Z"),
            // Clocks go back at midnight: 23:00 occurs twice the evening before.
            ("America/Santiago", "2027-04-04", "2027-04-04T04:00:00Z"),
            // Clocks go back at 1:00: midnight occurs twice, and the first one counts.
            ("Atlantic/Azores", "2027-10-31", "2027-10-31T00:00:00Z"),
            ("Pacific/Kiritimati", "2027-03-11", "2027-03-10T10:00:00Z"),
        ] {
            let found = formats.start_of_day(day(date), &zone(name));
            assert_eq!(found, at(start), "{name} {date}: {found}");
        }
    });
}

#[wasm_bindgen_test]
fn day_of_instant_is_day_in_zone() {
    with_formats(|formats| {
        for (name, instant, date) in [
            ("Australia/Lord_Howe", "2027-04-03T12:59:59Z", "2027-04-03"),
            ("Australia/Lord_Howe", "2027-04-03T13:00:00Z", "2027-04-04"),
            ("Pacific/Apia", "2011-12-30T09:59:59Z", "2011-12-29"),
            ("Pacific/Apia", "2011-12-30T10:00:00Z", "2011-12-31"),
            ("Asia/Kathmandu", "2027-03-10T18:14:59Z", "2027-03-10"),
            ("Asia/Kathmandu", "2027-03-10T18:15:00Z", "2027-03-11"),
            ("America/New_York", "2027-11-08T04:59:59Z", "2027-11-07"),
            ("America/New_York", "2027-01-01T04:59:59Z", "2026-12-31"),
        ] {
            assert_eq!(
                formats.day_of(at(instant), &zone(name)),
                day(date),
                "{name} {instant}"
            );
        }
    });
}

#[wasm_bindgen_test]
fn range_names_year_once_or_not_at_all() {
    with_formats(|formats| {
        let range = |first: &str, last: &str| DateRange {
            first: day(first),
            last: day(last),
        };
        // Engines differ in the spaces around the dash.
        let plain = |text: String| text.replace('\u{2009}', " ");
        let months = formats.months(range("2026-11-01", "2026-12-01"));
        assert_eq!(plain(months), "Nov – Dec 2026");
        let months = formats.months(range("2026-12-01", "2027-01-01"));
        assert_eq!(plain(months), "Dec 2026 – Jan 2027");
        let days = range("2026-11-23", "2026-11-29");
        assert_eq!(plain(formats.days(days)), "Nov 23 – 29, 2026");
        assert_eq!(plain(formats.days_of_year(days)), "Nov 23 – 29");
        assert_eq!(formats.year(day("2026-11-23")), "2026");
    });
}

#[wasm_bindgen_test]
fn date_within_half_a_year_has_no_year() {
    with_formats(|formats| {
        for (date, short, title) in [
            ("2026-12-03", "Thu, Dec 3", "Thursday, December 3"),
            ("2027-05-29", "Sat, May 29", "Saturday, May 29"),
            ("2027-06-01", "Tue, Jun 1, 2027", "Tuesday, June 1, 2027"),
            ("2026-06-01", "Mon, Jun 1", "Monday, June 1"),
            ("2026-05-20", "Wed, May 20, 2026", "Wednesday, May 20, 2026"),
        ] {
            assert_eq!(formats.short_day(day(date)), short);
            assert_eq!(formats.day_title(day(date)), title);
        }
    });
}

#[wasm_bindgen_test]
fn offset_text_repeated_hour_differs() {
    with_formats(|formats| {
        for (name, instant, minutes, text) in [
            ("Australia/Lord_Howe", "2027-01-15T00:00:00Z", 660, "GMT+11"),
            (
                "Australia/Lord_Howe",
                "2027-07-15T00:00:00Z",
                630,
                "GMT+10:30",
            ),
            ("Pacific/Apia", "2011-12-30T09:00:00Z", -600, "GMT-10"),
            ("Pacific/Apia", "2011-12-30T11:00:00Z", 840, "GMT+14"),
            ("Asia/Kathmandu", "2027-03-11T00:00:00Z", 345, "GMT+5:45"),
        ] {
            let (instant, zone) = (at(instant), zone(name));
            assert_eq!(formats.offset(instant, &zone), minutes, "{name}");
            assert_eq!(formats.offset_text(instant, &zone), text, "{name}");
        }
        let new_york = zone("America/New_York");
        let (first, second) = (at("2027-11-07T05:30:00Z"), at("2027-11-07T06:30:00Z"));
        for instant in [first, second] {
            assert_eq!(formats.time(instant, &new_york, false), "01:30");
            let time = formats.time(instant, &new_york, true);
            assert_eq!(time.replace('\u{a0}', " "), "1:30 AM");
        }
        assert_eq!(formats.offset_text(first, &new_york), "GMT-4");
        assert_eq!(formats.offset_text(second, &new_york), "GMT-5");
        // The hour that is skipped in spring.
        assert_eq!(
            formats.time(at("2027-03-14T06:59:00Z"), &new_york, false),
            "01:59"
        );
        assert_eq!(
            formats.time(at("2027-03-14T07:00:00Z"), &new_york, false),
            "03:00"
        );
        // Midnight is 0, never 24.
        assert_eq!(
            formats.time(at("2027-03-14T05:00:00Z"), &new_york, false),
            "00:00"
        );
    });
}

#[wasm_bindgen_test]
fn unknown_zone_has_utc_day_and_offset() {
    with_formats(|formats| {
        let nowhere = zone("Nowhere/At_All");
        let instant = at("2027-03-11T09:30:00Z");
        assert_eq!(formats.day_of(instant, &nowhere), day("2027-03-11"));
        assert_eq!(formats.offset(instant, &nowhere), 0);
        assert_eq!(
            formats.start_of_day(day("2027-03-11"), &nowhere),
            at("2027-03-11T00:00:00Z")
        );
    });
}
