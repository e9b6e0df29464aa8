//! Working hours, absences, busy times and limits.

use super::*;
use chrono::Weekday;

#[test]
fn override_replaces_the_hours_of_its_date_and_an_empty_one_is_a_day_off() {
    let mut ada = host(1, "Europe/Berlin", &WEEKDAYS, 540, 1020);
    ada.schedule.overrides = vec![
        Override {
            date: date("2027-03-02"),
            from: 780,
            to: 840,
        },
        Override {
            date: date("2027-03-02"),
            from: 1200,
            to: 1260,
        },
        Override {
            date: date("2027-03-03"),
            from: 600,
            to: 600,
        },
        Override {
            date: date("2027-03-06"),
            from: 600,
            to: 660,
        },
    ];
    let hosts = [ada];
    assert_eq!(
        day_of(&rules(60), &hosts, "UTC", LONG_BEFORE, "2027-03-02"),
        ["03-02 12:00", "03-02 19:00"]
    );
    assert_eq!(
        day_of(&rules(60), &hosts, "UTC", LONG_BEFORE, "2027-03-03"),
        Vec::<String>::new()
    );
    assert_eq!(
        day_of(&rules(60), &hosts, "UTC", LONG_BEFORE, "2027-03-06"),
        ["03-06 09:00"]
    );
}

#[test]
fn rule_that_ends_at_2359_lasts_until_midnight() {
    let hosts = [host(1, "UTC", &EVERY_DAY, 1380, 1439)];
    assert_eq!(
        day_of(&rules(60), &hosts, "UTC", LONG_BEFORE, "2027-03-02"),
        ["03-02 23:00"]
    );
}

#[test]
fn booking_blocks_its_time_but_not_adjacent_starts() {
    let mut ada = host(1, "UTC", &WEEKDAYS, 540, 720);
    ada.busy = vec![busy("2027-03-01T10:00:00Z", "2027-03-01T10:30:00Z")];
    assert_eq!(
        day_of(&rules(30), &[ada], "UTC", LONG_BEFORE, "2027-03-01"),
        [
            "03-01 09:00",
            "03-01 09:30",
            "03-01 10:30",
            "03-01 11:00",
            "03-01 11:30"
        ]
    );
}

#[test]
fn buffers_of_both_meetings_are_added() {
    let mut ada = host(1, "UTC", &WEEKDAYS, 480, 840);
    // The meeting at 11:00 has buffers of 10 minutes before and 20 after; ours 5 before and 15
    // after. Free until 11:00 - (10 + 15) = 10:35, and again from 11:30 + (20 + 5) = 11:55.
    ada.busy = vec![BusyTime {
        range: TimeRange::new(at("2027-03-01T11:00:00Z"), at("2027-03-01T11:30:00Z")),
        buffer_before: 10,
        buffer_after: 20,
        is_shared: false,
    }];
    let rules = Rules {
        buffer_before: 5,
        buffer_after: 15,
        interval: Some(5),
        ..rules(30)
    };
    let found = day_of(&rules, &[ada], "UTC", LONG_BEFORE, "2027-03-01");
    assert!(found.contains(&"03-01 10:05".to_owned()));
    assert!(!found.contains(&"03-01 10:10".to_owned()));
    assert!(!found.contains(&"03-01 11:50".to_owned()));
    assert!(found.contains(&"03-01 11:55".to_owned()));
}

#[test]
fn whole_days_of_absence_are_days_of_the_hosts_calendar() {
    let mut ada = host(1, "America/New_York", &EVERY_DAY, 540, 600);
    ada.time_off = vec![
        TimeOff::from_stored(at("2027-03-02T00:00:00Z"), at("2027-03-03T23:59:59Z")).unwrap(),
        TimeOff::from_stored(at("2027-03-05T00:00:00Z"), at("2027-03-06T00:00:00Z")).unwrap(),
    ];
    let found = starts(
        &rules(60),
        &[ada],
        "UTC",
        LONG_BEFORE,
        "2027-03-01T00:00:00Z",
        "2027-03-06T23:59:59Z",
    );
    assert_eq!(found, ["03-01 14:00", "03-04 14:00", "03-06 14:00"]);
}

/// A day in Rome given as instants is that day, and an hour is an hour.
#[test]
fn absence_that_is_no_whole_utc_day_blocks_its_exact_time() {
    let found = |start, end| {
        let mut ada = host(1, "Europe/Rome", &EVERY_DAY, 540, 720);
        ada.time_off = vec![TimeOff::from_stored(at(start), at(end)).unwrap()];
        starts(
            &rules(60),
            &[ada],
            "UTC",
            LONG_BEFORE,
            "2027-06-07T00:00:00Z",
            "2027-06-09T23:59:59Z",
        )
    };
    assert_eq!(
        found("2027-06-07T22:00:00Z", "2027-06-08T21:59:00Z"),
        [
            "06-07 07:00",
            "06-07 08:00",
            "06-07 09:00",
            "06-09 07:00",
            "06-09 08:00",
            "06-09 09:00"
        ]
    );
    assert_eq!(
        found("2027-06-08T08:00:00Z", "2027-06-08T09:00:00Z"),
        [
            "06-07 07:00",
            "06-07 08:00",
            "06-07 09:00",
            "06-08 07:00",
            "06-08 09:00",
            "06-09 07:00",
            "06-09 08:00",
            "06-09 09:00"
        ]
    );
}

#[test]
fn reached_limit_blocks_its_whole_period() {
    let hosts = [host(1, "UTC", &EVERY_DAY, 540, 600)];
    // Wednesday 2027-03-03: 90 minutes in two meetings; the week began on Sunday, 2027-02-28.
    let booked = vec![
        range("2027-03-03T10:00:00Z", "2027-03-03T10:30:00Z"),
        range("2027-03-03T12:00:00Z", "2027-03-03T13:00:00Z"),
    ];
    let days = ["02-27", "02-28", "03-03", "03-06", "03-07", "04-01"];
    let table: [(Period, LimitKind, &[&str]); 10] = [
        (Period::Day, LimitKind::Meetings(3), &days),
        (
            Period::Day,
            LimitKind::Meetings(2),
            &["02-27", "02-28", "03-06", "03-07", "04-01"],
        ),
        (
            Period::Week(Weekday::Sun),
            LimitKind::Meetings(2),
            &["02-27", "03-07", "04-01"],
        ),
        (
            Period::Month,
            LimitKind::Meetings(2),
            &["02-27", "02-28", "04-01"],
        ),
        (Period::Year, LimitKind::Meetings(2), &[]),
        (
            Period::Week(Weekday::Mon),
            LimitKind::Meetings(2),
            &["02-27", "02-28", "04-01"],
        ),
        (Period::Week(Weekday::Sun), LimitKind::Minutes(150), &days),
        (
            Period::Week(Weekday::Sun),
            LimitKind::Minutes(149),
            &["02-27", "03-07", "04-01"],
        ),
        (
            Period::Day,
            LimitKind::Minutes(60),
            &["02-27", "02-28", "03-06", "03-07", "04-01"],
        ),
        // A single meeting exceeds the limit.
        (Period::Day, LimitKind::Minutes(59), &[]),
    ];
    for (period, kind, expected) in table {
        let rules = Rules {
            limits: vec![Limit { period, kind }],
            ..rules(60)
        };
        let calendar = Calendar {
            booked: booked.clone(),
            ..calendar_of(&hosts)
        };
        let found = calendar_starts(
            &rules,
            &calendar,
            "UTC",
            LONG_BEFORE,
            "2027-02-27T00:00:00Z",
            "2027-04-02T00:00:00Z",
        );
        let open: Vec<&str> = days
            .into_iter()
            .filter(|day| found.contains(&format!("{day} 09:00")))
            .collect();
        assert_eq!(open, expected, "{period:?} {kind:?}");
        let search = SlotSearch {
            rules: &rules,
            calendar: &calendar,
            zone: &UTC,
            now: at(LONG_BEFORE),
        };
        let decision = decide(search, candidate(at("2027-03-03T09:00:00Z"), false));
        if expected.contains(&"03-03") {
            assert!(decision.is_ok(), "{period:?} {kind:?}");
        } else {
            assert_eq!(
                decision,
                Err(UnavailableReason::LimitReached),
                "{period:?} {kind:?}"
            );
        }
    }
}
