//! Grid of starts inside a free range.

use super::*;

#[test]
fn notice_moves_the_first_start_up_on_the_grid() {
    let hosts = [host(1, "UTC", &WEEKDAYS, 540, 720)];
    let rules = Rules {
        notice: 120,
        ..rules(30)
    };
    assert_eq!(
        day_of(&rules, &hosts, "UTC", "2027-03-01T08:07:40Z", "2027-03-01"),
        ["03-01 10:30", "03-01 11:00", "03-01 11:30"]
    );
}

#[test]
fn start_without_notice_is_at_least_a_minute_ahead() {
    let hosts = [host(1, "UTC", &WEEKDAYS, 540, 720)];
    let found = day_of(
        &rules(60),
        &hosts,
        "UTC",
        "2027-03-01T10:00:00Z",
        "2027-03-01",
    );
    assert_eq!(found, ["03-01 11:00"]);
}

#[test]
fn interval_and_offset_determine_the_starts() {
    let hosts = [host(1, "UTC", &WEEKDAYS, 540, 660)];
    let dense = Rules {
        interval: Some(15),
        ..rules(60)
    };
    assert_eq!(
        day_of(&dense, &hosts, "UTC", LONG_BEFORE, "2027-03-01"),
        [
            "03-01 09:00",
            "03-01 09:15",
            "03-01 09:30",
            "03-01 09:45",
            "03-01 10:00"
        ]
    );
    let shifted = Rules {
        offset_start: 10,
        ..rules(30)
    };
    assert_eq!(
        day_of(&shifted, &hosts, "UTC", LONG_BEFORE, "2027-03-01"),
        ["03-01 09:10", "03-01 09:50", "03-01 10:30"]
    );
}

#[test]
fn grid_is_the_largest_that_divides_the_step() {
    for (length, grid) in [
        (60, 60),
        (120, 60),
        (90, 30),
        (45, 15),
        (40, 20),
        (50, 10),
        (25, 5),
        (7, 1),
    ] {
        assert_eq!(rules(length).grid(), grid, "{length}");
    }
}

#[test]
fn event_type_with_only_first_offers_one_start_per_day() {
    let hosts = [host(1, "UTC", &WEEKDAYS, 540, 720)];
    let rules = Rules {
        only_first: true,
        ..rules(60)
    };
    let found = starts(
        &rules,
        &hosts,
        "UTC",
        LONG_BEFORE,
        "2027-03-01T00:00:00Z",
        "2027-03-02T23:00:00Z",
    );
    assert_eq!(found, ["03-01 09:00", "03-02 09:00"]);
}

#[test]
fn starts_of_a_day_do_not_depend_on_the_requested_range() {
    let hosts = [host(1, "UTC", &WEEKDAYS, 540, 720)];
    let full_day = day_of(&rules(45), &hosts, "UTC", LONG_BEFORE, "2027-03-01");
    let partial = starts(
        &rules(45),
        &hosts,
        "UTC",
        LONG_BEFORE,
        "2027-03-01T10:00:00Z",
        "2027-03-01T12:00:00Z",
    );
    assert_eq!(
        full_day,
        ["03-01 09:00", "03-01 09:45", "03-01 10:30", "03-01 11:15"]
    );
    assert_eq!(partial, ["03-01 10:30", "03-01 11:15"]);
}

#[test]
fn optimized_starts_are_rounded_unless_that_costs_a_start() {
    // End of hours, length, expected starts after a meeting that ends at 09:03.
    let table: [(i64, i64, &[&str]); 5] = [
        // Rounding to the hour costs no start: two fit from 09:03 and from 10:00.
        (720, 60, &["03-01 10:00", "03-01 11:00"]),
        // The hour would cost a start, the quarter does not.
        (675, 60, &["03-01 09:15", "03-01 10:15"]),
        // The quarter would cost a start, five minutes do not.
        (665, 60, &["03-01 09:05", "03-01 10:05"]),
        // No rounding is possible.
        (663, 60, &["03-01 09:03", "03-01 10:03"]),
        (662, 60, &["03-01 10:00"]),
    ];
    for (until, length, expected) in table {
        let mut ada = host(1, "UTC", &WEEKDAYS, 540, until);
        ada.busy = vec![busy("2027-03-01T08:30:00Z", "2027-03-01T09:03:00Z")];
        let rules = Rules {
            optimized: true,
            ..rules(length)
        };
        let hosts = [ada];
        let found = day_of(&rules, &hosts, "UTC", LONG_BEFORE, "2027-03-01");
        assert_eq!(found, expected, "until {until}");
        let calendar = calendar_of(&hosts);
        let search = SlotSearch {
            rules: &rules,
            calendar: &calendar,
            zone: &UTC,
            now: at(LONG_BEFORE),
        };
        for start in expected {
            let start = at(&format!("2027-{}:00Z", start.replace(' ', "T")));
            assert!(
                decide(search, candidate(start, false)).is_ok(),
                "until {until}"
            );
        }
    }
}

/// For a host who works day and night, the starts of a day do not depend on the requested range.
#[test]
fn grid_of_unbroken_hours_restarts_at_midnight() {
    let hosts = [host(1, "Europe/Berlin", &EVERY_DAY, 0, 1440)];
    let day = ("2027-03-03T23:00:00Z", "2027-03-04T22:59:59Z");
    for length in [50, 70, 25, 7, 60] {
        let rules = rules(length);
        let found = |from, to| starts(&rules, &hosts, "Europe/Berlin", LONG_BEFORE, from, to);
        let expected = found(day.0, day.1);
        assert_eq!(expected[0], "03-03 23:00", "{length}");
        for before in [
            "2027-03-03T00:00:00Z",
            "2027-03-01T00:00:00Z",
            "2027-02-20T11:00:00Z",
        ] {
            let mut longer = found(before, "2027-03-20T00:00:00Z");
            longer.retain(|start| expected[0] <= *start && *start <= expected[expected.len() - 1]);
            assert_eq!(longer, expected, "{length} {before}");
        }
    }
    // A meeting may span midnight.
    let found = starts(
        &rules(50),
        &hosts,
        "Europe/Berlin",
        LONG_BEFORE,
        day.0,
        day.1,
    );
    assert_eq!(found[found.len() - 1], "03-04 22:20");
}
