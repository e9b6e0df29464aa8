//! The verdict on one start.

use super::*;

#[test]
fn a_refusal_says_why() {
    let mut ada = host(1, "UTC", &WEEKDAYS, 540, 720);
    ada.busy = vec![busy("2027-03-01T10:00:00Z", "2027-03-01T10:30:00Z")];
    let hosts = [ada];
    let rules = Rules {
        notice: 60,
        window: Window::Ahead {
            days: 7,
            business: false,
        },
        ..rules(30)
    };
    let calendar = of(&hosts);
    let offer = Offer {
        rules: &rules,
        calendar: &calendar,
        zone: Tz::UTC,
        now: at("2027-03-01T08:30:00Z"),
    };
    for (start, verdict) in [
        ("2027-03-01T08:00:00Z", Refusal::Past),
        ("2027-03-01T09:00:00Z", Refusal::TooSoon),
        ("2027-03-01T10:00:00Z", Refusal::Taken),
        ("2027-03-01T11:07:00Z", Refusal::NotOffered),
        ("2027-03-01T12:00:00Z", Refusal::NotOffered),
        ("2027-03-07T10:00:00Z", Refusal::NotOffered),
        ("2027-03-15T10:00:00Z", Refusal::OutsideWindow),
    ] {
        assert_eq!(
            decide(offer, candidate(at(start), false)),
            Err(verdict),
            "{start}"
        );
    }
    assert!(decide(offer, candidate(at("2027-03-01T10:30:00Z"), false)).is_ok());
}

#[test]
fn start_that_a_booking_has_moved_is_taken_unless_it_is_held() {
    // 45-minute starts lie at 10:00, 10:45, ... once a booking ends at 10:00, at 09:00, 09:45, ...
    // without it. Whoever was shown 10:30 has lost it to that booking, unless they hold it.
    let mut ada = host(1, "UTC", &WEEKDAYS, 540, 720);
    ada.busy = vec![busy("2027-03-01T09:00:00Z", "2027-03-01T10:00:00Z")];
    let hosts = [ada];
    let rules = rules(45);
    let calendar = of(&hosts);
    let offer = Offer {
        rules: &rules,
        calendar: &calendar,
        zone: Tz::UTC,
        now: at(LONG_BEFORE),
    };
    assert!(
        !day_of(&rules, &hosts, "UTC", LONG_BEFORE, "2027-03-01")
            .contains(&"03-01 10:30".to_owned())
    );
    let start = at("2027-03-01T10:30:00Z");
    assert_eq!(decide(offer, candidate(start, false)), Err(Refusal::Taken));
    assert!(decide(offer, candidate(start, true)).is_ok());
    // A hold makes nobody free, and nothing of the past.
    let taken = at("2027-03-01T09:30:00Z");
    assert_eq!(decide(offer, candidate(taken, true)), Err(Refusal::Taken));
    let late = Offer {
        now: start,
        ..offer
    };
    assert_eq!(decide(late, candidate(start, true)), Err(Refusal::Past));
}

/// A host who offers one meeting a day, or one every two hours, gets no more.
#[test]
fn interval_longer_than_the_meeting_is_kept() {
    let hosts = [host(1, "UTC", &WEEKDAYS, 480, 1020)];
    for (interval, offered) in [
        (120, &["08:00", "10:00", "12:00", "14:00", "16:00"][..]),
        (1440, &["08:00"]),
    ] {
        let rules = Rules {
            interval: Some(interval),
            ..rules(60)
        };
        let calendar = of(&hosts);
        let offer = Offer {
            rules: &rules,
            calendar: &calendar,
            zone: Tz::UTC,
            now: at(LONG_BEFORE),
        };
        for minute in (480..=960).step_by(5) {
            let clock = format!("{:02}:{:02}", minute / 60, minute % 60);
            let verdict = decide(
                offer,
                candidate(at(&format!("2027-03-01T{clock}:00Z")), false),
            );
            assert_eq!(
                verdict.is_ok(),
                offered.contains(&&*clock),
                "{interval} {clock}"
            );
        }
    }
}

/// A visitor has some minutes to read the form after today's starts have been shown to them.
#[test]
fn start_that_the_notice_has_moved_stays_good_for_ten_minutes() {
    let hosts = [host(1, "UTC", &WEEKDAYS, 480, 1020)];
    let calendar = of(&hosts);
    let accepts = |rules: &Rules, now: &str| {
        let offer = Offer {
            rules,
            calendar: &calendar,
            zone: Tz::UTC,
            now: at(now),
        };
        decide(offer, candidate(at("2027-03-01T12:00:00Z"), false)).is_ok()
    };
    // 45-minute starts lie at 10:30, 11:15, 12:00 at a quarter past ten, and at 10:45, 11:30, 12:15 after it.
    let dense = rules(45);
    for (now, good) in [
        ("2027-03-01T10:25:00Z", true),
        ("2027-03-01T10:30:00Z", true),
        ("2027-03-01T10:39:00Z", true),
        ("2027-03-01T10:40:00Z", false),
    ] {
        assert_eq!(accepts(&dense, now), good, "{now}");
    }
    let lavish = Rules {
        interval: Some(90),
        ..rules(60)
    };
    for (now, good) in [
        ("2027-03-01T10:25:00Z", true),
        ("2027-03-01T10:30:00Z", false),
    ] {
        assert_eq!(accepts(&lavish, now), good, "{now}");
    }
}

#[test]
fn start_offered_in_one_zone_can_be_reserved_from_every_other() {
    let reserved = |start| Candidate {
        from_any_zone: true,
        ..candidate(start, false)
    };
    let hosts = [host(1, "Asia/Kolkata", &WEEKDAYS, 540, 1020)];
    let zones = [
        "Asia/Kathmandu",
        "Asia/Kolkata",
        "Australia/Adelaide",
        "Europe/Berlin",
        "UTC",
    ];
    for length in [15, 20, 25, 45, 60] {
        let rules = rules(length);
        let calendar = of(&hosts);
        let offer = |name: &str| Offer {
            rules: &rules,
            calendar: &calendar,
            zone: zone(name),
            now: at(LONG_BEFORE),
        };
        for shown in zones {
            let span = (at("2027-03-01"), at("2027-03-01T23:59:59Z"));
            let offered = days(offer(shown), span.0, span.1);
            assert!(!offered.is_empty());
            for start in offered.into_values().flatten() {
                for booked in zones {
                    assert!(
                        decide(offer(booked), reserved(start)).is_ok(),
                        "{length} minutes at {start}, shown in {shown}, reserved from {booked}"
                    );
                }
            }
        }
    }
}

#[test]
fn only_the_first_start_of_a_day_can_be_booked_if_the_type_says_so() {
    let hosts = [host(1, "Europe/Berlin", &WEEKDAYS, 0, 720)];
    let calendar = of(&hosts);
    let rules = Rules {
        only_first: true,
        ..rules(60)
    };
    let offer = Offer {
        rules: &rules,
        calendar: &calendar,
        zone: zone("Asia/Tokyo"),
        now: at(LONG_BEFORE),
    };
    for (start, good) in [
        // First of the day in Berlin, in Tokyo and in UTC.
        ("2027-03-01T23:00:00Z", true),
        ("2027-03-01T15:00:00Z", false),
        ("2027-03-02T00:00:00Z", true),
        ("2027-03-02T01:00:00Z", false),
        ("2027-03-02T05:00:00Z", false),
    ] {
        assert_eq!(
            decide(offer, candidate(at(start), false)).is_ok(),
            good,
            "{start}"
        );
    }
}
