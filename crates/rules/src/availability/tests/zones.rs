//! Working hours on the wall clock, across changes of offset. The expected instants are derived
//! by hand from the rules of the zones.

use super::*;

#[test]
fn working_hours_stay_on_the_wall_clock_across_a_change_of_offset() {
    let hosts = [host(1, "Europe/Berlin", &WEEKDAYS, 540, 660)];
    // Clocks go forward on Sunday 2027-03-28.
    let friday = day_of(
        &rules(60),
        &hosts,
        "Europe/Berlin",
        LONG_BEFORE,
        "2027-03-26",
    );
    let monday = day_of(
        &rules(60),
        &hosts,
        "Europe/Berlin",
        LONG_BEFORE,
        "2027-03-29",
    );
    assert_eq!(friday, ["03-26 08:00", "03-26 09:00"]);
    assert_eq!(monday, ["03-29 07:00", "03-29 08:00"]);
}

#[test]
fn range_over_the_spring_gap_loses_an_hour() {
    // 00:00 to 06:00 in Berlin: 02:00 to 03:00 does not exist on 2027-03-28.
    let hosts = [host(1, "Europe/Berlin", &EVERY_DAY, 0, 360)];
    let found = starts(
        &rules(60),
        &hosts,
        "Europe/Berlin",
        LONG_BEFORE,
        "2027-03-27T22:00:00Z",
        "2027-03-28T12:00:00Z",
    );
    assert_eq!(
        found,
        [
            "03-27 23:00",
            "03-28 00:00",
            "03-28 01:00",
            "03-28 02:00",
            "03-28 03:00"
        ]
    );
}

#[test]
fn range_that_starts_inside_the_spring_gap_starts_after_it() {
    // 02:30 in New York on 2027-03-14 is 03:30 EDT, that is 07:30 UTC.
    let hosts = [host(1, "America/New_York", &EVERY_DAY, 150, 300)];
    assert_eq!(
        day_of(
            &rules(30),
            &hosts,
            "America/New_York",
            LONG_BEFORE,
            "2027-03-14"
        ),
        ["03-14 07:30", "03-14 08:00", "03-14 08:30"]
    );
}

#[test]
fn repeated_hour_in_autumn_offers_two_starts_with_the_same_local_time() {
    // 01:00 to 04:00 in Berlin on 2026-10-25 lasts four hours: 02:00 comes twice.
    let hosts = [host(1, "Europe/Berlin", &EVERY_DAY, 60, 240)];
    let found = starts(
        &rules(60),
        &hosts,
        "Europe/Berlin",
        LONG_BEFORE,
        "2026-10-24T22:00:00Z",
        "2026-10-25T12:00:00Z",
    );
    assert_eq!(
        found,
        ["10-24 23:00", "10-25 00:00", "10-25 01:00", "10-25 02:00"]
    );
}

#[test]
fn ambiguous_end_means_its_first_occurrence() {
    // 02:30 on 2026-10-25 first comes at 00:30 UTC.
    let hosts = [host(1, "Europe/Berlin", &EVERY_DAY, 60, 150)];
    let found = starts(
        &rules(30),
        &hosts,
        "Europe/Berlin",
        LONG_BEFORE,
        "2026-10-24T22:00:00Z",
        "2026-10-25T12:00:00Z",
    );
    assert_eq!(found, ["10-24 23:00", "10-24 23:30", "10-25 00:00"]);
}

#[test]
fn zone_off_the_hour_shifts_the_grid_of_the_request() {
    // 09:00 in Kolkata is 03:30 UTC; seen from Berlin it is 04:30, so hourly starts wait for 05:00.
    let hosts = [host(1, "Asia/Kolkata", &WEEKDAYS, 540, 720)];
    let day = "2027-03-01";
    assert_eq!(
        day_of(&rules(60), &hosts, "Asia/Kolkata", LONG_BEFORE, day),
        ["03-01 03:30", "03-01 04:30", "03-01 05:30"]
    );
    assert_eq!(
        day_of(&rules(60), &hosts, "Europe/Berlin", LONG_BEFORE, day),
        ["03-01 04:00", "03-01 05:00"]
    );
}

#[test]
fn quarter_hour_zone_and_half_hour_summer_time_are_supported() {
    // Kathmandu is UTC+5:45; 10:00 is 04:15 UTC.
    let kathmandu = [host(1, "Asia/Kathmandu", &WEEKDAYS, 600, 660)];
    assert_eq!(
        day_of(
            &rules(30),
            &kathmandu,
            "Asia/Kathmandu",
            LONG_BEFORE,
            "2027-03-01"
        ),
        ["03-01 04:15", "03-01 04:45"]
    );
    // Lord Howe goes from +11:00 to +10:30 on 2027-04-04 at 02:00, when 01:30 comes again.
    let howe = [host(1, "Australia/Lord_Howe", &EVERY_DAY, 60, 150)];
    let found = starts(
        &rules(30),
        &howe,
        "Australia/Lord_Howe",
        LONG_BEFORE,
        "2027-04-03T12:00:00Z",
        "2027-04-03T20:00:00Z",
    );
    assert_eq!(
        found,
        ["04-03 14:00", "04-03 14:30", "04-03 15:00", "04-03 15:30"]
    );
}

#[test]
fn working_day_spans_two_dates_of_a_distant_zone() {
    let hosts = [host(1, "Pacific/Honolulu", &WEEKDAYS, 0, 120)];
    let rules = rules(60);
    let calendar = calendar_of(&hosts);
    let search = SlotSearch {
        rules: &rules,
        calendar: &calendar,
        zone: &zone("Pacific/Auckland"),
        now: at(LONG_BEFORE),
    };
    // Midnight in Honolulu is 10:00 UTC and 23:00 in Auckland (UTC+13).
    let days = days(
        search,
        at("2027-03-01T00:00:00Z"),
        at("2027-03-01T23:59:59Z"),
    );
    assert_eq!(
        days.into_iter().collect::<Vec<_>>(),
        [
            (date("2027-03-01"), vec![at("2027-03-01T10:00:00Z")]),
            (date("2027-03-02"), vec![at("2027-03-01T11:00:00Z")]),
        ]
    );
}

#[test]
fn date_that_a_zone_skipped_has_no_starts() {
    // Apia went from 2011-12-29 to 2011-12-31.
    let hosts = [host(1, "Pacific/Apia", &EVERY_DAY, 540, 600)];
    let found = starts(
        &rules(60),
        &hosts,
        "Pacific/Apia",
        "2011-01-01T00:00:00Z",
        "2011-12-29T00:00:00Z",
        "2012-01-01T00:00:00Z",
    );
    // 09:00 on the 29th is 19:00 UTC; the 30th does not exist and falls on the 31st, which is
    // 19:00 UTC on the 30th.
    assert_eq!(found, ["12-29 19:00", "12-30 19:00", "12-31 19:00"]);
}

/// Zone, date, working hours in minutes, length, starts in UTC as seen from the same zone.
type Day = (
    &'static str,
    &'static str,
    (i64, i64),
    i64,
    &'static [&'static str],
);

#[test]
fn days_with_clock_changes_have_the_expected_starts() {
    let table: [Day; 12] = [
        // 01:00 is followed by 03:00.
        (
            "Antarctica/Troll",
            "2027-03-28",
            (0, 300),
            60,
            &["03-28 00:00", "03-28 01:00", "03-28 02:00"],
        ),
        // 03:00 is followed by 01:00.
        (
            "Antarctica/Troll",
            "2027-10-31",
            (0, 300),
            60,
            &[
                "10-30 22:00",
                "10-30 23:00",
                "10-31 00:00",
                "10-31 01:00",
                "10-31 02:00",
                "10-31 03:00",
                "10-31 04:00",
            ],
        ),
        // 02:00 is followed by 02:30.
        (
            "Australia/Lord_Howe",
            "2026-10-04",
            (60, 240),
            30,
            &[
                "10-03 14:30",
                "10-03 15:00",
                "10-03 15:30",
                "10-03 16:00",
                "10-03 16:30",
            ],
        ),
        // 02:45 is followed by 03:45.
        (
            "Pacific/Chatham",
            "2027-09-26",
            (120, 300),
            60,
            &["09-25 13:15", "09-25 14:15"],
        ),
        // 03:45 is followed by 02:45.
        (
            "Pacific/Chatham",
            "2027-04-04",
            (120, 240),
            60,
            &["04-03 12:15", "04-03 13:15", "04-03 14:15"],
        ),
        // 04:00 is followed by 03:00.
        (
            "Pacific/Apia",
            "2021-04-04",
            (180, 300),
            60,
            &["04-03 13:00", "04-03 14:00", "04-03 15:00"],
        ),
        // 02:00 is followed by 03:00.
        (
            "America/New_York",
            "2027-03-14",
            (60, 240),
            60,
            &["03-14 06:00", "03-14 07:00"],
        ),
        // 02:00 is followed by 01:00.
        (
            "America/New_York",
            "2027-11-07",
            (0, 180),
            60,
            &["11-07 04:00", "11-07 05:00", "11-07 06:00", "11-07 07:00"],
        ),
        // 01:00 is followed by 02:00.
        (
            "Europe/Dublin",
            "2027-03-28",
            (0, 180),
            60,
            &["03-28 00:00", "03-28 01:00"],
        ),
        // 02:00 is followed by 01:00.
        (
            "Europe/Dublin",
            "2027-10-31",
            (0, 180),
            60,
            &["10-30 23:00", "10-31 00:00", "10-31 01:00", "10-31 02:00"],
        ),
        // 00:00 is followed by 00:15: midnight itself does not exist.
        (
            "Asia/Kathmandu",
            "1986-01-01",
            (0, 75),
            15,
            &["12-31 18:30", "12-31 18:45", "12-31 19:00", "12-31 19:15"],
        ),
        // The whole day is left out: its hours fall on the next one.
        (
            "Pacific/Apia",
            "2011-12-30",
            (540, 600),
            60,
            &["12-30 19:00"],
        ),
    ];
    for (name, day, (from, to), length, expected) in table {
        let mut ada = host(1, name, &[], 0, 0);
        ada.schedule.overrides = vec![Override {
            date: date(day),
            from,
            to,
        }];
        let around = (at(day) - 2 * DAY, at(day) + 2 * DAY);
        let found = starts(
            &rules(length),
            &[ada],
            name,
            "1980-01-01T00:00:00Z",
            &Instant(around.0).to_string(),
            &Instant(around.1).to_string(),
        );
        assert_eq!(found, expected, "{name} on {day}");
    }
}
