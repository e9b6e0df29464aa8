//! How the times of several hosts combine.

use super::*;

#[test]
fn rotating_hosts_offer_what_any_of_them_has_free() {
    let hosts = [
        host(1, "UTC", &WEEKDAYS, 540, 600),
        host(2, "UTC", &WEEKDAYS, 660, 720),
    ];
    assert_eq!(
        day_of(&rules(60), &hosts, "UTC", LONG_BEFORE, "2027-03-01"),
        ["03-01 09:00", "03-01 11:00"]
    );
}

#[test]
fn two_half_free_hosts_do_not_make_a_whole_one() {
    let hosts = [
        host(1, "UTC", &WEEKDAYS, 540, 570),
        host(2, "UTC", &WEEKDAYS, 570, 600),
    ];
    assert_eq!(
        day_of(&rules(60), &hosts, "UTC", LONG_BEFORE, "2027-03-01"),
        Vec::<String>::new()
    );
}

#[test]
fn a_collective_needs_everyone_and_a_fixed_host_is_always_there() {
    let mut hosts = [
        host(1, "UTC", &WEEKDAYS, 540, 660),
        host(2, "UTC", &WEEKDAYS, 600, 720),
    ];
    let everyone = Rules {
        combine: Combine::Everyone,
        ..rules(60)
    };
    assert_eq!(
        day_of(&everyone, &hosts, "UTC", LONG_BEFORE, "2027-03-01"),
        ["03-01 10:00"]
    );
    hosts[0].fixed = true;
    let calendar = of(&hosts);
    let offer = Offer {
        rules: &rules(60),
        calendar: &calendar,
        zone: Tz::UTC,
        now: at(LONG_BEFORE),
    };
    assert_eq!(
        decide(offer, candidate(at("2027-03-01T10:00:00Z"), false)),
        Ok(Decision {
            fixed: vec![1],
            rotating: vec![2],
            joins: None,
        })
    );
    assert_eq!(
        decide(offer, candidate(at("2027-03-01T09:00:00Z"), false)),
        Err(Refusal::NotOffered)
    );
}

fn class(booked: i64, reserved: i64) -> (Rules, Calendar) {
    let mut hosts = [
        host(1, "UTC", &WEEKDAYS, 540, 720),
        host(2, "UTC", &WEEKDAYS, 540, 720),
    ];
    let held = span("2027-03-01T10:00:00Z", "2027-03-01T11:00:00Z");
    hosts[0].busy = vec![Busy {
        span: held,
        before: 0,
        after: 30,
        shared: true,
    }];
    let rules = Rules {
        seated: true,
        interval: Some(30),
        ..rules(60)
    };
    let session = Session {
        span: held,
        uid: Some("class".into()),
        host_ids: vec![1],
        booked,
        reserved,
        seats: 3,
    };
    let calendar = Calendar {
        sessions: vec![session],
        ..of(&hosts)
    };
    (rules, calendar)
}

#[test]
fn a_shared_meeting_with_seats_left_blocks_all_but_its_own_start() {
    let (rules, mut calendar) = class(1, 1);
    calendar.hosts.truncate(1);
    let day = ("2027-03-01T00:00:00Z", "2027-03-01T23:00:00Z");
    let found = shown(&rules, &calendar, "UTC", LONG_BEFORE, day.0, day.1);
    assert_eq!(found, ["03-01 09:00", "03-01 10:00"]);
    let offer = Offer {
        rules: &rules,
        calendar: &calendar,
        zone: Tz::UTC,
        now: at(LONG_BEFORE),
    };
    let joined = decide(offer, candidate(at("2027-03-01T10:00:00Z"), false)).unwrap();
    assert_eq!(
        (joined.fixed, joined.joins.as_deref()),
        (vec![1], Some("class"))
    );
    assert_eq!(
        decide(offer, candidate(at("2027-03-01T10:30:00Z"), false)),
        Err(Refusal::Taken)
    );
}

#[test]
fn a_full_shared_meeting_hides_its_start_whoever_else_is_free() {
    let (rules, calendar) = class(2, 1);
    let day = ("2027-03-01T00:00:00Z", "2027-03-01T23:00:00Z");
    let found = shown(&rules, &calendar, "UTC", LONG_BEFORE, day.0, day.1);
    assert_eq!(
        found,
        ["03-01 09:00", "03-01 09:30", "03-01 10:30", "03-01 11:00"]
    );
    let offer = Offer {
        rules: &rules,
        calendar: &calendar,
        zone: Tz::UTC,
        now: at(LONG_BEFORE),
    };
    assert_eq!(
        decide(offer, candidate(at("2027-03-01T10:00:00Z"), false)),
        Err(Refusal::Full)
    );
}

#[test]
fn a_shared_meeting_cannot_be_joined_once_its_host_is_away_or_for_another_length() {
    let (rules, calendar) = class(1, 0);
    let start = at("2027-03-01T10:00:00Z");
    let verdict = |rules: &Rules, calendar: &Calendar| {
        let offer = Offer {
            rules,
            calendar,
            zone: Tz::UTC,
            now: at(LONG_BEFORE),
        };
        decide(offer, candidate(start, false))
    };
    assert!(verdict(&rules, &calendar).is_ok());
    let shorter = Rules {
        length: 30,
        ..rules.clone()
    };
    assert_eq!(verdict(&shorter, &calendar), Err(Refusal::Taken));
    let mut away = calendar.clone();
    away.hosts[0].away.extend(Away::noted(start, start + DAY));
    assert_eq!(verdict(&rules, &away), Err(Refusal::Taken));
}

#[test]
fn the_host_of_a_reservation_is_preferred_then_whoever_has_least_to_do() {
    let decision = Decision {
        fixed: vec![9],
        rotating: vec![1, 2, 3],
        joins: None,
    };
    let load = |id| if id == 1 { 5 } else { 2 };
    assert_eq!(decision.hosts(&[], load), [9, 2]);
    assert_eq!(decision.hosts(&[1], load), [9, 1]);
}
