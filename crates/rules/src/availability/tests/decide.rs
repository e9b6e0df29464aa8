//! Decisions about one start.

use super::*;
use crate::BookingWindow;

#[test]
fn unavailable_start_has_a_reason() {
    let mut ada = host(1, "UTC", &WEEKDAYS, 540, 720);
    ada.busy = vec![busy("2027-03-01T10:00:00Z", "2027-03-01T10:30:00Z")];
    let hosts = [ada];
    let rules = Rules {
        notice: 60,
        window: BookingWindow::Ahead {
            days: 7,
            business: false,
        },
        ..rules(30)
    };
    let calendar = calendar_of(&hosts);
    let search = SlotSearch {
        rules: &rules,
        calendar: &calendar,
        zone: &UTC,
        now: at("2027-03-01T08:30:00Z"),
    };
    for (start, decision) in [
        ("2027-03-01T08:00:00Z", UnavailableReason::Past),
        ("2027-03-01T09:00:00Z", UnavailableReason::TooSoon),
        ("2027-03-01T10:00:00Z", UnavailableReason::Taken),
        ("2027-03-01T11:07:00Z", UnavailableReason::NotOffered),
        ("2027-03-01T12:00:00Z", UnavailableReason::NotOffered),
        ("2027-03-07T10:00:00Z", UnavailableReason::NotOffered),
        ("2027-03-15T10:00:00Z", UnavailableReason::OutsideWindow),
    ] {
        assert_eq!(
            decide(search, candidate(at(start), false)),
            Err(decision),
            "{start}"
        );
    }
    assert!(decide(search, candidate(at("2027-03-01T10:30:00Z"), false)).is_ok());
}

#[test]
fn start_that_a_booking_has_moved_is_taken_unless_reserved() {
    // 45-minute starts are at 10:00, 10:45, ... after a booking that ends at 10:00, and at 09:00,
    // 09:45, ... without it. 10:30 was offered before the booking and is only valid if reserved.
    let mut ada = host(1, "UTC", &WEEKDAYS, 540, 720);
    ada.busy = vec![busy("2027-03-01T09:00:00Z", "2027-03-01T10:00:00Z")];
    let hosts = [ada];
    let rules = rules(45);
    let calendar = calendar_of(&hosts);
    let search = SlotSearch {
        rules: &rules,
        calendar: &calendar,
        zone: &UTC,
        now: at(LONG_BEFORE),
    };
    assert!(
        !day_of(&rules, &hosts, "UTC", LONG_BEFORE, "2027-03-01")
            .contains(&"03-01 10:30".to_owned())
    );
    let start = at("2027-03-01T10:30:00Z");
    assert_eq!(
        decide(search, candidate(start, false)),
        Err(UnavailableReason::Taken)
    );
    assert!(decide(search, candidate(start, true)).is_ok());
    // A reservation does not override a conflict or the past.
    let taken = at("2027-03-01T09:30:00Z");
    assert_eq!(
        decide(search, candidate(taken, true)),
        Err(UnavailableReason::Taken)
    );
    let late = SlotSearch {
        now: start,
        ..search
    };
    assert_eq!(
        decide(late, candidate(start, true)),
        Err(UnavailableReason::Past)
    );
}

/// An interval of a day or two hours allows no more meetings.
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
        let calendar = calendar_of(&hosts);
        let search = SlotSearch {
            rules: &rules,
            calendar: &calendar,
            zone: &UTC,
            now: at(LONG_BEFORE),
        };
        for minute in (480..=960).step_by(5) {
            let clock = format!("{:02}:{:02}", minute / 60, minute % 60);
            let decision = decide(
                search,
                candidate(at(&format!("2027-03-01T{clock}:00Z")), false),
            );
            assert_eq!(
                decision.is_ok(),
                offered.contains(&&*clock),
                "{interval} {clock}"
            );
        }
    }
}

/// A visitor has some minutes to fill in the form after today's starts were shown.
#[test]
fn start_that_the_notice_has_moved_stays_valid_for_ten_minutes() {
    let hosts = [host(1, "UTC", &WEEKDAYS, 480, 1020)];
    let calendar = calendar_of(&hosts);
    let accepts = |rules: &Rules, now: &str| {
        let search = SlotSearch {
            rules,
            calendar: &calendar,
            zone: &UTC,
            now: at(now),
        };
        decide(search, candidate(at("2027-03-01T12:00:00Z"), false)).is_ok()
    };
    // 45-minute starts are at 10:30, 11:15, 12:00 at 10:15, and at 10:45, 11:30, 12:15 after 10:30.
    let dense = rules(45);
    for (now, is_accepted) in [
        ("2027-03-01T10:25:00Z", true),
        ("2027-03-01T10:30:00Z", true),
        ("2027-03-01T10:39:00Z", true),
        ("2027-03-01T10:40:00Z", false),
    ] {
        assert_eq!(accepts(&dense, now), is_accepted, "{now}");
    }
    let with_gaps = Rules {
        interval: Some(90),
        ..rules(60)
    };
    for (now, is_accepted) in [
        ("2027-03-01T10:25:00Z", true),
        ("2027-03-01T10:30:00Z", false),
    ] {
        assert_eq!(accepts(&with_gaps, now), is_accepted, "{now}");
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
    ]
    .map(zone);
    for length in [15, 20, 25, 45, 60] {
        let rules = rules(length);
        let calendar = calendar_of(&hosts);
        let search = |zone| SlotSearch {
            rules: &rules,
            calendar: &calendar,
            zone,
            now: at(LONG_BEFORE),
        };
        for display_zone in &zones {
            let range = (at("2027-03-01"), at("2027-03-01T23:59:59Z"));
            let offered = days(search(display_zone), range.0, range.1);
            assert!(!offered.is_empty());
            for start in offered.into_values().flatten() {
                for reserving_zone in &zones {
                    assert!(
                        decide(search(reserving_zone), reserved(start)).is_ok(),
                        "{length} minutes at {start}, shown in {display_zone:?}, reserved from {reserving_zone:?}"
                    );
                }
            }
        }
    }
}

#[test]
fn event_type_with_only_first_accepts_one_start_per_day() {
    let hosts = [host(1, "Europe/Berlin", &WEEKDAYS, 0, 720)];
    let calendar = calendar_of(&hosts);
    let rules = Rules {
        only_first: true,
        ..rules(60)
    };
    let search = SlotSearch {
        rules: &rules,
        calendar: &calendar,
        zone: &zone("Asia/Tokyo"),
        now: at(LONG_BEFORE),
    };
    for (start, is_accepted) in [
        // The first start of the day in Berlin, in Tokyo or in UTC.
        ("2027-03-01T23:00:00Z", true),
        ("2027-03-01T15:00:00Z", false),
        ("2027-03-02T00:00:00Z", true),
        ("2027-03-02T01:00:00Z", false),
        ("2027-03-02T05:00:00Z", false),
    ] {
        assert_eq!(
            decide(search, candidate(at(start), false)).is_ok(),
            is_accepted,
            "{start}"
        );
    }
}
