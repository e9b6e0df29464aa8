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
        assert_eq!(decide(offer, at(start)), Err(verdict), "{start}");
    }
    assert!(decide(offer, at("2027-03-01T10:30:00Z")).is_ok());
}

#[test]
fn an_offer_stays_good_when_the_rows_have_moved_meanwhile() {
    // 45-minute starts lie at 10:00, 10:45, ... once a booking ends at 10:00, at 09:00, 09:45, ...
    // without it. The visitor who was shown 10:30 may still have it.
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
    assert!(decide(offer, at("2027-03-01T10:30:00Z")).is_ok());
}

#[test]
fn what_is_offered_in_one_zone_can_be_booked_from_every_other() {
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
                        decide(offer(booked), start).is_ok(),
                        "{length} minutes at {start}, shown in {shown}, booked from {booked}"
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
        assert_eq!(decide(offer, at(start)).is_ok(), good, "{start}");
    }
}
