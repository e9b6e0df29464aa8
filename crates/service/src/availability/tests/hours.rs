//! Working hours, absences and what takes their time.

use super::*;

#[test]
fn an_override_replaces_the_rules_of_its_date_and_an_empty_one_is_a_day_off() {
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
fn a_rule_that_ends_at_2359_lasts_until_midnight() {
    let hosts = [host(1, "UTC", &EVERY_DAY, 1380, 1439)];
    assert_eq!(
        day_of(&rules(60), &hosts, "UTC", LONG_BEFORE, "2027-03-02"),
        ["03-02 23:00"]
    );
}

#[test]
fn bookings_take_their_time_and_touching_is_fine() {
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
fn buffers_of_both_meetings_add_up_crosswise() {
    let mut ada = host(1, "UTC", &WEEKDAYS, 480, 840);
    // The meeting at 11:00 wants 10 minutes before and 20 after it; ours 5 before and 15 after.
    // Free until 11:00 - (10 + 15) = 10:35, and again from 11:30 + (20 + 5) = 11:55.
    ada.busy = vec![Busy {
        span: Span::new(at("2027-03-01T11:00:00Z"), at("2027-03-01T11:30:00Z")),
        before: 10,
        after: 20,
        shared: false,
    }];
    let rules = Rules {
        before: 5,
        after: 15,
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
fn days_out_of_office_are_days_of_the_hosts_own_calendar() {
    let mut ada = host(1, "America/New_York", &EVERY_DAY, 540, 600);
    ada.away = vec![
        Away::noted(at("2027-03-02T00:00:00Z"), at("2027-03-03T23:59:59Z")).unwrap(),
        Away::noted(at("2027-03-05T00:00:00Z"), at("2027-03-06T00:00:00Z")).unwrap(),
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

/// A day in Rome told as instants is that day, and an hour is an hour.
#[test]
fn absence_that_is_no_whole_utc_day_takes_its_own_time() {
    let found = |start, end| {
        let mut ada = host(1, "Europe/Rome", &EVERY_DAY, 540, 720);
        ada.away = vec![Away::noted(at(start), at(end)).unwrap()];
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
fn a_limit_that_is_reached_closes_its_whole_period() {
    let hosts = [host(1, "UTC", &EVERY_DAY, 540, 600)];
    // Wednesday 2027-03-03: 90 minutes in two meetings; the week began on Sunday, 2027-02-28.
    let booked = vec![
        span("2027-03-03T10:00:00Z", "2027-03-03T10:30:00Z"),
        span("2027-03-03T12:00:00Z", "2027-03-03T13:00:00Z"),
    ];
    let days = ["02-27", "02-28", "03-03", "03-06", "03-07", "04-01"];
    let table: [(Period, Most, &[&str]); 9] = [
        (Period::Day, Most::Meetings(3), &days),
        (
            Period::Day,
            Most::Meetings(2),
            &["02-27", "02-28", "03-06", "03-07", "04-01"],
        ),
        (
            Period::Week,
            Most::Meetings(2),
            &["02-27", "03-07", "04-01"],
        ),
        (
            Period::Month,
            Most::Meetings(2),
            &["02-27", "02-28", "04-01"],
        ),
        (Period::Year, Most::Meetings(2), &[]),
        (Period::Week, Most::Minutes(150), &days),
        (
            Period::Week,
            Most::Minutes(149),
            &["02-27", "03-07", "04-01"],
        ),
        (
            Period::Day,
            Most::Minutes(60),
            &["02-27", "02-28", "03-06", "03-07", "04-01"],
        ),
        // No meeting is ever short enough.
        (Period::Day, Most::Minutes(59), &[]),
    ];
    for (period, most, expected) in table {
        let rules = Rules {
            limits: vec![Limit { period, most }],
            ..rules(60)
        };
        let calendar = Calendar {
            booked: booked.clone(),
            ..of(&hosts)
        };
        let found = shown(
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
        assert_eq!(open, expected, "{period:?} {most:?}");
        let offer = Offer {
            rules: &rules,
            calendar: &calendar,
            zone: Tz::UTC,
            now: at(LONG_BEFORE),
        };
        let verdict = decide(offer, candidate(at("2027-03-03T09:00:00Z"), false));
        if expected.contains(&"03-03") {
            assert!(verdict.is_ok(), "{period:?} {most:?}");
        } else {
            assert_eq!(verdict, Err(Refusal::LimitReached), "{period:?} {most:?}");
        }
    }
}
