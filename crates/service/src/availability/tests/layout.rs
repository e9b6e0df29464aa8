//! Where starts lie inside a free range.

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
fn a_start_is_at_least_a_minute_ahead_even_without_notice() {
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
fn the_interval_and_the_offset_lay_out_the_starts() {
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
fn the_grid_is_the_largest_that_divides_the_step() {
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
fn only_the_first_start_of_a_day_is_offered_if_the_type_says_so() {
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
fn the_starts_of_a_day_do_not_depend_on_the_range_asked_for() {
    let hosts = [host(1, "UTC", &WEEKDAYS, 540, 720)];
    let whole = day_of(&rules(45), &hosts, "UTC", LONG_BEFORE, "2027-03-01");
    let part = starts(
        &rules(45),
        &hosts,
        "UTC",
        LONG_BEFORE,
        "2027-03-01T10:00:00Z",
        "2027-03-01T12:00:00Z",
    );
    assert_eq!(
        whole,
        ["03-01 09:00", "03-01 09:45", "03-01 10:30", "03-01 11:15"]
    );
    assert_eq!(part, ["03-01 10:30", "03-01 11:15"]);
}

#[test]
fn optimized_starts_are_rounded_only_where_that_costs_none() {
    // Until, step, starts: a meeting that ended at 09:03 makes room for what is shown.
    let table: [(i64, i64, &[&str]); 5] = [
        // Rounded to the hour: 10:00 and 11:00 fit as they would from 09:03 on.
        (720, 60, &["03-01 10:00", "03-01 11:00"]),
        // The hour would cost a start, the quarter does not.
        (675, 60, &["03-01 09:15", "03-01 10:15"]),
        // So would the quarter, but not five minutes.
        (665, 60, &["03-01 09:05", "03-01 10:05"]),
        // There is no time to lose at all.
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
        let calendar = of(&hosts);
        let offer = Offer {
            rules: &rules,
            calendar: &calendar,
            zone: Tz::UTC,
            now: at(LONG_BEFORE),
        };
        for start in expected {
            let start = at(&format!("2027-{}:00Z", start.replace(' ', "T")));
            assert!(
                decide(offer, candidate(start, false)).is_ok(),
                "until {until}"
            );
        }
    }
}

/// Of a host who works day and night, the starts of a day are the same whether a day or a month is
/// asked about.
#[test]
fn starts_of_unbroken_hours_begin_again_at_midnight() {
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
    // A meeting may go on over midnight.
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
