//! Combination of several hosts.

use super::*;

#[test]
fn rotating_hosts_offer_the_free_times_of_any_host() {
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
fn partly_free_rotating_hosts_do_not_share_a_meeting() {
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
fn collective_needs_all_hosts_and_a_fixed_host_takes_part_always() {
    let mut hosts = [
        host(1, "UTC", &WEEKDAYS, 540, 660),
        host(2, "UTC", &WEEKDAYS, 600, 720),
    ];
    let everyone = Rules {
        scheduling_type: SchedulingType::Everyone,
        ..rules(60)
    };
    assert_eq!(
        day_of(&everyone, &hosts, "UTC", LONG_BEFORE, "2027-03-01"),
        ["03-01 10:00"]
    );
    hosts[0].fixed = true;
    let calendar = calendar_of(&hosts);
    let search = SlotSearch {
        rules: &rules(60),
        calendar: &calendar,
        zone: &UTC,
        now: at(LONG_BEFORE),
    };
    assert_eq!(
        decide(search, candidate(at("2027-03-01T10:00:00Z"), false)),
        Ok(Decision {
            fixed: vec![1],
            rotating: vec![2],
            joined_uid: None,
        })
    );
    assert_eq!(
        decide(search, candidate(at("2027-03-01T09:00:00Z"), false)),
        Err(UnavailableReason::NotOffered)
    );
}

fn seated_event_type(booked: i64, reserved: i64) -> (Rules, Calendar) {
    let mut hosts = [
        host(1, "UTC", &WEEKDAYS, 540, 720),
        host(2, "UTC", &WEEKDAYS, 540, 720),
    ];
    let time = range("2027-03-01T10:00:00Z", "2027-03-01T11:00:00Z");
    hosts[0].busy = vec![BusyTime {
        range: time,
        buffer_before: 0,
        buffer_after: 30,
        is_shared: true,
    }];
    let rules = Rules {
        seated: true,
        interval: Some(30),
        ..rules(60)
    };
    let seated_meeting = SeatedMeeting {
        range: time,
        uid: Some("class".into()),
        host_ids: vec![1],
        booked,
        reserved,
        seats: 3,
    };
    let calendar = Calendar {
        seated_meetings: vec![seated_meeting],
        ..calendar_of(&hosts)
    };
    (rules, calendar)
}

#[test]
fn seated_meeting_with_free_seats_blocks_other_starts() {
    let (rules, mut calendar) = seated_event_type(1, 1);
    calendar.hosts.truncate(1);
    let day = ("2027-03-01T00:00:00Z", "2027-03-01T23:00:00Z");
    let found = calendar_starts(&rules, &calendar, "UTC", LONG_BEFORE, day.0, day.1);
    assert_eq!(found, ["03-01 09:00", "03-01 10:00"]);
    let search = SlotSearch {
        rules: &rules,
        calendar: &calendar,
        zone: &UTC,
        now: at(LONG_BEFORE),
    };
    let joined = decide(search, candidate(at("2027-03-01T10:00:00Z"), false)).unwrap();
    assert_eq!(
        (joined.fixed, joined.joined_uid.as_deref()),
        (vec![1], Some("class"))
    );
    assert_eq!(
        decide(search, candidate(at("2027-03-01T10:30:00Z"), false)),
        Err(UnavailableReason::Taken)
    );
}

#[test]
fn full_seated_meeting_hides_its_start_despite_free_hosts() {
    let (rules, calendar) = seated_event_type(2, 1);
    let day = ("2027-03-01T00:00:00Z", "2027-03-01T23:00:00Z");
    let found = calendar_starts(&rules, &calendar, "UTC", LONG_BEFORE, day.0, day.1);
    assert_eq!(
        found,
        ["03-01 09:00", "03-01 09:30", "03-01 10:30", "03-01 11:00"]
    );
    let search = SlotSearch {
        rules: &rules,
        calendar: &calendar,
        zone: &UTC,
        now: at(LONG_BEFORE),
    };
    assert_eq!(
        decide(search, candidate(at("2027-03-01T10:00:00Z"), false)),
        Err(UnavailableReason::Full)
    );
}

#[test]
fn seated_meeting_with_absent_host_or_other_length_cannot_be_joined() {
    let (rules, calendar) = seated_event_type(1, 0);
    let start = at("2027-03-01T10:00:00Z");
    let decision = |rules: &Rules, calendar: &Calendar| {
        let search = SlotSearch {
            rules,
            calendar,
            zone: &UTC,
            now: at(LONG_BEFORE),
        };
        decide(search, candidate(start, false))
    };
    assert!(decision(&rules, &calendar).is_ok());
    let shorter = Rules {
        length: 30,
        ..rules.clone()
    };
    assert_eq!(decision(&shorter, &calendar), Err(UnavailableReason::Taken));
    let mut time_off = calendar.clone();
    time_off.hosts[0]
        .time_off
        .extend(TimeOff::from_stored(start, start + DAY));
    assert_eq!(decision(&rules, &time_off), Err(UnavailableReason::Taken));
}

#[test]
fn host_of_a_reservation_is_preferred_to_the_host_with_the_least_load() {
    let decision = Decision {
        fixed: vec![9],
        rotating: vec![1, 2, 3],
        joined_uid: None,
    };
    let load = |id| if id == 1 { 5 } else { 2 };
    assert_eq!(decision.hosts(&[], load), [9, 2]);
    assert_eq!(decision.hosts(&[1], load), [9, 1]);
}
